/* SPDX-License-Identifier: BSD-3-Clause */
/* Shared inside codegen only: the survey of the stage being printed, and the printers of
 * its parts. */
#ifndef CODEGEN_CODEGEN_PRIVATE_H
#define CODEGEN_CODEGEN_PRIVATE_H

#include "codegen/codegen.h"

/* A row of a slot that loads read. `y`, `z` and the transfer locate it from the stage's
 * point. */
typedef struct emit_row {
    int slot;
    ir_transfer transfer;
    unsigned kept; /* axes along which the transfer is SAME */
    int y, z;
    /* first row of a tile that needs it; 0: the row-by-row function needs it, too */
    int shift;
} emit_row;

/* Tile: some rows with their points computed side by side, so that they share loads. */
enum { TILE_HEIGHT = 4 };

/* How the printed text computes the value of a node. */
typedef enum emit_place {
    PLACE_UNUSED,
    PLACE_INLINE, /* its expression stands in the line of its user */
    PLACE_ROW,    /* a local before the loop */
    PLACE_POINT,  /* a local in the loop */
} emit_place;

/* Text is printed in an arena: its memory, and all names and expressions, which are
 * strings there. If memory runs out, the arena jumps to its guard, so printers return no
 * status. Each stage, or launch, has an arena of its own (IN_ARENA): a source may have
 * hundreds. */

/* Jumps to the guard with the failure of a function without an arena. */
static inline void emit_must(arena *a, pav_status status)
{
    if (status != PAV_OK)
        arena_fail(a, status, "%s", pav_message());
}

typedef struct emit_stage {
    const ir *code;
    const ir_stage *stage;
    arena *arena;
    int64_t program, number;
    text *t;
    pav_type real;
    emit_place *place; /* of each node */
    emit_slot *slot;
    int64_t slots;
    emit_row *row;
    int64_t rows;
    bool of_step;
    int tallest; /* rows of its tiles; 1: row by row */
    int height;  /* rows of the tile being printed */
    int shift;   /* the row of the tile being printed */
    /* of each load, for each row of a tile: index into `row`; -1: the stage also stores
     * the slot */
    int *row_of;
    bool *uniform; /* of each uniform slot: a local holds it */
    bool *table;   /* of each table: a local holds it */
    /* numbers of both in the order of their first uses, for text without names */
    int *uniform_place, *table_place;
    int reductions;
    bool in_place; /* it stores over a level that it loads: no point is computed twice */
    bool holds;    /* the function all_carried_0_3 exists */
    bool relaxed;  /* the printed function loads and stores while other threads do */
    /* part of a stage split by emit_carried; it carries values from plane to plane */
    bool in_planes;
    int carried; /* first field number of carried values */
    int *order;  /* used nodes in the order of their lines in a loop */
    int64_t ordered;
    /* Prints a load in the kind of kernel, before conversion from storage; NULL: by rows
     * along x. */
    const char *(*element)(const struct emit_stage *e, int node);
    /* Prints the value of a node with a line of its own; NULL: by the node's name. */
    const char *(*value)(const struct emit_stage *e, int node);
    int lanes;  /* points along x printed side by side; 0: one */
    int lane;   /* the lane being printed */
    bool whole; /* all points being stored lie in the box */
    /* planes from the sweep's position to the plane of the node being printed */
    int ahead;
    const schedule *schedule;            /* of a kernel on a GPU; else NULL */
    const struct sweep_plan *sweep_plan; /* of a SWEEP; else NULL */
    const void *user;                    /* context for `element` */
    /* names are replaced by the place in the stage, so that stages with different names
     * have equal text */
    bool nameless;
    bool local; /* only other kernels of the source call it */
} emit_stage;

/* The farthest offsets of loads from the point, on either side. */
typedef struct emit_reach {
    bool any;
    int far[MAX_DIM][2];
} emit_reach;
void emit_note_reach(emit_reach *r, const ir_node *load);
/* Of the loads of a level; field -1: of all loads of the stage. */
emit_reach emit_reach_of(const ir_stage *stage, int field, int level);

/* emit_survey.c: completes a stage given by `code`, `stage` and `arena`. Members about
 * printing are kept: program, number, t, schedule, element, value, user. */
emit_stage emit_survey(emit_stage e);
int emit_slot_of(const emit_stage *e, int field, int level);
pav_type emit_storage(const emit_stage *e, int64_t slot);
/* True if a uniform's bits are the seed of random numbers. Then they must not be
 * rounded. */
