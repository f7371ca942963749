/* SPDX-License-Identifier: BSD-3-Clause */
/* Places with memory of their own: what a run asks of them before it takes steps, of
 * their memory, of the schedules that they may try, and for fused launches out of core.
 * exec/gpu fills the table in; above it nothing asks which device that is. */
#ifndef EXEC_FAR_FAR_H
#define EXEC_FAR_FAR_H

#include "codegen/codegen.h"
#include "exec/client/client.h"
#include "exec/exec.h"

/* Kernels that are there before a run is, for checks; an executor of another run whose
 * device and memory this one has, too. */
struct gpu_set;
typedef struct far_source {
    const pav_device *device;
    const struct gpu_set *set; /* or NULL: they are made */
    int64_t number;            /* of the program in the set */
    int64_t planes;            /* for checks: of every sweep; 0: they are tried */
    const executor *like;      /* or NULL */
} far_source;
/* *result: not compiled yet; NULL where the device keeps fields in the host's memory. */
pav_status far_open(exec_client *client, subdomain *part, const far_source *from,
                    executor **result);
/* Bytes a second at which a device copies its memory, seconds in which so many bytes go
 * to the host and back, and bytes that are free: measured. 0: it keeps fields in the
 * host's memory. */
typedef struct far_measured {
    double rate, exchange;
    int64_t free;
} far_measured;
pav_status far_measure(const pav_device *device, int64_t bytes, far_measured *found);

/* A stage: the schedule that comes first of those that its first steps try, none where
 * the host runs it; and bytes of all its points, as of cost_stage_bytes. */
typedef struct stage_forecast {
    schedule schedule;
    int tried;
    double bytes;
} stage_forecast;
typedef struct launch_forecast {
    schedule requested, schedule; /* as asked for; with nothing left to defaults */
    double bytes;                 /* of a point and step */
    int64_t shared;               /* bytes of a block */
    int shorter;                  /* steps of the shorter launch; 0: there is none */
    step_cost cost;               /* between observations */
} launch_forecast;
typedef struct launch_list {
    int count;
    launch_forecast launch[EMIT_GPU_FUSED_CANDIDATES];
} launch_list;

/* A fused launch of a grid out of core that is made, and what it does of a visit: planes
 * from begin up to end are stored. */
typedef struct gpu_fused far_launch;
typedef struct far_visit {
    int64_t begin, end;
    int64_t first, last; /* planes that the window has, */
    int64_t behind;      /* and the end of those that are read, but for ghosts */
    const void *numbers;
} far_visit;

struct far_ops {
    /* Kernels are made; of a further subdomain those of the first, `self`. */
    pav_status (*compile)(executor *self);
    pav_status (*open_beside)(const executor *self, subdomain *part);

    machine_facts (*machine)(const executor *self);
    /* Its memory: what is free, and of so many runs at once; whether it is the host's
     * after all. */
    int64_t (*free_memory)(const executor *self, int beside);
    bool (*has_hosts_memory)(const executor *self);
    int64_t (*reduction_bytes)(const ir *code); /* that it takes besides fields */
    pav_status (*copy_rate)(const executor *self, copy_rate *rate);
    /* Those between it and the host, measured: within a tenth of a second. */
    pav_status (*link_rates)(const executor *self, machine_rates *rate);
    /* Memory of the host that it then copies by itself. */
    pav_status (*pin)(executor *self, void *memory, int64_t bytes);
    void (*unpin)(executor *self, void *memory);
    const gpu_exchange_time *(*exchange_times)(const executor *self, int64_t *count);

    /* By which schedules kernels are compiled; the nth of a stage, or NULL. */
    pav_status (*choose)(executor *self);
    const schedule *(*candidate)(const executor *self, int64_t stage, int n);
    pav_status (*forecast)(const executor *self, int64_t stage, stage_forecast *f);
    /* Launches that a schedule of several steps asks for, at least one, else it is
     * refused; NULL: all candidates. */
    pav_status (*launches)(const executor *self, const schedule *requested,
                           launch_list *list);
    /* Steps of the shortest candidate; 0: there is none, as pav_message says. */
    pav_status (*fewest)(const executor *self, int *fewest);
    /* All that it may try is compiled now, for a bundle; or has been tried, in a run that
     * is long enough. */
    pav_status (*make_all)(executor *self);
    bool (*is_complete)(const executor *self);

    /* What a fused launch would be; refused where the device or the program cannot.
     * `requested`: with what suits this device from then on. */
    pav_status (*find_launch)(const executor *self, schedule *requested,
                              emit_gpu_fused *what);
    /* One for visits of so many planes, compiled; of what->most steps. */
    pav_status (*make_launch)(executor *self, const schedule *requested, int64_t planes,
                              far_launch **launch);
    pav_status (*visit)(executor *self, far_launch *launch, const far_visit *v);
};
const emit_gpu_fused *far_launch_what(const far_launch *p);
/* The numbers of some steps, what->number_bytes of each, as scalars of a subdomain give
 * them. */
pav_status far_launch_numbers(subdomain *part, const far_launch *p, int64_t first,
                              int steps, void *numbers);
void far_launch_free(far_launch *p);
/* For subdomains: each has one of its own, which its executor frees; what it is in
 * *what. */
pav_status far_make_within(executor *e, const schedule *requested, int64_t planes,
                           const emit_gpu_fused **what);
pav_status far_visit_within(executor *e, const far_visit *v);
/* Those of the next steps of a whole, as any of its subdomains takes them. */
pav_status far_numbers_within(subdomain *whole, int steps, void *numbers);

/* Seconds that a run takes at least for what is compiled unasked to be worth it, where it
 * waits for the compiler, and where another thread does; whether it is shorter for sure.
 * Whether it may come to take fused launches, so that its fields need buffers for
 * them. */
enum { LAUNCH_WORTH = 10, LAUNCH_WORTH_AHEAD = 1 };
bool launch_is_short(const exec_client *client, double worth);
pav_status launch_may_be(const exec_client *client, const ir *code, bool *passes);

#endif
