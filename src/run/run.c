/* SPDX-License-Identifier: BSD-3-Clause */
/* A run is opened and freed: what has to be there before its first step. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "run/gpu_private.h"

int run_field_of(const pav_run *run, const symbol *field)
{
    for (int64_t f = 0; f < run->code->fields; f++)
        if (run->code->field[f].symbol == field)
            return (int)f;
    return -1;
}

static pav_status refuse_solve(const program *p)
{
    for (const statement *s = p->first; s; s = s->next)
        if (s->kind == STATEMENT_SOLVE)
            return FAIL(
                PAV_EUNSUPPORTED,
                "%s:%d: `solve` is checked, but this version has no solvers; write the "
                "relaxation as an update with `until` (examples/poisson2d.pav)",
                p->name, s->at.line);
    return PAV_OK;
}

static pav_status open_injections(pav_run *run)
{
    const ir_event_list *list = &run->code->injections;
    run->injection = mem_new(list->count + 1, sizeof *run->injection);
    run->expected = mem_new(run->code->expects.count + 1, sizeof *run->expected);
    if (!run->injection || !run->expected)
        return PAV_ENOMEM;
    for (int64_t k = 0; k < list->count; k++)
        TRY(points_open(run, list->item[k].statement, &run->injection[k]));
    return PAV_OK;
}

/* How a run is opened: with a runner of stages, a device, or kernels that are there already. */
typedef struct opening {
    stage_runner runner;
    const pav_device *device; /* or NULL */
    const kernel_set *set;    /* or NULL */
    int64_t number;
    const kernel_manner *manner;
    const gpu_set *gpu; /* or NULL */
    int64_t planes;
} opening;

pav_status run_open_team(const pav_run *run, int threads, host_team **team)
{
    host_binding binding;
    TRY(host_binding_find(run->options.bind, &binding));
    return host_team_open(threads, binding, team);
}

/* The run's own team, of as many threads as it has work for. */
static pav_status open_team(pav_run *run, const kernel_manner *manner)
{
    return run_open_team(run, manner ? manner->threads : run_threads(run), &run->team);
}

static pav_status compile(pav_run *run)
{
    text source = {0};
    kernel_set *set = NULL;
    const ir *const code[] = {run->code};
    pav_status status = kernel_head(run->program, "the host's processors", &source);
    if (status == PAV_OK)
        status = kernel_set_open(code, 1, source.data, HOST_KEEP, &set);
    text_free(&source);
    TRY(status);
    if (*kernel_set_note(set))
        run_note(run, "%s", kernel_set_note(set));
    return kernels_open(run->code, set, true, 0, NULL, kernel_host_of(run), run->team,
                        &run->executor);
}

static void name_device(pav_run *run, const char *name)
{
    snprintf(run->device_name, sizeof run->device_name, "%s", name);
}

/* ---- on a GPU ----------------------------------------------------------------------------- */

static pav_status begin_on_gpu(pav_run *run, const opening *how)
{
    TRY(gpurun_open(run, how->device, how->gpu, how->number, how->planes));
    return how->gpu ? PAV_OK : run_check_memory(run);
}

static void leave_gpu(pav_run *run)
{
    run->executor->close(run->executor);
    run->executor = NULL;
    run->gpu = NULL;
    host_team_close(run->team);
    run->team = NULL;
}

/* The next best of what is there, which must last as long as the opening. */
static pav_status stand_in(pav_run *run, opening *how, pav_device **device)
{
    char *why = strdup(pav_message());
    pav_status status = pav_device_open("cpu", device);
    if (status == PAV_EDEVICE)
        status = pav_device_open("interpreter", device);
    if (status == PAV_OK) {
        (*device)->automatic = true;
        how->device = *device;
        run->compiled = (*device)->ops->compiled;
        name_device(run, pav_device_name(*device));
        run_warn(run, "the device %s runs this program: %s", pav_device_name(*device),
                 why ? why : "the GPU cannot");
    }
    free(why);
    return status;
}

