/* SPDX-License-Identifier: BSD-3-Clause */
/* Fused launches on a GPU before their first step: found, forecast, compiled. */
#include <math.h>
#include <stdio.h>

#include "exec/gpu/gpu_private.h"

/* ---- finding ----------------------------------------------------------------------- */

/* Checks if a fused launch is possible: on this GPU, with its memory and multiprocessors,
 * and in this run with its observations. Plans and runs call the same checks and give the
 * same message; models use the description found here. */

/* Steps limited by the numbers that fit in the argument of a launch. */
int gpu_fused_most_steps(const emit_gpu_fused *what)
{
    const int64_t most = what->number_bytes > 0 ? GPU_MOST_ARGUMENT / what->number_bytes
                                                : what->most;
    return most < what->most ? (int)most : what->most;
}

/* All blocks of a persistent kernel must run at once. `most`: known number of resident
 * blocks. */
static pav_status check_room(const gpurun *g, const emit_gpu_fused *what, int64_t most)
{
    const int *tiles = what->schedule.device.size;
    const int64_t blocks = (int64_t)tiles[0] * tiles[1] * tiles[2];
    return blocks <= most
               ? PAV_OK
               : FAIL(PAV_EUNSUPPORTED,
                      "%s cannot take several steps in one launch: of %lld blocks of %d "
                      "threads, one for each tile, %s has room for %lld at once: take "
                      "fewer tiles or threads",
                      g->client->program->name, (long long)blocks,
                      what->schedule.tile.size[0], g->client->device_name,
                      (long long)most);
}

/* The registers of the kernel are still unknown. */
static int64_t most_at_once(const gpu_facts *f, const emit_gpu_fused *what)
{
    return (int64_t)f->multiprocessors *
           (gpu_facts_architecture(f)->threads / what->schedule.tile.size[0]);
}

static pav_status fits(const gpurun *g, const emit_gpu_fused *what)
{
    const int most = gpu_facts_of(g->gpu)->shared_block;
    const char *why = what->schedule.tile.copy == COPY_TMA ? gpu_tensor_refusal(g->gpu)
                                                           : NULL;
    if (why)
        return FAIL(PAV_EUNSUPPORTED, "planes are not copied by the accelerator: %s: %s",
                    g->client->device_name, why);
    if (!what->sweeps)
        TRY(check_room(g, what, most_at_once(gpu_facts_of(g->gpu), what)));
    if (what->shared > most)
        return FAIL(
            PAV_EUNSUPPORTED,
            "a block of this launch takes %lld bytes of shared memory, and %s has %d: "
            "take fewer steps (depth=) or threads",
            (long long)what->shared, g->client->device_name, most);
    if (what->argument_bytes > GPU_MOST_ARGUMENT ||
        (gpu_fused_most_steps(what) < what->most &&
         (what->sweeps || gpu_fused_most_steps(what) < 2)))
        return FAIL(PAV_EUNSUPPORTED,
                    "the numbers of %d steps take more than %d bytes: take fewer steps "
                    "(depth=)",
                    what->most, GPU_MOST_ARGUMENT);
    return PAV_OK;
}

pav_status gpu_fused_find(const gpurun *g, schedule *requested, emit_gpu_fused *what)
{
    const gpu_facts *f = gpu_facts_of(g->gpu);
    if (requested->kind == SCHEDULE_PERSISTENT)
        TRY(emit_gpu_fused_fit(g->base.part->code, f, requested));
    TRY(emit_gpu_fused_of(g->base.part->code, requested, f, what));
    const pav_status status = fits(g, what);
    if (status != PAV_OK)
        emit_gpu_fused_free(what);
    return status;
}

static cost_launch launch_of(const gpurun *g, const emit_gpu_fused *what,
                             const ir_group_view *of, const gpu_kernel *kernel)
{
    const int *threads = what->schedule.tile.size;
    return (cost_launch){
        .code = of ? &of->code : g->base.part->code,
        .what = what,
        .gpu = gpu_facts_of(g->gpu),
        .stored = g->visit,
        .at_once = kernel ? gpu_cooperative_blocks(kernel, threads[0] * threads[1],
                                                   what->shared)
                          : 0,
    };
}

/* The fewest steps of a launch. */
static pav_status find_least(const gpurun *g, schedule *requested, int *least)
{
    OWNED_BY(emit_gpu_fused_free) emit_gpu_fused what = {0};
    TRY(gpu_fused_find(g, requested, &what));
    *least = what.least;
    return PAV_OK;
}

