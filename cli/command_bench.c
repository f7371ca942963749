/* SPDX-License-Identifier: BSD-3-Clause */
/* pavior bench: how fast programs run here, beside the rate at which this machine copies memory. */
#include <stdio.h>
#include <string.h>

#include "cli.h"

enum { SET, DEVICE, THREADS, BIND, TURNS, SMALL, JSON, FIGURE, FROM, RULES };

static const option_rule rules[RULES] = {
    [SET] = {"set", true, true},          [DEVICE] = {"device", true, false},
    [THREADS] = {"threads", true, false}, [BIND] = {"bind", true, false},
    [TURNS] = {"turns", true, false},     [SMALL] = {"small", false, false},
    [JSON] = {"json", false, false},      [FIGURE] = {"figure", true, false},
    [FROM] = {"from", true, false},
};

/* Arrays far beyond the caches; --small takes those that fit in them. */
static const struct {
    const char *large, *small;
} stencils[] = {
    {"star3d:r=1@512x512x512", "star3d:r=1@64x64x64"},
    {"heat3d@512x512x512", "heat3d@128x128x128"},
    {"star2d:r=1@8192x8192", "star2d:r=1@1000x1000"},
    {"sym27@512x512x512", "sym27@64x64x64"},
    {"box3d:r=1@512x512x512", "box3d:r=1@64x64x64"},
    {"wave3d:order=8@512x512x512", "wave3d:order=8@64x64x64"},
    {"star3d:r=2@512x512x512", "star3d:r=2@64x64x64"},
    {"star3d:r=3@512x512x512", "star3d:r=3@64x64x64"},
    {"star3d:r=4@512x512x512", "star3d:r=4@64x64x64"},
    {"star3d:r=6@512x512x512", "star3d:r=6@64x64x64"},
    {"grayscott3d@384x384x384", "grayscott3d@64x64x64"},
    {"elastic3d@256x256x256", "elastic3d@48x48x48"},
};
enum { STENCILS = sizeof stencils / sizeof *stencils, WORD = 256 };

typedef struct bench {
    const options *o;
    pav_device *device;
    pav_bench_options how;
    bench_rows rows;
} bench;

/* Rows are printed as they come, and kept for the figure. */
static int tell(bench *b, const bench_row *row)
{
    if (b->o->value[JSON])
        bench_print_json(row);
    else
        bench_print_row(row);
    return bench_rows_add(&b->rows, row) ? EXIT_DONE : EXIT_RUN_FAILED;
}

static int bench_one(bench *b, const char *word)
{
    pav_program *program = NULL;
    pav_bench_result result;
    int code = load_program(word, b->o->set, &program);
    if (code == EXIT_DONE) {
        const pav_status status = pav_bench_program(program, b->device, &b->how, &result);
        if (status == PAV_OK) {
            const bench_row row = bench_row_of(word, b->device, &result);
            code = tell(b, &row);
        } else {
            code = fail_with(status);
        }
    }
    pav_program_free(program);
    return code;
}

static int bench_stencils(bench *b)
{
    static const char *const types[] = {"f32", "f64"};
    int code = EXIT_DONE;
    for (size_t k = 0; k < STENCILS; k++)
        for (size_t type = 0; type < 2 && code == EXIT_DONE; type++) {
            char word[WORD];
            snprintf(word, sizeof word, "%s/%s",
                     b->o->value[SMALL] ? stencils[k].small : stencils[k].large,
                     types[type]);
            code = bench_one(b, word);
        }
    return code;
}

static int bench_copy(bench *b)
{
    pav_bench_result r;
    const pav_status status = pav_bench_copy(&b->how, &r);
    if (status != PAV_OK)
        return fail_with(status);
    const bench_row row = bench_row_of_copy(&r);
    return tell(b, &row);
}

static int bench_word(bench *b, const char *word)
{
    if (strcmp(word, "copy") == 0)
        return bench_copy(b);
    if (strcmp(word, "stencils") == 0)
        return bench_stencils(b);
    return bench_one(b, word);
}

static bool read_count(const options *o, int option, const char *name, int *count)
{
    int64_t number = 0;
    if (!o->value[option])
        return true;
    if (!number_read(name, o->value[option], 1, &number))
        return false;
    *count = number > 9999 ? 9999 : (int)number;
    return true;
}

