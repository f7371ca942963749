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

/* ln 2 / 16. */
#define OWN_EXP_STEP 0x1.62e42fefa39efp-5
#define OWN_EXP_STEP_LOW 0x1.abc9e3b39803fp-60

/* 16 / ln 2. */
#define OWN_EXP_STEPS 0x1.71547652b82fep+4

/* 1 / ln 10. */
#define OWN_LOG10_E 0x1.bcb7b1526e50ep-2
#define OWN_LOG10_E_LOW 0x1.95355baaafad3p-57

/* pi / 2. */
#define OWN_HALF_PI 0x1.921fb54442d18p+0
#define OWN_HALF_PI_LOW 0x1.1a62633145c07p-54

/* pi. */
#define OWN_PI 0x1.921fb54442d18p+1
#define OWN_PI_LOW 0x1.1a62633145c07p-53

/* pi / 16. */
#define OWN_SIN_STEP 0x1.921fb54442d18p-3
#define OWN_SIN_STEP_LOW 0x1.1a62633145c07p-57
#define OWN_SIN_STEP_LEAST -0x1.f1976b7ed8fbcp-113

/* 16 / pi. */
#define OWN_SIN_STEPS 0x1.45f306dc9c883p+2

/* 1 / pi. */
#define OWN_ONE_OVER_PI 0x1.45f306dc9c883p-2

/* 2 / sqrt(pi) - 1. */
#define OWN_ERF_SLOPE 0x1.06eba8214db69p-3

/* The cube root of 2. */
#define OWN_CBRT_2 0x1.428a2f98d728bp+0
#define OWN_CBRT_2_LOW -0x1.ddc22548ea41ep-56

/* The cube root of 1 / 2. */
#define OWN_CBRT_HALF 0x1.965fea53d6e3dp-1
#define OWN_CBRT_HALF_LOW -0x1.f53e999952f09p-55

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

/* 2^(j/16), in two parts. */
#if SCALAR
OWN_TABLE double own_exp[][16] = {
    {0x1.p+0, 0x1.0b5586cf9890fp+0, 0x1.172b83c7d517bp+0, 0x1.2387a6e756238p+0,
     0x1.306fe0a31b715p+0, 0x1.3dea64c123422p+0, 0x1.4bfdad5362a27p+0,
     0x1.5ab07dd485429p+0, 0x1.6a09e667f3bcdp+0, 0x1.7a11473eb0187p+0,
     0x1.8ace5422aa0dbp+0, 0x1.9c49182a3f090p+0, 0x1.ae89f995ad3adp+0,
     0x1.c199bdd85529cp+0, 0x1.d5818dcfba487p+0, 0x1.ea4afa2a490dap+0},
    {0x0.0p+0, 0x1.8a62e4adc610bp-54, -0x1.19041b9d78a76p-55, 0x1.9b07eb6c70573p-54,
     0x1.6f46ad23182e4p-55, 0x1.ada0911f09ebcp-55, 0x1.d4397afec42e2p-56,
     0x1.6324c054647adp-54, -0x1.bdd3413b26456p-54, -0x1.41577ee04992fp-55,
     0x1.6e9f156864b27p-54, 0x1.c7c46b071f2bep-56, 0x1.7a1cd345dcc81p-54,
     0x1.11065895048ddp-55, 0x1.2ed02d75b3707p-55, -0x1.e9c23179c2893p-54}};
#endif

/* sin(j pi/16) in two parts, and cos. */
#if SCALAR
OWN_TABLE double own_sin[][16] = {
    {0x0.0p+0, 0x1.8f8b83c69a60bp-3, 0x1.87de2a6aea963p-2, 0x1.1c73b39ae68c8p-1,
     0x1.6a09e667f3bcdp-1, 0x1.a9b66290ea1a3p-1, 0x1.d906bcf328d46p-1,
     0x1.f6297cff75cb0p-1, 0x1.p+0, 0x1.f6297cff75cb0p-1, 0x1.d906bcf328d46p-1,
     0x1.a9b66290ea1a3p-1, 0x1.6a09e667f3bcdp-1, 0x1.1c73b39ae68c8p-1,
     0x1.87de2a6aea963p-2, 0x1.8f8b83c69a60bp-3},
    {0x0.0p+0, -0x1.26d19b9ff8d82p-57, -0x1.72cedd3d5a610p-57, 0x1.b25dd267f6600p-55,
     -0x1.bdd3413b26456p-55, 0x1.9f630e8b6dac8p-60, 0x1.457e610231ac2p-56,
     0x1.562172a361fd3p-56, 0x0.0p+0, 0x1.562172a361fd3p-56, 0x1.457e610231ac2p-56,
     0x1.9f630e8b6dac8p-60, -0x1.bdd3413b26456p-55, 0x1.b25dd267f6600p-55,
     -0x1.72cedd3d5a610p-57, -0x1.26d19b9ff8d82p-57},
    {0x1.p+0, 0x1.f6297cff75cb0p-1, 0x1.d906bcf328d46p-1, 0x1.a9b66290ea1a3p-1,
     0x1.6a09e667f3bcdp-1, 0x1.1c73b39ae68c8p-1, 0x1.87de2a6aea963p-2,
     0x1.8f8b83c69a60bp-3, 0x0.0p+0, -0x1.8f8b83c69a60bp-3, -0x1.87de2a6aea963p-2,
     -0x1.1c73b39ae68c8p-1, -0x1.6a09e667f3bcdp-1, -0x1.a9b66290ea1a3p-1,
     -0x1.d906bcf328d46p-1, -0x1.f6297cff75cb0p-1},
    {0x0.0p+0, 0x1.562172a361fd3p-56, 0x1.457e610231ac2p-56, 0x1.9f630e8b6dac8p-60,
     -0x1.bdd3413b26456p-55, 0x1.b25dd267f6600p-55, -0x1.72cedd3d5a610p-57,
     -0x1.26d19b9ff8d82p-57, 0x0.0p+0, 0x1.26d19b9ff8d82p-57, 0x1.72cedd3d5a610p-57,
     -0x1.b25dd267f6600p-55, 0x1.bdd3413b26456p-55, -0x1.9f630e8b6dac8p-60,
     -0x1.457e610231ac2p-56, -0x1.562172a361fd3p-56}};
