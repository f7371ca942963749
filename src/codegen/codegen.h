/* SPDX-License-Identifier: BSD-3-Clause */
/* emit: stages of the IR as C text. A kernel evaluates one stage over a box with exactly
 * the nodes' roundings, so what it gives equals the interpreter's bits; compilers must
 * neither contract nor reassociate, and transcendental functions stay calls of the host's
 * library.
 *
 * A reduction is folded by the kernel along x within pieces of EMIT_PIECE points whose
 * indices start at multiples of it: a block of the fixed tree. The caller reduces the
 * pieces, rows and planes. */
#ifndef EMIT_EMIT_H
#define EMIT_EMIT_H

#include "base/base.h"
#include "lang/lang.h"
#include "machine/machine.h"
#include "plan/plan.h"
#include "schedule/schedule.h"

enum { EMIT_PIECE = 512, EMIT_NAME = 64 };

/* One level of one field that a stage touches; views are handed to its kernel in this
 * order. */
typedef struct emit_slot {
    int field, level;
    bool loaded, stored;
} emit_slot;

/* The generated code declares the same as `grid` and `work`. */
typedef struct emit_grid {
    void *data;   /* point (0, 0, 0) */
    int64_t y, z; /* strides in elements */
} emit_grid;

/* A box, which one call goes over on one thread. block: rows along y that are taken
 * together through all z. ahead: rows by which memory is asked for before it is needed.
 * several_rows: rows are taken several at once where the kernel can. streams: results go
 * non-temporal where it can. None of them changes a bit. same_ends: see interp_args.
 * fold: element r*folds[2] + k*folds[1] + j*folds[0] + p is of reduction r, row (j, k) of
 * the box and piece p of that row; pieces are those that the row [lo[0], hi[0]) touches.
 * Boxes that part a larger one share its reductions: they begin along x where a piece
 * does. */
typedef struct emit_work {
    int64_t lo[MAX_DIM], hi[MAX_DIM];
    const emit_grid *grid;
    const double *const *table; /* from index 0 */
    const double *uniform;
    double *fold;
    int64_t folds[MAX_DIM];
    int64_t block, ahead;
    int several_rows, streams, same_ends, carried;
    int relaxed; /* others load and store meanwhile: of chaotic programs alone */
} emit_work;
typedef void emit_kernel(const emit_work *work);

/* Whether a stage has a kernel. Those without are left to the interpreter: stages of
 * uniforms only, or so long that compilers would take minutes. */
bool emit_has_kernel(const ir_stage *stage);
/* The slots of a stage: those loaded in order of their first load, then those only
 * stored. At most stage->count + stage->outputs of them. */
int64_t emit_slots(const ir_stage *stage, emit_slot *slot);

/* Kernels of a source, and which of them is one for several stages, whose text is the
 * same but for names. */
typedef struct emit_shared_kernels {
    int64_t count;
    struct emit_shared_kernel *kernel;
} emit_shared_kernels;
/* In place of a stage the one whose kernel it shares, which may be itself. */
void emit_shared_kernels_first(const emit_shared_kernels *t, int64_t *which,
                               int64_t *stage);
void emit_shared_kernels_free(emit_shared_kernels *t);

/* Appends one source with the kernels of all stages that have one, of all these programs;
 * that of stage s of program n is named emit_kernel_name(.., n, s). `head` is a comment,
 * its first lines. pieces, or NULL: where its kernels end, for who compiles them
 * apart. */
pav_status emit_source(const ir *const *code, int64_t count, const char *head, text *t,
                       text_pieces *pieces);
void emit_kernel_name(char name[EMIT_NAME], int64_t which, int64_t stage);
/* The lines of a function that evaluates a stage of uniforms, from and to p->uniform; or
 * those that give back the value of a table at index i, j or k. */
pav_status emit_number_lines(const ir *code, const ir_stage *stage, bool of_table,
                             text *t);
/* The lines of a function that evaluates one point of a stage along x: it loads IN(field,
 * offset), reads UNIFORM(slot) and stores OUT(field). */
