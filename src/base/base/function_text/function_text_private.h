/* SPDX-License-Identifier: BSD-3-Clause */
/* The elementary functions: one text for scalar C, vectors of C and CUDA C++.
 *
 * A text before this one defines its words:
 *
 *     REAL, WORD, MASK   an f64, an unsigned integer of 64 bits, a comparison's result
 *     NUMBER(x)          the constant x at all points
 *     FMA, SQRT          rounded once
 *     SELECT(m, a, b)    a where m is true, else b
 *     ANY(m)             true if m is true at one point
 *     TO_BITS, FROM_BITS between REAL and WORD
 *     NAME(word)         f64_word, or doubles_word for vectors
 *     SCALAR             1, or 0 for vectors
 *
 * Every operation is +, -, *, /, sqrt or fma of f64, or an exact operation on
 * integers. So the bits depend on no device, if the compiler contracts nothing.
 *
 * A function computes its value as an unevaluated sum h + l, called pair. The error of
 * a pair is 2^-56.7 of the value or less; each function states its own. The sum, rounded
 * once, is the result in f64. So its error is at most 0.5 ulp + 2^-56.7 / 2^-53 ulp:
 * below 0.58 ulp.
 *
 * A result in f32 is the pair rounded once to f32. The pair is rounded to f64 by
 * rounding to odd, then to f32. Rounding to odd keeps one bit for all bits that it
 * drops, so the second rounding does not round twice (Boldo and Melquiond, When double
 * rounding is odd, 2005).
 *
 * A sum of two numbers and its error: Dekker 1971, Knuth 1969. A product and its
 * error: one fma. */
#define OWN_MAGIC 0x1.8p52 /* a sum with it rounds to an integer, in the last bits */
#define OWN_INFINITY NUMBER(2 * 0x1p1023)
#define OWN_NAN NUMBER(0 * (2 * 0x1p1023))
#define OWN_SIGN_BIT 0x8000000000000000u

typedef struct NAME(pair) {
    REAL h, l;
} NAME(pair);

/* ---- sums, products and quotients with their errors ------------------------------ */

FUNCTION NAME(pair) NAME(pair_of)(REAL h, REAL l)
{
    const NAME(pair) p = {h, l};

    return p;
}

/* a + b exactly, if |a| >= |b| or a = 0. */
FUNCTION NAME(pair) NAME(add_ordered)(REAL a, REAL b)
{
    const REAL h = a + b;

    return NAME(pair_of)(h, (a - h) + b);
}

/* a + b exactly. */
FUNCTION NAME(pair) NAME(add)(REAL a, REAL b)
{
    const REAL h = a + b, of_b = h - a;

    return NAME(pair_of)(h, (a - (h - of_b)) + (b - of_b));
}

/* a * b, to some 2^-104. */
FUNCTION NAME(pair) NAME(multiply)(NAME(pair) a, NAME(pair) b)
{
    const REAL h = a.h * b.h;

    return NAME(pair_of)(h, FMA(a.h, b.h, -h) + FMA(a.h, b.l, a.l * b.h));
}

/* a / b, to some 2^-100. */
FUNCTION NAME(pair) NAME(divide)(NAME(pair) a, NAME(pair) b)
{
    const REAL h = a.h / b.h;

    return NAME(pair_of)(h, (FMA(-h, b.h, a.h) + FMA(-h, b.l, a.l)) / b.h);
}

/* ---- bits ------------------------------------------------------------------------ */

FUNCTION REAL NAME(magnitude)(REAL x)
{
    return FROM_BITS(TO_BITS(x) & ~OWN_SIGN_BIT);
}

FUNCTION WORD NAME(sign_bit)(REAL x)
{
    return TO_BITS(x) & OWN_SIGN_BIT;
}

/* x, negated if `sign` is the sign bit and not 0. */
FUNCTION REAL NAME(negate_by)(REAL x, WORD sign)
{
    return FROM_BITS(TO_BITS(x) ^ sign);
}

FUNCTION NAME(pair) NAME(negate_pair_by)(NAME(pair) p, WORD sign)
{
    return NAME(pair_of)(NAME(negate_by)(p.h, sign), NAME(negate_by)(p.l, sign));
}

FUNCTION NAME(pair) NAME(choose)(MASK mask, NAME(pair) a, NAME(pair) b)
{
    return NAME(pair_of)(SELECT(mask, a.h, b.h), SELECT(mask, a.l, b.l));
}

/* p, but `value` where the mask is true. */
FUNCTION NAME(pair) NAME(replace)(NAME(pair) p, MASK mask, REAL value)
{
    return NAME(choose)(mask, NAME(pair_of)(value, NUMBER(0.0)), p);
}

/* The nearest integer of |x| < 2^51, to even. */
FUNCTION REAL NAME(nearest)(REAL x)
{
    return (x + OWN_MAGIC) - OWN_MAGIC;
}

/* 2^n for an integer -1022 <= n <= 1023. */
FUNCTION REAL NAME(power_of_two)(REAL n)
{
    return FROM_BITS(TO_BITS(n + (OWN_MAGIC + 1023)) << 52);
}

/* x * 2^n for |n| <= 2000: two factors, of which only the second one may round. */
FUNCTION REAL NAME(scale)(REAL x, REAL n)
{
    const REAL half = NAME(nearest)(n * 0.5);

    return x * NAME(power_of_two)(half) * NAME(power_of_two)(n - half);
}

/* h + l rounded to odd: if the sum is no f64, its neighbour with an odd last bit. */
FUNCTION REAL NAME(round_once_odd)(NAME(pair) p)
{
    const NAME(pair) s = NAME(add_ordered)(p.h, p.l);
    const REAL side = s.h * s.l;

    return SELECT(side > 0, FROM_BITS(TO_BITS(s.h) | 1),
                  SELECT(side < 0, FROM_BITS((TO_BITS(s.h) - 1) | 1), s.h));
}

/* ---- exp and its relatives ------------------------------------------------------- */

/* A value (h + l) * 2^n. */
typedef struct NAME(scaled) {
    NAME(pair) p;
    REAL n;
} NAME(scaled);

/* exp(x) = 2^n (1 + p), |p| <= 0.42.
 *
 * x = n ln 2 + r, |r| <= ln(2) / 2: the fma with the first part of ln 2 is exact. p is
 * r + r^2/2, with its rounding errors, plus r^3 P(r). Only |r^3 P| < 2^-7.1 is
 * rounded, by 1.5 * 2^-53 or less: an error of 2^-59.4, and 2^-60.3 of P. Near 0 the
 * error is relative to p. In the pair p, l is not small against h. What is not a
 * number passes. */
FUNCTION NAME(scaled) NAME(reduce_exp)(NAME(pair) x)
{
    const REAL below = SELECT(x.h > 800, NUMBER(800.0), x.h);
    const REAL h = SELECT(below < -800, NUMBER(-800.0), below);
    const REAL n = FMA(h, NUMBER(OWN_LOG2_E), NUMBER(OWN_MAGIC)) - OWN_MAGIC;
    const REAL whole = FMA(-n, NUMBER(OWN_LN2_FULL), h), less = n * OWN_LN2_FULL_LOW;
    const REAL main = whole - less,
               more = ((whole - main) - less) + SELECT(h == x.h, x.l, NUMBER(0.0));
    const REAL r = main + more, low = (main - r) + more;
    const REAL half = r * 0.5, square = r * half;
    const NAME(pair) p = NAME(add_ordered)(r, square);
    const REAL rest = FMA(low, p.h, FMA(half, r, -square)) + low;
    const NAME(scaled)
        s = {{p.h, p.l + FMA(r * (square + square), NAME(exp_series)(r), rest)}, n};

    return s;
}

FUNCTION NAME(scaled) NAME(exp_of_pair)(NAME(pair) x)
{
    NAME(scaled) s = NAME(reduce_exp)(x);
    const NAME(pair) one = NAME(add_ordered)(NUMBER(1.0), s.p.h);

    s.p = NAME(pair_of)(one.h, one.l + s.p.l);
    return s;
}

/* Error of the pair: 2^-58.9. */
FUNCTION NAME(scaled) NAME(exp_pair)(REAL x)
{
    return NAME(exp_of_pair)(NAME(pair_of)(x, NUMBER(0.0)));
}

