/* SPDX-License-Identifier: BSD-3-Clause */
/* Costs of exchanges, and the part hidden behind the inside.
 * Some exchanges are timed. On processors a timed exchange is awaited at once: the time
 * saved by the other exchanges is hidden. On a GPU, marks on its clock tell how long
 * halos travelled, and how long after the inside they arrived. */
#include "exec/split/split_private.h"

enum { PERIOD = 32, FIRST = 5, LEFT = 0, THERE, INSIDE };

void split_clock_in(split *s)
{
    if (s->cost.nested++ == 0)
        s->cost.begun = clock_seconds();
}

void split_clock_out(split *s)
{
    if (--s->cost.nested == 0)
        s->cost.seconds += clock_seconds() - s->cost.begun;
}

static bool is_timed(const split *s)
{
    return s->cost.exchanges % PERIOD == FIRST;
}

/* ---- on processors ----------------------------------------------------------------- */

bool split_is_awaited(const split *s)
{
    return is_timed(s) && !s->base.asynchronous;
}

void split_note(split *s, double before)
{
    exchange_mean *m = split_is_awaited(s) ? &s->cost.whole : &s->cost.waited;
    if (!s->base.asynchronous && s->cost.exchanges >= FIRST) {
        m->seconds += s->cost.seconds - before;
        m->count++;
    }
    s->cost.exchanges++;
}

/* ---- on a GPU ---------------------------------------------------------------------- */

static executor *first_asynchronous(const split *s)
{
    for (int64_t n = 0; n < s->whole->inners; n++)
        if (s->whole->inner[n].executor->asynchronous)
            return s->whole->inner[n].executor;
    return NULL;
}

static pav_status mark_concurrent(executor *e, gpu_concurrent_step step, int number)
{
    TRY(e->ops.concurrent(e, step));
    const pav_status status = e->ops.mark(e, number);
    TRY(e->ops.concurrent(e, GPU_CONCURRENT_END));
    return status;
}

/* Reads the marks of the last timed exchange. An error only drops the measurement, and
 * does not end the run. */
static void read_marks(split *s, executor *e)
{
    double whole, after;
    s->cost.marked = false;
    if (e->ops.between(e, LEFT, THERE, &whole) != PAV_OK ||
        e->ops.between(e, INSIDE, THERE, &after) != PAV_OK)
        return;
    s->cost.whole.seconds += whole;
    s->cost.whole.count++;
    s->cost.waited.seconds += after > 0 ? after : 0;
    s->cost.waited.count++;
}

pav_status split_mark_leaving(split *s)
{
    executor *e = is_timed(s) ? first_asynchronous(s) : NULL;
    if (!e)
        return PAV_OK;
    if (s->cost.marked)
        read_marks(s, e);
    return mark_concurrent(e, GPU_CONCURRENT_BEGIN, LEFT);
}

pav_status split_mark_there(split *s)
{
    executor *e = is_timed(s) ? first_asynchronous(s) : NULL;
    return e ? mark_concurrent(e, GPU_CONCURRENT_AGAIN, THERE) : PAV_OK;
}

pav_status split_mark_inside(split *s)
{
    executor *e = is_timed(s) ? first_asynchronous(s) : NULL;
    if (!e)
        return PAV_OK;
    s->cost.marked = true;
    return e->ops.mark(e, INSIDE);
}

/* ---- totals ------------------------------------------------------------------------ */

static double mean(const exchange_mean *m)
{
    return m->count > 0 ? m->seconds / (double)m->count : 0;
}

void split_add_figures(const split *s, executor_figures *all)
{
    all->exchanged_by = s->cost.by;
    all->exchanged_bytes = s->cost.bytes;
    all->exchanged_seconds = s->cost.seconds;
    all->exchange_later = s->cost.later;
    if (s->cost.whole.count > 0 && s->cost.waited.count > 0) {
        all->exchange_whole = mean(&s->cost.whole);
        all->exchange_waited = mean(&s->cost.waited);
    }
}
