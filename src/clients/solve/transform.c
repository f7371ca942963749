/* SPDX-License-Identifier: BSD-3-Clause */
/* Direct solution by transforms. Along an axis with constant, mirror-symmetric weights
 * the waves between its borders are eigenvectors of the operator: sines, cosines or both.
 * After a transform of all such axes, each wave has an equation of its own along the
 * remaining axis. This equation is tridiagonal. If no axis remains, it is a division.
 *
 * The eigenvalues are taken from the weights. A neighbour at offset o contributes
 * weight*cos(o*angle) for each axis. 1 - cos(o*angle) = 2*sin(o*angle/2)^2 has no
 * cancellation, so symbols are sums of weights less such terms.
 *
 * A step corrects u by the solution for its residual. Another step removes roundings. */
#include <float.h>
#include <limits.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "machine/machine.h"
#include "solve/solve_private.h"

enum { MOST_WAVES = 1 << 27, ROUNDINGS = 16 /* of an eigenvalue that is 0 */ };

enum { NO_AXIS = -1, BY_FIELDS = 1 << MAX_DIM };

/* ---- weights ----------------------------------------------------------------------- */

/* The axes with a change of an expression along them, as bits; or BY_FIELDS. */
static unsigned axes_of(const deriver *d, const expr *e)
{
    unsigned axes = 0;

    if (e->kind == EXPR_SYMBOL && e->symbol->kind == SYMBOL_FIELD)
        return BY_FIELDS;
    if (e->kind == EXPR_BUILTIN && e->builtin >= BUILTIN_X && e->builtin <= BUILTIN_Z)
        return 1u << (e->builtin - BUILTIN_X);
    if (e->kind == EXPR_BUILTIN && e->builtin >= BUILTIN_IX && e->builtin <= BUILTIN_IZ)
        return 1u << (e->builtin - BUILTIN_IX);
    for (int axis = 0; e->kind == EXPR_BUILTIN && axis < d->p->dim; axis++)
        if (axis_stretched(d->p, axis) &&
            (e->builtin == BUILTIN_H || e->builtin == BUILTIN_HX + (unsigned)axis))
            axes |= 1u << axis;
    if (e->kind == EXPR_CALL && e->function == FUNCTION_RANDOM)
        return BY_FIELDS;
    for (int k = 0; k < e->count; k++)
        axes |= axes_of(d, e->arg[k]);
    return axes;
}

static int reach_along(const deriver *d, int axis)
{
    int reach = 0;

    for (int64_t k = 0; k < d->form.count; k++)
        if (abs(d->form.tap[k].offset[axis]) > reach)
            reach = abs(d->form.tap[k].offset[axis]);
    return reach;
}

/* True if the weights, constant along an axis, are the same on both sides. A weight along
 * the axis alone then equals the weight back, perhaps by another text. */
static bool is_mirrored(deriver *d, int axis)
{
    for (int64_t k = 0; k < d->form.count; k++) {
        const solve_tap *t = &d->form.tap[k];
        const bool back = d->symmetric && !t->offset[(axis + 1) % MAX_DIM] &&
                          !t->offset[(axis + 2) % MAX_DIM];
        bool found = false;
        for (int64_t n = 0; n < d->form.count && !found; n++) {
            const solve_tap *o = &d->form.tap[n];
            int at[MAX_DIM];
            memcpy(at, o->offset, sizeof at);
            at[axis] = -at[axis];
            found = memcmp(at, t->offset, sizeof at) == 0 &&
                    (d->form.constant ? o->value == t->value
                                      : back || strcmp(tree_text(d, o->weight),
                                                       tree_text(d, t->weight)) == 0);
        }
        if (!found)
            return false;
    }
    return true;
}

/* ---- axes -------------------------------------------------------------------------- */

static bool is_periodic(const deriver *d, int axis)
{
    return d->periodic >> (2 * axis) & 1;
}

static unsigned varying_axes(const deriver *d)
{
    unsigned axes = 0;

    for (int64_t k = 0; k < d->form.count; k++)
        axes |= axes_of(d, d->form.tap[k].weight);
    return axes;
}

