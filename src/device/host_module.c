/* SPDX-License-Identifier: BSD-3-Clause */
/* From C or C++ to functions that can be called: looked up in the cache, or compiled there, then loaded. */
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "device/device_private.h"

struct host_module {
    void *loaded;
    kernel_cache cache;
};

typedef struct build {
    compiler compiler;
    kernel_cache *cache;
    const char *source;
    int64_t length;
    bool keep, quick;
    char kept[2 * CACHE_PATH];                       /* the object in the cache */
    char text[2 * CACHE_PATH], made[2 * CACHE_PATH]; /* at work */
} build;

/* ---- making it ---------------------------------------------------------------------------- */

/* 128 bits: two hashes that differ in where they begin. */
static void find_key(build *b)
{
    hash h[2];

    for (int k = 0; k < 2; k++) {
        const char begin = (char)k;
        hash_init(&h[k]);
        hash_add(&h[k], &begin, 1);
        hash_add(&h[k], &b->length, sizeof b->length);
        hash_add(&h[k], b->source, b->length);
        host_hash_processor(&h[k]);
        compiler_hash(&b->compiler, b->quick, &h[k]);
    }
    (void)snprintf(b->kept, sizeof b->kept, "%s/%016llx%016llx.so", b->cache->path,
                   (unsigned long long)hash_end(&h[0]),
                   (unsigned long long)hash_end(&h[1]));
}

static pav_status write_source(const build *b)
{
    FILE *file = fopen(b->text, "wb");
    const bool written = file && fwrite(b->source, 1, (size_t)b->length, file) ==
                                     (size_t)b->length;
    const bool closed = file && fclose(file) == 0;

    if (written && closed)
        return PAV_OK;
    return FAIL(PAV_EIO, "the source of the kernels could not be written to %s: %s",
                b->text, strerror(errno));
}

static pav_status keep(build *b)
{
    TRY(cache_seal(b->made, b->kept));
    if (rename(b->made, b->kept) != 0)
        return FAIL(PAV_EIO, "compiled kernels could not be kept as %s: %s", b->kept,
                    strerror(errno));
    cache_prune(b->cache, b->kept);
    return PAV_OK;
}

static pav_status compile(build *b)
{
    const char *work = b->cache->work;
    const compile_job job = {b->text, b->made, work, b->quick};

    (void)snprintf(b->text, sizeof b->text, "%s/kernels%s", work,
                   compiler_ending(&b->compiler));
    (void)snprintf(b->made, sizeof b->made, "%s/kernels.so", work);
    TRY(write_source(b));
    const pav_status status = compiler_run(&b->compiler, &job);
    if (status != PAV_EDEVICE || !cache_is_full(b->cache))
        return status;
    char *said = strdup(pav_message());
    FAIL(PAV_EIO, "%s is full: %s", work, said ? said : "");
    free(said);
    return PAV_EIO;
}

/* ---- loading it --------------------------------------------------------------------------- */

static pav_status load(host_module *m, const char *path)
{
    m->loaded = dlopen(path, RTLD_NOW | RTLD_LOCAL);
    if (!m->loaded) {
        const char *why = dlerror();
        return FAIL(PAV_EDEVICE,
                    "compiled kernels cannot be loaded: %s; PAV_CACHE names another "
                    "directory, on a file system whose programs may be run",
                    why ? why : "no reason given");
    }
    return PAV_OK;
}

static bool load_kept(host_module *m, const build *b)
{
    if (!cache_is_sealed(b->kept) || load(m, b->kept) != PAV_OK)
        return false;
    (void)utimensat(AT_FDCWD, b->kept, NULL, 0); /* the oldest are removed first */
    return true;
}

static pav_status make(host_module *m, build *b)
{
    TRY(cache_begin_work(b->cache));
    TRY(compile(b));
    if (!b->keep || !b->cache->lasting)
        return load(m, b->made);
    TRY(keep(b));
    return load(m, b->kept);
}

/* Where the cache cannot take the kernels, a temporary place may. */
static pav_status make_somewhere(host_module *m, build *b)
{
    pav_status status = make(m, b);

    if (status == PAV_EIO && b->cache->lasting) {
        cache_give_up(b->cache, pav_message());
        status = make(m, b);
    }
    cache_end_work(b->cache);
    return status;
}

static pav_status find_or_make(host_module *m, build *b)
{
    find_key(b);
    if (!b->keep || !b->cache->lasting)
        return make_somewhere(m, b);
    if (load_kept(m, b))
        return PAV_OK;
    const int lock = cache_lock(b->kept, b->compiler.seconds);
    const pav_status status = load_kept(m, b) ? PAV_OK : make_somewhere(m, b);
    cache_unlock(b->kept, lock);
    return status;
}

/* ---- opening and closing ------------------------------------------------------------------ */

static pav_status open_module(language l, host_module *m, build *b)
{
    TRY(compiler_find(l, &b->compiler));
    cache_open(&m->cache);
    return find_or_make(m, b);
}

pav_status module_open(language l, const char *source, int64_t length, unsigned how,
                       host_module **module)
{
    host_module *m = mem_new(1, sizeof *m);
    build *b = mem_new(1, sizeof *b);
    pav_status status = m && b ? PAV_OK : PAV_ENOMEM;

    *module = NULL;
    if (status == PAV_OK) {
        *b = (build){.cache = &m->cache,
                     .source = source,
                     .length = length,
                     .keep = how & HOST_KEEP,
                     .quick = how & HOST_QUICK};
        status = open_module(l, m, b);
    }
    mem_free(b);
    if (status == PAV_OK)
        *module = m;
    else
        host_module_close(m);
    return status;
}

pav_status host_module_open(const char *source, int64_t length, unsigned how,
                            host_module **module)
{
    return module_open(LANGUAGE_C, source, length, how, module);
}

void host_module_close(host_module *module)
{
    if (module && module->loaded)
        (void)dlclose(module->loaded);
    mem_free(module);
}

host_function *host_module_find(const host_module *module, const char *name)
{
    void *found = dlsym(module->loaded, name);
    host_function *function = NULL;

    memcpy(&function, &found, sizeof function);
    return function;
}

const char *host_module_note(const host_module *module)
{
    return module->cache.note;
}