/* Where no device was named, another stands in for a GPU that cannot be used. */
static pav_status open_gpu(pav_run *run, opening *how, bool compiles, pav_device **device)
{
    if (!how->gpu && (!how->device || !how->device->ops->gpu))
        return PAV_OK;
    pav_status status = begin_on_gpu(run, how);
    if (status == PAV_OK && compiles)
        status = gpurun_compile(run->gpu);
    if (status == PAV_OK || how->gpu || !how->device->automatic)
        return status;
    if (run->gpu)
        leave_gpu(run);
    return stand_in(run, how, device);
}

/* ---- on the host -------------------------------------------------------------------------- */

/* What evaluates programs goes over rows on one thread, and knows no other way. */
static void note_interpreter(pav_run *run, const pav_device *device)
{
    schedule wanted;
    (void)schedule_find(run->options.schedule, &wanted);
    if (device && device->lacking)
        run_warn(run, "the interpreter runs this program, slowly: %s", device->lacking);
    if (wanted != SCHEDULE_AUTO)
        run_note(run,
                 "the schedule %s is the device cpu's: the interpreter goes over rows",
                 schedule_name(wanted));
    if (run->options.threads > 1 || run->options.bind)
        run_note(run, "the interpreter runs on one thread that is not bound: --threads "
                      "and --bind change nothing there");
}

/* Where no device was named, the interpreter stands in for one that fails. */
static pav_status open_executor(pav_run *run, const opening *how)
{
    if (run->gpu)
        return PAV_OK;
    if (how->set) {
        TRY(open_team(run, how->manner));
        return kernels_open(run->code, (kernel_set *)(uintptr_t)how->set, false,
                            how->number, how->manner, kernel_host_of(run), run->team,
                            &run->executor);
    }
    if (!how->device || !how->device->ops->compiled) {
        note_interpreter(run, how->device);
        return PAV_OK;
    }
    if (how->device->lacking)
        run_warn(run, "the device %s runs this program: %s", pav_device_name(how->device),
                 how->device->lacking);
    TRY(open_team(run, NULL));
    const pav_status status = compile(run);
    if (status == PAV_OK || status == PAV_ENOMEM || !how->device->automatic)
        return status;
    run_warn(run, "the interpreter runs this program, slowly: %s", pav_message());
    run->compiled = false;
    host_team_close(run->team);
    run->team = NULL;
    name_device(run, "interpreter");
    note_interpreter(run, NULL);
    return PAV_OK;
}

static pav_status check_schedule(const char *name, const pav_device *device)
{
    schedule on_host;
    emit_gpu_schedule on_gpu;
    return device && device->ops->gpu ? emit_gpu_schedule_find(name, &on_gpu)
                                      : schedule_find(name, &on_host);
}

static pav_status check_options(const pav_run_options *o, const pav_device *device)
{
    host_binding binding;
    if (o->threads > HOST_MOST_THREADS)
        return FAIL(PAV_ELIMIT, "a run takes at most %d threads, not %d",
                    HOST_MOST_THREADS, o->threads);
    TRY(host_binding_find(o->bind, &binding));
    return check_schedule(o->schedule, device);
}

/* All that is known before anything of the grid's size is taken. */
static pav_status understand(pav_run *run, const pav_device *device)
{
    TRY(check_options(&run->options, device));
    TRY(refuse_solve(run->program));
    TRY(ir_build(run->program, NULL, &run->code));
    TRY(checkpoint_find(run));
    return run_count_work(run);
}

static pav_status prepare(pav_run *run, opening *how, pav_device **other)
{
    TRY(understand(run, how->device));
    TRY(open_gpu(run, how, true, other));
    TRY(run_check_memory(run));
    if (run->options.force)
        mem_trust(1);
    run->forced = run->options.force != 0;
    TRY(checkpoint_open(run));
    TRY(open_executor(run, how));
    TRY(run_allocate(run));
    TRY(open_injections(run));
    TRY(run_open_recorders(run));
    TRY(run_fill_tables(run));
    TRY(run->options.restart ? checkpoint_restart(run) : run_start(run));
    if (run->gpu)
        run->gpu->begun = true;
    return PAV_OK;
}

