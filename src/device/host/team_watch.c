/* SPDX-License-Identifier: BSD-3-Clause */
/* Decides whether a team pays off. Other work on its processors may delay some threads,
 * and all others wait for them.
 *
 * Pieces of work are timed in windows. If a window took clearly longer than the caller
 * alone would need for all parts, bound threads are unbound. If they are not bound, the
 * caller works alone for a while; each pause is twice as long as the last. A window with
 * a gain resets the pause. A team bound on the user's request is not watched. */
#include "device/device_private.h"

enum { WINDOW_WORKS = 128 };
static const double window_seconds = 0.02, first_pause = 0.5, longest_pause = 16;
static const double patience = 1.5; /* limit, in times of the caller alone */

static bool is_whole(const team_watch *w)
{
    return w->works >= WINDOW_WORKS && w->work + w->wait >= window_seconds;
}

static void pause_team(team_watch *w, double now)
{
    w->pause = w->pause == 0                  ? first_pause
               : w->pause * 2 < longest_pause ? w->pause * 2
                                              : longest_pause;
    w->until = now + w->pause;
    w->alone++;
}

/* work: the caller's seconds for its own part; wait: its seconds of waiting for the
 * others. */
void team_watch_note(team_watch *w, int threads, bool bound, double work, double wait,
                     double now)
{
    w->works++;
    w->work += work;
    w->wait += wait;
    if (!is_whole(w))
        return;
    if (w->work + w->wait <= patience * threads * w->work)
        w->pause = 0;
    else if (bound)
        w->loosen = true;
    else
        pause_team(w, now);
    w->works = 0;
    w->work = w->wait = 0;
}
