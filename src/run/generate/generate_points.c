/* SPDX-License-Identifier: BSD-3-Clause */
/* Sources and samples: writes their neighbours and weights as tables, computed the same
 * way as in a run. */
#include "run/generate/generate_private.h"

enum { MOST_NEIGHBOURS = 1000000 }; /* of all sources and samples: a line of text each */

static const statement *next_sample(const statement *s)
{
    while (s && s->kind != STATEMENT_SAMPLE)
        s = s->next;
    return s;
}

static pav_status open_set(generation *g, const statement *s, point_set *set,
                           int64_t *all)
{
    TRY(points_open(g->run, s, set));
    *all += set->neighbours;
    g->points = true;
    if (*all <= MOST_NEIGHBOURS)
        return PAV_OK;
    return FAIL(PAV_ELIMIT,
                "%s:%d: sources and samples have %lld neighbours on the grid, a line of "
                "the program each; at most %d can be written",
                g->program->name, s->at.line, (long long)*all, MOST_NEIGHBOURS);
}

pav_status open_points(generation *g)
{
    const ir_event_list *sources = &g->code->injections;
    int64_t all = 0;

    for (const statement *s = next_sample(g->program->first); s; s = next_sample(s->next))
        g->samples++;
    g->injection = mem_new(sources->count + 1, sizeof *g->injection);
    g->sample = mem_new(g->samples + 1, sizeof *g->sample);
    if (!g->injection || !g->sample)
        return PAV_ENOMEM;
    for (int64_t n = 0; n < sources->count; n++)
        TRY(open_set(g, sources->item[n].statement, &g->injection[n], &all));
    int64_t n = 0;
    for (const statement *s = next_sample(g->program->first); s; s = next_sample(s->next))
        TRY(open_set(g, s, &g->sample[n++], &all));
    return PAV_OK;
}

void close_points(generation *g)
{
    for (int64_t n = 0; g->injection && n < g->code->injections.count; n++)
        points_close(&g->injection[n]);
    for (int64_t n = 0; g->sample && n < g->samples; n++)
        points_close(&g->sample[n]);
    mem_free(g->injection);
    mem_free(g->sample);
}

/* ---- as text ----------------------------------------------------------------------- */

static void add_neighbour(const point_set *set, int64_t k, text *t)
{
    const int64_t *at = set->index[k];

    text_add(t, "    {{%lld, %lld, %lld}, ", (long long)at[0], (long long)at[1],
             (long long)at[2]);
    text_add_double(t, set->weight[k]);
    text_add(t, "},\n");
}

/* For a source, skips points given by a border. */
static int64_t add_set(const generation *g, const point_set *set, const char *name,
                       int64_t number, int source, text *t)
{
    int64_t count = 0;

    text_add(t, "\nstatic const neighbour %s_at_%lld[] = {\n", name, (long long)number);
    for (int64_t k = 0; k < set->neighbours; k++)
        if (source < 0 || !point_is_given(g->code, source, set->index[k])) {
            add_neighbour(set, k, t);
            count++;
        }
    text_add(t, count ? "};\n" : "    {{0, 0, 0}, 0},\n};\n");
    return count;
}

/* ---- sources ----------------------------------------------------------------------- */

static void add_injection(const generation *g, int64_t number, text *t)
{
    const ir_event *event = &g->code->injections.item[number];
    const ir_field *f = &g->code->field[event->field];
    const long long n = number;
    const int64_t count = add_set(g, &g->injection[number], "source", number,
                                  event->field, t);

    text_add(t, "\nstatic void inject_%lld(program *p%s)\n{\n    set_time(p, p->step);\n",
             n, g->tilings ? ", const box *within" : "");
    for (int64_t k = 0; k + 1 < event->list.count; k++)
        add_stage_call(g, event->list.stage[k], t);
    text_add(t, "    for (int64_t n = 0; n < %lld; n++) {\n", (long long)count);
    text_add(t, "        const box b = box_at(source_at_%lld[n].at);\n", n);
    if (g->tilings)
        text_add(t, "        const box own = common_box(&b, within);\n"
                    "        if (points_of(&own) == 0)\n            continue;\n");
    for (int k = 0; k < f->masks; k++) {
        text_add(t, "        if (is_masked(p, ");
        add_field(g, f->mask[k], t);
        text_add(t, ", source_at_%lld[n].at))\n            continue;\n", n);
    }
    text_add(t, "        p->uniform[%d] = source_at_%lld[n].weight;\n", event->weight, n);
    text_add(t, "        stage_%d(p, &b);\n    }\n}\n",
             event->list.stage[event->list.count - 1]);
}

void add_injections(const generation *g, text *t)
{
    if (g->tilings && g->code->injections.count)
        text_add(t, "\nstatic const box everywhere = {{0, 0, 0}, {INT64_MAX, INT64_MAX, "
                    "INT64_MAX}};\n");
    for (int64_t n = 0; n < g->code->injections.count; n++)
        add_injection(g, n, t);
}

/* ---- samples ----------------------------------------------------------------------- */

static void add_first(const point_set *set, int64_t number, text *t)
{
    text_add(t, "static const int64_t sample_first_%lld[] = {", (long long)number);
    for (int64_t k = 0; k <= set->count; k++)
        text_add(t, k % 12 ? " %lld," : "\n    %lld,", (long long)set->first[k]);
    text_add(t, "\n};\n");
}

/* A value converted to f64. Only the types of the program's fields get a conversion,
 * because the others are missing in its files. */
static void add_value_at(const generation *g, text *t)
{
    bool half = false, short_float = false;

    for (int64_t f = 0; f < g->code->fields; f++) {
        half = half || g->code->field[f].storage == PAV_F16;
        short_float = short_float || g->code->field[f].storage == PAV_BF16;
    }
    text_add(t, "\nstatic double value_at(const view *v, int64_t at)\n{\n"
                "    switch (v->type) {\n"
                "    case PROGRAM_F32: return (double)((const float *)v->data)[at];\n"
                "    case PROGRAM_F64: return ((const double *)v->data)[at];\n");
    if (half)
        text_add(t, "    case PROGRAM_F16: return (double)f32_of_f16(((const uint16_t "
                    "*)v->data)[at]);\n");
    if (short_float)
        text_add(t, "    case PROGRAM_BF16: return (double)f32_of_bf16(((const uint16_t "
                    "*)v->data)[at]);\n");
    text_add(t, "    default: return (double)((const uint8_t *)v->data)[at];\n"
                "    }\n}\n");
}

void add_points(const generation *g, text *t)
{
    if (g->samples > 0)
        add_value_at(g, t);
}

void add_samples(const generation *g, text *t)
{
    const statement *s = g->program->first;

    for (int64_t n = 0; n < g->samples; n++) {
        (void)add_set(g, &g->sample[n], "sample", n, -1, t);
        add_first(&g->sample[n], n, t);
    }
    text_add(t, "\nvoid PROGRAM_sample(PROGRAM_run *p, int which, double *value)\n{\n");
    if (g->samples == 0)
        text_add(t, "    (void)p;\n    (void)value;\n");
    text_add(t, "    switch (which) {\n");
    for (int64_t n = 0; n < g->samples; n++) {
        s = next_sample(n ? s->next : s);
        text_add(t, "    case PROGRAM_SAMPLE_%lld: sample_field(p, ", (long long)n);
        add_field(g, run_field_of(g->run, s->symbol), t);
        text_add(t, ", sample_at_%lld, sample_first_%lld, %lld, value); break;\n",
                 (long long)n, (long long)n, (long long)g->sample[n].count);
    }
    text_add(t, "    default: break;\n    }\n}\n");
}
