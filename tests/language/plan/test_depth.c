/* SPDX-License-Identifier: BSD-3-Clause */
/* Temporal blocking: if steps can be fused, and the skew between them. */
#include <string.h>

#include "passed.h"

#include "test.h"

typedef struct blocked {
    lowered l;
    ir_blocking b;
} blocked;

static blocked block_of(const char *source, const int *unit)
{
    blocked k = {.l = passed_open(source, NULL)};

    REQUIRE_OK(ir_blocking_open(k.l.code, unit, &k.b));
    return k;
}

static void done(blocked *k)
{
    ir_blocking_close(&k->b);
    lowered_free(&k->l);
}

#define GRID "grid x 40, y 30\nsteps 9\n"

TEST(a_step_stays_behind_by_what_it_reads)
{
    blocked k = block_of(GRID "field u\nborder u mirror\nu' = u + 0.1*laplace(u)\n",
                         NULL);

    CHECK(!k.b.refusal);
    CHECK_EQ(k.b.skew[0], 1);
    CHECK_EQ(k.b.skew[1], 1);
    CHECK_EQ(k.b.skew[2], 0);
    CHECK_EQ(k.b.reach[1][0], 1);
    CHECK(!k.b.periodic[0]);
    done(&k);
}

/* The skew is the stencil radius, 4. Overwriting the oldest level needs no more, because
 * it is read only at the point itself. */
TEST(second_order_in_time_needs_no_more)
{
    blocked k = block_of(GRID "field u\nborder u = 0 beyond\n"
                              "u' = 2*u - prev(u) + 0.1*laplace(u, order 8)\n",
                         NULL);

    CHECK(!k.b.refusal);
    CHECK_EQ(k.b.skew[0], 4);
    CHECK_EQ(k.b.skew[1], 4);
    done(&k);
}

TEST(an_injection_stays_at_its_point)
{
    blocked k = block_of(GRID "field u\nborder u = 0 beyond\n"
                              "u' = u + 0.1*laplace(u, order 4)\n"
                              "inject sin(t) into u at (3, 4)\n",
                         NULL);

    CHECK_EQ(k.b.operations, 3);
    CHECK_EQ(k.b.operation[1].kind, OPERATION_INJECT);
    CHECK_EQ(k.b.operation[1].skew[0], 0);
    CHECK_EQ(k.b.skew[0], 2);
    done(&k);
}

/* v' reads u' at one point farther, so v' has a skew of 1; u then reads v' again. */
TEST(stages_of_a_step_stay_behind_each_other)
{
    blocked k = block_of(GRID "field u, v\nborder u periodic\nborder v periodic\n"
                              "u' = u + 0.1*v\nv' = v + 0.1*laplace(u')\n",
                         NULL);

    CHECK(!k.b.refusal);
    CHECK_EQ(k.b.operation[1].skew[0], 1);
    CHECK_EQ(k.b.reach[0][1], 1);
    CHECK(k.b.periodic[0] && k.b.periodic[1]);
    done(&k);
}

/* The last tile sets the face of v, and u' reads v' up to this face. So the skew of u' is
 * one point more, or the first tile would read the face too early. */
TEST(faces_with_values_along_an_axis_that_wraps_are_left_to_the_last_tile)
{
    blocked k = block_of(GRID "field u; v\nborder u periodic\nborder v = step\n"
                              "v' = u[-2,0]\nu' = v'[2,0]\n",
                         NULL);

    CHECK(!k.b.refusal);
    CHECK_EQ(k.b.operation[1].skew[0], 3);
    CHECK_EQ(k.b.operation[1].skew[1], 1);
    done(&k);
}

TEST(lags_are_whole_units)
{
    static const int lines[MAX_DIM] = {16, 1, 1};
    blocked k = block_of(GRID "field u\nborder u mirror\nu' = u + 0.1*laplace(u)\n",
                         lines);

    CHECK_EQ(k.b.skew[0], 16);
    CHECK_EQ(k.b.skew[1], 1);
    done(&k);
}

static void refuses(const char *source, const char *words)
{
    blocked k = block_of(source, NULL);

    CHECK(k.b.refusal && strstr(k.b.refusal, words));
    done(&k);
}

TEST(what_needs_all_points_is_reported)
{
    refuses(GRID "field u\nborder u mirror\nu' = u + 0.001*sum(u)\n", "folds all points");
}

TEST(a_small_grid_is_reported)
{
    refuses("grid x 40, y 2\nsteps 1\nfield u\nborder u clamp\nu' = u + 0.1*laplace(u)\n",
            "2 points along y");
}

TEST(injections_that_depend_on_each_other_are_reported)
{
    refuses(GRID "field u\nborder u mirror\nu' = u + 0.1*laplace(u)\n"
                 "inject u'[1, 0] into u at (3, 4)\n",
            "other points injected into");
}
