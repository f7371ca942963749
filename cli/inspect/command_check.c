/* SPDX-License-Identifier: BSD-3-Clause */
/* pavior check: proves this installation on random and bundled programs. */
#include <stdio.h>
#include <stdlib.h>

#include "cli.h"

enum { DEVICE, PROGRAMS, SEED, RANDOM_ONLY, SHARE, COMPILE, JSON, QUIET, PRINT, RULES };
enum { MOST_SHARES = 9999 };

static const option_rule rules[RULES] = {
    [DEVICE] = {"device", true, false},    [PROGRAMS] = {"programs", true, false},
    [SEED] = {"seed", true, false},        [RANDOM_ONLY] = {"random-only", false, false},
    [COMPILE] = {"compile", false, false}, [JSON] = {"json", false, false},
    [QUIET] = {"quiet", false, false},     [SHARE] = {"share", true, false},
    [PRINT] = {"print", false, false},
};

#define AT(member) offsetof(pav_check_options, member)
static const option_target targets[] = {
    {"device", OPTION_WORD, AT(device), 0},
    {"random-only", OPTION_FLAG, AT(random_only), 0},
    {"compile", OPTION_FLAG, AT(compile), 0},
    {"programs", OPTION_INT64, AT(programs), INT64_MAX},
    {"seed", OPTION_INT64, AT(seed), INT64_MAX},
    {NULL, OPTION_WORD, 0, 0},
};
#undef AT
static const option_pair pairs[] = {
    {COMPILE, DEVICE, true, "--compile runs nothing, so it takes no --device"},
    {0, 0, false, NULL},
};

static void print_line(void *user, const char *line)
{
    live_close(user);
    fprintf(stderr, "%s\n", line);
}

static void print_axes(const char *name, const int64_t count[3])
{
    printf(", \"%s\": [%lld, %lld, %lld]", name, (long long)count[0], (long long)count[1],
           (long long)count[2]);
}

/* "3/16" */
static bool read_share(const char *words, pav_check_options *c)
{
    char *slash, *end = NULL;
    const long share = strtol(words, &slash, 10);
    const long shares = *slash == '/' ? strtol(slash + 1, &end, 10) : 0;
    c->share = (int)share;
    c->shares = (int)shares;
    if (end && !*end && share >= 1 && share <= shares && shares <= MOST_SHARES)
        return true;
    return REFUSED(
        PAV_EINVAL,
        "--share takes a part of a whole, as 3/16, from 1/16 to 16/16, not '%s'", words);
}

static int check(const options *o)
{
    live l;
    pav_check_options c = {
        .report = o->value[QUIET] ? NULL : print_line, .live = live_say, .user = &l};
    char *text = NULL;
    pav_check_count count;
    if (o->plain_count != 0)
        return usage_error(&check_command, "takes no files, but '%s' is given",
                           o->plain[0]);
    DO(options_store(o, targets, &c));
    if (o->value[PRINT])
        return print_text(pav_check_program(c.seed ? c.seed : 1, &text), &text);
    if ((o->value[SHARE] && !read_share(o->value[SHARE], &c)) ||
        options_check(o, pairs) != EXIT_DONE)
        return EXIT_USAGE;
    live_open(&l, o->value[QUIET] != NULL);
    const pav_status status = pav_check(&c, &count);
    live_close(&l);
    if (status != PAV_OK)
        return fail_with(status);
    if (o->value[JSON]) {
        printf("{\"passed\": %lld, \"failed\": %lld, \"several\": %lld",
               (long long)count.passed, (long long)count.failed,
               (long long)count.several);
        print_axes("tiled", count.tiled);
        print_axes("around", count.around);
        printf(", \"turned\": %lld}\n", (long long)count.turned);
    } else
        printf("%lld passed, %lld failed\n", (long long)count.passed,
               (long long)count.failed);
    return count.failed ? EXIT_RUN_FAILED : EXIT_DONE;
}

const command check_command = {
    .name = "check",
    .arguments = "",
    .about = "prove this installation on random and bundled programs",
    .help =
        "  --device NAME  the device to check; auto: the best\n"
        "  --programs N   number of random programs (200); every 20th is an equation\n"
        "                 to solve, every 20th the dot-product test of an adjoint\n"
        "  --seed S       seed of the programs (1); a failure prints the seed to\n"
        "                 repeat it\n"
        "  --print        only print the random program of the seed\n"
        "  --random-only  leave out the catalogue\n"
        "  --share K/N    check every Nth program from the Kth on, so that N\n"
        "                 processes share them; GPU compilers use one core each, so\n"
        "                 this saves time\n"
        "  --compile      only compile kernels for GPUs, for sm_75, sm_80, sm_90, "
        "sm_100,\n"
        "                 and report register spills; needs NVRTC, but no GPU\n"
        "  --json         print the counts as JSON\n"
        "  --quiet        print only the counts\n",
    .rule = rules,
    .rules = RULES,
    .work = check,
};
