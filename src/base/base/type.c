/* SPDX-License-Identifier: BSD-3-Clause */
/* Element types: computations use f32 and f64; bf16, f16 and u8 are storage types. Rows
 * are converted between types with one loop for each pair; single elements are rows of
 * one.
 *
 * The loops have no branches, so compilers vectorise them. The two 16-bit floats differ
 * only in the number of fraction bits (bf16: 7, f16: 10). Narrowing to 16 bits adds and
 * subtracts a large power of two. The sum has no room for the bits to be dropped, so the
 * addition itself rounds to nearest even, subnormals included. */
#include <math.h>
#include <string.h>

#include "base/base_private.h"

struct type_row {
    const char *name;
    size_t size;
};

static const struct type_row types[] = {
    [PAV_F32] = {"f32", 4}, [PAV_F64] = {"f64", 8}, [PAV_BF16] = {"bf16", 2},
    [PAV_F16] = {"f16", 2}, [PAV_U8] = {"u8", 1},
};

static const struct type_row *find_type(pav_type type)
{
    return (unsigned)type < COUNT_OF(types) ? &types[type] : NULL;
}

size_t pav_type_size(pav_type type)
{
    const struct type_row *row = find_type(type);

    return row ? row->size : 0;
}

const char *pav_type_name(pav_type type)
{
    const struct type_row *row = find_type(type);

    return row ? row->name : "unknown";
}

bool type_from_name(const char *name, size_t length, pav_type *type)
{
    for (size_t i = 0; i < COUNT_OF(types); i++)
        if (strlen(types[i].name) == length && memcmp(types[i].name, name, length) == 0) {
            *type = (pav_type)i;
            return true;
        }
    return false;
}

/* ---- converting rows --------------------------------------------------------------- */

INLINE double double_of(uint64_t bits)
{
    double value;

    memcpy(&value, &bits, sizeof value);
    return value;
}

INLINE uint32_t bits_of_float(float value)
{
    uint32_t bits;

    memcpy(&bits, &value, sizeof bits);
    return bits;
}

INLINE float float_of(uint32_t bits)
{
    float value;

    memcpy(&value, &bits, sizeof value);
    return value;
}

INLINE float from_bf16(uint16_t half)
{
    return float_of((uint32_t)half << 16);
}

/* The exponents' bias goes from 15 to 127 by an exact product, right for subnormals
 * too. */
INLINE float from_f16(uint16_t half)
{
    const uint32_t size = half & 0x7fffU;
    const uint32_t bits = bits_of_float(float_of(size << 13) * 0x1p112F);
    const uint32_t special = size >= 0x7c00U ? 0x7f800000U : 0;

    return float_of(bits | special | (uint32_t)(half & 0x8000U) << 16);
}

/* |value| with `fraction` fraction bits and no exponent below that of `least`. From
 * `limit` on, half a step above the largest finite number, values become infinite. NaN
 * stays NaN. Masks distinguish the cases, because a branch would prevent
 * vectorisation. */
INLINE double round_size(double value, int fraction, double least, double limit)
{
    const uint64_t infinite = UINT64_C(0x7ff) << 52,
                   bits = double_bits(value) & INT64_MAX;
    const uint64_t finite = -(uint64_t)(bits < double_bits(limit));
    const uint64_t special = infinite | (uint64_t)(bits > infinite) << 51;
    const double size = double_of(bits & finite), base = size > least ? size : least;
    const double large = double_of((double_bits(base) & infinite) +
                                   ((uint64_t)(52 - fraction) << 52));
    const double rounded = (size + large) - large;

    return double_of(double_bits(rounded) | (special & ~finite));
}

INLINE uint16_t to_bf16(double value)
{
    const float size = (float)round_size(value, 7, 0x1p-126, 0x1.FFp127);

    return (uint16_t)(bits_of_float(size) >> 16 | (double_bits(value) >> 48 & 0x8000U));
}

/* Rounds the bits of a float directly: a carry into the exponent gives the right
 * result. */
INLINE uint16_t float_to_bf16(float value)
{
    const uint32_t bits = bits_of_float(value);
    const bool nan = (bits & 0x7fffffffU) > 0x7f800000U;

    return (uint16_t)((nan ? bits | 0x400000U : bits + 0x7fffU + (bits >> 16 & 1U)) >>
                      16);
}

