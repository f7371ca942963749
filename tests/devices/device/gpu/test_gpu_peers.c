/* SPDX-License-Identifier: BSD-3-Clause */
/* Kernels reading the memory of another GPU. The fake driver does no work before a
 * wait. */
#include "gpu_helper.h"

typedef struct pair {
    gpu *g, *other;
    gpu_kernel *kernel;
    void *count; /* in the other's memory */
} pair;

static pair open_pair(const char *first, const char *second)
{
    pair p;
    const int64_t none = 0;
    set_place();
    set_fakes();
    setenv("FAKE_CUDA_GPUS", "90,90", 1);
    p.g = open_gpu(first);
    p.other = open_gpu(second);
    p.kernel = gpu_module_find(open_kernels(p.g, 0), "add_one");
    REQUIRE_OK(gpu_take(p.other, sizeof none, "a count", &p.count));
    REQUIRE_OK(gpu_upload(p.other, p.count, &none, sizeof none));
    return p;
}

static void close_pair(const pair *p)
{
    gpu_close(p->other);
    gpu_close(p->g);
}

static void launch_twice(const pair *p)
{
    int64_t got = 0;
    const gpu_call call = {p->kernel, {1, 1, 1}, {32, 1, 1}, 0, &p->count, 8, false};
    REQUIRE(gpu_reads(p->g, p->other));
    REQUIRE_OK(gpu_launch_reading(p->g, p->other, &call));
    REQUIRE_OK(gpu_launch_reading(p->g, p->other, &call));
    REQUIRE_OK(gpu_download(p->other, &got, p->count, sizeof got));
    CHECK_EQ(got, 2);
}

/* Each launch waits for the other GPU's earlier work, and the other GPU's later work
 * waits for the launch. */
TEST(a_launch_that_reads_another_gpu_is_between_its_work)
{
    const pair p = open_pair("cuda:0", "cuda:1");
    launch_twice(&p);
    CHECK_EQ(fake_number(fake_driver, "fake_cuda_follows"), 4);
    close_pair(&p);
}

/* The launch waits for the earlier work of both GPUs. The other GPU does not wait for the
 * launch before gpu_join. */
TEST(a_launch_aside_is_waited_for_when_it_is_joined)
{
    const pair p = open_pair("cuda:0", "cuda:1");
    const gpu_call call = {p.kernel, {1, 1, 1}, {32, 1, 1}, 0, &p.count, 8, false};
    int64_t got = 0;
    REQUIRE(gpu_reads(p.g, p.other));
    REQUIRE_OK(gpu_concurrent(p.g, GPU_CONCURRENT_BEGIN));
    REQUIRE_OK(gpu_launch_reading(p.g, p.other, &call));
    REQUIRE_OK(gpu_concurrent(p.g, GPU_CONCURRENT_END));
    CHECK_EQ(fake_number(fake_driver, "fake_cuda_follows"), 2);
    REQUIRE_OK(gpu_join(p.other, p.g));
    CHECK_EQ(fake_number(fake_driver, "fake_cuda_follows"), 3);
    REQUIRE_OK(gpu_join(p.g, p.other)); /* nothing to wait for */
    CHECK_EQ(fake_number(fake_driver, "fake_cuda_follows"), 3);
    REQUIRE_OK(gpu_download(p.other, &got, p.count, sizeof got));
    CHECK_EQ(got, 1);
    close_pair(&p);
}

/* Nothing has waited for mark 2. The driver gives no time of an event still to come, so
 * gpu_seconds must wait. */
TEST(the_time_since_a_mark_that_comes_later_waits_for_it)
{
    const pair p = open_pair("cuda:0", "cuda:1");
    double seconds = 0;
    REQUIRE_OK(gpu_mark(p.g, 1));
    REQUIRE_OK(gpu_fill(p.other, p.count, 0, 8));
    REQUIRE_OK(gpu_mark(p.g, 2));
    REQUIRE_OK(gpu_seconds(p.g, 2, 1, &seconds));
    CHECK(seconds > 0);
    close_pair(&p);
}

TEST(memory_that_was_opened_before_is_open)
{
    setenv("FAKE_CUDA_PEER", "704", 1);
    const pair p = open_pair("cuda:1", "cuda:0");
    launch_twice(&p);
    close_pair(&p);
}

TEST(gpus_that_nothing_joins_do_not_read_each_other)
{
    setenv("FAKE_CUDA_PEERS", "0", 1);
    const pair p = open_pair("cuda:0", "cuda:1");
    CHECK(!gpu_reads(p.g, p.other));
    CHECK(!gpu_reads(p.other, p.g));
    close_pair(&p);
}

TEST(neither_do_those_whose_memory_the_driver_does_not_open)
{
    setenv("FAKE_CUDA_PEER", "217", 1);
    const pair p = open_pair("cuda:0", "cuda:1");
    CHECK(!gpu_reads(p.g, p.other));
    close_pair(&p);
}

TEST(one_that_is_opened_twice_reads_itself)
{
    setenv("FAKE_CUDA_PEERS", "0", 1);
    const pair p = open_pair("cuda:1", "cuda:1");
    launch_twice(&p);
    close_pair(&p);
}

TEST(a_launch_that_reads_another_is_checked_as_any)
{
    const pair p = open_pair("cuda:0", "cuda:1");
    gpu_call call = {p.kernel, {1, 65536, 1}, {32, 1, 1}, 0, &p.count, 8, false};
    CHECK_STATUS(gpu_launch_reading(p.g, p.other, &call), PAV_ELIMIT);
    call.blocks[1] = 0;
    REQUIRE_OK(gpu_launch_reading(p.g, p.other, &call));
    CHECK_EQ(fake_number(fake_driver, "fake_cuda_follows"), 0);
    close_pair(&p);
}
