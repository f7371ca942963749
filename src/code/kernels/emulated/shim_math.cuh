/* SPDX-License-Identifier: BSD-3-Clause */
// Arithmetic: the host's mathematical library under the names of CUDA, with an overload
// for each precision, and conversions of bits.
#define EMULATED_ONE(name)                                                               \
    extern "C" double name(double) noexcept;                                             \
    extern "C" float name##f(float) noexcept;                                            \
    static inline float name(float x)                                                    \
    {                                                                                    \
        return name##f(x);                                                               \
    }
#define EMULATED_TWO(name)                                                               \
    extern "C" double name(double, double) noexcept;                                     \
    extern "C" float name##f(float, float) noexcept;                                     \
    static inline float name(float x, float y)                                           \
    {                                                                                    \
        return name##f(x, y);                                                            \
    }
EMULATED_ONE(sqrt)
EMULATED_ONE(cbrt)
EMULATED_ONE(fabs)
EMULATED_ONE(floor)
EMULATED_ONE(ceil)
EMULATED_ONE(trunc)
EMULATED_ONE(round)
EMULATED_ONE(rint)
EMULATED_ONE(exp)
EMULATED_ONE(exp2)
EMULATED_ONE(log)
EMULATED_ONE(log2)
EMULATED_ONE(log10)
EMULATED_ONE(sin)
EMULATED_ONE(cos)
EMULATED_ONE(tan)
EMULATED_ONE(asin)
EMULATED_ONE(acos)
EMULATED_ONE(atan)
EMULATED_ONE(sinh)
EMULATED_ONE(cosh)
EMULATED_ONE(tanh)
EMULATED_ONE(erf)
EMULATED_ONE(erfc)
EMULATED_TWO(pow)
EMULATED_TWO(atan2)
EMULATED_TWO(fmod)
EMULATED_TWO(fmin)
EMULATED_TWO(fmax)
EMULATED_TWO(hypot)
EMULATED_TWO(copysign)
extern "C" double fma(double, double, double) noexcept;
extern "C" float fmaf(float, float, float) noexcept;
static inline float fma(float x, float y, float z)
{
    return fmaf(x, y, z);
}

#define EMULATED_KIND(name)                                                              \
    static inline bool name(double x)                                                    \
    {                                                                                    \
        return __builtin_##name(x);                                                      \
    }                                                                                    \
    static inline bool name(float x)                                                     \
    {                                                                                    \
        return __builtin_##name(x);                                                      \
    }
EMULATED_KIND(isnan)
EMULATED_KIND(isinf)
EMULATED_KIND(isfinite)
EMULATED_KIND(signbit)

#define EMULATED_EXTREMES(type)                                                          \
    static inline type min(type a, type b)                                               \
    {                                                                                    \
        return b < a ? b : a;                                                            \
    }                                                                                    \
    static inline type max(type a, type b)                                               \
    {                                                                                    \
        return a < b ? b : a;                                                            \
    }
EMULATED_EXTREMES(int)
EMULATED_EXTREMES(unsigned)
EMULATED_EXTREMES(long)
EMULATED_EXTREMES(unsigned long)
EMULATED_EXTREMES(long long)
EMULATED_EXTREMES(unsigned long long)
static inline double min(double a, double b)
{
    return fmin(a, b);
}
static inline double max(double a, double b)
{
    return fmax(a, b);
}

template <class To, class From> static inline To emulated_bits(From from)
{
    To to;

    static_assert(sizeof to == sizeof from, "bits are kept, none added");
    __builtin_memcpy(&to, &from, sizeof to);
    return to;
}
static inline unsigned __float_as_uint(float x)
{
    return emulated_bits<unsigned>(x);
}
static inline float __int_as_float(int x)
{
    return emulated_bits<float>(x);
}
static inline long long __double_as_longlong(double x)
{
    return emulated_bits<long long>(x);
}
static inline double __longlong_as_double(long long x)
{
    return emulated_bits<double>(x);
}
static inline double __hiloint2double(int high, int low)
{
    return emulated_bits<double>(
        static_cast<unsigned long long>(static_cast<unsigned>(high)) << 32 |
        static_cast<unsigned>(low));
}
