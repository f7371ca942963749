/* SPDX-License-Identifier: BSD-3-Clause */
/* Opens the executor of a run: kernels for processors or a GPU, or the interpreter. If no
 * device was named and the first choice fails, another device stands in. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "run/cost/cost_private.h"
#include "run/run_private.h"
#include "run/time/time_private.h"

pav_status run_open_team(const pav_run *run, int threads, host_team **team)
{
    host_binding binding;
    TRY(host_binding_find(run->options.bind, &binding));
    return host_team_open(threads, binding, team);
}

/* The team of the outer run if this run solves its equation, or of the lender. Otherwise
 * a new team, with at most one thread per unit of work. */
static pav_status open_team(pav_run *run, const schedule *loop)
{
    const pav_run *lender = run->solver.outer ? run->solver.outer : run->opened.lender;
    run->team.all = lender ? lender->team.all : NULL;
    return run->solver.outer || run->team.all
               ? PAV_OK
               : run_open_team(run, loop ? schedule_threads(loop) : run_threads(run),
                               &run->team.all);
}

/* Subdomains on processors compute at the same time, each group by its own team. With
 * --bind all threads stay in one team, because only one team is bound. */
static pav_status open_part_teams(pav_run *run, int64_t inners)
{
    const int threads = host_team_threads(run->team.all);
    if (inners < 2 || threads < 2 || run->options.bind || run->team.part ||
        run->solver.outer)
        return PAV_OK;
    const int part_teams = inners < threads ? (int)inners : threads;
    TRY(mem_take(&run->team.part, part_teams, sizeof *run->team.part));
    for (; run->team.parts < part_teams; run->team.parts++) {
        const int n = run->team.parts;
        const int own = threads * (n + 1) / part_teams - threads * n / part_teams;
        TRY(host_team_open(own, HOST_BIND_NONE, &run->team.part[n]));
    }
    return PAV_OK;
}

void run_close_team(pav_run *run)
{
    const bool shared = run->opened.lender &&
                        run->opened.lender->team.all == run->team.all;
    for (int n = 0; n < run->team.parts; n++)
        host_team_close(run->team.part[n]);
    mem_free(run->team.part);
    run->team.part = NULL;
    run->team.parts = 0;
    if (!run->solver.outer && !shared)
        host_team_close(run->team.all);
    run->team.all = NULL;
}

/* Opens kernels for one subdomain. */
static pav_status open_kernels_of(pav_run *run, subdomain *part, kernel_set *set,
                                  bool owned, int64_t number, const schedule *loop,
                                  host_team *team)
{
    executor *e;
    TRY(kernels_open(part, set, owned, number, loop, &run->client, team, &e));
    subdomain_use(part, e);
    return PAV_OK;
}

static pav_status join(pav_run *run)
{
    executor *e;
    TRY(exec_split_open(run->part, &run->cut.boxes, &e));
    subdomain_use(run->part, e);
    if (*exec_split_unlinked(e))
        exec_note(&run->client, "halos pass through the memory of the host: %s",
                  exec_split_unlinked(e));
    return PAV_OK;
}

/* owned: the set belongs to the executor opened first, or is closed on failure. */
static pav_status open_kernels(pav_run *run, kernel_set *set, bool owned, int64_t number,
                               const schedule *loop)
{
    subdomain *whole = run->part;
    int64_t own = 0, k = 0; /* own: subdomains without an executor so far */
    if (!run->cut.is_cut) {
        TRY(open_kernels_of(run, whole, set, owned, number, loop, run->team.all));
        for (int64_t n = 0; n < whole->inners; n++) /* windows */
            if (!whole->inner[n].executor)
                TRY(open_kernels_of(run, &whole->inner[n], set, false, number, loop,
                                    run->team.all));
        return PAV_OK;
    }
    for (int64_t n = 0; n < whole->inners; n++)
        own += !whole->inner[n].executor;
    const pav_status status = open_part_teams(run, own);
    if (status != PAV_OK && owned)
        kernel_set_close(set);
    TRY(status);
    for (int64_t n = 0; n < whole->inners; n++) {
        if (whole->inner[n].executor)
            continue; /* on a device */
        host_team *team = run->team.part ? run->team.part[k++ * run->team.parts / own]
                                         : run->team.all;
        TRY(open_kernels_of(run, &whole->inner[n], set, owned, number, loop, team));
        owned = false; /* the first subdomain owns the set, since it is closed last */
    }
    return join(run);
}

static pav_status interpret(pav_run *run)
{
    subdomain *whole = run->part;
    for (int64_t n = 0; n < whole->inners; n++) {
        executor *e;
        if (whole->inner[n].executor)
            continue;
        TRY(exec_interp_open(&whole->inner[n], interp_stage, &e));
        subdomain_use(&whole->inner[n], e);
    }
    return run->cut.is_cut ? join(run) : PAV_OK;
}

