/* SPDX-License-Identifier: BSD-3-Clause */
/* Transposes expressions: reverse-mode differentiation with reversed time. The
 * contributions of all equations to each adjoint are collected and added up. */
#include <math.h>

#include "solve/adjoint/adjoint_private.h"

static expr *whole(deriver *d, int64_t value)
{
    return tree_number(d, num_int(value));
}

/* ---- reversed time ----------------------------------------------------------------- */

/* Rewrites expressions of the description for a step of the adjoint. Time is reversed. A
 * sponge is written out in a factor, so that it can be transposed like any other. */

expr *time_turned(adjoint_deriver *a, const expr *e, const symbol *own, int level,
                  int ahead)
{
    deriver *d = &a->d;
    expr *copy = tree_clone(d, e);

    if (e->kind == EXPR_BUILTIN &&
        (e->builtin == BUILTIN_T || e->builtin == BUILTIN_STEP)) {
        /* (N + ahead)*dt - t, or N + ahead - step */
        expr *last = whole(d, a->result->steps + ahead);
        if (e->builtin == BUILTIN_T && a->p->dt)
            last = tree_binary(d, OP_MUL, last, tree_field(d, a->p->dt->name, 0));
        return tree_binary(d, OP_SUB, last, copy);
    }
    if (e->kind == EXPR_SYMBOL && e->symbol == own)
        copy->level = level;
    for (int k = 0; k < e->count; k++)
        copy->arg[k] = time_turned(a, e->arg[k], own, level, ahead);
    return copy;
}

/* ---- sponges ----------------------------------------------------------------------- */

/* Distance from a face, in cells. */
static expr *distance(adjoint_deriver *a, int axis, int side)
{
    deriver *d = &a->d;
    const axis_grid *g = &a->p->axis[axis];
    expr *x = tree_new(d, EXPR_BUILTIN, 0);

    x->builtin = (builtin_kind)(BUILTIN_X + axis);
    x = tree_binary(d, OP_SUB, x, tree_number(d, g->origin));
    x = tree_binary(d, OP_DIV, x, tree_number(d, g->step));
    return side ? tree_binary(d, OP_SUB, whole(d, g->points - 1), x) : x;
}

static expr *face_factor(adjoint_deriver *a, const statement *s, int axis, unsigned faces)
{
    deriver *d = &a->d;
    expr *near = NULL;

    for (int side = 0; side < 2; side++)
        if (faces & FACE_BIT(axis, side)) {
            expr *one = distance(a, axis, side);
            near = near ? tree_call(d, FUNCTION_MIN, near, one) : one;
        }
    expr *deep = tree_binary(d, OP_SUB, whole(d, s->cell_count), near);
    deep = tree_call(d, FUNCTION_MAX, deep, whole(d, 0));
    expr *part = tree_binary(d, OP_MUL, tree_number(d, s->strength_value), deep);
    part = tree_binary(d, OP_DIV, part, whole(d, s->cell_count));
    expr *square = tree_binary(d, OP_POW, part, whole(d, 2));
    return tree_call(d, FUNCTION_EXP, tree_negated(d, square), NULL);
}

/* Factor of a sponge on the new value of a field; NULL: no sponge. */
static expr *sponge_factor(adjoint_deriver *a, const symbol *field)
{
    expr *all = NULL;

    EACH_STATEMENT(s, a->p) {
        if (s->kind != STATEMENT_ABSORB || s->matched || s->cell_count < 1)
            continue;
        unsigned faces = s->faces; /* without the periodic ones */
        for (int face = 0; face < 2 * a->p->dim; face++) {
            const statement *rule = field_border(a->p, field, face / 2, face % 2);
            if (rule && rule->kind == STATEMENT_BORDER && border_wraps(rule->border))
                faces &= ~(1U << face);
        }
        for (int axis = 0; axis < a->p->dim; axis++)
            if (faces & (FACE_BIT(axis, 0) | FACE_BIT(axis, 1))) {
                expr *one = face_factor(a, s, axis, faces);
                all = all ? tree_binary(&a->d, OP_MUL, all, one) : one;
            }
    }
    return all;
}

expr *damped(adjoint_deriver *a, const symbol *field, int level, expr *value)
{
    expr *factor = level < 0 ? sponge_factor(a, field) : NULL;

    for (int k = level; k < 0 && factor; k++)
        value = tree_binary(&a->d, OP_MUL, factor, value);
    return value;
}

/* ---- derivatives ------------------------------------------------------------------- */

/* Reverse-mode differentiation. The cotangent of a value (its factor) gives the cotangent
 * of each field in the expression. If the value reads a neighbour, the cotangent is read
 * at the opposite neighbour. A Laplacian is therefore its own transpose; a first
 * derivative changes its sign. */

