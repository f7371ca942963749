/* SPDX-License-Identifier: BSD-3-Clause */
/* Measured rates of places: copy bandwidth of their memory, and for GPUs the rates of the
 * link to the host and of the copy kernels. */
#include <stdio.h>
#include <string.h>

#include "exec/gpu/gpu.h"

/* ---- copy bandwidth ---------------------------------------------------------------- */

/* Copy bandwidth of a GPU's memory, or of the host's. It bounds every kernel that reads
 * one value and writes one value for each point. */

enum { FROM_MARK = 2, EXCHANGES = 5 };
static const int64_t usual_bytes = INT64_C(4) << 30, emulated_bytes = INT64_C(1) << 20;

struct place_copying {
    host_copy *host; /* or NULL: */
    gpu *gpu;
    int64_t bytes;
    void *to, *from;
};

/* Larger than the caches, within free memory. */
static int64_t bytes_of(const gpu *g)
{
    const int64_t requested = gpu_facts_of(g)->emulated ? emulated_bytes : usual_bytes;
    const int64_t left = gpu_free_memory(g) / 4;
    return (left < requested ? left : requested) & -(INT64_C(1) << 20);
}

/* Two blocks of memory of a GPU, to copy between them. */
static pav_status take_two(gpu *g, int64_t bytes, void **one, void **other)
{
    TRY(gpu_take(g, bytes, "copying, to measure it,", one));
    return gpu_take(g, bytes, "copying, to measure it,", other);
}

pav_status place_copying_open(gpu *g, host_team *team, place_copying **result)
{
    double first;
    TRY(mem_take(result, 1, sizeof **result));
    place_copying *c = *result;
    if (!g)
        return host_copy_open(team, &c->host);
    c->gpu = g;
    c->bytes = bytes_of(g);
    if (c->bytes <= 0)
        return FAIL(PAV_ENOMEM, "too little device memory is free to measure copying");
    TRY(take_two(c->gpu, c->bytes, &c->to, &c->from));
    TRY(gpu_fill(c->gpu, c->to, 0, c->bytes));
    TRY(gpu_fill(c->gpu, c->from, 0, c->bytes));
    return place_copying_pass(c, &first); /* slower than later passes */
}

pav_status place_copying_pass(place_copying *c, double *rate)
{
    double seconds;
    if (c->host) {
        *rate = host_copy_pass(c->host);
        return PAV_OK;
    }
    TRY(gpu_mark(c->gpu, FROM_MARK));
    TRY(gpu_copy(c->gpu, c->to, c->from, c->bytes));
    TRY(gpu_mark(c->gpu, FROM_MARK + 1));
    TRY(gpu_seconds(c->gpu, FROM_MARK, FROM_MARK + 1, &seconds));
    *rate = seconds > 0 ? 2 * (double)c->bytes / seconds : 0;
    return PAV_OK;
}

void place_copying_close(place_copying *c)
{
    if (!c)
        return;
    if (c->gpu) {
        gpu_release(c->gpu, c->from);
        gpu_release(c->gpu, c->to);
    }
    host_copy_close(c->host);
    mem_free(c);
}

RELEASES(close_copying, place_copying, place_copying_close)

pav_status copy_rate_of(gpu *g, host_team *team, copy_rate *rate)
{
    enum { PASSES = 5 };
    double pass[PASSES];
    OWNED_BY(close_copying) place_copying *c = NULL;
    *rate = (copy_rate){0};
    TRY(place_copying_open(g, team, &c));
    for (int k = 0; k < PASSES; k++)
        TRY(place_copying_pass(c, &pass[k]));
    rate->usual = median(pass, PASSES);
    rate->best = pass[PASSES - 1]; /* sorted by median() */
    return PAV_OK;
}

pav_status place_copy_rate(const exec_place *p, host_team *team, copy_rate *rate)
{
    return copy_rate_of(p->executor ? executor_gpu(p->executor) : NULL, team, rate);
}

