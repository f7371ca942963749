/* SPDX-License-Identifier: BSD-3-Clause */
/* Measures, outputs, and equations to solve. */
#include <string.h>

#include "lang/lang_private.h"

/* ---- measures, outputs -------------------------------------------------------------------- */

void measure_parse(parser *p, place at)
{
    if (p->next->kind == TOKEN_NAME && token_is(p->next + 1, "("))
        syntax_mistake(p, "a measure has a name, as in measure m = max(u)");
    const token *name = expect_name(p, "a name");
    reads *r = reads_new(p);

    if (!name)
        return;
    expect_on(p, "=");
    statement *s = statement_new(p, STATEMENT_MEASURE, at);
    s->value = expr_parse(p);
    while (every_parse(p, s) || file_parse(p, s))
        continue;
    if (statement_ends(p))
        expr_check(p, s->value, false, CONTEXT_AFTER, false, r);
    s->symbol = symbol_declare(p, SYMBOL_MEASURE, name);
    s->symbol->value = s->value;
    s->symbol->notes->bad |= statement_is_bad(p);
    statement_check(p, s, r);
}

static bool parse_slice(parser *p, statement *s)
{
    const token *t = p->next;

    if (!accept(p, "slice"))
        return false;
    if (s->slice_axis >= 0)
        mistake_at(p, t->at, "'slice' is given twice");
    t = expect_name(p, "an axis, as in slice z 10,");
    const char *letter = t && t->length == 1 ? strchr(axis_letters, *t->text) : NULL;
    if (t && !letter) {
        p->next = t;
        syntax_mistake(p, "an axis is missing: x, y or z, as in slice z 10");
        return true;
    }
    if (!t)
        return true;
    s->slice_axis = (int)(letter - axis_letters);
    if (p->dim > 0 && s->slice_axis >= p->dim)
        mistake_at(p, t->at, "the grid has no axis %c", *letter);
    s->slice_at = expr_parse(p);
    return true;
}

/* crop A to B: the indices of its corners, one for each axis. */
static bool parse_crop(parser *p, statement *s)
{
    points corners = {0};
    int64_t capacity = 0;
    const token *t = p->next;

    if (!accept(p, "crop"))
        return false;
    if (s->crop)
        mistake_at(p, t->at, "'crop' is given twice");
    point_parse(p, &corners, &capacity);
    expect(p, "to");
    point_parse(p, &corners, &capacity);
    s->crop = corners.list;
    s->crop_at = t->at;
    return true;
}

/* Whether the parenthesis that opens here holds a comma of its own. */
static bool opens_list(const token *t)
{
    int depth = 0;

    if (!token_is(t, "("))
        return false;
    for (; t->kind != TOKEN_END && t->kind != TOKEN_NEWLINE; t++) {
        depth += token_is(t, "(") || token_is(t, "[");
        depth -= token_is(t, ")") || token_is(t, "]");
        if (depth == 0)
            return false;
        if (depth == 1 && token_is(t, ","))
            return true;
    }
    return false;
}

/* stride 2, of all axes, or stride (2, 2, 1). */
static bool parse_stride(parser *p, statement *s)
{
    points list = {0};
    int64_t capacity = 0;
    const token *t = p->next;

    if (!accept(p, "stride"))
        return false;
    if (s->strides > 0)
        mistake_at(p, t->at, "'stride' is given twice");
    if (!opens_list(p->next)) {
        s->strides = 1;
        s->stride[0] = expr_parse(p);
        return true;
    }
    point_parse(p, &list, &capacity);
    s->strides = p->dim;
    for (int axis = 0; axis < p->dim; axis++)
        s->stride[axis] = list.list[0][axis];
    return true;
}

bool colours_parse(parser *p, statement *s)
{
    const token *t = p->next;

    if (accept(p, "range")) {
        if (s->range[0])
            mistake_at(p, t->at, "'range' is given twice");
        s->range_at = t->at;
        s->range[0] = expr_parse(p);
        expect(p, "to");
        s->range[1] = expr_parse(p);
        return true;
    }
    if (!accept(p, "colours"))
        return false;
    if (s->colours)
        mistake_at(p, t->at, "'colours' is given twice");
    s->colours_at = p->next->at;
    const token *name = expect_name(p, "the name of a colour map");
    s->colours = name ? token_text(p, name) : NULL;
    return true;
}

void output_parse(parser *p, place at)
{
    statement *s = statement_new(p, STATEMENT_OUTPUT, at);

    s->symbol = field_parse(p);
    while (every_parse(p, s) || file_parse(p, s) || parse_slice(p, s) ||
           parse_crop(p, s) || parse_stride(p, s) || colours_parse(p, s))
        continue;
    if (statement_ends(p) && s->symbol)
        statement_check(p, s, reads_new(p));
}

/* ---- solve -------------------------------------------------------------------------------- */

static const char *const methods[] = {"auto", "jacobi",    "chebyshev", "sor",
                                      "cg",   "multigrid", "async"};

static void parse_solver(parser *p, statement *s)
{
    const token *t = expect_name(p, "a method");

    if (!t)
        return;
    if (word_find(methods, (int)COUNT_OF(methods), t->text, t->length) < 0) {
        const char *near = text_nearest(token_text(p, t), methods, COUNT_OF(methods));
        mistake_at(p, t->at,
                   "'%.*s' is no method; there are auto, jacobi, chebyshev, sor, cg, "
                   "multigrid and async%s%s%s",
                   t->length < 40 ? t->length : 40, t->text,
                   near ? "; did you mean '" : "", near ? near : "", near ? "'?" : "");
    }
    s->method = token_text(p, t);
}

static void check_solve(parser *p, statement *s, const expr *tolerance, symbol *stated,
                        place at)
{
    reads *left = reads_new(p), *r = reads_new(p);

    if (constant_need(p, tolerance, "the tolerance", &s->tolerance) &&
        !(s->tolerance.v > 0))
        mistake_at(p, tolerance->at, "the tolerance must be larger than 0, not %.12g",
                   s->tolerance.v);
    type_check(p, s->value, false);
    reads_collect(p, s->value, left);
    s->symbol = stated ? stated : solve_unknown(left);
    if (!s->symbol) {
        if (!statement_is_bad(p))
            mistake_at(p, at, "what is solved for? 'for u' after the right side says it");
        return;
    }
    expr_check(p, s->value, false, CONTEXT_SOLVE, s->symbol->coarse, reads_new(p));
    expr_check(p, s->right, false, CONTEXT_SOLVE, s->symbol->coarse, reads_new(p));
    if (statement_is_bad(p))
        return;
    reads_collect(p, s->value, r);
    reads_collect(p, s->right, r);
    linear_check(p, s);
    if (s->symbol->notes->solver)
        mistake_at(p, at, "'%s' is solved for in line %d already", s->symbol->name,
                   s->symbol->notes->solver->at.line);
    s->symbol->notes->solver = s;
    statement_check(p, s, r);
}

void solve_parse(parser *p, place at)
{
    statement *s = statement_new(p, STATEMENT_SOLVE, at);
    symbol *stated = NULL;
    bool named = false;

    s->value = expr_parse(p);
    expect_on(p, "=");
    s->right = expr_parse(p);
    if (accept(p, "for")) {
        stated = field_parse(p);
        named = true;
    }
    expect(p, "by");
    parse_solver(p, s);
    expect(p, "to");
    const expr *tolerance = expr_parse(p);
    if (!p->panic && !(named && !stated))
        check_solve(p, s, tolerance, stated, at);
}
