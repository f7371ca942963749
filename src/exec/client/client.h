/* SPDX-License-Identifier: BSD-3-Clause */
/* What executors of kernels ask of their client, the run that takes steps by them: one
 * table of operations, so that they know nothing of observers, outputs, checkpoints and
 * options. */
#ifndef EXEC_CLIENT_CLIENT_H
#define EXEC_CLIENT_CLIENT_H

#include "exec/exec.h"
#include "lang/lang.h"
#include "schedule/schedule.h"

/* What changes while steps are taken. */
typedef struct client_state {
    int64_t steps;     /* of all; 0: nobody knows */
    int64_t expected;  /* a solver may end after so many of them */
    double seconds;    /* of those that were taken */
    double step_bytes; /* that a step must at least move */
    int64_t inners;    /* subdomains that share the host's caches; 0: it is not cut */
    bool only_single;  /* single steps are known to be the fastest */
    bool wants_single; /* next: a stop or a checkpoint waits for one */
} client_state;

typedef struct exec_client exec_client;
typedef pav_status sample_visit(void *user, const statement *s, sampler *of);
typedef struct exec_client_ops {
    client_state (*state)(const exec_client *c);
    /* A single step, stage by stage; and what is due after it, if it is not the last. */
    pav_status (*one_step)(exec_client *c);
    pav_status (*record)(exec_client *c);
    /* So many steps were taken at once. shorter: by a launch that fits in before an
     * observation. */
    void (*count)(exec_client *c, int64_t steps, bool shorter);
    /* Steps until something observes the fields, at most `most`. */
    int64_t (*until_event)(const exec_client *c, int64_t most);
    /* Steps from one observation to the next, or all, where there are fewer; 0: no end is
     * known. Adds what observes more often than every `least` steps. */
    int64_t (*to_observer)(const exec_client *c);
    void (*list_observers)(const exec_client *c, int64_t least, text *why);
    /* Of a sample of the program; and of all that are due after a step, which count as
     * taken then. */
    const sampler *(*sampler_of)(const exec_client *c, const statement *s);
    pav_status (*each_sample)(exec_client *c, int64_t step, sample_visit *visit,
                              void *user);
    /* The schedule of a stage that is known to be fast, or NULL; is_hint: on another
     * size. */
    const schedule *(*known)(const exec_client *c, int64_t stage, bool *is_hint);
    /* Threads for kernels of the host: how many; opened where there are none; and whether
     * there are such kernels. */
    int (*threads)(const exec_client *c);
    pav_status (*host_team)(exec_client *c, host_team **team);
    void (*has_kernels)(exec_client *c, bool there);
    void (*report)(const exec_client *c, bool warning, const char *line);
} exec_client_ops;

struct exec_client {
    const exec_client_ops *ops;
    const program *program;
    const schedule *schedule; /* that is asked for */
    const char *device_name;
    machine_facts machine; /* that its first place is */
    bool rough;            /* it is for measurements: nothing is tried */
    bool noted_hosts;      /* that the host runs some stages of a GPU */
};

void exec_note(const exec_client *c, const char *format, ...) PRINTF_LIKE(2, 3);
void exec_warn(const exec_client *c, const char *format, ...) PRINTF_LIKE(2, 3);

#endif
