/* SPDX-License-Identifier: BSD-3-Clause */
/* Schedules as people write them, and back: "stream", "point:threads=64x4",
 * "stream:shared,rows=2,threads=32x16,ahead=2,planes=32". */
#include <stdlib.h>
#include <string.h>

#include "emit/emit.h"

enum { WORD = 64, MOST_NUMBER = 1024, MOST_PLANES = 1 << 20 };

static const char *const forms[] = {
    [EMIT_GPU_USUAL] = "auto",    [EMIT_GPU_POINT] = "point",
    [EMIT_GPU_STREAM] = "stream", [EMIT_GPU_TWO_PASS] = "two-pass",
    [EMIT_GPU_TIME] = "time",     [EMIT_GPU_RESIDENT] = "resident",
};
static const char *const sources[] = {
    [EMIT_GPU_CACHE] = "cache",
    [EMIT_GPU_SHUFFLE] = "shuffle",
    [EMIT_GPU_SHARED] = "shared",
};
static const char *const places[] = {
    [EMIT_GPU_PLACE_USUAL] = "auto",        [EMIT_GPU_PLACE_ARGUMENT] = "argument",
    [EMIT_GPU_PLACE_CONSTANT] = "constant", [EMIT_GPU_PLACE_GLOBAL] = "global",
    [EMIT_GPU_PLACE_SHARED] = "shared",
};
static const char *const copies[] = {
    [EMIT_GPU_ASYNC] = "async",
    [EMIT_GPU_REMAP] = "remap",
    [EMIT_GPU_TMA] = "tma",
    [EMIT_GPU_SPLIT] = "split",
};

static pav_status take_form(const char *word, emit_gpu_schedule *s)
{
    int found = EMIT_GPU_USUAL;

    TRY(text_choice("schedule", word, forms, COUNT_OF(forms), &found));
    s->form = (emit_gpu_form)found;
    return PAV_OK;
}

static bool take_number(const char **at, int most, int *number)
{
    char *end;
    const long value = strtol(*at, &end, 10);
    const bool good = **at >= '0' && **at <= '9' && value > 0 && value <= most;

    *at = end;
    *number = (int)value;
    return good;
}

static pav_status take_threads(const char *name, const char *value, emit_gpu_schedule *s)
{
    const char *at = value;
    bool good = take_number(&at, MOST_NUMBER, &s->threads[0]);

    s->threads[1] = 1;
    if (good && *at == 'x') {
        at++;
        good = take_number(&at, MOST_NUMBER, &s->threads[1]);
    }
    if (!good || *at)
        return FAIL(
            PAV_EINVAL,
            "%s '%s' of a schedule is not like 32x8: threads along x and y, each 1 "
            "to %d",
            name, value, MOST_NUMBER);
    return PAV_OK;
}

static pav_status take_parts(const char *value, emit_gpu_schedule *s)
{
    const char *at = value;
    bool good = true;

    for (int axis = 0; axis < MAX_DIM && good; axis++) {
        s->parts[axis] = 1;
        if (axis > 0 && !*at)
            continue;
        good = axis == 0 || *at++ == 'x';
        good = good && take_number(&at, MOST_NUMBER, &s->parts[axis]);
    }
    if (!good || *at)
        return FAIL(
            PAV_EINVAL,
            "parts '%s' of a schedule is not like 1x8x16: parts of the grid along "
            "x, y and z",
            value);
    return PAV_OK;
}

static pav_status take_place(const char *word, emit_gpu_schedule *s)
{
    int found = EMIT_GPU_PLACE_USUAL;

    TRY(text_choice("place of coefficients", word, places, COUNT_OF(places), &found));
    s->coefficients = (emit_gpu_place)found;
    return PAV_OK;
}

static pav_status take_copy(const char *value, emit_gpu_schedule *s)
{
    int found = EMIT_GPU_ASYNC;

    TRY(text_choice("copy", value, copies, COUNT_OF(copies), &found));
    s->copy = (emit_gpu_filling)found;
    return PAV_OK;
}

bool emit_gpu_takes_steps(const emit_gpu_schedule *s)
{
    return s->form == EMIT_GPU_TIME || s->form == EMIT_GPU_RESIDENT;
}

/* "apart" */
static pav_status take_ghosts(const char *value, emit_gpu_schedule *s)
{
    static const char *const ways[] = {"beside", "apart"};
    int found = 0;

    TRY(text_choice("place of ghosts", value, ways, COUNT_OF(ways), &found));
    s->apart = found == 1;
    return PAV_OK;
}

typedef enum setting {
    THREADS,
    COEFFICIENTS,
    COPY,
    GHOSTS,
    ROWS,
    VECTOR,
    AHEAD,
    PREFETCH,
    UNROLL,
    BLOCKS,
    PLANES,
    DEPTH,
    PARTS
} setting;
static const char *const setting_names[] = {
    "threads",  "coefficients", "copy",   "ghosts", "rows",  "vector", "ahead",
    "prefetch", "unroll",       "blocks", "planes", "depth", "parts"};

