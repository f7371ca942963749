/* SPDX-License-Identifier: BSD-3-Clause */
/* Conversions of narrow storage types by the GPU's own instructions. They replace the
 * arithmetic above, with the same bits except for NaN. */
#ifndef PAV_NO_PTX
INLINE float own_f32_of_f16(uint16_t half)
{
    float v;

    asm("cvt.f32.f16 %0, %1;" : "=f"(v) : "h"(half));
    return v;
}

INLINE uint16_t own_f16_of_f32(float v)
{
    uint16_t half;

    asm("cvt.rn.f16.f32 %0, %1;" : "=h"(half) : "f"(v));
    return half;
}

#define f32_of_f16 own_f32_of_f16
#define f16_of_f32 own_f16_of_f32

#if __CUDA_ARCH__ >= 800
INLINE uint16_t own_bf16_of_f32(float v)
{
    uint16_t half;

    asm("cvt.rn.bf16.f32 %0, %1;" : "=h"(half) : "f"(v));
    return half;
}
#define bf16_of_f32 own_bf16_of_f32
#endif
#endif
