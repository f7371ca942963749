/* SPDX-License-Identifier: BSD-3-Clause */
/* Places are the devices of a run. Each has a kind (place.c), and holds the fields
 * and executors of some subdomains. A run asks places about kernels, memory and rates
 * through this header; a GPU answers by exec/gpu/gpu.h. Folders above exec ask for the
 * kind of a place alone. */
#ifndef EXEC_PLACE_PLACE_H
#define EXEC_PLACE_PLACE_H

#include "codegen/codegen.h"
#include "exec/exec.h"

/* ---- sets of kernels, for checks (gpu/gpu_place.c) --------------------------------- */

/* Kernels of some programs, compiled by one call for a device that outlives the set.
 * candidates: schedules, see emit_gpu_source; they must outlive the set. */
typedef struct place_set place_set;
pav_status place_set_open(gpu *g, const ir *const *code, int64_t count,
                          const schedule *const *candidates, const char *head,
                          unsigned how, place_set **result);
void place_set_close(place_set *set);
/* Adds fused launches with schedules that outlive the set; NULL: the program has none. */
pav_status place_set_add_launches(place_set *set, const ir *const *code, int64_t count,
                                  const schedule *const *fused, const char *head,
                                  unsigned how);
const schedule *place_set_fused(const place_set *set, int64_t number); /* or NULL */

/* Kernels that exist before the run, for checks; `like`: an executor of another run to
 * share device and memory with. */
typedef struct place_source {
    const pav_device *device;
    const place_set *set; /* or NULL: compile */
    int64_t number;       /* of the program in the set */
    int64_t planes;       /* for checks: planes of every sweep; 0: tuned */
    const executor *like; /* or NULL */
} place_source;

/* ---- kinds of places (place.c) ----------------------------------------------------- */

/* Measured rates of a device, the machine's name as a key to store them, and the number
 * of threads; 0 if threads play no role. */
typedef struct place_rates {
    machine_rates rate;
    char machine[160];
    int threads;
} place_rates;
/* Measurements of a device: copy bandwidth of its memory in bytes a second, seconds to
 * move the bytes to the host and back, and free bytes. All are 0 if fields lie in the
 * host's memory. */
typedef struct place_measured {
    double rate, exchange;
    int64_t free;
} place_measured;
/* Stages are interpreted; kernels for the host's processors; kernels of a GPU, with GPU
 * schedules, launches that may fuse steps, and fields in its memory, so the host uses
 * mirrors. */
typedef enum place_kind { PLACE_INTERPRETER, PLACE_PROCESSORS, PLACE_GPU } place_kind;
place_kind place_kind_of(const pav_device *device); /* NULL: the interpreter */
/* Refused for the interpreter. threads: of the host, if it computes. */
pav_status place_measure_rates(const pav_device *device, int threads, place_rates *found);
/* True if schedules can be chosen; false for the interpreter. */
bool place_has_schedules(const pav_device *device);
schedule_place place_schedules(const pav_device *device, const char *name);

/* ---- devices with memory of their own ---------------------------------------------- */

/* Forecast for a stage: the first schedule to try and the number of candidates, none if
 * the host runs the stage; bytes of all points by cost_stage_bytes. */
typedef struct stage_forecast {
    schedule schedule;
    int tried;
    double bytes;
    int64_t with; /* number of later stages in its launch; -1: an earlier one's launch */
} stage_forecast;
typedef struct launch_forecast {
    /* the request; the request with all defaults filled in */
    schedule requested, schedule;
    double bytes;   /* of a point and step */
    int64_t shared; /* bytes of a block */
    int shorter;    /* depth of the shorter launch; 0: none */
    step_cost cost; /* between observations */
} launch_forecast;
typedef struct launch_list {
    int count;
    launch_forecast launch[EMIT_GPU_FUSED_CANDIDATES];
} launch_list;

/* A compiled fused launch of a grid out of core, and one visit by it. The visit stores
 * the planes begin .. end - 1. */
typedef struct gpu_fused place_launch;
typedef struct place_visit {
    int64_t begin, end;
    int64_t first, last; /* planes of the window */
    int64_t behind;      /* end of the planes to read, without ghosts */
    bool goes_on; /* A periodic axis continues behind the last plane: the window holds the
                   * first planes there, and indices do not wrap. */
    const void *numbers;
} place_visit;

/* ---- a place of a run (place.c) ---------------------------------------------------- */

typedef struct exec_place {
    place_kind kind;
    const pav_device *device; /* while the run is opened; NULL: in a check */
    char name[64];
    executor *executor; /* of its first subdomain; NULL: the host */
    double rate;        /* copy bandwidth in bytes a second; 0: not measured */
    int64_t memory;     /* bytes for fields; 0: the host's memory, or unknown */
} exec_place;
/* Opens a place; without an executor if the fields are in the host's memory. */
pav_status place_open(exec_place *p, exec_client *client, subdomain *part,
                      const place_source *from);
pav_status place_compile(const exec_place *p);
/* Opens a further subdomain, with the kernels of the first; nothing to do on the host. */
pav_status place_open_another(const exec_place *p, subdomain *part);
bool place_has_memory(const exec_place *p); /* open, with memory of its own */
pav_status place_measure(const exec_place *p, int64_t bytes, place_measured *found);

