/* SPDX-License-Identifier: BSD-3-Clause */
/* Required constants: returns the value, or reports that it must be constant and why it
 * is not. */
#include <math.h>

#include "lang/lang_private.h"

void report_infinite(parser *p, const expr *e, const constant *c, const char *what)
{
    if (c->divided)
        mistake_at(p, c->divisor, "the divisor is 0");
    else
        mistake_at(p, e->at, "%s must be a finite number", what);
}

bool constant_need(parser *p, const expr *e, const char *what, num *value)
{
    const constant c = constant_find(p, e);

    *value = c.value;
    if (c.known && isfinite(c.value.v))
        return true;
    if (c.known) {
        report_infinite(p, e, &c, what);
    } else if (!c.quiet) {
        mistake_at(p, c.at, "%s must be constant: %s", what, c.why);
    }
    return false;
}

/* True for whole numbers, including results of functions such as sqrt(4). */
static bool is_whole(num a, int64_t *value)
{
    if (num_is_int(a, value))
        return true;
    if (a.exact || !(fabs(a.v) < 9e15) || a.v != floor(a.v))
        return false;
    *value = (int64_t)a.v;
    return true;
}

bool constant_integer(parser *p, const expr *e, const char *what, int64_t least,
                      int64_t most, int64_t *value)
{
    num number;
    int64_t whole;

    if (!constant_need(p, e, what, &number))
        return false;
    if (is_whole(number, &whole) && whole >= least && whole <= most) {
        *value = whole;
        return true;
    }
    if (num_f64(number) >= 0x1p63)
        mistake_at(p, e->at, "%s is too large: it is %.12g, and at most %lld can be",
                   what, number.v, (long long)most);
    else if (most == INT64_MAX)
        mistake_at(p, e->at, "%s must be a whole number of at least %lld, not %.12g",
                   what, (long long)least, number.v);
    else
        mistake_at(p, e->at, "%s must be a whole number from %lld to %lld, not %.12g",
                   what, (long long)least, (long long)most, number.v);
    return false;
}
