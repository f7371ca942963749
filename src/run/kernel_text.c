/* SPDX-License-Identifier: BSD-3-Clause */
/* The text of a program's kernels, and what compilers tell of it: for a device to compile, and for people. */
#include <string.h>

#include "run/run_private.h"

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
        status = emit_source(&code, 1, head.data, t);
    text_free(&head);
    return status;
}

pav_status kernel_gpu_source(const program *p, const ir *code,
                             const emit_gpu_schedule *of_stage, text *t)
{
    text head = {0};
    pav_status status = kernel_head(p, "GPUs", &head);
    if (status == PAV_OK)
        status = emit_gpu_source(&code, 1, &of_stage, head.data, t);
    text_free(&head);
    return status;
}

/* ---- for people --------------------------------------------------------------------------- */

static const int architectures[] = {80, 90, 100};

/* Whether a device has this name, with or without a number: printing needs neither it nor a compiler. */
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

static pav_status add_gpu_source(const program *p, const ir *code, const char *name,
                                 text *t)
{
    emit_gpu_schedule all, *of_stage = mem_new(code->stages + 1, sizeof *of_stage);
    pav_status status = of_stage ? emit_gpu_schedule_find(name, &all) : PAV_ENOMEM;
    if (status == PAV_OK) {
        for (int64_t k = 0; k < code->stages; k++)
            of_stage[k] = all;
        status = kernel_gpu_source(p, code, of_stage, t);
    }
    mem_free(of_stage);
    return status;
}

static pav_status generate(const program *p, const char *device, const char *name,
                           text *t)
{
    ir *code = NULL;
    TRY(ir_build(p, NULL, &code));
    pav_status status = is_for_gpu(device) ? emit_gpu_part(code, name) : PAV_OK;
    if (status == PAV_OK)
        status = is_for_gpu(device) ? add_gpu_source(p, code, name, t)
                                    : kernel_source(p, code, t);
    ir_free(code);
    return status;
}

static pav_status check_device(const char *name, const char *wanted)
{
    pav_device *device = NULL;
    if (is_for_gpu(name))
        return PAV_OK;
    if (wanted)
        return FAIL(PAV_EINVAL,
                    "only the source for GPUs depends on a schedule: --device "
                    "cuda --schedule %s",
                    wanted);
    if (!name || is_for(name, "cpu"))
        return PAV_OK;
    TRY(pav_device_open(name, &device));
    const pav_status status = FAIL(
        PAV_EUNSUPPORTED,
        "the device %s runs programs without source of its own; --device cpu and "
        "--device cuda have some",
        pav_device_name(device));
    pav_device_free(device);
    return status;
}

static pav_status give(pav_status status, text *t, char **result)
{
    if (status == PAV_OK)
        return text_take(t, result);
    text_free(t);
    return status;
}

pav_status pav_program_generate(const pav_program *p, const char *device,
                                const char *name, char **result)
{
    text t = {0};
    if (result)
        *result = NULL;
    if (!p || !result)
        return FAIL(PAV_EINVAL,
                    "pav_program_generate needs a program and a place for the text");
    TRY(check_device(device, name));
    return give(generate(&p->tree, device, name, &t), &t, result);
}

static pav_status add_stats(const text *source, text *t)
{
    for (size_t n = 0; n < COUNT_OF(architectures); n++) {
        text_add(t, "%ssm_%d\n", n ? "\n" : "", architectures[n]);
        TRY(gpu_try_compile(architectures[n], source->data, source->length, t));
    }
    return PAV_OK;
}

pav_status pav_program_stats(const pav_program *p, const char *name, char **result)
{
    text source = {0}, t = {0};
    if (result)
        *result = NULL;
    if (!p || !result)
        return FAIL(PAV_EINVAL,
                    "pav_program_stats needs a program and a place for the text");
    pav_status status = generate(&p->tree, "cuda", name, &source);
    if (status == PAV_OK)
        status = add_stats(&source, &t);
    text_free(&source);
    return give(status, &t, result);
}
