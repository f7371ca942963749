/* SPDX-License-Identifier: BSD-3-Clause */
#include "lowered.h"

#include <stdlib.h>

#include "base/functions/functions.h"
#include "test.h"

/* ---- programs ------------------------------------------------------------------ */

static pav_status lower_now(const program *p, ir **code, arena *a, text *scratch,
                            bool reach)
{
    *code = arena_alloc(a, 1, sizeof **code);
    (*code)->arena = a;
    (*code)->program = p;
    (*code)->dim = p->dim;
    ir_lower(p, *code, scratch);
    if (reach)
        ir_set_radius(*code);
    return PAV_OK;
}

static pav_status lower_parsed(lowered *l, bool reach)
{
    arena *const a = arena_new();
    text scratch = {0};
    pav_status status;

    if (!a)
        return PAV_ENOMEM;
    ARENA_GUARD(a, status, lower_now(l->program, &l->code, a, &scratch, reach));
    text_free(&scratch);
    if (status != PAV_OK) {
        arena_free(a);
        l->code = NULL;
    }
    return status;
}

static pav_status open(const char *source, lowered *l, bool reach)
{
    TRY(program_parse(source, (int64_t)strlen(source), NULL, &l->program));
    return lower_parsed(l, reach);
}

lowered lowered_open(const char *source)
{
    lowered l = {0};

    REQUIRE_OK(open(source, &l, false));
    return l;
}

void lowered_free(lowered *l)
{
    ir_free(l->code);
    program_free(l->program);
}

pav_status lowered_status(const char *source)
{
    lowered l = {0};
    const pav_status status = open(source, &l, true);

    lowered_free(&l);
    return status;
}

/* ---- look-ups ------------------------------------------------------------------ */

const ir_stage *step_stage(const lowered *l, int64_t index)
{
    REQUIRE(index < l->code->step.count);
    return &l->code->stage[l->code->step.stage[index]];
}

static _Noreturn void missing(const char *what)
{
    test_string(__FILE__, __LINE__, "looked for", "nothing", what);
    test_stop();
}

int field_number(const lowered *l, const char *name)
{
    for (int64_t k = 0; k < l->code->fields; k++)
        if (strcmp(l->code->field[k].name, name) == 0)
            return (int)k;
    missing(name);
}

const ir_stage *border_stage(const lowered *l, const char *field, int axis, int side)
{
    const int stage = l->code->field[field_number(l, field)].border[axis][side].stage;

    REQUIRE(stage >= 0);
    return &l->code->stage[stage];
}

const ir_stage *named_stage(const lowered *l, const char *name)
{
    for (int64_t k = 0; k < l->code->stages; k++)
        if (strcmp(l->code->stage[k].name, name) == 0)
            return &l->code->stage[k];
    missing(name);
}

int count_op(const ir_stage *stage, ir_op op)
{
    int count = 0;

    for (int64_t k = 0; k < stage->count; k++)
        count += stage->node[k].op == op;
    return count;
}

/* ---- evaluating ---------------------------------------------------------------- */

static int64_t along(const ir_node *n, int axis, int64_t i)
{
    const int64_t shifted = i + n->offset[axis];

    switch (n->transfer) {
    case IR_TO_FINE: return shifted + i;
    case IR_TO_COARSE: return shifted >= 0 ? shifted / 2 : -((1 - shifted) / 2);
    default: return shifted;
    }
}

static double load(const lowered *l, const ir_node *n, const int64_t *at,
                   const setting *s)
{
    int64_t from[MAX_DIM];

    for (int axis = 0; axis < MAX_DIM; axis++)
        from[axis] = along(n, axis, at[axis]);
    REQUIRE(s->value != NULL);
    return s->value(l->code->field[n->field].name, n->level, from);
}

static double rounded(pav_type type, double v)
{
    unsigned char bytes[8];

    type_store(type, bytes, v);
    return type_load(type, bytes);
}

static double compare(ir_op op, double a, double b)
{
    switch (op) {
    case IR_LT: return a < b;
    case IR_LE: return a <= b;
    case IR_EQ: return a == b;
    case IR_NE: return a != b;
    case IR_AND: return a != 0 && b != 0;
    case IR_OR: return a != 0 || b != 0;
    default: missing(ir_op_table[op].text);
    }
}

static double apply(ir_op op, double a, double b, double c)
{
    switch (op) {
    case IR_NEG: return -a;
    case IR_ADD: return a + b;
    case IR_SUB: return a - b;
    case IR_MUL: return a * b;
    case IR_DIV: return a / b;
    case IR_FMA: return fma(a, b, c);
    case IR_MIN: return a < b ? a : b;
    case IR_MAX: return a > b ? a : b;
    case IR_ABS: return fabs(a);
    case IR_SQRT: return sqrt(a);
    case IR_EXP: return f64_exp(a);
    case IR_POW: return f64_pow(a, b);
    case IR_FLOOR: return floor(a);
    case IR_NOT: return a == 0;
    case IR_SELECT: return a != 0 ? b : c;
    default: return compare(op, a, b);
    }
}

static double leaf_or(const lowered *l, const ir_node *n, const double *value,
                      const int64_t *at, const setting *s)
{
    switch (n->op) {
    case IR_CONST: return num_f64(n->value);
    case IR_UNIFORM: return s->uniform[n->uniform];
    case IR_INDEX: return (double)at[n->axis];
    case IR_LOAD: return load(l, n, at, s);
    case IR_ROUND: return rounded(n->type, value[n->arg[0]]);
    default: break;
    }
    double a[3] = {0};
    for (int k = 0; k < ir_op_table[n->op].arguments; k++)
        a[k] = value[n->arg[k]];
    return apply(n->op, a[0], a[1], a[2]);
}

double output_at(const lowered *l, const ir_stage *stage, int64_t output, int64_t x,
                 int64_t y, int64_t z, const setting *s)
{
    const int64_t at[MAX_DIM] = {x, y, z};
    double *value = calloc((size_t)stage->count, sizeof *value);

    REQUIRE(value && output < stage->outputs);
    for (int64_t k = 0; k < stage->count; k++)
        value[k] = leaf_or(l, &stage->node[k], value, at, s);
    const double result = value[stage->output[output].node];
    free(value);
    return result;
}

double bf16_rounded(double value)
{
    uint16_t bits;

    type_store(PAV_BF16, &bits, value);
    return type_load(PAV_BF16, &bits);
}
