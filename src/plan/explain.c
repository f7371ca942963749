/* SPDX-License-Identifier: BSD-3-Clause */
/* The output of `pavior explain`: the program, its equations after each pass, the final
 * code, and the analysis. This file prints text, explain_json.c prints JSON. */
#include <string.h>

#include "plan/plan_private.h"

const char *const shape_names[4] = {
    [SHAPE_POINT] = "point",
    [SHAPE_STAR] = "star",
    [SHAPE_BOX] = "box",
    [SHAPE_GENERAL] = "general",
};

const char *const transfer_names[3] = {
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

static bool add_note(explanation *e, const pass_note *note)
{
    pass_note *grown = mem_grow(e->note, e->notes + 1, sizeof *grown);

    if (!grown)
        return false;
    e->note = grown;
    e->note[e->notes++] = *note;
    return true;
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
    if (!add_note(e, &note)) {
        e->failed = true;
        mem_free(note.code);
    }
}

static void free_notes(explanation *e)
{
    for (int64_t k = 0; k < e->notes; k++)
        mem_free(e->note[k].code);
    mem_free(e->note);
}

/* ---- numbers ----------------------------------------------------------------------- */

int64_t field_bytes(const ir_field *f)
{
    int64_t bytes = f->memory ? 0 : f->levels * (int64_t)pav_type_size(f->storage);

    for (int axis = 0; axis < MAX_DIM; axis++)
        if (!mul_fits(bytes, f->extent[axis] + f->halo[axis][0] + f->halo[axis][1],
                      &bytes))
            return INT64_MAX;
    return bytes;
}

static int64_t subdomain_table_bytes(const ir *code, const ir_table *table)
{
    const int64_t extent = points_along(code, table->axis, table->coarse);

    return (extent + table->margin[0] + table->margin[1]) * (int64_t)sizeof(double);
}

int64_t code_bytes(const ir *code)
{
    int64_t bytes = 0;

    for (int64_t k = 0; k < code->fields; k++)
        if (!add_fits(bytes, field_bytes(&code->field[k]), &bytes))
            return INT64_MAX;
    for (int64_t k = 0; k < code->tables; k++)
        if (!add_fits(bytes, subdomain_table_bytes(code, &code->table[k]), &bytes))
            return INT64_MAX;
    return bytes;
}

double intensity_of(const ir_analysis *analysis)
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

static void report_dependence(const ir *code, const dependence *d, text *t)
{
    text_add(t, "  \"%s\" follows \"%s\": it reads ", code->stage[d->stage].name,
             code->stage[d->on].name);
    if (d->field < 0) {
        text_add(t, "s%d, which is known only when all points are done\n", d->uniform);
        return;
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

static void report_dependences(const ir *code, arena *a, text *t)
{
    dependence *d = NULL;
    const int64_t count = find_dependences(code, a, &d);

    text_add(t, "\n# dependences of a step's stages\n");
    for (int64_t k = 0; k < count; k++)
        report_dependence(code, &d[k], t);
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

/* ---- both -------------------------------------------------------------------------- */

static pav_status write(const explanation *e, bool json, arena *a, text *t)
{
    (json ? explain_as_json : as_text)(e, a, t);
    return PAV_OK;
}

static pav_status write_guarded(const explanation *e, bool json, text *t)
{
    arena *const a = arena_new();
    pav_status status = PAV_ENOMEM;

    if (a)
        ARENA_GUARD(a, status, write(e, json, a, t));
    arena_free(a);
    return status;
}

pav_status ir_explain(const program *p, bool json, text *t)
{
    explanation e = {.program = p};
    const ir_trace trace = {note_pass, &e};
    ir *code = NULL;
    pav_status status = ir_build(p, &trace, &code);

    e.code = code;
    if (status == PAV_OK)
        status = e.failed ? FAIL(PAV_ENOMEM, "memory ran out while the passes were noted")
                          : write_guarded(&e, json, t);
    ir_free(code);
    free_notes(&e);
    return status;
}
