/* SPDX-License-Identifier: BSD-3-Clause */
/* Shared inside codegen only: what is known of the stage being printed, and the printers
 * of its parts. */
#ifndef CODEGEN_CODEGEN_PRIVATE_H
#define CODEGEN_CODEGEN_PRIVATE_H

#include "codegen/codegen.h"

/* One row of one slot that loads read: `y`, `z` and the transfer say which, from the
 * stage's point. */
typedef struct emit_row {
    int slot;
    ir_transfer transfer;
    unsigned kept; /* axes along which it is SAME */
    int y, z;
    /* the first row of a tile that needs it; 0: so does what goes row by row */
    int shift;
} emit_row;

/* A tile is some rows whose points are computed side by side, which share what they
 * load. */
enum { TILE_HEIGHT = 4 };

/* How the value of a node comes about in the text. */
typedef enum emit_place {
    PLACE_UNUSED,
    PLACE_INLINE, /* its text stands where it is used */
    PLACE_ROW,    /* a local in front of the loop */
    PLACE_POINT,  /* a local in the loop */
} emit_place;

typedef struct emit_stage {
    const ir *code;
    const ir_stage *stage;
    int64_t program, number;
    text *t;
    pav_type real;
    emit_place *place; /* of each node */
    emit_slot *slot;
    int64_t slots;
    emit_row *row;
    int64_t rows;
    bool of_step;
    int tallest; /* rows of its tiles; 1 when it goes row by row */
    int height;  /* rows of the tile that is being printed */
    int shift;   /* the row of the tile that is being printed */
    /* of each load, for each row of a tile: its row; -1 when the stage also stores that
     * slot */
    int *row_of;
    bool *uniform; /* of each uniform slot: whether a local holds it */
    bool *table;   /* of each table likewise */
    int reductions;
    bool holds;     /* there are all_carried_0_3 and what it calls */
    bool relaxed;   /* what is printed loads and stores while others do */
    bool in_planes; /* it is a part of one that holds values from plane to plane, */
    int carried;    /* which are the fields from this one on */
    int *order;     /* nodes that are used, as lines of a loop come */
    int64_t ordered;
    /* How a form of kernel names what a load reads, as it is stored; NULL: by rows along
     * x. */
    void (*element)(const struct emit_stage *e, int node, text *t);
    /* How it names the value of a node that has a line; NULL: by the node's name. */
    void (*value)(const struct emit_stage *e, int node, text *t);
    int lanes;  /* points along x that are printed side by side; 0: one */
    int lane;   /* the one that is being printed */
    bool whole; /* what is stored now lies in the box */
    int ahead;  /* planes from the sweep's own to the one that a node is printed for */
    const schedule *schedule;            /* of a GPU's kernel; else NULL */
    const struct sweep_plan *sweep_plan; /* of the form SWEEP; else NULL */
    const void *user;                    /* of who set `element` */
    /* what it touches has its place in the stage as its name, so that stages that differ
     * by names alone have the same text */
    bool nameless;
} emit_stage;

/* emit_survey.c: fills everything above but program, number, shift and t. */
pav_status emit_survey(const ir *code, const ir_stage *stage, emit_stage *e);
void emit_survey_close(emit_stage *e);
int emit_slot_of(const emit_stage *e, int field, int level);
pav_type emit_storage(const emit_stage *e, int64_t slot);
/* Whether a uniform's bits are the seed of random numbers, so that they must not be
 * rounded. */
bool emit_is_seed(const emit_stage *e, int64_t uniform);

