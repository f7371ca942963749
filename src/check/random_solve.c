/* SPDX-License-Identifier: BSD-3-Clause */
/* random_solve.c: a random equation on a tiny grid, with a method suited to it, and a
 * description of its residual, whose steps from unit vectors give the matrix. */
#include <string.h>

#include "check/check_private.h"

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

/* ---- the grid and what lies beyond it ---------------------------------------------- */

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

static const char *const any[] = {"auto", "jacobi"};
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
static const char *const preconditioned[] = {
    "cg(preconditioner = multigrid)",
    "cg(preconditioner = multigrid, cycle = F, smoother = chebyshev)",
};

/* True if multigrid suits the equation: a grid with even halves, no axis too narrow for
 * coarse grids, no walls with coefficients that need cg. */
static bool has_cycles(const draft *d)
{
    bool walls = false;
    for (int axis = 0; axis < d->dim; axis++) {
        const char *face = d->face[axis];
        if (face[0] == 'p' ? d->extent[axis] % 2 || d->extent[axis] < 4 + 4 * d->wide
                           : d->extent[axis] < 5)
            return false;
        walls = walls || strchr("mc", face[0]) || strchr("mc", face[1]);
    }
    return !d->masked && !(walls && !d->given && d->varies);
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
    if (cycled)
        return d->skew || (!d->jumps && chance(d, 2)) ? ONE_OF(cycles)
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