pav_status emit_cell_lines(const ir *code, const ir_stage *stage, text *t);

/* ---- by a schedule (emitters.c) ---------------------------------------------------- */

/* Why a program cannot go by a schedule, or cannot on this machine (NULL: any); else
 * `why` stays empty. Stages are split before (emit_split_stages). */
pav_status emit_legal(const ir *code, const schedule *s, const gpu_facts *machine,
                      text *why);
/* The same as a status: PAV_EUNSUPPORTED. */
pav_status emit_check(const ir *code, const schedule *s);
/* Stages in parts (ir_split_stages), where the schedule asks for that: before anything
 * else is asked about them. */
pav_status emit_split_stages(ir *code, const schedule *s);
/* Appends the source of a program by a schedule that is legal: C, where it is one of
 * processors; else CUDA C++ of all stages or of the fused launch. */
pav_status emit_program(const ir *code, const schedule *s, const char *head, text *t);

/* ---- for GPUs (cuda_*.c) ----------------------------------------------------------- */

/* Ghosts beyond a side of an axis that a call stores with the points that they are copies
 * of: point p is copied to from + sign * p, where that is one of `depth` from `first`
 * on. */
typedef struct emit_gpu_ghost_image {
    int from, sign, first, depth;
} emit_gpu_ghost_image;

/* The argument of a kernel begins with this, and goes on with an emit_grid for each slot,
 * the address of each table, each a double * from index 0, and where there are uniforms,
 * with those (UNIFORMS_ARGUMENT) or their address (UNIFORMS_GLOBAL, UNIFORMS_SHARED): see
 * emit_gpu_kernel. With a list, its points are evaluated in place of a box, all at the
 * same time, and the uniform of kind UNIFORM_WEIGHT is weight[n]. */
typedef struct emit_gpu_work {
    int64_t lo[MAX_DIM], hi[MAX_DIM];
    double *fold; /* as in emit_work */
    int64_t folds[MAX_DIM];
    const int64_t (*list)[MAX_DIM];
    const double *weight;
    int64_t count;  /* of the list */
    int64_t planes; /* along the slowest axis, that one block of a SWEEP goes through */
    int64_t same_ends;
    int64_t around; /* points of a row that wraps; 0: what lies beyond is there */
    emit_gpu_ghost_image beyond[MAX_DIM][2]; /* for kernels that have `ghosts` */
} emit_gpu_work;

/* What the tensor memory accelerator copies of a slot in a kernel: boxes of words, rows
 * and planes, from so many points before those of a call to so many beyond. */
typedef struct emit_gpu_tensor_box {
    int slot, planes; /* planes: the axis that they lie along */
    int pack, size;   /* points that are loaded together; bytes of one */
    int before[MAX_DIM], beyond[MAX_DIM];
    int box[MAX_DIM];
} emit_gpu_tensor_box;
/* The same of a call: `data` is a multiple of 16 bytes, `first` has the indices of its
 * point along x, in its planes and across them; strides are in bytes, that along x of a
 * word. What lies beyond the counts is zero. */
typedef struct emit_gpu_tensor_region {
    void *data;
    int64_t first[MAX_DIM], count[MAX_DIM], stride[MAX_DIM];
    int box[MAX_DIM];
} emit_gpu_tensor_region;
/* What the generated code calls `tensor`: the accelerator's own form of a part, and where
 * that begins. */
typedef struct emit_gpu_tensor {
    _Alignas(64) uint64_t map[16];
    int64_t first[MAX_DIM];
} emit_gpu_tensor;

/* What who calls a kernel must know of it. Its argument goes on with a tensor for each
 * part, from a multiple of 64 bytes on. */
