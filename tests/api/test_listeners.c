/* SPDX-License-Identifier: BSD-3-Clause */
/* Listeners receive set-up, progress and events, and can stop a run. */
#include "opened.h"

#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

static const char counting[] =
    "grid x 8\nscalar rate = 1\nparam start = 5\nfield u = start\n"
    "u' = u + rate\nmeasure all = sum(u)\nsteps 10\n";

typedef struct heard {
    int progress, notes, stop_at;
    int64_t step, steps, points;
    const char *longest;
    char text[200];
} heard;

static int listen(void *user, pav_event event, const pav_progress *progress,
                  const char *text)
{
    heard *h = user;
    if (event == PAV_EVENT_NOTE) {
        h->notes++;
        strncpy(h->text, text, sizeof h->text - 1);
        return 0;
    }
    h->progress++;
    h->step = progress->step;
    h->steps = progress->steps;
    h->points = progress->points;
    return h->stop_at > 0 && progress->step >= h->stop_at;
}

/* It stops when some phase is the longest: measures here, for half a second. */
static int listen_for_longest(void *user, pav_event event, const pav_progress *progress,
                              const char *text)
{
    heard *h = user;
    (void)text;
    if (event == PAV_EVENT_PROGRESS && progress->longest)
        h->longest = progress->longest;
    return h->longest != NULL;
}

TEST(a_listener_hears_what_takes_longest_if_not_the_steps)
{
    heard h = {0};
    opened o = open_text(
        "grid x 9, y 30000\nfield u; w = 1 + y\nu' = where(y == 0, 1, u)\n"
        "measure m = max(sin(log(w) + exp(sin(w))) + cos(w)^2) every 1\n"
        "steps 10000\n",
        &(pav_run_options){.listener = listen_for_longest,
                           .user = &h,
                           .report_seconds = 1e-9,
                           .no_files = 1});
    CHECK_STATUS(pav_run_finish(o.run), PAV_EINTERRUPTED);
    CHECK(h.longest && strcmp(h.longest, "output and checks") == 0);
    close_opened(&o);
    h = (heard){0};
    o = open_text(counting,
                  &(pav_run_options){.listener = listen_for_longest, .user = &h});
    CHECK_STATUS(pav_run_finish(o.run), PAV_OK);
    CHECK(!h.longest);
    close_opened(&o);
}

TEST(a_listener_hears_of_every_step_when_it_asks_to)
{
    heard h = {0};
    opened o = open_text(counting, &(pav_run_options){.listener = listen,
                                                      .user = &h,
                                                      .report_seconds = 1e-9,
                                                      .no_files = 1});
    CHECK_STATUS(pav_run_finish(o.run), PAV_OK);
    CHECK(h.progress >= 10);
    CHECK_EQ(h.step, 10);
    CHECK_EQ(h.steps, 10);
    CHECK_EQ(h.points, 8);
    close_opened(&o);
}

static int listen_to_end(void *user, pav_event event, const pav_progress *progress,
                         const char *text)
{
    double *left = user;
    (void)text;
    if (event == PAV_EVENT_PROGRESS && progress->step == 30) {
        left[0] = progress->seconds_left / progress->seconds * 30;
        left[1] = (double)progress->steps;
        left[2] = progress->bounded;
    }
    return 0;
}

static void hear_of_end(const char *end, double left[3])
{
    char text[200];
    (void)snprintf(text, sizeof text,
                   "grid x 8\nparam dt = 0.5\nfield u\nu' = u + dt\n%s\n", end);
    opened o = open_text(text, &(pav_run_options){.listener = listen_to_end,
                                                  .user = left,
                                                  .report_seconds = 1e-9,
                                                  .no_files = 1});
    CHECK_STATUS(pav_run_finish(o.run), PAV_OK);
    close_opened(&o);
}

