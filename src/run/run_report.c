/* SPDX-License-Identifier: BSD-3-Clause */
/* What a run tells while it goes on and when it is done. Rates count every grid point once a step;
 * bytes are those the program's fields must at least move, each level of each field once. */
#include <math.h>
#include <stdio.h>

#include "run/run_private.h"

void run_note(pav_run *run, const char *format, ...)
{
    char line[1024];
    va_list list;
    if (!run->options.listener)
        return;
    va_start(list, format);
    vsnprintf(line, sizeof line, format, list);
    va_end(list);
    run->options.listener(run->options.user, PAV_EVENT_NOTE, NULL, line);
}

static double rate(double amount, double seconds)
{
    return seconds > 0 ? amount / seconds : 0;
}

static bool is_time(const pav_run *run, double now)
{
    const double least = run->options.report_seconds > 0 ? run->options.report_seconds
                                                         : 0.5;
    return run->options.listener && now - run->report_at >= least;
}

static pav_status setup_goes_on(void *user, int64_t more)
{
    pav_run *run = user;
    const double now = clock_seconds();
    char line[160];
    run->setup_done += more;
    if (!is_time(run, now))
        return PAV_OK;
    const double share = rate((double)run->setup_done, (double)run->setup_points);
    const pav_progress progress = {
        .steps = run->steps, .seconds_left = -1, .points = run->points};
    run->report_at = now;
    snprintf(line, sizeof line, "%s %.64s, %.0f %% done", run->setup_what, run->setup_of,
             100 * share);
    if (run->options.listener(run->options.user, PAV_EVENT_SETUP, &progress, line))
        return FAIL(PAV_EINTERRUPTED, "stopped before the first step: %s", line);
    return PAV_OK;
}

pav_status run_tell_setup(pav_run *run, const char *what, const char *of, int64_t done)
{
    run->setup = (asker){.ask = setup_goes_on, .user = run};
    run->setup_what = what;
    run->setup_of = of;
    run->setup_done = done;
    return setup_goes_on(run, 0);
}

void run_tell_progress(pav_run *run, bool force)
{
    const double now = clock_seconds();
    if (!run->options.listener || (!force && !is_time(run, now)))
        return;
    const double seconds = run->seconds - run->report_seconds;
    const double steps = (double)(run->step - run->report_step);
    const pav_progress progress = {
        .step = run->step,
        .steps = run->steps,
        .seconds = run->seconds,
        .gpts = rate(steps * (double)run->points, seconds) / 1e9,
        .gbytes = rate(steps * run->step_bytes, seconds) / 1e9,
        .seconds_left = run->step > 0 && run->steps > 0
                            ? run->seconds / (double)run->step *
                                  (double)(run->steps - run->step)
                            : -1,
        .points = run->points,
    };
    run->report_at = now;
    run->report_seconds = run->seconds;
    run->report_step = run->step;
    if (run->options.listener(run->options.user, PAV_EVENT_PROGRESS, &progress, NULL))
        run->stopped = true;
}

/* ---- the report --------------------------------------------------------------------------- */

typedef struct figures {
    double gpts, gpts_all, gbytes, gflops;
} figures;

static figures figures_of(const pav_run *run)
{
    const double updates = (double)run->step * (double)run->points;
    return (figures){
        .gpts = rate(updates, run->seconds) / 1e9,
        .gpts_all = rate(updates,
                         run->seconds + run->setup_seconds + run->output_seconds) /
                    1e9,
        .gbytes = rate((double)run->step * run->step_bytes, run->seconds) / 1e9,
        .gflops = rate((double)run->step * run->step_flops, run->seconds) / 1e9,
    };
}

static bool has_failed(const pav_run *run)
{
    return run->ended != PAV_OK && run->ended != PAV_EINTERRUPTED;
}

static const char *state(const pav_run *run)
{
    return has_failed(run)          ? "failed"
           : run->until_met         ? "done: until holds"
           : run->stopped           ? "stopped"
           : run->step < run->steps ? "unfinished"
                                    : "done";
}

static void measures_text(const pav_run *run, text *t)
{
    for (int64_t k = 0; k < run->recorders; k++) {
        const recorder *r = &run->recorder[k];
        if (r->event && r->rows > 0)
            text_add(t, "%-12s %s = %.9g\n", "measure", r->statement->symbol->name,
                     r->row[LEADING]);
    }
}

static void expects_text(const pav_run *run, text *t)
{
    for (int64_t k = 0; run->checked && k < run->code->expects.count; k++) {
        const ir_event *event = &run->code->expects.item[k];
        const expectation *e = &run->expected[k];
        text_add(t, "%-12s %s: %s", "expect", event->text,
                 e->value != 0 ? "holds" : "FAILS");
        if (event->left >= 0) {
            text_add(t, " (");
            text_add_sides(t, e->left, " against ", e->right);
            text_add(t, ")");
        }
        text_add(t, "\n");
    }
}

