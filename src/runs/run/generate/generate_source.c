/* SPDX-License-Identifier: BSD-3-Clause */
/* Writes PROGRAM.c: the stages that the program calls, and the parts of its source in
 * order; names; the fields in memory, in the same layout as in a run, and the borders
 * at their faces; values from files; neighbours and weights of sources and samples as
 * tables, computed the same way as in a run. */
#include <ctype.h>
#include <string.h>

#include "base/functions/functions.h"
#include "run/generate/generate_private.h"

/* ---- names ------------------------------------------------------------------------- */

enum { LONGEST = 40 };

void add_heading(const char *title, text *t)
{
    char line[78];

    memset(line, '-', sizeof line);
    text_add(t, "\n/* ---- %s %.*s */\n", title, (int)(sizeof line - strlen(title)),
             line);
}

/* Each character that identifiers do not have becomes `_`. */
const char *identifier_of(const generation *g, const char *word)
{
    char *const own = arena_copy(g->arena, word, strlen(word));

    for (char *at = own; *at; at++)
        if ((unsigned char)*at >= 128 || !isalnum((unsigned char)*at))
            *at = '_';
    return own;
}

void add_text(text *part, text *t)
{
    text_add(t, "%s", part->data ? part->data : "");
    t->failed |= part->failed;
    text_free(part);
}

const char *comment_of(const generation *g, const char *words)
{
    char *const own = arena_copy(g->arena, words, strlen(words));

    for (char *at = own; *at; at++)
        if ((unsigned char)*at < ' ' || strchr("\177?\\", *at) ||
            (*at == '*' && at[1] == '/') || (*at == '/' && at[1] == '*'))
            *at = ' ';
    return own;
}

const char *number_of(const generation *g, double value)
{
    OWNED_BY(text_free) text t = {0};

    text_add_double(&t, value);
    return arena_print(g->arena, "%s", t.failed ? "" : t.data);
}

/* The last part of a path. A name of the catalogue, with an '@', is no path. */
const char *program_file_name(const char *path)
{
    return strchr(path, '@') ? path : path_name(path);
}

/* "heat3d" for "examples/heat/heat3d.pav", "star3d_r_4" for "star3d:r=4@64x64x64" */
static const char *last_name(const generation *g)
{
    const char *first = program_file_name(g->program->name), *dot = strrchr(first, '.');
    const size_t length = dot && strcmp(dot, ".pav") == 0 ? (size_t)(dot - first)
                                                          : strcspn(first, "@");
    const char *word = arena_copy(g->arena, first, length < LONGEST ? length : LONGEST);

    return arena_print(g->arena, "%s%s", isalpha((unsigned char)*first) ? "" : "program_",
                       identifier_of(g, word));
}

/* Reserved words: with _create, _free, _step, ... they would be names of the system or of
 * the program itself; with .h, names of included headers. */
static const char taken[] =
    "main, pthread, crew, mem, tuner, set, take, step, begin, next, run, sample, check, "
    "out, stage, call, copy, clear, of, to, from, timer, pthread_key, atomic_is_lock, "
    "errno, immintrin, math, sched, stdatomic, stdbool, stddef, stdint, stdio, stdlib, "
    "string, time, unistd";

static bool is_taken(const char *name)
{
    const size_t length = strlen(name);

    for (const char *at = taken; *at; at += strspn(at, ", ")) {
        const size_t word = strcspn(at, ",");
        if (word == length && strncmp(at, name, length) == 0)
            return true;
        at += word;
    }
    return false;
}

static bool is_name(const char *name)
{
    bool good = isalpha((unsigned char)*name) && strlen(name) <= LONGEST;

    for (; *name; name++)
        good = good && (unsigned char)*name < 128 &&
               (isalnum((unsigned char)*name) || *name == '_');
    return good;
}

pav_status program_name_of(generation *g)
{
    const char *const asked = g->options->name;

    if (asked && (!is_name(asked) || is_taken(asked)))
        return FAIL(PAV_EINVAL,
                    "a program cannot be called '%s': letters, digits and _ make a name, "
                    "at most %d of them, a letter first, and it is none of %s",
                    asked, LONGEST, taken);
    g->name = asked ? asked : last_name(g);
    if (is_taken(g->name))
        g->name = arena_print(g->arena, "%s_program", g->name);
    return PAV_OK;
}

