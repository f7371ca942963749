/* SPDX-License-Identifier: BSD-3-Clause */
/* One open NVIDIA GPU: its context, memory, streams and clock, and its kernels, found in
 * the cache or compiled by NVRTC, launched one by one or as a graph. Its context is
 * shared with other users of the GPU in this process. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "device/cuda/cuda_private.h"

enum {
    IMAGE_LIMIT = 1 << 30,
    ALL_SHARED = 100 /* percent */
};

typedef struct cuda_kernel {
    gpu_kernel base; /* first */
    struct cuda_kernel *next;
    cu_function function;
    int64_t granted; /* bytes of dynamic shared memory allowed so far */
} cuda_kernel;
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
    nvrtc_hash_options(&b->job, h);
}

static void describe_compiler(const void *of, hash *h)
{
    const nvrtc *n = &((const build *)of)->gpu->compiler;
    const int version[] = {n->major, n->minor};

    hash_add(h, version, sizeof version);
}

static void add_target(const void *of, text *t)
{
    const build *b = of;

    text_add(t, "%s", b->job.target);
}

static pav_status make(void *of, const char *work, const char *made)
{
    const build *b = of;
    OWNED_BY(text_free) text image = {0};

    (void)work;
    TRY(nvrtc_run(&b->gpu->compiler, &b->job, &image, NULL));
    return cache_write(made, image.data, image.length);
}

/* Both kinds of image contain their length, so the driver ignores the seal at the end. */
static pav_status load(void *of, const char *path)
{
    const build *b = of;
    OWNED char *image = NULL;
    int64_t length;

    if (b->only_made)
        return PAV_OK;
    TRY(file_read(path, IMAGE_LIMIT, &image, &length));
    CUDA_RETURN(b->gpu, "loading kernels",
                b->gpu->driver->module_load(&b->module->loaded, image));
}

static const cache_maker maker = {.ending = ".cubin",
                                  .describe = describe,
                                  .compiled_by = describe_compiler,
                                  .target = add_target,
                                  .make = make,
                                  .load = load};

static void cuda_discard(gpu_module *module)
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

static pav_status cuda_compile(gpu *g, const char *source, int64_t length, unsigned how,
                               gpu_module **result)
{
    cuda *c = cuda_of(g);
    cuda_module *m = mem_new(1, sizeof *m);
    OWNED_BY(text_free) text whole = {0};

    if (!m)
        return PAV_ENOMEM;
    m->base.owner = g;
    text_add_bytes(&whole, source, length);
    build b = {c, m, {.source = whole.data, .target = c->target}, how & HOST_MAKE};
    const pav_status status = whole.failed ? PAV_ENOMEM
                                           : cache_load(&m->cache, &maker, how, &b);
    if (status == PAV_OK)
        *result = &m->base;
    else
        cuda_discard(&m->base);
    return status;
}

static const char *cuda_note(const gpu_module *module)
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

static gpu_kernel *cuda_find(gpu_module *module, const char *name)
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

static void *cuda_constant(gpu_module *module, const char *name, int64_t bytes)
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

static cu_result start_kernel(const cuda *c, const gpu_call *call)
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

static pav_status cuda_launch(gpu *g, const gpu_call *call)
{
    const cuda *c = cuda_of(g);

    CUDA_RETURN(c, "starting a kernel", start_kernel(c, call));
}

static int64_t cuda_cooperative_blocks(const gpu_kernel *k, int threads, int64_t shared)
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
        code = start_kernel(c, &call[k]);
    const cu_result ended = c->driver->capture_end(c->stream, graph);
    return code == CU_DONE ? ended : code;
}

static pav_status cuda_record(gpu *g, const gpu_call *call, int64_t count,
                              gpu_graph **result)
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

static pav_status cuda_replay(gpu *g, gpu_graph *graph)
{
    const cuda *c = cuda_of(g);

    CUDA_RETURN(c, "starting a graph",
                c->driver->exec_launch((cu_graph_exec)(void *)graph, c->stream));
}

static void cuda_forget(gpu *g, gpu_graph *graph)
{
    const cuda *c = cuda_of(g);

    if (cuda_enter(c) == PAV_OK)
        (void)cuda_leave(c, c->driver->exec_free((cu_graph_exec)(void *)graph),
                         "giving a graph back");
}

/* ---- the context ------------------------------------------------------------------- */

