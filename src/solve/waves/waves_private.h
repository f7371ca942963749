/* SPDX-License-Identifier: BSD-3-Clause */
/* Shared inside solve/waves. */
#ifndef SOLVE_WAVES_WAVES_PRIVATE_H
#define SOLVE_WAVES_WAVES_PRIVATE_H

#include <complex.h>

#include "solve/solve_private.h"

enum { WAVE_STATES = 24 /* levels of all fields of a system */, WAVE_EQUATIONS = 16 };
typedef double complex wave_matrix[WAVE_STATES][WAVE_STATES];

typedef struct line_form {
    int column; /* column of the state, or number of an earlier equation */
    bool newer; /* the earlier equation's result in the same step */
    solve_form form;
} line_form;

typedef struct waves {
    deriver d;
    double dt;
    double share; /* without dt: the applied share of the change of a step */
    int equations, states;
    const statement *equation[WAVE_EQUATIONS];
    int first[WAVE_EQUATIONS]; /* state of its level 0; older ones follow */
    int coefficients;
    const symbol *coefficient[WAVE_COEFFICIENTS];
    const double *value; /* values of the coefficients */
    int forms[WAVE_EQUATIONS];
    line_form form[WAVE_EQUATIONS][WAVE_STATES + WAVE_EQUATIONS];
} waves;

/* eigenvalues.c: leaves the eigenvalues on the diagonal; false: not found. */
bool wave_eigenvalues(int n, wave_matrix m);
/* wave_numbers.c. wave_growth: the largest absolute eigenvalue at any wave number.
 * wave_slowest: cells per step of the slowest wave along an axis with 32 points per
 * wavelength. Waves without noticeable motion are left out. */
double wave_growth(const waves *w);
/* The logarithm of wave_growth, without its lower bound; 0 if it is not found. */
double wave_rate(const waves *w);
double wave_slowest(const waves *w, int axis);
/* wave_limit.c: the highest frequency of the injected Ricker wavelets. */
double wave_highest_frequency(const program *p);

#endif
