/* SPDX-License-Identifier: BSD-3-Clause */
/* Writes the other files of a generated program: main.c with its observers, as lists
 * (program_main.c has the code for them), the header, Makefile, CMakeLists.txt and
 * README. */
#include <string.h>

#include "run/generate/generate_private.h"

extern const char program_output[], program_main[];

/* ---- outputs ----------------------------------------------------------------------- */

static bool ends_in(const char *path, const char *ending)
{
    const size_t length = strlen(path), end = strlen(ending);

    return length > end && strcmp(path + length - end, ending) == 0;
}

/* The path without .npy, because this ending is always added: "heat.png" becomes
 * heat.png.npy. */
static void add_output_path(const char *file, text *t)
{
    text path = {0};
    const size_t length = strlen(file);

    text_add_bytes(&path, file, (int64_t)(ends_in(file, ".npy") ? length - 4 : length));
    add_string(path.data ? path.data : "", t);
    t->failed |= path.failed;
    text_free(&path);
}

static void add_output(const generation *g, const statement *s, text *t)
{
    const io_frame f = output_frame(g->run, s);
    int64_t from[MAX_DIM] = {0}, count[MAX_DIM] = {0}, stride[MAX_DIM] = {1, 1, 1};

    for (int axis = 0; axis < g->code->dim; axis++)
        from[axis] = f.scale[axis].first / output_unit(g->run, s, axis);
    for (int k = 0; k < f.dimensions; k++) {
        count[f.axis[k]] = f.extent[k];
        stride[f.axis[k]] = s->stride_of[f.axis[k]];
    }
    text_add(t, "    {.path = ");
    add_output_path(s->file ? s->file : s->symbol->name, t);
    text_add(t, ", .field = PROGRAM_FIELD_");
    add_identifier(s->symbol->name, t);
    text_add(
        t,
        ", .numbered = %d, .every = %lld,\n     .from = {%lld, %lld, %lld}, .count = "
        "{%lld, %lld, %lld}, .stride = {%lld, %lld, %lld}},\n",
        s->every != NULL, (long long)s->every_steps, (long long)from[0],
        (long long)from[1], (long long)from[2], (long long)count[0], (long long)count[1],
        (long long)count[2], (long long)stride[0], (long long)stride[1],
        (long long)stride[2]);
}

static void add_outputs(const generation *g, text *t)
{
    text_add(t, "\n/* A list ends with an entry that is all zeros. */\n"
                "static const output outputs[] = {\n");
    for (const statement *s = g->program->first; s; s = s->next)
        if (s->kind == STATEMENT_OUTPUT)
            add_output(g, s, t);
    text_add(t, "    {0},\n};\n");
}

/* ---- tables ------------------------------------------------------------------------ */

/* "u(303 497)" for a receiver of u */
static void add_sample_heads(const generation *g, const statement *s,
                             const point_set *set, text *t)
{
    const int dim = g->code->dim;

    for (int64_t k = 0; k < set->count; k++) {
        text_add(t, ",%s(", s->symbol->name);
        for (int axis = 0; axis < dim; axis++) {
            text_add(t, axis ? " " : "");
            text_add_double(t, set->position[k * dim + axis]);
        }
        text_add(t, ")");
    }
}

/* set: of a sample; NULL for a measure. */
static pav_status add_record(const generation *g, const statement *s,
                             const point_set *set, text *t)
{
    text path = {0}, head = {0};
    TRY(rows_path(g->run, s, &path));
    const char *file = path.data ? path.data : "";
    const bool csv = ends_in(file, ".csv") || !*file, npy = ends_in(file, ".npy");

    text_add(&head, "step,t");
    if (set)
        add_sample_heads(g, s, set, &head);
    else
        text_add(&head, ",%s", s->symbol->name);
    if (!csv && !npy)
        text_add(&path, ".csv");
    text_add(t, "    {.path = ");
    add_string(path.data ? path.data : "", t);
    text_add(t, ", .columns = %lld, .skipped = %d,\n     .head = ",
             (long long)(set ? set->count : 1) + 2, set && npy ? 2 : 0);
    add_string(head.data ? head.data : "", t);
    text_add(t, "},\n");
    t->failed |= path.failed || head.failed;
    text_free(&path);
    text_free(&head);
    return PAV_OK;
}

