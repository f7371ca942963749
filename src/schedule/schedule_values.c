/* SPDX-License-Identifier: BSD-3-Clause */
/* Values of options in schedule strings: numbers, sizes, words. */
#include <stdlib.h>

#include "schedule/schedule_private.h"

/* Digits alone. */
static bool take_number(const char **at, int least, int most, int *number)
{
    char *end;
    if (**at < '0' || **at > '9')
        return false;
    const long value = strtol(*at, &end, 10);
    *at = end;
    *number = (int)value;
    return value >= least && value <= most;
}

/* "32x8", of at most `most` numbers; missing numbers are 1. */
static bool take_sizes(const char *at, int most, int largest, int *size)
{
    int n = 0;
    do {
        if (!take_number(&at, 1, largest, &size[n++]))
            return false;
    } while (n < most && *at == 'x' && *at++);
    for (int k = n; k < most; k++)
        size[k] = 1;
    return !*at;
}

/* "16x4"; 0 points stand for the whole axis. */
static bool take_points(const char *at, int most, int *size)
{
    return take_number(&at, 0, most, &size[TILE_COLUMN]) && *at++ == 'x' &&
           take_number(&at, 1, most, &size[TILE_SWEEP]) && !*at;
}

static pav_status take_size(const schedule_option *o, const char *value, schedule *s)
{
    int *size = option_number(o, s);
    if (o->form == FORM_POINTS)
        return take_points(value, o->count, size)
                   ? PAV_OK
                   : FAIL(PAV_EINVAL,
                          "tile '%s' of the schedule time is not points across columns, "
                          "0 for all, and rows, at least 1, as in tile=16x4",
                          value);
    if (o->form == FORM_THREADS)
        return take_sizes(value, 2, o->count, size)
                   ? PAV_OK
                   : FAIL(PAV_EINVAL,
                          "%s '%s' of a schedule is not like 32x8: threads along x and "
                          "y, each 1 to %d",
                          o->name, value, o->count);
    return take_sizes(value, MAX_DIM, o->count, size)
               ? PAV_OK
               : FAIL(PAV_EINVAL,
                      "%s '%s' of a schedule is not like 1x8x16: tiles of the grid along "
                      "x, y and z, each 1 to %d",
                      o->name, value, o->count);
}

static pav_status take_count(const schedule_option *o, const char *value, schedule *s)
{
    const int least = option_least(o, s->kind);
    const char *at = value;
    return take_number(&at, least, o->count, option_number(o, s)) && !*at
               ? PAV_OK
               : FAIL(PAV_EINVAL,
                      "%s '%s' of the schedule %s is not a whole number from %d to %d",
                      o->name, value, schedule_name(s->kind), least, o->count);
}

static pav_status take_choice(const schedule_option *o, const char *value, schedule *s)
{
    int found = 0;
    TRY(text_choice(o->what, value, o->words, o->count, &found));
    *option_number(o, s) = found;
    return PAV_OK;
}

pav_status option_take(const schedule_option *o, const char *value, schedule *s)
{
    switch (o->form) {
    case FORM_FLAG: *option_flag(o, s) = true; return PAV_OK;
    case FORM_VALUE: *option_number(o, s) = o->value; return PAV_OK;
    case FORM_CHOICE: return take_choice(o, value, s);
    case FORM_COUNT: return take_count(o, value, s);
    default: return take_size(o, value, s);
    }
}
