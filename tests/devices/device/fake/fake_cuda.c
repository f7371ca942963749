/* SPDX-License-Identifier: BSD-3-Clause */
/* A libcuda.so.1 for machines without a GPU. The GPU's memory is memory of the host. Work
 * is done only when the caller waits for it, the latest moment allowed to a driver. A
 * kernel adds 1 to an int64_t; its address is the first argument. Environment variables
 * cause errors (defaults in brackets):
 *
 *     FAKE_CUDA_VERSION=10020   version of the driver (12040)
 *     FAKE_CUDA_INIT=100        status of cuInit (0)
 *     FAKE_CUDA_GPUS=90,70      architectures of the GPUs (90)
 *     FAKE_CUDA_MEMORY=1000     bytes of memory of each GPU (1 GiB)
 *     FAKE_CUDA_KERNEL=700      status of each kernel, returned by the next wait (0)
 *     FAKE_CUDA_OPEN=2          status of opening a GPU (0)
 *     FAKE_CUDA_PEERS=0         1 if GPUs can read each other's memory (1)
 *     FAKE_CUDA_PEER=704        status of opening memory to another GPU (0)
 *     FAKE_CUDA_GRAPH=801       status of making a graph (0)
 *     FAKE_CUDA_PIN=2           status of pinning memory (0)
 *     FAKE_CUDA_IDLE=1          kernels do nothing, and the facts are those of a GPU of
 *                               this architecture: tools/kernels compiles for it (0)
 */
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#pragma GCC diagnostic ignored "-Wmissing-prototypes"
#pragma GCC visibility push(default)

enum { DONE = 0, INVALID = 1, NO_MEMORY = 2, NOT_FOUND = 500, MOST = 4096 };

static long setting(const char *name, long usual)
{
    const char *value = getenv(name);
    return value ? strtol(value, NULL, 10) : usual;
}

/* ---- driver and GPUs --------------------------------------------------------------- */

static int architecture(int device)
{
    const char *list = getenv("FAKE_CUDA_GPUS");
    for (list = list ? list : "90"; device > 0; device--)
        list += strcspn(list, ",") + (list[strcspn(list, ",")] == ',');
    return (int)strtol(list, NULL, 10);
}

/* A second call comes from the real NVRTC. It must fail: otherwise NVRTC asks for private
 * functions of the driver. */
int cuInit(unsigned flags)
{
    static int times;
    return flags != 0 || times++ > 0 ? INVALID : (int)setting("FAKE_CUDA_INIT", DONE);
}
int cuDriverGetVersion(int *version)
{
    *version = (int)setting("FAKE_CUDA_VERSION", 12040);
    return DONE;
}
int cuGetErrorName(int code, const char **name)
{
    *name = code == 100   ? "CUDA_ERROR_NO_DEVICE"
            : code == 700 ? "CUDA_ERROR_ILLEGAL_ADDRESS"
            : code == 2   ? "CUDA_ERROR_OUT_OF_MEMORY"
                          : NULL;
    return *name ? DONE : INVALID;
}
int cuGetErrorString(int code, const char **string)
{
    *string = code == 700 ? "an illegal memory access was encountered" : NULL;
    return *string ? DONE : INVALID;
}
int cuDeviceGetCount(int *count)
{
    const char *list = getenv("FAKE_CUDA_GPUS");
    *count = !list || *list;
    for (; list && *list; list++)
        *count += *list == ',';
    return DONE;
}
int cuDeviceGet(int *device, int number)
{
    *device = number;
    return DONE;
}
int cuDeviceGetName(char *name, int size, int device)
{
    (void)snprintf(name, (size_t)size, "Fake %d", device);
    return DONE;
}
int cuDeviceTotalMem_v2(size_t *bytes, int device)
{
    (void)device;
    *bytes = (size_t)setting("FAKE_CUDA_MEMORY", 1L << 30);
    return DONE;
}
int cuDeviceGetAttribute(int *value, int attribute, int device)
{
    static const int rest[128] = {
        [16] = 132, [38] = 50 << 20, [81] = 228 << 10, [97] = 227 << 10};
    /* multiprocessors, L2, and shared memory of a multiprocessor and of a block */
    static const struct {
        int architecture, attribute, value;
    } others[] = {{80, 16, 108},       {80, 38, 40 << 20}, {80, 81, 164 << 10},
                  {80, 97, 163 << 10}, {100, 16, 148},     {100, 38, 126 << 20}};
    *value = attribute == 75   ? architecture(device) / 10
             : attribute == 76 ? architecture(device) % 10
                               : rest[attribute];
    for (size_t k = 0; k < sizeof others / sizeof *others && setting("FAKE_CUDA_IDLE", 0);
         k++)
        if (others[k].architecture == architecture(device) &&
            others[k].attribute == attribute)
            *value = others[k].value;
    return *value || attribute == 76 ? DONE : INVALID;
}

