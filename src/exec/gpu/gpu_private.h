/* SPDX-License-Identifier: BSD-3-Clause */
/* Shared inside exec only: the executor of a subdomain that is on a GPU.
 *
 * The views of such a subdomain (part->field, part->view) point into the GPU's memory. A
 * buffer gets a host mirror in the host's memory, of the same layout, when the host first
 * asks for it (subdomain_host_view); who of the two is newer is known, and copies are
 * made when the older one is asked for. */
#ifndef EXEC_GPU_PRIVATE_H
#define EXEC_GPU_PRIVATE_H

#include "exec/gpu/gpu.h"
#include "exec/host/host.h"

typedef struct gpurun gpurun;
typedef struct gpu_fused gpu_fused;
extern const place_ops gpu_place_ops; /* gpu_place.c */
static inline gpurun *gpurun_of(executor *e)
{
    return (gpurun *)e;
}
/* gpu_run.c, gpu_copy_rate.c: as of place_kind. */
pav_status gpurun_open(exec_client *client, subdomain *part, const place_source *from,
                       executor **result);
pav_status gpu_measure(const pav_device *device, int64_t bytes, place_measured *found);
pav_status gpurun_compile(gpurun *g);
pav_status gpurun_open_another(const gpurun *first, subdomain *part);
/* gpu_memory.c: taken besides fields. */
int64_t gpurun_reduction_bytes(const ir *code);
/* gpu_requested.c, gpu_choice.c */
pav_status gpurun_choose(gpurun *g);
const schedule *gpurun_candidate(const gpurun *g, int64_t stage, int n);
bool gpu_choice_is_complete(const gpurun *g);
pav_status gpu_choice_make_all(gpurun *g);
/* gpu_tuned.c: of those that gpurun_choose took. */
pav_status gpu_forecast_stage(const gpurun *g, int64_t stage, stage_forecast *f);
/* gpu_fused_forecast.c */
pav_status gpu_fused_fewest(const gpurun *g, int *fewest);
/* Fused launches that move less than `single` bytes a step by the model; 0: all
 * candidates. */
pav_status gpu_fused_candidates(const gpurun *g, double single,
                                launch_forecast list[EMIT_GPU_FUSED_CANDIDATES],
                                int *count);
pav_status gpu_fused_requested(const gpurun *g, const schedule *requested,
                               launch_forecast list[EMIT_GPU_FUSED_CANDIDATES],
                               int *count);
/* gpu_fused_find.c: a schedule gets what suits this GPU; and what a launch by it would
 * be: refused where this GPU or the program cannot. */
void gpu_fused_suit(const gpurun *g, schedule *candidate);
pav_status gpu_fused_find(const gpurun *g, schedule *requested, emit_gpu_fused *what);
/* gpu_fused_make.c: compiled in a module of its own, or (m) there in that of a set;
 * requested: its schedule. */
pav_status gpu_fused_make(gpurun *g, const schedule *requested, gpu_module *m,
                          gpu_fused **fused);
/* gpu_fused_launch.c */
pav_status gpu_fused_make_visits(gpurun *g, const schedule *requested, int64_t planes,
                                 gpu_fused **fused);
pav_status gpu_fused_visit_planes(gpurun *g, gpu_fused *p, const place_visit *v);

/* gpu_set.c: kernels of some programs, and those that know no stage. */
struct place_set {
    gpu *gpu;
    gpu_module *kernels, *common;
    emit_shared_kernels shared; /* stages that share a kernel */
    gpu_kernel *ghosts, *borders, *samples, *reductions, *nan_check, *copy, *fill;
    const schedule *const *candidates; /* schedules of stages of programs, or NULL */
    gpu_module *launches;              /* of programs that are checked; or NULL, */
    const schedule *const *fused;      /* and how each goes, or NULL */
};

/* The host's side of a buffer, once it was asked for. */
typedef struct host_mirror {
    char *memory; /* or NULL */
    view host;
    bool host_is_new, gpu_is_new; /* at least one is */
} host_mirror;

/* By which of a stage's kernels, and through how many planes a block sweeps: the first
 * calls try some (gpu_tuner.c). */
