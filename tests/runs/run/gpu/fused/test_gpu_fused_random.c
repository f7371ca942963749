/* SPDX-License-Identifier: BSD-3-Clause */
/* Plain programs drawn at random: fields whose equations read neighbours, new values of
 * earlier fields, or nothing. Most programs of `pavior check` have features that no fused
 * launch takes. */
#include <stdio.h>

#include "base/base.h"
#include "on_gpu.h"

enum { PROGRAMS = 8, FIELDS = 3 };

static const char name[FIELDS] = {'u', 'v', 'w'};

static int pick(rng *r, int count)
{
    return (int)rng_below(r, count);
}

/* "0.1*v'[-1, 0, 0]": of field k the equation may read new values of fields before it. */
static void add_term(rng *r, int k, text *t)
{
    static const char *const weights[] = {"0.1*", "0.05*", "-0.07*", "0.2*"};
    const bool after = k > 0 && pick(r, 2) == 0;
    const char field = name[pick(r, after ? k : FIELDS)];
    const char *weight = weights[pick(r, COUNT_OF(weights))], *mark = after ? "'" : "";
    if (pick(r, 3) == 0)
        text_add(t, "%slaplace(%c%s)", weight, field, mark);
    else
        text_add(t, "%s%c%s[%d, %d, %d]", weight, field, mark, pick(r, 3) - 1,
                 pick(r, 3) - 1, pick(r, 3) - 1);
}

static void add_equation(rng *r, int k, text *t)
{
    static const char *const given[] = {"0.01*x*t", "sin(0.1*x + t)", "0.3", "0.1*y"};
    const int terms = pick(r, 4);
    text_add(t, "%c' = ", name[k]);
    for (int n = 0; n < terms; n++) {
        add_term(r, k, t);
        text_add(t, " + ");
    }
    text_add(t, "%s\n", given[pick(r, COUNT_OF(given))]);
}

LONG_TEST(plain_programs_have_the_same_bits_in_fused_launches)
{
    static const char *const borders[] = {
        "border u, v, w = 0\n", "border u, v, w = 0.1*t + 0.01*y\n", "border periodic\n"};
    static const char *const swept[] = {
        "time:shuffle,depth=2,threads=32x8,rows=3,vector=1,planes=7",
        "time:shared,depth=2,threads=24x24,planes=5"};
    for (uint64_t seed = 1; seed <= PROGRAMS && on_gpu_there(); seed++) {
        rng r = {seed};
        OWNED_BY(text_free) text t = {0};
        text_add(&t, "grid x %d, y %d, z %d\nsteps 99\n", 33 + pick(&r, 30),
                 15 + pick(&r, 20), 15 + pick(&r, 30));
        for (int k = 0; k < FIELDS; k++)
            text_add(&t, "field %c = random(%d)\n", name[k], k + 1);
        for (int k = 0; k < FIELDS; k++)
            add_equation(&r, k, &t);
        text_add(&t, "%s", borders[pick(&r, COUNT_OF(borders))]);
        REQUIRE(!t.failed);
        on_gpu_verified(t.data, swept[seed % 2]);
    }
}
