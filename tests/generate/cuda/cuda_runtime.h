/* SPDX-License-Identifier: BSD-3-Clause */
/* Replaces CUDA's header on a machine without a GPU: only the functions called by
 * generated programs. Kernels are compiled with kernels/emulated, and the threads of
 * a block run in turn. So tests can compare the bits of generated programs. */
#ifndef FAKE_CUDA_RUNTIME_H
#define FAKE_CUDA_RUNTIME_H

#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <ucontext.h>

#include <words.h> /* EMULATED_WORDS from src/devices/device/emulated */

namespace
{ /* one for each file of a program */
#define dim3 shim_dim3
extern "C" struct emulated_here *emulated_place() __attribute__((weak));
#include <shim_base.cuh>
#undef dim3
#define abs shim_abs /* <stdlib.h> has its own abs */
#include <shim_math.cuh>
#undef abs
#include <shim_atomic.cuh>
#include <shim_copy.cuh>
#include <shim_warp.cuh>
} // namespace

struct dim3 : emulated_index {
    dim3(unsigned nx = 1, unsigned ny = 1, unsigned nz = 1)
    {
        x = nx;
        y = ny;
        z = nz;
    }
};

/* ---- a block ----------------------------------------------------------------------- */

enum { MOST_LANES = 1024, STACK_BYTES = 64 << 10, SHARED_BYTES = 256 << 10 };
enum lane_state { RUNS, WAITS, ENDED };
struct lane {
    ucontext_t here;
    lane_state state;
    emulated_request ask;
    unsigned long long answer;
    char *stack;
};
static lane lanes[MOST_LANES];
static ucontext_t scheduler;
static int running, lane_count;
static void (*body)(void *);
static void *body_argument;
alignas(128) static char shared_memory[SHARED_BYTES];

static unsigned long long ask_others(const emulated_request *ask)
{
    lane &l = lanes[running];

    if (ask->wish == EMULATED_COPY) { /* at once: copies may finish early */
        if (ask->number)
            memcpy(ask->to, ask->source, (size_t)ask->bytes);
        else
            memset(ask->to, 0, (size_t)ask->bytes);
    }
    if (ask->wish == EMULATED_COPY || ask->wish == EMULATED_COMMIT ||
        ask->wish == EMULATED_WAIT)
        return 0;
    l.ask = *ask;
    l.state = WAITS;
    swapcontext(&l.here, &scheduler);
    return l.answer;
}

static void be_lane()
{
    body(body_argument);
    lanes[running].state = ENDED;
    swapcontext(&lanes[running].here, &scheduler);
}

static void go_on(int n)
{
    running = n;
    emulated_now.thread.x = (unsigned)n % blockDim.x;
    emulated_now.thread.y = (unsigned)n / blockDim.x % blockDim.y;
    emulated_now.thread.z = (unsigned)n / blockDim.x / blockDim.y;
    swapcontext(&scheduler, &lanes[n].here);
}

static bool all_wait(int from, int to, emulated_wish wish)
{
    int waiting = 0;

    for (int n = from; n < to; n++) {
        if (lanes[n].state == RUNS ||
            (lanes[n].state == WAITS && lanes[n].ask.wish != wish))
            return false;
        waiting += lanes[n].state == WAITS;
    }
    return waiting > 0;
}

static bool answer_warps()
{
    bool any = false;

    for (int first = 0; first < lane_count; first += 32) {
        const int end = first + 32 < lane_count ? first + 32 : lane_count;
        const bool shuffle = all_wait(first, end, EMULATED_SHUFFLE);
        unsigned long long votes = 0;
        if (!shuffle && !all_wait(first, end, EMULATED_BALLOT))
            continue;
        for (int n = first; n < end; n++)
            votes |= (unsigned long long)(lanes[n].ask.value != 0) << (n - first);
        for (int n = first; n < end; n++) {
            lanes[n].answer = shuffle ? lanes[first + lanes[n].ask.number].ask.value
                                      : votes;
            lanes[n].state = RUNS;
        }
        any = true;
    }
    return any;
}

static bool open_barrier()
{
    if (!all_wait(0, lane_count, EMULATED_BARRIER))
        return false;
    for (int n = 0; n < lane_count; n++)
        if (lanes[n].state == WAITS)
            lanes[n].state = RUNS;
    return true;
}

static void run_lanes()
{
    do
        for (int n = 0; n < lane_count; n++)
            if (lanes[n].state == RUNS)
                go_on(n);
    while (answer_warps() || open_barrier());
    for (int n = 0; n < lane_count; n++)
        if (lanes[n].state != ENDED) {
            fprintf(stderr, "thread %d waits for what never comes\n", n);
            exit(EXIT_FAILURE);
        }
}

