/* SPDX-License-Identifier: BSD-3-Clause */
/* Subdomains on GPUs, within exec alone. Folders above exec use place/place.h. */
#ifndef EXEC_GPU_GPU_H
#define EXEC_GPU_GPU_H

#include "codegen/codegen.h"
#include "exec/place/place.h"

/* GPU of an executor; NULL: none. */
gpu *executor_gpu(const executor *e);
typedef struct gpurun gpurun; /* the executor of a subdomain on a GPU */
static inline gpurun *gpurun_of(executor *e)
{
    return (gpurun *)e;
}

/* ---- places (gpu_place.c) ---------------------------------------------------------- */

/* gpurun_open opens the executor of the first subdomain, with kernels still to be
 * compiled by gpurun_compile. */
pav_status gpurun_open(exec_client *client, subdomain *part, const place_source *from,
                       executor **result);
pav_status gpurun_compile(executor *self);
/* Opens a module from emitted source text. emitted: the status of emitting. */
pav_status gpu_open_text(gpu *g, pav_status emitted, const text *source, unsigned how,
                         gpu_module **module);
RELEASES(close_gpu, gpu, gpu_close)
/* gpu_tuner.c */
pav_status gpurun_choose(executor *self);
/* gpu_tuner.c: forecast for the schedules chosen by gpurun_choose. */
pav_status gpu_forecast_stage(const gpurun *g, int64_t stage, stage_forecast *f);
/* gpu_fused_make.c: fused launches that move less than `single` bytes a step by the
 * model; single 0: all candidates. */
pav_status gpu_fused_candidates(const gpurun *g, double single,
                                launch_forecast list[EMIT_GPU_FUSED_CANDIDATES],
                                int *count);
pav_status gpu_fused_requested(const gpurun *g, const schedule *requested,
                               launch_forecast list[EMIT_GPU_FUSED_CANDIDATES],
                               int *count);
/* gpu_fused_make.c. gpu_fused_suit adapts a schedule to this GPU. gpu_fused_find
 * describes a launch by it; refused if this GPU or the program cannot run it. */
void gpu_fused_suit(const gpurun *g, schedule *candidate);
pav_status gpu_fused_find(const gpurun *g, schedule *requested, emit_gpu_fused *what);

/* ---- work on a second stream (gpu_memory.c) ---------------------------------------- */

/* True if gpu_copy_box reads fields of an executor at another place. */
bool gpu_reads_fields(executor *self, executor *source);
/* Work between BEGIN and END is queued on the second stream, after all work queued before
 * BEGIN. */
pav_status gpurun_concurrent(executor *self, gpu_concurrent_step step);
/* gpu_pack_box starts to copy a box to the host's memory; the copy is complete when
 * gpu_packed returns. gpu_unpack_box copies a received box into the field. gpu_pass_box
 * moves a box between the memories of two devices: it sends packed values, or receives
 * values to unpack (values: NULL). */
pav_status gpu_pack_box(executor *self, int field, const view *v, const box *range,
                        packed_box *staged);
pav_status gpu_packed(executor *self, const packed_box *staged, int64_t bytes,
                      void *values);
pav_status gpu_unpack_box(executor *self, int field, const view *v, const box *range,
                          packed_box *staged, const void *values);
pav_status gpu_pass_box(executor *self, const view *v, const box *range,
                        packed_box *staged, const gpu_links *links, int other,
                        bool sends);
void gpu_drop_box(executor *self, packed_box *staged); /* frees its memory */
enum { GPU_FREE_MARK = 48 }; /* marks below this one are used by trials */

#endif
