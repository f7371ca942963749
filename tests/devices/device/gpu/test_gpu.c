/* SPDX-License-Identifier: BSD-3-Clause */
/* Memory, copies, launches and timing of a GPU. The fake driver does no work before a
 * wait. */
#include "gpu_helper.h"

/* ---- memory ------------------------------------------------------------------------ */

TEST(memory_that_does_not_fit_is_refused_with_what_is_free)
{
    void *memory, *none = &none;
    set_fakes();
    setenv("FAKE_CUDA_MEMORY", "10485760", 1);
    gpu *g = open_gpu("cuda");
    REQUIRE_OK(gpu_take(g, 4 << 20, "field u", &memory));
    CHECK_STATUS(gpu_take(g, 8 << 20, "field v", &none), PAV_ENOMEM);
    CHECK_STR(
        pav_message(),
        "field v needs 8.0 MiB of memory on cuda:0, of which 6.0 MiB are free and 4.0 "
        "MiB taken by this program; use a smaller grid, narrower fields, or --device "
        "cpu");
    CHECK(none == NULL);
    gpu_close(g);
}

TEST(memory_is_counted)
{
    void *a, *b;
    set_fakes();
    gpu *g = open_gpu("cuda");
    const int64_t left = gpu_free_memory(g);
    REQUIRE_OK(gpu_take(g, 1000, "a", &a));
    REQUIRE_OK(gpu_take(g, 500, "b", &b));
    CHECK_EQ(gpu_used_memory(g), 1500);
    CHECK_EQ(gpu_free_memory(g), left - 1500);
    gpu_release(g, a);
    gpu_release(g, a);
    gpu_release(g, NULL);
    CHECK_EQ(gpu_used_memory(g), 500);
    gpu_close(g);
}

TEST(closing_gives_memory_and_modules_back)
{
    void *memory;
    set_place();
    set_fakes();
    const int64_t used = mem_used();
    gpu *g = open_gpu("cuda");
    REQUIRE_OK(gpu_take(g, 1000, "a", &memory));
    REQUIRE_OK(gpu_take(g, 1000, "b", &memory));
    (void)open_kernels(g, 0);
    CHECK_EQ(fake_number(fake_driver, "fake_cuda_modules"), 1);
    gpu_close(g);
    CHECK_EQ(fake_number(fake_driver, "fake_cuda_pieces"), 0);
    CHECK_EQ(fake_number(fake_driver, "fake_cuda_modules"), 0);
    CHECK_EQ(mem_used(), used);
}

TEST(shared_memory_is_ready_and_its_gpu_has_a_number)
{
    void *memory;
    int number = 7;
    set_fakes();
    gpu *g = open_gpu("cuda");
    REQUIRE_OK(gpu_take(g, 1000, "a", &memory));
    REQUIRE_OK(gpu_fill(g, memory, 0x5a, 1000));
    CHECK(*(const char *)memory != 0x5a);
    REQUIRE_OK(gpu_share(g, memory, &number));
    CHECK(*(const char *)memory == 0x5a && number == 0);
    gpu_close(g);
}

TEST(shared_memory_of_an_emulated_gpu_is_the_hosts)
{
    void *memory;
    int number = 7;
    gpu *g = open_gpu("emulated");
    REQUIRE_OK(gpu_take(g, 1000, "a", &memory));
    REQUIRE_OK(gpu_share(g, memory, &number));
    CHECK_EQ(number, -1);
    REQUIRE_OK(gpu_fill(g, memory, 3, 1000)); /* hides no shared memory */
    *(char *)memory = 5;
    CHECK(((const char *)memory)[1] == 3);
    gpu_close(g);
}

/* ---- copies ------------------------------------------------------------------------ */

static unsigned char *random_bytes(int64_t count)
{
    unsigned char *bytes = mem_new(count, 1);
    rng r = {7};
    REQUIRE(bytes != NULL);
    for (int64_t k = 0; k < count; k++)
        bytes[k] = (unsigned char)rng_next(&r);
    return bytes;
}

TEST(copies_of_any_length_arrive_whole)
{
    static const int64_t lengths[] = {1, 4097, 8 << 20, (8 << 20) + 1, (50 << 20) + 13};
    unsigned char *from = random_bytes(51 << 20), *to = mem_new(51 << 20, 1);
    void *memory;
    setenv("PAV_THREADS", "3", 1);
    set_fakes();
    gpu *g = open_gpu("cuda");
    REQUIRE_OK(gpu_take(g, 51 << 20, "bytes", &memory));
    for (size_t k = 0; k < COUNT_OF(lengths); k++) {
        memset(to, 0, (size_t)lengths[k]);
        REQUIRE_OK(gpu_fill(g, memory, 0, 51 << 20));
        REQUIRE_OK(gpu_upload(g, memory, from + k, lengths[k]));
        REQUIRE_OK(gpu_download(g, to, memory, lengths[k]));
        CHECK(memcmp(to, from + k, (size_t)lengths[k]) == 0);
    }
    gpu_close(g);
    mem_free(from);
    mem_free(to);
}

