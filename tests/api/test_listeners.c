/* SPDX-License-Identifier: BSD-3-Clause */
/* Listeners hear of progress and events and can stop a run; the watch finds what is not finite. */
#include "opened.h"

static const char counting[] =
    "grid x 8\nscalar rate = 1\nparam start = 5\nfield u = start\n"
    "u' = u + rate\nmeasure all = sum(u)\nsteps 10\n";

typedef struct heard {
    int progress, notes, stop_at;
    int64_t step, steps, points;
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

TEST(a_listener_stops_a_run_which_can_go_on)
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

static const char blow_up[] = "grid x 8, y 6\nfield v = 1\nfield u = 1\nv' = v\n"
                              "u' = where(x == 5 and y == 2 and step == 3, u/0, u)\n"
                              "steps 10\n";

TEST(the_watch_names_field_place_and_step_of_what_is_not_finite)
{
    opened o = open_text(blow_up, NULL);
    CHECK_STATUS(pav_run_finish(o.run), PAV_ENOTFINITE);
    CHECK(message_has("field u") && message_has("(5, 2)") && message_has("step 4"));
    CHECK_EQ(pav_run_step(o.run), 4);
    close_opened(&o);
}

TEST(the_watch_can_be_told_how_often_to_look)
{
    opened o = open_text(blow_up, &(pav_run_options){.watch_every = 7, .no_files = 1});
    CHECK_STATUS(pav_run_finish(o.run), PAV_ENOTFINITE);
    CHECK_EQ(pav_run_step(o.run), 7);
    close_opened(&o);
    o = open_text(blow_up, &(pav_run_options){.watch_every = -1, .no_files = 1});
    CHECK_STATUS(pav_run_finish(o.run), PAV_OK);
    close_opened(&o);
}
