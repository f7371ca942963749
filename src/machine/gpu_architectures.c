/* SPDX-License-Identifier: BSD-3-Clause */
/* GPUs by architecture (CUDA C++ Programming Guide, "Compute Capabilities" and
 * "Throughput of Native Arithmetic Instructions"), and the GPUs assumed for compilation
 * without one. */
#include "machine/machine.h"

enum { KIB = 1024, MIB = 1024 * KIB, REGISTERS = 64 * KIB, SCHEDULERS = 4 };

/* Ascending. */
static const gpu_architecture known[] = {
    {GPU_OLDEST, 2048, REGISTERS, SCHEDULERS, 163 * KIB, 164 * KIB, false, 64, 32},
    {86, 1536, REGISTERS, SCHEDULERS, 99 * KIB, 100 * KIB, false, 128, 2},
    {87, 1536, REGISTERS, SCHEDULERS, 163 * KIB, 164 * KIB, false, 128, 2},
    {89, 1536, REGISTERS, SCHEDULERS, 99 * KIB, 100 * KIB, false, 128, 2},
    {GPU_TENSOR_OLDEST, GPU_MOST_THREADS, REGISTERS, SCHEDULERS, GPU_MOST_SHARED_KIB *KIB,
     228 * KIB, true, 128, 64},
    {100, GPU_MOST_THREADS, REGISTERS, SCHEDULERS, GPU_MOST_SHARED_KIB *KIB, 228 * KIB,
     true, 128, 64},
    {120, 1536, REGISTERS, SCHEDULERS, 99 * KIB, 100 * KIB, true, 128, 2},
};

const int gpu_generations[GPU_GENERATIONS] = {GPU_OLDEST, GPU_TENSOR_OLDEST, 100};

const gpu_architecture *gpu_architecture_of(int number)
{
    size_t k = COUNT_OF(known) - 1;

    while (k > 0 && known[k].number > number)
        k--;
    return &known[k];
}

/* Of data-centre GPUs: kernels are compiled ahead for them. */
int gpu_shared_everywhere(void)
{
    return gpu_architecture_of(GPU_OLDEST)->shared_block;
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
