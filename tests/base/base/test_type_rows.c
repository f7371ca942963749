/* SPDX-License-Identifier: BSD-3-Clause */
/* Rows of narrow storage are widened and narrowed to the same bits by a slow version,
 * written bit by bit. */
#include "base/base_private.h"
#include "test.h"

enum { COUNT = 1 << 16 };

static const pav_type reals[] = {PAV_F32, PAV_F64};
static const pav_type narrow[] = {PAV_BF16, PAV_F16, PAV_U8};

/* ---- the slow version -------------------------------------------------------------- */

static uint64_t bits_of(double value)
{
    uint64_t bits;

    memcpy(&bits, &value, sizeof bits);
    return bits;
}

static float f32_from_bits(uint32_t bits)
{
    float value;

    memcpy(&value, &bits, sizeof value);
    return value;
}

/* Narrows to 16 bits with `fraction` fraction bits, ties to even. */
static uint16_t slow_narrow(double value, int fraction)
{
    const int bias = (1 << (14 - fraction)) - 1, lowest = 1 - bias;
    const uint32_t infinity = (uint32_t)(2 * bias + 1) << fraction;
    const uint64_t bits = bits_of(value), size = bits & INT64_MAX;
    const uint32_t sign = (uint32_t)(bits >> 63) << 15;
    const uint64_t mantissa = (size & ((UINT64_C(1) << 52) - 1)) | UINT64_C(1) << 52;
    const int exponent = (int)(size >> 52) - 1023;

    if (size > UINT64_C(0x7ff) << 52) /* NaN, made quiet, with the top of its payload */
        return (uint16_t)(sign | infinity | 1U << (fraction - 1) |
                          ((uint32_t)(size >> (52 - fraction)) & ((1U << fraction) - 1)));
    if (exponent > bias)
        return (uint16_t)(sign | infinity);
    const int below = exponent < lowest ? lowest - exponent : 0;
    if (below > fraction + 1) /* less than half of the least number */
        return (uint16_t)sign;
    const int shift = 52 - fraction + below;
    const uint64_t rest = mantissa & ((UINT64_C(1) << shift) - 1);
    const uint64_t half = UINT64_C(1) << (shift - 1);
    uint32_t kept = (uint32_t)(mantissa >> shift);
    if (rest > half || (rest == half && (kept & 1)))
        kept++; /* may carry into the exponent, up to infinity: this is right */
    const int steps = exponent + below - lowest;
    return (uint16_t)(sign | (((uint32_t)steps << fraction) + kept));
}

static float slow_widen(uint16_t bits)
{
    const uint32_t sign = (uint32_t)(bits & 0x8000U) << 16, size = bits & 0x7fffU;

    if (size >= 0x7c00U) /* infinity or NaN */
        return f32_from_bits(sign | 0x7f800000U | size << 13);
    if (size >= 0x0400U)
        return f32_from_bits(sign | ((size << 13) + ((127U - 15U) << 23)));
    const float value = (float)size * 0x1p-24F; /* subnormal, exact */
    return sign ? -value : value;
}

static unsigned char slow_u8(double value)
{
    if (!(value > 0))
        return 0;
    if (value >= 255)
        return 255;
    const unsigned char whole = (unsigned char)value;
    const double rest = value - whole;
    const bool up = rest > 0.5 || (rest >= 0.5 && (whole & 1));
    return (unsigned char)(whole + (up ? 1 : 0));
}

static double slow_load(pav_type type, const void *at)
{
    float single;
    double value;
    uint16_t half;

    switch (type) {
    case PAV_F32: memcpy(&single, at, sizeof single); return (double)single;
    case PAV_F64: memcpy(&value, at, sizeof value); return value;
    case PAV_BF16:
        memcpy(&half, at, sizeof half);
        return (double)f32_from_bits((uint32_t)half << 16);
    case PAV_F16: memcpy(&half, at, sizeof half); return (double)slow_widen(half);
    case PAV_U8: return (double)*(const unsigned char *)at;
    }
    return 0;
}

static double slow_value(pav_type type, uint16_t bits)
{
    double room = 0;

    memcpy(&room, &bits, sizeof bits);
    return slow_load(type, &room);
}

static void slow_store(pav_type type, void *at, double value)
{
    const float single = (float)value;
    const uint16_t half = slow_narrow(value, type == PAV_BF16 ? 7 : 10);

    switch (type) {
    case PAV_F32: memcpy(at, &single, sizeof single); break;
    case PAV_F64: memcpy(at, &value, sizeof value); break;
    case PAV_BF16:
    case PAV_F16: memcpy(at, &half, sizeof half); break;
    case PAV_U8: *(unsigned char *)at = slow_u8(value); break;
    }
}

/* ---- rows against the slow version ------------------------------------------------- */

