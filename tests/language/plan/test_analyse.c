/* SPDX-License-Identifier: BSD-3-Clause */
/* The analysis of a stage: radius, shape, symmetry, bytes and costs. */
#include "passed.h"

#include "test.h"

typedef struct analysed {
    lowered l;
    arena *arena;
    ir_analysis r;
} analysed;

static pav_status run(analysed *a, int64_t stage)
{
    ir_analyse(a->l.code, step_stage(&a->l, stage), a->arena, &a->r);
    return PAV_OK;
}

static analysed analyse(const char *source, int64_t stage)
{
    analysed a = {.l = passed_open(source, NULL), .arena = arena_new()};
    pav_status status;

    REQUIRE(a.arena != NULL);
    ARENA_GUARD(a.arena, status, run(&a, stage));
    REQUIRE_OK(status);
    return a;
}

static void done(analysed *a)
{
    lowered_free(&a->l);
    arena_free(a->arena);
}

static ir_access first_access(const char *equation)
{
    text t = {0};

    text_add(&t, "grid x 20, y 20\nfield u\n%s\nborder = 0 beyond\nsteps 1\n", equation);
    analysed a = analyse(t.data, 0);
    if (a.r.accesses < 1 || !a.r.access)
        test_stop();
    const ir_access access = a.r.access[0];
    done(&a);
    text_free(&t);
    return access;
}

TEST(reach_is_reported_by_axis_and_side)
{
    const ir_access a = first_access("u' = u[3,0] + u[-1,0] + u[0,-2]");

    CHECK_EQ(a.reach[0][0], 1);
    CHECK_EQ(a.reach[0][1], 3);
    CHECK_EQ(a.reach[1][0], 2);
    CHECK_EQ(a.reach[1][1], 0);
    CHECK_EQ(a.taps, 3);
}

TEST(shapes_have_names)
{
    CHECK_EQ(first_access("u' = 2*u").shape, SHAPE_POINT);
    CHECK_EQ(first_access("u' = u + 0.1*laplace(u)").shape, SHAPE_STAR);
    CHECK_EQ(first_access("stencil s { centre 2, face 1, edge 3 }\nu' = s(u)").shape,
             SHAPE_BOX);
    CHECK_EQ(first_access("u' = u[1,1] + u[2,0] + u").shape, SHAPE_GENERAL);
}

TEST(symmetry_asks_for_each_mirror_image)
{
    CHECK(first_access("u' = u + 0.1*laplace(u)").symmetric);
    CHECK(first_access("u' = u[1,2] + 3*u[-1,-2]").symmetric);
    CHECK(!first_access("u' = u[1,1] + 3*u[-1,-1] + 2*u[1,-1] + u[0,1]").symmetric);
    CHECK(!first_access("u' = u - u[-1,0]").symmetric);
}

TEST(each_level_of_each_field_is_read_once)
{
    analysed a = analyse(
        "grid x 20, y 20\nreal f32\nfield u; c; m stored bf16\n"
        "u' = 2*u - prev(u) + c*laplace(u) + m\nborder = 0 beyond\nsteps 1\n",
        0);

    CHECK_EQ(a.r.accesses, 4);
    CHECK_EQ(a.r.bytes_read, 4 + 4 + 4 + 2);
    CHECK_EQ(a.r.bytes_written, 4);
    CHECK_EQ(a.r.points, 400);
    done(&a);
}

TEST(fixed_points_are_no_points_of_a_stage)
{
    analysed a = analyse(
        "grid x 20, y 10\nfield u\nu' = u\nborder u = 0 at x-, y+\nsteps 1\n", 0);

    CHECK_EQ(a.r.points, 19 * 9);
    done(&a);
}

TEST(coarse_fields_count_by_their_points)
{
    analysed fine = analyse(
        "grid x 20, y 20\nfield u; field c coarse\nu' = interpolate(c)\n"
        "border = 0 beyond\nsteps 1\n",
        0);
    analysed coarse = analyse(
        "grid x 20, y 20\nfield u; field c coarse\nc' = restrict(u)\n"
        "border = 0 beyond\nsteps 1\n",
        0);

    CHECK_EQ(fine.r.bytes_read, 8 / 4);
    CHECK_EQ(coarse.r.bytes_read, 8 * 4);
    CHECK(coarse.r.access && coarse.r.access[0].taps == 9);
    done(&fine);
    done(&coarse);
}

TEST(divisions_roots_and_functions_are_special)
{
    analysed a = analyse("grid x 20\nfield u\nu' = sqrt(u)/(2 + u) + sin(u) + u*u\n"
                         "border = 0 beyond\nsteps 1\n",
                         0);

    CHECK_EQ(a.r.special, 3);
    done(&a);
}

