/* SPDX-License-Identifier: BSD-3-Clause */
/* `chaotic n by m`: its meaning and its mistakes. */
#include "parse_helper.h"

#define BODY "grid x 8\nfield u\nu' = u\n"

TEST(a_chaotic_step_has_its_steps_and_its_blocks)
{
    program *p = parse_good(BODY "chaotic 2*3 by 4\n");
    CHECK_EQ(p->chaotic, 6);
    CHECK_EQ(p->chaotic_block, 4);
    program_free(p);
    CHECK_STR(canonical(BODY "chaotic 7 by 64"), BODY "chaotic 7 by 64\n");
}

TEST(a_chaotic_step_that_is_mistaken_is_reported)
{
    CHECK(mistaken(BODY "chaotic 7", "'by'"));
    CHECK(mistaken(BODY "chaotic 1 by 4", "the steps that blocks do not wait"));
    CHECK(mistaken(BODY "chaotic 7 by 0", "the points of a block"));
    CHECK(mistaken(BODY "chaotic 7 by 4; chaotic 3 by 4", "'chaotic' stands twice"));
    CHECK(mistaken(BODY "chaotik 7 by 4", "did you mean 'chaotic'?"));
}
