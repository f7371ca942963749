/* SPDX-License-Identifier: BSD-3-Clause */
/* Shared inside plan only: building and rewriting of stages, and the list of passes. */
#ifndef PLAN_PLAN_PRIVATE_H
#define PLAN_PLAN_PRIVATE_H

#include "plan/plan.h"

/* Appends nodes to a stage, each value once: if an equal node exists, it is returned.
 * Arguments of commutative operations (ADD, MUL, the product of FMA, EQ, NE, AND, OR) are
 * put in index order, and this changes no bits. Nothing is simplified here. */
typedef struct builder {
    ir *code;
    ir_stage *stage;
    int *slot; /* open-addressing hash table of node numbers + 1 */
    int64_t slots;
    void *user; /* of stage_rewrite */
} builder;

/* True if the nodes have the same value at the same points; operands are compared by
 * number. */
bool node_equals(const ir_node *a, const ir_node *b);
/* A step of a hash over many words; hash_mix comes after the last one. */
static inline uint64_t hash_word(uint64_t before, uint32_t word)
{
    return (before ^ word) * 0x9e3779b97f4a7c15;
}
/* Compares stages with one output each, whatever field it stores. */
bool stage_equals(const ir_stage *a, const ir_stage *b);
/* Starts with an empty node list. The old nodes stay valid in the arena, and outputs are
 * unchanged. */
builder builder_open(ir *code, ir_stage *stage);
int build_node(builder *b, const ir_node *n);
int build_op(builder *b, ir_op op, int a0, int a1, int a2); /* -1 for absent */
int build_const(builder *b, num value);
int build_uniform(builder *b, int slot);
/* A copy of a node of the old list, its arguments mapped through old-to-new numbers. */
int build_copy(builder *b, const ir_node *old, const int *map);
/* The node of the stage that computes the value loaded by `n`, or -1. A line operation
 * loads other values at the point before. */
int ir_computed(const ir_stage *stage, const ir_node *n);
/* Appends a stage. Its loads of values that the first one stores become these values. */
void build_join(builder *b, const ir_stage *stage);

/* True if the first two arguments may be exchanged. */
bool ir_commutes(ir_op op);
/* The value of an operation on numbers, exact if possible; comparisons give 0 or 1. */
num num_operate(ir_op op, num a, num b);
/* A node of this op with all other members -1 or 0. */
ir_node node_blank(ir_op op);
/* New stage, uniform slot. The ir's arrays may move, so keep numbers rather than
 * pointers. */
int code_add_stage(ir *code, const char *name, pav_type real, int coarse);
int code_add_uniform(ir *code, ir_uniform_kind kind, const char *name, double value);
int code_add_metric(ir *code, const ir_metric *m); /* an existing equal one is reused */
int code_add_table(ir *code, int axis, int coarse);
void stage_add_output(ir *code, ir_stage *stage, const ir_output *output);
void list_add(ir *code, ir_list *list, int stage);

/* lower/lower.c: the program as written, nothing simplified. The caller frees `scratch`,
 * also after an error. */
void ir_lower(const program *p, ir *code, text *scratch);

/* A pass rewrites one stage at a time and may add uniforms, tables and `before`
 * stages. */
typedef void ir_pass_run(ir *code, int stage);
typedef struct ir_pass {
    const char *name, *about;
    ir_pass_run *run;
} ir_pass;
extern const ir_pass pass_table[]; /* in order; closes with a NULL name */
ir_pass_run pass_fold, pass_powers, pass_sums, pass_tabulate, pass_hoist, pass_fma;

/* After all passes: tables of values that are the same on all lines (pass_invariant.c);
 * margins of tables, halos of fields (ir_set_radius); the tables of
 * cosines that transforms read (transforms.c); reductions beside stores (uniforms.c);
 * buffers not needed by a step are removed
 * (buffers.c); layers (layered.c); facts about stages and uniforms (known.c,
 * uniforms.c). */
typedef void ir_completion(ir *code);
ir_completion ir_tabulate_lines, ir_set_radius, ir_add_cosines, ir_place_reductions,
    ir_share_buffers, ir_find_layered, ir_know_stages, ir_know_uniforms;

/* groups.c: ir_find_groups fills code->group. ir_group_at: the group of a place of the
 * step, or the place alone. */
ir_completion ir_find_groups;
ir_group ir_group_at(const ir *code, int64_t at);

