/* SPDX-License-Identifier: BSD-3-Clause */
/* Evaluation in extended precision: the values of leaves, and bounds of the errors. */
#include "passed.h"

#include <stdio.h>

#include "test.h"

typedef struct result {
    long double value, size;
} result;

static result evaluate(const char *right, const char *last, uint64_t seed)
{
    char source[2000];
    result r = {0, 0};

    snprintf(
        source, sizeof source,
        "grid x 9, y 9\nfield u; v\nscalar s = 2\nu' = %s\nborder periodic\nsteps 1\n",
        right);
    lowered l = passed_open(source, last);
    REQUIRE_OK(ir_evaluate(l.code, step_stage(&l, 0), seed, &r.value, &r.size));
    lowered_free(&l);
    return r;
}

static bool same(const char *a, const char *b)
{
    const result left = evaluate(a, "", 5), right = evaluate(b, "", 5);

    return fabsl(left.value - right.value) <= 1e-17L * (left.size + right.size);
}

TEST(leaves_are_what_they_are_wherever_they_stand)
{
    CHECK(same("(u + v*x)[1,0]", "u[1,0] + v[1,0]*(x + 1)"));
    CHECK(same("s*u - u*s + v", "v"));
    CHECK(!same("u", "u[1,0]"));
    CHECK(!same("u", "v"));
    CHECK(!same("u", "prev(u)"));
}

TEST(leaves_depend_on_the_seed_and_lie_near_one)
{
    int negative = 0;

    CHECK(evaluate("u", "", 1).value != evaluate("u", "", 2).value);
    for (uint64_t seed = 0; seed < 50; seed++) {
        const long double v = evaluate("u", "", seed).value;
        CHECK(fabsl(v) >= 0.5L && fabsl(v) < 1.5L);
        negative += v < 0;
    }
    CHECK(negative > 10 && negative < 40);
}

TEST(tables_and_slots_hold_what_they_were_made_from)
{
    static const char right[] =
        "u*sin(0.3*x)*(s^2 + 1)/(2 + cos(s)) + v*(sin(0.3*x))[2,0]";
    const result before = evaluate(right, "", 3), after = evaluate(right, NULL, 3);

    CHECK(fabsl(before.value - after.value) <= 1e-17L * before.size);
}

TEST(memory_that_runs_out_is_reported)
{
    lowered l = lowered_open("grid x 9\nfield u\nu' = 2*u\nborder periodic\nsteps 1\n");
    long double value = 0, size = 0;

    mem_fail_after(1);
    const pav_status status = ir_evaluate(l.code, step_stage(&l, 0), 1, &value, &size);
    mem_fail_after(0);
    CHECK_STATUS(status, PAV_ENOMEM);
    lowered_free(&l);
}

TEST(magnitude_remembers_what_cancelled)
{
    const result r = evaluate("(u + 1000) - 1000", "", 1);

    CHECK(r.size > 2000);
    CHECK(fabsl(r.value) < 2);
    CHECK(evaluate("1/((u + 1000) - 1000)", "", 1).size > 500);
}

TEST(what_could_jump_is_too_large_to_conclude_from)
{
    CHECK(evaluate("floor(u*0 + 3)", "", 1).size > 1e20L);
    CHECK(evaluate("where(u + 1 - u < 1, 2, 3)", "", 1).size > 1e20L);
    CHECK(evaluate("where(u < 100, 2, 3)", "", 1).size < 10);
}

TEST(a_pass_that_changed_the_meaning_would_be_seen)
{
    const result a = evaluate("u + 0.1*v", "", 1),
                 b = evaluate("u + 0.1000000000000001*v", "", 1);

    CHECK(fabsl(a.value - b.value) > 1e-17L * a.size);
}

/* The values of every stage of random programs, before and after every pass. */
typedef struct history {
    int64_t stages;
    int passes;
    bool failed;
    long double value[2000];
    int64_t cost[500];
} history;

static void compare(void *user, const ir *code, const char *pass, const char *about,
                    const ir_cost *before, const ir_cost *after)
{
    history *h = user;
    int64_t at = 0;

    (void)about;
    (void)before;
    (void)after;
    h->stages = h->passes++ ? h->stages : code->stages < 500 ? code->stages : 500;
    for (int64_t k = 0; k < h->stages; k++) {
        const ir_stage *s = &code->stage[k];
        long double value[64], size[64];
        const int64_t cost = ir_stage_cost(code, s).streamed;
        if (s->outputs > 64 || at + s->outputs > 2000)
            break;
        h->failed = h->failed || ir_evaluate(code, s, 11, value, size) != PAV_OK;
        h->failed = h->failed || (h->passes > 1 && cost > h->cost[k]);
        h->cost[k] = cost;
        for (int64_t i = 0; i < s->outputs; i++, at++) {
            /* fields are about 1: a folded constant may be the rounding of such terms */
            const long double near = 1e-13L * size[i] + 1e-19L;
            if (h->passes > 1 && fabsl(value[i] - h->value[at]) > near) {
                printf("%s changes %s\n", pass, s->name);
                h->failed = true;
            }
            h->value[at] = value[i];
        }
    }
}

static void check_program(uint64_t seed)
{
    rng r = {.state = seed};
    text t = {0};
    program *p = NULL;
    ir *code = NULL;
    history h = {0};
    const ir_trace trace = {compare, &h};

    random_program(&r, 1000, &t);
    REQUIRE_OK(program_parse(t.data, t.length, NULL, &p));
    REQUIRE_OK(ir_build(p, &trace, &code));
    if (h.failed)
        CHECK_STR(t.data, "the same after every pass");
    CHECK_EQ(h.passes, 7);
    ir_free(code);
    program_free(p);
    text_free(&t);
}

TEST(random_programs_mean_the_same_after_every_pass)
{
    for (uint64_t seed = 1; seed <= 60; seed++)
        check_program(seed);
}
