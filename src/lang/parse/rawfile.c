/* SPDX-License-Identifier: BSD-3-Clause */
/* Files of bare values: "vp.bin" raw f32 little z 301, x 401. */
#include <string.h>

#include "lang/lang_private.h"

static bool parse_order(parser *p)
{
    if (accept(p, "big"))
        return true;
    if (!accept(p, "little"))
        syntax_mistake(p, "the order of bytes is missing: little or big, as in raw f32 "
                          "little z 301, x 401");
    return false;
}

static int parse_letter(parser *p, unsigned taken)
{
    const token *t = expect_name(p, "an axis, the contiguous one first,");
    const char *at = t && t->length == 1 ? strchr(axis_letters, *t->text) : NULL;
    const int axis = at && *at ? (int)(at - axis_letters) : -1;

    if (!t)
        return 0;
    if (axis < 0 || axis >= p->dim || taken >> axis & 1) {
        mistake_at(p, t->at, "'%.*s' is no axis of the grid, or stands there twice",
                   t->length < 40 ? t->length : 40, t->text);
        return 0;
    }
    return axis;
}

static void parse_extent(parser *p, int axis, expr **extent)
{
    const axis_grid *a = &p->program->axis[axis];
    int64_t count;

    *extent = expr_parse(p);
    if (p->panic ||
        !constant_integer(p, *extent, "the extent of a file", 1, INT64_MAX, &count))
        return;
    if (!p->grid_known)
        mistake_at(p, (*extent)->at, "the grid has to stand before files of bare values");
    else if (count != a->points)
        mistake_at(p, (*extent)->at,
                   "the file has %lld points along %c, and the grid %lld",
                   (long long)count, axis_letters[axis], (long long)a->points);
}

const raw_file *raw_parse(parser *p)
{
    raw_file *raw = arena_alloc(p->arena, 1, sizeof *raw);
    unsigned taken = 0;

    type_parse(p, &raw->type);
    raw->big = parse_order(p);
    for (int i = 0; i < p->dim && !p->panic; i++) {
        if (i > 0)
            expect_on(p, ",");
        raw->axis[i] = parse_letter(p, taken);
        taken |= 1U << raw->axis[i];
        parse_extent(p, raw->axis[i], &raw->extent[i]);
    }
    return raw;
}
