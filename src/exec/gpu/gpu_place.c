/* SPDX-License-Identifier: BSD-3-Clause */
/* The operations of place_ops for a GPU (place/place.h). */
#include <stdio.h>

#include "exec/gpu/gpu_private.h"

static const gpurun *const_gpurun(const executor *self)
{
    return (const gpurun *)self;
}

static pav_status compile(executor *self)
{
    return gpurun_compile(gpurun_of(self));
}

static pav_status open_another(const executor *self, subdomain *part)
{
    return gpurun_open_another(const_gpurun(self), part);
}

/* ---- the machine and its memory ---------------------------------------------------- */

static machine_facts machine(const executor *self)
{
    return machine_of_gpu(gpu_facts_of(const_gpurun(self)->gpu));
}

static int64_t free_memory(const executor *self, int others)
{
    const gpu *g = const_gpurun(self)->gpu;
    const int64_t all = gpu_free_memory(g);
    if (others < 2)
        return all;
    const int64_t share = gpu_facts_of(g)->memory / others - gpu_used_memory(g);
    return share < 0 ? 0 : share < all ? share : all;
}

static bool has_hosts_memory(const executor *self)
{
    return gpu_facts_of(const_gpurun(self)->gpu)->emulated;
}

static pav_status rate_of_copying(const executor *self, copy_rate *rate)
{
    return gpu_copy_rate(const_gpurun(self)->gpu, rate);
}

static pav_status link_rates(const executor *self, machine_rates *rate)
{
    return gpu_link_rates(const_gpurun(self)->gpu, rate);
}

static pav_status pin(executor *self, void *memory, int64_t bytes)
{
    return gpu_pin(gpurun_of(self)->gpu, memory, bytes);
}

static void unpin(executor *self, void *memory)
{
    gpu_unpin(gpurun_of(self)->gpu, memory);
}

static const gpu_exchange_time *exchange_times(const executor *self, int64_t *count)
{
    return gpu_exchange_times(const_gpurun(self)->gpu, count);
}

/* ---- schedules --------------------------------------------------------------------- */

static pav_status choose(executor *self)
{
    return gpurun_choose(gpurun_of(self));
}

static const schedule *candidate(const executor *self, int64_t stage, int n)
{
    return gpurun_candidate(const_gpurun(self), stage, n);
}

static pav_status forecast(const executor *self, int64_t stage, stage_forecast *f)
{
    return gpu_forecast_stage(const_gpurun(self), stage, f);
}

static pav_status launches(const executor *self, const schedule *requested,
                           launch_list *list)
{
    return requested
               ? gpu_fused_requested(const_gpurun(self), requested, list->launch,
                                     &list->count)
               : gpu_fused_candidates(const_gpurun(self), 0, list->launch, &list->count);
}

static pav_status fewest(const executor *self, int *steps)
{
    return gpu_fused_fewest(const_gpurun(self), steps);
}

static pav_status make_all(executor *self)
{
    return gpu_choice_make_all(gpurun_of(self));
}

static bool is_complete(const executor *self)
{
    return gpu_choice_is_complete(const_gpurun(self));
}

/* ---- fused launches out of core ---------------------------------------------------- */

static pav_status find_launch(const executor *self, schedule *requested,
                              emit_gpu_fused *what)
{
    gpu_fused_suit(const_gpurun(self), requested);
    return gpu_fused_find(const_gpurun(self), requested, what);
}

static double compiles(const executor *self, const schedule *requested)
{
    return gpu_fused_compiles_in(const_gpurun(self), requested);
}

static pav_status make_launch(executor *self, const schedule *requested, int64_t planes,
                              place_launch **launch)
{
    return gpu_fused_make_visits(gpurun_of(self), requested, planes, launch);
}

static pav_status visit(executor *self, place_launch *launch, const place_visit *v)
{
    return gpu_fused_visit_planes(gpurun_of(self), launch, v);
}

const place_ops gpu_place_ops = {
    .compile = compile,
    .open_another = open_another,
    .machine = machine,
    .free_memory = free_memory,
    .has_hosts_memory = has_hosts_memory,
    .reduction_bytes = gpurun_reduction_bytes,
    .copy_rate = rate_of_copying,
    .link_rates = link_rates,
    .pin = pin,
    .unpin = unpin,
    .exchange_times = exchange_times,
    .choose = choose,
    .candidate = candidate,
    .forecast = forecast,
    .launches = launches,
    .fewest = fewest,
    .make_all = make_all,
    .is_complete = is_complete,
    .find_launch = find_launch,
    .compiles = compiles,
    .make_launch = make_launch,
    .visit = visit,
};

/* ---- the kind ---------------------------------------------------------------------- */

static bool is_gpu(const pav_device *device)
{
    return device && device->ops->gpu;
}

static pav_status measure_rates(const pav_device *device, int threads, place_rates *found)
{
    gpu *g;
    (void)threads;
    TRY(gpu_open(device, &g));
    const pav_status status = gpu_rates_measure(g, &found->rate);
    (void)snprintf(found->machine, sizeof found->machine, "%s", gpu_facts_of(g)->name);
    gpu_close(g);
    return status;
}

const place_kind gpu_place = {
    .is_of = is_gpu,
    .own_memory = true,
    .launches = true,
    .language = PLACE_CUDA,
    .open = gpurun_open,
    .measure = gpu_measure,
    .rates = measure_rates,
};
