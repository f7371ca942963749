/* SPDX-License-Identifier: BSD-3-Clause */
/* Asynchronous copies into shared memory. Each copy is made at the latest possible time:
 * copies of a thread (cp.async) when the thread waits for them; copies counted by an
 * mbarrier (cp.async.bulk) when no thread of the block can go on. Until then the
 * destination is poisoned. In one block of three, bulk copies are made at once
 * instead. */
#include <string.h>

#include "device/emulated/emulated_private.h"

static bool has_room(emulated_copies *list)
{
    const int64_t requested = 2 * list->capacity + 16;

    if (list->count < list->capacity)
        return true;
    emulated_copy *grown = mem_grow(list->copy, requested, sizeof *grown);
    if (!grown)
        return false;
    list->copy = grown;
    list->capacity = requested;
    return true;
}

static bool suits(const void *address, int64_t bytes)
{
    return (uintptr_t)address % (uintptr_t)bytes == 0;
}

static bool is_shared(const emulated_block *b, const char *at, int64_t bytes)
{
    const char *start = b->here->shared, *end = start + b->grid->call->shared;
    const char *fixed = b->fixed;

    return (at >= start && bytes <= end - at) ||
           (fixed && at >= fixed && bytes <= fixed + b->fixed_bytes - at);
}

static void check_copy(emulated_block *b, const struct emulated_request *ask,
                       int64_t unit)
{
    if (!suits(ask->to, unit) || !suits(ask->source, unit) || ask->bytes % unit != 0)
        emulated_fail(b, b->current,
                      "copies %lld bytes in line %d between addresses that are not all "
                      "multiples of %lld",
                      ask->bytes, ask->line, (long long)unit);
    if (!is_shared(b, ask->to, ask->bytes))
        emulated_fail(b, b->current,
                      "copies %lld bytes in line %d to what is not the block's shared "
                      "memory",
                      ask->bytes, ask->line);
    if (ask->number != 0 && !fenced_find(b->grid->memory, ask->source, ask->bytes))
        emulated_fail(
            b, b->current,
            "copies %lld bytes in line %d that are not all of one memory of the "
            "GPU",
            ask->bytes, ask->line);
}

static void add(emulated_block *b, emulated_copies *list,
                const struct emulated_request *ask)
{
    if (!has_room(list))
        emulated_fail(b, b->current, "finds no memory for %lld copies under way",
                      (long long)list->count);
    memset(ask->to, EMULATED_POISON, (size_t)ask->bytes);
    list->copy[list->count++] = (emulated_copy){.to = ask->to,
                                                .source = ask->source,
                                                .phases = ask->phases,
                                                .bytes = ask->bytes,
                                                .zeros = ask->number == 0,
                                                .lane = b->current,
                                                .group = b->lane[b->current].group};
}

static void make(const emulated_copy *c)
{
    if (c->zeros)
        memset(c->to, 0, (size_t)c->bytes);
    else
        memcpy(c->to, c->source, (size_t)c->bytes);
}

/* ---- copies of a thread ------------------------------------------------------------ */

/* Completes all groups except the newest `left`. A group stays open until it is
 * committed. */
static void wait_for_groups(emulated_lane *l, int left)
{
    emulated_copies *list = &l->copies;
    int64_t kept = 0;

    for (int64_t n = 0; n < list->count; n++)
        if (list->copy[n].group < l->group - left)
            make(&list->copy[n]);
        else
            list->copy[kept++] = list->copy[n];
    list->count = kept;
}

void emulated_copies_request(emulated_block *b, const struct emulated_request *ask)
{
    emulated_lane *l = &b->lane[b->current];

    if (ask->wish == EMULATED_COMMIT) {
        l->group++;
    } else if (ask->wish == EMULATED_WAIT) {
        wait_for_groups(l, ask->number);
    } else {
        check_copy(b, ask, ask->bytes);
        add(b, &l->copies, ask);
    }
}

/* ---- copies counted by an mbarrier ------------------------------------------------- */

/* The 64 bits of an mbarrier. */
typedef struct phases {
    uint16_t requested, missing; /* arrivals per phase */
    /* twice the bytes still expected, plus the parity of the phase */
    int32_t bytes;
} phases;

static phases *phases_at(emulated_block *b, void *at, int line)
{
    phases *p = at;

    if (!is_shared(b, at, sizeof *p) || !suits(at, sizeof *p))
        emulated_fail(b, b->current,
                      "names in line %d an mbarrier that is not in shared "
                      "memory, at a multiple of 8 bytes",
                      line);
    return p;
}

