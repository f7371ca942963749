/* SPDX-License-Identifier: BSD-3-Clause */
/* A GPU emulated on the host: the host's C++ compiler compiles CUDA C++, and its blocks
 * run on the host. Barriers wait and memory accesses are checked. It is for finding
 * bugs; it is slow and never chosen by "auto". */
#define _GNU_SOURCE
#include <ctype.h>
#include <errno.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "device/emulated/emulated_private.h"

/* ---- the text for the compiler ----------------------------------------------------- */

/* Turns CUDA C++ into C++ for the host: the definitions of src/code/kernels/emulated, the
 * unchanged source, and for each kernel an entry function. The entry function takes only
 * the address of the argument, because the host does not know its type. */

extern const char shim_base[], shim_math[], shim_warp[], shim_copy[], shim_atomic[];

#define QUOTED(...) #__VA_ARGS__
#define WORDS(...) QUOTED(__VA_ARGS__)

/* ---- finding kernels --------------------------------------------------------------- */

typedef struct scan {
    const char *at, *end;
} scan;

typedef struct kernel_name {
    char name[EMULATED_NAME];
    int most_threads;
} kernel_name;

static bool starts(const scan *s, const char *word)
{
    const size_t length = strlen(word);

    return (size_t)(s->end - s->at) >= length && memcmp(s->at, word, length) == 0;
}

static void skip_to(scan *s, const char *word)
{
    while (s->at < s->end && !starts(s, word))
        s->at++;
    s->at = s->at < s->end ? s->at + strlen(word) : s->end;
}

/* Skips one comment, literal, word or other character. Returns the length of the word, or
 * 0. */
static size_t step(scan *s)
{
    const char *begin = s->at;

    if (starts(s, "//"))
        skip_to(s, "\n");
    else if (starts(s, "/*"))
        skip_to(s, "*/");
    else if (starts(s, "\"")) {
        s->at++;
        skip_to(s, "\"");
    } else if (char_is_of_word(*s->at)) {
        while (s->at < s->end && char_is_of_word(*s->at))
            s->at++;
        return (size_t)(s->at - begin);
    } else {
        s->at++;
    }
    return 0;
}

static bool is_word(const scan *s, size_t length, const char *word)
{
    return length == strlen(word) && memcmp(s->at - length, word, length) == 0;
}

static void skip_brackets(scan *s)
{
    int open = 0;

    do {
        open += *s->at == '(';
        open -= *s->at == ')';
        s->at++;
    } while (open > 0 && s->at < s->end);
}

/* Reads the name after __global__: the word before the first bracket, skipping
 * attributes. */
static bool read_name(scan *s, kernel_name *found)
{
    found->most_threads = EMULATED_THREADS;
    found->name[0] = '\0';
    while (s->at < s->end && *s->at != ';' && *s->at != '{') {
        if (*s->at == '(' && found->name[0]) {
            /* After a kernel's name: true if this is its definition, not only a
             * declaration. */
            skip_brackets(s);
            while (s->at < s->end && *s->at != ';' && *s->at != '{')
                (void)step(s);
            return s->at < s->end && *s->at == '{';
        }
        const size_t length = step(s);
        if (is_word(s, length, "__launch_bounds__") && s->at + 1 < s->end) {
            const long most = strtol(s->at + 1, NULL, 10);
            if (most > 0 && most < EMULATED_THREADS)
                found->most_threads = (int)most;
        }
        if (length > 2 && memcmp(s->at - length, "__", 2) == 0 && s->at < s->end &&
            *s->at == '(')
            skip_brackets(s);
        else if (length > 0 && length < EMULATED_NAME) {
            memcpy(found->name, s->at - length, length);
            found->name[length] = '\0';
        }
    }
    return false;
}

/* Finds the next kernel after *at; false if there is none. */
static bool next_kernel(const char *source, int64_t length, int64_t *at,
                        kernel_name *found)
{
    scan s = {source + *at, source + length};
    bool good = false;

    while (!good && s.at < s.end)
        good = is_word(&s, step(&s), "__global__") && read_name(&s, found);
    *at = s.at - source;
    return good;
}

/* ---- modules ----------------------------------------------------------------------- */

typedef struct emulated_module {
    gpu_module base;
    host_module *object;
    emulated_kernel *kernel;
} emulated_module;

