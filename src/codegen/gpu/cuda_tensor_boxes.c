/* SPDX-License-Identifier: BSD-3-Clause */
/* The boxes of a level for the tensor memory accelerator. A region covers exactly the
 * points that a call reads. So a tile may begin before it and end behind it, and gets
 * zeros there that nobody uses. The accelerator copies words without a type, so every bit
 * stays the same. */
#include <string.h>

#include "codegen/codegen_private.h"

enum { UNIT = 16, MOST_WORD = 8 }; /* bytes */

static int word_of(const emit_gpu_tensor_box *s)
{
    const int bytes = s->pack * s->size;

    return bytes < MOST_WORD ? bytes : MOST_WORD;
}

static emit_gpu_tensor_box tensor_box_of(const emit_stage *e, const ring *r)
{
    const schedule *s = e->schedule;
    emit_gpu_tensor_box part = {.slot = r->slot,
                                .planes = e->sweep_plan->axis,
                                .pack = s->thread.size[0],
                                .size = (int)pav_type_size(emit_storage(e, r->slot)),
                                .before = {r->left * s->thread.size[0], r->below, 0},
                                .beyond = {r->right * s->thread.size[0], r->above, 0}};

    part.before[part.planes] = -cuda_planes_read(e, r->slot).first;
    part.beyond[part.planes] = r->last;
    part.box[0] = r->width * s->thread.size[0] * part.size / word_of(&part);
    part.box[1] = r->height;
    part.box[2] = 1;
    return part;
}

pav_status cuda_find_tensor_boxes(const emit_stage *e, emit_gpu_kernel *k)
{
    if (e->schedule->tile.copy != COPY_TMA)
        return PAV_OK;
    k->part = mem_new(e->sweep_plan->rings + 1, sizeof *k->part);
    if (!k->part)
        return PAV_ENOMEM;
    for (int64_t n = 0; n < e->sweep_plan->rings; n++)
        k->part[k->parts++] = tensor_box_of(e, &e->sweep_plan->ring[n]);
    return PAV_OK;
}

const char *cuda_box_refusal(const emit_gpu_kernel *k)
{
    for (int64_t n = 0; n < k->parts; n++)
        if (k->part[n].box[0] > GPU_TENSOR_BOX || k->part[n].box[1] > GPU_TENSOR_BOX)
            return "the tensor memory accelerator copies at most 256 words of 8 bytes of "
                   "256 rows at once: take fewer threads or rows";
    return NULL;
}

/* ---- of a call --------------------------------------------------------------------- */

/* Along x: from the first multiple of 16 bytes to the end of the last vector. */
static void find_row(const emit_gpu_tensor_box *s, const emit_gpu_work *w,
                     emit_gpu_tensor_region *p)
{
    const int64_t first = (w->lo[0] & -(int64_t)s->pack) - s->before[0];
    const int64_t end = ((w->hi[0] - 1) & -(int64_t)s->pack) + s->pack + s->beyond[0];

    p->first[0] = first & -(int64_t)(UNIT / s->size);
    p->stride[0] = word_of(s);
    p->count[0] = (end - p->first[0]) * s->size / p->stride[0];
}

/* Rows, or planes along `axis`. */
static void find_others(const emit_gpu_tensor_box *s, const emit_gpu_work *w, int axis,
                        int at, emit_gpu_tensor_region *p)
{
    p->first[at] = w->lo[axis] - s->before[axis];
    p->count[at] = w->hi[axis] + s->beyond[axis] - p->first[at];
}

void emit_gpu_tensor_region_of(const emit_gpu_tensor_box *s, const emit_gpu_work *w,
                               const emit_grid *grid, emit_gpu_tensor_region *p)
{
    const emit_grid *g = &grid[s->slot];
    const int64_t plane = s->planes == 2 ? g->z : g->y;

    *p = (emit_gpu_tensor_region){.count = {0, 1, 1}};
    find_row(s, w, p);
    if (s->planes == 2)
        find_others(s, w, 1, 1, p);
    find_others(s, w, s->planes, 2, p);
    const int64_t begin = p->first[0] + p->first[1] * g->y + p->first[2] * plane;
    p->stride[1] = g->y * s->size;
    p->stride[2] = plane * s->size;
    p->data = (char *)g->data + begin * s->size;
    memcpy(p->box, s->box, sizeof p->box);
}
