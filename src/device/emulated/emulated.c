/* SPDX-License-Identifier: BSD-3-Clause */
/* A GPU emulated on the host: the host's C++ compiler compiles CUDA C++, and its blocks
 * run on the host. Barriers wait and memory accesses are checked. It is for finding bugs;
 * it is slow and never chosen by "auto". */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "device/emulated/emulated_private.h"

enum { MOST_PARTS = 32 };

static bool present(const char **why)
{
    static _Thread_local char said[HOST_TEXT];
    const char *named = getenv("PAV_CXX");
    char path[HOST_TEXT];

    (void)snprintf(said, sizeof said,
                   "PAV_CXX is '%.400s', which is no program that can be started; give "
                   "the path of a C++ compiler alone, or unset it",
                   named ? named : "");
    *why = named && *named
               ? said
               : "there is no C++ compiler; install g++ or clang, or name one "
                 "in PAV_CXX";
    return images_target(".so") || host_find_compiler(LANGUAGE_CXX, path);
}

/* ---- opening ----------------------------------------------------------------------- */

static void close(gpu *base)
{
    emulated_gpu *g = emulated_of(base);

    for (int n = 0; g->block && n < g->blocks; n++)
        emulated_block_close(&g->block[n]);
    mem_free(g->block);
    emulated_cooperative_close(g);
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
                                .shared_multiprocessor = EMULATED_SHARED +
                                                         GPU_BLOCK_RESERVED,
                                .memory = g->limit,
                                .l2 = host_cache(0),
                                .emulated = true};
}

static pav_status open(int number, gpu **result)
{
    emulated_gpu *g = mem_new(1, sizeof *g);

    *result = NULL;
    if (!g)
        return PAV_ENOMEM;
    g->number = number;
    describe(g);
    const pav_status status = open_blocks(g);
    if (status == PAV_OK)
        *result = &g->base;
    else
        close(&g->base);
    return status;
}

/* ---- memory ------------------------------------------------------------------------ */

static int64_t free_memory(const gpu *base)
{
    const emulated_gpu *g = (const emulated_gpu *)(const void *)base;

    return g->limit - base->used;
}

/* The memory is hidden from the host's own code, like the memory of a real GPU. Only the
 * functions below unhide it. */
static pav_status take(gpu *base, int64_t bytes, void **memory)
{
    emulated_gpu *g = emulated_of(base);
    fenced *f = bytes <= g->limit - g->base.used ? fenced_new(bytes) : NULL;

    if (!f || fenced_hide(f, true) != PAV_OK) {
        fenced_free(f);
        return PAV_ENOMEM;
    }
    f->next = g->memory;
    g->memory = f;
    *memory = f->start;
    return PAV_OK;
}

static void give(gpu *base, void *memory)
{
    emulated_gpu *g = emulated_of(base);
    fenced **at = &g->memory;

    while (*at && (*at)->start != memory)
        at = &(*at)->next;
    fenced *f = *at;
    if (!f)
        return;
    *at = f->next;
    fenced_free(f);
}

/* Hides or unhides only the block around these bytes: there may be many blocks, and each
 * system call takes microseconds. */
static pav_status hide(gpu *g, const void *bytes, bool hidden)
{
    const fenced *f = fenced_find(emulated_of(g)->memory, bytes, 0);

    return f ? fenced_hide(f, hidden)
             : FAIL(PAV_EINTERNAL, "the emulated GPU has no such memory");
}

static pav_status fill(gpu *g, void *memory, int byte, int64_t bytes)
{
    TRY(hide(g, memory, false));
    memset(memory, byte, (size_t)bytes);
    return hide(g, memory, true);
}

static pav_status upload(gpu *g, void *to, const void *from, int64_t bytes)
{
    TRY(hide(g, to, false));
    memcpy(to, from, (size_t)bytes);
    return hide(g, to, true);
}

/* Constants are variables of the compiled kernels and are not hidden. */
static pav_status send(gpu *g, void *to, const void *from, int64_t bytes)
{
    if (fenced_find(emulated_of(g)->memory, to, 0))
        return upload(g, to, from, bytes);
    memcpy(to, from, (size_t)bytes);
    return PAV_OK;
}

static pav_status download(gpu *g, void *to, const void *from, int64_t bytes)
{
    TRY(hide(g, from, false));
    memcpy(to, from, (size_t)bytes);
    return hide(g, from, true);
}

