/* SPDX-License-Identifier: BSD-3-Clause */
/* Fourier, sine and cosine transforms of lines: one text for C and CUDA C++.
 *
 * A line is a part of a sequence y with a period. A line between two walls continues
 * behind each wall as its mirror image, even or odd. A transform gives the sums
 *
 *     Y[k] = sum over j = 0 ... period-1 of
 *            y[j] * f(2 pi (k + shift/2)(j + half/2)/period)
 *
 * for the function f = cos, sin, or cos + sin. The last one, Hartley's transform, serves
 * periodic lines. The inverse of each transform is a transform of this list, up to a
 * factor. An even period packs two neighbours into one complex number, so the Fourier
 * transform inside has half the length. It has passes of radix 4 and 2, and of any odd
 * prime by direct sums (Stockham's order). The order of all roundings is fixed.
 *
 * Several lines are transformed together: buffers hold number m of line l at
 * m*width + l. A text before this one defines its words:
 *
 *     REAL               the type of the numbers
 *     NAME(word)         f64_word or f32_word
 *     FUNCTION           static and inline
 *     EACH(b, l, count)  a loop over b = 0 ... count-1 for all lines l
 *     EACH_LOADED(...)   the same, in the order of the line's memory
 *     SYNC               all threads wait for each other */

/* The lines of a call: element e of line l is at data[e*along + l*across]. */
typedef struct NAME(lines) {
    REAL *data;
    int64_t along, across;
    int count, width; /* lines; lines of the buffers */
} NAME(lines);

typedef struct NAME(buffer) {
    REAL *re, *im;
} NAME(buffer);

/* The angle `turn` is a part of 4*period. cosine holds cosines of all of them. */
FUNCTION REAL NAME(sine)(const double *cosine, int period, int turn)
{
    return (REAL)cosine[turn < period ? turn + 3 * period : turn - period];
}

FUNCTION REAL NAME(element)(const NAME(lines) * x, const line_transform *t, int j, int l)
{
    const bool direct = !t->sign || 2 * j + t->half <= t->period;
    const int e = (direct ? j : t->period - t->half - j) - t->before;
    const int line = l < x->count ? l : x->count - 1;

    if (e < 0 || e >= t->points)
        return 0;
    const REAL value = x->data[e * x->along + line * x->across];
    return direct || t->sign > 0 ? value : -value;
}

/* Numbers between frequencies (shift 1) are frequencies of the turned sequence. */
FUNCTION void NAME(load)(const NAME(lines) * x, const line_transform *t,
                         const double *cosine, NAME(buffer) to)
{
    const bool even = t->period % 2 == 0;
    const int length = even ? t->period / 2 : t->period;

    EACH_LOADED(m, l, length, x->width)
    {
        const REAL re = NAME(element)(x, t, even ? 2 * m : m, l);
        const REAL im = even ? NAME(element)(x, t, 2 * m + 1, l) : 0;
        const int turn = t->shift == 1 ? (even ? 4 : 2) * m : 0;
        const REAL c = (REAL)cosine[turn], s = NAME(sine)(cosine, t->period, turn);
        const int64_t at = (int64_t)m * x->width + l;
        to.re[at] = t->shift == 1 ? c * re + s * im : re;
        to.im[at] = t->shift == 1 ? c * im - s * re : im;
    }
    SYNC;
}

/* ---- passes: `done` is the product of the radices so far --------------------------- */

FUNCTION void NAME(pass_4)(NAME(buffer) from, NAME(buffer) to, int length, int done,
                           int period, int width, const double *cosine)
{
    const int part = length / 4, step = 4 * period / length * (part / done);

    EACH(b, l, part, width)
    {
        const int k = b % done, first = (b - k) * 4 + k;
        const REAL c1 = (REAL)cosine[k * step], c2 = (REAL)cosine[2 * k * step],
                   c3 = (REAL)cosine[3 * k * step],
                   s1 = NAME(sine)(cosine, period, k * step),
                   s2 = NAME(sine)(cosine, period, 2 * k * step),
                   s3 = NAME(sine)(cosine, period, 3 * k * step);
        const int64_t i0 = (int64_t)b * width + l, i1 = i0 + (int64_t)part * width,
                      i2 = i1 + (int64_t)part * width, i3 = i2 + (int64_t)part * width;
        const REAL r0 = from.re[i0], m0 = from.im[i0];
        const REAL r1 = c1 * from.re[i1] + s1 * from.im[i1],
                   m1 = c1 * from.im[i1] - s1 * from.re[i1],
                   r2 = c2 * from.re[i2] + s2 * from.im[i2],
                   m2 = c2 * from.im[i2] - s2 * from.re[i2],
                   r3 = c3 * from.re[i3] + s3 * from.im[i3],
                   m3 = c3 * from.im[i3] - s3 * from.re[i3];
        const REAL ra = r0 + r2, ma = m0 + m2, rb = r0 - r2, mb = m0 - m2, rc = r1 + r3,
                   mc = m1 + m3, rd = r1 - r3, md = m1 - m3;
        const int64_t o0 = (int64_t)first * width + l, next = (int64_t)done * width;
        to.re[o0] = ra + rc;
        to.im[o0] = ma + mc;
        to.re[o0 + next] = rb + md;
        to.im[o0 + next] = mb - rd;
        to.re[o0 + 2 * next] = ra - rc;
        to.im[o0 + 2 * next] = ma - mc;
        to.re[o0 + 3 * next] = rb - md;
        to.im[o0 + 3 * next] = mb + rd;
    }
}

