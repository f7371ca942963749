/* SPDX-License-Identifier: BSD-3-Clause */
/* Shared inside exec only: the executor of a subdomain on a GPU.
 * The views of such a subdomain (part->field, part->view) point into the GPU's memory. A
 * buffer gets a host mirror, with the same layout in the host's memory, when the host
 * first asks for it (subdomain_host_view). A mirror records if the host's or the GPU's
 * copy is newer. A stale copy is updated on its next use. */
#ifndef EXEC_GPU_PRIVATE_H
#define EXEC_GPU_PRIVATE_H

#include "exec/gpu/gpu.h"
#include "exec/host/host.h"

typedef struct gpu_fused gpu_fused;
/* gpu_fused_make.c: makes a launch by the schedule `requested`. It is compiled in a
 * module of its own, or found in the module m of a set. */
pav_status gpu_fused_make(gpurun *g, const schedule *requested, gpu_module *m,
                          gpu_fused **fused);

/* gpu_place.c: kernels of some programs, and kernels common to all programs. */
struct place_set {
    gpu *gpu;
    gpu_module *kernels, *common;
    emit_shared_kernels shared; /* stages that share a kernel */
    gpu_kernel *ghosts, *borders, *samples, *reductions, *nan_check, *copy;
    const schedule *const *candidates; /* schedules of the stages of programs; or NULL */
    gpu_module *launches;              /* launches of checked programs; or NULL */
    const schedule *const *fused;      /* schedule of each launch; or NULL */
};

/* Host mirror of a buffer, created at its first use. */
typedef struct host_mirror {
    char *memory; /* or NULL */
    view host;
    bool host_is_new, gpu_is_new; /* at least one is set */
} host_mirror;

/* A candidate of a stage: one of its kernels, and the number of planes that a block
 * sweeps through. The first calls try some candidates (gpu_tuner.c). */
typedef struct gpu_candidate {
    int kernel;
    int64_t planes;
    /* blocks across a plane, if each has a multiprocessor for itself; else 0 */
    int64_t tiles;
} gpu_candidate;
typedef struct gpu_tuner {
    box box;     /* box of the trials */
    int64_t all; /* number of planes of the box */
    int multiprocessors;
    bool planes_tried; /* candidates for planes are listed, or ruled out */
    bool trying;       /* the present call is a trial */
    tuner tuner;
    gpu_candidate candidate[EMIT_GPU_CANDIDATES + SCHEDULE_PLANES + SCHEDULE_WAVES];
} gpu_tuner;
/* fixed: number of planes, for checks; 0: tuned. k: the first of the kernels. */
enum { GPU_FIRST_SHARED = 64 }; /* planes of the first trial in shared memory */
void gpu_tuner_open(gpu_tuner *m, const emit_gpu_kernel *k, int kernels, const box *b,
                    int axis, int64_t fixed);
void gpu_tuner_begin_with(gpu_tuner *m, int kernel, const ir *code,
                          const emit_gpu_kernel *k, const gpu_facts *facts);
/* Tells the number of steps of the run (0: unknown); a short run tries nothing. */
void gpu_tuner_limit(gpu_tuner *m, int64_t steps);
void gpu_tuner_next(gpu_tuner *m, const box *b); /* before each call */
gpu_candidate gpu_tuner_candidate(const gpu_tuner *m, const box *b);
bool gpu_tuner_is_trial(const gpu_tuner *m, const box *b);
/* Records a trial: seconds of one launch, and of the whole trial. */
void gpu_tuner_measured(gpu_tuner *m, double each, double all);
bool gpu_tuner_is_tuned(const gpu_tuner *m);

typedef struct gpu_variant {
    emit_gpu_kernel what;
    gpu_kernel *call;
    gpu_constant *constant; /* kernel arguments in constant memory; or NULL */
} gpu_variant;
/* Tensor maps already encoded for the tensor memory accelerator (gpu_stage.c), by level
 * and box. */
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
    int variants; /* 0: no kernel */
    gpu_variant variant[EMIT_GPU_CANDIDATES];
    gpu_kernel *list; /* or NULL; it has the argument of the first variant */
    emit_slot *slot;  /* also of stages without a kernel */
    int64_t slots;
    emit_grid *grid;
    gpu_fused *group; /* the launch that takes it with other stages; or NULL */
    int reductions;
    box checked;
    gpu_tuner tuner;
    gpu_known_tensors known;
    /* Ghosts that mirror stored points, and if the last call stored them. */
    enum { IMAGES_UNKNOWN, IMAGES_NONE, IMAGES_ALL } images;
    emit_gpu_ghost_image beyond[MAX_DIM][2];
    bool fills;
    /* the kernel that computes the stage's uniforms on the GPU, at `numbers`; NULL: the
     * host computes them */
    gpu_kernel *scalars;
    void *numbers;
} gpu_stage;