/* emit_names.c */
const char *emit_c_type(pav_type type);               /* "float", "uint16_t" */
const char *emit_reduction_name(reduction_kind kind); /* "REDUCE_MIN" */
void emit_slot_name(const emit_stage *e, int slot, text *t);
void emit_row_name(const emit_stage *e, const emit_row *row, text *t);
void emit_uniform_name(const emit_stage *e, int slot, text *t);
void emit_table_name(const emit_stage *e, int table, text *t);
/* Their numbers in the program or, without names, among those of the stage. */
int emit_uniform_number(const emit_stage *e, int slot);
int emit_table_number(const emit_stage *e, int table);
/* A field as people write it, for comments: u', u, prev(u). */
void emit_level_text(const ir *code, int field, int level, text *t);
/* A number that reads back as the same value of the type, rounded once. */
void emit_number(pav_type real, num value, text *t);
/* Words as they may stand inside a comment. */
void emit_plain(const char *words, text *t);

/* n12, or n12_3 in the fourth row of a tile; in the lanes of a row, row * lanes +
 * lane. */
bool emit_is_boolean(const emit_stage *e, int node); /* gives a boolean */
/* " + 3", " - 3"; " + step * 3", " - step"; nothing of 0. "steps * 3", "steps", "0". */
void emit_plus(int64_t n, text *t);
void emit_plus_times(const char *name, int64_t n, text *t);
void emit_times(const char *name, int64_t n, text *t);
void emit_node_name(const emit_stage *e, int node, text *t);

/* emit_shared_kernels.c: which stages of some programs have the same text but for
 * names. */
typedef struct emit_shared_kernel {
    int64_t program, stage;
    text nameless; /* of the first of those that are alike */
    uint64_t key;  /* of that text */
    int64_t first; /* of those that are alike */
    int64_t uses;  /* of the first: how many they are */
} emit_shared_kernel;
/* Appends the text of a stage; one that appends nothing is like no other. */
typedef pav_status emit_shared_print(void *user, int64_t which, int64_t stage, text *t);
/* has: whether there is a kernel. */
typedef bool emit_shared_has(const void *user, int64_t which, int64_t stage);
pav_status emit_shared_kernels_find(const ir *const *code, int64_t count,
                                    emit_shared_has *has, emit_shared_print *print,
                                    void *user, emit_shared_kernels *shared);

/* emit_node.c: the value of a node as an operand; and its own expression. */
void emit_operand(const emit_stage *e, int node, text *t);
/* Both arguments of a node, with a sign between them. */
typedef void emit_argument(const emit_stage *e, int node, text *t);
void emit_infix(const emit_stage *e, const ir_node *n, const char *sign,
                emit_argument *print, text *t);
void emit_expression(const emit_stage *e, int node, text *t);
/* The row that a load reads, or the level that is also stored. */
void emit_loaded_row(const emit_stage *e, int node, text *t);
const char *emit_sign(ir_op op);      /* "+"; NULL for what is no infix operation */
const char *emit_call_name(ir_op op); /* "exp"; NULL for what is no function of C */
/* `value` converted from one type to another, as the interpreter does. */
void emit_converted(pav_type to, pav_type from, const char *value, text *t);

/* emit_order.c: fills order and ordered. */
bool emit_find_order(emit_stage *e);

/* emit_names.c: "_xp1" and " + 1"; nothing where the offset is 0. */
void emit_name_offset(char axis, int offset, text *t);
void emit_offset(int offset, text *t);

void emit_node_line(const emit_stage *e, int node, const char *indent);
void emit_output_value(const emit_stage *e, const ir_output *o,
                       text *t); /* as it is stored */

/* emit_words.c: a text of C or CUDA from token to token. */
typedef struct emit_words {
    const char *at, *end; /* what is left; given by the caller */
    const char *token;    /* a word, or one sign */
    int64_t length;
    bool is_word, directive; /* directive: the token is a # */
    int depth, conditions;   /* open behind it: braces and parentheses; #if */
} emit_words;
bool emit_next_word(emit_words *w);
bool emit_word_is(const emit_words *w, const char *word);
uint64_t emit_word_hash(const emit_words *w);
/* emit_unused.c: constants that no later line of their function uses go from the text
 * from `begin` on. */
pav_status emit_drop_unused(text *t, int64_t begin);

/* emit_vector.c: the same as vectors. */
const char *emit_vector_type(const emit_stage *e); /* "floats" */
void emit_vector_line(const emit_stage *e, int node, text *t);
void emit_vector_number(const emit_stage *e, int node, text *t);

