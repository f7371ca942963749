/* SPDX-License-Identifier: BSD-3-Clause */
/* The text of a program's kernels, for a device to compile. */
#include "exec/host/host.h"

pav_status kernel_head(const program *p, const char *machine, text *t)
{
    uint64_t identity;
    TRY(program_identity(p, &identity));
    text_add(t, "Kernels of %s (%016llx) for %s.", p->name, (unsigned long long)identity,
             machine);
    return t->failed ? PAV_ENOMEM : PAV_OK;
}

pav_status kernel_source(const program *p, const ir *code, text *t)
{
    text head = {0};
    pav_status status = kernel_head(p, "the host's processors", &head);
    if (status == PAV_OK)
        status = emit_source(&code, 1, head.data, t, NULL);
    text_free(&head);
    return status;
}

pav_status kernel_fused_source(const program *p, const ir *code,
                               const schedule *requested, text *t)
{
    text head = {0};
    pav_status status = kernel_head(p, "GPUs", &head);
    if (status == PAV_OK)
        status = emit_gpu_fused_source(&code, 1, &requested, head.data, t);
    text_free(&head);
    return status;
}
