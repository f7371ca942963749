/* SPDX-License-Identifier: BSD-3-Clause */
/* The past of a run, wanted from its last step to its first: all of it is kept, or states from which steps are
 * taken again. What comes out has the bits of the run itself either way. A state is every level that the
 * next step reads of every updated field. Where only every so many steps count, these are what is kept, and between
 * what states are there are whole strides. */
#include <string.h>

#include "imaging/imaging_private.h"

typedef struct snapshot {
    int64_t step;
    char *data; /* NULL: not there */
} snapshot;

struct history {
    pav_run *run;
    const program *forward;
    const adjoint *past;
    history_way way;
    history_size size;
    int64_t steps, count; /* count: of points */
    int64_t strides;      /* of size.every steps, the last one perhaps shorter */
    int64_t step;         /* that the run is at */
    bool silent;          /* 0 was brought last */
    char **frame;         /* HISTORY_ALL: of each step 0 .. steps that is needed */
    snapshot *kept;       /* HISTORY_SNAPSHOTS: in the order of their steps ... */
    int64_t held;         /* ... so many */
    int64_t planned;      /* forwards: the step of the next one; -1: none */
    char *values;         /* of one step */
    double *times;        /* of one field, `every` times; or NULL */
};

/* ---- sizes -------------------------------------------------------------------------------------------- */

static int64_t field_points(const program *p)
{
    int64_t count = 1;

    for (int axis = 0; axis < p->dim; axis++)
        count *= p->axis[axis].points;
    return count;
}

static int64_t bytes_of(const symbol *s, int64_t count)
{
    return (int64_t)pav_type_size(s->storage) * count;
}

/* What a step computes is level 0 of the next one. */
static int age_of(const adjoint_history *item)
{
    return item->level < 0 ? -item->level : 0;
}

/* An earlier entry whose values serve this one, too; or k. */
static int64_t same_as(const adjoint *a, int64_t k)
{
    const adjoint_history *item = a->history;
    int64_t j = 0;

    while (item[j].field != item[k].field || age_of(&item[j]) != age_of(&item[k]))
        j++;
    return j;
}

history_size history_measure(const program *forward, const adjoint *a, int64_t every)
{
    const int64_t count = field_points(forward);
    history_size size = {.every = every};

    for (int64_t k = 0; k < a->histories; k++) {
        if (same_as(a, k) == k)
            size.step += bytes_of(a->history[k].field, count);
        size.needs_new = size.needs_new || a->history[k].level > 0;
    }
    for (int64_t k = 0; k < forward->fields.count; k++) {
        const symbol *s = forward->fields.item[k];
        if (s->updated)
            size.state += (s->oldest + 1) * bytes_of(s, count);
    }
    return size;
}

static int64_t strides_of(int64_t steps, int64_t every)
{
    return (steps + every - 1) / every;
}

void history_ways(const history_size *size, int64_t steps, int64_t budget,
                  history_way way[2])
{
    const int64_t strides = strides_of(steps, size->every);
    const int64_t room = size->state > 0 ? budget / size->state : strides;
    const int64_t states = room < strides ? room : strides;
    const bool pairs = size->needs_new && size->every > 1;

    way[0] = (history_way){.kind = HISTORY_ALL,
                           .states = pairs ? 2 * strides : strides + 1};
    if (!mul_fits(size->step, way[0].states, &way[0].bytes))
        way[0].bytes = INT64_MAX;
    way[0].fits = way[0].bytes <= budget;
    way[1] = (history_way){.kind = HISTORY_SNAPSHOTS, .states = states};
    way[1].bytes = states * size->state;
    way[1].fits = states >= 1;
    if (states < 1)
        return;
    /* the first way down is the run itself, which goes one step further */
    way[1].steps_again = (revolve_cost(strides, states - 1) - (strides - 1)) *
                             size->every +
                         (size->needs_new ? strides : 0);
}

pav_status history_settle(const program *forward, adjoint *a)
{
    for (int64_t k = 0; k < a->histories; k++) {
        const char *name = a->history[k].field->name;
        int64_t f = 0;
        while (f < forward->fields.count &&
               strcmp(forward->fields.item[f]->name, name) != 0)
            f++;
        if (f == forward->fields.count)
            return FAIL(PAV_EINTERNAL, "the field '%s' is not in its own run", name);
        a->history[k].field = forward->fields.item[f];
    }
    return PAV_OK;
}

