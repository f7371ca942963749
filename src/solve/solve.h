/* SPDX-License-Identifier: BSD-3-Clause */
/* solve: source to source. A description with an equation to solve becomes one whose step
 * is an iteration (of multigrid: a cycle) of the method, in the same language: smoothers,
 * residuals and transfers are its equations, and `until` asks for the norm of the
 * residual. So every device, schedule, output and checkpoint of a run is a solver's,
 * too. */
#ifndef SOLVE_SOLVE_H
#define SOLVE_SOLVE_H

#include "lang/lang.h"

enum { MOST_HANDED = 34 };

/* What a solver within a step is given: `level` of a field of the step becomes its
 * own. */
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
    /* param: what of the right side is in the null space, of its size; NULL: no null
     * space */
    const char *gap;
    double tolerance;
    int line;         /* of `solve` in the description */
    bool needs_spd;   /* the method is for positive operators */
    int64_t patience; /* looks without a lower residual before it is given up */
    int64_t expected; /* steps that it takes, more or less; 0: not known */
    /* Of an equation for u': what it is given, which field of the step is to have its
     * solution, ... */
    int handed;
    solution_hand hand[MOST_HANDED];
    const char *solved;
    /* ... and of the description whose step holds such equations: `program` is that of
     * the step. */
    struct solution *each;
    int64_t count;
} solution;

/* PAV_EUNSUPPORTED, PAV_EINVAL: it cannot be solved so, and why. */
pav_status solve_derive(const program *p, solution *result);
void solution_free(solution *s);

/* ---- adjoints (adjoint/) ----------------------------------------------------------- */

/* From a description whose equations are linear in the fields that they update to the one
 * that takes its steps backwards and transposed: its receivers become sources, its
 * sources receivers, and step s of it stands for the time N - s of N steps. What it does
 * besides: */
typedef struct adjoint_wish {
    int64_t steps; /* N; 0: as the description says */
    /* of traces of the receivers, data.npy, data-1.npy, ...: row s of time N - s, and of
     * the sources, turned around in time, source-1.npy, ...; NULL: here */
    const char *folder;
    const statement *const *receivers; /* samples, NULL-terminated; NULL: all */
    const char *const
        *coefficients; /* whose gradients are taken, NULL-terminated; or NULL */
    bool image;        /* of the first field that is received */
    int64_t every;     /* n > 1: the past counts where a scalar says how many times */
    /* fields of adjoints may hold them times what equations multiply differences by, so
     * that the steps back cost as much as those forwards */
    bool scaled;
    /* forwards, every source is a trace source-1.npy, ... in `folder`, times 1 */
    bool test;
} adjoint_wish;

/* The forward field that `name` is to hold in step s, that of time N - s + level. */
typedef struct adjoint_history {
    const symbol *field;
    int level;
    const char *name;
} adjoint_history;

/* Receivers that are handed traces of their own: those of one expression of a sample. */
typedef struct adjoint_channel {
    const statement *line; /* of the description */
    int column;
} adjoint_channel;

typedef struct adjoint {
    program *program;
    char *source;  /* its text */
    char *forward; /* text of the steps forwards, with the receivers alone */
    int64_t steps; /* N; the program takes N + 1 */
    int64_t channels;
    adjoint_channel *channel;
    int64_t histories;
    adjoint_history *history;
    const char **gradient;            /* of each coefficient: the field that holds it */
    const char *image, *illumination; /* fields; or NULL */
    const char *weight;               /* that scalar; or NULL */
    const char **divisor; /* coefficients that must be 0 nowhere, NULL-terminated */
} adjoint;
pav_status adjoint_derive(const program *p, const adjoint_wish *wish, adjoint *result);
void adjoint_free(adjoint *a);
/* reversible.c. Whether the description takes its own steps back once its two newest
 * levels are exchanged, layers that absorb left aside; why not, or nothing. */
pav_status steps_reversible(const program *p, text *why);

/* ---- waves (wave_limit.c, wave_system.c) ------------------------------------------- */

/* Of a description whose one equation is u' = 2*u - prev(u) + ..., with its coefficients
 * between bounds (by the index of their fields) and that dt. */
enum { WAVE_COEFFICIENTS = 6 };
typedef struct wave_limit {
    const statement *equation; /* NULL: it is no such description */
    double growth;             /* the longest stable step is dt/sqrt(growth) */
    double speed;              /* cells a step, where it is slowest */
    double frequency; /* the highest of the Ricker wavelets that are injected; 0: none */
    int coefficients; /* fields that it depends on */
    const symbol *coefficient[WAVE_COEFFICIENTS];
    int equations; /* of a system, whose speed is known if of first order; then ... */
    double worst[WAVE_COEFFICIENTS]; /* ... these the values that allow least */
} wave_limit;
/* Points of the shortest waves of a wavelet where they are slowest; 0: not known. */
double wave_points(const wave_limit *w, double dt);
pav_status wave_limit_find(const program *p, double dt, const double *least,
                           const double *most, wave_limit *result);
/* Of a linear system, by the values that its coefficients have together at `count`
 * points, WAVE_COEFFICIENTS for each; none: whether it is one, and which they are. A
 * growth of 0: it grows with any step, or with none of 16 times this one. */
pav_status wave_system_find(const program *p, double dt, const double *values,
                            int64_t count, wave_limit *result);
/* The highest known frequency of the Ricker wavelets in an expression; 0: none. */
double wave_ricker(const program *p, const expr *value);

#endif