static bool may_eliminate(const deriver *d, int axis)
{
    return !is_periodic(d, axis) && reach_along(d, axis) <= 1;
}

static bool gives_face(const deriver *d, int face)
{
    return d->rule[face] && border_rules[d->rule[face]->border].has_face;
}

/* Twice the distance between both walls, or the length of a periodic axis; in
 * spacings. */
static int64_t period_of(const deriver *d, int axis)
{
    int64_t period = 2 * (d->p->axis[axis].points - 1);

    if (is_periodic(d, axis))
        return d->p->axis[axis].points;
    for (int face = 2 * axis; face < 2 * axis + 2; face++)
        if (d->rule[face] && !gives_face(d, face))
            period += (int64_t)border_rules[d->rule[face]->border].wall;
    return period;
}

static line_transform line_of(const deriver *d, int axis)
{
    line_transform t = {.period = (int)int64_least(period_of(d, axis), INT_MAX / 64)};

    t.padded = transform_padding(transform_length(&t));
    return t;
}

/* A multiple of the time of a smooth length. */
static int slowness(const deriver *d, int axis)
{
    enum { SLOW = 16 };
    const line_transform t = line_of(d, axis);

    return (int)(transform_time_of(&t) / SLOW);
}

/* The axis of the tridiagonal systems: one of varying weights, or the last possible. An
 * axis with large prime factors is preferred, as its transform is slow. */
static int find_line(const deriver *d)
{
    const unsigned varying = varying_axes(d);
    int line = NO_AXIS;

    for (int axis = 0; axis < d->p->dim && !d->jump && !d->first->next; axis++)
        if (varying ? varying >> axis & 1
                    : reach_along(d, axis) == 1 && may_eliminate(d, axis) &&
                          (line < 0 || slowness(d, axis) >= slowness(d, line)))
            line = axis;
    return line;
}

static bool is_turned(const deriver *d, int axis)
{
    return axis != find_line(d) && reach_along(d, axis) > 0;
}

/* Reason why no wave fits the border of a face; or NULL. */
static const char *border_refuses(deriver *d, int face)
{
    const statement *s = d->rule[face];
    const bool wide = reach_along(d, face / 2) > 1;

    if (s && wide && border_rules[s->border].values)
        return "one value beyond a wall fits no sine for weights of second neighbours: "
               "take border odd or antimirror";
    return s && wide && s->border == BORDER_CLAMP
               ? "clamp fits no cosine for weights of second neighbours: take border "
                 "mirror"
           : s ? NULL
               : "a face has no border";
}

static const char *axis_refuses(deriver *d, int axis)
{
    const char letter = axis_letter(d->p, axis);

    if (!d->jump && !d->first->next && !is_mirrored(d, axis)) /* others look themselves */
        return arena_print(d->arena,
                           "its weights are not the same on both sides along %c: take "
                           "multigrid or bicgstab",
                           letter);
    if (period_of(d, axis) == 0)
        return arena_print(
            d->arena, "its borders give the only point along %c: take multigrid or cg",
            letter);
    for (int face = 2 * axis; face < 2 * axis + 2; face++)
        if (border_refuses(d, face))
            return border_refuses(d, face);
    return NULL;
}

/* "x and z" */
static const char *letters(deriver *d, unsigned axes)
{
    const char *all = "";

    EACH_AXIS(axis, d)
        if (axes >> axis & 1)
            all = arena_print(d->arena, "%s%s%c", all, *all ? " and " : "",
                              axis_letter(d->p, axis));
    return all;
}

/* True if a field has the rules of d at all faces. */
bool transform_has_borders(const deriver *d, const symbol *field)
{
    bool same = true;

    for (int face = 0; face < 2 * d->p->dim; face++) {
        const statement *t = d->rule[face],
                        *s = field_border(d->p, field, face / 2, face % 2);
        same &= s && t ? s->border == t->border : s == t;
    }
    return same;
}

