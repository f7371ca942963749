/* SPDX-License-Identifier: BSD-3-Clause */
/* Messages about unsolvable equations, with their position in the description. */
#include <stdio.h>
#include <string.h>

#include "solve/solve_private.h"

void solve_fail(deriver *d, pav_status status, const char *format, ...)
{
    va_list list;
    text t = {0};

    va_start(list, format);
    text_add_list(&t, format, list);
    va_end(list);
    const char *why = arena_print(d->arena, "%s", t.data ? t.data : "");
    text_free(&t);
    arena_fail(d->arena, status, "%s:%d: %s", d->p->name, d->solve->at.line, why);
}

const char *solve_reason(const program *p, char *out, size_t size)
{
    const char *why = pav_message();
    const size_t name = strlen(p->name);

    if (strncmp(why, p->name, name) == 0 && why[name] == ':')
        why += name + strspn(why + name, ":0123456789 ");
    (void)snprintf(out, size, "%.*s", (int)strcspn(why, "\n"), why);
    return out;
}
