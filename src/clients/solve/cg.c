/* SPDX-License-Identifier: BSD-3-Clause */
/* Krylov methods: conjugate gradients, BiCGSTAB and GMRES. The scalars of a step come
 * from sums over the results of the step before. The preconditioner M is one over the
 * diagonal, or a multigrid cycle. In the first step z is 0, and only z = M r is
 * computed. */
#include "solve/solve_private.h"

static const char *const settings[] = {"preconditioner", "cycle",  "pre", "smoother",
                                       "grids",          "stored", NULL};
enum { DIAGONAL, MULTIGRID, TRANSFORM, NONE, PRECONDITIONERS };

static int preconditioner(deriver *d)
{
    static const char *const words[] = {"diagonal", "multigrid", "transform", "none"};

    return d->by_multigrid ? MULTIGRID
                           : setting_word(d, "preconditioner", words, PRECONDITIONERS);
}

static const char *preconditioner_refuses(deriver *d)
{
    const int kind = preconditioner(d);

    return kind == MULTIGRID   ? multigrid_refuses(d)
           : kind == TRANSFORM ? transform_preconditioner_refuses(d)
                               : NULL;
}

static const char *refuses(deriver *d)
{
    if (!operator_is_symmetric(d))
        return "it is for symmetric operators: take multigrid or jacobi";
    return preconditioner_refuses(d);
}

/* z = M r and w = A z. */
static void write_preconditioned(deriver *d, const char *z, const char *w, const char *r)
{
    const int kind = preconditioner(d);

    if (kind == MULTIGRID)
        multigrid_cycle(d, z, r);
    else if (kind == TRANSFORM)
        transform_preconditioned(d, z, r);
    else
        write_equation(d, z, "%s", kind == DIAGONAL ? operator_scaled(d, 1, r, 0) : r);
    write_equation(d, w, "%s", operator_applied(d, arena_print(d->arena, "%s'", z), 0));
}

/* The residual of the start, 0 at points without an equation. */
static const char *write_first_residual(deriver *d, const char *stem)
{
    const char *r = write_name(d, stem);

    d->mean = d->symmetric ? "mean" : "first"; /* initial values read no sums */
    text_add(&d->head, "field %s = where(%s, %s, 0)\n", r, write_inside(d),
             operator_residual(d, d->unknown->name));
    d->mean = "mean";
    write_zero(d, r, 0);
    return r;
}

static const char *drift_of(deriver *d)
{
    return d->singular ? arena_print(d->arena, " - %sdrift", d->prefix) : "";
}

/* An image of the operator without its mean. If constants are in the null space of an
 * operator without symmetry, the part of a residual outside of the range is unknown.
 * Residuals and images without their means always have a solution. */
static const char *without_mean(deriver *d, const char *w)
{
    const char *mean = arena_print(d->arena, "%smean_%s", d->prefix, w);

    if (!d->singular || d->symmetric)
        return w;
    text_add(&d->head, "let %s = %snull*sum(%s*%s)/%sall\n", mean, d->prefix,
             write_weight(d), w, d->prefix);
    return arena_print(d->arena, "(%s - %s)", w, mean);
}

static const char *about_preconditioner(deriver *d)
{
    static const char *const about[] = {"the diagonal", "a cycle of multigrid",
                                        "transforms with mean coefficients", "nothing"};

    return about[preconditioner(d)];
}

/* ---- conjugate gradients ----------------------------------------------------------- */

/* Preconditioned conjugate gradients (Saad, Iterative Methods, alg. 9.1). Here p is the
 * last direction, s = A p, and
 *
 *     beta = -(z, s)/(p, s),  (p', A p') = (z, w) + beta (z, s),
 *     alpha = (r, z)/(p', A p'). */

typedef struct vectors {
    const char *r, *p, *s, *z, *w;
} vectors;

static void add_product(deriver *d, const char *name, const char *a, const char *b)
{
    const char *weight = write_weight(d);

    text_add(&d->head, "let %s%s = sum(%s%s%s*%s)\n", d->prefix, name,
             weight[0] == '1' && !weight[1] ? "" : weight,
             weight[0] == '1' && !weight[1] ? "" : "*", a, b);
}

