/* SPDX-License-Identifier: BSD-3-Clause */
/* Many steps at once: `steps 100000 at once`. A step of the derived program is a jump
 * of N steps. A step of linear equations with constant weights multiplies each wave by a
 * number, or by a small matrix 1 + S. A jump transforms the change of a step, multiplies
 * each wave, and transforms back.
 *
 * Let F be the right side of u' = F. It may hold constant sources, and borders may give
 * values. Both are in the change F(u) - u, so they need no symbols:
 *
 *     after N steps u + G*(F(u) - u) with G = 1 + (1 + S) + ... + (1 + S)^(N-1)
 *
 * S has no cancellation (transform.c), and G is computed by doubling. There are three
 * kinds. S is a number for weights that are the same on both sides. S is a matrix for two
 * equations, and for prev(u): the second unknown is then u - prev(u). S is a complex
 * number for differences to one side. In the last two S^2 = t*S - d with numbers t and d,
 * so G = g + k*S with numbers g and k. Odd weights couple sines with cosines: then S is
 * applied to k*(F(u) - u) in space, by its weights. */
#include <complex.h>
#include <float.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "solve/solve_private.h"

enum { MOST_FIELDS = 2, MOST_WEIGHTS = MOST_FIELDS * MOST_FIELDS, NO_DRIFT = -1 };

typedef struct jump {
    deriver *d;
    const statement *equation[MOST_FIELDS], *steps;
    int fields; /* of the state */
    bool wave;  /* the second one is u - prev(u) */
    int drift;  /* the axis of odd weights; or NO_DRIFT */
    expr *field[MOST_FIELDS];
    const expr *change[MOST_FIELDS]; /* of each field in a step */
    solve_form weight[MOST_WEIGHTS]; /* S: of field k in change n, at 2*n + k */
} jump;