typedef struct gpu_candidate {
    int kernel;
    int64_t planes;
    /* blocks side by side, where each has a multiprocessor for itself; else 0 */
    int64_t tiles;
    double seconds; /* 0: not tried */
} gpu_candidate;
typedef struct gpu_tuner {
    box box;     /* that they are for */
    int64_t all; /* its planes */
    int multiprocessors;
    int candidates, first, trials,
        fastest;       /* first: of those that are tried now; trials: that are left */
    bool planes_tried; /* or will be, by trials that are left */
    bool trying;       /* the present call is a trial */
    int64_t steps;     /* of the run; 0: nobody knows */
    int64_t calls;     /* so far */
    trial_budget budget;
    gpu_candidate candidate[EMIT_GPU_CANDIDATES + SCHEDULE_PLANES + SCHEDULE_WAVES];
} gpu_tuner;
/* fixed: planes, for checks; 0: they are tried. k: of the first of the kernels. */
enum { GPU_FIRST_SHARED = 64 }; /* planes that are tried first, in shared memory */
void gpu_tuner_open(gpu_tuner *m, const emit_gpu_kernel *k, int kernels, const box *b,
                    int axis, int64_t fixed);
void gpu_tuner_begin_with(gpu_tuner *m, int kernel, const ir *code,
                          const emit_gpu_kernel *k, const gpu_facts *facts);
/* The run has so many steps, 0: nobody knows: in a short one nothing is tried. */
void gpu_tuner_limit(gpu_tuner *m, int64_t steps);
void gpu_tuner_next(gpu_tuner *m, const box *b); /* before each call */
gpu_candidate gpu_tuner_candidate(const gpu_tuner *m, const box *b);
bool gpu_tuner_is_trial(const gpu_tuner *m, const box *b);
/* Whether as many launches more may be timed, of which one took so many seconds. */
bool gpu_tuner_affords(const gpu_tuner *m, int64_t launches, double each);
/* The trial took so many seconds a launch, and so many in all. */
void gpu_tuner_measured(gpu_tuner *m, double each, double all);
bool gpu_tuner_is_tuned(const gpu_tuner *m);

typedef struct gpu_variant {
    emit_gpu_kernel what;
    gpu_kernel *call;
    gpu_constant *constant; /* that its numbers are read from; or NULL */
} gpu_variant;
/* Parts that were described to the accelerator (gpu_tensors.c): of some levels and
 * boxes. */
enum { GPU_KNOWN_TENSORS = 16 };
typedef struct gpu_known_tensor {
    gpu_tensor_region part;
    uint64_t map[16];
} gpu_known_tensor;
typedef struct gpu_known_tensors {
    gpu_known_tensor part[GPU_KNOWN_TENSORS];
    int64_t learnt;
} gpu_known_tensors;
typedef struct gpu_stage {
    int variants; /* 0: it has no kernel */
    gpu_variant variant[EMIT_GPU_CANDIDATES];
    gpu_kernel *list; /* or NULL; its argument is that of the first variant */
    emit_slot *slot;  /* of those without a kernel, too */
    int64_t slots;
    emit_grid *grid;
    int reductions;
    box checked;
    gpu_tuner tuner;
    gpu_known_tensors known;
    /* Ghosts that are images of what it stores; whether its last call stored them. */
    enum { IMAGES_UNKNOWN, IMAGES_NONE, IMAGES_ALL } images;
    emit_gpu_ghost_image beyond[MAX_DIM][2];
    bool fills;
    /* gives it its numbers, at `numbers` on the GPU; or NULL: the host does */
    gpu_kernel *scalars;
    void *numbers;
} gpu_stage;

/* Neighbours of an injection in rounds: no point occurs twice in one, and those of a
 * point keep their order. */
typedef struct gpu_rounds {
    bool ready;
    int64_t rounds;
    int64_t *begin; /* rounds + 1 */
    box box;        /* around all */
    int64_t (*list)[MAX_DIM];
    double *weight;
    /* Of an injection from traces, on the host: what a step's weights are made of, and
     * these. */
    int64_t count, *row;
    double *share, *now;
} gpu_rounds;

