/* SPDX-License-Identifier: BSD-3-Clause */
/* random_border.c: borders of all kinds, mixed by field and face, absorbing layers and
 * masks. A kind is used only if the extent allows it. Periodic borders are used on both
 * faces of an axis. In mixed programs every face has its own rule, with a value that
 * varies along the face. */
#include <math.h>

#include "lang/lang_private.h"

static bool is_legal(const sketch *s, int field, int axis, border_kind kind)
{
    const int coarse = s->field[field].coarse;
    int64_t n = s->extent[axis];
    for (int k = 0; k < coarse; k++)
        n = (n + 1) / 2;
    if (border_wraps(kind) && s->stretched[axis] && !s->ring)
        return false;
    return n >= border_points_needed(kind, s->reach[axis]);
}

/* A rule for one field (-1: all) and a set of faces. */
typedef struct rule {
    int field;
    unsigned faces;
    border_kind kind;
} rule;

static bool concerns(const rule *r, int field, int axis, int side)
{
    return (r->field < 0 || r->field == field) && (r->faces & FACE_BIT(axis, side));
}

static bool rule_is_legal(const sketch *s, const rule *r)
{
    for (int i = 0; i < s->fields; i++)
        for (int axis = 0; axis < s->dim; axis++)
            if ((concerns(r, i, axis, 0) || concerns(r, i, axis, 1)) &&
                !is_legal(s, i, axis, r->kind))
                return false;
    return true;
}

static void pick_kind(sketch *s, rule *r)
{
    r->kind = BORDER_PERIODIC;
    if (s->ring)
        return;
    for (int tries = 0; tries < 10; tries++) {
        r->kind = (border_kind)(1 + pick(s, BORDER_KINDS - 1));
        if (rule_is_legal(s, r))
            return;
    }
    r->kind = BORDER_CLAMP;
}

static unsigned all_faces(const sketch *s)
{
    return (1u << (2 * s->dim)) - 1;
}

/* field: -1 for any. */
static bool is_periodic(const sketch *s, int field, int axis)
{
    for (int i = 0; i < s->fields; i++)
        if ((field < 0 || field == i) && border_wraps(s->field[i].border[axis][0]))
            return true;
    return false;
}

/* Picks faces of one axis; both faces if a field is periodic there, or becomes
 * periodic. */
static unsigned pick_faces(sketch *s, const rule *r)
{
    const int axis = pick(s, s->dim);
    const bool periodic = border_wraps(r->kind) || is_periodic(s, r->field, axis);
    return periodic || chance(s, 2) ? FACE_BIT(axis, 0) | FACE_BIT(axis, 1)
                                    : FACE_BIT(axis, pick(s, 2));
}

/* " at x-, x+"; nothing, or the word alone, for all faces. */
static void draw_faces(sketch *s, unsigned faces, bool beyond, text *t)
{
    const char *separator = beyond ? " beyond " : " at ";
    if (faces == all_faces(s) && !chance(s, 6)) {
        text_add(t, "%s", beyond ? " beyond" : "");
        return;
    }
    for (int i = 0; i < 2 * s->dim; i++)
        if (faces & (1u << i)) {
            text_add(t, "%s%s", separator, face_names[i]);
            separator = ", ";
        }
}

/* Draws a border value that differs at every point of every face. */
static void draw_place(sketch *s, text *t)
{
    double size = 0;
    for (int axis = 0; axis < s->dim; axis++) {
        text_add(t, axis == 0 ? "(%d*%c" : " + %d*%c", axis + 1, "xyz"[axis]);
        size += (axis + 1) * coordinate_size(s, axis);
    }
    text_add(t, ")/%.0f", ceil(size));
}

/* Without scalars that have equations, and without t if dt is a scalar. */
static unsigned may_at_border(const sketch *s)
{
    return MAY_POINT | MAY_VALUES | (s->timed ? 0 : MAY_TIME) |
           (s->timed || s->evolved > 0 ? 0 : MAY_SCALARS);
}