bool emit_fits_kernel(const ir_stage *stage); /* of some device */
bool emit_is_seed(const emit_stage *e, int64_t uniform);

/* emit_node.c: names, numbers and expressions. */
const char *emit_c_type(pav_type type);               /* "float", "uint16_t" */
const char *emit_reduction_name(reduction_kind kind); /* "REDUCE_MIN" */
const char *emit_slot_name(const emit_stage *e, int slot);
const char *emit_slot_type(const emit_stage *e, int slot); /* "const float" */
const char *emit_row_name(const emit_stage *e, const emit_row *row);
const char *emit_uniform_name(const emit_stage *e, int slot);
const char *emit_uniform_type(const emit_stage *e, int slot);
/* Numbers in the program; for text without names, numbers within the stage. */
int emit_uniform_number(const emit_stage *e, int slot);
int emit_table_number(const emit_stage *e, int table);
/* A field in the notation of users, for comments: u', u, prev(u). */
const char *emit_level(arena *a, const ir *code, int field, int level);
/* A string made safe for a comment; the first line of a source. */
const char *emit_plain(arena *a, const char *words);
void emit_head(const char *head, text *t);
/* "_xp1"; nothing if the offset is 0. */
const char *emit_offset_name(arena *a, char axis, int offset);
bool emit_is_boolean(const emit_stage *e, int node); /* gives a boolean */
/* " + 3", " - 3"; " + step * 3", " - step"; nothing for 0. "steps * 3", "steps", "0". " -
 * 2 * a.g0.y". */
const char *emit_plus(arena *a, int64_t n);
const char *emit_plus_times(arena *a, const char *name, int64_t n);
const char *emit_times(arena *a, const char *name, int64_t n);
const char *emit_steps(arena *a, int count, const char *stride);
/* The variable of a node: n12, or n12_3 in the fourth row of a tile. With lanes, the
 * suffix is row * lanes + lane. */
const char *emit_node_name(const emit_stage *e, int node);

/* emit_shared_kernels.c: finds stages of some programs with the same text but for
 * names. */
typedef struct emit_shared_kernel {
    int64_t program, stage;
    text nameless; /* text without names, of the first of equal stages */
    uint64_t key;  /* hash of this text; 0: there is none */
    int64_t first; /* number of the first of equal stages */
    int64_t uses;  /* of the first: how many stages are equal */
} emit_shared_kernel;
/* The number of the kernel in a source without names: the hash of its text. */
static inline int64_t emit_shared_number(const emit_shared_kernel *first)
{
    return (int64_t)(first->key >> 1);
}
/* The first stage with the same kernel, which may be the stage itself; NULL if the list
 * lacks the stage. */
const emit_shared_kernel *emit_shared_kernels_first(const emit_shared_kernels *t,
                                                    int64_t which, int64_t stage);
/* Appends the text of a stage. A stage without text equals no other. */
typedef pav_status emit_shared_print(void *user, int64_t which, int64_t stage, text *t);
/* has: true if there is a kernel. */
typedef bool emit_shared_has(const void *user, int64_t which, int64_t stage);
/* same: true if two stages that are alike are printed by the same schedule. */
typedef bool emit_shared_same(const void *user, int64_t which, int64_t like,
                              int64_t stage);
pav_status emit_shared_kernels_find(const ir *const *code, int64_t count,
                                    emit_shared_has *has_kernel, emit_shared_same *same,
                                    emit_shared_print *print, void *user,
                                    emit_shared_kernels *shared);

/* The value of a node as operand (emit_node.c); and its own expression. */
const char *emit_operand(const emit_stage *e, int node);
const char *emit_expression(const emit_stage *e, int node);
/* A sum of indices, as an integer. emit_sums_indices: the node is one. */
const char *emit_index_sum(const emit_stage *e, int node);
bool emit_sums_indices(const ir_stage *s, int node);
/* The arguments of a node: both with a sign between them; or all in a list. */
typedef const char *emit_argument(const emit_stage *e, int node);
const char *emit_infix(const emit_stage *e, const ir_node *n, const char *sign,
                       emit_argument *of);
