/* SPDX-License-Identifier: BSD-3-Clause */
/* Kernels of GPUs, real or emulated, and the queue of their launches. Each launch is
 * checked against the limits of the GPU and the kernel first, so a refusal can name the
 * numbers. Launches are queued until a round is complete. A round equal to an earlier
 * one, byte for byte, is replayed as its CUDA graph; any other round is launched kernel
 * by kernel. A launch depending on the time, a sample or a new value makes a different
 * round, so a graph is never out of date. */
#include <limits.h>
#include <stdio.h>
#include <string.h>

#include "device/device_private.h"

/* ---- limits of a call -------------------------------------------------------------- */

static pav_status check_call(const gpu *g, const gpu_call *call)
{
    static const int64_t most_blocks[] = {INT_MAX, GPU_GRID_YZ, GPU_GRID_YZ};
    const gpu_kernel *k = call->kernel;
    const int64_t *blocks = call->blocks;
    int64_t threads = 1;

    for (int axis = 0; axis < 3; axis++) {
        if (call->threads[axis] < 1 || call->threads[axis] > k->facts.most_threads)
            threads = INT_MAX;
        else
            threads *= call->threads[axis];
    }
    if (threads > k->facts.most_threads)
        return FAIL(PAV_ELIMIT,
                    "kernel %s takes at most %d threads a block, not %d x %d x %d",
                    k->name, k->facts.most_threads, call->threads[0], call->threads[1],
                    call->threads[2]);
    for (int axis = 0; axis < 3; axis++)
        if (blocks[axis] < 0 || blocks[axis] > most_blocks[axis])
            return FAIL(PAV_ELIMIT,
                        "kernel %s takes at most %lld blocks along %c, not %lld", k->name,
                        (long long)most_blocks[axis], "xyz"[axis],
                        (long long)blocks[axis]);
    if (call->shared < 0 || call->shared > g->facts.shared_block - k->facts.shared)
        return FAIL(
            PAV_ELIMIT,
            "kernel %s needs %lld + %lld bytes of shared memory a block, %s has %d",
            k->name, (long long)k->facts.shared, (long long)call->shared, g->name,
            g->facts.shared_block);
    if (call->argument_bytes < 1 || call->argument_bytes > GPU_MOST_ARGUMENT)
        return FAIL(PAV_ELIMIT, "kernel %s takes an argument of 1 to %d bytes, not %lld",
                    k->name, GPU_MOST_ARGUMENT, (long long)call->argument_bytes);
    if (!call->together)
        return PAV_OK;
    const int64_t most = gpu_cooperative_blocks(k, (int)threads, call->shared);
    if (blocks[0] * blocks[1] * blocks[2] <= most)
        return PAV_OK;
    return FAIL(
        PAV_ELIMIT,
        "kernel %s has %lld x %lld x %lld blocks that wait for each other, and %s "
        "has room for %lld of them at once",
        k->name, (long long)blocks[0], (long long)blocks[1], (long long)blocks[2],
        g->name, (long long)most);
}

/* ---- small inputs of launches ------------------------------------------------------ */

/* Argument bytes for the next launch, and variables in constant memory. Neither makes the
 * host wait.
 *
 * The bytes lie in a ring in the GPU's memory. Places are assigned in order, starting
 * anew with each round of launches. So in a repeated round every launch finds its bytes
 * at the same address, even if the bytes differ: the round is the same and can be
 * replayed as a graph. The host knows the ring's contents and sends only the changed
 * range, in one copy before the waiting launches. */

enum { ROOM = GPU_SEND, APART = 16 };

void argument_ring_close(gpu *g)
{
    if (g->ring.there)
        g->ops->give(g, g->ring.there);
    mem_free(g->ring.here);
    g->ring = (gpu_argument_ring){0};
}

static pav_status send_ring(gpu *g)
{
    gpu_argument_ring *l = &g->ring;
    const int64_t lo = l->lo, bytes = l->hi - l->lo;

    if (bytes <= 0)
        return PAV_OK;
    l->lo = ROOM;
    l->hi = 0;
    return g->ops->send(g, l->there + lo, l->here + lo, bytes);
}

