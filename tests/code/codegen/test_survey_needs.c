/* SPDX-License-Identifier: BSD-3-Clause */
/* Questions asked of every stage, schedule and candidate are answered by the stage alone.
 * A survey of the whole program takes memory, so these tests count allocations. */
#include "codegen/codegen_private.h"
#include "test.h"

static const char heat[] = "grid x 32, y 32\nfield u = 1\nu' = u + 0.1*laplace(u)\n"
                           "border u = 0";
static const char driven[] = "grid x 32, y 32\nparam dt = 0.1\nfield u = 1\n"
                             "u' = u + 0.1*laplace(u) + sin(t)\nborder u = 0";

static ir *build(const char *source, program **p)
{
    ir *code = NULL;
    REQUIRE_OK(program_parse(source, (int64_t)strlen(source), NULL, p));
    REQUIRE_OK(ir_build(*p, NULL, &code));
    return code;
}

/* True if nothing was allocated since mem_fail_after(1). */
static bool took_no_memory(void)
{
    void *block = mem_new(1, 1);
    const bool first = block == NULL;
    mem_free(block);
    mem_fail_after(0);
    return first;
}

TEST(a_stage_is_known_to_have_a_kernel_without_a_survey)
{
    program *p;
    ir *code = build(heat, &p);
    mem_fail_after(1);
    const bool has = emit_gpu_has_kernel(code, &code->stage[code->step.stage[0]]);
    CHECK(took_no_memory());
    CHECK(has);
    ir_free(code);
    program_free(p);
}

TEST(uniforms_of_a_stage_that_reads_none_are_not_looked_for_in_other_stages)
{
    program *p;
    ir *code = build(heat, &p);
    const ir_stage *stage = &code->stage[code->step.stage[0]];
    mem_fail_after(1);
    const bool changes = cuda_uniforms_change(code, stage);
    const bool live = emit_gpu_reads_live(code, stage);
    CHECK(took_no_memory());
    CHECK(!changes);
    CHECK(!live);
    ir_free(code);
    program_free(p);
}

TEST(uniforms_computed_from_the_time_change)
{
    program *p;
    ir *code = build(driven, &p);
    CHECK(cuda_uniforms_change(code, &code->stage[code->step.stage[0]]));
    ir_free(code);
    program_free(p);
}
