/* SPDX-License-Identifier: BSD-3-Clause */
/* Explains the token behind a complete statement: a unit, a forgotten sign, or the next
 * statement. */
#include "lang/lang_private.h"

/* Numbers are given without them. */
static const char *const units[] = {
    "m",       "cm",   "mm",    "um",      "nm",  "km",   "s",      "ms",
    "us",      "ns",   "min",   "Hz",      "kHz", "MHz",  "GHz",    "kg",
    "g",       "K",    "C",     "degC",    "J",   "W",    "kW",     "Pa",
    "kPa",     "MPa",  "GPa",   "N",       "V",   "A",    "sec",    "second",
    "seconds", "hour", "hours", "minutes", "day", "days", "percent"};

static bool is_unit(const token *t)
{
    return t->kind == TOKEN_NAME && t[-1].kind == TOKEN_NUMBER && !token_is(t + 1, "(") &&
           word_find(units, (int)COUNT_OF(units), t->text, t->length) >= 0;
}

static bool is_in(const token *t, unsigned near)
{
    int count = 0;
    const char *const *list = word_list(near, &count);

    return t->kind == TOKEN_NAME && word_find(list, count, t->text, t->length) >= 0;
}

/* True if the token may end a value, or may begin one: two values in a row are a product
 * without *. */
static bool ends_value(const token *t)
{
    return t->kind == TOKEN_NUMBER || token_is(t, ")") || token_is(t, "]") ||
           token_is(t, "'") || (t->kind == TOKEN_NAME && !is_in(t, NEAR_STATEMENTS));
}

static bool begins_value(const token *t)
{
    return t->kind == TOKEN_NUMBER || token_is(t, "(") ||
           (t->kind == TOKEN_NAME && !is_in(t, NEAR_PARTS));
}

static int shown(const token *t)
{
    return t->length < 40 ? t->length : 40;
}

/* Reports a word behind a statement; false: no explanation is known. */
static bool report_word(parser *p, const token *t)
{
    if (is_unit(t))
        mistake_at(p, t->at,
                   "'%.*s' is not expected here; numbers stand without units, choose one "
                   "for each quantity and keep to it",
                   shown(t), t->text);
    else if (is_in(t, NEAR_STATEMENTS))
        mistake_at(p, t->at,
                   "'%.*s' begins a statement of its own: it stands in the next line, or "
                   "behind a semicolon",
                   shown(t), t->text);
    else if (token_is(t, "at"))
        mistake_at(p, t->at,
                   "'at' is not expected here; values at points are recorded by sample, "
                   "as in sample u at (...)");
    else if (t->kind == TOKEN_STRING || t[1].kind == TOKEN_STRING)
        mistake_at(p, t->at,
                   "'into' is missing before the name of a file, as in into \"u.npy\"");
    else if (token_is(t, ",") && t[-1].kind == TOKEN_NUMBER && t[1].kind == TOKEN_NUMBER)
        mistake_at(p, t->at,
                   "',' is not expected here; decimals follow a point: %.*s.%.*s",
                   shown(t - 1), t[-1].text, shown(t + 1), t[1].text);
    else if (token_is(t, ","))
        mistake_at(p, t->at,
                   "',' is not expected here; what follows is a statement of its own: it "
                   "stands in the next line, or behind a semicolon");
    else
        return false;
    return true;
}

void report_rest(parser *p)
{
    const token *t = p->next;
    const bool word = t->kind == TOKEN_NAME && !word_is_reserved(t->text, t->length) &&
                      !symbol_find(p, t->text, t->length);

    if (report_word(p, t))
        return;
    if (word && !token_is(t + 1, "("))
        mistake_near(p, t, NEAR_PARTS | NEAR_VALUES, "'%.*s' is not expected here",
                     shown(t), t->text);
    else if (token_is(t, "="))
        mistake_at(p, t->at, "'=' is not expected here; equality is written ==");
    else if (ends_value(t - 1) && begins_value(t))
        mistake_at(p, t->at,
                   "'%.*s' is not expected here; a product is written %.*s*%.*s",
                   shown(t), t->text, shown(t - 1), t[-1].text, shown(t), t->text);
    else
        mistake_at(p, t->at, "'%.*s' is not expected here", shown(t), t->text);
}
