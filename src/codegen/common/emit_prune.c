/* SPDX-License-Identifier: BSD-3-Clause */
/* Removes what a printed source does not use: helpers of the prelude, and constants of
 * kernels. Both look at the tokens of the text. */
#include <ctype.h>
#include <stdlib.h>
#include <string.h>

#include "codegen/codegen_private.h"

/* ---- tokens ------------------------------------------------------------------------ */
/* Splits C and CUDA text into tokens, without comments, strings and numbers. */

static bool begins(const emit_words *w, const char *with)
{
    return strncmp(w->at, with, strlen(with)) == 0;
}

/* Moves behind the next `end`, or to the end of the text. */
static void skip_past(emit_words *w, const char *end)
{
    const char *found = strstr(w->at, end);

    w->at = found && found < w->end ? found + strlen(end) : w->end;
}

static void skip_quoted(emit_words *w)
{
    const char quote = *w->at++;

    while (w->at < w->end && *w->at != quote)
        w->at += *w->at == '\\' ? 2 : 1;
    w->at += w->at < w->end;
}

static void skip_word(emit_words *w)
{
    while (w->at < w->end && char_is_of_word(*w->at))
        w->at++;
}

/* Moves to the next token. */
static void skip_blank(emit_words *w)
{
    while (w->at < w->end) {
        if (begins(w, "/*"))
            skip_past(w, "*/");
        else if (begins(w, "//"))
            skip_past(w, "\n");
        else if (*w->at == '"' || *w->at == '\'')
            skip_quoted(w);
        else if (isdigit((unsigned char)*w->at))
            skip_word(w);
        else if (isspace((unsigned char)*w->at) || *w->at == '\\')
            w->at++;
        else
            return;
    }
}

/* Counts open braces and parentheses behind the token, and directives with an #endif. */
static void count_open(emit_words *w)
{
    if (w->is_word && w->directive)
        w->conditions += (w->length >= 2 && memcmp(w->token, "if", 2) == 0) -
                         emit_word_is(w, "endif");
    else if (!w->is_word)
        w->depth += (strchr("{(", *w->token) != NULL) - (strchr("})", *w->token) != NULL);
    w->directive = *w->token == '#';
}

bool emit_next_word(emit_words *w)
{
    skip_blank(w);
    if (w->at >= w->end)
        return false;
    w->token = w->at;
    w->is_word = char_is_of_word(*w->at);
    if (w->is_word)
        skip_word(w);
    else
        w->at++;
    w->length = w->at - w->token;
    count_open(w);
    return true;
}

bool emit_word_is(const emit_words *w, const char *word)
{
    return (int64_t)strlen(word) == w->length &&
           memcmp(w->token, word, (size_t)w->length) == 0;
}

uint64_t emit_word_hash(const emit_words *w)
{
    return hash_bytes(w->token, w->length);
}

/* ---- unused constants -------------------------------------------------------------- */
/* Removes unused constants from kernels: a line "const int i = ...;" goes if no later
 * line of the function reads the name. */

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

/* ---- unused helpers ---------------------------------------------------------------- */
/* Removes unused helpers from a source. Device code is included as whole files. It is cut
 * at blank lines between definitions, and only definitions named by kernels, or by other
 * kept helpers, remain. */

/* Definitions without a blank line between them. */
typedef struct part {
    const char *begin, *end;
    bool kept;
} part;

typedef struct part_name {
    uint64_t hash;
    int64_t part;
} part_name;

typedef struct pruning {
    part *part;
    part_name *name;
    int64_t parts, names, part_capacity, name_capacity;
    arena *arena;
} pruning;

/* ---- parts ------------------------------------------------------------------------- */

static void add_part(pruning *p, const char *begin, const char *end)
{
    arena_reserve(p->arena, &p->part, p->parts, &p->part_capacity, sizeof *p->part);
    p->part[p->parts++] = (part){begin, end, false};
}

static void find_parts(pruning *p, const char *begin, const char *end)
{
    emit_words w = {.at = begin, .end = end};
    const char *from = begin;

    while (emit_next_word(&w))
        if (w.depth == 0 && w.conditions == 0 && end - w.at > 2 &&
            memcmp(w.at, "\n\n", 2) == 0) {
            add_part(p, from, w.at + 1);
            from = w.at + 1;
        }
    add_part(p, from, end);
}

