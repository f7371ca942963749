/* SPDX-License-Identifier: BSD-3-Clause */
/* Functions of `floats`. Provisional: point by point. */
#define PROVISIONAL_VECTOR(word)                                                         \
    FUNCTION floats floats_##word(floats x)                                              \
    {                                                                                    \
        return EACH_FLOAT(f32_##word(x[lane]));                                          \
    }                                                                                    \
    FUNCTION doubles doubles_##word(doubles x)                                           \
    {                                                                                    \
        return EACH_DOUBLE(f64_##word(x[lane]));                                         \
    }
#define PROVISIONAL_VECTOR_TWO(word)                                                     \
    FUNCTION floats floats_##word(floats x, floats y)                                    \
    {                                                                                    \
        return EACH_FLOAT(f32_##word(x[lane], y[lane]));                                 \
    }                                                                                    \
    FUNCTION doubles doubles_##word(doubles x, doubles y)                                \
    {                                                                                    \
        return EACH_DOUBLE(f64_##word(x[lane], y[lane]));                                \
    }
PROVISIONAL_VECTOR(sin)
PROVISIONAL_VECTOR(cos)
PROVISIONAL_VECTOR(tan)
PROVISIONAL_VECTOR(asin)
PROVISIONAL_VECTOR(acos)
PROVISIONAL_VECTOR(atan)
PROVISIONAL_VECTOR(sinh)
PROVISIONAL_VECTOR(cosh)
PROVISIONAL_VECTOR(tanh)
PROVISIONAL_VECTOR(exp)
PROVISIONAL_VECTOR(exp2)
PROVISIONAL_VECTOR(log)
PROVISIONAL_VECTOR(log2)
PROVISIONAL_VECTOR(log10)
PROVISIONAL_VECTOR(cbrt)
PROVISIONAL_VECTOR(erf)
PROVISIONAL_VECTOR(sinc)
PROVISIONAL_VECTOR(sign)
PROVISIONAL_VECTOR(round)
PROVISIONAL_VECTOR(ceil)
PROVISIONAL_VECTOR(floor)
PROVISIONAL_VECTOR_TWO(pow)
PROVISIONAL_VECTOR_TWO(atan2)
PROVISIONAL_VECTOR_TWO(hypot)
PROVISIONAL_VECTOR_TWO(mod)
