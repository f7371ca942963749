/* SPDX-License-Identifier: BSD-3-Clause */
/* emit: prints stages of the IR in C or CUDA C++. A kernel evaluates one stage over a box
 * with exactly the roundings of the nodes, so its results are bitwise identical to the
 * interpreter's. Compilers must neither contract nor reassociate. Functions are
 * Pavior's own text.
 *
 * A kernel folds a reduction along x within pieces of EMIT_PIECE points. Indices of
 * pieces start at multiples of EMIT_PIECE: a piece is a block of the fixed tree. The
 * caller reduces the pieces, rows and planes. */
#ifndef EMIT_EMIT_H
#define EMIT_EMIT_H

#include "base/base.h"
#include "lang/lang.h"
#include "machine/machine.h"
#include "plan/plan.h"
#include "schedule/schedule.h"

enum { EMIT_PIECE = 512, EMIT_NAME = 64 };

/* One level of one field in a stage. The views of the slots are handed to the kernel in
 * this order. */
typedef struct emit_slot {
    int field, level;
    bool loaded, stored;
} emit_slot;

/* The generated code declares the same structs under the names `grid` and `work`. */
typedef struct emit_grid {
    void *data;   /* point (0, 0, 0) */
    int64_t y, z; /* strides in elements */
} emit_grid;

/* A box for one call on one thread. block: rows along y in one block, which is taken
 * through all z. ahead: prefetch distance in rows. several_rows: the kernel may compute
 * several rows at once. streams: the kernel may use non-temporal stores. None of these
 * settings changes a bit. same_ends: see interp_args. fold: element r*folds[2] +
 * k*folds[1] + j*folds[0] + p belongs to reduction r, row (j, k) of the box and piece p
 * of the row; the pieces of a row cover [lo[0], hi[0]). If several boxes share the
 * reductions of a larger box, each begins along x at the start of a piece. */
typedef struct emit_work {
    int64_t lo[MAX_DIM], hi[MAX_DIM];
    const emit_grid *grid;
    const double *const *table; /* from index 0 */
    const double *uniform;
    double *fold;
    int64_t folds[MAX_DIM];
    int64_t block, ahead;
    int several_rows, streams, same_ends, carried;
    int relaxed; /* other threads load and store meanwhile: chaotic programs only */
    const int *tables, *uniforms; /* emit_stage_numbers */
} emit_work;
typedef void emit_kernel(const emit_work *work);

/* True if the stage has a kernel of a processor. The interpreter runs the other stages:
 * stages of uniforms only, transforms, and stages so long that compilers would take
 * minutes. */
bool emit_has_kernel(const ir_stage *stage);
/* Fills in the slots of a stage and returns their number: first the loaded slots in order
 * of their first load, then the slots that are only stored. There are at most
 * stage->count + stage->outputs. */
int64_t emit_slots(const ir_stage *stage, emit_slot *slot);

/* The kernels of a source. Stages with the same text but for names share one kernel. */
typedef struct emit_shared_kernels {
    int64_t count;
    struct emit_shared_kernel *kernel;
} emit_shared_kernels;
/* The name of the stage's kernel: by the hash of its text in a source without names, else
 * emit_kernel_name. */
void emit_shared_kernels_name(const emit_shared_kernels *t, int64_t which, int64_t stage,
                              char name[EMIT_NAME]);
void emit_shared_kernels_free(emit_shared_kernels *t);

/* Appends one source with the kernels of all stages of all programs. Stage s of program n
 * has the kernel emit_kernel_name(.., n, s). `head` is a comment for its first lines.
 * shared, or NULL: the source is one without names, and this list has the names of its
 * kernels. pieces, or NULL: the ends of the kernels, so that the caller can compile them
 * separately. */
pav_status emit_source(const ir *const *code, int64_t count, const char *head,
                       emit_shared_kernels *shared, text *t, text_pieces *pieces);
