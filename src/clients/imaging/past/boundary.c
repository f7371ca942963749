/* SPDX-License-Identifier: BSD-3-Clause */
/* HISTORY_BOUNDARY: the past of a wave is computed by steps back. The two newest levels
 * change places, and each step of the run then gives the level before. An absorbing layer
 * loses information. Therefore a strip next to the layer, of the equations' radius in
 * width, is stored at each step and replaces the values of the step back. Points inside
 * read nothing beyond the strip. Steps back round differently from steps forwards. */
#include <stdio.h>
#include <string.h>

#include "imaging/imaging_private.h"

struct boundary {
    pav_run *run;
    const adjoint *past;
    /* Layouts of the strips of a step, of both levels, and of the levels passed to the
     * adjoint. */
    frame_layout strips, levels, passed;
    store *frames, *both, *passing;
    stored *frame; /* one per step */
    int64_t steps, disk_frames;
    int64_t step; /* step of level 0 on the way back; -1: the way back has not begun */
};

/* ---- the kept strips --------------------------------------------------------------- */

static bool is_wave(const program *p, const symbol *field)
{
    EACH_STATEMENT(s, p)
        if (s->kind == STATEMENT_UPDATE && s->symbol == field)
            return !s->made;
    return false;
}

/* radius: of the equations along each axis. Next to a face a step back cannot compute the
 * points of the layer, and of the radius beside it if the layer is matched, since a
 * matched layer adds terms to equations nearby. */
static void find_strips(const program *p, const int64_t *radius, boundary_shape *b)
{
    box outer = {{0, 0, 0}, {1, 1, 1}};

    for (int axis = 0; axis < p->dim; axis++)
        outer.hi[axis] = p->axis[axis].points;
    b->inside = outer;
    for (int face = 0; face < 2 * p->dim; face++) {
        const int axis = face / 2, side = face % 2;
        int64_t lost = 0;
        for (int64_t f = 0; f < p->fields.count; f++) {
            const statement *s = field_border(p, p->fields.item[f], axis, side);
            if (s && s->kind == STATEMENT_ABSORB && is_wave(p, p->fields.item[f]))
                lost = int64_most(lost, s->cell_count + (s->matched ? radius[axis] : 0));
        }
        const int64_t kept = int64_most(lost - radius[axis], 0);
        *(side ? &b->inside.hi[axis] : &b->inside.lo[axis]) += side ? -lost : lost;
        *(side ? &outer.hi[axis] : &outer.lo[axis]) += side ? -kept : kept;
    }
    for (int face = 2 * p->dim - 1; face >= 0 && !box_is_empty(&b->inside); face--) {
        const int axis = face / 2, side = face % 2;
        const int64_t edge = side ? b->inside.hi[axis] : b->inside.lo[axis];
        box *strip = &b->strip[b->boxes];
        *strip = outer;
        *(side ? &strip->lo[axis] : &strip->hi[axis]) = edge;
        *(side ? &outer.hi[axis] : &outer.lo[axis]) = edge;
        b->boxes += strip->hi[axis] > strip->lo[axis];
    }
}

/* *why: the reason that steps cannot be taken back. */
static pav_status measure(const adjoint *a, boundary_shape *b, text *why)
{
    const program *forward = a->forward;
    int64_t radius[MAX_DIM] = {0};
    OWNED_BY(free_code) ir *code = NULL;

    TRY(steps_reversible(forward, why));
    /* On the way back, a step is restored before its older level is computed. So this
     * method is refused if a gradient or an image needs prev() of the wave. */
    for (int64_t k = 0; k < a->histories && !why->data; k++)
        if (a->history[k].level < 0 && is_wave(forward, a->history[k].field))
            text_add(why, "what is asked for needs prev() of the wave, too");
    if (why->data)
        return PAV_OK;
    TRY(ir_build(forward, NULL, &code));
    for (int64_t f = 0; f < code->fields; f++)
        for (int face = 0; face < 2 * forward->dim && code->field[f].updated; face++)
            radius[face / 2] = int64_most(radius[face / 2],
                                          code->field[f].halo[face / 2][face % 2]);
    find_strips(forward, radius, b);
    for (int64_t f = 0; f < forward->fields.count; f++) {
        const symbol *s = forward->fields.item[f];
        for (int k = 0; k < b->boxes && is_wave(forward, s); k++)
            b->bytes += box_points(b->strip[k]) * (int64_t)pav_type_size(s->storage);
    }
    if (box_is_empty(&b->inside))
        text_add(why, "no point of the grid is outside of the layers that absorb");
    return PAV_OK;
}

