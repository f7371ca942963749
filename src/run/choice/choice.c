/* SPDX-License-Identifier: BSD-3-Clause */
/* Schedules from wisdom, if the user requests none. The known schedule of the problem is
 * used without trials or extra compiling. A schedule from another size is tried first. */
#include <stdlib.h>
#include <string.h>

#include "run/choice/choice_private.h"

/* ---- the problem ------------------------------------------------------------------- */

/* True for a run of the whole grid on one device. */
static bool is_alone(const pav_run *run)
{
    return run->places == 1 && !run->cut.is_cut && !run->outofcore && !run->part->ranks &&
           !run->solver.outer;
}

static bool may_be_known(const pav_run *run, const opening *how)
{
    return place_has_schedules(how->device) && !how->runner && !how->rough &&
           run->options.wisdom >= 0 && !run->options.bundle && is_alone(run) &&
           run->code->step.count <= CHOICE_STAGES;
}

pav_status choice_problem(const pav_run *run, const pav_device *device, wisdom_line *key)
{
    text machine = {0}, compiled_by = {0};
    *key = (wisdom_line){
        .program = wisdom_program(run->code, run_steps_between_observations(run)),
        .dim = run->code->dim,
        .real = run->program->real};
    for (int axis = 0; axis < MAX_DIM; axis++)
        key->extent[axis] = points_along(run->code, axis, false);
    pav_status status = device_identity(device, &machine, &compiled_by);
    if (status == PAV_OK && !place_kind_of(device)->own_memory)
        text_add(&machine, ", %d thread%s", run_threads(run),
                 run_threads(run) == 1 ? "" : "s");
    if (machine.failed)
        status = PAV_ENOMEM;
    if (status == PAV_OK) {
        wisdom_put(key->machine, machine.data);
        wisdom_put(key->compiler, compiled_by.data);
        wisdom_put(key->version, pav_version());
        wisdom_put(key->name, run->program->name);
    }
    text_free(&machine);
    text_free(&compiled_by);
    return status;
}

/* ---- taking ------------------------------------------------------------------------ */

/* Requests fused steps like a caller, if the run has enough steps. */
static void go_by(pav_run *run)
{
    run_choice *c = run->known.choice;
    const bool splits = c->stages > 0 && c->stage[0].kind == SCHEDULE_TWO_PASS;
    if (c->is_hint)
        return;
    if (c->is_wisdom && run->steps > 0 && run->steps <= c->several.tile.steps)
        c->several = (schedule){.kind = SCHEDULE_AUTO};
    if (c->several.kind != SCHEDULE_AUTO)
        run->schedule = c->several;
    else if (splits)
        run->schedule = c->stage[0];
}

enum take_as { AS_ASKED, AS_WISDOM, AS_HINT };
static pav_status take(pav_run *run, const char *words, schedule_place on,
                       enum take_as how)
{
    run->known.choice = mem_new(1, sizeof *run->known.choice);
    if (!run->known.choice)
        return PAV_ENOMEM;
    const pav_status status = run_choice_parse(run, words, on, run->known.choice);
    run->known.choice->is_wisdom = how == AS_WISDOM;
    run->known.choice->is_hint = how == AS_HINT;
    if (status == PAV_OK)
        go_by(run);
    else
        run_drop_choice(run);
    return status;
}

static pav_status refuse_unknown(const pav_run *run)
{
    const wisdom_line *key = run->known.problem;
    text grid = {0};
    text_add_extent(&grid, key->dim, key->extent);
    const pav_status status = FAIL(
        PAV_EUNSUPPORTED,
        "wisdom knows nothing of %s of %s points of %s on %s: `pavior tune` finds "
        "it out",
        run->program->name, grid.data ? grid.data : "", pav_type_name(key->real),
        key->machine);
    text_free(&grid);
    return status;
}

/* An unreadable line of wisdom is ignored. */
static pav_status take_known(pav_run *run, const wisdom *w, schedule_place on)
{
    const wisdom_line *known = wisdom_find(w, run->known.problem);
    const wisdom_line *near = known ? known : wisdom_nearest(w, run->known.problem);
    if (run->options.wisdom > 0 && !known)
        return refuse_unknown(run);
    if (!near)
        return PAV_OK;
    const pav_status status = take(run, near->schedule, on, known ? AS_WISDOM : AS_HINT);
    const bool same = near->program == run->known.problem->program;
    if (status == PAV_OK && known) {
        run->known.choice->gpts = known->gpts;
        wisdom_put(run->known.choice->name, known->name);
    }
    if (status != PAV_OK && status != PAV_ENOMEM && same)
        exec_warn(&run->client, "what wisdom knows of this run is not taken: %s",
                  pav_message());
    return status == PAV_ENOMEM ? status : PAV_OK;
}

static pav_status ask_wisdom(pav_run *run, schedule_place on)
{
    wisdom w;
    pav_status status = wisdom_load(&w);
    if (status != PAV_OK && status != PAV_ENOMEM && run->options.wisdom == 0) {
        exec_warn(&run->client, "wisdom is not asked: %s", pav_message());
        return PAV_OK;
    }
    if (status == PAV_OK)
        status = take_known(run, &w, on);
    wisdom_free(&w);
    return status;
}

pav_status run_find_choice(pav_run *run, const opening *how)
{
    const schedule_place on = place_schedules(how->device, run->device_name);
    const pav_bundle *bundle = run->options.bundle;
    if (how->choice)
        return take(run, how->choice, on, AS_ASKED);
    if (bundle && !run->options.schedule && strchr(bundle_schedule(bundle), ';'))
        return take(run, bundle_schedule(bundle), on, AS_ASKED);
    if (run->schedule.kind != SCHEDULE_AUTO || how->unwise || !may_be_known(run, how))
        return PAV_OK;
    run->known.problem = mem_new(1, sizeof *run->known.problem);
    if (!run->known.problem)
        return PAV_ENOMEM;
    TRY(choice_problem(run, how->device, run->known.problem));
    return ask_wisdom(run, on);
}
