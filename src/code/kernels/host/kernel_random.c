/* SPDX-License-Identifier: BSD-3-Clause */
/* The same function as random_at of base/hash.c. */
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
