/* SPDX-License-Identifier: BSD-3-Clause */
/* From C to functions that can be called: looked up in the cache, or compiled there, then loaded. */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <errno.h>
#include <stdio.h>
#include <string.h>
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
    bool keep;
    char kept[2 * CACHE_PATH]; /* the object in the cache */
    char text[2 * CACHE_PATH], made[2 * CACHE_PATH], log[2 * CACHE_PATH]; /* at work */
} build;

static pav_status write_source(const build *b)
{
    FILE *file = fopen(b->text, "wb");
    const bool written = file && fwrite(b->source, 1, (size_t)b->length, file) ==
                                     (size_t)b->length;
    const bool closed = file && fclose(file) == 0;

    if (written && closed)
        return PAV_OK;
    return FAIL(
        PAV_EIO,
        "the C of the kernels could not be written to %s: %s; PAV_CACHE names another "
        "directory",
        b->text, strerror(errno));
}

/* 128 bits: two hashes that differ in where they begin. */
static pav_status find_key(build *b)
{
    hash h[2];

    for (int k = 0; k < 2; k++) {
        const char begin = (char)k;
        hash_init(&h[k]);
        hash_add(&h[k], &begin, 1);
        hash_add(&h[k], &b->length, sizeof b->length);
        hash_add(&h[k], b->source, b->length);
        host_hash_processor(&h[k]);
        TRY(compiler_hash(&b->compiler, b->log, &h[k]));
    }
    (void)snprintf(b->kept, sizeof b->kept, "%s/%016llx%016llx.so",
                   b->keep && b->cache->lasting ? b->cache->path : b->cache->work,
                   (unsigned long long)hash_end(&h[0]),
                   (unsigned long long)hash_end(&h[1]));
    return PAV_OK;
}

static pav_status make(build *b)
{
    TRY(write_source(b));
    TRY(compiler_run(&b->compiler, b->text, b->made, b->log));
    TRY(cache_seal(b->made));
    if (rename(b->made, b->kept) == 0)
        return PAV_OK;
    return FAIL(PAV_EIO, "compiled kernels could not be kept as %s: %s", b->kept,
                strerror(errno));
}

/* The library of threads must outlive the kernels: its threads wait inside of it. */
static void keep_thread_library(void *loaded)
{
    static const char *const names[] = {"GOMP_parallel", "__kmpc_fork_call"};
    Dl_info where;

    for (size_t k = 0; k < COUNT_OF(names); k++) {
        void *found = dlsym(loaded, names[k]);
        if (found && dladdr(found, &where) && where.dli_fname)
            (void)dlopen(where.dli_fname, RTLD_NOW | RTLD_NODELETE);
    }
}

static pav_status load(host_module *m, const char *path)
{
    m->loaded = dlopen(path, RTLD_NOW | RTLD_LOCAL);
    if (!m->loaded) {
        const char *why = dlerror();
        return FAIL(PAV_EDEVICE, "compiled kernels cannot be loaded: %s",
                    why ? why : "no reason given");
    }
    keep_thread_library(m->loaded);
    return PAV_OK;
}

static pav_status find_or_make(host_module *m, build *b)
{
    const char *work = m->cache.work;

    (void)snprintf(b->text, sizeof b->text, "%s/kernels.c", work);
    (void)snprintf(b->made, sizeof b->made, "%s/kernels.so", work);
    (void)snprintf(b->log, sizeof b->log, "%s/log", work);
    TRY(find_key(b));
    if (!cache_is_sealed(b->kept))
        TRY(make(b));
    return load(m, b->kept);
}

static pav_status open_module(host_module *m, const char *source, int64_t length,
                              bool keep)
{
    build *b = mem_new(1, sizeof *b);

    if (!b)
        return PAV_ENOMEM;
    *b = (build){.cache = &m->cache, .source = source, .length = length, .keep = keep};
    pav_status status = compiler_find(&b->compiler);
    if (status == PAV_OK)
        status = cache_open(&m->cache);
    if (status == PAV_OK) {
        status = find_or_make(m, b);
        cache_close(&m->cache);
    }
    mem_free(b);
    return status;
}

pav_status host_module_open(const char *source, int64_t length, bool keep,
                            host_module **module)
{
    host_module *m = mem_new(1, sizeof *m);

    *module = NULL;
    if (!m)
        return PAV_ENOMEM;
    const pav_status status = open_module(m, source, length, keep);
    if (status != PAV_OK) {
        host_module_close(m);
        return status;
    }
    *module = m;
    return PAV_OK;
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
