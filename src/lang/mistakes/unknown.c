/* SPDX-License-Identifier: BSD-3-Clause */
/* Reports undeclared names, once each. The name may be declared further down, be a word
 * of another language, or resemble a known name. */
#include <string.h>

#include "lang/lang_private.h"

/* ---- declared below ---------------------------------------------------------------- */

static bool begins_declaration(const token *t)
{
    static const char *const words[] = {"param", "scalar",  "let",
                                        "field", "stencil", "measure"};

    return t->kind == TOKEN_NAME &&
           word_find(words, (int)COUNT_OF(words), t->text, t->length) >= 0;
}

static bool same_word(const token *a, const token *b)
{
    return a->kind == TOKEN_NAME && a->length == b->length &&
           memcmp(a->text, b->text, (size_t)a->length) == 0;
}

static bool goes_on(const token *t)
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
        if (t->kind == TOKEN_NEWLINE && !goes_on(t - 1)) {
            declares = false;
            open = 0;
        }
        if (first)
            declares = declares_here(t, declares);
        open += token_is(t, "(") || token_is(t, "[") || token_is(t, "{");
        open -= token_is(t, ")") || token_is(t, "]") || token_is(t, "}");
        if (declares && open == 0 && same_word(t, name) &&
            (begins_declaration(t - 1) || goes_on(t - 1) || first))
            return t;
    }
    return NULL;
}

/* ---- words of other languages ------------------------------------------------------ */

static const struct foreign_word {
    const char *word, *why;
} words[] = {
    {"dt", "the length of a step is a param: param dt = ..."},
    {"e", "the number e is written exp(1)"},
    {"ln", "the natural logarithm is written log"},
    {"lap", "the sum of the second derivatives is written laplace(u)"},
    {"laplacian", "the sum of the second derivatives is written laplace(u)"},
    {"mean", "a mean is the sum by the points, as in sum(u)/(nx*ny)"},
    {"if", "a choice is written where(condition, a, b)"},
    {"dirichlet", "a given value is written border u = 0"},
    {"reflect", "a wall without flux is written border mirror or border neumann"},
    {"wrap", "a torus is written border periodic"},
    {"absorbing", "a layer that absorbs is written absorb 20 cells"},
};

static const char *foreign_word(const token *name)
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

    if (below)
        mistake_at(p, name->at,
                   "unknown %s '%.*s': it is declared below, in line %d; names stand "
                   "before their use",
                   what, shown, name->text, below->at.line);
    else if (why)
        mistake_at(p, name->at, "unknown %s '%.*s'; %s", what, shown, name->text, why);
    else if (is_long_derivative(name))
        mistake_at(p, name->at,
                   "the derivative '%.*s' has %d letters, and at most 4 are known; write "
                   "it as a derivative of a derivative, as in dxx(dyy(u))",
                   shown, name->text, name->length - 1);
    else
        mistake_near(p, name, near, "unknown %s '%.*s'", what, shown, name->text);
    symbol_poison(p, name);
}
