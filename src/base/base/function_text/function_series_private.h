/* SPDX-License-Identifier: BSD-3-Clause */
/* Polynomials and constants of function_text. Made by tools/functions. */
/* clang-format off */

/* ln 2. The first part times an integer below 2^11 is exact. */
#define OWN_LN2 0x1.62e42fefa3800p-1
#define OWN_LN2_LOW 0x1.ef35793c76730p-45

/* ln 2, all bits in the first part. */
#define OWN_LN2_FULL 0x1.62e42fefa39efp-1
#define OWN_LN2_FULL_LOW 0x1.abc9e3b39803fp-56

/* 1 / ln 2. */
#define OWN_LOG2_E 0x1.71547652b82fep+0

/* 1 / ln 10. */
#define OWN_LOG10_E 0x1.bcb7b1526e50ep-2
#define OWN_LOG10_E_LOW 0x1.95355baaafad3p-57

/* pi / 2. */
#define OWN_HALF_PI 0x1.921fb54442d18p+0
#define OWN_HALF_PI_LOW 0x1.1a62633145c07p-54
#define OWN_HALF_PI_LEAST -0x1.f1976b7ed8fbcp-110

/* pi / 4. */
#define OWN_QUARTER_PI 0x1.921fb54442d18p-1
#define OWN_QUARTER_PI_LOW 0x1.1a62633145c07p-55

/* pi. */
#define OWN_PI 0x1.921fb54442d18p+1
#define OWN_PI_LOW 0x1.1a62633145c07p-53

/* 2 / pi. */
#define OWN_TWO_OVER_PI 0x1.45f306dc9c883p-1

/* 1 / pi. */
#define OWN_ONE_OVER_PI 0x1.45f306dc9c883p-2

/* 2 / sqrt(pi). */
#define OWN_TWO_OVER_ROOT_PI 0x1.20dd750429b6dp+0
#define OWN_TWO_OVER_ROOT_PI_LOW 0x1.1ae3a914fed80p-56

/* The cube root of 2. */
#define OWN_CBRT_2 0x1.428a2f98d728bp+0

/* The cube root of 1 / 2. */
#define OWN_CBRT_HALF 0x1.965fea53d6e3dp-1

/* tan(pi / 8). */
#define OWN_TAN_EIGHTH_PI 0x1.a827999fcef32p-2

/* The bits of 2 / pi. */
#define OWN_LEADING_ZEROS 96
#if SCALAR
OWN_TABLE uint32_t own_two_over_pi[] = {
    0x00000000u, 0x00000000u, 0x00000000u, 0xa2f9836eu, 0x4e441529u, 0xfc2757d1u,
    0xf534ddc0u, 0xdb629599u, 0x3c439041u, 0xfe5163abu, 0xdebbc561u, 0xb7246e3au,
    0x424dd2e0u, 0x06492eeau, 0x09d1921cu, 0xfe1deb1cu, 0xb129a73eu, 0xe88235f5u,
    0x2ebb4484u, 0xe99c7026u, 0xb45f7e41u, 0x3991d639u, 0x835339f4u, 0x9c845f8bu,
    0xbdf9283bu, 0x1ff897ffu, 0xde05980fu, 0xef2f118bu, 0x5a0a6d1fu, 0x6d367ecfu,
    0x27cb09b7u, 0x4f463f66u, 0x9e5fea2du, 0x7527bac7u, 0xebe5f17bu, 0x3d0739f7u,
    0x8a5292eau, 0x6bfb5fb1u, 0x1f8d5d08u, 0x56033046u, 0xfc7b6babu, 0xf0cfbc20u};
#endif

