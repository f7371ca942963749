/* SPDX-License-Identifier: BSD-3-Clause */
/* The grid: its axes in the order x, y, z, their extents, the coordinates of their
 * points, stretched axes, and the axes of coarse grids. */
#include <math.h>
#include <string.h>

#include "lang/lang_private.h"
#include "npy/npy.h"

/* ---- stretched axes ---------------------------------------------------------------- */

/* Stretched axes. The coordinates come from an expression of the unstretched coordinate,
 * `from 0 to 1 at x^2`, or from a file of coordinates or spacings. Code that needs only
 * one spacing uses the mean. */

enum { MOST_POINTS = 1 << 20 };

/* ---- by an expression -------------------------------------------------------------- */

static bool moved(parser *p, int axis, int64_t i, double *at)
{
    const axis_grid *a = &p->program->axis[axis];
    const num here = num_add(a->origin, num_div(num_mul(num_int(i), a->span), a->over));

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
    OWNED char *bytes = NULL;
    int64_t length = 0;

    TRY(file_read(path, MOST_BYTES, &bytes, &length));
    const pav_status status = npy_column(bytes, length, value, count);
    return status == PAV_OK ? status : FAIL(status, "%s: %s", path, pav_message());
}

/* Fills in the coordinates, from coordinates or from spacings added up from 0. One extra
 * value is the position of the first point after one period. */
static bool fill(parser *p, int axis, const double *value, int64_t count, double *at)
{
    axis_grid *a = &p->program->axis[axis];
    const int64_t least = a->points - a->gaps;

    a->known_around = count == least + 1;
    if (count != least && !a->known_around)
        return mistake_at(
            p, a->stretch_at,
            "\"%s\" holds %lld values; the axis %c has %lld points and needs %lld "
            "%s, or %lld where fields are periodic",
            a->table, (long long)count, axis_letters[axis], (long long)a->points,
            (long long)least, a->gaps ? "spacings between them" : "coordinates",
            (long long)least + 1);
    for (int64_t i = 0; i < count; i++)
        if (a->gaps)
            at[i + 1] = at[i] + value[i];
        else
            at[i] = value[i];
    return true;
}

static bool by_file(parser *p, int axis, double *at)
{
    OWNED double *value = NULL;
    int64_t count = 0;
    const pav_status status = read_file(p, &p->program->axis[axis], &value, &count);

    if (status == PAV_ENOMEM)
        arena_fail(p->arena, status, "%s", pav_message());
    if (status != PAV_OK)
        mistake_at(p, p->program->axis[axis].stretch_at, "%s", pav_message());
    return status == PAV_OK && fill(p, axis, value, count, at);
}

/* ---- both -------------------------------------------------------------------------- */

static bool grows(parser *p, int axis, const double *at)
{
    const axis_grid *a = &p->program->axis[axis];

    for (int64_t i = 0; i < a->points + (a->table && a->known_around); i++) {
        if (!isfinite(at[i]))
            return mistake_at(p, a->stretch_at,
                              "point %lld of %c lies at %g, which is no place",
                              (long long)i, axis_letters[axis], at[i]);
        if (i > 0 && !(at[i] > at[i - 1]))
            return mistake_at(
                p, a->stretch_at,
                "coordinates must grow, and along %c point %lld lies at %.12g and "
                "point %lld at %.12g",
                axis_letters[axis], (long long)i - 1, at[i - 1], (long long)i, at[i]);
    }
    return true;
}

static bool stretch_axis(parser *p, int axis)
{
    axis_grid *a = &p->program->axis[axis];

    if (!a->stretch && !a->table)
        return true;
    if (a->points < 2 || a->points > MOST_POINTS)
        return mistake_at(p, a->stretch_at,
                          "a stretched axis has from 2 to %d points, and %c has %lld",
                          MOST_POINTS, axis_letters[axis], (long long)a->points);
    double *at = arena_alloc(p->arena, a->points + 1, sizeof *at);
    if (!(a->table ? by_file(p, axis, at) : by_expression(p, axis, at)) ||
        !grows(p, axis, at))
        return false;
    a->at = at;
    a->origin = num_double(at[0]);
    a->span = num_double(at[a->points - 1] - at[0]);
    a->over = num_int(a->points - 1);
    a->step = num_div(a->span, a->over);
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
                   axis_letters[axis], ring->name, line->name);
    else if (ring && !a->known_around)
        mistake_at(p, a->stretch_at,
                   "'%s' is periodic along %c: %s must say where the first point comes "
                   "again, behind the last",
                   ring->name, axis_letters[axis],
                   a->gaps ? "one spacing more" : "one coordinate more");
}

void stretch_check(parser *p)
{
    for (int axis = 0; axis < p->dim; axis++)
        if (axis_stretched(p->program, axis))
            check_axis(p, axis);
}

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

