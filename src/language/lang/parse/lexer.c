/* SPDX-License-Identifier: BSD-3-Clause */
/* The lexer: from text to tokens.
 *
 * Invalid text becomes a bad token with a message. The parser reports the message when
 * it reaches the token, so a skipped statement causes no further messages. Newlines
 * within () and [] are dropped. An unclosed parenthesis is closed by the next line that
 * can only begin a statement. So one mistake does not hide the rest of the text. */
#include <string.h>

#include "lang/lang_private.h"

/* ---- checks of the text ------------------------------------------------------------ */

/* Tests whether a text can be a description: not too large, UTF-8, without control
 * characters. */

/* The first invalid byte of a description, a control character; or NULL. */
static const char *find_control(const char *source, int64_t length)
{
    for (int64_t i = 0; i < length; i++) {
        const unsigned char c = (unsigned char)source[i];
        const bool alone = c == '\r' && i + 1 < length && source[i + 1] != '\n';
        if ((c < 0x20U && c != '\n' && c != '\t' && c != '\r') || c == 0x7fU || alone)
            return source + i;
    }
    return NULL;
}

static place place_of(const char *source, const char *at)
{
    place result = {1, 1, 1, 0};

    for (; source < at; source++) {
        if (*source == '\n') {
            result.line++;
            result.column = 1;
        } else if (!utf8_continues(*source)) {
            result.column++;
        }
    }
    return result;
}

/* The first byte that breaks UTF-8, found by bisection in broken text. */
static const char *find_broken(const char *source, int64_t length)
{
    int64_t good = 0, bad = length;

    while (bad - good > 1) {
        int64_t middle = good + (bad - good) / 2;
        while (middle > good && utf8_continues(source[middle]))
            middle--;
        if (middle == good)
            break;
        if (text_is_utf8(source + good, middle - good))
            good = middle;
        else
            bad = middle;
    }
    return source + good;
}

/* True for text with two bytes per character: it has a byte order mark, or every other
 * byte at its beginning is 0. */
static bool is_utf16(const char *s, int64_t length)
{
    if (length < 4)
        return false;
    const bool marked = memcmp(s, "\xff\xfe", 2) == 0 || memcmp(s, "\xfe\xff", 2) == 0;
    return marked || (!s[0] && s[1] && !s[2] && s[3]) || (s[0] && !s[1] && s[2] && !s[3]);
}

static bool source_readable(parser *p)
{
    const place start = {1, 1, 0, 0};

    if (p->length > MAX_SOURCE)
        return mistake_at(p, start,
                          "the description holds %lld bytes; at most %d are read",
                          (long long)p->length, MAX_SOURCE);
    if (is_utf16(p->source, p->length))
        return mistake_at(p, start, "the description is UTF-16; save it as UTF-8");
    const char *control = find_control(p->source, p->length);
    if (control && *control == '\r')
        return mistake_at(
            p, place_of(p->source, control),
            "a carriage return (0x0d) stands here alone; save the description with "
            "lines that end as those of Unix or Windows");
    if (control)
        return mistake_at(
            p, place_of(p->source, control),
            "the byte 0x%02x is a control character, which no description holds",
            (unsigned)(unsigned char)*control);
    if (text_is_utf8(p->source, p->length))
        return true;
    return mistake_at(p, place_of(p->source, find_broken(p->source, p->length)),
                      "the description is not UTF-8 text");
}

/* ---- from text to tokens ----------------------------------------------------------- */

enum { WIDE_BY_MISTAKE = 3 }; /* more full-width characters are the whole text's */

typedef struct lexer {
    parser *p;
    const struct lexer *outer; /* of the file with the `include` */
    const char *path;
    int file; /* see place */
    const char *at, *end;
    int line, column;
    int64_t texts;  /* index of the line's first string token, or -1 */
    int64_t round;  /* number of open ( and [ */
    int64_t braces; /* number of open { */
    int64_t wide;   /* full-width characters, from the one at */
    place wide_at;
} lexer;

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

    ARENA_ADD(p->arena, p->token, p->tokens,
              p->token_capacity) = (token){.kind = kind,
                                           .length = length,
                                           .text = l->at,
                                           .inside = l->braces > 0,
                                           .at = {l->line, l->column, length, l->file}};
    return &p->token[p->tokens - 1];
}

/* ---- numbers, names, strings ------------------------------------------------------- */

/* The first place from n on without a digit. */
static int skip_digits(const lexer *l, int n)
{
    while (char_is_digit(look(l, n)))
        n++;
    return n;
}

