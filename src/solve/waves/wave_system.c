/* SPDX-License-Identifier: BSD-3-Clause */
/* Stability limit and speed of linear equations, for example heat, advection, or particle
 * velocities with stresses, by von Neumann's analysis. At one wave number, a step
 * multiplies the levels of all fields by a matrix. The largest eigenvalue of the matrix
 * gives the growth. The coefficients are sampled together at single points: bounds of
 * each coefficient alone would combine values of different points. */
#include <math.h>
#include <string.h>

#include "solve/waves/waves_private.h"

enum { BISECTIONS = 14 };
static const double stable = 1 + 1e-4; /* limit of the growth, with rounding errors */

/* ---- what the equations are -------------------------------------------------------- */

/* Polynomial degree in the updated fields; 2: not linear in them. */
static int degree(const expr *e)
{
    int own[3] = {0}, most = 0;

    if (e->kind == EXPR_SYMBOL)
        return e->symbol->kind == SYMBOL_FIELD && e->symbol->updated;
    for (int k = 0; k < e->count; k++) {
        const int of = degree(e->arg[k]);
        own[k < 3 ? k : 2] = of;
        most = of > most ? of : most;
    }
    if (e->kind == EXPR_BINARY && e->op == OP_MUL)
        return own[0] + own[1];
    if (e->kind == EXPR_BINARY && e->op == OP_DIV)
        return own[1] ? 2 : own[0];
    if (e->kind == EXPR_BINARY && e->op != OP_ADD && e->op != OP_SUB)
        return most ? 2 : 0;
    if (e->kind == EXPR_CALL && (e->function != FUNCTION_WHERE || own[0]))
        return most ? 2 : 0;
    return most;
}

static expr *written(waves *w, const statement *s)
{
    return copy_inlined(&w->d, s->written ? s->written : s->value);
}

static bool add_coefficients(waves *w, const expr *e)
{
    bool all = true;

    if (e->kind == EXPR_SYMBOL && e->symbol->kind == SYMBOL_FIELD &&
        !e->symbol->updated) {
        int k = 0;
        while (k < w->coefficients && w->coefficient[k] != e->symbol)
            k++;
        if (k == WAVE_COEFFICIENTS)
            return false;
        w->coefficient[k] = e->symbol;
        w->coefficients = k == w->coefficients ? k + 1 : w->coefficients;
    }
    for (int k = 0; k < e->count && all; k++)
        all = add_coefficients(w, e->arg[k]);
    return all;
}

/* Collects the equations: one for each of some fields of the finest grid, linear in
 * them. */
static bool find_equations(waves *w)
{
    for (const statement *s = w->d.p->first; s; s = s->next) {
        if (s->kind == STATEMENT_SOLVE)
            return false;
        if (s->kind != STATEMENT_UPDATE || s->made)
            continue;
        const int levels = s->symbol->oldest + 1;
        if (w->equations == WAVE_EQUATIONS || w->states + levels > WAVE_STATES ||
            s->symbol->coarse || degree(written(w, s)) > 1 ||
            !add_coefficients(w, written(w, s)))
            return false;
        w->first[w->equations] = w->states;
        w->states += levels;
        w->equation[w->equations++] = s;
    }
    return w->equations > 0;
}

/* ---- with numbers ------------------------------------------------------------------ */

/* Folds a function of known numbers. */
static expr *called(deriver *d, expr *e)
{
    double value[3] = {0};
    bool known = e->kind == EXPR_CALL && e->function != FUNCTION_RANDOM;

    for (int k = 0; k < e->count && known; k++)
        known = tree_known(d, e->arg[k], &value[k]);
    if (!known)
        return e;
    if (e->function == FUNCTION_WHERE)
        return e->arg[value[0] != 0 ? 1 : 2];
    return tree_number(d, num_double(function_f64(e->function, value[0], value[1])));
}

/* Copies e with numbers for the coefficients, and with 0 for all fields but `field` at
 * `level`. */
