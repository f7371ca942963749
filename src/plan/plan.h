/* SPDX-License-Identifier: BSD-3-Clause */
/* plan: the intermediate representation, where the arithmetic is fixed once and for
 * all, the passes that shape it, and the analysis of what they leave.
 *
 * A stage is a straight-line program (a DAG in topological order) evaluated at each
 * point of a box; every node is one rounding in the stage's arithmetic type. All
 * that execute a stage (interpreter, emitted C, emitted CUDA) evaluate exactly these
 * nodes, and so give the same bits. A run is a fixed sequence of stages and border
 * fills (struct ir says which); schedules may fuse, block and move them, never change
 * them. */
#ifndef PLAN_PLAN_H
#define PLAN_PLAN_H

#include "base/base.h"
#include "lang/lang.h"

enum {
    MAX_NODES = 200000, /* of one stage, while it is built */
};

/* X(name, arguments, flops, text). Arguments of arithmetic are reals, of the logical ones
 * booleans; comparisons give booleans; SELECT takes (boolean, real, real). MIN(a, b) is a
 * < b ? a : b; MAX(a, b) is a > b ? a : b (so b wins ties and NaN). METRIC is value
 * `field` of ir.metric at the index that its argument is; only tables have it when all
 * passes are through. POW and the transcendental ones are the host library's; devices may
 * differ in them, and only there. RANDOM is random_at of the point that transfer and
 * offset name, as of a LOAD, and of a seed: the 64 bits of the double in slot
 * `uniform`. */
#define IR_OP_LIST(X)                                                                    \
    X(CONST, 0, 0, "const") /* value, rounded to the stage's type once */                \
    X(UNIFORM, 0, 0,                                                                     \
      "uniform")            /* slot `uniform`, a double, rounded to the stage's type */  \
    X(INDEX, 0, 0, "index") /* global index of the point along `axis`, as a real */      \
    X(TABLE, 0, 0, "table") /* table `table` at the point's index plus offset[0] */      \
    X(LOAD, 0, 0, "load")   /* field, level, transfer, offset */                         \
    X(RANDOM, 0, 0, "random") /* see below; in initial values only */                    \
    X(METRIC, 1, 0, "metric") /* of a stretched axis; see above */                       \
    X(NEG, 1, 0, "-")                                                                    \
    X(ADD, 2, 1, "+")                                                                    \
    X(SUB, 2, 1, "-")                                                                    \
    X(MUL, 2, 1, "*")                                                                    \
    X(DIV, 2, 1, "/")                                                                    \
    X(FMA, 3, 2, "fma") /* a*b + c, one rounding */                                      \
    X(MIN, 2, 1, "min")                                                                  \
    X(MAX, 2, 1, "max")                                                                  \
    X(ABS, 1, 0, "abs")                                                                  \
    X(SQRT, 1, 1, "sqrt")                                                                \
    X(EXP, 1, 1, "exp")                                                                  \
    X(LOG, 1, 1, "log")                                                                  \
    X(SIN, 1, 1, "sin")                                                                  \
    X(COS, 1, 1, "cos")                                                                  \
    X(TAN, 1, 1, "tan")                                                                  \
    X(TANH, 1, 1, "tanh")                                                                \
    X(POW, 2, 1, "pow")                                                                  \
    X(FLOOR, 1, 1, "floor")                                                              \
    X(LT, 2, 0, "<")                                                                     \
    X(LE, 2, 0, "<=")                                                                    \
    X(EQ, 2, 0, "==")                                                                    \
    X(NE, 2, 0, "!=")                                                                    \
    X(AND, 2, 0, "and")                                                                  \
    X(OR, 2, 0, "or")                                                                    \
    X(NOT, 1, 0, "not")                                                                  \
    X(SELECT, 3, 0, "where")                                                             \
    X(ROUND, 1, 0,                                                                       \
      "round") /* to storage type `type` and back: what a reader of it sees */

typedef enum ir_op {
#define X(name, arguments, flops, text) IR_##name,
    IR_OP_LIST(X)
#undef X
        IR_OP_COUNT,
} ir_op;

typedef struct ir_op_info {
    const char *name; /* "FMA" */
    const char *text; /* "fma" */
    int arguments, flops;
} ir_op_info;
extern const ir_op_info ir_op_table[IR_OP_COUNT];
bool ir_is_boolean(ir_op op); /* gives a boolean */

/* How the index along each axis of a load follows from the stage's point i:
 * SAME i + offset; TO_FINE 2*i + offset (a coarse stage reads a field of the next finer
 * grid); TO_COARSE floor((i + offset)/2) (a stage reads one of the next coarser grid).
 * Along axes that the coarser grid does not halve the index is that of SAME. */
