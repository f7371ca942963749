/* SPDX-License-Identifier: BSD-3-Clause */
/* A stencil that the options of `pavior gen` give, as a description. */
#ifndef CLI_GEN_STENCIL_H
#define CLI_GEN_STENCIL_H

#include "cli.h"

/* As given; NULL: the default. */
typedef struct stencil_options {
    const char *neighbours, *weights, *size, *spacing, *precision;
    const char *f, *f_weight, *start, *border, *steps;
} stencil_options;

/* An exit code; what was wrong has been reported. To be freed. */
int stencil_describe(const stencil_options *s, char **description);

#endif
