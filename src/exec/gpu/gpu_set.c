/* SPDX-License-Identifier: BSD-3-Clause */
/* Kernels for a GPU, of one program or many, from the IR to functions. Common kernels
 * form a module of their own: their text never changes, so they are compiled once and
 * kept. */
#include "exec/gpu/gpu_private.h"

static pav_status open_common(place_set *set)
{
    text source = {0};
    emit_gpu_common(&source);
    const pav_status status = source.failed
                                  ? PAV_ENOMEM
                                  : gpu_module_open(set->gpu, source.data, source.length,
                                                    HOST_KEEP, &set->common);
    text_free(&source);
    return status;
}

static pav_status find(gpu_module *m, const char *name, gpu_kernel **found)
{
    *found = gpu_module_find(m, name);
    return *found ? PAV_OK : FAIL(PAV_EINTERNAL, "the compiled kernels lack %s", name);
}

static pav_status find_common(place_set *set)
{
    TRY(find(set->common, "run_ghosts", &set->ghosts));
    TRY(find(set->common, "run_borders", &set->borders));
    TRY(find(set->common, "run_samples", &set->samples));
    TRY(find(set->common, "run_reductions", &set->reductions));
    TRY(find(set->common, "run_check_nan", &set->nan_check));
    TRY(find(set->common, "run_fill", &set->fill));
    return find(set->common, "run_copy", &set->copy);
}

static pav_status compile(place_set *set, const ir *const *code, int64_t count,
                          const char *head, unsigned how)
{
    text source = {0};
    pav_status status = emit_gpu_shared_source(code, count, set->candidates, head,
                                               &set->shared, &source);
    if (status == PAV_OK)
        status = gpu_module_open(set->gpu, source.data, source.length, how,
                                 &set->kernels);
    text_free(&source);
    return status;
}

pav_status place_set_open(gpu *g, const ir *const *code, int64_t count,
                          const schedule *const *candidates, const char *head,
                          unsigned how, place_set **result)
{
    place_set *set = mem_new(1, sizeof *set);
    *result = NULL;
    if (!set)
        return PAV_ENOMEM;
    *set = (place_set){.gpu = g, .candidates = candidates};
    pav_status status = open_common(set);
    if (status == PAV_OK)
        status = find_common(set);
    if (status == PAV_OK)
        status = compile(set, code, count, head, how);
    if (status == PAV_OK)
        *result = set;
    else
        place_set_close(set);
    return status;
}

pav_status place_set_add_launches(place_set *set, const ir *const *code, int64_t count,
                                  const schedule *const *fused, const char *head,
                                  unsigned how)
{
    text source = {0};
    pav_status status = emit_gpu_fused_source(code, count, fused, head, &source);
    if (status == PAV_OK)
        status = gpu_module_open(set->gpu, source.data, source.length, how,
                                 &set->launches);
    text_free(&source);
    set->fused = fused;
    return status;
}

const schedule *place_set_fused(const place_set *set, int64_t number)
{
    return set->fused ? set->fused[number] : NULL;
}

void place_set_close(place_set *set)
{
    if (!set)
        return;
    if (set->kernels)
        gpu_module_close(set->kernels);
    if (set->common)
        gpu_module_close(set->common);
    if (set->launches)
        gpu_module_close(set->launches);
    emit_shared_kernels_free(&set->shared);
    mem_free(set);
}