/* ---- opening ------------------------------------------------------------------------------------------- */

pav_status history_open(pav_run *run, const program *forward, const adjoint *a,
                        const history_choice *choice, history **result)
{
    const history_way *way = &choice->way[choice->taken];
    history *h = mem_new(1, sizeof *h);

    *result = h;
    if (!h)
        return PAV_ENOMEM;
    *h = (history){.run = run, .forward = forward, .past = a, .way = *way};
    h->size = choice->size;
    h->steps = a->steps;
    h->strides = strides_of(a->steps, h->size.every);
    h->count = field_points(forward);
    h->frame = mem_new(h->steps + 1, sizeof *h->frame);
    h->kept = mem_new(way->states + 1, sizeof *h->kept);
    h->values = mem_big(h->size.step + 64);
    h->times = h->size.every > 1 ? mem_new(h->count, sizeof *h->times) : NULL;
    return h->frame && h->kept && h->values && (h->times || h->size.every == 1)
               ? PAV_OK
               : PAV_ENOMEM;
}

static void drop(const history *h, int64_t at)
{
    mem_big_free(h->kept[at].data, h->size.state + 64);
    h->kept[at].data = NULL;
}

void history_close(history *h)
{
    if (!h)
        return;
    for (int64_t k = 0; h->frame && k <= h->steps; k++)
        mem_big_free(h->frame[k], h->size.step + 64);
    for (int64_t k = 0; h->kept && k < h->held; k++)
        drop(h, k);
    mem_big_free(h->values, h->size.step + 64);
    mem_free(h->times);
    mem_free(h->frame);
    mem_free(h->kept);
    mem_free(h);
}

/* ---- states and steps -------------------------------------------------------------------------------------- */

/* All levels of all updated fields, from or into the run. */
static pav_status move_state(history *h, char *data, bool into)
{
    for (int64_t k = 0; k < h->forward->fields.count; k++) {
        const symbol *s = h->forward->fields.item[k];
        for (int age = 0; s->updated && age <= s->oldest; age++) {
            if (into)
                TRY(pav_field_write(h->run, s->name, age, s->storage, data, h->count));
            else
                TRY(pav_field_read(h->run, s->name, age, s->storage, data, h->count));
            data += bytes_of(s, h->count);
        }
    }
    return PAV_OK;
}

/* What is needed of the step that the run is at. */
static pav_status read_step(history *h, char *data)
{
    for (int64_t k = 0; k < h->past->histories; k++) {
        const symbol *s = h->past->history[k].field;
        if (same_as(h->past, k) != k)
            continue;
        TRY(pav_field_read(h->run, s->name, age_of(&h->past->history[k]), s->storage,
                           data, h->count));
        data += bytes_of(s, h->count);
    }
    return PAV_OK;
}

static pav_status keep_state(history *h)
{
    char *data = mem_big(h->size.state + 64);

    if (!data)
        return PAV_ENOMEM;
    h->kept[h->held++] = (snapshot){h->step, data};
    return move_state(h, data, false);
}

/* ---- forwards -------------------------------------------------------------------------------------------------- */

static void plan_next(history *h)
{
    const int64_t every = h->size.every, at = h->step / every;
    const int64_t room = h->way.states - h->held, left = h->strides - at;

    h->planned = room > 0 && left > 1 ? (at + revolve_advance(left, room)) * every : -1;
}

static bool is_needed(const history *h, int64_t step)
{
    const int64_t every = h->size.every;

    return step % every == 0 || (h->size.needs_new && step % every == 1);
}

pav_status history_note(history *h)
{
    h->step = pav_run_step(h->run);
    if (h->way.kind == HISTORY_ALL) {
        if (!is_needed(h, h->step))
            return PAV_OK;
        h->frame[h->step] = mem_big(h->size.step + 64);
        return h->frame[h->step] ? read_step(h, h->frame[h->step]) : PAV_ENOMEM;
    }
    if (h->step == h->steps || (h->step > 0 && h->step != h->planned))
        return PAV_OK;
    TRY(keep_state(h));
    plan_next(h);
    return PAV_OK;
}