/* ---- names ------------------------------------------------------------------------- */

static void add_name(pruning *p, const emit_words *w, int64_t of)
{
    arena_reserve(p->arena, &p->name, p->names, &p->name_capacity, sizeof *p->name);
    p->name[p->names++] = (part_name){emit_word_hash(w), of};
}

/* True if a definition's name ends before the current token: f(, x[, s {, c =, t; */
static bool ends_name(const emit_words *w)
{
    emit_words next = *w;

    return emit_next_word(&next) && !next.is_word && strchr("({[=;", *next.token);
}

/* Finds the names of a definition: all words of an enumeration or a typedef; else the
 * words outside of braces before the end of a name. */
static void add_names(pruning *p, int64_t of)
{
    emit_words w = {.at = p->part[of].begin, .end = p->part[of].end};
    bool all = false, next = false;

    while (emit_next_word(&w)) {
        if (w.is_word && (all || next || (w.depth == 0 && ends_name(&w))))
            add_name(p, &w, of);
        next = emit_word_is(&w, "struct") || emit_word_is(&w, "define");
        all |= w.depth == 0 && (emit_word_is(&w, "enum") || emit_word_is(&w, "typedef"));
        all = all && !(w.depth == 0 && *w.token == ';');
    }
}

static int by_hash(const void *one, const void *other)
{
    const part_name *a = one, *b = other;

    return a->hash < b->hash ? -1 : a->hash > b->hash;
}

/* Keeps parts without names, for example directives. */
static void find_names(pruning *p)
{
    for (int64_t k = 0; k < p->parts; k++) {
        const int64_t before = p->names;
        add_names(p, k);
        p->part[k].kept = p->names == before;
    }
    if (p->names > 0)
        qsort(p->name, (size_t)p->names, sizeof *p->name, by_hash);
}

/* ---- uses -------------------------------------------------------------------------- */

static int64_t first_name(const pruning *p, uint64_t word)
{
    int64_t lo = 0, hi = p->names;

    while (lo < hi) {
        const int64_t middle = lo + (hi - lo) / 2;
        if (p->name[middle].hash < word)
            lo = middle + 1;
        else
            hi = middle;
    }
    return lo;
}

/* Keeps the parts named in this text, and recursively the parts named in those. Recursion
 * is only as deep as the chain of helpers. */
static void keep_used(pruning *p, const char *begin, const char *end)
{
    emit_words w = {.at = begin, .end = end};

    while (emit_next_word(&w)) {
        if (!w.is_word)
            continue;
        const uint64_t word = emit_word_hash(&w);
        for (int64_t n = first_name(p, word); n < p->names && p->name[n].hash == word;
             n++) {
            part *used = &p->part[p->name[n].part];
            if (used->kept)
                continue;
            used->kept = true;
            keep_used(p, used->begin, used->end);
        }
    }
}

static void prune(pruning *p, const char *begin, const char *end, text *t)
{
    find_parts(p, begin, end);
    find_names(p);
    for (int64_t k = 0; k < p->parts; k++)
        if (p->part[k].kept)
            keep_used(p, p->part[k].begin, p->part[k].end);
    keep_used(p, end, end + strlen(end));
    for (int64_t k = 0; k < p->parts; k++)
        if (p->part[k].kept)
            text_add_bytes(t, p->part[k].begin, p->part[k].end - p->part[k].begin);
}

static pav_status prune_into(const text *from, int64_t begin, int64_t end, text *t)
{
    pruning p = {.arena = arena_new()};
    pav_status status = PAV_ENOMEM;

    if (p.arena)
        ARENA_GUARD(p.arena, status,
                    (prune(&p, from->data + begin, from->data + end, t), PAV_OK));
    arena_free(p.arena);
    return status;
}

pav_status emit_prune(text *t, int64_t begin, int64_t end)
{
    text pruned = {0};

    if (t->failed)
        return PAV_OK;
    text_add_bytes(&pruned, t->data, begin);
    const pav_status status = prune_into(t, begin, end, &pruned);
    text_add_bytes(&pruned, t->data + end, t->length - end);
    text_free(t);
    *t = pruned;
    return status;
}
