/* SPDX-License-Identifier: BSD-3-Clause */
/* Krylov methods: conjugate gradients, BiCGSTAB and GMRES. The scalars of a step come
 * from sums over the results of the step before. The preconditioner M is one over the
 * diagonal, or a multigrid cycle. In the first step z is 0, and only z = M r is
 * computed. */
#include <math.h>
#include <string.h>

#include "solve/solve_private.h"

static const char *const settings[] = {"preconditioner", "cycle",  "pre",   "smoother",
                                       "grids",          "stored", "every", NULL};
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
    return operator_is_symmetric(d)
               ? preconditioner_refuses(d)
               : "it is for symmetric operators: take multigrid or jacobi";
}

/* The real and the imaginary part of the weights' sum for the wave i^(sum of indices). It
 * has four points along each axis. */
static void wave(deriver *d, const solve_form *f, expr *part[2])
{
    part[0] = part[1] = tree_number(d, num_int(0));
    for (int64_t k = 0; k < f->count; k++) {
        const int *o = f->tap[k].offset, turn = o[0] + o[1] + o[2];
        part[turn & 1] = tree_binary(d, turn & 2 ? OP_SUB : OP_ADD, part[turn & 1],
                                     f->tap[k].weight);
    }
}

/* The weight of a term in time, such as u'/dt: the sum of the unknown's weights in its
 * own equation. 0: there is none, or it is not one number. */
static double weight_in_time(deriver *o)
{
    const solve_form *f = &o->block[o->number];
    double sum = 0, w = 0;

    for (int64_t k = 0; k < f->count; k++)
        sum += tree_known(o, f->tap[k].weight, &w) ? w : NAN;
    return sum > 1e-9 * fabs(w) ? sum : 0;
}

/* The Schur complement of an unknown apart for this wave: C - sum of B G/A over the
 * relaxed unknowns. For a pressure of Stokes's equations it is 1 over the viscosity, for
 * all waves. */
static const char *schur(deriver *e, bool timed)
{
    expr *own[2], *to[2], *from[2], *through[2];

    wave(e, &e->block[e->number], own);
    EACH_RELAXED(o, e) {
        wave(e, &e->block[o->number], to);
        wave(e, &o->block[e->number], from);
        wave(e, &o->block[o->number], through);
        if (timed)
            through[0] = tree_binary(e, OP_SUB, through[0],
                                     tree_number(e, num_double(weight_in_time(o))));
        expr *both = tree_binary(e, OP_SUB, tree_binary(e, OP_MUL, to[0], from[0]),
                                 tree_binary(e, OP_MUL, to[1], from[1]));
        if (!tree_is_number(both, 0))
            own[0] = tree_binary(e, OP_SUB, own[0],
                                 tree_binary(e, OP_DIV, both, through[0]));
    }
    const expr *none = tree_binary(e, OP_EQ, own[0], tree_number(e, num_int(0)));
    return tree_text(e, tree_where(e, none, tree_number(e, num_int(1)), own[0]));
}

/* Cahouet and Chabard 1988: the inverse of the Schur complement is the sum of its
 * inverses for the viscosity alone and for the term in time alone. The latter is a cycle
 * for the operator from the pressure to the velocities and back. */
