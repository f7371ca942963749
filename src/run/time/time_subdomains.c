/* SPDX-License-Identifier: BSD-3-Clause */
/* Decides if subdomains on processors take time blocks, each by itself. */
#include "run/time/time_private.h"

static bool are_on_processors(const pav_run *run)
{
    bool all = run->compiled;
    for (int n = 0; n < run->places; n++)
        all = all && !run->place[n].kind->own_memory &&
              (!run->place[n].device || run->place[n].kind->kernels);
    return all;
}

/* A cut axis that is periodic for some field; -1: none. */
static int cut_around(const pav_run *run)
{
    for (int axis = 0; axis < run->code->dim; axis++)
        for (int64_t f = 0; f < run->code->fields && run->cut.boxes.parts[axis] > 1; f++)
            if (border_wraps(run->code->field[f].border[axis][0].kind))
                return axis;
    return -1;
}

void time_within_refusal(const pav_run *run, text *why)
{
    const int around = cut_around(run), steps = wide_halo_steps(run->part->wide);
    if (!are_on_processors(run))
        text_add(why, "not all subdomains are on processors");
    else if (around >= 0)
        text_add(why, "the grid is cut along %c, which is periodic", "xyz"[around]);
    else if (steps < 2)
        text_add(why, "halos are exchanged after each step (--exchange-every 4 asks for "
                      "fewer exchanges)");
    else if (schedule_longest(&run->schedule, false) > steps)
        text_add(
            why,
            "blocks of %d steps are longer than the %d from one exchange to the next "
            "(--exchange-every)",
            schedule_longest(&run->schedule, false), steps);
}

bool time_within_may_be(const pav_run *run)
{
    text why = {0};
    if (run->cut.is_cut)
        time_within_refusal(run, &why);
    const bool may = why.length == 0 && !why.failed;
    text_free(&why);
    return may;
}

/* Ranks on different machines would list different tiles. */
pav_status time_within_agree(const pav_run *run, time_choice *c)
{
    pav_ranks *ranks = run->part->ranks;
    TRY(ranks_share(ranks, 0, &c->count, (int64_t)sizeof c->count));
    return ranks_share(ranks, 0, c->trial, (int64_t)sizeof c->trial);
}