void transform_add_form(deriver *d, const solve_form *f)
{
    for (int64_t k = 0; k < f->count; k++)
        ARENA_ADD(d->arena, d->form.tap, d->form.count, d->form.capacity) = f->tap[k];
}

/* Of a system. d->form gets all its weights. */
static const char *system_refuses(deriver *d)
{
    const char *why = d->loose ? "the unknowns are known up to a constant" : NULL;

    d->form = (solve_form){.constant = true};
    EACH_UNKNOWN(e, d) {
        why = e->mask                                 ? "waves do not fit a mask"
              : !transform_has_borders(d, e->unknown) ? "its fields have unlike borders"
                                                      : why;
        EACH_UNKNOWN(o, d) {
            solve_form *f = &e->block[o->number];
            const solve_form all = d->form;
            f->constant = true;
            f->sum = 0;
            for (int64_t k = 0; k < f->count; k++) {
                f->constant &= tree_known(d, f->tap[k].weight, &f->tap[k].value);
                f->sum += f->tap[k].value;
            }
            d->form = *f;
            EACH_AXIS(axis, d)
                why = !f->constant ? "its weights vary"
                      : !is_mirrored(d, axis)
                          ? "its weights are not the same on both sides"
                          : why;
            d->form = all;
            transform_add_form(d, f);
        }
    }
    return why ? arena_print(d->arena, "%s: take multigrid or gmres", why) : NULL;
}

/* The index of the first wave counts from 0, from 1, or from 1/2 between unlike walls. */
static double first_wave(const deriver *d, int axis)
{
    const unsigned fixed = d->fixed >> (2 * axis) & 3;
    const double first = fixed == 3 ? 1 : fixed ? 0.5 : 0;

    return is_periodic(d, axis) ? 0 : first - gives_face(d, 2 * axis);
}

static int64_t waves_along(const deriver *d, int axis)
{
    const int64_t count = d->p->axis[axis].points - gives_face(d, 2 * axis) -
                          gives_face(d, 2 * axis + 1);

    return is_periodic(d, axis) ? count / 2 + 1 : count;
}

static double half_angle(const deriver *d, int axis, int64_t wave)
{
    return PI * (first_wave(d, axis) + gives_face(d, 2 * axis) + (double)wave) /
           (double)period_of(d, axis);
}

/* The waves `look` of LOOKS along each axis, from the first one to the last one. */
void transform_angles(const deriver *d, int n, double *angle)
{
    for (int axis = 0; axis < MAX_DIM; axis++, n /= LOOKS)
        angle[axis] = axis < d->p->dim && is_turned(d, axis)
                          ? 2 * half_angle(d, axis,
                                           llround((double)((waves_along(d, axis) - 1) *
                                                            (n % LOOKS)) /
                                                   (LOOKS - 1)))
                          : 0;
}

/* True if the operator turns a wave into 0, but for roundings. Weights off the axes, and
 * very large grids, are not looked at. */
static bool has_resonance(deriver *d)
{
    const solve_form *f = &d->form;
    double *part[MAX_DIM], size = 0; /* part: of the eigenvalue of each wave */
    int64_t waves[MAX_DIM];

    for (int axis = 0; axis < MAX_DIM; axis++) {
        if (axis < d->p->dim && axis_refuses(d, axis))
            return false;
        waves[axis] = axis < d->p->dim ? waves_along(d, axis) : 1;
        part[axis] = arena_alloc(d->arena, waves[axis], sizeof **part);
    }
    for (int64_t k = 0; k < f->count; k++) {
        const solve_tap *t = &f->tap[k];
        int axes = 0;
        EACH_AXIS(axis, d) {
            axes += t->offset[axis] != 0;
            for (int64_t n = 0; n < waves[axis]; n++)
                part[axis][n] -= 2 * t->value *
                                 pow(sin(t->offset[axis] * half_angle(d, axis, n)), 2);
        }
        size += axes > 1 ? -HUGE_VAL : fabs(t->value);
    }
    for (int64_t n = 0; n < waves[0] * waves[1] * waves[2] && n < MOST_WAVES; n++)
        if (fabs(f->sum + part[0][n % waves[0]] + part[1][n / waves[0] % waves[1]] +
                 part[2][n / waves[0] / waves[1]]) < ROUNDINGS * DBL_EPSILON * size)
            return true;
    return false;
}

