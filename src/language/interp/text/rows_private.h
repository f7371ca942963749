/* SPDX-License-Identifier: BSD-3-Clause */
/* The loops over rows of one type. rows.c includes this text for each type: REAL is the
 * type, NAME(word) a name of it. */

#define ONE(name, word, ...) APPLY(name, NAME(word)(a))
#define PAIR(name, word, ...) APPLY(name, NAME(word)(a, b))

INLINE REAL NAME(apply)(ir_op op, REAL a, REAL b, REAL c)
{
    switch (op) {
        ROW_LIST(APPLY, ONE, PAIR)
    default: return a;
    }
}

INLINE void NAME(loop)(ir_op op, int64_t count, REAL *out, const operand in[3])
{
    const REAL *a = in[0].at, *b = in[1].at, *c = in[2].at;

    for (; count >= LANE; count -= LANE) {
        INDEPENDENT
        for (int i = 0; i < LANE; i++)
            out[i] = NAME(apply)(op, a[i], b[i], c[i]);
        out += LANE, a += in[0].step, b += in[1].step, c += in[2].step;
    }
    INDEPENDENT
    for (int i = 0; i < (int)count; i++)
        out[i] = NAME(apply)(op, a[i], b[i], c[i]);
}

#undef ONE
#undef PAIR
