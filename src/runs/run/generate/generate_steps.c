/* SPDX-License-Identifier: BSD-3-Clause */
/* Writes the run of a generated program, in the order given by struct ir: each stage
 * as a function, the start, a step, and the numbers between steps. A stage of uniforms
 * is plain C; another stage lists the levels for its kernel. */
#include <math.h>
#include <stdlib.h>

#include "run/generate/generate_private.h"
#include "run/run_private.h"

/* ---- stages ------------------------------------------------------------------------ */

static bool has_kernel(const generation *g, int stage)
{
    return g->code->stage[stage].transform || emit_has_kernel(&g->code->stage[stage]);
}

/* On processors: a transform shares the function of its type. */
static void add_transform(const generation *g, int stage, text *t)
{
    const ir_stage *s = &g->code->stage[stage];
    const line_transform line = ir_transform_of(g->code, s);
    const ir_node *last = &s->node[s->count - 1];
    char name[EMIT_NAME];

    emit_kernel_name(name, 0, stage);
    text_add(t, "\nstatic void %s(const work *w)\n{\n", name);
    emit_transform_literal(&line, t);
    text_add(t, "\n    %s_transform_work(w, %d, &t, %d, %d);\n}\n",
             pav_type_name(s->real), s->along - 1, last[-1].table, last->table);
}

/* ---- numbers ----------------------------------------------------------------------- */

/* The argument of a metric at an index. It is linear in the index, as lower_index and the
 * passes build it. */
static double metric_argument(const ir_stage *s, int node, double index)
{
    const ir_node *n = &s->node[node];
    double a[3] = {0};

    for (int k = 0; k < ir_op_table[n->op].arguments; k++)
        a[k] = metric_argument(s, n->arg[k], index);
    return n->op == IR_CONST   ? num_f64(n->value)
           : n->op == IR_INDEX ? index
                               : interp_apply(n->op, a[0], a[1], a[2]);
}

/* The range of a metric's indices in tables; none: hi < lo. */
static void metric_range(const ir *code, int metric, int64_t *lo, int64_t *hi)
{
    *lo = INT64_MAX;
    *hi = INT64_MIN;
    for (int64_t t = 0; t < code->tables; t++) {
        const ir_table *table = &code->table[t];
        const int64_t last = points_along(code, table->axis, table->coarse) - 1 +
                             table->margin[1];
        for (const ir_node *n = NULL; (n = ir_next_node(&table->stage, n));) {
            if (n->op != IR_METRIC || n->field != metric)
                continue;
            const double ends[] = {
                metric_argument(&table->stage, n->arg[0], -(double)table->margin[0]),
                metric_argument(&table->stage, n->arg[0], (double)last)};
            for (int i = 0; i < 2; i++) {
                *lo = (int64_t)ends[i] < *lo ? (int64_t)ends[i] : *lo;
                *hi = (int64_t)ends[i] > *hi ? (int64_t)ends[i] : *hi;
            }
        }
    }
}

/* A function that gives the values of a table, or without one of a metric, at indices lo
 * to hi. */
static void add_values(const ir *code, int number, const double *table, int64_t lo,
                       int64_t hi, text *t)
{
    text_add(t,
             "\nstatic double %s_%d(%s index)\n{\n"
             "    static const double value[] = {",
             table ? "table" : "metric", number, table ? "int64_t" : "double");
    for (int64_t i = lo; i <= hi; i++) {
        const double value = table ? table[i] : ir_metric_value(code, number, i);
        text_add(t, i > lo ? ", " : "");
        if ((i - lo) % 3 == 0)
            text_add(t, "\n        ");
        if (isfinite(value))
            text_add_double(t, value);
        else
            text_add(t, isnan(value) ? "NAN" : value < 0 ? "-INFINITY" : "INFINITY");
    }
    text_add(t, "};\n\n    return value[(int64_t)index - (%lld)];\n}\n", (long long)lo);
}

/* Tables have margins, because kernels load whole vectors. Values of lines, computed in
 * order, are written as numbers. */
