/* SPDX-License-Identifier: BSD-3-Clause */
/* Measures and outputs. */
#include <string.h>

#include "lang/lang_private.h"

/* ---- measures, outputs ------------------------------------------------------------- */

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

/* True if the parenthesis at t contains a comma outside inner brackets. */
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
