/* SPDX-License-Identifier: BSD-3-Clause */
/* Stages built node by node: value numbering, and the test for nodes that are equal up to
 * a shift. */
#include "plan/plan_private.h"

#include "test.h"

static ir code = {.dim = 3};
static ir_stage stage;

static pav_status inside(void (*run)(builder *b))
{
    builder b = builder_open(&code, &stage);

    run(&b);
    return PAV_OK;
}

static void build(void (*run)(builder *b))
{
    pav_status status;

    stage = (ir_stage){.name = "s", .before = -1};
    code.arena = arena_new();
    REQUIRE(code.arena != NULL);
    ARENA_GUARD(code.arena, status, inside(run));
    CHECK_STATUS(status, PAV_OK);
    arena_free(code.arena);
}

static int load(builder *b, int x, int y, int z)
{
    ir_node n = node_blank(IR_LOAD);

    n.offset[0] = x;
    n.offset[1] = y;
    n.offset[2] = z;
    return build_node(b, &n);
}

static void build_twice(builder *b)
{
    const int u = load(b, 0, 0, 0), v = load(b, 1, 0, 0);

    CHECK_EQ(load(b, 0, 0, 0), u);
    CHECK_EQ(build_op(b, IR_ADD, u, v, -1), build_op(b, IR_ADD, v, u, -1));
    CHECK(build_op(b, IR_SUB, u, v, -1) != build_op(b, IR_SUB, v, u, -1));
    CHECK_EQ(build_op(b, IR_FMA, v, u, v), build_op(b, IR_FMA, u, v, v));
    CHECK(build_op(b, IR_MIN, u, v, -1) != build_op(b, IR_MIN, v, u, -1));
}

TEST(equal_values_are_one_node)
{
    build(build_twice);
}

static void build_constants(builder *b)
{
    CHECK_EQ(build_const(b, num_ratio(2, 4)), build_const(b, num_ratio(1, 2)));
    CHECK(build_const(b, num_ratio(1, 3)) != build_const(b, num_double(1.0 / 3)));
}

TEST(a_constant_known_exactly_is_not_its_double)
{
    build(build_constants);
}

static void build_many(builder *b)
{
    for (int k = 0; k < 5000; k++)
        (void)load(b, k, 0, 0);
    CHECK_EQ(stage.count, 5000);
    for (int k = 0; k < 5000; k++)
        CHECK_EQ(load(b, k, 0, 0), k);
}

TEST(numbers_stay_while_the_table_grows)
{
    build(build_many);
}

static void build_too_many(builder *b)
{
    for (int k = 0; k <= MAX_NODES; k++)
        (void)load(b, k, 0, 0);
}

TEST(a_stage_that_grows_too_large_is_refused_in_words)
{
    pav_status status;

    stage = (ir_stage){.name = "u", .before = -1};
    code.arena = arena_new();
    REQUIRE(code.arena != NULL);
    ARENA_GUARD(code.arena, status, inside(build_too_many));
    CHECK_STATUS(status, PAV_ELIMIT);
    CHECK(strstr(pav_message(), "200000"));
    arena_free(code.arena);
}

/* ---- nodes equal up to a shift ----------------------------------------------------- */

static alike_place of(unsigned axes, int node)
{
    alike k = alike_open(code.arena, axes);

    alike_update(&k, &stage);
    return k.node[node];
}

static bool same_kind(unsigned axes, int a, int b)
{
    return of(axes, a).kind == of(axes, b).kind;
}

static void build_shifted(builder *b)
{
    const int up = build_op(b, IR_SUB, load(b, 0, 0, 1), load(b, 0, 0, 0), -1);
    const int down = build_op(b, IR_SUB, load(b, 0, 0, 0), load(b, 0, 0, -1), -1);
    const int aside = build_op(b, IR_SUB, load(b, 1, 0, 1), load(b, 1, 0, 0), -1);

    CHECK(same_kind(ON_X << 2, up, down));
    CHECK_EQ(of(ON_X << 2, up).at[2] - of(ON_X << 2, down).at[2], 1);
    CHECK(!same_kind(ON_X << 2, up, aside));
    CHECK(same_kind(ON_AXES, up, aside));
    CHECK_EQ(of(ON_AXES, aside).at[0], 1);
}

TEST(nodes_are_alike_up_to_shifts_along_the_axes_asked_for)
{
    build(build_shifted);
}

static void build_exchanged(builder *b)
{
    const int far = load(b, 0, 0, 5), near = load(b, 0, 0, 1), middle = load(b, 0, 0, 3);
    const int last = load(b, 0, 0, 7);

    CHECK(same_kind(ON_X << 2, build_op(b, IR_ADD, far, near, -1),
                    build_op(b, IR_ADD, middle, last, -1)));
    CHECK(!same_kind(ON_X << 2, build_op(b, IR_SUB, far, near, -1),
                     build_op(b, IR_SUB, middle, last, -1)));
}

TEST(the_order_of_summands_does_not_count)
{
    build(build_exchanged);
}

static void build_coarse(builder *b)
{
    ir_node n = node_blank(IR_LOAD);
    int node[3];

    n.transfer = IR_TO_FINE;
    for (int k = 0; k < 3; k++) {
        n.offset[2] = k - 1;
        node[k] = build_node(b, &n);
    }
    CHECK(same_kind(ON_X << 2, node[0], node[2]));
    CHECK(!same_kind(ON_X << 2, node[0], node[1]));
    CHECK_EQ(of(ON_X << 2, node[2]).at[2] - of(ON_X << 2, node[0]).at[2], 1);
}

TEST(a_coarse_point_is_two_of_the_grid)
{
    build(build_coarse);
}
