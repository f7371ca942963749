/* SPDX-License-Identifier: BSD-3-Clause */
/* Places: the devices of a run, each of a kind (place_kinds.c), with the fields and
 * executors of some subdomains. What a run asks of one, before it takes steps and of its
 * memory, it asks here, and any of them answers; a device with memory of its own does so
 * by the table place_ops. Above exec nothing asks which device that is. */
#ifndef EXEC_PLACE_PLACE_H
#define EXEC_PLACE_PLACE_H

#include "codegen/codegen.h"
#include "exec/client/client.h"
#include "exec/exec.h"

/* ---- sets of kernels, for checks (gpu/gpu_set.c) ----------------------------------- */

/* Of some programs, made by one call of the compiler for a device that outlives them.
 * candidates: schedules, see emit_gpu_source; they last as long as the set. */
typedef struct place_set place_set;
pav_status place_set_open(gpu *g, const ir *const *code, int64_t count,
                          const schedule *const *candidates, const char *head,
                          unsigned how, place_set **result);
void place_set_close(place_set *set);
/* With fused launches, by schedules that last as long as the set; NULL: the program has
 * none. */
pav_status place_set_add_launches(place_set *set, const ir *const *code, int64_t count,
                                  const schedule *const *fused, const char *head,
                                  unsigned how);
const schedule *place_set_fused(const place_set *set, int64_t number); /* or NULL */

/* Kernels that are there before a run is, for checks; an executor of another run whose
 * device and memory this one has, too. */
typedef struct place_source {
    const pav_device *device;
    const place_set *set; /* or NULL: they are made */
    int64_t number;       /* of the program in the set */
    int64_t planes;       /* for checks: of every sweep; 0: they are tried */
    const executor *like; /* or NULL */
} place_source;

/* ---- kinds of places (place_kinds.c) ----------------------------------------------- */

/* What generated programs are written in. */
typedef enum place_language { PLACE_NO_TEXT, PLACE_C, PLACE_CUDA } place_language;
/* The rates of a device, measured; a name of the machine, for who keeps them; and the
 * threads that they are of, 0 where they are of no threads. */
typedef struct place_rates {
    machine_rates rate;
    char machine[160];
    int threads;
} place_rates;
/* Bytes a second at which a device copies its memory, seconds in which so many bytes go
 * to the host and back, and bytes that are free: measured; all 0: it keeps fields in the
 * host's memory. */
typedef struct place_measured {
    double rate, exchange;
    int64_t free;
} place_measured;
typedef struct place_kind {
    bool (*is_of)(const pav_device *device);
    bool own_memory; /* fields lie in the device's, which the host sees by mirrors */
    bool kernels;    /* stages are kernels for the host's processors */
    bool launches;   /* they go by schedules of GPUs, and several steps may be a launch */
    place_language language;
    /* The executor of the first subdomain, whose kernels are not compiled yet. NULL:
     * there is none before the fields have memory. */
    pav_status (*open)(exec_client *client, subdomain *part, const place_source *from,
                       executor **result);
    /* NULL: its memory is the host's, whose team says it. */
    pav_status (*measure)(const pav_device *device, int64_t bytes, place_measured *found);
    /* threads: of the host's, where it has some. */
    pav_status (*rates)(const pav_device *device, int threads, place_rates *found);
} place_kind;
extern const place_kind gpu_place;                         /* gpu/gpu_place.c */
const place_kind *place_kind_of(const pav_device *device); /* NULL: the interpreter */
/* Of a name with or without a number, though no such device may be here; NULL: the name
 * is none of the table, as auto is. */
const place_kind *place_kind_named(const char *name);
/* Whether there is anything to choose of schedules: not for the interpreter. */
bool place_has_schedules(const pav_device *device);
schedule_place place_schedules(const pav_device *device, const char *name);

/* ---- devices with memory of their own ---------------------------------------------- */

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
typedef struct gpu_fused place_launch;
typedef struct place_visit {
    int64_t begin, end;
    int64_t first, last; /* planes that the window has, */
    int64_t behind;      /* and the end of those that are read, but for ghosts */
    bool goes_on; /* along an axis that wraps around indices do not: they go on behind the
                     last plane, where the first ones lie in the window */
    const void *numbers;
} place_visit;

struct place_ops {
    /* Kernels are made; of a further subdomain those of the first, `self`. */
    pav_status (*compile)(executor *self);
    pav_status (*open_another)(const executor *self, subdomain *part);

    machine_facts (*machine)(const executor *self);
    /* Its memory: what is free, and of so many runs at once; whether it is the host's
     * after all. */
    int64_t (*free_memory)(const executor *self, int others);
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
    /* Seconds until its kernels are there: 0 where they were compiled before, and without
     * end where they may not be. */
    double (*compiles)(const executor *self, const schedule *requested);
    /* One for visits of so many planes, compiled; of what->most steps. */
    pav_status (*make_launch)(executor *self, const schedule *requested, int64_t planes,
                              place_launch **launch);
    pav_status (*visit)(executor *self, place_launch *launch, const place_visit *v);
};
/* ---- a place of a run (place.c) ---------------------------------------------------- */