/* ---- fields and faces -------------------------------------------------------------- */

/* The most slots of a stage; at least 1. */
static int64_t most_slots(const generation *g)
{
    int64_t most = 1;

    for (int64_t n = 0; n < g->code->stages; n++) {
        const ir_stage *s = &g->code->stage[n];
        emit_slot *slot = arena_alloc(g->arena, s->count + s->outputs + 1, sizeof *slot);
        most = int64_most(most, emit_slots(s, slot));
    }
    return most;
}

static void add_constants(const generation *g, text *t)
{
    const ir *code = g->code;

    add_heading("fields and numbers", t);
    text_add(t, "\nenum { ");
    for (int64_t f = 0; f < code->fields; f++)
        text_add(t, "%s, ", g->field[f]);
    text_add(t,
             "FIELDS };\nenum { DIMENSIONS = %d, UNIFORMS = %lld, TABLES = %lld, "
             "MOST_TABLES = "
             "%lld, STAGES = %lld, SOLVERS = %lld };\n",
             code->dim, (long long)code->uniforms, (long long)code->tables,
             (long long)code->tables + 1, (long long)code->stages + 1,
             (long long)g->solvers);
    /* The loop schedule on processors; ASKED = 0: the first steps choose it. */
    const schedule *s = &g->schedule;
    const bool rows = s->kind == SCHEDULE_ROWS || s->kind == SCHEDULE_BLOCKS;
    const bool asked = !g->gpu && rows, tiles = s->kind == SCHEDULE_CPU_TIME;
    text_add(t,
             "/* ASKED: the loop schedule was requested, by these values. */\n"
             "enum { ASKED = %d, ASKED_BLOCK = %d, ASKED_AHEAD = %d, ASKED_SINGLE = %d, "
             "ASKED_STREAM = %d, ASKED_ALONE = %d };\n",
             asked, asked ? s->tile.size[1] : 0, asked ? s->tile.ahead : 0,
             (asked || tiles) && s->thread.size[1] == 1, asked && s->non_temporal,
             asked && schedule_threads(s) == 1);
    /* without influence on values: with fewer points one thread is faster; bytes of a
     * core's own cache, about, and of all caches */
    text_add(
        t,
        "/* With fewer points one thread is faster; assumed bytes of the caches. */\n"
        "enum { FEW_POINTS = %d, CORE_CACHE = %lld, ALL_CACHES = %lld };\n",
        CPU_PARALLEL_POINTS, (long long)cpu_generated_core_cache,
        (long long)cpu_generated_last_cache);
    add_tile_numbers(g, t);
    if (g->gpu) {
        /* The decomposition of the grid. */
        const int axis = g->code->dim - 1;

        text_add(t,
                 "/* The axis cut into parts, its planes, and the fewest planes of a "
                 "part. */\n"
                 "enum { CUT = %d, PLANES = %lld, LEAST_PLANES = %lld };\n"
                 "enum { MOST_SLOTS = %lld }; /* levels used by one stage */\n"
                 "int PROGRAM_gpu[PROGRAM_PARTS] = {",
                 axis, (long long)points_along(g->code, axis, false),
                 (long long)(g->parts > 1 ? subdomain_least_width(g->code, axis) : 1),
                 (long long)most_slots(g));
        for (int n = 0; n < g->parts; n++)
            text_add(t, "%s%d", n ? ", " : "", g->gpu_of[n]);
        text_add(t, "};\ndouble PROGRAM_share[PROGRAM_PARTS] = {");
        for (int n = 0; n < g->parts; n++)
            text_add(t, "%s%s", n ? ", " : "", number_of(g, g->share[n]));
        text_add(t, "};\n");
    }
    text_add(t, "enum { TIME = %d, STEP = %d }; /* uniforms with t and the step */\n",
             code->uniform_t, code->uniform_step);
}

/* ---- memory ------------------------------------------------------------------------ */

