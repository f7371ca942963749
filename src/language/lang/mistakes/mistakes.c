/* SPDX-License-Identifier: BSD-3-Clause */
/* Mistakes: a message with its place, the source line with a caret, and the nearest
 * known word.
 *
 * heat3d.pav:4:10: unknown name 'uu'; did you mean 'u'? u' = uu + a*(u[1,0,0] + ... ^~ */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "lang/lang_private.h"

enum {
    WINDOW = 84,
    LEAD = 30
}; /* characters of a line shown, and before the place if cut */

static void keep(mistake_list *list, place at, const char *message)
{
    if (list->count >= MAX_MISTAKES)
        list->count = MAX_MISTAKES + 1;
    else
        list->item[list->count++] = (mistake){at, message};
}

static const char *print_list(parser *p, const char *format, va_list list)
{
    char message[1024];

    (void)vsnprintf(message, sizeof message, format, list);
    if (p->program && p->program->upright)
        upright_swap(message, (int64_t)strlen(message));
    return arena_print(p->arena, "%s", message);
}

bool mistake_at(parser *p, place at, const char *format, ...)
{
    va_list list;

    va_start(list, format);
    keep(&p->mistakes, at, print_list(p, format, list));
    va_end(list);
    return false;
}

void warn_at(parser *p, place at, const char *format, ...)
{
    va_list list;

    va_start(list, format);
    if (!p->derived)
        keep(&p->warnings, at, print_list(p, format, list));
    va_end(list);
}

/* The NEAR_ kind of a symbol; 0 for undeclared names. */
static unsigned kind_of(const symbol *s)
{
    if (s->notes->poison)
        return 0;
    return s->kind == SYMBOL_STENCIL || (s->kind == SYMBOL_LET && s->arguments > 0)
               ? NEAR_CALLS
           : s->kind == SYMBOL_FIELD || s->kind == SYMBOL_LIST ? NEAR_FIELDS | NEAR_NAMES
                                                               : NEAR_NAMES;
}

/* Adds the names in scope. They come before the words, because the first of equally near
 * candidates wins. */
static int64_t add_names(parser *p, unsigned near, const char **candidate)
{
    int64_t count = 0;

    for (int i = 0; i < p->arguments && (near & NEAR_NAMES); i++)
        candidate[count++] = p->argument[i]->name;
    for (int64_t i = 0; i < p->table_size; i++)
        if (p->table[i] && (kind_of(p->table[i]) & near))
            candidate[count++] = p->table[i]->name;
    return count;
}

/* Adds reserved words. Words of one and two letters are near to everything, so only their
 * case may differ. */
static int64_t add_words(const char *word, unsigned near, const char **candidate)
{
    int64_t count = 0;

    for (unsigned bit = NEAR_STATEMENTS; bit <= NEAR_VALUES; bit *= 2) {
        int words = 0;
        const char *const *list = word_list(near & bit, &words);
        for (int i = 0; i < words; i++)
            if (strlen(list[i]) > 2 || strcasecmp(list[i], word) == 0)
                candidate[count++] = list[i];
    }
    return count;
}

static const char *nearest(parser *p, const char *word, unsigned near)
{
    enum { WORDS_MOST = 200 };
    const char **candidate = arena_alloc(p->arena, p->names + p->arguments + WORDS_MOST,
                                         sizeof *candidate);
    int64_t count = add_names(p, near, candidate);

    count += add_words(word, near, candidate + count);
    return text_nearest(word, candidate, count);
}

const char *did_you_mean(parser *p, const char *word, const char *const *list, int count)
{
    const char *near = text_nearest(word, list, count);

    return near ? arena_print(p->arena, "; did you mean '%s'?", near) : "";
}

bool mistake_near(parser *p, const token *word, unsigned near, const char *format, ...)
{
    va_list list;

    va_start(list, format);
    const char *message = print_list(p, format, list);
    va_end(list);
    const char *given = token_text(p, word);
    const char *found = word->length < 100 ? nearest(p, given, near) : NULL;
    if (found && strcmp(found, given) != 0)
        message = arena_print(p->arena, "%s; did you mean '%s'?", message, found);
    keep(&p->mistakes, word->at, message);
    return false;
}

void abandon_rest(parser *p)
{
    p->panic = true;
    /* Skips to the end of the statement. Names in the rest of a declaration count as
     * declared, so that their uses are not reported. */
    for (; p->next->kind != TOKEN_END; p->next++) {
        const token *t = p->next;
        if (!t->inside && (t->kind == TOKEN_NEWLINE || token_is(t, ";")))
            return;
        if (p->declares && (t->kind == TOKEN_NAME || t->kind == TOKEN_BAD))
            symbol_poison(p, t);
    }
}

