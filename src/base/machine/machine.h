/* SPDX-License-Identifier: BSD-3-Clause */
/* machine: abilities of hardware. This is the only folder with numbers of devices: limits
 * of architectures, facts from drivers or the system, and fitted constants of models.
 * Other folders ask here, so a new device is described in one place. */
#ifndef MACHINE_MACHINE_H
#define MACHINE_MACHINE_H

#include "base/base.h"

/* ---- GPUs -------------------------------------------------------------------------- */

/* Limits as macros, because messages quote them: threads of a block on every GPU; threads
 * of a multiprocessor and KiB of shared memory of a block on data-centre GPUs from sm_90
 * on. */
#define GPU_BLOCK_THREADS 1024
#define GPU_MOST_THREADS 2048
#define GPU_MOST_SHARED_KIB 227
#define GPU_OLDEST 75        /* sm_75: oldest supported architecture */
#define GPU_TENSOR_OLDEST 90 /* with a tensor memory accelerator */
/* The number of a limit, converted to a string literal. */
#define GPU_LIMIT_TEXT(limit) GPU_LIMIT_TEXT_(limit)
#define GPU_LIMIT_TEXT_(limit) #limit

/* Equal on every GPU of the CUDA programming model. */
enum {
    GPU_WARP = 32, /* threads */
    GPU_THREAD_REGISTERS = 255,
    GPU_SECTOR = 32,           /* bytes of the smallest memory transfer */
    GPU_LINE = 128,            /* bytes of a cache line */
    GPU_VECTOR = 16,           /* bytes of the widest load of a thread */
    GPU_BLOCK_RESERVED = 1024, /* shared memory of each block used by the system */
    /* default bytes of a block, without a request for more */
    GPU_BLOCK_SHARED = 48 << 10,
    GPU_CONSTANT = 64 << 10,   /* bytes of constants of a module */
    GPU_MOST_ARGUMENT = 4000,  /* bytes of a kernel's arguments; drivers take 4096 */
    GPU_BLOCK_Z = 64,          /* threads of a block along z */
    GPU_GRID_YZ = 65535,       /* blocks along y, and along z */
    GPU_REGISTER_THREADS = 128 /* threads in a unit of register allocation */
};

/* Estimated registers of a thread (at most GPU_THREAD_REGISTERS) beyond which a schedule
 * is not offered. With more, the compilers of CUDA 12 and 13 for sm_80 and sm_90 spilled
 * registers to memory. */
enum {
    GPU_LAUNCH_REGISTERS = 168,   /* in all, for a thread of a fused launch */
    GPU_VERSION_REGISTERS = 190,  /* most for versions of values, ... */
    GPU_VERSION_THREADS = 384,    /* ... in blocks with this many threads */
    GPU_FLAT_REGISTERS = 130,     /* the same for candidates in two dimensions, ... */
    GPU_SHORT_REGISTERS = 200,    /* ... and for candidates with two steps */
    GPU_SWEEP_REGISTERS = 200,    /* most for planes and loads of a sweep */
    GPU_NEIGHBOUR_REGISTERS = 96, /* most for neighbours kept in registers */
    /* sweep with shared memory, besides planes: in all, ... */
    GPU_BASE_REGISTERS = 48,
    GPU_COPY_REGISTERS = 16, /* ... of these for copies by threads, ... */
    GPU_SLOT_REGISTERS = 8,  /* ... for each level read, ... */
    GPU_PLANE_REGISTERS = 4  /* ... and for each vector of a plane */
};

/* Limits fixed by an architecture. */
typedef struct gpu_architecture {
    int number;                /* 90: sm_90 */
    int threads, registers;    /* of a multiprocessor */
    int schedulers;            /* warp instructions of a multiprocessor in a cycle */
    int shared_block;          /* most bytes of shared memory of a block, ... */
    int shared_multiprocessor; /* ... and of all blocks of a multiprocessor */
    bool tensor_copies;        /* it has the tensor memory accelerator */
    int f32, f64;              /* sums, products or fmas of a multiprocessor in a cycle */
} gpu_architecture;
/* The newest known architecture up to `number`; the oldest known one for older GPUs. */
const gpu_architecture *gpu_architecture_of(int number);
/* Limits of the tensor memory accelerator: words of a row and rows of a box; alignment in
 * bytes of addresses, strides and box rows. */
