/* SPDX-License-Identifier: BSD-3-Clause */
/* The places of a run: the devices of a list, or the only one. Each gets a part of the
 * grid by its weight, given by the user or found for unequal places (run_hybrid.c). */
#include <stdio.h>
#include <stdlib.h>

#include "run/run_private.h"

void places_close(pav_run *run)
{
    mem_free(run->place);
    mem_free(run->cut.share);
    mem_free(run->cut.order);
    mem_free(run->cut.hybrid);
}

/* ---- given weights ----------------------------------------------------------------- */

static pav_status not_weights(const pav_run *run)
{
    return FAIL(PAV_EINVAL,
                "'%s' are no weights: give a positive number for each of the %d %s, "
                "with commas between them, as in 1,3",
                run->options.weights, places_count(run),
                run->part->ranks ? "ranks" : "devices");
}

static pav_status read_weights(pav_run *run)
{
    const char *at = run->options.weights;
    const int count = places_count(run);
    run->cut.share = mem_new(count, sizeof *run->cut.share);
    if (!run->cut.share)
        return PAV_ENOMEM;
    for (int n = 0; n < count; n++) {
        char *end;
        run->cut.share[n] = strtod(at, &end);
        if (end == at || !(run->cut.share[n] > 0 && run->cut.share[n] < 1e9) ||
            *end != (n + 1 < count ? ',' : '\0'))
            return not_weights(run);
        at = end + 1;
    }
    return PAV_OK;
}

static pav_status check_weights(const pav_run *run)
{
    if (places_count(run) < 2)
        return FAIL(PAV_EINVAL,
                    "weights share a grid out among devices or ranks: give several, as "
                    "in --device cpu+cuda, or leave them out");
    if (run->options.subdomains)
        return FAIL(PAV_EINVAL,
                    "weights cut the grid into a subdomain for each device or rank: "
                    "leave out either them or the number of subdomains");
    return PAV_OK;
}

/* ---- all --------------------------------------------------------------------------- */

/* GPUs of one make in a list count as equal. */
static bool are_unequal(const pav_run *run)
{
    for (int n = 1; n < run->places; n++)
        if (run->place[n].device->ops != run->place[0].device->ops)
            return true;
    return false;
}

/* A solver within a step uses the shares of the outer run. */
static pav_status take_outer(pav_run *run)
{
    const int count = run->solver.outer->cut.share ? places_count(run) : 0;
    run->cut.share = count > 0 ? mem_new(count, sizeof *run->cut.share) : NULL;
    for (int n = 0; n < count && run->cut.share; n++)
        run->cut.share[n] = run->solver.outer->cut.share[n];
    return count == 0 || run->cut.share ? PAV_OK : PAV_ENOMEM;
}

pav_status places_find(pav_run *run, opening *how)
{
    const int listed = how->device ? how->device->places : 0;
    run->places = listed > 0 ? listed : 1;
    run->place = mem_new(run->places, sizeof *run->place);
    if (!run->place)
        return PAV_ENOMEM;
    for (int n = 0; n < run->places; n++) {
        exec_place *p = &run->place[n];
        p->device = device_place(how->device, n);
        p->kind = place_kind_of(p->device);
        (void)snprintf(p->name, sizeof p->name, "%s",
                       p->device ? pav_device_name(p->device) : run->device_name);
    }
    if (run->solver.outer)
        return take_outer(run);
    if (run->options.weights) {
        TRY(check_weights(run));
        TRY(read_weights(run));
        return run->part->ranks ? PAV_OK : hybrid_check(run);
    }
    return are_unequal(run) && !run->options.subdomains ? hybrid_weigh(run, how) : PAV_OK;
}
