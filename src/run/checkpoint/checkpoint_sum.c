/* SPDX-License-Identifier: BSD-3-Clause */
/* The sum that ends a checkpoint: four lanes of 64 bits, each of every fourth word, so
 * that it is added up as fast as memory is read. */
#include <string.h>

#include "run/checkpoint/checkpoint_private.h"

static void add_block(stream *s, const char *bytes)
{
    uint64_t word[LANES];
    memcpy(word, bytes, sizeof word);
    for (int k = 0; k < LANES; k++) {
        const uint64_t mixed = (s->lane[k] ^ word[k]) * UINT64_C(0x9e3779b97f4a7c15);
        s->lane[k] = mixed << 29 | mixed >> 35;
    }
}

void sum_add(stream *s, const char *bytes, int64_t length)
{
    char last[SUM_BLOCK] = {0};
    int64_t at = 0;
    for (; at + SUM_BLOCK <= length; at += SUM_BLOCK)
        add_block(s, bytes + at);
    memcpy(last, bytes + at, (size_t)(length - at));
    if (at < length)
        add_block(s, last);
    s->length += length;
}

uint64_t sum_end(const stream *s)
{
    uint64_t sum = hash_mix((uint64_t)s->length);
    for (int k = 0; k < LANES; k++)
        sum = hash_mix(sum ^ s->lane[k]);
    return sum;
}
