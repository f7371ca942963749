/* SPDX-License-Identifier: BSD-3-Clause */
/* Kernels of one program or of many, from the IR to functions: emitted as one text, compiled and loaded
 * by the host. */
#include <string.h>

#include "run/run_private.h"

struct kernel_set {
    host_module *module;
};

static pav_status add_head(const program *p, const char *machine, text *t)
{
    uint64_t identity;
    TRY(program_identity(p, &identity));
    text_add(t, "Kernels of %s (%016llx) for %s.", p->name, (unsigned long long)identity,
             machine);
    return t->failed ? PAV_ENOMEM : PAV_OK;
}

pav_status kernel_head(const program *p, text *t)
{
    return add_head(p, "the host's processors", t);
}

pav_status kernel_source(const program *p, const ir *code, text *t)
{
    text head = {0};
    pav_status status = kernel_head(p, &head);
    if (status == PAV_OK)
        status = emit_source(&code, 1, head.data, t);
    text_free(&head);
    return status;
}

pav_status kernel_gpu_source(const program *p, const ir *code,
                             const emit_gpu_schedule *of_stage, text *t)
{
    text head = {0};
    pav_status status = add_head(p, "GPUs", &head);
    if (status == PAV_OK)
        status = emit_gpu_source(&code, 1, &of_stage, head.data, t);
    text_free(&head);
    return status;
}

pav_status kernel_set_open(const ir *const *code, int64_t count, const char *head,
                           unsigned how, kernel_set **set)
{
    text source = {0};
    kernel_set *made = mem_new(1, sizeof *made);
    *set = NULL;
    pav_status status = made ? emit_source(code, count, head, &source) : PAV_ENOMEM;
    if (status == PAV_OK)
        status = host_module_open(source.data, source.length, how, &made->module);
    text_free(&source);
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

/* ---- for people --------------------------------------------------------------------------- */

/* Whether text is printed for a device of this name, or its number n: printing needs neither device nor
 * compiler. */
static bool is_for(const char *device, const char *name)
{
    const size_t length = strlen(name);
    return strncmp(device, name, length) == 0 &&
           (device[length] == 0 || device[length] == ':');
}

static bool is_for_gpu(const char *device)
{
    return device && (is_for(device, "cuda") || is_for(device, "emulated"));
}

static pav_status generate(const program *p, const char *device, text *t)
{
    ir *code = NULL;
    TRY(ir_build(p, NULL, &code));
    const pav_status status = is_for_gpu(device) ? kernel_gpu_source(p, code, NULL, t)
                                                 : kernel_source(p, code, t);
    ir_free(code);
    return status;
}

static pav_status check_device(const char *name)
{
    pav_device *device = NULL;
    if (!name || is_for(name, "cpu") || is_for_gpu(name))
        return PAV_OK;
    TRY(pav_device_open(name, &device));
    const pav_status status = FAIL(
        PAV_EUNSUPPORTED,
        "the device %s runs programs without source of its own; --device cpu "
        "has some",
        pav_device_name(device));
    pav_device_free(device);
    return status;
}

pav_status pav_program_generate(const pav_program *p, const char *device, char **result)
{
    text t = {0};
    if (result)
        *result = NULL;
    if (!p || !result)
        return FAIL(PAV_EINVAL,
                    "pav_program_generate needs a program and a place for the text");
    TRY(check_device(device));
    const pav_status status = generate(&p->tree, device, &t);
    if (status == PAV_OK)
        return text_take(&t, result);
    text_free(&t);
    return status;
}
