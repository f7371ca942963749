/* SPDX-License-Identifier: BSD-3-Clause */
/* interp: the reference interpreter. Evaluates the IR's stages with exactly their
 * roundings, row by row: every node is a short loop over a piece of a row that stays in
 * the first-level cache. It needs no compiler at run time, so it is also the fallback on
 * machines that have none. */
#ifndef INTERP_INTERP_H
#define INTERP_INTERP_H

#include "base/base.h"
#include "lang/lang.h"
#include "plan/plan.h"

/* What a stage works on. view[field][1 - level] is the view of that level (level +1
 * first), NULL where the stage does not touch it. table[t] addresses index 0 of table t,
 * in f64. */
typedef struct interp_args {
    const ir *code;
    const ir_stage *stage;
    const view *const *const *view;
    const double *const *table;
    double *uniform; /* slots, read and set */
    box box;         /* points to evaluate, in the stage's indices; may lie in the halo */
    /* What lies before and after the rows of the box may be overwritten by what lies
     * there in another level of the same field: it is the same, or will be filled before
     * it is read. */
    bool same_ends;
    /* NULL: reductions go to their uniforms. Else only the rows of the box are reduced,
     * and the value of row (j, k) of reduction r, all counted from 0, goes to rows[(r*nz
     * + k)*ny + j]. (Not by interp_stage_slow.) */
    double *rows;
} interp_args;

/* Runs one stage over its box; a stage of uniforms only ignores views and box. Reductions
 * are over the box, by a tree over indices that are fixed (docs/design.md, "Reductions").
 * Evaluates stage->before first when there is one. A stage may load a level that it also
 * stores, at the point itself only, and sees what was there before. Fails with
 * PAV_ENOMEM, or with PAV_EINTERNAL where the stage refers to what is not there or reads
 * beyond a view's halo; no field is changed then. */
pav_status interp_stage(const interp_args *args);
/* The same, one point and one node at a time, without blocking or vectors: what
 * interp_stage is checked against, bit for bit (but for the sign and payload of NaN,
 * which are the hardware's). */
pav_status interp_stage_slow(const interp_args *args);
/* The checks that interp_stage makes, for those who run a stage in another way. */
pav_status interp_check(const interp_args *args);
/* The tree of reductions (docs/design.md) over values[0 .. count - 1], whose indices are
 * first ...; count >= 1. Overwrites values. Elements may themselves be whole blocks of
 * the tree. */
double interp_reduce(reduction_kind kind, double *values, int64_t first, int64_t count);
/* Values of a table for indices -margin[0] .. extent-1+margin[1]; out[0] is index
 * -margin[0]. */
pav_status interp_table(const ir *code, int table, double *out);

#endif