INLINE uint16_t to_f16(double value)
{
    const float size = (float)round_size(value, 10, 0x1p-14, 65520.0) * 0x1p-112F;

    return (uint16_t)((bits_of_float(size) >> 13 & 0x7fffU) |
                      (double_bits(value) >> 48 & 0x8000U));
}

INLINE uint8_t to_u8(double value)
{
    const double most = value < 255 ? value : 255, within = value > 0 ? most : 0;

    return (uint8_t)(int32_t)((within + 0x1p52) - 0x1p52);
}

#define PAIR(to, from) ((int)(to)*8 + (int)(from))
#define PAIR_LIST(X)                                                                     \
    X(F32, float, F32, float, a)                                                         \
    X(F32, float, F64, double, (float)a)                                                 \
    X(F32, float, BF16, uint16_t, from_bf16(a))                                          \
    X(F32, float, F16, uint16_t, from_f16(a))                                            \
    X(F32, float, U8, uint8_t, (float)a)                                                 \
    X(F64, double, F32, float, (double)a)                                                \
    X(F64, double, F64, double, a)                                                       \
    X(F64, double, BF16, uint16_t, (double)from_bf16(a))                                 \
    X(F64, double, F16, uint16_t, (double)from_f16(a))                                   \
    X(F64, double, U8, uint8_t, (double)a)                                               \
    X(BF16, uint16_t, F32, float, float_to_bf16(a))                                      \
    X(BF16, uint16_t, F64, double, to_bf16(a))                                           \
    X(F16, uint16_t, F32, float, to_f16((double)a))                                      \
    X(F16, uint16_t, F64, double, to_f16(a))                                             \
    X(U8, uint8_t, F32, float, to_u8((double)a))                                         \
    X(U8, uint8_t, F64, double, to_u8(a))

#define LOOP(to_name, to_type, from_name, from_type, expression)                         \
    case PAIR(PAV_##to_name, PAV_##from_name): {                                         \
        to_type *restrict output = out;                                                  \
        const from_type *restrict input = in;                                            \
        for (int64_t i = 0; i < count; i++) {                                            \
            const from_type a = input[i];                                                \
            output[i] = (expression);                                                    \
        }                                                                                \
        break;                                                                           \
    }

INLINE void convert(pav_type to, void *out, pav_type from, const void *in, int64_t count)
{
    switch (PAIR(to, from)) {
        PAIR_LIST(LOOP)
    default: break;
    }
}

static void convert_plain(pav_type to, void *out, pav_type from, const void *in,
                          int64_t count)
{
    convert(to, out, from, in, count);
}

FOR_AVX2 static void convert_avx2(pav_type to, void *out, pav_type from, const void *in,
                                  int64_t count)
{
    convert(to, out, from, in, count);
}

type_converter *type_converter_find(bool avx2)
{
    return avx2 ? convert_avx2 : convert_plain;
}

/* ---- any pair ---------------------------------------------------------------------- */

static bool is_number(pav_type type)
{
    return type == PAV_F32 || type == PAV_F64;
}

/* Converts between narrow types through f64; it holds every value of each. */
static void convert_narrow(type_converter *run, pav_type to, char *out, pav_type from,
                           const char *in, int64_t count)
{
    enum { PART = 256 };
    const int64_t step = (int64_t)pav_type_size(to),
                  stride = (int64_t)pav_type_size(from);
    double part[PART] = {0};

    for (int64_t at = 0; at < count; at += PART) {
        const int64_t length = count - at < PART ? count - at : PART;
        run(PAV_F64, part, from, in + at * stride, length);
        run(to, out + at * step, PAV_F64, part, length);
    }
}

void type_convert(pav_type to, void *out, pav_type from, const void *in, int64_t count)
{
    type_converter *run = type_converter_find(HAS_AVX2);

    if (count <= 0)
        return;
    if (to == from)
        memmove(out, in, (size_t)count * pav_type_size(to));
    else if (is_number(to) || is_number(from))
        run(to, out, from, in, count);
    else
        convert_narrow(run, to, out, from, in, count);
}

/* ---- one element, not necessarily aligned ------------------------------------------ */

double type_load(pav_type type, const void *at)
{
    uint64_t room = 0;
    double value = 0;

    memcpy(&room, at, pav_type_size(type));
    convert_plain(PAV_F64, &value, type, &room, 1);
    return value;
}

void type_store(pav_type type, void *at, double value)
{
    uint64_t room = 0;

    convert_plain(type, &room, PAV_F64, &value, 1);
    memcpy(at, &room, pav_type_size(type));
}
