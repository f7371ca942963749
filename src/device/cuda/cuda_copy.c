/* SPDX-License-Identifier: BSD-3-Clause */
/* Copies between host and GPU through two pinned buffers. While the GPU copies one
 * buffer, a team of threads fills or empties the other. For pageable memory the driver
 * would use one thread and reach only a fraction of the bus rate. */
#include <string.h>

#include "device/cuda/cuda_private.h"

enum {
    SHARED = 1 << 18, /* least bytes for waking the team */
    MOST_THREADS = 8,
};

/* ---- the buffers ------------------------------------------------------------------- */

void cuda_stage_close(const cuda *c, cuda_stage *s)
{
    for (int k = 0; k < CUDA_STAGES; k++) {
        if (s->done[k])
            (void)c->driver->event_free(s->done[k]);
        if (s->buffer[k])
            (void)c->driver->give_host(s->buffer[k]);
    }
    host_team_close(s->team);
    *s = (cuda_stage){0};
}

/* If no threads can be started, the caller copies alone. */
static void open_team(cuda_stage *s)
{
    const int threads = host_threads();

    if (host_team_open(threads < MOST_THREADS ? threads : MOST_THREADS, HOST_BIND_NONE,
                       &s->team) != PAV_OK)
        s->team = NULL;
}

/* All stages share the first stage's team. */
cu_result cuda_stage_open(cuda *c, cuda_stage *s)
{
    cu_result code = CU_DONE;

    for (int k = 0; k < CUDA_STAGES && code == CU_DONE; k++) {
        void *memory = NULL;
        if (!s->buffer[k])
            code = c->driver->take_host(&memory, CUDA_PIECE, 0);
        if (memory)
            s->buffer[k] = memory;
        if (code == CU_DONE && !s->done[k])
            code = c->driver->event_new(&s->done[k], 0);
    }
    if (code == CU_DONE && !c->stage.team)
        open_team(&c->stage);
    return code;
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

void cuda_stage_move(const cuda *c, char *to, const char *from, int64_t bytes)
{
    host_team *team = c->stage.team;
    const int threads = team ? host_team_threads(team) : 1;
    host_move m = {to, from, bytes, bytes < SHARED ? 1 : threads};

    host_team_run(team, m.parts, move_part, &m);
}

/* ---- piece by piece ---------------------------------------------------------------- */

static int64_t piece_at(int64_t at, int64_t bytes)
{
    return bytes - at < CUDA_PIECE ? bytes - at : CUDA_PIECE;
}

static cu_result send(cuda *c, cu_pointer to, const char *from, int64_t bytes)
{
    const cuda_driver *d = c->driver;
    cu_result code = cuda_stage_open(c, &c->stage);

    for (int64_t at = 0, k = 0; at < bytes && code == CU_DONE; at += CUDA_PIECE, k ^= 1) {
        const int64_t now = piece_at(at, bytes);
        code = d->event_wait(c->stage.done[k]);
        if (code != CU_DONE)
            break;
        cuda_stage_move(c, c->stage.buffer[k], from + at, now);
        code = d->upload(to + (cu_pointer)at, c->stage.buffer[k], (size_t)now, c->stream);
        if (code == CU_DONE)
            code = d->event_record(c->stage.done[k], c->stream);
    }
    return code == CU_DONE ? d->stream_wait(c->stream) : code;
}

static cu_result ask(cuda *c, cu_pointer from, int64_t at, int64_t bytes)
{
    const int64_t k = at / CUDA_PIECE % CUDA_STAGES;
    cu_result code = CU_DONE;

    if (at >= bytes)
        return code;
    code = c->driver->download(c->stage.buffer[k], from + (cu_pointer)at,
                               (size_t)piece_at(at, bytes), c->stream);
    return code == CU_DONE ? c->driver->event_record(c->stage.done[k], c->stream) : code;
}

static cu_result receive(cuda *c, char *to, cu_pointer from, int64_t bytes)
{
    cu_result code = cuda_stage_open(c, &c->stage);

    if (code == CU_DONE)
        code = ask(c, from, 0, bytes);
    for (int64_t at = 0, k = 0; at < bytes && code == CU_DONE; at += CUDA_PIECE, k ^= 1) {
        code = ask(c, from, at + CUDA_PIECE, bytes);
        if (code == CU_DONE)
            code = c->driver->event_wait(c->stage.done[k]);
        if (code == CU_DONE)
            cuda_stage_move(c, to + at, c->stage.buffer[k], piece_at(at, bytes));
    }
    return code;
}

/* Copies pinned memory in one call. */
static cu_result copy_whole(cuda *c, void *to, const void *from, int64_t bytes, bool up)
{
    const cuda_driver *d = c->driver;
    const cu_result code = up ? d->upload(cuda_address(to), from, (size_t)bytes,
                                          c->stream)
                              : d->download(to, cuda_address(from), (size_t)bytes,
                                            c->stream);

    return code == CU_DONE ? d->stream_wait(c->stream) : code;
}

pav_status cuda_upload(gpu *g, void *to, const void *from, int64_t bytes)
{
    cuda *c = cuda_of(g);

    TRY(cuda_enter(c));
    return cuda_leave(c,
                      cuda_is_pinned(&c->exchange, from, bytes)
                          ? copy_whole(c, to, from, bytes, true)
                          : send(c, cuda_address(to), from, bytes),
                      "copying to the GPU");
}

pav_status cuda_download(gpu *g, void *to, const void *from, int64_t bytes)
{
    cuda *c = cuda_of(g);

    TRY(cuda_enter(c));
    return cuda_leave(c,
                      cuda_is_pinned(&c->exchange, to, bytes)
                          ? copy_whole(c, to, from, bytes, false)
                          : receive(c, to, cuda_address(from), bytes),
                      "copying from the GPU");
}