#endif

#define OWN_LOG_EDGE 0x3fe6860000000000u

/* c, near 1 / m in part j of the mantissas m; -log(c) in two parts, of which
 * the first is a multiple of 2^-42; -log(c) in one part. */
#if SCALAR
OWN_TABLE double own_log[][16] = {
    {0x1.6000000000000p+0, 0x1.5800000000000p+0, 0x1.4800000000000p+0,
     0x1.3800000000000p+0, 0x1.3000000000000p+0, 0x1.2800000000000p+0,
     0x1.1800000000000p+0, 0x1.1000000000000p+0, 0x1.0800000000000p+0, 0x1.p+0,
     0x1.e000000000000p-1, 0x1.c800000000000p-1, 0x1.b000000000000p-1,
     0x1.9800000000000p-1, 0x1.8800000000000p-1, 0x1.7000000000000p-1},
    {-0x1.4618bc21c6000p-2, -0x1.2e8e2bae12000p-2, -0x1.fb9186d5e4000p-3,
     -0x1.9525a9cf46000p-3, -0x1.5ff3070a7a000p-3, -0x1.29552f8200000p-3,
     -0x1.6f0d28ae58000p-4, -0x1.f0a30c0118000p-5, -0x1.f829b0e780000p-6, 0x0.0p+0,
     0x1.08598b59e4000p-4, 0x1.da72763844000p-4, 0x1.5bf406b544000p-3,
     0x1.d1037f2656000p-3, 0x1.1178e8227e000p-2, 0x1.522ae0738a000p-2},
    {0x1.3d82f484c84ccp-46, 0x1.67b1e99b72bd8p-45, 0x1.d572aab993c87p-47,
     0x1.297137d9f158fp-44, 0x1.8586f183bebf2p-44, 0x1.5b967f4471dfcp-44,
     0x1.4b4641b664613p-44, 0x1.d599e83368e91p-45, -0x1.980267c7e09e4p-45, 0x0.0p+0,
     -0x1.7e5dd7009902cp-46, 0x1.a89401fa71733p-46, -0x1.27023eb68981cp-46,
     -0x1.84a7e75b6f6e4p-47, 0x1.1ef78ce2d07f2p-44, 0x1.ebe708164c759p-45},
    {-0x1.4618bc21c5ec2p-2, -0x1.2e8e2bae11d31p-2, -0x1.fb9186d5e3e2bp-3,
     -0x1.9525a9cf456b4p-3, -0x1.5ff3070a793d4p-3, -0x1.29552f81ff523p-3,
     -0x1.6f0d28ae56b4cp-4, -0x1.f0a30c01162a6p-5, -0x1.f829b0e783300p-6, 0x0.0p+0,
     0x1.08598b59e3a07p-4, 0x1.da727638446a2p-4, 0x1.5bf406b543db2p-3,
     0x1.d1037f2655e7bp-3, 0x1.1178e8227e47cp-2, 0x1.522ae0738a3d8p-2}};
#endif

/* The cube root of 1 / c, in two parts. */
#if SCALAR
OWN_TABLE double own_cbrt[][16] = {
    {0x1.cc6f8f0d0ed75p-1, 0x1.cffa4c79340a8p-1, 0x1.d76712c8be446p-1,
     0x1.df53ac06f02fcp-1, 0x1.e37ebfafc64a5p-1, 0x1.e7cff05e5a83ep-1,
     0x1.f0eeaea9e562ap-1, 0x1.f5c1da80ebfdbp-1, 0x1.fac66ff1c35cbp-1, 0x1.p+0,
     0x1.059123d3a9848p+0, 0x1.0a13de8970de4p+0, 0x1.0eea9c37e497ep+0,
     0x1.1420adb77c99ap+0, 0x1.17d5a2156e97fp+0, 0x1.1dca4b237a4f7p+0},
    {0x1.1bcfe413b2229p-55, -0x1.fcb87bb631168p-56, -0x1.3c9c36ed988f1p-57,
     -0x1.7685e3f2a2a8bp-57, -0x1.2a333318dcb7ap-57, 0x1.affb80d406927p-56,
     -0x1.de1371cb194aep-55, 0x1.8b37200e34c42p-57, 0x1.25547d9446f1fp-55, 0x0.0p+0,
     0x1.70e4a1da627b9p-56, 0x1.7cda80e49c8b8p-56, -0x1.4e29bbbb8ca06p-54,
     0x1.18d92d001f1e2p-54, -0x1.2e32314ef035ep-54, -0x1.8862ffaafa639p-56}};
#endif

/* Tangents of directions up to pi/4. Their angles in two parts: up to pi/4,
 * above, and both left of the y axis. */
#if SCALAR
OWN_TABLE double own_direction[][16] = {
    {0x0.0p+0, 0x1.4000000000000p-2, 0x1.7000000000000p-1, 0x0.0p+0, 0x0.0p+0,
     0x1.4000000000000p-2, 0x1.7000000000000p-1, 0x0.0p+0, 0x0.0p+0,
     0x1.4000000000000p-2, 0x1.7000000000000p-1, 0x0.0p+0, 0x0.0p+0,
     0x1.4000000000000p-2, 0x1.7000000000000p-1, 0x0.0p+0},
    {0x0.0p+0, 0x1.362773707ebccp-2, 0x1.3f13fb89e96f4p-1, 0x0.0p+0,
     0x1.921fb54442d18p+0, 0x1.4495d86823225p+0, 0x1.e52b6efe9c33cp-1,
     0x1.921fb54442d18p+0, 0x1.921fb54442d18p+1, 0x1.6b5ac6d632f9fp+1,
     0x1.425ab661c875bp+1, 0x1.921fb54442d18p+1, 0x1.921fb54442d18p+0,
     0x1.dfa992206280bp+0, 0x1.18d4d9849bc49p+1, 0x1.921fb54442d18p+0},
    {0x0.0p+0, -0x1.963a544b672d8p-57, 0x1.ecf8b492644f0p-56, 0x0.0p+0,
     0x1.1a62633145c07p-54, 0x1.4d29adbab2a62p-54, 0x1.3e486c1959596p-55,
     0x1.1a62633145c07p-54, 0x1.1a62633145c07p-53, -0x1.9873ef1407997p-54,
     0x1.b986993df26d2p-54, 0x1.1a62633145c07p-53, 0x1.1a62633145c07p-54,
     0x1.cf36314fb1b58p-55, 0x1.95a09055ded43p-54, 0x1.1a62633145c07p-54}};
