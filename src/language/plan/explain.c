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
    const char *code; /* the stages of a step, printed */
} pass_note;

typedef struct explanation {
    const program *program;
    const ir *code;
    int64_t notes, capacity;
    pass_note *note; /* in the arena of the code */
    arena *arena;    /* of the printing */
    text *out, scratch;
} explanation;

/* ---- dependences ------------------------------------------------------------------- */

bool ir_reads_new_neighbours(const ir_stage *stage)
{
    for (const ir_node *n = NULL; (n = ir_next_load(stage, n));)
        if (n->level == 1 &&
            (n->offset[0] != 0 || n->offset[1] != 0 || n->offset[2] != 0))
            return true;
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
    ARENA_ADD(f->arena, f->item, f->count, f->capacity) = *wanted;
    return &f->item[f->count - 1];
}

static void compare_stages(finding *f, int stage, const ir_stage *reader, int on)
{
    const ir_stage *maker = &f->code->stage[on];

    for (const ir_output *o = NULL; (o = ir_next_output(maker, o));) {
        const bool stores = o->kind == IR_STORE;
        const dependence wanted = {.stage = stage,
                                   .on = on,
                                   .field = stores ? o->field : -1,
                                   .level = o->level,
                                   .uniform = stores ? -1 : o->uniform,
                                   .elsewhere = !stores};
        for (const ir_node *n = NULL; (n = ir_next_node(reader, n));) {
            if (stores ? n->op != IR_LOAD || n->field != o->field || n->level != o->level
                       : n->op != IR_UNIFORM || n->uniform != o->uniform)
                continue;
            dependence *d = find_dependence(f, &wanted);
            d->elsewhere = d->elsewhere || !ir_is_here(n);
            if (stores)
                ir_widen_reach(d->reach, n->offset);
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

static const char *take_scratch(explanation *e, arena *a)
{
    if (e->scratch.failed)
        arena_fail(a, PAV_ENOMEM, "memory ran out while the passes were noted");
    const char *result = arena_print(a, "%s", e->scratch.data ? e->scratch.data : "");
    text_free(&e->scratch);
    return result;
}

static void note_pass(void *user, const ir *code, const char *pass, const char *about,
                      const ir_cost *before, const ir_cost *after)
{
    explanation *e = user;
    const char *previous = e->notes ? e->note[e->notes - 1].code : "";
    pass_note note = {.pass = pass, .about = about, .before = *before, .after = *after};

    const ir_list all = equation_list(code);
    for (int64_t k = 0; k < all.count; k++) {
        const ir_stage *s = &code->stage[all.stage[k]];
        text_add(&e->scratch, "  \"%s\"\n", s->name);
        ir_stage_print(code, s, &e->scratch);
    }
    note.code = take_scratch(e, code->arena);
    note.changed = strcmp(previous, note.code) != 0;
    ARENA_ADD(code->arena, e->note, e->notes, e->capacity) = note;
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
    if (n->changed)
        text_add(t, "%s", n->code);
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
    print_field(code, access->field, access->level, t);
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
    for (const ir_field *f = code->field; f < code->field + code->fields; f++) {
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
        text_add(t, f->rests                    ? ", computed once\n"
                    : f->in_place && !f->memory ? ", stored in place\n"
                                                : "\n");
    }
    text_add_values(t, "  in all %z\n", code_bytes(code));
}

static void as_text(explanation *e)
{
    text *t = e->out;
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
        report_stage(e->code, e->code->step.stage[k], e->arena, t);
    report_dependences(e->code, e->arena, t);
    report_solves(e->code, e->arena, t);
    report_memory(e->code, t);
}

/* ---- JSON -------------------------------------------------------------------------- */

static const char *comma(int64_t index)
{
    return index > 0 ? ",\n" : "\n";
}

static const char *cost_of(explanation *e, const ir_cost *cost)
{
    return arena_print(
        e->arena, "{\"flops\": %lld, \"streamed\": %lld, \"instructions\": %lld}",
        (long long)cost->flops, (long long)cost->streamed, (long long)cost->instructions);
}

static const char *sides_of(explanation *e, const int side[MAX_DIM][2])
{
    const char *all = "";

    for (int axis = 0; axis < e->code->dim; axis++)
        all = arena_print(e->arena, "%s%s[%d, %d]", all, axis ? ", " : "", side[axis][0],
                          side[axis][1]);
    return arena_print(e->arena, "[%s]", all);
}

static void add_stages(explanation *e, const ir_list *list)
{
    const ir *code = e->code;

    text_add(e->out, "\"stages\": [");
    for (int64_t k = 0; k < list->count; k++) {
        const ir_stage *s = &code->stage[list->stage[k]];
        ir_analysis r;
        ir_analyse(code, s, e->arena, &r);
        text_add_values(
            e->out,
            "%s{\"stage\": %i, \"name\": %q, \"real\": %q, \"coarse\": %i, "
            "\"points\": %d, \"cost\": %s, \"special\": %d, \"bytes_read\": %d, "
            "\"bytes_written\": %d, \"intensity\": %g, \"accesses\": [",
            comma(k), list->stage[k], s->name, pav_type_name(s->real), s->coarse,
            r.points, cost_of(e, &r.cost), r.special, r.bytes_read, r.bytes_written,
            intensity_of(&r));
        for (int64_t n = 0; n < r.accesses; n++) {
            const ir_access *a = &r.access[n];
            text_add_values(e->out,
                            "%s{\"field\": %q, \"level\": %i, \"transfer\": %q, "
                            "\"taps\": %i, \"radius\": %s, \"shape\": %q, "
                            "\"symmetric\": %b}",
                            comma(n), code->field[a->field].name, a->level,
                            transfer_names[a->transfer], a->taps, sides_of(e, a->reach),
                            shape_names[a->shape], a->symmetric);
        }
        text_add(e->out, "]}");
    }
    text_add(e->out, "]");
}

static void add_solves(explanation *e)
{
    text_add(e->out, "\"solves\": [");
    for (int64_t k = 0; k < e->code->solves.count; k++) {
        const ir_event *solve = &e->code->solves.item[k];
        text_add_values(e->out,
                        "%s{\"field\": %q, \"equation\": %q, \"method\": %q, "
                        "\"tolerance\": %g, ",
                        comma(k), e->code->field[solve->field].name, solve->text,
                        solve->statement->method, num_f64(solve->statement->tolerance));
        add_stages(e, &solve->list);
        text_add(e->out, "}");
    }
    text_add(e->out, "],\n");
}

static void as_json(explanation *e)
{
    const ir *code = e->code;
    text *t = e->out;
    dependence *all = NULL;
    uint64_t identity;

    t->failed |= program_identity(e->program, &identity) != PAV_OK;
    program_print(e->program, &e->scratch);
    text_add_values(t, "{\n\"program\": %q,\n\"identity\": \"%s\",\n",
                    take_scratch(e, e->arena),
                    arena_print(e->arena, "%016llx", (unsigned long long)identity));
    ir_print(code, &e->scratch);
    text_add_values(t, "\"code\": %q,\n\"passes\": [", take_scratch(e, e->arena));
    for (int64_t k = 0; k < e->notes; k++) {
        const pass_note *n = &e->note[k];
        text_add_values(t,
                        "%s{\"pass\": %q, \"about\": %q, \"changed\": %b, "
                        "\"before\": %s, \"after\": %s, \"code\": %q}",
                        comma(k), n->pass, n->about, n->changed, cost_of(e, &n->before),
                        cost_of(e, &n->after), n->changed ? n->code : NULL);
    }
    text_add(t, "],\n");
    add_stages(e, &code->step);
    text_add(t, ",\n");
    add_solves(e);
    const int64_t count = find_dependences(code, e->arena, &all);
    text_add(t, "\"dependences\": [");
    for (int64_t k = 0; k < count; k++) {
        const dependence *d = &all[k];
        text_add_values(t,
                        "%s{\"stage\": %i, \"on\": %i, \"field\": %q, "
                        "\"elsewhere\": %b, \"radius\": %s}",
                        comma(k), d->stage, d->on,
                        d->field < 0 ? NULL : code->field[d->field].name, d->elsewhere,
                        sides_of(e, d->reach));
    }
    text_add(t, "],\n\"fields\": [");
    for (int64_t k = 0; k < code->fields; k++) {
        const ir_field *f = &code->field[k];
        text_add_values(t,
                        "%s{\"name\": %q, \"storage\": %q, \"levels\": %i, "
                        "\"coarse\": %i, \"halo\": %s, \"bytes\": %d}",
                        comma(k), f->name, pav_type_name(f->storage), f->levels,
                        f->coarse, sides_of(e, f->halo), field_bytes(f));
    }
    text_add(t, "],\n\"bytes\": %lld\n}\n", (long long)code_bytes(code));
}

/* ---- text or JSON ------------------------------------------------------------------ */

static pav_status write(explanation *e, bool json)
{
    (json ? as_json : as_text)(e);
    return PAV_OK;
}

pav_status ir_explain(const program *p, bool json, text *t)
{
    OWNED_BY(free_arena) arena *a = arena_new();
    OWNED_BY(free_code) ir *code = NULL;
    explanation e = {.program = p, .arena = a, .out = t};
    pav_status status = a ? ir_build(p, &(ir_trace){note_pass, &e}, &code) : PAV_ENOMEM;

    e.code = code;
    if (status == PAV_OK)
        ARENA_GUARD(a, status, write(&e, json));
    text_free(&e.scratch);
    return status;
}

pav_status pav_program_explain(const pav_program *explained, int json, char **result)
{
    GUARDED;
    OWNED_BY(text_free) text t = {0};

    if (!result)
        return FAIL(PAV_EINVAL, "there is nowhere to put the text: `text` is NULL");
    *result = NULL;
    if (!explained)
        return FAIL(PAV_EINVAL, "there is no program to explain: `program` is NULL");
    TRY(ir_explain(&explained->tree, json != 0, &t));
    return text_take(&t, result);
}