/* For a negative operator all products change their sign. */
static void declare_scalars(deriver *d, const vectors *v)
{
    const char *p = d->prefix;

    add_product(d, "rz", v->r, v->z);
    add_product(d, "zw", v->z, v->w);
    add_product(d, "zs", v->z, v->s);
    add_product(d, "ps", v->p, v->s);
    text_add(&d->head, "param %ssign = ", p);
    if (d->form.constant)
        text_add(&d->head, "%d\n", d->form.diagonal < 0 ? -1 : 1);
    else
        text_add(&d->head, "where(sum(%s) < 0, -1, 1)\n", operator_diagonal(d));
    text_add(
        &d->head,
        "let %sbeta = where(%ssign*%sps > 0, -%ssign*%szs/max(%ssign*%sps, 1e-300), 0)\n"
        "let %spap = %ssign*(%szw + %sbeta*%szs)\n"
        "let %salpha = where(%spap > 0, %ssign*%srz/max(%spap, 1e-300), 0)\n",
        p, p, p, p, p, p, p, p, p, p, p, p, p, p, p, p, p);
}

static void derive(deriver *d)
{
    const char *u = d->unknown->name, *p = d->prefix;
    vectors v = {.r = write_first_residual(d, "r")};

    v.p = write_field(d, "p", 0);
    v.s = write_field(d, "s", 0);
    v.z = write_field(d, "z", 0);
    v.w = write_field(d, "w", 0);
    declare_scalars(d, &v);
    write_equation(d, v.p, "%s + %sbeta*%s", v.z, p, v.p);
    write_equation(d, v.s, "%s + %sbeta*%s", v.w, p, v.s);
    write_equation(d, u, "%s + %salpha*%s'%s", u, p, v.p, drift_of(d));
    write_equation(d, v.r, "%s - %salpha*%s'", v.r, p, v.s);
    write_preconditioned(d, v.z, v.w, arena_print(d->arena, "%s'", v.r));
    d->about = arena_print(d->arena,
                           "a step is one of conjugate gradients, preconditioned by %s",
                           about_preconditioner(d));
}

const solve_method solve_cg = {
    .name = "cg",
    .about = "preconditioned conjugate gradients",
    .settings = settings,
    .steps = 20000,
    .every = 1,
    .needs_spd = true,
    .edges = true,
    .refuses = refuses,
    .derive = derive,
};

/* ---- MINRES ------------------------------------------------------------------------ */

/* MINRES (Paige and Saunders 1975) for operators that are symmetric, but indefinite. The
 * preconditioner M is positive, and the directions p have images q = A p that are
 * orthogonal in its inner product. With z = M q and w = A z,
 *
 *     alpha = (r, z)/(q, z),  u' = u + alpha p,  r' = r - alpha q,
 *     beta = (w, z)/(q, z),  old = (w, prev z)/(prev q, prev z),
 *     p' = (z - beta p - old prev p)/sqrt (q, z),  q' = A p'.
 *
 * A start has q' = r, and the next step p' = z. Cycles are not quite symmetric between
 * some walls, so the directions part. The method starts again after 24, 192, 1536 ...
 * steps. */

enum { FIRST_AGAIN = 24, LAST_AGAIN = 8 * 8 * 8 * FIRST_AGAIN };

static void derive_minres(deriver *d)
{
    const char *u = d->unknown->name, *n = d->prefix;
    const char *r = write_first_residual(d, "r"), *p = write_field(d, "p", 0),
               *q = write_field(d, "q", 0), *z = write_field(d, "z", 0),
               *w = write_field(d, "w", 0),
               *before = arena_print(d->arena, "prev(%s)", z);

    add_product(d, "rz", r, z);
    add_product(d, "qz", q, z);
    add_product(d, "wz", w, z);
    add_product(d, "wy", w, before);
    add_product(d, "qy", arena_print(d->arena, "prev(%s)", q), before);
    text_add(&d->head, "let %sage = step", n);
    for (int k = FIRST_AGAIN; k <= LAST_AGAIN; k *= 8)
        text_add(&d->head, " - where(step < %d, 0, %d)", k,
                 k == FIRST_AGAIN ? k : k - k / 8);
    text_add(&d->head,
             "\nlet %sover(a, b) = where(b == 0, 0, a/b)\n"
             "let %ssize = sqrt(abs(%sqz))\n"
             "let %salpha = where(%sage > 1, %sover(%srz, %sqz), 0)\n"
             "let %sbeta = where(%sage > 1, %sover(%swz, %sqz), 0)\n"
             "let %sold = where(%sage > 2, %sover(%swy, %sqy), 0)\n",
             n, n, n, n, n, n, n, n, n, n, n, n, n, n, n, n, n, n);
    write_equation(d, u, "%s + %salpha*%s%s", u, n, p, drift_of(d));
    write_equation(d, r, "%s - %salpha*%s", r, n, q);
    write_equation(d, p, "%sover(%s - %sbeta*%s - %sold*prev(%s), %ssize)", n, z, n, p, n,
                   p, n);
    write_equation(d, q, "where(%sage == 0, %s', %s)", n, r,
                   operator_applied(d, arena_print(d->arena, "%s'", p), 0));
    write_preconditioned(d, z, w, arena_print(d->arena, "%s'", q));
    d->about = arena_print(d->arena, "a step is one of MINRES, preconditioned by %s",
                           about_preconditioner(d));
}

