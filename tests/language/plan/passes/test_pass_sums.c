/* SPDX-License-Identifier: BSD-3-Clause */
/* The pass sums factors sums by their weights. The tests fix the resulting expressions
 * and the costs of well-known operators. */
#include "passed.h"

#include <stdio.h>

#include "test.h"

static const char *summed(const char *right)
{
    return passed_text(right, "sums");
}

static ir_cost final_cost(const char *dimensions, const char *rest)
{
    char source[4000];

    snprintf(source, sizeof source, "grid %s\n%s\nborder periodic\nsteps 1\n", dimensions,
             rest);
    return program_cost(source, NULL);
}

static const char three[] = "x 20, y 20, z 20", two[] = "x 20, y 20";

/* ---- known operators --------------------------------------------------------------- */

TEST(heat_in_three_dimensions_takes_seven_instructions)
{
    const ir_cost c = final_cost(
        three, "field u; param a = 0.1\nu' = u + a*(u[1,0,0] + u[-1,0,0] + u[0,1,0] + "
               "u[0,-1,0] + u[0,0,1] + u[0,0,-1] - 6*u)");

    CHECK_EQ(c.flops, 9);
    CHECK_EQ(c.streamed, 9);
    CHECK_EQ(c.instructions, 7);
}

TEST(the_symmetric_27_points_take_18_flops_when_streamed)
{
    const ir_cost c = final_cost(three, "field u\nstencil s { centre 0.4, face 0.05, "
                                        "edge 0.02, corner 0.0075 }\nu' = s(u)");

    CHECK_EQ(c.streamed, 18);
    CHECK_EQ(c.flops, 35);
}

TEST(the_finite_element_27_points_take_integers_out_of_a_twelfth)
{
    const ir_cost c = final_cost(
        three,
        "field u\nstencil s { centre 8/3, face 0, edge -1/6, corner -1/12 }\nu' = s(u)");

    CHECK_EQ(c.streamed, 14);
}

TEST(the_general_27_points_take_27_instructions)
{
    const ir_cost c = final_cost(
        three, "field u\nstencil s { box .01, .03, .02, .05, .04, .07, .06, .09, .08,\n"
               ".11, .10, .13, .12, .15, .14, .17, .16, .19,\n"
               ".18, .21, .20, .23, .22, .25, .24, .27, .26 }\nu' = s(u)");

    CHECK_EQ(c.streamed, 53);
    CHECK_EQ(c.instructions, 27);
}

TEST(all_different_weights_are_added_in_the_order_of_memory)
{
    CHECK_STR(
        passed_text("0.3*u[0,0,1] + 0.7*u[1,0,0] + 0.5*u[-1,0,0] + 1.1*u[0,0,-1]", NULL),
        "fma(0.3, u[0,0,1], fma(0.7, u[1,0,0], fma(0.5, u[-1,0,0], (1.1 * u[0,0,-1]))))");
}

TEST(the_laplacian_of_order_8_takes_24_additions_and_5_products)
{
    const ir_cost c = final_cost("x 20, y 20, z 20 spacing 10",
                                 "field u\nu' = laplace(u, order 8)");

    CHECK_EQ(c.flops, 24 + 5);
    CHECK_EQ(c.instructions, 20 + 1 + 4);
}

TEST(the_wave_multiplies_its_laplacian_once)
{
    const ir_cost c = final_cost("x 20, y 20, z 20 spacing 10",
                                 "field u; field c = 1500; param dt = 0.001\n"
                                 "u' = 2*u - prev(u) + dt^2*c^2*laplace(u, order 8)");

    CHECK_EQ(c.flops, 24 + 5 + 2 + 2 + 2);
}

TEST(gray_scott_takes_22_flops)
{
    const ir_cost c = final_cost(
        two, "field u; field v; param F = 0.037; k = 0.06; Du = 0.2; Dv = 0.1\n"
             "u' = u + Du*laplace(u) - u*v^2 + F*(1-u)\nv' = v + Dv*laplace(v) + u*v^2 - "
             "(F+k)*v");

    CHECK_EQ(c.flops, 22);
    CHECK_EQ(c.instructions, 16);
}

TEST(two_dimensional_operators)
{
    const ir_cost jacobi = final_cost(
        two, "field u; field f\nu' = 0.25*(u[1,0] + u[-1,0] + u[0,1] + u[0,-1] - f)");
    const ir_cost nine = final_cost(
        two, "field u\nstencil s { centre 0.4, face 0.1, edge 0.05 }\nu' = s(u)");

    CHECK_EQ(jacobi.flops, 5);
    CHECK_EQ(nine.streamed, 1 + 3 + 3 + 2);
}

TEST(a_separable_operator_shares_its_planes)
{
    const ir_cost c = final_cost(three, "field u\nstencil s { box 1, 2, 1, 2, 4, 2, 1, "
                                        "2, 1,  2, 4, 2, 4, 8, 4, 2, 4, 2,\n"
                                        "1, 2, 1, 2, 4, 2, 1, 2, 1 }\nu' = s(u)/64");

    CHECK_EQ(c.streamed, 3 + 3 + 4 + 3 + 1);
}

TEST(a_sum_of_equal_weights_is_shared_by_planes_too)
{
    const ir_cost c = final_cost(
        three, "field u\nstencil s { centre 1, face 1, edge 1, corner 1 }\nu' = s(u)/27");

    CHECK_EQ(c.streamed, 8 + 2 + 1);
}

