/* SPDX-License-Identifier: BSD-3-Clause */
/* Random out-of-core visits really run: with all methods, and with limits that take
 * effect. Most random programs allow only steps stage by stage; the programs here allow
 * all methods. */
#include "check_helper.h"

static const char *const sources[] = {
    "grid x 9, y 8, z 40\nfield u = sin(x)*z\nu' = u + 0.1*laplace(u)\nborder u = 0\n",
    ("grid x 30, y 60\nfield u = cos(x)*y; v = x\nu' = 2*u - prev(u) + 0.1*laplace(u)\n"
     "v' = v + 0.1*u'[1,0]\nborder u = sin(t); border neumann v\n"),
    "grid x 12, y 90\nfield u = sin(x)*y\nu' = u + 0.1*laplace(u)\nborder periodic u\n",
};

static void add_one(const char *source, uint64_t seed, outofcore_seen *all)
{
    proof_tally tally = {0};
    program *p = parse(source);
    CHECK_STATUS(
        visits_of_interpreter(&(proof_case){.program = p, .seed = seed, .tally = &tally}),
        PAV_OK);
    visits_add(all, &tally.seen);
    program_free(p);
}

TEST(all_methods_and_limits_are_drawn_and_run)
{
    enum { SEEDS = 60 };
    outofcore_seen seen = {0};
    for (uint64_t seed = 1; seed <= SEEDS; seed++)
        for (size_t n = 0; n < COUNT_OF(sources); n++)
            add_one(sources[n], seed, &seen);
    for (int n = 0; n < OUTOFCORE_METHODS; n++)
        CHECK(seen.method[n] >= 8);
    CHECK(seen.stages == 0);
    CHECK(seen.around >= 8);
    CHECK(seen.stay >= 8);
    CHECK(seen.windows >= 8);
    CHECK(seen.disk >= 20);
    CHECK(seen.bounded >= 10);
}
