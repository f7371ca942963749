/* SPDX-License-Identifier: BSD-3-Clause */
/* Ticks: round numbers along an axis. A tick is n * 1, 2 or 5 * 10^e with integer n, and
 * its text is made from the integers, so 0.3 never becomes 0.30000000000000004. */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "io/io_private.h"

enum {
    MOST_PLAIN_ZEROS =
        5 /* 0.00001 and 100000 are plain; beyond, powers of ten are written */
};

typedef struct step {
    int mantissa, exponent;
} step;

static double step_size(step s)
{
    return s.exponent >= 0 ? s.mantissa * pow(10, s.exponent)
                           : s.mantissa / pow(10, -s.exponent);
}

/* The smallest step with at most `most` ticks. */
static step choose_step(double from, double to, int most)
{
    static const int mantissas[] = {1, 2, 5};
    step s = {1, (int)floor(log10((to - from) / most)) - 1};

    for (;; s.exponent++)
        for (size_t m = 0; m < COUNT_OF(mantissas); m++) {
            s.mantissa = mantissas[m];
            if (floor(to / step_size(s)) - ceil(from / step_size(s)) + 1 <= most)
                return s;
        }
}

/* digits * 10^-places, digits >= 0, from the last digit to the first. */
static void print_decimal(char *out, const char *sign, long long digits, int places)
{
    char all[TICK_TEXT] = "";
    int at = TICK_TEXT - 1;

    for (int n = 0; (digits > 0 || n <= places) && at > 1; n++, digits /= 10) {
        if (n == places && places > 0)
            all[--at] = '.';
        all[--at] = (char)('0' + digits % 10);
    }
    (void)snprintf(out, TICK_TEXT, "%s%.40s", sign, all + at);
}

static void print_power(char *out, const char *sign, long long digits, int exponent)
{
    char all[TICK_TEXT];

    while (digits % 10 == 0) {
        digits /= 10;
        exponent++;
    }
    const int length = snprintf(all, sizeof all, "%lld", digits);
    (void)snprintf(out, TICK_TEXT, "%s%c%s%.17se%d", sign, all[0], length > 1 ? "." : "",
                   all + 1, exponent + length - 1);
}

/* True for numbers better written with a power of ten: 0.00000002 and 3000000000, but not
 * 1.00000002. */
static bool needs_power(long long digits, int exponent)
{
    for (; digits >= 10; digits /= 10)
        exponent += exponent < -MOST_PLAIN_ZEROS;
    return exponent < -MOST_PLAIN_ZEROS || exponent > MOST_PLAIN_ZEROS;
}

static void print_tick(char *out, long long value, step s)
{
    const char *sign = value < 0 ? "-" : "";
    const long long digits = (value < 0 ? -value : value) * s.mantissa;
    long long unit = 1;

    if (digits == 0) {
        (void)snprintf(out, TICK_TEXT, "0");
    } else if (needs_power(digits, s.exponent)) {
        print_power(out, sign, digits, s.exponent);
    } else {
        for (int e = 0; e < s.exponent; e++)
            unit *= 10;
        print_decimal(out, sign, digits * unit, s.exponent < 0 ? -s.exponent : 0);
    }
}

/* from < to. A range too narrow for doubles to divide gets no ticks. */
void ticks_choose(double from, double to, int most, ticks *t)
{
    const double range = to - from, largest = fmax(fabs(from), fabs(to));

    t->count = 0;
    most = most < 2 ? 2 : most > MAX_TICKS ? MAX_TICKS : most;
    if (!(range > 1e-9 * largest) || !(range < 1e300) || !(range > 1e-290))
        return;
    const step s = choose_step(from, to, most);
    const double slack = 1e-9 * range, size = step_size(s);
    long long n = (long long)ceil((from - slack) / size);
    for (; t->count < most && (double)n * size <= to + slack; n++) {
        t->value[t->count] = (double)n * size;
        print_tick(t->text[t->count++], n, s);
    }
}

/* Adds ticks at `mantissas` times every `every`-th power of ten; false if they are more
 * than `most`. */
static bool put_log(double from, double to, int most, const int *mantissas, int count,
                    int every, ticks *t)
{
    t->count = 0;
    for (int e = (int)floor(log10(from)); e <= (int)ceil(log10(to)); e++)
        for (int m = 0; m < count && e % every == 0; m++) {
            const double value = step_size((step){mantissas[m], e});
            if (value < from * (1 - 1e-9) || value > to * (1 + 1e-9))
                continue;
            if (t->count == most)
                return false;
            t->value[t->count] = value;
            print_tick(t->text[t->count++], mantissas[m], (step){1, e});
        }
    return true;
}

/* Chooses the ticks of a logarithmic axis. If fewer than two powers of ten and their
 * multiples are in the range, takes the ticks of a linear axis. */
void ticks_choose_log(double from, double to, int most, ticks *t)
{
    static const int one[] = {1}, three[] = {1, 2, 5};

    most = most < 2 ? 2 : most > MAX_TICKS ? MAX_TICKS : most;
    if (put_log(from, to, most, three, 3, 1, t)) {
        if (t->count < 2)
            ticks_choose(from, to, most, t);
        return;
    }
    for (int every = 1; !put_log(from, to, most, one, 1, every, t); every++)
        continue;
}
