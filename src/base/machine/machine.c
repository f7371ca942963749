/* SPDX-License-Identifier: BSD-3-Clause */
/* Abilities of hardware: limits of GPU architectures (CUDA C++ Programming Guide,
 * "Compute Capabilities" and "Throughput of Native Arithmetic Instructions"), the GPUs
 * assumed for compilation without one, caches, and rates and fitted costs to convert
 * bytes and instructions into seconds in models. */
#include <string.h>

#include "machine/machine.h"

/* ---- GPU architectures ------------------------------------------------------------- */

enum { KIB = 1024, MIB = 1024 * KIB, REGISTERS = 64 * KIB, SCHEDULERS = 4 };

/* Ascending. */
static const gpu_architecture architectures[] = {
    {GPU_OLDEST, 1024, REGISTERS, SCHEDULERS, 64 * KIB, 64 * KIB, false, 64, 2},
    {80, 2048, REGISTERS, SCHEDULERS, 163 * KIB, 164 * KIB, false, 64, 32},
    {86, 1536, REGISTERS, SCHEDULERS, 99 * KIB, 100 * KIB, false, 128, 2},
    {87, 1536, REGISTERS, SCHEDULERS, 163 * KIB, 164 * KIB, false, 128, 2},
    {89, 1536, REGISTERS, SCHEDULERS, 99 * KIB, 100 * KIB, false, 128, 2},
    {GPU_TENSOR_OLDEST, GPU_MOST_THREADS, REGISTERS, SCHEDULERS, GPU_MOST_SHARED_KIB *KIB,
     228 * KIB, true, 128, 64},
    {100, GPU_MOST_THREADS, REGISTERS, SCHEDULERS, GPU_MOST_SHARED_KIB *KIB, 228 * KIB,
     true, 128, 64},
    {120, 1536, REGISTERS, SCHEDULERS, 99 * KIB, 100 * KIB, true, 128, 2},
};

const int gpu_generations[GPU_GENERATIONS] = {GPU_OLDEST, 80, GPU_TENSOR_OLDEST, 100};

const gpu_architecture *gpu_architecture_of(int number)
{
    size_t k = COUNT_OF(architectures) - 1;

    while (k > 0 && architectures[k].number > number)
        k--;
    return &architectures[k];
}

/* Default schedules are chosen for these GPUs. A smaller one takes another candidate. */
int gpu_shared_everywhere(void)
{
    return gpu_facts_smallest()->shared_block;
}

int gpu_shared_most(void)
{
    return gpu_architecture_of(GPU_TENSOR_OLDEST)->shared_block;
}

const gpu_architecture *gpu_facts_architecture(const gpu_facts *f)
{
    return gpu_architecture_of(10 * f->major + f->minor);
}

const gpu_facts *gpu_facts_default(void)
{
    static const gpu_facts h200 = {.name = "NVIDIA H200",
                                   .major = 9,
                                   .multiprocessors = 132,
                                   .shared_block = GPU_MOST_SHARED_KIB * KIB,
                                   .shared_multiprocessor = 228 * KIB,
                                   .l2 = 60 * MIB};

    return &h200;
}

const gpu_facts *gpu_facts_smallest(void)
{
    static const gpu_facts a100 = {.name = "NVIDIA A100",
                                   .major = 8,
                                   .multiprocessors = 108,
                                   .shared_block = 163 * KIB,
                                   .shared_multiprocessor = 164 * KIB,
                                   .l2 = 40 * MIB};

    return &a100;
}

/* ---- costs of GPU kernels ---------------------------------------------------------- */

/* Fitted to rows of `pavior bench` of 5 points at 1024^2 (f32, one H200, 2026-11-23).
 * Other GPUs use these costs until they have a fit of their own. */
const gpu_persistent_costs *gpu_persistent_costs_of(const gpu_facts *f)
{
    static const gpu_persistent_costs h200 = {.exchange = 2200,
                                              .vector = 5,
                                              .parallel = 8,
                                              .scattered = 4,
                                              .step = 220,
                                              .tile = 45,
                                              .row = 4,
                                              .shared_row = 12,
                                              .in_place = 1.35};

    (void)f;
    return &h200;
}

int64_t gpu_full_points(const gpu_facts *f)
{
    enum { POINTS_EACH = 16 };

    return (int64_t)POINTS_EACH * GPU_MOST_THREADS *
           (f ? f : gpu_facts_default())->multiprocessors;
}

int64_t cpu_full_points(int threads)
{
    return (int64_t)CPU_PARALLEL_POINTS * threads;
}

/* ---- caches of processors ---------------------------------------------------------- */

const int64_t cpu_assumed_cache[CPU_ASSUMED_CACHES] = {32 << 10, 1 << 20, 16 << 20};
const int64_t cpu_generated_core_cache = 1 << 20, cpu_generated_last_cache = 32 << 20;

/* The cache sizes aimed at by time tiles, with their speedup over memory: half of a
 * core's own cache; twice this cache, so the last level serves most of it; half of the
 * thread's share of the last level. */