/* (exp(z) - 1 - z - z^2/2) / z^3 for |z| <= ln(2) / 2, times z^3. Error 2^-60.31. */
FUNCTION REAL NAME(exp_series)(REAL z)
{
    const REAL w = z * z;

    return FMA(FMA(FMA(FMA(FMA(NUMBER(0x1.1f66d957d0ef0p-29), w,
        NUMBER(0x1.27e4e1f71bcbbp-22)), w, NUMBER(0x1.a01a01a47a5abp-16)), w,
        NUMBER(0x1.6c16c16c167e2p-10)), w, NUMBER(0x1.5555555555555p-5)), z,
        FMA(FMA(FMA(FMA(NUMBER(0x1.af389eea54156p-26), w,
        NUMBER(0x1.71de0db2eb873p-19)), w, NUMBER(0x1.a01a01a7c2f2cp-13)), w,
        NUMBER(0x1.11111111109b5p-7)), w, NUMBER(0x1.5555555555556p-3)));
}

/* (atanh(s) / s - 1) / z, z = s^2, for 1 / sqrt(2) <= (1 + s) / (1 - s) <= sqrt(2),
 * times z. Error 2^-71.41. */
#define OWN_LOG_0 0x1.5555555555555p-2
#define OWN_LOG_0_LOW 0x1.55551d294dcbfp-56
#define OWN_LOG_1 0x1.999999999999ap-3
#define OWN_LOG_1_LOW -0x1.8df473673678ep-57
FUNCTION REAL NAME(log_series)(REAL z)
{
    const REAL w = z * z;

    return FMA(FMA(FMA(FMA(NUMBER(0x1.bedb01af0c1fep-5), w,
        NUMBER(0x1.e2029616bb132p-5)), w, NUMBER(0x1.3b13b261100c9p-4)), w,
        NUMBER(0x1.c71c71c71f255p-4)), z, FMA(FMA(FMA(NUMBER(0x1.ab83e04a47f78p-5), w,
        NUMBER(0x1.1110b8d10b6bbp-4)), w, NUMBER(0x1.745d17437e31ap-4)), w,
        NUMBER(0x1.2492492492486p-3)));
}

/* (sin(r) / r - 1) / z, z = r^2, for |r| <= pi / 4, times z. Error 2^-66.22. */
#define OWN_SIN_0 -0x1.5555555555555p-3
#define OWN_SIN_0_LOW -0x1.54e7dfb0701a7p-57
FUNCTION REAL NAME(sin_series)(REAL z)
{
    const REAL w = z * z;

    return FMA(FMA(FMA(NUMBER(-0x1.ab17d3985bccep-41), w,
        NUMBER(-0x1.ae645412c4787p-26)), w, NUMBER(-0x1.a01a01a019938p-13)), z,
        FMA(FMA(NUMBER(0x1.61217f0ac7f98p-33), w, NUMBER(0x1.71de3a5460952p-19)), w,
        NUMBER(0x1.1111111111110p-7)));
}

/* (cos(r) - 1 + z/2) / z^2, z = r^2, for |r| <= pi / 4, times z^2. Error 2^-65.9. */
#define OWN_COS_0 0x1.5555555555555p-5
#define OWN_COS_0_LOW 0x1.553cfe5e27847p-59
FUNCTION REAL NAME(cos_series)(REAL z)
{
    const REAL w = z * z;

    return FMA(FMA(FMA(NUMBER(0x1.ab785aa02d659p-45), w, NUMBER(0x1.1eed8deb97423p-29)),
        w, NUMBER(0x1.a01a01a019d0ap-16)), z, FMA(FMA(NUMBER(-0x1.9394ba0c332d9p-37), w,
        NUMBER(-0x1.27e4fb7712d61p-22)), w, NUMBER(-0x1.6c16c16c16c16p-10)));
}

