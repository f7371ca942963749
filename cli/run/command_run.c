/* SPDX-License-Identifier: BSD-3-Clause */
/* pavior run: loads a description, takes its steps and reports progress and results. */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cli.h"

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
    DETERMINISTIC,
    FORCE,
    ALLOW_OUTSIDE,
    REQUIRE_CACHED,
    BUNDLE,
    WISDOM_ONLY,
    NO_WISDOM,
    CONVERGENCE,
    SHOTS,
    AT_ONCE,
    TOGETHER,
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
    [DETERMINISTIC] = {"deterministic", false, false},
    [FORCE] = {"force", false, false},
    [ALLOW_OUTSIDE] = {"allow-outside", false, false},
    [REQUIRE_CACHED] = {"require-cached", false, false},
    [BUNDLE] = {"bundle", true, false},
    [WISDOM_ONLY] = {"wisdom-only", false, false},
    [NO_WISDOM] = {"no-wisdom", false, false},
    [CONVERGENCE] = {"convergence", true, false},
    [SHOTS] = {"shots", true, false},
    [AT_ONCE] = {"at-once", true, false},
    [TOGETHER] = {"together", true, false},
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
    complain(
        PAV_EINVAL,
        "pavior: --every takes a whole number of steps, such as 1000, or a time, such "
        "as 90s, 10min or 2h, not '%s'",
        value);
    return EXIT_USAGE;
}

static int read_limit(const char *value, pav_run_options *run)
{
    if (duration_read(value, &run->time_limit))
        return EXIT_DONE;
    complain(
        PAV_EINVAL,
        "pavior: --time-limit takes a time, such as 02:00:00, 1-12:00:00, 90s, 10min or "
        "2h, not '%s'",
        value);
    return EXIT_USAGE;
}

static int read_numbers(const options *o, pav_run_options *run)
{
    if (!run_options_read(&run_command, o, run))
        return EXIT_USAGE;
    if (o->value[LIMIT] && read_limit(o->value[LIMIT], run) != EXIT_DONE)
        return EXIT_USAGE;
    if (o->value[EVERY] && read_every(o->value[EVERY], run) != EXIT_DONE)
        return EXIT_USAGE;
    if (o->value[WATCH] && strcmp(o->value[WATCH], "never") == 0)
        run->nan_check_every = -1;
    else if (o->value[WATCH] && !number_read("check-nan", o->value[WATCH], 1, INT64_MAX,
                                             &run->nan_check_every))
        return EXIT_USAGE;
    return EXIT_DONE;
}

/* True if a later run can continue from the last step. */
static bool is_to_go_on(const pav_run *run, pav_status status)
{
    int64_t step;
    return status == PAV_EINTERRUPTED && pav_run_checkpointed(run, &step) &&
           step == pav_run_step(run);
}

