/* SPDX-License-Identifier: BSD-3-Clause */
/* Prints schedule strings. Default values (0, or the first of some words) are left out,
 * so the string requests the same schedule again. */
#include <string.h>

#include "schedule/schedule_private.h"

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
    text t = {0};
    schedule_print(s, &t);
    const size_t length = t.failed || t.length >= SCHEDULE_STRING ? 0 : (size_t)t.length;
    if (length > 0)
        memcpy(string, t.data, length);
    string[length] = 0;
    text_free(&t);
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
           a->input == b->input && a->plain == b->plain && a->ghosts == b->ghosts &&
           a->non_temporal == b->non_temporal && a->shape == b->shape &&
           a->close == b->close;
}
