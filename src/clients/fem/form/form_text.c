/* SPDX-License-Identifier: BSD-3-Clause */
/* Writes expressions of a program on a mesh in the text of an element kernel. Names
 * become their values at a quadrature point, lets are expanded, and vectors are written
 * by components. A form is split into the factors of its test function and of this
 * function's derivatives. */
#include <string.h>

#include "fem/form/form_private.h"

/* The use of an expression: the needed component of a vector, and the needed factor (-1:
 * the whole expression). */
typedef struct aspect {
    int axis, part;
    const form_binding *bound;
} aspect;

typedef void part_writer(form_writer *w, const expr *e, aspect a);
static part_writer write;

/* ---- names ------------------------------------------------------------------------- */

/* The expression behind a name, found through the arguments of lets. */
static const expr *resolved(const expr *e, const form_binding **bound)
{
    while (e->kind == EXPR_SYMBOL && e->symbol->kind == SYMBOL_ARGUMENT) {
        const form_binding *b = *bound;
        while (b && b->argument != e->symbol)
            b = b->next;
        if (!b)
            break;
        e = b->value;
        *bound = b->inside;
    }
    return e;
}

static form_field *field_of(form_writer *w, const symbol *s)
{
    for (int k = 0; k < w->fields; k++)
        if (w->field[k].symbol == s)
            return &w->field[k];
    w->overflow |= w->fields == FORM_FIELDS;
    if (w->overflow)
        return &w->field[0];
    w->field[w->fields].symbol = s;
    return &w->field[w->fields++];
}

static void write_name(form_writer *w, const char *stem, int number)
{
    text_add(w->t, number < 0 ? "%s" : "%s%d", stem, number);
    if (w->point >= 0)
        text_add(w->t, "_q%d", w->point);
}

/* Writes f3_q5, or f3x_q5 for a derivative; axis -1 stands for the value. */
static void write_field(form_writer *w, const symbol *s, int axis)
{
    static const char *const stem[] = {"f", "fx", "fy", "fz"};
    form_field *f = field_of(w, s);

    f->value |= axis < 0;
    f->gradient |= axis >= 0;
    write_name(w, stem[axis + 1], (int)(f - w->field));
}

static void write_builtin(form_writer *w, const expr *e)
{
    static const char *const stem[] = {"px", "py", "pz"};

    if (e->builtin == BUILTIN_PI || w->point < 0) {
        text_add(w->t, "%s", builtin_names[e->builtin]);
        return;
    }
    w->points = true;
    write_name(w, stem[e->builtin - BUILTIN_X], -1);
}

static void write_number(form_writer *w, num value)
{
    text_add(w->t, "(");
    num_print(w->t, value);
    text_add(w->t, ")");
}

/* ---- lets -------------------------------------------------------------------------- */

/* The expression of a let, with its arguments bound in `b`. */
static const expr *body_of(const expr *e, aspect *a, form_binding b[MAX_ARGUMENTS])
{
    for (int k = 0; k < e->count; k++)
        b[k] = (form_binding){e->symbol->argument[k], e->arg[k], a->bound,
                              k > 0 ? &b[k - 1] : NULL};
    a->bound = e->count > 0 ? &b[e->count - 1] : NULL;
    return e->symbol->value;
}

static bool is_let(const expr *e)
{
    return e->kind == EXPR_APPLY ||
           (e->kind == EXPR_SYMBOL && e->symbol->kind == SYMBOL_LET);
}

/* ---- tests for factors ------------------------------------------------------------- */

/* The factor of the test function itself, or of its derivative along an axis. */
static bool is_test_part(const form_writer *w, const expr *e, aspect a, int axis)
{
    const expr *of = axis < 0 ? e : resolved(e->arg[0], &a.bound);

    return w->test && of->kind == EXPR_SYMBOL && of->symbol == w->test &&
           a.part == axis + 1;
}

/* Of a gradient or a derivative. */
static int axis_of(const expr *e, aspect a)
{
    return e->kind == EXPR_GRADIENT ? a.axis
           : e->derivative[0]       ? 0
           : e->derivative[1]       ? 1
                                    : 2;
}

/* True if the factor a.part >= 0 is not 0. */
static bool has_factor(const form_writer *w, const expr *e, aspect a)
{
    form_binding bound[MAX_ARGUMENTS];

    e = resolved(e, &a.bound);
    if (is_let(e))
        return has_factor(w, body_of(e, &a, bound), a);
    switch (e->kind) {
    case EXPR_SYMBOL: return is_test_part(w, e, a, -1);
    case EXPR_GRADIENT:
    case EXPR_DERIVE: return is_test_part(w, e, a, axis_of(e, a));
    case EXPR_DOT:
        for (a.axis = 0; a.axis < 3; a.axis++)
            if (has_factor(w, e->arg[0], a) || has_factor(w, e->arg[1], a))
                return true;
        return false;
    case EXPR_UNARY: return has_factor(w, e->arg[0], a);
    case EXPR_BINARY: return has_factor(w, e->arg[0], a) || has_factor(w, e->arg[1], a);
    default: return false;
    }
}

