/* SPDX-License-Identifier: BSD-3-Clause */
/* Shared inside solve/adjoint: a description's equations while their transposes are put
 * together. */
#ifndef SOLVE_ADJOINT_ADJOINT_PRIVATE_H
#define SOLVE_ADJOINT_ADJOINT_PRIVATE_H

#include "solve/solve_private.h"

/* An updated field F with its equation. Its adjoint is the derivative of the sum over all
 * receivers with respect to F. Step s of the adjoint computes that of time N - s, or,
 * where `ahead`, of N - s + 1: what a receiver's equation reads of a field's new value in
 * the same step is then known in time. */
typedef struct adjoint_part {
    const symbol *field;
    const statement *equation;
    const expr *value; /* its right side, with lets in place */
    const char *name;  /* of the adjoint */
    int ahead;         /* 0 or 1 */
    bool received, sourced;
    /* received, and ahead: the field in which what was received waits; or NULL */
    const char *waits_in;
    expr *sum;              /* what the equations contribute, but ... */
    expr *made;             /* ... those of a matched layer's memory */
    bool like[2 * MAX_DIM]; /* the adjoint's border at a face is as the field's own */
    expr *scale;            /* the field holds the adjoint times this; NULL: itself */
    int factors;            /* whose product it is */
    struct scale_factor *factor;
} adjoint_part;

/* What `reader`'s equation contributes to the adjoint of a field that it reads:
 * `cotangent` holds the reader's adjoint, `own`, at level 0. */
typedef struct contribution {
    adjoint_part *reader, *part;
    const symbol *own;
    int level; /* at which the field is read */
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
    const symbol *own; /* the adjoint whose equation is transposed */
    text injections;   /* into gradients */
    bool folds_made;   /* the memory of a matched layer, too, at a face that has one */
    int64_t contributions, room;
    contribution *contribution;
} adjoint_deriver;

/* ---- transpose.c ------------------------------------------------------------------- */
/* What is differentiated with respect to: fields that are asked for; `take` is handed the
 * cotangent of each place where one is read. */
typedef struct transposition {
    adjoint_deriver *a;
    bool linear; /* products of two such fields, and functions of them, are refused */
    bool (*is_target)(const struct transposition *t, const symbol *field);
    void (*take)(struct transposition *t, const expr *leaf, expr *cotangent);
    void *user;
} transposition;
void transpose(transposition *t, const expr *e, expr *c);
bool expr_reads(const expr *e, const symbol *field); /* in adjoint_borders.c */
bool transpose_reads(const transposition *t, const expr *e);

/* ---- adjoint_times.c --------------------------------------------------------------- */
/* A copy in which `own` (the symbol, or NULL) is read at `level`, and time goes back: t
 * becomes that of step `ahead` + N - s. */
expr *time_turned(adjoint_deriver *a, const expr *e, const symbol *own, int level,
                  int ahead);
/* What a sponge multiplies the new value of a field by; NULL: nothing. */
expr *sponge_factor(adjoint_deriver *a, const symbol *field);

/* ---- scale.c ----------------------------------------------------------------------- */
/* Chooses what adjoints are multiplied by, once all contributions are known. */
void scales_choose(adjoint_deriver *a);
/* An expression of a part's adjoint, as one of what the part's field holds. */
expr *scale_removed(adjoint_deriver *a, const adjoint_part *part, const symbol *own,
                    const expr *e);
/* Whether the symbol is read by a difference or at a neighbour. */
bool scale_is_apart(const expr *e, const symbol *own);

/* ---- adjoint_borders.c ------------------------------------------------------------- */
void borders_choose(adjoint_deriver *a);
/* The equation's right side as text: what lies beyond faces is folded back to where it is
 * copied from. */
const char *borders_fold(adjoint_deriver *a, adjoint_part *part);
void borders_write(adjoint_deriver *a);
/* Whether some border's copies are added to the points that they are copied from. */
bool borders_any_fold(const adjoint_deriver *a);

/* ---- adjoint_receivers.c ----------------------------------------------------------- */
void receivers_find(adjoint_deriver *a);
void receivers_hold(adjoint_deriver *a);
void receivers_add_kept(adjoint_deriver *a, const adjoint_part *part);
void receivers_empty_kept(adjoint_deriver *a);
void receivers_write(adjoint_deriver *a, text *t);
/* A source as a receiver of the adjoint; with a trace: forwards, with that trace. */
void sources_write(adjoint_deriver *a, const statement *s, const char *trace, text *t);

/* ---- sensitivity.c: gradients and images ------------------------------------------- */
void sensitivity_write(adjoint_deriver *a);

/* ---- contributions.c --------------------------------------------------------------- */
void contributions_take(adjoint_deriver *a); /* of all equations */
void contributions_add(adjoint_deriver *a, adjoint_part *part);

/* ---- adjoint_write.c --------------------------------------------------------------- */
void adjoint_write_back(adjoint_deriver *a, text *t);
/* Nothing is written or measured but what the receivers record. */
void adjoint_write_forward(adjoint_deriver *a, text *t);

/* ---- adjoint_parse.c --------------------------------------------------------------- */
pav_status adjoint_parse(const adjoint_deriver *a, adjoint *r);

/* ---- adjoint.c --------------------------------------------------------------------- */
const char *adjoint_unique(adjoint_deriver *a, const char *stem, const char *ending);
const char *adjoint_file(adjoint_deriver *a, const char *stem, int number); /* 0: none */
const char *adjoint_first_named(const adjoint_deriver *a);
adjoint_part *adjoint_part_of(const adjoint_deriver *a, const symbol *field);

#endif
