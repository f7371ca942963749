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

pav_status kernel_source(const program *p, const ir *code, bool for_gpu,
                         const schedule *s, text *t)
{
    text head = {0};
    pav_status status = kernel_head(p, for_gpu ? "GPUs" : "the host's processors", &head);
    if (status == PAV_OK)
        status = emit_program(code, s, head.data, t);
    text_free(&head);
    return status;
}
