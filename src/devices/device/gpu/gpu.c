/* SPDX-License-Identifier: BSD-3-Clause */
/* Memory of GPUs, real or emulated, and copies to and from it. Every block is recorded,
 * so copies stay inside blocks, and closing a GPU frees all blocks. */
#include <stdio.h>

#include "device/device_private.h"

typedef struct gpu_piece {
    struct gpu_piece *next;
    char *at;
    int64_t bytes;
} gpu_piece;

/* ---- opening and closing ----------------------------------------------------------- */

pav_status gpu_open(const pav_device *device, gpu **result)
{
    const gpu_ops *ops = device->ops->gpu;
    gpu *g;

    *result = NULL;
    if (!ops)
        return FAIL(PAV_EINVAL, "the device %s is no GPU", device->name);
    TRY(ops->open(device->number, &g));
    g->ops = ops;
    g->number = g->facts.emulated ? -1 : device->number;
    g->rounds.off = !ops->record || !settings_graphs();
    (void)snprintf(g->name, sizeof g->name, "%s", device->name);
    g->facts.no_tensors = gpu_tensor_refusal(g);
    *result = g;
    return PAV_OK;
}

void gpu_close(gpu *g)
{
    if (!g)
        return;
    rounds_forget(g);
    while (g->modules)
        gpu_module_close(g->modules);
    while (g->pieces)
        gpu_release(g, g->pieces->at);
    argument_ring_close(g);
    mem_free(g->exchanges.time);
    g->ops->close(g);
}

const gpu_facts *gpu_facts_of(const gpu *g)
{
    return &g->facts;
}

const char *gpu_name(const gpu *g)
{
    return g->name;
}

/* ---- memory ------------------------------------------------------------------------ */

int64_t gpu_free_memory(const gpu *g)
{
    return g->ops->free_memory(g);
}

int64_t gpu_used_memory(const gpu *g)
{
    return g->used;
}

static pav_status refuse(const gpu *g, int64_t bytes, const char *what)
{
    OWNED_BY(text_free) text t = {0};

    text_add_values(&t,
                    "%s needs %z of memory on %s, of which %z are free and %z taken by "
                    "this program; use a smaller grid, narrower fields, or --device cpu",
                    what, bytes, g->name, gpu_free_memory(g), g->used);
    return FAIL(PAV_ENOMEM, "%s", t.failed ? what : t.data);
}

pav_status gpu_take(gpu *g, int64_t bytes, const char *what, void **memory)
{
    void *at;

    *memory = NULL;
    OWNED_NEW(gpu_piece, piece, 1);
    bytes = bytes > 0 ? bytes : 1;
    const pav_status status = g->ops->take(g, bytes, &at);
    if (status != PAV_OK)
        return status == PAV_ENOMEM ? refuse(g, bytes, what) : status;
    *piece = (gpu_piece){.next = g->pieces, .at = at, .bytes = bytes};
    *memory = at;
    g->pieces = mem_hand_over(&piece);
    g->used += bytes;
    return PAV_OK;
}

void gpu_release(gpu *g, void *memory)
{
    gpu_piece **at = &g->pieces;

    while (*at && (*at)->at != memory)
        at = &(*at)->next;
    gpu_piece *piece = *at;
    if (!piece)
        return;
    (void)rounds_flush(g); /* the next wait reports a failure */
    *at = piece->next;
    g->used -= piece->bytes;
    g->ops->give(g, memory);
    mem_free(piece);
}

/* ---- operations on memory ---------------------------------------------------------- */

/* Checks that the whole range lies in one block, and starts all recorded work. */
static pav_status reach(gpu *g, const void *memory, int64_t bytes)
{
    for (const gpu_piece *p = g->pieces; p && bytes >= 0; p = p->next)
        if (block_holds(p->at, p->bytes, memory, bytes))
            return rounds_flush(g);
    return FAIL(PAV_EINTERNAL, "%lld bytes at %p were not taken on %s", (long long)bytes,
                memory, g->name);
}

pav_status gpu_fill(gpu *g, void *memory, int byte, int64_t bytes)
{
    TRY(reach(g, memory, bytes));
    return bytes > 0 ? g->ops->fill(g, memory, byte, bytes) : PAV_OK;
}

pav_status gpu_upload(gpu *g, void *to, const void *from, int64_t bytes)
{
    TRY(reach(g, to, bytes));
    return bytes > 0 ? g->ops->upload(g, to, from, bytes) : PAV_OK;
}

pav_status gpu_send(gpu *g, void *to, const void *from, int64_t bytes)
{
    TRY(reach(g, to, bytes));
    for (int64_t at = 0; at < bytes; at += GPU_SEND) {
        const int64_t left = bytes - at, now = left < GPU_SEND ? left : GPU_SEND;
        TRY(g->ops->send(g, (char *)to + at, (const char *)from + at, now));
    }
    return PAV_OK;
}