static const char *part_in_time(deriver *e, const char *r)
{
    deriver *q = arena_alloc(e->arena, 1, sizeof *q);
    statement *plain = arena_alloc(e->arena, 1, sizeof *plain); /* without settings */
    const expr *unknown = tree_unknown(e, e->level);
    expr *all = system_part(e, e, e->difference, unknown, 0);

    EACH_RELAXED(o, e) {
        const expr *from = system_part(o, e, o->difference, unknown, 0),
                   *over = tree_number(o, num_double(1 / weight_in_time(o)));
        expr *back = from ? system_part(e, o, e->difference,
                                        tree_operation(o, OP_MUL, over, from), 0)
                          : NULL;
        all = back ? difference_of(e, all, back) : all;
    }
    *plain = *e->solve;
    plain->options = 0;
    *q = (deriver){.arena = e->arena,
                   .p = e->p,
                   .solve = plain,
                   .unknown = e->unknown,
                   .given = e->given,
                   .method = e->method,
                   .prefix = arena_print(e->arena, "%stime_", e->prefix),
                   .difference = all,
                   .left = all,
                   .right = tree_number(e, num_int(0)),
                   .usual_cycle = e->usual_cycle,
                   .fixed = e->fixed,
                   .periodic = e->periodic,
                   .grids = e->grids, /* all cycles share their grids */
                   .own_hierarchy = true,
                   .by_multigrid = true};
    q->first = q;
    memcpy(q->rule, e->rule, sizeof q->rule);
    memcpy(q->halved, e->halved, sizeof q->halved);
    form_find(q);
    q->symmetric = q->form.constant && operator_is_symmetric(q);
    strength_find(q, q->strength);
    spectrum_find(q);
    operator_declare(q);
    const vector z = {{write_field(q, "z", 0)}}, b = {{write_stored(q, "b", 0, r)}};
    multigrid_cycle(q, &z, &b);
    write_borders(q);
    text_add(&e->head, "%s", q->head.data);
    text_add(&e->first->joint, "%s", q->joint.data ? q->joint.data : "");
    text_add(&e->first->equations, "%s", q->equations.data);
    text_add(&e->tail, "%s", q->tail.data ? q->tail.data : "");
    deriver_free_texts(q);
    return arena_print(e->arena, " + %s'", z.of[0]);
}

/* The value of an unknown apart for its residual and the values z of the others. */
static const char *system_beside(deriver *e, const char *r, const vector *z, bool cycled)
{
    if (e->method->needs_spd || e->method == &solve_minres)
        return arena_print(e->arena, "(%s)/abs(%s)", r, schur(e, false));
    EACH_RELAXED(o, e) {
        const expr *part = system_part(e, o, e->difference,
                                       tree_field(e, z->of[o->number], 0), 0);
        if (part)
            r = arena_print(e->arena, "%s - %s", r, tree_text(e, part));
    }
    cycled &= !e->mask;
    EACH_RELAXED(o, e)
        cycled &= weight_in_time(o) > 0;
    return arena_print(e->arena, "(%s)/(%s)%s", r, schur(e, cycled),
                       cycled ? part_in_time(e, r) : "");
}

/* Without cycles a method takes about as many steps as an axis has points, and a check of
 * the residual reads all fields once more. */
static void check_seldom(deriver *d)
{
    enum { OFTEN = 32, MOST = 8 };
    d->every = (int)int64_most(1, int64_least(longest_axis(d->p) / OFTEN, MOST));
}

/* z = M r and w = A z. */
static void write_preconditioned(deriver *d, const vector *z, const vector *w,
                                 const vector *r)
{
    const int kind = preconditioner(d);
    const bool whole = kind == MULTIGRID || kind == TRANSFORM;
    vector scaled = *r;

    if (!whole)
        check_seldom(d);
    if (kind == MULTIGRID)
        multigrid_cycle(d, z, r);
    else if (kind == TRANSFORM)
        transform_preconditioned(d, z->of[0], r->of[0]);
    else if (kind == DIAGONAL)
        scaled = system_scaled(d, 1, r, 0);
    EACH_UNKNOWN(e, d)
        if (!whole && !(e->apart && kind == DIAGONAL))
            write_equation(e, z->of[e->number], "%s", scaled.of[e->number]);
    const vector image = vector_mapped(d, "", z, "'");
    EACH_UNKNOWN(e, d)
        if (e->apart && kind != NONE)
            write_equation(e, z->of[e->number], "%s",
                           system_beside(e, r->of[e->number], &image, kind == MULTIGRID));
    EACH_UNKNOWN(e, d)
        write_equation(e, w->of[e->number], "%s", system_applied(e, &image, 0, true));
}

