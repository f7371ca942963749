/* SPDX-License-Identifier: BSD-3-Clause */
/* The real NVRTC, if it is installed. It needs no GPU. */
#include <stdio.h>

#include "device/cuda/cuda_private.h"
#include "gpu_helper.h"

static const char real[] = "struct work { double *to; long count; };\n"
                           "extern \"C\" __global__ void third(work w)\n"
                           "{\n"
                           "    long i = blockIdx.x*256L + threadIdx.x;\n"
                           "    if (i < w.count) w.to[i] = w.to[i]/3 + 1;\n"
                           "}\n";

static bool has_nvrtc(void)
{
    const char *file;
    if (library_open("NVRTC", &file))
        return true;
    test_skip("NVRTC", "there is none here");
    return false;
}

TEST(kernels_compile_for_every_architecture_that_is_supported)
{
    static const int architectures[] = {80, 90, 100};
    for (size_t k = 0; k < COUNT_OF(architectures) && has_nvrtc(); k++) {
        text stats = {0};
        REQUIRE_OK(gpu_try_compile(architectures[k], real, sizeof real - 1, &stats));
        CHECK(strncmp(stats.data, "third: ", 7) == 0);
        CHECK(strstr(stats.data, " registers, "));
        CHECK(strstr(stats.data, " 0 bytes spill stores, 0 bytes spill loads\n"));
        text_free(&stats);
    }
}

TEST(spills_are_reported)
{
    static const char spilling[] =
        "extern \"C\" __global__ void __launch_bounds__(1024, 2) many(double *p, int n)\n"
        "{ double v[60]; for (int i = 0; i < 60; i++) v[i] = p[i*n];\n"
        "  double s = 0; for (int i = 0; i < 60; i++) for (int j = 0; j < 60; j++) s += "
        "v[i]*v[j]*p[i+j];\n"
        "  p[0] = s; for (int i = 0; i < 60; i++) p[i] = v[i]; }\n";
    text stats = {0};
    if (!has_nvrtc())
        return;
    REQUIRE_OK(gpu_try_compile(90, spilling, sizeof spilling - 1, &stats));
    CHECK(strncmp(stats.data, "many: ", 6) == 0);
    CHECK(strstr(stats.data, " bytes spill stores") &&
          !strstr(stats.data, " 0 bytes spill"));
    text_free(&stats);
}

TEST(the_first_mistake_is_reported_with_its_line)
{
    static const char wrong[] =
        "extern \"C\" __global__ void k(double *p)\n{ *p = nothing; }\n";
    text stats = {0};
    if (!has_nvrtc())
        return;
    CHECK_STATUS(gpu_try_compile(90, wrong, sizeof wrong - 1, &stats), PAV_EDEVICE);
    CHECK(
        strstr(pav_message(), "failed on the kernels for sm_90: kernels.cu(2): error: "));
    CHECK(strstr(pav_message(), "nothing"));
    CHECK_EQ(stats.length, 0);
    text_free(&stats);
}

TEST(an_architecture_that_is_unknown_is_refused)
{
    text stats = {0};
    if (!has_nvrtc())
        return;
    CHECK_STATUS(gpu_try_compile(999, real, sizeof real - 1, &stats), PAV_EUNSUPPORTED);
    CHECK(strstr(pav_message(), "does not know sm_999"));
    CHECK_STATUS(gpu_try_compile(20, real, sizeof real - 1, &stats), PAV_EDEVICE);
    CHECK(strstr(pav_message(), "and newer, not for sm_20"));
    text_free(&stats);
}

TEST(products_are_not_contracted_and_quotients_are_rounded)
{
    static const nvrtc_job job = {.source = "extern \"C\" __global__ void k(float *p)\n"
                                            "{ p[0] = p[1]*p[2] + p[3]/sqrtf(p[4]); }\n",
                                  .target = "compute_90"};
    const char *why;
    nvrtc n;
    text ptx = {0};
    if (!has_nvrtc())
        return;
    REQUIRE(nvrtc_find(0, &n, &why));
    REQUIRE_OK(nvrtc_run(&n, &job, &ptx, NULL));
    CHECK(strstr(ptx.data, "mul.rn.f32") && strstr(ptx.data, "add.rn.f32"));
    CHECK(strstr(ptx.data, "div.rn.f32") && strstr(ptx.data, "sqrt.rn.f32"));
    CHECK(!strstr(ptx.data, "fma.") && !strstr(ptx.data, ".ftz"));
    text_free(&ptx);
}

TEST(real_kernels_are_kept_and_found_again)
{
    gpu_module *m = NULL;
    set_driver();
    set_place();
    setenv("FAKE_CUDA_VERSION", "13000", 1);
    for (int n = 0; n < 2 && has_nvrtc(); n++) {
        gpu *g = open_gpu("cuda");
        REQUIRE_OK(gpu_module_open(g, real, sizeof real - 1, HOST_KEEP, &m));
        CHECK(gpu_module_find(m, "third") != NULL);
        CHECK_STR(gpu_module_note(m), "");
        gpu_close(g);
        CHECK_EQ(count_entries(".cubin"), 1);
    }
}
