/* SPDX-License-Identifier: BSD-3-Clause */
/* The kinds of schedules and their options: columns of SCHEDULE_TABLE for parser and
 * printer, shapes of time tiles, printing. */
#include <stddef.h>
#include <string.h>

#include "schedule/schedule_private.h"

/* ---- shapes of time tiles ---------------------------------------------------------- */

/* A time block of diamonds has several rows of tiles. In its first and last steps half of
 * the columns are idle, so a longer block has a smaller share of idle time. Trials use
 * shorter blocks. */
int schedule_longest(const schedule *s, bool trial)
{
    const int tiles = s->shape == SHAPE_SKEWED ? 1 : trial ? 2 : 4;
    return tiles * s->tile.steps;
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
} kinds[SCHEDULE_KINDS] = {[SCHEDULE_AUTO] = {"auto", CPU | GPU, false, 0},
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

unsigned option_kinds(const schedule_option *o)
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

/* A time block has at least two steps; blocks of a persistent kernel may synchronise
 * after each step. */
int option_least(const schedule_option *o, schedule_kind kind)
{
    return o->at == AT(tile.steps) && kind != SCHEDULE_PERSISTENT ? 2 : 1;
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
    return kinds[s->kind].fuses_steps;
}

int64_t kind_names(bool gpu, const char *names[SCHEDULE_KINDS])
{
    int64_t count = 0;
    for (int k = 0; k < SCHEDULE_KINDS; k++)
        if (kinds[k].on & (gpu ? GPU : CPU))
            names[count++] = kinds[k].name;
    return count;
}

unsigned kinds_of_device(schedule_kind kind)
{
    unsigned bits = 0;
    for (int k = 0; k < SCHEDULE_KINDS; k++)
        bits |= kinds[k].on & kinds[kind].on ? 1U << k : 0;
    return bits;
}

bool kind_find(const char *name, bool gpu, schedule_kind *kind)
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
    switch (o->form) {
    case FORM_CHOICE: text_add(t, "=%s", o->words[*n]); break;
    case FORM_COUNT: text_add(t, "=%d", *n); break;
    case FORM_THREADS:
    case FORM_POINTS: text_add(t, "=%dx%d", n[0], n[1]); break;
    case FORM_TILES: text_add(t, "=%dx%dx%d", n[0], n[1], n[2]); break;
    case FORM_FLAG:
    case FORM_VALUE: break;
    }
}

void schedule_print(const schedule *s, text *t)
{
    int64_t count;
    const schedule_option *o = schedule_options(&count);
    char before = ':';
    text_add(t, "%s", schedule_name(s->kind));
    for (int64_t k = 0; k < count; k++) {
        if (!option_has_place(&o[k], s) || !option_is_said(&o[k], s))
            continue;
        text_add(t, "%c%s", before, o[k].name);
        if (o[k].form != FORM_FLAG)
            print_value(&o[k], option_value(&o[k], s), t);
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
           a->input == b->input && a->plain == b->plain &&
           a->non_temporal == b->non_temporal && a->shape == b->shape &&
           a->close == b->close;
}
