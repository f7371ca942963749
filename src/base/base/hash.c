/* SPDX-License-Identifier: BSD-3-Clause */
/* Hashes and random numbers. All are functions of bytes and 64-bit integers alone, so
 * they are the same on every machine; they name things and make test data, they keep no
 * secrets.
 *
 * The scrambler is the finisher of splitmix64 (Steele, Lea, Flood 2014), the byte hash
 * FNV-1a in one half and a rotating multiply in the other. */
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

uint64_t hash_mix(uint64_t value)
{
    value = (value ^ value >> 30) * UINT64_C(0xbf58476d1ce4e5b9);
    value = (value ^ value >> 27) * UINT64_C(0x94d049bb133111eb);
    return value ^ value >> 31;
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

/* The upper 53 bits as a fraction. */
static double unit(uint64_t bits)
{
    return (double)(bits >> 11) * 0x1p-53;
}

double rng_unit(rng *r)
{
    return unit(rng_next(r));
}

double random_at(uint64_t seed, int64_t x, int64_t y, int64_t z)
{
    uint64_t h = hash_mix(seed + golden);

    h = hash_mix(h + golden + (uint64_t)x);
    h = hash_mix(h + golden + (uint64_t)y);
    h = hash_mix(h + golden + (uint64_t)z);
    return unit(h);
}

/* Philox 4x32-10 (Salmon et al., SC11): 53 or 24 bits of a function of the 64 bits of the
 * key and of the global index. */
double philox_at(uint64_t key, int64_t x, int64_t y, int64_t z, int bits)
{
    const uint64_t low = UINT64_C(0xffffffff);
    uint64_t c0 = (uint64_t)x & low, c1 = (uint64_t)y & low, c2 = (uint64_t)z & low,
             c3 = (uint64_t)x >> 32, k0 = key & low, k1 = key >> 32;

    for (int round = 0; round < 10; round++) {
        const uint64_t a = c0 * UINT64_C(0xd2511f53), b = c2 * UINT64_C(0xcd9e8d57);
        c0 = b >> 32 ^ c1 ^ k0;
        c1 = b & low;
        c2 = a >> 32 ^ c3 ^ k1;
        c3 = a & low;
        k0 = (k0 + UINT64_C(0x9e3779b9)) & low;
        k1 = (k1 + UINT64_C(0xbb67ae85)) & low;
    }
    return (double)((c0 << 32 | c1) >> (64 - bits)) * (bits == 53 ? 0x1p-53 : 0x1p-24);
}
