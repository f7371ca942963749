/* SPDX-License-Identifier: BSD-3-Clause */
/* The functions of one stage. pav_0_3 is the entry: it computes all rows of a box. */
#include "codegen/codegen_private.h"

static void add_touched(const emit_stage *e, bool stored, text *t)
{
    const char *comma = stored ? " stores " : " loads ";

    for (int64_t k = 0; k < e->slots; k++)
        if (stored ? e->slot[k].stored : e->slot[k].loaded) {
            text_add(t, "%s", comma);
            emit_level_text(e->code, e->slot[k].field, e->slot[k].level, t);
            comma = ", ";
        }
    if (comma[0] == ',')
        text_add(t, ";");
}

void emit_stage_comment(const emit_stage *e, text *t)
{
    if (e->nameless) {
        text_add(t, "\n/* Of several stages. */");
        return;
    }
    text_add(t, "\n/* Stage %lld, ", (long long)e->number);
    emit_plain(e->stage->name ? e->stage->name : "without a name", t);
    text_add(t, ":");
    add_touched(e, true, t);
    add_touched(e, false, t);
    if (e->reductions)
        text_add(t, " reduces %d value%s;", e->reductions, e->reductions > 1 ? "s" : "");
    text_add(t, " in %s. */", pav_type_name(e->real));
}

void emit_halo_text(const ir *code, const ir_stage *stage, text *t)
{
    for (int axis = 0; axis < code->dim; axis++) {
        int side[2] = {0, 0};
        for (int64_t k = 0; k < stage->count; k++)
            if (stage->node[k].op == IR_LOAD) {
                side[0] = int_most(side[0], -stage->node[k].offset[axis]);
                side[1] = int_most(side[1], stage->node[k].offset[axis]);
            }
        text_add(t, "%s %c %d+%d", axis > 0 ? "," : "; halo", "xyz"[axis], side[0],
                 side[1]);
    }
}

void emit_bytes_text(const ir *code, const emit_slot *slot, int64_t slots, text *t)
{
    int64_t bytes = 0;

    for (int64_t k = 0; k < slots; k++)
        bytes += (int64_t)pav_type_size(code->field[slot[k].field].storage) *
                 (slot[k].stored + slot[k].loaded);
    text_add(t, "%lld bytes a point, each level once", (long long)bytes);
}

/* The comment above the functions of a stage. */
static void add_header(const emit_stage *e, text *t)
{
    if (e->nameless)
        return;
    text_add(t, "\n/* By rows or blocks, as `work` says: rows");
    if (e->tallest > 1)
        text_add(t, ", or tiles of %d", e->tallest);
    text_add(t, ", in vectors of the processor");
    emit_halo_text(e->code, e->stage, t);
    text_add(t, ";\n * ");
    emit_bytes_text(e->code, e->slot, e->slots, t);
    text_add(t, ". */");
}

/* True if blocks compute the stage without waiting for each other. */
static bool is_chaotic(const emit_stage *e)
{
    return e->of_step && e->code->program->chaotic > 0 && !e->reductions;
}

static void add_entry(const emit_stage *e, text *t)
{
    const long long p = e->program, s = e->number;
    char name[EMIT_NAME];

    emit_kernel_name(name, e->program, e->number);
    text_add(t, "\n%svoid %s(const work *w)\n{\n", e->nameless ? "static " : "", name);
    if (is_chaotic(e))
        text_add(t,
                 "    if (w->relaxed) {\n"
                 "        each_row(w, relaxed_%lld_%lld, 0, 0);\n"
                 "        return;\n    }\n",
                 p, s);
    if (e->holds)
        text_add(t,
                 "    if (w->carried && w->hi[1] - w->lo[1] >= %d)\n"
                 "        all_carried_%lld_%lld(w);\n    else\n    ",
                 e->tallest, p, s);
    text_add(t, "    each_row(w, row_%lld_%lld, ", p, s);
    if (e->tallest > 1)
        text_add(t, "rows_%lld_%lld, %d", p, s, e->tallest);
    else
        text_add(t, "0, 0");
    text_add(t, ");\n}\n");
}

/* "    const double number[] = {w->uniform[3]};" */
static void add_gathered(const char *type, const char *name, const char *from,
                         const bool *used, int64_t count, text *t)
{
    const char *comma = "";

    text_add(t, "    %s%s[] = {", type, name);
    for (int64_t k = 0; k < count; k++)
        if (used[k]) {
            text_add(t, "%sw->%s[%lld]", comma, from, (long long)k);
            comma = ", ";
        }
    text_add(t, "};\n");
}

static bool has_any(const bool *used, int64_t count)
{
    for (int64_t k = 0; k < count; k++)
        if (used[k])
            return true;
    return false;
}

void emit_call_shared(const emit_stage *e, int64_t which, int64_t shared)
{
    const bool tables = has_any(e->table, e->code->tables);
    const bool uniforms = has_any(e->uniform, e->code->uniforms);
    char name[EMIT_NAME], of_all[EMIT_NAME];

    emit_stage_comment(e, e->t);
    emit_kernel_name(name, e->program, e->number);
    emit_kernel_name(of_all, which, shared);
    text_add(e->t, "\nvoid %s(const work *w)\n{\n", name);
    if (tables || uniforms)
        text_add(e->t, "    work own = *w;\n");
    if (tables)
        add_gathered("const double *const ", "table", "table", e->table, e->code->tables,
                     e->t);
    if (uniforms)
        add_gathered("const double ", "number", "uniform", e->uniform, e->code->uniforms,
                     e->t);
    text_add(e->t, "%s%s", tables ? "    own.table = table;\n" : "",
             uniforms ? "    own.uniform = number;\n" : "");
    text_add(e->t, "    %s(%s);\n}\n", of_all, tables || uniforms ? "&own" : "w");
}

pav_status emit_kernel_text(emit_stage *e)
{
    emit_stage_comment(e, e->t);
    add_header(e, e->t);
    emit_row_function(e, "row", 1);
    if (e->tallest > 1)
        emit_row_function(e, "rows", e->tallest);
    e->relaxed = is_chaotic(e);
    if (e->relaxed)
        emit_row_function(e, "relaxed", 1);
    e->relaxed = false;
    TRY(emit_carried(e));
    add_entry(e, e->t);
    return PAV_OK;
}