/* Whether it is one of the schedule's. */
static pav_status check_form(setting which, const emit_gpu_schedule *s)
{
    const bool any = which == THREADS || which == COEFFICIENTS || which == BLOCKS;

    if (which == PARTS && s->form != EMIT_GPU_RESIDENT)
        return FAIL(PAV_EINVAL, "parts is of the schedule resident");
    if (which == DEPTH && !emit_gpu_takes_steps(s))
        return FAIL(PAV_EINVAL, "depth is of the schedules time and resident");
    if (s->form == EMIT_GPU_POINT && !any)
        return FAIL(PAV_EINVAL,
                    "%s is of the schedules stream and two-pass, not of point",
                    setting_names[which]);
    return PAV_OK;
}

static pav_status take_count(setting which, const char *value, emit_gpu_schedule *s)
{
    int *const number[] = {
        [ROWS] = &s->rows,         [VECTOR] = &s->vector, [AHEAD] = &s->ahead,
        [PREFETCH] = &s->prefetch, [UNROLL] = &s->unroll, [BLOCKS] = &s->blocks,
        [PLANES] = &s->planes,     [DEPTH] = &s->depth};
    const int most = which == PLANES ? MOST_PLANES : MOST_NUMBER;
    const char *at = value;

    if (!take_number(&at, most, number[which]) || *at)
        return FAIL(PAV_EINVAL,
                    "%s '%s' of a schedule is not a whole number from 1 to %d",
                    setting_names[which], value, most);
    return PAV_OK;
}

static pav_status take_setting(const char *name, const char *value, emit_gpu_schedule *s)
{
    int which;

    TRY(text_choice("setting of a schedule", name, setting_names, COUNT_OF(setting_names),
                    &which));
    TRY(check_form((setting)which, s));
    switch ((setting)which) {
    case THREADS: return take_threads(name, value, s);
    case COEFFICIENTS: return take_place(value, s);
    case COPY: return take_copy(value, s);
    case GHOSTS: return take_ghosts(value, s);
    case PARTS: return take_parts(value, s);
    default: return take_count((setting)which, value, s);
    }
}

static pav_status take_near(const char *word, emit_gpu_schedule *s)
{
    if (strcmp(word, "plain") == 0) {
        s->plain = true;
        return PAV_OK;
    }
    if (strcmp(word, "input") == 0 && s->form != EMIT_GPU_POINT) {
        s->input = true;
        return PAV_OK;
    }
    int found = EMIT_GPU_CACHE;

    TRY(text_choice("place of neighbours", word, sources, COUNT_OF(sources), &found));
    if (s->form == EMIT_GPU_POINT)
        return FAIL(PAV_EINVAL, "%s is of the schedule stream: stream:%s", word, word);
    s->source = (emit_gpu_near)found;
    return PAV_OK;
}

/* Words that stand alone, and words that take a value, told from each other. */
static pav_status check_value(const char *word, const char *value)
{
    static const char *const alone[] = {"cache", "shuffle", "shared", "plain", "input"};
    static const char *const numbers[] = {"rows",   "vector", "ahead",  "prefetch",
                                          "unroll", "blocks", "planes", "depth"};

    for (size_t k = 0; value && k < COUNT_OF(alone); k++)
        if (strcmp(word, alone[k]) == 0)
            return FAIL(PAV_EINVAL, "%s of a schedule takes no value: leave out '=%s'",
                        word, value);
    for (size_t k = 0; !value && k < COUNT_OF(numbers); k++)
        if (strcmp(word, numbers[k]) == 0)
            return FAIL(PAV_EINVAL, "%s of a schedule takes a number, as in %s=2", word,
                        word);
    return PAV_OK;
}

/* Schedules of several steps have fewer settings; nothing is taken that would change nothing. */
static pav_status check_known(const char *word, emit_gpu_form form)
{
    static const char *const others[] = {
        "cache",   "plain", "input",    "ghosts", "coefficients", "blocks", "shuffle",
        "shared",  "ahead", "prefetch", "copy",   "unroll",       "planes"};
    enum { OF_TIME = 6 }; /* those before are none of it */
    const size_t count = form == EMIT_GPU_RESIDENT ? COUNT_OF(others)
                         : form == EMIT_GPU_TIME   ? OF_TIME
                                                   : 0;

    for (size_t k = 0; k < count; k++)
        if (strcmp(word, others[k]) == 0)
            return FAIL(PAV_EINVAL, "%s is no setting of the schedule %s (docs/gpu.md)",
                        word, forms[form]);
    return PAV_OK;
}

static pav_status take_word(char *word, emit_gpu_schedule *s)
{
    char *value = strchr(word, '=');

    if (value)
        *value++ = 0;
    TRY(check_known(word, s->form));
    TRY(check_value(word, value));
    return value ? take_setting(word, value, s) : take_near(word, s);
}

