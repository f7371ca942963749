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
 *     LOOKUP(table, j)   the number of a table at the four last bits of j
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

/* a + b, to some 2^-104, if a has the larger magnitude, or is 0. */
FUNCTION NAME(pair) NAME(sum)(NAME(pair) a, NAME(pair) b)
{
    const NAME(pair) s = NAME(add_ordered)(a.h, b.h);

    return NAME(pair_of)(s.h, s.l + (a.l + b.l));
}

/* a * b exactly. */
FUNCTION NAME(pair) NAME(product)(REAL a, REAL b)
{
    const REAL h = a * b;

    return NAME(pair_of)(h, FMA(a, b, -h));
}

/* a * b, to some 2^-104; the same for one number b. */
FUNCTION NAME(pair) NAME(multiply)(NAME(pair) a, NAME(pair) b)
{
    const NAME(pair) p = NAME(product)(a.h, b.h);

    return NAME(pair_of)(p.h, FMA(a.h, b.l, FMA(a.l, b.h, p.l)));
}

FUNCTION NAME(pair) NAME(times)(NAME(pair) a, REAL b)
{
    const NAME(pair) p = NAME(product)(a.h, b);

    return NAME(pair_of)(p.h, FMA(a.l, b, p.l));
}

/* a / b, to some 2^-100, by one division. */
FUNCTION NAME(pair) NAME(divide)(NAME(pair) a, NAME(pair) b)
{
    const REAL inverse = 1.0 / b.h, h = a.h * inverse;

    return NAME(pair_of)(h, (FMA(-h, b.h, a.h) + FMA(-h, b.l, a.l)) * inverse);
}

/* The square root of p. Newton's step takes half the inverse of the root to 2^-7: bits of
 * the root, taken from a constant, give it to 2^-3.5, one step of Newton the rest. */
