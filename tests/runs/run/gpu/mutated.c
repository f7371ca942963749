/* SPDX-License-Identifier: BSD-3-Clause */
#include "mutated.h"

#include <stdio.h>
#include <string.h>

void add_mutated(const text *source, const mutation *m, text *t)
{
    const char *at = strstr(source->data, m->from);

    if (!at)
        printf("  the text has no %s\n", m->from);
    REQUIRE(at);
    text_add_bytes(t, source->data, at - source->data);
    text_add(t, "%s%s", m->to, at + strlen(m->from));
}

bool mutated_gpu(void)
{
    gpu *g = NULL;
    const bool there = site_gpu(&g);

    if (there)
        gpu_close(g);
    return there;
}

void check_mutated(mutation_survives *survives, const char *program_text,
                   const schedule *requested, const mutation *all, size_t count)
{
    static const mutation none = {"\n", "\n"};

    CHECK(survives(program_text, requested, &none));
    for (size_t n = 0; n < count; n++) {
        const bool is_seen = !survives(program_text, requested, &all[n]);
        CHECK(is_seen);
        if (!is_seen)
            printf("  nothing tells '%s' from '%s'\n", all[n].to, all[n].from);
    }
}
