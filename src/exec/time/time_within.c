/* SPDX-License-Identifier: BSD-3-Clause */
/* Time blocks within subdomains on processors. Halos are exchanged once for all steps of
 * a block. Each subdomain then computes its part of the tiles of the whole grid, as far
 * as its shrinking halo allows. The points are the same as in single steps between two
 * exchanges. */
#include <assert.h>
#include <string.h>

#include "exec/time/tile_private.h"

/* Each subdomain begins with the scalars of the step before the block. */
static pav_status open_blocks(time_block *block, const time_block *like)
{
    subdomain *whole = like->whole;
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

/* Each rank has the values of receivers at its own points, and 0 bits elsewhere. */
static void forget_rows(const time_block *like)
{
    const time_state *s = like->state;
    for (int64_t k = 0; k < s->receivers && like->whole->ranks; k++)
        memset(s->sampled[k], 0,
               (size_t)(like->steps * s->sample[k].count) * sizeof **s->sampled);
}

static pav_status share_rows(const time_block *like)
{
    const time_state *s = like->state;
    for (int64_t k = 0; k < s->receivers; k++)
        if (s->sample[k].count > 0)
            TRY(ranks_or(like->whole->ranks, (uint64_t *)(void *)s->sampled[k],
                         like->steps * s->sample[k].count));
    return PAV_OK;
}

static pav_status take_all(time_block *block, const time_block *like)
{
    TRY(open_blocks(block, like));
    TRY(exec_split_each(like->whole, roll, block));
    return share_rows(like);
}

pav_status time_block_take_within(const time_block *like)
{
    subdomain *whole = like->whole;
    assert(like->steps <= wide_halo_steps(whole->wide)); /* halos are deep enough */
    time_block *block = mem_new(whole->inners, sizeof *block);
    if (!block)
        return PAV_ENOMEM;
    pav_status status = exec_split_block_begin(whole);
    forget_rows(like);
    if (status == PAV_OK)
        status = take_all(block, like);
    for (int64_t n = 0; n < whole->inners; n++)
        if (block[n].whole)
            time_block_close(&block[n]);
    mem_free(block);
    return status == PAV_OK ? exec_split_block_end(whole, like->steps) : status;
}
