/* SPDX-License-Identifier: BSD-3-Clause */
/* Stages built by hand: uniforms, tables, in-place stores, transfers, empty boxes, and
 * refusals. */
#include "world.h"

TEST(sizes_around_pieces_and_lanes_come_out_the_same)
{
    static const int64_t sizes[] = {1, 2, 3, 63, 64, 65, 511, 512, 513, 1025};

    for (size_t k = 0; k < COUNT_OF(sizes); k++) {
        world *w = world_new(k, PAV_F32, sizes[k], 3, 1);
        const int f = world_field(w, PAV_F32, false);
        const int sum = world_op(w, IR_ADD, world_load(w, f, 0, 1, 0, 0),
                                 world_load(w, f, 0, -1, 2, 0), -1);
        world_store(w, sum, f, 1);
        CHECK(world_agrees(w));
        world_free(w);
    }
}

TEST(points_outside_of_the_box_are_left_alone)
{
    world *w = world_new(1, PAV_F64, 9, 4, 3);
    const int f = world_field(w, PAV_F64, false);

    world_set(w, f, 1, 1, 2, 1, 7);
    world_set(w, f, 1, 6, 2, 1, 7);
    world_store(w, world_const(w, 5), f, 1);
    w->box = (box){{2, 2, 1}, {6, 3, 2}};
    REQUIRE_OK(world_run(w, FAST));
    CHECK(world_get(w, FAST, f, 1, 1, 2, 1) == 7 &&
          world_get(w, FAST, f, 1, 6, 2, 1) == 7);
    CHECK(world_get(w, FAST, f, 1, 2, 2, 1) == 5 &&
          world_get(w, FAST, f, 1, 5, 2, 1) == 5);
    world_free(w);
}

/* Injections load and store a level at the same point, and so do the ghost points of a
 * border with a slope. */
TEST(a_level_may_be_loaded_and_stored_at_the_same_point)
{
    world *w = world_new(2, PAV_F32, 700, 1, 1);
    const int f = world_field(w, PAV_F32, false);

    for (int64_t i = 0; i < 700; i++)
        world_set(w, f, 1, i, 0, 0, (double)i);
    const int old = world_load(w, f, 1, 0, 0, 0);
    const int more = world_op(w, IR_ADD, old, world_const(w, 1), -1);
    world_store(w, more, f, 1);
    world_reduce(w, world_op(w, IR_MUL, old, more, -1), REDUCTION_MAX, 0);
    CHECK(world_agrees(w));
    CHECK(world_get(w, FAST, f, 1, 699, 0, 0) == 700);
    CHECK(w->slot[FAST][0] == 699.0 * 700.0);
    world_free(w);
}

TEST(a_copy_is_taken_before_its_source_is_overwritten)
{
    world *w = world_new(2, PAV_F64, 700, 1, 1);
    const int f = world_field(w, PAV_F64, false), g = world_field(w, PAV_F64, false);
    const int old = world_load(w, f, 1, 0, 0, 0);

    world_store(w, world_op(w, IR_ADD, old, world_const(w, 1), -1), f, 1);
    world_store(w, old, g, 1);
    CHECK(world_agrees(w));
    world_free(w);
}

TEST(a_value_may_go_to_several_fields_of_several_types)
{
    world *w = world_new(2, PAV_F32, 130, 2, 1);
    const int from = world_field(w, PAV_F32, false);
    const int value = world_op(w, IR_EXP, world_load(w, from, 0, 1, 1, 0), -1, -1);

    world_store(w, value, from, 1);
    world_store(w, value, world_field(w, PAV_F32, false), 1);
    world_store(w, value, world_field(w, PAV_F64, false), 1);
    world_store(w, value, world_field(w, PAV_BF16, false), 1);
    world_store(w, value, world_field(w, PAV_F16, false), 1);
    world_store(w, world_op(w, IR_LT, value, value, -1), world_field(w, PAV_U8, false),
                1);
    CHECK(world_agrees(w));
    world_free(w);
}

TEST(rounding_to_a_storage_type_shows_what_a_reader_sees)
{
    world *w = world_new(2, PAV_F64, 3, 1, 1);
    const int f = world_field(w, PAV_F64, false);
    const ir_node third = {.op = IR_CONST, .arg = {-1, -1, -1}, .value = num_ratio(1, 3)};
    ir_node round = {
        .op = IR_ROUND, .arg = {world_add(w, third), -1, -1}, .type = PAV_BF16};

    world_store(w, world_add(w, round), f, 1);
    REQUIRE_OK(world_run(w, FAST));
    CHECK(world_get(w, FAST, f, 1, 1, 0, 0) == 0x1.56p-2);
    world_free(w);
}

/* Rounded to f64 first, 1 + 2^-24 + 2^-60 would become 1 in f32. */
TEST(a_constant_is_rounded_once)
{
    world *w = world_new(2, PAV_F32, 1, 1, 1);
    const int f = world_field(w, PAV_F32, false);
    const i128 q = (i128)1 << 60;
    const ir_node n = {
        .op = IR_CONST, .arg = {-1, -1, -1}, .value = num_ratio(q + (q >> 24) + 1, q)};

    world_store(w, world_add(w, n), f, 1);
    CHECK(world_agrees(w));
    CHECK(world_get(w, FAST, f, 1, 0, 0, 0) == 1 + 0x1p-23);
    world_free(w);
}

