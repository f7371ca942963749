/* SPDX-License-Identifier: BSD-3-Clause */
/* Writes a description as a stand-alone program: a folder of C without this library, with
 * bitwise identical results. The program is for processors alone, or for subdomains, each
 * for a GPU or for the processors. All texts are made before any file is written, and no
 * file is overwritten that was not generated. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "run/generate/generate_private.h"

/* ---- CUDA -------------------------------------------------------------------------- */

/* Additional files of a program for a GPU: PROGRAM.cu with the kernels and their
 * launches, and PROGRAM_gpu.h, the interface between it and PROGRAM.c. */

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
            taken = starts(source, "#if ON_GPU")       ? g->gpu
                    : starts(source, "#if ON_CPU")     ? !g->gpu
                    : starts(source, "#if ON_TILES")   ? g->tilings > 0
                    : starts(source, "#if ON_TABLES")  ? g->code->tables > 0
                    : starts(source, "#if ON_SOLVERS") ? g->solvers > 0
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

static pav_status add_gpu_header(const generation *g, text *t)
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
            const char *const name = g->code->stage[n].name;
            text_add(t, "void PROGRAM_gpu_stage_%lld(const PROGRAM_call *c); /* %s */\n",
                     (long long)n, comment_of(g, name ? name : "numbers"));
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
    const ir *code = g->code;

    for (int64_t n = 0; n < g->code->stages; n++)
        of_stage[n] = runs_on_gpu(g, n) ? program_schedule_of(g, n)
                                        : (schedule){.kind = SCHEDULE_NONE};
    open_namespace("kernels", t);
    OWNED_BY(text_free) text source = {0};
    TRY(emit_gpu_source(&code, 1, &list, kernel_head(true), &source));
    add_text(&source, t);
    text_add(t, "} // namespace kernels\n");
    return PAV_OK;
}

