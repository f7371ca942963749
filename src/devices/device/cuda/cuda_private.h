/* SPDX-License-Identifier: BSD-3-Clause */
/* NVIDIA's driver API and its compiler NVRTC, declared here so the build needs no CUDA
 * toolkit, and declarations shared by the files cuda_*.c. */
#ifndef DEVICE_CUDA_PRIVATE_H
#define DEVICE_CUDA_PRIVATE_H

#include "device/device_private.h"

/* ---- the driver (cuda_driver.c) ---------------------------------------------------- */

/* Returns a failure of the driver at once. */
#define CU_TRY(call)                                                                     \
    do {                                                                                 \
        const cu_result code_ = (call);                                                  \
        if (code_ != CU_DONE)                                                            \
            return code_;                                                                \
    } while (0)

typedef int cu_result;
enum {
    CU_DONE = 0,
    CU_NO_MEMORY = 2,
    CU_NO_DEVICE = 100,
    CU_NOT_FOUND = 500,
    CU_ACCESS_ENABLED = 704, /* Access was enabled before. */
    /* First code of kernel failures; later calls report them. */
    CU_FIRST_KERNEL_FAILURE = 700,
    CU_LAST_KERNEL_FAILURE = 719,
    CU_OWN_STREAM = 1, /* Stream flag: do not synchronise with the default stream. */
    CU_NO_TIME = 2,    /* Event flag: no timing. */
    CU_OWN_THREAD = 1  /* Capture mode: calls of other threads do not end the capture. */
};
typedef enum cu_attribute {
    CU_CLOCK = 13, /* kHz. */
    CU_MULTIPROCESSORS = 16,
    CU_L2_BYTES = 38,
    CU_MAJOR = 75,
    CU_MINOR = 76,
    CU_SHARED_MULTIPROCESSOR = 81,
    CU_SHARED_BLOCK = 97 /* Largest size a kernel may request, bytes. */
} cu_attribute;
typedef enum cu_kernel_attribute {
    CU_MOST_THREADS = 0,
    CU_SHARED = 1,
    CU_LOCAL = 3,
    CU_REGISTERS = 4,
    CU_MOST_DYNAMIC_SHARED = 8,
    CU_CARVEOUT = 9 /* Preferred percent of L1 used for shared memory. */
} cu_kernel_attribute;
typedef int cu_device;
typedef unsigned long long cu_pointer;
typedef struct cu_context_of_driver *cu_context;
typedef struct cu_stream_of_driver *cu_stream;
typedef struct cu_event_of_driver *cu_event;
typedef struct cu_module_of_driver *cu_module;
typedef struct cu_function_of_driver *cu_function;
typedef struct cu_graph_of_driver *cu_graph;
typedef struct cu_graph_exec_of_driver *cu_graph_exec;

/* Functions of the driver: member of cuda_driver, name in the library, arguments. Names
 * end in _v2 if CUDA 11 changed the argument types. All return a cu_result. */
