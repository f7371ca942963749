/* SPDX-License-Identifier: BSD-3-Clause */
/* Compiles CUDA C++ to kernels of the emulated GPU with the host's C++ compiler. */
#include <stdio.h>
#include <string.h>

#include "device/emulated/emulated_private.h"

typedef struct emulated_module {
    gpu_module base;
    host_module *object;
    emulated_kernel *kernel;
} emulated_module;

void emulated_discard(gpu_module *base)
{
    emulated_module *m = (emulated_module *)(void *)base;

    while (m->kernel) {
        emulated_kernel *next = m->kernel->next;
        mem_free(m->kernel);
        m->kernel = next;
    }
    host_module_close(m->object);
    mem_free(m);
}

static pav_status add_kernel(emulated_module *m, const emulated_name *named)
{
    char symbol[2 * EMULATED_NAME];
    emulated_kernel *k = mem_new(1, sizeof *k);

    if (!k)
        return PAV_ENOMEM;
    (void)snprintf(symbol, sizeof symbol, "emulated_enter_%s", named->name);
    *k = (emulated_kernel){.base.facts.most_threads = named->most_threads,
                           .enter = (emulated_enter *)host_module_find(m->object, symbol),
                           .next = m->kernel};
    memcpy(k->name, named->name, sizeof k->name);
    k->place = (emulated_place *)host_module_find(m->object, "emulated_place");
    m->kernel = k;
    return PAV_OK;
}

static pav_status add_kernels(emulated_module *m, const char *source, int64_t length)
{
    emulated_name named;
    int64_t at = 0;

    while (emulated_next_kernel(source, length, &at, &named))
        TRY(add_kernel(m, &named));
    return PAV_OK;
}

/* Compiles without optimisation. Optimised code would be three times faster, but
 * compiling it takes twenty times longer than most emulated runs. */
static pav_status build(emulated_module *m, const char *source, int64_t length,
                        unsigned how)
{
    text t = {0};

    emulated_text(source, length, &t);
    pav_status status = t.failed ? PAV_ENOMEM
                                 : module_open(LANGUAGE_CXX, t.data, t.length,
                                               how | HOST_QUICK, &m->object);
    text_free(&t);
    return status == PAV_OK ? add_kernels(m, source, length) : status;
}

pav_status emulated_compile(gpu *g, const char *source, int64_t length, unsigned how,
                            gpu_module **result)
{
    emulated_module *m = mem_new(1, sizeof *m);

    *result = NULL;
    if (!m)
        return PAV_ENOMEM;
    (void)g;
    const pav_status status = build(m, source, length, how);
    if (status == PAV_OK)
        *result = &m->base;
    else
        emulated_discard(&m->base);
    return status;
}

const char *emulated_note(const gpu_module *base)
{
    return host_module_note(((const emulated_module *)(const void *)base)->object);
}

/* Does not check the size: the host's loader does not report it. */
void *emulated_constant(gpu_module *base, const char *name, int64_t bytes)
{
    const emulated_module *m = (emulated_module *)(void *)base;

    (void)bytes;
    return host_module_variable(m->object, name);
}

gpu_kernel *emulated_find(gpu_module *base, const char *name)
{
    emulated_kernel *k = ((emulated_module *)(void *)base)->kernel;

    while (k && strcmp(k->name, name) != 0)
        k = k->next;
    return k ? &k->base : NULL;
}
