/* SPDX-License-Identifier: BSD-3-Clause */
/* The direct evaluation agrees with correct runs of every part of the language, and
 * reports wrong runs. */
#include "check_helper.h"

static void agrees(const char *source)
{
    program *p = parse(source);
    CHECK_STATUS(direct_agrees(&(proof_case){.program = p}), PAV_OK);
    program_free(p);
}

/* Follows a run of one text with the direct evaluation of another text. */
static pav_status follow(const char *source, const char *run_source, direct_tally *tally)
{
    program *p = parse(source), *q = parse(run_source);
    pav_run *run = NULL;
    pav_status status = run_open_with(q, interp_stage, &run);
    if (status == PAV_OK)
        status = direct_follow(p, run, PROOF_STEPS, tally);
    pav_run_free(run);
    program_free(q);
    program_free(p);
    return status;
}

static void differs(const char *source, const char *run_source)
{
    direct_tally tally = {0};
    CHECK_STATUS(follow(source, source, &tally), PAV_OK);
    CHECK(tally.sharp > 0);
    CHECK_STATUS(follow(source, run_source, &tally), PAV_EINTERNAL);
}

/* ---- right runs -------------------------------------------------------------------- */

TEST(heat_agrees)
{
    agrees("grid x 9, y 7\nfield u = x*y + random(1)\n"
           "u' = u + 0.1*laplace(u)\nborder u = 0.5\nsteps 3");
}

TEST(every_border_agrees_at_edges_and_corners)
{
    agrees("grid x 6, y 5, z 4\nfield u, v, w, p, q, r = random(2)\n"
           "let all(f) = f[1,1,1] + 2*f[-2,1,0] - f[0,-2,2] + f[2,0,-1]\n"
           "u' = 0.1*all(u)\nv' = 0.1*all(v)\nw' = 0.1*all(w)\np' = 0.1*all(p)\n"
           "q' = 0.1*all(q)\nr' = 0.1*all(r)\n"
           "border u = x + 2*y + t\nborder v = x*z - t beyond\nborder periodic w\n"
           "border mirror p at x-, x+\nborder odd p at y-, y+\nborder clamp p at z-, z+\n"
           "border neumann q = y + z\nborder clamp r\nborder r = 3 at y+\nsteps 3");
}

TEST(parts_of_faces_agree_at_edges_and_corners)
{
    agrees(
        "grid x 9, y 8\nfield u, v, w = normal(2)\n"
        "let all(f) = 0.1*f[1,1] + 0.2*f[-2,1] - 0.1*f[0,-2] + 0.2*f[2,-1]\n"
        "u' = all(u)\nv' = all(v) + 0.1*normal(3)\nw' = all(w)\n"
        "border u = 0\nborder mirror u at x- where y > 2\n"
        "border odd u at x- where y > 5\nborder neumann u = -0.1*u at y+ where t > 1\n"
        "border clamp v\nborder v = x + t where ix + iy > 6\n"
        "border antimirror v = 1 at y- where x < 4\nborder v = 2 beyond x+ where y < 3\n"
        "border periodic w at x-, x+\nborder mirror w at y-, y+\n"
        "border w = 1 at y- where x < 4\nsteps 4");
}

TEST(complex_numbers_of_extreme_size_agree)
{
    agrees(
        "grid x 9\nfield a complex = 1e200*(1 + x + 2*i); b complex = 1e-200*(3 - i*x)\n"
        "field c complex, d complex, m\nc' = (a/(1e190 + 0*i + 1e190*i))^-2\n"
        "d' = b/(b*(2 + i))\nm' = 1e-200*abs(a) + 1e200*abs(b)\nsteps 2\n"
        "expect max(abs(d*(2 + i) - 1)) < 1e-14 and max(m) > 1");
}

