/* SPDX-License-Identifier: BSD-3-Clause */
/* The doctor's report on each numbered GPU: its facts, and if it is not usable, the
 * reason. */
#include <stdio.h>

#include "device/device_private.h"

/* Adds the facts of a GPU, and if it is not usable, the reason. */
static void add_gpu(text *t, const device_ops *o, int number)
{
    gpu_facts f;
    const char *why;
    char name[GPU_NAME];
    const bool usable = o->gpu->describe(number, &f, &why);

    (void)snprintf(name, sizeof name, "%s:%d", o->name, number);
    text_add(t, "    %-16s%s, sm_%d%d, ", name, f.name, f.major, f.minor);
    text_add_bytes_size(t, f.memory);
    text_add(t, ", %d multiprocessors\n", f.multiprocessors);
    if (!usable)
        text_add(t, "    %-16sno: %s\n", "", why);
}

void doctor_gpus(text *t, const device_ops *o)
{
    const int count = o->gpu && o->gpu->count ? o->gpu->count() : 0;

    for (int n = 0; n < count; n++)
        add_gpu(t, o, n);
    if (count == 0)
        return;
    text_add(t, "    ");
    o->gpu->versions(t);
    text_add(t, "\n");
}

static void json_gpu(text *t, const device_ops *o, int number)
{
    gpu_facts f;
    const char *why = NULL;
    const bool usable = o->gpu->describe(number, &f, &why);

    text_add(t, "{\"name\": \"%s:%d\", \"model\": ", o->name, number);
    text_add_json(t, f.name);
    text_add(t, ", \"present\": %s, \"why\": ", usable ? "true" : "false");
    text_add_json(t, usable ? NULL : why);
    text_add(t, ", \"architecture\": \"sm_%d%d\", \"memory_bytes\": %lld, ", f.major,
             f.minor, (long long)f.memory);
    text_add(t, "\"l2_bytes\": %lld, \"shared_block_bytes\": %d, ", (long long)f.l2,
             f.shared_block);
    text_add(t, "\"multiprocessors\": %d}", f.multiprocessors);
}

/* Adds nothing for devices without numbers. */
void doctor_gpus_json(text *t, const device_ops *o)
{
    const bool numbered = o->gpu && o->gpu->count;
    const int count = numbered ? o->gpu->count() : 0;
    text said = {0};

    if (!numbered)
        return;
    if (count > 0)
        o->gpu->versions(&said);
    text_add(t, ", \"versions\": ");
    text_add_json(t, said.data);
    text_free(&said);
    text_add(t, ", \"gpus\": [");
    for (int n = 0; n < count; n++) {
        text_add(t, "%s", n > 0 ? ", " : "");
        json_gpu(t, o, n);
    }
    text_add(t, "]");
}
