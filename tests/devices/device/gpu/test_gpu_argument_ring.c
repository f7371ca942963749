/* SPDX-License-Identifier: BSD-3-Clause */
/* Each launch reads its own bytes of the argument ring and its own values of constants,
 * in replayed rounds and outside of them. */
#include "emulated_helper.h"

enum { STEPS = 300 };
typedef struct sum_arguments {
    double *sum;
    const double *lent;
} sum_arguments;
static const char adding[] =
    "struct arguments { double *sum; const double *lent; };\n"
    "struct factors { double of[2]; };\n"
    "__constant__ factors factor;\n"
    "extern \"C\" __global__ void test(const arguments a)\n"
    "{ *a.sum += factor.of[0] * a.lent[0] + factor.of[1] * a.lent[499]; }\n";

static void set_factors(double first, double second)
{
    const double factor[] = {first, second};
    gpu_constant *c = gpu_module_constant(module, "factor", sizeof factor);
    REQUIRE(c != NULL);
    REQUIRE_OK(gpu_constant_set(c, factor));
}

/* Launches a kernel with 500 numbers from the ring. They nearly fill the ring in a round
 * of 64 steps. */
static void launch_with_ring(double first, double last)
{
    double lent[500] = {first};
    sum_arguments a = {.sum = out};
    const void *at;
    lent[499] = last;
    REQUIRE_OK(
        gpu_argument_ring_put(g, lent, (int64_t)(last != 0 ? sizeof lent : 8), &at));
    a.lent = at;
    const gpu_call call = {.kernel = gpu_module_find(module, "test"),
                           .blocks = {1, 1, 1},
                           .threads = {1, 1, 1},
                           .argument = &a,
                           .argument_bytes = sizeof a};
    REQUIRE_OK(gpu_launch(g, &call));
}

static double sum_of_steps(const double factor[2][2])
{
    double sum = 0;
    gpu_close(g);
    open_emulated();
    take_numbers();
    REQUIRE_OK(compile_cuda(adding));
    REQUIRE_OK(gpu_fill(g, out, 0, 8));
    for (int n = 0; n < STEPS; n++) {
        set_factors(factor[n >= 200][0], factor[n >= 200][1]);
        launch_with_ring(n, n + 1000);
        launch_with_ring(1, 7); /* always the same */
        REQUIRE_OK(gpu_step(g, 1));
    }
    REQUIRE_OK(gpu_download(g, &sum, out, sizeof sum));
    return sum;
}

EMULATED_TEST(launches_of_a_round_find_what_they_were_lent)
{
    static const double one[2][2] = {{1, 0}, {1, 0}}, other[2][2] = {{0, 1}, {0, 1}};
    CHECK_NEAR(sum_of_steps(one), STEPS * (STEPS - 1) / 2 + STEPS, 0);
    CHECK(gpu_count(g).replays > 5);
    CHECK_EQ(gpu_count(g).graphs, 1);
    CHECK_NEAR(sum_of_steps(other), STEPS * (STEPS - 1) / 2 + 1007 * STEPS, 0);
}

EMULATED_TEST(a_constant_changes_between_two_launches_in_the_midst_of_a_round)
{
    static const double factor[2][2] = {{1, 0}, {2, 0}};
    const double all = STEPS * (STEPS - 1) / 2 + STEPS, before = 200 * 199 / 2 + 200;
    CHECK_NEAR(sum_of_steps(factor), 2 * all - before, 0);
    CHECK(gpu_count(g).replays > 3);
}

EMULATED_TEST(without_graphs_the_same_is_found)
{
    static const double one[2][2] = {{1, 0}, {1, 0}};
    setenv("PAV_GPU_GRAPHS", "0", 1);
    CHECK_NEAR(sum_of_steps(one), STEPS * (STEPS - 1) / 2 + STEPS, 0);
    CHECK_EQ(gpu_count(g).graphs, 0);
    unsetenv("PAV_GPU_GRAPHS");
}

EMULATED_TEST(a_constant_that_is_missing_is_not_found)
{
    open_emulated();
    REQUIRE_OK(compile_cuda(adding));
    CHECK(gpu_module_constant(module, "divisor", 8) == NULL);
}
