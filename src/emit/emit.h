/* SPDX-License-Identifier: BSD-3-Clause */
/* emit: stages of the IR as C text. A kernel evaluates one stage over a box with exactly the nodes'
 * roundings, so what it gives equals the interpreter's bits; compilers must neither contract nor
 * reassociate, and transcendental functions stay calls of the host's library.
 *
 * A reduction is folded by the kernel along x within pieces of EMIT_PIECE points whose indices start
 * at multiples of it: a block of the fixed tree. Whoever calls folds the pieces, rows and planes. */
#ifndef EMIT_EMIT_H
#define EMIT_EMIT_H

#include "base/base.h"
#include "lang/lang.h"
#include "plan/plan.h"

enum { EMIT_PIECE = 512, EMIT_NAME = 64 };

/* One level of one field that a stage touches; views are handed to its kernel in this order. */
typedef struct emit_slot {
    int field, level;
    bool loaded, stored;
} emit_slot;

/* The generated code declares the same as `grid` and `work`. */
typedef struct emit_grid {
    void *data;   /* point (0, 0, 0) */
    int64_t y, z; /* strides in elements */
} emit_grid;

/* A box, which one call goes over on one thread. block: rows along y that are taken together through all
 * z. ahead: bytes by which memory is asked for before it is needed. streams: results go past the caches
 * where the kernel can. None of them changes a bit. fold: element r*folds[2] + k*folds[1] + j*folds[0] + p
 * is of reduction r, row (j, k) of the box and piece p of that row; pieces are those that the row
 * [lo[0], hi[0]) touches. Boxes that part a larger one share its reductions: they begin along x where
 * a piece does. */
typedef struct emit_work {
    int64_t lo[MAX_DIM], hi[MAX_DIM];
    const emit_grid *grid;
    const double *const *table; /* from index 0 */
    const double *uniform;
    double *fold;
    int64_t folds[MAX_DIM];
    int64_t block, ahead;
    int streams;
} emit_work;
typedef void emit_kernel(const emit_work *work);

/* Whether a stage has a kernel. Those without are left to the interpreter: stages of uniforms only,
 * with random numbers, or so long that compilers would take minutes. */
bool emit_has_kernel(const ir_stage *stage);
/* The slots of a stage: those loaded in order of their first load, then those only stored. At most
 * stage->count + stage->outputs of them. */
int64_t emit_slots(const ir_stage *stage, emit_slot *slot);

/* Appends one source with the kernels of all stages that have one, of all these programs; that of
 * stage s of program n is named emit_kernel_name(.., n, s). `head` is a comment, its first lines. */
pav_status emit_source(const ir *const *code, int64_t count, const char *head, text *t);
void emit_kernel_name(char name[EMIT_NAME], int64_t which, int64_t stage);

#endif
