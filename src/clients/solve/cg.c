/* SPDX-License-Identifier: BSD-3-Clause */
/* Preconditioned conjugate gradients (Saad, Iterative Methods, alg. 9.1). The scalars of
 * a step come from sums over the results of the step before. Here p is the last
 * direction, s = A p, z = M r, w = A z, and
 *
 *     beta = -(z, s)/(p, s),  (p', A p') = (z, w) + beta (z, s),
 *     alpha = (r, z)/(p', A p').
 *
 * In the first step z is 0, and only z = M r is computed. M is one over the diagonal, or
 * a multigrid cycle. */
#include "solve/solve_private.h"

static const char *const settings[] = {"preconditioner", "cycle",  "pre", "smoother",
                                       "grids",          "stored", NULL};
static const char *const preconditioners[] = {"diagonal", "multigrid", "none"};
enum { DIAGONAL, MULTIGRID, NONE };

static bool by_multigrid(deriver *d)
{
    return d->by_multigrid ||
           setting_word(d, "preconditioner", preconditioners, 3) == MULTIGRID;
}

static const char *refuses(deriver *d)
{
    if (!operator_is_symmetric(d))
        return "it is for symmetric operators: take multigrid or jacobi";
    return by_multigrid(d) ? multigrid_refuses(d) : NULL;
}

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
    const bool multigrid = by_multigrid(d);
    const int kind = setting_word(d, "preconditioner", preconditioners, 3);
    const char *u = d->unknown->name, *p = d->prefix;
    vectors v = {.r = write_name(d, "r")};

    text_add(&d->head, "field %s = where(%s, %s, 0)\n", v.r, write_inside(d),
             operator_residual(d, u));
    write_zero(d, v.r, 0);
    v.p = write_field(d, "p", 0);
    v.s = write_field(d, "s", 0);
    v.z = write_field(d, "z", 0);
    v.w = write_field(d, "w", 0);
    declare_scalars(d, &v);
    write_equation(d, v.p, "%s + %sbeta*%s", v.z, p, v.p);
    write_equation(d, v.s, "%s + %sbeta*%s", v.w, p, v.s);
    write_equation(d, u, "%s + %salpha*%s'%s", u, p, v.p,
                   d->singular ? arena_print(d->arena, " - %sdrift", p) : "");
    write_equation(d, v.r, "%s - %salpha*%s'", v.r, p, v.s);
    const char *r = arena_print(d->arena, "%s'", v.r);
    if (multigrid)
        multigrid_cycle(d, v.z, r);
    else
        write_equation(d, v.z, "%s", kind == DIAGONAL ? operator_scaled(d, 1, r, 0) : r);
    write_equation(d, v.w, "%s",
                   operator_applied(d, arena_print(d->arena, "%s'", v.z), 0));
    d->about = arena_print(d->arena,
                           "a step is one of conjugate gradients, preconditioned by %s",
                           multigrid          ? "a cycle of multigrid"
                           : kind == DIAGONAL ? "the diagonal"
                                              : "nothing");
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
