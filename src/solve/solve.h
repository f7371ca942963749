/* SPDX-License-Identifier: BSD-3-Clause */
/* solve: source to source. A description with an equation to solve becomes one whose step is an
 * iteration (of multigrid: a cycle) of the method, in the same language: smoothers, residuals and
 * transfers are its equations, and `until` asks for the norm of the residual. So every device,
 * schedule, output and checkpoint of a run is a solver's, too. */
#ifndef SOLVE_SOLVE_H
#define SOLVE_SOLVE_H

#include "lang/lang.h"

enum { MOST_HANDED = 34 };

/* What a solver within a step is given: `level` of a field of the step becomes its own. */
typedef struct solution_hand {
    const char *from, *to;
    int level;
} solution_hand;

/* What was derived, and what a run watches. Texts live as long as it. */
typedef struct solution {
    program *program;   /* NULL: nothing is to be solved */
    char *source;       /* its text, with a comment; freed by pav_text_free */
    const char *field;  /* the unknown */
    const char *method; /* "multigrid" */
    const char *about;  /* one line: what a step does */
    const char *start;  /* param: the norm of the first residual */
    const char *
        gap; /* param: what of the right side is in the null space, of its size; NULL: no null space */
    double tolerance;
    int line;         /* of `solve` in the description */
    bool needs_spd;   /* the method is for positive operators */
    int64_t patience; /* looks without a lower residual before it is given up */
    /* Of an equation for u': what it is given, which field of the step is to have its solution, ... */
    int handed;
    solution_hand hand[MOST_HANDED];
    const char *solved;
    /* ... and of the description whose step holds such equations: `program` is that of the step. */
    struct solution *each;
    int64_t count;
} solution;

/* PAV_EUNSUPPORTED, PAV_EINVAL: it cannot be solved so, and why. */
pav_status solve_derive(const program *p, solution *result);
void solution_free(solution *s);

#endif