/* The same without names, for programs that come one at a time. emit_source_add appends
 * the kernels that are not there yet; pieces has room for one more. emit_source_end makes
 * the source of them. */
pav_status emit_source_add(const ir *code, text *kernels, text_pieces *pieces);
pav_status emit_source_end(text *kernels, const char *head, text *t, text_pieces *pieces);
/* Tables and uniforms of a stage for kernels without names (emit_work). The caller frees
 * `tables`; the uniforms lie in the same memory. */
pav_status emit_stage_numbers(const ir *code, const ir_stage *stage, int **tables,
                              int **uniforms);
void emit_kernel_name(char name[EMIT_NAME], int64_t which, int64_t stage);
/* Appends the body of a function that evaluates a stage of uniforms, from and to
 * p->uniform; or, for a table, of a function that returns its value at index i, j or
 * k. */
pav_status emit_number_lines(const ir *code, const ir_stage *stage, bool of_table,
                             text *t);
/* Appends the body of a function that evaluates one point of a stage along x: it loads
 * IN(field, offset), reads UNIFORM(slot) and stores OUT(field). */
pav_status emit_cell_lines(const ir *code, const ir_stage *stage, text *t);

/* ---- by schedule (emitters.c) ------------------------------------------------------ */

/* Writes to `why` the reason if a program cannot use a schedule on this machine (NULL:
 * any machine); else `why` stays empty. Call emit_split_stages before. */
pav_status emit_legal(const ir *code, const schedule *s, const gpu_facts *machine,
                      text *why);
/* The same check with the result in a status: PAV_EUNSUPPORTED. */
pav_status emit_check(const ir *code, const schedule *s);
/* Splits stages (ir_split_stages) if the schedule asks for it. Call it before any other
 * question about the stages. */
pav_status emit_split_stages(ir *code, const schedule *s);
/* Appends the source of a program for a legal schedule: C for a schedule of processors;
 * else CUDA C++ of all stages or of the fused launch. */
pav_status emit_program(const ir *code, const schedule *s, const char *head, text *t);

/* ---- for GPUs (cuda_*.c) ----------------------------------------------------------- */

/* Ghosts beyond a side of an axis, stored by a call together with the points they copy.
 * The ghost of point p has the index from + sign * p; it is stored if this index is one
 * of `depth` from `first` on. */
typedef struct emit_gpu_ghost_image {
    int from, sign, first, depth;
} emit_gpu_ghost_image;

/* Head of a kernel's argument. An emit_grid for each slot follows, then the address of
 * each table, a double * from index 0. If there are uniforms, they come last
 * (UNIFORMS_ARGUMENT), or their address does (UNIFORMS_GLOBAL, UNIFORMS_SHARED): see
 * emit_gpu_kernel. With a list, the kernel evaluates the points of the list in place of a
 * box, all at the same time, and the uniform of kind UNIFORM_WEIGHT is weight[n]. */
typedef struct emit_gpu_work {
    int64_t lo[MAX_DIM], hi[MAX_DIM];
    double *fold; /* as in emit_work */
    int64_t folds[MAX_DIM];
    const int64_t (*list)[MAX_DIM];
    const double *weight;
    int64_t count;  /* points in the list */
    int64_t planes; /* planes along the slowest axis that one block of a SWEEP computes */
    int64_t same_ends;
    int64_t around; /* points of a periodic row; 0: the row has ghosts */
    emit_gpu_ghost_image beyond[MAX_DIM][2]; /* for kernels with `ghosts` */
} emit_gpu_work;

/* The tensor memory accelerator's box for one slot of a kernel, in words, rows and
 * planes. before, beyond: margins in points around the box of a call. */
