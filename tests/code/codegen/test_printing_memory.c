/* SPDX-License-Identifier: BSD-3-Clause */
/* Printers work in arenas: if memory runs out at any allocation, they fail or leave out
 * what they may, and free everything. The address sanitizer sees leaks. */
#include "codegen/codegen.h"
#include "test.h"

enum { MOST_ALLOCATIONS = 120 };

static const char heat[] = "grid x 64, y 48, z 40\nreal f32\nfield u = 1\nparam a = 0.1\n"
                           "u' = u + a*laplace(u)\nborder u = 0\nsteps 9";
static const char wave[] = "grid x 64, y 48\nfield u = 1\nu' = 2*u - prev(u) + "
                           "0.1*laplace(u)\nborder mirror u\n"
                           "inject sin(t) into u at (20.3, 10.6)\nsteps 9";

static void print_without_memory(const char *source, const char *words, bool gpu)
{
    program *p = NULL;
    ir *code = NULL;
    schedule s;
    REQUIRE_OK(program_parse(source, (int64_t)strlen(source), NULL, &p));
    REQUIRE_OK(ir_build(p, NULL, &code));
    REQUIRE_OK(schedule_parse(words, (schedule_place){gpu, "here"}, &s));
    for (int n = 0; n < MOST_ALLOCATIONS; n++) {
        text t = {0}, why = {0};
        mem_fail_after(n);
        const pav_status status = emit_program(code, &s, "head", &t);
        const pav_status legal = emit_legal(code, &s, NULL, &why);
        mem_fail_after(0);
        CHECK(n > 0 || (status == PAV_OK && legal == PAV_OK));
        CHECK(status == PAV_OK || status == PAV_ENOMEM || status == PAV_EUNSUPPORTED);
        text_free(&t);
        text_free(&why);
    }
    ir_free(code);
    program_free(p);
}

TEST(kernels_of_stages_fail_without_memory)
{
    print_without_memory(heat, "rows", false);
    print_without_memory(heat, "point:coefficients=shared", true);
    print_without_memory(heat, "sweep:shared,copy=tma,rows=2", true);
    print_without_memory(heat, "sweep:input", true);
    print_without_memory(wave, "sweep:shuffle", true);
}

TEST(kernels_of_launches_fail_without_memory)
{
    print_without_memory(heat, "time:depth=3,unroll=3,copy=tma", true);
    print_without_memory(heat, "time:shared,depth=2", true);
    print_without_memory(heat, "persistent:tiles=2x2,depth=2", true);
    print_without_memory(wave, "time:depth=2", true);
}