/* (atan(r) / r - 1) / z, z = r^2, for |r| <= tan(pi / 8), times z. Error 2^-61.1. */
#define OWN_ATAN_0 -0x1.5555555555555p-2
#define OWN_ATAN_0_LOW -0x1.548aaf0f37f65p-56
FUNCTION REAL NAME(atan_series)(REAL z)
{
    const REAL w = z * z;

    return FMA(FMA(FMA(FMA(FMA(FMA(NUMBER(-0x1.c8127778b1cb8p-7), w,
        NUMBER(-0x1.503c419ab5e6bp-5)), w, NUMBER(-0x1.aebd1f897f33ap-5)), w,
        NUMBER(-0x1.1110cee7f20f5p-4)), w, NUMBER(-0x1.745d1735650c4p-4)), w,
        NUMBER(-0x1.24924924920adp-3)), z,
        FMA(FMA(FMA(FMA(FMA(NUMBER(0x1.f5ef67cccdc42p-6), w,
        NUMBER(0x1.829ce2719aa01p-5)), w, NUMBER(0x1.e1d8e9bd1e98ap-5)), w,
        NUMBER(0x1.3b13aea9e727fp-4)), w, NUMBER(0x1.c71c71c6ddbfap-4)), w,
        NUMBER(0x1.9999999999997p-3)));
}

/* (asin(r) / r - 1) / z, z = r^2, for |r| <= 1 / 2, times z. Error 2^-61.71. */
#define OWN_ASIN_0 0x1.5555555555555p-3
#define OWN_ASIN_0_LOW 0x1.5536fa98a79b6p-57
FUNCTION REAL NAME(asin_series)(REAL z)
{
    const REAL w = z * z;

    return FMA(FMA(FMA(FMA(FMA(FMA(FMA(NUMBER(-0x1.dfdd83264a978p-6), w,
        NUMBER(-0x1.641b6703bb104p-9)), w, NUMBER(0x1.c232290f7ae75p-8)), w,
        NUMBER(0x1.3fa92e3923959p-7)), w, NUMBER(0x1.c99964e8e2de8p-7)), w,
        NUMBER(0x1.6e8ba2e2f8089p-6)), w, NUMBER(0x1.6db6db6db6c75p-5)), z,
        FMA(FMA(FMA(FMA(FMA(FMA(FMA(NUMBER(0x1.06c051be25377p-5), w,
        NUMBER(0x1.b20b9dc229eb5p-6)), w, NUMBER(0x1.1e6dafec868fcp-7)), w,
        NUMBER(0x1.14f7ebcffc822p-7)), w, NUMBER(0x1.7a8b73dc1b007p-7)), w,
        NUMBER(0x1.1c4ec5dfe81d9p-6)), w, NUMBER(0x1.f1c71c71dc217p-6)), w,
        NUMBER(0x1.3333333333334p-4)));
}

/* (erf(r) sqrt(pi) / (2 r) - 1) / z, z = r^2, for |r| <= 1, times z. Error 2^-60.54. */
#define OWN_ERF_0 -0x1.5555555555555p-2
#define OWN_ERF_0_LOW -0x1.4c84df1cf29bfp-56
#define OWN_ERF_1 0x1.9999999999990p-4
#define OWN_ERF_1_LOW -0x1.4614c425920d5p-58
FUNCTION REAL NAME(erf_series)(REAL z)
{
    const REAL w = z * z;

    return FMA(FMA(FMA(FMA(FMA(NUMBER(0x1.e14aa1a8a3308p-35), w,
        NUMBER(0x1.bf64d5706e634p-27)), w, NUMBER(0x1.879bf086df95cp-20)), w,
        NUMBER(0x1.c01bffe1bdedep-14)), w, NUMBER(0x1.2f684bd9f05f2p-8)), z,
        FMA(FMA(FMA(FMA(NUMBER(-0x1.18274df4ab752p-30), w,
        NUMBER(-0x1.37438331337bap-23)), w, NUMBER(-0x1.bbd742eaf3462p-17)), w,
        NUMBER(-0x1.8d3018c88bf15p-11)), w, NUMBER(-0x1.8618618617eb3p-6)));
}

/* erfc(x) exp(x^2) of z = (x - 1.125) / (x + 1.125) for 1 <= x <= 6,
 * times exp(-x^2). Error 2^-60.55. */
