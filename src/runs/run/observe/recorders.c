/* SPDX-License-Identifier: BSD-3-Clause */
/* Recorders: one for each output, sample and measure of the description, opened before
 * the first step. After each step, all that is due is recorded and `until` is
 * evaluated; at the end, expectations are checked. The checker has already checked
 * file names. */
#include <math.h>

#include "run/run_private.h"

pav_status run_event_value(pav_run *run, const ir_event *event, double *value)
{
    subdomain_set_time(run->part, run->part->step);
    TRY(run_list(run, &event->list));
    *value = run->part->uniform[event->result];
    return PAV_OK;
}

static pav_status rows_measure(pav_run *run, recorder *r)
{
    TRY(run_event_value(run, r->event, &r->row[LEADING]));
    TRY(rows_keep(run, r, run->part->step, run->part->uniform[run->code->uniform_t]));
    if (r->statement->every && !r->table)
        exec_note(&run->client, "step %lld: %s = %.9g", (long long)run->part->step,
                  r->statement->symbol->name, r->row[LEADING]);
    return PAV_OK;
}

static pav_status sample(pav_run *run, recorder *r)
{
    executor *e = run->part->executor;
    return e->ops.take_sample(e, &r->sampler);
}

static pav_status record(pav_run *run, recorder *r)
{
    r->last_step = run->part->step;
    switch (r->statement->kind) {
    case STATEMENT_MEASURE: return rows_measure(run, r);
    case STATEMENT_SAMPLE: return sample(run, r);
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
    return every > 0 || r->statement->kind == STATEMENT_SAMPLE
               ? subdomain_is_due(run->part, r->statement, run->part->step)
               : last;
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

pav_status run_record(pav_run *run, bool last)
{
    for (recorder *r = NULL; (r = run_next_recorder(run, r));) {
        if (run_recorder_is_due(run, r, last))
            TRY(record(run, r));
        else if (ends_between_rows(run, r, last)) {
            /* For the report at the end of a run; adds no row to a table. */
            TRY(run_event_value(run, r->event, &r->end));
            r->end_step = run->part->step;
        }
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
        TRY(solver_observe(run, event, met));
        if (*met && !run->solver.solution.start)
            exec_note(&run->client, "step %lld: %s holds", (long long)run->part->step,
                      event->text);
    }
    return PAV_OK;
}

int pav_run_until(const pav_run *run)
{
    return !run || run->code->untils.count == 0
               ? -1
               : run->progress.until_met || run->observers.until_holds;
}

/* ---- opening and closing ----------------------------------------------------------- */

static bool is_recorded(const statement *s)
{
    return s->kind == STATEMENT_OUTPUT || s->kind == STATEMENT_SAMPLE ||
           s->kind == STATEMENT_GATHER || s->kind == STATEMENT_MEASURE;
}

static pav_status keep_sample(void *user, int64_t step, double time, const double *values)
{
    recorder *r = user;
    memmove(r->row + LEADING, values, (size_t)r->points.count * sizeof *values);
    return rows_keep(r->run, r, step, time);
}

/* How the executor takes the sample. Its rows are kept one by one. */
static sampler sampler_of(pav_run *run, recorder *r)
{
    r->run = run;
    return (sampler){.field = run_field_of(run, r->statement->symbol),
                     .points = &r->points,
                     .row = r->row + LEADING,
                     .keep = keep_sample,
                     .user = r};
}

static pav_status open_output(const pav_run *run, recorder *r)
{
    OWNED_BY(text_free) text path = {0};

    TRY(output_path(run, r->statement, &path));
    if (run->options.directory)
        TRY(directory_make(run->options.directory));
    return output_open(run, r, path.data);
}

static pav_status open_one(pav_run *run, const statement *s, recorder *r)
{
    *r = (recorder){.statement = s, .last_step = -1, .end_step = -1};
    if (s->kind == STATEMENT_MEASURE) {
        for (int64_t k = 0; k < run->code->measures.count && !r->event; k++)
            if (run->code->measures.item[k].statement == s)
                r->event = &run->code->measures.item[k];
        r->columns = LEADING + 1;
    } else if (s->kind == STATEMENT_SAMPLE || s->kind == STATEMENT_GATHER) {
        TRY(points_open(run, s, &r->points));
        r->columns = LEADING + r->points.count * (s->columns > 0 ? s->columns : 1);
    } else if (!run->options.no_files && run_is_first(run)) {
        TRY(open_output(run, r));
    }
    r->row = mem_new(r->columns + 1, sizeof *r->row);
    TRY(mem_take(&r->form_values, r->points.count * s->forms + 1,
                 sizeof *r->form_values));
    if (r->row && s->kind == STATEMENT_SAMPLE)
        r->sampler = sampler_of(run, r);
    return r->row ? PAV_OK : PAV_ENOMEM;
}

static int64_t count_recorders(const pav_run *run)
{
    int64_t count = 0;
    EACH_STATEMENT(s, run->program)
        count += is_recorded(s);
    return count;
}

pav_status run_check_directory(const pav_run *run)
{
    const pav_run_options *o = &run->options;
    return o->directory && !o->no_files &&
                   (run->checkpoint.path || count_recorders(run) > 0)
               ? directory_check(o->directory)
               : PAV_OK;
}

pav_status run_open_recorders(pav_run *run)
{
    const int64_t count = count_recorders(run);
    const char *directory = run->options.directory;
    TRY(mem_take(&run->observers.recorder, count + 1, sizeof *run->observers.recorder));
    EACH_STATEMENT(s, run->program)
        if (is_recorded(s))
            TRY(open_one(run, s, &run->observers.recorder[run->observers.recorders++]));
    if (count == 0 || run->options.no_files || !run_is_first(run))
        return PAV_OK;
    if (directory)
        TRY(directory_make(directory));
    return io_remove_leftovers(directory ? directory : ".");
}

void run_close_recorders(pav_run *run)
{
    writer_close(run->observers.writer);
    for (recorder *r = NULL; (r = run_next_recorder(run, r));) {
        (void)rows_flush(run, r); /* rows of a failed run may not be in a file yet */
        if (r->sampler.points)
            run->part->executor->ops.close_sample(run->part->executor, &r->sampler);
        series_close(r->series);
        points_close(&r->points);
        mem_free(r->row);
        gather_close(r->gather);
        TEXT_FREE_ALL(&r->kept, &r->waiting, &r->title);
        MEM_FREE_ALL(r->place, r->form_values);
        table_close(r->table);
    }
    mem_free(run->observers.recorder);
}

/* ---- intervals between observations ------------------------------------------------ */

/* Observers with an interval end time blocks and fused launches. Without `every`, a
 * recorder observes at the end or by the clock. Samples are excluded, since time blocks
 * take them. */

typedef struct look {
    int64_t every; /* steps, about; 0: never */
    int64_t left;  /* steps until then */
    const char *word;
    int line; /* line of the statement; 0: an option */
} look;

int64_t observer_interval(const pav_run *run, const statement *s)
{
    const double dt = subdomain_step_time(run->part), steps = s->interval.v / dt;
    return steps >= 2 && steps < 1e15 && !run->code->time ? (int64_t)steps
                                                          : s->every_steps;
}

/* The interval of a statement as an observer. */
static look look_of(const pav_run *run, const statement *s)
{
    const char *word = s->kind == STATEMENT_MEASURE  ? "`measure`"
                       : s->kind == STATEMENT_OUTPUT ? "`output`"
                       : s->kind == STATEMENT_UNTIL  ? "`until`"
                                                     : NULL;
    if (!word || (s->kind == STATEMENT_OUTPUT && run->options.no_files))
        return (look){0};
    look l = {observer_interval(run, s), subdomain_steps_until_due(run->part, s), word,
              s->at.line};
    if (s->kind == STATEMENT_UNTIL && l.every == 0)
        l.every = l.left = 1;
    return l;
}

/* The observers that are options of the run. */
enum { OPTIONS_LOOK = 2 };
static look look_of_option(const pav_run *run, int n)
{
    const int64_t checkpoint = run->checkpoint.path ? run->checkpoint.every : 0;
    const int64_t every = n == 0 ? checkpoint : run->observers.nan_check_every;
    return (look){every, every > 0 ? every - run->part->step % every : 0,
                  n == 0 ? "the checkpoint" : "the NaN check", 0};
}

static void limit_to_observer(look observer, int64_t *steps)
{
    if (observer.every > 0)
        *steps = int64_least(*steps, observer.left);
}

int64_t time_until_event(const pav_run *run, int64_t most)
{
    EACH_STATEMENT(s, run->program)
        limit_to_observer(look_of(run, s), &most);
    for (int n = 0; n < OPTIONS_LOOK; n++)
        limit_to_observer(look_of_option(run, n), &most);
    return most;
}

static look more_often(look a, look b)
{
    return b.every > 0 && (a.every == 0 || b.every < a.every) ? b : a;
}

/* The shortest interval; the first observer with it. */
static look find_look(const pav_run *run)
{
    look often = {0};
    EACH_STATEMENT(s, run->program)
        often = more_often(often, look_of(run, s));
    for (int n = 0; n < OPTIONS_LOOK; n++)
        often = more_often(often, look_of_option(run, n));
    return often;
}

/* The run ends before the observer acts for the first time. */
static bool ends_before(const pav_run *run, const look *often)
{
    return run->steps > 0 && run->steps < INT64_MAX &&
           (often->every == 0 || run->steps < often->every);
}

int64_t run_steps_between_observations(const pav_run *run)
{
    return find_look(run).every;
}

int64_t run_steps_to_observer(const pav_run *run)
{
    const look often = find_look(run);
    return ends_before(run, &often) ? run->steps : often.every;
}

void run_list_observers(const pav_run *run, int64_t least, text *why)
{
    const look often = find_look(run);
    const int64_t unobserved = run_steps_to_observer(run);
    if (unobserved == 0 || unobserved >= least)
        return;
    if (ends_before(run, &often)) {
        text_add(why, "the run ends after %lld step%s", (long long)unobserved,
                 unobserved == 1 ? "" : "s");
        return;
    }
    text_add(why, "%s", often.word);
    if (often.line > 0)
        text_add(why, " (line %d)", often.line);
    if (often.every == 1)
        text_add(why, " is due after every step");
    else
        text_add(why, " is due every %lld steps", (long long)often.every);
}
