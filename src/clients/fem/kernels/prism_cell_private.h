/* SPDX-License-Identifier: BSD-3-Clause */
/* The contribution of a prism to stiffness * grad(u).grad(v) + mass * u * v, factored
 * into triangle and interval. C and CUDA share this text, so all devices compute the same
 * bits. A file that includes it defines `real` (a number, or a vector with a number for
 * each of several layers), SPLAT(x), FMA(a, b, c) = a*b + c, FNMA(a, b, c) = c - a*b,
 * CELL (before each function) and UNROLL.
 *
 * Nodes 0 to 2 are the lower triangle, 3 to 5 the upper one. For barycentric coordinates
 * (1-a-b, a, b) and height s the columns of the Jacobian are c1 = e1 + s f1, c2 = e2 + s
 * f2, functions of the height alone, and c3 = d + a f1 + b f2, a function of the place in
 * the triangle alone. With n = c1 x c2 the determinant is n.c3.
 *
 * The metric of the cofactors r1, r2, r3 needs only dot products of the columns: r1.r1 =
 * |c2|^2 |c3|^2 - (c2.c3)^2 and so on. c3 is linear in (1, a, b). So the sums over the
 * four points of a triangle need only the six moments S = sum weight/det (1, a, b)(1, a,
 * b)^T. Integrals of the mass term over a triangle are exact; the four points are exact
 * for its degree, too. The two heights are Gauss points, the points of a triangle a
 * product of Gauss and Gauss-Jacobi: eight points a cell, with the true Jacobian at
 * each. */

#define PRISM_Z0 0.21132486540518711774543
#define PRISM_Z1 0.78867513459481288225457
/* coordinate a of the points, and their weights, with the half for each of the two
 * heights */
#define PRISM_A0 0.15505102572168219018027
#define PRISM_A1 0.64494897427831780981973
#define PRISM_W0 0.07951034543599429234859
#define PRISM_W1 0.04548965456400570765141

typedef struct prism_vector {
    real x, y, z;
} prism_vector;

typedef struct prism_shape {
    prism_vector d, e1, e2, f1, f2;
    real dd[6]; /* dot products of d, f1 and f2; doubled for two different vectors */
} prism_shape;

typedef struct prism_slice { /* at one height */
    real m11, m12, m22, nn;
    real det[3];        /* n.(d, f1, f2) */
    real s[6];          /* 11 1a 1b aa ab bb */
    real p1[3], p2[3];  /* s times (d, f1, f2).c1 and .c2 */
    real g11, g12, g22; /* of the in-plane derivatives, summed over the points */
} prism_slice;

CELL real prism_dot(prism_vector a, prism_vector b)
{
    return FMA(a.x, b.x, FMA(a.y, b.y, a.z * b.z));
}

CELL prism_vector prism_minus(prism_vector a, prism_vector b)
{
    const prism_vector c = {a.x - b.x, a.y - b.y, a.z - b.z};
    return c;
}

CELL prism_vector prism_along(prism_vector a, real s, prism_vector b)
{
    const prism_vector c = {FMA(s, b.x, a.x), FMA(s, b.y, a.y), FMA(s, b.z, a.z)};
    return c;
}

CELL prism_vector prism_cross(prism_vector a, prism_vector b)
{
    const prism_vector c = {FNMA(a.z, b.y, a.y * b.z), FNMA(a.x, b.z, a.z * b.x),
                            FNMA(a.y, b.x, a.x * b.y)};
    return c;
}

CELL void prism_shape_of(const prism_vector *at, prism_shape *s)
{
    s->d = prism_minus(at[3], at[0]);
    s->e1 = prism_minus(at[1], at[0]);
    s->e2 = prism_minus(at[2], at[0]);
    s->f1 = prism_minus(prism_minus(at[4], at[3]), s->e1);
    s->f2 = prism_minus(prism_minus(at[5], at[3]), s->e2);
}

