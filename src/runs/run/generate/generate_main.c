/* SPDX-License-Identifier: BSD-3-Clause */
/* Writes the other files of a generated program: main.c with its observers, as lists
 * (program_main.c has the code for them), the header, Makefile, CMakeLists.txt and
 * README. */
#include <string.h>

#include "run/generate/generate_private.h"

extern const char program_npy_header[], program_decimal_text[], program_output[],
    program_main[];

/* ---- outputs ----------------------------------------------------------------------- */

static bool ends_in(const char *path, const char *ending)
{
    const size_t length = strlen(path), end = strlen(ending);

    return length > end && strcmp(path + length - end, ending) == 0;
}

/* a quoted C string */
static void add_string(const char *string, text *t)
{
    text_add(t, "\"");
    for (; *string; string++) {
        const unsigned char c = (unsigned char)*string;
        if (c == '"' || c == '\\' || c == '?')
            text_add(t, "\\%c", c);
        else if (c < ' ' || c > '~')
            text_add(t, "\\%03o", c);
        else
            text_add(t, "%c", c);
    }
    text_add(t, "\"");
}

/* When a statement is due: at steps, or at multiples of a time. */
static void add_every(const generation *g, const statement *s, text *t)
{
    text_add(t, ", .every = %lld, .time = %s", (long long)s->every_steps,
             number_of(g, s->interval.v));
}

/* The path of an array without .npy, because this ending is always added: "heat.png"
 * becomes heat.png.npy. Of several fields each has an array, state.h5.u.npy. */
static const char *array_of(const generation *g, const statement *s, const symbol *of)
{
    const char *const file = s->file ? s->file : s->symbol->name;
    const size_t length = strlen(file) - (ends_in(file, ".npy") ? 4 : 0);
    const char *const name = arena_copy(g->arena, file, length);

    return s->left_count > 1 ? arena_print(g->arena, "%s.%s", name, of->name) : name;
}

/* of: one of the fields of the statement */
static void add_output(const generation *g, const statement *s, const symbol *of, text *t)
{
    box shown;
    const io_frame f = output_frame(g->run, s, &shown);
    int64_t count[MAX_DIM] = {0}, stride[MAX_DIM] = {1, 1, 1};

    for (int k = 0; k < f.dimensions; k++) {
        count[f.axis[k]] = f.extent[k];
        stride[f.axis[k]] = s->stride_of[f.axis[k]];
    }
    text_add(t, "    {.kind = OUTPUT, .name = ");
    add_string(array_of(g, s, of), t);
    text_add(t, ", .which = PROGRAM_FIELD_%s, .numbered = %d", identifier_of(g, of->name),
             s->every != NULL);
    add_every(g, s, t);
    text_add(t,
             ",\n     .from = {%lld, %lld, %lld}, .count = {%lld, %lld, %lld}, .stride = "
             "{%lld, %lld, %lld}},\n",
             (long long)shown.lo[0], (long long)shown.lo[1], (long long)shown.lo[2],
             (long long)count[0], (long long)count[1], (long long)count[2],
             (long long)stride[0], (long long)stride[1], (long long)stride[2]);
}

/* ---- tables ------------------------------------------------------------------------ */

/* set: of a sample; NULL for a measure. */
static pav_status add_record(const generation *g, const statement *s,
                             const point_set *set, text *t)
{
    OWNED_BY(text_free) text own = {0}, names = {0}, head = {0};
    int64_t columns = 0;
    TRY(rows_path(g->run, s, &own));
    rows_heads(g->run, s, set, &names);
    for (int64_t at = 0; at < names.length; at += (int64_t)strlen(names.data + at) + 1) {
        text_add(&head, columns++ ? "," : "");
        csv_add_name(&head, names.data + at);
    }
    const char *const file = own.data ? own.data : "";
    const bool csv = ends_in(file, ".csv") || !*file, npy = ends_in(file, ".npy");

    if (!csv && !npy)
        text_add(&own, ".csv");
    text_add(t, "    {.path = ");
    add_string(own.data ? own.data : "", t);
    text_add(t, ", .columns = %lld, .skipped = %d,\n     .head = ", (long long)columns,
             set && npy ? 2 : 0);
    add_string(head.data ? head.data : "", t);
    text_add(t, "},\n");
    t->failed |= own.failed || names.failed || head.failed;
    return PAV_OK;
}