typedef enum ir_transfer { IR_SAME, IR_TO_FINE, IR_TO_COARSE } ir_transfer;

/* Along one axis: SAME along those of `kept`, which the coarser grid does not halve. */
static inline ir_transfer ir_transfer_along(ir_transfer transfer, unsigned kept, int axis)
{
    return kept >> axis & 1 ? IR_SAME : transfer;
}

typedef struct ir_node {
    ir_op op;
    int arg[3]; /* earlier nodes; -1 where absent */
    num value;  /* CONST */
    int uniform;
    int axis;
    int table;
    int field, level; /* LOAD; level as in expr: +1 being computed, 0, -1 ... */
    ir_transfer transfer;
    unsigned kept;       /* ... but along these axes, a bit for each: SAME */
    int offset[MAX_DIM]; /* LOAD; TABLE: offset[0] along the table's axis */
    pav_type type;       /* ROUND */
} ir_node;

typedef enum ir_output_kind {
    /* to field at level, rounded to its storage (the node is already a ROUND if
     * narrow) */
    IR_STORE,
    IR_REDUCE, /* over all points of the stage, in f64 by the fixed tree, into uniform */
    IR_SET,    /* into uniform: a stage of uniforms only, evaluated once, in f64 */
    IR_SIDE,   /* of an equation to solve: a value at every point, stored nowhere */
} ir_output_kind;

typedef struct ir_output {
    ir_output_kind kind;
    int node;
    int field, level;
    reduction_kind reduction; /* SUM, MIN or MAX; a norm is lowered to a sum and a root */
    int uniform;
} ir_output;

typedef struct ir_stage {
    const char *name;      /* for people: "u, v", "border u x-", "dt" */
    pav_type real;         /* of the arithmetic */
    int coarse;            /* its points are those of this coarse grid; 0: the grid's */
    int inset[MAX_DIM][2]; /* outermost points left out: faces whose value is given */
    int before; /* stage of uniforms to evaluate right before this one, or -1 */
    /* 1, 2, ...: of those that ir_split_stages made of one stage; 0: it is whole, */
    int part;
    const char *whole; /* and why, once ir_split_stages was asked */
    /* of a step: points at which it may be left out (bare: -1), or stage `bare` taken in
     * its place; and which is, in the strips around these points, across each axis
     * (layered.c) */
    bool layered;
    int bare, strip[MAX_DIM];
    box inside;
    bool stands_in; /* it is taken in place of another one, over its own points */
    bool gated;     /* it may be left out where uniform `gate` is 0 */
    int gate;
    int64_t count, capacity;
    ir_node *node;
    int64_t outputs, output_capacity;
    ir_output *output;
} ir_stage;
/* Whether a stage reads neighbours on the level that it stores, as an injection may,
 * whose points then are evaluated one by one. */
bool ir_reads_new_neighbours(const ir_stage *stage);
/* Whether it is evaluated once rather than at points. */
bool ir_is_uniform(const ir_stage *stage);
int ir_reductions(const ir_stage *stage); /* among its outputs */

typedef enum ir_uniform_kind {
    UNIFORM_T,
    UNIFORM_STEP,
    UNIFORM_PARAM,
    UNIFORM_SCALAR,
    UNIFORM_REDUCTION,
    UNIFORM_COMPUTED,
    UNIFORM_WEIGHT /* of an injection's current point */
} ir_uniform_kind;

typedef struct ir_uniform {
    ir_uniform_kind kind;
    const char *name; /* of a param, scalar or measure; else NULL */
    double value;     /* SCALAR: the initial one */
} ir_uniform;

/* Values along one axis that depend on nothing else: coordinates, profiles, absorbing
 * layers. Computed once, in f64, for indices -margin[0] .. extent-1+margin[1]; then
 * rounded to the type of the stage that reads them. */
typedef struct ir_table {
    int axis;
    int coarse;
    int margin[2];
    ir_stage stage; /* f64, leaves CONST and INDEX of this axis only; one IR_SET output */
} ir_table;

/* Of a stretched axis, at a point: its coordinate, the width of its cell, or the weight
 * of tap `tap` of a derivative there (axis_weights). */
typedef enum metric_kind { METRIC_PLACE, METRIC_WIDTH, METRIC_WEIGHT } metric_kind;
typedef struct ir_metric {
    metric_kind kind;
    int axis, coarse;
    int derivative, order, half, tap;
} ir_metric;

