/* SPDX-License-Identifier: BSD-3-Clause */
/* Hashes and random numbers. All are functions of bytes and 64-bit integers alone, so
 * they are the same on every machine; they name things and make test data, they keep no
 * secrets.
 *
 * The scrambler is the finisher of splitmix64 (Steele, Lea, Flood 2014), the byte hash
 * FNV-1a in one half and a rotating multiply in the other. What kernels take, too, is in
 * kernels/kernel_random_private.h. */
#include "base/base.h"

static const uint64_t golden = UINT64_C(0x9e3779b97f4a7c15);

static uint64_t rotate(uint64_t value, int by)
{
    return value << by | value >> (64 - by);
}

void hash_init(hash *h)
{
    h->a = UINT64_C(0xcbf29ce484222325);
    h->b = golden;
}

void hash_add(hash *h, const void *bytes, int64_t length)
{
    const unsigned char *at = bytes;
    uint64_t a = h->a, b = h->b;

    for (int64_t i = 0; i < length; i++) {
        a = (a ^ at[i]) * UINT64_C(0x100000001b3);
        b = rotate(b + at[i] + 1, 23) * golden;
    }
    h->a = a;
    h->b = b;
}

uint64_t hash_end(const hash *h)
{
    return hash_mix(h->a ^ hash_mix(h->b));
}

uint64_t hash_bytes(const void *bytes, int64_t length)
{
    hash h;

    hash_init(&h);
    hash_add(&h, bytes, length);
    return hash_end(&h);
}

uint64_t rng_next(rng *r)
{
    r->state += golden;
    return hash_mix(r->state);
}

int64_t rng_below(rng *r, int64_t n)
{
    if (n < 1)
        return 0;
    const uint64_t range = (uint64_t)n,
                   uneven = -range % range; /* 2^64 modulo the range */
    uint64_t value;
    do
        value = rng_next(r);
    while (value < uneven);
    return (int64_t)(value % range);
}

double rng_unit(rng *r)
{
    return (double)(rng_next(r) >> 11) * 0x1p-53;
}
