/* SPDX-License-Identifier: BSD-3-Clause */
/* Samples on a GPU. Rows stay there until there are many, or a second has passed, or a
 * flush is requested, so a sample at every step does not make every step wait. */
#include <assert.h>
#include <string.h>

#include "exec/gpu/gpu_private.h"

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

static pav_status prepare(gpurun *g, sampler *r)
{
    const int64_t row = r->points->count * (int64_t)sizeof(double);
    const int64_t fitting = MOST_BYTES / (row + 1);
    gpu_sample *s = mem_new(1, sizeof *s);
    if (!s)
        return PAV_ENOMEM;
    s->room = fitting > MOST_ROWS ? MOST_ROWS : fitting > 0 ? fitting : 1;
    s->copy = mem_new(s->room * r->points->count + 1, sizeof *s->copy);
    pav_status status = s->copy ? give_points(g, r->points, s) : PAV_ENOMEM;
    if (status == PAV_OK)
        status = gpurun_take(g, s->room * row + 1, "values of a sample",
                             (void **)&s->value);
    if (status == PAV_OK) {
        r->on_gpu = s;
        return PAV_OK;
    }
    mem_free(s->copy);
    mem_free(s);
    return status;
}

static pav_status sample(gpurun *g, const sampler *r, const emit_gpu_view *v, void *index)
{
    gpu_sample *s = r->on_gpu;
    const emit_gpu_samples a = {.view = *v,
                                .first = s->first,
                                .index = index ? index : s->index,
                                .weight = s->weight,
                                .value = s->value + s->owned * r->points->count,
                                .count = r->points->count};
    return gpu_call_common(g, g->set->samples, gpu_blocks(a.count), &a, sizeof a);
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
        TRY(prepare(g, r));
    gpu_sample *s = r->on_gpu;
    assert(s->owned < s->room); /* a full one is flushed at once */
    TRY(sample(g, r, v, index));
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
        mem_free(r->on_gpu->copy);
    mem_free(r->on_gpu);
    r->on_gpu = NULL;
}
