/* SPDX-License-Identifier: BSD-3-Clause */
/* Shared inside solve/adjoint: the equations of a description during their
 * transposition. */
#ifndef SOLVE_ADJOINT_ADJOINT_PRIVATE_H
#define SOLVE_ADJOINT_ADJOINT_PRIVATE_H

#include "solve/solve_private.h"

/* An updated field F with its equation. The adjoint of F is the derivative of the sum
 * over all receivers with respect to F. Step s of the adjoint description computes the
 * adjoint of time N - s. If `ahead` is 1, it computes the adjoint of time N - s + 1. A
 * receiver's equation may read a new value of the same step; its adjoint must then be
 * known one step earlier. */
typedef struct adjoint_part {
    const symbol *field;
    const statement *equation;
    const expr *value; /* right side of the equation, with lets inlined */
    const char *name;  /* name of the adjoint */
    int ahead;         /* 0 or 1 */
    bool received, sourced;
    /* field that stores the received values until the next step, if received and ahead;
     * or NULL */
    const char *waits_in;
    expr *sum;              /* contributions of the equations, without the ... */
    expr *made;             /* ... equations of a matched layer's memory */
    bool like[2 * MAX_DIM]; /* the adjoint's border at a face equals the field's */
    expr *scale;            /* factor of the adjoint in its field; NULL: 1 */
    int factors;            /* factors of `scale` */
    struct scale_factor *factor;
} adjoint_part;

/* Contribution of the equation of `reader` to the adjoint of a field in it. `cotangent`
 * contains the reader's adjoint, `own`, at level 0. */
typedef struct contribution {
    adjoint_part *reader, *part;
    const symbol *own;
    int level; /* level of the field in the equation */
    expr *cotangent;
} contribution;

typedef struct adjoint_deriver {
    deriver d; /* for trees and messages */
    const program *p;
    const adjoint_wish *wish;
    int64_t parts;
    adjoint_part *part; /* in the order of the equations */
    adjoint *result;
    int64_t history_room, channel_room;
    const symbol *own; /* adjoint of the equation being transposed */
    text injections;   /* text of the sources in gradients */
    /* some face with a matched layer folds, so the layer's memory folds, too */
    bool folds_made;
    int64_t contributions, room;
    contribution *contribution;
} adjoint_deriver;

/* ---- transpose.c ------------------------------------------------------------------- */
/* Callbacks of a derivative. is_target selects the fields of the derivative; `take` gets
 * the cotangent of each place in the expression that reads one of them. */
typedef struct transposition {
    adjoint_deriver *a;
    bool linear; /* products of two such fields, and functions of them, are refused */
    bool (*is_target)(const struct transposition *t, const symbol *field);
    void (*take)(struct transposition *t, const expr *leaf, expr *cotangent);
    void *user;
} transposition;
typedef void transpose_rule(transposition *t, const expr *e, expr *c);
transpose_rule transpose;
/* Transposes the equation of a part. Its cotangent is the part's adjoint. */
void transpose_equation(transposition *t, const adjoint_part *part);

bool transpose_reads(const transposition *t, const expr *e);
void contributions_take(adjoint_deriver *a); /* of all equations */
/* Copies e with `own` (a symbol, or NULL) at `level` and with reversed time: t becomes
 * the time of step `ahead` + N - s. */
expr *time_turned(adjoint_deriver *a, const expr *e, const symbol *own, int level,
                  int ahead);
/* The value of a level of a field, damped by the sponge once per older level. */
expr *damped(adjoint_deriver *a, const symbol *field, int level, expr *value);

/* ---- scale.c ----------------------------------------------------------------------- */
/* Chooses the scale of each adjoint, once all contributions are known. */
void scales_choose(adjoint_deriver *a);
/* The part's field may hold the adjoint times a scale (scale.c). Rewrites an expression
 * in the adjoint: each read of the symbol `own` is divided by the scale. */
expr *scale_removed(adjoint_deriver *a, const adjoint_part *part, const symbol *own,
                    const expr *e);
/* True if a difference or a neighbour offset reads the symbol. */
bool scale_is_apart(const expr *e, const symbol *own);

/* ---- borders.c --------------------------------------------------------------------- */
void borders_choose(adjoint_deriver *a);
/* The right side of the equation in text form. Contributions beyond faces are folded back
 * to the points copied by the border. */
const char *borders_fold(adjoint_deriver *a, adjoint_part *part);
void borders_write(adjoint_deriver *a);
/* True if some border folds its copies back. */
bool borders_any_fold(const adjoint_deriver *a);

/* ---- sensitivity.c: gradients and images ------------------------------------------- */
void sensitivity_write(adjoint_deriver *a);

/* ---- adjoint.c --------------------------------------------------------------------- */
const char *adjoint_unique(adjoint_deriver *a, const char *stem, const char *ending);
const char *adjoint_file(adjoint_deriver *a, const char *stem, int number); /* 0: none */
adjoint_part *adjoint_part_of(const adjoint_deriver *a, const symbol *field);

#endif
