/* SPDX-License-Identifier: BSD-3-Clause */
/* machine: what hardware can. The only folder that holds numbers of a device: what its
 * architecture fixes, what its driver or system says, and constants that models were
 * fitted with. Others ask here, so that a new device is described in one place. */
#ifndef MACHINE_MACHINE_H
#define MACHINE_MACHINE_H

#include "base/base.h"

/* ---- GPUs -------------------------------------------------------------------------- */

/* Limits that messages name: threads of a block on every GPU; threads of a multiprocessor
 * and KiB of shared memory of a block on data-centre GPUs from sm_90 on. */
#define GPU_BLOCK_THREADS 1024
#define GPU_MOST_THREADS 2048
#define GPU_MOST_SHARED_KIB 227
#define GPU_OLDEST 80 /* sm_80: the oldest architecture that kernels are made for */
#define GPU_TENSOR_OLDEST 90 /* with a tensor memory accelerator */
/* The number of one of these as a literal string. */
#define GPU_LIMIT_TEXT(limit) GPU_LIMIT_TEXT_(limit)
#define GPU_LIMIT_TEXT_(limit) #limit

/* The same on every GPU of the CUDA programming model. */
enum {
    GPU_WARP = 32, /* threads */
    GPU_THREAD_REGISTERS = 255,
    GPU_SECTOR = 32,             /* bytes that memory moves at least */
    GPU_LINE = 128,              /* bytes of a cache line */
    GPU_VECTOR = 16,             /* bytes of the widest load of a thread */
    GPU_BLOCK_RESERVED = 1024,   /* shared memory that the system takes of each block */
    GPU_BLOCK_SHARED = 48 << 10, /* bytes that a block has unless it asks for more */
    GPU_CONSTANT = 64 << 10,     /* bytes of constants of a module */
    GPU_MOST_ARGUMENT = 4000,    /* bytes of a kernel's arguments; drivers take 4096 */
    GPU_BLOCK_Z = 64,            /* threads of a block along z */
    GPU_GRID_YZ = 65535,         /* blocks along y, and along z */
    GPU_REGISTER_THREADS = 128   /* whose registers are given out together */
};

/* Registers of a thread, of GPU_THREAD_REGISTERS, with which compilers were found to make
 * kernels without spills (CUDA 12 and 13 for sm_80 and sm_90). */
enum {
    GPU_LAUNCH_REGISTERS = 168,  /* that a thread of a fused launch takes in all */
    GPU_VERSION_REGISTERS = 190, /* most of them for versions, in blocks of so many */
    GPU_VERSION_THREADS = 384,   /* threads */
    GPU_FLAT_REGISTERS = 130,    /* the same of candidates in two dimensions, */
    GPU_SHORT_REGISTERS = 200,   /* and of those of two steps */
    GPU_SWEEP_REGISTERS = 200, /* most that a sweep needs for planes and what it reads */
    GPU_NEIGHBOUR_REGISTERS = 96, /* most for neighbours that stay in them */
    GPU_BASE_REGISTERS = 48,      /* of a sweep by shared memory, besides planes, */
    GPU_COPY_REGISTERS = 16,      /* of those for copies by threads, */
    GPU_SLOT_REGISTERS = 8,       /* for each level that it reads, */
    GPU_PLANE_REGISTERS = 4       /* and for a vector of each of its planes */
};

/* What an architecture fixes. */
typedef struct gpu_architecture {
    int number;                /* 90: sm_90 */
    int threads, registers;    /* of a multiprocessor */
    int schedulers;            /* warp instructions of a multiprocessor in a cycle */
    int shared_block;          /* bytes of shared memory that a block can have */
    int shared_multiprocessor; /* and all blocks of a multiprocessor together */
    bool tensor_copies;        /* it has the tensor memory accelerator */
    int f32, f64; /* sums, products or both in one that a multiprocessor has in a cycle */
} gpu_architecture;
/* The newest known one that is not newer than `number`; older ones are as the oldest
 * known. */
const gpu_architecture *gpu_architecture_of(int number);
/* What the tensor memory accelerator takes: words of a row and rows of a box; bytes whose
 * multiples are addresses, strides and the rows of boxes. */
enum { GPU_TENSOR_BOX = 256, GPU_TENSOR_UNIT = 16 };
/* Bytes of shared memory that a block can have on every GPU, and on the largest. */
int gpu_shared_everywhere(void);
int gpu_shared_most(void);

/* A GPU: what its driver says of it. */
typedef struct gpu_facts {
    char name[128];
    int major, minor; /* sm_90 is 9, 0 */
    int multiprocessors;
    int shared_block, shared_multiprocessor; /* bytes of shared memory */
    int64_t memory, l2;                      /* bytes */
    double f32_rate, f64_rate; /* sums, products or both in one, a second; 0: not known */
    bool emulated;
    const char
        *no_tensors; /* why nothing copies boxes of tensors; NULL: something does */
} gpu_facts;
const gpu_architecture *gpu_facts_architecture(const gpu_facts *f);
/* Stands for the GPU where a program is compiled without one: an H200. */
const gpu_facts *gpu_facts_default(void);
/* The smallest data-centre GPU of the oldest architecture: what every newer one can
 * run. */
