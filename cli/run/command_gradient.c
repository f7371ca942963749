/* SPDX-License-Identifier: BSD-3-Clause */
/* pavior gradient and pavior migrate: gradients and images from the data of shots. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cli.h"

enum {
    SET,
    STEPS,
    DEVICE,
    THREADS,
    OUT,
    DATA,
    HISTORY,
    KEEP,
    PLAN,
    JSON,
    QUIET,
    WITH,
    SHOTS,
    EVERY,
    SPEED,
    AT_ONCE,
    TOGETHER,
    RULES
};

static const option_rule rules[RULES] = {
    [SET] = {"set", true, true},
    [STEPS] = {"steps", true, false},
    [DEVICE] = {"device", true, false},
    [THREADS] = {"threads", true, false},
    [OUT] = {"out", true, false},
    [DATA] = {"data", true, false},
    [HISTORY] = {"history", true, false},
    [KEEP] = {"keep", true, false},
    [PLAN] = {"plan", false, false},
    [JSON] = {"json", false, false},
    [QUIET] = {"quiet", false, false},
    [WITH] = {"of", true, false},
    [SHOTS] = {"shots", true, false},
    [EVERY] = {"every", true, false},
    [SPEED] = {"speed", true, false},
    [AT_ONCE] = {"at-once", true, false},
    [TOGETHER] = {"together", true, false},
};

#define AT(member) offsetof(pav_adjoint_options, member)
static const option_target targets[] = {
    {"out", OPTION_WORD, AT(directory), 0},
    {"data", OPTION_WORD, AT(data), 0},
    {"keep", OPTION_WORD, AT(keep), 0},
    {"shots", OPTION_WORD, AT(shots), 0},
    {"speed", OPTION_WORD, AT(speed), 0},
    {"steps", OPTION_INT64, AT(steps), INT64_MAX},
    {"threads", OPTION_INT, AT(threads), PAV_MAX_THREADS},
    {NULL, OPTION_WORD, 0, 0},
};
#undef AT

/* Parses "8GiB,disk=DIR,disk-size=1TiB,stored=f16"; `copy` is the memory of the words. */
static bool read_history(char *copy, pav_adjoint_options *wanted)
{
    for (char *word = strtok(copy, ","); word; word = strtok(NULL, ",")) {
        if (strncmp(word, "disk=", 5) == 0)
            wanted->disk = word + 5;
        else if (strncmp(word, "stored=", 7) == 0)
            wanted->stored = word + 7;
        else if (strncmp(word, "disk-size=", 10) == 0
                     ? !size_read("history: disk-size", word + 10, &wanted->disk_bytes)
                     : !size_read("history", word, &wanted->history))
            return false;
    }
    if (!wanted->disk && wanted->disk_bytes > 0)
        return REFUSED(PAV_EINVAL, "pavior: disk-size is that of a disk: add disk=DIR");
    return true;
}

static int read_numbers(const options *o, pav_adjoint_options *wanted)
{
    const char *every = o->value[EVERY];
    const bool by_spectra = every && strcmp(every, "auto") == 0;

    DO(options_store(o, targets, wanted));
    if (by_spectra)
        wanted->every = PAV_EVERY_AUTO;
    else if (every && !number_read("every", every, 1, INT64_MAX, &wanted->every))
        return EXIT_USAGE;
    return shots_read(o->value[AT_ONCE], o->value[TOGETHER], wanted);
}

static int take(const pav_program *program, const options *o,
                const pav_adjoint_options *wanted)
{
    pav_adjoint_options own = *wanted;
    pav_adjoint_result result = {0};
    OWNED_BY(close_device) pav_device *device = NULL;
    live l;

    live_open(&l, o->value[QUIET] != NULL);
    own.listener = live_listen;
    own.user = &l;
    pav_status status = pav_ranks_device(
        wanted->ranks, o->value[DEVICE] ? o->value[DEVICE] : "auto", &device);
    if (status == PAV_OK)
        status = wanted->image ? pav_migrate(program, device, &own, &result)
                               : pav_gradient(program, device, &own, &result);
    live_close(&l);
    DO(exit_of(status));
    if (o->value[JSON])
        printf("{\"misfit\": %.17g, \"steps\": %lld, \"steps_again\": %lld, "
               "\"history_bytes\": %lld, \"disk_bytes\": %lld, "
               "\"forward_seconds\": %.6g, \"backward_seconds\": %.6g, "
               "\"every\": %lld}\n",
               result.misfit, (long long)result.steps, (long long)result.steps_again,
               (long long)result.history_bytes, (long long)result.disk_bytes,
               result.forward_seconds, result.backward_seconds, (long long)result.every);
    else if (!o->value[QUIET])
        printf("misfit %.10g; %lld steps forwards in %.2f s, back in %.2f s; %lld taken "
               "again, %.1f MiB of history in memory, %.1f on a disk\n",
               result.misfit, (long long)result.steps, result.forward_seconds,
               result.backward_seconds, (long long)result.steps_again,
               (double)result.history_bytes / 1048576,
               (double)result.disk_bytes / 1048576);
    return EXIT_DONE;
}

