/* SPDX-License-Identifier: BSD-3-Clause */
/* Removes unused constants from kernels: a line "const int i = ...;" goes if no later
 * line of the function reads the name. */
#include <string.h>

#include "codegen/codegen_private.h"

typedef struct line {
    const char *begin, *end;
} line;

/* Words of the lines after the current one, up to the end of the function. */
typedef struct word_set {
    arena *arena;
    uint64_t *word; /* 0: free */
    int64_t count, capacity;
} word_set;

/* ---- words ------------------------------------------------------------------------- */

static int64_t place_of(const word_set *s, uint64_t word)
{
    int64_t at = (int64_t)(word & (uint64_t)(s->capacity - 1));

    while (s->word[at] != 0 && s->word[at] != word)
        at = (at + 1) & (s->capacity - 1);
    return at;
}

static void grow(word_set *s)
{
    const word_set old = *s;

    s->capacity = old.capacity > 0 ? 2 * old.capacity : 1024;
    s->word = arena_alloc(s->arena, s->capacity, sizeof *s->word);
    for (int64_t k = 0; k < old.capacity; k++)
        if (old.word[k] != 0)
            s->word[place_of(s, old.word[k])] = old.word[k];
}

static void add_words(word_set *s, const line *l)
{
    emit_words w = {.at = l->begin, .end = l->end};

    while (emit_next_word(&w)) {
        if (2 * s->count >= s->capacity)
            grow(s);
        uint64_t *entry = &s->word[place_of(s, emit_word_hash(&w))];
        s->count += *entry == 0;
        *entry = emit_word_hash(&w);
    }
}

static void forget(word_set *s)
{
    s->count = 0;
    memset(s->word, 0, (size_t)s->capacity * sizeof *s->word);
}

/* ---- lines ------------------------------------------------------------------------- */

/* True if the line declares exactly one constant; `w` gets its name. */
static bool declares_one(const line *l, emit_words *w)
{
    *w = (emit_words){.at = l->begin, .end = l->end};
    if (l->end - l->begin < 2 || memcmp(l->end - 2, ";\n", 2) != 0 ||
        !emit_next_word(w) || !emit_word_is(w, "const"))
        return false;
    emit_words name = *w;
    while (emit_next_word(w) && !emit_word_is(w, "="))
        name = *w;
    emit_words rest = *w;
    while (emit_next_word(&rest))
        if (rest.depth == 0 && emit_word_is(&rest, ","))
            return false;
    const bool found = name.is_word && emit_word_is(w, "=");
    *w = name;
    return found;
}

static bool is_unused(const word_set *s, const line *l)
{
    emit_words name;

    return declares_one(l, &name) && s->word[place_of(s, emit_word_hash(&name))] == 0;
}

static line *find_lines(arena *a, const char *begin, const char *end, int64_t *count)
{
    int64_t capacity = 0;
    line *found = NULL;

    *count = 0;
    while (begin < end) {
        const char *newline = memchr(begin, '\n', (size_t)(end - begin));
        const char *next = newline ? newline + 1 : end;
        arena_reserve(a, &found, *count, &capacity, sizeof *found);
        found[(*count)++] = (line){begin, next};
        begin = next;
    }
    return found;
}

/* Goes from the last line to the first. */
static void drop(arena *a, const char *begin, const char *end, text *t)
{
    word_set later = {.arena = a};
    int64_t count;
    line *lines = find_lines(a, begin, end, &count);

    grow(&later);
    for (int64_t k = count; k-- > 0;) {
        if (*lines[k].begin == '}')
            forget(&later);
        if (is_unused(&later, &lines[k]))
            lines[k].end = lines[k].begin;
        add_words(&later, &lines[k]);
    }
    for (int64_t k = 0; k < count; k++)
        text_add_bytes(t, lines[k].begin, lines[k].end - lines[k].begin);
}

pav_status emit_drop_unused(text *t, int64_t begin)
{
    pav_status status = PAV_ENOMEM;
    text kept = {0};
    arena *a = arena_new();

    if (t->failed || !a) {
        arena_free(a);
        return t->failed ? PAV_OK : PAV_ENOMEM;
    }
    text_add_bytes(&kept, t->data, begin);
    ARENA_GUARD(a, status,
                (drop(a, t->data + begin, t->data + t->length, &kept), PAV_OK));
    arena_free(a);
    text_free(t);
    *t = kept;
    return status;
}
