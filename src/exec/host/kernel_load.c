/* SPDX-License-Identifier: BSD-3-Clause */
/* Properties of a stage known before any kernel runs: its memory traffic, the values it
 * leaves of reductions, and the candidate loop schedules. */
#include "exec/host/host.h"

/* ---- reductions -------------------------------------------------------------------- */

int64_t reduction_piece(int64_t x)
{
    return (x & -(int64_t)EMIT_PIECE) / EMIT_PIECE;
}

void reduction_sizes(const box *b, int64_t size[MAX_DIM])
{
    size[0] = reduction_piece(b->hi[0] - 1) - reduction_piece(b->lo[0]) + 1;
    size[1] = size[0] * (b->hi[1] - b->lo[1]);
    size[2] = size[1] * (b->hi[2] - b->lo[2]);
}

int64_t kernels_reduction_bytes(const ir *code)
{
    int64_t most = 0;
    for (int64_t k = 0; k < code->stages; k++) {
        const ir_stage *s = &code->stage[k];
        const box b = ir_stage_box(code, s);
        int64_t count = 0, size[MAX_DIM];
        reduction_sizes(&b, size);
        for (int64_t n = 0; n < s->outputs && emit_has_kernel(s); n++)
            count += s->output[n].kind == IR_REDUCE ? size[2] : 0;
        most = count > most ? count : most;
    }
    return most * (int64_t)sizeof(double);
}

/* ---- loop schedules ---------------------------------------------------------------- */

/* Subdomains compute in turn, so all of them share the largest cache in a step. */
kernel_host kernel_host_of(const exec_client *client)
{
    const client_state state = client->ops->state(client);
    const int64_t turns = state.inners > 0 ? state.inners : 1;
    kernel_host host = {.threads = client->ops->threads(client),
                        .cache = host_cache(0) / turns,
                        .core_cache = host_cache(2),
                        .sharers = host_cache_sharers(),
                        .nodes = host_nodes(),
                        .steps = state.steps,
                        .rates = client->machine.rate,
                        .kind = client->schedule->kind};
    host.sharers = int_least(host.sharers, host.threads);
    return host;
}

/* True if the request has settings besides its kind. */
static bool has_settings(const schedule *s)
{
    const schedule bare = {.kind = s->kind};
    return !schedule_is_same(s, &bare);
}

kernel_host kernel_host_in(const exec_client *client, int64_t stage)
{
    const schedule_kind kind = client->schedule->kind;
    const bool loops = kind == SCHEDULE_ROWS || kind == SCHEDULE_BLOCKS;
    bool is_hint;
    const schedule *found = client->ops->known(client, stage, &is_hint);
    const schedule *known = found && !schedule_is_of_gpus(found->kind) ? found : NULL;
    kernel_host host = kernel_host_of(client);
    if (loops && has_settings(client->schedule))
        host.requested = client->schedule;
    else if (known && is_hint)
        host.hint = known;
    else if (known)
        host.requested = known;
    if (host.requested)
        host.kind = host.requested->kind;
    return host;
}

pav_status kernel_candidates(const exec_client *client, const ir *code,
                             const ir_stage *stage, loop_tuner *m)
{
    const box b = ir_stage_box(code, stage);
    const kernel_host host = kernel_host_in(client, stage - code->stage);
    *m = (loop_tuner){0};
    if (!emit_has_kernel(stage))
        return PAV_OK;
    cost_load load;
    TRY(cost_load_of_stage(code, stage, &load));
    loop_tuner_list(&b, &load, &host, m);
    return PAV_OK;
}
