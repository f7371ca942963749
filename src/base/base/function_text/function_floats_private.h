/* SPDX-License-Identifier: BSD-3-Clause */
/* Functions of `floats`: both halves are computed as `doubles`, and rounded once. */
#define OWN_ONE(word, rounding)                                                          \
    FUNCTION floats floats_##word(floats x)                                              \
    {                                                                                    \
        two_doubles a = floats_widen(x);                                                 \
        for (int half = 0; half < 2; half++)                                             \
            a.half[half] = doubles_##word##_odd(a.half[half]);                           \
        return floats_narrow(a);                                                         \
    }
#define OWN_TWO(word, rounding)                                                          \
    FUNCTION floats floats_##word(floats x, floats y)                                    \
    {                                                                                    \
        two_doubles a = floats_widen(x), b = floats_widen(y);                            \
        for (int half = 0; half < 2; half++)                                             \
            a.half[half] = doubles_##word##_odd(a.half[half], b.half[half]);             \
        return floats_narrow(a);                                                         \
    }
#define OWN_EXACT(word)                                                                  \
    FUNCTION floats floats_##word(floats x)                                              \
    {                                                                                    \
        two_doubles a = floats_widen(x);                                                 \
        for (int half = 0; half < 2; half++)                                             \
            a.half[half] = doubles_##word(a.half[half]);                                 \
        return floats_narrow(a);                                                         \
    }
OWN_FUNCTIONS(OWN_ONE, OWN_TWO)
OWN_EXACT_FUNCTIONS(OWN_EXACT)
#undef OWN_EXACT
#undef OWN_ONE
#undef OWN_TWO
