/* SPDX-License-Identifier: BSD-3-Clause */
/* Expressions made of others: built from parts, or copied. Numbers are folded at once,
 * which keeps the weights short. */
#include <math.h>
#include <string.h>

#include "solve/solve_private.h"

enum { ANY_LEVEL = 1000 };

expr *tree_new(deriver *d, expr_kind kind, int count)
{
    expr *e = arena_alloc(d->arena, 1, sizeof *e);

    *e = (expr){.kind = kind, .count = count};
    e->arg = arena_alloc(d->arena, count + 1, sizeof *e->arg);
    return e;
}

expr *tree_operation(deriver *d, op_kind op, const expr *a, const expr *b)
{
    expr *e = tree_new(d, b ? EXPR_BINARY : EXPR_UNARY, b ? 2 : 1);

    e->op = op;
    memcpy(e->arg, (const void *[]){a, b}, 2 * sizeof(void *));
    return e;
}

expr *tree_number(deriver *d, num value)
{
    expr *e = tree_new(d, EXPR_NUMBER, 0);

    if (num_compare(value, num_int(0)) < 0)
        return tree_negated(d, tree_number(d, num_neg(value)));
    e->number = value;
    return e;
}

expr *tree_call(deriver *d, function_kind function, expr *a, expr *b)
{
    expr *e = tree_new(d, EXPR_CALL, b ? 2 : 1);

    e->function = function;
    e->arg[0] = a;
    e->arg[1] = b;
    return e;
}

expr *tree_where(deriver *d, const expr *condition, expr *yes, expr *no)
{
    expr *e = tree_new(d, EXPR_CALL, 3);

    e->function = FUNCTION_WHERE;
    memcpy(e->arg, (const void *[]){condition, yes, no}, 3 * sizeof(void *));
    return e;
}

expr *tree_field(deriver *d, const char *name, int level)
{
    expr *e = tree_new(d, EXPR_SYMBOL, 0);

    e->symbol = arena_alloc(d->arena, 1, sizeof *e->symbol);
    e->symbol->name = name;
    e->symbol->kind = SYMBOL_FIELD;
    e->symbol->index = -1;
    e->level = level;
    return e;
}

expr *tree_unknown(deriver *d, int level)
{
    expr *e = tree_field(d, d->unknown->name, level);

    e->symbol = (symbol *)(uintptr_t)d->unknown;
    return e;
}

expr *tree_spacing(deriver *d, int axis)
{
    expr *e = tree_new(d, EXPR_BUILTIN, 0);

    e->builtin = BUILTIN_HX + (unsigned)axis;
    if (d->solve && names_begin(d->p, builtin_names[e->builtin], 3))
        solve_fail(d, PAV_EUNSUPPORTED,
                   "the text of the solver reads the spacing %s, and a name of the "
                   "description is the same: change it",
                   builtin_names[e->builtin]);
    return e;
}

/* True if e is a number, positive or negated. */
static bool number_of(const expr *e, num *value)
{
    if (e->kind == EXPR_UNARY && e->op == OP_NEG && e->arg[0]->kind == EXPR_NUMBER) {
        *value = num_neg(e->arg[0]->number);
        return true;
    }
    *value = e->number;
    return e->kind == EXPR_NUMBER;
}

bool tree_is_number(const expr *e, int64_t value)
{
    num n;

    return number_of(e, &n) && num_equal(n, num_int(value));
}

expr *tree_negated(deriver *d, expr *a)
{
    num n;

    return a->kind == EXPR_UNARY && a->op == OP_NEG ? a->arg[0]
           : a->kind != EXPR_NUMBER && number_of(a, &n)
               ? tree_number(d, num_neg(n))
               : tree_operation(d, OP_NEG, a, NULL);
}

/* Simplifies sums with 0 and products with 0 or 1; NULL: not possible. */
static expr *simplified(deriver *d, op_kind op, expr *a, expr *b)
{
    const bool zero = tree_is_number(a, 0);

    if (op == OP_ADD && zero)
        return b;
    if ((op == OP_ADD || op == OP_SUB) && tree_is_number(b, 0))
        return a;
    if (op == OP_SUB && zero)
        return tree_negated(d, b);
    return (op == OP_MUL || op == OP_DIV) && (zero || tree_is_number(b, 1)) ? a
           : op == OP_MUL && (tree_is_number(b, 0) || tree_is_number(a, 1)) ? b
                                                                            : NULL;
}

