/* SPDX-License-Identifier: BSD-3-Clause */
/* Copies concurrent with kernels. A GPU may make them at any time between the beginning
 * and the end of an exchange. Here half of them are made at once and the others at the
 * end; $PAV_EMULATED_ORDER chooses the half. */
#include <stdlib.h>
#include <string.h>

#include "device/emulated/emulated_private.h"

static bool is_early(const emulated_gpu *g, int64_t n)
{
    uint64_t mixed = (settings_emulated_order() + 1) * UINT64_C(0x9e3779b97f4a7c15) +
                     (uint64_t)(31 * g->exchanges + n) * UINT64_C(0xd1342543de82ef95);
    return (mixed ^ mixed >> 29) >> 32 & 1;
}

static pav_status copy(gpu *g, const gpu_transfer *t)
{
    if (t->bytes == 0)
        return PAV_OK;
    return t->up ? g->ops->upload(g, t->there, t->here, t->bytes)
                 : g->ops->download(g, t->here, t->there, t->bytes);
}

static pav_status copy_some(gpu *base, bool early)
{
    emulated_gpu *g = emulated_of(base);
    for (int64_t n = 0; n < g->transfers; n++)
        if (is_early(g, n) == early)
            TRY(copy(base, &g->transfer[n]));
    return PAV_OK;
}

pav_status emulated_exchange(gpu *base, const gpu_transfer *list, int64_t count)
{
    emulated_gpu *g = emulated_of(base);
    const double now = clock_seconds();
    g->transfer = list;
    g->transfers = count;
    if (g->exchanges++ == 0)
        g->first_exchange = now;
    g->exchange.begun = now - g->first_exchange;
    return copy_some(base, true);
}

pav_status emulated_exchanged(gpu *base)
{
    emulated_gpu *g = emulated_of(base);
    g->exchange.work = clock_seconds() - g->first_exchange;
    TRY(copy_some(base, false));
    g->exchange.up = g->exchange.down = clock_seconds() - g->first_exchange;
    exchange_note(base, g->exchange);
    return PAV_OK;
}

/* $PAV_EMULATED_PIN=0 refuses pinning, like a system with a low limit of locked
 * memory. */
pav_status emulated_pin(gpu *g, void *here, int64_t bytes)
{
    const char *allowed = getenv("PAV_EMULATED_PIN");
    (void)here;
    return allowed && strcmp(allowed, "0") == 0
               ? FAIL(PAV_ENOMEM, "pinning %lld bytes of memory failed on %s",
                      (long long)bytes, g->name)
               : PAV_OK;
}

void emulated_unpin(gpu *g, void *here)
{
    (void)g, (void)here;
}