typedef struct emit_gpu_tensor_box {
    int slot, planes; /* planes: the axis across the planes */
    int pack, size;   /* points in a vector; bytes of a point */
    int before[MAX_DIM], beyond[MAX_DIM];
    int box[MAX_DIM];
} emit_gpu_tensor_box;
/* The region of one call. `data` is a multiple of 16 bytes. `first` holds the indices of
 * its point along x, in its planes and across them. Strides are in bytes; the stride
 * along x is that of a word. The accelerator reads zeros beyond the counts. */
typedef struct emit_gpu_tensor_region {
    void *data;
    int64_t first[MAX_DIM], count[MAX_DIM], stride[MAX_DIM];
    int box[MAX_DIM];
} emit_gpu_tensor_region;
/* `tensor` in the generated code: the accelerator's descriptor of a region, and the
 * region's first point. */
typedef struct emit_gpu_tensor {
    _Alignas(64) uint64_t map[16];
    int64_t first[MAX_DIM];
} emit_gpu_tensor;

/* Facts about a kernel for its callers. After the work, grids and numbers, its argument
 * has an emit_gpu_tensor for each part, from a multiple of 64 bytes on. */
typedef struct emit_gpu_kernel {
    schedule schedule; /* nothing left to defaults */
    emit_gpu_tensor_box *part;
    int64_t parts;
    int64_t slots, tables, uniforms, reductions;
    emit_slot *slot;
    int *table, *uniform; /* numbers in the IR, in the kernel's order */
    int64_t seeds;        /* leading uniforms read by their bits */
    pav_type real;        /* type of the other uniforms */
    int64_t number_bytes; /* of all uniforms together */
    int64_t argument_bytes;
    int along;          /* see ir_stage: a thread computes a line */
    int lines, threads; /* of a block, if the stage transforms lines; or 0 */
    bool ghosts; /* it also stores the ghosts in work.beyond, for all fields it stores */
    bool alike;  /* it uses the strides of the first slot for all slots */
    bool around; /* if work.around is set, it reads periodic neighbours from the other end
                  * of a row, not from ghosts */
    /* Bytes of shared memory of a block. shared: of a SWEEP with its threads. fixed: of
     * any call, a constant of the kernel's text. */
    int64_t shared, fixed;
} emit_gpu_kernel;

/* True if a stage has a kernel on the GPU. A stage without a kernel on the host has none
 * here either. */
bool emit_gpu_has_kernel(const ir *code, const ir_stage *stage);
/* True if ghosts beyond the ends of a periodic axis differ from the points inside that
 * wrapping leads to, and the load reads such ghosts. This happens if a border along a
 * later axis gives values by the place along this one. */
bool emit_corner_differs(const ir *code, const ir_node *load, int axis);
/* The oldest architecture for a schedule: 75 or 90. */
int emit_gpu_oldest(const schedule *s);
/* Clears options equal to the stage's default: the place of its uniforms, and one row. */
void emit_gpu_leave_defaults(const ir *code, const ir_stage *stage, schedule *s);
/* True if no option for stages is requested: the kind is auto, a fused launch, or
 * two-pass alone. Then each stage may use its fastest schedule. */
bool emit_gpu_is_open(const schedule *s);
/* The reason why the stage cannot use the schedule; NULL: it can. emit_gpu_lack looks
 * only at the nature of the stage, whatever the settings: planes, neighbours to share, a
 * second pass. */
const char *emit_gpu_refusal(const ir *code, const ir_stage *stage,
                             const schedule *requested);
const char *emit_gpu_lack(const ir *code, const ir_stage *stage,
                          const schedule *requested);
/* Writes to `why` what the GPU lacks for a stage with a legal schedule. */
pav_status emit_gpu_machine_lack(const ir *code, const ir_stage *stage,
                                 const schedule *requested, const gpu_facts *machine,
                                 text *why);
/* The schedule of one stage of a program with a requested schedule. If the stage does not
 * qualify for it (for example, has no neighbours to share), the stage gets its default
 * schedule. */
