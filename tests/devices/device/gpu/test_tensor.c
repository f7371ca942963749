/* SPDX-License-Identifier: BSD-3-Clause */
/* Boxes copied by the emulated tensor memory accelerator, and the maps describing
 * them. */
#include "emulated_helper.h"

/* A region of 3 planes of 4 rows of 8 doubles, copied in boxes of 6 x 3 x 2. */
static gpu_tensor_region numbers(const void *data)
{
    return (gpu_tensor_region){
        .data = data, .count = {8, 4, 3}, .stride = {8, 64, 256}, .box = {6, 3, 2}};
}

/* ---- maps -------------------------------------------------------------------------- */

static void refused(gpu *on, gpu_tensor_region part, pav_status status, const char *why)
{
    gpu_map map;

    CHECK_STATUS(gpu_map_tensor(on, &part, &map), status);
    CHECK(strstr(pav_message(), why));
}

EMULATED_TEST(what_no_accelerator_copies_is_refused_with_numbers)
{
    char *const data = (char *)(uintptr_t)4096;
    gpu_tensor_region odd = numbers(data), far = odd, wide = odd, thin = odd;

    open_emulated();
    refused(g, numbers(data + 8), PAV_EINTERNAL, "from 4104 on");
    odd.stride[1] = 72;
    refused(g, odd, PAV_EINTERNAL, "rows of 72");
    far.count[2] = INT64_C(1) << 33;
    refused(g, far, PAV_ELIMIT, "words along z, and not 8589934592");
    wide.box[0] = 258;
    refused(g, wide, PAV_EINTERNAL, "258 x 3 x 2");
    thin.box[0] = 5;
    refused(g, thin, PAV_EINTERNAL, "multiples of 16 bytes");
}

/* ---- boxes ------------------------------------------------------------------------- */

typedef struct shown {
    double *u;
    gpu_map map;
} shown;

#define BOX(place)                                                                       \
    "struct alignas(64) shown { double *u; alignas(64) unsigned long long map[16]; };\n" \
    "extern \"C\" __global__ void __launch_bounds__(64) test(const shown a)\n"           \
    "{ double *t = kernel_shared<double>(); __shared__ unsigned long long b;\n"          \
    "  const int i = threadIdx.x;\n"                                                     \
    "  if (i == 0) { kernel_mbarrier_init(&b, 1); kernel_mbarrier_fence();\n"            \
    "    kernel_mbarrier_await(&b, 6 * 3 * 2 * 8);\n"                                    \
    "    kernel_tensor_load(" place ", &b);\n"                                           \
    "    kernel_mbarrier_arrive(&b); }\n"                                                \
    "  __syncthreads(); kernel_mbarrier_wait(&b, 0);\n"                                  \
    "  if (i < 36) a.u[i] = t[i]; }"

static pav_status copy_box(const char *cuda)
{
    shown a = {.u = NULL};
    const gpu_call call = {.blocks = {1, 1, 1},
                           .threads = {64, 1, 1},
                           .shared = 36 * 8,
                           .argument = &a,
                           .argument_bytes = sizeof a};

    if (!g) {
        open_emulated();
        take_numbers();
    }
    const gpu_tensor_region part = numbers(in);
    gpu_call made = call;
    a.u = out;
    REQUIRE_OK(gpu_map_tensor(g, &part, &a.map));
    REQUIRE_OK(compile_cuda(cuda));
    made.kernel = gpu_module_find(module, "test");
    TRY(gpu_launch(g, &made));
    return gpu_download(g, got, out, 36 * 8);
}

/* Returns the number of wrong values in the box copied from point x, y, z. Point x, y, z
 * of the region has the value x + 8 * y + 32 * z; points outside have 0. */
static int count_wrong(int x, int y, int z)
{
    int wrong = 0;

    for (int n = 0; n < 36; n++) {
        const int i = x + n % 6, j = y + n / 6 % 3, k = z + n / 18;
        const bool there = i >= 0 && i < 8 && j >= 0 && j < 4 && k >= 0 && k < 3;
        wrong += !(got[n] == (there ? i + 8 * j + 32 * k : 0));
    }
    return wrong;
}

EMULATED_TEST(a_box_has_what_the_map_shows_and_zeros_beside_it)
{
    REQUIRE_OK(copy_box(BOX("t, a.map, 1, 1, 1")));
    CHECK_EQ(count_wrong(1, 1, 1), 0);
    REQUIRE_OK(copy_box(BOX("t, a.map, -2, -1, -1")));
    CHECK_EQ(count_wrong(-2, -1, -1), 0);
    REQUIRE_OK(copy_box(BOX("t, a.map, 5, 3, 2")));
    CHECK_EQ(count_wrong(5, 3, 2), 0);
    REQUIRE_OK(copy_box(BOX("t, a.map, 40, 0, 0")));
    CHECK_EQ(count_wrong(40, 0, 0), 0);
}

EMULATED_TEST(a_box_between_odd_addresses_or_by_no_map_is_refused)
{
    CHECK_STATUS(copy_box(BOX("t + 2, a.map, 0, 0, 0")), PAV_EDEVICE);
    CHECK(strstr(pav_message(), "to an address that is no multiple of 128"));
    CHECK_STATUS(copy_box(BOX("t, a.map + 1, 0, 0, 0")), PAV_EDEVICE);
    CHECK(strstr(pav_message(), "by what is no map at a multiple of 64 bytes"));
    CHECK_STATUS(copy_box(BOX("t + 16, a.map, 0, 0, 0")), PAV_EDEVICE);
    CHECK(strstr(pav_message(), "to what is not the block's shared memory"));
}

EMULATED_TEST(an_mbarrier_is_ended_before_it_begins_anew)
{
    static const char twice[] = CUDA_HEAD
        "{ __shared__ unsigned long long b;\n"
        "  kernel_mbarrier_init(&b, 1); kernel_mbarrier_init(&b, 1); }";
    static const char ended[] = CUDA_HEAD
        "{ __shared__ unsigned long long b; a.u[0] = 1;\n"
        "  kernel_mbarrier_init(&b, 1); kernel_mbarrier_end(&b);\n"
        "  kernel_mbarrier_init(&b, 1); }";
    static const char early[] = CUDA_HEAD
        "{ __shared__ unsigned long long b; kernel_mbarrier_init(&b, 1);\n"
        "  kernel_mbarrier_await(&b, 64); kernel_mbarrier_end(&b); }";

    CHECK_STATUS(run_cuda(twice, 1, 1, 0), PAV_EDEVICE);
    CHECK(strstr(pav_message(), "initialises in line 4 an mbarrier that was not ended"));
    CHECK_STATUS(run_cuda(ended, 1, 1, 0), PAV_OK);
    CHECK_STATUS(run_cuda(early, 1, 1, 0), PAV_EDEVICE);
    CHECK(strstr(pav_message(), "ends in line 4 an mbarrier that still waits for 64"));
}
