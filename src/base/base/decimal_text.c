/* SPDX-License-Identifier: BSD-3-Clause */
/* Decimals of doubles: as few digits as give the value again. The text is the same under
 * every locale: digits come from printf, the point from here. One text for the library
 * and for generated programs. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/base_private.h"

enum {
    MOST_ZEROS_AFTER = 9,  /* 1000000000, then 1e10 */
    MOST_ZEROS_BEFORE = 3, /* 0.0001, then 1e-5 */
    /* most digits including zeros after them: more would look exact */
    MOST_FILLED_UP = 17,
    DOUBLE_DIGITS = 17, /* always enough to distinguish two doubles */
};

void text_add_decimal(text *t, bool negative, const char *digits, int64_t exponent)
{
    int64_t count = (int64_t)strlen(digits);

    for (; count > 1 && digits[count - 1] == '0'; count--)
        exponent++;
    if (strcmp(digits, "0") == 0)
        exponent = 0;
    static const char zeros[] = "000000000"; /* MOST_ZEROS_AFTER */
    const int64_t whole = count + exponent;  /* digits before the point */
    const bool filled = exponent <= MOST_ZEROS_AFTER && whole <= MOST_FILLED_UP;
    const char *sign = negative ? "-" : "";
    if (exponent == 0 || (exponent > 0 && filled))
        text_add(t, "%s%.*s%.*s", sign, (int)count, digits, (int)exponent, zeros);
    else if (exponent < 0 && whole > 0)
        text_add(t, "%s%.*s.%.*s", sign, (int)whole, digits, (int)(count - whole),
                 digits + whole);
    else if (exponent < 0 && whole >= -MOST_ZEROS_BEFORE)
        text_add(t, "%s0.%.*s%.*s", sign, (int)-whole, zeros, (int)count, digits);
    else
        text_add(t, "%s%c%s%.*se%lld", sign, digits[0], count > 1 ? "." : "",
                 (int)(count - 1), digits + 1, (long long)(whole - 1));
}

/* A finite number > 0 rounded to some significant digits: digits * 10^exponent. */
typedef struct short_decimal {
    char digits[DOUBLE_DIGITS + 2];
    int exponent;
} short_decimal;

static short_decimal round_to(double size, int count)
{
    char printed[64];
    short_decimal d = {{0}, 0};
    int length = 0;

    (void)snprintf(printed, sizeof printed, "%.*e", count - 1, size);
    const char *at = printed;
    for (; *at && *at != 'e'; at++)
        if (*at >= '0' && *at <= '9' && length < count)
            d.digits[length++] = *at;
    d.exponent = (*at ? (int)strtol(at + 1, NULL, 10) : 0) - (count - 1);
    return d;
}

static double value_of(const short_decimal *d)
{
    char whole[64];

    (void)snprintf(whole, sizeof whole, "%se%d", d->digits, d->exponent);
    /* independent of the locale, because there is no decimal point */
    return strtod(whole, NULL);
}

/* Finds a decimal of `count` digits with the same value when read back. Usually only the
 * nearest decimal can have it. Powers of two are the exception: doubles below are closer
 * than doubles above, so the next decimal above may have it. */
static bool reads_back(double size, int count, short_decimal *d)
{
    *d = round_to(size, count);
    const double back = value_of(d);

    if (back >= size)
        return !(back > size);
    /* The next larger decimal with the same number of digits. */
    size_t i = strlen(d->digits);
    while (i > 0 && d->digits[i - 1] == '9')
        d->digits[--i] = '0';
    if (i > 0)
        d->digits[i - 1]++;
    else {
        d->digits[0] = '1';
        d->exponent++;
    }
    return !(value_of(d) > size) && !(value_of(d) < size);
}

void text_add_double(text *t, double value)
{
    short_decimal d = {"0", 0};
    const double size = fabs(value);

    if (isnan(value)) {
        text_add(t, "nan");
        return;
    }
    if (isinf(value)) {
        text_add(t, value < 0 ? "-inf" : "inf");
        return;
    }
    for (int count = 1; size > 0 && count <= DOUBLE_DIGITS; count++)
        if (reads_back(size, count, &d))
            break;
    text_add_decimal(t, signbit(value) != 0, d.digits, d.exponent);
}
