/* SPDX-License-Identifier: BSD-3-Clause */
/* The grid: its axes in the order x, y, z, their extents, and the coordinates of their
 * points. */
#include <math.h>
#include <string.h>

#include "lang/lang_private.h"

/* ---- form -------------------------------------------------------------------------- */

static const char *parse_table(parser *p, axis_grid *a)
{
    a->stretch_at = p->next->at;
    return expect_string(p);
}

static void parse_stretch(parser *p, axis_grid *a)
{
    if (p->next->kind == TOKEN_STRING) {
        a->table = parse_table(p, a);
    } else {
        a->stretch = expr_parse(p);
        a->stretch_at = a->stretch->at;
    }
    if (a->table && (a->from || a->spacing))
        syntax_mistake(p, "the file says where the points lie; leave out the range or "
                          "the spacing before it");
}

static void parse_spacing(parser *p, axis_grid *a)
{
    a->gaps = p->next->kind == TOKEN_STRING;
    if (a->gaps)
        a->table = parse_table(p, a);
    else
        a->spacing = expr_parse(p);
}

static void parse_range(parser *p, axis_grid *a)
{
    if (accept(p, "from")) {
        a->from = expr_parse(p);
        expect(p, "to");
        a->to = expr_parse(p);
    }
    if (next_is(p, "spacing") && a->from)
        syntax_mistake(p, "an axis has either a range, from ... to ..., or a spacing");
    else if (accept(p, "spacing"))
        parse_spacing(p, a);
    if (!a->gaps && accept(p, "at"))
        parse_stretch(p, a);
}

/* Tests for an extent in place of an axis. "8x8" must be tested first: it is a bad token
 * with a message of its own. */
static bool is_extent(parser *p)
{
    const token *t = p->next;

    if (p->panic || t->length == 0 || *t->text < '0' || *t->text > '9')
        return false;
    mistake_at(p, t->at, "an axis stands before its extent, as in grid x 8, y 8");
    p->panic = true;
    skip_rest(p);
    return true;
}

static bool parse_axis(parser *p, int axis)
{
    const token *t = is_extent(p) ? NULL : expect_name(p, "an axis, such as x 100,");

    if (!t)
        return false;
    if (next_is(p, "="))
        syntax_mistake(p, "an extent follows its axis without '=', as in grid x 8, y 8");
    if (axis == MAX_DIM || t->length != 1 || *t->text != axis_letters[axis]) {
        p->next = t;
        if (axis == MAX_DIM)
            syntax_mistake(p, "a grid has at most %d axes", MAX_DIM);
        else
            syntax_mistake(p,
                           "the axis %c is expected here; axes come in the order x, y, z",
                           axis_letters[axis]);
        return false;
    }
    p->program->axis[axis].extent = expr_parse(p);
    parse_range(p, &p->program->axis[axis]);
    p->program->axis[axis].down = accept(p, "down");
    return !p->panic;
}

/* ---- values ------------------------------------------------------------------------ */

static bool find_extent(parser *p, axis_grid *a, int axis)
{
    const char *what = arena_print(p->arena, "the extent of the axis %c",
                                   axis_letters[axis]);

    return constant_integer(p, a->extent, what, 1, INT64_MAX, &a->points);
}

/* Finds the spacing. A spacing such as 2*pi/100 keeps its two parts, because coordinates
 * are computed from them. */
static bool find_spacing(parser *p, axis_grid *a, const expr *written)
{
    if (!constant_need(p, written, "a spacing", &a->step))
        return false;
    a->span = a->step;
    if (!a->step.exact && written->kind == EXPR_BINARY && written->op == OP_DIV) {
        a->span = constant_find(p, written->arg[0]).value;
        a->over = constant_find(p, written->arg[1]).value;
    }
    if (a->step.v > 0)
        return true;
    mistake_at(p, written->at, "a spacing must be larger than 0, not %.12g", a->step.v);
    return false;
}

