/* SPDX-License-Identifier: BSD-3-Clause */
/* Many steps at once: `steps 100000 at once`. A step of the derived program is a jump
 * of N steps. A step of linear equations with constant weights multiplies each wave by a
 * small matrix 1 + S: a row and a column for each field, and for each older level, as the
 * difference of two levels. A jump transforms the change of a step, multiplies each wave,
 * and transforms back.
 *
 * Let F be the right side of u' = F. It may hold constant sources, and borders may give
 * values. Both are in the change F(u) - u, so they need no symbols:
 *
 *     after N steps u + G*(F(u) - u) with G = 1 + (1 + S) + ... + (1 + S)^(N-1)
 *
 * Without sources this is u + R*u with R = (1 + S)^N - 1. S has no cancellation
 * (transform.c). Weights may differ
 * on both sides along periodic axes: the drift axes. S is then complex. A real field has
 * pairs of waves exp(i*k*x) and exp(-i*k*x), so one axis takes one matrix; each further
 * one takes the matrices of both its directions. Transforms of periodic axes are sums of
 * cosines and sines, and i exchanges the wave with its mirror image: such a part of G
 * multiplies a transform with the sign of the sines changed. */
#include <complex.h>
#include <float.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "solve/solve_private.h"

enum { MOST = 6, ALL = MOST * MOST, SUBSETS = 1 << MAX_DIM, ROUNDINGS = 4 };

#define EACH(n, count) for (int n = 0; (n) < (count); (n)++)

/* A field; or, without an equation, the difference of two levels of the field of the row
 * `owner`: the first one is u - prev(u). */
typedef struct row {
    const statement *equation;
    int owner;
    expr *field;
    const expr *fresh, *whole;  /* its new value as read by other rows; by S */
    const expr *change, *moves; /* in a step; for S */
    solve_form weight[MOST];    /* S */
} row;

typedef struct jump {
    deriver *d;
    const statement *steps;
    int count;
    row of[MOST];
    unsigned drift; /* axes of odd weights, as bits */
    bool rests;     /* 0 stays 0: no equation has a source, no border a value */
    int lets;
} jump;

/* ---- what excludes jumps ----------------------------------------------------------- */

static bool reads_time(const expr *e)
{
    return (e->kind == EXPR_BUILTIN &&
            (e->builtin == BUILTIN_T || e->builtin == BUILTIN_STEP)) ||
           (e->kind == EXPR_SYMBOL && e->symbol->kind == SYMBOL_SCALAR) ||
           (e->kind == EXPR_CALL && e->function == FUNCTION_UNIFORM);
}

static bool reads_sums(const expr *e)
{
    return e->kind == EXPR_REDUCE || e->kind == EXPR_LINE || e->kind == EXPR_TRANSFER;
}

static bool reads_step(const expr *e)
{
    return e->kind == EXPR_BUILTIN && e->builtin == BUILTIN_STEP;
}

static bool reads_older(const expr *e)
{
    return e->kind == EXPR_SYMBOL && e->symbol->kind == SYMBOL_FIELD && e->level < 0;
}

/* What a statement records reads nothing of single steps. */
static const char *record_refuses(const jump *j, const statement *s)
{
    for (int k = 0; k <= s->columns; k++) {
        const expr *e = k < s->columns ? s->column[k] : s->value,
                   *value = e ? copy_inlined(j->d, e) : tree_number(j->d, num_int(0));
        if (tree_any(value, reads_step))
            return "'step' would count jumps; take t";
        if (tree_any(value, reads_older))
            return "'prev' would be a jump ago";
    }
    return NULL;
}

