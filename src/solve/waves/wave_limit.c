/* SPDX-License-Identifier: BSD-3-Clause */
/* Stability limit of a wave equation u' = 2*u - prev(u) + sum of weight * u[offset], with
 * its coefficients between bounds. Nothing grows while the symbol S, the sum of weight *
 * cos(offset . frequency), lies between -4 and 0. */
#include <math.h>

#include "solve/waves/waves_private.h"

enum { SAMPLES = 9, MOST_FREE = WAVE_COEFFICIENTS }; /* SAMPLES: from 0 to pi */
static const double pi = 3.14159265358979323846;

typedef struct limiter {
    deriver d;
    const statement *equation;
    double dt;
    int count;
    const symbol *coefficient[MOST_FREE];
} limiter;

/* ---- one choice of coefficients ---------------------------------------------------- */

/* The right side with numbers for coefficients. The unknown is 0 at all levels but
 * `level`. */
static expr *frozen(limiter *l, const expr *e, int level, const double *value)
{
    deriver *d = &l->d;
    const bool named = e->kind == EXPR_SYMBOL;

    for (int k = 0; named && k < l->count; k++)
        if (e->symbol == l->coefficient[k])
            return tree_number(d, num_double(value[k]));
    if (named && e->symbol == d->p->dt && l->dt > 0)
        return tree_number(d, num_double(l->dt));
    if (named && e->symbol == d->unknown && e->level != level)
        return tree_number(d, num_int(0));
    expr *copy = tree_clone(d, e);
    for (int k = 0; k < e->count; k++)
        copy->arg[k] = frozen(l, e->arg[k], level, value);
    return copy;
}

static bool find_form(limiter *l, int level, const double *value)
{
    const statement *s = l->equation;

    l->d.difference = frozen(l, copy_inlined(&l->d, s->written ? s->written : s->value),
                             level, value);
    form_find(&l->d);
    return l->d.form.constant;
}

static double lowest_symbol(const limiter *l)
{
    const solve_form *f = &l->d.form;
    int total = 1;
    double least = 0;

    for (int axis = 0; axis < l->d.p->dim; axis++)
        total *= SAMPLES;
    for (int at = 0; at < total; at++) {
        const int index[] = {at % SAMPLES, at / SAMPLES % SAMPLES,
                             at / SAMPLES / SAMPLES};
        double sum = -2;
        for (int64_t k = 0; k < f->count; k++) {
            double phase = 0;
            for (int axis = 0; axis < l->d.p->dim; axis++) {
                const double frequency = index[axis] * pi / (SAMPLES - 1);
                phase += f->tap[k].offset[axis] * frequency;
            }
            sum += f->tap[k].value * cos(phase);
        }
        least = fmin(least, sum);
    }
    return least;
}

/* Cells per step along the slowest axis. The second moment of the weights is twice its
 * square. */
static double slowest_speed(const limiter *l)
{
    double slowest = INFINITY;

    for (int axis = 0; axis < l->d.p->dim; axis++) {
        double moment = 0;
        for (int64_t k = 0; k < l->d.form.count; k++) {
            const double offset = l->d.form.tap[k].offset[axis];
            moment += l->d.form.tap[k].value * offset * offset;
        }
        slowest = fmin(slowest, sqrt(fmax(moment, 0) / 2));
    }
    return slowest;
}

/* ---- all of them ------------------------------------------------------------------- */

static void find_coefficients(limiter *l, const expr *e)
{
    bool known = e->kind != EXPR_SYMBOL || e->symbol->kind != SYMBOL_FIELD ||
                 e->symbol == l->d.unknown;

    for (int k = 0; k < l->count && !known; k++)
        known = l->coefficient[k] == e->symbol;
    if (!known && l->count < MOST_FREE && !e->symbol->updated)
        l->coefficient[l->count++] = e->symbol;
    for (int k = 0; k < e->count; k++)
        find_coefficients(l, e->arg[k]);
}

