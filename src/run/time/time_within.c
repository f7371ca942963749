/* SPDX-License-Identifier: BSD-3-Clause */
/* Time blocks within subdomains on processors. Halos are exchanged once for all steps of
 * a block; then each subdomain, by itself, takes them in tiles of the whole grid, of
 * which it has those points that its shrinking halo allows: what single steps between two
 * exchanges would compute, too. */
#include <string.h>

#include "run/time/time_private.h"

/* ---- whether ----------------------------------------------------------------------- */

static bool are_on_processors(const pav_run *run)
{
    bool all = run->compiled;
    for (int n = 0; n < run->places; n++)
        all = all && !run->place[n].kind->own_memory &&
              (!run->place[n].device || run->place[n].kind->kernels);
    return all;
}

/* An axis that is cut and wraps around for some field; -1: none. */
static int cut_around(const pav_run *run)
{
    for (int axis = 0; axis < run->code->dim; axis++)
        for (int64_t f = 0; f < run->code->fields && run->cut.parts[axis] > 1; f++)
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
    if (run->is_cut)
        time_within_refusal(run, &why);
    const bool may = why.length == 0 && !why.failed;
    text_free(&why);
    return may;
}

/* Of several machines each would list other tiles. */
pav_status time_within_agree(const pav_run *run, time_choice *c)
{
    pav_ranks *ranks = run->part->ranks;
    TRY(ranks_share(ranks, 0, &c->count, (int64_t)sizeof c->count));
    return ranks_share(ranks, 0, c->trial, (int64_t)sizeof c->trial);
}

/* ---- a block ----------------------------------------------------------------------- */

/* The scalars of each begin with those of the step before the block. */
static pav_status open_blocks(time_block *block, const time_block *like)
{
    subdomain *whole = like->run->part;
    const size_t bytes = (size_t)whole->code->uniforms * sizeof *whole->uniform;
    double *before = mem_new(whole->code->uniforms + 1, sizeof *before);
    pav_status status = before ? PAV_OK : PAV_ENOMEM;
    if (before)
        memcpy(before, whole->uniform, bytes);
    for (int64_t n = 0; n < whole->inners && status == PAV_OK; n++) {
        block[n] = *like;
        block[n].part = &whole->inner[n];
        block[n].number = n;
        block[n].team = whole->inner[n].executor->team;
        memcpy(whole->uniform, before, bytes);
        if (!whole->inner[n].executor->absent)
            status = time_block_open(&block[n]);
    }
    mem_free(before);
    return status;
}

static pav_status roll(void *user, int64_t n)
{
    const time_block *block = user;
    return time_block_roll(&block[n]);
}

/* Of receivers each rank has the values at its own points, and 0 bits elsewhere. */
static void forget_rows(const pav_run *run, const time_state *s, int steps)
{
    for (int64_t k = 0; k < run->recorders && run->part->ranks; k++)
        memset(s->seen[k], 0, (size_t)(steps * s->sample[k].count) * sizeof **s->seen);
}

static pav_status share_rows(const pav_run *run, const time_state *s, int steps)
{
    for (int64_t k = 0; k < run->recorders; k++)
        if (s->sample[k].count > 0)
            TRY(ranks_or(run->part->ranks, (uint64_t *)(void *)s->seen[k],
                         steps * s->sample[k].count));
    return PAV_OK;
}

static pav_status take_all(time_block *block, const time_block *like)
{
    subdomain *whole = like->run->part;
    TRY(open_blocks(block, like));
    TRY(exec_split_each(whole, roll, block));
    return share_rows(like->run, like->state, like->steps);
}

pav_status time_take_within(pav_run *run, time_state *s, const schedule *shape, int steps)
{
    const time_block like = {
        .run = run, .state = s, .shape = *shape, .step = run->part->step, .steps = steps};
    time_block *block = mem_new(run->part->inners, sizeof *block);
    if (!block)
        return PAV_ENOMEM;
    pav_status status = time_state_ready(run, s, steps);
    if (status == PAV_OK)
        status = exec_split_block_begin(run->part);
    forget_rows(run, s, steps);
    if (status == PAV_OK)
        status = take_all(block, &like);
    for (int64_t n = 0; n < run->part->inners; n++)
        if (block[n].run)
            time_block_close(&block[n]);
    mem_free(block);
    return status == PAV_OK ? exec_split_block_end(run->part, steps) : status;
}
