/* SPDX-License-Identifier: BSD-3-Clause */
/* Arenas: allocations freed all at once. An arena consists of pieces of growing size.
 *
 * Failure jumps to the innermost ARENA_GUARD. Allocating outside a guard is a bug of the
 * caller even if memory suffices; an assertion finds it at the first attempt. */
#include <assert.h>
#include <stdio.h>
#include <string.h>

#include "base/base_private.h"

/* Under the address sanitizer every allocation is a separate block, so the sanitizer
 * checks its bounds. */
#if defined(__SANITIZE_ADDRESS__)
#define APART true
#elif defined(__has_feature)
#if __has_feature(address_sanitizer)
#define APART true
#endif
#endif
#ifndef APART
#define APART false
#endif

enum {
    FIRST_PIECE = 16 << 10,
    LARGEST_PIECE = 4 << 20,
    LIMIT = 256 << 20, /* for all pieces: far beyond any sensible description */
    ALIGNMENT = 16,
};

typedef struct arena_piece {
    struct arena_piece *next;
    int64_t size, used; /* bytes of data */
    _Alignas(ALIGNMENT) char data[];
} arena_piece;

arena *arena_new(void)
{
    arena *a = mem_new(1, sizeof *a);

    if (a)
        a->limit = LIMIT;
    return a;
}

void arena_free(arena *a)
{
    if (!a)
        return;
    for (arena_piece *piece = a->piece; piece;) {
        arena_piece *next = piece->next;
        mem_free(piece);
        piece = next;
    }
    mem_free(a);
}

static __attribute__((noreturn)) void jump(arena *a, pav_status status)
{
    assert(a->guard); /* an ARENA_GUARD encloses the caller */
    a->status = status;
    longjmp(a->guard->jump, 1);
}

void arena_fail(arena *a, pav_status status, const char *format, ...)
{
    va_list list;

    va_start(list, format);
    fail_list(status, format, list);
    va_end(list);
    jump(a, status);
}

/* Adds a piece with room for `bytes` in front of the list. */
static void add_piece(arena *a, int64_t bytes)
{
    int64_t size = bytes;

    if (!APART) {
        const int64_t grown = a->piece ? 2 * a->piece->size : FIRST_PIECE;
        const int64_t usual = grown < LARGEST_PIECE ? grown : LARGEST_PIECE;
        size = usual > bytes ? usual : bytes;
    }
    arena_piece *piece = mem_new(1, sizeof *piece + (size_t)size);
    if (!piece)
        jump(a, PAV_ENOMEM);
    *piece = (arena_piece){.next = a->piece, .size = size};
    a->piece = piece;
}

/* Adds count * size bytes to the arena's size and returns them. */
static int64_t charge(arena *a, int64_t count, size_t size)
{
    int64_t bytes, used;
    char limit[SIZE_TEXT];

    if (count >= 0 && size <= INT64_MAX && mul_fits(count, (int64_t)size, &bytes) &&
        add_fits(a->used, bytes, &used) && used <= a->limit) {
        a->used = used;
        return bytes;
    }
    arena_fail(a, PAV_ELIMIT,
               "compiling the description needs more than %s of memory; make it smaller",
               size_text(a->limit, limit));
}

void *arena_alloc(arena *a, int64_t count, size_t size)
{
    assert(a->guard); /* an ARENA_GUARD encloses the caller */
    const int64_t bytes = charge(a, count, size);
    const bool fits = a->piece && !APART && bytes <= a->piece->size - a->piece->used;

    if (!fits)
        add_piece(a, bytes);
    arena_piece *piece = a->piece;
    void *block = piece->data + piece->used;
    const int64_t end = piece->used + int_rounded(bytes, ALIGNMENT);
    piece->used = end < piece->size ? end : piece->size;
    return block;
}

char *arena_copy(arena *a, const char *string, size_t length)
{
    char *copy = arena_alloc(a, length < INT64_MAX ? (int64_t)length + 1 : -1, 1);

    if (length > 0)
        memcpy(copy, string, length);
    return copy;
}

char *arena_print(arena *a, const char *format, ...)
{
    va_list list, again;

    va_start(list, format);
    va_copy(again, list);
    const int length = vsnprintf(NULL, 0, format, list);
    va_end(list);
    char *copy = length >= 0 ? arena_alloc(a, (int64_t)length + 1, 1) : NULL;
    if (copy)
        (void)vsnprintf(copy, (size_t)length + 1, format, again);
    va_end(again);
    if (!copy)
        arena_fail(a, PAV_ELIMIT, "a text is longer than 2 GiB");
    return copy;
}

void arena_reserve(arena *a, void *items, int64_t count, int64_t *capacity, size_t size)
{
    int64_t doubled;
    void *old;

    if (count < *capacity)
        return;
    if (!mul_fits(count, 2, &doubled))
        doubled = INT64_MAX;
    const int64_t wanted = doubled > 8 ? doubled : 8;
    void *grown = arena_alloc(a, wanted, size);
    /* `items` is the address of a pointer to objects of any type */
    memcpy(&old, items, sizeof old);
    if (old && *capacity > 0)
        memcpy(grown, old, (size_t)*capacity * size);
    memcpy(items, &grown, sizeof grown);
    *capacity = wanted;
}