TEST(filling_and_copying_on_the_gpu_keep_their_order)
{
    unsigned char got[10];
    void *memory;
    set_fakes();
    gpu *g = open_gpu("cuda");
    REQUIRE_OK(gpu_take(g, 10, "bytes", &memory));
    REQUIRE_OK(gpu_fill(g, memory, 1, 10));
    REQUIRE_OK(gpu_fill(g, (char *)memory + 5, 2, 5));
    REQUIRE_OK(gpu_copy(g, memory, (char *)memory + 8, 2));
    REQUIRE_OK(gpu_download(g, got, memory, 10));
    CHECK(memcmp(got, "\2\2\1\1\1\2\2\2\2\2", 10) == 0);
    gpu_close(g);
}

TEST(what_reaches_beyond_the_memory_taken_is_refused)
{
    char bytes[20] = "";
    void *memory;
    set_fakes();
    gpu *g = open_gpu("cuda");
    REQUIRE_OK(gpu_take(g, 10, "bytes", &memory));
    char *at = memory;
    CHECK_STATUS(gpu_upload(g, at, bytes, 11), PAV_EINTERNAL);
    CHECK_STATUS(gpu_upload(g, at + 9, bytes, 2), PAV_EINTERNAL);
    CHECK_STATUS(gpu_upload(g, at - 1, bytes, 2), PAV_EINTERNAL);
    CHECK_STATUS(gpu_download(g, bytes, at + 11, 0), PAV_EINTERNAL);
    CHECK_STATUS(gpu_fill(g, at, 0, -1), PAV_EINTERNAL);
    CHECK_STATUS(gpu_copy(g, at, at + 5, 6), PAV_EINTERNAL);
    CHECK_STATUS(gpu_copy(g, at, at + 5, 5), PAV_OK);
    CHECK_STATUS(gpu_upload(g, at + 10, bytes, 0), PAV_OK);
    gpu_close(g);
}

/* ---- calls ------------------------------------------------------------------------- */

typedef struct counted {
    gpu *g;
    gpu_kernel *kernel;
    int64_t *count; /* on the GPU */
} counted;

static counted open_counted(void)
{
    counted c;
    void *memory;
    set_place();
    set_fakes();
    c.g = open_gpu("cuda");
    REQUIRE_OK(gpu_take(c.g, 8, "count", &memory));
    REQUIRE_OK(gpu_fill(c.g, memory, 0, 8));
    c.count = memory;
    c.kernel = gpu_module_find(open_kernels(c.g, 0), "add_one");
    REQUIRE(c.kernel != NULL);
    return c;
}

static pav_status call(const counted *c, int64_t blocks, int threads, int64_t shared)
{
    const gpu_call how = {c->kernel, {blocks, 1, 1}, {threads, 1, 1}, shared, &c->count,
                          8,         false};
    return gpu_launch(c->g, &how);
}

TEST(kernels_run_in_the_order_in_which_they_are_started)
{
    int64_t got = 0;
    counted c = open_counted();
    REQUIRE_OK(call(&c, 1, 32, 0));
    REQUIRE_OK(call(&c, 100000, 1024, 0));
    REQUIRE_OK(gpu_download(c.g, &got, c.count, 8));
    CHECK_EQ(got, 2);
    gpu_close(c.g);
}

TEST(a_kernel_that_is_missing_is_not_found)
{
    counted c = open_counted();
    CHECK(gpu_module_find(c.kernel->module, "no_such_name") == NULL);
    CHECK(gpu_module_find(c.kernel->module, "add_one") == c.kernel);
    CHECK(gpu_module_find(c.kernel->module, "other") != c.kernel);
    gpu_close(c.g);
}

TEST(what_a_kernel_takes_is_reported)
{
    counted c = open_counted();
    const gpu_kernel_facts f = c.kernel->facts;
    CHECK(f.registers == 32 && f.most_threads == 1024 && f.spilled == 16);
    CHECK_EQ(f.shared, 4096);
    gpu_close(c.g);
}

TEST(calls_beyond_what_there_is_are_refused)
{
    counted c = open_counted();
    gpu_call how = {c.kernel, {1, 65536, 1}, {32, 1, 1}, 0, &c.count, 8, false};
    CHECK_STATUS(call(&c, 1, 1025, 0), PAV_ELIMIT);
    CHECK_STR(pav_message(),
              "kernel add_one takes at most 1024 threads a block, not 1025 x 1 x 1");
    CHECK_STATUS(call(&c, 1, 0, 0), PAV_ELIMIT);
    CHECK_STATUS(call(&c, 1LL << 31, 1, 0), PAV_ELIMIT);
    CHECK_STATUS(gpu_launch(c.g, &how), PAV_ELIMIT);
    CHECK_STR(pav_message(),
              "kernel add_one takes at most 65535 blocks along y, not 65536");
    CHECK_STATUS(call(&c, 1, 1, 227 << 10), PAV_ELIMIT);
    how.blocks[1] = 1;
    how.argument_bytes = GPU_MOST_ARGUMENT + 1;
    CHECK_STATUS(gpu_launch(c.g, &how), PAV_ELIMIT);
    gpu_close(c.g);
}