struct gpurun {
    executor base;
    exec_client *client;
    gpu *gpu;
    place_set *set;
    /* Where the run has a set of its own: the schedule of each stage for each of its
     * kernels; NONE where it has fewer. */
    schedule *of_stage[EMIT_GPU_CANDIDATES];
    bool begun;     /* the start is over, where functions are the host's library's */
    bool owned;     /* the set is closed with the executor, ... */
    bool borrowed;  /* ... and the GPU, unless somebody else opened it */
    int64_t number; /* of the program in the set */
    int64_t planes; /* for checks: of every stage; 0: tried */
    int64_t visit;  /* planes that a fused launch stores out of core; 0: all */
    gpu_stage *stage;
    /* Seconds: launches that take less are timed several at once; so long are fused
     * launches and single steps timed in a trial. */
    double short_launch, trial_seconds;
    /* fused launches that nobody asked for are compiled while steps are taken */
    bool ahead;
    executor *host;            /* for stages without a kernel; NULL: the interpreter */
    host_mirror **host_mirror; /* of every buffer of every field */
    const view **host_views;   /* all pointers behind `host_view`, as part->views */
    const view *const **host_view;
    const double **table;       /* on the GPU, from index 0 */
    double *reduced, *rows;     /* on the GPU: values of reductions, and of their rows */
    uint64_t *not_finite;       /* on the GPU: the first such point of the NaN check */
    bool *live;                 /* of each uniform: it stays on the GPU ... */
    bool scalars_on_device;     /* ... as some do */
    double *scalar;             /* on the GPU: all uniforms */
    gpu_rounds *inject;         /* of every injection */
    void **memory;              /* all that it took, */
    int64_t blocks, bytes;      /* which is so much */
    packed_box packed;          /* a box on its way to or from the host */
    gpu_transfer *transfer;     /* that go on while stages run; or NULL */
    int64_t uploads, downloads; /* of levels, so far */
    int64_t period; /* steps after which levels have their places again; 0: many */
    struct gpu_fused
        *fused; /* several steps in one launch; NULL: single steps, for now */
    struct gpu_choice *choice; /* or NULL */
    bool behind;               /* the oldest levels are not those of the present step */
    bool ghosts_stale;         /* ghosts are not yet those of the present step, */
    bool wrap_ghosts_stale;    /* or only those beyond the ends of rows that wrap */
    emit_gpu_borders border;   /* that wait */
    int64_t borders;
};

/* gpu_scalars.c: scalars of a step that stay on the GPU. Opened once the stages are;
 * uploaded where the host gave them new values, downloaded where it needs them. */
pav_status gpu_scalars_open(gpurun *g);
void gpu_scalars_close(gpurun *g);
int64_t gpu_scalars_bytes(const ir *code);
/* Reductions of a stage that the host needs. */
pav_status gpu_scalars_take(gpurun *g, const interp_args *args);
pav_status gpu_scalars_upload(gpurun *g, const double *uniform);
pav_status gpu_scalars_download(gpurun *g, double *uniform);
/* What is to be evaluated before a stage, here or there. */
pav_status gpu_scalars_before(gpurun *g, const gpu_stage *s, const interp_args *args);
/* gpu_memory.c: doubles of what kernels leave of reductions, and of their rows; and
 * memory besides that of fields, given back with the run. */
void gpurun_reduction_counts(const ir *code, int64_t *values, int64_t *rows);
pav_status gpurun_take(gpurun *g, int64_t bytes, const char *what, void **memory);
pav_status gpurun_give_list(gpurun *g, const void *from, int64_t bytes, const char *what,
                            void **memory); /* taken and filled */
pav_status gpurun_fill_tables(gpurun *g);   /* once the host's are filled */

/* gpu_fused.c: several steps in one launch. Blocks of a persistent kernel run all at
 * once: refused where there is room for `most` alone. */
pav_status gpu_fused_check_room(const gpurun *g, const emit_gpu_fused *what,
                                int64_t most);
/* Refused where something observes the fields before any launch is over. */
pav_status gpu_fused_check_observers(const gpurun *g, const schedule *requested,
                                     const emit_gpu_fused *what);
int gpu_fused_most_steps(const emit_gpu_fused *what); /* of a launch, by its numbers */
/* gpu_fused_short.c: the schedule of a launch that fits into the steps which regular
 * observations leave; depth 0: there is none. */
pav_status gpu_fused_shorter(const gpurun *g, const schedule *requested,
                             const emit_gpu_fused *what, schedule *shorter);