/* Reason why a statement excludes jumps; or NULL. */
static const char *statement_refuses(const jump *j, const statement *s)
{
    static const char *const refused[] = {
        [STATEMENT_SOLVE] = "an equation to solve stands beside it",
        [STATEMENT_INJECT] = "a source acts in each step",
        [STATEMENT_ABSORB] = "a layer damps in each step",
        [STATEMENT_EVOLVE] = "a scalar has an equation",
        [STATEMENT_ADVANCE] = "'advance' takes several stages",
        [STATEMENT_CHAOTIC] = "blocks take steps without waiting",
        [STATEMENT_MASK] = "waves do not fit a mask",
    };
    const expr *value = s->value ? copy_inlined(j->d, s->value) : NULL;
    const bool timed = value && tree_any(value, reads_time);

    if (s->kind < COUNT_OF(refused) && refused[s->kind])
        return refused[s->kind];
    if (s->kind == STATEMENT_BORDER)
        return s->where          ? "a rule holds for a part of a face"
               : s->reads_fields ? "the value of a border reads a field"
               : timed           ? "the value of a border changes in time"
                                 : NULL;
    return s->kind == STATEMENT_UPDATE    ? NULL
           : s->kind != STATEMENT_INITIAL ? record_refuses(j, s)
           : timed                        ? "the start of prev(u) changes in time"
                                          : NULL;
}

static const char *equation_refuses(const jump *j, const statement *s)
{
    const deriver *d = j->d;
    const expr *all = copy_inlined(d, s->value);

    if (s->every_steps > 1)
        return "the equation is not taken in each step";
    if (tree_any(all, reads_time))
        return "the equation changes in time";
    if (tree_any(all, reads_sums) || s->transforms || s->along)
        return "the equation holds a sum over the grid or along an axis";
    if (tree_degree(all) > 1)
        return "the equation is not linear";
    EACH_AXIS(axis, d)
        if (axis_stretched(d->p, axis))
            return "waves do not fit a stretched axis";
    return NULL;
}

static void refuse(const jump *j, const statement *s, const char *why)
{
    if (why)
        solve_fail(
            j->d, PAV_EUNSUPPORTED,
            "steps at once are not possible, because %.*s (line %d): leave out 'at "
            "once'",
            (int)strcspn(why, ":"), why, s->at.line);
}

/* ---- the length of a jump ---------------------------------------------------------- */

/* Without a length of its own, a jump goes to the next step at which something is due. */
static void find_length(jump *j)
{
    const bool given = j->steps->every_steps > 0;
    int64_t length = given ? j->steps->every_steps : j->steps->count;

    EACH_STATEMENT(s, j->d->p)
        if (num_f64(s->interval) > 0)
            refuse(j, s, "a time after 'every' is no whole number of steps");
    for (const statement *s = j->d->p->first; s && !given; s = s->next) {
        if (s->every_steps > 0)
            length = (int64_t)int_common((u128)length, (u128)s->every_steps);
        else if (s->kind == STATEMENT_UNTIL || s->kind == STATEMENT_SAMPLE ||
                 s->kind == STATEMENT_GATHER)
            refuse(j, s, "a statement without 'every' is taken in each step");
    }
    if (!given && length == 1 && j->steps->count > 1)
        refuse(j, j->steps,
               "jumps would be single steps, as the numbers after "
               "'every' share no divisor");
    EACH_STATEMENT(s, j->d->p) {
        const int64_t steps = s == j->steps ? s->count : s->every_steps;
        if (steps % length)
            solve_fail(j->d, PAV_EINVAL,
                       "line %d asks for %lld steps, and a jump of %lld does not divide "
                       "them: take another 'at once'",
                       s->at.line, (long long)steps, (long long)length);
    }
    j->d->jump = length;
}

/* ---- the equations ----------------------------------------------------------------- */

/* Copies e with older levels as differences, and with the new values of earlier rows. */
static expr *replaced(jump *j, const expr *e, bool whole)
{
    int n = 0;

    while (n < j->count && !(e->kind == EXPR_SYMBOL && j->of[n].equation &&
                             j->of[n].equation->symbol == e->symbol))
        n++;
    if (n < j->count && e->level > 0)
        return tree_clone(j->d, whole || j->rests ? j->of[n].whole : j->of[n].fresh);
    expr *copy = tree_clone(j->d, e);
    if (n < j->count && e->level < 0) {
        copy = j->of[n].field;
        for (int level = 1; level <= -e->level; level++)
            copy = tree_operation(j->d, OP_SUB, copy, j->of[n + level].field);
        return copy;
    }
    EACH(k, e->count)
    copy->arg[k] = replaced(j, e->arg[k], whole);
    return copy;
}

