/* SPDX-License-Identifier: BSD-3-Clause */
/* Checks that positions of sources and receivers, and slices of outputs, lie inside the
 * grid. This is a separate pass, because the grid may be declared after them. */
#include "lang/lang_private.h"

/* Last allowed position along an axis. A periodic axis continues to the first point. */
static void check_coordinate(parser *p, const statement *s, const expr *e, int axis,
                             num *value)
{
    const axis_grid *a = &p->program->axis[axis];
    const statement *border = field_border(p->program, s->symbol, axis, 0);
    const bool periodic = border && border->kind == STATEMENT_BORDER &&
                          border_wraps(border->border);
    const int64_t cells = a->points - (periodic ? 0 : 1);
    const num end = a->at && (!periodic || a->known_around)
                        ? num_double(a->at[cells])
                        : num_add(a->origin,
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

    for (int axis = 0; axis < p->dim && list->method == POINTS_SINC; axis++)
        if (axis_stretched(p->program, axis)) {
            mistake_at(
                p, s->at,
                "'by sinc' is right for equal spacings, and those along %c differ; "
                "leave it out",
                axis_letter(p->program, axis));
            break;
        }
    list->value = arena_alloc(p->arena, list->count, sizeof *list->value);
    for (int i = 0; i < list->count; i++)
        for (int axis = 0; axis < p->dim; axis++)
            check_coordinate(p, s, list->list[i][axis], axis, &list->value[i][axis]);
}

static void check_crop(parser *p, statement *s, int axis)
{
    const int64_t last = field_extent(p->program, s->symbol, axis) - 1;
    int64_t *ends[2] = {&s->crop_from[axis], &s->crop_to[axis]};

    *ends[0] = 0;
    *ends[1] = last;
    if (!s->crop)
        return;
    for (int i = 0; i < 2; i++)
        if (!s->crop[i][axis] ||
            !constant_integer(p, s->crop[i][axis], "an index of the crop", 0, last,
                              ends[i]))
            return;
    if (s->crop_from[axis] > s->crop_to[axis])
        mistake_at(p, s->crop[1][axis]->at,
                   "a crop must go upwards, not from %lld to %lld",
                   (long long)s->crop_from[axis], (long long)s->crop_to[axis]);
    else if (axis == s->slice_axis &&
             (s->slice_index < s->crop_from[axis] || s->slice_index > s->crop_to[axis]))
        mistake_at(p, s->slice_at->at,
                   "the slice %c %lld lies outside of the crop, which goes from %lld to "
                   "%lld",
                   axis_letters[axis], (long long)s->slice_index,
                   (long long)s->crop_from[axis], (long long)s->crop_to[axis]);
}

static void check_stride(parser *p, statement *s, int axis)
{
    const expr *e = s->stride[s->strides > 1 ? axis : 0];

    s->stride_of[axis] = 1;
    if (e && axis < (s->strides > 1 ? s->strides : p->dim))
        constant_integer(p, e, "the stride", 1, INT32_MAX, &s->stride_of[axis]);
}

static void check_range(parser *p, statement *s)
{
    for (int i = 0; i < 2 && s->range[0]; i++)
        constant_need(p, s->range[i], "the range of the colours", &s->range_value[i]);
    if (s->range[0] && s->range_value[0].v >= s->range_value[1].v)
        mistake_at(p, s->range[0]->at, "a range must go upwards, not from %.12g to %.12g",
                   s->range_value[0].v, s->range_value[1].v);
}

static void check_output(parser *p, statement *s)
{
    check_range(p, s);
    if (s->slice_axis >= 0 && p->dim < 3)
        mistake_at(p, s->slice_at->at,
                   "a slice is taken of a 3-D grid; this one is %d-D, leave "
                   "`slice` out",
                   p->dim);
    else if (s->slice_axis >= 0)
        constant_integer(p, s->slice_at, "the index of the slice", 0,
                         field_extent(p->program, s->symbol, s->slice_axis) - 1,
                         &s->slice_index);
    for (int axis = 0; axis < p->dim; axis++)
        check_crop(p, s, axis);
    for (int axis = 0; axis < p->dim && (axis == 0 || s->strides > 1); axis++)
        check_stride(p, s, axis);
    for (int axis = 1; s->strides <= 1 && axis < p->dim; axis++)
        s->stride_of[axis] = s->stride_of[0];
}

void values_check(parser *p)
{
    if (!p->grid_known)
        return;
    for (int64_t i = 0; i < p->checks; i++) {
        statement *s = p->check[i].statement;
        const bool samples = s->kind == STATEMENT_SAMPLE || s->kind == STATEMENT_GATHER;
        if (s->kind == STATEMENT_INJECT || samples)
            check_points(p, s);
        if (samples)
            check_range(p, s);
        else if (s->kind == STATEMENT_OUTPUT)
            check_output(p, s);
    }
}
