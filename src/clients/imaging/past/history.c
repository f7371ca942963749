/* SPDX-License-Identifier: BSD-3-Clause */
/* The past of a run, needed from its last step to its first. HISTORY_ALL keeps all needed
 * steps. HISTORY_SNAPSHOTS keeps some states and takes steps again from them. Both give
 * values bitwise identical to the run's. HISTORY_BOUNDARY steps the wave back
 * (boundary.c) and rounds differently. A state holds every level of every updated field
 * read by the next step. If only every n-th step counts, only these steps are kept, and
 * states are whole strides of n steps apart. */
#include <string.h>

#include "imaging/imaging_private.h"

/* ---- the choice of states ---------------------------------------------------------- */

/* When few states of a run can be kept and all are needed from the last to the first:
 * which to keep, so that the fewest steps are taken again (Griewank and Walther,
 * Algorithm 799: Revolve, ACM TOMS 26, 2000). A run of l steps whose first state is kept,
 * with room for s more, takes, to be at each of its states 0 .. l - 1 in turn,
 *
 *     t(l, s) = min over k of  k + t(l - k, s - 1) + t(k, s),    t(1, s) = 0,
 *             = r*l - C(s + 1 + r, s + 2)                        where C(s + r, s + 1) <
 *             l <= C(s + 1 + r, s + 1). */

/* C(n, k), or more than any number of steps. */
static int64_t choose(int64_t n, int64_t k)
{
    int64_t product = 1;

    if (k > n - k)
        k = n - k;
    if (k < 0)
        return 0;
    for (int64_t i = 1; i <= k; i++) {
        if (!mul_fits(product, n - k + i, &product))
            return INT64_MAX;
        product /= i;
    }
    return product;
}

int64_t revolve_cost(int64_t steps, int64_t room)
{
    int64_t r = 0, whole;

    while (choose(room + 1 + r, room + 1) < steps)
        r++;
    return !mul_fits(r, steps, &whole) ? INT64_MAX
                                       : whole - choose(room + 1 + r, room + 2);
}

int64_t revolve_advance(int64_t steps, int64_t room)
{
    const int64_t least = revolve_cost(steps, room);

    if (room < 1 || steps < 2)
        return steps - 1;
    for (int64_t k = 1; k < steps - 1; k++)
        if (k + revolve_cost(steps - k, room - 1) + revolve_cost(k, room) == least)
            return k;
    return steps - 1;
}

/* ---- the past ---------------------------------------------------------------------- */

typedef struct snapshot {
    int64_t step;
    stored data;
} snapshot;

struct history {
    pav_run *run;
    const adjoint *past;
    history_way way;
    history_size size;
    frame_layout step_layout, state_layout; /* layouts of a needed step and of a state */
    store *frames;                          /* stored steps, or stored states */
    int64_t steps;
    int64_t strides;   /* each of size.every steps, the last one perhaps shorter */
    int64_t step;      /* present step of the run */
    int64_t again;     /* number of steps taken again */
    stored *frame;     /* HISTORY_ALL: one per step 0 .. steps */
    store *pairs;      /* HISTORY_SNAPSHOTS: frames of the step brought ... */
    stored last[2];    /* ... and of the last counted step and its new values */
    snapshot *kept;    /* kept states, by step ... */
    int64_t states;    /* ... and their number; HISTORY_ALL: number of frames */
    int64_t planned;   /* forwards: step of the next kept state; -1: none */
    boundary *rebuilt; /* HISTORY_BOUNDARY */
};

/* ---- sizes ------------------------------------------------------------------------- */

/* The values that a step computes are level 0 of the next step. */
static int age_of(const adjoint_history *item)
{
    return item->level < 0 ? -item->level : 0;
}

/* The first entry with the same field and age as entry k. Both entries share its stored
 * values. */
static int64_t same_as(const adjoint *a, int64_t k)
{
    const adjoint_history *item = a->history;
    int64_t j = 0;

    while (item[j].field != item[k].field || age_of(&item[j]) != age_of(&item[k]))
        j++;
    return j;
}

/* The type of a field in a stored step. */
static pav_type history_type(const history_size *size, const symbol *s)
{
    return size->narrow && pav_type_size(s->storage) > pav_type_size(size->type)
               ? size->type
               : s->storage;
}

