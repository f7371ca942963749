/* SPDX-License-Identifier: BSD-3-Clause */
/* Places of a run: the kinds of devices, and the answers of GPUs and of the host to the
 * same questions. */
#include <stdio.h>
#include <string.h>

#include "exec/gpu/gpu.h"
#include "exec/place/place.h"

/* ---- kinds ------------------------------------------------------------------------- */

place_kind place_kind_of(const pav_device *device)
{
    return !device                 ? PLACE_INTERPRETER
           : device->ops->compiled ? PLACE_PROCESSORS
           : device->ops->gpu      ? PLACE_GPU
                                   : PLACE_INTERPRETER;
}

bool place_has_schedules(const pav_device *device)
{
    return place_kind_of(device) != PLACE_INTERPRETER;
}

schedule_place place_schedules(const pav_device *device, const char *name)
{
    return (schedule_place){.gpu = place_kind_of(device) == PLACE_GPU, .name = name};
}

/* ---- a place ----------------------------------------------------------------------- */

bool place_has_memory(const exec_place *p)
{
    return p && p->executor;
}

/* ---- opening ----------------------------------------------------------------------- */

pav_status place_open(exec_place *p, exec_client *client, subdomain *part,
                      const place_source *from)
{
    p->kind = from->set ? PLACE_GPU : place_kind_of(from->device);
    p->executor = NULL;
    return p->kind == PLACE_GPU ? gpurun_open(client, part, from, &p->executor) : PAV_OK;
}

pav_status place_compile(const exec_place *p)
{
    return p->executor ? gpurun_compile(p->executor) : PAV_OK;
}

/* ---- the machine and its memory ---------------------------------------------------- */

static const gpu_facts *facts_of(const exec_place *p)
{
    return gpu_facts_of(executor_gpu(p->executor));
}

machine_facts place_machine(const exec_place *p, int threads)
{
    const cpu_facts cpu = {threads, host_cache(0), host_cache(2), cpu_vector_bytes()};
    return p->executor ? machine_of_gpu(facts_of(p)) : machine_of_cpu(&cpu);
}

int64_t place_caches(const exec_place *p, int threads)
{
    if (!p->executor)
        return host_caches(threads);
    const machine_facts m = machine_of_gpu(facts_of(p));
    return machine_last_cache(&m);
}

int64_t place_free_memory(const exec_place *p, int runs)
{
    if (!p->executor)
        return mem_available();
    const gpu *g = executor_gpu(p->executor);
    const int64_t all = gpu_free_memory(g);
    const int64_t share = facts_of(p)->memory / int_most(runs, 1) - gpu_used_memory(g);
    return runs < 2 ? all : share < 0 ? 0 : int64_least(share, all);
}

bool place_has_hosts_memory(const exec_place *p)
{
    return !p->executor || facts_of(p)->emulated;
}

const gpu_exchange_time *place_exchange_times(const exec_place *p, int64_t *count)
{
    *count = 0;
    return p->executor ? gpu_exchange_times(executor_gpu(p->executor), count) : NULL;
}

pav_status place_pin(const exec_place *p, void *memory, int64_t bytes)
{
    return p->executor ? gpu_pin(executor_gpu(p->executor), memory, bytes) : PAV_OK;
}

void place_unpin(const exec_place *p, void *memory)
{
    if (p->executor)
        gpu_unpin(executor_gpu(p->executor), memory);
}

/* ---- schedules --------------------------------------------------------------------- */

pav_status place_choose(const exec_place *p)
{
    return p->executor ? gpurun_choose(p->executor) : PAV_OK;
}

pav_status place_forecast(const exec_place *p, int64_t stage, stage_forecast *f)
{
    return p->executor ? gpu_forecast_stage(gpurun_of(p->executor), stage, f) : PAV_OK;
}

pav_status place_launches(const exec_place *p, const schedule *requested,
                          launch_list *list)
{
    list->count = 0;
    if (!p->executor)
        return PAV_OK;
    const gpurun *g = gpurun_of(p->executor);
    return requested ? gpu_fused_requested(g, requested, list->launch, &list->count)
                     : gpu_fused_candidates(g, 0, list->launch, &list->count);
}

pav_status place_find_launch(const exec_place *p, schedule *requested,
                             emit_gpu_fused *what)
{
    if (!p->executor)
        return FAIL(PAV_EUNSUPPORTED, "processors have no launches");
    gpu_fused_suit(gpurun_of(p->executor), requested);
    return gpu_fused_find(gpurun_of(p->executor), requested, what);
}
