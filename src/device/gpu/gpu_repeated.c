/* SPDX-License-Identifier: BSD-3-Clause */
/* A row of launches of the same, to be timed. One launch of a few microseconds takes less
 * than to ask for it, so that its marks would measure the asking. A row goes out as
 * launches that come again do (gpu_rounds.c): as a graph. */
#include "device/device_private.h"

enum { BEGUN = GPU_MARKS - 2, DONE };

static pav_status record(gpu *g, const gpu_call *call, int64_t launches,
                         gpu_graph **graph)
{
    gpu_call *row = mem_new(launches, sizeof *row);

    if (!row)
        return PAV_ENOMEM;
    for (int64_t k = 0; k < launches; k++)
        row[k] = *call;
    const pav_status status = g->ops->record(g, row, launches, graph);
    mem_free(row);
    return status;
}

/* graph: NULL where there is none. */
static pav_status go(gpu *g, const gpu_call *call, int64_t launches, gpu_graph *graph)
{
    g->rounds.counts.timed += launches;
    if (graph)
        return g->ops->replay(g, graph);
    for (int64_t k = 0; k < launches; k++)
        TRY(g->ops->launch(g, call));
    return PAV_OK;
}

/* What is new to a GPU takes longer the first time. */
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

    TRY(gpu_check_call(g, call));
    TRY(rounds_flush(g));
    TRY(argument_ring_send(g));
    if (!g->rounds.off && record(g, call, launches, &graph) != PAV_OK)
        graph = NULL;
    const pav_status status = time_second(g, call, launches, graph, seconds);
    if (graph)
        g->ops->forget(g, graph);
    return status;
}
