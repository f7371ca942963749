/* SPDX-License-Identifier: BSD-3-Clause */
/* pavior sweep: a study of params. It is a survey (run_kinds.c) whose list holds all
 * combinations of the given values, and it ends with the table of measures. */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "cli.h"

enum { SET, STEPS, DEVICE, THREADS, SCHEDULE, OUT, AT_ONCE, JSON, QUIET, RULES };
enum { MOST_NAMES = 16, MOST_RUNS = 100000 };

static const option_rule rules[RULES] = {
    [SET] = {"set", true, true},
    [STEPS] = {"steps", true, false},
    [DEVICE] = {"device", true, false},
    [THREADS] = {"threads", true, false},
    [SCHEDULE] = {"schedule", true, false},
    [OUT] = {"out", true, false},
    [AT_ONCE] = {"at-once", true, false},
    [JSON] = {"json", false, false},
    [QUIET] = {"quiet", false, false},
};

static const option_target targets[] = {
    {"steps", OPTION_INT64, offsetof(pav_adjoint_options, steps), INT64_MAX},
    {"threads", OPTION_INT, offsetof(pav_adjoint_options, threads), PAV_MAX_THREADS},
    {"schedule", OPTION_WORD, offsetof(pav_adjoint_options, schedule), 0},
    {NULL, OPTION_WORD, 0, 0},
};

/* The values of a param: count numbers from `first` to `last`, or a list of words. */
typedef struct values {
    const char *name;
    int length; /* of the name */
    const char *list;
    int64_t count;
    double first, last;
} values;

/* Takes a=0.1:0.9:20 and a=1,2,4; 0 values: one value, as for `run`. */
static int take_values(const char *word, values *v)
{
    const char *is = strchr(word, '=');
    char *end = NULL;

    /* values of a sweep are arguments of the kernels, so a:= says what a= says */
    *v = (values){.name = word,
                  .length = is ? (int)(is - word) - (is > word && is[-1] == ':') : 0};
    if (!is || !strpbrk(is, ":,"))
        return EXIT_DONE;
    v->list = is + 1;
    if (strchr(is, ',')) {
        for (const char *at = is; at; at = strchr(at + 1, ','))
            v->count++;
        return EXIT_DONE;
    }
    v->list = NULL;
    v->first = strtod(is + 1, &end);
    v->last = *end == ':' ? strtod(end + 1, &end) : 0;
    v->count = *end == ':' ? strtoll(end + 1, &end, 10) : 0;
    if (*end || v->count < 2 || v->count > MOST_RUNS)
        return usage_error(&sweep_command,
                           "'%s' is not like a=0.1:0.9:20 (20 values from 0.1 to 0.9) or "
                           "a=1,2,4",
                           word);
    return EXIT_DONE;
}

static void put_value(FILE *out, const values *v, int64_t number)
{
    const char *word = v->list;

    if (!word) {
        const double share = (double)number / (double)(v->count - 1);
        fprintf(out, "%.15g", v->first * (1 - share) + v->last * share);
        return;
    }
    for (; number > 0; number--)
        word = strchr(word, ',') + 1;
    fprintf(out, "%.*s", (int)strcspn(word, ","), word);
}

/* A line of names, and one of values for each run; the last param changes fastest. */
static int put_list(const char *path, const values *v, int names, int64_t runs)
{
    FILE *out = fopen(path, "w");

    for (int n = 0; out && n < names; n++)
        fprintf(out, "%s%.*s", n ? ", " : "", v[n].length, v[n].name);
    for (int64_t run = 0; out && run < runs; run++)
        for (int64_t n = 0, each = runs; n < names; n++) {
            each /= v[n].count;
            fprintf(out, n ? ", " : "\n");
            put_value(out, &v[n], run / each % v[n].count);
        }
    if (out && fprintf(out, "\n") > 0 && !(ferror(out) | fclose(out)))
        return EXIT_DONE;
    complain(PAV_EIO, "pavior: %s cannot be written: %s", path, strerror(errno));
    return EXIT_RUN_FAILED;
}

