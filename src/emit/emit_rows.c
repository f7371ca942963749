/* SPDX-License-Identifier: BSD-3-Clause */
/* Rows from end to end:
 *
 *     row_0_3    one row, straight to where its results belong, or piece by piece into the fixed tree
 *     rows_0_3   the rows of a tile, strip by strip, past the caches where that was asked for */
#include "emit/emit_private.h"

static void open_function(const emit_stage *e, const char *name)
{
    text_add(e->t,
             "\nstatic void %s_%lld_%lld(const work *w, int64_t x, int64_t end, "
             "int64_t j, int64_t k)\n{\n",
             name, (long long)e->program, (long long)e->number);
}

/* ---- one row ------------------------------------------------------------------------------ */

static void add_folds(const emit_stage *e, text *t)
{
    static const char *const kind[] = {[REDUCTION_SUM] = "FOLD_SUM",
                                       [REDUCTION_MIN] = "FOLD_MIN",
                                       [REDUCTION_MAX] = "FOLD_MAX",
                                       [REDUCTION_NORM] = "FOLD_SUM"};
    int reduction = 0;

    for (int64_t k = 0; k < e->stage->outputs; k++)
        if (e->stage->output[k].kind == IR_REDUCE) {
            text_add(t, "        *folded(w, %d, x, j, k) = fold(%s, v%d, x, n);\n",
                     reduction, kind[e->stage->output[k].reduction], reduction);
            reduction++;
        }
}

static void add_reduced(emit_stage *e)
{
    for (int r = 0; r < e->reductions; r++)
        text_add(e->t, "    ALIGNED double v%d[PIECE];\n", r);
    text_add(e->t, "    for (int64_t n; x < end; x += n) {\n"
                   "        n = piece(x, end);\n"
                   "        INDEPENDENT\n"
                   "        for (int64_t i = x; i < x + n; i++) {\n");
    emit_in_loop(e, 0, "            ");
    text_add(e->t, "        }\n");
    add_folds(e, e->t);
    text_add(e->t, "    }\n");
}

void emit_row_function(emit_stage *e)
{
    open_function(e, "row");
    emit_before_loop(e, 0);
    if (e->reductions) {
        add_reduced(e);
    } else {
        text_add(e->t, "    INDEPENDENT\n    for (int64_t i = x; i < end; i++) {\n");
        emit_in_loop(e, 0, "        ");
        text_add(e->t, "    }\n");
    }
    text_add(e->t, "}\n");
}

/* ---- tiles -------------------------------------------------------------------------------- */

static void add_strip_arrays(const emit_stage *e, text *t)
{
    for (int64_t k = 0; k < e->slots; k++)
        if (e->slot[k].stored)
            text_add(t, "        ALIGNED %s strip%lld[%d][%d];\n",
                     emit_c_type(emit_storage(e, k)), (long long)k, e->height,
                     emit_strip(e));
}

/* Of the rows of a slot, the one that comes from memory first: farthest along z, then y. */
static const emit_row *leading_row(const emit_stage *e, int slot)
{
    const emit_row *first = NULL;

    for (int64_t n = 0; n < e->rows; n++) {
        const emit_row *r = &e->row[n];
        if (r->slot == slot && r->transfer == IR_SAME && r->single &&
            (!first || r->z > first->z || (r->z == first->z && r->y > first->y)))
            first = r;
    }
    return first;
}

static void add_fetch(const emit_stage *e, int slot, text *t)
{
    const emit_row *row = leading_row(e, slot);
    const int64_t size = (int64_t)pav_type_size(emit_storage(e, slot));

    if (!row)
        return;
    text_add(t, "        fetch(");
    emit_row_name(e, row, t);
    text_add(t, " + at, %lld * g[%d].y, %lld, %d, w->ahead);\n", (long long)size, slot,
             (long long)size * emit_strip(e), e->height);
}

static void add_put(const emit_stage *e, int slot, text *t)
{
    const long long size = (long long)pav_type_size(emit_storage(e, slot));

    text_add(t, "        put(");
    emit_slot_name(e, slot, t);
    text_add(
        t,
        " + at, %lld * g[%d].y, strip%d, %lld, %d, %d, x - at, end - at, w->streams);\n",
        size, slot, slot, size, emit_strip(e), e->height);
}

static void add_one_strip(emit_stage *e)
{
    const int strip = emit_strip(e);

    add_strip_arrays(e, e->t);
    for (int64_t k = 0; k < e->slots; k++)
        if (e->slot[k].loaded)
            add_fetch(e, (int)k, e->t);
    text_add(e->t,
             "        INDEPENDENT\n        for (int64_t i = at; i < at + %d; i++) {\n",
             strip);
    emit_in_loop(e, e->height, "            ");
    text_add(e->t, "        }\n");
    for (int64_t k = 0; k < e->slots; k++)
        if (e->slot[k].stored)
            add_put(e, (int)k, e->t);
}

/* Strips begin where whole lines do; what the first and the last of them compute beyond the row is not
 * stored. The memory of fields and tables goes on far enough for that. */
void emit_tile_function(emit_stage *e)
{
    const int strip = emit_strip(e);

    open_function(e, "rows");
    emit_before_loop(e, e->height);
    text_add(e->t, "    for (int64_t at = x & -%d; at < end; at += %d) {\n", strip,
             strip);
    add_one_strip(e);
    text_add(e->t, "    }\n}\n");
}