static pav_status copy(gpu *g, void *to, const void *from, int64_t bytes)
{
    TRY(hide(g, from, false));
    TRY(hide(g, to, false));
    memmove(to, from, (size_t)bytes);
    TRY(hide(g, from, true));
    return hide(g, to, true);
}

/* ---- work -------------------------------------------------------------------------- */

static pav_status check_fences(const emulated_gpu *g)
{
    for (const fenced *f = g->memory; f; f = f->next)
        if (!fenced_is_whole(f))
            return FAIL(PAV_EDEVICE, "a kernel has written beyond a memory of %lld bytes",
                        (long long)f->bytes);
    return PAV_OK;
}

static pav_status run(emulated_gpu *g, emulated_grid *grid)
{
    TRY(fenced_hide_all(g->memory, false));
    pav_status status = grid->call->together ? emulated_run_cooperative(g, grid)
                                             : emulated_run(g, grid);
    if (status == PAV_OK)
        status = check_fences(g);
    const pav_status hidden = fenced_hide_all(g->memory, true);
    return status == PAV_OK ? hidden : status;
}

static pav_status launch(gpu *base, const gpu_call *call)
{
    const emulated_kernel *k = (const emulated_kernel *)(const void *)call->kernel;
    emulated_gpu *g = emulated_of(base);
    emulated_grid *grid = mem_new(1, sizeof *grid);

    if (!grid)
        return PAV_ENOMEM;
    grid->call = call;
    grid->kernel = k;
    grid->memory = g->memory;
    grid->seed = settings_emulated_order();
    grid->total = call->blocks[0] * call->blocks[1] * call->blocks[2];
    grid->number = g->launches++;
    const uintptr_t at = (uintptr_t)grid->room;
    grid->argument = grid->room + (EMULATED_SUITS - at % EMULATED_SUITS);
    memcpy(grid->argument, call->argument, (size_t)call->argument_bytes);
    const pav_status status = run(g, grid);
    mem_free(grid);
    return status;
}

static bool reads(gpu *g, gpu *other)
{
    return emulated_of(g)->number == emulated_of(other)->number ||
           settings_emulated_peers(emulated_of(g)->number, emulated_of(other)->number);
}

static pav_status launch_reading(gpu *base, gpu *other, const gpu_call *call)
{
    TRY(fenced_hide_all(emulated_of(other)->memory, false));
    const pav_status status = launch(base, call);
    const pav_status hidden = fenced_hide_all(emulated_of(other)->memory, true);
    return status == PAV_OK ? hidden : status;
}

static pav_status wait(gpu *g)
{
    (void)g;
    return PAV_OK;
}

static pav_status mark(gpu *g, int number)
{
    emulated_of(g)->mark[number] = clock_seconds();
    return PAV_OK;
}

static pav_status seconds(gpu *g, int from, int to, double *result)
{
    *result = emulated_of(g)->mark[to] - emulated_of(g)->mark[from];
    return PAV_OK;
}

/* Unhides the memory for the calling library; the next launch hides it again. */
static pav_status enter(gpu *g, void *memory, void **stream)
{
    *stream = NULL;
    return memory ? hide(g, memory, false) : PAV_OK;
}

static void leave(gpu *g)
{
    (void)g;
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
    .exchange = emulated_exchange,
    .exchanged = emulated_exchanged,
    .pin = emulated_pin,
    .unpin = emulated_unpin,
    .compile = emulated_compile,
    .discard = emulated_discard,
    .note = emulated_note,
    .find = emulated_find,
    .constant = emulated_constant,
    .send = send,
    .launch = launch,
    .reads = reads,
    .launch_reading = launch_reading,
    .enter = enter,
    .leave = leave,
    .cooperative_blocks = emulated_cooperative_blocks,
    .wait = wait,
    .mark = mark,
    .seconds = seconds,
    .map_tensor = emulated_map_tensor,
    .record = emulated_record,
    .replay = emulated_replay,
    .forget = emulated_forget,
};

const device_ops emulated_device = {
    .name = "emulated",
    .about = "runs what is meant for a GPU on the host, to find mistakes; slow",
    .present = present,
    .rank = 0,
    .gpu = &ops,
    .most = 16,
    .peers = settings_emulated_peers,
};
