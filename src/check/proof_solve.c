/* SPDX-License-Identifier: BSD-3-Clause */
/* proof_solve.c: the solution of a random equation is compared with elimination. Steps of
 * the interpreter from unit vectors give the matrix. A device must be bitwise identical
 * to the interpreter. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "check/check_private.h"

typedef struct dense {
    pav_run *run;          /* its step stores the residual in r */
    int64_t points, n;     /* points of the grid; unknowns */
    int64_t *at;           /* point of each unknown */
    double *u, *r, *after; /* at all points: start, residual, after a step */
    double *start, *found; /* per unknown: first residual; solution */
    double *a, *inverse;   /* n*n, rows one after the other */
    bool open;             /* a constant is free */
} dense;

/* ---- the matrix -------------------------------------------------------------------- */

typedef struct solving {
    pav_program *program;
    pav_device *device;
    pav_run *run;
} solving;

static void close_run(solving *s)
{
    pav_run_free(s->run);
    pav_program_free(s->program);
    pav_device_free(s->device);
}

static pav_status open_on(const char *device, const text *source, solving *s)
{
    const pav_run_options options = {.no_files = 1};
    TRY(pav_device_open(device, &s->device));
    TRY(pav_program_parse(source->data, (size_t)source->length, NULL, &s->program));
    return pav_run_open(s->program, s->device, &options, &s->run);
}

static pav_status read_field(pav_run *run, const char *field, double *values,
                             int64_t count)
{
    return pav_field_read(run, field, 0, PAV_F64, values, count);
}

static pav_status residual_of(dense *s, const double *u)
{
    TRY(pav_field_write(s->run, "u", 0, PAV_F64, u, s->points));
    TRY(pav_run_steps(s->run, 1));
    return read_field(s->run, "r", s->r, s->points);
}

/* Finds the unknowns: points changed by a step, neither given by a border nor masked. */
static pav_status find_unknowns(dense *s)
{
    TRY(read_field(s->run, "u", s->u, s->points));
    TRY(residual_of(s, s->u));
    TRY(read_field(s->run, "u", s->after, s->points));
    for (int64_t k = 0; k < s->points; k++)
        if (s->after[k] > s->u[k] + 0.5)
            s->at[s->n++] = k;
    for (int64_t k = 0; k < s->n; k++)
        s->start[k] = s->r[s->at[k]];
    return PAV_OK;
}

static pav_status fill_matrix(dense *s)
{
    for (int64_t c = 0; c < s->n; c++) {
        s->u[s->at[c]] += 1;
        TRY(residual_of(s, s->u));
        s->u[s->at[c]] -= 1;
        for (int64_t k = 0; k < s->n; k++)
            s->a[k * s->n + c] = s->start[k] - s->r[s->at[k]];
    }
    return PAV_OK;
}

/* ---- elimination ------------------------------------------------------------------- */

/* If the rows of the matrix sum to 0, a constant is free. Adding a multiple of the sum
 * determines it. */
static void fix_constant(dense *s)
{
    double most = 0, sum = 0;
    for (int64_t k = 0; k < s->n; k++) {
        double row = 0;
        for (int64_t c = 0; c < s->n; c++)
            row += s->a[k * s->n + c];
        most = fmax(most, fabs(s->a[k * s->n + k]));
        sum = fmax(sum, fabs(row));
    }
    s->open = sum < 1e-4 * most;
    for (int64_t k = 0; k < s->n * s->n && s->open; k++)
        s->a[k] += most / (double)s->n;
}

static void exchange_rows(dense *s, double *m, int64_t one, int64_t other)
{
    for (int64_t c = 0; c < s->n && one != other; c++) {
        const double value = m[one * s->n + c];
        m[one * s->n + c] = m[other * s->n + c];
        m[other * s->n + c] = value;
    }
}

static void add_row(dense *s, double *m, int64_t to, int64_t from, double factor)
{
    for (int64_t c = 0; c < s->n; c++)
        m[to * s->n + c] += factor * m[from * s->n + c];
}

static void clear_column(dense *s, int64_t p)
{
    for (int64_t k = 0; k < s->n; k++) {
        const double factor = -s->a[k * s->n + p] / s->a[p * s->n + p];
        if (k == p || factor == 0)
            continue;
        add_row(s, s->a, k, p, factor);
        add_row(s, s->inverse, k, p, factor);
    }
}

/* Inverts the matrix by Gauss-Jordan elimination with pivots. */
static bool invert(dense *s)
{
    for (int64_t k = 0; k < s->n; k++)
        s->inverse[k * s->n + k] = 1;
    for (int64_t p = 0; p < s->n; p++) {
        int64_t best = p;
        for (int64_t k = p; k < s->n; k++)
            if (fabs(s->a[k * s->n + p]) > fabs(s->a[best * s->n + p]))
                best = k;
        if (!(fabs(s->a[best * s->n + p]) > 0))
            return false;
        exchange_rows(s, s->a, p, best);
        exchange_rows(s, s->inverse, p, best);
        clear_column(s, p);
    }
    for (int64_t k = 0; k < s->n * s->n; k++)
        s->inverse[k] /= s->a[k / s->n * (s->n + 1)];
    return true;
}

