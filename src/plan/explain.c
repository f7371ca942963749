/* SPDX-License-Identifier: BSD-3-Clause */
/* The output of `pavior explain`: the program, its equations after each pass, the final
 * code, and the analysis, with the dependences between stages of a step. It is text, or
 * with --json one object with the members program, identity, passes, code, stages,
 * solves, dependences, fields and bytes. Costs in JSON are objects {flops, streamed,
 * instructions}, a point. */
#include <string.h>

#include "plan/plan_private.h"

/* The report on one pass. */
typedef struct pass_note {
    const char *pass, *about;
    ir_cost before, after;
    bool changed;
    char *code; /* the stages of a step, printed */
} pass_note;

typedef struct explanation {
    const program *program;
    const ir *code;
    int64_t notes;
    pass_note *note; /* not in an arena */
    bool failed;     /* memory ran out while passes were noted */
} explanation;

/* ---- dependences ------------------------------------------------------------------- */

bool ir_reads_new_neighbours(const ir_stage *stage)
{
    for (int64_t k = 0; k < stage->count; k++) {
        const ir_node *n = &stage->node[k];
        if (n->op == IR_LOAD && n->level == 1 &&
            (n->offset[0] != 0 || n->offset[1] != 0 || n->offset[2] != 0))
            return true;
    }
    return false;
}

typedef struct finding {
    const ir *code;
    arena *arena;
    int64_t count, capacity;
    dependence *item;
} finding;

/* The dependence with these stages and this output, added if it is new. */
static dependence *find_dependence(finding *f, const dependence *wanted)
{
    for (int64_t k = 0; k < f->count; k++) {
        const dependence *d = &f->item[k];
        if (d->stage == wanted->stage && d->on == wanted->on &&
            d->field == wanted->field && d->level == wanted->level &&
            d->uniform == wanted->uniform)
            return &f->item[k];
    }
    arena_reserve(f->arena, &f->item, f->count, &f->capacity, sizeof *f->item);
    f->item[f->count] = *wanted;
    return &f->item[f->count++];
}

static void compare_stages(finding *f, int stage, const ir_stage *reader, int on)
{
    const ir_stage *maker = &f->code->stage[on];

    for (int64_t k = 0; k < maker->outputs; k++) {
        const ir_output *o = &maker->output[k];
        const bool stores = o->kind == IR_STORE;
        const dependence wanted = {.stage = stage,
                                   .on = on,
                                   .field = stores ? o->field : -1,
                                   .level = o->level,
                                   .uniform = stores ? -1 : o->uniform,
                                   .elsewhere = !stores};
        for (int64_t i = 0; i < reader->count; i++) {
            const ir_node *n = &reader->node[i];
            if (stores ? n->op != IR_LOAD || n->field != o->field || n->level != o->level
                       : n->op != IR_UNIFORM || n->uniform != o->uniform)
                continue;
            dependence *d = find_dependence(f, &wanted);
            for (int axis = 0; stores && axis < MAX_DIM; axis++) {
                const int at = n->offset[axis];
                d->reach[axis][0] = int_most(d->reach[axis][0], -at);
                d->reach[axis][1] = int_most(d->reach[axis][1], at);
                d->elsewhere = d->elsewhere || at != 0 || n->transfer != IR_SAME;
            }
        }
    }
}

int64_t find_dependences(const ir *code, arena *a, dependence **result)
{
    finding f = {.code = code, .arena = a};

    for (int64_t k = 0; k < code->step.count; k++) {
        const int stage = code->step.stage[k];
        const ir_stage *s = &code->stage[stage];
        for (int64_t i = 0; i < k; i++) {
            compare_stages(&f, stage, s, code->step.stage[i]);
            if (s->before >= 0)
                compare_stages(&f, stage, &code->stage[s->before], code->step.stage[i]);
        }
    }
    *result = f.item;
    return f.count;
}

static const char *const shape_names[4] = {
    [SHAPE_POINT] = "point",
    [SHAPE_STAR] = "star",
    [SHAPE_BOX] = "box",
    [SHAPE_GENERAL] = "general",
};

static const char *const transfer_names[3] = {
    [IR_SAME] = "same",
    [IR_TO_FINE] = "to the grid",
    [IR_TO_COARSE] = "to the coarse grid",
};

