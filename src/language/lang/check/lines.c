/* SPDX-License-Identifier: BSD-3-Clause */
/* Line operations: running sums, tridiagonal systems, and sums or extremes along an axis.
 * Each becomes fields of the program with equations before their reader. Such an equation
 * reads its own new value at the point before, so its points are computed in order along
 * the axis. The order and the roundings are therefore those of the equations:
 *
 *     scan(a, b along x)           s' = a*s'[-1] + b; before the first point s is 0
 *     sum(e along x)               s' = e + s'[-1]; then the last s is passed down
 *     tridiagonal(a, b, c, d ...)  f' = c/(b - a*f'[-1]); g' = (d - a*g'[-1])/(the same);
 *                                  then down: u' = g' - f'*u'[1]
 *     tridiagonal(... cyclic)      close_ring
 *
 * Right sides with the same matrix share f, the quotient 1/(b - a*f'[-1]), and a ring's
 * values of the matrix.
 *
 * A transform along an axis changes the new values in their place, after the equation
 * (statement.transform).
 *
 * A line has the points at which the reader's field is updated. */
#include <stdio.h>
#include <string.h>

#include "lang/lang_private.h"

const char *const line_names[LINE_KINDS] = {"scan", "tridiagonal", "sum",
                                            "min",  "max",         "transform"};

/* The fields of a matrix. A ring has all of them, other lines the first two. If no stage
 * loads the quotient, the plan drops its field (ir_tabulate_lines). */
typedef struct factors {
    const char *matrix;   /* a, b, c and the axis as text */
    const symbol *reader; /* of the first right side */
    symbol *upper, *quotient, *before, *last_upper, *lean;
    struct factors *next;
} factors;

typedef struct lining {
    parser *p;
    factors **known;               /* of all equations so far */
    statement *equation, **before; /* insertion point of new equations */
    bool direct; /* the equation itself may compute the last field of an operation */
    int fields;  /* of this equation, so far */
} lining;

/* ---- trees ------------------------------------------------------------------------- */

static expr *number(const lining *m, const expr *e, int64_t value)
{
    return number_new(m->p, e->at, num_int(value));
}

/* The new value of a field, `by` points farther on along the axis. */
static expr *new_value(const lining *m, const expr *e, symbol *field, int by)
{
    expr shift = {.kind = EXPR_SHIFT, .order = m->p->dim};
    expr *value = expr_make(
        m->p, e->at, (expr){.kind = EXPR_SYMBOL, .symbol = field, .level = 1}, 0, NULL);

    shift.offset[e->axis] = by;
    return by == 0 ? value : expr_make(m->p, e->at, shift, 1, &value);
}

static expr *smaller_or_larger(const lining *m, const expr *e, expr *a, expr *b)
{
    return expr_call(m->p, e->at, e->line == LINE_SMALLEST ? FUNCTION_MIN : FUNCTION_MAX,
                     2, (expr *[]){a, b});
}

static expr *op(const lining *m, op_kind kind, expr *a, expr *b)
{
    return expr_binary(m->p, kind, a, b);
}

/* ---- fields and equations ---------------------------------------------------------- */

static symbol *add_field(lining *m, const expr *e)
{
    const symbol *reader = m->equation->symbol;
    char name[80];

    (void)snprintf(name, sizeof name, "%.40s %s %d", reader->name, line_names[e->line],
                   ++m->fields);
    symbol *field = symbol_hidden(m->p, SYMBOL_FIELD, name, e->at);
    field->storage = m->p->program->real;
    field->storage_stated = true;
    field->coarse = reader->coarse;
    field->updated = true;
    field->line_of = reader;
    return field;
}

static void add_equation(lining *m, const expr *e, symbol *field, expr *value, bool down,
                         expr *edge)
{
    equation_made(m->p, &m->before,
                  (statement){.at = e->at,
                              .symbol = field,
                              .value = value,
                              .along = (down ? -1 : 1) * (e->axis + 1),
                              .edge = edge});
}

/* The last equation of an operation, and its value. If possible, the reader's own
 * equation computes it. */