/* d = p / (1 + p), so 1 / (1 + p) = 1 - d. With B = 2^(-2n):
 *
 *     2 sinh(x) / 2^n = p + B d + (1 - B)
 *     2 cosh(x) / 2^n = p - B d + (1 + B)
 *
 * Terms of sinh are never of different signs, so its pair has the error of p, 2^-57.7
 * near |p| = 0.29, and less elsewhere. B < 2^-1000 is no more than 0. */
FUNCTION NAME(scaled) NAME(hyperbolic)(REAL x, int cosine)
{
    NAME(scaled) s = NAME(reduce_exp)(NAME(pair_of)(NAME(magnitude)(x), NUMBER(0.0)));
    const REAL twice = SELECT(s.n < 500, -2 * s.n, NUMBER(-1000.0));
    const REAL b = NAME(power_of_two)(twice);
    NAME(pair) one, d, ends, sum;

    s.p = NAME(add_ordered)(s.p.h, s.p.l);
    one = NAME(add_ordered)(NUMBER(1.0), s.p.h);
    one.l = one.l + s.p.l;
    d = NAME(divide)(s.p, one);
    d = NAME(pair_of)(b * d.h, b * d.l);
    if (cosine) {
        d = NAME(pair_of)(-d.h, -d.l);
        ends = NAME(add_ordered)(NUMBER(1.0), b);
    } else {
        ends = NAME(add_ordered)(NUMBER(1.0), -b);
    }
    sum = NAME(add)(s.p.h, d.h);
    sum.l = sum.l + (s.p.l + d.l);
    one = NAME(add)(ends.h, sum.h);
    s.p = NAME(pair_of)(one.h, one.l + (ends.l + sum.l));
    s.n = s.n - 1;
    return s;
}

FUNCTION NAME(scaled) NAME(sinh_pair)(REAL x)
{
    NAME(scaled) s = NAME(hyperbolic)(x, 0);

    s.p = NAME(negate_pair_by)(s.p, NAME(sign_bit)(x));
    return s;
}

FUNCTION NAME(scaled) NAME(cosh_pair)(REAL x)
{
    return NAME(hyperbolic)(x, 1);
}

/* With exp(2|x|) = 2^n (1 + p) and B = 2^-n: (p + (1 - B)) / (p + (1 + B)). From |x| =
 * 22 on, tanh is 1 to 2^-62. Error: two times of that of p, 2^-56.7, near |x| = 0.17. */
FUNCTION NAME(pair) NAME(tanh_pair)(REAL x)
{
    const REAL a = NAME(magnitude)(x), twice = 2 * SELECT(a > 22, NUMBER(22.0), a);
    const NAME(scaled) s = NAME(reduce_exp)(NAME(pair_of)(twice, NUMBER(0.0)));
    const NAME(pair) p = NAME(add_ordered)(s.p.h, s.p.l);
    const REAL b = NAME(power_of_two)(-s.n);
    const NAME(pair) less = NAME(add_ordered)(NUMBER(1.0), -b);
    const NAME(pair) more = NAME(add_ordered)(NUMBER(1.0), b);
    NAME(pair) above = NAME(add)(less.h, p.h), below = NAME(add_ordered)(more.h, p.h);

    above = NAME(add_ordered)(above.h, above.l + (less.l + p.l));
    below.l = below.l + (more.l + p.l);
    return NAME(negate_pair_by)(NAME(divide)(above, below), NAME(sign_bit)(x));
}

/* ---- logarithms and powers ------------------------------------------------------- */

/* r + r z u, z = r^2: an odd function with leading term r. Rounding: r z u with an
 * error of 2^-102, and what u has. */
FUNCTION NAME(pair) NAME(odd)(NAME(pair) r, NAME(pair) z, NAME(pair) u)
{
    const NAME(pair) v = NAME(multiply)(r, NAME(multiply)(z, u));
    const NAME(pair) s = NAME(add_ordered)(r.h, v.h);

    return NAME(pair_of)(s.h, s.l + (r.l + v.l));
}

FUNCTION NAME(pair) NAME(square)(NAME(pair) r)
{
    const REAL z = r.h * r.h;

    return NAME(pair_of)(z, FMA(r.h, r.h, -z) + 2 * r.h * r.l);
}

/* c + t for a coefficient in two parts and the rounded rest of a series, |t| < |c|. */
FUNCTION NAME(pair) NAME(lead)(double c, double c_low, REAL t)
{
    NAME(pair) u = NAME(add_ordered)(NUMBER(c), t);

    u.l = u.l + c_low;
    return u;
}

/* x = 2^n m, 1 / sqrt(2) <= m < sqrt(2), for 0 < x < infinity. */
typedef struct NAME(parts) {
    REAL n, m;
} NAME(parts);

FUNCTION NAME(parts) NAME(take_normal_apart)(REAL x)
{
    const WORD bits = TO_BITS(x);
    const WORD biased = (bits - 0x3fe6a09e667f3bcdu + 0x3ff0000000000000u) >> 52;
    const NAME(parts) f = {FROM_BITS(biased + 0x4338000000000000u) - (OWN_MAGIC + 1023),
                           FROM_BITS(bits - (biased << 52) + 0x3ff0000000000000u)};

    return f;
}

FUNCTION NAME(parts) NAME(take_apart)(REAL x)
{
    const MASK tiny = x < 0x1p-1022;
    NAME(parts) f = NAME(take_normal_apart)(SELECT(tiny, x * 0x1p54, x));

    f.n = f.n - SELECT(tiny, NUMBER(54.0), NUMBER(0.0));
    return f;
}

/* log(m) = 2 atanh(s), s = (m - 1) / (m + 1), |s| <= 0.172.
 *
 * s is a pair. Two coefficients of the series are pairs, and so are the sums and
 * products around them. The rest is z^3 (1/7 + ...) < 2^-18 of s, so the error is
 * 2^-71 by rounding and 2^-71.4 by the polynomial, relative to log(m). */
FUNCTION NAME(pair) NAME(log_near_one)(REAL m)
{
    const REAL f = m - 1.0, t = m + 1.0;
    const NAME(pair)
        s = NAME(divide)(NAME(pair_of)(f, NUMBER(0.0)), NAME(pair_of)(t, f - (t - 2.0)));
    const NAME(pair) z = NAME(square)(s);
    NAME(pair) u = NAME(lead)(OWN_LOG_1, OWN_LOG_1_LOW, z.h * NAME(log_series)(z.h));

    const NAME(pair) w = NAME(multiply)(z, u);
    NAME(pair) v = NAME(lead)(OWN_LOG_0, OWN_LOG_0_LOW, w.h);

    v.l = v.l + w.l;
    v = NAME(odd)(s, z, v);
    return NAME(pair_of)(2 * v.h, 2 * v.l);
}

/* log(x) for 0 < x < infinity. n times the first part of ln 2 is exact; |n ln 2 + log
 * m| >= 0.34 if n is not 0. Error 2^-68 of the value. */
FUNCTION NAME(pair) NAME(log_positive)(REAL x)
{
    const NAME(parts) f = NAME(take_apart)(x);
    const NAME(pair) m = NAME(log_near_one)(f.m);
    const NAME(pair) s = NAME(add_ordered)(f.n * OWN_LN2, m.h);

    return NAME(add_ordered)(s.h, FMA(f.n, NUMBER(OWN_LN2_LOW), s.l + m.l));
}

/* p, the logarithm of x, but infinite or not a number where the logarithm is. */
FUNCTION NAME(pair) NAME(guard_log)(NAME(pair) p, REAL x)
{
    const REAL edge = SELECT(x == 0, -OWN_INFINITY, SELECT(x < 0, OWN_NAN, x));

    return NAME(replace)(p, (x <= 0) | (x == OWN_INFINITY) | (x != x), edge);
}

FUNCTION NAME(pair) NAME(log_pair)(REAL x)
{
    return NAME(guard_log)(NAME(log_positive)(x), x);
}

