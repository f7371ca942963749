/* SPDX-License-Identifier: BSD-3-Clause */
/* Opens NVIDIA's driver, initialises it once, and makes its error codes readable.
 * Function names end in _v2 if CUDA 11 changed the argument types. */
#include <pthread.h>
#include <stdio.h>

#include "device/cuda/cuda_private.h"

enum {
    OLDEST = 11020,
    SAID = 1024
}; /* OLDEST: the first CUDA version with an NVRTC able to list its architectures */

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

#define CALL(member, name)                                                               \
    {                                                                                    \
        name, offsetof(cuda_driver, member)                                              \
    }
static const library_call calls[] = {
    CALL(init, "cuInit"),
    CALL(version, "cuDriverGetVersion"),
    CALL(error_name, "cuGetErrorName"),
    CALL(error_string, "cuGetErrorString"),
    CALL(device_count, "cuDeviceGetCount"),
    CALL(device_get, "cuDeviceGet"),
    CALL(device_name, "cuDeviceGetName"),
    CALL(device_memory, "cuDeviceTotalMem_v2"),
    CALL(device_attribute, "cuDeviceGetAttribute"),
    CALL(retain, "cuDevicePrimaryCtxRetain"),
    CALL(release, "cuDevicePrimaryCtxRelease_v2"),
    CALL(push, "cuCtxPushCurrent_v2"),
    CALL(pop, "cuCtxPopCurrent_v2"),
    CALL(memory_info, "cuMemGetInfo_v2"),
    CALL(take, "cuMemAlloc_v2"),
    CALL(give, "cuMemFree_v2"),
    CALL(take_host, "cuMemHostAlloc"),
    CALL(give_host, "cuMemFreeHost"),
    CALL(pin, "cuMemHostRegister_v2"),
    CALL(unpin, "cuMemHostUnregister"),
    CALL(fill, "cuMemsetD8Async"),
    CALL(upload, "cuMemcpyHtoDAsync_v2"),
    CALL(download, "cuMemcpyDtoHAsync_v2"),
    CALL(copy, "cuMemcpyDtoDAsync_v2"),
    CALL(stream_new, "cuStreamCreate"),
    CALL(stream_urgent, "cuStreamCreateWithPriority"),
    CALL(priorities, "cuCtxGetStreamPriorityRange"),
    CALL(stream_free, "cuStreamDestroy_v2"),
    CALL(stream_wait, "cuStreamSynchronize"),
    CALL(stream_follow, "cuStreamWaitEvent"),
    CALL(can_access, "cuDeviceCanAccessPeer"),
    CALL(enable_access, "cuCtxEnablePeerAccess"),
    CALL(event_new, "cuEventCreate"),
    CALL(event_free, "cuEventDestroy_v2"),
    CALL(event_record, "cuEventRecord"),
    CALL(event_wait, "cuEventSynchronize"),
    CALL(event_elapsed, "cuEventElapsedTime"),
    CALL(module_load, "cuModuleLoadData"),
    CALL(module_unload, "cuModuleUnload"),
    CALL(module_function, "cuModuleGetFunction"),
    CALL(module_global, "cuModuleGetGlobal_v2"),
    CALL(function_get, "cuFuncGetAttribute"),
    CALL(function_set, "cuFuncSetAttribute"),
    CALL(launch, "cuLaunchKernel"),
    CALL(launch_cooperative, "cuLaunchCooperativeKernel"),
    CALL(blocks_at_once, "cuOccupancyMaxActiveBlocksPerMultiprocessor"),
};
static const library_call graph_calls[] = {
    CALL(capture, "cuStreamBeginCapture_v2"),
    CALL(capture_end, "cuStreamEndCapture"),
    CALL(graph_free, "cuGraphDestroy"),
    CALL(exec_new, "cuGraphInstantiateWithFlags"),
    CALL(exec_free, "cuGraphExecDestroy"),
    CALL(exec_launch, "cuGraphLaunch"),
};

static const library_call tensor_calls[] = {CALL(map_tensor, "cuTensorMapEncodeTiled")};

/* ---- beginning --------------------------------------------------------------------- */

static struct {
    cuda_driver driver;
    int version, count;
    bool usable;
    char why[SAID];
} only;

static void cannot(const char *what)
{
    (void)snprintf(only.why, sizeof only.why, "%s", what);
}

static void cannot_begin(cu_result code)
{
    text t = {0};

    if (code == CU_NO_DEVICE)
        text_add(&t, "the NVIDIA driver finds no GPU: ");
    else
        text_add(&t, "the NVIDIA driver cannot be used: ");
    cuda_add_error(&t, code);
    text_add(&t, "; see what nvidia-smi says%s",
             code == CU_NO_DEVICE ? ", and CUDA_VISIBLE_DEVICES" : "");
    cannot(t.failed ? "memory ran out" : t.data);
    text_free(&t);
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

const cuda_driver *cuda_driver_find(int *count, const char **why)
{
    static pthread_once_t once = PTHREAD_ONCE_INIT;

    (void)pthread_once(&once, begin);
    *count = only.usable ? only.count : 0;
    *why = only.why;
    return only.usable ? &only.driver : NULL;
}

int cuda_driver_version(void)
{
    return only.version;
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
