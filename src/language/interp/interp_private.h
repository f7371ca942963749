/* SPDX-License-Identifier: BSD-3-Clause */
/* Shared inside interp only: loops over rows, the tree of reductions, checks, and stages
 * prepared for evaluation by rows. */
#ifndef INTERP_INTERP_PRIVATE_H
#define INTERP_INTERP_PRIVATE_H

#include "interp/interp.h"

/* ---- hints to compilers about loops over rows -------------------------------------- */

/* Iterations are independent: an output is an operand at the same point, or no
 * operand. */
#ifdef __clang__
#define INDEPENDENT _Pragma("clang loop vectorize(assume_safety)")
#pragma clang diagnostic ignored "-Wpass-failed" /* calls of sin stay calls */
#else
#define INDEPENDENT _Pragma("GCC ivdep")
#endif

/* ---- loops over pieces of rows (rows.c) -------------------------------------------- */

enum {
    LANE = 64, /* elements per step of a loop */
};

/* An operand of a loop. `step` is LANE, or 0 for a constant along the row. In the second
 * case `at` holds one LANE of copies of the constant. */
typedef struct operand {
    void *at;
    int64_t step; /* step in elements after each LANE */
} operand;

/* out[i] = op(in[0][i], in[1][i], in[2][i]) for i in [0, count), in the type `real`.
 * Booleans are the numbers 0 and 1. ROUND copies. out may be one of the operands. Absent
 * operands must be readable. */
typedef void row_op(pav_type real, ir_op op, int64_t count, void *out,
                    const operand in[3]);
/* The same loops, compiled for different machines. All are bitwise identical, except for
 * NaN's payload. */
typedef enum row_level { ROW_PLAIN, ROW_AVX2, ROW_LEVELS } row_level;
row_level row_level_best(void); /* of this machine */
row_op *row_op_find(row_level level);

/* Transforms the lines of the box in place (transform.c). */
pav_status interp_transform(const interp_args *args);

/* ---- reductions (row_sweep.c) ------------------------------------------------------ */

/* The fixed tree along one axis: index i is combined with i^1, then each pair with its
 * neighbour pair, and so on. A block without a partner goes up unchanged. So the result
 * depends only on the set of indices, and not on the partition among rows, threads or
 * devices. */
double tree_combine(reduction_kind kind, double left, double right);
double tree_empty(reduction_kind kind);

enum { TREE_LEVELS = 64 };

/* The same for values added one by one, with consecutive indices. */
typedef struct tree {
    reduction_kind kind;
    int depth;
    struct tree_block {
        int level; /* stands for 2^level indices */
        double value;
    } block[TREE_LEVELS];
} tree;
void tree_start(tree *t, reduction_kind kind);
void tree_add(tree *t, int64_t index, double value);
double tree_value(const tree *t);

/* ---- leaves (interp.c) ------------------------------------------------------------- */

/* A stage of uniforms and a table are evaluated in f64, others in their own type. */
pav_type stage_real(const ir_stage *stage);
/* The value of a CONST in the type `real`. */
double const_value(pav_type real, num value);
/* The view of a field's level; NULL when there is none. */
const view *view_of(const interp_args *args, int field, int level);

/* Evaluates stage->before, when there is one, by `run`. */
pav_status stage_run_before(const interp_args *args,
                            pav_status (*run)(const interp_args *args));
/* Gives a stage of uniforms its single point. For an empty box, sets reductions to their
 * values over no points and returns false. */
bool stage_start(interp_args *args);

/* ---- stages by rows (row_program.c, row_sweep.c) ----------------------------------- */

/* Consecutive elements of a field, a table or an array, read or written along rows. */
typedef struct row_span {
    int node;      /* the node of the values */
    bool in_place; /* the node's value is used or computed in this memory */
    pav_type type;
    size_t size;
    ir_transfer transfer;
    unsigned kept; /* axes without a transfer (SAME) */
    int offset[MAX_DIM];
    int64_t stride[MAX_DIM]; /* in elements; 1 along the row */
    char *data;              /* element (0, 0, 0) */
    int64_t row;             /* element of index 0 of the present row; may lie outside */
} row_span;

typedef struct row_value {
    operand place; /* memory of the value, for the present piece */
    int kind, last_use, buffer, span;
} row_value;

typedef struct row_step {
    ir_op op;
    int node, arg[3]; /* absent arguments repeat the first */
    pav_type type;    /* ROUND */
} row_step;

/* A prepared stage. Constants of the stage are stored once at the start. `fixed` nodes
 * are computed once per row, `step`s once per piece. It owns all memory of the
 * evaluation, so several may run at the same time. */
typedef struct row_program {
    const interp_args *args;
    const ir_stage *stage;
    pav_type real;
    size_t size; /* of real */
    row_op *op;
    int axis;         /* INDEX of this axis counts along rows; 0 but for tables */
    int64_t piece;    /* rows are cut at multiples of this power of two ... */
    int64_t capacity; /* ... into at most so many points */
    row_value *value; /* of each node */
    row_span *span;   /* of the loads, then one for each output */
    int64_t spans, loads;
    row_step *step;
    int *fixed;
    int64_t steps, fixeds, lines, buffers;
    char *memory;
    char *scratch;   /* 2*capacity + 2 numbers */
    double *numbers; /* capacity of them */
    /* The trees of each reduced output, one an axis. The tree of x joins the results of
     * pieces, so its indices are the numbers of pieces. */
    tree (*trees)[MAX_DIM];
} row_program;

/* Storage of a node's value. */
enum {
    ROW_UNUSED,
    ROW_LINE,   /* constant in the stage */
    ROW_FIXED,  /* constant in a row */
    ROW_LOADED, /* read from the field's own memory */
    ROW_STEP,   /* computed into a buffer */
    ROW_DIRECT, /* computed directly in the output's memory */
};

/* values: memory for a table, index 0 first; else NULL. */
pav_status row_program_open(row_program *p, const interp_args *args, int axis,
                            double *values);
void row_program_close(row_program *p);
/* Evaluates all points of the box and sets the uniforms of reductions. */
void row_program_run(row_program *p);

/* A RANDOM node; `at` is the point it names. */
static inline double ir_random(const ir_node *n, double seed, const int64_t at[MAX_DIM])
{
    const uint64_t bits = double_bits(seed);

    return n->level ? philox_at(bits, at[0], at[1], at[2], n->type == PAV_F32 ? 24 : 53)
                    : random_at(bits, at[0], at[1], at[2]);
}

#endif
