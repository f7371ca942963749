/* SPDX-License-Identifier: BSD-3-Clause */
/* Reports of a run: after it, as text and as one JSON object, where values not
 * measured are null. Rates count each grid point once per step. Bytes are the least
 * that the fields must move: each level of each field once. Bytes and operations of a
 * step are counted from the IR; the copy bandwidth of the machine is their bound. */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "run/record_private.h"
#include "run/run_private.h"

/* ---- work of a step ---------------------------------------------------------------- */

pav_status run_arithmetic(const pav_run *run, double *products, double *sums)
{
    const ir *code = run->code;
    *products = *sums = 0;
    if (!run->part->executor->compiled || run_has_launches(run))
        return PAV_OK;
    for (int64_t k = 0; k < code->step.count; k++) {
        const ir_stage *s = &code->stage[code->step.stage[k]];
        stage_load load;
        ir_arithmetic a;
        TRY(stage_load_of(code, s, &load));
        TRY(ir_stage_arithmetic(code, s, &a));
        const double size = load.points * (double)pav_type_size(s->real);
        *products += size * (double)a.products;
        *sums += size * (double)a.sums;
    }
    return PAV_OK;
}

pav_status run_count_work(pav_run *run)
{
    const ir *code = run->code;
    run->work.step_bytes = run->work.step_flops = 0;
    run->work.points = points_along(code, 0, false) * points_along(code, 1, false) *
                       points_along(code, 2, false);
    for (int64_t k = 0; k < code->step.count; k++) {
        stage_load load;
        TRY(stage_load_of(code, &code->stage[code->step.stage[k]], &load));
        run->work.step_bytes += load.points * load.bytes;
        run->work.step_flops += load.points * load.flops;
    }
    if (run->work.least_bytes == 0)
        run->work.least_bytes = run->work.step_bytes;
    return PAV_OK;
}

/* ---- figures ----------------------------------------------------------------------- */

static const double long_enough =
    20; /* seconds of a run; in longer runs the measurement costs nothing in comparison */

double run_rate(double amount, double seconds)
{
    return seconds > 0 ? amount / seconds : 0;
}

int run_threads(const pav_run *run)
{
    const int requested = run->options.threads > 0 ? run->options.threads
                                                   : host_threads();
    return run->compiled ? loop_tuner_threads(run->work.points, requested) : 1;
}

static double all_seconds(const pav_run *run)
{
    return run->seconds.steps + run->seconds.setup + run->seconds.output +
           run->checkpoint.spent;
}

static bool is_requested(const pav_run *run)
{
    if (run->options.copy_rate != 0)
        return run->options.copy_rate > 0;
    return all_seconds(run) >= long_enough;
}

/* Summed over all places. */
pav_status run_measure_copy(const pav_run *run, host_team *team, copy_rate *result)
{
    *result = (copy_rate){0};
    for (int n = 0; n < run->places; n++) {
        copy_rate one;
        TRY(place_copy_rate(&run->place[n], team, &one));
        result->usual += one.usual;
        result->best += one.best;
    }
    return PAV_OK;
}

/* Measures copying once. The peak of memory is noted first, because copying needs some.
 * Without memory for it, the rate stays unknown. */
static void measure_copy(pav_run *run)
{
    if (run->work.copy_rate > 0 || !is_requested(run))
        return;
    run->work.peak = mem_peak();
    run->work.process_peak = mem_process_peak();
    copy_rate found;
    (void)run_measure_copy(run, run->team.all, &found);
    run->work.copy_rate = found.usual;
}

figures run_figures(pav_run *run)
{
    const double steps = (double)(run->part->step - run->first_step);
    const double updates = steps * (double)run->work.points;
    measure_copy(run);
    figures f = {
        .gpts = run_rate(updates, run->seconds.steps) / 1e9,
        .gpts_all = run_rate(updates, all_seconds(run)) / 1e9,
        .gbytes = run_rate(steps * run->work.step_bytes, run->seconds.steps) / 1e9,
        .gflops = run_rate(steps * run->work.step_flops, run->seconds.steps) / 1e9,
        .bytes_per_point = run->work.step_bytes / (double)run->work.points,
        .flops_per_point = run->work.step_flops / (double)run->work.points,
        .copy_gbytes = run->work.copy_rate / 1e9,
        .memory = run->work.copy_rate > 0 ? run->work.peak : mem_peak(),
        .process = run->work.copy_rate > 0 ? run->work.process_peak : mem_process_peak(),
        .device_memory = run_executor_figures(run).bytes,
        .threads = host_team_threads(run->team.all),
    };
    f.percent = f.copy_gbytes > 0 ? 100 * f.gbytes / f.copy_gbytes : 0;
    return f;
}

