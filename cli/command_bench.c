/* SPDX-License-Identifier: BSD-3-Clause */
/* pavior bench: how fast programs run here, beside the rate at which this machine copies memory. */
#include <stdio.h>
#include <string.h>

#include "cli.h"

enum { SET, DEVICE, THREADS, BIND, TURNS, SMALL, JSON, RULES };

static const option_rule rules[RULES] = {
    [SET] = {"set", true, true},          [DEVICE] = {"device", true, false},
    [THREADS] = {"threads", true, false}, [BIND] = {"bind", true, false},
    [TURNS] = {"turns", true, false},     [SMALL] = {"small", false, false},
    [JSON] = {"json", false, false},
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
} bench;

static void print_head(const bench *b)
{
    if (!b->o->value[JSON])
        printf("%-34s %7s %9s %9s %7s %12s %7s\n", "program", "threads", "Gpts/s",
               "bound", "share", "ms a step", "spread");
}

static void print_row(const bench *b, const char *word, const pav_bench_result *r)
{
    if (b->o->value[JSON])
        printf(
            "{\"problem\": \"%s\", \"device\": \"%s\", \"threads\": %d, \"gpts\": %.6g, "
            "\"bound_gpts\": %.6g, \"percent\": %.4g, \"bytes_per_point\": %.6g, "
            "\"seconds_min\": %.6g, \"seconds_median\": %.6g, \"spread\": %.4g, "
            "\"copy_gbytes\": %.6g}\n",
            word, pav_device_name(b->device), r->threads, r->gpts, r->bound_gpts,
            100 * r->share, r->bytes_per_point, r->seconds_min, r->seconds_median,
            r->spread, r->copy_bytes_per_second / 1e9);
    else
        printf("%-34s %7d %9.3f %9.3f %6.1f%% %12.4g %6.1f%%\n", word, r->threads,
               r->gpts, r->bound_gpts, 100 * r->share, 1e3 * r->seconds_median,
               100 * r->spread);
    fflush(stdout);
}

static int bench_one(const bench *b, const char *word)
{
    pav_program *program = NULL;
    pav_bench_result result;
    int code = load_program(word, b->o->set, &program);
    if (code == EXIT_DONE) {
        const pav_status status = pav_bench_program(program, b->device, &b->how, &result);
        if (status == PAV_OK)
            print_row(b, word, &result);
        else
            code = fail_with(status);
    }
    pav_program_free(program);
    return code;
}

static int bench_stencils(const bench *b)
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

static int bench_copy(const bench *b)
{
    pav_bench_result r;
    const pav_status status = pav_bench_copy(&b->how, &r);
    if (status != PAV_OK)
        return fail_with(status);
    if (b->o->value[JSON])
        printf("{\"problem\": \"copy\", \"threads\": %d, \"copy_gbytes\": %.6g, "
               "\"spread\": %.4g}\n",
               r.threads, r.copy_bytes_per_second / 1e9, r.spread);
    else
        printf("copy by %d thread%s: %.1f GB/s read and written, spread %.1f%%\n",
               r.threads, r.threads == 1 ? "" : "s", r.copy_bytes_per_second / 1e9,
               100 * r.spread);
    return EXIT_DONE;
}

static int bench_word(const bench *b, const char *word)
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

static int bench_all(const options *o)
{
    bench b = {.o = o, .how.bind = o->value[BIND]};
    if (!read_count(o, THREADS, "threads", &b.how.threads) ||
        !read_count(o, TURNS, "turns", &b.how.turns))
        return EXIT_USAGE;
    if (o->plain_count == 0)
        return usage_error(&bench_command,
                           "`copy`, `stencils` or descriptions are needed");
    const pav_status status = pav_device_open(o->value[DEVICE], &b.device);
    if (status != PAV_OK)
        return fail_with(status);
    if (strcmp(o->plain[0], "copy") != 0)
        print_head(&b);
    int code = EXIT_DONE;
    for (int k = 0; k < o->plain_count && code == EXIT_DONE; k++)
        code = bench_word(&b, o->plain[k]);
    pav_device_free(b.device);
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
    .arguments = "WHAT...",
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
        "  --json            a JSON object a line\n"
        "\n"
        "  pavior bench copy\n"
        "  pavior bench heat3d@512x512x512/f32 --threads 1\n",
    .run = run,
};