/* ---- factoring --------------------------------------------------------------------- */

TEST(what_is_written_factored_stays_so)
{
    CHECK_STR(summed("u + v*(u[1,0,0] + u[-1,0,0] - 2*u)"),
              "((((-2 * u) + (u[-1,0,0] + u[1,0,0])) * v) + u)");
    CHECK_STR(summed("u + 0.3*(v - u)"), "(((v - u) * 0.3) + u)");
}

TEST(equal_atoms_merge)
{
    CHECK_STR(summed("u - u[1,0,0] + v - u"), "(v - u[1,0,0])");
    CHECK_STR(summed("u + 2*u + w + 0.5*u"), "((3.5 * u) + w)");
    CHECK_STR(summed("s*u - k*u + v*u"), "(((-3 + s) * u) + (u * v))");
}

TEST(a_weight_that_two_sums_read_still_merges)
{
    CHECK_STR(summed("laplace(u)*v - 2*u"),
              "((((((u[-1,0,0] + u[1,0,0]) + (u[0,-1,0] + u[0,1,0])) + "
              "(u[0,0,-1] + u[0,0,1])) + (-6 * u)) * v) + (-2 * u))");
}

TEST(sums_of_one_weight_are_joined)
{
    CHECK_STR(summed("2*(u[1,0,0] + v) - 2*(w + u[-1,0,0])"),
              "((((u[1,0,0] - u[-1,0,0]) + v) - w) * 2)");
    CHECK_STR(summed("u/s + v/s"), "((1 / s) * (u + v))");
}

TEST(numbers_of_a_product_stand_together)
{
    CHECK_STR(summed("u*2*(v*(5*w))"), "(((u * v) * w) * 10)");
    CHECK_STR(summed("u*s*v*s"), "((s * s) * (u * v))");
    CHECK_STR(summed("1/(2*u)"), "(0.5 / u)");
}

TEST(what_depends_on_one_index_is_taken_together)
{
    CHECK_STR(summed("x*x + y + 2*x + 3 + u"), "(((((x * x) + 3) + (2 * x)) + y) + u)");
    CHECK_STR(summed("u*x*v*2*x"), "((((x * x) * 2) * u) * v)");
}

TEST(staggered_derivatives_pair_about_half_points)
{
    CHECK_STR(summed("dx(u, order 4, at +1/2)"),
              "((((u[1,0,0] - u) * 27) + (u[-1,0,0] - u[2,0,0])) * 1/24)");
}

TEST(content_goes_where_something_multiplies_anyway)
{
    CHECK_STR(summed("v*0.3*(0.5*u[1,0,0] - 0.25*w)"),
              "((((2 * u[1,0,0]) - w) * v) * 0.075)");
    CHECK_STR(summed("s*(0.5*u[1,0,0] - 0.25*w)"), "(((2 * u[1,0,0]) - w) * (0.25 * s))");
}

TEST(content_is_left_inside_where_a_weight_is_one)
{
    CHECK_STR(summed("0.25*(u[1,0,0] + u[-1,0,0] - 0.01*v)"),
              "(((-0.01 * v) + (u[-1,0,0] + u[1,0,0])) * 0.25)");
}

/* ---- weights ----------------------------------------------------------------------- */

TEST(an_atom_whose_weights_cancelled_takes_the_next_weight_as_it_is)
{
    CHECK_STR(passed_text("(u + v) - u + s*u", "sums"), "((s * u) + v)");
}

static bool has_content(int64_t weight)
{
    const summand item[] = {
        {.value = {num_ratio(weight, 3), -1, 0}},
        {.value = {num_ratio(1, 3), -1, 1}},
    };
    num content = num_int(0);

    return sum_content(item, 2, &content) && num_equal(content, num_ratio(1, 3));
}

TEST(content_leaves_integers_that_single_precision_holds_with_room_for_sums)
{
    CHECK(has_content((1 << 20) - 1));
    CHECK(!has_content((1 << 20) + 1));
}

/* ---- depth ------------------------------------------------------------------------- */

/* ((u + u)*u + u)*u ... */
static pav_status nest(const lowered *l, int times, int *depth)
{
    ir_stage stage = *step_stage(l, 0);
    terms t = terms_open(l->code, &stage, true);
    const ir_node load = node_blank(IR_LOAD);
    const term u = term_value(&t, build_node(&t.build, &load));
    term all = u;

    for (int k = 0; k < times; k++)
        all = term_multiply(&t, term_add(&t, all, u), u);
    *depth = all.parts ? all.parts->depth : 0;
    return PAV_OK;
}

TEST(sums_in_products_in_sums_are_held_back_to_a_bounded_depth)
{
    lowered l = lowered_open("grid x 9\nfield u\nu' = u\nborder periodic\nsteps 1\n");
    int depth = 0;
    pav_status status;

    ARENA_GUARD(l.code->arena, status, nest(&l, 10, &depth));
    CHECK_STATUS(status, PAV_OK);
    CHECK_EQ(depth, 19);
    ARENA_GUARD(l.code->arena, status, nest(&l, 500, &depth));
    CHECK_STATUS(status, PAV_OK);
    CHECK(depth < 60);
    lowered_free(&l);
}
