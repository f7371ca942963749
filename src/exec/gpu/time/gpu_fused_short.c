/* SPDX-License-Identifier: BSD-3-Clause */
/* A shorter launch next to a launch of fixed depth. It fits the steps left before an
 * observation: with observations every 15 steps and launches of 8 steps, a launch of 6
 * and a single step. */
#include "exec/gpu/gpu_private.h"

/* Another kernel takes seconds to compile. This pays only if the gap occurs again, not
 * just at the end of a run. */
static bool comes_again(const gpurun *g, int64_t unobserved)
{
    const int64_t steps = g->client->ops->state(g->client).steps;
    return steps == 0 || (steps - g->base.part->step) / unobserved > 1;
}

/* Steps between two observations not covered by regular launches, without the final
 * single step. */
static int steps_left(const gpurun *g, const emit_gpu_fused *what)
{
    const int64_t unobserved = g->client->ops->to_observer(g->client);
    if (unobserved <= what->least || !comes_again(g, unobserved))
        return 0;
    const int left = (int)((unobserved - 1) % gpu_fused_most_steps(what));
    return left < what->least ? left : 0;
}

pav_status gpu_fused_shorter(const gpurun *g, const schedule *requested,
                             const emit_gpu_fused *what, schedule *shorter)
{
    *shorter = *requested;
    for (int depth = steps_left(g, what); depth > 1; depth--) {
        emit_gpu_fused found;
        shorter->tile.steps = depth;
        shorter->tile.ahead = int_least(requested->tile.ahead, depth);
        const pav_status status = gpu_fused_find(g, shorter, &found);
        if (status == PAV_OK)
            emit_gpu_fused_free(&found);
        if (status == PAV_OK || status == PAV_ENOMEM)
            return status;
    }
    shorter->tile.steps = 0;
    return PAV_OK;
}

double gpu_fused_saved(const gpurun *g, const schedule *shorter)
{
    const int64_t unobserved = g->client->ops->to_observer(g->client);
    const int64_t left = g->client->ops->state(g->client).steps - g->base.part->step;
    const int64_t times = unobserved > 0 ? left / unobserved : 0;
    return (double)times * (double)shorter->tile.steps;
}