static void emulated_discard(gpu_module *base)
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

static pav_status add_kernel(emulated_module *m, const kernel_name *named)
{
    char symbol[2 * EMULATED_NAME];
    emulated_kernel *k = mem_new(1, sizeof *k);

    if (!k)
        return PAV_ENOMEM;
    (void)snprintf(symbol, sizeof symbol, "emulated_enter_%s", named->name);
    *k = (emulated_kernel){.base.facts.most_threads = named->most_threads,
                           .enter = (emulated_enter *)host_module_find(m->object, symbol),
                           .next = m->kernel};
    memcpy(k->name, named->name, sizeof k->name);
    k->place = (emulated_place *)host_module_find(m->object, "emulated_place");
    m->kernel = k;
    return PAV_OK;
}

/* Compiles without optimisation. Optimised code would be three times faster, but
 * compiling it takes twenty times longer than most emulated runs. */
static pav_status emulated_compile(gpu *g, const char *source, int64_t length,
                                   unsigned how, gpu_module **result)
{
    emulated_module *m = mem_new(1, sizeof *m);
    kernel_name named;
    OWNED_BY(text_free) text t = {0};

    *result = NULL;
    if (!m)
        return PAV_ENOMEM;
    (void)g;
    static const char *const parts[] = {shim_base, shim_math, shim_warp, shim_copy,
                                        shim_atomic};
    kernel_name found;
    text_add(&t, "%s\n", WORDS(EMULATED_WORDS));
    for (size_t k = 0; k < COUNT_OF(parts); k++)
        text_add(&t, "%s", parts[k]);
    text_add(&t, "#line 1 \"kernels.cu\"\n");
    text_add_bytes(&t, source, length);
    text_add(&t, "\n#line 1 \"calls\"\n");
    for (int64_t at = 0; next_kernel(source, length, &at, &found);)
        text_add(&t, "EMULATED_KERNEL(%s)\n", found.name);
    pav_status status = t.failed ? PAV_ENOMEM
                                 : module_open(LANGUAGE_CXX, t.data, t.length, NULL,
                                               how | HOST_QUICK, &m->object);
    for (int64_t at = 0; status == PAV_OK && next_kernel(source, length, &at, &named);)
        status = add_kernel(m, &named);
    if (status == PAV_OK)
        *result = &m->base;
    else
        emulated_discard(&m->base);
    return status;
}

static const char *emulated_note(const gpu_module *base)
{
    return host_module_note(((const emulated_module *)(const void *)base)->object);
}

/* Does not check the size: the host's loader does not report it. */
static void *emulated_constant(gpu_module *base, const char *name, int64_t bytes)
{
    const emulated_module *m = (emulated_module *)(void *)base;

    (void)bytes;
    return host_module_variable(m->object, name);
}

static gpu_kernel *emulated_find(gpu_module *base, const char *name)
{
    emulated_kernel *k = ((emulated_module *)(void *)base)->kernel;

    while (k && strcmp(k->name, name) != 0)
        k = k->next;
    return k ? &k->base : NULL;
}

enum {
    MOST_STACKS = 8192 /* stacks of all threads; the system limits the number of maps */
};

typedef struct launch_work {
    emulated_gpu *gpu;
    emulated_grid *grid;
    int64_t few; /* blocks taken at a time */
    atomic_llong next;
    atomic_bool failed;
} launch_work;

static void run_part(void *argument, int64_t part)
{
    launch_work *w = argument;
    emulated_block *b = &w->gpu->block[part];

    emulated_block_enter(b, w->grid);
    while (!b->failed && !atomic_load(&w->failed)) {
        const int64_t first = atomic_fetch_add(&w->next, w->few);
        if (first >= w->grid->total)
            break;
        const int64_t total = w->grid->total, end = int64_least(first + w->few, total);
        for (int64_t n = first; n < end && !b->failed; n++)
            emulated_block_run(b, w->grid->number % 2 ? total - 1 - n : n);
    }
    emulated_block_leave(b);
    if (b->failed)
        atomic_store(&w->failed, true);
}

/* Reports the first failed block in launch order. This is the same block in every run,
 * because each thread finishes the blocks it has taken even after others failed. */
