/* SPDX-License-Identifier: BSD-3-Clause */
/* Places of a run: the kinds of devices, the answers of a device with memory of its own
 * (place_ops), and the host's answers to the same questions. */
#include <stdio.h>
#include <string.h>

#include "exec/gpu/gpu.h"
#include "exec/place/place.h"

/* ---- kinds ------------------------------------------------------------------------- */

/* The kinds of places: each device with an executor of its own is a row here. */

static bool is_interpreter(const pav_device *device)
{
    return !device || (!device->ops->compiled && !device->ops->gpu);
}

static bool is_processors(const pav_device *device)
{
    return device && device->ops->compiled;
}

static pav_status host_rates(const pav_device *device, int threads, place_rates *found)
{
    host_team *team;
    (void)device;
    TRY(host_team_open(threads > 0 ? threads : host_threads(), HOST_BIND_AUTO, &team));
    const pav_status status = host_rates_measure(team, &found->rate);
    found->threads = host_team_threads(team);
    host_team_close(team);
    (void)snprintf(found->machine, sizeof found->machine, "%s",
                   *pav_host_name() ? pav_host_name() : "a processor");
    return status;
}

static const place_kind interpreter = {.is_of = is_interpreter};
static const place_kind processors = {
    .is_of = is_processors, .kernels = true, .language = PLACE_C, .rates = host_rates};
static const place_kind *const kinds[] = {&interpreter, &processors, &gpu_place};

const place_kind *place_kind_of(const pav_device *device)
{
    for (size_t n = 1; n < COUNT_OF(kinds); n++)
        if (kinds[n]->is_of(device))
            return kinds[n];
    return kinds[0];
}

const place_kind *place_kind_named(const char *name)
{
    const size_t length = strcspn(name, ":");
    for (int n = 0; device_table[n]; n++)
        if (strlen(device_table[n]->name) == length &&
            strncmp(device_table[n]->name, name, length) == 0)
            return place_kind_of(&(pav_device){.ops = device_table[n]});
    return NULL;
}

bool place_has_schedules(const pav_device *device)
{
    const place_kind *kind = place_kind_of(device);
    return kind->kernels || kind->launches;
}

schedule_place place_schedules(const pav_device *device, const char *name)
{
    return (schedule_place){.gpu = place_kind_of(device)->launches, .name = name};
}

/* ---- a place ----------------------------------------------------------------------- */

/* A place of a run: answers of a device with memory of its own (place_ops), and the
 * host's answers to the same questions. */

/* The table of an executor; any of its entries may be NULL. */
static const place_ops *ops_of(const exec_place *p)
{
    static const place_ops none = {0};
    return p->executor ? p->executor->place_ops : &none;
}

bool place_has_memory(const exec_place *p)
{
    return p && p->executor;
}

/* ---- opening ----------------------------------------------------------------------- */

pav_status place_open(exec_place *p, exec_client *client, subdomain *part,
                      const place_source *from)
{
    p->kind = from->set ? &gpu_place : place_kind_of(from->device);
    p->executor = NULL;
    return p->kind->open ? p->kind->open(client, part, from, &p->executor) : PAV_OK;
}

pav_status place_compile(const exec_place *p)
{
    return ops_of(p)->compile ? ops_of(p)->compile(p->executor) : PAV_OK;
}

pav_status place_open_another(const exec_place *p, subdomain *part)
{
    return ops_of(p)->open_another ? ops_of(p)->open_another(p->executor, part) : PAV_OK;
}

pav_status place_measure(const exec_place *p, int64_t bytes, place_measured *found)
{
    *found = (place_measured){0};
    return p->kind->measure ? p->kind->measure(p->device, bytes, found) : PAV_OK;
}

halo_link place_link(const exec_place *to, const exec_place *from)
{
    if (from && from != to && to->device && from->device)
        return device_link(to->device, from->device);
    if (!to->executor)
        return HALO_BY_PROCESSORS;
    return from ? HALO_BY_GPU : HALO_STAGED;
}

bool place_is_asynchronous(const exec_place *p)
{
    return p->executor && p->executor->asynchronous;
}

/* ---- the machine and its memory ---------------------------------------------------- */

machine_facts place_machine(const exec_place *p, int threads)
{
    const cpu_facts cpu = {threads, host_cache(0), host_cache(2), cpu_vector_bytes()};
    return ops_of(p)->machine ? ops_of(p)->machine(p->executor) : machine_of_cpu(&cpu);
}

int64_t place_caches(const exec_place *p, int threads)
{
    if (!p->executor)
        return host_caches(threads);
    const machine_facts m = p->executor->place_ops->machine(p->executor);
    return machine_last_cache(&m);
}

int64_t place_free_memory(const exec_place *p, int runs)
{
    return ops_of(p)->free_memory ? ops_of(p)->free_memory(p->executor, runs)
                                  : mem_available();
}

