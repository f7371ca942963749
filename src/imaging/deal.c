/* SPDX-License-Identifier: BSD-3-Clause */
/* Shots dealt to places: each device of a list takes the next shot that is left, several
 * at once as the options say. Their results are added up in the order of the list, so
 * that the sum has the same bits whichever is over first. */
#include <pthread.h>
#include <stdlib.h>
#include <string.h>

#include "imaging/imaging_private.h"

enum { MOST_WORKERS = 64 };

typedef struct dealing dealing;

typedef struct worker {
    dealing *all;
    pav_device *device;
    pav_adjoint_options
        options; /* with its own listener and share of threads and memory */
    double done; /* of its shot: 0 to 1 */
    double gpts; /* as it reported last */
    int64_t points;
    pthread_t thread;
    bool started;
} worker;

struct dealing {
    const shot_deal *deal;
    const pav_adjoint_options *options;
    pthread_mutex_t lock;
    int64_t next, over,
        added; /* shots: to be taken next; that are done; that were added up */
    bool *there;
    shot_result *result; /* of shots that wait to be added up */
    pav_status status;
    char *why;
    double begun;
    int workers;
    worker worker[MOST_WORKERS];
};

/* ---- telling ----------------------------------------------------------------------- */

/* Of all shots, in thousandths of one. */
static pav_progress progress_of(const dealing *d)
{
    enum { PARTS = 1000 };
    double done = (double)d->over;
    pav_progress p = {.steps = d->deal->shots * PARTS,
                      .seconds = clock_seconds() - d->begun};

    for (int n = 0; n < d->workers; n++) {
        done += d->worker[n].done;
        p.gpts += d->worker[n].gpts;
        p.points += d->worker[n].points;
    }
    p.step = (int64_t)(done * PARTS);
    p.seconds_left = done > 0 ? p.seconds * ((double)d->deal->shots / done - 1) : -1;
    return p;
}

/* One thread at a time calls the caller's listener. */
static int hear(void *user, pav_event event, const pav_progress *progress,
                const char *said)
{
    worker *w = user;
    dealing *d = w->all;
    int stop = 0;

    pthread_mutex_lock(&d->lock);
    if (event == PAV_EVENT_PROGRESS && progress->steps > 0) {
        w->done = (double)progress->step / (double)progress->steps;
        w->gpts = progress->gpts;
        w->points = progress->points;
    }
    const pav_progress now = progress_of(d);
    if (d->options->listener)
        stop = d->options->listener(d->options->user, event,
                                    event == PAV_EVENT_PROGRESS ? &now : progress, said);
    stop = stop || d->status != PAV_OK;
    pthread_mutex_unlock(&d->lock);
    return stop;
}

/* ---- shots ------------------------------------------------------------------------- */

static int64_t next_shot(dealing *d)
{
    pthread_mutex_lock(&d->lock);
    while (d->next < d->deal->shots && !d->deal->own(d->deal->user, d->next))
        d->next++;
    const int64_t k = d->status == PAV_OK && d->next < d->deal->shots ? d->next++ : -1;
    pthread_mutex_unlock(&d->lock);
    return k;
}

/* The first failure counts; its message is another thread's. */
static void keep_failure(dealing *d, pav_status status)
{
    if (d->status != PAV_OK || status == PAV_OK)
        return;
    d->status = status;
    d->why = strdup(pav_message());
}

static void hand_in(dealing *d, worker *w, int64_t k, shot_result *r, pav_status status)
{
    pthread_mutex_lock(&d->lock);
    w->done = w->gpts = 0; /* its shot counts once: in `over`, or no more */
    if (status != PAV_OK) {
        keep_failure(d, status);
    } else {
        d->result[k] = *r;
        d->there[k] = true;
        d->over++;
    }
    for (; d->status == PAV_OK && d->added < d->deal->shots; d->added++) {
        if (d->there[d->added])
            keep_failure(d, d->deal->add(d->deal->user, &d->result[d->added]));
        else if (d->deal->own(d->deal->user, d->added))
            break;
        shot_result_free(&d->result[d->added]);
    }
    pthread_mutex_unlock(&d->lock);
}

