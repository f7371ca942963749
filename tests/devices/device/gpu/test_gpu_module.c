/* SPDX-License-Identifier: BSD-3-Clause */
/* Kernels for GPUs are compiled once for each text, architecture and compiler. A cached
 * kernel is used only if it is complete. */
#include "gpu_helper.h"

static int count_cubins(char *last, size_t size)
{
    DIR *d = opendir(kept);
    const struct dirent *entry;
    int count = 0;
    while (d && (entry = readdir(d)))
        if (strstr(entry->d_name, ".cubin")) {
            snprintf(last, size, "%s/%s", kept, entry->d_name);
            count++;
        }
    if (d)
        closedir(d);
    return count;
}

static int compiled(void)
{
    return fake_number(fake_compiler, "fake_nvrtc_compiled");
}

static void open_and_close(const char *name)
{
    gpu *g = open_gpu(name);
    CHECK(gpu_module_find(open_kernels(g, HOST_KEEP), "add_one") != NULL);
    gpu_close(g);
}

TEST(kernels_are_compiled_for_the_gpu_and_without_liberties)
{
    set_place();
    set_fakes();
    open_and_close("cuda");
    CHECK_STR((const char *)dlsym(fake_compiler, "fake_nvrtc_options"),
              "--gpu-architecture=sm_90 --std=c++17 --fmad=false --prec-div=true "
              "--prec-sqrt=true --ftz=false ");
}

TEST(where_the_architecture_is_unknown_the_newest_below_is_translated_by_the_driver)
{
    set_place();
    setenv("FAKE_CUDA_GPUS", "103", 1);
    set_fakes();
    open_and_close("cuda");
    CHECK(strstr((const char *)dlsym(fake_compiler, "fake_nvrtc_options"),
                 "--gpu-architecture=compute_90 "));
}

/* Newer compilers cache results without their statistics, so an option turns this cache
 * off. */
TEST(what_kernels_need_is_requested_without_the_cache_of_the_compiler)
{
    text stats = {0};
    set_fakes();
    const char *options = dlsym(fake_compiler, "fake_nvrtc_options");
    CHECK_STATUS(gpu_try_compile(90, kernels, sizeof kernels - 1, &stats),
                 PAV_EUNSUPPORTED);
    CHECK(strstr(options, "--ptxas-options=-v ") && !strstr(options, "--no-cache"));
    setenv("FAKE_NVRTC_VERSION", "13", 1);
    CHECK_STATUS(gpu_try_compile(90, kernels, sizeof kernels - 1, &stats),
                 PAV_EUNSUPPORTED);
    CHECK(strstr(pav_message(), "reports no registers of kernels"));
    CHECK(strstr(options, "--ptxas-options=-v --no-cache "));
    text_free(&stats);
}

TEST(a_compilation_ends_early_when_it_is_stopped)
{
    const atomic_bool stopped = true;
    text stats = {0};
    set_fakes();
    host_stop_by(&stopped);
    CHECK_STATUS(gpu_try_compile(90, kernels, sizeof kernels - 1, &stats),
                 PAV_EINTERRUPTED);
    host_stop_by(NULL);
    CHECK_STR(pav_message(), "NVRTC was stopped, as asked");
    CHECK_EQ(compiled(), 0);
    text_free(&stats);
}

TEST(the_second_time_kernels_come_from_the_cache)
{
    char file[4096];
    set_place();
    set_fakes();
    open_and_close("cuda");
    open_and_close("cuda");
    CHECK_EQ(compiled(), 1);
    CHECK_EQ(count_cubins(file, sizeof file), 1);
    CHECK_EQ(count_entries("work-") + count_entries(".lock"), 0);
}

TEST(each_architecture_and_version_has_kernels_of_its_own)
{
    char file[4096];
    set_place();
    setenv("FAKE_CUDA_GPUS", "90,80", 1);
    set_fakes();
    open_and_close("cuda:0");
    setenv("FAKE_NVRTC_NEWEST", "80", 1);
    open_and_close("cuda:1");
    setenv("FAKE_NVRTC_VERSION", "11", 1);
    open_and_close("cuda:1");
    CHECK_EQ(compiled(), 3);
    CHECK_EQ(count_cubins(file, sizeof file), 3);
}

TEST(kernels_in_which_one_bit_is_changed_are_made_again)
{
    char file[4096];
    set_place();
    set_fakes();
    open_and_close("cuda");
    REQUIRE(count_cubins(file, sizeof file) == 1);
    FILE *f = fopen(file, "r+b");
    REQUIRE(f && fseek(f, 20, SEEK_SET) == 0);
    const int c = fgetc(f);
    REQUIRE(fseek(f, 20, SEEK_SET) == 0 && fputc(c ^ 1, f) != EOF && fclose(f) == 0);
    open_and_close("cuda");
    CHECK_EQ(compiled(), 2);
    CHECK(cache_is_sealed(file));
}

TEST(kernels_for_gpus_leave_the_cache_as_others_do)
{
    char file[4096];
    int answer;
    set_place();
    set_fakes();
    open_and_close("cuda");
    setenv("PAV_CACHE_SIZE", "1", 1);
    REQUIRE_OK(open_and_ask(&answer));
    CHECK_EQ(count_cubins(file, sizeof file), 0);
}

TEST(where_nothing_can_be_kept_kernels_run_and_that_is_noted)
{
    set_place();
    set_fakes();
    setenv("PAV_CACHE", "/proc/self", 1);
    gpu *g = open_gpu("cuda");
    const gpu_module *m = open_kernels(g, HOST_KEEP);
    CHECK(strstr(gpu_module_note(m), "compiled kernels are not kept: /proc/self"));
    gpu_close(g);
}

TEST(a_text_that_does_not_compile_gives_the_first_error)
{
    static const char text_with_mistake[] = "MISTAKE\n";
    gpu_module *m = (gpu_module *)&m;
    char file[4096];
    set_place();
    set_fakes();
    gpu *g = open_gpu("cuda");
    CHECK_STATUS(gpu_module_open(g, text_with_mistake, sizeof text_with_mistake - 1,
                                 HOST_KEEP, &m),
                 PAV_EDEVICE);
    CHECK_STR(pav_message(),
              "NVRTC 12.4 failed on the kernels for sm_90: kernels.cu(3): error: "
              "MISTAKE is undefined");
    CHECK(m == NULL);
    CHECK_EQ(count_cubins(file, sizeof file), 0);
    gpu_close(g);
}

TEST(without_memory_nothing_is_left_open)
{
    set_place();
    set_fakes();
    const int64_t used = mem_used();
    gpu *g = open_gpu("cuda");
    for (int n = 1; n < 12; n++) {
        gpu_module *m = NULL;
        mem_fail_after(n);
        const pav_status status = gpu_module_open(g, kernels, (int64_t)strlen(kernels), 0,
                                                  &m);
        mem_fail_after(0);
        CHECK(status == PAV_OK ? m != NULL : status == PAV_ENOMEM && !m);
        gpu_module_close(m);
    }
    gpu_close(g);
    CHECK_EQ(fake_number(fake_driver, "fake_cuda_modules"), 0);
    CHECK_EQ(mem_used(), used);
}
