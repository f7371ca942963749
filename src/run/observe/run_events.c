/* SPDX-License-Identifier: BSD-3-Clause */
/* After each step: records all that is due and evaluates `until`; at the end, checks
 * expectations. */
#include <math.h>

#include "run/run_private.h"

pav_status run_event_value(pav_run *run, const ir_event *event, double *value)
{
    subdomain_set_time(run->part, run->part->step);
    TRY(run_list(run, &event->list));
    *value = run->part->uniform[event->result];
    return PAV_OK;
}

static pav_status record(pav_run *run, recorder *r)
{
    r->last_step = run->part->step;
    switch (r->statement->kind) {
    case STATEMENT_MEASURE: return rows_measure(run, r);
    case STATEMENT_SAMPLE: return rows_sample(run, r);
    default: return run->options.no_files ? PAV_OK : output_write(run, r);
    }
}

/* `every k`: at steps divisible by k, including step 0. By default, a sample is due at
 * every step and other recorders at the end. */
bool run_recorder_is_due(const pav_run *run, const recorder *r, bool last)
{
    const int64_t every = r->statement->every_steps;
    if (r->last_step == run->part->step || r->statement->kind == STATEMENT_GATHER)
        return false;
    if (every > 0 || r->statement->kind == STATEMENT_SAMPLE)
        return sample_is_due(r->statement, run->part->step);
    return last;
}

/* The last step may have no row with `every k`, but the report needs its value. */
static bool ends_between_rows(const pav_run *run, const recorder *r, bool last)
{
    return last && r->event && r->statement->every_steps > 0 &&
           r->last_step != run->part->step && !run_recorder_is_due(run, r, last);
}

/* Samples alone do not wait for the GPU. */
bool run_is_due(const pav_run *run, bool last)
{
    for (int64_t k = 0; k < run->observers.recorders; k++)
        if (run->observers.recorder[k].statement->kind != STATEMENT_SAMPLE &&
            (run_recorder_is_due(run, &run->observers.recorder[k], last) ||
             ends_between_rows(run, &run->observers.recorder[k], last)))
            return true;
    return false;
}

bool run_output_is_due(const pav_run *run, bool last)
{
    for (int64_t k = 0; k < run->observers.recorders && !run->options.no_files; k++)
        if (run->observers.recorder[k].statement->kind == STATEMENT_OUTPUT &&
            run_recorder_is_due(run, &run->observers.recorder[k], last))
            return true;
    return false;
}

pav_status run_record(pav_run *run, bool last)
{
    for (int64_t k = 0; k < run->observers.recorders; k++) {
        recorder *r = &run->observers.recorder[k];
        if (run_recorder_is_due(run, r, last))
            TRY(record(run, r));
        else if (ends_between_rows(run, r, last))
            TRY(rows_measure_end(run, r));
        if (r->table)
            TRY(table_flush(r->table, false));
    }
    output_report(run);
    return PAV_OK;
}

/* last: evaluates all conditions, even those with `every k` at other steps. */
pav_status run_check_until(pav_run *run, bool last, bool *met)
{
    *met = false;
    for (int64_t k = 0; k < run->code->untils.count && !*met; k++) {
        const ir_event *event = &run->code->untils.item[k];
        const int64_t every = event->statement->every_steps;
        double value;
        if (!last && run->part->step % (every > 0 ? every : 1) != 0)
            continue;
        TRY(run_settle(run));
        TRY(run_event_value(run, event, &value));
        *met = value != 0;
        TRY(solver_observe(run, event, *met));
        if (*met && !run->solver.solution.start)
            exec_note(&run->client, "step %lld: %s holds", (long long)run->part->step,
                      event->text);
    }
    return PAV_OK;
}

pav_status run_end_until(pav_run *run)
{
    const int64_t count = run->code->untils.count;
    if (count == 0 || run->progress.until_met || run->part->step < run->steps)
        return PAV_OK;
    TRY(run_check_until(run, true, &run->observers.until_holds));
    run->observers.until_fails = !run->observers.until_holds;
    TRY(solver_end(run));
    if (run->observers.until_fails)
        exec_warn(&run->client,
                  "all %lld steps are taken, and `until %s`%s does not hold: take "
                  "more (`steps`, --steps) or ask for less",
                  (long long)run->steps, run->code->untils.item[0].text,
                  count > 1 ? " or any other" : "");
    return PAV_OK;
}

int pav_run_until(const pav_run *run)
{
    if (!run || run->code->untils.count == 0)
        return -1;
    return run->progress.until_met || run->observers.until_holds;
}

static pav_status broken(const pav_run *run, const ir_event *event, const expectation *e)
{
    text sides = {0};
    text_add(&sides, event->left >= 0 ? ", but the sides are " : ", which does not hold");
    if (event->left >= 0)
        text_add_sides(&sides, e->left, " and ", e->right);
    const pav_status status = FAIL(PAV_EEXPECT, "%s:%d: expected %s%s",
                                   run->program->name, event->statement->at.line,
                                   event->text, sides.data ? sides.data : "");
    text_free(&sides);
    return status;
}

/* Checks all expectations. The first failed one gives the message. */
pav_status run_check_expects(pav_run *run)
{
    pav_status status = PAV_OK;
    for (int64_t k = 0; k < run->code->expects.count; k++) {
        const ir_event *event = &run->code->expects.item[k];
        expectation *e = &run->observers.expected[k];
        TRY(run_event_value(run, event, &e->value));
        e->left = event->left >= 0 ? run->part->uniform[event->left] : NAN;
        e->right = event->right >= 0 ? run->part->uniform[event->right] : NAN;
        if (e->value == 0 && status == PAV_OK)
            status = broken(run, event, e);
    }
    run->observers.checked = true;
    return status;
}
