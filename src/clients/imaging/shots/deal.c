/* SPDX-License-Identifier: BSD-3-Clause */
/* Deals shots to the devices of a list. Each device takes enough of the remaining shots
 * to fill it, and several workers may share a device. Results are added up in the order
 * of the list, so the sum does not depend on the order of completion. */
#include <pthread.h>
#include <stdlib.h>
#include <string.h>

#include "imaging/imaging_private.h"

enum { MOST_WORKERS = 64, MOST_WARNINGS = 64 };

typedef struct dealing dealing;

typedef struct worker {
    dealing *all;
    pav_device *device;
    /* The worker's own listener and its share of threads and memory. */
    pav_adjoint_options options;
    int64_t together, taken; /* shots computed together at most; shots in progress */
    pav_progress last;       /* of the shots in progress; 0 steps: none was reported */
    pthread_t thread;
    bool started;
} worker;

struct dealing {
    const shot_deal *deal;
    const pav_adjoint_options *options;
    pthread_mutex_t lock;
    /* Numbers of shots: the next shot to take; shots done; shots added up. */
    int64_t next, over, added;
    bool *there;
    shot_result *result; /* results waiting to be added up */
    kept_failure failure;
    double begun;
    int warnings;
    uint64_t warning[MOST_WARNINGS]; /* hashes of the warnings and notes handed on */
    int workers;
    worker worker[MOST_WORKERS];
};

/* ---- telling ----------------------------------------------------------------------- */

/* Progress of all shots, in steps of the shots in progress. */
static pav_progress progress_of(const dealing *d)
{
    double done = (double)d->over;
    int64_t each = 1;
    pav_progress p = {.seconds = clock_seconds() - d->begun};

    for (int n = 0; n < d->workers; n++) {
        const pav_progress *last = &d->worker[n].last;
        if (last->steps > 0)
            done += (double)last->step / (double)last->steps * (double)d->worker[n].taken;
        each = int64_most(each, last->steps);
        p.gpts += last->gpts;
        p.points += last->points;
        p.bounded |= last->bounded;
    }
    p.step = (int64_t)(done * (double)each);
    p.steps = d->deal->shots * each;
    p.seconds_left = done > 0 ? p.seconds * ((double)d->deal->shots / done - 1) : -1;
    return p;
}

/* One thread at a time calls the caller's listener. */
static int listen(void *user, pav_event event, const pav_progress *progress,
                  const char *said)
{
    worker *w = user;
    dealing *d = w->all;
    int stop = 0;

    LOCKED(&d->lock);
    if (event == PAV_EVENT_PROGRESS && progress->steps > 0)
        w->last = *progress;
    const pav_progress now = progress_of(d);
    /* A warning or note repeated by many shots is handed on only once. */
    const bool lasts = said && event != PAV_EVENT_SETUP;
    const uint64_t own = lasts ? hash_bytes(said, (int64_t)strlen(said)) : 0;
    bool repeated = false;
    for (int n = 0; lasts && n < d->warnings; n++)
        repeated = repeated || d->warning[n] == own;
    if (lasts && d->options->listener && !repeated && d->warnings < MOST_WARNINGS)
        d->warning[d->warnings++] = own;
    if (d->options->listener && !repeated)
        stop = d->options->listener(d->options->user, event,
                                    event == PAV_EVENT_PROGRESS ? &now : progress, said);
    return stop || d->failure.status != PAV_OK;
}

/* ---- shots ------------------------------------------------------------------------- */

static bool is_own(const dealing *d, int64_t shot)
{
    return d->deal->all || shots_own(d->options, shot);
}

/* Takes the next shots of this process, at most the worker's share of the remaining
 * shots. */
static int64_t next_shots(worker *w, shot_job job[MOST_TOGETHER])
{
    dealing *d = w->all;

    LOCKED(&d->lock);
    int64_t left = 0;
    for (int64_t k = d->next; k < d->deal->shots && d->failure.status == PAV_OK; k++)
        left += is_own(d, k);
    const int64_t share = int_parts(left, d->workers);
    w->taken = 0;
    for (; w->taken < share && w->taken < w->together; d->next++)
        if (is_own(d, d->next))
            job[w->taken++] = (shot_job){.number = d->next};
    return w->taken;
}

/* A failed shot ends all, or is left out if the caller goes on. Ctrl-C ends all. */
static pav_status leave_out(const worker *w, shot_job *job, pav_status status)
{
    const shot_deal *deal = w->all->deal;

    if (!deal->fail || status == PAV_EINTERRUPTED)
        return FAIL(status, "shot %lld of %lld: %s", (long long)job->number + 1,
                    (long long)deal->shots, pav_message());
    return deal->fail(deal->user, job);
}

/* Computes the shots together. If this is impossible or fails, each half is tried, down
 * to single shots. */
static pav_status take_together(const worker *w, shot_job *const *job, int64_t count)
{
    const shot_deal *deal = w->all->deal;
    const int64_t half = count / 2;
    const pav_status status = deal->take(deal->user, job, count, w->device, &w->options);

    for (int64_t n = 0; n < count && status == PAV_OK; n++)
        TRY(deal->keep(deal->user, job[n]));
    if (status == PAV_OK || status == PAV_EINTERRUPTED)
        return status;
    if (count == 1)
        return leave_out(w, job[0], status);
    shots_note_apart(&w->options, status);
    TRY(take_together(w, job, half));
    return take_together(w, job + half, count - half);
}

