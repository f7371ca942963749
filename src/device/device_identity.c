/* SPDX-License-Identifier: BSD-3-Clause */
/* The identity of a device for stored measurements. A measurement is valid only for the
 * same processor or GPU and the same compiler. */
#include <stdio.h>
#include <string.h>

#include "device/device_private.h"

static void add_compiler(language l, text *t)
{
    compiler c;
    hash h;
    hash_init(&h);
    if (compiler_find(l, &c) != PAV_OK) {
        text_add(t, "none");
        return;
    }
    compiler_hash(&c, false, &h);
    text_add(t, "%s %08x", path_name(c.path), (unsigned)hash_end(&h));
}

static void add_gpu(const pav_device *d, text *machine, text *compiled_by)
{
    const gpu_ops *ops = d->ops->gpu;
    const char *why;
    gpu_facts facts;
    if (!ops->describe) {
        text_add(machine, "%s GPU", d->ops->name);
        add_compiler(LANGUAGE_CXX, compiled_by);
        return;
    }
    (void)ops->describe(d->number, &facts, &why);
    text_add(machine, "%s", facts.name);
    ops->versions(compiled_by);
}

pav_status device_identity(const pav_device *d, text *machine, text *compiled_by)
{
    if (d->ops->gpu)
        add_gpu(d, machine, compiled_by);
    else
        add_compiler(LANGUAGE_C, compiled_by);
    if (!d->ops->gpu)
        text_add(machine, "%s", *pav_host_name() ? pav_host_name() : "a processor");
    return machine->failed || compiled_by->failed ? PAV_ENOMEM : PAV_OK;
}