static int number_length(const lexer *l)
{
    int n = skip_digits(l, 0);

    if (look(l, n) == '.')
        n = skip_digits(l, n + 1);
    if (look(l, n) == 'e' || look(l, n) == 'E') {
        const int sign = look(l, n + 1) == '+' || look(l, n + 1) == '-';
        if (char_is_digit(look(l, n + 1 + sign)))
            n = skip_digits(l, n + 1 + sign);
    }
    return n;
}

static int name_length(const lexer *l, int from)
{
    int n = from;

    while (char_is_of_word(look(l, n)))
        n++;
    return n;
}

/* A name and its parts: u, u.x, c.0.y */
static int path_length(const lexer *l)
{
    int n = name_length(l, 0);

    while (look(l, n) == '.' && char_is_of_word(look(l, n + 1)))
        n = name_length(l, n + 1);
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
        "a letter follows the number %.*s; a product is written %.*s*%.*s, an exponent "
        "1e3, and units and suffixes are left out",
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

/* Reads a sign of another language; false: there is none. */
static bool read_foreign(lexer *l)
{
    const char *why = NULL;
    const int length = foreign_find(l->p, l->at, l->end, &why);

    if (length == 0)
        return false;
    if (foreign_is_wide(l->at, l->end) && l->wide++ == 0)
        l->wide_at = (place){l->line, l->column, 1, l->file};
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
    if (length == 0 && strchr("+-*/%^<>=()[]{},;'.", *l->at))
        length = 1;
    if (length == 0) {
        static const char hint[] =
            "; letters beyond ASCII stand only in comments and texts";
        const bool ascii = (unsigned char)*l->at < 0x80U;
        int n = 1;
        while (utf8_continues(look(l, n)))
            n++;
        add_bad(l, n,
                arena_print(l->p->arena, "'%.*s' has no meaning here%s", n, l->at,
                            ascii ? "" : hint))
            ->at.length = 1;
        advance(l, n);
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
    const int n = path_length(&l);
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

/* ---- included files ---------------------------------------------------------------- */

enum { MOST_INCLUDES = 1000 };

static void read_one(lexer *l);

/* True behind `include "file"`, at the beginning of a statement. */
static bool is_include(const parser *p)
{
    const token *t = p->token + p->tokens;

    return p->tokens >= 2 && t[-1].kind == TOKEN_STRING && token_is(t - 2, "include") &&
           (p->tokens == 2 || t[-3].kind == TOKEN_NEWLINE || token_is(t - 3, ";"));
}

/* Finds the file beside the including one. Returns why it cannot be included, or NULL. */
static const char *open_file(const lexer *l, const token *name, included *f)
{
    arena *a = l->p->arena;
    OWNED char *bytes = NULL;

    f->path = arena_print(a, "%.*s%.*s",
                          *name->text == '/' ? 0 : (int)(path_name(l->path) - l->path),
                          l->path, name->length, name->text);
    for (; l; l = l->outer)
        if (strcmp(l->path, f->path) == 0)
            return arena_print(a, "%s includes itself", f->path);
    if (file_read(f->path, MAX_SOURCE, &bytes, &f->length) != PAV_OK)
        return arena_print(a, "%s", pav_message());
    f->source = arena_copy(a, bytes, (size_t)f->length);
    return find_control(f->source, f->length) || !text_is_utf8(f->source, f->length)
               ? arena_print(a, "%s is no UTF-8 text", f->path)
               : NULL;
}

/* Puts the tokens of a file in place of the last two. */
static void include_file(lexer *l)
{
    parser *p = l->p;
    token *word = &p->token[p->tokens -= 2];
    included f = {.at = l->file ? p->include[l->file - 1].at : word->at};
    const char *why = p->includes < MOST_INCLUDES ? open_file(l, word + 1, &f)
                                                  : "more than 1000 files are included";

    l->texts = -1;
    if (why) {
        p->tokens++;
        word->kind = TOKEN_BAD;
        word->why = why;
        return;
    }
    ARENA_ADD(p->arena, p->include, p->includes, p->include_capacity) = f;
    lexer inner = {.p = p,
                   .outer = l,
                   .path = f.path,
                   .file = (int)p->includes,
                   .at = f.source,
                   .end = f.source + f.length,
                   .line = 1,
                   .column = 1,
                   .texts = -1};
    while (inner.at < inner.end)
        read_one(&inner);
    add(&inner, TOKEN_NEWLINE, 0);
}

/* True right behind a bracket or ': a point is then followed by a part of a list. */
static bool follows_value(const lexer *l)
{
    const token *last = l->p->tokens > 0 ? &l->p->token[l->p->tokens - 1] : NULL;

    return last && last->kind == TOKEN_SIGN && last->text + 1 == l->at &&
           strchr(")]'", *last->text);
}

static void read_one(lexer *l)
{
    const char c = *l->at;

    if (c == '\n') {
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
    } else if (c == ' ' || c == '\t' || c == '\r') {
        advance(l, 1);
    } else if (c == '#') {
        while (l->at < l->end && *l->at != '\n')
            advance(l, 1);
    } else if (char_is_digit(c) ||
               (c == '.' && char_is_digit(look(l, 1)) && !follows_value(l))) {
        read_number(l);
    } else if (char_is_of_word(c)) {
        const int length = path_length(l);
        add(l, TOKEN_NAME, length);
        advance(l, length);
    } else if (c == '"') {
        read_string(l);
        if (is_include(l->p))
            include_file(l);
    } else {
        read_sign(l);
    }
}

bool lexer_read(parser *p)
{
    static const char mark[] = "\xef\xbb\xbf"; /* some editors begin a file with it */
    const char *folder = p->program->directory;
    const bool here = strcmp(folder, ".") == 0;
    lexer l = {.p = p,
               .path = arena_print(p->arena, "%s%s%s", here ? "" : folder,
                                   here ? "" : "/", path_name(p->name)),
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
    if (l.wide > WIDE_BY_MISTAKE)
        return mistake_at(
            p, l.wide_at,
            "the description is written in full-width characters, %lld in all; "
            "write plain ones, as g for \xef\xbd\x87",
            (long long)l.wide);
    p->next = p->token;
    return true;
}

/* ---- the cursor -------------------------------------------------------------------- */

/* The cursor: examines the next token and takes it. After a mistake in the form of a
 * statement, the cursor moves to the end of the statement. No token matches there, so
 * callers need no checks. */

bool token_is(const token *t, const char *word)
{
    return t->kind == TOKEN_SIGN
               ? strcmp(t->sign, word) == 0
               : t->kind == TOKEN_NAME && word_find(&word, 1, t->text, t->length) == 0;
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
    return accept(p, word) || syntax_mistake(p, "'%s' is missing; %s", word, found(p));
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
    abandon_rest(p);
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
        if (t->kind == TOKEN_NAME && !word_is_known(t->text, t->length))
            syntax_mistake(p, "a %s stands in quotes, as in \"%s\"",
                           token_is(t - 1, "label") ? "label" : "file name",
                           token_is(t - 1, "label") ? "T (K)" : "u.npy");
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

/* ---- upright grids ----------------------------------------------------------------- */

/* Upright grids: two axes, x and z. Internally the second axis is always y. The words z,
 * hz, nz and dz of such a description are read like y, hy, ny and dy, and are written
 * back with z. */

/* True for x, nx, hx, ix and derivatives, along any axis. */
static bool names_axes(const char *word, int64_t length)
{
    int derivative[MAX_DIM];
    const char *last = word + length - 1;
    const bool short_name = length == 1 || (length == 2 && strchr("nhi", *word));

    return (short_name && *last >= 'x' && *last <= 'z') ||
           (length <= 5 && derivative_find(word, (int)length, derivative));
}

bool upright_turns(const token *name)
{
    const size_t length = (size_t)name->length;

    return names_axes(name->text, name->length) &&
           (memchr(name->text, 'y', length) || memchr(name->text, 'z', length));
}

static void swap_word(char *word, int64_t length)
{
    for (int64_t i = 0; i < length; i++)
        if (word[i] == 'y' || word[i] == 'z')
            word[i] = word[i] == 'y' ? 'z' : 'y';
}

void upright_swap(char *words, int64_t length)
{
    bool quoted = false;

    for (int64_t i = 0; i < length; i++) {
        int64_t end = i;
        quoted ^= words[i] == '"';
        while (end < length && (char_is_of_word(words[end]) ||
                                (words[end] == '.' && end > i && end + 1 < length &&
                                 char_is_of_word(words[end + 1]))))
            end++;
        if (end > i && !quoted && names_axes(words + i, end - i))
            swap_word(words + i, end - i);
        i = end > i ? end - 1 : i;
    }
}

void upright_tokens(parser *p)
{
    for (int64_t i = 0; i < p->tokens; i++) {
        token *t = &p->token[i];
        if (t->kind != TOKEN_NAME || !names_axes(t->text, t->length))
            continue;
        char *name = arena_print(p->arena, "%.*s", t->length, t->text);
        swap_word(name, t->length);
        t->text = name;
    }
    p->program->upright = true;
}

char axis_letter(const program *p, int axis)
{
    return p->upright && axis == 1 ? 'z' : axis_letters[axis];
}
