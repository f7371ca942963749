/* SPDX-License-Identifier: BSD-3-Clause */
/* The emulated GPU: declarations shared by its files and by the kernels it runs. */
#ifndef DEVICE_EMULATED_PRIVATE_H
#define DEVICE_EMULATED_PRIVATE_H

#include <signal.h>
#include <stdatomic.h>

#include "device/device_private.h"

/* The interface between the emulation (C) and the compiled kernels (C++); both compile
 * these declarations. A kernel thread sends requests through emulated_here.ask; `line` is
 * its line in the kernel source. */
#define EMULATED_WORDS                                                                   \
    struct emulated_index {                                                              \
        unsigned x, y, z;                                                                \
    };                                                                                   \
    enum emulated_wish {                                                                 \
        EMULATED_BARRIER,      /* number, threads (0: all) */                            \
        EMULATED_ARRIVE,       /* the same, without waiting */                           \
        EMULATED_SHUFFLE,      /* mask, value, number: the lane whose value is asked */  \
        EMULATED_BALLOT,       /* mask, value: 0 or 1 */                                 \
        EMULATED_COPY,         /* to, source, bytes, number: 0 gives zeros */            \
        EMULATED_COMMIT,       /* ends a group of copies */                              \
        EMULATED_WAIT,         /* number: groups that may still be on their way */       \
        EMULATED_PHASES,       /* to: an mbarrier, number: of arrivals; 0 ends it */     \
        EMULATED_PHASE_ARRIVE, /* to, bytes: to expect too */                            \
        EMULATED_PHASE_AWAIT,  /* the same, without arriving */                          \
        EMULATED_PHASE_WAIT,   /* to, number: parity */                                  \
        EMULATED_BULK,         /* to, source, bytes, phases: an mbarrier */              \
        EMULATED_TENSOR,       /* to, source: a map, at, phases: an mbarrier */          \
        EMULATED_AWAIT,        /* source: a number in memory, number: its goal */        \
    };                                                                                   \
    struct emulated_request {                                                            \
        enum emulated_wish wish;                                                         \
        int line, number, threads, at[3];                                                \
        unsigned mask;                                                                   \
        unsigned long long value;                                                        \
        void *to, *phases;                                                               \
        const void *source;                                                              \
        long long bytes;                                                                 \
    };                                                                                   \
    struct emulated_here {                                                               \
        struct emulated_index thread, block, threads, blocks;                            \
        void *shared;                                                                    \
        unsigned long long (*ask)(const struct emulated_request *ask);                   \
    };
EMULATED_WORDS

enum {
    EMULATED_THREADS = GPU_BLOCK_THREADS, /* Largest number of threads per block. */
    EMULATED_LANES = GPU_WARP,
    EMULATED_BARRIERS = 16,
    EMULATED_SHARED = GPU_MOST_SHARED_KIB * 1024,
    EMULATED_POISON = 0xff, /* Every byte of unwritten memory: a NaN in every type. */
    EMULATED_SUITS = 64,    /* Largest alignment of kernel arguments in bytes. */
    EMULATED_FAILURE = 1024
};

/* Stacks for the threads of a block, run by one host thread. */
typedef struct fibre_stacks {
    char *free[EMULATED_THREADS], *all[EMULATED_THREADS];
    int left, made;
} fibre_stacks;

/* Memory between inaccessible pages (emulated.c); `start` is a multiple of 256. Hidden
 * memory is inaccessible too. */
typedef struct fenced {
    char *start, *map;
    int64_t bytes, mapped;
    atomic_bool shown; /* Touched by the current launch. */
    bool shared;       /* The host may always touch it (gpu_share). */
    struct fenced *next;
} fenced;
fenced *fenced_new(int64_t bytes); /* Poisoned; NULL if memory runs out. */
void fenced_free(fenced *f);
/* True if nothing wrote between two addresses. */
bool poison_is_kept(const char *from, const char *end);
/* The memory with this address inside its map, fences included; or NULL. */
fenced *fenced_around(fenced *list, const char *address);
/* Shows the hidden memory with this address; false if there is none. */
bool fenced_show(fenced *list, const char *address);
/* The memory of the list around these bytes; or NULL. */
const fenced *fenced_find(const fenced *list, const void *at, int64_t bytes);

/* Kernels (emulated.c). */
enum { EMULATED_NAME = GPU_NAME };
typedef void emulated_enter(const void *argument);
typedef struct emulated_here *emulated_place(void);
typedef struct emulated_kernel {
    gpu_kernel base;
    emulated_enter *enter;
    /* Returns the emulated_here of the calling thread inside the compiled object. */
    emulated_place *place;
    char name[EMULATED_NAME];
    struct emulated_kernel *next;
} emulated_kernel;

/* A launch. */
typedef struct emulated_grid {
    const gpu_call *call;
    const emulated_kernel *kernel;
    fenced *memory; /* All memory of the GPU. */
    fenced *peers;  /* All memory of another GPU that the kernel may touch; or NULL. */
    uint64_t seed;
    /* total: number of blocks. number: launches since the GPU was opened. */
    int64_t total, number;
    void *argument; /* Inside `room`, aligned to EMULATED_SUITS. */
    char room[GPU_MOST_ARGUMENT + EMULATED_SUITS];
} emulated_grid;