TEST(the_time_left_counts_the_steps_to_the_end_of_an_until)
{
    double left[3] = {0};
    hear_of_end("until t >= 25", left);
    CHECK_NEAR(left[0], 20, 1e-9);
    CHECK(left[1] == 0 && left[2] == 0);
    hear_of_end("until t >= 25\nsteps 40", left);
    CHECK_NEAR(left[0], 10, 1e-9);
    hear_of_end("until t >= 25\nsteps 400", left);
    CHECK_NEAR(left[0], 20, 1e-9);
    CHECK(left[1] == 400 && left[2] == 0);
    hear_of_end("until t >= 25 and max(u) > 3", left);
    CHECK(left[0] < 0);
    hear_of_end("until t >= 25\nuntil max(u) > 100", left);
    CHECK_NEAR(left[0], 20, 1e-9);
    CHECK(left[2] == 1);
}

TEST(a_listener_stops_a_run_which_can_continue)
{
    heard h = {.stop_at = 4};
    opened o = open_text(counting, &(pav_run_options){.listener = listen,
                                                      .user = &h,
                                                      .report_seconds = 1e-9,
                                                      .no_files = 1});
    CHECK_STATUS(pav_run_steps(o.run, 10), PAV_EINTERRUPTED);
    CHECK_EQ(pav_run_step(o.run), 4);
    CHECK(message_has("4"));
    h.stop_at = 0;
    CHECK_STATUS(pav_run_finish(o.run), PAV_OK);
    CHECK_EQ(pav_run_step(o.run), 10);
    close_opened(&o);
}

/* Holds the run at a step, lets it take two single steps, then go on. */
typedef struct holding {
    pav_run *run;
    int answers, held;
    int64_t step[8];
    pav_status borrowed;
} holding;

static int hold(void *user, pav_event event, const pav_progress *progress,
                const char *text)
{
    static const pav_answer answer[] = {PAV_HOLD, PAV_STEP, PAV_STEP, PAV_HOLD};
    holding *h = user;
    pav_view oldest;
    (void)text;
    if (event == PAV_EVENT_PROGRESS)
        return progress->step >= 4 && h->answers == 0 ? PAV_HOLD : PAV_GO_ON;
    if (event != PAV_EVENT_HELD)
        return PAV_GO_ON;
    h->step[h->held++] = progress->step;
    if (h->borrowed == PAV_OK)
        h->borrowed = pav_field_borrow(h->run, "u", 1, &oldest);
    return h->answers < 4 ? (int)answer[h->answers++] : PAV_GO_ON;
}

TEST(a_listener_holds_a_run_and_lets_it_take_single_steps)
{
    static const char *const devices[] = {"interpreter", "cpu", "emulated"};
    for (int k = 0; k < 3; k++) {
        holding h = {0};
        double all;
        setenv("PAV_DEVICE", devices[k], 1);
        opened o = open_text(
            "grid x 64\nfield u = x\nborder u = 0\n"
            "u' = u + prev(u)/3\nmeasure all = sum(u)\nsteps 40\n",
            &(pav_run_options){
                .listener = hold, .user = &h, .report_seconds = 1e-9, .no_files = 1});
        h.run = o.run;
        CHECK_STATUS(pav_run_finish(o.run), PAV_OK);
        CHECK_EQ(pav_run_step(o.run), 40);
        CHECK_EQ(h.held, 5);
        CHECK(h.step[0] >= 4 && h.step[1] == h.step[0]);
        CHECK_EQ(h.step[2], h.step[0] + 1);
        CHECK_EQ(h.step[3], h.step[0] + 2);
        CHECK_EQ(h.step[4], h.step[0] + 2);
        CHECK_STATUS(h.borrowed, PAV_OK); /* all levels are there */
        REQUIRE_OK(pav_run_get(o.run, "all", &all));
        close_opened(&o);
    }
    setenv("PAV_DEVICE", "interpreter", 1);
}

static int hold_and_stop(void *user, pav_event event, const pav_progress *progress,
                         const char *text)
{
    (void)user;
    (void)text;
    return event == PAV_EVENT_HELD                              ? PAV_STOP
           : event == PAV_EVENT_PROGRESS && progress->step >= 3 ? PAV_HOLD
                                                                : PAV_GO_ON;
}