#define OWN_ERFC_0 0x1.9531e09b149b5p-2
#define OWN_ERFC_0_LOW -0x1.b4620d251090fp-58
FUNCTION REAL NAME(erfc_series)(REAL z)
{
    const REAL w = z * z;

    return FMA(FMA(FMA(FMA(FMA(FMA(FMA(FMA(FMA(NUMBER(-0x1.146e351c479e2p-11), w,
        NUMBER(-0x1.bbf8512caf913p-10)), w, NUMBER(-0x1.12fb8c1c401fcp-10)), w,
        NUMBER(-0x1.387037f100300p-12)), w, NUMBER(0x1.24f80369b51b9p-17)), w,
        NUMBER(0x1.300f95c62b1bdp-10)), w, NUMBER(-0x1.7236da6ebc705p-9)), w,
        NUMBER(-0x1.76c999a755ee6p-8)), w, NUMBER(0x1.c9d1e7a4a1ed8p-4)), z,
        FMA(FMA(FMA(FMA(FMA(FMA(FMA(FMA(FMA(NUMBER(0x1.89e68c7ca0f58p-14), w,
        NUMBER(0x1.4471ffd473e64p-10)), w, NUMBER(0x1.a7841e3d61e9bp-10)), w,
        NUMBER(0x1.dff06d64c1cefp-12)), w, NUMBER(-0x1.c4c3f9f2689b3p-14)), w,
        NUMBER(0x1.13d98c9cfa4e3p-11)), w, NUMBER(0x1.8beca87bd0842p-11)), w,
        NUMBER(-0x1.33a75fceedf2ep-7)), w, NUMBER(0x1.67beb1ee20a15p-5)), w,
        NUMBER(-0x1.123e4e0a2f8d9p-1)));
}

/* (exp(r) - 1) / r for |r| <= ln(2) / 2, relative. Error 2^-43.35. */
FUNCTION REAL NAME(near_exp_series)(REAL z)
{
    const REAL w = z * z;

    return FMA(FMA(FMA(FMA(NUMBER(0x1.a15a4fc103094p-16), w,
        NUMBER(0x1.6c164df426e43p-10)), w, NUMBER(0x1.5555557428e4ap-5)), w,
        NUMBER(0x1.fffffffff71cfp-2)), z, FMA(FMA(FMA(FMA(NUMBER(0x1.72c720d005e4bp-19),
        w, NUMBER(0x1.a019adabe6699p-13)), w, NUMBER(0x1.1111111c45d9fp-7)), w,
        NUMBER(0x1.5555555553b7dp-3)), w, NUMBER(0x1.p+0)));
}

/* log(1 + f) / f for 1 / sqrt(2) <= 1 + f <= sqrt(2), relative. Error 2^-46.17. */
FUNCTION REAL NAME(near_log_series)(REAL z)
{
    const REAL w = z * z;

    return FMA(FMA(FMA(FMA(FMA(FMA(FMA(FMA(NUMBER(-0x1.308552cd88743p-4), w,
        NUMBER(-0x1.25e842cc2c6d4p-4)), w, NUMBER(-0x1.545376652841bp-4)), w,
        NUMBER(-0x1.99b2c1a3e0686p-4)), w, NUMBER(-0x1.fffee70b4336ap-4)), w,
        NUMBER(-0x1.5555584a6a38bp-3)), w, NUMBER(-0x1.fffffff9295f4p-3)), w,
        NUMBER(-0x1.0000000001207p-1)), z,
        FMA(FMA(FMA(FMA(FMA(FMA(FMA(FMA(NUMBER(0x1.22d63f85c5ab5p-5), w,
        NUMBER(0x1.3fd79666d763dp-4)), w, NUMBER(0x1.34407f433c482p-4)), w,
        NUMBER(0x1.74d87e6dff30bp-4)), w, NUMBER(0x1.c717cab802c92p-4)), w,
        NUMBER(0x1.2492550d6860fp-3)), w, NUMBER(0x1.9999997be3014p-3)), w,
        NUMBER(0x1.5555555563d29p-2)), w, NUMBER(0x1.fffffffffffecp-1)));
}