/* emit_prelude.c: declarations and the helpers that the stages of these programs need.
 * holds: some stage holds values. */
void emit_prelude(const ir *const *code, int64_t count, bool holds, text *t);
typedef struct emit_needs {
    bool storage[PAV_U8 + 1], folds, random;
} emit_needs;
void emit_note_needs(const ir *code, const ir_stage *s, emit_needs *n);
/* Those helpers that are the same in C and in CUDA C++. */
void emit_shared_prelude(const emit_needs *n, text *t);
void cuda_shared_prelude(const emit_needs *n,
                         text *t); /* cuda_source.c: as GPUs have them */

/* emit_locals.c: what stands in front of the loop along x. */
void emit_locals(emit_stage *e);
/* Whether the slot has a pointer at the point, that of its name; all of them, in the
 * loop; and what lies so many points, rows and planes from there, in the row of the tile
 * that is being printed. */
bool emit_has_pointer(const emit_stage *e, int slot);
void emit_pointers(const emit_stage *e, const char *from);
void emit_each_pointer(const emit_stage *e, const char *before, const char *behind);
/* Of strides that come with a call all multiples would be kept, in the stack. */
void emit_opaque_strides(const emit_stage *e);
void emit_address(const emit_stage *e, int slot, const int offset[MAX_DIM], text *t);
/* An index of the row that is stored, or its neighbour, on the grid that is read. */
void emit_index(const char *name, int offset, ir_transfer transfer, text *t);
/* A slot that is loaded, another level of the field that this slot stores; -1: none. */
int emit_same_field(const emit_stage *e, int slot);

/* emit_carried.c: what holds values from plane to plane, where that pays. */
pav_status emit_carried(emit_stage *e);

/* emit_rows.c: a function that goes through so many rows from end to end. */
void emit_row_function(emit_stage *e, const char *name, int height);

/* emit_kernel.c: all functions of one stage. */
pav_status emit_kernel_text(emit_stage *e);
/* The entry of a stage whose text is that of the kernel `shared` of program `which`. */
void emit_call_shared(const emit_stage *e, int64_t which, int64_t shared);
/* "; halo x 1+1, y 4+4": the farthest points that loads read on either side. */
void emit_halo_text(const ir *code, const ir_stage *stage, text *t);
/* "16 bytes a point, each level once" */
void emit_bytes_text(const ir *code, const emit_slot *slot, int64_t slots, text *t);
void emit_stage_comment(const emit_stage *e,
                        text *t); /* what it stores, loads, reduces */

/* ---- for GPUs ---------------------------------------------------------------------- */

/* What codegen has of a schedule is a column of SCHEDULE_TABLE: an emitter for
 * processors, a cuda_kind for single steps on a GPU, a cuda_launch_kind for fused
 * launches; emitters.c has one emitter for all rows of each of the last two. An emitter
 * says why a program cannot go by the schedule on such a machine (NULL: any), in `why`,
 * empty: it can; and prints the source of its kernels. */
typedef struct emitter {
    pav_status (*accept)(const ir *code, const schedule *s, const gpu_facts *machine,
                         text *why);
    pav_status (*emit)(const ir *code, const schedule *s, const char *head, text *t);
} emitter;
pav_status emit_accept_all(const ir *code, const schedule *s, const gpu_facts *machine,
                           text *why);
/* cuda_kinds.c: of single steps on a GPU it says what a stage lacks by its nature
 * (NULL: it lacks nothing), */