static int run(const options *o, pav_ranks **ranks)
{
    const command *c = o->of;
    const char *const one[] = {o->value[WITH], NULL};
    pav_adjoint_options wanted = {.ranks = *ranks,
                                  .image = c == &migrate_command,
                                  .coefficients = one[0] ? one : NULL};
    /* reading changes these words */
    OWNED_BY(close_text)
    char *history = o->value[HISTORY] ? strdup(o->value[HISTORY]) : NULL;
    OWNED_BY(close_program) pav_program *program = NULL;
    char *text = NULL;

    DO(need_description(o));
    DO(read_numbers(o, &wanted));
    if (history && !read_history(history, &wanted))
        return EXIT_USAGE;
    if (pav_ranks_count(*ranks) > 1 && !wanted.shots)
        return usage_error(c, "ranks share the shots of a list: --shots LIST is needed");
    if (!wanted.image && wanted.speed)
        return usage_error(c, "--speed is of pavior migrate alone");
    if (wanted.image && wanted.coefficients)
        return usage_error(c, "--of is of pavior gradient alone");
    if (wanted.image && !wanted.data && !wanted.shots)
        return usage_error(c, "--data FILE is needed: what the receivers recorded");
    DO(load_only(o, &program));
    interrupt_listen();
    if (!o->value[PLAN])
        return take(program, o, &wanted);
    return print_text(pav_adjoint_plan(program, &wanted, o->value[JSON] != NULL, &text),
                      &text);
}

#define OPTIONS                                                                          \
    "  --data FILE       recorded data of the receivers: .npy or SEG-Y, a row for\n"     \
    "                    each row of the sample with this file; or a directory\n"        \
    "                    with the files of all samples\n"                                \
    "  --shots LIST      add up many shots. The list has a line of names (params\n"      \
    "                    of FILE, or data: paths) and a line of values for each\n"       \
    "                    shot. After a stop, the same command runs the missing\n"        \
    "                    shots. The devices of a list (--device cuda:0-3), or the\n"     \
    "                    ranks of mpirun, share them\n"                                  \
    "  --together N      compute N shots as one run if they differ only in\n"            \
    "                    positions and data; auto: as many as fill the device; 1:\n"     \
    "                    one\n"                                                          \
    "  --at-once N       runs at the same time on each device (1)\n"                     \
    "  --out DIR         directory of the results; made if missing\n"                    \
    "  --history SIZE    memory for the history of each run, such as 8GiB, for\n"        \
    "                    all its shots (half of the available memory, divided\n"         \
    "                    among the runs). 8GiB,disk=DIR,disk-size=1TiB,stored=f16\n"     \
    "                    continues in a file in DIR (half of the free space,\n"          \
    "                    divided) and stores the history in f16, bf16 or f32,\n"         \
    "                    with rounding\n"                                                \
    "  --keep WAY        all: keep all steps; snapshots: keep some, and compute\n"       \
    "                    the steps between them again; boundary: keep strips\n"          \
    "                    beside the absorbing layers, and step the inside\n"             \
    "                    backwards from the end, with other roundings. By default\n"     \
    "                    all or snapshots; boundary if neither fits\n"                   \
    "  --every N         use every N-th step of the history, with weight N. Waves\n"     \
    "                    of frequency f need N <= 1/(6*f*dt). 1: exact; auto: by\n"      \
    "                    the spectra of the sources, ricker(f, t) or files\n"            \
    "  --plan            only print the needs of each way to keep the history\n"         \
    "  --set NAME=VALUE  set a param or scalar; may be repeated\n"                       \
    "  --steps N         take N steps instead of the description's `steps`\n"            \
    "  --device NAME     device of the run; auto: the best\n"                            \
    "  --threads N       threads of the device cpu\n"                                    \
    "  --json, --quiet   print the summary as JSON; print none\n"                        \
    "\n"

const command gradient_command = {
    .name = "gradient",
    .arguments = "FILE",
    .about = "the gradient of a misfit with respect to coefficients",
    .help = "The misfit is half the sum of squares of the differences between the\n"
            "receivers (the `sample` lines) and the observed data. Its gradient with\n"
            "respect to each coefficient field, at every point, is written to\n"
            "c-gradient.npy.\n"
            "\n"
            "  --of NAME         only for this coefficient (all)\n" OPTIONS
            "  pavior gradient shot.pav --data observed.npy --of c\n",
    .rule = rules,
    .rules = RULES,
    .shared = run,
};

const command migrate_command = {
    .name = "migrate",
    .arguments = "FILE",
    .about = "reverse-time migration of a shot",
    .help =
        "The recorded data are sent back from the receivers (the `sample` lines) and\n"
        "multiplied with the forward run at each step. image.npy is the sum of the\n"
        "products, illumination.npy the sum of the squares of the forward run,\n"
        "migrated.npy and .png their quotient without its smooth part.\n"
        "\n"
        "  --speed NAME      the coefficient with the speed of the waves. The image\n"
        "                    is multiplied by its cube, so that equal reflectors are\n"
        "                    equally bright at all depths\n" OPTIONS
        "  pavior migrate smooth.pav --data recorded.npy --speed c --out image\n",
    .rule = rules,
    .rules = RULES,
    .shared = run,
};