static pav_status add_tables(const generation *g, text *t)
{
    const ir *code = g->code;
    const double **values = arena_alloc(g->arena, code->tables + 1, sizeof *values);

    for (int m = 0; m < (int)code->metrics; m++) {
        int64_t lo, hi;
        metric_range(code, m, &lo, &hi);
        if (lo <= hi)
            add_values(code, m, NULL, lo, hi, t);
    }
    for (int n = 0; n < (int)code->tables; n++) {
        const ir_table *table = &code->table[n];
        const int64_t lo = -table->margin[0],
                      end = points_along(code, table->axis, table->coarse) +
                            table->margin[1];
        double *own = arena_alloc(g->arena, end - lo, sizeof *own);
        values[n] = own - lo;
        TRY(interp_table(code, n, values, own));
        if (table->stage.along) {
            add_values(code, n, values[n], lo, end - 1, t);
        } else {
            text_add(t, "\nstatic double table_%d(int64_t %c)\n{\n", n,
                     "ijk"[table->axis]);
            TRY(emit_number_lines(code, &table->stage, true, t));
            text_add(t, "}\n");
        }
    }
    if (code->tables == 0)
        return PAV_OK;
    text_add(t, "\nstatic void fill_tables(program *p)\n{\n");
    for (int64_t n = 0; n < code->tables; n++) {
        const ir_table *table = &code->table[n];
        const int64_t count = points_along(code, table->axis, table->coarse);
        text_add(t, "    fill_table(p, %lld, table_%lld, %d, %lld);\n", (long long)n,
                 (long long)n, -table->margin[0], (long long)count + table->margin[1]);
    }
    text_add(t, "}\n");
    return PAV_OK;
}

/* ---- kernels ----------------------------------------------------------------------- */

/* A comment; `other` for a stage without a name. */
static void add_stage_name(const generation *g, int stage, const char *other, text *t)
{
    const char *const name = g->code->stage[stage].name;

    text_add(t, "\n/* %s */\n", comment_of(g, name ? name : other));
}

/* True if the caller gives the box of the stage: stages of borders and of sources run on
 * faces and single points. */
static bool is_called_with_box(const generation *g, int stage)
{
    const ir_event_list *sources = &g->code->injections;

    for (int64_t n = 0; n < sources->count; n++)
        if (sources->item[n].list.stage[sources->item[n].list.count - 1] == stage)
            return false;
    return g->border[stage] < 0;
}

/* A border's stage is written for level 0, which is a placeholder for the filled level.
 * For other fields level 1 is. */
static void add_slot(const generation *g, int stage, const emit_slot *slot,
                     const char *before, const char *after, text *t)
{
    text_add(t, "%s%s, ", before, g->field[slot->field]);
    if (g->border[stage] >= 0 && slot->level == (g->border[stage] != slot->field))
        text_add(t, "level%s", after);
    else
        text_add(t, "%d%s", slot->level, after);
}

/* Appends `same_ends` of the call: the halo around the rows is equal in all levels that
 * the stage stores. It is 0 for GPUs, and outside the step: a source covers one point
 * instead of whole rows. */
static void add_same_ends(const generation *g, const emit_slot *slot, int64_t slots,
                          text *t)
{
    const char *sign = "";

    for (int64_t n = 0; n < slots && !g->gpu; n++) {
        if (!slot[n].stored)
            continue;
        text_add(t, "%shas_same_ends(p, %s)", sign, g->field[slot[n].field]);
        sign = " && ";
    }
    text_add(t, "%s", *sign ? "" : "0");
}

static void add_call(const generation *g, int stage, int reductions,
                     const cost_load *load, const emit_slot *slot, int64_t slots, text *t)
{
    /* The call of a stage on GPUs: by subdomains, if the processors have one of them
     * or compute the start; otherwise on the GPUs alone. */
    char name[EMIT_NAME];
    bool processors = g->early[stage];

    emit_kernel_name(name, 0, stage);
    for (int n = 0; n < g->parts; n++)
        processors = processors || g->gpu_of[n] < 0;
    if (runs_on_gpu(g, stage))
        text_add(t, "    %s(p, PROGRAM_gpu_stage_%d, %s, %s, %lld",
                 reductions ? "reduce_parts" : "run_parts", stage,
                 processors ? name : "NULL", slots ? "s" : "NULL", (long long)slots);
    else
        text_add(t, "    run_%s(p, %s, %s", reductions ? "reductions" : "kernel", name,
                 slots ? "g" : "NULL");
    text_add(t, ", b,\n               (traffic){%lld, %lld, %lld, %d, %d, ",
             (long long)load->point_bytes, (long long)load->planes * load->loaded_bytes,
             (long long)load->rows, g->border[stage] < 0 ? stage : -1,
             g->code->stage[stage].transform ? g->code->stage[stage].along : 0);
    add_same_ends(g, slot, ir_is_in_step(g->code, stage) ? slots : 0, t);
    text_add(t, "}");
    if (reductions)
        text_add(t, ", r, %d", reductions);
    text_add(t, ");\n");
}