CELL void prism_products_of(prism_shape *s)
{
    s->dd[0] = prism_dot(s->d, s->d);
    s->dd[1] = SPLAT(2) * prism_dot(s->d, s->f1);
    s->dd[2] = SPLAT(2) * prism_dot(s->d, s->f2);
    s->dd[3] = prism_dot(s->f1, s->f1);
    s->dd[4] = SPLAT(2) * prism_dot(s->f1, s->f2);
    s->dd[5] = prism_dot(s->f2, s->f2);
}

/* Computes c1, c2 and n at a height, and det = n.(d, f1, f2). */
CELL prism_vector prism_normal(const prism_shape *s, real height, prism_vector *c1,
                               prism_vector *c2, real *det)
{
    *c1 = prism_along(s->e1, height, s->f1);
    *c2 = prism_along(s->e2, height, s->f2);
    const prism_vector n = prism_cross(*c1, *c2);
    det[0] = prism_dot(n, s->d);
    det[1] = prism_dot(n, s->f1);
    det[2] = prism_dot(n, s->f2);
    return n;
}

/* Computes the moments. One division gives all four quotients. The points with the same a
 * lie at b = (1 - a) z. */
CELL void prism_moments(const real *det, real stiffness, real *s)
{
    const real t0 = FMA(SPLAT(PRISM_A0), det[1], det[0]),
               t1 = FMA(SPLAT(PRISM_A1), det[1], det[0]),
               d0 = FMA(SPLAT((1 - PRISM_A0) * PRISM_Z0), det[2], t0),
               d1 = FMA(SPLAT((1 - PRISM_A0) * PRISM_Z1), det[2], t0),
               d2 = FMA(SPLAT((1 - PRISM_A1) * PRISM_Z0), det[2], t1),
               d3 = FMA(SPLAT((1 - PRISM_A1) * PRISM_Z1), det[2], t1);
    const real d01 = d0 * d1, d23 = d2 * d3, all = stiffness / (d01 * d23),
               i01 = SPLAT(PRISM_W0) * (all * d23), i23 = SPLAT(PRISM_W1) * (all * d01),
               r0 = i01 * d1, r1 = i01 * d0, r2 = i23 * d3, r3 = i23 * d2;
    const real one0 = r0 + r1, one1 = r2 + r3,
               z0 = FMA(SPLAT(PRISM_Z1), r1, SPLAT(PRISM_Z0) * r0),
               z1 = FMA(SPLAT(PRISM_Z1), r3, SPLAT(PRISM_Z0) * r2),
               zz0 = FMA(SPLAT(PRISM_Z1 * PRISM_Z1), r1, SPLAT(PRISM_Z0 * PRISM_Z0) * r0),
               zz1 = FMA(SPLAT(PRISM_Z1 * PRISM_Z1), r3, SPLAT(PRISM_Z0 * PRISM_Z0) * r2);
    s[0] = one0 + one1;
    s[1] = FMA(SPLAT(PRISM_A1), one1, SPLAT(PRISM_A0) * one0);
    s[2] = FMA(SPLAT(1 - PRISM_A1), z1, SPLAT(1 - PRISM_A0) * z0);
    s[3] = FMA(SPLAT(PRISM_A1 * PRISM_A1), one1, SPLAT(PRISM_A0 * PRISM_A0) * one0);
    s[4] = FMA(SPLAT(PRISM_A1 * (1 - PRISM_A1)), z1,
               SPLAT(PRISM_A0 * (1 - PRISM_A0)) * z0);
    s[5] = FMA(SPLAT((1 - PRISM_A1) * (1 - PRISM_A1)), zz1,
               SPLAT((1 - PRISM_A0) * (1 - PRISM_A0)) * zz0);
}

/* s times a vector of three. */
CELL void prism_times(const real *s, const real *q, real *p)
{
    p[0] = FMA(s[0], q[0], FMA(s[1], q[1], s[2] * q[2]));
    p[1] = FMA(s[1], q[0], FMA(s[3], q[1], s[4] * q[2]));
    p[2] = FMA(s[2], q[0], FMA(s[4], q[1], s[5] * q[2]));
}

CELL real prism_sum(const real *p, const real *q)
{
    return FMA(p[0], q[0], FMA(p[1], q[1], p[2] * q[2]));
}

