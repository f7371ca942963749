/* SPDX-License-Identifier: BSD-3-Clause */
/* Element types: f32 and f64 are computed with; bf16, f16 and u8 are ways to keep values.
 *
 * The two 16-bit floats differ only in how many fraction bits they have (bf16: 7, f16: 10), so
 * one rounding serves both. It starts from the double: going through float would round twice. */
#include <string.h>

#include "base/base.h"

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

/* A float of 16 bits with `fraction` fraction bits, nearest even. */
static uint16_t narrow(double value, int fraction)
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
    if (below > fraction + 1) /* less than half of the least; doubles' subnormals too */
        return (uint16_t)sign;
    const int shift = 52 - fraction + below;
    const uint64_t rest = mantissa & ((UINT64_C(1) << shift) - 1);
    const uint64_t half = UINT64_C(1) << (shift - 1);
    uint32_t kept = (uint32_t)(mantissa >> shift);
    if (rest > half || (rest == half && (kept & 1)))
        kept++; /* may carry into the exponent, up to infinity, as it should */
    const int steps = exponent + below - lowest;
    return (uint16_t)(sign | (((uint32_t)steps << fraction) + kept));
}

uint16_t f64_to_bf16(double value)
{
    return narrow(value, 7);
}

uint16_t f64_to_f16(double value)
{
    return narrow(value, 10);
}

uint16_t f32_to_bf16(float value)
{
    uint32_t bits;

    memcpy(&bits, &value, sizeof bits);
    if ((bits & 0x7fffffffU) > 0x7f800000U)
        return (uint16_t)(bits >> 16 | 0x40U);
    return (uint16_t)((bits + 0x7fffU + (bits >> 16 & 1U)) >> 16);
}

uint16_t f32_to_f16(float value)
{
    return narrow((double)value, 10);
}

float bf16_to_f32(uint16_t bits)
{
    return f32_from_bits((uint32_t)bits << 16);
}

float f16_to_f32(uint16_t bits)
{
    const uint32_t sign = (uint32_t)(bits & 0x8000U) << 16, size = bits & 0x7fffU;

    if (size >= 0x7c00U) /* infinity or NaN */
        return f32_from_bits(sign | 0x7f800000U | size << 13);
    if (size >= 0x0400U)
        return f32_from_bits(sign | ((size << 13) + ((127U - 15U) << 23)));
    const float value = (float)size * 0x1p-24F; /* subnormal, exact */
    return sign ? -value : value;
}

double type_load(pav_type type, const void *at)
{
    float single;
    double value;
    uint16_t half;

    switch (type) {
    case PAV_F32: memcpy(&single, at, sizeof single); return (double)single;
    case PAV_F64: memcpy(&value, at, sizeof value); return value;
    case PAV_BF16: memcpy(&half, at, sizeof half); return (double)bf16_to_f32(half);
    case PAV_F16: memcpy(&half, at, sizeof half); return (double)f16_to_f32(half);
    case PAV_U8: return (double)*(const unsigned char *)at;
    }
    return 0;
}

static unsigned char to_u8(double value)
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

void type_store(pav_type type, void *at, double value)
{
    const float single = (float)value;
    const uint16_t half = type == PAV_BF16 ? f64_to_bf16(value) : f64_to_f16(value);

    switch (type) {
    case PAV_F32: memcpy(at, &single, sizeof single); break;
    case PAV_F64: memcpy(at, &value, sizeof value); break;
    case PAV_BF16:
    case PAV_F16: memcpy(at, &half, sizeof half); break;
    case PAV_U8: *(unsigned char *)at = to_u8(value); break;
    }
}

void type_convert(pav_type to, void *out, pav_type from, const void *in, int64_t count)
{
    const size_t step = pav_type_size(to), stride = pav_type_size(from);
    char *target = out;
    const char *source = in;

    if (to == from && count > 0) {
        memmove(out, in, (size_t)count * step);
        return;
    }
    for (int64_t i = 0; i < count; i++)
        type_store(to, target + (size_t)i * step,
                   type_load(from, source + (size_t)i * stride));
}
