/* SPDX-License-Identifier: BSD-3-Clause */
/* The run of a generated program, in the order given by struct ir: the start, a step, and
 * the numbers between steps. */
#include <math.h>

#include "run/generate/generate_private.h"

/* ---- the start --------------------------------------------------------------------- */

static void add_initial_numbers(const generation *g, text *t)
{
    text_add(t, "\nstatic void set_initial_numbers(program *p)\n{\n"
                "    memset(p->uniform, 0, sizeof p->uniform);\n");
    for (int64_t n = 0; n < g->code->uniforms; n++) {
        const ir_uniform *u = &g->code->uniform[n];
        if (u->value == 0 && !signbit(u->value))
            continue;
        text_add(t, "    p->uniform[%lld] = ", (long long)n);
        text_add_double(t, u->value);
        text_add(t, ";");
        if (u->name) {
            text_add(t, " /* ");
            add_comment(u->name, t);
            text_add(t, " */");
        }
        text_add(t, "\n");
    }
    text_add(t, "}\n\nstatic double step_time(const program *p)\n{\n");
    if (g->code->dt >= 0) {
        text_add(t, "    return p->uniform[%d];\n}\n", g->code->dt);
    } else {
        text_add(t, "    (void)p;\n    return ");
        text_add_double(t, num_f64(g->code->dt_value));
        text_add(t, ";\n}\n");
    }
}

static void add_border(const generation *g, const char *how, int field, int level,
                       const char *step, text *t)
{
    text_add(t, "    %s_border(p, ", how);
    add_field(g, field, t);
    text_add(t, ", %d, %s);\n", level, step);
}

static void add_level(const generation *g, const ir_start *s, text *t)
{
    const bool copied = s->kind == START_COPY;

    text_add(t, "    %s_level(p, ", copied ? "copy" : "zero");
    add_field(g, s->field, t);
    text_add(t, copied ? ", %d, 0);\n" : ", %d);\n", s->level);
}

static void add_start_item(const generation *g, const ir_start *s, text *t)
{
    char level[24];

    (void)snprintf(level, sizeof level, "%d", s->field >= 0 ? s->level : 0);
    text_add(t, "    set_time(p, %s);\n", level);
    switch (s->kind) {
    case START_STAGE: add_stage_call(g, s->stage, t); break;
    case START_COPY:
    case START_ZERO: add_level(g, s, t); break;
    case START_BORDERS: add_border(g, "fill", s->field, s->level, level, t); break;
    case START_FILE: add_reading(g, s, t); break;
    }
}

void add_start(const generation *g, text *t)
{
    add_initial_numbers(g, t);
    text_add(t, "\n/* Every level of every field gets its first values. */\n"
                "static void start(program *p)\n{\n");
    for (int64_t n = 0; n < g->code->start.count; n++)
        add_start_item(g, &g->code->start.item[n], t);
    text_add(t, "    set_time(p, 0);\n}\n");
}

/* ---- a step ------------------------------------------------------------------------ */

static void add_exchange(const generation *g, int field, int level, text *t)
{
    if (g->parts < 2)
        return;
    text_add(t, "    exchange_planes(p, ");
    add_field(g, field, t);
    text_add(t, ", %d);\n", level);
}

/* The exchanged planes have their borders already. */
static void add_kept_border(const generation *g, int field, int level, text *t)
{
    const bool still = borders_are_still(g->code, &g->code->field[field]);
    char step[32];

    (void)snprintf(step, sizeof step, level ? "p->step %c %d" : "p->step",
                   level < 0 ? '-' : '+', level < 0 ? -level : level);
    add_border(g, still ? "keep" : "fill", field, level, step, t);
    add_exchange(g, field, level, t);
}

static void add_stored_borders(const generation *g, const ir_stage *s, text *t)
{
    bool any = false;

    for (int64_t n = 0; n < s->outputs; n++)
        if (s->output[n].kind == IR_STORE) {
            add_kept_border(g, s->output[n].field, s->output[n].level, t);
            any = true;
        }
    if (any)
        text_add(t, "    set_time(p, p->step);\n");
}

static void add_list(const generation *g, const ir_list *list, text *t)
{
    for (int64_t n = 0; n < list->count; n++) {
        add_stage_call(g, list->stage[n], t);
        add_stored_borders(g, &g->code->stage[list->stage[n]], t);
    }
}

void add_step(const generation *g, text *t)
{
    const ir_event_list *sources = &g->code->injections;

    add_injections(g, t);
    text_add(t, "\nstatic void take_step(program *p)\n{\n    set_time(p, p->step);\n");
    add_list(g, &g->code->step, t);
    for (int64_t n = 0; n < sources->count; n++) {
        text_add(t, "    inject_%lld(p%s);\n", (long long)n,
                 g->tilings ? ", &everywhere" : "");
        if (n + 1 < sources->count)
            add_exchange(g, sources->item[n].field, 1, t);
    }
    for (int64_t n = 0; n < sources->count; n++)
        add_kept_border(g, sources->item[n].field, 1, t);
    text_add(t, "    rotate(p);\n    p->step++;\n    set_time(p, p->step);\n}\n");
}

/* ---- numbers ----------------------------------------------------------------------- */

void event_groups(const ir *code, event_group group[EVENT_GROUPS])
{
    group[0] = (event_group){&code->measures, "MEASURE"};
    group[1] = (event_group){&code->untils, "UNTIL"};
    group[2] = (event_group){&code->expects, "EXPECT"};
}

/* "PROGRAM_MEASURE_total", "PROGRAM_UNTIL_0" */
void add_event_name(const event_group *group, int64_t number, text *t)
{
    const statement *s = group->list->item[number].statement;

    text_add(t, "PROGRAM_%s_", group->word);
    if (s->kind == STATEMENT_MEASURE)
        add_identifier(s->symbol->name, t);
    else
        text_add(t, "%lld", (long long)number);
}

static void add_case(const generation *g, const event_group *group, int64_t number,
                     text *t)
{
    const ir_event *event = &group->list->item[number];
    text body = {0};

    text_add(t, "    case ");
    add_event_name(group, number, t);
    text_add(t, ": /* ");
    add_comment(event->text, t);
    text_add(t, " */\n");
    add_list(g, &event->list, &body);
    if (body.data)
        text_add(t, "%s", body.data);
    text_add(t, "    return p->uniform[%d];\n", event->result);
    t->failed |= body.failed;
    text_free(&body);
}

void add_numbers(const generation *g, text *t)
{
    event_group group[EVENT_GROUPS];

    event_groups(g->code, group);
    text_add(t, "\ndouble PROGRAM_number(PROGRAM_run *p, int which)\n{\n"
                "    set_time(p, p->step);\n    switch (which) {\n");
    for (int n = 0; n < EVENT_GROUPS; n++)
        for (int64_t k = 0; k < group[n].list->count; k++)
            add_case(g, &group[n], k, t);
    text_add(t, "    default: return (double)NAN;\n    }\n}\n");
}
