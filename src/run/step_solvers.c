/* SPDX-License-Identifier: BSD-3-Clause */
/* Equations solved within a step. Each has a run of its own, on the same device with the
 * same decomposition; its steps are iterations of the method. In each step it gets the
 * right side, the coefficients and a start, begins anew, and hands its solution back. It
 * keeps nothing from step to step. */
#include <stdlib.h>
#include <string.h>

#include "run/run_private.h"

/* ---- opening ----------------------------------------------------------------------- */

static int field_named(const ir *code, const char *name)
{
    for (int64_t f = 0; f < code->fields; f++)
        if (strcmp(code->field[f].name, name) == 0)
            return (int)f;
    return -1;
}

/* The first stage of the step that reads the field. */
static int stage_reading(const ir *code, int field)
{
    for (int64_t n = 0; n < code->step.count; n++) {
        const ir_stage *s = &code->stage[code->step.stage[n]];
        for (int64_t k = 0; k < s->count; k++)
            if (s->node[k].op == IR_LOAD && s->node[k].field == field)
                return code->step.stage[n];
    }
    return -1;
}

static pav_run_options options_of(const pav_run *run)
{
    return (pav_run_options){.no_files = 1,
                             .ranks = run->options.ranks,
                             .nan_check_every = -1,
                             .threads = run->options.threads,
                             .bind = run->options.bind,
                             .copy_rate = -1,
                             .force = run->options.force};
}

static pav_status open_one(pav_run *run, const opening *how, run_opener *open,
                           step_solver *s)
{
    const solution *of = s->solution;
    const pav_run_options options = options_of(run);
    opening own = {.runner = how->runner,
                   .device = how->device,
                   .plain = how->plain,
                   .cut = run->cut.is_cut ? &run->cut.boxes : NULL,
                   .within = run,
                   .solution = of};

    TRY(open(&own, &options, &s->run));
    s->field = field_named(run->code, of->solved);
    s->stage = stage_reading(run->code, s->field);
    for (int k = 0; k < of->handed; k++) {
        s->from[k] = field_named(run->code, of->hand[k].from);
        s->to[k] = field_named(s->run->code, of->hand[k].to);
        if (s->from[k] < 0 || s->stage < 0)
            return FAIL(PAV_EINTERNAL, "a step lacks %s", of->hand[k].from);
        if (s->to[k] >= 0)
            s->run->setup.written[s->to[k]] = true;
    }
    return PAV_OK;
}

/* ---- from run to run --------------------------------------------------------------- */

/* Copies the points of a level, through the host's memory if no device memory has
 * both. */
static pav_status copy_level(const pav_run *from, int field, int level, const pav_run *to,
                             int target)
{
    static const int64_t nowhere[MAX_DIM];
    executor *a = from->part->executor, *b = to->part->executor;
    const view *there = from->part->view[field][1 - level],
               *here = to->part->view[target][1];

    if (!to->cut.is_cut && a->place == b->place) {
        const box all = view_points(here);
        return b->ops.copy_box(b, target, here, &all, a, field, there, nowhere);
    }
    TRY(run_host_view(from, field, level, HOST_READ, &there));
    TRY(run_host_view(to, target, 0, HOST_FILL, &here));
    return executor_host_ops.copy_points(b, target, here, there, NULL);
}

/* Parameters and scalars of the step become scalars of the solver. */
static void hand_numbers(const pav_run *run, pav_run *solver)
{
    for (int64_t k = 0; k < solver->code->uniforms; k++) {
        const ir_uniform *u = &solver->code->uniform[k];
        for (int64_t n = 0; u->kind == UNIFORM_SCALAR && n < run->code->uniforms; n++) {
            const ir_uniform *own = &run->code->uniform[n];
            if ((own->kind == UNIFORM_SCALAR || own->kind == UNIFORM_PARAM) &&
                own->name && strcmp(own->name, u->name) == 0)
                solver->part->uniform[k] = run->part->uniform[n];
        }
    }
}

static pav_status hand_fields(const pav_run *run, const step_solver *s)
{
    const solution *of = s->solution;

    for (int k = 0; k < of->handed; k++)
        if (s->to[k] >= 0)
            TRY(copy_level(run, s->from[k], of->hand[k].level, s->run, s->to[k]));
    return PAV_OK;
}

static pav_status start_again(pav_run *solver)
{
    subdomain_set_step(solver->part, 0);
    solver->solver.residuals = 0;
    solver->progress.until_met = false;
    solver->progress.started = true;
    return run_start_given(solver);
}

/* ---- a solution -------------------------------------------------------------------- */

static pav_status iterate(pav_run *solver)
{
    TRY(run_check_until(solver, false, &solver->progress.until_met));
    TRY(run_take_steps(solver, solver->steps));
    solver->observers.until_fails = !solver->progress.until_met;
    return solver_end(solver);
}

static pav_status solve_now(pav_run *run, step_solver *s)
{
    pav_run *solver = s->run;
    const int64_t step = run->part->step + 1;

    solver->part->time = (double)step * subdomain_step_time(run->part);
    hand_numbers(run, solver);
    TRY(hand_fields(run, s));
    TRY(start_again(solver));
    const pav_status status = iterate(solver);
    if (status != PAV_OK)
        return FAIL(status, "%s; this was in step %lld", pav_message(), (long long)step);
    const int64_t steps = solver->part->step;
    s->solutions++;
    s->steps += steps;
    s->most = steps > s->most ? steps : s->most;
    return copy_level(solver, field_named(solver->code, s->solution->field), 0, run,
                      s->field);
}

static pav_status solve_before(pav_run *run, int stage)
{
    for (int64_t n = 0; n < run->solver.solution.count; n++)
        if (run->solver.within[n].stage == stage)
            TRY(solve_now(run, &run->solver.within[n]));
    return PAV_OK;
}

pav_status step_solvers_open(pav_run *run, const opening *how, run_opener *open)
{
    if (run->solver.solution.count == 0)
        return PAV_OK;
    run->solver.within = mem_new(run->solver.solution.count, sizeof *run->solver.within);
    if (!run->solver.within)
        return PAV_ENOMEM;
    run->solver.before_stage = solve_before;
    for (int64_t n = 0; n < run->solver.solution.count; n++) {
        run->solver.within[n].solution = &run->solver.solution.each[n];
        TRY(open_one(run, how, open, &run->solver.within[n]));
        exec_note(&run->client, "%s in each step: %s", run->solver.solution.each[n].field,
                  run->solver.solution.each[n].about);
    }
    return PAV_OK;
}
