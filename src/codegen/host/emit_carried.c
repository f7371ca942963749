/* SPDX-License-Identifier: BSD-3-Clause */
/* Values that a kernel of a processor carries from plane to plane. The symmetric 27-point
 * operator, for example, needs two sums of each plane in the planes around it. They are
 * computed once and stay in rows of L1 until their last use
 * (kernels/host/kernel_carried.c).
 *
 *     planes_0_3  some rows of a plane: computes its carried values
 *     across_0_3  the same rows: computes results from the carried values around
 *
 * ir_sweep_of splits the stage into these two parts. A carried value is a separate field
 * for each plane of its use, so that planes can change places. */
#include <string.h>

#include "codegen/codegen_private.h"

enum { FIRST, LAST, PARTS };
enum { MOST_PLANES = 12 /* of all values: more do not fit in L1 */ };

typedef struct holding {
    const emit_stage *whole;
    arena *arena;
    ir_sweep sweep;
    ir code; /* with a field for each value in each plane */
} holding;

/* ---- fields ------------------------------------------------------------------------ */

static int planes_of(const ir_sweep *w, int64_t value)
{
    return w->lead - w->field[value].first + 1;
}

static int register_planes(const ir_sweep *w)
{
    int count = 0;

    for (int64_t v = 0; v < w->fields; v++)
        count += planes_of(w, v);
    return count;
}

static int deepest_of(const ir_sweep *w)
{
    int most = 0;

    for (int64_t v = 0; v < w->fields; v++)
        most = planes_of(w, v) - 1 > most ? planes_of(w, v) - 1 : most;
    return most;
}

/* The field for a value in a plane, counted from the plane of the results. */
static int register_field(const holding *h, int64_t value, int plane)
{
    int field = (int)h->whole->code->fields + plane - h->sweep.field[value].first;

    for (int64_t v = 0; v < value; v++)
        field += planes_of(&h->sweep, v);
    return field;
}

static void add_fields(holding *h)
{
    const ir *of = h->whole->code;
    const int carried = register_planes(&h->sweep);

    h->code = *of;
    h->code.field = arena_alloc(h->arena, of->fields + carried, sizeof *h->code.field);
    memcpy(h->code.field, of->field, (size_t)of->fields * sizeof *of->field);
    for (; h->code.fields < of->fields + carried; h->code.fields++)
        h->code.field[h->code.fields] = (ir_field){
            .name = "carried", .storage = h->whole->real, .levels = 1};
}

/* The first part computes the values of the farthest plane. */
static void find_fields(const holding *h, ir_stage *s)
{
    const int fields = (int)h->whole->code->fields;

    for (int64_t k = 0; k < s->count; k++) {
        ir_node *n = &s->node[k];
        if (n->op != IR_LOAD || n->field < fields)
            continue;
        n->field = register_field(h, n->field - fields, n->offset[2]);
        n->offset[2] = 0;
    }
    for (int64_t k = 0; k < s->outputs; k++)
        if (s->output[k].field >= fields)
            s->output[k].field = register_field(h, s->output[k].field - fields,
                                                h->sweep.lead);
}

/* ---- text -------------------------------------------------------------------------- */

static const char *const name_of_part[PARTS] = {"planes", "across"};

static void add_slot(const emit_stage *e, const holding *h, const emit_slot *slot)
{
    for (int64_t v = 0; v < h->sweep.fields; v++)
        for (int z = h->sweep.field[v].first; z <= h->sweep.lead; z++)
            if (register_field(h, v, z) == slot->field)
                text_add(e->t, "{-1, %lld, %d}, ", (long long)v, h->sweep.lead - z);
    if (slot->field < (int)h->whole->code->fields)
        text_add(e->t, "{%d, 0, 0}, ", emit_slot_of(h->whole, slot->field, slot->level));
}

