/* SPDX-License-Identifier: BSD-3-Clause */
/* Many steps at once: `steps 100000 at once`. A step of the derived program is a jump
 * of N steps. A step of a linear equation with constant weights, the same on both sides,
 * multiplies each wave by a number, its symbol L. A jump transforms the change of a step,
 * multiplies each wave, and transforms back.
 *
 * Let F be the right side of u' = F. It may hold constant sources, and borders may give
 * values. Both are in the change F(u) - u, so they need no symbols.
 *
 *     u' = F(u)            after N steps u + (F(u) - u)*(1 + L + ... + L^(N-1))
 *     u' = F(u) - prev(u)  the same by two numbers, for F(u) - 2*u + prev(u) and for
 *                          u - prev(u); the level before becomes a field
 *
 * s = L - 1 is computed without cancellation, and so is the sum of powers: by doubling,
 * or for long jumps by log(1 + s) and exp(e) - 1, corrected by Kahan's quotients. */
#include <float.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "solve/solve_private.h"

typedef struct jump {
    deriver *d;
    const statement *equation, *steps;
    bool wave; /* the equation reads prev(u) */
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
    const char *why = NULL;

    for (int k = 0; k <= s->columns; k++) {
        const expr *e = k < s->columns ? s->column[k] : s->value;
        const expr *value = e ? copy_inlined(j->d, e) : NULL;
        if (value && tree_any(value, reads_step))
            why = "'step' would count jumps; take t";
        else if (value && tree_any(value, reads_older))
            why = "'prev' would be a jump ago";
    }
    return why;
}

/* Reason why a statement excludes jumps; or NULL. */
static const char *statement_refuses(const jump *j, const statement *s)
{
    const expr *value = s->value ? copy_inlined(j->d, s->value) : NULL;

    switch (s->kind) {
    case STATEMENT_SOLVE: return "an equation to solve stands beside it";
    case STATEMENT_INJECT: return "a source acts in each step";
    case STATEMENT_ABSORB: return "a layer damps in each step";
    case STATEMENT_EVOLVE: return "a scalar has an equation";
    case STATEMENT_ADVANCE: return "'advance' takes several stages";
    case STATEMENT_CHAOTIC: return "blocks take steps without waiting";
    case STATEMENT_MASK: return "waves do not fit a mask";
    case STATEMENT_BORDER:
        return s->reads_fields || (value && tree_any(value, reads_time))
                   ? "the value of a border changes in time"
                   : NULL;
    case STATEMENT_UPDATE: return NULL;
    case STATEMENT_INITIAL:
        return tree_any(value, reads_time) ? "the start of prev(u) changes in time"
                                           : NULL;
    default: return record_refuses(j, s);
    }
}

