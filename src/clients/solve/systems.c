/* SPDX-License-Identifier: BSD-3-Clause */
/* Systems of equations. Each unknown has a deriver of its own, with its equation, borders
 * and mask. A vector of a method is one field for each unknown. The operator of a row is
 * the sum of its parts in all unknowns.
 *
 * At each point a relaxation solves the small system of all unknowns: its matrix holds
 * the weights of the point itself. Elimination without pivots is written as lets. An
 * unknown is apart if its own weight is 0, if its sign makes a symmetric operator
 * indefinite, or if it is a pressure. Cycles leave it out. It follows from the corrected
 * others by an approximate Schur complement (Elman, Silvester, Wathen, Finite Elements
 * and Fast Iterative Solvers). */
#include <float.h>
#include <math.h>
#include <string.h>

#include "solve/solve_private.h"

/* ---- the unknowns ------------------------------------------------------------------ */

void system_open(deriver *d)
{
    deriver *last = d;

    d->names = d->unknown ? d->unknown->name : "";
    for (const statement *m = d->solve->more; m; m = m->more, last = last->next) {
        last->next = arena_alloc(d->arena, 1, sizeof *d);
        *last->next = *d;
        last->next->next = NULL;
        last->next->solve = m;
        last->next->unknown = m->symbol;
        d->names = arena_print(d->arena, "%s, %s", d->names, m->symbol->name);
        last->next->number = last->number + 1;
        last->next->prefix = arena_print(d->arena, "%s%d_", d->prefix,
                                         last->next->number + 1);
    }
}

bool system_holds(const deriver *d, const symbol *unknown)
{
    bool holds = false;

    EACH_UNKNOWN(o, d)
        holds |= o->unknown == unknown;
    return holds;
}

/* The weights' sum for a wave of 16 points along each axis: its even and its odd part. */
static void long_wave(deriver *d, const solve_form *f, double part[2])
{
    part[0] = part[1] = 0;
    for (int64_t k = 0; k < f->count; k++) {
        const int *o = f->tap[k].offset;
        const double angle = PI / 8 * (o[0] + o[1] + o[2]),
                     w = value_in_middle(d, f->tap[k].weight);
        part[0] += w * cos(angle);
        part[1] += w * sin(angle);
    }
}

/* True if first differences between two unknowns outweigh the weights of each in its own
 * equation: a pressure, even with a term for its stability. No relaxation of points
 * damps errors of such a pair. */
static bool is_saddle(deriver *e, deriver *o)
{
    double own[2], to[2], from[2], other[2];

    long_wave(e, &e->block[e->number], own);
    long_wave(e, &e->block[o->number], to);
    long_wave(o, &o->block[e->number], from);
    long_wave(o, &o->block[o->number], other);
    return fabs(to[1] * from[1]) > fabs(own[0] * other[0]);
}

#define NO_CONSTANT 1e-9 /* the projector's roundings */

/* Takes a direction of constants out of the null space. */
static void remove_constant(deriver *d, const double *row)
{
    double part[MAX_UNKNOWNS] = {0}, size = 0, all = 0;

    EACH_UNKNOWN(e, d) {
        EACH_UNKNOWN(o, d)
            part[e->number] += e->constant[o->number] * row[o->number];
        size += part[e->number] * part[e->number];
        all += row[e->number] * row[e->number];
    }
    EACH_UNKNOWN(e, d)
        EACH_UNKNOWN(o, d)
            if (size > 1e-20 * all)
                e->constant[o->number] -= part[e->number] * part[o->number] / size;
}

/* Finds the constants of all unknowns together that change no equation, by the sums of
 * weights in the middle of the grid. The start checks them at all points. */
static void find_constants(deriver *d)
{
    EACH_UNKNOWN(e, d)
        e->constant[e->number] = 1;
    for (deriver *e = d->next ? d : NULL; e; e = e->next) {
        double given[MAX_UNKNOWNS] = {0}, sum[MAX_UNKNOWNS] = {0};
        given[e->number] = e->fixed || e->mask;
        remove_constant(d, given);
        EACH_UNKNOWN(o, d) {
            const solve_form *f = &e->block[o->number];
            double all = 0;
            for (int64_t k = 0; k < f->count; k++) {
                const double w = value_in_middle(d, f->tap[k].weight);
                sum[o->number] += w;
                all += fabs(w);
            }
            if (fabs(sum[o->number]) <= 1e-12 * all)
                sum[o->number] = 0;
        }
        remove_constant(d, sum);
    }
}