static pav_status failed(const cuda *c, cu_result code, const char *doing)
{
    const bool kernel = code >= CU_FIRST_KERNEL_FAILURE && code <= CU_LAST_KERNEL_FAILURE;
    OWNED_BY(text_free) text t = {0};

    if (kernel)
        text_add(&t, "a kernel failed on %s, as was found on %s: ", c->base.name, doing);
    else
        text_add(&t, "%s failed on %s: ", doing, c->base.name);
    cuda_add_error(&t, code);
    text_add(&t, "%s",
             kernel ? "; that is a mistake of this program or of the GPU, and nothing "
                      "more can be done there; --device cpu does without"
                    : "; --device cpu does without the GPU");
    return FAIL(code == CU_NO_MEMORY ? PAV_ENOMEM : PAV_EDEVICE, "%s",
                t.failed ? doing : t.data);
}

pav_status cuda_enter(const cuda *c)
{
    const cu_result code = c->driver->push(c->context);

    return code == CU_DONE ? PAV_OK : failed(c, code, "turning to the GPU");
}

pav_status cuda_leave(const cuda *c, cu_result code, const char *doing)
{
    cu_context own;

    (void)c->driver->pop(&own);
    return code == CU_DONE ? PAV_OK : failed(c, code, doing);
}

/* ---- the second stream ------------------------------------------------------------- */

/* A second stream of the highest priority. Its kernels get the next free multiprocessor
 * even while a long kernel of the first stream still has blocks to start. */

static cu_result open_concurrent(cuda *c)
{
    const cuda_driver *d = c->driver;
    int least = 0, most = 0;

    if (c->concurrent)
        return CU_DONE;
    CU_TRY(d->priorities(&least, &most));
    CU_TRY(d->event_new(&c->parted, CU_NO_TIME));
    CU_TRY(d->event_new(&c->joined, CU_NO_TIME));
    return d->stream_urgent(&c->concurrent, CU_OWN_STREAM, most);
}

static cu_result begin_concurrent(cuda *c, gpu_concurrent_step step)
{
    CU_TRY(open_concurrent(c));
    if (step != GPU_CONCURRENT_BEGIN)
        return CU_DONE;
    CU_TRY(c->driver->event_record(c->parted, c->first));
    return c->driver->stream_follow(c->concurrent, c->parted, 0);
}

static pav_status turn_concurrent(gpu *g, gpu_concurrent_step step)
{
    cuda *c = cuda_of(g);

    if (step == GPU_CONCURRENT_END) {
        c->stream = c->first;
        c->is_concurrent = false;
        return PAV_OK;
    }
    TRY(cuda_enter(c));
    const cu_result code = begin_concurrent(c, step);
    c->is_concurrent = code == CU_DONE;
    c->stream = c->is_concurrent ? c->concurrent : c->first;
    return cuda_leave(c, code, "turning to concurrent work");
}

static pav_status join(gpu *g, gpu *other)
{
    cuda *c = cuda_of(g), *source = cuda_of(other);
    const cuda_driver *d = c->driver;

    if (!source->concurrent)
        return PAV_OK;
    TRY(cuda_enter(source));
    TRY(cuda_leave(source, d->event_record(source->joined, source->concurrent),
                   "marking the end of concurrent work"));
    CUDA_RETURN(c, "waiting for concurrent work",
                d->stream_follow(c->first, source->joined, 0));
}

static pav_status lend(gpu *g, void *memory, void **stream)
{
    (void)memory;
    *stream = cuda_of(g)->stream;
    return cuda_enter(cuda_of(g));
}

static void take_back(gpu *g)
{
    (void)cuda_leave(cuda_of(g), CU_DONE, "");
}

/* ---- peers ------------------------------------------------------------------------- */

/* Peer access: kernels of one GPU read the memory of another over NVLink or the bus.
 * Streams wait for each other by events; the host does not wait. */

/* Lets kernels of c read the memory of `other` for the lifetime of the process. */
static bool open_peer(const cuda *c, const cuda *other)
{
    const cuda_driver *d = c->driver;
    int can = 0;

    if (d->can_access(&can, c->device, other->device) != CU_DONE || !can ||
        cuda_enter(c) != PAV_OK)
        return false;
    const cu_result code = d->enable_access(other->context, 0);
    (void)cuda_leave(c, CU_DONE, "");
    return code == CU_DONE || code == CU_ACCESS_ENABLED;
}

static bool reads(gpu *g, gpu *base)
{
    cuda *c = cuda_of(g);
    const cuda *other = cuda_of(base);

    if (c->device == other->device)
        return true;
    if (other->device >= CUDA_PEERS)
        return false;
    if (!c->peer[other->device])
        c->peer[other->device] = open_peer(c, other) ? CUDA_PEER_READS : CUDA_PEER_CANNOT;
    return c->peer[other->device] == CUDA_PEER_READS;
}

/* Marks the present end of a stream. */
static cu_result mark_end(const cuda *c, cu_event *event, unsigned how, cu_stream stream)
{
    CU_TRY(cuda_event(c, event, how));
    return c->driver->event_record(*event, stream);
}

