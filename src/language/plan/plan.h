/* SPDX-License-Identifier: BSD-3-Clause */
/* plan: the intermediate representation (IR), its passes, and the analysis of the final
 * IR. The IR fixes the arithmetic once and for all.
 *
 * A stage is a straight-line program (a DAG in topological order) evaluated at each point
 * of a box; every node is one rounding in the stage's arithmetic type. The interpreter,
 * the emitted C and the emitted CUDA evaluate exactly these nodes, and so give the same
 * bits. A run is a fixed sequence of stages and border fills (see struct ir); schedules
 * may fuse, block and move them, but never change them. */
#ifndef PLAN_PLAN_H
#define PLAN_PLAN_H

#include "base/base.h"
#include "lang/lang.h"

/* The status of the call in an arena of its own. */
#define IN_ARENA(a, result, call)                                                        \
    do {                                                                                 \
        arena *a = arena_new();                                                          \
        ARENA_GUARD(a, result, call);                                                    \
        arena_free(a);                                                                   \
    } while (0)
/* Returns this status. */
#define RETURN_IN_ARENA(a, call)                                                         \
    do {                                                                                 \
        pav_status status_;                                                              \
        IN_ARENA(a, status_, call);                                                      \
        return status_;                                                                  \
    } while (0)

enum {
    MAX_NODES = 200000, /* of one stage, while it is built */
};

/* X(name, arguments, flops, text), and ONE and PAIR for the rows of SMOOTH_FUNCTION_LIST,
 * STEPWISE_FUNCTION_LIST and PAIR_FUNCTION_LIST, each with one flop. Arguments of
 * arithmetic are reals, of logical operations booleans; comparisons return booleans;
 * SELECT takes (boolean, real, real).
 * MIN(a, b) is a < b ? a : b; MAX(a, b) is a > b ? a : b (so b wins ties and NaN). METRIC
 * is value `field` of ir.metric at the index in its argument; after all passes only
 * tables contain it. RANDOM is random_at of a point and a seed: transfer and offset name
 * the point like in a LOAD, and the seed is the 64 bits of the double in slot `uniform`.
 * RANDOM of level 1, of updates, is philox_at in its place: the slot holds
 * seed*2^32 + step, and the result has the digits of `type`. */
#define IR_OP_LIST(X, ONE, PAIR)                                                         \
    X(CONST, 0, 0, "const") /* value, rounded to the stage's type once */                \
    X(UNIFORM, 0, 0,                                                                     \
      "uniform")            /* slot `uniform`, a double, rounded to the stage's type */  \
    X(INDEX, 0, 0, "index") /* global index of the point along `axis`, as a real */      \
    X(TABLE, 0, 0, "table") /* table `table` at the point's index plus offset[0] */      \
    X(LOAD, 0, 0, "load")   /* field, level, transfer, offset */                         \
    X(RANDOM, 0, 0, "random") /* see above */                                            \
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
    STEPWISE_FUNCTION_LIST(ONE)                                                          \
    SMOOTH_FUNCTION_LIST(ONE)                                                            \
    PAIR_FUNCTION_LIST(PAIR)                                                             \
    X(LT, 2, 0, "<")                                                                     \
    X(LE, 2, 0, "<=")                                                                    \
    X(EQ, 2, 0, "==")                                                                    \
    X(NE, 2, 0, "!=")                                                                    \
    X(AND, 2, 0, "and")                                                                  \
    X(OR, 2, 0, "or")                                                                    \
    X(NOT, 1, 0, "not")                                                                  \
    X(EVEN, 1, 0, "even") /* of a sum of indices */                                      \
    X(SELECT, 3, 0, "where")                                                             \
    X(ROUND, 1, 0,                                                                       \
      "round") /* to storage type `type` and back: the value after a store and load */

