/* SPDX-License-Identifier: BSD-3-Clause */
/* Copies between host and GPU. Pageable memory passes through two pinned buffers. While
 * the GPU copies one buffer, a team of threads fills or empties the other; the driver
 * would use one thread and reach only a fraction of the bus rate. */
#include <string.h>

#include "device/cuda/cuda_private.h"

enum {
    SHARED = 1 << 18, /* least bytes for waking the team */
    MOST_THREADS = 8,
};

/* ---- pinned memory ----------------------------------------------------------------- */

enum { PORTABLE = 1, PINNED_ALREADY = 712 /* pinned for another GPU */ };

pav_status cuda_pin(gpu *g, void *here, int64_t bytes)
{
    cuda *c = cuda_of(g);
    OWNED_NEW(cuda_pinned, p, 1);

    TRY(cuda_enter(c));
    const cu_result code = c->driver->pin(here, (size_t)bytes, PORTABLE);
    const bool by_another = code == PINNED_ALREADY;
    TRY(cuda_leave(c, by_another ? CU_DONE : code, "pinning memory"));
    *p = (cuda_pinned){c->exchange.pinned, here, bytes, by_another};
    c->exchange.pinned = mem_hand_over(&p);
    return PAV_OK;
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

/* True if this host memory is pinned, so the GPU copies it directly. */
static bool is_pinned(const cuda_exchange *x, const void *here, int64_t bytes)
{
    for (const cuda_pinned *p = x->pinned; p; p = p->next)
        if (block_holds(p->here, p->bytes, here, bytes))
            return true;
    return false;
}

/* ---- the buffers ------------------------------------------------------------------- */

void cuda_stage_close(const cuda *c, cuda_stage *s)
{
    for (int k = 0; k < CUDA_STAGES; k++) {
        cuda_event_free(c, s->done[k]);
        if (s->buffer[k])
            (void)c->driver->give_host(s->buffer[k]);
    }
    host_team_close(s->team);
    *s = (cuda_stage){0};
}

/* All stages share the first stage's team. If no threads can be started, the caller
 * copies alone. */
static cu_result open_stage(cuda *c, cuda_stage *s)
{
    for (int k = 0; k < CUDA_STAGES; k++) {
        void *memory = s->buffer[k];
        if (!memory)
            CU_TRY(c->driver->take_host(&memory, CUDA_PIECE, 0));
        s->buffer[k] = memory;
        CU_TRY(cuda_event(c, &s->done[k], 0));
    }
    if (!c->stage.team && host_team_open(int_least(host_threads(), MOST_THREADS),
                                         HOST_BIND_NONE, &c->stage.team) != PAV_OK)
        c->stage.team = NULL;
    return CU_DONE;
}

typedef struct host_move {
    char *to;
    const char *from;
    int64_t bytes, parts;
} host_move;

static void move_part(void *argument, int64_t part)
{
    const host_move *m = argument;
    const int64_t lo = m->bytes * part / m->parts, hi = m->bytes * (part + 1) / m->parts;

    memcpy(m->to + lo, m->from + lo, (size_t)(hi - lo));
}

static void move_bytes(const cuda *c, char *to, const char *from, int64_t bytes)
{
    host_team *team = c->stage.team;
    const int threads = team ? host_team_threads(team) : 1;
    host_move m = {to, from, bytes, bytes < SHARED ? 1 : threads};

    host_team_run(team, m.parts, move_part, &m);
}

/* ---- piece by piece ---------------------------------------------------------------- */

static cu_result upload_pieces(cuda *c, cu_pointer to, const char *from, int64_t bytes)
{
    const cuda_driver *d = c->driver;

    CU_TRY(open_stage(c, &c->stage));
    for (int64_t at = 0, k = 0; at < bytes; at += CUDA_PIECE, k ^= 1) {
        const int64_t now = int64_least(bytes - at, CUDA_PIECE);
        CU_TRY(d->event_wait(c->stage.done[k]));
        move_bytes(c, c->stage.buffer[k], from + at, now);
        CU_TRY(
            d->upload(to + (cu_pointer)at, c->stage.buffer[k], (size_t)now, c->stream));
        CU_TRY(d->event_record(c->stage.done[k], c->stream));
    }
    return d->stream_wait(c->stream);
}

static cu_result ask_piece(cuda *c, cu_pointer from, int64_t at, int64_t bytes)
{
    const int64_t k = at / CUDA_PIECE % CUDA_STAGES;

    if (at >= bytes)
        return CU_DONE;
    CU_TRY(c->driver->download(c->stage.buffer[k], from + (cu_pointer)at,
                               (size_t)int64_least(bytes - at, CUDA_PIECE), c->stream));
    return c->driver->event_record(c->stage.done[k], c->stream);
}

static cu_result download_pieces(cuda *c, char *to, cu_pointer from, int64_t bytes)
{
    CU_TRY(open_stage(c, &c->stage));
    CU_TRY(ask_piece(c, from, 0, bytes));
    for (int64_t at = 0, k = 0; at < bytes; at += CUDA_PIECE, k ^= 1) {
        CU_TRY(ask_piece(c, from, at + CUDA_PIECE, bytes));
        CU_TRY(c->driver->event_wait(c->stage.done[k]));
        move_bytes(c, to + at, c->stage.buffer[k], int64_least(bytes - at, CUDA_PIECE));
    }
    return CU_DONE;
}

/* Copies pinned memory in one call. */
static cu_result copy_whole(cuda *c, void *to, const void *from, int64_t bytes, bool up)
{
    const cuda_driver *d = c->driver;

    CU_TRY(up ? d->upload(cuda_address(to), from, (size_t)bytes, c->stream)
              : d->download(to, cuda_address(from), (size_t)bytes, c->stream));
    return d->stream_wait(c->stream);
}

pav_status cuda_upload(gpu *g, void *to, const void *from, int64_t bytes)
{
    cuda *c = cuda_of(g);

    CUDA_RETURN(c, "copying to the GPU",
                is_pinned(&c->exchange, from, bytes)
                    ? copy_whole(c, to, from, bytes, true)
                    : upload_pieces(c, cuda_address(to), from, bytes));
}

pav_status cuda_download(gpu *g, void *to, const void *from, int64_t bytes)
{
    cuda *c = cuda_of(g);

    CUDA_RETURN(c, "copying from the GPU",
                is_pinned(&c->exchange, to, bytes)
                    ? copy_whole(c, to, from, bytes, false)
                    : download_pieces(c, to, cuda_address(from), bytes));
}

/* ---- a few bytes, without waiting -------------------------------------------------- */

/* Sends a few bytes to a GPU in the order of work without waiting. The bytes lie in
 * pinned memory until the GPU has read them. This memory has two halves. While one half
 * is filled, the GPU reads the other; a mark after its last copy tells when the half is
 * free again. */

enum { APART = 64 };

void cuda_outbox_close(cuda *c)
{
    cuda_outbox *o = &c->outbox;

    for (int k = 0; k < CUDA_STAGES; k++)
        cuda_event_free(c, o->read[k]);
    if (o->memory)
        (void)c->driver->give_host(o->memory);
    *o = (cuda_outbox){0};
}

static cu_result send_bytes(cuda *c, cu_pointer to, const void *from, int64_t bytes)
{
    const cuda_driver *d = c->driver;
    cuda_outbox *o = &c->outbox;
    void *memory = o->memory;

    for (int k = 0; k < CUDA_STAGES; k++)
        CU_TRY(cuda_event(c, &o->read[k], 0));
    if (!memory)
        CU_TRY(d->take_host(&memory, (size_t)CUDA_STAGES * GPU_SEND, 0));
    o->memory = memory;
    if (o->at + bytes > GPU_SEND) { /* on in the other half */
        const cu_result code = d->event_record(o->read[o->half], c->stream);
        o->half ^= 1;
        o->at = 0;
        CU_TRY(code);
        CU_TRY(d->event_wait(o->read[o->half]));
    }
    char *at = o->memory + (ptrdiff_t)o->half * GPU_SEND + o->at;
    memcpy(at, from, (size_t)bytes);
    o->at += int_rounded(bytes, APART);
    return d->upload(to, at, (size_t)bytes, c->stream);
}

pav_status cuda_send(gpu *g, void *to, const void *from, int64_t bytes)
{
    cuda *c = cuda_of(g);

    CUDA_RETURN(c, "sending numbers", send_bytes(c, cuda_address(to), from, bytes));
}

/* ---- copies concurrent with kernels ------------------------------------------------ */

/* One stream for each direction. The GPU copies pinned memory by itself. Other memory
 * passes through two buffers for each direction; the caller fills and empties them while
 * it waits for the end. */

static bool next_piece(const cuda_exchange *x, cuda_lane *l, bool up, cuda_piece *p)
{
    for (; l->transfer < x->count; l->transfer++, l->at = 0) {
        const gpu_transfer *t = &x->list[l->transfer];
        const int64_t left = t->bytes - l->at;
        if (t->up != up || left == 0 || is_pinned(x, t->here, t->bytes))
            continue;
        *p = (cuda_piece){(char *)t->here + l->at,
                          cuda_address(t->there) + (cu_pointer)l->at,
                          left < CUDA_PIECE ? left : CUDA_PIECE};
        l->at += p->bytes;
        return true;
    }
    return false;
}

static cu_result send_lane(cuda *c, int k, bool *more)
{
    const cuda_driver *d = c->driver;
    cuda_lane *l = &c->exchange.up;
    cuda_piece p;

    *more = next_piece(&c->exchange, l, true, &p);
    if (!*more)
        return CU_DONE;
    CU_TRY(open_stage(c, &l->stage));
    CU_TRY(d->event_wait(l->stage.done[k]));
    move_bytes(c, l->stage.buffer[k], p.here, p.bytes);
    CU_TRY(d->upload(p.there, l->stage.buffer[k], (size_t)p.bytes, l->stream));
    return d->event_record(l->stage.done[k], l->stream);
}

static cu_result ask_lane(cuda *c, int k)
{
    const cuda_driver *d = c->driver;
    cuda_lane *l = &c->exchange.down;
    cuda_piece *p = &l->piece[k];

    p->bytes = 0;
    if (!next_piece(&c->exchange, l, false, p))
        return CU_DONE;
    CU_TRY(open_stage(c, &l->stage));
    CU_TRY(d->download(l->stage.buffer[k], p->there, (size_t)p->bytes, l->stream));
    return d->event_record(l->stage.done[k], l->stream);
}

/* Alternates between the directions: while one buffer is on the link, the host copies the
 * other direction's buffer. */
static cu_result pump(cuda *c)
{
    cuda_lane *l = &c->exchange.down;
    bool more = true;

    for (int k = 0; k < CUDA_STAGES; k++)
        CU_TRY(ask_lane(c, k));
    for (int k = 0; more || l->piece[k].bytes > 0; k ^= 1) {
        const cuda_piece *p = &l->piece[k];
        CU_TRY(send_lane(c, k, &more));
        if (p->bytes > 0) {
            CU_TRY(c->driver->event_wait(l->stage.done[k]));
            move_bytes(c, p->here, l->stage.buffer[k], p->bytes);
        }
        CU_TRY(ask_lane(c, k));
    }
    return CU_DONE;
}

/* ---- an exchange ------------------------------------------------------------------- */

static cu_result open_lanes(cuda *c)
{
    const cuda_driver *d = c->driver;
    cuda_exchange *x = &c->exchange;

    if (!x->up.stream)
        CU_TRY(d->stream_new(&x->up.stream, CU_OWN_STREAM));
    if (!x->down.stream)
        CU_TRY(d->stream_new(&x->down.stream, CU_OWN_STREAM));
    for (int n = 0; n < 2; n++)
        for (int k = 0; k < MARKS; k++)
            CU_TRY(cuda_event(c, &x->marks[n].at[k], 0));
    if (x->first)
        return CU_DONE;
    CU_TRY(d->event_new(&x->first, 0));
    return d->event_record(x->first, c->stream);
}

/* Reports the times of the exchange before the last. Its marks are about to be reused. */
static cu_result note(cuda *c, cuda_exchange_marks *m)
{
    const cuda_driver *d = c->driver;
    float at[MARKS] = {0};

    if (!m->set)
        return CU_DONE;
    m->set = false;
    for (int k = 0; k < MARKS; k++) {
        CU_TRY(d->event_wait(m->at[k]));
        CU_TRY(d->event_elapsed(&at[k], c->exchange.first, m->at[k]));
    }
    exchange_note(&c->base, (gpu_exchange_time){.begun = (double)at[MARK_BEGUN] / 1e3,
                                                .up = (double)at[MARK_UP] / 1e3,
                                                .down = (double)at[MARK_DOWN] / 1e3,
                                                .work = (double)at[MARK_WORK] / 1e3});
    return CU_DONE;
}

static cu_result begin_lanes(cuda *c, cuda_exchange_marks *m)
{
    const cuda_driver *d = c->driver;
    cuda_exchange *x = &c->exchange;

    CU_TRY(open_lanes(c));
    CU_TRY(note(c, m));
    CU_TRY(d->event_record(m->at[MARK_BEGUN], c->stream));
    CU_TRY(d->stream_follow(x->up.stream, m->at[MARK_BEGUN], 0));
    CU_TRY(d->stream_follow(x->down.stream, m->at[MARK_BEGUN], 0));
    for (int64_t n = 0; n < x->count; n++) {
        const gpu_transfer *t = &x->list[n];
        if (t->bytes != 0 && is_pinned(x, t->here, t->bytes))
            CU_TRY(t->up ? d->upload(cuda_address(t->there), t->here, (size_t)t->bytes,
                                     x->up.stream)
                         : d->download(t->here, cuda_address(t->there), (size_t)t->bytes,
                                       x->down.stream));
    }
    return CU_DONE;
}

pav_status cuda_begin_exchange(gpu *g, const gpu_transfer *list, int64_t count)
{
    cuda *c = cuda_of(g);
    cuda_exchange *x = &c->exchange;
    cuda_exchange_marks *m = &x->marks[x->number++ % 2];

    x->list = list;
    x->count = count;
    x->up.transfer = x->up.at = x->down.transfer = x->down.at = 0;
    CUDA_RETURN(c, "copying while kernels run", begin_lanes(c, m));
}

/* Copies the pieces of pageable memory and waits for the copies of both directions. */
static cu_result end_lanes(cuda *c, cuda_exchange_marks *m)
{
    const cuda_driver *d = c->driver;
    cuda_exchange *x = &c->exchange;

    CU_TRY(d->event_record(m->at[MARK_WORK], c->stream));
    CU_TRY(pump(c));
    CU_TRY(d->event_record(m->at[MARK_UP], x->up.stream));
    CU_TRY(d->event_record(m->at[MARK_DOWN], x->down.stream));
    CU_TRY(d->event_wait(m->at[MARK_UP]));
    m->set = true;
    return d->event_wait(m->at[MARK_DOWN]);
}

pav_status cuda_end_exchange(gpu *g)
{
    cuda *c = cuda_of(g);

    CUDA_RETURN(c, "copying while kernels run",
                end_lanes(c, &c->exchange.marks[(c->exchange.number - 1) % 2]));
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
    for (int n = 0; n < 2; n++)
        for (int k = 0; k < MARKS; k++)
            cuda_event_free(c, x->marks[n].at[k]);
    cuda_event_free(c, x->first);
    while (x->pinned)
        cuda_unpin(&c->base, x->pinned->here);
}