schedule emit_gpu_schedule_of(const ir *code, int64_t stage, const schedule *requested);
/* Candidates for autotuning, the default first. Returns their number, at least 1. */
enum { EMIT_GPU_CANDIDATES = 14 };
int64_t emit_gpu_candidates(const ir *code, const ir_stage *stage,
                            schedule list[EMIT_GPU_CANDIDATES]);
pav_status emit_gpu_kernel_of(const ir *code, const ir_stage *stage,
                              const schedule *requested, emit_gpu_kernel *k);
void emit_gpu_kernel_free(emit_gpu_kernel *k);
/* True if a stage of the step, or the stage of uniforms before it, reads live uniforms.
 * Then it has a kernel `..._scalars` with the argument emit_gpu_scalars. */
bool emit_gpu_reads_live(const ir *code, const ir_stage *stage);
typedef struct emit_gpu_scalars {
    double *uniform;    /* of all uniforms, on the GPU */
    const double *host; /* all uniforms, from the host */
    void *to;           /* number_bytes */
} emit_gpu_scalars;
/* Packs the values of a kernel's uniforms from all uniforms of the program in the
 * kernel's layout: number_bytes bytes. */
void emit_gpu_pack_uniforms(const emit_gpu_kernel *k, const double *uniform, char *to);
/* Name of the kernel's variable in constant memory, for UNIFORMS_CONSTANT. It holds the
 * packed uniforms, number_bytes bytes. */
void emit_gpu_constant_name(char name[EMIT_NAME], int64_t which, int64_t stage);
void emit_gpu_tensor_region_of(const emit_gpu_tensor_box *s, const emit_gpu_work *w,
                               const emit_grid *grid, emit_gpu_tensor_region *p);
/* Blocks, threads and bytes of shared memory of a call for a box or a list. */
void emit_gpu_extent(const ir *code, const emit_gpu_kernel *k, const emit_gpu_work *w,
                     int64_t blocks[3], int threads[3], int64_t *shared);

/* Registers of a thread of a SWEEP: all values that it carries from plane to plane, and
 * half of the values that it reads, since compilers interleave the loads. */
int64_t emit_gpu_sweep_registers(const ir *code, const ir_stage *stage,
                                 const schedule *s);

/* ---- several steps in one launch (time/, persistent/) ------------------------------ */

/* Points of a list in order of plane, y, x and number. The points of plane p start at
 * mark[first[p]]. */
typedef struct emit_gpu_mark {
    int64_t i, j, number;
    double weight;
} emit_gpu_mark;
typedef struct emit_gpu_marks {
    const int64_t *first;
    const emit_gpu_mark *mark;
} emit_gpu_marks;
/* Samples of a field: value[step * count + number] is point `number` in the field's
 * storage type. */
typedef struct emit_gpu_sample {
    emit_gpu_marks points;
    void *value;
    int64_t count;
} emit_gpu_sample;

/* Head of a fused launch's argument. It goes on with an emit_grid for each slot, the
 * address of each table, an emit_gpu_marks for each source, and an emit_gpu_sample for
 * each sample of a field that steps store. If steps have uniforms, their address follows:
 * for each step the uniforms of each stage in turn. From a multiple of 64 bytes on there
 * is an emit_gpu_tensor for each part. */
typedef struct emit_gpu_fused_work {
    int64_t extent[MAX_DIM];
    int64_t begin, end; /* stored planes: all, or the planes of a visit */
    int64_t behind; /* end of the readable planes; ghosts behind it are readable, too */
    int64_t steps;  /* steps of this launch: for TIME, from `least` to its depth */
    int64_t planes; /* planes that a block of TIME stores of its tile */
    /* Launches in registers. tail: planes of a block in the tail tiles. tiles: number of
     * tiles before the tail tiles. */
    int64_t tail, tiles;
    /* counters by which the blocks of PERSISTENT signal each other; all 0 before the
     * first launch */
    void *seen;
    int64_t epoch; /* how often the blocks have synchronised before this launch */
} emit_gpu_fused_work;

