/* SPDX-License-Identifier: BSD-3-Clause */
/* A block of steps: the window passes over the grid once, and in each visit takes its
 * part of every step. An operation of the block is a stage, all sources, all receivers,
 * or a fused launch. After it the borders of its points are filled. */
#include <assert.h>
#include <string.h>

#include "run/outofcore/outofcore_private.h"

/* ---- borders ----------------------------------------------------------------------- */

/* Fills borders in a visit, in the same order as for a whole level. First the lower axes,
 * over the planes stored by an operation. Then the ghosts beyond an end of the window's
 * axis, once the planes that they copy are computed. */

/* The planes of a level from lo up to hi, with `before` and `behind` ghosts. */
static view view_of_planes(const view *v, int axis, int64_t lo, int64_t hi, int before,
                           int behind)
{
    view part = *v;
    part.first[axis] = lo;
    part.extent[axis] = hi - lo;
    part.halo[axis][0] = before;
    part.halo[axis][1] = behind;
    return part;
}

static pav_status fill_end(outofcore_block *b, int field, view *v, int side)
{
    const ir_field *f = &b->run->code->field[field];
    executor *e = b->window->executor;
    const int axis = b->o->axis;
    const bool around = side == 0 && b->at.wrapped > 0;
    const int64_t last = around ? b->at.wrapped : b->at.hi;
    const int64_t lo = side == 0 || b->at.lo < 0 ? 0 : b->at.lo;
    const int64_t hi = last < b->o->extent ? last : b->o->extent;
    TRY(e->ops.end_borders(e)); /* the other axes' ghosts must be filled first */
    outofcore_place(b, around);
    b->window->grid->seam[axis][side] = false;
    b->window->grid->seam[axis][1 - side] = true;
    const view part = view_of_planes(v, axis, lo, hi, side == 0 ? f->halo[axis][0] : 0,
                                     side == 1 ? f->halo[axis][1] : 0);
    const pav_status status = subdomain_fill_as(b->window, field, v, &part, axis,
                                                axis + 1);
    outofcore_place(b, false);
    return status;
}

static pav_status fill_field(outofcore_block *b, const outofcore_operation *m, int field)
{
    const ir_field *f = &b->run->code->field[field];
    const int axis = b->o->axis;
    const time_ends ends = time_ends_of(f, axis);
    levels *l = &b->window->field[field]; /* the level stored by the present step: */
    view *v = &l->level[b->window->view[field][0] - l->level];
    const spans at = time_stored(&b->axis, b->visit, m->shift, ends, false);
    for (int n = 0; n < at.count && axis > 0; n++) {
        outofcore_place(b, b->at.wrapped > 0 && at.at[n].lo < b->at.lo);
        const view part = view_of_planes(v, axis, at.at[n].lo, at.at[n].hi, 0, 0);
        TRY(subdomain_fill_as(b->window, field, v, &part, 0, axis));
    }
    outofcore_place(b, false);
    for (int side = 0; side < 2; side++)
        if (border_is(f->border[axis][side].kind) &&
            time_has_face(&b->axis, b->visit, m->shift, ends, side))
            TRY(fill_end(b, field, v, side));
    return PAV_OK;
}

static pav_status fill_borders(outofcore_block *b, const outofcore_operation *m)
{
    executor *e = b->window->executor;
    subdomain_set_time(b->window, b->step + m->step + 1);
    for (int f = 0; f < b->run->code->fields; f++)
        if (m->fill[f])
            TRY(fill_field(b, m, f));
    TRY(e->ops.end_borders(e));
    subdomain_set_time(b->window, b->step + m->step);
    return PAV_OK;
}

/* ---- borders that stay as they are ------------------------------------------------- */

/* True for borders independent of time and fields: they are filled when their planes are
 * uploaded, and never again. */
static bool keeps_border(const outofcore_block *b, int field)
{
    const ir *code = b->run->code;
    const ir_field *f = &code->field[field];
    return f->updated && !f->shared && borders_are_still(code, f);
}

