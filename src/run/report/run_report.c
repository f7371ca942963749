/* SPDX-License-Identifier: BSD-3-Clause */
/* Reports of a run, during and after it. Rates count each grid point once per step. Bytes
 * are the least that the fields must move: each level of each field once. */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "run/run_private.h"

/* ---- the report -------------------------------------------------------------------- */

static bool has_failed(const pav_run *run)
{
    return run->progress.ended != PAV_OK && run->progress.ended != PAV_EINTERRUPTED;
}

const char *run_state(const pav_run *run)
{
    const bool all = run->steps > 0 && run->part->step >= run->steps;
    return has_failed(run)                 ? "failed"
           : pav_run_until(run) > 0        ? "done: until holds"
           : run->observers.until_fails    ? "done: until does not hold"
           : run->progress.stopped && !all ? "stopped"
           : run->part->step < run->steps  ? "unfinished"
                                           : "done";
}

static void measures_text(const pav_run *run, text *t)
{
    for (int64_t k = 0; k < run->observers.recorders; k++) {
        const recorder *r = &run->observers.recorder[k];
        double value;
        int64_t step;
        if (rows_measured(r, &value, &step))
            text_add(t, "%-12s %s = %.9g at step %lld\n", "measure",
                     r->statement->symbol->name, value, (long long)step);
    }
}