static const char *axes_refuse(deriver *d)
{
    const unsigned varying = varying_axes(d);
    const int line = find_line(d);

    if (d->mask)
        return "waves do not fit a mask: take multigrid or cg";
    if (names_begin(d->p, "transform", strlen("transform")))
        return "the description has a name that begins with 'transform'; rename it";
    if (varying & BY_FIELDS)
        return "its weights vary along all axes, by fields; they may vary along one "
               "axis, by its coordinate: take multigrid or cg";
    if (varying & (varying - 1))
        return arena_print(d->arena,
                           "its weights vary along %s; they may vary along one axis: "
                           "take multigrid, cg, "
                           "or, before transforms, fields for the coefficients",
                           letters(d, varying));
    if (varying && !may_eliminate(d, line))
        return arena_print(d->arena,
                           "its weights vary along %c, and this axis %s: take multigrid "
                           "or cg",
                           axis_letter(d->p, line),
                           is_periodic(d, line) ? "is periodic"
                                                : "has weights of second neighbours");
    EACH_AXIS(axis, d) {
        const char *why = is_turned(d, axis) ? axis_refuses(d, axis) : NULL;
        if (why)
            return why;
    }
    if (d->singular && !d->symmetric)
        return "no face gives a value, and its weights are not the same on both sides, "
               "so "
               "it has a solution only for some right sides: take multigrid, or give a "
               "value at a face";
    return d->form.constant && d->form.sum * d->form.diagonal < 0 && !d->jump &&
                   has_resonance(d)
               ? "it turns a wave into 0, so it has a solution only for some right "
                 "sides: "
                 "change the coefficient of the unknown a little"
               : NULL;
}

const char *transform_refuses(deriver *d)
{
    const solve_form own = d->form;
    const char *why = d->next ? system_refuses(d) : NULL;

    why = why ? why : axes_refuse(d);
    d->form = own;
    return why;
}

static unsigned transform_axes(const deriver *d)
{
    unsigned axes = 0;

    EACH_AXIS(axis, d)
        axes |= (unsigned)is_turned(d, axis) << axis;
    return axes;
}

/* A step leaves errors of rounding. They grow with the root of the condition number in
 * two dimensions, and with its fourth root in three, relative to a right side without
 * structure (docs/solvers.md). Below them a second step is needed. */
static int transform_steps(const deriver *d)
{
    const double condition = d->spectrum.high[0] / d->spectrum.low[0],
                 unit = d->p->real == PAV_F32 ? FLT_EPSILON : DBL_EPSILON;

    return condition > 0 && num_f64(d->solve->tolerance) <
                                0.85 * unit * pow(condition, 1 - d->p->dim / 4.0)
               ? 2
               : 1;
}

/* A line that is too long for a GPU's shared memory is left to its host, and one without
 * neighbours to a single thread. */
double transform_time(const deriver *d)
{
    const unsigned axes = transform_axes(d);
    double time = transform_cost.all[d->p->dim - 1];

    EACH_AXIS(axis, d) {
        line_transform t = line_of(d, axis);
        t.padded = axes ? t.padded : 0;
        if ((axes >> axis & 1 || !axes) &&
            transform_room(&t, 1) * (int64_t)pav_type_size(d->p->real) >
                transform_cost.bytes)
            return HUGE_VAL;
        if (axes >> axis & 1)
            time += transform_cost.pass[d->p->dim - 1] * transform_time_of(&t);
    }
    return time * transform_steps(d);
}

/* ---- symbols ----------------------------------------------------------------------- */