static pav_status add_cuda(const generation *g, text *t)
{
    text_add(t,
             "/* " LICENCE " */\n/* PROGRAM.cu, written by Pavior: %s"
             ". Its kernels and their launches. */\n"
             "#include <cuda_runtime.h>\n\n#include <stdint.h>\n"
             "#include <stdio.h>\n#include <stdlib.h>\n#include <string.h>\n\n"
             "#include \"PROGRAM_gpu.h\"\n",
             comment_of(g, program_file_name(g->program->name)));
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

/* ---- devices ----------------------------------------------------------------------- */

static pav_status not_for(const char *device)
{
    return FAIL(PAV_EUNSUPPORTED,
                "stand-alone programs are written for --device cpu, cuda, several GPUs "
                "(cuda:0-1, cuda:0,2) and processors beside GPUs (cpu+cuda), not for %s; "
                "`pavior run` takes more",
                device);
}

/* The first GPU needs no number. Processors are named once, without a number. */
static pav_status add_device(void *user, const char *name, int number)
{
    generation *g = user;
    const bool on_gpu = strcmp(name, "cuda") == 0;
    bool known = on_gpu || (strcmp(name, "cpu") == 0 && number < 0);

    for (int n = 0; n < g->parts && !on_gpu; n++)
        known = known && g->gpu_of[n] >= 0;
    if (!known)
        return not_for(name);
    if (g->parts == MOST_PARTS)
        return FAIL(PAV_ELIMIT, "'%s' names more than %d devices", g->options->device,
                    MOST_PARTS);
    g->gpu = g->gpu || on_gpu;
    g->gpu_of[g->parts++] = on_gpu ? int_most(number, 0) : -1;
    return PAV_OK;
}

/* Sets `gpu`, `parts`, `gpu_of`, `share`. */
static pav_status find_devices(generation *g)
{
    const char *const device = g->options->device ? g->options->device : "cpu";

    const pav_status listed = device_each(device, add_device, g);
    if (listed != PAV_OK)
        return listed == PAV_ELIMIT ? listed : not_for(device);
    if (g->options->shares && g->parts < 2)
        return FAIL(PAV_EINVAL,
                    "shares are of several devices: add --device cpu+cuda or cuda:0-1, "
                    "or leave out --shares %s",
                    g->options->shares);
    if (g->options->shares)
        return shares_read(g->options->shares, g->parts, g->share)
                   ? PAV_OK
                   : FAIL(PAV_EINVAL,
                          "'%s' are no shares: give a positive number for each of the %d "
                          "devices, with commas between them, as in 1,3",
                          g->options->shares, g->parts);
    /* default shares: equal for all GPUs; for the processors, their work during the same
     * time */
    const double processor_share = machine_with_gpu(
        &(cpu_facts){.threads = host_threads()});
    for (int n = 0; n < g->parts; n++)
        g->share[n] = g->gpu_of[n] >= 0 ? 1 : processor_share;
    return PAV_OK;
}

/* ---- reasons against a program ----------------------------------------------------- */

static pav_status refuse_stage(const generation *g, int stage)
{
    const ir_stage *s = &g->code->stage[stage];
    const int field = g->border[stage];

    if (!s->transform && !emit_has_kernel(s) && !ir_is_uniform(s))
        return FAIL(
            PAV_ELIMIT,
            "%s: the stage %s has %lld operations, too many for compilers, and is "
            "left to the interpreter: it cannot be written as C",
            g->program->name, s->name ? s->name : "without a name", (long long)s->count);
    /* The border's code is written for level 0 of its field, so it must not name another
     * level. */
    for (int64_t n = 0; field >= 0 && n < s->count; n++)
        if (s->node[n].op == IR_LOAD && s->node[n].field == field &&
            s->node[n].level != 0)
            return FAIL(PAV_EUNSUPPORTED,
                        "%s: the %s reads another time level of %s, which cannot be "
                        "written as C yet",
                        g->program->name, s->name ? s->name : "border",
                        g->code->field[field].name);
    return PAV_OK;
}

/* Refuses stages of a step on the host, because all fields would be copied from and to
 * the GPU for each of them. A measure may be computed on the host. */
static pav_status refuse_step_stage(const generation *g, int stage)
{
    const ir_stage *s = &g->code->stage[stage];

    if (ir_is_uniform(s) || runs_on_gpu(g, stage))
        return PAV_OK;
    return FAIL(PAV_EUNSUPPORTED,
                "%s: the stage %s has no kernel for GPUs: a program for --device cuda "
                "cannot take it; --device cpu can",
                g->program->name, s->name ? s->name : "without a name");
}

static pav_status refuse_program(const generation *g)
{
    const ir *code = g->code;

    TRY(names_check_inside(g->run));
    /* Fails if the grid cannot be cut into these parts. */
    const int axis = code->dim - 1;
    const int64_t planes = points_along(code, axis, false);
    const int64_t least = subdomain_least_width(code, axis);

    if (g->parts >= 2) {
        if (code->dim < 2)
            return FAIL(
                PAV_EUNSUPPORTED,
                "%s: a grid of one dimension cannot be shared out by a stand-alone "
                "program yet: take --device cuda or cpu, or `pavior run --device %s`",
                g->program->name, g->options->device);
        for (int64_t f = 0; f < code->fields; f++)
            if (code->field[f].extent[axis] != planes)
                return FAIL(PAV_EUNSUPPORTED,
                            "%s: field %s has fewer planes than the grid, and a "
                            "stand-alone program cannot divide it yet: take --device "
                            "cuda or cpu, or `pavior run --device %s`",
                            g->program->name, code->field[f].name, g->options->device);
        for (int64_t n = 0; n < code->step.count; n++)
            if (abs(code->stage[code->step.stage[n]].along) - 1 == axis)
                return FAIL(PAV_EUNSUPPORTED,
                            "%s: an operation goes along %c, and a stand-alone program "
                            "cannot divide this axis yet: take --device cuda or cpu, or "
                            "`pavior run --device %s`",
                            g->program->name, "xyz"[axis], g -> options -> device);
        if (planes / g->parts < least)
            return FAIL(PAV_EUNSUPPORTED,
                        "%s: %lld planes cannot be divided among %d devices: each needs "
                        "at least %lld, the number read beyond its own planes",
                        g->program->name, (long long)planes, g->parts, (long long)least);
    }
    EACH_STATEMENT(s, g->program) {
        if (s->kind == STATEMENT_INJECT && s->trace)
            return FAIL(
                PAV_EUNSUPPORTED,
                "%s:%d: a source with the traces of \"%s\" cannot be written as C "
                "yet; give its strength as an expression of t",
                g->program->name, s->at.line, s->trace);
        if (s->kind == STATEMENT_GATHER)
            return FAIL(
                PAV_EUNSUPPORTED,
                "%s:%d: a sample of expressions or of several values cannot be "
                "written as C yet; sample each field, or component, by a line of its "
                "own",
                g->program->name, s->at.line);
    }
    for (int n = 0; n < g->code->stages; n++)
        if (is_used(g, n))
            TRY(refuse_stage(g, n));
    if (!g->gpu)
        return PAV_OK;
    for (int64_t k = 0; k < code->step.count; k++)
        TRY(refuse_step_stage(g, code->step.stage[k]));
    for (int64_t n = 0; n < code->injections.count; n++)
        for (int64_t k = 0; k < code->injections.item[n].list.count; k++)
            TRY(refuse_step_stage(g, code->injections.item[n].list.stage[k]));
    for (int n = 0; n < code->stages; n++)
        if (g->border[n] >= 0)
            TRY(refuse_step_stage(g, n));
    return PAV_OK;
}

/* ---- files ------------------------------------------------------------------------- */

/* The files of a program, each with the function that writes its text. A name that begins
 * with `.` or `_` follows the name of the program. */
static const struct file_kind {
    const char *name;
    bool on_gpu, in_library; /* it belongs to programs for GPUs only; to libraries, too */
    file_writer *add;
} file_kinds[GENERATED_FILES] = {
    {".h", false, true, add_header},
    {".c", false, true, add_source},
    {".cu", true, true, add_cuda},
    {"_gpu.h", true, true, add_gpu_header},
    {"main.c", false, false, add_main},
    {"Makefile", false, false, add_makefile},
    {"CMakeLists.txt", false, false, add_cmake},
    {"README.md", false, false, add_readme},
};

/* NULL: this program does not have the file. */
static const char *path_of(const generation *g, const struct file_kind *k)
{
    const bool named = k->name[0] == '.' || k->name[0] == '_';

    if ((k->on_gpu && !g->gpu) ||
        ((g->options->library || g->solution) && !k->in_library))
        return NULL;
    return arena_print(g->arena, "%s/%s%s", g->directory, named ? g->name : "", k->name);
}

static bool is_in_the_way(const char *path)
{
    struct stat about; /* for a link, of its target */

    return lstat(path, &about) == 0;
}

static bool is_generated(const char *path)
{
    enum { HEAD = 1000 }; /* bytes of a generated file with its mark */
    char head[HEAD + 1] = "";
    OWNED_BY(stdio_close)
    FILE *const file = file_oddity(path) ? NULL : fopen(path, "rb");

    if (!file)
        return false;
    head[fread(head, 1, HEAD, file)] = '\0';
    return strstr(head, "ritten by Pavior") != NULL;
}

static pav_status refuse_overwriting(const char *path)
{
    return FAIL(PAV_EINVAL,
                "%s is there and was not written by `pavior gen`: give another directory "
                "(-o) or another name (--name), or remove it",
                path);
}

static const char *input_path(const generation *g, int64_t field)
{
    return arena_print(g->arena, "%s/%s-%s.npy", g->directory, g->name,
                       identifier_of(g, g->code->field[field].name));
}

/* Fails if a file in the way was not generated by Pavior. An array has no mark: it counts
 * as generated if the program's source is next to it. */
static pav_status check_place(const generation *g)
{
    bool again = false;

    for (int n = 0; n < GENERATED_FILES; n++) {
        const char *const path = path_of(g, &file_kinds[n]);
        const bool there = path && is_in_the_way(path);
        if (there && !is_generated(path))
            return refuse_overwriting(path);
        again = again || (there && file_kinds[n].add == add_source);
    }
    for (int64_t n = 0; n < g->code->start.count && !again; n++) {
        const ir_start *const s = &g->code->start.item[n];
        if (s->kind == START_FILE && is_in_the_way(input_path(g, s->field)))
            return refuse_overwriting(input_path(g, s->field));
    }
    return PAV_OK;
}

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

/* ---- all of it --------------------------------------------------------------------- */

/* when: g->early or g->later */
static void use_stage(generation *g, bool *when, int stage)
{
    for (; stage >= 0; stage = g->code->stage[stage].before) {
        when[stage] = true;
        g->reductions |= ir_reductions(&g->code->stage[stage]) > 0;
        g->transforms |= g->code->stage[stage].transform != 0;
    }
}

static void use_list(generation *g, const ir_list *list)
{
    for (int64_t n = 0; n < list->count; n++)
        use_stage(g, g->later, list->stage[n]);
}

/* Sets `early`, `later` and `border`. */
static void find_stages(generation *g)
{
    const ir *code = g->code;

    g->border = arena_alloc(g->arena, code->stages + 1, sizeof *g->border);
    g->early = arena_alloc(g->arena, code->stages + 1, sizeof *g->early);
    g->later = arena_alloc(g->arena, code->stages + 1, sizeof *g->later);
    for (int64_t n = 0; n < code->stages; n++)
        g->border[n] = -1;
    for (int64_t n = 0; n < code->start.count; n++)
        if (code->start.item[n].kind == START_STAGE) {
            use_stage(g, g->early, code->start.item[n].stage);
            if (is_shown(g, &code->start.item[n]))
                use_stage(g, g->later, code->start.item[n].stage);
        }
    use_list(g, &code->first);
    use_list(g, &code->step);
    const ir_event_list *const events[] = {&code->injections, &code->measures,
                                           &code->untils, &code->expects};
    for (int k = 0; k < (int)COUNT_OF(events); k++)
        for (int64_t n = 0; n < events[k]->count; n++)
            use_list(g, &events[k]->item[n].list);
    for (int64_t f = 0; f < code->fields; f++)
        for (int n = 0; n < 2 * code->dim; n++) {
            const ir_border *b = &code->field[f].border[n / 2][n % 2];
            for (int k = 0; k < ir_border_stages(b); k++) {
                use_stage(g, g->early, b->stage + k);
                use_stage(g, g->later, b->stage + k);
                g->border[b->stage + k] = (int)f;
            }
        }
}

/* to: NULL: only reads the values. */
static pav_status write_file(const generation *g, int64_t field, const char *to)
{
    const ir_field *f = &g->code->field[field];
    field_shape shape = run_shape_whole(g->code, f);
    OWNED_BY(levels_free) levels l = {0};

    shape.count = 1;
    TRY(levels_new(&shape, NULL, NULL, &l));
    TRY(run_read_file(g->run, f, &l.level[0], NULL));
    return to ? npy_write_view(to, g->code->dim, &l.level[0]) : PAV_OK;
}

/* written: false: only reads all inputs, so a missing one is told before any file is
 * written. */
static pav_status input_files(const generation *g, bool written)
{
    for (const ir_start *s = NULL; (s = ir_next_start(g->code, s));) {
        if (s->kind == START_FILE)
            TRY(write_file(g, s->field, written ? input_path(g, s->field) : NULL));
    }
    return PAV_OK;
}

/* All texts are made, and may fail, before any file is written. */
static pav_status make_texts(generation *g)
{
    const event_group groups[EVENT_GROUPS] = {{&g->code->measures, "MEASURE"},
                                              {&g->code->untils, "UNTIL"},
                                              {&g->code->expects, "EXPECT"}};
    pav_run *const run = arena_alloc(g->arena, 1, sizeof *run);

    *run = (pav_run){
        .program = g->program,
        .code = g->code,
        .options = {.allow_outside = g->options->allow_outside || g->options->library}};
    g->run = run;
    memcpy(g->group, groups, sizeof g->group);
    const char **const name = arena_alloc(g->arena, g->code->fields + 1, sizeof *name);
    for (int64_t f = 0; f < g->code->fields; f++)
        name[f] = arena_print(g->arena, "F%lld_%s", (long long)f,
                              identifier_of(g, g->code->field[f].name));
    g->field = name;
    find_stages(g);
    TRY(refuse_program(g));
    TRY(check_place(g));
    TRY(open_points(g));
    TRY(find_tilings(g));
    for (int n = 0; n < GENERATED_FILES; n++) {
        if (path_of(g, &file_kinds[n]))
            TRY(file_kinds[n].add(g, &g->file[n]));
        if (g->file[n].failed)
            return PAV_ENOMEM;
    }
    return input_files(g, false);
}

static pav_status write_files(const generation *g)
{
    TRY(directory_make(g->directory));
    for (int n = 0; n < GENERATED_FILES; n++) {
        const char *const path = path_of(g, &file_kinds[n]);
        OWNED_BY(text_free) text named = {0};
        if (!path)
            continue;
        name_program(g->file[n].data, g->name, &named);
        TRY(text_write(path, &named));
    }
    return input_files(g, true);
}

static pav_status write_program(generation *g, const solution *all)
{
    TRY(program_name_of(g));
    TRY(open_solvers(g, all));
    TRY(make_texts(g));
    for (int64_t n = 0; n < g->solvers; n++)
        TRY(make_texts(&g->solver[n]));
    for (int64_t n = 0; n < g->solvers; n++)
        TRY(write_files(&g->solver[n]));
    return write_files(g);
}

static void close_program(generation *g)
{
    close_points(g);
    ir_blocking_close(&g->blocking);
    for (int n = 0; n < GENERATED_FILES; n++)
        text_free(&g->file[n]);
    ir_free(g->code);
}

static pav_status write_code(generation *g, const solution *all)
{
    pav_status status;

    g->arena = arena_new();
    ARENA_GUARD(g->arena, status, write_program(g, all));
    for (int64_t n = 0; n < g->solvers; n++)
        close_program(&g->solver[n]);
    close_program(g);
    arena_free(g->arena);
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
                "the schedule %s fuses steps, and stand-alone programs for GPUs cannot "
                "yet: take point, sweep or two-pass, or `pavior run --device cuda`",
                word);
}

