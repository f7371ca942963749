/* SPDX-License-Identifier: BSD-3-Clause */
/* Graphs of the emulated GPU: launches, kept with their arguments. */
#include <string.h>

#include "device/emulated/emulated_private.h"

struct gpu_graph {
    int64_t count;
    gpu_call *call;
    char *arguments;
};

static void copy(gpu_graph *graph, const gpu_call *call)
{
    char *at = graph->arguments;

    for (int64_t k = 0; k < graph->count; k++) {
        memcpy(at, call[k].argument, (size_t)call[k].argument_bytes);
        graph->call[k] = call[k];
        graph->call[k].argument = at;
        at += call[k].argument_bytes;
    }
}

pav_status emulated_record(gpu *g, const gpu_call *call, int64_t count,
                           gpu_graph **result)
{
    gpu_graph *graph = mem_new(1, sizeof *graph);
    int64_t bytes = 0;

    if (!graph)
        return PAV_ENOMEM;
    for (int64_t k = 0; k < count; k++)
        bytes += call[k].argument_bytes;
    *graph = (gpu_graph){count, mem_new(count, sizeof *call), mem_new(bytes, 1)};
    if (!graph->call || !graph->arguments) {
        emulated_forget(g, graph);
        return PAV_ENOMEM;
    }
    copy(graph, call);
    *result = graph;
    return PAV_OK;
}

pav_status emulated_replay(gpu *g, gpu_graph *graph)
{
    for (int64_t k = 0; k < graph->count; k++)
        TRY(g->ops->launch(g, &graph->call[k]));
    return PAV_OK;
}

void emulated_forget(gpu *g, gpu_graph *graph)
{
    (void)g;
    mem_free(graph->call);
    mem_free(graph->arguments);
    mem_free(graph);
}
