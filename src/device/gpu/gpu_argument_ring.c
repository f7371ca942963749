/* SPDX-License-Identifier: BSD-3-Clause */
/* Small inputs of launches: argument bytes for the next launch, and variables in constant
 * memory. Neither makes the host wait.
 *
 * The bytes lie in a ring in the GPU's memory. Places are assigned in order, starting
 * anew with each round of launches (gpu_rounds.c). So in a repeated round every launch
 * finds its bytes at the same address, even if the bytes differ: the round is the same
 * and can be replayed as a graph. The host knows the ring's contents and sends only the
 * changed range, in one copy before the waiting launches. */
#include <stdio.h>
#include <string.h>

#include "device/device_private.h"

enum { ROOM = GPU_SEND, APART = 16 };

/* ---- the argument ring ------------------------------------------------------------- */

static pav_status open_argument_ring(gpu *g)
{
    gpu_argument_ring *l = &g->ring;

    if (l->there)
        return PAV_OK;
    l->here = mem_new(ROOM, 1);
    if (!l->here)
        return PAV_ENOMEM;
    l->lo = ROOM;
    return g->ops->take(g, ROOM, (void **)&l->there);
}

void argument_ring_close(gpu *g)
{
    if (g->ring.there)
        g->ops->give(g, g->ring.there);
    mem_free(g->ring.here);
    g->ring = (gpu_argument_ring){0};
}

void argument_ring_begin(gpu *g)
{
    g->ring.at = 0;
}

pav_status argument_ring_send(gpu *g)
{
    gpu_argument_ring *l = &g->ring;
    const int64_t lo = l->lo, bytes = l->hi - l->lo;

    if (bytes <= 0)
        return PAV_OK;
    l->lo = ROOM;
    l->hi = 0;
    return g->ops->send(g, l->there + lo, l->here + lo, bytes);
}

/* Stores bytes at the next place. Equal bytes already on the GPU are not sent again. */
static void put(gpu_argument_ring *l, const void *from, int64_t bytes)
{
    if (l->at + bytes > l->known || memcmp(l->here + l->at, from, (size_t)bytes) != 0) {
        memcpy(l->here + l->at, from, (size_t)bytes);
        l->lo = l->at < l->lo ? l->at : l->lo;
        l->hi = l->at + bytes > l->hi ? l->at + bytes : l->hi;
    }
    l->known = l->at + bytes > l->known ? l->at + bytes : l->known;
    l->at += (bytes + APART - 1) / APART * APART;
}

pav_status gpu_argument_ring_put(gpu *g, const void *from, int64_t bytes, const void **at)
{
    gpu_argument_ring *l = &g->ring;

    *at = NULL;
    if (bytes < 0 || bytes > GPU_MOST_ARGUMENT)
        return FAIL(PAV_EINTERNAL, "launches take up to %d bytes, not %lld",
                    GPU_MOST_ARGUMENT, (long long)bytes);
    TRY(open_argument_ring(g));
    if (l->at + bytes > ROOM) {
        TRY(rounds_flush(g));
        argument_ring_begin(g);
    }
    *at = l->there + l->at;
    put(l, from, bytes);
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
        c->owned = mem_new(c->bytes, 1);
    if (!c->owned)
        return PAV_ENOMEM;
    memcpy(c->owned, from, (size_t)c->bytes);
    TRY(rounds_flush(g));
    return g->ops->send(g, c->address, from, c->bytes);
}

void constants_close(gpu_module *m)
{
    while (m->constants) {
        gpu_constant *next = m->constants->next;
        mem_free(m->constants->owned);
        mem_free(m->constants);
        m->constants = next;
    }
}