pav_status pav_program_write(const pav_program *p, const pav_write_options *options,
                             const char *directory)
{
    GUARDED;
    generation g = {.options = options ? options : &(pav_write_options){0},
                    .directory = directory,
                    .asked = p ? &p->tree : NULL};
    OWNED_BY(solution_free) solution s = {0};
    OWNED_BY(free_code) ir *code = NULL;

    if (!p || !directory || !*directory)
        return FAIL(PAV_EINVAL, "pav_program_write needs a program and a directory");
    TRY(find_devices(&g));
    TRY(check_schedule(&g));
    TRY(solve_derive(&p->tree, &s));
    if (s.count > 0 && g.gpu)
        return FAIL(PAV_EUNSUPPORTED,
                    "%s solves an equation in each step on a GPU, and stand-alone "
                    "programs cannot yet: take --device cpu, or `pavior run`",
                    p->tree.name);
    if (s.program)
        s.program->stand_alone = true;
    g.program = s.program ? s.program : &p->tree;
    g.whole = s.program && s.count == 0 && s.jump == 0 ? &s : NULL;
    TRY(ir_build(g.program, NULL, &code));
    if (g.gpu) {
        TRY(emit_split_stages(code, &g.schedule));
        TRY(emit_check(code, &g.schedule));
    }
    g.code = code;
    code = NULL; /* write_code frees it */
    return write_code(&g, &s);
}