/* sin(offset*angle/2)^2 of the wave at this index. */
static const char *sine_name(deriver *d, int axis, int offset)
{
    return arena_print(d->arena, "%ss%c%d", d->prefix, "xyz"[axis], offset);
}

/* sin(offset*angle), for weights that are odd along an axis. */
static const char *odd_name(deriver *d, int axis, int offset)
{
    return arena_print(d->arena, "%sodd%c%d", d->prefix, "xyz"[axis], offset);
}

void transform_declare(deriver *d, unsigned odd)
{
    EACH_AXIS(axis, d)
        for (int o = 1; is_turned(d, axis) && o <= reach_along(d, axis); o++) {
            const char *part = arena_print(
                d->arena, "pi*(%d*(floor(%s) + %s)/%lld)", o, text_index(d, axis),
                text_digits(d, first_wave(d, axis)), (long long)period_of(d, axis));
            text_add(&d->head, "let %s = sin(%s)^2\n", sine_name(d, axis, o), part);
            if (odd >> axis & 1)
                text_add(&d->head, "let %s = sin(2*%s)\n", odd_name(d, axis, o), part);
        }
}

/* 1 - the product of the cosines of a neighbour; NULL: it is 0. */
static const char *less_than_one(deriver *d, const solve_tap *t)
{
    const char *all = NULL;

    EACH_AXIS(axis, d) {
        if (!is_turned(d, axis) || !t->offset[axis])
            continue;
        const char *s = sine_name(d, axis, abs(t->offset[axis]));
        all = all ? arena_print(d->arena, "(%s + 2*%s*(1 - %s))", all, s, all)
                  : arena_print(d->arena, "2*%s", s);
    }
    return all;
}

/* The number of images of a neighbour across turned axes; 0: it is itself an image. */
static int images_of(const deriver *d, const solve_tap *t)
{
    int images = 1;

    EACH_AXIS(axis, d)
        if (is_turned(d, axis))
            images *= t->offset[axis] < 0 ? 0 : t->offset[axis] > 0 ? 2 : 1;
    return images;
}

/* The symbol of the weights at one offset along the line. */
static const char *symbol_at(deriver *d, int offset)
{
    const int line = find_line(d);
    expr *sum = tree_number(d, num_int(0));
    const char *rest = "";

    for (int64_t k = 0; k < d->form.count; k++) {
        const solve_tap *t = &d->form.tap[k];
        if (line >= 0 && t->offset[line] != offset)
            continue;
        sum = tree_binary(d, OP_ADD, sum, t->weight);
        if (images_of(d, t) && less_than_one(d, t))
            rest = arena_print(d->arena, "%s - %d*(%s)*%s", rest, images_of(d, t),
                               tree_text(d, t->weight), less_than_one(d, t));
    }
    const char *whole = d->form.constant && line < 0 ? text_digits(d, d->form.sum)
                                                     : tree_text(d, sum);
    return arena_print(d->arena, "(%s%s)", whole, rest);
}

/* True if the neighbours at the same distances as this one add up to 0. */
static bool is_cancelled(const solve_form *f, const solve_tap *t, unsigned odd)
{
    double sum = 0;

    for (int64_t k = 0; k < f->count; k++) {
        double value = f->tap[k].value;
        for (int axis = 0; axis < MAX_DIM; axis++)
            value *= abs(f->tap[k].offset[axis]) != abs(t->offset[axis]) ? 0
                     : odd >> axis & 1
                         ? copysign(!!t->offset[axis], f->tap[k].offset[axis])
                         : 1;
        sum += value;
    }
    return sum == 0;
}