TEST(large_powers_of_complex_numbers_agree)
{
    agrees("grid x 9\nfield a complex = exp(i*x/7)*(1 + x/500)\n"
           "field b complex, c complex, d complex, e\n"
           "b' = a^64\nc' = a^-128\nd' = a^1024\ne' = re(a)^100\nsteps 2\n"
           "expect max(abs(b/(exp(64*i*x/7)*(1 + x/500)^64) - 1)) < 1e-13\n"
           "expect max(abs(c*exp(128*i*x/7)*(1 + x/500)^128 - 1)) < 1e-12\n"
           "expect max(abs(d/(exp(1024*i*x/7)*(1 + x/500)^1024) - 1)) < 1e-12");
}

TEST(levels_and_their_initial_values_agree)
{
    agrees("grid x 12\nfield u = sin(x)\nprev(u) = cos(x + step)\n"
           "u' = 0.5*u + 0.3*prev(u)[1] - 0.2*prev(u, 3)\nborder periodic\n"
           "measure m = sum(prev(u, 4)*u)\nsteps 3");
}

TEST(masks_layers_and_sources_agree)
{
    agrees("grid x 15, y 13 spacing 0.5\nfield u = random(1), v = random(2)\n"
           "v' = 0.3*v[0,-1] + 0.1*u\n"
           "u' = 0.2*(u[1,0] + u[-1,0] + v'[0,1] - prev(u))\n"
           "mask u = abs(x - 3.3) > 0.7\nabsorb 4 cells strength 0.5\n"
           "inject ricker(0.1, t) into u at (3.3, 2.1), (1, 1) by sinc\n"
           "inject u + 1 into v at (0.2, 5.9)\nsteps 3");
}

TEST(coarse_grids_agree)
{
    agrees("grid x 9, y 8\nfield r = random(1); e coarse\n"
           "e' = 0.5*e + restrict(r) + 0.1*r[1,-1] + laplace(e)/9\n"
           "r' = 0.5*r - 0.1*interpolate(e') + 0.01*interpolate(x*e)\n"
           "border = 0 beyond\nsteps 3");
}

TEST(random_numbers_between_grids_agree)
{
    agrees("grid x 9, y 8\nfield e coarse = random(3)\n"
           "field u = interpolate(e*random(1)); v = u*random(2)\n"
           "field r coarse = restrict(v*random(4))\n"
           "u' = 0.5*u + v\nr' = 0.5*r\nborder = 0 beyond\nsteps 3");
}

TEST(narrow_storage_agrees)
{
    agrees("grid x 40\nreal f32 stored bf16\nfield u = sin(x); v stored f16 = cos(x)\n"
           "u' = u + 0.3*(v[1] - v[-1])\nv' = v + 0.3*(u'[1] - u'[-1])\n"
           "border periodic\nsteps 3");
}

TEST(reductions_agree)
{
    agrees("grid x 11, y 6\nfield u = random(1); field c = 1 + random(2)\n"
           "param dt = 0.4/max(c); top = norm(u)\n"
           "u' = u + dt*(laplace(u) - sum(u*c)/norm(c + u))\nborder neumann\n"
           "measure energy = sum(u^2) + top\nuntil max(u) > 100\nsteps 3");
}

TEST(a_run_ended_by_until_is_followed_to_its_end)
{
    agrees("grid x 5\nfield u = x\nu' = u + 1\nuntil max(u) > 5\nsteps 3");
}

/* ---- wrong runs -------------------------------------------------------------------- */

TEST(another_coefficient_is_reported)
{
    differs(
        "grid x 9\nfield u = random(1)\nu' = u + 0.1*laplace(u)\nborder u = 0",
        "grid x 9\nfield u = random(1)\nu' = u + 0.1000000001*laplace(u)\nborder u = 0");
}

TEST(another_coefficient_is_reported_in_single_precision)
{
    differs(
        "grid x 9\nreal f32\nfield u = random(1)\nu' = u + 0.1*u[1]\nborder clamp",
        "grid x 9\nreal f32\nfield u = random(1)\nu' = u + 0.10001*u[1]\nborder clamp");
}

TEST(another_storage_is_reported)
{
    differs("grid x 9\nfield u stored bf16 = random(1)\nu' = 0.3*u",
            "grid x 9\nfield u stored f16 = random(1)\nu' = 0.3*u");
}

