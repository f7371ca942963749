/* SPDX-License-Identifier: BSD-3-Clause */
/* interp: the reference interpreter. It evaluates the IR's stages with exactly their
 * roundings, row by row. Every node is a short loop over a piece of a row, and the piece
 * stays in the L1 cache. The interpreter needs no compiler at run time, so machines
 * without a compiler use it, too. */
#ifndef INTERP_INTERP_H
#define INTERP_INTERP_H

#include "base/base.h"
#include "lang/lang.h"
#include "plan/plan.h"

/* The memory of a stage. view[field][1 - level] is the view of a level (level +1 first),
 * or NULL if the stage does not use it. table[t] is the address of index 0 of table t, in
 * f64. */
typedef struct interp_args {
    const ir *code;
    const ir_stage *stage;
    const view *const *const *view;
    const double *const *table;
    double *uniform; /* slots, read and set */
    box box;         /* points to evaluate, in the stage's indices; may lie in the halo */
    /* True if kernels may overwrite memory before and after the rows of the box with
     * values of another level of the same field. It is true if both levels have equal
     * values there, or if the border is filled before the next read. */
    bool same_ends;
    /* NULL: reductions go to their uniforms. Otherwise only the rows of the box are
     * reduced. The value of row (j, k) of reduction r, all counted from 0, goes to
     * rows[(r*nz + k)*ny + j]. (Not by interp_stage_slow.) */
    double *rows;
} interp_args;

/* Runs one stage over its box; a stage of uniforms ignores views and box. Reductions over
 * the box follow a tree with fixed indices (docs/design.md, "Reductions"). Evaluates
 * stage->before first if it exists. A stage may load a level and also store it, at the
 * point itself only; the load gives the old value. Fails with PAV_ENOMEM, or with
 * PAV_EINTERNAL if the stage refers to missing objects or reads beyond a view's halo. No
 * field is changed in that case. */
pav_status interp_stage(const interp_args *args);
/* The same, one point and one node at a time, without blocking or vectors. interp_stage
 * must be bitwise identical to it, except for the sign and payload of NaN, which depend
 * on the hardware. */
pav_status interp_stage_slow(const interp_args *args);
/* True if the points of the box have an order along an axis, see ir_stage. Then
 * interp_in_order calls `run` for one plane across this axis after the other. */
bool interp_is_ordered(const interp_args *args);
typedef pav_status plane_runner(void *user, const interp_args *plane);
pav_status interp_in_order(const interp_args *args, plane_runner *run, void *user);
/* One operation on numbers, in f64. */
double interp_apply(ir_op op, double a, double b, double c);
/* Refuses a stage that refers to missing objects or reads beyond a view: the checks of
 * interp_stage, for other executors of a stage. of_table: the stage computes a table, so
 * its output needs no uniform. */
pav_status stage_check(const interp_args *args, bool of_table);
/* The tree of reductions (docs/design.md) over values[0 .. count - 1] with indices from
 * `first` on; count >= 1. Overwrites values. An element may be a whole block of the
 * tree. */
double interp_reduce(reduction_kind kind, double *values, int64_t first, int64_t count);
/* Values of a table for indices -margin[0] .. extent-1+margin[1]; out[0] is index
 * -margin[0]. The table of a line reads the values of earlier tables and its own, from
 * index 0, and leaves `out` unchanged beyond its points: it begins with 0. */
pav_status interp_table(const ir *code, int table, const double *const *values,
                        double *out);

#endif
