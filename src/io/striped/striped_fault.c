/* SPDX-License-Identifier: BSD-3-Clause */
/* Simulated disk failures, for tests of messages and recovery. */
#include <signal.h>
#include <stdlib.h>
#include <string.h>

#include "io/striped/striped_private.h"

static const char *const names[] = {
    [FAULT_READ] = "read:",     [FAULT_WRITE] = "write:", [FAULT_FULL] = "full:",
    [FAULT_TURNED] = "turned:", [FAULT_SEEN] = "seen:",   [FAULT_KILL] = "kill:"};

void fault_find(striped *s)
{
    const char *value = getenv("PAV_DISK_FAULT");
    for (size_t k = FAULT_READ; value && k < COUNT_OF(names); k++)
        if (strncmp(value, names[k], strlen(names[k])) == 0) {
            s->fault = (fault_kind)k;
            atomic_store(&s->until, strtoll(value + strlen(names[k]), NULL, 10));
        }
}

static bool counts(fault_kind fault, bool write)
{
    return fault == FAULT_KILL ||
           (fault != FAULT_SEEN &&
            write == (fault == FAULT_WRITE || fault == FAULT_FULL));
}

fault_kind fault_next(striped *s, bool write)
{
    if (s->fault == FAULT_NONE || !counts(s->fault, write) ||
        atomic_fetch_sub(&s->until, 1) != 1)
        return FAULT_NONE;
    if (s->fault == FAULT_KILL)
        (void)raise(SIGKILL);
    return s->fault;
}

bool fault_is_seen(striped *s)
{
    return s->fault == FAULT_SEEN && atomic_fetch_sub(&s->until, 1) == 1;
}

void striped_moment(const char *where)
{
    static _Atomic int64_t times;
    const char *value = getenv("PAV_DISK_FAULT");
    const size_t length = strlen(where);
    if (value && strncmp(value, where, length) == 0 && value[length] == ':' &&
        strtoll(value + length + 1, NULL, 10) == atomic_fetch_add(&times, 1) + 1)
        (void)raise(SIGKILL);
}
