/* SPDX-License-Identifier: BSD-3-Clause */
/* The kinds of schedules and their options, columns of SCHEDULE_TABLE; and schedules as
 * strings, printed and parsed by these tables. */
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include "schedule/schedule_private.h"

/* ---- shapes of time tiles ---------------------------------------------------------- */

/* A time block of diamonds has several rows of tiles. In its first and last steps half of
 * the columns are idle, so a longer block has a smaller share of idle time. Trials use
 * shorter blocks. */
int schedule_longest(const schedule *s, bool trial)
{
    return (s->shape == SHAPE_SKEWED ? 1 : trial ? 2 : 4) * s->tile.steps;
}

int schedule_turn(const schedule *s)
{
    return s->shape == SHAPE_SKEWED ? 0 : (s->tile.steps + 1) / 2;
}

/* ---- kinds ------------------------------------------------------------------------- */

enum { CPU = 1, GPU = 2, SINGLE = false, FUSED = true };

/* Groups of options; a schedule has one or more groups. */
enum {
    LOOPS = 1,
    BLOCKS = 2,
    CPU_TIME = 4,
    POINT = 8,
    SWEEPS = 16,
    TIME = 32,
    PERSISTENT = 64,
    AUTO = 128,
    MOST_NUMBER = 1024,
    MOST_PLANES = 1 << 20
};

