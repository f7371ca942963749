/* SPDX-License-Identifier: BSD-3-Clause */
/* Stability limit and speed of linear equations, for example heat, advection, or particle
 * velocities with stresses, by von Neumann's analysis. At one wave number, a step
 * multiplies the levels of all fields by a matrix. The largest eigenvalue of the matrix
 * gives the growth. The coefficients are sampled together at single points: bounds of
 * each coefficient alone would combine values of different points. */
#include <complex.h>
#include <float.h>
#include <math.h>
#include <string.h>

#include "solve/waves/waves_private.h"

enum { WAVE_EQUATIONS = 16 };

typedef struct line_form {
    int column; /* column of the state, or number of an earlier equation */
    bool newer; /* the earlier equation's result in the same step */
    solve_form form;
} line_form;

typedef struct waves {
    deriver d;
    double dt;
    double share; /* without dt: the applied share of the change of a step */
    int equations, states;
    const statement *equation[WAVE_EQUATIONS];
    int first[WAVE_EQUATIONS]; /* state of its level 0; older ones follow */
    int coefficients;
    const symbol *coefficient[WAVE_COEFFICIENTS];
    const double *value; /* values of the coefficients */
    int forms[WAVE_EQUATIONS];
    line_form form[WAVE_EQUATIONS][WAVE_STATES + WAVE_EQUATIONS];
} waves;

/* ---- eigenvalues ------------------------------------------------------------------- */

/* Eigenvalues of a small complex matrix: elimination to a Hessenberg matrix, then steps
 * of QR with Wilkinson's shift (Golub and Van Loan, Matrix Computations, 7.4 and 7.5). */

static void swap(double complex *a, double complex *b)
{
    const double complex kept = *a;
    *a = *b;
    *b = kept;
}

static void to_hessenberg(int n, wave_matrix m)
{
    for (int c = 1; c < n - 1; c++) {
        int pivot = c;
        for (int r = c + 1; r < n; r++)
            pivot = cabs(m[r][c - 1]) > cabs(m[pivot][c - 1]) ? r : pivot;
        if (cabs(m[pivot][c - 1]) == 0)
            continue;
        for (int j = 0; j < n; j++)
            swap(&m[pivot][j], &m[c][j]);
        for (int i = 0; i < n; i++)
            swap(&m[i][pivot], &m[i][c]);
        /* subtracts multiples of row c from each row r, with the matching change of
         * columns */
        for (int r = c + 1; r < n; r++) {
            const double complex factor = m[r][c - 1] / m[c][c - 1];
            for (int j = 0; j < n; j++)
                m[r][j] -= factor * m[c][j];
            for (int i = 0; i < n; i++)
                m[i][c] += factor * m[i][r];
        }
    }
}

/* Shift of the QR step: the eigenvalue of the last two rows closer to the last diagonal
 * element. */
static double complex shift_of(wave_matrix m, int last)
{
    const double complex a = m[last - 1][last - 1], d = m[last][last];
    const double complex half = (a - d) / 2;
    const double complex root = csqrt(half * half +
                                      m[last - 1][last] * m[last][last - 1]);
    return d + half + (cabs(half + root) < cabs(half - root) ? root : -root);
}

/* Replaces m = Q R by R Q, with rotations of neighbouring rows. */
static void take_step(wave_matrix m, int last, double complex shift)
{
    double complex c[WAVE_STATES], s[WAVE_STATES];

    for (int k = 0; k <= last; k++)
        m[k][k] -= shift;
    for (int k = 0; k < last; k++) {
        const double size = hypot(cabs(m[k][k]), cabs(m[k + 1][k]));
        c[k] = size > 0 ? m[k][k] / size : 1;
        s[k] = size > 0 ? m[k + 1][k] / size : 0;
        for (int j = k; j <= last; j++) {
            const double complex above = m[k][j], below = m[k + 1][j];
            m[k][j] = conj(c[k]) * above + conj(s[k]) * below;
            m[k + 1][j] = c[k] * below - s[k] * above;
        }
    }
    for (int k = 0; k < last; k++)
        for (int i = 0; i <= k + 1; i++) {
            const double complex left = m[i][k], right = m[i][k + 1];
            m[i][k] = left * c[k] + right * s[k];
            m[i][k + 1] = right * conj(c[k]) - left * conj(s[k]);
        }
    for (int k = 0; k <= last; k++)
        m[k][k] += shift;
}

