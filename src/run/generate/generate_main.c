/* SPDX-License-Identifier: BSD-3-Clause */
/* Writes main.c of a generated program: its observers, as lists. program_main.c has the
 * code for them. */
#include <string.h>

#include "run/generate/generate_private.h"

extern const char program_output[], program_main[];

/* ---- outputs ----------------------------------------------------------------------- */

static bool ends_in(const char *path, const char *ending)
{
    const size_t length = strlen(path), end = strlen(ending);

    return length > end && strcmp(path + length - end, ending) == 0;
}

/* The path without .npy, because this ending is always added: "heat.png" becomes
 * heat.png.npy. */
static void add_output_path(const char *file, text *t)
{
    text path = {0};
    const size_t length = strlen(file);

    text_add_bytes(&path, file, (int64_t)(ends_in(file, ".npy") ? length - 4 : length));
    add_string(path.data ? path.data : "", t);
    t->failed |= path.failed;
    text_free(&path);
}

static void add_axes(const char *name, const int64_t *value, text *t)
{
    text_add(t, ", .%s = {%lld, %lld, %lld}", name, (long long)value[0],
             (long long)value[1], (long long)value[2]);
}

static void add_output(const generation *g, const statement *s, text *t)
{
    const io_frame f = output_frame(g->run, s);
    int64_t from[MAX_DIM] = {0}, count[MAX_DIM] = {0}, stride[MAX_DIM] = {1, 1, 1};

    for (int axis = 0; axis < g->code->dim; axis++)
        from[axis] = f.scale[axis].first / output_unit(g->run, s, axis);
    for (int k = 0; k < f.dimensions; k++) {
        count[f.axis[k]] = f.extent[k];
        stride[f.axis[k]] = s->stride_of[f.axis[k]];
    }
    text_add(t, "    {.path = ");
    add_output_path(s->file ? s->file : s->symbol->name, t);
    text_add(t, ", .field = PROGRAM_FIELD_");
    add_identifier(s->symbol->name, t);
    text_add(t, ", .numbered = %d, .every = %lld,\n     ", s->every != NULL,
             (long long)s->every_steps);
    text_add(t, ".from = {%lld, %lld, %lld}", (long long)from[0], (long long)from[1],
             (long long)from[2]);
    add_axes("count", count, t);
    add_axes("stride", stride, t);
    text_add(t, "},\n");
}

static void add_outputs(const generation *g, text *t)
{
    text_add(t, "\n/* A list ends with an entry that is all zeros. */\n"
                "static const output outputs[] = {\n");
    for (const statement *s = g->program->first; s; s = s->next)
        if (s->kind == STATEMENT_OUTPUT)
            add_output(g, s, t);
    text_add(t, "    {0},\n};\n");
}

/* ---- tables ------------------------------------------------------------------------ */

/* "u(303 497)" for a receiver of u */
static void add_sample_heads(const generation *g, const statement *s,
                             const point_set *set, text *t)
{
    const int dim = g->code->dim;

    for (int64_t k = 0; k < set->count; k++) {
        text_add(t, ",%s(", s->symbol->name);
        for (int axis = 0; axis < dim; axis++) {
            text_add(t, axis ? " " : "");
            text_add_double(t, set->position[k * dim + axis]);
        }
        text_add(t, ")");
    }
}

/* set: of a sample; NULL for a measure. */
static pav_status add_record(const generation *g, const statement *s,
                             const point_set *set, text *t)
{
    text path = {0}, head = {0};
    TRY(rows_path(g->run, s, &path));
    const char *file = path.data ? path.data : "";
    const bool csv = ends_in(file, ".csv") || !*file, npy = ends_in(file, ".npy");

    text_add(&head, "step,t");
    if (set)
        add_sample_heads(g, s, set, &head);
    else
        text_add(&head, ",%s", s->symbol->name);
    if (!csv && !npy)
        text_add(&path, ".csv");
    text_add(t, "    {.path = ");
    add_string(path.data ? path.data : "", t);
    text_add(t, ", .columns = %lld, .skipped = %d,\n     .head = ",
             (long long)(set ? set->count : 1) + 2, set && npy ? 2 : 0);
    add_string(head.data ? head.data : "", t);
    text_add(t, "},\n");
    t->failed |= path.failed || head.failed;
    text_free(&path);
    text_free(&head);
    return PAV_OK;
}