const solve_method solve_minres = {
    .name = "minres",
    .about = "MINRES, for symmetric operators that are indefinite",
    .settings = settings,
    .steps = 20000,
    .every = 1,
    .refuses = refuses,
    .derive = derive_minres,
};

/* ---- BiCGSTAB ---------------------------------------------------------------------- */

/* BiCGSTAB, preconditioned from the right (Saad, Iterative Methods, alg. 7.7), for
 * operators without symmetry. An iteration has two halves with a preconditioner each, and
 * a step is one half. In even steps z = M p and v = w = A z, in odd steps z = M r; r0 is
 * the first residual:
 *
 *     odd:   alpha = (r0, r)/(r0, w),  u' = u + alpha z,  r' = r - alpha w;
 *     even:  omega = (w, r)/(w, w),  u' = u + omega z,  r' = r - omega w,
 *            beta = (r0, r')/(omega (r0, v)),  p' = r' + beta (p - omega v).
 *
 * If r' becomes almost orthogonal to r0, the method begins again from r'. */

static void derive_bicgstab(deriver *d)
{
    const char *u = d->unknown->name, *p = d->prefix;
    const char *r = write_first_residual(d, "r"), *first = write_first_residual(d, "o");
    const char *q = write_field(d, "p", 0), *v = write_field(d, "v", 0),
               *y = write_field(d, "y", 0), *z = write_field(d, "z", 0),
               *w = write_field(d, "w", 0), *image = without_mean(d, w),
               *last = without_mean(d, v);

    add_product(d, "or", first, r);
    add_product(d, "ow", first, w);
    add_product(d, "ov", first, v);
    add_product(d, "oo", first, first);
    add_product(d, "rr", r, r);
    add_product(d, "wr", w, r);
    add_product(d, "ww", image, image);
    text_add(&d->head,
             "let %sover(a, b) = where(b == 0, 0, a/b)\n"
             "let %seven = where(step == 2*floor(step/2), 1, 0)\n"
             "let %somega = %sover(%swr, %sww)\n"
             "let %srho = %sor - %somega*%sow\n"
             "let %sleft = max(%srr - %somega*%swr, 0)\n"
             "let %sanew = where(%srho^2 <= 1e-16*%sleft*%soo or %sov*%somega == 0, 1, "
             "0)\n"
             "let %sbeta = where(%sanew == 1, 0, %sover(%srho, %sov*%somega))\n"
             "let %slength = where(%seven == 1, %somega, %sover(%sor, %sow))\n",
             p, p, p, p, p, p, p, p, p, p, p, p, p, p, p, p, p, p, p, p, p, p, p, p, p, p,
             p, p, p, p, p, p);
    write_equation(d, u, "%s + %slength*%s%s", u, p, z, drift_of(d));
    write_equation(d, r, "%s - %slength*%s", r, p, image);
    write_equation(d, first, "where(%seven*%sanew == 1, %s', %s)", p, p, r, first);
    write_equation(d, q, "where(%seven == 1, %s' + %sbeta*(%s - %somega*%s), %s)", p, r,
                   p, q, p, last, q);
    write_equation(d, y, "where(%seven == 1, %s', %s')", p, q, r);
    write_preconditioned(d, z, w, arena_print(d->arena, "%s'", y));
    write_equation(d, v, "where(%seven == 1, %s', %s)", p, w, v);
    d->about = arena_print(d->arena,
                           "a step is half of an iteration of BiCGSTAB, preconditioned "
                           "by %s",
                           about_preconditioner(d));
}