static pav_status emulated_run(emulated_gpu *g, emulated_grid *grid)
{
    const int *threads = grid->call->threads;
    const int64_t most = MOST_STACKS / (threads[0] * threads[1] * threads[2]);
    const int64_t parts = int64_most(
        1, int64_least(most, int64_least(grid->total, g->blocks)));
    const int64_t few = grid->total / parts / 8;
    launch_work w = {.gpu = g, .grid = grid, .few = few < 1 ? 1 : few < 64 ? few : 64};
    const emulated_block *first = NULL;
    const bool backwards = grid->number % 2 != 0;

    fault_watch();
    host_team_run(g->team, parts, run_part, &w);
    fault_unwatch();
    for (int64_t n = 0; n < parts; n++) {
        const emulated_block *b = &g->block[n];
        if (b->failed && (!first || (b->number < first->number) != backwards))
            first = b;
    }
    return first ? FAIL(PAV_EDEVICE, "%s", first->failure) : PAV_OK;
}

/* ---- cooperative launches ---------------------------------------------------------- */

/* All blocks exist at once and may wait for each other. They take turns on one host
 * thread in changing order. A turn lasts until all threads of the block wait for other
 * blocks. Static shared variables of a kernel are thread-local variables of the host
 * thread, so each turn swaps in the block's own values. */

static int64_t emulated_cooperative_blocks(const gpu_kernel *k, int threads,
                                           int64_t shared)
{
    const gpu_facts *f = &k->module->owner->facts;
    const int64_t by_memory = f->shared_multiprocessor / (shared + GPU_BLOCK_RESERVED);
    const int64_t by_threads = gpu_facts_architecture(f)->threads / threads;
    const int64_t most = by_memory < by_threads ? by_memory : by_threads;
    const int64_t all = most * f->multiprocessors, stacks = MOST_STACKS / threads;

    return all < stacks ? all : stacks;
}

/* ---- turns ------------------------------------------------------------------------- */

static void begin_turn(emulated_block *b, const emulated_grid *grid)
{
    const bool failed = b->failed;

    emulated_block_enter(b, grid);
    b->failed = failed;
    memcpy(b->fixed, b->kept, (size_t)b->fixed_bytes);
}

static void end_turn(emulated_block *b)
{
    if (b->kept)
        memcpy(b->kept, b->fixed, (size_t)b->fixed_bytes);
    emulated_block_leave(b);
}

/* Each round starts with another block, so no block is always ahead of another. */
static bool take_repetitions(emulated_gpu *g, const emulated_grid *grid, rng *random)
{
    const int64_t first = rng_below(random, grid->total);
    bool any = false, failed = false;

    for (int64_t n = 0; n < grid->total && !failed; n++) {
        emulated_block *b = &g->crowd[(first + n) % grid->total];
        if (b->left > 0) {
            begin_turn(b, grid);
            any = emulated_block_advance(b) || any;
            end_turn(b);
        }
        failed = b->failed;
    }
    return any && !failed;
}

/* ---- the launch -------------------------------------------------------------------- */

static emulated_block *find_failed(emulated_gpu *g, const emulated_grid *grid)
{
    for (int64_t n = 0; n < grid->total; n++)
        if (g->crowd[n].failed)
            return &g->crowd[n];
    return NULL;
}

static pav_status begin_all(emulated_gpu *g, const emulated_grid *grid)
{
    const int64_t count = int64_most(grid->total, g->together);

    if (count > g->together)
        TRY(mem_extend(&g->crowd, count, sizeof *g->crowd));
    while (g->together < count) {
        emulated_block *b = &g->crowd[g->together++];
        *b = (emulated_block){0};
        TRY(emulated_block_open(b));
    }
    for (int64_t n = 0; n < grid->total; n++) {
        emulated_block *b = &g->crowd[n];
        emulated_block_enter(b, grid);
        mem_free(b->kept);
        b->kept = mem_new(b->fixed_bytes, 1);
        if (b->kept)
            emulated_block_begin(b, n);
        end_turn(b);
        if (!b->kept)
            return PAV_ENOMEM;
    }
    return PAV_OK;
}