place place_here(const parser *p)
{
    const token *t = p->next;

    if (t->kind != TOKEN_END)
        return t->at;
    while (t > p->token && (t->kind == TOKEN_END || t->kind == TOKEN_NEWLINE))
        t--;
    return (place){t->at.line, t->at.column + t->at.length, 1, t->at.file};
}

/* Reports a mistake in the form of a statement. A bad token has a message of its own. If
 * the token stands for a name with an earlier report, nothing is reported. */
bool syntax_mistake_at(parser *p, place at, const char *format, ...)
{
    const token *t = p->next;
    va_list list;

    va_start(list, format);
    if (!p->panic && t->kind != TOKEN_BAD)
        keep(&p->mistakes, at, print_list(p, format, list));
    else if (!p->panic && !symbol_poisoned(p, t))
        mistake_at(p, t->at, "%s", t->why);
    va_end(list);
    abandon_rest(p);
    return false;
}

bool statement_is_bad(const parser *p)
{
    return p->panic || p->mistakes.count > p->mistakes_before;
}

/* ---- telling ----------------------------------------------------------------------- */

static int by_place(const void *a, const void *b)
{
    const mistake *l = a, *r = b;

    if (l->at.file != r->at.file)
        return l->at.file < r->at.file ? -1 : 1;
    return l->at.line == r->at.line
               ? (l->at.column > r->at.column) - (l->at.column < r->at.column)
           : l->at.line < r->at.line ? -1
                                     : 1;
}

/* Finds one line of the text; *length is in bytes. */
static const char *find_line(const parser *p, place of, int64_t *length)
{
    const included *f = of.file ? &p->include[of.file - 1] : NULL;
    const char *at = f ? f->source : p->source, *end = at + (f ? f->length : p->length);

    for (int line = of.line; line > 1 && at < end; line--) {
        const char *newline = memchr(at, '\n', (size_t)(end - at));
        at = newline ? newline + 1 : end;
    }
    const char *stop = memchr(at, '\n', (size_t)(end - at));
    stop = stop ? stop : end;
    if (stop > at && stop[-1] == '\r')
        stop--;
    *length = stop - at;
    return at;
}

static void show_line(const parser *p, text *t, place at)
{
    int64_t length = 0;
    const char *line = find_line(p, at, &length);
    int64_t count = 0, from = 0;

    for (int64_t i = 0; i < length; i++)
        count += !utf8_continues(line[i]);
    int64_t to = count;
    if (count == 0)
        return;
    if (count > WINDOW) {
        from = at.column > WINDOW - LEAD ? at.column - LEAD - 1 : 0;
        to = from + WINDOW < count ? from + WINDOW : count;
    }
    text_add(t, "\n    %s", from > 0 ? "..." : "");
    /* Appends characters from..to of the line, with blanks for tabs. */
    int64_t character = -1;
    for (int64_t i = 0; i < length; i++) {
        character += !utf8_continues(line[i]);
        if (character >= from && character < to)
            text_add_bytes(t, line[i] == '\t' ? " " : &line[i], 1);
    }
    text_add(t, "%s\n    %*s^", to < count ? "..." : "",
             (int)(at.column - 1 - from + (from > 0 ? 3 : 0)), "");
    for (int64_t i = 1; i < at.length && at.column - 1 + i < to; i++)
        text_add(t, "~");
}

/* True if the same mistake is in the list already. Mistakes in a let or an argument are
 * found again at each use. */
static bool is_reported(const mistake *first, const mistake *m)
{
    for (const mistake *other = first; other < m; other++)
        if (by_place(other, m) == 0 && strcmp(other->message, m->message) == 0)
            return true;
    return false;
}

static void report(const parser *p, mistake_list *list, text *t)
{
    const int count = list->count < MAX_MISTAKES ? list->count : MAX_MISTAKES;

    qsort(list->item, (size_t)count, sizeof(mistake), by_place);
    for (int i = 0; i < count; i++) {
        const mistake *m = &list->item[i];
        if (is_reported(list->item, m))
            continue;
        text_add(t, "%s%s:%d:%d: %s", i > 0 ? "\n" : "",
                 m->at.file ? p->include[m->at.file - 1].path : p->name, m->at.line,
                 m->at.column, m->message);
        if (p->source && p->tokens > 0)
            show_line(p, t, m->at);
    }
    if (p->mistakes.count > MAX_MISTAKES)
        text_add(t, "\nmore mistakes follow these %d", MAX_MISTAKES);
}