/* Joins the facts about all unknowns. A coarser grid remains if all unknowns halve the
 * same axes. Symmetry holds for all unknowns or for none; a pressure is set apart. */
void system_join(deriver *d)
{
    double own = 0, first = 0;

    EACH_UNKNOWN(e, d) {
        /* between unknowns; insulated walls have half cells or copies */
        d->symmetric &= e->symmetric && d->fixed == e->fixed &&
                        d->periodic == e->periodic && d->mask == e->mask &&
                        (!d->next || ((d->fixed | d->periodic) + 1) >> (2 * d->p->dim));
        d->form.spaced |= e->form.spaced;
        for (int k = 1; k < d->grids; k++)
            if (k >= e->grids || e->halved[k] != d->halved[k])
                d->grids = k;
    }
    find_constants(d);
    EACH_UNKNOWN(e, d) {
        (void)tree_known(d, weight_next(d, 0, 0), &first);
        e->apart = tree_known(e, weight_next(e, 0, 0), &own) &&
                   (own == 0 || (d->symmetric && own * first < 0));
        for (deriver *o = d; o != e; o = o->next)
            e->apart |= !o->apart && is_saddle(e, o);
        d->saddle |= e->apart;
        if (d->next)
            e->singular = e->constant[e->number] > NO_CONSTANT;
        d->loose |= e->singular;
        e->symmetric = d->symmetric;
        e->grids = d->grids;
        e->form.spaced = d->form.spaced;
    }
}

/* True if cycles alone converge fast: faces give values, no weight varies, unknowns are
 * coupled by even differences along axes, and no sum of weights outweighs the unknown's
 * own. */
bool system_suits_cycles(deriver *d)
{
    double w;

    EACH_UNKNOWN(e, d) {
        double own = 0, others = 0;
        if (e->mask || !(((e->fixed | e->periodic) + 1) >> (2 * d->p->dim)))
            return false;
        EACH_UNKNOWN(o, d) {
            const solve_form *f = &e->block[o->number];
            double part[2], sum = 0;
            for (int64_t k = 0; k < f->count; k++) {
                const int *at = f->tap[k].offset;
                if (!tree_known(d, f->tap[k].weight, &w) ||
                    (at[0] != 0) + (at[1] != 0) + (at[2] != 0) > 1)
                    return false;
                sum += w;
            }
            long_wave(e, f, part);
            if (fabs(part[1]) > 1e-12 * fabs(part[0]))
                return false;
            own = o == e ? sum : own;
            others += o == e ? 0 : fabs(sum);
        }
        (void)tree_known(d, weight_next(e, 0, 0), &w);
        if (own * w < -1e-12 * w * w || others > fabs(own) + 1e-12 * fabs(w))
            return false;
    }
    return true;
}

/* ---- vectors ----------------------------------------------------------------------- */

vector vector_field(deriver *d, const char *stem, int coarse, bool whole)
{
    vector v = {{NULL}};

    EACH_UNKNOWN(e, d)
        if (whole || !e->apart)
            v.of[e->number] = write_field(e, stem, coarse);
    return v;
}

vector vector_mapped(deriver *d, const char *before, const vector *v, const char *behind)
{
    vector all = {{NULL}};

    EACH_UNKNOWN(e, d)
        if (v->of[e->number])
            all.of[e->number] = arena_print(d->arena, "%s%s%s", before, v->of[e->number],
                                            behind);
    return all;
}

/* ---- constants in the null space --------------------------------------------------- */

const char *null_part(deriver *e, const vector *x)
{
    const char *sum = "0";

    EACH_UNKNOWN(o, e)
        if (fabs(e->constant[o->number]) > NO_CONSTANT)
            sum = arena_print(e->arena, "%s + %s*(sum(%s*(%s))/%sall)", sum,
                              text_digits(e, e->constant[o->number]), write_weight(o),
                              x->of[o->number], o->prefix);
    return arena_print(e->arena, "%snull*(%s)", e->prefix, sum);
}