bool place_has_hosts_memory(const exec_place *p)
{
    return !p->executor || p->executor->place_ops->has_hosts_memory(p->executor);
}

int64_t place_reduction_bytes(const exec_place *p, const ir *code)
{
    return ops_of(p)->reduction_bytes ? ops_of(p)->reduction_bytes(code) : 0;
}

pav_status place_link_rates(const exec_place *p, machine_rates *rate)
{
    return ops_of(p)->link_rates ? ops_of(p)->link_rates(p->executor, rate) : PAV_OK;
}

const gpu_exchange_time *place_exchange_times(const exec_place *p, int64_t *count)
{
    *count = 0;
    return ops_of(p)->exchange_times ? ops_of(p)->exchange_times(p->executor, count)
                                     : NULL;
}

pav_status place_pin(const exec_place *p, void *memory, int64_t bytes)
{
    return ops_of(p)->pin ? ops_of(p)->pin(p->executor, memory, bytes) : PAV_OK;
}

void place_unpin(const exec_place *p, void *memory)
{
    if (ops_of(p)->unpin)
        ops_of(p)->unpin(p->executor, memory);
}

/* ---- schedules --------------------------------------------------------------------- */

pav_status place_choose(const exec_place *p)
{
    return ops_of(p)->choose ? ops_of(p)->choose(p->executor) : PAV_OK;
}

const schedule *place_candidate(const exec_place *p, int64_t stage, int n)
{
    return ops_of(p)->candidate ? ops_of(p)->candidate(p->executor, stage, n) : NULL;
}

pav_status place_forecast(const exec_place *p, int64_t stage, stage_forecast *f)
{
    return ops_of(p)->forecast ? ops_of(p)->forecast(p->executor, stage, f) : PAV_OK;
}

pav_status place_launches(const exec_place *p, const schedule *requested,
                          launch_list *list)
{
    list->count = 0;
    return ops_of(p)->launches ? ops_of(p)->launches(p->executor, requested, list)
                               : PAV_OK;
}

pav_status place_fewest(const exec_place *p, int *fewest)
{
    *fewest = 0;
    return ops_of(p)->fewest ? ops_of(p)->fewest(p->executor, fewest) : PAV_OK;
}

pav_status place_make_all(const exec_place *p)
{
    return ops_of(p)->make_all ? ops_of(p)->make_all(p->executor) : PAV_OK;
}

bool place_is_complete(const exec_place *p)
{
    return !ops_of(p)->is_complete || ops_of(p)->is_complete(p->executor);
}

pav_status place_find_launch(const exec_place *p, schedule *requested,
                             emit_gpu_fused *what)
{
    return ops_of(p)->find_launch ? ops_of(p)->find_launch(p->executor, requested, what)
                                  : FAIL(PAV_EUNSUPPORTED, "processors have no launches");
}

double place_compiles(const exec_place *p, const schedule *requested)
{
    return ops_of(p)->compiles ? ops_of(p)->compiles(p->executor, requested) : 0;
}

/* ---- copy bandwidth ---------------------------------------------------------------- */

/* Copy bandwidth of the host's memory, or of a device's, pass by pass. */

struct place_copying {
    host_copy *host; /* or NULL */
    gpu_copies *gpu; /* or NULL */
};

static pav_status open_either(gpu *g, host_team *team, place_copying **result)
{
    TRY(mem_take(result, 1, sizeof **result));
    place_copying *c = *result;
    return g ? gpu_copies_open(g, &c->gpu) : host_copy_open(team, &c->host);
}

pav_status place_copying_open(const exec_place *p, host_team *team,
                              place_copying **result)
{
    return open_either(place_has_memory(p) ? executor_gpu(p->executor) : NULL, team,
                       result);
}

pav_status place_copying_of_gpu(gpu *g, place_copying **result)
{
    return open_either(g, NULL, result);
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

/* Of a GPU, or of the host by a team. */
static pav_status rate_of(gpu *g, host_team *team, copy_rate *rate)
{
    enum { PASSES = 5 };
    double pass[PASSES];
    place_copying *c;
    *rate = (copy_rate){0};
    pav_status status = open_either(g, team, &c);
    for (int k = 0; k < PASSES && status == PAV_OK; k++)
        status = place_copying_pass(c, &pass[k]);
    place_copying_close(c);
    TRY(status);
    rate->usual = median(pass, PASSES);
    rate->best = pass[PASSES - 1]; /* sorted by median() */
    return PAV_OK;
}

pav_status host_copy_rate(host_team *team, copy_rate *rate)
{
    return rate_of(NULL, team, rate);
}

pav_status gpu_copy_rate(gpu *g, copy_rate *rate)
{
    return rate_of(g, NULL, rate);
}

pav_status place_copy_rate(const exec_place *p, host_team *team, copy_rate *rate)
{
    return ops_of(p)->copy_rate ? ops_of(p)->copy_rate(p->executor, rate)
                                : host_copy_rate(team, rate);
}