TEST(a_held_run_stops_where_it_is)
{
    opened o = open_text(counting, &(pav_run_options){.listener = hold_and_stop,
                                                      .report_seconds = 1e-9,
                                                      .no_files = 1});
    CHECK_STATUS(pav_run_steps(o.run, 10), PAV_EINTERRUPTED);
    CHECK_EQ(pav_run_step(o.run), 3);
    close_opened(&o);
}

TEST(a_listener_hears_of_measures)
{
    heard h = {0};
    opened o = open_text(
        "grid x 8\nfield u\nu' = u + 1\nmeasure all = sum(u) every 2\n"
        "steps 4\n",
        &(pav_run_options){.listener = listen, .user = &h, .no_files = 1});
    CHECK_STATUS(pav_run_finish(o.run), PAV_OK);
    CHECK_EQ(h.notes, 3);
    CHECK(strstr(h.text, "all = 32") != NULL);
    close_opened(&o);
}

typedef struct setup {
    int events;
    char last[200];
    int stop;
} setup;

static int listen_setup(void *user, pav_event event, const pav_progress *progress,
                        const char *text)
{
    setup *s = user;
    if (event == PAV_EVENT_SETUP) {
        s->events++;
        CHECK(progress->step == 0 && progress->steps == 1);
        strncpy(s->last, text, sizeof s->last - 1);
    }
    return s->stop;
}

static const char large[] = "grid x 1500, y 1500, z 2\nfield u = x\nu' = u\nsteps 1\n";

TEST(setting_up_tells_how_far_it_is)
{
    setup s = {0};
    opened o = open_text(large, &(pav_run_options){.listener = listen_setup,
                                                   .user = &s,
                                                   .report_seconds = 1e-9,
                                                   .no_files = 1});
    CHECK(s.events >= 3);
    CHECK_STR(s.last, "filling u, 100 % done");
    close_opened(&o);
}

TEST(setting_up_can_be_stopped)
{
    setup s = {.stop = 1};
    pav_device *device = NULL;
    pav_program *program = parse(large);
    pav_run *run = (pav_run *)&run;
    REQUIRE_OK(pav_device_open("auto", &device));
    const pav_run_options options = {
        .listener = listen_setup, .user = &s, .report_seconds = 1e-9, .no_files = 1};
    CHECK_STATUS(pav_run_open(program, device, &options, &run), PAV_EINTERRUPTED);
    CHECK(run == NULL);
    CHECK(message_has("before the first step"));
    CHECK_EQ(s.events, 1);
    pav_program_free(program);
    pav_device_free(device);
}

/* ---- parts of a large field -------------------------------------------------------- */

typedef struct part {
    const char *of;    /* prefix of the counted events */
    int events, stops; /* events: count so far; stops: number of the event to stop at */
} part;

static int listen_part(void *user, pav_event event, const pav_progress *progress,
                       const char *text)
{
    part *p = user;
    (void)progress;
    if (event != PAV_EVENT_SETUP || strncmp(text, p->of, strlen(p->of)) != 0)
        return 0;
    return ++p->events == p->stops;
}

/* Set-up reports at least `least` parts. The third part stops it. */
static void stop_within(const char *source, const char *of, int least)
{
    part p = {.of = of};
    const pav_run_options options = {
        .listener = listen_part, .user = &p, .report_seconds = 1e-9, .no_files = 1};
    opened o = open_text(source, &options);
    CHECK(p.events >= least);
    pav_run_free(o.run);
    p = (part){.of = of, .stops = 3};
    CHECK_STATUS(pav_run_open(o.program, o.device, &options, &o.run), PAV_EINTERRUPTED);
    CHECK(o.run == NULL && p.events == 3 && message_has(of));
    close_opened(&o);
}

TEST(taking_the_memory_of_one_field_can_be_stopped)
{
    stop_within("grid x 3000, y 3000\nfield u\nborder periodic\nu' = u[1,0]\n",
                "taking memory for u", 6);
}