/* log(x) / ln 10. Powers of ten give integers, since the error is below half an ulp. */
FUNCTION NAME(pair) NAME(log10_pair)(REAL x)
{
    const NAME(pair)
        p = NAME(multiply)(NAME(log_positive)(x),
                           NAME(pair_of)(NUMBER(OWN_LOG10_E), NUMBER(OWN_LOG10_E_LOW)));

    return NAME(guard_log)(p, x);
}

/* |x|^y = exp(y log|x|). |y log|x|| <= 745, so its error is 2^-68 * 745 < 2^-58, and
 * the error of the pair 2^-57.4. Special values are those of C99, annex F. */
FUNCTION NAME(scaled) NAME(pow_pair)(REAL x, REAL y)
{
    const REAL a = NAME(magnitude)(x), b = NAME(magnitude)(y);
    const NAME(pair) log = NAME(log_positive)(a);
    const REAL h = y * log.h;
    const REAL l = FMA(y, log.h, -h) + y * log.l;
    NAME(scaled) s = NAME(exp_of_pair)(NAME(pair_of)(h, l));
    const MASK whole = (b >= 0x1p52) | (NAME(nearest)(b) == b);
    const REAL half = b * 0.5;
    const MASK odd = whole & (b < 0x1p53) &
                     ((half >= 0x1p51) | (NAME(nearest)(half) != half));
    const MASK edge = (a == 0) | (a == OWN_INFINITY) | (b == OWN_INFINITY);
    const MASK grows = ((a > 1) & (y > 0)) | ((a < 1) & (y < 0));
    const WORD sign = TO_BITS(SELECT(odd, x, NUMBER(1.0))) & OWN_SIGN_BIT;

    s.p = NAME(replace)(s.p, edge, SELECT(grows, OWN_INFINITY, NUMBER(0.0)));
    s.n = SELECT(edge, NUMBER(0.0), s.n);
    s.p = NAME(negate_pair_by)(s.p, sign);
    s.p.h = SELECT((x < 0) & (a < OWN_INFINITY) & (b < OWN_INFINITY),
                   SELECT(whole, s.p.h, OWN_NAN), s.p.h);
    s.p.h = SELECT((x != x) | (y != y), x + y, s.p.h);
    s.p = NAME(replace)(s.p, (x == 1) | (y == 0) | ((a == 1) & (b == OWN_INFINITY)),
                        NUMBER(1.0));
    s.n = SELECT((x == 1) | (y == 0) | ((a == 1) & (b == OWN_INFINITY)), NUMBER(0.0),
                 s.n);
    return s;
}

/* ---- trigonometric functions ----------------------------------------------------- */

/* q pi/2 + r, of which the two last bits of q count. */
typedef struct NAME(angle) {
    NAME(pair) r;
    WORD q;
} NAME(angle);

#define OWN_LARGE 0x1p30
#if SCALAR
/* a - q pi/2 for any a: Payne and Hanek 1983.
 *
 * With a = M 2^e, the bits of 2/pi of weight 2^(2-e) and more add multiples of 4 to q,
 * and are left out. The product of M with the next 256 bits is right to 203 bits. At
 * most 62 leading bits of the fraction are 0 (Muller, Elementary Functions, 2016,
 * 11.4). */
OWN_NOT_INLINE f64_angle f64_reduce_large(double a, f64_angle angle)
{
    const uint64_t bits = TO_BITS(a);
    const uint64_t mantissa = (bits & 0xfffffffffffffu) | 0x10000000000000u;
    const int offset = (int)(bits >> 52) - 1075 - 2 + OWN_LEADING_ZEROS;
    uint32_t digit[8] = {0};
    uint64_t high, middle, low, flip;
    double scale = 1;

    if (!(a < OWN_INFINITY)) {
        angle.r = f64_pair_of(OWN_NAN, 0);
        return angle;
    }
    for (int k = 0; k < 2; k++) {
        const uint64_t factor = k ? mantissa >> 32 : mantissa & 0xffffffffu;
        uint64_t carry = 0;
        for (int i = 7; i >= k; i--) {
            const uint32_t *at = own_two_over_pi + offset / 32 + i;
            const uint64_t both = (uint64_t)at[0] << 32 | at[1];
            carry += factor * ((both << offset % 32) >> 32) + digit[i - k];
            digit[i - k] = (uint32_t)carry;
            carry >>= 32;
        }
    }
    high = (uint64_t)digit[0] << 32 | digit[1];
    middle = (uint64_t)digit[2] << 32 | digit[3];
    low = (uint64_t)digit[4] << 32 | digit[5];
    flip = (high << 2) >> 63 ? ~(uint64_t)0 : 0; /* the fraction is 1/2 or more */
    angle.q = (high >> 62) + (flip & 1);
    high = (high << 2 | middle >> 62) ^ flip;
    middle = (middle << 2 | low >> 62) ^ flip;
    low = (low << 2) ^ flip;
    while (!(high >> 63) && scale > 0x1p-64) {
        high = high << 1 | middle >> 63;
        middle = middle << 1 | low >> 63;
        low <<= 1;
        scale *= 0.5;
    }
    low = (high & 0x7ff) << 42 | middle >> 22;
    angle.r = f64_pair_of((double)(int64_t)(high >> 11) * (scale * 0x1p-53),
                          (double)(int64_t)low * (scale * 0x1p-106));
    angle.r = f64_multiply(angle.r, f64_pair_of(OWN_HALF_PI, OWN_HALF_PI_LOW));
    angle.r = f64_negate_pair_by(angle.r, flip & OWN_SIGN_BIT);
    return angle;
}
#else
OWN_NOT_INLINE doubles_angle doubles_reduce_large(doubles a, doubles_angle angle)
{
    for (int lane = 0; lane < DOUBLES; lane++)
        if (!(a[lane] < OWN_LARGE)) {
            f64_angle one = {{0, 0}, 0};
            one = f64_reduce_large(a[lane], one);
            angle.r.h[lane] = one.r.h;
            angle.r.l[lane] = one.r.l;
            angle.q[lane] = one.q;
        }
    return angle;
}
#endif

/* a = q pi/2 + r for a >= 0, |r| <= pi/4 (1 + 2^-20).
 *
 * pi/2 has three parts of 53 bits. Below 2^30 the first fma is exact (Cody and Waite
 * 1980): the difference is a multiple of 2^-53 and below 1. The product with the
 * second part is taken with its error, the third part adds 2^-110 q. So r has an error
 * of 2^-130, and |r| is never below 2^-62. */
FUNCTION NAME(angle) NAME(reduce_angle)(REAL a)
{
    const REAL to_q = FMA(a, NUMBER(OWN_TWO_OVER_PI), NUMBER(OWN_MAGIC));
    const REAL n = to_q - OWN_MAGIC;
    const REAL main = FMA(-n, NUMBER(OWN_HALF_PI), a);
    const REAL w = n * OWN_HALF_PI_LOW, w_low = FMA(n, NUMBER(OWN_HALF_PI_LOW), -w);
    const NAME(pair)
        r = NAME(add_ordered)(main, -w); /* exact: main is a multiple of w's ulp */
    NAME(angle) angle;

    angle.r = NAME(add_ordered)(r.h, FMA(-n, NUMBER(OWN_HALF_PI_LEAST), r.l - w_low));
    angle.q = TO_BITS(to_q);
    if (ANY((a >= OWN_LARGE) | (a != a)))
        angle = NAME(reduce_large)(a, angle);
    return angle;
}

/* sin of q pi/2 + r, with z = r^2. The polynomial, and which terms are rounded:
 *
 *     even q   r + r z (-1/6 + t), |t| < 0.0052: an error of 2^-60.8, and of 2^-66
 *     odd q    1 - z/2 + z^2 (1/24 + t), |t| < 0.0009: an error of 2^-64, and of 2^-63
 *
 * Both are r or 1 - z/2, plus r or z times z (c + t). */
