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

/* 8GiB, 500MiB, 64KiB, or bytes. */
static bool read_bytes(const char *what, const char *value, int64_t *bytes)
{
    static const char *const unit[] = {"", "KiB", "MiB", "GiB", "TiB"};
    char *end = NULL;
    const double number = strtod(value, &end);

    for (int k = 0; k < 5 && end != value; k++)
        if (strcmp(end, unit[k]) == 0 && number >= 1 && number < 8192) {
            *bytes = (int64_t)(number * (double)((int64_t)1 << (10 * k)));
            return true;
        }
    if (end != value && *end == '\0' && number >= 1 && number < 0x1p62) {
        *bytes = (int64_t)number;
        return true;
    }
    complain(PAV_EINVAL, "pavior: %s takes a size, such as 8GiB or 500MiB, not '%s'",
             what, value);
    return false;
}

/* Parses "8GiB,disk=DIR,disk-size=1TiB,stored=f16"; `copy` is the memory of the words. */
static bool read_history(char *copy, pav_adjoint_options *wanted)
{
    for (char *word = strtok(copy, ","); word; word = strtok(NULL, ",")) {
        if (strncmp(word, "disk=", 5) == 0)
            wanted->disk = word + 5;
        else if (strncmp(word, "stored=", 7) == 0)
            wanted->stored = word + 7;
        else if (strncmp(word, "disk-size=", 10) == 0) {
            if (!read_bytes("disk-size", word + 10, &wanted->disk_bytes))
                return false;
        } else if (!read_bytes("--history", word, &wanted->history)) {
            return false;
        }
    }
    if (!wanted->disk && wanted->disk_bytes > 0) {
        complain(PAV_EINVAL, "pavior: disk-size is that of a disk: add disk=DIR");
        return false;
    }
    return true;
}

static int read_numbers(const options *o, pav_adjoint_options *wanted)
{
    int64_t threads = 0;

    if (o->value[STEPS] &&
        !number_read("steps", o->value[STEPS], 1, INT64_MAX, &wanted->steps))
        return EXIT_USAGE;
    if (o->value[THREADS] &&
        !number_read("threads", o->value[THREADS], 1, PAV_MAX_THREADS, &threads))
        return EXIT_USAGE;
    if (o->value[EVERY] && strcmp(o->value[EVERY], "auto") == 0)
        wanted->every = PAV_EVERY_AUTO;
    else if (o->value[EVERY] &&
             !number_read("every", o->value[EVERY], 1, INT64_MAX, &wanted->every))
        return EXIT_USAGE;
    if (!shots_read(o->value[AT_ONCE], o->value[TOGETHER], wanted))
        return EXIT_USAGE;
    wanted->threads = (int)threads;
    return EXIT_DONE;
}

static void report(const pav_adjoint_result *r, const options *o)
{
    if (o->value[JSON])
        printf("{\"misfit\": %.17g, \"steps\": %lld, \"steps_again\": %lld, "
               "\"history_bytes\": %lld, \"disk_bytes\": %lld, "
               "\"forward_seconds\": %.6g, \"backward_seconds\": %.6g, "
               "\"every\": %lld}\n",
               r->misfit, (long long)r->steps, (long long)r->steps_again,
               (long long)r->history_bytes, (long long)r->disk_bytes, r->forward_seconds,
               r->backward_seconds, (long long)r->every);
    else if (!o->value[QUIET])
        printf("misfit %.10g; %lld steps forwards in %.2f s, back in %.2f s; %lld taken "
               "again, %.1f MiB of history in memory, %.1f on a disk\n",
               r->misfit, (long long)r->steps, r->forward_seconds, r->backward_seconds,
               (long long)r->steps_again, (double)r->history_bytes / 1048576,
               (double)r->disk_bytes / 1048576);
}

static int take(const command *c, const pav_program *program, const options *o,
                const pav_adjoint_options *wanted)
{
    pav_adjoint_options own = *wanted;
    pav_adjoint_result result;
    pav_device *device = NULL;
    live l;

    live_open(&l, o->value[QUIET] != NULL);
    own.listener = live_listen;
    own.user = &l;
    pav_status status = pav_ranks_device(
        wanted->ranks, o->value[DEVICE] ? o->value[DEVICE] : "auto", &device);
    if (status == PAV_OK)
        status = c == &migrate_command ? pav_migrate(program, device, &own, &result)
                                       : pav_gradient(program, device, &own, &result);
    live_close(&l);
    pav_device_free(device);
    if (status != PAV_OK)
        return fail_with(status);
    report(&result, o);
    return EXIT_DONE;
}

static int plan(const pav_program *program, const options *o,
                const pav_adjoint_options *wanted)
{
    char *text = NULL;
    const pav_status status = pav_adjoint_plan(program, wanted, o->value[JSON] != NULL,
                                               &text);

    return print_text(status, text);
}

