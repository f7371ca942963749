/* SPDX-License-Identifier: BSD-3-Clause */
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
