/* SPDX-License-Identifier: BSD-3-Clause */
/* Reasons against a stand-alone program. */
#include "run/generate/generate_private.h"

static pav_status refuse_statement(const generation *g, const statement *s)
{
    if (s->kind == STATEMENT_INJECT && s->trace)
        return FAIL(PAV_EUNSUPPORTED,
                    "%s:%d: a source with the traces of \"%s\" cannot be written as C "
                    "yet; give its strength as an expression of t",
                    g->program->name, s->at.line, s->trace);
    if (s->kind == STATEMENT_GATHER)
        return FAIL(PAV_EUNSUPPORTED,
                    "%s:%d: a sample of expressions cannot be written as C yet; sample "
                    "the fields, each by a line of its own",
                    g->program->name, s->at.line);
    return PAV_OK;
}

static pav_status refuse_stage(const generation *g, int stage)
{
    const ir_stage *s = &g->code->stage[stage];

    if (emit_has_kernel(s) || ir_is_uniform(s))
        return PAV_OK;
    return FAIL(PAV_ELIMIT,
                "%s: the stage %s has %lld operations, too many for compilers, and is "
                "left to the interpreter: it cannot be written as C",
                g->program->name, s->name ? s->name : "without a name",
                (long long)s->count);
}

/* The border's code is written for level 0 of its field, so it must not name another
 * level. */
static pav_status refuse_border(const generation *g, int stage)
{
    const ir_stage *s = &g->code->stage[stage];
    const int field = g->border[stage];

    for (int64_t n = 0; field >= 0 && n < s->count; n++)
        if (s->node[n].op == IR_LOAD && s->node[n].field == field &&
            s->node[n].level != 0)
            return FAIL(PAV_EUNSUPPORTED,
                        "%s: the %s reads another time level of %s, which cannot be "
                        "written as C yet",
                        g->program->name, s->name ? s->name : "border",
                        g->code->field[field].name);
    return PAV_OK;
}

/* Refuses stages of a step on the host, because all fields would be copied from and to
 * the GPU for each of them. A measure may be computed on the host. */
static pav_status refuse_step_stage(const generation *g, int stage)
{
    const ir_stage *s = &g->code->stage[stage];

    if (!emit_has_kernel(s) || runs_on_gpu(g, stage))
        return PAV_OK;
    return FAIL(PAV_EUNSUPPORTED,
                "%s: the stage %s has no kernel for GPUs: a program for --device cuda "
                "cannot take it; --device cpu can",
                g->program->name, s->name ? s->name : "without a name");
}

static pav_status refuse_list(const generation *g, const ir_list *list)
{
    for (int64_t n = 0; n < list->count; n++)
        TRY(refuse_step_stage(g, list->stage[n]));
    return PAV_OK;
}

static pav_status refuse_on_gpu(const generation *g)
{
    const ir *code = g->code;

    TRY(refuse_list(g, &code->step));
    for (int64_t n = 0; n < code->injections.count; n++)
        TRY(refuse_list(g, &code->injections.item[n].list));
    for (int n = 0; n < code->stages; n++)
        if (g->border[n] >= 0)
            TRY(refuse_step_stage(g, n));
    return PAV_OK;
}

pav_status refuse_program(const generation *g)
{
    TRY(names_check_inside(g->run));
    TRY(refuse_parts(g));
    for (const statement *s = g->program->first; s; s = s->next)
        TRY(refuse_statement(g, s));
    for (int n = 0; n < g->code->stages; n++)
        if (g->used[n]) {
            TRY(refuse_stage(g, n));
            TRY(refuse_border(g, n));
        }
    return g->gpu ? refuse_on_gpu(g) : PAV_OK;
}