CELL void prism_slice_of(const prism_shape *shape, real height, real stiffness,
                         prism_slice *o)
{
    prism_vector c1, c2;
    const prism_vector n = prism_normal(shape, height, &c1, &c2, o->det);
    const real q1[3] = {prism_dot(shape->d, c1), prism_dot(shape->f1, c1),
                        prism_dot(shape->f2, c1)},
               q2[3] = {prism_dot(shape->d, c2), prism_dot(shape->f1, c2),
                        prism_dot(shape->f2, c2)};
    prism_moments(o->det, stiffness, o->s);
    o->m11 = prism_dot(c1, c1);
    o->m12 = prism_dot(c1, c2);
    o->m22 = prism_dot(c2, c2);
    o->nn = prism_dot(n, n);
    prism_times(o->s, q1, o->p1);
    prism_times(o->s, q2, o->p2);
    const real t = FMA(o->s[0], shape->dd[0],
                       FMA(o->s[1], shape->dd[1],
                           FMA(o->s[2], shape->dd[2],
                               FMA(o->s[3], shape->dd[3],
                                   FMA(o->s[4], shape->dd[4], o->s[5] * shape->dd[5])))));
    o->g11 = FMA(o->m22, t, -prism_sum(o->p2, q2));
    o->g12 = FNMA(o->m12, t, prism_sum(o->p1, q2));
    o->g22 = FMA(o->m11, t, -prism_sum(o->p1, q1));
}

/* Adds to each corner the integral of det*v times the corner's function over the
 * triangle. det is given by n.(d, f1, f2), v by its values at the corners. */
CELL void prism_triangle_mass(const real *det, real mass, const real *v, real *out)
{
    const real d0 = det[0], d1 = det[0] + det[1], d2 = det[0] + det[2],
               sum_d = d0 + (d1 + d2), sum_v = v[0] + (v[1] + v[2]),
               both = FMA(sum_d, sum_v, FMA(d0, v[0], FMA(d1, v[1], d2 * v[2]))),
               scale = mass * SPLAT(1.0 / 240);
    const real v0 = FMA(SPLAT(2), v[0], sum_v), v1 = FMA(SPLAT(2), v[1], sum_v),
               v2 = FMA(SPLAT(2), v[2], sum_v);
    out[0] = FMA(scale, FMA(d0, v0, FMA(sum_d, v[0], both)), out[0]);
    out[1] = FMA(scale, FMA(d1, v1, FMA(sum_d, v[1], both)), out[1]);
    out[2] = FMA(scale, FMA(d2, v2, FMA(sum_d, v[2], both)), out[2]);
}

/* Computes the contribution of one height. flat: factors of the corners' in-plane
 * functions, to be divided between lower and upper nodes; rise: factors of their vertical
 * derivatives. */
CELL void prism_height(const prism_shape *shape, const real *u, const real *lift,
                       real height, real stiffness, real mass, real *flat, real *rise)
{
    prism_slice o;
    const real v[3] = {FMA(height, u[3] - u[0], u[0]), FMA(height, u[4] - u[1], u[1]),
                       FMA(height, u[5] - u[2], u[2])};
    const real ux = v[1] - v[0], uy = v[2] - v[0];
    real lifted[3];
    prism_slice_of(shape, height, stiffness, &o);
    const real k1 = prism_sum(o.p1, lift), k2 = prism_sum(o.p2, lift);
    flat[1] = FMA(o.g11, ux, FMA(o.g12, uy, FNMA(o.m22, k1, o.m12 * k2)));
    flat[2] = FMA(o.g12, ux, FMA(o.g22, uy, FNMA(o.m11, k2, o.m12 * k1)));
    flat[0] = -(flat[1] + flat[2]);
    prism_triangle_mass(o.det, mass, v, flat);
    const real w1 = FNMA(o.m22, ux, o.m12 * uy), w2 = FNMA(o.m11, uy, o.m12 * ux);
    prism_times(o.s, lift, lifted);
    UNROLL
    for (int k = 0; k < 3; k++)
        rise[k] = FMA(o.p1[k], w1, FMA(o.p2[k], w2, FMA(o.nn, lifted[k], rise[k])));
}

