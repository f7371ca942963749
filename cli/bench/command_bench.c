/* SPDX-License-Identifier: BSD-3-Clause */
/* pavior bench: measures the speed of programs, and the copy bandwidth of this
 * machine. */
#include <fnmatch.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "bench_list.h"

/* ---- lists ------------------------------------------------------------------------- */

/* The lists of the command bench. It refuses an option rather than ignore it, so results
 * never differ from the request. */

static const bench_kind *const kinds[] = {
    &bench_copy,    &bench_stencils, &bench_orders,       &bench_variants,
    &bench_passes,  &bench_transfer, &bench_coefficients, &bench_access,
    &bench_time,    &bench_prism,    &bench_multigrid,    &bench_async,
    &bench_scaling, &bench_hybrid,   &bench_outofcore,    &bench_gradient,
    &bench_rtm,     &bench_auto,     &bench_model};
enum { KINDS = sizeof kinds / sizeof *kinds };

/* The list with this name, or NULL; a part may follow a colon (auto:heat3d). */
static const bench_kind *find_kind(const char *word)
{
    for (int k = 0; k < KINDS; k++)
        if (strcmp(word, kinds[k]->name) == 0)
            return kinds[k];
    return strncmp(word, "auto:", 5) == 0    ? &bench_auto
           : strncmp(word, "model:", 6) == 0 ? &bench_model
                                             : NULL;
}

/* ---- the command ------------------------------------------------------------------- */

enum {
    SET,
    DEVICE,
    THREADS,
    BIND,
    REPETITIONS,
    SMALL,
    COLD,
    SIZES,
    SCHEDULE,
    JSON,
    FIGURE,
    FROM,
    MODEL,
    RULES
};

static const option_rule rules[RULES] = {
    [SET] = {"set", true, true},
    [DEVICE] = {"device", true, false},
    [THREADS] = {"threads", true, false},
    [BIND] = {"bind", true, false},
    [REPETITIONS] = {"repetitions", true, false},
    [SMALL] = {"small", false, false},
    [COLD] = {"cold", false, false},
    [SIZES] = {"sizes", true, false},
    [SCHEDULE] = {"schedule", true, false},
    [JSON] = {"json", false, false},
    [FIGURE] = {"figure", true, false},
    [FROM] = {"from", true, false},
    [MODEL] = {"model", true, false},
};

static const option_target targets[] = {
    {"threads", OPTION_INT, offsetof(pav_bench_options, threads), PAV_MAX_THREADS},
    {"repetitions", OPTION_INT, offsetof(pav_bench_options, repetitions),
     BENCH_MOST_REPETITIONS},
    {"bind", OPTION_WORD, offsetof(pav_bench_options, bind), 0},
    {"schedule", OPTION_WORD, offsetof(pav_bench_options, schedule), 0},
    {NULL, OPTION_WORD, 0, 0},
};

/* ---- programs and sizes ------------------------------------------------------------ */

static void set_default_sizes(bench *b)
{
    static const int64_t usual[] = {192, 256, 384, 512, 768, 1024};
    const bool gpu = bench_on_gpu(b),
               emulated = gpu && !strncmp(pav_device_name(b->device), "em", 2);
    b->sizes = 1;
    b->size[0] = emulated ? 16 : b->small ? 64 : 256;
    if (!gpu || emulated || b->small)
        return;
    memcpy(b->size, usual, sizeof usual);
    b->sizes = sizeof usual / sizeof *usual;
}

/* "192,256" */
static bool read_sizes(bench *b)
{
    char word[32];
    const char *at = b->o->value[SIZES];
    if (!at) {
        set_default_sizes(b);
        return true;
    }
    for (b->sized = true; b->sizes < BENCH_SIZES; at++) {
        const size_t length = strcspn(at, ",");
        snprintf(word, sizeof word, "%.*s", length < sizeof word ? (int)length : 31, at);
        if (!number_read("sizes", word, 1, INT64_MAX, &b->size[b->sizes++]))
            return false;
        at += length;
        if (!*at)
            return true;
    }
    return usage_error(&bench_command, "--sizes takes at most %d numbers", BENCH_SIZES) ==
           EXIT_DONE;
}