typedef struct cuda_kind {
    const char *(*lack)(const ir *code, const ir_stage *stage, const schedule *requested);
    /* fills in what the requested schedule leaves to be chosen, */
    schedule (*settle)(const ir *code, const ir_stage *stage, const schedule *requested);
    /* says why these settings cannot be, of what was requested (or NULL) and comes of it
     * (or NULL: all can be), */
    const char *(*refusal)(const ir *code, const ir_stage *stage,
                           const schedule *requested, const schedule *s);
    /* prints the kernels of a stage, */
    pav_status (*text)(emit_stage *e);
    /* and gives the blocks of a call. */
    void (*extent)(const ir *code, const schedule *s, const emit_gpu_work *w,
                   int64_t blocks[3], int threads[3]);
    /* Stages are split before anything else is asked about them: or NULL. */
    pav_status (*split)(ir *code);
} cuda_kind;
const cuda_kind *cuda_kind_of(schedule_kind kind); /* others than such have none of it */
/* time/cuda_fused_source.c: of fused launches it says whether blocks sweep through
 * planes, else each keeps its part of the grid on the chip, and the fewest axes that a
 * grid has; */
struct fused_plan;
typedef struct cuda_launch_kind {
    bool sweeps;
    int least_dim;
    /* chooses where time levels lie (or NULL: there is no choice), */
    void (*place)(struct fused_plan *p, const schedule *requested);
    /* refuses settings that would change nothing, */
    void (*settings)(struct fused_plan *p, const schedule *requested);
    /* chooses what is left open, once skews are known, or refuses, */
    void (*choose)(struct fused_plan *p, const schedule *requested);
    /* says what callers must know of its tiles, */
    void (*describe)(const struct fused_plan *p, emit_gpu_fused *fused);
    /* gives the blocks of a call, */
    void (*extent)(const ir *code, const emit_gpu_fused *fused,
                   const emit_gpu_fused_work *w, int64_t blocks[3], int threads[3]);
    /* prints the kernel, and has the device code that only such kernels stand on, NULL
     * at the end. */
    pav_status (*text)(const struct fused_plan *p, const emit_gpu_fused *fused,
                       int64_t which, text *t);
    const char *const *device_code;
} cuda_launch_kind;
const cuda_launch_kind *cuda_launch_kind_of(schedule_kind kind);
/* The GPU that kernels are laid out for, whatever the one at hand is: so their text, and
 * the images in the cache, are the same everywhere. */
const gpu_facts *cuda_reference(void);
/* cuda_schedule.c, cuda_refusal.c, cuda_call.c */
schedule cuda_settle_point(const ir *code, const ir_stage *stage,
                           const schedule *requested);
schedule cuda_settle_sweep(const ir *code, const ir_stage *stage,
                           const schedule *requested);
const char *cuda_sweep_lack(const ir *code, const ir_stage *stage,
                            const schedule *requested);
const char *cuda_sweep_settings(const ir *code, const ir_stage *stage,
                                const schedule *requested, const schedule *s);
void cuda_extent_point(const ir *code, const schedule *s, const emit_gpu_work *w,
                       int64_t blocks[3], int threads[3]);
void cuda_extent_sweep(const ir *code, const schedule *s, const emit_gpu_work *w,
                       int64_t blocks[3], int threads[3]);
/* cuda_requested.c, time/cuda_fused_call.c */
pav_status cuda_accept_stages(const ir *code, const schedule *s, const gpu_facts *machine,
                              text *why);
pav_status cuda_accept_launch(const ir *code, const schedule *s, const gpu_facts *machine,
                              text *why);
/* cuda_source.c, time/cuda_fused_source.c */
pav_status cuda_emit_stages(const ir *code, const schedule *s, const char *head, text *t);
pav_status cuda_emit_launch(const ir *code, const schedule *s, const char *head, text *t);

/* cuda_argument.c: struct argument_0_3, and the locals that name what is in it: tables,
 * uniforms, and of each slot and each row that is read a pointer at the point. `weight`:
 * that of the point in a list; or NULL. */
void cuda_argument(const emit_stage *e);
void cuda_leaves(const emit_stage *e, const char *weight);
void cuda_pointers(const emit_stage *e);
int cuda_weight(const emit_stage *e); /* the uniform of an injection's weight; -1: none */

/* cuda_header.c: the comment above a kernel. */
void cuda_stage_header(const ir *code, const ir_stage *stage, const emit_gpu_kernel *k,
                       text *t);

