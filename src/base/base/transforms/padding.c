/* SPDX-License-Identifier: BSD-3-Clause */
/* Times of transforms, and the choice between direct sums and a convolution. Both follow
 * from the length alone, so the roundings are the same on every machine. */
#include "base/base.h"

/* Time of all passes for each number, in passes of radix 8. A pass of radix 8 takes 12
 * operations, direct sums of p numbers take 8*(p - 1) and more loops: in f64 1.2 ns, and
 * 24, 48 and 194 ns for p = 17, 31 and 127 (one core of a Xeon, AVX2, 2026-11-29). */
static double passes_time(int length)
{
    double time = 0;

    for (int rest = length, radix; rest > 1; rest /= radix) {
        radix = transform_radix(rest);
        time += radix % 2 == 0 ? 1 : radix == 3 ? 2.5 : radix == 5 ? 4 : 1.6 * radix;
    }
    return time;
}

/* The passes of both directions, the product of the spectra and two turns. */
static double convolution_time(int padded)
{
    return padded * (2 * passes_time(padded) + 3);
}

int transform_padding(int length)
{
    static const int factor[] = {1, 3, 5, 9, 15};
    double time = length * passes_time(length);
    int padded = 0;

    for (int k = 0; k < (int)COUNT_OF(factor); k++) {
        int n = 4 * factor[k];
        while (n < 2 * length - 1)
            n *= 2;
        if (convolution_time(n) < time) {
            time = convolution_time(n);
            padded = n;
        }
    }
    return padded;
}

double transform_time_of(const line_transform *t)
{
    return t->padded ? convolution_time(t->padded) / transform_length(t)
                     : passes_time(transform_length(t));
}
