/* SPDX-License-Identifier: BSD-3-Clause */
/* The header, Makefile and README of a generated program. */
#include "run/generate/generate_private.h"

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
           "FIXED = -std=gnu11 -ffp-contract=off -fno-math-errno -fno-trapping-math \\\n"
           "\t-fno-builtin-exp -fno-builtin-log -fno-builtin-sin -fno-builtin-cos \\\n"
           "\t-fno-builtin-tan -fno-builtin-tanh -fno-builtin-pow -fno-builtin-expf \\\n"
           "\t-fno-builtin-logf -fno-builtin-sinf -fno-builtin-cosf "
           "-fno-builtin-tanf \\\n"
           "\t-fno-builtin-tanhf -fno-builtin-powf\n\n"
           "PROGRAM: main.o PROGRAM.o\n"
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
             "foreach(name exp log sin cos tan tanh pow)\n"
             "  target_compile_options(PROGRAM PRIVATE -fno-builtin-${name}\n"
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