/* Steps of the run to come that would not be single ones. */
double gpu_fused_saved(const gpurun *g, const schedule *shorter);
/* From now on it is taken in the steps that are left; one that cannot be made is left
 * out. */
pav_status gpu_fused_shorten(gpurun *g, const schedule *shorter, gpu_fused *p);
void gpu_fused_sweep(const gpurun *g, gpu_fused *p, cost_sweep sweep); /* from now on */
bool gpu_fused_may(const gpurun *g); /* take several steps now */
/* Steps that the next launch may take, not the shorter launch; 1: something else is
 * next. */
int gpu_fused_next(const gpurun *g, int64_t most);
/* The next steps, at most so many; as few as one where something observes the fields
 * then. */
pav_status gpu_fused_steps(gpurun *g, int64_t most);
/* A step is over, or several: their launches may come again. behind: the oldest levels
 * are left out. */
pav_status gpurun_step(gpurun *g, bool behind);
bool gpu_fused_is_behind(
    const gpurun *g); /* a single step must come before an observation */
int64_t gpu_fused_count(const gpurun *g); /* launches of several steps so far */
int gpu_fused_short(const gpurun *g); /* steps of the shorter launch; 0: there is none */
int gpu_fused_depth(const gpurun *g); /* steps of a launch and the one after it */
int gpu_fused_least(const gpurun *g); /* the fewest of those */
void gpu_fused_string(const gpurun *g, text *t);
/* gpu_fused_forecast.c: of a step, with the overlap of tiles. */
pav_status gpu_fused_bytes(const gpurun *g, double *bytes);

/* gpu_fused_find.c: a launch on this GPU, for models. kernel: once it is compiled, or
 * NULL. */
cost_launch gpu_launch_of(const gpurun *g, const emit_gpu_fused *what,
                          const gpu_kernel *kernel);
/* gpu_fused_make.c: the candidate sweeps of a launch; and one is compiled into the cache,
 * from which gpu_fused_make then takes it: any thread may. */
void gpu_fused_sweeps(const gpurun *g, const gpu_fused *p, cost_sweep_list *list);
pav_status gpu_fused_compile(const gpurun *g, const schedule *requested,
                             gpu_module **module);
/* As `compiles` of place_ops. */
double gpu_fused_compiles_in(const gpurun *g, const schedule *suited);
/* gpu_ahead.c: fused launches that are compiled while steps are taken. NULL: no thread
 * can be had. */
typedef struct gpu_ahead gpu_ahead;
gpu_ahead *gpu_ahead_begin(const gpurun *g, const schedule *requested, int count);
bool gpu_ahead_is_done(const gpu_ahead *a, int n);
/* Of one that is done: whether it could be compiled, and is in the cache. */
bool gpu_ahead_is_kept(const gpu_ahead *a, int n);
bool gpu_ahead_is_made(const gpu_ahead *a, int n);
void gpu_ahead_stop(gpu_ahead *a); /* no more are begun */
void gpu_ahead_end(gpu_ahead *a);  /* waits for the one that is being compiled */

/* gpu_choice.c: single steps or fused launches, and which. */
typedef struct gpu_choice gpu_choice;
pav_status gpu_choice_open(gpurun *g);
void gpu_choice_begin(gpurun *g); /* what it may try is compiled from now on */
void gpu_choice_close(gpurun *g);
pav_status gpu_choice_steps(gpurun *g, int64_t most); /* the next ones */
bool gpu_choice_is_tuned(const gpurun *g);
int gpu_choice_has_tried(const gpurun *g); /* trials that are over */

/* gpu_fused_points.c: sources and receivers of launches: what one is called with, and
 * rows of the steps within one that began with the run's present step. */
typedef struct gpu_fused_points gpu_fused_points;
pav_status gpu_fused_points_open(gpurun *g, const emit_gpu_fused *what, subdomain *of,
                                 gpu_fused_points **m);
void gpu_fused_points_close(gpu_fused_points *m);
/* As place_launch_samples. */
pav_status gpu_fused_points_samples(gpurun *g, const gpu_fused_points *m,
                                    const emit_gpu_fused *what, const statement *sample,
                                    void *values, bool *moves);
