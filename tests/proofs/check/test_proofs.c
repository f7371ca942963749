/* SPDX-License-Identifier: BSD-3-Clause */
/* The proofs can fail: wrong passes and wrong rows are found, and correct ones are
 * accepted. */
#include "check_helper.h"

static const char wave[] = "grid x 10, y 8\nfield u = random(1)\n"
                           "u' = 2*u - prev(u) + 0.1*laplace(u, order 4)\nborder u = 0";

/* ---- passes ------------------------------------------------------------------------ */

/* Shows an IR to the watch twice: unchanged, and after a change. */
static pav_status watch(void (*change)(ir *code), int64_t flops_before,
                        int64_t flops_after)
{
    const ir_cost before = {.streamed = flops_before}, after = {.streamed = flops_after};
    program *p = parse(wave);
    pass_watch v = {.seed = 1};
    ir *code = NULL;
    REQUIRE_OK(ir_build(p, NULL, &code));
    pass_watch_after(&v, code, "lower", "", &before, &before);
    change(code);
    pass_watch_after(&v, code, "mutant", "", &before, &after);
    const pav_status status = pass_watch_verdict(&v);
    CHECK(v.sharp == v.compared);
    pass_watch_close(&v);
    ir_free(code);
    program_free(p);
    return status;
}

static ir_stage *step_stage(ir *code)
{
    return &code->stage[code->step.stage[0]];
}

static void change_nothing(ir *code)
{
    (void)code;
}

static void change_a_constant(ir *code)
{
    ir_stage *s = step_stage(code);
    for (int64_t k = 0; k < s->count; k++)
        if (s->node[k].op == IR_CONST)
            s->node[k].value = num_mul(s->node[k].value, num_double(1.000000001));
}

static void change_an_offset(ir *code)
{
    ir_stage *s = step_stage(code);
    for (int64_t k = 0; k < s->count; k++)
        if (s->node[k].op == IR_LOAD && s->node[k].offset[0] == 2) {
            s->node[k].offset[0] = 1;
            return;
        }
}

static void change_a_level(ir *code)
{
    ir_stage *s = step_stage(code);
    for (int64_t k = 0; k < s->count; k++)
        if (s->node[k].op == IR_LOAD && s->node[k].level == -1)
            s->node[k].level = 0;
}

TEST(a_pass_that_changes_nothing_fused_launches)
{
    CHECK_STATUS(watch(change_nothing, 20, 18), PAV_OK);
}

TEST(a_pass_that_changes_a_constant_is_named)
{
    CHECK_STATUS(watch(change_a_constant, 20, 20), PAV_EINTERNAL);
    CHECK(strstr(pav_message(), "pass mutant changed stage"));
}

TEST(a_pass_that_changes_an_offset_is_found)
{
    CHECK_STATUS(watch(change_an_offset, 20, 20), PAV_EINTERNAL);
}

TEST(a_pass_that_changes_a_level_is_found)
{
    CHECK_STATUS(watch(change_a_level, 20, 20), PAV_EINTERNAL);
}

static pav_status prove_without(const program *p, int64_t allocation)
{
    mem_fail_after(allocation);
    const pav_status status = passes_keep_the_values(
        &(proof_case){.program = p, .seed = 1});
    mem_fail_after(0);
    return status;
}

/* Every allocation fails in turn, and each failure must fail the proof. Beyond the last
 * allocation the proof must pass. */
TEST(memory_that_runs_out_under_way_proves_nothing)
{
    program *p = parse(wave);
    int64_t n = 1;
    while (n < 10000 && prove_without(p, n) == PAV_ENOMEM)
        n++;
    CHECK(n > 20);
    for (int64_t k = 0; k < 100; k++)
        CHECK_STATUS(prove_without(p, n + k), PAV_OK);
    program_free(p);
}

TEST(a_proof_of_fused_launches_that_could_not_fail_fails)
{
    program *p = parse(
        "grid x 9\nfield u\nu' = where(u + 1 - u < 1, 2, 3)\nborder periodic");
    CHECK_STATUS(passes_keep_the_values(&(proof_case){.program = p, .seed = 1}),
                 PAV_EINTERNAL);
    CHECK(strstr(pav_message(), "could tell right from wrong"));
    program_free(p);
}

TEST(a_pass_that_makes_the_program_costlier_is_found)
{
    CHECK_STATUS(watch(change_nothing, 18, 20), PAV_EINTERNAL);
    CHECK(strstr(pav_message(), "from 18 to 20"));
}

/* ---- rows -------------------------------------------------------------------------- */

static pav_status off_in_the_last_bit(const interp_args *args)
{
    TRY(interp_stage(args));
    double *value = first_stored(args);
    if (value)
        *value = nextafter(*value, 1e300);
    return PAV_OK;
}

TEST(rows_agree_with_points)
{
    program *p = parse(wave);
    CHECK_STATUS(runners_agree(p, interp_stage, interp_stage_slow), PAV_OK);
    program_free(p);
}

TEST(one_bit_in_one_row_is_found)
{
    program *p = parse(wave);
    CHECK_STATUS(runners_agree(p, off_in_the_last_bit, interp_stage_slow), PAV_EINTERNAL);
    CHECK(strstr(pav_message(), "field u differs at"));
    program_free(p);
}
