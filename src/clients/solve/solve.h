/* SPDX-License-Identifier: BSD-3-Clause */
/* Solve: source-to-source translation of equations to solve. A description with a `solve`
 * statement becomes a description in the same language. Its time step is one iteration
 * (of multigrid: one cycle) of the method. Smoothers, residuals and transfers are its
 * equations, and `until` asks for the norm of the residual. A solver therefore runs on
 * every device and schedule, with the same output and checkpoints. */
#ifndef SOLVE_SOLVE_H
#define SOLVE_SOLVE_H

#include "lang/lang.h"

enum { MOST_HANDED = 34 };

/* An input of a solver within a step: `level` of the step's field `from` is copied to the
 * solver's field `to`. */
typedef struct solution_hand {
    const char *from, *to;
    int level;
} solution_hand;

/* The derived program and the names that a run watches. The strings live until
 * solution_free. */
typedef struct solution {
    program *program;  /* NULL: nothing is to be solved */
    char *source;      /* text of the program, with a comment; freed by pav_text_free */
    const char *field; /* name of the unknown, or "a, b" */
    const char *unknown[MAX_UNKNOWNS];
    int unknowns;
    const char *method; /* name of the method, such as "multigrid" */
    const char *about;  /* one line: what a step does */
    const char *start;  /* name of the param with the norm of the first residual */
    /* Name of the param with the null-space part of the right side, relative to its size.
     * NULL: the operator has no null space. */
    const char *gap[MAX_UNKNOWNS];
    /* the constant of the null space, if it needs other unknowns; or "" */
    const char *together[MAX_UNKNOWNS];
    double share; /* share of the weights' sum in their size, if it counts as 0; else 0 */
    double tolerance;
    int line;         /* line of `solve` in the description */
    bool needs_spd;   /* the method is for symmetric positive operators */
    bool symmetric;   /* the weights are the same in both directions */
    bool is_wide;     /* a difference of differences reads every second point */
    bool steady;      /* a residual that stands still will not fall again */
    int64_t patience; /* residual checks without progress before the run gives up */
    int64_t expected; /* estimated number of steps; 0: unknown */
    int64_t jump;     /* `at once`: a step of `program` is so many steps; else 0 */
    double growth;    /* `at once`: the factor of a step with the largest size */
    /* `at once`: this equation without sources on a small grid, from random values; its
     * statement `steps` is missing */
    const char *small;
    bool direct; /* `auto` chose transforms, of some equation */
    /* `source` with fields for the weights of the `related` unknowns at each point
     * itself, row by row; or NULL */
    const char *weights;
    const char *weight; /* the first of these fields; the others follow */
    int related;
    /* For an equation for u' only: the inputs of the solver, and the fields of the step
     * that receive the solution. */
    int handed;
    solution_hand hand[MOST_HANDED];
    const char *solved[MAX_UNKNOWNS];
    /* For a description whose step holds such equations only: the solver of each
     * equation. `program` is then the program of the step. */
    struct solution *each;
    int64_t count;
} solution;

/* PAV_EUNSUPPORTED or PAV_EINVAL: the equation cannot be solved; the message says why. */
pav_status solve_derive(const program *p, solution *result);
/* Another method for an equation by `auto` that stands alone, in case the residual
 * stalls. way: 0 is the method without transforms. No program: there is no such
 * method. */
pav_status solve_derive_way(const program *p, int way, solution *result);
void solution_free(solution *s);
/* True if relaxations divide by 0 at a point with these weights of n unknowns, row by
 * row. *why gets the weights and the ways out, behind a '['. */
bool weights_fail(const double *weight, int n, const char *names, text *why);

/* ---- adjoints (adjoint/) ----------------------------------------------------------- */

/* Derives the adjoint of a description whose equations are linear in the updated fields.
 * The adjoint takes the transposed steps backwards: receivers become sources, sources
 * become receivers, and its step s stands for time N - s of N steps. The wish lists the
 * additional results. */