/* Neighbours of an injection, split into rounds. A round contains no point twice, and
 * several neighbours at one point keep their order. */
typedef struct gpu_rounds {
    bool ready;
    int64_t rounds;
    int64_t *begin; /* rounds + 1 */
    box box;        /* around all */
    int64_t (*list)[MAX_DIM];
    double *weight;
    /* For an injection from traces, on the host: the factors of a step's weights, and the
     * weights. */
    int64_t count, *row;
    double *share, *now;
} gpu_rounds;

/* Memory traffic of a stage by a schedule, also of all stages like it. */
typedef struct gpu_traffic {
    schedule asked, settled;
    double bytes;
} gpu_traffic;

struct gpurun {
    executor base;
    exec_client *client;
    gpu *gpu;
    place_set *set;
    /* If the run has a set of its own: the schedule of each stage for each of its
     * kernels; NONE beyond the last kernel. */
    schedule *of_stage[EMIT_GPU_CANDIDATES];
    gpu_traffic *traffic; /* the last answer for each first stage of a kind */
    bool begun;           /* the initial values are complete */
    bool owned;           /* the set is closed with the executor, ... */
    bool borrowed;        /* ... and so is the GPU, unless it was opened elsewhere */
    int64_t number;       /* of the program in the set */
    int64_t planes;       /* for checks: planes of every sweep; 0: tuned */
    int64_t visit;        /* planes stored by a fused launch out of core; 0: all */
    gpu_stage *stage;
    /* Seconds. Launches shorter than short_launch are timed several at once. Trials of
     * fused launches and single steps last trial_seconds. */
    double short_launch, trial_seconds;
    /* optional fused launches are compiled while steps are taken */
    bool ahead;
    executor *host;            /* for stages without a kernel; NULL: the interpreter */
    host_mirror **host_mirror; /* of every buffer of every field */
    const view **host_views;   /* all pointers behind `host_view`, as part->views */
    const view *const **host_view;
    const double **table;       /* on the GPU, from index 0 */
    double *reduced, *rows;     /* on the GPU: results of reductions, and of their rows */
    uint64_t *not_finite;       /* on the GPU: first point that is not finite */
    bool *live;                 /* of each uniform: its value stays on the GPU ... */
    bool scalars_on_device;     /* ... and at least one does */
    double *scalar;             /* on the GPU: all uniforms */
    gpu_rounds *inject;         /* of every injection */
    void **memory;              /* all memory blocks taken */
    int64_t blocks, bytes;      /* their number, and their bytes */
    packed_box packed;          /* a box on its way to or from the host */
    gpu_transfer *transfer;     /* transfers concurrent with stages; or NULL */
    int64_t uploads, downloads; /* of levels, so far */
    int64_t period;            /* steps until levels are back in their buffers; 0: many */
    emit_gpu_groups groups;    /* groups of stages, each with a launch ... */
    text group_source;         /* ... of this text ... */
    gpu_module *group_module;  /* ... in this module */
    struct gpu_fused *fused;   /* the present fused launch; NULL: single steps for now */
    struct gpu_choice *choice; /* or NULL */
    bool behind;               /* the oldest levels do not belong to the present step */
    bool ghosts_stale;         /* stale ghosts everywhere, ... */
    bool wrap_ghosts_stale;    /* ... or only beyond the ends of periodic rows */
    emit_gpu_borders border;   /* deferred borders */
    int64_t borders;
};

/* gpu_stage.c: scalars of a step that stay on the GPU. The upload follows new values from
 * the host. */
int64_t gpu_scalars_bytes(const ir *code);
pav_status gpu_scalars_upload(gpurun *g, const double *uniform);
/* gpu_memory.c: number of doubles for results of reductions, and for their rows. Memory
 * besides fields, freed with the run. */
void gpurun_reduction_counts(const ir *code, int64_t *values, int64_t *rows);
pav_status gpurun_take(gpurun *g, int64_t bytes, const char *what, void **memory);
pav_status gpurun_give_list(gpurun *g, const void *from, int64_t bytes, const char *what,
                            void **memory); /* taken and filled */

/* gpu_fused.c, gpu_fused_make.c: several steps in one launch. Depth of a launch, limited
 * by its kernel arguments. */
int gpu_fused_most_steps(const emit_gpu_fused *what);
/* gpu_fused_make.c: schedule of a shorter launch for the steps left before regular
 * observations; depth 0: none. */
