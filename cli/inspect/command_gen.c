/* SPDX-License-Identifier: BSD-3-Clause */
/* pavior gen: prints the kernel source of a description or the compilers' statistics
 * about it, or writes a stand-alone program. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cli.h"

enum {
    SET,
    DEVICE,
    SCHEDULE,
    SHARES,
    STATS,
    OUT,
    LIBRARY,
    NAME,
    ALLOW_OUTSIDE,
    DESCRIBE,
    NEIGHBOURS,
    WEIGHTS,
    SIZE,
    SPACING,
    PRECISION,
    F,
    F_WEIGHT,
    START,
    BORDER,
    STEPS,
    BLOCK,
    UNKNOWNS,
    RULES
};

static const option_rule rules[RULES] = {
    [SET] = {"set", true, true},
    [DEVICE] = {"device", true, false},
    [SCHEDULE] = {"schedule", true, false},
    [SHARES] = {"shares", true, false},
    [STATS] = {"stats", false, false},
    [OUT] = {"out", true, false},
    [LIBRARY] = {"library", false, false},
    [NAME] = {"name", true, false},
    [ALLOW_OUTSIDE] = {"allow-outside", false, false},
    [DESCRIBE] = {"describe", false, false},
    [NEIGHBOURS] = {"neighbours", true, false},
    [WEIGHTS] = {"weights", true, false},
    [SIZE] = {"size", true, false},
    [SPACING] = {"spacing", true, false},
    [PRECISION] = {"precision", true, false},
    [F] = {"f", true, false},
    [F_WEIGHT] = {"f-weight", true, false},
    [START] = {"start", true, false},
    [BORDER] = {"border", true, false},
    [STEPS] = {"steps", true, false},
    [BLOCK] = {"threads-a-block", true, false},
    [UNKNOWNS] = {"unknowns-a-thread", true, false},
};

/* ---- stencils of options ----------------------------------------------------------- */

/* Builds a description from the stencil options of `pavior gen`: neighbours (relative
 * coordinates with weights), spacing, right side f(x), precision. From there on it is
 * treated like any other description. */

enum { MOST_NEIGHBOURS = 512, LETTERS = 3 };

typedef struct neighbours {
    int dim, count;
    int at[MOST_NEIGHBOURS][LETTERS];
} neighbours;

/* ---- reading ----------------------------------------------------------------------- */

/* Reads the numbers of "-1,0"; returns their count, 0 for none or too many. */
static int read_offsets(const char **at, int offset[LETTERS])
{
    int count = 0;
    for (;;) {
        char *end;
        const long value = strtol(*at, &end, 10);
        if (end == *at || value < -64 || value > 64 || count == LETTERS)
            return 0;
        offset[count++] = (int)value;
        *at = end;
        if (**at != ',')
            return **at == ' ' || !**at ? count : 0;
        (*at)++;
    }
}

static int read_neighbours(const char *text, neighbours *n)
{
    const char *at = text + strspn(text, " ");
    *n = (neighbours){0};
    while (*at && n->count < MOST_NEIGHBOURS) {
        const char *word = at;
        const int dim = read_offsets(&at, n->at[n->count]);
        if (dim == 0 || (n->dim > 0 && dim != n->dim))
            return usage_error(&gen_command,
                               "--neighbours takes relative coordinates, one to three "
                               "whole numbers from -64 to 64 each, as in \"-1,0 1,0 0,-1 "
                               "0,1\", not '%s'",
                               word);
        n->dim = dim;
        n->count++;
        at += strspn(at, " ");
    }
    if (n->count == 0 || *at)
        return usage_error(&gen_command, "--neighbours takes 1 to %d of them",
                           MOST_NEIGHBOURS);
    return EXIT_DONE;
}

static int words_in(const char *text)
{
    int count = 0;
    for (text += strspn(text, " "); *text; text += strspn(text, " ")) {
        text += strcspn(text, " ");
        count++;
    }
    return count;
}

/* ---- writing ----------------------------------------------------------------------- */

static const char *value_of(const options *o, int option, const char *usual)
{
    return o->value[option] ? o->value[option] : usual;
}

