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
    bool given, multiple; /* some face gives u; the operator holds a multiple of u */
    bool masked, wide;    /* order 4 */
    bool unsolvable;      /* a constant is free, and the right side has a mean */
    bool turned;  /* the unknown is p, complex: L(p) and the right side times 2 + i */
    bool coupled; /* a second unknown: q = M(u), or an open q = u */
    bool stepped; /* an equation of the step, for u' */
    text *begin, *left, *end; /* of the description; the left side, of w */
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

static void draw_axis(draft *d, int axis)
{
    static const int most[MAX_DIM] = {40, 10, 6};
    const char name = "xyz"[axis];
    const bool periodic = chance(d, 5);
    char *face = d->face[axis];
    int least = 2; /* points for both border rules and one unknown */
    for (int side = 0; side < 2; side++) {
        face[side] = periodic
                         ? 'p'
                         : (d->stretched ? "vvn"
                                         : "vvvnnmcoa")[pick(d, d->stretched ? 3 : 9)];
        least += strchr("vo", face[side]) != NULL;
        d->given |= strchr("voa", face[side]) != NULL;
    }
    d->extent[axis] = least + pick(d, most[d->dim - 1] - least + 1);
    text_add(d->begin, "%s%c %d ", axis ? ", " : "grid ", name, d->extent[axis]);
    if (d->stretched && !periodic && chance(d, 2))
        text_add(d->begin, "from 0 to 1 at (%c + %c^2)/2", name, name);
    else
        text_add(d->begin, "spacing 1/%d", 4 + pick(d, 5));
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
    static const char *const values[] = {"0", "1/2", "x - 1/4", "0"};
    text_add(d->end, "border %s u%s%s%s", words[(int)kind], is_open(d) ? ", v" : "",
             is_open(d) && d->coupled ? ", q" : "", d->turned ? ", p" : "");
    if (kind == 'v' || kind == 'n')
        text_add(d->end, " = %s", values[pick(d, COUNT_OF(values))]);
    text_add(d->end, " at %c%c\n", name, sign);
    if (d->varies)
        text_add(d->end, "border %s k at %c%c\n",
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
    text_add(d->begin, "\nreal %s\n", d->single ? "f32" : "f64");
    static const char *const rough[] = {"", "", "1000*", "1000000*"};
    text_add(d->begin, "field u = %srandom(%d); v = random(%d); f = v - 1/2\n",
             rough[d->single ? 0 : pick(d, COUNT_OF(rough))], pick(d, 99),
             100 + pick(d, 99));
}

/* ---- the operator ------------------------------------------------------------------ */

static void draw_unequal(draft *d)
{
    for (int axis = 0; axis < d->dim; axis++)
        text_add(d->left, " - %d/4*d%c%c(w)", 1 + pick(d, 8), "xyz"[axis], "xyz"[axis]);
}

/* -div(k*grad(u)). */
static void draw_flux(draft *d)
{
    static const char *const contrast[] = {"1 + random(7)", "10^random(7)",
                                           "where(x < 1/2, 20, 1)"};
    static const char *const next[MAX_DIM][MAX_DIM] = {
        {"1"}, {"1,0", "0,1"}, {"1,0,0", "0,1,0", "0,0,1"}};
    const int chosen = pick(d, COUNT_OF(contrast));
    d->varies = true;
    d->jumps = chosen > 0;
    text_add(d->begin, "field k = %s\n", contrast[chosen]);
    for (int axis = 0; axis < d->dim; axis++) {
        const char c = "xyz"[axis];
        text_add(d->left, " - d%c((k + k[%s])/2*d%c(w, at +1/2), at -1/2)", c,
                 next[d->dim - 1][axis], c);
    }
}

/* Symmetric, of all 3^dim points. */
static void draw_compact(draft *d)
{
    static const char *const classes[] = {"centre 2; face -1",
                                          "centre 20/6; face -4/6; edge -1/6",
                                          "centre 8/3; face 0; edge -1/6; corner -1/12"};
    text_add(d->begin, "stencil S { %s }\n", classes[d->dim - 1]);
    text_add(d->left, "S(w)");
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
    enum { LAPLACIAN, UNEQUAL, FLUX, COMPACT, CONVECTION, WIDE, KINDS };
    const int drawn = d->stretched ? 2 * pick(d, 2) : pick(d, KINDS);
    const int kind = drawn == WIDE && !reaches_two(d) ? LAPLACIAN : drawn;
    d->star = kind != COMPACT && kind != WIDE;
    d->skew = kind == CONVECTION; /* no symmetry */
    d->wide = kind == WIDE;
    kind == UNEQUAL   ? draw_unequal(d)
    : kind == FLUX    ? draw_flux(d)
    : kind == COMPACT ? draw_compact(d)
                      : text_add(d->left, "-laplace(w%s)", d->wide ? ", order 4" : "");
    if (d->skew)
        text_add(d->left, " + %d/2*dx(w)", 1 + pick(d, 4));
}

static void draw_rest(draft *d)
{
    d->multiple = d->skew || chance(d, 3) || (!d->given && chance(d, 2));
    if (d->multiple)
        text_add(d->left, " + %s*w", d->varies && chance(d, 2) ? "k" : "3/4");
    d->masked = !d->stretched && !is_open(d) && chance(d, 6);
    d->turned &= !is_open(d) && !(d->varies && d->dim == 3); /* long texts */
    if (d->masked)
        text_add(d->end, "mask %snot (x > 1/3 and x < 2/3)\n", d->turned ? "" : "u = ");
    if (d->turned)
        text_add(d->begin, "field p complex = u\n");
}

/* ---- the method -------------------------------------------------------------------- */

static const char *const any[] = {"auto", "jacobi", "bicgstab"};
static const char *const symmetric[] = {"cg", "cg(preconditioner = none)", "chebyshev",
                                        "minres"};
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
    "gmres(restart = 3, preconditioner = multigrid, cycle = F)",
};
static const char *const coupled[] = {"auto", "gmres(restart = 12)", "bicgstab"};
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

