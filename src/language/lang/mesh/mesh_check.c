/* SPDX-License-Identifier: BSD-3-Clause */
/* Checks expressions on a mesh, and the linearity of forms: each term of a form must
 * contain the test function once, and the trial function once if the form has one. Lets
 * are inlined with their actual arguments. */
#include <stdio.h>

#include "lang/lang_private.h"

enum { TRIAL, TEST };
enum { MOST_DOTS = 1 /* a dot may stand within MOST_DOTS + 1 others */ };

/* Value of a let's argument. It is checked at each use. */
typedef struct binding {
    const symbol *argument;
    const expr *value;
    const struct binding *inside, *next; /* of the value itself; of this let */
} binding;

typedef struct mesh_traversal {
    parser *p;
    mesh_place where;
    const symbol *form; /* MESH_FORM */
    bool reduced;       /* within max(...) or integral(...) */
    bool cells;         /* within an integral over the volume: gradients exist */
    int dots;           /* number of enclosing dots */
    const binding *bound;
    place reported; /* the use of the inlined let; line 0: none */
} mesh_traversal;

static form_shape shape_of(mesh_traversal *w, const expr *e);

static void report(const mesh_traversal *w, const expr *e, const char *format,
                   const char *word)
{
    char sentence[256];

    (void)snprintf(sentence, sizeof sentence, format, word);
    mistake_at(w->p, w->reported.line ? w->reported : e->at, "%s", sentence);
}

static bool has_points(const mesh_traversal *w)
{
    return w->where != MESH_AFTER || w->reduced;
}

static bool has_gradients(const mesh_traversal *w)
{
    return (w->where == MESH_FORM && !w->form->border) || w->cells;
}

/* ---- names ------------------------------------------------------------------------- */

static form_shape shape_of_builtin(mesh_traversal *w, const expr *e)
{
    const char *name = builtin_names[e->builtin];

    if (e->builtin > BUILTIN_Z && e->builtin != BUILTIN_PI)
        report(w, e, "'%s' belongs to grids; on a mesh there are x, y, z and pi", name);
    else if (e->builtin <= BUILTIN_Z && !has_points(w))
        report(w, e,
               "'%s' differs from point to point and cannot stand here; max, min, sum "
               "and integral can",
               name);
    else if (w->where == MESH_HEIGHT && e->builtin == BUILTIN_Z)
        report(w, e, "a height depends on x and y, not on '%s'", name);
    return (form_shape){0};
}

static form_shape shape_of_field(mesh_traversal *w, const expr *e)
{
    const symbol *s = e->symbol;

    if (!s->notes->bad && !s->value && !s->file && !s->notes->solver)
        report(w, e,
               "'%s' has no value here: no expression and no solve above gives it one",
               s->name);
    else if (w->where == MESH_HEIGHT)
        report(w, e, "the field '%s' cannot stand in a height, which comes before it",
               s->name);
    else if (!has_points(w))
        report(w, e,
               "the field '%s' differs from point to point and cannot stand here; "
               "max, min, sum and integral of it can",
               s->name);
    else if (s->on_cells && !has_gradients(w))
        report(w, e,
               "'%s' has values in cells only: it stands in forms and integrals over the "
               "volume",
               s->name);
    else if (e->level != 0)
        report(w, e, "'%s' has no other levels: nothing changes in time on a mesh",
               s->name);
    return (form_shape){0};
}

static const binding *binding_of(const mesh_traversal *w, const expr *e)
{
    const binding *b = w->bound;

    while (b && (e->kind != EXPR_SYMBOL || b->argument != e->symbol))
        b = b->next;
    return b;
}

/* True for the name of a field on nodes, or of the trial or test function, directly or in
 * a let's argument. */
static bool is_named(const mesh_traversal *w, const expr *e)
{
    mesh_traversal at = *w;
    const binding *b;

    while ((b = binding_of(&at, e))) {
        e = b->value;
        at.bound = b->inside;
    }
    return e->kind == EXPR_SYMBOL &&
           ((e->symbol->kind == SYMBOL_FIELD && !e->symbol->on_cells) ||
            e->symbol->kind == SYMBOL_ARGUMENT);
}

static form_shape shape_of_applied(mesh_traversal *w, const expr *e)
{
    const symbol *let = e->symbol;
    binding b[MAX_ARGUMENTS];
    mesh_traversal inner = *w;

    for (int k = 0; k < e->count; k++)
        b[k] = (binding){let->argument[k], e->arg[k], w->bound, k > 0 ? &b[k - 1] : NULL};
    inner.bound = e->count > 0 ? &b[e->count - 1] : NULL;
    if (!w->reported.line)
        inner.reported = e->at;
    return let->notes->bad ? (form_shape){0} : shape_of(&inner, let->value);
}