/* cuda_uniforms.c: struct numbers_0_3, what it lies in, and how one of it is read. */
/* The uniforms of a stage in the order of its numbers; gives how many. seeds: the first
 * ones. */
int64_t cuda_order_uniforms(const emit_stage *e, int *uniform, int64_t *seeds);
void cuda_uniforms(const emit_stage *e);       /* the struct, and a variable of it */
void cuda_uniform_member(const emit_stage *e); /* what the argument has of it */
void cuda_uniform(const emit_stage *e, int uniform, text *t);
void cuda_stage_uniforms(const emit_stage *e); /* first of all in a kernel */
/* Whether the stage reads what may change from one step to the next, and runs in each. */
bool cuda_uniforms_change(const ir *code, const ir_stage *stage);
int64_t cuda_count_uniforms(const ir *code, const ir_stage *stage);

/* cuda_point.c: all functions of a stage that goes by the form POINT; and, for every
 * form, a stage's reductions and list, which have no other. */
pav_status cuda_point_text(emit_stage *e);
/* "extern "C" __global__ ... {"; more: what follows the name; blocks: as in a
 * schedule. */
void cuda_open_kernel(const emit_stage *e, const char *more, int threads, int blocks);

/* The schedule sweep: threads sweep along the slowest axis, plane by plane.
 *
 * A column is what is read of one slot at one place of the planes: a pack of as many
 * points along x as a thread computes, or one of them; in the planes first .. last from
 * the thread's own. */
typedef struct column {
    int slot, block,
        y; /* block: in packs from the thread's own; y: in rows from its first */
    int first, last;
    int single; /* the only point of the pack that is read; -1: several are */
    bool
        kept; /* read once, in plane `last`, and carried until it lies in plane `first` */
    bool early; /* what is kept is computed of it */
} column;
/* What becomes of a node in each plane. */
typedef enum node_fate {
    FATE_NONE,
    FATE_COMPUTED,
    FATE_LEAD,    /* computed, and carried for the planes that follow */
    FATE_CARRIED, /* computed as a lead some planes ago */
} node_fate;
/* Values that are computed once and carried: `lead` in the plane `last` from the thread's
 * own, until it lies in plane `first`; node[p - first] is the node that stands for it in
 * plane p, or -1. */
typedef struct carried_value {
    int lead, first, last;
    int *node;
} carried_value;
/* Planes of a slot in shared memory, those first .. last from the thread's own and some
 * ahead; margins in packs and rows, from the block's own. */
typedef struct ring {
    int slot, first, last;
    int left, right, below, above;
    int farther_left, farther_right; /* packs that are copied, but not read */
    int width, height;               /* of what is copied of a plane, in packs and rows */
    int64_t at, bytes;               /* in shared memory */
} ring;
typedef struct sweep_plan {
    int lanes, rows, axis;
    int ahead; /* planes by which what is kept is read early */
    ring *ring;
    int64_t rings;
    int *stands,
        /* of each node, where planes are used as they come: the node whose value it is,
         * -1: none; and the planes from that of the results to the one it is computed
         * for */
        *due;
    node_fate *fate; /* of each node */
    bool *early;     /* of each node: something carried is computed of it */
    carried_value *value;
    int64_t values;
    column *column;
    int64_t columns;
    int warm;     /* planes swept before the first, to fill what is carried */
    bool indexed; /* one index serves all slots: cuda_indexed.c */
} sweep_plan;

/* cuda_carried.c: what is carried from plane to plane, and what is computed. */
pav_status cuda_find_carried(const emit_stage *e, sweep_plan *s);
void cuda_sweep_close(sweep_plan *s);
pav_status cuda_find_warm_up(const emit_stage *e,
                             sweep_plan *s); /* once there are columns */
