/* SPDX-License-Identifier: BSD-3-Clause */
/* Borders, absorbing layers and masks. */
#include <math.h>
#include <string.h>

#include "lang/lang_private.h"

/* ---- faces, such as `at x-, y+`, and other spellings ------------------------------- */

static bool is_axis(const token *t)
{
    return t->kind == TOKEN_NAME && t->length == 1 && strchr(axis_letters, *t->text);
}

static bool is_face(const token *t)
{
    return is_axis(t) && (token_is(t + 1, "-") || token_is(t + 1, "+"));
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

    if (!p->panic && is_axis(t))
        report_faces(p,
                     arena_print(p->arena, "%s is missing before '%c%s'", word, *t->text,
                                 is_face(t) ? t[1].sign : ""),
                     example);
}

/* ---- border ------------------------------------------------------------------------ */

typedef struct rule {
    border_kind kind; /* BORDER_NONE: a value */
    int64_t names, capacity;
    symbol **name;
    bool misnamed;
    expr *value;
    unsigned faces;
    expr *where; /* or NULL: whole faces */
} rule;

/* BORDER_NONE: the token is none. */
static border_kind find_kind(const token *t)
{
    return t->kind == TOKEN_NAME ? border_find(t->text, t->length) : BORDER_NONE;
}

static bool is_declared(const parser *p, const token *t)
{
    return t->kind == TOKEN_NAME && symbol_find(p, t->text, t->length);
}

/* A declared field may have the name of a kind: it is the field before `=`, a comma, or
 * the kind itself. */
static void parse_kind(parser *p, rule *r)
{
    const token *t = p->next;
    const border_kind kind = find_kind(t);
    const bool named = r->names == 0 && is_declared(p, t) &&
                       (token_is(t + 1, "=") || token_is(t + 1, ",") ||
                        (find_kind(t + 1) != BORDER_NONE && !is_declared(p, t + 1)));

    if (kind == BORDER_NONE || r->kind != BORDER_NONE || p->panic || named)
        return;
    r->kind = kind;
    take(p);
}

static void parse_names(parser *p, rule *r)
{
    const token *t = p->next;

    /* at x-, beyond, where y < 0.2 */
    const bool begins = token_is(t, "at") || token_is(t, "beyond") ||
                        token_is(t, "where");
    const bool taken = begins ? !is_declared(p, t) || is_face(t + 1)
                              : t->kind == TOKEN_NAME && !symbol_poisoned(p, t) &&
                                    word_is_reserved(t->text, t->length);

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

    r->faces = (unsigned)FACES_ALL >> (p->dim > 0 ? 2 * (MAX_DIM - p->dim) : 0);
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
    if (accept(p, "where"))
        r->where = expr_parse(p);
}

/* The stages of a face follow each other, so a value cannot read the field at points
 * that such a stage gives before. */
static void check_own(parser *p, const statement *s, border_kind kind, const expr *e)
{
    reads *list = reads_new(p);
    const int axis = __builtin_ctz(s->faces) / 2;

    if (e)
        reads_collect(p, e, list);
    for (int64_t i = 0; i < list->count && border_rules[kind].has_face; i++) {
        const field_read *r = &list->item[i];
        if (r->symbol == s->symbol && r->reach.lo[axis] <= 0 && r->reach.hi[axis] >= 0)
            mistake_at(p, r->at,
                       "'%s' is read on the face that this border gives in part; the "
                       "value reads points further inwards, the condition none",
                       s->symbol->name);
    }
}

/* Joins a rule for a part of a face with the rule stated before, which holds for the
 * rest. Notes the reads of all parts. */
void border_join(parser *p, statement *s, reads *list)
{
    const int face = __builtin_ctz(s->faces);
    const border_kind kind = s->where ? s->part : s->border;

    s->faces = 0; /* not to find itself */
    s->rest = field_border(p->program, s->symbol, face / 2, face % 2);
    s->faces = 1U << face;
    if (!s->rest || s->rest->kind != STATEMENT_BORDER) {
        mistake_at(p, s->at,
                   "the rest of the face %s has no border of '%s' yet; write its rule "
                   "before, such as border mirror %s at %s",
                   face_names[face], s->symbol->name, s->symbol->name, face_names[face]);
        return;
    }
    if (border_wraps(kind) || border_wraps(s->rest->border))
        mistake_at(p, s->at, "'periodic' holds for whole faces, without 'where'");
    s->border = BORDER_BEYOND;
    s->part = kind;
    s->reads_fields = true;
    check_own(p, s, BORDER_VALUE, s->where);
    check_own(p, s, kind, s->value);
    check_own(p, s, s->rest->border, s->rest->value);
    expr_check(p, s->where, true, CONTEXT_BORDER, s->symbol->coarse, list);
    for (const statement *rest = s->rest; rest; rest = rest->rest) {
        if (rest->value)
            reads_collect(p, rest->value, list);
        if (rest->where)
            reads_collect(p, rest->where, list);
    }
}

