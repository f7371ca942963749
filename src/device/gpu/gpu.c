/* SPDX-License-Identifier: BSD-3-Clause */
/* Memory of GPUs, real or emulated. Every block is recorded, so copies stay inside
 * blocks, and closing a GPU frees all blocks. */
#include <stdio.h>

#include "device/device_private.h"

typedef struct gpu_piece gpu_piece;
struct gpu_piece {
    gpu_piece *next;
    char *at;
    int64_t bytes;
};

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
    exchanges_close(g);
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

int64_t gpu_peak_memory(const gpu *g)
{
    return g->peak;
}

static pav_status refuse(const gpu *g, int64_t bytes, const char *what)
{
    text t = {0};

    text_add(&t, "%s needs ", what);
    text_add_bytes_size(&t, bytes);
    text_add(&t, " of memory on %s, of which ", g->name);
    text_add_bytes_size(&t, gpu_free_memory(g));
    text_add(&t, " are free and ");
    text_add_bytes_size(&t, g->used);
    text_add(&t, " taken by this program; use a smaller grid, narrower fields, or "
                 "--device cpu");
    const pav_status status = FAIL(PAV_ENOMEM, "%s", t.failed ? what : t.data);
    text_free(&t);
    return status;
}

static pav_status take(gpu *g, int64_t bytes, const char *what, gpu_piece *piece)
{
    void *memory;
    const pav_status status = g->ops->take(g, bytes, &memory);

    if (status == PAV_ENOMEM)
        return refuse(g, bytes, what);
    TRY(status);
    *piece = (gpu_piece){.next = g->pieces, .at = memory, .bytes = bytes};
    g->pieces = piece;
    g->used += bytes;
    g->peak = g->used > g->peak ? g->used : g->peak;
    return PAV_OK;
}

pav_status gpu_take(gpu *g, int64_t bytes, const char *what, void **memory)
{
    gpu_piece *piece = mem_new(1, sizeof *piece);
    pav_status status = PAV_ENOMEM;

    *memory = NULL;
    if (piece)
        status = take(g, bytes > 0 ? bytes : 1, what, piece);
    if (status == PAV_OK)
        *memory = piece->at;
    else
        mem_free(piece);
    return status;
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

/* Checks that the whole range lies in one block. */
pav_status gpu_check_range(const gpu *g, const void *memory, int64_t bytes)
{
    const uintptr_t at = (uintptr_t)memory;

    for (const gpu_piece *p = g->pieces; p && bytes >= 0; p = p->next) {
        const uintptr_t begin = (uintptr_t)p->at;
        if (at >= begin && at - begin <= (uintptr_t)p->bytes &&
            bytes <= p->bytes - (int64_t)(at - begin))
            return PAV_OK;
    }
    return FAIL(PAV_EINTERNAL, "%lld bytes at %p were not taken on %s", (long long)bytes,
                memory, g->name);
}

pav_status gpu_fill(gpu *g, void *memory, int byte, int64_t bytes)
{
    TRY(gpu_check_range(g, memory, bytes));
    TRY(rounds_flush(g));
    return bytes > 0 ? g->ops->fill(g, memory, byte, bytes) : PAV_OK;
}

pav_status gpu_upload(gpu *g, void *to, const void *from, int64_t bytes)
{
    TRY(gpu_check_range(g, to, bytes));
    TRY(rounds_flush(g));
    return bytes > 0 ? g->ops->upload(g, to, from, bytes) : PAV_OK;
}

pav_status gpu_send(gpu *g, void *to, const void *from, int64_t bytes)
{
    TRY(gpu_check_range(g, to, bytes));
    TRY(rounds_flush(g));
    for (int64_t at = 0; at < bytes; at += GPU_SEND) {
        const int64_t left = bytes - at, now = left < GPU_SEND ? left : GPU_SEND;
        TRY(g->ops->send(g, (char *)to + at, (const char *)from + at, now));
    }
    return PAV_OK;
}

pav_status gpu_download(gpu *g, void *to, const void *from, int64_t bytes)
{
    TRY(gpu_check_range(g, from, bytes));
    TRY(rounds_flush(g));
    return bytes > 0 ? g->ops->download(g, to, from, bytes) : PAV_OK;
}

pav_status gpu_copy(gpu *g, void *to, const void *from, int64_t bytes)
{
    TRY(gpu_check_range(g, to, bytes));
    TRY(gpu_check_range(g, from, bytes));
    TRY(rounds_flush(g));
    return bytes > 0 ? g->ops->copy(g, to, from, bytes) : PAV_OK;
}
