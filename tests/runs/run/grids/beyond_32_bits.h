/* SPDX-License-Identifier: BSD-3-Clause */
/* far.h: memory for grids with more than 2^32 points, on machines with less memory.
 *
 * The first and the last 48 MiB of each level have memory of their own. The range between
 * is one small file, mapped again and again. Values there are soon overwritten, but
 * kernels, borders and sums visit every point at its true address. Points beyond 2^32 lie
 * in the last part, so an index without its upper bits reads and writes another place. */
#ifndef FAR_H
#define FAR_H

#include "run/run_private.h"
#include "test.h"

/* From this call on, fields of a GiB or more get such memory. */
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
/* True if all points of the box have the value given by `want`. Prints the first wrong
 * point. */
bool far_same(const view *v, const box *b,
              double (*want)(int64_t i, int64_t j, int64_t k));
/* Sets all points of a box to 0. */
void far_clear(const view *v, const box *b);
/* Writes the fields' part of a checkpoint, clears the box, and reads this part again. The
 * box lies in the last MiBs of level 0 of the first field. No disk is used: only the last
 * bytes written for this level are kept, in memory. */
void far_keep_and_read(far_run *f, const box *b);
/* Evaluates the step's first stage in a box by the interpreter. The result is in level
 * +1. */
void far_interpret(far_run *f, const box *b);

#endif