static expr *frozen(waves *w, const expr *e, const symbol *field, int level)
{
    deriver *d = &w->d;
    const bool named = e->kind == EXPR_SYMBOL;

    for (int k = 0; named && k < w->coefficients; k++)
        if (e->symbol == w->coefficient[k])
            return tree_number(d, num_double(w->value[k]));
    if (named && e->symbol == d->p->dt && w->dt > 0)
        return tree_number(d, num_double(w->dt));
    if (named && e->symbol->kind == SYMBOL_FIELD &&
        !(e->symbol == field && e->level == level))
        return tree_number(d, num_int(0));
    expr *copy = tree_new(d, e->kind, e->count);
    expr **const arg = copy->arg;
    *copy = *e;
    copy->arg = arg;
    for (int k = 0; k < e->count; k++)
        arg[k] = frozen(w, e->arg[k], field, level);
    return called(d, copy);
}

static bool reads(const expr *e, const symbol *field, int level)
{
    bool any = e->kind == EXPR_SYMBOL && e->symbol == field && e->level == level;

    for (int k = 0; k < e->count && !any; k++)
        any = reads(e->arg[k], field, level);
    return any;
}

static bool add_form(waves *w, int n, const expr *value, int of, int level)
{
    const symbol *field = w->equation[of]->symbol;

    if (!reads(value, field, level))
        return true;
    w->d.unknown = field;
    w->d.difference = frozen(w, value, field, level);
    form_find(&w->d);
    w->form[n][w->forms[n]++] = (line_form){.column = level > 0 ? of
                                                                : w->first[of] - level,
                                            .newer = level > 0,
                                            .form = w->d.form};
    return w->d.form.constant;
}

static bool find_forms(waves *w)
{
    bool all = true;

    for (int n = 0; n < w->equations && all; n++) {
        const expr *value = written(w, w->equation[n]);
        w->forms[n] = 0;
        for (int of = 0; of < w->equations && all; of++)
            for (int level = of < n; level >= -w->equation[of]->symbol->oldest; level--)
                all = all && add_form(w, n, value, of, level);
    }
    return all;
}

/* ---- all of them ------------------------------------------------------------------- */

static bool is_read(const expr *e, const symbol *s)
{
    bool any = e->kind == EXPR_SYMBOL && e->symbol == s;

    for (int k = 0; k < e->count && !any; k++)
        any = is_read(e->arg[k], s);
    return any;
}

/* True if dt is in the equations. Without it, u' = u + change: a share of the change is
 * the length of the step. */
static bool has_length(waves *w)
{
    bool any = false;

    for (int n = 0; n < w->equations && w->d.p->dt && !any; n++)
        any = is_read(written(w, w->equation[n]), w->d.p->dt);
    return any;
}

static bool find_step(waves *w, const wave_limit *r, double length)
{
    w->dt = r->shares ? w->dt : length;
    w->share = r->shares ? length : 1;
    return find_forms(w);
}

/* A step is stable if its waves grow no faster than the solution of the equation: `rate`
 * is the growth of that in a step of length 1, measured by a very short step. */
static bool is_stable(waves *w, const wave_limit *r, double length, double rate)
{
    return find_step(w, r, length) &&
           log(wave_growth(w)) <= log(stable) + 1.5 * rate * length;
}

/* Bisects for the longest stable step below the unstable step `bad`. */
static double longest_step(waves *w, const wave_limit *r, double bad, double rate)
{
    double good = 0;

    for (int n = 0; n < BISECTIONS; n++) {
        const double middle = (good + bad) / 2;
        *(is_stable(w, r, middle, rate) ? &good : &bad) = middle;
    }
    return good;
}

/* Doubles the step until it is unstable, at most 4 times, and stores the growth of the
 * longest stable step. */
