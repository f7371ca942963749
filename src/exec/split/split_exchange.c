/* SPDX-License-Identifier: BSD-3-Clause */
/* Halos are exchanged: axis by axis, x first, with what lies beyond the faces of lower axes, so that
 * corners get there too. */
#include "exec/split/split_private.h"

/* ---- transports --------------------------------------------------------------------------- */

static bool share_memory(executor *a, executor *b)
{
    return a->place == b->place && !a->absent && !b->absent;
}

static pav_status copy_there(const halo_move *m)
{
    return m->to->ops.copy_box(m->to, m->field, m->target, &m->range, m->from, m->field,
                               m->source, m->shift);
}

static bool reads(executor *a, executor *b)
{
    return a->ops.reads(a, b);
}

static bool are_here(executor *a, executor *b)
{
    return a->ops.read_box && b->ops.write_box;
}

int64_t halo_move_bytes(const halo_move *m)
{
    return box_points(&m->range) * (int64_t)pav_type_size(m->target->type);
}

box halo_move_source(const halo_move *m)
{
    box there = m->range;
    for (int axis = 0; axis < MAX_DIM; axis++) {
        there.lo[axis] += m->shift[axis];
        there.hi[axis] += m->shift[axis];
    }
    return there;
}

pav_status staging_room(staging *s, int64_t bytes)
{
    if (bytes <= s->room)
        return PAV_OK;
    mem_free(s->bytes);
    s->bytes = mem_new(bytes, 1);
    s->room = s->bytes ? bytes : 0;
    return s->bytes ? PAV_OK : PAV_ENOMEM;
}

static pav_status copy_by_host(const halo_move *m)
{
    staging *s = &m->split->staging;
    const box there = halo_move_source(m);
    TRY(staging_room(s, halo_move_bytes(m)));
    TRY(m->from->ops.read_box(m->from, m->field, m->source, &there, s->bytes));
    return m->to->ops.write_box(m->to, m->field, m->target, &m->range, s->bytes);
}

static const transport transports[] = {
    {"MPI", false, split_is_apart, split_post},
    {"same memory", false, share_memory, copy_there},
    {"peer access", true, reads, copy_there},
    {"staged copy", false, are_here, copy_by_host},
};

const transport *transport_between(executor *a, executor *b)
{
    for (size_t n = 0; n < sizeof transports / sizeof *transports; n++)
        if (transports[n].joins(a, b))
            return &transports[n];
    return NULL;
}

static pav_status move(split *s, halo_move *m)
{
    const transport *t = transport_between(m->to, m->from);
    if (!t)
        return FAIL(PAV_EUNSUPPORTED, "two subdomains are at places that nothing joins");
    if (box_is_empty(&m->range))
        return PAV_OK;
    m->split = s;
    s->exchanged_bytes += halo_move_bytes(m);
    s->exchange_later = s->exchange_later || t->later;
    return t->move(m);
}

/* ---- one face ----------------------------------------------------------------------------- */

/* The points beyond the face. Between two steps what lies beyond outer faces of higher axes comes with them; with wide
 * halos that is when they are exchanged. */
static box beyond(const subdomain *inner, int64_t field, const view *v, int axis,
                  int side)
{
    const box own = view_points(v);
    box b = view_window(v);
    for (int a = axis + 1; a < MAX_DIM; a++) {
        if (!inner->wide || subdomain_is_seam(inner, field, a, 0))
            b.lo[a] = own.lo[a];
        if (!inner->wide || subdomain_is_seam(inner, field, a, 1))
            b.hi[a] = own.hi[a];
    }
    if (side)
        b.lo[axis] = own.hi[axis];
    else
        b.hi[axis] = own.lo[axis];
    return b;
}

static pav_status exchange_face(split *s, int field, int64_t buffer, int64_t n, int axis,
                                int side)
{
    int64_t at[MAX_DIM];
    const decomposition *d = &s->cut[split_coarse(s, field)];
    const int64_t parts = d->parts[axis], extent = d->cut[axis][parts];
    decomposition_place(d, n, at);
    const int64_t next = at[axis] + (side ? 1 : -1);
    at[axis] = (next + parts) % parts;
    const int64_t other = decomposition_number(d, at);
    halo_move m = {.to = s->whole->inner[n].executor,
                   .from = s->whole->inner[other].executor,
                   .to_part = n,
                   .from_part = other,
                   .field = field,
                   .target = split_view(s, n, field, buffer),
                   .source = split_view(s, other, field, buffer)};
    m.range = beyond(&s->whole->inner[n], field, m.target, axis, side);
    m.shift[axis] = next < 0 ? extent : next == parts ? -extent : 0;
    return move(s, &m);
}

/* ---- all of a level ----------------------------------------------------------------------- */

static pav_status exchange_axis(split *s, int field, int64_t buffer, int axis)
{
    for (int64_t n = 0; n < s->whole->inners; n++)
        for (int side = 0; side < 2; side++)
            if (subdomain_is_seam(&s->whole->inner[n], field, axis, side))
                TRY(exchange_face(s, field, buffer, n, axis, side));
    return split_deliver(s);
}

