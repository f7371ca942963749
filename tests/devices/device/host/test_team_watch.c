/* SPDX-License-Identifier: BSD-3-Clause */
/* The caller waits long if others use the threads' processors. Then the threads are
 * unbound first, and later the caller works alone for a time. The seconds here are
 * imaginary. */
#include "device/device_private.h"
#include "test.h"

/* Notes `count` works of 1 ms, each with `wait` seconds of the caller's waiting, from
 * time `now` on. Returns the time afterwards. */
static double works(team_watch *w, int count, bool bound, double wait, double now)
{
    for (int n = 0; n < count; n++) {
        now += 1e-3 + wait;
        team_watch_note(w, 2, bound, 1e-3, wait, now);
    }
    return now;
}

TEST(a_team_whose_threads_work_alike_stays_as_it_is)
{
    team_watch w = {0};
    works(&w, 10000, true, 0.1e-3, 0);
    works(&w, 10000, true, 1.9e-3, 100);
    CHECK(!w.loosen);
    CHECK_EQ(w.alone, 0);
}

TEST(threads_that_were_bound_are_let_go_first)
{
    team_watch w = {0};
    works(&w, 127, true, 5e-3, 0);
    CHECK(!w.loosen);
    works(&w, 1, true, 5e-3, 2);
    CHECK(w.loosen);
    CHECK_EQ(w.alone, 0);
}

TEST(then_the_caller_works_alone_each_time_for_longer_up_to_a_limit)
{
    team_watch w = {0};
    double now = 0, pause = 0.5;
    for (int n = 1; n <= 12; n++) {
        now = works(&w, 128, false, 5e-3, now);
        CHECK_EQ(w.alone, n);
        CHECK_NEAR(w.until - now, pause < 16 ? pause : 16, 1e-9);
        pause *= 2;
    }
}

TEST(a_window_in_which_the_team_pays_begins_with_short_pauses_again)
{
    team_watch w = {0};
    double now = 0;
    for (int n = 0; n < 5; n++)
        now = works(&w, 128, false, 5e-3, now);
    now = works(&w, 128, false, 0, now);
    now = works(&w, 128, false, 5e-3, now);
    CHECK_NEAR(w.until - now, 0.5, 1e-9);
}

TEST(few_or_short_works_say_nothing)
{
    team_watch w = {0};
    works(&w, 127, false, 5e-3, 0);
    CHECK_EQ(w.alone, 0);
    w = (team_watch){0};
    for (int n = 0; n < 1000; n++)
        team_watch_note(&w, 2, false, 1e-6, 9e-6, 1);
    CHECK_EQ(w.alone, 0);
}