FUNCTION NAME(pair) NAME(sin_of_angle)(NAME(angle) angle)
{
    const MASK even = (angle.q & 1) == 0;
    const NAME(pair) r = angle.r, z = NAME(square)(r);
    const NAME(pair) c = NAME(add_ordered)(NUMBER(1.0), z.h * -0.5);
    const REAL t = SELECT(even, NAME(sin_series)(z.h), NAME(cos_series)(z.h)) * z.h;
    const REAL lead = SELECT(even, NUMBER(OWN_SIN_0), NUMBER(OWN_COS_0));
    const REAL lead_low = SELECT(even, NUMBER(OWN_SIN_0_LOW), NUMBER(OWN_COS_0_LOW));
    NAME(pair) u = NAME(add_ordered)(lead, t), s;

    u.l = u.l + lead_low;
    u = NAME(multiply)(NAME(choose)(even, r, z), NAME(multiply)(z, u));
    s = NAME(add_ordered)(SELECT(even, r.h, c.h), u.h);
    s.l = s.l + (u.l + SELECT(even, r.l, FMA(z.l, NUMBER(-0.5), c.l)));
    return NAME(negate_pair_by)(s, (angle.q & 2) << 62);
}

FUNCTION NAME(pair) NAME(sin_pair)(REAL x)
{
    const NAME(angle) angle = NAME(reduce_angle)(NAME(magnitude)(x));

    return NAME(negate_pair_by)(NAME(sin_of_angle)(angle), NAME(sign_bit)(x));
}

FUNCTION NAME(pair) NAME(cos_pair)(REAL x)
{
    NAME(angle) angle = NAME(reduce_angle)(NAME(magnitude)(x));

    angle.q = angle.q + 1;
    return NAME(sin_of_angle)(angle);
}

/* sin / cos. Error: that of both, 2^-60. */
FUNCTION NAME(pair) NAME(tan_pair)(REAL x)
{
    NAME(angle) angle = NAME(reduce_angle)(NAME(magnitude)(x));
    const NAME(pair) sine = NAME(sin_of_angle)(angle);

    angle.q = angle.q + 1;
    return NAME(negate_pair_by)(NAME(divide)(sine, NAME(sin_of_angle)(angle)),
                                NAME(sign_bit)(x));
}

/* sin(pi x) / (pi x), 1 at 0. x is reduced exactly: x = 2 j + q/2 + g, |g| <= 1/4. */
FUNCTION NAME(pair) NAME(sinc_pair)(REAL x)
{
    const REAL a = SELECT(x == x, NAME(magnitude)(x), x), half = a * 0.5;
    const REAL near = NAME(nearest)(half);
    const REAL whole = SELECT(half < 0x1p51, near, half);
    const REAL rest = FMA(whole, NUMBER(-2.0), a); /* in -1 .. 1 */
    const REAL to_q = rest * 2 + OWN_MAGIC;
    const REAL g = FMA(to_q - OWN_MAGIC, NUMBER(-0.5), rest);
    const NAME(pair) pi = NAME(pair_of)(NUMBER(OWN_PI), NUMBER(OWN_PI_LOW));
    const NAME(pair) zero = NAME(pair_of)(g, NUMBER(0.0));
    NAME(angle) angle;
    NAME(pair) s;

    angle.r = NAME(multiply)(zero, pi);
    angle.q = TO_BITS(to_q);
    s = NAME(divide)(
        NAME(sin_of_angle)(angle),
        NAME(multiply)(
            NAME(pair_of)(SELECT(a < 0x1p1000, a, NUMBER(0x1p1000)), NUMBER(0.0)), pi));
    s = NAME(replace)(s, a < 0x1p-30, NUMBER(1.0));
    s = NAME(replace)(s, a == OWN_INFINITY, NUMBER(0.0));
    return NAME(replace)(s, a != a, a);
}

/* ---- inverse trigonometric functions --------------------------------------------- */

/* The angle of the point (x, y), y >= 0; `low` and `high` are the smaller and the
 * larger of |x| and |y|, swapped if |y| > |x|.
 *
 * The angle is j pi/4 + atan(r) or j pi/4 - atan(r), |r| <= tan(pi/8): r is low /
 * high, or (low - high) / (low + high). A quotient is a pair. atan(r) = r + r z (-1/3
 * + t); the rounded t < 0.032, times z < 2^-2.5 of r: an error of 2^-59.5, and 2^-61
 * of the polynomial. */
FUNCTION NAME(pair) NAME(find_angle)(REAL low, REAL high, MASK swapped, MASK left)
{
    const MASK diagonal = low > high * OWN_TAN_EIGHTH_PI;
    const NAME(pair) zero = NAME(pair_of)(NUMBER(0.0), NUMBER(0.0));
    const NAME(pair) ends = NAME(pair_of)(high, NUMBER(0.0));
    const NAME(pair) above = NAME(choose)(diagonal, NAME(add_ordered)(-high, low),
                                          NAME(add_ordered)(low, zero.h));
    const NAME(pair) below = NAME(choose)(diagonal, NAME(add_ordered)(high, low), ends);
    const NAME(pair) q = NAME(divide)(above, below);
    /* The error of a quotient near the subnormals is not known, and not needed. */
    const MASK tiny = NAME(magnitude)(q.h) < 0x1p-60;
    const NAME(pair) r = NAME(add_ordered)(q.h, SELECT(tiny, zero.h, q.l));
    const NAME(pair) z = NAME(square)(r);
    const NAME(pair) t = NAME(odd)(
        r, z, NAME(lead)(OWN_ATAN_0, OWN_ATAN_0_LOW, z.h * NAME(atan_series)(z.h)));
    REAL j = SELECT(diagonal, NUMBER(1.0), zero.h), sign = NUMBER(1.0);
    NAME(pair) base, s;

    sign = SELECT(swapped, -sign, sign);
    j = SELECT(swapped, 2 - j, j);
    sign = SELECT(left, -sign, sign);
    j = SELECT(left, 4 - j, j);
    base = NAME(multiply)(
        NAME(pair_of)(j, zero.h),
        NAME(pair_of)(NUMBER(OWN_QUARTER_PI), NUMBER(OWN_QUARTER_PI_LOW)));
    s = NAME(add_ordered)(base.h, sign * t.h);
    return NAME(add_ordered)(s.h, s.l + (base.l + sign * t.l));
}

FUNCTION NAME(pair) NAME(atan_pair)(REAL x)
{
    /* From 2^70 on, the result is pi/2. */
    const REAL a = SELECT(NAME(magnitude)(x) < 0x1p70, NAME(magnitude)(x),
                          NUMBER(0x1p70));
    const REAL one = NUMBER(1.0);
    const MASK steep = a > 1;
    const NAME(pair) t = NAME(find_angle)(SELECT(steep, one, a), SELECT(steep, a, one),
                                          steep, one < 0);

    return NAME(negate_pair_by)(NAME(replace)(t, x != x, x), NAME(sign_bit)(x));
}

/* The angle of (x, y). Both are scaled by a power of two, so that neither the sum nor
 * the quotient's error leaves the range. Special values are those of C99, annex F. */
FUNCTION NAME(pair) NAME(atan2_pair)(REAL y, REAL x)
{
    const REAL a = NAME(magnitude)(y), b = NAME(magnitude)(x);
    const MASK swapped = a > b, endless = (a == OWN_INFINITY) | (b == OWN_INFINITY);
    const REAL large = SELECT(swapped, a, b), small = SELECT(swapped, b, a);
    const REAL factor = SELECT(large > 0x1p900, NUMBER(0x1p-200),
                               SELECT(large < 0x1p-700, NUMBER(0x1p300), NUMBER(1.0)));
    const REAL equal = SELECT(small == large, NUMBER(1.0), NUMBER(0.0));
    const REAL low = SELECT(endless, equal, small * factor);
    const REAL high = SELECT(endless | (large == 0), NUMBER(1.0), large * factor);
    const MASK left = NAME(negate_by)(NUMBER(1.0), NAME(sign_bit)(x)) < 0;
    const NAME(pair) t = NAME(find_angle)(low, high, swapped, left);

    return NAME(negate_pair_by)(NAME(replace)(t, (x != x) | (y != y), x + y),
                                NAME(sign_bit)(y));
}

/* asin(r) for |r| <= 1/2: r + r z (1/6 + t). The rounded t < 0.023, times z = 1/4 of
 * r: an error of 2^-60.4, and 2^-61 of the polynomial. */
FUNCTION NAME(pair) NAME(asin_near_zero)(NAME(pair) r)
{
    const NAME(pair) z = NAME(square)(r);

    return NAME(odd)(
        r, z, NAME(lead)(OWN_ASIN_0, OWN_ASIN_0_LOW, z.h * NAME(asin_series)(z.h)));
}

