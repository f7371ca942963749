/* SPDX-License-Identifier: BSD-3-Clause */
/* Own functions of kernels, scalar and in vectors, have the bits of the library's. */
#include "base/functions/functions.h"
#include "cache_helper.h"

/* Applies each function to arrays, by vectors and by points. */
static const char loops[] = "#define ONE(word, rounding, f32)                            "
                            "                     \\\n"
                            "    void pav_##word(int n, const double *x, const double "
                            "*y, double *out,        \\\n"
                            "                    const float *a, const float *b, float "
                            "*narrow)               \\\n"
                            "    {                                                       "
                            "                     \\\n"
                            "        for (int i = 0; i < n; i += DOUBLES)                "
                            "                     \\\n"
                            "            *(near_doubles *)(out + i) = "
                            "doubles_##word(doubles_at(x + i));      \\\n"
                            "        for (int i = 0; i < n; i++)                         "
                            "                     \\\n"
                            "            out[n + i] = f64_##word(x[i]);                  "
                            "                     \\\n"
                            "        for (int i = 0; i < n; i += FLOATS)                 "
                            "                     \\\n"
                            "            *(near_floats *)(narrow + i) = "
                            "floats_##word(floats_at(a + i));      \\\n"
                            "        for (int i = 0; i < n; i++)                         "
                            "                     \\\n"
                            "            narrow[n + i] = f32_##word(a[i]);               "
                            "                     \\\n"
                            "    }\n"
                            "#define TWO(word, rounding, f32)                            "
                            "                     \\\n"
                            "    void pav_##word(int n, const double *x, const double "
                            "*y, double *out,        \\\n"
                            "                    const float *a, const float *b, float "
                            "*narrow)               \\\n"
                            "    {                                                       "
                            "                     \\\n"
                            "        for (int i = 0; i < n; i += DOUBLES)                "
                            "                     \\\n"
                            "            *(near_doubles *)(out + i) =                    "
                            "                     \\\n"
                            "                doubles_##word(doubles_at(x + i), "
                            "doubles_at(y + i));            \\\n"
                            "        for (int i = 0; i < n; i++)                         "
                            "                     \\\n"
                            "            out[n + i] = f64_##word(x[i], y[i]);            "
                            "                     \\\n"
                            "        for (int i = 0; i < n; i += FLOATS)                 "
                            "                     \\\n"
                            "            *(near_floats *)(narrow + i) =                  "
                            "                     \\\n"
                            "                floats_##word(floats_at(a + i), floats_at(b "
                            "+ i));               \\\n"
                            "        for (int i = 0; i < n; i++)                         "
                            "                     \\\n"
                            "            narrow[n + i] = f32_##word(a[i], b[i]);         "
                            "                     \\\n"
                            "    }\n"
                            "#define EXACT(word) ONE(word, , )\n"
                            "OWN_FUNCTIONS(ONE, TWO)\n"
                            "OWN_EXACT_FUNCTIONS(EXACT)\n";

enum { POINTS = 4096 };
typedef void loop(int n, const double *x, const double *y, double *out, const float *a,
                  const float *b, float *narrow);

static double x[POINTS], y[POINTS], wide[2 * POINTS];
static float a[POINTS], b[POINTS], narrow[2 * POINTS];

static void draw_arguments(void)
{
    static const double specials[] = {
        0,          -0.0,      1,      -1,    0.5,   -0.5,   2,      -3,
        INFINITY,   -INFINITY, NAN,    1e300, -1e22, 2.5,    0x1p52, 0x1p-1074,
        -0x1p-1030, 709.78,    -745.1, 710,   88.7,  -103.9, 1e-40,  0x1p30};
    uint64_t state = 3;

    for (int i = 0; i < 2 * POINTS; i++) {
        double value;
        state = state * 6364136223846793005u + 1442695040888963407u;
        if (state >> 62 == 0)
            value = specials[(state >> 32) % (sizeof specials / sizeof *specials)];
        else if (state >> 62 == 1)
            value = ldexp((double)(int32_t)(state >> 24),
                          (int)(state >> 48 & 0x3ff) - 600);
        else
            value = (double)(int32_t)(state >> 16) * 0x1p-28;
        (i < POINTS ? x : y)[i % POINTS] = value;
        (i < POINTS ? a : b)[i % POINTS] = (float)value;
    }
    for (int i = 0; i < 64; i++) { /* squares midway between two f32 */
        a[i] = (float)(i % 2 == 0 ? 4097 + i : -4098 - i);
        b[i] = i % 5 == 0 ? 0.7F : 2;
    }
}

static bool same(double p, double q)
{
    return isnan(p) ? isnan(q) : p == q && signbit(p) == signbit(q);
}

static void check_word(const host_module *m, const char *word, double f64(double),
                       float f32(float), double two_f64(double, double),
                       float two_f32(float, float))
{
    char name[32];
    loop *of_kernel;
    int different = 0;

    snprintf(name, sizeof name, "pav_%s", word);
    of_kernel = (loop *)host_module_find(m, name);
    REQUIRE(of_kernel != NULL);
    of_kernel(POINTS, x, y, wide, a, b, narrow);
    for (int i = 0; i < POINTS; i++) {
        const double want = f64 ? f64(x[i]) : two_f64(x[i], y[i]);
        const float want_f32 = f32 ? f32(a[i]) : two_f32(a[i], b[i]);
        if (same(wide[i], want) && same(wide[POINTS + i], want) &&
            same((double)narrow[i], (double)want_f32) &&
            same((double)narrow[POINTS + i], (double)want_f32))
            continue;
        if (different++ == 0)
            printf("%s(%a, %a): %a, vector %a, scalar %a; in f32 %a, %a, %a\n", word,
                   x[i], y[i], want, wide[i], wide[POINTS + i], (double)want_f32,
                   (double)narrow[i], (double)narrow[POINTS + i]);
    }
    CHECK_EQ(different, 0);
}

TEST(own_functions_of_kernels_have_the_bits_of_the_library)
{
    static char source_text[1 << 18];
    char vectors[1 << 15];
    FILE *file = fopen(TEST_SOURCE "/src/code/kernels/host/kernel_vector.c", "r");
    host_module *m = NULL;

    REQUIRE(file != NULL);
    vectors[fread(vectors, 1, sizeof vectors - 1, file)] = 0;
    fclose(file);
    snprintf(source_text, sizeof source_text,
             "#include <math.h>\n#include <stdint.h>\n"
             "#define INLINE static inline __attribute__((unused))\n"
             "#define floats_pow floats_pow_of_library\n"
             "#define doubles_pow doubles_pow_of_library\n"
             "%s\n#undef floats_pow\n#undef doubles_pow\n%s%s%s%s%s%s%s%s",
             vectors, function_scalar_private, function_series_private,
             function_text_private, function_vector_private, function_series_private,
             function_text_private, function_floats_private, loops);
    set_place();
    REQUIRE_OK(
        host_module_open(source_text, (int64_t)strlen(source_text), HOST_QUICK, &m));
    draw_arguments();
#define F64(word) f64_##word
#define F32(word) f32_##word
#define CHECK_ONE(word) check_word(m, #word, F64(word), F32(word), NULL, NULL);
#define CHECK_TWO(word) check_word(m, #word, NULL, NULL, F64(word), F32(word));
    OWN_FUNCTION_LIST(CHECK_ONE)
    OWN_FUNCTION_OF_TWO_LIST(CHECK_TWO)
    host_module_close(m);
}