const char *transform_symbol(deriver *d, const solve_form *f, unsigned odd)
{
    const char *all = odd || f->sum == 0 ? NULL : text_digits(d, f->sum);

    for (int64_t k = 0; k < f->count; k++) {
        solve_tap t = f->tap[k];
        const char *value = "";
        if (is_cancelled(f, &t, odd))
            continue;
        for (int axis = 0; axis < MAX_DIM; axis++)
            if (odd >> axis & 1) {
                value = arena_print(d->arena, "%s*%s", value,
                                    odd_name(d, axis, abs(t.offset[axis])));
                t.value = t.offset[axis] < 0 ? -t.value : t.value;
                t.offset[axis] = 0;
            }
        const char *less = less_than_one(d, &t);
        if (!odd && less)
            all = arena_print(d->arena, "%s - (%.17g)*%s", all ? all : "0", t.value,
                              less);
        else if (odd)
            all = arena_print(d->arena, "%s%s(%.17g)%s*(1 - %s)", all ? all : "",
                              all ? " + " : "", t.value, value, less ? less : "0");
    }
    return all;
}

/* ---- the equation along the line --------------------------------------------------- */

/* True at the wave that is the same at all points. */
static const char *is_level_wave(deriver *d)
{
    const char *all = "1 == 1";

    EACH_AXIS(axis, d)
        if (is_turned(d, axis))
            all = arena_print(d->arena, "%s and floor(%s) == 0", all,
                              text_index(d, axis));
    return all;
}

/* The weight of a ghost goes to the point that it copies: `by` is 0 for the point itself,
 * 1 for its neighbour. */
static const char *copied_weight(deriver *d, int face, int by, const char *weight)
{
    const statement *s = d->rule[face];

    if (!s || !border_rules[s->border].copies || border_rules[s->border].has_face ||
        border_inside(s->border, 1) != by)
        return "";
    return arena_print(d->arena, " %c where(%s, %s, 0)",
                       border_rules[s->border].fixes_wall ? '-' : '+',
                       wall_is_last(d, face, 0), weight);
}

/* Without a given value, the level wave is determined up to a constant. Twice the first
 * diagonal holds it: the first value is then 0, as the other equations add up to it. */
static const char *eliminated(deriver *d, int line, const char *right)
{
    const char *p = d->prefix, *held = "";

    text_add(&d->head, "let %sbefore = %s\nlet %sbehind = %s\n", p, symbol_at(d, -1), p,
             symbol_at(d, 1));
    const char *before = arena_print(d->arena, "%sbefore", p),
               *behind = arena_print(d->arena, "%sbehind", p);
    text_add(&d->head, "let %scentre = %s%s%s\n", p, symbol_at(d, 0),
             copied_weight(d, 2 * line, 0, before),
             copied_weight(d, 2 * line + 1, 0, behind));
    if (d->singular)
        held = arena_print(d->arena, "*where(%s and %s, 1 + %snull, 1)", is_level_wave(d),
                           wall_is_last(d, 2 * line, 0), p);
    return arena_print(d->arena, "tridiagonal(%s%s, %scentre%s, %s%s, %s along %c)",
                       before, copied_weight(d, 2 * line + 1, 1, behind), p, held, behind,
                       copied_weight(d, 2 * line, 1, before), right, "xyz"[line]);
}

static const char *divided(deriver *d, const char *right)
{
    const char *value = symbol_at(d, 0);

    return !d->singular
               ? arena_print(d->arena, "%s/%s", right, value)
               : arena_print(d->arena, "where(%s and %snull > 0, 0, %s/where(%s, 1, %s))",
                             is_level_wave(d), d->prefix, right, is_level_wave(d), value);
}

/* ---- the step ---------------------------------------------------------------------- */

const char *transform_turned(deriver *d, const char *value, bool back, unsigned mirrored)
{
    for (int k = 0; k < d->p->dim; k++) {
        const int axis = back ? d->p->dim - 1 - k : k;
        if (is_turned(d, axis))
            value = arena_print(d->arena, "transform(%s along %c%s%s)", value,
                                "xyz"[axis], back ? " inverse" : "",
                                mirrored >> axis & 1 ? " mirrored" : "");
    }
    return value;
}

const char *transform_waves(deriver *d, const char *stem)
{
    const char *name = write_name(d, stem);

    text_add(&d->head, "field %s stored %s\n", name, pav_type_name(d->p->real));
    write_zero(d, name, 0);
    return name;
}

