/* SPDX-License-Identifier: BSD-3-Clause */
/* The checksum at the end of a checkpoint: the sum over all 32-bit words, each times an
 * odd number given by its place in the file, modulo 2^64. So the order of bytes does not
 * matter: ranks sum their own points, and the sums are added. */
#include <string.h>

#include "run/checkpoint/checkpoint_private.h"

enum { WORD = 4, WORDS = 8, BLOCK = WORD * WORDS };

static const uint64_t lane[WORDS] = {
    UINT64_C(0x243f6a8885a308d3), UINT64_C(0x13198a2e03707344),
    UINT64_C(0xa4093822299f31d0), UINT64_C(0x082efa98ec4e6c89),
    UINT64_C(0x452821e638d01377), UINT64_C(0xbe5466cf34e90c6c),
    UINT64_C(0xc0ac29b7c97c50dd), UINT64_C(0x3f84d5b5b5470917)};

/* The sum of a block of the file, with 0 in place of unknown bytes. */
static uint64_t sum_block(int64_t block, const void *bytes)
{
    const uint64_t factor = hash_mix((uint64_t)block);
    uint32_t word[WORDS];
    uint64_t sum = 0;
    memcpy(word, bytes, sizeof word);
    for (int k = 0; k < WORDS; k++)
        sum += word[k] * ((factor ^ lane[k]) | 1);
    return sum;
}

static uint64_t sum_part(int64_t at, const char *bytes, int64_t length)
{
    char whole[BLOCK] = {0};
    memcpy(whole + at % BLOCK, bytes, (size_t)length);
    return sum_block(at / BLOCK, whole);
}

uint64_t sum_of(int64_t at, const void *bytes, int64_t length)
{
    const char *from = bytes;
    uint64_t sum = 0;
    while (length > 0) {
        const int64_t room = BLOCK - at % BLOCK, now = length < room ? length : room;
        sum += now == BLOCK ? sum_block(at / BLOCK, from) : sum_part(at, from, now);
        from += now;
        at += now;
        length -= now;
    }
    return sum;
}

uint64_t sum_end(uint64_t sum, int64_t length)
{
    return hash_mix(sum + hash_mix((uint64_t)length));
}