typedef struct emit_gpu_kernel {
    schedule schedule; /* nothing left to defaults */
    emit_gpu_tensor_box *part;
    int64_t parts;
    int64_t slots, tables, uniforms, reductions;
    emit_slot *slot;
    int *table, *uniform; /* their numbers in the IR, in the kernel's order */
    int64_t seeds;        /* uniforms, the first ones, of which the bits are read */
    pav_type real;        /* of the others */
    int64_t number_bytes; /* of all uniforms together */
    int64_t argument_bytes;
    bool ghosts; /* it stores those that work.beyond has, of all that it stores */
    bool alike;  /* it takes the strides of all slots to be those of the first */
    bool around; /* where work.around is set, it reads none beyond the ends of rows */
    int64_t shared,
        fixed; /* bytes that a block takes: of a SWEEP; of any call, fixed by the text */
} emit_gpu_kernel;

/* Transcendental functions of values that differ from point to point are the GPU's own
 * library's in a step, whose bits may differ from the host's; stages with such functions
 * outside of the step have no kernel, nor have those without one on the host. */
bool emit_gpu_has_kernel(const ir *code, const ir_stage *stage);
/* Whether what a load reads beyond the ends of a periodic axis differs from the points
 * inside that wrapping leads to: a border along a later axis gives values by the place
 * along this one, and the load reaches them. */
bool emit_corner_differs(const ir *code, const ir_node *load, int axis);
/* Whether the stage has such functions, so that a GPU's bits may differ: what runs in a
 * step as well as at the start, as borders do, is left to the host at the start. */
bool emit_gpu_differs(const ir_stage *stage);
/* The oldest architecture that a schedule is for: 80, 90. */
int emit_gpu_oldest(const schedule *s);
/* What need not be said, since it is the default of the stage: where its numbers are, one
 * row. */
void emit_gpu_leave_defaults(const ir *code, const ir_stage *stage, schedule *s);
/* Whether no more is requested than that, or nothing: each part may go by what is
 * fastest. */
bool emit_gpu_is_open(const schedule *s);
/* Why the stage cannot go by that schedule; NULL: it can. The second gives only what the
 * stage lacks by its nature, whatever the settings: planes, neighbours to be shared, a
 * second pass. */
const char *emit_gpu_refusal(const ir *code, const ir_stage *stage,
                             const schedule *requested);
const char *emit_gpu_lack(const ir *code, const ir_stage *stage,
                          const schedule *requested);
/* What a GPU lacks for a stage whose schedule is legal. */
pav_status emit_gpu_machine_lack(const ir *code, const ir_stage *stage,
                                 const schedule *requested, const gpu_facts *machine,
                                 text *why);
/* Of one stage, of what is asked for of a program: stages that lack what it is about go
 * by their default. */
schedule emit_gpu_schedule_of(const ir *code, int64_t stage, const schedule *requested);
/* Those of which any may be the fastest, the default first: at least 1 of them. */
enum { EMIT_GPU_CANDIDATES = 12 };
int64_t emit_gpu_candidates(const ir *code, const ir_stage *stage,
                            schedule list[EMIT_GPU_CANDIDATES]);
pav_status emit_gpu_kernel_of(const ir *code, const ir_stage *stage,
                              const schedule *requested, emit_gpu_kernel *k);
void emit_gpu_kernel_free(emit_gpu_kernel *k);
/* Uniforms that a step's reductions give and only its stages read, so that they can stay
 * on a GPU; false: none. live: one for each uniform. */
bool emit_gpu_live_scalars(const ir *code, bool *live);
/* Whether a stage of the step reads some, or what is evaluated before it does: then it
 * has a kernel `..._scalars`, whose argument is emit_gpu_scalars. */
bool emit_gpu_reads_live(const ir *code, const ir_stage *stage, const bool *live);
typedef struct emit_gpu_scalars {
    double *uniform;    /* of all uniforms, on the GPU */
    const double *host; /* all, as the host knows them */
    void *to;           /* number_bytes */
} emit_gpu_scalars;
/* The values of a kernel's uniforms, out of all of the program, as the kernel reads them:
 * number_bytes of them. */
void emit_gpu_pack_uniforms(const emit_gpu_kernel *k, const double *uniform, char *to);
/* UNIFORMS_CONSTANT: the variable of as many bytes that they are read from. */
void emit_gpu_constant_name(char name[EMIT_NAME], int64_t which, int64_t stage);
void emit_gpu_tensor_region_of(const emit_gpu_tensor_box *s, const emit_gpu_work *w,
                               const emit_grid *grid, emit_gpu_tensor_region *p);
