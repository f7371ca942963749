/* SPDX-License-Identifier: BSD-3-Clause */
/* pavior run: loads a description, takes its steps and reports progress and results. */
#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cli.h"

/* ---- help -------------------------------------------------------------------------- */

/* Text of `pavior help run`: the options, ways to stop a run, and its requirements. */

const char run_help[] =
    "FILE is a description, a catalogue word (see `pavior catalogue`), or - for\n"
    "standard input.\n"
    "\n"
    "  --set NAME=VALUE  set a param or scalar; may be repeated\n"
    "  --steps N         take N steps instead of the description's `steps`\n"
    "  --device NAME     device of the run; `pavior doctor` lists them; auto: the\n"
    "                    best\n"
    "  --threads N       threads of the device cpu ($PAV_THREADS, or all\n"
    "                    available processors)\n"
    "  --bind NAME       cores: bind each thread to a processor; none: bind none;\n"
    "                    auto (default): bind if the run has all processors for\n"
    "                    itself\n"
    "  --subdomains N    divide the grid into N boxes, or into AxBxC along the\n"
    "                    axes; boxes exchange halos, and results are bitwise\n"
    "                    identical\n"
    "  --exchange-every N  exchange halos every N steps (chosen by a model)\n"
    "  --weights A,B     shares of the grid for the devices of a list, such as\n"
    "                    --device cpu+cuda or cuda:0-3 (in proportion to their\n"
    "                    speed)\n"
    "  --device-memory N  limit of device memory, such as 3GiB; a larger grid is\n"
    "                    computed out of core: its planes visit the device in\n"
    "                    turn\n"
    "  --out-of-core M   method out of core: auto, naive, ..., with settings such\n"
    "                    as auto:steps=8 (docs/out-of-core.md)\n"
    "  --host-memory N   limit of the host's memory; a larger grid lies in files\n"
    "                    on disk\n"
    "  --disk DIR,DIR    directories of these files, one for each disk\n"
    "  --timeline FILE   write a timeline of a run out of core for\n"
    "                    chrome://tracing\n"
    "  --schedule NAME   on cpu: rows, blocks or time, with settings such as\n"
    "                    time:diamond,depth=16; on GPUs: point, sweep, two-pass,\n"
    "                    time or persistent, such as sweep:shared,rows=2\n"
    "                    (docs/gpu.md); auto (default): the schedule known to\n"
    "                    wisdom, else the fastest in the first steps. An\n"
    "                    impossible schedule is refused\n"
    "  --wisdom-only     refuse a run unknown to wisdom (`pavior tune`)\n"
    "  --no-wisdom       neither use wisdom nor add to it, like PAV_WISDOM=none\n"
    "  --out DIR         directory of the output files; made if missing\n"
    "  --allow-outside   allow output paths outside of DIR: absolute paths and\n"
    "                    `..`\n"
    "  --no-files        write no output files\n"
    "  --no-stamp        leave version, machine, compiler, settings and date out of\n"
    "                    output files, to compare them by cmp\n"
    "  --check-nan N     look for NaN every N steps (2 % of the time); never: do\n"
    "                    not look\n"
    "  --checkpoint FILE  write checkpoints, so that a later run can continue;\n"
    "                    the previous checkpoint stays as FILE.old\n"
    "  --every N         steps, or time, between checkpoints: 90s, 10min, 2h\n"
    "                    (10min)\n"
    "  --restart FILE    continue from a checkpoint; results are bitwise\n"
    "                    identical to those of an unbroken run\n"
    "  --time-limit TIME  stop in time to write due files and the checkpoint.\n"
    "                    TIME counts from the start: 90s, 10min, 2h, 02:00:00 or\n"
    "                    1-12:00:00\n"
    "  --verify [N]      before the run, compare N steps (10) with the\n"
    "                    interpreter, bit for bit\n"
    "  --copy-rate       measure the copy bandwidth of this machine for the\n"
    "                    summary; runs of 20 s and more always measure it\n"
    "  --require-cached  compile nothing, like $PAV_REQUIRE_CACHED=1: refuse the\n"
    "                    run if a kernel is not in the cache\n"
    "  --early N         steps of the interpreter while kernels for processors are\n"
    "                    compiled (as many as it can); 0: wait for the kernels.\n"
    "                    The bits are the same\n"
    "  --bundle FILE     take the kernels from a file of `pavior compile -o\n"
    "                    FILE`: no compiler is needed. A bundle is code and runs\n"
    "                    as you, so take none from strangers\n"
    "  --force           begin even if the run needs more memory than is\n"
    "                    available\n";