/* "200" or "200,100" */
static int put_grid(FILE *to, const options *o, int dim)
{
    const char *at = value_of(o, SIZE, "100"), *spacing = value_of(o, SPACING, "");
    int64_t extent = 0;
    for (int axis = 0; axis < dim; axis++) {
        char word[24];
        snprintf(word, sizeof word, "%.*s", (int)(strcspn(at, ",") % sizeof word), at);
        if ((axis == 0 || *at) && !number_read("size", word, 1, INT64_MAX, &extent))
            return EXIT_USAGE;
        fprintf(to, "%s%c %lld", axis ? ", " : "grid ", "xyz"[axis], (long long)extent);
        at += strcspn(at, ",");
        at += *at == ',';
    }
    if (*at)
        return usage_error(&gen_command, "--size has more numbers than --neighbours");
    fprintf(to, "%s%s\n", *spacing ? " spacing " : "", spacing);
    return EXIT_DONE;
}

static int put_all(FILE *to, const options *o, const neighbours *n)
{
    const char *weight = value_of(o, WEIGHTS, "");
    DO(put_grid(to, o, n->dim));
    fprintf(to, "real %s\nfield u = %s\nu' = ", value_of(o, PRECISION, "f32"),
            value_of(o, START, "0"));
    for (int k = 0; k < n->count; k++) {
        fprintf(to, "%s(", k ? " + " : "");
        weight += strspn(weight, " ");
        if (*weight)
            fprintf(to, "%.*s", (int)strcspn(weight, " "), weight);
        else
            fprintf(to, "1/%d", n->count);
        if (words_in(weight) > 1)
            weight += strcspn(weight, " ");
        fprintf(to, ")*u[");
        for (int axis = 0; axis < n->dim; axis++)
            fprintf(to, "%s%d", axis ? ", " : "", n->at[k][axis]);
        fprintf(to, "]");
    }
    if (o->value[F])
        fprintf(to, " + (%s)*(%s)", value_of(o, F_WEIGHT, "h^2/4"), o->value[F]);
    fprintf(to, "\nborder u = %s\noutput u into \"u.npy\"\nsteps %s\n",
            value_of(o, BORDER, "0"), value_of(o, STEPS, "1000"));
    return EXIT_DONE;
}

static int load_stencil(const options *o, pav_program **program)
{
    const pav_program_options how = {.set = o->set, .name = "stencil"};
    neighbours n;
    size_t length = 0;
    OWNED_BY(close_text) char *text = NULL;
    DO(read_neighbours(o->value[NEIGHBOURS], &n));
    const int weights = o->value[WEIGHTS] ? words_in(o->value[WEIGHTS]) : 1;
    if (weights != 1 && weights != n.count)
        return usage_error(&gen_command,
                           "--weights takes one number, or one for each of the %d "
                           "neighbours, not %d",
                           n.count, weights);
    FILE *to = open_memstream(&text, &length);
    const int code = to ? put_all(to, o, &n) : EXIT_DONE;
    if (!to || fclose(to) != 0)
        return usage_error(&gen_command, "memory ran out");
    DO(code);
    return exit_of(pav_program_parse(text, length, &how, program));
}

/* ---- the command ------------------------------------------------------------------- */

static const option_pair pairs[] = {
    {BLOCK, SCHEDULE, true,
     "--schedule says what --threads-a-block and --unknowns-a-thread say: leave out one"},
    {UNKNOWNS, SCHEDULE, true,
     "--schedule says what --threads-a-block and --unknowns-a-thread say: leave out one"},
    {LIBRARY, OUT, false,
     "--library and --name are of programs in a directory of their own: add -o DIR"},
    {NAME, OUT, false,
     "--library and --name are of programs in a directory of their own: add -o DIR"},
    {ALLOW_OUTSIDE, OUT, false,
     "--allow-outside is of programs that write files: add -o DIR, without --library"},
    {ALLOW_OUTSIDE, LIBRARY, true,
     "--allow-outside is of programs that write files: add -o DIR, without --library"},
    {SHARES, OUT, false, "--shares is of programs for several devices: add -o DIR"},
    {STATS, OUT, true, "--stats writes no program: leave out -o"},
    {0, 0, false, NULL},
};

/* The command line to reproduce this output. */
static void put_command(FILE *to, int count, char **word)
{
    fprintf(to, "pavior gen");
    for (int n = 0; n < count; n++)
        shell_word_put(to, word[n]);
}

static void print_command(int count, char **word)
{
    for (int n = 0; n < count; n++)
        for (const char *c = word[n]; *c; c++)
            if ((unsigned char)*c < ' ' || strncmp(c, "*/", 2) == 0)
                return; /* it fits no comment */
    printf("/* ");
    put_command(stdout, count, word);
    printf(" */\n");
}

