/* SPDX-License-Identifier: BSD-3-Clause */
/* A place of a run: what a device with memory of its own says of itself (far_ops), and
 * the host's answers to the same questions. */
#include "exec/place/place.h"

/* An executor's operations on its own memory, each of which may be missing. */
static const far_ops *ops_of(const exec_place *p)
{
    static const far_ops none = {0};
    return p->far ? p->far->there : &none;
}

bool place_on_device(const exec_place *p)
{
    return p && p->far;
}

/* ---- opening ----------------------------------------------------------------------- */

pav_status place_open(exec_place *p, exec_client *client, subdomain *part,
                      const far_source *from)
{
    p->kind = from->set ? &gpu_place : place_kind_of(from->device);
    p->far = NULL;
    return p->kind->open ? p->kind->open(client, part, from, &p->far) : PAV_OK;
}

pav_status place_compile(const exec_place *p)
{
    return ops_of(p)->compile ? ops_of(p)->compile(p->far) : PAV_OK;
}

pav_status place_open_another(const exec_place *p, subdomain *part)
{
    return ops_of(p)->open_another ? ops_of(p)->open_another(p->far, part) : PAV_OK;
}

pav_status place_measure(const exec_place *p, int64_t bytes, place_measured *found)
{
    *found = (place_measured){0};
    return p->kind->measure ? p->kind->measure(p->device, bytes, found) : PAV_OK;
}

/* ---- the machine and its memory ---------------------------------------------------- */

machine_facts place_machine(const exec_place *p, int threads)
{
    const cpu_facts cpu = {threads, host_cache(0), host_cache(2)};
    return ops_of(p)->machine ? ops_of(p)->machine(p->far) : machine_of_cpu(&cpu);
}

int64_t place_caches(const exec_place *p, int threads)
{
    if (!p->far)
        return host_caches(threads);
    const machine_facts m = p->far->there->machine(p->far);
    return machine_last_cache(&m);
}

int64_t place_free_memory(const exec_place *p, int runs)
{
    return ops_of(p)->free_memory ? ops_of(p)->free_memory(p->far, runs)
                                  : mem_available();
}

bool place_has_hosts_memory(const exec_place *p)
{
    return !p->far || p->far->there->has_hosts_memory(p->far);
}

int64_t place_reduction_bytes(const exec_place *p, const ir *code)
{
    return ops_of(p)->reduction_bytes ? ops_of(p)->reduction_bytes(code) : 0;
}

pav_status host_copy_rate(host_team *team, copy_rate *rate)
{
    enum { PASSES = 5 };
    double pass[PASSES];
    host_copy *copy = NULL;
    *rate = (copy_rate){0};
    TRY(host_copy_open(team, &copy));
    for (int k = 0; k < PASSES; k++)
        pass[k] = host_copy_pass(copy);
    host_copy_close(copy);
    rate->usual = median(pass, PASSES);
    rate->best = pass[PASSES - 1]; /* they are sorted now */
    return PAV_OK;
}

pav_status place_copy_rate(const exec_place *p, host_team *team, copy_rate *rate)
{
    return ops_of(p)->copy_rate ? ops_of(p)->copy_rate(p->far, rate)
                                : host_copy_rate(team, rate);
}

pav_status place_link_rates(const exec_place *p, machine_rates *rate)
{
    return ops_of(p)->link_rates ? ops_of(p)->link_rates(p->far, rate) : PAV_OK;
}

const gpu_exchange_time *place_exchange_times(const exec_place *p, int64_t *count)
{
    *count = 0;
    return ops_of(p)->exchange_times ? ops_of(p)->exchange_times(p->far, count) : NULL;
}

pav_status place_pin(const exec_place *p, void *memory, int64_t bytes)
{
    return ops_of(p)->pin ? ops_of(p)->pin(p->far, memory, bytes) : PAV_OK;
}

void place_unpin(const exec_place *p, void *memory)
{
    if (ops_of(p)->unpin)
        ops_of(p)->unpin(p->far, memory);
}

/* ---- schedules --------------------------------------------------------------------- */

pav_status place_choose(const exec_place *p)
{
    return ops_of(p)->choose ? ops_of(p)->choose(p->far) : PAV_OK;
}

const schedule *place_candidate(const exec_place *p, int64_t stage, int n)
{
    return ops_of(p)->candidate ? ops_of(p)->candidate(p->far, stage, n) : NULL;
}

pav_status place_forecast(const exec_place *p, int64_t stage, stage_forecast *f)
{
    return ops_of(p)->forecast ? ops_of(p)->forecast(p->far, stage, f) : PAV_OK;
}

pav_status place_launches(const exec_place *p, const schedule *requested,
                          launch_list *list)
{
    list->count = 0;
    return ops_of(p)->launches ? ops_of(p)->launches(p->far, requested, list) : PAV_OK;
}

pav_status place_fewest(const exec_place *p, int *fewest)
{
    *fewest = 0;
    return ops_of(p)->fewest ? ops_of(p)->fewest(p->far, fewest) : PAV_OK;
}

pav_status place_make_all(const exec_place *p)
{
    return ops_of(p)->make_all ? ops_of(p)->make_all(p->far) : PAV_OK;
}

bool place_is_complete(const exec_place *p)
{
    return !ops_of(p)->is_complete || ops_of(p)->is_complete(p->far);
}

pav_status place_find_launch(const exec_place *p, schedule *requested,
                             emit_gpu_fused *what)
{
    return ops_of(p)->find_launch ? ops_of(p)->find_launch(p->far, requested, what)
                                  : FAIL(PAV_EUNSUPPORTED, "processors have no launches");
}

/* ---- fused launches ---------------------------------------------------------------- */

pav_status far_launch_make(executor *e, const schedule *requested, int64_t planes,
                           far_launch **launch)
{
    return e->there->make_launch(e, requested, planes, launch);
}

pav_status far_launch_visit(executor *e, far_launch *launch, const far_visit *v)
{
    return e->there->visit(e, launch, v);
}
