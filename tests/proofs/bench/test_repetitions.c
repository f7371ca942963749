/* SPDX-License-Identifier: BSD-3-Clause */
/* Rates count the steps actually taken, and each percentage relates to the copy bandwidth
 * measured in the same repetitions. */
#include "bench/bench.h"
#include "test.h"

static pav_program *parsed(const char *source)
{
    pav_program *p = NULL;
    REQUIRE(pav_program_parse(source, strlen(source), NULL, &p) == PAV_OK);
    return p;
}

static pav_device *device(void)
{
    pav_device *d = NULL;
    REQUIRE(pav_device_open("interpreter", &d) == PAV_OK);
    return d;
}

TEST(a_row_agrees_with_itself)
{
    pav_program *p = parsed("grid x 40, y 30\nreal f64\nfield u = 1\nu' = u/2 + 0.5");
    pav_device *d = device();
    const pav_bench_options options = {.threads = 1, .repetitions = 3};
    pav_bench_result r;
    REQUIRE(pav_bench_program(p, d, &options, &r) == PAV_OK);
    CHECK_EQ(r.threads, 1);
    CHECK_EQ(r.type, PAV_F64);
    CHECK_STR(r.schedule, "rows");
    CHECK_NEAR(r.bytes_per_point, 16, 0);
    CHECK_NEAR(r.gpts * r.seconds_median * 1e9, 40 * 30, 1e-6);
    CHECK_NEAR(r.bound_gpts * r.bytes_per_point * 1e9 / r.copy_bytes_per_second, 1, 1e-9);
    CHECK(r.seconds_min > 0 && r.seconds_min <= r.seconds_median);
    CHECK(r.share > 0 && r.spread >= 0);
    pav_device_free(d);
    pav_program_free(p);
}

/* Three repetitions on a machine with changing speed. The median rate and the median
 * bound come from different repetitions. */
TEST(the_share_is_the_rate_by_the_bound_on_a_busy_machine)
{
    bench_repetitions t = {0};
    pav_bench_result r = {0};
    bench_repetition(&t, 1.0, 8e9, 8e9);
    bench_repetition(&t, 2.0, 8e9, 5e9);
    bench_repetition(&t, 4.0, 8e9, 20e9);
    bench_summarise(&t, 1e9, 8e9, &r);
    CHECK_NEAR(r.gpts, 0.5, 1e-12);
    CHECK_NEAR(r.share, 0.8, 1e-12);
    CHECK_NEAR(r.bound_gpts, 0.625, 1e-12);
    CHECK_NEAR(r.copy_bytes_per_second, 5e9, 1);
}

TEST(a_program_that_ends_by_itself_is_not_measured)
{
    pav_program *p = parsed("grid x 8\nfield u = 1\nu' = u\nuntil step >= 3");
    pav_device *d = device();
    pav_bench_result r;
    CHECK_EQ(pav_bench_program(p, d, NULL, &r), PAV_EINVAL);
    CHECK(strstr(pav_message(), "`until`"));
    pav_device_free(d);
    pav_program_free(p);
}

TEST(copying_has_a_rate_for_any_number_of_threads)
{
    for (int threads = 1; threads < 4; threads++) {
        const pav_bench_options options = {.threads = threads, .repetitions = 2};
        pav_bench_result r;
        REQUIRE(pav_bench_copy(NULL, &options, &r) == PAV_OK);
        CHECK_EQ(r.threads, threads);
        CHECK(r.copy_bytes_per_second > 1e8 && r.copy_bytes_per_second < 1e13);
    }
}

TEST(missing_arguments_are_reported)
{
    pav_bench_result r;
    CHECK_EQ(pav_bench_program(NULL, NULL, NULL, &r), PAV_EINVAL);
    CHECK_EQ(pav_bench_copy(NULL, NULL, NULL), PAV_EINVAL);
}
