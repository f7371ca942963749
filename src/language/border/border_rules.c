/* SPDX-License-Identifier: BSD-3-Clause */
/* The table of border rules, and functions derived from it. */
#include <string.h>

#include "border/border.h"

#define ROW(kind, word, ...) [BORDER_##kind] = {word, __VA_ARGS__},
const border_rule border_rules[BORDER_KINDS] = {BORDER_UNNAMED(ROW) BORDER_NAMED(ROW)};

#define LISTED(kind, word, ...) ", " word
static const char listed[] = BORDER_NAMED(LISTED);

const char *border_words(void)
{
    return listed + 2;
}

int64_t border_points_needed(border_kind kind, int halo)
{
    const border_rule *r = &border_rules[kind];

    return !r->copies || (r->map & GHOST_CLAMPS)    ? 1
           : r->map & (GHOST_WRAPS | GHOST_BETWEEN) ? halo
                                                    : (int64_t)halo + 1;
}

border_kind border_unsigned(border_kind kind)
{
    const unsigned map = border_rules[kind].map & ~(unsigned)GHOST_NEGATIVE;

    for (int k = 0; k < BORDER_KINDS; k++)
        if (border_rules[k].copies && border_rules[k].map == map)
            return (border_kind)k;
    return kind;
}

#define FIRST(kind, ...) BORDER_##kind,
static const border_kind named[] = {BORDER_NAMED(FIRST)};

border_kind border_find(const char *word, int length)
{
    for (size_t n = 0; n < sizeof named / sizeof *named; n++) {
        const char *known = border_rules[named[n]].word;
        if (strlen(known) == (size_t)length && memcmp(known, word, (size_t)length) == 0)
            return named[n];
    }
    return BORDER_NONE;
}