/* Makes a schedule such as "sweep:threads=32x8,rows=4" from the options for blocks. Below
 * three dimensions a thread updates one point, or sweeps along y over several. */
static const char *schedule_of(const pav_program *program, const options *o,
                               char words[128])
{
    const char *block = o->value[BLOCK], *rows = o->value[UNKNOWNS];
    const bool deep = pav_program_dimensions(program) > 2;
    const bool one = !rows || strcmp(rows, "1") == 0;
    if (!block && !rows)
        return o->value[SCHEDULE];
    if (!deep && one)
        snprintf(words, 128, "point%s%s", block ? ":threads=" : "", block ? block : "");
    else
        snprintf(words, 128, "sweep:%s%s%s%s%s", block ? "threads=" : "",
                 block ? block : "", block && rows ? "," : "",
                 !rows  ? ""
                 : deep ? "rows="
                        : "vector=1,planes=",
                 rows ? rows : "");
    return words;
}

/* In a sweep along y the threads of a block must lie along x. */
static int check_blocks(const pav_program *program, const options *o)
{
    const char *block = o->value[BLOCK], *rows = o->value[UNKNOWNS];
    const int dimensions = pav_program_dimensions(program);
    int64_t count;
    if (rows && !number_read(rules[UNKNOWNS].name, rows, 1, 1 << 20, &count))
        return EXIT_USAGE;
    if (dimensions > 2 || !rows || strcmp(rows, "1") == 0)
        return EXIT_DONE;
    if (dimensions == 1)
        return usage_error(&gen_command,
                           "--unknowns-a-thread %s: in one dimension a thread has one",
                           rows);
    return !block || !strchr(block, 'x') || strcmp(strchr(block, 'x'), "x1") == 0
               ? EXIT_DONE
               : usage_error(&gen_command,
                             "--threads-a-block %s: in two dimensions threads that have "
                             "%s unknowns each lie along x: give one number, as in 128",
                             block, rows);
}

static int write_program(const pav_program *program, const options *o)
{
    OWNED_BY(close_text) char *written = NULL;
    size_t length = 0;
    FILE *to = open_memstream(&written, &length);
    if (!to)
        return usage_error(&gen_command, "memory ran out");
    put_command(to, o->words, o->word);
    fclose(to);
    char words[128];
    const pav_write_options how = {.device = o->value[DEVICE],
                                   .schedule = schedule_of(program, o, words),
                                   .name = o->value[NAME],
                                   .command = written,
                                   .shares = o->value[SHARES],
                                   .library = o->value[LIBRARY] != NULL,
                                   .allow_outside = o->value[ALLOW_OUTSIDE] != NULL};
    DO(exit_of(pav_program_write(program, &how, o->value[OUT])));
    printf("wrote %s: %s\n", o->value[OUT],
           how.library ? "the header there says how to call it"
                       : "README.md there says how to build it");
    return EXIT_DONE;
}

static int print(const pav_program *program, const options *o)
{
    char words[128], *text = NULL;
    const char *const name = schedule_of(program, o, words);
    const pav_status status = o->value[DESCRIBE] ? pav_program_print(program, &text)
                              : o->value[STATS]
                                  ? pav_program_stats(program, name, &text)
                                  : pav_program_generate(program, o->value[DEVICE], name,
                                                         &text);
    if (status == PAV_OK && !o->value[STATS] && !o->value[DESCRIBE])
        print_command(o->words, o->word);
    return print_text(status, &text);
}

/* Options of a stencil need --neighbours and exclude FILE. Options of blocks need a
 * GPU. */
static int check_stencil(const options *o)
{
    for (int n = DESCRIBE; n <= STEPS; n++)
        if (o->value[n] && !o->value[NEIGHBOURS])
            return usage_error(&gen_command,
                               "--%s is of a stencil given by options: add --neighbours",
                               rules[n].name);
    if (o->value[NEIGHBOURS] && o->plain_count > 0)
        return usage_error(&gen_command,
                           "--neighbours gives the stencil in place of %s: leave out one",
                           o->plain[0]);
    if ((o->value[BLOCK] || o->value[UNKNOWNS]) &&
        (!o->value[DEVICE] || !strstr(o->value[DEVICE], "cuda")))
        return usage_error(&gen_command, "--%s is of kernels for GPUs: add --device cuda",
                           rules[o->value[BLOCK] ? BLOCK : UNKNOWNS].name);
    return o->value[NEIGHBOURS] ? EXIT_DONE : need_description(o);
}

