/* SPDX-License-Identifier: BSD-3-Clause */
/* Source text of a program's kernels, for any device. The text is part of the key of the
 * kernel cache, so it contains no name of a program or file. */
#include "exec/host/host.h"

const char *kernel_head(bool for_gpu)
{
    return for_gpu ? "Kernels for GPUs." : "Kernels for the host's processors.";
}

pav_status kernel_source(const ir *code, bool for_gpu, const schedule *s, text *t)
{
    return emit_program(code, s, kernel_head(for_gpu), t);
}