static expr *finish(lining *m, const expr *e, symbol *field, expr *value, bool down,
                    expr *edge)
{
    if (field == m->equation->symbol) {
        m->equation->along = (down ? -1 : 1) * (e->axis + 1);
        m->equation->edge = edge;
        return value;
    }
    add_equation(m, e, field, value, down, edge);
    return new_value(m, e, field, 0);
}

/* ---- operations -------------------------------------------------------------------- */

static expr *scan(lining *m, const expr *e, expr *const *arg, symbol *result)
{
    symbol *sums = e->exclusive ? add_field(m, e) : result;
    const int before = e->down ? 1 : -1;
    expr *last = new_value(m, e, sums, before);
    expr *value = e->count == 2 ? op(m, OP_ADD, op(m, OP_MUL, arg[0], last), arg[1])
                                : op(m, OP_ADD, last, arg[0]);

    if (!e->exclusive)
        return finish(m, e, sums, value, e->down, number(m, e, 0));
    add_equation(m, e, sums, value, e->down, number(m, e, 0));
    return finish(m, e, result, new_value(m, e, sums, before), e->down, number(m, e, 0));
}

static expr *gather(lining *m, const expr *e, expr *arg, symbol *result)
{
    symbol *part = add_field(m, e);
    expr *last = new_value(m, e, part, -1);

    if (e->line == LINE_SUM)
        add_equation(m, e, part, op(m, OP_ADD, last, arg), false, number(m, e, 0));
    else
        add_equation(m, e, part, smaller_or_larger(m, e, last, arg), false, arg);
    return finish(m, e, result, new_value(m, e, result, 1), true,
                  new_value(m, e, part, 0));
}

/* A ring: u = g - h*last - f*u[1]. At the last point follows last = gl - fl*first, with
 * gl = g/(1 + h) and fl = f/(1 + h). Both go down, and so do the sums of
 * u = level + lean*first. At the first point follows first = level/(1 - lean); it goes
 * up. */
static expr *close_ring(lining *m, const expr *e, expr *a, factors *of, symbol *right,
                        symbol *result)
{
    const bool shared = of->before;

    if (!shared) {
        of->before = add_field(m, e);
        of->last_upper = add_field(m, e);
        of->lean = add_field(m, e);
    }
    symbol *last_right = add_field(m, e), *level = add_field(m, e),
           *first = result == m->equation->symbol ? add_field(m, e) : result;
    expr *f = new_value(m, e, of->upper, 0), *g = new_value(m, e, right, 0),
         *h = new_value(m, e, of->before, 0), *one = number(m, e, 1);
    expr *all = op(m, OP_ADD, one, h);

    if (!shared) {
        expr *share = op(m, OP_MUL, a, new_value(m, e, of->before, -1));
        add_equation(m, e, of->before,
                     op(m, OP_MUL, op(m, OP_SUB, number(m, e, 0), share),
                        new_value(m, e, of->quotient, 0)),
                     false, number(m, e, -1));
        add_equation(m, e, of->last_upper, new_value(m, e, of->last_upper, 1), true,
                     op(m, OP_DIV, f, all));
        expr *rest = op(m, OP_MUL, h, new_value(m, e, of->last_upper, 0));
        add_equation(m, e, of->lean,
                     op(m, OP_SUB, rest, op(m, OP_MUL, f, new_value(m, e, of->lean, 1))),
                     true, one);
    }
    add_equation(m, e, last_right, new_value(m, e, last_right, 1), true,
                 op(m, OP_DIV, g, all));
    expr *rest = op(m, OP_SUB, g, op(m, OP_MUL, h, new_value(m, e, last_right, 0)));
    add_equation(m, e, level,
                 op(m, OP_SUB, rest, op(m, OP_MUL, f, new_value(m, e, level, 1))), true,
                 number(m, e, 0));
    expr *sum = new_value(m, e, level, 0), *share = new_value(m, e, of->lean, 0);
    add_equation(m, e, first, new_value(m, e, first, -1), false,
                 op(m, OP_DIV, sum, op(m, OP_SUB, one, share)));
    return op(m, OP_ADD, sum, op(m, OP_MUL, share, new_value(m, e, first, 0)));
}

static bool gives_face(const lining *m, const symbol *field, int face)
{
    const statement *s = field_border(m->p->program, field, face / 2, face % 2);

    return s && (border_rules[statement_rule(s)].has_face || parts_give_face(s));
}

