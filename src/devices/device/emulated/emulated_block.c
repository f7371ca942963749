/* SPDX-License-Identifier: BSD-3-Clause */
/* One block of an emulated GPU. Its threads take turns on one host thread and yield only
 * at barriers, shuffles and waits. The order of turns is forward, backward or random. It
 * differs between blocks and launches but is the same in every run. A warp runs as long
 * as any of its threads can. So a read before a missing barrier gives a wrong value in
 * some order. */
#define _GNU_SOURCE
#include <link.h>
#include <pthread.h>
#include <signal.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <ucontext.h>

#include "device/emulated/emulated_private.h"

/* ---- fibres ------------------------------------------------------------------------ */

/* The threads of a block on one host thread. Each has its own stack, and
 * execution switches between stacks at barriers. Registers preserved across calls are
 * saved on the stack being left. */

#ifndef __has_feature /* clang's; gcc has a macro in its place */
#define __has_feature(name) 0
#endif
#if defined __SANITIZE_ADDRESS__ || __has_feature(address_sanitizer)
#include <sanitizer/asan_interface.h>
/* For a fibre leaving its stack for good, while AddressSanitizer still watches variables
 * there. */
#else
#define ASAN_UNPOISON_MEMORY_REGION(start, size) ((void)(start))
#endif

enum { STACK = 256 << 10, GUARD = 1 << 16 };