static pav_status add_field_memory(const generation *g, int64_t number, text *t)
{
    static const char *const type[] = {
        [PAV_F32] = "F32", [PAV_F64] = "F64", [PAV_BF16] = "BF16",
        [PAV_F16] = "F16", [PAV_U8] = "U8",
    };
    const ir_field *f = &g->code->field[number];
    const int axis = g->code->dim - 1;
    const halo_depth d = halo_depth_of(g->code, number);
    field_shape shape = run_shape_whole(g->code, f);
    char block[1]; /* only its address is used */
    levels_size size;
    OWNED_BY(levels_free) levels l = {0};

    shape.line = g->gpu ? CPU_LINE : 0; /* on a GPU fields of a size have equal strides */
    if (!levels_measure(&shape, &size))
        return FAIL(PAV_ELIMIT, "field %s has more bytes than 64 bits can count",
                    f->name);
    TRY(levels_at(&shape, block, &l));
    const view *v = &l.level[0];
    text_add(t,
             "    [%s] = {\n        .shape = {.type = PROGRAM_%s, "
             ".extent = {%lld, %lld, %lld},\n                  "
             ".stride = {%lld, %lld, %lld},\n"
             "                  .halo = {{%d, %d}, {%d, %d}, {%d, %d}}},\n",
             g->field[number], type[v->type], (long long)v->extent[0],
             (long long)v->extent[1], (long long)v->extent[2], (long long)v->stride[0],
             (long long)v->stride[1], (long long)v->stride[2], v->halo[0][0],
             v->halo[0][1], v->halo[1][0], v->halo[1][1], v->halo[2][0], v->halo[2][1]);
    text_add(t,
             "        .first = %lld, .apart = %lld, .bytes = %lld, .levels = %d, "
             ".changes = %d",
             (long long)((const char *)v->data - (const char *)l.block),
             (long long)l.level_bytes, (long long)size.bytes, l.count, f->updated);
    if (g->gpu)
        text_add(t, ", .reach = {%d, %d}", d.side[axis][0], d.side[axis][1]);
    text_add(t, "},\n");
    return PAV_OK;
}

/* ---- faces ------------------------------------------------------------------------- */

static void add_face(const ir_border *b, text *t)
{
    static const char *const names[] = {"WRAPS", "CLAMPS", "BETWEEN", "NEGATIVE"};
    const ghost_map map = border_rules[b->kind].map;
    const char *before = "";

    text_add(t, "{%s, ",
             border_rules[b->kind].copies ? "FACE_COPY"
             : ir_border_stores_face(b)   ? "FACE_VALUE"
             : border_is(b->kind)         ? "FACE_BEYOND"
                                          : "FACE_NONE");
    for (int n = 0; n < (int)COUNT_OF(names); n++)
        if (map & 1U << n) {
            text_add(t, "%sGHOST_%s", before, names[n]);
            before = " | ";
        }
    text_add(t, "%s, %s", *before ? "" : "GHOST_EVEN",
             b->stage < 0 ? "NULL" : "(border_stage *const[]){");
    for (int n = 0; n < ir_border_stages(b); n++)
        text_add(t, "%sstage_%d", n ? ", " : "", b->stage + n);
    text_add(t, "%s, %d}", b->stage < 0 ? "" : "}", b->layers);
}

/* ---- values from files ------------------------------------------------------------- */

/* Fields and masks from files. In any case the generated program reads an npy file next
 * to it, with exactly the initial values of a run. */

bool program_reads_files(const generation *g)
{
    for (int64_t n = 0; n < g->code->start.count; n++)
        if (g->code->start.item[n].kind == START_FILE)
            return true;
    return false;
}

/* ---- sources and samples ----------------------------------------------------------- */

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
                "%s:%d: sources and samples have %lld neighbours on the grid and values "
                "of traces, a line of the program each; at most %d can be written",
                g->program->name, s->at.line, (long long)*all, MOST_NEIGHBOURS);
}

