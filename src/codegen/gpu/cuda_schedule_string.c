/* SPDX-License-Identifier: BSD-3-Clause */
/* Schedules as people write them, and back: "sweep", "point:threads=64x4",
 * "sweep:shared,rows=2,threads=32x16,ahead=2,planes=32". */
#include <stdlib.h>
#include <string.h>

#include "codegen/codegen_private.h"

enum { WORD = 64, MOST_NUMBER = 1024, MOST_PLANES = 1 << 20 };

static const char *const kinds[] = {
    [EMIT_GPU_DEFAULT] = "auto", [EMIT_GPU_POINT] = "point",
    [EMIT_GPU_SWEEP] = "sweep",  [EMIT_GPU_TWO_PASS] = "two-pass",
    [EMIT_GPU_TIME] = "time",    [EMIT_GPU_PERSISTENT] = "persistent",
};
static const char *const sources[] = {
    [EMIT_GPU_CACHE] = "cache",
    [EMIT_GPU_SHUFFLE] = "shuffle",
    [EMIT_GPU_SHARED] = "shared",
};
static const char *const places[] = {
    [EMIT_GPU_PLACE_DEFAULT] = "auto",      [EMIT_GPU_PLACE_ARGUMENT] = "argument",
    [EMIT_GPU_PLACE_CONSTANT] = "constant", [EMIT_GPU_PLACE_GLOBAL] = "global",
    [EMIT_GPU_PLACE_SHARED] = "shared",
};
static const char *const copies[] = {
    [EMIT_GPU_ASYNC] = "async",
    [EMIT_GPU_REMAP] = "remap",
    [EMIT_GPU_TMA] = "tma",
    [EMIT_GPU_SPLIT] = "split",
};

const char *cuda_kind_name(emit_gpu_schedule_kind schedule_kind)
{
    return kinds[schedule_kind];
}

static pav_status take_kind(const char *word, emit_gpu_schedule *s)
{
    int found = EMIT_GPU_DEFAULT;

    TRY(text_choice("schedule", word, kinds, COUNT_OF(kinds), &found));
    s->kind = (emit_gpu_schedule_kind)found;
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
            "tiles '%s' of a schedule is not like 1x8x16: tiles of the grid along "
            "x, y and z",
            value);
    return PAV_OK;
}

static pav_status take_place(const char *word, emit_gpu_schedule *s)
{
    int found = EMIT_GPU_PLACE_DEFAULT;

    TRY(text_choice("place of coefficients", word, places, COUNT_OF(places), &found));
    s->coefficients = (emit_gpu_place)found;
    return PAV_OK;
}

static pav_status take_copy(const char *value, emit_gpu_schedule *s)
{
    int found = EMIT_GPU_ASYNC;

    TRY(text_choice("copy", value, copies, COUNT_OF(copies), &found));
    s->copy = (emit_gpu_copy_method)found;
    return PAV_OK;
}

bool emit_gpu_fuses_steps(const emit_gpu_schedule *s)
{
    return s->kind == EMIT_GPU_TIME || s->kind == EMIT_GPU_PERSISTENT;
}

/* "separate" */
static pav_status take_ghosts(const char *value, emit_gpu_schedule *s)
{
    static const char *const ways[] = {"fused", "separate"};
    int found = 0;

    TRY(text_choice("place of ghosts", value, ways, COUNT_OF(ways), &found));
    s->apart = found == 1;
    return PAV_OK;
}

static int most_of(cuda_setting which)
{
    if (which == CUDA_DEPTH)
        return EMIT_GPU_MOST_TIME;
    return which == CUDA_PLANES || which == CUDA_TAIL ? MOST_PLANES : MOST_NUMBER;
}

static pav_status take_count(cuda_setting which, const char *value, emit_gpu_schedule *s)
{
    int *const number[] = {[CUDA_ROWS] = &s->rows,        [CUDA_VECTOR] = &s->vector,
                           [CUDA_AHEAD] = &s->ahead,      [CUDA_PREFETCH] = &s->prefetch,
                           [CUDA_UNROLL] = &s->unroll,    [CUDA_BLOCKS] = &s->blocks,
                           [CUDA_PLANES] = &s->planes,    [CUDA_DEPTH] = &s->depth,
                           [CUDA_BUFFERS] = &s->versions, [CUDA_TAIL] = &s->tail};
    const int least = which == CUDA_DEPTH && s->kind == EMIT_GPU_TIME ? 2 : 1,
              most = most_of(which);
    const char *at = value;

    if (!take_number(&at, most, number[which]) || *at || *number[which] < least)
        return FAIL(PAV_EINVAL,
                    "%s '%s' of the schedule %s is not a whole number from %d to %d",
                    cuda_setting_name(which), value, kinds[s->kind], least, most);
    return PAV_OK;
}