/* ---- collecting -------------------------------------------------------------------- */

static void print_equations(const ir *code, text *t)
{
    const ir_list all = equation_list(code);

    for (int64_t k = 0; k < all.count; k++) {
        const ir_stage *s = &code->stage[all.stage[k]];
        text_add(t, "  \"%s\"\n", s->name);
        ir_stage_print(code, s, t);
    }
}

static void note_pass(void *user, const ir *code, const char *pass, const char *about,
                      const ir_cost *before, const ir_cost *after)
{
    explanation *e = user;
    const char *previous = e->notes ? e->note[e->notes - 1].code : "";
    pass_note note = {.pass = pass, .about = about, .before = *before, .after = *after};
    text t = {0};

    text_add(&t, "%s", "");
    print_equations(code, &t);
    if (text_take(&t, &note.code) != PAV_OK)
        e->failed = true;
    note.changed = !previous || !note.code || strcmp(previous, note.code) != 0;
    pass_note *grown = mem_grow(e->note, e->notes + 1, sizeof *grown);
    if (!grown) {
        e->failed = true;
        mem_free(note.code);
        return;
    }
    e->note = grown;
    e->note[e->notes++] = note;
}

/* ---- numbers ----------------------------------------------------------------------- */

/* Bytes of all levels of a field, halos included. At most INT64_MAX. */
static int64_t field_bytes(const ir_field *f)
{
    int64_t bytes = f->memory ? 0 : f->levels * (int64_t)pav_type_size(f->storage);

    for (int axis = 0; axis < MAX_DIM; axis++)
        if (!mul_fits(bytes, f->extent[axis] + f->halo[axis][0] + f->halo[axis][1],
                      &bytes))
            return INT64_MAX;
    return bytes;
}

/* Bytes of all fields and tables. At most INT64_MAX. */
static int64_t code_bytes(const ir *code)
{
    int64_t bytes = 0;

    for (int64_t k = 0; k < code->fields; k++)
        if (!add_fits(bytes, field_bytes(&code->field[k]), &bytes))
            return INT64_MAX;
    for (int64_t k = 0; k < code->tables; k++) {
        const ir_table *table = &code->table[k];
        const int64_t extent = points_along(code, table->axis, table->coarse);
        const int64_t values = extent + table->margin[0] + table->margin[1];
        if (!add_fits(bytes, values * (int64_t)sizeof(double), &bytes))
            return INT64_MAX;
    }
    return bytes;
}

/* Streamed flops per byte read or written. */
static double intensity_of(const ir_analysis *analysis)
{
    const int64_t bytes = analysis->bytes_read + analysis->bytes_written;

    return bytes > 0 ? (double)analysis->cost.streamed / (double)bytes : 0;
}

/* ---- text -------------------------------------------------------------------------- */

static void report_pass(const pass_note *n, text *t)
{
    text_add(t, "\n## %s: %s\n", n->pass, n->about);
    if (strcmp(n->pass, "lower") == 0)
        text_add(t, "# %lld flops a point, %lld streamed\n", (long long)n->after.flops,
                 (long long)n->after.streamed);
    else if (!n->changed)
        text_add(t, "# nothing to do\n");
    else
        text_add(t,
                 "# flops a point %lld -> %lld, streamed %lld -> %lld, instructions %lld "
                 "-> %lld\n",
                 (long long)n->before.flops, (long long)n->after.flops,
                 (long long)n->before.streamed, (long long)n->after.streamed,
                 (long long)n->before.instructions, (long long)n->after.instructions);
    if (n->changed && n->code)
        text_add(t, "%s", n->code);
}

static void report_field(const ir *code, const ir_access *access, text *t)
{
    const char *name = code->field[access->field].name;

    if (access->level == 1)
        text_add(t, "%s'", name);
    else if (access->level == 0)
        text_add(t, "%s", name);
    else
        text_add(t, "prev(%s, %d)", name, -access->level);
}

static void report_reach(const ir *code, const int reach[MAX_DIM][2], text *t)
{
    for (int axis = 0; axis < code->dim; axis++)
        text_add(t, "%s%c -%d +%d", axis ? ", " : "", "xyz"[axis], reach[axis][0],
                 reach[axis][1]);
}

