/* SPDX-License-Identifier: BSD-3-Clause */
/* Copies concurrent with kernels, one stream for each direction. The GPU copies pinned
 * memory by itself. Other memory passes through two buffers for each direction; the
 * caller fills and empties them while it waits for the end. */
#include "device/cuda/cuda_private.h"

/* ---- pinned memory ----------------------------------------------------------------- */

enum { PORTABLE = 1, PINNED_ALREADY = 712 /* pinned for another GPU */ };

pav_status cuda_pin(gpu *g, void *here, int64_t bytes)
{
    cuda *c = cuda_of(g);
    cuda_pinned *p = mem_new(1, sizeof *p);

    if (!p)
        return PAV_ENOMEM;
    *p = (cuda_pinned){c->exchange.pinned, here, bytes, false};
    pav_status status = cuda_enter(c);
    const cu_result code = status == PAV_OK
                               ? c->driver->pin(here, (size_t)bytes, PORTABLE)
                               : CU_DONE;
    p->by_another = code == PINNED_ALREADY;
    if (status == PAV_OK)
        status = cuda_leave(c, p->by_another ? CU_DONE : code, "pinning memory");
    if (status == PAV_OK)
        c->exchange.pinned = p;
    else
        mem_free(p);
    return status;
}

void cuda_unpin(gpu *g, void *here)
{
    cuda *c = cuda_of(g);
    cuda_pinned **at = &c->exchange.pinned;

    while (*at && (*at)->here != here)
        at = &(*at)->next;
    cuda_pinned *p = *at;
    if (!p)
        return;
    *at = p->next;
    if (!p->by_another && cuda_enter(c) == PAV_OK)
        (void)cuda_leave(c, c->driver->unpin(here), "giving pinned memory back");
    mem_free(p);
}

bool cuda_is_pinned(const cuda_exchange *x, const void *here, int64_t bytes)
{
    const uintptr_t at = (uintptr_t)here;

    for (const cuda_pinned *p = x->pinned; p; p = p->next) {
        const uintptr_t begin = (uintptr_t)p->here;
        if (at >= begin && at - begin <= (uintptr_t)p->bytes &&
            bytes <= p->bytes - (int64_t)(at - begin))
            return true;
    }
    return false;
}

/* ---- pieces of pageable memory ----------------------------------------------------- */

static bool next_piece(const cuda_exchange *x, cuda_lane *l, bool up, cuda_piece *p)
{
    for (; l->transfer < x->count; l->transfer++, l->at = 0) {
        const gpu_transfer *t = &x->list[l->transfer];
        const int64_t left = t->bytes - l->at;
        if (t->up != up || left == 0 || cuda_is_pinned(x, t->here, t->bytes))
            continue;
        *p = (cuda_piece){(char *)t->here + l->at,
                          cuda_address(t->there) + (cu_pointer)l->at,
                          left < CUDA_PIECE ? left : CUDA_PIECE};
        l->at += p->bytes;
        return true;
    }
    return false;
}

static cu_result send(cuda *c, int k, bool *more)
{
    const cuda_driver *d = c->driver;
    cuda_lane *l = &c->exchange.up;
    cuda_piece p;

    *more = next_piece(&c->exchange, l, true, &p);
    if (!*more)
        return CU_DONE;
    cu_result code = cuda_stage_open(c, &l->stage);
    if (code == CU_DONE)
        code = d->event_wait(l->stage.done[k]);
    if (code != CU_DONE)
        return code;
    cuda_stage_move(c, l->stage.buffer[k], p.here, p.bytes);
    code = d->upload(p.there, l->stage.buffer[k], (size_t)p.bytes, l->stream);
    return code == CU_DONE ? d->event_record(l->stage.done[k], l->stream) : code;
}