static void add_slots(const emit_stage *e, const holding *h, int part)
{
    text_add(e->t, "static const carried_slot %s_slots_%lld_%lld[] = {",
             name_of_part[part], (long long)e->program, (long long)e->number);
    for (int64_t k = 0; k < e->slots; k++)
        add_slot(e, h, &e->slot[k]);
    text_add(e->t, "};\n");
}

static pav_status add_part(const holding *h, int part, ir_stage *s, int64_t *slots)
{
    emit_stage e;

    find_fields(h, s);
    TRY(emit_survey(&h->code, s, &e));
    e.program = h->whole->program;
    e.number = h->whole->number;
    e.t = h->whole->t;
    e.in_planes = true;
    e.of_step = h->whole->of_step;
    e.carried = (int)h->whole->code->fields;
    e.nameless = h->whole->nameless;
    emit_row_function(&e, name_of_part[part], h->whole->tallest);
    add_slots(&e, h, part);
    *slots = e.slots;
    emit_survey_close(&e);
    return PAV_OK;
}

static void add_planes(const holding *h)
{
    text_add(h->whole->t, "static const int carried_planes_%lld_%lld[] = {",
             (long long)h->whole->program, (long long)h->whole->number);
    for (int64_t v = 0; v < h->sweep.fields; v++)
        text_add(h->whole->t, "%d, ", planes_of(&h->sweep, v));
    text_add(h->whole->t, "};\n");
}

static void add_parts(const holding *h, const int64_t slots[PARTS])
{
    const long long p = h->whole->program, s = h->whole->number;

    text_add(h->whole->t,
             "static const carried_rows carried_parts_%lld_%lld = {\n"
             "    planes_%lld_%lld, across_%lld_%lld,\n"
             "    {planes_slots_%lld_%lld, across_slots_%lld_%lld}, {%lld, %lld},\n"
             "    %lld, carried_planes_%lld_%lld, %d, %d, %d, %d};\n",
             p, s, p, s, p, s, p, s, p, s, (long long)slots[FIRST],
             (long long)slots[LAST], (long long)h->sweep.fields, p, s, h->sweep.lead,
             deepest_of(&h->sweep), h->whole->tallest,
             (int)pav_type_size(h->whole->real));
}

static void add_entry(const holding *h, const int64_t slots[PARTS])
{
    const long long p = h->whole->program, s = h->whole->number;
    const int64_t most = slots[FIRST] > slots[LAST] ? slots[FIRST] : slots[LAST];

    text_add(h->whole->t,
             "\nstatic void all_carried_%lld_%lld(const work *w)\n{\n"
             "    ALIGNED char memory[%d * %d * CARRIED_PITCH];\n    grid g[%lld];\n\n"
             "    each_carried(w, &carried_parts_%lld_%lld, memory, g);\n}\n",
             p, s, register_planes(&h->sweep), h->whole->tallest, (long long)most, p, s);
}

static pav_status add_all(holding *h)
{
    int64_t slots[PARTS];

    add_fields(h);
    TRY(add_part(h, FIRST, &h->sweep.first, &slots[FIRST]));
    TRY(add_part(h, LAST, &h->sweep.last, &slots[LAST]));
    add_planes(h);
    add_parts(h, slots);
    add_entry(h, slots);
    return PAV_OK;
}

/* ---- all --------------------------------------------------------------------------- */

static pav_status find_and_add(emit_stage *e, holding *h)
{
    pav_status status = PAV_OK;

    TRY(ir_sweep_of(e->code, e->stage, h->arena, &h->sweep));
    e->holds = h->sweep.pays && register_planes(&h->sweep) <= MOST_PLANES;
    if (e->holds)
        ARENA_GUARD(h->arena, status, add_all(h));
    return status;
}

/* Values are carried along z, for some rows of whole vectors. */
pav_status emit_carried(emit_stage *e)
{
    if (e->code->dim < 3 || e->tallest < 2)
        return PAV_OK;
    holding h = {.whole = e, .arena = arena_new()};
    if (!h.arena)
        return PAV_ENOMEM;
    const pav_status status = find_and_add(e, &h);
    arena_free(h.arena);
    return status;
}