void history_measure(const adjoint *a, history_size *size)
{
    const program *forward = a->forward;
    const int64_t count = program_all_points(forward);

    for (int64_t k = 0; k < a->histories; k++) {
        if (same_as(a, k) == k)
            size->step += count *
                          (int64_t)pav_type_size(history_type(size, a->history[k].field));
        size->needs_new = size->needs_new || a->history[k].level > 0;
    }
    for (int64_t k = 0; k < forward->fields.count; k++) {
        const symbol *s = forward->fields.item[k];
        if (s->updated)
            size->state += (s->oldest + 1) * (int64_t)pav_type_size(s->storage) * count;
    }
}

/* ---- opening ----------------------------------------------------------------------- */

static void lay_out(history *h, arena *a)
{
    const program *forward = h->past->forward;
    const int64_t all = program_all_points(forward);

    for (int64_t k = 0; k < h->past->histories; k++) {
        const adjoint_history *past = &h->past->history[k];
        frame_item item = {.field = run_field_number(h->run, past->field->name),
                           .age = age_of(past),
                           .type = past->field->storage};
        if (same_as(h->past, k) != k)
            continue;
        if (h->way.kind == HISTORY_ALL)
            item.type = history_type(&h->size, past->field);
        item.narrow = item.type != past->field->storage;
        frame_add(a, &h->step_layout, &item, all);
    }
    for (int64_t k = 0; k < forward->fields.count; k++) {
        const symbol *s = forward->fields.item[k];
        frame_item item = {.field = run_field_number(h->run, s->name),
                           .type = s->storage};
        for (; s->updated && item.age <= s->oldest; item.age++)
            frame_add(a, &h->state_layout, &item, all);
    }
}

history *history_open(arena *a, pav_run *run, const adjoint *past,
                      const history_choice *choice)
{
    const history_way *way = &choice->way[choice->taken];
    history *h = arena_alloc(a, 1, sizeof *h);

    *h = (history){.run = run,
                   .past = past,
                   .way = *way,
                   .size = choice->size,
                   .steps = past->steps,
                   .strides = int_parts(past->steps, choice->size.every),
                   .frame = arena_alloc(a, past->steps + 1, sizeof *h->frame),
                   .kept = arena_alloc(a, way->states + 1, sizeof *h->kept)};
    /* Bytes of the past that may lie in the device's memory. A part of that memory is
     * reserved for the adjoint. A device stores fields in their own type only, so a
     * narrow past lies in the host's memory. */
    const int64_t free = run_memory_on_device(run, choice->concurrent),
                  there = h->size.narrow ? 0 : free - free / 16 - 4 * h->size.state;
    const store_room room = {there <= 0           ? 0
                             : there < way->bytes ? there
                                                  : way->bytes,
                             way->states - way->disk_states, choice->disk};
    const store_room two = {room.there, 2, NULL};
    if (way->kind == HISTORY_BOUNDARY) {
        h->rebuilt = boundary_open(a, run, past, &choice->boundary, &room,
                                   way->disk_states);
        return h;
    }
    const bool all = way->kind == HISTORY_ALL;
    lay_out(h, a);
    h->frames = store_open(a, run, all ? &h->step_layout : &h->state_layout, &room);
    h->pairs = all ? NULL : store_open(a, run, &h->step_layout, &two);
    return h;
}

void history_close(history *h)
{
    if (!h)
        return;
    store_close(h->frames);
    store_close(h->pairs);
    boundary_close(h->rebuilt);
}

int64_t history_again(const history *h)
{
    return h->rebuilt ? h->way.steps_again : h->again;
}

bool history_vanished(const history *h, narrowed *n)
{
    *n = h->frames ? *store_narrowed(h->frames) : (narrowed){0};
    return n->lost > n->kept;
}

/* ---- states ------------------------------------------------------------------------ */

/* The states kept first are needed least often, so they go to the disk (Stumm and
 * Walther, MultiStage Approaches for Optimal Offline Checkpointing, SIAM J. Sci. Comput.
 * 31, 2009). */
static pav_status keep_state(history *h)
{
    snapshot *s = &h->kept[h->states];

    s->step = h->step;
    return store_put(h->frames, h->states++ < h->way.disk_states, &s->data);
}

/* ---- forwards ---------------------------------------------------------------------- */

static bool is_needed(const history *h, int64_t step)
{
    const int64_t every = h->size.every;

    return step % every == 0 || (h->size.needs_new && step % every == 1);
}

static int64_t last_of(const history *h)
{
    return (h->strides - 1) * h->size.every;
}

/* The last counted step, and its new values if needed, are stored during the run itself.
 * The run goes on beyond it, so this step is never taken again. */