/* cuda_partial_sums.c: the same for sweeps that use planes as they come. */
pav_status cuda_find_partial_sums(emit_stage *e, sweep_plan *s);
void cuda_partial_sums_history(const emit_stage *e, const sweep_plan *s, int *history);
void cuda_partial_sums_operand(const emit_stage *e, int node, text *t);
/* cuda_columns.c: what is read; the names of columns in a plane; what they are read
 * by. */
pav_status cuda_find_columns(const emit_stage *e, sweep_plan *s);
int cuda_lead(const sweep_plan *s,
              const column *c); /* the farthest plane that is in registers */
void cuda_add_stride(int count, char axis, int slot, text *t); /* " - 2 * a.g0.y" */
void cuda_column_name(const emit_stage *e, const column *c, int z, text *t);
void cuda_column_type(const emit_stage *e, const column *c, text *t);
void cuda_column_load(const emit_stage *e, const column *c, const char *plane, text *t);
void cuda_column_address(const emit_stage *e, const column *c, const char *plane,
                         text *t);
const column *cuda_column_at(const sweep_plan *s, int slot, int block,
                             int y); /* or NULL */
const column *cuda_own_column(const emit_stage *e, int slot, int row);
/* Where a load finds its point, for one point of those that a thread computes. */
const column *cuda_find_column(const emit_stage *e, int node, int row, int lane);
void cuda_column_element(const emit_stage *e, int node, text *t);
/* cuda_scalars.c: the kernel that gives a stage its numbers, where the host does not know
 * them. */
bool cuda_reads_live(const ir *code, const ir_stage *stage);
pav_status cuda_scalars_text(const ir *code, int64_t which, int64_t number, text *t);
void cuda_uniform_members(const emit_stage *e);
/* cuda_indexed.c: whether the slots may have one index, their strides being the same; the
 * slot whose strides are taken. */
bool cuda_may_index(const emit_stage *e);
bool cuda_has_many_fields(const ir *code, const ir_stage *stage);
int cuda_stride_slot(const emit_stage *e, int slot);
void cuda_add_index(const emit_stage *e);
int cuda_planes_in_registers(const emit_slot *slot, const ir_stage *stage, int axis);
/* cuda_ring.c: what goes through shared memory, and where it lies there. */
bool cuda_may_use_shared(const emit_stage *e, int slot);
pav_status cuda_find_rings(const emit_stage *e, sweep_plan *s);
int64_t cuda_rings_end(const sweep_plan *s);
int64_t cuda_ring_bytes(const emit_stage *e,
                        const sweep_plan *s); /* of all, with gates */
const ring *cuda_ring_of(const sweep_plan *s,
                         int slot); /* NULL: it is read from the cache */
void cuda_ring_name(const emit_stage *e, const ring *r, text *t); /* "in_f0_u" */
void cuda_ring_shape(const emit_stage *e, const ring *r);
void cuda_ring_load(const emit_stage *e, const column *c, int z, text *t);
void cuda_block_shape(const emit_stage *e); /* a typedef of the threads of a block */
/* cuda_ring_fill.c: how it comes there, in the text of a sweep. */
void cuda_open_rings(const emit_stage *e);    /* before the first plane */
void cuda_rotate_rings(const emit_stage *e);  /* in each plane, before anything is read */
void cuda_release_rings(const emit_stage *e); /* after each */
void cuda_close_rings(const emit_stage *e);   /* after the last */
const char *cuda_fill_code(schedule_copy copy); /* the device code of one way */
/* cuda_neighbours.c: what the neighbour thread has in registers. */
const column *cuda_neighbour(const emit_stage *e, const sweep_plan *s, const column *c);
void cuda_find_neighbours(const emit_stage *e); /* before the first plane */
void cuda_neighbour_load(const emit_stage *e, const column *c, int z, const char *plane,
                         text *t);
