/* SPDX-License-Identifier: BSD-3-Clause */
/* Which memory a kernel asks for before it is needed: of each slot that is loaded, those rows that come
 * from memory first, as far on in the walk as the manner says. */
#include "codegen/codegen_private.h"

/* Of the rows of a slot, the one farthest along z, then y; and how far others lie before and after it
 * along y. */
typedef struct lead {
    const emit_row *row; /* NULL: none */
    int before, after;
} lead;

static bool is_plain(const emit_row *r, int slot)
{
    return r->slot == slot && r->transfer == IR_SAME && r->shift == 0;
}

static bool is_later(const emit_row *r, const emit_row *than)
{
    return !than || r->z > than->z || (r->z == than->z && r->y > than->y);
}

static lead find_lead(const emit_stage *e, int slot)
{
    lead l = {0};

    for (int64_t n = 0; n < e->rows; n++)
        if (is_plain(&e->row[n], slot) && is_later(&e->row[n], l.row))
            l.row = &e->row[n];
    for (int64_t n = 0; l.row && n < e->rows; n++)
        if (is_plain(&e->row[n], slot)) {
            const int offset = e->row[n].y - l.row->y;
            l.before = offset < -l.before ? -offset : l.before;
            l.after = offset > l.after ? offset : l.after;
        }
    return l;
}

static void add_row(const emit_stage *e, int slot, text *t)
{
    const lead l = find_lead(e, slot);
    const char *type = emit_c_type(emit_storage(e, slot));

    if (!l.row)
        return;
    text_add(t, "    const %s *const soon%d = (const %s *)g[%d].data + ", type, slot,
             type, slot);
    emit_index("p->prefetch_j", l.row->y, IR_SAME, t);
    text_add(t, " * g[%d].y + ", slot);
    emit_index("p->prefetch_k", l.row->z, IR_SAME, t);
    text_add(t, " * g[%d].z;\n", slot);
    text_add(t, "    prefetch_around(w, p, soon%d, %d * g[%d].y, %d, %d, %d, %d);\n",
             slot, (int)pav_type_size(emit_storage(e, slot)), slot,
             (int)pav_type_size(emit_storage(e, slot)), l.before, e->height, l.after);
}

void emit_prefetch_rows(const emit_stage *e, text *t)
{
    for (int64_t k = 0; k < e->slots; k++)
        if (e->slot[k].loaded)
            add_row(e, (int)k, t);
}

bool emit_prefetches(const emit_stage *e)
{
    for (int k = 0; k < e->slots; k++)
        if (e->slot[k].loaded && find_lead(e, k).row)
            return true;
    return false;
}

void emit_fetches(const emit_stage *e, const char *indent, text *t)
{
    for (int k = 0; k < e->slots; k++) {
        const int size = (int)pav_type_size(emit_storage(e, k));
        if (e->slot[k].loaded && find_lead(e, k).row)
            text_add(t, "%sfetch(soon%d + at, %d * g[%d].y, %d, %d);\n", indent, k, size,
                     k, size * emit_strip(e), e->height);
    }
}
