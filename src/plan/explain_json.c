/* SPDX-License-Identifier: BSD-3-Clause */
/* What `pavior explain --json` says: one object with the members program, identity,
 * passes, code, stages, solves, dependences, fields and bytes. Costs are objects {flops,
 * streamed, instructions}, a point. */
#include "plan/plan_private.h"

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

static void add_solve(const ir *code, const ir_event *e, arena *a, text *t)
{
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

static void add_solves(const ir *code, arena *a, text *t)
{
    text_add(t, "\"solves\": [");
    for (int64_t k = 0; k < code->solves.count; k++) {
        comma(t, k);
        add_solve(code, &code->solves.item[k], a, t);
    }
    text_add(t, "],\n");
}

static void add_dependence(const ir *code, const dependence *d, text *t)
{
    text_add(t, "{\"stage\": %d, \"on\": %d, ", d->stage, d->on);
    add_member(t, "field", d->field < 0 ? NULL : code->field[d->field].name);
    text_add(t, ", \"elsewhere\": %s, ", d->elsewhere ? "true" : "false");
    add_sides(t, "radius", code->dim, d->reach);
    text_add(t, "}");
}

static void add_dependences(const ir *code, arena *a, text *t)
{
    dependence *d = NULL;
    const int64_t count = find_dependences(code, a, &d);

    text_add(t, "\"dependences\": [");
    for (int64_t k = 0; k < count; k++) {
        comma(t, k);
        add_dependence(code, &d[k], t);
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

static void add_texts(const explanation *e, text *t)
{
    text canonical = {0}, code = {0};
    uint64_t identity;

    t->failed |= program_identity(e->program, &identity) != PAV_OK;
    program_print(e->program, &canonical);
    ir_print(e->code, &code);
    add_member(t, "program", canonical.data);
    text_add(t, ",\n\"identity\": \"%016llx\",\n", (unsigned long long)identity);
    add_member(t, "code", code.data);
    text_add(t, ",\n");
    t->failed = t->failed || canonical.failed || code.failed;
    text_free(&canonical);
    text_free(&code);
}

void explain_as_json(const explanation *e, arena *a, text *t)
{
    const ir *code = e->code;

    text_add(t, "{\n");
    add_texts(e, t);
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