static int gen(const options *o)
{
    OWNED_BY(close_program) pav_program *program = NULL;
    DO(check_stencil(o));
    if (o->value[STATS] && (!o->value[DEVICE] || strcmp(o->value[DEVICE], "cuda") != 0))
        return usage_error(&gen_command,
                           "--stats is of kernels for GPUs of three architectures, "
                           "whichever are here: add --device cuda");
    DO(options_check(o, pairs));
    DO(o->value[NEIGHBOURS] ? load_stencil(o, &program)
                            : load_program(o->plain[0], o->set, &program));
    DO(check_blocks(program, o));
    return o->value[OUT] && !o->value[DESCRIBE] ? write_program(program, o)
                                                : print(program, o);
}

const command gen_command = {
    .name = "gen",
    .arguments = "[FILE]",
    .about = "write a stand-alone program, or print the C or CUDA of a description",
    .help =
        "FILE is a description, a catalogue word (see `pavior catalogue`), or - for\n"
        "standard input. Its kernels are printed. With -o a complete program is\n"
        "written instead; it needs nothing of Pavior.\n"
        "\n"
        "  -o, --out DIR     write a program: source, Makefile, CMakeLists.txt and\n"
        "                    README, in C, or with --device cuda in C and CUDA\n"
        "  --library         of this program, write only a header and a source, to\n"
        "                    link into another program\n"
        "  --name NAME       name of the program (the description's name)\n"
        "  --allow-outside   allow output paths of the program outside of its --out:\n"
        "                    absolute paths and `..`\n"
        "  --set NAME=VALUE  set a param or scalar; may be repeated\n"
        "  --device NAME     target: cpu, cuda (the same as cuda:N and emulated) or\n"
        "                    auto, the device of `pavior run` (cpu); with -o also\n"
        "                    several GPUs (cuda:0-1), and GPUs with processors\n"
        "                    (cpu+cuda)\n"
        "  --shares A,B      shares of the grid for these devices (by their memory\n"
        "                    rates)\n"
        "  --schedule NAME   with -o, for processors: rows, blocks or time:depth=8,\n"
        "                    like `pavior run` (tuned in the program's first steps);\n"
        "                    for cuda: point, sweep, two-pass, time or persistent\n"
        "                    (for an H200), with settings such as sweep:shared,rows=2\n"
        "                    (docs/gpu.md; the default of each stage)\n"
        "  --stats           instead of the text, print bytes and operations a point\n"
        "                    of the kernels, and registers, spills and shared memory\n"
        "                    for sm_75, sm_80, sm_90, sm_100; needs --device cuda and\n"
        "                    NVRTC, but no GPU\n"
        "\n"
        "Options may give a stencil instead of FILE:\n"
        "  --neighbours LIST  relative coordinates: \"-1,0 1,0 0,-1 0,1\"\n"
        "  --weights LIST    a weight for each neighbour, or one for all (1 over\n"
        "                    their number)\n"
        "  --size N,N,N      points along each axis; the last also for further axes\n"
        "                    (100)\n"
        "  --precision TYPE  f32 or f64 (f32)\n"
        "  --spacing H       distance between points, `h` in other options (1)\n"
        "  --f EXPR          right side f(x), added after multiplication by\n"
        "                    --f-weight (h^2/4)\n"
        "  --start EXPR, --border EXPR, --steps N  (0, 0, 1000)\n"
        "  --threads-a-block AxB, --unknowns-a-thread N  for kernels of cuda, also\n"
        "                    with -o\n"
        "  --describe        print this stencil as a description for `pavior run`;\n"
        "                    that command has options for --device cuda, cpu+cuda and\n"
        "                    --weights\n"
        "\n"
        "  pavior gen --neighbours \"-1,0 1,0 0,-1 0,1\" --size 400 --f 1 -o jacobi\n"
        "  pavior gen examples/heat/heat3d.pav -o heat && make -C heat && heat/heat3d\n"
        "  pavior gen examples/heat/heat3d.pav --device cuda -o fast && make -C fast\n"
        "  pavior gen examples/heat/heat3d.pav\n"
        "  pavior gen examples/heat/heat3d.pav --device cuda\n",
    .rule = rules,
    .rules = RULES,
    .work = gen,
};