/* Names are alike only here, where arrays stand in for all formats. */
static pav_status check_arrays(const generation *g)
{
    int64_t count = 0, room = 0;
    const char **file = NULL;

    EACH_STATEMENT(s, g->program) {
        const int64_t before = count; /* one output may show a field twice */
        for (int64_t k = 0; s->kind == STATEMENT_OUTPUT && k < output_fields(s); k++) {
            const char *const own = path_plain(
                g->arena, arena_print(g->arena, s->every ? "%s-000000.npy" : "%s.npy",
                                      array_of(g, s, k > 0 ? s->left[k] : s->symbol)));
            for (int64_t n = 0; n < before; n++)
                if (strcmp(own, file[n]) == 0)
                    return FAIL(PAV_EINVAL,
                                "%s:%d: a stand-alone program writes arrays alone, and "
                                "two of them into \"%s\": give another file name",
                                g->program->name, s->at.line, own);
            ARENA_ADD(g->arena, file, count, room) = own;
        }
    }
    return PAV_OK;
}

/* ---- the list ---------------------------------------------------------------------- */

static void add_observers(const generation *g, text *t)
{
    long long record = 0, sample = 0;

    text_add(t, "\nstatic const observer observers[] = {\n");
    EACH_STATEMENT(s, g->program)
        for (int64_t k = 0; s->kind == STATEMENT_OUTPUT && k < output_fields(s); k++)
            add_output(g, s, k > 0 ? s->left[k] : s->symbol, t);
    for (int n = 0; n < EVENT_GROUPS; n++)
        for (int64_t k = 0; k < g->group[n].list->count; k++) {
            const ir_event *event = &g->group[n].list->item[k];
            const bool measure = event->statement->kind == STATEMENT_MEASURE;
            text_add(t, "    {.kind = %s, .name = ", g->group[n].word);
            add_string(measure ? event->statement->symbol->name
                       : g->whole && event->statement->kind == STATEMENT_UNTIL
                           ? arena_print(g->arena,
                                         "norm(residual) <= %.3g*norm(first one)",
                                         g->whole->tolerance)
                           : event->text,
                       t);
            text_add(t, ", .which = %s", event_name(g, &g->group[n], k));
            add_every(g, event->statement, t);
            if (measure)
                text_add(t, ", .table = &record[%lld]", record++);
            text_add(t, "},\n");
        }
    EACH_STATEMENT(s, g->program)
        if (sample_is_whole(s)) {
            text_add(t, "    {.kind = SAMPLE, .which = PROGRAM_SAMPLE_%lld", sample++);
            add_every(g, s, t);
            text_add(t, ", .table = &record[%lld]},\n", record++);
        }
    text_add(t, "    {.kind = NOTHING}, /* the end */\n};\n");
}

