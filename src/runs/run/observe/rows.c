/* SPDX-License-Identifier: BSD-3-Clause */
/* Samples and measures: each keeps its last row and appends rows to its table, if it has
 * one. A row begins with step and t. The .npy file of a sample has the values alone,
 * (times, positions).
 *
 * A sample of expressions has one recorder for the whole sample and one for each part, a
 * field at its positions. The rows of the parts are merged to rows of the whole. */
#include <string.h>

#include "run/run_private.h"

/* ---- the parts of a sample of expressions ------------------------------------------ */

static int64_t row_bytes(const recorder *r)
{
    return r->columns * (int64_t)sizeof *r->row;
}

static bool is_part(const recorder *r, const recorder *whole)
{
    return r->statement->gather == whole->statement;
}

/* True if each part has an unmerged row. */
static bool is_complete(const pav_run *run, const recorder *whole)
{
    for (recorder *r = NULL; (r = run_next_recorder(run, r));) {
        if (is_part(r, whole) && r->used == r->waiting.length)
            return false;
    }
    return true;
}

static void take_row(recorder *part, recorder *whole, bool first)
{
    const double *row = (const double *)(const void *)(part->waiting.data + part->used);
    const int64_t count = part->columns - LEADING;
    double *to = whole->form_values + part->statement->form * count;
    memcpy(whole->row, row, LEADING * sizeof *row);
    for (int64_t k = 0; k < count; k++)
        to[k] = first ? row[LEADING + k] : to[k] + row[LEADING + k];
    part->used += row_bytes(part);
    if (part->used == part->waiting.length)
        part->used = part->waiting.length = 0;
}

/* Form n has form[n * count] at the position. */
typedef struct gather_spot {
    const double *form, *position;
    int64_t count;
    double step, time;
} gather_spot;

static double value_of(const expr *e, const gather_spot *at)
{
    double arg[3] = {0};
    if (e->kind == EXPR_SYMBOL)
        return at->form[e->level * at->count];
    if (e->kind == EXPR_NUMBER)
        return num_f64(e->number);
    if (e->kind == EXPR_BUILTIN)
        return e->builtin == BUILTIN_T      ? at->time
               : e->builtin == BUILTIN_STEP ? at->step
                                            : at->position[e->builtin - BUILTIN_X];
    for (int k = 0; k < e->count; k++)
        arg[k] = value_of(e->arg[k], at);
    if (e->kind == EXPR_UNARY)
        return e->op == OP_NEG ? -arg[0] : arg[0] == 0;
    if (e->kind == EXPR_BINARY)
        return combine_f64(e->op, arg[0], arg[1]);
    return e->function == FUNCTION_WHERE ? (arg[0] != 0 ? arg[1] : arg[2])
                                         : function_f64(e->function, arg[0], arg[1]);
}

/* The parts of a form are consecutive. */
static pav_status put_together(pav_run *run, recorder *whole)
{
    int form = -1;
    for (recorder *r = NULL; (r = run_next_recorder(run, r));) {
        if (!is_part(r, whole))
            continue;
        take_row(r, whole, r->statement->form != form);
        form = r->statement->form;
    }
    /* In a stack, each shot has its own expressions, with its own parameters. */
    const int dim = run->code->dim;
    const int64_t count = whole->points.count, shots = run->program->shots;
    const statement *s = whole->statement;
    for (int64_t k = 0; k < count; k++) {
        const gather_spot at = {.form = whole->form_values + k,
                                .position = whole->points.position + k * dim,
                                .count = count,
                                .step = whole->row[0],
                                .time = whole->row[1]};
        if (shots > 0 && k % (count / shots) == 0)
            s = statement_of_shot(run->program, whole->statement, k * shots / count);
        for (int column = 0; column < s->columns; column++)
            whole->row[LEADING + column * count + k] = value_of(s->made_of[column], &at);
    }
    whole->last_step = (int64_t)whole->row[0];
    return rows_keep(run, whole, (int64_t)whole->row[0], whole->row[1]);
}

/* Fetches the rows of a recorder and of its parts that are still on a GPU. */
static pav_status flush_with_parts(pav_run *run, recorder *whole)
{
    TRY(rows_flush(run, whole));
    for (int64_t k = 0; k < run->observers.recorders; k++)
        if (is_part(&run->observers.recorder[k], whole))
            TRY(rows_flush(run, &run->observers.recorder[k]));
    return PAV_OK;
}

/* ---- files ------------------------------------------------------------------------- */

