/* SPDX-License-Identifier: BSD-3-Clause */
/* The shape of a cycle, chosen from the settings of the method and the operator.
 *
 * The relaxations before and after the correction are the factors of one Chebyshev
 * polynomial. The polynomial is small for all eigenvalues invisible to the coarser grid,
 * so the weights of the relaxations differ. */
#include <math.h>

#include "solve/multigrid/multigrid_private.h"

const char *const multigrid_settings[] = {"cycle", "pre",   "post",   "smoother",
                                          "grids", "below", "stored", "coarsest",
                                          "every", NULL};
const char *const vcycle_settings[] = {"grids", "stored", "every", NULL};
static const char *const cycles[] = {"V", "W", "F", "full"};
static const char *const cycles_of_auto[] = {"F", "W", "V", "full"};
static const char *const storages[] = {"f64", "f32"};
static const char *const smoothers[] = {"chebyshev", "jacobi", "redblack"};
static const char *const smoothers_of_colours[] = {"redblack", "jacobi", "chebyshev"};

const char *multigrid_refuses(deriver *d)
{
    if (d->grids < 2)
        return "the grid cannot be halved: each axis needs an even number of points "
               "where "
               "it is periodic, and five or more otherwise; take cg";
    return NULL;
}

/* True if red-black relaxation is the default: it reduces the error most per byte. Not in
 * a preconditioner: cg needs a symmetric cycle, hence the opposite order of colours after
 * the correction, and this order converges slowly. */
static bool prefers_colours(deriver *d)
{
    return d->form.constant && d->method == &solve_multigrid && !colours_refuse(d);
}

static int smoother_of(deriver *d)
{
    if (d->method == &solve_vcycle)
        return BY_JACOBI;
    if (!prefers_colours(d))
        return setting_word(d, "smoother", smoothers, 3);
    return BY_REDBLACK - setting_word(d, "smoother", smoothers_of_colours, 3);
}

/* True if all insulated walls lie on points of the coarsest grid, and so of every grid.
 * The edge of a mask lies on no points. */
static bool walls_meet_points(const deriver *d)
{
    if (d->mask)
        return false;
    for (int axis = 0; axis < d->p->dim; axis++) {
        const unsigned both = FACE_BIT(axis, 0) | FACE_BIT(axis, 1);
        const double last = (double)grid_extent(d, d->grids - 1, axis) - 1;
        if (((d->fixed | d->periodic) & both) != both &&
            fabs(wall_length(d, axis, d->grids - 1) - last) > 1e-9)
            return false;
    }
    return true;
}

/* For `auto` an F-cycle is the default if V-cycles converge slowly. */
static int cycle_of(deriver *d, int smoother)
{
    if (d->usual_cycle != 'F' || (smoother == BY_REDBLACK && walls_meet_points(d)))
        return setting_word(d, "cycle", cycles, CYCLES);
    const int cycle = setting_word(d, "cycle", cycles_of_auto, CYCLES);
    return cycle == CYCLE_FULL ? cycle : CYCLE_F - cycle;
}

shape shape_of(deriver *d)
{
    const bool by_jacobi = d->method == &solve_vcycle;
    shape s = {.d = d};

    s.smoother = smoother_of(d);
    s.cycle = cycle_of(d, s.smoother);
    s.coarsest = by_jacobi ? BY_JACOBI : setting_word(d, "coarsest", smoothers, 2);
    d->narrow = setting_word(d, "stored", storages, 2) == 1;
    s.grids = d->used = setting_count(d, "grids", d->grids, 1, d->grids);
    const bool few = s.smoother == BY_REDBLACK && s.cycle != CYCLE_FULL;
    s.pre = setting_count(d, "pre", few ? 1 : 2, 0, 20);
    s.post = setting_count(d, "post", s.pre == 0 ? 2 : 1, 0, 20);
    s.below = setting_count(d, "below", s.pre > 1 ? s.pre - 1 : s.pre, 0, 20);
    if (s.smoother == BY_REDBLACK && colours_refuse(d))
        solve_fail(d, PAV_EUNSUPPORTED, "smoother = redblack: %s", colours_refuse(d));
    if (s.pre + s.post == 0 || s.below + s.post == 0)
        solve_fail(d, PAV_EINVAL,
                   "a cycle needs a relaxation: pre, below or post above 0");
    return s;
}

const char *shape_name(const shape *s)
{
    return cycles[s->cycle];
}

/* The over-relaxation weight grows with the number of coupled axes: 1.15 for two, 1.2 for
 * three. */
static double over_relaxation(const deriver *d, int coarse)
{
    double all = 0, most = 0;

    for (int axis = 0; axis < d->p->dim; axis++) {
        all += grid_strength(d, coarse, axis);
        most = fmax(most, grid_strength(d, coarse, axis));
    }
    const double axes = most > 0 ? all / most : 1;
    return axes < 2 ? 1 + 0.15 * (axes - 1) : 1.15 + 0.05 * (axes - 2);
}

/* The lowest eigenvalue to damp. Coarser grids miss eigenvalues down to the weakest axis
 * at any point. But `count` relaxations can damp only the eigenvalues above
 * high/(4*count^2). */
static double damped_from(const deriver *d, int count, int coarse)
{
    const double high = d->spectrum.high[coarse];
    const double reach = high / (4.0 * count * count);

    return fmin(d->spectrum.smooth[coarse], fmax(d->spectrum.weakest[coarse], reach));
}

/* Enough relaxations to damp the errors along the weakest axis. More than 6 cost more
 * time than they save. */
int shape_relaxations(const deriver *d)
{
    double least = 1;

    for (int k = 0; k + 1 < d->grids; k++)
        least = fmin(least, d->spectrum.weakest[k]);
    return (int)fmin(fmax(round(0.5 * sqrt(2 / least)), 1), 6);
}

double shape_weight(const shape *s, int k, int count, int coarse)
{
    const double high = s->d->spectrum.high[coarse];
    const double smooth = s->d->spectrum.smooth[coarse];

    if (s->smoother == BY_REDBLACK)
        return over_relaxation(s->d, coarse);
    if (s->smoother == BY_JACOBI)
        return 2 / (high + smooth);
    if (s->symmetric) {
        count /= 2;
        k %= count;
    }
    return chebyshev_root(damped_from(s->d, count, coarse), high, k, count);
}
