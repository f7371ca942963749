/* SPDX-License-Identifier: BSD-3-Clause */
/* Launches that take a group of stages of one step (plan/groups.c): the text and the plan
 * of a fused launch, for a view of the group that has one step. */
#include "codegen/gpu/fused_private.h"

/* Candidates without a request, the best first. Rings in shared memory leave registers
 * for the rows of a thread. With more fields groups were not measured, or do not fit. */
enum { MOST_ADDED = 2 /* inputs of a group that adds up planes */, MOST_INPUTS = 3 };

static const schedule in_space[] = {
    {.tile.size = {GPU_WARP, 16}, .thread.size[1] = 2, .tile.copy = COPY_TMA},
    {.tile.size = {GPU_WARP, 12}, .thread.size[1] = 2, .tile.copy = COPY_TMA},
};

/* The fields that a group reads on its own grid. */
static int inputs_of(const fused_plan *p)
{
    int count = 0;

    for (int64_t f = p->code->group_of; f < p->code->fields; f++)
        count += p->moves[f];
    return count;
}

/* Takes the first schedule that is possible, and leaves out a group without one. */
static pav_status find(arena *a, const ir *code, const schedule *requested,
                       const gpu_facts *gpu, emit_gpu_groups *found)
{
    const bool asked = schedule_groups_stages(requested);
    const schedule *from = asked ? requested : in_space;
    const size_t count = asked ? 1 : COUNT_OF(in_space);

    *found = (emit_gpu_groups){
        .memory = a,
        .group = arena_alloc(a, code->groups + 1, sizeof *found->group),
        .refusal = "a step has groups of stages if it solves an equation on one GPU, "
                   "uncut, and stages of the finest grid read the stage before"};
    for (int64_t k = 0; k < code->groups; k++) {
        emit_gpu_group *g = &found->group[found->count];
        fused_plan p = {.refusal = ""};
        bool live = false; /* the host packs the numbers of a group */
        for (int64_t n = code->group[k].first; n < code->group[k].end; n++)
            live |= emit_gpu_reads_live(code, &code->stage[code->step.stage[n]]);
        ir_view_group(code, &code->group[k], a, &g->view);
        for (size_t n = 0; n < count && p.refusal; n++) {
            g->schedule = from[n];
            g->schedule.kind = SCHEDULE_GPU_TIME;
            g->schedule.tile.steps = 1;
            fused_plan_open(a, &g->view.code, &g->schedule, gpu, &p);
            fused_refuse_if(&p, gpu && p.shared > gpu->shared_block,
                            "its planes take more shared memory than a block has");
            for (int64_t o = 0; o < p.operations && !p.refusal; o++)
                fused_refuse_if(&p, p.operation[o].input && inputs_of(&p) > MOST_ADDED,
                                "it adds up planes of more than two fields");
            fused_refuse_if(&p, live, "it reads scalars that stay on the GPU");
            fused_refuse_if(&p,
                            gpu && gpu->no_tensors && p.schedule.tile.copy == COPY_TMA,
                            "planes are not copied by the accelerator");
            fused_refuse_if(&p, !asked && (code->dim < 3 || inputs_of(&p) > MOST_INPUTS),
                            "its stages are faster one by one");
        }
        found->refusal = p.refusal;
        found->count += !p.refusal;
    }
    return PAV_OK;
}

pav_status emit_gpu_groups_open(const ir *code, const schedule *requested,
                                const gpu_facts *gpu, emit_gpu_groups *found)
{
    arena *a = arena_new();
    pav_status status;

    *found = (emit_gpu_groups){.count = 0};
    ARENA_GUARD(a, status, find(a, code, requested, gpu, found));
    if (status != PAV_OK)
        arena_free(a);
    return status;
}

bool emit_gpu_groups_pay(double bytes)
{
    return bytes > (double)cuda_reference()->l2;
}

void emit_gpu_groups_free(emit_gpu_groups *g)
{
    arena_free(g->memory);
    *g = (emit_gpu_groups){.count = 0};
}

pav_status emit_gpu_groups_source(const emit_gpu_groups *g, const char *head, text *t)
{
    OWNED_NEW(const ir *, code, g->count + 1);
    OWNED_NEW(const schedule *, of, g->count + 1);

    for (int64_t n = 0; n < g->count; n++) {
        code[n] = &g->group[n].view.code;
        of[n] = &g->group[n].schedule;
    }
    return emit_gpu_fused_source(code, g->count, of, head, t);
}