pav_status add_main(const generation *g, text *t)
{
    const box grid = ir_grid_box(g->code);
    const int64_t all = box_points(grid);

    TRY(check_arrays(g));
    text_add(t, "/* " LICENCE " */\n/* main.c, written by Pavior: runs PROGRAM and "
                "writes its outputs. */\n"
                "#include <errno.h>\n#include <math.h>\n#include <stdbool.h>\n"
                "#include <stdio.h>\n#include <stdlib.h>\n#include <string.h>\n"
                "#include <sys/stat.h>\n#include <time.h>\n\n#include \"PROGRAM.h\"\n\n");
    const program *p = g->program;
    const bool endless = p->steps == 0 && !p->steps_param && g->code->untils.count > 0;
    text_add(t,
             "/* Steps of a run without --steps; points of the grid. */\n"
             "static const int64_t STEPS = %lld, POINTS = %lld;\n"
             "enum { EQUATIONS = %lld }; /* stages of a step */\n"
             "enum { SOLVES = %d }; /* steps reduce a residual below a tolerance */\n"
             "enum { VARIES = %d, ENDLESS = %d }; /* dt is a scalar; t ends a run */\n"
             "static const double TOLERANCE = %s; /* a multiple counts so much of its "
             "time earlier */\n",
             (long long)(endless ? INT64_MAX : p->steps), (long long)all,
             (long long)g->code->step.count, g->whole != NULL, g->code->time > 0,
             endless && ir_waits_for_time(g->code), number_of(g, TIME_TOLERANCE));
    text_add(t, "#define UNSOLVABLE(p) %s\n", g->whole ? "PROGRAM_unsolvable(p)" : "0");
    add_heading("headers of npy files", t);
    text_add(t, "\nenum { NPY_HEADER = 256 };\n");
    add_own(program_npy_header, t);
    add_heading("decimals", t);
    text_add(t, "\n#define text_add fprintf\ntypedef FILE text;\n");
    add_own(program_decimal_text, t);
    text_add(t, "\n%s", program_output);
    add_heading("observers", t);
    /* One record for each measure, then one for each sample. */
    text_add(t, "\nenum { RECORDS = %lld };\nstatic table record[RECORDS + 1] = {\n",
             (long long)g->code->measures.count + g->samples);
    for (int64_t n = 0; n < g->code->measures.count; n++)
        TRY(add_record(g, g->code->measures.item[n].statement, NULL, t));
    EACH_STATEMENT(s, g->program)
        if (sample_is_whole(s))
            TRY(add_record(g, s, points_of(g, s), t));
    text_add(t, "    {0},\n};\n");
    add_observers(g, t);
    text_add(t, "\n");
    add_part(g, program_main, t);
    return PAV_OK;
}

/* ---- the header -------------------------------------------------------------------- */

extern const char program_header[];

pav_status add_header(const generation *g, text *t)
{
    text_add(t,
             "/* " LICENCE " */\n/* PROGRAM.h, written by Pavior: %s"
             " as a library. One program may have several runs. */\n"
             "#ifndef PROGRAM_H\n#define PROGRAM_H\n\n#include <stdint.h>\n\n"
             "#ifdef __cplusplus\nextern \"C\" {\n#endif\n\n",
             comment_of(g, program_file_name(g->program->name)));
    if (g->gpu)
        text_add(t,
                 "enum { PROGRAM_PARTS = %d }; /* parts of the grid, one for each device "
                 "*/\n\n",
                 g->parts);
    add_part(g, program_header, t);
    text_add(t, "\n/* Numbers of fields, for PROGRAM_field. */\nenum {\n");
    for (int64_t f = 0; f < g->code->fields; f++)
        if (g->code->field[f].symbol)
            text_add(t, "    PROGRAM_FIELD_%s = %lld,\n",
                     identifier_of(g, g->code->field[f].name), (long long)f);
    text_add(t,
             "    PROGRAM_FIELDS_END\n};\n\n/* Numbers of measures and conditions, for "
             "PROGRAM_number. */\nenum {\n");
    for (int n = 0; n < EVENT_GROUPS; n++)
        for (int64_t k = 0; k < g->group[n].list->count; k++)
            text_add(t, "    %s, /* %s */\n", event_name(g, &g->group[n], k),
                     comment_of(g, g->group[n].list->item[k].text));
    text_add(t, "    PROGRAM_NUMBERS_END\n};\n\n/* Numbers of samples, for "
                "PROGRAM_sample. */\nenum {\n");
    long long sample = 0;
    EACH_STATEMENT(s, g->program)
        if (sample_is_whole(s)) {
            const int64_t count = points_of(g, s)->count * int_most(s->columns, 1);
            text_add(t, "    PROGRAM_SAMPLE_%lld, /* %lld value%s */\n", sample++,
                     (long long)count, count == 1 ? "" : "s");
        }
    text_add(t, "    PROGRAM_SAMPLES_END\n};\n");
    if (g->whole)
        text_add(t, "\n/* 1 if the solved equation has no solution. */\n"
                    "int PROGRAM_unsolvable(const PROGRAM_run *p);\n");
    if (g->solution)
        text_add(t,
                 "\n/* Solves for the given fields and numbers, from step 0. It returns "
                 "1 if the\n * residual is small enough, else 0. */\n"
                 "double *PROGRAM_numbers(PROGRAM_run *p);\n"
                 "int PROGRAM_solve(PROGRAM_run *p);\n");
    if (g->solution && g->gpu)
        text_add(t, "/* The present values of a field on the GPU. */\n"
                    "PROGRAM_view PROGRAM_there(const PROGRAM_run *p, int field);\n");
    text_add(t, "\n#ifdef __cplusplus\n}\n#endif\n\n#endif\n");
    return PAV_OK;
}