/* Later work in the present stream of c waits for all earlier work in the first stream of
 * `other`. */
static pav_status follow(const cuda *c, cuda *other)
{
    TRY(cuda_enter(other));
    TRY(cuda_leave(other, mark_end(other, &other->turn, CU_NO_TIME, other->first),
                   "marking the end of its work"));
    CUDA_RETURN(c, "waiting for another GPU",
                c->driver->stream_follow(c->stream, other->turn, 0));
}

static pav_status launch_reading(gpu *g, gpu *other, const gpu_call *call)
{
    TRY(follow(cuda_of(g), cuda_of(other)));
    TRY(cuda_launch(g, call));
    return cuda_of(g)->is_concurrent ? PAV_OK /* gpu_join does so */
                                     : follow(cuda_of(other), cuda_of(g));
}

/* ---- tensor maps ------------------------------------------------------------------- */

/* Tensor maps for the tensor memory accelerator, made by the driver. Words are declared
 * integers, so no bit pattern has a meaning. */

enum {
    RANK = 3,
    OF_4_BYTES = 2, /* CU_TENSOR_MAP_DATA_TYPE_UINT32 */
    OF_8_BYTES = 4, /* CU_TENSOR_MAP_DATA_TYPE_UINT64 */
    PLAIN = 0,      /* CU_TENSOR_MAP_INTERLEAVE_NONE and CU_TENSOR_MAP_SWIZZLE_NONE */
    LONG_LINES = 3, /* CU_TENSOR_MAP_L2_PROMOTION_L2_256B */
    ZEROS = 0       /* CU_TENSOR_MAP_FLOAT_OOB_FILL_NONE */
};

/* An old NVRTC may compile for no newer target than "compute_80". */
static const char *no_tensors(const gpu *g)
{
    const cuda *c = (const cuda *)(const void *)g;
    const char *number = strrchr(c->target, '_');

    return !c->driver->map_tensor ? "the NVIDIA driver is older than CUDA 12.0; update it"
           : !number ||
                   !gpu_architecture_of((int)strtol(number + 1, NULL, 10))->tensor_copies
               ? "NVRTC compiles for nothing newer than sm_80; update it"
               : NULL;
}

static pav_status map_tensor(gpu *g, const gpu_tensor_region *p, gpu_map *map)
{
    const cuda *c = cuda_of(g);
    const uint64_t count[RANK] = {(uint64_t)p->count[0], (uint64_t)p->count[1],
                                  (uint64_t)p->count[2]};
    const uint64_t stride[RANK - 1] = {(uint64_t)p->stride[1], (uint64_t)p->stride[2]};
    const uint32_t boxes[RANK] = {(uint32_t)p->box[0], (uint32_t)p->box[1],
                                  (uint32_t)p->box[2]};
    const uint32_t step[RANK] = {1, 1, 1};

    CUDA_RETURN(c, "describing a level to the tensor memory accelerator",
                c->driver->map_tensor(map, p->stride[0] == 4 ? OF_4_BYTES : OF_8_BYTES,
                                      RANK, (void *)(uintptr_t)p->data, count, stride,
                                      boxes, step, PLAIN, PLAIN, LONG_LINES, ZEROS));
}

/* ---- opening and closing ----------------------------------------------------------- */

static void close_gpu(gpu *g)
{
    cuda *c = cuda_of(g);

    if (c->context && cuda_enter(c) == PAV_OK) {
        cuda_exchange_close(c);
        cuda_stage_close(c, &c->stage);
        cuda_outbox_close(c);
        for (int k = 0; k < GPU_MARKS; k++)
            cuda_event_free(c, c->mark[k]);
        cuda_event_free(c, c->turn);
        cuda_event_free(c, c->parted);
        cuda_event_free(c, c->joined);
        if (c->concurrent)
            (void)c->driver->stream_free(c->concurrent);
        if (c->first)
            (void)c->driver->stream_free(c->first);
        (void)cuda_leave(c, CU_DONE, "");
    }
    if (c->context)
        (void)c->driver->release(c->device);
    mem_free(c);
}

static pav_status start(cuda *c)
{
    const cu_result code = c->driver->retain(&c->context, c->device);

    if (code != CU_DONE)
        return failed(c, code, "opening the GPU");
    TRY(cuda_enter(c));
    const cu_result made = c->driver->stream_new(&c->first, CU_OWN_STREAM);
    c->stream = c->first;
    return cuda_leave(c, made, "making a stream");
}

