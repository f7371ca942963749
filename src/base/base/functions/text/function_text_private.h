/* SPDX-License-Identifier: BSD-3-Clause */
/* Provisional bodies: they call C's library. */
#if SCALAR
#define PROVISIONAL(word, call)                                                          \
    FUNCTION double f64_##word(double x)                                                 \
    {                                                                                    \
        return call;                                                                     \
    }                                                                                    \
    FUNCTION float f32_##word(float x)                                                   \
    {                                                                                    \
        return (float)f64_##word(x);                                                     \
    }
#define PROVISIONAL_TWO(word, call)                                                      \
    FUNCTION double f64_##word(double x, double y)                                       \
    {                                                                                    \
        return call;                                                                     \
    }                                                                                    \
    FUNCTION float f32_##word(float x, float y)                                          \
    {                                                                                    \
        return (float)f64_##word(x, y);                                                  \
    }
PROVISIONAL(sin, sin(x))
PROVISIONAL(cos, cos(x))
PROVISIONAL(tan, tan(x))
PROVISIONAL(asin, asin(x))
PROVISIONAL(acos, acos(x))
PROVISIONAL(atan, atan(x))
PROVISIONAL(sinh, sinh(x))
PROVISIONAL(cosh, cosh(x))
PROVISIONAL(tanh, tanh(x))
PROVISIONAL(exp, exp(x))
PROVISIONAL(exp2, exp2(x))
PROVISIONAL(log, log(x))
PROVISIONAL(log2, log2(x))
PROVISIONAL(log10, log10(x))
PROVISIONAL(cbrt, cbrt(x))
PROVISIONAL(erf, erf(x))
PROVISIONAL(sinc, x == 0 ? 1 : sin(3.141592653589793 * x) / (3.141592653589793 * x))
PROVISIONAL(sign, x > 0 ? 1 : x < 0 ? -1 : x)
PROVISIONAL(round, round(x))
PROVISIONAL(ceil, ceil(x))
PROVISIONAL(floor, floor(x))
PROVISIONAL_TWO(pow, pow(x, y))
PROVISIONAL_TWO(atan2, atan2(x, y))
PROVISIONAL_TWO(hypot, hypot(x, y))
PROVISIONAL_TWO(mod, x - y * floor(x / y))
#endif