/* ---- the link ---------------------------------------------------------------------- */

typedef struct link_trial {
    gpu *gpu;
    int64_t bytes;
    char *here;     /* two buffers of `bytes` bytes */
    void *there[2]; /* device buffers: upload target, download source */
} link_trial;

static void close_link(const link_trial *l)
{
    gpu_release(l->gpu, l->there[0]);
    gpu_release(l->gpu, l->there[1]);
    mem_big_free(l->here, 2 * l->bytes);
}

/* Transfers in both directions at once, then one after the other. The second round
 * counts. */
static pav_status time_link(const link_trial *l, machine_link *found)
{
    const gpu_transfer both[] = {{l->there[0], l->here, l->bytes, true},
                                 {l->there[1], l->here + l->bytes, l->bytes, false}};
    for (int n = 0; n < 2; n++) {
        const double begun = clock_seconds();
        TRY(gpu_exchange_begin(l->gpu, both, 2));
        TRY(gpu_exchange_end(l->gpu));
        const double between = clock_seconds();
        TRY(gpu_upload(l->gpu, l->there[0], l->here, l->bytes));
        TRY(gpu_download(l->gpu, l->here, l->there[0], l->bytes));
        found->busy = (double)l->bytes / (between - begun);
        found->alone = 2 * (double)l->bytes / (clock_seconds() - between);
    }
    return PAV_OK;
}

static pav_status measure_link(gpu *g, machine_rates *r)
{
    OWNED_BY(close_link)
    link_trial l = {.gpu = g, .bytes = gpu_facts_of(g)->emulated ? 1 << 16 : 1 << 26};
    l.here = mem_big(2 * l.bytes);
    if (!l.here)
        return PAV_ENOMEM;
    memset(l.here, 0, (size_t)(2 * l.bytes));
    TRY(take_two(l.gpu, l.bytes, &l.there[0], &l.there[1]));
    TRY(time_link(&l, &r->staged));
    if (gpu_pin(l.gpu, l.here, 2 * l.bytes) != PAV_OK)
        return PAV_OK; /* the system would refuse it to runs, too */
    const pav_status status = time_link(&l, &r->link);
    gpu_unpin(l.gpu, l.here);
    return status;
}

pav_status place_link_rates(const exec_place *p, machine_rates *rate)
{
    return p->executor ? measure_link(executor_gpu(p->executor), rate) : PAV_OK;
}

/* ---- a device, before a run -------------------------------------------------------- */

/* Seconds to move the bytes to the host and back: the median. The caller closes the GPU,
 * and this frees its memory. */
static pav_status time_exchange(gpu *g, int64_t bytes, double *seconds)
{
    double each[EXCHANGES];
    void *there = NULL;
    OWNED_NEW(char, here, bytes + 1);
    TRY(gpu_take(g, bytes, "an exchange", &there));
    for (int n = 0; n < EXCHANGES; n++) {
        const double begun = clock_seconds();
        TRY(gpu_upload(g, there, here, bytes));
        TRY(gpu_download(g, here, there, bytes));
        each[n] = clock_seconds() - begun;
    }
    *seconds = median(each, EXCHANGES);
    return PAV_OK;
}

pav_status place_measure(const exec_place *p, int64_t bytes, place_measured *found)
{
    copy_rate rate = {0};
    OWNED_BY(close_gpu) gpu *g = NULL;
    *found = (place_measured){0};
    if (p->kind != PLACE_GPU)
        return PAV_OK;
    TRY(gpu_open(p->device, &g));
    found->free = gpu_free_memory(g);
    TRY(copy_rate_of(g, NULL, &rate));
    found->rate = rate.usual;
    return time_exchange(g, bytes, &found->exchange);
}

/* ---- rates for models -------------------------------------------------------------- */

/* Rates of a GPU for the models of schedules: copy bandwidth of its memory and of its
 * cache, and the time between two launches of a graph. */