/* Appends the name of one expression. */
static void gather_name(const pav_run *run, const statement *s, int column, text *t)
{
    const int64_t from = t->length;
    if (s->columns > 0)
        expr_print(s->column[column], t);
    else
        text_add(t, "%s", s->symbol->name);
    if (run->program->upright && !t->failed)
        upright_swap(t->data + from, t->length - from);
}

static pav_status describe(const pav_run *run, recorder *r, gather_info *info)
{
    const statement *s = r->statement;
    const int dim = run->code->dim, parts = s->columns > 0 ? s->columns : 1;
    const int64_t count = r->points.count * dim;
    const point_set *shot = run->code->injections.count > 0 ? run->part->injection : NULL;
    r->place = mem_new(parts * count + 1, sizeof *r->place);
    for (int n = 0; n < parts; n++) {
        text_add(&r->title, "%s", n > 0 ? ", " : "");
        gather_name(run, s, n, &r->title);
        if (r->place)
            memcpy(r->place + n * count, r->points.position,
                   (size_t)count * sizeof *r->place);
    }
    for (int axis = 0; axis < dim; axis++)
        r->letters[axis] = axis_letter(run->program, axis);
    *info = (gather_info){
        .columns = parts * r->points.count,
        .parts = parts,
        .dimensions = dim,
        .letters = r->letters,
        .position = r->place,
        .source = shot && shot->count > 0 ? shot->position : NULL,
        .interval = s->interval.v > 0
                        ? s->interval.v
                        : subdomain_step_time(run->part) *
                              (double)(s->every_steps > 0 ? s->every_steps : 1),
        .title = r->title.data,
        .colours = s->colours,
        .ranged = s->range[0] != NULL,
        .range = {num_f64(s->range_value[0]), num_f64(s->range_value[1])},
        .made = run->origin.stamp,
    };
    return r->place && !r->title.failed ? PAV_OK : PAV_ENOMEM;
}

pav_status rows_path(const pav_run *run, const statement *s, text *path)
{
    OWNED_BY(text_free) text usual = {0};
    if (!s->file && sample_is_whole(s)) {
        /* The default name: "u-samples.csv", "u-samples-2.csv", ... */
        int64_t number = 1;
        for (const statement *k = run->program->first; k != s; k = k->next)
            number += sample_is_whole(k) && !k->file && k->symbol == s->symbol;
        text_add(&usual, "%s-samples", s->symbol->name);
        if (number > 1)
            text_add(&usual, "-%lld", (long long)number);
        text_add(&usual, ".csv");
    }
    const char *file = s->file ? s->file : usual.data;
    return usual.failed ? PAV_ENOMEM : file ? run_path(run, file, path) : PAV_OK;
}

/* Opens a table, or goes on with the table of a restarted run. If that is gone, a new one
 * begins with the next row. So a run refused for another file leaves no empty table. */
static pav_status open_table(pav_run *run, recorder *r, const char *path,
                             const char *const *heads)
{
    const table_state there = {r->rows, r->bytes, r->sum, r->row + r->skipped};
    if (r->bytes <= 0)
        return table_open(path, heads, r->columns - r->skipped, &r->table);
    TRY(table_resume(path, heads, r->columns - r->skipped, &there, &r->table));
    if (r->table)
        return PAV_OK;
    exec_warn(&run->client,
              "%s is gone, and %lld row%s with it: it begins anew at step %lld", path,
              (long long)r->rows, r->rows == 1 ? "" : "s", (long long)run->part->step);
    r->rows = r->bytes = 0;
    run->checkpoint.outdated = true;
    return PAV_OK;
}

void rows_heads(const pav_run *run, const statement *s, const point_set *where,
                text *names)
{
    const int64_t columns = s->columns > 0 ? s->columns : 1;
    const int64_t count = where ? where->count : 1;
    text_add_bytes(names, "step\0t", 7);
    for (int64_t k = 0; k < columns * count; k++) {
        gather_name(run, s, (int)(k / count), names);
        for (int axis = 0; where && axis < run->code->dim; axis++) {
            text_add(names, axis ? " " : "(");
            text_add_double(names, where->position[k % count * run->code->dim + axis]);
        }
        text_add_bytes(names, ")", where != NULL);
        text_add_bytes(names, "", 1);
    }
}

static pav_status open_csv(pav_run *run, recorder *r, const char *path)
{
    OWNED_BY(text_free) text names = {0};
    OWNED const char **heads = mem_new(r->columns, sizeof *heads);
    rows_heads(run, r->statement, r->event ? NULL : &r->points, &names);
    if (!heads || names.failed)
        return PAV_ENOMEM;
    const char *at = names.data;
    for (int64_t k = 0; k < r->columns; k++) {
        heads[k] = at;
        at += strlen(at) + 1;
    }
    return open_table(run, r, path, heads);
}

