/* SPDX-License-Identifier: BSD-3-Clause */
/* Turns C or C++ into callable functions: finds the object in the cache or compiles it,
 * and loads it. */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <stdio.h>
#include <string.h>
#include <sys/statvfs.h>

#include "device/device_private.h"

enum { MOST_PARTS = COMPILE_MOST_SOURCES, PART_NAME = 40, PART_BYTES = 24 << 10 };

struct host_module {
    void *loaded;
    kernel_cache cache;
};

typedef struct build {
    host_module *module;
    compiler compiler;
    const char *source;
    int64_t length;
    const text_pieces *pieces; /* or NULL */
    bool quick;
} build;

/* The source split into several files during compilation, each with the common head. */
typedef struct parts {
    const build *b;
    /* working directory; name of the result in it */
    const char *work, *made;
    int64_t count, first[MOST_PARTS + 1]; /* first: first piece of each part */
} parts;

/* ---- making and loading it --------------------------------------------------------- */

static void describe(const void *of, hash *h)
{
    const build *b = of;

    hash_add(h, &b->length, sizeof b->length);
    hash_add(h, b->source, b->length);
    hash_add(h, &b->compiler.language, sizeof b->compiler.language);
    hash_add(h, &b->quick, sizeof b->quick);
    host_hash_processor(h);
}

static void describe_compiler(const void *of, hash *h)
{
    const build *b = of;

    compiler_hash(&b->compiler, b->quick, h);
}

static void add_target(const void *of, text *t)
{
    (void)of;
    host_target(t);
}

static int64_t begin_of(const text_pieces *p, int64_t piece)
{
    return piece > 0 ? p->end[piece - 1] : p->head;
}

/* Divides the source into parts of about equal length, at most one per thread. A part has
 * at least PART_BYTES, because shorter parts do not pay off. */
static void divide(parts *p)
{
    const text_pieces *all = p->b->pieces;
    const int64_t bytes = all ? p->b->length - all->head : 0;
    const int64_t most = int_least(host_threads(), MOST_PARTS);
    const int64_t count = bytes / PART_BYTES < most ? bytes / PART_BYTES : most;
    int64_t piece = 0;

    for (p->count = 0; p->count + 1 < count && piece < all->count; p->count++) {
        p->first[p->count] = piece;
        while (piece < all->count &&
               begin_of(all, piece) - all->head < (p->count + 1) * bytes / count)
            piece++;
    }
    p->first[p->count++] = piece;
    p->first[p->count] = all ? all->count : 0;
}

static pav_status write_part(const parts *p, int64_t number, const char *path)
{
    const build *b = p->b;
    text t = {0};

    if (p->count == 1)
        return cache_write(path, b->source, b->length);
    const int64_t from = begin_of(b->pieces, p->first[number]);
    text_add_bytes(&t, b->source, b->pieces->head);
    text_add_bytes(&t, b->source + from,
                   begin_of(b->pieces, p->first[number + 1]) - from);
    const pav_status status = t.failed ? PAV_ENOMEM : cache_write(path, t.data, t.length);
    text_free(&t);
    return status;
}

static void name_part(int64_t number, const char *ending, char name[PART_NAME])
{
    (void)snprintf(name, PART_NAME, "kernels%lld%s", (long long)number, ending);
}

/* Compiles one part. A single part becomes the shared object directly; several parts
 * become objects for linking. */
static pav_status make_part(void *of, int64_t number)
{
    const parts *p = of;
    const compiler *c = &p->b->compiler;
    char source[PART_NAME], object[PART_NAME], path[2 * CACHE_PATH];
    const char *const sources[] = {source};

    name_part(number, compiler_ending(c), source);
    name_part(number, ".o", object);
    (void)snprintf(path, sizeof path, "%s/%s", p->work, source);
    TRY(write_part(p, number, path));
    return compiler_run(c, &(compile_job){.source = sources,
                                          .sources = 1,
                                          .made = p->count == 1 ? p->made : object,
                                          .scratch = p->work,
                                          .object = p->count > 1,
                                          .quick = p->b->quick});
}

static pav_status link_parts(const parts *p)
{
    char name[MOST_PARTS][PART_NAME];
    const char *objects[MOST_PARTS];

    for (int64_t k = 0; k < p->count; k++) {
        name_part(k, ".o", name[k]);
        objects[k] = name[k];
    }
    return compiler_run(&p->b->compiler, &(compile_job){.source = objects,
                                                        .sources = (int)p->count,
                                                        .made = p->made,
                                                        .scratch = p->work,
                                                        .quick = p->b->quick});
}

static pav_status make(void *of, const char *work, const char *made)
{
    parts p = {.b = of, .work = work, .made = path_name(made)};

    divide(&p);
    TRY(host_jobs(p.count, (int)p.count, make_part, &p));
    return p.count > 1 ? link_parts(&p) : PAV_OK;
}

/* A failure has one of three causes: a file system mounted noexec, a broken bundle, or a
 * broken result of the compiler. */
static pav_status load(void *of, const char *path)
{
    const build *b = of;
    struct statvfs s;

    b->module->loaded = dlopen(path, RTLD_NOW | RTLD_LOCAL);
    if (b->module->loaded)
        return PAV_OK;
    const char *said = dlerror(), *why = said ? said : "no reason given";
    if (statvfs(path, &s) == 0 && s.f_flag & ST_NOEXEC)
        return FAIL(PAV_EDEVICE,
                    "compiled kernels cannot be loaded: %s; programs on that file system "
                    "may not be run: PAV_CACHE names another directory",
                    why);
    if (!*b->compiler.path)
        return FAIL(PAV_EFORMAT, "the bundle's kernels cannot be loaded: %s", why);
    return compiler_refuse(&b->compiler, why);
}

static const cache_maker maker = {".so",      describe, describe_compiler,
                                  add_target, make,     load};

/* ---- opening and closing ----------------------------------------------------------- */

static pav_status open_text(language l, const char *source, int64_t length,
                            const text_pieces *pieces, unsigned how, host_module **module)
{
    build *b = mem_new(1, sizeof *b);
    host_module *m = mem_new(1, sizeof *m);
    pav_status status = b && m ? PAV_OK : PAV_ENOMEM;
    bool found = false;

    *module = NULL;
    if (b)
        *b = (build){.module = m,
                     .compiler.language = l,
                     .source = source,
                     .length = length,
                     .pieces = pieces,
                     .quick = how & HOST_QUICK};
    if (status == PAV_OK)
        status = cache_load_image(&m->cache, &maker, b, &found);
    if (status == PAV_OK && !found)
        status = compiler_find(l, &b->compiler);
    if (status == PAV_OK && !found)
        status = cache_load(&m->cache, &maker, how, b->compiler.seconds, b);
    mem_free(b);
    if (status == PAV_OK)
        *module = m;
    else
        host_module_close(m);
    return status;
}

pav_status module_open(language l, const char *source, int64_t length, unsigned how,
                       host_module **module)
{
    return open_text(l, source, length, NULL, how, module);
}

pav_status host_module_open(const char *source, int64_t length, unsigned how,
                            host_module **module)
{
    return open_text(LANGUAGE_C, source, length, NULL, how, module);
}

pav_status host_module_open_pieces(const text *source, const text_pieces *pieces,
                                   unsigned how, host_module **module)
{
    return open_text(LANGUAGE_C, source->data, source->length, pieces, how, module);
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