/* The end of the stack; NULL if memory runs out. */
static char *fibre_stack_take(fibre_stacks *s)
{
    if (s->left > 0)
        return s->free[--s->left];
    char *map = mmap(NULL, GUARD + STACK, PROT_NONE,
                     MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    if (map == MAP_FAILED)
        return NULL;
    if (mprotect(map + GUARD, STACK, PROT_READ | PROT_WRITE) == 0)
        return s->all[s->made++] = map + GUARD + STACK;
    (void)munmap(map, GUARD + STACK);
    return NULL;
}

/* ---- switching --------------------------------------------------------------------- */

/* Saves the present fibre in *from and continues the fibre `to`. */
void fibre_switch(void **from, void *to);

/* fibre_new: a start for fibre_switch to a new fibre. `begin` must never return. */
#if defined(__x86_64__)
__asm__(".text\n"
        ".globl fibre_switch\n"
        ".hidden fibre_switch\n"
        ".type fibre_switch, @function\n"
        "fibre_switch:\n"
        "    pushq %rbp\n"
        "    pushq %rbx\n"
        "    pushq %r12\n"
        "    pushq %r13\n"
        "    pushq %r14\n"
        "    pushq %r15\n"
        "    movq %rsp, (%rdi)\n"
        "    movq %rsi, %rsp\n"
        "    popq %r15\n"
        "    popq %r14\n"
        "    popq %r13\n"
        "    popq %r12\n"
        "    popq %rbx\n"
        "    popq %rbp\n"
        "    ret\n"
        ".size fibre_switch, . - fibre_switch\n");

/* The initial stack holds six registers, the return address `begin`, and a dummy return
 * address for `begin`. */
enum { SLOTS = 8, BEGIN_SLOT = 6 };
#elif defined(__aarch64__)
__asm__(".text\n"
        ".globl fibre_switch\n"
        ".hidden fibre_switch\n"
        ".type fibre_switch, %function\n"
        "fibre_switch:\n"
        "    stp x19, x20, [sp, #-160]!\n"
        "    stp x21, x22, [sp, #16]\n"
        "    stp x23, x24, [sp, #32]\n"
        "    stp x25, x26, [sp, #48]\n"
        "    stp x27, x28, [sp, #64]\n"
        "    stp x29, x30, [sp, #80]\n"
        "    stp d8, d9, [sp, #96]\n"
        "    stp d10, d11, [sp, #112]\n"
        "    stp d12, d13, [sp, #128]\n"
        "    stp d14, d15, [sp, #144]\n"
        "    mov x2, sp\n"
        "    str x2, [x0]\n"
        "    mov sp, x1\n"
        "    ldp x21, x22, [sp, #16]\n"
        "    ldp x23, x24, [sp, #32]\n"
        "    ldp x25, x26, [sp, #48]\n"
        "    ldp x27, x28, [sp, #64]\n"
        "    ldp x29, x30, [sp, #80]\n"
        "    ldp d8, d9, [sp, #96]\n"
        "    ldp d10, d11, [sp, #112]\n"
        "    ldp d12, d13, [sp, #128]\n"
        "    ldp d14, d15, [sp, #144]\n"
        "    ldp x19, x20, [sp], #160\n"
        "    ret\n"
        ".size fibre_switch, . - fibre_switch\n");

/* The link register is the eleventh of twenty. */
enum { SLOTS = 20, BEGIN_SLOT = 11 };
#else
void fibre_switch(void **from, void *to)
{
    ucontext_t here;

    *from = &here;
    (void)swapcontext(&here, to);
}

/* The context lies at the far end of the stack; it is not needed after the start. */
static void *fibre_new(char *stack, void (*begin)(void))
{
    ucontext_t *made = (ucontext_t *)(void *)(stack - STACK);

    (void)getcontext(made);
    made->uc_stack.ss_sp = made + 1;
    made->uc_stack.ss_size = STACK - sizeof *made;
    made->uc_link = NULL;
    makecontext(made, begin, 0);
    return made;
}
#endif
#if defined(__x86_64__) || defined(__aarch64__)
static void *fibre_new(char *stack, void (*begin)(void))
{
    void **top = (void **)(void *)stack - SLOTS;

    memset(top, 0, SLOTS * sizeof *top);
    memcpy(&top[BEGIN_SLOT], &begin, sizeof begin);
    return top;
}
#endif

/* ---- failures ---------------------------------------------------------------------- */

enum { SIGNALS = 1 << 16, SUITS = 128 /* alignment of every copy */, NEAR = 1024 };
enum turn_order { SHUFFLED, BACKWARDS, FORWARDS, TURN_ORDERS };

static _Thread_local emulated_block *now;

emulated_block *emulated_block_now(void)
{
    return now && now->current >= 0 ? now : NULL;
}

static struct emulated_index split(int64_t number, const int64_t extent[3])
{
    return (struct emulated_index){(unsigned)(number % extent[0]),
                                   (unsigned)(number / extent[0] % extent[1]),
                                   (unsigned)(number / extent[0] / extent[1])};
}

static struct emulated_index thread_of(const emulated_block *b, int lane)
{
    const int *threads = b->grid->call->threads;
    const int64_t extent[3] = {threads[0], threads[1], threads[2]};

    return split(lane, extent);
}

static void leave(emulated_block *b)
{
    void *forgotten;

    if (b->current >= 0 && !b->caught)
        fibre_switch(&forgotten, b->scheduler);
}

static void abandon(void)
{
    now->caught = false;
    leave(now);
}

void emulated_fail(emulated_block *b, int lane, const char *format, ...)
{
    const struct emulated_index at = split(b->number, b->grid->call->blocks);
    const struct emulated_index thread = thread_of(b, lane < 0 ? 0 : lane);
    char who[64] = "", what[EMULATED_FAILURE / 2];
    va_list list;

    if (lane >= 0)
        (void)snprintf(who, sizeof who, ", thread (%u, %u, %u)", thread.x, thread.y,
                       thread.z);
    va_start(list, format);
    (void)vsnprintf(what, sizeof what, format, list);
    va_end(list);
    (void)snprintf(b->failure, sizeof b->failure, "kernel %s, block (%u, %u, %u)%s %s",
                   b->grid->kernel->name, at.x, at.y, at.z, who, what);
    b->failed = true;
    leave(b);
}

/* ---- turns ------------------------------------------------------------------------- */

static void put_in_order(emulated_block *b, int *order, int count)
{
    for (int n = 0; n < count; n++)
        order[n] = b->turn_order == BACKWARDS ? count - 1 - n : n;
    for (int n = count - 1; n > 0 && b->turn_order == SHUFFLED; n--) {
        const int m = (int)rng_below(&b->random, n + 1), kept = order[n];
        order[n] = order[m];
        order[m] = kept;
    }
}

static void run_lane(void)
{
    emulated_block *b = now;

    b->grid->kernel->enter(b->grid->argument);
    b->lane[b->current].state = LANE_DONE;
    leave(b);
}

static void end_lane(emulated_block *b, emulated_lane *l)
{
    if (l->stack) {
        ASAN_UNPOISON_MEMORY_REGION(l->stack - STACK, STACK);
        b->stacks.free[b->stacks.left++] = l->stack;
    }
    l->stack = NULL;
    l->state = LANE_DONE;
    b->left--;
}

static void resume(emulated_block *b, int lane)
{
    emulated_lane *l = &b->lane[lane];

    if (l->state == LANE_NEW) {
        l->stack = fibre_stack_take(&b->stacks);
        if (!l->stack) {
            emulated_fail(b, -1, "finds no memory for the stacks of %d threads",
                          b->threads);
            return;
        }
        l->top = fibre_new(l->stack, run_lane);
        l->state = LANE_READY;
    }
    b->current = lane;
    b->here->thread = thread_of(b, lane);
    fibre_switch(&b->scheduler, l->top);
    b->current = -1;
    if (l->state == LANE_DONE)
        end_lane(b, l);
}

void emulated_suspend(emulated_block *b)
{
    emulated_lane *l = &b->lane[b->current];

    fibre_switch(&l->top, b->scheduler);
}

/* Runs a warp until none of its threads can go on. */
static bool run_warp(emulated_block *b, int warp)
{
    bool any = false, again = true;

    while (again) {
        again = false;
        for (int k = 0; k < EMULATED_LANES; k++) {
            const int lane = warp * EMULATED_LANES + b->order[k];
            if (lane >= b->threads || b->lane[lane].state > LANE_READY)
                continue;
            resume(b, lane);
            any = again = true;
            if (b->failed || b->released)
                return true;
        }
    }
    return any;
}

static bool run_warps(emulated_block *b)
{
    bool any = emulated_inspect(b);

    b->released = false;
    put_in_order(b, b->warp, b->warps);
    for (int k = 0; k < b->warps && !b->failed && !b->released; k++)
        any |= run_warp(b, b->warp[k]);
    return any;
}

/* ---- a block ----------------------------------------------------------------------- */

void emulated_block_end(emulated_block *b)
{
    const char *start = b->here->shared, *end = start + b->grid->call->shared;

    if (!b->failed && b->bulk.count > 0)
        emulated_fail(b, -1,
                      "ends while %lld copies into its shared memory are under way",
                      (long long)b->bulk.count);
    if (!b->failed && !(poison_is_kept(start - NEAR, start) &&
                        poison_is_kept(end, b->shared->start + b->shared->bytes)))
        emulated_fail(b, -1, "wrote outside of its %lld bytes of shared memory",
                      (long long)b->grid->call->shared);
    for (int n = 0; n < b->threads; n++)
        if (b->lane[n].state != LANE_DONE)
            end_lane(b, &b->lane[n]);
    b->bulk.count = 0;
}

void emulated_block_begin(emulated_block *b, int64_t number)
{
    const emulated_grid *g = b->grid;
    const int *threads = g->call->threads;
    const int64_t *blocks = g->call->blocks;
    const int64_t room = int_rounded(g->call->shared, SUITS);
    char *start = b->shared->start + b->shared->bytes - room;

    b->number = number;
    b->random = (rng){
        hash_mix(g->seed ^ hash_mix((uint64_t)(number + g->number * 7919)))};
    b->turn_order = (int)((number + g->number) % TURN_ORDERS);
    b->hasty = b->turn_order == FORWARDS;
    b->threads = b->left = threads[0] * threads[1] * threads[2];
    b->warps = (b->threads + EMULATED_LANES - 1) / EMULATED_LANES;
    b->current = -1;
    memset(b->barrier, 0, sizeof b->barrier);
    memset(b->met, 0, sizeof b->met);
    b->waiting = 0;
    for (int n = 0; n < b->threads; n++) {
        b->lane[n].state = LANE_NEW;
        b->lane[n].group = 0;
        b->lane[n].copies.count = 0;
    }
    put_in_order(b, b->order, EMULATED_LANES);
    if (b->fixed)
        memset(b->fixed, EMULATED_POISON, (size_t)b->fixed_bytes);
    memset(start - NEAR, EMULATED_POISON, (size_t)(NEAR + room));
    *b->here = (struct emulated_here){
        .block = split(number, blocks),
        .threads = {(unsigned)threads[0], (unsigned)threads[1], (unsigned)threads[2]},
        .blocks = {(unsigned)blocks[0], (unsigned)blocks[1], (unsigned)blocks[2]},
        .shared = start,
        .ask = emulated_serve};
}

bool emulated_block_advance(emulated_block *b)
{
    bool any = false;

    while (b->left > 0 && !b->failed && (run_warps(b) || emulated_land(b)))
        any = true;
    return any;
}

void emulated_block_run(emulated_block *b, int64_t number)
{
    emulated_block_begin(b, number);
    (void)emulated_block_advance(b);
    if (b->left > 0 && !b->failed)
        emulated_stuck(b);
    emulated_block_end(b);
}

/* ---- resources --------------------------------------------------------------------- */

pav_status emulated_block_open(emulated_block *b)
{
    b->current = -1;
    b->lane = mem_new(EMULATED_THREADS, sizeof *b->lane);
    b->signals = mem_new(1, SIGNALS);
    b->shared = fenced_new(NEAR + EMULATED_SHARED);
    return !b->lane || !b->signals ? PAV_ENOMEM
           : !b->shared
               ? FAIL(PAV_ENOMEM, "there is no memory for the blocks of the emulated GPU")
               : PAV_OK;
}

void emulated_block_close(emulated_block *b)
{
    for (int n = 0; b->lane && n < EMULATED_THREADS; n++)
        mem_free(b->lane[n].copies.copy);
    for (int n = 0; n < b->stacks.made; n++)
        (void)munmap(b->stacks.all[n] - GUARD - STACK, GUARD + STACK);
    fenced_free(b->shared);
    MEM_FREE_ALL(b->bulk.copy, b->kept, b->signals, b->lane);
}

/* Finds the calling thread's thread-local variables in the object of the kernel: `here`
 * lies among them. */
static int find_fixed(struct dl_phdr_info *info, size_t size, void *argument)
{
    emulated_block *b = argument;
    const char *here = (const char *)b->here;

    (void)size;
    for (int n = 0; info->dlpi_tls_data && n < info->dlpi_phnum; n++) {
        char *start = info->dlpi_tls_data;
        const int64_t bytes = (int64_t)info->dlpi_phdr[n].p_memsz;
        if (info->dlpi_phdr[n].p_type == PT_TLS && here >= start &&
            here < start + bytes) {
            b->fixed = start;
            b->fixed_bytes = bytes;
            return 1;
        }
    }
    return 0;
}

void emulated_block_enter(emulated_block *b, const emulated_grid *grid)
{
    b->grid = grid;
    b->here = grid->kernel->place();
    b->fixed = NULL;
    b->failed = false;
    (void)dl_iterate_phdr(find_fixed, b);
    (void)sigaltstack(&(stack_t){.ss_sp = b->signals, .ss_size = SIGNALS}, &b->before);
    now = b;
}

void emulated_block_leave(emulated_block *b)
{
    now = NULL;
    (void)sigaltstack(&b->before, NULL);
}

/* ---- faults ------------------------------------------------------------------------ */

/* Turns processor faults in kernels into messages naming the thread: access to fences, an
 * array's end, misaligned vectors, integer division by zero. The first access to a hidden
 * memory shows it. Faults outside kernels go to
 * the program's own handlers; after the launch these are installed again. */

static const int watched[] = {SIGSEGV, SIGBUS, SIGILL, SIGFPE};
static struct sigaction before[COUNT_OF(watched)];
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static int watchers;

static void say_address(emulated_block *b, const char *address)
{
    const fenced *f = fenced_around(b->grid->memory, address);
    const bool shared = fenced_around(b->shared, address) != NULL;
    const char *what = shared ? "the block's shared memory" : "a memory";

    if (!f && !shared) {
        emulated_fail(b, b->current,
                      "touches the address %p, which is no memory of the GPU",
                      (const void *)address);
        return;
    }
    const char *start = shared ? b->here->shared : f->start;
    const int64_t bytes = shared ? b->grid->call->shared : f->bytes;
    if (address < start)
        emulated_fail(b, b->current, "touches what lies %lld bytes before %s of %lld",
                      (long long)(start - address), what, (long long)bytes);
    else
        emulated_fail(b, b->current, "touches byte %lld of %s of %lld",
                      (long long)(address - start), what, (long long)bytes);
}

/* Makes the lane leave once the handler has returned. The lane restarts at the beginning
 * of its stack, because the stack may be full. */
static void send_away(const emulated_block *b, ucontext_t *context)
{
    char *stack = b->lane[b->current].stack - 64;
#if defined(__x86_64__)
    context->uc_mcontext.gregs[REG_RSP] = (greg_t)(intptr_t)(stack - 8);
    context->uc_mcontext.gregs[REG_RIP] = (greg_t)(intptr_t)abandon;
#elif defined(__aarch64__)
    context->uc_mcontext.sp = (uintptr_t)stack;
    context->uc_mcontext.pc = (uintptr_t)abandon;
#else
    (void)stack;
    (void)pthread_sigmask(SIG_SETMASK, &context->uc_sigmask, NULL);
    abandon();
#endif
}

static void catch_fault(int number, siginfo_t *info, void *context)
{
    emulated_block *b = emulated_block_now();

    /* Asynchronous copies land between two lanes, too: `now` without a current lane. */
    if (now && number == SIGSEGV &&
        (fenced_show(now->grid->memory, info->si_addr) ||
         fenced_show(now->grid->peers, info->si_addr)))
        return;
    if (!b) {
        /* the fault happens again, now with the program's handler */
        for (size_t k = 0; k < COUNT_OF(watched); k++)
            if (watched[k] == number)
                (void)sigaction(number, &before[k], NULL);
        return;
    }
    b->caught = true;
    if (number == SIGFPE)
        emulated_fail(b, b->current, "divides an integer by zero");
    else if (number == SIGILL || info->si_code == SI_KERNEL)
        emulated_fail(b, b->current,
                      "goes beyond the end of an array, or touches a value at an address "
                      "that is no multiple of its alignment");
    else
        say_address(b, info->si_addr);
    send_away(b, context);
}

void fault_watch(void)
{
    struct sigaction action = {.sa_sigaction = catch_fault,
                               .sa_flags = SA_SIGINFO | SA_ONSTACK | SA_NODEFER};

    (void)sigemptyset(&action.sa_mask);
    LOCKED(&lock);
    for (size_t k = 0; watchers == 0 && k < COUNT_OF(watched); k++)
        (void)sigaction(watched[k], &action, &before[k]);
    watchers++;
}

void fault_unwatch(void)
{
    LOCKED(&lock);
    watchers--;
    for (size_t k = 0; watchers == 0 && k < COUNT_OF(watched); k++)
        (void)sigaction(watched[k], &before[k], NULL);
}