static void report_access(const ir *code, const ir_access *access, text *t)
{
    text_add(t, "  reads ");
    report_field(code, access, t);
    if (access->shape == SHAPE_POINT && access->transfer == IR_SAME) {
        text_add(t, " at the point\n");
        return;
    }
    text_add(t, " at %d point%s, radius ", access->taps, access->taps == 1 ? "" : "s");
    report_reach(code, access->reach, t);
    text_add(t, ": %s%s", access->symmetric ? "symmetric " : "",
             shape_names[access->shape]);
    if (access->transfer != IR_SAME)
        text_add(t, ", %s", transfer_names[access->transfer]);
    text_add(t, "\n");
}

static void report_stage(const ir *code, int number, arena *a, text *t)
{
    const ir_stage *s = &code->stage[number];
    ir_analysis r;

    ir_analyse(code, s, a, &r);
    text_add(t, "\nstage %d \"%s\", %s: %lld %spoint%s\n", number, s->name,
             pav_type_name(s->real), (long long)r.points, s->coarse ? "coarse " : "",
             r.points == 1 ? "" : "s");
    for (int64_t k = 0; k < r.accesses; k++)
        report_access(code, &r.access[k], t);
    text_add(t, "  %lld flops a point alone, %lld streamed (%lld instructions)",
             (long long)r.cost.flops, (long long)r.cost.streamed,
             (long long)r.cost.instructions);
    if (r.special)
        text_add(t, "; %lld of them division%s, roots or functions", (long long)r.special,
                 r.special == 1 ? "" : "s");
    text_add(t, "\n  %lld bytes a point read, %lld written: %.3g flops a byte\n",
             (long long)r.bytes_read, (long long)r.bytes_written, intensity_of(&r));
}

/* Prints nothing for a program that only steps. */
static void report_solves(const ir *code, arena *a, text *t)
{
    for (int64_t k = 0; k < code->solves.count; k++) {
        const ir_event *e = &code->solves.item[k];
        text_add(t, "\n# analysis of an equation to solve: %s\n", e->text);
        for (int64_t i = 0; i < e->list.count; i++)
            report_stage(code, e->list.stage[i], a, t);
    }
}

static void report_dependences(const ir *code, arena *a, text *t)
{
    dependence *all = NULL;
    const int64_t count = find_dependences(code, a, &all);

    text_add(t, "\n# dependences of a step's stages\n");
    for (int64_t k = 0; k < count; k++) {
        const dependence *d = &all[k];
        text_add(t, "  \"%s\" follows \"%s\": it reads ", code->stage[d->stage].name,
                 code->stage[d->on].name);
        if (d->field < 0) {
            text_add(t, "s%d, which is known only when all points are done\n",
                     d->uniform);
            continue;
        }
        text_add(t, "%s%s ", code->field[d->field].name, d->level > 0 ? "'" : "");
        if (d->elsewhere) {
            text_add(t, "at other points, radius ");
            report_reach(code, d->reach, t);
            text_add(t, "\n");
        } else {
            text_add(t, "at the point itself, so both may share a loop\n");
        }
    }
    if (count == 0)
        text_add(t, "  none: no stage reads what another one makes\n");
}

static void report_memory(const ir *code, text *t)
{
    text_add(t, "\n# memory\n");
    for (int64_t k = 0; k < code->fields; k++) {
        const ir_field *f = &code->field[k];
        text_add(t, "  %s: %d level%s of ", f->name, f->levels,
                 f->levels == 1 ? "" : "s");
        text_add_extent(t, code->dim, f->extent);
        text_add(t, " %s, halo ", pav_type_name(f->storage));
        report_reach(code, f->halo, t);
        text_add(t, ": ");
        if (f->memory)
            text_add(t, "in the memory of %s", code->field[f->memory - 1].name);
        else
            text_add_bytes_size(t, field_bytes(f));
        text_add(t, "\n");
    }
    text_add(t, "  in all ");
    text_add_bytes_size(t, code_bytes(code));
    text_add(t, "\n");
}