void cpu_tile_caches(const cpu_facts *f, cpu_cache cache[CPU_TILE_CACHES])
{
    cache[0] = (cpu_cache){f->core_cache / 2, 16};
    cache[1] = (cpu_cache){2 * f->core_cache, 8};
    cache[2] = (cpu_cache){f->last_cache / (2 * f->threads), 4};
}

/* ---- rates ------------------------------------------------------------------------- */

const double gpu_most_memory_rate = 4e12, gpu_least_memory_rate = 2e11;
const double gpu_brief_launch = 50e-6;
/* Source bytes a second, from NVRTC 13.0 on one core of an EPYC, sm_90 (2026-11-27):
 * heat3d/f32, 33 kB for launches of four steps, took 1.2 s, and 0.8 s for two;
 * grayscott3d/f32, 36 kB, took 1.8 s; wave3d/f32, 16 kB, took 0.4 s. */
const double gpu_compiler_rate = 20e3;
const double machine_most_gpts = 1e5; /* upper bound for any machine */

/* ---- GPUs -------------------------------------------------------------------------- */

/* Rates found by the first letters of a GPU's name. Other GPUs get rates by their number
 * of multiprocessors. */
static const struct {
    const char *name;
    double memory, cache;
} known_gpus[] = {
    {"NVIDIA H200", 4.26e12, 5.6e12},
    {"NVIDIA H100", 3.0e12, 5.5e12},
    {"NVIDIA A100", 1.6e12, 4.0e12},
};

/* Without a clock from the driver, the clock of an H100. launch: within a graph. */
static machine_rates rates_of_gpu(const gpu_facts *f)
{
    static const double memory_of_each = 16e9, cache_of_each = 36e9;
    machine_rates r = {.memory = memory_of_each * f->multiprocessors,
                       .last_cache = cache_of_each * f->multiprocessors,
                       .cycles = 1.755e9,
                       .f32 = f->f32_rate,
                       .f64 = f->f64_rate,
                       .launch = 2.1e-6};
    for (size_t n = 0; n < COUNT_OF(known_gpus); n++)
        if (strncmp(f->name, known_gpus[n].name, strlen(known_gpus[n].name)) == 0) {
            r.memory = known_gpus[n].memory;
            r.last_cache = known_gpus[n].cache;
        }
    return r;
}

machine_facts machine_of_gpu(const gpu_facts *f)
{
    const gpu_architecture *a = gpu_facts_architecture(f);
    machine_facts m = {.gpu = f, .rate = rates_of_gpu(f)};

    if (f->f32_rate > 0)
        m.rate.cycles = f->f32_rate / ((double)f->multiprocessors * a->f32);
    return m;
}

machine_facts machine_with_rates(const machine_facts *m, const machine_rates *measured)
{
    machine_facts with = *m;
    if (!measured->measured)
        return with;
    with.rate = *measured;
    if (m->gpu) {
        with.rate.core_cache = m->rate.core_cache;
        with.rate.cycles = m->rate.cycles;
        with.rate.f32 = m->rate.f32;
        with.rate.f64 = m->rate.f64;
    }
    return with;
}

int64_t machine_last_cache(const machine_facts *m)
{
    return m->gpu ? m->gpu->l2 : m->cpu.last_cache;
}

double machine_between_pieces(const machine_facts *m)
{
    return m->gpu ? m->rate.launch : cpu_costs_of()->level;
}

/* How long a measurement must last. A processor is shared: other programs may take tens
 * of milliseconds from it. A GPU runs one program at a time, and its end is noticed
 * within microseconds. Rates of an emulated GPU mean nothing, so tests need not wait for
 * them. */
double machine_turn_seconds(const machine_facts *m)
{
    return !m->gpu ? 0.1 : m->gpu->emulated ? 0.002 : 0.05;
}

bool machine_has_link(const machine_facts *m)
{
    return m->gpu && !m->gpu->emulated;
}

/* Its context, and NVRTC: 205 to 265 MiB on an H200 by CUDA 13, more for long kernels. */
int64_t machine_driver_bytes(const machine_facts *m)
{
    return machine_has_link(m) ? 240 << 20 : 0;
}

machine_facts machine_modelled(const machine_facts *m)
{
    return m->gpu && m->gpu->emulated ? machine_of_gpu(gpu_facts_default()) : *m;
}

const gpu_costs *gpu_costs_of(const gpu_facts *f)
{
    static const gpu_costs h200 = {.efficiency = 0.6,
                                   .plane = 0.19e-6,
                                   .level = 0.074e-6,
                                   .flat_work = 0.014e-6,
                                   .deep_work = 0.0043e-6,
                                   .copied = 1.3,
                                   .exchanged = 1.26,
                                   .registers = 24,
                                   .shared_registers = 7,
                                   .flat = {0.9, 0.45, 0.1},
                                   .deep = {0.9, 0.06, 12},
                                   .moved = 1.85,
                                   .kept = 200,
                                   .spill = 3.2,
                                   .again = 0.6,
                                   .shared = {2.5, 35, 0},
                                   .stream = 0.003,
                                   .share = 0.7};
    (void)f;
    return &h200;
}

