/* SPDX-License-Identifier: BSD-3-Clause */
/* Sources and receivers within fused launches on a GPU: lists of their neighbours sorted
 * by planes, and values sampled in each step of a launch. Rows are made from these values
 * like after single steps. */
#include <assert.h>
#include <stdlib.h>
#include <string.h>

#include "exec/gpu/gpu_private.h"

/* Values sampled in each step, in the order of the sample's neighbours. */
typedef struct sampled_points {
    emit_gpu_sample sample;
    void *index; /* place of each neighbour among the values of a step */
} sampled_points;

struct gpu_fused_points {
    int64_t injections, samples;
    emit_gpu_marks *inject;
    sampled_points *sample;
};

/* ---- lists ------------------------------------------------------------------------- */

static int compare(const void *one, const void *other)
{
    const placed_point *a = one, *b = other;
    for (int axis = MAX_DIM; axis-- > 0;)
        if (a->point[axis] != b->point[axis])
            return a->point[axis] < b->point[axis] ? -1 : 1;
    return a->number < b->number ? -1 : a->number > b->number;
}

/* Sorts points by planes. first: planes + 1 elements, the first mark of each plane. */
static void list(const placed_points *m, int axis, int64_t planes, emit_gpu_mark *mark,
                 int64_t *first)
{
    qsort(m->item, (size_t)m->count, sizeof *m->item, compare);
    for (int64_t n = 0; n < m->count; n++) {
        const placed_point *from = &m->item[n];
        mark[n] = (emit_gpu_mark){.i = from->point[0],
                                  .j = axis == 2 ? from->point[1] : 0,
                                  .number = from->number,
                                  .weight = from->weight};
        assert(from->point[axis] >= 0 && from->point[axis] < planes);
        first[from->point[axis] + 1]++;
    }
    for (int64_t p = 0; p < planes; p++)
        first[p + 1] += first[p];
}

static pav_status give(gpurun *g, const placed_points *m, emit_gpu_marks *to)
{
    const int axis = g->base.part->code->dim - 1;
    const int64_t planes = points_along(g->base.part->code, axis, false);
    const int64_t bytes = (planes + 1) * (int64_t)sizeof *to->first;
    emit_gpu_mark *mark = mem_new(m->count + 1, sizeof *mark);
    int64_t *first = mem_new(planes + 1, sizeof *first);
    pav_status status = mark && first ? PAV_OK : PAV_ENOMEM;
    if (status == PAV_OK) {
        list(m, axis, planes, mark, first);
        status = gpurun_give_list(g, first, bytes, "planes of points",
                                  (void **)&to->first);
    }
    if (status == PAV_OK)
        status = gpurun_give_list(g, mark, (m->count + 1) * (int64_t)sizeof *mark,
                                  "points of a launch", (void **)&to->mark);
    mem_free(mark);
    mem_free(first);
    return status;
}

/* Out of core the sources belong to the whole grid, and the GPU holds a window of it. */
static pav_status open_injection(gpurun *g, subdomain *of, int64_t k, emit_gpu_marks *to)
{
    placed_points m = {0};
    TRY(subdomain_bring_masks(of, of->code->injections.item[k].field));
    pav_status status = placed_of_source(of, k, of->code->dim - 1, &m);
    if (status == PAV_OK)
        status = give(g, &m, to);
    placed_close(&m);
    return status;
}

/* ---- samples ----------------------------------------------------------------------- */

static pav_status give_index(gpurun *g, int64_t count, void **to)
{
    int64_t(*index)[MAX_DIM] = mem_new(count + 1, sizeof *index);
    for (int64_t n = 0; index && n < count; n++)
        index[n][0] = n;
    const pav_status status = index
                                  ? gpurun_give_list(g, index,
                                                     (count + 1) * (int64_t)sizeof *index,
                                                     "positions of samples", to)
                                  : PAV_ENOMEM;
    mem_free(index);
    return status;
}

static pav_status open_sample(gpurun *g, const statement *s, int depth,
                              sampled_points *to)
{
    const sampler *r = g->client->ops->sampler_of(g->client, s);
    const ir_field *f = &g->base.part->code->field[r->field];
    const int64_t size = (int64_t)pav_type_size(f->storage);
    placed_points m = {0};
    to->sample.count = r->points->neighbours;
    pav_status status = placed_of_sample(r->points, g->base.part->code->dim - 1, &m);
    if (status == PAV_OK)
        status = give(g, &m, &to->sample.points);
    if (status == PAV_OK)
        status = gpurun_take(g, depth * to->sample.count * size + size, "samples",
                             &to->sample.value);
    if (status == PAV_OK)
        status = give_index(g, to->sample.count, &to->index);
    placed_close(&m);
    return status;
}