static void as_text(const explanation *e, arena *a, text *t)
{
    uint64_t identity;
    t->failed |= program_identity(e->program, &identity) != PAV_OK;
    text_add(t, "# program %016llx\n", (unsigned long long)identity);
    program_print(e->program, t);
    text_add(t, "\n# the equations, pass by pass\n");
    for (int64_t k = 0; k < e->notes; k++)
        report_pass(&e->note[k], t);
    text_add(t, "\n# all that runs\n");
    ir_print(e->code, t);
    text_add(t, "\n# analysis of a step\n");
    for (int64_t k = 0; k < e->code->step.count; k++)
        report_stage(e->code, e->code->step.stage[k], a, t);
    report_dependences(e->code, a, t);
    report_solves(e->code, a, t);
    report_memory(e->code, t);
}

/* ---- JSON -------------------------------------------------------------------------- */

static void comma(text *t, int64_t index)
{
    text_add(t, index > 0 ? ",\n" : "\n");
}

static void add_member(text *t, const char *name, const char *string)
{
    text_add(t, "\"%s\": ", name);
    text_add_json(t, string);
}

static void add_cost(text *t, const char *name, const ir_cost *cost)
{
    text_add(t, "\"%s\": {\"flops\": %lld, \"streamed\": %lld, \"instructions\": %lld}",
             name, (long long)cost->flops, (long long)cost->streamed,
             (long long)cost->instructions);
}

static void add_sides(text *t, const char *name, int dim, const int side[MAX_DIM][2])
{
    text_add(t, "\"%s\": [", name);
    for (int axis = 0; axis < dim; axis++)
        text_add(t, "%s[%d, %d]", axis ? ", " : "", side[axis][0], side[axis][1]);
    text_add(t, "]");
}

static void add_pass(const pass_note *n, text *t)
{
    text_add(t, "{");
    add_member(t, "pass", n->pass);
    text_add(t, ", ");
    add_member(t, "about", n->about);
    text_add(t, ", \"changed\": %s, ", n->changed ? "true" : "false");
    add_cost(t, "before", &n->before);
    text_add(t, ", ");
    add_cost(t, "after", &n->after);
    text_add(t, ", ");
    add_member(t, "code", n->changed ? n->code : NULL);
    text_add(t, "}");
}

static void add_access(const ir *code, const ir_access *access, text *t)
{
    text_add(t, "{");
    add_member(t, "field", code->field[access->field].name);
    text_add(t, ", \"level\": %d, ", access->level);
    add_member(t, "transfer", transfer_names[access->transfer]);
    text_add(t, ", \"taps\": %d, ", access->taps);
    add_sides(t, "radius", code->dim, access->reach);
    text_add(t, ", ");
    add_member(t, "shape", shape_names[access->shape]);
    text_add(t, ", \"symmetric\": %s}", access->symmetric ? "true" : "false");
}

static void add_stage(const ir *code, int number, arena *a, text *t)
{
    const ir_stage *s = &code->stage[number];
    ir_analysis r;

    ir_analyse(code, s, a, &r);
    text_add(t, "{\"stage\": %d, ", number);
    add_member(t, "name", s->name);
    text_add(t, ", ");
    add_member(t, "real", pav_type_name(s->real));
    text_add(t, ", \"coarse\": %d, \"points\": %lld, ", s->coarse, (long long)r.points);
    add_cost(t, "cost", &r.cost);
    text_add(t, ", \"special\": %lld, \"bytes_read\": %lld, \"bytes_written\": %lld, ",
             (long long)r.special, (long long)r.bytes_read, (long long)r.bytes_written);
    text_add(t, "\"intensity\": ");
    text_add_json_double(t, intensity_of(&r));
    text_add(t, ", \"accesses\": [");
    for (int64_t k = 0; k < r.accesses; k++) {
        comma(t, k);
        add_access(code, &r.access[k], t);
    }
    text_add(t, "]}");
}

static void add_stages(const ir *code, const ir_list *list, arena *a, text *t)
{
    text_add(t, "\"stages\": [");
    for (int64_t k = 0; k < list->count; k++) {
        comma(t, k);
        add_stage(code, list->stage[k], a, t);
    }
    text_add(t, "]");
}

static void add_solves(const ir *code, arena *a, text *t)
{
    text_add(t, "\"solves\": [");
    for (int64_t k = 0; k < code->solves.count; k++) {
        const ir_event *e = &code->solves.item[k];
        comma(t, k);
        text_add(t, "{");
        add_member(t, "field", code->field[e->field].name);
        text_add(t, ", ");
        add_member(t, "equation", e->text);
        text_add(t, ", ");
        add_member(t, "method", e->statement->method);
        text_add(t, ", \"tolerance\": ");
        text_add_json_double(t, num_f64(e->statement->tolerance));
        text_add(t, ", ");
        add_stages(code, &e->list, a, t);
        text_add(t, "}");
    }
    text_add(t, "],\n");
}