/* known.c: stages that differ in their fields alone, before passes. The stage reads
 * to[k] in place of from[k]. */
enum { CLASS_FIELDS = 16 };
typedef struct ir_class {
    int first; /* the first of these stages */
    int fields, from[CLASS_FIELDS], to[CLASS_FIELDS];
} ir_class;
ir_class *ir_find_classes(ir *code); /* of each stage */
/* True if two fields have the same rules, whatever fields their stages store. */
bool same_borders(const ir *code, const ir_field *f, const ir_field *g);

/* Extends halos and margins for the loads of one more stage. */
void ir_stage_radius(ir *code, int stage);

/* ---- lowering: shared inside lower/ only ------------------------------------------- */

/* The arguments of one application of a let. They are passed by name: each is an
 * expression to be evaluated in the scope of the caller. One application in one outer
 * scope is one scope. */
typedef struct scope {
    const expr *apply;
    const struct scope *outer;
} scope;

/* The point of an expression's evaluation, relative to a stage's point i:
 *
 *         i + offset               stage and spot on the same grid
 *         2*i + offset             spot on the next finer grid: inside restrict
 *         floor((i + offset)/2)    spot on the next coarser grid: inside interpolate */
typedef struct spot {
    const scope *scope;
    int coarse;
    int offset[MAX_DIM];
} spot;

/* Maps an expression at a spot to a number. */
typedef struct memo_entry {
    const expr *expr;
    spot at;
    int value;
} memo_entry;

typedef struct memo {
    int64_t count, capacity;
    memo_entry *entry;
} memo;

/* The neighbours in the sum of a derivative, a stencil or a restriction, with their
 * weights. */
typedef struct tap {
    int offset[MAX_DIM];
    num weight;
    const expr *expr;    /* the weight, unless it is a constant; else NULL */
    int metric[MAX_DIM]; /* 1 + metric of an axis, a factor of the weight; or 0 */
} tap;

typedef struct tap_list {
    int64_t count;
    tap *item;
} tap_list;

/* The purpose of a stage. It determines the allowed reads and the list for reductions. */
typedef enum draft_use { DRAFT_START, DRAFT_STEP, DRAFT_EVENT, DRAFT_BORDER } draft_use;

/* A stage while it is lowered. Closing it adds it to the ir. */
typedef struct draft {
    struct draft *outer;
    ir_stage stage;
    builder build;
    memo nodes;
    draft_use use;
    ir_list *list;         /* STEP, EVENT: list for new reductions ... */
    const ir_list *listed; /* ... and a list of existing reductions to reuse; or NULL */
    bool uniform;          /* evaluated once: no point, no fields but in reductions */
    bool absorbs;          /* older levels of damped fields are read damped */
    const statement *line; /* an equation whose points are in order; or NULL */
    int fixed_axis; /* along this axis coordinates are those of fixed_index; or -1 */
    int64_t fixed_index;
    int bordered; /* BORDER: the field */
    bool parts;   /* BORDER: ghosts of lower axes have the indices of their images */
} draft;

typedef enum progress { NOT_BEGUN, UNDER_WAY, DONE } progress;

/* State of a field of the ir while its uses are lowered. */
typedef struct field_draft {
    const statement *mask; /* a hidden field's statement, else NULL */
    int oldest;            /* level -oldest is the oldest one read */
    int stage;             /* of the initial values of level 0, or -1 */
    progress values[MAX_LEVEL + 2], borders[MAX_LEVEL + 2]; /* of the start, by age */
} field_draft;

typedef struct lowering {
    arena *arena;
    ir *code;
    const program *program;
    text *scratch;
    place at;     /* of the statement being lowered, for messages */
    draft *draft; /* the innermost being built */
    int depth;
    memo scopes, taps, seeds; /* seeds: of `uniform`, too */
    int64_t scope_count, scope_capacity, tap_lists, tap_capacity;
    const scope **scope;
    tap_list *tap_list;
    unsigned *let_grids;           /* grids + 1 of each let's body; 0 while unknown */
    int *param_slot, *scalar_slot; /* of scalars: `next` of the slot for s' */
    progress *params, *scalars;
    field_draft *fields;
    field_rules *rule;
    bool absorbs; /* the program has absorbing layers */
} lowering;