static void add_function(const generation *g, int stage, text *t)
{
    const ir_stage *s = &g->code->stage[stage];
    emit_slot *slot = arena_alloc(g->arena, s->count + s->outputs + 1, sizeof *slot);
    const int64_t slots = emit_slots(s, slot);
    const cost_load load = cost_load_of(g->code, s, slot, slots);
    const int reductions = ir_reductions(s);
    const box b = ir_stage_box(g->code, s);

    if (s->transform)
        add_transform(g, stage, t);
    add_stage_name(g, stage, "without a name", t);
    if (is_called_with_box(g, stage))
        text_add(t,
                 "static const box box_%d = {{%lld, %lld, %lld}, {%lld, %lld, %lld}};\n",
                 stage, (long long)b.lo[0], (long long)b.lo[1], (long long)b.lo[2],
                 (long long)b.hi[0], (long long)b.hi[1], (long long)b.hi[2]);
    text_add(t, "static void stage_%d(program *p, const box *b%s)\n{\n", stage,
             g->border[stage] >= 0 ? ", int level" : "");
    /* The levels of a stage: their grids, or for subdomains, each with its own memory,
     * their slots. */
    const bool there = runs_on_gpu(g, stage);

    if (slots != 0) {
        text_add(t, there ? "    const slot s[] = {\n" : "    const grid g[] = {\n");
        for (int64_t n = 0; n < slots; n++)
            add_slot(g, stage, &slot[n], there ? "        {" : "        grid_of(p, ",
                     there ? "},\n" : "),\n", t);
        text_add(t, "    };\n");
    }
    if (reductions) {
        static const char *const kind[] = {[REDUCTION_SUM] = "REDUCE_SUM",
                                           [REDUCTION_MIN] = "REDUCE_MIN",
                                           [REDUCTION_MAX] = "REDUCE_MAX"};

        text_add(t, "    static const reduction r[] = {");
        for (int64_t n = 0, any = 0; n < s->outputs; n++)
            if (s->output[n].kind == IR_REDUCE)
                text_add(t, "%s{%s, %d}", any++ ? ", " : "", kind[s->output[n].reduction],
                         s->output[n].uniform);
        text_add(t, "};\n");
    }
    text_add(t, "\n");
    if (s->before >= 0)
        text_add(t, "    stage_%d(p);\n", s->before);
    /* After the start, the host downloads its input from the GPU. Results stored by
     * the GPU are valid only there. */
    for (int64_t n = 0; n < slots; n++) {
        const bool host = g->gpu && g->later[stage] && !runs_on_gpu(g, stage);
        if (!host && !(runs_on_gpu(g, stage) && slot[n].stored))
            continue;
        add_slot(g, stage, &slot[n], host ? "    download(p, " : "    changed_there(p, ",
                 ");\n", t);
    }
    add_call(g, stage, reductions, &load, slot, slots, t);
    text_add(t, "}\n");
}

/* ---- all of them ------------------------------------------------------------------- */

pav_status add_tables_and_stages(const generation *g, text *t)
{
    TRY(add_tables(g, t));
    for (int n = 0; n < g->code->stages; n++)
        if (is_used(g, n) && !has_kernel(g, n)) {
            add_stage_name(g, n, "numbers", t);
            text_add(t, "static void stage_%d(program *p)\n{\n", n);
            TRY(emit_number_lines(g->code, &g->code->stage[n], false, t));
            text_add(t, "}\n");
        }
    for (int n = 0; n < g->code->stages; n++)
        if (is_used(g, n) && has_kernel(g, n))
            add_function(g, n, t);
    return PAV_OK;
}

/* Calls a stage plane by plane, in its order. Kernels go along rows, and GPUs along all
 * lines, by themselves; but threads share the only row of a grid of one dimension. */
static bool goes_by_planes(const generation *g, int stage)
{
    return abs(g->code->stage[stage].along) - 1 >= (g->code->dim > 1) &&
           !g->code->stage[stage].transform && !runs_on_gpu(g, stage);
}