static form_shape shape_of_symbol(mesh_traversal *w, const expr *e)
{
    const symbol *s = e->symbol;

    if (s->kind == SYMBOL_FIELD)
        return shape_of_field(w, e);
    if (s->kind == SYMBOL_ARGUMENT) {
        /* Shape of an argument: of a form, its declared shape; of a let, the shape of its
         * value. */
        const binding *b = binding_of(w, e);
        mesh_traversal outer = *w;
        if (!b)
            return e->symbol->notes->shape;
        outer.bound = b->inside;
        return shape_of(&outer, b->value);
    }
    if (s->kind == SYMBOL_LET && !s->notes->bad)
        return shape_of_applied(w, e);
    if (s->kind == SYMBOL_MEASURE ? w->where != MESH_AFTER
                                  : s->kind != SYMBOL_PARAM && !s->notes->bad)
        report(w, e,
               s->kind == SYMBOL_MEASURE ? "the measure '%s' is known only at the end"
                                         : "'%s' cannot stand here",
               s->name);
    return (form_shape){0};
}

/* ---- operations -------------------------------------------------------------------- */

static bool is_constant(form_shape s)
{
    return !s.vector && s.degree[TRIAL] == 0 && s.degree[TEST] == 0;
}

static form_shape shape_of_product(mesh_traversal *w, const expr *e, form_shape a,
                                   form_shape b)
{
    form_shape result = {.vector = a.vector || b.vector};

    if (a.vector && b.vector)
        report(w, e, "the product of two vectors is %s", "dot(a, b)");
    for (int k = 0; k < 2; k++) {
        result.degree[k] = a.degree[k] + b.degree[k];
        if (result.degree[k] > 1) {
            report(w, e,
                   "this product holds the %s function twice: a form is linear in it",
                   k == TRIAL ? "trial" : "test");
            result.degree[k] = 1;
        }
    }
    return result;
}

static form_shape shape_of_binary(mesh_traversal *w, const expr *e)
{
    const form_shape a = shape_of(w, e->arg[0]), b = shape_of(w, e->arg[1]);

    if (e->op == OP_ADD || e->op == OP_SUB) {
        if (a.vector != b.vector)
            report(w, e, "a number and a vector cannot be added%s", "");
        else if (a.degree[TEST] != b.degree[TEST] || a.degree[TRIAL] != b.degree[TRIAL])
            report(
                w, e,
                "one side of this sum holds the %s function, or holds it more often: a "
                "form is linear, and each of its terms has it once",
                a.degree[TEST] != b.degree[TEST] ? "test" : "trial");
        return a;
    }
    if (e->op == OP_MUL)
        return shape_of_product(w, e, a, b);
    if (e->op == OP_DIV && is_constant(b))
        return a;
    if (!is_constant(a) || !is_constant(b))
        report(w, e, "'%s' takes numbers that hold neither trial nor test function",
               operator_table[e->op].sign);
    return (form_shape){0};
}

static form_shape shape_of_call(mesh_traversal *w, const expr *e)
{
    const char *name = function_table[e->function].name;

    if (function_draws(e->function))
        report(w, e, "'%s' belongs to grids", name);
    for (int k = 0; k < e->count; k++)
        if (!is_constant(shape_of(w, e->arg[k])))
            report(w, e,
                   "'%s' takes numbers that hold neither trial nor test function; "
                   "write where(...)*u*v",
                   name);
    return (form_shape){0};
}

/* grad(u), dx(u): of a name. */
static form_shape shape_of_gradient(mesh_traversal *w, const expr *e)
{
    const expr *of = e->arg[0];
    const int orders = e->derivative[0] + e->derivative[1] + e->derivative[2];

    if (!has_gradients(w))
        report(w, e,
               "gradients exist within cells: in forms and integrals over the "
               "volume%s",
               "");
    else if (!is_named(w, of))
        report(w, e,
               "grad, dx, dy and dz take a name, a field on nodes or the trial or test "
               "function%s; write products out",
               "");
    else if (e->kind == EXPR_DERIVE &&
             (orders != 1 || e->order != 2 || e->half[0] || e->half[1] || e->half[2]))
        report(w, e, "on a mesh there are first derivatives, dx(u), dy(u), dz(u)%s", "");
    form_shape shape = shape_of(w, of);
    if (shape.vector)
        report(w, e, "the gradient is taken of a number%s", "");
    shape.vector = e->kind == EXPR_GRADIENT;
    return shape;
}

/* Dots are written out by components, so the size of inner dots is multiplied by three at
 * each level. */
static form_shape shape_of_dot(mesh_traversal *w, const expr *e)
{
    mesh_traversal inner = *w;

    if (inner.dots++ > MOST_DOTS) {
        report(w, e, "dot stands within %s others; give what is inside to a field",
               "two");
        return (form_shape){0};
    }
    form_shape a = shape_of(&inner, e->arg[0]), b = shape_of(&inner, e->arg[1]);
    if (!a.vector || !b.vector)
        report(w, e, "dot takes two vectors, as in dot(grad(u), grad(v))%s", "");
    b.vector = false;
    a = shape_of_product(w, e, a, b);
    a.vector = false;
    return a;
}