static pav_status find_table(pav_run *run, recorder *r)
{
    OWNED_BY(text_free) text path = {0};
    if (r->table || r->series || r->gather || r->statement->gather ||
        run->options.no_files || !run_is_first(run))
        return PAV_OK;
    TRY(rows_path(run, r->statement, &path));
    const io_format *format = path.data ? io_find(path.data) : NULL;
    if (!format || !format->field)
        return format ? open_csv(run, r, path.data) : PAV_OK;
    r->skipped = r->event ? 0 : LEADING;
    return open_table(run, r, path.data, NULL);
}

pav_status rows_keep(pav_run *run, recorder *r, int64_t step, double time)
{
    r->taken = true;
    r->row[0] = (double)step;
    r->row[1] = time;
    if (run->observers.keeps_rows)
        text_add_bytes(&r->kept, (const char *)r->row, row_bytes(r));
    if (r->kept.failed)
        return PAV_ENOMEM;
    if (r->statement->gather) {
        /* Takes a row from one part of a sample of expressions. */
        recorder *whole = run->observers.recorder;
        while (whole->statement != r->statement->gather)
            whole++;
        text_add_bytes(&r->waiting, (const char *)r->row, row_bytes(r));
        if (r->waiting.failed)
            return PAV_ENOMEM;
        while (is_complete(run, whole))
            TRY(put_together(run, whole));
        return PAV_OK;
    }
    /* Finds the gather file of all rows, if this part belongs to one. */
    const char *file = r->statement->file;
    OWNED_BY(text_free) text path = {0};
    if (!r->gather && !run->options.no_files && file && gather_is(file) &&
        run_is_first(run)) {
        TRY(rows_path(run, r->statement, &path));
        /* The file needs all rows, so a restarted run cannot write it. */
        const int64_t every = r->statement->every_steps > 0 ? r->statement->every_steps
                                                            : 1;
        gather_info info;
        if (run->first_step > 0)
            return FAIL(PAV_EUNSUPPORTED,
                        "%s holds all rows of a sample, and a run restarted from a "
                        "checkpoint has only the later ones; sample into a .npy file, "
                        "because it is continued",
                        path.data);
        TRY(describe(run, r, &info));
        TRY(gather_open(path.data, &info, run->steps > 0 ? run->steps / every + 1 : 0,
                        &r->gather));
    }
    if (r->gather)
        return gather_add(r->gather, r->row + LEADING, time);
    TRY(find_table(run, r));
    r->rows += r->table != NULL;
    return r->table ? table_add(r->table, r->row + r->skipped) : PAV_OK;
}

pav_status rows_flush(pav_run *run, recorder *r)
{
    executor *e = run->part->executor;
    return r->sampler.points ? e->ops.flush_sample(e, &r->sampler) : PAV_OK;
}

pav_status rows_resume(pav_run *run)
{
    for (int64_t k = 0; k < run->observers.recorders; k++)
        if (run->observers.recorder[k].bytes > 0)
            TRY(find_table(run, &run->observers.recorder[k]));
    return PAV_OK;
}

/* Writes all outputs and rows to their files, and returns the first error. */
pav_status run_write_rows(pav_run *run)
{
    const pav_status outputs = output_wait(run);
    for (recorder *r = NULL; (r = run_next_recorder(run, r));) {
        TRY(rows_flush(run, r));
        if (outputs == PAV_OK && r->series)
            TRY(series_settle(r->series));
        if (r->gather) {
            TRY(gather_write(r->gather));
            exec_note(&run->client, "wrote %s", gather_path(r->gather));
        }
        if (!r->table)
            continue;
        TRY(table_flush(r->table, true));
        exec_note(&run->client, "wrote %s: %lld row%s", table_path(r->table),
                  (long long)r->rows, r->rows == 1 ? "" : "s");
    }
    return outputs;
}

/* ---- for checks -------------------------------------------------------------------- */

int64_t run_recorders(const pav_run *run)
{
    return run->observers.recorders;
}

static pav_status kept_of(pav_run *run, recorder *r, kept_rows *rows)
{
    TRY(flush_with_parts(run, r));
    *rows = (kept_rows){.line = r->statement->at.line,
                        .columns = r->columns,
                        .row = (const double *)(const void *)r->kept.data};
    if (r->columns > 0)
        rows->count = r->kept.length / row_bytes(r);
    return PAV_OK;
}

pav_status run_kept_rows(pav_run *run, int64_t number, kept_rows *rows)
{
    return kept_of(run, &run->observers.recorder[number], rows);
}

