/* SPDX-License-Identifier: BSD-3-Clause */
/* Numbers from text and to text.
 *
 * The exponent saturates, and factors of ten are multiplied one at a time until 127 bits
 * overflow, so "1e999999999" costs no more than "1e40". A number too large is rounded to
 * a double once: 770 digits decide any rounding (halfway points between doubles have at
 * most 767), and one more digit stands for all later digits. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/base_private.h"

/* ---- exact numbers ----------------------------------------------------------------- */

enum {
    MOST_DIGITS = 770,
    INTEGER_DIGITS = 40, /* digits of 128 bits, with the NUL */
    SHORT_DIGITS = 17,   /* decimals up to this length are preferred to ratios */
};

/* digits * 10^exponent; the digits have no zeros at either end; zero has no digits. */
typedef struct decimal {
    char digits[MOST_DIGITS + 2];
    int64_t count, exponent;
} decimal;

static void take_digit(decimal *d, char c, bool after_point)
{
    if (d->count < MOST_DIGITS && (d->count > 0 || c != '0'))
        d->digits[d->count++] = c;
    else if (d->count > 0) {
        d->exponent++; /* one digit left out */
        if (c != '0')
            d->digits[MOST_DIGITS] = '1';
    }
    if (after_point)
        d->exponent--;
}

/* Reads digits with at most one point. Returns the place after them, or NULL without a
 * digit. */
static const char *take_digits(decimal *d, const char *at, const char *end)
{
    bool point = false, any = false;

    for (; at < end && (char_is_digit(*at) || (*at == '.' && !point)); at++) {
        if (*at == '.')
            point = true;
        else {
            take_digit(d, *at, point);
            any = true;
        }
    }
    return any ? at : NULL;
}

/* Reads "e-12", if present. */
static const char *take_exponent(decimal *d, const char *at, const char *end)
{
    int64_t exponent = 0;
    bool negative = false;

    if (at == end || (*at != 'e' && *at != 'E'))
        return at;
    at++;
    if (at < end && (*at == '+' || *at == '-'))
        negative = *at++ == '-';
    if (at == end || !char_is_digit(*at))
        return NULL;
    for (; at < end && char_is_digit(*at); at++)
        if (exponent < INT32_MAX)
            exponent = exponent * 10 + (*at - '0');
    /* The saturated exponent is safe: to outweigh it, a text of so many digits would have
     * to be in memory. */
    d->exponent += negative ? -exponent : exponent;
    return at;
}

/* Drops zeros at the end, but not before a digit standing for others. */
static void finish(decimal *d)
{
    if (d->digits[MOST_DIGITS]) {
        d->count = MOST_DIGITS + 1;
        d->exponent--;
        return;
    }
    while (d->count > 0 && d->digits[d->count - 1] == '0') {
        d->count--;
        d->exponent++;
    }
    d->digits[d->count] = '\0';
}

static bool read_integer(const decimal *d, u128 *value)
{
    *value = 0;
    for (int64_t i = 0; i < d->count; i++)
        if (!mul_u127(*value, 10, value) ||
            __builtin_add_overflow(*value, (u128)(d->digits[i] - '0'), value) ||
            *value >> 127)
            return false;
    return true;
}

/* Divides `from` by the factor if possible, otherwise multiplies `to`. */
static bool move_factor(u128 factor, u128 *from, u128 *to)
{
    if (*from % factor != 0)
        return mul_u127(*to, factor, to);
    *from /= factor;
    return true;
}

static bool exact_value(const decimal *d, num *value)
{
    u128 p, q = 1;

    if (!read_integer(d, &p))
        return false;
    for (int64_t e = d->exponent; e > 0 && p > 0; e--)
        if (!mul_u127(p, 10, &p))
            return false;
    for (int64_t e = d->exponent; e < 0 && p > 0; e++)
        if (!move_factor(2, &p, &q) || !move_factor(5, &p, &q))
            return false;
    *value = num_ratio((i128)p, (i128)q);
    return true;
}

static num nearest_value(const decimal *d)
{
    char printed[MOST_DIGITS + 32];

    (void)snprintf(printed, sizeof printed, "%se%lld", d->digits, (long long)d->exponent);
    /* independent of the locale: no decimal point */
    return (num){.v = strtod(printed, NULL)};
}

static const char *parse_decimal(const char *at, const char *end, num *value)
{
    decimal d = {{0}, 0, 0};

    at = take_digits(&d, at, end);
    if (at)
        at = take_exponent(&d, at, end);
    if (!at)
        return NULL;
    finish(&d);
    if (!exact_value(&d, value))
        *value = nearest_value(&d);
    return at;
}

bool num_parse(const char *digits, size_t length, num *value)
{
    const char *at = digits, *end = digits + length;
    const bool sign = at < end && (*at == '-' || *at == '+');
    num below;

    *value = num_int(0);
    at = parse_decimal(at + (sign ? 1 : 0), end, value);
    if (at && at < end && *at == '/') {
        at = parse_decimal(at + 1, end, &below);
        if (at && num_is_zero(below))
            at = NULL;
        if (at)
            *value = num_div(*value, below);
    }
    if (sign && digits[0] == '-')
        *value = num_neg(*value);
    return at == end;
}

static int print_integer(u128 value, char out[INTEGER_DIGITS])
{
    char reversed[INTEGER_DIGITS];
    int count = 0;

    do {
        reversed[count++] = (char)('0' + (int)(value % 10));
        value /= 10;
    } while (value > 0);
    for (int i = 0; i < count; i++)
        out[i] = reversed[count - 1 - i];
    out[count] = '\0';
    return count;
}

/* Finds p/q = mantissa * 10^exponent if it exists in 127 bits. */
static bool as_decimal(u128 p, u128 q, u128 *mantissa, int *exponent)
{
    int twos = 0, fives = 0;

    for (; q % 2 == 0; q /= 2)
        twos++;
    for (; q % 5 == 0; q /= 5)
        fives++;
    if (q != 1)
        return false;
    *exponent = -(twos > fives ? twos : fives);
    *mantissa = p;
    for (int i = twos; i < -*exponent; i++)
        if (!mul_u127(*mantissa, 2, mantissa))
            return false;
    for (int i = fives; i < -*exponent; i++)
        if (!mul_u127(*mantissa, 5, mantissa))
            return false;
    return true;
}

static void print_exact(text *t, num a)
{
    char above[INTEGER_DIGITS], below[INTEGER_DIGITS], decimals[INTEGER_DIGITS];
    u128 mantissa;
    int exponent;
    const int length = print_integer(magnitude(a.p), above) +
                       print_integer((u128)a.q, below);

    if (as_decimal(magnitude(a.p), (u128)a.q, &mantissa, &exponent)) {
        const int count = print_integer(mantissa, decimals);
        if (count <= SHORT_DIGITS || count <= length || a.q == 1) {
            text_add_decimal(t, a.p < 0, decimals, exponent);
            return;
        }
    }
    text_add(t, "%s%s/%s", a.p < 0 ? "-" : "", above, below);
}

void num_print(text *t, num a)
{
    if (a.exact)
        print_exact(t, a);
    else
        text_add_double(t, a.v);
}
