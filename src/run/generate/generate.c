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

/* ---- devices ----------------------------------------------------------------------- */

static pav_status not_for(const char *device)
{
    return FAIL(PAV_EUNSUPPORTED,
                "stand-alone programs are written for --device cpu, cuda, several GPUs "
                "(cuda:0-1, cuda:0,2) and processors beside GPUs (cpu+cuda), not for %s; "
                "`pavior run` takes more",
                device);
}

static pav_status add_number_of(generation *g, const char *device, long number)
{
    enum { MOST_NUMBER = 1023 };

    if (number > MOST_NUMBER)
        return not_for(device);
    if (g->parts == MOST_PARTS)
        return FAIL(PAV_ELIMIT, "'%s' names more than %d devices", device, MOST_PARTS);
    g->gpu = true;
    g->gpu_of[g->parts++] = (int)number;
    return PAV_OK;
}

/* Adds the GPUs of "0-1", "0,2" or "3", up to `end`. */
static pav_status add_numbers_of(generation *g, const char *device, const char *at,
                                 const char *end)
{
    while (at < end) {
        char *behind;
        if (!strchr("0123456789", *at))
            return not_for(device);
        const long from = strtol(at, &behind, 10);
        long to = from;
        if (*behind == '-' && behind[1] && strchr("0123456789", behind[1]))
            to = strtol(behind + 1, &behind, 10);
        if (to < from || behind > end || (behind < end && *behind != ','))
            return not_for(device);
        for (long n = from; n <= to; n++)
            TRY(add_number_of(g, device, n));
        at = behind + (*behind == ',');
        if (*behind == ',' && at >= end)
            return not_for(device);
    }
    return PAV_OK;
}

/* Adds one device of a list such as "cpu+cuda:0". */
static pav_status add_word(generation *g, const char *device, const char *word,
                           size_t length, int *processors)
{
    if (length == 3 && strncmp(word, "cpu", length) == 0 && g->parts < MOST_PARTS &&
        !(*processors)++) {
        g->gpu_of[g->parts++] = -1;
        return PAV_OK;
    }
    if (length < 4 || strncmp(word, "cuda", 4) != 0)
        return not_for(device);
    if (length == 4)
        return add_number_of(g, device, 0);
    if (word[4] != ':' || length == 5)
        return not_for(device);
    return add_numbers_of(g, device, word + 5, word + length);
}

static pav_status read_shares(generation *g, const char *list)
{
    const char *at = list;

    for (int n = 0; n < g->parts; n++) {
        char *end;
        g->share[n] = strtod(at, &end);
        if (end == at || !(g->share[n] > 0 && g->share[n] < 1e9) ||
            *end != (n + 1 < g->parts ? ',' : '\0'))
            return FAIL(PAV_EINVAL,
                        "'%s' are no shares: give a positive number for each of the %d "
                        "devices, with commas between them, as in 1,3",
                        list, g->parts);
        at = end + 1;
    }
    return PAV_OK;
}

/* Sets `gpu`, `parts`, `gpu_of`, `share`. */
static pav_status find_devices(generation *g)
{
    const char *const device = g->options->device ? g->options->device : "cpu";
    int processors = 0;

    g->parts = 0;
    for (const char *at = device;; at++) {
        const size_t length = strcspn(at, "+");
        TRY(add_word(g, device, at, length, &processors));
        at += length;
        if (!*at)
            break;
    }
    if (g->options->shares && g->parts < 2)
        return FAIL(PAV_EINVAL,
                    "shares are of several devices: add --device cpu+cuda or cuda:0-1, "
                    "or leave out --shares %s",
                    g->options->shares);
    if (g->options->shares)
        return read_shares(g, g->options->shares);
    /* default shares: equal for all GPUs; for the processors, their work during the same
     * time */
    const double processor_share = machine_with_gpu(
        &(cpu_facts){.threads = host_threads()});
    for (int n = 0; n < g->parts; n++)
        g->share[n] = g->gpu_of[n] >= 0 ? 1 : processor_share;
    return PAV_OK;
}

/* ---- what cannot be cut ------------------------------------------------------------ */

/* Fails if the grid cannot be cut into these parts. */
static pav_status refuse_parts(const generation *g)
{
    const ir *code = g->code;
    const int axis = code->dim - 1;
    const int64_t planes = points_along(code, axis, false);
    const int64_t least = subdomain_least_width(code, axis);

    if (g->parts < 2)
        return PAV_OK;
    if (code->dim < 2)
        return FAIL(PAV_EUNSUPPORTED,
                    "%s: a grid of one dimension cannot be shared out by a stand-alone "
                    "program yet: take --device cuda or cpu, or `pavior run --device %s`",
                    g->program->name, g->options->device);
    for (int64_t f = 0; f < code->fields; f++)
        if (code->field[f].extent[axis] != planes)
            return FAIL(PAV_EUNSUPPORTED,
                        "%s: field %s has fewer planes than the grid, which a "
                        "stand-alone program cannot share out yet: take --device cuda "
                        "or cpu, or `pavior run --device %s`",
                        g->program->name, code->field[f].name, g->options->device);
    if (planes / g->parts < least)
        return FAIL(PAV_EUNSUPPORTED,
                    "%s: %lld planes cannot be shared out to %d devices: each needs "
                    "%lld at least, as many as are read beyond its own",
                    g->program->name, (long long)planes, g->parts, (long long)least);
    return PAV_OK;
}

/* ---- files in the way -------------------------------------------------------------- */