/* One record for each measure, then one for each sample. */
static pav_status add_records(const generation *g, text *t)
{
    int64_t sample = 0;

    text_add(t, "\nenum { RECORDS = %lld };\nstatic table record[RECORDS + 1] = {\n",
             (long long)g->code->measures.count + g->samples);
    for (int64_t n = 0; n < g->code->measures.count; n++)
        TRY(add_record(g, g->code->measures.item[n].statement, NULL, t));
    for (const statement *s = g->program->first; s; s = s->next)
        if (s->kind == STATEMENT_SAMPLE)
            TRY(add_record(g, s, &g->sample[sample++], t));
    text_add(t, "    {0},\n};\n");
    return PAV_OK;
}

static void add_sample_list(const generation *g, text *t)
{
    int64_t n = 0;

    text_add(t, "\nstatic const sample samples[] = {\n");
    for (const statement *s = g->program->first; s; s = s->next)
        if (s->kind == STATEMENT_SAMPLE) {
            text_add(t, "    {PROGRAM_SAMPLE_%lld, %lld, &record[%lld]},\n", (long long)n,
                     (long long)s->every_steps, (long long)g->code->measures.count + n);
            n++;
        }
    text_add(t, "    {0},\n};\n");
}

/* ---- numbers ----------------------------------------------------------------------- */

static void add_number_entry(const event_group *group, int64_t n, text *t)
{
    const ir_event *event = &group->list->item[n];
    const bool measure = event->statement->kind == STATEMENT_MEASURE;

    text_add(t, "    {");
    add_string(measure ? event->statement->symbol->name : event->text, t);
    text_add(t, ", ");
    add_event_name(group, n, t);
    text_add(t, ", %lld, ", (long long)event->statement->every_steps);
    if (measure)
        text_add(t, "&record[%lld]},\n", (long long)n);
    else
        text_add(t, "NULL},\n");
}

static void add_number_lists(const generation *g, text *t)
{
    static const char *const name[] = {"measures", "untils", "expects"};
    event_group group[EVENT_GROUPS];

    event_groups(g->code, group);
    for (int n = 0; n < EVENT_GROUPS; n++) {
        text_add(t, "\nstatic const number %s[] = {\n", name[n]);
        for (int64_t k = 0; k < group[n].list->count; k++)
            add_number_entry(&group[n], k, t);
        text_add(t, "    {0},\n};\n");
    }
}

pav_status add_main(const generation *g, text *t)
{
    int64_t all = 1;

    for (int axis = 0; axis < g->code->dim; axis++)
        all *= g->program->axis[axis].points;
    text_add(t, "/* main.c, written by Pavior: a run of PROGRAM: its steps, and what is "
                "written of them. */\n"
                "#include <errno.h>\n#include <stdio.h>\n#include <stdlib.h>\n"
                "#include <string.h>\n#include <sys/stat.h>\n#include "
                "<time.h>\n\n#include \"PROGRAM.h\"\n\n");
    text_add(t,
             "/* Steps of a run, unless --steps says otherwise; points of the grid. */\n"
             "static const int64_t STEPS = %lld, POINTS = %lld;\n"
             "enum { EQUATIONS = %lld }; /* stages of a step */\n\n",
             (long long)g->program->steps, (long long)all,
             (long long)g->code->step.count);
    text_add(t, "%s", program_output);
    text_add(t, "\n/* ---- observers ----%s */\n",
             "--------------------------------------------------------------------");
    add_outputs(g, t);
    TRY(add_records(g, t));
    add_sample_list(g, t);
    add_number_lists(g, t);
    text_add(t, "\n");
    add_part(g, program_main, t);
    return PAV_OK;
}
