/* SPDX-License-Identifier: BSD-3-Clause */
/* Injections on a GPU. A kernel adds at all points of a list at once, so neighbours at
 * one point go to different lists, launched one after another: each point gets its
 * additions in order. Points prescribed by a border or a mask are left out of the lists,
 * because masks do not change. */
#include <assert.h>
#include <stdlib.h>
#include <string.h>

#include "exec/gpu/gpu_private.h"

typedef struct neighbour {
    const placed_point *of;
    int64_t place; /* index of its point as one number */
    int64_t round;
} neighbour;

static int by_place(const void *one, const void *other)
{
    const neighbour *a = one, *b = other;
    if (a->place != b->place)
        return a->place < b->place ? -1 : 1;
    return a->of->number < b->of->number ? -1 : a->of->number > b->of->number;
}

static int by_round(const void *one, const void *other)
{
    const neighbour *a = one, *b = other;
    if (a->round != b->round)
        return a->round < b->round ? -1 : 1;
    return a->of->number < b->of->number ? -1 : a->of->number > b->of->number;
}

/* The round of a neighbour: the number of earlier additions at its point. */
static void find_rounds(const int64_t *extent, const placed_points *all, neighbour *n)
{
    const size_t count = (size_t)all->count;
    for (int64_t k = 0; k < all->count; k++) {
        const int64_t *p = all->item[k].point;
        n[k] = (neighbour){&all->item[k], (p[2] * extent[1] + p[1]) * extent[0] + p[0],
                           0};
    }
    qsort(n, count, sizeof *n, by_place);
    for (int64_t k = 1; k < all->count; k++)
        n[k].round = n[k].place == n[k - 1].place ? n[k - 1].round + 1 : 0;
    qsort(n, count, sizeof *n, by_round);
}

static pav_status mark_rounds(gpu_rounds *r, const neighbour *n, int64_t count)
{
    r->rounds = count > 0 ? n[count - 1].round + 1 : 0;
    r->begin = mem_new(r->rounds + 1, sizeof *r->begin);
    if (!r->begin)
        return PAV_ENOMEM;
    for (int64_t k = 0; k < count; k++)
        r->begin[n[k].round + 1] = k + 1;
    for (int64_t k = 1; k < count; k++) /* a round contains no point twice */
        assert(n[k].round > n[k - 1].round || n[k].place != n[k - 1].place);
    return PAV_OK;
}

static pav_status upload(gpurun *g, gpu_rounds *r, const neighbour *n, int64_t count)
{
    int64_t(*list)[MAX_DIM] = mem_new(count + 1, sizeof *list);
    double *weight = mem_new(count + 1, sizeof *weight);
    pav_status status = list && weight ? PAV_OK : PAV_ENOMEM;
    for (int64_t k = 0; k < count && status == PAV_OK; k++) {
        memcpy(list[k], n[k].of->point, sizeof *list);
        weight[k] = n[k].of->weight;
        box_add_point(&r->box, list[k]);
    }
    if (status == PAV_OK)
        status = gpurun_give_list(g, list, count * (int64_t)sizeof *list,
                                  "positions of an injection", (void **)&r->list);
    if (status == PAV_OK)
        status = gpurun_give_list(g, weight, count * (int64_t)sizeof *weight,
                                  "weights of an injection", (void **)&r->weight);
    mem_free(list);
    mem_free(weight);
    return status;
}

static void forget(gpu_rounds *r)
{
    mem_free(r->begin);
    mem_free(r->row);
    mem_free(r->share);
    mem_free(r->now);
    r->begin = r->row = NULL;
    r->share = r->now = NULL;
}

/* With traces, weights change from step to step. */
static pav_status keep_shares(const neighbour *n, int64_t count, gpu_rounds *r)
{
    r->count = count;
    r->row = mem_new(count + 1, sizeof *r->row);
    r->share = mem_new(count + 1, sizeof *r->share);
    r->now = mem_new(count + 1, sizeof *r->now);
    if (!r->row || !r->share || !r->now)
        return PAV_ENOMEM;
    for (int64_t k = 0; k < count; k++) {
        r->row[k] = n[k].of->row;
        r->share[k] = n[k].of->weight;
    }
    return PAV_OK;
}

static pav_status weigh_step(gpurun *g, const point_set *set, const gpu_rounds *r)
{
    for (int64_t k = 0; r->share && k < r->count; k++)
        r->now[k] = source_amount(set, r->share[k], r->row[k], g->base.part->step);
    return gpu_send(g->gpu, r->weight, r->now, r->count * (int64_t)sizeof *r->now);
}

static pav_status make_rounds(gpurun *g, int64_t index, const placed_points *all,
                              gpu_rounds *r)
{
    const subdomain *part = g->base.part;
    const int field = part->code->injections.item[index].field;
    neighbour *n = mem_new(all->count + 1, sizeof *n);
    if (!n)
        return PAV_ENOMEM;
    find_rounds(part->code->field[field].extent, all, n);
    pav_status status = mark_rounds(r, n, all->count);
    if (status == PAV_OK && all->count > 0)
        status = upload(g, r, n, all->count);
    if (status == PAV_OK && all->count > 0 && part->injection[index].trace.value)
        status = keep_shares(n, all->count, r);
    mem_free(n);
    return status;
}

static pav_status prepare(gpurun *g, int64_t index, gpu_rounds *r)
{
    placed_points all;
    forget(r); /* left by a failed call */
    r->box = (box){{0}, {0}};
    TRY(subdomain_bring_masks(g->base.part,
                              g->base.part->code->injections.item[index].field));
    TRY(placed_of_source(g->base.part, index, 0, &all));
    const pav_status status = make_rounds(g, index, &all, r);
    placed_close(&all);
    r->ready = status == PAV_OK;
    return status;
}

static pav_status add_round(gpurun *g, const ir_stage *s, const gpu_rounds *r, int64_t n)
{
    const subdomain *part = g->base.part;
    const int64_t from = r->begin[n];
    const interp_args args = {.code = part->code,
                              .stage = s,
                              .view = part->view,
                              .table = part->table,
                              .uniform = part->uniform,
                              .box = r->box};
    return gpu_stage_list(g, &args, (const int64_t(*)[MAX_DIM])(r->list + from),
                          r->weight + from, r->begin[n + 1] - from);
}

/* A stage without a kernel for lists adds point by point. */
pav_status gpu_inject(executor *self, int64_t index)
{
    gpurun *g = (gpurun *)self;
    const ir *code = self->part->code;
    const ir_event *event = &code->injections.item[index];
    const int last = source_stage(event);
    gpu_rounds *r = &g->inject[index];
    if (!g->stage[last].list)
        return subdomain_inject_each(self->part, index);
    if (!r->ready)
        TRY(prepare(g, index, r));
    if (r->count > 0)
        TRY(weigh_step(g, &self->part->injection[index], r));
    for (int64_t n = 0; n < r->rounds; n++)
        TRY(add_round(g, &code->stage[last], r, n));
    return PAV_OK;
}

void gpu_inject_close(gpurun *g)
{
    for (int64_t k = 0; g->inject && k < g->base.part->code->injections.count; k++)
        forget(&g->inject[k]);
    mem_free(g->inject);
}