/* Text of the initial value of a level. */
static const char *start_of(jump *j, const row *r, int level)
{
    const symbol *u = r->equation->symbol;

    EACH_STATEMENT(s, j->d->p)
        if (s->kind == STATEMENT_INITIAL && s->symbol == u && s->level == level)
            return tree_text(j->d, s->value);
    if (level && u->value && tree_any(copy_inlined(j->d, u->value), reads_time))
        refuse(j, r->equation, "the start changes in time and prev(u) is not given");
    return u->name;
}

/* A row for the field of an equation, and one for each of its older levels. */
static void add_rows(jump *j, const statement *s)
{
    deriver *d = j->d;
    const int owner = j->count;

    if (owner + s->symbol->oldest >= MOST)
        refuse(j, s,
               arena_print(d->arena, "it has more than %d fields and levels", MOST));
    d->unknown = s->symbol;
    j->of[j->count++] = (row){s, owner, .field = tree_unknown(d, 0)};
    for (int level = 1; level <= s->symbol->oldest; level++) {
        const char *moved = write_name(d, "moved");
        text_add(&d->head, "field %s stored %s = %s - (%s)\n", moved,
                 pav_type_name(d->p->real), start_of(j, &j->of[owner], level - 1),
                 start_of(j, &j->of[owner], level));
        write_zero(d, moved, 0);
        j->of[j->count++] = (row){NULL, owner, .field = tree_field(d, moved, 0)};
    }
}

static void find_weights(jump *j, row *r, const expr *change)
{
    deriver *d = j->d;

    d->difference = change;
    EACH(k, j->count)
    {
        d->unknown = j->of[k].field->symbol;
        form_find(d);
        if (!d->form.constant)
            refuse(j, j->of[r->owner].equation,
                   "its weights are not the same at all points");
        r->weight[k] = d->form;
        if (!d->form.exact &&
            fabs(d->form.sum) < ROUNDINGS * DBL_EPSILON * operator_size(&d->form))
            r->weight[k].sum = 0; /* many steps would add up these roundings */
    }
}

/* True if a linear expression may have a term without updated fields. */
static bool has_source(const expr *e)
{
    const int first = e->kind == EXPR_CALL && e->function == FUNCTION_WHERE;
    bool all = true, some = false;

    if (e->kind == EXPR_SYMBOL)
        return e->symbol->kind != SYMBOL_FIELD || !e->symbol->updated;
    for (int k = first; k < e->count; k++) {
        some |= has_source(e->arg[k]);
        all &= has_source(e->arg[k]);
    }
    return e->kind == EXPR_BINARY && e->op == OP_MUL   ? all
           : e->kind == EXPR_BINARY && e->op == OP_DIV ? has_source(e->arg[0])
                                                       : some || e->count == 0;
}

/* Looks at the borders of all fields; the first one comes last. */
static void compare_borders(jump *j)
{
    deriver *d = j->d;

    for (int n = j->count - 1; n >= 0; n--) {
        const statement *own = j->of[n].equation;
        if (!own)
            continue;
        d->unknown = own->symbol;
        faces_find(d);
        j->rests = j->rests && !has_source(copy_inlined(d, own->value)) &&
                   !write_has_values(d);
        if (!transform_has_borders(d, j->of[0].equation->symbol))
            refuse(j, own, "its fields have unlike borders");
    }
}

static bool is_read_later(const jump *j, const row *r)
{
    for (const row *o = r + 1; o < j->of + j->count; o++)
        if (o->equation && tree_reads_level(copy_inlined(j->d, o->equation->value),
                                            r->equation->symbol, 1))
            return true;
    return false;
}