#endif

/* Part j of sines ends at (j + 1/2 + OWN_ARC_SHIFT) / OWN_ARC_PARTS. */
#define OWN_ARC_PARTS 22.0
#define OWN_ARC_SHIFT 0x1.4000000000000p-3

/* Angles up to pi/4, their sines and cosines, each in two parts. */
#if SCALAR
OWN_TABLE double own_arc[][16] = {
    {0x0.0p+0, 0x1.aebe70fb81546p-5, 0x1.92199f1844494p-4, 0x1.26d5e6a218443p-3,
     0x1.853f962b3fb76p-3, 0x1.e481c0fce7134p-3, 0x1.226c60f372269p-2,
     0x1.53437d7968f4ep-2, 0x1.84eb64e18882cp-2, 0x1.b78e8764842d2p-2,
     0x1.eb5e45e6b6f7bp-2, 0x1.104aa108a9be0p-1, 0x1.2bbd527e58ce5p-1,
     0x1.48337643a8626p-1, 0x1.65e59ebcbc901p-1, 0x1.851e8a76df88fp-1},
    {0x0.0p+0, -0x1.ef425bfad782ap-59, -0x1.5cda26baa3c29p-58, -0x1.bf0698c128f03p-58,
     -0x1.dbeb65acd5598p-61, 0x1.c9bcb7ab7132bp-62, -0x1.3eb168ce19a2bp-57,
     0x1.822032629bca9p-56, 0x1.11541fe2c9eb4p-57, -0x1.aaf256d7060fep-56,
     0x1.557b0b1993f0ap-57, 0x1.077d852335c3cp-57, -0x1.690316bc9bdeap-55,
     -0x1.d9a306d3f1ab8p-56, -0x1.96c8d728b9bc2p-56, 0x1.91bfc38073b65p-58},
    {0x0.0p+0, 0x1.ae8ba2e8ba2e9p-5, 0x1.91745d1745d17p-4, 0x1.25d1745d1745dp-3,
     0x1.82e8ba2e8ba2fp-3, 0x1.e000000000000p-3, 0x1.1e8ba2e8ba2e9p-2,
     0x1.4d1745d1745d1p-2, 0x1.7ba2e8ba2e8bap-2, 0x1.aa2e8ba2e8ba3p-2,
     0x1.d8ba2e8ba2e8cp-2, 0x1.03a2e8ba2e8bap-1, 0x1.1ae8ba2e8ba2fp-1,
     0x1.322e8ba2e8ba3p-1, 0x1.49745d1745d17p-1, 0x1.60ba2e8ba2e8cp-1},
    {0x0.0p+0, -0x1.1745d1745d174p-59, 0x1.1745d1745d174p-58, 0x1.745d1745d1746p-59,
     -0x1.d1745d1745d17p-57, 0x0.0p+0, -0x1.1745d1745d174p-56, 0x1.d1745d1745d17p-56,
     0x1.745d1745d1746p-57, -0x1.745d1745d1746p-58, -0x1.745d1745d1746p-56,
     0x1.745d1745d1746p-56, -0x1.d1745d1745d17p-55, -0x1.745d1745d1746p-57,
     0x1.1745d1745d174p-55, -0x1.745d1745d1746p-55},
    {0x1.p+0, 0x1.ff4ad99b4feedp-1, 0x1.fd88ed5435893p-1, 0x1.fab4181cead3fp-1,
     0x1.f6c7b5023755bp-1, 0x1.f1bd27b9002c4p-1, 0x1.eb8ba25bb00ffp-1,
     0x1.e427d32366681p-1, 0x1.db83729c85747p-1, 0x1.d18ca6ee0f8a7p-1,
     0x1.c62d2aa627e1cp-1, 0x1.b9491b70f9f95p-1, 0x1.aabd440099224p-1,
     0x1.9a5c95ed41befp-1, 0x1.87ec4f1ffc210p-1, 0x1.731dd43977432p-1},
    {0x0.0p+0, -0x1.e228207d0cb4fp-55, -0x1.f19588a85408dp-55, -0x1.f6f0a3ac75ff1p-55,
     0x1.f84ddab5f6a8ap-57, 0x1.56e59d2cf3bc3p-56, 0x1.e2af6e0bcc558p-55,
     0x1.62f590ae96b5cp-57, -0x1.49839454a27a6p-56, 0x1.8e1251a01f874p-55,
     -0x1.2baeff9f923eap-57, 0x1.01a5f7f7dad97p-57, -0x1.ac0bed8c97f08p-55,
     0x1.53b511998992dp-55, 0x1.e4b09a8dd92aep-57, -0x1.2175f9305f9b1p-57}};
#endif

/* (exp(z) - 1 - z) / z^2 for |z| <= ln(2) / 32, times z^2. Error 2^-64.43. */
FUNCTION REAL NAME(exp_series)(REAL z)
{
    const REAL w = z * z;

    return FMA(FMA(FMA(NUMBER(0x1.a01b0c2efc09ap-13), w, NUMBER(0x1.11111110e10a7p-7)),
        w, NUMBER(0x1.5555555555556p-3)), z, FMA(FMA(NUMBER(0x1.6c17ed4ce9ff6p-10), w,
        NUMBER(0x1.55555554e9466p-5)), w, NUMBER(0x1.0000000000001p-1)));
}

/* (sinh(r) / r - 1) / z, z = r^2, for |r| <= ln(2) / 32, times z. Error 2^-67.01. */
FUNCTION REAL NAME(sinh_series)(REAL z)
{
    const REAL w = z * z;

    return FMA(NUMBER(0x1.11111110e10a7p-7), z, FMA(NUMBER(0x1.a01b0c2efc09ap-13), w,
        NUMBER(0x1.5555555555556p-3)));
}

