/* SPDX-License-Identifier: BSD-3-Clause */
/* Precompiled kernels outside the cache. The kernels loaded by a run can be recorded and
 * later offered to all runs of a process; these runs need no compiler. The key is a hash
 * of source and target. */
#include <string.h>

#include "device/device_private.h"

static pthread_mutex_t lists = PTHREAD_MUTEX_INITIALIZER;
static kernel_images *recorder;      /* NULL: not recording */
static const kernel_images *offered; /* linked by `next` */

/* ---- recording --------------------------------------------------------------------- */

void images_record(kernel_images *to)
{
    (void)pthread_mutex_lock(&lists);
    recorder = to;
    (void)pthread_mutex_unlock(&lists);
}

static bool has(const kernel_images *all, const char *key)
{
    for (int64_t n = 0; n < all->count; n++)
        if (strcmp(all->image[n].key, key) == 0)
            return true;
    return false;
}

pav_status images_add(kernel_images *all, const kernel_image *image)
{
    const int64_t most = all->count < all->capacity ? all->capacity
                                                    : 2 * all->capacity + 4;
    kernel_image *room = most == all->capacity ? all->image
                                               : mem_grow(all->image, most, sizeof *room);
    if (!room)
        return PAV_ENOMEM;
    all->image = room;
    all->capacity = most;
    all->image[all->count++] = *image;
    return PAV_OK;
}

/* Adds an image to the recording; an image already there is dropped. */
static pav_status put(kernel_image *i)
{
    if (!has(recorder, i->key))
        return images_add(recorder, i);
    mem_free(i->bytes);
    return PAV_OK;
}

bool images_are_recorded(void)
{
    (void)pthread_mutex_lock(&lists);
    const bool any = recorder != NULL;
    (void)pthread_mutex_unlock(&lists);
    return any;
}

void images_put(pav_status status, kernel_image *i)
{
    (void)pthread_mutex_lock(&lists);
    if (recorder && status == PAV_OK)
        status = put(i);
    else
        mem_free(i->bytes);
    if (recorder && recorder->failed == PAV_OK)
        recorder->failed = status;
    (void)pthread_mutex_unlock(&lists);
}

/* ---- offering ---------------------------------------------------------------------- */

void images_offer(kernel_images *all)
{
    (void)pthread_mutex_lock(&lists);
    all->next = offered;
    offered = all;
    (void)pthread_mutex_unlock(&lists);
}

void images_withdraw(const kernel_images *all)
{
    (void)pthread_mutex_lock(&lists);
    const kernel_images **at = &offered;
    while (*at && *at != all)
        at = (const kernel_images **)(uintptr_t) & (*at)->next;
    if (*at)
        *at = all->next;
    (void)pthread_mutex_unlock(&lists);
}

bool images_are_offered(void)
{
    (void)pthread_mutex_lock(&lists);
    const bool any = offered != NULL;
    (void)pthread_mutex_unlock(&lists);
    return any;
}

/* The result stays valid until its list is withdrawn. */
const kernel_image *images_find(const char *key, const char *kind)
{
    const kernel_image *found = NULL;
    (void)pthread_mutex_lock(&lists);
    for (const kernel_images *all = offered; all && !found; all = all->next)
        for (int64_t n = 0; n < all->count && !found; n++)
            if ((!key || strcmp(all->image[n].key, key) == 0) &&
                strcmp(all->image[n].kind, kind) == 0)
                found = &all->image[n];
    (void)pthread_mutex_unlock(&lists);
    return found;
}

const char *images_target(const char *kind)
{
    const kernel_image *any = images_find(NULL, kind);
    return any ? any->target : NULL;
}

void images_free(kernel_images *all)
{
    for (int64_t n = 0; n < all->count; n++)
        mem_free(all->image[n].bytes);
    mem_free(all->image);
    *all = (kernel_images){0};
}
