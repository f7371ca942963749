/* SPDX-License-Identifier: BSD-3-Clause */
/* Stretched axes. The coordinates come from an expression of the unstretched coordinate,
 * `from 0 to 1 at x^2`, or from a file of coordinates or spacings. Code that needs only
 * one spacing uses the mean. */
#include <math.h>
#include <string.h>

#include "lang/lang_private.h"
#include "npy/npy.h"

enum { MOST_POINTS = 1 << 20 };

/* The letter in the description: the second axis of a grid of x and z is z. */
static char letter(const parser *p, int axis)
{
    return axis_letter(p->program, axis);
}

/* ---- by an expression -------------------------------------------------------------- */

static num plain(const axis_grid *a, int64_t i)
{
    return num_add(a->origin, num_div(num_mul(num_int(i), a->span), a->over));
}

static bool moved(parser *p, int axis, int64_t i, double *at)
{
    const num here = plain(&p->program->axis[axis], i);

    p->moved[axis] = &here;
    const constant c = constant_find(p, p->program->axis[axis].stretch);
    p->moved[axis] = NULL;
    *at = num_f64(c.value);
    if (!c.known && !c.quiet)
        mistake_at(p, c.at, "a stretched coordinate must be known before the run; %s",
                   c.why);
    return c.known;
}

static bool by_expression(parser *p, int axis, double *at)
{
    axis_grid *a = &p->program->axis[axis];

    for (int64_t i = 0; i < a->points; i++)
        if (!moved(p, axis, i, &at[i]))
            return false;
    a->known_around = moved(p, axis, a->points, &at[a->points]) &&
                      at[a->points] > at[a->points - 1] && isfinite(at[a->points]);
    return true;
}

/* ---- by a file --------------------------------------------------------------------- */

static pav_status read_file(parser *p, const axis_grid *a, double **value, int64_t *count)
{
    enum { MOST_BYTES = 16 * MOST_POINTS };
    const char *folder = p->program->directory ? p->program->directory : ".";
    const char *path = a->table[0] == '/'
                           ? a->table
                           : arena_print(p->arena, "%s/%s", folder, a->table);
    char *bytes = NULL;
    int64_t length = 0;

    TRY(file_read(path, MOST_BYTES, &bytes, &length));
    const pav_status status = npy_column(bytes, length, value, count);
    mem_free(bytes);
    return status == PAV_OK ? status : FAIL(status, "%s: %s", path, pav_message());
}

/* Fills in the coordinates, from coordinates or from spacings added up from 0. One extra
 * value is the position of the first point after one period. */
static bool fill(parser *p, int axis, const double *value, int64_t count, double *at)
{
    axis_grid *a = &p->program->axis[axis];
    const int64_t least = a->points - a->gaps;

    a->known_around = count == least + 1;
    if (count != least && !a->known_around) {
        mistake_at(p, a->stretch_at,
                   "\"%s\" holds %lld values; the axis %c has %lld points and needs %lld "
                   "%s, or %lld where fields are periodic",
                   a->table, (long long)count, letter(p, axis), (long long)a->points,
                   (long long)least, a->gaps ? "spacings between them" : "coordinates",
                   (long long)least + 1);
        return false;
    }
    for (int64_t i = 0; i < count; i++)
        if (a->gaps)
            at[i + 1] = at[i] + value[i];
        else
            at[i] = value[i];
    return true;
}

static bool by_file(parser *p, int axis, double *at)
{
    double *value = NULL;
    int64_t count = 0;
    const pav_status status = read_file(p, &p->program->axis[axis], &value, &count);

    if (status == PAV_ENOMEM)
        arena_fail(p->arena, status, "%s", pav_message());
    if (status != PAV_OK)
        mistake_at(p, p->program->axis[axis].stretch_at, "%s", pav_message());
    const bool good = status == PAV_OK && fill(p, axis, value, count, at);
    mem_free(value);
    return good;
}

/* ---- both -------------------------------------------------------------------------- */

static bool grows(parser *p, int axis, const double *at)
{
    const axis_grid *a = &p->program->axis[axis];

    for (int64_t i = 0; i < a->points + (a->table && a->known_around); i++) {
        if (!isfinite(at[i])) {
            mistake_at(p, a->stretch_at, "point %lld of %c lies at %g, which is no place",
                       (long long)i, letter(p, axis), at[i]);
            return false;
        }
        if (i > 0 && !(at[i] > at[i - 1])) {
            mistake_at(p, a->stretch_at,
                       "coordinates must grow, and along %c point %lld lies at %.12g and "
                       "point %lld at %.12g",
                       letter(p, axis), (long long)i - 1, at[i - 1], (long long)i, at[i]);
            return false;
        }
    }
    return true;
}

static void settle(axis_grid *a, const double *at)
{
    a->at = at;
    a->origin = num_double(at[0]);
    a->span = num_double(at[a->points - 1] - at[0]);
    a->over = num_int(a->points - 1);
    a->step = num_div(a->span, a->over);
}

bool stretch_axis(parser *p, int axis)
{
    axis_grid *a = &p->program->axis[axis];

    if (!a->stretch && !a->table)
        return true;
    if (a->points < 2 || a->points > MOST_POINTS) {
        mistake_at(p, a->stretch_at,
                   "a stretched axis has from 2 to %d points, and %c has %lld",
                   MOST_POINTS, letter(p, axis), (long long)a->points);
        return false;
    }
    double *at = arena_alloc(p->arena, a->points + 1, sizeof *at);
    if (!(a->table ? by_file(p, axis, at) : by_expression(p, axis, at)) ||
        !grows(p, axis, at))
        return false;
    settle(a, at);
    return true;
}

/* ---- around ------------------------------------------------------------------------ */

static bool has_map(const statement *s, ghost_map map)
{
    return s && s->kind == STATEMENT_BORDER && border_rules[s->border].map == map;
}

/* Points beyond the outermost ones lie at one place for all fields. */
static void check_axis(parser *p, int axis)
{
    axis_grid *a = &p->program->axis[axis];
    const symbol *ring = NULL, *line = NULL;

    for (int64_t i = 0; i < p->program->fields.count; i++) {
        const symbol *f = p->program->fields.item[i];
        for (int side = 0; side < 2; side++) {
            const statement *s = field_border(p->program, f, axis, side);
            /* A clamped one copies the outermost value, wherever points beyond lie. */
            if (has_map(s, GHOST_WRAPS))
                ring = f;
            else if (s && !has_map(s, GHOST_CLAMPS))
                line = f;
        }
    }
    a->around = ring;
    if (ring && line)
        mistake_at(p, a->stretch_at,
                   "along the stretched axis %c '%s' is periodic and '%s' is not; all "
                   "fields with a border are to be one or the other",
                   letter(p, axis), ring->name, line->name);
    else if (ring && !a->known_around)
        mistake_at(p, a->stretch_at,
                   "'%s' is periodic along %c: %s must say where the first point comes "
                   "again, behind the last",
                   ring->name, letter(p, axis),
                   a->gaps ? "one spacing more" : "one coordinate more");
}

void stretch_check(parser *p)
{
    for (int axis = 0; axis < p->dim; axis++)
        if (axis_stretched(p->program, axis))
            check_axis(p, axis);
}