/* lower_draft.c. lower_fail raises an error. The sentence begins with the place of the
 * statement being lowered. */
void lower_fail(lowering *l, pav_status status, const char *format, ...) PRINTF_LIKE(3, 4)
    __attribute__((noreturn));
/* Limit the depth of recursion over expressions. */
typedef void lower_part(lowering *l);
lower_part lower_enter, lower_leave;
/* Canonical text, in the arena. */
const char *lower_text(lowering *l, const expr *e);
const char *lower_digits(lowering *l, num value);
int lower_op(lowering *l, ir_op op, int a0, int a1); /* appends to the innermost draft */
int lower_const(lowering *l, num value);
int memo_get(const memo *m, const expr *e, const spot *at); /* -1: not there */
void memo_put(lowering *l, memo *m, const expr *e, const spot *at, int value);
draft draft_new(const char *name, pav_type real, int coarse, draft_use use);
void draft_open(lowering *l, draft *d);
/* Add an output. Stored values are rounded first. */
void draft_store(lowering *l, draft *d, int node, int field, int level);
void draft_set(lowering *l, draft *d, int node, int slot);
/* draft_leave returns to the outer draft; draft_add adds this draft to the ir and returns
 * its number; draft_close does both. */
void draft_leave(lowering *l, draft *d);
int draft_add(lowering *l, draft *d);
int draft_close(lowering *l, draft *d);

/* lower_expr.c; lower_taps.c: derivatives and stencils; restrict and interpolate. */
typedef int lower_value(lowering *l, const expr *e, const spot *at);
lower_value lower_number, lower_condition, lower_neighbours, lower_transfer;

/* lower_point.c: values at a point. */
spot spot_shift(const lowering *l, const spot *at, const int *offset);
typedef int lower_at(lowering *l, int number, const spot *at);
lower_at lower_index, lower_coordinate; /* of an axis */
lower_at lower_metric, lower_damping;   /* of a metric; of a field */
int lower_place(lowering *l, metric_kind kind, int axis, const spot *at);
int lower_load(lowering *l, int field, int level, const spot *at);
int lower_random(lowering *l, int seed_slot, int level, const spot *at);
num spacing_along(const ir *code, int axis, int coarse);

/* Parts of a program, in the order of lowering (lower_fields.c). */
lower_part lower_fields, lower_borders;
/* lower.c: lists a stage needed by the start, after its inputs; lists a stage that sets a
 * slot to an expression, computed once. */
void start_add_stage(lowering *l, int stage, int field, int level);
void start_add_slot(lowering *l, const char *name, const expr *e, const spot *at,
                    int slot);

/* ---- shared by the passes (builder.c) ---------------------------------------------- */

/* Dependences of a node's value. */
enum {
    ON_X = 1,       /* ON_X << axis: the index along this axis, through INDEX or TABLE */
    ON_UNIFORM = 8, /* values that change between steps, but not between points */
    ON_POINT = 16,  /* anything else: loads, random numbers */
    ON_AXES = 7,
};
/* For a node with known dependences of its arguments. */
unsigned node_depends(const ir *code, const ir_node *n, const unsigned char *depends);
/* True if a/b is a linear function of an index over a number, like coordinates. It goes
 * into a table, where a division costs nothing for a point, and stays a division. Then
 * 3/10 equals the 0.3 of a user's comparison. */
bool is_coordinate(const ir_stage *stage, int a, int b);
/* The stages of a step, then the stages of equations to solve; from the arena. */
ir_list equation_list(const ir *code);
/* One byte or flag for each node of a stage, from the arena. */
unsigned char *stage_depends(const ir *code, const ir_stage *stage, arena *a);
bool *stage_live(const ir_stage *stage, arena *a); /* needed by outputs */
/* Rebuilds a stage node by node: rewrite returns the new number of an old node with
 * mapped arguments; b->user is `user`. Nodes without use for outputs are dropped, before
 * and after. */
typedef int ir_rewrite(builder *b, const ir_node *old, const int *map);
void stage_rewrite(ir *code, ir_stage *stage, ir_rewrite *rewrite, void *user);
/* Rebuilds a stage without unused nodes. */
void stage_sweep(ir *code, ir_stage *stage);

/* ---- alike.c ----------------------------------------------------------------------- */

