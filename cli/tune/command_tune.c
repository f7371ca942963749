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

static const option_target targets[] = {
    {"threads", OPTION_INT, offsetof(pav_tune_options, threads), PAV_MAX_THREADS},
    {"bind", OPTION_WORD, offsetof(pav_tune_options, bind), 0},
    {"effort", OPTION_WORD, offsetof(pav_tune_options, effort), 0},
    {NULL, OPTION_WORD, 0, 0},
};

static int tune(const options *o)
{
    bool quiet = o->value[QUIET] != NULL;
    pav_tune_options wanted = {.listener = notes_listen, .user = &quiet};
    OWNED_BY(close_program) pav_program *program = NULL;
    OWNED_BY(close_device) pav_device *device = NULL;
    char *said = NULL;
    DO(options_store(o, targets, &wanted));
    if (o->value[SECONDS])
        DO(real_read("seconds", o->value[SECONDS], 1e7, "a number, such as 60",
                     &wanted.seconds));
    DO(load_only(o, &program));
    if (pav_program_on_mesh(program))
        return usage_error(&tune_command, "%s is on a mesh: tuning is of grids",
                           o->plain[0]);
    interrupt_listen();
    pav_status status = pav_device_open(o->value[DEVICE], &device);
    if (status == PAV_OK)
        status = pav_tune(program, device, &wanted, &said);
    if (status != PAV_EINTERRUPTED)
        return print_text(status, &said);
    complain(status, "pavior: %s; the same command goes on", pav_message());
    return EXIT_GO_ON;
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