/* ---- building ---------------------------------------------------------------------- */

#define FIXED "FIXED = -std=gnu11 -ffp-contract=off -fno-math-errno -fno-trapping-math\n"

static const char makefile[] =
    "# " LICENCE
    "\n# Written by Pavior. make: builds PROGRAM. The values do not depend on the\n"
    "# processor, the compiler or -O, but on FIXED: it forbids compilers to round\n"
    "# in any other way than the source.\n"
    "CC ?= cc\n"
    "ifeq ($(filter x86_64 i%86,$(shell uname -m)),)\n"
    "NATIVE = -mcpu=native\n"
    "else\n"
    "NATIVE = -march=native -mprefer-vector-width=512\n"
    "endif\n"
    "CFLAGS ?= -O3 $(NATIVE) -Wall -Wextra\n" FIXED "\n"
    "SOURCES = main.c PROGRAM.c";

static const char rules_of_make[] =
    "\nOBJECTS = $(SOURCES:.c=.o)\n\n"
    "PROGRAM: $(OBJECTS)\n"
    "\t$(CC) $(CFLAGS) -o $@ $(OBJECTS) -pthread -lm\n\n"
    "%.o: %.c PROGRAM.h\n"
    "\t$(CC) $(CFLAGS) $(FIXED) -pthread -c -o $@ $<\n\n"
    "clean:\n\trm -f PROGRAM $(OBJECTS)\n\n.PHONY: clean\n";

static const char cuda_makefile[] =
    "# " LICENCE
    "\n# Written by Pavior. make: builds PROGRAM for the GPU of this machine; make "
    "ARCH=sm_90:\n"
    "# for another GPU. The values do not depend on -O, but on FIXED and ROUNDED, which\n"
    "# forbid compilers to round in any other way than the source.\n"
    "CC ?= cc\nNVCC ?= nvcc\nARCH ?= native\n"
    "ifeq ($(filter x86_64 i%86,$(shell uname -m)),)\n"
    "NATIVE = -mcpu=native\nelse\nNATIVE = -march=native\nendif\n"
    "CFLAGS ?= -O3 $(NATIVE) -Wall -Wextra\n"
    "NVCCFLAGS ?= -O3 -Xcompiler -Wall,-Wextra\n" FIXED
    "ROUNDED = -std=c++17 -fmad=false -prec-div=true -prec-sqrt=true -ftz=false\n\n"
    "SOURCES = PROGRAM.c";

static const char cuda_rules_of_make[] =
    "\nOBJECTS = main.o $(SOURCES:.c=.o) $(SOURCES:.c=-cuda.o)\n\n"
    "PROGRAM: $(OBJECTS)\n"
    "\t$(NVCC) -arch=$(ARCH) -o $@ $(OBJECTS) -lpthread -lm\n\n"
    "%-cuda.o: %.cu PROGRAM.h PROGRAM_gpu.h\n"
    "\t$(NVCC) -arch=$(ARCH) $(NVCCFLAGS) $(ROUNDED) -c -o $@ $<\n\n"
    "%.o: %.c PROGRAM.h PROGRAM_gpu.h\n"
    "\t$(CC) $(CFLAGS) $(FIXED) -pthread -c -o $@ $<\n\n"
    "all: PROGRAM\n\nclean:\n\trm -f PROGRAM $(OBJECTS)\n\n.PHONY: all clean\n";

