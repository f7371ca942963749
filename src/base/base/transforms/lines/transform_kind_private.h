/* SPDX-License-Identifier: BSD-3-Clause */
/* A transform along an axis; transform_text_private.h gives its sums. A line has `points`
 * elements. Point 0 of its period is element 0, or with `before` the wall before it. */
typedef struct line_transform {
    int points, period;
    int before; /* 0 or 1 */
    int half;   /* 1: points lie half a spacing off the mirror */
    int sign;   /* of the mirror image behind the last wall; 0: the line is periodic */
    int shift;  /* twice the frequency of output 0: 0, 1 or 2 */
    int part;   /* 0: cosines, 1: sines, 2: their sum */
    double scale;
} line_transform;
