/* SPDX-License-Identifier: BSD-3-Clause */
/* pavior run: loads a description, takes its steps, tells how it goes and what came out. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cli.h"

enum { SET, STEPS, DEVICE, OUT, WATCH, REPORT, JSON, QUIET, NO_FILES, RULES };

static const option_rule rules[RULES] = {
    [SET] = {"set", true, true},
    [STEPS] = {"steps", true, false},
    [DEVICE] = {"device", true, false},
    [OUT] = {"out", true, false},
    [WATCH] = {"watch", true, false},
    [REPORT] = {"report", true, false},
    [JSON] = {"json", false, false},
    [QUIET] = {"quiet", false, false},
    [NO_FILES] = {"no-files", false, false},
};

static int read_numbers(const options *o, pav_run_options *run)
{
    if (o->value[STEPS] && !number_read("steps", o->value[STEPS], 1, &run->steps))
        return EXIT_USAGE;
    if (o->value[WATCH] && strcmp(o->value[WATCH], "never") == 0)
        run->watch_every = -1;
    else if (o->value[WATCH] &&
             !number_read("watch", o->value[WATCH], 1, &run->watch_every))
        return EXIT_USAGE;
    return EXIT_DONE;
}

static int write_report(pav_run *run, const char *path)
{
    char *text = NULL;
    const pav_status status = pav_run_report(run, 1, &text);
    if (status != PAV_OK)
        return fail_with(status);
    FILE *out = fopen(path, "w");
    const bool written = out && fputs(text, out) >= 0;
    const bool closed = out && fclose(out) == 0;
    pav_text_free(text);
    if (written && closed)
        return EXIT_DONE;
    fprintf(stderr, "pavior run: the report could not be written to %s\n", path);
    return EXIT_RUN_FAILED;
}

/* The summary comes also after a failure: what was done up to there is worth knowing. */
static int summary(pav_run *run, const options *o)
{
    char *text = NULL;
    int code = EXIT_DONE;
    if (o->value[JSON] || !o->value[QUIET]) {
        const pav_status status = pav_run_report(run, o->value[JSON] != NULL, &text);
        code = print_text(status, text);
    }
    if (code == EXIT_DONE && o->value[REPORT])
        code = write_report(run, o->value[REPORT]);
    return code;
}

static int take_steps(pav_run *run, live *l, const options *o)
{
    const pav_status status = pav_run_finish(run);
    char *why = status == PAV_OK ? NULL : strdup(pav_message());
    live_close(l);
    const int code = summary(run, o);
    if (status == PAV_OK)
        return code;
    fprintf(stderr, "%s\n", why ? why : pav_message());
    free(why);
    return status == PAV_EINVAL ? EXIT_USAGE : EXIT_RUN_FAILED;
}

static int with_device(const pav_program *program, const options *o,
                       const pav_run_options *wanted)
{
    pav_device *device = NULL;
    pav_run *run = NULL;
    live l;
    const char *name = o->value[DEVICE] ? o->value[DEVICE] : "auto";
    live_open(&l, o->value[QUIET] != NULL);
    pav_run_options options_of = *wanted;
    options_of.listener = live_listen;
    options_of.user = &l;
    pav_status status = pav_device_open(name, &device);
    if (status == PAV_OK)
        status = pav_run_open(program, device, &options_of, &run);
    const int code = status == PAV_OK ? take_steps(run, &l, o) : fail_with(status);
    pav_run_free(run);
    pav_device_free(device);
    return code;
}

static int run_options(const options *o)
{
    pav_run_options options_of = {.directory = o->value[OUT],
                                  .report_seconds = 0.2,
                                  .no_files = o->value[NO_FILES] != NULL};
    pav_program *program = NULL;
    if (o->plain_count != 1)
        return usage_error(&run_command, "one description is needed, %d are given",
                           o->plain_count);
    if (read_numbers(o, &options_of) != EXIT_DONE)
        return EXIT_USAGE;
    const pav_status status = load_program(o->plain[0], o->set, &program);
    if (status != PAV_OK)
        return fail_with(status);
    interrupt_watch();
    const int code = with_device(program, o, &options_of);
    pav_program_free(program);
    return code;
}

static int run(int count, char **word)
{
    options o;
    int code = options_read(&run_command, rules, RULES, count, word, &o);
    if (code == EXIT_DONE)
        code = run_options(&o);
    options_free(&o);
    return code;
}

const command run_command = {
    .name = "run",
    .arguments = "FILE",
    .about = "run a description",
    .help = "FILE is a description, a catalogue word (see `pavior catalogue`), or - for\n"
            "standard input.\n"
            "\n"
            "  --set NAME=VALUE  gives a param or scalar another value; may be repeated\n"
            "  --steps N         in place of the description's `steps`\n"
            "  --device NAME     where to run; auto is the best present (see `pavior "
            "doctor`)\n"
            "  --out DIR         where outputs are written\n"
            "  --no-files        write no outputs\n"
            "  --watch N         look for NaN every N steps; never: do not look\n"
            "  --report FILE     the summary as JSON into a file\n"
            "  --json            the summary as JSON\n"
            "  --quiet           no live line, notes or summary\n"
            "\n"
            "  pavior run heat3d.pav --set n=256 --steps 500\n"
            "  pavior run wave3d:order=8@200x200x200/f32\n",
    .run = run,
};
