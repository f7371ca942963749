/* SPDX-License-Identifier: BSD-3-Clause */
/* Tensor maps of levels for copies by the tensor memory accelerator. Encoding one takes
 * the driver a microsecond, and levels rotate, so a stage remembers its maps. */
#include <string.h>

#include "exec/gpu/gpu_private.h"

static bool same(const gpu_tensor_region *a, const gpu_tensor_region *b)
{
    return a->data == b->data && memcmp(a->count, b->count, sizeof a->count) == 0 &&
           memcmp(a->stride, b->stride, sizeof a->stride) == 0 &&
           memcmp(a->box, b->box, sizeof a->box) == 0;
}

/* Encodes a tensor map and stores it in place of the oldest one. */
static pav_status learn(gpurun *g, gpu_known_tensors *known, const gpu_tensor_region *p,
                        uint64_t *map)
{
    gpu_known_tensor *k = &known->part[known->learnt++ % GPU_KNOWN_TENSORS];
    gpu_map made;
    *k = (gpu_known_tensor){0};
    TRY(gpu_map_tensor(g->gpu, p, &made));
    k->part = *p;
    memcpy(k->map, made.word, sizeof k->map);
    memcpy(map, made.word, sizeof made.word);
    return PAV_OK;
}

static pav_status find(gpurun *g, gpu_known_tensors *known, const gpu_tensor_region *p,
                       uint64_t *map)
{
    for (int n = 0; n < GPU_KNOWN_TENSORS; n++)
        if (same(&known->part[n].part, p)) {
            memcpy(map, known->part[n].map, sizeof known->part[n].map);
            return PAV_OK;
        }
    return learn(g, known, p, map);
}

pav_status gpu_tensors_put(gpurun *g, gpu_known_tensors *known,
                           const emit_gpu_tensor_box *list, int64_t boxes,
                           const emit_gpu_work *w, const emit_grid *grid, char *at)
{
    for (int64_t n = 0; n < boxes; n++, at += sizeof(emit_gpu_tensor)) {
        emit_gpu_tensor t = {{0}, {0}};
        emit_gpu_tensor_region p;
        emit_gpu_tensor_region_of(&list[n], w, grid, &p);
        gpu_tensor_region part = {.data = p.data};
        memcpy(part.count, p.count, sizeof part.count);
        memcpy(part.stride, p.stride, sizeof part.stride);
        memcpy(part.box, p.box, sizeof part.box);
        memcpy(t.first, p.first, sizeof t.first);
        TRY(find(g, known, &part, t.map));
        memcpy(at, &t, sizeof t);
    }
    return PAV_OK;
}