typedef struct adjoint_wish {
    int64_t steps; /* N; 0: the number in the description */
    /* Folder of the traces. data.npy, data-1.npy, ... are the traces of the receivers:
     * row s belongs to time N - s. source-1.npy, ... are the traces of the sources,
     * reversed in time. NULL: file names without a folder. */
    const char *folder;
    const statement *const *receivers; /* samples, NULL-terminated; NULL: all */
    /* coefficients of the wanted gradients, NULL-terminated; or NULL */
    const char *const *coefficients;
    bool image; /* image of the first received field */
    /* n > 1: the scalar adjoint.weight multiplies each step's share of gradients and
     * image */
    int64_t every;
    /* The field of an adjoint may hold the adjoint times a factor of the differences in
     * its equation (adjoint/scale.c). A backward step then costs no more than a forward
     * step. */
    bool scaled;
    /* for a test: each forward source becomes a trace source-1.npy, ... in `folder`,
     * times 1 */
    bool test;
} adjoint_wish;

/* In step s, the field `name` must hold the forward field at time N - s + level. */
typedef struct adjoint_history {
    const symbol *field; /* of the program `forward` */
    int level;
    const char *name;
} adjoint_history;

/* One expression of a sample: its receivers get a trace of their own. */
typedef struct adjoint_channel {
    const statement *line; /* of the description */
    int column;
} adjoint_channel;

typedef struct adjoint {
    program *program;
    char *source;     /* text of the program */
    program *forward; /* the forward run, with the receivers only */
    arena *names;     /* memory of all lists and names below */
    int64_t steps;    /* N; the program takes N + 1 steps */
    int64_t channels;
    adjoint_channel *channel;
    int64_t histories;
    adjoint_history *history;
    const char **gradient;            /* field with the gradient of each coefficient */
    const char *image, *illumination; /* fields; or NULL */
    const char *weight;               /* the scalar of adjoint_wish.every; or NULL */
    const char **divisor; /* coefficients that must not be 0 anywhere, NULL-terminated */
} adjoint;
pav_status adjoint_derive(const program *p, const adjoint_wish *wish, adjoint *result);
void adjoint_free(adjoint *a);
/* True if the description itself reverses its steps once its two newest levels are
 * exchanged; absorbing layers are ignored. Otherwise *why gets the reason
 * (adjoint/reversible.c). */
pav_status steps_reversible(const program *p, text *why);

/* ---- waves (waves/wave_system.c) --------------------------------------------------- */

/* Stability limit and resolution of a description with the single equation u' = 2*u -
 * prev(u) + ..., for the given dt and bounds of its coefficients (indexed by field). */
enum { WAVE_COEFFICIENTS = 6 };
typedef struct wave_limit {
    const statement *equation; /* NULL: the description has another form */
    double growth;             /* the longest stable step is dt/sqrt(growth) */
    double speed;              /* cells per step of the slowest wave */
    double frequency; /* highest frequency of the injected Ricker wavelets; 0: none */
    int coefficients; /* number of coefficient fields */
    const symbol *coefficient[WAVE_COEFFICIENTS];
    bool never;    /* waves grow at any dt, though the equation's own do not */
    bool shares;   /* no dt: 1/sqrt(growth) of the change of a step is stable */
    int equations; /* of a system only; its speed is known only for first order in time */
    /* of a system: the coefficients with the smallest stable step */
    double worst[WAVE_COEFFICIENTS];
} wave_limit;
pav_status wave_limit_find(const program *p, double dt, const double *least,
                           const double *most, wave_limit *result);
/* The same for linear equations. `values` holds WAVE_COEFFICIENTS coefficients for each
 * of `count` points. count = 0: only find the equations and their coefficients. A growth
 * of 0 means: no step up to 16 times this one is too long, or it is unknown. */
pav_status wave_system_find(const program *p, double dt, const double *values,
                            int64_t count, wave_limit *result);
/* The highest known frequency of the Ricker wavelets in an expression; 0: none. */
double wave_ricker(const program *p, const expr *value);

#endif