const char *null_together(const deriver *e, arena *a)
{
    const char *all = "", *between = ", and adding ";
    double rest = 0;

    EACH_UNKNOWN(o, e) {
        const double c = e->constant[o->number] / e->constant[e->number];
        rest += o != e ? fabs(c) : 0;
        if (e->singular && fabs(c) > NO_CONSTANT)
            all = arena_print(a, "%s%s%.3g to '%s'", all, between, c, o->unknown->name);
        between = *all ? ", " : between;
    }
    return rest > NO_CONSTANT ? arena_print(a, "%s changes no equation", all) : "";
}

void mean_keep(deriver *d)
{
    const vector now = system_unknowns(d);
    const char *p = d->prefix, *part = null_part(d, &now);

    text_add(&d->head, "param %slevel = %s\nlet %sdrift = %s - %slevel\n", p, part, p,
             part, p);
}

/* Declares `mean`, the part of the residuals in an equation's row of the null space, for
 * an unknown known up to a constant. No values of the unknowns remove this part, so each
 * step subtracts it. `gap` is its share in the size of all terms of the equation,
 * roundings of the sums included. At the end of a solve a large share is refused: no
 * solution exists. zero: fields with the borders' values; or NULL. */
static void declare_mean(deriver *e, const vector *zero)
{
    const char *p = e->prefix, *u = e->unknown->name, *weight = write_weight(e),
               *image = "0", *column = "0", *size = "0", *moved = "0";
    const vector now = system_unknowns(e);
    vector rest = now;

    EACH_UNKNOWN(o, e) {
        const bool singular = o->singular;
        o->singular = false; /* residuals as they are */
        rest.of[o->number] = system_residual(o, &now);
        if (o == e)
            size = arena_print(e->arena, "abs(%s)", system_residual(e, zero));
        o->singular = singular;
    }
    EACH_UNKNOWN(o, e) {
        const char *x = o->unknown->name, *down = "0";
        const expr *along = system_part(e, o, e->difference, tree_field(e, x, 0), 0);
        const solve_form *g = &e->block[o->number];
        EACH_UNKNOWN(k, e) {
            const expr *one = tree_number(e, num_double(e->constant[k->number]));
            const expr *part = system_part(o, k, o->difference, one, 0);
            const solve_form *f = &o->block[k->number];
            if (fabs(e->constant[k->number]) <= NO_CONSTANT)
                continue;
            if (part)
                down = arena_print(e->arena, "%s + %s", down, tree_text(o, part));
            for (int64_t n = 0; n < f->count; n++)
                column = arena_print(e->arena, "%s + abs(%s)", column,
                                     tree_text(o, f->tap[n].weight));
        }
        image = arena_print(e->arena, "%s + abs(%s)", image, down);
        /* the constant itself does not count */
        if (along && fabs(e->constant[o->number]) > NO_CONSTANT)
            moved = arena_print(e->arena, "%s + %s", moved, tree_text(e, along));
        else if (along)
            size = arena_print(e->arena, "%s + abs(%s)", size, tree_text(e, along));
        for (int64_t k = 0; k < g->count; k++)
            size = arena_print(e->arena, "%s + %.3g*abs((%s)*%s)", size,
                               100 * (e->p->real == PAV_F32 ? FLT_EPSILON : DBL_EPSILON),
                               tree_text(e, g->tap[k].weight), x);
    }
    text_add(&e->head,
             "param %snull = where(max(%s + 0*%s) <= 1e-12*max(%s + 0*%s), 1, 0)\n"
             "let %smean = %s\nparam %sfirst = %smean\n"
             "let %sshare = abs(%smean)*%sall/max(sum(%s*(%s + abs(%s))), 1e-300)\n"
             "scalar %sgap = %sshare\n",
             p, image, u, column, u, p, null_part(e, &rest), p, p, p, p, p, weight, size,
             moved, p, p);
    write_equation(e, arena_print(e->arena, "%sgap", p), "%sshare", p);
    mean_keep(e);
}

