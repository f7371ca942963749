/* SPDX-License-Identifier: BSD-3-Clause */
/* Copies concurrent with kernels: pinned memory is copied directly, other memory in
 * pieces. */
#include "gpu_helper.h"

enum { UP = 20 << 20, DOWN = 17 << 20, ALL = UP + DOWN };

typedef struct exchange_case {
    gpu *g;
    char *here, *there;
} exchange_case;

/* Fills `here` with a pattern and the GPU's memory with other bytes. */
static exchange_case begin(const char *device)
{
    exchange_case c = {.g = open_gpu(device), .here = mem_big(ALL)};
    void *there;
    REQUIRE(c.here != NULL);
    REQUIRE_OK(gpu_take(c.g, ALL, "all", &there));
    REQUIRE_OK(gpu_fill(c.g, there, 7, ALL));
    for (int64_t n = 0; n < ALL; n++)
        c.here[n] = (char)(n % 251);
    c.there = there;
    return c;
}

static void end(exchange_case *c)
{
    gpu_close(c->g);
    mem_big_free(c->here, ALL);
}

/* Uploads the first bytes and downloads the others in one exchange, and checks both. */
static void exchange(const exchange_case *c)
{
    const gpu_transfer list[] = {{c->there, c->here, UP - 5, true},
                                 {c->there + UP, c->here + UP, DOWN - 3, false},
                                 {c->there, c->here, 0, true}};
    REQUIRE_OK(gpu_exchange_begin(c->g, list, 3));
    REQUIRE_OK(gpu_exchange_end(c->g));
    bool is_kept = true, has_come = true;
    for (int64_t n = 0; n < UP; n++)
        is_kept = is_kept && c->here[n] == (char)(n % 251);
    for (int64_t n = UP; n < ALL; n++)
        has_come = has_come && c->here[n] == (n < ALL - 3 ? 7 : (char)(n % 251));
    CHECK(is_kept);
    CHECK(has_come);
    memset(c->here, 0, UP);
    REQUIRE_OK(gpu_download(c->g, c->here, c->there, UP));
    bool has_gone = true;
    for (int64_t n = 0; n < UP; n++)
        has_gone = has_gone && c->here[n] == (n < UP - 5 ? (char)(n % 251) : 7);
    CHECK(has_gone);
}

TEST(memory_goes_both_ways_by_pieces)
{
    set_fakes();
    exchange_case c = begin("cuda");
    exchange(&c);
    CHECK_EQ(fake_number(fake_driver, "fake_cuda_pinned"), 0);
    end(&c);
}

TEST(pinned_memory_goes_both_ways_at_once)
{
    set_fakes();
    exchange_case c = begin("cuda");
    REQUIRE_OK(gpu_pin(c.g, c.here, ALL));
    CHECK_EQ(fake_number(fake_driver, "fake_cuda_pinned"), 1);
    exchange(&c);
    gpu_unpin(c.g, c.here);
    CHECK_EQ(fake_number(fake_driver, "fake_cuda_pinned"), 0);
    end(&c);
}

TEST(pinning_that_is_refused_leaves_the_pieces)
{
    set_fakes();
    setenv("FAKE_CUDA_PIN", "2", 1);
    exchange_case c = begin("cuda");
    CHECK_STATUS(gpu_pin(c.g, c.here, ALL), PAV_ENOMEM);
    CHECK(strstr(pav_message(), "pinning memory failed on cuda:0"));
    exchange(&c);
    end(&c);
}

TEST(what_is_pinned_is_given_back_with_the_gpu)
{
    set_fakes();
    exchange_case c = begin("cuda");
    REQUIRE_OK(gpu_pin(c.g, c.here, ALL));
    end(&c);
    CHECK_EQ(fake_number(fake_driver, "fake_cuda_pinned"), 0);
}

TEST(an_emulated_gpu_copies_early_and_late)
{
    exchange_case c = begin("emulated");
    exchange(&c);
    setenv("PAV_EMULATED_ORDER", "5", 1);
    exchange_case other = begin("emulated");
    exchange(&other);
    end(&other);
    end(&c);
}

TEST(times_of_exchanges_are_kept)
{
    int64_t count;
    set_fakes();
    exchange_case c = begin("cuda");
    for (int n = 0; n < 3; n++) {
        REQUIRE_OK(gpu_exchange_begin(c.g, NULL, 0));
        REQUIRE_OK(gpu_exchange_end(c.g));
    }
    const gpu_exchange_time *t = gpu_exchange_times(c.g, &count);
    CHECK_EQ(count, 3);
    CHECK(t[2].up == 1.5 && t[2].down == 1.5 && t[2].work == 1.5);
    end(&c);
}

TEST(one_exchange_does_not_begin_within_another)
{
    set_fakes();
    exchange_case c = begin("cuda");
    REQUIRE_OK(gpu_exchange_begin(c.g, NULL, 0));
    CHECK_STATUS(gpu_exchange_begin(c.g, NULL, 0), PAV_EINTERNAL);
    REQUIRE_OK(gpu_exchange_end(c.g));
    REQUIRE_OK(gpu_exchange_end(c.g));
    end(&c);
}
