/* SPDX-License-Identifier: BSD-3-Clause */
/* Small meshes with distorted cells, and vectors on them. */
#ifndef TESTS_FEM_HELPER_H
#define TESTS_FEM_HELPER_H

#include "fem/fem_private.h"
#include "test.h"

/* A mesh with nodes moved at random, by up to crooked/2 cell widths. */
pav_mesh *crooked_mesh(const char *word, int layers, double crooked);
double *random_vector(const pav_mesh *m, uint64_t seed);
double *zero_vector(const pav_mesh *m);
/* The largest difference divided by the largest value of b. */
double far_apart(const double *a, const double *b, int64_t count);
/* The message of the last failure contains the word. */
#define CHECK_SAYS(word) CHECK(strstr(pav_message(), word) != NULL)

pav_device *emulated_gpu(void); /* NULL if it cannot be opened */

#endif
