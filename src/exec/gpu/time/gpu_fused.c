/* SPDX-License-Identifier: BSD-3-Clause */
/* Fused launches on a GPU: several steps in one launch.
 * A fused launch reads the present levels and writes its last levels to other buffers, so
 * fields with more than two levels get more buffers (field_buffers). It does not keep the
 * oldest level, because no step reads it. The last step before an observation is
 * therefore a single step. Borders are filled after the launch, like after any step. */
#include <assert.h>

#include "exec/gpu/time/gpu_fused_private.h"

/* ---- a fused launch ---------------------------------------------------------------- */

/* Ghosts beyond periodic faces are read by single steps and by persistent blocks. */
static bool reads_ghosts(const ir *code)
{
    for (int64_t f = 0; f < code->fields; f++)
        for (int face = 0; face < SIDES * code->dim; face++) {
            const border_kind kind =
                code->field[f].border[face / SIDES][face % SIDES].kind;
            if (code->field[f].updated && border_is(kind) && !border_wraps(kind))
                return true;
        }
    return false;
}

pav_status gpurun_step(gpurun *g, bool behind)
{
    g->behind = behind;
    return g->period > 0 ? gpu_step(g->gpu, g->period) : PAV_OK;
}

/* One rotation for each level kept: the oldest level is not kept. */
static pav_status end_steps(gpurun *g, int steps)
{
    const ir *code = g->base.part->code;
    for (int64_t f = 0; f < code->fields; f++)
        for (int n = 1; n < code->field[f].levels && code->field[f].updated; n++)
            levels_rotate(&g->base.part->field[f]);
    subdomain_refresh_views(g->base.part);
    assert(g->base.part->inners == 0); /* subdomains end their steps together */
    subdomain_set_step(g->base.part, g->base.part->step + steps);
    g->ghosts_stale = true;
    if (reads_ghosts(code))
        TRY(gpu_fill_borders(g));
    return gpurun_step(g, true);
}

/* Fused launches must wait until constant borders have been filled once. */
bool gpu_fused_may(const gpurun *g)
{
    for (int f = 0; f < g->base.part->code->fields; f++)
        if (g->base.part->code->field[f].updated &&
            subdomain_border_state(g->base.part, f) == BORDER_TO_KEEP)
            return false;
    return g->begun && !g->client->ops->state(g->client).wants_single;
}

/* The launch that fits before the next observation; NULL: a single step is next. */
static gpu_fused *next_of(const gpurun *g, int64_t room)
{
    gpu_fused *p = g->fused;
    if (!gpu_fused_may(g))
        return NULL;
    if (room < p->what.least)
        p = p->shorter;
    return p && room >= p->what.least ? p : NULL;
}

static pav_status take(gpurun *g, gpu_fused *p, int steps)
{
    if (!p->marks)
        TRY(gpu_fused_points_open(g, &p->what, g->base.part, &p->marks));
    if (gpu_fused_is_persistent(p) || g->wrap_ghosts_stale)
        TRY(gpu_fill_borders(g));
    TRY(gpu_fused_launch(g, p, steps));
    p->epoch += (steps - 1) / p->what.schedule.tile.steps;
    p->taken++;
    g->client->ops->count(g->client, steps, p != g->fused);
    TRY(gpu_fused_points_rows(g, p->marks, &p->what, steps));
    return end_steps(g, steps);
}

/* In asynchronous programs all blocks see the newest values at the end of a launch. */
static int steps_of(const gpurun *g, const gpu_fused *p, int64_t room)
{
    const int64_t chaotic = g->base.part->code->program->chaotic;
    int depth = gpu_fused_most_steps(&p->what);
    if (chaotic > 0 && gpu_fused_is_persistent(p))
        depth = int_least(depth, int_most((int)chaotic, p->what.least));
    return room < depth ? (int)room : depth;
}

int gpu_fused_next(const gpurun *g, int64_t most)
{
    const int64_t room = g->client->ops->until_event(g->client, most) - 1;
    const gpu_fused *p = next_of(g, room);
    return p == g->fused ? steps_of(g, p, room) : 1;
}

pav_status gpu_fused_steps(gpurun *g, int64_t most)
{
    const int64_t room = g->client->ops->until_event(g->client, most) - 1;
    gpu_fused *p = next_of(g, room);
    return p ? take(g, p, steps_of(g, p, room)) : g->client->ops->one_step(g->client);
}

bool gpu_fused_is_behind(const gpurun *g)
{
    return g->behind;
}

static const gpu_fused *shorter_of(const gpurun *g)
{
    return g->fused ? g->fused->shorter : NULL;
}

int64_t gpu_fused_count(const gpurun *g)
{
    const gpu_fused *p = shorter_of(g);
    return g->fused ? g->fused->taken + (p ? p->taken : 0) : 0;
}

int gpu_fused_short(const gpurun *g)
{
    return shorter_of(g) ? shorter_of(g)->what.most : 0;
}

int gpu_fused_depth(const gpurun *g)
{
    return g->fused ? g->fused->what.most + 1 : 1;
}

int gpu_fused_least(const gpurun *g)
{
    return g->fused ? g->fused->what.least + 1 : 1;
}

void gpu_fused_string(const gpurun *g, text *t)
{
    schedule words = g->fused->what.schedule;
    if (!gpu_fused_is_persistent(g->fused)) {
        words.planes = (int)g->fused->sweep.planes;
        words.tail = (int)g->fused->sweep.tail;
    }
    schedule_print(&words, t);
}