static pav_status open_gpu(int number, gpu **result)
{
    cuda *c = mem_new(1, sizeof *c);
    const char *why;

    if (!c)
        return PAV_ENOMEM;
    (void)snprintf(c->base.name, sizeof c->base.name, "cuda:%d", number);
    const pav_status status = cuda_describe(number, c, &why)
                                  ? start(c)
                                  : FAIL(PAV_EDEVICE, "%s", why);
    if (status == PAV_OK)
        *result = &c->base;
    else
        close_gpu(&c->base);
    return status;
}

/* ---- memory ------------------------------------------------------------------------ */

static int64_t free_memory(const gpu *g)
{
    const cuda *c = (const cuda *)(const void *)g;
    size_t left = 0, total;

    if (cuda_enter(c) == PAV_OK)
        (void)cuda_leave(c, c->driver->memory_info(&left, &total), "asking for memory");
    return (int64_t)left;
}

static pav_status take(gpu *g, int64_t bytes, void **memory)
{
    const cuda *c = cuda_of(g);
    cu_pointer address = 0;

    TRY(cuda_enter(c));
    TRY(cuda_leave(c, c->driver->take(&address, (size_t)bytes), "taking memory"));
    *memory = (void *)(uintptr_t)address;
    return PAV_OK;
}

static void give(gpu *g, void *memory)
{
    const cuda *c = cuda_of(g);

    if (cuda_enter(c) == PAV_OK)
        (void)cuda_leave(c, c->driver->give(cuda_address(memory)), "giving memory back");
}

static pav_status fill(gpu *g, void *memory, int byte, int64_t bytes)
{
    const cuda *c = cuda_of(g);

    CUDA_RETURN(c, "filling memory",
                c->driver->fill(cuda_address(memory), (unsigned char)byte, (size_t)bytes,
                                c->stream));
}

static pav_status copy(gpu *g, void *to, const void *from, int64_t bytes)
{
    const cuda *c = cuda_of(g);

    CUDA_RETURN(
        c, "copying memory",
        c->driver->copy(cuda_address(to), cuda_address(from), (size_t)bytes, c->stream));
}

/* ---- order and time ---------------------------------------------------------------- */

static pav_status wait(gpu *g)
{
    const cuda *c = cuda_of(g);

    CUDA_RETURN(c, "waiting for the GPU", c->driver->stream_wait(c->stream));
}

/* Other libraries work in the same primary context, in streams of their own. */
static pav_status share(gpu *g, void *memory)
{
    const cuda *c = cuda_of(g);

    (void)memory;
    CUDA_RETURN(c, "waiting for all work of the process", c->driver->finish_all());
}

static pav_status mark(gpu *g, int number)
{
    cuda *c = cuda_of(g);

    CUDA_RETURN(c, "marking a time", mark_end(c, &c->mark[number], 0, c->stream));
}

static pav_status seconds(gpu *g, int from, int to, double *result)
{
    const cuda *c = cuda_of(g);
    float milliseconds = 0;

    if (!c->mark[from] || !c->mark[to])
        return FAIL(PAV_EINTERNAL, "marks %d and %d of %s were not both set", from, to,
                    g->name);
    TRY(cuda_enter(c));
    cu_result code = c->driver->event_wait(c->mark[to]);
    if (code == CU_DONE) /* it may belong to the other queue and end later */
        code = c->driver->event_wait(c->mark[from]);
    if (code == CU_DONE)
        code = c->driver->event_elapsed(&milliseconds, c->mark[from], c->mark[to]);
    *result = (double)milliseconds / 1e3;
    return cuda_leave(c, code, "reading a time");
}

const gpu_ops cuda_ops = {
    .count = cuda_count,
    .describe = cuda_read_facts,
    .versions = cuda_versions,
    .open = open_gpu,
    .close = close_gpu,
    .free_memory = free_memory,
    .take = take,
    .give = give,
    .fill = fill,
    .upload = cuda_upload,
    .download = cuda_download,
    .copy = copy,
    .exchange = cuda_begin_exchange,
    .exchanged = cuda_end_exchange,
    .exchange_rest = cuda_exchange_rest,
    .pin = cuda_pin,
    .unpin = cuda_unpin,
    .compile = cuda_compile,
    .discard = cuda_discard,
    .note = cuda_note,
    .find = cuda_find,
    .constant = cuda_constant,
    .send = cuda_send,
    .launch = cuda_launch,
    .reads = reads,
    .launch_reading = launch_reading,
    .concurrent = turn_concurrent,
    .enter = lend,
    .leave = take_back,
    .join = join,
    .cooperative_blocks = cuda_cooperative_blocks,
    .wait = wait,
    .share = share,
    .mark = mark,
    .seconds = seconds,
    .no_tensors = no_tensors,
    .map_tensor = map_tensor,
    .record = cuda_record,
    .replay = cuda_replay,
    .forget = cuda_forget,
};