/* ---- contexts ---------------------------------------------------------------------- */

static _Thread_local int pushed;
static int retained;

int cuDevicePrimaryCtxRetain(void **context, int device)
{
    (void)device;
    retained++;
    *context = &retained;
    return (int)setting("FAKE_CUDA_OPEN", DONE);
}
int cuDevicePrimaryCtxRelease_v2(int device)
{
    (void)device;
    return retained-- > 0 ? DONE : INVALID;
}
int cuCtxPushCurrent_v2(void *context)
{
    pushed++;
    return context == &retained ? DONE : INVALID;
}
int cuCtxPopCurrent_v2(void **context)
{
    *context = &retained;
    return pushed-- > 0 ? DONE : INVALID;
}

/* ---- work: done by the next wait --------------------------------------------------- */

static struct {
    void *to;
    const void *from;
    size_t bytes;
    int byte, *event; /* event: set to 1 after all earlier work */
} work[MOST];
static int begun, ended, broken;
static struct graph {
    int count;
    void *to[MOST];
} * capturing; /* graph under construction, of kernels only; or NULL */

static int ask(void *to, const void *from, size_t bytes, int byte, int *event)
{
    if (bytes == 0 && !event && setting("FAKE_CUDA_IDLE", 0))
        return DONE;
    if (capturing && (bytes > 0 || event))
        return INVALID;
    if (capturing) {
        capturing->to[capturing->count++] = to;
        return DONE;
    }
    if (ended == MOST || !pushed)
        return INVALID;
    work[ended].to = to;
    work[ended].from = from;
    work[ended].bytes = bytes;
    work[ended].byte = byte;
    work[ended++].event = event;
    return DONE;
}
static int run(const int *until)
{
    for (; begun < ended && !(until && *until); begun++) {
        if (work[begun].event)
            *work[begun].event = 1;
        else if (work[begun].from)
            memcpy(work[begun].to, work[begun].from, work[begun].bytes);
        else if (work[begun].bytes)
            memset(work[begun].to, work[begun].byte, work[begun].bytes);
        else {
            ++*(int64_t *)work[begun].to;
            broken = (int)setting("FAKE_CUDA_KERNEL", DONE);
        }
    }
    if (begun == ended)
        begun = ended = 0;
    return broken;
}
int cuStreamCreate(void **stream, unsigned flags)
{
    *stream = &work;
    return flags == 1 && pushed ? DONE : INVALID;
}
int cuCtxGetStreamPriorityRange(int *least, int *most)
{
    *least = 0;
    *most = -5;
    return pushed ? DONE : INVALID;
}
int cuStreamCreateWithPriority(void **stream, unsigned flags, int priority)
{
    *stream = &work;
    return flags == 1 && priority == -5 && pushed ? DONE : INVALID;
}
int cuStreamDestroy_v2(void *stream)
{
    return stream == &work ? DONE : INVALID;
}
int cuStreamSynchronize(void *stream)
{
    return stream == &work && pushed ? run(NULL) : INVALID;
}
int cuCtxSynchronize(void)
{
    return pushed ? run(NULL) : INVALID;
}
int cuEventCreate(int **event, unsigned flags)
{
    *event = (flags == 0 || flags == 2) && pushed ? malloc(sizeof **event) : NULL;
    if (!*event)
        return INVALID;
    **event = 1;
    return DONE;
}
int cuEventDestroy_v2(int *event)
{
    free(event);
    return DONE;
}
int cuEventRecord(int *event, void *stream)
{
    *event = 0;
    return stream == &work ? ask(NULL, NULL, 0, 0, event) : INVALID;
}
/* All streams share one list of work in the order of the calls, so a wait for an event
 * needs no action. */
int fake_cuda_follows; /* for tests */

