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

/* seconds of a run; in longer runs some milliseconds are a small share */
static const double short_while = 0.2;

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

/* Without the caller's own time. */
static double all_seconds(const pav_run *run)
{
    double all = 0;
    for (int phase = 0; phase < PHASE_CALLER; phase++)
        all += run->seconds.spent[phase];
    return all;
}

static bool is_requested(const pav_run *run)
{
    return run->options.copy_rate != 0 ? run->options.copy_rate > 0
                                       : all_seconds(run) >= long_enough;
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

static bool has_failed(const pav_run *run)
{
    return run->progress.ended != PAV_OK && run->progress.ended != PAV_EINTERRUPTED;
}

figures run_figures(pav_run *run)
{
    const double steps = (double)(run->part->step - run->first_step),
                 updates = steps * (double)run->work.points;
    measure_copy(run);
    if (run->solver.solution.jump && run->solver.difference == 0 && !has_failed(run) &&
        all_seconds(run) > short_while)
        solver_compare(run);
    figures f = {
        .gpts = run_rate(updates, run->seconds.spent[PHASE_STEPS]) / 1e9,
        .gpts_all = run_rate(updates, all_seconds(run)) / 1e9,
        .gbytes = run_rate(steps * run->work.step_bytes,
                           run->seconds.spent[PHASE_STEPS]) /
                  1e9,
        .gflops = run_rate(steps * run->work.step_flops,
                           run->seconds.spent[PHASE_STEPS]) /
                  1e9,
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

/* ---- words and lists --------------------------------------------------------------- */

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

/* The reason why a chaotic relaxation waits after each step. */
static const char *why_chaotic_waits(const pav_run *run)
{
    return run->stepper->windows   ? "the grid is computed out of core"
           : run->blocks.no_async  ? run->blocks.no_async
           : run_has_launches(run) ? "that is for --schedule persistent"
                                   : "there are no kernels";
}

/* The last value of a measure and its step; false: it was never evaluated. */
static bool rows_measured(const recorder *r, double *value, int64_t *step)
{
    const bool at_end = r->end_step >= 0 && r->end_step >= r->last_step;

    if (!r->event || (!at_end && !r->taken))
        return false;
    *value = at_end ? r->end : r->row[LEADING];
    *step = at_end ? r->end_step : (int64_t)r->row[0];
    return true;
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
        JSON_OBJECT(t, NULL, json_word("text", run->code->expects.item[k].text),
                    json_truth("holds", e->value != 0), json_number("left", e->left),
                    json_number("right", e->right));
    }
    text_add(t, "]");
}

/* Version, machine, compiler, date and settings of the run. */
static void json_made(const pav_run *run, text *t)
{
    json_open(t, "made", '{');
    JSON_ADD(t, json_word("version", pav_version()),
             json_word("machine", run->origin.machine.data),
             json_word("compiler", run->origin.compiler.data),
             json_word("date", run->origin.date));
    text_add(t, ", \"settings\": %s}", run->origin.settings.data);
}

/* ---- the record -------------------------------------------------------------------- */

/* Texts that facts of the record quote. */
typedef struct quoted {
    text schedule, choice, device, visits;
} quoted;

/* Seconds of a phase that deserve a line. */
static const double worth = 0.5;

/* The longest phase, if it is longer than the steps and than half a second. */
run_phase run_longest_phase(const pav_run *run)
{
    run_phase longest = PHASE_STEPS;
    for (run_phase k = PHASE_SETUP; k < PHASE_CALLER; k++)
        if (run->seconds.spent[k] > fmax(worth, run->seconds.spent[longest]))
            longest = k;
    return longest;
}

/* The longest phase and what shortens it; NULL: the steps. */
static const char *words_of_longest(const pav_run *run)
{
    static const char *const words[PHASE_CALLER] = {
        [PHASE_SETUP] =
            "the set-up: memory, initial values, kernels. Kernels are kept for "
            "the next run; `pavior compile` makes them beforehand",
        [PHASE_OUTPUT] = "output and checks: files, measures, residuals, NaN. A larger "
                         "`every` asks for them less often; --no-files writes no file",
        [PHASE_CHECKPOINT] = "checkpoints. A larger --every writes fewer",
        [PHASE_REPORT] = "this report: the rate of copying is measured after a long run"};
    const run_phase longest = run_longest_phase(run);
    return longest == PHASE_SETUP && !run->part->executor->compiled
               ? "the set-up: memory and initial values, by the interpreter"
               : words[longest];
}

/* True if denormal numbers probably slowed a processor down for a noticeable time. */
static bool has_tiny_steps(const pav_run *run)
{
    return run->work.tiny_steps > (run->part->step - run->first_step) / 2 &&
           run->seconds.spent[PHASE_STEPS] > worth && run->program->real == PAV_F32 &&
           !run_uses_device_memory(run);
}

/* The lines of a text. Observations cut time blocks, so blocks may be shorter than
 * requested. The hidden part of an exchange comes from the timed exchanges only. */
static void report_text(const pav_run *run, const json_fact *fact, const figures *f,
                        const quoted *q, text *t)
{
    const executor_figures all = run_executor_figures(run);
    const block_count *blocks = run_blocks(run);
    const bool chaotic = run->program->chaotic,
               is_async = run->blocks.async || all.persistent,
               exchanges = run->cut.is_cut && run->part->step > run->first_step;
    SAY(t, fact, {"program", true, "{name}"}, {"grid", true, "{points}, {type}"},
        {"device", true, "{place}"},
        {"kernels", run->opened.interpreted > 0 && !run->opened.early,
         "compiled during the first {steps_interpreted:step}, of the interpreter"},
        {"kernels", run->opened.early && !run->opened.late,
         "still being compiled: the interpreter took all steps; the next run like this "
         "one keeps them"},
        {"kernels", run->opened.late, "compiled after the last step, for later runs"},
        {"schedule", run->part->executor->compiled, "{schedule}{choice}"},
        {NULL, !run_is_tuned(run), "; more steps would try others"},
        {"time blocks", blocks->taken > 0 || run_block_steps(run) >= 2, ""},
        {NULL, blocks->taken > 0, "{time_blocks}, of {longest_time_block} steps at most"},
        {NULL, blocks->taken == 0, "none, single steps alone"},
        {NULL, blocks->shorter > 0, ", {shorter_time_blocks} of them "},
        {NULL, blocks->shorter > 0 && all.shorter > 0, "of {shorter_time_block}"},
        {NULL, blocks->shorter > 0 && all.shorter <= 0, "shorter"},
        {NULL, blocks->shorter > 0, " before observations"},
        {"chaotic", chaotic && is_async, "blocks do not wait for each other"},
        {"chaotic", chaotic && !is_async, "all wait after each step: {chaotic_waits}"});
    if (q->visits.data)
        text_add(t, "%s", q->visits.data);
    SAY(t, fact, {"steps", true, "{steps}"}, {NULL, run->steps > 0, " of {steps_asked}"},
        {NULL, true, ", {state}"},
        {NULL, run->first_step > 0, ", from step {first_step} on"},
        {NULL, has_failed(run) && run->progress.why, ": {why}"},
        {"time", true,
         "{seconds} in steps, {seconds_setup} set-up, {seconds_output} output and "
         "checks"},
        {NULL, run->checkpoint.count > 0,
         ", {seconds_checkpoints} in {checkpoints:checkpoint}"},
        {NULL, true, ", {seconds_report} report; {seconds_all} in all"},
        {"longest", words_of_longest(run) != NULL, "{longest}"},
        {"tiny values", has_tiny_steps(run),
         "in {steps_tiny:step}. Processors are slow below 1.2e-38; `real f32 flushed "
         "below 1e-30` stores 0"},
        {"speed", true, "{gpts} Gpts/s ({gpts_all} with set-up and output)"},
        {"rates", true,
         "{gbytes} GB/s of fields, {gflops} Gflop/s ({bytes_per_point} bytes, "
         "{flops_per_point} flops a point)"},
        {"of copying", f->copy_gbytes > 0,
         "{percent_of_copy} of the {copy_gbytes} GB/s at which "},
        {NULL, run_uses_device_memory(run),
         "the device copied its own memory right after the run"},
        {NULL, !run_uses_device_memory(run),
         "{threads:thread} copied memory right after the run"},
        {"exchange", exchanges, "{step_bytes}"},
        {NULL, all.exchanged_by != NULL, " by {exchanged_by}"},
        {NULL, true, " and {step_exchange} a step"},
        {NULL, all.exchange_later, " to ask the GPUs for it"},
        {NULL, true, ", {share_exchange} % of the time"},
        {NULL, all.exchange_whole > 0,
         "; one takes {seconds_of_one_exchange}, of which {hidden} ({share_hidden}) are "
         "hidden"},
        {NULL, wide_halo_steps(run->part->wide) > 1,
         "; halos of {exchange_every} steps at once"},
        {"memory", true,
         "{memory_peak} at most for fields and outputs, {process} in the whole process"},
        {NULL, run_uses_device_memory(run), "; {device_memory} on the device"},
        {"at once", run->solver.difference > 0,
         "{at_once_compared:step} on a small grid differ from single ones by "
         "{at_once_difference} of the largest value from the start on"});
    solver_text(run, t);
    add_results(run, t);
}

/* "tuned": autotuning is over, so later steps use this schedule. */
static void report(pav_run *run, bool json, text *t)
{
    static const fact_unit tenths = {1, "%.1f %%", NULL}, three = {1, "%.3g", NULL};
    const figures f = run_figures(run);
    if (json) { /* before the clock is read: a solver's description is long */
        json_open(t, NULL, '{');
        run_json_program(run, run->progress.why, t);
    }
    (void)run_enter_phase(run, PHASE_REPORT); /* counts the seconds up to now */
    const executor_figures all = run_executor_figures(run);
    const block_count *blocks = run_blocks(run);
    const solution *s = &run->solver.solution;
    const double unknown = (double)NAN, *phase = run->seconds.spent,
                 spent = phase[PHASE_STEPS];
    const double steps = (double)(run->part->step - run->first_step),
                 hidden = fmax(all.exchange_whole - all.exchange_waited, 0);
    const bool measured = f.copy_gbytes > 0, timed = all.exchange_whole > 0;
    const int until = pav_run_until(run);
    quoted q = {0};
    run_schedule_string(run, &q.schedule);
    if (run->known.choice && run->known.choice->is_wisdom)
        text_add(&q.choice, " (from wisdom)");
    run_device_words(run, f.threads, &q.device);
    outofcore_report(run, json, &q.visits);
    const short_words extent = grid_words(t, run);
    const json_fact fact[] = {
        only_said(json_word("name", run->program->name)),
        json_number("at_once_growth", s->jump ? s->growth : unknown),
        json_count("at_once_compared", solver_compared_steps(s)),
        in_unit(&three, json_number("at_once_difference", run->solver.difference > 0
                                                              ? run->solver.difference
                                                              : unknown)),
        only_said(json_word("points", extent.s)),
        only_said(json_word("place", q.device.data)),
        only_said(json_word("choice", q.choice.data)),
        only_said(json_word("chaotic_waits", why_chaotic_waits(run))),
        only_said(json_word("why", run->progress.why)),
        json_word("type", pav_type_name(run->program->real)),
        json_word("device", run->device_name),
        json_count("threads", f.threads),
        json_word("bind",
                  host_binding_name(host_team_is_bound(run->team.all) ? HOST_BIND_CORES
                                                                      : HOST_BIND_NONE)),
        json_count("team_pauses", host_team_pauses(run->team.all)),
        json_count("ranks", ranks_count(run->part->ranks)),
        json_word("schedule", q.schedule.data),
        json_truth("tuned", run_is_tuned(run)),
        json_truth("from_wisdom", run->known.choice && run->known.choice->is_wisdom),
        json_count("time_blocks", blocks->taken),
        json_count("longest_time_block", blocks->longest),
        json_count("shorter_time_blocks", blocks->shorter),
        json_count("shorter_time_block", all.shorter),
        json_raw("out_of_core", q.visits.data),
        /* while kernels were compiled */
        json_count("steps_interpreted", run->opened.early
                                            ? run->part->step - run->first_step
                                            : run->opened.interpreted),
        json_count("steps_tiny", run->work.tiny_steps),
        json_count("steps", run->part->step),
        json_count("steps_asked", run->steps),
        json_count("first_step", run->first_step),
        json_word("state", run_state(run)),
        until < 0 ? json_known("until", -1) : json_truth("until", until),
        json_word("checkpoint", pav_run_checkpointed(run, NULL)),
        json_count("checkpoints", run->checkpoint.count),
        json_count("exchange_every",
                   run->cut.is_cut ? wide_halo_steps(run->part->wide) : 0),
        json_word("exchanged_by", all.exchanged_by),
        in_unit(&unit_time, json_number("seconds", spent)),
        in_unit(&unit_time, json_number("seconds_setup", phase[PHASE_SETUP])),
        in_unit(&unit_time, json_number("seconds_output", phase[PHASE_OUTPUT])),
        in_unit(&unit_time, json_number("seconds_checkpoints", phase[PHASE_CHECKPOINT])),
        in_unit(&unit_time, json_number("seconds_report", phase[PHASE_REPORT])),
        in_unit(&unit_time, json_number("seconds_all", all_seconds(run))),
        json_word("longest", words_of_longest(run)),
        json_number("gpts", f.gpts),
        json_number("gpts_all", f.gpts_all),
        json_number("gbytes", f.gbytes),
        json_number("gflops", f.gflops),
        json_number("bytes_per_point", f.bytes_per_point),
        json_number("flops_per_point", f.flops_per_point),
        json_number("exchanged_bytes", (double)all.exchanged_bytes),
        json_number("seconds_exchange", all.exchanged_seconds),
        in_unit(&unit_microseconds, json_number("seconds_of_one_exchange",
                                                timed ? all.exchange_whole : unknown)),
        json_number("seconds_of_one_not_hidden", timed ? all.exchange_waited : unknown),
        json_number("copy_gbytes", measured ? f.copy_gbytes : unknown),
        in_unit(&tenths, json_number("percent_of_copy", measured ? f.percent : unknown)),
        in_unit(&unit_bytes, json_number("memory_peak", (double)f.memory)),
        in_unit(&unit_bytes, json_number("device_memory", run_uses_device_memory(run)
                                                              ? (double)f.device_memory
                                                              : unknown)),
        json_number("process_peak", f.process >= 0 ? (double)f.process : unknown),
        only_said(in_unit(&unit_bytes, json_count("process", f.process))),
        only_said(in_unit(
            &unit_bytes,
            json_number("step_bytes", run_rate((double)all.exchanged_bytes, steps)))),
        only_said(in_unit(
            &unit_microseconds,
            json_number("step_exchange", run_rate(all.exchanged_seconds, steps)))),
        only_said(
            in_unit(&three, json_number("share_exchange",
                                        run_rate(100 * all.exchanged_seconds, spent)))),
        only_said(in_unit(&unit_microseconds, json_number("hidden", hidden))),
        only_said(
            in_unit(&unit_percent,
                    json_number("share_hidden", run_rate(hidden, all.exchange_whole)))),
        {.kind = JSON_END}};
    if (json) {
        json_made(run, t);
        json_add(t, fact);
        solver_json(run, t);
        json_measures(run, t);
        text_add(t, "}\n");
    } else {
        report_text(run, fact, &f, &q, t);
    }
    t->failed |= q.schedule.failed || q.choice.failed || q.device.failed ||
                 q.visits.failed;
    TEXT_FREE_ALL(&q.schedule, &q.choice, &q.device, &q.visits);
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
    IN_PHASE(run, PHASE_REPORT);
    report(run, json, &t);
    return text_take(&t, result);
}