/* One record for each measure, then one for each sample. */
static pav_status add_records(const generation *g, text *t)
{
    int64_t sample = 0;

    text_add(t, "\nenum { RECORDS = %lld };\nstatic table record[RECORDS + 1] = {\n",
             (long long)g->code->measures.count + g->samples);
    for (int64_t n = 0; n < g->code->measures.count; n++)
        TRY(add_record(g, g->code->measures.item[n].statement, NULL, t));
    for (const statement *s = g->program->first; s; s = s->next)
        if (s->kind == STATEMENT_SAMPLE)
            TRY(add_record(g, s, &g->sample[sample++], t));
    text_add(t, "    {0},\n};\n");
    return PAV_OK;
}

static void add_sample_list(const generation *g, text *t)
{
    int64_t n = 0;

    text_add(t, "\nstatic const sample samples[] = {\n");
    for (const statement *s = g->program->first; s; s = s->next)
        if (s->kind == STATEMENT_SAMPLE) {
            text_add(t, "    {PROGRAM_SAMPLE_%lld, %lld, &record[%lld]},\n", (long long)n,
                     (long long)s->every_steps, (long long)g->code->measures.count + n);
            n++;
        }
    text_add(t, "    {0},\n};\n");
}

/* ---- numbers ----------------------------------------------------------------------- */

static void add_number_entry(const event_group *group, int64_t n, text *t)
{
    const ir_event *event = &group->list->item[n];
    const bool measure = event->statement->kind == STATEMENT_MEASURE;

    text_add(t, "    {");
    add_string(measure ? event->statement->symbol->name : event->text, t);
    text_add(t, ", ");
    add_event_name(group, n, t);
    text_add(t, ", %lld, ", (long long)event->statement->every_steps);
    if (measure)
        text_add(t, "&record[%lld]},\n", (long long)n);
    else
        text_add(t, "NULL},\n");
}

static void add_number_lists(const generation *g, text *t)
{
    static const char *const name[] = {"measures", "untils", "expects"};
    event_group group[EVENT_GROUPS];

    event_groups(g->code, group);
    for (int n = 0; n < EVENT_GROUPS; n++) {
        text_add(t, "\nstatic const number %s[] = {\n", name[n]);
        for (int64_t k = 0; k < group[n].list->count; k++)
            add_number_entry(&group[n], k, t);
        text_add(t, "    {0},\n};\n");
    }
}

pav_status add_main(const generation *g, text *t)
{
    int64_t all = 1;

    for (int axis = 0; axis < g->code->dim; axis++)
        all *= g->program->axis[axis].points;
    text_add(t, "/* main.c, written by Pavior: a run of PROGRAM: its steps, and what is "
                "written of them. */\n"
                "#include <errno.h>\n#include <stdio.h>\n#include <stdlib.h>\n"
                "#include <string.h>\n#include <sys/stat.h>\n#include "
                "<time.h>\n\n#include \"PROGRAM.h\"\n\n");
    text_add(t,
             "/* Steps of a run, unless --steps says otherwise; points of the grid. */\n"
             "static const int64_t STEPS = %lld, POINTS = %lld;\n"
             "enum { EQUATIONS = %lld }; /* stages of a step */\n\n",
             (long long)g->program->steps, (long long)all,
             (long long)g->code->step.count);
    text_add(t, "%s", program_output);
    text_add(t, "\n/* ---- observers ----%s */\n",
             "--------------------------------------------------------------------");
    add_outputs(g, t);
    TRY(add_records(g, t));
    add_sample_list(g, t);
    add_number_lists(g, t);
    text_add(t, "\n");
    add_part(g, program_main, t);
    return PAV_OK;
}

/* ---- the header -------------------------------------------------------------------- */

extern const char program_header[];

static void add_enum(const char *about, text *list, text *t)
{
    if (list->data)
        text_add(t, "\n/* %s */\nenum {\n%s};\n", about, list->data);
    t->failed |= list->failed;
    text_free(list);
}

static void add_field_numbers(const generation *g, text *t)
{
    text list = {0};

    for (int64_t f = 0; f < g->code->fields; f++)
        if (g->code->field[f].symbol) {
            text_add(&list, "    PROGRAM_FIELD_");
            add_identifier(g->code->field[f].name, &list);
            text_add(&list, " = %lld,\n", (long long)f);
        }
    add_enum("For PROGRAM_field.", &list, t);
}