static form_shape shape_of_reduction(mesh_traversal *w, const expr *e)
{
    const bool integral = e->reduction == REDUCTION_INTEGRAL;
    mesh_traversal inner = *w;

    if (w->where != MESH_AFTER || w->reduced)
        report(w, e, "'%s' cannot stand here; a measure holds it",
               reduction_names[e->reduction]);
    else if (e->reduction == REDUCTION_NORM)
        report(w, e, "on a mesh a norm is written %s",
               "sqrt(integral(u^2)), or sqrt(sum(u^2)) over the nodes");
    inner.reduced = true;
    inner.cells = integral && !e->border;
    if (shape_of(&inner, e->arg[0]).vector)
        report(w, e, "'%s' takes a number, not a vector", reduction_names[e->reduction]);
    return (form_shape){0};
}

static form_shape shape_of_number(mesh_traversal *w, const expr *e)
{
    return e->kind == EXPR_UNARY ? shape_of(w, e->arg[0]) : (form_shape){0};
}

static form_shape refuse_difference(mesh_traversal *w, const expr *e)
{
    report(w, e, "a mesh has no %s",
           e->kind == EXPR_SHIFT ? "points at an offset, u[1]" : "differences of a grid");
    return (form_shape){0};
}

static form_shape shape_of(mesh_traversal *w, const expr *e)
{
    typedef form_shape shape_finder(mesh_traversal *, const expr *);
    static shape_finder *const find[EXPR_KINDS] = {
        [EXPR_NUMBER] = shape_of_number,    [EXPR_UNARY] = shape_of_number,
        [EXPR_BUILTIN] = shape_of_builtin,  [EXPR_SYMBOL] = shape_of_symbol,
        [EXPR_APPLY] = shape_of_applied,    [EXPR_BINARY] = shape_of_binary,
        [EXPR_CALL] = shape_of_call,        [EXPR_GRADIENT] = shape_of_gradient,
        [EXPR_DERIVE] = shape_of_gradient,  [EXPR_DOT] = shape_of_dot,
        [EXPR_REDUCE] = shape_of_reduction,
    };

    return (find[e->kind] ? find[e->kind] : refuse_difference)(w, e);
}

/* ---- whole ------------------------------------------------------------------------- */

enum { MOST_WRITTEN = 1500 /* operations of one expression, lets in place */ };

static bool is_small(parser *p, const expr *e)
{
    return (e->size <= MOST_WRITTEN && e->height <= MAX_DEPTH) ||
           mistake_at(p, e->at,
                      "on a mesh an expression has at most %d operations, lets written "
                      "out; this one has %lld",
                      MOST_WRITTEN, (long long)e->size);
}

void mesh_expr_check(parser *p, expr *e, bool condition, mesh_place where)
{
    mesh_traversal w = {.p = p, .where = where};

    type_check(p, e, condition);
    if (!statement_is_bad(p) && is_small(p, e) && shape_of(&w, e).vector)
        mistake_at(p, e->at, "a number is needed here; this is a vector");
}

void form_check(parser *p, symbol *form)
{
    mesh_traversal w = {.p = p, .where = MESH_FORM, .form = form};
    const int first = form->arguments == 2 ? TRIAL : TEST;

    type_check(p, form->value, false);
    if (statement_is_bad(p) || !is_small(p, form->value))
        return;
    for (int k = 0; k < form->arguments; k++)
        form->argument[k]->notes->shape.degree[first + k] = 1;
    const form_shape shape = shape_of(&w, form->value);
    if (statement_is_bad(p))
        return;
    if (shape.vector)
        mistake_at(p, form->value->at,
                   "a form is a number; the product of two vectors is dot(a, b)");
    else if (shape.degree[TEST] != 1)
        mistake_at(p, form->value->at, "the form does not hold its test function '%s'",
                   form->argument[form->arguments - 1]->name);
    else if (form->arguments == 2 && shape.degree[TRIAL] != 1)
        mistake_at(p, form->value->at, "the form does not hold its trial function '%s'",
                   form->argument[0]->name);
}

/* Refuses borders of fields without a solve statement. */
static void check_borders(parser *p)
{
    for (int64_t k = 0; k < p->checks; k++) {
        const statement *s = p->check[k].statement;
        if (s->kind == STATEMENT_BORDER && !s->symbol->notes->solver)
            mistake_at(p, s->at, "'%s' is not solved for, so a border does nothing",
                       s->symbol->name);
    }
}

void mesh_program_check(parser *p)
{
    static const place beginning = {1, 1, 1, 0};
    const unsigned work = 1u << STATEMENT_SOLVE | 1u << STATEMENT_OUTPUT |
                          1u << STATEMENT_EXPECT | 1u << STATEMENT_MEASURE;

    p->program->dim = p->dim;
    for (int64_t k = 0; k < p->program->params.count; k++) {
        const symbol *s = p->program->params.item[k];
        if (!s->notes->bad && !s->constant)
            mistake_at(p, s->at,
                       "the param '%s' holds a reduction; on a mesh params are numbers, "
                       "and a measure holds what is taken of fields",
                       s->name);
    }
    if (p->mistakes.count == 0)
        check_borders(p);
    if (p->mistakes.count == 0 && !statements_include(p->program, work))
        mistake_at(p, beginning,
                   "the description asks for nothing: it has no solve, output, measure "
                   "or expect");
    if (p->mistakes.count == 0)
        overwrites_check(p);
    if (p->mistakes.count == 0)
        divisors_check(p);
}