static void measure_all(bench *b)
{
    const char *device = pav_device_name(b->device);
    snprintf(b->base, sizeof b->base, "%.*s", (int)strcspn(device, ":"), device);
    if (!read_sizes(b)) {
        b->code = EXIT_USAGE;
        return;
    }
    if (bench_on(b, "emulated"))
        fprintf(stderr, "pavior: rates of the device emulated mean nothing: it is for "
                        "finding mistakes\n");
    for (int k = 0; k < b->o->plain_count && !bench_ended(b); k++) {
        const bench_kind *kind = find_kind(b->o->plain[k]);
        b->list = kind ? kind->name : NULL;
        b->word = b->o->plain[k];
        if (kind && kind->of_gpus && !bench_on_gpu(b))
            b->code = usage_error(&bench_command, "%s %s: --device cuda", b->list,
                                  kind->of_gpus);
        else if (kind)
            kind->run(b);
        else
            bench_word(b, b->word);
    }
    if (bench_ended(b) || b->rows.count > 0)
        return;
    complain(PAV_EINVAL, "nothing was measured");
    b->code = EXIT_RUN_FAILED;
}

static void measure(bench *b)
{
    OWNED_BY(close_device) pav_device *device = NULL;
    b->code = options_store(b->o, targets, &b->how);
    if (bench_ended(b))
        return;
    bench_check(b, pav_device_open(b->o->value[DEVICE], &device));
    b->device = device;
    if (!bench_ended(b))
        measure_all(b);
}

/* ---- from the words of the command ------------------------------------------------- */

static bool is_requested(const options *o, const bench_row *row)
{
    bool named = o->plain_count == 0;
    for (int k = 0; k < o->plain_count && !named; k++) {
        char pattern[BENCH_WORD];
        snprintf(pattern, sizeof pattern, "%s*", o->plain[k]);
        named = strcmp(o->plain[k], row->list) == 0 ||
                fnmatch(pattern, row->problem, 0) == 0;
    }
    return named &&
           (!o->value[SCHEDULE] || strcmp(o->value[SCHEDULE], row->schedule) == 0);
}

/* Rows from an earlier file, all of them or the requested ones. */
static void read_back(bench *b)
{
    bench_rows read = {0};
    b->code = bench_rows_read(b->o->value[FROM], &read);
    for (int k = 0; k < read.count; k++)
        if (is_requested(b->o, &read.row[k]))
            bench_keep(b, read.row[k]);
    if (!bench_ended(b) && b->rows.count == 0) {
        b->code = complain(PAV_EINVAL, "%s: none of its %d rows is like that",
                           b->o->value[FROM], read.count);
    }
    free(read.row);
}

/* --from measures nothing, so options for measurements are refused. */
static int check_from(const options *o)
{
    static const int others[] = {SET,         DEVICE, THREADS, BIND,
                                 REPETITIONS, SMALL,  SIZES,   MODEL};
    for (size_t k = 0; k < sizeof others / sizeof *others; k++)
        if (o->value[others[k]])
            return usage_error(&bench_command, "--%s is of no use with --from",
                               rules[others[k]].name);
    return EXIT_DONE;
}