TEST(one_long_row_can_be_stopped)
{
    static const char row[] = "grid x 9000000\nfield c = 1\nfield u stored bf16\n"
                              "u' = c + u + prev(u)\n";
    stop_within(row, "taking memory for u", 7);
    stop_within(row, "filling u", 16);
}

TEST(filling_a_long_border_can_be_stopped)
{
    stop_within("grid x 2, y 1000000\nfield u stored bf16; v = x\nborder neumann\n"
                "u' = u + dxx(u)\n",
                "filling u", 18);
    stop_within("grid x 2, y 1000000\nfield u stored bf16; v = x\nborder u = 1 + y\n"
                "u' = u + dxx(u)\n",
                "filling u", 14);
}

TEST(the_first_look_at_the_values_can_be_stopped_and_taken_again)
{
    part p = {.of = "looking for values that are not finite", .stops = 2};
    opened o = open_text(
        "grid x 1000, y 1000\nfield u = x\nu' = u\nsteps 1\n",
        &(pav_run_options){
            .listener = listen_part, .user = &p, .report_seconds = 1e-9, .no_files = 1});
    CHECK_STATUS(pav_run_finish(o.run), PAV_EINTERRUPTED);
    CHECK(message_has("stopped before the first step: looking for values that are not"));
    CHECK(p.events == 2 && pav_run_step(o.run) == 0 && !message_has(" 100 %"));
    CHECK_STATUS(pav_run_finish(o.run), PAV_OK);
    CHECK(pav_run_step(o.run) == 1);
    close_opened(&o);
}

typedef struct meddler {
    pav_run *run;
    int refused;
} meddler;

static int meddle(void *user, pav_event event, const pav_progress *progress,
                  const char *text)
{
    meddler *m = user;
    (void)event, (void)progress, (void)text;
    if (m->run)
        m->refused += pav_run_steps(m->run, 1) == PAV_EINVAL &&
                      pav_run_finish(m->run) == PAV_EINVAL && message_has("listener");
    return 0;
}

TEST(a_listener_takes_no_steps_of_its_own_run)
{
    meddler m = {0};
    double all = 0;
    opened o = open_text(counting, &(pav_run_options){.listener = meddle,
                                                      .user = &m,
                                                      .report_seconds = 1e-9,
                                                      .no_files = 1});
    m.run = o.run;
    REQUIRE_OK(pav_run_steps(o.run, 9));
    CHECK_EQ(pav_run_step(o.run), 9);
    REQUIRE_OK(pav_run_finish(o.run));
    CHECK_EQ(pav_run_step(o.run), 10);
    CHECK(m.refused >= 10);
    REQUIRE_OK(pav_run_get(o.run, "all", &all));
    CHECK_EQ(all, 8 * (5 + 10));
    close_opened(&o);
}

TEST(computing_the_values_of_one_field_can_be_stopped)
{
    stop_within("grid x 3000, y 3000\nfield u = x\nu' = u\n", "filling u", 6);
}

TEST(copying_a_level_can_be_stopped)
{
    stop_within("grid x 3000, y 3000\nfield c = 1\nfield u\nu' = c + u + prev(u)\n",
                "filling u", 12);
}

TEST(loading_a_file_can_be_stopped)
{
    char path[] = "/tmp/pavior-test-XXXXXX.npy", source[200];
    char head[129] = "\x93NUMPY\1\0v";
    const int descriptor = mkstemps(path, 4);
    REQUIRE(descriptor >= 0);
    (void)snprintf(head + 10, sizeof head - 10, "%-117s\n",
                   "{'descr': '|i1', 'fortran_order': False, 'shape': (3000, 3000), }");
    REQUIRE(write(descriptor, head, 128) == 128);
    REQUIRE(ftruncate(descriptor, 128 + 9000000) == 0 && close(descriptor) == 0);
    (void)snprintf(source, sizeof source,
                   "grid x 3000, y 3000\nfield c = \"%s\"\nfield u\nu' = c*u\n", path);
    stop_within(source, "filling c", 6);
    CHECK_EQ(unlink(path), 0);
}