pav_status open_points(generation *g)
{
    const ir_event_list *sources = &g->code->injections;
    int64_t all = 0;

    EACH_STATEMENT(s, g->program) {
        g->fields_sampled += s->kind == STATEMENT_SAMPLE;
        g->samples += sample_is_whole(s);
    }
    g->injection = arena_alloc(g->arena, sources->count + 1, sizeof *g->injection);
    g->sample = arena_alloc(g->arena, g->fields_sampled + 1, sizeof *g->sample);
    for (int64_t n = 0; n < sources->count; n++) {
        TRY(open_set(g, sources->item[n].statement, &g->injection[n], &all));
        all += g->injection[n].trace.rows * g->injection[n].trace.columns;
    }
    int64_t n = 0;
    for (const statement *s = next_sample(g->program->first); s; s = next_sample(s->next))
        TRY(open_set(g, s, &g->sample[n++], &all));
    return PAV_OK;
}

void close_points(generation *g)
{
    for (int64_t n = 0; g->injection && n < g->code->injections.count; n++)
        points_close(&g->injection[n]);
    for (int64_t n = 0; g->sample && n < g->fields_sampled; n++)
        points_close(&g->sample[n]);
}

const point_set *points_of(const generation *g, const statement *s)
{
    int64_t n = 0;

    for (const statement *k = next_sample(g->program->first); k;
         k = next_sample(k->next)) {
        if (k == s || k->gather == s)
            return &g->sample[n];
        n++;
    }
    return NULL;
}

/* ---- as text ----------------------------------------------------------------------- */

/* For a source, skips points given by a border. */
static int64_t add_set(const generation *g, const point_set *set, const char *name,
                       int64_t number, int source, text *t)
{
    int64_t count = 0;

    text_add(t, "\nstatic const neighbour %s_at_%lld[] = {\n", name, (long long)number);
    for (int64_t k = 0, row = 0; k < set->neighbours; k++) {
        row += k == set->first[row + 1];
        if (source < 0 || !point_is_given(g->code, source, set->index[k])) {
            const int64_t *at = set->index[k];
            text_add(t, "    {{%lld, %lld, %lld}, ", (long long)at[0], (long long)at[1],
                     (long long)at[2]);
            text_add_double(t, set->weight[k]);
            text_add(t, ", %lld},\n", (long long)row);
            count++;
        }
    }
    text_add(t, count ? "};\n" : "    {{0, 0, 0}, 0, 0},\n};\n");
    return count;
}

/* ---- sources ----------------------------------------------------------------------- */

/* Numbers of a list, without its braces. */
static void add_values(const double *value, int64_t count, text *t)
{
    for (int64_t k = 0; k < count; k++) {
        text_add(t, k % 4 ? " " : "\n        ");
        text_add_double(t, value[k]);
        text_add(t, ",");
    }
}

/* The factor of a source at a step, from a file: it is 0 behind the end of the trace. */
static void add_trace(const trace_table *f, long long number, text *t)
{
    text_add(
        t,
        "\nstatic double trace_%lld(int64_t step, int64_t row)\n{\n    enum { COLUMNS "
        "= %lld };\n    static const double value[] = {",
        number, (long long)f->columns);
    add_values(f->value, f->rows * f->columns, t);
    text_add(
        t,
        "\n    };\n\n    return step < %lld ? value[step*COLUMNS + (COLUMNS > 1 ? row : "
        "0)] : 0;\n}\n",
        (long long)f->rows);
}

