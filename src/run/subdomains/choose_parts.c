/* SPDX-License-Identifier: BSD-3-Clause */
/* Chooses the number of boxes along each axis, given their product, for the fewest
 * exchanged bytes. Points beyond a face across x lie in different cache lines, and each
 * line moves as a whole. */
#include "run/run_private.h"

static double bytes_of_point(const ir *code, int axis, int side)
{
    double bytes = 0;
    for (int64_t f = 0; f < code->fields; f++) {
        const halo_depth d = halo_depth_of(code, f);
        const double own = d.side[axis][side] *
                           (double)pav_type_size(code->field[f].storage);
        const bool line = axis == 0 && own > 0 && own < CPU_LINE;
        if (code->field[f].updated && code->field[f].coarse == 0)
            bytes += line ? CPU_LINE : own;
    }
    return bytes;
}

bool run_wraps(const ir *code, int axis)
{
    for (int64_t f = 0; f < code->fields; f++)
        if (border_wraps(code->field[f].border[axis][0].kind))
            return true;
    return false;
}

/* Bytes of the faces between `parts` boxes along an axis. */
static double bytes_across(const ir *code, int axis, int64_t parts)
{
    const double faces = (double)(parts - 1) + (parts > 1 && run_wraps(code, axis));
    double area = 1;
    for (int other = 0; other < code->dim; other++)
        area *= other == axis ? 1 : (double)points_along(code, other, 0);
    return faces * area * (bytes_of_point(code, axis, 0) + bytes_of_point(code, axis, 1));
}

static bool fit(const ir *code, const int64_t *parts)
{
    for (int axis = 0; axis < code->dim; axis++)
        if (parts[axis] > 1 &&
            points_along(code, axis, 0) / parts[axis] < subdomain_least_width(code, axis))
            return false;
    return true;
}

static double cost_of(const ir *code, const int64_t *parts)
{
    double bytes = 0;
    for (int axis = 0; axis < code->dim; axis++)
        bytes += bytes_across(code, axis, parts[axis]);
    return bytes;
}

typedef struct choice {
    const ir *code;
    int64_t parts[MAX_DIM], best[MAX_DIM];
    double cost; /* of the best; < 0: none yet */
} choice;

/* Tries all ways to cut the axes up to `axis` into `count` boxes. Among equal costs the
 * first wins; it cuts the last axis most. */
static void try_axes(choice *c, int axis, int64_t count)
{
    if (axis == 0) {
        c->parts[0] = count;
        const double cost = fit(c->code, c->parts) ? cost_of(c->code, c->parts) : -1;
        if (cost < 0 || (c->cost >= 0 && cost >= c->cost))
            return;
        c->cost = cost;
        for (int k = 0; k < MAX_DIM; k++)
            c->best[k] = c->parts[k];
        return;
    }
    for (int64_t n = count; n >= 1; n--)
        if (count % n == 0) {
            c->parts[axis] = n;
            try_axes(c, axis - 1, count / n);
        }
}

pav_status run_choose_parts(const ir *code, int64_t count, int64_t *parts)
{
    choice c = {.code = code, .parts = {1, 1, 1}, .cost = -1};
    try_axes(&c, code->dim - 1, count);
    if (c.cost < 0)
        return FAIL(PAV_EINVAL,
                    "the grid cannot be cut into %lld subdomains: they would be thinner "
                    "than what is read beyond their faces; give fewer, or a number that "
                    "has factors",
                    (long long)count);
    for (int axis = 0; axis < MAX_DIM; axis++)
        parts[axis] = c.best[axis];
    return PAV_OK;
}
