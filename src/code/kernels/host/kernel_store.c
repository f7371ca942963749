/* SPDX-License-Identifier: BSD-3-Clause */
/* Loads and stores of kernels for processors, also of narrow types. The build makes a
 * text of each part (cmake/embed.cmake). */

/* ==== kernel_store ==== */
/* Stores of vectors. STORE goes through the caches. STREAM is non-temporal: a large grid
 * reads its results only much later. */
#define STORE(to, v) ((void)(*(__typeof__(v) *)(to) = (v)))

typedef float line_quarter __attribute__((vector_size(16), may_alias));
typedef float line_half __attribute__((vector_size(32), may_alias));
typedef float line_whole __attribute__((vector_size(64), may_alias));
#if defined __clang__ && !SVE_BITS /* clang 14 fails on SVE vectors */
#define STREAM(to, v) __builtin_nontemporal_store(v, (__typeof__(v) *)(to))
#elif defined __SSE2__
#ifdef __AVX512F__
#define STREAM_64(to, v) __builtin_ia32_movntps512((float *)(to), (line_whole)(v))
#else
#define STREAM_64(to, v) STORE(to, v)
#endif
#ifdef __AVX__
#define STREAM_32(to, v) __builtin_ia32_movntps256((float *)(to), (line_half)(v))
#else
#define STREAM_32(to, v) STORE(to, v)
#endif
#define STREAM_16(to, v) __builtin_ia32_movntps((float *)(to), (line_quarter)(v))
#define BY_BYTES(count, v, type) __builtin_choose_expr(sizeof(v) == (count), v, (type){0})
#define STREAM(to, v)                                                                    \
    ((void)(sizeof(v) == 64   ? STREAM_64(to, BY_BYTES(64, v, line_whole))               \
            : sizeof(v) == 32 ? STREAM_32(to, BY_BYTES(32, v, line_half))                \
            : sizeof(v) == 16 ? STREAM_16(to, BY_BYTES(16, v, line_quarter))             \
                              : STORE(to, v)))
#else
#define STREAM(to, v) STORE(to, v)
#endif

/* Relaxed loads and stores of numbers used by other threads at the same time: whole, but
 * in no order. */
#define RELAXED_OF(type)                                                                 \
    INLINE type relaxed_##type(const type *from)                                         \
    {                                                                                    \
        type v;                                                                          \
        __atomic_load(from, &v, __ATOMIC_RELAXED);                                       \
        return v;                                                                        \
    }
RELAXED_OF(float)
RELAXED_OF(double)
RELAXED_OF(uint16_t)
RELAXED_OF(uint8_t)
#define RELAXED_LANES(to, v, lo, hi)                                                     \
    for (int lane = 0; lane < (int)(sizeof(v) / sizeof *(to)); lane++)                   \
        if (lane >= (lo) && lane < (hi)) {                                               \
            __typeof__(*(to)) stored_ = (v)[lane];                                       \
            __atomic_store((to) + lane, &stored_, __ATOMIC_RELAXED);                     \
        }

/* Stores the points lo .. hi - 1 of a vector. */
#define STORE_LANES(to, v, lo, hi)                                                       \
    for (int lane = 0; lane < (int)(sizeof(v) / sizeof *(to)); lane++)                   \
        if (lane >= (lo) && lane < (hi))                                                 \
    (to)[lane] = (v)[lane]

INLINE void floats_store_part(float *to, floats v, int64_t lo, int64_t hi)
{
#if defined __AVX512F__
    const uint32_t first = 0xffffU << (lo > 0 ? lo : 0),
                   rest = 0xffffU << (hi < 16 ? hi : 16);

    __builtin_ia32_storeups512_mask(to, v, (unsigned short)(first & ~rest));
#elif defined __AVX__
    __builtin_ia32_maskstoreps256((floats *)to, ints_within(lo, hi), v);
#elif SVE_BITS
    const svbool_t stored = svbic_b_z(svptrue_b32(), svwhilelt_b32_s64(0, hi),
                                      svwhilelt_b32_s64(0, lo));

    svst1_f32(stored, to, (sve_floats)v);
#else
    STORE_LANES(to, v, lo, hi);
#endif
}

INLINE void doubles_store_part(double *to, doubles v, int64_t lo, int64_t hi)
{
#if defined __AVX512F__
    const uint32_t first = 0xffU << (lo > 0 ? lo : 0), rest = 0xffU << (hi < 8 ? hi : 8);

    __builtin_ia32_storeupd512_mask(to, v, (unsigned char)(first & ~rest));
#elif defined __AVX__
    __builtin_ia32_maskstorepd256((doubles *)to, longs_within(lo, hi), v);
#elif SVE_BITS
    const svbool_t stored = svbic_b_z(svptrue_b64(), svwhilelt_b64_s64(0, hi),
                                      svwhilelt_b64_s64(0, lo));

    svst1_f64(stored, to, (sve_doubles)v);
#else
    STORE_LANES(to, v, lo, hi);
#endif
}