#define CU_CALLS(CALL)                                                                   \
    CALL(init, cuInit, (unsigned flags))                                                 \
    CALL(version, cuDriverGetVersion, (int *version))                                    \
    CALL(error_name, cuGetErrorName, (cu_result code, const char **name))                \
    CALL(error_string, cuGetErrorString, (cu_result code, const char **string))          \
    CALL(device_count, cuDeviceGetCount, (int *count))                                   \
    CALL(device_get, cuDeviceGet, (cu_device * device, int number))                      \
    CALL(device_name, cuDeviceGetName, (char *name, int size, cu_device device))         \
    CALL(device_memory, cuDeviceTotalMem_v2, (size_t * bytes, cu_device device))         \
    CALL(device_attribute, cuDeviceGetAttribute,                                         \
         (int *value, cu_attribute attribute, cu_device device))                         \
    CALL(retain, cuDevicePrimaryCtxRetain, (cu_context * context, cu_device device))     \
    CALL(release, cuDevicePrimaryCtxRelease_v2, (cu_device device))                      \
    CALL(push, cuCtxPushCurrent_v2, (cu_context context))                                \
    CALL(pop, cuCtxPopCurrent_v2, (cu_context * context))                                \
    CALL(finish_all, cuCtxSynchronize, (void))                                           \
    CALL(memory_info, cuMemGetInfo_v2, (size_t * left, size_t * total))                  \
    CALL(take, cuMemAlloc_v2, (cu_pointer * memory, size_t bytes))                       \
    CALL(give, cuMemFree_v2, (cu_pointer memory))                                        \
    CALL(take_host, cuMemHostAlloc, (void **memory, size_t bytes, unsigned flags))       \
    CALL(give_host, cuMemFreeHost, (void *memory))                                       \
    CALL(pin, cuMemHostRegister_v2, (void *memory, size_t bytes, unsigned flags))        \
    CALL(unpin, cuMemHostUnregister, (void *memory))                                     \
    CALL(fill, cuMemsetD8Async,                                                          \
         (cu_pointer memory, unsigned char byte, size_t bytes, cu_stream s))             \
    CALL(upload, cuMemcpyHtoDAsync_v2,                                                   \
         (cu_pointer to, const void *from, size_t bytes, cu_stream s))                   \
    CALL(download, cuMemcpyDtoHAsync_v2,                                                 \
         (void *to, cu_pointer from, size_t bytes, cu_stream s))                         \
    CALL(copy, cuMemcpyDtoDAsync_v2,                                                     \
         (cu_pointer to, cu_pointer from, size_t bytes, cu_stream s))                    \
    CALL(stream_new, cuStreamCreate, (cu_stream * stream, unsigned flags))               \
    CALL(stream_urgent, cuStreamCreateWithPriority,                                      \
         (cu_stream * stream, unsigned flags, int priority))                             \
    CALL(priorities, cuCtxGetStreamPriorityRange, (int *least, int *most))               \
    CALL(stream_free, cuStreamDestroy_v2, (cu_stream stream))                            \
    CALL(stream_wait, cuStreamSynchronize, (cu_stream stream))                           \
    CALL(stream_follow, cuStreamWaitEvent,                                               \
         (cu_stream stream, cu_event event, unsigned flags))                             \
    CALL(can_access, cuDeviceCanAccessPeer,                                              \
         (int *can, cu_device device, cu_device other))                                  \
    CALL(enable_access, cuCtxEnablePeerAccess, (cu_context other, unsigned flags))       \
    CALL(event_new, cuEventCreate, (cu_event * event, unsigned flags))                   \
    CALL(event_free, cuEventDestroy_v2, (cu_event event))                                \
    CALL(event_record, cuEventRecord, (cu_event event, cu_stream stream))                \
    CALL(event_wait, cuEventSynchronize, (cu_event event))                               \
    CALL(event_elapsed, cuEventElapsedTime,                                              \
         (float *milliseconds, cu_event from, cu_event to))                              \
    CALL(module_load, cuModuleLoadData, (cu_module * module, const void *image))         \
    CALL(module_unload, cuModuleUnload, (cu_module module))                              \
    CALL(module_function, cuModuleGetFunction,                                           \
         (cu_function * f, cu_module module, const char *name))                          \
    CALL(module_global, cuModuleGetGlobal_v2,                                            \
         (cu_pointer * at, size_t * bytes, cu_module module, const char *name))          \
    CALL(function_get, cuFuncGetAttribute,                                               \
         (int *value, cu_kernel_attribute a, cu_function f))                             \
    CALL(function_set, cuFuncSetAttribute,                                               \
         (cu_function f, cu_kernel_attribute a, int value))                              \
    CALL(launch, cuLaunchKernel,                                                         \
         (cu_function f, unsigned blocks_x, unsigned blocks_y, unsigned blocks_z,        \
          unsigned threads_x, unsigned threads_y, unsigned threads_z, unsigned shared,   \
          cu_stream stream, void **arguments, void **extra))                             \
    CALL(launch_cooperative, cuLaunchCooperativeKernel,                                  \
         (cu_function f, unsigned blocks_x, unsigned blocks_y, unsigned blocks_z,        \
          unsigned threads_x, unsigned threads_y, unsigned threads_z, unsigned shared,   \
          cu_stream stream, void **arguments))                                           \
    CALL(blocks_at_once, cuOccupancyMaxActiveBlocksPerMultiprocessor,                    \
         (int *blocks, cu_function f, int threads, size_t shared))
/* CUDA 11.4; NULL with an older driver. */
#define CU_GRAPH_CALLS(CALL)                                                             \
    CALL(capture, cuStreamBeginCapture_v2, (cu_stream stream, int mode))                 \
    CALL(capture_end, cuStreamEndCapture, (cu_stream stream, cu_graph * graph))          \
    CALL(graph_free, cuGraphDestroy, (cu_graph graph))                                   \
    CALL(exec_new, cuGraphInstantiateWithFlags,                                          \
         (cu_graph_exec * exec, cu_graph graph, unsigned long long flags))               \
    CALL(exec_free, cuGraphExecDestroy, (cu_graph_exec exec))                            \
    CALL(exec_launch, cuGraphLaunch, (cu_graph_exec exec, cu_stream stream))
/* CUDA 12.0; NULL with an older driver. */
#define CU_TENSOR_CALLS(CALL)                                                            \
    CALL(map_tensor, cuTensorMapEncodeTiled,                                             \
         (void *map, int type, unsigned rank, void *data, const uint64_t *count,         \
          const uint64_t *stride, const uint32_t *box, const uint32_t *step,             \
          int interleave, int swizzle, int promotion, int fill))
