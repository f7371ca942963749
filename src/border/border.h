/* SPDX-License-Identifier: BSD-3-Clause */
/* The rules of borders, a row each: what lies beyond a face of a field. The parser, the
 * IR, all executors and generators ask the table; who names a kind has a reason that the
 * table does not hold. docs/extending.md says how a row is added.
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

/* kind, word, and what is not 0 or false of a border_rule. The words of the first three
 * are for people alone. */
#define BORDER_UNNAMED(X)                                                                \
    X(NONE, "none", .values = false)                                                     \
    X(VALUE, "value", .values = true, .takes_value = true, .has_face = true,             \
      .fixes_wall = true)                                                                \
    X(BEYOND, "beyond", .values = true, .takes_value = true, .fixes_wall = true,         \
      .wall = WALL_ON_GHOST)
#define BORDER_NAMED(X)                                                                  \
    X(NEUMANN, "neumann", .copies = true, .takes_value = true)                           \
    X(PERIODIC, "periodic", .copies = true, .map = GHOST_WRAPS)                          \
    X(MIRROR, "mirror", .copies = true, .map = GHOST_BETWEEN, .wall = WALL_BETWEEN,      \
      .own_adjoint = true)                                                               \
    X(ODD, "odd", .copies = true, .map = GHOST_NEGATIVE, .has_face = true,               \
      .fixes_wall = true, .own_adjoint = true)                                           \
    X(ANTIMIRROR, "antimirror", .copies = true, .map = GHOST_BETWEEN | GHOST_NEGATIVE,   \
      .wall = WALL_BETWEEN, .fixes_wall = true, .own_adjoint = true)                     \
    X(CLAMP, "clamp", .copies = true, .map = GHOST_CLAMPS, .wall = WALL_BETWEEN)

typedef enum border_kind {
#define BORDER_ENUMERATOR(kind, ...) BORDER_##kind,
    BORDER_UNNAMED(BORDER_ENUMERATOR) BORDER_NAMED(BORDER_ENUMERATOR) BORDER_KINDS
#undef BORDER_ENUMERATOR
} border_kind;

/* Where the wall lies, in half cells behind the outermost point. */
typedef enum border_wall { WALL_ON_POINT, WALL_BETWEEN, WALL_ON_GHOST } border_wall;

typedef struct border_rule {
    const char *word;
    bool values;      /* ghosts, and with has_face the face, are values of a stage */
    bool copies;      /* ghosts are copies of points, by `map` */
    bool takes_value; /* the statement may have one; of copies: a flux, added to them by a
                       * stage: u(-k) = copy + 2*k*h*value */
    bool has_face;    /* the outermost points are the rule's: no step stores them */
    bool fixes_wall;  /* the value at the wall is given; otherwise nothing flows there */
    bool own_adjoint; /* the transpose of an even operator has the same rule */
    border_wall wall;
    ghost_map map;
} border_rule;

extern const border_rule border_rules[BORDER_KINDS];

/* Points along an axis that a halo of so many ghosts needs. */
int64_t border_points_needed(border_kind kind, int halo);
/* The rule by which ghosts are the same copies without the sign. */
border_kind border_unsigned(border_kind kind);
/* Of a word of the language; BORDER_NONE: it is no such word. */
border_kind border_find(const char *word, int length);
/* "neumann, periodic, mirror, ...": those words. */
const char *border_words(void);

/* Whether it gives what lies beyond a face. */
static inline bool border_is(border_kind kind)
{
    return border_rules[kind].values || border_rules[kind].copies;
}

/* Whether a statement says `beyond` faces, not `at` them. */
static inline bool border_lies_beyond(border_kind kind)
{
    return border_rules[kind].values && !border_rules[kind].has_face;
}

/* Whether the stage of its values stores the outermost points, too. */
static inline bool border_stores_face(border_kind kind)
{
    return border_rules[kind].values && border_rules[kind].has_face;
}

static inline bool border_wraps(border_kind kind)
{
    return border_rules[kind].copies && (border_rules[kind].map & GHOST_WRAPS);
}

/* Whether ghosts are copies of points near the face. */
static inline bool border_copies_inside(border_kind kind)
{
    return border_rules[kind].copies && !border_wraps(kind);
}

/* Whether points lie on a wall through which nothing flows. */
static inline bool border_insulates_points(border_kind kind)
{
    const border_rule *r = &border_rules[kind];

    return border_copies_inside(kind) && !r->fixes_wall && r->wall == WALL_ON_POINT;
}

/* How far inside the point is that ghost k is a copy of; below 0: it is none, or of the
 * other end of the axis. */
static inline int border_inside(border_kind kind, int k)
{
    const border_rule *r = &border_rules[kind];

    if (!r->copies || (r->map & GHOST_WRAPS))
        return -1;
    return r->map & GHOST_CLAMPS ? 0 : k - (r->map & GHOST_BETWEEN ? 1 : 0);
}

#endif
