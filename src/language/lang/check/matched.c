/* SPDX-License-Identifier: BSD-3-Clause */
/* Perfectly matched layers, convolutional with a shifted frequency (Roden and Gedney
 * 2000; for equations of second order Pasalic and McGarry 2010). In the layer a
 * derivative D along its axis becomes D + m,
 *
 *     m' = b*m + a*D,    b = exp(-(s + w)),    a = s/(s + w)*(b - 1).
 *
 * Here s grows with the cube of the depth, and w falls to 0. A second derivative is the
 * derivative of a first one, so it has two such fields, of central derivatives.
 * Derivatives half a cell off are not used: with them, corners of layers are unstable at
 * orders above 2. Each m is a field of the program, with an equation before its reader,
 * so all schedules and devices support it. Beyond the layer a is 0, and so is m. The
 * added terms there are 0 times their factors, and the original terms are unchanged. */
#include <stdio.h>
#include <string.h>

#include "lang/lang_private.h"

typedef struct matching {
    parser *p;
    const statement *layer;
    statement *equation, **before; /* insertion point of the memory's equations */
    int fields;                    /* of this equation, so far */
} matching;

static expr *stretch(matching *m, expr *e);

static expr *refuse(matching *m, const expr *e, const char *why)
{
    mistake_at(m->p, e->at,
               "absorb by pml: %s; its derivatives have to be dx, dxx or laplace in sums "
               "and products",
               why);
    return NULL;
}

/* ---- trees ------------------------------------------------------------------------- */

static expr *number(const matching *m, num value)
{
    return number_new(m->p, m->layer->at, value);
}

static expr *whole(const matching *m, int64_t value)
{
    return number(m, num_int(value));
}

static expr *op(const matching *m, op_kind kind, expr *a, expr *b)
{
    return expr_binary(m->p, kind, a, b);
}

static expr *call(const matching *m, function_kind function, expr *a, expr *b)
{
    return expr_call(m->p, m->layer->at, function, b ? 2 : 1, (expr *[]){a, b});
}

static expr *value_of(const matching *m, symbol *field, int level)
{
    return expr_make(m->p, m->layer->at,
                     (expr){.kind = EXPR_SYMBOL, .symbol = field, .level = level}, 0,
                     NULL);
}

static expr *derive(const matching *m, expr *arg, int axis, int times, int order,
                    int half)
{
    expr like = {.kind = EXPR_DERIVE, .order = order};

    like.derivative[axis] = times;
    like.half[axis] = half;
    return expr_make(m->p, arg->at, like, 1, &arg);
}

/* The sum of two expressions; NULL stands for 0. */
static expr *sum(const matching *m, expr *a, expr *b)
{
    return !a ? b : !b ? a : op(m, OP_ADD, a, b);
}

/* ---- profiles ---------------------------------------------------------------------- */

/* Distance from the first point, in cells. */
static expr *index_along(const matching *m, int axis)
{
    const axis_grid *g = &m->p->program->axis[axis];
    const expr like = {.kind = EXPR_BUILTIN, .builtin = (builtin_kind)(BUILTIN_X + axis)};
    expr *x = expr_make(m->p, m->layer->at, like, 0, NULL);

    if (!num_is_zero(g->origin))
        x = op(m, OP_SUB, x, number(m, g->origin));
    return num_equal(g->step, num_int(1)) ? x : op(m, OP_DIV, x, number(m, g->step));
}

/* Depth in the layer: 0 up to its inner edge, 1 at the outermost point. half: shifts by
 * half a cell. */
static expr *depth(const matching *m, int axis, unsigned faces, int half)
{
    const int64_t cells = m->layer->cell_count;
    const int64_t last = m->p->program->axis[axis].points - 1;
    expr *deep = whole(m, 0);

    for (int side = 0; side < 2; side++) {
        if (!(faces & FACE_BIT(axis, side)))
            continue;
        const num begin = side ? num_ratio(2 * (cells - last) + half, 2)
                               : num_ratio(2 * cells - half, 2);
        expr *way = op(m, side ? OP_ADD : OP_SUB, number(m, begin), index_along(m, axis));
        deep = call(m, FUNCTION_MAX, deep, op(m, OP_DIV, way, whole(m, cells)));
    }
    return call(m, FUNCTION_MIN, deep, whole(m, 1));
}