static void parse_range(parser *p, axis_grid *a)
{
    if (accept(p, "from")) {
        a->from = expr_parse(p);
        expect(p, "to");
        a->to = expr_parse(p);
    }
    if (next_is(p, "spacing") && a->from)
        syntax_mistake(p, "an axis has either a range, from ... to ..., or a spacing");
    else if (accept(p, "spacing")) {
        a->gaps = p->next->kind == TOKEN_STRING;
        if (a->gaps)
            a->table = parse_table(p, a);
        else
            a->spacing = expr_parse(p);
    }
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
    abandon_rest(p);
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
    return a->step.v > 0 ||
           mistake_at(p, written->at, "a spacing must be larger than 0, not %.12g",
                      a->step.v);
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
    if (a->points < 2)
        return mistake_at(p, like->from->at,
                          "a range needs an axis of at least 2 points; 'spacing' "
                          "does not");
    a->span = num_sub(to, a->origin);
    a->over = num_int(a->points - 1);
    a->step = num_div(a->span, a->over);
    return (isfinite(a->step.v) && a->step.v > 0) ||
           mistake_at(p, like->to->at, "a range must go upwards, not from %.12g to %.12g",
                      a->origin.v, to.v);
}

void grid_report_large(parser *p, place at, double bytes)
{
    const double exbi = 1152921504606846976.0;
    const int64_t available = mem_available();
    double count = 1;
    OWNED_BY(text_free) text t = {0};

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
    /* `grid x 100 spacing 10, y 100` */
    bool other = false;
    for (int i = 0; i < p->dim - 1; i++)
        other = other || tree->axis[i].from || tree->axis[i].spacing;
    if (other && !last->from && !last->spacing && !last->table && !last->stretch)
        warn_at(
            p, last->extent->at,
            "%c has the spacing 1: a spacing before it is of its own axis alone, and "
            "only one behind the last axis is of all; write spacing 1 here if that is "
            "meant",
            axis_letters[p->dim - 1]);
    return good && fits(p, at);
}

bool grid_parse(parser *p, statement *s)
{
    int axes = 0;

    if (p->grid) {
        mistake_at(p, s->at, "the grid is declared in line %d already", p->grid->at.line);
        abandon_rest(p);
        return false;
    }
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
        mistake_at(p, s->at, "the axes of the grid are easier to count in one line");
    for (int axis = 0; axis < axes && axis < p->dim; axis++)
        if (p->program->axis[axis].down && (axis == 0 || axis < p->dim - 1))
            mistake_at(p, s->at,
                       "only the last of two or three axes can point down, as in grid x "
                       "401, z 301 spacing 10 down");
    if (!p->panic && axes == p->dim)
        p->grid_known = find_values(p, s->at);
    p->grid_bad = !p->grid_known;
    /* Settles the lets declared before the grid, because they may contain h or nx. The
     * order matters, because lets may contain earlier lets. */
    const symbol_list *lets = &p->program->lets;
    for (int64_t i = 0; i < lets->count; i++) {
        const struct symbol_notes *notes = lets->item[i]->notes;
        if (notes->constant && notes->constant->early)
            constant_settle(p, lets->item[i]);
    }
    return true;
}

/* ---- coarse grids ------------------------------------------------------------------ */

/* `coarse 1 to 3 along x`: the axes halved by a coarse grid. By default all axes are
 * halved. */

static bool parse_number(parser *p, int least, int *number)
{
    int64_t value = least;

    if (!constant_integer(p, primary_parse(p), "the number of a coarse grid", least,
                          MAX_COARSE, &value))
        return false;
    *number = (int)value;
    return true;
}

/* Parses letters of axes, with commas between them. */
static unsigned parse_axes(parser *p)
{
    unsigned axes = 0;

    do
        axes |= 1u << axis_parse(p, axes, "an axis, as in coarse 1 along x,");
    while (accept_on(p, ","));
    return axes;
}

static const symbol *coarse_field(const parser *p)
{
    const symbol_list *fields = &p->program->fields;

    for (int64_t i = 0; i < fields->count; i++)
        if (fields->item[i]->coarse)
            return fields->item[i];
    return NULL;
}

bool coarse_parse(parser *p, statement *s)
{
    const symbol *late = coarse_field(p);

    if (!parse_number(p, 1, &s->coarse[0]))
        return false;
    s->coarse[1] = s->coarse[0];
    if (accept(p, "to") && !parse_number(p, s->coarse[0], &s->coarse[1]))
        return false;
    if (!accept(p, "along"))
        return syntax_mistake(
            p, "'along' and axes are missing, as in coarse 1 to 3 along x");
    s->axes = parse_axes(p);
    if (late)
        mistake_at(p, s->at, "'coarse' stands before the first coarse field, '%s'",
                   late->name);
    if (!p->grid_known)
        mistake_at(p, s->at, "'coarse' stands behind the grid");
    for (int k = s->coarse[0]; s->axes && k <= s->coarse[1]; k++)
        p->program->kept[k] = (unsigned char)(~s->axes & ((1u << MAX_DIM) - 1));
    return true;
}