/* (cosh(r) - 1) / z, z = r^2, for |r| <= ln(2) / 32, times z. Error 2^-64.44. */
FUNCTION REAL NAME(cosh_series)(REAL z)
{
    const REAL w = z * z;

    return FMA(NUMBER(0x1.55555554e9466p-5), z, FMA(NUMBER(0x1.6c17ed4ce9ff6p-10), w,
        NUMBER(0x1.0000000000001p-1)));
}

/* (log(1 + f) / f - 1) / f for f = m c - 1, times f. Error 2^-60.61. */
FUNCTION REAL NAME(log_series)(REAL z)
{
    const REAL w = z * z;

    return FMA(FMA(FMA(FMA(NUMBER(0x1.c80528568022fp-4), w,
        NUMBER(0x1.249230ec24028p-3)), w, NUMBER(0x1.9999999b77949p-3)), w,
        NUMBER(0x1.5555555555506p-2)), z, FMA(FMA(FMA(FMA(NUMBER(-0x1.9b20518e0b698p-4),
        w, NUMBER(-0x1.ffff7d7b58a50p-4)), w, NUMBER(-0x1.5555555d71896p-3)), w,
        NUMBER(-0x1.ffffffffffab2p-3)), w, NUMBER(-0x1.p-1)));
}

/* ((log(1 + f) / f - 1) / f + 1/2) / f for f = m c - 1, times f^2. Error 2^-74.1. */
#define OWN_POW_0 0x1.5555555555555p-2
#define OWN_POW_0_LOW 0x1.5554367e71cfbp-56
FUNCTION REAL NAME(pow_series)(REAL z)
{
    const REAL w = z * z;

    return FMA(FMA(FMA(FMA(FMA(NUMBER(0x1.3c8ed24c5825fp-4), w,
        NUMBER(0x1.745c72f50e914p-4)), w, NUMBER(0x1.c71c71e51983ap-4)), w,
        NUMBER(0x1.24924924911ddp-3)), w, NUMBER(0x1.999999999999ap-3)), z,
        FMA(FMA(FMA(FMA(NUMBER(-0x1.5634d77a69931p-4), w,
        NUMBER(-0x1.99995b91ea009p-4)), w, NUMBER(-0x1.00000003c3ebbp-3)), w,
        NUMBER(-0x1.5555555555259p-3)), w, NUMBER(-0x1.p-2)));
}

/* (cbrt(1 + f) - 1) / f for f = m c - 1, times f. Error 2^-60.48. */
FUNCTION REAL NAME(cbrt_series)(REAL z)
{
    const REAL w = z * z;

    return FMA(FMA(FMA(FMA(FMA(NUMBER(-0x1.8090fe5b01321p-7), w,
        NUMBER(-0x1.036d9b1f89302p-6)), w, NUMBER(-0x1.8090d62d9a202p-6)), w,
        NUMBER(-0x1.511e8d2b312c8p-5)), w, NUMBER(-0x1.c71c71c71c71cp-4)), z,
        FMA(FMA(FMA(FMA(NUMBER(0x1.bae75805acbc7p-7), w, NUMBER(0x1.375090f7558c2p-6)),
        w, NUMBER(0x1.ee7113533ac82p-6)), w, NUMBER(0x1.f9add3c0ca391p-5)), w,
        NUMBER(0x1.5555555555555p-2)));
}

/* (sin(r) / r - 1) / z, z = r^2, for |r| <= pi / 32, times z. Error 2^-63.28. */
FUNCTION REAL NAME(sin_series)(REAL z)
{
    const REAL w = z * z;

    return FMA(FMA(NUMBER(0x1.71cda2e360c49p-19), w, NUMBER(0x1.1111111110471p-7)), z,
        FMA(NUMBER(-0x1.a01a0139c243ep-13), w, NUMBER(-0x1.5555555555555p-3)));
}

/* (cos(r) - 1) / z, z = r^2, for |r| <= pi / 32, times z. Error 2^-61.49. */
FUNCTION REAL NAME(cos_series)(REAL z)
{
    const REAL w = z * z;

    return FMA(FMA(NUMBER(0x1.a003317a61b22p-16), w, NUMBER(0x1.555555555329dp-5)), z,
        FMA(NUMBER(-0x1.6c16c0df5ed70p-10), w, NUMBER(-0x1.p-1)));
}

/* (atan(r) / r - 1) / z, z = r^2, for |r| <= 0.1637, times z. Error 2^-60.8. */
FUNCTION REAL NAME(atan_series)(REAL z)
{
    const REAL w = z * z;

    return FMA(FMA(FMA(FMA(NUMBER(0x1.b63648d08597cp-5), w,
        NUMBER(0x1.3b0e5354290ecp-4)), w, NUMBER(0x1.c71c71a93974dp-4)), w,
        NUMBER(0x1.9999999999957p-3)), z, FMA(FMA(FMA(NUMBER(-0x1.1022345586d92p-4), w,
        NUMBER(-0x1.745d061a9fa20p-4)), w, NUMBER(-0x1.24924924857edp-3)), w,
        NUMBER(-0x1.5555555555555p-2)));
}

/* (asin(r) / r - 1) / z, z = r^2, for |r| <= 0.0325, times z. Error 2^-61.83. */
FUNCTION REAL NAME(asin_series)(REAL z)
{
    const REAL w = z * z;

    return FMA(FMA(NUMBER(0x1.f28d8ffacb0c1p-6), w, NUMBER(0x1.33333333a7562p-4)), z,
        FMA(NUMBER(0x1.6db6caa752000p-5), w, NUMBER(0x1.555555555554dp-3)));
}

/* erf(x) = a_0 + a_1 d + ... for d = x - middle. The last bits of the binade and the
 * next two bits of |x| + 1/2 choose a middle. Error 2^-59.89. */
