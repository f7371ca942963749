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
 * transform inside has half the length. It has passes of radix 8, 4 and 2, and of odd
 * primes by direct sums (Stockham's order). Large primes need too many of these sums.
 * Then the whole transform is a convolution (Bluestein 1970), with passes of a greater
 * length.
 * The order of all roundings is fixed.
 *
 * Several lines are transformed together: buffers hold number m of line l at
 * m*width + l. A text before this one defines its words:
 *
 *     REAL               the type of the numbers
 *     ABREAST            after a REAL: a vector for the lines of a thread; or nothing
 *     FIRST(value)       the number of the first line
 *     NAME(word)         f64_word or f32_word
 *     FUNCTION           static and inline
 *     CALLED             static; processors have one copy of it
 *     ITEMS(b, count, width), LINES(l, width)
 *                        loops over b = 0 ... count-1 and over all lines l
 *     PLACE(m)           the place of number m in a buffer
 *     KNOWN(condition)   a condition that always holds, for compilers
 *     IN_PLACE           1: passes have one buffer, as threads keep what they read
 *     ROUNDS(b, slot, count, numbers, width), KEPT, KEEP(slot, radix)
 *                        loops of a pass, and the numbers kept by their rounds
 *     UNROLLED           before a loop of at most 8 rounds
 *     SYNC               all threads wait for each other */

typedef REAL NAME(value) ABREAST;
#undef VALUE
#define VALUE NAME(value)

/* The lines of a call: element e of line l is at data[e*along + l*across]. Only the
 * lines `first` .. `count` - 1 are read and stored. A vector of lines counts as one. */
typedef struct NAME(lines) {
    REAL *data;
    int64_t along, across;
    int first, count, width; /* the last one: lines of the buffers */
} NAME(lines);

typedef struct NAME(buffer) {
    VALUE *re, *im;
} NAME(buffer);

/* The angle `turn` is a part of 4*period. cosine holds cosines of all of them. */
FUNCTION REAL NAME(sine)(const double *cosine, int period, int turn)
{
    return (REAL)cosine[turn < period ? turn + 3 * period : turn - period];
}

/* ---- packed lines ------------------------------------------------------------------ */

/* Number j of a line: an even period has two neighbours in each complex number. */
FUNCTION void NAME(put)(NAME(buffer) to, const line_transform *t, int j, int l, int width,
                        VALUE value)
{
    const VALUE zero = {0};

    if (t->period % 2 != 0) {
        to.re[PLACE(j) * width + l] = value;
        to.im[PLACE(j) * width + l] = zero;
    } else if (j % 2 == 0)
        to.re[PLACE(j / 2) * width + l] = value;
    else
        to.im[PLACE(j / 2) * width + l] = value;
}

/* Numbers between frequencies (shift 1) are frequencies of the turned sequence. */
FUNCTION void NAME(turn)(NAME(buffer) z, const line_transform *t, const double *cosine,
                         int width)
{
    ITEMS(m, transform_length(t), width)
    {
        const int angle = (t->period % 2 == 0 ? 4 : 2) * m;
        const REAL c = (REAL)cosine[angle], s = NAME(sine)(cosine, t->period, angle);
        LINES(l, width)
        {
            const int at = PLACE(m) * width + l;
            const VALUE re = z.re[at], im = z.im[at];
            z.re[at] = c * re + s * im;
            z.im[at] = c * im - s * re;
        }
    }
    SYNC;
}

/* Each element is read once, and stands at its mirror image, too. */
FUNCTION void NAME(load)(const NAME(lines) * x, const line_transform *t,
                         const double *cosine, NAME(buffer) to)
{
    const int last = t->sign ? (t->period - t->half) / 2 : t->period - 1;

    SYNC;
    ITEMS(j, last + 1, x->width)
    {
        const int e = j - t->before, image = t->period - t->half - j;
        const bool inside = e >= 0 && e < t->points,
                   twice = t->sign && image != j && image < t->period;
        LINES(l, x->width)
        {
            const int line = l < x->first ? x->first : l < x->count ? l : x->count - 1;
            const REAL *const from = x->data + e * x->along + line * x->across;
            VALUE value = {0};
            if (inside)
                value = *(const VALUE *)from;
            NAME(put)(to, t, j, l, x->width, value);
            if (twice)
                NAME(put)(to, t, image, l, x->width, t->sign > 0 ? value : -value);
        }
    }
    SYNC;
    if (t->shift == 1)
        NAME(turn)(to, t, cosine, x->width);
}

/* Numbers of a line from number `first` on: `ahead` is its element, `back` the element of
 * its mirror image. */
typedef struct NAME(numbers) {
    const REAL *ahead, *back;
    int64_t along;
    int first;
} NAME(numbers);

/* From complex number `first` on; none without x. */
FUNCTION NAME(numbers)
    NAME(numbers_of)(const NAME(lines) * x, const line_transform *t, int first, int l)
{
    NAME(numbers) n = {0, 0, 0, 0};

    if (!x)
        return n;
    const int line = l < x->first ? x->first : l < x->count ? l : x->count - 1;
    const REAL *const at = x->data + line * x->across - t->before * x->along;
    n.first = t->period % 2 == 0 ? 2 * first : first;
    n.along = x->along;
    n.ahead = at + n.first * n.along;
    n.back = at + (t->period - t->half - n.first) * n.along;
    return n;
}

FUNCTION VALUE NAME(number)(const NAME(numbers) * n, const line_transform *t, int j)
{
    const int mirror = t->period - t->half, number = n->first + j;
    const bool image = t->sign && number > mirror / 2;
    const int e = (image ? mirror - number : number) - t->before;
    VALUE value = {0};

    if (e >= 0 && e < t->points)
        value = *(const VALUE *)(image ? n->back - j * n->along
                                       : n->ahead + j * n->along);
    return image && t->sign < 0 ? -value : value;
}

/* Complex number k of a line, of `numbers` from number k - j on, as `load` packs it. */
FUNCTION void NAME(packed)(const NAME(numbers) * n, const line_transform *t,
                           const double *cosine, int k, int j, VALUE *re, VALUE *im)
{
    const bool even = t->period % 2 == 0;
    const int angle = (even ? 4 : 2) * k;
    const VALUE a = NAME(number)(n, t, even ? 2 * j : j);
    VALUE b = {0};

    if (even)
        b = NAME(number)(n, t, 2 * j + 1);
    *re = a;
    *im = b;
    if (t->shift == 1) {
        const REAL c = (REAL)cosine[angle], s = NAME(sine)(cosine, t->period, angle);
        *re = c * a + s * b;
        *im = c * b - s * a;
    }
}

/* ---- passes: `done` is the product of the radices so far --------------------------- */

FUNCTION void NAME(of_two)(VALUE *r, VALUE *m)
{
    const VALUE re = r[0] - r[1], im = m[0] - m[1];

    r[0] += r[1];
    m[0] += m[1];
    r[1] = re;
    m[1] = im;
}

FUNCTION void NAME(of_four)(VALUE *r, VALUE *m)
{
    const VALUE ra = r[0] + r[2], ma = m[0] + m[2], rb = r[0] - r[2], mb = m[0] - m[2],
                rc = r[1] + r[3], mc = m[1] + m[3], rd = r[1] - r[3], md = m[1] - m[3];

    r[0] = ra + rc;
    m[0] = ma + mc;
    r[1] = rb + md;
    m[1] = mb - rd;
    r[2] = ra - rc;
    m[2] = ma - mc;
    r[3] = rb - md;
    m[3] = mb + rd;
}

/* Even outputs are those of the sums x[q] + x[q + 4]; odd ones of the differences, each
 * turned by q eighths. */
FUNCTION void NAME(of_eight)(VALUE *r, VALUE *m)
{
    const REAL root = (REAL)0.70710678118654752440;
    VALUE er[4], em[4], dr[4], dm[4];

    UNROLLED for (int q = 0; q < 4; q++)
    {
        er[q] = r[q] + r[q + 4];
        em[q] = m[q] + m[q + 4];
        dr[q] = r[q] - r[q + 4];
        dm[q] = m[q] - m[q + 4];
    }
    const VALUE r1 = dr[1], r2 = dr[2], r3 = dr[3];
    dr[1] = root * (r1 + dm[1]);
    dm[1] = root * (dm[1] - r1);
    dr[2] = dm[2];
    dm[2] = -r2;
    dr[3] = root * (dm[3] - r3);
    dm[3] = -root * (dm[3] + r3);
    NAME(of_four)(er, em);
    NAME(of_four)(dr, dm);
    UNROLLED for (int q = 0; q < 4; q++)
    {
        r[2 * q] = er[q];
        m[2 * q] = em[q];
        r[2 * q + 1] = dr[q];
        m[2 * q + 1] = dm[q];
    }
}

/* Each output is a sum of its own, in the order of the inputs. */
FUNCTION void NAME(of_odd)(VALUE *r, VALUE *m, int radix, int length, const REAL *turns)
{
    const int part = length / radix;
    VALUE re[8], im[8];

    UNROLLED for (int q = 0; q < radix; q++)
    {
        re[q] = r[0];
        im[q] = m[0];
        UNROLLED for (int p = 1; p < radix; p++)
        {
            const REAL c = turns[p * q % radix * part],
                       s = turns[p * q % radix * part + transform_places(length)];
            re[q] = re[q] + (c * r[p] + s * m[p]);
            im[q] = im[q] + (c * m[p] - s * r[p]);
        }
    }
    UNROLLED for (int q = 0; q < radix; q++)
    {
        r[q] = re[q];
        m[q] = im[q];
    }
}

FUNCTION void NAME(of_radix)(VALUE *r, VALUE *m, int radix, int length, const REAL *turns)
{
    if (radix == 2)
        NAME(of_two)(r, m);
    else if (radix == 4)
        NAME(of_four)(r, m);
    else if (radix == 8)
        NAME(of_eight)(r, m);
    else
        NAME(of_odd)(r, m, radix, length, turns);
}

/* The place of number base + q*stride behind the place of number base: a literal, if the
 * stride is one, or the numbers are eight of a group. */
FUNCTION int NAME(behind)(int base, int q, int stride, bool group)
{
    return group             ? q
           : stride % 8 == 0 ? q * PLACE(stride)
                             : PLACE(base + q * stride) - PLACE(base);
}

/* Results q ... q + count - 1 of item b of a pass. */
FUNCTION void NAME(put_results)(NAME(buffer) to, int b, int from, int count, int done,
                                int radix, int width, int l, const VALUE *r,
                                const VALUE *m)
{
    const int k = b % done, first = (b - k) * radix + k + from * done;
    const int at = PLACE(first) * width + l;
    VALUE *const re = to.re + at, *const im = to.im + at;

    UNROLLED for (int q = 0; q < count; q++)
    {
        re[NAME(behind)(first, q, done, done == 1 && count == 8) * width] = r[q];
        im[NAME(behind)(first, q, done, done == 1 && count == 8) * width] = m[q];
    }
}

/* `radix` is a literal after inlining, at most 8. A first pass of radix 8 turns no
 * input. */
FUNCTION void NAME(pass_by)(NAME(buffer) from, NAME(buffer) to, int length, int done,
                            int radix, int width, const REAL *turns,
                            const NAME(lines) * x, const line_transform *t,
                            const double *cosine)
{
    const int part = length / radix;
    const bool turned = radix != 8 || done != 1;
    KEPT;

    ROUNDS(b, slot, part, length, width)
    {
        const bool by_pass = transform_turns_by_pass(length);
        const REAL *const turn = turns + (by_pass ? b % done : 0);
        REAL c[8], s[8];
        for (int q = 1; q < radix && turned; q++) {
            const int n = q * (by_pass ? done : b % done * (part / done));
            c[q] = turn[n];
            s[q] = turn[n + transform_places(length)];
        }
        LINES(l, width)
        {
            const VALUE *const at_re = from.re + PLACE(b) * width + l,
                               *const at_im = from.im + PLACE(b) * width + l;
            KEEP(slot, radix);
            KNOWN(b >= 0 && b < part);
            const NAME(numbers) n = NAME(numbers_of)(x, t, b, l);
            UNROLLED for (int q = 0; q < radix; q++)
            {
                VALUE re, im;
                if (x)
                    NAME(packed)(&n, t, cosine, b + q * part, q * part, &re, &im);
                else {
                    re = at_re[NAME(behind)(b, q, part, false) * width];
                    im = at_im[NAME(behind)(b, q, part, false) * width];
                }
                r[q] = re;
                m[q] = im;
                if (q && turned) {
                    r[q] = c[q] * re + s[q] * im;
                    m[q] = c[q] * im - s[q] * re;
                }
            }
            NAME(of_radix)(r, m, radix, length, turns);
            if (!IN_PLACE)
                NAME(put_results)(to, b, 0, radix, done, radix, width, l, r, m);
        }
    }
    if (!IN_PLACE)
        return;
    SYNC;
    ROUNDS(b, slot, part, length, width) LINES(l, width)
    {
        KEEP(slot, radix);
        NAME(put_results)(to, b, 0, radix, done, radix, width, l, r, m);
    }
}

/* Each item is one output: number q of radix, of item b. */
FUNCTION void NAME(pass_any)(NAME(buffer) from, NAME(buffer) to, int length, int done,
                             int radix, int width, const REAL *turns)
{
    const int part = length / radix, step = part / done;
    KEPT;

    ROUNDS(n, slot, length, length, width) LINES(l, width)
    {
        const int q = n / part, b = n % part, turn = (b % done + q * done) * step;
        KEEP(slot, 1);
        *r = from.re[PLACE(b) * width + l];
        *m = from.im[PLACE(b) * width + l];
        for (int p = 1, at = turn; p < radix; p++) {
            const REAL c = turns[at], s = turns[at + transform_places(length)];
            const int i = PLACE(b + p * part) * width + l;
            *r = *r + (c * from.re[i] + s * from.im[i]);
            *m = *m + (c * from.im[i] - s * from.re[i]);
            at += turn;
            at -= at >= length ? length : 0;
        }
        if (!IN_PLACE)
            NAME(put_results)(to, b, n / part, 1, done, radix, width, l, r, m);
    }
    if (!IN_PLACE)
        return;
    SYNC;
    ROUNDS(n, slot, length, length, width) LINES(l, width)
    {
        KEEP(slot, 1);
        NAME(put_results)(to, n % part, n / part, 1, done, radix, width, l, r, m);
    }
}

/* With x a first pass reads the lines themselves. */
FUNCTION void NAME(pass)(NAME(buffer) from, NAME(buffer) to, int length, int done,
                         int radix, int width, const REAL *turns, const NAME(lines) * x,
                         const line_transform *t, const double *cosine)
{
    if (radix == 8 && done == 1)
        NAME(pass_by)(from, to, length, 1, 8, width, turns, x, t, cosine);
    else if (radix == 8)
        NAME(pass_by)(from, to, length, done, 8, width, turns, 0, t, cosine);
    else if (radix == 4)
        NAME(pass_by)(from, to, length, done, 4, width, turns, x, t, cosine);
    else if (radix == 2)
        NAME(pass_by)(from, to, length, done, 2, width, turns, x, t, cosine);
    else if (radix == 3)
        NAME(pass_by)(from, to, length, done, 3, width, turns, x, t, cosine);
    else if (radix == 5)
        NAME(pass_by)(from, to, length, done, 5, width, turns, x, t, cosine);
    else
        NAME(pass_any)(from, to, length, done, radix, width, turns);
    SYNC;
}

/* One of two buffers for the packed lines. */
FUNCTION NAME(buffer) NAME(half)(VALUE *room, int size, int half)
{
    NAME(buffer) b;

    b.re = room + 2 * half * size;
    b.im = b.re + size;
    return b;
}

/* All passes of the numbers in z[0]; the result is in z[0], too. */
CALLED void NAME(all_passes)(NAME(buffer) z[2], int length, int done, int width,
                             const REAL *turns)
{
    for (int radix; done < length; done *= radix) {
        const NAME(buffer) from = z[0], to = z[1];
        radix = transform_radix(length / done);
        NAME(pass)(from, to, length, done, radix, width, turns, 0, 0, 0);
        z[0] = to;
        z[1] = from;
    }
}

/* ---- convolutions ------------------------------------------------------------------ */

/* As j*k = (j*j + k*k - (k - j)*(k - j))/2, the sums over j are a convolution. Number j
 * is turned by the angle pi*j*j/length before the convolution, and after it. The
 * convolution turns by the angle of k - j in the opposite direction. It is a product of
 * spectra. */
FUNCTION int NAME(squared)(const line_transform *t, int j)
{
    const int part = (int)((int64_t)j * j % (2 * transform_length(t)));

    return part * (t->period % 2 == 0 ? 4 : 2);
}

/* Numbers behind the line are 0. */
FUNCTION void NAME(turn_squares)(NAME(buffer) z, const line_transform *t,
                                 const double *cosine, int count, int width)
{
    ITEMS(m, count, width)
    {
        const bool inside = m < transform_length(t);
        const int angle = inside ? NAME(squared)(t, m) : 0;
        const REAL c = (REAL)cosine[angle], s = NAME(sine)(cosine, t->period, angle);
        LINES(l, width)
        {
            const int at = PLACE(m) * width + l;
            VALUE re = {0}, im = {0};
            if (inside) {
                re = z.re[at];
                im = z.im[at];
            }
            z.re[at] = c * re + s * im;
            z.im[at] = c * im - s * re;
        }
    }
    SYNC;
}

/* Cosines of all parts of a turn, then sines; of a convolution then its factors: the
 * spectrum of the angles. `parts` are the cosines of 4*period or, for a convolution, of
 * `padded`. */
FUNCTION void NAME(fill_turns)(const line_transform *t, const double *cosine,
                               const double *parts, VALUE *room, REAL *turns)
{
    const int length = transform_passes(t), places = transform_places(length),
              period = t->padded ? t->padded / 4 : t->period, step = 4 * period / length;
    NAME(buffer)
    z[2] = {NAME(half)(room, places, 0), NAME(half)(room, places, !IN_PLACE)};

    ITEMS(n, length, 1)
    {
        const int back = t->padded - n, j = n < back ? n : back;
        const bool inside = j >= 0 && j < transform_length(t);
        const int angle = inside ? NAME(squared)(t, j) : 0;
        const int turn = transform_turn(length, n) * step;
        turns[n] = (REAL)parts[turn];
        turns[n + places] = NAME(sine)(parts, period, turn);
        const VALUE zero = {0};
        z[0].re[PLACE(n)] = (inside ? (REAL)cosine[angle] : 0) - zero;
        z[0].im[PLACE(n)] = (inside ? NAME(sine)(cosine, t->period, angle) : 0) - zero;
    }
    SYNC;
    if (t->padded) {
        NAME(all_passes)(z, length, 1, 1, turns);
        ITEMS(n, length, 1)
        {
            turns[n + 2 * places] = FIRST(z[0].re[PLACE(n)]);
            turns[n + 3 * places] = FIRST(z[0].im[PLACE(n)]);
        }
        SYNC;
    }
}

/* Products of the spectra. The passes back exchange real and imaginary parts. */
FUNCTION void NAME(convolve)(NAME(buffer) z, const line_transform *t, const REAL *turns,
                             int width)
{
    const int places = transform_places(t->padded);

    ITEMS(m, t->padded, width)
    {
        const REAL c = turns[m + 2 * places], s = turns[m + 3 * places];
        LINES(l, width)
        {
            const int at = PLACE(m) * width + l;
            const VALUE re = z.re[at], im = z.im[at];
            z.re[at] = c * re - s * im;
            z.im[at] = c * im + s * re;
        }
    }
    SYNC;
}

FUNCTION NAME(buffer) NAME(exchanged)(NAME(buffer) z)
{
    const NAME(buffer) x = {z.im, z.re};

    return x;
}

/* ---- results ----------------------------------------------------------------------- */

/* The sine (quarters 0) or cosine (1) of an angle after some quarter turns. */
FUNCTION REAL NAME(quarter)(REAL c, REAL s, int quarters)
{
    const REAL value = quarters % 2 ? c : s;

    return quarters % 4 < 2 ? value : -value;
}

/* Numbers k and `other` of a packed transform give four outputs: of k, of `other`, and of
 * both after a whole packed length. An output is a sum of two sequences, of the numbers
 * at even and at odd places, each turned by an angle. The angles of the outputs differ by
 * a sign and by quarter turns. */
FUNCTION void NAME(store)(const NAME(lines) * x, const line_transform *t,
                          const double *cosine, NAME(buffer) z)
{
    const bool even = t->period % 2 == 0;
    const int length = transform_length(t), between = t->shift % 2;
    const REAL scale = (REAL)t->scale;

    ROUNDS(k, slot, (length - between) / 2 + 1, transform_passes(t), x->width)
    {
        const int other = (2 * length - between - k) % length, angle = 2 * k + between,
                  first = t->half * angle, last = (t->half + 2) * angle;
        const REAL c = (REAL)cosine[first], s = NAME(sine)(cosine, t->period, first),
                   c2 = (REAL)cosine[last], s2 = NAME(sine)(cosine, t->period, last);
        KNOWN(k >= 0 && other >= 0 && other < length);
        LINES(l, x->width)
        {
            const int a = PLACE(k) * x->width + l, b = PLACE(other) * x->width + l;
            const VALUE za = z.re[a], zb = z.re[b], ya = z.im[a], yb = z.im[b],
                        re = even ? za + zb : 2 * za, im = even ? ya - yb : 2 * ya,
                        odd_re = ya + yb, odd_im = zb - za;
            UNROLLED for (int way = 0; way < 4; way++)
            {
                const int back = way % 2, turns = (back + way / 2) * (even ? 1 : 2),
                          n = (back ? other : k) + way / 2 * length - t->shift / 2;
                const REAL sign = back ? -1 : 1;
                const REAL ca = NAME(quarter)(c, sign * s, t->half * turns + 1),
                           sa = NAME(quarter)(c, sign * s, t->half * turns),
                           cb = NAME(quarter)(c2, sign * s2, (t->half + 2) * turns + 1),
                           sb = NAME(quarter)(c2, sign * s2, (t->half + 2) * turns);
                if (n < 0 || n >= t->points || (back && other == k))
                    continue;
                const VALUE m = sign * im, odd_m = sign * odd_im;
                VALUE real = re, turned = -m;
                if (t->half) {
                    real = ca * re + sa * m;
                    turned = sa * re - ca * m;
                }
                if (even) {
                    real = real + (cb * odd_re + sb * odd_m);
                    turned = turned + (sb * odd_re - cb * odd_m);
                }
                if (t->part == 2)
                    real = real + turned;
                else if (t->part == 3)
                    real = real - turned;
                else if (t->part == 1)
                    real = turned;
                if (l >= x->first && l < x->count)
                    *(VALUE *)(x->data + n * x->along + l * x->across) = scale * real;
            }
        }
    }
}