const char run_help_more[] =
    "  --shots LIST      a survey: one run for each shot of a list. The list has\n"
    "                    a line of names (params of FILE) and a line of values\n"
    "                    for each shot. Shots write into DIR/shot-0001, ..., and\n"
    "                    DIR/recorded.csv lists their files for `pavior migrate`.\n"
    "                    After a stop, the same command runs the missing shots.\n"
    "                    The devices of a list, or the ranks of mpirun, share the\n"
    "                    shots\n"
    "  --together N      compute N shots as one run if they differ only in\n"
    "                    positions; auto: as many as fill the device; 1: one\n"
    "  --at-once N       runs at the same time on each device (1)\n"
    "  --convergence FILE  draw the residuals of an equation over the steps: .svg\n"
    "                    or .png\n"
    "  --view            serve a page about the run on 127.0.0.1: live pictures,\n"
    "                    curves, and buttons to pause, step and stop\n"
    "  --report FILE     write the summary as JSON, with status and message; as one\n"
    "                    page with pictures and curves if FILE ends in .html\n"
    "  --json            print the summary as JSON, also if the run fails\n"
    "  --quiet           print no live line, notes or summary, only warnings\n"
    "\n"
    "Ctrl-C, SIGTERM, SIGHUP, SIGUSR1, SIGUSR2 and SIGXCPU stop a run after the\n"
    "present step: due files and the checkpoint are written. If the checkpoint\n"
    "holds the last step, the exit code is 75, and the command to continue is\n"
    "printed.\n"
    "\n"
    "The device cpu needs a C compiler: $PAV_CC, or the first of cc, gcc and\n"
    "clang. A compilation takes at most $PAV_CC_SECONDS (300). Kernels are kept\n"
    "in $PAV_CACHE or ~/.cache/pavior, at most $PAV_CACHE_SIZE (256M).\n"
    "$PAV_DEVICE names the default device. The device cuda (cuda:1: the second\n"
    "GPU) needs NVIDIA's driver and NVRTC ($PAV_NVRTC).\n"
    "\n"
    "  pavior run heat3d.pav --set n=256 --steps 500\n"
    "  pavior run heat3d.pav --checkpoint heat.checkpoint --restart heat.checkpoint\n"
    "  pavior run shot.pav --shots shots.csv --out survey\n"
    "  mpirun -n 4 pavior run heat3d.pav    # MPI: one subdomain for each rank\n";

/* ---- the command to continue ------------------------------------------------------- */

/* Prints the command to continue a stopped run: the original command with --restart. */

