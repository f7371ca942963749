/* SPDX-License-Identifier: BSD-3-Clause */
/* Stability limit and speed of linear equations by von Neumann's analysis.
 *
 * A wave equation u' = 2*u - prev(u) + sum of weight * u[offset] needs no more than the
 * bounds of its coefficients. Nothing grows while the symbol S, the sum of weight *
 * cos(offset . frequency), lies between -4 and 0.
 *
 * Other equations are, for example, heat, advection, or particle velocities with
 * stresses. At one wave number, a step multiplies the levels of all fields by a matrix.
 * The largest eigenvalue of the matrix gives the growth. The coefficients are sampled
 * together at single points: bounds of each coefficient alone would combine values of
 * different points. */
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
    double bound[WAVE_COEFFICIENTS];
    bool folds; /* functions of these values are numbers */
    /* the questions: bounds of the fields, or values of coefficients at points */
    const double *least, *most, *values;
    int64_t count;
    wave_limit *result;
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
                const double k[MAX_DIM] = {x * PI / half, y * PI / half, z * PI / half};
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

/* The rate of waves of at least four points, and of the shortest waves, with two points
 * along an axis. */
static double largest_of(const double *k)
{
    return fmax(fabs(k[0]), fmax(fabs(k[1]), fabs(k[2])));
}

static double long_rate_at(const waves *w, const double *k)
{
    return largest_of(k) <= PI / 2 ? rate_at(w, k) : 0;
}

static double short_rate_at(const waves *w, const double *k)
{
    return largest_of(k) == PI ? rate_at(w, k) : 0;
}

/* Cells per step of the slowest wave along an axis with 32 points per wavelength. Waves
 * without noticeable motion are left out. */
static double wave_slowest(const waves *w, int axis)
{
    const double each = PI / 16, hardly = 1e-2;
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

/* ---- sources ----------------------------------------------------------------------- */

/* The highest frequency of a Ricker wavelet in an expression. */
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
    return highest_frequency(&(deriver){.p = p}, value);
}

static double highest_of_sources(const program *p)
{
    double most = 0;

    EACH_STATEMENT(s, p)
        if (s->kind == STATEMENT_INJECT)
            most = fmax(most, wave_ricker(p, s->value));
    return most;
}

/* ---- the form of the equations ----------------------------------------------------- */