/* cuda_ghosts.c: ghosts that a sweep stores with its points. */
bool cuda_stores_ghosts(const ir *code, const ir_stage *stage, const schedule *s);
void cuda_store_ghosts(const emit_stage *e); /* after the last plane */
/* cuda_wrap.c: packs of rows that wrap. */
bool cuda_wraps_around(const ir *code, const ir_stage *stage, const schedule *s);
void cuda_find_wraps(const emit_stage *e);                   /* before the first plane */
void cuda_add_wrap(const emit_stage *e, int block, text *t); /* to an address */
/* cuda_prefetch.c: requests for planes that are read later. */
void cuda_prefetch(const emit_stage *e);
/* cuda_plane.c: what stands in the loop over planes, and the names of what it reads and
 * holds. */
void cuda_plane_text(emit_stage *e);
int cuda_level_of_neighbours(const emit_stage *e, int slot);
const char *cuda_plane_index(const sweep_plan *s); /* "k" */
char cuda_plane_stride(const sweep_plan *s);       /* 'z' */
typedef struct cuda_planes {
    int first, last;
} cuda_planes;
cuda_planes cuda_planes_read(const emit_stage *e, int slot); /* by the stage */
void cuda_value_text(const emit_stage *e, const carried_value *v, int p, text *t);
/* Columns that are kept, and carried values point by point. */
void cuda_each_carried(emit_stage *e,
                       void (*print_column)(const emit_stage *e, const column *c),
                       void (*print_value)(emit_stage *e, const carried_value *v));
/* cuda_sweep.c: all functions of a stage that goes by it; lists and reductions are
 * POINT's. The survey fills `s`, which e->stream points to then; cuda_sweep_close after
 * it. */
pav_status cuda_sweep_survey(emit_stage *e, sweep_plan *s);
/* What a block shares: bytes of memory, 0 where it takes none, and parts that are
 * copied. */
pav_status cuda_sweep_shared(emit_stage *e, emit_gpu_kernel *k);
/* cuda_tensor_boxes.c */
pav_status cuda_find_tensor_boxes(const emit_stage *e, emit_gpu_kernel *k);
const char *cuda_box_refusal(const emit_gpu_kernel *k); /* NULL: boxes are small enough */

/* cuda_stage.c, cuda_schedule.c */
enum { EMIT_LIST_THREADS = 128 }; /* of a block that goes over a list */
bool cuda_is_called(const ir *code, const ir_stage *stage); /* in the step */
bool cuda_is_listed(const ir *code, const ir_stage *stage); /* or in place of one */
bool cuda_is_injected(const ir *code, const ir_stage *stage);
bool cuda_is_of_step(const ir *code, const ir_stage *stage); /* or of a border in it */
/* How far the stage reads along an axis; and whether a schedule that shares planes is
 * expected to have no spills. */
int cuda_radius(const ir_stage *stage, int axis);
/* Whether it computes so few values side by side that trying it is worth the compiler's
 * time. */
bool cuda_is_narrow(const ir_stage *stage, const schedule *s);
/* Whether there are registers for it, of planes that come by shared memory and of
 * others. */
bool cuda_has_registers(const ir_stage *stage, const schedule *s);
bool cuda_fits_registers(const ir *code, const ir_stage *stage, const schedule *s);
/* Points along x that make 16 bytes of the largest numbers that are read or stored. */
int cuda_default_vector(const ir *code, const ir_stage *stage);
schedule cuda_default(const ir *code, const ir_stage *stage);
/* As requested, or by default where nothing is requested. */
schedule cuda_with_defaults(const ir *code, const ir_stage *stage,
                            const schedule *requested);

/* cuda_refusal.c */
/* Why no sweep from plane to plane computes the stage; NULL: one can. */
const char *cuda_sweep_refusal(const ir *code, const ir_stage *stage);
/* Whether a value stands in a formula by its place along the sweep. */
bool cuda_knows_plane(const ir *code, const ir_stage *stage);
/* Bytes that a block takes of shared memory; 0: nothing is shared, or memory ran out. */
int64_t cuda_shared_bytes(const ir *code, const ir_stage *stage, const schedule *s);
/* Whether compilers take seconds for it. */
bool cuda_is_short(const ir_stage *stage, const schedule *s);

#endif