/* Blocks and shared bytes of a call for such a box, or a list. */
void emit_gpu_extent(const ir *code, const emit_gpu_kernel *k, const emit_gpu_work *w,
                     int64_t blocks[3], int threads[3], int64_t *shared);

/* Registers of a thread of a SWEEP for what it holds from plane to plane and, as
 * compilers order what it reads, for half of that. */
int64_t emit_gpu_sweep_registers(const ir *code, const ir_stage *stage,
                                 const schedule *s);

/* ---- several steps in one launch (time/, persistent/) ------------------------------ */

/* Points of a list by planes, in them by y, x and their numbers: those of plane p are
 * mark[first[p]] and on. */
typedef struct emit_gpu_mark {
    int64_t i, j, number;
    double weight;
} emit_gpu_mark;
typedef struct emit_gpu_marks {
    const int64_t *first;
    const emit_gpu_mark *mark;
} emit_gpu_marks;
/* What samples see: value[step * count + number] of point `number`, as the field is
 * stored. */
typedef struct emit_gpu_sample {
    emit_gpu_marks points;
    void *value;
    int64_t count;
} emit_gpu_sample;

/* The argument of a launch begins with this and goes on with an emit_grid for each slot,
 * the address of each table, an emit_gpu_marks for each injection, an emit_gpu_sample for
 * each sample of a field that steps store, where steps have numbers, the address of
 * those: for each step those of each stage in turn; and from a multiple of 64 bytes on a
 * tensor for each part. */
typedef struct emit_gpu_fused_work {
    int64_t extent[MAX_DIM];
    int64_t begin, end; /* planes that are stored: all, or those of a visit; */
    int64_t behind; /* the end of those that may be read, but for the ghosts behind it */
    int64_t steps;  /* that are taken: of TIME from `least` to its depth */
    int64_t planes; /* that a block of TIME stores of its tile, */
    int64_t tail,
        /* but for all behind so many tiles of a launch in registers: of those `tail` */
        tiles;
    /* of PERSISTENT: memory by which its blocks signal each other, all 0 before the first
     * launch */
    void *seen;
    int64_t epoch; /* and how often they have synchronised by then */
} emit_gpu_fused_work;

/* What a caller of a fused launch must know. Input slots are the levels before the
 * launch. Output slots are those after it, numbered 0, -1, ...: all points but the faces
 * that borders give. They must be buffers other than the inputs. */
typedef struct emit_gpu_fused {
    schedule schedule; /* nothing left to defaults */
    bool sweeps;       /* blocks do, through planes; else each keeps its tile */
    int64_t slots, tables, stages, injections, samples, parts;
    emit_gpu_tensor_box
        *part; /* what the tensor memory accelerator copies of what it finds */
    const statement **sample;
    emit_slot *slot;
    int *table;
    int *stage; /* whose numbers a step has; those of borders as of its end */
    emit_gpu_kernel *numbers; /* of each */
    int64_t number_bytes, argument_bytes, shared;
    int least;           /* steps that it takes */
    int together;        /* tiles along x of a block */
    int useful[MAX_DIM]; /* points across the sweep that a block stores, */
    int around
        [MAX_DIM]; /* and that it reads around them on either side, along the sweep too */
    int most;      /* steps that it takes at most */
    int ahead;     /* planes along the sweep that it asks for before they are needed */
    int registers; /* of a thread, for planes of the steps between; 0: none are there */
    /* of PERSISTENT, whose blocks synchronise after each `depth` steps but the last */
    int64_t signal_bytes;
    double cycles, cycles_waiting; /* of a step by its model: of work; to synchronise
                                    * blocks */
} emit_gpu_fused;

enum { EMIT_GPU_MOST_PERSISTENT = 1000 /* steps of a launch of PERSISTENT */ };
/* gpu: that it is for; NULL: any. */
pav_status emit_gpu_fused_of(const ir *code, const schedule *requested,
                             const gpu_facts *gpu, emit_gpu_fused *fused);