/* A border's stage runs over its face's slab. It reads and stores level 0, which stands
 * for the level of its field that is being filled. VALUE and BEYOND: u = g. NEUMANN with
 * a value: u = u + 2*k*h*g, once the ghost points were filled as without one. */
typedef struct ir_border {
    border_kind kind;
    int stage; /* or -1 */
} ir_border;

/* Events read after the levels have rotated: they may reach level -(levels - 1), whose
 * buffer the next +1 takes. A coarse field may have masks on the grid, of which its point
 * I minds that where it lies. */
typedef struct ir_field {
    const char *name;     /* hidden fields (masks) are called "mask 1", ... */
    const symbol *symbol; /* NULL when hidden */
    int line;             /* of the description, where it is declared */
    pav_type storage;
    int coarse;
    bool updated;
    /* buffers: of updated fields oldest + 2 or more, of others 1; 1, too, where level +1
     * may take the place of level 0 (buffers.c) */
    int levels;
    int memory; /* 1 + the field whose buffer it has, too; 0: it has its own */
    /* several fields have the buffer; not all with the same border: each store leaves it
     * to be filled */
    bool shared, refills;
    int64_t extent[MAX_DIM];
    int halo[MAX_DIM][2]; /* how far any stage reads beyond each face */
    int64_t
        stride[MAX_DIM]; /* in elements, that a processor's kernels count on; 0: any */
    ir_border border[MAX_DIM][2];
    const char *file; /* initial values or mask from an npy file, or NULL */
    int masks;        /* of `mask`: hidden fields; where one is 0, a point keeps */
    int *mask;        /* its value */
} ir_field;

/* A list of stages to run in order. */
typedef struct ir_list {
    int64_t count, capacity;
    int *stage;
} ir_list;
bool ir_list_has(const ir_list *list, int64_t stage);

/* What is done once, before the first step, in this order. T and STEP are those of
 * `level`: level*dt and level (0 where no level is stored). */
typedef enum ir_start_kind {
    START_STAGE,   /* run `stage`: initial values, masks, reductions, params */
    START_FILE,    /* level 0 of `field` (or the mask) from its npy file */
    START_COPY,    /* the points of `level` of `field` are those of its level 0 */
    START_ZERO,    /* the points of `level` of `field` are 0 */
    START_BORDERS, /* fill the borders of `level` of `field` */
} ir_start_kind;

typedef struct ir_start {
    ir_start_kind kind;
    int stage;        /* of START_STAGE, else -1 */
    int field, level; /* stored or filled; -1 and 0 for stages that store no field */
} ir_start;

typedef struct ir_start_list {
    int64_t count, capacity;
    ir_start *item;
} ir_start_list;

/* A measure, until, expect or injection: its stages, then where its result is. Of an
 * injection's stages the last is run at each neighbour of each position, those before
 * (reductions) once a step. Of an equation to solve the last two are its sides. */
typedef struct ir_event {
    const statement *statement;
    const char
        *text; /* the expression as canonical text; of a solve, what follows the word */
    ir_list list;
    int result;      /* uniform slot; booleans are 0 or 1; -1 for injections and solves */
    int left, right; /* expect, until of a comparison: slots of its sides; else -1 */
    int field;       /* solve: the unknown; injection: into this field's level +1 ... */
    int weight;      /* ... u' = fma(weight, value, u'), one point at a time */
} ir_event;

typedef struct ir_event_list {
    int64_t count, capacity;
    ir_event *item;
} ir_event_list;

/* What a run does
 *
 *   start: the items of `start` in order; they fill every level of every field and set
 *          the params that hold reductions.
 *   step:  set T and STEP; for each stage in `step` run it, and after one that stores
 *          fill the borders of the levels stored (border stages see t of the new level).
 *          Then the injections in order, skipping points that a border value or a mask
 *          fixes, and fill again the borders of the fields injected into. Then levels
 *          rotate: +1 becomes 0, 0 becomes -1, ...
 *   events after a step: measures, until; at the end: expects. They read levels 0, -1,
 *          ..., with T and STEP of the steps done.
 *
 * Equations to solve are no part of this: nothing runs the stages of `solves` yet.
 *
 * Filling the borders of a level of a field: axis by axis, x first, and side - before
 * side +; over the points of the slab: along the axis the ghost points (and the face, of
 * values that hold there), along lower axes all points halo included, along higher axes
 * the points without halo. Stages leave out the faces that borders give (has_face), so
 * before a ghost point copies such a face, on whichever side, the face must have been
 * filled. */