const char *warnings_print(const parser *p)
{
    OWNED_BY(text_free) text t = {0};
    mistake_list sorted = p->warnings;

    report(p, &sorted, &t);
    return t.length > 0 ? arena_print(p->arena, "%s", t.data) : NULL;
}

pav_status mistakes_report(const parser *p)
{
    mistake_list sorted = p->mistakes;
    text t = {0};
    OWNED char *message = NULL;

    if (sorted.count == 0)
        return PAV_OK;
    report(p, &sorted, &t);
    TRY(text_take(&t, &message));
    return FAIL(PAV_ESYNTAX, "%s", message);
}

/* ---- undeclared names -------------------------------------------------------------- */

/* Reports undeclared names, once each. The name may be declared further down, be a word
 * of another language, or resemble a known name. */

/* ---- declared below ---------------------------------------------------------------- */

static bool begins_declaration(const token *t)
{
    static const char *const words[] = {"param", "scalar",  "let",
                                        "field", "stencil", "measure"};

    return t->kind == TOKEN_NAME &&
           word_find(words, (int)COUNT_OF(words), t->text, t->length) >= 0;
}

static bool is_list_separator(const token *t)
{
    return token_is(t, ",") || token_is(t, ";");
}

/* True if the statement or part at t declares names. `before`: the part before it did. */
static bool declares_here(const token *t, bool before)
{
    if (begins_declaration(t))
        return true;
    const bool other = t->kind == TOKEN_NAME &&
                       (token_is(t + 1, "'") || word_is_reserved(t->text, t->length));
    return before && !other;
}

/* The declaration of a name below the cursor, or NULL. */
static const token *find_below(const parser *p, const token *name)
{
    bool declares = p->declares;
    int open = 0;

    for (const token *t = p->next; t->kind != TOKEN_END; t++) {
        const bool first = t[-1].kind == TOKEN_NEWLINE || token_is(t - 1, ";");
        if (t->kind == TOKEN_NEWLINE && !is_list_separator(t - 1)) {
            declares = false;
            open = 0;
        }
        if (first)
            declares = declares_here(t, declares);
        open += token_is(t, "(") || token_is(t, "[") || token_is(t, "{");
        open -= token_is(t, ")") || token_is(t, "]") || token_is(t, "}");
        if (declares && open == 0 && t->kind == TOKEN_NAME && t->length == name->length &&
            memcmp(t->text, name->text, (size_t)t->length) == 0 &&
            (begins_declaration(t - 1) || is_list_separator(t - 1) || first))
            return t;
    }
    return NULL;
}

/* ---- words of other languages ------------------------------------------------------ */