/* The new value of a field is a field, if a later equation reads it. */
static void understand(jump *j)
{
    deriver *d = j->d;

    for (row *r = j->of; r < j->of + j->count; r++) {
        const bool first = r == &j->of[r->owner + 1];
        const expr *all = r->equation ? copy_inlined(d, r->equation->value) : NULL,
                   *value = all     ? replaced(j, all, false)
                            : first ? r[-1].change
                                    : r[-1].field;
        r->whole = all ? replaced(j, all, true) : first ? r[-1].moves : r[-1].field;
        r->change = tree_operation(d, OP_SUB, value, r->field);
        r->moves = tree_operation(d, OP_SUB, r->whole, r->field);
        if (all && !j->rests && is_read_later(j, r)) {
            d->unknown = r->equation->symbol;
            faces_find(d);
            const char *name = write_like_unknown(d, "new");
            write_equation(d, name, "%s", tree_text(d, value));
            r->fresh = tree_field(d, name, 1);
        }
        find_weights(j, r, r->moves);
    }
    d->unknown = j->of[0].equation->symbol;
    faces_find(d);
}

/* ---- sides, and growth ------------------------------------------------------------- */

static double complex symbol_at(const solve_form *f, const double *angle)
{
    double complex value = 0;

    for (int64_t k = 0; k < f->count; k++)
        value += f->tap[k].value * cexp(I * (f->tap[k].offset[0] * angle[0] +
                                             f->tap[k].offset[1] * angle[1] +
                                             f->tap[k].offset[2] * angle[2]));
    return value;
}

/* Symbols are the same on both sides, if they are at these angles. */
static void find_drift(jump *j)
{
    static const double angle[MAX_DIM] = {0.7, 1.9, 2.6}, few = 1e-13;
    const deriver *d = j->d;

    EACH_AXIS(axis, d) {
        double other[MAX_DIM] = {angle[0], angle[1], angle[2]};
        other[axis] = -other[axis];
        EACH(n, j->count * j->count)
        {
            const row *r = &j->of[n / j->count];
            const solve_form *f = &r->weight[n % j->count];
            if (cabs(symbol_at(f, angle) - symbol_at(f, other)) <= few * operator_size(f))
                continue;
            if (!(d->periodic >> (2 * axis) & 1))
                refuse(j, j->of[r->owner].equation,
                       arena_print(d->arena,
                                   "its weights are not the same on both sides along %c, "
                                   "and this axis is not periodic",
                                   axis_letter(d->p, axis)));
            j->drift |= 1u << axis;
        }
    }
}

/* c = a*b, divided by its size. Returns the logarithm of the size. */
static double multiply(int m, const double complex *a, const double complex *b,
                       double complex *c)
{
    double complex all[ALL] = {0};
    double size = 0;

    EACH(n, m * m)
    {
        EACH(k, m)
        all[n] += a[n / m * m + k] * b[k * m + n % m];
        size = fmax(size, cabs(all[n]));
    }
    EACH(n, m * m)
    c[n] = size > 0 ? all[n] / size : 0;
    return log(size);
}

/* The largest eigenvalue: its size, negative if it is a negative number. Powers of a
 * multiple eigenvalue also grow by powers of N; and its roundings are large. Eigenvalues
 * near 1 count as 1 if a million steps leave this in doubt. */
static double largest_eigenvalue(int m, const double complex *a)
{
    enum { MILLION = 20, DOUBLINGS = 40 };
    static const double little = 1e-6;
    double complex power[ALL], next[ALL], trace = 0, turned = 0;
    double size = 0, before;

    memcpy(power, a, sizeof power);
    for (int k = 0; k < DOUBLINGS && size > -HUGE_VAL; k++) {
        before = size;
        size = 2 * size + multiply(m, power, power, power);
        if (k == MILLION && fabs(size - before) < 1.5 * (m - 1))
            return 1;
    }
    if (!(size > -HUGE_VAL))
        return 0;
    (void)multiply(m, a, power, next);
    EACH(k, m)
    {
        trace += power[k * m + k];
        turned += next[k * m + k];
    }
    turned /= trace;
    const bool negative = creal(turned) < 0 &&
                          fabs(cimag(turned)) < little * cabs(turned);
    return (negative ? -1 : 1) * exp(ldexp(size, -DOUBLINGS));
}

