/* SPDX-License-Identifier: BSD-3-Clause */
/* The solution of a random equation is compared with elimination. Steps of the
 * interpreter from unit vectors give the matrix. A device must be bitwise identical to
 * the interpreter. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "check/check_private.h"

/* ---- random equations -------------------------------------------------------------- */

/* A random equation on a tiny grid, with a method suited to it, and a
 * description of its residual, whose steps from unit vectors give the matrix. */

/* Border rule of each face: v: a value, n: a slope, p: periodic, m: mirror, c: clamp, o:
 * odd, a: antimirror. */
typedef struct draft {
    rng *rng;
    int dim, extent[MAX_DIM];
    char face[MAX_DIM][2];
    bool stretched, single;
    /* The operator: reads k, has jumps, has only next points, has dx(u). */
    bool varies, jumps, star, skew;
    bool given, multiple;  /* some face gives u; the operator holds a multiple of u */
    bool masked, wide;     /* order 4 */
    text begin, left, end; /* of the description; the left side, of w */
} draft;

static int pick(draft *d, int n)
{
    return (int)rng_below(d->rng, n);
}

static bool chance(draft *d, int one_in)
{
    return pick(d, one_in) == 0;
}

/* ---- the grid and its borders ------------------------------------------------------ */

static void draw_faces(draft *d, int axis)
{
    char *face = d->face[axis];
    if (chance(d, 5)) {
        face[0] = face[1] = 'p';
        return;
    }
    for (int side = 0; side < 2; side++)
        face[side] = (d->stretched ? "vvn" : "vvvnnmcoa")[pick(d, d->stretched ? 3 : 9)];
    d->given = d->given || strchr("voa", face[0]) || strchr("voa", face[1]);
}

/* Smallest extent with points for both border rules and one unknown. */
static int least_extent(const draft *d, int axis)
{
    int least = 2;
    for (int side = 0; side < 2; side++)
        least += strchr("vo", d->face[axis][side]) != NULL;
    return least;
}

static void draw_axis(draft *d, int axis)
{
    static const int most[MAX_DIM] = {40, 10, 6};
    const char name = "xyz"[axis];
    draw_faces(d, axis);
    const int least = least_extent(d, axis);
    d->extent[axis] = least + pick(d, most[d->dim - 1] - least + 1);
    text_add(&d->begin, "%s%c %d ", axis ? ", " : "grid ", name, d->extent[axis]);
    if (d->stretched && d->face[axis][0] != 'p' && chance(d, 2))
        text_add(&d->begin, "from 0 to 1 at (%c + %c^2)/2", name, name);
    else
        text_add(&d->begin, "spacing 1/%d", 4 + pick(d, 5));
}

static void draw_value(draft *d, text *t)
{
    static const char *const values[] = {"0", "1/2", "x - 1/4", "0"};
    text_add(t, " = %s", values[pick(d, COUNT_OF(values))]);
}

/* u is determined but for a constant. */
static bool is_open(const draft *d)
{
    return !d->given && !d->multiple;
}

static void draw_border(draft *d, int axis, int side)
{
    const char kind = d->face[axis][side], name = "xyz"[axis], sign = "-+"[side];
    static const char *const words[] = {
        ['v'] = "",      ['n'] = "neumann", ['p'] = "periodic",  ['m'] = "mirror",
        ['c'] = "clamp", ['o'] = "odd",     ['a'] = "antimirror"};
    text_add(&d->end, "border %s u%s", words[(int)kind], is_open(d) ? ", v" : "");
    if (kind == 'v' || kind == 'n')
        draw_value(d, &d->end);
    text_add(&d->end, " at %c%c\n", name, sign);
    if (d->varies)
        text_add(&d->end, "border %s k at %c%c\n",
                 kind == 'p'           ? "periodic"
                 : strchr("mca", kind) ? "mirror"
                                       : "neumann",
                 name, sign);
}

static void draw_grid(draft *d)
{
    d->dim = 1 + pick(d, 3);
    d->stretched = chance(d, 5);
    d->single = chance(d, 5);
    for (int axis = 0; axis < d->dim; axis++)
        draw_axis(d, axis);
    text_add(&d->begin, "\nreal %s\n", d->single ? "f32" : "f64");
    text_add(&d->begin, "field u = random(%d); v = random(%d); f = v - 1/2\n",
             pick(d, 99), 100 + pick(d, 99));
}

