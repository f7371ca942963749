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

typedef struct cuda_driver {
    cu_result (*init)(unsigned flags);
    cu_result (*version)(int *version);
    cu_result (*error_name)(cu_result code, const char **name);
    cu_result (*error_string)(cu_result code, const char **string);
    cu_result (*device_count)(int *count);
    cu_result (*device_get)(cu_device *device, int number);
    cu_result (*device_name)(char *name, int size, cu_device device);
    cu_result (*device_memory)(size_t *bytes, cu_device device);
    cu_result (*device_attribute)(int *value, cu_attribute attribute, cu_device device);
    cu_result (*retain)(cu_context *context, cu_device device);
    cu_result (*release)(cu_device device);
    cu_result (*push)(cu_context context);
    cu_result (*pop)(cu_context *context);
    cu_result (*memory_info)(size_t *left, size_t *total);
    cu_result (*take)(cu_pointer *memory, size_t bytes);
    cu_result (*give)(cu_pointer memory);
    cu_result (*take_host)(void **memory, size_t bytes, unsigned flags);
    cu_result (*give_host)(void *memory);
    cu_result (*pin)(void *memory, size_t bytes, unsigned flags);
    cu_result (*unpin)(void *memory);
    cu_result (*fill)(cu_pointer memory, unsigned char byte, size_t bytes, cu_stream s);
    cu_result (*upload)(cu_pointer to, const void *from, size_t bytes, cu_stream s);
    cu_result (*download)(void *to, cu_pointer from, size_t bytes, cu_stream s);
    cu_result (*copy)(cu_pointer to, cu_pointer from, size_t bytes, cu_stream s);
    cu_result (*stream_new)(cu_stream *stream, unsigned flags);
    cu_result (*stream_urgent)(cu_stream *stream, unsigned flags, int priority);
    cu_result (*priorities)(int *least, int *most);
    cu_result (*stream_free)(cu_stream stream);
    cu_result (*stream_wait)(cu_stream stream);
    cu_result (*stream_follow)(cu_stream stream, cu_event event, unsigned flags);
    cu_result (*can_access)(int *can, cu_device device, cu_device other);
    cu_result (*enable_access)(cu_context other, unsigned flags);
    cu_result (*event_new)(cu_event *event, unsigned flags);
    cu_result (*event_free)(cu_event event);
    cu_result (*event_record)(cu_event event, cu_stream stream);
    cu_result (*event_wait)(cu_event event);
    cu_result (*event_elapsed)(float *milliseconds, cu_event from, cu_event to);
    cu_result (*module_load)(cu_module *module, const void *image);
    cu_result (*module_unload)(cu_module module);
    cu_result (*module_function)(cu_function *f, cu_module module, const char *name);
    cu_result (*module_global)(cu_pointer *at, size_t *bytes, cu_module module,
                               const char *name);
    cu_result (*function_get)(int *value, cu_kernel_attribute a, cu_function f);
    cu_result (*function_set)(cu_function f, cu_kernel_attribute a, int value);
    cu_result (*launch)(cu_function f, unsigned blocks_x, unsigned blocks_y,
                        unsigned blocks_z, unsigned threads_x, unsigned threads_y,
                        unsigned threads_z, unsigned shared, cu_stream stream,
                        void **arguments, void **extra);
    cu_result (*launch_cooperative)(cu_function f, unsigned blocks_x, unsigned blocks_y,
                                    unsigned blocks_z, unsigned threads_x,
                                    unsigned threads_y, unsigned threads_z,
                                    unsigned shared, cu_stream stream, void **arguments);
    cu_result (*blocks_at_once)(int *blocks, cu_function f, int threads, size_t shared);
    /* CUDA 12.0; NULL with an older driver. */
    cu_result (*map_tensor)(void *map, int type, unsigned rank, void *data,
                            const uint64_t *count, const uint64_t *stride,
                            const uint32_t *box, const uint32_t *step, int interleave,
                            int swizzle, int promotion, int fill);
    /* CUDA 11.4; NULL with an older driver. */
    cu_result (*capture)(cu_stream stream, int mode);
    cu_result (*capture_end)(cu_stream stream, cu_graph *graph);
    cu_result (*graph_free)(cu_graph graph);
    cu_result (*exec_new)(cu_graph_exec *exec, cu_graph graph, unsigned long long flags);
    cu_result (*exec_free)(cu_graph_exec exec);
    cu_result (*exec_launch)(cu_graph_exec exec, cu_stream stream);
} cuda_driver;

/* Appends the error's text: "CUDA_ERROR_NO_DEVICE (no CUDA-capable device is
 * detected)". */
void cuda_add_error(text *t, cu_result code);
/* Formats a message in a buffer of this thread; the next call overwrites it. Returns
 * false. */
bool cuda_say(const char **why, const char *format, ...) PRINTF_LIKE(2, 3);

/* ---- the compiler (cuda_nvrtc.c) --------------------------------------------------- */

typedef struct nvrtc_text_of_compiler *nvrtc_program;
typedef struct nvrtc {
    const char *(*error_string)(int code);
    int (*version)(int *major, int *minor);
    int (*architecture_count)(int *count);
    int (*architectures)(int *list);
    int (*create)(nvrtc_program *p, const char *source, const char *name, int headers,
                  const char *const *header, const char *const *header_name);
    int (*destroy)(nvrtc_program *p);
    int (*compile)(nvrtc_program p, int count, const char *const *option);
    int (*log_size)(nvrtc_program p, size_t *size);
    int (*log)(nvrtc_program p, char *log);
    int (*cubin_size)(nvrtc_program p, size_t *size);
    int (*cubin)(nvrtc_program p, char *cubin);
    int (*ptx_size)(nvrtc_program p, size_t *size);
    int (*ptx)(nvrtc_program p, char *ptx);
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
/* Hashes everything the result depends on, except the source. */
void nvrtc_hash(const nvrtc *n, const nvrtc_job *job, hash *h);
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
typedef struct cuda_exchange_marks {
    cu_event begun, up, down, work;
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

pav_status cuda_compile(gpu *g, const char *source, int64_t length, unsigned how,
                        gpu_module **result);
void cuda_discard(gpu_module *module);
const char *cuda_note(const gpu_module *module);
gpu_kernel *cuda_find(gpu_module *module, const char *name);
void *cuda_constant(gpu_module *module, const char *name, int64_t bytes);
pav_status cuda_launch(gpu *g, const gpu_call *call);
int64_t cuda_cooperative_blocks(const gpu_kernel *k, int threads, int64_t shared);

pav_status cuda_record(gpu *g, const gpu_call *call, int64_t count, gpu_graph **result);
pav_status cuda_replay(gpu *g, gpu_graph *graph);
void cuda_forget(gpu *g, gpu_graph *graph);

#endif