static void find_growth(jump *j)
{
    for (int look = 0; look < pow(LOOKS, j->d->p->dim); look++) {
        double angle[MAX_DIM];
        double complex a[ALL];
        transform_angles(j->d, look, angle);
        EACH(n, j->count * j->count)
        a[n] = symbol_at(&j->of[n / j->count].weight[n % j->count], angle) +
               (n % (j->count + 1) == 0);
        const double factor = largest_eigenvalue(j->count, a);
        if (fabs(factor) > fabs(j->d->growth))
            j->d->growth = factor;
    }
}

/* ---- a small grid ------------------------------------------------------------------ */

static void write_small(jump *j)
{
    enum { LINE = 16, EDGE = 8 }; /* points along an axis; of three axes */
    deriver *d = j->d;
    text *t = &d->scratch;
    const char *names = "";

    text_add(t, "real %s\ngrid ", pav_type_name(d->p->real));
    EACH_AXIS(axis, d)
        text_add(t, "%s%c %lld", axis ? ", " : "", "xyz"[axis],
                 (long long)int64_least(d->p->axis[axis].points,
                                        d->p->dim == 3 ? EDGE : LINE));
    EACH(n, j->count)
    {
        const statement *s = j->of[n].equation;
        text_add(t, "\nfield u%d stored %s = random(%d) - 1/2", n,
                 pav_type_name(s ? s->symbol->storage : d->p->real), n + 1);
        names = arena_print(d->arena, "%s%su%d", names, n ? ", " : "", n);
    }
    EACH(n, j->count)
    {
        text_add(t, "\nu%d' = u%d", n, n);
        EACH(k, j->count)
        for (int64_t i = 0; i < j->of[n].weight[k].count; i++) {
            const solve_tap *w = &j->of[n].weight[k].tap[i];
            text_add(t, " + (%.17g)*%s", w->value,
                     text_at(d, arena_print(d->arena, "u%d", k), w->offset));
        }
    }
    text_add(t, "\n");
    for (int face = 0; face < 2 * d->p->dim; face++)
        if (d->rule[face])
            solve_write_border(t, d->rule[face]->border, names, NULL, face);
    d->small = take_scratch(d);
}

/* ---- the sum of powers ------------------------------------------------------------- */

/* Names or texts of a complex matrix, its real part first; NULL stands for 0. */
typedef struct matrix {
    const char *of[2 * ALL];
} matrix;
static const matrix none;

/* The sum with one more product; b is "" for 1. */
static const char *added(const jump *j, const char *sum, int sign, const char *a,
                         const char *b)
{
    if (!a || !b)
        return sum;
    return arena_print(j->d->arena, "%s%s%s%s%s", sum ? sum : "",
                       sign < 0 ? " - "
                       : sum    ? " + "
                                : "",
                       a, *b ? "*" : "", b);
}

/* first + a*b as lets. */
static matrix product(jump *j, matrix first, const matrix *a, const matrix *b)
{
    EACH(e, 2 * ALL)
    {
        const char **to = &first.of[e];
        EACH(i, 2 * MOST)
        *to = added(j, *to, e / ALL < i / MOST ? -1 : 1,
                    a->of[i / MOST * ALL + e % ALL / MOST * MOST + i % MOST],
                    b->of[(e / ALL != i / MOST) * ALL + i % MOST * MOST + e % MOST]);
        if (!*to)
            continue;
        text_add(&j->d->head, "let %sc%d = %s\n", j->d->prefix, j->lets, *to);
        *to = arena_print(j->d->arena, "%sc%d", j->d->prefix, j->lets++);
    }
    return first;
}

