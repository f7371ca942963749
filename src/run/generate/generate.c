/* SPDX-License-Identifier: BSD-3-Clause */
/* A description as a stand-alone program: a folder with C that needs nothing of this
 * library, and has the bits of a run. */
#include <string.h>

#include "run/generate/generate_private.h"

extern const char program_types[], program_team[], program_border_images[],
    program_ghosts[], program_partition[], program_calls[], program_reductions[],
    program_borders[], program_points[], program_interface[], program_files[];

/* ---- which stages ------------------------------------------------------------------ */

static void use_stage(generation *g, int stage)
{
    for (; stage >= 0; stage = g->code->stage[stage].before) {
        g->used[stage] = true;
        for (int64_t n = 0; n < g->code->stage[stage].outputs; n++)
            g->reductions |= g->code->stage[stage].output[n].kind == IR_REDUCE;
    }
}

static void use_list(generation *g, const ir_list *list)
{
    for (int64_t n = 0; n < list->count; n++)
        use_stage(g, list->stage[n]);
}

static void use_events(generation *g, const ir_event_list *list)
{
    for (int64_t n = 0; n < list->count; n++)
        use_list(g, &list->item[n].list);
}

static void use_borders(generation *g)
{
    for (int64_t f = 0; f < g->code->fields; f++)
        for (int n = 0; n < 2 * g->code->dim; n++) {
            const ir_border *b = &g->code->field[f].border[n / 2][n % 2];
            if (!border_is(b->kind) || b->stage < 0)
                continue;
            use_stage(g, b->stage);
            g->border[b->stage] = (int)f;
        }
}

static pav_status find_stages(generation *g)
{
    const ir *code = g->code;

    g->used = mem_new(code->stages + 1, sizeof *g->used);
    g->border = mem_new(code->stages + 1, sizeof *g->border);
    if (!g->used || !g->border)
        return PAV_ENOMEM;
    for (int64_t n = 0; n < code->stages; n++)
        g->border[n] = -1;
    for (int64_t n = 0; n < code->start.count; n++)
        if (code->start.item[n].kind == START_STAGE)
            use_stage(g, code->start.item[n].stage);
    use_list(g, &code->step);
    use_events(g, &code->injections);
    use_events(g, &code->measures);
    use_events(g, &code->untils);
    use_events(g, &code->expects);
    use_borders(g);
    return PAV_OK;
}

/* ---- the source -------------------------------------------------------------------- */

/* Text of a file of the library, without what it includes. */
static void add_own(const char *source, text *t)
{
    text_add(t, "\n");
    while (*source) {
        const size_t length = strcspn(source, "\n");
        if (strncmp(source, "#include", 8) != 0)
            text_add_bytes(t, source, (int64_t)length + (source[length] == '\n'));
        source += length + (source[length] == '\n');
    }
}

/* What was declared static stays so. */
static void declare_kernels(const generation *g, text *t)
{
    char name[EMIT_NAME];

    text_add(t, "struct work;\n");
    for (int n = 0; n < g->code->stages; n++)
        if (emit_has_kernel(&g->code->stage[n])) {
            emit_kernel_name(name, 0, n);
            text_add(t, "static __attribute__((unused)) void %s(const struct work *w);\n",
                     name);
        }
    text_add(t, "\n");
}

static void add_driver(const generation *g, text *t)
{
    text_add(t, "\n%s\n%s", program_types, program_team);
    text_add(t, "\n/* ---- boxes and ghosts %s */\n\n",
             "---------------------------------------------------------------------");
    text_add(t, "enum { PARTITION_PIECE = PIECE };\n"
                "typedef enum ghost_map {\n    GHOST_EVEN = 0,\n    GHOST_WRAPS = 1,\n"
                "    GHOST_CLAMPS = 2,\n    GHOST_BETWEEN = 4,\n"
                "    GHOST_NEGATIVE = 8\n} ghost_map;\n"
                "typedef struct border_image {\n    int extents, shift, sign;\n"
                "} border_image;\n"
                "static border_image border_image_of(ghost_map map, int side);\n"
                "static int64_t border_image_at(ghost_map map, int64_t n, int64_t "
                "ghost);\n"
                "static int64_t border_source(ghost_map map, int64_t n, int64_t ghost);\n"
                "typedef struct ghost_sides {\n    bool filled[2];\n"
                "    ghost_map map[2];\n} ghost_sides;\n"
                "static int partition_axis(const box *b, int parts);\n"
                "static bool partition_box(const box *b, int axis, int64_t parts, "
                "int64_t n, box *part);\n"
                "static void ghost_fill(const view *v, int axis, ghost_sides sides, "
                "const box *range);\n"
                "static void ghost_fill_side(const view *v, int axis, int side, "
                "ghost_map map, const box *range);\n");
    add_own(program_partition, t);
    add_own(program_border_images, t);
    add_own(program_ghosts, t);
    text_add(t, "\n%s\n%s", program_calls, program_borders);
    if (g->reductions)
        text_add(t, "\n%s", program_reductions);
    if (g->points)
        text_add(t, "\n%s", program_points);
    if (program_reads_files(g))
        text_add(t, "\n%s", program_files);
}

