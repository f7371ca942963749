/* SPDX-License-Identifier: BSD-3-Clause */
/* Stencils: neighbours and their weights, listed one by one, by class, or in a box. */
#include <stdlib.h>
#include <string.h>

#include "lang/lang_private.h"

enum { CENTRE, FACE, EDGE, CORNER, CLASSES };
static const char *const class_names[CLASSES] = {"centre", "face", "edge", "corner"};

typedef struct draft {
    symbol *symbol;
    int64_t taps, tap_capacity;
    stencil_tap *tap;
    int64_t weights, weight_capacity; /* of a box */
    expr **weight;
    expr *class_weight[CLASSES];
    place class_at[CLASSES];
    bool listed, classed, boxed;
    place box_at;
} draft;

static bool ends_entry(const parser *p)
{
    return p->panic || p->next->kind == TOKEN_NEWLINE || next_is(p, ";") ||
           next_is(p, ",") || next_is(p, "}");
}

/* ---- entries ----------------------------------------------------------------------- */

static void add_tap(parser *p, draft *d, const stencil_tap *tap)
{
    ARENA_ADD(p->arena, d->tap, d->taps, d->tap_capacity) = *tap;
    if (d->taps == MAX_NODES_WRITTEN)
        syntax_mistake(p, "a stencil has at most %d neighbours", MAX_NODES_WRITTEN);
}

static void parse_class(parser *p, draft *d, int class)
{
    d->classed = true;
    d->class_at[class] = p->next->at;
    take(p);
    if (d->class_weight[class])
        mistake_at(p, d->class_at[class], "'%s' is given twice", class_names[class]);
    if (p->dim > 0 && class > p->dim)
        mistake_at(p, d->class_at[class],
                   "a grid of %d ax%s has no neighbours of class '%s'", p->dim,
                   p->dim == 1 ? "is" : "es", class_names[class]);
    d->class_weight[class] = expr_parse(p);
}

static void add_weight(parser *p, draft *d, expr *e)
{
    ARENA_ADD(p->arena, d->weight, d->weights, d->weight_capacity) = e;
    if (d->weights == MAX_NODES_WRITTEN)
        syntax_mistake(p, "a stencil has at most %d neighbours", MAX_NODES_WRITTEN);
}

/* Parses the weights of a box, up to the closing brace. */
static void parse_box(parser *p, draft *d)
{
    d->boxed = true;
    d->box_at = p->next[-1].at;
    skip_newlines(p);
    do {
        add_weight(p, d, expr_parse(p));
        if (!p->panic && !ends_entry(p))
            expect(p, ",");
        while (!p->panic && p->next->inside && ends_entry(p) && !next_is(p, "}"))
            take(p);
    } while (!p->panic && !ends_entry(p) && p->next->kind != TOKEN_END);
}

static void parse_entry(parser *p, draft *d)
{
    const token *t = p->next;
    const int class = t->kind == TOKEN_NAME
                          ? word_find(class_names, CLASSES, t->text, t->length)
                          : -1;

    if (class >= 0)
        parse_class(p, d, class);
    else if (accept(p, "[")) {
        stencil_tap tap = {{0}, NULL};
        d->listed = true;
        p->nodes = 0;
        offsets_parse(p, p->next - 1, tap.offset);
        tap.weight = expr_parse(p);
        if (!p->panic)
            add_tap(p, d, &tap);
    } else if (accept(p, "box"))
        parse_box(p, d);
    else
        syntax_mistake(p,
                       "an entry of a stencil begins with [offsets], centre, face, edge, "
                       "corner or box");
    if (d->listed + d->classed + d->boxed > 1)
        mistake_at(p, t->at,
                   "a stencil is either a list of neighbours, or classes, or one box");
    if (!ends_entry(p))
        syntax_mistake(p, "the next entry follows a comma, ; or on a new line");
}

/* ---- taps -------------------------------------------------------------------------- */

/* Offset k of the box with the given radius, x fastest. */
static stencil_tap box_tap(const parser *p, int64_t k, int64_t radius, expr *weight)
{
    stencil_tap tap = {{0}, weight};

    for (int i = 0; i < p->dim; i++, k /= 2 * radius + 1)
        tap.offset[i] = (int)(k % (2 * radius + 1) - radius);
    return tap;
}

static void spread_box(parser *p, draft *d)
{
    int64_t radius = 0, count = 1;

    while (count < d->weights) {
        radius++;
        count = 1;
        for (int i = 0; i < p->dim; i++)
            count *= 2 * radius + 1;
    }
    if (count != d->weights) {
        mistake_at(p, d->box_at,
                   "a box in %d dimension%s has %s weights for radius 0, 1, 2, ...; "
                   "these are %lld",
                   p->dim, p->dim == 1 ? "" : "s",
                   p->dim == 1   ? "1, 3, 5, ..."
                   : p->dim == 2 ? "1, 9, 25, ..."
                                 : "1, 27, 125, ...",
                   (long long)d->weights);
        return;
    }
    for (int64_t k = 0; k < count && !p->panic; k++) {
        const stencil_tap tap = box_tap(p, k, radius, d->weight[k]);
        add_tap(p, d, &tap);
    }
}

