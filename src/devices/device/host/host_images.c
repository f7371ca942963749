/* SPDX-License-Identifier: BSD-3-Clause */
/* Precompiled kernels outside the cache. The kernels loaded by a run can be recorded and
 * later offered to all runs of a process; these runs need no compiler. The key is a hash
 * of source and target. */
#include <stdio.h>
#include <string.h>

#include "device/device_private.h"

static pthread_mutex_t lists = PTHREAD_MUTEX_INITIALIZER;
static kernel_images *recorder;      /* NULL: not recording */
static const kernel_images *offered; /* linked by `next` */

/* ---- recording --------------------------------------------------------------------- */

void images_record(kernel_images *to)
{
    LOCKED(&lists);
    recorder = to;
}

pav_status images_add(kernel_images *all, const kernel_image *image)
{
    TRY(mem_reserve(&all->image, &all->capacity, all->count, sizeof *all->image));
    all->image[all->count++] = *image;
    return PAV_OK;
}

bool images_are_recorded(void)
{
    LOCKED(&lists);
    return recorder != NULL;
}

/* An image already recorded is dropped. */
void images_put(pav_status status, kernel_image *i)
{
    LOCKED(&lists);
    int64_t n = 0;
    while (recorder && n < recorder->count && strcmp(recorder->image[n].key, i->key) != 0)
        n++;
    const bool is_new = recorder && status == PAV_OK && n == recorder->count;
    if (is_new)
        status = images_add(recorder, i);
    if (!is_new || status != PAV_OK)
        mem_free(i->bytes);
    if (recorder && recorder->failed == PAV_OK)
        recorder->failed = status;
}

/* ---- offering ---------------------------------------------------------------------- */

void images_offer(kernel_images *all)
{
    LOCKED(&lists);
    all->next = offered;
    offered = all;
}

void images_withdraw(const kernel_images *all)
{
    LOCKED(&lists);
    const kernel_images **at = &offered;
    while (*at && *at != all)
        at = (const kernel_images **)(uintptr_t) & (*at)->next;
    if (*at)
        *at = all->next;
}

bool images_are_offered(void)
{
    LOCKED(&lists);
    return offered != NULL;
}

/* The result stays valid until its list is withdrawn. */
const kernel_image *images_find(const char *key, const char *kind)
{
    LOCKED(&lists);
    for (const kernel_images *all = offered; all; all = all->next)
        for (int64_t n = 0; n < all->count; n++)
            if ((!key || strcmp(all->image[n].key, key) == 0) &&
                strcmp(all->image[n].kind, kind) == 0)
                return &all->image[n];
    return NULL;
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

/* ---- the check against this machine's processor or GPU ----------------------------- */

void host_target(text *t)
{
    hash h;
    hash_init(&h);
    host_hash_processor(&h);
    text_add(t, "processor-%016llx", (unsigned long long)hash_end(&h));
}

static pav_status check_host(const kernel_image *i)
{
    OWNED_BY(text_free) text here = {0};
    host_target(&here);
    return here.data && strcmp(here.data, i->target) == 0
               ? PAV_OK
               : FAIL(PAV_EUNSUPPORTED,
                      "its kernels are for another processor (%s) than %s", i->target,
                      *pav_host_name() ? pav_host_name() : "this one");
}

/* PTX also runs on any newer GPU. */
static pav_status check_gpu(const kernel_image *i, const pav_device *d)
{
    const char *why, *number = strchr(i->target, '_');
    gpu_facts f = {.major = 0};
    if (d->ops->gpu->describe)
        (void)d->ops->gpu->describe(d->number, &f, &why);
    const int here = 10 * f.major + f.minor;
    int made = 0;
    for (const char *at = number ? number + 1 : ""; *at >= '0' && *at <= '9'; at++)
        made = made < 1000 ? 10 * made + (*at - '0') : made;
    return made > 0 && (made == here || (*i->target == 'c' && made < here))
               ? PAV_OK
               : FAIL(PAV_EUNSUPPORTED, "its kernels are for %s, and %s is sm_%d",
                      i->target, pav_device_name(d), here);
}

pav_status images_check(const kernel_images *all, const pav_device *d)
{
    const bool real = d->ops->gpu && d->ops->gpu->describe;
    int64_t cubins = 0;
    if (!d->ops->gpu && !d->ops->compiled)
        return FAIL(PAV_EUNSUPPORTED, "the device %s has no kernels", pav_device_name(d));
    for (int64_t n = 0; n < all->count; n++) {
        const bool cubin = strcmp(all->image[n].kind, ".cubin") == 0;
        cubins += cubin;
        if (cubin && !real)
            return FAIL(PAV_EUNSUPPORTED, "its kernels are for %s, and the device is %s",
                        all->image[n].target, pav_device_name(d));
        TRY(cubin ? check_gpu(&all->image[n], d) : check_host(&all->image[n]));
    }
    return real && cubins == 0
               ? FAIL(PAV_EUNSUPPORTED, "its kernels are for processors, and %s is a GPU",
                      pav_device_name(d))
               : PAV_OK;
}
