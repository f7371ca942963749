/* SPDX-License-Identifier: BSD-3-Clause */
/* Rates by which models turn bytes and instructions into seconds. */
#include "machine/machine.h"

const double gpu_most_memory_rate = 4e12, gpu_least_memory_rate = 2e11;
const double gpu_brief_launch = 50e-6;

/* Of an H100 (docs/out-of-core.md). Its clock where no driver says one. */
static const machine_rates h100 = {.memory = 2.4e12, .cycles = 1.755e9, .launch = 6e-6};
/* Of one process on a host with memory of its own, be it small: a bound from below. */
static const machine_rates host = {.memory = 20e9, .launch = 1e-6};

/* All lanes of all multiprocessors have a result in each cycle. */
machine_facts machine_of_gpu(const gpu_facts *f)
{
    machine_facts m = {.gpu = f, .rate = h100};
    const double lanes = (double)f->multiprocessors *
                         gpu_facts_architecture(f)->schedulers * GPU_WARP;

    m.rate.f32 = f->f32_rate;
    m.rate.f64 = f->f64_rate;
    if (f->f32_rate > 0)
        m.rate.cycles = f->f32_rate / lanes;
    return m;
}

machine_facts machine_of_cpu(const cpu_facts *f)
{
    return (machine_facts){.cpu = *f, .rate = host};
}

/* The same H100, on PCIe 5, where pinned buffers beside kernels are slow without. */
machine_link machine_link_of(const machine_facts *m, bool pinned)
{
    if (!m->gpu)
        return (machine_link){10e9, 10e9};
    return (machine_link){40e9, pinned ? 40e9 : 6.5e9};
}