static bool is_pair(const jump *j)
{
    return j->fields == 2 || j->drift != NO_DRIFT;
}

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
        return s->reads_fields || timed ? "the value of a border changes in time" : NULL;
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
    if (tree_any(all, reads_sums) || s->transforms)
        return "the equation holds a sum over the grid or along an axis";
    if (tree_degree(all) > 1)
        return "the equation is not linear";
    if (j->equation[1] && tree_any(all, reads_older))
        return "'prev' stands beside a second equation";
    for (int level = 2; level <= s->symbol->oldest; level++)
        if (tree_reads_level(all, s->symbol, -level))
            return "the equation reads more than one older level";
    for (int axis = 0; axis < d->p->dim; axis++)
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

    for (const statement *s = j->d->p->first; s; s = s->next)
        if (num_f64(s->interval) > 0)
            refuse(j, s, "a time after 'every' is no whole number of steps");
    for (const statement *s = j->d->p->first; s && !given; s = s->next) {
        if (s->every_steps > 0)
            length = (int64_t)int_common((u128)length, (u128)s->every_steps);
        else if (s->kind == STATEMENT_UNTIL || s->kind == STATEMENT_SAMPLE ||
                 s->kind == STATEMENT_GATHER || (s->kind == STATEMENT_MEASURE && s->file))
            refuse(j, s, "a statement without 'every' is taken in each step");
    }
    if (!given && length == 1 && j->steps->count > 1)
        refuse(j, j->steps,
               "jumps would be single steps, as the numbers after "
               "'every' share no divisor");
    for (const statement *s = j->d->p->first; s; s = s->next) {
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

/* Copies e with `by` in place of a level of a field. */
static expr *replaced(deriver *d, const expr *e, const symbol *field, int level, expr *by)
{
    if (e->kind == EXPR_SYMBOL && e->symbol == field && e->level == level)
        return by;
    expr *copy = tree_clone(d, e);
    for (int k = 0; k < e->count; k++)
        copy->arg[k] = replaced(d, e->arg[k], field, level, by);
    return copy;
}

/* The second field of a wave has the initial value u - prev(u). */
static void declare_moved(jump *j, const char *moved)
{
    deriver *d = j->d;
    const expr *own = d->unknown->value, *given = NULL;

    for (const statement *s = d->p->first; s; s = s->next)
        if (s->kind == STATEMENT_INITIAL && s->symbol == d->unknown)
            given = s->value;
    if (!given && own && tree_any(copy_inlined(d, own), reads_time))
        refuse(j, j->equation[0], "the start changes in time and prev(u) is not given");
    text_add(&d->head, "field %s stored %s = %s - (%s)\n", moved,
             pav_type_name(d->p->real), d->unknown->name,
             given ? tree_text(d, given) : d->unknown->name);
    write_zero(d, moved, 0);
}

static void find_weights(jump *j, int n, const expr *change)
{
    deriver *d = j->d;

    d->difference = change;
    for (int k = 0; k < j->fields; k++) {
        d->unknown = j->field[k]->symbol;
        form_find(d);
        if (!d->form.constant)
            refuse(j, j->equation[0], "its weights are not the same at all points");
        if (operator_sums_to_zero(
                d)) /* but for roundings; many steps would add them up */
            d->form.sum = 0;
        j->weight[MOST_FIELDS * n + k] = d->form;
    }
    d->unknown = j->equation[0]->symbol;
}

/* The new value of the first field is a field, if the second equation reads it. */
static void understand_second(jump *j, expr *first)
{
    deriver *d = j->d;
    const symbol *u = d->unknown, *v = j->equation[1]->symbol;
    const expr *all = copy_inlined(d, j->equation[1]->value), *own = all;

    for (int face = 0; face < 2 * d->p->dim; face++) {
        const statement *t = d->rule[face],
                        *s = field_border(d->p, v, face / 2, face % 2);
        if (!s != !t || (s && s->border != t->border))
            refuse(j, j->equation[1], "its fields have unlike borders");
    }
    if (tree_reads_level(all, u, 1)) {
        const char *name = write_like_unknown(d, "new");
        write_equation(d, name, "%s", tree_text(d, first));
        own = replaced(d, all, u, 1, tree_field(d, name, 1));
    }
    j->change[1] = tree_operation(d, OP_SUB, own, j->field[1]);
    find_weights(j, 1,
                 tree_operation(d, OP_SUB, replaced(d, all, u, 1, first), j->field[1]));
}

static void understand(jump *j)
{
    deriver *d = j->d;
    expr *value = copy_with(d, copy_inlined(d, j->equation[0]->value), tree_unknown(d, 0),
                            0);

    j->wave = tree_reads_level(value, d->unknown, -1);
    j->fields = 1 + (j->wave || j->equation[1]);
    j->field[0] = tree_unknown(d, 0);
    if (j->wave) {
        const char *moved = write_name(d, "moved");
        declare_moved(j, moved);
        j->field[1] = tree_field(d, moved, 0);
        value = replaced(d, value, d->unknown, -1,
                         tree_operation(d, OP_SUB, j->field[0], j->field[1]));
    } else if (j->equation[1]) {
        j->field[1] = tree_unknown(d, 0);
        j->field[1]->symbol = j->equation[1]->symbol;
    }
    j->change[0] = tree_operation(d, OP_SUB, value, j->field[0]);
    find_weights(j, 0, j->change[0]);
    if (j->wave) {
        j->change[1] = tree_operation(d, OP_SUB, j->change[0], j->field[1]);
        find_weights(j, 1, j->change[1]);
    } else if (j->equation[1])
        understand_second(j, value);
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

/* t and d at these angles. Returns the bound of their roundings. */
static double find_numbers(const jump *j, const double *angle, double complex *t,
                           double complex *d)
{
    const double complex a = symbol_at(&j->weight[0], angle),
                         b = symbol_at(&j->weight[3], angle),
                         product = symbol_at(&j->weight[1], angle) *
                                   symbol_at(&j->weight[2], angle);

    *t = a + (j->fields == 2 ? b : conj(a));
    *d = j->fields == 2 ? a * b - product : a * conj(a);
    return 1e-13 * (1 + cabs(a) * cabs(a) + cabs(b) * cabs(b) + cabs(product));
}

/* Identities of waves hold at any angles, if they hold at these. */
static void find_drift(jump *j)
{
    static const double angle[MAX_DIM] = {0.7, 1.9, 2.6};
    const deriver *d = j->d;
    double complex t, product;

    for (int axis = 0; axis < d->p->dim; axis++) {
        double other[MAX_DIM] = {angle[0], angle[1], angle[2]}, most = 0;
        other[axis] = -other[axis];
        for (int n = 0; n < MOST_WEIGHTS; n++)
            most = fmax(most, cabs(symbol_at(&j->weight[n], angle) -
                                   symbol_at(&j->weight[n], other)));
        if (most <= find_numbers(j, angle, &t, &product))
            continue;
        if (!(d->periodic >> (2 * axis) & 1))
            refuse(j, j->equation[0],
                   arena_print(d->arena,
                               "its weights are not the same on both sides along %c, and "
                               "this axis is not periodic",
                               axis_letter(d->p, axis)));
        if (j->drift >= 0)
            refuse(j, j->equation[0],
                   "its weights are not the same on both sides along two axes");
        j->drift = axis;
    }
    const double few = find_numbers(j, angle, &t, &product);
    if (fabs(cimag(t)) > few || fabs(cimag(product)) > few)
        refuse(j, j->equation[0], "differences to one side stand beside a second field");
}

static void find_growth(jump *j)
{
    for (int look = 0; look < LOOKS * LOOKS * LOOKS; look++) {
        double angle[MAX_DIM];
        double complex t, d;
        transform_angles(j->d, look, angle);
        const double few = find_numbers(j, angle, &t, &d);
        const double complex part = t * t / 4 - d,
                             root = cabs(part) < few ? 0 : csqrt(part);
        for (int sign = -1; sign <= 1; sign += 2) {
            const double complex factor = 1 + t / 2 + sign * root;
            if (cabs(factor) > fabs(j->d->growth))
                j->d->growth = cimag(factor) == 0 ? creal(factor) : cabs(factor);
        }
    }
}

/* ---- a small grid ------------------------------------------------------------------ */

static void write_small(jump *j)
{
    enum { LINE = 16, EDGE = 8 }; /* points along an axis; of three axes */
    static const char *const name[] = {"u", "v"};
    deriver *d = j->d;
    text *t = &d->scratch;

    text_add(t, "real %s\ngrid ", pav_type_name(d->p->real));
    for (int axis = 0; axis < d->p->dim; axis++)
        text_add(t, "%s%c %lld", axis ? ", " : "", "xyz"[axis],
                 (long long)int64_least(d->p->axis[axis].points,
                                        d->p->dim == 3 ? EDGE : LINE));
    for (int n = 0; n < j->fields; n++)
        text_add(
            t, "\nfield %s stored %s = random(%d) - 1/2", name[n > 0],
            pav_type_name(j->equation[n] ? j->equation[n]->symbol->storage : d->p->real),
            n + 1);
    for (int n = 0; n < j->fields; n++) {
        text_add(t, "\n%s' = %s", name[n > 0], name[n > 0]);
        for (int k = 0; k < j->fields; k++)
            for (int64_t i = 0; i < j->weight[MOST_FIELDS * n + k].count; i++)
                text_add(t, " + (%.17g)*%s", j->weight[MOST_FIELDS * n + k].tap[i].value,
                         text_at(d, name[k > 0],
                                 j->weight[MOST_FIELDS * n + k].tap[i].offset));
    }
    text_add(t, "\n");
    for (int face = 0; face < 2 * d->p->dim; face++)
        if (d->rule[face])
            solve_write_border(t, d->rule[face]->border, j->fields == 2 ? "u, v" : "u",
                               NULL, face);
    d->small = take_scratch(d);
}

/* ---- the sum of powers ------------------------------------------------------------- */

/* Adds lines of text. In them @ stands for the prefix, # for `from`, $ for `to`. */
static void add_lines(jump *j, const char *lines, int from, int to)
{
    for (const char *c = lines; *c; c++)
        if (*c == '@')
            text_add(&j->d->head, "%s", j->d->prefix);
        else
            text_add(&j->d->head, *c == '#' || *c == '$' ? "%d" : "%c",
                     *c == '#'   ? from
                     : *c == '$' ? to
                                 : *c);
}

/* Names e0, o0 ...: even and odd symbols of S. Its eigenvalues are real, a and c, or
 * both a + i*b and a - i*b. The slower one of the real ones is a. */
static void declare_symbols(jump *j)
{
    const char *p = j->d->prefix;

    for (int n = 0; n < MOST_WEIGHTS; n++)
        text_add(&j->d->head, "let %se%d = %s\nlet %so%d = %s\n", p, n,
                 transform_symbol(j->d, &j->weight[n], NO_DRIFT), p, n,
                 j->drift >= 0 ? transform_symbol(j->d, &j->weight[n], j->drift) : "0");
    if (j->fields == 1)
        add_lines(j, "let @a = @e0\nlet @c = @e0\nlet @b = @o0\n", 0, 0);
    else
        add_lines(j,
                  "let @product = @e1*@e2 - @o1*@o2\n"
                  "let @half = (@e0 + @e3)/2\n"
                  "let @part = ((@e0 - @e3)^2 - (@o0 - @o3)^2)/4 + @product\n"
                  "let @far = sqrt(max(@part, 0))\n"
                  "let @c = @half + where(@half < 0, -@far, @far)\n"
                  "let @a = where(@part < 0 or @c == 0, @half, "
                  "(@e0*@e3 - @o0*@o3 - @product)/where(@c == 0, 1, @c))\n"
                  "let @b = sqrt(max(-@part, 0))\n",
                  0, 0);
}

/* The sums G of powers for both eigenvalues, x + i*y and z - i*y, and their divided
 * difference k, so G = x - a*k + k*S. By doubling: G(2*n) = G(n)*(2 + S*G(n)), G(n + 1) =
 * 1 + (1 + S)*G(n). A doubling multiplies relative errors by 2*L^n/(1 + L^n), at most 1
 * for L = 1 + S in [0, 1]. A single even symbol needs x
 * alone: y is 0. */
static void declare_sums(jump *j)
{
    static const char *const sums[] = {
        "let @x$ = 1 + @x# + @a*@x# - @b*@y#\nlet @y$ = @y# + @a*@y# + @b*@x#\n"
        "let @z$ = 1 + @z# + @c*@z# - @b*@y#\nlet @k$ = @k# + @z# + @a*@k#\n",
        "let @x$ = 2*@x# + @a*(@x#*@x# - @y#*@y#) - 2*@b*@x#*@y#\n"
        "let @y$ = 2*@y# + 2*@a*@x#*@y# + @b*(@x#*@x# - @y#*@y#)\n"
        "let @z$ = 2*@z# + @c*(@z#*@z# - @y#*@y#) - 2*@b*@z#*@y#\n"
        "let @k$ = @k#*(2 + @a*(@x# + @z#)) + (@z#*@z# - @y#*@y#)\n"};
    const int64_t all = j->d->jump;
    int stage = 0;

    add_lines(j, "let @x0 = 1\nlet @y0 = 0\nlet @z0 = 1\nlet @k0 = 0\n", 0, 0);
    for (int half = 2 * (63 - __builtin_clzll((uint64_t)all)) - 1; half >= 0; half--)
        if (half % 2 || all >> (half / 2) & 1) {
            add_lines(j, sums[half % 2], stage, stage + 1);
            stage++;
        }
    add_lines(j, is_pair(j) ? "let @k = @k#\nlet @g = @x# - @a*@k\n" : "let @g = @x#\n",
              stage, 0);
}

/* ---- the jump ---------------------------------------------------------------------- */

static void write_equations(jump *j)
{
    deriver *d = j->d;
    const char *p = d->prefix, *w[MOST_FIELDS], *v[MOST_FIELDS], *y[MOST_FIELDS];

    transform_declare(d, j->drift);
    declare_symbols(j);
    declare_sums(j);
    for (int n = 0; n < j->fields; n++) {
        w[n] = transform_waves(d, "w");
        write_equation(d, w[n], "%s",
                       transform_turned(d, tree_text(d, j->change[n]), false));
    }
    for (int n = 0; n < j->fields; n++) {
        const char *all = arena_print(d->arena, "%sg*%s'", p, w[n]);
        for (int k = 0; k < j->fields && is_pair(j) && j->drift < 0; k++)
            all = arena_print(d->arena, "%s + %sk*(%se%d*%s')", all, p, p,
                              MOST_FIELDS * n + k, w[k]);
        v[n] = transform_waves(d, "v");
        write_equation(d, v[n], "%s", transform_turned(d, all, true));
    }
    for (int k = 0; k < j->fields && j->drift >= 0; k++) {
        y[k] = transform_waves(d, "moves");
        write_equation(
            d, y[k], "%s",
            transform_turned(d, arena_print(d->arena, "%sk*%s'", p, w[k]), true));
    }
    for (int n = 0; n < j->fields; n++) {
        const char *name = j->field[n]->symbol->name, *all = "";
        for (int k = 0; k < j->fields && j->drift >= 0; k++)
            for (int64_t i = 0; i < j->weight[MOST_FIELDS * n + k].count; i++) {
                const solve_tap *t = &j->weight[MOST_FIELDS * n + k].tap[i];
                all = arena_print(
                    d->arena, "%s + (%.17g)*%s", all, t->value,
                    text_at(d, arena_print(d->arena, "%s'", y[k]), t->offset));
            }
        write_equation(d, name, "%s + %s'%s", name, v[n], all);
    }
}

bool once_keeps(const statement *s)
{
    return s->kind != STATEMENT_UPDATE && s->kind != STATEMENT_STEPS &&
           s->kind != STATEMENT_INITIAL && !s->made;
}

static void write_others(jump *j, text *t)
{
    for (const statement *s = j->d->p->first; s; s = s->next) {
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

static void find_equations(jump *j)
{
    int count = 0;

    for (const statement *s = j->d->p->first; s; s = s->next) {
        if (s->kind != STATEMENT_UPDATE)
            continue;
        if (count == MOST_FIELDS)
            refuse(j, s, "it has more than two equations");
        j->equation[count++] = s;
    }
    if (!count)
        refuse(j, j->steps, "no field has an equation");
    for (int n = 0; n < count; n++)
        refuse(j, j->equation[n], equation_refuses(j, j->equation[n]));
}

void once_write(deriver *d, text *t)
{
    jump j = {.d = d, .steps = d->solve, .drift = NO_DRIFT};

    for (const statement *s = d->p->first; s; s = s->next)
        refuse(&j, s, statement_refuses(&j, s));
    find_equations(&j);
    d->unknown = j.equation[0]->symbol;
    faces_find(d);
    find_length(&j);
    understand(&j);
    find_drift(&j);
    d->form = (solve_form){.constant = true}; /* of the reach along all axes */
    for (int n = 0; n < MOST_WEIGHTS; n++)
        for (int64_t i = 0; i < j.weight[n].count; i++)
            ARENA_ADD(d->arena, d->form.tap, d->form.count,
                      d->form.capacity) = j.weight[n].tap[i];
    refuse(&j, j.equation[0], transform_refuses(d));
    if (j.wave && d->p->real == PAV_F32 && !d->fixed && j.weight[0].sum == 0 &&
        fabs(j.weight[1].sum - 1) < FLT_EPSILON)
        refuse(&j, j.equation[0],
               "the mean of a wave without a given value would gather roundings of f32");
    find_growth(&j);
    write_small(&j);
    write_equations(&j);
    write_borders(d);
    text_add(&d->head, "param %stime = %lld%s\n", d->prefix, (long long)d->jump,
             d->p->dt ? "*dt" : "");
    d->about = arena_print(
        d->arena, "a step is a jump of %lld steps of %s%s%s, by transforms",
        (long long)d->jump, d->unknown->name, j.equation[1] ? " and " : "",
        j.equation[1] ? j.equation[1]->symbol->name : "");
    text_add(t, "# %s\n", d->about);
    write_others(&j, t);
    write_own(d, t);
}
