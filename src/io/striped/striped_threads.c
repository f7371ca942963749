/* SPDX-License-Identifier: BSD-3-Clause */
/* Threads for transfers: enough pieces in parallel to keep the disks busy. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "io/striped/striped_private.h"

enum { PER_FILE = 4, PIECE = 4 << 20 /* bytes */ };

/* ---- the threads ------------------------------------------------------------------- */

static void end_piece(striped *s, const striped_move *m, pav_status status)
{
    const int64_t cached = m->write && s->kept ? 0 : cached_bytes(s, m->at, m->bytes);
    s->busy--;
    if (status == PAV_OK) {
        *(m->write ? &s->figures.written : &s->figures.read) += m->bytes - cached;
        s->figures.cached += cached;
    }
    if (status == PAV_OK || s->status != PAV_OK)
        return;
    s->status = status;
    s->why = strdup(pav_message());
}

/* Records the times of a piece, while memory suffices. */
static void note(striped *s, const striped_move *m, double begun)
{
    enum { MOST = 1 << 20 };
    if (!s->timed || s->spans == MOST)
        return;
    if (s->spans == s->span_room) {
        const int64_t room = 2 * s->span_room + 256;
        striped_span *grown = mem_grow(s->span, room, sizeof *grown);
        if (!grown)
            return;
        s->span = grown;
        s->span_room = room;
    }
    s->span[s->spans++] = (striped_span){begun, clock_seconds(), m->bytes, m->write};
}

/* The loop of a thread. After a failure all queued pieces are dropped. */
static void *work(void *user)
{
    striped *s = user;
    ring *r = s->no_ring ? NULL : ring_open();
    (void)pthread_mutex_lock(&s->lock);
    while (!s->closing) {
        if (s->next >= s->pieces) {
            (void)pthread_cond_wait(&s->asked, &s->lock);
            continue;
        }
        const striped_move m = s->piece[s->next++];
        const bool drop = s->status != PAV_OK;
        s->busy++;
        (void)pthread_mutex_unlock(&s->lock);
        const double begun = clock_seconds();
        const guard g = guard_begin();
        const pav_status status = drop ? PAV_OK : striped_transfer(s, r, &m);
        guard_end(&g);
        (void)pthread_mutex_lock(&s->lock);
        note(s, &m, begun);
        end_piece(s, &m, status);
        if (s->busy == 0 && s->next >= s->pieces)
            (void)pthread_cond_broadcast(&s->done);
    }
    (void)pthread_mutex_unlock(&s->lock);
    ring_close(r);
    return NULL;
}

/* Tests if this process may use io_uring. */
static void try_ring(striped *s)
{
    ring *r = ring_open();
    s->no_ring = r ? 0 : errno;
    ring_close(r);
}

pav_status striped_start(striped *s)
{
    try_ring(s);
    const int most = int_least(PER_FILE * s->files, STRIPED_THREADS);
    (void)pthread_mutex_init(&s->lock, NULL);
    (void)pthread_cond_init(&s->asked, NULL);
    (void)pthread_cond_init(&s->done, NULL);
    while (s->threads < most &&
           pthread_create(&s->thread[s->threads], NULL, work, s) == 0)
        s->threads++;
    return s->threads > 0
               ? PAV_OK
               : FAIL(PAV_ENOMEM, "no thread can be started that reads the disk");
}

void striped_stop(striped *s)
{
    (void)pthread_mutex_lock(&s->lock);
    s->closing = true;
    (void)pthread_cond_broadcast(&s->asked);
    (void)pthread_mutex_unlock(&s->lock);
    for (int n = 0; n < s->threads; n++)
        (void)pthread_join(s->thread[n], NULL);
    (void)pthread_cond_destroy(&s->asked);
    (void)pthread_cond_destroy(&s->done);
    (void)pthread_mutex_destroy(&s->lock);
    free(s->why);
    mem_free(s->piece);
}

/* ---- for callers ------------------------------------------------------------------- */

static bool has_room(striped *s, int64_t more)
{
    if (s->pieces + more <= s->room)
        return true;
    const int64_t room = 2 * (s->pieces + more);
    striped_move *grown = mem_grow(s->piece, room, sizeof *grown);
    if (!grown)
        return false;
    s->piece = grown;
    s->room = room;
    return true;
}

pav_status striped_begin(striped *s, const striped_move *m)
{
    const int64_t units = PIECE / m->unit > 0 ? PIECE / m->unit : 1;
    const int64_t each = units * m->unit;
    (void)pthread_mutex_lock(&s->lock);
    const bool room = has_room(s, int_parts(m->bytes, each));
    for (int64_t at = 0; at < m->bytes && room; at += each)
        s->piece[s->pieces++] = (striped_move){
            .at = m->at + at,
            .bytes = m->bytes - at < each ? m->bytes - at : each,
            .unit = m->unit,
            .memory = (char *)m->memory + at,
            .sum = m->sum + at / m->unit,
            .write = m->write};
    (void)pthread_cond_broadcast(&s->asked);
    (void)pthread_mutex_unlock(&s->lock);
    return room ? PAV_OK : PAV_ENOMEM;
}

pav_status striped_wait(striped *s)
{
    const double begun = clock_seconds();
    (void)pthread_mutex_lock(&s->lock);
    while (s->busy > 0 || s->next < s->pieces)
        (void)pthread_cond_wait(&s->done, &s->lock);
    s->next = s->pieces = 0;
    const pav_status status = s->status;
    if (status != PAV_OK)
        FAIL(status, "%s", s->why ? s->why : "the store failed");
    free(s->why);
    s->why = NULL;
    s->status = PAV_OK;
    s->figures.waited += clock_seconds() - begun;
    (void)pthread_mutex_unlock(&s->lock);
    return status;
}
