/* SPDX-License-Identifier: BSD-3-Clause */
/* From C or C++ to functions that can be called: compiled by the system's compiler, where the cache has them not,
 * and loaded. */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <stdio.h>
#include <string.h>
#include <sys/statvfs.h>

#include "device/device_private.h"

struct host_module {
    void *loaded;
    kernel_cache cache;
};

typedef struct build {
    host_module *module;
    compiler compiler;
    const char *source;
    int64_t length;
    bool quick;
} build;

/* ---- making and loading it ---------------------------------------------------------------- */

static void describe(const void *of, hash *h)
{
    const build *b = of;

    hash_add(h, &b->length, sizeof b->length);
    hash_add(h, b->source, b->length);
    host_hash_processor(h);
    compiler_hash(&b->compiler, b->quick, h);
}

static pav_status make(void *of, const char *work, const char *made)
{
    const build *b = of;
    char path[2 * CACHE_PATH];
    const compile_job job = {path, made, work, b->quick};

    (void)snprintf(path, sizeof path, "%s/kernels%s", work,
                   compiler_ending(&b->compiler));
    TRY(cache_write(path, b->source, b->length));
    return compiler_run(&b->compiler, &job);
}

/* Of a file system that is mounted so that nothing on it is run, or of what the compiler made. */
static pav_status refuse(const build *b, const char *path, const char *why)
{
    struct statvfs s;

    if (statvfs(path, &s) == 0 && s.f_flag & ST_NOEXEC)
        return FAIL(PAV_EDEVICE,
                    "compiled kernels cannot be loaded: %s; programs on that file system "
                    "may not be run: PAV_CACHE names another directory",
                    why);
    return compiler_refuse(&b->compiler, why);
}

static pav_status load(void *of, const char *path)
{
    const build *b = of;

    b->module->loaded = dlopen(path, RTLD_NOW | RTLD_LOCAL);
    if (b->module->loaded)
        return PAV_OK;
    const char *why = dlerror();
    return refuse(b, path, why ? why : "no reason given");
}

static const cache_maker maker = {".so", describe, make, load};

/* ---- opening and closing ------------------------------------------------------------------ */

static pav_status open_module(language l, host_module *m, build *b, bool keep)
{
    TRY(compiler_find(l, &b->compiler));
    return cache_load(&m->cache, &maker, keep, b->compiler.seconds, b);
}

pav_status module_open(language l, const char *source, int64_t length, unsigned how,
                       host_module **module)
{
    host_module *m = mem_new(1, sizeof *m);
    build *b = mem_new(1, sizeof *b);
    pav_status status = m && b ? PAV_OK : PAV_ENOMEM;

    *module = NULL;
    if (status == PAV_OK) {
        *b = (build){
            .module = m, .source = source, .length = length, .quick = how & HOST_QUICK};
        status = open_module(l, m, b, how & HOST_KEEP);
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

void *host_module_variable(const host_module *module, const char *name)
{
    return dlsym(module->loaded, name);
}

host_function *host_module_find(const host_module *module, const char *name)
{
    void *found = host_module_variable(module, name);
    host_function *function = NULL;

    memcpy(&function, &found, sizeof function);
    return function;
}

const char *host_module_note(const host_module *module)
{
    return module->cache.note;
}