/* The residual of the start, 0 at points without an equation. */
static vector write_first_residual(deriver *d, const char *stem)
{
    vector r;

    EACH_UNKNOWN(e, d) {
        /* initial values read no sums */
        e->mean = d->symmetric && !d->next ? "mean" : "first";
        r.of[e->number] = write_name(e, stem);
        text_add(&e->head, "field %s = where(%s, %s, 0)\n", r.of[e->number],
                 write_inside(e), operator_residual(e, e->unknown->name));
        write_zero(e, r.of[e->number], 0);
        e->mean = "mean";
    }
    return r;
}

/* An image of the operator without its mean. If constants are in the null space of an
 * operator without symmetry, the part of a residual outside of the range is unknown.
 * Residuals and images without their means always have a solution. */
static vector without_mean(deriver *d, const vector *w)
{
    vector rest = *w;

    EACH_UNKNOWN(e, d) {
        const char **own = &rest.of[e->number];
        const char *mean = arena_print(d->arena, "%smean_%s", d->prefix, *own);
        if (!e->singular || d->symmetric)
            continue;
        text_add(&d->joint, "let %s = %s\n", mean, null_part(e, w));
        *own = arena_print(d->arena, "(%s - %s)", *own, mean);
    }
    return rest;
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

static void add_product(deriver *d, const char *name, const vector *a, const vector *b)
{
    text_add(&d->joint, "let %s%s = ", d->prefix, name);
    EACH_UNKNOWN(e, d) {
        const char *weight = write_weight(e);
        text_add(&d->joint, "%ssum(%s%s%s*%s)", e == d ? "" : " + ",
                 weight[0] == '1' && !weight[1] ? "" : weight,
                 weight[0] == '1' && !weight[1] ? "" : "*", a->of[e->number],
                 b->of[e->number]);
    }
    text_add(&d->joint, "\n");
}

static void derive(deriver *d)
{
    const char *p = d->prefix;
    const vector r = write_first_residual(d, "r"), q = vector_field(d, "p", 0, true),
                 s = vector_field(d, "s", 0, true), z = vector_field(d, "z", 0, true),
                 w = vector_field(d, "w", 0, true), next = vector_mapped(d, "", &r, "'");

    add_product(d, "rz", &r, &z);
    add_product(d, "zw", &z, &w);
    add_product(d, "zs", &z, &s);
    add_product(d, "ps", &q, &s);
    /* For a negative operator all products change their sign. */
    text_add(&d->joint, "param %ssign = ", p);
    if (d->form.constant)
        text_add(&d->joint, "%d\n", d->form.diagonal < 0 ? -1 : 1);
    else
        text_add(&d->joint, "where(sum(%s) < 0, -1, 1)\n", operator_diagonal(d, 0));
    text_add(
        &d->joint,
        "let %sbeta = where(%ssign*%sps > 0, -%ssign*%szs/max(%ssign*%sps, 1e-300), 0)\n"
        "let %spap = %ssign*(%szw + %sbeta*%szs)\n"
        "let %salpha = where(%spap > 0, %ssign*%srz/max(%spap, 1e-300), 0)\n",
        p, p, p, p, p, p, p, p, p, p, p, p, p, p, p, p, p);
    EACH_UNKNOWN(e, d) {
        const int n = e->number;
        const char *u = e->unknown->name;
        write_equation(e, q.of[n], "%s + %sbeta*%s", z.of[n], p, q.of[n]);
        write_equation(e, s.of[n], "%s + %sbeta*%s", w.of[n], p, s.of[n]);
        write_equation(e, u, "%s + %salpha*%s'%s", u, p, q.of[n], drift_text(e));
        write_equation(e, r.of[n], "%s - %salpha*%s'", r.of[n], p, s.of[n]);
    }
    write_preconditioned(d, &z, &w, &next);
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
    .several = true,
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
    const char *n = d->prefix;
    const vector r = write_first_residual(d, "r"), p = vector_field(d, "p", 0, true),
                 q = vector_field(d, "q", 0, true), z = vector_field(d, "z", 0, true),
                 w = vector_field(d, "w", 0, true),
                 before = vector_mapped(d, "prev(", &z, ")"),
                 older = vector_mapped(d, "prev(", &q, ")"),
                 next_p = vector_mapped(d, "", &p, "'"),
                 next_q = vector_mapped(d, "", &q, "'");

    add_product(d, "rz", &r, &z);
    add_product(d, "qz", &q, &z);
    add_product(d, "wz", &w, &z);
    add_product(d, "wy", &w, &before);
    add_product(d, "qy", &older, &before);
    text_add(&d->joint, "let %sage = step", n);
    for (int k = FIRST_AGAIN; k <= LAST_AGAIN; k *= 8)
        text_add(&d->joint, " - where(step < %d, 0, %d)", k,
                 k == FIRST_AGAIN ? k : k - k / 8);
    text_add(&d->joint,
             "\nlet %sover(a, b) = where(b == 0, 0, a/b)\n"
             "let %slength = sqrt(abs(%sqz))\n"
             "let %salpha = where(%sage > 1, %sover(%srz, %sqz), 0)\n"
             "let %sbeta = where(%sage > 1, %sover(%swz, %sqz), 0)\n"
             "let %sold = where(%sage > 2, %sover(%swy, %sqy), 0)\n",
             n, n, n, n, n, n, n, n, n, n, n, n, n, n, n, n, n, n);
    EACH_UNKNOWN(e, d) {
        const char *u = e->unknown->name, *own = p.of[e->number];
        write_equation(e, u, "%s + %salpha*%s%s", u, n, own, drift_text(e));
        write_equation(e, r.of[e->number], "%s - %salpha*%s", r.of[e->number], n,
                       q.of[e->number]);
        write_equation(e, own, "%sover(%s - %sbeta*%s - %sold*prev(%s), %slength)", n,
                       z.of[e->number], n, own, n, own, n);
    }
    EACH_UNKNOWN(e, d)
        write_equation(e, q.of[e->number], "where(%sage == 0, %s', %s)", n,
                       r.of[e->number], system_applied(e, &next_p, 0, true));
    write_preconditioned(d, &z, &w, &next_q);
    d->about = arena_print(d->arena, "a step is one of MINRES, preconditioned by %s",
                           about_preconditioner(d));
}

const solve_method solve_minres = {
    .name = "minres",
    .about = "MINRES, for symmetric operators that are indefinite",
    .settings = settings,
    .steps = 20000,
    .every = 1,
    .several = true,
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
    const char *p = d->prefix;
    const vector r = write_first_residual(d, "r"), first = write_first_residual(d, "o"),
                 q = vector_field(d, "p", 0, true), v = vector_field(d, "v", 0, true),
                 y = vector_field(d, "y", 0, true), z = vector_field(d, "z", 0, true),
                 w = vector_field(d, "w", 0, true), next = vector_mapped(d, "", &y, "'"),
                 image = without_mean(d, &w), last = without_mean(d, &v);

    add_product(d, "or", &first, &r);
    add_product(d, "ow", &first, &w);
    add_product(d, "ov", &first, &v);
    add_product(d, "oo", &first, &first);
    add_product(d, "rr", &r, &r);
    add_product(d, "wr", &w, &r);
    add_product(d, "ww", &image, &image);
    text_add(&d->joint,
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
    EACH_UNKNOWN(e, d) {
        const int n = e->number;
        const char *u = e->unknown->name, *s = r.of[n], *o = first.of[n];
        write_equation(e, u, "%s + %slength*%s%s", u, p, z.of[n], drift_text(e));
        write_equation(e, s, "%s - %slength*%s", s, p, image.of[n]);
        write_equation(e, o, "where(%seven*%sanew == 1, %s', %s)", p, p, s, o);
        write_equation(e, q.of[n],
                       "where(%seven == 1, %s' + %sbeta*(%s - %somega*%s), %s)", p, s, p,
                       q.of[n], p, last.of[n], q.of[n]);
        write_equation(e, y.of[n], "where(%seven == 1, %s', %s')", p, q.of[n], s);
    }
    write_preconditioned(d, &z, &w, &next);
    EACH_UNKNOWN(e, d)
        write_equation(e, v.of[e->number], "where(%seven == 1, %s', %s)", p,
                       w.of[e->number], v.of[e->number]);
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
    .several = true,
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

static const char *const gmres_settings[] = {"restart", "preconditioner", "cycle",
                                             "pre",     "smoother",       "grids",
                                             "stored",  "every",          NULL};
enum { MOST_RESTART = 12 };

static void derive_gmres(deriver *d)
{
    const int m = setting_count(d, "restart", d->next ? 10 : 5, 1, MOST_RESTART);
    const char *prefix = d->prefix;
    const vector r = write_first_residual(d, "r"), z = vector_field(d, "z", 0, true),
                 w = vector_field(d, "w", 0, true), next = vector_mapped(d, "", &r, "'");
    vector p[MOST_RESTART], q[MOST_RESTART], direction = z, image = without_mean(d, &w);
    const char *square = arena_print(d->arena, "%sww", prefix);

    add_product(d, "rw", &r, &w);
    add_product(d, "ww", &image, &image);
    /* step 0 only makes z and w */
    text_add(&d->joint, "let %sslot = step - 1 - %d*floor((step - 1)/%d)\n", prefix, m,
             m);
    for (int k = 0; k < m; k++) {
        p[k] = vector_field(d, "p", 0, true);
        q[k] = vector_field(d, "q", 0, true);
        const char *wq = arena_print(d->arena, "wq%d", k),
                   *qq = arena_print(d->arena, "qq%d", k);
        add_product(d, wq, &w, &q[k]);
        add_product(d, qq, &q[k], &q[k]);
        text_add(&d->joint,
                 "let %sbeta%d = where(%sslot > %d and %s%s > 0, "
                 "%s%s/max(%s%s, 1e-300), 0)\n",
                 prefix, k, prefix, k, prefix, qq, prefix, wq, prefix, qq);
        EACH_UNKNOWN(e, d) {
            const int n = e->number;
            direction.of[n] = arena_print(d->arena, "%s - %sbeta%d*%s", direction.of[n],
                                          prefix, k, p[k].of[n]);
            image.of[n] = arena_print(d->arena, "%s - %sbeta%d*%s", image.of[n], prefix,
                                      k, q[k].of[n]);
        }
        square = arena_print(d->arena, "%s - %sbeta%d*%s%s", square, prefix, k, prefix,
                             wq);
    }
    text_add(&d->joint,
             "let %ssquare = %s\n"
             "let %salpha = where(%ssquare > 0, %srw/max(%ssquare, 1e-300), 0)\n",
             prefix, square, prefix, prefix, prefix, prefix);
    EACH_UNKNOWN(e, d) {
        const int n = e->number;
        const char *u = e->unknown->name,
                   *along = write_stored(e, "d", 0, direction.of[n]),
                   *across = write_stored(e, "i", 0, image.of[n]);
        for (int k = 0; k < m; k++) {
            write_equation(e, p[k].of[n], "where(%sslot == %d, %s, %s)", prefix, k, along,
                           p[k].of[n]);
            write_equation(e, q[k].of[n], "where(%sslot == %d, %s, %s)", prefix, k,
                           across, q[k].of[n]);
        }
        write_equation(e, u, "%s + %salpha*%s%s", u, prefix, along, drift_text(e));
        write_equation(e, r.of[n], "%s - %salpha*%s", r.of[n], prefix, across);
    }
    write_preconditioned(d, &z, &w, &next);
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
    .several = true,
    .refuses = preconditioner_refuses,
    .derive = derive_gmres,
};