void emit_gpu_fused_free(emit_gpu_fused *fused);
/* Schedules of fused launches that are worth a trial, best ranked first; and the
 * bytes that a launch of one reads and stores of a point where no cache hands anything
 * from tile to tile. planes: that a block stores. */
enum { EMIT_GPU_FUSED_CANDIDATES = 6 };
pav_status emit_gpu_fused_candidates(const ir *code,
                                     schedule list[EMIT_GPU_FUSED_CANDIDATES],
                                     int *count);
double emit_gpu_fused_bytes(const ir *code, const emit_gpu_fused *fused, int64_t planes);
/* Parts of PERSISTENT, and rows in two dimensions, for such a GPU; refused where there
 * are none. Others stay as they are. */
pav_status emit_gpu_fused_fit(const ir *code, const gpu_facts *gpu, schedule *requested);
void emit_gpu_fused_name(char name[EMIT_NAME], int64_t which);
/* Appends CUDA C++ of the launches of all programs: of program n by of_program[n]; NULL:
 * none. */
pav_status emit_gpu_fused_source(const ir *const *code, int64_t count,
                                 const schedule *const *of_program, const char *head,
                                 text *t);
void emit_gpu_fused_extent(const ir *code, const emit_gpu_fused *fused,
                           const emit_gpu_fused_work *w, int64_t blocks[3],
                           int threads[3]);

/* Bytes that a call for such a box moves between memory and the GPU where no cache hands
 * anything from one tile to the next: of each tile of a block's points every sector that
 * it reads, of each row every sector that it stores. */
pav_status emit_gpu_footprint(const ir *code, const ir_stage *stage,
                              const emit_gpu_kernel *k, const emit_gpu_work *w,
                              double *bytes);

/* Appends CUDA C++ for all stages of all programs that have kernels; stage s of program n
 * goes by of_stage[n][s], or all by the default (NULL). Names as above; that of a stage's
 * list, where it can be an injection's, ends in _list. */
pav_status emit_gpu_source(const ir *const *code, int64_t count,
                           const schedule *const *of_stage, const char *head, text *t);
/* The same, but stages that are alike have one kernel, that of the first, which
 * emit_shared_kernels_first gives. */
pav_status emit_gpu_shared_source(const ir *const *code, int64_t count,
                                  const schedule *const *of_stage, const char *head,
                                  emit_shared_kernels *shared, text *t);
/* Of a stand-alone program: a function on the host, PROGRAM_gpu_stage_N, that launches
 * the kernel of stage N as a run does, out of what src/kernels/program/program_cuda.cu
 * calls PROGRAM_call; and the kernel of ghosts among those below. */
pav_status emit_gpu_launcher(const ir *code, int64_t stage, const schedule *requested,
                             text *t);
pav_status emit_gpu_program_common(text *t);

/* Kernels that know no stage, of src/kernels/gpu/run_*.cuh, and the argument of each.
 * They are called with EMIT_GPU_COMMON threads along x in as many blocks along x as give
 * a thread for each of what is counted. */
void emit_gpu_common(text *t);
enum { EMIT_GPU_COMMON = 256 };

/* One level of a field. data: point (0, 0, 0); strides in elements; type: a pav_type. */
typedef struct emit_gpu_view {
    void *data;
    int64_t y, z, type;
} emit_gpu_view;

/* run_ghosts: what ghost_fill of domain.h does. lo and hi along `axis` are ignored. A
 * thread for each line along it. */
typedef struct emit_gpu_ghosts {
    emit_gpu_view view;
    int64_t lo[MAX_DIM], hi[MAX_DIM];
    int64_t axis, side, map;
    int64_t extent, depth; /* points and ghost points along the axis */
} emit_gpu_ghosts;

