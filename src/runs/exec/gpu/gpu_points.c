/* SPDX-License-Identifier: BSD-3-Clause */
/* Sources and receivers on a GPU. */
#include <assert.h>
#include <stdlib.h>
#include <string.h>

#include "exec/gpu/gpu_private.h"

/* ---- sources ----------------------------------------------------------------------- */

/* Injections on a GPU. A kernel adds at all points of a list at the same time. If two
 * neighbours of sources are the same point, they go to different lists, launched one
 * after another: so each point gets its additions in order. Points prescribed by a border
 * or a mask are left out of the lists, because masks do not change. */

typedef struct neighbour {
    const placed_point *of;
    int64_t place; /* index of its point as one number */
    int64_t round;
} neighbour;

static int by_place(const void *one, const void *other)
{
    const neighbour *a = one, *b = other;
    return a->place != b->place ? int_compare(a->place, b->place)
                                : int_compare(a->of->number, b->of->number);
}

static int by_round(const void *one, const void *other)
{
    const neighbour *a = one, *b = other;
    return a->round != b->round ? int_compare(a->round, b->round)
                                : int_compare(a->of->number, b->of->number);
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

static pav_status upload(gpurun *g, gpu_rounds *r, const neighbour *n, int64_t count)
{
    OWNED int64_t(*list)[MAX_DIM] = NULL;
    TRY(mem_take(&list, count + 1, sizeof *list));
    OWNED_NEW(double, weight, count + 1);
    for (int64_t k = 0; k < count; k++) {
        memcpy(list[k], n[k].of->point, sizeof *list);
        weight[k] = n[k].of->weight;
        box_add_point(&r->box, list[k]);
    }
    TRY(gpurun_give_list(g, list, count * (int64_t)sizeof *list,
                         "positions of an injection", (void **)&r->list));
    return gpurun_give_list(g, weight, count * (int64_t)sizeof *weight,
                            "weights of an injection", (void **)&r->weight);
}

static void forget(gpu_rounds *r)
{
    MEM_FREE_ALL(r->begin, r->row, r->share, r->now);
    r->begin = r->row = NULL;
    r->share = r->now = NULL;
}

/* With traces, weights change from step to step. */
static pav_status keep_shares(const neighbour *n, int64_t count, gpu_rounds *r)
{
    r->count = count;
    TRY(mem_take(&r->row, count + 1, sizeof *r->row));
    TRY(mem_take(&r->share, count + 1, sizeof *r->share));
    TRY(mem_take(&r->now, count + 1, sizeof *r->now));
    for (int64_t k = 0; k < count; k++) {
        r->row[k] = n[k].of->row;
        r->share[k] = n[k].of->weight;
    }
    return PAV_OK;
}

static pav_status make_rounds(gpurun *g, int64_t index, const placed_points *all,
                              gpu_rounds *r)
{
    const subdomain *part = g->base.part;
    const int field = part->code->injections.item[index].field;
    OWNED_NEW(neighbour, n, all->count + 1);
    find_rounds(part->code->field[field].extent, all, n);
    const int64_t count = all->count;
    r->rounds = count > 0 ? n[count - 1].round + 1 : 0;
    TRY(mem_take(&r->begin, r->rounds + 1, sizeof *r->begin));
    for (int64_t k = 0; k < count; k++)
        r->begin[n[k].round + 1] = k + 1;
    for (int64_t k = 1; k < count; k++) /* a round contains no point twice */
        assert(n[k].round > n[k - 1].round || n[k].place != n[k - 1].place);
    if (all->count == 0)
        return PAV_OK;
    TRY(upload(g, r, n, all->count));
    return part->injection[index].trace.value ? keep_shares(n, all->count, r) : PAV_OK;
}

/* A stage without a kernel for lists adds point by point. */
pav_status gpu_inject(executor *self, int64_t index)
{
    gpurun *g = (gpurun *)self;
    const ir *code = self->part->code;
    const int last = source_stage(&code->injections.item[index]);
    gpu_rounds *r = &g->inject[index];
    if (!g->stage[last].list)
        return subdomain_inject_each(self->part, index);
    if (!r->ready) {
        OWNED_BY(placed_close) placed_points all = {0};
        forget(r); /* left by a failed call */
        r->box = (box){{0}, {0}};
        TRY(subdomain_bring_masks(g->base.part,
                                  g->base.part->code->injections.item[index].field));
        TRY(placed_of_source(g->base.part, index, 0, &all));
        TRY(make_rounds(g, index, &all, r));
        r->ready = true;
    }
    if (r->count > 0) {
        const point_set *set = &self->part->injection[index];
        for (int64_t k = 0; r->share && k < r->count; k++)
            r->now[k] = source_amount(set, r->share[k], r->row[k], g->base.part->step);
        TRY(gpu_send(g->gpu, r->weight, r->now, r->count * (int64_t)sizeof *r->now));
    }
    for (int64_t n = 0; n < r->rounds; n++) {
        const subdomain *part = g->base.part;
        const int64_t from = r->begin[n];
        const interp_args args = {.code = part->code,
                                  .stage = &code->stage[last],
                                  .view = part->view,
                                  .table = part->table,
                                  .uniform = part->uniform,
                                  .box = r->box};
        TRY(gpu_stage_list(g, &args, (const int64_t(*)[MAX_DIM])(r->list + from),
                           r->weight + from, r->begin[n + 1] - from));
    }
    return PAV_OK;
}

void gpu_inject_close(gpurun *g)
{
    for (int64_t k = 0; g->inject && k < g->base.part->code->injections.count; k++)
        forget(&g->inject[k]);
    mem_free(g->inject);
}

/* ---- receivers --------------------------------------------------------------------- */

/* Samples on a GPU. Rows stay there until there are many, or a second has passed, or a
 * flush is requested, so a sample at every step does not make every step wait. */

enum { MOST_ROWS = 256, MOST_BYTES = 4 << 20 };
static const double longest = 1; /* seconds that a row may wait */

typedef struct gpu_sample gpu_sample;
struct gpu_sample {
    int64_t room, owned; /* rows */
    void *first, *index;
    double *weight, *value; /* of the GPU */
    double *copy;           /* on the host, `room` rows */
    int64_t step[MOST_ROWS];
    double time[MOST_ROWS], since;
};

static pav_status give_points(gpurun *g, const point_set *p, gpu_sample *s)
{
    const int64_t index = p->neighbours * (int64_t)sizeof *p->index;
    const int64_t weight = p->neighbours * (int64_t)sizeof *p->weight;
    const int64_t first = (p->count + 1) * (int64_t)sizeof *p->first;
    TRY(gpurun_give_list(g, p->first, first, "positions of a sample", &s->first));
    if (p->neighbours == 0)
        return PAV_OK;
    TRY(gpurun_give_list(g, p->index, index, "positions of a sample", &s->index));
    return gpurun_give_list(g, p->weight, weight, "weights of a sample",
                            (void **)&s->weight);
}

static pav_status prepare_rows(gpurun *g, sampler *r)
{
    const int64_t row = r->points->count * (int64_t)sizeof(double);
    const int64_t fitting = MOST_BYTES / (row + 1);
    OWNED_NEW(gpu_sample, s, 1);
    s->room = fitting > MOST_ROWS ? MOST_ROWS : fitting > 0 ? fitting : 1;
    OWNED_NEW(double, copy, s->room * r->points->count + 1);
    TRY(give_points(g, r->points, s));
    TRY(gpurun_take(g, s->room * row + 1, "values of a sample", (void **)&s->value));
    s->copy = mem_hand_over(&copy);
    r->on_gpu = mem_hand_over(&s);
    return PAV_OK;
}

pav_status gpu_sample_take(executor *self, sampler *r)
{
    gpurun *g = (gpurun *)self;
    const view *v = self->part->view[r->field][1];
    const emit_gpu_view level = gpu_view_of(v);
    TRY(mirrors_on_gpu(g, r->field, v, false));
    return gpu_sample_from(g, r, &level, NULL);
}

pav_status gpu_sample_from(gpurun *g, sampler *r, const emit_gpu_view *v, void *index)
{
    if (!r->on_gpu)
        TRY(prepare_rows(g, r));
    gpu_sample *s = r->on_gpu;
    assert(s->owned < s->room); /* a full one is flushed at once */
    const emit_gpu_samples a = {.view = *v,
                                .first = s->first,
                                .index = index ? index : s->index,
                                .weight = s->weight,
                                .value = s->value + s->owned * r->points->count,
                                .count = r->points->count};
    TRY(gpu_call_common(g, g->set->samples, gpu_blocks(a.count), &a, sizeof a));
    s->step[s->owned] = g->base.part->step;
    s->time[s->owned] = g->base.part->uniform[g->base.part->code->uniform_t];
    if (s->owned++ == 0)
        s->since = clock_seconds();
    return s->owned == s->room || clock_seconds() - s->since > longest
               ? gpu_sample_flush(&g->base, r)
               : PAV_OK;
}

pav_status gpu_sample_flush(executor *self, sampler *r)
{
    const gpurun *g = (const gpurun *)self;
    gpu_sample *s = r->on_gpu;
    const int64_t owned = s ? s->owned : 0, count = r->points->count;
    if (owned == 0)
        return PAV_OK;
    s->owned = 0;
    TRY(gpu_download(g->gpu, s->copy, s->value,
                     owned * count * (int64_t)sizeof *s->copy));
    for (int64_t k = 0; k < owned; k++)
        TRY(r->keep(r->user, s->step[k], s->time[k], s->copy + k * count));
    return PAV_OK;
}

void gpu_sample_close(executor *self, sampler *r)
{
    (void)self;
    if (r->on_gpu)
        MEM_FREE_ALL(r->on_gpu->copy, r->on_gpu);
    r->on_gpu = NULL;
}