/* Facts about a fused launch for its callers. Input slots are the levels before the
 * launch. Output slots are the levels after it, numbered 0, -1, ...: all points except
 * faces given by borders. Input and output must be different buffers. */
typedef struct emit_gpu_fused {
    arena *memory;     /* of its lists */
    schedule schedule; /* nothing left to defaults */
    bool sweeps;       /* blocks sweep through planes; else each block keeps its tile */
    int64_t slots, tables, stages, injections, samples, parts;
    emit_gpu_tensor_box
        *part; /* boxes of input levels for the tensor memory accelerator */
    const statement **sample;
    emit_slot *slot;
    int *table;
    /* stages with uniforms in a step; stages of borders use their values at its end */
    int *stage;
    emit_gpu_kernel *numbers; /* the uniforms of each of these stages */
    int64_t number_bytes, argument_bytes, shared;
    int least;           /* fewest steps of a launch */
    int together;        /* tiles of a block along x */
    int useful[MAX_DIM]; /* points across the sweep that a block stores */
    /* The overlap: points read by a block on either side of its useful points, also along
     * the sweep. */
    int around[MAX_DIM];
    int most;  /* most steps of a launch */
    int ahead; /* prefetch distance in planes along the sweep */
    /* registers of a thread for planes of intermediate steps; 0: they are not in
     * registers */
    int registers;
    /* bytes for the signals of PERSISTENT. Its blocks synchronise after every `depth`
     * steps except the last ones. */
    int64_t signal_bytes;
    /* cycles of a step by the model: work, and synchronisation of blocks */
    double cycles, cycles_waiting;
} emit_gpu_fused;

enum { EMIT_GPU_MOST_PERSISTENT = 1000 /* steps in a launch of PERSISTENT */ };
/* gpu: the target; NULL: any GPU. */
pav_status emit_gpu_fused_of(const ir *code, const schedule *requested,
                             const gpu_facts *gpu, emit_gpu_fused *fused);
void emit_gpu_fused_free(emit_gpu_fused *fused);
/* Candidates for fused launches, best ranked first. emit_gpu_fused_bytes: bytes that a
 * launch reads and stores for each point if no cache hands data from tile to tile.
 * planes: stored planes of a block. */
enum { EMIT_GPU_FUSED_CANDIDATES = 6 };
pav_status emit_gpu_fused_candidates(const ir *code,
                                     schedule list[EMIT_GPU_FUSED_CANDIDATES],
                                     int *count);
double emit_gpu_fused_bytes(const ir *code, const emit_gpu_fused *fused, int64_t planes);
/* Chooses the tiles of PERSISTENT for this GPU, and its rows in two dimensions. The
 * launch is refused if no choice fits. Other schedules stay unchanged. */
pav_status emit_gpu_fused_fit(const ir *code, const gpu_facts *gpu, schedule *requested);
void emit_gpu_fused_name(char name[EMIT_NAME], int64_t which);
/* Appends CUDA C++ of the launches of all programs. of_program[n] is the schedule of
 * program n; NULL: no launch. */
pav_status emit_gpu_fused_source(const ir *const *code, int64_t count,
                                 const schedule *const *of_program, const char *head,
                                 text *t);
void emit_gpu_fused_extent(const ir *code, const emit_gpu_fused *fused,
                           const emit_gpu_fused_work *w, int64_t blocks[3],
                           int threads[3]);

/* The launches for groups of stages of a step, pav_fused_0 and so on. Groups that no
 * schedule takes are left out. refusal: why the last one is; or NULL. requested: auto, or
 * a schedule of groups. */
typedef struct emit_gpu_group {
    ir_group_view view;
    schedule schedule;
} emit_gpu_group;
typedef struct emit_gpu_groups {
    arena *memory;
    int64_t count;
    emit_gpu_group *group;
    const char *refusal;
} emit_gpu_groups;
pav_status emit_gpu_groups_open(const ir *code, const schedule *requested,
                                const gpu_facts *gpu, emit_gpu_groups *found);
