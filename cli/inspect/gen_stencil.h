/* SPDX-License-Identifier: BSD-3-Clause */
/* A description from the stencil options of `pavior gen`. */
#ifndef CLI_GEN_STENCIL_H
#define CLI_GEN_STENCIL_H

#include "cli.h"

/* Values of the options; NULL: the default. */
typedef struct stencil_options {
    const char *neighbours, *weights, *size, *spacing, *precision;
    const char *f, *f_weight, *start, *border, *steps;
} stencil_options;

/* Builds the description; the caller frees it. Returns an exit code; mistakes have been
 * printed. */
int stencil_describe(const stencil_options *s, char **description);

#endif