static void head_text(const pav_run *run, text *t)
{
    const char *why = has_failed(run) ? run->why : NULL;
    text_add(t, "%-12s %s\n", "program", run->program->name);
    text_add(t, "%-12s ", "grid");
    int64_t extent[MAX_DIM];
    for (int axis = 0; axis < MAX_DIM; axis++)
        extent[axis] = points_along(run->code, axis, false);
    text_add_extent(t, run->code->dim, extent);
    text_add(t, ", %s\n%-12s %s\n", pav_type_name(run->program->real), "device",
             run->device_name);
    text_add(t, "%-12s %lld of %lld, %s", "steps", (long long)run->step,
             (long long)run->steps, state(run));
    text_add(t, "%s%s\n", why ? ": " : "", why ? why : "");
}

static void report_text(const pav_run *run, text *t)
{
    const figures f = figures_of(run);
    head_text(run, t);
    text_add(t, "%-12s ", "time");
    text_add_duration(t, run->seconds);
    text_add(t, " in steps, ");
    text_add_duration(t, run->setup_seconds);
    text_add(t, " set-up, ");
    text_add_duration(t, run->output_seconds);
    text_add(t, " output and checks\n");
    text_add(t, "%-12s %.4g Gpts/s (%.4g with set-up and output)\n", "speed", f.gpts,
             f.gpts_all);
    text_add(t, "%-12s %.4g GB/s of fields, %.4g Gflop/s\n", "rates", f.gbytes, f.gflops);
    text_add(t, "%-12s ", "memory");
    text_add_bytes_size(t, mem_peak());
    text_add(t, " at most\n");
    measures_text(run, t);
    expects_text(run, t);
}

static void json_number(text *t, const char *name, double value)
{
    text_add(t, "\"%s\": ", name);
    if (isfinite(value))
        text_add_double(t, value);
    else
        text_add(t, "null");
}

static void json_measures(const pav_run *run, text *t)
{
    const char *comma = "";
    text_add(t, "\"measures\": {");
    for (int64_t k = 0; k < run->recorders; k++) {
        const recorder *r = &run->recorder[k];
        if (!r->event || r->rows == 0)
            continue;
        text_add(t, "%s", comma);
        json_number(t, r->statement->symbol->name, r->row[LEADING]);
        comma = ", ";
    }
    text_add(t, "}, \"expects\": [");
    for (int64_t k = 0; run->checked && k < run->code->expects.count; k++) {
        const expectation *e = &run->expected[k];
        text_add(t, "%s{\"text\": ", k ? ", " : "");
        text_add_json(t, run->code->expects.item[k].text);
        text_add(t, ", \"holds\": %s, ", e->value != 0 ? "true" : "false");
        json_number(t, "left", e->left);
        text_add(t, ", ");
        json_number(t, "right", e->right);
        text_add(t, "}");
    }
    text_add(t, "]");
}

static void json_grid(const pav_run *run, text *t)
{
    text_add(t, "\"grid\": [");
    for (int axis = 0; axis < run->code->dim; axis++)
        text_add(t, "%s%lld", axis ? ", " : "",
                 (long long)points_along(run->code, axis, false));
    text_add(t, "], ");
}

static void report_json(const pav_run *run, text *t)
{
    const figures f = figures_of(run);
    uint64_t identity;
    t->failed |= program_identity(run->program, &identity) != PAV_OK;
    text_add(t, "{\"program\": ");
    text_add_json(t, run->program->name);
    text_add(t, ", \"identity\": \"%016llx\", ", (unsigned long long)identity);
    json_grid(run, t);
    text_add(t, "\"type\": \"%s\", \"device\": \"%s\", ",
             pav_type_name(run->program->real), run->device_name);
    text_add(t, "\"steps\": %lld, \"steps_asked\": %lld, \"state\": \"%s\", ",
             (long long)run->step, (long long)run->steps, state(run));
    text_add(t, "\"message\": ");
    if (has_failed(run) && run->why)
        text_add_json(t, run->why);
    else
        text_add(t, "null");
    text_add(t, ", ");
    const struct {
        const char *name;
        double value;
    } numbers[] = {
        {"seconds", run->seconds},
        {"seconds_setup", run->setup_seconds},
        {"seconds_output", run->output_seconds},
        {"gpts", f.gpts},
        {"gpts_all", f.gpts_all},
        {"gbytes", f.gbytes},
        {"gflops", f.gflops},
        {"memory_peak", (double)mem_peak()},
    };
    for (size_t k = 0; k < COUNT_OF(numbers); k++) {
        json_number(t, numbers[k].name, numbers[k].value);
        text_add(t, ", ");
    }
    json_measures(run, t);
    text_add(t, "}\n");
}

pav_status pav_run_report(pav_run *run, int json, char **result)
{
    text t = {0};
    if (result)
        *result = NULL;
    if (!run || !result)
        return FAIL(PAV_EINVAL, "pav_run_report needs a run and a place for the text");
    if (json)
        report_json(run, &t);
    else
        report_text(run, &t);
    return text_take(&t, result);
}
