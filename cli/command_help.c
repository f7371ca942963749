/* SPDX-License-Identifier: BSD-3-Clause */
/* pavior help, doctor and catalogue: information about this build. */
#include <stdio.h>
#include <string.h>

#include "cli.h"

enum { COLUMN = 13 }; /* for arguments */

static void overview(void)
{
    printf("pavior %s: nearest-neighbour computations on grids\n\nusage: pavior COMMAND "
           "...\n\nTo begin: `pavior examples drum`, a description; and `pavior examples "
           "drum --run\n--out drum`, its run with pictures in the folder drum.\n\n",
           pav_version());
    for (int k = 0; command_table[k]; k++)
        printf(
            "  %-10s %-13s%s %s\n", command_table[k]->name, command_table[k]->arguments,
            strlen(command_table[k]->arguments) > COLUMN ? "\n                          "
                                                         : "",
            command_table[k]->about);
    printf("\n`pavior help COMMAND` lists its options. Exit codes: 0 done, 1 a run or "
           "check\n"
           "failed, 2 bad usage or a bad description, 75 a run stopped with a "
           "checkpoint.\n");
}

/* Prints nothing if one of the names is unknown. */
static int help(int count, char **word)
{
    for (int k = 0; k < count; k++)
        if (!find_command(word[k]))
            return unknown_command(word[k]);
    for (int k = 0; k < count; k++) {
        const command *c = find_command(word[k]);
        printf("%susage: pavior %s%s%s%s\n\n%s.\n%s%s", k ? "\n" : "", c->name,
               *c->help ? " [options]" : "", *c->arguments ? " " : "", c->arguments,
               c->about, c->help, c->more ? c->more : "");
    }
    if (count == 0)
        overview();
    return EXIT_DONE;
}

const command help_command = {
    .name = "help",
    .arguments = "[COMMAND ...]",
    .about = "say what the commands do",
    .help = "",
    .run = help,
};

enum { JSON, MEASURE, DEVICE, THREADS, DOCTOR_RULES };
static const option_rule doctor_rules[DOCTOR_RULES] = {
    [JSON] = {"json", false, false},
    [MEASURE] = {"measure", false, false},
    [DEVICE] = {"device", true, false},
    [THREADS] = {"threads", true, false},
};

static int need_nothing(const options *o)
{
    return o->plain_count == 0 ? EXIT_DONE
                               : usage_error(o->of, "takes no '%s'", o->plain[0]);
}

static int doctor(const options *o)
{
    static const option_pair pairs[] = {
        {DEVICE, MEASURE, false, "--device is of --measure"},
        {THREADS, MEASURE, false, "--threads is of --measure"},
        {JSON, MEASURE, true, "--measure has no --json"},
        {0, 0, false, NULL},
    };
    int64_t threads = 0;
    OWNED_BY(close_device) pav_device *device = NULL;
    char *text = NULL;
    DO(need_nothing(o));
    DO(options_check(o, pairs));
    if (!o->value[MEASURE])
        return print_text(pav_doctor(o->value[JSON] != NULL, &text), &text);
    if (o->value[THREADS] &&
        !number_read("threads", o->value[THREADS], 1, PAV_MAX_THREADS, &threads))
        return EXIT_USAGE;
    DO(exit_of(pav_device_open(o->value[DEVICE], &device)));
    return print_text(pav_machine_measure(device, (int)threads, &text), &text);
}

const command doctor_command = {
    .name = "doctor",
    .arguments = "",
    .about = "list what this machine and build offer, and what is missing",
    .help =
        "  --json         print one JSON object\n"
        "  --measure      measure the rates of memory, caches and arithmetic for some\n"
        "                 seconds, and keep them next to wisdom; plans and first\n"
        "                 choices of schedules use them\n"
        "  --device NAME  with --measure: the device to measure; auto: the best\n"
        "  --threads N    with --measure: threads of the host ($PAV_THREADS, or all)\n",
    .rule = doctor_rules,
    .rules = DOCTOR_RULES,
    .work = doctor,
};

static const option_rule catalogue_rules[] = {{"json", false, false}};

static int catalogue(const options *o)
{
    char *text = NULL;
    DO(need_nothing(o));
    return print_text(pav_catalogue(o->value[0] != NULL, &text), &text);
}

const command catalogue_command = {
    .name = "catalogue",
    .arguments = "",
    .about = "list the bundled programs, which `run` and `explain` take by name",
    .help = "  --json  as one JSON object\n",
    .rule = catalogue_rules,
    .rules = 1,
    .work = catalogue,
};
