/* SPDX-License-Identifier: BSD-3-Clause */
/* What cannot be written as a stand-alone program, and why. */
#include "run/generate/generate_private.h"

static pav_status refuse_files(const generation *g)
{
    for (int64_t n = 0; n < g->code->start.count; n++) {
        const ir_start *s = &g->code->start.item[n];
        if (s->kind == START_FILE)
            return FAIL(PAV_EUNSUPPORTED,
                        "%s:%d: %s is read from \"%s\", and generated programs read no "
                        "files yet: give it as an expression, or link the library "
                        "(pavior.h)",
                        g->program->name, g->code->field[s->field].line,
                        g->code->field[s->field].name, g->code->field[s->field].file);
    }
    return PAV_OK;
}

static bool is_of_numbers(const ir_stage *s)
{
    for (int64_t n = 0; n < s->outputs; n++)
        if (s->output[n].kind != IR_SET)
            return false;
    return s->outputs > 0;
}

static pav_status refuse_stage(const generation *g, int stage)
{
    const ir_stage *s = &g->code->stage[stage];

    if (emit_has_kernel(s) || is_of_numbers(s))
        return PAV_OK;
    return FAIL(PAV_ELIMIT,
                "%s: the stage %s has %lld operations, too many for compilers, and is "
                "left to the interpreter: it cannot be written as C",
                g->program->name, s->name ? s->name : "without a name",
                (long long)s->count);
}

/* It is written for level 0 of its field in place of any other. */
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

pav_status refuse_program(const generation *g)
{
    TRY(refuse_files(g));
    for (int n = 0; n < g->code->stages; n++)
        if (g->used[n]) {
            TRY(refuse_stage(g, n));
            TRY(refuse_border(g, n));
        }
    return PAV_OK;
}