enum { GPU_TENSOR_BOX = 256, GPU_TENSOR_UNIT = 16 };
/* Most bytes of shared memory of a block, on every data-centre GPU from sm_80 on and on
 * the largest. */
int gpu_shared_everywhere(void);
int gpu_shared_most(void);

/* Facts about a GPU, from its driver. */
typedef struct gpu_facts {
    char name[128];
    int major, minor; /* sm_90 is 9, 0 */
    int multiprocessors;
    int shared_block, shared_multiprocessor; /* bytes of shared memory */
    int64_t memory, l2;                      /* bytes */
    double f32_rate, f64_rate; /* sums, products or fmas a second; 0: unknown */
    bool emulated;
    const char *no_tensors; /* why tensor copies are impossible; or NULL */
} gpu_facts;
const gpu_architecture *gpu_facts_architecture(const gpu_facts *f);
/* The GPU assumed for compilation without one: an H200. */
const gpu_facts *gpu_facts_default(void);
/* The smallest data-centre GPU with asynchronous copies: every newer one can run its
 * kernels. */
const gpu_facts *gpu_facts_smallest(void);
/* One GPU for each generation; kernels are compiled for all of them as a
 * check. */
enum { GPU_GENERATIONS = 4 };
extern const int gpu_generations[GPU_GENERATIONS];
/* Costs of a persistent kernel, in cycles of a multiprocessor and warp instructions. */
typedef struct gpu_persistent_costs {
    int exchange;  /* of a full exchange: signal neighbours, wait for them, and fetch */
    int vector;    /* to publish or fetch a vector of 4 points, `parallel` of them at
                    * once */
    int parallel;  /* vectors under way at once */
    int scattered; /* factor if each vector lies in a line of its own */
    int step;      /* until all threads have arrived, and their first loads */
    int tile;      /* warp instructions of a thread's tile besides arithmetic, ... */
    int row, shared_row; /* ... of each row; with shared neighbours */
    double in_place;     /* factor on arithmetic if results wait in registers */
} gpu_persistent_costs;
const gpu_persistent_costs *gpu_persistent_costs_of(const gpu_facts *f);

/* ---- processors -------------------------------------------------------------------- */

/* The part of a processor available to a program; 0 if the system does not tell. */
typedef struct cpu_facts {
    int threads;
    int64_t last_cache, core_cache; /* bytes: of the largest cache; of a core's own L2 */
    int vector;                     /* bytes of a vector register */
} cpu_facts;
int cpu_vector_bytes(void); /* of this processor */

/* A cache that time tiles aim at: the bytes a thread may use, and a rule of thumb for the
 * speedup over memory. */
typedef struct cpu_cache {
    int64_t bytes;
    double speedup;
} cpu_cache;
enum { CPU_TILE_CACHES = 3, CPU_ASSUMED_CACHES = 3 };
void cpu_tile_caches(const cpu_facts *f, cpu_cache cache[CPU_TILE_CACHES]);

/* Cache sizes if the system does not tell: no larger than on processors in use. */
extern const int64_t cpu_assumed_cache[CPU_ASSUMED_CACHES];
/* Cache sizes assumed by generated programs, which cannot ask the system: bytes of one
 * core, and of all caches. */
extern const int64_t cpu_generated_core_cache, cpu_generated_last_cache;

/* Points needed to occupy all multiprocessors of a GPU in one launch (NULL: of a large
 * GPU), or all threads of a processor. Smaller launches leave part of the machine
 * idle. */
int64_t gpu_full_points(const gpu_facts *f);
int64_t cpu_full_points(int threads);