static pav_status take_shots(const worker *w, shot_job *job)
{
    GUARDED;
    const shot_deal *deal = w->all->deal;
    shot_job *missing[MOST_TOGETHER];
    int64_t left = 0;

    for (int64_t n = 0; n < w->taken; n++) {
        const pav_status found = deal->find(deal->user, &job[n]);
        if (found != PAV_OK)
            TRY(deal->fail ? leave_out(w, &job[n], found) : found);
        else if (!job[n].done)
            missing[left++] = &job[n];
    }
    return left > 0 ? take_together(w, missing, left) : PAV_OK;
}

static void submit_results(dealing *d, worker *w, shot_job *job, pav_status status)
{
    LOCKED(&d->lock);
    w->last.step = 0; /* its shots now count in `over`, or failed */
    w->last.gpts = 0;
    failure_keep(&d->failure, status);
    d->over += status == PAV_OK ? w->taken : 0;
    for (int64_t n = 0; n < w->taken; n++) {
        d->there[job[n].number] = status == PAV_OK;
        if (status == PAV_OK)
            d->result[job[n].number] = job[n].result;
        else
            shot_result_free(&job[n].result); /* pav_message() is kept */
    }
    for (; d->failure.status == PAV_OK && d->added < d->deal->shots; d->added++) {
        if (d->there[d->added])
            failure_keep(&d->failure, d->deal->add(d->deal->user, &d->result[d->added]));
        else if (is_own(d, d->added))
            break;
        shot_result_free(&d->result[d->added]);
    }
}

static void *work(void *argument)
{
    worker *w = argument;
    shot_job job[MOST_TOGETHER];

    while (next_shots(w, job) > 0) {
        submit_results(w->all, w, job, take_shots(w, job));
        for (int64_t n = 0; n < w->taken; n++) {
            TEXT_FREE_ALL(&job[n].path, &job[n].mark);
            program_free(job[n].program);
        }
    }
    return NULL;
}

/* ---- workers ----------------------------------------------------------------------- */

int64_t shots_that_fill(bool on_gpu, int threads, int64_t of_points)
{
    const int64_t full = on_gpu ? gpu_full_points(NULL) : cpu_full_points(threads);

    return int64_least(int_parts(full, of_points), MOST_TOGETHER);
}

/* Adds one of `workers` concurrent workers; `concurrent` workers share its device. A
 * worker gets its share of the threads. It gets a share of memory and disk if the caller
 * gives no budget. */
static void add_worker(dealing *d, pav_device *device, int workers, int concurrent)
{
    worker *w = &d->worker[d->workers++];
    pav_adjoint_options *o = &w->options;
    const int threads = d->options->threads > 0 ? d->options->threads : host_threads();
    const int64_t available = mem_available();
    uint64_t which;
    const int64_t free = d->options->disk ? disk_available(d->options->disk, &which) : 0;

    *w = (worker){.all = d, .device = device, .options = *d->options};
    o->listener = listen;
    o->user = w;
    o->at_once = concurrent;
    if (workers > 1)
        o->threads = int_most(threads / workers, 1);
    w->together = o->together > 0 ? int_least(o->together, MOST_TOGETHER)
                  : place_has_schedules(device)
                      ? shots_that_fill(place_kind_of(device) == PLACE_GPU,
                                        o->threads > 0 ? o->threads : threads,
                                        d->deal->points)
                      : 1;
    if (o->history == 0 && available > 0)
        o->history = available / 2 / workers;
    if (o->disk_bytes == 0 && free > 0)
        o->disk_bytes = free / 2 / workers;
}

/* Each device gets one worker before any device gets two, so even a few shots use all
 * devices. */
static void list_workers(dealing *d, pav_device *device)
{
    const int places = int_most(device->places, 1);
    const int64_t most = int64_least((int64_t)places * int_most(d->options->at_once, 1),
                                     MOST_WORKERS);
    int workers = 0; /* not more than shots */

    for (int64_t k = 0; k < d->deal->shots && workers < most; k++)
        workers += is_own(d, k);
    workers = int_most(workers, 1);
    for (int k = 0; k < workers; k++) {
        const int n = k % places;
        add_worker(d, device->places > 0 ? device->place[n] : device, workers,
                   (workers - n + places - 1) / places);
    }
}

static void close_dealing(dealing **at)
{
    dealing *d = *at;

    if (!d)
        return;
    (void)pthread_mutex_destroy(&d->lock);
    MEM_FREE_ALL(d->there, d->result);
    free(d->failure.why);
    mem_free(d);
}

pav_status shots_deal(const shot_deal *deal, pav_device *device,
                      const pav_adjoint_options *options)
{
    NEW_BY(close_dealing, dealing, d, 1);

    *d = (dealing){.deal = deal, .options = options, .begun = clock_seconds()};
    (void)pthread_mutex_init(&d->lock, NULL);
    TRY(mem_take(&d->there, d->deal->shots + 1, sizeof *d->there));
    TRY(mem_take(&d->result, d->deal->shots + 1, sizeof *d->result));
    list_workers(d, device);
    for (int n = 1; n < d->workers; n++)
        d->worker[n].started = pthread_create(&d->worker[n].thread, NULL, work,
                                              &d->worker[n]) == 0;
    (void)work(&d->worker[0]);
    for (int n = 1; n < d->workers; n++)
        if (d->worker[n].started)
            (void)pthread_join(d->worker[n].thread, NULL);
    for (int64_t k = 0; k < d->deal->shots; k++)
        shot_result_free(&d->result[k]);
    return failure_report(&d->failure);
}