static bool has_begun(const phases *p)
{
    return p->requested > 0 && p->requested <= EMULATED_THREADS &&
           p->missing <= p->requested;
}

static phases *begun_phases_at(emulated_block *b, void *at, int line)
{
    phases *p = phases_at(b, at, line);

    if (!has_begun(p))
        emulated_fail(b, b->current,
                      "uses in line %d an mbarrier that nobody has "
                      "initialised",
                      line);
    return p;
}

void emulated_phase_missing(const void *at, int *arrivals, int *bytes)
{
    const phases *p = at;

    *arrivals = p->missing;
    *bytes = (p->bytes - (p->bytes & 1)) / 2;
}

static bool is_past(const phases *p, int parity)
{
    return (p->bytes & 1) != (parity & 1);
}

static void go_on(emulated_block *b, phases *p)
{
    if (p->missing > 0 || p->bytes / 2 != 0)
        return;
    p->missing = p->requested;
    p->bytes ^= 1;
    b->released = true;
    for (int n = 0; n < b->threads; n++) {
        emulated_lane *l = &b->lane[n];
        if (l->state == LANE_WAITS && l->ask.wish == EMULATED_PHASE_WAIT &&
            l->ask.to == p && is_past(p, l->ask.number))
            l->state = LANE_READY;
    }
}

static void arrive(emulated_block *b, const struct emulated_request *ask)
{
    phases *p = begun_phases_at(b, ask->to, ask->line);

    if (p->missing == 0)
        emulated_fail(b, b->current,
                      "arrives in line %d at an mbarrier at which all %d "
                      "have arrived",
                      ask->line, p->requested);
    if (ask->wish == EMULATED_PHASE_ARRIVE)
        p->missing--;
    p->bytes += 2 * (int32_t)ask->bytes;
    go_on(b, p);
}

/* Ends an mbarrier, so its memory can be reused. */
static void end_phases(emulated_block *b, const struct emulated_request *ask)
{
    const phases *p = begun_phases_at(b, ask->to, ask->line);

    if (p->bytes / 2 != 0)
        emulated_fail(b, b->current,
                      "ends in line %d an mbarrier that still waits for %d bytes",
                      ask->line, p->bytes / 2);
    memset(ask->to, EMULATED_POISON, sizeof *p);
}

static void begin_phases(emulated_block *b, const struct emulated_request *ask)
{
    if (ask->number < 1 || ask->number > EMULATED_THREADS)
        emulated_fail(b, b->current, "initialises in line %d an mbarrier of %d arrivals",
                      ask->line, ask->number);
    phases *p = phases_at(b, ask->to, ask->line);
    if (has_begun(p))
        emulated_fail(b, b->current,
                      "initialises in line %d an mbarrier that was not ended", ask->line);
    *p = (phases){(uint16_t)ask->number, (uint16_t)ask->number, 0};
}

void emulated_bulk(emulated_block *b, const struct emulated_request *ask, int64_t unit)
{
    check_copy(b, ask, unit);
    (void)begun_phases_at(b, ask->phases, ask->line);
    add(b, &b->bulk, ask);
    if (b->hasty)
        (void)emulated_land(b);
}

void emulated_phases_request(emulated_block *b, const struct emulated_request *ask)
{
    if (ask->wish == EMULATED_PHASES && ask->number == 0) {
        end_phases(b, ask);
    } else if (ask->wish == EMULATED_PHASES) {
        begin_phases(b, ask);
    } else if (ask->wish == EMULATED_PHASE_ARRIVE || ask->wish == EMULATED_PHASE_AWAIT) {
        arrive(b, ask);
    } else if (ask->wish == EMULATED_BULK) {
        emulated_bulk(b, ask, 16);
    } else if (!is_past(begun_phases_at(b, ask->to, ask->line), ask->number)) {
        b->lane[b->current].state = LANE_WAITS;
    }
}

bool emulated_land(emulated_block *b)
{
    if (b->bulk.count == 0)
        return false;
    const emulated_copy c = b->bulk.copy[0];
    memmove(&b->bulk.copy[0], &b->bulk.copy[1],
            (size_t)--b->bulk.count * sizeof b->bulk.copy[0]);
    phases *p = c.phases;
    make(&c);
    p->bytes -= 2 * (int32_t)c.bytes;
    go_on(b, p);
    return true;
}
