/* SPDX-License-Identifier: BSD-3-Clause */
/* Derivatives of waves have an error of order n^-order on n points. The error is a root
 * mean square, because for a wave this does not depend on the positions of the points. */
#include "trial.h"

static const int points[3] = {10, 12, 16};

/* Derivatives of sin(x). */
typedef struct derivative {
    const char *name, *half, *exact;
} derivative;

static const derivative derivatives[] = {
    {"dx", "", "cos(x)"},
    {"dxx", "", "-sin(x)"},
    {"dxxx", "", "-cos(x)"},
    {"dxxxx", "", "sin(x)"},
    {"laplace", "", "-sin(x)"},
    {"dx", ", at +1/2", "cos(x + h/2)"},
    {"dx", ", at -1/2", "cos(x - h/2)"},
    {"dxxx", ", at +1/2", "-cos(x + h/2)"},
    {"dxxx", ", at -1/2", "-cos(x - h/2)"},
};
enum { DERIVATIVES = sizeof derivatives / sizeof *derivatives };

static double measured_order(const derivative *d, int order)
{
    double e[3];
    for (int k = 0; k < 3; k++)
        e[k] = trial_end("grid x %d spacing 2*pi/%d\nfield u = sin(x)\nfield v\n"
                         "v' = %s(u, order %d%s)\nborder periodic\nsteps 1\n"
                         "measure e = norm(v - (%s))/sqrt(nx)\n",
                         points[k], points[k], d->name, order, d->half, d->exact);
    return order_of(e, points);
}

TEST(derivatives_converge_at_orders_2_to_12)
{
    for (int k = 0; k < DERIVATIVES; k++)
        for (int order = 2; order <= 12; order += 2)
            CHECK_NEAR(measured_order(&derivatives[k], order), order, 0.05);
}

/* Mixed derivatives in three dimensions; each axis has its own number of waves. */
static const derivative mixed[] = {
    {"dxy", "", "2*cos(x)*cos(2*y)*sin(z)"},
    {"dxxz", "", "-sin(x)*sin(2*y)*cos(z)"},
    {"dxyz", "", "2*cos(x)*cos(2*y)*cos(z)"},
    {"dyyzz", "", "4*sin(x)*sin(2*y)*sin(z)"},
    {"laplace", "", "-6*sin(x)*sin(2*y)*sin(z)"},
};
enum { MIXED = sizeof mixed / sizeof *mixed };

static double measured_order_3d(const derivative *d, int order)
{
    static const int fine[3] = {16, 20, 24};
    double e[3];
    for (int k = 0; k < 3; k++)
        e[k] = trial_end("grid x %d, y %d, z %d spacing 2*pi/%d\n"
                         "field u = sin(x)*sin(2*y)*sin(z)\nfield v\n"
                         "v' = %s(u, order %d)\nborder periodic\nsteps 1\n"
                         "measure e = norm(v - (%s))/nx^1.5\n",
                         fine[k], fine[k], fine[k], fine[k], d->name, order, d->exact);
    return order_of(e, fine);
}

TEST(mixed_derivatives_converge_at_their_order)
{
    for (int k = 0; k < MIXED; k++)
        for (int order = 2; order <= 8; order += 2)
            CHECK_NEAR(measured_order_3d(&mixed[k], order), order, 0.1);
}

/* d/dx(k du/dx) with variable k, both derivatives half a cell off. */
TEST(a_flux_form_with_half_points_converges_at_its_order)
{
    static const int n[3] = {32, 40, 48};
    for (int order = 2; order <= 8; order += 2) {
        double e[3];
        for (int k = 0; k < 3; k++)
            e[k] = trial_end("grid x %d spacing 2*pi/%d\nfield u = sin(x)\nfield v\n"
                             "let k(s) = 2 + cos(s)\n"
                             "let flux = k(x + h/2)*dx(u, order %d, at +1/2)\n"
                             "v' = dx(flux, order %d, at -1/2)\nborder periodic\n"
                             "steps 1\n"
                             "measure e = norm(v + 2*sin(x)*(1 + cos(x)))/sqrt(nx)\n",
                             n[k], n[k], order, order);
        CHECK_NEAR(order_of(e, n), order, 0.05);
    }
}

/* The error of the first derivative consists of higher derivatives, and they are 0 for a
 * polynomial of degree `order`. */
TEST(first_derivatives_of_polynomials_are_exact_up_to_their_order)
{
    for (int order = 2; order <= 12; order += 2) {
        const double e = trial_end("grid x 40 from -1 to 1\nfield u = x^%d\nfield v\n"
                                   "v' = dx(u, order %d)\nborder u = x^%d beyond\n"
                                   "steps 1\n"
                                   "measure e = max(abs(v - %d*x^%d))\n",
                                   order, order, order, order, order - 1);
        CHECK_NEAR(e, 0, 1e-12);
    }
}
