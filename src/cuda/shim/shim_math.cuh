/* SPDX-License-Identifier: BSD-3-Clause */
// Numbers: the host's library under the names that CUDA has, of which it knows both forms, and conversions of bits.
#define EMULATED_ONE(name)                                                               \
    extern "C" double name(double) noexcept;                                             \
    extern "C" float name##f(float) noexcept;                                            \
    static inline float name(float x) { return name##f(x); }
#define EMULATED_TWO(name)                                                               \
    extern "C" double name(double, double) noexcept;                                     \
    extern "C" float name##f(float, float) noexcept;                                     \
    static inline float name(float x, float y) { return name##f(x, y); }
EMULATED_ONE(sqrt)
EMULATED_ONE(cbrt)
EMULATED_ONE(fabs)
EMULATED_ONE(floor)
EMULATED_ONE(ceil)
EMULATED_ONE(trunc)
EMULATED_ONE(round)
EMULATED_ONE(rint)
EMULATED_ONE(nearbyint)
EMULATED_ONE(exp)
EMULATED_ONE(exp2)
EMULATED_ONE(expm1)
EMULATED_ONE(log)
EMULATED_ONE(log2)
EMULATED_ONE(log10)
EMULATED_ONE(log1p)
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
static inline float fma(float x, float y, float z) { return fmaf(x, y, z); }
static inline double rsqrt(double x) { return 1.0 / sqrt(x); }
static inline float rsqrtf(float x) { return 1.0f / sqrtf(x); }

static inline bool isnan(double x) { return __builtin_isnan(x); }
static inline bool isinf(double x) { return __builtin_isinf(x); }
static inline bool isfinite(double x) { return __builtin_isfinite(x); }
static inline bool signbit(double x) { return __builtin_signbit(x); }
static inline bool isnan(float x) { return __builtin_isnan(x); }
static inline bool isinf(float x) { return __builtin_isinf(x); }
static inline bool isfinite(float x) { return __builtin_isfinite(x); }
static inline bool signbit(float x) { return __builtin_signbit(x); }

#define EMULATED_EXTREMES(type)                                                          \
    static inline type min(type a, type b) { return b < a ? b : a; }                     \
    static inline type max(type a, type b) { return a < b ? b : a; }
EMULATED_EXTREMES(int)
EMULATED_EXTREMES(unsigned)
EMULATED_EXTREMES(long)
EMULATED_EXTREMES(unsigned long)
EMULATED_EXTREMES(long long)
EMULATED_EXTREMES(unsigned long long)
static inline float min(float a, float b) { return fminf(a, b); }
static inline float max(float a, float b) { return fmaxf(a, b); }
static inline double min(double a, double b) { return fmin(a, b); }
static inline double max(double a, double b) { return fmax(a, b); }
extern "C" int abs(int) noexcept;
static inline long long abs(long long x) { return x < 0 ? -x : x; }
static inline long abs(long x) { return x < 0 ? -x : x; }
static inline float abs(float x) { return fabsf(x); }
static inline double abs(double x) { return fabs(x); }

// Each rounded once, to nearest, and never joined with another.
#define EMULATED_ROUNDED(type, letter)                                                   \
    static inline type __##letter##add_rn(type a, type b) { return a + b; }              \
    static inline type __##letter##sub_rn(type a, type b) { return a - b; }              \
    static inline type __##letter##mul_rn(type a, type b) { return a * b; }              \
    static inline type __##letter##div_rn(type a, type b) { return a / b; }              \
    static inline type __##letter##rcp_rn(type a) { return 1 / a; }                      \
    static inline type __##letter##sqrt_rn(type a) { return sqrt(a); }
EMULATED_ROUNDED(float, f)
EMULATED_ROUNDED(double, d)
static inline float __fmaf_rn(float x, float y, float z) { return fmaf(x, y, z); }
static inline double __fma_rn(double x, double y, double z) { return fma(x, y, z); }
static inline float __double2float_rn(double x) { return static_cast<float>(x); }
static inline float __int2float_rn(int x) { return static_cast<float>(x); }
static inline double __int2double_rn(int x) { return x; }
static inline float __ll2float_rn(long long x) { return static_cast<float>(x); }
static inline double __ll2double_rn(long long x) { return static_cast<double>(x); }
static inline int __float2int_rz(float x) { return static_cast<int>(x); }

template <class To, class From> static inline To emulated_bits(From from)
{
    To to;

    static_assert(sizeof to == sizeof from, "bits are kept, none added");
    __builtin_memcpy(&to, &from, sizeof to);
    return to;
}
static inline unsigned __float_as_uint(float x) { return emulated_bits<unsigned>(x); }
static inline int __float_as_int(float x) { return emulated_bits<int>(x); }
static inline float __uint_as_float(unsigned x) { return emulated_bits<float>(x); }
static inline float __int_as_float(int x) { return emulated_bits<float>(x); }
static inline long long __double_as_longlong(double x) { return emulated_bits<long long>(x); }
static inline double __longlong_as_double(long long x) { return emulated_bits<double>(x); }
static inline double __hiloint2double(int high, int low)
{
    return emulated_bits<double>(static_cast<unsigned long long>(static_cast<unsigned>(high))
                                     << 32 |
                                 static_cast<unsigned>(low));
}
static inline int __double2hiint(double x) { return static_cast<int>(__double_as_longlong(x) >> 32); }
static inline int __double2loint(double x) { return static_cast<int>(__double_as_longlong(x)); }

static inline int __popc(unsigned x) { return __builtin_popcount(x); }
static inline int __popcll(unsigned long long x) { return __builtin_popcountll(x); }
static inline int __clz(int x) { return x ? __builtin_clz(static_cast<unsigned>(x)) : 32; }
static inline int __ffs(int x) { return __builtin_ffs(x); }