static pav_status keep_border(outofcore_block *b, int field, view *v, int64_t lo,
                              int64_t hi)
{
    const int axis = b->o->axis;
    const ir_field *f = &b->run->code->field[field];
    const int64_t first = int64_most(lo, 0), end = int64_least(hi, b->o->extent);
    if (axis > 0 && first < end) {
        const view part = view_of_planes(v, axis, first, end, 0, 0);
        TRY(subdomain_fill_as(b->window, field, v, &part, 0, axis));
    }
    for (int side = 0; side < 2; side++) {
        const bool is_end = side == 0 ? lo <= -f->halo[axis][0]
                                      : hi >= b->o->extent + f->halo[axis][1];
        if (is_end && border_is(f->border[axis][side].kind))
            TRY(fill_end(b, field, v, side));
    }
    return PAV_OK;
}

/* Fills constant borders of uploaded planes in the buffers for the first steps of the
 * block, and in the buffers without an uploaded level. */
pav_status outofcore_keep_borders(outofcore_block *b, int64_t lo, int64_t hi)
{
    executor *e = b->window->executor;
    for (int f = 0; f < b->run->code->fields && lo < hi; f++) {
        const levels *l = &b->window->field[f];
        const int first = outofcore_newest(b, f, 0, 0);
        if (!keeps_border(b, f))
            continue;
        TRY(keep_border(b, f, &l->level[first], lo, hi));
        for (int n = b->run->code->field[f].levels; n < l->count; n++)
            TRY(keep_border(b, f, &l->level[(first + n) % l->count], lo, hi));
    }
    return e->ops.end_borders(e);
}

/* ---- fused launches ---------------------------------------------------------------- */

/* Fused launches within a visit. A launch is one operation, shifted by its radius against
 * the one before. Its output buffers differ from its input buffers, so fields of three
 * levels have four buffers. If a launch is impossible, steps are single ones, with a
 * reason. */

int outofcore_buffers(const pav_run *run, const ir_field *f)
{
    return field_buffers(f, run->outofcore->launch.depth > 1);
}

/* ---- the choice of fused launches -------------------------------------------------- */

bool outofcore_asks_for_launch(const pav_run *run)
{
    const outofcore_request *r = &run->outofcore->requested;
    return schedule_fuses_steps(&run->schedule) || r->depth > 1 || r->launch;
}

/* ---- launches ---------------------------------------------------------------------- */

static pav_status launch(outofcore_block *b, const outofcore_operation *m,
                         const box *where)
{
    const outofcore *o = b->o;
    const bool is_end = b->at.hi == o->extent + o->halo;
    const int64_t first = outofcore_first(b);
    const place_visit v = {.begin = where->lo[o->axis],
                           .end = where->hi[o->axis],
                           .first = first,
                           .last = first + o->planes,
                           .behind = is_end ? o->extent : b->at.hi - o->halo,
                           .goes_on = b->axis.periodic && b->axis.tiles > 1,
                           .numbers = m->numbers};
    assert(v.begin >= v.end || v.first <= v.begin); /* planes of the window */
    return v.begin < v.end ? place_launch_visit(o->executor, o->fused, &v) : PAV_OK;
}

/* ---- sources and receivers --------------------------------------------------------- */

/* Sources and receivers in a visit: the neighbours of their positions in the planes of an
 * operation. */

typedef struct injecting {
    subdomain *window;
    const ir_event *event;
} injecting;

static pav_status inject_one(void *user, double amount, const box *point)
{
    const injecting *i = user;
    i->window->uniform[i->event->weight] = amount;
    return subdomain_stage(i->window, source_stage(i->event), point);
}

static pav_status inject(outofcore_block *b, const outofcore_operation *m,
                         const box *where)
{
    const ir_event_list *all = &b->run->code->injections;
    assert(outofcore_state(b->o)->ready); /* points are placed before a block */
    for (int64_t k = 0; k < all->count; k++) {
        injecting i = {b->window, &all->item[k]};
        b->window->uniform = m->inject[k];
        TRY(sources_within(&b->run->part->injection[k],
                           &outofcore_state(b->o)->injection[k], where, b->step + m->step,
                           inject_one, &i));
    }
    b->window->uniform = m->uniform;
    return PAV_OK;
}

/* ---- receivers --------------------------------------------------------------------- */

/* A block does not sample its last step before an observation, because the time loop
 * samples after it. */
static bool is_due(const outofcore_block *b, int64_t k, int step)
{
    return step + 1 < b->steps + b->goes_on &&
           time_sample_is_due(b->run, &b->run->observers.recorder[k], b->step + step + 1);
}

static double *row_of(const outofcore_block *b, int64_t k, int step)
{
    const time_state *s = outofcore_state(b->o);
    assert(step >= 0 && step < s->sampled_steps); /* time_state_open made room */
    return s->sampled[k] + step * s->sample[k].count;
}