/* Finds origin and spacing of an axis from the source expressions in `like`. */
static bool find_coordinates(parser *p, axis_grid *a, const axis_grid *like)
{
    num to;

    a->origin = num_int(0);
    a->step = a->span = a->over = num_int(1);
    if (like->spacing)
        return find_spacing(p, a, like->spacing);
    if (!like->from)
        return true;
    if (!constant_need(p, like->from, "the begin of a range", &a->origin) ||
        !constant_need(p, like->to, "the end of a range", &to))
        return false;
    if (a->points < 2) {
        mistake_at(p, like->from->at,
                   "a range needs an axis of at least 2 points; 'spacing' "
                   "does not");
        return false;
    }
    a->span = num_sub(to, a->origin);
    a->over = num_int(a->points - 1);
    a->step = num_div(a->span, a->over);
    if (isfinite(a->step.v) && a->step.v > 0)
        return true;
    mistake_at(p, like->to->at, "a range must go upwards, not from %.12g to %.12g",
               a->origin.v, to.v);
    return false;
}

void grid_report_large(parser *p, place at, double bytes)
{
    const double exbi = 1152921504606846976.0;
    const int64_t available = mem_available();
    double count = 1;
    text t = {0};

    for (int i = 0; i < p->dim; i++)
        count *= (double)p->program->axis[i].points;
    if (available > 0) {
        text_add(&t, ", ");
        text_add_bytes_size(&t, available);
        text_add(&t, " are available: about %.3g points would fit",
                 count * ((double)available / bytes));
    }
    mistake_at(p, at,
               "the grid is too large: its %.6g points need about %.3g EiB of memory%s",
               count, bytes / exbi, t.data ? t.data : "; take fewer points");
    text_free(&t);
}

/* Checks that the bytes of a field, 8 per point, fit in 64 bits. */
static bool fits(parser *p, place at)
{
    int64_t bytes = 8;
    double all = 8;
    bool good = true;

    for (int i = 0; i < p->dim; i++) {
        good = good && mul_fits(bytes, p->program->axis[i].points, &bytes);
        all *= (double)p->program->axis[i].points;
    }
    if (!good)
        grid_report_large(p, at, all);
    return good;
}

static bool find_values(parser *p, place at)
{
    program *tree = p->program;
    const axis_grid *last = &tree->axis[p->dim - 1];
    bool good = true;

    for (int i = 0; i < p->dim; i++)
        good = find_extent(p, &tree->axis[i], i) && good;
    for (int i = 0; good && i < p->dim; i++) {
        const bool own = tree->axis[i].from || tree->axis[i].spacing ||
                         tree->axis[i].table || i == p->dim - 1;
        good = find_coordinates(p, &tree->axis[i], own ? &tree->axis[i] : last) &&
               stretch_axis(p, i);
    }
    return good && fits(p, at);
}

/* Settles the lets declared before the grid, because they may contain h or nx. The order
 * matters, because lets may contain earlier lets. */
static void settle_lets(parser *p)
{
    const symbol_list *lets = &p->program->lets;

    for (int64_t i = 0; i < lets->count; i++) {
        const struct symbol_notes *notes = lets->item[i]->notes;
        if (notes->constant && notes->constant->early)
            constant_settle(p, lets->item[i]);
    }
}

void grid_parse(parser *p, place at)
{
    statement *s;
    int axes = 0;

    if (p->grid) {
        mistake_at(p, at, "the grid is declared in line %d already", p->grid->at.line);
        p->panic = true;
        skip_rest(p);
        return;
    }
    s = statement_new(p, STATEMENT_GRID, at);
    p->grid = s;
    do
        if (parse_axis(p, axes))
            axes++;
    while (!p->panic && accept_on(p, ","));
    const token *t = p->next;
    if (!p->panic && t->kind == TOKEN_NAME && t->length == 1 &&
        strchr(axis_letters, *t->text))
        syntax_mistake(p, "a comma is missing before the axis %c", *t->text);
    if (!p->panic && at_statement_end(p) && axes != p->dim)
        mistake_at(p, at, "the axes of the grid are easier to count in one line");
    for (int axis = 0; axis < axes && axis < p->dim; axis++)
        if (p->program->axis[axis].down && (axis == 0 || axis < p->dim - 1))
            mistake_at(p, at,
                       "only the last of two or three axes can point down, as in grid x "
                       "401, z 301 spacing 10 down");
    if (!p->panic && axes == p->dim)
        p->grid_known = find_values(p, at);
    p->grid_bad = !p->grid_known;
    settle_lets(p);
}