pav_status gpu_argument_ring_put(gpu *g, const void *from, int64_t bytes, const void **at)
{
    gpu_argument_ring *l = &g->ring;

    *at = NULL;
    if (bytes < 0 || bytes > GPU_MOST_ARGUMENT)
        return FAIL(PAV_EINTERNAL, "launches take up to %d bytes, not %lld",
                    GPU_MOST_ARGUMENT, (long long)bytes);
    if (!l->there) {
        TRY(mem_take(&l->here, ROOM, 1));
        l->lo = ROOM;
        TRY(g->ops->take(g, ROOM, (void **)&l->there));
    }
    if (l->at + bytes > ROOM) {
        TRY(rounds_flush(g));
        g->ring.at = 0;
    }
    *at = l->there + l->at;
    const int64_t end = l->at + bytes;
    /* equal bytes already on the GPU are not sent again */
    if (end > l->known || memcmp(l->here + l->at, from, (size_t)bytes) != 0) {
        memcpy(l->here + l->at, from, (size_t)bytes);
        l->lo = int64_least(l->at, l->lo);
        l->hi = int64_most(end, l->hi);
    }
    l->known = int64_most(end, l->known);
    l->at += int_rounded(bytes, APART);
    return PAV_OK;
}

/* ---- constants --------------------------------------------------------------------- */

struct gpu_constant {
    gpu_module *module;
    gpu_constant *next;
    char name[GPU_NAME];
    void *address;
    int64_t bytes;
    char *owned; /* last value set; or NULL */
};

static gpu_constant *new_constant(gpu_module *m, const char *name, int64_t bytes)
{
    void *address = m->owner->ops->constant(m, name, bytes);
    gpu_constant *c = address ? mem_new(1, sizeof *c) : NULL;

    if (!c)
        return NULL;
    *c = (gpu_constant){
        .module = m, .next = m->constants, .address = address, .bytes = bytes};
    (void)snprintf(c->name, sizeof c->name, "%s", name);
    m->constants = c;
    return c;
}

gpu_constant *gpu_module_constant(gpu_module *m, const char *name, int64_t bytes)
{
    gpu_constant *c = m->constants;

    while (c && strcmp(c->name, name) != 0)
        c = c->next;
    return c ? c : new_constant(m, name, bytes);
}

/* First launches the queue: queued launches need the old value. */
pav_status gpu_constant_set(gpu_constant *c, const void *from)
{
    gpu *g = c->module->owner;

    if (c->owned && memcmp(c->owned, from, (size_t)c->bytes) == 0)
        return PAV_OK;
    if (!c->owned)
        TRY(mem_take(&c->owned, c->bytes, 1));
    memcpy(c->owned, from, (size_t)c->bytes);
    TRY(rounds_flush(g));
    return g->ops->send(g, c->address, from, c->bytes);
}

static void constants_close(gpu_module *m)
{
    while (m->constants) {
        gpu_constant *next = m->constants->next;
        MEM_FREE_ALL(m->constants->owned, m->constants);
        m->constants = next;
    }
}

/* ---- rounds ------------------------------------------------------------------------ */

enum {
    ENOUGH = 64,               /* launches of a round with several steps */
    STEP_ENOUGH = 8,           /* launches of a step making a round by itself */
    MOST_BYTES = 1 << 20,      /* bytes of a round */
    MOST_STRANGERS = GPU_TAPES /* successive new rounds before graphs are given up */
};

/* The record of a launch in a round; the argument follows it. It has no padding, because
 * padding bytes would differ between equal launches. */
typedef struct entry {
    gpu_kernel *kernel;
    int64_t blocks[3], threads[3], shared, argument_bytes;
} entry;

static int64_t padded(int64_t bytes)
{
    return (bytes + 15) & -INT64_C(16);
}

gpu_counts gpu_count(const gpu *g)
{
    return g->rounds.counts;
}

/* ---- the queue of launches --------------------------------------------------------- */

