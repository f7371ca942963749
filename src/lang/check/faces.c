/* SPDX-License-Identifier: BSD-3-Clause */
/* Parses faces of the grid, such as `at x-, y+`, and reports other spellings. */
#include <string.h>

#include "lang/lang_private.h"

static bool is_face(const token *t)
{
    return t->kind == TOKEN_NAME && t->length == 1 && strchr(axis_letters, *t->text) &&
           (token_is(t + 1, "-") || token_is(t + 1, "+"));
}

/* Reports wrong faces, and lists the faces of the grid if it is known by now. */
static void report_faces(parser *p, const char *what, const char *example)
{
    static const char *const faces[] = {"x-, x+, y-, y+, z- and z+", "x- and x+",
                                        "x-, x+, y- and y+"};

    syntax_mistake(p, "%s; faces are %s, as in %s x-, x+", what, faces[p->dim % MAX_DIM],
                   example);
}

unsigned faces_parse(parser *p, const char *example)
{
    unsigned faces = 0;

    do {
        const token *t = p->next;
        if (!is_face(t)) {
            report_faces(p, "a face is missing", example);
            return faces;
        }
        const int axis = (int)(strchr(axis_letters, *t->text) - axis_letters);
        if (p->dim > 0 && axis >= p->dim)
            mistake_at(p, t->at, "the grid has no axis %c", axis_letters[axis]);
        faces |= FACE_BIT(axis, token_is(t + 1, "+"));
        p->next += 2;
    } while (accept_on(p, ","));
    if (next_is(p, "and") || is_face(p->next))
        report_faces(p, "a comma is missing", example);
    return faces;
}

void faces_expected(parser *p, const char *word, const char *example)
{
    const token *t = p->next;

    if (!p->panic && is_face(t))
        report_faces(p,
                     arena_print(p->arena, "%s is missing before '%c%s'", word, *t->text,
                                 t[1].sign),
                     example);
}