static void forget(ir_field *f)
{
    memset(f->stride, 0, sizeof f->stride);
}

/* Keeps strides equal in all subdomains. */
static void find_common(const pav_run *run, int64_t field)
{
    ir_field *f = &run->code->field[field];
    const field_shape whole = run_shape_of(run, f);
    for (int64_t n = 0; n < run->part->inners; n++) {
        int64_t own[MAX_DIM];
        const field_shape shape = subdomain_shape(&run->part->inner[n], field, &whole);
        levels_strides(&shape, n > 0 ? own : f->stride);
        if (n > 0 && (own[1] != f->stride[1] || own[2] != f->stride[2])) {
            forget(f);
            return;
        }
    }
}

/* Fixes the strides assumed by the host's kernels, once the decomposition is known. */
static void fix_strides(pav_run *run)
{
    for (int64_t k = 0; k < run->code->fields; k++)
        forget(&run->code->field[k]);
    if (run_uses_device_memory(run) || ir_solves(run->code) ||
        (run_serves_sizes(run) && (!run->opened.of_size || run->cut.is_cut)))
        return;
    if (!run->cut.is_cut)
        kernel_strides_of_whole(run->code);
    for (int64_t k = 0; run->cut.is_cut && k < run->code->fields; k++)
        find_common(run, k);
}

static pav_status compile(pav_run *run)
{
    kernel_set *set = NULL;
    const ir *const code[] = {run->code};
    /* The interpreter does what is done once, if the installation lacks it. */
    const bool partly = run->opened.installed ||
                        (ir_solves(run->code) &&
                         (run->work.points <= MOST_EARLY_POINTS || !host_can_compile()));
    fix_strides(run);
    const bool may = run->options.early > 0 ||
                     (run->options.early == 0 && host_starts_early() &&
                      host_threads() > 1 && run->work.points <= MOST_EARLY_POINTS);

    const bool begins = may && !host_requires_cached() && !images_are_recorded() &&
                        !run->cut.is_cut && !run->stepper->windows &&
                        run->part->inners == 0 && !run->solver.outer &&
                        !run->opened.lender && !run->program->chaotic &&
                        !schedule_fuses_steps(&run->schedule);
    const unsigned how = HOST_KEEP | (partly ? HOST_PARTLY : 0);
    TRY(kernel_set_open(code, 1, kernel_head(false), how | (begins ? HOST_BESIDE : 0),
                        &set));
    TRY(open_kernels(run, set, true, 0, NULL));
    if (begins && run->options.early > 0)
        kernels_await(run->part->executor);
    run->opened.early = begins && kernels_are_awaited(run->part->executor);
    if (!run->opened.early && *kernel_set_note(set))
        exec_warn(&run->client, "%s", kernel_set_note(set));
    return PAV_OK;
}

void run_name_device(pav_run *run, const char *name)
{
    snprintf(run->device_name, sizeof run->device_name, "%s", name);
}

/* ---- on devices with memory of their own ------------------------------------------- */

/* If the buffers of fused steps do not fit and nobody requested fusion, the run goes on
 * without it. */
static pav_status check_memory(pav_run *run)
{
    const pav_status status = run_check_memory(run);
    if (status == PAV_OK || !run->part->fuses_steps ||
        run->schedule.kind != SCHEDULE_AUTO)
        return status;
    run->part->fuses_steps = false;
    return run_check_memory(run);
}

/* Further subdomains at a place share the kernels of its first. */
static pav_status compile_places(pav_run *run)
{
    for (int n = 0; n < run->places; n++)
        TRY(place_compile(&run->place[n]));
    for (subdomain *inner = NULL; (inner = subdomain_next_inner(run->part, inner));) {
        if (!inner->executor)
            TRY(place_open_another(&run->place[inner->place], inner));
    }
    return PAV_OK;
}

static pav_status leave_places(pav_run *run)
{
    executor *e;
    TRY(exec_interp_open(run->part, interp_stage, &e));
    subdomain_use(run->part, e);
    for (int64_t n = run->part->inners - 1; n >= 0; n--)
        if (!run->part->inner[n].executor || !run->part->inner[n].executor->absent)
            subdomain_use(&run->part->inner[n], NULL);
    for (int n = 0; n < run->places; n++)
        run->place[n].executor = NULL;
    run_close_team(run);
    run->client.machine = cost_machine(run, run_place(run));
    return PAV_OK;
}

static pav_status make_whole(pav_run *run)
{
    if (run->code->carried == 0)
        return PAV_OK;
    ir_free(run->code);
    TRY(ir_build_kernels(run->program, &run->code));
    run->part->code = run->code;
    for (int64_t n = 0; n < run->part->inners; n++)
        run->part->inner[n].code = run->code;
    return run_count_work(run);
}