/* Most steps of a possible shorter launch; 0: there is none. */
static int shorter(const gpurun *g, const schedule *requested)
{
    const int64_t most = g->client->ops->to_observer(g->client->run) - 1;
    schedule other = *requested;
    int least;
    other.tile.steps = (int)most;
    return requested->kind == SCHEDULE_GPU_TIME && most >= 2 &&
                   find_least(g, &other, &least) == PAV_OK && least <= most
               ? other.tile.steps
               : 0;
}

static pav_status refuse(const gpurun *g, const schedule *requested,
                         const emit_gpu_fused *what, const char *why)
{
    const int depth = shorter(g, requested);
    char remedy[64] = "";
    if (depth > 0)
        (void)snprintf(remedy, sizeof remedy, ": depth=%d takes fewer", depth);
    return FAIL(PAV_EUNSUPPORTED,
                "%s cannot take several steps in one launch: %s, and launches take at "
                "least %d and a single one that follows%s",
                g->client->program->name, why, what->least, remedy);
}

/* ---- shorter launches -------------------------------------------------------------- */

/* A shorter launch next to a launch of fixed depth. It fits the steps left before an
 * observation: with observations every 15 steps and launches of 8 steps, a launch of 6
 * and a single step. */

/* Another kernel takes seconds to compile. This pays only if the gap occurs again, not
 * just at the end of a run. */
static bool gap_recurs(const gpurun *g, int64_t unobserved)
{
    const int64_t steps = g->client->ops->state(g->client->run).steps;
    return steps == 0 || (steps - g->base.part->step) / unobserved > 1;
}

/* Steps between two observations not covered by regular launches, without the final
 * single step. */
static int steps_left(const gpurun *g, const emit_gpu_fused *what)
{
    const int64_t unobserved = g->client->ops->to_observer(g->client->run);
    if (unobserved <= what->least || !gap_recurs(g, unobserved))
        return 0;
    const int left = (int)((unobserved - 1) % gpu_fused_most_steps(what));
    return left < what->least ? left : 0;
}

pav_status gpu_fused_shorter(const gpurun *g, const schedule *requested,
                             const emit_gpu_fused *what, schedule *shorter)
{
    *shorter = *requested;
    for (int depth = steps_left(g, what); depth > 1; depth--) {
        int least;
        shorter->tile.steps = depth;
        shorter->tile.ahead = int_least(requested->tile.ahead, depth);
        const pav_status status = find_least(g, shorter, &least);
        if (status == PAV_OK || status == PAV_ENOMEM)
            return status;
    }
    shorter->tile.steps = 0;
    return PAV_OK;
}

double gpu_fused_saved(const gpurun *g, const schedule *shorter)
{
    const int64_t unobserved = g->client->ops->to_observer(g->client->run);
    const int64_t left = g->client->ops->state(g->client->run).steps - g->base.part->step;
    const int64_t times = unobserved > 0 ? left / unobserved : 0;
    return (double)times * (double)shorter->tile.steps;
}

/* ---- forecasts --------------------------------------------------------------------- */

/* Costs of fused launches by the model, in bytes of a point and step: for all candidates,
 * before any is compiled, and for the present launch. */

/* Bytes of a point in a single step, by the kernels tried first. If the host runs some
 * stages, by the fields of a step. */
static pav_status single_bytes(const gpurun *g, double *bytes)
{
    const ir_list *list = &g->base.part->code->step;
    double sum = 0;
    *bytes = g->client->ops->state(g->client->run).step_bytes /
             cost_points_of(g->base.part->code);
    for (int64_t n = 0; n < list->count; n++) {
        stage_forecast one;
        TRY(gpu_forecast_stage(g, list->stage[n], &one));
        if (one.tried == 0)
            return PAV_OK;
        sum += one.bytes;
    }
    *bytes = sum / cost_points_of(g->base.part->code);
    return PAV_OK;
}

/* Mean bytes of a point and step between two observations. Steps outside launches are
 * single steps, at least one. */
