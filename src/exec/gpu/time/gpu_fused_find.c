/* SPDX-License-Identifier: BSD-3-Clause */
/* Checks if a fused launch is possible: on this GPU, with its memory and multiprocessors,
 * and in this run with its observations. Plans and runs call the same checks and give the
 * same message; models use the description found here. */
#include <stdio.h>

#include "exec/gpu/gpu_private.h"

/* Steps limited by the numbers that fit in the argument of a launch. */
int gpu_fused_most_steps(const emit_gpu_fused *what)
{
    const int64_t most = what->number_bytes > 0 ? GPU_MOST_ARGUMENT / what->number_bytes
                                                : what->most;
    return most < what->most ? (int)most : what->most;
}

/* All blocks of a persistent kernel must run at once. `most`: known number of resident
 * blocks. */
pav_status gpu_fused_check_room(const gpurun *g, const emit_gpu_fused *what, int64_t most)
{
    const int *tiles = what->schedule.device.size;
    const int64_t blocks = (int64_t)tiles[0] * tiles[1] * tiles[2];
    return blocks <= most
               ? PAV_OK
               : FAIL(PAV_EUNSUPPORTED,
                      "%s cannot take several steps in one launch: of %lld blocks of %d "
                      "threads, one for each tile, %s has room for %lld at once: take "
                      "fewer tiles or threads",
                      g->client->program->name, (long long)blocks,
                      what->schedule.tile.size[0], g->client->device_name,
                      (long long)most);
}

/* The registers of the kernel are still unknown. */
static int64_t most_at_once(const gpu_facts *f, const emit_gpu_fused *what)
{
    return (int64_t)f->multiprocessors *
           (gpu_facts_architecture(f)->threads / what->schedule.tile.size[0]);
}

static pav_status fits(const gpurun *g, const emit_gpu_fused *what)
{
    const int most = gpu_facts_of(g->gpu)->shared_block;
    const char *why = what->schedule.tile.copy == COPY_TMA ? gpu_tensor_refusal(g->gpu)
                                                           : NULL;
    if (why)
        return FAIL(PAV_EUNSUPPORTED, "planes are not copied by the accelerator: %s: %s",
                    g->client->device_name, why);
    if (!what->sweeps)
        TRY(gpu_fused_check_room(g, what, most_at_once(gpu_facts_of(g->gpu), what)));
    if (what->shared > most)
        return FAIL(
            PAV_EUNSUPPORTED,
            "a block of this launch takes %lld bytes of shared memory, and %s has %d: "
            "take fewer steps (depth=) or threads",
            (long long)what->shared, g->client->device_name, most);
    if (what->argument_bytes > GPU_MOST_ARGUMENT ||
        (gpu_fused_most_steps(what) < what->most &&
         (what->sweeps || gpu_fused_most_steps(what) < 2)))
        return FAIL(PAV_EUNSUPPORTED,
                    "the numbers of %d steps take more than %d bytes: take fewer steps "
                    "(depth=)",
                    what->most, GPU_MOST_ARGUMENT);
    return PAV_OK;
}

pav_status gpu_fused_find(const gpurun *g, schedule *requested, emit_gpu_fused *what)
{
    const gpu_facts *f = gpu_facts_of(g->gpu);
    if (requested->kind == SCHEDULE_PERSISTENT)
        TRY(emit_gpu_fused_fit(g->base.part->code, f, requested));
    TRY(emit_gpu_fused_of(g->base.part->code, requested, f, what));
    const pav_status status = fits(g, what);
    if (status != PAV_OK)
        emit_gpu_fused_free(what);
    return status;
}

cost_launch gpu_launch_of(const gpurun *g, const emit_gpu_fused *what,
                          const gpu_kernel *kernel)
{
    const int *threads = what->schedule.tile.size;
    return (cost_launch){
        .code = g->base.part->code,
        .what = what,
        .gpu = gpu_facts_of(g->gpu),
        .stored = g->visit,
        .at_once = kernel ? gpu_cooperative_blocks(kernel, threads[0] * threads[1],
                                                   what->shared)
                          : 0,
    };
}

/* Most steps of a possible shorter launch; 0: there is none. */
static int shorter(const gpurun *g, const schedule *requested)
{
    const int64_t most = g->client->ops->to_observer(g->client) - 1;
    schedule other = *requested;
    emit_gpu_fused fused;
    other.tile.steps = (int)most;
    if (requested->kind != SCHEDULE_GPU_TIME || most < 2 ||
        gpu_fused_find(g, &other, &fused) != PAV_OK)
        return 0;
    const bool fewer = fused.least <= most;
    emit_gpu_fused_free(&fused);
    return fewer ? other.tile.steps : 0;
}

static pav_status refuse(const gpurun *g, const schedule *requested,
                         const emit_gpu_fused *what, const char *why)
{
    const int depth = shorter(g, requested);
    char remedy[64] = "";
    if (depth > 0)
        (void)snprintf(remedy, sizeof remedy, ": depth=%d takes fewer", depth);
    return FAIL(PAV_EUNSUPPORTED,
                "%s cannot take several steps in one launch: %s, and launches take at "
                "least %d and a single one that follows%s",
                g->client->program->name, why, what->least, remedy);
}

/* A launch must fit between observations, because the last step before an observation is
 * a single one. */
pav_status gpu_fused_check_observers(const gpurun *g, const schedule *requested,
                                     const emit_gpu_fused *what)
{
    text why = {0};
    g->client->ops->list_observers(g->client, what->least + 1, &why);
    const pav_status status = why.failed       ? PAV_ENOMEM
                              : why.length > 0 ? refuse(g, requested, what, why.data)
                                               : PAV_OK;
    text_free(&why);
    return status;
}