static pav_status emulated_run_cooperative(emulated_gpu *g, emulated_grid *grid)
{
    rng random = {hash_mix(grid->seed ^ (uint64_t)grid->number)};

    TRY(begin_all(g, grid));
    fault_watch();
    while (take_repetitions(g, grid, &random)) {
    }
    /* If no block could go on, an unfinished block would wait for ever. */
    emulated_block *failed = find_failed(g, grid);
    for (int64_t n = 0; n < grid->total; n++) {
        emulated_block *b = &g->crowd[n];
        begin_turn(b, grid);
        if (!failed && b->left > 0)
            emulated_stuck(b);
        emulated_block_end(b);
        end_turn(b);
        failed = failed ? failed : find_failed(g, grid);
    }
    fault_unwatch();
    return failed ? FAIL(PAV_EDEVICE, "%s", failed->failure) : PAV_OK;
}

/* ---- fenced memory ----------------------------------------------------------------- */

/* Memory between inaccessible pages, and full of NaN before writing. Its end is less
 * than 256 bytes before such a page. A change to the poison in between reveals a write
 * beyond the end. */

enum { FENCE = 1 << 20, ALIGNMENT = 256 };

/* The accessible part of the map. */
static char *inside(const fenced *f)
{
    return f->map + FENCE;
}

static char *inside_end(const fenced *f)
{
    return f->map + f->mapped - FENCE;
}