#define CHOICE "a choice is written where(condition, a, b), as in where(u > 1, 0, u)"
static const struct foreign_word {
    const char *word, *why;
} words[] = {
    {"dt", "the length of a step is a param: param dt = ..."},
    {"e", "the number e is written exp(1)"},
    {"i", "the imaginary unit is i behind a complex field, field psi complex; a "
          "neighbour has no index: u[1]"},
    {"j", "a neighbour has no index, as in u[1]"},
    {"k", "a neighbour has no index, as in u[1]"},
    {"roll", "a neighbour is written u[1]"},
    {"shift", "a neighbour is written u[1]"},
    {"on", "faces follow 'at', as in border u = 0 at x-, x+"},
    {"in", "limits are written from 0 to 1, faces follow 'at'"},
    {"ln", "the natural logarithm is written log"},
    {"erfc", "it is written 1 - erf(a)"},
    {"log2", "it is written log(a)/log(2)"},
    {"exp2", "it is written 2^a"},
    {"asinh", "it is written log(a + sqrt(a^2 + 1))"},
    {"acosh", "it is written log(a + sqrt(a^2 - 1))"},
    {"atanh", "it is written log((1 + a)/(1 - a))/2"},
    {"sgn", "it is written sign(a)"},
    {"square", "it is written a^2"},
    {"int", "the whole part is written floor(a), or sign(a)*floor(abs(a))"},
    {"trunc", "the whole part is written floor(a), or sign(a)*floor(abs(a))"},
    {"clip", "limits are written min(max(a, low), high)"},
    {"heaviside", "a jump is written where(a > 0, 1, 0)"},
    {"ifelse", "a choice is written where(condition, a, b)"},
    {"rand", "random numbers are written uniform(seed)"},
    {"randn", "normal random numbers are written normal(seed)"},
    {"lap", "the sum of the second derivatives is written laplace(u)"},
    {"del2", "the sum of the second derivatives is written laplace(u)"},
    {"diff", "derivatives are written dx(u), dxx(u), and so on"},
    {"cumsum", "a running sum is written scan(u along x)"},
    {"vector", "a field with components is written field u[3]"},
    {"laplacian", "the sum of the second derivatives is written laplace(u)"},
    {"mean", "a mean is the sum by the points, as in sum(u)/(nx*ny)"},
    {"if", CHOICE},
    {"then", CHOICE},
    {"else", CHOICE},
    {"when", CHOICE},
    {"case", CHOICE},
    {"switch", CHOICE},
    {"select", CHOICE},
    {"dirichlet", "a given value is written border u = 0"},
    {"robin", "a flux that depends on u is written border neumann u = g - a*u"},
    {"reflect", "a wall without flux is written border mirror or border neumann"},
    {"wrap", "a torus is written border periodic"},
    {"absorbing", "a layer that absorbs is written absorb 20 cells"},
    {"gradient", "a gradient is written grad(u)"},
    {"divergence", "a divergence is written div(u)"},
    {"rot", "a curl is written curl(u)"},
    {"d2dx2", "a second derivative is written dxx(u)"},
    {"timestep", "the length of a step is written param dt = ..."},
    {"nabla", "derivatives are written grad(u), div(u), curl(u)"},
    {"average", "a mean is the sum by the points, as in sum(u)/(nx*ny)"},
    {"avg", "a mean is the sum by the points, as in sum(u)/(nx*ny)"},
    {"time", "the time is written t, the number of steps taken step"},
    {"source", "a source is written inject ... into u at (...)"},
    {"receiver", "a receiver is written sample u at (...)"},
    {"boundary", "a rule at the faces is written border u = 0"},
    {"plot", "a picture is written output u into \"u.png\""},
    {"noflux", "a wall without flux is written border mirror or border neumann"},
    {"symmetric", "a wall without flux is written border mirror or border neumann"},
    {"outflow", "an open face is written border clamp"},
    {"pml", "a matched layer is written absorb 20 cells by pml"},
};

#undef CHOICE

const char *foreign_word(const token *name)
{
    for (size_t i = 0; i < COUNT_OF(words); i++)
        if (word_find(&words[i].word, 1, name->text, name->length) == 0)
            return words[i].why;
    return NULL;
}

/* True for names such as dxxyyz: letters of a derivative, but too many. */
static bool is_long_derivative(const token *name)
{
    int letters = 1;

    while (letters < name->length && name->text[letters] >= 'x' &&
           name->text[letters] <= 'z')
        letters++;
    return *name->text == 'd' && letters == name->length && letters > 5;
}

void report_unknown(parser *p, const token *name, const char *what, unsigned near)
{
    const int shown = name->length < 40 ? name->length : 40;
    const token *below = find_below(p, name);
    const char *why = foreign_word(name);
    const symbol *list = list_of_part(p, name->text, name->length);
    int calls = 0, behind = name->length;
    const char *const *call = word_list(NEAR_CALLS, &calls);

    while (behind > 0 && name->text[behind - 1] != '.')
        behind--;
    if (behind > 0 &&
        word_find(call, calls, name->text + behind, name->length - behind) >= 0)
        mistake_at(p, name->at, "unknown %s '%.*s'; a function is written %.*s(...)",
                   what, shown, name->text, name->length - behind, name->text + behind);
    else if (below)
        mistake_at(p, name->at,
                   "unknown %s '%.*s': it is declared below, in line %d; names stand "
                   "before their use",
                   what, shown, name->text, below->at.line);
    else if (why)
        mistake_at(p, name->at, "unknown %s '%.*s'; %s", what, shown, name->text, why);
    else if (list && list->kind != SYMBOL_LIST && !list->notes->bad)
        mistake_at(p, name->at, "unknown %s '%.*s': the %s '%s' has no components", what,
                   shown, name->text, symbol_kind_name(list->kind), list->name);
    else if (list && !list->notes->bad)
        mistake_at(p, name->at, "unknown %s '%.*s'; '%s' has the components %s to %s",
                   what, shown, name->text, list->name, list_part(p, list, 0)->name,
                   list_part(p, list, list->parts - 1)->name);
    else if (is_long_derivative(name))
        mistake_at(p, name->at,
                   "the derivative '%.*s' has %d letters, and at most 4 are known; write "
                   "it as a derivative of a derivative, as in dxx(dyy(u))",
                   shown, name->text, name->length - 1);
    else
        mistake_near(p, name, near, "unknown %s '%.*s'", what, shown, name->text);
    symbol_poison(p, name);
}