const gpu_facts *gpu_facts_smallest(void);
/* Data-centre GPUs, of which each stands for a generation, where kernels are compiled to
 * see whether they can be. */
enum { GPU_GENERATIONS = 3 };
extern const int gpu_generations[GPU_GENERATIONS];
/* Costs of a persistent kernel, in cycles of a multiprocessor and warp instructions. */
typedef struct gpu_persistent_costs {
    int exchange;  /* to signal neighbours, until they have waited, and to fetch */
    int vector;    /* to publish or fetch a vector of 4 points; for `parallel` of them */
    int parallel;  /* vectors that are on their way at once */
    int scattered; /* times as much where each vector lies in a line of its own */
    int step;      /* until all threads have come, and their first reads are there */
    int tile;      /* warp instructions of a thread's tile besides its arithmetic, */
    int row,
        shared_row;  /* of each of its rows; where its neighbours along x are shared */
    double in_place; /* times the arithmetic where results wait in registers */
} gpu_persistent_costs;
const gpu_persistent_costs *gpu_persistent_costs_of(const gpu_facts *f);

/* ---- processors -------------------------------------------------------------------- */

/* The part of a processor that a program runs on; 0 where the system does not say. */
typedef struct cpu_facts {
    int threads;
    int64_t last_cache,
        core_cache; /* bytes: of the largest; of one core's own second level */
    int vector;     /* bytes of its vectors */
} cpu_facts;
int cpu_vector_bytes(void); /* of this processor's */

/* A cache that time tiles can be made for: bytes of it that a thread may fill, and how
 * many times as fast as memory it delivers them, as a rule of thumb. */
typedef struct cpu_cache {
    int64_t bytes;
    double speedup;
} cpu_cache;
enum { CPU_TILE_CACHES = 3, CPU_ASSUMED_CACHES = 3 };
void cpu_tile_caches(const cpu_facts *f, cpu_cache cache[CPU_TILE_CACHES]);

/* Where the system says nothing of caches: as small as those of processors in use. */
extern const int64_t cpu_assumed_cache[CPU_ASSUMED_CACHES];
/* Generated programs, which ask no system, count with: bytes that a core has for itself,
 * and those of all caches. */
extern const int64_t cpu_generated_core_cache, cpu_generated_last_cache;

/* Points of a launch from which a GPU is full, NULL: a large one; or threads of a
 * processor. */
int64_t gpu_full_points(const gpu_facts *f);
int64_t cpu_full_points(int threads);

enum {
    CPU_LINE = 64, /* bytes of a cache line */
    /* Fewer points are computed sooner than threads are woken. */
    CPU_PARALLEL_POINTS = 1 << 14,
    /* Bytes that memory delivers while it answers one request: the prefetch distance. */
    CPU_PREFETCH_BYTES = 1 << 14
};

/* ---- rates that models count with (machine_rates.c) -------------------------------- */

/* Between the host and a device of its own, out of core: bytes a second of planes that
 * cross alone, and each way while steps go on. pinned: the device copies by itself. */
typedef struct machine_link {
    double alone, busy;
} machine_link;
/* Bytes a second, read and written, are `memory`; 0 stands for what is not known. */
typedef struct machine_rates {
    double memory;             /* copying beyond the caches, by the whole machine */
    double last_cache;         /* the same within them; of a GPU: L2 */
    double core_cache;         /* in the cores' own second level; of a GPU: 0 */
    double cycles;             /* a second: of a multiprocessor, of a core */
    double f32, f64;           /* results a second of the whole machine */
    double launch;             /* seconds from one piece of work to the next */
    machine_link link, staged; /* of a GPU to its host, pinned and not */
    bool measured;             /* `pavior doctor --measure` */
    char date[16];             /* of that; "": not known */
} machine_rates;

/* What a program runs on. */
typedef struct machine_facts {
    const gpu_facts *gpu; /* NULL: processors */
    cpu_facts cpu;
    machine_rates rate;
} machine_facts;
/* With rates of such a machine that was measured, where nobody has measured this one. */
machine_facts machine_of_gpu(const gpu_facts *f);
machine_facts machine_of_cpu(const cpu_facts *f);
/* What processors copy in the time in which a GPU copies 1. */
double machine_with_gpu(const cpu_facts *f);
/* With rates that were measured, of which a GPU's arithmetic follows from its clock. */
machine_facts machine_with_rates(const machine_facts *m, const machine_rates *measured);
/* Bytes of its last cache; seconds from one piece of a step to the next. */
int64_t machine_last_cache(const machine_facts *m);
double machine_between_pieces(const machine_facts *m);
/* Seconds that a measurement there takes at least. */
double machine_turn_seconds(const machine_facts *m);
/* That machine; for an emulated GPU the one that it stands for. */
machine_facts machine_modelled(const machine_facts *m);