/* ---- between grids ----------------------------------------------------------------- */

TEST(a_coarse_stage_reads_the_grid_at_twice_its_index)
{
    world *w = world_new(2, PAV_F32, 41, 5, 1);
    const int fine = world_field(w, PAV_BF16, false),
              coarse = world_field(w, PAV_F32, true);
    const ir_node load = {.op = IR_LOAD,
                          .arg = {-1, -1, -1},
                          .field = fine,
                          .transfer = IR_TO_FINE,
                          .offset = {-1, 1, 0}};

    world_set(w, fine, 0, -3, 3, 0, 12);
    w->stage[0].coarse = true;
    world_store(w, world_add(w, load), coarse, 1);
    w->box = (box){{-1, 1, 0}, {21, 3, 1}};
    CHECK(world_agrees(w));
    CHECK(world_get(w, FAST, coarse, 1, -1, 1, 0) == 12);
    world_free(w);
}

TEST(a_stage_on_the_grid_reads_a_coarse_field_at_half_its_index_rounded_down)
{
    world *w = world_new(2, PAV_F64, 41, 5, 1);
    const int fine = world_field(w, PAV_F64, false),
              coarse = world_field(w, PAV_F64, true);
    const ir_node load = {.op = IR_LOAD,
                          .arg = {-1, -1, -1},
                          .field = coarse,
                          .transfer = IR_TO_COARSE,
                          .offset = {-2, 0, 0}};

    world_set(w, coarse, 0, -2, 1, 0, 8);
    world_set(w, coarse, 0, -1, 1, 0, 9);
    world_store(w, world_add(w, load), fine, 1);
    w->box = (box){{-1, 2, 0}, {41, 4, 1}};
    CHECK(world_agrees(w));
    CHECK(world_get(w, FAST, fine, 1, -1, 2, 0) == 8);
    CHECK(world_get(w, FAST, fine, 1, 0, 3, 0) == 9 &&
          world_get(w, FAST, fine, 1, 1, 3, 0) == 9);
    world_free(w);
}

/* ---- uniforms and tables ----------------------------------------------------------- */

static void set_uniform_stage(world *w)
{
    ir_stage *s = &w->stage[1];

    s->node[0] = (ir_node){.op = IR_UNIFORM, .arg = {-1, -1, -1}, .uniform = 2};
    s->node[1] = (ir_node){.op = IR_SQRT, .arg = {0, -1, -1}};
    s->count = 2;
    s->output[0] = (ir_output){.kind = IR_SET, .node = 1, .uniform = 3};
    s->outputs = 1;
}

TEST(uniforms_are_computed_in_f64_before_the_stage_that_uses_them)
{
    world *w = world_new(2, PAV_F32, 5, 1, 1);
    const int f = world_field(w, PAV_F64, false);
    const ir_node use = {.op = IR_UNIFORM, .arg = {-1, -1, -1}, .uniform = 3};

    set_uniform_stage(w);
    w->stage[0].before = 1;
    world_store(w, world_add(w, use), f, 1);
    CHECK(world_agrees(w));
    CHECK(w->slot[FAST][3] == sqrt(2.1));
    CHECK(world_get(w, FAST, f, 1, 4, 0, 0) == (double)(float)sqrt(2.1));
    world_free(w);
}

TEST(a_stage_of_uniforms_needs_no_views_and_no_box)
{
    world *w = world_new(2, PAV_F32, 5, 1, 1);

    set_uniform_stage(w);
    const interp_args args = {
        .code = &w->code, .stage = &w->stage[1], .uniform = w->slot[FAST]};
    REQUIRE_OK(interp_stage(&args));
    CHECK(w->slot[FAST][3] == sqrt(2.1));
    world_free(w);
}

TEST(a_table_is_computed_over_its_margins)
{
    world *w = world_new(2, PAV_F64, 6, 5, 1);
    double out[12] = {0};
    ir_table *t = &w->table[world_table(w, 1, true)];
    ir_node *n = w->table_node[0];

    t->margin[0] = 2, t->margin[1] = 1;
    n[0] = (ir_node){.op = IR_INDEX, .arg = {-1, -1, -1}, .axis = 1};
    n[1] = (ir_node){.op = IR_MUL, .arg = {0, 0, -1}};
    w->table_output[0] = (ir_output){.kind = IR_SET, .node = 1, .uniform = -1};
    t->stage = (ir_stage){.real = PAV_F64,
                          .before = -1,
                          .node = n,
                          .count = 2,
                          .output = w->table_output,
                          .outputs = 1};
    REQUIRE_OK(interp_table(&w->code, 0, NULL, out));
    for (int k = 0; k < 6; k++) /* of five points three are coarse: -2 .. 3 */
        CHECK(out[k] == (k - 2) * (k - 2));
    CHECK(out[6] == 0);
    world_free(w);
}