/* Finds nodes of a stage that compute the same value at shifted points, such as u[i] +
 * u[i+1] and u[i+1] + u[i+2]. Such nodes have the same kind. If their places are p and q,
 * the first node at point q - p has the value of the second at point 0. */
typedef struct alike_place {
    int kind;
    unsigned bound;  /* bit of each shiftable axis along which the value changes */
    int at[MAX_DIM]; /* 0 along the others */
} alike_place;

typedef struct alike {
    arena *arena;
    unsigned axes; /* bits of the axes with shifts */
    int64_t done, capacity;
    alike_place *node; /* of each node of the stage, `done` of them */
    int64_t kinds, kind_capacity, slots;
    struct alike_key *key; /* of each kind */
    int *slot;
} alike;

alike alike_open(arena *a, unsigned axes);
/* Adds the nodes appended to the stage since the last call. */
void alike_update(alike *k, const ir_stage *stage);

/* Like ir_stage_cost, but jumps to the guard of `a` if memory runs out instead of
 * returning zeros. */
ir_cost cost_or_fail(const ir *code, const ir_stage *stage, arena *a);

enum {
    MAX_POWER = 64, /* larger integer powers stay POW */
};
/* Multiplications of x^n by repeated squaring (and a division for n < 0); 1 for exponents
 * that stay a power. */
int power_cost(num exponent);

/* ---- sums: passes/pass_sums.c, passes/sum_order.c ---------------------------------- */

/* k * factor * node; factor is a node that depends only on uniforms, or -1 for 1. */
typedef struct scaled {
    num k;
    int factor, node;
} scaled;

/* One summand. Summands of one kind are equal up to a shift by the difference of their
 * places. Kinds are numbered by first appearance, and no two summands have the same kind
 * and place. */
typedef struct summand {
    scaled value;
    int kind, at[MAX_DIM];
} summand;

bool weight_is_minus(num k);
num weight_size(num k); /* without its sign */
/* The weight as a node, and the weighted value. */
int build_weight(builder *b, num k, int factor);
int build_scaled(builder *b, scaled v);
bool scaled_is_unit(scaled v); /* its weight is 1 or -1 */
/* Sums, in two orders (explained in the files). The summands are reordered. The result is
 * scaled if all weights have a common factor. */
scaled sum_by_weight(builder *b, summand *item, int64_t count);
scaled sum_by_plane(builder *b, int axis, summand *item, int64_t count);
/* Finds the factor of all weights: the quotients are coprime integers of at most 20 bits.
 * False: no such factor exists. */
bool sum_content(const summand *item, int64_t count, num *content);

/* A value being collected: k * factor * (node, or the value of its parts). A node of -1
 * without parts is 1. Parts belong to a sum or product without other readers. */
typedef struct term {
    scaled value;
    struct parts *parts;
} term;

typedef struct parts {
    bool product;
    int depth; /* of parts in parts */
    int64_t count, capacity;
    term *term; /* of a product: their weights are 1 */
} parts;

typedef struct terms {
    ir *code;
    /* weighted atoms with several readers are expanded: each reader may weigh anew */
    bool seen_through;
    bool shared; /* such atoms were found */
    builder build;
    alike alike;
    int64_t depended, depend_capacity; /* of the built nodes */
    unsigned char *depends;
    int64_t sums; /* number of the current sum */
    int64_t ranks, rank_room;
    struct sum_rank {
        int64_t sum; /* the rank is valid in this sum */
        int rank;
    } * rank; /* of each kind */
} terms;

terms terms_open(ir *code, ir_stage *stage, bool seen_through);
term term_value(terms *l, int node);
term term_add(terms *l, term a, term b);
term term_multiply(terms *l, term a, term b);

/* print.c: a field in the notation of users: u', u, prev(u, 2). */
void print_field(const ir *code, int field, int level, text *t);

/* ---- dependences between stages of a step (explain.c) ------------------------------ */

/* A stage of the step list reads a result of an earlier stage of it: a field, or a
 * uniform. */
typedef struct dependence {
    int stage, on;         /* numbers of stages */
    int field, level;      /* field is -1 for a uniform */
    int uniform;           /* slot, or -1 */
    int reach[MAX_DIM][2]; /* how far away; 0 if only the point itself is read */
    bool elsewhere;        /* also at other points, so the two cannot share a loop */
} dependence;
int64_t find_dependences(const ir *code, arena *a, dependence **result);

#endif