static matrix sum(const jump *j, matrix a, const matrix *b)
{
    EACH(e, 2 * ALL)
    a.of[e] = added(j, a.of[e], 1, b->of[e], "");
    return a;
}

/* By doubling: R = (1 + S)^N - 1 for equations without sources, or G. For n steps
 * R(2*n) = 2*R + R*R, R(n + 1) = R + S + S*R, G(2*n) = 2*G + G*R, G(n + 1) = G + R + 1.
 * S*G*G would amplify roundings that mix a resting wave, with G = n, into others. */
static matrix power(jump *j, const matrix *s)
{
    const int64_t all = j->d->jump;
    matrix r = *s, unit = none;

    EACH(n, j->count)
    unit.of[n * (MOST + 1)] = "1";
    matrix g = unit;
    for (int bit = 62 - __builtin_clzll((uint64_t)all); bit >= 0; bit--) {
        g = j->rests ? g : product(j, sum(j, g, &g), &g, &r);
        r = product(j, sum(j, r, &r), &r, &r);
        if (!(all >> bit & 1))
            continue;
        g = j->rests ? g : product(j, sum(j, sum(j, g, &r), &unit), &none, &none);
        r = product(j, sum(j, r, s), s, &r);
    }
    return j->rests ? r : g;
}

/* ---- waves of drift ---------------------------------------------------------------- */

/* A part of a symbol is odd along the axes `odd`. It is i^n for n axes times a real
 * number, and changes its sign with each direction in `signs`. */
static int sign_of(unsigned odd, unsigned signs)
{
    return (__builtin_popcount(odd) / 2 + __builtin_popcount(odd & signs)) % 2 ? -1 : 1;
}