bool wave_eigenvalues(int n, wave_matrix m)
{
    enum { MOST_TRIES = 60, UNUSUAL = 10 };
    int last = n - 1;

    to_hessenberg(n, m);
    for (int tries = 0; last > 0 && tries < MOST_TRIES; tries++) {
        const double below = cabs(m[last][last - 1]);
        if (below <= DBL_EPSILON * (cabs(m[last][last]) + cabs(m[last - 1][last - 1]))) {
            last--;
            tries = -1;
        } else {
            take_step(m, last,
                      tries % UNUSUAL == UNUSUAL - 1 ? m[last][last] + below
                                                     : shift_of(m, last));
        }
    }
    return last <= 0;
}

/* ---- wave numbers ------------------------------------------------------------------ */

/* The matrix of one step of a linear system at one wave number. Its eigenvalues give the
 * growth of the waves and the speed of the slowest wave. */

enum { SQUARINGS = 20 };
static const double pi = 3.14159265358979323846;

static double complex symbol_of(const waves *w, const solve_form *f, const double *k)
{
    double complex sum = 0;

    for (int64_t n = 0; n < f->count; n++) {
        double phase = 0;
        for (int axis = 0; axis < w->d.p->dim; axis++)
            phase += f->tap[n].offset[axis] * k[axis];
        sum += f->tap[n].value * (cos(phase) + I * sin(phase));
    }
    return sum;
}

/* Fills the matrix, one row per level of each field. A new value follows from the
 * equation. An older level is a copy of the next newer level. */
static void find_matrix(const waves *w, const double *k, wave_matrix m)
{
    memset(m, 0, (size_t)w->states * sizeof *m);
    for (int n = 0; n < w->equations; n++) {
        double complex *row = m[w->first[n]];
        for (int f = 0; f < w->forms[n]; f++) {
            const line_form *form = &w->form[n][f];
            const double complex factor = symbol_of(w, &form->form, k);
            const double complex *from = m[w->first[form->newer ? form->column : 0]];
            if (!form->newer)
                row[form->column] += factor;
            for (int j = 0; j < w->states && form->newer; j++)
                row[j] += factor * from[j];
        }
        for (int j = 0; j < w->states; j++)
            row[j] = (j == w->first[n]) + w->share * (row[j] - (j == w->first[n]));
        for (int age = 1; age <= w->equation[n]->symbol->oldest; age++)
            m[w->first[n] + age][w->first[n] + age - 1] = 1;
    }
}

static double norm_of(const waves *w, wave_matrix m)
{
    double sum = 0;

    for (int i = 0; i < w->states; i++)
        for (int j = 0; j < w->states; j++)
            sum += creal(m[i][j]) * creal(m[i][j]) + cimag(m[i][j]) * cimag(m[i][j]);
    return sqrt(sum);
}

static void square(const waves *w, wave_matrix m)
{
    wave_matrix old;

    memcpy(old, m, (size_t)w->states * sizeof *m);
    for (int i = 0; i < w->states; i++)
        for (int j = 0; j < w->states; j++) {
            m[i][j] = 0;
            for (int k = 0; k < w->states; k++)
                m[i][j] += old[i][k] * old[k][j];
        }
}

