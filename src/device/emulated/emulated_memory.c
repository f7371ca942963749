/* SPDX-License-Identifier: BSD-3-Clause */
/* Memory of an emulated GPU: between inaccessible pages, and full of NaN before it is
 * written. Its end is less than 256 bytes before such a page. A change to the poison in
 * between reveals a write beyond the end. */
#define _GNU_SOURCE
#include <errno.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "device/emulated/emulated_private.h"

enum { FENCE = 1 << 20, ALIGNMENT = 256 };

/* The accessible part of the map. */
static char *inside(const fenced *f)
{
    return f->map + FENCE;
}

static char *inside_end(const fenced *f)
{
    return f->map + f->mapped - FENCE;
}

fenced *fenced_new(int64_t bytes)
{
    fenced *f = mem_new(1, sizeof *f);
    const int64_t owned = int_rounded(bytes, sysconf(_SC_PAGESIZE));

    if (!f)
        return NULL;
    f->bytes = bytes;
    f->mapped = owned + 2 * (int64_t)FENCE;
    f->map = mmap(NULL, (size_t)f->mapped, PROT_NONE,
                  MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    if (f->map == MAP_FAILED) {
        mem_free(f);
        return NULL;
    }
    if (mprotect(inside(f), (size_t)owned, PROT_READ | PROT_WRITE) != 0) {
        fenced_free(f);
        return NULL;
    }
    f->start = inside_end(f) - int_rounded(bytes, ALIGNMENT);
    memset(inside(f), EMULATED_POISON, (size_t)owned);
    return f;
}

void fenced_free(fenced *f)
{
    if (f)
        (void)munmap(f->map, (size_t)f->mapped);
    mem_free(f);
}

pav_status fenced_hide(const fenced *f, bool hidden)
{
    const int allowed = hidden ? PROT_NONE : PROT_READ | PROT_WRITE;

    if (mprotect(inside(f), (size_t)(inside_end(f) - inside(f)), allowed) == 0)
        return PAV_OK;
    return FAIL(PAV_ENOMEM, "the system cannot %s %lld bytes of an emulated GPU: %s",
                hidden ? "hide" : "show", (long long)f->bytes, strerror(errno));
}

pav_status fenced_hide_all(const fenced *list, bool hidden)
{
    for (const fenced *f = list; f; f = f->next)
        TRY(fenced_hide(f, hidden));
    return PAV_OK;
}

bool poison_is_kept(const char *from, const char *end)
{
    for (; from < end; from++)
        if ((unsigned char)*from != EMULATED_POISON)
            return false;
    return true;
}

bool fenced_is_whole(const fenced *f)
{
    const char *near = f->start - inside(f) > 4096 ? f->start - 4096 : inside(f);

    return poison_is_kept(near, f->start) &&
           poison_is_kept(f->start + f->bytes, inside_end(f));
}

const fenced *fenced_find(const fenced *list, const void *at, int64_t bytes)
{
    for (const char *from = at; list; list = list->next)
        if (from >= list->start && from <= list->start + list->bytes &&
            bytes <= list->start + list->bytes - from)
            return list;
    return NULL;
}
