/* SPDX-License-Identifier: BSD-3-Clause */
/* Rows from end to end:
 *
 *     row_0_3    one row, straight to where its results belong, or piece by piece into the fixed tree
 *     rows_0_3   the rows of a tile, strip by strip, past the caches where that was asked for */
#include <stdio.h>

#include "codegen/codegen_private.h"

static void open_function(const emit_stage *e, const char *name)
{
    text_add(e->t, "\nstatic void %s_%lld_%lld(const work *w, const place *p)\n{\n", name,
             (long long)e->program, (long long)e->number);
}

/* ---- one row ------------------------------------------------------------------------------ */

static void add_reductions(const emit_stage *e, text *t)
{
    int reduction = 0;

    for (int64_t k = 0; k < e->stage->outputs; k++)
        if (e->stage->output[k].kind == IR_REDUCE) {
            text_add(
                t, "        *reduction_of(w, %d, x, j, k) = reduce(%s, v%d, x, n);\n",
                reduction, emit_reduction_name(e->stage->output[k].reduction), reduction);
            reduction++;
        }
}

static void add_reduced(emit_stage *e)
{
    for (int r = 0; r < e->reductions; r++)
        text_add(e->t, "    ALIGNED double v%d[PIECE];\n", r);
    text_add(e->t, "    for (int64_t x = p->x, n; x < end; x += n) {\n"
                   "        n = piece(x, end);\n"
                   "        INDEPENDENT\n"
                   "        for (int64_t i = x; i < x + n; i++) {\n");
    emit_in_loop(e, "            ");
    text_add(e->t, "        }\n");
    add_reductions(e, e->t);
    text_add(e->t, "    }\n");
}

void emit_row_function(emit_stage *e)
{
    open_function(e, "row");
    e->height = 0;
    emit_locals(e);
    if (e->reductions) {
        add_reduced(e);
    } else {
        text_add(e->t, "    INDEPENDENT\n    for (int64_t i = p->x; i < end; i++) {\n");
        emit_in_loop(e, "        ");
        text_add(e->t, "    }\n");
    }
    text_add(e->t, "}\n");
}

/* ---- strips ------------------------------------------------------------------------------- */

static void add_strip_arrays(const emit_stage *e, text *t)
{
    for (int64_t k = 0; k < e->slots; k++)
        if (e->slot[k].stored)
            text_add(t, "    ALIGNED %s strip%lld[%d][%d];\n",
                     emit_c_type(emit_storage(e, k)), (long long)k, e->height,
                     emit_strip(e));
}

static void add_put(const emit_stage *e, int slot, text *t)
{
    text_add(t, "    put(");
    emit_slot_name(e, slot, t);
    if (emit_is_hidden(e, slot))
        text_add(t, " + at, CARRIED_PITCH");
    else if (e->height > 1)
        text_add(t, " + at, stride%d", slot);
    else
        text_add(t, " + at, 0");
    if (emit_same_field(e, slot) < 0)
        text_add(t, ", strip%d, 0", slot);
    else
        text_add(t, ", strip%d, alike%d ? alike%d + at : 0", slot, slot, slot);
    text_add(t, ", %d, %d, %d, ", (int)pav_type_size(emit_storage(e, slot)),
             emit_strip(e), e->height);
    if (emit_is_hidden(e, slot))
        text_add(t, "0, %d, 0);\n", emit_strip(e));
    else
        text_add(t, "from, to, past);\n");
}

static const char *name_of(const emit_stage *e)
{
    return e->name ? e->name : e->height > 1 ? "rows" : "row";
}

static void add_point_loop(emit_stage *e)
{
    text_add(e->t, "    INDEPENDENT\n    for (int64_t i = at; i < at + %d; i++) {\n",
             emit_strip(e));
    emit_in_loop(e, "        ");
    text_add(e->t, "    }\n");
}

/* A loop that compilers see at once is none where a strip is one vector. */
static void add_vector_loop(emit_stage *e)
{
    text_add(e->t, "    int n = 0;\n    do {\n        const int64_t i = at + n;\n");
    emit_in_loop(e, "        ");
    text_add(e->t, "        n += VECTOR / %d;\n    } while (n < %d);\n",
             (int)pav_type_size(e->real), emit_strip(e));
}

static void add_strip_function(emit_stage *e)
{
    text_add(e->t, "\nINLINE void strip_of_%s_%lld_%lld(", name_of(e),
             (long long)e->program, (long long)e->number);
    emit_parameters(e);
    text_add(e->t, ", int64_t at, int64_t from, int64_t to, int past)\n{\n");
    add_strip_arrays(e, e->t);
    if (e->vectors)
        add_vector_loop(e);
    else
        add_point_loop(e);
    for (int64_t k = 0; k < e->slots; k++)
        if (e->slot[k].stored)
            add_put(e, (int)k, e->t);
    text_add(e->t, "}\n");
}

static void add_strip_call(emit_stage *e, const char *indent, const char *last)
{
    text_add(e->t, "%sstrip_of_%s_%lld_%lld(", indent, name_of(e), (long long)e->program,
             (long long)e->number);
    emit_arguments(e);
    text_add(e->t, ", at, %s);\n", last);
}

/* Past the caches whole strips go in a loop of their own. */
static void add_far_strips(emit_stage *e, int strip)
{
    char whole[32];

    snprintf(whole, sizeof whole, "0, %d, 1", strip);
    text_add(e->t,
             "    for (; w->streams && at < end; at += %d) {\n"
             "        for (; at >= p->x && at + %d <= end; at += %d) {\n",
             strip, strip, strip);
    emit_fetches(e, "            ", e->t);
    add_strip_call(e, "            ", whole);
    text_add(e->t, "        }\n        if (at < end)\n");
    add_strip_call(e, "            ", "p->x - at, end - at, 1");
    text_add(e->t, "    }\n");
}

/* Strips begin where whole lines do; what the first and the last of them compute beyond the row is not
 * stored. The memory of fields and tables goes on far enough for that. */
static void add_strips(emit_stage *e)
{
    const int strip = emit_strip(e);

    text_add(e->t, "    int64_t at = p->x & -%d;\n", strip);
    if (!e->hidden)
        add_far_strips(e, strip);
    text_add(e->t, "    for (; at < end; at += %d) {\n", strip);
    if (!e->hidden && emit_prefetches(e)) {
        text_add(e->t, "        if (w->ahead) {\n");
        emit_fetches(e, "            ", e->t);
        text_add(e->t, "        }\n");
    }
    text_add(e->t,
             "        if (w->prefetch)\n            prefetch_requested(w->prefetch);\n");
    add_strip_call(e, "        ", "p->x - at, end - at, 0");
    text_add(e->t, "    }\n");
}

void emit_tile_function(emit_stage *e, int height)
{
    e->height = height;
    add_strip_function(e);
    open_function(e, name_of(e));
    emit_locals(e);
    if (!e->hidden)
        emit_prefetch_rows(e, e->t);
    add_strips(e);
    text_add(e->t, "}\n");
}