enum { HEAD = 1000 }; /* bytes of a generated file with its mark */

static bool is_in_the_way(const char *path)
{
    struct stat about; /* for a link, of its target */

    return lstat(path, &about) == 0;
}

static bool is_generated(const char *path)
{
    char head[HEAD + 1] = "";
    FILE *file = file_oddity(path) ? NULL : fopen(path, "rb");

    if (!file)
        return false;
    head[fread(head, 1, HEAD, file)] = '\0';
    fclose(file);
    return strstr(head, "ritten by Pavior") != NULL;
}

static pav_status refuse_overwriting(const char *path)
{
    return FAIL(PAV_EINVAL,
                "%s is there and was not written by `pavior gen`: give another directory "
                "(-o) or another name (--name), or remove it",
                path);
}

static pav_status check_text(const char *directory, const char *file, const char *ending,
                             bool *there)
{
    text path = {0};

    text_add(&path, "%s/%s%s", directory, file, ending);
    pav_status status = path.failed ? PAV_ENOMEM : PAV_OK;
    *there = status == PAV_OK && is_in_the_way(path.data);
    if (*there && !is_generated(path.data))
        status = refuse_overwriting(path.data);
    text_free(&path);
    return status;
}

/* An array has no mark: it counts as generated if the program's source is next to it. */
static pav_status check_input_file(const generation *g, const char *directory,
                                   int64_t field)
{
    text path = {0};

    add_input_path(g, directory, field, &path);
    pav_status status = path.failed ? PAV_ENOMEM : PAV_OK;
    if (status == PAV_OK && is_in_the_way(path.data))
        status = refuse_overwriting(path.data);
    text_free(&path);
    return status;
}

/* fails if a file in the way was not generated by Pavior. */
static pav_status check_place(const generation *g, const char *directory)
{
    static const char *const others[] = {"main.c", "Makefile", "CMakeLists.txt",
                                         "README.md"};
    const int count = g->options->library ? 0 : (int)(sizeof others / sizeof *others);
    bool again, there;

    TRY(check_text(directory, g->name, ".h", &there));
    TRY(check_text(directory, g->name, ".c", &again));
    if (g->gpu) {
        TRY(check_text(directory, g->name, ".cu", &there));
        TRY(check_text(directory, g->name, "_gpu.h", &there));
    }
    for (int n = 0; n < count; n++)
        TRY(check_text(directory, others[n], "", &there));
    for (int64_t n = 0; n < g->code->start.count && !again; n++)
        if (g->code->start.item[n].kind == START_FILE)
            TRY(check_input_file(g, directory, g->code->start.item[n].field));
    return PAV_OK;
}

/* ---- reasons against a program ----------------------------------------------------- */

static pav_status refuse_statement(const generation *g, const statement *s)
{
    if (s->kind == STATEMENT_INJECT && s->trace)
        return FAIL(PAV_EUNSUPPORTED,
                    "%s:%d: a source with the traces of \"%s\" cannot be written as C "
                    "yet; give its strength as an expression of t",
                    g->program->name, s->at.line, s->trace);
    if (s->kind == STATEMENT_GATHER)
        return FAIL(PAV_EUNSUPPORTED,
                    "%s:%d: a sample of expressions cannot be written as C yet; sample "
                    "the fields, each by a line of its own",
                    g->program->name, s->at.line);
    return PAV_OK;
}

static pav_status refuse_stage(const generation *g, int stage)
{
    const ir_stage *s = &g->code->stage[stage];

    if (emit_has_kernel(s) || ir_is_uniform(s))
        return PAV_OK;
    return FAIL(PAV_ELIMIT,
                "%s: the stage %s has %lld operations, too many for compilers, and is "
                "left to the interpreter: it cannot be written as C",
                g->program->name, s->name ? s->name : "without a name",
                (long long)s->count);
}

/* The border's code is written for level 0 of its field, so it must not name another
 * level. */
static pav_status refuse_border(const generation *g, int stage)
{
    const ir_stage *s = &g->code->stage[stage];
    const int field = g->border[stage];

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

    if (!emit_has_kernel(s) || runs_on_gpu(g, stage))
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
    TRY(refuse_parts(g));
    for (const statement *s = g->program->first; s; s = s->next)
        TRY(refuse_statement(g, s));
    for (int n = 0; n < g->code->stages; n++)
        if (g->used[n]) {
            TRY(refuse_stage(g, n));
            TRY(refuse_border(g, n));
        }
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

static pav_status write_texts(const generation *g, const char *directory, text *source,
                              text *cuda)
{
    text t = {0};

    TRY(check_input_files(g));
    TRY(directory_make(directory));
    TRY(write_named(g, directory, ".c", source));
    add_header(g, &t);
    TRY(write_named(g, directory, ".h", &t));
    if (g->gpu) {
        TRY(write_named(g, directory, ".cu", cuda));
        add_gpu_header(g, &t);
        TRY(write_named(g, directory, "_gpu.h", &t));
    }
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
    TRY(name_fields(g));
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
    for (int64_t f = 0; g.field && f < code->fields; f++)
        text_free(&g.field[f]);
    mem_free(g.field);
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
    TRY(find_devices(&g));
    TRY(check_schedule(&g));
    TRY(solve_derive(&p->tree, &s));
    if (s.count > 0) {
        solution_free(&s);
        return FAIL(PAV_EUNSUPPORTED,
                    "%s solves an equation in each step, which stand-alone programs do "
                    "not do yet: take `pavior run`",
                    p->tree.name);
    }
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