static bool make_room(gpu_tapes *r, int64_t bytes)
{
    if (r->now.length + bytes <= r->room)
        return true;
    const int64_t room = 2 * (r->now.length + bytes);
    if (room > 2 * MOST_BYTES || mem_extend(&r->now.bytes, room, 1) != PAV_OK)
        return false;
    r->room = room;
    return true;
}

/* Reads the launch at *at and moves *at to the next one. */
static gpu_call next_call(const gpu_tape *t, int64_t *at)
{
    entry e;

    memcpy(&e, t->bytes + *at, sizeof e);
    const gpu_call call = {
        .kernel = e.kernel,
        .blocks = {e.blocks[0], e.blocks[1], e.blocks[2]},
        .threads = {(int)e.threads[0], (int)e.threads[1], (int)e.threads[2]},
        .shared = e.shared,
        .argument = t->bytes + *at + sizeof e,
        .argument_bytes = e.argument_bytes};
    *at += (int64_t)sizeof e + padded(e.argument_bytes);
    return call;
}

static void nothing_waits(gpu *g)
{
    gpu_tapes *r = &g->rounds;

    if (r->now.launches > 0)
        g->ring.at = 0;
    r->now.length = r->now.launches = r->steps = 0;
}

static pav_status launch(gpu *g, const gpu_call *call)
{
    TRY(send_ring(g));
    return g->ops->launch(g, call);
}

pav_status rounds_flush(gpu *g)
{
    gpu_tapes *r = &g->rounds;
    pav_status status = PAV_OK;

    for (int64_t at = 0; at < r->now.length && status == PAV_OK;) {
        const gpu_call call = next_call(&r->now, &at);
        status = launch(g, &call);
    }
    nothing_waits(g);
    return status;
}

static pav_status rounds_add(gpu *g, const gpu_call *call)
{
    gpu_tapes *r = &g->rounds;

    r->counts.launches++;
    if (r->open && !call->together &&
        make_room(r, (int64_t)sizeof(entry) + padded(call->argument_bytes))) {
        entry e = {.kernel = call->kernel,
                   .blocks = {call->blocks[0], call->blocks[1], call->blocks[2]},
                   .threads = {call->threads[0], call->threads[1], call->threads[2]},
                   .shared = call->shared,
                   .argument_bytes = call->argument_bytes};
        char *at = r->now.bytes + r->now.length;
        const int64_t bytes = padded(call->argument_bytes);
        memcpy(at, &e, sizeof e);
        memset(at + (int64_t)sizeof e + bytes - 16, 0, 16);
        memcpy(at + sizeof e, call->argument, (size_t)call->argument_bytes);
        r->now.length += (int64_t)sizeof e + bytes;
        r->now.launches++;
        return PAV_OK;
    }
    TRY(rounds_flush(g));
    return launch(g, call);
}

/* ---- rounds seen before ------------------------------------------------------------ */

static void erase(gpu *g, gpu_tape *t)
{
    if (t->graph)
        g->ops->forget(g, t->graph);
    mem_free(t->bytes);
    *t = (gpu_tape){0};
}

void rounds_forget(gpu *g)
{
    gpu_tapes *r = &g->rounds;

    for (int k = 0; k < GPU_TAPES; k++)
        erase(g, &r->tape[k]);
    mem_free(r->now.bytes);
    r->now = (gpu_tape){0};
    r->room = r->steps = r->strangers = 0;
}

static void give_up(gpu *g)
{
    rounds_forget(g);
    g->rounds.open = false;
    g->rounds.off = true;
}

static pav_status record_round(gpu *g, gpu_tape *t)
{
    OWNED_NEW(gpu_call, call, t->launches);
    int64_t count = 0;

    for (int64_t at = 0; at < t->length;)
        call[count++] = next_call(t, &at);
    const pav_status status = g->ops->record(g, call, count, &t->graph);
    g->rounds.counts.graphs += status == PAV_OK;
    return status;
}

/* Replays a round seen before. If no graph can be made, graphs are given up and the queue
 * is launched normally. */
