/* SPDX-License-Identifier: BSD-3-Clause */
/* Plans: a run takes the memory predicted by its plan, and a run too large for memory is
 * refused. */
#include "kept.h"
#include "planned.h"

#include <stdio.h>

/* Coarse fields, masks, tables, several types, levels, reductions. */
static const char *const sources[] = {
    "grid x 100\nfield u = sin(x)\nu' = u + 0.1*laplace(u)\nborder periodic\n",
    "grid x 40, y 30\nreal f32 stored f16\nfield u; c stored bf16 = 1 + 0.1*x\n"
    "u' = 2*u - prev(u) + 0.1*c*laplace(u)\nborder u = 0\n",
    "grid x 17, y 13, z 9\nfield u = x*y; v coarse = 0\nu' = u + 0.01*laplace(u)\n"
    "v' = restrict(u)\nborder neumann\nmeasure m = sum(u)\n",
    "grid x 33, y 21\nfield u = 1\nu' = u + 0.1*laplace(u)*exp(-x/10)\nborder u = 0\n"
    "mask u = x < 20\nabsorb 5 cells\nuntil max(u) < 0\n",
    "grid x 200, y 200, z 20\nreal f32\nfield u = y\nu' = u + 0.1*dxx(u)\n"
    "border mirror\n",
};

TEST(fields_take_as_many_bytes_as_planned)
{
    for (size_t k = 0; k < COUNT_OF(sources); k++) {
        planned p;
        pav_run *run = NULL;
        REQUIRE_OK(plan_text_of(sources[k], "interpreter", NULL, &p));
        CHECK_EQ(mem_used(), 0);
        REQUIRE_OK(pav_run_open(p.program, p.device, NULL, &run));
        CHECK_EQ(mem_used(), planned_bytes(&p, NEED_FIELD, true));
        pav_run_free(run);
        close_planned(&p);
    }
}

TEST(a_plan_takes_no_memory_of_the_grids_size)
{
    const int64_t before = mem_peak();
    planned p;
    REQUIRE_OK(plan_text_of("grid x 2000, y 2000\nfield u\nu' = u\nmeasure m = sum(u)\n",
                            "cpu", NULL, &p));
    CHECK_EQ(mem_peak(), before);
    CHECK(planned_bytes(&p, NEED_FIELD, true) > 8 * 2000 * 2000);
    CHECK_EQ(planned_bytes(&p, NEED_REDUCTIONS, true), 4 * 2000 * 8);
    close_planned(&p);
}

TEST(the_forecast_is_what_the_report_says_afterwards)
{
    static const char source[] =
        "grid x 64, y 48\nfield u = x; v stored f32\n"
        "u' = u + 0.1*laplace(u)\nv' = u\nborder u = 0\nsteps 4\n";
    pav_forecast f;
    planned p;
    begun b;
    REQUIRE_OK(plan_text_of(source, "auto", NULL, &p));
    REQUIRE_OK(pav_plan_forecast(p.plan, &f));
    REQUIRE_OK(begin_text(source, NULL, &b));
    REQUIRE_OK(pav_run_finish(b.run));
    CHECK_NEAR(report_number(&b, "bytes_per_point"), f.bytes_per_point, 1e-9);
    CHECK_NEAR(report_number(&b, "flops_per_point"), f.flops_per_point, 1e-9);
    CHECK_NEAR(report_number(&b, "memory_peak"), (double)f.memory, 8192); /* and tables */
    CHECK(f.points == 64 * 48 && f.steps == 4 &&
          f.threads == (int)report_number(&b, "threads"));
    close_begun(&b);
    close_planned(&p);
}

/* ---- time -------------------------------------------------------------------------- */

TEST(time_is_traffic_beyond_the_caches_at_the_rate_given)
{
    pav_forecast f;
    planned p;
    REQUIRE_OK(
        plan_text_of("grid x 100000, y 100000\nreal f32\nfield u\nu' = u + 1\nsteps 7\n",
                     "cpu", &(pav_run_options){.force = 1, .threads = 1}, &p));
    REQUIRE_OK(pav_plan_forecast(p.plan, &f));
    const double beyond = 8e10 - (double)host_caches(1);
    CHECK_NEAR(f.seconds_per_step, beyond / 10e9, 1e-9);
    CHECK_NEAR(f.seconds, 7 * f.seconds_per_step, 1e-9);
    CHECK_NEAR(f.bytes_per_point, 8, 1e-12);
    close_planned(&p);
}

TEST(what_may_stay_in_caches_has_no_bound)
{
    pav_forecast f;
    planned p;
    REQUIRE_OK(
        plan_text_of("grid x 16, y 16\nfield u\nu' = u + 1\nsteps 7\n", "cpu", NULL, &p));
    REQUIRE_OK(pav_plan_forecast(p.plan, &f));
    CHECK(f.seconds == 0 && f.seconds_per_step == 0 && f.copy_gbytes == 10);
    CHECK(strstr(planned_report(&p, 0), "not bounded by memory") != NULL ||
          host_caches(1) == 0);
    close_planned(&p);
}