/* ---- processors -------------------------------------------------------------------- */

int cpu_vector_bytes(void)
{
    enum { USUAL = 32, WIDE = 64 };
#if defined __x86_64__
    return __builtin_cpu_supports("avx512f") ? WIDE : USUAL;
#else
    return USUAL;
#endif
}

/* Results of f32 in a cycle of a core with two vector units. */
static double cpu_lanes(const cpu_facts *f)
{
    enum { UNITS = 2, USUAL = 32, WORD = 4 };
    const int bytes = f->vector > 0 ? f->vector : USUAL;
    return UNITS * (double)bytes / WORD;
}

/* Assumed rates of server cores at 3 GHz; all cores share the memory. */
machine_facts machine_of_cpu(const cpu_facts *f)
{
    static const double core_memory = 15e9, memory = 125e9, clock = 3e9;
    const double n = f->threads > 0 ? f->threads : 1, all = n * core_memory;
    const double results = n * clock * cpu_lanes(f);
    const machine_rates r = {.memory = all < memory ? all : memory,
                             .last_cache = n * 20e9,
                             .core_cache = n * 70e9,
                             .cycles = clock,
                             .f32 = results,
                             .f64 = results / 2,
                             .launch = f->threads > 1 ? 5e-6 : 0};
    return (machine_facts){.cpu = *f, .rate = r};
}

double machine_with_gpu(const cpu_facts *f)
{
    return machine_of_cpu(f).rate.memory /
           machine_of_gpu(gpu_facts_default()).rate.memory;
}

const cpu_costs *cpu_costs_of(void)
{
    static const cpu_costs xeon = {.row = 12e-9,
                                   .tile = 0.6e-6,
                                   .level = 4e-6,
                                   .alone = 0.4,
                                   .lag = 3,
                                   .meet = 1.1e-6,
                                   .uneven = 0.2,
                                   .read = 2.7,
                                   .streams = 18,
                                   .crowd = 0.05,
                                   .late = 1.05,
                                   .single = 1.05,
                                   .share = 0.75};
    return &xeon;
}

const transform_costs transform_cost = {
    .all = {2.5, 3.2, 0.7}, .pass = {0.2, 0.21, 0.145}, .bytes = 96 << 10};

/* ---- links and disks --------------------------------------------------------------- */

const double disk_assumed_rate = 1e9, disk_least_rate = 1e8;

/* Measured on an H100 on PCIe 5 with 16 processors of its host (2026-11-25,
 * docs/out-of-core.md): 512x512x1024 points in single steps, 1024^3 points in launches of
 * four steps, f32, with device memory for a quarter of the points. On a host without a
 * GPU, planes are moved by the threads that also compute, so the link has one assumed
 * rate. */
machine_link machine_link_of(const machine_facts *m, bool pinned)
{
    const machine_link measured = pinned ? m->rate.link : m->rate.staged;
    if (!m->gpu)
        return (machine_link){10e9, 10e9};
    return measured.alone > 0 && measured.busy > 0
               ? measured
               : (machine_link){40e9, pinned ? 27e9 : 6.5e9};
}

double machine_moving_rate(const machine_facts *m)
{
    return m->gpu ? m->rate.memory : 2 * machine_link_of(m, false).alone;
}

/* Measured by reports of runs on an EPYC (Zen 3) and on H100s with NVLink, in exchanges
 * of 16^3 to 512^3 points (2026-11-25). NCCL took 67 us for 1 MiB in each direction;
 * ranks on two cores of the EPYC took 1.5 us for 2 KiB and 9 us for 32 KiB, with copying
 * (2026-11-27). Rates between NUMA nodes and machines are assumptions: two thirds of a
 * node's rate, and a quarter of a network of 100 Gbit/s shared by ranks. */
halo_cost halo_cost_of(halo_link link)
{
    static const halo_cost cost[] = {
        [HALO_BY_PROCESSORS] = {5e-7, 8e9}, [HALO_BY_GPU] = {4e-6, 1.2e11},
        [HALO_BY_PEER] = {4e-6, 1.2e11},    [HALO_STAGED] = {25e-6, 1.2e10},
        [HALO_BY_MESSAGE] = {6e-7, 7e9},    [HALO_BETWEEN_NODES] = {1e-6, 5e9},
        [HALO_BY_NETWORK] = {2e-6, 3e9},    [HALO_BY_NCCL] = {58e-6, 1.2e11}};
    return cost[link];
}

const outofcore_costs *outofcore_costs_of(const machine_facts *m)
{
    static const outofcore_costs h100 = {.single = 1.2,
                                         .around = 4,
                                         .fused = 1.3,
                                         .operation = 8e-6,
                                         .plane = 2.5e-6,
                                         .move = 4e-6,
                                         .moved = 1.75};
    static const outofcore_costs host = {
        .single = 1, .fused = 1, .operation = 1e-6, .moved = 1};
    return m->gpu ? &h100 : &host;
}