static int measure(bench *b)
{
    const options *o = b->o;
    if (!read_count(o, THREADS, "threads", &b->how.threads) ||
        !read_count(o, TURNS, "turns", &b->how.turns))
        return EXIT_USAGE;
    const pav_status status = pav_device_open(o->value[DEVICE], &b->device);
    if (status != PAV_OK)
        return fail_with(status);
    if (strcmp(o->plain[0], "copy") != 0 && !o->value[JSON])
        bench_print_head();
    int code = EXIT_DONE;
    for (int k = 0; k < o->plain_count && code == EXIT_DONE; k++)
        code = bench_word(b, o->plain[k]);
    pav_device_free(b->device);
    return code;
}

/* Results that were measured before. */
static int read_back(bench *b)
{
    bench_rows read = {0};
    int code = bench_rows_read(b->o->value[FROM], &read);
    if (code == EXIT_DONE && !b->o->value[JSON])
        bench_print_head();
    for (int k = 0; k < read.count && code == EXIT_DONE; k++)
        code = tell(b, &read.row[k]);
    bench_rows_free(&read);
    return code;
}

/* --from measures nothing, so that nothing may be asked for that measuring needs. */
static int check_from(const options *o)
{
    static const int others[] = {SET, DEVICE, THREADS, BIND, TURNS, SMALL};
    for (size_t k = 0; k < sizeof others / sizeof *others; k++)
        if (o->value[others[k]])
            return usage_error(&bench_command, "--%s is of no use with --from",
                               rules[others[k]].name);
    if (o->plain_count > 0)
        return usage_error(&bench_command, "--from leaves nothing to measure: '%s'",
                           o->plain[0]);
    return EXIT_DONE;
}

/* What was measured is drawn, though something failed behind it. */
static int bench_all(const options *o)
{
    const char *figure = o->value[FIGURE], *from = o->value[FROM];
    bench b = {.o = o, .how.bind = o->value[BIND]};
    if (from && check_from(o) != EXIT_DONE)
        return EXIT_USAGE;
    if (!from && o->plain_count == 0)
        return usage_error(&bench_command,
                           "`copy`, `stencils` or descriptions are needed");
    if (figure && pav_figure_write(figure, NULL) != PAV_OK)
        return fail_with(PAV_EINVAL);
    int code = from ? read_back(&b) : measure(&b);
    if (figure && (code == EXIT_DONE || b.rows.count > 0)) {
        const int drawn = bench_draw(figure, &b.rows);
        code = code == EXIT_DONE ? drawn : code;
    }
    bench_rows_free(&b.rows);
    return code;
}

static int run(int count, char **word)
{
    options o;
    int code = options_read(&bench_command, rules, RULES, count, word, &o);
    if (code == EXIT_DONE)
        code = bench_all(&o);
    options_free(&o);
    return code;
}

const command bench_command = {
    .name = "bench",
    .arguments = "[WHAT...]",
    .about = "measure how fast programs run, beside the rate of copying",
    .help =
        "WHAT is copy (the machine alone), stencils (a list of programs in f32 and "
        "f64),\n"
        "a description or a catalogue word. Each row takes turns with copying,\n"
        "so its share of the bound (the rate at which its bytes could be copied) holds\n"
        "on a machine that others use too.\n"
        "\n"
        "  --set NAME=VALUE  gives a param or scalar another value; may be repeated\n"
        "  --device NAME     where to run; `pavior doctor` lists the devices\n"
        "  --threads N       threads of the host; $PAV_THREADS, or all processors that "
        "it "
        "may use\n"
        "  --bind NAME       cores, none or auto, as of `pavior run`\n"
        "  --turns N         passes of steps and copying in turns (9)\n"
        "  --small           stencils on grids that fit in the caches\n"
        "  --json            a JSON object a line; values that do not apply are null\n"
        "  --figure FILE     draws the rates as bars, into a .png or .svg file\n"
        "  --from FILE       measures nothing: takes the lines that --json printed; - "
        "is\n"
        "                    standard input. Of rows of the same kind the last is drawn\n"
        "\n"
        "  pavior bench copy\n"
        "  pavior bench heat3d@512x512x512/f32 --threads 1\n"
        "  pavior bench stencils --json >rates.jsonl\n"
        "  pavior bench --from rates.jsonl --figure rates.svg\n",
    .run = run,
};