#if SCALAR
OWN_TABLE double own_erf[][16] = {
    {0x1.f92d077f8d56dp-1, 0x1.ff404760319b4p-1, 0x1.fff2cfb0453d9p-1,
     0x1.ffff6f9f67e55p-1, 0x1.ffffff7b91176p-1, 0x1.fffffffffc9e8p-1, 0x1.p+0,
     0x1.p+0, 0x0.0p+0, 0x1.ac45e37fe2526p-3, 0x1.5da9f415ff23fp-2,
     0x1.db081ce6e2a48p-2, 0x1.3f196dcd0f135p-1, 0x1.91724951b8fc6p-1,
     0x1.c6dad2829ec62p-1, 0x1.e5768c3b4a3fcp-1},
    {0x1.8b5b2ea0e6604p-56, 0x1.f1476f0a0c79cp-56, 0x1.9a8f70ca11273p-55,
     0x1.e1e4bbebab030p-55, 0x1.f5b81475c43c6p-57, -0x1.a71b4c856f29dp-56,
     -0x1.8cf8004eb9184p-56, -0x1.94a05a62fa2c9p-75, 0x0.0p+0, 0x1.48d48536c5003p-57,
     -0x1.a72e51e196861p-59, -0x1.7ff0a3296e006p-56, -0x1.f25f4f4303e04p-56,
     -0x1.27912d9a620bep-55, -0x1.ab76d4c04ad9ap-57, 0x1.8b6266d04541ap-57},
    {0x1.b055303221015p-5, 0x1.d4143a9dfe965p-8, 0x1.3360ccd23db3ap-11,
     0x1.e9b5e8d00ce77p-16, 0x1.10b1488aec58fp-23, 0x1.13af4f0404304p-36,
     0x1.2dc11864dfe61p-52, 0x1.659901ddab9dcp-71, 0x1.20dd750429b6dp+0,
     0x1.16e2d7093cd8cp+0, 0x1.05fd3ecbec298p+0, 0x1.dd167c4cf9d2ap-1,
     0x1.86e9694134b9ep-1, 0x1.0cab61f084b93p-1, 0x1.45e99bcbb7915p-2,
     0x1.5ce595c455b0ap-3},
    {0x1.cbffeb0860ba9p-59, -0x1.712c60278b5b4p-63, 0x1.5dfc622c87f41p-69,
     -0x1.d2028f510fbf7p-70, -0x1.0ccf9e079459cp-77, 0x1.e85ebcb37e7ffp-91,
     0x1.34f99951a2ebep-106, 0x1.6cb18beb7438fp-126, 0x1.1ae3a8de19907p-56,
     0x1.979a52f906ae5p-54, -0x1.f17d49717adcap-54, 0x1.44f2832f90bddp-55,
     -0x1.3bda130037122p-55, 0x1.098a510f8d9bdp-56, 0x1.7bcd01087aa42p-56,
     0x1.c31741569af78p-59},
    {-0x1.7a4a8a2bdce13p-4, -0x1.074b60f8df349p-6, -0x1.a6a519a114d69p-10,
     -0x1.8de3cd290a7ddp-14, -0x1.10b14886d7f8ep-21, -0x1.589b24bb87639p-34,
     -0x1.c4a24dc47e112p-50, -0x1.38ee8e7541d4cp-68, 0x0.0p+0, -0x1.a254428ddb453p-3,
     -0x1.477c8e7ee733dp-2, -0x1.a173acc35a985p-2, -0x1.e8a3c39181e85p-2,
     -0x1.d62beb64e8441p-2, -0x1.6ea6cf452e838p-2, -0x1.dfbbadedf5d2ep-3},
    {0x1.7148c3d57c312p-4, 0x1.63ef61e824425p-6, 0x1.69cf466ccdf60p-9,
     0x1.9aa489e3cad22p-13, 0x1.603a5308779e9p-20, 0x1.196da0c917114p-32,
     0x1.be585eeae1787p-48, 0x1.69540da237c0bp-66, -0x1.812746b0379e7p-2,
     -0x1.59b3da8e1e176p-2, -0x1.1917b60acab73p-2, -0x1.889a80f4ad955p-3,
     -0x1.c8105021682e3p-5, 0x1.7c9d756a115bbp-4, 0x1.4cb3cf0aa0b9bp-3,
     0x1.4374d82e04c67p-3},
    {-0x1.8a0da543060e5p-5, -0x1.38a9832789003p-6, -0x1.ab0c273ac2ae5p-9,
     -0x1.2c7d5ef053532p-12, -0x1.4980e2a821787p-19, -0x1.516d28295985cp-31,
     -0x1.4550bdc958416p-46, -0x1.3576940147324p-64, 0x0.0p+0, 0x1.988648fe88219p-4,
     0x1.322a728d4ed12p-3, 0x1.6c2eea0d17b39p-3, 0x1.6963c8a39d693p-3,
     0x1.cc60567d78c2bp-4, 0x1.ca5083167a246p-6, -0x1.f3b8d52d35666p-6},
    {0x1.b22257dd01957p-8, 0x1.5d3b17bbe0da8p-7, 0x1.6935960664eefp-9,
     0x1.490a4d230e9b2p-12, 0x1.da5f10e90e93ep-19, 0x1.3c51ce2636a47p-30,
     0x1.75a74499fd322p-45, 0x1.a3e397035cfb1p-63, 0x1.ce2f21a042be2p-4,
     0x1.803427310d199p-4, 0x1.04c50a9cd2c12p-4, 0x1.b0645438e5d17p-6,
     -0x1.c1242dfffc503p-6, -0x1.1350f4b222ac7p-4, -0x1.f65d15f1cf8d7p-5,
     -0x1.f572c4c8c7b0cp-6},
    {0x1.25b378c91c97dp-7, -0x1.7cae0d45ea5e6p-9, -0x1.b2755bfd28e37p-10,
     -0x1.145464ea74682p-12, -0x1.10504e1c278aep-18, -0x1.e236cf8e73d92p-30,
     -0x1.6013409824a12p-44, -0x1.d6b044899d0e8p-62, 0x0.0p+0, -0x1.09e7bce5592c8p-5,
     -0x1.7ce764eeddd85p-5, -0x1.a3fd9fcbb6d6cp-5, -0x1.52b2668e862f3p-5,
     -0x1.53bb4a5af546ap-7, 0x1.fd1c6c11eda37p-7, 0x1.6b16f52c58c79p-6},
    {-0x1.8d10fb6bb87d8p-8, -0x1.5f8313b640af6p-11, 0x1.52b6263edca0fp-11,
     0x1.647f721c23dc4p-13, 0x1.fd7c63d46d821p-19, 0x1.32c7515388eadp-29,
     0x1.1778bf1fbfa20p-43, 0x1.bcbd7f213df19p-61, -0x1.b82ce31288a31p-6,
     -0x1.516b205318414p-6, -0x1.68aac5801171dp-7, 0x1.060b78c935b74p-13,
     0x1.c7cd9c1ca71b9p-7, 0x1.30ac21937fa8dp-6, 0x1.3acc78420eb05p-7,
     -0x1.73ffa9b8595ccp-10},
    {0x1.7ec1d20f5fc9cp-11, 0x1.0602e3577326fp-10, -0x1.75577387fa838p-14,
     -0x1.5674797ed884cp-14, -0x1.88c857d8c6d7ap-19, -0x1.4bc4911b5a819p-29,
     -0x1.7c9f22b252257p-43, -0x1.6633fffe5c2b5p-60, 0x0.0p+0, 0x1.038d3f3a16594p-7,
     0x1.62aa895f51674p-7, 0x1.678b51a9c4706p-7, 0x1.b62f4a74bde03p-8,
     -0x1.e3f4d1784f5bep-10, -0x1.8b43c43f190f2p-8, -0x1.1740474758b1ap-8},
    {0x1.d4cf0b41dc048p-11, -0x1.8352cd6259986p-12, -0x1.2abb3c563f803p-14,
     0x1.b2c31ff9ee030p-16, 0x1.f42498339aad5p-20, 0x1.350383868fb21p-29,
     0x1.c5dd21208685ap-43, 0x1.037dd2e0de3a4p-59, 0x1.565bcd0e23893p-8,
     0x1.e19d52695a934p-9, 0x1.6c003c3cedecfp-10, -0x1.1e03bfc8edea2p-10,
     -0x1.dc3b46fd5988dp-9, -0x1.aae22e1613ab7p-9, -0x1.79b04d12a5463p-12,
     0x1.9da3d48ff9784p-10},
    {-0x1.d041fd4713df3p-12, -0x1.80c30d5199efep-17, 0x1.cd59725544d30p-15,
     -0x1.38947aced4561p-19, -0x1.046a2759328c5p-20, -0x1.f4bdd46c48cd9p-30,
     -0x1.e45c8e165bc46p-43, -0x1.6406354faeb1dp-59, 0x0.0p+0, -0x1.9542e7e6dbf4bp-10,
     -0x1.079502d855180p-9, -0x1.e653535862ba2p-10, -0x1.81148e78df94cp-11,
     0x1.d6e44bd93f21ap-11, 0x1.2e52763a2d245p-10, 0x1.534f6f0a498f7p-12},
    {-0x1.6d78370b21451p-18, 0x1.11324e7ddd22bp-14, -0x1.09d0d14ef9f43p-16,
     -0x1.807071b8d5c66p-19, 0x1.ae4e2fa9d0a74p-22, 0x1.61a3ea964f7f2p-30,
     0x1.c1d451dd94504p-43, 0x1.8c0619b25534fp-59, -0x1.c02db2d21b5a0p-11,
     -0x1.1f9b6e440bee0p-11, -0x1.d9c7cbbf98284p-14, 0x1.55f3135fda462p-12,
     0x1.63796c3658407p-11, 0x1.990007f5cd52bp-12, -0x1.731a0793e402ep-13,
     -0x1.6392df3240dddp-12},
    {0x1.200c078de40bdp-14, -0x1.7c93c9acf90e7p-16, -0x1.204026b71d3c8p-20,
     0x1.ff615ff11c3ecp-20, -0x1.03bc99d6e9b59p-23, -0x1.af44962702812p-31,
     -0x1.556999c795eccp-43, -0x1.235fcef1cc10ap-59, 0x0.0p+0, 0x1.0796837beb13cp-12,
     0x1.45a9758db87ccp-12, 0x1.0dcf0004e4665p-12, 0x1.5516ae3df021bp-15,
     -0x1.94ab5bfc21a95p-13, -0x1.28de71995ca13p-13, 0x1.e126421c475aep-16},
    {-0x1.292a40138a9afp-16, -0x1.667e6542625f2p-20, 0x1.68d52d562c1edp-19,
     -0x1.265f84bf7ca24p-21, 0x1.2d8961b4bec68p-26, 0x1.d6aebea82a003p-32,
     0x1.0a3f9be15dbbbp-43, 0x1.30e9ecec6fd0fp-59, 0x1.f9a05c64aac97p-14,
     0x1.2610c4996cd2fp-14, 0x1.0c07475c8f971p-20, -0x1.0988f2ba256d4p-14,
     -0x1.a16ffcbd5800ep-14, -0x1.e7121df33822dp-16, 0x1.9eda556044e23p-15,
     0x1.5e437fab96141p-15},
    {-0x1.392b2d7b76a05p-18, 0x1.c5adf3e3d60a8p-19, -0x1.dcd224c940fb9p-21,
     -0x1.ce3dadfa9ae71p-29, 0x1.0c5e0c69eff73p-27, -0x1.fbe1501801da7p-33,
     -0x1.0d9aca199bbc8p-43, -0x1.15737a5a67aacp-58, 0x0.0p+0, -0x1.254408ce3748fp-15,
     -0x1.574fc752980ddp-15, -0x1.f61ac76286f62p-16, 0x1.cdd14636cfd45p-19,
     0x1.e43b303904f19p-16, 0x1.67504bc14143bp-17, -0x1.8e21232406a12p-17},
    {0x1.ac84dbb25f7bep-19, -0x1.bc289a338c674p-21, -0x1.953f803612c9dp-28,
     0x1.206790fac8dacp-24, -0x1.80fc78e5c64aap-28, 0x1.871dace7f77fap-34,
     0x1.3abf82dd295f2p-44, 0x1.94b7667407235p-59, -0x1.f161cf32ee277p-17,
     -0x1.057b296089cbbp-17, 0x1.a7ee412f26b51p-20, 0x1.410ad5c68ac41p-17,
     0x1.910c67840685ap-17, 0x1.de2ead3188c94p-23, -0x1.01941cc9f058bp-17,
     -0x1.8ecd4de648573p-19}};