static pav_status replay(gpu *g, gpu_tape *t)
{
    gpu_tapes *r = &g->rounds;

    r->strangers = 0;
    t->used = ++r->clock;
    if (!t->graph && record_round(g, t) != PAV_OK) {
        const pav_status status = rounds_flush(g);
        give_up(g);
        return status;
    }
    r->counts.replays++;
    r->counts.replayed += t->launches;
    nothing_waits(g);
    TRY(send_ring(g));
    return g->ops->replay(g, t->graph);
}

/* Stores the round in place of the least recently used one. */
static void keep(gpu *g)
{
    gpu_tapes *r = &g->rounds;
    gpu_tape *oldest = &r->tape[0];

    for (int k = 1; k < GPU_TAPES; k++)
        if (r->tape[k].used < oldest->used)
            oldest = &r->tape[k];
    erase(g, oldest);
    oldest->bytes = mem_new(r->now.length, 1);
    if (!oldest->bytes)
        return;
    memcpy(oldest->bytes, r->now.bytes, (size_t)r->now.length);
    oldest->length = r->now.length;
    oldest->launches = r->now.launches;
    oldest->used = ++r->clock;
}

pav_status gpu_step(gpu *g, int64_t period)
{
    gpu_tapes *r = &g->rounds;
    const bool was_open = r->open;

    r->open = !r->off;
    if (!was_open || r->off) {
        g->ring.at = 0;
        return PAV_OK;
    }
    r->steps++;
    const bool enough = r->now.launches >= ENOUGH ||
                        r->now.launches >= STEP_ENOUGH * r->steps;
    if (!enough || r->steps % period != 0)
        return PAV_OK;
    for (int k = 0; k < GPU_TAPES; k++) {
        gpu_tape *t = &r->tape[k];
        if (t->bytes && t->length == r->now.length &&
            memcmp(t->bytes, r->now.bytes, (size_t)t->length) == 0)
            return replay(g, t);
    }
    if (r->strangers++ < MOST_STRANGERS)
        keep(g);
    const pav_status status = rounds_flush(g);
    if (r->strangers > MOST_STRANGERS)
        give_up(g);
    return status;
}

/* ---- timing ------------------------------------------------------------------------ */

/* Times a kernel by a series of identical launches. Launching takes longer than a kernel
 * of a few microseconds, so marks around one launch would measure the launch. If
 * possible, the series is a graph, like repeated rounds. */

enum { BEGUN = GPU_MARKS - 2, DONE };

static pav_status record_series(gpu *g, const gpu_call *call, int64_t launches,
                                gpu_graph **graph)
{
    OWNED_NEW(gpu_call, row, launches);

    for (int64_t k = 0; k < launches; k++)
        row[k] = *call;
    return g->ops->record(g, row, launches, graph);
}

/* graph: NULL to launch one by one. */
static pav_status go(gpu *g, const gpu_call *call, int64_t launches, gpu_graph *graph)
{
    g->rounds.counts.timed += launches;
    if (graph)
        return g->ops->replay(g, graph);
    for (int64_t k = 0; k < launches; k++)
        TRY(g->ops->launch(g, call));
    return PAV_OK;
}

/* Times the second of two series, because a GPU runs the first one slower. */
static pav_status time_second(gpu *g, const gpu_call *call, int64_t launches,
                              gpu_graph *graph, double *seconds)
{
    TRY(go(g, call, launches, graph));
    TRY(gpu_mark(g, BEGUN));
    TRY(go(g, call, launches, graph));
    TRY(gpu_mark(g, DONE));
    TRY(gpu_seconds(g, BEGUN, DONE, seconds));
    *seconds /= (double)launches;
    return PAV_OK;
}

pav_status gpu_time_row(gpu *g, const gpu_call *call, int64_t launches, double *seconds)
{
    gpu_graph *graph = NULL;

    TRY(check_call(g, call));
    TRY(rounds_flush(g));
    TRY(send_ring(g));
    if (!g->rounds.off && record_series(g, call, launches, &graph) != PAV_OK)
        graph = NULL;
    const pav_status status = time_second(g, call, launches, graph, seconds);
    if (graph)
        g->ops->forget(g, graph);
    return status;
}

/* ---- modules ----------------------------------------------------------------------- */

