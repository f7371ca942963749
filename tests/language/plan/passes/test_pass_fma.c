/* SPDX-License-Identifier: BSD-3-Clause */
/* The pass fma joins products and sums to fused multiply-adds. */
#include "passed.h"

#include "test.h"

static const char *fused(const char *right)
{
    return passed_text(right, "fma");
}

TEST(a_product_goes_into_its_sum)
{
    CHECK_STR(fused("u*v + w"), "fma(u, v, w)");
    CHECK_STR(fused("w - u*v"), "fma(-(u), v, w)");
    CHECK_STR(fused("u*v - w"), "fma(u, v, -(w))");
    CHECK_STR(fused("w - 3*u"), "fma(-3, u, w)");
}

TEST(of_two_products_one_goes_in)
{
    CHECK_STR(fused("u*v - w*s"), "fma(-(w), s, (u * v))");
    CHECK_EQ(passed_cost("u*v + w*s", NULL).instructions, 2);
}

TEST(a_product_that_is_read_twice_stays)
{
    CHECK_STR(fused("(u*v + w)*(u*v)"), "(((u * v) + w) * (u * v))");
}

TEST(a_product_that_another_plane_can_keep_stays)
{
    CHECK_STR(fused("u*v + max(w, u[0,0,1]*v[0,0,1])"),
              "((u * v) + (w max (u[0,0,1] * v[0,0,1])))");
    CHECK_STR(fused("u*v + max(w, u[1,0,0]*v[1,0,0])"),
              "fma(u, v, (w max (u[1,0,0] * v[1,0,0])))");
}

TEST(two_products_that_mirror_each_other_stay)
{
    CHECK_STR(fused("u[1,0,0]^2 + u[-1,0,0]^2"),
              "((u[-1,0,0] * u[-1,0,0]) + (u[1,0,0] * u[1,0,0]))");
}

TEST(contraction_does_not_reach_across_rounding)
{
    lowered l = passed_open(
        "grid x 9\nreal f32\nfield u stored bf16; v stored bf16\nu' = u*v\n"
        "v' = v + u'\nborder periodic\nsteps 1\n",
        NULL);

    CHECK_EQ(l.code->step.count, 1);
    CHECK_EQ(count_op(step_stage(&l, 0), IR_FMA), 0);
    CHECK_EQ(count_op(step_stage(&l, 0), IR_ROUND), 2);
    lowered_free(&l);
}

TEST(a_constant_takes_the_sign_of_its_product)
{
    lowered l = passed_open("grid x 9\nfield u\nscalar s = 2\nu' = u\nborder periodic\n"
                            "steps 1\nmeasure m = s*sum(u) - s*2\n",
                            NULL);

    CHECK_STR(output_text(&l, named_stage(&l, "m"), 0), "fma(-2, s, (c * s))");
    lowered_free(&l);
}

TEST(flops_do_not_change)
{
    static const char right[] = "u + 0.1*laplace(u) - v*(w - 2*u*v) + s*v*w";

    CHECK_EQ(passed_cost(right, "fma").flops, passed_cost(right, "hoist").flops);
    CHECK(passed_cost(right, "fma").instructions <
          passed_cost(right, "hoist").instructions);
}
