/* SPDX-License-Identifier: BSD-3-Clause */
/* Parses a schedule string by the tables of schedule_kinds.c. Options of other kinds,
 * and repeated options, are refused. */
#include <stdlib.h>
#include <string.h>

#include "schedule/schedule_private.h"

/* ---- values of options ------------------------------------------------------------- */

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

static pav_status option_take(const schedule_option *o, const char *value, schedule *s)
{
    switch (o->form) {
    case FORM_FLAG: *option_flag(o, s) = true; return PAV_OK;
    case FORM_VALUE: *option_number(o, s) = o->value; return PAV_OK;
    case FORM_CHOICE: return take_choice(o, value, s);
    case FORM_COUNT: return take_count(o, value, s);
    default: return take_size(o, value, s);
    }
}

/* ---- schedules --------------------------------------------------------------------- */

enum { WORD = 64 };

/* ---- options ----------------------------------------------------------------------- */

/* "the schedules sweep, two-pass and time" */
static void add_kinds(unsigned kinds, text *t)
{
    int left = 0;
    for (int k = 0; k < SCHEDULE_KINDS; k++)
        left += (int)(kinds >> k & 1U);
    text_add(t, "the schedule%s ", left > 1 ? "s" : "");
    for (int k = 0; k < SCHEDULE_KINDS; k++)
        if (kinds >> k & 1U) {
            left--;
            text_add(t, "%s%s", schedule_name((schedule_kind)k),
                     left > 1    ? ", "
                     : left == 1 ? " and "
                                 : "");
        }
}

static pav_status refuse_kind(const schedule_option *o, schedule_kind kind)
{
    OWNED_BY(text_free) text t = {0};
    add_kinds(option_kinds(o) & kinds_of_device(kind), &t);
    return t.failed ? PAV_ENOMEM
                    : FAIL(PAV_EINVAL, "%s is of %s, not of %s", o->name, t.data,
                           schedule_name(kind));
}

/* Removed options, and their replacements. */
static const struct {
    const char *name, *instead;
} gone[] = {{"pyramid", "take diamond, or leave it out"},
            {"width", "time tiles have whole rows: leave it out"},
            {"ghosts", "sweeps store the ghosts they can: leave it out"}};

/* Refuses an unknown option, and names the options of the schedule. */
static pav_status refuse_unknown(const char *name, bool has_value, schedule_kind kind)
{
    enum { MOST = 32 };
    int64_t count, own = 0;
    const schedule_option *o = schedule_options(&count);
    const char *names[MOST];
    int which;
    OWNED_BY(text_free) text t = {0};
    for (size_t k = 0; k < COUNT_OF(gone); k++)
        if (strcmp(gone[k].name, name) == 0)
            return FAIL(PAV_EUNSUPPORTED, "%s of a schedule is gone: %s", name,
                        gone[k].instead);
    for (int64_t k = 0; k < count; k++)
        if (option_is_of(&o[k], kind) && (o[k].example != NULL) == has_value)
            names[own++] = o[k].name;
    text_add(&t, "%s of the schedule %s", has_value ? "setting" : "word",
             schedule_name(kind));
    return t.failed  ? PAV_ENOMEM
           : own > 0 ? text_choice(t.data, name, names, own, &which)
                     : FAIL(PAV_EINVAL, "there is no %s '%s'", t.data, name);
}

/* Finds an option of the kind, or of other kinds for the device. */
static const schedule_option *find_option(const char *name, schedule_kind kind)
{
    int64_t count;
    const schedule_option *o = schedule_options(&count);
    for (int64_t k = 0; k < count; k++)
        if (option_kinds(&o[k]) & kinds_of_device(kind) && strcmp(o[k].name, name) == 0)
            return &o[k];
    return NULL;
}

static pav_status take_option(char *word, schedule *s)
{
    if (!*word)
        return FAIL(PAV_EINVAL,
                    "a setting is missing in the schedule %s, behind its ':' or a ','",
                    schedule_name(s->kind));
    char *value = strchr(word, '=');
    if (value)
        *value++ = 0;
    const schedule_option *o = find_option(word, s->kind);
    if (!o)
        return refuse_unknown(word, value != NULL, s->kind);
    if (!option_is_of(o, s->kind))
        return refuse_kind(o, s->kind);
    if (value && !o->example)
        return FAIL(PAV_EINVAL, "%s of a schedule takes no value: leave out '=%s'", word,
                    value);
    if (!value && o->example)
        return FAIL(PAV_EINVAL, "%s of a schedule takes a value, as in %s=%s", word, word,
                    o->example);
    return option_take(o, value, s);
}

/* ---- strings ----------------------------------------------------------------------- */

