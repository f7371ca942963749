/* SPDX-License-Identifier: BSD-3-Clause */
/* Client of the executors: the run. Executors call it by one table of operations, so they
 * need not know observers, outputs, checkpoints and options. */
#ifndef EXEC_CLIENT_CLIENT_H
#define EXEC_CLIENT_CLIENT_H

#include "exec/exec.h"
#include "lang/lang.h"
#include "schedule/schedule.h"

/* State that changes from step to step. */
typedef struct client_state {
    int64_t steps;     /* of the run; 0: unknown */
    int64_t expected;  /* a solver may end after this many steps */
    double seconds;    /* of the steps so far */
    double step_bytes; /* least memory traffic of a step */
    int64_t inners;    /* subdomains sharing the host's caches; 0: the grid is not cut */
    bool only_single;  /* single steps are known to be fastest */
    bool wants_single; /* a stop or a checkpoint waits for a single step */
} client_state;

typedef struct exec_client exec_client;
typedef pav_status sample_visit(void *user, const statement *s, sampler *of);
typedef struct exec_client_ops {
    client_state (*state)(const exec_client *c);
    /* one_step: takes a single step, stage by stage. record: does the work due after a
     * step, unless it is the last one. */
    pav_status (*one_step)(exec_client *c);
    pav_status (*record)(exec_client *c);
    /* Counts steps taken by one launch. shorter: by a shorter launch before an
     * observation. */
    void (*count)(exec_client *c, int64_t steps, bool shorter);
    /* Steps until the next observation, at most `most`. */
    int64_t (*until_event)(const exec_client *c, int64_t most);
    /* Steps between observations, or steps of the run if it is shorter; 0: unlimited.
     * list_observers: adds the observers that act more often than every `least` steps. */
    int64_t (*to_observer)(const exec_client *c);
    void (*list_observers)(const exec_client *c, int64_t least, text *why);
    /* sampler_of: sampler of a sample statement. each_sample: visits all samples due
     * after a step, and marks them taken. */
    const sampler *(*sampler_of)(const exec_client *c, const statement *s);
    pav_status (*each_sample)(exec_client *c, int64_t step, sample_visit *visit,
                              void *user);
    /* A schedule known to be fast for a stage, or NULL; is_hint: known from another
     * size. */
    const schedule *(*known)(const exec_client *c, int64_t stage, bool *is_hint);
    /* Threads for kernels of the host. threads: their number. host_team: creates the team
     * if needed. has_kernels: tells if such kernels exist. */
    int (*threads)(const exec_client *c);
    pav_status (*host_team)(exec_client *c, host_team **team);
    void (*has_kernels)(exec_client *c, bool there);
    void (*report)(const exec_client *c, bool warning, const char *line);
} exec_client_ops;

struct exec_client {
    const exec_client_ops *ops;
    const program *program;
    const schedule *schedule; /* requested */
    const char *device_name;
    machine_facts machine; /* machine of its first place */
    bool rough;            /* for benchmarks: no trials */
    bool noted_hosts;      /* a note told that the host runs some stages of a GPU */
};

void exec_note(const exec_client *c, const char *format, ...) PRINTF_LIKE(2, 3);
void exec_warn(const exec_client *c, const char *format, ...) PRINTF_LIKE(2, 3);

#endif
