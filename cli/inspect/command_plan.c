/* SPDX-License-Identifier: BSD-3-Clause */
/* pavior plan: prints the needs of a run and its possible speed, before anything is
 * allocated. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cli.h"

enum {
    SET,
    STEPS,
    DEVICE,
    THREADS,
    BIND,
    SCHEDULE,
    SUBDOMAINS,
    EXCHANGE,
    RANKS,
    WEIGHTS,
    DEVICE_MEMORY,
    OUT_OF_CORE,
    HOST_MEMORY,
    DISK,
    OUT,
    NO_FILES,
    ALLOW_OUTSIDE,
    CHECKPOINT,
    VERIFY,
    WISDOM_ONLY,
    NO_WISDOM,
    RATE,
    SIZES,
    JSON,
    RULES
};

static const option_rule rules[RULES] = {
    [SET] = {"set", true, true},
    [STEPS] = {"steps", true, false},
    [DEVICE] = {"device", true, false},
    [THREADS] = {"threads", true, false},
    [BIND] = {"bind", true, false},
    [SCHEDULE] = {"schedule", true, false},
    [SUBDOMAINS] = {"subdomains", true, false},
    [EXCHANGE] = {"exchange-every", true, false},
    [RANKS] = {"ranks", true, false},
    [WEIGHTS] = {"weights", true, false},
    [DEVICE_MEMORY] = {"device-memory", true, false},
    [OUT_OF_CORE] = {"out-of-core", true, false},
    [HOST_MEMORY] = {"host-memory", true, false},
    [DISK] = {"disk", true, false},
    [OUT] = {"out", true, false},
    [NO_FILES] = {"no-files", false, false},
    [ALLOW_OUTSIDE] = {"allow-outside", false, false},
    [CHECKPOINT] = {"checkpoint", true, false},
    [VERIFY] = {"verify", MAY_BE_BARE, false},
    [WISDOM_ONLY] = {"wisdom-only", false, false},
    [NO_WISDOM] = {"no-wisdom", false, false},
    [RATE] = {"copy-rate", true, false},
    [SIZES] = {"sizes", true, false},
    [JSON] = {"json", false, false},
};

/* ---- several sizes ----------------------------------------------------------------- */

/* plan --sizes: for grids of several sizes, a row with the out-of-core plan, after the
 * table of Jin, Endo and Matsuoka ("A Multi-level Optimization method for Stencil
 * Computation on the Domain that is bigger than Memory Capacity of GPU"). For sizes in
 * that table the row adds the paper's number of sub-domains (NSD) and of temporal steps
 * (TTS): MP-MMTB, 7 points, on a GPU of 3 GB. */

enum { MOST_WORD = 256 };

static const struct paper_row {
    int64_t n;
    int nsd, tts;
} paper[] = {
    {120, 2, 60},   {240, 2, 120},  {480, 2, 240},  {640, 2, 166},
    {690, 3, 230},  {720, 3, 154},  {840, 8, 112},  {1200, 16, 72},
    {1440, 30, 48}, {1680, 48, 34}, {1920, 80, 24}, {2160, 108, 20},
};

/* ---- a description of that size ---------------------------------------------------- */

/* Sets the size: the param n of a file, or the extents of a catalogue word. The words of
 * --set have room for one more. */
static pav_status load_with_n(const options *o, int64_t n, pav_program **program)
{
    char given[MOST_WORD];
    const pav_program_options how = {.set = o->set};
    snprintf(given, sizeof given, "n=%lld", (long long)n);
    o->set[o->set_count] = given;
    const pav_status status = pav_program_load(o->plain[0], &how, program);
    o->set[o->set_count] = NULL;
    return status;
}

static pav_status load(const options *o, int64_t n, pav_program **program)
{
    const pav_program_options how = {.set = o->set};
    const bool is_file = strchr(o->plain[0], '.') || strchr(o->plain[0], '/');
    char word[MOST_WORD];
    pav_status status = PAV_EINVAL;
    for (int dim = 3; dim > 0 && !is_file && status != PAV_OK; dim--) {
        int length = snprintf(word, sizeof word, "%.128s@%lld", o->plain[0],
                              (long long)n);
        for (int axis = 1; axis < dim; axis++)
            length += snprintf(word + length, sizeof word - (size_t)length, "x%lld",
                               (long long)n);
        status = pav_program_load(word, &how, program);
    }
    return status == PAV_OK ? status : load_with_n(o, n, program);
}

/* ---- rows -------------------------------------------------------------------------- */

