/* SPDX-License-Identifier: BSD-3-Clause */
/* io_uring: one thread starts several transfers at once through a ring of requests and a
 * ring of answers, both shared with the kernel. It uses the system calls directly, so no
 * library is needed. If the system has no io_uring, or forbids it, threads wait for one
 * transfer each. */
#define _GNU_SOURCE
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "io/striped/striped_private.h"

#if defined(__linux__) && __has_include(<linux/io_uring.h>) && defined(SYS_io_uring_setup)
#include <linux/io_uring.h>

enum { ENTRIES = 8, LEAST_EACH = 256 << 10 /* least bytes of a transfer */ };

struct ring {
    int file;
    char *memory; /* memory of both rings */
    struct io_uring_sqe *request;
    size_t bytes, request_bytes;
    struct io_uring_params with;
};

/* ---- opened ------------------------------------------------------------------------ */

static void *map(const ring *r, size_t bytes, off_t what)
{
    void *there = mmap(NULL, bytes, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_POPULATE,
                       r->file, what);
    return there == MAP_FAILED ? NULL : there;
}

static bool map_rings(ring *r)
{
    const struct io_uring_params *p = &r->with;
    const size_t requests = p->sq_off.array + p->sq_entries * sizeof(uint32_t);
    const size_t answers = p->cq_off.cqes + p->cq_entries * sizeof(struct io_uring_cqe);
    if (!(p->features & IORING_FEAT_SINGLE_MMAP)) {
        errno = ENOSYS;
        return false;
    }
    r->bytes = requests > answers ? requests : answers;
    r->request_bytes = p->sq_entries * sizeof *r->request;
    r->memory = map(r, r->bytes, IORING_OFF_SQ_RING);
    r->request = map(r, r->request_bytes, IORING_OFF_SQES);
    return r->memory && r->request;
}

void ring_close(ring *r)
{
    if (!r)
        return;
    if (r->memory)
        (void)munmap(r->memory, r->bytes);
    if (r->request)
        (void)munmap(r->request, r->request_bytes);
    if (r->file >= 0)
        (void)close(r->file);
    free(r);
}

ring *ring_open(void)
{
    const char *wanted = getenv("PAV_DISK_RING");
    ring *r = wanted && strcmp(wanted, "0") == 0 ? NULL : calloc(1, sizeof *r);
    if (!r) {
        errno = ECANCELED;
        return NULL;
    }
    r->file = (int)syscall(SYS_io_uring_setup, ENTRIES, &r->with);
    if (r->file >= 0 && map_rings(r))
        return r;
    const int error = errno;
    ring_close(r);
    errno = error;
    return NULL;
}

/* ---- transfers --------------------------------------------------------------------- */

static uint32_t *word(const ring *r, uint32_t offset)
{
    return (uint32_t *)(void *)(r->memory + offset);
}

static void ask(ring *r, const ring_transfer *t, int number)
{
    uint32_t *tail = word(r, r->with.sq_off.tail);
    const uint32_t at = *tail & *word(r, r->with.sq_off.ring_mask);
    r->request[at] = (struct io_uring_sqe){.opcode = t->write ? IORING_OP_WRITE
                                                              : IORING_OP_READ,
                                           .fd = t->file,
                                           .off = (uint64_t)t->at,
                                           .addr = (uint64_t)(uintptr_t)t->memory,
                                           .len = (uint32_t)t->bytes,
                                           .user_data = (unsigned)number};
    word(r, r->with.sq_off.array)[at] = at;
    __atomic_store_n(tail, *tail + 1, __ATOMIC_RELEASE);
}

/* Stores the results of finished transfers by their numbers. Returns their count. */
static int take_answers(ring *r, int64_t *done)
{
    uint32_t *head = word(r, r->with.cq_off.head);
    const uint32_t end = __atomic_load_n(word(r, r->with.cq_off.tail), __ATOMIC_ACQUIRE);
    const uint32_t mask = *word(r, r->with.cq_off.ring_mask);
    const struct io_uring_cqe *all = (const void *)(r->memory + r->with.cq_off.cqes);
    int count = 0;
    for (uint32_t at = *head; at != end; at++, count++)
        done[all[at & mask].user_data] = all[at & mask].res;
    __atomic_store_n(head, end, __ATOMIC_RELEASE);
    return count;
}

/* Waits until no transfer is in flight. Requests refused by the system are taken back and
 * left to the caller. */
static void wait_for(ring *r, int count, int64_t *done)
{
    int asked = 0, answers = 0;
    while (answers < count) {
        const long taken = syscall(SYS_io_uring_enter, r->file, count - asked,
                                   count - answers, IORING_ENTER_GETEVENTS, NULL, 0);
        const bool again = taken >= 0 || errno == EINTR || errno == EAGAIN;
        asked += taken > 0 ? (int)taken : 0;
        answers += take_answers(r, done);
        if (!again)
            count = asked;
    }
    uint32_t *tail = word(r, r->with.sq_off.tail);
    __atomic_store_n(tail,
                     __atomic_load_n(word(r, r->with.sq_off.head), __ATOMIC_ACQUIRE),
                     __ATOMIC_RELEASE);
}

/* Returns the number of bytes transferred from the start on. If they are fewer than
 * requested, errno gives the reason. */
int64_t ring_move(ring *r, const ring_transfer *all)
{
    const int64_t even = int_rounded(int_parts(all->bytes, ENTRIES), STRIPED_ALIGN);
    const int64_t each = even > LEAST_EACH ? even : LEAST_EACH;
    const int count = (int)int_parts(all->bytes, each);
    int64_t done[ENTRIES] = {0}, moved = 0;
    for (int n = 0; n < count; n++) {
        ring_transfer t = *all;
        t.at += n * each;
        t.memory += n * each;
        t.bytes = n + 1 < count ? each : all->bytes - n * each;
        ask(r, &t, n);
    }
    wait_for(r, count, done);
    for (int n = 0; n < count; n++) {
        moved += done[n] > 0 ? done[n] : 0;
        errno = done[n] < 0 ? (int)-done[n] : 0;
        if (done[n] < each)
            break;
    }
    return moved;
}

#else

ring *ring_open(void)
{
    errno = ENOSYS;
    return NULL;
}

void ring_close(ring *r)
{
    (void)r;
}

int64_t ring_move(ring *r, const ring_transfer *all)
{
    (void)r;
    (void)all;
    errno = ENOSYS;
    return 0;
}

#endif
