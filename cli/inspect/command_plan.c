/* SPDX-License-Identifier: BSD-3-Clause */
/* pavior plan: prints the needs of a run and its possible speed, before anything is
 * allocated. */
#include <stdio.h>
#include <stdlib.h>

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

static int read_numbers(const options *o, pav_run_options *run, double *copy_gbytes)
{
    char *end;
    if (!run_options_read(&plan_command, o, run))
        return EXIT_USAGE;
    run->verify = o->value[VERIFY] != NULL;
    if (!o->value[RATE])
        return EXIT_DONE;
    *copy_gbytes = strtod(o->value[RATE], &end);
    if (end != o->value[RATE] && *end == '\0' && *copy_gbytes > 0 && *copy_gbytes < 1e9)
        return EXIT_DONE;
    complain(
        PAV_EINVAL,
        "pavior: --copy-rate takes GB a second, such as 40, not '%s'; without it the "
        "rate is measured",
        o->value[RATE]);
    return EXIT_USAGE;
}

/* Prints notes, for example the reason why a schedule is illegal for a stage. */
static int note(void *user, pav_event event, const pav_progress *progress,
                const char *text)
{
    (void)user;
    (void)progress;
    if (event == PAV_EVENT_WARNING || event == PAV_EVENT_NOTE)
        fprintf(stderr, "%s\n", text);
    return 0;
}

/* The report is printed before the verdict, even for a refused run: it explains the use
 * of memory. */
static int print_plan(const pav_plan *plan, bool json)
{
    char *text = NULL;
    const pav_status status = pav_plan_report(plan, json, &text);
    const int code = print_text(status, text);
    const pav_status verdict = pav_plan_verdict(plan);
    if (code != EXIT_DONE || verdict == PAV_OK)
        return code;
    complain(verdict, "%s", pav_message());
    return EXIT_RUN_FAILED;
}

static int with_program(const pav_program *program, const options *o,
                        const pav_run_options *wanted, double copy_gbytes)
{
    pav_device *device = NULL;
    pav_plan *plan = NULL;
    pav_status status = pav_ranks_device(wanted->ranks, o->value[DEVICE], &device);
    if (status == PAV_OK)
        status = pav_plan_open(program, device, wanted, copy_gbytes, &plan);
    const int code = status == PAV_OK ? print_plan(plan, o->value[JSON] != NULL)
                                      : fail_with(status);
    pav_plan_free(plan);
    pav_device_free(device);
    return code;
}

static int for_sizes(const options *o, const pav_run_options *wanted, double copy_gbytes)
{
    plan_request r = {NULL, wanted, copy_gbytes != 0 ? copy_gbytes : -1};
    const pav_status status = pav_device_open(o->value[DEVICE], &r.device);
    const int code = status == PAV_OK
                         ? plan_sizes(o, &r, o->value[SIZES], o->value[JSON] != NULL)
                         : fail_with(status);
    pav_device_free(r.device);
    return code;
}

static int plan_one(const options *o, const pav_run_options *wanted, double copy_gbytes)
{
    pav_program *program = NULL;
    int code = load_program(o->plain[0], o->set, &program);
    if (code == EXIT_DONE && pav_program_on_mesh(program))
        code = plan_mesh(program, o->value[JSON] != NULL);
    else if (code == EXIT_DONE)
        code = with_program(program, o, wanted, copy_gbytes);
    pav_program_free(program);
    return code;
}

/* Ranks from the MPI launcher, or imaginary ranks from --ranks. */
static int open_ranks(const options *o, pav_ranks **ranks)
{
    char *end = NULL;
    int code = ranks_begin(ranks);
    if (!o->value[RANKS] || code != EXIT_DONE)
        return code;
    const long count = strtol(o->value[RANKS], &end, 10);
    if (*end || end == o->value[RANKS] || count < 1 || count > 1024)
        return usage_error(&plan_command,
                           "--ranks takes a number from 1 to 1024, not '%s'",
                           o->value[RANKS]);
    if (*ranks)
        return usage_error(&plan_command, "--ranks is of one process, and a launcher "
                                          "started several: leave it out");
    const pav_status status = pav_ranks_assume((int)count, ranks);
    return status == PAV_OK ? EXIT_DONE : fail_with(status);
}

