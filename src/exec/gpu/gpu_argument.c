/* SPDX-License-Identifier: BSD-3-Clause */
/* The argument of a stage's kernel: the work, the levels, the tables, its numbers or a
 * pointer to them, and tensor maps. */
#include <string.h>

#include "exec/gpu/gpu_private.h"

void gpu_put(char **at, const void *from, size_t bytes)
{
    memcpy(*at, from, bytes);
    *at += bytes;
}

static pav_status put_numbers(gpurun *g, const gpu_stage *s, const gpu_variant *v,
                              const double *uniform, char **at)
{
    const emit_gpu_kernel *k = &v->what;
    _Alignas(8) char numbers[GPU_MOST_ARGUMENT];
    const void *there = s->numbers;
    if (s->scalars) {
        gpu_put(at, &there, sizeof there);
        return PAV_OK;
    }
    emit_gpu_pack_uniforms(k, uniform, numbers);
    if (v->constant)
        return gpu_constant_set(v->constant, numbers);
    if (k->schedule.coefficients == UNIFORMS_ARGUMENT) {
        gpu_put(at, numbers, (size_t)k->number_bytes);
        return PAV_OK;
    }
    TRY(gpu_argument_ring_put(g->gpu, numbers, k->number_bytes, &there));
    gpu_put(at, &there, sizeof there);
    return PAV_OK;
}

static bool strides_are_alike(const gpu_stage *s)
{
    for (int64_t k = 1; k < s->slots; k++)
        if (s->grid[k].y != s->grid[0].y || s->grid[k].z != s->grid[0].z)
            return false;
    return true;
}

pav_status gpu_argument(gpurun *g, gpu_stage *s, const gpu_variant *v,
                        const interp_args *args, const emit_gpu_work *w, char *argument)
{
    const emit_gpu_kernel *k = &v->what;
    char *at = argument;
    if (k->alike && !strides_are_alike(s))
        return FAIL(PAV_EINTERNAL, "fields of one size have rows of different lengths");
    gpu_put(&at, w, sizeof *w);
    gpu_put(&at, s->grid, (size_t)s->slots * sizeof *s->grid);
    for (int64_t n = 0; n < k->tables; n++)
        gpu_put(&at, &g->table[k->table[n]], sizeof *g->table);
    if (k->uniforms > 0)
        TRY(put_numbers(g, s, v, args->uniform, &at));
    return gpu_tensors_put(g, &s->known, k->part, k->parts, w, s->grid,
                           argument + k->argument_bytes -
                               k->parts * (int64_t)sizeof(emit_gpu_tensor));
}