static void add_dependences(const ir *code, arena *a, text *t)
{
    dependence *all = NULL;
    const int64_t count = find_dependences(code, a, &all);

    text_add(t, "\"dependences\": [");
    for (int64_t k = 0; k < count; k++) {
        const dependence *d = &all[k];
        comma(t, k);
        text_add(t, "{\"stage\": %d, \"on\": %d, ", d->stage, d->on);
        add_member(t, "field", d->field < 0 ? NULL : code->field[d->field].name);
        text_add(t, ", \"elsewhere\": %s, ", d->elsewhere ? "true" : "false");
        add_sides(t, "radius", code->dim, d->reach);
        text_add(t, "}");
    }
    text_add(t, "],\n");
}

static void add_field(const ir *code, const ir_field *f, text *t)
{
    text_add(t, "{");
    add_member(t, "name", f->name);
    text_add(t, ", ");
    add_member(t, "storage", pav_type_name(f->storage));
    text_add(t, ", \"levels\": %d, \"coarse\": %d, ", f->levels, f->coarse);
    add_sides(t, "halo", code->dim, f->halo);
    text_add(t, ", \"bytes\": %lld}", (long long)field_bytes(f));
}

static void as_json(const explanation *e, arena *a, text *t)
{
    const ir *code = e->code;
    text canonical = {0}, final = {0};
    uint64_t identity;

    text_add(t, "{\n");
    t->failed |= program_identity(e->program, &identity) != PAV_OK;
    program_print(e->program, &canonical);
    ir_print(code, &final);
    add_member(t, "program", canonical.data);
    text_add(t, ",\n\"identity\": \"%016llx\",\n", (unsigned long long)identity);
    add_member(t, "code", final.data);
    text_add(t, ",\n");
    t->failed = t->failed || canonical.failed || final.failed;
    text_free(&canonical);
    text_free(&final);
    text_add(t, "\"passes\": [");
    for (int64_t k = 0; k < e->notes; k++) {
        comma(t, k);
        add_pass(&e->note[k], t);
    }
    text_add(t, "],\n");
    add_stages(code, &code->step, a, t);
    text_add(t, ",\n");
    add_solves(code, a, t);
    add_dependences(code, a, t);
    text_add(t, "\"fields\": [");
    for (int64_t k = 0; k < code->fields; k++) {
        comma(t, k);
        add_field(code, &code->field[k], t);
    }
    text_add(t, "],\n\"bytes\": %lld\n}\n", (long long)code_bytes(code));
}

/* ---- text or JSON ------------------------------------------------------------------ */

static pav_status write(const explanation *e, bool json, arena *a, text *t)
{
    (json ? as_json : as_text)(e, a, t);
    return PAV_OK;
}

pav_status ir_explain(const program *p, bool json, text *t)
{
    explanation e = {.program = p};
    const ir_trace trace = {note_pass, &e};
    arena *const a = arena_new();
    ir *code = NULL;
    pav_status status = a ? ir_build(p, &trace, &code) : PAV_ENOMEM;

    e.code = code;
    if (status == PAV_OK && e.failed)
        status = FAIL(PAV_ENOMEM, "memory ran out while the passes were noted");
    else if (status == PAV_OK)
        ARENA_GUARD(a, status, write(&e, json, a, t));
    arena_free(a);
    ir_free(code);
    for (int64_t k = 0; k < e.notes; k++)
        mem_free(e.note[k].code);
    mem_free(e.note);
    return status;
}

pav_status pav_program_explain(const pav_program *explained, int json, char **result)
{
    GUARDED;
    text t = {0};

    if (!result)
        return FAIL(PAV_EINVAL, "there is nowhere to put the text: `text` is NULL");
    *result = NULL;
    if (!explained)
        return FAIL(PAV_EINVAL, "there is no program to explain: `program` is NULL");
    pav_status status = ir_explain(&explained->tree, json != 0, &t);
    if (status == PAV_OK)
        status = text_take(&t, result);
    text_free(&t);
    return status;
}