FUNCTION void NAME(pass_2)(NAME(buffer) from, NAME(buffer) to, int length, int done,
                           int period, int width, const double *cosine)
{
    const int part = length / 2, step = 4 * period / length * (part / done);

    EACH(b, l, part, width)
    {
        const int k = b % done, first = (b - k) * 2 + k;
        const REAL c = (REAL)cosine[k * step], s = NAME(sine)(cosine, period, k * step);
        const int64_t i0 = (int64_t)b * width + l, i1 = i0 + (int64_t)part * width;
        const int64_t o0 = (int64_t)first * width + l, o1 = o0 + (int64_t)done * width;
        const REAL r = c * from.re[i1] + s * from.im[i1],
                   m = c * from.im[i1] - s * from.re[i1];
        const REAL r0 = from.re[i0], m0 = from.im[i0];
        to.re[o0] = r0 + r;
        to.im[o0] = m0 + m;
        to.re[o1] = r0 - r;
        to.im[o1] = m0 - m;
    }
}

/* Each output is a sum of its own, in the order of the inputs. */
FUNCTION void NAME(pass_any)(NAME(buffer) from, NAME(buffer) to, int length, int done,
                             int radix, int period, int width, const double *cosine)
{
    const int part = length / radix, step = 4 * period / length * (part / done);

    EACH(n, l, length, width)
    {
        const int q = n / part, b = n % part, k = b % done, turn = (k + q * done) * step;
        REAL re = from.re[(int64_t)b * width + l], im = from.im[(int64_t)b * width + l];
        for (int p = 1, at = turn; p < radix; p++) {
            const REAL c = (REAL)cosine[at], s = NAME(sine)(cosine, period, at);
            const int64_t i = (int64_t)(b + p * part) * width + l;
            re = re + (c * from.re[i] + s * from.im[i]);
            im = im + (c * from.im[i] - s * from.re[i]);
            at += turn;
            at -= at >= 4 * period ? 4 * period : 0;
        }
        const int64_t o = (int64_t)((b - k) * radix + k + q * done) * width + l;
        to.re[o] = re;
        to.im[o] = im;
    }
}

/* Transforms `from`, and returns the buffer with the result. */
FUNCTION NAME(buffer) NAME(passes)(NAME(buffer) from, NAME(buffer) to, int length,
                                   int period, int width, const double *cosine)
{
    int radix = 4, done = 1;

    while (done < length) {
        const int rest = length / done;
        while (rest % radix != 0)
            radix = radix == 4 ? 2 : radix == 2 ? 3 : radix + 2;
        if (radix == 4)
            NAME(pass_4)(from, to, length, done, period, width, cosine);
        else if (radix == 2)
            NAME(pass_2)(from, to, length, done, period, width, cosine);
        else
            NAME(pass_any)(from, to, length, done, radix, period, width, cosine);
        SYNC;
        done *= radix;
        const NAME(buffer) other = from;
        from = to;
        to = other;
    }
    return from;
}

/* ---- results ----------------------------------------------------------------------- */

/* The parts of two sequences, at even and at odd places, from their packed transform; and
 * their sum, turned by the angle of the output. */
FUNCTION void NAME(store)(const NAME(lines) * x, const line_transform *t,
                          const double *cosine, NAME(buffer) z)
{
    const bool even = t->period % 2 == 0;
    const int length = even ? t->period / 2 : t->period, whole = 4 * t->period;
    const REAL scale = (REAL)t->scale;

    EACH_LOADED(n, l, t->points, x->width)
    {
        const int k = (n + t->shift / 2) % length, number = 2 * n + t->shift,
                  other = (2 * length - t->shift % 2 - k) % length,
                  first = t->half * number % whole, last = (t->half + 2) * number % whole;
        const int64_t a = (int64_t)k * x->width + l, b = (int64_t)other * x->width + l;
        const REAL c = (REAL)cosine[first], s = NAME(sine)(cosine, t->period, first);
        const REAL re = even ? z.re[a] + z.re[b] : 2 * z.re[a],
                   im = even ? z.im[a] - z.im[b] : 2 * z.im[a];
        REAL real = c * re + s * im, turned = s * re - c * im;
        if (even) {
            const REAL c2 = (REAL)cosine[last], s2 = NAME(sine)(cosine, t->period, last);
            const REAL odd_re = z.im[a] + z.im[b], odd_im = z.re[b] - z.re[a];
            real = real + (c2 * odd_re + s2 * odd_im);
            turned = turned + (s2 * odd_re - c2 * odd_im);
        }
        const REAL value = t->part == 0 ? real : t->part == 1 ? turned : real + turned;
        if (l < x->count)
            x->data[n * x->along + l * x->across] = scale * value;
    }
    SYNC;
}

/* room: 4*width numbers for each number of the packed line. */
FUNCTION void NAME(transform)(const NAME(lines) * x, const line_transform *t,
                              const double *cosine, REAL *room)
{
    const int length = t->period % 2 == 0 ? t->period / 2 : t->period;
    const int64_t size = (int64_t)length * x->width;
    NAME(buffer) a, b;

    a.re = room;
    a.im = room + size;
    b.re = room + 2 * size;
    b.im = room + 3 * size;
    NAME(load)(x, t, cosine, a);
    NAME(store)(x, t, cosine, NAME(passes)(a, b, length, t->period, x->width, cosine));
}
