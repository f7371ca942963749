/* SPDX-License-Identifier: BSD-3-Clause */
/* The emulated tensor memory accelerator. A box is copied row by row: words inside the
 * region of the map are copied, words outside become zero. Each part of a row is a bulk
 * copy of its own, made at the latest possible time (emulated_copies.c). */
#include <string.h>

#include "device/emulated/emulated_private.h"

enum { MARK = 0x70617274, MAP_SUITS = 64, BOX_SUITS = 128 };

/* The contents of a map. */
typedef struct tensor_map {
    uint64_t mark;
    gpu_tensor_region part;
} tensor_map;
_Static_assert(sizeof(tensor_map) <= sizeof(gpu_map), "a map has room for it");

pav_status emulated_map_tensor(gpu *g, const gpu_tensor_region *p, gpu_map *map)
{
    tensor_map s;

    (void)g;
    memset(&s, 0, sizeof s);
    s.mark = MARK;
    s.part = *p;
    memset(map, 0, sizeof *map);
    memcpy(map, &s, sizeof s);
    return PAV_OK;
}

static gpu_tensor_region part_at(emulated_block *b, const struct emulated_request *ask)
{
    tensor_map s = {0};

    if ((uintptr_t)ask->source % MAP_SUITS == 0)
        memcpy(&s, ask->source, sizeof s);
    if (s.mark != MARK)
        emulated_fail(
            b, b->current,
            "copies a box in line %d by what is no map at a multiple of %d bytes",
            ask->line, MAP_SUITS);
    return s.part;
}

/* ---- one row ----------------------------------------------------------------------- */

/* Copies words to *to and advances *to. If `from` is NULL, stores zeros. */
static void copy_words(emulated_block *b, const struct emulated_request *ask,
                       int64_t words, const gpu_tensor_region *p, const char *from,
                       char **to)
{
    struct emulated_request some = *ask;

    some.to = *to;
    some.source = from;
    some.bytes = words * p->stride[0];
    some.number = from != NULL;
    *to += some.bytes;
    if (words > 0)
        emulated_bulk(b, &some, p->stride[0]);
}

static int64_t within(int64_t n, int64_t most)
{
    return n < 0 ? 0 : n < most ? n : most;
}

static void copy_row(emulated_block *b, const struct emulated_request *ask,
                     const gpu_tensor_region *p, int y, int z, char **to)
{
    const int64_t j = (int64_t)ask->at[1] + y, k = (int64_t)ask->at[2] + z;
    const bool there = j >= 0 && j < p->count[1] && k >= 0 && k < p->count[2];
    const int64_t first = within(ask->at[0], p->count[0]);
    const int64_t end = within((int64_t)ask->at[0] + p->box[0], p->count[0]);
    const char *from = (const char *)p->data + first * p->stride[0] + j * p->stride[1] +
                       k * p->stride[2];

    if (!there || first == end) {
        copy_words(b, ask, p->box[0], p, NULL, to);
        return;
    }
    copy_words(b, ask, first - ask->at[0], p, NULL, to);
    copy_words(b, ask, end - first, p, from, to);
    copy_words(b, ask, ask->at[0] + p->box[0] - end, p, NULL, to);
}

/* ---- the box ----------------------------------------------------------------------- */

void emulated_tensor_request(emulated_block *b, const struct emulated_request *ask)
{
    const gpu_tensor_region p = part_at(b, ask);
    char *to = ask->to;

    if ((uintptr_t)to % BOX_SUITS != 0)
        emulated_fail(b, b->current,
                      "copies a box in line %d to an address that is no multiple of %d",
                      ask->line, BOX_SUITS);
    for (int z = 0; z < p.box[2]; z++)
        for (int y = 0; y < p.box[1]; y++)
            copy_row(b, ask, &p, y, z, &to);
}