static pav_status mean_bytes(const gpurun *g, const schedule *requested,
                             const emit_gpu_fused *what, double launch,
                             launch_forecast *f)
{
    const int64_t unobserved = g->client->ops->to_observer(g->client->run),
                  most = gpu_fused_most_steps(what);
    double single, cut = launch;
    f->bytes = launch / (double)most;
    if (unobserved == 0)
        return PAV_OK;
    TRY(single_bytes(g, &single));
    /* Bytes of the shorter launch; steps 0: there is none. */
    schedule shorter;
    OWNED_BY(emit_gpu_fused_free) emit_gpu_fused found = {0};
    TRY(gpu_fused_shorter(g, requested, what, &shorter));
    f->shorter = shorter.tile.steps;
    if (f->shorter != 0) {
        TRY(gpu_fused_find(g, &shorter, &found));
        const cost_launch l = launch_of(g, &found, NULL, NULL);
        cut = cost_launch_bytes(&l, cost_first_sweep(&l, &shorter));
    }
    const int64_t whole = (unobserved - 1) / most, left = (unobserved - 1) % most;
    const int64_t cuts = f->shorter > 0 ? left / f->shorter : left >= what->least;
    const int64_t alone = f->shorter > 0 ? left % f->shorter : cuts > 0 ? 0 : left;
    f->bytes = (launch * (double)whole + cut * (double)cuts +
                single * (double)(alone + 1)) /
               (double)unobserved;
    return PAV_OK;
}

static pav_status forecast(const gpurun *g, const schedule *requested, launch_forecast *f)
{
    schedule suited = *requested;
    OWNED_BY(emit_gpu_fused_free) emit_gpu_fused what = {0};
    TRY(gpu_fused_find(g, &suited, &what));
    /* A launch must fit between observations, because the last step before an
     * observation is a single one. Refused if an observation always comes before the
     * end of a launch. */
    OWNED_BY(text_free) text why = {0};
    g->client->ops->list_observers(g->client->run, what.least + 1, &why);
    TRY(why.failed       ? PAV_ENOMEM
        : why.length > 0 ? refuse(g, requested, &what, why.data)
                         : PAV_OK);
    const cost_launch l = launch_of(g, &what, NULL, NULL);
    const cost_sweep sweep = cost_first_sweep(&l, requested);
    *f = (launch_forecast){
        .requested = *requested, .schedule = what.schedule, .shared = what.shared};
    if (what.sweeps) {
        f->schedule.planes = (int)sweep.planes;
        f->schedule.tail = (int)sweep.tail;
    }
    const machine_facts machine = {.gpu = l.gpu, .rate = g->client->machine.rate};
    TRY(cost_forecast(
        &(cost_question){
            .code = l.code, .schedule = requested, .machine = &machine, .launch = &l},
        &f->cost));
    return mean_bytes(g, requested, &what, cost_launch_bytes(&l, sweep), f);
}

/* Without an accelerator, threads copy the planes. */
void gpu_fused_suit(const gpurun *g, schedule *candidate)
{
    enum { AHEAD = 2 };
    if (candidate->tile.copy != COPY_TMA || !gpu_tensor_refusal(g->gpu))
        return;
    candidate->tile.copy = COPY_ASYNC;
    candidate->prefetch = AHEAD;
}

pav_status place_fewest(const exec_place *p, int *fewest)
{
    const gpurun *g = gpurun_of(p->executor);
    schedule candidate[EMIT_GPU_FUSED_CANDIDATES];
    int known;
    *fewest = 0;
    if (!g)
        return PAV_OK;
    TRY(emit_gpu_fused_candidates(g->base.part->code, candidate, &known));
    for (int n = 0; n < known; n++) {
        int least;
        gpu_fused_suit(g, &candidate[n]);
        if (find_least(g, &candidate[n], &least) == PAV_OK &&
            (*fewest == 0 || least < *fewest))
            *fewest = least;
    }
    return PAV_OK;
}

/* Skips launches that this GPU does not support. */
pav_status gpu_fused_candidates(const gpurun *g, double single,
                                launch_forecast list[EMIT_GPU_FUSED_CANDIDATES],
                                int *count)
{
    schedule candidate[EMIT_GPU_FUSED_CANDIDATES];
    int known;
    *count = 0;
    TRY(emit_gpu_fused_candidates(g->base.part->code, candidate, &known));
    for (int n = 0; n < known; n++) {
        launch_forecast *f = &list[*count];
        gpu_fused_suit(g, &candidate[n]);
        const pav_status status = forecast(g, &candidate[n], f);
        if (status != PAV_OK && status != PAV_EUNSUPPORTED)
            return status;
        *count += status == PAV_OK &&
                  (single <= 0 || f->bytes * cost_points_of(g->base.part->code) < single);
    }
    return PAV_OK;
}

/* ---- requested launches ------------------------------------------------------------ */

/* "time" alone asks for its candidates, and so does "persistent". */
static bool is_bare(const schedule *requested)
{
    return schedule_is_same(requested, &(schedule){.kind = requested->kind});
}

/* Adds candidates of a persistent kernel: the number of steps between synchronisations
 * chosen by the model, twice that number, and half of it. */