void add_stage_call(const generation *g, int stage, text *t)
{
    const int along = g->code->stage[stage].along, axis = abs(along) - 1;

    if (goes_by_planes(g, stage))
        text_add(t,
                 "    for (int64_t n = %s; n %s; n%s) {\n"
                 "        box plane = box_%d;\n"
                 "        plane.lo[%d] = n;\n"
                 "        plane.hi[%d] = n + 1;\n"
                 "        stage_%d(p, &plane);\n"
                 "    }\n",
                 along > 0 ? arena_print(g->arena, "box_%d.lo[%d]", stage, axis)
                           : arena_print(g->arena, "box_%d.hi[%d] - 1", stage, axis),
                 along > 0 ? arena_print(g->arena, "< box_%d.hi[%d]", stage, axis)
                           : arena_print(g->arena, ">= box_%d.lo[%d]", stage, axis),
                 along > 0 ? "++" : "--", stage, axis, axis, stage);
    else if (has_kernel(g, stage))
        text_add(t, "    stage_%d(p, &box_%d);\n", stage, stage);
    else
        text_add(t, "    stage_%d(p);\n", stage);
}

/* ---- the start --------------------------------------------------------------------- */

static void add_border(const generation *g, const char *how, int field, int level,
                       const char *step, text *t)
{
    text_add(t, "    %s_border(p, %s, %d, %s);\n", how, g->field[field], level, step);
}

bool is_shown(const generation *g, const ir_start *s)
{
    const symbol *of = s->field >= 0 ? g->code->field[s->field].symbol : NULL;

    return s->kind == START_STAGE && of && of->shown;
}

static void add_start_item(const generation *g, const ir_start *s, text *t)
{
    char level[24];

    (void)snprintf(level, sizeof level, "%d", s->field >= 0 ? s->level : 0);
    text_add(t, "    set_time(p, %s);\n", level);
    switch (s->kind) {
    case START_STAGE: add_stage_call(g, s->stage, t); break;
    case START_COPY:
        text_add(t, "    copy_level(p, %s, %d, 0);\n", g->field[s->field], s->level);
        break;
    case START_ZERO:
        text_add(t, "    zero_level(p, %s, %d);\n", g->field[s->field], s->level);
        break;
    case START_BORDERS: add_border(g, "fill", s->field, s->level, level, t); break;
    case START_FILE:
        text_add(t, "    read_level(p, %s, %d, \"PROGRAM-%s.npy\");\n",
                 g->field[s->field], s->level,
                 identifier_of(g, g->code->field[s->field].name));
        break;
    }
}

void add_start(const generation *g, text *t)
{
    text_add(t, "\nstatic void set_initial_numbers(program *p)\n{\n"
                "    memset(p->uniform, 0, sizeof p->uniform);\n");
    for (int64_t n = 0; n < g->code->uniforms; n++) {
        const ir_uniform *u = &g->code->uniform[n];
        if (u->value == 0 && !signbit(u->value))
            continue;
        text_add(t, "    p->uniform[%lld] = %s; /* %s */\n", (long long)n,
                 number_of(g, u->value), comment_of(g, u->name ? u->name : "a value"));
    }
    text_add(t, "}\n\nstatic double time_of(const program *p, int64_t step)\n{\n");
    if (g->solution) { /* t of the step that it solves for */
        text_add(t, "    (void)step;\n    return p->uniform[TIME];\n}\n");
    } else if (g->code->time) {
        text_add(t,
                 "    const double t = p->uniform[%d], dt = p->uniform[%d], end = %s;\n"
                 "    return step == p->step + 1 && t < end && end - t <= dt\n"
                 "               ? end\n"
                 "               : t + (double)(step - p->step)*dt;\n}\n",
                 g->code->time, g->code->dt,
                 g->code->stop ? arena_print(g->arena, "p->uniform[%d]", g->code->stop)
                               : number_of(g, num_f64(g->code->program->end)));
    } else if (g->code->dt >= 0) {
        text_add(t, "    return (double)step*p->uniform[%d];\n}\n", g->code->dt);
    } else {
        text_add(t, "    (void)p;\n    return (double)step*%s;\n}\n",
                 number_of(g, num_f64(g->code->dt_value)));
    }
    text_add(t, "\n/* Sets the initial values of all levels of all fields. */\n"
                "static void start(program *p)\n{\n");
    for (int64_t n = 0; n < g->code->start.count; n++)
        add_start_item(g, &g->code->start.item[n], t);
    text_add(
        t,
        "    set_time(p, 0);\n}\n\n/* Computes a field that is an output's expression. "
        "*/\nstatic void show(program *p, int f)\n{\n    (void)p;\n    (void)f;\n");
    for (int64_t n = 0; n < g->code->start.count; n++) {
        const ir_start *s = &g->code->start.item[n];
        if (!is_shown(g, s))
            continue;
        text_add(t, "    if (f == %s)\n    ", g->field[s->field]);
        add_stage_call(g, s->stage, t);
    }
    text_add(t, "}\n");
}