static void measure_one(waves *w, double length, wave_limit *r)
{
    const double tiny = length / 4096;
    double above = length;
    int tries = 0;

    if (!find_step(w, r, tiny))
        return;
    const double rate = wave_rate(w) / tiny;
    for (; tries < 4 && is_stable(w, r, above, rate); tries++)
        above *= 2;
    if (tries == 4)
        return;
    const double longest = longest_step(w, r, above, rate);
    if (longest > 0)
        r->growth = fmax(r->growth, length * length / longest / longest);
}

/* ---- points ------------------------------------------------------------------------ */

typedef struct point_waves {
    double speed, growth; /* speed of the slowest wave; growth in a step of 4 dt */
} point_waves;

/* Computes the speed for systems of first order only. Coupled equations of second order
 * in time also have a spurious wave of arbitrarily low speed. */
static pav_status look_at(waves *w, const wave_limit *r, double dt, point_waves *p)
{
    const bool first_order = w->states == w->equations;

    if (first_order && find_step(w, r, dt))
        for (int axis = 0; axis < w->d.p->dim; axis++)
            p->speed = fmin(p->speed, wave_slowest(w, axis));
    if (find_step(w, r, 4 * dt))
        p->growth = wave_growth(w);
    return PAV_OK;
}

/* Uses an arena of its own: the forms of many points would add up. */
static pav_status look_alone(waves *w, const wave_limit *r, double dt, point_waves *p)
{
    arena *const all = w->d.arena, *const own = arena_new();
    pav_status status;

    if (!own)
        return PAV_ENOMEM;
    w->d.arena = own;
    ARENA_GUARD(own, status, look_at(w, r, dt, p));
    w->d.arena = all;
    arena_free(own);
    return status;
}

/* Finds the slowest speed of all points. The point with the largest growth becomes the
 * current point. */
static pav_status look_at_all(waves *w, double dt, const double *values, int64_t count,
                              wave_limit *result)
{
    const double *worst = values;
    double most = -1;

    result->speed = INFINITY;
    for (int64_t n = 0; n < count; n++) {
        point_waves own = {INFINITY, -1};
        w->value = values + n * WAVE_COEFFICIENTS;
        TRY(look_alone(w, result, dt, &own));
        result->speed = fmin(result->speed, own.speed);
        worst = own.growth > most ? w->value : worst;
        most = fmax(most, own.growth);
    }
    w->value = worst;
    return PAV_OK;
}

static pav_status measure(const program *p, arena *a, double dt, const double *values,
                          int64_t count, wave_limit *result)
{
    waves *const w = arena_alloc(a, 1, sizeof *w);

    *w = (waves){.d = {.p = p, .arena = a}, .share = 1};
    if (!find_equations(w))
        return PAV_OK;
    result->shares = !has_length(w);
    if (result->shares && w->states != w->equations)
        return PAV_OK;
    w->dt = dt;
    const double length = result->shares ? 1 : dt;
    result->equation = w->equation[0];
    result->equations = w->equations;
    result->coefficients = w->coefficients;
    memcpy(result->coefficient, w->coefficient, sizeof w->coefficient);
    if (count == 0)
        return PAV_OK;
    TRY(look_at_all(w, length, values, count, result));
    result->frequency = isfinite(result->speed) ? wave_highest_frequency(p) : 0;
    for (int k = 0; k < w->coefficients; k++)
        result->worst[k] = w->value[k];
    measure_one(w, length, result);
    return PAV_OK;
}

pav_status wave_system_find(const program *p, double dt, const double *values,
                            int64_t count, wave_limit *result)
{
    arena *const a = arena_new();
    pav_status status;

    *result = (wave_limit){0};
    if (!a)
        return PAV_ENOMEM;
    for (int axis = 0; axis < MAX_DIM; axis++)
        if (p->mesh || axis_stretched(p, axis)) {
            arena_free(a);
            return PAV_OK;
        }
    ARENA_GUARD(a, status, measure(p, a, dt, values, count, result));
    arena_free(a);
    return status == PAV_ENOMEM ? status : PAV_OK;
}
