/* SPDX-License-Identifier: BSD-3-Clause */
/* The cursor: examines the next token and takes it. After a mistake in the form of a
 * statement, the cursor moves to the end of the statement. No token matches there, so
 * callers need no checks. */
#include <string.h>

#include "lang/lang_private.h"

bool token_is(const token *t, const char *word)
{
    if (t->kind == TOKEN_SIGN)
        return strcmp(t->sign, word) == 0;
    return t->kind == TOKEN_NAME && word_find(&word, 1, t->text, t->length) == 0;
}

bool next_is(const parser *p, const char *word)
{
    return token_is(p->next, word);
}

const token *take(parser *p)
{
    const token *t = p->next;

    if (t->kind != TOKEN_END)
        p->next++;
    return t;
}

bool accept(parser *p, const char *word)
{
    if (!next_is(p, word) || p->panic)
        return false;
    take(p);
    return true;
}

/* Skips newlines, but not before the first word of a statement: such a line does not
 * continue the line before. */
void skip_newlines(parser *p)
{
    const token *t = p->next;

    while (t->kind == TOKEN_NEWLINE)
        t++;
    const bool begins = t->kind == TOKEN_NAME &&
                        (word_begins_statement(t->text, t->length) ||
                         (token_is(t + 1, "'") && token_is(t + 2, "=")));
    if (!p->panic && !begins)
        p->next = t;
}

bool accept_on(parser *p, const char *word)
{
    if (!accept(p, word))
        return false;
    skip_newlines(p);
    return true;
}

/* Describes the next token for a message. */
static const char *found(parser *p)
{
    const token *t = p->next;

    switch (t->kind) {
    case TOKEN_END: return "the text ends";
    case TOKEN_NEWLINE: return "the line ends";
    case TOKEN_STRING: return "a text stands here";
    default: break;
    }
    const int shown = t->length < 40 ? t->length : 40;
    const char *equal = token_is(t, "=")    ? "; equality is written =="
                        : token_is(t, "==") ? "; an equation is written with ="
                                            : "";
    return arena_print(p->arena, "'%.*s' stands here%s", shown, t->text, equal);
}

bool expect(parser *p, const char *word)
{
    if (accept(p, word))
        return true;
    syntax_mistake(p, "'%s' is missing; %s", word, found(p));
    return false;
}

bool expect_on(parser *p, const char *word)
{
    const bool good = expect(p, word);

    skip_newlines(p);
    return good;
}

void expect_closed(parser *p, const token *open, const char *sign)
{
    if (accept(p, sign))
        return;
    const token *t = p->next;
    if (at_statement_end(p))
        syntax_mistake(p, "'%s' is missing, for the '%s' at %d:%d", sign, open->sign,
                       open->at.line, open->at.column);
    else if (t->kind == TOKEN_NAME || t->kind == TOKEN_NUMBER || token_is(t, "("))
        syntax_mistake(p, "a comma, or an operator such as *, is missing before '%.*s'",
                       t->length < 40 ? t->length : 40, t->text);
    else
        expect(p, sign);
}

/* Reports a name such as 2u. The letters behind the digits count as known, so that later
 * uses are not reported. */
static void report_digit(parser *p)
{
    const token *t = p->next;
    token letters = *t;

    mistake_at(p, t->at, "a name begins with a letter, and '%.*s' begins with a digit",
               t->length < 40 ? t->length : 40, t->text);
    while (letters.length > 1 && *letters.text >= '0' && *letters.text <= '9') {
        letters.text++;
        letters.length--;
    }
    symbol_poison(p, t);
    symbol_poison(p, &letters);
    p->panic = true;
    skip_rest(p);
}

const token *expect_name(parser *p, const char *what)
{
    const token *t = p->next;

    if (!p->panic && t->kind == TOKEN_NAME)
        return take(p);
    if (!p->panic && t->kind == TOKEN_BAD && *t->text >= '0' && *t->text <= '9' &&
        !symbol_poisoned(p, t))
        report_digit(p);
    syntax_mistake(p, "%s is missing; %s", what, found(p));
    return NULL;
}

const char *expect_string(parser *p)
{
    const token *t = p->next;

    if (p->panic || t->kind != TOKEN_STRING) {
        if (t->kind == TOKEN_NAME && !word_is_reserved(t->text, t->length))
            syntax_mistake(p, "a file name stands in quotes, as in \"u.npy\"");
        else
            syntax_mistake(p, "a file name in \" \" is missing; %s", found(p));
        return NULL;
    }
    take(p);
    if (t->length == 0)
        mistake_at(p, t->at, "this file name is empty");
    else if (memchr(t->text, '\t', (size_t)t->length))
        mistake_at(p, t->at, "this file name holds a tab");
    return token_text(p, t);
}

bool at_statement_end(const parser *p)
{
    const token *t = p->next;

    return t->kind == TOKEN_END || t->kind == TOKEN_NEWLINE || token_is(t, ";");
}

char *token_text(parser *p, const token *t)
{
    return arena_copy(p->arena, t->text, (size_t)t->length);
}