/* The damping profile. Its strength was chosen from measured reflections at 0.2 to 0.7
 * cells per step (docs/seismic.md). */
static expr *damping(const matching *m, int axis, unsigned faces, int half)
{
    const num most = num_div(num_mul(num_int(10), m->layer->strength_value),
                             num_int(m->layer->cell_count));

    return op(m, OP_MUL, number(m, most),
              op(m, OP_POW, depth(m, axis, faces, half), whole(m, 3)));
}

static expr *shift(const matching *m, int axis, unsigned faces, int half)
{
    return op(m, OP_MUL, number(m, num_ratio(1, 100)),
              op(m, OP_SUB, whole(m, 1), depth(m, axis, faces, half)));
}

static expr *decay(const matching *m, int axis, unsigned faces, int half)
{
    expr *both = op(m, OP_ADD, damping(m, axis, faces, half),
                    shift(m, axis, faces, half));

    return call(m, FUNCTION_EXP, expr_unary(m->p, OP_NEG, m->layer->at, both), NULL);
}

static expr *layer_gain(const matching *m, int axis, unsigned faces, int half)
{
    expr *both = op(m, OP_ADD, damping(m, axis, faces, half),
                    shift(m, axis, faces, half)),
         *share = op(m, OP_DIV, damping(m, axis, faces, half), both);

    return op(m, OP_MUL, share, op(m, OP_SUB, decay(m, axis, faces, half), whole(m, 1)));
}

/* ---- memory ------------------------------------------------------------------------ */

static bool is_periodic(const matching *m, int axis)
{
    return border_wraps(
        statement_rule(field_border(m->p->program, m->equation->symbol, axis, 0)));
}

static unsigned faces_along(const matching *m, int axis)
{
    const unsigned both = FACE_BIT(axis, 0) | FACE_BIT(axis, 1);
    const unsigned faces = m->layer->faces ? m->layer->faces : (unsigned)FACES_ALL;

    return is_periodic(m, axis) ? 0 : faces & both;
}

/* Twice a derivative, with doubled taps. This expression shares no sum with the equation,
 * so the passes treat the equation exactly like without a layer. */
static expr *twice(const matching *m, const expr *e)
{
    int axis = 0;

    while (e->derivative[axis] == 0)
        axis++;
    return derive(m, op(m, OP_MUL, whole(m, 2), e->arg[0]), axis, e->derivative[axis],
                  e->order, e->half[axis]);
}

/* Adds the memory field of a derivative and of the layer's earlier addition to it (or
 * NULL). Returns the term to add to the equation. The memory holds twice the value. */
