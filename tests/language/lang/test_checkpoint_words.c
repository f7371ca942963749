/* SPDX-License-Identifier: BSD-3-Clause */
/* `checkpoint every k into "file"`: its meaning and its mistakes. */
#include "parse_helper.h"

#define BODY "grid x 8\nfield u\nu' = u\n"

TEST(a_checkpoint_has_its_steps_and_perhaps_a_file)
{
    program *p = parse_good(BODY "checkpoint every 2*5 into \"mine\"\n");
    const statement *s = statement_find(p, STATEMENT_CHECKPOINT);
    CHECK_EQ(s->every_steps, 10);
    CHECK_STR(s->file, "mine");
    program_free(p);
    CHECK_STR(canonical(BODY "checkpoint into \"c\" every 5"),
              BODY "checkpoint every 5 into \"c\"\n");
    CHECK_STR(canonical(BODY "checkpoint every 5"), BODY "checkpoint every 5\n");
}

TEST(a_checkpoint_that_is_mistaken_is_reported)
{
    CHECK(mistaken(BODY "checkpoint", "how often?"));
    CHECK(mistaken(BODY "checkpoint every 0", "the number of steps after 'every'"));
    CHECK(mistaken(BODY "checkpoint every 1; checkpoint every 2", "in line 4 already"));
    CHECK(mistaken(BODY "checkpoint every 5 u", "'u' is not expected here"));
    CHECK(mistaken(BODY "chekpoint every 5", "did you mean 'checkpoint'?"));
}

TEST(a_checkpoint_and_another_file_have_different_names)
{
    CHECK(mistaken(BODY "output u into \"a.npy\"; checkpoint every 5 into \"a.npy\"",
                   "this checkpoint writes \"a.npy\", and so does the output in line 4"));
}