typedef struct exec_place {
    const place_kind *kind;
    const pav_device *device; /* while the run is opened; NULL: of a check */
    char name[64];
    executor
        *executor; /* of its first subdomain; NULL: its fields are in the host's memory */
    double rate;   /* bytes a second that it copies; 0: not measured */
    int64_t memory; /* bytes that fields may take there; 0: the host's, or not asked */
} exec_place;
/* No executor where the fields are in the host's memory. */
pav_status place_open(exec_place *p, exec_client *client, subdomain *part,
                      const place_source *from);
pav_status place_compile(const exec_place *p);
/* A further subdomain there, with the kernels of the first; none on the host. */
pav_status place_open_another(const exec_place *p, subdomain *part);
bool place_has_memory(const exec_place *p); /* it is open, with memory of its own */
pav_status place_measure(const exec_place *p, int64_t bytes, place_measured *found);
/* How it gets halos from another, or from itself; from NULL: from the host's memory, as
 * those of other ranks. */
halo_link place_link(const exec_place *to, const exec_place *from);
/* Whether work for it goes on while the host does other things. */
bool place_is_asynchronous(const exec_place *p);

/* The machine; threads: of the host's that it takes. Bytes of all caches that they may
 * use. */
machine_facts place_machine(const exec_place *p, int threads);
int64_t place_caches(const exec_place *p, int threads);
/* Its memory: what is free of it, and of so many runs at once; whether it is the host's
 * after all. */
int64_t place_free_memory(const exec_place *p, int runs);
bool place_has_hosts_memory(const exec_place *p);
int64_t place_reduction_bytes(const exec_place *p, const ir *code);
pav_status place_copy_rate(const exec_place *p, host_team *team, copy_rate *rate);
/* The link between it and the host, measured; what was exchanged over it, NULL: nothing
 * was; memory of the host that it then copies by itself. Of the host's nothing. */
pav_status place_link_rates(const exec_place *p, machine_rates *rate);
const gpu_exchange_time *place_exchange_times(const exec_place *p, int64_t *count);
pav_status place_pin(const exec_place *p, void *memory, int64_t bytes);
void place_unpin(const exec_place *p, void *memory);
pav_status host_copy_rate(host_team *team, copy_rate *rate); /* of a few passes */

/* place_copying.c: memory of a place, copied pass by pass: bytes a second, read and
 * written. Of the host's, by a team; of a GPU that is open. */
typedef struct place_copying place_copying;
pav_status place_copying_open(const exec_place *p, host_team *team,
                              place_copying **result);
pav_status place_copying_of_gpu(gpu *g, place_copying **result);
pav_status place_copying_pass(place_copying *c, double *rate);
void place_copying_close(place_copying *c);

/* What will be tried, of a place that is open; nothing of the host's (time/ of run has
 * that). Each as of place_ops. */
pav_status place_choose(const exec_place *p);
const schedule *place_candidate(const exec_place *p, int64_t stage, int n);
pav_status place_forecast(const exec_place *p, int64_t stage, stage_forecast *f);
pav_status place_launches(const exec_place *p, const schedule *requested,
                          launch_list *list);
pav_status place_fewest(const exec_place *p, int *fewest);
pav_status place_make_all(const exec_place *p);
bool place_is_complete(const exec_place *p);
/* Refused on the host, which has no launches. */
pav_status place_find_launch(const exec_place *p, schedule *requested,
                             emit_gpu_fused *what);
double place_compiles(const exec_place *p, const schedule *requested);

/* ---- fused launches ---------------------------------------------------------------- */

/* One for visits of so many planes, and a visit, as of place_ops. */
pav_status place_launch_make(executor *e, const schedule *requested, int64_t planes,
                             place_launch **launch);
/* Its sources, which the whole grid has. */
pav_status place_launch_points(executor *e, place_launch *launch, subdomain *whole);
pav_status place_launch_visit(executor *e, place_launch *launch, const place_visit *v);
/* What a sample saw in the planes of such a visit, after each step but the last: the
 * values of all its neighbours, as the field is stored. *moves: false where steps leave
 * the field alone, so that nothing was seen. */
pav_status place_launch_samples(executor *e, const place_launch *launch,
                                const statement *sample, void *values, bool *moves);
const emit_gpu_fused *place_launch_what(const place_launch *p);
/* The numbers of some steps, what->number_bytes of each, as scalars of a subdomain give
 * them. */
pav_status place_launch_numbers(subdomain *part, const place_launch *p, int64_t first,
                                int steps, void *numbers);
void place_launch_free(place_launch *p);
/* For subdomains: each has one of its own, which its executor frees; what it is in
 * *what. */
pav_status place_make_within(executor *e, const schedule *requested, int64_t planes,
                             const emit_gpu_fused **what);
pav_status place_visit_within(executor *e, const place_visit *v);
/* Those of the next steps of a whole, as any of its subdomains takes them. */
pav_status place_numbers_within(subdomain *whole, int steps, void *numbers);

/* Seconds that a run takes at least for what is compiled unasked to be worth it, where it
 * waits for the compiler, and where another thread does; whether it is shorter for sure.
 * Whether it may come to take fused launches, so that its fields need buffers for
 * them. */
enum { LAUNCH_WORTH = 10, LAUNCH_WORTH_AHEAD = 1 };
bool launch_is_short(const exec_client *client, double worth);
pav_status launch_may_be(const exec_client *client, const ir *code, bool *fuses_steps);

#endif