pav_status boundary_measure(const adjoint *a, boundary_shape *b)
{
    OWNED_BY(text_free) text why = {0};

    *b = (boundary_shape){0};
    TRY(measure(a, b, &why));
    (void)snprintf(b->why, sizeof b->why, "%s", why.data ? why.data : "");
    return PAV_OK;
}

/* ---- opening ----------------------------------------------------------------------- */

/* The memory fields of a matched layer are not passed on. They are 0 inside, and so are
 * the adjoint's fields for them. */
static void lay_out(boundary *b, arena *a, const boundary_shape *shape)
{
    const program *p = b->past->forward;
    const int64_t all = program_all_points(p);

    for (int64_t f = 0; f < p->fields.count; f++) {
        const symbol *s = p->fields.item[f];
        if (!is_wave(p, s))
            continue;
        frame_item item = {.field = run_field_number(b->run, s->name),
                           .type = s->storage};
        for (; item.age < 2; item.age++)
            frame_add(a, &b->levels, &item, all);
        item.age = 0;
        item.part = true;
        for (int k = 0; k < shape->boxes; k++) {
            item.range = shape->strip[k];
            frame_add(a, &b->strips, &item, box_points(item.range));
        }
    }
    for (int64_t k = 0; k < b->past->histories; k++) {
        const adjoint_history *past = &b->past->history[k];
        const frame_item item = {.field = run_field_number(b->run, past->field->name),
                                 .age = past->level > 0,
                                 .type = past->field->storage};
        if (is_wave(p, past->field))
            frame_add(a, &b->passed, &item, all);
    }
}

boundary *boundary_open(arena *a, pav_run *run, const adjoint *past,
                        const boundary_shape *shape, const store_room *room,
                        int64_t disk_frames)
{
    boundary *b = arena_alloc(a, 1, sizeof *b);
    const store_room one = {room->there, 1, NULL};

    *b = (boundary){.run = run,
                    .past = past,
                    .frame = arena_alloc(a, past->steps + 1, sizeof *b->frame),
                    .steps = past->steps,
                    .disk_frames = disk_frames,
                    .step = -1};
    lay_out(b, a, shape);
    b->frames = store_open(a, run, &b->strips, room);
    b->both = store_open(a, run, &b->levels, &one);
    b->passing = store_open(a, run, &b->passed, &one);
    return b;
}

void boundary_close(boundary *b)
{
    if (!b)
        return;
    store_close(b->frames);
    store_close(b->both);
    store_close(b->passing);
}

/* ---- forwards, and back ------------------------------------------------------------ */

pav_status boundary_note(boundary *b)
{
    const int64_t step = pav_run_step(b->run);

    return step < b->steps - 1 && b->strips.count > 0
               ? store_put(b->frames, step < b->disk_frames, &b->frame[step])
               : PAV_OK;
}

static pav_status pass_on(boundary *b, pav_run *to)
{
    stored frame = {0};
    int64_t item = 0;

    TRY(store_put(b->passing, false, &frame));
    for (int64_t k = 0; k < b->past->histories; k++) {
        const adjoint_history *past = &b->past->history[k];
        const int field = run_field_number(b->run, past->field->name);
        if (item < b->passed.count && b->passed.item[item].field == field)
            TRY(store_get(b->passing, &frame, item++, to,
                          run_field_number(to, past->name), 0));
    }
    store_drop(b->passing, &frame);
    return PAV_OK;
}

pav_status boundary_restore(boundary *b, int64_t m, pav_run *adjoint_run)
{
    if (b->step < 0) { /* at the end of the way forwards the two newest levels swap */
        stored frame = {0};
        TRY(store_put(b->both, false, &frame));
        for (int64_t k = 0; k < b->levels.count; k++) {
            const frame_item *i = &b->levels.item[k];
            TRY(store_get(b->both, &frame, k, b->run, i->field, 1 - i->age));
        }
        store_close(b->both);
        b->both = NULL;
        b->step = b->steps - 1;
    }
    /* A step forwards from the step of level 0, with the sources and the time of that
     * step, is the step back. */
    while (b->step > m) {
        run_rewind(b->run, b->step);
        TRY(run_advance(b->run, 1));
        b->step--;
        stored *frame = &b->frame[b->step];
        for (int64_t k = 0; k < b->strips.count; k++) {
            const frame_item *i = &b->strips.item[k];
            TRY(store_get(b->frames, frame, k, b->run, i->field, 0));
            if (k + 1 == b->strips.count || i[1].field != i->field)
                TRY(run_fill_border(b->run, i->field, 0));
        }
        store_drop(b->frames, frame);
    }
    return pass_on(b, adjoint_run);
}