enum {
    CPU_LINE = 64, /* bytes of a cache line */
    /* Below this, one thread is faster than waking a team. */
    CPU_PARALLEL_POINTS = 1 << 14,
    /* Prefetch distance: bytes that memory delivers during one latency. */
    CPU_PREFETCH_BYTES = 1 << 14
};

/* ---- rates for models -------------------------------------------------------------- */

/* Out of core, planes cross a link between the host and a device with memory of its own.
 * Bytes a second: during transfers alone, and in each direction while steps are computed.
 * pinned: the device copies by DMA. */
typedef struct machine_link {
    double alone, busy;
} machine_link;
/* Rates of a machine. `memory` counts bytes read and written; 0: unknown. */
typedef struct machine_rates {
    /* copy bandwidth beyond the caches, of the whole machine */
    double memory;
    double last_cache;         /* the same within the last cache; of a GPU: L2 */
    double core_cache;         /* the same within the cores' own L2; of a GPU: 0 */
    double cycles;             /* a second: of a multiprocessor, of a core */
    double f32, f64;           /* results a second of the whole machine */
    double launch;             /* seconds between two launches, or calls of a team */
    machine_link link, staged; /* between a GPU and its host, pinned and not */
    bool measured;             /* by `pavior doctor --measure` */
    char date[16];             /* of the measurement; "": unknown */
} machine_rates;

/* The machine of a program. */
typedef struct machine_facts {
    const gpu_facts *gpu; /* NULL: processors */
    cpu_facts cpu;
    machine_rates rate;
} machine_facts;
/* Facts with the rates of a similar measured machine, if this one has not been
 * measured. */
machine_facts machine_of_gpu(const gpu_facts *f);
machine_facts machine_of_cpu(const cpu_facts *f);
/* Copy bandwidth of the processors relative to their GPU's. */
double machine_with_gpu(const cpu_facts *f);
/* Facts with measured rates. A GPU's arithmetic rates follow from its clock. */
machine_facts machine_with_rates(const machine_facts *m, const machine_rates *measured);
/* Bytes of the last cache; seconds lost between two pieces of a step, such as two
 * launches. */
int64_t machine_last_cache(const machine_facts *m);
double machine_between_pieces(const machine_facts *m);
/* The shortest measurement, in seconds, that is not dominated by disturbances of this
 * machine. */
double machine_turn_seconds(const machine_facts *m);
/* The machine itself; for an emulated GPU, the default GPU. */
machine_facts machine_modelled(const machine_facts *m);

/* Constants of the models of schedules, fitted to rows of bench/results of 16 Xeon cores,
 * 2026-11-25, and of one H200, 2026-11-27; `meet` and `uneven` with 16 Xeon cores,
 * `read`, `streams` and `crowd` with one core of an EPYC, 2026-11-27
 * (docs/notes/cpu-time-tiles.md). */
typedef struct cpu_costs {
    double row;     /* seconds to call a kernel for a row */
    double tile;    /* seconds of an operation on a time tile, without its points */
    double level;   /* seconds of a step of a time block, without its tiles */
    double lag;     /* tiles between a column and its neighbour */
    double meet;    /* seconds of the barrier after each operation of a shared tile, for
                     * each thread */
    double uneven;  /* additional share of the time for each thread after the first */
    double read;    /* instructions to load a value */
    double streams; /* levels that a stage may touch without cost, ... */
    double crowd;   /* ... and additional share of the time for each further one: they
                     * share a cache's sets */
    double late;    /* factor on the memory's time without prefetch */
    double single;  /* factor on arithmetic if rows do not share their loads */
    double alone;   /* factor of one thread, relative to all threads */
    double share;   /* of a core's cache that tiles may fill */
} cpu_costs;
const cpu_costs *cpu_costs_of(void);
/* Time of a direct solution by transforms, in steps that `solve` expects of cycles, by
 * the dimension of the grid: in all, and for each pass of a line (transform_time_of),
 * added for all transformed axes. Fitted to one Xeon core, f64 and f32, 2026-12-01
 * (docs/solvers.md). `bytes`: room of a line in a GPU's shared memory. */
