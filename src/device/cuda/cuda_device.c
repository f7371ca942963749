/* SPDX-License-Identifier: BSD-3-Clause */
/* The device "cuda": finds NVIDIA's GPUs and checks the driver, the GPU and the compiler
 * against each other. Each missing component gives a message. */
#include <stdio.h>

#include "device/cuda/cuda_private.h"

static int ask(const cuda_driver *d, cu_device device, cu_attribute attribute)
{
    int value = 0;

    return d->device_attribute(&value, attribute, device) == CU_DONE ? value : 0;
}

static int architecture(const gpu_facts *f)
{
    return 10 * f->major + f->minor;
}

/* Computes the arithmetic rates if the architecture is known. */
static void find_rates(const cuda_driver *d, cu_device device, gpu_facts *f)
{
    const gpu_architecture *a = gpu_facts_architecture(f);
    const double ticks = 1e3 * ask(d, device, CU_CLOCK) * f->multiprocessors;

    if (a->number != architecture(f))
        return;
    f->f32_rate = ticks * a->f32;
    f->f64_rate = ticks * a->f64;
}

static void find_facts(const cuda_driver *d, cu_device device, gpu_facts *f)
{
    size_t memory = 0;

    *f = (gpu_facts){
        .major = ask(d, device, CU_MAJOR),
        .minor = ask(d, device, CU_MINOR),
        .multiprocessors = ask(d, device, CU_MULTIPROCESSORS),
        .shared_block = ask(d, device, CU_SHARED_BLOCK),
        .shared_multiprocessor = ask(d, device, CU_SHARED_MULTIPROCESSOR),
        .l2 = ask(d, device, CU_L2_BYTES),
    };
    find_rates(d, device, f);
    (void)d->device_name(f->name, sizeof f->name, device);
    if (d->device_memory(&memory, device) == CU_DONE)
        f->memory = (int64_t)memory;
}

int cuda_count(void)
{
    const char *why;
    int found;

    (void)cuda_driver_find(&found, &why);
    return found;
}

/* Takes the target of offered precompiled kernels, if any; they need no compiler. */
static bool take_images(cuda *c)
{
    const char *target = images_target(".cubin");

    if (target)
        (void)snprintf(c->target, sizeof c->target, "%s", target);
    return target != NULL;
}

/* The GPU, and the compiler for it. */
bool cuda_describe(int number, cuda *c, const char **why)
{
    int found;

    c->driver = cuda_driver_find(&found, why);
    if (!c->driver)
        return false;
    if (number >= found || c->driver->device_get(&c->device, number) != CU_DONE)
        return cuda_say(why, "the driver finds %d GPU%s", found, found == 1 ? "" : "s");
    find_facts(c->driver, c->device, &c->base.facts);
    const int here = architecture(&c->base.facts);
    if (here < GPU_OLDEST)
        return cuda_say(why, "cuda:%d (%s) is sm_%d, and sm_%d or newer is needed",
                        number, c->base.facts.name, here, GPU_OLDEST);
    return take_images(c) || (nvrtc_find(cuda_driver_version(), &c->compiler, why) &&
                              nvrtc_target(&c->compiler, here, c->target, why));
}

bool cuda_read_facts(int number, gpu_facts *facts, const char **why)
{
    cuda c = {0};
    const bool usable = cuda_describe(number, &c, why);

    *facts = c.base.facts;
    return usable;
}

void cuda_versions(text *t)
{
    const char *why;
    nvrtc n;

    text_add(t, "driver for CUDA %d.%d", cuda_driver_version() / 1000,
             cuda_driver_version() % 1000 / 10);
    if (nvrtc_find(cuda_driver_version(), &n, &why))
        text_add(t, ", NVRTC %d.%d (%s)", n.major, n.minor, n.file);
}

/* One usable GPU is enough. If there is none, *why is the reason of the first GPU. */
static bool present(const char **why)
{
    const char *later;
    gpu_facts facts;

    if (cuda_read_facts(0, &facts, why))
        return true;
    for (int n = 1; n < cuda_count(); n++)
        if (cuda_read_facts(n, &facts, &later))
            return true;
    return cuda_read_facts(0, &facts, why);
}

/* True if a driver is present: then the user expects the GPU and "auto" reports the
 * reason. */
static bool awaited(void)
{
    const char *file;

    return library_open("CUDA driver", &file) != NULL;
}

static bool peers(int number, int other)
{
    const char *why;
    int found, can = 0;
    cu_device device[2];
    const cuda_driver *d = cuda_driver_find(&found, &why);

    return d && d->device_get(&device[0], number) == CU_DONE &&
           d->device_get(&device[1], other) == CU_DONE &&
           d->can_access(&can, device[0], device[1]) == CU_DONE && can;
}

const device_ops cuda_device = {
    .name = "cuda",
    .about = "compiles each program for NVIDIA GPUs",
    .present = present,
    .awaited = awaited,
    .rank = 3,
    .gpu = &cuda_ops,
    .peers = peers,
};