TEST(tables_are_read_at_the_index_of_their_axis)
{
    world *w = world_new(2, PAV_F32, 70, 3, 2);
    const int f = world_field(w, PAV_F32, false);
    int sum = world_const(w, 0);

    for (int axis = 0; axis < 3; axis++) {
        const ir_node n = {.op = IR_TABLE,
                           .arg = {-1, -1, -1},
                           .table = world_table(w, axis, false),
                           .offset = {axis - 1}};
        sum = world_op(w, IR_ADD, sum, world_add(w, n), -1);
    }
    world_store(w, sum, f, 1);
    CHECK(world_agrees(w));
    const float want = (float)(0.3 * 66) + (float)(0.3 * 2) + (float)(0.3 * 2);
    CHECK(world_get(w, FAST, f, 1, 67, 2, 1) == (double)want);
    world_free(w);
}

/* ---- nothing, and too much --------------------------------------------------------- */

TEST(a_reduction_over_no_point_is_that_of_nothing)
{
    for (int which = FAST; which <= SLOW; which++) {
        world *w = world_new(2, PAV_F32, 5, 1, 1);
        const int load = world_load(w, world_field(w, PAV_F32, false), 0, 0, 0, 0);
        world_reduce(w, load, REDUCTION_SUM, 0);
        world_reduce(w, load, REDUCTION_MIN, 1);
        world_reduce(w, load, REDUCTION_MAX, 2);
        w->box.hi[0] = 0;
        REQUIRE_OK(world_run(w, which));
        CHECK(w->slot[which][0] == 0);
        CHECK(w->slot[which][1] == (double)INFINITY &&
              w->slot[which][2] == (double)-INFINITY);
        world_free(w);
    }
}

static world *world_to_refuse(void)
{
    world *w = world_new(2, PAV_F32, 5, 4, 1);
    const int f = world_field(w, PAV_F32, false);

    world_store(w, world_load(w, f, 0, WORLD_HALO, 0, 0), f, 1);
    return w;
}

TEST(reading_beyond_the_halo_is_refused_with_a_sentence)
{
    world *w = world_to_refuse();

    CHECK_STATUS(world_run(w, FAST), PAV_OK);
    w->node[0][0].offset[0]++;
    CHECK_STATUS(world_run(w, FAST), PAV_EINTERNAL);
    CHECK_STR(pav_message(),
              "stage 'by hand' touches f, level 0, at indices 9 to 13 along x; it "
              "is kept from -8 to 12");
    CHECK_STATUS(world_run(w, SLOW), PAV_EINTERNAL);
    world_free(w);
}

TEST(a_view_that_is_missing_is_refused_with_a_sentence)
{
    world *w = world_to_refuse();

    w->level[FAST][0][0] = NULL;
    CHECK_STATUS(world_run(w, FAST), PAV_EINTERNAL);
    CHECK_STR(pav_message(),
              "stage 'by hand' touches f, level 1, and was given no view of it");
    w->levels[FAST][0] = NULL;
    CHECK_STATUS(world_run(w, FAST), PAV_EINTERNAL);
    world_free(w);
}

TEST(stages_that_refer_to_what_does_not_exist_are_refused)
{
    static const ir_node bad[] = {
        {.op = IR_LOAD, .field = 1},
        {.op = IR_LOAD, .level = 2},
        {.op = IR_LOAD, .level = -17},
        {.op = IR_TABLE, .table = 0},
        {.op = IR_UNIFORM, .uniform = -1},
        {.op = IR_INDEX, .axis = 3},
        {.op = IR_NEG, .arg = {1}},
        {.op = IR_ADD, .arg = {0, -1}},
        {.op = IR_OP_COUNT},
        {.op = IR_ROUND, .type = (pav_type)99},
    };

    for (size_t k = 0; k < COUNT_OF(bad); k++) {
        world *w = world_to_refuse();
        world_add(w, bad[k]);
        CHECK_STATUS(world_run(w, FAST), PAV_EINTERNAL);
        world_free(w);
    }
}

TEST(stages_that_cannot_come_before_are_refused)
{
    world *w = world_to_refuse();

    w->stage[0].before = 0;
    CHECK_STATUS(world_run(w, FAST), PAV_EINTERNAL);
    w->stage[0].before = WORLD_STAGES;
    CHECK_STATUS(world_run(w, FAST), PAV_EINTERNAL);
    world_free(w);
}

TEST(memory_that_runs_out_anywhere_is_an_error_and_nothing_more)
{
    world *w = world_to_refuse();
    int failures = 0;

    world_reduce(w, 0, REDUCTION_SUM, 0);
    for (int which = FAST; which <= SLOW; which++)
        for (int64_t n = 1; n < 20; n++) {
            mem_fail_after(n);
            const pav_status status = world_run(w, which);
            mem_fail_after(0);
            CHECK(status == PAV_OK || status == PAV_ENOMEM);
            failures += status == PAV_ENOMEM;
        }
    CHECK(failures >= 8 && failures < 30);
    world_free(w);
}
