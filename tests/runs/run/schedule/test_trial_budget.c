/* SPDX-License-Identifier: BSD-3-Clause */
/* The cost of slow candidates for a run, with imaginary seconds instead of a clock. */
#include <stdlib.h>
#include <string.h>

#include "exec/gpu/gpu_private.h"
#include "run/run_private.h"
#include "run/time/time_private.h"
#include "test.h"

/* Steps of a run so far, and seconds lost against the fastest candidate, which takes 1
 * second a step. */
typedef struct spending {
    int64_t steps;
    double beyond;
} spending;

static const double share = 0.05;

/* Seconds a step of candidate n. Either the first or the last candidate is the
 * fastest. */
typedef double pace(int n, int count);
static double level(int n, int count)
{
    (void)count;
    return n == 0 ? 1 : 1.9;
}
static double rising(int n, int count)
{
    (void)count;
    return 1 + 0.3 * n;
}
static double falling(int n, int count)
{
    return 1 + 0.2 * (count - 1 - n);
}
static double hopeless(int n, int count)
{
    (void)count;
    return n == 0 ? 1 : 100;
}
static pace *const paces[] = {level, rising, falling, hopeless};

static void spend(spending *s, double each, int64_t steps)
{
    s->beyond += (each - 1) * (double)steps;
    s->steps += steps;
}

/* If a candidate is slower than feared, one trial of `probe` steps shows it. A run of
 * unknown length (known 0) counts like 1000 steps until it has taken more. */
static void check_spent(const spending *s, pace *p, int64_t known, int64_t probe)
{
    const int64_t steps = known > 0 ? known : s->steps > 1000 ? s->steps : 1000;
    const double surprise = p == hopeless ? 99. * (double)probe
                            : p == level  ? 0
                                          : 3. * (double)probe;
    CHECK(s->beyond <= share * (double)steps + surprise + 1e-6);
}

/* ---- loops ------------------------------------------------------------------------- */

static spending loops(pace *p, int64_t known, int64_t steps, loop_tuner *m)
{
    const box b = {.lo = {0, 0, 0}, .hi = {512, 512, 512}};
    const cost_load load = {
        .point_bytes = 16, .loaded_bytes = 8, .rows = 3, .planes = 3, .element = 8};
    const kernel_host host = {
        .threads = 2, .cache = 1 << 22, .core_cache = 1 << 19, .steps = known};
    spending s = {0};
    *m = (loop_tuner){0};
    while (s.steps < steps) {
        schedule how;
        loop_tuner_next(m, &b, &load, &host, &how);
        const int n = m->trying ? m->tuner.current : m->tuner.fastest;
        spend(&s, p(n, m->count), 1);
        if (m->trying)
            tuner_time(&m->tuner, p(n, m->count), p(n, m->count));
    }
    return s;
}

/* A short run keeps the first candidate, because no other one was tried. */
static double of_first(pace *p, int count)
{
    return p(0, count) - 1;
}

TEST(loops_that_are_slower_take_a_twentieth_of_a_run)
{
    for (size_t k = 0; k < COUNT_OF(paces); k++)
        for (int64_t steps = 1; steps < 3000; steps += 13) {
            loop_tuner m;
            const spending s = loops(paces[k], steps, steps, &m);
            if (of_first(paces[k], m.count) > 0)
                continue;
            check_spent(&s, paces[k], steps, 1);
            CHECK(steps < 1000 || m.tuner.fastest == 0);
        }
}

TEST(loops_of_a_run_without_end_are_tried_as_it_continues)
{
    for (size_t k = 0; k < COUNT_OF(paces); k++)
        for (int64_t steps = 1; steps < 3000; steps += 13) {
            loop_tuner m;
            const spending s = loops(paces[k], 0, steps, &m);
            CHECK(m.count > 1);
            if (of_first(paces[k], m.count) > 0)
                continue;
            check_spent(&s, paces[k], 0, 1);
        }
}

