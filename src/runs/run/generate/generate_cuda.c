/* SPDX-License-Identifier: BSD-3-Clause */
/* Additional files of a program for a GPU: PROGRAM.cu with the kernels and their
 * launches, and PROGRAM_gpu.h, the interface between it and PROGRAM.c. */
#include <string.h>

#include "run/generate/generate_private.h"

extern const char program_cuda[], program_gpu_header[];

/* ---- lines for GPUs ---------------------------------------------------------------- */

bool starts(const char *line, const char *word)
{
    return strncmp(line, word, strlen(word)) == 0;
}

void add_part(const generation *g, const char *source, text *t)
{
    bool inside = false, taken = true;

    while (*source) {
        const size_t length = strcspn(source, "\n");
        const size_t whole = length + (source[length] == '\n');
        if (starts(source, "#if ON_")) {
            inside = true;
            taken = starts(source, "#if ON_GPU")      ? g->gpu
                    : starts(source, "#if ON_CPU")    ? !g->gpu
                    : starts(source, "#if ON_TILES")  ? g->tilings > 0
                    : starts(source, "#if ON_TABLES") ? g->code->tables > 0
                                                      : g->tilings == 0;
        } else if (inside && starts(source, "#endif")) {
            inside = false;
            taken = true;
        } else if (taken) {
            text_add_bytes(t, source, (int64_t)whole);
        }
        source += whole;
    }
}

/* ---- schedules --------------------------------------------------------------------- */

static schedule program_schedule_of(const generation *g, int64_t stage)
{
    schedule s = emit_gpu_schedule_of(g->code, stage, &g->schedule);

    if (s.coefficients == UNIFORMS_DEFAULT)
        s.coefficients = UNIFORMS_ARGUMENT;
    return s;
}

bool runs_on_gpu(const generation *g, int64_t stage)
{
    return g->gpu && g->later[stage] &&
           emit_gpu_has_kernel(g->code, &g->code->stage[stage]);
}

/* ---- PROGRAM_gpu.h ----------------------------------------------------------------- */

pav_status add_gpu_header(const generation *g, text *t)
{
    text_add(t,
             "/* " LICENCE
             " */\n/* PROGRAM_gpu.h, written by Pavior: functions of PROGRAM.cu "
             "(CUDA) for PROGRAM.c (C). */\n"
             "#ifndef PROGRAM_GPU_H\n#define PROGRAM_GPU_H\n\n"
             "#include \"PROGRAM.h\"\n\n"
             "#ifdef __cplusplus\nextern \"C\" {\n#endif\n\n%s\n",
             program_gpu_header);
    for (int64_t n = 0; n < g->code->stages; n++)
        if (runs_on_gpu(g, n)) {
            text_add(t, "void PROGRAM_gpu_stage_%lld(const PROGRAM_call *c); /* ",
                     (long long)n);
            add_comment(g->code->stage[n].name ? g->code->stage[n].name : "numbers", t);
            text_add(t, " */\n");
        }
    text_add(t, "\n#ifdef __cplusplus\n}\n#endif\n\n#endif\n");
    return PAV_OK;
}

/* ---- PROGRAM.cu -------------------------------------------------------------------- */

/* Kernels need their own namespace, since they define fixed-size integers themselves, for
 * compilers without headers. */
static void open_namespace(const char *name, text *t)
{
    text_add(t,
             "\n#undef INT64_MAX\n#undef UINT64_C\n#undef INFINITY\n#undef NAN\n"
             "#undef INLINE\n"
             "namespace %s {\n",
             name);
}

static pav_status add_kernels(const generation *g, text *t)
{
    schedule *of_stage = arena_alloc(g->arena, g->code->stages + 1, sizeof *of_stage);
    const schedule *list = of_stage;

    for (int64_t n = 0; n < g->code->stages; n++)
        of_stage[n] = runs_on_gpu(g, n) ? program_schedule_of(g, n)
                                        : (schedule){.kind = SCHEDULE_NONE};
    open_namespace("kernels", t);
    OWNED_BY(text_free) text source = {0};
    TRY(emit_gpu_source(&g->code, 1, &list, kernel_head(true), &source));
    add_text(&source, t);
    text_add(t, "} // namespace kernels\n");
    return PAV_OK;
}

pav_status add_cuda(const generation *g, text *t)
{
    text_add(t, "/* " LICENCE " */\n/* PROGRAM.cu, written by Pavior: ");
    add_comment(program_file_name(g->program->name), t);
    text_add(t, ". Its kernels and their launches. */\n"
                "#include <cuda_runtime.h>\n\n#include <stdint.h>\n"
                "#include <stdio.h>\n#include <stdlib.h>\n#include <string.h>\n\n"
                "#include \"PROGRAM_gpu.h\"\n");
    TRY(add_kernels(g, t));
    text source = {0};
    const pav_status status = emit_gpu_program_common(&source);

    open_namespace("common", t);
    add_text(&source, t);
    text_add(t, "} // namespace common\n\n");
    TRY(status);
    text_add(t, "%s", program_cuda);
    add_heading("stages", t);
    for (int64_t n = 0; n < g->code->stages; n++)
        if (runs_on_gpu(g, n)) {
            const schedule s = program_schedule_of(g, n);
            TRY(emit_gpu_launcher(g->code, n, &s, t));
        }
    return PAV_OK;
}
