/* SPDX-License-Identifier: BSD-3-Clause */
/* Times a kernel by a series of identical launches. Launching takes longer than a kernel
 * of a few microseconds, so marks around one launch would measure the launch. If
 * possible, the series is a graph, like repeated rounds (gpu_rounds.c). */
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