int cuStreamWaitEvent(void *stream, const int *event, unsigned flags)
{
    fake_cuda_follows++;
    return stream == &work && event && !flags && pushed ? DONE : INVALID;
}
int cuDeviceCanAccessPeer(int *can, int device, int other)
{
    *can = device != other && setting("FAKE_CUDA_PEERS", 1);
    return DONE;
}
int cuCtxEnablePeerAccess(void *other, unsigned flags)
{
    return other && !flags && pushed ? (int)setting("FAKE_CUDA_PEER", DONE) : INVALID;
}
int cuEventSynchronize(const int *event)
{
    return run(event);
}
int cuEventElapsedTime(float *milliseconds, const int *from, const int *to)
{
    *milliseconds = 1500;
    return *from && *to ? DONE : INVALID;
}

/* ---- graphs ------------------------------------------------------------------------ */

int fake_cuda_graphs, fake_cuda_graphs_made; /* for tests; the first: existing graphs */

int cuStreamBeginCapture_v2(void *stream, int mode)
{
    if (stream != &work || mode != 1 || !pushed || capturing)
        return INVALID;
    capturing = calloc(1, sizeof *capturing);
    return capturing ? DONE : NO_MEMORY;
}
int cuStreamEndCapture(void *stream, struct graph **graph)
{
    *graph = capturing;
    capturing = NULL;
    return stream == &work && *graph ? DONE : INVALID;
}
int cuGraphDestroy(struct graph *graph)
{
    free(graph);
    return DONE;
}
int cuGraphInstantiateWithFlags(struct graph **exec, const struct graph *graph,
                                unsigned long long flags)
{
    const int code = flags ? INVALID : (int)setting("FAKE_CUDA_GRAPH", DONE);
    *exec = code == DONE ? malloc(sizeof *graph) : NULL;
    if (!*exec)
        return code ? code : NO_MEMORY;
    memcpy(*exec, graph, sizeof *graph);
    fake_cuda_graphs++;
    fake_cuda_graphs_made++;
    return DONE;
}
int cuGraphExecDestroy(struct graph *exec)
{
    free(exec);
    fake_cuda_graphs--;
    return DONE;
}
int cuGraphLaunch(const struct graph *exec, void *stream)
{
    int code = stream == &work && pushed ? DONE : INVALID;
    for (int k = 0; k < exec->count && code == DONE; k++)
        code = ask(exec->to[k], NULL, 0, 0, NULL);
    return code;
}

/* ---- memory: each block begins with its size --------------------------------------- */

enum { BEFORE = 64 };
static size_t used;
int fake_cuda_pieces; /* for tests */

static size_t left(void)
{
    return (size_t)setting("FAKE_CUDA_MEMORY", 1L << 30) - used;
}
int cuMemGetInfo_v2(size_t *free_bytes, size_t *total)
{
    *free_bytes = left();
    *total = left() + used;
    return pushed ? DONE : INVALID;
}
int cuMemAlloc_v2(unsigned long long *memory, size_t bytes)
{
    char *block = pushed && bytes <= left() ? malloc(bytes + BEFORE) : NULL;
    if (!block)
        return NO_MEMORY;
    memcpy(block, &bytes, sizeof bytes);
    used += bytes;
    fake_cuda_pieces++;
    *memory = (uintptr_t)(block + BEFORE);
    return DONE;
}
int cuMemFree_v2(unsigned long long memory)
{
    char *block = (char *)(uintptr_t)memory - BEFORE;
    size_t bytes;
    (void)run(NULL);
    memcpy(&bytes, block, sizeof bytes);
    used -= bytes;
    fake_cuda_pieces--;
    free(block);
    return DONE;
}
int cuMemHostAlloc(void **memory, size_t bytes, unsigned flags)
{
    *memory = flags == 0 && pushed ? malloc(bytes) : NULL;
    return *memory ? DONE : NO_MEMORY;
}
int cuMemFreeHost(void *memory)
{
    free(memory);
    return DONE;
}
int fake_cuda_pinned; /* for tests */

int cuMemHostRegister_v2(void *memory, size_t bytes, unsigned flags)
{
    const int code = (int)setting("FAKE_CUDA_PIN", DONE);
    fake_cuda_pinned += code == DONE;
    return memory && bytes && flags == 1 && pushed ? code : INVALID;
}
int cuMemHostUnregister(void *memory)
{
    fake_cuda_pinned--;
    return memory && pushed ? DONE : INVALID;
}
int cuMemsetD8Async(unsigned long long memory, unsigned char byte, size_t bytes,
                    void *stream)
{
    (void)stream;
    return ask((void *)(uintptr_t)memory, NULL, bytes, byte, NULL);
}
int cuMemcpyHtoDAsync_v2(unsigned long long to, const void *from, size_t bytes,
                         void *stream)
{
    (void)stream;
    return ask((void *)(uintptr_t)to, from, bytes, 0, NULL);
}
int cuMemcpyDtoHAsync_v2(void *to, unsigned long long from, size_t bytes, void *stream)
{
    (void)stream;
    return ask(to, (void *)(uintptr_t)from, bytes, 0, NULL);
}
int cuMemcpyDtoDAsync_v2(unsigned long long to, unsigned long long from, size_t bytes,
                         void *stream)
{
    (void)stream;
    return ask((void *)(uintptr_t)to, (void *)(uintptr_t)from, bytes, 0, NULL);
}

