/* SPDX-License-Identifier: BSD-3-Clause */
/* Kernels of a CUDA GPU: found in the cache or compiled by NVRTC, loaded and launched,
 * one by one or as a graph. */
#include <string.h>

#include "device/cuda/cuda_private.h"

enum {
    IMAGE_LIMIT = 1 << 30,
    ALL_SHARED = 100 /* percent */
};

typedef struct cuda_kernel cuda_kernel;
struct cuda_kernel {
    gpu_kernel base; /* first */
    cuda_kernel *next;
    cu_function function;
    int64_t granted; /* bytes of dynamic shared memory allowed so far */
};
typedef struct cuda_module {
    gpu_module base; /* first */
    cu_module loaded;
    cuda_kernel *kernels; /* kernels found so far */
    kernel_cache cache;
} cuda_module;

/* ---- compiling and loading --------------------------------------------------------- */

typedef struct build {
    cuda *gpu;
    cuda_module *module;
    nvrtc_job job;
    bool only_made;
} build;

static void describe(const void *of, hash *h)
{
    const build *b = of;
    const int64_t length = (int64_t)strlen(b->job.source);

    hash_add(h, &length, sizeof length);
    hash_add(h, b->job.source, length);
    hash_add(h, b->job.target, (int64_t)strlen(b->job.target) + 1);
}

static void describe_compiler(const void *of, hash *h)
{
    const build *b = of;

    nvrtc_hash(&b->gpu->compiler, &b->job, h);
}

static void add_target(const void *of, text *t)
{
    const build *b = of;

    text_add(t, "%s", b->job.target);
}

static pav_status make(void *of, const char *work, const char *made)
{
    const build *b = of;
    text image = {0};
    pav_status status = nvrtc_run(&b->gpu->compiler, &b->job, &image, NULL);

    (void)work;
    if (status == PAV_OK)
        status = cache_write(made, image.data, image.length);
    text_free(&image);
    return status;
}

/* Both kinds of image contain their length, so the driver ignores the seal at the end. */
static pav_status load(void *of, const char *path)
{
    const build *b = of;
    char *image;
    int64_t length;

    if (b->only_made)
        return PAV_OK;
    TRY(file_read(path, IMAGE_LIMIT, &image, &length));
    pav_status status = cuda_enter(b->gpu);
    if (status == PAV_OK)
        status = cuda_leave(b->gpu,
                            b->gpu->driver->module_load(&b->module->loaded, image),
                            "loading kernels");
    mem_free(image);
    return status;
}

static const cache_maker maker = {".cubin",   describe, describe_compiler,
                                  add_target, make,     load};

void cuda_discard(gpu_module *module)
{
    cuda_module *m = (cuda_module *)(void *)module;
    const cuda *c = cuda_of(module->owner);

    if (m->loaded && cuda_enter(c) == PAV_OK)
        (void)cuda_leave(c, c->driver->module_unload(m->loaded), "unloading kernels");
    for (cuda_kernel *next, *k = m->kernels; k; k = next) {
        next = k->next;
        mem_free(k);
    }
    mem_free(m);
}

pav_status cuda_compile(gpu *g, const char *source, int64_t length, unsigned how,
                        gpu_module **result)
{
    cuda *c = cuda_of(g);
    cuda_module *m = mem_new(1, sizeof *m);
    text whole = {0};
    bool found = false;

    if (!m)
        return PAV_ENOMEM;
    m->base.owner = g;
    text_add_bytes(&whole, source, length);
    build b = {c, m, {.source = whole.data, .target = c->target}, how & HOST_MAKE};
    pav_status status = whole.failed ? PAV_ENOMEM
                                     : cache_load_image(&m->cache, &maker, &b, &found);
    if (status == PAV_OK && !found)
        status = cache_load(&m->cache, &maker, how, settings_compiler_seconds(), &b);
    text_free(&whole);
    if (status == PAV_OK)
        *result = &m->base;
    else
        cuda_discard(&m->base);
    return status;
}

const char *cuda_note(const gpu_module *module)
{
    return ((const cuda_module *)(const void *)module)->cache.note;
}

/* ---- kernels ----------------------------------------------------------------------- */

static int64_t ask(const cuda *c, cu_function f, cu_kernel_attribute attribute)
{
    int value = 0;

    return c->driver->function_get(&value, attribute, f) == CU_DONE ? value : 0;
}

static cuda_kernel *new_kernel(const cuda *c, cuda_module *m, const char *name)
{
    cu_function function = NULL;
    cuda_kernel *k;

    if (c->driver->module_function(&function, m->loaded, name) != CU_DONE ||
        !(k = mem_new(1, sizeof *k)))
        return NULL;
    *k = (cuda_kernel){.next = m->kernels, .function = function};
    k->base.facts = (gpu_kernel_facts){
        .registers = (int)ask(c, function, CU_REGISTERS),
        .most_threads = (int)ask(c, function, CU_MOST_THREADS),
        .spilled = ask(c, function, CU_LOCAL),
        .shared = ask(c, function, CU_SHARED),
    };
    k->granted = GPU_BLOCK_SHARED - k->base.facts.shared;
    m->kernels = k;
    return k;
}