static pav_status sample_one(outofcore_block *b, int64_t k, int step, const view *v,
                             const box *where)
{
    const placed_points *placed = &outofcore_state(b->o)->sample[k];
    executor *e = b->window->executor;
    box around;
    if (!is_due(b, k, step))
        return PAV_OK;
    TRY(placed_box(placed, where, &around));
    if (box_is_empty(&around))
        return PAV_OK;
    TRY(e->ops.host_view(e, outofcore_state(b->o)->receiver[k].field, v, HOST_READ,
                         &around, &v));
    return placed_values(placed, where, v, row_of(b, k, step));
}

/* ---- receivers in a fused launch --------------------------------------------------- */

/* Samples all steps of a launch. `values`: room for their rows. */
static pav_status sample_all(outofcore_block *b, int step, int64_t k, const box *where,
                             char *values)
{
    const int last = b->o->launch.depth - 1;
    const view *v = b->window->view[outofcore_state(b->o)->receiver[k].field][1];
    const int64_t row = outofcore_state(b->o)->sample[k].count *
                        (int64_t)pav_type_size(v->type);
    bool moves;
    TRY(place_launch_samples(b->o->executor, b->o->fused,
                             b->run->observers.recorder[k].statement, values, &moves));
    for (int n = 0; n < last && moves; n++) {
        const view seen = {.data = values + n * row, .type = v->type, .stride = {1}};
        const placed_points *placed = &outofcore_state(b->o)->sample[k];
        const int axis = b->o->axis;
        for (int64_t m = 0; m < placed->count && is_due(b, k, step + n); m++) {
            const placed_point *p = &placed->item[m];
            const int64_t at[MAX_DIM] = {p->number};
            if (p->point[axis] >= where->lo[axis] && p->point[axis] < where->hi[axis])
                row_of(b, k, step + n)[p->number] = point_value(&seen, at);
        }
    }
    for (int n = moves ? last : 0; n <= last; n++)
        TRY(sample_one(b, k, step + n, v, where));
    return PAV_OK;
}

/* ---- the operations of a block ----------------------------------------------------- */

/* The operations of a block of steps, with their uniforms. Stages of uniforms are
 * evaluated here, before the first visit. */

static outofcore_operation *add_operation(outofcore_block *b, const ir_operation *what,
                                          int step)
{
    outofcore_operation *m = &b->operation[b->operations++];
    *m = (outofcore_operation){
        .what = what,
        .step = step,
        .launches = b->launches,
        .singles = step - b->launches * b->o->launch.depth,
        .shift = outofcore_shift(b->o, what, step, b->launches, b->stages),
    };
    b->stages += what && what->kind == OPERATION_STAGE;
    return m;
}

/* An operation of a single step. */
static pav_status add_single(void *user, const ir_operation *what)
{
    outofcore_block *b = user;
    const ir *code = b->run->code;
    outofcore_operation *m = add_operation(b, what, b->listed);
    if (what->kind == OPERATION_SAMPLE)
        return PAV_OK;
    bool *fill = arena_alloc(b->arena, code->fields + 1, sizeof *fill);
    m->fill = fill;
    if (what->kind == OPERATION_INJECT) {
        const ir_event_list *all = &b->run->code->injections;
        m->inject = arena_alloc(b->arena, all->count + 1, sizeof *m->inject);
        for (int64_t k = 0; k < all->count; k++) {
            TRY(subdomain_source_numbers(b->run->part, k));
            m->inject[k] = time_keep_uniforms(b->run->part, b->arena);
            fill[all->item[k].field] |= outofcore_state(b->o)->injection[k].near_face;
        }
    }
    m->uniform = time_keep_uniforms(b->run->part, b->arena);
    const ir_stage *s = what->kind == OPERATION_STAGE ? &code->stage[what->stage] : NULL;
    for (const ir_output *o = NULL; s && (o = ir_next_store(s, o));)
        fill[o->field] = true;
    for (int f = 0; f < code->fields; f++)
        fill[f] = fill[f] && !keeps_border(b, f);
    return PAV_OK;
}

/* ---- fused launches ---------------------------------------------------------------- */