expr *tree_binary(deriver *d, op_kind op, expr *a, expr *b)
{
    num x, y;
    const bool arithmetic = op >= OP_ADD && op <= OP_DIV;

    if (arithmetic && number_of(a, &x) && number_of(b, &y) &&
        !(op == OP_DIV && tree_is_number(b, 0)))
        return tree_number(d, op == OP_ADD   ? num_add(x, y)
                              : op == OP_SUB ? num_sub(x, y)
                              : op == OP_MUL ? num_mul(x, y)
                                             : num_div(x, y));
    expr *e = arithmetic ? simplified(d, op, a, b) : NULL;
    return e ? e : tree_operation(d, op, a, b);
}

expr *tree_shifted(deriver *d, expr *a, const int *offset)
{
    double value;

    if ((!offset[0] && !offset[1] && !offset[2]) || tree_known(d, a, &value))
        return a;
    expr *e = tree_new(d, EXPR_SHIFT, 1);
    e->arg[0] = a;
    e->order = d->p->dim;
    memcpy(e->offset, offset, sizeof e->offset);
    return e;
}

/* ---- values ------------------------------------------------------------------------ */

double builtin_at(const deriver *d, builtin_kind b, const int64_t *at)
{
    const bool coordinate = b >= BUILTIN_X && b <= BUILTIN_Z,
               width = b >= BUILTIN_HX && b <= BUILTIN_HZ;
    const int axis = coordinate ? (int)b - BUILTIN_X : width ? (int)b - BUILTIN_HX : 0;
    const axis_grid *g = &d->p->axis[axis];

    if (b == BUILTIN_PI)
        return PI;
    if (b >= BUILTIN_IX && b <= BUILTIN_IZ)
        return (double)at[b - BUILTIN_IX];
    if (b >= BUILTIN_NX && b <= BUILTIN_NZ)
        return (double)coarse_extent(d->p, 0, (int)b - BUILTIN_NX);
    if (coordinate && axis_stretched(d->p, axis))
        return axis_coordinate(d->p, axis, 0, at[axis]);
    if (width && axis_stretched(d->p, axis))
        return axis_width(d->p, axis, 0, at[axis]);
    return coordinate ? num_f64(g->origin) + num_f64(g->step) * (double)at[axis]
           : width || b == BUILTIN_H ? num_f64(g->step)
                                     : 0;
}

static bool value_of_builtin(const deriver *d, builtin_kind b, num *value)
{
    const int axis = b == BUILTIN_H ? 0 : (int)b - BUILTIN_HX;

    switch (b) {
    case BUILTIN_H:
    case BUILTIN_HX:
    case BUILTIN_HY:
    case BUILTIN_HZ:
        *value = d->p->axis[axis].step;
        return b == BUILTIN_H || (axis < d->p->dim && !axis_stretched(d->p, axis));
    case BUILTIN_NX:
    case BUILTIN_NY:
    case BUILTIN_NZ:
        *value = num_int(coarse_extent(d->p, 0, (int)b - BUILTIN_NX));
        return true;
    default: *value = num_double(PI); return b == BUILTIN_PI;
    }
}

bool tree_number_of(const deriver *d, const expr *e, num *value)
{
    num of[3] = {{0}};
    bool known = e->count <= 3;

    for (int k = 0; k < e->count && known; k++)
        known = tree_number_of(d, e->arg[k], &of[k]);
    *value = of[0];
    switch (e->kind) {
    case EXPR_NUMBER: *value = e->number; return true;
    case EXPR_BUILTIN: return value_of_builtin(d, e->builtin, value);
    case EXPR_SYMBOL:
        *value = e->symbol->number;
        return e->symbol->kind == SYMBOL_PARAM && e->symbol->constant;
    case EXPR_UNARY: *value = num_neg(of[0]); return known && e->op == OP_NEG;
    case EXPR_BINARY: *value = constant_combine(e->op, of[0], of[1]); return known;
    case EXPR_CALL:
        *value = known ? constant_call(e->function, of) : of[0];
        return known && !function_draws(e->function);
    default: return known && e->kind == EXPR_SHIFT;
    }
}