static const char cmake_lists[] =
    "# " LICENCE "\n# Written by Pavior. cmake -B build && cmake --build build\n"
    "cmake_minimum_required(VERSION 3.10)\n"
    "project(PROGRAM C)\n"
    "if(NOT CMAKE_BUILD_TYPE)\n  set(CMAKE_BUILD_TYPE Release)\nendif()\n"
    "find_package(Threads REQUIRED)\n"
    "add_executable(PROGRAM main.c PROGRAM.c";

static const char rules_of_cmake[] =
    ")\nset_target_properties(PROGRAM PROPERTIES C_STANDARD 11 C_EXTENSIONS ON)\n"
    "target_link_libraries(PROGRAM PRIVATE Threads::Threads m)\n"
    "if(CMAKE_SYSTEM_PROCESSOR MATCHES \"x86|AMD64|i.86\")\n"
    "  target_compile_options(PROGRAM PRIVATE -march=native)\n"
    "else()\n"
    "  target_compile_options(PROGRAM PRIVATE -mcpu=native)\n"
    "endif()\n"
    "# Compilers must round like the source.\n"
    "target_compile_options(PROGRAM PRIVATE -ffp-contract=off\n"
    "  -fno-math-errno -fno-trapping-math)\n";

static const char cuda_cmake_lists[] =
    "# " LICENCE "\n# Written by Pavior. cmake -B build && cmake --build build\n"
    "# For the GPU of this machine, by CMake 3.24 and newer; for another GPU:\n"
    "# cmake -B build -DCMAKE_CUDA_ARCHITECTURES=90\n"
    "cmake_minimum_required(VERSION 3.18)\n"
    "if(NOT DEFINED CMAKE_CUDA_ARCHITECTURES)\n"
    "  set(CMAKE_CUDA_ARCHITECTURES native)\nendif()\n"
    "project(PROGRAM C CUDA)\n"
    "if(NOT CMAKE_BUILD_TYPE)\n  set(CMAKE_BUILD_TYPE Release)\nendif()\n"
    "find_package(Threads REQUIRED)\n"
    "set(SOURCES PROGRAM.c";

static const char cuda_rules_of_cmake[] =
    ")\nstring(REPLACE \".c\" \".cu\" KERNELS \"${SOURCES}\")\n"
    "add_executable(PROGRAM main.c ${SOURCES} ${KERNELS})\n"
    "set_target_properties(PROGRAM PROPERTIES C_STANDARD 11 C_EXTENSIONS ON\n"
    "  CUDA_STANDARD 17)\n"
    "target_link_libraries(PROGRAM PRIVATE Threads::Threads m)\n"
    "# Compilers must round like the source.\n"
    "target_compile_options(PROGRAM PRIVATE\n"
    "  "
    "\"$<$<COMPILE_LANGUAGE:C>:-ffp-contract=off;-fno-math-errno;-fno-trapping-math>"
    "\"\n"
    "  \"$<$<COMPILE_LANGUAGE:CUDA>:-fmad=false;-prec-div=true;-prec-sqrt=true;-ftz="
    "false>\")\n";

/* The rules follow the list of sources, because the folder may hold solvers of an older
 * program. */
static pav_status add_build(const generation *g, const char *const *start,
                            const char *const *rules, text *t)
{
    text_add(t, "%s", start[g->gpu]);
    for (int64_t n = 1; n <= g->solvers; n++)
        text_add(t, " PROGRAM_solve%lld.c", (long long)n);
    text_add(t, "%s", rules[g->gpu]);
    return PAV_OK;
}

pav_status add_makefile(const generation *g, text *t)
{
    return add_build(g, (const char *const[]){makefile, cuda_makefile},
                     (const char *const[]){rules_of_make, cuda_rules_of_make}, t);
}

