/* SPDX-License-Identifier: BSD-3-Clause */
/* Common parts of statements: field name, interval, file, and the end of the
 * statement. */
#include "lang/lang_private.h"

statement *statement_new(parser *p, statement_kind kind, place at)
{
    statement *s = arena_alloc(p->arena, 1, sizeof *s);

    s->kind = kind;
    s->at = at;
    s->slice_axis = -1;
    *p->last = s;
    p->last = &s->next;
    return s;
}

symbol *field_parse(parser *p)
{
    const token *name = expect_name(p, "the name of a field");

    if (!name)
        return NULL;
    symbol *s = symbol_find(p, name->text, name->length);
    if (!s && word_is_reserved(name->text, name->length))
        syntax_mistake_at(p, name->at,
                          "the name of a field is needed here, and '%.*s' is a word of "
                          "the language; a number such as max(u) is recorded by "
                          "measure m = max(u)",
                          name->length, name->text);
    else if (!s)
        report_unknown(p, name, "field", NEAR_FIELDS | NEAR_PARTS);
    else if (s->kind != SYMBOL_FIELD && !s->notes->bad)
        mistake_at(p, name->at, "'%s' is a %s; the name of a field is needed here",
                   s->name, symbol_kind_name(s->kind));
    return s && s->kind == SYMBOL_FIELD && !s->notes->bad ? s : NULL;
}

bool every_parse(parser *p, statement *s)
{
    const place at = p->next->at;

    if (!accept(p, "every"))
        return false;
    if (s->every)
        mistake_at(p, at, "'every' is given twice");
    s->every = expr_parse(p);
    if (!p->panic)
        constant_integer(p, s->every, "the number of steps after 'every'", 1, INT64_MAX,
                         &s->every_steps);
    return true;
}

bool file_parse(parser *p, statement *s)
{
    const place at = p->next->at;

    if (!accept(p, "into"))
        return false;
    if (s->file)
        mistake_at(p, at, "'into' is given twice");
    s->file_at = p->next->at;
    s->file = expect_string(p);
    return true;
}

bool statement_ends(parser *p)
{
    if (p->panic || at_statement_end(p))
        return !p->panic;
    if (p->next->kind == TOKEN_BAD)
        syntax_mistake(p, "this is not expected here");
    else
        report_rest(p);
    p->panic = true;
    skip_rest(p);
    return false;
}