/* With s = sqrt((1 - a) / 2), a pair: asin(a) = pi/2 - 2 asin(s), acos(a) = 2 asin(s).
 * 1 - a is exact for a > 1/2. Outside of -1 .. 1 the root is not a number. */
FUNCTION NAME(pair) NAME(arc)(REAL x, int cosine)
{
    const REAL a = NAME(magnitude)(x), rest = 0.5 - a * 0.5, root = SQRT(rest);
    const MASK outer = a > 0.5;
    const REAL twice = SELECT(root == 0, NUMBER(1.0), root + root);
    const NAME(pair) s = NAME(pair_of)(root, FMA(-root, root, rest) / twice);
    const NAME(pair)
        t = NAME(asin_near_zero)(NAME(choose)(outer, s, NAME(pair_of)(a, NUMBER(0.0))));
    const REAL zero = NUMBER(0.0), pi = NUMBER(OWN_PI), half_pi = NUMBER(OWN_HALF_PI);
    const REAL half_low = NUMBER(OWN_HALF_PI_LOW);
    const WORD sign = NAME(sign_bit)(x);
    const MASK left = x < 0;
    NAME(pair) base, v = NAME(choose)(outer, NAME(pair_of)(2 * t.h, 2 * t.l), t);

    if (cosine) {
        base.h = SELECT(outer, SELECT(left, pi, zero), half_pi);
        base.l = SELECT(outer, SELECT(left, 2 * half_low, zero), half_low);
        v = NAME(choose)(outer & (x > 0), v, NAME(pair_of)(-v.h, -v.l));
        v = NAME(choose)((a <= 0.5) & left, NAME(pair_of)(-v.h, -v.l), v);
    } else {
        base.h = SELECT(outer, half_pi, zero);
        base.l = SELECT(outer, half_low, zero);
        v = NAME(choose)(outer, NAME(pair_of)(-v.h, -v.l), v);
    }
    {
        const NAME(pair) sum = NAME(add_ordered)(base.h, v.h);
        v = NAME(add_ordered)(sum.h, sum.l + (base.l + v.l));
    }
    v = NAME(replace)(v, (a > 1) | (x != x), rest * 0 + OWN_NAN);
    return cosine ? v : NAME(negate_pair_by)(v, sign);
}

FUNCTION NAME(pair) NAME(asin_pair)(REAL x)
{
    return NAME(arc)(x, 0);
}

FUNCTION NAME(pair) NAME(acos_pair)(REAL x)
{
    return NAME(arc)(x, 1);
}

/* ---- roots ----------------------------------------------------------------------- */

/* |x| = 8^k v, 0.35 < v < 2.83. A polynomial gives the root to 2^-19; Halley's step to
 * 2^-53 and more; a last step of Newton, with v - y^3 as a pair, to 2^-100. */
FUNCTION NAME(scaled) NAME(cbrt_pair)(REAL x)
{
    const REAL a = NAME(magnitude)(x);
    const MASK edge = (a == 0) | (a == OWN_INFINITY) | (x != x);
    const NAME(parts) f = NAME(take_apart)(a);
    const REAL k = NAME(nearest)(f.n * (1 / 3.0)), j = f.n - 3 * k;
    const MASK up = j > 0, down = j < 0;
    const REAL one = NUMBER(1.0);
    const REAL v = f.m * SELECT(up, 2 * one, SELECT(down, 0.5 * one, one));
    const REAL guess = NAME(cbrt_series)(f.m) *
                       SELECT(up, NUMBER(OWN_CBRT_2),
                              SELECT(down, NUMBER(OWN_CBRT_HALF), one));
    const REAL cube = guess * guess * guess;
    const REAL y = guess + guess * ((v - cube) / FMA(NUMBER(2.0), cube, v));
    const NAME(pair) exact = NAME(pair_of)(y, NUMBER(0.0)),
                     square = NAME(multiply)(exact, exact),
                     third = NAME(multiply)(square, exact);
    NAME(scaled) s;

    s.p = NAME(pair_of)(y, ((v - third.h) - third.l) / (3 * square.h));
    s.p = NAME(replace)(s.p, edge, a);
    s.p = NAME(negate_pair_by)(s.p, NAME(sign_bit)(x));
    s.n = SELECT(edge, NUMBER(0.0), k);
    return s;
}

/* With a >= b, scaled by a power of two: sqrt(a^2 + b^2) and its error by one step of
 * Newton; the sum of squares is a pair. Error 2^-100. */
FUNCTION NAME(scaled) NAME(hypot_pair)(REAL x, REAL y)
{
    const REAL b = NAME(magnitude)(x), c = NAME(magnitude)(y);
    const REAL large = SELECT(b > c, b, c), small = SELECT(b > c, c, b);
    const MASK edge = (large == 0) | (large == OWN_INFINITY) | (small == OWN_INFINITY);
    const MASK unknown = (x != x) | (y != y);
    const NAME(parts) f = NAME(take_apart)(SELECT(edge | unknown, NUMBER(1.0), large));
    const REAL less = NAME(scale)(small, -f.n);
    const NAME(pair) p = NAME(pair_of)(f.m, NUMBER(0.0)),
                     q = NAME(pair_of)(less, NUMBER(0.0)), p2 = NAME(multiply)(p, p),
                     q2 = NAME(multiply)(q, q);
    NAME(pair) sum = NAME(add_ordered)(p2.h, q2.h);
    NAME(scaled) s;

    sum = NAME(add_ordered)(sum.h, sum.l + (p2.l + q2.l));
    s.p.h = SQRT(sum.h);
    s.p.l = (FMA(-s.p.h, s.p.h, sum.h) + sum.l) / (2 * s.p.h);
    s.p = NAME(replace)(s.p, unknown, x + y);
    s.p = NAME(replace)(s.p, edge, SELECT(b > c, b, c));
    s.p = NAME(replace)(s.p, (b == OWN_INFINITY) | (c == OWN_INFINITY), OWN_INFINITY);
    s.n = SELECT(edge | unknown, NUMBER(0.0), f.n);
    return s;
}

/* ---- the error function ---------------------------------------------------------- */

/* Up to 1: 2/sqrt(pi) (x + x z (-1/3 + z (1/10 + t))). The rounded t < 0.024: an error
 * of 2^-57.6, and 2^-60 of the polynomial. From 1 on: 1 - exp(-x^2) (G + y H(y)), where
 * the square is a pair. y H is rounded, five times or less. exp(-x^2) |y H| is largest at
 * x = 1, 0.012: an error of 2^-56.8 of erf(1), and 2^-60 of the polynomial. From 6 on,
 * erf is 1 to 2^-55. Tiny arguments are scaled, so that the product's error is not lost
 * below the range. */
FUNCTION NAME(scaled) NAME(erf_pair)(REAL x)
{
    const REAL a = NAME(magnitude)(x), zero = NUMBER(0.0);
    const MASK small = a < 1, tiny = a < 0x1p-800;
    const REAL inner = SELECT(tiny, a * 0x1p200, SELECT(small, a, zero)),
               outer = SELECT(a < 6, a, NUMBER(6.0));
    const NAME(pair) r = NAME(pair_of)(inner, zero), z = NAME(square)(r);
    const NAME(pair) w = NAME(multiply)(
        z, NAME(lead)(OWN_ERF_1, OWN_ERF_1_LOW, z.h * NAME(erf_series)(z.h)));
    NAME(pair) u = NAME(lead)(OWN_ERF_0, OWN_ERF_0_LOW, w.h), near, far, e;
    const NAME(pair) square = NAME(square)(NAME(pair_of)(outer, zero));
    NAME(scaled) s = NAME(exp_of_pair)(NAME(pair_of)(-square.h, -square.l));
    const REAL y = (outer - 1.125) / (outer + 1.125), power = NAME(power_of_two)(s.n);

    u.l = u.l + w.l;
    near = NAME(multiply)(
        NAME(odd)(r, z, u),
        NAME(pair_of)(NUMBER(OWN_TWO_OVER_ROOT_PI), NUMBER(OWN_TWO_OVER_ROOT_PI_LOW)));
    e = NAME(multiply)(s.p,
                       NAME(lead)(OWN_ERFC_0, OWN_ERFC_0_LOW, y * NAME(erfc_series)(y)));
    far = NAME(add_ordered)(NUMBER(1.0), -(e.h * power));
    far.l = far.l - e.l * power;
    near = NAME(replace)(NAME(choose)(small, near, far), x != x, x);
    s.p = NAME(negate_pair_by)(near, NAME(sign_bit)(x));
    s.n = SELECT(tiny, NUMBER(-200.0), zero);
    return s;
}