typedef struct ir_shapes ir_shapes;
typedef struct ir {
    arena *arena;
    const program *program;
    int dim;
    int64_t stages, stage_capacity;
    ir_stage *stage;
    int64_t fields;
    ir_field *field;
    int64_t carried; /* of the fields, the last: see ir_split_stages */
    int64_t tables, table_capacity;
    ir_table *table;
    ir_shapes *shapes; /* while passes make them (pass_tabulate.c) */
    int64_t metrics, metric_capacity;
    ir_metric *metric;
    int64_t uniforms, uniform_capacity;
    ir_uniform *uniform;
    int uniform_t, uniform_step;
    int dt;       /* uniform slot or -1 */
    num dt_value; /* when dt is constant (or 1 when there is none) */
    ir_start_list start;
    ir_list step;
    ir_event_list injections, measures, untils, expects, solves;
} ir;

/* ---- building ---------------------------------------------------------------------- */

/* What is the same at all points costs a point nothing; a power by a constant integer
 * counts as the multiplications that it stands for. */
typedef struct ir_cost {
    int64_t nodes; /* that compute something */
    int64_t flops; /* every node once: what one point alone costs */
    /* nodes equal up to a shift along the slowest axis counted once: what a schedule that
     * sweeps along that axis and keeps partial results pays */
    int64_t streamed;
    int64_t instructions; /* as flops, an fma counted once; streamed */
} ir_cost;

/* Called after lowering (pass "lower") and after every pass. before and after sum
 * over the stages of `step` and `solves`. */
typedef struct ir_trace {
    void (*after)(void *user, const ir *code, const char *pass, const char *about,
                  const ir_cost *before, const ir_cost *after);
    void *user;
} ir_trace;

pav_status ir_build(const program *p, const ir_trace *trace, ir **result);
/* Numbers of the start as uniforms, so that its kernels serve grids of all sizes. */
void ir_lift_numbers(ir *code);
void ir_free(ir *code);
void ir_print(const ir *code, text *t); /* all stages, with comments on what runs when */
void ir_stage_print(const ir *code, const ir_stage *stage, text *t);
ir_cost ir_stage_cost(const ir *code, const ir_stage *stage);

/* Sums, and products (fused ones, too), that vectors of a processor take for each point,
 * adjacent rows sharing what is alike. */
typedef struct ir_arithmetic {
    int64_t sums, products;
} ir_arithmetic;
pav_status ir_stage_arithmetic(const ir *code, const ir_stage *stage,
                               ir_arithmetic *result);

/* Makes of each stage of a step, where it can, parts that read neighbours in one
 * direction each: those in planes across the slowest axis, and those along it. What one
 * computes for the next goes through hidden fields, which hold nothing between steps. It
 * changes no bits. */
pav_status ir_split_stages(ir *code);
int64_t ir_lasting_fields(
    const ir *code); /* those before the hidden ones of ir_split_stages */

enum { IR_MOST_CARRIED = 12 };
/* One stage in two such parts, for a sweep through its planes: `first` of each plane that
 * `last` reads around its own. Their hidden fields, field[0 ...], follow those of the
 * code. */
typedef struct ir_sweep {
    /* else there are none: there are no two parts, or hardly less work in them */
    bool pays;
    ir_stage first, last;
    int64_t fields;
    int lead; /* the farthest plane that `last` reads */
    struct {
        int first; /* plane that `last` reads of it */
    } field[IR_MOST_CARRIED];
} ir_sweep;
pav_status ir_sweep_of(const ir *code, const ir_stage *stage, arena *a, ir_sweep *sweep);

/* ---- analysis ---------------------------------------------------------------------- */

/* Where a node stands among those that are alike: nodes of one kind hold the same value
 * at points whose distance along an axis is the difference of their places. Not placed:
 * it does not change along the axis. */
typedef struct ir_kind {
    int kind, place;
    bool placed;
} ir_kind;
pav_status ir_kinds(const ir_stage *stage, int axis, ir_kind *kind); /* of each node */

typedef enum ir_shape { SHAPE_POINT, SHAPE_STAR, SHAPE_BOX, SHAPE_GENERAL } ir_shape;

/* How one stage reads one level of one field. */
typedef struct ir_access {
    int field, level;
    ir_transfer transfer;
    unsigned kept;
    int taps;
    int reach[MAX_DIM]
             [2]; /* farthest offset along each axis towards - and +, as >= 0 numbers */
    ir_shape shape;
    bool symmetric; /* every tap's mirror image through the point is a tap too */
} ir_access;

typedef struct ir_analysis {
    int64_t accesses;
    ir_access *access;
    ir_cost cost;
    int64_t special; /* divisions, roots and transcendental functions among the nodes */
    int64_t bytes_read; /* per point: each level of each field read once */
    int64_t bytes_written;
    int64_t points; /* of the stage's box */
} ir_analysis;

