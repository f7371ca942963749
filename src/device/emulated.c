/* SPDX-License-Identifier: BSD-3-Clause */
/* A GPU where there is none: CUDA C++ is compiled by the host's C++ compiler and its blocks run on the host, with
 * barriers that wait and memory that is watched. It is for finding mistakes; it is slow, and never taken unasked. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "device/device_private.h"

enum { MOST_PARTS = 32 };

typedef struct emulated_module {
    gpu_module base;
    host_module *object;
    emulated_place *place;
    struct emulated_kernel *kernel;
} emulated_module;
typedef struct emulated_kernel {
    gpu_kernel base;
    emulated_enter *enter;
    char name[EMULATED_NAME];
    struct emulated_kernel *next;
} emulated_kernel;

static emulated_gpu *mine(gpu *g)
{
    return (emulated_gpu *)(void *)g;
}

static bool present(const char **why)
{
    static _Thread_local char said[HOST_TEXT];
    const char *named = getenv("PAV_CXX");
    char path[HOST_TEXT];

    (void)snprintf(said, sizeof said,
                   "PAV_CXX is '%.400s', which is no program that can be started; give "
                   "the path of a C++ compiler alone, or unset it",
                   named ? named : "");
    *why = named && *named ? said
                           : "there is no C++ compiler; install g++ or clang, or name one "
                             "in PAV_CXX";
    return host_find_compiler(LANGUAGE_CXX, path);
}

/* ---- opening ------------------------------------------------------------------------------ */

static void close(gpu *base)
{
    emulated_gpu *g = mine(base);

    while (g->memory) {
        fenced *next = g->memory->next;
        fenced_free(g->memory);
        g->memory = next;
    }
    for (int n = 0; g->block && n < g->blocks; n++)
        emulated_block_close(&g->block[n]);
    mem_free(g->block);
    host_team_close(g->team);
    mem_free(g);
}

static pav_status open_blocks(emulated_gpu *g)
{
    const int threads = host_threads();

    g->blocks = threads < MOST_PARTS ? threads : MOST_PARTS;
    g->block = mem_new(g->blocks, sizeof *g->block);
    if (!g->block)
        return PAV_ENOMEM;
    for (int n = 0; n < g->blocks; n++)
        TRY(emulated_block_open(&g->block[n]));
    return host_team_open(g->blocks, HOST_BIND_NONE, &g->team);
}

static void describe(emulated_gpu *g)
{
    const int64_t available = mem_available();

    g->limit = available > 0 ? available / 2 : (int64_t)1 << 30;
    g->base.facts = (gpu_facts){.name = "emulated",
                                .major = 9,
                                .multiprocessors = 4,
                                .shared_block = EMULATED_SHARED,
                                .shared_multiprocessor = EMULATED_SHARED + 1024,
                                .memory = g->limit,
                                .l2 = host_cache(0),
                                .emulated = true};
}

static pav_status open(int number, gpu **result)
{
    emulated_gpu *g = mem_new(1, sizeof *g);

    (void)number;
    *result = NULL;
    if (!g)
        return PAV_ENOMEM;
    describe(g);
    const pav_status status = open_blocks(g);
    if (status == PAV_OK)
        *result = &g->base;
    else
        close(&g->base);
    return status;
}

/* ---- memory ------------------------------------------------------------------------------- */

static int64_t free_memory(const gpu *base)
{
    const emulated_gpu *g = (const emulated_gpu *)(const void *)base;

    return g->limit - g->used;
}

static pav_status take(gpu *base, int64_t bytes, void **memory)
{
    emulated_gpu *g = mine(base);
    fenced *f = bytes <= g->limit - g->used ? fenced_new(bytes) : NULL;
    text t = {0};

    *memory = NULL;
    if (!f) {
        text_add_bytes_size(&t, bytes);
        text_add(&t, " are needed and ");
        text_add_bytes_size(&t, g->limit - g->used);
        const pav_status status =
            FAIL(PAV_ENOMEM, "%s are free on the emulated GPU, which has half of what the "
                             "host had left", t.failed ? "more" : t.data);
        text_free(&t);
        return status;
    }
    f->next = g->memory;
    g->memory = f;
    g->used += bytes;
    *memory = f->start;
    return PAV_OK;
}

static void give(gpu *base, void *memory)
{
    emulated_gpu *g = mine(base);
    fenced **at = &g->memory;

    while (*at && (*at)->start != memory)
        at = &(*at)->next;
    fenced *f = *at;
    if (!f)
        return;
    *at = f->next;
    g->used -= f->bytes;
    fenced_free(f);
}

static pav_status check(emulated_gpu *g, const void *at, int64_t bytes)
{
    if (fenced_find(g->memory, at, bytes))
        return PAV_OK;
    return FAIL(PAV_EINVAL, "%lld bytes at %p are not all of one memory of the GPU",
                (long long)bytes, at);
}

static pav_status fill(gpu *base, void *memory, int byte, int64_t bytes)
{
    TRY(check(mine(base), memory, bytes));
    memset(memory, byte, (size_t)bytes);
    return PAV_OK;
}

static pav_status upload(gpu *base, void *to, const void *from, int64_t bytes)
{
    TRY(check(mine(base), to, bytes));
    memcpy(to, from, (size_t)bytes);
    return PAV_OK;
}