TEST(loops_of_a_long_run_end_at_the_fastest)
{
    for (size_t k = 0; k < COUNT_OF(paces); k++) {
        loop_tuner m;
        (void)loops(paces[k], 100000, 2000, &m);
        CHECK(loop_tuner_is_tuned(&m));
        CHECK_EQ(m.tuner.fastest, paces[k] == falling ? m.count - 1 : 0);
    }
}

TEST(a_loop_that_is_four_times_as_slow_is_tried_once)
{
    loop_tuner m;
    const spending s = loops(hopeless, 1000000, 1000, &m);
    CHECK_EQ((int64_t)s.beyond, 99 * (int64_t)(m.count - 1));
}

TEST(short_runs_try_no_loops)
{
    loop_tuner m;
    for (int64_t steps = 1; steps < 20; steps++) {
        (void)loops(level, steps, steps, &m);
        CHECK_EQ(m.count, 1);
    }
    (void)loops(level, 20, 20, &m);
    CHECK(m.count > 1);
}

/* ---- time tiles -------------------------------------------------------------------- */

static void list_tiles(time_choice *c, bool forced)
{
    *c = (time_choice){.count = MOST_SHAPES, .forced = forced};
    c->trial[0].shape.tile.steps = forced ? 4 : 1;
    for (int n = 1; n < MOST_SHAPES; n++)
        c->trial[n].shape.tile.steps = 2 * n + 2;
    time_open_trials(c);
}

static spending tiles(pace *p, int64_t known, int64_t steps, time_choice *c)
{
    spending s = {0};
    list_tiles(c, false);
    while (s.steps < steps) {
        const int trial = time_next_trial(c, known, s.steps);
        const int n = trial > 0 ? c->tuner.current : c->tuner.fastest;
        const int depth = c->trial[n].shape.tile.steps, taken = trial > 0 ? trial : depth;
        spend(&s, p(n, c->count), taken);
        if (trial > 0)
            time_note(c, taken, p(n, c->count), trial < depth);
    }
    return s;
}

TEST(time_tiles_that_are_slower_take_a_twentieth_of_a_run)
{
    for (size_t k = 0; k < COUNT_OF(paces); k++)
        for (int64_t steps = 1; steps < 3000; steps += 13)
            for (int ends = 0; ends < 2; ends++) {
                time_choice c;
                const spending s = tiles(paces[k], ends ? steps : 0, steps, &c);
                if (of_first(paces[k], c.count) <= 0)
                    check_spent(&s, paces[k], ends ? s.steps : 0, 2);
            }
}

TEST(a_time_tile_that_is_four_times_as_slow_takes_two_steps)
{
    time_choice c;
    const spending s = tiles(hopeless, 1000000, 1000, &c);
    CHECK(s.beyond <= 3 * 2 * 99); /* no candidate is tried after three of them */
    CHECK_EQ(c.tuner.fastest, 0);
}

TEST(the_fastest_time_tile_of_a_long_run_is_found)
{
    time_choice c;
    (void)tiles(falling, 100000, 2000, &c);
    CHECK_EQ(c.tuner.fastest, MOST_SHAPES - 1);
}

TEST(short_runs_try_no_time_tiles)
{
    for (int64_t steps = 1; steps < 40; steps++) {
        time_choice c;
        list_tiles(&c, false);
        CHECK_EQ(time_next_trial(&c, steps, 0), 1);
        time_note(&c, 1, 1, false);
        CHECK_EQ(time_next_trial(&c, steps, 1), 1);
        time_note(&c, 1, 1, false);
        CHECK_EQ(time_next_trial(&c, steps, 2), 0);
        CHECK_EQ(c.tuner.fastest, 0);
    }
}

/* ---- launches on a GPU ------------------------------------------------------------- */

static double pace_of(pace *p, const gpu_tuner *m, int n)
{
    return p(n, m->tuner.count);
}