pav_status history_note(history *h, int64_t *next)
{
    const int64_t every = h->size.every, last = last_of(h);

    h->step = pav_run_step(h->run);
    *next = h->step + 1;
    if (h->rebuilt)
        return boundary_note(h->rebuilt);
    if (h->way.kind == HISTORY_ALL) {
        while (*next < h->steps && !is_needed(h, *next))
            ++*next;
        return is_needed(h, h->step)
                   ? store_put(h->frames, h->states++ < h->way.disk_states,
                               &h->frame[h->step])
                   : PAV_OK;
    }
    if (h->step < h->steps && (h->step == 0 || h->step == h->planned)) {
        TRY(keep_state(h));
        const int64_t at = h->step / every, room = h->way.states - h->states,
                      left = h->strides - at;
        h->planned = room > 0 && left > 1 ? (at + revolve_advance(left, room)) * every
                                          : -1;
    }
    const int64_t after = h->step - last;
    if (after == 0 || (after == 1 && h->size.needs_new))
        TRY(store_put(h->pairs, false, &h->last[after]));
    *next = h->planned > h->step ? h->planned
            : after < 0          ? last
            : after == 0         ? last + 1
                                 : h->steps;
    return PAV_OK;
}

/* ---- backwards --------------------------------------------------------------------- */

static pav_status advance(history *h, int64_t to)
{
    TRY(run_advance(h->run, to - h->step));
    h->again += to - h->step;
    h->step = to;
    return PAV_OK;
}

/* Brings the run to step m, from the last state kept at or before it. */
static pav_status go_to(history *h, int64_t m)
{
    while (h->states > 1 && h->kept[h->states - 1].step > m)
        store_drop(h->frames, &h->kept[--h->states].data);
    const snapshot *last = &h->kept[h->states - 1];
    if (h->step > m || h->step < last->step || h->step % h->size.every != 0) {
        run_rewind(h->run, last->step);
        h->step = last->step;
        for (int64_t k = 0; k < h->state_layout.count; k++) {
            const frame_item *i = &h->state_layout.item[k];
            TRY(store_get(h->frames, &last->data, k, h->run, i->field, i->age));
        }
    }
    while (h->step < m) {
        const int64_t every = h->size.every, at = h->step / every;
        const int64_t room = h->way.states - h->states, left = m / every + 1 - at;
        TRY(advance(h, (at + revolve_advance(left, room)) * every));
        if (room > 0 && h->step < m)
            TRY(keep_state(h));
    }
    return PAV_OK;
}

/* Copies fields of one stored step into the run `to`: the new level if `newer`, else the
 * present and older levels. */
static pav_status restore_fields(history *h, const store *from, const stored *frame,
                                 bool newer, pav_run *to)
{
    for (int64_t k = 0; k < h->past->histories; k++) {
        const adjoint_history *item = &h->past->history[k];
        int64_t number = 0;
        for (int64_t j = 0; j < same_as(h->past, k); j++)
            number += same_as(h->past, j) == j;
        if ((item->level > 0) == newer)
            TRY(store_get(from, frame, number, to, run_field_number(to, item->name), 0));
    }
    return PAV_OK;
}

static pav_status pass_on(history *h, bool newer, pav_run *to)
{
    stored frame = {0};

    TRY(store_put(h->pairs, false, &frame));
    TRY(restore_fields(h, h->pairs, &frame, newer, to));
    store_drop(h->pairs, &frame);
    return PAV_OK;
}

pav_status history_restore(history *h, int64_t m, pav_run *adjoint_run)
{
    if (h->rebuilt)
        return boundary_restore(h->rebuilt, m, adjoint_run);
    if (h->way.kind == HISTORY_ALL || m == last_of(h)) {
        const bool all = h->way.kind == HISTORY_ALL;
        store *from = all ? h->frames : h->pairs;
        stored *frame = all ? &h->frame[m]
                            : h->last; /* of the step, and its new values */
        TRY(restore_fields(h, from, frame, false, adjoint_run));
        if (h->size.needs_new)
            TRY(restore_fields(h, from, frame + 1, true, adjoint_run));
        store_drop(from, frame + 1);
        if (!all || h->size.every > 1)
            store_drop(from, frame);
        return PAV_OK;
    }
    TRY(go_to(h, m));
    TRY(pass_on(h, false, adjoint_run));
    if (!h->size.needs_new)
        return PAV_OK;
    TRY(advance(h, m + 1));
    return pass_on(h, true, adjoint_run);
}