static void print_row(int64_t n, const char *report)
{
    const char *visits = strstr(report, "\"out_of_core\": {");
    const double seconds = visits ? json_number_of(visits, "predicted_seconds") : 0;
    printf("%6lld ", (long long)n);
    if (visits)
        printf("%8.0f %6.0f %7.0f %7.0f %10.3f", json_number_of(visits, "visits"),
               json_number_of(visits, "steps"), json_number_of(visits, "planes"),
               json_number_of(visits, "window_planes"),
               json_number_of(visits, "device_bytes") / (1 << 30));
    else
        printf("%8s %6s %7s %7s %10s", "in core", "", "", "", "");
    if (seconds > 0)
        printf(" %10.4g", 1e3 * seconds);
    else
        printf(" %10s", "");
    for (size_t k = 0; k < sizeof paper / sizeof *paper; k++)
        if (paper[k].n == n)
            printf(" %9d %5d", paper[k].nsd, paper[k].tts);
    printf("\n");
}

static pav_status row(const options *o, pav_device *device, const pav_run_options *how,
                      double copy_gbytes, int64_t n)
{
    OWNED_BY(close_program) pav_program *program = NULL;
    OWNED_BY(close_plan) pav_plan *plan = NULL;
    OWNED_BY(close_text) char *report = NULL;
    TRY(load(o, n, &program));
    TRY(pav_plan_open(program, device, how, copy_gbytes != 0 ? copy_gbytes : -1, &plan));
    TRY(pav_plan_report(plan, true, &report));
    if (o->value[JSON])
        printf("%s", report);
    else
        print_row(n, report);
    return PAV_OK;
}

/* "120,240,480" */
static int plan_sizes(const options *o, const pav_run_options *wanted, double copy_gbytes)
{
    const bool json = o->value[JSON] != NULL;
    OWNED_BY(close_device) pav_device *device = NULL;
    DO(exit_of(pav_device_open(o->value[DEVICE], &device)));
    if (json)
        printf("[");
    else
        printf("%6s %8s %6s %7s %7s %10s %10s %9s %5s\n", "n", "visits", "steps",
               "planes", "window", "GiB", "ms a step", "paper NSD", "TTS");
    for (const char *at = o->value[SIZES]; *at;) {
        char *end;
        const long long n = strtoll(at, &end, 10);
        if (end == at || n < 1 || n > 1 << 24 || (*end && *end != ',') ||
            (*end == ',' && !end[1]))
            return complain(
                PAV_EINVAL,
                "pavior: --sizes takes numbers of points along an axis, as in "
                "480,960,1920, not '%s'",
                o->value[SIZES]);
        DO(exit_of(row(o, device, wanted, copy_gbytes, n)));
        if (json && *end)
            printf(", ");
        at = *end ? end + 1 : end;
    }
    printf(json ? "]\n" : "");
    return EXIT_DONE;
}

/* ---- the command ------------------------------------------------------------------- */

static int read_numbers(const options *o, pav_run_options *run, double *copy_gbytes)
{
    const char *rate = o->value[RATE];
    DO(run_options_read(o, run));
    run->verify = o->value[VERIFY] != NULL;
    return !rate ? EXIT_DONE
                 : real_read("copy-rate", rate, 1e9, "GB a second, such as 40",
                             copy_gbytes);
}

/* The report is printed before the verdict, even for a refused run: it explains the use
 * of memory. */
static int print_plan(const pav_plan *plan, bool json)
{
    char *text = NULL;
    const int code = print_text(pav_plan_report(plan, json, &text), &text);
    const pav_status verdict = pav_plan_verdict(plan);
    return code != EXIT_DONE || verdict == PAV_OK ? code
                                                  : LATE(verdict, "%s", pav_message());
}

/* The mesh is opened to count its nodes; nothing is solved. */
static int plan_mesh(const pav_program *program, bool json)
{
    OWNED_BY(close_mesh_run) pav_mesh_run *run = NULL;
    char *said = NULL;

    DO(exit_of(pav_mesh_run_open(program, NULL, NULL, &run)));
    return print_text(pav_mesh_run_plan(run, json, &said), &said);
}

static int plan_one(const options *o, const pav_run_options *wanted, double copy_gbytes)
{
    OWNED_BY(close_program) pav_program *program = NULL;
    OWNED_BY(close_device) pav_device *device = NULL;
    OWNED_BY(close_plan) pav_plan *plan = NULL;
    DO(load_program(o->plain[0], o->set, &program));
    if (pav_program_on_mesh(program))
        return plan_mesh(program, o->value[JSON] != NULL);
    DO(exit_of(pav_ranks_device(wanted->ranks, o->value[DEVICE], &device)));
    DO(exit_of(pav_plan_open(program, device, wanted, copy_gbytes, &plan)));
    return print_plan(plan, o->value[JSON] != NULL);
}