/* Compares bits, so that -0 is not 0; all NaNs are equal. */
static bool same_number(double a, double b)
{
    return (isnan(a) && isnan(b)) || bits_of(a) == bits_of(b);
}

/* The first element of a row different from the slow version; -1 if all agree. */
static int64_t first_different(bool avx2, pav_type to, pav_type from, const void *in,
                               int64_t count)
{
    static char got[COUNT * sizeof(double)];
    const size_t size = pav_type_size(to), stride = pav_type_size(from);

    type_converter_find(avx2)(to, got, from, in, count);
    for (int64_t i = 0; i < count; i++) {
        double want;
        slow_store(to, &want, slow_load(from, (const char *)in + (size_t)i * stride));
        if (!same_number(slow_load(to, got + (size_t)i * size), slow_load(to, &want)))
            return i;
    }
    return -1;
}

TEST(every_narrow_value_widens_exactly)
{
    static uint16_t all[COUNT];

    for (int i = 0; i < COUNT; i++)
        all[i] = (uint16_t)i;
    for (int avx2 = 0; avx2 <= HAS_AVX2; avx2++)
        for (size_t r = 0; r < COUNT_OF(reals); r++)
            for (size_t n = 0; n < COUNT_OF(narrow); n++)
                CHECK_EQ(first_different(avx2, reals[r], narrow[n], all, COUNT), -1);
}

/* Infinity takes the place of the next power of two: numbers beyond the middle round to
 * it. */
static double place_of(pav_type type, uint16_t bits)
{
    const double value = slow_value(type, bits);

    return isinf(value) ? copysign(type == PAV_F16 ? 0x1p16 : 0x1p128, value) : value;
}

/* Each narrow value, its neighbours, the points half way between them, and the doubles
 * next to these. */
static void fill_near(pav_type type, int part, double *values)
{
    for (int i = 0; i < COUNT; i++) {
        const uint16_t bits = (uint16_t)i, next = (uint16_t)(i + 1);
        const double a = place_of(type, bits), b = place_of(type, next);
        const double half = a + (b - a) / 2;
        values[i] = part == 0   ? a
                    : part == 1 ? half
                    : part == 2 ? nextafter(half, (double)INFINITY)
                                : nextafter(half, (double)-INFINITY);
    }
}

TEST(values_near_ties_narrow_to_nearest_even)
{
    static double wide[COUNT];
    static float single[COUNT];

    for (size_t n = 0; n < COUNT_OF(narrow); n++)
        for (int part = 0; part < 4; part++) {
            fill_near(narrow[n], part, wide);
            for (int i = 0; i < COUNT; i++)
                single[i] = (float)wide[i];
            for (int avx2 = 0; avx2 <= HAS_AVX2; avx2++) {
                CHECK_EQ(first_different(avx2, narrow[n], PAV_F64, wide, COUNT), -1);
                CHECK_EQ(first_different(avx2, narrow[n], PAV_F32, single, COUNT), -1);
                CHECK_EQ(first_different(avx2, PAV_F32, PAV_F64, wide, COUNT), -1);
            }
        }
}

TEST(values_of_all_sizes_narrow_alike)
{
    static double wide[COUNT];
    static float single[COUNT];
    rng r = {7};

    for (int i = 0; i < COUNT; i++) {
        const uint64_t bits = rng_next(&r);
        memcpy(&wide[i], &bits, sizeof wide[i]);
        memcpy(&single[i], &bits, sizeof single[i]);
    }
    for (size_t n = 0; n < COUNT_OF(narrow); n++) {
        CHECK_EQ(first_different(HAS_AVX2, narrow[n], PAV_F64, wide, COUNT), -1);
        CHECK_EQ(first_different(HAS_AVX2, narrow[n], PAV_F32, single, COUNT), -1);
    }
}

TEST(what_is_too_large_becomes_infinite_at_the_right_place)
{
    static const double values[] = {65504,      65519.99,      65520,      -65520,
                                    0x1.FEp127, 0x1.FEFFFp127, 0x1.FFp127, 1e308,
                                    INFINITY,   -INFINITY,     NAN};

    for (size_t n = 0; n < COUNT_OF(narrow); n++)
        CHECK_EQ(first_different(HAS_AVX2, narrow[n], PAV_F64, values,
                                 (int64_t)COUNT_OF(values)),
                 -1);
}

TEST(one_narrow_type_becomes_another_in_one_rounding)
{
    static uint16_t all[COUNT], got[COUNT];

    for (int i = 0; i < COUNT; i++)
        all[i] = (uint16_t)i;
    type_convert(PAV_F16, got, PAV_BF16, all, COUNT);
    for (int i = 0; i < COUNT; i++)
        CHECK(same_number(
            slow_value(PAV_F16, got[i]),
            (double)slow_widen(slow_narrow(slow_value(PAV_BF16, all[i]), 10))));
}
