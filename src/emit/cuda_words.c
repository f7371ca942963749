/* SPDX-License-Identifier: BSD-3-Clause */
/* Schedules as people write them: "stream", "point:threads=64x4", "stream:shared,rows=2,threads=32x16,ahead=2". */
#include <stdlib.h>
#include <string.h>

#include "emit/emit.h"

enum { WORD = 64, MOST_NUMBER = 1024 };

static pav_status take_form(const char *word, emit_gpu_schedule *s)
{
    static const char *const names[] = {
        [EMIT_GPU_USUAL] = "auto",
        [EMIT_GPU_POINT] = "point",
        [EMIT_GPU_STREAM] = "stream",
    };
    int found = EMIT_GPU_USUAL;

    TRY(text_choice("schedule", word, names, COUNT_OF(names), &found));
    s->form = (emit_gpu_form)found;
    return PAV_OK;
}

static bool take_number(const char **at, int *number)
{
    char *end;
    const long value = strtol(*at, &end, 10);
    const bool good = **at >= '0' && **at <= '9' && value > 0 && value <= MOST_NUMBER;

    *at = end;
    *number = (int)value;
    return good;
}

static pav_status take_threads(const char *name, const char *value, emit_gpu_schedule *s)
{
    const char *at = value;
    bool good = take_number(&at, &s->threads[0]);

    s->threads[1] = 1;
    if (good && *at == 'x') {
        at++;
        good = take_number(&at, &s->threads[1]);
    }
    if (!good || *at)
        return FAIL(
            PAV_EINVAL,
            "%s '%s' of a schedule is not like 32x8: threads along x and y, each 1 "
            "to %d",
            name, value, MOST_NUMBER);
    return PAV_OK;
}

static pav_status take_setting(const char *name, const char *value, emit_gpu_schedule *s)
{
    enum { THREADS, ROWS, VECTOR, AHEAD, PREFETCH, BLOCKS };
    static const char *const names[] = {"threads", "rows",     "vector",
                                        "ahead",   "prefetch", "blocks"};
    int *const number[] = {NULL,      &s->rows,     &s->vector,
                           &s->ahead, &s->prefetch, &s->blocks};
    const char *at = value;
    int which;

    TRY(text_choice("setting of a schedule", name, names, COUNT_OF(names), &which));
    if (which == THREADS)
        return take_threads(name, value, s);
    if (s->form == EMIT_GPU_POINT && which != BLOCKS)
        return FAIL(PAV_EINVAL, "%s is of the schedule stream, not of point", name);
    if (!take_number(&at, number[which]) || *at)
        return FAIL(PAV_EINVAL,
                    "%s '%s' of a schedule is not a whole number from 1 to %d", name,
                    value, MOST_NUMBER);
    return PAV_OK;
}

static pav_status take_near(const char *word, emit_gpu_schedule *s)
{
    static const char *const names[] = {
        [EMIT_GPU_CACHE] = "cache",
        [EMIT_GPU_SHUFFLE] = "shuffle",
        [EMIT_GPU_SHARED] = "shared",
    };
    int found = EMIT_GPU_CACHE;

    TRY(text_choice("place of neighbours", word, names, COUNT_OF(names), &found));
    if (s->form != EMIT_GPU_STREAM)
        return FAIL(PAV_EINVAL, "%s is of the schedule stream: stream:%s", word, word);
    s->source = (emit_gpu_near)found;
    return PAV_OK;
}

static pav_status take_word(char *word, emit_gpu_schedule *s)
{
    char *value = strchr(word, '=');

    if (!value)
        return take_near(word, s);
    *value++ = 0;
    return take_setting(word, value, s);
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
    const char *at = next_word(name ? name : "auto", ":", word);

    *s = (emit_gpu_schedule){0};
    if (at)
        TRY(take_form(word, s));
    if (at && *at && s->form == EMIT_GPU_USUAL)
        return FAIL(PAV_EINVAL,
                    "the schedule auto has no settings, but '%s' has some: "
                    "say point or stream",
                    name);
    while (at && *at) {
        at = next_word(at + 1, ",", word);
        if (at)
            TRY(take_word(word, s));
    }
    return at ? PAV_OK
              : FAIL(PAV_EINVAL, "the schedule '%.100s' has a word of %d letters or more",
                     name, WORD);
}