static const char *about(deriver *d)
{
    const int line = find_line(d);
    const char *all = "", *then = "divides each wave by its eigenvalue";

    EACH_AXIS(axis, d)
        if (is_turned(d, axis))
            all = arena_print(d->arena, "%s%s%c by %s", all, *all ? ", " : "",
                              axis_letter(d->p, axis),
                              is_periodic(d, axis)         ? "sines and cosines"
                              : d->fixed >> (2 * axis) & 1 ? "sines"
                                                           : "cosines");
    if (line >= 0)
        then = arena_print(d->arena, "%s along %c",
                           *all ? "solves a tridiagonal system for each wave"
                                : "solves tridiagonal systems",
                           axis_letter(d->p, line));
    return arena_print(d->arena, "a step %s%s%s%s", *all ? "transforms " : "", all,
                       *all ? " and " : "", then);
}

/* Without a given value the mean of u stays that of the start. */
static const char *level_kept(deriver *d, const char *correction)
{
    const char *p = d->prefix;

    return d->singular
               ? arena_print(d->arena, " - %snull*(sum(%s*(%s + %s'))/%sall - %slevel)",
                             p, write_weight(d), d->unknown->name, correction, p, p)
               : "";
}

/* The field with the solution for a residual. */
static const char *corrected(deriver *d, const char *residual)
{
    const char *waves = transform_waves(d, "w"), *correction = transform_waves(d, "v");
    const char *right = arena_print(d->arena, "%s'", waves);
    const int line = find_line(d);

    transform_declare(d, 0);
    write_equation(d, waves, "%s", transform_turned(d, residual, false, 0));
    const char *solved = line >= 0 ? eliminated(d, line, right) : divided(d, right);
    write_equation(d, correction, "%s", transform_turned(d, solved, true, 0));
    d->turned = transform_axes(d);
    return correction;
}

typedef const char *matrix[MAX_UNKNOWNS][MAX_UNKNOWNS]; /* NULL: 0 */

/* The determinant of the rows from `row` on, without some columns. NULL: it is 0. */
static const char *determinant(deriver *d, matrix a, int row, unsigned without)
{
    const char *all = NULL;
    bool negative = false;

    for (int k = 0; k < MAX_UNKNOWNS; k++) {
        if (without >> k & 1)
            continue;
        const char *rest = a[row][k] ? determinant(d, a, row + 1, without | 1u << k)
                                     : NULL;
        if (rest)
            all = arena_print(d->arena, "%s %c %s*%s", all ? all : "0",
                              negative ? '-' : '+', a[row][k], rest);
        negative = !negative;
    }
    return without + 1 == 1 << MAX_UNKNOWNS ? "1"
           : all                            ? arena_print(d->arena, "(%s)", all)
                                            : NULL;
}

/* Each wave has a small system, solved by determinants: no pivot may be 0. */
static void derive_system(deriver *d)
{
    const vector now = system_unknowns(d);
    const solve_form own = d->form;
    vector w, v;
    matrix a = {{NULL}}, b;

    (void)system_refuses(d); /* for the form */
    transform_declare(d, 0);
    for (int k = 0; k < MAX_UNKNOWNS; k++)
        a[k][k] = "1";
    EACH_UNKNOWN(e, d) {
        w.of[e->number] = transform_waves(e, "w");
        v.of[e->number] = transform_waves(e, "v");
        write_equation(d, w.of[e->number], "%s",
                       transform_turned(d, system_residual(e, &now), false, 0));
        EACH_UNKNOWN(o, d) {
            const char *value = transform_symbol(d, &e->block[o->number], 0);
            a[e->number][o->number] = arena_print(d->arena, "%ssymbol%d%d", d->prefix,
                                                  e->number, o->number);
            if (value)
                text_add(&d->head, "let %s = %s\n", a[e->number][o->number], value);
            else
                a[e->number][o->number] = NULL;
        }
    }
    text_add(&d->head, "let %sall = %s\n", d->prefix, determinant(d, a, 0, 0));
    EACH_UNKNOWN(e, d) {
        memcpy(b, a, sizeof b);
        EACH_UNKNOWN(o, d)
            b[o->number][e->number] = arena_print(d->arena, "%s'", w.of[o->number]);
        write_equation(d, v.of[e->number], "%s",
                       transform_turned(d,
                                        arena_print(d->arena, "%s/%sall",
                                                    determinant(d, b, 0, 0), d->prefix),
                                        true, 0));
    }
    EACH_UNKNOWN(e, d)
        write_equation(d, e->unknown->name, "%s + %s'", e->unknown->name,
                       v.of[e->number]);
    d->form = own;
    d->about = "a step transforms all axes and solves a small system for each wave";
}