/* ---- exact functions ------------------------------------------------------------- */

/* The nearest integer to a >= 0, to even. From 2^52 on all numbers are integers. */
FUNCTION REAL NAME(nearest_integer)(REAL a)
{
    return SELECT(a < 0x1p52, (a + 0x1p52) - 0x1p52, a);
}

FUNCTION REAL NAME(floor)(REAL x)
{
    const WORD sign = NAME(sign_bit)(x);
    const REAL near = NAME(negate_by)(NAME(nearest_integer)(NAME(magnitude)(x)), sign);
    const REAL down = near - SELECT(near > x, NUMBER(1.0), NUMBER(0.0));

    return NAME(negate_by)(NAME(magnitude)(down), sign);
}

FUNCTION REAL NAME(ceil)(REAL x)
{
    return -NAME(floor)(-x);
}

/* Halves go away from zero. */
FUNCTION REAL NAME(round)(REAL x)
{
    const REAL a = NAME(magnitude)(x), near = NAME(nearest_integer)(a);
    const REAL up = SELECT(a - near == 0.5, NUMBER(1.0), NUMBER(0.0));

    return NAME(negate_by)(near + up, NAME(sign_bit)(x));
}

/* -1, 1, or x itself if x is 0 or not a number. */
FUNCTION REAL NAME(sign)(REAL x)
{
    return SELECT(x > 0, NUMBER(1.0), SELECT(x < 0, NUMBER(-1.0), x));
}

#if SCALAR
/* a modulo b for any a > 0 and b > 0: a long division, with 50 bits a step. */
OWN_NOT_INLINE double f64_divide_long(double a, double b)
{
    while (a >= b) {
        double t = b, q;
        while (t < a * 0x1p-500)
            t *= 0x1p450;
        while (t < a * 0x1p-50)
            t *= 0x1p20;
        q = (double)(int64_t)(a / t);
        a = FMA(-q, t, a); /* exact: a multiple of the last bit of t, below t */
        if (a < 0)
            a += t;
    }
    return a;
}
#else
OWN_NOT_INLINE doubles doubles_divide_long(doubles a, doubles b)
{
    for (int lane = 0; lane < DOUBLES; lane++)
        a[lane] = f64_divide_long(a[lane], b[lane]);
    return a;
}
#endif

/* x - y floor(x / y): the remainder with the sign of y, so in [0, y) for y > 0. It is
 * exact if x and y have the same sign, else |y| - (|x| modulo |y|), rounded once. Not
 * a number if y is 0 or x infinite. A rounded quotient is never below the integer part
 * of a / b. */
FUNCTION NAME(pair) NAME(mod_pair)(REAL x, REAL y)
{
    const REAL a = NAME(magnitude)(x), b = NAME(magnitude)(y);
    const MASK known = (a < OWN_INFINITY) & (b > 0);
    const REAL divisor = SELECT(known & (b < OWN_INFINITY), b, NUMBER(1.0));
    const REAL above = SELECT(known, a, NUMBER(0.0)), quotient = above / divisor;
    const MASK far = quotient >= 0x1p51;
    const REAL near = NAME(nearest)(SELECT(far, NUMBER(0.0), quotient));
    const REAL rest = FMA(-near, divisor, above);
    REAL r = SELECT(rest < 0, rest + divisor, rest);
    NAME(pair) p;

    if (ANY(far))
        r = NAME(divide_long)(above, divisor);
    r = SELECT(b == OWN_INFINITY, above, r);
    const MASK turned = (r > 0) & ((x < 0) ^ (y < 0));
    p = NAME(add_ordered)(b, -r);
    p = NAME(choose)(turned, p, NAME(pair_of)(r, NUMBER(0.0)));
    p = NAME(replace)(p, (b == OWN_INFINITY) & turned, b);
    p = NAME(negate_pair_by)(p, NAME(sign_bit)(y));
    return NAME(replace)(p, (a == OWN_INFINITY) | (b == 0) | (x != x) | (y != y),
                         OWN_NAN);
}

/* ---- bits of whole numbers -------------------------------------------------------- */

#define OWN_UNITS 0x4330000000000000u /* bits of 2^52: the last bit of a sum counts 1 */

/* True for whole numbers from 0 to 2^53 - 1. */
FUNCTION MASK NAME(is_whole)(REAL x)
{
    return (x >= 0) & (x < 0x1p53) & ((x >= 0x1p52) | ((x + 0x1p52) - 0x1p52 == x));
}

/* The 53 bits of a whole number. 0x1p-1022 has bit 52 alone. */
FUNCTION WORD NAME(bits_of)(REAL x)
{
    const MASK high = x >= 0x1p52;
    const WORD low = TO_BITS(SELECT(high, x, x + 0x1p52)) &
                     ~(uint64_t)0xfff0000000000000u;

    return low | TO_BITS(SELECT(high, NUMBER(0x1p-1022), NUMBER(0.0)));
}

/* The whole number of 53 bits, but NaN if an argument is none. */
FUNCTION NAME(pair) NAME(of_bits)(WORD bits, REAL x, REAL y)
{
    const REAL low = FROM_BITS((bits & ~(uint64_t)0xfff0000000000000u) | OWN_UNITS);
    const REAL high = FROM_BITS(-(bits >> 52) & OWN_UNITS);
    const REAL v = (low - 0x1p52) + high;

    return NAME(pair_of)(SELECT(NAME(is_whole)(x) & NAME(is_whole)(y), v, OWN_NAN),
                         NUMBER(0.0));
}

FUNCTION NAME(pair) NAME(bitand_pair)(REAL x, REAL y)
{
    return NAME(of_bits)(NAME(bits_of)(x) & NAME(bits_of)(y), x, y);
}

FUNCTION NAME(pair) NAME(bitor_pair)(REAL x, REAL y)
{
    return NAME(of_bits)(NAME(bits_of)(x) | NAME(bits_of)(y), x, y);
}

FUNCTION NAME(pair) NAME(bitxor_pair)(REAL x, REAL y)
{
    return NAME(of_bits)(NAME(bits_of)(x) ^ NAME(bits_of)(y), x, y);
}

/* Every place beyond 63 moves all bits out of 53. */
FUNCTION NAME(pair) NAME(shl_pair)(REAL x, REAL y)
{
    const REAL v = x * NAME(power_of_two)(SELECT(y < 63, y, NUMBER(63.0)));
    const MASK known = NAME(is_whole)(x) & NAME(is_whole)(y) & (v < 0x1p53);

    return NAME(pair_of)(SELECT(known, v, OWN_NAN), NUMBER(0.0));
}

FUNCTION NAME(pair) NAME(shr_pair)(REAL x, REAL y)
{
    const REAL v = x * NAME(power_of_two)(-SELECT(y < 63, y, NUMBER(63.0)));

    return NAME(pair_of)(
        SELECT(NAME(is_whole)(x) & NAME(is_whole)(y), NAME(floor)(v), OWN_NAN),
        NUMBER(0.0));
}

/* ---- results in f64 and f32 ------------------------------------------------------ */

FUNCTION REAL NAME(round_once)(NAME(pair) p)
{
    return p.h + p.l;
}

/* A result near the ends of the range. A subnormal one is rounded by a sum with 2^52
 * of its units. The error of the sum and p.l then correct the sum. */
FUNCTION REAL NAME(round_far)(NAME(scaled) s)
{
    const REAL y = s.p.h + s.p.l;
    const WORD sign = NAME(sign_bit)(y);
    const MASK deep = s.n < -100;
    const REAL units = NAME(power_of_two)(SELECT(deep, -1022 - s.n, NUMBER(0.0)));
    const NAME(pair) p = NAME(negate_pair_by)(NAME(add_ordered)(s.p.h, s.p.l), sign);
    const NAME(pair) t = NAME(add_ordered)(units, p.h);
    const REAL rounded = NAME(negate_by)((t.h + (t.l + p.l)) - units, sign);

    return NAME(scale)(SELECT(deep & (NAME(magnitude)(y) < units), rounded, y), s.n);
}

