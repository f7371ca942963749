/* SPDX-License-Identifier: BSD-3-Clause */
/* Upright grids: two axes, x and z. Internally the second axis is always y. The words z,
 * hz, nz and dz of such a description are read like y, hy, ny and dy, and are written
 * back with z. */
#include <string.h>

#include "lang/lang_private.h"

/* True for x, nx, hx and derivatives, along any axis. */
static bool names_axes(const char *word, int64_t length)
{
    int derivative[MAX_DIM];
    const char *last = word + length - 1;
    const bool short_name = length == 1 ||
                            (length == 2 && (*word == 'n' || *word == 'h'));

    if (short_name && *last >= 'x' && *last <= 'z')
        return true;
    return length <= 5 && derivative_find(word, (int)length, derivative);
}

static void swap_word(char *word, int64_t length)
{
    for (int64_t i = 0; i < length; i++)
        if (word[i] == 'y' || word[i] == 'z')
            word[i] = word[i] == 'y' ? 'z' : 'y';
}

void upright_swap(char *words, int64_t length)
{
    bool quoted = false;

    for (int64_t i = 0; i < length; i++) {
        int64_t end = i;
        quoted ^= words[i] == '"';
        while (end < length && char_is_of_word(words[end]))
            end++;
        if (end > i && !quoted && names_axes(words + i, end - i))
            swap_word(words + i, end - i);
        i = end > i ? end - 1 : i;
    }
}

void upright_tokens(parser *p)
{
    for (int64_t i = 0; i < p->tokens; i++) {
        token *t = &p->token[i];
        if (t->kind != TOKEN_NAME || !names_axes(t->text, t->length))
            continue;
        char *name = arena_print(p->arena, "%.*s", t->length, t->text);
        swap_word(name, t->length);
        t->text = name;
    }
    p->program->upright = true;
}

char axis_letter(const program *p, int axis)
{
    return p->upright && axis == 1 ? 'z' : axis_letters[axis];
}
