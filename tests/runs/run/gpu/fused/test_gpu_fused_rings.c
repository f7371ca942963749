/* SPDX-License-Identifier: BSD-3-Clause */
/* Fused launches with input levels in rings of planes in shared memory are bitwise
 * identical to single steps: for each kind of copy, for all faces known to registers, and
 * for several levels, fields and stages. */
#include "exec/gpu/gpu_private.h"
#include "on_gpu.h"

static const char *const rings[] = {
    "time:depth=2,threads=32x4,rows=3,copy=tma",
    "time:depth=3,threads=32x5,rows=3,copy=tma,prefetch=3,unroll=3,planes=7",
    "time:depth=2,threads=32x4,rows=3,prefetch=1,unroll=2",
};

static void verified(const char *source)
{
    for (size_t k = 0; k < COUNT_OF(rings) && on_gpu_there(); k++)
        on_gpu_verified(source, rings[k]);
}

/* More than two tiles along x, one of them inside. */
#define CUBE "grid x 150, y 29, z 17\nreal f64\nfield u = random(1)\nsteps 99\n"
#define HEAT "u' = u + 0.1*laplace(u)\n"

LONG_TEST(rings_hold_what_lies_beyond_given_faces)
{
    verified(CUBE HEAT "border u = sin(t) + 0.1*x\n");
    verified(CUBE HEAT "border u = 0.1*y*t beyond\n");
}

LONG_TEST(tiles_that_wrap_are_copied_by_threads)
{
    verified(CUBE HEAT "border periodic u\n");
    verified(CUBE HEAT "border periodic u at y-, y+\nborder u = t at x-, x+, z-, z+\n");
    verified(CUBE HEAT "border periodic u at z-, z+\nborder u = t at x-, x+, y-, y+\n");
}

LONG_TEST(rings_hold_planes_for_boxes)
{
    verified(CUBE "stencil s { centre 0.3, face 0.06, edge 0.02, corner 0.0125 }\n"
                  "u' = s(u)\nborder u = 0\n");
}

LONG_TEST(older_levels_and_several_fields_have_rings_of_their_own)
{
    verified(CUBE "u' = 2*u - prev(u) + 0.1*laplace(u)\nborder u = 0\n");
    verified(CUBE "field v = random(2)\nu' = u + 0.1*laplace(v)\n"
                  "v' = v + 0.1*(u'[0,1,0] - u'[0,0,-1])\nborder u = 0\nborder v = t\n");
}

TEST(what_the_accelerator_cannot_copy_is_refused_by_name)
{
    if (!on_gpu_there())
        return;
    on_gpu_refused(CUBE HEAT "border u = 0\n", "time:copy=tma,vector=1",
                   "vectors of 16 bytes");
    on_gpu_refused(CUBE HEAT "border u = 0\n", "time:copy=split", "async, or tma does");
    on_gpu_refused(CUBE HEAT "border u = 0\n", "time:copy=tma,ahead=2",
                   "leave out ahead");
    on_gpu_refused(CUBE HEAT "border mirror u\n", "time:copy=tma",
                   "versions that lie in shared memory");
    on_gpu_refused("grid x 90, y 61\nfield u = random(1)\nsteps 99\n" HEAT
                   "border u = 0\n",
                   "time:copy=tma", "planes of 3 dimensions");
}