static const char plain_letters[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz"
                                    "0123456789_-+=:,./@%^";

void shell_word_put(FILE *out, const char *word)
{
    if (*word && strspn(word, plain_letters) == strlen(word)) {
        fprintf(out, " %s", word);
        return;
    }
    fputs(" '", out);
    for (; *word; word++)
        if (*word == '\'')
            fputs("'\\''", out);
        else
            fputc(*word, out);
    fputc('\'', out);
}

/* Number of arguments to skip from here: --restart and --verify belong only to the start
 * of a run. */
static int words_to_skip(const char *word, const char *next)
{
    if (strcmp(word, "--restart") == 0)
        return 2;
    if (strcmp(word, "--verify") == 0)
        return next && number_follows(next) ? 2 : 1;
    return strncmp(word, "--restart=", 10) == 0 || strncmp(word, "--verify=", 9) == 0;
}

static void go_on_print(int count, char **word, const char *checkpoint)
{
    bool ended = false; /* arguments after "--" are not options */
    fprintf(stderr, "go on with: pavior run --restart");
    shell_word_put(stderr, checkpoint);
    for (int at = 0; at < count; at++) {
        const char *next = at + 1 < count ? word[at + 1] : NULL;
        const int skipped = ended ? 0 : words_to_skip(word[at], next);
        ended = ended || strcmp(word[at], "--") == 0;
        if (skipped == 0)
            shell_word_put(stderr, word[at]);
        at += skipped > 1 ? 1 : 0;
    }
    fprintf(stderr, "\n");
}

/* ---- the figure of residuals ------------------------------------------------------- */

/* run --convergence FILE: draws the residuals of an equation over the steps. */

static pav_status draw(const char *path, const pav_run *run, int64_t count, double *value)
{
    const int64_t steps = pav_run_step(run), gaps = count - 1;
    const int64_t every = gaps > 0 ? (steps + gaps - 1) / gaps : 1;
    double *at = value + count;
    char said[128];
    pav_run_residuals(run, value, count);
    for (int64_t k = 0; k < count; k++) /* looks are evenly spaced, except the last */
        at[k] = (double)(k * every < steps ? k * every : steps);
    (void)snprintf(said, sizeof said, "%lld steps, mean factor %.3g a step",
                   (long long)steps,
                   pow(value[count - 1] / value[0], 1 / fmax((double)steps, 1)));
    const pav_figure_series series = {.x = at, .y = value, .count = count};
    const pav_figure figure = {.kind = PAV_FIGURE_LINES,
                               .title = "Residual of the equation",
                               .subtitle = said,
                               .axis_name = {"step", "norm"},
                               .logarithmic = {0, 1},
                               .series = &series,
                               .series_count = 1};
    return pav_figure_write(path, &figure);
}

static int convergence_draw(const char *path, const pav_run *run)
{
    const int64_t count = pav_run_residuals(run, NULL, 0);
    if (count < 1)
        return complain(
            PAV_EINVAL,
            "--convergence draws the residuals of an equation to solve, and this "
            "description has no such equation outside its steps");
    OWNED_BY(close_numbers) double *value = calloc(2 * (size_t)count, sizeof *value);
    if (!value)
        return complain(PAV_ENOMEM, "memory ran out for a figure of %lld residuals",
                        (long long)count);
    return exit_of(draw(path, run, count, value));
}

/* ---- the command ------------------------------------------------------------------- */

enum {
    SET,
    STEPS,
    DEVICE,
    OUT,
    WATCH,
    REPORT,
    JSON,
    QUIET,
    NO_FILES,
    THREADS,
    BIND,
    SCHEDULE,
    SUBDOMAINS,
    EXCHANGE,
    WEIGHTS,
    DEVICE_MEMORY,
    OUT_OF_CORE,
    HOST_MEMORY,
    DISK,
    TIMELINE,
    CHECKPOINT,
    EVERY,
    RESTART,
    LIMIT,
    VERIFY,
    COPY_RATE,
    FORCE,
    ALLOW_OUTSIDE,
    NO_STAMP,
    REQUIRE_CACHED,
    BUNDLE,
    WISDOM_ONLY,
    NO_WISDOM,
    CONVERGENCE,
    SHOTS,
    AT_ONCE,
    TOGETHER,
    EARLY,
    VIEW,
    RULES
};

static const option_rule rules[RULES] = {
    [SET] = {"set", true, true},
    [STEPS] = {"steps", true, false},
    [DEVICE] = {"device", true, false},
    [OUT] = {"out", true, false},
    [WATCH] = {"check-nan", true, false},
    [REPORT] = {"report", true, false},
    [JSON] = {"json", false, false},
    [QUIET] = {"quiet", false, false},
    [NO_FILES] = {"no-files", false, false},
    [THREADS] = {"threads", true, false},
    [BIND] = {"bind", true, false},
    [SCHEDULE] = {"schedule", true, false},
    [SUBDOMAINS] = {"subdomains", true, false},
    [EXCHANGE] = {"exchange-every", true, false},
    [WEIGHTS] = {"weights", true, false},
    [DEVICE_MEMORY] = {"device-memory", true, false},
    [OUT_OF_CORE] = {"out-of-core", true, false},
    [HOST_MEMORY] = {"host-memory", true, false},
    [DISK] = {"disk", true, false},
    [TIMELINE] = {"timeline", true, false},
    [CHECKPOINT] = {"checkpoint", true, false},
    [EVERY] = {"every", true, false},
    [RESTART] = {"restart", true, false},
    [LIMIT] = {"time-limit", true, false},
    [VERIFY] = {"verify", MAY_BE_BARE, false},
    [COPY_RATE] = {"copy-rate", false, false},
    [FORCE] = {"force", false, false},
    [ALLOW_OUTSIDE] = {"allow-outside", false, false},
    [NO_STAMP] = {"no-stamp", false, false},
    [REQUIRE_CACHED] = {"require-cached", false, false},
    [BUNDLE] = {"bundle", true, false},
    [WISDOM_ONLY] = {"wisdom-only", false, false},
    [NO_WISDOM] = {"no-wisdom", false, false},
    [CONVERGENCE] = {"convergence", true, false},
    [SHOTS] = {"shots", true, false},
    [AT_ONCE] = {"at-once", true, false},
    [TOGETHER] = {"together", true, false},
    [EARLY] = {"early", true, false},
    [VIEW] = {"view", false, false},
};

/* Number of steps, or a time: 90s, 10min, 2h. */
static int read_every(const char *value, pav_run_options *run)
{
    char *end;
    if (duration_read(value, &run->checkpoint_seconds))
        return EXIT_DONE;
    errno = 0;
    run->checkpoint_every = strtoll(value, &end, 10);
    if (errno == 0 && end != value && *end == '\0' && run->checkpoint_every > 0)
        return EXIT_DONE;
    return complain(
        PAV_EINVAL,
        "pavior: --every takes a whole number of steps, such as 1000, or a time, such "
        "as 90s, 10min or 2h, not '%s'",
        value);
}

static int read_numbers(const options *o, pav_run_options *run)
{
    const char *limit = o->value[LIMIT], *watch = o->value[WATCH];
    DO(run_options_read(o, run));
    if (limit && !duration_read(limit, &run->time_limit))
        return complain(
            PAV_EINVAL,
            "pavior: --time-limit takes a time, such as 02:00:00, 1-12:00:00, 90s, "
            "10min or 2h, not '%s'",
            limit);
    if (o->value[EVERY])
        DO(read_every(o->value[EVERY], run));
    if (watch && strcmp(watch, "never") == 0)
        run->nan_check_every = -1;
    else if (watch &&
             !number_read("check-nan", watch, 1, INT64_MAX, &run->nan_check_every))
        return EXIT_USAGE;
    return EXIT_DONE;
}

/* Prints a remedy for an interrupted run: the command to continue, or the option for
 * checkpoints. */
static void report_remedy(const pav_run *run, pav_status status, const options *o)
{
    const bool outside = status == PAV_EINTERRUPTED || status == PAV_EIO ||
                         status == PAV_EFULL || status == PAV_ENOMEM ||
                         status == PAV_EDEVICE;
    const char *path = pav_run_checkpointed(run, NULL);
    if (path && outside)
        go_on_print(o->words, o->word, path);
    else if (status == PAV_EINTERRUPTED)
        fprintf(stderr,
                "with --checkpoint FILE a run that is stopped can be gone on with "
                "later\n");
}

static pav_status verify(const pav_program *program, const options *o,
                         const pav_run_options *wanted, pav_device *device, live *l)
{
    OWNED_BY(close_text) char *said = NULL;
    if (!o->value[VERIFY])
        return PAV_OK;
    const int64_t steps = strtoll(o->value[VERIFY], NULL, 10); /* 0: the default */
    const pav_status status = pav_run_verify(program, device, wanted, steps, &said);
    live_close(l);
    if (said && !o->value[QUIET])
        fputs(said, stderr);
    return status;
}

/* If the run itself writes a file with the report's name, the failure must not be
 * reported into that file either. */
static pav_status open_run(const pav_program *program, const options *o,
                           const pav_run_options *wanted, live *l, pav_device **device,
                           pav_run **run, double *opening)
{
    pav_run_options options_of = *wanted;
    const char *name = o->value[DEVICE] ? o->value[DEVICE]
                       : wanted->bundle ? pav_bundle_device(wanted->bundle)
                                        : "auto";
    options_of.listener = live_listen;
    options_of.user = l;
    TRY(pav_ranks_device(wanted->ranks, name, device));
    TRY(verify(program, o, &options_of, *device, l));
    *opening = seconds_now();
    TRY(pav_run_open(program, *device, &options_of, run));
    const pav_status named = o->value[REPORT] ? pav_run_check_name(*run, o->value[REPORT])
                                              : PAV_OK;
    if (named != PAV_OK)
        o->value[REPORT] = NULL;
    return named;
}

/* The page of --view; a report as a page has its pictures and curves, too. */
static int open_view(const options *o, const pav_run_options *wanted, view **watched)
{
    const bool serves = o->value[VIEW] != NULL, reports = is_page(o->value[REPORT]);
    if (!serves && !reports)
        return EXIT_DONE;
    if (serves && wanted->ranks)
        return usage_error(&run_command,
                           "--view shows the run of one process, and this "
                           "run has %d ranks: leave out --view",
                           pav_ranks_count(wanted->ranks));
    if (wanted->ranks) /* a picture needs all ranks at once */
        return EXIT_DONE;
    *watched = view_open(o->plain[0], serves, reports);
    if (*watched)
        return EXIT_DONE;
    return LATE(PAV_EIO, "the page of --view cannot be served on 127.0.0.1: %s",
                strerror(errno));
}

/* Opens a run and takes its steps. Prints a summary even after a failure, to report the
 * completed steps; an invalid description (PAV_EINVAL, for example without `steps`) has
 * none. */
CLOSES(close_bundle, pav_bundle, pav_bundle_free)

static int print_summary(pav_run *run, pav_status status, const char *message,
                         const summary_options *wanted)
{
    OWNED_BY(close_text) char *json = NULL;
    char *text = NULL;
    int code = EXIT_DONE;
    if (run && !wanted->json && !wanted->quiet) {
        code = print_text(pav_run_report(run, 0, &text), &text);
        printf("command      %.3g s in all, %.3g s of them before the run opened\n",
               seconds_now() - command_began, wanted->opening - command_began);
    }
    if (!wanted->json && !wanted->path)
        return code;
    DO(exit_of(run ? pav_run_report(run, 1, &json) : PAV_OK));
    const int put = summary_put(json, status, message, wanted);
    return code != EXIT_DONE ? code : put;
}

static int with_program(const pav_program *program, const options *o,
                        pav_run_options *wanted, bool *opened)
{
    summary_options summary = {.json = o->value[JSON] != NULL,
                               .quiet = o->value[QUIET] != NULL,
                               .path = o->value[REPORT]};
    OWNED_BY(close_bundle) pav_bundle *bundle = NULL;
    OWNED_BY(close_device) pav_device *device = NULL;
    OWNED_BY(close_run) pav_run *run = NULL;
    OWNED_BY(close_view) view *watched = NULL;
    int64_t step;
    live l;
    if (o->value[BUNDLE])
        DO(exit_of(pav_bundle_open(o->value[BUNDLE], &bundle)));
    wanted->bundle = bundle;
    live_open(&l, o->value[QUIET] != NULL);
    DO(open_view(o, wanted, &watched));
    l.view = watched;
    summary.view = watched;
    interrupt_listen();
    pav_status status = open_run(program, o, wanted, &l, &device, &run, &summary.opening);
    *opened = status == PAV_OK;
    live_close(&l); /* erases the set-up line */
    DO(exit_of(status));
    if (watched)
        view_attach(watched, run);
    status = pav_run_finish(run);
    OWNED_BY(close_text) char *why = status == PAV_OK ? NULL : strdup(pav_message());
    if (watched)
        view_end(watched, status == PAV_OK);
    live_close(&l);
    int code = print_summary(status == PAV_EINVAL ? NULL : run, status, why ? why : "",
                             &summary);
    if (o->value[CONVERGENCE] && code == EXIT_DONE)
        code = convergence_draw(o->value[CONVERGENCE], run);
    if (status != PAV_OK)
        complain(status, "%s", why ? why : pav_status_text(status));
    report_remedy(run, status, o);
    /* a later run can continue from the last step */
    const bool goes_on = status == PAV_EINTERRUPTED && pav_run_checkpointed(run, &step) &&
                         step == pav_run_step(run);
    return status == PAV_OK       ? code
           : status == PAV_EINVAL ? EXIT_USAGE
           : goes_on              ? EXIT_GO_ON
                                  : EXIT_RUN_FAILED;
}

/* Options without meaning for this kind of run are refused, not ignored. */
static int check_taken(const options *o, const int *taken, size_t count, const char *what)
{
    for (int k = 0; k < RULES; k++) {
        bool known = o->value[k] == NULL;
        for (size_t n = 0; n < count; n++)
            known = known || taken[n] == k;
        if (!known)
            return usage_error(&run_command, "--%s is of %s", rules[k].name, what);
    }
    return EXIT_DONE;
}

static int with_shots(const pav_program *program, const options *o,
                      const pav_run_options *run)
{
    static const int taken[] = {SET,      STEPS,  DEVICE,   OUT,     JSON,
                                QUIET,    SHOTS,  SCHEDULE, THREADS, AT_ONCE,
                                TOGETHER, REPORT, NO_STAMP};
    shots_run_words w = {.device = o->value[DEVICE] ? o->value[DEVICE] : "auto",
                         .summary = {.quiet = o->value[QUIET] != NULL,
                                     .json = o->value[JSON] != NULL,
                                     .path = o->value[REPORT]},
                         .options = {.shots = o->value[SHOTS],
                                     .directory = run->directory,
                                     .steps = run->steps,
                                     .threads = run->threads,
                                     .schedule = run->schedule,
                                     .no_stamp = run->no_stamp,
                                     .ranks = run->ranks}};

    DO(check_taken(o, taken, sizeof taken / sizeof *taken,
                   "single runs, and --shots takes many"));
    DO(shots_read(o->value[AT_ONCE], o->value[TOGETHER], &w.options));
    interrupt_listen();
    return run_shots(program, &w);
}

static int run_mesh(const pav_program *program, const mesh_run_words *w)
{
    OWNED_BY(close_device) pav_device *device = NULL;
    OWNED_BY(close_mesh_run) pav_mesh_run *run = NULL;

    DO(exit_of(pav_device_open(w->device, &device)));
    DO(exit_of(pav_mesh_run_open(program, device, &w->options, &run)));
    /* The report is printed even if an expectation fails, with the failure after it. With
     * --json it is printed after every failure. */
    const pav_status status = pav_mesh_run_finish(run);
    if (status != PAV_OK && status != PAV_EEXPECT && !w->json)
        return fail_with(status);
    const int failed = exit_of(status);
    char *said = NULL;
    const int code = w->quiet && !w->json
                         ? EXIT_DONE
                         : print_text(pav_mesh_run_report(run, w->json, &said), &said);
    return failed != EXIT_DONE ? failed : code;
}

static int with_mesh(const pav_program *program, const options *o, int threads)
{
    static const int taken[] = {SET,      DEVICE,  OUT,           JSON,    QUIET,
                                NO_FILES, THREADS, ALLOW_OUTSIDE, NO_STAMP};
    const mesh_run_words w = {
        .device = o->value[DEVICE] ? o->value[DEVICE] : "auto",
        .quiet = o->value[QUIET] != NULL,
        .json = o->value[JSON] != NULL,
        .options = {.directory = o->value[OUT],
                    .threads = threads,
                    .no_files = o->value[NO_FILES] != NULL,
                    .allow_outside = o->value[ALLOW_OUTSIDE] != NULL,
                    .no_stamp = o->value[NO_STAMP] != NULL}};

    DO(check_taken(o, taken, sizeof taken / sizeof *taken,
                   "runs on a grid, and this description is on a mesh"));
    return run_mesh(program, &w);
}

static int run_options(const options *o, pav_ranks *ranks, bool *opened)
{
    pav_run_options options_of = {.report_seconds = 0.2,
                                  .timeline = o->value[TIMELINE],
                                  .restart = o->value[RESTART],
                                  .copy_rate = o->value[COPY_RATE] != NULL,
                                  .force = o->value[FORCE] != NULL,
                                  .ranks = ranks};
    OWNED_BY(close_program) pav_program *program = NULL;
    DO(need_description(o));
    DO(read_numbers(o, &options_of));
    if (ranks && strcmp(o->plain[0], "-") == 0)
        return usage_error(&run_command,
                           "ranks cannot share standard input: name a file");
    DO(load_only(o, &program));
    const bool on_mesh = pav_program_on_mesh(program);
    if (ranks && on_mesh)
        return usage_error(&run_command,
                           "%s is on a mesh, which ranks cannot share: start one process",
                           o->plain[0]);
    if (o->value[SHOTS]) {
        const int code = with_shots(program, o, &options_of);
        *opened = code == EXIT_DONE;
        return code;
    }
    if (!on_mesh && (o->value[AT_ONCE] || o->value[TOGETHER]))
        return usage_error(&run_command, "--%s is of many shots: --shots LIST is needed",
                           rules[o->value[AT_ONCE] ? AT_ONCE : TOGETHER].name);
    *opened = on_mesh;
    if (on_mesh)
        return with_mesh(program, o, options_of.threads);
    if (o->value[REQUIRE_CACHED])
        setenv("PAV_REQUIRE_CACHED", "1", 1);
    return with_program(program, o, &options_of, opened);
}

static int prepare(int count, char **word, options *o, pav_ranks **ranks)
{
    DO(options_read(&run_command, count, word, o));
    DO(ranks_begin(ranks));
    if (pav_ranks_number(*ranks) > 0)
        o->value[REPORT] = NULL; /* only the first rank writes the report */
    /* If the report cannot be written, --report is dropped: the error must not be written
     * there. */
    const int code = o->value[REPORT] ? summary_check(o->value[REPORT]) : EXIT_DONE;
    if (code != EXIT_DONE)
        o->value[REPORT] = NULL;
    return code != EXIT_DONE || !o->value[CONVERGENCE]
               ? code
               : exit_of(pav_figure_write(o->value[CONVERGENCE], NULL));
}

static int run(int count, char **word)
{
    OWNED_BY(options_free) options o;
    bool opened = false;
    pav_ranks *ranks = NULL;
    int code = prepare(count, word, &o, &ranks);
    if (code == EXIT_DONE)
        code = run_options(&o, ranks, &opened);
    if (!opened) {
        /* Reports a failure before a run was opened. The arguments are searched for
         * --json, because parsing may have stopped before it. */
        summary_options wanted = {.path = o.value ? o.value[REPORT] : NULL};
        pav_status status;
        const char *why = complaint(&status);
        for (int k = 0; k < count; k++)
            wanted.json = wanted.json || strcmp(word[k], "--json") == 0;
        print_summary(NULL, status, why, &wanted);
    }
    ranks_end(ranks, code);
    return code;
}

const command run_command = {
    .name = "run",
    .arguments = "FILE",
    .about = "run a description",
    .help = run_help,
    .more = run_help_more,
    .rule = rules,
    .rules = RULES,
    .run = run,
};