static expr *remember(matching *m, const expr *e, expr *added, int axis, int half)
{
    expr *value = sum(m, twice(m, e), added ? op(m, OP_MUL, whole(m, 2), added) : NULL);
    const unsigned faces = faces_along(m, axis);
    char name[80];

    (void)snprintf(name, sizeof name, "%.40s pml %d", m->equation->symbol->name,
                   ++m->fields);
    symbol *field = symbol_hidden(m->p, SYMBOL_FIELD, name, m->layer->at);
    field->storage = m->equation->symbol->storage;
    field->storage_stated = m->equation->symbol->storage_stated;
    field->layered = true;
    field->layer_axis = axis;
    for (int side = 0; side < 2; side++)
        if (faces & FACE_BIT(axis, side))
            field->layer[side] = m->layer->cell_count + (side ? half : 0);
    expr *kept = op(m, OP_MUL, decay(m, axis, faces, half), value_of(m, field, 0)),
         *taken = op(m, OP_MUL, layer_gain(m, axis, faces, half), value);
    /* Adds the borders of a memory field: 0 beyond the faces, or periodic if the
     * equation's field is. They come last, so they override other rules. */
    for (int k = 0; k < m->p->dim; k++) {
        const bool periodic = is_periodic(m, k);
        const statement like = {.kind = STATEMENT_BORDER,
                                .at = m->layer->at,
                                .symbol = field,
                                .slice_axis = -1,
                                .border = periodic ? BORDER_PERIODIC : BORDER_BEYOND,
                                .faces = FACE_BIT(k, 0) | FACE_BIT(k, 1),
                                .value = periodic ? NULL : whole(m, 0)};
        statement **end = m->p->last;
        statement_check(m->p, statement_made(m->p, &end, like), reads_new(m->p));
    }
    equation_made(m->p, &m->before,
                  (statement){.at = m->layer->at,
                              .symbol = field,
                              .value = op(m, OP_ADD, kept, taken)});
    return op(m, OP_MUL, number(m, num_ratio(1, 2)), value_of(m, field, 1));
}

/* ---- derivatives ------------------------------------------------------------------- */

static expr *stretch_second(matching *m, expr *arg, int axis, int order)
{
    if (faces_along(m, axis) == 0)
        return NULL;
    expr *first = remember(m, derive(m, arg, axis, 1, order, 0), NULL, axis, 0);
    expr *inner = derive(m, first, axis, 1, order, 0),
         *second = derive(m, arg, axis, 2, order, 0);
    return op(m, OP_ADD, inner, remember(m, second, inner, axis, 0));
}

/* The addition to a derivative of an expression with additions of its own. */
static expr *stretch_first(matching *m, expr *e, int axis)
{
    expr *inside = stretch(m, e->arg[0]);
    expr *added = inside ? derive(m, inside, axis, 1, e->order, e->half[axis]) : NULL;

    return faces_along(m, axis) == 0
               ? added
               : sum(m, added, remember(m, e, added, axis, e->half[axis] > 0 ? 1 : 0));
}

static expr *stretch_derivative(matching *m, expr *e)
{
    int axis = 0, axes = 0;

    for (int i = 0; i < MAX_DIM; i++)
        if (e->derivative[i] > 0) {
            axis = i;
            axes++;
        }
    if (axes > 1 || e->derivative[axis] > 2)
        return refuse(m, e, "a mixed or higher derivative is not stretched");
    return e->derivative[axis] == 1 ? stretch_first(m, e, axis)
           : stretch(m, e->arg[0])
               ? refuse(m, e, "a second derivative of derivatives is not stretched")
               : stretch_second(m, e->arg[0], axis, e->order);
}

static expr *stretch_laplace(matching *m, expr *e)
{
    expr *all = NULL;

    if (stretch(m, e->arg[0]))
        return refuse(m, e, "a laplace of derivatives is not stretched");
    for (int axis = 0; axis < m->p->dim; axis++)
        all = sum(m, all, stretch_second(m, e->arg[0], axis, e->order));
    return all;
}

/* ---- expressions with derivatives -------------------------------------------------- */

static expr *stretch_product(matching *m, expr *e)
{
    expr *left = stretch(m, e->arg[0]), *right = stretch(m, e->arg[1]);

    if ((left && right) || (right && e->op == OP_DIV))
        return refuse(m, e, "a product or quotient of derivatives is not linear in them");
    return left    ? op(m, e->op, left, e->arg[1])
           : right ? op(m, OP_MUL, e->arg[0], right)
                   : NULL;
}

static expr *stretch_binary(matching *m, expr *e)
{
    if (e->op == OP_MUL || e->op == OP_DIV)
        return stretch_product(m, e);
    expr *left = stretch(m, e->arg[0]), *right = stretch(m, e->arg[1]);
    if ((left || right) && e->op != OP_ADD && e->op != OP_SUB)
        return refuse(m, e, "this is not linear in its derivatives");
    if (right && e->op == OP_SUB)
        right = expr_unary(m->p, OP_NEG, e->at, right);
    return sum(m, left, right);
}

