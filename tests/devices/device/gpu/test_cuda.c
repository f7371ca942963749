/* SPDX-License-Identifier: BSD-3-Clause */
/* An NVIDIA GPU is used only if driver, GPU and compiler fit together. If not, the
 * message gives the reason. */
#include "gpu_helper.h"

static void cannot_open(const char *name, const char *why)
{
    pav_device *device = NULL;
    CHECK_STATUS(pav_device_open(name, &device), PAV_EDEVICE);
    CHECK_STR(pav_message(), why);
    CHECK(device == NULL);
}

TEST(a_library_finds_what_lies_beside_it)
{
    const char *beside = TEST_FAKE "/libnvrtc.so.1";
    set_driver();
    CHECK(!dlopen(beside, RTLD_LAZY | RTLD_NOLOAD));
    library_open_another(fake_driver, "cuInit", "no-such-file");
    CHECK(!dlopen(beside, RTLD_LAZY | RTLD_NOLOAD));
    library_open_another(fake_driver, "cuInit", "libnvrtc.so.1");
    CHECK(dlopen(beside, RTLD_LAZY | RTLD_NOLOAD) != NULL);
}

TEST(without_a_driver_cuda_is_refused_and_auto_says_nothing)
{
    pav_device *device = NULL;
    if (dlopen("libcuda.so.1", RTLD_LAZY))
        return; /* a real driver exists */
    cannot_open("cuda", "the device cuda cannot be used here: there is no NVIDIA driver "
                        "(libcuda.so.1), which comes with the GPU");
    unsetenv("PAV_DEVICE");
    REQUIRE_OK(pav_device_open("auto", &device));
    CHECK(device->lacking == NULL || !strstr(device->lacking, "NVIDIA"));
    pav_device_free(device);
}

TEST(a_driver_without_a_gpu_is_reported_and_auto_takes_another)
{
    pav_device *device = NULL;
    setenv("FAKE_CUDA_INIT", "100", 1);
    set_fakes();
    cannot_open("cuda",
                "the device cuda cannot be used here: the NVIDIA driver finds no GPU; "
                "see nvidia-smi and CUDA_VISIBLE_DEVICES");
    unsetenv("PAV_DEVICE");
    REQUIRE_OK(pav_device_open("auto", &device));
    CHECK(strcmp(device->ops->name, "cuda") != 0);
    REQUIRE(device->lacking != NULL);
    CHECK(strstr(device->lacking, "the NVIDIA driver finds no GPU"));
    pav_device_free(device);
}

TEST(a_driver_that_counts_no_gpu_is_reported_alike)
{
    setenv("FAKE_CUDA_GPUS", "", 1);
    set_fakes();
    cannot_open("cuda:0",
                "the device cuda:0 cannot be used here: the NVIDIA driver finds no "
                "GPU; see nvidia-smi and CUDA_VISIBLE_DEVICES");
}

TEST(a_driver_that_does_not_begin_gives_its_code)
{
    setenv("FAKE_CUDA_INIT", "803", 1);
    set_fakes();
    cannot_open("cuda",
                "the device cuda cannot be used here: the NVIDIA driver cannot be "
                "used: error 803; see what nvidia-smi says");
}

TEST(a_driver_that_is_too_old_is_reported)
{
    setenv("FAKE_CUDA_VERSION", "10020", 1);
    set_fakes();
    cannot_open("cuda",
                "the device cuda cannot be used here: the NVIDIA driver is too old: it "
                "knows CUDA 10.2, and 11.2 is needed; update it");
}

TEST(a_driver_older_than_the_compiler_is_reported)
{
    set_fakes();
    setenv("FAKE_NVRTC_VERSION", "13", 1);
    cannot_open("cuda",
                "the device cuda cannot be used here: the driver knows CUDA 12.4 only, "
                "too old for NVRTC 13.4 (" TEST_FAKE "/libnvrtc.so.1): update the "
                "driver, or install NVRTC 12");
}

TEST(a_gpu_that_is_too_old_is_named)
{
    setenv("FAKE_CUDA_GPUS", "70", 1);
    set_fakes();
    cannot_open("cuda",
                "the device cuda cannot be used here: cuda:0 (Fake 0) is sm_70, and "
                "sm_75 or newer is needed");
}

TEST(a_compiler_that_cannot_be_opened_is_named)
{
    set_driver();
    setenv("PAV_NVRTC", "/nowhere/libnvrtc.so", 1);
    cannot_open("cuda", "the device cuda cannot be used here: PAV_NVRTC is "
                        "'/nowhere/libnvrtc.so', which is no NVRTC that can be opened");
}

TEST(a_compiler_that_left_old_gpus_behind_is_reported)
{
    set_fakes();
    setenv("FAKE_CUDA_GPUS", "80", 1);
    setenv("FAKE_NVRTC_NEWEST", "120", 1);
    REQUIRE(setenv("FAKE_NVRTC_OLDEST", "90", 1) == 0);
    cannot_open("cuda",
                "the device cuda cannot be used here: NVRTC 12.4 compiles for sm_90 "
                "and newer, not for sm_80: install an older one");
}

