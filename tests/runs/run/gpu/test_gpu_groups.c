/* SPDX-License-Identifier: BSD-3-Clause */
/* Groups of stages of a solver's step in one launch: the bits of separate stages, for all
 * kinds of neighbours, borders and sizes. */
#include "on_gpu.h"
#include "planned.h"

#define RINGS "time:depth=1,threads=32x8,rows=2,copy=tma"
#define CUBE "grid x 21 from 0 to 1, y 17 from 0 to 1, z 25 from 0 to 1\nfield u\n"
#define FLAT "grid x 37 from 0 to 1, y 29 from 0 to 1\nfield u\n"
#define FORCE "field f = sin(3*pi*x)*sin(2*pi*y)\n"
#define WALLS "border u = 0\n"
#define POISSON "solve -laplace(u) = f by multigrid to 1e-2\n"

static const char star[] = CUBE FORCE WALLS POISSON;
static const char coefficients[] = CUBE FORCE
    "field k = 1 + 0.5*sin(3*pi*x)\n"
    "let a = (k + k[1,0,0])/2*dx(u, at +1/2); b = (k + k[0,1,0])/2*dy(u, at +1/2)\n"
    "let c = (k + k[0,0,1])/2*dz(u, at +1/2)\n" WALLS "border clamp k\n"
    "solve -dx(a, at -1/2) - dy(b, at -1/2) - dz(c, at -1/2) = f by multigrid to 1e-1\n";

TEST(stages_of_a_star_have_the_same_bits_in_one_launch)
{
    if (on_gpu_there())
        on_gpu_verified(star, RINGS);
}

TEST(stages_of_nine_points_in_f32_have_the_same_bits_in_one_launch)
{
    if (on_gpu_there())
        on_gpu_verified("real f32\n" FLAT FORCE WALLS
                        "solve 800*(20*u - 4*(u[1,0] + u[-1,0] + u[0,1] + u[0,-1]) - "
                        "(u[1,1] + u[-1,1] + u[1,-1] + u[-1,-1]))/6 = f by multigrid to "
                        "1e-2\n",
                        "time:depth=1");
}

LONG_TEST(stages_of_a_star_have_the_same_bits_without_rings)
{
    if (!on_gpu_there())
        return;
    on_gpu_verified(star, "time:depth=1");
    on_gpu_verified(FLAT FORCE WALLS POISSON, "time:depth=1");
}

/* Its first interpolation reads coarse points alone. */
LONG_TEST(stages_of_a_full_cycle_have_the_same_bits_in_one_launch)
{
    if (on_gpu_there())
        on_gpu_verified(CUBE FORCE WALLS
                        "solve -laplace(u) = f by multigrid(cycle = full) to 1e-3\n",
                        "time:depth=1");
}

LONG_TEST(stages_with_coefficients_have_the_same_bits_in_one_launch)
{
    if (!on_gpu_there())
        return;
    on_gpu_verified(coefficients, "time:depth=1");
    on_gpu_verified(coefficients, RINGS);
}

/* The point has a weight of its own: planes of a neighbour's rows are read late, too. */
LONG_TEST(stages_of_27_points_have_the_same_bits_in_one_launch)
{
    static const char dense[] = CUBE FORCE WALLS
        "let F = u[1,0,0] + u[-1,0,0] + u[0,1,0] + u[0,-1,0] + u[0,0,1] + u[0,0,-1]\n"
        "let A = u[1,1,0] + u[-1,1,0] + u[1,-1,0] + u[-1,-1,0]\n"
        "let B = u[1,0,1] + u[-1,0,1] + u[1,0,-1] + u[-1,0,-1]\n"
        "let C = u[0,1,1] + u[0,-1,1] + u[0,1,-1] + u[0,-1,-1]\n"
        "let D = u[1,1,1] + u[-1,1,1] + u[1,-1,1] + u[-1,-1,1] + u[1,1,-1] + "
        "u[-1,1,-1] + u[1,-1,-1] + u[-1,-1,-1]\n"
        "solve 400*(128*u - 14*F - 3*(A + B + C) - D)/30 = f by multigrid to 1e-2\n";
    if (!on_gpu_there())
        return;
    on_gpu_verified(dense, "time:depth=1");
    on_gpu_verified(dense, RINGS);
}

LONG_TEST(stages_between_periodic_faces_have_the_same_bits_in_one_launch)
{
    static const char around[] =
        "real f32\ngrid x 24 from 0 to 1, y 20 from 0 to 1, z 28 from 0 to 1\nfield "
        "u\n" FORCE "border periodic\nsolve u - laplace(u) = f by multigrid to 1e-2\n";
    if (!on_gpu_there())
        return;
    on_gpu_verified(around, "time:depth=1");
    on_gpu_verified(around, RINGS);
}

LONG_TEST(stages_between_mirror_walls_have_the_same_bits_in_one_launch)
{
    if (on_gpu_there())
        on_gpu_verified(CUBE FORCE "border u = 0 at z-, z+\n"
                                   "border neumann u at x-, x+, y-, y+\n" POISSON,
                        "time:depth=1");
}

TEST(a_plan_counts_the_bytes_of_a_group_once)
{
    planned p;
    if (!on_gpu_there())
        return;
    REQUIRE_OK(plan_text_of(star, "emulated", &(pav_run_options){.schedule = RINGS}, &p));
    const char *report = planned_report(&p, 0);
    CHECK(strstr(report, "6555        32 ") != NULL); /* points; u, f, s2 and r3 */
    CHECK(strstr(report, ", one launch with the next 2\n") != NULL);
    CHECK(strstr(report, "    in the launch of the stage above\n") != NULL);
    close_planned(&p);
}

TEST(a_step_without_groups_refuses_their_schedule)
{
    if (on_gpu_there())
        on_gpu_refused("grid x 40, y 20\nfield u = x\nborder u = 0\nsteps 9\n"
                       "u' = u + 0.1*laplace(u)\n",
                       "time:depth=1", "has no launches of several stages of a step");
}