void emit_gpu_groups_free(emit_gpu_groups *g);
/* True if groups pay on a grid with fields of so many bytes: they exceed an L2. */
bool emit_gpu_groups_pay(double bytes);
pav_status emit_gpu_groups_source(const emit_gpu_groups *g, const char *head, text *t);

/* Bytes that a call for a box moves between memory and the GPU if no cache hands data
 * from one tile to the next. It counts every sector that the tile of a block reads, and
 * every sector that each row stores. */
pav_status emit_gpu_footprint(const ir *code, const ir_stage *stage,
                              const emit_gpu_kernel *k, const emit_gpu_work *w,
                              double *bytes);

/* Appends CUDA C++ for all stages with kernels of all programs. Stage s of program n uses
 * of_stage[n][s]; NULL: all stages use their default. Kernels are named by
 * emit_kernel_name; a kernel for the list of a source ends in _list. */
pav_status emit_gpu_source(const ir *const *code, int64_t count,
                           const schedule *const *of_stage, const char *head, text *t);
/* The same, but without names: stages with equal text share a kernel
 * (emit_shared_kernels_name). So the text is the same for all sizes of the grid, and for
 * all numbers of its coarser grids. */
pav_status emit_gpu_shared_source(const ir *const *code, int64_t count,
                                  const schedule *const *of_stage, const char *head,
                                  emit_shared_kernels *shared, text *t);
/* For a stand-alone program: a host function PROGRAM_gpu_stage_N that launches the kernel
 * of stage N like a run does. It uses PROGRAM_call of
 * kernels/program/program_cuda.cu. emit_gpu_program_common appends the kernels for
 * ghosts and copies from the common kernels below. */
pav_status emit_gpu_launcher(const ir *code, int64_t stage, const schedule *requested,
                             text *t);
pav_status emit_gpu_program_common(text *t);
/* Transforms of lines in f64 and f32 by these words, and more functions of a type. */
void emit_transforms(const char *words, const char *lines, const char *more, text *t);
/* Declares t, this transform. */
void emit_transform_literal(const line_transform *t, text *to);

/* Common kernels, independent of any stage, from src/code/gpu_kernels/run.cuh, and the
 * argument of each. They are called with EMIT_GPU_COMMON threads along x and enough
 * blocks along x for one thread for each item. */
void emit_gpu_common(text *t);
enum { EMIT_GPU_COMMON = 256 };

#include "codegen/arguments/run_arguments_private.h"
_Static_assert(sizeof(emit_gpu_borders) <= GPU_MOST_ARGUMENT, "too many levels at once");

/* A separate source for measuring copy bandwidth. copy_packs copies nx * ny * nz vectors
 * of 16 bytes with a thread for each. copy_tiles and copy_remap copy the same with a
 * halo; each of their blocks goes through `planes` planes. `never`: 4 bytes. */
void emit_gpu_copies(text *t);
typedef struct emit_gpu_copying {
    const void *from;
    void *to;
    int64_t nx, ny, nz, planes;
    void *never;
} emit_gpu_copying;
/* The same source has copy_words_4, _8 and _16, named by the bytes of a word: a thread
 * along x for each word of a row, blocks along y for the rows. pitch, begin and apart are
 * in bytes. */
typedef struct emit_gpu_accesses {
    const void *from;
    void *to;
    int64_t words, rows, pitch, begin, apart;
} emit_gpu_accesses;

/* ---- printed text (common/emit_prune.c) -------------------------------------------- */

/* Removes unused helpers in the bytes from `begin` to before `end`. A helper stays if the
 * text after `end` names it, or if another remaining helper does. */
pav_status emit_prune(text *t, int64_t begin, int64_t end);

#endif
