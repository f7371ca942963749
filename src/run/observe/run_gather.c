/* SPDX-License-Identifier: BSD-3-Clause */
/* Samples of expressions, with rows merged from the rows of their parts; and samples
 * written to a file once all rows are known. */
#include <string.h>

#include "run/run_private.h"

/* ---- parts ------------------------------------------------------------------------- */

static int64_t row_bytes(const recorder *r)
{
    return r->columns * (int64_t)sizeof *r->row;
}

static bool is_part(const recorder *r, const recorder *whole)
{
    return r->statement->gather == whole->statement;
}

static recorder *whole_of(const pav_run *run, const recorder *part)
{
    recorder *r = run->observers.recorder;
    while (r->statement != part->statement->gather)
        r++;
    return r;
}

/* True if each part has an unmerged row. */
static bool is_complete(const pav_run *run, const recorder *whole)
{
    for (int64_t k = 0; k < run->observers.recorders; k++) {
        const recorder *r = &run->observers.recorder[k];
        if (is_part(r, whole) && r->used == r->waiting.length)
            return false;
    }
    return true;
}

static void take_row(recorder *part, recorder *whole, bool first)
{
    const double *row = (const double *)(const void *)(part->waiting.data + part->used);
    const int64_t count = part->columns - LEADING;
    double *to = whole->forms + part->statement->form * count;
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

static double known_at(const gather_spot *at, builtin_kind what)
{
    if (what == BUILTIN_T || what == BUILTIN_STEP)
        return what == BUILTIN_T ? at->time : at->step;
    return at->position[what - BUILTIN_X];
}

static double value_of(const expr *e, const gather_spot *at)
{
    double arg[3] = {0};
    if (e->kind == EXPR_SYMBOL)
        return at->form[e->level * at->count];
    if (e->kind == EXPR_NUMBER)
        return num_f64(e->number);
    if (e->kind == EXPR_BUILTIN)
        return known_at(at, e->builtin);
    for (int k = 0; k < e->count; k++)
        arg[k] = value_of(e->arg[k], at);
    if (e->kind == EXPR_UNARY)
        return e->op == OP_NEG ? -arg[0] : arg[0] == 0;
    if (e->kind == EXPR_BINARY)
        return combine_f64(e->op, arg[0], arg[1]);
    if (e->function == FUNCTION_WHERE)
        return arg[0] != 0 ? arg[1] : arg[2];
    return function_f64(e->function, arg[0], arg[1]);
}

/* In a stack, each shot has its own expressions, with its own parameters. */
static void make_columns(const pav_run *run, recorder *whole)
{
    const int dim = run->code->dim;
    const int64_t count = whole->points.count, shots = run->program->shots;
    const statement *s = whole->statement;
    for (int64_t k = 0; k < count; k++) {
        const gather_spot at = {.form = whole->forms + k,
                                .position = whole->points.position + k * dim,
                                .count = count,
                                .step = whole->row[0],
                                .time = whole->row[1]};
        if (shots > 0 && k % (count / shots) == 0)
            s = statement_of_shot(run->program, whole->statement, k * shots / count);
        for (int column = 0; column < s->columns; column++)
            whole->row[LEADING + column * count + k] = value_of(s->made_of[column], &at);
    }
}

/* The parts of a form are consecutive. */
static pav_status put_together(pav_run *run, recorder *whole)
{
    int form = -1;
    for (int64_t k = 0; k < run->observers.recorders; k++) {
        recorder *r = &run->observers.recorder[k];
        if (!is_part(r, whole))
            continue;
        take_row(r, whole, r->statement->form != form);
        form = r->statement->form;
    }
    make_columns(run, whole);
    whole->last_step = (int64_t)whole->row[0];
    return rows_keep(run, whole, (int64_t)whole->row[0], whole->row[1]);
}

pav_status gather_part(pav_run *run, recorder *r)
{
    recorder *whole = whole_of(run, r);
    text_add_bytes(&r->waiting, (const char *)r->row, row_bytes(r));
    if (r->waiting.failed)
        return PAV_ENOMEM;
    while (is_complete(run, whole))
        TRY(put_together(run, whole));
    return PAV_OK;
}

pav_status gather_flush_parts(pav_run *run, const recorder *whole)
{
    for (int64_t k = 0; k < run->observers.recorders; k++)
        if (is_part(&run->observers.recorder[k], whole))
            TRY(rows_flush(run, &run->observers.recorder[k]));
    return PAV_OK;
}

/* ---- files ------------------------------------------------------------------------- */

void gather_name(const pav_run *run, const statement *s, int column, text *t)
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
        .interval = subdomain_step_time(run->part) *
                    (double)(s->every_steps > 0 ? s->every_steps : 1),
        .title = r->title.data,
        .colours = s->colours,
        .ranged = s->range[0] != NULL,
        .range = {num_f64(s->range_value[0]), num_f64(s->range_value[1])},
    };
    return r->place && !r->title.failed ? PAV_OK : PAV_ENOMEM;
}

/* The file needs all rows, so a restarted run cannot write it. */
static pav_status open_file(const pav_run *run, recorder *r, const char *path)
{
    const int64_t every = r->statement->every_steps > 0 ? r->statement->every_steps : 1;
    gather_info info;
    if (run->first_step > 0)
        return FAIL(PAV_EUNSUPPORTED,
                    "%s holds all rows of a sample, and a run that goes on from a "
                    "checkpoint has only the later ones; sample into a .npy file, which "
                    "goes on, too",
                    path);
    TRY(describe(run, r, &info));
    return gather_open(path, &info, run->steps > 0 ? run->steps / every + 1 : 0,
                       &r->gather);
}

pav_status gather_find(pav_run *run, recorder *r)
{
    const char *file = r->statement->file;
    text path = {0};
    if (r->gather || run->options.no_files || !file || !gather_is(file) ||
        !run_is_first(run))
        return PAV_OK;
    pav_status status = rows_path(run, r->statement, &path);
    if (status == PAV_OK)
        status = open_file(run, r, path.data);
    text_free(&path);
    return status;
}

void gather_forget(recorder *r)
{
    gather_close(r->gather);
    text_free(&r->waiting);
    text_free(&r->title);
    mem_free(r->place);
    mem_free(r->forms);
}
