/* SPDX-License-Identifier: BSD-3-Clause */
/* Removes unused helpers from a source. Device code is included as whole files. It is cut
 * at blank lines between definitions, and only definitions named by kernels, or by other
 * kept helpers, remain. */
#include <stdlib.h>
#include <string.h>

#include "codegen/codegen_private.h"

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