pav_status gpu_fused_shorter(const gpurun *g, const schedule *requested,
                             const emit_gpu_fused *what, schedule *shorter);
/* Number of single steps in the rest of the run that the shorter launch replaces. */
double gpu_fused_saved(const gpurun *g, const schedule *shorter);
/* Adds the shorter launch to p; skipped if it cannot be made. */
pav_status gpu_fused_shorten(gpurun *g, const schedule *shorter, gpu_fused *p);
/* sets the sweep */
void gpu_fused_sweep(const gpurun *g, gpu_fused *p, cost_sweep sweep);
bool gpu_fused_may(const gpurun *g); /* several steps may be taken now */
/* Steps of the next regular launch; 1: the shorter launch or a single step is next. */
int gpu_fused_next(const gpurun *g, int64_t most);
/* Takes at most `most` steps; only one if an observation follows. */
pav_status gpu_fused_steps(gpurun *g, int64_t most);
/* Ends one step or several; the GPU may then replay their launches as graphs. behind: the
 * oldest levels are left out. */
pav_status gpurun_step(gpurun *g, bool behind);
bool gpu_fused_is_behind(const gpurun *g); /* a single step must precede an observation */
int64_t gpu_fused_count(const gpurun *g);  /* fused launches so far */
int gpu_fused_short(const gpurun *g);      /* depth of the shorter launch; 0: none */
/* gpu_fused_make.c: bytes of a step, with the overlap of tiles. */
pav_status gpu_fused_bytes(const gpurun *g, double *bytes);

/* Candidate sweeps of a launch. */
void gpu_fused_sweeps(const gpurun *g, const gpu_fused *p, cost_sweep_list *list);
/* Compiles a launch into the cache for gpu_fused_make; any thread may call it. */
pav_status gpu_fused_compile(const gpurun *g, const schedule *requested,
                             gpu_module **module);

/* gpu_fused_make.c: makes the launches for groups of stages. gpu_groups_print: their
 * text; it drops groups that are not worth their compilation. gpu_fused.c: takes all
 * stages of one. */
pav_status gpu_groups_print(gpurun *g);
pav_status gpu_groups_open(gpurun *g);
void gpu_groups_close(gpurun *g);
pav_status gpu_group_take(gpurun *g, gpu_fused *p);
/* Compiles their launches into the cache; g: the gpurun. A thread may call it. */
void *gpu_groups_compile(void *g);

/* gpu_choice.c: chooses between single steps and fused launches. */
typedef struct gpu_choice gpu_choice;
pav_status gpu_choice_open(gpurun *g);
void gpu_choice_begin(gpurun *g); /* starts to compile candidates */
void gpu_choice_close(gpurun *g);
pav_status gpu_choice_steps(gpurun *g, int64_t most); /* takes the next steps */
bool gpu_choice_is_tuned(const gpurun *g);
int gpu_choice_has_tried(const gpurun *g); /* finished trials */

/* gpu_fused.c: sources and receivers of launches. */
typedef struct gpu_fused_points gpu_fused_points;
void gpu_fused_points_close(gpu_fused_points *m);

/* gpu_memory.c: copies points of levels to other memory of the GPU, and back. */
pav_status gpu_keep_points(executor *self, int field, const view *v, const box *range,
                           void *memory, bool back);

/* gpu_memory.c */
void mirrors_close(gpurun *g);
/* v: of part->field. Updates the copy on the GPU; `stored`: the GPU will change it. */
pav_status mirrors_on_gpu(gpurun *g, int64_t field, const view *v, bool stored);
/* range: the points to read; NULL: all points with their halo. */
pav_status mirrors_on_host(executor *self, int64_t field, const view *v, host_use how,
                           const box *range, const view **host);
/* gpu_memory.c: the executor operations move_rows (one copy), exchange and exchanged. */
pav_status mirrors_move_rows(executor *self, int field, const view *v, const box *range,
                             const view *host, bool up);
pav_status gpu_exchange_boxes(executor *self, const box_move *list, int64_t count);

/* Appends bytes to an argument. */
void gpu_put(char **at, const void *from, size_t bytes);

/* gpu_stage.c: runs stages on the GPU or on the host. */
pav_status gpu_stages_open(gpurun *g);
pav_status gpu_stage_run(executor *self, const interp_args *args);
bool gpu_stages_are_tuned(const executor *self);

/* Runs the stage at the points of a list. */
pav_status gpu_stage_list(gpurun *g, const interp_args *args,
                          const int64_t (*list)[MAX_DIM], const double *weight,
                          int64_t count);

