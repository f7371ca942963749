/* SPDX-License-Identifier: BSD-3-Clause */
/* The text of a program's kernels, for a device to compile. */
#include <string.h>

#include "exec/host/host.h"

pav_status kernel_head(const program *p, const char *machine, text *t)
{
    text_add(t, "Kernels of %.*s for %s.", (int)strcspn(p->name, "@"), p->name, machine);
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