static pav_status add_synchronisations(const gpurun *g,
                                       launch_forecast list[EMIT_GPU_FUSED_CANDIDATES],
                                       int *count)
{
    schedule requested = {.kind = SCHEDULE_PERSISTENT};
    TRY(forecast(g, &requested, &list[0]));
    const int usual = list[0].schedule.tile.steps, others[] = {usual / 2, 2 * usual};
    *count = 1;
    for (size_t n = 0; n < COUNT_OF(others); n++) {
        requested.tile.steps = others[n];
        if (requested.tile.steps > 0 && requested.tile.steps <= SCHEDULE_MOST_DEPTH &&
            forecast(g, &requested, &list[*count]) == PAV_OK)
            (*count)++;
    }
    return PAV_OK;
}

pav_status gpu_fused_requested(const gpurun *g, const schedule *requested,
                               launch_forecast list[EMIT_GPU_FUSED_CANDIDATES],
                               int *count)
{
    int candidate = 0;
    *count = 0;
    if (is_bare(requested) && requested->kind == SCHEDULE_PERSISTENT)
        return add_synchronisations(g, list, count);
    if (is_bare(requested))
        TRY(gpu_fused_candidates(g, 0, list, &candidate));
    for (int n = 0; n < candidate; n++)
        if (list[n].requested.kind == SCHEDULE_GPU_TIME)
            list[(*count)++] = list[n];
    if (*count > 0)
        return PAV_OK;
    *count = 1;
    return forecast(g, requested, &list[0]);
}

/* ---- the present launch ------------------------------------------------------------ */

pav_status gpu_fused_bytes(const gpurun *g, double *bytes)
{
    const emit_gpu_fused *what = &g->fused->what;
    const cost_launch l = launch_of(g, what, NULL, g->fused->call);
    *bytes = cost_points_of(l.code) / gpu_fused_most_steps(what) *
             cost_launch_bytes(&l, g->fused->sweep);
    return PAV_OK;
}

/* ---- making ------------------------------------------------------------------------ */

/* Compiles and frees fused launches. */

/* Even a slow GPU would finish its steps before a fused launch pays. Benchmarks use the
 * requested schedule only. */
bool launch_is_short(const exec_client *client, double worth)
{
    const client_state state = client->ops->state(client->run);
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
    OWNED_BY(text_free) text source = {0};
    const pav_status status = kernel_source(g->base.part->code, true, suited, &source);
    *seconds = (double)source.length / gpu_compiler_rate;
    return gpu_open_text(g->gpu, status, &source, how, module);
}

double place_compiles(const exec_place *p, const schedule *suited)
{
    const gpurun *g = gpurun_of(p->executor);
    OWNED_BY(close_gpu_module) gpu_module *found = NULL;
    double seconds;
    if (!g)
        return 0;
    const bool kept = compile(g, suited, HOST_KEEP | HOST_MAKE | HOST_FIND, &found,
                              &seconds) == PAV_OK;
    return kept ? 0 : host_requires_cached() ? INFINITY : seconds;
}

pav_status gpu_fused_compile(const gpurun *g, const schedule *requested,
                             gpu_module **module)
{
    schedule suited = *requested;
    int least;
    double seconds;
    TRY(find_least(g, &suited, &least));
    return compile(g, &suited, HOST_KEEP | HOST_MAKE, module, &seconds);
}

static cost_sweep sweep_of(const gpurun *g, const gpu_fused *p)
{
    const cost_launch l = launch_of(g, &p->what, p->view, p->call);
    const cost_sweep fixed = {g->planes, p->what.schedule.tail};
    return g->planes > 0 && !gpu_fused_is_persistent(p)
               ? fixed
               : cost_first_sweep(&l, &p->what.schedule);
}

static pav_status open_persistent(gpurun *g, gpu_fused *p)
{
    const emit_gpu_fused *what = &p->what;
    TRY(check_room(
        g, what,
        gpu_cooperative_blocks(p->call, what->schedule.tile.size[0], what->shared)));
    TRY(gpurun_take(g, what->signal_bytes, "persistent blocks", &p->signals));
    return gpu_fill(g->gpu, p->signals, 0, what->signal_bytes);
}

static pav_status find_call(gpu_module *m, int64_t number, gpu_fused *p)
{
    char name[EMIT_NAME];
    emit_gpu_fused_name(name, number);
    p->call = gpu_module_find(m, name);
    return p->call ? PAV_OK : FAIL(PAV_EINTERNAL, "the compiled launches lack %s", name);
}

