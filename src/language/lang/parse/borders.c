/* SPDX-License-Identifier: BSD-3-Clause */
/* Borders, absorbing layers and masks. */
#include <math.h>
#include <string.h>

#include "lang/lang_private.h"

/* Bit mask of all faces of the grid. */
static unsigned all_faces(const parser *p)
{
    return p->dim > 0 ? (unsigned)FACES_ALL >> (2 * (MAX_DIM - p->dim))
                      : (unsigned)FACES_ALL;
}

/* ---- faces, such as `at x-, y+`, and other spellings ------------------------------- */

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

/* `example` precedes the faces in messages. */
static unsigned parse_faces(parser *p, const char *example)
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

/* Reports a missing word before faces. */
static void expect_no_face(parser *p, const char *word, const char *example)
{
    const token *t = p->next;

    if (!p->panic && is_face(t))
        report_faces(p,
                     arena_print(p->arena, "%s is missing before '%c%s'", word, *t->text,
                                 t[1].sign),
                     example);
}

/* ---- border ------------------------------------------------------------------------ */

typedef struct rule {
    border_kind kind; /* BORDER_NONE: a value */
    place kind_at;
    int64_t names, capacity;
    symbol **name;
    bool misnamed;
    expr *value;
    unsigned faces;
} rule;

/* BORDER_NONE: the token is none. */
static border_kind find_kind(const token *t)
{
    return t->kind == TOKEN_NAME ? border_find(t->text, t->length) : BORDER_NONE;
}

static void parse_kind(parser *p, rule *r)
{
    const token *t = p->next;
    const border_kind kind = find_kind(t);

    if (kind == BORDER_NONE || r->kind != BORDER_NONE || p->panic)
        return;
    r->kind_at = t->at;
    r->kind = kind;
    take(p);
}

static void parse_names(parser *p, rule *r)
{
    const token *t = p->next;

    const bool taken = t->kind == TOKEN_NAME && word_is_reserved(t->text, t->length) &&
                       !symbol_poisoned(p, t);

    if (p->panic || t->kind != TOKEN_NAME || taken)
        return;
    do {
        if (list_skip(p))
            continue;
        symbol *s = field_parse(p);
        r->misnamed |= !s;
        ARENA_ADD(p->arena, r->name, r->names, r->capacity) = s;
    } while (accept_on(p, ","));
}

static void parse_place(parser *p, rule *r)
{
    const place at = p->next->at;

    r->faces = all_faces(p);
    if (accept(p, "at")) {
        r->faces = parse_faces(p, "border u = 0 at");
    } else if (accept(p, "beyond")) {
        if (r->kind != BORDER_NONE)
            mistake_at(
                p, at,
                "'beyond' goes with a value, as in border u = 0 beyond x-; '%s' has "
                "only 'at'",
                border_rules[r->kind].word);
        r->kind = BORDER_BEYOND;
        if (!at_statement_end(p))
            r->faces = parse_faces(p, "border u = 0 beyond");
    }
    expect_no_face(p, "'at' or 'beyond'", "border u = 0 at");
    if (r->kind == BORDER_NONE)
        r->kind = BORDER_VALUE;
}

static void check_value(parser *p, const rule *r)
{
    const constant c = constant_find(p, r->value);

    if (c.known && !isfinite(c.value.v))
        report_infinite(p, r->value, &c, "the value of a border");
}

static void add_border(parser *p, const rule *r, statement *st, symbol *s, reads *list)
{
    st->symbol = s;
    st->border = r->kind;
    st->faces = r->faces;
    st->value = r->value;
    if (st->value && !statement_is_bad(p))
        expr_check(p, st->value, false, CONTEXT_BORDER, s ? s->coarse : 0, list);
    for (int64_t i = 0; i < list->count; i++)
        st->reads_fields |= list->item[i].symbol->kind == SYMBOL_FIELD;
    statement_check(p, st, list);
}