void ir_analyse(const ir *code, const ir_stage *stage, arena *a, ir_analysis *result);
/* Points of the grid, or of a coarse one, along an axis; 1 where the grid has no such
 * axis. */
int64_t points_along(const ir *code, int axis, int coarse);
double ir_metric_value(const ir *code, int metric, int64_t index);
/* The points of a stage: extents less insets. */
box ir_stage_box(const ir *code, const ir_stage *stage);
/* Whether a stage of the step, or of a border, computes otherwise where the index along
 * an axis is another: then planes may not stand for those that an axis which wraps around
 * has in their place. */
bool ir_knows_index(const ir *code, int axis);
/* Whether it is a stage of the step, or evaluated before one. */
bool ir_is_in_step(const ir *code, int64_t stage);
/* Program, stages after each pass, costs, accesses, dependences: what `pavior
 * explain` prints. */
pav_status ir_explain(const program *p, bool json, text *t);

/* ---- skews (blocking/skews.c) ------------------------------------------------------ */

/* An operation of a step uses one level of one field: so far away, in skews and as read
on
 * either side. Numbers of operations are those of their order. */
typedef struct ir_use {
    int64_t operation;
    int field, level;
    int far[MAX_DIM], reach[MAX_DIM][2];
} ir_use;
typedef struct ir_uses {
    int64_t operations, fields, uses;
    const ir_use *use;
    const bool *stored; /* [operation][field] */
    const int *levels;  /* of each field, whose buffers take turns; NULL: they do not */
} ir_uses;

/* What follows. Each operation of a step lags `skew` behind its first one, or as much as
 * it did before the call, and must be done so many points `around` those of the step's
 * end; a step lags behind the one before; its values depend on points that far. */
typedef struct ir_operation_skew {
    int skew[MAX_DIM], around[MAX_DIM][2];
} ir_operation_skew;
typedef struct ir_skews {
    ir_operation_skew *of; /* of each operation */
    int step[MAX_DIM], reach[MAX_DIM][2];
} ir_skews;
void ir_find_skews(const ir_uses *u, ir_skews *s);

/* ---- temporal blocking (blocking/blocking.c) --------------------------------------- */

/* What a step does to the points, in order: its stages, each followed by the borders of
 * what it stored; all injections, followed by those of the fields injected into; and what
 * reads the new levels. */
typedef enum ir_operation_kind {
    OPERATION_STAGE,
    OPERATION_INJECT,
    OPERATION_SAMPLE
} ir_operation_kind;
typedef struct ir_operation {
    ir_operation_kind kind;
    int stage;         /* of OPERATION_STAGE; else -1 */
    int skew[MAX_DIM]; /* behind the first operation of its step */
} ir_operation;

/* An operation may run at point p once every earlier operation, of its step and of those
 * before, has done all points up to p plus its skew behind that operation along each
 * axis. This keeps all dependences of reads on writes and of writes on reads, with the
 * levels that the fields have. Ghosts and given faces of side - count as lying as far
 * inside as the field is read beyond its faces, those of side + as the last point. Along
 * an axis that wraps, given faces of side - count as one point farther inside: another
 * tile gives them. */
typedef struct ir_blocking {
    const char *refusal; /* why steps cannot be fused; NULL: they can, skews follow */
    int64_t operations;
    ir_operation *operation;
    int unit[MAX_DIM];      /* that skews are multiples of */
    int skew[MAX_DIM];      /* of a step behind the one before it */
    int reach[MAX_DIM][2];  /* how far a step's values depend on those before it */
    bool periodic[MAX_DIM]; /* some field that steps store wraps around */
    arena *arena;
} ir_blocking;
/* unit: skews along an axis are multiples of it; NULL: of 1. */
pav_status ir_blocking_open(const ir *code, const int unit[MAX_DIM], ir_blocking *result);
void ir_blocking_close(ir_blocking *b);

/* ---- extended precision, for checking passes --------------------------------------- */

/* Evaluates the outputs of a stage at one imagined point in long double; leaves take
 * values that are a function of the seed and of what they are (field, level and
 * absolute position; index; uniforms and tables through the stages that compute
 * them), so that a stage before and after a pass can be compared. result[k] and
 * magnitude[k] (the same with every term's absolute value: the scale of rounding
 * errors) are of output k. */
pav_status ir_evaluate(const ir *code, const ir_stage *stage, uint64_t seed,
                       long double *result, long double *magnitude);

#endif