/* ---- a step ------------------------------------------------------------------------ */

static void add_exchange(const generation *g, int field, int level, text *t)
{
    if (g->parts > 1)
        text_add(t, "    exchange_planes(p, %s, %d);\n", g->field[field], level);
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

static void add_list(const generation *g, const ir_list *list, text *t)
{
    for (int64_t n = 0; n < list->count; n++) {
        const ir_stage *s = &g->code->stage[list->stage[n]];
        bool any = false;
        for (int64_t k = 0; k < g->solvers && list == &g->code->step; k++)
            if (g->solver[k].stage == list->stage[n])
                text_add(t, "    solve_%lld(p);\n", (long long)k);
        text_add(t, s->rests ? "    if (p->anew) {\n" : "");
        add_stage_call(g, list->stage[n], t);
        for (int64_t k = 0; k < s->outputs; k++)
            if (s->output[k].kind == IR_STORE) {
                add_kept_border(g, s->output[k].field, s->output[k].level, t);
                any = true;
            }
        text_add(t, "%s%s", any ? "    set_time(p, p->step);\n" : "",
                 s->rests ? "    }\n" : "");
    }
}

pav_status add_step(const generation *g, text *t)
{
    const ir_event_list *sources = &g->code->injections;

    add_injections(g, t);
    TRY(add_solvers(g, t));
    text_add(t, "\nstatic void take_step(program *p)\n{\n    set_time(p, p->step);\n"
                "    if (p->anew) {\n");
    add_list(g, &g->code->first, t);
    text_add(t, "    }\n");
    add_list(g, &g->code->step, t);
    for (int64_t n = 0; n < sources->count; n++) {
        text_add(t, "    inject_%lld(p%s);\n", (long long)n,
                 g->tilings ? ", &everywhere" : "");
        if (n + 1 < sources->count)
            add_exchange(g, sources->item[n].field, 1, t);
    }
    for (int64_t n = 0; n < sources->count; n++)
        add_kept_border(g, sources->item[n].field, 1, t);
    for (int64_t u = 0; u < g->code->uniforms; u++)
        if (g->code->uniform[u].next)
            text_add(t, "    p->uniform[%lld] = p->uniform[%d];\n", (long long)u,
                     g->code->uniform[u].next);
    text_add(t, "    rotate(p);\n    p->anew = 0;\n    p->step++;\n    set_time(p, "
                "p->step);\n}\n");
    return PAV_OK;
}

/* ---- numbers ----------------------------------------------------------------------- */

/* "PROGRAM_MEASURE_total", "PROGRAM_UNTIL_0" */
const char *event_name(const generation *g, const event_group *group, int64_t number)
{
    const statement *s = group->list->item[number].statement;

    return s->kind == STATEMENT_MEASURE
               ? arena_print(g->arena, "PROGRAM_%s_%s", group->word,
                             identifier_of(g, s->symbol->name))
               : arena_print(g->arena, "PROGRAM_%s_%lld", group->word, (long long)number);
}

void add_numbers(const generation *g, text *t)
{
    text_add(t, "\ndouble PROGRAM_number(PROGRAM_run *p, int which)\n{\n"
                "    set_time(p, p->step);\n    switch (which) {\n");
    for (int n = 0; n < EVENT_GROUPS; n++)
        for (int64_t k = 0; k < g->group[n].list->count; k++) {
            const ir_event *event = &g->group[n].list->item[k];
            text_add(t, "    case %s: /* %s */\n", event_name(g, &g->group[n], k),
                     comment_of(g, event->text));
            add_list(g, &event->list, t);
            text_add(t, "    return p->uniform[%d];\n", event->result);
        }
    text_add(t, "    default: return (double)NAN;\n    }\n}\n");
}
