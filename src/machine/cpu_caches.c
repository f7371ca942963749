/* SPDX-License-Identifier: BSD-3-Clause */
/* Caches of processors, and target caches of time tiles. */
#include "machine/machine.h"

const int64_t cpu_assumed_cache[CPU_ASSUMED_CACHES] = {32 << 10, 1 << 20, 16 << 20};
const int64_t cpu_generated_core_cache = 1 << 20, cpu_generated_last_cache = 32 << 20;

/* Targets: half of a core's own cache; twice this cache, mostly served by the last level;
 * half of the thread's share of the last level. */
void cpu_tile_caches(const cpu_facts *f, cpu_cache cache[CPU_TILE_CACHES])
{
    cache[0] = (cpu_cache){f->core_cache / 2, 16};
    cache[1] = (cpu_cache){2 * f->core_cache, 8};
    cache[2] = (cpu_cache){f->last_cache / (2 * f->threads), 4};
}
