/* SPDX-License-Identifier: BSD-3-Clause */
/* Shared inside run only: chooses the steps and tiles of time blocks (exec/time). */
#ifndef RUN_TIME_PRIVATE_H
#define RUN_TIME_PRIVATE_H

#include "exec/time/time.h"
#include "run/run_private.h"

/* ---- the next time block (time_choose.c, time_model.c) ----------------------------- */

enum { MOST_SHAPES = 12 };
typedef struct time_trial {
    schedule shape;  /* one step: single steps */
    double bytes;    /* bytes of a point and step to memory, by the model */
    double forecast; /* seconds of a step by the model; 0: unknown */
    char words[SCHEDULE_STRING];
} time_trial;
struct time_choice {
    time_state state;
    bool forced;     /* single steps only if necessary */
    bool waits;      /* waits for a larger budget */
    bool has_rows;   /* shapes use the same rows as single steps */
    bool tried_rows; /* the fastest was tried with the other rows, too */
    int threads;
    int count;
    tuner tuner;
    time_trial trial[MOST_SHAPES + 1];
};
/* Opens the trials of the listed shapes. */
void time_open_trials(time_choice *c);
/* Steps of the next trial in a run of `known` steps (0: unknown): few for an untried
 * shape; 0: no trial may begin now. */
int time_next_trial(time_choice *c, int64_t known, int64_t done);
/* Notes `seconds` a step for the trial; probe: the trial took few steps. */
void time_note(time_choice *c, int steps, double seconds, bool probe);
schedule time_requested(const pav_run *run); /* from the run's options */
/* Gives shapes the tuned number of rows of single steps. */
void time_take_rows(const pav_run *run, time_choice *c);
int64_t time_line(int dim); /* points across columns; widths are multiples of it */
/* The k-th neighbour of a tile's size: half or twice its width or height; false: none. */
enum { TIME_OTHERS = 4 };
bool time_other_size(int dim, const schedule *shape, int k, schedule *other);
/* The best shapes by the model, for the caches of this host. requested: 0 leaves a
 * setting free. */
int time_model(const pav_run *run, const ir_blocking *b, const schedule *requested,
               const kernel_host *host, int most, time_trial *trial);

/* ---- time blocks ------------------------------------------------------------------- */

/* Prepares a state for a block of `steps` steps. */
pav_status time_state_ready(const pav_run *run, time_state *s, int steps);
/* True if a sample records after the step that is `step` steps after the present one. */
bool time_sample_is_due(const pav_run *run, const recorder *r, int64_t step);
/* Keeps the rows of samples within a time block with first step `step`. */
pav_status time_keep_rows(pav_run *run, const time_state *s, int64_t step, int steps);

#endif