enum {
    PACK = 16, /* bytes */
    THREADS = 256,
    LAUNCHES = 64,
    PARTS = 6, /* share of the cache for each of two blocks of memory */
    FEW = 1,   /* blocks of threads in a nearly empty launch */
};

typedef struct copier {
    gpu *gpu;
    gpu_module *module;
    void *from, *to;
    int64_t bytes;
    emit_gpu_copying argument;
    gpu_call call;
} copier;

static pav_status time_blocks(copier *c, int64_t blocks, double *seconds)
{
    c->argument.nx = blocks * THREADS;
    c->call.blocks[0] = blocks;
    return gpu_time_row(c->gpu, &c->call, LAUNCHES, seconds);
}

static void close_copier(const copier *c)
{
    gpu_release(c->gpu, c->from);
    gpu_release(c->gpu, c->to);
    gpu_module_close(c->module);
}

static pav_status measure_copier(copier *c, machine_rates *r)
{
    double all;
    const int64_t l2 = gpu_facts_of(c->gpu)->l2, least = THREADS * PACK;
    c->bytes = l2 / PARTS > least ? l2 / PARTS / least * least : least;
    TRY(take_two(c->gpu, c->bytes, &c->from, &c->to));
    TRY(gpu_fill(c->gpu, c->from, 0, c->bytes));
    OWNED_BY(text_free) text source = {0};
    emit_gpu_copies(&source);
    TRY(gpu_open_text(c->gpu, PAV_OK, &source, HOST_KEEP, &c->module));
    c->call.kernel = gpu_module_find(c->module, "copy_packs");
    TRY(c->call.kernel ? PAV_OK
                       : FAIL(PAV_EINTERNAL, "the compiled kernels lack copy_packs"));
    c->argument = (emit_gpu_copying){
        .from = c->from, .to = c->to, .ny = 1, .nz = 1, .planes = 1, .never = c->to};
    c->call.argument = &c->argument;
    c->call.argument_bytes = sizeof c->argument;
    for (int axis = 0; axis < MAX_DIM; axis++)
        c->call.blocks[axis] = c->call.threads[axis] = 1;
    c->call.threads[0] = THREADS;
    TRY(time_blocks(c, FEW, &r->launch));
    TRY(time_blocks(c, c->bytes / (THREADS * PACK), &all));
    const double copying = all - r->launch;
    r->last_cache = copying > 0 ? 2 * (double)c->bytes / copying : 0;
    return PAV_OK;
}

static pav_status gpu_rates(const pav_device *device, place_rates *found)
{
    OWNED_BY(close_gpu) gpu *g = NULL;
    copy_rate memory;
    machine_rates *r = &found->rate;
    TRY(gpu_open(device, &g));
    OWNED_BY(close_copier) copier c = {.gpu = g};
    (void)snprintf(found->machine, sizeof found->machine, "%s", gpu_facts_of(g)->name);
    *r = (machine_rates){.measured = true};
    TRY(copy_rate_of(g, NULL, &memory));
    r->memory = memory.best;
    TRY(measure_copier(&c, r));
    return measure_link(g, r);
}

static pav_status host_rates(int threads, place_rates *found)
{
    OWNED_BY(close_team) host_team *team = NULL;
    TRY(host_team_open(threads > 0 ? threads : host_threads(), HOST_BIND_AUTO, &team));
    found->threads = host_team_threads(team);
    (void)snprintf(found->machine, sizeof found->machine, "%s",
                   *pav_host_name() ? pav_host_name() : "a processor");
    return host_rates_measure(team, &found->rate);
}

pav_status place_measure_rates(const pav_device *device, int threads, place_rates *found)
{
    switch (place_kind_of(device)) {
    case PLACE_PROCESSORS: return host_rates(threads, found);
    case PLACE_GPU: return gpu_rates(device, found);
    default:
        return FAIL(PAV_EUNSUPPORTED, "no plan uses rates of the device %s: measure cpu",
                    device->name);
    }
}
