/* SPDX-License-Identifier: BSD-3-Clause */
/* pavior tune: finds the fastest schedule of a description on this machine and stores
 * it. */
#include <stdio.h>
#include <stdlib.h>

#include "cli.h"

enum { SET, DEVICE, THREADS, BIND, EFFORT, SECONDS, QUIET, RULES };

static const option_rule rules[RULES] = {
    [SET] = {"set", true, true},          [DEVICE] = {"device", true, false},
    [THREADS] = {"threads", true, false}, [BIND] = {"bind", true, false},
    [EFFORT] = {"effort", true, false},   [SECONDS] = {"seconds", true, false},
    [QUIET] = {"quiet", false, false},
};

/* The steps of trials are not reported. */
static int listen(void *user, pav_event event, const pav_progress *progress,
                  const char *text)
{
    (void)progress;
    if (event == PAV_EVENT_WARNING || (event == PAV_EVENT_NOTE && !*(bool *)user))
        fprintf(stderr, "%s\n", text);
    return interrupted();
}

static int with_program(const pav_program *program, const options *o,
                        const pav_tune_options *wanted)
{
    bool quiet = o->value[QUIET] != NULL;
    pav_tune_options how = *wanted;
    pav_device *device = NULL;
    char *said = NULL;
    how.listener = listen;
    how.user = &quiet;
    interrupt_listen();
    pav_status status = pav_device_open(o->value[DEVICE], &device);
    if (status == PAV_OK)
        status = pav_tune(program, device, &how, &said);
    pav_device_free(device);
    if (status == PAV_EINTERRUPTED)
        complain(status, "pavior: %s; the same command goes on", pav_message());
    if (status == PAV_EINTERRUPTED)
        return EXIT_GO_ON;
    return status == PAV_OK ? print_text(status, said) : fail_with(status);
}

static int read_numbers(const options *o, pav_tune_options *wanted)
{
    int64_t threads = 0;
    char *end;
    const char *seconds = o->value[SECONDS];
    if (o->value[THREADS] &&
        !number_read("threads", o->value[THREADS], 1, PAV_MAX_THREADS, &threads))
        return EXIT_USAGE;
    wanted->threads = (int)threads;
    if (!seconds)
        return EXIT_DONE;
    wanted->seconds = strtod(seconds, &end);
    if (end != seconds && !*end && wanted->seconds > 0 && wanted->seconds < 1e7)
        return EXIT_DONE;
    complain(PAV_EINVAL, "pavior: --seconds takes a number, such as 60, not '%s'",
             seconds);
    return EXIT_USAGE;
}

static int tune(const options *o)
{
    pav_tune_options wanted = {.effort = o->value[EFFORT], .bind = o->value[BIND]};
    pav_program *program = NULL;
    if (need_description(&tune_command, o) != EXIT_DONE ||
        read_numbers(o, &wanted) != EXIT_DONE)
        return EXIT_USAGE;
    int code = load_program(o->plain[0], o->set, &program);
    if (code == EXIT_DONE && pav_program_on_mesh(program))
        code = usage_error(&tune_command, "%s is on a mesh: tuning is of grids",
                           o->plain[0]);
    else if (code == EXIT_DONE)
        code = with_program(program, o, &wanted);
    pav_program_free(program);
    return code;
}

const command tune_command = {
    .name = "tune",
    .arguments = "FILE",
    .about = "find the fastest schedule of a description, and remember it",
    .help =
        "FILE is a description, a catalogue word (see `pavior catalogue`), or - for\n"
        "standard input. All schedules that the models rank first are measured, then\n"
        "the better half of them for twice as long, until one is left. Its bits are\n"
        "compared with the interpreter's, or on large grids with those of the\n"
        "simplest kernels. The winner becomes wisdom (`pavior wisdom`), so `pavior\n"
        "run` uses it from its first step. No output file of the description is\n"
        "written.\n"
        "\n"
        "  --set NAME=VALUE  set a param or scalar; may be repeated\n"
        "  --device NAME     cpu, cuda or cuda:N; auto: the best\n"
        "  --threads N       threads of the device cpu\n"
        "  --bind NAME       cores, none or auto, like `pavior run`\n"
        "  --effort NAME     number of candidates: estimate: few; measure: those\n"
        "                    tried by a run; patient: more; exhaustive: many more\n"
        "  --seconds N       time for all measurements (10, 30, 120 or 900, by the\n"
        "                    effort)\n"
        "  --quiet           print only the result\n"
        "\n"
        "Ctrl-C stops the tuning with exit code 75; the same command continues it.\n"
        "\n"
        "  pavior tune heat3d.pav --set n=512 --seconds 60\n"
        "  pavior run heat3d.pav --set n=512 --wisdom-only\n",
    .rule = rules,
    .rules = RULES,
    .work = tune,
};
