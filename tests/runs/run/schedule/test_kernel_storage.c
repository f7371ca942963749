/* SPDX-License-Identifier: BSD-3-Clause */
/* Compiled kernels convert narrow storage bitwise identically to type_convert. The test
 * converts every 16-bit value to a number, and back: the value itself, the middle to the
 * next value, and the neighbours of this middle. */
#include "finished.h"

/* Parts of the kernels' prelude, embedded by the emitters. */
extern const char kernel_types[], kernel_bits_private[], kernel_bf16_private[],
    kernel_f16_private[], kernel_u8_private[];

enum { COUNT = 1 << 16, PARTS = 4 };

typedef void row_function(const void *in, void *out, int64_t count);

#define ROW(name, to, from)                                                              \
    "void row_" #name "(const void *in, void *out, int64_t count)\n{\n"                  \
    "    for (int64_t i = 0; i < count; i++)\n"                                          \
    "        ((" #to " *)out)[i] = " #name "(((const " #from " *)in)[i]);\n}\n"

static const char rows[] = ROW(f32_of_bf16, float, uint16_t)
    ROW(f32_of_f16, float, uint16_t) ROW(bf16_of_f64, uint16_t, double)
        ROW(bf16_of_f32, uint16_t, float) ROW(f16_of_f64, uint16_t, double)
            ROW(u8_of_f64, uint8_t, double);

static host_module *compiled(void)
{
    text source = {0};
    host_module *module;
    text_add(&source, "%s%s%s%s%s%s", kernel_types, kernel_bits_private,
             kernel_bf16_private, kernel_f16_private, kernel_u8_private, rows);
    REQUIRE_OK(host_module_open(source.data, source.length, 0, &module));
    text_free(&source);
    return module;
}

static bool same_element(pav_type type, const void *a, const void *b)
{
    const bool both_none = isnan(type_load(type, a)) && isnan(type_load(type, b));
    return both_none || memcmp(a, b, pav_type_size(type)) == 0;
}

/* Index of the first wrong conversion of a kernel in a row; -1: none. */
static int64_t first_different(const host_module *m, const char *name, pav_type to,
                               pav_type from, const void *in)
{
    static double got[COUNT], want[COUNT];
    const size_t size = pav_type_size(to);
    row_function *run = (row_function *)host_module_find(m, name);
    REQUIRE(run != NULL);
    run(in, got, COUNT);
    type_convert(to, want, from, in, COUNT);
    for (size_t i = 0; i < COUNT; i++)
        if (!same_element(to, (char *)got + i * size, (char *)want + i * size))
            return (int64_t)i;
    return -1;
}

/* Infinity has the place of the next power of two: from half way to there on it is the
 * nearest. */
static double place_of(pav_type type, uint16_t bits)
{
    const double value = type_load(type, &bits);
    return isinf(value) ? copysign(type == PAV_F16 ? 0x1p16 : 0x1p128, value) : value;
}

/* Fills, for each 16-bit value: the value, the middle to the next value, and two numbers
 * just below and above this middle. */
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

TEST(kernels_widen_every_value_as_rows_do)
{
    static uint16_t all[COUNT];
    host_module *m = compiled();
    for (int i = 0; i < COUNT; i++)
        all[i] = (uint16_t)i;
    CHECK_EQ(first_different(m, "row_f32_of_bf16", PAV_F32, PAV_BF16, all), -1);
    CHECK_EQ(first_different(m, "row_f32_of_f16", PAV_F32, PAV_F16, all), -1);
    host_module_close(m);
}

TEST(kernels_narrow_every_value_and_tie_as_rows_do)
{
    static double wide[COUNT];
    static float single[COUNT];
    host_module *m = compiled();
    for (int part = 0; part < PARTS; part++) {
        fill_near(PAV_F16, part, wide);
        CHECK_EQ(first_different(m, "row_f16_of_f64", PAV_F16, PAV_F64, wide), -1);
        fill_near(PAV_BF16, part, wide);
        CHECK_EQ(first_different(m, "row_bf16_of_f64", PAV_BF16, PAV_F64, wide), -1);
        type_convert(PAV_F32, single, PAV_F64, wide, COUNT);
        CHECK_EQ(first_different(m, "row_bf16_of_f32", PAV_BF16, PAV_F32, single), -1);
    }
    host_module_close(m);
}

TEST(kernels_make_bytes_as_rows_do)
{
    static double wide[COUNT];
    host_module *m = compiled();
    for (int i = 0; i < COUNT; i++)
        wide[i] = (i - COUNT / 2) / 64.0; /* -512 to 512 by 64ths */
    CHECK_EQ(first_different(m, "row_u8_of_f64", PAV_U8, PAV_F64, wide), -1);
    fill_near(PAV_F16, 2, wide);
    CHECK_EQ(first_different(m, "row_u8_of_f64", PAV_U8, PAV_F64, wide), -1);
    host_module_close(m);
}