void run_keep_no_rows(pav_run *run)
{
    run->observers.keeps_rows = false;
    for (int64_t k = 0; k < run->observers.recorders; k++)
        text_free(&run->observers.recorder[k].kept);
}

/* ---- for callers ------------------------------------------------------------------- */

const recorder *run_sample(const pav_run *run, int64_t index)
{
    for (int64_t k = 0; k < run->observers.recorders && index >= 0; k++)
        if (sample_is_whole(run->observers.recorder[k].statement) && index-- == 0)
            return &run->observers.recorder[k];
    return NULL;
}

int64_t run_samples(const pav_run *run)
{
    int64_t count = 0;
    while (run_sample(run, count))
        count++;
    return count;
}

/* NULL, with a message, if there is none. */
static recorder *find_sample(pav_run *run, int64_t sample)
{
    recorder *r = run ? (recorder *)(uintptr_t)run_sample(run, sample) : NULL;
    const int64_t count = run ? run_samples(run) : 0;
    if (!run)
        FAIL(PAV_EINVAL, "a run is needed");
    else if (!r)
        FAIL(PAV_EINVAL, "this program has %lld sample%s (0 is the first), no %lld",
             (long long)count, count == 1 ? "" : "s", (long long)sample);
    return r;
}

static pav_status check_room(const double *values, int64_t count, int64_t needed)
{
    if (values && count == needed)
        return PAV_OK;
    return FAIL(PAV_EINVAL, "the sample has %lld values, but there is room for %lld",
                (long long)needed, values ? (long long)count : 0);
}

pav_status run_kept_sample(pav_run *run, int64_t sample, kept_rows *rows)
{
    recorder *r = find_sample(run, sample);
    return r ? kept_of(run, r, rows) : PAV_EINVAL;
}

pav_status pav_sample_read(pav_run *run, int64_t sample, int64_t *step, double *values,
                           int64_t count)
{
    GUARDED;
    recorder *r = find_sample(run, sample);
    if (step)
        *step = -1;
    if (!r)
        return PAV_EINVAL;
    TRY(flush_with_parts(run, r));
    TRY(check_room(values, count, r->columns - LEADING));
    if (!r->taken)
        return FAIL(PAV_EINVAL, "nothing is sampled before the first pav_run_steps; that "
                                "of 0 steps samples the start");
    if (step)
        *step = (int64_t)r->row[0];
    memcpy(values, r->row + LEADING, (size_t)count * sizeof *values);
    return PAV_OK;
}

pav_status pav_sample_positions(pav_run *run, int64_t sample, double *values,
                                int64_t count)
{
    GUARDED;
    const recorder *r = find_sample(run, sample);
    if (!r)
        return PAV_EINVAL;
    TRY(check_room(values, count, r->points.count * run->code->dim));
    memcpy(values, r->points.position, (size_t)count * sizeof *values);
    return PAV_OK;
}

/* ---- rows of one shot of a stack --------------------------------------------------- */

/* Writes the rows of one shot of a stack by a run of that shot alone, without steps. The
 * files are bitwise identical to the files of a full run. */

int64_t run_rows_bytes(const pav_run *run)
{
    int64_t bytes = 0;

    for (recorder *r = NULL; (r = run_next_recorder(run, r));) {
        const int64_t every = r->statement->every_steps;
        if (sample_is_whole(r->statement))
            bytes += row_bytes(r) * (run->steps / (every > 0 ? every : 1) + 1);
    }
    return bytes;
}

pav_status run_write_samples(pav_run *run, pav_run *stack, int64_t shot, int64_t shots)
{
    /* the machine and the compiler of the rows */
    memcpy(&run->origin.made[1], &stack->origin.made[1], 2 * sizeof *run->origin.made);
    for (int64_t k = 0; k < run_samples(run); k++) {
        recorder *r = (recorder *)(uintptr_t)run_sample(run, k);
        kept_rows rows = {0};
        TRY(run_kept_sample(stack, k, &rows));
        for (int64_t n = 0; n < rows.count; n++) {
            const double *row = rows.row + n * rows.columns;
            /* Each expression of a row has the positions of all shots. */
            const int64_t each = r->points.count, parts = (r->columns - LEADING) / each;
            for (int64_t m = 0; m < parts; m++)
                memcpy(r->row + LEADING + m * each,
                       row + LEADING + (m * shots + shot) * each,
                       (size_t)each * sizeof *row);
            TRY(rows_keep(run, r, (int64_t)row[0], row[1]));
        }
    }
    return run_write_rows(run);
}