/* True if no point lies on two faces of an axis. */
static bool far_apart(const sketch *s, int field)
{
    for (int axis = 0; axis < s->dim; axis++)
        if (s->extent[axis] <= 1 << s->field[field].coarse)
            return false;
    return true;
}

/* Draws a gentle slope, so that even the farthest ghost point stays within the bounds of
 * fields. */
static void draw_slope(sketch *s, int field, text *t)
{
    const scope c = scope_of(s, may_at_border(s) & ~(unsigned)MAY_SCALARS, 1, 3);
    double far = 1;
    for (int axis = 0; axis < s->dim; axis++)
        far += 8 * s->reach[axis] * s->spacing[axis];
    text_add(t, " = (");
    if (s->mixed && !chance(s, 4))
        draw_place(s, t);
    else
        draw_unit(s, &c, t);
    if (field >= 0 && far_apart(s, field) && chance(s, 3))
        text_add(t, " - 0.5*%s", s->field[field].name);
    text_add(t, ")/%.0f", ceil(far));
}

static void draw_rule(sketch *s, const rule *r, bool part, text *t)
{
    const border_rule *const row = &border_rules[r->kind];
    const char *const field = r->field < 0 ? "" : s->field[r->field].name;
    const char *const space = r->field < 0 ? "" : " ";
    text_add(t, "border");
    if (row->values) {
        text_add(t, "%s%s", space, field);
        const scope c = scope_of(s, may_at_border(s), 2, 6);
        text_add(t, " = ");
        if (s->mixed && !chance(s, 4))
            draw_place(s, t);
        else if (chance(s, 3))
            text_add(t, "%s", chance(s, 2) ? "0" : "-0.5");
        else
            draw_unit(s, &c, t);
    } else if (row->takes_value && chance(s, 2) &&
               (row->fixes_wall || row->wall != WALL_BETWEEN ||
                !(s->stretched[0] || s->stretched[1] || s->stretched[2]))) {
        text_add(t, " %s%s%s", row->word, space, field);
        draw_slope(s, r->field, t);
    } else if (chance(s, 2)) {
        text_add(t, " %s%s%s", row->word, space, field);
    } else {
        text_add(t, "%s%s %s", space, field, row->word);
    }
    draw_faces(s, r->faces, border_lies_beyond(r->kind), t);
    if (part) {
        /* Draws a condition on indices, which no rounding makes doubtful. */
        const int axis = pick(s, s->dim);
        text_add(t, " where i%c %s %d", "xyz"[axis], chance(s, 2) ? "<" : ">=",
                 1 + pick(s, (int)int64_least(s->extent[axis], 20)));
    }
    text_add(t, "\n");
}

static void add_rule(sketch *s, const rule *r, text *t)
{
    for (int i = 0; i < s->fields; i++)
        for (int face = 0; face < 2 * s->dim; face++)
            if (concerns(r, i, face / 2, face % 2))
                s->field[i].border[face / 2][face % 2] = r->kind;
    draw_rule(s, r, false, t);
}

/* Draws rules of parts of faces, for points whose images lie on no face. */
static void draw_parts(sketch *s, text *t)
{
    for (int more = 1 + pick(s, 3); more > 0; more--) {
        const int field = pick(s, s->fields), axis = pick(s, s->dim), side = pick(s, 2);
        rule r = {.field = field, .faces = FACE_BIT(axis, side)};
        border_kind *own = &s->field[field].border[axis][side];
        pick_kind(s, &r);
        if (*own == BORDER_NONE || border_wraps(*own) || border_wraps(r.kind) ||
            s->extent[axis] >> s->field[field].coarse < s->reach[axis] + 2)
            continue;
        draw_rule(s, &r, true, t);
        *own = *own == r.kind && border_rules[r.kind].takes_value ? r.kind
                                                                  : BORDER_BEYOND;
    }
}

