/* SPDX-License-Identifier: BSD-3-Clause */
/* Functions of `floats`: both halves are computed as `doubles`, by near values. If these
 * do not decide all points, the pairs of all points are rounded once. */
#define OWN_HALVES(name, function, parameters, second, arguments)                        \
    name parameters                                                                      \
    {                                                                                    \
        two_doubles a = floats_widen(x);                                                 \
        two_doubles b __attribute__((unused)) = floats_widen(second);                    \
        for (int half = 0; half < 2; half++)                                             \
            a.half[half] = function arguments;                                           \
        return floats_narrow(a);                                                         \
    }
#define OWN_F32_whole(word, parameters, given, second, arguments)                        \
    OWN_HALVES(FUNCTION floats floats_##word, doubles_##word##_odd, parameters, second,  \
               arguments)
#define OWN_F32_near(word, parameters, given, second, arguments)                         \
    OWN_HALVES(OWN_NOT_INLINE floats floats_##word##_whole, doubles_##word##_odd,        \
               parameters, second, arguments)                                            \
    FUNCTION floats floats_##word parameters                                             \
    {                                                                                    \
        two_doubles a = floats_widen(x), c;                                              \
        two_doubles b __attribute__((unused)) = floats_widen(second);                    \
        for (int half = 0; half < 2; half++) {                                           \
            const doubles v = doubles_##word##_near arguments;                           \
            a.half[half] = v * OWN_LESS;                                                 \
            c.half[half] = v * OWN_MORE;                                                 \
        }                                                                                \
        const floats less = floats_narrow(a), more = floats_narrow(c);                   \
        return __builtin_expect(longs_any((longs)(less != more)), 0)                     \
                   ? floats_##word##_whole given                                         \
                   : less;                                                               \
    }
#define OWN_F32_tied OWN_F32_near
#define OWN_ONE(word, rounding, f32)                                                     \
    OWN_F32_##f32(word, (floats x), (x), x, (a.half[half]))
#define OWN_TWO(word, rounding, f32)                                                     \
    OWN_F32_##f32(word, (floats x, floats y), (x, y), y, (a.half[half], b.half[half]))
#define OWN_EXACT(word)                                                                  \
    OWN_HALVES(FUNCTION floats floats_##word, doubles_##word, (floats x), x,             \
               (a.half[half]))
OWN_FUNCTIONS(OWN_ONE, OWN_TWO)
OWN_EXACT_FUNCTIONS(OWN_EXACT)
#undef OWN_EXACT
#undef OWN_ONE
#undef OWN_TWO
#undef OWN_F32_whole
#undef OWN_F32_near
#undef OWN_F32_tied
#undef OWN_HALVES