#endif
FUNCTION REAL NAME(erf_series)(REAL d, WORD j)
{
    const REAL w = d * d;

    return FMA(FMA(FMA(FMA(FMA(FMA(FMA(LOOKUP(own_erf[17], j), w, LOOKUP(own_erf[15],
        j)), w, LOOKUP(own_erf[13], j)), w, LOOKUP(own_erf[11], j)), w,
        LOOKUP(own_erf[9], j)), w, LOOKUP(own_erf[7], j)), w, LOOKUP(own_erf[5], j)), d,
        FMA(FMA(FMA(FMA(FMA(FMA(LOOKUP(own_erf[16], j), w, LOOKUP(own_erf[14], j)), w,
        LOOKUP(own_erf[12], j)), w, LOOKUP(own_erf[10], j)), w, LOOKUP(own_erf[8], j)),
        w, LOOKUP(own_erf[6], j)), w, LOOKUP(own_erf[4], j)));
}

/* The same for f32, after a row of middles. Error 2^-42.03. */
#if SCALAR
OWN_TABLE double own_near_erf[][16] = {
    {0x1.c000000000000p+0, 0x1.2000000000000p+1, 0x1.6000000000000p+1,
     0x1.a000000000000p+1, 0x1.p+2, 0x1.4000000000000p+2, 0x1.8000000000000p+2,
     0x1.c000000000000p+2, 0x0.0p+0, 0x1.8000000000000p-3, 0x1.4000000000000p-2,
     0x1.c000000000000p-2, 0x1.4000000000000p-1, 0x1.c000000000000p-1,
     0x1.2000000000000p+0, 0x1.6000000000000p+0},
    {0x1.f92d077f8d56dp-1, 0x1.ff404760319b4p-1, 0x1.fff2cfb0453d9p-1,
     0x1.ffff6f9f67e55p-1, 0x1.ffffff7b91176p-1, 0x1.fffffffffc9e8p-1, 0x1.p+0,
     0x1.p+0, 0x0.0p+0, 0x1.ac45e37fe2526p-3, 0x1.5da9f415ff23fp-2,
     0x1.db081ce6e2a48p-2, 0x1.3f196dcd0f135p-1, 0x1.91724951b8fc6p-1,
     0x1.c6dad2829ec62p-1, 0x1.e5768c3b4a3fcp-1},
    {0x1.b05530321df77p-5, 0x1.d4143a9eb9b3fp-8, 0x1.3360ccd0dadcap-11,
     0x1.e9b5e8c785d9fp-16, 0x1.10b3a78a48e89p-23, 0x1.13fb423d99197p-36,
     0x1.316863154f695p-52, 0x1.84da4ea7a0953p-71, 0x1.20dd750429b66p+0,
     0x1.16e2d7093cd8cp+0, 0x1.05fd3ecbec298p+0, 0x1.dd167c4cf9d2ap-1,
     0x1.86e9694134bdap-1, 0x1.0cab61f084bb6p-1, 0x1.45e99bcbb78f6p-2,
     0x1.5ce595c455a91p-3},
    {-0x1.7a4a8a2bd0a5bp-4, -0x1.074b60f8ef23bp-6, -0x1.a6a519a122fc2p-10,
     -0x1.8de3cd27ab05fp-14, -0x1.10b17330735d3p-21, -0x1.58a6488946b2dp-34,
     -0x1.c557498e2ca48p-50, -0x1.3c8a8c4c4a8c6p-68, 0x0.0p+0, -0x1.a254428ddb453p-3,
     -0x1.477c8e7ee733dp-2, -0x1.a173acc35a985p-2, -0x1.e8a3c39181e7ep-2,
     -0x1.d62beb64e8464p-2, -0x1.6ea6cf452e851p-2, -0x1.dfbbadedf5d24p-3},
    {0x1.7148c3d75f48ap-4, 0x1.63ef61ada9eccp-6, 0x1.69cf46dbc0a44p-9,
     0x1.9aa48b38b364ep-13, 0x1.60229f961b4bdp-20, 0x1.17f352790d870p-32,
     0x1.ac34178c7a6f8p-48, 0x1.1bf9491b63104p-66, -0x1.812746b021dabp-2,
     -0x1.59b3da8e1df88p-2, -0x1.1917b60acab0dp-2, -0x1.889a80f4adba0p-3,
     -0x1.c810502297c7dp-5, 0x1.7c9d7569b9c35p-4, 0x1.4cb3cf0ab46c7p-3,
     0x1.4374d82e2ac60p-3},
    {-0x1.8a0da5619c848p-5, -0x1.38a983139ba61p-6, -0x1.ab0c2731f05c1p-9,
     -0x1.2c7d5f5e28e06p-12, -0x1.497d8cb96ba9bp-19, -0x1.50fe17079f785p-31,
     -0x1.41cd37293e17fp-46, -0x1.239510d94ddbbp-64, 0x0.0p+0, 0x1.988648fe87e90p-4,
     0x1.322a728d4eae3p-3, 0x1.6c2eea0d1796ap-3, 0x1.6963c8a398d08p-3,
     0x1.cc60567da3f4ep-4, 0x1.ca508316f94bcp-6, -0x1.f3b8d52d4ecabp-6},
    {0x1.b2224d784576bp-8, 0x1.5d3b40ad066d7p-7, 0x1.69356f2381d69p-9,
     0x1.490a1190a8536p-12, 0x1.db683afb203f8p-19, 0x1.448394fd98e22p-30,
     0x1.a78d3c5621fbep-45, 0x1.3b7490b2045b6p-62, 0x1.ce2f20f21ab92p-4,
     0x1.8034272e59eedp-4, 0x1.04c50a9c44435p-4, 0x1.b064543f503e9p-6,
     -0x1.c1242aada7819p-6, -0x1.1350f4377bd33p-4, -0x1.f65d16602ed45p-5,
     -0x1.f572c67277989p-6},
    {0x1.25b3a3a1d00d9p-7, -0x1.7cae45233f92ep-9, -0x1.b2756220c2fe6p-10,
     -0x1.14543e792cdb9p-12, -0x1.1075bed9dfe95p-18, -0x1.e708f43def53bp-30,
     -0x1.736d7d16a7e08p-44, -0x1.1c13c53d71f86p-61, 0x0.0p+0, -0x1.09e7bce2dfcd3p-5,
     -0x1.7ce764ebcf422p-5, -0x1.a3fd9fc92e5eep-5, -0x1.52b26674c9e79p-5,
     -0x1.53bb4c3ee665ap-7, 0x1.fd1c6aadd7eaep-7, 0x1.6b16f54fecf13p-6},
    {-0x1.8d0f8c2bb600fp-8, -0x1.5fe0b15cdaed6p-11, 0x1.52cc6ece25739p-11,
     0x1.64906a83ea82dp-13, 0x1.f4096921c089cp-19, 0x1.0e0eaa3171417p-29,
     0x1.52ef5b2e6b05fp-44, -0x1.9b042eadfc8b8p-66, -0x1.b82afb2f5fd29p-6,
     -0x1.516b07a3098e9p-6, -0x1.68aabb527c5b8p-7, 0x1.0604235bd122bp-13,
     0x1.c7c9cfba16e35p-7, 0x1.30ab0925082abp-6, 0x1.3acd74d2f3c8bp-7,
     -0x1.73f073c7c6a6dp-10},
    {0x1.7e5fc6de99801p-11, 0x1.0612e3882bc25p-10, -0x1.754995bd44647p-14,
     -0x1.568a713e85e0bp-14, -0x1.8618bbc9efad0p-19, -0x1.36152b6f2b3f2p-29,
     -0x1.2726e9bad7219p-43, -0x1.2788bf07a2f7fp-61, 0x0.0p+0, 0x1.038d289a70094p-7,
     0x1.62aa6d6b488c7p-7, 0x1.678b3a8036f92p-7, 0x1.b62ed4d92b040p-8,
     -0x1.e3ec2bd13dd7fp-10, -0x1.8b422d2add308p-8, -0x1.174098bd70b71p-8},
    {0x1.d4257135639e1p-11, -0x1.779cc0aff17e6p-12, -0x1.35f0f3fdd7fbbp-14,
     0x1.aa54ec177efa1p-16, 0x1.1fadbb478da5fp-19, 0x1.c1964b96644cap-29,
     0x1.ae0e020c5c6b4p-42, 0x1.4d790836c8924p-58, 0x1.542d942178e0ap-8,
     0x1.e0d7c3c00bad6p-9, 0x1.6baecf2b3a622p-10, -0x1.1d18f8788eb11p-10,
     -0x1.d86da2d7eeebdp-9, -0x1.a8b0f2ff30348p-9, -0x1.8199d11c91797p-12,
     0x1.99d54a25e20bcp-10},
    {-0x1.c3f9057326902p-12, -0x1.00ba02add0f6ep-16, 0x1.cba93f52c4f07p-15,
     -0x1.0ca448b2514afp-19, -0x1.1a1aebfe211f4p-20, -0x1.4e0ae056b8754p-29,
     -0x1.90165b36b8f3ap-42, -0x1.699fc499aa3f9p-58, 0x0.0p+0, -0x1.948ddc8732161p-10,
     -0x1.07252a68ac1d8p-9, -0x1.e599fac9e2db4p-10, -0x1.802983f922e13p-11,
     0x1.d29001cab5ce5p-11, 0x1.2cbb1c8447d73p-10, 0x1.54967b580071dp-12}};