/* run_borders: ghosts of as many levels as there are blocks along y: what ghost_fill does
 * with all axes and sides in turn, but for those of map -1, which stay as they are.
 * A face becomes 0 only where no ghost along its axis is a copy of a point on a face.
 * gpu_border_of (gpu_borders.c) works the argument out; what its numbers are,
 * run_borders.cuh says. Along x each part has blocks of its own, up to its `end`, with a
 * thread for each EMIT_GPU_BORDER_LINES of its points. No numbers are padding, so that
 * equal launches have equal bytes. */
enum { EMIT_GPU_BORDERS = 12, EMIT_GPU_BORDER_LINES = 4, EMIT_GPU_BORDER_PARTS = 8 };
enum { EMIT_GPU_GHOST_FILLED = 1, EMIT_GPU_GHOST_NEGATED = 4 };
typedef struct emit_gpu_border_side {
    int map, how, from, sign;
} emit_gpu_border_side;
typedef struct emit_gpu_border_axis {
    int extent, first, inner, outer, low, halo;
    emit_gpu_border_side side[2];
} emit_gpu_border_axis;
typedef struct emit_gpu_border {
    emit_gpu_view view;
    emit_gpu_border_axis axis[MAX_DIM];
    int end[EMIT_GPU_BORDER_PARTS], straight, unused;
} emit_gpu_border;
typedef struct emit_gpu_borders {
    emit_gpu_border level[EMIT_GPU_BORDERS];
} emit_gpu_borders;
_Static_assert(sizeof(emit_gpu_borders) <= GPU_MOST_ARGUMENT, "too many levels at once");

/* run_samples: value[row] is the sum, from 0 and in this order, of weight[k] * the point
 * at index[k] for k from first[row] on, in f64. A thread for each row. */
typedef struct emit_gpu_samples {
    emit_gpu_view view;
    const int64_t *first;
    const int64_t (*index)[MAX_DIM];
    const double *weight;
    double *value;
    int64_t count;
} emit_gpu_samples;

/* run_reductions: to[g] is what interp_reduce gives of from[g * count ...], whose indices
 * begin with `first`. kind: a reduction_kind. A block for each group; `to` is other
 * memory than `from`. */
typedef struct emit_gpu_reductions {
    const double *from;
    double *to;
    int64_t first, count, groups, kind;
} emit_gpu_reductions;

/* run_check_nan: *found becomes the least of itself and the number within the box, x
 * fastest, of every point that is not finite. A thread for each point. */
typedef struct emit_gpu_nan_check {
    emit_gpu_view view;
    int64_t lo[MAX_DIM], hi[MAX_DIM];
    uint64_t *found;
} emit_gpu_nan_check;

/* run_copy: the points of a box, from a view of the same type, or zeros where from.data
 * is NULL. A thread for each point. */
typedef struct emit_gpu_copy {
    emit_gpu_view to, from;
    int64_t lo[MAX_DIM], hi[MAX_DIM];
} emit_gpu_copy;

/* run_fill: ordinary numbers of [0, 1). A thread for each point. */
typedef struct emit_gpu_fill {
    emit_gpu_view to;
    int64_t lo[MAX_DIM], hi[MAX_DIM];
} emit_gpu_fill;

/* A source of its own: copy_packs, of nx * ny * nz packs of 16 bytes, a thread for each;
 * copy_tiles and copy_remap, the same with a halo, whose blocks of threads along x and y
 * go through as many planes each as `planes`. `never`: 4 bytes. */
void emit_gpu_copies(text *t);
typedef struct emit_gpu_copying {
    const void *from;
    void *to;
    int64_t nx, ny, nz, planes;
    void *never;
} emit_gpu_copying;
/* Of that source also copy_words_4, _8 and _16, by the bytes of a word: a thread along x
 * for each word of a row, blocks along y for the rows. Sizes but words and rows are in
 * bytes. */
typedef struct emit_gpu_accesses {
    const void *from;
    void *to;
    int64_t words, rows, pitch, begin, apart;
} emit_gpu_accesses;

/* ---- texts (common/emit_prune.c) --------------------------------------------------- */

/* Of helpers, bytes `begin` to before `end`, those stay that the text after them names,
 * and what those name in turn. */
pav_status emit_prune(text *t, int64_t begin, int64_t end);

#endif