TEST(another_border_is_reported)
{
    differs(
        "grid x 4, y 4\nfield u = random(1)\nu' = 0.3*u[1,1]\nborder mirror",
        "grid x 4, y 4\nfield u = random(1)\nu' = 0.3*u[1,1]\nborder clamp u at x-, x+\n"
        "border neumann u at y-, y+");
}

TEST(another_order_of_equations_is_reported)
{
    differs("grid x 9\nfield u = random(1), v = random(2)\nu' = 0.5*v\nv' = 0.5*u'",
            "grid x 9\nfield u = random(1), v = random(2)\nu' = 0.5*v\nv' = 0.5*u");
}

TEST(another_mask_is_reported)
{
    differs("grid x 9\nfield u = random(1)\nu' = 0.5*u\nmask u = x != 4",
            "grid x 9\nfield u = random(1)\nu' = 0.5*u\nmask u = x != 5");
}

TEST(another_source_is_reported)
{
    differs("grid x 9\nfield u\nu' = 0.5*u\ninject 1 into u at (4.25) by sinc",
            "grid x 9\nfield u\nu' = 0.5*u\ninject 1 into u at (4.25) by linear");
}

TEST(another_time_is_reported)
{
    differs("grid x 9\nfield u = 1\nu' = u + t\nborder u = t",
            "grid x 9\nfield u = 1\nu' = u + t\nborder u = t + 1");
}

TEST(another_measure_is_reported)
{
    differs("grid x 9\nfield u = random(1)\nu' = u\nmeasure m = max(u)",
            "grid x 9\nfield u = random(1)\nu' = u\nmeasure m = max(abs(u)) + 1e-9");
}

TEST(a_run_that_continues_beyond_until_is_reported)
{
    differs("grid x 9\nfield u = 1\nu' = u + 1\nuntil max(u) > 2",
            "grid x 9\nfield u = 1\nu' = u + 1");
}

/* ---- a wrong machine --------------------------------------------------------------- */

static pav_status off_in_one_point(const interp_args *args)
{
    TRY(interp_stage(args));
    double *value = first_stored(args);
    if (value)
        *value += 1e-12;
    return PAV_OK;
}

static pav_status run_on(const char *source, stage_runner runner)
{
    program *p = parse(source);
    pav_run *run = NULL;
    direct_tally tally = {0};
    REQUIRE_OK(run_open_with(p, runner, &run));
    const pav_status status = direct_follow(p, run, PROOF_STEPS, &tally);
    pav_run_free(run);
    program_free(p);
    return status;
}

TEST(one_wrong_bit_of_one_point_is_reported)
{
    const char *source = "grid x 8, y 8\nfield u = 1 + x\nu' = 0.25*(u[1,0] + u[-1,0])\n"
                         "border neumann";
    CHECK_STATUS(run_on(source, interp_stage), PAV_OK);
    CHECK_STATUS(run_on(source, off_in_one_point), PAV_EINTERNAL);
    CHECK(strstr(pav_message(), "field u"));
}

/* ---- doubt ------------------------------------------------------------------------- */

TEST(a_value_on_a_jump_is_not_held_against_a_run)
{
    agrees("grid x 9\nfield u = x/3\nu' = where(u*3 < x + 1e-16, 1, 2) + 0*u\nsteps 3");
}

TEST(a_proof_that_compared_nothing_fails)
{
    program *p = parse("grid x 4\nfield u = where(0.1*3 == 0.3, 1, 2)\nu' = u");
    CHECK_STATUS(direct_agrees(&(proof_case){.program = p}), PAV_EINTERNAL);
    CHECK(strstr(pav_message(), "only 0 could"));
    program_free(p);
}

/* Only the start and one point of 400 are certain; at all other points rounding could
 * choose either branch. */
TEST(a_proof_that_compared_next_to_nothing_fails)
{
    program *p = parse(
        "grid x 400\nfield u = where(0.1*3 == 0.3 or x < 1, 1, 2)\nu' = u");
    CHECK_STATUS(direct_agrees(&(proof_case){.program = p}), PAV_EINTERNAL);
    CHECK(strstr(pav_message(), "only 4 could"));
    program_free(p);
}