/* kind NULL: `word` is a program. */
static int check_word(const options *o, const bench_kind *kind, const char *word)
{
    const char *const sizes = o->value[SIZES];
    if (o->value[SCHEDULE] && kind && kind->fixed)
        return usage_error(&bench_command, "%s takes no --schedule: %s", word,
                           kind->fixed);
    if (o->value[MODEL] && kind != &bench_scaling)
        return usage_error(&bench_command, "--model is of scaling, not of %s", word);
    if (o->set_count > 0 && kind && kind->no_program)
        return usage_error(&bench_command,
                           "%s runs no program that --set could change: leave it out",
                           word);
    if (sizes && kind && kind->one_size && strchr(sizes, ','))
        return usage_error(&bench_command,
                           "%s takes one size, not %s: give it one, as in --sizes 256",
                           word, sizes);
    if (o->value[COLD] && kind != &bench_auto)
        return usage_error(&bench_command, "--cold is of auto, not of %s", word);
    if (!kind && (o->value[SMALL] || sizes))
        return usage_error(&bench_command,
                           "--%s is of lists, and '%s' says its grid itself: leave it "
                           "out",
                           sizes ? "sizes" : "small", word);
    return EXIT_DONE;
}

static int check_measured(const options *o)
{
    if (o->plain_count == 0)
        return usage_error(&bench_command,
                           "`copy`, `stencils`, another list or descriptions are needed");
    if (o->value[SMALL] && o->value[SIZES])
        return usage_error(&bench_command,
                           "--small and --sizes both say how large grids are: leave out "
                           "one");
    for (int k = 0; k < o->plain_count; k++)
        DO(check_word(o, find_kind(o->plain[k]), o->plain[k]));
    return EXIT_DONE;
}

/* Link bandwidth in bytes per second, each way, and seconds of a message. */
static bool read_link(const options *o, bench *b)
{
    const char *at = o->value[MODEL];
    char *end = NULL;
    b->link = 0;
    b->message = -1;
    if (!at)
        return true;
    b->link = 1e9 * strtod(at, &end);
    bool good = end != at && b->link > 0 && b->link < 1e15;
    if (good && *end == ',') {
        at = end + 1;
        b->message = 1e-6 * strtod(at, &end);
        good = end != at && b->message >= 0 && b->message < 1;
    }
    if (good && *end == '\0')
        return true;
    return usage_error(&bench_command,
                       "--model takes the GB/s of a link between two devices, not '%s', "
                       "and microseconds of a message, as in --model 450 or 450,20",
                       o->value[MODEL]) == EXIT_DONE;
}

/* Rows measured before a failure are still drawn. */
static int bench_all(const options *o)
{
    const char *figure = o->value[FIGURE], *from = o->value[FROM];
    bench b = {.o = o,
               .small = o->value[SMALL] != NULL,
               .cold = o->value[COLD] != NULL,
               .json = o->value[JSON] != NULL};
    if ((from ? check_from(o) : check_measured(o)) != EXIT_DONE || !read_link(o, &b))
        return EXIT_USAGE;
    DO(exit_of(figure ? pav_figure_write(figure, NULL) : PAV_OK));
    (from ? read_back : measure)(&b);
    if (!b.json)
        bench_model_report(&b.rows);
    if (figure && (b.code == EXIT_DONE || b.rows.count > 0)) {
        const int drawn = bench_draw(figure, &b.rows);
        b.code = b.code == EXIT_DONE ? drawn : b.code;
    }
    free(b.rows.row);
    return b.code;
}

