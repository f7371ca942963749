/* SPDX-License-Identifier: BSD-3-Clause */
/* The lexer: from text to tokens.
 *
 * Invalid text becomes a bad token with a message. The parser reports the message when it
 * reaches the token, so a skipped statement causes no further messages. Newlines within
 * () and [] are dropped. An unclosed parenthesis is closed by the next line that can only
 * begin a statement. One mistake therefore does not hide the rest of the text. */
#include <string.h>

#include "lang/lang_private.h"

enum { WIDE_BY_MISTAKE = 3 }; /* more full-width characters are the whole text's */

typedef struct lexer {
    parser *p;
    const char *at, *end;
    int line, column;
    int64_t texts;  /* index of the line's first string token, or -1 */
    int64_t round;  /* number of open ( and [ */
    int64_t braces; /* number of open { */
    int64_t wide;   /* full-width characters, from the one at */
    place wide_at;
} lexer;

static bool is_letter(char c)
{
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_';
}

static char look(const lexer *l, int ahead)
{
    return l->end - l->at > ahead ? l->at[ahead] : '\0';
}

/* Advances by `count` bytes; columns count characters. */
static void advance(lexer *l, int64_t count)
{
    for (; count > 0; count--, l->at++)
        if (!utf8_continues(*l->at))
            l->column++;
}

static token *add(lexer *l, token_kind kind, int length)
{
    parser *p = l->p;

    arena_reserve(p->arena, &p->token, p->tokens, &p->token_capacity, sizeof *p->token);
    token *t = &p->token[p->tokens++];
    *t = (token){.kind = kind, .length = length, .text = l->at, .inside = l->braces > 0};
    t->at = (place){l->line, l->column, length};
    return t;
}

/* ---- numbers, names, strings ------------------------------------------------------- */

static int number_length(const lexer *l)
{
    int n = 0;

    while (char_is_digit(look(l, n)))
        n++;
    if (look(l, n) == '.')
        for (n++; char_is_digit(look(l, n));)
            n++;
    if (look(l, n) == 'e' || look(l, n) == 'E') {
        const int sign = look(l, n + 1) == '+' || look(l, n + 1) == '-';
        if (char_is_digit(look(l, n + 1 + sign)))
            for (n += 1 + sign; char_is_digit(look(l, n));)
                n++;
    }
    return n;
}

static int name_length(const lexer *l, int from)
{
    int n = from;

    while (is_letter(look(l, n)) || char_is_digit(look(l, n)))
        n++;
    return n;
}

static token *add_bad(lexer *l, int length, const char *why)
{
    token *t = add(l, TOKEN_BAD, length);

    t->why = why;
    return t;
}

/* Explains letters behind a number. */
static const char *why_letters(lexer *l, int length, int whole)
{
    arena *a = l->p->arena;
    const char *rest = l->at + length;
    const bool one = whole == length + 1;

    if (length == 1 && *l->at == '0' && (*rest == 'x' || *rest == 'X'))
        return "numbers are decimal; one that begins with 0x is not known";
    if (one && (*rest == 'e' || *rest == 'E'))
        return arena_print(a, "the exponent of %.*s is missing, as in %.*se3", length,
                           l->at, length, l->at);
    return arena_print(
        a,
        "a letter follows the number %.*s; a product is written %.*s*%.*s, "
        "and units are left out",
        length, l->at, length, l->at, whole - length, rest);
}

static void read_number(lexer *l)
{
    const int length = number_length(l), whole = name_length(l, length);
    int taken = length;

    if (whole > length) {
        add_bad(l, whole, why_letters(l, length, whole));
        taken = whole;
    } else if (look(l, length) == '.') {
        taken = length + 1;
        add_bad(l, taken,
                arena_print(l->p->arena, "a second point follows the number %.*s", length,
                            l->at));
    } else {
        add(l, TOKEN_NUMBER, length);
    }
    advance(l, taken);
}

/* Reads a string without a closing quote on its line: a quote is missing here or before.
 * The text from the first quote on becomes one bad token. */
static void read_open_string(lexer *l, int length)
{
    parser *p = l->p;
    token *t;

    if (l->texts < 0) {
        t = add_bad(l, 1, "this text is not closed; a \" is missing");
    } else {
        t = &p->token[l->texts];
        p->tokens = l->texts + 1;
        t->kind = TOKEN_BAD;
        t->why = "a \" is missing: one of the texts that begin here is not closed";
    }
    t->at.length = 1;
    advance(l, length);
}

static void read_string(lexer *l)
{
    int n = 1;

    while (l->end - l->at > n && l->at[n] != '"' && l->at[n] != '\n' && l->at[n] != '\r')
        n++;
    if (look(l, n) != '"') {
        read_open_string(l, n);
        return;
    }
    if (l->texts < 0)
        l->texts = l->p->tokens;
    token *t = add(l, TOKEN_STRING, n - 1);
    t->text++;
    t->at.length = n + 1;
    advance(l, n + 1);
}