typedef enum ir_op {
#define X(name, ...) IR_##name,
    IR_OP_LIST(X, X, X)
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
/* A row of SMOOTH_FUNCTION_LIST, STEPWISE_FUNCTION_LIST or PAIR_FUNCTION_LIST. */
bool ir_is_function(ir_op op);

/* The index of a load along an axis, for the stage's point i: SAME i + offset; TO_FINE
 * 2*i + offset (a coarse stage reads a field of the next finer grid); TO_COARSE floor((i
 * + offset)/2) (a stage reads a field of the next coarser grid). If the coarser grid does
 * not halve an axis, SAME applies along it. */
typedef enum ir_transfer { IR_SAME, IR_TO_FINE, IR_TO_COARSE } ir_transfer;

/* The transfer along one axis: SAME along the axes in `kept`, not halved by the coarser
 * grid. */
static inline ir_transfer ir_transfer_along(ir_transfer transfer, unsigned kept, int axis)
{
    return kept >> axis & 1 ? IR_SAME : transfer;
}

/* The index read along one axis. */
static inline int64_t ir_index_read(ir_transfer transfer, int64_t i, int offset)
{
    return transfer == IR_TO_FINE     ? 2 * i + offset
           : transfer == IR_TO_COARSE ? int_floor_half(i + offset)
                                      : i + offset;
}

typedef struct ir_node {
    ir_op op;
    int arg[3]; /* earlier nodes; -1 if absent */
    num value;  /* CONST */
    int uniform;
    int axis;
    int table;
    int field, level; /* LOAD; level like in expr: +1 being computed, 0, -1 ... */
    ir_transfer transfer;
    unsigned kept;       /* a bit for each axis with transfer SAME instead */
    int offset[MAX_DIM]; /* LOAD; TABLE: offset[0] along the table's axis */
    pav_type type;       /* ROUND */
} ir_node;

/* The index read by a load for point i. */
static inline int64_t ir_node_index(const ir_node *n, int axis, int64_t i)
{
    return ir_index_read(ir_transfer_along(n->transfer, n->kept, axis), i,
                         n->offset[axis]);
}

/* True if a load reads the stage's own point. */
static inline bool ir_is_here(const ir_node *n)
{
    return n->transfer == IR_SAME && !n->offset[0] && !n->offset[1] && !n->offset[2];
}

/* Widens a reach, both sides as numbers >= 0, by an offset. */
static inline void ir_widen_reach(int reach[MAX_DIM][2], const int *offset)
{
    for (int axis = 0; axis < MAX_DIM; axis++) {
        reach[axis][0] = int_most(reach[axis][0], -offset[axis]);
        reach[axis][1] = int_most(reach[axis][1], offset[axis]);
    }
}

typedef enum ir_output_kind {
    /* to a level of a field, rounded to its storage type (the node is already a ROUND for
     * narrow storage) */
    IR_STORE,
    IR_REDUCE, /* over all points of the stage, in f64 by the fixed tree, into uniform */
    IR_SET,    /* into uniform: a stage of uniforms only, evaluated once, in f64 */
    IR_SIDE,   /* of an equation to solve: a value at every point, not stored */
} ir_output_kind;

typedef struct ir_output {
    ir_output_kind kind;
    int node;
    int field, level;
    reduction_kind reduction; /* SUM, MIN or MAX; a norm is lowered to a sum and a root */
    int uniform;
} ir_output;

typedef struct ir_stage {
    const char *name; /* for users: "u, v", "border u x-", "dt" */
    pav_type real;    /* of the arithmetic */
    int coarse;       /* number of the coarse grid of its points; 0: the grid */
    /* outermost points left out: faces with values given by a border */
    int inset[MAX_DIM][2];
    /* points are computed in order along axis `along` - 1, or down along -`along` - 1: a
     * stage of a line operation; 0: in any order */
    int along;
    /* the stage transforms each line of its field in place, along axis `along` - 1; below
     * 0: by the inverse; above MAX_DIM: to mirrored waves; 0: it is no transform */
    int transform;
    int before; /* stage of uniforms to evaluate right before this one, or -1 */
    /* number among the parts that ir_split_stages made of one stage, from 1; 0: not
     * split */
    int part;
    const char *whole; /* why it was not split, after ir_split_stages */
    /* in a step, for matched layers (layered.c): at the points `inside` the stage may be
     * left out (bare: -1) or replaced by stage `bare`; strip: the replacement in the
     * strips around these points, across each axis */
    bool layered;
    int bare, strip[MAX_DIM];
    box inside;
    bool stands_in; /* it replaces another stage, over its own points */
    bool gated;     /* it may be left out if uniform `gate` is 0 */
    /* of a border, over one layer: it loads no point that it stores elsewhere */
    bool layer;
    int gate;
    /* its hidden fields have the same values in all steps, until the host changes fields
     * or scalars: factors of a matrix. Single steps after the first leave it out. */
    bool rests;
    int64_t count, capacity;
    ir_node *node;
    int64_t outputs, output_capacity;
    ir_output *output;
} ir_stage;
/* The nodes, loads, outputs and stores of a stage one after the other; the first follows
 * NULL, and NULL follows the last:
 *     for (const ir_node *n = NULL; (n = ir_next_load(stage, n));) */
static inline const ir_node *ir_next_node(const ir_stage *s, const ir_node *n)
{
    const int64_t next = n ? n - s->node + 1 : 0;
    return next < s->count ? &s->node[next] : NULL;
}

static inline const ir_node *ir_next_load(const ir_stage *s, const ir_node *n)
{
    do
        n = ir_next_node(s, n);
    while (n && n->op != IR_LOAD);
    return n;
}

static inline const ir_output *ir_next_output(const ir_stage *s, const ir_output *o)
{
    const int64_t next = o ? o - s->output + 1 : 0;
    return next < s->outputs ? &s->output[next] : NULL;
}

static inline const ir_output *ir_next_store(const ir_stage *s, const ir_output *o)
{
    do
        o = ir_next_output(s, o);
    while (o && o->kind != IR_STORE);
    return o;
}

/* True if a stage reads neighbours on the level that it stores. A source may do so; then
 * its points are evaluated one by one. */
bool ir_reads_new_neighbours(const ir_stage *stage);
/* True if a node is a function. */
bool ir_has_functions(const ir_stage *stage);
/* True if the stage is evaluated once, not at points. */
bool ir_is_uniform(const ir_stage *stage);
int ir_reductions(const ir_stage *stage); /* among its outputs */

typedef enum ir_uniform_kind {
    UNIFORM_T,
    UNIFORM_STEP,
    UNIFORM_PARAM,
    UNIFORM_SCALAR,
    UNIFORM_REDUCTION,
    UNIFORM_COMPUTED,
    UNIFORM_WEIGHT /* of a source's current point */
} ir_uniform_kind;

typedef struct ir_uniform {
    ir_uniform_kind kind;
    const char *name; /* of a param, scalar or measure; else NULL */
    double value;     /* SCALAR: the initial one */
    /* SCALAR with an equation: slot of its value after the step; else 0 */
    int next;
    bool changes; /* between steps */
    bool live; /* set by reductions of a step and read only by its stages (uniforms.c) */
} ir_uniform;

/* Values along one axis that depend only on the index: coordinates, profiles, absorbing
 * layers. They are computed once, in f64, for indices -margin[0] .. extent-1+margin[1],
 * and rounded to the type of the stage that reads them. Values of a line (stage.along)
 * are computed in order at the points of its stage, in its type, and are 0 at others. */
typedef struct ir_table {
    int axis;
    int coarse;
    int margin[2];
    const symbol *field; /* the hidden field of a line operation in this table; or NULL */
    /* one IR_SET output; leaves CONST and INDEX of this axis, and of a line TABLE of this
     * axis, its own one before the point */
    ir_stage stage;
} ir_table;

/* A quantity of a stretched axis at a point: its coordinate, the width of its cell, or
 * the weight of tap `tap` of a derivative (axis_weights). */
typedef enum metric_kind { METRIC_PLACE, METRIC_WIDTH, METRIC_WEIGHT } metric_kind;
typedef struct ir_metric {
    metric_kind kind;
    int axis, coarse;
    int derivative, order, half, tap;
} ir_metric;

/* A border's stage runs over its face's slab. It reads and stores level 0, standing for
 * the level being filled. VALUE and BEYOND: u = g. NEUMANN with a value: u = u + 2*k*h*g,
 * after the ghost points were filled like for a Neumann border without a value.
 *
 * A value that reads fields is taken at the face. So each layer of points has a stage of
 * its own, with constant offsets: the layers' stages follow each other from `stage` on,
 * from the face outwards. They read other updated fields at level 1, standing for the
 * level being filled, too. */
typedef struct ir_border {
    border_kind kind;
    int stage;  /* or -1 */
    int layers; /* number of stages; 0: one for all layers */
    bool face;  /* the first of them stores the outermost points, after the step did */
} ir_border;
/* True if stages of a border store the outermost points. */
static inline bool ir_border_stores_face(const ir_border *b)
{
    return border_stores_face(b->kind) || b->face;
}
/* Number of stages of a border. */
static inline int ir_border_stages(const ir_border *b)
{
    return b->stage < 0 ? 0 : b->layers ? b->layers : 1;
}

/* A field. Observers read it after the rotation of levels, so they may read back to level
 * -(levels - 1). The buffer of that oldest level becomes level +1 in the next step, and a
 * field stored in place is stored over that level while the step still reads it. A
 * coarse field may have a mask given on the fine grid: coarse point I then uses the mask
 * at the fine point in its place. */
typedef struct ir_field {
    const char *name;     /* hidden fields (masks) are called "mask 1", ... */
    const symbol *symbol; /* NULL when hidden */
    int line;             /* line of its declaration in the description */
    pav_type storage;
    int coarse;
    bool updated;
    bool rests; /* stored by a stage at rest */
    /* buffers: at least oldest + 2 for updated fields, or oldest + 1 if they are stored
     * in place (buffers.c); 1 for others */
    int levels;
    /* a line operation: values beyond a face without a border are loaded, but not used */
    bool lined;
    bool in_place;
    int memory; /* 1 + the field with the same buffer; 0: its own buffer */
    /* of grouped code: only later stages of the storing stage's group read it */
    bool within;
    /* shared: several fields have the buffer. refills: not all have the same border, so
     * after each store the borders must be filled. */
    bool shared, refills;
    int64_t extent[MAX_DIM];
    int halo[MAX_DIM][2]; /* the farthest reads of any stage beyond each face */
    /* fixed strides in elements for a processor's kernels; 0: any strides */
    int64_t stride[MAX_DIM];
    ir_border border[MAX_DIM][2];
    const char *file; /* initial values or mask from an npy file, or NULL */
    /* mask: hidden fields; if a mask is 0 at a point, the point keeps its value */
    int masks;
    int *mask;
} ir_field;

/* Levels that a field keeps from one step to the next. */
static inline int ir_kept_levels(const ir_field *f)
{
    return f->levels - (f->updated && !f->in_place);
}

/* A list of stages to run in order. */
typedef struct ir_list {
    int64_t count, capacity;
    int *stage;
} ir_list;
bool ir_list_has(const ir_list *list, int64_t stage);

/* A group: the stages at places first .. end - 1 of a step, two or more. One launch on a
 * GPU may take them (groups.c). bytes: of a point, read and stored; 0: not counted yet */
typedef struct ir_group {
    int64_t first, end, bytes;
} ir_group;

/* The items of the start, done once before the first step, in this order. T is level*dt
 * and STEP is level, for the `level` stored by the item; 0 for items that store no
 * level. */
typedef enum ir_start_kind {
    START_STAGE,   /* run `stage`: initial values, masks, reductions, params */
    START_FILE,    /* level 0 of `field` (or the mask) from its npy file */
    START_COPY,    /* copy level 0 of `field` to its level `level` */
    START_ZERO,    /* set the points of `level` of `field` to 0 */
    START_BORDERS, /* fill the borders of `level` of `field` */
} ir_start_kind;

typedef struct ir_start {
    ir_start_kind kind;
    int stage;        /* of START_STAGE, else -1 */
    int field, level; /* stored or filled; -1 and 0 for stages without a stored field */
} ir_start;

typedef struct ir_start_list {
    int64_t count, capacity;
    ir_start *item;
} ir_start_list;

/* A measure, until, expect, source or solve: its stages and the place of its result. The
 * last stage of a source runs at each neighbour of each position; its earlier stages
 * (reductions) run once a step. The last two stages of a solve are the sides of its
 * equation. */
typedef struct ir_event {
    const statement *statement;
    const char
        *text; /* the expression as canonical text; of a solve, the text after the word */
    ir_list list;
    int result;      /* uniform slot; booleans are 0 or 1; -1 for sources and solves */
    int left, right; /* expect, until of a comparison: slots of its sides; else -1 */
    int field;       /* solve: the unknown; source: the target, at level +1 ... */
    int weight;      /* ... u' = fma(weight, value, u'), one point at a time */
} ir_event;

typedef struct ir_event_list {
    int64_t count, capacity;
    ir_event *item;
} ir_event_list;

/* The parts of a run
 *
 *     start: the items of `start` in order; they fill every level of every field and
 *            set the params that hold reductions.
 *     step:  set T and STEP. Run each stage in `step`, the equations of scalars among
 *            them; after a stage that stores, fill
 *            the borders of the stored levels (border stages see t of the new level).
 *            Then add the sources in order, skipping points fixed by a border value or
 *            a mask, and fill the borders of their fields again. Then levels rotate:
 *            +1 becomes 0, 0 becomes -1, ...
 *     events after a step: measures, until; at the end: expects. They read levels 0,
 *            -1, ..., with T and STEP of the steps done.
 *
 * Equations to solve are not included: nothing runs the stages of `solves` yet.
 *
 * Filling the borders of a level of a field: axis by axis, x first, and side - before
 * side +; over the points of the slab. Along the axis the slab has the ghost points, and
 * the face for values that hold there. Along lower axes it has all points including the
 * halo, along higher axes the points without halo. Stages leave out the faces given by
 * borders (has_face). So before a ghost point copies such a face, on whichever side, the
 * face must have been filled. */
typedef struct ir_shapes ir_shapes;
typedef struct ir_known ir_known;
typedef struct ir {
    arena *arena;
    const program *program;
    int dim;
    int64_t stages, stage_capacity;
    ir_stage *stage;
    int64_t knowns; /* number of stages in `known`; 0 during passes */
    ir_known *known;
    int64_t fields;
    ir_field *field;
    int64_t carried; /* number of hidden fields of ir_split_stages, the last ones */
    int64_t tables, table_capacity;
    ir_table *table;
    ir_shapes *shapes; /* while passes find tables (pass_invariant.c) */
    int64_t metrics, metric_capacity;
    ir_metric *metric;
    int64_t uniforms, uniform_capacity;
    ir_uniform *uniform;
    int uniform_t, uniform_step;
    int dt; /* uniform slot or -1 */
    /* if dt is a scalar: slot of the sum of the steps' lengths; else 0 */
    int time;
    int stop; /* slot of the next time at which a step ends exactly; 0: none, or `end` */
    num dt_value; /* when dt is constant (or 1 when there is none) */
    ir_start_list start;
    /* first: reductions over values before a step that the steps themselves take at their
     * ends (uniforms.c); after other writes to fields they run before the next step */
    ir_list first, step;
    /* grouped: stages of so many grids, from the finest on, may form groups. No group
     * stores a buffer that it reads. finest: the grid of the code is this one of the
     * program. group_of: the code is the view of a group, and the fields from this one on
     * are its inputs; else 0 */
    int grouped, finest;
    int64_t group_of;
    int64_t groups;
    ir_group *group;
    ir_event_list injections, measures, untils, expects, solves;
} ir;

/* ---- building ---------------------------------------------------------------------- */

/* The cost of a stage for each point. Values constant over all points cost nothing. A
 * power by a constant integer counts like its expansion into multiplications. */
typedef struct ir_cost {
    int64_t nodes; /* nodes with arguments */
    int64_t flops; /* every node once: the cost of a single point */
    /* nodes equal up to a shift along the slowest axis counted once: the cost for a sweep
     * along this axis that keeps partial results */
    int64_t streamed;
    int64_t instructions; /* like streamed, but an fma counts once */
} ir_cost;

/* Called after lowering (pass "lower") and after every pass. before and after are sums
 * over the stages of `step` and `solves`. */
typedef struct ir_trace {
    void (*after)(void *user, const ir *code, const char *pass, const char *about,
                  const ir_cost *before, const ir_cost *after);
    void *user;
} ir_trace;

pav_status ir_build(const program *p, const ir_trace *trace, ir **result);
/* Turns constants of the start into uniforms, so that its kernels serve grids of all
 * sizes; or all constants. */
pav_status ir_lift_numbers(ir *code, bool all);
/* For kernels: like ir_build, with all constants as uniforms if ir_solves. */
pav_status ir_build_kernels(const program *p, ir **result);
/* ir_build_kernels with groups of stages on the finest `grids` grids. */
pav_status ir_build_grouped(const program *p, int grids, ir **result);
/* True for a program with an equation to solve, and for a program derived from one. Their
 * kernels serve grids of all sizes. */
bool ir_solves(const ir *code);
/* An `until` that only a growing t can meet: it reads t, and none reads `step`. NULL:
 * there is none. */
const ir_event *ir_waits_for_time(const ir *code);
/* The initial values one after the other, like ir_next_node. */
static inline const ir_start *ir_next_start(const ir *code, const ir_start *s)
{
    const int64_t next = s ? s - code->start.item + 1 : 0;
    return next < code->start.count ? &code->start.item[next] : NULL;
}

void ir_free(ir *code);
RELEASES(free_code, ir, ir_free)
/* all stages, with comments on their place in a run */
void ir_print(const ir *code, text *t);
void ir_stage_print(const ir *code, const ir_stage *stage, text *t);
ir_cost ir_stage_cost(const ir *code, const ir_stage *stage);

/* Sums and products (fused ones count as products) of a processor's vectors for each
 * point. Adjacent rows share equal values. */
typedef struct ir_arithmetic {
    int64_t sums, products;
} ir_arithmetic;
pav_status ir_stage_arithmetic(const ir *code, const ir_stage *stage,
                               ir_arithmetic *result);

/* Splits each stage of a step, if possible, into parts that read neighbours in one
 * direction each: across the slowest axis within planes, or along it. Values computed by
 * one part for the next go through hidden fields, and these hold nothing between steps.
 * It changes no bits. */
pav_status ir_split_stages(ir *code);
int64_t ir_lasting_fields(
    const ir *code); /* fields without the hidden ones of ir_split_stages */

enum { IR_MOST_CARRIED = 12 };
/* A stage split for a sweep through its planes: `first` computes values of each plane,
 * `last` reads them in the planes around its own. The values go through hidden fields,
 * field[0 ...], numbered after the fields of the code. */
typedef struct ir_sweep {
    /* false: the other members are unset, since there are no two parts, or they save
     * little work */
    bool pays;
    ir_stage first, last;
    int64_t fields;
    int lead; /* the farthest plane read by `last` */
    struct {
        int first; /* the first plane of this field read by `last` */
    } field[IR_MOST_CARRIED];
} ir_sweep;
pav_status ir_sweep_of(const ir *code, const ir_stage *stage, arena *a, ir_sweep *sweep);

/* ---- analysis ---------------------------------------------------------------------- */

/* Equal nodes up to a shift: nodes of one kind hold the same value at points with a
 * distance along the axis equal to the difference of their places. Not placed: the value
 * does not change along the axis. */
typedef struct ir_kind {
    int kind, place;
    bool placed;
} ir_kind;
pav_status ir_kinds(const ir_stage *stage, int axis, ir_kind *kind); /* of each node */

typedef enum ir_shape { SHAPE_POINT, SHAPE_STAR, SHAPE_BOX, SHAPE_GENERAL } ir_shape;

/* The loads of one level of one field in one stage. */
typedef struct ir_access {
    int field, level;
    ir_transfer transfer;
    unsigned kept;
    int taps;
    /* farthest offset along each axis towards - and +, both as numbers >= 0 */
    int reach[MAX_DIM][2];
    ir_shape shape;
    bool symmetric; /* every tap's mirror image through the point is a tap, too */
} ir_access;

typedef struct ir_analysis {
    int64_t accesses;
    ir_access *access;
    ir_cost cost;
    int64_t special;     /* divisions, roots and functions among the nodes */
    int64_t loads;       /* nodes */
    int64_t bytes_again; /* per point: of the fields read that no step updates */
    int64_t bytes_read;  /* per point: each level of each field read once */
    int64_t bytes_written;
    int64_t points; /* of the stage's box */
} ir_analysis;

void ir_analyse(const ir *code, const ir_stage *stage, arena *a, ir_analysis *result);
/* Points of the grid, or of a coarse one, along an axis; 1 if the grid has no such
 * axis. */
int64_t points_along(const ir *code, int axis, int coarse);
/* All points of the finest grid; one point along absent axes. */
static inline box ir_grid_box(const ir *code)
{
    return (box){.hi = {points_along(code, 0, 0), points_along(code, 1, 0),
                        points_along(code, 2, 0)}};
}
/* The most points of a field's ghosts along an axis. */
static inline int ir_halo_of(const ir_field *f, int axis)
{
    return int_most(f->halo[axis][0], f->halo[axis][1]);
}
double ir_metric_value(const ir *code, int metric, int64_t index);
/* Of each stage: true for the stages of borders. */
bool *ir_are_of_borders(const ir *code);
/* True if the value of a border of `field` reads `other`. */
bool ir_border_reads(const ir *code, int64_t field, int64_t other);
/* The transform of a stage, for a line of all its points. */
line_transform ir_transform_of(const ir *code, const ir_stage *stage);
/* The points of a stage: extents less insets. */
box ir_stage_box(const ir *code, const ir_stage *stage);
/* True if a stage of the step, or of a border, depends on the index along an axis. Then
 * on a periodic axis the planes beyond an end cannot replace the planes at the other
 * end. */
bool ir_knows_index(const ir *code, int axis);
/* True if the numbers of a stage depend on an index, apart from its inset. */
bool ir_stage_knows_index(const ir *code, const ir_stage *s, int axis);
/* The farthest neighbour of any stage along an axis, in points. */
int ir_farthest_load(const ir *code, int axis);
/* Facts about a stage, after ir_build and ir_split_stages (known.c). */
struct ir_known {
    /* the first stage that differs at most in its fields, and these are of the same
     * nature: both are in the step, or neither */
    int like;
    bool in_step, before_step, of_border;
    ir_analysis analysis; /* in_step; accesses are those of `like` */
};
/* NULL for a stage that is not in code->stage. */
const ir_known *ir_known_of(const ir *code, const ir_stage *stage);
/* False for a stage like an earlier one. */
bool ir_is_first(const ir *code, int64_t stage);
/* True for a stage of the step, and for a stage evaluated before one. */
bool ir_is_in_step(const ir *code, int64_t stage);
/* Prints the output of `pavior explain`: program, stages after each pass, costs,
 * accesses, dependences. */
pav_status ir_explain(const program *p, bool json, text *t);

/* ---- skews (blocking.c) ------------------------------------------------------------ */

/* A use of one level of one field by an operation of a step. far: the distance of the use
 * along each axis, for skews; reach: the radius of its loads on either side. Operations
 * are numbered in their order. */
typedef struct ir_use {
    int64_t operation;
    int field, level;
    int far[MAX_DIM], reach[MAX_DIM][2];
} ir_use;
/* A store of a field by an operation. next: number of another store of the field, counted
 * from 1; 0: none. */
typedef struct ir_store {
    int64_t operation, next;
} ir_store;
typedef struct ir_uses {
    int64_t operations, uses, stores;
    const ir_use *use;
    ir_store *store;
    int64_t *stored; /* of each field: its last store, like `next` */
    /* levels of each field, if their buffers rotate; NULL: they do not */
    const int *levels;
} ir_uses;

/* The result. skew: each operation of a step lags this far behind its first operation, or
 * behind its value before the call if this is larger. around: points around the result of
 * the step that the operation must compute. step: skew of a step behind the previous one.
 * reach: a step's values depend on points this far away. */
typedef struct ir_operation_skew {
    int skew[MAX_DIM], around[MAX_DIM][2];
} ir_operation_skew;
typedef struct ir_skews {
    ir_operation_skew *of; /* of each operation */
    int step[MAX_DIM], reach[MAX_DIM][2];
} ir_skews;
void ir_add_store(ir_uses *u, int64_t operation, int field); /* `store` has room */
void ir_find_skews(const ir_uses *u, ir_skews *s);

/* ---- temporal blocking (blocking.c) ------------------------------------------------ */

/* The operations of a step on points, in order: its stages, each followed by the borders
 * of its stored fields; all sources together, followed by the borders of their fields;
 * and all observers of the new levels. */
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

/* An operation may run at point p if every earlier operation has passed p + skew. Here
 * "earlier" means before it in the same step, or any operation of earlier steps; "passed"
 * means that all points up to there are done; and the skew is the difference of both
 * skews along each axis. This keeps every read after its write and every write after the
 * last read of the same buffer, with the fields' numbers of levels.
 *
 * Borders: ghosts and given faces of side - are treated like inner points, as many as the
 * field's reads beyond its faces; ghosts and faces of side + are treated like the last
 * point. Along a periodic axis, a given face of side - counts as one point farther
 * inside, because another tile sets it. */
typedef struct ir_blocking {
    /* why steps cannot be fused; NULL: they can, and skews are set */
    const char *refusal;
    int64_t operations;
    ir_operation *operation;
    int unit[MAX_DIM];      /* skews are multiples of it */
    int skew[MAX_DIM];      /* of a step behind the previous one */
    int reach[MAX_DIM][2];  /* distance to the inputs of a step's values */
    bool periodic[MAX_DIM]; /* some field stored by steps is periodic */
    arena *arena;
} ir_blocking;
/* unit: skews along an axis are multiples of it; NULL: of 1. */
pav_status ir_blocking_open(const ir *code, const int unit[MAX_DIM], ir_blocking *result);
void ir_blocking_close(ir_blocking *b);

/* ---- groups of stages (groups.c) --------------------------------------------------- */

/* The place that a field of a view has in the code of the whole. */
typedef struct ir_field_level {
    int field, level;
} ir_field_level;
/* A group as code of its own, whose step has the stages of the group. A level that the
 * group reads, but does not compute, is a field of the view at level 0. A result is at
 * level 1. */
typedef struct ir_group_view {
    ir code;
    ir_group group;
    ir_field_level *of; /* of each field of the view */
} ir_group_view;
/* The bytes of a stage's point: all of its group for the first stage, none for others. */
int64_t ir_bytes_by_groups(const ir *code, const ir_stage *s, int64_t bytes);
void ir_view_group(const ir *code, const ir_group *group, arena *a, ir_group_view *v);

/* ---- extended precision, for checking passes --------------------------------------- */

/* Evaluates the outputs of a stage at one imagined point in long double. Leaves get
 * values that are a function of the seed and of their identity (field, level and absolute
 * position; index; uniforms and tables through the stages that compute them). So a stage
 * before and after a pass can be compared. result[k] and magnitude[k] belong to output k.
 * magnitude is the same sum with every term's absolute value: the scale of rounding
 * errors. */
pav_status ir_evaluate(const ir *code, const ir_stage *stage, uint64_t seed,
                       long double *result, long double *magnitude);

#endif