static pav_status find(gpurun *g, const schedule *requested, gpu_module *m, gpu_fused *p)
{
    schedule suited = *requested;
    double seconds;
    TRY(gpu_fused_find(g, &suited, &p->what));
    if (!m) {
        TRY(compile(g, &suited, HOST_KEEP, &p->module, &seconds));
        m = p->module;
    }
    TRY(find_call(m, g->owned ? 0 : g->number, p));
    gpu_fused_sweep(g, p, sweep_of(g, p));
    return gpu_fused_is_persistent(p) ? open_persistent(g, p) : PAV_OK;
}

RELEASES(free_launch, gpu_fused, place_launch_free)

pav_status gpu_fused_make(gpurun *g, const schedule *requested, gpu_module *m,
                          gpu_fused **fused)
{
    NEW_BY(free_launch, gpu_fused, p, 1);
    TRY(find(g, requested, m, p));
    *fused = mem_hand_over(&p);
    return PAV_OK;
}

void place_launch_free(gpu_fused *p)
{
    if (!p)
        return;
    place_launch_free(p->shorter);
    gpu_fused_points_close(p->marks);
    emit_gpu_fused_free(&p->what);
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
    const cost_launch l = launch_of(g, &p->what, p->view, p->call);
    p->sweep = sweep;
    p->work = cost_sweep_work(&l, sweep);
}

void gpu_fused_sweeps(const gpurun *g, const gpu_fused *p, cost_sweep_list *list)
{
    const cost_launch l = launch_of(g, &p->what, p->view, p->call);
    cost_sweeps(&l, list);
}

/* ---- groups of stages -------------------------------------------------------------- */

static pav_status make_group(gpurun *g, int64_t number)
{
    const emit_gpu_group *own = &g->groups.group[number];
    const ir_list *step = &own->view.code.step;
    NEW_BY(free_launch, gpu_fused, p, 1);
    p->view = &own->view;
    TRY(emit_gpu_fused_of(&own->view.code, &own->schedule, gpu_facts_of(g->gpu),
                          &p->what));
    TRY(fits(g, &p->what));
    TRY(find_call(g->group_module, number, p));
    gpu_fused_sweep(g, p, sweep_of(g, p));
    for (int64_t k = 0; k < step->count; k++)
        g->stage[step->stage[k]].group = p;
    (void)mem_hand_over(&p);
    return PAV_OK;
}

static pav_status compile_groups(const gpurun *g, unsigned how, gpu_module **module)
{
    return gpu_open_text(g->gpu, PAV_OK, &g->group_source, how, module);
}

void *gpu_groups_compile(void *g)
{
    gpu_module *made = NULL;
    (void)compile_groups(g, HOST_KEEP | HOST_MAKE, &made);
    gpu_module_close(made);
    return NULL;
}

pav_status gpu_groups_print(gpurun *g)
{
    enum { PART = 3 }; /* groups save a third of the time of steps at most */
    const client_state state = g->client->ops->state(g->client->run);
    const int64_t steps = state.expected > 0 ? state.expected : state.steps;
    OWNED_BY(close_gpu_module) gpu_module *found = NULL;
    if (g->groups.count == 0)
        return PAV_OK;
    TRY(emit_gpu_groups_source(&g->groups, kernel_head(true), &g->group_source));
    if (g->client->waits || schedule_groups_stages(g->client->schedule) ||
        (double)steps * state.step_bytes / gpu_least_memory_rate >
            PART * (double)g->group_source.length / gpu_compiler_rate ||
        compile_groups(g, HOST_KEEP | HOST_MAKE | HOST_FIND, &found) == PAV_OK)
        return PAV_OK;
    exec_note(g->client,
              "stages run one by one: to compile launches of several would take longer "
              "than they save (`pavior compile` makes them for later runs)");
    emit_gpu_groups_free(&g->groups);
    return PAV_OK;
}

pav_status gpu_groups_open(gpurun *g)
{
    if (g->groups.count == 0)
        return PAV_OK;
    TRY(compile_groups(g, HOST_KEEP, &g->group_module));
    for (int64_t n = 0; n < g->groups.count; n++)
        TRY(make_group(g, n));
    return PAV_OK;
}

void gpu_groups_close(gpurun *g)
{
    for (int64_t n = 0; g->stage && n < g->groups.count; n++)
        place_launch_free(g->stage[g->groups.group[n].view.code.step.stage[0]].group);
    gpu_module_close(g->group_module);
    text_free(&g->group_source);
    emit_gpu_groups_free(&g->groups);
}