/* True if the same points of both fields are updated. */
static bool same_lines(const lining *m, const symbol *a, const symbol *b)
{
    for (int face = 0; face < 2 * m->p->dim; face++)
        if (gives_face(m, a, face) != gives_face(m, b, face))
            return false;
    return a->coarse == b->coarse;
}

/* The factors of the matrix, if it has any so far; otherwise new ones, without fields. */
static factors *factors_of(lining *m, const expr *e, expr *const *arg)
{
    factors **at = m->known;
    OWNED_BY(text_free) text t = {0};

    for (int k = 0; k < 3; k++) {
        expr_print(arg[k], &t);
        text_add(&t, " %d %d ", e->axis, e->down);
    }
    while (!t.failed && *at &&
           (strcmp((*at)->matrix, t.data) != 0 ||
            !same_lines(m, (*at)->reader, m->equation->symbol)))
        at = &(*at)->next;
    if (*at)
        return *at;
    *at = arena_alloc(m->p->arena, 1, sizeof **at);
    **at = (factors){.matrix = arena_copy(m->p->arena, t.data, (size_t)t.length),
                     .reader = m->equation->symbol};
    return *at;
}

static expr *tridiagonal(lining *m, const expr *e, expr *const *arg, symbol *result)
{
    factors *of = factors_of(m, e, arg);
    const bool shared = of->upper;

    of->upper = shared ? of->upper : add_field(m, e);
    of->quotient = shared ? of->quotient : add_field(m, e);
    symbol *upper = of->upper, *right = add_field(m, e);
    upper->pivots_along = e->axis + 1;
    expr *pivot = op(m, OP_SUB, arg[1],
                     op(m, OP_MUL, arg[0], new_value(m, e, upper, -1))),
         *inverse = op(m, OP_DIV, number(m, e, 1), pivot),
         *rest = op(m, OP_SUB, arg[3], op(m, OP_MUL, arg[0], new_value(m, e, right, -1)));

    if (!shared) {
        add_equation(m, e, upper, op(m, OP_MUL, arg[2], inverse), false, number(m, e, 0));
        /* an edge replaces all values before the first point: others read no f[-1] */
        add_equation(m, e, of->quotient, inverse, false, number(m, e, 0));
    }
    add_equation(m, e, right, op(m, OP_MUL, rest, new_value(m, e, of->quotient, 0)),
                 false, number(m, e, 0));
    if (e->down)
        return close_ring(m, e, arg[0], of, right, result);
    expr *next = op(m, OP_MUL, new_value(m, e, upper, 0), new_value(m, e, result, 1));
    return finish(m, e, result, op(m, OP_SUB, new_value(m, e, right, 0), next), true,
                  number(m, e, 0));
}

/* ---- expressions with operations --------------------------------------------------- */

static expr *extract(lining *m, expr *e, const char *within);

/* A copy of the expression with other arguments; the expression itself if they are the
 * same. */
static expr *with_arguments(lining *m, expr *e, const char *within)
{
    expr *arg[MAX_ARGUMENTS] = {NULL};
    bool changed = false;

    for (int i = 0; i < e->count; i++) {
        arg[i] = extract(m, e->arg[i], within);
        changed = changed || arg[i] != e->arg[i];
    }
    return changed ? expr_make(m->p, e->at, *e, e->count, arg) : e;
}

static expr *extract_line(lining *m, expr *e)
{
    const bool direct = m->direct && e == m->equation->value;
    expr *arg[MAX_ARGUMENTS] = {NULL};

    if (e->line == LINE_TRANSFORM)
        mistake_at(m->p, e->at, "a transform is the value of its equation, not a part");
    for (int i = 0; i < e->count; i++)
        arg[i] = extract(m, e->arg[i], NULL);
    if (m->p->mistakes.count > m->p->mistakes_before)
        return e;
    symbol *result = direct ? m->equation->symbol : add_field(m, e);
    switch (e->line) {
    case LINE_SCAN: return scan(m, e, arg, result);
    case LINE_TRIDIAGONAL: return tridiagonal(m, e, arg, result);
    default: return gather(m, e, arg[0], result);
    }
}

