/* SPDX-License-Identifier: BSD-3-Clause */
/* Element types: computations use f32 and f64; bf16, f16 and u8 are storage types. Rows
 * are converted between types with one loop for each pair; single elements are rows of
 * one.
 *
 * The loops have no branches, so compilers vectorise them. An element is converted as in
 * compiled kernels (kernels/). */
#include <math.h>
#include <string.h>

#include "base/base_private.h"
#include "base/kernels/kernel_narrow_private.h"

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

#define PAIR(to, from) ((int)(to)*8 + (int)(from))
#define PAIR_LIST(X)                                                                     \
    X(F32, float, F32, float, a)                                                         \
    X(F32, float, F64, double, (float)a)                                                 \
    X(F32, float, BF16, uint16_t, f32_of_bf16(a))                                        \
    X(F32, float, F16, uint16_t, f32_of_f16(a))                                          \
    X(F32, float, U8, uint8_t, (float)a)                                                 \
    X(F64, double, F32, float, (double)a)                                                \
    X(F64, double, F64, double, a)                                                       \
    X(F64, double, BF16, uint16_t, (double)f32_of_bf16(a))                               \
    X(F64, double, F16, uint16_t, (double)f32_of_f16(a))                                 \
    X(F64, double, U8, uint8_t, (double)a)                                               \
    X(BF16, uint16_t, F32, float, bf16_of_f32(a))                                        \
    X(BF16, uint16_t, F64, double, bf16_of_f64(a))                                       \
    X(F16, uint16_t, F32, float, f16_of_f32(a))                                          \
    X(F16, uint16_t, F64, double, f16_of_f64(a))                                         \
    X(U8, uint8_t, F32, float, u8_of_f64((double)a))                                     \
    X(U8, uint8_t, F64, double, u8_of_f64(a))

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
