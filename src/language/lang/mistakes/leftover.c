/* SPDX-License-Identifier: BSD-3-Clause */
/* Explains the token behind a complete statement: a unit, a forgotten sign, or the next
 * statement. */
#include <string.h>

#include "lang/lang_private.h"

/* ---- other languages --------------------------------------------------------------- */

/* Signs of other languages and of word processors, each with its replacement in this
 * language. */

typedef struct foreign {
    const char *sign, *why;
} foreign;

/* Longer signs precede their own beginnings. */
static const foreign signs[] = {
    {"**", "a power is written ^, as in u^2, not '**'"},
    {"&&", "the condition that both hold is written 'and', not '&&'"},
    {"&", "the condition that both hold is written 'and', not '&'"},
    {"||", "the condition that one holds is written 'or', not '||'"},
    {"|", "the condition that one holds is written 'or'; |u| is written abs(u)"},
    {"!", "the condition that something does not hold is written 'not', not '!'"},
    {"//", "a comment begins with #, not with '//'"},
    {"/*", "a comment begins with #, not with '/*'"},
    {"\\", "a line goes on behind an operator or within parentheses; '\\' has no meaning "
           "here"},
    {"~=", "unequal is written !=, not '~='"},
    {"/=", "unequal is written !=, not '/='"},
    {"+=", "a line begins with a statement, such as u' = u + a, not u += a"},
    {"-=", "a line begins with a statement, such as u' = u - a, not u -= a"},
    {"*=", "a line begins with a statement, such as u' = u*a, not u *= a"},
    {".*", "operations act at each point: a product is written *, not '.*'"},
    {"./", "operations act at each point: a quotient is written /, not './'"},
    {".^", "operations act at each point: a power is written ^, not '.^'"},
    {"<>", "unequal is written !=, not '<>'"},
    {"=<", "at most is written <=, not '=<'"},
    {"=>", "at least is written >=, not '=>'"},
    {":=", "a value is given with =, not ':='"},
    {":", "a value is given with =, limits by from 0 to 1; ':' has no meaning here"},
    {"<<", "bits move up by shl(a, b), not by '<<'"},
    {">>", "bits move down by shr(a, b), not by '>>'"},
    {"?", "a choice is written where(condition, a, b), as in where(u > 1, 0, u); '?' has "
          "no meaning here"},
    {"\xe2\x88\x92", "this sign \xe2\x88\x92 is not the minus of the keyboard; write -"},
    {"\xe2\x80\x93", "this dash \xe2\x80\x93 is not the minus of the keyboard; write -"},
    {"\xe2\x80\x94", "this dash \xe2\x80\x94 is not the minus of the keyboard; write -"},
    {"\xc3\x97", "a product is written *, not \xc3\x97"},
    {"\xc2\xb7", "a product is written *, not \xc2\xb7"},
    {"\xe2\x8b\x85", "a product is written *, not \xe2\x8b\x85"},
    {"\xc3\xb7", "a quotient is written /, not \xc3\xb7"},
    {"\xc2\xb2", "a square is written ^2, not \xc2\xb2"},
    {"\xc2\xb3", "a cube is written ^3, not \xc2\xb3"},
    {"\xc2\xbd", "a half is written 1/2, not \xc2\xbd"},
    {"\xe2\x89\xa4", "at most is written <=, not \xe2\x89\xa4"},
    {"\xe2\x89\xa5", "at least is written >=, not \xe2\x89\xa5"},
    {"\xe2\x89\xa0", "unequal is written !=, not \xe2\x89\xa0"},
    {"\xcf\x80", "the number \xcf\x80 is written pi"},
    {"\xce\x94", "the sum of the second derivatives is written laplace(u), not \xce\x94"},
    {"\xe2\x88\x86", "the sum of the second derivatives is written laplace(u), "
                     "not \xe2\x88\x86"},
    {"\xe2\x88\x87", "derivatives are written dx(u), dy(u), dz(u), not \xe2\x88\x87"},
    {"\xe2\x80\x9c",
     "a text stands in plain quotes \" \", not in \xe2\x80\x9c \xe2\x80\x9d"},
    {"\xe2\x80\x9d",
     "a text stands in plain quotes \" \", not in \xe2\x80\x9c \xe2\x80\x9d"},
    {"\xe2\x80\x9e",
     "a text stands in plain quotes \" \", not in \xe2\x80\x9e \xe2\x80\x9c"},
    {"\xe2\x80\x98",
     "the new value is written u', with a plain ', not with \xe2\x80\x98"},
    {"\xe2\x80\x99",
     "the new value is written u', with a plain ', not with \xe2\x80\x99"},
    {"\xe2\x80\xb2",
     "the new value is written u', with a plain ', not with \xe2\x80\xb2"},
    {"\xc2\xa0", "this blank (U+00A0) is not the one of the keyboard; write a plain one"},
    {"\xe2\x80\x89",
     "this blank (U+2009) is not the one of the keyboard; write a plain one"},
    {"\xe2\x80\xaf",
     "this blank (U+202F) is not the one of the keyboard; write a plain one"},
    {"\xe2\x80\x8b", "an invisible character (U+200B) stands here; take it out"},
    {"\xe3\x80\x80",
     "this blank (U+3000) is not the one of the keyboard; write a plain one"},
    {"\xef\xbb\xbf", "an invisible character (U+FEFF) stands here; take it out"},
};