static void add_number_names(const generation *g, text *t)
{
    event_group group[EVENT_GROUPS];
    text list = {0};

    event_groups(g->code, group);
    for (int n = 0; n < EVENT_GROUPS; n++)
        for (int64_t k = 0; k < group[n].list->count; k++) {
            text_add(&list, "    ");
            add_event_name(&group[n], k, &list);
            text_add(&list, ", /* ");
            add_comment(group[n].list->item[k].text, &list);
            text_add(&list, " */\n");
        }
    add_enum("For PROGRAM_number.", &list, t);
    for (int64_t n = 0; n < g->samples; n++)
        text_add(&list, "    PROGRAM_SAMPLE_%lld, /* %lld value%s */\n", (long long)n,
                 (long long)g->sample[n].count, g->sample[n].count == 1 ? "" : "s");
    add_enum("For PROGRAM_sample.", &list, t);
}

void add_header(const generation *g, text *t)
{
    text_add(t, "/* PROGRAM.h, written by Pavior: ");
    add_comment(program_file_name(g->program->name), t);
    text_add(t, " as a library. One program may have several runs. */\n"
                "#ifndef PROGRAM_H\n#define PROGRAM_H\n\n#include <stdint.h>\n\n"
                "#ifdef __cplusplus\nextern \"C\" {\n#endif\n\n");
    if (g->gpu)
        text_add(t, "enum { PROGRAM_PARTS = %d }; /* of the grid */\n\n", g->parts);
    add_part(g, program_header, t);
    add_field_numbers(g, t);
    add_number_names(g, t);
    text_add(t, "\n#ifdef __cplusplus\n}\n#endif\n\n#endif\n");
}

/* ---- Makefile ---------------------------------------------------------------------- */

void add_no_builtins(text *t)
{
#define NAME_F64(NAME, word, ...) #word,
#define NAME_F32(NAME, word, ...) #word "f",
    static const char *const names[] = {
        LIBRARY_FUNCTION_LIST(NAME_F64) "pow",
        LIBRARY_FUNCTION_LIST(NAME_F32) "powf",
    };

    for (size_t k = 0; k < COUNT_OF(names); k++)
        text_add(t, "%s-fno-builtin-%s", k % 4 ? " " : " \\\n\t", names[k]);
    text_add(t, "\n");
}

void add_makefile(text *t)
{
    text_add(
        t, "# Written by Pavior. make: builds PROGRAM. The values do not depend on the\n"
           "# processor, the compiler or -O,\n"
           "# but on FIXED, which forbids compilers to round otherwise than the text "
           "says.\n"
           "CC ?= cc\n"
           "ifeq ($(filter x86_64 i%%86,$(shell uname -m)),)\n"
           "NATIVE = -mcpu=native\n"
           "else\n"
           "NATIVE = -march=native -mprefer-vector-width=512\n"
           "endif\n"
           "CFLAGS ?= -O3 $(NATIVE) -Wall -Wextra\n"
           "FIXED = -std=gnu11 -ffp-contract=off -fno-math-errno -fno-trapping-math");
    add_no_builtins(t);
    text_add(t, "\nPROGRAM: main.o PROGRAM.o\n"
                "\t$(CC) $(CFLAGS) -o $@ main.o PROGRAM.o -pthread -lm\n\n"
                "main.o: main.c PROGRAM.h\n"
                "\t$(CC) $(CFLAGS) $(FIXED) -c -o $@ main.c\n\n"
                "PROGRAM.o: PROGRAM.c PROGRAM.h\n"
                "\t$(CC) $(CFLAGS) $(FIXED) -pthread -c -o $@ PROGRAM.c\n\n"
                "clean:\n\trm -f PROGRAM main.o PROGRAM.o\n\n.PHONY: clean\n");
}

/* ---- CMakeLists.txt ---------------------------------------------------------------- */