const char *emit_arguments(const emit_stage *e, const ir_node *n, emit_argument *of);
/* The random number of a point; `i`: its index along x. */
const char *emit_random(const emit_stage *e, const ir_node *n, const char *i);
/* The row of a load, or its level if the level is also stored. */
const char *emit_loaded_row(const emit_stage *e, int node);
const char *emit_sign(ir_op op);      /* "+"; NULL: no infix operation */
const char *emit_call_name(ir_op op); /* "exp"; NULL: no function */
/* `value` converted between types with the interpreter's rounding. */
const char *emit_converted(arena *a, pav_type to, pav_type from, const char *value);

void emit_node_line(const emit_stage *e, int node, const char *indent);
/* The lines of all nodes: first the values constant along a row. */
void emit_node_lines(const emit_stage *e, const char *indent);
/* In the field's storage type. */
const char *emit_output_value(const emit_stage *e, const ir_output *o);
/* emit_number_lines in an arena. */
pav_status emit_numbers(arena *a, const ir *code, const ir_stage *stage, bool of_table,
                        text *t);

/* emit_prune.c: in the text from `begin` on, drops constants that no later line of their
 * function uses. */
pav_status emit_drop_unused(text *t, int64_t begin);

/* emit_source.c: the helpers that stages need. */
typedef struct emit_needs {
    bool storage[PAV_U8 + 1], folds, random, functions;
} emit_needs;
/* Of all stages with a kernel, on the GPU or on processors. */
emit_needs emit_needs_of(const ir *const *code, int64_t count, bool gpu);
/* Prints the needed ones of these files. */
typedef struct emit_part {
    bool needed;
    const char *words;
} emit_part;
void emit_parts(const emit_part *part, size_t count, text *t);
/* Helpers with the same text in C and in CUDA C++; cuda_source.c: the GPU's versions. */
void emit_shared_prelude(const emit_needs *n, text *t);
void cuda_shared_prelude(const emit_needs *n, text *t);

/* An index of the stored row plus an offset, on the grid that is read. */
const char *emit_index(arena *a, const char *name, int offset, ir_transfer transfer);
/* A loaded slot with another level of the field stored in `slot`; -1: none. */
int emit_same_field(const emit_stage *e, int slot);

/* A function for `height` rows from end to end. */
void emit_row_function(emit_stage *e, const char *name, int height);

/* emit_source.c: comments. "; halo x 1+1, y 4+4": the halo widths on either side for the
 * loads of the stage. */
const char *emit_halo(arena *a, const ir *code, const ir_stage *stage);
/* Bytes of the levels of a point, each loaded and stored once. */
int64_t emit_point_bytes(const ir *code, const emit_slot *slot, int64_t slots);
void emit_stage_comment(const emit_stage *e, text *t); /* stores, loads and reductions */
const char *emit_stage_name(arena *a, const ir_stage *stage);

/* ---- for GPUs ---------------------------------------------------------------------- */

/* The columns of SCHEDULE_TABLE for codegen: an emitter for processors, a cuda_kind for
 * single steps on a GPU, a cuda_launch_kind for fused launches. emitters.c has one
 * emitter for all rows with a cuda_kind, and one for all rows with a cuda_launch_kind.
 *
 * accept: if the program cannot use the schedule on the machine (NULL: on no machine),
 * writes the reason to `why`; else leaves `why` empty. emit: prints the source of the
 * kernels. */
typedef struct emitter {
    pav_status (*accept)(const ir *code, const schedule *s, const gpu_facts *machine,
                         text *why);
    pav_status (*emit)(const ir *code, const schedule *s, const char *head, text *t);
} emitter;
/* cuda_schedule.c: schedules of single steps on a GPU. lack: why the stage can never use
 * the schedule, whatever its options; NULL: it can. */
typedef struct cuda_kind {
    const char *(*lack)(const ir *code, const ir_stage *stage, const schedule *requested);
    /* fills in the options left open in the requested schedule */
    schedule (*settle)(const ir *code, const ir_stage *stage, const schedule *requested);
    /* why this combination of options is impossible; NULL: it is possible. `requested`
     * (or NULL) holds the options given by the user, `s` the complete schedule. */
    const char *(*refusal)(const ir *code, const ir_stage *stage,
                           const schedule *requested, const schedule *s);
    /* prints the kernels of a stage */
    void (*text)(emit_stage *e);
    /* the blocks of a call */
    void (*extent)(const ir *code, const schedule *s, const emit_gpu_work *w,
                   int64_t blocks[3], int threads[3]);
    /* splits stages before any other question about them; or NULL */
    pav_status (*split)(ir *code);
} cuda_kind;
const cuda_kind *cuda_kind_of(schedule_kind kind); /* all NULL for other kinds */
/* fused_launch.c: schedules of fused launches. sweeps: blocks sweep through planes; else
 * each block keeps its tile on the chip. least_dim: the fewest axes of a grid. */
