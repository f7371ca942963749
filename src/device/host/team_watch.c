/* SPDX-License-Identifier: BSD-3-Clause */
/* Whether a team pays: other work on its processors makes threads wait for one that is
 * not running.
 *
 * Works are watched in windows. Where those of a window took clearly longer than the
 * caller alone would have needed for all parts, threads that were bound by choice of ours
 * may run anywhere from then on; if they run anywhere already, the caller works alone for
 * a while, each time twice as long as the last. A window in which the team pays ends
 * that. */
#include "device/device_private.h"

enum { WINDOW_WORKS = 128 };
static const double window_seconds = 0.02, first_pause = 0.5, longest_pause = 16;
static const double patience = 1.5; /* times what the caller alone would need */

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

/* work: the caller's seconds with its own parts of one work; wait: those until the others
 * had done theirs. */
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