bool transpose_reads(const transposition *t, const expr *e)
{
    bool found = e->kind == EXPR_SYMBOL && e->symbol->kind == SYMBOL_FIELD &&
                 t->is_target(t, e->symbol);

    for (int k = 0; k < e->count && !found; k++)
        found = transpose_reads(t, e->arg[k]);
    return found;
}

static void refuse(const transposition *t, const expr *e, const char *why)
{
    deriver *d = &t->a->d;

    solve_fail(d, PAV_EUNSUPPORTED, "the adjoint of '%s': %s", tree_text(d, e), why);
}

static expr *times(const transposition *t, expr *a, const expr *b)
{
    return tree_binary(&t->a->d, OP_MUL, a, copy_inlined(&t->a->d, b));
}

static expr *over(const transposition *t, expr *a, const expr *b)
{
    return tree_binary(&t->a->d, OP_DIV, a, copy_inlined(&t->a->d, b));
}

/* ---- products ---------------------------------------------------------------------- */

static void of_product(transposition *t, const expr *e, expr *c)
{
    const bool left = transpose_reads(t, e->arg[0]),
               right = transpose_reads(t, e->arg[1]);

    if (t->linear && left && right)
        refuse(t, e, "a product of updated fields is not linear in them");
    if (left)
        transpose(t, e->arg[0], times(t, c, e->arg[1]));
    if (right)
        transpose(t, e->arg[1], times(t, c, e->arg[0]));
}

static void of_quotient(transposition *t, const expr *e, expr *c)
{
    if (transpose_reads(t, e->arg[0]))
        transpose(t, e->arg[0], over(t, c, e->arg[1]));
    if (!transpose_reads(t, e->arg[1]))
        return;
    if (t->linear)
        refuse(t, e, "a division by an updated field is not linear in it");
    transpose(t, e->arg[1], tree_negated(&t->a->d, over(t, times(t, c, e), e->arg[1])));
}

/* base^n: n*base^(n - 1). */
static void of_power(transposition *t, const expr *e, expr *c)
{
    deriver *d = &t->a->d;

    if (t->linear)
        refuse(t, e, "a power of an updated field is not linear in it");
    if (transpose_reads(t, e->arg[1]))
        refuse(t, e, "a field in an exponent is not differentiated");
    expr *less = tree_binary(d, OP_SUB, copy_inlined(d, e->arg[1]), whole(&t->a->d, 1));
    expr *power = copy_inlined(d, e->arg[0]);
    if (!tree_is_number(less, 1))
        power = tree_binary(d, OP_POW, power, less);
    transpose(t, e->arg[0], tree_binary(d, OP_MUL, times(t, c, e->arg[1]), power));
}

static void of_sum(transposition *t, const expr *e, expr *c)
{
    transpose(t, e->arg[0], c);
    transpose(t, e->arg[1], e->op == OP_SUB ? tree_negated(&t->a->d, c) : c);
}

static void of_binary(transposition *t, const expr *e, expr *c)
{
    static transpose_rule *const rule[OP_OR + 1] = {
        [OP_ADD] = of_sum,      [OP_SUB] = of_sum,   [OP_MUL] = of_product,
        [OP_DIV] = of_quotient, [OP_POW] = of_power,
    };

    if (rule[e->op])
        rule[e->op](t, e, c);
    else
        refuse(t, e, "a condition on a field has no derivative");
}

/* ---- functions --------------------------------------------------------------------- */

static void of_where(transposition *t, const expr *e, expr *c)
{
    deriver *d = &t->a->d;
    const expr *condition = copy_inlined(d, e->arg[0]);

    if (transpose_reads(t, e->arg[0]))
        refuse(t, e, "a condition on a field has no derivative");
    transpose(t, e->arg[1], tree_where(d, condition, c, whole(&t->a->d, 0)));
    transpose(t, e->arg[2], tree_where(d, condition, whole(&t->a->d, 0), c));
}

static expr *compared(transposition *t, op_kind op, const expr *a, const expr *b)
{
    deriver *d = &t->a->d;
    expr *e = tree_operation(d, op, copy_inlined(d, a), copy_inlined(d, b));

    e->boolean = true;
    return e;
}