static void derive(deriver *d)
{
    if (d->next) {
        derive_system(d);
        return;
    }
    const char *u = d->unknown->name, *correction = corrected(d, operator_residual(d, u));

    write_equation(d, u, "%s + %s'%s", u, correction, level_kept(d, correction));
    d->about = about(d);
}

/* ---- a preconditioner -------------------------------------------------------------- */

/* The operator with the mean of each coefficient, on the whole box. Both sides are scaled
 * by the root of its diagonal's share of the operator's diagonal: for smooth coefficients
 * little more is left of them (Concus and Golub 1973). */

static const double rough = 1.2; /* ratio of neighbours, measured beside jumps */

static solve_form form_of_means(deriver *d)
{
    solve_form f = d->form;

    if (f.constant)
        return f;
    f.tap = arena_alloc(d->arena, f.count, sizeof *f.tap);
    for (int64_t k = 0; k < f.count; k++) {
        f.tap[k] = d->form.tap[k];
        f.tap[k].weight = copy_with(d, f.tap[k].weight, NULL, MEAN);
    }
    return f;
}

const char *transform_preconditioner_refuses(deriver *d)
{
    const solve_form own = d->form;
    const statement *mask = d->mask;

    if (operator_is_indefinite(d))
        return "waves have eigenvalues of both signs: take the method transform";
    if (mask && !d->fixed && (!own.constant || operator_sums_to_zero(d)))
        return "no face gives a value, so the equation has no solution on the whole box: "
               "take multigrid";
    d->mask = NULL;
    d->form = form_of_means(d);
    const char *why = transform_refuses(d);
    d->mask = mask;
    d->form = own;
    return why;
}

/* Declares the scale. Where neighbours differ much, it would couple them wrongly: it is 1
 * everywhere. */
static void declare_scale(deriver *d, const char *own)
{
    const char *p = d->prefix, *share = arena_print(d->arena, "%sshare", p), *most = "1";

    text_add(&d->head, "field %s = %s/%s\n", share, own, operator_diagonal(d, 0));
    text_add(&d->tail, "border clamp %s\n", share);
    EACH_AXIS(axis, d) {
        const char *next = text_next(d, share, axis, 1);
        most = arena_print(d->arena, "max(%s, max(%s/%s, %s/%s))", most, share, next,
                           next, share);
    }
    text_add(&d->head,
             "param %srough = max(%s)\n"
             "field %sscale = where(%srough < %g and %s > 0, 1/sqrt(%s), 1)\n",
             p, most, p, p, rough, share, share);
}

void transform_preconditioned(deriver *d, const char *result, const char *b)
{
    const char *p = d->prefix, *own = operator_diagonal(d, 0);
    const solve_form form = d->form;

    d->form = form_of_means(d);
    if (!form.constant) {
        declare_scale(d, own);
        b = arena_print(d->arena, "%sscale*%s", p, b);
    }
    write_equation(d, result, form.constant ? "%s'" : "%s'*%sscale", corrected(d, b), p);
    d->form = form;
}

static const char *const settings[] = {"every", NULL};

const solve_method solve_transform = {
    .name = "transform",
    .several = true,
    .about = "a direct solution by sines and cosines",
    .settings = settings,
    .steps = 20,
    .every = 1,
    .refuses = transform_refuses,
    .derive = derive,
};