static void *work(void *argument)
{
    worker *w = argument;

    for (int64_t k; (k = next_shot(w->all)) >= 0;) {
        shot_result r = {0};
        const pav_status status = w->all->deal->take(w->all->deal->user, k, w->device,
                                                     &w->options, &r);
        hand_in(w->all, w, k, &r, status);
    }
    return NULL;
}

/* ---- workers ----------------------------------------------------------------------- */

/* Of `workers` at once, `beside` of them on its device: its share of threads, memory and
 * disk, where the caller gives no budget of each. */
static void add_worker(dealing *d, pav_device *device, int workers, int beside)
{
    worker *w = &d->worker[d->workers++];
    pav_adjoint_options *o = &w->options;
    const int threads = d->options->threads > 0 ? d->options->threads : host_threads();
    const int64_t available = mem_available();
    uint64_t which;
    const int64_t free = d->options->disk ? disk_available(d->options->disk, &which) : 0;

    *w = (worker){.all = d, .device = device, .options = *d->options};
    o->listener = hear;
    o->user = w;
    o->at_once = beside;
    if (workers > 1)
        o->threads = threads / workers > 0 ? threads / workers : 1;
    if (o->history == 0 && available > 0)
        o->history = available / 2 / workers;
    if (o->disk_bytes == 0 && free > 0)
        o->disk_bytes = free / 2 / workers;
}

/* No more than shots and workers that there are. */
static int count_workers(const dealing *d, int64_t wanted)
{
    int64_t own = 0;

    for (int64_t k = 0; k < d->deal->shots && own < wanted; k++)
        own += d->deal->own(d->deal->user, k);
    return own < 1 ? 1 : own < MOST_WORKERS ? (int)own : MOST_WORKERS;
}

/* Each device has a worker before one has two: of few shots each takes some. */
static void list_workers(dealing *d, pav_device *device)
{
    const int places = device->places > 0 ? device->places : 1;
    const int each = d->options->at_once > 0 ? d->options->at_once : 1;
    const int workers = count_workers(d, (int64_t)places * each);

    for (int k = 0; k < workers; k++) {
        const int n = k % places, beside = (workers - n + places - 1) / places;
        add_worker(d, device->places > 0 ? device->place[n] : device, workers, beside);
    }
}

static void start(dealing *d)
{
    for (int n = 1; n < d->workers; n++)
        d->worker[n].started = pthread_create(&d->worker[n].thread, NULL, work,
                                              &d->worker[n]) == 0;
    (void)work(&d->worker[0]);
    for (int n = 1; n < d->workers; n++)
        if (d->worker[n].started)
            (void)pthread_join(d->worker[n].thread, NULL);
}

static pav_status run_all(dealing *d, pav_device *device)
{
    d->there = mem_new(d->deal->shots + 1, sizeof *d->there);
    d->result = mem_new(d->deal->shots + 1, sizeof *d->result);
    if (!d->there || !d->result)
        return PAV_ENOMEM;
    list_workers(d, device);
    start(d);
    for (int64_t k = 0; k < d->deal->shots; k++)
        shot_result_free(&d->result[k]);
    return d->status == PAV_OK
               ? PAV_OK
               : FAIL(d->status, "%s", d->why ? d->why : "memory ran out");
}

pav_status shots_deal(const shot_deal *deal, pav_device *device,
                      const pav_adjoint_options *options)
{
    dealing *d = mem_new(1, sizeof *d);

    if (!d)
        return PAV_ENOMEM;
    d->deal = deal;
    d->options = options;
    d->begun = clock_seconds();
    (void)pthread_mutex_init(&d->lock, NULL);
    const pav_status status = run_all(d, device);
    (void)pthread_mutex_destroy(&d->lock);
    mem_free(d->there);
    mem_free(d->result);
    free(d->why);
    mem_free(d);
    return status;
}
