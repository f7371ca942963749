/* SPDX-License-Identifier: BSD-3-Clause */
/* `coarse 1 to 3 along x`: the axes halved by a coarse grid. By default all axes are
 * halved. */
#include <string.h>

#include "lang/lang_private.h"

static bool parse_number(parser *p, int least, int *number)
{
    int64_t value = least;

    if (!constant_integer(p, primary_parse(p), "the number of a coarse grid", least,
                          MAX_COARSE, &value))
        return false;
    *number = (int)value;
    return true;
}

/* Parses letters of axes, with commas between them; 0 after a mistake. */
static unsigned parse_axes(parser *p)
{
    unsigned axes = 0;

    do {
        const token *t = p->next;
        const char *letter = t->kind == TOKEN_NAME && t->length == 1
                                 ? strchr(axis_letters, *t->text)
                                 : NULL;
        if (!letter || letter - axis_letters >= p->dim) {
            syntax_mistake(p, "here stand axes of the grid, as in coarse 1 along x");
            return 0;
        }
        axes |= 1u << (letter - axis_letters);
        p->next++;
    } while (accept_on(p, ","));
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

void coarse_parse(parser *p, place at)
{
    statement *s = statement_new(p, STATEMENT_COARSE, at);
    const symbol *late = coarse_field(p);

    if (!parse_number(p, 1, &s->coarse[0]))
        return;
    s->coarse[1] = s->coarse[0];
    if (accept(p, "to") && !parse_number(p, s->coarse[0], &s->coarse[1]))
        return;
    if (!accept(p, "along")) {
        syntax_mistake(p, "'along' and axes are missing, as in coarse 1 to 3 along x");
        return;
    }
    s->axes = parse_axes(p);
    if (late)
        mistake_at(p, at, "'coarse' stands before the first coarse field, '%s'",
                   late->name);
    if (!p->grid_known)
        mistake_at(p, at, "'coarse' stands behind the grid");
    for (int k = s->coarse[0]; s->axes && k <= s->coarse[1]; k++)
        p->program->kept[k] = (unsigned char)(~s->axes & ((1u << MAX_DIM) - 1));
}