/* The full-width forms U+FF01 to U+FF5E stand for ! to ~; 0 for anything else. */
static char plain_form(const char *at, const char *end)
{
    if (end - at < 3 || (unsigned char)at[0] != 0xefU)
        return 0;
    const unsigned code = ((unsigned char)at[1] & 0x3fU) << 6 |
                          ((unsigned char)at[2] & 0x3fU);
    return code >= 0xf01U && code <= 0xf5eU ? (char)(code - 0xf01U + '!') : (char)0;
}

bool foreign_is_wide(const char *at, const char *end)
{
    return plain_form(at, end) || (end - at >= 3 && memcmp(at, "\xe3\x80\x80", 3) == 0);
}

int foreign_find(parser *p, const char *at, const char *end, const char **why)
{
    for (size_t i = 0; i < COUNT_OF(signs); i++) {
        const size_t length = strlen(signs[i].sign);
        if ((size_t)(end - at) < length || memcmp(at, signs[i].sign, length) != 0)
            continue;
        *why = signs[i].why;
        return (int)length;
    }
    const char plain = plain_form(at, end);
    if (!plain)
        return 0;
    *why = arena_print(p->arena, "'%.3s' is a full-width character; write %c", at, plain);
    return 3;
}

/* First words of statements in other languages. */
static const struct {
    const char *word, *why;
} statements[] = {
    {"if", "unknown statement 'if': a choice is written where(condition, a, b), as in u' "
           "= where(u > 1, 0, u)"},
    {"for", "unknown statement 'for': steps repeat by themselves, as often as steps 100 "
            "says, or until a condition holds"},
    {"while", "unknown statement 'while': steps repeat by themselves, until a condition "
              "holds"},
    {"print", "unknown statement 'print': a number is recorded by measure, a field by "
              "output"},
    {"source", "unknown statement 'source': a source is written inject ... into u at "
               "(...)"},
    {"receiver", "unknown statement 'receiver': a receiver is written sample u at (...)"},
    {"boundary", "unknown statement 'boundary': a rule at the faces is written border u "
                 "= 0"},
    {"bc", "unknown statement 'bc': a rule at the faces is written border u = 0"},
    {"plot", "unknown statement 'plot': a picture is written output u into \"u.png\""},
    {"show", "unknown statement 'show': a picture is written output u into \"u.png\""},
    {"write", "unknown statement 'write': a field is written by output u into "
              "\"u.npy\""},
    {"initial", "unknown statement 'initial': a field starts from field u = sin(x)"},
    {"run", "unknown statement 'run': steps 100 says how many steps to take"},
    {"tmax", "unknown statement 'tmax': until t >= 10 says when the run ends"},
    {"assert", "unknown statement 'assert': a condition is checked by expect max(u) < 1"},
    {"end", "unknown statement 'end': a statement ends with its line"},
    {"save", "unknown statement 'save': a field is written by output u into \"u.npy\""},
    {"time", "unknown statement 'time': steps 100 says how many steps to take, param dt "
             "= ... how long one is"},
    {"dirichlet", "unknown statement 'dirichlet': a given value is written border u = "
                  "0"},
    {"const", "unknown statement 'const': a number is declared by param"},
    {"var", "unknown statement 'var': a number is declared by param, a field by field"},
    {"include", "the name of the included file stands in quotes: include \"file.pav\""},
    {"def", "unknown statement 'def': a function is written let f(a) = a^2"},
    {"function", "unknown statement 'function': a function is written let f(a) = a^2"},
    {"int", "unknown statement 'int': a number is declared by param"},
    {"import", "unknown statement 'import': a file is included by include \"file.pav\""},
    {"float", "unknown statement 'float': a number is declared by param, a field by "
              "field, their type by real f32"},
    {"double", "unknown statement 'double': a number is declared by param, a field by "
               "field, their type by real f64"},
};