/* ---- the operator ------------------------------------------------------------------ */

static void draw_laplacian(draft *d)
{
    d->star = true;
    text_add(&d->left, "-laplace(w)");
}

static void draw_unequal(draft *d)
{
    d->star = true;
    for (int axis = 0; axis < d->dim; axis++)
        text_add(&d->left, " - %d/4*d%c%c(w)", 1 + pick(d, 8), "xyz"[axis], "xyz"[axis]);
}

/* -div(k*grad(u)). */
static void draw_flux(draft *d)
{
    static const char *const contrast[] = {"1 + random(7)", "10^random(7)",
                                           "where(x < 1/2, 20, 1)"};
    static const char *const next[MAX_DIM][MAX_DIM] = {
        {"1"}, {"1,0", "0,1"}, {"1,0,0", "0,1,0", "0,0,1"}};
    const int chosen = pick(d, COUNT_OF(contrast));
    d->star = d->varies = true;
    d->jumps = chosen > 0;
    text_add(&d->begin, "field k = %s\n", contrast[chosen]);
    for (int axis = 0; axis < d->dim; axis++) {
        const char c = "xyz"[axis];
        text_add(&d->left, " - d%c((k + k[%s])/2*d%c(w, at +1/2), at -1/2)", c,
                 next[d->dim - 1][axis], c);
    }
}

/* Symmetric, of all 3^dim points. */
static void draw_compact(draft *d)
{
    static const char *const classes[] = {"centre 2; face -1",
                                          "centre 20/6; face -4/6; edge -1/6",
                                          "centre 8/3; face 0; edge -1/6; corner -1/12"};
    text_add(&d->begin, "stencil S { %s }\n", classes[d->dim - 1]);
    text_add(&d->left, "S(w)");
}

/* An operator without symmetry. */
static void draw_convection(draft *d)
{
    d->star = d->skew = true;
    text_add(&d->left, "-laplace(w) + %d/2*dx(w)", 1 + pick(d, 4));
}

static void draw_wide(draft *d)
{
    d->wide = true;
    text_add(&d->left, "-laplace(w, order 4)");
}

/* `clamp` is not symmetric at order 4. */
static bool reaches_two(const draft *d)
{
    for (int axis = 0; axis < d->dim; axis++)
        if (d->extent[axis] < 4 || memchr(d->face[axis], 'c', 2))
            return false;
    return true;
}

static void draw_operator(draft *d)
{
    const int kind = d->stretched ? 2 * pick(d, 2) : pick(d, 6);
    switch (kind) {
    case 1: draw_unequal(d); break;
    case 2: draw_flux(d); break;
    case 3: draw_compact(d); break;
    case 4: draw_convection(d); break;
    case 5: (reaches_two(d) ? draw_wide : draw_laplacian)(d); break;
    default: draw_laplacian(d); break;
    }
}

static void draw_rest(draft *d)
{
    d->multiple = d->skew || chance(d, 3) || (!d->given && chance(d, 2));
    if (d->multiple)
        text_add(&d->left, " + %s*w", d->varies && chance(d, 2) ? "k" : "3/4");
    d->masked = !d->stretched && !is_open(d) && chance(d, 6);
    if (d->masked)
        text_add(&d->end, "mask u = not (x > 1/3 and x < 2/3)\n");
}

/* ---- the method -------------------------------------------------------------------- */

static const char *const any[] = {"auto", "jacobi", "bicgstab", "gmres(restart = 3)"};
static const char *const symmetric[] = {"cg", "cg(preconditioner = none)", "chebyshev"};
static const char *const starlike[] = {
    "async-0(block = 3)",
    "async-1(block = 4, alpha = 2)",
    "async-2(block = 4)",
    "async-3(block = 4)",
};
static const char *const cycles[] = {
    "multigrid",
    "multigrid(cycle = F)",
    "multigrid(cycle = W, smoother = chebyshev)",
    "multigrid(pre = 2, post = 2)",
    "multigrid(cycle = full)",
    "multigrid(stored = f32)",
    "vcycle",
};
static const char *const weak_cycles[] = {"multigrid(smoother = jacobi, pre = 2)",
                                          "multigrid(smoother = jacobi, cycle = W)"};
