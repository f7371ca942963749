/* SPDX-License-Identifier: BSD-3-Clause */
/* The direct evaluation of a program, compared with a run. Every field, every kept level
 * with ghosts, and every measure must agree within the errors of rounding. */
#include <math.h>
#include <string.h>

#include "check/check_private.h"

/* One level of one field, to be compared. */
typedef struct pair {
    direct *direct;
    const direct_field *field;
    int level;
    const view *view;
    long double sharp; /* largest error of a sharp comparison */
    direct_tally *tally;
} pair;

/* ---- points ------------------------------------------------------------------------ */

static pav_status differs(const pair *p, const int64_t *at, double got, estimate want)
{
    return FAIL(
        PAV_EINTERNAL,
        "field %s, level %d, after step %lld, at (%lld, %lld, %lld): the run has %.17g, "
        "evaluated directly it is %.17Lg within %.3Lg",
        p->field->symbol->name, p->level, (long long)p->direct->step, (long long)at[0],
        (long long)at[1], (long long)at[2], got, want.v, want.e);
}

static pav_status compare_point(const pair *p, const int64_t *at)
{
    const double got = type_load(p->view->type, view_at(p->view, at[0], at[1], at[2]));
    const estimate want = direct_read(p->direct, p->field, p->level, at);
    p->tally->compared++;
    if (!isfinite(want.e))
        return PAV_OK;
    p->tally->sharp += want.e <= p->sharp;
    return fabsl((long double)got - want.v) <= want.e ? PAV_OK
                                                      : differs(p, at, got, want);
}

static pav_status compare_box(const pair *p, const box *range)
{
    int64_t at[MAX_DIM];
    for (at[2] = range->lo[2]; at[2] < range->hi[2]; at[2]++)
        for (at[1] = range->lo[1]; at[1] < range->hi[1]; at[1]++)
            for (at[0] = range->lo[0]; at[0] < range->hi[0]; at[0]++)
                TRY(compare_point(p, at));
    return p->direct->status;
}

/* ---- fields ------------------------------------------------------------------------ */

static void find_largest(direct *d, direct_field *f, const int64_t *at, void *user)
{
    pair *p = user;
    p->sharp = fmaxl(p->sharp, fabsl(direct_read(d, f, p->level, at).v));
}

/* A hundredth of the largest value, or almost 0 if all values are zero. */
static long double sharp_error(direct *d, const direct_field *f, int level)
{
    pair p = {.level = level};
    direct_each(d, direct_of(d, f->symbol), find_largest, &p);
    return p.sharp / 100 + 1e-30L;
}

static pav_status compare_level(direct *d, const direct_field *f, int level,
                                const view *v, direct_tally *tally)
{
    if (!direct_ready(d, f, level))
        return d->status;
    const pair p = {d, f, level, v, sharp_error(d, f, level), tally};
    box all;
    for (int axis = 0; axis < MAX_DIM; axis++) {
        all.lo[axis] = -v->halo[axis][0];
        all.hi[axis] = v->extent[axis] + v->halo[axis][1];
        if (v->extent[axis] != f->extent[axis])
            return FAIL(PAV_EINTERNAL, "field %s has %lld points along %c, not %lld",
                        f->symbol->name, (long long)v->extent[axis], "xyz"[axis],
                        (long long)f -> extent[axis]);
    }
    return compare_box(&p, &all);
}

static int field_number(const ir *code, const symbol *s)
{
    for (int64_t k = 0; k < code->fields; k++)
        if (code->field[k].name && !strcmp(code->field[k].name, s->name))
            return (int)k;
    return -1;
}

static pav_status compare_fields(direct *d, const pav_run *run, direct_tally *tally)
{
    const ir *code = run_code(run);
    for (int64_t k = 0; k < d->program->fields.count; k++) {
        const direct_field *f = &d->field[k];
        const int number = field_number(code, f->symbol);
        if (number < 0)
            return FAIL(PAV_EINTERNAL, "the run has no field %s", f->symbol->name);
        const int kept = f->symbol->updated ? f->symbol->oldest + 1 : 1;
        for (int age = 0; age < kept; age++) {
            const view *v;
            TRY(run_host_view(run, number, -age, HOST_READ, &v));
            TRY(compare_level(d, f, -age, v, tally));
        }
    }
    return d->status;
}