static pav_status begin_at_places(pav_run *run, const opening *how, bool compiles);

static pav_status begin_out_of_core(pav_run *run, const opening *how, bool compiles)
{
    TRY(leave_places(run));
    TRY(make_whole(run));
    TRY(outofcore_begin(run, &(outofcore_request){0}));
    return begin_at_places(run, how, compiles);
}

/* A grid larger than this memory is computed out of core. If the program does not permit
 * it, the error reports the memory needed in core. */
static pav_status go_out_of_core(pav_run *run, const opening *how, bool compiles,
                                 pav_status status)
{
    OWNED_BY(text_free) text why = {0};
    if (status != PAV_ENOMEM || run->stepper->windows || run->cut.is_cut ||
        place_has_hosts_memory(run_place(run)) || !outofcore_may_be(run))
        return status;
    text_add(&why, "%s", pav_message());
    status = begin_out_of_core(run, how, compiles);
    if (status == PAV_OK)
        exec_note(&run->client, "the grid is computed out of core: %s", why.data);
    else if (status == PAV_ENOMEM && why.data)
        FAIL(status, "%s", why.data);
    return status;
}

/* The first subdomain at a place; the whole grid if it is not cut. */
static subdomain *first_of_place(const pav_run *run, int number)
{
    for (int64_t n = 0; n < run->part->inners; n++)
        if (run->part->inner[n].place == number &&
            run->part->inner[n].rank == ranks_number(run->part->ranks))
            return &run->part->inner[n];
    return run->part;
}

/* A plan reports missing memory later, after listing all needs. But if another device may
 * stand in, the error is needed now, so that the plan is for that device. */
static pav_status begin_at_places(pav_run *run, const opening *how, bool compiles)
{
    run->part->fuses_steps = how->there.fuses_steps;
    run->part->plain = run->part->plain || run->schedule.plain;
    for (int n = 0; n < run->places; n++) {
        exec_place *p = &run->place[n];
        subdomain *first = first_of_place(run, n);
        const pav_run *lender = run->solver.outer ? run->solver.outer
                                                  : run->opened.lender;
        const place_source from = {.device = p->device,
                                   .set = how->there.set,
                                   .number = how->there.number,
                                   .planes = how->there.planes,
                                   .like = lender ? lender->place[first->place].executor
                                                  : NULL};
        TRY(place_open(p, &run->client, first, &from));
    }
    run->client.machine = cost_machine(run, run_place(run));
    if (how->there.set)
        return how->there.fuses_steps ? launches_find(run, how) : PAV_OK;
    if (place_kind_of(how->device) == PLACE_GPU) {
        if (!run->cut.is_cut && !run->stepper->windows)
            TRY(launch_may_be(&run->client, run->code, &run->part->fuses_steps));
        TRY(emit_split_stages(run->code, &run->schedule));
        /* Split stages have one more field between them, with halos as wide. */
        TRY(!run->part->wide || run->code->carried == 0
                ? PAV_OK
                : run_widen(run, run->options.exchange_every));
    }
    TRY(run_count_work(run));
    TRY(run_plan_steps(run));
    TRY(launches_find(run, how));
    TRY(run_choose_exchange(run, how));
    const pav_status status = go_out_of_core(run, how, compiles, check_memory(run));
    return compiles || how->device->automatic ? status : PAV_OK;
}

/* Replaces a failed device by the processors, or else by the interpreter. The caller
 * frees *device after the run is open. */
static pav_status stand_in(pav_run *run, opening *how, pav_device **device)
{
    OWNED_BY(text_free) text why = {0};
    text_add(&why, "%s", pav_message());
    TRY(leave_places(run));
    pav_status status = pav_device_open("cpu", device);
    if (status == PAV_EDEVICE)
        status = pav_device_open("interpreter", device);
    TRY(status);
    TRY(make_whole(run));
    (*device)->automatic = true;
    how->device = *device;
    for (int n = 0; n < run->places; n++)
        run->place[n].kind = place_kind_of(*device);
    run->compiled = place_kind_of(*device) == PLACE_PROCESSORS;
    run_name_device(run, pav_device_name(*device));
    exec_warn(&run->client, "the device %s runs this program: %s",
              pav_device_name(*device), why.failed ? "the GPU cannot" : why.data);
    return PAV_OK;
}

/* A schedule unknown on processors requests a GPU, so no processor may stand in. */
static bool is_of_processors(const pav_run *run, schedule *on_cpu)
{
    const schedule_place cpu = {.name = "cpu"};
    return schedule_parse(run->options.schedule, cpu, on_cpu) == PAV_OK;
}