/* Stores the end of a row non-temporally. A line stored in part would have to be read
 * first. So the points beyond the row are stored too, with their equal values from
 * another level. */
INLINE void floats_stream_part(float *to, floats v, const float *alike, int64_t lo,
                               int64_t hi)
{
    floats whole = floats_where(ints_within(lo, hi), v, floats_at(alike));

    STREAM(to, whole);
}

INLINE void doubles_stream_part(double *to, doubles v, const double *alike, int64_t lo,
                                int64_t hi)
{
    doubles whole = doubles_where(longs_within(lo, hi), v, doubles_at(alike));

    STREAM(to, whole);
}

/* Prefetches one line of each of several rows. */
INLINE void fetch(const void *row, int64_t stride, int rows)
{
    for (int r = 0; r < rows; r++)
        __builtin_prefetch((const char *)row + r * stride, 0, 2);
}

/* ==== kernel_vector_f16 ==== */
#define floats_at_f16(p) floats_of_f16(AT(halves, p))
#define doubles_at_f16(p) doubles_of_f16(AT(few_halves, p))

/* Conversions by the processor's own instructions, with the same bits as f32_of_f16 and
 * f16_of_f32. */
INLINE floats floats_of_f16(halves v)
{
#if defined __AVX512F__
    typedef short shorts __attribute__((vector_size(32)));
    return (floats)__builtin_ia32_vcvtph2ps512_mask((shorts)v, (floats){0},
                                                    (unsigned short)-1, 4);
#elif defined __AVX__ && defined __F16C__
    typedef short shorts __attribute__((vector_size(16)));
    return (floats)__builtin_ia32_vcvtph2ps256((shorts)v);
#else
    return EACH_FLOAT(f32_of_f16(v[lane]));
#endif
}

INLINE halves f16_of_floats(floats v)
{
#if defined __AVX512F__
    typedef short shorts __attribute__((vector_size(32)));
    return (halves)__builtin_ia32_vcvtps2ph512_mask(v, 0, (shorts){0},
                                                    (unsigned short)-1);
#elif defined __AVX__ && defined __F16C__
    return (halves)__builtin_ia32_vcvtps2ph256(v, 0);
#else
    return EACH_OF(halves, FLOATS, f16_of_f32(v[lane]));
#endif
}

INLINE doubles doubles_of_f16(few_halves v)
{
    return EACH_DOUBLE((double)f32_of_f16(v[lane]));
}

INLINE few_halves f16_of_doubles(doubles v)
{
    return EACH_OF(few_halves, DOUBLES, f16_of_f64(v[lane]));
}

/* ==== kernel_vector_bf16 ==== */
#define floats_at_bf16(p) floats_of_bf16(AT(halves, p))
#define doubles_at_bf16(p) doubles_of_bf16(AT(few_halves, p))

INLINE floats floats_of_bf16(halves v)
{
    return (floats)(__builtin_convertvector(v, uints) << 16);
}

INLINE halves bf16_of_floats(floats v)
{
    const uints b = (uints)v, even = b + 0x7fffU + (b >> 16 & 1U);
    const uints none = (uints)((ints)(b & 0x7fffffffU) > 0x7f800000);

    return __builtin_convertvector(((even & ~none) | ((b | 0x400000U) & none)) >> 16,
                                   halves);
}

INLINE doubles doubles_of_bf16(few_halves v)
{
    return EACH_DOUBLE((double)f32_of_bf16(v[lane]));
}

INLINE few_halves bf16_of_doubles(doubles v)
{
    return EACH_OF(few_halves, DOUBLES, bf16_of_f64(v[lane]));
}

/* ==== kernel_vector_u8 ==== */
#define floats_at_u8(p) floats_of_u8(AT(bytes, p))
#define doubles_at_u8(p) doubles_of_u8(AT(few_bytes, p))

INLINE floats floats_of_u8(bytes v)
{
    return __builtin_convertvector(__builtin_convertvector(v, ints), floats);
}

INLINE bytes u8_of_floats(floats v)
{
    const floats most = floats_where(v < 255.0f, v, floats_of(255));
    const floats within = floats_where(v > 0.0f, most, floats_of(0));

    return __builtin_convertvector(
        __builtin_convertvector((within + 0x1p23f) - 0x1p23f, ints), bytes);
}

INLINE doubles doubles_of_u8(few_bytes v)
{
    return __builtin_convertvector(__builtin_convertvector(v, few_ints), doubles);
}

INLINE few_bytes u8_of_doubles(doubles v)
{
    return EACH_OF(few_bytes, DOUBLES, u8_of_f64(v[lane]));
}