/* ---- the tensor memory accelerator: a map begins with the address of its data ------ */

int cuTensorMapEncodeTiled(void *map, int type, unsigned rank, void *data,
                           const uint64_t *count, const uint64_t *stride,
                           const uint32_t *boxes, const uint32_t *step, int interleave,
                           int swizzle, int promotion, int fill)
{
    const uint32_t word = type == 2 ? 4 : type == 4 ? 8 : 0;
    int good = pushed && word && rank == 3 && (uintptr_t)map % 64 == 0 &&
               (uintptr_t)data % 16 == 0 && boxes[0] * word % 16 == 0 && !interleave &&
               !swizzle && promotion == 3 && !fill && stride[1] % stride[0] == 0;
    for (unsigned n = 0; n < 3; n++)
        good = good && count[n] && boxes[n] && boxes[n] <= 256 && step[n] == 1 &&
               (n == 2 || stride[n] % 16 == 0);
    memset(map, 0, 128);
    memcpy(map, &data, sizeof data);
    return good ? DONE : INVALID;
}

/* ---- kernels: any name in the text of the image; in ELF, any name ------------------ */

int fake_cuda_modules, fake_cuda_shared, fake_cuda_together; /* for tests */

int cuModuleLoadData(char **module, const char *image)
{
    *module = strdup(image);
    fake_cuda_modules++;
    return pushed && *module ? DONE : INVALID;
}
int cuModuleUnload(char *module)
{
    fake_cuda_modules--;
    free(module);
    return DONE;
}
int cuModuleGetFunction(void **function, char *module, const char *name)
{
    *function = module;
    return memcmp(module, "\177ELF", 4) == 0 || strstr(module, name) ? DONE : NOT_FOUND;
}
/* A constant exists if its name is in the text of the image. */
int cuModuleGetGlobal_v2(unsigned long long *at, size_t *bytes, char *module,
                         const char *name)
{
    static char constants[4096];
    *at = (uintptr_t)constants;
    *bytes = sizeof constants;
    return (memcmp(module, "\177ELF", 4) == 0 || strstr(module, name)) && pushed
               ? DONE
               : NOT_FOUND;
}
int cuFuncGetAttribute(int *value, int attribute, void *function)
{
    static const int values[] = {1024, 4096, 0, 16, 32};
    (void)function;
    *value = values[attribute];
    return DONE;
}
int cuFuncSetAttribute(void *function, int attribute, int value)
{
    (void)function;
    if (attribute == 8)
        fake_cuda_shared = value;
    return DONE;
}
int cuLaunchKernel(void *function, unsigned bx, unsigned by, unsigned bz, unsigned tx,
                   unsigned ty, unsigned tz, unsigned shared, void *stream,
                   void **arguments, void **extra)
{
    int64_t *first;
    memcpy(&first, arguments[0], sizeof first);
    if (!function || !bx || !by || !bz || !tx || !ty || !tz || extra || stream != &work ||
        (shared + 4096 > 48 << 10 && shared > (unsigned)fake_cuda_shared))
        return INVALID;
    return ask(first, NULL, 0, 0, NULL);
}

/* One block fits on each multiprocessor, so tests can exceed the limit of a cooperative
 * launch. */
int cuOccupancyMaxActiveBlocksPerMultiprocessor(int *blocks, void *function, int threads,
                                                size_t shared)
{
    *blocks = 1;
    return function && threads > 0 && shared <= 227 << 10 ? DONE : INVALID;
}
int cuLaunchCooperativeKernel(void *function, unsigned bx, unsigned by, unsigned bz,
                              unsigned tx, unsigned ty, unsigned tz, unsigned shared,
                              void *stream, void **arguments)
{
    fake_cuda_together++;
    return cuLaunchKernel(function, bx, by, bz, tx, ty, tz, shared, stream, arguments,
                          NULL);
}
