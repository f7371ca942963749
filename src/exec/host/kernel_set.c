/* SPDX-License-Identifier: BSD-3-Clause */
/* Kernels of one program or many, from the IR to functions: emitted as one text, compiled
 * and loaded by the host. */
#include "exec/host/host.h"

struct kernel_set {
    host_module *module;
};

pav_status kernel_set_open(const ir *const *code, int64_t count, const char *head,
                           unsigned how, kernel_set **set)
{
    text source = {0};
    text_pieces pieces = {0};
    kernel_set *made = mem_new(1, sizeof *made);
    *set = NULL;
    pav_status status = made ? emit_source(code, count, head, &source, &pieces)
                             : PAV_ENOMEM;
    if (status == PAV_OK)
        status = host_module_open_pieces(&source, &pieces, how, &made->module);
    text_free(&source);
    mem_free(pieces.end);
    if (status != PAV_OK) {
        mem_free(made);
        return status;
    }
    *set = made;
    return PAV_OK;
}

void kernel_set_close(kernel_set *set)
{
    if (set)
        host_module_close(set->module);
    mem_free(set);
}

emit_kernel *kernel_set_find(const kernel_set *set, int64_t number, int64_t stage)
{
    char name[EMIT_NAME];
    emit_kernel_name(name, number, stage);
    return (emit_kernel *)host_module_find(set->module, name);
}

const char *kernel_set_note(const kernel_set *set)
{
    return host_module_note(set->module);
}