/* If no device was named, another one stands in for a device that fails. */
pav_status run_open_places(pav_run *run, opening *how, bool compiles, pav_device **other)
{
    schedule on_cpu;
    if (!how->there.set && place_kind_of(how->device) != PLACE_GPU)
        return PAV_OK;
    const bool named = how->there.set || !how->device->automatic ||
                       !is_of_processors(run, &on_cpu);
    pav_status status = begin_at_places(run, how, compiles);
    if (status == PAV_OK && compiles)
        status = compile_places(run);
    if (status == PAV_OK || named || host_requires_cached())
        return status;
    run_drop_choice(run);
    run->schedule = on_cpu;
    return stand_in(run, how, other);
}

/* ---- on the host ------------------------------------------------------------------- */

/* The interpreter sweeps over rows on one thread; it has no other schedule. */
static void note_interpreter(pav_run *run, const pav_device *device)
{
    const schedule_kind requested = run->schedule.kind;
    if (device && device->lacking)
        exec_warn(&run->client, "the interpreter runs this program, slowly: %s",
                  device->lacking);
    if (requested != SCHEDULE_AUTO && !run->known.choice)
        exec_warn(&run->client,
                  "the schedule %s is the device cpu's: the interpreter goes over rows",
                  schedule_name(requested));
    if (run->options.threads > 1 || run->options.bind)
        exec_warn(&run->client,
                  "the interpreter runs on one thread that is not bound: --threads "
                  "and --bind change nothing there");
}

/* The device that computes the subdomains in the host's memory: the run's device, or the
 * host's entry in a list of several devices. */
static const pav_device *host_of(const pav_run *run, const pav_device *device)
{
    for (int n = 0; n < run->places && run->places > 1; n++)
        if (!place_has_memory(&run->place[n]))
            return run->place[n].device;
    return device;
}

static pav_status open_own_team(pav_run *run)
{
    if (run->team.all) /* opened for stages that a device leaves to the host */
        return PAV_OK;
    run->compiled = true;
    return open_team(run, NULL);
}

/* If no device was named, the interpreter stands in for one that fails. */
pav_status run_open_executor(pav_run *run, const opening *how)
{
    const pav_device *device = host_of(run, how->device);
    if (run_uses_device_memory(run) && run->stepper->windows) {
        /* Out of core, all but the steps is computed in the host's memory: by kernels
         * if they compile, by the interpreter in runs for checks. */
        const int64_t line = run->part->executor->line;
        if (how->there.set)
            return PAV_OK;
        if (!run->team.all)
            TRY(open_team(run, NULL));
        const pav_status status = compile(run);
        run->part->executor->line = line;
        if (status == PAV_OK || status == PAV_ENOMEM || host_requires_cached())
            return status;
        exec_warn(&run->client,
                  "the interpreter does on the host what is no step, slowly: %s",
                  pav_message());
        return PAV_OK;
    }
    if (places_have_memory(run))
        return run->cut.is_cut ? join(run) : PAV_OK;
    if (how->set) {
        TRY(open_team(run, how->loop));
        return open_kernels(run, (kernel_set *)(uintptr_t)how->set, false,
                            how->there.number, how->loop);
    }
    if (place_kind_of(device) != PLACE_PROCESSORS) {
        note_interpreter(run, device);
        return interpret(run);
    }
    if (device->lacking)
        exec_warn(&run->client, "the device %s runs this program: %s",
                  pav_device_name(device), device->lacking);
    TRY(open_own_team(run));
    run->opened.automatic = device->automatic;
    const pav_status status = compile(run);
    if (status == PAV_OK || status == PAV_ENOMEM || !device->automatic ||
        host_requires_cached())
        return status;
    exec_warn(&run->client, "the interpreter runs this program, slowly: %s",
              pav_message());
    run->compiled = false;
    run_close_team(run);
    run_name_device(run, "interpreter");
    note_interpreter(run, NULL);
    return interpret(run);
}

pav_status run_take_options(pav_run *run, const pav_device *device)
{
    const pav_run_options *o = &run->options;
    const schedule_place on = place_schedules(device, device ? pav_device_name(device)
                                                             : "interpreter");
    host_binding binding;
    if (o->threads < 0 || o->threads > HOST_MOST_THREADS)
        return FAIL(PAV_ELIMIT, "a run takes at most %d threads, or 0 for all, not %d",
                    HOST_MOST_THREADS, o->threads);
    TRY(host_binding_find(o->bind, &binding));
    const char *words = o->bundle ? bundle_schedule(o->bundle) : NULL;
    const bool taken = !o->schedule && words && !strchr(words, ';');
    return schedule_parse(taken ? words : o->schedule, on, &run->schedule);
}
