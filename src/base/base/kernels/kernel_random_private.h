/* SPDX-License-Identifier: BSD-3-Clause */
/* The same functions as random_at and philox_at of base/hash.c. */
INLINE uint64_t hash_mix(uint64_t value)
{
    value = (value ^ value >> 30) * UINT64_C(0xbf58476d1ce4e5b9);
    value = (value ^ value >> 27) * UINT64_C(0x94d049bb133111eb);
    return value ^ value >> 31;
}

INLINE double random_at(uint64_t seed, int64_t x, int64_t y, int64_t z)
{
    const uint64_t golden = UINT64_C(0x9e3779b97f4a7c15);
    uint64_t h = hash_mix(seed + golden);

    h = hash_mix(h + golden + (uint64_t)x);
    h = hash_mix(h + golden + (uint64_t)y);
    h = hash_mix(h + golden + (uint64_t)z);
    return (double)(h >> 11) * 0x1p-53;
}

/* Philox 4x32-10 (Salmon et al., SC11): 53 or 24 bits of a function of the 64 bits of the
 * key and of the global index. */
INLINE double philox_at(uint64_t key, int64_t x, int64_t y, int64_t z, int bits)
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