struct fused_plan;
typedef struct cuda_launch_kind {
    bool sweeps;
    int least_dim;
    /* chooses the memory of time levels (or NULL: there is no choice) */
    void (*place)(struct fused_plan *p, const schedule *requested);
    /* refuses settings without effect */
    void (*settings)(struct fused_plan *p, const schedule *requested);
    /* chooses the options left open, after the skews are known, or refuses */
    void (*choose)(struct fused_plan *p, const schedule *requested);
    /* describes its tiles for callers */
    void (*describe)(const struct fused_plan *p, emit_gpu_fused *fused);
    /* the blocks of a call */
    void (*extent)(const ir *code, const emit_gpu_fused *fused,
                   const emit_gpu_fused_work *w, int64_t blocks[3], int threads[3]);
    /* prints the kernel */
    void (*text)(const struct fused_plan *p);
} cuda_launch_kind;
const cuda_launch_kind *cuda_launch_kind_of(schedule_kind kind);
/* The reference GPU for layouts, whatever GPU is present. With it the kernels' text, and
 * so the images in the cache, are the same everywhere. */
const gpu_facts *cuda_reference(void);
/* cuda_call.c */
void cuda_extent_point(const ir *code, const schedule *s, const emit_gpu_work *w,
                       int64_t blocks[3], int threads[3]);
void cuda_extent_sweep(const ir *code, const schedule *s, const emit_gpu_work *w,
                       int64_t blocks[3], int threads[3]);
/* cuda_schedule.c, fused_launch.c */
pav_status cuda_accept_stages(const ir *code, const schedule *s, const gpu_facts *machine,
                              text *why);
pav_status cuda_accept_launch(const ir *code, const schedule *s, const gpu_facts *machine,
                              text *why);
/* cuda_source.c, fused_launch.c. cuda_add_functions adds the text of functions. It has
 * definitions made by macros, so it stands behind the helpers. cuda_close_source drops
 * unused helpers between `begin` and `end`, and unused constants from `kernels` on. */
void cuda_add_functions(const emit_needs *n, text *t);
pav_status cuda_close_source(int64_t begin, int64_t end, int64_t kernels, text *t);
pav_status cuda_emit_stages(const ir *code, const schedule *s, const char *head, text *t);
pav_status cuda_emit_launch(const ir *code, const schedule *s, const char *head, text *t);

/* cuda_argument.c: struct argument_0_3 and the locals for its tables and uniforms.
 * `weight`: expression for the weight of a point in a list; or NULL. */
void cuda_argument(const emit_stage *e);
void cuda_leaves(const emit_stage *e, const char *weight);
/* the uniform with the weight of a source; -1: none */
int cuda_weight(const emit_stage *e);

/* Struct numbers_0_3 (cuda_argument.c), its memory, and reads of its members. Orders the
 * uniforms of a stage like its struct and returns their count. seeds: how many leading
 * ones are seeds. */
int64_t cuda_order_uniforms(const emit_stage *e, int *uniform, int64_t *seeds);
void cuda_uniforms(const emit_stage *e); /* the struct and its variable */
const char *cuda_uniform(const emit_stage *e, int uniform);
void cuda_stage_uniforms(const emit_stage *e); /* first statement of a kernel */
/* True if the stage runs in each step and reads uniforms that may change between
 * steps. */
bool cuda_uniforms_change(const ir *code, const ir_stage *stage);
int64_t cuda_count_uniforms(const ir_stage *stage);
/* The kernel that computes a stage's uniforms on the GPU if the host does not know
 * them. */
pav_status cuda_scalars_text(arena *a, const ir *code, int64_t which, int64_t number,
                             text *t);

/* cuda_point.c, cuda_sweep.c: the kernels of a stage. */
void cuda_point_text(emit_stage *e);
/* cuda_transform.c: transforms of lines. cuda_transform_fits: a block can hold a line. */
bool cuda_transform_fits(const ir *code, const ir_stage *stage);
void cuda_transform_kernel(const ir *code, const ir_stage *stage, emit_gpu_kernel *k);
void cuda_transform_extent(const emit_gpu_kernel *k, const emit_gpu_work *w,
                           int64_t blocks[3], int threads[3]);