void gpu_fused_points_put(const gpu_fused_points *m, char **at);
pav_status gpu_fused_points_rows(gpurun *g, const gpu_fused_points *m,
                                 const emit_gpu_fused *what, int steps);

/* gpu_kept.c: points of levels in other memory of the GPU. */
pav_status gpu_kept_take(executor *self, int64_t bytes, void **memory);
void gpu_kept_release(executor *self, void *memory);
pav_status gpu_kept_keep(executor *self, int field, const view *v, const box *range,
                         void *memory);
pav_status gpu_kept_bring(executor *self, int field, const view *v, const box *range,
                          void *memory);

/* gpu_mirrors.c */
pav_status mirrors_prepare(gpurun *g);     /* before any field */
pav_status mirrors_place_views(gpurun *g); /* once part->views are there */
/* Levels of a field in the GPU's memory, as levels_new makes them in the host's. */
pav_status mirrors_new(gpurun *g, int64_t field, const field_shape *shape);
void mirrors_close(gpurun *g);
/* v: of part->field. The GPU's side is new then; `stored`: it will be changed there. */
pav_status mirrors_on_gpu(gpurun *g, int64_t field, const view *v, bool stored);
/* range: the points that are read, or NULL: all, with what is around them. */
pav_status mirrors_on_host(gpurun *g, int64_t field, const view *v, host_use how,
                           const box *range, const view **host);
/* gpu_moves.c: executor_ops.from_host and to_host, in one copy; exchange and
 * exchanged. */
pav_status mirrors_from_host(executor *self, int field, const view *to, const box *range,
                             const view *host);
pav_status mirrors_to_host(executor *self, int field, const view *from, const box *range,
                           const view *host);
pav_status gpu_exchange_boxes(executor *self, const box_move *list, int64_t count);
pav_status gpu_exchanged_boxes(executor *self);

/* gpu_argument.c: what a kernel is called with, its numbers put where it reads them. */
pav_status gpu_argument(gpurun *g, gpu_stage *s, const gpu_variant *v,
                        const interp_args *args, const emit_gpu_work *w, char *argument);

/* Adds bytes to it. */
void gpu_put(char **at, const void *from, size_t bytes);

/* gpu_executor.c: what a run asks of it. */
executor_ops gpu_executor_ops(void);

/* gpu_stage.c: stages on the GPU, and on the host. */
pav_status gpu_stages_open(gpurun *g);
void gpu_stages_close(gpurun *g);
pav_status gpu_stage_run(executor *self, const interp_args *args);
bool gpu_stages_are_tuned(const executor *self);
const char *gpu_stages_schedule(const executor *self);

/* The stage at the points of a list. */
pav_status gpu_stage_list(gpurun *g, const interp_args *args,
                          const int64_t (*list)[MAX_DIM], const double *weight,
                          int64_t count);

/* gpu_tuned.c: what the stages of a step go by at present. */
void gpu_tuned_string(const gpurun *g, text *t);
bool gpu_tuned_stage(const executor *self, int64_t n, schedule *s);
/* Of a step: bytes that its kernels move where no cache hands anything from tile to tile;
 * seconds that its arithmetic takes at least. 0: not known. */
pav_status gpu_tuned_bytes(const gpurun *g, double *bytes);
pav_status gpu_tuned_arithmetic(const gpurun *g, double *seconds);
/* gpu_tensors.c: the tensors at the end of an argument, of parts of these grids, or
 * slots. */
pav_status gpu_tensors_put(gpurun *g, gpu_known_tensors *known,
                           const emit_gpu_tensor_box *list, int64_t boxes,
                           const emit_gpu_work *w, const emit_grid *grid, char *at);

/* gpu_reductions.c: what is left of every reduction of a stage. */
pav_status gpu_reduce(gpurun *g, const interp_args *args, const emit_gpu_work *w);

/* gpu_common.c: kernels that know no stage. v: of part->field. */
pav_status gpu_ghosts(gpurun *g, int field, const view *v, int axis, int side,
                      ghost_map map, const box *range);
/* Ghosts of both sides of some axes, each the copy of a point (gpu_borders.c): with those
 * of other levels in one launch, by gpu_borders_done at the latest. */