/* The machine of a place; threads: of the host, in use. place_caches: bytes of all caches
 * open to these threads. */
machine_facts place_machine(const exec_place *p, int threads);
int64_t place_caches(const exec_place *p, int threads);
/* Free memory for one of `runs` runs on the device; has_hosts_memory: the device uses the
 * host's memory. */
int64_t place_free_memory(const exec_place *p, int runs);
bool place_has_hosts_memory(const exec_place *p);
int64_t place_reduction_bytes(const exec_place *p, const ir *code);
pav_status place_copy_rate(const exec_place *p, host_team *team, copy_rate *rate);
/* Measured rates of the link to the host; times of exchanges over it (NULL: none); memory
 * of the host pinned for copies by the device. For the host itself these do nothing. */
pav_status place_link_rates(const exec_place *p, machine_rates *rate);
const gpu_exchange_time *place_exchange_times(const exec_place *p, int64_t *count);
pav_status place_pin(const exec_place *p, void *memory, int64_t bytes);
void place_unpin(const exec_place *p, void *memory);

/* Median and best of a few passes. g NULL: of the host by a team. */
pav_status copy_rate_of(gpu *g, host_team *team, copy_rate *rate);

/* Measures copy bandwidth (rates.c), in bytes read and written a second, pass by
 * pass. g NULL: of the host, where a team copies. */
typedef struct place_copying place_copying;
pav_status place_copying_open(gpu *g, host_team *team, place_copying **result);
pav_status place_copying_pass(place_copying *c, double *rate);
void place_copying_close(place_copying *c);

/* Schedules to be tried at an open place; nothing for the host (src/runs/run/time does
 * that). choose: selects the schedules to compile; candidate: the nth schedule of a
 * stage, or NULL. launches: for a schedule with several steps; at least one must be
 * possible, otherwise it is refused; NULL: all candidates. fewest: depth of the shortest
 * candidate; 0: there is none, and pav_message tells why. make_all compiles all
 * candidates now, for a bundle. is_complete: all candidates were tried, in a run that is
 * long enough. */
pav_status place_choose(const exec_place *p);
const schedule *place_candidate(const exec_place *p, int64_t stage, int n);
pav_status place_forecast(const exec_place *p, int64_t stage, stage_forecast *f);
pav_status place_launches(const exec_place *p, const schedule *requested,
                          launch_list *list);
pav_status place_fewest(const exec_place *p, int *fewest);
pav_status place_make_all(const exec_place *p);
bool place_is_complete(const exec_place *p);
bool place_is_late(const exec_place *p); /* the first candidate is still being compiled */
/* Describes a fused launch; refused if the device or the program cannot run it, and on
 * the host. `requested` gets the settings for this device. */
pav_status place_find_launch(const exec_place *p, schedule *requested,
                             emit_gpu_fused *what);
/* Seconds to compile its kernels: 0 if they are cached, infinite if the compiler may not
 * be called. */
double place_compiles(const exec_place *p, const schedule *suited);

/* ---- fused launches ---------------------------------------------------------------- */

/* Compiles a launch for visits of `planes` planes, with what->most steps. */
pav_status place_launch_make(executor *e, const schedule *requested, int64_t planes,
                             place_launch **launch);
/* Gives the launch the sources of the whole grid. */
pav_status place_launch_points(executor *e, place_launch *launch, subdomain *whole);
pav_status place_launch_visit(executor *e, place_launch *p, const place_visit *v);
/* The samples of a visit, after each step but the last: values of all neighbours, in the
 * type of the field. *moves: false if no step changes the field, so nothing was
 * sampled. */
pav_status place_launch_samples(executor *e, const place_launch *launch,
                                const statement *sample, void *values, bool *moves);
const emit_gpu_fused *place_launch_what(const place_launch *p);
/* Computes the numbers of some steps, what->number_bytes each, from the scalars of a
 * subdomain. */
pav_status place_launch_numbers(subdomain *part, const place_launch *p, int64_t first,
                                int steps, void *numbers);
void place_launch_free(place_launch *p);
/* For subdomains: each executor makes and frees a launch of its own; *what describes
 * it. */
pav_status place_make_within(executor *e, const schedule *requested, int64_t planes,
                             const emit_gpu_fused **what);
pav_status place_visit_within(executor *e, const place_visit *v);
/* Numbers of the next steps of a whole; any of its subdomains may use them. */
pav_status place_numbers_within(subdomain *whole, int steps, void *numbers);

/* Seconds that a run must last before a launch is compiled without a request: if the run
 * waits for the compiler, and if another thread compiles. launch_is_short: the run is
 * certainly shorter. launch_may_be: the run may use fused launches, so its fields need
 * buffers for them. */
enum { LAUNCH_WORTH = 10, LAUNCH_WORTH_AHEAD = 1 };
bool launch_is_short(const exec_client *client, double worth);
pav_status launch_may_be(const exec_client *client, const ir *code, bool *fuses_steps);

#endif