/* The largest absolute eigenvalue, from the norm of a high power. */
static double growth_at(const waves *w, const double *k)
{
    wave_matrix m;
    double logarithm = 0, share = 1;

    find_matrix(w, k, m);
    if (w->states == 1)
        return cabs(m[0][0]);
    for (int n = 0; n < SQUARINGS; n++) {
        const double size = norm_of(w, m);
        if (!(size > 0) || !isfinite(size))
            return size > 0 ? INFINITY : 0;
        for (int i = 0; i < w->states; i++)
            for (int j = 0; j < w->states; j++)
                m[i][j] /= size;
        logarithm += share * log(size);
        share /= 2;
        square(w, m);
    }
    return exp(logarithm + share * log(fmax(norm_of(w, m), 1e-300)));
}

/* The maximum of `figure` over wave numbers from 0 to pi along x, and from -pi where axes
 * may differ: large systems are symmetric, and their matrices take long. */
static double most_of(const waves *w, double (*figure)(const waves *, const double *))
{
    enum { FEW_STATES = 4 };
    const int dim = w->d.p->dim, half = dim == 3 ? 4 : 8;
    const int from = w->states <= FEW_STATES ? -half : 0;
    const int last[] = {half, dim > 1 ? half : 0, dim > 2 ? half : 0};
    double most = 0;

    for (int z = dim > 2 ? from : 0; z <= last[2]; z++)
        for (int y = dim > 1 ? from : 0; y <= last[1]; y++)
            for (int x = 0; x <= last[0]; x++) {
                const double k[] = {x * pi / half, y * pi / half, z * pi / half};
                most = fmax(most, figure(w, k));
            }
    return most;
}

static double rate_at(const waves *w, const double *k)
{
    wave_matrix m;
    double most = 0;

    find_matrix(w, k, m);
    if (!wave_eigenvalues(w->states, m))
        return 0;
    for (int n = 0; n < w->states; n++)
        most = fmax(most, log(cabs(m[n][n])));
    return most;
}

/* Cells per step of the slowest wave along an axis with 32 points per wavelength. Waves
 * without noticeable motion are left out. */
static double wave_slowest(const waves *w, int axis)
{
    const double each = pi / 16, hardly = 1e-2;
    double k[MAX_DIM] = {0};
    double fastest = 0, slowest = INFINITY;
    wave_matrix m;

    k[axis] = each;
    find_matrix(w, k, m);
    if (!wave_eigenvalues(w->states, m))
        return INFINITY;
    for (int n = 0; n < w->states; n++)
        fastest = fmax(fastest, fabs(carg(m[n][n])));
    for (int n = 0; n < w->states; n++) {
        const double turn = fabs(carg(m[n][n]));
        slowest = turn > hardly * fastest ? fmin(slowest, turn) : slowest;
    }
    return slowest / each;
}

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

/* Copies e with numbers for the coefficients, and with 0 for all fields but `field` at
 * `level`. Functions of known numbers are folded. */
static expr *frozen(waves *w, const expr *e, const symbol *field, int level)
{
    deriver *d = &w->d;
    const bool named = e->kind == EXPR_SYMBOL;
    bool known = e->kind == EXPR_CALL && e->function != FUNCTION_RANDOM;
    double value[3] = {0};

    for (int k = 0; named && k < w->coefficients; k++)
        if (e->symbol == w->coefficient[k])
            return tree_number(d, num_double(w->value[k]));
    if (named && e->symbol == d->p->dt && w->dt > 0)
        return tree_number(d, num_double(w->dt));
    if (named && e->symbol->kind == SYMBOL_FIELD &&
        !(e->symbol == field && e->level == level))
        return tree_number(d, num_int(0));
    expr *copy = tree_clone(d, e);
    for (int k = 0; k < e->count; k++) {
        copy->arg[k] = frozen(w, e->arg[k], field, level);
        known = known && tree_known(d, copy->arg[k], &value[k]);
    }
    if (known && e->function == FUNCTION_WHERE)
        return copy->arg[value[0] != 0 ? 1 : 2];
    return known
               ? tree_number(d, num_double(function_f64(e->function, value[0], value[1])))
               : copy;
}

