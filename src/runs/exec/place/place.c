/* SPDX-License-Identifier: BSD-3-Clause */
/* Places of a run: the kinds of devices, and the answers of GPUs and of the host to the
 * same questions. */
#include <stdio.h>
#include <string.h>

#include "exec/gpu/gpu.h"
#include "exec/place/place.h"

/* ---- kinds ------------------------------------------------------------------------- */

static pav_status host_rates(int threads, place_rates *found)
{
    OWNED_BY(close_team) host_team *team = NULL;
    TRY(host_team_open(threads > 0 ? threads : host_threads(), HOST_BIND_AUTO, &team));
    found->threads = host_team_threads(team);
    (void)snprintf(found->machine, sizeof found->machine, "%s",
                   *pav_host_name() ? pav_host_name() : "a processor");
    return host_rates_measure(team, &found->rate);
}

place_kind place_kind_of(const pav_device *device)
{
    return !device                 ? PLACE_INTERPRETER
           : device->ops->compiled ? PLACE_PROCESSORS
           : device->ops->gpu      ? PLACE_GPU
                                   : PLACE_INTERPRETER;
}

bool place_kind_named(const char *name, place_kind *kind)
{
    const size_t length = strcspn(name, ":");
    for (int n = 0; device_table[n]; n++)
        if (strlen(device_table[n]->name) == length &&
            strncmp(device_table[n]->name, name, length) == 0) {
            *kind = place_kind_of(&(pav_device){.ops = device_table[n]});
            return true;
        }
    return false;
}

static pav_status gpu_rates(const pav_device *device, place_rates *found)
{
    OWNED_BY(close_gpu) gpu *g = NULL;
    TRY(gpu_open(device, &g));
    (void)snprintf(found->machine, sizeof found->machine, "%s", gpu_facts_of(g)->name);
    return gpu_rates_measure(g, &found->rate);
}

pav_status place_measure_rates(const pav_device *device, int threads, place_rates *found)
{
    switch (place_kind_of(device)) {
    case PLACE_PROCESSORS: return host_rates(threads, found);
    case PLACE_GPU: return gpu_rates(device, found);
    default:
        return FAIL(PAV_EUNSUPPORTED, "no plan uses rates of the device %s: measure cpu",
                    device->name);
    }
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

pav_status place_open_another(const exec_place *p, subdomain *part)
{
    return p->executor ? gpurun_open_another(p->executor, part) : PAV_OK;
}

pav_status place_measure(const exec_place *p, int64_t bytes, place_measured *found)
{
    *found = (place_measured){0};
    return p->kind == PLACE_GPU ? gpu_measure(p->device, bytes, found) : PAV_OK;
}

halo_link place_link(const exec_place *to, const exec_place *from)
{
    if (from && from != to && to->device && from->device)
        return device_link(to->device, from->device);
    return !to->executor ? HALO_BY_PROCESSORS : from ? HALO_BY_GPU : HALO_STAGED;
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

int64_t place_reduction_bytes(const exec_place *p, const ir *code)
{
    return p->executor ? gpurun_reduction_bytes(code) : 0;
}

pav_status place_link_rates(const exec_place *p, machine_rates *rate)
{
    return p->executor ? gpu_link_rates(executor_gpu(p->executor), rate) : PAV_OK;
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

const schedule *place_candidate(const exec_place *p, int64_t stage, int n)
{
    return p->executor ? gpurun_candidate(p->executor, stage, n) : NULL;
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

pav_status place_fewest(const exec_place *p, int *fewest)
{
    *fewest = 0;
    return p->executor ? gpu_fused_fewest(p->executor, fewest) : PAV_OK;
}

pav_status place_make_all(const exec_place *p)
{
    return p->executor ? gpu_choice_make_all(p->executor) : PAV_OK;
}

bool place_is_complete(const exec_place *p)
{
    return !p->executor || gpu_choice_is_complete(p->executor);
}

pav_status place_find_launch(const exec_place *p, schedule *requested,
                             emit_gpu_fused *what)
{
    if (!p->executor)
        return FAIL(PAV_EUNSUPPORTED, "processors have no launches");
    gpu_fused_suit(gpurun_of(p->executor), requested);
    return gpu_fused_find(gpurun_of(p->executor), requested, what);
}

double place_compiles(const exec_place *p, const schedule *requested)
{
    return p->executor ? gpu_fused_compiles_in(p->executor, requested) : 0;
}

/* ---- copy bandwidth ---------------------------------------------------------------- */

/* Copy bandwidth of the host's memory, or of a device's, pass by pass. */

struct place_copying {
    host_copy *host; /* or NULL */
    gpu_copies *gpu; /* or NULL */
};

pav_status place_copying_open(gpu *g, host_team *team, place_copying **result)
{
    TRY(mem_take(result, 1, sizeof **result));
    place_copying *c = *result;
    return g ? gpu_copies_open(g, &c->gpu) : host_copy_open(team, &c->host);
}

pav_status place_copying_pass(place_copying *c, double *rate)
{
    if (c->gpu)
        return gpu_copies_pass(c->gpu, rate);
    *rate = host_copy_pass(c->host);
    return PAV_OK;
}

void place_copying_close(place_copying *c)
{
    if (!c)
        return;
    gpu_copies_close(c->gpu);
    host_copy_close(c->host);
    mem_free(c);
}

RELEASES(close_copying, place_copying, place_copying_close)

pav_status copy_rate_of(gpu *g, host_team *team, copy_rate *rate)
{
    enum { PASSES = 5 };
    double pass[PASSES];
    OWNED_BY(close_copying) place_copying *c = NULL;
    *rate = (copy_rate){0};
    TRY(place_copying_open(g, team, &c));
    for (int k = 0; k < PASSES; k++)
        TRY(place_copying_pass(c, &pass[k]));
    rate->usual = median(pass, PASSES);
    rate->best = pass[PASSES - 1]; /* sorted by median() */
    return PAV_OK;
}

pav_status place_copy_rate(const exec_place *p, host_team *team, copy_rate *rate)
{
    return copy_rate_of(p->executor ? executor_gpu(p->executor) : NULL, team, rate);
}