CELL void prism_action(const prism_vector *at, const real *u, real stiffness, real mass,
                       real *out)
{
    prism_shape shape;
    const real l0 = u[3] - u[0];
    const real lift[3] = {l0, (u[4] - u[1]) - l0, (u[5] - u[2]) - l0};
    real low[3], high[3], rise[3] = {SPLAT(0), SPLAT(0), SPLAT(0)};
    prism_shape_of(at, &shape);
    prism_products_of(&shape);
    prism_height(&shape, u, lift, SPLAT(PRISM_Z0), stiffness, mass, low, rise);
    prism_height(&shape, u, lift, SPLAT(PRISM_Z1), stiffness, mass, high, rise);
    const real corner[3] = {rise[0] - (rise[1] + rise[2]), rise[1], rise[2]};
    UNROLL
    for (int k = 0; k < 3; k++) {
        out[k] = FMA(SPLAT(PRISM_Z1), low[k], FMA(SPLAT(PRISM_Z0), high[k], -corner[k]));
        out[3 + k] = FMA(SPLAT(PRISM_Z0), low[k],
                         FMA(SPLAT(PRISM_Z1), high[k], corner[k]));
    }
}

/* Only the mass term, for right-hand sides. */
CELL void prism_mass(const prism_vector *at, const real *u, real mass, real *out)
{
    prism_shape shape;
    prism_vector c1, c2;
    real det[3], low[3] = {SPLAT(0), SPLAT(0), SPLAT(0)},
                 high[3] = {SPLAT(0), SPLAT(0), SPLAT(0)};
    real v[3], w[3];
    prism_shape_of(at, &shape);
    UNROLL
    for (int k = 0; k < 3; k++) {
        v[k] = FMA(SPLAT(PRISM_Z0), u[3 + k] - u[k], u[k]);
        w[k] = FMA(SPLAT(PRISM_Z1), u[3 + k] - u[k], u[k]);
    }
    (void)prism_normal(&shape, SPLAT(PRISM_Z0), &c1, &c2, det);
    prism_triangle_mass(det, mass, v, low);
    (void)prism_normal(&shape, SPLAT(PRISM_Z1), &c1, &c2, det);
    prism_triangle_mass(det, mass, w, high);
    UNROLL
    for (int k = 0; k < 3; k++) {
        out[k] = FMA(SPLAT(PRISM_Z1), low[k], SPLAT(PRISM_Z0) * high[k]);
        out[3 + k] = FMA(SPLAT(PRISM_Z0), low[k], SPLAT(PRISM_Z1) * high[k]);
    }
}

/* ---- the matrix -------------------------------------------------------------------- */

/* The matrix of a cell. Pairs of corners are numbered 00 01 02 11 12 22. h: in-plane
 * terms and mass, by products of height functions (00, 01, 11). v[a][i][j]: in-plane
 * derivative of i times vertical derivative of j, by height function a. w: products of
 * two vertical derivatives. */
typedef struct prism_parts {
    real h[3][6], v[2][9], w[6];
} prism_parts;

CELL void prism_corner_pairs(const real *s, real *pair)
{
    pair[3] = s[3];
    pair[4] = s[4];
    pair[5] = s[5];
    pair[1] = s[1] - (s[3] + s[4]);
    pair[2] = s[2] - (s[4] + s[5]);
    pair[0] = (s[0] - (s[1] + s[2])) - (pair[1] + pair[2]);
}

CELL void prism_flat_pairs(const prism_slice *o, real mass, real *h)
{
    const real d0 = o->det[0], d1 = d0 + o->det[1], d2 = d0 + o->det[2],
               sum = d0 + (d1 + d2), scale = mass * SPLAT(1.0 / 240);
    h[3] = FMA(scale, FMA(SPLAT(4), d1, sum + sum), o->g11);
    h[4] = FMA(scale, sum + (d1 + d2), o->g12);
    h[5] = FMA(scale, FMA(SPLAT(4), d2, sum + sum), o->g22);
    const real g01 = -(o->g11 + o->g12), g02 = -(o->g12 + o->g22);
    h[1] = FMA(scale, sum + (d0 + d1), g01);
    h[2] = FMA(scale, sum + (d0 + d2), g02);
    h[0] = FMA(scale, FMA(SPLAT(4), d0, sum + sum), -(g01 + g02));
}

