/* SPDX-License-Identifier: BSD-3-Clause */
/* Progress of a run: on a terminal one line, redrawn in place; elsewhere a plain line
 * every ten seconds. */
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "cli.h"

enum { LIVE_WIDTH = 100 };

static volatile sig_atomic_t stop_asked; /* number of the signal; 0: none yet */

/* Batch systems may send a notice to each process of a job and then again to all
 * processes, so a second notice must not end the process. */
static bool is_notice(int number)
{
    return number == SIGUSR1 || number == SIGUSR2 || number == SIGXCPU;
}

static void on_signal(int number)
{
    if (stop_asked && !is_notice(number))
        _exit(128 + number);
    stop_asked = number;
}

void interrupt_listen(void)
{
    struct sigaction action;
    memset(&action, 0, sizeof action);
    action.sa_handler = on_signal;
    sigemptyset(&action.sa_mask);
    sigaction(SIGINT, &action, NULL);
    sigaction(SIGTERM, &action, NULL);
    sigaction(SIGUSR1, &action, NULL);
    sigaction(SIGUSR2, &action, NULL);
    sigaction(SIGXCPU, &action, NULL);
    /* The terminal was closed. Under nohup SIGHUP is ignored, and stays so. */
    struct sigaction before;
    if (sigaction(SIGHUP, NULL, &before) == 0 && before.sa_handler != SIG_IGN)
        sigaction(SIGHUP, &action, NULL);
}

bool interrupted(void)
{
    return stop_asked != 0;
}

double seconds_now(void)
{
    struct timespec now = {0};
    (void)clock_gettime(CLOCK_MONOTONIC, &now);
    return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}

void live_open(live *l, bool quiet)
{
    *l = (live){.quiet = quiet,
                .terminal = isatty(STDERR_FILENO) != 0,
                .last = -1,
                .setup_due = seconds_now() + 1.9};
}

static void erase(live *l)
{
    if (l->drawn)
        fprintf(stderr, "\r\033[K");
    l->drawn = false;
}

static void time_left(double seconds, char *out, size_t size)
{
    const long long s = seconds < 0 ? -1 : (long long)(seconds + 0.5);
    if (s < 0 || s > 100LL * 365 * 86400)
        snprintf(out, size, "--");
    else if (s < 3600)
        snprintf(out, size, "%lld:%02lld", s / 60, s % 60);
    else
        snprintf(out, size, "%lld:%02lld:%02lld", s / 3600, s / 60 % 60, s % 60);
}

/* A plain line every ten seconds keeps a log file short. */
static bool is_due(const live *l, const pav_progress *p)
{
    return l->terminal || l->last < 0 || p->seconds - l->last >= 10;
}

static void draw(live *l, const pav_progress *p)
{
    char left[32];
    time_left(p->seconds_left, left, sizeof left);
    erase(l);
    fprintf(stderr, "step %lld", (long long)p->step);
    if (p->steps > 0)
        fprintf(stderr, " of %lld (%.0f %%)", (long long)p->steps,
                100.0 * (double)p->step / (double)p->steps);
    fprintf(stderr, "  %.3g Gpts/s", p->gpts);
    if (p->gbytes > 0)
        fprintf(stderr, "  %.3g GB/s", p->gbytes);
    fprintf(stderr, "  %s left", left);
    fprintf(stderr, l->terminal ? "" : "\n");
    fflush(stderr);
    l->drawn = l->terminal;
    l->last = p->seconds;
}

/* A log has a plain line after two seconds, and every ten from then on. */
static void draw_setup(live *l, const char *before, const char *what)
{
    const double now = seconds_now();
    if (l->quiet || (!l->terminal && now < l->setup_due))
        return;
    l->setup_due = now + 10;
    erase(l);
    if (l->terminal)
        fprintf(stderr, "%s%.*s", before, LIVE_WIDTH, what);
    else
        fprintf(stderr, "%s%s\n", before, what);
    fflush(stderr);
    l->drawn = l->terminal;
}

void live_say(live *l, const char *line)
{
    draw_setup(l, "", line);
}

/* True once, after Ctrl-C: the next note explains a second Ctrl-C. */
static bool is_after_ctrl_c(live *l)
{
    const bool is_first = stop_asked == SIGINT && !l->noted;
    l->noted = l->noted || is_first;
    return is_first;
}

int live_listen(void *user, pav_event event, const pav_progress *progress,
                const char *text)
{
    live *l = user;
    if (event == PAV_EVENT_WARNING || (!l->quiet && event == PAV_EVENT_NOTE)) {
        erase(l);
        fprintf(stderr, "%s%s\n", text,
                is_after_ctrl_c(l) ? " (a second Ctrl-C ends the command at once)" : "");
    } else if (event == PAV_EVENT_SETUP) {
        draw_setup(l, "set-up: ", text);
    } else if (!l->quiet && is_due(l, progress) && progress->step < progress->steps) {
        draw(l, progress);
    }
    return interrupted();
}

void live_close(live *l)
{
    erase(l);
}