bool tree_known(const deriver *d, const expr *e, double *value)
{
    num exact;
    const bool known = tree_number_of(d, e, &exact);

    *value = num_f64(exact);
    return known;
}

/* ---- text -------------------------------------------------------------------------- */

const char *take_scratch(deriver *d)
{
    text *t = &d->scratch;

    if (t->failed)
        solve_fail(d, PAV_ENOMEM, "memory ran out");
    const char *result = arena_print(d->arena, "%s", t->data ? t->data : "");
    text_free(t);
    return result;
}

const char *tree_text(deriver *d, const expr *e)
{
    expr_print(e, &d->scratch);
    return take_scratch(d);
}

const char *text_digits(deriver *d, double value)
{
    text_add_double(&d->scratch, value);
    return take_scratch(d);
}

const char *text_at(deriver *d, const char *name, const int *offset)
{
    const char *all = arena_print(d->arena, "%s[%d", name, offset[0]);

    for (int axis = 1; axis < d->p->dim; axis++)
        all = arena_print(d->arena, "%s, %d", all, offset[axis]);
    return arena_print(d->arena, "%s]", all);
}

const char *text_next(deriver *d, const char *name, int axis, int by)
{
    int offset[MAX_DIM] = {0};

    offset[axis] = by;
    return text_at(d, name, offset);
}

const char *text_index(deriver *d, int axis)
{
    return arena_print(d->arena, "(%c - (%s))/h%c + 1/2", "xyz"[axis],
                       text_digits(d, num_f64(d->p->axis[axis].origin)), "xyz"[axis]);
}

/* ---- searches ---------------------------------------------------------------------- */

bool tree_any(const expr *e, bool (*is)(const expr *))
{
    bool found = is(e);

    for (int k = 0; k < e->count && !found; k++)
        found = tree_any(e->arg[k], is);
    return found;
}

bool tree_reads_level(const expr *e, const symbol *s, int level)
{
    bool found = e->kind == EXPR_SYMBOL && e->symbol == s &&
                 (level == ANY_LEVEL || e->level == level);

    for (int k = 0; k < e->count && !found; k++)
        found = tree_reads_level(e->arg[k], s, level);
    return found;
}

bool tree_reads(const expr *e, const symbol *s)
{
    return tree_reads_level(e, s, ANY_LEVEL);
}

/* ---- copies ------------------------------------------------------------------------ */

/* Copies expressions and changes them on the way: lets are inlined; the unknown is
 * replaced by another expression; coefficients are replaced by those of another grid; or
 * only the part linear in the unknown is copied. */

expr *tree_clone(const deriver *d, const expr *e)
{
    expr *c = arena_alloc(d->arena, 1, sizeof *c);

    *c = *e;
    c->arg = arena_alloc(d->arena, e->count + 1, sizeof *c->arg);
    for (int k = 0; k < e->count; k++)
        c->arg[k] = e->arg[k];
    return c;
}

/* The arguments of a let, replaced by name. */
typedef struct env {
    const expr *apply;
    const struct env *outer;
} env;

static expr *inlined(const deriver *d, const expr *e, const env *in)
{
    const symbol *s = e->symbol;

    if (e->kind == EXPR_APPLY)
        return inlined(d, s->value, &(env){e, in});
    if (e->kind == EXPR_SYMBOL && s->kind == SYMBOL_LET)
        return inlined(d, s->value, NULL);
    if (e->kind == EXPR_SYMBOL && s->kind == SYMBOL_ARGUMENT && in)
        return inlined(d, in->apply->arg[s->index], in->outer);
    expr *c = tree_clone(d, e);
    for (int k = 0; k < e->count; k++)
        c->arg[k] = inlined(d, e->arg[k], in);
    return c;
}

expr *copy_inlined(const deriver *d, const expr *e)
{
    return inlined(d, e, NULL);
}

static bool is_unknown(const deriver *d, const expr *e)
{
    return e->kind == EXPR_SYMBOL && e->symbol == d->unknown && e->level == d->level;
}

/* ---- with other fields ------------------------------------------------------------- */

/* A param with the mean of a coefficient. */
static expr *mean_of(deriver *d, const symbol *s)
{
    expr *mean = tree_field(d, arena_print(d->arena, "%smean_%s", d->prefix, s->name), 0);

    mean->symbol->kind = SYMBOL_PARAM;
    if (!d->coefficient[s->index])
        text_add(&d->head, "param %s = sum(%s)/sum(1 + 0*%s)\n", mean->symbol->name,
                 s->name, s->name);
    d->coefficient[s->index] = true;
    return mean;
}

