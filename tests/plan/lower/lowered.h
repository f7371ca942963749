/* SPDX-License-Identifier: BSD-3-Clause */
/* A program lowered, with no pass run over it, and its stages evaluated in double at
 * chosen points. */
#ifndef LOWERED_H
#define LOWERED_H

#include "plan/plan_private.h"

typedef struct lowered {
    program *program;
    ir *code;
} lowered;

/* The test ends when it does not lower. */
lowered lowered_open(const char *source);
void lowered_free(lowered *l);
/* What parsing and lowering the text gives; the reach of its stages is worked out,
 * too. */
pav_status lowered_status(const char *source);

/* The stage of the step list at `index`; of a border; the one of that name. */
const ir_stage *step_stage(const lowered *l, int64_t index);
const ir_stage *border_stage(const lowered *l, const char *field, int axis, int side);
const ir_stage *named_stage(const lowered *l, const char *name);
int field_number(const lowered *l, const char *name);
int count_op(const ir_stage *stage, ir_op op);

/* The value of a field where a stage reads it, at an absolute point. */
typedef double field_value(const char *field, int level, const int64_t *point);
typedef struct setting {
    field_value *value;
    double uniform[64]; /* of the slots */
} setting;
/* What an output of a stage is at a point, every operation rounded to double. */
double output_at(const lowered *l, const ir_stage *stage, int64_t output, int64_t x,
                 int64_t y, int64_t z, const setting *s);

/* A number rounded to bf16 and back. */
double bf16_rounded(double value);

#endif