/* sin(r) / r, z = r^2, for |r| <= pi / 2, relative. Error 2^-43.54. */
FUNCTION REAL NAME(near_sin_series)(REAL z)
{
    const REAL w = z * z;

    return FMA(FMA(FMA(NUMBER(-0x1.ae04488789176p-26), w,
        NUMBER(-0x1.a019fd48ebf70p-13)), w, NUMBER(-0x1.5555555543bddp-3)), z,
        FMA(FMA(FMA(NUMBER(0x1.52e572937b1f9p-33), w, NUMBER(0x1.71dcf81f05f03p-19)), w,
        NUMBER(0x1.11111109eefb9p-7)), w, NUMBER(0x1.ffffffffffe3ap-1)));
}

/* atan(r) / r, z = r^2, for |r| <= 1, relative. Error 2^-41.65. */
FUNCTION REAL NAME(near_atan_series)(REAL z)
{
    const REAL w = z * z;

    return FMA(FMA(FMA(FMA(FMA(FMA(FMA(NUMBER(-0x1.807a77421f2f7p-10), w,
        NUMBER(-0x1.f323674b044a5p-7)), w, NUMBER(-0x1.5ab9279e2b201p-5)), w,
        NUMBER(-0x1.0bb9539dc5436p-4)), w, NUMBER(-0x1.742d65ac65c77p-4)), w,
        NUMBER(-0x1.24922161af34dp-3)), w, NUMBER(-0x1.5555555316212p-2)), z,
        FMA(FMA(FMA(FMA(FMA(FMA(FMA(NUMBER(0x1.657b3ba0095aep-13), w,
        NUMBER(0x1.850bdf56a80b6p-8)), w, NUMBER(0x1.d17abe7889664p-6)), w,
        NUMBER(0x1.bf2393efe8459p-5)), w, NUMBER(0x1.39e23d1599a8ep-4)), w,
        NUMBER(0x1.c717834559cfep-4)), w, NUMBER(0x1.999998469d323p-3)), w,
        NUMBER(0x1.ffffffffff5ccp-1)));
}

/* asin(r) / r, z = r^2, for |r| <= 1 / 2, relative. Error 2^-43.87. */
FUNCTION REAL NAME(near_asin_series)(REAL z)
{
    const REAL w = z * z;

    return FMA(FMA(FMA(FMA(FMA(NUMBER(0x1.05af6a78bec66p-5), w,
        NUMBER(0x1.315f91ce454b4p-6)), w, NUMBER(0x1.703109f1e31b1p-6)), w,
        NUMBER(0x1.6db76c4073936p-5)), w, NUMBER(0x1.55555556ba261p-3)), z,
        FMA(FMA(FMA(FMA(NUMBER(-0x1.76633841944a1p-9), w, NUMBER(0x1.0de3abdd2358ep-6)),
        w, NUMBER(0x1.f1aa2e3259ba2p-6)), w, NUMBER(0x1.333331c54a5c9p-4)), w,
        NUMBER(0x1.ffffffffffe37p-1)));
}

/* The cube root for 1 / sqrt(2) <= z <= sqrt(2), a first guess. Error 2^-19.26. */
FUNCTION REAL NAME(cbrt_series)(REAL z)
{
    const REAL w = z * z;

    return FMA(FMA(FMA(NUMBER(0x1.a2dfec4a72870p-6), w, NUMBER(0x1.fb6e95d10c7dfp-2)),
        w, NUMBER(0x1.0c452fa1d5b51p+0)), z, FMA(FMA(NUMBER(-0x1.60a3892bd13e0p-3), w,
        NUMBER(-0x1.a3eba8ab9e21bp-1)), w, NUMBER(0x1.b17799571fb4fp-2)));
}
