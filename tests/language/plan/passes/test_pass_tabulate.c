/* SPDX-License-Identifier: BSD-3-Clause */
/* The pass tabulate moves values of one index to tables, and equal tables are shared. */
#include "passed.h"

#include "test.h"

static const char *tabled(const char *right)
{
    return passed_text(right, "tabulate");
}

TEST(what_depends_on_one_index_is_read_from_a_table)
{
    CHECK_STR(tabled("u*sin(x)"), "(T0[0] * u)");
    CHECK_STR(tabled("u + x"), "(T0[0] + u)");
    CHECK_STR(tabled("u*exp(-(x - 3)^2 - (y - 2)^2)"), "(exp(-((T0[0] + T1[0]))) * u)");
}

TEST(what_depends_on_two_is_made_of_two_tables)
{
    CHECK_STR(tabled("u*sin(x)*cos(y)"), "((T0[0] * T1[0]) * u)");
}

TEST(tables_that_are_equal_up_to_a_shift_are_one)
{
    CHECK_STR(tabled("u*(sin(0.3*x))[-1,0,0] + v*(sin(0.3*x))[2,0,0]"),
              "((T0[0] * u) + (T0[3] * v))");
    CHECK_STR(tabled("u*(x^2 + 3*x) + v*((x + 2)^2 + 3*(x + 2))"),
              "((T0[0] * u) + (T0[2] * v))");
}

TEST(a_shift_by_less_than_a_point_is_counted_from_the_point_before)
{
    CHECK_STR(tabled("u*sin(2*x + 1) + v*sin(2*x - 1)"), "((T0[-1] * v) + (T0[0] * u))");
}

/* A new table is compared only with the last 64 tables, so the time does not grow with
 * the square of their number. */
TEST(a_table_after_a_hundred_others_is_made_without_a_look_at_them)
{
    text t = {0};

    text_add(&t, "grid x 9\nfield u\nu' = u");
    for (int k = 1; k <= 100; k++)
        text_add(&t, " + u*sin(0.%03d*x)", k);
    text_add(&t, " + u[1]*sin(0.01*(x + 1)) + u[1]*sin(0.09*(x + 1))\n");
    text_add(&t, "border periodic\nsteps 1\n");
    lowered l = passed_open(t.data, "tabulate");
    CHECK_EQ(l.code->tables, 101);
    lowered_free(&l);
    text_free(&t);
}

TEST(tables_of_different_axes_or_scale_are_not_one)
{
    CHECK_STR(tabled("u*sin(x) + v*sin(y)"), "((T0[0] * u) + (T1[0] * v))");
    CHECK_STR(tabled("u*sin(x) + v*sin(2*x)"), "((T0[0] * u) + (T1[0] * v))");
    CHECK_STR(tabled("u*sin(x) + v*sin(x + 0.5)"), "((T0[0] * u) + (T1[0] * v))");
}

TEST(a_shift_farther_than_halos_reach_is_a_table_of_its_own)
{
    CHECK_STR(tabled("u*sin(x) + v*sin(x + 5000)"), "((T0[0] * u) + (T1[0] * v))");
}

TEST(conditions_stay_and_compare_tables)
{
    CHECK_STR(tabled("where(2*x < 3 and u < v, u, v)"),
              "where(((T0[0] < 3) and (u < v)), u, v)");
}

TEST(what_depends_on_a_uniform_stays)
{
    CHECK_STR(tabled("u*sin(s*x)"), "(sin((T0[0] * s)) * u)");
}

TEST(constants_are_no_tables)
{
    CHECK_STR(tabled("u*1/k"), "(1/3 * u)");
}

TEST(stages_share_tables)
{
    lowered l = passed_open("grid x 9\nfield u; v\nu' = u*sin(x)\nv' = v*sin(x) + u'[1]\n"
                            "border periodic\nsteps 1\n",
                            "tabulate");

    CHECK_EQ(l.code->step.count, 2);
    CHECK_EQ(l.code->tables, 1);
    CHECK_EQ(l.code->table[0].stage.outputs, 1);
    lowered_free(&l);
}

/* Both tables are the sine of twice the index, but the coarse table has half the
 * length. */
TEST(coarse_and_fine_tables_differ)
{
    lowered l = passed_open(
        "grid x 9\nfield u; field c coarse\nu' = u*sin(2*x)\nc' = c*sin(x)\n"
        "border periodic\nsteps 1\n",
        "tabulate");

    CHECK_EQ(l.code->tables, 2);
    CHECK(l.code->table[0].coarse != l.code->table[1].coarse);
    lowered_free(&l);
}
