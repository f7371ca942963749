/* SPDX-License-Identifier: BSD-3-Clause */
/* Enters and leaves a GPU's context around driver calls, and explains the driver's error
 * codes. */
#include "device/cuda/cuda_private.h"

static void add_failure(text *t, const cuda *c, cu_result code, const char *doing)
{
    const bool kernel = code >= CU_FIRST_KERNEL_FAILURE && code <= CU_LAST_KERNEL_FAILURE;

    if (kernel)
        text_add(t, "a kernel failed on %s, as was found on %s: ", c->base.name, doing);
    else
        text_add(t, "%s failed on %s: ", doing, c->base.name);
    cuda_add_error(t, code);
    if (kernel)
        text_add(
            t, "; that is a mistake of this program or of the GPU, and nothing more can "
               "be done there; --device cpu does without");
    else
        text_add(t, "; --device cpu does without the GPU");
}

pav_status cuda_failed(const cuda *c, cu_result code, const char *doing)
{
    text t = {0};

    add_failure(&t, c, code, doing);
    const pav_status status = code == CU_NO_MEMORY ? PAV_ENOMEM : PAV_EDEVICE;
    FAIL(status, "%s", t.failed ? doing : t.data);
    text_free(&t);
    return status;
}

pav_status cuda_enter(const cuda *c)
{
    const cu_result code = c->driver->push(c->context);

    return code == CU_DONE ? PAV_OK : cuda_failed(c, code, "turning to the GPU");
}

pav_status cuda_leave(const cuda *c, cu_result code, const char *doing)
{
    cu_context own;

    (void)c->driver->pop(&own);
    return code == CU_DONE ? PAV_OK : cuda_failed(c, code, doing);
}