const solve_method solve_bicgstab = {
    .name = "bicgstab",
    .about = "BiCGSTAB, for operators without symmetry",
    .settings = settings,
    .steps = 20000,
    .every = 1,
    .refuses = preconditioner_refuses,
    .derive = derive_bicgstab,
};

/* ---- GMRES ------------------------------------------------------------------------- */

/* GMRES, preconditioned from the right and restarted (Saad, Iterative Methods, 6.9), in
 * the form of generalized conjugate residuals: the same iterates, and u in every step. A
 * cycle of m steps makes m directions p with images q = A p that are orthogonal to each
 * other. With z = M r and w = A z, step n of a cycle is
 *
 *     beta_k = (w, q_k)/(q_k, q_k) for k < n,  q_n = w - sum of beta_k q_k,
 *     p_n = z - sum of beta_k p_k,  alpha = (r, w)/(q_n, q_n),
 *     u' = u + alpha p_n,  r' = r - alpha q_n. */

static const char *const gmres_settings[] = {
    "restart", "preconditioner", "cycle", "pre", "smoother", "grids", "stored", NULL};
enum { MOST_RESTART = 12 };

static void derive_gmres(deriver *d)
{
    const int m = setting_count(d, "restart", 5, 1, MOST_RESTART);
    const char *u = d->unknown->name, *prefix = d->prefix;
    const char *r = write_first_residual(d, "r"), *z = write_field(d, "z", 0),
               *w = write_field(d, "w", 0), *p[MOST_RESTART], *q[MOST_RESTART];
    const char *direction = z, *image = without_mean(d, w),
               *square = arena_print(d->arena, "%sww", prefix);

    add_product(d, "rw", r, w);
    add_product(d, "ww", image, image);
    /* step 0 only makes z and w */
    text_add(&d->head, "let %sslot = step - 1 - %d*floor((step - 1)/%d)\n", prefix, m, m);
    for (int k = 0; k < m; k++) {
        p[k] = write_field(d, "p", 0);
        q[k] = write_field(d, "q", 0);
        const char *wq = arena_print(d->arena, "wq%d", k),
                   *qq = arena_print(d->arena, "qq%d", k);
        add_product(d, wq, w, q[k]);
        add_product(d, qq, q[k], q[k]);
        text_add(&d->head,
                 "let %sbeta%d = where(%sslot > %d and %s%s > 0, "
                 "%s%s/max(%s%s, 1e-300), 0)\n",
                 prefix, k, prefix, k, prefix, qq, prefix, wq, prefix, qq);
        direction = arena_print(d->arena, "%s - %sbeta%d*%s", direction, prefix, k, p[k]);
        image = arena_print(d->arena, "%s - %sbeta%d*%s", image, prefix, k, q[k]);
        square = arena_print(d->arena, "%s - %sbeta%d*%s%s", square, prefix, k, prefix,
                             wq);
    }
    text_add(&d->head,
             "let %ssquare = %s\n"
             "let %salpha = where(%ssquare > 0, %srw/max(%ssquare, 1e-300), 0)\n",
             prefix, square, prefix, prefix, prefix, prefix);
    direction = write_stored(d, "d", 0, direction);
    image = write_stored(d, "i", 0, image);
    for (int k = 0; k < m; k++) {
        write_equation(d, p[k], "where(%sslot == %d, %s, %s)", prefix, k, direction,
                       p[k]);
        write_equation(d, q[k], "where(%sslot == %d, %s, %s)", prefix, k, image, q[k]);
    }
    write_equation(d, u, "%s + %salpha*%s%s", u, prefix, direction, drift_of(d));
    write_equation(d, r, "%s - %salpha*%s", r, prefix, image);
    write_preconditioned(d, z, w, arena_print(d->arena, "%s'", r));
    d->about = arena_print(d->arena,
                           "a step is one of GMRES, restarted after %d, preconditioned "
                           "by %s",
                           m, about_preconditioner(d));
}

const solve_method solve_gmres = {
    .name = "gmres",
    .about = "restarted GMRES, for operators without symmetry",
    .settings = gmres_settings,
    .steps = 20000,
    .every = 1,
    .refuses = preconditioner_refuses,
    .derive = derive_gmres,
};
