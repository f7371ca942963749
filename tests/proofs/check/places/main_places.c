/* SPDX-License-Identifier: BSD-3-Clause */
/* check_places: random programs at random places, any number of them, also by ranks of
 * mpirun. `make campaign` starts it. Exit code 1: a program failed, or, with
 * --coverage, a pair had no program. */
#include <getopt.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "places.h"

static const char help[] =
    "check_places [OPTION...]: compares random programs at random places, with\n"
    "subdomains, on several devices, out of core, restarted, bit for bit with the\n"
    "undivided interpreter. A table of the compared pairs of feature, place and\n"
    "schedule follows. Ranks of mpirun share each program.\n"
    "  --device NAME  interpreter, cpu, emulated or cuda (all but cuda)\n"
    "  --programs N   number of programs (200)\n"
    "  --seed S       seed of the programs (1); a failure prints the seed to repeat it\n"
    "  --print        only print the program of the seed\n"
    "  --coverage     fail if a pair had no program and no refusal explains it; list\n"
    "                 the refused pairs; more programs are drawn for other pairs\n"
    "  --jobs N       share the programs among N processes (1)\n";

static void print_line(void *user, const char *line)
{
    (void)user;
    fprintf(stderr, "%s\n", line);
}

static void print_live(void *user, const char *line)
{
    (void)user;
    fprintf(stderr, "\r\033[K%.100s\r", line);
}

static int finish(pav_ranks *ranks, int code)
{
    int failed = -1;
    if (ranks && pav_ranks_meet(ranks, code ? PAV_EINTERNAL : PAV_OK, &failed) != PAV_OK)
        pav_ranks_abort(ranks, code);
    pav_ranks_free(ranks);
    return code;
}

static int check(places_options *o)
{
    places_count count = {0};
    if (pav_ranks_open(NULL, &o->ranks) != PAV_OK) {
        fprintf(stderr, "check_places: %s\n", pav_message());
        return 1;
    }
    const bool first = pav_ranks_number(o->ranks) == 0;
    o->report = first ? print_line : NULL;
    o->live = first && isatty(STDERR_FILENO) ? print_live : NULL;
    if (places_check(o, &count) != PAV_OK) {
        fprintf(stderr, "check_places: %s\n", pav_message());
        return finish(o->ranks, 1);
    }
    if (first)
        printf("%lld passed, %lld failed, %lld refused; %lld pairs that no program had\n",
               (long long)count.passed, (long long)count.failed, (long long)count.refused,
               (long long)count.missing);
    (void)fflush(stdout);
    return finish(o->ranks, count.failed || (o->coverage && count.missing) ? 1 : 0);
}

int main(int count, char **word)
{
    enum { DEVICE = 1, PROGRAMS, SEED, PRINT, COVERAGE, JOBS };
    static const struct option known[] = {{"device", required_argument, NULL, DEVICE},
                                          {"programs", required_argument, NULL, PROGRAMS},
                                          {"seed", required_argument, NULL, SEED},
                                          {"print", no_argument, NULL, PRINT},
                                          {"coverage", no_argument, NULL, COVERAGE},
                                          {"jobs", required_argument, NULL, JOBS},
                                          {NULL, 0, NULL, 0}};
    places_options o = {.programs = 200, .seed = 1};
    bool print = false;
    for (int found; (found = getopt_long(count, word, "", known, NULL)) != -1;)
        switch (found) {
        case DEVICE: o.device = optarg; break;
        case PROGRAMS: o.programs = strtoll(optarg, NULL, 10); break;
        case SEED: o.seed = strtoull(optarg, NULL, 10); break;
        case PRINT: print = true; break;
        case COVERAGE: o.coverage = true; break;
        case JOBS: o.jobs = (int)strtol(optarg, NULL, 10); break;
        default: fprintf(stderr, "%s", help); return 2;
        }
    if (optind < count || o.programs < 1) {
        fprintf(stderr, "%s", help);
        return 2;
    }
    if (!print)
        return check(&o);
    OWNED_BY(text_free) text t = {0};
    places_add_program(o.seed, &t);
    printf("%s", t.data ? t.data : "");
    return 0;
}