void add_cmake(text *t)
{
    text_add(t,
             "# Written by Pavior. cmake -B build && cmake --build build\n"
             "cmake_minimum_required(VERSION 3.10)\n"
             "project(PROGRAM C)\n"
             "if(NOT CMAKE_BUILD_TYPE)\n  set(CMAKE_BUILD_TYPE Release)\nendif()\n"
             "find_package(Threads REQUIRED)\n"
             "add_executable(PROGRAM main.c PROGRAM.c)\n"
             "set_target_properties(PROGRAM PROPERTIES C_STANDARD 11 C_EXTENSIONS ON)\n"
             "target_link_libraries(PROGRAM PRIVATE Threads::Threads m)\n"
             "if(CMAKE_SYSTEM_PROCESSOR MATCHES \"x86|AMD64|i.86\")\n"
             "  target_compile_options(PROGRAM PRIVATE -march=native)\n"
             "else()\n"
             "  target_compile_options(PROGRAM PRIVATE -mcpu=native)\n"
             "endif()\n"
             "# Compilers must not round otherwise than the text says.\n"
             "target_compile_options(PROGRAM PRIVATE -ffp-contract=off\n"
             "  -fno-math-errno -fno-trapping-math)\n"
             "foreach(name" LIBRARY_FUNCTION_LIST(
                 LISTED_FUNCTION) " pow)\n"
                                  "  target_compile_options(PROGRAM PRIVATE "
                                  "-fno-builtin-${name}\n"
                                  "    -fno-builtin-${name}f)\n"
                                  "endforeach()\n");
}

/* ---- README ------------------------------------------------------------------------ */

static void add_description(const generation *g, text *t)
{
    text source = {0};

    program_print(g->program, &source);
    text_add(t, "\n## What it computes\n\n```pav\n%s```\n",
             source.data ? source.data : "");
    t->failed |= source.failed;
    text_free(&source);
}

static void add_needs(text *t)
{
    text_add(t,
             "It needs a C compiler (gcc or clang), make, and POSIX threads; nothing of "
             "Pavior. Its\nvalues have the bits of `pavior run` on the same C library, "
             "whatever the number of threads.\n\n"
             "    make\n    ./PROGRAM --steps 100 --threads 4 --out .\n\n"
             "CMake does, too: `cmake -B build && cmake --build build`.\n\n");
}

static void add_cuda_needs(text *t)
{
    text_add(t,
             "It needs CUDA (`nvcc`), a C compiler (gcc or clang), make, POSIX threads, "
             "and a GPU;\nnothing of Pavior. Its values have the bits of `pavior run "
             "--device cuda`.\n\n"
             "    make                # for the GPU that is here; or make ARCH=sm_90\n"
             "    ./PROGRAM --steps 100 --out .\n\n"
             "CMake does, too: `cmake -B build && cmake --build build`. `--gpus` says "
             "which GPUs it\ntakes, by their numbers.\n\n");
}

static void add_parts(const generation *g, text *t)
{
    if (g->parts < 2)
        return;
    text_add(t, "The grid is cut across its slowest axis into %d parts, for", g->parts);
    for (int n = 0; n < g->parts; n++) {
        text_add(t, n ? "," : "");
        if (g->gpu_of[n] < 0)
            text_add(t, " the processors");
        else
            text_add(t, " GPU %d", g->gpu_of[n]);
    }
    text_add(t, ".\nAfter each stage of a step they exchange the planes that their "
                "neighbours read.\n`--shares 1,3,...` says how large they are, each "
                "as to the others. The host holds all of\nthe grid, a GPU its part.\n\n");
}

void add_readme(const generation *g, text *t)
{
    text_add(t, "# PROGRAM\n\nWritten by Pavior %s, a program in %s for `", pav_version(),
             g->gpu ? "C and CUDA" : "C");
    add_comment(program_file_name(g->program->name), t);
    text_add(t, "`:\n\n    %s\n\n",
             g->options->command ? g->options->command : "pav_program_write");
    if (g->gpu)
        add_cuda_needs(t);
    else
        add_needs(t);
    add_parts(g, t);
    text_add(t, "It prints its rate. Outputs are NumPy arrays (`.npy`), whatever format "
                "the description\nnames; samples and measures are `.csv` or `.npy`.\n\n");
    if (g->gpu)
        text_add(t,
                 "* `PROGRAM.c`: fields, borders, the start on the host, a step as calls "
                 "of the GPU\n"
                 "* `PROGRAM.cu`: the kernels of the step and who launches them\n"
                 "* `PROGRAM_gpu.h`: what the one asks of the other\n");
    else
        text_add(t, "* `PROGRAM.c`: fields, kernels, borders, the start and a step\n");
    text_add(t, "* `PROGRAM.h`: its interface, for other programs, too\n"
                "* `main.c`: options, the loop over steps, outputs\n");
    if (program_reads_files(g))
        text_add(t, "* `PROGRAM-*.npy`: values that it reads at the start, from `.` or "
                    "`--in DIR`\n");
    add_description(g, t);
}