gpu_kernel *cuda_find(gpu_module *module, const char *name)
{
    cuda_module *m = (cuda_module *)(void *)module;
    const cuda *c = cuda_of(module->owner);

    for (cuda_kernel *k = m->kernels; k; k = k->next)
        if (strcmp(k->base.name, name) == 0)
            return &k->base;
    if (cuda_enter(c) != PAV_OK)
        return NULL;
    cuda_kernel *k = new_kernel(c, m, name);
    (void)cuda_leave(c, CU_DONE, "");
    return k ? &k->base : NULL;
}

void *cuda_constant(gpu_module *module, const char *name, int64_t bytes)
{
    const cuda_module *m = (cuda_module *)(void *)module;
    const cuda *c = cuda_of(module->owner);
    cu_pointer at = 0;
    size_t size = 0;

    if (cuda_enter(c) != PAV_OK)
        return NULL;
    const cu_result code = c->driver->module_global(&at, &size, m->loaded, name);
    (void)cuda_leave(c, CU_DONE, "");
    return code == CU_DONE && (int64_t)size >= bytes ? (void *)(uintptr_t)at : NULL;
}

/* ---- calls ------------------------------------------------------------------------- */

/* Shared memory beyond the default is taken from L1. */
static cu_result grant(const cuda *c, cuda_kernel *k, int64_t shared)
{
    if (shared <= k->granted)
        return CU_DONE;
    CU_TRY(c->driver->function_set(k->function, CU_MOST_DYNAMIC_SHARED, (int)shared));
    CU_TRY(c->driver->function_set(k->function, CU_CARVEOUT, ALL_SHARED));
    k->granted = shared;
    return CU_DONE;
}

static cu_result start(const cuda *c, const gpu_call *call)
{
    cuda_kernel *k = (cuda_kernel *)(void *)call->kernel;
    void *arguments[] = {(void *)(uintptr_t)call->argument};

    CU_TRY(grant(c, k, call->shared));
    if (call->together)
        return c->driver->launch_cooperative(
            k->function, (unsigned)call->blocks[0], (unsigned)call->blocks[1],
            (unsigned)call->blocks[2], (unsigned)call->threads[0],
            (unsigned)call->threads[1], (unsigned)call->threads[2],
            (unsigned)call->shared, c->stream, arguments);
    return c->driver->launch(
        k->function, (unsigned)call->blocks[0], (unsigned)call->blocks[1],
        (unsigned)call->blocks[2], (unsigned)call->threads[0], (unsigned)call->threads[1],
        (unsigned)call->threads[2], (unsigned)call->shared, c->stream, arguments, NULL);
}

pav_status cuda_launch(gpu *g, const gpu_call *call)
{
    const cuda *c = cuda_of(g);

    TRY(cuda_enter(c));
    return cuda_leave(c, start(c, call), "starting a kernel");
}

int64_t cuda_cooperative_blocks(const gpu_kernel *k, int threads, int64_t shared)
{
    gpu *g = k->module->owner;
    const cuda *c = cuda_of(g);
    cuda_kernel *own = (cuda_kernel *)(uintptr_t)k;
    int blocks = 0;

    if (cuda_enter(c) != PAV_OK)
        return 0;
    cu_result code = grant(c, own, shared);
    if (code == CU_DONE)
        code = c->driver->blocks_at_once(&blocks, own->function, threads, (size_t)shared);
    (void)cuda_leave(c, CU_DONE, "");
    return code == CU_DONE ? (int64_t)blocks * g->facts.multiprocessors : 0;
}

/* ---- graphs ------------------------------------------------------------------------ */

/* Several launches recorded as one graph. On small grids a launch costs more
 * than its kernel, and a graph launches all kernels at once. */

/* Records the launches: a stream in capture mode stores them without running them. */
static cu_result capture(const cuda *c, const gpu_call *call, int64_t count,
                         cu_graph *graph)
{
    cu_result code = CU_DONE;

    CU_TRY(c->driver->capture(c->stream, CU_OWN_THREAD));
    for (int64_t k = 0; k < count && code == CU_DONE; k++)
        code = start(c, &call[k]);
    const cu_result ended = c->driver->capture_end(c->stream, graph);
    return code == CU_DONE ? ended : code;
}

pav_status cuda_record(gpu *g, const gpu_call *call, int64_t count, gpu_graph **result)
{
    const cuda *c = cuda_of(g);
    cu_graph graph = NULL;
    cu_graph_exec exec = NULL;

    if (!c->driver->capture)
        return FAIL(PAV_EUNSUPPORTED, "the NVIDIA driver knows no graphs; update it");
    TRY(cuda_enter(c));
    cu_result code = capture(c, call, count, &graph);
    if (code == CU_DONE)
        code = c->driver->exec_new(&exec, graph, 0);
    if (graph)
        (void)c->driver->graph_free(graph);
    *result = (gpu_graph *)(void *)exec;
    return cuda_leave(c, code, "making a graph");
}

pav_status cuda_replay(gpu *g, gpu_graph *graph)
{
    const cuda *c = cuda_of(g);

    TRY(cuda_enter(c));
    return cuda_leave(c, c->driver->exec_launch((cu_graph_exec)(void *)graph, c->stream),
                      "starting a graph");
}

void cuda_forget(gpu *g, gpu_graph *graph)
{
    const cuda *c = cuda_of(g);

    if (cuda_enter(c) == PAV_OK)
        (void)cuda_leave(c, c->driver->exec_free((cu_graph_exec)(void *)graph),
                         "giving a graph back");
}