/* Rules of one kind are one rule, whose value has the condition. */
static expr *choose_value(parser *p, const rule *r, const statement *rest)
{
    expr *none = number_new(p, r->where->at, num_int(0));

    return expr_call(p, r->where->at, FUNCTION_WHERE, 3,
                     (expr *[]){expr_copy(p, r->where),
                                r->value ? expr_copy(p, r->value) : none,
                                rest->value ? expr_copy(p, rest->value) : none});
}

static void add_border(parser *p, const rule *r, statement *st, symbol *s, reads *list)
{
    const int face = r->where ? __builtin_ctz(r->faces) : 0;
    const statement *rest = r->where && s
                                ? field_border(p->program, s, face / 2, face % 2)
                                : NULL;
    const bool alike = rest && rest->kind == STATEMENT_BORDER && !rest->where &&
                       rest->border == r->kind && border_rules[r->kind].takes_value;

    if (r->where && !s) {
        mistake_at(p, r->where->at,
                   "a rule for a part of a face names its field, as in "
                   "border u = 1 at x- where y < 0.2");
        return;
    }
    st->symbol = s;
    st->border = r->kind;
    st->value = alike && (r->value || rest->value) ? choose_value(p, r, rest) : r->value;
    st->where = r->where && !alike ? expr_copy(p, r->where) : NULL;
    st->part = r->kind;
    st->faces = r->faces;
    if (st->value && !statement_is_bad(p))
        expr_check(p, st->value, false, CONTEXT_BORDER, s ? s->coarse : 0, list);
    if (st->where && !statement_is_bad(p))
        border_join(p, st, list);
    for (int64_t i = 0; i < list->count; i++)
        st->reads_fields |= list->item[i].symbol->kind == SYMBOL_FIELD;
    statement_check(p, st, list);
}

static expr *parse_value(parser *p)
{
    const border_kind kind = find_kind(p->next);

    if (kind != BORDER_NONE && !is_declared(p, p->next))
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
    if (r.kind == BORDER_NONE && !r.value && p->next->kind == TOKEN_NAME && !p->panic &&
        !word_is_known(p->next->text, p->next->length)) {
        /* Reports an unknown kind of border. */
        report_unknown(p, p->next, "border", NEAR_PARTS);
        abandon_rest(p);
    } else if (r.kind == BORDER_NONE && !r.value)
        syntax_mistake(p,
                       "a border needs a value, as in border u = 0 at x-, or one of %s",
                       border_words());
    if (r.value && r.kind != BORDER_NONE && !border_rules[r.kind].takes_value)
        mistake_at(p, r.value->at, "'%s' takes no value", border_rules[r.kind].word);
    parse_place(p, &r);
    if (!statement_ends(p))
        return false;
    if (r.value) {
        const constant c = constant_find(p, r.value);

        if (c.known && !isfinite(c.value.v))
            report_infinite(p, r.value, &c, "the value of a border");
    }
    rule one = r;
    bool first = true;
    for (int64_t i = 0; i < (r.names > 0 ? r.names : 1); i++)
        for (unsigned left = r.faces; left; left = r.where ? left & (left - 1) : 0) {
            one.faces = r.where ? left & -left : left;
            add_border(p, &one, first ? s : statement_new(p, STATEMENT_BORDER, s->at),
                       r.names > 0 ? r.name[i] : NULL, first ? p->reads : reads_new(p));
            first = false;
        }
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
    if (next_is(p, "insulated") && !symbol_find(p, p->next->text, p->next->length)) {
        syntax_mistake(p, "'insulated' stands behind the condition, as in mask u = "
                          "x > 0.3 insulated");
        return false;
    }
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
