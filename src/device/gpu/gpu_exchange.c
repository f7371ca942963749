/* SPDX-License-Identifier: BSD-3-Clause */
/* Copies between host and GPU concurrent with kernels. */
#include <string.h>

#include "device/device_private.h"

enum { MOST_TIMES = 1 << 20 };

pav_status gpu_exchange_begin(gpu *g, const gpu_transfer *list, int64_t count)
{
    if (g->exchanges.open)
        return FAIL(PAV_EINTERNAL, "an exchange with %s begins within another", g->name);
    for (int64_t n = 0; n < count; n++)
        TRY(gpu_check_range(g, list[n].there, list[n].bytes));
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
static bool has_room(gpu_exchanges *e)
{
    if (e->count < e->room)
        return true;
    const int64_t room = e->room ? 2 * e->room : 256;
    gpu_exchange_time *grown = room <= MOST_TIMES ? mem_new(room, sizeof *grown) : NULL;
    if (!grown)
        return false;
    if (e->count > 0)
        memcpy(grown, e->time, (size_t)e->count * sizeof *grown);
    mem_free(e->time);
    e->time = grown;
    e->room = room;
    return true;
}

void exchange_note(gpu *g, gpu_exchange_time t)
{
    if (has_room(&g->exchanges))
        g->exchanges.time[g->exchanges.count++] = t;
}

const gpu_exchange_time *gpu_exchange_times(gpu *g, int64_t *count)
{
    if (g->ops->exchange_rest)
        g->ops->exchange_rest(g);
    *count = g->exchanges.count;
    return g->exchanges.time;
}

void exchanges_close(gpu *g)
{
    mem_free(g->exchanges.time);
    g->exchanges = (gpu_exchanges){0};
}
