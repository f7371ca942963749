/* SPDX-License-Identifier: BSD-3-Clause */
INLINE uint8_t u8_of_f64(double v)
{
    const double most = v < 255 ? v : 255, within = v > 0 ? most : 0;

    return (uint8_t)(int32_t)((within + 0x1p52) - 0x1p52);
}

/* Bit n of the result: whether byte n is not 0. */
INLINE uint64_t bits_of_bytes(const uint8_t *byte, int count)
{
    uint64_t bits = 0;

#ifdef __SSE2__
    typedef char some __attribute__((vector_size(16), may_alias, aligned(1)));
    for (int n = 0; n < count; n += 16) {
        const int zero = __builtin_ia32_pmovmskb128(*(const some *)(byte + n) == 0);
        bits |= (uint64_t)(~zero & 0xffff) << n;
    }
#else
    for (int n = 0; n < count; n++)
        bits |= (uint64_t)(byte[n] != 0) << n;
#endif
    return bits;
}
