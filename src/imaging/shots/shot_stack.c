/* SPDX-License-Identifier: BSD-3-Clause */
/* Shots computed together. Their steps may differ only in the positions of sources and
 * receivers. Their runs and adjoints become stacks (lang/program.c), so small shots
 * fill a device. Each shot's values are bitwise identical to its own run. */
#include <math.h>
#include <string.h>

#include "imaging/imaging_private.h"

typedef struct shot_stack {
    adjoint *back;          /* one per shot but the first */
    program **forward;      /* one per shot but the first */
    const program **all[2]; /* programs forwards and back, of all shots */
} shot_stack;

/* ---- whether programs are alike ---------------------------------------------------- */

static bool same_number(num a, num b)
{
    return a.exact == b.exact && (a.exact ? a.p == b.p && a.q == b.q : a.v == b.v);
}

static bool same_grid(const program *a, const program *b)
{
    bool same = a->dim == b->dim && a->steps == b->steps;

    for (int axis = 0; same && axis < a->dim; axis++) {
        const axis_grid *g = &a->axis[axis], *h = &b->axis[axis];
        same = g->points == h->points && !g->at && !h->at &&
               same_number(g->origin, h->origin) && same_number(g->step, h->step);
    }
    for (int64_t k = 0; same && k < a->fields.count; k++)
        same = !a->fields.item[k]->coarse;
    return same;
}

static bool same_taps(const statement *s, const statement *t)
{
    bool same = s->taps == t->taps && s->forms == t->forms;

    for (int n = 0; same && n < s->taps; n++)
        same = same_number(s->tap[n].weight, t->tap[n].weight) &&
               memcmp(s->tap[n].offset, t->tap[n].offset, sizeof s->tap[n].offset) == 0;
    return same;
}

/* Compares statements. Positions may differ, but their number may not. */
static bool same_statements(const program *a, const program *b)
{
    const statement *s = a->first, *t = b->first;

    for (; s && t; s = s->next, t = t->next)
        if (s->kind != t->kind || s->every_steps != t->every_steps ||
            s->points.count != t->points.count ||
            s->points.line_points != t->points.line_points || !same_taps(s, t))
            return false;
    return !s && !t;
}

static bool stands_alone(const ir *code, const ir_stage *s)
{
    for (int64_t k = 0; k < s->count; k++)
        if (s->node[k].op == IR_RANDOM)
            return false;
    for (int64_t n = 0; n < code->step.count; n++)
        if (s == &code->stage[code->step.stage[n]] && ir_reductions(s) > 0)
            return false;
    return true;
}

/* True if no value depends on all points of the grid or on the number of a point. */
static bool can_stack(const ir *code)
{
    bool can = code->measures.count + code->untils.count + code->expects.count +
                   code->solves.count ==
               0;

    for (int64_t k = 0; can && k < code->stages; k++)
        can = stands_alone(code, &code->stage[k]);
    for (int64_t k = 0; can && k < code->injections.count; k++)
        can = code->injections.item[k].list.count == 1;
    return can;
}

/* Distinguishes 0 from -0. */
static bool same_value(double a, double b)
{
    return a == b && !signbit(a) == !signbit(b);
}

static bool same_uniforms(const ir *a, const ir *b)
{
    bool same = a->uniforms == b->uniforms && same_number(a->dt_value, b->dt_value);

    for (int64_t k = 0; same && k < a->uniforms; k++)
        same = a->uniform[k].kind == b->uniform[k].kind &&
               same_value(a->uniform[k].value, b->uniform[k].value);
    return same;
}

static pav_status same_code(const ir *a, const ir *b, bool *same)
{
    text s = {0}, t = {0};

    ir_print(a, &s);
    ir_print(b, &t);
    const bool failed = s.failed || t.failed;
    *same = !failed && s.length == t.length &&
            memcmp(s.data, t.data, (size_t)s.length) == 0 && same_uniforms(a, b) &&
            can_stack(a);
    text_free(&s);
    text_free(&t);
    return failed ? PAV_ENOMEM : PAV_OK;
}

pav_status shots_alike(const program *a, const program *b)
{
    ir *first = NULL, *second = NULL;
    bool same = same_grid(a, b) && same_statements(a, b);

    if (a->dim == MAX_DIM)
        return FAIL(PAV_EUNSUPPORTED, "their grids have three axes, and shots that are "
                                      "one lie along another");

    pav_status status = same ? ir_build(a, NULL, &first) : PAV_OK;
    if (status == PAV_OK && same)
        status = ir_build(b, NULL, &second);
    if (status == PAV_OK && same)
        status = same_code(first, second, &same);
    ir_free(first);
    ir_free(second);
    if (status != PAV_OK || same)
        return status;
    return FAIL(PAV_EUNSUPPORTED, "the shots differ in more than positions and data");
}

/* ---- stacks ------------------------------------------------------------------------ */

static pav_status derive_rest(shot_state *s, bool scaled)
{
    shot_stack *stack = s->stack;

    for (int64_t k = 1; k < s->jobs; k++) {
        adjoint *back = &stack->back[k - 1];
        TRY(shot_derive_one(s, &s->job[k], scaled, back, &stack->forward[k - 1]));
        TRY(shots_alike(s->forward, stack->forward[k - 1]));
        TRY(shots_alike(s->back.program, back->program));
        stack->all[0][k] = stack->forward[k - 1];
        stack->all[1][k] = back->program;
    }
    return PAV_OK;
}

pav_status shot_stack_open(shot_state *s, bool scaled)
{
    shot_stack *stack = mem_new(1, sizeof *stack);

    s->stack = stack;
    if (!stack)
        return PAV_ENOMEM;
    stack->back = mem_new(s->jobs, sizeof *stack->back);
    stack->forward = mem_new(s->jobs, sizeof *stack->forward);
    for (int n = 0; n < 2; n++)
        if (!(stack->all[n] = mem_new(s->jobs, sizeof **stack->all)))
            return PAV_ENOMEM;
    if (!stack->back || !stack->forward)
        return PAV_ENOMEM;
    stack->all[0][0] = s->forward;
    stack->all[1][0] = s->back.program;
    TRY(derive_rest(s, scaled));
    program_stack(s->forward, stack->all[0], s->jobs);
    program_stack(s->back.program, stack->all[1], s->jobs);
    return PAV_OK;
}

void shot_stack_close(shot_state *s)
{
    shot_stack *stack = s->stack;

    for (int64_t k = 0; stack && k + 1 < s->jobs; k++) {
        if (stack->forward)
            program_free(stack->forward[k]);
        if (stack->back)
            adjoint_free(&stack->back[k]);
    }
    for (int n = 0; stack && n < 2; n++)
        mem_free(stack->all[n]);
    if (stack) {
        mem_free(stack->back);
        mem_free(stack->forward);
    }
    mem_free(stack);
    s->stack = NULL;
}