static pav_status add_launch(outofcore_block *b, int step)
{
    subdomain *whole = b->run->part;
    const int depth = b->o->launch.depth;
    double *numbers = arena_alloc(
        b->arena, depth * place_launch_what(b->o->fused)->number_bytes / 8 + 1,
        sizeof *numbers);
    bool *stored = arena_alloc(b->arena, b->run->code->fields + 1, sizeof *stored);
    outofcore_operation *m = add_operation(b, NULL, step);
    m->numbers = numbers;
    m->uniform = whole->uniform;
    for (int f = 0; f < b->run->code->fields; f++)
        stored[f] = b->run->code->field[f].updated && !keeps_border(b, f);
    m->fill = stored;
    b->launches++;
    TRY(place_launch_numbers(b->run->part, b->o->fused, b->step + step, depth, numbers));
    for (int n = step; n < step + depth; n++) {
        subdomain_set_time(whole, b->step + n + 1);
        outofcore_state(b->o)->time[n] = whole->uniform[whole->code->uniform_t];
    }
    return PAV_OK;
}

/* ---- all --------------------------------------------------------------------------- */

/* The last visit of a periodic axis has two ranges of planes, but a column of tiles only
 * one. So it takes single steps. */
static bool outofcore_is_tiled(const outofcore_block *b, int64_t visit)
{
    return outofcore_has_tiles(b->o) && (!b->axis.periodic || visit + 1 < b->axis.tiles);
}

static pav_status add_all(outofcore_block *b)
{
    const subdomain *whole = b->run->part;
    const ir_blocking *steps = &b->o->state.blocking;
    if (outofcore_has_tiles(b->o)) {
        const ir *code = b->run->code;
        b->uniform = time_keep_uniforms(b->run->part, b->arena);
        b->kept = arena_alloc(b->arena, code->fields + 1, sizeof *b->kept);
        for (int f = 0; f < code->fields; f++)
            b->kept[f] = keeps_border(b, f);
    }
    if (outofcore_is_tiled(b, b->axis.tiles - 1))
        return PAV_OK;
    b->operation = arena_alloc(b->arena, b->steps * steps->operations,
                               sizeof *b->operation);
    const int launches = outofcore_launches(b->o, b->steps, b->whole);
    for (; b->launches < launches; b->listed += b->o->launch.depth)
        TRY(add_launch(b, b->listed));
    assert(b->listed <= b->steps); /* launches take no more steps than the block has */
    for (; b->listed < b->steps; b->listed++) {
        TRY(time_each_operation(b->run->part, steps, b->step + b->listed, add_single, b));
        outofcore_state(b->o)->time[b->listed] = whole->uniform[whole->code->uniform_t];
    }
    return PAV_OK;
}

/* ---- one operation ----------------------------------------------------------------- */

/* True if the window has the planes of the stage's results. */
static bool has_room(const outofcore_block *b, int stage, const box *part)
{
    for (const ir_output *o = NULL; (o = ir_next_store(&b->run->code->stage[stage], o));)
        if (!outofcore_has_planes(b, b->window->view[o->field][1 - o->level], part))
            return false;
    return true;
}

static pav_status visit_operation(outofcore_block *b, const outofcore_operation *m,
                                  const box *where)
{
    const ir *code = b->run->code;
    const time_state *state = outofcore_state(b->o);
    if (!m->what)
        return launch(b, m, where);
    if (m->what->kind == OPERATION_INJECT)
        return inject(b, m, where);
    for (int64_t k = 0; m->what->kind == OPERATION_SAMPLE && k < state->receivers; k++) {
        const int field = state->receiver[k].field;
        TRY(sample_one(b, k, m->step, b->window->view[field][!code->field[field].updated],
                       where));
    }
    if (m->what->kind == OPERATION_SAMPLE)
        return PAV_OK;
    const box part = box_common(ir_stage_box(code, &code->stage[m->what->stage]), *where);
    assert(box_is_empty(&part) || has_room(b, m->what->stage, &part));
    return box_is_empty(&part) ? PAV_OK
                               : subdomain_stage(b->window, m->what->stage, &part);
}

static box box_of_planes(const outofcore_block *b, const span *s)
{
    return box_along(ir_grid_box(b->run->code), b->o->axis, s->lo, s->hi);
}

