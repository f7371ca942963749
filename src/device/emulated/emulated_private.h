/* SPDX-License-Identifier: BSD-3-Clause */
/* The emulated GPU: what its files share among themselves, and with the text that it
 * runs. */
#ifndef DEVICE_EMULATED_PRIVATE_H
#define DEVICE_EMULATED_PRIVATE_H

#include <signal.h>

#include "device/device_private.h"

/* What the emulation and the text that it runs say to each other: C here, and C++ there,
 * in these words. A thread asks through emulated_here.ask; `line` is of the text. */
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
        EMULATED_PHASE_ARRIVE, /* to, bytes that are expected too */                     \
        EMULATED_PHASE_AWAIT,  /* the same, without arriving */                          \
        EMULATED_PHASE_WAIT,   /* to, number: parity */                                  \
        EMULATED_BULK,         /* to, source, bytes, phases: an mbarrier */              \
        EMULATED_TENSOR,       /* to, source: a map, at, phases: an mbarrier */          \
        EMULATED_AWAIT, /* source: a number in memory, number: that it shall have */     \
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
    EMULATED_THREADS = GPU_BLOCK_THREADS, /* of a block, at most */
    EMULATED_LANES = GPU_WARP,
    EMULATED_BARRIERS = 16,
    EMULATED_SHARED = GPU_MOST_SHARED_KIB * 1024,
    EMULATED_POISON = 0xff, /* every byte of what nobody has written: a NaN of any type */
    EMULATED_SUITS = 64,    /* bytes, to which arguments are aligned at most */
    EMULATED_FAILURE = 1024
};

/* Stacks of threads that wait for each other on one thread of the host
 * (emulated_fibre.c). */
typedef struct fibre_stacks {
    char *free[EMULATED_THREADS], *all[EMULATED_THREADS];
    int left, made;
} fibre_stacks;
char *fibre_stack_take(fibre_stacks *s); /* its end; or NULL */
void fibre_stack_give(fibre_stacks *s, char *stack);
void fibre_stacks_free(fibre_stacks *s);
/* Where a new fibre begins, to be given to fibre_switch; begin must never return. */
void *fibre_new(char *stack, void (*begin)(void));
/* Leaves the present one at *from and goes on at `to`. */
void fibre_switch(void **from, void *to);

/* Memory between pages that nobody may touch (emulated_memory.c); `start` is a multiple
 * of 256. What is hidden nobody may touch either. */
typedef struct fenced {
    char *start, *map;
    int64_t bytes, mapped;
    struct fenced *next;
} fenced;
fenced *fenced_new(int64_t bytes); /* poisoned; NULL when there is no memory */
void fenced_free(fenced *f);
pav_status fenced_hide(const fenced *f, bool hidden);
pav_status fenced_hide_all(const fenced *list, bool hidden);
/* Whether nobody wrote around it, or from one address up to another. */
bool poison_is_kept(const char *from, const char *end);
bool fenced_is_whole(const fenced *f);
/* The one of a list that such bytes lie in; or NULL. */
const fenced *fenced_find(const fenced *list, const void *at, int64_t bytes);

/* Kernels (emulated_module.c) and, of the text, their names and what is compiled
 * (emulated_text.c). */
enum { EMULATED_NAME = GPU_NAME };
typedef void emulated_enter(const void *argument);
typedef struct emulated_here *emulated_place(void);
typedef struct emulated_kernel {
    gpu_kernel base;
    emulated_enter *enter;
    emulated_place *place; /* gives that of the calling thread, in the text's memory */
    char name[EMULATED_NAME];
    struct emulated_kernel *next;
} emulated_kernel;
pav_status emulated_compile(gpu *g, const char *source, int64_t length, unsigned how,
                            gpu_module **result);
void emulated_discard(gpu_module *base);
const char *emulated_note(const gpu_module *base);
gpu_kernel *emulated_find(gpu_module *base, const char *name);
void *emulated_constant(gpu_module *base, const char *name, int64_t bytes);
typedef struct emulated_name {
    char name[EMULATED_NAME];
    int most_threads;
} emulated_name;
/* The next kernel from *at on; false: there is none. */
bool emulated_next_kernel(const char *source, int64_t length, int64_t *at,
                          emulated_name *found);
void emulated_text(const char *source, int64_t length, text *t);

/* A launch. */
typedef struct emulated_grid {
    const gpu_call *call;
    const emulated_kernel *kernel;
    const fenced *memory; /* all of the GPU */
    uint64_t seed;
    int64_t total, number; /* of blocks; of the launch since the GPU was opened */
    void *argument;        /* in `room`, at a multiple of EMULATED_SUITS */
    char room[GPU_MOST_ARGUMENT + EMULATED_SUITS];
} emulated_grid;

/* A copy on its way. */
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
    LANE_WAITS, /* for what `ask` says */
    LANE_DONE
} lane_state;
typedef struct emulated_lane {
    lane_state state;
    void *top;   /* where it goes on */
    char *stack; /* NULL: it has none */
    struct emulated_request ask;
    unsigned long long answer;
    emulated_copies copies; /* by cp.async */
    int group;              /* which the next copy belongs to */
} emulated_lane;
/* What one thread of the host runs blocks with, one after the other
 * (emulated_block.c). */