static pav_status copy_box_of(split *s, int field, int64_t buffer, int64_t to,
                              int64_t from)
{
    halo_move m = {.to = s->whole->inner[to].executor,
                   .from = s->whole->inner[from].executor,
                   .to_part = to,
                   .from_part = from,
                   .field = field,
                   .target = split_view(s, to, field, buffer),
                   .source = split_view(s, from, field, buffer),
                   .range = s->whole->inner[from].grid[split_coarse(s, field)].box};
    return move(s, &m);
}

static pav_status exchange_points(split *s, int field, int64_t buffer)
{
    for (int64_t to = 0; to < s->whole->inners; to++)
        for (int64_t from = 0; from < s->whole->inners; from++)
            if (from != to)
                TRY(copy_box_of(s, field, buffer, to, from));
    return split_deliver(s);
}

pav_status split_exchange_axis(split *s, int field, int64_t buffer, int axis)
{
    const double begun = clock_seconds();
    const pav_status status = exchange_axis(s, field, buffer, axis);
    s->exchanged_seconds += clock_seconds() - begun;
    return status;
}

pav_status split_exchange_points(split *s, int field, int64_t buffer)
{
    const double begun = clock_seconds();
    const pav_status status = exchange_points(s, field, buffer);
    s->exchanged_seconds += clock_seconds() - begun;
    return status;
}

static pav_status refresh_level(split *s, int field, int64_t buffer)
{
    split_level *l = &s->level[field][buffer];
    TRY(split_on_parts(s, field, buffer, false));
    if (l->stale && split_has_all(s, field))
        TRY(split_exchange_points(s, field, buffer));
    for (int axis = 0; axis < s->whole->code->dim && l->stale && s->deep[field]; axis++)
        TRY(split_exchange_axis(s, field, buffer, axis));
    l->stale = false;
    l->good = subdomain_depth(s->whole, field);
    return PAV_OK;
}

pav_status split_refresh(split *s, const interp_args *args, const halo_depth *extra)
{
    for (int64_t k = 0; k < args->stage->count; k++) {
        const ir_node *node = &args->stage->node[k];
        const view *v = node->op == IR_LOAD ? args->view[node->field][1 - node->level]
                                            : NULL;
        if (v && !split_is_good(s, node, v, extra))
            TRY(refresh_level(s, node->field, split_buffer(s, node->field, v)));
    }
    return PAV_OK;
}

/* ---- how much ----------------------------------------------------------------------------- */

/* The view of a field that the subdomain will have, without its memory. */
static view shape_of(const subdomain *inner, int64_t field)
{
    const ir_field *f = &inner->code->field[field];
    field_shape shape = {0};
    for (int axis = 0; axis < MAX_DIM; axis++)
        for (int side = 0; side < 2; side++)
            shape.halo[axis][side] = f->halo[axis][side];
    shape = subdomain_shape(inner, field, &shape);
    view v = {0};
    for (int axis = 0; axis < MAX_DIM; axis++) {
        v.extent[axis] = shape.extent[axis];
        v.halo[axis][0] = shape.halo[axis][0];
        v.halo[axis][1] = shape.halo[axis][1];
    }
    return v;
}

static int64_t level_bytes(const subdomain *inner, int64_t field)
{
    const ir_field *f = &inner->code->field[field];
    const subdomain_grid *g = &inner->grid[f->coarse];
    int64_t count = 0;
    if (g->all)
        count = f->extent[0] * f->extent[1] * f->extent[2] - box_points(&g->box);
    const view v = shape_of(inner, field);
    for (int face = 0; face < 2 * inner->code->dim; face++) {
        const box b = beyond(inner, field, &v, face / 2, face % 2);
        if (subdomain_is_seam(inner, field, face / 2, face % 2))
            count += box_points(&b);
    }
    return count * (int64_t)pav_type_size(f->storage);
}

int64_t split_bytes_of(const subdomain *inner)
{
    const ir *code = inner->code;
    int64_t bytes = 0;
    for (int64_t f = 0; inner->wide && f < code->fields; f++)
        bytes += wide_halo_levels(inner->wide, f) * level_bytes(inner, f);
    if (inner->wide)
        return bytes;
    for (int64_t n = 0; n < code->step.count; n++) {
        const ir_stage *stage = &code->stage[code->step.stage[n]];
        for (int64_t k = 0; k < stage->outputs; k++)
            if (stage->output[k].kind == IR_STORE)
                bytes += level_bytes(inner, stage->output[k].field);
    }
    for (int64_t n = 0; n < code->injections.count; n++)
        bytes += level_bytes(inner, code->injections.item[n].field);
    return bytes;
}

int64_t split_exchange_bytes(const subdomain *whole)
{
    int64_t bytes = 0;
    for (int64_t n = 0; n < whole->inners; n++)
        bytes += split_bytes_of(&whole->inner[n]);
    return bytes;
}