#define CU_MEMBER(member, name, arguments) cu_result(*member) arguments;
typedef struct cuda_driver {
    CU_CALLS(CU_MEMBER) CU_GRAPH_CALLS(CU_MEMBER) CU_TENSOR_CALLS(CU_MEMBER)
} cuda_driver;

/* Appends the error's text: "CUDA_ERROR_NO_DEVICE (no CUDA-capable device is
 * detected)". */
void cuda_add_error(text *t, cu_result code);
/* Formats a message in a buffer of this thread; the next call overwrites it. Returns
 * false. */
bool cuda_say(const char **why, const char *format, ...) PRINTF_LIKE(2, 3);

/* ---- the compiler (cuda_nvrtc.c) --------------------------------------------------- */

typedef struct nvrtc_text_of_compiler *nvrtc_program;
/* Functions of NVRTC: result, member of nvrtc, name in the library, arguments. */
#define NVRTC_CALLS(CALL)                                                                \
    CALL(const char *, error_string, nvrtcGetErrorString, (int code))                    \
    CALL(int, version, nvrtcVersion, (int *major, int *minor))                           \
    CALL(int, architecture_count, nvrtcGetNumSupportedArchs, (int *count))               \
    CALL(int, architectures, nvrtcGetSupportedArchs, (int *list))                        \
    CALL(int, create, nvrtcCreateProgram,                                                \
         (nvrtc_program * p, const char *source, const char *name, int headers,          \
          const char *const *header, const char *const *header_name))                    \
    CALL(int, destroy, nvrtcDestroyProgram, (nvrtc_program * p))                         \
    CALL(int, compile, nvrtcCompileProgram,                                              \
         (nvrtc_program p, int count, const char *const *option))                        \
    CALL(int, log_size, nvrtcGetProgramLogSize, (nvrtc_program p, size_t * size))        \
    CALL(int, log, nvrtcGetProgramLog, (nvrtc_program p, char *log))                     \
    CALL(int, cubin_size, nvrtcGetCUBINSize, (nvrtc_program p, size_t * size))           \
    CALL(int, cubin, nvrtcGetCUBIN, (nvrtc_program p, char *cubin))                      \
    CALL(int, ptx_size, nvrtcGetPTXSize, (nvrtc_program p, size_t * size))               \
    CALL(int, ptx, nvrtcGetPTX, (nvrtc_program p, char *ptx))
#define NVRTC_MEMBER(result, member, name, arguments) result(*member) arguments;
typedef struct nvrtc {
    NVRTC_CALLS(NVRTC_MEMBER)
    /* Of newer versions, or NULL: asks `stop` now and then whether to give up. */
    int (*watch)(nvrtc_program, int (*stop)(void *, void *), void *);
    int major, minor; /* its version */
    const char *file;
} nvrtc;
/* Finds the newest NVRTC with output loadable by a driver of CUDA version `newest`
 * (12040); 0 accepts any version. */
bool nvrtc_find(int newest, nvrtc *n, const char **why);
/* The compilation target for sm_`architecture`: "sm_90". If NVRTC does not know it,
 * "compute_90" of the newest known older architecture; the driver translates it
 * further. */
enum { NVRTC_TARGET = 32 };
bool nvrtc_target(const nvrtc *n, int architecture, char target[NVRTC_TARGET],
                  const char **why);
typedef struct nvrtc_job {
    const char *source; /* Ends with '\0'. */
    const char *target;
    bool report; /* Report registers, spills and shared memory in the log. */
} nvrtc_job;
/* Hashes the options that the result depends on. */
void nvrtc_hash_options(const nvrtc_job *job, hash *h);
/* Compiles: `image` receives the binary, `log` (may be NULL) the compiler's messages. */
pav_status nvrtc_run(const nvrtc *n, const nvrtc_job *job, text *image, text *log);

/* ---- one GPU (cuda_gpu.c) ---------------------------------------------------------- */

enum { CUDA_STAGES = 2 };
/* Staging buffers: pinned host memory for copies by the GPU. */
typedef struct cuda_stage {
    char *buffer[CUDA_STAGES];
    cu_event done[CUDA_STAGES]; /* The GPU no longer uses this buffer. */
    host_team *team;            /* Threads to fill and empty the buffers. */
} cuda_stage;
typedef struct cuda_outbox {    /* Pinned host memory for small copies. */
    char *memory;               /* Two halves of GPU_SEND bytes each. */
    cu_event read[CUDA_STAGES]; /* The GPU has read this half. */
    int half;
    int64_t at;
} cuda_outbox;
enum { CUDA_PEERS = 64 };
enum { CUDA_PEER_READS = 1, CUDA_PEER_CANNOT };
/* Copies concurrent with kernels (cuda_copy.c). */
typedef struct cuda_piece {
    char *here;
    cu_pointer there;
    int64_t bytes;
} cuda_piece;
typedef struct cuda_lane { /* One direction of an exchange. */
    cu_stream stream;
    cuda_stage stage;     /* For memory not pinned. */
    int64_t transfer, at; /* Transfer of the next piece; offset in it. */
    /* Pieces on their way from the GPU into the stage's buffers. */
    cuda_piece piece[CUDA_STAGES];
} cuda_lane;
/* Marks of an exchange: its beginning, the ends of its copies up and down, and the end of
 * the work beside it. */