/* ---- params and measures ----------------------------------------------------------- */

static pav_status compare_number(pav_run *run, const char *name, estimate want)
{
    double got;
    TRY(pav_run_get(run, name, &got));
    if (!isfinite(want.e) || fabsl((long double)got - want.v) <= want.e)
        return PAV_OK;
    return FAIL(PAV_EINTERNAL,
                "%s is %.17g in the run, evaluated directly it is %.17Lg within %.3Lg",
                name, got, want.v, want.e);
}

static pav_status compare_params(direct *d, pav_run *run)
{
    for (int64_t k = 0; k < d->program->params.count; k++) {
        const symbol *s = d->program->params.item[k];
        TRY(compare_number(run, s->name, direct_param(d, s)));
    }
    return d->status;
}

static pav_status compare_measures(direct *d, pav_run *run)
{
    const direct_spot here = direct_here(d, false, NULL);
    for (const statement *s = d->program->first; s; s = s->next)
        if (s->kind == STATEMENT_MEASURE)
            TRY(compare_number(run, s->symbol->name, direct_value(d, s->value, &here)));
    return d->status;
}

/* Evaluates all `until`: holds, does not hold, or doubtful within errors. */
static verdict until_holds(direct *d)
{
    const direct_spot here = direct_here(d, false, NULL);
    verdict any = {false, false};
    for (const statement *s = d->program->first; s; s = s->next)
        if (s->kind == STATEMENT_UNTIL &&
            d->step % (s->every_steps > 0 ? s->every_steps : 1) == 0)
            any = verdict_both(OP_OR, any, direct_condition(d, s->value, &here));
    return any;
}

/* ---- steps ------------------------------------------------------------------------- */

static pav_status compare_all(direct *d, pav_run *run, direct_tally *tally)
{
    TRY(compare_fields(d, run, tally));
    return compare_measures(d, run);
}

/* Takes a step of both. *ended is set if an `until` ended the run instead. */
static pav_status step_both(direct *d, pav_run *run, verdict until, bool *ended)
{
    if (!until.holds || until.doubtful)
        direct_step(d);
    TRY(d->status);
    TRY(pav_run_steps(run, 1));
    *ended = until.holds;
    if (pav_run_step(run) == d->step)
        return PAV_OK;
    *ended = true;
    if (until.doubtful)
        return PAV_OK;
    return FAIL(PAV_EINTERNAL, "the run is at step %lld, not at step %lld: `until` %s",
                (long long)pav_run_step(run), (long long)d->step,
                until.holds ? "holds" : "does not hold");
}

static pav_status follow(direct *d, pav_run *run, int steps, direct_tally *tally)
{
    verdict until = {false, false};
    bool ended = false;
    TRY(compare_params(d, run));
    TRY(compare_all(d, run, tally));
    for (int k = 0; k < steps; k++) {
        TRY(step_both(d, run, until, &ended));
        if (ended)
            return PAV_OK;
        TRY(compare_all(d, run, tally));
        until = until_holds(d);
    }
    return PAV_OK;
}

pav_status direct_follow(const program *p, pav_run *run, int steps, int rounded,
                         direct_tally *tally)
{
    direct d;
    *tally = (direct_tally){0};
    pav_status status = direct_open(p, &d);
    d.rounding.unit *= rounded;
    if (status == PAV_OK)
        status = follow(&d, run, steps, tally);
    direct_close(&d);
    return status;
}

pav_status direct_agrees(const program *p, uint64_t seed)
{
    direct_tally tally = {0};
    pav_run *run = NULL;
    (void)seed;
    pav_status status = run_open_with(p, interp_stage, &run);
    if (status == PAV_OK)
        status = direct_follow(p, run, PROOF_STEPS, ROUNDED_AS_USUAL, &tally);
    if (status == PAV_OK)
        status = proof_is_sharp(tally.compared, tally.sharp);
    pav_run_free(run);
    return status;
}