static pav_status download(gpu *base, void *to, const void *from, int64_t bytes)
{
    TRY(check(mine(base), from, bytes));
    memcpy(to, from, (size_t)bytes);
    return PAV_OK;
}

static pav_status copy(gpu *base, void *to, const void *from, int64_t bytes)
{
    TRY(check(mine(base), to, bytes));
    TRY(check(mine(base), from, bytes));
    memmove(to, from, (size_t)bytes);
    return PAV_OK;
}

/* ---- modules ------------------------------------------------------------------------------ */

static void discard(gpu_module *base)
{
    emulated_module *m = (emulated_module *)(void *)base;

    while (m->kernel) {
        emulated_kernel *next = m->kernel->next;
        mem_free(m->kernel);
        m->kernel = next;
    }
    host_module_close(m->object);
    mem_free(m);
}

static pav_status add_kernel(emulated_module *m, const emulated_name *named)
{
    char symbol[2 * EMULATED_NAME];
    emulated_kernel *k = mem_new(1, sizeof *k);

    if (!k)
        return PAV_ENOMEM;
    (void)snprintf(symbol, sizeof symbol, "emulated_enter_%s", named->name);
    *k = (emulated_kernel){.base.module = &m->base,
                           .base.facts.most_threads = named->most_threads,
                           .enter = (emulated_enter *)host_module_find(m->object, symbol),
                           .next = m->kernel};
    memcpy(k->name, named->name, sizeof k->name);
    m->kernel = k;
    return PAV_OK;
}

static pav_status add_kernels(emulated_module *m, const char *source, int64_t length)
{
    emulated_name named;
    int64_t at = 0;

    m->place = (emulated_place *)host_module_find(m->object, "emulated_place");
    while (emulated_next_kernel(source, length, &at, &named))
        TRY(add_kernel(m, &named));
    return PAV_OK;
}

static pav_status build(emulated_module *m, const char *source, int64_t length,
                        unsigned how)
{
    text t = {0};

    emulated_text(source, length, &t);
    pav_status status = t.failed ? PAV_ENOMEM
                                 : module_open(LANGUAGE_CXX, t.data, t.length, how,
                                               &m->object);
    text_free(&t);
    return status == PAV_OK ? add_kernels(m, source, length) : status;
}

static pav_status compile(gpu *g, const char *source, int64_t length, unsigned how,
                          gpu_module **result)
{
    emulated_module *m = mem_new(1, sizeof *m);

    *result = NULL;
    if (!m)
        return PAV_ENOMEM;
    m->base.owner = g;
    const pav_status status = build(m, source, length, how);
    if (status == PAV_OK)
        *result = &m->base;
    else
        discard(&m->base);
    return status;
}

static const char *note(const gpu_module *base)
{
    return host_module_note(((const emulated_module *)(const void *)base)->object);
}

static gpu_kernel *find(gpu_module *base, const char *name)
{
    emulated_kernel *k = ((emulated_module *)(void *)base)->kernel;

    while (k && strcmp(k->name, name) != 0)
        k = k->next;
    return k ? &k->base : NULL;
}

/* ---- work --------------------------------------------------------------------------------- */

static pav_status check_fences(const emulated_gpu *g)
{
    for (const fenced *f = g->memory; f; f = f->next)
        if (!fenced_is_whole(f))
            return FAIL(PAV_EDEVICE, "a kernel has written beyond a memory of %lld bytes",
                        (long long)f->bytes);
    return PAV_OK;
}

static pav_status launch(gpu *base, const gpu_call *call)
{
    const emulated_kernel *k = (const emulated_kernel *)(const void *)call->kernel;
    const emulated_module *m = (const emulated_module *)(const void *)k->base.module;
    emulated_gpu *g = mine(base);
    emulated_grid *grid = mem_new(1, sizeof *grid);

    if (!grid)
        return PAV_ENOMEM;
    grid->call = call;
    grid->name = k->name;
    grid->enter = k->enter;
    grid->place = m->place;
    grid->memory = g->memory;
    grid->seed = settings_emulated_order();
    grid->total = call->blocks[0] * call->blocks[1] * call->blocks[2];
    grid->number = g->launches++;
    memcpy(grid->argument, call->argument, (size_t)call->argument_bytes);
    pav_status status = emulated_run(g, grid);
    mem_free(grid);
    return status == PAV_OK ? check_fences(g) : status;
}

static pav_status wait(gpu *g)
{
    (void)g;
    return PAV_OK;
}

static pav_status mark(gpu *g, int number)
{
    mine(g)->mark[number] = clock_seconds();
    return PAV_OK;
}

static pav_status seconds(gpu *g, int from, int to, double *result)
{
    *result = mine(g)->mark[to] - mine(g)->mark[from];
    return PAV_OK;
}

static const gpu_ops ops = {
    .open = open,
    .close = close,
    .free_memory = free_memory,
    .take = take,
    .give = give,
    .fill = fill,
    .upload = upload,
    .download = download,
    .copy = copy,
    .compile = compile,
    .discard = discard,
    .note = note,
    .find = find,
    .launch = launch,
    .wait = wait,
    .mark = mark,
    .seconds = seconds,
};

const device_ops emulated_device = {
    .name = "emulated",
    .about = "runs what is meant for a GPU on the host, to find mistakes; slow",
    .present = present,
    .rank = 0,
    .gpu = &ops,
};
