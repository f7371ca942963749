/* SPDX-License-Identifier: BSD-3-Clause */
/* The catalogue's programs, for lists over all of them. */
#include "bench_list.h"

const bench_program bench_programs[] = {
    {"star1d", 1},      {"star2d", 2},      {"star3d", 3},    {"box2d", 2},
    {"box3d", 3},       {"sym27", 3},       {"heat1d", 1},    {"heat2d", 2},
    {"heat3d", 3},      {"wave2d", 2},      {"wave3d", 3},    {"jacobi2d", 2},
    {"grayscott2d", 2}, {"grayscott3d", 3}, {"elastic2d", 2}, {"elastic3d", 3},
    {"maxwell2d", 2},   {"advect2d", 2},    {"burgers1d", 1}, {"aniso2d", 2},
    {"blur3d", 3},      {"lbm3d", 3},       {NULL, 0}};
