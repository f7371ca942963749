/* SPDX-License-Identifier: BSD-3-Clause */
/* far.h: memory for grids of more points than 32 bits can count, on machines that do not
 * have that much.
 *
 * Of each level of a field the first and the last 48 MiB are memory of their own. All
 * that lies between is one small file, mapped again and again: what is written there is
 * overwritten soon, but kernels, borders and sums go through every point at its true
 * address. Points beyond 2^32 lie in the last part, so an index that lost its upper bits
 * reads and writes somewhere else. */
#ifndef FAR_H
#define FAR_H

#include "run/run_private.h"
#include "test.h"

/* From now on fields of this process that take a GiB or more get such memory. */
void far_begin(void);

typedef struct far_run {
    pav_device *device;
    pav_program *program;
    pav_run *run;
    const view *u; /* level 0 of the first field */
} far_run;
/* A run of the text on compiled kernels to its end; `listed` files go to `directory`,
 * NULL: none. */
void far_finish(const char *source, const char *directory, far_run *f);
void far_close(far_run *f);

/* A number rounded to a storage type and back. */
double far_rounded(pav_type type, double value);
/* Whether all points of the box have the value that `want` gives; the first that has not
 * is shown. */
bool far_same(const view *v, const box *b,
              double (*want)(int64_t i, int64_t j, int64_t k));
/* Sets all points of a box to 0. */
void far_clear(const view *v, const box *b);
/* Writes the fields' part of a checkpoint, clears the box, which is in the last MiBs of
 * level 0 of the first field, and reads that part again. Nothing goes to a disk: the end
 * of what is written for that level is kept in memory. */
void far_keep_and_read(far_run *f, const box *b);
/* What the interpreter makes of the step's first stage in a box; it is left in level
 * +1. */
void far_interpret(far_run *f, const box *b);

#endif