/* ---- backwards ------------------------------------------------------------------------------------------------- */

static pav_status advance(history *h, int64_t to)
{
    TRY(pav_run_steps(h->run, to - h->step));
    h->step = to;
    return PAV_OK;
}

/* Brings the run to step m, from the last state kept at or before it. */
static pav_status go_to(history *h, int64_t m)
{
    while (h->held > 1 && h->kept[h->held - 1].step > m)
        drop(h, --h->held);
    const snapshot *last = &h->kept[h->held - 1];
    if (h->step > m || h->step < last->step || h->step % h->size.every != 0) {
        run_rewind(h->run, last->step);
        h->step = last->step;
        TRY(move_state(h, last->data, true));
    }
    while (h->step < m) {
        const int64_t every = h->size.every, at = h->step / every;
        const int64_t room = h->way.states - h->held, left = m / every + 1 - at;
        TRY(advance(h, (at + revolve_advance(left, room)) * every));
        if (room > 0 && h->step < m)
            TRY(keep_state(h));
    }
    return PAV_OK;
}

/* Each of the steps that count stands for those up to the next. */
static pav_status write_past(history *h, const adjoint_history *item, const char *values,
                             pav_run *adjoint_run)
{
    const pav_type type = item->field->storage;
    const int64_t size = (int64_t)pav_type_size(type);

    if (h->size.every == 1)
        return pav_field_write(adjoint_run, item->name, 0, type, values, h->count);
    for (int64_t k = 0; k < h->count; k++)
        h->times[k] = (double)h->size.every * type_load(type, values + k * size);
    return pav_field_write(adjoint_run, item->name, 0, PAV_F64, h->times, h->count);
}

/* Hands fields of one step on, those of the given level. */
static pav_status hand_on(history *h, const char *values, bool newer,
                          pav_run *adjoint_run)
{
    for (int64_t k = 0; k < h->past->histories; k++) {
        const adjoint_history *item = &h->past->history[k];
        int64_t from = 0;
        for (int64_t j = 0; j < same_as(h->past, k); j++)
            if (same_as(h->past, j) == j)
                from += bytes_of(h->past->history[j].field, h->count);
        if ((item->level > 0) == newer)
            TRY(write_past(h, item, values + from, adjoint_run));
    }
    return PAV_OK;
}

static pav_status be_silent(history *h, pav_run *adjoint_run)
{
    if (h->silent)
        return PAV_OK;
    h->silent = true;
    memset(h->times, 0, (size_t)h->count * sizeof *h->times);
    for (int64_t k = 0; k < h->past->histories; k++)
        TRY(pav_field_write(adjoint_run, h->past->history[k].name, 0, PAV_F64, h->times,
                            h->count));
    return PAV_OK;
}

static void drop_frame(history *h, int64_t step)
{
    mem_big_free(h->frame[step], h->size.step + 64);
    h->frame[step] = NULL;
}

static pav_status bring_frame(history *h, int64_t m, pav_run *adjoint_run)
{
    TRY(hand_on(h, h->frame[m], false, adjoint_run));
    if (h->size.needs_new)
        TRY(hand_on(h, h->frame[m + 1], true, adjoint_run));
    drop_frame(h, m + 1);
    if (h->size.every > 1)
        drop_frame(h, m);
    return PAV_OK;
}

pav_status history_bring(history *h, int64_t m, pav_run *adjoint_run)
{
    if (m % h->size.every != 0)
        return be_silent(h, adjoint_run);
    h->silent = false;
    if (h->way.kind == HISTORY_ALL)
        return bring_frame(h, m, adjoint_run);
    TRY(go_to(h, m));
    TRY(read_step(h, h->values));
    TRY(hand_on(h, h->values, false, adjoint_run));
    if (!h->size.needs_new)
        return PAV_OK;
    TRY(advance(h, m + 1));
    TRY(read_step(h, h->values));
    return hand_on(h, h->values, true, adjoint_run);
}