fenced *fenced_new(int64_t bytes)
{
    fenced *f = mem_new(1, sizeof *f);
    const int64_t owned = int_rounded(bytes, sysconf(_SC_PAGESIZE));

    if (!f)
        return NULL;
    f->bytes = bytes;
    f->mapped = owned + 2 * (int64_t)FENCE;
    f->map = mmap(NULL, (size_t)f->mapped, PROT_NONE,
                  MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    if (f->map == MAP_FAILED) {
        mem_free(f);
        return NULL;
    }
    if (mprotect(inside(f), (size_t)owned, PROT_READ | PROT_WRITE) != 0) {
        fenced_free(f);
        return NULL;
    }
    f->start = inside_end(f) - int_rounded(bytes, ALIGNMENT);
    memset(inside(f), EMULATED_POISON, (size_t)owned);
    return f;
}

void fenced_free(fenced *f)
{
    if (f)
        (void)munmap(f->map, (size_t)f->mapped);
    mem_free(f);
}

static pav_status fenced_hide(const fenced *f, bool hidden)
{
    const int allowed = hidden && !f->shared ? PROT_NONE : PROT_READ | PROT_WRITE;

    return mprotect(inside(f), (size_t)(inside_end(f) - inside(f)), allowed) == 0
               ? PAV_OK
               : FAIL(PAV_ENOMEM,
                      "the system cannot %s %lld bytes of an emulated GPU: %s",
                      hidden ? "hide" : "show", (long long)f->bytes, strerror(errno));
}

bool fenced_show(fenced *list, const char *address)
{
    fenced *f = fenced_around(list, address);

    if (!f || address < inside(f) || address >= inside_end(f))
        return false;
    f->shown = true;
    return fenced_hide(f, false) == PAV_OK;
}

bool poison_is_kept(const char *from, const char *end)
{
    for (; from < end; from++)
        if ((unsigned char)*from != EMULATED_POISON)
            return false;
    return true;
}

static bool fenced_is_whole(const fenced *f)
{
    const char *near = f->start - inside(f) > 4096 ? f->start - 4096 : inside(f);

    return poison_is_kept(near, f->start) &&
           poison_is_kept(f->start + f->bytes, inside_end(f));
}

/* Hides the memory that a launch has touched, and checks its poison. */
static pav_status hide_touched_memory(fenced *list, bool failed)
{
    for (fenced *f = list; f; f = f->next) {
        if (!f->shown)
            continue;
        if (!failed && !fenced_is_whole(f))
            return FAIL(PAV_EDEVICE, "a kernel has written beyond a memory of %lld bytes",
                        (long long)f->bytes);
        f->shown = f->shared;
        TRY(fenced_hide(f, true));
    }
    return PAV_OK;
}

fenced *fenced_around(fenced *list, const char *address)
{
    while (list && (address < list->map || address >= list->map + list->mapped))
        list = list->next;
    return list;
}

const fenced *fenced_find(const fenced *list, const void *at, int64_t bytes)
{
    while (list && !block_holds(list->start, list->bytes, at, bytes))
        list = list->next;
    return list;
}

/* ---- copies concurrent with kernels ------------------------------------------------ */

/* A GPU may make them at any time between the beginning
 * and the end of an exchange. Here half of them are made at once and the others at the
 * end; $PAV_EMULATED_ORDER chooses the half. */

static bool is_early(const emulated_gpu *g, int64_t n)
{
    uint64_t mixed = (settings_emulated_order() + 1) * UINT64_C(0x9e3779b97f4a7c15) +
                     (uint64_t)(31 * g->exchanges + n) * UINT64_C(0xd1342543de82ef95);
    return (mixed ^ mixed >> 29) >> 32 & 1;
}

static pav_status copy_some(gpu *base, bool early)
{
    emulated_gpu *g = emulated_of(base);

    for (int64_t n = 0; n < g->transfers; n++) {
        const gpu_transfer *t = &g->transfer[n];
        if (t->bytes != 0 && is_early(g, n) == early)
            TRY(t->up ? base->ops->upload(base, t->there, t->here, t->bytes)
                      : base->ops->download(base, t->here, t->there, t->bytes));
    }
    return PAV_OK;
}

static pav_status begin_exchange(gpu *base, const gpu_transfer *list, int64_t count)
{
    emulated_gpu *g = emulated_of(base);
    const double now = clock_seconds();
    g->transfer = list;
    g->transfers = count;
    if (g->exchanges++ == 0)
        g->first_exchange = now;
    g->exchange.begun = now - g->first_exchange;
    return copy_some(base, true);
}

static pav_status end_exchange(gpu *base)
{
    emulated_gpu *g = emulated_of(base);
    g->exchange.work = clock_seconds() - g->first_exchange;
    TRY(copy_some(base, false));
    g->exchange.up = g->exchange.down = clock_seconds() - g->first_exchange;
    exchange_note(base, g->exchange);
    return PAV_OK;
}

/* $PAV_EMULATED_PIN=0 refuses pinning, like a system with a low limit of locked
 * memory. */
static pav_status pin(gpu *g, void *here, int64_t bytes)
{
    const char *allowed = getenv("PAV_EMULATED_PIN");
    (void)here;
    return allowed && strcmp(allowed, "0") == 0
               ? FAIL(PAV_ENOMEM, "pinning %lld bytes of memory failed on %s",
                      (long long)bytes, g->name)
               : PAV_OK;
}

static void unpin(gpu *g, void *here)
{
    (void)g, (void)here;
}

/* ---- graphs: launches, kept with their arguments ----------------------------------- */

struct gpu_graph {
    int64_t count;
    gpu_call *call;
    char *arguments;
};

static void forget(gpu *g, gpu_graph *graph)
{
    (void)g;
    MEM_FREE_ALL(graph->call, graph->arguments, graph);
}

static pav_status record(gpu *g, const gpu_call *call, int64_t count, gpu_graph **result)
{
    gpu_graph *graph = mem_new(1, sizeof *graph);
    int64_t bytes = 0;

    if (!graph)
        return PAV_ENOMEM;
    for (int64_t k = 0; k < count; k++)
        bytes += call[k].argument_bytes;
    *graph = (gpu_graph){count, mem_new(count, sizeof *call), mem_new(bytes, 1)};
    if (!graph->call || !graph->arguments) {
        forget(g, graph);
        return PAV_ENOMEM;
    }
    char *at = graph->arguments;
    for (int64_t k = 0; k < count; k++) {
        memcpy(at, call[k].argument, (size_t)call[k].argument_bytes);
        graph->call[k] = call[k];
        graph->call[k].argument = at;
        at += call[k].argument_bytes;
    }
    *result = graph;
    return PAV_OK;
}

static pav_status replay(gpu *g, gpu_graph *graph)
{
    for (int64_t k = 0; k < graph->count; k++)
        TRY(g->ops->launch(g, &graph->call[k]));
    return PAV_OK;
}

enum { MOST_PARTS = 32 };

static bool present(const char **why)
{
    return host_has_compiler(LANGUAGE_CXX, why);
}

/* ---- opening ----------------------------------------------------------------------- */

static void close_gpu(gpu *base)
{
    emulated_gpu *g = emulated_of(base);

    for (int n = 0; g->block && n < g->blocks; n++)
        emulated_block_close(&g->block[n]);
    mem_free(g->block);
    for (int64_t n = 0; n < g->together; n++)
        emulated_block_close(&g->crowd[n]);
    mem_free(g->crowd);
    host_team_close(g->team);
    mem_free(g);
}

static pav_status open(int number, gpu **result)
{
    const int64_t available = mem_available();
    emulated_gpu *g = mem_new(1, sizeof *g);

    *result = NULL;
    if (!g)
        return PAV_ENOMEM;
    *g = (emulated_gpu){.number = number,
                        .limit = available > 0 ? available / 2 : (int64_t)1 << 30,
                        .blocks = int_least(host_threads(), MOST_PARTS)};
    g->base.facts = (gpu_facts){.name = "emulated",
                                .major = 9,
                                .multiprocessors = 4,
                                .shared_block = EMULATED_SHARED,
                                .shared_multiprocessor = EMULATED_SHARED +
                                                         GPU_BLOCK_RESERVED,
                                .memory = g->limit,
                                .l2 = host_cache(0),
                                .emulated = true};
    g->block = mem_new(g->blocks, sizeof *g->block);
    pav_status status = g->block ? PAV_OK : PAV_ENOMEM;
    for (int n = 0; n < g->blocks && status == PAV_OK; n++)
        status = emulated_block_open(&g->block[n]);
    if (status == PAV_OK)
        status = host_team_open(g->blocks, HOST_BIND_NONE, &g->team);
    if (status == PAV_OK)
        *result = &g->base;
    else
        close_gpu(&g->base);
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

/* Memory stays hidden until a kernel touches it: the fault shows this memory alone. So a
 * launch costs nothing for memory of other grids. */
static pav_status launch_on(gpu *base, fenced *peers, const gpu_call *call)
{
    const emulated_kernel *k = (const emulated_kernel *)(const void *)call->kernel;
    emulated_gpu *g = emulated_of(base);
    OWNED_NEW(emulated_grid, grid, 1);

    *grid = (emulated_grid){.call = call,
                            .kernel = k,
                            .memory = g->memory,
                            .peers = peers,
                            .seed = settings_emulated_order(),
                            .total = call->blocks[0] * call->blocks[1] * call->blocks[2],
                            .number = g->launches++};
    const uintptr_t at = (uintptr_t)grid->room;
    grid->argument = grid->room + (EMULATED_SUITS - at % EMULATED_SUITS);
    memcpy(grid->argument, call->argument, (size_t)call->argument_bytes);
    pav_status status = call->together ? emulated_run_cooperative(g, grid)
                                       : emulated_run(g, grid);
    const pav_status own = hide_touched_memory(g->memory, status != PAV_OK);
    status = status == PAV_OK ? own : status;
    const pav_status other = hide_touched_memory(peers, status != PAV_OK);
    return status == PAV_OK ? other : status;
}

static pav_status launch(gpu *base, const gpu_call *call)
{
    return launch_on(base, NULL, call);
}

static bool reads(gpu *g, gpu *other)
{
    return emulated_of(g)->number == emulated_of(other)->number ||
           settings_emulated_peers(emulated_of(g)->number, emulated_of(other)->number);
}

static pav_status launch_reading(gpu *base, gpu *other, const gpu_call *call)
{
    return launch_on(base, emulated_of(other)->memory, call);
}

static pav_status wait(gpu *g)
{
    (void)g;
    return PAV_OK;
}

/* The block is never hidden again. Kernels do not fault there: it counts as touched. */
static pav_status share(gpu *g, void *memory)
{
    fenced *f = fenced_around(emulated_of(g)->memory, memory);

    if (f) {
        f->shared = true;
        f->shown = true;
    }
    return hide(g, memory, false);
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
    .close = close_gpu,
    .free_memory = free_memory,
    .take = take,
    .give = give,
    .fill = fill,
    .upload = upload,
    .download = download,
    .copy = copy,
    .exchange = begin_exchange,
    .exchanged = end_exchange,
    .pin = pin,
    .unpin = unpin,
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
    .share = share,
    .mark = mark,
    .seconds = seconds,
    .map_tensor = emulated_map_tensor,
    .record = record,
    .replay = replay,
    .forget = forget,
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