void cuda_transform_text(emit_stage *e);
void cuda_add_transforms(const ir *const *code, int64_t count, text *t);
void cuda_sweep_text(emit_stage *e);
/* cuda_point.c: "extern "C" __global__ ... {"; more: suffix of the name; blocks: see
 * schedule. */
void cuda_open_kernel(const emit_stage *e, const char *more, int threads, int blocks);

/* The schedule sweep: threads sweep along the slowest axis, plane by plane.
 *
 * A column is a vector of a slot, or one point of it, at a fixed place across the planes.
 * It covers planes first .. last, counted from the thread's own. The vector has one point
 * for each point along x of a thread tile. */
typedef struct column {
    int slot, block,
        y; /* block: in vectors from the thread's own; y: in rows from its first */
    int first, last;
    int single; /* the only point read of the vector; -1: several points */
    /* read once, in plane `last`, and kept in registers until it lies in plane `first` */
    bool kept;
    bool early; /* a carried value is computed from it */
} column;
/* How the kernel gets a node's value in each plane. */
typedef enum node_fate {
    FATE_NONE,
    FATE_COMPUTED,
    FATE_LEAD,    /* computed, and carried for the following planes */
    FATE_CARRIED, /* computed some planes ago by the lead */
} node_fate;
/* A carried value: computed once by node `lead`, in plane `last` from the thread's own,
 * and kept until it lies in plane `first`. node[p - first] is its node in plane p, or
 * -1. */
typedef struct carried_value {
    int lead, first, last;
    int *node;
} carried_value;
/* Ring of planes of a slot in shared memory: planes first .. last from the thread's own,
 * and some planes ahead. Margins are in vectors and rows around the block's own
 * points. */
typedef struct ring {
    int slot, first, last;
    int left, right, below, above;
    int farther_left, farther_right; /* vectors that are copied but not read */
    /* of the copied part of a plane, in vectors and rows */
    int width, height;
    int64_t at, bytes; /* offset and size in shared memory */
} ring;
typedef struct sweep_plan {
    int lanes, rows, axis;
    int ahead; /* prefetch distance of kept columns, in planes */
    ring *ring;
    int64_t rings;
    /* Of each node, if the sweep goes in the order of input planes. stands: the node that
     * computes its value; -1: none. due: planes from the results to the plane for which
     * the node is computed. */
    int *stands, *due;
    node_fate *fate; /* of each node */
    bool *early;     /* of each node: a carried value is computed from it */
    carried_value *value;
    int64_t values;
    column *column;
    int64_t columns;
    int warm;     /* planes swept before the first, to fill the registers */
    bool indexed; /* one index serves all slots: cuda_columns.c */
} sweep_plan;

/* cuda_carried.c: finds the values carried from plane to plane, and the computed
 * nodes. */
void cuda_find_carried(const emit_stage *e, sweep_plan *s);
/* after the columns are known */
void cuda_find_warm_up(const emit_stage *e, sweep_plan *s);
/* The same for sweeps in the order of input planes. */
void cuda_find_partial_sums(emit_stage *e, sweep_plan *s);
/* cuda_columns.c: finds the columns; their names in a plane and their loads. */
void cuda_find_columns(const emit_stage *e, sweep_plan *s);
int cuda_lead(const sweep_plan *s, const column *c); /* the farthest plane in registers */
const char *cuda_stride(arena *a, int count, char axis, int slot); /* " - 2 * a.g0.y" */
const char *cuda_column_name(const emit_stage *e, const column *c, int z);
const char *cuda_column_load(const emit_stage *e, const column *c, const char *plane);
const column *cuda_own_column(const emit_stage *e, int slot, int row);
/* The column with the value of a load, for one point of the thread tile. */
const column *cuda_find_column(const emit_stage *e, int node, int row, int lane);
/* True if all slots may share one index since their strides are the same;
 * cuda_stride_slot: the slot with these strides. */
bool cuda_may_index(const emit_stage *e);
/* The number of planes along the sweep from the first to the last load of a slot, in the
 * points' own row or in all rows; 0: the slot is not read. */
int cuda_planes_loaded(const ir_stage *stage, const emit_slot *slot, int axis,
                       bool own_row);