void system_declare_means(deriver *d)
{
    vector zero;
    bool any = false;

    EACH_UNKNOWN(e, d)
        any |= write_has_values(e);
    any &= d->loose;
    EACH_UNKNOWN(e, d)
        if (e->singular)
            text_add(&d->head, "param %sall = sum(%s + 0*%s)\n", e->prefix,
                     write_weight(e), e->unknown->name);
    EACH_UNKNOWN(e, d)
        if (any)
            zero.of[e->number] = write_bordered(e, "zero", NULL);
    for (deriver *e = d->next; e; e = e->next) { /* a mean reads fields of all unknowns */
        text_add(&d->head, "%s", e->head.data ? e->head.data : "");
        text_free(&e->head);
    }
    EACH_UNKNOWN(e, d)
        if (e->singular)
            declare_mean(e, any ? &zero : NULL);
}

/* ---- rows -------------------------------------------------------------------------- */

expr *system_part(deriver *d, const deriver *o, const expr *e, const expr *x, int coarse)
{
    const symbol *own = d->unknown;

    d->unknown = o->unknown;
    expr *part = copy_linear(d, e, x, coarse);
    d->unknown = own;
    return part;
}

expr *system_with(deriver *d, const expr *e, const vector *x)
{
    const symbol *own = d->unknown;
    expr *copy = NULL;

    EACH_UNKNOWN(o, d) {
        d->unknown = o == d ? own : o->unknown;
        copy = copy_with(
            d, copy ? copy : e,
            x ? tree_field(d, x->of[o->number], 0) : tree_number(d, num_int(0)), 0);
    }
    d->unknown = own;
    return copy;
}

vector system_unknowns(const deriver *d)
{
    vector all = {{NULL}};

    EACH_UNKNOWN(e, d)
        all.of[e->number] = e->unknown->name;
    return all;
}

const char *system_residual(deriver *d, const vector *x)
{
    const char *left = tree_text(d, system_with(d, d->left, x)),
               *right = tree_text(d, system_with(d, d->right, x));

    return arena_print(d->arena, "%s - (%s)%s%s%s", right, left, d->singular ? " - " : "",
                       d->singular ? d->prefix : "", d->singular ? d->mean : "");
}

const char *drift_text(deriver *d)
{
    return d->singular ? arena_print(d->arena, " - %sdrift", d->prefix) : "";
}

const char *system_applied(deriver *d, const vector *x, int coarse, bool whole)
{
    const char *all = operator_applied(d, x->of[d->number], coarse);

    EACH_UNKNOWN(o, d) {
        const expr *part = o == d || (o->apart && !whole)
                               ? NULL
                               : system_part(d, o, d->difference,
                                             tree_field(d, x->of[o->number], 0), coarse);
        if (part)
            all = arena_print(d->arena, "(%s + %s)", all, tree_text(d, part));
    }
    return all;
}

/* ---- the system of a point --------------------------------------------------------- */

const char *system_centre(deriver *d, const deriver *o, int coarse)
{
    const expr *weight = form_weight(d, &d->block[o->number], 0, 0);

    if (o == d)
        return operator_diagonal(d, coarse);
    return tree_is_number(weight, 0)
               ? NULL
               : arena_print(d->arena, "(%s)",
                             tree_text(d, copy_with(d, weight, tree_number(d, num_int(0)),
                                                    coarse)));
}

void system_write_weights(deriver *d)
{
    const int64_t declared = d->head.length;
    char *all = arena_print(d->arena, "%s", "");
    int at = 0;

    EACH_RELAXED(e, d)
        EACH_RELAXED(o, d) {
            const char *value = system_centre(e, o, 0);
            all = arena_print(d->arena, "%sfield %sat%d\n%sat%d' = where(%s, %s, %d)\n",
                              all, d->prefix, at, d->prefix, at, write_inside(e),
                              value ? value : "0", e == o);
            at++;
        }
    if (d->p->upright)
        upright_swap(all, (int64_t)strlen(all));
    if (d->head.length == declared) /* otherwise nothing divides by them */
        d->weights = all;
}

/* Declares an entry of the matrix once, and returns its name. */
static const char *entry(deriver *d, int coarse, int at, const char *value)
{
    const char *name = arena_print(d->arena, "%sm%d_%d", d->prefix, coarse, at);

    if (!d->pointed[coarse])
        text_add(&d->joint, "let %s = %s\n", name, value);
    return name;
}

