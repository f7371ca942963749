/* SPDX-License-Identifier: BSD-3-Clause */
/* Shared inside run only: which steps are taken in time blocks (exec/time), and by which
 * tiles. */
#ifndef RUN_TIME_PRIVATE_H
#define RUN_TIME_PRIVATE_H

#include "exec/time/time.h"
#include "run/run_private.h"

/* ---- which time block is next (time_choose.c, time_model.c) ------------------------ */

enum { MOST_SHAPES = 12 };
typedef struct time_trial {
    schedule shape;  /* of 1 step: single steps */
    double bytes;    /* of a point and step, to memory, as the model says */
    double forecast; /* seconds of a step by the model; 0: not known */
    double seconds;  /* of a step: the least */
    int tried;
    char words[SCHEDULE_STRING];
} time_trial;
struct time_choice {
    time_state state;
    bool forced;     /* no single steps but where they must be */
    bool waits;      /* for a budget that grows */
    bool has_rows;   /* shapes take rows as single steps do; */
    bool tried_rows; /* the fastest also takes them the other way */
    int threads;
    int count, fastest, current, losses; /* current: being tried; count: none is */
    trial_budget budget;
    time_trial trial[MOST_SHAPES + 1];
};
/* Steps of the next trial of a run of so many steps (0: nobody knows): of a shape that
 * was not tried, a few; 0: none may begin now. */
int time_next_trial(time_choice *c, int64_t known, int64_t done);
/* Such a trial took so many seconds a step; probe: it was of a few. */
void time_note(time_choice *c, int steps, double seconds, bool probe);
schedule time_requested(const pav_run *run); /* as the run's options say */
/* Gives shapes the rows at a time of single steps, which are tuned. */
void time_take_rows(const pav_run *run, time_choice *c);
int64_t time_line(int dim); /* points across columns that tiles are multiples of */
/* The k-th neighbour of a tile's size, half or twice as wide or high; false: none. */
enum { TIME_OTHERS = 4 };
bool time_other_size(int dim, const schedule *shape, int k, schedule *other);
/* Shapes that the model thinks best, for the caches of this host. requested: what is 0 is
 * free. */
int time_model(const pav_run *run, const ir_blocking *b, const schedule *requested,
               const kernel_host *host, int most, time_trial *trial);

/* ---- time blocks (time_events.c, time_subdomains.c) -------------------------------- */

/* Before a block of so many steps of a state. */
pav_status time_state_ready(const pav_run *run, time_state *s, int steps);
/* Why subdomains cannot take time blocks, in `why`; whether they may: so may the whole.
 * Ranks try what the first does. */
void time_within_refusal(const pav_run *run, text *why);
bool time_within_may_be(const pav_run *run);
pav_status time_within_agree(const pav_run *run, time_choice *c);
/* Steps until something observes the fields, at most `most`. */
int64_t time_until_event(const pav_run *run, int64_t most);
/* Whether a sample records after the step so many steps after the run's present one. */
bool time_sample_is_due(const recorder *r, int64_t step);
/* Rows of samples of the steps within a time block that began with `step`. */
pav_status time_keep_rows(pav_run *run, const time_state *s, int64_t step, int steps);

#endif