/* ---- as text ----------------------------------------------------------------------- */

static bool has_failed(const pav_run *run)
{
    return run->progress.ended != PAV_OK && run->progress.ended != PAV_EINTERRUPTED;
}

static const char *run_state(const pav_run *run)
{
    const bool all = run->steps > 0 && run->part->step >= run->steps;
    return has_failed(run)                 ? "failed"
           : pav_run_until(run) > 0        ? "done: until holds"
           : run->observers.until_fails    ? "done: until does not hold"
           : run->progress.stopped && !all ? "stopped"
           : run->part->step < run->steps  ? "unfinished"
                                           : "done";
}

void run_device_words(const pav_run *run, int threads, text *t)
{
    const char *name = run_executor_figures(run).name;
    const int pauses = host_team_pauses(run->team.all);
    text_add(t, "%s", run->device_name);
    if (name)
        text_add(t, " (%s)", name);
    else
        text_add(t, ", %d thread%s%s", threads, threads == 1 ? "" : "s",
                 host_team_is_bound(run->team.all) ? ", each bound to a core" : "");
    if (pauses)
        text_add(t, ", one alone %d time%s: others waited for processors", pauses,
                 pauses == 1 ? "" : "s");
    if (run->cut.is_cut)
        text_add(t, ", %s subdomains",
                 extent_words(t, run->code->dim, run->cut.boxes.parts).s);
    if (run->cut.is_cut && run->part->ranks)
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
static void add_blocks(const pav_run *run, text *t)
{
    const block_count *count = run_blocks(run);
    const int shorter = run_executor_figures(run).shorter;
    if (count->taken == 0 && run_block_steps(run) < 2)
        return;
    text_add(t, "\n%-12s ", "time blocks");
    if (count->taken == 0)
        text_add(t, "none, single steps alone");
    else
        text_add(t, "%lld, of %lld steps at most", (long long)count->taken,
                 (long long)count->longest);
    if (count->shorter > 0 && shorter > 0)
        text_add(t, ", %lld of them of %d before observations", (long long)count->shorter,
                 shorter);
    else if (count->shorter > 0)
        text_add(t, ", %lld of them shorter before observations",
                 (long long)count->shorter);
}

/* Reports if the relaxation is asynchronous, or the reason against it. */
static void add_chaotic(const pav_run *run, text *t)
{
    if (!run->program->chaotic)
        return;
    if (run->blocks.async || run_executor_figures(run).persistent)
        text_add(t, "\n%-12s blocks do not wait for each other", "chaotic");
    else
        text_add(t, "\n%-12s all wait after each step: %s", "chaotic",
                 run->stepper->windows   ? "the grid is computed out of core"
                 : run->blocks.no_async  ? run->blocks.no_async
                 : run_has_launches(run) ? "that is for --schedule persistent"
                                         : "there are no kernels");
}

static void add_head(const pav_run *run, const figures *f, text *t)
{
    const char *why = has_failed(run) ? run->progress.why : NULL;
    text_add(t, "%-12s %s\n%-12s %s, %s\n%-12s ", "program", run->program->name, "grid",
             grid_words(t, run).s, pav_type_name(run->program->real), "device");
    run_device_words(run, f->threads, t);
    add_schedule(run, t);
    add_blocks(run, t);
    add_chaotic(run, t);
    outofcore_report_text(run, t);
    text_add(t, "\n%-12s %lld of %lld, %s", "steps", (long long)run->part->step,
             (long long)run->steps, run_state(run));
    if (run->first_step > 0)
        text_add(t, ", from step %lld on", (long long)run->first_step);
    text_add(t, "%s%s\n", why ? ": " : "", why ? why : "");
    text_add(t, "%-12s %s in steps, %s set-up, %s output and checks", "time",
             duration_words(t, run->seconds.steps).s,
             duration_words(t, run->seconds.setup).s,
             duration_words(t, run->seconds.output).s);
    if (run->checkpoint.count > 0)
        text_add(t, ", %s in %lld checkpoint%s",
                 duration_words(t, run->checkpoint.spent).s,
                 (long long)run->checkpoint.count, run->checkpoint.count == 1 ? "" : "s");
}

static void add_rates(const pav_run *run, const figures *f, text *t)
{
    text_add(t, "\n%-12s %.4g Gpts/s (%.4g with set-up and output)\n", "speed", f->gpts,
             f->gpts_all);
    text_add(t,
             "%-12s %.4g GB/s of fields, %.4g Gflop/s (%.4g bytes, %.4g flops a point)\n",
             "rates", f->gbytes, f->gflops, f->bytes_per_point, f->flops_per_point);
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

static void add_exchange(const pav_run *run, text *t)
{
    const executor_figures all = run_executor_figures(run);
    const double steps = (double)(run->part->step - run->first_step);
    const double hidden = fmax(all.exchange_whole - all.exchange_waited, 0);
    if (!run->cut.is_cut || steps <= 0)
        return;
    text_add(t, "%-12s %s%s%s and %.3g us a step%s, %.3g %% of the time", "exchange",
             size_words(t, (int64_t)((double)all.exchanged_bytes / steps)).s,
             all.exchanged_by ? " by " : "", all.exchanged_by ? all.exchanged_by : "",
             1e6 * all.exchanged_seconds / steps,
             all.exchange_later ? " to ask the GPUs for it" : "",
             run->seconds.steps > 0 ? 100 * all.exchanged_seconds / run->seconds.steps
                                    : 0);
    if (all.exchange_whole > 0) /* from the timed exchanges only */
        text_add(t, "; one takes %.3g us, of which %.3g us (%.0f %%) are hidden",
                 1e6 * all.exchange_whole, 1e6 * hidden,
                 100 * hidden / all.exchange_whole);
    if (wide_halo_steps(run->part->wide) > 1)
        text_add(t, "; halos of %d steps at once", wide_halo_steps(run->part->wide));
    text_add(t, "\n");
}

static void add_results(const pav_run *run, text *t)
{
    double value;
    int64_t step;
    for (int64_t k = 0; k < run->observers.recorders; k++)
        if (rows_measured(&run->observers.recorder[k], &value, &step))
            text_add(t, "%-12s %s = %.9g at step %lld\n", "measure",
                     run->observers.recorder[k].statement->symbol->name, value,
                     (long long)step);
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

static void report_text(pav_run *run, text *t)
{
    const figures f = run_figures(run);
    const bool device = run_uses_device_memory(run);
    add_head(run, &f, t);
    add_rates(run, &f, t);
    add_exchange(run, t);
    text_add(t, "%-12s %s at most for fields and outputs, %s in the whole process",
             "memory", size_words(t, f.memory).s, size_words(t, f.process).s);
    if (device)
        text_add(t, "; %s on the device", size_words(t, f.device_memory).s);
    text_add(t, "\n");
    solver_text(run, t);
    add_results(run, t);
}

/* ---- as JSON ----------------------------------------------------------------------- */

/* The value of each measure or, with `steps`, the step of this value. */
static void json_measured(const pav_run *run, const char *key, bool steps, text *t)
{
    double value;
    int64_t step;
    json_open(t, key, '{');
    for (int64_t k = 0; k < run->observers.recorders; k++)
        if (rows_measured(&run->observers.recorder[k], &value, &step))
            JSON_ADD(t, json_number(run->observers.recorder[k].statement->symbol->name,
                                    steps ? (double)step : value));
    text_add(t, "}");
}

static void json_measures(const pav_run *run, text *t)
{
    json_measured(run, "measures", false, t);
    json_measured(run, "measure_steps", true, t);
    json_open(t, "expects", '[');
    for (int64_t k = 0; run->observers.checked && k < run->code->expects.count; k++) {
        const expectation *e = &run->observers.expected[k];
        json_open(t, NULL, '{');
        JSON_ADD(t, json_word("text", run->code->expects.item[k].text),
                 json_truth("holds", e->value != 0), json_number("left", e->left),
                 json_number("right", e->right));
        text_add(t, "}");
    }
    text_add(t, "]");
}

/* "tuned": autotuning is over, so later steps use this schedule. */
static void json_schedule(const pav_run *run, const figures *f, text *t)
{
    text schedules = {0};
    run_schedule_string(run, &schedules);
    JSON_ADD(t, json_word("type", pav_type_name(run->program->real)),
             json_word("device", run->device_name), json_count("threads", f->threads),
             json_word("bind", host_binding_name(host_team_is_bound(run->team.all)
                                                     ? HOST_BIND_CORES
                                                     : HOST_BIND_NONE)),
             json_count("team_pauses", host_team_pauses(run->team.all)),
             json_count("ranks", ranks_count(run->part->ranks)),
             json_word("schedule", schedules.data),
             json_truth("tuned", run_is_tuned(run)),
             json_truth("from_wisdom", run->known.choice && run->known.choice->is_wisdom),
             json_count("time_blocks", run_blocks(run)->taken),
             json_count("longest_time_block", run_blocks(run)->longest),
             json_count("shorter_time_blocks", run_blocks(run)->shorter),
             json_count("shorter_time_block", run_executor_figures(run).shorter));
    t->failed |= schedules.failed;
    text_free(&schedules);
}

static void json_state(const pav_run *run, text *t)
{
    const int until = pav_run_until(run);
    JSON_ADD(
        t, json_count("steps", run->part->step), json_count("steps_asked", run->steps),
        json_count("first_step", run->first_step), json_word("state", run_state(run)),
        until < 0 ? json_known("until", -1) : json_truth("until", until),
        json_word("checkpoint", pav_run_checkpointed(run, NULL)),
        json_count("checkpoints", run->checkpoint.count),
        json_count("exchange_every",
                   run->cut.is_cut ? wide_halo_steps(run->part->wide) : 0),
        json_word("exchanged_by", run_executor_figures(run).exchanged_by));
}

static void json_figures(const pav_run *run, const figures *f, text *t)
{
    const double unknown = (double)NAN;
    const bool measured = f->copy_gbytes > 0;
    const executor_figures all = run_executor_figures(run);
    const bool timed = all.exchange_whole > 0;
    JSON_ADD(
        t, json_number("seconds", run->seconds.steps),
        json_number("seconds_setup", run->seconds.setup),
        json_number("seconds_output", run->seconds.output),
        json_number("seconds_checkpoints", run->checkpoint.spent),
        json_number("gpts", f->gpts), json_number("gpts_all", f->gpts_all),
        json_number("gbytes", f->gbytes), json_number("gflops", f->gflops),
        json_number("bytes_per_point", f->bytes_per_point),
        json_number("flops_per_point", f->flops_per_point),
        json_number("exchanged_bytes", (double)all.exchanged_bytes),
        json_number("seconds_exchange", all.exchanged_seconds),
        json_number("seconds_of_one_exchange", timed ? all.exchange_whole : unknown),
        json_number("seconds_of_one_not_hidden", timed ? all.exchange_waited : unknown),
        json_number("copy_gbytes", measured ? f->copy_gbytes : unknown),
        json_number("percent_of_copy", measured ? f->percent : unknown),
        json_number("memory_peak", (double)f->memory),
        json_number("device_memory",
                    run_uses_device_memory(run) ? (double)f->device_memory : unknown),
        json_number("process_peak", f->process >= 0 ? (double)f->process : unknown));
}

static void report_json(pav_run *run, text *t)
{
    const figures f = run_figures(run);
    json_open(t, NULL, '{');
    run_json_program(run, run->progress.why, t);
    json_schedule(run, &f, t);
    text_add(t, ", ");
    outofcore_report_json(run, t);
    json_state(run, t);
    json_figures(run, &f, t);
    solver_json(run, t);
    json_measures(run, t);
    text_add(t, "}\n");
}

/* ---- for callers ------------------------------------------------------------------- */

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