static void add_injection(const generation *g, int64_t number, text *t)
{
    const ir_event *event = &g->code->injections.item[number];
    const ir_field *f = &g->code->field[event->field];
    const long long n = number;
    const trace_table *const trace = &g->injection[number].trace;
    const int64_t count = add_set(g, &g->injection[number], "source", number,
                                  event->field, t);

    if (trace->value)
        add_trace(trace, n, t);

    text_add(t, "\nstatic void inject_%lld(program *p%s)\n{\n    set_time(p, p->step);\n",
             n, g->tilings ? ", const box *within" : "");
    for (int64_t k = 0; k + 1 < event->list.count; k++)
        add_stage_call(g, event->list.stage[k], t);
    text_add(t,
             "    for (int64_t n = 0; n < %lld; n++) {\n"
             "        const box b = point_box(source_at_%lld[n].at);\n",
             (long long)count, n);
    if (g->tilings)
        text_add(t, "        const box own = box_common(b, *within);\n"
                    "        if (box_points(own) == 0)\n            continue;\n");
    for (int k = 0; k < f->masks; k++)
        text_add(t,
                 "        if (is_masked(p, %s, source_at_%lld[n].at))\n"
                 "            continue;\n",
                 g->field[f->mask[k]], n);
    text_add(t,
             "        p->uniform[%d] = source_at_%lld[n].weight%s;\n"
             "        stage_%d(p, &b);\n    }\n}\n",
             event->weight, n,
             trace->value ? arena_print(g->arena,
                                        "\n                         *trace_%lld(p->step, "
                                        "source_at_%lld[n].row)",
                                        n, n)
                          : "",
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

/* A column of a sample of expressions as C. A symbol is the value of a sum of fields. */
static const char *column_of(const generation *g, const expr *e)
{
    static const char *const sign[] = {
        [OP_ADD] = "+", [OP_SUB] = "-", [OP_MUL] = "*",  [OP_DIV] = "/",
        [OP_LT] = "<",  [OP_LE] = "<=", [OP_GT] = ">",   [OP_GE] = ">=",
        [OP_EQ] = "==", [OP_NE] = "!=", [OP_AND] = "&&", [OP_OR] = "||"};
    const function_kind f = e->kind == EXPR_BINARY ? FUNCTION_POW : e->function;
    const char *arg[3] = {0};

    if (e->kind == EXPR_SYMBOL)
        return arena_print(g->arena, "form[%d]", e->level);
    if (e->kind == EXPR_NUMBER)
        return arena_print(g->arena, "(double)(%s)", number_of(g, num_f64(e->number)));
    if (e->kind == EXPR_BUILTIN)
        return e->builtin == BUILTIN_T ? "p->uniform[TIME]"
               : e->builtin == BUILTIN_STEP
                   ? "p->uniform[STEP]"
                   : arena_print(g->arena, "at[%d]", e->builtin - BUILTIN_X);
    for (int k = 0; k < e->count; k++)
        arg[k] = column_of(g, e->arg[k]);
    if (e->kind == EXPR_UNARY)
        return arena_print(g->arena, "%s(%s)", e->op == OP_NEG ? "-" : "!", arg[0]);
    if (e->kind == EXPR_BINARY && e->op != OP_POW)
        return arena_print(g->arena, "(%s %s %s)", arg[0], sign[e->op], arg[1]);
    if (e->kind == EXPR_CALL && e->function == FUNCTION_WHERE)
        return arena_print(g->arena, "(%s ? %s : %s)", arg[0], arg[1], arg[2]);
    const bool own = f <= FUNCTION_SQRT || f == FUNCTION_POW || f == FUNCTION_RICKER;
    return arena_print(g->arena, "%s_%s(%s%s%s)", own ? "number" : "f64",
                       function_table[f].name, arg[0], e->count > 1 ? ", " : "",
                       e->count > 1 ? arg[1] : "");
}

/* The values of a sample of expressions at all positions: first the sums of fields, in
 * the order of their parts. */
static void add_gather(const generation *g, const statement *s, long long number, text *t)
{
    const point_set *const set = points_of(g, s);
    int64_t n = 0;
    int form = -1;

    text_add(t,
             "\nstatic void gather_%lld(PROGRAM_run *p, double *value)\n{\n"
             "    static const double position[] = {",
             number);
    add_values(set->position, set->count * g->code->dim, t);
    text_add(t,
             "\n    };\n    double form[%d], part;\n\n    for (int64_t n = 0; n < %lld; "
             "n++) {\n        const double *const at = position + n*%d;\n        "
             "(void)at;\n",
             s->forms + 1, (long long)set->count, g->code->dim);
    for (const statement *k = next_sample(g->program->first); k;
         k = next_sample(k->next)) {
        if (k->gather == s)
            text_add(
                t,
                "        sample_field(p, %s, sample_at_%lld, sample_first_%lld + n, 1, "
                "&part);\n        form[%d] %s part;\n",
                g->field[run_field_of(g->run, k->symbol)], (long long)n, (long long)n,
                k->form, k->form == form ? "+=" : "=");
        form = k->gather == s ? k->form : form;
        n++;
    }
    for (int k = 0; k < s->columns; k++)
        text_add(t, "        value[%lld + n] = %s;\n", (long long)set->count * k,
                 column_of(g, s->made_of[k]));
    text_add(t, "    }\n}\n");
}

static void add_samples(const generation *g, text *t)
{
    long long number = 0;

    for (int64_t n = 0; n < g->fields_sampled; n++) {
        const point_set *const set = &g->sample[n];
        (void)add_set(g, set, "sample", n, -1, t);
        text_add(t, "static const int64_t sample_first_%lld[] = {", (long long)n);
        for (int64_t k = 0; k <= set->count; k++)
            text_add(t, k % 12 ? " %lld," : "\n    %lld,", (long long)set->first[k]);
        text_add(t, "\n};\n");
    }
    EACH_STATEMENT(s, g->program) {
        if (s->kind == STATEMENT_GATHER)
            add_gather(g, s, number, t);
        number += sample_is_whole(s);
    }
    text_add(t, "\nvoid PROGRAM_sample(PROGRAM_run *p, int which, double *value)\n{\n"
                "    (void)p;\n    (void)value;\n    switch (which) {\n");
    number = 0;
    EACH_STATEMENT(s, g->program) {
        if (!sample_is_whole(s))
            continue;
        const point_set *const set = points_of(g, s);
        const long long n = set - g->sample;
        text_add(t, "    case PROGRAM_SAMPLE_%lld: ", number);
        if (s->kind == STATEMENT_GATHER)
            text_add(t, "gather_%lld(p, value); break;\n", number);
        else
            text_add(
                t,
                "sample_field(p, %s, sample_at_%lld, sample_first_%lld, %lld, value); "
                "break;\n",
                g->field[run_field_of(g->run, s->symbol)], n, n, (long long)set->count);
        number++;
    }
    text_add(t, "    default: break;\n    }\n}\n");
}

extern const char program_base[], program_box_private[], program_types[],
    program_reduction[], program_tuner[], program_tuner_private[], program_crew_private[],
    program_crew[], program_ghost_map_private[], program_ghosts[], program_partition[],
    program_calls[], program_reductions[], program_borders[], program_points[],
    program_interface[], program_files[], program_gpu[], program_tiles[], program_walk[],
    program_walk_private[], program_transform[], transform_words_private[],
    transform_box_private[], program_residual_private[];

/* ---- the source -------------------------------------------------------------------- */

/* True if the line begins a function of other files. */
static bool begins_function(const char *line)
{
    static const char *const others[] = {"static", "typedef", "enum", "struct", "INLINE"};

    for (int n = 0; n < (int)COUNT_OF(others); n++)
        if (starts(line, others[n]))
            return false;
    return isalpha((unsigned char)*line) && line[strcspn(line, "(\n")] == '(';
}

void add_own(const char *source, text *t)
{
    text_add(t, "\n");
    while (*source) {
        const size_t length = strcspn(source, "\n");
        const int64_t whole = (int64_t)length + (source[length] == '\n');
        if (begins_function(source))
            text_add(t, "static ");
        if (starts(source, "#include"))
            source += strspn(source + whole, "\n"); /* and the blank lines behind it */
        else
            text_add_bytes(t, source, whole);
        source += whole;
    }
}

static void add_driver_part(const generation *g, const char *source, bool needed, text *t)
{
    if (!needed)
        return;
    text_add(t, "\n");
    add_part(g, source, t);
}

static void add_driver(const generation *g, text *t)
{
    add_driver_part(g, program_base, true, t);
    add_own(program_box_private, t);
    add_heading("a team of threads", t);
    add_own(program_crew_private, t);
    add_own(program_crew, t);
    if (g->tilings > 0) {
        add_heading("walks", t);
        add_own(program_walk_private, t);
        add_own(program_walk, t);
    }
    add_own(program_tuner_private, t);
    add_own(program_tuner, t);
    if (g->solution)
        add_own(program_residual_private, t);
    add_driver_part(g, program_types, true, t);
    add_heading("boxes and ghosts", t);
    add_own(program_ghost_map_private, t);
    text_add(t, "\ntypedef struct ghost_sides {\n    bool filled[2];\n"
                "    ghost_map map[2];\n} ghost_sides;\n");
    add_own(program_partition, t);
    add_own(program_ghosts, t);
    add_own(program_reduction, t);
    add_driver_part(g, program_calls, true, t);
    add_driver_part(g, program_gpu, g->gpu, t);
    add_driver_part(g, program_borders, true, t);
    add_driver_part(g, program_reductions, g->reductions, t);
    add_driver_part(g, program_points, g->points, t);
    add_driver_part(g, program_tiles, g->tilings > 0, t);
    if (program_reads_files(g))
        add_driver_part(g, program_files, true, t);
}

static bool numbers_have_functions(const generation *g)
{
    const ir *code = g->code;

    for (int64_t n = 0; n < code->tables; n++)
        if (ir_has_functions(&code->table[n].stage))
            return true;
    for (int64_t n = 0; n < code->stages; n++)
        if (ir_is_uniform(&code->stage[n]) && ir_has_functions(&code->stage[n]))
            return true;
    EACH_STATEMENT(s, g->program)
        if (s->kind == STATEMENT_GATHER)
            return true;
    return false;
}

pav_status add_source(const generation *g, text *t)
{
    text_add(t,
             "/* " LICENCE " */\n/* PROGRAM.c, written by Pavior: %s"
             ". README.md explains the build, PROGRAM.h the interface. */\n"
             "#include <assert.h>\n#include <pthread.h>\n#include <sched.h>\n#include "
             "<stdatomic.h>\n#include "
             "<stdbool.h>\n"
             "#include <stdio.h>\n#include <stdlib.h>\n#include "
             "<sys/mman.h>\n#include <time.h>\n#include <unistd.h>\n\n#include "
             "\"PROGRAM%s.h\"\n",
             comment_of(g, program_file_name(g->program->name)), g->gpu ? "_gpu" : "");
    for (int64_t n = 1; n <= g->solvers; n++)
        text_add(t, "#include \"PROGRAM_solve%lld.h\"\n", (long long)n);
    /* Static functions remain static. */
    char name[EMIT_NAME];

    text_add(t, "\nstruct work;\n");
    for (int n = 0; n < g->code->stages; n++)
        if (g->code->stage[n].transform || emit_has_kernel(&g->code->stage[n])) {
            emit_kernel_name(name, 0, n);
            text_add(t, "static %svoid %s(const struct work *w);\n",
                     is_used(g, n) && !g->gpu ? "" : "__attribute__((unused)) ", name);
        }
    text_add(t, "\n");
    TRY(kernel_source(g->code, false, &(schedule){.kind = SCHEDULE_ROWS}, t));
    if (numbers_have_functions(g) && !strstr(t->data, function_scalar_private))
        text_add(t, "\n%s\n%s\n%s", function_scalar_private, function_series_private,
                 function_text_private);
    if (g->transforms)
        emit_transforms(transform_words_private, transform_box_private, program_transform,
                        t);
    add_constants(g, t);
    const int64_t begin = t->length;
    add_driver(g, t);
    const int64_t end = t->length;
    if (g->samples > 0)
        add_value_at(g, t);
    add_heading("PROGRAM", t);
    text_add(t, "\nstatic const field_memory field[FIELDS] = {\n");
    for (int64_t f = 0; f < g->code->fields; f++)
        TRY(add_field_memory(g, f, t));
    text_add(t, "};\n");
    TRY(add_tables_and_stages(g, t));
    text_add(t, "\n/* The borders of each field, along x, y and z: side -, side +. */\n"
                "static const face faces[FIELDS][3][2] = {\n");
    for (int64_t f = 0; f < g->code->fields; f++) {
        text_add(t, "    [%s] = {", g->field[f]);
        for (int axis = 0; axis < g->code->dim; axis++) {
            text_add(t, axis ? ",\n        {" : "\n        {");
            add_face(&g->code->field[f].border[axis][0], t);
            text_add(t, ", ");
            add_face(&g->code->field[f].border[axis][1], t);
            text_add(t, "}");
        }
        text_add(t, "},\n");
    }
    text_add(t, "};\n");
    add_start(g, t);
    TRY(add_step(g, t));
    add_tile_operations(g, t);
    add_driver_part(g, program_interface, true, t);
    add_numbers(g, t);
    add_samples(g, t);
    add_solve(g, t);
    return emit_prune(t, begin, end);
}