FUNCTION REAL NAME(round_scaled)(NAME(scaled) s)
{
    if (ANY(NAME(magnitude)(s.n) > 150))
        return NAME(round_far)(s);
    return (s.p.h + s.p.l) * NAME(power_of_two)(s.n);
}

FUNCTION REAL NAME(round_scaled_odd)(NAME(scaled) s)
{
    if (ANY(NAME(magnitude)(s.n) > 1000))
        return NAME(scale)(NAME(round_once_odd)(s.p), s.n);
    return NAME(round_once_odd)(s.p) * NAME(power_of_two)(s.n);
}

/* log(m) = 2 atanh(s), as log_near_one, for an m of 25 bits. Every coefficient is a pair.
 * The term after the last one is below 2^-106, so rounding dominates: an error of
 * 2^-102. */
FUNCTION NAME(pair) NAME(log_long)(REAL m)
{
    const NAME(pair) s = NAME(divide)(NAME(pair_of)(m - 1.0, NUMBER(0.0)),
                                      NAME(pair_of)(m + 1.0, NUMBER(0.0))),
                     z = NAME(square)(s);
    NAME(pair) u = NAME(pair_of)(NUMBER(0.0), NUMBER(0.0));

    for (int k = 43; k > 0; k -= 2) {
        const NAME(pair) v = NAME(multiply)(z, u),
                         c = NAME(divide)(NAME(pair_of)(NUMBER(2.0), NUMBER(0.0)),
                                          NAME(pair_of)(NUMBER((double)k), NUMBER(0.0)));
        u = NAME(add_ordered)(c.h, v.h);
        u.l = u.l + (c.l + v.l);
    }
    return NAME(multiply)(s, u);
}

/* y log a - log m, with an error of 2^-95, if a^y is near m. a and y are f32, and m has
 * 25 bits. The factor of ln 2 is exact. */
OWN_NOT_INLINE REAL NAME(compare_pow)(REAL a, REAL y, REAL m)
{
    const NAME(parts) f = NAME(take_normal_apart)(a), g = NAME(take_normal_apart)(m);
    const NAME(pair)
        b = NAME(multiply)(NAME(pair_of)(y, NUMBER(0.0)), NAME(log_long)(f.m)),
        c = NAME(log_long)(g.m),
        d = NAME(multiply)(NAME(pair_of)(FMA(y, f.n, -g.n), NUMBER(0.0)),
                           NAME(pair_of)(NUMBER(OWN_LN2_FULL), NUMBER(OWN_LN2_FULL_LOW))),
        s = NAME(add)(d.h, b.h), t = NAME(add)(s.h, -c.h);

    return t.h + (t.l + (s.l + ((d.l + b.l) - c.l)));
}

/* w is x^y rounded to odd. If w is so near to a midpoint m of two f32 that its error
 * counts, y log|x| - log m decides the side.
 *
 * The power may be m itself. Let |x| be X 2^e with an odd X. If X is 1, the difference is
 * exactly 0. Else y = n / 2^k > 0, and an odd R > 1 has R^(2^k) = X < 2^24, R^n < 2^25:
 * so k <= 3 and y < 16. For these y, no other power is nearer to a midpoint than 2^-59
 * (docs/notes/functions.md). */
FUNCTION REAL NAME(decide_pow)(REAL w, REAL x, REAL y)
{
    const REAL v = NAME(magnitude)(w),
               binade = FROM_BITS(TO_BITS(v) & 0x7ff0000000000000u),
               magic = SELECT(binade > 0x1p-126, binade, NUMBER(0x1p-126)) * 0x1.8p28,
               m = (v + magic) - magic;
    const MASK near = NAME(magnitude)(v - m) < v * 0x1p-51;

    if (!ANY(near))
        return w;
    const REAL d = NAME(compare_pow)(NAME(magnitude)(x), y, m),
               side = SELECT(d > 0, NUMBER(0x1p-50),
                             SELECT(d < 0, NUMBER(-0x1p-50), NUMBER(0.0)));
    const MASK eighths = NAME(nearest)(8 * y) == 8 * y;
    const MASK tie = eighths & (NAME(magnitude)(d) < 0x1p-70) & (y > 0) & (y < 16);
    const REAL r = FMA(m, SELECT(tie, NUMBER(0.0), side), m);
    return SELECT(near, NAME(negate_by)(r, NAME(sign_bit)(w)), w);
}

/* ---- near values for results in f32 ------------------------------------------------ */

/* word_near is the value with a relative error below 2^-39, for arguments that are f32.
 * Where a method does not hold, it is not a number. Nearly all near values decide the
 * result in f32: if the ends of y (1 - 2^-38) .. y (1 + 2^-38) round to the same f32, the
 * value rounds to it, too. For the others, one in 2^13, the pair is computed. */
#define OWN_LESS (1 - 0x1p-38)
#define OWN_MORE (1 + 0x1p-38)

/* exp(x) = 2^n (1 + m) for |x| <= 200. Error of m: 2^-43 of it, and 2^-47. */
FUNCTION NAME(parts) NAME(exp_parts)(REAL x)
{
    const REAL n = FMA(x, NUMBER(OWN_LOG2_E), NUMBER(OWN_MAGIC)) - OWN_MAGIC;
    const REAL r = FMA(-n, NUMBER(OWN_LN2_FULL), x);
    const NAME(parts) f = {n, r * NAME(near_exp_series)(r)};

    return f;
}

/* From 200 on, and from -200 down, the result in f32 is infinite or 0. */
FUNCTION REAL NAME(exp_near)(REAL x)
{
    const REAL below = SELECT(x > 200, NUMBER(200.0), x);
    const NAME(parts) f = NAME(exp_parts)(SELECT(below < -200, NUMBER(-200.0), below));
    const REAL power = NAME(power_of_two)(f.n);

    return FMA(power, f.m, power);
}

/* As `hyperbolic`. */
FUNCTION REAL NAME(hyperbolic_near)(REAL x, int cosine)
{
    const REAL a = NAME(magnitude)(x);
    const NAME(parts) f = NAME(exp_parts)(SELECT(a > 200, NUMBER(200.0), a));
    const REAL b = NAME(power_of_two)(-2 * f.n), d = b * f.m / (1 + f.m);
    const REAL sum = cosine ? (f.m - d) + (1 + b) : (f.m + d) + (1 - b);

    return sum * NAME(power_of_two)(f.n - 1);
}

FUNCTION REAL NAME(sinh_near)(REAL x)
{
    return NAME(negate_by)(NAME(hyperbolic_near)(x, 0), NAME(sign_bit)(x));
}

FUNCTION REAL NAME(cosh_near)(REAL x)
{
    return NAME(hyperbolic_near)(x, 1);
}

/* As `tanh_pair`. */
FUNCTION REAL NAME(tanh_near)(REAL x)
{
    const REAL a = NAME(magnitude)(x);
    const NAME(parts) f = NAME(exp_parts)(2 * SELECT(a > 22, NUMBER(22.0), a));
    const REAL b = NAME(power_of_two)(-f.n);

    return NAME(negate_by)((f.m + (1 - b)) / (f.m + (1 + b)), NAME(sign_bit)(x));
}

/* Error 2^-45.9. Of -0 it is not a number, since powers of -0 have signs. */
FUNCTION REAL NAME(log_near)(REAL x)
{
    const NAME(parts) f = NAME(take_normal_apart)(x);
    const REAL g = f.m - 1.0,
               y = FMA(f.n, NUMBER(OWN_LN2_FULL), g * NAME(near_log_series)(g));

    return SELECT((x > 0) & (x < OWN_INFINITY), y,
                  SELECT(TO_BITS(x) == 0, -OWN_INFINITY, OWN_NAN));
}

FUNCTION REAL NAME(log10_near)(REAL x)
{
    return NAME(log_near)(x) * OWN_LOG10_E;
}

/* |y log x| < 104, or the result in f32 is infinite or 0: the error of log x adds
 * 2^-39.2. */
