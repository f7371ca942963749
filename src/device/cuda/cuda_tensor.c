/* SPDX-License-Identifier: BSD-3-Clause */
/* Tensor maps for the tensor memory accelerator, made by the driver. Words are declared
 * integers, so no bit pattern has a meaning. */
#include <stdlib.h>
#include <string.h>

#include "device/cuda/cuda_private.h"

enum {
    RANK = 3,
    OF_4_BYTES = 2, /* CU_TENSOR_MAP_DATA_TYPE_UINT32 */
    OF_8_BYTES = 4, /* CU_TENSOR_MAP_DATA_TYPE_UINT64 */
    PLAIN = 0,      /* CU_TENSOR_MAP_INTERLEAVE_NONE and CU_TENSOR_MAP_SWIZZLE_NONE */
    LONG_LINES = 3, /* CU_TENSOR_MAP_L2_PROMOTION_L2_256B */
    ZEROS = 0       /* CU_TENSOR_MAP_FLOAT_OOB_FILL_NONE */
};

/* An old NVRTC may compile for no newer target than "compute_80". */
const char *cuda_no_tensors(const gpu *g)
{
    const cuda *c = (const cuda *)(const void *)g;
    const char *number = strrchr(c->target, '_');

    if (!c->driver->map_tensor)
        return "the NVIDIA driver is older than CUDA 12.0; update it";
    if (!number || !gpu_architecture_of((int)strtol(number + 1, NULL, 10))->tensor_copies)
        return "NVRTC compiles for nothing newer than sm_80; update it";
    return NULL;
}

pav_status cuda_map_tensor(gpu *g, const gpu_tensor_region *p, gpu_map *map)
{
    const cuda *c = cuda_of(g);
    const uint64_t count[RANK] = {(uint64_t)p->count[0], (uint64_t)p->count[1],
                                  (uint64_t)p->count[2]};
    const uint64_t stride[RANK - 1] = {(uint64_t)p->stride[1], (uint64_t)p->stride[2]};
    const uint32_t boxes[RANK] = {(uint32_t)p->box[0], (uint32_t)p->box[1],
                                  (uint32_t)p->box[2]};
    const uint32_t step[RANK] = {1, 1, 1};

    TRY(cuda_enter(c));
    return cuda_leave(
        c,
        c->driver->map_tensor(map, p->stride[0] == 4 ? OF_4_BYTES : OF_8_BYTES, RANK,
                              (void *)(uintptr_t)p->data, count, stride, boxes, step,
                              PLAIN, PLAIN, LONG_LINES, ZEROS),
        "describing a level to the tensor memory accelerator");
}
