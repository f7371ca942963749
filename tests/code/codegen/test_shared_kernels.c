/* SPDX-License-Identifier: BSD-3-Clause */
/* Stages with different names but the same code are compiled once. */
#include "codegen/codegen.h"
#include "test.h"

static ir *build(const char *source, program **p)
{
    ir *code = NULL;
    REQUIRE_OK(program_parse(source, (int64_t)strlen(source), NULL, p));
    REQUIRE_OK(ir_build(*p, NULL, &code));
    return code;
}

static void emit(const char *source, text *t)
{
    program *p = NULL;
    ir *const code = build(source, &p);
    const ir *const all[] = {code};
    REQUIRE_OK(emit_source(all, 1, "a test", NULL, t, NULL));
    ir_free(code);
    program_free(p);
}

static int count(const text *t, const char *word)
{
    int found = 0;
    for (const char *at = strstr(t->data, word); at; at = strstr(at + 1, word))
        found++;
    return found;
}

static int kernels_of(const char *source)
{
    text t = {0};
    emit(source, &t);
    const int kernels = count(&t, "INLINE void row_");
    text_free(&t);
    return kernels;
}

#define PAIR "grid x 16\nborder periodic\nfield u; v\nv' = u + 2*u[1]\n"

TEST(stages_that_differ_by_names_have_one_kernel)
{
    CHECK_EQ(kernels_of(PAIR "u' = v' + 2*v'[1]"), 1);
}

TEST(stages_of_other_numbers_operations_or_places_have_their_own)
{
    CHECK_EQ(kernels_of(PAIR "u' = v' - 2*v'[1]"), 2);
    CHECK_EQ(kernels_of(PAIR "u' = v' + 3*v'[1]"), 2);
    CHECK_EQ(kernels_of(PAIR "u' = v' + 2*v'[-1]"), 2);
}

TEST(an_entry_hands_its_own_numbers_and_tables_on)
{
    text t = {0};
    emit("grid x 16\nborder periodic\nfield u; v; w\nparam a = sum(u); b = sum(v)\n"
         "v' = a*u[1] + sin(x)\nw' = b*v'[1] + cos(x)\nu' = w'[1]",
         &t);
    CHECK_EQ(count(&t, "own.tables = (const int[]){0};"), 1);
    CHECK_EQ(count(&t, "own.tables = (const int[]){1};"), 1);
    CHECK_EQ(count(&t, "own.uniforms = (const int[]){"), 2);
    text_free(&t);
}

/* ---- GPUs -------------------------------------------------------------------------- */

static const char pair[] = "grid x 16, y 8\nfield u; v\nv' = u + 2*u[1,0]\n"
                           "u' = v' + 2*v'[1,0]\nborder periodic";

TEST(stages_that_are_alike_share_a_kernel_of_a_gpu_without_names)
{
    program *p = NULL;
    ir *const code = build(pair, &p);
    const ir *const all[] = {code};
    emit_shared_kernels shared;
    text t = {0};
    char name[2][EMIT_NAME];
    REQUIRE_OK(emit_gpu_shared_source(all, 1, NULL, "a test", &shared, &t));
    CHECK_EQ(count(&t, "struct argument_0_"), 1);
    for (int n = 0; n < 2; n++)
        emit_shared_kernels_name(&shared, 0, code->step.stage[n], name[n]);
    CHECK_STR(name[0], name[1]);
    CHECK_EQ(count(&t, "f0_u"), 0);
    emit_shared_kernels_free(&shared);
    text_free(&t);
    ir_free(code);
    program_free(p);
}

TEST(coefficients_in_constant_memory_are_not_shared)
{
    program *p = NULL;
    ir *const code = build(
        "grid x 16, y 8\nborder periodic\nfield u; v\nparam a = sum(u)\n"
        "v' = u + a*u[1,0]\nu' = v' + a*v'[1,0]",
        &p);
    const ir *const all[] = {code};
    schedule each[16] = {0};
    const schedule *const ways[] = {each};
    emit_shared_kernels shared;
    text t = {0};
    for (int64_t k = 0; k < code->step.count; k++)
        each[code->step.stage[k]].coefficients = UNIFORMS_CONSTANT;
    REQUIRE_OK(emit_gpu_shared_source(all, 1, ways, "a test", &shared, &t));
    CHECK_EQ(count(&t, "__constant__"), 2);
    emit_shared_kernels_free(&shared);
    text_free(&t);
    ir_free(code);
    program_free(p);
}