static const char *equation_refuses(jump *j)
{
    deriver *d = j->d;
    const expr *all = copy_inlined(d, j->equation->value);

    if (tree_any(all, reads_time))
        return "the equation changes in time";
    if (tree_any(all, reads_sums) || j->equation->transforms)
        return "the equation holds a sum over the grid or along an axis";
    if (tree_degree(all) > 1)
        return "the equation is not linear";
    for (int level = 2; level <= j->equation->symbol->oldest; level++)
        if (tree_reads_level(all, j->equation->symbol, -level))
            return "the equation reads more than one older level";
    for (int axis = 0; axis < d->p->dim; axis++)
        if (axis_stretched(d->p, axis))
            return "waves do not fit a stretched axis";
    return j->equation->every_steps > 1 ? "the equation is not taken in each step" : NULL;
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

/* ---- the equation ------------------------------------------------------------------ */

/* Copies e with `name` in place of a level of u. */
static expr *without(deriver *d, const expr *e, int level, const char *name)
{
    if (e->kind == EXPR_SYMBOL && e->symbol == d->unknown && e->level == level)
        return tree_field(d, name, 0);
    expr *copy = tree_clone(d, e);
    for (int k = 0; k < e->count; k++)
        copy->arg[k] = without(d, e->arg[k], level, name);
    return copy;
}

/* prev(u) must stand there as - prev(u). */
static const char *older_refuses(jump *j, const expr *all)
{
    deriver *d = j->d;

    d->difference = without(d, all, 0, "u");
    form_find(d);
    bool whole = d->form.constant;
    for (int64_t k = 0; k < d->form.count && whole; k++) {
        const int *o = d->form.tap[k].offset;
        whole = d->form.tap[k].value == (o[0] || o[1] || o[2] ? 0 : -1);
    }
    return whole ? NULL : "prev(u) has another factor than -1";
}

/* The change of a step, F - u or F - 2*u + prev(u), as an equation to solve for u. */
static void understand(jump *j, const char *before)
{
    deriver *d = j->d;
    const expr *all = copy_inlined(d, j->equation->value);

    j->wave = tree_reads_level(all, d->unknown, -1);
    if (j->wave)
        refuse(j, j->equation, older_refuses(j, all));
    expr *u = tree_unknown(d, 0), *right = u;
    if (j->wave)
        right = tree_binary(d, OP_SUB,
                            tree_binary(d, OP_MUL, tree_number(d, num_int(2)), u),
                            tree_field(d, before, 0));
    d->left = without(d, all, -1, before);
    d->right = right;
    d->difference = tree_operation(d, OP_SUB, d->left, d->right);
    form_find(d);
    if (!d->form.constant)
        refuse(j, j->equation, "its weights are not the same at all points");
    if (j->wave && operator_sums_to_zero(d) && !d->fixed && d->p->real == PAV_F32)
        refuse(j, j->equation,
               "the mean of a wave without a given value would gather roundings of f32");
    if (operator_sums_to_zero(d)) /* but for roundings; many steps would add them up */
        d->form.sum = 0;
    refuse(j, j->equation, transform_refuses(d));
}

/* ---- the powers -------------------------------------------------------------------- */

/* The sum of n powers by doubling: S(2*n) = S(n)*(2 + s*S(n)), S(n + 1) = 1 + L*S(n). A
 * doubling multiplies relative errors by 2*L^n/(1 + L^n), at most 1 for L in [0, 1]. */
static void declare_doublings(jump *j)
{
    const char *p = j->d->prefix;
    const long long all = j->d->jump;
    int bit = 0, stage = 0;

    while (all >> (bit + 1))
        bit++;
    text_add(&j->d->head, "let %ssum0 = 1\n", p);
    while (bit-- > 0) {
        text_add(&j->d->head, "let %ssum%d = %ssum%d*(2 + %ss*%ssum%d)\n", p, stage + 1,
                 p, stage, p, p, stage);
        stage++;
        if (!(all >> bit & 1))
            continue;
        text_add(&j->d->head, "let %ssum%d = 1 + %sone*%ssum%d\n", p, stage + 1, p, p,
                 stage);
        stage++;
    }
    text_add(&j->d->head, "let %sgain = %ssum%d\n", p, p, stage);
}

/* s is the symbol less 1, e the logarithm of the N-th power of the symbol's size. */
static void declare_logarithms(jump *j)
{
    const char *p = j->d->prefix;
    const long long n = j->d->jump;

    text_add(&j->d->head,
             "let %se = %lld*where(%ss <= -1, log(-%sone), where(%sone == 1, %ss, "
             "log(%sone)*%ss/(%sone - 1)))\n",
             p, n, p, p, p, p, p, p, p);
    text_add(&j->d->head,
             "let %sexp = exp(%se)\n"
             "let %sless = where(%sexp == 1, %se, where(%sexp - 1 == -1, -1, "
             "(%sexp - 1)*%se/log(%sexp)))\n",
             p, p, p, p, p, p, p, p, p);
    text_add(&j->d->head,
             "let %sgain = where(%ss == 0, %lld, where(%ss <= -1, %s%sexp - 1, "
             "%sless)/where(%ss == 0, 1, %ss))\n",
             p, p, n, p, n % 2 ? "-" : "", p, p, p, p);
}

/* Each doubling is in the text twice, so long jumps take logarithms. */
static void declare_powers(jump *j)
{
    enum { MOST_DOUBLED = 4096 };
    const char *p = j->d->prefix;

    text_add(&j->d->head, "let %ss = %s\nlet %sone = 1 + %ss\n", p,
             transform_symbol(j->d), p, p);
    j->d->logarithms = j->d->p->logarithms || j->d->jump > MOST_DOUBLED;
    if (j->d->logarithms)
        declare_logarithms(j);
    else
        declare_doublings(j);
}

/* A step turns a wave by the angle 2*a, where s = -4*sin(a)^2. Names: the two numbers for
 * n steps, with sin(n*a). */
static void declare_turns(jump *j, const char *stem, long long n)
{
    const char *p = j->d->prefix;

    text_add(&j->d->head,
             "let %s%schange = where(%ss == 0, %.17g, where(%scos == 0, (1 %c %lld)/4, "
             "sin(%lld*%sa)*sin(%lld*%sa)/(2*%scos*%sq)))\n",
             p, stem, p, (double)n * (double)(n + 1) / 2, p, n % 2 ? '+' : '-', 2 * n + 1,
             n + 1, p, n, p, p, p);
    text_add(&j->d->head,
             "let %s%sspeed = where(%ss == 0, %lld, where(%scos == 0, %lld, "
             "sin(%lld*%sa)/(2*%scos*sqrt(%sq))))\n",
             p, stem, p, n, p, n % 2 ? n : -n, 2 * n, p, p, p);
}

static void declare_angle(jump *j)
{
    const char *p = j->d->prefix;
    const double few = 16 * (j->d->p->real == PAV_F32 ? FLT_EPSILON : DBL_EPSILON);

    /* roundings leave the ends of the stable range, 0 and 1 */
    text_add(&j->d->head,
             "let %ss = %s\nlet %sraw = -%ss/4\n"
             "let %sq = where(abs(%sraw - 1) < %.3g, 1, where(abs(%sraw) < %.3g, "
             "max(%sraw, 0), %sraw))\n"
             "let %scos = sqrt(1 - %sq)\nlet %sa = atan2(sqrt(%sq), %scos)\n",
             p, transform_symbol(j->d), p, p, p, p, few, p, few, p, p, p, p, p, p, p);
}

/* ---- growth, and a small grid ------------------------------------------------------ */

/* The factor of a step for the wave with this symbol less 1. */
static double factor_of(const jump *j, double s)
{
    const double few = 64 * (j->d->p->real == PAV_F32 ? FLT_EPSILON : DBL_EPSILON);
    const double c = 1 + s / 2;

    return !j->wave                  ? 1 + s
           : s > -4 - few && s < few ? 1
                                     : c + copysign(sqrt(c * c - 1), c);
}

static void write_small(jump *j)
{
    enum { LINE = 16, EDGE = 8 }; /* points along an axis; of three axes */
    deriver *d = j->d;
    text *t = &d->scratch;

    text_add(t, "real %s\ngrid ", pav_type_name(d->p->real));
    for (int axis = 0; axis < d->p->dim; axis++)
        text_add(t, "%s%c %lld", axis ? ", " : "", "xyz"[axis],
                 (long long)int64_least(d->p->axis[axis].points,
                                        d->p->dim == 3 ? EDGE : LINE));
    text_add(t, "\nfield u stored %s = random(1) - 1/2\nu' = %s",
             pav_type_name(d->unknown->storage), j->wave ? "2*u - prev(u)" : "u");
    for (int64_t k = 0; k < d->form.count; k++)
        text_add(t, " + (%.17g)*%s", d->form.tap[k].value,
                 text_at(d, "u", d->form.tap[k].offset));
    text_add(t, "\n");
    for (int face = 0; face < 2 * d->p->dim; face++)
        if (d->rule[face])
            solve_write_border(t, d->rule[face]->border, "u", NULL, face);
    d->small = take_scratch(d);
}

/* ---- the jump ---------------------------------------------------------------------- */

static void write_equations(jump *j, const char *before)
{
    deriver *d = j->d;
    const char *u = d->unknown->name, *p = d->prefix;
    const char *w = transform_waves(d, "w"), *v = transform_waves(d, "v");

    transform_declare(d);
    if (!j->wave) {
        declare_powers(j);
        write_equation(d, w, "%s", transform_turned(d, operator_residual(d, u), false));
        write_equation(
            d, v, "%s",
            transform_turned(d, arena_print(d->arena, "-%sgain*%s'", p, w), true));
        write_equation(d, u, "%s + %s'", u, v);
        return;
    }
    const char *z = transform_waves(d, "z"), *old = transform_waves(d, "o");
    declare_angle(j);
    declare_turns(j, "", j->d->jump);
    declare_turns(j, "last", j->d->jump - 1);
    write_equation(d, w, "%s", transform_turned(d, operator_residual(d, u), false));
    write_equation(
        d, z, "%s",
        transform_turned(d, arena_print(d->arena, "%s - %s", u, before), false));
    write_equation(
        d, v, "%s",
        transform_turned(
            d, arena_print(d->arena, "%sspeed*%s' - %schange*%s'", p, z, p, w), true));
    write_equation(
        d, old, "%s",
        transform_turned(
            d, arena_print(d->arena, "%slastspeed*%s' - %slastchange*%s'", p, z, p, w),
            true));
    write_equation(d, before, "%s + %s'", u, old);
    write_equation(d, u, "%s + %s'", u, v);
}

/* The level before, with the initial value that it has in the description. */
static void declare_before(jump *j, const char *before)
{
    deriver *d = j->d;
    const expr *own = d->unknown->value, *given = NULL;

    for (const statement *s = d->p->first; s; s = s->next)
        if (s->kind == STATEMENT_INITIAL && s->symbol == d->unknown)
            given = s->value;
    if (!given && own && tree_any(copy_inlined(d, own), reads_time))
        refuse(j, j->equation, "the start changes in time and prev(u) is not given");
    text_add(&d->head, "field %s = %s\n", before,
             given ? tree_text(d, given) : d->unknown->name);
}

bool once_keeps(const statement *s)
{
    return s->kind != STATEMENT_UPDATE && s->kind != STATEMENT_STEPS &&
           s->kind != STATEMENT_INITIAL && !s->made;
}

void once_write(deriver *d, text *t)
{
    jump j = {.d = d, .steps = d->solve};
    const bool timed = d->p->dt;

    for (const statement *s = d->p->first; s; s = s->next)
        refuse(&j, s, statement_refuses(&j, s));
    const statement *found = NULL;

    for (const statement *s = j.d->p->first; s; s = s->next) {
        if (s->kind != STATEMENT_UPDATE)
            continue;
        if (found)
            refuse(&j, s, "it has several equations");
        found = s;
    }
    if (!found)
        refuse(&j, j.steps, "no field has an equation");

    j.equation = found;
    d->unknown = j.equation->symbol;
    refuse(&j, j.equation, equation_refuses(&j));
    faces_find(d);
    find_length(&j);
    const char *before = write_name(d, "before");
    understand(&j, before);
    /* The angles of a growing wave are not real. */
    double least, most;
    transform_symbols(j.d, &least, &most);
    const double low = factor_of(&j, least), high = factor_of(&j, most);
    j.d->growth = fabs(low) > fabs(high) ? low : high;
    if (j.wave && fabs(j.d->growth) > 1)
        refuse(&j, j.equation,
               arena_print(j.d->arena, "a wave grows by the factor %.9g in each step",
                           j.d->growth));
    write_small(&j);
    if (j.wave)
        declare_before(&j, before);
    write_equations(&j, before);
    write_borders(d);
    text_add(&d->head, "param %stime = %lld%s\n", d->prefix, (long long)d->jump,
             timed ? "*dt" : "");
    d->about = arena_print(d->arena,
                           "a step is a jump of %lld steps of %s, by transforms",
                           (long long)d->jump, d->unknown->name);
    text_add(t, "# %s\n", d->about);
    for (const statement *s = j.d->p->first; s; s = s->next) {
        if (!once_keeps(s))
            continue;
        statement bare = *s;
        bare.timed = false; /* it is a number of steps by now */
        if (s->every_steps > 0)
            bare.every = tree_number(j.d, num_int(s->every_steps / j.d->jump));
        statement_print(j.d->p, &bare, t);
        text_add(t, "\n");
    }
    text_add(t, "steps %lld\n", (long long)(j.steps->count / j.d->jump));
    write_own(d, t);
}