FUNCTION REAL NAME(pow_near)(REAL x, REAL y)
{
    return NAME(exp_near)(y * NAME(log_near)(x));
}

/* sin(x - n pi), negated if the last bit of to_q is set. pi has two parts: below 2^30,
 * the first fma is exact, as in reduce_angle. */
FUNCTION REAL NAME(turn_near)(REAL x, REAL to_q, REAL n)
{
    const REAL main = FMA(-n, NUMBER(OWN_PI), x), r = FMA(-n, NUMBER(OWN_PI_LOW), main);
    const REAL y = NAME(negate_by)(r * NAME(near_sin_series)(r * r), TO_BITS(to_q) << 63);

    return SELECT(NAME(magnitude)(x) < OWN_LARGE, y, OWN_NAN);
}

FUNCTION REAL NAME(sin_near)(REAL x)
{
    const REAL to_q = FMA(x, NUMBER(OWN_ONE_OVER_PI), NUMBER(OWN_MAGIC));

    return NAME(turn_near)(x, to_q, to_q - OWN_MAGIC);
}

/* cos(x) = sin(x + pi/2). */
FUNCTION REAL NAME(cos_near)(REAL x)
{
    const REAL to_q = FMA(x, NUMBER(OWN_ONE_OVER_PI), NUMBER(0.5)) + OWN_MAGIC;

    return NAME(turn_near)(x, to_q, (to_q - OWN_MAGIC) - 0.5);
}

FUNCTION REAL NAME(tan_near)(REAL x)
{
    return NAME(sin_near)(x) / NAME(cos_near)(x);
}

/* The angle of the point (x, y), as atan2_pair. Two infinite numbers have no quotient. */
FUNCTION REAL NAME(atan2_near)(REAL y, REAL x)
{
    const REAL a = NAME(magnitude)(y), b = NAME(magnitude)(x);
    const MASK swapped = a > b;
    const REAL large = SELECT(swapped, a, b),
               r = SELECT(swapped, b, a) / SELECT(large == 0, NUMBER(1.0), large),
               t = r * NAME(near_atan_series)(r * r),
               up = SELECT(swapped, OWN_HALF_PI - t, t);
    const MASK left = NAME(negate_by)(NUMBER(1.0), NAME(sign_bit)(x)) < 0;

    return NAME(negate_by)(SELECT(left, OWN_PI - up, up), NAME(sign_bit)(y));
}

FUNCTION REAL NAME(atan_near)(REAL x)
{
    return NAME(atan2_near)(x, NUMBER(1.0));
}

/* As `arc`: v = r P(z) is asin(a) up to 1/2, else 2 asin(s). */
FUNCTION REAL NAME(arc_near)(REAL x, int cosine)
{
    const REAL a = NAME(magnitude)(x), rest = 0.5 - a * 0.5;
    const MASK outer = a > 0.5;
    const REAL r = SELECT(outer, 2 * SQRT(rest), a),
               v = r * NAME(near_asin_series)(SELECT(outer, rest, a * a)),
               sine = NAME(negate_by)(SELECT(outer, OWN_HALF_PI - v, v),
                                      NAME(sign_bit)(x));

    return cosine ? SELECT(outer & (x > 0), v, OWN_HALF_PI - sine) : sine;
}

FUNCTION REAL NAME(asin_near)(REAL x)
{
    return NAME(arc_near)(x, 0);
}

FUNCTION REAL NAME(acos_near)(REAL x)
{
    return NAME(arc_near)(x, 1);
}

/* Squares of f32 are exact, and stay in the range of f64. */
FUNCTION REAL NAME(hypot_near)(REAL x, REAL y)
{
    return SQRT(FMA(x, x, y * y));
}

/* ONE(word, rounding, f32) for functions of one number, TWO for those of two. `f32` is
 * near if word_near decides nearly all results in f32, else whole. tied is near, but
 * decide_word then decides results near a midpoint. */
#define OWN_FUNCTIONS(ONE, TWO)                                                          \
    ONE(sin, round_once, near)                                                           \
    ONE(cos, round_once, near)                                                           \
    ONE(tan, round_once, near)                                                           \
    ONE(asin, round_once, near)                                                          \
    ONE(acos, round_once, near)                                                          \
    ONE(atan, round_once, near)                                                          \
    ONE(sinh, round_scaled, near)                                                        \
    ONE(cosh, round_scaled, near)                                                        \
    ONE(tanh, round_once, near)                                                          \
    ONE(exp, round_scaled, near)                                                         \
    ONE(log, round_once, near)                                                           \
    ONE(log10, round_once, near)                                                         \
    ONE(sinc, round_once, whole)                                                         \
    ONE(cbrt, round_scaled, whole)                                                       \
    ONE(erf, round_scaled, whole)                                                        \
    TWO(pow, round_scaled, tied)                                                         \
    TWO(atan2, round_once, near)                                                         \
    TWO(hypot, round_scaled, near)                                                       \
    TWO(mod, round_once, whole)                                                          \
    TWO(bitand, round_once, whole)                                                       \
    TWO(bitor, round_once, whole)                                                        \
    TWO(bitxor, round_once, whole)                                                       \
    TWO(shl, round_once, whole)                                                          \
    TWO(shr, round_once, whole)

/* X(word): exact functions of one number. */
#define OWN_EXACT_FUNCTIONS(X)                                                           \
    X(sign)                                                                              \
    X(round)                                                                             \
    X(ceil)                                                                              \
    X(floor)

/* word: the result in f64. word_odd: an f64 that rounds to the right f32. */
#define OWN_ODD_whole(word, odd) odd
#define OWN_ODD_near(word, odd) odd
#define OWN_ODD_tied(word, odd) NAME(decide_##word)(odd, x, y)
#define OWN_F64(word, rounding, f32, parameters, arguments)                              \
    FUNCTION REAL NAME(word) parameters                                                  \
    {                                                                                    \
        return NAME(rounding)(NAME(word##_pair) arguments);                              \
    }                                                                                    \
    FUNCTION REAL NAME(word##_odd) parameters                                            \
    {                                                                                    \
        return OWN_ODD_##f32(word, NAME(rounding##_odd)(NAME(word##_pair) arguments));   \
    }
#define OWN_ONE(word, rounding, f32) OWN_F64(word, rounding, f32, (REAL x), (x))
#define OWN_TWO(word, rounding, f32)                                                     \
    OWN_F64(word, rounding, f32, (REAL x, REAL y), (x, y))
OWN_FUNCTIONS(OWN_ONE, OWN_TWO)
#undef OWN_ONE
#undef OWN_TWO
#if SCALAR
#define OWN_F32_whole(word, parameters, arguments, wide)                                 \
    FUNCTION float f32_##word parameters                                                 \
    {                                                                                    \
        return (float)f64_##word##_odd wide;                                             \
    }
#define OWN_F32_near(word, parameters, arguments, wide)                                  \
    OWN_NOT_INLINE float f32_##word##_whole parameters                                   \
    {                                                                                    \
        return (float)f64_##word##_odd wide;                                             \
    }                                                                                    \
    FUNCTION float f32_##word parameters                                                 \
    {                                                                                    \
        const double v = f64_##word##_near wide;                                         \
        const float less = (float)(v * OWN_LESS), more = (float)(v * OWN_MORE);          \
        return less == more ? less : f32_##word##_whole arguments;                       \
    }
#define OWN_F32_tied OWN_F32_near
#define OWN_ONE(word, rounding, f32) OWN_F32_##f32(word, (float x), (x), ((double)x))
#define OWN_TWO(word, rounding, f32)                                                     \
    OWN_F32_##f32(word, (float x, float y), (x, y), ((double)x, (double)y))
#define OWN_EXACT(word)                                                                  \
    FUNCTION float f32_##word(float x)                                                   \
    {                                                                                    \
        return (float)f64_##word((double)x);                                             \
    }
OWN_FUNCTIONS(OWN_ONE, OWN_TWO)
OWN_EXACT_FUNCTIONS(OWN_EXACT)
#undef OWN_ONE
#undef OWN_TWO
#undef OWN_EXACT
#undef OWN_F32_whole
#undef OWN_F32_near
#undef OWN_F32_tied
#endif