/* The rate itself is a matter of benches: it changes while other processes copy. */
TEST(a_plan_without_a_rate_measures_one)
{
    pav_forecast f;
    planned p;
    pav_plan *plan = NULL;
    if (host_caches(host_threads()) > 2 * 4 * 4096 * 4096) {
        test_skip("a bound", "caches here may hold 128 MiB");
        return;
    }
    REQUIRE_OK(plan_text_of("grid x 4096, y 4096\nreal f32\nfield u = x\n"
                            "u' = u + 0.1*laplace(u)\nborder periodic\nsteps 8\n",
                            "cpu", NULL, &p));
    REQUIRE_OK(pav_plan_open(p.program, p.device, NULL, 0, &plan));
    REQUIRE_OK(pav_plan_forecast(plan, &f));
    CHECK(f.copy_gbytes > 0.1 && f.copy_gbytes < 1e5);
    const double beyond = f.bytes_per_point * (double)f.points -
                          (double)host_caches(f.threads);
    CHECK_NEAR(f.seconds * f.copy_gbytes * 1e9 / (8 * beyond), 1, 1e-9);
    pav_plan_free(plan);
    close_planned(&p);
}

TEST(kernels_try_the_loop_schedules_that_were_planned)
{
    planned p;
    REQUIRE_OK(plan_text_of(
        "grid x 700, y 700, z 700\nfield u\nu' = u + laplace(u)\nborder u = 0\n", "cpu",
        &(pav_run_options){.schedule = "rows", .threads = 3}, &p));
    const loop_tuner *m = &p.plan->stage[0].loop_tuner;
    CHECK(m->count > 1 && m->threads == 3);
    for (int k = 0; k < m->count; k++)
        CHECK_EQ(m->loop[k].kind, SCHEDULE_ROWS);
    CHECK(strstr(planned_report(&p, 0), "3 threads along z, rows;") != NULL);
    close_planned(&p);
}

/* Threads divide rows of all planes, in blocks no higher than a thread's rows, besides
 * planes. They do not divide rows if each thread would have few. */
TEST(threads_share_out_rows_where_each_has_many)
{
    static const int threads[] = {3, 60};
    for (size_t n = 0; n < COUNT_OF(threads); n++) {
        planned p;
        int across = 0;
        REQUIRE_OK(plan_text_of(
            "grid x 700, y 700, z 700\nfield u\nu' = u + laplace(u)\nborder u = 0\n",
            "cpu", &(pav_run_options){.schedule = "blocks", .threads = threads[n]}, &p));
        const loop_tuner *m = &p.plan->stage[0].loop_tuner;
        for (int k = 0; k < m->count; k++)
            if (m->loop[k].device.size[1] == threads[n]) {
                CHECK(m->loop[k].tile.size[1] <= (700 + threads[n] - 1) / threads[n]);
                across++;
            }
        CHECK(n == 0 ? across > 0 && across < m->count : across == 0);
        close_planned(&p);
    }
}

/* ---- disks ------------------------------------------------------------------------- */

TEST(files_are_as_large_as_planned)
{
    char source[2048];
    planned p;
    int64_t length;
    (void)snprintf(source, sizeof source, "%soutput u every 4 into \"u.npy\"\n",
                   kept_program(12));
    const int64_t frame = 128 + 13 * 9 * 4; /* header and f32 */
    const pav_run_options options = {.directory = kept_path(""),
                                     .checkpoint = kept_path("a.checkpoint"),
                                     .checkpoint_every = 6};
    REQUIRE_OK(plan_text_of(source, "interpreter", &options, &p));
    CHECK_EQ(planned_bytes(&p, NEED_OUTPUT, false), (4 + 1) * frame);
    REQUIRE_OK(kept_run(source, "interpreter", &options));
    mem_free(kept_bytes(kept_path("a.checkpoint"), &length));
    const int64_t planned_length = planned_bytes(&p, NEED_CHECKPOINT, false) / 3;
    CHECK(length > planned_length && length < planned_length + 8192);
    mem_free(kept_bytes(kept_path("u-000008.npy"), &length));
    CHECK_EQ(length, frame);
    mem_free(kept_bytes(kept_path("u.csv"), &length));
    CHECK(length < planned_bytes(&p, NEED_ROWS, false));
    close_planned(&p);
}

TEST(without_files_no_disk_is_asked)
{
    planned p;
    REQUIRE_OK(plan_text_of(kept_program(12), "interpreter",
                            &(pav_run_options){.no_files = 1}, &p));
    CHECK_EQ(p.plan->needs.stores, 1);
    CHECK(strstr(planned_report(&p, 0), "disk") == NULL);
    close_planned(&p);
}

TEST(files_beyond_the_disk_are_reported)
{
    planned p;
    REQUIRE_OK(plan_text_of("grid x 100, y 100\nfield u\nu' = u\nsteps 1000000000000\n"
                            "output u every 1 into \"/tmp/pavior-no-such/u.npy\"\n",
                            "cpu", NULL, &p));
    CHECK_STATUS(pav_plan_verdict(p.plan), PAV_EFULL);
    CHECK(strstr(pav_message(), "where /tmp/pavior-no-such/ is") != NULL);
    CHECK(strstr(planned_report(&p, 0), "free: DOES NOT FIT") != NULL);
    close_planned(&p);
}