static pthread_mutex_t lists = PTHREAD_MUTEX_INITIALIZER; /* of modules, of all GPUs */

pav_status gpu_module_open(gpu *g, const char *source, int64_t length, unsigned how,
                           gpu_module **result)
{
    gpu_module *m;

    *result = NULL;
    TRY(g->ops->compile(g, source, length, how, &m));
    LOCKED(&lists);
    m->owner = g;
    m->next = g->modules;
    *result = g->modules = m;
    return PAV_OK;
}

void gpu_module_close(gpu_module *m)
{
    if (!m)
        return;
    (void)rounds_flush(m->owner);
    rounds_forget(m->owner);
    (void)pthread_mutex_lock(&lists);
    gpu_module **at = &m->owner->modules;
    while (*at && *at != m)
        at = &(*at)->next;
    if (*at)
        *at = m->next;
    (void)pthread_mutex_unlock(&lists);
    constants_close(m);
    m->owner->ops->discard(m);
}

const char *gpu_module_note(const gpu_module *m)
{
    return m->owner->ops->note(m);
}

gpu_kernel *gpu_module_find(gpu_module *m, const char *name)
{
    gpu_kernel *k = m->owner->ops->find(m, name);

    if (k) {
        k->module = m;
        (void)snprintf(k->name, sizeof k->name, "%s", name);
    }
    return k;
}

/* ---- calls ------------------------------------------------------------------------- */

int64_t gpu_cooperative_blocks(const gpu_kernel *k, int threads, int64_t shared)
{
    return k->module->owner->ops->cooperative_blocks(k, threads, shared);
}

static bool has_blocks(const gpu_call *call)
{
    return call->blocks[0] > 0 && call->blocks[1] > 0 && call->blocks[2] > 0;
}

pav_status gpu_launch(gpu *g, const gpu_call *call)
{
    TRY(check_call(g, call));
    return has_blocks(call) ? rounds_add(g, call) : PAV_OK;
}

pav_status gpu_wait(gpu *g)
{
    TRY(rounds_flush(g));
    return g->ops->wait(g);
}

pav_status gpu_share(gpu *g, void *memory, int *number)
{
    *number = g->number;
    TRY(rounds_flush(g));
    return g->ops->share(g, memory);
}

/* ---- time -------------------------------------------------------------------------- */

static pav_status check_mark(const gpu *g, int mark)
{
    return mark >= 0 && mark < GPU_MARKS
               ? PAV_OK
               : FAIL(PAV_EINTERNAL, "%s has marks 0 to %d, not %d", g->name,
                      GPU_MARKS - 1, mark);
}

pav_status gpu_mark(gpu *g, int mark)
{
    TRY(check_mark(g, mark));
    TRY(rounds_flush(g));
    return g->ops->mark(g, mark);
}

pav_status gpu_seconds(gpu *g, int from, int to, double *seconds)
{
    *seconds = 0;
    TRY(check_mark(g, from));
    TRY(check_mark(g, to));
    TRY(rounds_flush(g));
    return g->ops->seconds(g, from, to, seconds);
}

/* ---- kernels reading the memory of another GPU ------------------------------------- */

bool gpu_reads(gpu *g, gpu *other)
{
    return g->ops == other->ops && g->ops->reads && g->ops->reads(g, other);
}

pav_status gpu_launch_reading(gpu *g, gpu *other, const gpu_call *call)
{
    TRY(check_call(g, call));
    if (!has_blocks(call))
        return PAV_OK;
    TRY(rounds_flush(g));
    TRY(rounds_flush(other));
    return g->ops->launch_reading(g, other, call);
}

/* ---- the second queue, concurrent with the first: halo exchange -------------------- */

pav_status gpu_concurrent(gpu *g, gpu_concurrent_step step)
{
    if (!g->ops->concurrent)
        return PAV_OK;
    TRY(rounds_flush(g));
    return g->ops->concurrent(g, step);
}

pav_status gpu_join(gpu *g, gpu *other)
{
    if (!g->ops->join || g->ops != other->ops)
        return PAV_OK;
    TRY(rounds_flush(g));
    return g->ops->join(g, other);
}