typedef struct transform_costs {
    double all[PAV_MAX_DIMENSIONS], pass[PAV_MAX_DIMENSIONS];
    int64_t bytes;
} transform_costs;
extern const transform_costs transform_cost;
/* Instructions of a point and step of a fused launch: for each instruction of the stage,
 * each value read, and each field updated. */
typedef struct gpu_fused_costs {
    double instruction, read, field;
} gpu_fused_costs;
typedef struct gpu_costs {
    double efficiency; /* of arithmetic, in single steps */
    /* Latency: seconds until a thread has its next plane on an idle GPU. In all; for each
     * level; for each instruction and value of 4 points, in two dimensions and in three.
     * Factors if threads copy planes to shared memory, and if they exchange values. */
    double plane, level, flat_work, deep_work, copied, exchanged;
    /* of a thread besides planes; for each of its points with planes in shared memory */
    int registers, shared_registers;
    /* Fused launches in two and three dimensions with register-resident planes; with
     * shared tiles. */
    gpu_fused_costs flat, deep, shared;
    double moved;  /* factor on arithmetic if values move between registers */
    int kept;      /* registers of a thread for planes, ... */
    double spill;  /* ... and bytes moved by L2 for each byte beyond, in each direction */
    double again;  /* share of fields without updates that L2 delivers in each step */
    double stream; /* additional share of the memory's time for each value */
    double share;  /* of L2 that levels of a grid may fill */
} gpu_costs;
const gpu_costs *gpu_costs_of(const gpu_facts *f);

/* Bytes of the host's memory used by the driver. machine_has_link: data cross a link
 * whose time can be measured; false for processors, also if they emulate a GPU. */
int64_t machine_driver_bytes(const machine_facts *m);
bool machine_has_link(const machine_facts *m);

machine_link machine_link_of(const machine_facts *m, bool pinned);
/* The rate of moving planes within a window, bytes read plus bytes written a second. On a
 * host one thread moves them. */
double machine_moving_rate(const machine_facts *m);
/* Halos between two subdomains: seconds to begin an exchange, and bytes a second, read
 * and written. Messages of real ranks are measured (ranks_measure). */
typedef enum halo_link {
    HALO_BY_PROCESSORS, /* within the host's memory */
    HALO_BY_GPU,        /* within a GPU's memory */
    HALO_BY_PEER,       /* read directly from the memory of another GPU */
    HALO_STAGED,        /* from a device through the host's memory */
    HALO_BY_MESSAGE,    /* ranks on one NUMA node, ... */
    HALO_BETWEEN_NODES,
    HALO_BY_NETWORK,
    HALO_BY_NCCL /* from GPU to GPU */
} halo_link;
typedef struct halo_cost {
    double begin, rate;
} halo_cost;
halo_cost halo_cost_of(halo_link link);
/* Rates of an unmeasured disk in bytes a second: in each direction at once; and a lower
 * bound, for data that must be written in time. */
extern const double disk_assumed_rate, disk_least_rate;
/* Fitted constants of the model of visits out of core. */
typedef struct outofcore_costs {
    /* a step, and a fused launch, take so many times the time of their memory traffic */
    double single, fused;
    double around;    /* planes read by a step besides twice its radius */
    double operation; /* seconds of a launch of a visit besides its bytes, ... */
    double plane;     /* ... of each plane read by a fused launch around its own, ... */
    double move;      /* ... of a move of planes within the window, ... */
    double moved;     /* ... and factor on the memory's time for the moved bytes */
} outofcore_costs;
const outofcore_costs *outofcore_costs_of(const machine_facts *m);

/* The memory rate of every GPU lies between these bounds, in bytes a second. So a run
 * that is long at the highest rate, or short at the lowest one, is so on every GPU. */
extern const double gpu_most_memory_rate, gpu_least_memory_rate;
/* Upper bound of the update rate of any machine, in 1e9 points a second. */
extern const double machine_most_gpts;
/* Seconds of a launch too short to be timed alone; bytes of source a second that the
 * compiler takes for fused launches. */
extern const double gpu_brief_launch, gpu_compiler_rate;

#endif