static pav_status add_source(const generation *g, text *t)
{
    text_add(t, "/* PROGRAM.c, written by Pavior: ");
    add_comment(g->program->name, t);
    text_add(t, ". README.md says how to build it; PROGRAM.h what it offers. */\n"
                "#include <pthread.h>\n#include <stdatomic.h>\n#include <stdbool.h>\n"
                "#include <stdio.h>\n#include <stdlib.h>\n#include "
                "<unistd.h>\n\n#include \"PROGRAM.h\"\n\n");
    declare_kernels(g, t);
    TRY(kernel_source(g->program, g->code, t));
    add_constants(g, t);
    add_driver(g, t);
    add_points(g, t);
    text_add(t, "\n/* ---- PROGRAM %s */\n",
             "------------------------------------------------------------------------");
    TRY(add_fields(g, t));
    TRY(add_tables_and_stages(g, t));
    add_faces(g, t);
    add_start(g, t);
    add_step(g, t);
    text_add(t, "\n%s", program_interface);
    add_numbers(g, t);
    add_samples(g, t);
    return PAV_OK;
}

/* ---- files ------------------------------------------------------------------------- */

/* The driver's text calls the program PROGRAM. */
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
    add_makefile(g, &t);
    TRY(write_text(g, directory, "Makefile", &t));
    add_cmake(g, &t);
    TRY(write_text(g, directory, "CMakeLists.txt", &t));
    add_readme(g, &t);
    return write_text(g, directory, "README.md", &t);
}

static pav_status write_files(const generation *g, const char *directory)
{
    text t = {0};
    pav_status status = add_source(g, &t);

    if (status == PAV_OK)
        status = directory_make(directory);
    if (status != PAV_OK) {
        text_free(&t);
        return status;
    }
    TRY(write_named(g, directory, ".c", &t));
    add_header(g, &t);
    TRY(write_named(g, directory, ".h", &t));
    TRY(write_input_files(g, directory));
    return g->options->library ? PAV_OK : write_main(g, directory);
}

/* ---- all of it --------------------------------------------------------------------- */

static pav_status write_program(generation *g, const char *directory)
{
    TRY(find_stages(g));
    TRY(refuse_program(g));
    TRY(check_place(g, directory));
    TRY(open_points(g));
    return write_files(g, directory);
}

static pav_status write_code(const program *p, const ir *code, const pav_write_options *o,
                             const char *directory)
{
    pav_run run = {.program = p,
                   .code = (ir *)(uintptr_t)code,
                   .options = {.allow_outside = o->allow_outside || o->library}};
    generation g = {.program = p, .code = code, .run = &run, .options = o};
    text name = {0};

    pav_status status = program_name_of(p, o->name, &name);
    g.name = name.data;
    if (status == PAV_OK)
        status = write_program(&g, directory);
    close_points(&g);
    mem_free(g.used);
    mem_free(g.border);
    text_free(&name);
    return status;
}

static pav_status check_options(const pav_write_options *o)
{
    const char *device = o->device ? o->device : "cpu";

    TRY(device_check_name(device));
    if (strcmp(device, "cpu") != 0)
        return FAIL(PAV_EUNSUPPORTED,
                    "stand-alone programs are written for --device cpu so far, not for "
                    "%s, on which `pavior run` takes the description",
                    device);
    return !o->schedule ? PAV_OK
                        : FAIL(PAV_EINVAL,
                               "a program for processors takes no schedule: leave out "
                               "--schedule %s",
                               o->schedule);
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
    const pav_write_options *o = options ? options : &defaults;
    ir *code = NULL;
    solution s;

    if (!p || !directory || !*directory)
        return FAIL(PAV_EINVAL, "pav_program_write needs a program and a directory");
    TRY(check_options(o));
    TRY(solve_derive(&p->tree, &s));
    if (s.count > 0)
        return refuse_steps(p, &s);
    const program *tree = s.program ? s.program : &p->tree;
    pav_status status = ir_build(tree, NULL, &code);
    if (status == PAV_OK)
        status = write_code(tree, code, o, directory);
    ir_free(code);
    solution_free(&s);
    return status;
}