/* With several ranks, only the first one prints the plan. */
static int plan(const options *o)
{
    pav_run_options wanted = {.listener = note};
    pav_ranks *ranks = NULL;
    double copy_gbytes = 0;
    if (need_description(&plan_command, o) != EXIT_DONE)
        return EXIT_USAGE;
    if (read_numbers(o, &wanted, &copy_gbytes) != EXIT_DONE)
        return EXIT_USAGE;
    int code = open_ranks(o, &ranks);
    wanted.ranks = ranks;
    if (code == EXIT_DONE && ranks && o->value[SIZES])
        code = usage_error(&plan_command, "--sizes is of one process, not of ranks");
    else if (code == EXIT_DONE)
        code = o->value[SIZES] ? for_sizes(o, &wanted, copy_gbytes)
                               : plan_one(o, &wanted, copy_gbytes);
    ranks_end(ranks, code);
    return code;
}

const command plan_command = {
    .name = "plan",
    .arguments = "FILE",
    .about = "show what a run would need and how fast it can be, before it begins",
    .help =
        "FILE is a description, a catalogue word, or - for standard input. Memory is "
        "what "
        "the\n"
        "run would allocate, with halos and padding; files are counted against what is "
        "free.\n"
        "The time is a bound: bytes that must cross between memory and processors, at "
        "the "
        "rate\n"
        "at which this machine copies. Nothing of the grid's size is allocated. A run "
        "that "
        "does\n"
        "not fit ends with code 1, and says what would fit; `pavior run` refuses it, "
        "too.\n"
        "\n"
        "  --set NAME=VALUE  gives a param or scalar another value; may be repeated\n"
        "  --steps N         in place of the description's `steps`\n"
        "  --device NAME     where it would run; `pavior doctor` lists the devices\n"
        "  --threads N       of the device cpu; $PAV_THREADS, or all processors that it "
        "may use\n"
        "  --bind NAME       cores, none or auto, as of `pavior run`\n"
        "  --subdomains N    the grid in N boxes, or so many along each axis, as in "
        "2x1x2, "
        "which\n"
        "                    exchange halos; bitwise identical\n"
        "  --exchange-every N  exchange halos every N steps (by a model)\n"
        "  --ranks N         as of N processes that mpirun would start on this machine\n"
        "  --weights A,B     of the subdomains that a list of devices gets, such "
        "as\n"
        "                    --device cpu+cuda or cuda:0-3; as fast as each is\n"
        "  --device-memory N\n"
        "                    the most of it, as in 3GiB; a larger grid visits it in "
        "parts\n"
        "  --out-of-core M   auto, naive, mm, mmt, mmtb, m-mmtb or mp-mmtb, as "
        "auto:steps=8\n"
        "  --host-memory N   the same of the host's; larger fields lie in files\n"
        "  --disk DIR        where these are; DIR,DIR: on disks that take turns\n"
        "  --sizes N,N       a table: visits and steps of each grid of N points along "
        "every axis,\n"
        "                    by a param n of the description or a catalogue word\n"
        "  --schedule NAME   of the device cpu: rows, blocks; time: temporal "
        "blocking,\n"
        "                    with settings as in\n"
        "                    time:depth=8,tile=32x4 or time:diamond,depth=16; auto "
        "tries\n"
        "                    all of them; of GPUs:\n"
        "                    point, sweep, two-pass, time, persistent; auto tries "
        "their\n"
        "                    candidates; settings as in sweep:shared,rows=2 or "
        "ghosts=separate\n"
        "                    (docs/gpu.md). One that a run would refuse ends the plan\n"
        "  --out DIR         where outputs would be written\n"
        "  --no-files        without outputs\n"
        "  --allow-outside   of a run that may write by absolute paths and `..`, too\n"
        "  --checkpoint FILE  with checkpoints there\n"
        "  --verify [N]      counting the interpreter's run beside it, as of `pavior "
        "run`\n"
        "  --wisdom-only     refuse a run of which wisdom knows nothing\n"
        "  --no-wisdom       what a run would take that does not ask wisdom\n"
        "  --copy-rate GB/S  of memory, in place of the rate measured now\n"
        "  --json            as one JSON object\n"
        "\n"
        "  pavior plan heat3d.pav --set n=2000\n"
        "  pavior plan heat3d --device-memory 3GiB --sizes 480,960,1920\n"
        "  pavior plan wave3d:order=8@1000x1000x1000/f32 --steps 5000\n",
    .rule = rules,
    .rules = RULES,
    .work = plan,
};