/* ---- usable GPUs ------------------------------------------------------------------- */

TEST(auto_takes_a_gpu_that_can_be_used)
{
    pav_device *device = NULL;
    set_fakes();
    unsetenv("PAV_DEVICE");
    REQUIRE_OK(pav_device_open("auto", &device));
    CHECK_STR(pav_device_name(device), "cuda:0");
    CHECK(device->automatic && device->lacking == NULL);
    pav_device_free(device);
}

TEST(without_a_number_the_first_gpu_that_can_be_used_is_taken)
{
    setenv("FAKE_CUDA_GPUS", "70,90", 1);
    set_fakes();
    gpu *g = open_gpu("cuda");
    CHECK_STR(gpu_name(g), "cuda:1");
    CHECK_STR(gpu_facts_of(g)->name, "Fake 1");
    gpu_close(g);
    cannot_open("cuda:0",
                "the device cuda:0 cannot be used here: cuda:0 (Fake 0) is sm_70, "
                "and sm_75 or newer is needed");
}

TEST(a_number_beyond_the_last_is_refused)
{
    setenv("FAKE_CUDA_GPUS", "90,90", 1);
    set_fakes();
    cannot_open("cuda:2", "there is no cuda:2: the last one is cuda:1");
}

TEST(what_stands_behind_the_colon_must_be_a_number)
{
    static const char *const names[] = {"cuda:", "cuda:x", "cuda:1x", "cuda:-1",
                                        "cuda:9999"};
    set_fakes();
    for (size_t k = 0; k < COUNT_OF(names); k++) {
        pav_device *device;
        CHECK_STATUS(pav_device_open(names[k], &device), PAV_EINVAL);
        CHECK(strstr(pav_message(), "give a number after the colon, such as cuda:0"));
    }
}

TEST(what_a_gpu_is_is_known_without_its_compiling_anything)
{
    set_fakes();
    gpu *g = open_gpu("cuda:0");
    const gpu_facts *f = gpu_facts_of(g);
    CHECK(f->major == 9 && f->minor == 0 && !f->emulated);
    CHECK(f->multiprocessors == 132 && f->memory == 1 << 30 && f->l2 == 50 << 20);
    CHECK(f->shared_block == 227 << 10 && f->shared_multiprocessor == 228 << 10);
    gpu_close(g);
    CHECK_EQ(fake_number(fake_compiler, "fake_nvrtc_compiled"), 0);
}

TEST(what_is_no_gpu_is_not_opened_as_one)
{
    pav_device *device = NULL;
    gpu *g = (gpu *)&device;
    REQUIRE_OK(pav_device_open("interpreter", &device));
    CHECK_STATUS(gpu_open(device, &g), PAV_EINVAL);
    CHECK_STR(pav_message(), "the device interpreter is no GPU");
    CHECK(g == NULL);
    pav_device_free(device);
}

TEST(a_gpu_that_does_not_open_gives_the_code)
{
    pav_device *device = NULL;
    gpu *g;
    set_fakes();
    setenv("FAKE_CUDA_OPEN", "2", 1);
    REQUIRE_OK(pav_device_open("cuda", &device));
    CHECK_STATUS(gpu_open(device, &g), PAV_ENOMEM);
    CHECK_STR(pav_message(),
              "opening the GPU failed on cuda:0: CUDA_ERROR_OUT_OF_MEMORY; "
              "--device cpu does without the GPU");
    pav_device_free(device);
}

/* ---- doctor ------------------------------------------------------------------------ */

TEST(doctor_lists_every_gpu_and_why_one_cannot_be_used)
{
    char *report = NULL;
    setenv("FAKE_CUDA_GPUS", "90,70", 1);
    set_fakes();
    REQUIRE_OK(pav_doctor(0, &report));
    CHECK(strstr(report,
                 "    cuda:0          Fake 0, sm_90, 1.0 GiB, 132 multiprocessors\n"));
    CHECK(strstr(report,
                 "    cuda:1          Fake 1, sm_70, 1.0 GiB, 132 multiprocessors\n"));
    CHECK(strstr(report, "no: cuda:1 (Fake 1) is sm_70, and sm_75 or newer is needed\n"));
    CHECK(strstr(report,
                 "    driver for CUDA 12.4, NVRTC 12.4 (" TEST_FAKE "/libnvrtc.so.1)\n"));
    pav_text_free(report);
}

TEST(doctor_lists_gpus_for_programs)
{
    char *report = NULL;
    set_fakes();
    REQUIRE_OK(pav_doctor(1, &report));
    CHECK(strstr(report, "\"versions\": \"driver for CUDA 12.4, NVRTC 12.4 ("));
    CHECK(strstr(report, "\"gpus\": [{\"name\": \"cuda:0\", \"model\": \"Fake 0\", "
                         "\"present\": true, \"why\": null, \"architecture\": \"sm_90\", "
                         "\"memory_bytes\": 1073741824, \"l2_bytes\": 52428800, "
                         "\"shared_block_bytes\": 232448, \"multiprocessors\": 132}]"));
    pav_text_free(report);
}