static int with_history(const command *c, const options *o, pav_ranks *ranks,
                        char *history)
{
    const char *const one[] = {o->value[WITH], NULL};
    pav_adjoint_options wanted = {.directory = o->value[OUT],
                                  .data = o->value[DATA],
                                  .keep = o->value[KEEP],
                                  .shots = o->value[SHOTS],
                                  .ranks = ranks,
                                  .speed = o->value[SPEED],
                                  .image = c == &migrate_command};
    pav_program *program = NULL;

    if (o->value[WITH])
        wanted.coefficients = one;
    if (need_description(c, o) != EXIT_DONE || read_numbers(o, &wanted) != EXIT_DONE ||
        (history && !read_history(history, &wanted)))
        return EXIT_USAGE;
    if (pav_ranks_count(ranks) > 1 && !wanted.shots)
        return usage_error(c, "ranks share the shots of a list: --shots LIST is needed");
    if (c != &migrate_command && wanted.speed)
        return usage_error(c, "--speed is of pavior migrate alone");
    if (c == &migrate_command && wanted.coefficients)
        return usage_error(c, "--of is of pavior gradient alone");
    if (c == &migrate_command && !wanted.data && !wanted.shots)
        return usage_error(c, "--data FILE is needed: what the receivers recorded");
    int code = load_program(o->plain[0], o->set, &program);
    if (code == EXIT_DONE)
        interrupt_listen();
    if (code == EXIT_DONE)
        code = o->value[PLAN] ? plan(program, o, &wanted) : take(c, program, o, &wanted);
    pav_program_free(program);
    return code;
}

static int with_options(const command *c, const options *o, pav_ranks *ranks)
{
    char *history = o->value[HISTORY] ? strdup(o->value[HISTORY]) : NULL;
    const int code = with_history(c, o, ranks, history);

    free(history);
    return code;
}

static int run(const command *c, int count, char **word)
{
    options o;
    pav_ranks *ranks = NULL;
    int code = options_read(c, rules, RULES, count, word, &o);

    if (code == EXIT_DONE)
        code = ranks_begin(&ranks);
    if (code == EXIT_DONE)
        code = with_options(c, &o, ranks);
    ranks_end(ranks, code);
    options_free(&o);
    return code;
}

static int run_gradient(int count, char **word)
{
    return run(&gradient_command, count, word);
}

static int run_migrate(int count, char **word)
{
    return run(&migrate_command, count, word);
}

#define OPTIONS                                                                          \
    "  --data FILE       what the receivers recorded: .npy or SEG-Y, a row for each "    \
    "row\n"                                                                              \
    "                    of the sample that has this file; or the directory of the "     \
    "files\n"                                                                            \
    "                    of all samples\n"                                               \
    "  --shots LIST      many shots, which are added up: a line of names, params of "    \
    "FILE or\n"                                                                          \
    "                    data (paths), and a line of values for each; stopped, and "     \
    "given\n"                                                                            \
    "                    again, it goes on with the shots that are missing; devices "    \
    "of\n"                                                                               \
    "                    a list (--device cuda:0-3) and ranks of mpirun take their "     \
    "turns\n"                                                                            \
    "  --together N      shots that are computed as one, where they differ in "          \
    "positions and\n"                                                                    \
    "                    data alone; auto: as many as fill the device; 1: none\n"        \
    "  --at-once N       runs of one or more shots beside each other on each device "    \
    "(1)\n"                                                                              \
    "  --out DIR         where results are written; made if need be\n"                   \
    "  --history SIZE    memory for the past of each run, as in 8GiB, of all shots of "  \
    "it\n"                                                                               \
    "                    (half of what is available, divided among them), and more:\n"   \
    "                    8GiB,disk=DIR,disk-size=1TiB,stored=f16 goes on in a file\n"    \
    "                    there (half of what is free, divided), and keeps what it\n"     \
    "                    needs of each step in f16, bf16 or f32, with roundings\n"       \
    "  --keep WAY        all; snapshots, between which steps are taken again; or\n"      \
    "                    boundary: strips beside the layers are kept, from which the\n"  \
    "                    inside is stepped back to, with other roundings; it is taken "  \
    "by\n"                                                                               \
    "                    itself only where neither of the others fits\n"                 \
    "  --every N         every N-th step of the past counts, N times: as often as the\n" \
    "                    waves need, 1/(6*f*dt) of a Ricker wavelet of f; 1 is exact;\n" \
    "                    auto: by the spectra of the sources, ricker(f, t) or files\n"   \
    "  --plan            show what each way takes, and end\n"                            \
    "  --set NAME=VALUE  gives a param or scalar another value; may be repeated\n"       \
    "  --steps N         in place of the description's `steps`\n"                        \
    "  --device NAME     where to run; auto is the best present\n"                       \
    "  --threads N       of the device cpu\n"                                            \
    "  --json, --quiet   the summary as JSON; none\n"                                    \
    "\n"

const command gradient_command = {
    .name = "gradient",
    .arguments = "FILE",
    .about = "the gradient of a misfit with respect to coefficients",
    .help =
        "Half the sum of squares of what the receivers (the `sample` lines) record less\n"
        "what was observed is differentiated with respect to each coefficient field, at\n"
        "every point, into c-gradient.npy.\n"
        "\n"
        "  --of NAME         of one coefficient; otherwise of all\n" OPTIONS
        "  pavior gradient shot.pav --data observed.npy --of c\n",
    .run = run_gradient,
};

const command migrate_command = {
    .name = "migrate",
    .arguments = "FILE",
    .about = "reverse-time migration of a shot",
    .help =
        "The data go back from the receivers (the `sample` lines); at each step they "
        "are\n"
        "multiplied with the run forwards. image.npy is the sum, illumination.npy that "
        "of\n"
        "the squares of the run, migrated.npy and .png what is left of their quotient\n"
        "without what is smooth.\n"
        "\n"
        "  --speed NAME      the coefficient that is the waves' speed; its cube makes\n"
        "                    reflectors at all depths as bright as they reflect\n" OPTIONS
        "  pavior migrate smooth.pav --data recorded.npy --speed c --out image\n",
    .run = run_migrate,
};
