/* SPDX-License-Identifier: BSD-3-Clause */
/* Values of line operations that are the same on all lines are tables. */
#include <stdio.h>
#include <string.h>

#include "lowered.h"

#include "test.h"

/* Fields and divisions at points of a step, as 10*fields + divisions. */
static int64_t work_of(const char *equation)
{
    char source[300];
    lowered l = {0};

    (void)snprintf(
        source, sizeof source,
        "grid x 9, y 8\nparam r = 2\nscalar s = 1\nfield u = x*y\n%s\ns' = s/2\n"
        "border u = 0 beyond\n",
        equation);
    REQUIRE_OK(program_parse(source, (int64_t)strlen(source), NULL, &l.program));
    REQUIRE_OK(ir_build(l.program, NULL, &l.code));
    int64_t work = 10 * l.code->fields;
    for (int64_t k = 0; k < l.code->step.count; k++) {
        const ir_stage *s = &l.code->stage[l.code->step.stage[k]];
        for (const ir_node *n = NULL; s->along && (n = ir_next_node(s, n));)
            work += n->op == IR_DIV;
    }
    lowered_free(&l);
    return work;
}

TEST(factors_that_are_the_same_on_all_lines_have_no_fields)
{
    CHECK_EQ(work_of("u' = tridiagonal(-r, 1 + 2*r, -r, u along y)"), 20);
    CHECK_EQ(work_of("u' = tridiagonal(-y, 3 + y, -1, u along y)"), 20);
    CHECK_EQ(work_of("u' = tridiagonal(-1, 3 + x, -1, u along y)"), 41);
    CHECK_EQ(work_of("u' = tridiagonal(-1, 3 + s, -1, u along y)"), 31);
    CHECK_EQ(work_of("u' = tridiagonal(-1, 3 + u, -1, u along y)"), 31);
    CHECK_EQ(work_of("u' = tridiagonal(-1, 3, -1, u along x cyclic)"), 52);
    CHECK_EQ(work_of("u' = u*scan(0.5, y along y)"), 10);
}