/* ---- the comparison ---------------------------------------------------------------- */

/* Correction of unknown k from the start. *norm becomes the largest norm of a row of the
 * inverse: the largest correction for a residual of norm 1. */
static double correction_of(const dense *s, int64_t k, double *norm)
{
    double sum = 0, square = 0;
    for (int64_t c = 0; c < s->n; c++) {
        const double weight = s->inverse[k * s->n + c];
        sum += weight * s->start[c];
        square += weight * weight;
    }
    *norm = fmax(*norm, sqrt(square));
    return sum;
}

static double norm_of(const double *values, int64_t n)
{
    double square = 0;
    for (int64_t k = 0; k < n; k++)
        square += values[k] * values[k];
    return sqrt(square);
}

/* The tolerance bounds the residual, and so the error. Cells of stretched axes have other
 * weights in norms, so the bound has a factor. */
enum { NORMS_DIFFER = 20 };

static pav_status compare(dense *s, double tolerance)
{
    double worst = 0, norm = 0, mean = 0;
    for (int64_t k = 0; k < s->n; k++) {
        s->found[k] -= s->u[s->at[k]] + correction_of(s, k, &norm);
        mean += s->found[k] / (double)s->n;
    }
    for (int64_t k = 0; k < s->n; k++)
        worst = fmax(worst, fabs(s->found[k] - (s->open ? mean : 0)));
    const double bound = NORMS_DIFFER * tolerance * norm * norm_of(s->start, s->n);
    if (worst <= bound)
        return PAV_OK;
    return FAIL(PAV_EINTERNAL,
                "the solution differs by %g from that of elimination, more than %g",
                worst, bound);
}

static pav_status compare_with_elimination(dense *s, pav_run *solved, double tolerance)
{
    TRY(find_unknowns(s));
    TRY(fill_matrix(s));
    TRY(read_field(solved, "u", s->after, s->points));
    for (int64_t k = 0; k < s->n; k++)
        s->found[k] = s->after[s->at[k]];
    fix_constant(s);
    if (!invert(s))
        return FAIL(PAV_EINTERNAL, "the matrix is singular");
    return compare(s, tolerance);
}

static pav_status allocate(dense *s)
{
    pav_view v;
    TRY(pav_field_borrow(s->run, "u", 0, &v));
    s->points = v.extent[0] * v.extent[1] * v.extent[2];
    double **const vector[] = {&s->u, &s->r, &s->after, &s->start, &s->found};
    for (size_t k = 0; k < COUNT_OF(vector); k++)
        if (!(*vector[k] = mem_new(s->points, sizeof **vector[k])))
            return PAV_ENOMEM;
    s->at = mem_new(s->points, sizeof *s->at);
    s->a = mem_new(s->points * s->points, sizeof *s->a);
    s->inverse = mem_new(s->points * s->points, sizeof *s->inverse);
    return s->at && s->a && s->inverse ? PAV_OK : PAV_ENOMEM;
}

static void release(dense *s)
{
    void *const block[] = {s->u,     s->r,  s->after, s->start,
                           s->found, s->at, s->a,     s->inverse};
    for (size_t k = 0; k < COUNT_OF(block); k++)
        mem_free(block[k]);
}

static pav_status solved_as_by_elimination(const random_equation *e, pav_run *solved)
{
    solving steps = {0};
    pav_status status = open_on("interpreter", &e->residual, &steps);
    dense s = {.run = steps.run};
    if (status == PAV_OK)
        status = allocate(&s);
    if (status == PAV_OK)
        status = compare_with_elimination(&s, solved, e->tolerance);
    release(&s);
    close_run(&steps);
    return status;
}

/* ---- both proofs ------------------------------------------------------------------- */

static pav_status same_steps(pav_run *one, pav_run *other)
{
    if (pav_run_step(one) == pav_run_step(other))
        return PAV_OK;
    return FAIL(PAV_EINTERNAL, "the equation took %lld steps and %lld",
                (long long)pav_run_step(one), (long long)pav_run_step(other));
}

static pav_status same_solution(const random_equation *e, pav_run *reference,
                                const char *device)
{
    solving other = {0};
    pav_status status = open_on(device, &e->solve, &other);
    if (status == PAV_OK)
        status = pav_run_finish(other.run);
    if (status == PAV_OK)
        status = same_steps(reference, other.run);
    if (status == PAV_OK)
        status = field_is_equal(reference, other.run, "u");
    close_run(&other);
    return status;
}

pav_status equation_is_solved(const random_equation *e, const char *device)
{
    solving s = {0};
    pav_status status = open_on("interpreter", &e->solve, &s);
    if (status == PAV_OK)
        status = pav_run_finish(s.run);
    if (status == PAV_OK)
        status = solved_as_by_elimination(e, s.run);
    if (status == PAV_OK && device)
        status = same_solution(e, s.run, device);
    close_run(&s);
    return status;
}