enum { SIDES = 2, NO_GHOST = -1 };
/* Whether the points beyond both faces of an axis, and on them, are few enough for it; if
 * not, they go face by face. */
bool gpu_borders_fit(const view *v, int axis);
emit_gpu_border gpu_border_of(const view *v, int map[MAX_DIM][SIDES]);
pav_status gpu_borders_done(gpurun *g);
/* gpu_ghost_stores.c: what a call stores of ghosts; false: a launch of borders has to
 * follow. And whether the last call of a stage has filled the borders of all that it
 * stored. */
bool gpu_ghost_images(const gpurun *g, gpu_stage *s, const gpu_variant *v,
                      const interp_args *args, emit_gpu_work *w);
bool gpu_stage_fills(const executor *self, const ir_stage *stage);
bool gpu_is_of_all_points(const interp_args *args);
/* gpu_wrap.c: lets a call go around rows that wrap, after gpu_ghost_images; and fills
 * what such calls have left out, where a stage reads it. */
void gpu_wrap(gpurun *g, const gpu_stage *s, const gpu_variant *v,
              const interp_args *args, emit_gpu_work *w);
pav_status gpu_refresh_wrapped_ghosts(gpurun *g, const ir_stage *stage);
/* gpu_borders.c: whether the ghosts of all axes are copies of points, and of which
 * kinds. */
bool gpu_borders_are_copies(const subdomain *part, int field, const view *v,
                            int map[MAX_DIM][SIDES]);
/* Those that fused launches left out, and single steps beyond rows that wrap. */
pav_status gpu_fill_borders(gpurun *g);
pav_status gpu_fill_axes(executor *self, int field, const view *v, int axis, int end);
pav_status gpu_copy_points(gpurun *g, int field, const view *to, const view *from);
/* gpu_boxes.c: reads, copy_box, read_box and write_box of executor_ops. */
bool gpu_executor_reads(executor *self, executor *source);
pav_status gpu_read_box(executor *self, int field, const view *v, const box *range,
                        void *values);
pav_status gpu_write_box(executor *self, int field, const view *v, const box *range,
                         const void *values);
/* aside, join, pack_box, packed, unpack_box, drop_box. */
pav_status gpu_concurrent_of(executor *self, gpu_concurrent_step step);
pav_status gpu_join_with(executor *self, executor *source);
pav_status gpu_pack_box(executor *self, int field, const view *v, const box *range,
                        packed_box *staged, void *values);
pav_status gpu_packed_box(executor *self, packed_box *staged, int64_t bytes,
                          void *values);
pav_status gpu_unpack_box(executor *self, int field, const view *v, const box *range,
                          packed_box *staged, const void *values);
pav_status gpu_pass_box(executor *self, const view *v, const box *range,
                        packed_box *staged, const gpu_links *links, int other,
                        bool sends);
void gpu_drop_box(executor *self, packed_box *staged);
pav_status gpu_copy_box(executor *self, int field, const view *to, const box *range,
                        executor *source, int of, const view *from, const int64_t *shift);
/* Some numbers of [0, 1) at all points. */
pav_status gpu_fill_points(gpurun *g, int field, const view *v);
/* *any: whether a point of the box is not finite; the first one. */
pav_status gpu_find_not_finite(gpurun *g, int field, const view *v, const box *range,
                               int64_t *point, bool *any);
pav_status gpu_call_common(gpurun *g, gpu_kernel *k, int64_t blocks, const void *argument,
                           int64_t bytes);
int64_t gpu_blocks(int64_t count);
emit_gpu_view gpu_view_of(const view *v);
emit_gpu_view gpu_view_from_first(const view *v, int axis, int end);

/* gpu_sources.c */
pav_status gpu_inject(executor *self, int64_t index);
void gpu_inject_close(gpurun *g);

/* gpu_samples.c: a row is taken now and kept some steps later, at the latest by
 * gpu_sample_flush. */
pav_status gpu_sample_take(executor *self, sampler *r);
/* Of other memory: where each neighbour lies there. index: of the GPU; NULL: as in the
 * field. */
pav_status gpu_sample_from(gpurun *g, sampler *r, const emit_gpu_view *v, void *index);
pav_status gpu_sample_flush(executor *self, sampler *r);
void gpu_sample_close(executor *self, sampler *r);

#endif
