/* SPDX-License-Identifier: BSD-3-Clause */
/* Fields on a GPU and their host mirrors. A mirror is allocated at its first use. It has
 * the size of the whole buffer, including padding, so NaN between rows is copied, too.
 * Only stale copies are updated. */
#include <stdio.h>
#include <string.h>

#include "exec/gpu/gpu_private.h"

/* ---- addresses of buffers ---------------------------------------------------------- */

static int64_t buffer_of(const gpurun *g, int64_t field, const view *v)
{
    return v - g->base.part->field[field].level;
}

static char *gpu_begin(const gpurun *g, int64_t field, const view *v)
{
    const levels *l = &g->base.part->field[field];
    return (char *)l->block + LEVELS_SLACK + buffer_of(g, field, v) * l->level_bytes;
}

/* ---- host mirrors ------------------------------------------------------------------ */

/* Fields in one buffer share its mirror. */
static host_mirror *mirror_of(const gpurun *g, int64_t field, const view *v)
{
    const int memory = g->base.part->code->field[field].memory;

    return &g->host_mirror[memory ? memory - 1 : field][buffer_of(g, field, v)];
}

static int64_t mirror_bytes(const levels *l)
{
    return l->level_bytes + 2 * LEVELS_SLACK;
}

/* Begin of a level in the mirror; allocates the mirror at its first use. */
static pav_status host_begin(gpurun *g, int64_t field, const view *v, host_mirror *t,
                             char **begin)
{
    const levels *l = &g->base.part->field[field];
    const bool is_first = !t->memory;
    if (is_first)
        t->memory = mem_big(mirror_bytes(l));
    if (!t->memory)
        return PAV_ENOMEM;
    *begin = t->memory + LEVELS_SLACK;
    t->host = *v;
    t->host.data = *begin + ((const char *)v->data - gpu_begin(g, field, v));
    if (!is_first)
        return PAV_OK;
    memset(t->memory, 0xff, LEVELS_SLACK);
    memset(*begin + l->level_bytes, 0xff, LEVELS_SLACK);
    return PAV_OK;
}

/* The bytes of the level between the first and the last point of a box. */
static void span_of(const gpurun *g, int64_t field, const view *v, const box *range,
                    int64_t *from, int64_t *to)
{
    const char *begin = gpu_begin(g, field, v);
    *from = 0;
    *to = g->base.part->field[field].level_bytes;
    if (!range)
        return;
    *from = (char *)view_at(v, range->lo[0], range->lo[1], range->lo[2]) - begin;
    *to = (char *)view_at(v, range->hi[0], range->hi[1] - 1, range->hi[2] - 1) - begin;
}

static pav_status download(gpurun *g, int64_t field, const view *v, const box *range,
                           char *begin)
{
    int64_t from, to;
    span_of(g, field, v, range, &from, &to);
    g->downloads++;
    return gpu_download(g->gpu, begin + from, gpu_begin(g, field, v) + from, to - from);
}

pav_status mirrors_on_host(gpurun *g, int64_t field, const view *v, host_use how,
                           const box *range, const view **host)
{
    host_mirror *t = mirror_of(g, field, v);
    char *begin;
    TRY(host_begin(g, field, v, t, &begin));
    *host = &t->host;
    if (how == HOST_FILL && !t->host_is_new)
        memset(begin, 0xff, (size_t)g->base.part->field[field].level_bytes);
    else if (!t->host_is_new)
        TRY(download(g, field, v, range, begin));
    t->host_is_new = t->host_is_new || how != HOST_READ || !range;
    t->gpu_is_new = t->gpu_is_new && how == HOST_READ;
    return PAV_OK;
}

pav_status mirrors_on_gpu(gpurun *g, int64_t field, const view *v, bool stored)
{
    host_mirror *t = mirror_of(g, field, v);
    if (!t->gpu_is_new) {
        g->uploads++;
        TRY(gpu_upload(g->gpu, gpu_begin(g, field, v), t->memory + LEVELS_SLACK,
                       g->base.part->field[field].level_bytes));
    }
    t->gpu_is_new = true;
    t->host_is_new = t->host_is_new && !stored;
    return PAV_OK;
}

/* ---- fields ------------------------------------------------------------------------ */

pav_status mirrors_prepare(gpurun *g)
{
    g->host_mirror = mem_new(g->base.part->code->fields + 1, sizeof *g->host_mirror);
    return g->host_mirror ? PAV_OK : PAV_ENOMEM;
}

static pav_status take_block(gpurun *g, int64_t field, const field_shape *shape)
{
    levels_size size;
    void *block;
    char what[96];
    if (!levels_measure(shape, &size))
        return levels_at(shape, NULL, &g->base.part->field[field]); /* sets the message */
    const int memory = g->base.part->code->field[field].memory;
    if (memory)
        return levels_at(shape, g->base.part->field[memory - 1].block,
                         &g->base.part->field[field]);
    (void)snprintf(what, sizeof what, "field %.64s",
                   g->base.part->code->field[field].name);
    TRY(gpurun_take(g, size.bytes, what, &block));
    TRY(gpu_fill(g->gpu, block, 0xff, size.bytes));
    return levels_at(shape, block, &g->base.part->field[field]);
}

pav_status mirrors_place_views(gpurun *g)
{
    const subdomain *part = g->base.part;
    int64_t slots = 1;
    for (int64_t f = 0; f < part->code->fields; f++)
        slots += part->code->field[f].levels + 1;
    g->host_views = mem_new(slots, sizeof *g->host_views);
    g->host_view = mem_new(part->code->fields + 1, sizeof *g->host_view);
    if (!g->host_views || !g->host_view)
        return PAV_ENOMEM;
    for (int64_t f = 0; f < part->code->fields; f++)
        g->host_view[f] = g->host_views +
                          (part->view[f] - (const view *const *)part->views);
    return PAV_OK;
}

pav_status mirrors_new(gpurun *g, int64_t field, const field_shape *shape)
{
    g->host_mirror[field] = mem_new(shape->count, sizeof **g->host_mirror);
    if (!g->host_mirror[field])
        return PAV_ENOMEM;
    TRY(take_block(g, field, shape));
    for (int n = 0; n < shape->count; n++) {
        g->host_mirror[field][n].gpu_is_new = true;
        TRY(gpu_copy_points(g, (int)field, &g->base.part->field[field].level[n], NULL));
    }
    return PAV_OK;
}

static void close_field(gpurun *g, int64_t field)
{
    const int count = g->base.part->field[field].count;
    for (int n = 0; g->host_mirror[field] && n < count; n++)
        if (g->host_mirror[field][n].memory)
            mem_big_free(g->host_mirror[field][n].memory,
                         mirror_bytes(&g->base.part->field[field]));
    mem_free(g->host_mirror[field]);
}

void mirrors_close(gpurun *g)
{
    const subdomain *part = g->base.part;
    for (int64_t f = 0; g->host_mirror && part->field && f < part->code->fields; f++)
        close_field(g, f);
    mem_free(g->host_mirror);
}
