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
        else if (strncmp(word, "disk-size=", 10) == 0) {
            if (!size_read("history: disk-size", word + 10, &wanted->disk_bytes))
                return false;
        } else if (!size_read("history", word, &wanted->history)) {
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
    const char *every = o->value[EVERY];
    const bool by_spectra = every && strcmp(every, "auto") == 0;

    DO(options_store(o, targets, wanted));
    if (every && !by_spectra &&
        !number_read("every", every, 1, INT64_MAX, &wanted->every))
        return EXIT_USAGE;
    if (by_spectra)
        wanted->every = PAV_EVERY_AUTO;
    return shots_read(o->value[AT_ONCE], o->value[TOGETHER], wanted);
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

static int take(const pav_program *program, const options *o,
                const pav_adjoint_options *wanted)
{
    pav_adjoint_options own = *wanted;
    pav_adjoint_result result;
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
    if (status != PAV_OK)
        return fail_with(status);
    report(&result, o);
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
    const pav_status status = pav_adjoint_plan(program, &wanted, o->value[JSON] != NULL,
                                               &text);
    return print_text(status, text);
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
    .rule = rules,
    .rules = RULES,
    .shared = run,
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
    .rule = rules,
    .rules = RULES,
    .shared = run,
};
