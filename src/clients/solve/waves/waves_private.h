/* SPDX-License-Identifier: BSD-3-Clause */
/* Shared inside solve/waves. */
#ifndef SOLVE_WAVES_WAVES_PRIVATE_H
#define SOLVE_WAVES_WAVES_PRIVATE_H

#include <complex.h>

#include "solve/solve_private.h"

enum { WAVE_STATES = 24 /* levels of all fields of a system */ };
typedef double complex wave_matrix[WAVE_STATES][WAVE_STATES];

/* wave_system.c: leaves the eigenvalues on the diagonal; false: not found. */
bool wave_eigenvalues(int n, wave_matrix m);

#endif