#define ROW(kind, name, on, steps, options, emitter, model)                              \
    [SCHEDULE_##kind] = {name, on, steps, options},
static const struct {
    const char *name;
    unsigned on;
    bool fuses_steps;
    unsigned options;
} kinds[SCHEDULE_KINDS] = {[SCHEDULE_AUTO] = {"auto", CPU | GPU, false, AUTO},
                           SCHEDULE_TABLE(ROW)};

/* ---- options ----------------------------------------------------------------------- */

static const char *const copies[] = {
    [COPY_ASYNC] = "async",
    [COPY_REMAP] = "remap",
    [COPY_TMA] = "tma",
    [COPY_SPLIT] = "split",
};
static const char *const uniforms[] = {
    [UNIFORMS_DEFAULT] = "auto",      [UNIFORMS_ARGUMENT] = "argument",
    [UNIFORMS_CONSTANT] = "constant", [UNIFORMS_GLOBAL] = "global",
    [UNIFORMS_SHARED] = "shared",
};
static const char *const lines[] = {"several", "single"}, *const teams[] = {"all", "one"};

#define AT(member) offsetof(schedule, member)
#define VALUE(word, of, member, value)                                                   \
    {                                                                                    \
        word, NULL, FORM_VALUE, AT(member), of, value, 0, 0, 0                           \
    }
#define FLAG(word, of, member)                                                           \
    {                                                                                    \
        word, NULL, FORM_FLAG, AT(member), of, 0, 0, 0, 0                                \
    }
#define COUNT(word, example, of, member, most)                                           \
    {                                                                                    \
        word, example, FORM_COUNT, AT(member), of, 0, NULL, most, NULL                   \
    }
#define SIZE(word, example, of, member, form, most)                                      \
    {                                                                                    \
        word, example, form, AT(member), of, 0, NULL, most, NULL                         \
    }
#define CHOICE(word, example, of, member, words, what)                                   \
    {                                                                                    \
        word, example, FORM_CHOICE, AT(member), of, 0, words, (int)COUNT_OF(words), what \
    }

static const schedule_option options[] = {
    VALUE("cache", SWEEPS, tile.storage, STORAGE_CACHE),
    VALUE("shuffle", SWEEPS | TIME, tile.storage, STORAGE_REGISTERS),
    VALUE("shared", SWEEPS | TIME, tile.storage, STORAGE_SHARED),
    VALUE("skewed", CPU_TIME, shape, SHAPE_SKEWED),
    VALUE("diamond", CPU_TIME, shape, SHAPE_DIAMOND),
    COUNT("depth", "4", TIME | PERSISTENT | CPU_TIME, tile.steps, SCHEDULE_MOST_DEPTH),
    SIZE("tile", "16x4", CPU_TIME, tile.size, FORM_POINTS, SCHEDULE_MOST_SIZE),
    COUNT("share", "4", CPU_TIME, device.size[0], MOST_NUMBER),
    SIZE("tiles", "2x2x2", PERSISTENT, device.size, FORM_TILES, MOST_NUMBER),
    COUNT("block", "16", BLOCKS, tile.size[1], SCHEDULE_MOST_SIZE),
    CHOICE("rows", "single", LOOPS | CPU_TIME, thread.size[1], lines, "rows at a time"),
    COUNT("ahead", "4", LOOPS, tile.ahead, SCHEDULE_MOST_SIZE),
    FLAG("stream", LOOPS, non_temporal),
    CHOICE("threads", "one", LOOPS, device.size[0], teams, "threads"),
    FLAG("apart", AUTO, apart),
    FLAG("plain", POINT | SWEEPS, plain),
    FLAG("input", SWEEPS, input),
    SIZE("threads", "32x8", POINT | SWEEPS | TIME | PERSISTENT, tile.size, FORM_THREADS,
         GPU_BLOCK_THREADS),
    CHOICE("coefficients", "global", POINT | SWEEPS, coefficients, uniforms,
           "place of coefficients"),
    CHOICE("copy", "tma", SWEEPS | TIME, tile.copy, copies, "copy"),
    COUNT("buffers", "2", PERSISTENT, buffers, MOST_NUMBER),
    COUNT("rows", "2", SWEEPS | TIME | PERSISTENT, thread.size[1], MOST_NUMBER),
    COUNT("vector", "2", SWEEPS | TIME | PERSISTENT, thread.size[0], MOST_NUMBER),
    COUNT("ahead", "2", SWEEPS | TIME, tile.ahead, MOST_NUMBER),
    COUNT("prefetch", "2", SWEEPS | TIME, prefetch, MOST_NUMBER),
    COUNT("unroll", "2", SWEEPS | TIME, unroll, MOST_NUMBER),
    COUNT("blocks", "2", POINT | SWEEPS, blocks, MOST_NUMBER),
    COUNT("planes", "16", SWEEPS | TIME | PERSISTENT, planes, MOST_PLANES),
    COUNT("tail", "16", TIME, tail, MOST_PLANES),
};

const schedule_option *schedule_options(int64_t *count)
{
    *count = COUNT_OF(options);
    return options;
}

bool option_is_of(const schedule_option *o, schedule_kind kind)
{
    return (o->groups & kinds[kind].options) != 0;
}

/* Bits of the kinds with this option. */
static unsigned option_kinds(const schedule_option *o)
{
    unsigned bits = 0;
    for (int k = 0; k < SCHEDULE_KINDS; k++)
        bits |= option_is_of(o, (schedule_kind)k) ? 1U << k : 0;
    return bits;
}

bool option_has_place(const schedule_option *o, const schedule *s)
{
    const bool of_registers = o->form == FORM_COUNT && o->at != AT(tile.steps) &&
                              o->at != AT(planes);
    return option_is_of(o, s->kind) && !(of_registers && s->kind == SCHEDULE_GPU_TIME &&
                                         s->tile.storage == STORAGE_SHARED);
}

static const int *option_value(const schedule_option *o, const schedule *s)
{
    return (const int *)(const void *)((const char *)s + o->at);
}

bool option_is_said(const schedule_option *o, const schedule *s)
{
    if (o->form == FORM_FLAG)
        return *(const bool *)((const char *)s + o->at);
    const int *n = option_value(o, s);
    switch (o->form) {
    case FORM_VALUE: return o->value != 0 && *n == o->value;
    case FORM_POINTS: return n[0] > 0 || n[1] > 0;
    default: return *n != 0;
    }
}

/* A time block of processors has at least two steps; blocks of a persistent kernel may
 * synchronise after each step. */
int option_least(const schedule_option *o, schedule_kind kind)
{
    return o->at == AT(tile.steps) && kind == SCHEDULE_CPU_TIME ? 2 : 1;
}

/* ---- kinds ------------------------------------------------------------------------- */

const char *schedule_name(schedule_kind kind)
{
    return kinds[kind].name;
}

bool schedule_is_of_gpus(schedule_kind kind)
{
    return kinds[kind].on == GPU;
}

int schedule_axis(const schedule *s)
{
    int axis = 0;
    while (axis < MAX_DIM - 1 && s->device.size[axis] == 0)
        axis++;
    return s->device.size[axis] > 0 ? axis : 0;
}

int schedule_threads(const schedule *s)
{
    return s->device.size[schedule_axis(s)];
}

bool schedule_fuses_steps(const schedule *s)
{
    return kinds[s->kind].fuses_steps && !schedule_groups_stages(s);
}

bool schedule_groups_stages(const schedule *s)
{
    return s->kind == SCHEDULE_GPU_TIME && s->tile.steps == 1;
}

/* Names of all kinds for a device. */
static int64_t kind_names(bool gpu, const char *names[SCHEDULE_KINDS])
{
    int64_t count = 0;
    for (int k = 0; k < SCHEDULE_KINDS; k++)
        if (kinds[k].on & (gpu ? GPU : CPU))
            names[count++] = kinds[k].name;
    return count;
}

/* Bits of all kinds for the device of this kind. */
static unsigned kinds_of_device(schedule_kind kind)
{
    unsigned bits = 0;
    for (int k = 0; k < SCHEDULE_KINDS; k++)
        bits |= kinds[k].on & kinds[kind].on ? 1U << k : 0;
    return bits;
}

/* False: the device has no kind of this name. */
static bool kind_find(const char *name, bool gpu, schedule_kind *kind)
{
    for (int k = 0; k < SCHEDULE_KINDS; k++)
        if (kinds[k].on & (gpu ? GPU : CPU) && strcmp(kinds[k].name, name) == 0) {
            *kind = (schedule_kind)k;
            return true;
        }
    return false;
}

/* ---- printing ---------------------------------------------------------------------- */

/* Default values (0, or the first word) are left out, so the string requests the same
 * schedule again. */

static void print_value(const schedule_option *o, const int *n, text *t)
{
    const int numbers = o->form == FORM_COUNT                               ? 1
                        : o->form == FORM_THREADS || o->form == FORM_POINTS ? 2
                        : o->form == FORM_TILES                             ? 3
                                                                            : 0;

    if (o->form == FORM_CHOICE)
        text_add(t, "=%s", o->words[*n]);
    for (int k = 0; k < numbers; k++)
        text_add(t, "%c%d", k ? 'x' : '=', n[k]);
}

void schedule_print(const schedule *s, text *t)
{
    char before = ':';
    text_add(t, "%s", schedule_name(s->kind));
    for (const schedule_option *o = options; o < options + COUNT_OF(options); o++) {
        if (!option_has_place(o, s) || !option_is_said(o, s))
            continue;
        text_add(t, "%c%s", before, o->name);
        print_value(o, option_value(o, s), t);
        before = ',';
    }
}

const char *schedule_string(const schedule *s, char string[SCHEDULE_STRING])
{
    OWNED_BY(text_free) text t = {0};
    schedule_print(s, &t);
    const size_t length = t.failed || t.length >= SCHEDULE_STRING ? 0 : (size_t)t.length;
    if (length > 0)
        memcpy(string, t.data, length);
    string[length] = 0;
    return string;
}

static bool level_is_same(const schedule_level *a, const schedule_level *b)
{
    return memcmp(a->size, b->size, sizeof a->size) == 0 && a->steps == b->steps &&
           a->ahead == b->ahead && a->storage == b->storage && a->copy == b->copy;
}

bool schedule_is_same(const schedule *a, const schedule *b)
{
    return a->kind == b->kind && level_is_same(&a->device, &b->device) &&
           level_is_same(&a->tile, &b->tile) && level_is_same(&a->thread, &b->thread) &&
           a->planes == b->planes && a->tail == b->tail && a->unroll == b->unroll &&
           a->prefetch == b->prefetch && a->blocks == b->blocks &&
           a->buffers == b->buffers && a->coefficients == b->coefficients &&
           a->input == b->input && a->plain == b->plain && a->apart == b->apart &&
           a->non_temporal == b->non_temporal && a->shape == b->shape &&
           a->close == b->close;
}

/* ---- parsing: values of options ---------------------------------------------------- */

/* Options of other kinds, and repeated options, are refused. */

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

/* ---- a word of a schedule ---------------------------------------------------------- */

enum { WORD = 64 };

/* "the schedules sweep, two-pass and time" */
static void add_kinds(unsigned bits, text *t)
{
    int left = 0;
    for (int k = 0; k < SCHEDULE_KINDS; k++)
        left += (int)(bits >> k & 1U);
    text_add(t, "the schedule%s ", left > 1 ? "s" : "");
    for (int k = 0; k < SCHEDULE_KINDS; k++)
        if (bits >> k & 1U) {
            left--;
            text_add(t, "%s%s", schedule_name((schedule_kind)k),
                     left > 1    ? ", "
                     : left == 1 ? " and "
                                 : "");
        }
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
    int64_t own = 0;
    const char *names[MOST];
    int which;
    OWNED_BY(text_free) text t = {0};
    for (size_t k = 0; k < COUNT_OF(gone); k++)
        if (strcmp(gone[k].name, name) == 0)
            return FAIL(PAV_EUNSUPPORTED, "%s of a schedule is gone: %s", name,
                        gone[k].instead);
    for (size_t k = 0; k < COUNT_OF(options); k++)
        if (option_is_of(&options[k], kind) && (options[k].example != NULL) == has_value)
            names[own++] = options[k].name;
    text_add(&t, "%s of the schedule %s", has_value ? "setting" : "word",
             schedule_name(kind));
    return t.failed  ? PAV_ENOMEM
           : own > 0 ? text_choice(t.data, name, names, own, &which)
                     : FAIL(PAV_EINVAL, "there is no %s '%s'", t.data, name);
}

/* Finds an option of the kind, or of other kinds for the device. */
static const schedule_option *find_option(const char *name, schedule_kind kind)
{
    for (const schedule_option *o = options; o < options + COUNT_OF(options); o++)
        if (option_kinds(o) & kinds_of_device(kind) && strcmp(o->name, name) == 0)
            return o;
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
    if (!option_is_of(o, s->kind)) {
        OWNED_BY(text_free) text t = {0};
        add_kinds(option_kinds(o) & kinds_of_device(s->kind), &t);
        return t.failed ? PAV_ENOMEM
                        : FAIL(PAV_EINVAL, "%s is of %s, not of %s", o->name, t.data,
                               schedule_name(s->kind));
    }
    if (value && !o->example)
        return FAIL(PAV_EINVAL, "%s of a schedule takes no value: leave out '=%s'", word,
                    value);
    return !value && o->example
               ? FAIL(PAV_EINVAL, "%s of a schedule takes a value, as in %s=%s", word,
                      word, o->example)
               : option_take(o, value, s);
}

/* ---- strings ----------------------------------------------------------------------- */

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

/* The option at the beginning of a list; NULL: the kind has no such option. */
static const schedule_option *first_option(const char *list, schedule_kind kind)
{
    char word[WORD];
    const schedule_option *o = next_word(list, "=,", word) ? find_option(word, kind)
                                                           : NULL;
    return o && option_is_of(o, kind) ? o : NULL;
}

/* True if two options set the same member of the schedule. */
static bool say_the_same(const char *one, const char *other, schedule_kind kind)
{
    const schedule_option *a = first_option(one, kind), *b = first_option(other, kind);
    return a && b && a->at == b->at;
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

static pav_status too_long(const char *string)
{
    return FAIL(PAV_EINVAL, "the schedule '%.100s' has a word of %d letters or more",
                string, WORD);
}

static pav_status take_options(const char *string, const char *at, schedule *s)
{
    char word[WORD];
    TRY(check_once(string, at + 1, s->kind));
    while (*at) {
        at = next_word(at + 1, ",", word);
        if (!at)
            return too_long(string);
        TRY(take_option(word, s));
    }
    /* Checks combinations of options, after all of them are parsed. */
    for (const schedule_option *o = options; o < options + COUNT_OF(options); o++)
        if (option_is_of(o, s->kind) && option_is_said(o, s) && !option_has_place(o, s))
            return FAIL(PAV_EINVAL,
                        "%s is of time:shuffle: a thread of time:shared has one point of "
                        "each plane",
                        o->name);
    return PAV_OK;
}

static pav_status parse(const char *string, bool gpu, schedule *s)
{
    char word[WORD];
    *s = (schedule){0};
    const char *at = next_word(string, ":", word);
    if (!at)
        return too_long(string);
    const char *names[SCHEDULE_KINDS];
    const char *comma = strchr(word, ',');
    int which;
    if (comma)
        return FAIL(PAV_EINVAL,
                    "the settings of a schedule follow a colon: say '%.*s:%.100s'",
                    (int)(comma - word), word, strchr(string, ',') + 1);
    TRY(kind_find(word, gpu, &s->kind)
            ? PAV_OK
            : text_choice("schedule", word, names, kind_names(gpu, names), &which));
    if (s->kind == SCHEDULE_AUTO && *at && !(gpu && strcmp(at, ":apart") == 0))
        return FAIL(PAV_EINVAL,
                    "the schedule auto has no settings, but '%s' has some: name a "
                    "schedule",
                    string);
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
