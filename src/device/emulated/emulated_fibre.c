/* SPDX-License-Identifier: BSD-3-Clause */
/* Fibres: the threads of a block on one host thread. Each has its own stack, and
 * execution switches between stacks at barriers. Registers preserved across calls are
 * saved on the stack being left. */
#define _GNU_SOURCE
#include <string.h>
#include <sys/mman.h>

#include "device/emulated/emulated_private.h"

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

/* ---- stacks ------------------------------------------------------------------------ */

static char *make_stack(void)
{
    char *map = mmap(NULL, GUARD + STACK, PROT_NONE,
                     MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);

    if (map == MAP_FAILED)
        return NULL;
    if (mprotect(map + GUARD, STACK, PROT_READ | PROT_WRITE) == 0)
        return map + GUARD + STACK;
    (void)munmap(map, GUARD + STACK);
    return NULL;
}

char *fibre_stack_take(fibre_stacks *s)
{
    if (s->left > 0)
        return s->free[--s->left];
    char *made = make_stack();
    if (made)
        s->all[s->made++] = made;
    return made;
}

void fibre_stack_give(fibre_stacks *s, char *stack)
{
    ASAN_UNPOISON_MEMORY_REGION(stack - STACK, STACK);
    s->free[s->left++] = stack;
}

void fibre_stacks_free(fibre_stacks *s)
{
    for (int n = 0; n < s->made; n++)
        (void)munmap(s->all[n] - GUARD - STACK, GUARD + STACK);
    s->made = s->left = 0;
}

/* ---- switching --------------------------------------------------------------------- */

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
void *fibre_new(char *stack, void (*begin)(void))
{
    void **top = (void **)(void *)stack - 8;

    memset(top, 0, 8 * sizeof *top);
    memcpy(&top[6], &begin, sizeof begin);
    return top;
}
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
void *fibre_new(char *stack, void (*begin)(void))
{
    void **top = (void **)(void *)stack - 20;

    memset(top, 0, 20 * sizeof *top);
    memcpy(&top[11], &begin, sizeof begin);
    return top;
}
#else
#include <ucontext.h>

void fibre_switch(void **from, void *to)
{
    ucontext_t here;

    *from = &here;
    (void)swapcontext(&here, to);
}

/* The context lies at the far end of the stack; it is not needed after the start. */
void *fibre_new(char *stack, void (*begin)(void))
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