/* What a word says: its letters up to '='; all places of neighbours say the same. */
static size_t subject_of(const char **at)
{
    const size_t length = strcspn(*at, "=,");

    for (size_t k = 0; k < COUNT_OF(sources); k++)
        if (strlen(sources[k]) == length && strncmp(*at, sources[k], length) == 0)
            *at = sources[EMIT_GPU_CACHE];
    return strcspn(*at, "=,");
}

static bool say_the_same(const char *one, const char *other)
{
    const size_t length = subject_of(&one);

    return length == subject_of(&other) && strncmp(one, other, length) == 0;
}

/* No word may take back what one before it said. */
static pav_status check_once(const char *name, const char *words)
{
    for (const char *one = words; *one; one += strcspn(one, ","), one += *one == ',')
        for (const char *other = words; other < one; other = strchr(other, ',') + 1)
            if (say_the_same(one, other))
                return FAIL(
                    PAV_EINVAL,
                    "the schedule '%.100s' says both %.*s and %.*s: leave out one", name,
                    (int)strcspn(other, ","), other, (int)strcspn(one, ","), one);
    return PAV_OK;
}

/* The next part of a name, up to one of these ends; NULL: it is too long. */
static const char *next_word(const char *at, const char *ends, char word[WORD])
{
    const size_t length = strcspn(at, ends);

    if (length >= WORD)
        return NULL;
    memcpy(word, at, length);
    word[length] = 0;
    return at + length;
}

pav_status emit_gpu_schedule_find(const char *name, emit_gpu_schedule *s)
{
    char word[WORD];
    name = name ? name : "auto";
    const char *at = next_word(name, ":", word);

    *s = (emit_gpu_schedule){0};
    if (at && strchr(word, ','))
        return FAIL(PAV_EINVAL,
                    "the settings of a schedule follow a colon: say '%.*s:%.100s'",
                    (int)strcspn(word, ","), word, strchr(name, ',') + 1);
    if (at)
        TRY(take_form(word, s));
    if (at && *at && s->form == EMIT_GPU_USUAL)
        return FAIL(PAV_EINVAL,
                    "the schedule auto has no settings, but '%s' has some: "
                    "say point, stream or two-pass",
                    name);
    if (at && *at)
        TRY(check_once(name, at + 1));
    while (at && *at) {
        at = next_word(at + 1, ",", word);
        if (at)
            TRY(take_word(word, s));
    }
    return at ? PAV_OK
              : FAIL(PAV_EINVAL, "the schedule '%.100s' has a word of %d letters or more",
                     name, WORD);
}

bool emit_gpu_is_open(const emit_gpu_schedule *s)
{
    const emit_gpu_schedule bare = {.form = s->form};

    return s->form == EMIT_GPU_USUAL || emit_gpu_takes_steps(s) ||
           (s->form == EMIT_GPU_TWO_PASS && emit_gpu_schedule_is_same(s, &bare));
}

pav_status emit_gpu_in_parts(ir *code, const char *schedule)
{
    emit_gpu_schedule s;

    TRY(emit_gpu_schedule_find(schedule, &s));
    return s.form == EMIT_GPU_TWO_PASS ? ir_part(code) : PAV_OK;
}

/* ---- back to words ------------------------------------------------------------------------ */

static void add_setting(const char *name, int value, int unsaid, text *t)
{
    if (value != unsaid)
        text_add(t, ",%s=%d", name, value);
}

void emit_gpu_schedule_words(const emit_gpu_schedule *s, text *t)
{
    const bool streams = s->form == EMIT_GPU_STREAM || emit_gpu_takes_steps(s);

    text_add(t, "%s:", forms[s->form]);
    if (streams && s->source != EMIT_GPU_CACHE)
        text_add(t, "%s,", sources[s->source]);
    if (emit_gpu_takes_steps(s))
        text_add(t, "depth=%d,", s->depth);
    if (s->form == EMIT_GPU_RESIDENT)
        text_add(t, "parts=%dx%dx%d,", s->parts[0], s->parts[1], s->parts[2]);
    if (s->plain)
        text_add(t, "plain,");
    if (s->input)
        text_add(t, "input,");
    text_add(t, "threads=%dx%d", s->threads[0], s->threads[1]);
    if (s->coefficients != EMIT_GPU_PLACE_USUAL)
        text_add(t, ",coefficients=%s", places[s->coefficients]);
    if (streams && s->copy != EMIT_GPU_ASYNC)
        text_add(t, ",copy=%s", copies[s->copy]);
    if (s->apart)
        text_add(t, ",ghosts=apart");
    if (streams) {
        add_setting("rows", s->rows, 1, t);
        add_setting("vector", s->vector, 0, t);
        add_setting("ahead", s->ahead, 0, t);
        add_setting("prefetch", s->prefetch, 0, t);
        add_setting("unroll", s->unroll, 0, t);
    }
    add_setting("blocks", s->blocks, 0, t);
    if (streams)
        add_setting("planes", s->planes, 0, t);
}