/* Gives every neighbour within one point the weight of its class: the number of its
 * nonzero offsets. */
static void spread_classes(parser *p, draft *d)
{
    int count = 1;

    for (int i = 0; i < p->dim; i++)
        count *= 3;
    for (int k = 0; k < count; k++) {
        stencil_tap tap = box_tap(p, k, 1, NULL);
        int class = 0;
        for (int i = 0; i < p->dim; i++)
            class += tap.offset[i] != 0;
        tap.weight = d->class_weight[class];
        if (tap.weight)
            add_tap(p, d, &tap);
    }
}

/* Drops neighbours whose weight is the constant 0, but keeps one neighbour if all weights
 * are 0. */
static void drop_zeros(parser *p, draft *d)
{
    int64_t kept = 0;
    const int64_t least = d->taps > 0;

    for (int64_t i = 0; i < d->taps; i++) {
        const constant c = constant_find(p, d->tap[i].weight);
        if (!c.known || c.value.v != 0)
            d->tap[kept++] = d->tap[i];
    }
    d->taps = kept > least ? kept : least;
}

static int by_offset(const void *a, const void *b)
{
    const stencil_tap *l = *(const stencil_tap *const *)a,
                      *r = *(const stencil_tap *const *)b;

    return memcmp(l->offset, r->offset, sizeof l->offset);
}

static void report_twice(parser *p, const draft *d)
{
    const stencil_tap **sorted = arena_alloc(p->arena, d->taps,
                                             sizeof(const stencil_tap *));

    for (int64_t i = 0; i < d->taps; i++)
        sorted[i] = &d->tap[i];
    if (d->taps > 1)
        qsort(sorted, (size_t)d->taps, sizeof(const stencil_tap *), by_offset);
    for (int64_t i = 1; i < d->taps; i++)
        if (memcmp(sorted[i - 1]->offset, sorted[i]->offset, sizeof sorted[i]->offset) ==
            0) {
            const stencil_tap *late = sorted[i - 1] > sorted[i] ? sorted[i - 1]
                                                                : sorted[i];
            mistake_at(p, late->weight->at,
                       "the neighbour of this weight is given twice");
        }
}

/* ---- the statement ----------------------------------------------------------------- */

static void check_weights(parser *p, draft *d)
{
    reads *r = reads_new(p);

    for (int64_t i = 0; i < d->taps; i++)
        if (i == 0 || d->tap[i].weight != d->tap[i - 1].weight) {
            type_check(p, d->tap[i].weight, false);
            reads_collect(p, d->tap[i].weight, r);
        }
    d->symbol->notes->reads = r;
}

static void finish(parser *p, draft *d)
{
    symbol *s = d->symbol;

    if (d->boxed)
        spread_box(p, d);
    else if (d->classed)
        spread_classes(p, d);
    if (statement_is_bad(p))
        return;
    check_weights(p, d);
    if (d->listed)
        report_twice(p, d);
    if (!statement_is_bad(p))
        drop_zeros(p, d);
    s->form = d->boxed ? STENCIL_BOX : d->classed ? STENCIL_CLASSES : STENCIL_LIST;
    s->taps = (int)d->taps;
    s->tap = d->tap;
    s->classes = d->boxed ? (int)d->weights : CLASSES;
    s->class_weight = d->boxed ? d->weight
                               : arena_alloc(p->arena, CLASSES, sizeof(expr *));
    if (!d->boxed)
        memcpy(s->class_weight, d->class_weight, sizeof d->class_weight);
}

static bool parse_braces(parser *p, draft *d)
{
    skip_newlines(p);
    const token *open = p->next;
    if (!expect(p, "{"))
        return false;
    while (!p->panic && !next_is(p, "}")) {
        if (ends_entry(p) && p->next->inside)
            take(p);
        else if (ends_entry(p) || p->next->kind == TOKEN_END)
            syntax_mistake(p, "'}' is missing, for the '{' at %d:%d", open->at.line,
                           open->at.column);
        else
            parse_entry(p, d);
    }
    return accept(p, "}");
}

bool stencil_parse(parser *p, statement *s)
{
    const token *name = expect_name(p, "a name");
    draft d = {0};

    if (!name)
        return false;
    parse_braces(p, &d);
    d.symbol = symbol_declare(p, SYMBOL_STENCIL, name);
    if (!statement_is_bad(p) && !d.listed && !d.classed && !d.boxed)
        mistake_at(p, name->at, "the stencil '%s' has no neighbours", d.symbol->name);
    if (!statement_is_bad(p)) {
        s->symbol = d.symbol;
        if (p->dim > 0)
            finish(p, &d);
    }
    d.symbol->notes->bad |= statement_is_bad(p) || p->dim == 0;
    return true;
}