/* Draws the borders of one axis: periodic, or one kind per face. */
static void draw_mixed_axis(sketch *s, int field, int axis, text *t)
{
    rule around = {field, FACE_BIT(axis, 0) | FACE_BIT(axis, 1), BORDER_PERIODIC};
    if (chance(s, 2) && rule_is_legal(s, &around)) {
        add_rule(s, &around, t);
        return;
    }
    for (int side = 0; side < 2; side++) {
        rule r = {.field = field, .faces = FACE_BIT(axis, side)};
        do
            pick_kind(s, &r);
        while (border_wraps(r.kind));
        add_rule(s, &r, t);
    }
}

static void draw_rules(sketch *s, text *t)
{
    if (s->mixed) {
        /* Draws equal rules for all fields, or separate rules. Some schedules need
         * equal rules, because they share the points beyond faces. */
        const bool alike = !chance(s, 3);
        for (int field = alike ? -1 : 0; field < (alike ? 0 : s->fields); field++)
            for (int axis = 0; axis < s->dim; axis++)
                draw_mixed_axis(s, field, axis, t);
        return;
    }
    rule all = {.field = -1, .faces = all_faces(s)};
    pick_kind(s, &all);
    add_rule(s, &all, t);
    for (int more = chance(s, 2) ? 0 : 1 + pick(s, 4); more > 0; more--) {
        rule r = {.field = chance(s, 4) ? -1 : pick(s, s->fields), .faces = all_faces(s)};
        pick_kind(s, &r);
        r.faces = pick_faces(s, &r);
        add_rule(s, &r, t);
    }
}

/* ---- absorbing layers -------------------------------------------------------------- */

/* Faces without a periodic field. */
static unsigned open_faces(const sketch *s)
{
    unsigned faces = 0;
    for (int axis = 0; axis < s->dim; axis++)
        if (!is_periodic(s, -1, axis))
            faces |= FACE_BIT(axis, 0) | FACE_BIT(axis, 1);
    return faces;
}

/* Draws a layer, no wider than the grid along any of its axes. */
static void draw_layer(sketch *s, unsigned faces, text *t)
{
    int64_t most = 4;
    for (int axis = 0; axis < s->dim; axis++)
        if ((faces & FACE_BIT(axis, 0)) && s->extent[axis] < most)
            most = s->extent[axis];
    text_add(t, "absorb %d cells", 1 + pick(s, (int)most));
    if (chance(s, 2))
        text_add(t, " strength 0.%d", 1 + pick(s, 9));
    draw_faces(s, faces, false, t);
    text_add(t, "\n");
}

void draw_borders(sketch *s, text *t)
{
    const int params = s->params;
    if (s->reach[0] <= 0 && s->reach[1] <= 0 && s->reach[2] <= 0 && chance(s, 2))
        return;
    if (chance(s, 12)) {
        draw_layer(s, all_faces(s), t);
        return;
    }
    s->params -= s->reduced; /* fields with borders went into it */
    draw_rules(s, t);
    if (chance(s, 6))
        draw_parts(s, t);
    s->params = params;
    const unsigned open = open_faces(s);
    if (open && chance(s, 5))
        draw_layer(s, open, t);
}

static bool has_deep(const sketch *s)
{
    for (int i = 0; i < s->fields; i++)
        if (s->field[i].updated && s->field[i].coarse > 1)
            return true;
    return false;
}

/* Draws a mask of all fields or of one. With fields beyond the first coarse grid, only a
 * mask of one field is legal. */
void draw_mask(sketch *s, text *t)
{
    const scope c = scope_of(s, MAY_POINT | MAY_VALUES | MAY_SCALARS | MAY_LETS, 1, 4);
    if (!chance(s, 5))
        return;
    text_add(t, "mask ");
    for (int i = 0; i < s->fields; i++)
        if (s->field[i].updated && (chance(s, 4) || has_deep(s))) {
            text_add(t, "%s = ", s->field[i].name);
            break;
        }
    draw_condition(s, &c, t);
    bool coarse = false;
    for (int i = 0; i < s->fields; i++)
        coarse = coarse || s->field[i].coarse;
    text_add(t, "%s\n", !coarse && chance(s, 2) ? " insulated" : "");
}
