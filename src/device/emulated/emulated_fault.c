/* SPDX-License-Identifier: BSD-3-Clause */
/* Turns processor faults in kernels into messages naming the thread: access to fences, an
 * array's end, misaligned vectors, integer division by zero. Faults outside kernels go to
 * the program's own handlers; after the launch these are installed again. */
#define _GNU_SOURCE
#include <pthread.h>
#include <signal.h>
#include <ucontext.h>

#include "device/emulated/emulated_private.h"

static const int watched[] = {SIGSEGV, SIGBUS, SIGILL, SIGFPE};
static struct sigaction before[COUNT_OF(watched)];
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static int watchers;

/* Finds the memory block with this address inside its map, fences included. */
static const fenced *memory_around(const fenced *f, const char *address)
{
    while (f && (address < f->map || address >= f->map + f->mapped))
        f = f->next;
    return f;
}

static void say_address(emulated_block *b, const char *address)
{
    const fenced *f = memory_around(b->grid->memory, address);
    const bool shared = memory_around(b->shared, address) != NULL;
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

static void pass_on(int number)
{
    for (size_t k = 0; k < COUNT_OF(watched); k++)
        if (watched[k] == number)
            (void)sigaction(number, &before[k], NULL);
}

/* Makes the lane leave once the handler has returned. The lane restarts at the beginning
 * of its stack, because the stack may be full. */
static void send_away(const emulated_block *b, ucontext_t *context)
{
    char *stack = b->lane[b->current].stack - 64;
#if defined(__x86_64__)
    context->uc_mcontext.gregs[REG_RSP] = (greg_t)(intptr_t)(stack - 8);
    context->uc_mcontext.gregs[REG_RIP] = (greg_t)(intptr_t)emulated_abandon;
#elif defined(__aarch64__)
    context->uc_mcontext.sp = (uintptr_t)stack;
    context->uc_mcontext.pc = (uintptr_t)emulated_abandon;
#else
    (void)stack;
    (void)pthread_sigmask(SIG_SETMASK, &context->uc_sigmask, NULL);
    emulated_abandon();
#endif
}

static void handle(int number, siginfo_t *info, void *context)
{
    emulated_block *b = emulated_block_now();

    if (!b) {
        pass_on(number); /* the fault happens again, now with the program's handler */
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
    struct sigaction action = {.sa_sigaction = handle,
                               .sa_flags = SA_SIGINFO | SA_ONSTACK | SA_NODEFER};

    (void)sigemptyset(&action.sa_mask);
    (void)pthread_mutex_lock(&lock);
    for (size_t k = 0; watchers == 0 && k < COUNT_OF(watched); k++)
        (void)sigaction(watched[k], &action, &before[k]);
    watchers++;
    (void)pthread_mutex_unlock(&lock);
}

void fault_unwatch(void)
{
    (void)pthread_mutex_lock(&lock);
    watchers--;
    for (size_t k = 0; watchers == 0 && k < COUNT_OF(watched); k++)
        (void)sigaction(watched[k], &before[k], NULL);
    (void)pthread_mutex_unlock(&lock);
}