pav_status gpu_download(gpu *g, void *to, const void *from, int64_t bytes)
{
    TRY(reach(g, from, bytes));
    return bytes > 0 ? g->ops->download(g, to, from, bytes) : PAV_OK;
}

pav_status gpu_copy(gpu *g, void *to, const void *from, int64_t bytes)
{
    TRY(reach(g, to, bytes));
    TRY(reach(g, from, bytes));
    return bytes > 0 ? g->ops->copy(g, to, from, bytes) : PAV_OK;
}

/* ---- copies concurrent with kernels ------------------------------------------------ */

enum { MOST_TIMES = 1 << 20 };

pav_status gpu_exchange_begin(gpu *g, const gpu_transfer *list, int64_t count)
{
    if (g->exchanges.open)
        return FAIL(PAV_EINTERNAL, "an exchange with %s begins within another", g->name);
    for (int64_t n = 0; n < count; n++)
        TRY(reach(g, list[n].there, list[n].bytes));
    TRY(rounds_flush(g));
    g->exchanges.open = true;
    return g->ops->exchange(g, list, count);
}

pav_status gpu_exchange_end(gpu *g)
{
    if (!g->exchanges.open)
        return PAV_OK;
    TRY(rounds_flush(g));
    g->exchanges.open = false;
    return g->ops->exchanged(g);
}

pav_status gpu_pin(gpu *g, void *here, int64_t bytes)
{
    return bytes > 0 ? g->ops->pin(g, here, bytes) : PAV_OK;
}

void gpu_unpin(gpu *g, void *here)
{
    if (here)
        g->ops->unpin(g, here);
}

/* ---- times ------------------------------------------------------------------------- */

/* If memory runs out, or there are more than MOST_TIMES, later times are dropped. */
void exchange_note(gpu *g, gpu_exchange_time t)
{
    gpu_exchanges *e = &g->exchanges;

    if (e->count < MOST_TIMES &&
        mem_reserve(&e->time, &e->room, e->count, sizeof *e->time) == PAV_OK)
        e->time[e->count++] = t;
}

const gpu_exchange_time *gpu_exchange_times(gpu *g, int64_t *count)
{
    if (g->ops->exchange_rest)
        g->ops->exchange_rest(g);
    *count = g->exchanges.count;
    return g->exchanges.time;
}

/* ---- box copies -------------------------------------------------------------------- */

/* Regions of a GPU's memory for box copies by the tensor memory accelerator. All devices
 * have the same rules for a region. They are checked here for a message with numbers; a
 * driver reports only "invalid value". */

const char *gpu_tensor_refusal(const gpu *g)
{
    return !gpu_facts_architecture(&g->facts)->tensor_copies
               ? "only GPUs from sm_90 on have a tensor memory accelerator"
           : g->ops->no_tensors ? g->ops->no_tensors(g)
                                : NULL;
}

pav_status gpu_map_tensor(gpu *g, const gpu_tensor_region *p, gpu_map *map)
{
    const char *why = gpu_tensor_refusal(g);

    if (why)
        return FAIL(PAV_EUNSUPPORTED, "%s: %s", g->name, why);
    const int64_t at = (int64_t)(uintptr_t)p->data;
    if (at % GPU_TENSOR_UNIT != 0 || p->stride[1] % GPU_TENSOR_UNIT != 0 ||
        p->stride[2] % GPU_TENSOR_UNIT != 0 || (p->stride[0] != 4 && p->stride[0] != 8))
        return FAIL(PAV_EINTERNAL,
                    "words of %lld bytes, rows of %lld and planes of %lld from %lld on "
                    "are not those of words of 4 or 8 bytes and multiples of %d bytes",
                    (long long)p->stride[0], (long long)p->stride[1],
                    (long long)p->stride[2], (long long)at, GPU_TENSOR_UNIT);
    for (int axis = 0; axis < 3; axis++)
        if (p->count[axis] < 1 || p->count[axis] > UINT32_MAX)
            return FAIL(PAV_ELIMIT,
                        "the tensor memory accelerator knows 1 to %lld words along %c, "
                        "and not %lld",
                        (long long)UINT32_MAX, "xyz"[axis], (long long)p -> count[axis]);
    bool good = p->box[0] * p->stride[0] % GPU_TENSOR_UNIT == 0;
    for (int axis = 0; axis < 3; axis++)
        good = good && p->box[axis] >= 1 && p->box[axis] <= GPU_TENSOR_BOX;
    TRY(good ? PAV_OK
             : FAIL(PAV_EINTERNAL,
                    "a box of %d x %d x %d words of %lld bytes is not 1 to %d along "
                    "each axis, and multiples of %d bytes along x",
                    p->box[0], p->box[1], p->box[2], (long long)p->stride[0],
                    GPU_TENSOR_BOX, GPU_TENSOR_UNIT));
    return g->ops->map_tensor(g, p, map);
}
