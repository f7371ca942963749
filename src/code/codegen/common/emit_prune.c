/* SPDX-License-Identifier: BSD-3-Clause */
/* Removes what a printed source does not use: helpers of the prelude, and constants of
 * kernels. Both look at the tokens of the text. */
#include <ctype.h>
#include <stdlib.h>
#include <string.h>

#include "codegen/codegen_private.h"

/* ---- tokens ------------------------------------------------------------------------ */
/* Splits C and CUDA text into tokens, without comments, strings and numbers. */

typedef struct word_scan {
    const char *at, *end; /* rest of the text; set by the caller */
    const char *token;    /* a word, or one sign */
    int64_t length;
    bool is_word, directive; /* directive: the token is a # */
    int depth, conditions;   /* nesting behind the token: braces and parentheses; #if */
} word_scan;

static bool begins(const word_scan *w, const char *with)
{
    return strncmp(w->at, with, strlen(with)) == 0;
}

/* Moves behind the next `end`, or to the end of the text. */
static void skip_past(word_scan *w, const char *end)
{
    const char *found = strstr(w->at, end);

    w->at = found && found < w->end ? found + strlen(end) : w->end;
}

static void skip_word(word_scan *w)
{
    while (w->at < w->end && char_is_of_word(*w->at))
        w->at++;
}

/* Moves to the next token. */
static void skip_blank(word_scan *w)
{
    while (w->at < w->end) {
        if (begins(w, "/*"))
            skip_past(w, "*/");
        else if (begins(w, "//"))
            skip_past(w, "\n");
        else if (*w->at == '"' || *w->at == '\'') {
            const char quote = *w->at++;

            while (w->at < w->end && *w->at != quote)
                w->at += *w->at == '\\' ? 2 : 1;
            w->at += w->at < w->end;
        } else if (isdigit((unsigned char)*w->at))
            skip_word(w);
        else if (isspace((unsigned char)*w->at) || *w->at == '\\')
            w->at++;
        else
            return;
    }
}

static bool word_is(const word_scan *w, const char *word)
{
    return (int64_t)strlen(word) == w->length &&
           memcmp(w->token, word, (size_t)w->length) == 0;
}

static bool next_word(word_scan *w)
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

    /* Counts open braces and parentheses behind the token, and open #if. */
    if (w->is_word && w->directive)
        w->conditions += (w->length >= 2 && memcmp(w->token, "if", 2) == 0) -
                         word_is(w, "endif");
    else if (!w->is_word)
        w->depth += (strchr("{(", *w->token) != NULL) - (strchr("})", *w->token) != NULL);
    w->directive = *w->token == '#';

    return true;
}

static uint64_t word_hash(const word_scan *w)
{
    return hash_bytes(w->token, w->length);
}

/* ---- unused constants -------------------------------------------------------------- */
/* Removes unused constants from kernels: a line "const int i = ...;" goes if no later
 * line of the function reads the name. */

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

/* ---- lines ------------------------------------------------------------------------- */

/* True if the line declares exactly one constant; `w` gets its name. */
static bool declares_one(const char *line, const char *end, word_scan *w)
{
    *w = (word_scan){.at = line, .end = end};
    if (end - line < 2 || memcmp(end - 2, ";\n", 2) != 0 || !next_word(w) ||
        !word_is(w, "const"))
        return false;
    word_scan name = *w;
    while (next_word(w) && !word_is(w, "="))
        name = *w;
    word_scan rest = *w;
    while (next_word(&rest))
        if (rest.depth == 0 && word_is(&rest, ","))
            return false;
    const bool found = name.is_word && word_is(w, "=");
    *w = name;
    return found;
}

/* Goes from the last line to the first, and moves the remaining lines to the end of the
 * text. Returns their beginning. */