static pav_status do_operation(outofcore_block *b, const outofcore_operation *m)
{
    const spans at = time_points(&b->axis, b->visit, m->shift);
    outofcore_turn(b, m->launches, m->singles);
    b->window->uniform = m->uniform;
    if (!m->what && b->at.wrapped > 0) {
        /* A launch over the end of a periodic axis finds the first planes behind the last
         * ones. */
        const span all = {at.at[at.count - 1].lo, b->o->extent + at.at[0].hi};
        const box where = box_of_planes(b, at.count > 1 ? &all : &at.at[0]);
        TRY(visit_operation(b, m, &where));
    }
    for (int n = 0; n < at.count && (m->what || b->at.wrapped == 0); n++) {
        const box where = box_of_planes(b, &at.at[n]);
        outofcore_place(b, b->at.wrapped > 0 && at.at[n].lo < b->at.lo);
        TRY(visit_operation(b, m, &where));
    }
    outofcore_place(b, false);
    if (m->what)
        return m->fill ? fill_borders(b, m) : PAV_OK;
    /* A launch stores all levels except the oldest. */
    const int end = m->step + b->o->launch.depth;
    for (int f = 0; f < b->run->code->fields; f++) {
        levels *l = &b->window->field[f];
        const int newest = outofcore_newest(b, f, m->launches + 1, m->singles);
        if (!m->fill[f])
            continue;
        for (int n = 0; n < ir_kept_levels(&b->run->code->field[f]); n++) {
            l->newest = (newest + 1 + n) % l->count;
            subdomain_refresh_views(b->window);
            subdomain_set_time(b->window, b->step + end - n);
            TRY(fill_field(b, m, f));
        }
        TRY(b->window->executor->ops.end_borders(b->window->executor));
    }
    subdomain_set_time(b->window, b->step + m->step);
    for (int n = 0; n < at.count; n++) {
        const box where = box_of_planes(b, &at.at[n]);
        outofcore_turn(b, m->launches + 1, m->singles);
        for (int64_t k = 0; k < b->run->observers.recorders; k++) {
            box around;
            TRY(placed_box(&outofcore_state(b->o)->sample[k], &where, &around));
            if (box_is_empty(&around))
                continue;
            OWNED void *values = NULL;
            TRY(mem_take(&values,
                         b->o->launch.depth * outofcore_state(b->o)->sample[k].count,
                         sizeof(double)));
            TRY(sample_all(b, m->step, k, &where, values));
        }
    }
    return PAV_OK;
}

/* ---- a block ----------------------------------------------------------------------- */

/* Uploads all fields that are on the device as a whole. */
static pav_status send_whole(outofcore_block *b)
{
    if (!b->o->sent_once || b->o->are_there)
        return PAV_OK;
    for (int f = 0; f < b->run->code->fields; f++) {
        const levels *store = &b->run->part->field[f];
        for (int n = 0; n < store->count; n++) {
            const box all = view_window(&store->level[n]);
            if (outofcore_is_whole(b->o, &b->run->code->field[f]))
                TRY(outofcore_copy(b, f, &b->window->field[f].level[n], &store->level[n],
                                   &all, TO_DEVICE));
        }
    }
    b->o->are_there = true;
    return PAV_OK;
}

pav_status outofcore_block_open(outofcore_block *b)
{
    b->begun = true;
    b->arena = arena_new();
    TRY(b->arena ? time_state_ready(b->run, outofcore_state(b->o), b->steps)
                 : PAV_ENOMEM);
    pav_status status;
    ARENA_GUARD(b->arena, status, add_all(b));
    TRY(status);
    outofcore_turn(b, 0, 0);
    TRY(send_whole(b));
    if (b->o->disk && b->first) {
        TRY(disk_seal_round(b->run));
        TRY(disk_begin_round(b));
    }
    b->window->grid->cut[b->o->axis] = b->axis.tiles > 1;
    return PAV_OK;
}

pav_status outofcore_block_visit(outofcore_block *b)
{
    const int64_t visit = b->next++;
    /* visits follow the opening, up to the last tile */
    assert(b->begun && visit < b->axis.tiles);
    const double begun = clock_seconds();
    outofcore_turn(b, 0, 0);
    TRY(outofcore_go_to(b, visit));
    TRY(outofcore_note(b, true, visit, begun));
    const double moved = clock_seconds();
    const bool is_tiled = outofcore_is_tiled(b, visit);
    if (is_tiled)
        TRY(outofcore_tiles_visit(b));
    for (int64_t n = 0; n < b->operations && !is_tiled; n++)
        TRY(do_operation(b, &b->operation[n]));
    return outofcore_note(b, false, visit, moved);
}