static expr *stretch_others(matching *m, expr *e)
{
    for (int i = 0; i < e->count; i++)
        if (stretch(m, e->arg[i]))
            return refuse(m, e, "a derivative stands inside of this");
    return NULL;
}

/* The addition of a layer to an expression; NULL: none, or a mistake was reported. */
static expr *stretch(matching *m, expr *e)
{
    expr *inner;

    if (m->p->mistakes.count > 0)
        return NULL;
    switch (e->kind) {
    case EXPR_SYMBOL:
        return e->symbol->kind == SYMBOL_LET ? stretch(m, e->symbol->value) : NULL;
    case EXPR_UNARY:
        inner = stretch(m, e->arg[0]);
        return inner ? expr_unary(m->p, e->op, e->at, inner) : NULL;
    case EXPR_BINARY: return stretch_binary(m, e);
    case EXPR_DERIVE: return stretch_derivative(m, e);
    case EXPR_LAPLACE: return stretch_laplace(m, e);
    case EXPR_SHIFT:
    case EXPR_STENCIL:
    case EXPR_TRANSFER:
        return refuse(m, e, "neighbours read one by one are not stretched");
    case EXPR_APPLY: return refuse(m, e, "a let with arguments is not looked into");
    default: return stretch_others(m, e);
    }
}

/* ---- equations --------------------------------------------------------------------- */

/* Adds the layer to the equation at *at. Returns the position behind the equation. */
static statement **match_equation(parser *p, const statement *layer, statement **at)
{
    statement *equation = *at;
    matching m = {p, layer, equation, at, 0};

    if (equation->symbol->coarse) {
        mistake_at(p, layer->at, "absorb by pml: the coarse field '%s' has no such layer",
                   equation->symbol->name);
        return &equation->next;
    }
    p->nodes = 0;
    p->mistakes_before = p->mistakes.count;
    expr *added = stretch(&m, equation->value);
    if (added && p->mistakes.count == 0) {
        equation->written = equation->value;
        equation->value = op(&m, OP_ADD, equation->value, added);
        statement_check_again(p, equation);
    }
    return &equation->next;
}

static const statement *find_layer(parser *p)
{
    const statement *layer = NULL, *other = NULL;

    EACH_STATEMENT(s, p->program)
        if (s->kind == STATEMENT_ABSORB && s->matched && !layer)
            layer = s;
        else if (s->kind == STATEMENT_ABSORB)
            other = s;
    if (layer && other)
        mistake_at(
            p, other->at,
            "a layer by pml is one statement for all faces that absorb, and line %d "
            "has it",
            layer->at.line);
    return layer;
}

/* Refuses stretched axes: the profiles need cells of one size. */
static bool crosses_stretched(parser *p, const statement *layer)
{
    for (int face = 0; face < 2 * p->dim; face++) {
        if ((layer->faces && !(layer->faces >> face & 1)) ||
            !axis_stretched(p->program, face / 2))
            continue;
        mistake_at(p, layer->at,
                   "absorb by pml needs one spacing across its faces, and those along %c "
                   "differ; name other faces, or leave out 'by pml'",
                   axis_letter(p->program, face / 2));
        return true;
    }
    return false;
}

void matched_check(parser *p)
{
    const statement *layer = find_layer(p);

    if (!layer || p->mistakes.count > 0 || crosses_stretched(p, layer))
        return;
    for (statement **at = &p->program->first; *at && p->mistakes.count == 0;)
        at = (*at)->kind == STATEMENT_UPDATE && !(*at)->made
                 ? match_equation(p, layer, at)
                 : &(*at)->next;
    if (p->program->fields.count > MAX_FIELDS)
        mistake_at(p, layer->at,
                   "with those of its layer the program has more than %d fields",
                   MAX_FIELDS);
}