expr *copy_with(deriver *d, const expr *e, const expr *unknown, int coarse)
{
    if (is_unknown(d, e))
        return tree_clone(d, unknown);
    if (e->kind == EXPR_SYMBOL && e->symbol->kind == SYMBOL_FIELD && coarse &&
        e->symbol->index >= 0)
        return coarse == MEAN ? mean_of(d, e->symbol)
                              : tree_field(d, write_coefficient(d, e->symbol, coarse), 0);
    expr *c = tree_clone(d, e);
    if (e->kind == EXPR_REDUCE)
        coarse = 0;
    for (int k = 0; k < e->count; k++)
        c->arg[k] = copy_with(d, e->arg[k], unknown, coarse);
    return c;
}

/* ---- the linear part --------------------------------------------------------------- */

static expr *linear_binary(deriver *d, const expr *e, const expr *unknown, int coarse)
{
    expr *a = copy_linear(d, e->arg[0], unknown, coarse),
         *b = copy_linear(d, e->arg[1], unknown, coarse);

    if (!a && !b)
        return NULL;
    if (e->op == OP_ADD || e->op == OP_SUB) {
        if (a && b)
            return tree_binary(d, e->op, a, b);
        return a ? a : e->op == OP_ADD ? b : tree_negated(d, b);
    }
    return a ? tree_binary(d, e->op, a, copy_with(d, e->arg[1], unknown, coarse))
             : tree_binary(d, e->op, copy_with(d, e->arg[0], unknown, coarse), b);
}

static expr *linear_choice(deriver *d, const expr *e, const expr *unknown, int coarse)
{
    const bool chooses = e->function == FUNCTION_WHERE;
    expr *a = chooses ? copy_linear(d, e->arg[1], unknown, coarse) : NULL,
         *b = chooses ? copy_linear(d, e->arg[2], unknown, coarse) : NULL;

    if (!a && !b)
        return NULL;
    expr *c = tree_clone(d, e);
    c->arg[0] = copy_with(d, e->arg[0], unknown, coarse);
    c->arg[1] = a ? a : tree_number(d, num_int(0));
    c->arg[2] = b ? b : tree_number(d, num_int(0));
    return c;
}

static expr *linear_of_one(deriver *d, const expr *e, const expr *unknown, int coarse)
{
    expr *inner = copy_linear(d, e->arg[0], unknown, coarse);
    expr *c = inner ? tree_clone(d, e) : NULL;

    if (c)
        c->arg[0] = inner;
    return c;
}

/* The weights of a stencil name fields of the finest grid. On coarser grids the stencil
 * is therefore written out in a sum. */
static expr *linear_stencil(deriver *d, const expr *e, const expr *unknown, int coarse)
{
    expr *sum = NULL;

    if (coarse == 0)
        return linear_of_one(d, e, unknown, coarse);
    expr *inner = copy_linear(d, e->arg[0], unknown, coarse);
    for (int k = 0; inner && k < e->symbol->taps; k++) {
        const stencil_tap *t = &e->symbol->tap[k];
        expr *weight = copy_with(d, copy_inlined(d, t->weight), unknown, coarse);
        expr *part = tree_binary(d, OP_MUL, weight, tree_shifted(d, inner, t->offset));
        sum = sum ? tree_binary(d, OP_ADD, sum, part) : part;
    }
    return sum;
}

expr *copy_linear(deriver *d, const expr *e, const expr *unknown, int coarse)
{
    switch (e->kind) {
    case EXPR_SYMBOL: return is_unknown(d, e) ? tree_clone(d, unknown) : NULL;
    case EXPR_UNARY:
    case EXPR_SHIFT:
    case EXPR_DERIVE:
    case EXPR_LAPLACE:
    case EXPR_TRANSFER: return linear_of_one(d, e, unknown, coarse);
    case EXPR_STENCIL: return linear_stencil(d, e, unknown, coarse);
    case EXPR_BINARY: return linear_binary(d, e, unknown, coarse);
    case EXPR_CALL: return linear_choice(d, e, unknown, coarse);
    default: return NULL;
    }
}
