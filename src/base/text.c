/* SPDX-License-Identifier: BSD-3-Clause */
/* Growing text. The buffer doubles. Once memory has run out, `failed` stays set, so a
 * long list of appends needs one check only, in text_take. */
#include <stdio.h>
#include <string.h>

#include "base/base_private.h"

enum { FIRST_CAPACITY = 128 };

/* Room for `more` bytes and the NUL. */
static bool reserve(text *t, int64_t more)
{
    int64_t needed, capacity = t->capacity > 0 ? t->capacity : FIRST_CAPACITY;

    if (t->failed || !add_fits(t->length, more, &needed) ||
        !add_fits(needed, 1, &needed)) {
        t->failed = true;
        return false;
    }
    if (t->data && needed <= t->capacity)
        return true;
    while (capacity < needed)
        if (!mul_fits(capacity, 2, &capacity))
            capacity = needed;
    char *data = mem_grow(t->data, capacity, 1);
    if (!data) {
        t->failed = true;
        return false;
    }
    t->data = data;
    t->capacity = capacity;
    return true;
}

void text_add_bytes(text *t, const char *bytes, int64_t length)
{
    if (length < 0 || !reserve(t, length))
        return;
    if (length > 0)
        memcpy(t->data + t->length, bytes, (size_t)length);
    t->length += length;
    t->data[t->length] = '\0';
}

void text_add_list(text *t, const char *format, va_list list)
{
    va_list again;

    va_copy(again, list);
    const int length = vsnprintf(NULL, 0, format, again);
    va_end(again);
    if (length < 0)
        t->failed = true;
    else if (reserve(t, length)) {
        (void)vsnprintf(t->data + t->length, (size_t)length + 1, format, list);
        t->length += length;
    }
}

void text_add(text *t, const char *format, ...)
{
    va_list list;

    va_start(list, format);
    text_add_list(t, format, list);
    va_end(list);
}

pav_status text_take(text *t, char **result)
{
    *result = NULL;
    text_add_bytes(t, "", 0);
    if (t->failed) {
        const long long length = t->length;
        text_free(t);
        return FAIL(PAV_ENOMEM, "memory ran out after %lld bytes of a text", length);
    }
    *result = t->data;
    *t = (text){0};
    return PAV_OK;
}

void text_free(text *t)
{
    mem_free(t->data);
    *t = (text){0};
}

void pav_text_free(char *string)
{
    mem_free(string);
}