static bool add_form(waves *w, int n, const expr *value, int of, int level)
{
    const symbol *field = w->equation[of]->symbol;

    if (!tree_reads_level(value, field, level))
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

/* Gives the equations a step of this length. False: they have no numbers. */
static bool find_step(waves *w, const wave_limit *r, double length)
{
    w->dt = r->shares ? w->dt : length;
    w->share = r->shares ? length : 1;
    return find_forms(w);
}

typedef double figure_at(const waves *w, const double *k);

static pav_status find_figure(waves *w, const wave_limit *r, double length,
                              figure_at *figure, double *most)
{
    *most = find_step(w, r, length) ? most_of(w, figure) : NAN;
    return PAV_OK;
}

/* The maximum of a figure over the wave numbers, at a step of this length; NAN: none.
 * Uses an arena of its own: the forms of many steps and points would add up. */
static pav_status find_alone(waves *w, const wave_limit *r, double length,
                             figure_at *figure, double *most)
{
    arena *const all = w->d.arena, *const own = arena_new();
    pav_status status;

    if (!own)
        return PAV_ENOMEM;
    w->d.arena = own;
    ARENA_GUARD(own, status, find_figure(w, r, length, figure, most));
    w->d.arena = all;
    arena_free(own);
    return status;
}

/* A step is stable if its waves grow no faster than the solution of the equation: `rate`
 * is the growth of that in a step of length 1, measured by a very short step. */
static pav_status find_stable(waves *w, const wave_limit *r, double length, double rate,
                              bool *is_stable)
{
    double growth = NAN;

    TRY(find_alone(w, r, length, growth_at, &growth));
    *is_stable = log(growth) <= log(stable) + 1.5 * rate * length;
    return PAV_OK;
}

/* Doubles the step until it is unstable, at most 4 times, then bisects for the longest
 * stable step, and stores its growth. */
static pav_status measure_one(waves *w, double length, wave_limit *r)
{
    const double tiny = length / 4096;
    double bad = length, good = 0, rate = NAN;
    bool holds = true;
    int tries = 0;

    /* the growth without its lower bound; 0 if it is not found */
    TRY(find_alone(w, r, tiny, rate_at, &rate));
    if (isnan(rate))
        return PAV_OK;
    rate /= tiny;
    for (; tries < 4; tries++) {
        TRY(find_stable(w, r, bad, rate, &holds));
        if (!holds)
            break;
        bad *= 2;
    }
    for (int n = 0; n < BISECTIONS && tries < 4; n++) {
        const double middle = (good + bad) / 2;
        TRY(find_stable(w, r, middle, rate, &holds));
        *(holds ? &good : &bad) = middle;
    }
    if (good > 0)
        r->growth = fmax(r->growth, length * length / good / good);
    return PAV_OK;
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
        p->growth = most_of(w, growth_at);
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

static pav_status measure(const program *p, arena *a, double dt, const double *values,
                          int64_t count, wave_limit *result)
{
    waves *const w = arena_alloc(a, 1, sizeof *w);
    const double *worst = values;
    double most = -1;

    *w = (waves){.d = {.p = p, .arena = a}, .share = 1};
    if (!find_equations(w))
        return PAV_OK;
    /* Without dt in the equations, u' = u + change: a share of the change is the length
     * of the step. */
    result->shares = true;
    for (int n = 0; n < w->equations && p->dt && result->shares; n++)
        result->shares = !tree_reads(written(w, w->equation[n]), p->dt);
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
    /* the slowest speed of all points, and the point with the largest growth */
    result->speed = INFINITY;
    for (int64_t n = 0; n < count; n++) {
        point_waves own = {INFINITY, -1};
        w->value = values + n * WAVE_COEFFICIENTS;
        TRY(look_alone(w, result, length, &own));
        result->speed = fmin(result->speed, own.speed);
        worst = own.growth > most ? w->value : worst;
        most = fmax(most, own.growth);
    }
    w->value = worst;
    result->frequency = isfinite(result->speed) ? wave_highest_frequency(p) : 0;
    for (int k = 0; k < w->coefficients; k++)
        result->worst[k] = w->value[k];
    return measure_one(w, length, result);
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