static cu_result ask(cuda *c, int k)
{
    const cuda_driver *d = c->driver;
    cuda_lane *l = &c->exchange.down;
    cuda_piece *p = &l->piece[k];

    p->bytes = 0;
    if (!next_piece(&c->exchange, l, false, p))
        return CU_DONE;
    cu_result code = cuda_stage_open(c, &l->stage);
    if (code == CU_DONE)
        code = d->download(l->stage.buffer[k], p->there, (size_t)p->bytes, l->stream);
    return code == CU_DONE ? d->event_record(l->stage.done[k], l->stream) : code;
}

static cu_result take(cuda *c, int k)
{
    cuda_lane *l = &c->exchange.down;
    const cuda_piece *p = &l->piece[k];
    cu_result code = CU_DONE;

    if (p->bytes > 0)
        code = c->driver->event_wait(l->stage.done[k]);
    if (p->bytes > 0 && code == CU_DONE)
        cuda_stage_move(c, p->here, l->stage.buffer[k], p->bytes);
    return code;
}

/* Alternates between the directions: while one buffer is on the link, the host copies the
 * other direction's buffer. */
static cu_result pump(cuda *c)
{
    bool more = true;
    cu_result code = CU_DONE;

    for (int k = 0; k < CUDA_STAGES && code == CU_DONE; k++)
        code = ask(c, k);
    for (int k = 0; (more || c->exchange.down.piece[k].bytes > 0) && code == CU_DONE;
         k ^= 1) {
        code = send(c, k, &more);
        if (code == CU_DONE)
            code = take(c, k);
        if (code == CU_DONE)
            code = ask(c, k);
    }
    return code;
}

/* ---- an exchange ------------------------------------------------------------------- */

static cu_result new_event(const cuda *c, cu_event *event)
{
    return *event ? CU_DONE : c->driver->event_new(event, 0);
}

static cu_result open_marks(const cuda *c, cuda_exchange_marks *m)
{
    cu_event *const all[] = {&m->begun, &m->up, &m->down, &m->work};
    cu_result code = CU_DONE;

    for (size_t n = 0; n < COUNT_OF(all) && code == CU_DONE; n++)
        code = new_event(c, all[n]);
    return code;
}

static cu_result open_lanes(cuda *c)
{
    const cuda_driver *d = c->driver;
    cuda_exchange *x = &c->exchange;
    cu_result code = CU_DONE;

    if (!x->up.stream)
        code = d->stream_new(&x->up.stream, CU_OWN_STREAM);
    if (code == CU_DONE && !x->down.stream)
        code = d->stream_new(&x->down.stream, CU_OWN_STREAM);
    for (int n = 0; n < 2 && code == CU_DONE; n++)
        code = open_marks(c, &x->marks[n]);
    if (code == CU_DONE && !x->first) {
        code = new_event(c, &x->first);
        if (code == CU_DONE)
            code = d->event_record(x->first, c->stream);
    }
    return code;
}

/* Reports the times of the exchange before the last. Its marks are about to be reused. */
static cu_result note(cuda *c, cuda_exchange_marks *m)
{
    const cuda_driver *d = c->driver;
    const cu_event all[] = {m->begun, m->up, m->down, m->work};
    float at[COUNT_OF(all)] = {0};
    cu_result code = CU_DONE;

    if (!m->set)
        return CU_DONE;
    m->set = false;
    for (size_t n = 0; n < COUNT_OF(all) && code == CU_DONE; n++) {
        code = d->event_wait(all[n]);
        if (code == CU_DONE)
            code = d->event_elapsed(&at[n], c->exchange.first, all[n]);
    }
    if (code == CU_DONE)
        exchange_note(&c->base,
                      (gpu_exchange_time){(double)at[0] / 1e3, (double)at[1] / 1e3,
                                          (double)at[2] / 1e3, (double)at[3] / 1e3});
    return code;
}

static cu_result begin_lanes(cuda *c, cuda_exchange_marks *m)
{
    const cuda_driver *d = c->driver;
    cu_result code = d->event_record(m->begun, c->stream);

    if (code == CU_DONE)
        code = d->stream_follow(c->exchange.up.stream, m->begun, 0);
    return code == CU_DONE ? d->stream_follow(c->exchange.down.stream, m->begun, 0)
                           : code;
}