/* Operations within lets without arguments stand in the place of their use. */
static expr *extract(lining *m, expr *e, const char *within)
{
    switch (e->kind) {
    case EXPR_SYMBOL: {
        const reads *within_let = e->symbol->notes->reads;
        if (e->symbol->kind != SYMBOL_LET || !e->symbol->value ||
            (within_let && !within_let->use[USE_LINE].name))
            return e;
        expr *value = extract(m, e->symbol->value, within);
        return value == e->symbol->value ? e : value;
    }
    case EXPR_APPLY: {
        const use *u = &e->symbol->notes->reads->use[USE_LINE];
        if (e->symbol->notes->reads && u->name)
            mistake_at(m->p, u->at,
                       "a let with arguments holds no operation along an "
                       "axis; write it in the equation, or use fields");
        return with_arguments(m, e, "an argument of a let");
    }
    case EXPR_SHIFT: return with_arguments(m, e, "an expression read at another point");
    case EXPR_STENCIL:
    case EXPR_DERIVE:
    case EXPR_LAPLACE: return with_arguments(m, e, "an expression read at neighbours");
    case EXPR_TRANSFER: return with_arguments(m, e, "'restrict' or 'interpolate'");
    case EXPR_REDUCE: return with_arguments(m, e, "a sum over the grid");
    case EXPR_LINE:
        if (!within)
            return extract_line(m, e);
        mistake_at(
            m->p, e->at,
            "an operation along an axis cannot stand in %s; give it to a field, as "
            "in s' = %s(...), and read that field",
            within, line_names[e->line]);
        return e;
    default: return with_arguments(m, e, within);
    }
}

/* ---- equations --------------------------------------------------------------------- */

static bool is_own(const statement *s, const reads *r)
{
    for (int64_t i = 0; i < r->count; i++)
        if (r->item[i].symbol == s->symbol && r->item[i].level == 1)
            return true;
    return false;
}

static const checked *check_of(const parser *p, const statement *s)
{
    for (int64_t i = 0; i < p->checks; i++)
        if (p->check[i].statement == s)
            return &p->check[i];
    return NULL;
}

/* Returns the position behind the equation. */
static statement **line_equation(parser *p, statement **at, bool direct, factors **known)
{
    statement *equation = *at;
    const checked *c = check_of(p, equation);
    lining m = {
        .p = p, .known = known, .equation = equation, .before = at, .direct = direct};

    if (!c || !c->reads->use[USE_LINE].name)
        return &equation->next;
    if (is_own(equation, c->reads)) /* levels_check reports it */
        return &equation->next;
    p->nodes = 0;
    p->mistakes_before = p->mistakes.count;
    const expr *written = equation->value;
    /* Takes the transforms off the equation's value; the innermost one comes first. */
    int count = 0, found[MAX_DIM];
    expr *e = equation->value;
    for (; e->kind == EXPR_LINE && e->line == LINE_TRANSFORM && count < MAX_DIM;
         e = e->arg[0])
        found[count++] = (e->down ? -1 : 1) * (e->axis + 1) + e->exclusive * MAX_DIM;
    equation->value = e;
    while (count > 0)
        equation->transform[equation->transforms++] = found[--count];
    expr *value = extract(&m, equation->value, NULL);
    if (p->mistakes.count > p->mistakes_before)
        return &equation->next;
    equation->written = written;
    equation->value = value;
    statement_check_again(p, equation);
    return &equation->next;
}

void lines_check(parser *p)
{
    const unsigned changing = 1u << STATEMENT_MASK | 1u << STATEMENT_ABSORB;
    /* where a field keeps its value, is damped or flushed, a line does not */
    const bool direct = !statements_include(p->program, changing) &&
                        p->program->tiny.v <= 0;
    factors *known = NULL;

    for (statement **at = &p->program->first; *at && p->mistakes.count == 0;)
        at = (*at)->kind == STATEMENT_UPDATE ? line_equation(p, at, direct, &known)
                                             : &(*at)->next;
    if (p->program->fields.count > MAX_FIELDS)
        mistake_at(p, p->grid->at,
                   "with those of its operations along axes the program has more than %d "
                   "fields",
                   MAX_FIELDS);
}