#define EACH_SUBSET(s, all)                                                              \
    for (unsigned s = 0, s##_last = 0; !s##_last; s = (s - (all)) & (all), s##_last = !s)

/* The parts of R or G that are odd along axes, from those of S: the means of all
 * directions of the drift axes. The first axis needs but one direction. */
static void find_powers(jump *j, matrix *part)
{
    const unsigned rest = j->drift & (j->drift - 1);
    matrix all[SUBSETS] = {none};

    EACH_SUBSET(signs, rest) {
        matrix s = none;
        EACH_SUBSET(odd, j->drift)
            EACH(e, ALL)
            {
                const char **to = &s.of[__builtin_popcount(odd) % 2 * ALL + e];
                *to = added(j, *to, sign_of(odd, signs), part[odd].of[e], "");
            }
        s = product(j, s, &none, &none);
        s = power(j, &s);
        EACH_SUBSET(odd, j->drift)
            EACH(e, ALL)
        all[odd].of[e] = added(j, all[odd].of[e], sign_of(odd, signs),
                               s.of[__builtin_popcount(odd) % 2 * ALL + e], "");
    }
    EACH_SUBSET(odd, j->drift) {
        EACH(e, ALL)
        if (all[odd].of[e] && rest)
            all[odd].of[e] = arena_print(j->d->arena, "(%s)/%d", all[odd].of[e],
                                         1 << __builtin_popcount(rest));
        part[odd] = product(j, all[odd], &none, &none);
    }
}

/* ---- the jump ---------------------------------------------------------------------- */

/* Writes a field with a transform of these values. Returns its new value. */
static const char *write_turned(deriver *d, const char *stem, const char *value,
                                bool back, unsigned mirrored)
{
    const char *name = transform_waves(d, stem);

    write_equation(d, name, "%s", transform_turned(d, value, back, mirrored));
    return arena_print(d->arena, "%s'", name);
}

static void write_equations(jump *j)
{
    deriver *d = j->d;
    matrix part[SUBSETS] = {none};
    const char *v[MOST] = {NULL};

    transform_declare(d, j->drift);
    EACH_SUBSET(odd, j->drift) {
        EACH(n, j->count)
        EACH(k, j->count)
        part[odd].of[n * MOST + k] = transform_symbol(d, &j->of[n].weight[k], odd);
        part[odd] = product(j, part[odd], &none, &none);
    }
    find_powers(j, part);
    EACH_SUBSET(odd, j->drift)
        EACH(k, j->count)
        {
            const expr *own = j->rests ? j->of[k].field : j->of[k].change;
            const char *waves = NULL;
            EACH(n, j->count)
            if (part[odd].of[n * MOST + k]) {
                waves = waves ? waves
                              : write_turned(d, "w", tree_text(d, own), false, odd);
                v[n] = added(j, v[n], __builtin_popcount(odd) % 2 ? -1 : 1,
                             part[odd].of[n * MOST + k], waves);
            }
        }
    EACH(n, j->count)
    if (j->count > 1) { /* one stage for all */
        const char *name = transform_waves(d, "p");
        write_equation(d, name, "%s", v[n] ? v[n] : "0");
        v[n] = arena_print(d->arena, "%s'", name);
    }
    EACH(n, j->count)
    v[n] = write_turned(d, "v", v[n] ? v[n] : "0", true, 0);
    EACH(n, j->count)
    write_equation(d, j->of[n].field->symbol->name, "%s + %s",
                   j->of[n].field->symbol->name, v[n]);
}

bool once_keeps(const statement *s)
{
    return s->kind != STATEMENT_UPDATE && s->kind != STATEMENT_STEPS &&
           s->kind != STATEMENT_INITIAL && !s->made;
}

static void write_others(jump *j, text *t)
{
    EACH_STATEMENT(s, j->d->p) {
        if (!once_keeps(s))
            continue;
        statement bare = *s;
        bare.timed = false; /* it is a number of steps by now */
        if (s->every_steps > 0)
            bare.every = tree_number(j->d, num_int(s->every_steps / j->d->jump));
        statement_print(j->d->p, &bare, t);
        text_add(t, "\n");
    }
    text_add(t, "steps %lld\n", (long long)(j->steps->count / j->d->jump));
}

void once_write(deriver *d, text *t)
{
    jump j = {.d = d, .steps = d->solve, .rests = true};
    const char *names = "";

    EACH_STATEMENT(s, d->p)
        refuse(&j, s, statement_refuses(&j, s));
    EACH_STATEMENT(s, d->p)
        if (s->kind == STATEMENT_UPDATE) {
            refuse(&j, s, equation_refuses(&j, s));
            add_rows(&j, s);
            names = arena_print(d->arena, "%s%s%s", names, *names ? " and " : "",
                                s->symbol->name);
        }
    if (!j.count)
        refuse(&j, j.steps, "no field has an equation");
    find_length(&j);
    compare_borders(&j);
    understand(&j);
    find_drift(&j);
    d->form = (solve_form){.constant = true}; /* of the reach along all axes */
    EACH(n, j.count * j.count)
    transform_add_form(d, &j.of[n / j.count].weight[n % j.count]);
    refuse(&j, j.of[0].equation, transform_refuses(d));
    for (int n = 0; n + 1 < j.count; n++)
        if (!j.of[n + 1].equation && d->p->real == PAV_F32 && !d->fixed &&
            j.of[n].weight[n].sum == 0 &&
            fabs(j.of[n].weight[n + 1].sum - 1) < FLT_EPSILON)
            refuse(&j, j.of[j.of[n].owner].equation,
                   "the mean of a wave without a given value would gather roundings of "
                   "f32");
    find_growth(&j);
    write_small(&j);
    write_equations(&j);
    write_borders(d);
    text_add(&d->head, "param %stime = %lld%s\n", d->prefix, (long long)d->jump,
             d->p->dt ? "*dt" : "");
    d->about = arena_print(d->arena,
                           "a step is a jump of %lld steps of %s, by transforms",
                           (long long)d->jump, names);
    text_add(t, "# %s\n", d->about);
    write_others(&j, t);
    write_own(d, t);
}