enum { MARK_BEGUN, MARK_UP, MARK_DOWN, MARK_WORK, MARKS };
typedef struct cuda_exchange_marks {
    cu_event at[MARKS];
    bool set;
} cuda_exchange_marks;
typedef struct cuda_pinned {
    struct cuda_pinned *next;
    char *here;
    int64_t bytes;
    bool by_another; /* Pinned by another GPU; only that GPU unpins it. */
} cuda_pinned;
typedef struct cuda_exchange {
    cuda_lane up, down;
    const gpu_transfer *list;
    int64_t count, number;        /* number: exchanges so far. */
    cu_event first;               /* Start of the first exchange; NULL before it. */
    cuda_exchange_marks marks[2]; /* Of the last two exchanges. */
    cuda_pinned *pinned;
} cuda_exchange;
typedef struct cuda {
    gpu base; /* first */
    const cuda_driver *driver;
    nvrtc compiler;
    char target[NVRTC_TARGET];
    cu_device device;
    cu_context context;
    cu_stream stream; /* The present stream: `first` or `concurrent`. */
    cu_stream first;
    cu_stream concurrent; /* The second queue: more urgent; made at its first use. */
    bool is_concurrent;   /* The present stream is `concurrent`. */
    cu_event parted;      /* `first` has reached the start of work on the second queue. */
    cu_event joined;      /* Work on the second queue has ended. */
    cu_event mark[GPU_MARKS]; /* Made when first set. */
    cuda_stage stage;
    cuda_outbox outbox;
    cu_event turn;                  /* Event for GPUs waiting for this one's work. */
    unsigned char peer[CUDA_PEERS]; /* Access by GPU number; 0: not yet tested. */
    cuda_exchange exchange;
} cuda;
static inline cuda *cuda_of(gpu *g)
{
    return (cuda *)(void *)g;
}
static inline cu_pointer cuda_address(const void *memory)
{
    return (cu_pointer)(uintptr_t)memory;
}
/* Between cuda_enter and cuda_leave, driver calls of this thread go to this GPU.
 * cuda_leave turns the driver's code into a message; `doing` is, for example, "copying
 * memory". */
pav_status cuda_enter(const cuda *c);
pav_status cuda_leave(const cuda *c, cu_result code, const char *doing);

/* Returns the status of one call between both. */
#define CUDA_RETURN(c, doing, ...)                                                       \
    do {                                                                                 \
        TRY(cuda_enter(c));                                                              \
        return cuda_leave(c, __VA_ARGS__, doing);                                        \
    } while (0)

/* Makes an event unless it is there; frees one if it is there. */
static inline cu_result cuda_event(const cuda *c, cu_event *e, unsigned flags)
{
    return *e ? CU_DONE : c->driver->event_new(e, flags);
}
static inline void cuda_event_free(const cuda *c, cu_event e)
{
    if (e)
        (void)c->driver->event_free(e);
}

/* ---- operations of gpu_ops --------------------------------------------------------- */

extern const gpu_ops cuda_ops;
/* Finds a GPU, its facts, and the compiler for it. */
bool cuda_describe(int number, cuda *c, const char **why);
int cuda_count(void);
bool cuda_read_facts(int number, gpu_facts *facts, const char **why);
void cuda_versions(text *t);

pav_status cuda_upload(gpu *g, void *to, const void *from, int64_t bytes);
pav_status cuda_download(gpu *g, void *to, const void *from, int64_t bytes);
void cuda_stage_close(const cuda *c, cuda_stage *s);
enum { CUDA_PIECE = 8 << 20 }; /* Bytes per buffer. */
pav_status cuda_begin_exchange(gpu *g, const gpu_transfer *list, int64_t count);
pav_status cuda_end_exchange(gpu *g);
void cuda_exchange_rest(gpu *g);
void cuda_exchange_close(cuda *c);
pav_status cuda_pin(gpu *g, void *here, int64_t bytes);
void cuda_unpin(gpu *g, void *here);
pav_status cuda_send(gpu *g, void *to, const void *from, int64_t bytes);
void cuda_outbox_close(cuda *c);

#endif