/* Adds the product of the in-plane derivative of corner i and the vertical derivative of
 * corner j. */
CELL void prism_mixed_pairs(const prism_slice *o, real *v)
{
    real a[3], b[3];
    UNROLL
    for (int k = 0; k < 3; k++) {
        a[k] = FNMA(o->m22, o->p1[k], o->m12 * o->p2[k]);
        b[k] = FNMA(o->m11, o->p2[k], o->m12 * o->p1[k]);
    }
    a[0] = a[0] - (a[1] + a[2]);
    b[0] = b[0] - (b[1] + b[2]);
    UNROLL
    for (int k = 0; k < 3; k++) {
        v[k] = -(a[k] + b[k]);
        v[3 + k] = a[k];
        v[6 + k] = b[k];
    }
}

CELL void prism_add_height(const prism_shape *shape, real height, real low, real high,
                           real stiffness, real mass, prism_parts *p)
{
    prism_slice o;
    real pair[6], h[6], v[9];
    prism_slice_of(shape, height, stiffness, &o);
    prism_corner_pairs(o.s, pair);
    prism_flat_pairs(&o, mass, h);
    prism_mixed_pairs(&o, v);
    UNROLL
    for (int k = 0; k < 6; k++) {
        p->h[0][k] = FMA(low * low, h[k], p->h[0][k]);
        p->h[1][k] = FMA(low * high, h[k], p->h[1][k]);
        p->h[2][k] = FMA(high * high, h[k], p->h[2][k]);
        p->w[k] = FMA(o.nn, pair[k], p->w[k]);
    }
    UNROLL
    for (int k = 0; k < 9; k++) {
        p->v[0][k] = FMA(low, v[k], p->v[0][k]);
        p->v[1][k] = FMA(high, v[k], p->v[1][k]);
    }
}

/* Order of the entries for corners i and j: lower with lower at 3*i + j (i <= j), upper
 * with upper at 9 + 3*i + j, lower i with upper j at 18 + 3*i + j. */
CELL void prism_matrix(const prism_vector *at, real stiffness, real mass, real *out)
{
    prism_shape shape;
    prism_parts p;
    int pair = 0;
    UNROLL
    for (int k = 0; k < 6; k++)
        p.h[0][k] = p.h[1][k] = p.h[2][k] = p.w[k] = SPLAT(0);
    UNROLL
    for (int k = 0; k < 9; k++)
        p.v[0][k] = p.v[1][k] = SPLAT(0);
    prism_shape_of(at, &shape);
    prism_products_of(&shape);
    prism_add_height(&shape, SPLAT(PRISM_Z0), SPLAT(PRISM_Z1), SPLAT(PRISM_Z0), stiffness,
                     mass, &p);
    prism_add_height(&shape, SPLAT(PRISM_Z1), SPLAT(PRISM_Z0), SPLAT(PRISM_Z1), stiffness,
                     mass, &p);
    UNROLL
    for (int i = 0; i < 3; i++)
        UNROLL
    for (int j = i; j < 3; j++, pair++) {
        const int ij = 3 * i + j, ji = 3 * j + i;
        out[ij] = (p.h[0][pair] + p.w[pair]) - (p.v[0][ij] + p.v[0][ji]);
        out[9 + ij] = (p.h[2][pair] + p.w[pair]) + (p.v[1][ij] + p.v[1][ji]);
        out[18 + ij] = (p.h[1][pair] - p.w[pair]) + (p.v[0][ij] - p.v[1][ji]);
        out[18 + ji] = (p.h[1][pair] - p.w[pair]) + (p.v[0][ji] - p.v[1][ij]);
    }
}
