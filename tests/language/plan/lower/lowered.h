/* SPDX-License-Identifier: BSD-3-Clause */
/* Helpers for tests of lowering: a lowered program before any pass, and its stages
 * evaluated in double precision at chosen points. */
#ifndef LOWERED_H
#define LOWERED_H

#include "plan/plan_private.h"

typedef struct lowered {
    program *program;
    ir *code;
} lowered;

/* Ends the test if lowering fails. */
lowered lowered_open(const char *source);
void lowered_free(lowered *l);
/* The status of parsing and lowering the text. Stencil radii are computed too, because
 * this may also fail. */
pav_status lowered_status(const char *source);

/* Stages by their place: at `index` in the list of the step, of a border, and by name. */
const ir_stage *step_stage(const lowered *l, int64_t index);
const ir_stage *border_stage(const lowered *l, const char *field, int axis, int side);
const ir_stage *named_stage(const lowered *l, const char *name);
int field_number(const lowered *l, const char *name);
int count_op(const ir_stage *stage, ir_op op);

/* Gives the value of a field at an absolute point, in place of stored data. */
typedef double field_value(const char *field, int level, const int64_t *point);
typedef struct setting {
    field_value *value;
    double uniform[64]; /* by slot */
} setting;
/* The value of an output of a stage at a point. Every operation rounds to double. */
double output_at(const lowered *l, const ir_stage *stage, int64_t output, int64_t x,
                 int64_t y, int64_t z, const setting *s);

/* The number rounded to bf16 and back to double. */
double bf16_rounded(double value);

#endif
