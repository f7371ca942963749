/* SPDX-License-Identifier: BSD-3-Clause */
/* Checks precompiled kernels against this machine's processor or GPU. */
#include <stdio.h>
#include <string.h>

#include "device/device_private.h"

void host_target(text *t)
{
    hash h;
    hash_init(&h);
    host_hash_processor(&h);
    text_add(t, "processor-%016llx", (unsigned long long)hash_end(&h));
}

static pav_status check_host(const kernel_image *i)
{
    text here = {0};
    host_target(&here);
    const bool same = here.data && strcmp(here.data, i->target) == 0;
    text_free(&here);
    return same ? PAV_OK
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
    if (made > 0 && (made == here || (*i->target == 'c' && made < here)))
        return PAV_OK;
    return FAIL(PAV_EUNSUPPORTED, "its kernels are for %s, and %s is sm_%d", i->target,
                pav_device_name(d), here);
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