/* ---- signs ------------------------------------------------------------------------- */

static void count_brackets(lexer *l, char c)
{
    if (c == '(' || c == '[')
        l->round++;
    else if ((c == ')' || c == ']') && l->round > 0)
        l->round--;
    else if (c == '{')
        l->braces++;
    else if (c == '}' && l->braces > 0)
        l->braces--;
    else if (c == ';')
        l->round = 0;
}

static void read_bad(lexer *l)
{
    static const char hint[] = "; letters beyond ASCII stand only in comments and texts";
    const bool ascii = (unsigned char)*l->at < 0x80U;
    int n = 1;

    while (utf8_continues(look(l, n)))
        n++;
    add_bad(l, n,
            arena_print(l->p->arena, "'%.*s' has no meaning here%s", n, l->at,
                        ascii ? "" : hint))
        ->at.length = 1;
    advance(l, n);
}

/* Reads a sign of another language; false: there is none. */
static bool read_foreign(lexer *l)
{
    const char *why = NULL;
    const int length = foreign_find(l->p, l->at, l->end, &why);

    if (length == 0)
        return false;
    if (foreign_is_wide(l->at, l->end) && l->wide++ == 0)
        l->wide_at = (place){l->line, l->column, 1};
    add_bad(l, length, why)->at.length = (unsigned char)*l->at < 0x80U ? length : 1;
    advance(l, length);
    return true;
}

static void read_sign(lexer *l)
{
    static const char *const doubles[] = {"<=", ">=", "==", "!="};
    int length = 0;

    for (size_t i = 0; i < COUNT_OF(doubles); i++)
        if (look(l, 0) == doubles[i][0] && look(l, 1) == doubles[i][1])
            length = 2;
    if (length == 0 && read_foreign(l))
        return;
    if (length == 0 && strchr("+-*/^<>=()[]{},;'", *l->at))
        length = 1;
    if (length == 0) {
        read_bad(l);
        return;
    }
    count_brackets(l, *l->at);
    token *t = add(l, TOKEN_SIGN, length);
    memcpy(t->sign, l->at, (size_t)length);
    advance(l, length);
}

/* ---- lines ------------------------------------------------------------------------- */

/* True for a line that can only begin a statement: its first word is reserved for this,
 * or it has the form name' =. */
static bool begins_statement(const lexer *line)
{
    lexer l = *line;

    while (look(&l, 0) == ' ' || look(&l, 0) == '\t')
        l.at++;
    const int n = name_length(&l, 0);
    if (n == 0 || char_is_digit(*l.at))
        return false;
    if (word_begins_statement(l.at, n))
        return true;
    l.at += n;
    if (look(&l, 0) != '\'')
        return false;
    for (l.at++; look(&l, 0) == ' ';)
        l.at++;
    return look(&l, 0) == '=' && look(&l, 1) != '=';
}

static void read_newline(lexer *l)
{
    lexer following = *l;

    following.at++;
    if ((l->round > 0 || l->braces > 0) && begins_statement(&following))
        l->round = l->braces = 0;
    if (l->round == 0)
        add(l, TOKEN_NEWLINE, 1);
    l->at++;
    l->line++;
    l->column = 1;
    l->texts = -1;
}

static void read_one(lexer *l)
{
    const char c = *l->at;

    if (c == '\n') {
        read_newline(l);
    } else if (c == ' ' || c == '\t' || c == '\r') {
        advance(l, 1);
    } else if (c == '#') {
        while (l->at < l->end && *l->at != '\n')
            advance(l, 1);
    } else if (char_is_digit(c) || (c == '.' && char_is_digit(look(l, 1)))) {
        read_number(l);
    } else if (is_letter(c)) {
        const int length = name_length(l, 0);
        add(l, TOKEN_NAME, length);
        advance(l, length);
    } else if (c == '"') {
        read_string(l);
    } else {
        read_sign(l);
    }
}

bool lexer_read(parser *p)
{
    static const char mark[] = "\xef\xbb\xbf"; /* some editors begin a file with it */
    lexer l = {.p = p,
               .at = p->source,
               .end = p->source + p->length,
               .line = 1,
               .column = 1,
               .texts = -1};

    if (!source_readable(p))
        return false;
    if (p->length >= 3 && memcmp(p->source, mark, 3) == 0)
        l.at += 3;
    while (l.at < l.end)
        read_one(&l);
    l.braces = 0;
    add(&l, TOKEN_END, 0);
    if (l.wide > WIDE_BY_MISTAKE) {
        mistake_at(p, l.wide_at,
                   "the description is written in full-width characters, %lld in all; "
                   "write plain ones, as g for \xef\xbd\x87",
                   (long long)l.wide);
        return false;
    }
    p->next = p->token;
    return true;
}