/* The derivative of a function with one argument. */
static expr *slope(transposition *t, const expr *e)
{
    deriver *d = &t->a->d;
    expr *x = copy_inlined(d, e->arg[0]), *self = copy_inlined(d, e);
    expr *square = tree_binary(d, OP_MUL, self, self);
    expr *one = whole(d, 1), *x_square = tree_binary(d, OP_MUL, x, x);
    expr *arc = tree_call(d, FUNCTION_SQRT, tree_binary(d, OP_SUB, one, x_square), NULL);

    switch (e->function) {
    case FUNCTION_SQRT:
        return tree_binary(d, OP_DIV, tree_number(d, num_ratio(1, 2)), self);
    case FUNCTION_EXP: return self;
    case FUNCTION_LOG: return tree_binary(d, OP_DIV, one, x);
    case FUNCTION_LOG10:
        return tree_binary(d, OP_DIV, tree_number(d, num_double(1 / log(10))), x);
    case FUNCTION_SIN: return tree_call(d, FUNCTION_COS, x, NULL);
    case FUNCTION_COS: return tree_negated(d, tree_call(d, FUNCTION_SIN, x, NULL));
    case FUNCTION_TAN: return tree_binary(d, OP_ADD, one, square);
    case FUNCTION_ASIN: return tree_binary(d, OP_DIV, one, arc);
    case FUNCTION_ACOS: return tree_negated(d, tree_binary(d, OP_DIV, one, arc));
    case FUNCTION_ATAN:
        return tree_binary(d, OP_DIV, one, tree_binary(d, OP_ADD, one, x_square));
    case FUNCTION_SINH: return tree_call(d, FUNCTION_COSH, x, NULL);
    case FUNCTION_COSH: return tree_call(d, FUNCTION_SINH, x, NULL);
    case FUNCTION_TANH: return tree_binary(d, OP_SUB, one, square);
    case FUNCTION_CBRT:
        return tree_binary(d, OP_DIV, tree_number(d, num_ratio(1, 3)), square);
    case FUNCTION_ERF:
        return tree_binary(d, OP_MUL, tree_number(d, num_double(2 / sqrt(PI))),
                           tree_call(d, FUNCTION_EXP, tree_negated(d, x_square), NULL));
    case FUNCTION_SINC: {
        /* (cos(pi*x) - sinc(x))/x; 0 at 0 */
        expr *angle = tree_binary(d, OP_MUL, tree_number(d, num_double(PI)), x);
        expr *lead = tree_call(d, FUNCTION_COS, angle, NULL);
        return tree_where(d, compared(t, OP_EQ, e->arg[0], whole(d, 0)), whole(d, 0),
                          tree_binary(d, OP_DIV, tree_binary(d, OP_SUB, lead, self), x));
    }
    default: refuse(t, e, "this function has no derivative here"); return NULL;
    }
}

/* atan2, hypot and mod. */
static void of_pair(transposition *t, const expr *e, expr *c)
{
    deriver *d = &t->a->d;
    expr *a = copy_inlined(d, e->arg[0]), *b = copy_inlined(d, e->arg[1]);
    expr *slope_a = NULL, *slope_b = NULL;

    if (e->function == FUNCTION_MOD) {
        slope_a = whole(d, 1);
        slope_b = tree_negated(
            d, tree_call(d, FUNCTION_FLOOR, tree_binary(d, OP_DIV, a, b), NULL));
    } else if (e->function == FUNCTION_HYPOT) {
        slope_a = over(t, a, e);
        slope_b = over(t, b, e);
    } else {
        expr *size = tree_binary(d, OP_ADD, tree_binary(d, OP_MUL, a, a),
                                 tree_binary(d, OP_MUL, b, b));
        slope_a = tree_binary(d, OP_DIV, b, size);
        slope_b = tree_negated(d, tree_binary(d, OP_DIV, a, size));
    }
    transpose(t, e->arg[0], tree_binary(d, OP_MUL, c, slope_a));
    transpose(t, e->arg[1], tree_binary(d, OP_MUL, c, slope_b));
}

static void of_call(transposition *t, const expr *e, expr *c)
{
    deriver *d = &t->a->d;

    if (e->function == FUNCTION_WHERE) {
        of_where(t, e, c);
        return;
    }
    if (t->linear)
        refuse(t, e, "a function of an updated field is not linear in it");
    if (e->function == FUNCTION_POW) {
        of_power(t, e, c);
    } else if (e->function == FUNCTION_MIN || e->function == FUNCTION_MAX) {
        /* min and max: the cotangent goes to the chosen argument. */
        const op_kind op = e->function == FUNCTION_MIN ? OP_LT : OP_GT;
        const expr *first = compared(t, op, e->arg[0], e->arg[1]);
        transpose(t, e->arg[0], tree_where(&t->a->d, first, c, whole(&t->a->d, 0)));
        transpose(t, e->arg[1], tree_where(&t->a->d, first, whole(&t->a->d, 0), c));
    } else if (e->function == FUNCTION_ATAN2 || e->function == FUNCTION_HYPOT ||
               e->function == FUNCTION_MOD) {
        of_pair(t, e, c);
    } else if (e->function == FUNCTION_ABS) {
        const expr *below = compared(t, OP_LT, e->arg[0], whole(d, 0));
        transpose(t, e->arg[0], tree_where(d, below, tree_negated(d, c), c));
    } else {
        transpose(t, e->arg[0], tree_binary(d, OP_MUL, c, slope(t, e)));
    }
}

