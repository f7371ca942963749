/* SPDX-License-Identifier: BSD-3-Clause */
/* Reports of a run: after it, as text and as one JSON object, where values not measured
 * are null. Rates count each grid point once per step. Bytes are the least that the fields
 * must move: each level of each field once. Bytes and operations of a step are counted
 * from the IR; the copy bandwidth of the machine is their bound. */
#include <math.h>
#include <stdio.h>
#include <string.h>

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
        .device_memory = run->outofcore ? outofcore_device_bytes(run)
                                        : run_executor_figures(run).bytes,
        .threads = host_team_threads(run->team.all),
    };
    f.percent = f.copy_gbytes > 0 ? 100 * f.gbytes / f.copy_gbytes : 0;
    return f;
}

/* ---- the report -------------------------------------------------------------------- */

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

/* ---- as JSON ----------------------------------------------------------------------- */

static void json_number(text *t, const char *name, double value)
{
    text_add(t, "\"%s\": ", name);
    if (isfinite(value))
        text_add_double(t, value);
    else
        text_add(t, "null");
}

/* The value of each measure or, with `steps`, the step of this value. */
static void json_measured(const pav_run *run, bool steps, text *t)
{
    const char *comma = "";
    for (int64_t k = 0; k < run->observers.recorders; k++) {
        const recorder *r = &run->observers.recorder[k];
        double value;
        int64_t step;
        if (!rows_measured(r, &value, &step))
            continue;
        text_add(t, "%s", comma);
        json_number(t, r->statement->symbol->name, steps ? (double)step : value);
        comma = ", ";
    }
}

static void json_measures(const pav_run *run, text *t)
{
    text_add(t, "\"measures\": {");
    json_measured(run, false, t);
    text_add(t, "}, \"measure_steps\": {");
    json_measured(run, true, t);
    text_add(t, "}, \"expects\": [");
    for (int64_t k = 0; run->observers.checked && k < run->code->expects.count; k++) {
        const expectation *e = &run->observers.expected[k];
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

/* "tuned": autotuning is over, so later steps use this schedule. */
static void json_schedule(const pav_run *run, text *t)
{
    text words = {0};
    run_schedule_string(run, &words);
    text_add(t, "\"schedule\": ");
    text_add_json(t, words.data);
    text_add(t, ", \"tuned\": %s, ", run_is_tuned(run) ? "true" : "false");
    text_add(t, "\"from_wisdom\": %s, ",
             run->known.choice && run->known.choice->is_wisdom ? "true" : "false");
    t->failed |= words.failed;
    text_free(&words);
}

static void json_state(const pav_run *run, const figures *f, text *t)
{
    text_add(t, "\"type\": \"%s\", \"device\": \"%s\", \"threads\": %d, ",
             pav_type_name(run->program->real), run->device_name, f->threads);
    text_add(t, "\"bind\": \"%s\", ",
             host_binding_name(host_team_is_bound(run->team.all) ? HOST_BIND_CORES
                                                                 : HOST_BIND_NONE));
    text_add(t, "\"team_pauses\": %d, ", host_team_pauses(run->team.all));
    text_add(t, "\"ranks\": %d, ", ranks_count(run->part->ranks));
    json_schedule(run, t);
    text_add(t, "\"time_blocks\": %lld, \"longest_time_block\": %lld, ",
             (long long)run_blocks(run)->taken, (long long)run_blocks(run)->longest);
    text_add(t, "\"shorter_time_blocks\": %lld, \"shorter_time_block\": %d, ",
             (long long)run_blocks(run)->shorter, run_executor_figures(run).shorter);
    outofcore_report_json(run, t);
    text_add(t, "\"steps\": %lld, \"steps_asked\": %lld, \"first_step\": %lld, ",
             (long long)run->part->step, (long long)run->steps,
             (long long)run->first_step);
    const int until = pav_run_until(run);
    text_add(t, "\"state\": \"%s\", \"until\": %s, ", run_state(run),
             until < 0 ? "null"
             : until   ? "true"
                       : "false");
    text_add(t, "\"checkpoint\": ");
    text_add_json(t, pav_run_checkpointed(run, NULL));
    text_add(t, ", \"checkpoints\": %lld", (long long)run->checkpoint.count);
    text_add(t, ", \"exchange_every\": %d, \"exchanged_by\": ",
             run->cut.is_cut ? wide_halo_steps(run->part->wide) : 0);
    text_add_json(t, run_executor_figures(run).exchanged_by);
    text_add(t, ", ");
}

static void json_figures(const pav_run *run, const figures *f, text *t)
{
    const bool measured = f->copy_gbytes > 0;
    const executor_figures all = run_executor_figures(run);
    const bool timed = all.exchange_whole > 0;
    const struct {
        const char *name;
        double value;
    } numbers[] = {
        {"seconds", run->seconds.steps},
        {"seconds_setup", run->seconds.setup},
        {"seconds_output", run->seconds.output},
        {"seconds_checkpoints", run->checkpoint.spent},
        {"gpts", f->gpts},
        {"gpts_all", f->gpts_all},
        {"gbytes", f->gbytes},
        {"gflops", f->gflops},
        {"bytes_per_point", f->bytes_per_point},
        {"flops_per_point", f->flops_per_point},
        {"exchanged_bytes", (double)all.exchanged_bytes},
        {"seconds_exchange", all.exchanged_seconds},
        {"seconds_of_one_exchange", timed ? all.exchange_whole : (double)NAN},
        {"seconds_of_one_not_hidden", timed ? all.exchange_waited : (double)NAN},
        {"copy_gbytes", measured ? f->copy_gbytes : (double)NAN},
        {"percent_of_copy", measured ? f->percent : (double)NAN},
        {"memory_peak", (double)f->memory},
        {"device_memory",
         run_uses_device_memory(run) ? (double)f->device_memory : (double)NAN},
        {"process_peak", f->process >= 0 ? (double)f->process : (double)NAN},
    };
    for (size_t k = 0; k < COUNT_OF(numbers); k++) {
        json_number(t, numbers[k].name, numbers[k].value);
        text_add(t, ", ");
    }
}

static void report_json(pav_run *run, text *t)
{
    const figures f = run_figures(run);
    uint64_t identity;
    t->failed |= program_identity(run->program, &identity) != PAV_OK;
    text_add(t, "{\"message\": ");
    text_add_json(t, run->progress.why);
    text_add(t, ", \"program\": ");
    text_add_json(t, run->program->name);
    text_add(t, ", \"identity\": \"%016llx\", ", (unsigned long long)identity);
    json_grid(run, t);
    json_state(run, &f, t);
    json_figures(run, &f, t);
    solver_json(run, t);
    json_measures(run, t);
    text_add(t, "}\n");
}

/* ---- for callers --------------------------------------------------------------------- */

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