TEST(what_is_the_same_at_all_points_costs_a_point_nothing)
{
    CHECK_EQ(passed_cost("u*(s*s + 1)", "sums").flops, 1);
    CHECK_EQ(passed_cost("u*(s*s + 1)", "hoist").flops, 1);
}

TEST(what_is_computed_once_has_a_cost_of_its_own)
{
    lowered l = passed_open("grid x 9\nfield u\nscalar s = 2\nu' = u*(s*s + 1)\n"
                            "border periodic\nsteps 1\n",
                            "hoist");

    CHECK_EQ(ir_stage_cost(l.code, &l.code->stage[step_stage(&l, 0)->before]).flops, 2);
    lowered_free(&l);
}

TEST(streamed_cost_counts_planes_once)
{
    CHECK_EQ(passed_cost("(u[1,0,0] + u[-1,0,0])*(u[1,0,1] + u[-1,0,1])", NULL).flops, 3);
    CHECK_EQ(passed_cost("(u[1,0,0] + u[-1,0,0])*(u[1,0,1] + u[-1,0,1])", NULL).streamed,
             2);
    CHECK_EQ(passed_cost("(u[0,0,1] + u[0,0,-1])*(u[1,0,1] + u[1,0,-1])", NULL).streamed,
             3);
}

TEST(rows_beside_each_other_share_their_arithmetic)
{
    lowered l = passed_open(
        "grid x 9, y 9, z 9\nfield u = x, v = y\n"
        "u' = (u[1,0,0] + u[-1,0,0])*(u[1,1,0] + u[-1,1,0])\n"
        "v' = (1 + x*y)*(v[0,0,1] - v[0,0,-1]) + 2*v\nborder u = 0\nborder v = 0",
        NULL);
    ir_arithmetic a;
    REQUIRE_OK(ir_stage_arithmetic(l.code, step_stage(&l, 0), &a));
    CHECK_EQ(a.sums, 1 + 1);     /* the pair along x, the difference along z */
    CHECK_EQ(a.products, 1 + 2); /* products inside a table do not count for points */
    lowered_free(&l);
}

/* ---- dependences ------------------------------------------------------------------- */

static pav_status depend(lowered *l, arena *a, dependence **d, int64_t *count)
{
    *count = find_dependences(l->code, a, d);
    return PAV_OK;
}

static dependence only_dependence(const char *source)
{
    lowered l = passed_open(source, NULL);
    dependence *d = NULL, result;
    int64_t count = 0;
    pav_status status;

    ARENA_GUARD(l.code->arena, status, depend(&l, l.code->arena, &d, &count));
    REQUIRE_OK(status);
    if (count != 1 || !d)
        test_stop();
    result = *d;
    lowered_free(&l);
    return result;
}

TEST(an_equation_that_reads_a_new_value_elsewhere_follows)
{
    const dependence d = only_dependence("grid x 20\nfield u; v\nu' = u[1]\nv' = u'[2] - "
                                         "u'[-1]\nborder periodic\nsteps 1\n");

    CHECK(d.elsewhere);
    CHECK_EQ(d.level, 1);
    CHECK_EQ(d.reach[0][0], 1);
    CHECK_EQ(d.reach[0][1], 2);
}

TEST(an_equation_that_needs_a_reduction_follows_it)
{
    const dependence d = only_dependence(
        "grid x 20\nfield u\nu' = u/(1 + max(u))\nborder periodic\nsteps 1\n");

    CHECK_EQ(d.field, -1);
    CHECK(d.uniform >= 0);
    CHECK(d.elsewhere);
}

TEST(an_equation_on_the_other_grid_reads_elsewhere_even_at_its_own_index)
{
    const dependence d = only_dependence("grid x 20\nfield u; field c coarse\nu' = 2*u\n"
                                         "c' = c + u'\nborder = 0 beyond\nsteps 1\n");

    CHECK(d.elsewhere);
    CHECK_EQ(d.reach[0][0] + d.reach[0][1], 0);
}

TEST(numbers_that_do_not_fit_into_memory_are_not_lifted)
{
    lowered l = passed_open("grid x 9\nfield u = 0.5*x\nu' = u\n", NULL);
    l.code->arena->limit = l.code->arena->used;
    CHECK_EQ(ir_lift_numbers(l.code, true), PAV_ELIMIT);
    CHECK(strstr(pav_message(), "make it smaller"));
    lowered_free(&l);
}