typedef const char *matrix[MAX_UNKNOWNS][MAX_UNKNOWNS]; /* NULL: 0 */

bool weights_fail(const double *weight, int n, const char *names, text *why)
{
    double a[MAX_UNKNOWNS * MAX_UNKNOWNS], size = 0;
    bool fails = false;

    for (int k = 0; k < n * n; k++) {
        if (!isfinite(weight[k])) /* has another cause */
            return false;
        a[k] = weight[k];
        size = fmax(size, fabs(a[k]));
    }
    for (int m = 0; m < n; m++) {
        fails |= fabs(a[m * n + m]) <= 8 * DBL_EPSILON * size;
        for (int i = m + 1; i < n; i++)
            for (int j = n - 1; j >= m; j--)
                a[i * n + j] -= a[i * n + m] / a[m * n + m] * a[m * n + j];
    }
    for (int k = 0; k < n * n && fails; k++)
        text_add(why, "%s%.4g", k == 0 ? "" : k % n ? ", " : "; ", weight[k] + 0.0);
    if (fails)
        text_add(why,
                 n == 1 ? "], the weight of %s at the point itself: give a coefficient "
                          "another value there, or mask the point"
                        : "], the weights of %s at the point itself; elimination divides "
                          "by 0: let the equations say different things there, order "
                          "them so that equation k has a weight of unknown k, mask the "
                          "point, or, if neighbours determine the unknowns, take "
                          "gmres(preconditioner = none)",
                 names);
    return fails;
}

static void eliminate(deriver *d, int coarse, matrix a)
{
    double weight[MAX_UNKNOWNS * MAX_UNKNOWNS];
    bool known = coarse == 0;
    int at = 0, n = 0;

    EACH_RELAXED(e, d) {
        EACH_RELAXED(o, d) {
            const char *value = system_centre(e, o, coarse);
            a[e->number][o->number] = value ? entry(d, coarse, at, value) : NULL;
            known = known && tree_known(e, form_weight(e, &e->block[o->number], 0, 0),
                                        &weight[at]);
            at++;
        }
        n++;
    }
    if (known && weights_fail(weight, n, d->names, &d->scratch))
        solve_fail(d, PAV_EUNSUPPORTED,
                   "the equations do not determine the unknowns at a point: [%s",
                   take_scratch(d));
    for (int m = 0; m < MAX_UNKNOWNS; m++)
        for (int i = m + 1; i < MAX_UNKNOWNS; i++)
            for (int j = m + 1; j < MAX_UNKNOWNS; j++, at++)
                if (a[i][m] && a[m][j])
                    a[i][j] = entry(d, coarse, at,
                                    arena_print(d->arena, "%s - %s/%s*%s",
                                                a[i][j] ? a[i][j] : "0", a[i][m], a[m][m],
                                                a[m][j]));
    d->pointed[coarse] = true;
}

vector system_scaled(deriver *d, double omega, const vector *r, int coarse)
{
    matrix a = {{NULL}};
    vector z = *r;

    if (!d->next) {
        z.of[0] = operator_scaled(d, omega, r->of[0], coarse);
        return z;
    }
    eliminate(d, coarse, a);
    for (int i = 0; i < MAX_UNKNOWNS; i++)
        for (int m = 0; m < i; m++)
            if (a[i][m])
                z.of[i] = arena_print(d->arena, "(%s - %s/%s*(%s))", z.of[i], a[i][m],
                                      a[m][m], z.of[m]);
    for (int i = MAX_UNKNOWNS - 1; i >= 0; i--) {
        for (int j = i + 1; j < MAX_UNKNOWNS; j++)
            if (a[i][j])
                z.of[i] = arena_print(d->arena, "(%s - %s*%s)", z.of[i], a[i][j],
                                      z.of[j]);
        if (a[i][i])
            z.of[i] = arena_print(d->arena, "(%s)/%s", z.of[i], a[i][i]);
    }
    const char *by = arena_print(d->arena, "%s*%sunit*(", text_digits(d, omega),
                                 d->prefix);
    return vector_mapped(d, by, &z, ")");
}
