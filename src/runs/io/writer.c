/* SPDX-License-Identifier: BSD-3-Clause */
/* Writes frames on a thread while the run goes on. The queue is bounded in bytes of
 * copied frames, including the frame being written; a single frame may fill the queue.
 * The lock protects the members of `writer` below it. While a frame of a series waits,
 * only the thread uses the series. */
#include <pthread.h>
#include <stdlib.h>
#include <string.h>

#include "io/io_private.h"

enum { LEAST_ROOM = 16 << 20, USUAL_ROOM = 256 << 20 };

typedef struct job job;
struct job {
    series *series;
    io_frame frame;
    text path; /* path of the written file */
    job *next;
};

typedef struct job_list {
    job *first, *last;
} job_list;

struct writer {
    int64_t room;
    bool threaded; /* the thread runs */
    pthread_t thread;
    pthread_mutex_t lock;
    pthread_cond_t changed;
    job_list waiting, done; /* done: not yet reported */
    int64_t bytes;          /* bytes of copies */
    bool busy, closing;
    kept_failure failure; /* the first one that is not yet reported */
};

/* ---- lists ------------------------------------------------------------------------- */

static void put(job_list *l, job *j)
{
    j->next = NULL;
    if (l->last)
        l->last->next = j;
    else
        l->first = j;
    l->last = j;
}

static job *take(job_list *l)
{
    job *j = l->first;

    if (j)
        l->first = j->next;
    if (!l->first)
        l->last = NULL;
    return j;
}

static void free_job(job *j)
{
    frame_free(&j->frame);
    text_free(&j->path);
    mem_free(j);
}

/* ---- the thread -------------------------------------------------------------------- */

/* Writes one frame. Called with the lock held; the lock is released during writing. */
static void write_one(writer *w, job *j)
{
    const int64_t bytes = frame_bytes(&j->frame);

    w->busy = true;
    (void)pthread_mutex_unlock(&w->lock);
    const pav_status status = series_add(j->series, &j->frame, &j->path);
    frame_free(&j->frame);
    (void)pthread_mutex_lock(&w->lock);
    w->busy = false;
    w->bytes -= bytes;
    failure_keep(&w->failure, status);
    if (status == PAV_OK)
        put(&w->done, j);
    else
        free_job(j);
    (void)pthread_cond_broadcast(&w->changed);
}

static void *work(void *user)
{
    writer *w = user;

    LOCKED(&w->lock);
    for (;;) {
        job *j = take(&w->waiting);
        if (j)
            write_one(w, j);
        else if (w->closing)
            break;
        else
            (void)pthread_cond_wait(&w->changed, &w->lock);
    }
    return NULL;
}

/* ---- for the run ------------------------------------------------------------------- */

int64_t writer_room(int64_t available)
{
    return available < 0 ? USUAL_ROOM : int64_most(available / 4, LEAST_ROOM);
}

pav_status writer_open(int64_t room, writer **result)
{
    writer *w = *result = mem_new(1, sizeof *w);

    if (!w)
        return PAV_ENOMEM;
    w->room = room > 0 ? room : writer_room(mem_available());
    (void)pthread_mutex_init(&w->lock, NULL);
    (void)pthread_cond_init(&w->changed, NULL);
    return PAV_OK;
}

/* Waits for room for so many bytes, or (-1) until all frames are written. */
static pav_status wait_for(writer *w, int64_t bytes)
{
    LOCKED(&w->lock);
    while (bytes < 0 ? w->busy || w->waiting.first
                     : w->bytes > 0 && w->bytes + bytes > w->room &&
                           w->failure.status == PAV_OK)
        (void)pthread_cond_wait(&w->changed, &w->lock);
    return failure_report(&w->failure); /* the thread's failure, once */
}

bool writer_goes_on(writer *w)
{
    if (!w)
        return false;
    LOCKED(&w->lock);
    while (!w->done.first && (w->busy || w->waiting.first))
        (void)pthread_cond_wait(&w->changed, &w->lock);
    return w->busy || w->waiting.first;
}

pav_status writer_wait(writer *w)
{
    return w ? wait_for(w, -1) : PAV_OK;
}

/* Adds a job to a list, with the bytes of its frame. */
static void hand_over(writer *w, job_list *to, job *j, int64_t bytes)
{
    LOCKED(&w->lock);
    w->bytes += bytes;
    put(to, j);
    (void)pthread_cond_broadcast(&w->changed);
}

/* Writes a frame on the caller's thread after the writer's thread has finished its
 * queue. */
static pav_status write_now(writer *w, series *s, const io_frame *f)
{
    job *j = NULL;
    TRY(mem_take(&j, 1, sizeof *j));
    j->frame.step = f->step;
    pav_status status = writer_wait(w);
    if (status == PAV_OK)
        status = series_add(s, f, &j->path);
    if (status == PAV_OK)
        hand_over(w, &w->done, j, 0);
    else
        free_job(j);
    return status;
}

pav_status writer_add(writer *w, series *s, const io_frame *f)
{
    const int64_t bytes = frame_bytes(f);

    if (!w->threaded)
        w->threaded = host_thread_start(&w->thread, -1, work, w) == 0;
    if (!w->threaded || bytes > w->room)
        return write_now(w, s, f);
    TRY(wait_for(w, bytes));
    job *j = NULL;
    TRY(mem_take(&j, 1, sizeof *j));
    j->series = s;
    if (frame_copy(f, &j->frame) != PAV_OK) {
        free_job(j);
        return write_now(w, s, f);
    }
    hand_over(w, &w->waiting, j, bytes);
    return PAV_OK;
}

bool writer_next(writer *w, int64_t *step, text *path)
{
    LOCKED(&w->lock);
    job *j = take(&w->done);
    if (!j)
        return false;
    *step = j->frame.step;
    text_free(path);
    *path = j->path;
    mem_free(j);
    return true;
}

void writer_close(writer *w)
{
    if (!w)
        return;
    (void)pthread_mutex_lock(&w->lock);
    w->closing = true;
    (void)pthread_cond_broadcast(&w->changed);
    (void)pthread_mutex_unlock(&w->lock);
    if (w->threaded)
        (void)pthread_join(w->thread, NULL);
    for (job *j = take(&w->done); j; j = take(&w->done))
        free_job(j);
    (void)pthread_mutex_destroy(&w->lock);
    (void)pthread_cond_destroy(&w->changed);
    free(w->failure.why);
    mem_free(w);
}
