/* SPDX-License-Identifier: BSD-3-Clause */
/* Runs the shots of a recorded survey. A single shot writes its own files. Several shots
 * computed together keep their rows of samples, and each shot's rows are then written in
 * the form of a single run. */
#include "imaging/imaging_private.h"

/* Drops notes and setup events, which would repeat for each shot. */
static int listen(void *user, pav_event event, const pav_progress *progress,
                  const char *said)
{
    const pav_adjoint_options *o = user;

    if (event == PAV_EVENT_NOTE || event == PAV_EVENT_SETUP)
        return 0;
    return o->listener(o->user, event, progress, said);
}

static pav_run_options options_of(const pav_adjoint_options *o, const char *directory)
{
    return (pav_run_options){.listener = listen,
                             .user = (void *)(uintptr_t)o,
                             .report_seconds = 0.2,
                             .steps = o->steps,
                             .directory = directory,
                             .no_files = !directory,
                             .threads = o->threads,
                             .schedule = o->schedule};
}

static pav_status run_one(const recorded_shot *s, pav_device *device,
                          const pav_adjoint_options *o)
{
    const pav_run_options options = options_of(o, s->directory.data);
    pav_run *run = NULL;
    pav_status status = pav_run_open((const pav_program *)(const void *)s->program,
                                     device, &options, &run);

    if (status == PAV_OK)
        status = pav_run_finish(run);
    pav_run_free(run);
    return status;
}

/* ---- several as one ---------------------------------------------------------------- */

static pav_status check_alike(recorded_shot *const *s, int64_t count)
{
    for (const statement *n = s[0]->program->first; n; n = n->next)
        if (n->kind == STATEMENT_OUTPUT)
            return FAIL(PAV_EUNSUPPORTED, "%s writes fields with `output`",
                        s[0]->program->name);
    for (int64_t n = 1; n < count; n++)
        TRY(shots_alike(s[0]->program, s[n]->program));
    return PAV_OK;
}

/* Refuses more shots than memory holds, because their rows are kept until the run is
 * over. */
static pav_status check_rows(const pav_run *run)
{
    const int64_t free_now = mem_available();

    if (free_now < 0 || run_rows_bytes(run) < free_now / 4)
        return PAV_OK;
    return FAIL(PAV_EUNSUPPORTED, "what so many shots record does not fit in memory");
}

static pav_status write_rows(pav_run *all, recorded_shot *const *s, int64_t count)
{
    pav_device *device = NULL;
    pav_status status = pav_device_open("interpreter", &device);

    for (int64_t n = 0; status == PAV_OK && n < count; n++) {
        const pav_run_options options = {.directory = s[n]->directory.data};
        pav_run *run = NULL;
        status = pav_run_open((const pav_program *)(const void *)s[n]->program, device,
                              &options, &run);
        if (status == PAV_OK)
            status = run_write_samples(run, all, n, count);
        pav_run_free(run);
    }
    pav_device_free(device);
    return status;
}

static pav_status run_stack(program *stack, recorded_shot *const *s, int64_t count,
                            pav_device *device, const pav_adjoint_options *o)
{
    const pav_run_options options = options_of(o, NULL);
    const program *all[MOST_TOGETHER];
    pav_run *run = NULL;

    for (int64_t n = 0; n < count; n++)
        all[n] = s[n]->program;
    program_stack(stack, all, count);
    pav_status status = run_open_given(stack, device, &options, NULL, NULL, &run);
    if (status == PAV_OK)
        status = check_rows(run);
    if (status == PAV_OK)
        shots_note_together(o, count);
    if (status == PAV_OK)
        status = pav_run_finish(run);
    if (status == PAV_OK)
        status = write_rows(run, s, count);
    pav_run_free(run);
    return status;
}

pav_status shots_run(const shot_list *l, recorded_shot *const *s, int64_t count,
                     pav_device *device, const pav_adjoint_options *o)
{
    program *stack = NULL;

    if (count == 1)
        return run_one(s[0], device, o);
    TRY(check_alike(s, count));
    TRY(shots_parse(l, s[0]->number, &stack));
    const pav_status status = run_stack(stack, s, count, device, o);
    program_free(stack);
    return status;
}
