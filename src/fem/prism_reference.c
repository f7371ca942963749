/* SPDX-License-Identifier: BSD-3-Clause */
/* The prism as a textbook has it, point by point, in f64: six shape functions, the
 * inverse of the Jacobian, a 6 x 6 matrix. Everything faster is compared with this. */
#include <math.h>
#include <string.h>

#include "fem/fem_private.h"

typedef struct point {
    double weight, value[PRISM_NODES], derivative[PRISM_NODES][3];
} point;

/* Two heights of Gauss; in the triangle Gauss-Jacobi (weight 1 - a) times Gauss: exact to
 * degree 3 in each. */
static void set_point(int number, point *q)
{
    const double root = sqrt(1.0 / 3), z[2] = {(1 - root) / 2, (1 + root) / 2},
                 r[2] = {(4 - sqrt(6)) / 10, (4 + sqrt(6)) / 10},
                 w[2] = {(9 + sqrt(6)) / 36, (9 - sqrt(6)) / 36};
    const double s = z[number / 4], a = r[number / 2 % 2], b = (1 - a) * z[number % 2];
    const double corner[3] = {1 - a - b, a, b};
    static const double slope[3][2] = {{-1, -1}, {1, 0}, {0, 1}};

    q->weight = w[number / 2 % 2] / 2 / 2;
    for (int n = 0; n < PRISM_NODES; n++) {
        const double height = n < 3 ? 1 - s : s;
        q->value[n] = corner[n % 3] * height;
        q->derivative[n][0] = slope[n % 3][0] * height;
        q->derivative[n][1] = slope[n % 3][1] * height;
        q->derivative[n][2] = corner[n % 3] * (n < 3 ? -1 : 1);
    }
}

void prism_reference_rule(double *rule)
{
    for (int p = 0; p < PRISM_POINTS; p++) {
        point q;
        set_point(p, &q);
        *rule++ = q.weight;
        for (int n = 0; n < PRISM_NODES; n++)
            *rule++ = q.value[n];
        for (int n = 0; n < 3 * PRISM_NODES; n++)
            *rule++ = q.derivative[n / 3][n % 3];
    }
}

/* jacobian[i][k]: derivative of coordinate i by reference coordinate k. */
static void set_jacobian(const double *at, const point *q, double *jacobian)
{
    memset(jacobian, 0, 9 * sizeof(double));
    for (int n = 0; n < PRISM_NODES; n++)
        for (int i = 0; i < 3; i++)
            for (int k = 0; k < 3; k++)
                jacobian[3 * i + k] += at[3 * n + i] * q->derivative[n][k];
}

static double set_inverse(const double *j, double *inverse)
{
    for (int i = 0; i < 3; i++)
        for (int k = 0; k < 3; k++) {
            const int i1 = (i + 1) % 3, i2 = (i + 2) % 3, k1 = (k + 1) % 3,
                      k2 = (k + 2) % 3;
            inverse[3 * k + i] = j[3 * i1 + k1] * j[3 * i2 + k2] -
                                 j[3 * i1 + k2] * j[3 * i2 + k1];
        }
    const double det = j[0] * inverse[0] + j[1] * inverse[3] + j[2] * inverse[6];
    for (int i = 0; i < 9; i++)
        inverse[i] /= det;
    return det;
}

/* Corners' values of n.(upper - lower), n the normal of the triangle at a height: the
 * determinant is linear between them. */
static void set_corner_determinants(const double *at, double height, double det[3])
{
    double side[2][3];

    for (int k = 0; k < 2; k++)
        for (int a = 0; a < 3; a++)
            side[k][a] = (1 - height) * (at[3 * (k + 1) + a] - at[a]) +
                         height * (at[3 * (k + 4) + a] - at[9 + a]);
    for (int n = 0; n < 3; n++) {
        det[n] = 0;
        for (int a = 0; a < 3; a++) {
            const int b = (a + 1) % 3, c = (a + 2) % 3;
            det[n] += (side[0][b] * side[1][c] - side[0][c] * side[1][b]) *
                      (at[3 * (n + 3) + a] - at[3 * n + a]);
        }
    }
}

/* Opening a mesh checks millions of cells, so this needs no inverse. */
double prism_volume(const double *at, double *volume)
{
    static const double z[2] = {0.21132486540518711775, 0.78867513459481288225},
                        r[2] = {0.15505102572168219018, 0.64494897427831780982},
                        w[2] = {0.07951034543599429235, 0.04548965456400570765};
    double least = INFINITY, det[3];

    for (int height = 0; height < 2; height++) {
        set_corner_determinants(at, z[height], det);
        for (int p = 0; p < 4; p++) {
            const double a = r[p / 2], b = (1 - a) * z[p % 2],
                         here = (1 - a - b) * det[0] + a * det[1] + b * det[2];
            *volume += w[p / 2] * here;
            least = here < least ? here : least;
        }
    }
    return least;
}

double prism_reference_point(const double *at, int number, double value[PRISM_NODES],
                             double gradient[PRISM_NODES][3])
{
    point q;
    double jacobian[9], inverse[9];

    set_point(number, &q);
    set_jacobian(at, &q, jacobian);
    const double det = set_inverse(jacobian, inverse);
    for (int n = 0; n < PRISM_NODES; n++) {
        value[n] = q.value[n];
        for (int i = 0; i < 3; i++) {
            gradient[n][i] = 0;
            for (int k = 0; k < 3; k++)
                gradient[n][i] += q.derivative[n][k] * inverse[3 * k + i];
        }
    }
    return q.weight * det;
}

static void add_point(const double *at, int number, pav_form form, double *matrix)
{
    double value[PRISM_NODES], gradient[PRISM_NODES][3];
    const double scale = prism_reference_point(at, number, value, gradient);

    for (int n = 0; n < PRISM_NODES; n++)
        for (int k = 0; k < PRISM_NODES; k++) {
            double product = 0;
            for (int i = 0; i < 3; i++)
                product += gradient[n][i] * gradient[k][i];
            matrix[PRISM_NODES * n + k] += scale * (form.stiffness * product +
                                                    form.mass * value[n] * value[k]);
        }
}

void prism_reference_matrix(const double *at, pav_form form,
                            double matrix[PRISM_NODES * PRISM_NODES])
{
    memset(matrix, 0, PRISM_NODES * PRISM_NODES * sizeof(double));
    for (int p = 0; p < PRISM_POINTS; p++)
        add_point(at, p, form, matrix);
}

void prism_reference_action(const pav_mesh *m, pav_form form, const double *u, double *y)
{
    memset(y, 0, (size_t)m->nodes * sizeof *y);
    for (int64_t cell = 0; cell < m->cells; cell++) {
        double at[3 * PRISM_NODES], matrix[PRISM_NODES * PRISM_NODES];
        int64_t node[PRISM_NODES];
        mesh_cell(m, cell / m->layers, (int)(cell % m->layers), node);
        for (int k = 0; k < 3 * PRISM_NODES; k++)
            at[k] = m->at[k % 3][node[k / 3]];
        prism_reference_matrix(at, form, matrix);
        for (int k = 0; k < PRISM_NODES * PRISM_NODES; k++)
            y[node[k / PRISM_NODES]] += matrix[k] * u[node[k % PRISM_NODES]];
    }
}