/* Ranks from the MPI launcher, or imaginary ranks from --ranks. */
static int assume_ranks(const options *o, pav_ranks **ranks)
{
    char *end = NULL;
    if (!o->value[RANKS])
        return EXIT_DONE;
    const long count = strtol(o->value[RANKS], &end, 10);
    if (*end || end == o->value[RANKS] || count < 1 || count > 1024)
        return usage_error(&plan_command,
                           "--ranks takes a number from 1 to 1024, not '%s'",
                           o->value[RANKS]);
    if (*ranks)
        return usage_error(&plan_command, "--ranks is of one process, and a launcher "
                                          "started several: leave it out");
    return exit_of(pav_ranks_assume((int)count, ranks));
}

/* With several ranks, only the first one prints the plan. */
static int plan(const options *o, pav_ranks **ranks)
{
    bool quiet = false; /* a note says why a schedule is illegal for a stage */
    pav_run_options wanted = {.listener = notes_listen, .user = &quiet};
    double copy_gbytes = 0;
    DO(need_description(o));
    DO(read_numbers(o, &wanted, &copy_gbytes));
    DO(assume_ranks(o, ranks));
    wanted.ranks = *ranks;
    if (*ranks && o->value[SIZES])
        return usage_error(&plan_command, "--sizes is of one process, not of ranks");
    return o->value[SIZES] ? plan_sizes(o, &wanted, copy_gbytes)
                           : plan_one(o, &wanted, copy_gbytes);
}

const command plan_command = {
    .name = "plan",
    .arguments = "FILE",
    .about = "show the memory, files and least time of a run, before it begins",
    .help =
        "FILE is a description, a catalogue word (see `pavior catalogue`), or - for\n"
        "standard input. The plan lists the memory that the run would allocate, with\n"
        "halos and padding, and compares its files with the free space. The time is a\n"
        "lower bound: the bytes that must cross between memory and processors, at\n"
        "this machine's copy bandwidth. Nothing of the grid's size is allocated. For\n"
        "a run that does not fit, the exit code is 1 and the plan names what would\n"
        "fit; `pavior run` refuses such a run, too.\n"
        "\n"
        "  --set NAME=VALUE  set a param or scalar; may be repeated\n"
        "  --steps N         take N steps instead of the description's `steps`\n"
        "  --device NAME     device of the run; `pavior doctor` lists them\n"
        "  --threads N       threads of the device cpu ($PAV_THREADS, or all\n"
        "                    available processors)\n"
        "  --bind NAME       cores, none or auto, like `pavior run`\n"
        "  --subdomains N    divide the grid into N boxes, or into AxBxC along the\n"
        "                    axes; boxes exchange halos, and results are bitwise\n"
        "                    identical\n"
        "  --exchange-every N  exchange halos every N steps (chosen by a model)\n"
        "  --ranks N         plan a run of N processes started by mpirun on this\n"
        "                    machine\n"
        "  --weights A,B     shares of the grid for the devices of a list, such as\n"
        "                    --device cpu+cuda or cuda:0-3 (in proportion to their\n"
        "                    speed)\n"
        "  --device-memory N  limit of device memory, such as 3GiB; a larger grid is\n"
        "                    computed out of core: its planes visit the device in\n"
        "                    turn\n"
        "  --out-of-core M   auto, naive, mm, mmt, mmtb, m-mmtb or mp-mmtb, with\n"
        "                    settings such as auto:steps=8\n"
        "  --host-memory N   limit of the host's memory; a larger grid lies in files\n"
        "                    on disk\n"
        "  --disk DIR,DIR    directories of these files, one for each disk\n"
        "  --sizes N,N       print a table: visits and steps for grids of N points\n"
        "                    along every axis, by a param n of the description or a\n"
        "                    catalogue word\n"
        "  --schedule NAME   on cpu: rows, blocks or time, with settings such as\n"
        "                    time:depth=8,tile=32x4 or time:diamond,depth=16; on\n"
        "                    GPUs: point, sweep, two-pass, time or persistent, such\n"
        "                    as sweep:shared,rows=2 (docs/gpu.md); auto (default):\n"
        "                    all candidates. A schedule refused by a run ends the\n"
        "                    plan\n"
        "  --out DIR         directory of the output files\n"
        "  --no-files        without output files\n"
        "  --allow-outside   of a run with this option of `pavior run`\n"
        "  --checkpoint FILE  with checkpoints in this file\n"
        "  --verify [N]      with the memory of the interpreter's run for `pavior run\n"
        "                    --verify`\n"
        "  --wisdom-only     refuse a run unknown to wisdom\n"
        "  --no-wisdom       plan a run with --no-wisdom\n"
        "  --copy-rate GB/S  assume this copy bandwidth of memory instead of\n"
        "                    measuring it\n"
        "  --json            print one JSON object\n"
        "\n"
        "  pavior plan heat3d.pav --set n=2000\n"
        "  pavior plan heat3d --device-memory 3GiB --sizes 480,960,1920\n"
        "  pavior plan wave3d:order=8@1000x1000x1000/f32 --steps 5000\n",
    .rule = rules,
    .rules = RULES,
    .shared = plan,
};
