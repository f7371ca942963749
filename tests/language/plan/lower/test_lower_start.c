/* SPDX-License-Identifier: BSD-3-Clause */
/* The start of a run fills every level of every field, and each entry comes after the
 * entries that it reads. */
#include "lowered.h"
#include "test.h"

static int find(const lowered *l, ir_start_kind kind, const char *field, int level)
{
    const int number = field_number(l, field);

    for (int64_t k = 0; k < l->code->start.count; k++) {
        const ir_start *s = &l->code->start.item[k];
        if (s->kind == kind && s->field == number && s->level == level)
            return (int)k;
    }
    return -1;
}

static int find_stage(const lowered *l, const char *name)
{
    for (int64_t k = 0; k < l->code->start.count; k++) {
        const int stage = l->code->start.item[k].stage;
        if (stage >= 0 && strcmp(l->code->stage[stage].name, name) == 0)
            return (int)k;
    }
    return -1;
}

TEST(a_param_that_reduces_a_field_follows_its_initial_values)
{
    lowered l = lowered_open(
        "grid x 9\nfield c = 1 + x\nfield u\n"
        "param dt = 0.4*h/max(c)\nborder u = 0\nu' = u + dt*dxx(u)\n");
    const int c = find(&l, START_STAGE, "c", 0), max = find_stage(&l, "max(c)");
    const int dt = find_stage(&l, "dt");

    CHECK(c >= 0 && max > c && dt > max);
    CHECK_EQ(l.code->uniform[l.code->dt].kind, UNIFORM_PARAM);
    CHECK_STR(l.code->uniform[l.code->dt].name, "dt");
    CHECK_EQ(named_stage(&l, "dt")->output[0].uniform, l.code->dt);
    lowered_free(&l);
}

TEST(fields_without_initial_values_are_zero_and_older_levels_copies)
{
    lowered l = lowered_open("grid x 9\nfield u\nborder u = 0\nu' = 2*u - prev(u)\n");

    CHECK(find(&l, START_ZERO, "u", 0) >= 0);
    CHECK(find(&l, START_COPY, "u", -1) > find(&l, START_ZERO, "u", 0));
    CHECK(find(&l, START_BORDERS, "u", -1) > find(&l, START_COPY, "u", -1));
    CHECK_EQ(find(&l, START_COPY, "u", -2), -1);
    lowered_free(&l);
}

TEST(an_initial_value_that_moves_in_time_is_evaluated_for_every_level)
{
    lowered l = lowered_open(
        "grid x 9\nparam dt = 0.5\nfield u = sin(x - t)\nborder u = 0\n"
        "u' = u - prev(u, 2)\n");

    CHECK(find(&l, START_STAGE, "u", 0) >= 0);
    CHECK(find(&l, START_STAGE, "u", -1) >= 0);
    CHECK(find(&l, START_STAGE, "u", -2) >= 0);
    CHECK_EQ(find(&l, START_COPY, "u", -1), -1);
    CHECK_NEAR(num_f64(l.code->dt_value), 0.5, 0);
    CHECK_EQ(l.code->dt, -1);
    lowered_free(&l);
}

TEST(an_older_level_may_have_a_value_of_its_own)
{
    lowered l = lowered_open("grid x 9\nfield u = x\nprev(u) = u[1] - 3\nborder u = 7\n"
                             "u' = u - prev(u)\n");
    const int borders = find(&l, START_BORDERS, "u", 0);

    CHECK(borders > find(&l, START_STAGE, "u", 0));
    CHECK(find(&l, START_STAGE, "u", -1) > borders);
    lowered_free(&l);
}

TEST(levels_wait_for_a_step_that_depends_on_fields)
{
    lowered l = lowered_open("grid x 9\nfield u = cos(x - t)\nfield c = 2\n"
                             "param dt = h/max(c)\nborder u = 0\nu' = u - prev(u)\n");

    CHECK(find(&l, START_STAGE, "u", 0) < find_stage(&l, "dt"));
    CHECK(find(&l, START_STAGE, "u", -1) > find_stage(&l, "dt"));
    lowered_free(&l);
}

TEST(a_border_waits_for_the_param_it_holds)
{
    lowered l = lowered_open("grid x 9\nfield u = x\nparam top = max(u)\n"
                             "border u = top beyond\nu' = u + dxx(u)\n");

    CHECK(find(&l, START_BORDERS, "u", 0) > find_stage(&l, "top"));
    CHECK(find_stage(&l, "top") > find(&l, START_STAGE, "u", 0));
    lowered_free(&l);
}

TEST(a_reduction_sees_the_faces_that_a_border_gives)
{
    lowered l = lowered_open("grid x 9\nfield u = x\nparam top = max(u)\nborder u = 20\n"
                             "u' = top*u\n");

    CHECK(find(&l, START_BORDERS, "u", 0) >= 0);
    CHECK(find(&l, START_BORDERS, "u", 0) < find_stage(&l, "max(u)"));
    lowered_free(&l);
}

TEST(initial_values_are_computed_in_f64_and_rounded_once)
{
    lowered l = lowered_open(
        "grid x 9\nreal f32 stored bf16\nfield u = x/3\nborder u = 0\n"
        "u' = u\n");
    const ir_stage *s = named_stage(&l, "initial u");
    const setting none = {0};

    CHECK_EQ(s->real, PAV_F64);
    CHECK_NEAR(output_at(&l, s, 0, 7, 0, 0, &none), bf16_rounded(7 / 3.0), 0);
    lowered_free(&l);
}

TEST(files_are_loaded_in_their_place)
{
    lowered l = lowered_open(
        "grid x 9\nfield c = \"c.npy\"\nparam top = max(c)\nfield u\n"
        "border u = 0\nmask u = \"m.npy\"\nu' = u + top\n");

    CHECK(find(&l, START_FILE, "c", 0) >= 0);
    CHECK(find(&l, START_FILE, "c", 0) < find_stage(&l, "top"));
    CHECK(find(&l, START_FILE, "mask 1", 0) >= 0);
    CHECK_STR(l.code->field[field_number(&l, "mask 1")].file, "m.npy");
    lowered_free(&l);
}

TEST(random_values_draw_from_a_seed_in_a_slot)
{
    lowered l = lowered_open(
        "grid x 9\nfield u = random(7) + random(7)[1]\nborder u = 0\n"
        "u' = u\n");
    const ir_stage *s = named_stage(&l, "initial u");
    const ir_stage *seed = named_stage(&l, "seed");
    const setting none = {0};

    CHECK_EQ(count_op(s, IR_RANDOM), 2);
    CHECK(find_stage(&l, "seed") < find(&l, START_STAGE, "u", 0));
    CHECK_NEAR(output_at(&l, seed, 0, 0, 0, 0, &none), 7, 0);
    lowered_free(&l);
}