const char *foreign_statement(const parser *p, const token *t)
{
    for (size_t i = 0; i < COUNT_OF(statements); i++)
        if (token_is(t, statements[i].word) && !symbol_find(p, t->text, t->length))
            return statements[i].why;
    return token_is(t + 1, "/") || token_is(t + 1, "=")
               ? "an equation gives the value after a step, as in u' = u + dt*laplace(u)"
               : NULL;
}

/* ---- leftovers --------------------------------------------------------------------- */

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

/* True if the token may end a value, or may begin one: two values in a row are a product
 * without *. */
static bool ends_value(const token *t)
{
    return t->kind == TOKEN_NUMBER || token_is(t, ")") || token_is(t, "]") ||
           token_is(t, "'") || (t->kind == TOKEN_NAME && !word_is_in(t, NEAR_STATEMENTS));
}

static bool begins_value(const token *t)
{
    return t->kind == TOKEN_NUMBER || token_is(t, "(") ||
           (t->kind == TOKEN_NAME && !word_is_in(t, NEAR_PARTS));
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
    else if (token_is(t, "steps") && token_is(t - 2, "every"))
        mistake_at(p, t->at, "'steps' is not expected here; every %.*s counts steps",
                   shown(t - 1), t[-1].text);
    else if (word_is_in(t, NEAR_STATEMENTS))
        mistake_at(p, t->at,
                   "'%.*s' begins a statement of its own: it stands in the next line, or "
                   "behind a semicolon",
                   shown(t), t->text);
    else if (token_is(t, "at"))
        mistake_at(p, t->at,
                   p->on_mesh ? "'at' is not expected here; a border follows a form, or "
                                "an integral, as in integral(u) at \"rim\""
                              : "'at' is not expected here; values at points are "
                                "recorded by sample, as in sample u at (...)");
    else if (p->on_mesh && token_is(t, ",") && t[1].kind == TOKEN_STRING)
        mistake_at(p, t->at,
                   "',' is not expected here; an integral is over one border, and the "
                   "sum of two is integral(u) at \"rim\" + integral(u) at \"top\"");
    else if (t->kind == TOKEN_STRING || t[1].kind == TOKEN_STRING)
        mistake_at(p, t->at,
                   "'into' is missing before the name of a file, as in into \"u.npy\"");
    else if (token_is(t, ",") && t[-1].kind == TOKEN_NUMBER && t[1].kind == TOKEN_NUMBER)
        mistake_at(p, t->at,
                   "',' is not expected here; decimals follow a point: %.*s.%.*s",
                   shown(t - 1), t[-1].text, shown(t + 1), t[1].text);
    else if (token_is(t, ","))
        mistake_at(p, t->at,
                   "',' is not expected here; another statement follows: write it in the "
                   "next line, or behind a semicolon");
    else
        return false;
    return true;
}

void report_rest(parser *p)
{
    const token *t = p->next;
    const bool word = t->kind == TOKEN_NAME && !word_is_known(t->text, t->length) &&
                      !symbol_find(p, t->text, t->length);

    const char *const why = word ? foreign_word(t) : NULL;

    /* what follows an unknown name is its consequence */
    if (symbol_poisoned(p, t - 1) || report_word(p, t))
        return;
    if (why)
        mistake_at(p, t->at, "'%.*s' is not expected here; %s", shown(t), t->text, why);
    else if (word && !token_is(t + 1, "("))
        mistake_near(p, t, NEAR_PARTS | NEAR_VALUES, "'%.*s' is not expected here",
                     shown(t), t->text);
    else if (token_is(t, "="))
        mistake_at(p, t->at, "'=' is not expected here; equality is written ==");
    else if (ends_value(t - 1) && begins_value(t) &&
             (token_is(t, "(") || word_is_in(t, NEAR_VALUES) || token_is(t + 1, "(") ||
              !word_is_known(t->text, t->length)))
        mistake_at(
            p, t->at, "'%.*s' is not expected here; a product is written %s%.*s*%.*s%s",
            shown(t), t->text,
            token_is(t - 1, ")")   ? "(..."
            : token_is(t - 1, "]") ? "[..."
                                   : "",
            shown(t - 1), t[-1].text, shown(t), t->text, token_is(t, "(") ? "...)" : "");
    else
        mistake_at(p, t->at, "'%.*s' is not expected here", shown(t), t->text);
}
