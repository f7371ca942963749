/* SPDX-License-Identifier: BSD-3-Clause */
/* A cycle has hundreds of stages, and few kinds of them on each grid. Passes, costs and
 * texts are made once a kind, so the set-up hardly grows with the cycle. */
#include <stdio.h>
#include <string.h>

#include "plan/plan.h"
#include "solve/solve.h"
#include "test.h"

typedef struct counted {
    int64_t stages, kinds;
} counted;

/* Stages of a cycle on n x n points, and those unlike all earlier ones. */
static counted count(int n, const char *cycle)
{
    char source[256];
    program *p = NULL;
    solution s;
    ir *code = NULL;
    counted c = {0};
    (void)snprintf(source, sizeof source,
                   "grid x %d from 0 to 1, y %d from 0 to 1\nfield u; f = 1\n"
                   "border u = 0\nsolve -laplace(u) = f by multigrid(cycle = %s) to 1e-8",
                   n, n, cycle);
    REQUIRE_OK(program_parse(source, (int64_t)strlen(source), NULL, &p));
    REQUIRE_OK(solve_derive(p, &s));
    REQUIRE_OK(ir_build(s.program, NULL, &code));
    c.stages = code->step.count;
    for (int64_t k = 0; k < c.stages; k++)
        c.kinds += ir_is_first(code, code->step.stage[k]);
    ir_free(code);
    solution_free(&s);
    program_free(p);
    return c;
}

TEST(kinds_of_stages_grow_with_the_grids_and_not_with_the_stages)
{
    const counted few = count(65, "full"), more = count(129, "full"),
                  most = count(257, "full");
    CHECK(most.stages - more.stages > more.stages - few.stages);
    CHECK_EQ(most.kinds - more.kinds, more.kinds - few.kinds);
}