/* Powers and functions of the unknown have no symbol. */
static bool is_linear(const limiter *l, const expr *e, bool inside)
{
    const bool bends = (e->kind == EXPR_BINARY && e->op == OP_POW) ||
                       (e->kind == EXPR_CALL && e->function != FUNCTION_WHERE);

    if (e->kind == EXPR_SYMBOL && e->symbol == l->d.unknown)
        return !inside;
    for (int k = 0; k < e->count; k++)
        if (!is_linear(l, e->arg[k], inside || bends))
            return false;
    return true;
}

/* The highest frequency of an injected Ricker wavelet. */
static double highest_frequency(const deriver *d, const expr *e)
{
    double most = 0, own = 0;

    if (e->kind == EXPR_CALL && e->function == FUNCTION_RICKER &&
        tree_known(d, e->arg[0], &own))
        most = own;
    if (e->kind == EXPR_SYMBOL && e->symbol->kind == SYMBOL_LET)
        most = highest_frequency(d, e->symbol->value);
    for (int k = 0; k < e->count; k++)
        most = fmax(most, highest_frequency(d, e->arg[k]));
    return most;
}

double wave_ricker(const program *p, const expr *value)
{
    const deriver d = {.p = p};

    return highest_frequency(&d, value);
}

double wave_highest_frequency(const program *p)
{
    double most = 0;

    for (const statement *s = p->first; s; s = s->next)
        if (s->kind == STATEMENT_INJECT)
            most = fmax(most, wave_ricker(p, s->value));
    return most;
}

static pav_status measure(limiter *l, const double *least, const double *most,
                          wave_limit *w)
{
    double value[MOST_FREE] = {0};

    const expr *written = copy_inlined(&l->d, l->equation->value);
    find_coefficients(l, written);
    for (int choice = 0; choice < 1 << l->count; choice++) {
        for (int k = 0; k < l->count; k++) {
            const int64_t f = l->coefficient[k]->index;
            value[k] = choice >> k & 1 ? most[f] : least[f];
        }
        /* u' = 2*u - prev(u) + ...: the older level has weight -1 and stands alone */
        if (choice == 0 && !(l->d.unknown->oldest == 1 && is_linear(l, written, false) &&
                             find_form(l, -1, value) && l->d.form.count == 1 &&
                             l->d.form.diagonal == -1))
            return PAV_OK;
        if (!find_form(l, 0, value))
            return PAV_OK;
        w->growth = fmax(w->growth, -lowest_symbol(l) / 4);
        w->speed = choice ? fmin(w->speed, slowest_speed(l)) : slowest_speed(l);
    }
    w->frequency = wave_highest_frequency(l->d.p);
    w->equation = l->equation;
    w->coefficients = l->count;
    for (int k = 0; k < l->count; k++)
        w->coefficient[k] = l->coefficient[k];
    return PAV_OK;
}

/* A Ricker wavelet contains frequencies up to 2.5 times its own. */
double wave_points(const wave_limit *w, double dt)
{
    return w->frequency > 0 ? w->speed / (2.5 * w->frequency * dt) : 0;
}

pav_status wave_limit_find(const program *p, double dt, const double *least,
                           const double *most, wave_limit *result)
{
    limiter l = {.dt = dt};
    pav_status status = PAV_OK;

    *result = (wave_limit){0};
    for (const statement *s = p->first; s; s = s->next)
        if (s->kind == STATEMENT_UPDATE && !s->made) {
            if (l.equation)
                return PAV_OK; /* a system: its symbol is a matrix */
            l.equation = s;
        }
    if (axis_stretched(p, 0) || axis_stretched(p, 1) || axis_stretched(p, 2))
        return PAV_OK;
    if (!l.equation || p->mesh || l.equation->symbol->coarse)
        return PAV_OK;
    l.d = (deriver){
        .p = p, .solve = l.equation, .unknown = l.equation->symbol, .arena = arena_new()};
    if (!l.d.arena)
        return PAV_ENOMEM;
    ARENA_GUARD(l.d.arena, status, measure(&l, least, most, result));
    arena_free(l.d.arena);
    /* other descriptions have no such symbol */
    return status == PAV_ENOMEM ? status : PAV_OK;
}