static pav_status open_all(gpurun *g, const emit_gpu_fused *what, subdomain *of,
                           gpu_fused_points *m)
{
    m->inject = mem_new(what->injections + 1, sizeof *m->inject);
    m->sample = mem_new(what->samples + 1, sizeof *m->sample);
    if (!m->inject || !m->sample)
        return PAV_ENOMEM;
    for (; m->injections < what->injections; m->injections++)
        TRY(open_injection(g, of, m->injections, &m->inject[m->injections]));
    for (; m->samples < what->samples; m->samples++)
        TRY(open_sample(g, what->sample[m->samples], what->schedule.tile.steps,
                        &m->sample[m->samples]));
    return PAV_OK;
}

pav_status gpu_fused_points_open(gpurun *g, const emit_gpu_fused *what, subdomain *of,
                                 gpu_fused_points **m)
{
    gpu_fused_points *opened = mem_new(1, sizeof *opened);
    if (!opened)
        return PAV_ENOMEM;
    const pav_status status = open_all(g, what, of, opened);
    if (status == PAV_OK)
        *m = opened;
    else
        gpu_fused_points_close(opened);
    return status;
}

/* Leaves the lists on the GPU: they are freed with the run. */
void gpu_fused_points_close(gpu_fused_points *m)
{
    if (!m)
        return;
    mem_free(m->inject);
    mem_free(m->sample);
    mem_free(m);
}

void gpu_fused_points_put(const gpu_fused_points *m, char **at)
{
    for (int64_t k = 0; k < m->injections; k++) {
        memcpy(*at, &m->inject[k], sizeof m->inject[k]);
        *at += sizeof m->inject[k];
    }
    for (int64_t k = 0; k < m->samples; k++) {
        memcpy(*at, &m->sample[k].sample, sizeof m->sample[k].sample);
        *at += sizeof m->sample[k].sample;
    }
}

/* ---- rows -------------------------------------------------------------------------- */

/* A row of samples; step: its number within the fused launch. */
typedef struct row {
    gpurun *g;
    const gpu_fused_points *m;
    const emit_gpu_fused *what;
    int step;
} row;

/* Sampled points of a statement; NULL: no step changes its field. */
static const sampled_points *samples_of(const gpu_fused_points *m,
                                        const emit_gpu_fused *what,
                                        const statement *sample)
{
    for (int64_t k = 0; k < m->samples; k++)
        if (what->sample[k] == sample)
            return &m->sample[k];
    return NULL;
}

pav_status gpu_fused_points_samples(gpurun *g, const gpu_fused_points *m,
                                    const emit_gpu_fused *what, const statement *sample,
                                    void *values, bool *moves)
{
    const sampled_points *s = samples_of(m, what, sample);
    const sampler *r = g->client->ops->sampler_of(g->client, sample);
    const pav_type type = g->base.part->code->field[r->field].storage;
    *moves = s != NULL;
    return s ? gpu_download(g->gpu, values, s->sample.value,
                            (what->most - 1) * s->sample.count *
                                (int64_t)pav_type_size(type))
             : PAV_OK;
}

static pav_status keep_row(void *user, const statement *sample, sampler *of)
{
    const row *now = user;
    gpurun *g = now->g;
    const pav_type type = g->base.part->code->field[of->field].storage;
    const sampled_points *s = samples_of(now->m, now->what, sample);
    if (!s)
        return gpu_sample_take(&g->base, of);
    const emit_gpu_view v = {.type = (int64_t)type,
                             .data = (char *)s->sample.value +
                                     now->step * s->sample.count *
                                         (int64_t)pav_type_size(type)};
    return gpu_sample_from(g, of, &v, s->index);
}

pav_status gpu_fused_points_rows(gpurun *g, const gpu_fused_points *m,
                                 const emit_gpu_fused *what, int steps)
{
    subdomain *part = g->base.part;
    const int64_t first = part->step;
    row now = {.g = g, .m = m, .what = what};
    pav_status status = PAV_OK;
    for (; now.step + 1 < steps && status == PAV_OK; now.step++) {
        subdomain_set_step(part, first + now.step + 1);
        status = g->client->ops->each_sample(g->client, part->step, keep_row, &now);
    }
    subdomain_set_step(part, first);
    return status;
}
