/* SPDX-License-Identifier: BSD-3-Clause */
/* Sources and receivers: their positions, injected values and recorded values. */
#include <string.h>

#include "lang/lang_private.h"

/* ---- points ------------------------------------------------------------------------ */

/* (x, y, z) */
void point_parse(parser *p, points *list, int64_t *capacity)
{
    const token *open = p->next;
    const place at = open->at;
    int count = 0;

    arena_reserve(p->arena, &list->list, list->count, capacity, sizeof *list->list);
    expr **axis = list->list[list->count++];
    if (!accept(p, "(")) {
        syntax_mistake(p, "a position stands in parentheses, as in at (%s)",
                       p->dim == 1   ? "10"
                       : p->dim == 2 ? "10, 20"
                                     : "10, 20, 30");
        return;
    }
    do {
        expr *e = expr_parse(p);
        if (count < MAX_DIM)
            axis[count] = e;
        count++;
    } while (accept(p, ","));
    expect_closed(p, open, ")");
    if (!p->panic && p->dim > 0 && count != p->dim)
        mistake_at(p, at, "%d coordinate%s for a grid of %d ax%s", count,
                   count == 1 ? "" : "s", p->dim, p->dim == 1 ? "is" : "es");
    if (list->count == MAX_NODES_WRITTEN)
        syntax_mistake(p, "more than %d points are better kept in an npy file",
                       MAX_NODES_WRITTEN);
}

/* "shot.sgy", or receivers of "shot.sgy" */
static bool parse_file(parser *p, points *list)
{
    list->owner = accept(p, "receivers") ? POINTS_RECEIVERS
                  : accept(p, "sources") ? POINTS_SOURCES
                                         : POINTS_USUAL;
    if (list->owner != POINTS_USUAL)
        expect(p, "of");
    if (list->owner == POINTS_USUAL && p->next->kind != TOKEN_STRING)
        return false;
    list->file_at = p->next->at;
    list->file = expect_string(p);
    return true;
}

static void parse_points(parser *p, points *list)
{
    int64_t capacity = 0;

    if (parse_file(p, list))
        return;
    do
        point_parse(p, list, &capacity);
    while (accept_on(p, ","));
}

/* along A to B count N */
static void parse_line(parser *p, points *list)
{
    int64_t capacity = 0;

    point_parse(p, list, &capacity);
    expect(p, "to");
    point_parse(p, list, &capacity);
    expect(p, "count");
    list->line_count = expr_parse(p);
    if (!p->panic)
        constant_integer(p, list->line_count, "the number of points", 1, INT32_MAX,
                         &list->line_points);
}

static void parse_positions(parser *p, points *list)
{
    if (accept(p, "at"))
        parse_points(p, list);
    else if (accept(p, "along"))
        parse_line(p, list);
    else
        syntax_mistake(p,
                       "after the field stands 'at' with points, or 'along' with a line");
}

static bool parse_method(parser *p, points *list)
{
    if (!accept(p, "by"))
        return false;
    if (accept(p, "sinc"))
        list->method = POINTS_SINC;
    else if (accept(p, "linear"))
        list->method = POINTS_LINEAR;
    else
        syntax_mistake(p, "'by' is followed by linear or sinc");
    return true;
}

/* ---- sources ----------------------------------------------------------------------- */

/* Parses an injected value: an expression, or the traces of a file with an optional
 * factor. */
static void parse_signal(parser *p, statement *s)
{
    const place at = p->next->at;

    if (p->next->kind != TOKEN_STRING) {
        s->value = expr_parse(p);
        return;
    }
    s->trace_at = at;
    s->trace = expect_string(p);
    if (accept_on(p, "*")) {
        s->value = expr_parse_factors(p);
        return;
    }
    s->value = expr_new(p, EXPR_NUMBER, at);
    s->value->number = num_int(1);
}

void inject_parse(parser *p, place at)
{
    statement *s = statement_new(p, STATEMENT_INJECT, at);
    reads *r = reads_new(p);

    parse_signal(p, s);
    expect(p, "into");
    const place name_at = p->next->at;
    s->symbol = field_parse(p);
    parse_positions(p, &s->points);
    parse_method(p, &s->points);
    if (!statement_ends(p) || !s->symbol)
        return;
    if (s->symbol->coarse)
        mistake_at(p, name_at,
                   "'%s' is coarse; only fields of the grid can be injected into",
                   s->symbol->name);
    expr_check(p, s->value, false, CONTEXT_INJECT, false, r);
    statement_check(p, s, r);
}

/* ---- receivers --------------------------------------------------------------------- */

static bool stands_alone(const token *t)
{
    return t->kind == TOKEN_NAME && (token_is(t + 1, "at") || token_is(t + 1, "along"));
}

/* Parses a sample of expressions. The first field in it is the symbol of the
 * statement. */
static void parse_columns(parser *p, statement *s)
{
    int64_t capacity = 0, count = 0;

    s->kind = STATEMENT_GATHER;
    do {
        arena_reserve(p->arena, &s->column, count, &capacity, sizeof(expr *));
        s->column[count++] = expr_parse(p);
    } while (accept_on(p, ",") && count < MAX_FIELDS);
    s->columns = (int)count;
}

static void check_columns(parser *p, statement *s)
{
    reads *r = reads_new(p);

    for (int i = 0; i < s->columns; i++)
        expr_check(p, s->column[i], false, CONTEXT_SAMPLE, false, r);
    for (int64_t i = 0; i < r->count && !s->symbol; i++)
        if (r->item[i].symbol->kind == SYMBOL_FIELD)
            s->symbol = r->item[i].symbol;
    if (!s->symbol && !statement_is_bad(p))
        mistake_at(p, s->column[0]->at, "a sample is of a field, and none is read here");
}

void sample_parse(parser *p, place at)
{
    statement *s = statement_new(p, STATEMENT_SAMPLE, at);
    const place name_at = p->next->at;

    if (stands_alone(p->next))
        s->symbol = field_parse(p);
    else
        parse_columns(p, s);
    parse_positions(p, &s->points);
    while (parse_method(p, &s->points) || every_parse(p, s) || file_parse(p, s) ||
           colours_parse(p, s))
        continue;
    if (!statement_ends(p))
        return;
    if (s->columns > 0)
        check_columns(p, s);
    if (!s->symbol || statement_is_bad(p))
        return;
    if (s->symbol->coarse)
        mistake_at(p, name_at, "'%s' is coarse; only fields of the grid can be sampled",
                   s->symbol->name);
    statement_check(p, s, reads_new(p));
}