typedef struct emulated_block {
    const emulated_grid *grid;
    emulated_lane *lane; /* EMULATED_THREADS */
    fibre_stacks stacks;
    fenced *shared;
    void *signals;  /* the stack that signals are handled on */
    stack_t before; /* the one of the calling thread */
    struct emulated_here *here;
    char *fixed; /* shared memory that the text fixes, and the rest of its threads' own */
    int64_t fixed_bytes;
    emulated_copies bulk;
    struct {
        int count, line, lane; /* arrived; the first of them */
    } barrier[EMULATED_BARRIERS];
    int met[EMULATED_THREADS / EMULATED_LANES]; /* lanes of a warp that wait for others */
    int waiting;                                /* lanes that wait for another block */
    char *kept; /* what is `fixed`, while other blocks take their turns; or NULL */
    int threads, left, current; /* current: the lane that runs; -1 */
    int warps, warp[EMULATED_THREADS / EMULATED_LANES], order[EMULATED_LANES];
    int64_t number;
    rng random;
    int turn_order; /* in which threads take turns */
    bool hasty;     /* bulk copies are made at once */
    bool released;  /* a barrier opened, a phase ended: begin with the first again */
    void *scheduler;
    bool caught; /* by a signal's handler, which must return */
    bool failed;
    char failure[EMULATED_FAILURE];
} emulated_block;
pav_status emulated_block_open(emulated_block *b);
void emulated_block_close(emulated_block *b);
/* Before and after the blocks of one launch on the calling thread. */
void emulated_block_enter(emulated_block *b, const emulated_grid *grid);
void emulated_block_leave(emulated_block *b);
void emulated_block_run(emulated_block *b, int64_t number); /* or sets failed */
/* The same in turns: to where all its threads wait for other blocks; false: nothing could
 * go on. */
void emulated_block_begin(emulated_block *b, int64_t number);
bool emulated_block_advance(emulated_block *b);
void emulated_block_end(emulated_block *b);
emulated_block *emulated_block_now(
    void); /* of the calling thread, while a lane runs; or NULL */
/* Keeps the sentence, after the names of kernel, block and (lane >= 0) thread; leaves the
 * lane that runs for good. */
void emulated_fail(emulated_block *b, int lane, const char *format, ...)
    PRINTF_LIKE(3, 4);
void emulated_abandon(
    void); /* leaves the lane that runs, of which a handler has said why */
/* Stops the lane that runs until its state is LANE_READY. */
void emulated_suspend(emulated_block *b);

/* A launch, on as many threads of the team as are worth it (emulated_grid.c); a block for
 * each. */
typedef struct emulated_gpu {
    gpu base;
    int number;
    fenced *memory;
    int64_t limit;
    host_team *team;
    int blocks;
    emulated_block *block;
    int64_t together;      /* blocks there is room for at once, */
    emulated_block *crowd; /* and these */
    int64_t launches;
    double mark[GPU_MARKS];
    const gpu_transfer *transfer; /* of the present exchange */
    int64_t transfers, exchanges; /* exchanges: so far */
    double first_exchange;
    gpu_exchange_time exchange;
} emulated_gpu;
static inline emulated_gpu *emulated_of(gpu *g)
{
    return (emulated_gpu *)(void *)g;
}
pav_status emulated_run(emulated_gpu *g, emulated_grid *grid);
/* A launch whose blocks may wait for each other (emulated_together.c). */
pav_status emulated_run_cooperative(emulated_gpu *g, emulated_grid *grid);
int64_t emulated_cooperative_blocks(const gpu_kernel *k, int threads, int64_t shared);
void emulated_cooperative_close(emulated_gpu *g);

/* Launches that are made again, one by one (emulated_graph.c). */
pav_status emulated_record(gpu *g, const gpu_call *call, int64_t count,
                           gpu_graph **result);
pav_status emulated_replay(gpu *g, gpu_graph *graph);
void emulated_forget(gpu *g, gpu_graph *graph);

/* Copies concurrent with the work, of which each is made as early or as late as may be
 * (emulated_exchange.c). */
pav_status emulated_exchange(gpu *base, const gpu_transfer *list, int64_t count);
pav_status emulated_exchanged(gpu *base);
pav_status emulated_pin(gpu *g, void *here, int64_t bytes);
void emulated_unpin(gpu *g, void *here);

/* What lanes ask for (emulated_requests.c, emulated_copies.c). */
unsigned long long emulated_serve(const struct emulated_request *ask);
bool emulated_inspect(
    emulated_block *b); /* whether lanes need wait no longer for other blocks */
void emulated_stuck(emulated_block *b); /* says who waits for whom */
bool emulated_land(emulated_block *b);  /* one bulk copy; false: none is on its way */
void emulated_copies_request(emulated_block *b, const struct emulated_request *ask);
void emulated_phases_request(emulated_block *b, const struct emulated_request *ask);
void emulated_phase_missing(const void *at, int *arrivals, int *bytes); /* missing */

/* A bulk copy, between multiples of so many bytes; and copies of boxes
 * (emulated_tensor.c). */
void emulated_bulk(emulated_block *b, const struct emulated_request *ask, int64_t unit);
void emulated_tensor_request(emulated_block *b, const struct emulated_request *ask);
pav_status emulated_map_tensor(gpu *g, const gpu_tensor_region *p, gpu_map *map);

/* Where the processor refuses, in between, what a lane does, that is said
 * (emulated_fault.c). */
void fault_watch(void);
void fault_unwatch(void);

#endif
