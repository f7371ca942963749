/* SPDX-License-Identifier: BSD-3-Clause */
/* Writes a description as a stand-alone program: a folder of C without this library, with
 * bitwise identical results. */
#include <string.h>

#include "run/generate/generate_private.h"

/* ---- files ------------------------------------------------------------------------- */

/* Copies a text of the library with the program's name in place of PROGRAM. */
static void name_program(const char *source, const char *name, text *t)
{
    static const char word[] = "PROGRAM";

    for (const char *next; (next = strstr(source, word)); source = next + strlen(word)) {
        text_add_bytes(t, source, next - source);
        text_add(t, "%s", name);
    }
    text_add(t, "%s", source);
}

static pav_status write_text(const generation *g, const char *directory, const char *file,
                             text *source)
{
    text path = {0}, whole = {0};

    text_add(&path, "%s/%s", directory, file);
    if (source->data)
        name_program(source->data, g->name, &whole);
    whole.failed |= source->failed;
    const pav_status status = path.failed ? PAV_ENOMEM : text_write(path.data, &whole);
    text_free(&path);
    text_free(&whole);
    text_free(source);
    return status;
}

static pav_status write_named(const generation *g, const char *directory,
                              const char *ending, text *source)
{
    text file = {0};

    text_add(&file, "%s%s", g->name, ending);
    const pav_status status = file.failed ? PAV_ENOMEM
                                          : write_text(g, directory, file.data, source);
    text_free(&file);
    return status;
}

static pav_status write_main(const generation *g, const char *directory)
{
    text t = {0};
    const pav_status status = add_main(g, &t);

    if (status != PAV_OK) {
        text_free(&t);
        return status;
    }
    TRY(write_text(g, directory, "main.c", &t));
    (g->gpu ? add_cuda_makefile : add_makefile)(&t);
    TRY(write_text(g, directory, "Makefile", &t));
    (g->gpu ? add_cuda_cmake : add_cmake)(&t);
    TRY(write_text(g, directory, "CMakeLists.txt", &t));
    add_readme(g, &t);
    return write_text(g, directory, "README.md", &t);
}

static pav_status write_cuda(const generation *g, const char *directory, text *cuda)
{
    text t = {0};

    TRY(write_named(g, directory, ".cu", cuda));
    add_gpu_header(g, &t);
    return write_named(g, directory, "_gpu.h", &t);
}

static pav_status write_texts(const generation *g, const char *directory, text *source,
                              text *cuda)
{
    text t = {0};

    TRY(check_input_files(g));
    TRY(directory_make(directory));
    TRY(write_named(g, directory, ".c", source));
    add_header(g, &t);
    TRY(write_named(g, directory, ".h", &t));
    if (g->gpu)
        TRY(write_cuda(g, directory, cuda));
    TRY(write_input_files(g, directory));
    return g->options->library ? PAV_OK : write_main(g, directory);
}

/* All texts are made, and may fail, before any file is written. */
static pav_status write_files(const generation *g, const char *directory)
{
    text source = {0}, cuda = {0};
    pav_status status = add_source(g, &source);

    if (status == PAV_OK && g->gpu)
        status = add_cuda(g, &cuda);
    if (status == PAV_OK)
        status = write_texts(g, directory, &source, &cuda);
    text_free(&source);
    text_free(&cuda);
    return status;
}

/* ---- all of it --------------------------------------------------------------------- */

static pav_status write_program(generation *g, const char *directory)
{
    TRY(find_stages(g));
    TRY(refuse_program(g));
    TRY(check_place(g, directory));
    TRY(open_points(g));
    TRY(find_tilings(g));
    return write_files(g, directory);
}

static pav_status write_code(const generation *asked, const program *p, const ir *code,
                             const char *directory)
{
    const pav_write_options *o = asked->options;
    pav_run run = {.program = p,
                   .code = (ir *)(uintptr_t)code,
                   .options = {.allow_outside = o->allow_outside || o->library}};
    generation g = *asked;
    text name = {0};

    g.program = p;
    g.code = code;
    g.run = &run;
    pav_status status = program_name_of(p, o->name, &name);
    g.name = name.data;
    if (status == PAV_OK)
        status = write_program(&g, directory);
    close_points(&g);
    ir_blocking_close(&g.blocking);
    mem_free(g.used);
    mem_free(g.border);
    mem_free(g.early);
    mem_free(g.later);
    text_free(&name);
    return status;
}

static pav_status check_schedule(generation *g)
{
    const char *const word = g->options->schedule;
    const schedule_place on = {g->gpu, g->gpu ? "cuda" : "cpu"};

    TRY(schedule_parse(word, on, &g->schedule));
    if (!g->gpu || !schedule_fuses_steps(&g->schedule))
        return PAV_OK;
    return FAIL(PAV_EUNSUPPORTED,
                "the schedule %s fuses steps, which stand-alone programs for GPUs do not "
                "do yet: take point, sweep or two-pass, or `pavior run --device cuda`",
                word);
}

static pav_status check_options(generation *g)
{
    TRY(find_devices(g));
    return check_schedule(g);
}

static pav_status refuse_steps(const pav_program *p, solution *s)
{
    solution_free(s);
    return FAIL(PAV_EUNSUPPORTED,
                "%s solves an equation in each step, which stand-alone programs do not "
                "do yet: take `pavior run`",
                p->tree.name);
}

pav_status pav_program_write(const pav_program *p, const pav_write_options *options,
                             const char *directory)
{
    GUARDED;
    static const pav_write_options defaults = {0};
    generation g = {.options = options ? options : &defaults};
    ir *code = NULL;
    solution s;

    if (!p || !directory || !*directory)
        return FAIL(PAV_EINVAL, "pav_program_write needs a program and a directory");
    TRY(check_options(&g));
    TRY(solve_derive(&p->tree, &s));
    if (s.count > 0)
        return refuse_steps(p, &s);
    const program *tree = s.program ? s.program : &p->tree;
    pav_status status = ir_build(tree, NULL, &code);
    if (status == PAV_OK && g.gpu)
        status = emit_split_stages(code, &g.schedule);
    if (status == PAV_OK && g.gpu)
        status = emit_check(code, &g.schedule);
    if (status == PAV_OK)
        status = write_code(&g, tree, code, directory);
    ir_free(code);
    solution_free(&s);
    return status;
}