#endif
FUNCTION REAL NAME(near_erf_series)(REAL d, WORD j)
{
    const REAL w = d * d;

    return FMA(FMA(FMA(FMA(FMA(LOOKUP(own_near_erf[10], j), w, LOOKUP(own_near_erf[8],
        j)), w, LOOKUP(own_near_erf[6], j)), w, LOOKUP(own_near_erf[4], j)), w,
        LOOKUP(own_near_erf[2], j)), d, FMA(FMA(FMA(FMA(FMA(LOOKUP(own_near_erf[11], j),
        w, LOOKUP(own_near_erf[9], j)), w, LOOKUP(own_near_erf[7], j)), w,
        LOOKUP(own_near_erf[5], j)), w, LOOKUP(own_near_erf[3], j)), w,
        LOOKUP(own_near_erf[1], j)));
}

/* cbrt(1 + f) for f = m c - 1. Error 2^-39.92. */
FUNCTION REAL NAME(near_cbrt_series)(REAL z)
{
    const REAL w = z * z;

    return FMA(FMA(FMA(NUMBER(0x1.ef6cad3b5446ap-6), w, NUMBER(0x1.f9adbc1799bfdp-5)),
        w, NUMBER(0x1.5555555574d0cp-2)), z, FMA(FMA(NUMBER(-0x1.516ea2ac1cd64p-5), w,
        NUMBER(-0x1.c71c6d9c3cc10p-4)), w, NUMBER(0x1.fffffffffdf1ap-1)));
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

/* log(1 + f) / f for f = m c - 1, relative. Error 2^-43.45. */
FUNCTION REAL NAME(near_log_series)(REAL z)
{
    const REAL w = z * z;

    return FMA(FMA(FMA(NUMBER(-0x1.55d1c0833439dp-3), w, NUMBER(-0x1.ffffeebbcdc8fp-3)),
        w, NUMBER(-0x1.0000000026562p-1)), z, FMA(FMA(FMA(NUMBER(0x1.255fa5f866c7ap-3),
        w, NUMBER(0x1.99996964228e3p-3)), w, NUMBER(0x1.55555556f78c3p-2)), w,
        NUMBER(0x1.fffffffffffe0p-1)));
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