static spending launches(pace *p, int64_t known, int64_t steps, gpu_tuner *m)
{
    const box b = {.lo = {0, 0, 0}, .hi = {64, 64, 64}};
    const emit_gpu_kernel kernel = {.schedule = {.kind = SCHEDULE_SWEEP}};
    spending s = {0};
    gpu_tuner_open(m, &kernel, 3, &b, 2, 0);
    gpu_tuner_limit(m, known);
    while (s.steps < steps) {
        gpu_tuner_next(m, &b);
        const gpu_candidate c = gpu_tuner_candidate(m, &b);
        int n = 0;
        while (m->candidate[n].kernel != c.kernel || m->candidate[n].planes != c.planes)
            n++;
        const double each = pace_of(p, m, n);
        const int64_t more = m->trying && tuner_affords(&m->tuner, each, 20) ? 20 : 0;
        spend(&s, each, 1);
        s.beyond += (double)more * each;
        if (gpu_tuner_is_trial(m, &b))
            gpu_tuner_measured(m, each, (double)(1 + more) * each);
    }
    return s;
}

TEST(launches_that_are_slower_take_a_twentieth_of_a_run)
{
    for (size_t k = 0; k < COUNT_OF(paces); k++)
        for (int64_t steps = 1; steps < 3000; steps += 13)
            for (int ends = 0; ends < 2; ends++) {
                gpu_tuner m;
                const spending s = launches(paces[k], ends ? steps : 0, steps, &m);
                if (of_first(paces[k], m.tuner.count) <= 0)
                    check_spent(&s, paces[k], ends ? s.steps : 0, 1);
                CHECK(!ends || steps >= 20 || gpu_tuner_is_tuned(&m));
            }
}

TEST(launches_of_a_long_run_are_all_tried)
{
    gpu_tuner m;
    (void)launches(level, 1000000, 1000, &m);
    CHECK(gpu_tuner_is_tuned(&m));
    CHECK(m.tuner.count > 3);
    for (int n = 0; n < m.tuner.count; n++)
        CHECK(m.tuner.seconds[n] > 0);
    CHECK_EQ(m.tuner.fastest, 0);
}

/* ---- rows at a time ---------------------------------------------------------------- */

/* The first of two stages goes row by row. So does the second, if the executor is
 * compiled. */
static bool fastest(const executor *self, int64_t n, schedule *s)
{
    *s = (schedule){.kind = SCHEDULE_ROWS, .thread.size[1] = n == 0 || self->compiled};
    return true;
}

static time_choice shapes_after(bool both, bool forced)
{
    executor e = {.ops.chosen = fastest, .compiled = both};
    subdomain part = {.executor = &e};
    ir code = {.step.count = 2};
    const pav_run run = {.part = &part, .code = &code};
    time_choice c = {.count = 2, .forced = forced};
    for (int k = 0; k < 2; k++) {
        c.trial[k].shape.kind = SCHEDULE_CPU_TIME;
        c.trial[k].shape.tile.steps = 1 + 3 * k;
    }
    time_take_rows(&run, &c);
    CHECK_EQ(c.trial[0].shape.thread.size[1], 0);
    return c;
}

TEST(time_tiles_take_rows_as_single_steps_do)
{
    CHECK_EQ(shapes_after(true, false).trial[1].shape.thread.size[1], 1);
    CHECK(strcmp(shapes_after(true, false).trial[1].words, "time:depth=4,rows=single") ==
          0);
    CHECK_EQ(shapes_after(false, false).trial[1].shape.thread.size[1], 0);
    CHECK_EQ(shapes_after(true, true).trial[1].shape.thread.size[1], 0);
}

TEST(the_fastest_time_tile_takes_rows_both_ways)
{
    static const double seconds[] = {1, 1, 0.5, 0.5, 0.4, 0.4};
    time_choice c = {.count = 2, .has_rows = true};
    for (int k = 0; k < 2; k++) {
        c.trial[k].shape.kind = SCHEDULE_CPU_TIME;
        c.trial[k].shape.tile.steps = 1 + 3 * k;
    }
    time_open_trials(&c);
    for (size_t n = 0; n < COUNT_OF(seconds); n++) {
        CHECK_EQ(c.tuner.current, (int)n / 2);
        time_note(&c, 4, seconds[n], false);
    }
    CHECK_EQ(c.tuner.current, c.count);
    CHECK_EQ(c.count, 3);
    CHECK_EQ(c.tuner.fastest, 2);
    CHECK(strcmp(c.trial[2].words, "time:depth=4,rows=single") == 0);
}