static void expects_text(const pav_run *run, text *t)
{
    for (int64_t k = 0; run->observers.checked && k < run->code->expects.count; k++) {
        const ir_event *event = &run->code->expects.item[k];
        const expectation *e = &run->observers.expected[k];
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

void run_device_words(const pav_run *run, int threads, text *t)
{
    text_add(t, "%s", run->device_name);
    const char *name = run_executor_figures(run).name;
    const int pauses = host_team_pauses(run->team.all);
    if (name)
        text_add(t, " (%s)", name);
    else
        text_add(t, ", %d thread%s%s", threads, threads == 1 ? "" : "s",
                 host_team_is_bound(run->team.all) ? ", each bound to a core" : "");
    if (pauses)
        text_add(t, ", one alone %d time%s: others waited for processors", pauses,
                 pauses == 1 ? "" : "s");
    if (!run->cut.is_cut)
        return;
    text_add(t, ", ");
    text_add_extent(t, run->code->dim, run->cut.boxes.parts);
    text_add(t, " subdomains");
    if (run->part->ranks)
        text_add(t, " on %d ranks", ranks_count(run->part->ranks));
}

static void add_schedule(const pav_run *run, text *t)
{
    if (!run->part->executor->compiled)
        return;
    text_add(t, "\n%-12s ", "schedule");
    run_schedule_string(run, t);
    run_choice_text(run, t);
    if (!run_is_tuned(run))
        text_add(t, "; more steps would try others");
}

/* Observations cut time blocks, so blocks may be shorter than requested. */
static void blocks_text(const pav_run *run, text *t)
{
    const block_count *count = run_blocks(run);
    if (count->taken == 0 && run_block_steps(run) < 2)
        return;
    text_add(t, "\n%-12s ", "time blocks");
    if (count->taken == 0)
        text_add(t, "none, single steps alone");
    else
        text_add(t, "%lld, of %lld steps at most", (long long)count->taken,
                 (long long)count->longest);
    const int shorter = run_executor_figures(run).shorter;
    if (count->shorter > 0 && shorter > 0)
        text_add(t, ", %lld of them of %d before observations", (long long)count->shorter,
                 shorter);
    else if (count->shorter > 0)
        text_add(t, ", %lld of them shorter before observations",
                 (long long)count->shorter);
}

/* Reports if the relaxation is asynchronous, or the reason against it. */
static void chaotic_text(const pav_run *run, text *t)
{
    if (!run->program->chaotic)
        return;
    text_add(t, "\n%-12s ", "chaotic");
    if (run->blocks.async || run_executor_figures(run).persistent)
        text_add(t, "blocks do not wait for each other");
    else
        text_add(t, "all wait after each step: %s",
                 run->outofcore          ? "the grid is computed out of core"
                 : run->blocks.no_async  ? run->blocks.no_async
                 : run_has_launches(run) ? "that is for --schedule persistent"
                                         : "there are no kernels");
}

static void head_text(const pav_run *run, const figures *f, text *t)
{
    const char *why = has_failed(run) ? run->progress.why : NULL;
    text_add(t, "%-12s %s\n", "program", run->program->name);
    text_add(t, "%-12s ", "grid");
    int64_t extent[MAX_DIM];
    for (int axis = 0; axis < MAX_DIM; axis++)
        extent[axis] = points_along(run->code, axis, false);
    text_add_extent(t, run->code->dim, extent);
    text_add(t, ", %s\n%-12s ", pav_type_name(run->program->real), "device");
    run_device_words(run, f->threads, t);
    add_schedule(run, t);
    blocks_text(run, t);
    chaotic_text(run, t);
    outofcore_report_text(run, t);
    text_add(t, "\n%-12s %lld of %lld, %s", "steps", (long long)run->part->step,
             (long long)run->steps, run_state(run));
    if (run->first_step > 0)
        text_add(t, ", from step %lld on", (long long)run->first_step);
    text_add(t, "%s%s\n", why ? ": " : "", why ? why : "");
}

static void time_text(const pav_run *run, text *t)
{
    text_add(t, "%-12s ", "time");
    text_add_duration(t, run->seconds.steps);
    text_add(t, " in steps, ");
    text_add_duration(t, run->seconds.setup);
    text_add(t, " set-up, ");
    text_add_duration(t, run->seconds.output);
    text_add(t, " output and checks");
    if (run->checkpoint.count > 0) {
        text_add(t, ", ");
        text_add_duration(t, run->checkpoint.spent);
        text_add(t, " in %lld checkpoint%s", (long long)run->checkpoint.count,
                 run->checkpoint.count == 1 ? "" : "s");
    }
    text_add(t, "\n");
}

static void copy_text(const pav_run *run, const figures *f, text *t)
{
    if (f->copy_gbytes > 0 && run_uses_device_memory(run))
        text_add(
            t,
            "%-12s %.1f %% of the %.4g GB/s at which the device copied its own memory "
            "right after the run\n",
            "of copying", f->percent, f->copy_gbytes);
    else if (f->copy_gbytes > 0)
        text_add(
            t,
            "%-12s %.1f %% of the %.4g GB/s at which %d thread%s copied memory right "
            "after the run\n",
            "of copying", f->percent, f->copy_gbytes, f->threads,
            f->threads == 1 ? "" : "s");
}

/* From the timed exchanges only. */
static void hidden_text(const executor_figures *all, text *t)
{
    const double hidden = all->exchange_whole - all->exchange_waited;
    if (all->exchange_whole > 0)
        text_add(t, "; one takes %.3g us, of which %.3g us (%.0f %%) are hidden",
                 1e6 * all->exchange_whole, hidden > 0 ? 1e6 * hidden : 0,
                 hidden > 0 ? 100 * hidden / all->exchange_whole : 0);
}

static void exchange_text(const pav_run *run, text *t)
{
    const executor_figures all = run_executor_figures(run);
    const double steps = (double)(run->part->step - run->first_step);
    if (!run->cut.is_cut || steps <= 0)
        return;
    text_add(t, "%-12s ", "exchange");
    text_add_bytes_size(t, (int64_t)((double)all.exchanged_bytes / steps));
    if (all.exchanged_by)
        text_add(t, " by %s", all.exchanged_by);
    text_add(t, " and %.3g us a step%s, %.3g %% of the time",
             1e6 * all.exchanged_seconds / steps,
             all.exchange_later ? " to ask the GPUs for it" : "",
             run->seconds.steps > 0 ? 100 * all.exchanged_seconds / run->seconds.steps
                                    : 0);
    hidden_text(&all, t);
    if (wide_halo_steps(run->part->wide) > 1)
        text_add(t, "; halos of %d steps at once", wide_halo_steps(run->part->wide));
    text_add(t, "\n");
}

static void report_text(pav_run *run, text *t)
{
    const figures f = run_figures(run);
    head_text(run, &f, t);
    time_text(run, t);
    text_add(t, "%-12s %.4g Gpts/s (%.4g with set-up and output)\n", "speed", f.gpts,
             f.gpts_all);
    text_add(t,
             "%-12s %.4g GB/s of fields, %.4g Gflop/s (%.4g bytes, %.4g flops a point)\n",
             "rates", f.gbytes, f.gflops, f.bytes_per_point, f.flops_per_point);
    copy_text(run, &f, t);
    exchange_text(run, t);
    text_add(t, "%-12s ", "memory");
    text_add_bytes_size(t, f.memory);
    text_add(t, " at most for fields and outputs, ");
    text_add_bytes_size(t, f.process);
    text_add(t, " in the whole process");
    if (run_uses_device_memory(run)) {
        text_add(t, "; ");
        text_add_bytes_size(t, f.device_memory);
        text_add(t, " on the device");
    }
    text_add(t, "\n");
    solver_text(run, t);
    measures_text(run, t);
    expects_text(run, t);
}

pav_status pav_run_report(pav_run *run, int json, char **result)
{
    GUARDED;
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
