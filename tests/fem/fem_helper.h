/* SPDX-License-Identifier: BSD-3-Clause */
/* Small meshes with crooked cells, and vectors on them. */
#ifndef TESTS_FEM_HELPER_H
#define TESTS_FEM_HELPER_H

#include "fem/fem_private.h"
#include "test.h"

/* A mesh whose nodes are moved by up to `crooked` of a cell. */
pav_mesh *crooked_mesh(const char *word, int layers, double crooked);
double *random_vector(const pav_mesh *m, uint64_t seed);
double *zero_vector(const pav_mesh *m);
/* The largest difference over the largest value of b. */
double far_apart(const double *a, const double *b, int64_t count);
/* A message of the last failure holds that. */
#define CHECK_SAYS(word) CHECK(strstr(pav_message(), word) != NULL)

pav_device *emulated_gpu(void); /* or NULL, once it was said why */

#endif