const command bench_command = {
    .name = "bench",
    .arguments = "[WHAT...]",
    .about = "measure the speed of programs, and the copy bandwidth",
    .help =
        "WHAT is a description, a catalogue word or one of these lists:\n"
        "  copy          copies of the device's memory; on GPUs also copies of grids\n"
        "                by kernels, with and without the halos of their tiles\n"
        "  stencils      the usual operators in f32 and f64; on GPUs for all sizes\n"
        "  orders        stars of radius 1 to 8, and wave steps of order 2 to 16\n"
        "  variants      5 and 7 points by all schedules\n"
        "  passes        symmetric operators in one pass and in two passes, on GPUs\n"
        "  time          temporal blocking, by the number of fused steps\n"
        "  transfer      the parts of a run on a GPU: set-up, upload of a field, a\n"
        "                step, download of the field; and the number of steps from\n"
        "                which the GPU is faster than the host\n"
        "  coefficients  7 and 25 points with weights as literals, scalars and fields\n"
        "  access        copies on a GPU: rows that begin within lines of 128 bytes,\n"
        "                and words 1 to 32 words apart\n"
        "  prism         finite elements, stage by stage; rates count cells\n"
        "                (docs/prisms.md)\n"
        "  multigrid     V-cycles in f32, F-cycles and full multigrid in f64,\n"
        "                solutions of Poisson's equation; rates count points of the\n"
        "                finest grid\n"
        "  async         asynchronous relaxation to the error of synchronous steps\n"
        "  scaling       heat3d on 1 to 8 GPUs or subdomains; bound: rate of one\n"
        "                times GPUs\n"
        "  hybrid        heat3d on processors and a GPU; bound: by a model\n"
        "  outofcore     methods out of core; bound: the same steps in core\n"
        "  gradient, rtm  a shot forwards and backwards; bound: its forward steps\n"
        "  auto          runs of 2 s without --schedule; bound: the best known\n"
        "                schedule\n"
        "  model         schedules listed by `pavior plan`; bound: the predicted\n"
        "                rate; --repetitions: schedules of each program (12)\n"
        "\n"
        "Steps are measured in turn with copies of the same device's memory. The\n"
        "bound is the rate at which the program's bytes could be copied. The share of\n"
        "the bound is the median over all repetitions, so it holds even if other\n"
        "programs slow the machine down.\n"
        "\n"
        "Columns: `B a point`: bytes a point that could be copied in the time of a\n"
        "step. `halos`: bytes a point moved by the tiles of a GPU's threads if caches\n"
        "kept nothing from tile to tile; for time blocks, the bytes predicted by the\n"
        "model. `read`: bytes read from memory by the processors' own counters\n"
        "(`pavior doctor` reports if they are readable; for GPUs use\n"
        "tools/gpu-traffic). On a GPU, constants may replace initial values that are\n"
        "slow to compute on the host.\n"
        "\n",
    .more =
        "  --set NAME=VALUE  set a param or scalar; may be repeated\n"
        "  --device NAME     device to measure; `pavior doctor` lists them\n"
        "  --threads N       threads of the host ($PAV_THREADS, or all available\n"
        "                    processors)\n"
        "  --bind NAME       cores, none or auto, like `pavior run`\n"
        "  --schedule NAME   like `pavior run` (on GPUs point, sweep, two-pass, time\n"
        "                    or persistent, with settings such as rows=2); not for\n"
        "                    `copy` and for lists that compare schedules\n"
        "  --repetitions N   repetitions of steps and copies, in turn (9)\n"
        "  --sizes N,N,...   points along each axis of the grids of a list (on GPUs\n"
        "                    192,256,384,512,768,1024); grids too large for the\n"
        "                    memory are skipped; variants, passes, coefficients,\n"
        "                    access and prism take one size\n"
        "  --small           grids of a list that fit in the caches, instead of\n"
        "                    --sizes\n"
        "  --cold            for auto: also runs of three seconds that begin with an\n"
        "                    empty cache of kernels\n"
        "  --model GB/S,US   for scaling: predict up to 10000 devices with links of\n"
        "                    this rate and messages of this time\n"
        "  --json            print a JSON object for each row; null: does not apply\n"
        "  --figure FILE     draw the rates as .png or .svg: as bars, or for several\n"
        "                    sizes as lines\n"
        "  --from FILE       measure nothing, and read the lines of an earlier\n"
        "                    --json; -: standard input. WHAT selects lists or\n"
        "                    beginnings of program names (with * and ?), --schedule\n"
        "                    selects schedules. Of equal rows the last one is drawn\n"
        "\n"
        "  pavior bench heat3d@512x512x512/f32 --threads 1\n"
        "  pavior bench stencils --json >rates.jsonl\n"
        "  pavior bench --from rates.jsonl --figure rates.svg\n"
        "  pavior bench 'star3d:r=?@512' --from rates.jsonl\n",
    .rule = rules,
    .rules = RULES,
    .work = bench_all,
};
