/* SPDX-License-Identifier: BSD-3-Clause */
/* The device "cuda": opens NVIDIA's driver, initialises it once, makes its error codes
 * readable, and finds the GPUs. Driver, GPU and compiler are checked against each other;
 * each missing component gives a message. */
#include <pthread.h>
#include <stdio.h>

#include "device/cuda/cuda_private.h"

enum {
    OLDEST =
        11020, /* the first CUDA version with an NVRTC able to list its architectures */
    SAID = 1024
};

bool cuda_say(const char **why, const char *format, ...)
{
    static _Thread_local char said[SAID];
    va_list list;

    va_start(list, format);
    (void)vsnprintf(said, sizeof said, format, list);
    va_end(list);
    *why = said;
    return false;
}

/* ---- functions --------------------------------------------------------------------- */

#define ROW(member, name, arguments) {#name, offsetof(cuda_driver, member)},
static const library_call calls[] = {CU_CALLS(ROW)};
static const library_call graph_calls[] = {CU_GRAPH_CALLS(ROW)};
static const library_call tensor_calls[] = {CU_TENSOR_CALLS(ROW)};

/* ---- beginning --------------------------------------------------------------------- */

static struct {
    cuda_driver driver;
    int version; /* 12040: CUDA 12.4 */
    int count;
    bool usable;
    char why[SAID];
} only;

static void cannot(const char *what)
{
    (void)snprintf(only.why, sizeof only.why, "%s", what);
}

static void cannot_begin(cu_result code)
{
    OWNED_BY(text_free) text t = {0};

    if (code == CU_NO_DEVICE) {
        cannot("the NVIDIA driver finds no GPU; see nvidia-smi and CUDA_VISIBLE_DEVICES");
        return;
    }
    text_add(&t, "the NVIDIA driver cannot be used: ");
    cuda_add_error(&t, code);
    text_add(&t, "; see what nvidia-smi says");
    cannot(t.failed ? "memory ran out" : t.data);
}

static bool is_new_enough(void)
{
    if (only.driver.version(&only.version) == CU_DONE && only.version >= OLDEST)
        return true;
    (void)snprintf(only.why, sizeof only.why,
                   "the NVIDIA driver is too old: it knows CUDA %d.%d, and %d.%d is "
                   "needed; update it",
                   only.version / 1000, only.version % 1000 / 10, OLDEST / 1000,
                   OLDEST % 1000 / 10);
    return false;
}

static void begin(void)
{
    const char *file;
    void *library = library_open("CUDA driver", &file);

    if (!library) {
        cannot("there is no NVIDIA driver (libcuda.so.1), which comes with the GPU");
        return;
    }
    if (!library_find(library, calls, COUNT_OF(calls), &only.driver)) {
        cannot("the NVIDIA driver is too old: it lacks functions of CUDA 11; update it");
        return;
    }
    if (!is_new_enough())
        return;
    if (!library_find(library, graph_calls, COUNT_OF(graph_calls), &only.driver))
        only.driver.capture = NULL;
    (void)library_find(library, tensor_calls, COUNT_OF(tensor_calls), &only.driver);
    cu_result code = only.driver.init(0);
    if (code == CU_DONE)
        code = only.driver.device_count(&only.count);
    if (code == CU_DONE && only.count == 0)
        code = CU_NO_DEVICE;
    only.usable = code == CU_DONE;
    if (!only.usable)
        cannot_begin(code);
}

/* The driver and the number of its GPUs, initialised once a process. NULL: *why gives the
 * remedy. */
static const cuda_driver *find_driver(int *count, const char **why)
{
    static pthread_once_t once = PTHREAD_ONCE_INIT;

    (void)pthread_once(&once, begin);
    *count = only.usable ? only.count : 0;
    *why = only.why;
    return only.usable ? &only.driver : NULL;
}

void cuda_add_error(text *t, cu_result code)
{
    const char *name = NULL, *about = NULL;

    if (only.driver.error_name(code, &name) != CU_DONE || !name)
        text_add(t, "error %d", code);
    else
        text_add(t, "%s", name);
    if (only.driver.error_string(code, &about) == CU_DONE && about)
        text_add(t, " (%s)", about);
}

/* ---- GPUs -------------------------------------------------------------------------- */

static int ask(const cuda_driver *d, cu_device device, cu_attribute attribute)
{
    int value = 0;

    return d->device_attribute(&value, attribute, device) == CU_DONE ? value : 0;
}

static int architecture(const gpu_facts *f)
{
    return 10 * f->major + f->minor;
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
    const gpu_architecture *a = gpu_facts_architecture(f);
    const double ticks = 1e3 * ask(d, device, CU_CLOCK) * f->multiprocessors;
    if (a->number == architecture(f)) { /* otherwise its rates are unknown */
        f->f32_rate = ticks * a->f32;
        f->f64_rate = ticks * a->f64;
    }
    (void)d->device_name(f->name, sizeof f->name, device);
    if (d->device_memory(&memory, device) == CU_DONE)
        f->memory = (int64_t)memory;
}

int cuda_count(void)
{
    const char *why;
    int found;

    (void)find_driver(&found, &why);
    return found;
}

/* The GPU, and the compiler for it. */
bool cuda_describe(int number, cuda *c, const char **why)
{
    int found;

    c->driver = find_driver(&found, why);
    if (!c->driver)
        return false;
    if (number >= found || c->driver->device_get(&c->device, number) != CU_DONE)
        return cuda_say(why, "the driver finds %d GPU%s", found, found == 1 ? "" : "s");
    find_facts(c->driver, c->device, &c->base.facts);
    const int here = architecture(&c->base.facts);
    if (here < GPU_OLDEST)
        return cuda_say(why, "cuda:%d (%s) is sm_%d, and sm_%d or newer is needed",
                        number, c->base.facts.name, here, GPU_OLDEST);
    const char *target = images_target(".cubin"); /* offered kernels need no compiler */
    if (target)
        (void)snprintf(c->target, sizeof c->target, "%s", target);
    return target || (nvrtc_find(only.version, &c->compiler, why) &&
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

    text_add(t, "driver for CUDA %d.%d", only.version / 1000, only.version % 1000 / 10);
    if (nvrtc_find(only.version, &n, &why))
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
    const cuda_driver *d = find_driver(&found, &why);

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