static char *drop(arena *a, char *begin, char *end)
{
    word_set later = {.arena = a};
    char *kept = end;

    grow(&later);
    for (char *line = end; end > begin; end = line) {
        for (line = end - 1; line > begin && line[-1] != '\n';)
            line--;
        if (*line == '}') {
            later.count = 0;
            memset(later.word, 0, (size_t)later.capacity * sizeof *later.word);
        }
        word_scan w;
        if (declares_one(line, end, &w) &&
            later.word[place_of(&later, word_hash(&w))] == 0)
            continue;
        w = (word_scan){.at = line, .end = end};
        while (next_word(&w)) {
            if (2 * later.count >= later.capacity)
                grow(&later);
            uint64_t *entry = &later.word[place_of(&later, word_hash(&w))];
            later.count += *entry == 0;
            *entry = word_hash(&w);
        }
        kept -= end - line;
        memmove(kept, line, (size_t)(end - line));
    }
    return kept;
}

static pav_status drop_lines(arena *a, text *t, int64_t begin)
{
    const char *kept = drop(a, t->data + begin, t->data + t->length);
    const int64_t left = t->data + t->length - kept;

    memmove(t->data + begin, kept, (size_t)left + 1);
    t->length = begin + left;
    return PAV_OK;
}

pav_status emit_drop_unused(text *t, int64_t begin)
{
    if (t->failed)
        return PAV_OK;
    RETURN_IN_ARENA(a, drop_lines(a, t, begin));
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
    ARENA_ADD(p->arena, p->part, p->parts, p->part_capacity) = (part){begin, end, false};
}

/* ---- names ------------------------------------------------------------------------- */

/* True if a definition's name ends before the current token: f(, x[, s {, c =, t; */
static bool ends_name(const word_scan *w)
{
    word_scan next = *w;

    return next_word(&next) && !next.is_word && strchr("({[=;", *next.token);
}

static int by_hash(const void *one, const void *other)
{
    const part_name *a = one, *b = other;

    return a->hash < b->hash ? -1 : a->hash > b->hash;
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
    word_scan w = {.at = begin, .end = end};

    while (next_word(&w)) {
        if (!w.is_word)
            continue;
        const uint64_t word = word_hash(&w);
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
    word_scan w = {.at = begin, .end = end};
    const char *from = begin;

    while (next_word(&w))
        if (w.depth == 0 && w.conditions == 0 && end - w.at > 2 &&
            memcmp(w.at, "\n\n", 2) == 0) {
            add_part(p, from, w.at + 1);
            from = w.at + 1;
        }
    add_part(p, from, end);

    /* Finds the names of each definition: all words of an enumeration or a typedef; else
     * the words outside of braces before the end of a name. Keeps parts without names,
     * for example directives. */
    for (int64_t k = 0; k < p->parts; k++) {
        const int64_t before = p->names;
        bool all = false, next = false;

        w = (word_scan){.at = p->part[k].begin, .end = p->part[k].end};
        while (next_word(&w)) {
            if (w.is_word && (all || next || (w.depth == 0 && ends_name(&w)))) {
                ARENA_ADD(p->arena, p->name, p->names,
                          p->name_capacity) = (part_name){word_hash(&w), k};
            }
            next = word_is(&w, "struct") || word_is(&w, "define");
            all |= w.depth == 0 && (word_is(&w, "enum") || word_is(&w, "typedef"));
            all = all && !(w.depth == 0 && *w.token == ';');
        }
        p->part[k].kept = p->names == before;
    }
    if (p->names > 0)
        qsort(p->name, (size_t)p->names, sizeof *p->name, by_hash);

    for (int64_t k = 0; k < p->parts; k++)
        if (p->part[k].kept)
            keep_used(p, p->part[k].begin, p->part[k].end);
    keep_used(p, end, end + strlen(end));
    for (int64_t k = 0; k < p->parts; k++)
        if (p->part[k].kept)
            text_add_bytes(t, p->part[k].begin, p->part[k].end - p->part[k].begin);
}

static pav_status prune_parts(arena *a, const text *t, int64_t begin, int64_t end,
                              text *pruned)
{
    pruning p = {.arena = a};

    prune(&p, t->data + begin, t->data + end, pruned);
    return PAV_OK;
}

pav_status emit_prune(text *t, int64_t begin, int64_t end)
{
    text pruned = {0};
    pav_status status;

    if (t->failed)
        return PAV_OK;
    text_add_bytes(&pruned, t->data, begin);
    IN_ARENA(a, status, prune_parts(a, t, begin, end, &pruned));
    text_add_bytes(&pruned, t->data + end, t->length - end);
    text_free(t);
    *t = pruned;
    return status;
}
