/* SPDX-License-Identifier: BSD-3-Clause */
/* Compiles and frees fused launches. */
#include <math.h>

#include "exec/gpu/time/gpu_fused_private.h"

/* Even a slow GPU would finish its steps before a fused launch pays. Benchmarks use the
 * requested schedule only. */
bool launch_is_short(const exec_client *client, double worth)
{
    const client_state state = client->ops->state(client);
    return client->rough || state.steps == 0 ||
           (double)state.steps * state.step_bytes < worth * gpu_least_memory_rate;
}

bool gpu_fused_is_persistent(const gpu_fused *p)
{
    return !p->what.sweeps;
}

/* ---- opening ----------------------------------------------------------------------- */

/* seconds: of the compiler, by the model. */
static pav_status compile(const gpurun *g, const schedule *suited, unsigned how,
                          gpu_module **module, double *seconds)
{
    text source = {0};
    pav_status status = kernel_source(g->base.part->code, true, suited, &source);
    *seconds = (double)source.length / gpu_compiler_rate;
    if (status == PAV_OK)
        status = gpu_module_open(g->gpu, source.data, source.length, how, module);
    text_free(&source);
    return status;
}

double gpu_fused_compiles_in(const gpurun *g, const schedule *suited)
{
    gpu_module *found = NULL;
    double seconds;
    const bool kept = compile(g, suited, HOST_KEEP | HOST_MAKE | HOST_FIND, &found,
                              &seconds) == PAV_OK;
    gpu_module_close(found);
    return kept ? 0 : host_requires_cached() ? INFINITY : seconds;
}

pav_status gpu_fused_compile(const gpurun *g, const schedule *requested,
                             gpu_module **module)
{
    schedule suited = *requested;
    emit_gpu_fused what;
    double seconds;
    TRY(gpu_fused_find(g, &suited, &what));
    emit_gpu_fused_free(&what);
    return compile(g, &suited, HOST_KEEP | HOST_MAKE, module, &seconds);
}

static cost_sweep sweep_of(const gpurun *g, const gpu_fused *p)
{
    const cost_launch l = gpu_launch_of(g, &p->what, p->call);
    const cost_sweep fixed = {g->planes, p->what.schedule.tail};
    return g->planes > 0 && !gpu_fused_is_persistent(p)
               ? fixed
               : cost_first_sweep(&l, &p->what.schedule);
}

static pav_status open_persistent(gpurun *g, gpu_fused *p)
{
    const emit_gpu_fused *what = &p->what;
    TRY(gpu_fused_check_room(
        g, what,
        gpu_cooperative_blocks(p->call, what->schedule.tile.size[0], what->shared)));
    TRY(gpurun_take(g, what->signal_bytes, "persistent blocks", &p->signals));
    return gpu_fill(g->gpu, p->signals, 0, what->signal_bytes);
}

static pav_status find(gpurun *g, const schedule *requested, gpu_module *m, gpu_fused *p)
{
    char name[EMIT_NAME];
    schedule suited = *requested;
    double seconds;
    TRY(gpu_fused_find(g, &suited, &p->what));
    if (!m) {
        TRY(compile(g, &suited, HOST_KEEP, &p->module, &seconds));
        m = p->module;
    }
    emit_gpu_fused_name(name, g->owned ? 0 : g->number);
    p->call = gpu_module_find(m, name);
    if (!p->call)
        return FAIL(PAV_EINTERNAL, "the compiled launches lack %s", name);
    gpu_fused_sweep(g, p, sweep_of(g, p));
    return gpu_fused_is_persistent(p) ? open_persistent(g, p) : PAV_OK;
}

pav_status gpu_fused_make(gpurun *g, const schedule *requested, gpu_module *m,
                          gpu_fused **fused)
{
    gpu_fused *p = mem_new(1, sizeof *p);
    if (!p)
        return PAV_ENOMEM;
    const pav_status status = find(g, requested, m, p);
    if (status == PAV_OK)
        *fused = p;
    else
        place_launch_free(p);
    return status;
}

void place_launch_free(gpu_fused *p)
{
    if (!p)
        return;
    place_launch_free(p->shorter);
    gpu_fused_points_close(p->marks);
    emit_gpu_fused_free(&p->what);
    if (p->module)
        gpu_module_close(p->module);
    mem_free(p);
}

pav_status gpu_fused_shorten(gpurun *g, const schedule *shorter, gpu_fused *p)
{
    if (p->shorter)
        return PAV_OK;
    const pav_status status = gpu_fused_make(g, shorter, NULL, &p->shorter);
    if (status != PAV_OK && status != PAV_ENOMEM)
        exec_note(g->client, "there is no shorter launch, of %d steps: %s",
                  shorter->tile.steps, pav_message());
    return status == PAV_ENOMEM ? status : PAV_OK;
}

const emit_gpu_fused *place_launch_what(const gpu_fused *p)
{
    return &p->what;
}

void gpu_fused_sweep(const gpurun *g, gpu_fused *p, cost_sweep sweep)
{
    const cost_launch l = gpu_launch_of(g, &p->what, p->call);
    p->sweep = sweep;
    p->work = cost_sweep_work(&l, sweep);
}

void gpu_fused_sweeps(const gpurun *g, const gpu_fused *p, cost_sweep_list *list)
{
    const cost_launch l = gpu_launch_of(g, &p->what, p->call);
    cost_sweeps(&l, list);
}
