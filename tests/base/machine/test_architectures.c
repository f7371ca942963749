/* SPDX-License-Identifier: BSD-3-Clause */
/* Facts about GPUs, looked up by their architecture. */
#include "machine/machine.h"
#include "test.h"

TEST(an_architecture_between_two_known_ones_is_as_the_older)
{
    CHECK_EQ(gpu_architecture_of(103)->number, 100);
    CHECK_EQ(gpu_architecture_of(70)->number, 75);
    CHECK_EQ(gpu_architecture_of(999)->number, 120);
}

TEST(no_block_has_more_shared_memory_than_its_multiprocessor)
{
    for (int number = 80; number <= 120; number++) {
        const gpu_architecture *a = gpu_architecture_of(number);
        CHECK(a->shared_block + GPU_BLOCK_RESERVED <= a->shared_multiprocessor);
        CHECK(a->shared_block <= gpu_shared_most());
        CHECK(a->threads % GPU_BLOCK_THREADS == 0 || a->threads == 1536);
    }
}

TEST(the_gpu_that_stands_for_others_is_as_its_architecture)
{
    const gpu_facts *f = gpu_facts_default();
    CHECK_EQ(f->shared_block, gpu_facts_architecture(f)->shared_block);
    CHECK_EQ(gpu_facts_architecture(gpu_facts_smallest())->number, 80);
}