static int exit_code(const pav_run *run, pav_status status, int code)
{
    return status == PAV_OK           ? code
           : status == PAV_EINVAL     ? EXIT_USAGE
           : is_to_go_on(run, status) ? EXIT_GO_ON
                                      : EXIT_RUN_FAILED;
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

/* Prints a summary even after a failure, to report the completed steps. An invalid
 * description (PAV_EINVAL, for example without `steps`) has no completed steps. */
static int take_steps(pav_run *run, live *l, const options *o,
                      const summary_options *wanted)
{
    const pav_status status = pav_run_finish(run);
    char *why = status == PAV_OK ? NULL : strdup(pav_message());
    live_close(l);
    int code = summary_print(status == PAV_EINVAL ? NULL : run, status, why ? why : "",
                             wanted);
    if (o->value[CONVERGENCE] && code == EXIT_DONE)
        code = convergence_draw(o->value[CONVERGENCE], run);
    if (status != PAV_OK)
        complain(status, "%s", why ? why : pav_status_text(status));
    report_remedy(run, status, o);
    free(why);
    return exit_code(run, status, code);
}

static pav_status verify(const pav_program *program, const options *o,
                         const pav_run_options *wanted, pav_device *device, live *l)
{
    char *said = NULL;
    if (!o->value[VERIFY])
        return PAV_OK;
    const int64_t steps = strtoll(o->value[VERIFY], NULL, 10); /* 0: the default */
    const pav_status status = pav_run_verify(program, device, wanted, steps, &said);
    live_close(l);
    if (said && !o->value[QUIET])
        fputs(said, stderr);
    pav_text_free(said);
    return status;
}

/* If the run itself writes a file with the report's name, the failure must not be
 * reported into that file either. */
static pav_status check_report_name(const pav_run *run, const options *o)
{
    const pav_status status = o->value[REPORT] ? pav_run_check_name(run, o->value[REPORT])
                                               : PAV_OK;
    if (status != PAV_OK)
        o->value[REPORT] = NULL;
    return status;
}

static const char *name_device(const options *o, const pav_bundle *bundle)
{
    if (o->value[DEVICE])
        return o->value[DEVICE];
    return bundle ? pav_bundle_device(bundle) : "auto";
}

static pav_status open_run(const pav_program *program, const options *o,
                           const pav_run_options *wanted, live *l, pav_device **device,
                           pav_run **run)
{
    const char *name = name_device(o, wanted->bundle);
    pav_run_options options_of = *wanted;
    options_of.listener = live_listen;
    options_of.user = l;
    live_open(l, o->value[QUIET] != NULL);
    pav_status status = pav_ranks_device(wanted->ranks, name, device);
    if (status == PAV_OK)
        status = verify(program, o, &options_of, *device, l);
    if (status == PAV_OK)
        status = pav_run_open(program, *device, &options_of, run);
    return status == PAV_OK ? check_report_name(*run, o) : status;
}

static int with_program(const pav_program *program, const options *o,
                        const pav_run_options *wanted, bool *opened)
{
    const summary_options summary = {o->value[JSON] != NULL, o->value[QUIET] != NULL,
                                     o->value[REPORT]};
    pav_device *device = NULL;
    pav_run *run = NULL;
    live l;
    const pav_status status = open_run(program, o, wanted, &l, &device, &run);
    *opened = status == PAV_OK;
    live_close(&l); /* erases the set-up line */
    const int code = *opened ? take_steps(run, &l, o, &summary) : fail_with(status);
    pav_run_free(run);
    pav_device_free(device);
    return code;
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
    static const int taken[] = {SET,   STEPS,    DEVICE,  OUT,     JSON,    QUIET,
                                SHOTS, SCHEDULE, THREADS, AT_ONCE, TOGETHER};
    shots_run_words w = {.device = o->value[DEVICE] ? o->value[DEVICE] : "auto",
                         .quiet = o->value[QUIET] != NULL,
                         .json = o->value[JSON] != NULL,
                         .options = {.shots = o->value[SHOTS],
                                     .directory = run->directory,
                                     .steps = run->steps,
                                     .threads = run->threads,
                                     .schedule = run->schedule,
                                     .ranks = run->ranks}};
    const int code = check_taken(o, taken, sizeof taken / sizeof *taken,
                                 "single runs, and --shots takes many");

    if (code != EXIT_DONE ||
        !shots_read(o->value[AT_ONCE], o->value[TOGETHER], &w.options))
        return EXIT_USAGE;
    interrupt_listen();
    return run_shots(program, &w);
}

static int with_mesh(const pav_program *program, const options *o, int threads)
{
    static const int taken[] = {SET,   DEVICE,   OUT,     JSON,
                                QUIET, NO_FILES, THREADS, ALLOW_OUTSIDE};
    const mesh_run_words w = {.device = o->value[DEVICE] ? o->value[DEVICE] : "auto",
                              .directory = o->value[OUT],
                              .threads = threads,
                              .no_files = o->value[NO_FILES] != NULL,
                              .quiet = o->value[QUIET] != NULL,
                              .json = o->value[JSON] != NULL,
                              .allow_outside = o->value[ALLOW_OUTSIDE] != NULL};
    const int code = check_taken(o, taken, sizeof taken / sizeof *taken,
                                 "runs on a grid, and this description is on a mesh");

    return code == EXIT_DONE ? run_mesh(program, &w) : code;
}

/* MPI ranks cannot share a program on a mesh. */
static int check_shared(const pav_program *program, const options *o,
                        const pav_ranks *ranks)
{
    if (!ranks || !program || !pav_program_on_mesh(program))
        return EXIT_DONE;
    return usage_error(&run_command,
                       "%s is on a mesh, which ranks cannot share: start one process",
                       o->plain[0]);
}

static int with_bundle(const pav_program *program, const options *o,
                       pav_run_options *wanted, bool *opened)
{
    pav_bundle *bundle = NULL;
    const pav_status status = o->value[BUNDLE]
                                  ? pav_bundle_open(o->value[BUNDLE], &bundle)
                                  : PAV_OK;
    if (status != PAV_OK)
        return fail_with(status);
    wanted->bundle = bundle;
    interrupt_listen();
    const int code = with_program(program, o, wanted, opened);
    pav_bundle_free(bundle);
    return code;
}

static int with_grid_or_mesh(const pav_program *program, const options *o,
                             pav_run_options *wanted, bool *opened)
{
    if (o->value[SHOTS]) {
        const int code = with_shots(program, o, wanted);
        *opened = code == EXIT_DONE;
        return code;
    }
    if (pav_program_on_mesh(program)) {
        *opened = true;
        return with_mesh(program, o, wanted->threads);
    }
    if (o->value[AT_ONCE] || o->value[TOGETHER])
        return usage_error(&run_command, "--%s is of many shots: --shots LIST is needed",
                           rules[o->value[AT_ONCE] ? AT_ONCE : TOGETHER].name);
    if (o->value[REQUIRE_CACHED])
        setenv("PAV_REQUIRE_CACHED", "1", 1);
    return with_bundle(program, o, wanted, opened);
}

static int run_options(const options *o, pav_ranks *ranks, bool *opened)
{
    pav_run_options options_of = {.report_seconds = 0.2,
                                  .timeline = o->value[TIMELINE],
                                  .restart = o->value[RESTART],
                                  .copy_rate = o->value[COPY_RATE] != NULL,
                                  .force = o->value[FORCE] != NULL,
                                  .ranks = ranks};
    pav_program *program = NULL;
    if (need_description(&run_command, o) != EXIT_DONE)
        return EXIT_USAGE;
    if (read_numbers(o, &options_of) != EXIT_DONE)
        return EXIT_USAGE;
    if (ranks && strcmp(o->plain[0], "-") == 0)
        return usage_error(&run_command,
                           "ranks cannot share standard input: name a file");
    int code = load_program(o->plain[0], o->set, &program);
    if (code == EXIT_DONE)
        code = check_shared(program, o, ranks);
    if (code != EXIT_DONE) {
        pav_program_free(program);
        return code;
    }
    code = with_grid_or_mesh(program, o, &options_of, opened);
    pav_program_free(program);
    return code;
}

/* Reports a failure before a run was opened. The arguments are searched for --json,
 * because parsing may have stopped before it. */
static void report_failure(const options *o, int count, char **word)
{
    summary_options wanted = {.path = o->value ? o->value[REPORT] : NULL};
    pav_status status;
    const char *why = complaint(&status);
    for (int k = 0; k < count; k++)
        wanted.json = wanted.json || strcmp(word[k], "--json") == 0;
    summary_print(NULL, status, why, &wanted);
}

/* If the report cannot be written, --report is dropped: the error must not be written
 * there. */
static int check_report(options *o)
{
    const int code = o->value[REPORT] ? summary_check(o->value[REPORT]) : EXIT_DONE;
    if (code != EXIT_DONE)
        o->value[REPORT] = NULL;
    return code;
}

static int run(int count, char **word)
{
    options o;
    bool opened = false;
    pav_ranks *ranks = NULL;
    int code = options_read(&run_command, rules, RULES, count, word, &o);
    if (code == EXIT_DONE)
        code = ranks_begin(&ranks);
    if (code == EXIT_DONE && pav_ranks_number(ranks) > 0)
        o.value[REPORT] = NULL; /* only the first rank writes the report */
    if (code == EXIT_DONE)
        code = check_report(&o);
    if (code == EXIT_DONE && o.value[CONVERGENCE])
        code = convergence_check(o.value[CONVERGENCE]);
    if (code == EXIT_DONE)
        code = run_options(&o, ranks, &opened);
    if (!opened)
        report_failure(&o, count, word);
    ranks_end(ranks, code);
    options_free(&o);
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