/* gpu_tuner.c: present schedules of the stages of a step. */
void gpu_tuned_string(const gpurun *g, text *t);
bool gpu_tuned_stage(const executor *self, int64_t n, schedule *s);
/* Costs of a step: bytes moved by its kernels without any reuse between tiles, and a
 * lower bound of the seconds of arithmetic; 0: unknown. */
pav_status gpu_tuned_bytes(const gpurun *g, double *bytes);
pav_status gpu_tuned_arithmetic(const gpurun *g, double *seconds);
/* gpu_stage.c: writes the tensor maps at the end of an argument, for parts of these
 * grids. */
pav_status gpu_tensors_put(gpurun *g, gpu_known_tensors *known,
                           const emit_gpu_tensor_box *list, int64_t boxes,
                           const emit_gpu_work *w, const emit_grid *grid, char *at);

/* Ghosts of both sides of some axes, each a copy of a point (gpu_borders.c). Several
 * levels share a launch, made by gpu_borders_done at the latest. */
enum { SIDES = 2, NO_GHOST = -1 };
/* True if the points at and beyond both faces of an axis are few enough for 32-bit
 * counts. Otherwise faces are filled one at a time. */
bool gpu_borders_fit(const view *v, int axis);
emit_gpu_border gpu_border_of(const view *v, int map[MAX_DIM][SIDES]);
pav_status gpu_borders_done(gpurun *g);
/* gpu_borders.c: lets a call store ghosts; false: a border launch must follow. */
bool gpu_ghost_images(const gpurun *g, gpu_stage *s, const gpu_variant *v,
                      const interp_args *args, emit_gpu_work *w);
/* gpu_borders.c. gpu_wrap lets a call wrap around periodic rows, after gpu_ghost_images.
 * gpu_refresh_wrapped_ghosts fills the ghosts left out by such calls before a stage reads
 * them. */
void gpu_wrap(gpurun *g, const gpu_stage *s, const gpu_variant *v,
              const interp_args *args, emit_gpu_work *w);
pav_status gpu_refresh_wrapped_ghosts(gpurun *g, const ir_stage *stage);
/* Fills borders left stale by fused launches, and by single steps on periodic rows. */
pav_status gpu_fill_borders(gpurun *g);
pav_status gpu_fill_axes(executor *self, int field, const view *v, int axis, int end);
pav_status gpu_copy_points(executor *self, int field, const view *to, const view *from,
                           progress_sink *progress);
/* gpu_memory.c: the executor operations copy_box, read_box and write_box. */
pav_status gpu_read_box(executor *self, int field, const view *v, const box *range,
                        void *values);
pav_status gpu_write_box(executor *self, int field, const view *v, const box *range,
                         const void *values);
pav_status gpu_copy_box(executor *self, int field, const view *to, const box *range,
                        executor *source, int of, const view *from, const int64_t *shift);
/* *any: a point of the box is not finite; *point: the first such point. */
pav_status gpu_call_common(gpurun *g, gpu_kernel *k, int64_t blocks, const void *argument,
                           int64_t bytes);
int64_t gpu_blocks(int64_t count);
emit_gpu_view gpu_view_of(const view *v);
emit_gpu_view gpu_view_from_first(const view *v, int axis, int end);

/* gpu_points.c */
pav_status gpu_inject(executor *self, int64_t index);
void gpu_inject_close(gpurun *g);

/* gpu_points.c: a row is sampled now, and kept some steps later, by gpu_sample_flush at
 * the latest. */
pav_status gpu_sample_take(executor *self, sampler *r);
/* Samples other memory. index: on the GPU, the place of each neighbour there; NULL: the
 * layout of the field. */
pav_status gpu_sample_from(gpurun *g, sampler *r, const emit_gpu_view *v, void *index);
pav_status gpu_sample_flush(executor *self, sampler *r);
void gpu_sample_close(executor *self, sampler *r);

/* A fused launch and its state. */
struct gpu_fused {
    emit_gpu_fused what;
    const ir_group_view *view; /* of a group of stages; NULL: it takes whole steps */
    gpu_kernel *call;
    gpu_module *module;      /* own module; NULL: the module of the set */
    gpu_fused *shorter;      /* used if this launch does not fit; or NULL */
    gpu_fused_points *marks; /* set by the first launch */
    gpu_known_tensors known; /* tensor maps already encoded */
    cost_sweep sweep;
    emit_gpu_fused_work work; /* without the number of steps */
    void *signals; /* counters for signals between persistent blocks; or NULL */
    int64_t epoch; /* number of synchronisations */
    int64_t taken; /* launches so far */
};

bool gpu_fused_is_persistent(const gpu_fused *p);

#endif
