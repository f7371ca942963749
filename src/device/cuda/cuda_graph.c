/* SPDX-License-Identifier: BSD-3-Clause */
/* CUDA graphs: several launches recorded as one graph. On small grids a launch costs more
 * than its kernel, and a graph launches all kernels at once. */
#include "device/cuda/cuda_private.h"

/* Records the launches: a stream in capture mode stores them without running them. */
static cu_result capture(const cuda *c, const gpu_call *call, int64_t count,
                         cu_graph *graph)
{
    cu_result code = c->driver->capture(c->stream, CU_OWN_THREAD);

    if (code != CU_DONE)
        return code;
    for (int64_t k = 0; k < count && code == CU_DONE; k++)
        code = cuda_start(c, &call[k]);
    const cu_result ended = c->driver->capture_end(c->stream, graph);
    return code == CU_DONE ? ended : code;
}

pav_status cuda_record(gpu *g, const gpu_call *call, int64_t count, gpu_graph **result)
{
    const cuda *c = cuda_of(g);
    cu_graph graph = NULL;
    cu_graph_exec exec = NULL;

    if (!c->driver->capture)
        return FAIL(PAV_EUNSUPPORTED, "the NVIDIA driver knows no graphs; update it");
    TRY(cuda_enter(c));
    cu_result code = capture(c, call, count, &graph);
    if (code == CU_DONE)
        code = c->driver->exec_new(&exec, graph, 0);
    if (graph)
        (void)c->driver->graph_free(graph);
    *result = (gpu_graph *)(void *)exec;
    return cuda_leave(c, code, "making a graph");
}

pav_status cuda_replay(gpu *g, gpu_graph *graph)
{
    const cuda *c = cuda_of(g);

    TRY(cuda_enter(c));
    return cuda_leave(c, c->driver->exec_launch((cu_graph_exec)(void *)graph, c->stream),
                      "starting a graph");
}

void cuda_forget(gpu *g, gpu_graph *graph)
{
    const cuda *c = cuda_of(g);

    if (cuda_enter(c) == PAV_OK)
        (void)cuda_leave(c, c->driver->exec_free((cu_graph_exec)(void *)graph),
                         "giving a graph back");
}