static bool next_is_name(const parser *p)
{
    return p->next->kind == TOKEN_NAME && !p->panic &&
           !word_is_reserved(p->next->text, p->next->length);
}

/* Reports an unknown kind of border. */
static void report_kind(parser *p)
{
    report_unknown(p, p->next, "border", NEAR_PARTS);
    abandon_rest(p);
}

static expr *parse_value(parser *p)
{
    const border_kind kind = find_kind(p->next);

    if (kind != BORDER_NONE)
        syntax_mistake(p, "'%s' stands without '=', as in border %s u",
                       border_rules[kind].word, border_rules[kind].word);
    return expr_parse_part(p);
}

bool border_parse(parser *p, statement *s)
{
    rule r = {.kind = BORDER_NONE};

    parse_kind(p, &r);
    parse_names(p, &r);
    if (r.misnamed) {
        abandon_rest(p);
        return false;
    }
    parse_kind(p, &r);
    if (accept_on(p, "="))
        r.value = parse_value(p);
    if (r.kind == BORDER_NONE && !r.value && next_is_name(p))
        report_kind(p);
    else if (r.kind == BORDER_NONE && !r.value)
        syntax_mistake(p,
                       "a border needs a value, as in border u = 0 at x-, or one of %s",
                       border_words());
    if (r.value && r.kind != BORDER_NONE && !border_rules[r.kind].takes_value)
        mistake_at(p, r.value->at, "'%s' takes no value", border_rules[r.kind].word);
    parse_place(p, &r);
    if (!statement_ends(p))
        return false;
    if (r.value)
        check_value(p, &r);
    add_border(p, &r, s, r.names > 0 ? r.name[0] : NULL, p->reads);
    for (int64_t i = 1; i < r.names; i++)
        add_border(p, &r, statement_new(p, STATEMENT_BORDER, s->at), r.name[i],
                   reads_new(p));
    return false; /* each is checked by itself */
}

/* ---- absorb, mask ------------------------------------------------------------------ */

bool absorb_parse(parser *p, statement *s)
{
    if (next_is(p, "cells"))
        syntax_mistake(p, "how many cells is missing, as in absorb 8 cells");
    s->cells = expr_parse(p);
    expect(p, "cells");
    if (accept(p, "strength"))
        s->strength = expr_parse(p);
    if (accept(p, "at"))
        s->faces = parse_faces(p, "absorb 8 cells at");
    if (accept(p, "by")) {
        s->matched = true;
        expect(p, "pml");
    }
    expect_no_face(p, "'at'", "absorb 8 cells at");
    if (p->panic)
        return false;
    constant_integer(p, s->cells, "the number of absorbing cells", 1, 1 << 20,
                     &s->cell_count);
    s->strength_value = s->matched ? num_int(1) : num_ratio(3, 10);
    if (s->strength &&
        constant_need(p, s->strength, "the strength", &s->strength_value) &&
        s->strength_value.v < 0)
        mistake_at(p, s->strength->at, "the strength must not be negative, and is %.12g",
                   s->strength_value.v);
    if (s->matched && s->strength && s->strength_value.v == 0)
        mistake_at(p, s->strength->at, "a matched layer of strength 0 absorbs nothing");
    return true;
}

bool mask_parse(parser *p, statement *s)
{
    if (p->next->kind == TOKEN_NAME && token_is(p->next + 1, "=")) {
        s->symbol = field_parse(p);
        expect_on(p, "=");
        if (!s->symbol && !p->panic) {
            abandon_rest(p);
            return false;
        }
    }
    s->file_at = p->next->at;
    if (p->next->kind == TOKEN_STRING)
        s->file = expect_string(p);
    else
        s->value = expr_parse(p);
    s->insulated = accept(p, "insulated");
    if (!statement_ends(p))
        return false;
    if (s->value)
        expr_check(p, s->value, true, CONTEXT_MASK, s->symbol ? s->symbol->coarse : 0,
                   p->reads);
    return true;
}