static pav_run *new_run(const program *p, const opening *how,
                        const pav_run_options *options)
{
    pav_run *run = mem_new(1, sizeof *run);
    if (!run)
        return NULL;
    run->program = p;
    run->runner = how->runner ? how->runner : interp_stage;
    run->compiled = how->set || (how->device && how->device->ops->compiled);
    name_device(run, how->device ? pav_device_name(how->device) : "check");
    run->options = options ? *options : (pav_run_options){0};
    run->opened = run->report_at = clock_seconds();
    run->steps = run->options.steps > 0 ? run->options.steps : p->steps;
    run->checkpoint.saved = -1;
    run->watch_every = run->options.watch_every;
    return run;
}

pav_status run_open_unstarted(const program *p, const pav_device *device,
                              const pav_run_options *options, pav_run **result)
{
    opening how = {.device = device};
    pav_device *other = NULL;
    *result = new_run(p, &how, options);
    if (!*result)
        return PAV_ENOMEM;
    pav_status status = understand(*result, device);
    if (status == PAV_OK)
        status = open_gpu(*result, &how, false, &other);
    pav_device_free(other);
    if (status == PAV_OK)
        return PAV_OK;
    pav_run_free(*result);
    *result = NULL;
    return status;
}

static pav_status open_run(const program *p, const opening *how,
                           const pav_run_options *options, pav_run **result)
{
    opening chosen = *how;
    pav_device *other = NULL;
    *result = NULL;
    pav_run *run = new_run(p, how, options);
    if (!run)
        return PAV_ENOMEM;
    const pav_status status = prepare(run, &chosen, &other);
    pav_device_free(other);
    if (status != PAV_OK) {
        pav_run_free(run);
        return status;
    }
    run->setup_seconds = clock_seconds() - run->opened;
    *result = run;
    return PAV_OK;
}

static const pav_run_options for_checks = {.no_files = 1, .watch_every = -1};

pav_status run_open_with(const program *p, stage_runner runner, pav_run **run)
{
    return open_run(p, &(opening){.runner = runner}, &for_checks, run);
}

pav_status run_open_interpreted(const program *p, const pav_run_options *options,
                                pav_run **run)
{
    return open_run(p, &(opening){.runner = interp_stage}, options, run);
}

pav_status run_open_compiled(const program *p, const kernel_set *set, int64_t number,
                             const kernel_manner *manner, pav_run **run)
{
    return open_run(p, &(opening){.set = set, .number = number, .manner = manner},
                    &for_checks, run);
}

pav_status run_open_gpu(const program *p, const gpu_set *set, int64_t number,
                        int64_t planes, pav_run **run)
{
    return open_run(p, &(opening){.gpu = set, .number = number, .planes = planes},
                    &for_checks, run);
}

pav_status pav_run_open(const pav_program *p, pav_device *device,
                        const pav_run_options *options, pav_run **run)
{
    if (run)
        *run = NULL;
    if (!p || !device || !run)
        return FAIL(PAV_EINVAL,
                    "pav_run_open needs a program, a device and a place for the run");
    return open_run(&p->tree, &(opening){.device = device}, options, run);
}

void pav_run_free(pav_run *run)
{
    if (!run)
        return;
    if (run->code) {
        run_close_recorders(run);
        for (int64_t k = 0; run->injection && k < run->code->injections.count; k++)
            points_close(&run->injection[k]);
        if (run->executor)
            run->executor->close(run->executor);
        run_release(run);
    }
    host_team_close(run->team);
    mem_free(run->injection);
    mem_free(run->expected);
    checkpoint_close(run);
    free(run->why);
    ir_free(run->code);
    if (run->forced)
        mem_trust(-1);
    mem_free(run);
}

bool run_is_settled(const pav_run *run)
{
    return !run->executor || run->executor->settled(run->executor);
}

const char *run_schedule(const pav_run *run)
{
    return run->executor ? run->executor->schedule(run->executor)
                         : schedule_name(SCHEDULE_ROWS);
}

void run_load(const pav_run *run, double *updates, double *bytes)
{
    *updates = (double)run->points;
    *bytes = run->step_bytes;
}

int64_t pav_run_step(const pav_run *run)
{
    return run ? run->step : 0;
}

const ir *run_code(const pav_run *run)
{
    return run->code;
}
