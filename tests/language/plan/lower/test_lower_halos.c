/* SPDX-License-Identifier: BSD-3-Clause */
/* Halo widths follow the reads that remain after all passes. */
#include "lowered.h"
#include "test.h"

static ir *built(const char *source, program **p)
{
    ir *code = NULL;

    REQUIRE_OK(program_parse(source, (int64_t)strlen(source), NULL, p));
    REQUIRE_OK(ir_build(*p, NULL, &code));
    return code;
}

TEST(halos_are_as_wide_as_the_stages_read)
{
    program *p = NULL;
    ir *code = built("grid x 30, y 30\nfield u\nfield c = 1\nborder = 0 beyond\n"
                     "u' = u + c[0,1]*laplace(u, order 8) + u[-7,0]\n",
                     &p);

    CHECK_EQ(code->field[0].halo[0][0], 7);
    CHECK_EQ(code->field[0].halo[0][1], 4);
    CHECK_EQ(code->field[0].halo[1][1], 4);
    CHECK_EQ(code->field[1].halo[0][0], 0);
    CHECK_EQ(code->field[1].halo[1][1], 1);
    ir_free(code);
    program_free(p);
}

TEST(points_that_a_border_gives_are_not_read_around)
{
    program *p = NULL;
    ir *code = built("grid x 30\nfield u\nborder u = 1\nu' = u + dxx(u)\n", &p);

    CHECK_EQ(code->field[0].halo[0][0], 0);
    CHECK_EQ(code->field[0].halo[0][1], 0);
    ir_free(code);
    program_free(p);
}

TEST(a_coarse_field_is_read_beyond_the_last_of_its_points)
{
    program *p = NULL;
    ir *code = built("grid x 10\nfield r\nfield c coarse\nborder = 0 beyond\n"
                     "c' = restrict(r)\nr' = interpolate(c)\n",
                     &p);

    CHECK_EQ(code->field[1].extent[0], 5);
    CHECK_EQ(code->field[1].halo[0][0], 0);
    CHECK_EQ(code->field[1].halo[0][1], 1);
    CHECK_EQ(code->field[0].halo[0][0], 1);
    CHECK_EQ(code->field[0].halo[0][1], 0);
    ir_free(code);
    program_free(p);
}

TEST(tables_reach_as_far_as_the_borders_that_read_them)
{
    program *p = NULL;
    ir *code = built("grid x 30\nreal f64\nfield u\nborder u = sin(x) beyond\n"
                     "u' = u[-3] + u[2]\n",
                     &p);

    for (int64_t k = 0; k < code->tables; k++) {
        CHECK_EQ(code->table[k].margin[0], 3);
        CHECK_EQ(code->table[k].margin[1], 2);
    }
    CHECK_EQ(code->tables, 1);
    ir_free(code);
    program_free(p);
}

TEST(a_coarse_field_is_read_before_the_first_of_its_points)
{
    program *p = NULL;
    ir *code = built("grid x 10\nfield r\nfield c coarse\nborder = 0 beyond\n"
                     "r' = interpolate(c)[-1]\n",
                     &p);

    CHECK_EQ(code->field[1].halo[0][0], 1);
    CHECK_EQ(code->field[1].halo[0][1], 0);
    ir_free(code);
    program_free(p);
}

/* ---- refusals ------------------------------------------------------------------ */

TEST(a_periodic_axis_shorter_than_its_halo_is_refused)
{
    const char *source = "grid x 3\nfield u\nborder periodic\nu' = dxx(u, order 8)\n";

    CHECK(lowered_status(source) != PAV_OK);
    CHECK(strstr(pav_message(), "4") && strstr(pav_message(), "3"));
}

TEST(a_value_that_depends_on_itself_is_refused)
{
    const char
        *source = "grid x 9\nfield u = x\nparam p = max(dx(u))\nborder u = p\nu' = u\n";

    CHECK(lowered_status(source) != PAV_OK);
}

TEST(running_out_of_memory_leaves_nothing_behind)
{
    const char *source = "grid x 9\nfield u = x\nborder u = 0\nu' = u + dxx(u)\n"
                         "expect max(u) < 9\n";
    program *p = NULL;
    ir *code = NULL;
    pav_status status = PAV_ENOMEM;

    REQUIRE_OK(program_parse(source, (int64_t)strlen(source), NULL, &p));
    for (int n = 1; status != PAV_OK && n < 10000; n++) {
        mem_fail_after(n);
        status = ir_build(p, NULL, &code);
        CHECK_EQ(status == PAV_OK || (status == PAV_ENOMEM && !code), 1);
    }
    mem_fail_after(0);
    CHECK_STATUS(status, PAV_OK);
    ir_free(code);
    program_free(p);
}
