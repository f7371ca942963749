/* SPDX-License-Identifier: BSD-3-Clause */
/* The functions of one stage, of which pav_0_3 is called from outside: all rows of a box. */
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
    text_add(t, "\n/* Stage %lld, ", (long long)e->number);
    emit_plain(e->stage->name ? e->stage->name : "without a name", t);
    text_add(t, ":");
    add_touched(e, true, t);
    add_touched(e, false, t);
    if (e->reductions)
        text_add(t, " reduces %d value%s;", e->reductions, e->reductions > 1 ? "s" : "");
    text_add(t, " in %s. */", pav_type_name(e->real));
}

static void add_entry(const emit_stage *e, text *t)
{
    const long long p = e->program, s = e->number;
    char name[EMIT_NAME];

    emit_kernel_name(name, e->program, e->number);
    text_add(t, "\nvoid %s(const work *w)\n{\n", name);
    if (e->holds)
        text_add(t,
                 "    if (w->carried && w->hi[1] - w->lo[1] >= %d)\n"
                 "        all_held_%lld_%lld(w);\n    else\n    ",
                 e->tallest, p, s);
    text_add(t, "    each_row(w, &(parts){row_%lld_%lld, ", p, s);
    if (e->tallest > 1)
        text_add(t, "rows_%lld_%lld, %d", p, s, e->tallest);
    else
        text_add(t, "0, 0");
    text_add(t, "});\n}\n");
}

pav_status emit_kernel_text(emit_stage *e)
{
    emit_stage_comment(e, e->t);
    emit_row_function(e, "row", 1);
    if (e->tallest > 1)
        emit_row_function(e, "rows", e->tallest);
    TRY(emit_carried(e));
    add_entry(e, e->t);
    return PAV_OK;
}