/* True if waves fit the operator with mean weights, and its borders. */
static bool has_waves(const draft *d)
{
    bool values = false;
    for (int axis = 0; axis < d->dim; axis++)
        values = values || memchr(d->face[axis], 'v', 2);
    return !d->skew && (d->given || !d->masked) && !d->stretched && !(d->wide && values);
}

#define ONE_OF(list) (list)[pick(d, (int)COUNT_OF(list))]
static const char *draw_method(draft *d)
{
    if (d->coupled || d->turned)
        return has_cycles(d) && chance(d, 2) ? ONE_OF(skewed) : ONE_OF(coupled);
    if (has_waves(d) && chance(d, 3))
        return d->varies || d->masked || chance(d, 4) ? "cg(preconditioner = transform)"
                                                      : "transform";
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

/* Adds the left side of an equation; within a step its unknowns are u' and q'. */
static void add_side(const draft *d, text *t, const char *side)
{
    for (; *side; side++)
        text_add(t, "%c%s", *side, d->stepped && strchr("uqp", *side) ? "'" : "");
}

/* Both descriptions differ only in the use of the two sides. */
static void assemble(const draft *d, const char *method, random_equation *e)
{
    const char *begin = d->begin->data, *left = d->left->data, *end = d->end->data;
    /* if a constant is free, a right side has a solution if it is L(v) for some v */
    const char *right = d->unsolvable ? "L(v) + 10000"
                        : is_open(d)  ? "L(v)"
                                      : "f",
               *to = d->single ? "1e-4" : "1e-8";
    static const struct {
        const char *second, *left, *other, *names, *more;
    } kinds[] = {
        {"", "L(u)", "", "u", ""},
        {"field q = M(u)\n", "{ L(u) + q/2", "; q - M(u) = 0 }", "u, q", " - M(u)/2"},
        {"field q = u\n", "{ L(u) + u - q", "; L(q) + q - u = L(v) }", "u, q", ""},
        {"", "(2 + i)*L(p)", "", "p", ""}};
    const int kind = d->turned ? 3 : d->coupled + (d->coupled && is_open(d));
    text_add(&e->solve, "%slet L(w) = %s; M(w) = w + dx(w)/8\n%ssolve ", begin, left,
             kinds[kind].second);
    add_side(d, &e->solve, kinds[kind].left);
    text_add(&e->solve, " = %s%s", d->turned ? "(2 + i)*" : "", right);
    add_side(d, &e->solve, kinds[kind].other);
    text_add(&e->solve, " for %s by %s to %s\n%s%s", kinds[kind].names, method, to, end,
             d->stepped ? "steps 1\n" : "");
    text_add(
        &e->residual,
        "%slet L(w) = %s; M(w) = w + dx(w)/8\nfield r, q\nr' = %s - L(u)%s\nu' = u + "
        "1\n%ssteps 1\n",
        begin, left, right, kinds[kind].more, end);
    e->tolerance = d->single ? 1e-4 : 1e-8;
    e->unsolvable = d->unsolvable;
    e->turned = d->turned;
}

/* Linear laws with the same weights everywhere; the first ones on rings only. */
static const char *const laws[] = {
    "field u = random(1), v\nu' = u - 0.3*dx(v, at +1/2)\nv' = v - 0.3*dx(u', at -1/2)",
    "field u = random(1)\nu' = 0.8*u + 0.2*u[-1%s] - 0.05*dx(u)",
    "field u = random(1); w complex = i*u\nw' = w + 0.02*i*laplace(w) - 0.01*w\n"
    "u' = u/2 + re(w')",
    "field u = random(1)\nu' = 0.99*u + 0.1*laplace(u) + sin(x)/99",
    "field u = random(1); f = sqrt(x + 1)/9\nu' = u + f*exp(-x) + laplace(u)/20",
    "field u = random(1)\nu' = 1.9*u - 0.9*prev(u) + 0.05*laplace(u) - "
    "where(x < 2, 0.01, 0)",
    "field u = random(1), v = random(2)\nu' = 0.9*u + 0.05*laplace(v) + 0.1*v + "
    "cos(x)/9\nv' = 0.8*v - 0.1*u' + 0.05*laplace(v)",
};
enum { LAWS_ON_RINGS = 3 };

static void draw_jumps(draft *d, random_equation *e)
{
    static const char *const faces[] = {"periodic", "mirror", "neumann", "odd",
                                        "antimirror"};
    static const char *const more[] = {"", ", 0", ", 0, -1"};
    const int law = pick(d, COUNT_OF(laws)), steps = 1 + pick(d, 40);
    e->jumps = true;
    e->tolerance = chance(d, 4) ? 1e-4 : 1e-11;
    d->dim = 1 + pick(d, MAX_DIM);
    text_add(d->begin, "real %s\ngrid", e->tolerance > 1e-5 ? "f32" : "f64");
    for (int axis = 0; axis < d->dim; axis++) {
        text_add(d->begin, "%s %c %d", axis ? "," : "", "xyz"[axis], 3 + pick(d, 8));
        text_add(d->end, "border %s at %c-, %c+\n",
                 faces[law < LAWS_ON_RINGS ? 0 : pick(d, COUNT_OF(faces))], "xyz"[axis],
                 "xyz"[axis]);
    }
    text_add(d->begin, "\n");
    text_add(d->begin, laws[law], more[d->dim - 1]);
    for (int k = 0; k < 2; k++)
        text_add(k ? &e->residual : &e->solve, "%s\n%ssteps %d%s\n", d->begin->data,
                 d->end->data, steps * (1 + steps % 3), k ? "" : " at once");
}

void random_solve(uint64_t seed, random_equation *e)
{
    rng r = {hash_mix(seed)};
    OWNED_BY(text_free) text begin = {0}, left = {0}, end = {0};
    draft d = {.rng = &r,
               .begin = &begin,
               .left = &left,
               .end = &end,
               .turned = hash_mix(seed + 9) % 4 == 0};
    if (hash_mix(~seed) % 4 == 1) { /* other draws stay those of the seed */
        draw_jumps(&d, e);
        return;
    }
    draw_grid(&d);
    draw_operator(&d);
    draw_rest(&d);
    d.coupled = is_open(&d) && chance(&d, 2);
    for (int face = 0; face < 2 * d.dim; face++)
        draw_border(&d, face / 2, face % 2);
    d.coupled = d.coupled || (!is_open(&d) && chance(&d, 6) && !d.turned);
    d.unsolvable = is_open(&d) && chance(&d, 4);
    d.stepped = hash_mix(~seed) % 4 == 0;
    if (begin.data && left.data && end.data)
        assemble(&d, draw_method(&d), e);
}

void random_equation_free(random_equation *e)
{
    TEXT_FREE_ALL(&e->solve, &e->residual);
}

/* ---- the proof --------------------------------------------------------------------- */

typedef struct dense {
    pav_run *run;          /* its step stores the residual in r */
    int64_t points, n;     /* points of the grid; unknowns */
    int64_t *at;           /* point of each unknown */
    double *u, *r, *after; /* at all points: start, residual, after a step */
    double *start, *found; /* per unknown: first residual; solution */
    double *a;             /* n rows of the matrix and, behind each, one of its inverse */
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

/* The imaginary part of p is 0. */
static const char *unknown_of(const random_equation *e)
{
    return e->turned ? "p.re" : "u";
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

/* ---- elimination ------------------------------------------------------------------- */

/* If the rows of the matrix sum to 0, a constant is free. Adding a multiple of the sum
 * determines it. */
static void fix_constant(dense *s)
{
    double most = 0, sum = 0;
    for (int64_t k = 0; k < s->n; k++) {
        double row = 0;
        for (int64_t c = 0; c < s->n; c++)
            row += s->a[2 * k * s->n + c];
        most = fmax(most, fabs(s->a[2 * k * s->n + k]));
        sum = fmax(sum, fabs(row));
    }
    s->open = sum < 1e-4 * most;
    for (int64_t k = 0; k < s->n * s->n && s->open; k++)
        s->a[k / s->n * 2 * s->n + k % s->n] += most / (double)s->n;
}

/* Inverts the matrix by Gauss-Jordan elimination with pivots, on rows of twice its
 * width. */
static bool invert(dense *s)
{
    const int64_t n = s->n, width = 2 * n;
    double *a = s->a;
    for (int64_t k = 0; k < n; k++)
        a[k * width + n + k] = 1;
    for (int64_t p = 0; p < n; p++) {
        int64_t best = p;
        for (int64_t k = p; k < n; k++)
            if (fabs(a[k * width + p]) > fabs(a[best * width + p]))
                best = k;
        const double pivot = a[best * width + p];
        if (!(fabs(pivot) > 0))
            return false;
        for (int64_t c = 0; c < width; c++) {
            const double scaled = a[best * width + c] / pivot;
            a[best * width + c] = a[p * width + c];
            a[p * width + c] = scaled;
        }
        for (int64_t k = 0; k < n; k++) {
            const double factor = k == p ? 0 : a[k * width + p];
            for (int64_t c = 0; c < width && factor != 0; c++)
                a[k * width + c] -= factor * a[p * width + c];
        }
    }
    return true;
}

/* ---- the comparison ---------------------------------------------------------------- */

/* The largest norm of a row of the inverse is the largest correction for a residual of
 * norm 1. The tolerance bounds the residual, and so the error. Cells of stretched axes
 * have other weights in norms, so the bound has a factor. */
enum { NORMS_DIFFER = 20 };

static pav_status compare(dense *s, double tolerance)
{
    double worst = 0, norm = 0, mean = 0, start = 0;
    for (int64_t k = 0; k < s->n; k++) {
        double correction = 0, square = 0;
        for (int64_t c = 0; c < s->n; c++) {
            const double weight = s->a[(2 * k + 1) * s->n + c];
            correction += weight * s->start[c];
            square += weight * weight;
        }
        norm = fmax(norm, sqrt(square));
        s->found[k] -= s->u[s->at[k]] + correction;
        mean += s->found[k] / (double)s->n;
        start += s->start[k] * s->start[k];
    }
    for (int64_t k = 0; k < s->n; k++)
        worst = fmax(worst, fabs(s->found[k] - (s->open ? mean : 0)));
    const double bound = NORMS_DIFFER * tolerance * norm * sqrt(start);
    if (worst <= bound)
        return PAV_OK;
    return FAIL(PAV_EINTERNAL,
                "the solution differs by %g from that of elimination, more than %g",
                worst, bound);
}

/* Unknowns are points changed by a step, neither given by a border nor masked. */
static pav_status compare_with_elimination(dense *s, pav_run *solved,
                                           const random_equation *e)
{
    TRY(read_field(s->run, "u", s->u, s->points));
    TRY(residual_of(s, s->u));
    TRY(read_field(s->run, "u", s->after, s->points));
    for (int64_t k = 0; k < s->points; k++)
        if (s->after[k] > s->u[k] + 0.5)
            s->at[s->n++] = k;
    for (int64_t k = 0; k < s->n; k++)
        s->start[k] = s->r[s->at[k]];
    for (int64_t c = 0; c < s->n; c++) {
        s->u[s->at[c]] += 1;
        TRY(residual_of(s, s->u));
        s->u[s->at[c]] -= 1;
        for (int64_t k = 0; k < s->n; k++)
            s->a[2 * k * s->n + c] = s->start[k] - s->r[s->at[k]];
    }
    TRY(read_field(solved, unknown_of(e), s->after, s->points));
    for (int64_t k = 0; k < s->n; k++)
        s->found[k] = s->after[s->at[k]];
    fix_constant(s);
    return invert(s) ? compare(s, e->tolerance)
                     : FAIL(PAV_EINTERNAL, "the matrix is singular");
}

static pav_status solved_as_by_elimination(const random_equation *e, pav_run *solved)
{
    OWNED_BY(close_run) solving steps = {0};
    pav_view v;
    TRY(open_on("interpreter", &e->residual, &steps));
    TRY(pav_field_borrow(steps.run, "u", 0, &v));
    const int64_t count = v.extent[0] * v.extent[1] * v.extent[2];
    OWNED_NEW(int64_t, at, count);
    OWNED_NEW(double, numbers, (5 + 2 * count) * count);
    dense s = {.run = steps.run,
               .points = count,
               .at = at,
               .u = numbers,
               .r = numbers + count,
               .after = numbers + 2 * count,
               .start = numbers + 3 * count,
               .found = numbers + 4 * count,
               .a = numbers + 5 * count};
    return compare_with_elimination(&s, solved, e);
}

static pav_status jumped_as_by_steps(const random_equation *e, pav_run *jumped)
{
    OWNED_BY(close_run) solving steps = {0};
    pav_view v;
    TRY(open_on("interpreter", &e->residual, &steps));
    TRY(pav_run_finish(steps.run));
    TRY(pav_field_borrow(steps.run, "u", 0, &v));
    const int64_t count = v.extent[0] * v.extent[1] * v.extent[2];
    OWNED_NEW(double, u, 2 * count);
    TRY(read_field(steps.run, "u", u, count));
    TRY(read_field(jumped, "u", u + count, count));
    for (int64_t k = 0; k < count; k++)
        if (!(fabs(u[k] - u[count + k]) <= e->tolerance * fmax(1, fabs(u[k]))))
            return FAIL(PAV_EINTERNAL, "steps at once give %g, single steps %g",
                        u[count + k], u[k]);
    return PAV_OK;
}

/* ---- both proofs ------------------------------------------------------------------- */

static pav_status same_solution(const random_equation *e, pav_run *reference,
                                const char *device)
{
    OWNED_BY(close_run) solving other = {0};
    TRY(open_on(device, &e->solve, &other));
    TRY(pav_run_finish(other.run));
    const long long one = pav_run_step(reference), two = pav_run_step(other.run);
    return one == two
               ? levels_are_equal(reference, other.run,
                                  run_field_number(reference, unknown_of(e)), 0)
               : FAIL(PAV_EINTERNAL, "the equation took %lld steps and %lld", one, two);
}

pav_status equation_is_solved(const random_equation *e, const char *device)
{
    OWNED_BY(close_run) solving s = {0};
    const pav_status opened = open_on("interpreter", &e->solve, &s);
    const pav_status status = opened == PAV_OK ? pav_run_finish(s.run) : opened;
    if (e->unsolvable)
        return status == PAV_ECONVERGE ? PAV_OK
               : status != PAV_OK
                   ? status
                   : FAIL(PAV_EINTERNAL, "an equation without a solution was solved");
    TRY(status);
    TRY((e->jumps ? jumped_as_by_steps : solved_as_by_elimination)(e, s.run));
    return device ? same_solution(e, s.run, device) : PAV_OK;
}