FUNCTION NAME(pair) NAME(root_of)(NAME(pair) p)
{
    const REAL h = SQRT(p.h), guess = FROM_BITS(0x7fcdf00000000000u - TO_BITS(h));

    return NAME(pair_of)(h, (FMA(-h, h, p.h) + p.l) *
                                (guess * FMA(h * guess, NUMBER(-2.0), NUMBER(2.0))));
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

/* The number in two rows of a table. */
FUNCTION NAME(pair) NAME(pair_at)(const double (*table)[16], WORD j)
{
    return NAME(pair_of)(LOOKUP(table[0], j), LOOKUP(table[1], j));
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

/* 2^(m/16) for the integer m: to_m is m + OWN_MAGIC. */
FUNCTION NAME(scaled) NAME(power_of_step)(REAL to_m)
{
    const WORD j = TO_BITS(to_m);
    const NAME(scaled)
        s = {NAME(pair_at)(own_exp, j),
             NAME(nearest)(FMA(to_m - OWN_MAGIC, NUMBER(1 / 16.0), NUMBER(-15 / 32.0)))};

    return s;
}

/* exp(x) = 2^(m/16) exp(r), x = m ln(2) / 16 + r, |r| <= 0.0217: the fma with the first
 * part of the step is exact. r and r + r^2 P(r) are rounded, below 2^-5.5 of the value,
 * and so is their product. Error of the pair: 2^-57.4. What is not a number passes. */
FUNCTION NAME(scaled) NAME(exp_of_pair)(NAME(pair) x)
{
    const REAL below = SELECT(x.h > 800, NUMBER(800.0), x.h);
    const REAL h = SELECT(below < -800, NUMBER(-800.0), below),
               to_m = FMA(h, NUMBER(OWN_EXP_STEPS), NUMBER(OWN_MAGIC)),
               m = to_m - OWN_MAGIC, main = FMA(-m, NUMBER(OWN_EXP_STEP), h);
    const REAL r = main +
                   FMA(-m, NUMBER(OWN_EXP_STEP_LOW), SELECT(h == x.h, x.l, NUMBER(0.0)));
    NAME(scaled) s = NAME(power_of_step)(to_m);

    s.p.l = FMA(s.p.h, FMA(r * r, NAME(exp_series)(r), r), s.p.l);
    return s;
}

FUNCTION NAME(scaled) NAME(exp_pair)(REAL x)
{
    return NAME(exp_of_pair)(NAME(pair_of)(x, NUMBER(0.0)));
}

/* 2 sinh(|x|) / 2^n and 2 cosh(|x|) / 2^n. */
typedef struct NAME(hyperbolas) {
    NAME(pair) sinh, cosh;
    REAL n;
} NAME(hyperbolas);

/* 2^(-2 n), but 0x1p-1000 from n = 500 on. */
FUNCTION REAL NAME(shrink)(REAL n)
{
    return NAME(power_of_two)(SELECT(n < 500, -2 * n, NUMBER(-1000.0)));
}

/* |x| = m ln(2) / 16 + r. With s and c, sinh and cosh of the first part:
 *
 *     sinh(x) = s + c r + c (sinh(r) - r) + s (cosh(r) - 1)
 *     cosh(x) = c + s sinh(r) + c (cosh(r) - 1)
 *
 * s is 0 or above c |r|. s + c r has its error; the other terms of sinh are below
 * 2^-11 of it. Those of cosh are below 2^-5.5: an error of 2^-58. */
FUNCTION NAME(hyperbolas) NAME(hyperbolic)(REAL x)
{
    const REAL a = NAME(magnitude)(x), below = SELECT(a > 800, NUMBER(800.0), a),
               to_m = FMA(below, NUMBER(OWN_EXP_STEPS), NUMBER(OWN_MAGIC));
    const REAL m = to_m - OWN_MAGIC, main = FMA(-m, NUMBER(OWN_EXP_STEP), below);
    const NAME(pair) r = NAME(add_ordered)(main, -(m * OWN_EXP_STEP_LOW));
    const NAME(scaled) up = NAME(power_of_step)(to_m),
                       down = NAME(power_of_step)(OWN_MAGIC - m);
    const REAL factor = NAME(shrink)((up.n - down.n) * 0.5), b = down.p.h * factor,
               z = r.h * r.h;
    const REAL odd = FMA(r.h * z, NAME(sinh_series)(z), r.l),
               even = z * NAME(cosh_series)(z);
    NAME(pair) s = NAME(add_ordered)(up.p.h, -b), c = NAME(add_ordered)(up.p.h, b);
    const NAME(pair) t = NAME(product)(c.h, r.h);
    NAME(hyperbolas) f;

    s.l = s.l + FMA(-factor, down.p.l, up.p.l);
    c.l = c.l + FMA(factor, down.p.l, up.p.l);
    f.sinh = NAME(add_ordered)(s.h, t.h);
    f.sinh.l = f.sinh.l + FMA(c.h, odd, FMA(c.l, r.h, FMA(s.h, even, s.l + t.l)));
    f.cosh = NAME(add_ordered)(c.h, FMA(s.h, r.h + odd, FMA(c.h, even, c.l)));
    f.n = up.n - 1;
    return f;
}

FUNCTION NAME(scaled) NAME(sinh_pair)(REAL x)
{
    const NAME(hyperbolas) f = NAME(hyperbolic)(x);
    const NAME(scaled) s = {NAME(negate_pair_by)(f.sinh, NAME(sign_bit)(x)), f.n};

    return s;
}

/* e + 1 / e for e = exp(|x|). Error of the pair: that of e. */
FUNCTION NAME(scaled) NAME(cosh_pair)(REAL x)
{
    NAME(scaled) s = NAME(exp_pair)(NAME(magnitude)(x));
    const NAME(pair) e = NAME(add_ordered)(s.p.h, s.p.l);
    const REAL inverse = 1.0 / e.h, factor = NAME(shrink)(s.n),
               rest = FMA(-inverse, e.l, FMA(-inverse, e.h, NUMBER(1.0))) * inverse;

    s.p = NAME(add_ordered)(e.h, inverse * factor);
    s.p.l = s.p.l + FMA(rest, factor, e.l);
    s.n = s.n - 1;
    return s;
}

/* From |x| = 22 on, tanh is 1 to 2^-62. */
FUNCTION NAME(pair) NAME(tanh_pair)(REAL x)
{
    const REAL a = NAME(magnitude)(x);
    const NAME(hyperbolas) f = NAME(hyperbolic)(SELECT(a > 22, NUMBER(22.0), a));

    return NAME(negate_pair_by)(NAME(divide)(f.sinh, f.cosh), NAME(sign_bit)(x));
}

/* ---- logarithms and powers ------------------------------------------------------- */

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

/* x = 2^n (1 + f) / c, where own_log[0] has c for the last bits of j. 1 + f is m c for
 * a mantissa m between 0.704 and 1.408. c is 1 for m near 1, else it has few bits: so f
 * is exact. |f| <= 0.0332. */
typedef struct NAME(ratio) {
    REAL n, f;
    WORD j;
} NAME(ratio);

FUNCTION NAME(ratio) NAME(split)(REAL x)
{
    const WORD above = TO_BITS(x) + (0x3ff0000000000000u - OWN_LOG_EDGE);
    const REAL m = FROM_BITS((above & 0xfffffffffffffu) + OWN_LOG_EDGE);
    NAME(ratio) s;

    s.j = above >> 48;
    s.n = FROM_BITS((above >> 52) + 0x4338000000000000u) - (OWN_MAGIC + 1023);
    s.f = FMA(m, LOOKUP(own_log[0], s.j), NUMBER(-1.0));
    return s;
}

/* split, of any 0 < x < infinity. */
FUNCTION NAME(ratio) NAME(split_any)(REAL x)
{
    const MASK tiny = x < 0x1p-1022;
    NAME(ratio) s = NAME(split)(SELECT(tiny, x * 0x1p54, x));

    s.n = s.n - SELECT(tiny, NUMBER(54.0), NUMBER(0.0));
    return s;
}

FUNCTION MASK NAME(is_normal)(REAL x)
{
    return (x >= 0x1p-1022) & (x < OWN_INFINITY);
}

/* n ln 2 - log(c), with the first part exact, and f: both with their error. */
FUNCTION NAME(pair) NAME(log_begin)(NAME(ratio) s)
{
    const REAL base = FMA(s.n, NUMBER(OWN_LN2), LOOKUP(own_log[1], s.j));
    NAME(pair) p = NAME(add_ordered)(base, s.f);

    p.l = p.l + FMA(s.n, NUMBER(OWN_LN2_LOW), LOOKUP(own_log[2], s.j));
    return p;
}

/* log(x) = n ln 2 - log(c) + f + f^2 P(f). Only f^2 P is rounded, below 2^-5.6 of the
 * value: an error of 2^-57.7. */
FUNCTION NAME(pair) NAME(log_of_ratio)(NAME(ratio) s)
{
    const NAME(pair) p = NAME(log_begin)(s);

    return NAME(pair_of)(p.h, FMA(s.f * s.f, NAME(log_series)(s.f), p.l));
}

/* The same to 2^-68: f - f^2/2 + f^3 (1/3 + f P(f)), of which only f P is rounded, and
 * f^4 P is below 2^-15.9 f. */
FUNCTION NAME(pair) NAME(log_finely)(NAME(ratio) s)
{
    const NAME(pair) p = NAME(log_begin)(s), half = NAME(product)(s.f, s.f * -0.5),
                     u = NAME(add_ordered)(NUMBER(OWN_POW_0),
                                           s.f * NAME(pow_series)(s.f)),
                     v = NAME(multiply)(NAME(times)(half, s.f),
                                        NAME(pair_of)(u.h, u.l + OWN_POW_0_LOW)),
                     t = NAME(sum)(p, half);

    return NAME(sum)(t, NAME(pair_of)(-2 * v.h, -2 * v.l));
}

/* Infinite or not a number where the logarithm is. */
OWN_NOT_INLINE NAME(pair) NAME(log_far)(REAL x)
{
    const REAL edge = SELECT(x == 0, -OWN_INFINITY, SELECT(x < 0, OWN_NAN, x));

    return NAME(replace)(NAME(log_of_ratio)(NAME(split_any)(x)),
                         (x <= 0) | (x == OWN_INFINITY) | (x != x), edge);
}

FUNCTION NAME(pair) NAME(log_pair)(REAL x)
{
    if (ANY(NAME(is_normal)(x) == 0))
        return NAME(log_far)(x);
    return NAME(log_of_ratio)(NAME(split)(x));
}

/* log(x) / ln 10. Powers of ten give integers, since the error is below half an ulp. */
FUNCTION NAME(pair) NAME(log10_pair)(REAL x)
{
    const NAME(pair) p = NAME(log_pair)(x),
                     e = NAME(pair_of)(NUMBER(OWN_LOG10_E), NUMBER(OWN_LOG10_E_LOW));
    const MASK finite = NAME(magnitude)(p.h) < OWN_INFINITY;

    return NAME(choose)(finite, NAME(multiply)(p, e), p);
}

/* |x|^y = exp(y log|x|) for 0 < |x| < infinity. |y log|x|| <= 745, so its error is
 * 2^-68 * 745 < 2^-58, and the error of the pair 2^-56.7. */
FUNCTION NAME(scaled) NAME(pow_of_ratio)(NAME(ratio) s, REAL y)
{
    const NAME(pair) log = NAME(log_finely)(s);
    const REAL h = y * log.h;

    return NAME(exp_of_pair)(NAME(pair_of)(h, FMA(y, log.h, -h) + y * log.l));
}

/* Special values are those of C99, annex F. */
OWN_NOT_INLINE NAME(scaled) NAME(pow_far)(REAL x, REAL y)
{
    const REAL a = NAME(magnitude)(x), b = NAME(magnitude)(y);
    NAME(scaled) s = NAME(pow_of_ratio)(NAME(split_any)(a), y);
    const MASK whole = (b >= 0x1p52) | (NAME(nearest)(b) == b);
    const REAL half = b * 0.5;
    const MASK odd = whole & (b < 0x1p53) &
                     ((half >= 0x1p51) | (NAME(nearest)(half) != half));
    const MASK edge = (a == 0) | (a == OWN_INFINITY) | (b == OWN_INFINITY);
    const MASK grows = ((a > 1) & (y > 0)) | ((a < 1) & (y < 0));
    const WORD sign = TO_BITS(SELECT(odd, x, NUMBER(1.0))) & OWN_SIGN_BIT;
    const MASK one = (x == 1) | (y == 0) | ((a == 1) & (b == OWN_INFINITY));

    s.p = NAME(replace)(s.p, edge, SELECT(grows, OWN_INFINITY, NUMBER(0.0)));
    s.n = SELECT(edge, NUMBER(0.0), s.n);
    s.p = NAME(negate_pair_by)(s.p, sign);
    s.p.h = SELECT((x < 0) & (a < OWN_INFINITY) & (b < OWN_INFINITY),
                   SELECT(whole, s.p.h, OWN_NAN), s.p.h);
    s.p.h = SELECT((x != x) | (y != y), x + y, s.p.h);
    s.p = NAME(replace)(s.p, one, NUMBER(1.0));
    s.n = SELECT(one, NUMBER(0.0), s.n);
    return s;
}

FUNCTION NAME(scaled) NAME(pow_pair)(REAL x, REAL y)
{
    if (ANY((NAME(is_normal)(x) & (NAME(magnitude)(y) < OWN_INFINITY)) == 0))
        return NAME(pow_far)(x, y);
    return NAME(pow_of_ratio)(NAME(split)(x), y);
}

/* ---- trigonometric functions ----------------------------------------------------- */

/* q pi/16 + r, of which the five last bits of q count. */
typedef struct NAME(angle) {
    NAME(pair) r;
    WORD q;
} NAME(angle);

#define OWN_LARGE 0x1p30
#if SCALAR
/* a - q pi/16 for any a: Payne and Hanek 1983. The quotient by pi/2 first, then the part
 * of pi/16 in the rest.
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
    double scale = 1, n;

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
    n = f64_nearest(angle.r.h * OWN_SIN_STEPS);
    angle.r = f64_add(FMA(-n, OWN_SIN_STEP, angle.r.h),
                      FMA(-n, OWN_SIN_STEP_LOW, angle.r.l));
    angle.q = 8 * angle.q + TO_BITS(n + OWN_MAGIC);
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

/* a = q pi/16 + r for a >= 0, |r| <= pi/32 (1 + 2^-17).
 *
 * pi/16 has three parts of 53 bits. Below 2^30 the first fma is exact (Cody and Waite
 * 1980): the difference is a multiple of 2^-55 and below 1/8. The product with the
 * second part is taken with its error, the third part adds 2^-113 q. So r has an error
 * of 2^-130, and |r| is never below 2^-62. */
FUNCTION NAME(angle) NAME(reduce_angle)(REAL a)
{
    const REAL to_q = FMA(a, NUMBER(OWN_SIN_STEPS), NUMBER(OWN_MAGIC)),
               n = to_q - OWN_MAGIC, main = FMA(-n, NUMBER(OWN_SIN_STEP), a);
    const NAME(pair) w = NAME(product)(n, NUMBER(OWN_SIN_STEP_LOW)),
                     r = NAME(add_ordered)(main, -w.h); /* exact: multiples of w's ulp */
    NAME(angle) angle;

    angle.r = NAME(pair_of)(r.h, FMA(-n, NUMBER(OWN_SIN_STEP_LEAST), r.l - w.l));
    angle.q = TO_BITS(to_q);
    if (ANY((a < OWN_LARGE) == 0))
        angle = NAME(reduce_large)(a, angle);
    return angle;
}

/* s + c r + c (sin(r) - r) + s (cos(r) - 1): sin of q pi/16 + r, if s and c are sin
 * and cos of the first part; cos, if they are cos and -sin. The part c r is taken with
 * its error. s is 0 or above it, and the rest is below 2^-4.3 of the sum: an error of
 * 2^-57. */
FUNCTION NAME(pair) NAME(turned)(NAME(pair) s, NAME(pair) c, NAME(pair) r)
{
    const REAL z = r.h * r.h, odd = FMA(r.h * z, NAME(sin_series)(z), r.l);
    const NAME(pair) t = NAME(product)(c.h, r.h), sum = NAME(add_ordered)(s.h, t.h);

    return NAME(pair_of)(
        sum.h, sum.l + FMA(c.h, odd,
                           FMA(c.l, r.h, FMA(s.h, z * NAME(cos_series)(z), s.l + t.l))));
}

/* sin and cos of q pi/16 but for the sign. */
typedef struct NAME(point) {
    NAME(pair) s, c;
} NAME(point);

FUNCTION NAME(point) NAME(point_at)(WORD q)
{
    const NAME(point) p = {NAME(pair_at)(own_sin, q), NAME(pair_at)(own_sin + 2, q)};

    return p;
}

FUNCTION NAME(pair) NAME(sin_of_angle)(NAME(angle) angle)
{
    const NAME(point) p = NAME(point_at)(angle.q);

    return NAME(negate_pair_by)(NAME(turned)(p.s, p.c, angle.r),
                                (angle.q << 59) & OWN_SIGN_BIT);
}

FUNCTION NAME(pair) NAME(sin_pair)(REAL x)
{
    const NAME(angle) angle = NAME(reduce_angle)(NAME(magnitude)(x));

    return NAME(negate_pair_by)(NAME(sin_of_angle)(angle), NAME(sign_bit)(x));
}

FUNCTION NAME(pair) NAME(cos_pair)(REAL x)
{
    NAME(angle) angle = NAME(reduce_angle)(NAME(magnitude)(x));

    angle.q = angle.q + 8;
    return NAME(sin_of_angle)(angle);
}

/* sin / cos. Error: that of both, 2^-56.7. */
FUNCTION NAME(pair) NAME(tan_pair)(REAL x)
{
    const NAME(angle) angle = NAME(reduce_angle)(NAME(magnitude)(x));
    const NAME(point) p = NAME(point_at)(angle.q);
    const NAME(pair) c = NAME(turned)(p.c, NAME(pair_of)(-p.s.h, -p.s.l), angle.r);

    return NAME(negate_pair_by)(
        NAME(divide)(NAME(turned)(p.s, p.c, angle.r), NAME(add_ordered)(c.h, c.l)),
        NAME(sign_bit)(x));
}

/* sin(pi x) / (pi x), 1 at 0. x is reduced exactly: x = 2 j + q/16 + g, |g| <= 1/32. */
FUNCTION NAME(pair) NAME(sinc_pair)(REAL x)
{
    const REAL a = SELECT(x == x, NAME(magnitude)(x), x), half = a * 0.5;
    const REAL near = NAME(nearest)(half);
    const REAL whole = SELECT(half < 0x1p51, near, half);
    const REAL rest = FMA(whole, NUMBER(-2.0), a); /* in -1 .. 1 */
    const REAL to_q = FMA(rest, NUMBER(16.0), NUMBER(OWN_MAGIC)),
               g = FMA(to_q - OWN_MAGIC, NUMBER(-1 / 16.0), rest);
    const NAME(pair) pi = NAME(pair_of)(NUMBER(OWN_PI), NUMBER(OWN_PI_LOW));
    NAME(angle) angle;
    NAME(pair) s;

    angle.r = NAME(times)(pi, g);
    angle.q = TO_BITS(to_q);
    s = NAME(divide)(NAME(sin_of_angle)(angle),
                     NAME(times)(pi, SELECT(a < 0x1p1000, a, NUMBER(0x1p1000))));
    s = NAME(replace)(s, a < 0x1p-30, NUMBER(1.0));
    s = NAME(replace)(s, a == OWN_INFINITY, NUMBER(0.0));
    return NAME(replace)(s, a != a, a);
}

/* ---- inverse trigonometric functions --------------------------------------------- */

/* The angle of the point (x, y), y >= 0; `low` and `high` are the smaller and the
 * larger of |x| and |y|, swapped if |y| > |x|.
 *
 * The angle is a direction of a table plus or minus atan(r), |r| <= 0.1637. With the
 * tangent t of the direction nearest to low / high, r is (low - t high) / (high + t low);
 * the table has that direction as seen from all four octants. Both parts are pairs. t has
 * few bits, and t high is 0 or between low / 2 and 2 low. atan(r) = r + r^3 P(r^2); only
 * the second term is rounded, below 2^-6.8 of r: an error of 2^-59. */
FUNCTION NAME(pair) NAME(find_angle)(REAL low, REAL high, MASK swapped, MASK left)
{
    const REAL zero = NUMBER(0.0), octant = SELECT(swapped, NUMBER(4.0), zero) +
                                            SELECT(left, NUMBER(8.0), zero);
    const WORD j = TO_BITS(
        SELECT(low > high * 0.5, NUMBER(OWN_MAGIC + 2),
               SELECT(low > high * 0.16, NUMBER(OWN_MAGIC + 1), NUMBER(OWN_MAGIC))) +
        octant);
    const WORD sign = ((j << 61) ^ (j << 60)) & OWN_SIGN_BIT;
    const REAL t = LOOKUP(own_direction[0], j);
    const NAME(pair) v = NAME(product)(t, high), w = NAME(product)(t, low);
    NAME(pair) below = NAME(add_ordered)(high, w.h), r;

    below.l = below.l + w.l;
    r = NAME(divide)(NAME(pair_of)(low - v.h, -v.l), below);
    const MASK tiny = ((low < 0x1p-900) | (r.h < 0x1p-900)) & (t == 0) & (low > 0);
    if (ANY(tiny)) /* the error of the quotient is lost below the range */
        r = NAME(choose)(tiny, NAME(pair_of)(low / high, zero), r);
    r.l = FMA(r.h * (r.h * r.h), NAME(atan_series)(r.h * r.h), r.l);
    return NAME(sum)(NAME(pair_at)(own_direction + 1, j), NAME(negate_pair_by)(r, sign));
}

FUNCTION NAME(pair) NAME(atan_pair)(REAL x)
{
    /* From 2^70 on, the result is pi/2. */
    const REAL a = NAME(magnitude)(x), b = SELECT(a < 0x1p70, a, NUMBER(0x1p70)),
               one = NUMBER(1.0);
    const MASK steep = b > 1;
    const NAME(pair) t = NAME(find_angle)(SELECT(steep, one, b), SELECT(steep, b, one),
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

/* asin(|x|), or acos(x). c is sqrt(1 - x^2), a pair. The angle up to pi/4 with the
 * sine low = min(|x|, c) is that of a table, plus asin(t):
 *
 *     t = low cos(angle) - high sin(angle), |t| <= 0.0325
 *
 * Its terms are pairs; the second one is 0 or between half and two times of the first
 * one. asin(t) = t + t^3 P(t^2): an error of 2^-63. Outside of -1 .. 1 the root is not
 * a number. */
FUNCTION NAME(pair) NAME(arc)(REAL x, int cosine)
{
    const REAL a = NAME(magnitude)(x), zero = NUMBER(0.0), one = NUMBER(1.0);
    const NAME(pair) square = NAME(product)(a, a),
                     rest = NAME(add_ordered)(one, -square.h),
                     c = NAME(root_of)(NAME(add_ordered)(rest.h, rest.l - square.l));
    const MASK steep = a > c.h;
    const NAME(pair) exact = NAME(pair_of)(a, zero), low = NAME(choose)(steep, c, exact),
                     high = NAME(choose)(steep, exact, c);
    const WORD j = TO_BITS(FMA(low.h, NUMBER(OWN_ARC_PARTS), NUMBER(-OWN_ARC_SHIFT)) +
                           OWN_MAGIC);
    const NAME(pair) v = NAME(multiply)(low, NAME(pair_at)(own_arc + 4, j)),
                     w = NAME(multiply)(high, NAME(pair_at)(own_arc + 2, j));
    const REAL t = v.h - w.h;
    const NAME(pair) s = NAME(sum)(
        NAME(pair_at)(own_arc, j),
        NAME(pair_of)(t, FMA(t * (t * t), NAME(asin_series)(t * t), v.l - w.l)));
    const NAME(pair)
        none = NAME(pair_of)(zero, zero),
        quarter = NAME(pair_of)(NUMBER(OWN_HALF_PI), NUMBER(OWN_HALF_PI_LOW)),
        half = NAME(pair_of)(NUMBER(OWN_PI), NUMBER(OWN_PI_LOW));
    const MASK left = x < 0, turned = cosine ? (MASK)(steep == left) : steep;

    return NAME(sum)(cosine ? NAME(choose)(steep, NAME(choose)(left, half, none), quarter)
                            : NAME(choose)(steep, quarter, none),
                     NAME(choose)(turned, NAME(pair_of)(-s.h, -s.l), s));
}

FUNCTION NAME(pair) NAME(asin_pair)(REAL x)
{
    return NAME(negate_pair_by)(NAME(arc)(x, 0), NAME(sign_bit)(x));
}

FUNCTION NAME(pair) NAME(acos_pair)(REAL x)
{
    return NAME(arc)(x, 1);
}

/* ---- roots ----------------------------------------------------------------------- */

/* |x| = 2^n (1 + f) / c = 8^k 2^j (1 + f) / c: the cube root is 2^k R cbrt(1 + f),
 * where R is the cube root of 2^j / c. */
FUNCTION NAME(scaled) NAME(cbrt_begin)(NAME(ratio) s)
{
    const REAL k = NAME(nearest)(s.n * (1 / 3.0)), j = FMA(k, NUMBER(-3.0), s.n);
    const NAME(pair)
        up = NAME(pair_of)(NUMBER(OWN_CBRT_2), NUMBER(OWN_CBRT_2_LOW)),
        down = NAME(pair_of)(NUMBER(OWN_CBRT_HALF), NUMBER(OWN_CBRT_HALF_LOW)),
        factor = NAME(choose)(j > 0, up, NAME(replace)(down, j == 0, NUMBER(1.0)));
    const NAME(scaled) r = {NAME(multiply)(factor, NAME(pair_at)(own_cbrt, s.j)), k};

    return r;
}

/* cbrt(1 + f) = 1 + f P(f). R f P is rounded, below 2^-6.4 of the value: an error of
 * 2^-57.9. */
FUNCTION NAME(scaled) NAME(cbrt_of_ratio)(NAME(ratio) s)
{
    NAME(scaled) r = NAME(cbrt_begin)(s);

    r.p.l = FMA(r.p.h, s.f * NAME(cbrt_series)(s.f), r.p.l);
    return r;
}

OWN_NOT_INLINE NAME(scaled) NAME(cbrt_far)(REAL a)
{
    const MASK edge = (a == 0) | (a == OWN_INFINITY) | (a != a);
    NAME(scaled) s = NAME(cbrt_of_ratio)(NAME(split_any)(a));

    s.p = NAME(replace)(s.p, edge, a);
    s.n = SELECT(edge, NUMBER(0.0), s.n);
    return s;
}

FUNCTION NAME(scaled) NAME(cbrt_pair)(REAL x)
{
    const REAL a = NAME(magnitude)(x);
    NAME(scaled)
    s = ANY(NAME(is_normal)(a) == 0) ? NAME(cbrt_far)(a)
                                     : NAME(cbrt_of_ratio)(NAME(split)(a));

    s.p = NAME(negate_pair_by)(s.p, NAME(sign_bit)(x));
    return s;
}

/* sqrt(large^2 + small^2): the sum of squares is a pair. Error 2^-57. */
FUNCTION NAME(pair) NAME(hypot_of)(REAL large, REAL small)
{
    return NAME(root_of)(
        NAME(sum)(NAME(product)(large, large), NAME(product)(small, small)));
}

/* Both numbers are scaled by a power of two. */
OWN_NOT_INLINE NAME(scaled) NAME(hypot_far)(REAL x, REAL y)
{
    const REAL b = NAME(magnitude)(x), c = NAME(magnitude)(y);
    const REAL large = SELECT(b > c, b, c), small = SELECT(b > c, c, b);
    const MASK edge = (large == 0) | (large == OWN_INFINITY) | (small == OWN_INFINITY);
    const MASK unknown = (x != x) | (y != y);
    const REAL n = SELECT(large > 0x1p450, NUMBER(600.0),
                          SELECT(large < 0x1p-300, NUMBER(-600.0), NUMBER(0.0))),
               factor = NAME(power_of_two)(-n);
    NAME(scaled) s = {NAME(hypot_of)(large * factor, small * factor), n};

    s.p = NAME(replace)(s.p, unknown, x + y);
    s.p = NAME(replace)(s.p, edge, SELECT(b > c, b, c));
    s.p = NAME(replace)(s.p, (b == OWN_INFINITY) | (c == OWN_INFINITY), OWN_INFINITY);
    s.n = SELECT(edge | unknown, NUMBER(0.0), n);
    return s;
}

FUNCTION NAME(scaled) NAME(hypot_pair)(REAL x, REAL y)
{
    const REAL b = NAME(magnitude)(x), c = NAME(magnitude)(y);
    const REAL large = SELECT(b > c, b, c), small = SELECT(b > c, c, b);
    NAME(scaled) s = {NAME(pair_of)(large, small), NUMBER(0.0)};

    if (ANY(((large < 0x1p500) & (small > 0x1p-400)) == 0))
        return NAME(hypot_far)(x, y);
    s.p = NAME(hypot_of)(large, small);
    return s;
}

/* ---- the error function ---------------------------------------------------------- */

/* erf(x) = a + b d + d^2 P(d) around sixteen points, by tables. They are denser near 0,
 * since the error is relative: b d is taken with its error, and the rest is below 2^-6 of
 * the value. Error 2^-57. From 6 on, erf is 1 to 2^-55. For tiny arguments, a product's
 * error may be lost below the range, but one fma gives the result. */
FUNCTION NAME(pair) NAME(erf_pair)(REAL x)
{
    const REAL a = NAME(magnitude)(x), b = SELECT(a > 6, NUMBER(6.0), a);
    const WORD j = TO_BITS(b + 0.5) >> 50;
    const REAL d = b - LOOKUP(own_near_erf[0], j);
    const NAME(pair) p = NAME(times)(NAME(pair_at)(own_erf + 2, j), d);
    NAME(pair) s = NAME(add_ordered)(LOOKUP(own_erf[0], j), p.h);

    s.l = FMA(d * d, NAME(erf_series)(d, j), s.l + (LOOKUP(own_erf[1], j) + p.l));
    s = NAME(replace)(s, a < 0x1p-1010, FMA(a, NUMBER(OWN_ERF_SLOPE), a));
    return NAME(negate_pair_by)(s, NAME(sign_bit)(x));
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
                     z = NAME(multiply)(s, s);
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

/* As `log_of_ratio`. Of -0 it is not a number, since powers of -0 have signs. */
FUNCTION REAL NAME(log_near)(REAL x)
{
    const NAME(ratio) s = NAME(split)(x);
    const REAL base = FMA(s.n, NUMBER(OWN_LN2_FULL), LOOKUP(own_log[3], s.j)),
               y = FMA(s.f, NAME(near_log_series)(s.f), base);

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

/* As `cbrt_pair`, for normal numbers: f32 are. */
FUNCTION REAL NAME(cbrt_near)(REAL x)
{
    const REAL a = NAME(magnitude)(x);
    const NAME(ratio) s = NAME(split)(a);
    const NAME(scaled) r = NAME(cbrt_begin)(s);
    const REAL y = r.p.h * NAME(near_cbrt_series)(s.f) * NAME(power_of_two)(r.n);

    return NAME(negate_by)(SELECT((a > 0) & (a < OWN_INFINITY), y, a), NAME(sign_bit)(x));
}

/* As `erf_pair`. From 4 on, the result in f32 is 1. */
FUNCTION REAL NAME(erf_near)(REAL x)
{
    const REAL a = NAME(magnitude)(x), b = SELECT(a > 4, NUMBER(4.0), a);
    const WORD j = TO_BITS(b + 0.5) >> 50;

    return NAME(negate_by)(NAME(near_erf_series)(b - LOOKUP(own_near_erf[0], j), j),
                           NAME(sign_bit)(x));
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
    ONE(cbrt, round_scaled, near)                                                        \
    ONE(erf, round_once, near)                                                           \
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