pav_status add_cmake(const generation *g, text *t)
{
    return add_build(g, (const char *const[]){cmake_lists, cuda_cmake_lists},
                     (const char *const[]){rules_of_cmake, cuda_rules_of_cmake}, t);
}

/* ---- README ------------------------------------------------------------------------ */

static const char needs[] =
    "It needs a C compiler (gcc or clang), make and POSIX threads, and nothing of "
    "Pavior. Its\nvalues have the bits of `pavior run`, for any number of threads.\n\n"
    "    make\n    ./PROGRAM --steps 100 --threads 4 --out .\n\n"
    "CMake builds it, too: `cmake -B build && cmake --build build`.\n\n";

static const char cuda_needs[] =
    "It needs CUDA (`nvcc`), a C compiler (gcc or clang), make, POSIX threads "
    "and a GPU,\nand nothing of Pavior. Its values have the bits of `pavior run`.\n\n"
    "    make                # for the GPU of this machine; or make ARCH=sm_90\n"
    "    ./PROGRAM --steps 100 --out .\n\n"
    "CMake builds it, too: `cmake -B build && cmake --build build`. `--gpus "
    "0,2` selects\nGPUs by their numbers.\n\n";

static const char exchanges[] =
    ".\nAfter each stage of a step, the parts exchange the planes read by their "
    "neighbours.\n`--shares 1,3,...` gives the relative sizes of the parts. The host "
    "holds the whole\ngrid, a GPU only its part.\n\n";
static const char files[] =
    "* `PROGRAM.c`: fields, kernels, borders, the start and a step\n"
    "* `PROGRAM.h`: the interface, also for other programs\n"
    "* `main.c`: options, the loop over steps, outputs\n";
static const char cuda_files[] =
    "* `PROGRAM.c`: fields, borders, the start on the host, a step as calls "
    "of the GPU\n"
    "* `PROGRAM.cu`: the kernels of the step and their launches\n"
    "* `PROGRAM_gpu.h`: functions of PROGRAM.cu for PROGRAM.c\n"
    "* `PROGRAM.h`: the interface, also for other programs\n"
    "* `main.c`: options, the loop over steps, outputs\n";

pav_status add_readme(const generation *g, text *t)
{
    text_add(t,
             "# PROGRAM\n\nWritten by Pavior %s, a program in %s for `%s`:\n\n    %s\n\n"
             "Its licence is BSD-3-Clause.\n\n%s",
             pav_version(), g->gpu ? "C and CUDA" : "C",
             comment_of(g, program_file_name(g->program->name)),
             g->options->command ? g->options->command : "pav_program_write",
             g->gpu ? cuda_needs : needs);
    for (int n = 0; n < g->parts && g->parts > 1; n++) {
        if (n == 0)
            text_add(t, "The grid is cut across its slowest axis into %d parts, for",
                     g->parts);
        text_add(t, g->gpu_of[n] < 0 ? "%s the processors" : "%s GPU %d", n ? "," : "",
                 g->gpu_of[n]);
    }
    text_add(t, "%s", g->parts > 1 ? exchanges : "");
    text_add(
        t, "The program prints its rate. Outputs are NumPy arrays (`.npy`), also if the "
           "description\nnames another format; samples and measures are `.csv` or "
           "`.npy`.\n\n");
    text_add(t, "%s", g->gpu ? cuda_files : files);
    if (program_reads_files(g))
        text_add(t, "* `PROGRAM-*.npy`: values read at the start, from `.` or "
                    "`--in DIR`\n");
    if (g->solvers > 0)
        text_add(t, "* `PROGRAM_solve1.c`, ...: they solve the equations of a step\n");
    text_add(t, "\n## The description\n\n```pav\n");
    /* transforms and solvers are no words of the language */
    program_print(g->transforms || g->solvers ? g->asked : g->program, t);
    text_add(t, "```\n");
    return PAV_OK;
}