/* What models of schedules were fitted with: rows of bench/results of 16 Xeon cores,
 * 2026-11-25, and of one H200, 2026-11-27; `meet` and `uneven` with 16 Xeon cores,
 * `read`, `streams` and `crowd` with one core of an EPYC, 2026-11-27
 * (docs/notes/cpu-time-tiles.md). */
typedef struct cpu_costs {
    double row;     /* seconds to call a kernel for a row */
    double tile;    /* seconds of an operation of a time tile, whatever its points */
    double level;   /* seconds of a step of a time block besides its tiles */
    double lag;     /* tiles that a column lags behind its neighbour */
    double meet;    /* seconds, times the threads that share a tile, of the barrier after
                    * each of its operations */
    double uneven;  /* more of the time for each of them but one: the slowest counts */
    double read;    /* instructions to load a value */
    double streams; /* levels that a stage may touch, */
    double crowd;   /* and more of the time for each beyond: they share a cache's sets */
    double late;    /* times the memory's time where nothing is asked for ahead */
    double single;  /* times the arithmetic where rows do not share what they load */
    double alone;   /* times the threads: by how much one alone is slower than all */
    double share;   /* of a core's cache that tiles may fill */
} cpu_costs;
const cpu_costs *cpu_costs_of(void);
/* Instructions of a point and step of a fused launch: for each of its own, for each value
 * that it reads, and for each field that it updates. */
typedef struct gpu_fused_costs {
    double instruction, read, field;
} gpu_fused_costs;
typedef struct gpu_costs {
    double efficiency; /* of arithmetic, in single steps */
    /* Seconds until a thread has its next plane, though nothing else goes on: each; for
     * each level; for each instruction and value that it reads of 4 points, in two
     * dimensions and in three. Times these where threads copy planes to shared memory,
     * and where they exchange values. */
    double plane, level, flat_work, deep_work, copied, exchanged;
    int registers, shared_registers; /* of a thread besides planes; for each of its points
                                      * where planes are in shared memory */
    /* Of two and of three dimensions, in registers; where threads share a whole tile. */
    gpu_fused_costs flat, deep, shared;
    double moved;  /* times that where values move from register to register */
    int kept;      /* registers for planes that a thread has, */
    double spill;  /* and bytes that L2 moves for each byte beyond, each way */
    double again;  /* of values that no step updates, what L2 hands over in each step */
    double stream; /* more of the memory's time for each value that it moves */
    double share;  /* of L2 that levels of a grid may fill */
} gpu_costs;
const gpu_costs *gpu_costs_of(const gpu_facts *f);

/* Bytes of the host's memory that its driver takes; and whether data get there over a
 * link that can be timed. Not of processors, nor where they emulate a GPU. */
int64_t machine_driver_bytes(const machine_facts *m);
bool machine_has_link(const machine_facts *m);

machine_link machine_link_of(const machine_facts *m, bool pinned);
/* Planes that are moved within a window, read and written: one thread of a host does. */
double machine_moving_rate(const machine_facts *m);
/* Halos between two subdomains: seconds to begin with one of them, and bytes a second,
 * read and written. The messages of ranks that run are measured (ranks_measure). */
typedef enum halo_link {
    HALO_BY_PROCESSORS, /* within the host's memory */
    HALO_BY_GPU,        /* within a GPU's memory */
    HALO_BY_PEER,       /* from the memory of another GPU, which it reads */
    HALO_STAGED,        /* from a device through the host's memory */
    HALO_BY_MESSAGE,    /* of ranks on one NUMA node, on one machine, on several, */
    HALO_BETWEEN_NODES,
    HALO_BY_NETWORK,
    HALO_BY_NCCL /* and from GPU to GPU */
} halo_link;
typedef struct halo_cost {
    double begin, rate;
} halo_cost;
halo_cost halo_cost_of(halo_link link);
/* Bytes a second of a disk that nobody measured: each way, while both go on; and those
 * that one has at least, for what must be written in time. */
extern const double disk_assumed_rate, disk_least_rate;
/* What the model of visits out of core was fitted with. */
typedef struct outofcore_costs {
    double single, fused; /* times the memory's time that a step, a fused launch takes */
    double around;        /* planes that a step reads besides twice its radius */
    double operation;     /* seconds of a launch of a visit besides its bytes, ... */
    double plane; /* ... of each plane that a fused one reads around its own, ... */
    double move;  /* ... and of a move of planes within the window ... */
    double moved; /* ... whose bytes take so many times the memory's time */
} outofcore_costs;
const outofcore_costs *outofcore_costs_of(const machine_facts *m);

/* Bytes a second that no GPU's memory exceeds, and that every one reaches: a run that is
 * long, or short, by these is so on each. */
extern const double gpu_most_memory_rate, gpu_least_memory_rate;
/* 1e9 points a second that no machine updates: more was not measured. */
extern const double machine_most_gpts;
/* Seconds of a launch that is too short to be timed alone; bytes of the text of fused
 * launches that the compiler takes in a second. */
extern const double gpu_brief_launch, gpu_compiler_rate;

#endif