TEST(no_blocks_are_nothing_to_do)
{
    int64_t got = 5;
    counted c = open_counted();
    REQUIRE_OK(call(&c, 0, 32, 0));
    REQUIRE_OK(gpu_download(c.g, &got, c.count, 8));
    CHECK_EQ(got, 0);
    gpu_close(c.g);
}

TEST(shared_memory_beyond_48_KiB_is_requested)
{
    counted c = open_counted();
    REQUIRE_OK(call(&c, 1, 32, 44 << 10));
    CHECK_EQ(fake_number(fake_driver, "fake_cuda_shared"), 0);
    REQUIRE_OK(call(&c, 1, 32, 100 << 10));
    CHECK_EQ(fake_number(fake_driver, "fake_cuda_shared"), 100 << 10);
    gpu_close(c.g);
}

/* The fake driver fits one block on each multiprocessor. */
TEST(blocks_that_wait_for_each_other_are_launched_together_or_refused)
{
    counted c = open_counted();
    const int64_t most = gpu_cooperative_blocks(c.kernel, 32, 0);
    gpu_call how = {c.kernel, {most, 1, 1}, {32, 1, 1}, 0, &c.count, 8, true};
    CHECK_EQ(most, gpu_facts_of(c.g)->multiprocessors);
    REQUIRE_OK(gpu_launch(c.g, &how));
    CHECK_EQ(fake_number(fake_driver, "fake_cuda_together"), 1);
    how.blocks[1] = 2;
    CHECK_STATUS(gpu_launch(c.g, &how), PAV_ELIMIT);
    CHECK(strstr(pav_message(), "blocks that wait for each other"));
    gpu_close(c.g);
}

TEST(a_kernel_that_fails_is_reported_by_the_next_wait)
{
    counted c = open_counted();
    setenv("FAKE_CUDA_KERNEL", "700", 1);
    REQUIRE_OK(call(&c, 1, 32, 0));
    CHECK_STATUS(gpu_wait(c.g), PAV_EDEVICE);
    CHECK_STR(
        pav_message(),
        "a kernel failed on cuda:0, as was found on waiting for the GPU: "
        "CUDA_ERROR_ILLEGAL_ADDRESS (an illegal memory access was encountered); that is "
        "a mistake of this program or of the GPU, and nothing more can be done there; "
        "--device cpu does without");
    gpu_close(c.g);
}

/* ---- time -------------------------------------------------------------------------- */

TEST(marks_tell_the_time_between_them)
{
    double seconds = 0;
    set_fakes();
    gpu *g = open_gpu("cuda");
    CHECK_STATUS(gpu_seconds(g, 0, 1, &seconds), PAV_EINTERNAL);
    REQUIRE_OK(gpu_mark(g, 0));
    REQUIRE_OK(gpu_mark(g, GPU_MARKS - 1));
    REQUIRE_OK(gpu_seconds(g, 0, GPU_MARKS - 1, &seconds));
    CHECK_NEAR(seconds, 1.5, 1e-9);
    CHECK_STATUS(gpu_mark(g, GPU_MARKS), PAV_EINTERNAL);
    gpu_close(g);
}

TEST(the_driver_is_shown_what_the_accelerator_copies)
{
    void *memory;
    gpu_map map;
    set_fakes();
    gpu *g = open_gpu("cuda:0");
    REQUIRE_OK(gpu_take(g, 4096, "a part", &memory));
    const gpu_tensor_region part = {
        .data = memory, .count = {8, 4, 3}, .stride = {4, 64, 256}, .box = {4, 3, 2}};
    CHECK(!gpu_tensor_refusal(g));
    REQUIRE_OK(gpu_map_tensor(g, &part, &map));
    CHECK_EQ(map.word[0], (uint64_t)(uintptr_t)memory);
    gpu_close(g);
}

TEST(gpus_without_an_accelerator_say_so)
{
    const gpu_tensor_region part = {.data = NULL};
    gpu_map map;
    setenv("FAKE_CUDA_GPUS", "80", 1);
    set_fakes();
    gpu *g = open_gpu("cuda:0");
    CHECK_STATUS(gpu_map_tensor(g, &part, &map), PAV_EUNSUPPORTED);
    CHECK_STR(pav_message(),
              "cuda:0: only GPUs from sm_90 on have a tensor memory accelerator");
    gpu_close(g);
}
