/* SPDX-License-Identifier: BSD-3-Clause */
/* What must lie inside the grid: positions of sources and receivers, slices of outputs. Here, since
 * the grid may be declared after them. */
#include "lang/lang_private.h"

/* A periodic axis goes on to the first point again. */
static void check_coordinate(parser *p, const statement *s, const expr *e, int axis,
                             num *value)
{
    const axis_grid *a = &p->program->axis[axis];
    const statement *border = field_border(p->program, s->symbol, axis, 0);
    const bool periodic = border && border->kind == STATEMENT_BORDER &&
                          border->border == BORDER_PERIODIC;
    const int64_t cells = a->points - (periodic ? 0 : 1);
    const num end = num_add(a->origin,
                            num_div(num_mul(num_int(cells), a->span), a->over));

    if (!constant_need(p, e, "a coordinate", value))
        return;
    if (num_compare(*value, a->origin) < 0 || num_compare(*value, end) > 0)
        mistake_at(p, e->at,
                   "%c = %.12g lies outside of the grid, which goes from %.12g to %.12g",
                   axis_letters[axis], value->v, a->origin.v, end.v);
}

static void check_points(parser *p, statement *s)
{
    points *list = &s->points;

    list->value = arena_alloc(p->arena, list->count, sizeof *list->value);
    for (int i = 0; i < list->count; i++)
        for (int axis = 0; axis < p->dim; axis++)
            check_coordinate(p, s, list->list[i][axis], axis, &list->value[i][axis]);
}

static void check_output(parser *p, statement *s)
{
    for (int i = 0; i < 2 && s->range[0]; i++)
        constant_need(p, s->range[i], "the range of the colours", &s->range_value[i]);
    if (s->range[0] && s->range_value[0].v >= s->range_value[1].v)
        mistake_at(p, s->range[0]->at, "a range must go upwards, not from %.12g to %.12g",
                   s->range_value[0].v, s->range_value[1].v);
    if (s->slice_axis >= 0 && p->dim < 3)
        mistake_at(p, s->slice_at->at,
                   "a slice is taken of a 3-D grid; this one is %d-D, leave "
                   "`slice` out",
                   p->dim);
    else if (s->slice_axis >= 0)
        constant_integer(p, s->slice_at, "the index of the slice", 0,
                         field_extent(p->program, s->symbol, s->slice_axis) - 1,
                         &s->slice_index);
}

void values_check(parser *p)
{
    if (!p->grid_known)
        return;
    for (int64_t i = 0; i < p->checks; i++) {
        statement *s = p->check[i].statement;
        if (s->kind == STATEMENT_INJECT || s->kind == STATEMENT_SAMPLE)
            check_points(p, s);
        else if (s->kind == STATEMENT_OUTPUT)
            check_output(p, s);
    }
}