static int sweep(const options *o, pav_ranks **ranks)
{
    const char *plain[256] = {NULL}, *folder = o->value[OUT] ? o->value[OUT] : "sweep";
    values v[MOST_NAMES];
    int names = 0, others = 0;
    int64_t runs = 1;
    char path[4096];
    shots_run_words w = {
        .device = o->value[DEVICE] ? o->value[DEVICE] : "auto",
        .summary = {.quiet = o->value[QUIET] != NULL, .json = o->value[JSON] != NULL},
        .options = {.shots = path, .directory = folder, .sweep = 1}};
    OWNED_BY(close_program) pav_program *program = NULL;

    DO(options_store(o, targets, &w.options));
    DO(shots_read(o->value[AT_ONCE], "1", &w.options));
    for (int k = 0; k < o->set_count; k++) {
        if (names == MOST_NAMES || others == 255)
            return usage_error(&sweep_command, "a sweep takes at most %d params",
                               MOST_NAMES);
        DO(take_values(o->set[k], &v[names]));
        for (int before = 0; before < k; before++)
            if (strncmp(o->set[before], v[names].name, (size_t)v[names].length) == 0 &&
                strspn(o->set[before] + v[names].length, ":=") > 0)
                return usage_error(&sweep_command, "'%s' and '%s' set the same param",
                                   o->set[before], o->set[k]);
        if (v[names].count == 0)
            plain[others++] = o->set[k];
        else
            runs *= v[names++].count;
        if (runs > MOST_RUNS)
            return usage_error(&sweep_command, "a sweep takes at most %d runs",
                               MOST_RUNS);
    }
    if (names == 0)
        return usage_error(
            &sweep_command,
            "nothing varies: --set a=0.1:0.9:20 or --set a=1,2,4 is needed");
    DO(need_description(o));
    DO(load_program(o->plain[0], plain, &program));
    DO(ranks_begin(ranks));
    w.options.ranks = *ranks;
    (void)mkdir(folder, 0777); /* the survey complains if it is missing */
    (void)snprintf(path, sizeof path, "%s/sweep.csv", folder);
    DO(put_list(path, v, names, runs));
    interrupt_listen();
    return run_shots(program, &w);
}

const command sweep_command = {
    .name = "sweep",
    .arguments = "FILE",
    .about = "run a description for many values of its params",
    .help =
        "FILE is a description, a catalogue word (see `pavior catalogue`), or - for\n"
        "standard input. It is run for each combination of values, and a table of\n"
        "its measures is printed: a line for each run. The files of the runs stand\n"
        "in DIR/shot-0001, ..., the table in DIR/measures.csv, the values in\n"
        "DIR/sweep.csv.\n"
        "\n"
        "  --set NAME=A:B:N  N values from A to B; may be repeated\n"
        "  --set NAME=A,B,C  these values\n"
        "  --set NAME=VALUE  one value for all runs\n"
        "  --steps N         take N steps instead of the description's `steps`\n"
        "  --device NAME     device of the runs; those of a list (cuda:0-3) share\n"
        "                    them\n"
        "  --threads N       threads of the device cpu\n"
        "  --schedule NAME   like `pavior run`\n"
        "  --at-once N       runs at the same time on each device (1)\n"
        "  --out DIR         directory of the files (sweep)\n"
        "  --json            print a summary as JSON\n"
        "  --quiet           print only the table\n"
        "\n"
        "NAME is a param, a scalar or an element of a table (w.1). Runs share their\n"
        "kernels if the values shape no grid and no place. If a run fails, by an\n"
        "expectation or NaN, the others go on: the column `failed` has the reason, and\n"
        "the exit code is 1. Ctrl-C stops a sweep; the same command continues it, and\n"
        "takes failed runs again.\n"
        "\n"
        "  pavior sweep point.pav --set D=0.5:2:16 --out study\n",
    .rule = rules,
    .rules = RULES,
    .shared = sweep,
};