static const char *const skewed[] = {
    "bicgstab(preconditioner = multigrid)",
    "gmres(preconditioner = multigrid, cycle = F)",
};
static const char *const preconditioned[] = {
    "cg(preconditioner = multigrid)",
    "cg(preconditioner = multigrid, cycle = F, smoother = chebyshev)",
};

/* True if multigrid suits the equation: a grid with even halves, no axis too narrow for
 * coarse grids. */
static bool has_cycles(const draft *d)
{
    for (int axis = 0; axis < d->dim; axis++) {
        const char *face = d->face[axis];
        if (face[0] == 'p' ? d->extent[axis] % 2 || d->extent[axis] < 4 + 4 * d->wide
                           : d->extent[axis] < 5)
            return false;
    }
    return !d->masked;
}

/* Walls between points with coefficients need cg behind a cycle. */
static bool needs_cg(const draft *d)
{
    bool walls = false;
    for (int axis = 0; axis < d->dim; axis++)
        walls = walls || strchr("mc", d->face[axis][0]) || strchr("mc", d->face[axis][1]);
    return walls && !d->given && d->varies && !d->skew;
}

/* True if a red-black colouring exists, also along periodic axes. */
static bool has_colours(const draft *d)
{
    for (int axis = 0; axis < d->dim; axis++)
        if (d->face[axis][0] == 'p' && d->extent[axis] % 2)
            return false;
    return true;
}

#define ONE_OF(list) (list)[pick(d, (int)COUNT_OF(list))]
static const char *draw_method(draft *d)
{
    const bool cycled = has_cycles(d) && !chance(d, 3);
    if (cycled && !d->varies && chance(d, 5))
        return ONE_OF(weak_cycles);
    if (cycled && d->skew && chance(d, 2))
        return ONE_OF(skewed);
    if (cycled)
        return needs_cg(d)                              ? preconditioned[0]
               : d->skew || (!d->jumps && chance(d, 2)) ? ONE_OF(cycles)
                                                        : ONE_OF(preconditioned);
    if (d->star && !d->stretched && chance(d, 2))
        return has_colours(d) && chance(d, 2) ? "sor" : ONE_OF(starlike);
    return d->skew || chance(d, 3) ? ONE_OF(any) : ONE_OF(symmetric);
}

/* If a constant is free, a right side has a solution if it is L(v) for some v. */
static const char *right_side(const draft *d)
{
    return is_open(d) ? "L(v)" : "f";
}

/* Both descriptions differ only in the use of the two sides. */
static void assemble(const draft *d, const char *method, random_equation *e)
{
    const char *begin = d->begin.data, *left = d->left.data, *end = d->end.data;
    const char *right = right_side(d), *to = d->single ? "1e-4" : "1e-8";
    text_add(&e->solve, "%slet L(w) = %s\nsolve L(u) = %s for u by %s to %s\n%s", begin,
             left, right, method, to, end);
    text_add(&e->residual,
             "%slet L(w) = %s\nfield r\nr' = %s - L(u)\nu' = u + 1\n%ssteps 1\n", begin,
             left, right, end);
    e->tolerance = d->single ? 1e-4 : 1e-8;
}

void random_solve(uint64_t seed, random_equation *e)
{
    rng r = {hash_mix(seed)};
    draft d = {.rng = &r};
    draw_grid(&d);
    draw_operator(&d);
    draw_rest(&d);
    for (int axis = 0; axis < d.dim; axis++)
        for (int side = 0; side < 2; side++)
            draw_border(&d, axis, side);
    if (d.begin.data && d.left.data && d.end.data)
        assemble(&d, draw_method(&d), e);
    text_free(&d.begin);
    text_free(&d.left);
    text_free(&d.end);
}

void random_equation_free(random_equation *e)
{
    text_free(&e->solve);
    text_free(&e->residual);
}

/* ---- the proof --------------------------------------------------------------------- */

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