static void run_block(unsigned x, unsigned y, unsigned z)
{
    emulated_now.block.x = x;
    emulated_now.block.y = y;
    emulated_now.block.z = z;
    memset(shared_memory, 0xff, sizeof shared_memory);
    for (int n = 0; n < lane_count; n++) {
        lane &l = lanes[n];
        l.stack = l.stack ? l.stack : (char *)malloc(STACK_BYTES);
        getcontext(&l.here);
        l.here.uc_stack.ss_sp = l.stack;
        l.here.uc_stack.ss_size = STACK_BYTES;
        l.here.uc_link = nullptr;
        makecontext(&l.here, be_lane, 0);
        l.state = RUNS;
    }
    run_lanes();
}

/* ---- CUDA's runtime ---------------------------------------------------------------- */

enum cudaError_t { cudaSuccess, cudaErrorMemoryAllocation };
enum { cudaFuncAttributeMaxDynamicSharedMemorySize = 8 };
enum cudaMemcpyKind { cudaMemcpyHostToDevice, cudaMemcpyDeviceToHost };

static inline const char *cudaGetErrorString(cudaError_t error)
{
    return error == cudaSuccess ? "no error" : "out of memory";
}

static inline cudaError_t cudaGetDeviceCount(int *count)
{
    *count = getenv("FAKE_NO_GPU") ? 0
             : getenv("FAKE_GPUS") ? atoi(getenv("FAKE_GPUS"))
                                   : 1;
    return cudaSuccess;
}

/* Memory belongs to the GPU selected at its allocation; other GPUs must not use it. */
inline int gpu_now;

static inline cudaError_t cudaSetDevice(int gpu)
{
    gpu_now = gpu;
    return cudaSuccess;
}

static inline cudaError_t cudaDeviceCanAccessPeer(int *can, int gpu, int)
{
    *can = gpu % 2;
    return cudaSuccess;
}

static inline cudaError_t cudaDeviceEnablePeerAccess(int, unsigned)
{
    return cudaSuccess;
}

static inline cudaError_t cudaGetLastError()
{
    return cudaSuccess;
}

struct taken {
    char *at;
    size_t bytes;
    int gpu;
};
inline taken memory_taken[4096];
inline int takings;

static inline void check_owner(const void *at, size_t bytes, int gpu)
{
    const char *const p = (const char *)at;

    for (int n = 0; n < takings; n++) {
        const taken &m = memory_taken[n];
        if (p >= m.at && p < m.at + m.bytes && p + bytes <= m.at + m.bytes &&
            m.gpu == gpu)
            return;
    }
    fprintf(stderr, "GPU %d has no such memory\n", gpu);
    exit(EXIT_FAILURE);
}

static inline cudaError_t cudaMalloc(void **there, size_t bytes)
{
    *there = getenv("FAKE_NO_MEMORY") ? nullptr : malloc(bytes);
    if (*there) {
        memset(*there, 0xff, bytes); /* NaN, so reads of uninitialised memory show */
        memory_taken[takings++ % 4096] = {(char *)*there, bytes, gpu_now};
    }
    return *there ? cudaSuccess : cudaErrorMemoryAllocation;
}

static inline cudaError_t cudaFree(void *there)
{
    free(there);
    return cudaSuccess;
}

static inline cudaError_t cudaMemcpy(void *to, const void *from, size_t bytes,
                                     cudaMemcpyKind kind)
{
    check_owner(kind == cudaMemcpyHostToDevice ? to : from, bytes, gpu_now);
    memcpy(to, from, bytes);
    return cudaSuccess;
}

static inline cudaError_t cudaMemcpyPeer(void *to, int to_gpu, const void *from,
                                         int from_gpu, size_t bytes)
{
    check_owner(to, bytes, to_gpu);
    check_owner(from, bytes, from_gpu);
    memcpy(to, from, bytes);
    return cudaSuccess;
}

static inline cudaError_t cudaDeviceSynchronize()
{
    return cudaSuccess;
}

template <class T> static inline cudaError_t cudaFuncSetAttribute(T *, int, int)
{
    return cudaSuccess;
}

template <class argument> struct call_of {
    void (*kernel)(argument);
    const argument *a;
    static void go(void *call)
    {
        call_of *c = (call_of *)call;
        c->kernel(*c->a);
    }
};

template <class argument>
static cudaError_t cudaLaunchKernel(void (*kernel)(argument), dim3 blocks, dim3 threads,
                                    void **list, size_t shared, int)
{
    call_of<argument> call = {kernel, (const argument *)list[0]};

    if (shared > sizeof shared_memory || threads.x * threads.y * threads.z > MOST_LANES)
        return cudaErrorMemoryAllocation;
    body = call_of<argument>::go;
    body_argument = &call;
    lane_count = (int)(threads.x * threads.y * threads.z);
    emulated_now.threads = threads;
    emulated_now.blocks = blocks;
    emulated_now.shared = shared_memory;
    emulated_now.ask = ask_others;
    for (unsigned z = 0; z < blocks.z; z++)
        for (unsigned y = 0; y < blocks.y; y++)
            for (unsigned x = 0; x < blocks.x; x++)
                run_block(x, y, z);
    return cudaSuccess;
}

#endif