/* Polynomial degree in the updated fields; 2: not linear in them. */
int tree_degree(const expr *e)
{
    int own[3] = {0}, most = 0;

    if (e->kind == EXPR_SYMBOL)
        return e->symbol->kind == SYMBOL_FIELD && e->symbol->updated;
    for (int k = 0; k < e->count; k++) {
        const int of = tree_degree(e->arg[k]);
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
    EACH_STATEMENT(s, w->d.p) {
        if (s->kind == STATEMENT_SOLVE || s->transforms)
            return false;
        if (s->kind != STATEMENT_UPDATE || s->made)
            continue;
        const int levels = s->symbol->oldest + 1;
        if (w->equations == WAVE_EQUATIONS || w->states + levels > WAVE_STATES ||
            s->symbol->coarse || tree_degree(written(w, s)) > 1 ||
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
 * `level`. */
static expr *frozen(waves *w, const expr *e, const symbol *field, int level)
{
    deriver *d = &w->d;
    const bool named = e->kind == EXPR_SYMBOL;
    bool known = w->folds && e->kind == EXPR_CALL && !function_draws(e->function);
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

/* Finds the form of a field at a level. False: its weights are no numbers. */
static bool find_form(waves *w, const expr *value, const symbol *field, int level)
{
    w->d.first = &w->d;
    w->d.unknown = field;
    w->d.difference = frozen(w, value, field, level);
    form_find(&w->d);
    return w->d.form.constant;
}

static bool add_form(waves *w, int n, const expr *value, int of, int level)
{
    const symbol *field = w->equation[of]->symbol;

    if (!tree_reads_level(value, field, level))
        return true;
    const bool known = find_form(w, value, field, level);
    w->form[n][w->forms[n]++] = (line_form){.column = level > 0 ? of
                                                                : w->first[of] - level,
                                            .newer = level > 0,
                                            .form = w->d.form};
    return known;
}

/* ---- all of them ------------------------------------------------------------------- */

/* Gives the equations a step of this length. False: they have no numbers. */
static bool find_step(waves *w, double length)
{
    w->dt = w->result->shares ? w->dt : length;
    w->share = w->result->shares ? length : 1;
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

typedef double figure_at(const waves *w, const double *k);

/* A question about the waves at a step of this length. */
typedef struct wave_question {
    double length;
    figure_at *figure; /* the maximum over the wave numbers, NAN: none, is the answer */
    double answer;
    bool slowest; /* the least speed over the axes is the answer */
} wave_question;

static pav_status answer(waves *w, wave_question *q)
{
    if (!find_step(w, q->length))
        return PAV_OK;
    if (!q->slowest)
        q->answer = most_of(w, q->figure);
    for (int axis = 0; q->slowest && axis < w->d.p->dim; axis++)
        q->answer = fmin(q->answer, wave_slowest(w, axis));
    return PAV_OK;
}

/* Uses an arena of its own: the forms of many steps and points would add up. */
static pav_status answer_in_own_arena(waves *w, wave_question *q)
{
    arena *const all = w->d.arena, *const own = arena_new();
    pav_status status;

    w->d.arena = own;
    ARENA_GUARD(own, status, answer(w, q));
    w->d.arena = all;
    arena_free(own);
    return status;
}

/* A step is stable if its waves grow no faster than the solution of the equation: `rate`
 * is the growth of that in a step of length 1, measured by a very short step. */
static pav_status find_stable(waves *w, double length, double rate, bool *is_stable)
{
    wave_question q = {.length = length, .figure = growth_at, .answer = NAN};

    TRY(answer_in_own_arena(w, &q));
    *is_stable = log(q.answer) <= log(stable) + 1.5 * rate * length;
    return PAV_OK;
}

/* Doubles the step until it is unstable, at most 4 times, then bisects for the longest
 * stable step, and stores its growth. */
static pav_status measure_one(waves *w, double length)
{
    const double tiny = length / 4096;
    wave_question q = {.length = tiny, .figure = rate_at, .answer = NAN};
    double bad = length, good = 0;
    bool holds = true;
    int tries = 0;

    /* the growth without its lower bound; 0 if it is not found */
    TRY(answer_in_own_arena(w, &q));
    if (isnan(q.answer))
        return PAV_OK;
    const double rate = q.answer / tiny;
    for (; tries < 4; tries++) {
        TRY(find_stable(w, bad, rate, &holds));
        if (!holds)
            break;
        bad *= 2;
    }
    for (int n = 0; n < BISECTIONS && tries < 4; n++) {
        const double middle = (good + bad) / 2;
        TRY(find_stable(w, middle, rate, &holds));
        *(holds ? &good : &bad) = middle;
    }
    if (good > 0)
        w->result->growth = fmax(w->result->growth, length * length / good / good);
    /* Two kinds of schemes have no stable step. In a difference with the flow, waves
     * grow even by exact steps, and the shortest ones fastest. In a central difference
     * with an explicit step, waves grow by the square of the step: too slowly for
     * `stable`, yet at `good`/4 by more than rounding. */
    const double small = length / 64; /* eigenvalues are exact to some 1e-6 */
    wave_question longer = {.length = small, .figure = long_rate_at, .answer = NAN};
    wave_question shorter = {.length = small, .figure = short_rate_at, .answer = NAN};
    wave_question quarter = {.length = good / 4, .figure = rate_at, .answer = NAN};
    if (w->result->shares)
        return PAV_OK;
    TRY(answer_in_own_arena(w, &longer));
    TRY(answer_in_own_arena(w, &shorter));
    if (good > 0)
        TRY(answer_in_own_arena(w, &quarter));
    w->result->never = shorter.answer > 1.5 * longer.answer + 1e-5 ||
                       quarter.answer > log(stable) / 24 + 1.5 * rate * good / 4;
    return PAV_OK;
}

/* ---- points ------------------------------------------------------------------------ */

/* Computes the speed for systems of first order only. Coupled equations of second order
 * in time also have a spurious wave of arbitrarily low speed. */
static pav_status measure_points(waves *w)
{
    const program *p = w->d.p;
    wave_limit *r = w->result;
    const double *worst = w->values;
    double most = -1;

    w->folds = true;
    w->share = 1;
    if (!find_equations(w))
        return PAV_OK;
    /* If the equations do not contain dt, as in u' = u + change, a fraction of the change
     * stands for a fraction of the step. */
    r->shares = true;
    for (int n = 0; n < w->equations && p->dt && r->shares; n++)
        r->shares = !tree_reads(written(w, w->equation[n]), p->dt);
    if (r->shares && w->states != w->equations)
        return PAV_OK;
    const double length = r->shares ? 1 : w->dt;
    r->equation = w->equation[0];
    r->equations = w->equations;
    r->coefficients = w->coefficients;
    memcpy(r->coefficient, w->coefficient, sizeof w->coefficient);
    if (w->count == 0)
        return PAV_OK;
    /* the slowest speed of all points, and the point with the largest growth in a step of
     * 4 dt */
    r->speed = INFINITY;
    for (int64_t n = 0; n < w->count; n++) {
        wave_question speed = {.length = length, .slowest = true, .answer = INFINITY};
        wave_question growth = {.length = 4 * length, .figure = growth_at, .answer = -1};
        w->value = w->values + n * WAVE_COEFFICIENTS;
        if (w->states == w->equations)
            TRY(answer_in_own_arena(w, &speed));
        TRY(answer_in_own_arena(w, &growth));
        r->speed = fmin(r->speed, speed.answer);
        worst = growth.answer > most ? w->value : worst;
        most = fmax(most, growth.answer);
    }
    w->value = worst;
    r->frequency = isfinite(r->speed) ? highest_of_sources(p) : 0;
    for (int k = 0; k < w->coefficients; k++)
        r->worst[k] = w->value[k];
    return measure_one(w, length);
}

/* ---- a wave equation between bounds ------------------------------------------------ */

static double lowest_symbol(const waves *w)
{
    enum { SAMPLES = 9 }; /* from 0 to pi */
    const solve_form *f = &w->d.form;
    int total = 1;
    double least = 0;

    for (int axis = 0; axis < w->d.p->dim; axis++)
        total *= SAMPLES;
    for (int at = 0; at < total; at++) {
        const int index[] = {at % SAMPLES, at / SAMPLES % SAMPLES,
                             at / SAMPLES / SAMPLES};
        double sum = -2;
        for (int64_t k = 0; k < f->count; k++) {
            double phase = 0;
            for (int axis = 0; axis < w->d.p->dim; axis++) {
                phase += f->tap[k].offset[axis] * (index[axis] * PI / (SAMPLES - 1));
            }
            sum += f->tap[k].value * cos(phase);
        }
        least = fmin(least, sum);
    }
    return least;
}

/* Cells per step along the slowest axis. The second moment of the weights is twice its
 * square. */
static double slowest_speed(const waves *w)
{
    double slowest = INFINITY;

    for (int axis = 0; axis < w->d.p->dim; axis++) {
        double moment = 0;
        for (int64_t k = 0; k < w->d.form.count; k++) {
            const double offset = w->d.form.tap[k].offset[axis];
            moment += w->d.form.tap[k].value * offset * offset;
        }
        slowest = fmin(slowest, sqrt(fmax(moment, 0) / 2));
    }
    return slowest;
}

static pav_status measure_bounds(waves *w)
{
    const statement *s = w->equation[0];
    const expr *value = written(w, s), *all = copy_inlined(&w->d, s->value);
    wave_limit *r = w->result;

    if (!add_coefficients(w, all) || tree_degree(all) > 1 || s->symbol->oldest != 1)
        return PAV_OK;
    w->value = w->bound;
    for (int choice = 0; choice < 1 << w->coefficients; choice++) {
        for (int k = 0; k < w->coefficients; k++) {
            const int64_t f = w->coefficient[k]->index;
            w->bound[k] = choice >> k & 1 ? w->most[f] : w->least[f];
        }
        /* u' = 2*u - prev(u) + ...: the older level has weight -1 and stands alone */
        if (choice == 0 && !(find_form(w, value, s->symbol, -1) && w->d.form.count == 1 &&
                             w->d.form.diagonal == -1))
            return PAV_OK;
        if (!find_form(w, value, s->symbol, 0))
            return PAV_OK;
        r->growth = fmax(r->growth, -lowest_symbol(w) / 4);
        r->speed = choice ? fmin(r->speed, slowest_speed(w)) : slowest_speed(w);
    }
    r->frequency = highest_of_sources(w->d.p);
    r->equation = s;
    r->coefficients = w->coefficients;
    memcpy(r->coefficient, w->coefficient, sizeof w->coefficient);
    return PAV_OK;
}

/* ---- questions --------------------------------------------------------------------- */

/* Descriptions on meshes and stretched axes have no symbol. */
static pav_status measure(waves *w, pav_status (*measure_all)(waves *w))
{
    const program *p = w->d.p;
    pav_status status;

    if (p->mesh || axis_stretched(p, 0) || axis_stretched(p, 1) || axis_stretched(p, 2))
        return PAV_OK;
    arena *const a = w->d.arena = arena_new();
    ARENA_GUARD(a, status, measure_all(w));
    arena_free(a);
    return status == PAV_ENOMEM ? status : PAV_OK;
}

pav_status wave_limit_find(const program *p, double dt, const double *least,
                           const double *most, wave_limit *result)
{
    waves w = {.d = {.p = p}, .dt = dt, .least = least, .most = most, .result = result};

    *result = (wave_limit){0};
    EACH_STATEMENT(s, p)
        if (s->kind == STATEMENT_UPDATE && !s->made) {
            w.equation[0] = s;
            w.equations++;
        }
    if (w.equations != 1 || w.equation[0]->symbol->coarse)
        return PAV_OK; /* the symbol of a system is a matrix */
    return measure(&w, measure_bounds);
}

pav_status wave_system_find(const program *p, double dt, const double *values,
                            int64_t count, wave_limit *result)
{
    waves w = {
        .d = {.p = p}, .dt = dt, .values = values, .count = count, .result = result};

    *result = (wave_limit){0};
    return measure(&w, measure_points);
}