/* ---- writing ----------------------------------------------------------------------- */

static aspect whole(aspect a)
{
    a.part = -1;
    return a;
}

/* Writes the factor of a product: the factor of the side with the test function, times
 * the whole other side. */
static void write_product(form_writer *w, const expr *l, const expr *r, const char *sign,
                          aspect a)
{
    const bool left = a.part >= 0 && has_factor(w, l, a), right = a.part >= 0 && !left;

    write(w, l, right ? whole(a) : a);
    text_add(w->t, "%s", sign);
    write(w, r, left ? whole(a) : a);
}

static void write_binary(form_writer *w, const expr *e, aspect a)
{
    static const char *const sign[OP_OR + 1] = {
        [OP_MUL] = "*",   [OP_DIV] = "/",     [OP_POW] = "^",   [OP_LT] = " < ",
        [OP_LE] = " <= ", [OP_GT] = " > ",    [OP_GE] = " >= ", [OP_EQ] = " == ",
        [OP_NE] = " != ", [OP_AND] = " and ", [OP_OR] = " or "};

    if (e->op == OP_ADD || e->op == OP_SUB) {
        const bool left = a.part < 0 || has_factor(w, e->arg[0], a),
                   right = a.part < 0 || has_factor(w, e->arg[1], a);
        if (left)
            write(w, e->arg[0], a);
        if (right) {
            text_add(w->t, e->op == OP_SUB ? " - " : left ? " + " : "");
            write(w, e->arg[1], a);
        }
    } else if (e->op == OP_DIV) {
        write(w, e->arg[0], a);
        text_add(w->t, "/");
        write(w, e->arg[1], whole(a));
    } else {
        write_product(w, e->arg[0], e->arg[1], sign[e->op], a);
    }
}

static void write_dot(form_writer *w, const expr *e, aspect a)
{
    const char *before = "";

    for (a.axis = 0; a.axis < 3; a.axis++) {
        if (a.part >= 0 && !has_factor(w, e->arg[0], a) && !has_factor(w, e->arg[1], a))
            continue;
        text_add(w->t, "%s", before);
        write_product(w, e->arg[0], e->arg[1], "*", a);
        before = " + ";
    }
}

static void write_call(form_writer *w, const expr *e, aspect a)
{
    text_add(w->t, "%s(", function_table[e->function].name);
    for (int k = 0; k < e->count; k++) {
        text_add(w->t, k ? ", " : "");
        write(w, e->arg[k], a);
    }
    text_add(w->t, ")");
}

/* Writes numbers known by the caller: measures and reductions. */
static void write_known(form_writer *w, const expr *e, aspect a)
{
    double value = 0;

    if (w->known && w->status == PAV_OK)
        w->status = w->known(w->context, e, a.bound, &value);
    text_add(w->t, "(");
    text_add_double(w->t, value);
    text_add(w->t, ")");
}

static void write_symbol(form_writer *w, const expr *e, aspect a)
{
    if (is_test_part(w, e, a, -1))
        text_add(w->t, "1");
    else if (e->symbol->kind == SYMBOL_MEASURE)
        write_known(w, e, a);
    else if (e->symbol->kind == SYMBOL_PARAM)
        write_number(w, e->symbol->number);
    else
        write_field(w, e->symbol, -1);
}

static void write_slope(form_writer *w, const expr *e, aspect a)
{
    const int axis = axis_of(e, a);

    if (is_test_part(w, e, a, axis))
        text_add(w->t, "1");
    else
        write_field(w, resolved(e->arg[0], &a.bound)->symbol, axis);
}

static void write_unary(form_writer *w, const expr *e, aspect a)
{
    text_add(w->t, e->op == OP_NOT ? "not " : "-");
    write(w, e->arg[0], a);
}

static void write(form_writer *w, const expr *e, aspect a)
{
    form_binding bound[MAX_ARGUMENTS];

    e = resolved(e, &a.bound);
    if (is_let(e)) {
        write(w, body_of(e, &a, bound), a);
        return;
    }
    text_add(w->t, "(");
    static part_writer *const writer_of[EXPR_KINDS] = {
        [EXPR_SYMBOL] = write_symbol,  [EXPR_UNARY] = write_unary,
        [EXPR_BINARY] = write_binary,  [EXPR_CALL] = write_call,
        [EXPR_GRADIENT] = write_slope, [EXPR_DERIVE] = write_slope,
        [EXPR_DOT] = write_dot,        [EXPR_REDUCE] = write_known};
    if (e->kind == EXPR_NUMBER)
        write_number(w, e->number);
    else if (e->kind == EXPR_BUILTIN)
        write_builtin(w, e);
    else if (writer_of[e->kind]) /* the checker refuses all others */
        writer_of[e->kind](w, e, a);
    text_add(w->t, ")");
}

bool form_write_part(form_writer *w, const expr *e, int part)
{
    const aspect a = {.part = part};

    if (!has_factor(w, e, a))
        return false;
    write(w, e, a);
    return true;
}

void form_write_value(form_writer *w, const expr *e, const form_binding *bound)
{
    write(w, e, (aspect){.part = -1, .bound = bound});
}