/* ---- neighbours -------------------------------------------------------------------- */

static expr *moved_back(transposition *t, expr *c, const int *offset)
{
    int back[MAX_DIM];

    for (int axis = 0; axis < MAX_DIM; axis++)
        back[axis] = -offset[axis];
    return tree_shifted(&t->a->d, c, back);
}

static void of_stencil(transposition *t, const expr *e, expr *c)
{
    expr *all = NULL;
    deriver *d = &t->a->d;

    for (int k = 0; k < e->symbol->taps; k++) {
        const stencil_tap *tap = &e->symbol->tap[k];
        if (transpose_reads(t, copy_inlined(d, tap->weight)))
            refuse(t, e, "a field in the weights of a stencil is not differentiated");
        expr *one = moved_back(t, times(t, c, tap->weight), tap->offset);
        all = all ? tree_binary(d, OP_ADD, all, one) : one;
    }
    if (all)
        transpose(t, e->arg[0], all);
}

/* The transpose is the same difference of the cotangent, with half-cell offsets to the
 * other side. Odd derivatives change their sign. */
static void of_difference(transposition *t, const expr *e, expr *c)
{
    expr *same = tree_new(&t->a->d, e->kind, 1);
    int times_derived = 0;

    same->order = e->order;
    for (int axis = 0; axis < MAX_DIM; axis++) {
        same->derivative[axis] = e->derivative[axis];
        same->half[axis] = -e->half[axis];
        times_derived += e->derivative[axis];
    }
    const bool odd = e->kind == EXPR_DERIVE && times_derived % 2;
    same->arg[0] = odd ? tree_negated(&t->a->d, c) : c;
    transpose(t, e->arg[0], same);
}

static void of_negation(transposition *t, const expr *e, expr *c)
{
    transpose(t, e->arg[0], tree_negated(&t->a->d, c));
}

static void of_shift(transposition *t, const expr *e, expr *c)
{
    transpose(t, e->arg[0], moved_back(t, c, e->offset));
}

void transpose(transposition *t, const expr *e, expr *c)
{
    static transpose_rule *const rule[EXPR_KINDS] = {
        [EXPR_UNARY] = of_negation,    [EXPR_BINARY] = of_binary,
        [EXPR_CALL] = of_call,         [EXPR_SHIFT] = of_shift,
        [EXPR_STENCIL] = of_stencil,   [EXPR_DERIVE] = of_difference,
        [EXPR_LAPLACE] = of_difference};

    if (!transpose_reads(t, e))
        return;
    if (e->kind == EXPR_SYMBOL)
        t->take(t, e, c);
    else if (rule[e->kind])
        rule[e->kind](t, e, c);
    else
        refuse(t, e,
               e->kind == EXPR_REDUCE ? "a value of all points has no adjoint here"
                                      : "a transfer between grids has no adjoint here");
}

void transpose_equation(transposition *t, const adjoint_part *part)
{
    adjoint_deriver *a = t->a;
    expr *own = tree_field(&a->d, part->name, 0);
    expr *factor = sponge_factor(a, part->field);

    a->own = own->symbol;
    a->d.solve = part->equation;
    transpose(t, part->value, factor ? tree_binary(&a->d, OP_MUL, factor, own) : own);
}

/* ---- contributions ----------------------------------------------------------------- */

/* Collects the contributions of each equation to the adjoints of the fields in it, and
 * adds them up. */

static bool is_updated(const transposition *t, const symbol *field)
{
    (void)t;
    return field->updated;
}

/* t->user is the part of the transposed equation. */
static void contribute(transposition *t, const expr *leaf, expr *cotangent)
{
    adjoint_deriver *a = t->a;

    ARENA_ADD(a->d.arena, a->contribution, a->contributions, a->room) = (contribution){
        t->user, adjoint_part_of(a, leaf->symbol), a->own, leaf->level, cotangent};
}

void contributions_take(adjoint_deriver *a)
{
    for (int64_t k = 0; k < a->parts; k++) {
        transposition t = {.a = a,
                           .linear = true,
                           .is_target = is_updated,
                           .take = contribute,
                           .user = &a->part[k]};
        transpose_equation(&t, &a->part[k]);
    }
}
