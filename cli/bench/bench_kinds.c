/* SPDX-License-Identifier: BSD-3-Clause */
/* The lists of the command bench, and the check of their options: bench refuses an option
 * rather than ignore it, so results never differ from the request. */
#include <string.h>

#include "bench_list.h"

static const bench_kind *const kinds[] = {
    &bench_copy,    &bench_stencils, &bench_orders,       &bench_variants,
    &bench_passes,  &bench_transfer, &bench_coefficients, &bench_access,
    &bench_time,    &bench_prism,    &bench_multigrid,    &bench_async,
    &bench_scaling, &bench_hybrid,   &bench_outofcore,    &bench_gradient,
    &bench_rtm,     &bench_auto,     &bench_model};
enum { KINDS = sizeof kinds / sizeof *kinds };

const bench_kind *bench_find(const char *word)
{
    for (int k = 0; k < KINDS; k++)
        if (strcmp(word, kinds[k]->name) == 0)
            return kinds[k];
    return strncmp(word, "auto:", 5) == 0    ? &bench_auto
           : strncmp(word, "model:", 6) == 0 ? &bench_model
                                             : NULL;
}

static int check_list(const bench_kind *kind, const bench_given *given)
{
    if (given->schedule && kind->fixed)
        return usage_error(&bench_command, "%s takes no --schedule: %s", kind->name,
                           kind->fixed);
    if (given->model && kind != &bench_scaling)
        return usage_error(&bench_command, "--model is of scaling, not of %s",
                           kind->name);
    if (given->set && kind->no_program)
        return usage_error(&bench_command,
                           "%s runs no program that --set could change: leave it out",
                           kind->name);
    if (given->sizes && kind->one_size && strchr(given->sizes, ','))
        return usage_error(&bench_command,
                           "%s takes one size, not %s: give it one, as in --sizes 256",
                           kind->name, given->sizes);
    return EXIT_DONE;
}

int bench_check(const options *o, const bench_given *given)
{
    const char *grids = given->small ? "small" : "sizes";
    int code = EXIT_DONE;
    if (o->plain_count == 0)
        return usage_error(&bench_command,
                           "`copy`, `stencils`, another list or descriptions are needed");
    if (given->small && given->sizes)
        return usage_error(&bench_command,
                           "--small and --sizes both say how large grids are: leave out "
                           "one");
    for (int k = 0; k < o->plain_count && code == EXIT_DONE; k++) {
        const bench_kind *kind = bench_find(o->plain[k]);
        if (kind)
            code = check_list(kind, given);
        else if (given->model)
            code = usage_error(&bench_command, "--model is of scaling, not of %s",
                               o->plain[k]);
        else if (given->small || given->sizes)
            code = usage_error(&bench_command,
                               "--%s is of lists, and '%s' says its grid itself: leave "
                               "it out",
                               grids, o->plain[k]);
    }
    return code;
}