/* A pending asynchronous copy. */
typedef struct emulated_copy {
    void *to, *phases;
    const void *source;
    int64_t bytes;
    int lane, group;
    bool zeros;
} emulated_copy;
typedef struct emulated_copies {
    emulated_copy *copy;
    int64_t count, capacity;
} emulated_copies;
typedef enum lane_state {
    LANE_NEW,
    LANE_READY,
    LANE_WAITS, /* Waits for its request `ask`. */
    LANE_DONE
} lane_state;
typedef struct emulated_lane {
    lane_state state;
    void *top;   /* Saved stack pointer. */
    char *stack; /* NULL if it has none. */
    struct emulated_request ask;
    unsigned long long answer;
    emulated_copies copies; /* Copies by cp.async. */
    int group;              /* Group of the next copy. */
} emulated_lane;
/* The state of one host thread running blocks one after another (emulated_block.c). */
typedef struct emulated_block {
    const emulated_grid *grid;
    emulated_lane *lane; /* EMULATED_THREADS */
    fibre_stacks stacks;
    fenced *shared;
    void *signals;  /* Stack for signal handlers. */
    stack_t before; /* The calling thread's former signal stack. */
    struct emulated_here *here;
    /* Static shared memory of the kernels, with their other thread-local variables. */
    char *fixed;
    int64_t fixed_bytes;
    emulated_copies bulk;
    struct {
        int count, line, lane; /* count: arrived threads. line, lane: of the first one. */
    } barrier[EMULATED_BARRIERS];
    int met[EMULATED_THREADS / EMULATED_LANES]; /* Waiting lanes of each warp. */
    /* Number of lanes waiting for another block. */
    int waiting;
    char *kept; /* Copy of `fixed` while other blocks take their turns; or NULL. */
    int threads, left, current; /* current: the running lane, or -1. */
    int warps, warp[EMULATED_THREADS / EMULATED_LANES], order[EMULATED_LANES];
    int64_t number;
    rng random;
    int turn_order; /* Order of the threads' turns. */
    bool hasty;     /* Bulk copies complete at once. */
    /* A barrier opened or a phase ended: start again with the first warp. */
    bool released;
    void *scheduler;
    bool caught; /* Set by a signal handler, because the handler must return. */
    bool failed;
    char failure[EMULATED_FAILURE];
} emulated_block;
pav_status emulated_block_open(emulated_block *b);
void emulated_block_close(emulated_block *b);
/* Called before and after the blocks of one launch on the calling thread. */
void emulated_block_enter(emulated_block *b, const emulated_grid *grid);
void emulated_block_leave(emulated_block *b);
/* Sets `failed` on failure. */
void emulated_block_run(emulated_block *b, int64_t number);
/* The same in turns: advance runs until all threads wait for other blocks; false if no
 * thread could run. */
void emulated_block_begin(emulated_block *b, int64_t number);
bool emulated_block_advance(emulated_block *b);
void emulated_block_end(emulated_block *b);
/* The block of the calling thread while a lane runs; or NULL. */
emulated_block *emulated_block_now(void);
/* Records the message after the names of kernel, block and (lane >= 0) thread. Leaves the
 * running lane for good. */
void emulated_fail(emulated_block *b, int lane, const char *format, ...)
    PRINTF_LIKE(3, 4);
/* Suspends the running lane until its state is LANE_READY. */
void emulated_suspend(emulated_block *b);

/* An emulated GPU. A launch runs on several threads of the team, one emulated_block each
 * (emulated.c). */
typedef struct emulated_gpu {
    gpu base;
    int number;
    fenced *memory;
    int64_t limit;
    host_team *team;
    int blocks;
    emulated_block *block;
    int64_t together;      /* Number of blocks in `crowd`. */
    emulated_block *crowd; /* Blocks of cooperative launches. */
    int64_t launches;
    double mark[GPU_MARKS];
    const gpu_transfer *transfer; /* List of the present exchange. */
    int64_t transfers, exchanges; /* exchanges: number so far. */
    double first_exchange;
    gpu_exchange_time exchange;
} emulated_gpu;
static inline emulated_gpu *emulated_of(gpu *g)
{
    return (emulated_gpu *)(void *)g;
}
/* A cooperative launch: blocks may wait for each other (emulated.c). */

/* Requests of lanes (emulated_requests.c). */
unsigned long long emulated_serve(const struct emulated_request *ask);
/* True if some lane's wait for another block is over. */
bool emulated_inspect(emulated_block *b);
void emulated_stuck(emulated_block *b); /* Reports a waiting lane and a missing one. */
/* Completes one bulk copy; false if none is pending. */
bool emulated_land(emulated_block *b);
pav_status emulated_map_tensor(gpu *g, const gpu_tensor_region *p, gpu_map *map);

/* Between these two calls, processor faults of a lane are reported (emulated_block.c). */
void fault_watch(void);
void fault_unwatch(void);

#endif