static cu_result copy_pinned(cuda *c)
{
    const cuda_driver *d = c->driver;
    cuda_exchange *x = &c->exchange;
    cu_result code = CU_DONE;

    for (int64_t n = 0; n < x->count && code == CU_DONE; n++) {
        const gpu_transfer *t = &x->list[n];
        if (t->bytes == 0 || !cuda_is_pinned(x, t->here, t->bytes))
            continue;
        code = t->up ? d->upload(cuda_address(t->there), t->here, (size_t)t->bytes,
                                 x->up.stream)
                     : d->download(t->here, cuda_address(t->there), (size_t)t->bytes,
                                   x->down.stream);
    }
    return code;
}

pav_status cuda_begin_exchange(gpu *g, const gpu_transfer *list, int64_t count)
{
    cuda *c = cuda_of(g);
    cuda_exchange *x = &c->exchange;
    cuda_exchange_marks *m = &x->marks[x->number++ % 2];

    x->list = list;
    x->count = count;
    x->up.transfer = x->up.at = x->down.transfer = x->down.at = 0;
    TRY(cuda_enter(c));
    cu_result code = open_lanes(c);
    if (code == CU_DONE)
        code = note(c, m);
    if (code == CU_DONE)
        code = begin_lanes(c, m);
    if (code == CU_DONE)
        code = copy_pinned(c);
    return cuda_leave(c, code, "copying while kernels run");
}

/* Waits for the copies of both directions. */
static cu_result join(cuda *c, cuda_exchange_marks *m)
{
    const cuda_driver *d = c->driver;
    cuda_exchange *x = &c->exchange;
    cu_result code = d->event_record(m->up, x->up.stream);

    if (code == CU_DONE)
        code = d->event_record(m->down, x->down.stream);
    if (code == CU_DONE)
        code = d->event_wait(m->up);
    m->set = code == CU_DONE;
    return code == CU_DONE ? d->event_wait(m->down) : code;
}

pav_status cuda_end_exchange(gpu *g)
{
    cuda *c = cuda_of(g);
    cuda_exchange *x = &c->exchange;

    cuda_exchange_marks *m = &x->marks[(x->number - 1) % 2];

    TRY(cuda_enter(c));
    cu_result code = c->driver->event_record(m->work, c->stream);
    if (code == CU_DONE)
        code = pump(c);
    if (code == CU_DONE)
        code = join(c, m);
    return cuda_leave(c, code, "copying while kernels run");
}

void cuda_exchange_rest(gpu *g)
{
    cuda *c = cuda_of(g);
    cuda_exchange *x = &c->exchange;
    cu_result code = CU_DONE;

    if (!x->first || cuda_enter(c) != PAV_OK)
        return;
    for (int n = 0; n < 2 && code == CU_DONE; n++)
        code = note(c, &x->marks[(x->number + n) % 2]);
    (void)cuda_leave(c, CU_DONE, "");
}

/* ---- closing ----------------------------------------------------------------------- */

static void close_lane(const cuda *c, cuda_lane *l)
{
    if (l->stream)
        (void)c->driver->stream_wait(l->stream);
    cuda_stage_close(c, &l->stage);
    if (l->stream)
        (void)c->driver->stream_free(l->stream);
}

void cuda_exchange_close(cuda *c)
{
    cuda_exchange *x = &c->exchange;

    close_lane(c, &x->up);
    close_lane(c, &x->down);
    for (int n = 0; n < 2; n++) {
        const cu_event all[] = {x->marks[n].begun, x->marks[n].up, x->marks[n].down,
                                x->marks[n].work};
        for (size_t k = 0; k < COUNT_OF(all); k++)
            if (all[k])
                (void)c->driver->event_free(all[k]);
    }
    if (x->first)
        (void)c->driver->event_free(x->first);
    while (x->pinned)
        cuda_unpin(&c->base, x->pinned->here);
}