/* True if two options set the same member of the schedule. */
static bool say_the_same(const char *one, const char *other, schedule_kind kind)
{
    char word[2][WORD];
    const char *const at[] = {one, other};
    const schedule_option *o[2];
    for (int n = 0; n < 2; n++) {
        const size_t length = strcspn(at[n], "=,");
        memcpy(word[n], at[n], length < WORD ? length : 0);
        word[n][length < WORD ? length : 0] = 0;
        o[n] = find_option(word[n], kind);
    }
    return o[0] && o[1] && option_is_of(o[0], kind) && option_is_of(o[1], kind) &&
           o[0]->at == o[1]->at;
}

/* No option may override an earlier one. */
static pav_status check_once(const char *string, const char *list, schedule_kind kind)
{
    for (const char *one = list; *one; one += strcspn(one, ","), one += *one == ',')
        for (const char *other = list; other < one; other = strchr(other, ',') + 1)
            if (say_the_same(one, other, kind))
                return FAIL(
                    PAV_EINVAL,
                    "the schedule '%.100s' says both %.*s and %.*s: leave out one",
                    string, (int)strcspn(other, ","), other, (int)strcspn(one, ","), one);
    return PAV_OK;
}

/* Copies the next word, up to a character of `ends`; NULL: the word is too long. */
static const char *next_word(const char *at, const char *ends, char word[WORD])
{
    const size_t length = strcspn(at, ends);
    if (length >= WORD)
        return NULL;
    memcpy(word, at, length);
    word[length] = 0;
    return at + length;
}

static pav_status too_long(const char *string)
{
    return FAIL(PAV_EINVAL, "the schedule '%.100s' has a word of %d letters or more",
                string, WORD);
}

static pav_status take_kind(const char *string, const char *word, bool gpu, schedule *s)
{
    const char *names[SCHEDULE_KINDS];
    const char *comma = strchr(word, ',');
    int which;
    if (comma)
        return FAIL(PAV_EINVAL,
                    "the settings of a schedule follow a colon: say '%.*s:%.100s'",
                    (int)(comma - word), word, strchr(string, ',') + 1);
    return kind_find(word, gpu, &s->kind)
               ? PAV_OK
               : text_choice("schedule", word, names, kind_names(gpu, names), &which);
}

/* Checks combinations of options, after all of them are parsed. */
static pav_status check_places(const schedule *s)
{
    int64_t count;
    const schedule_option *o = schedule_options(&count);
    for (int64_t k = 0; k < count; k++)
        if (option_is_of(&o[k], s->kind) && option_is_said(&o[k], s) &&
            !option_has_place(&o[k], s))
            return FAIL(PAV_EINVAL,
                        "%s is of time:shuffle: a thread of time:shared has one point of "
                        "each plane",
                        o[k].name);
    return PAV_OK;
}

static pav_status take_options(const char *string, const char *at, schedule *s)
{
    char word[WORD];
    if (s->kind == SCHEDULE_AUTO)
        return FAIL(PAV_EINVAL,
                    "the schedule auto has no settings, but '%s' has some: name a "
                    "schedule",
                    string);
    TRY(check_once(string, at + 1, s->kind));
    while (*at) {
        at = next_word(at + 1, ",", word);
        if (!at)
            return too_long(string);
        TRY(take_option(word, s));
    }
    return check_places(s);
}

static pav_status parse(const char *string, bool gpu, schedule *s)
{
    char word[WORD];
    *s = (schedule){0};
    const char *at = next_word(string, ":", word);
    if (!at)
        return too_long(string);
    TRY(take_kind(string, word, gpu, s));
    return *at ? take_options(string, at, s) : PAV_OK;
}

/* Refuses a schedule of the other kind of device, and names that device. */
static pav_status refuse_other(const char *string, schedule_place on, schedule_kind other)
{
    if (!on.gpu)
        return FAIL(PAV_EINVAL,
                    "the schedule %s is of GPUs, and this run is on the device %s: give "
                    "auto, rows, blocks or time, or --device cuda",
                    string, on.name);
    return FAIL(PAV_EINVAL, "the schedule %s is of the device cpu, not of %s: give %s",
                string, on.name,
                other == SCHEDULE_CPU_TIME
                    ? "time with threads= and rows=, which say how large a tile is there"
                    : "auto, or one of docs/gpu.md");
}

pav_status schedule_parse(const char *string, schedule_place on, schedule *s)
{
    schedule other;
    *s = (schedule){0};
    if (!string)
        return PAV_OK;
    const pav_status status = parse(string, on.gpu, s);
    if (status != PAV_EINVAL || parse(string, !on.gpu, &other) != PAV_OK)
        return status == PAV_OK ? PAV_OK : parse(string, on.gpu, s);
    return refuse_other(string, on, other.kind);
}
