/* SPDX-License-Identifier: BSD-3-Clause */
/* Objects compiled once. An object is found in the cache by a hash of everything it
 * depends on. Otherwise one process makes it while the others wait. If the cache cannot
 * store it, a temporary directory is used. */
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "device/device_private.h"

enum { MOST_BYTES = 1 << 30 };

typedef struct item {
    kernel_cache *cache;
    const cache_maker *maker;
    unsigned how;
    void *of;
    /* kept: path in the cache; made: path in the working directory */
    char kept[2 * CACHE_PATH], made[2 * CACHE_PATH];
} item;

/* Two hashes with different first bytes make a key of 128 bits. */
static void cache_key(const cache_maker *maker, const void *of, bool whole,
                      char key[IMAGE_KEY])
{
    hash h[2];

    for (int k = 0; k < 2; k++) {
        const char begin = (char)k;
        hash_init(&h[k]);
        hash_add(&h[k], &begin, 1);
        maker->describe(of, &h[k]);
        if (whole)
            maker->compiled_by(of, &h[k]);
    }
    (void)snprintf(key, IMAGE_KEY, "%016llx%016llx", (unsigned long long)hash_end(&h[0]),
                   (unsigned long long)hash_end(&h[1]));
}

static void find_key(item *i)
{
    char key[IMAGE_KEY];

    cache_key(i->maker, i->of, true, key);
    (void)snprintf(i->kept, sizeof i->kept, "%s/%s%s", i->cache->path, key,
                   i->maker->ending);
}

/* Records the object for a bundle. */
static void record(const item *i, const char *path)
{
    kernel_image image = {.length = 0};
    text target = {0};
    cache_key(i->maker, i->of, false, image.key);
    i->maker->target(i->of, &target);
    (void)snprintf(image.kind, sizeof image.kind, "%s", i->maker->ending);
    (void)snprintf(image.target, sizeof image.target, "%s",
                   target.data ? target.data : "");
    text_free(&target);
    const pav_status status = file_read(path, MOST_BYTES, &image.bytes, &image.length);
    images_put(status, &image);
}

static pav_status load(const item *i, const char *path)
{
    TRY(i->maker->load(i->of, path));
    if (images_are_recorded())
        record(i, path);
    return PAV_OK;
}

pav_status cache_write(const char *path, const void *bytes, int64_t length)
{
    FILE *file = file_write(path, false);
    const bool written = file && fwrite(bytes, 1, (size_t)length, file) == (size_t)length;
    const bool closed = file && fclose(file) == 0;

    if (written && closed)
        return PAV_OK;
    return FAIL(write_status(errno), "kernels could not be written to %s: %s", path,
                strerror(errno));
}

static pav_status make_piece(void *of, int64_t piece)
{
    const item *i = of;

    (void)piece;
    return i->maker->make(i->of, i->cache->work, i->made);
}

/* On a full disk, the message names only the disk. */
static pav_status make_at_work(item *i)
{
    (void)snprintf(i->made, sizeof i->made, "%s/kernels%s", i->cache->work,
                   i->maker->ending);
    const pav_status status = host_jobs(1, 1, make_piece, i);
    return status == PAV_EDEVICE || status == PAV_EIO || status == PAV_EFULL
               ? cache_blame_disk(i->cache, status)
               : status;
}

static pav_status put_in_place(item *i)
{
    TRY(cache_seal(i->made, i->kept));
    if (rename(i->made, i->kept) != 0)
        return FAIL(write_status(errno), "compiled kernels could not be kept as %s: %s",
                    i->kept, strerror(errno));
    cache_prune(i->cache, i->kept);
    return PAV_OK;
}

/* An object with a load failure is removed from the cache. */
static pav_status make(item *i)
{
    TRY(cache_begin_work(i->cache));
    TRY(make_at_work(i));
    if (!(i->how & HOST_KEEP) || !i->cache->lasting)
        return load(i, i->made);
    TRY(put_in_place(i));
    const pav_status status = load(i, i->kept);
    if (status != PAV_OK)
        (void)unlink(i->kept);
    return status;
}

static pav_status make_somewhere(item *i)
{
    pav_status status = make(i);

    if ((status == PAV_EIO || status == PAV_EFULL) && i->cache->lasting) {
        cache_give_up(i->cache, pav_message());
        status = make(i);
    }
    cache_end_work(i->cache);
    return status;
}

static bool load_kept(item *i)
{
    if (!cache_is_sealed(i->kept) || load(i, i->kept) != PAV_OK)
        return false;
    (void)utimensat(AT_FDCWD, i->kept, NULL, 0); /* the oldest are removed first */
    return true;
}

static pav_status refuse(const item *i)
{
    if (!host_requires_cached())
        return FAIL(PAV_EUNSUPPORTED, "these kernels are not in the cache %s",
                    i->cache->path);
    return FAIL(
        PAV_EUNSUPPORTED,
        "these kernels are not in the cache %s, and PAV_REQUIRE_CACHED forbids to "
        "compile them: `pavior compile` with the same description, --set, device "
        "and compiler makes them",
        i->cache->path);
}

static pav_status find_or_make(item *i, double seconds)
{
    find_key(i);
    const bool kept = i->how & HOST_KEEP && i->cache->lasting;
    if (kept && load_kept(i))
        return PAV_OK;
    if (i->how & HOST_FIND || host_requires_cached())
        return refuse(i);
    if (!kept)
        return make_somewhere(i);
    const int lock = cache_lock(i->kept, seconds);
    const pav_status status = load_kept(i) ? PAV_OK : make_somewhere(i);
    cache_unlock(i->kept, lock);
    return status;
}

static _Atomic int64_t loads, unkept;

int64_t pav_kernel_loads(void)
{
    return loads;
}

int64_t pav_kernels_not_kept(void)
{
    return unkept;
}

/* ---- from a bundle ----------------------------------------------------------------- */

static pav_status load_image(kernel_cache *c, const cache_maker *maker, void *of,
                             const kernel_image *i)
{
    char path[2 * CACHE_PATH];
    TRY(cache_begin_work(c));
    (void)snprintf(path, sizeof path, "%s/kernels%s", c->work, i->kind);
    const pav_status status = cache_write(path, i->bytes, i->length);
    return status == PAV_OK ? maker->load(of, path) : status;
}

pav_status cache_load_image(kernel_cache *c, const cache_maker *maker, void *of,
                            bool *found)
{
    char key[IMAGE_KEY];
    *found = images_are_offered();
    if (!*found)
        return PAV_OK;
    cache_key(maker, of, false, key);
    const kernel_image *i = images_find(key, maker->ending);
    if (!i)
        return FAIL(PAV_EUNSUPPORTED,
                    "the bundle lacks these kernels, and with a bundle nothing is "
                    "compiled: leave --bundle out, or let `pavior compile -o` make one "
                    "of this description, device and schedule");
    cache_open(c);
    const pav_status status = load_image(c, maker, of, i);
    cache_end_work(c);
    return status;
}

pav_status cache_load(kernel_cache *c, const cache_maker *maker, unsigned how,
                      double seconds, void *of)
{
    item *i = mem_new(1, sizeof *i);

    if (!i)
        return PAV_ENOMEM;
    loads += !(how & HOST_FIND);
    cache_open(c);
    *i = (item){.cache = c, .maker = maker, .how = how, .of = of};
    const pav_status status = find_or_make(i, seconds);
    unkept += status == PAV_OK && how & HOST_KEEP && !c->lasting;
    mem_free(i);
    return status;
}
