/* SPDX-License-Identifier: BSD-3-Clause */
/* Repeated launches go to the GPU in graphs. All results equal the results of single
 * launches. */
#include "gpu_helper.h"

enum { STEPS = 64 }; /* steps in a round, with one launch each */
typedef struct numbers {
    gpu *g;
    gpu_kernel *add_one;
    char *memory; /* on the GPU */
} numbers;

static void open_numbers(numbers *n)
{
    void *memory;
    set_place();
    set_fakes();
    n->g = open_gpu("cuda");
    n->add_one = gpu_module_find(open_kernels(n->g, 0), "add_one");
    REQUIRE(n->add_one != NULL);
    REQUIRE_OK(gpu_take(n->g, 8 * STEPS, "numbers", &memory));
    n->memory = memory;
    REQUIRE_OK(gpu_fill(n->g, memory, 0, 8 * STEPS));
}

/* A launch adding 1 to the number at *at. */
static gpu_call call_of(const numbers *n, char *const *at)
{
    return (gpu_call){.kernel = n->add_one,
                      .blocks = {1, 1, 1},
                      .threads = {32, 1, 1},
                      .argument = at,
                      .argument_bytes = sizeof *at};
}

/* Takes steps of one launch each, adding 1 to a number. */
static void take_steps(const numbers *n, int count, int number)
{
    char *const at = n->memory + 8 * (ptrdiff_t)number;
    const gpu_call call = call_of(n, &at);
    for (int k = 0; k < count; k++) {
        REQUIRE_OK(gpu_launch(n->g, &call));
        REQUIRE_OK(gpu_step(n->g, 1));
    }
}

static int64_t value_of(const numbers *n, int number)
{
    int64_t value = -1;
    REQUIRE_OK(
        gpu_download(n->g, &value, n->memory + 8 * (ptrdiff_t)number, sizeof value));
    return value;
}

TEST(a_round_that_comes_again_is_a_graph)
{
    numbers n;
    open_numbers(&n);
    take_steps(&n, 1 + 5 * STEPS + 3, 0); /* no queue before the first step */
    CHECK_EQ(gpu_count(n.g).graphs, 1);
    CHECK_EQ(gpu_count(n.g).replays, 4);
    CHECK_EQ(gpu_count(n.g).replayed, 4 * STEPS);
    CHECK_EQ(gpu_count(n.g).launches, 1 + 5 * STEPS + 3);
    CHECK_EQ(value_of(&n, 0), 1 + 5 * STEPS + 3);
    CHECK_EQ(fake_number(fake_driver, "fake_cuda_graphs"), 1);
    gpu_close(n.g);
    CHECK_EQ(fake_number(fake_driver, "fake_cuda_graphs"), 0);
}

TEST(a_round_that_differs_goes_out_launch_by_launch)
{
    numbers n;
    open_numbers(&n);
    take_steps(&n, 1 + 2 * STEPS, 0);
    take_steps(&n, STEPS - 1, 0);
    take_steps(&n, 1, 1);
    take_steps(&n, STEPS, 0);
    CHECK_EQ(gpu_count(n.g).replays, 2);
    CHECK_EQ(value_of(&n, 0), 4 * STEPS);
    CHECK_EQ(value_of(&n, 1), 1);
    gpu_close(n.g);
}

TEST(what_is_asked_in_between_comes_after_all_launches)
{
    numbers n;
    open_numbers(&n);
    take_steps(&n, 1 + 3 * STEPS + 7, 0);
    REQUIRE_OK(gpu_fill(n.g, n.memory, 0, 8));
    take_steps(&n, 2, 0);
    CHECK_EQ(value_of(&n, 0), 2);
    take_steps(&n, STEPS, 0);
    CHECK_EQ(gpu_count(n.g).replays, 3);
    CHECK_EQ(value_of(&n, 0), 2 + STEPS);
    gpu_close(n.g);
}

TEST(rounds_that_are_always_new_are_not_waited_for)
{
    numbers n;
    open_numbers(&n);
    take_steps(&n, 1, 0);
    for (int k = 0; k <= GPU_TAPES; k++) {
        CHECK(!n.g->rounds.off);
        take_steps(&n, STEPS - k, 0);
        take_steps(&n, k, 1);
        REQUIRE_OK(gpu_wait(n.g));
    }
    CHECK(n.g->rounds.off);
    CHECK_EQ(gpu_count(n.g).graphs, 0);
    CHECK_EQ(value_of(&n, 1), STEPS * (STEPS + 1) / 2);
    gpu_close(n.g);
}

static void check_without(void)
{
    numbers n;
    open_numbers(&n);
    take_steps(&n, 1 + 5 * STEPS, 0);
    CHECK_EQ(gpu_count(n.g).replays, 0);
    CHECK_EQ(gpu_count(n.g).graphs, 0);
    CHECK(n.g->rounds.off);
    CHECK_EQ(value_of(&n, 0), 1 + 5 * STEPS);
    gpu_close(n.g);
}

TEST(where_the_driver_makes_no_graph_all_continues_without)
{
    setenv("FAKE_CUDA_GRAPH", "801", 1);
    check_without();
}

TEST(graphs_can_be_switched_off)
{
    setenv("PAV_GPU_GRAPHS", "0", 1);
    check_without();
    setenv("PAV_GPU_GRAPHS", "yes", 1);
    CHECK_STATUS(settings_check(), PAV_EINVAL);
    CHECK_STR(pav_message(), "PAV_GPU_GRAPHS takes 0 or 1, not 'yes'");
}

/* ---- rows -------------------------------------------------------------------------- */

/* A launch is still queued before the row. The row itself has 3 launches to warm up and 3
 * timed launches. */
static void check_row(int graphs)
{
    numbers n;
    double seconds = -1;
    open_numbers(&n);
    take_steps(&n, 2, 0);
    char *const at = n.memory + 8;
    const gpu_call call = call_of(&n, &at);
    REQUIRE_OK(gpu_time_row(n.g, &call, 3, &seconds));
    CHECK(seconds >= 0);
    CHECK_EQ(gpu_count(n.g).timed, 6);
    CHECK_EQ(gpu_count(n.g).launches, 2);
    CHECK_EQ(value_of(&n, 0), 2);
    CHECK_EQ(value_of(&n, 1), 6);
    CHECK_EQ(fake_number(fake_driver, "fake_cuda_graphs_made"), graphs);
    CHECK_EQ(fake_number(fake_driver, "fake_cuda_graphs"), 0);
    gpu_close(n.g);
}

TEST(a_row_of_launches_is_a_graph)
{
    check_row(1);
}

TEST(a_row_goes_out_launch_by_launch_where_there_are_no_graphs)
{
    setenv("PAV_GPU_GRAPHS", "0", 1);
    check_row(0);
}

TEST(a_row_goes_out_launch_by_launch_where_the_driver_makes_no_graph)
{
    setenv("FAKE_CUDA_GRAPH", "801", 1);
    check_row(0);
}

TEST(a_row_of_what_no_kernel_takes_is_refused)
{
    numbers n;
    double seconds;
    open_numbers(&n);
    char *const at = n.memory;
    gpu_call call = call_of(&n, &at);
    call.threads[0] = 4096;
    CHECK_STATUS(gpu_time_row(n.g, &call, 3, &seconds), PAV_ELIMIT);
    CHECK_EQ(value_of(&n, 0), 0);
    gpu_close(n.g);
}
