/* SPDX-License-Identifier: BSD-3-Clause */
/* Building an IR runs the lowering and then every pass, and reports each of them to the
 * listener with the costs before and after. */
#include "lowered.h"
#include "test.h"

typedef struct told {
    int count;
    ir_cost last;
    bool connected; /* the costs before each pass equal the costs after the previous
                     * pass */
} told;

static void listen(void *user, const ir *code, const char *pass, const char *about,
                   const ir_cost *before, const ir_cost *after)
{
    told *t = user;
    const char *wanted = t->count ? pass_table[t->count - 1].name : "lower";

    CHECK_STR(pass, wanted);
    CHECK(strlen(about) > 0 && code->stages > 0);
    t->connected &= before->flops == t->last.flops && before->nodes == t->last.nodes;
    t->last = *after;
    t->count++;
}

TEST(lowering_and_every_pass_are_reported_with_their_costs)
{
    const char *source = "grid x 9\nfield u\nfield v\nborder = 0\nu' = u + 0.1*dxx(u)\n"
                         "v' = v + u'[1]\n";
    told t = {.connected = true};
    const ir_trace trace = {listen, &t};
    program *p = NULL;
    ir *code = NULL;
    int passes = 0;

    while (pass_table[passes].name)
        passes++;
    REQUIRE_OK(program_parse(source, (int64_t)strlen(source), NULL, &p));
    REQUIRE_OK(ir_build(p, &trace, &code));
    CHECK_EQ(t.count, passes + 1);
    CHECK(t.connected);
    CHECK(t.last.flops > 0 && t.last.flops < 9);
    ir_free(code);
    program_free(p);
}

TEST(an_equation_of_too_many_operations_is_named)
{
    const char
        *source = "grid x 99, y 99, z 99\nfield u\nfield v\nborder = 0 beyond\nu' = u\n"
                  "v' = dxxyy(dyyzz(u*u, order 20), order 20)\n";

    CHECK_STATUS(lowered_status(source), PAV_ELIMIT);
    CHECK(strstr(pav_message(), "'v'"));
}

TEST(explaining_nothing_is_an_error)
{
    char *explained = NULL;

    CHECK_STATUS(pav_program_explain(NULL, 0, &explained), PAV_EINVAL);
    CHECK_STATUS(pav_program_explain(NULL, 0, NULL), PAV_EINVAL);
    CHECK(explained == NULL);
}
