/* SPDX-License-Identifier: BSD-3-Clause */
/* The rules of borders, one row each: they define the values beyond a face of a field.
 * The parser, the IR, all executors and generators use the table. Code that names a kind
 * does so for a property missing in the table. docs/extending.md explains how to add a
 * row.
 *
 * In the formulas a face is side -, u(0) its outermost point, k = 1, 2, ... counts ghost
 * points outwards and n points along the axis; side + is the same counted from the last
 * point. */
#ifndef BORDER_BORDER_H
#define BORDER_BORDER_H

#include <stdbool.h>
#include <stdint.h>

#include "base/base.h"
#include "border/ghost_map_private.h"

/* kind, word, and the members of border_rule other than 0 or false. Descriptions cannot
 * use the words of BORDER_UNNAMED. */
#define BORDER_UNNAMED(X)                                                                \
    X(NONE, "none", .values = false)                                                     \
    X(VALUE, "value", .values = true, .takes_value = true, .has_face = true,             \
      .fixes_wall = true)                                                                \
    X(BEYOND, "beyond", .values = true, .takes_value = true, .fixes_wall = true,         \
      .wall = WALL_ON_GHOST)
#define BORDER_NAMED(X)                                                                  \
    X(NEUMANN, "neumann", .copies = true, .takes_value = true)                           \
    X(PERIODIC, "periodic", .copies = true, .map = GHOST_WRAPS)                          \
    X(MIRROR, "mirror", .copies = true, .takes_value = true, .map = GHOST_BETWEEN,       \
      .wall = WALL_BETWEEN, .own_adjoint = true)                                         \
    X(ODD, "odd", .copies = true, .map = GHOST_NEGATIVE, .has_face = true,               \
      .fixes_wall = true, .own_adjoint = true)                                           \
    X(ANTIMIRROR, "antimirror", .copies = true, .takes_value = true,                     \
      .map = GHOST_BETWEEN | GHOST_NEGATIVE, .wall = WALL_BETWEEN, .fixes_wall = true,   \
      .own_adjoint = true)                                                               \
    X(CLAMP, "clamp", .copies = true, .map = GHOST_CLAMPS, .wall = WALL_BETWEEN)

typedef enum border_kind {
#define BORDER_ENUMERATOR(kind, ...) BORDER_##kind,
    BORDER_UNNAMED(BORDER_ENUMERATOR) BORDER_NAMED(BORDER_ENUMERATOR) BORDER_KINDS
#undef BORDER_ENUMERATOR
} border_kind;

/* The place of the wall, in half cells behind the outermost point. */
typedef enum border_wall { WALL_ON_POINT, WALL_BETWEEN, WALL_ON_GHOST } border_wall;

typedef struct border_rule {
    const char *word;
    bool values; /* a stage computes the ghosts and, with has_face, the face */
    bool copies; /* ghosts are copies of points by `map` */
    /* the statement may have a value. With copies a stage adds it: u(-k) = copy +
     * distance*value, between the ghost and the copied point; with fixes_wall u(-k) =
     * copy + 2*value */
    bool takes_value;
    bool has_face; /* the rule sets the outermost points: no step stores them */
    /* the value at the wall is given; otherwise the flux through the wall is 0 */
    bool fixes_wall;
    bool own_adjoint; /* the transpose of an even operator has the same rule */
    border_wall wall;
    ghost_map map;
} border_rule;

extern const border_rule border_rules[BORDER_KINDS];

/* Points along an axis needed for a halo of this many ghosts. */
int64_t border_points_needed(border_kind kind, int halo);
/* The rule with the same copies without the sign. */
border_kind border_unsigned(border_kind kind);
/* The kind for a word of the language; BORDER_NONE: there is no such word. */
border_kind border_find(const char *word, int length);
/* "neumann, periodic, mirror, ...": the words of BORDER_NAMED. */
const char *border_words(void);

/* True if the kind defines values beyond a face. */
static inline bool border_is(border_kind kind)
{
    return border_rules[kind].values || border_rules[kind].copies;
}

/* True if the statement has the word `beyond` instead of `at`. */
static inline bool border_lies_beyond(border_kind kind)
{
    return border_rules[kind].values && !border_rules[kind].has_face;
}

/* True if the border's stage also stores the outermost points. */
static inline bool border_stores_face(border_kind kind)
{
    return border_rules[kind].values && border_rules[kind].has_face;
}

static inline bool border_wraps(border_kind kind)
{
    return border_rules[kind].copies && (border_rules[kind].map & GHOST_WRAPS);
}

/* True if ghosts are copies of points near the face. */
static inline bool border_copies_inside(border_kind kind)
{
    return border_rules[kind].copies && !border_wraps(kind);
}

/* True if points lie on a wall without flux. */
static inline bool border_insulates_points(border_kind kind)
{
    const border_rule *r = &border_rules[kind];

    return border_copies_inside(kind) && !r->fixes_wall && r->wall == WALL_ON_POINT;
}

/* The distance from the face to the point copied by ghost k; negative: ghost k copies no
 * point, or a point at the other end of the axis. */
static inline int border_inside(border_kind kind, int k)
{
    const border_rule *r = &border_rules[kind];

    if (!r->copies || (r->map & GHOST_WRAPS))
        return -1;
    return r->map & GHOST_CLAMPS ? 0 : k - (r->map & GHOST_BETWEEN ? 1 : 0);
}

#endif