static pav_status take_word(char *word, emit_gpu_schedule *s)
{
    cuda_setting which;
    char *end = strchr(word, '=');

    if (!*word)
        return FAIL(PAV_EINVAL,
                    "a setting is missing in the schedule %s, behind its ':' or a ','",
                    kinds[s->kind]);
    if (end)
        *end = 0;
    TRY(cuda_find_setting(word, end ? end + 1 : NULL, s->kind, &which));
    const char *value = end ? end + 1 : ""; /* of a word that stands alone */
    switch (which) {
    case CUDA_CACHE: s->source = EMIT_GPU_CACHE; return PAV_OK;
    case CUDA_SHUFFLE: s->source = EMIT_GPU_SHUFFLE; return PAV_OK;
    case CUDA_SHARED: s->source = EMIT_GPU_SHARED; return PAV_OK;
    case CUDA_PLAIN: s->plain = true; return PAV_OK;
    case CUDA_INPUT: s->input = true; return PAV_OK;
    case CUDA_THREADS: return take_threads(word, value, s);
    case CUDA_COEFFICIENTS: return take_place(value, s);
    case CUDA_COPY: return take_copy(value, s);
    case CUDA_GHOSTS: return take_ghosts(value, s);
    case CUDA_TILES: return take_parts(value, s);
    default: return take_count(which, value, s);
    }
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
        TRY(take_kind(word, s));
    if (at && *at && s->kind == EMIT_GPU_DEFAULT)
        return FAIL(PAV_EINVAL,
                    "the schedule auto has no settings, but '%s' has some: "
                    "say point, sweep or two-pass",
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
    const emit_gpu_schedule bare = {.kind = s->kind};

    return s->kind == EMIT_GPU_DEFAULT || emit_gpu_fuses_steps(s) ||
           (s->kind == EMIT_GPU_TWO_PASS && emit_gpu_schedule_is_same(s, &bare));
}

pav_status emit_gpu_split_stages(ir *code, const char *schedule)
{
    emit_gpu_schedule s;

    TRY(emit_gpu_schedule_find(schedule, &s));
    return s.kind == EMIT_GPU_TWO_PASS ? ir_split_stages(code) : PAV_OK;
}

/* ---- back to words ------------------------------------------------------------------------ */

static void add_setting(const char *name, int value, int unsaid, text *t)
{
    if (value != unsaid)
        text_add(t, ",%s=%d", name, value);
}

/* What a schedule does not have stays unsaid, so that its words ask for the same again. */
void emit_gpu_schedule_string(const emit_gpu_schedule *s, text *t)
{
    const bool streams = s->kind == EMIT_GPU_SWEEP || emit_gpu_fuses_steps(s);
    const bool packs = s->kind == EMIT_GPU_SWEEP ||
                       (s->kind == EMIT_GPU_TIME && s->source != EMIT_GPU_SHARED);

    text_add(t, "%s:", kinds[s->kind]);
    if (streams && s->source != EMIT_GPU_CACHE)
        text_add(t, "%s,", sources[s->source]);
    if (emit_gpu_fuses_steps(s))
        text_add(t, "depth=%d,", s->depth);
    if (s->kind == EMIT_GPU_PERSISTENT)
        text_add(t, "tiles=%dx%dx%d,", s->parts[0], s->parts[1], s->parts[2]);
    if (s->plain)
        text_add(t, "plain,");
    if (s->input)
        text_add(t, "input,");
    text_add(t, "threads=%dx%d", s->threads[0], s->threads[1]);
    if (s->coefficients != EMIT_GPU_PLACE_DEFAULT)
        text_add(t, ",coefficients=%s", places[s->coefficients]);
    if (streams && s->copy != EMIT_GPU_ASYNC)
        text_add(t, ",copy=%s", copies[s->copy]);
    if (s->apart)
        text_add(t, ",ghosts=separate");
    const bool is_persistent = s->kind == EMIT_GPU_PERSISTENT;
    if (is_persistent)
        add_setting("buffers", s->versions, 0, t);
    if (streams)
        add_setting("rows", s->rows, is_persistent ? 0 : 1, t);
    if (packs || is_persistent)
        add_setting("vector", s->vector, 0, t);
    if (packs) {
        add_setting("ahead", s->ahead, 0, t);
        add_setting("prefetch", s->prefetch, 0, t);
        add_setting("unroll", s->unroll, 0, t);
    }
    add_setting("blocks", s->blocks, 0, t);
    if (streams)
        add_setting("planes", s->planes, 0, t);
    add_setting("tail", s->tail, 0, t);
}
