/* SPDX-License-Identifier: BSD-3-Clause */
/* Regions of a GPU's memory for box copies by the tensor memory accelerator. All devices
 * have the same rules for a region. They are checked here for a message with numbers; a
 * driver reports only "invalid value". */
#include "device/device_private.h"

const char *gpu_tensor_refusal(const gpu *g)
{
    if (!gpu_facts_architecture(&g->facts)->tensor_copies)
        return "only GPUs from sm_90 on have a tensor memory accelerator";
    return g->ops->no_tensors ? g->ops->no_tensors(g) : NULL;
}

static pav_status check_place(const gpu_tensor_region *p)
{
    const int64_t at = (int64_t)(uintptr_t)p->data;

    if (at % GPU_TENSOR_UNIT != 0 || p->stride[1] % GPU_TENSOR_UNIT != 0 ||
        p->stride[2] % GPU_TENSOR_UNIT != 0 || (p->stride[0] != 4 && p->stride[0] != 8))
        return FAIL(PAV_EINTERNAL,
                    "words of %lld bytes, rows of %lld and planes of %lld from %lld on "
                    "are not those of words of 4 or 8 bytes and multiples of %d bytes",
                    (long long)p->stride[0], (long long)p->stride[1],
                    (long long)p->stride[2], (long long)at, GPU_TENSOR_UNIT);
    for (int axis = 0; axis < 3; axis++)
        if (p->count[axis] < 1 || p->count[axis] > UINT32_MAX)
            return FAIL(PAV_ELIMIT,
                        "the tensor memory accelerator knows 1 to %lld words along %c, "
                        "and not %lld",
                        (long long)UINT32_MAX, "xyz"[axis], (long long)p -> count[axis]);
    return PAV_OK;
}

static pav_status check_box(const gpu_tensor_region *p)
{
    bool good = p->box[0] * p->stride[0] % GPU_TENSOR_UNIT == 0;

    for (int axis = 0; axis < 3; axis++)
        good = good && p->box[axis] >= 1 && p->box[axis] <= GPU_TENSOR_BOX;
    return good ? PAV_OK
                : FAIL(PAV_EINTERNAL,
                       "a box of %d x %d x %d words of %lld bytes is not 1 to %d along "
                       "each axis, and multiples of %d bytes along x",
                       p->box[0], p->box[1], p->box[2], (long long)p->stride[0],
                       GPU_TENSOR_BOX, GPU_TENSOR_UNIT);
}

pav_status gpu_map_tensor(gpu *g, const gpu_tensor_region *p, gpu_map *map)
{
    const char *why = gpu_tensor_refusal(g);

    if (why)
        return FAIL(PAV_EUNSUPPORTED, "%s: %s", g->name, why);
    TRY(check_place(p));
    TRY(check_box(p));
    return g->ops->map_tensor(g, p, map);
}