/* True if there are many fields of one size, and a sweep would carry planes for few of
 * them; in the order of input planes it carries none. */
bool cuda_has_many_fields(const ir *code, const ir_stage *stage, bool input);
int cuda_stride_slot(const emit_stage *e, int slot);
/* Values in registers of neighbour threads. */
const column *cuda_neighbour(const emit_stage *e, const sweep_plan *s, const column *c);
void cuda_find_neighbours(const emit_stage *e); /* before the first plane */
const char *cuda_neighbour_load(const emit_stage *e, const column *c, int z,
                                const char *plane);
/* Vectors of periodic rows. */
bool cuda_wraps_around(const ir *code, const ir_stage *stage, const schedule *s);
/* cuda_ring.c: the slots in shared memory, and their places there. */
bool cuda_may_use_shared(const emit_stage *e, int slot);
/* True for a load of neighbours in a plane, large enough for copies to shared memory. */
bool cuda_is_neighbour(const ir *code, const ir_node *n, const schedule *s);
void cuda_find_rings(const emit_stage *e, sweep_plan *s);
int64_t cuda_ring_bytes(const emit_stage *e,
                        const sweep_plan *s); /* of all rings, with gates */
const ring *cuda_ring_of(const sweep_plan *s,
                         int slot); /* NULL: the slot is read through the cache */
const char *cuda_ring_load(const emit_stage *e, const column *c, int z);
void cuda_block_shape(const emit_stage *e); /* a typedef of the threads of a block */
/* The code in a sweep that fills the rings. */
void cuda_open_rings(const emit_stage *e);           /* before the first plane */
void cuda_rotate_rings(const emit_stage *e);         /* in each plane, before any load */
const char *cuda_release_rings(const emit_stage *e); /* after each */
void cuda_close_rings(const emit_stage *e);          /* after the last */
/* cuda_sweep.c: names in the loop over planes. */
const char *cuda_plane_index(const sweep_plan *s); /* "k" */
char cuda_plane_stride(const sweep_plan *s);       /* 'z' */
typedef struct cuda_planes {
    int first, last;
} cuda_planes;
cuda_planes cuda_planes_read(const emit_stage *e, int slot); /* by the stage */
/* All functions of a stage with the schedule sweep; lists and reductions use those of
 * point. The survey fills `s` and sets e->sweep_plan to it. */
void cuda_sweep_survey(emit_stage *e, sweep_plan *s);
/* Finds the shared memory of a block, in bytes (0: none), and its tensor boxes. */
void cuda_sweep_shared(emit_stage *e, emit_gpu_kernel *k);
/* True if a sweep stores ghosts together with its points. */
bool cuda_stores_ghosts(const ir *code, const ir_stage *stage, const schedule *s);
/* cuda_call.c: emit_gpu_kernel_of with its lists in the arena. */
void cuda_kernel_of(arena *a, const ir *code, const ir_stage *stage,
                    const schedule *requested, emit_gpu_kernel *k);
/* Bytes of an argument with tensors behind its first bytes. */
int64_t cuda_argument_bytes(int64_t bytes, int64_t parts);
void cuda_find_tensor_boxes(const emit_stage *e, emit_gpu_kernel *k);
/* NULL: the boxes are small enough */
const char *cuda_box_refusal(const emit_gpu_kernel *k);

/* cuda_schedule.c */
enum { EMIT_LIST_THREADS = 128 }; /* threads of a block for a list */
enum { EMIT_LINE_TILE = 32 };     /* LINE_TILE in gpu_kernels/point.cuh */
int cuda_line_threads(const schedule *s);
/* Shared memory of a stage along x: tiles of its slots; else 0. */
int64_t cuda_line_bytes(const emit_stage *e);
bool cuda_is_called(const ir *code, const ir_stage *stage); /* in the step */
/* in the step, or in place of such a stage */
bool cuda_is_injected(const ir *code, const ir_stage *stage);
/* Points along x in 16 bytes of the largest type that is read or stored. */
int cuda_default_vector(const ir *code, const ir_stage *stage);
/* The requested schedule completed with defaults; the default if nothing is requested. */
schedule cuda_with_defaults(const ir *code, const ir_stage *stage,
                            const schedule *requested);

/* True if a list of candidates lacks the schedule. */
bool cuda_is_new(const schedule *list, int64_t count, const schedule *s);

#endif
