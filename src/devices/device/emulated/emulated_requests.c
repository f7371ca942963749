/* SPDX-License-Identifier: BSD-3-Clause */
/* Requests of a thread: to the other threads of its block (barriers, shuffles and
 * votes), and to make asynchronous copies. If some threads never arrive, the block is
 * stuck; the message names a waiting thread and a missing one. */
#include <assert.h>
#include <stdio.h>
#include <string.h>

#include "device/emulated/emulated_private.h"

/* ---- asynchronous copies ----------------------------------------------------------- */

/* Copies go into shared memory. Each copy is made at the latest possible time:
 * copies of a thread (cp.async) when the thread waits for them; copies counted by an
 * mbarrier (cp.async.bulk) when no thread of the block can go on. Until then the
 * destination is poisoned. In one block of three, bulk copies are made at once
 * instead. */

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
    if (mem_reserve(&list->copy, &list->capacity, list->count, sizeof *list->copy) !=
        PAV_OK)
        emulated_fail(b, b->current, "finds no memory for %lld copies under way",
                      (long long)list->count);
    assert(list->copy); /* emulated_fail does not return */
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

static void copies_request(emulated_block *b, const struct emulated_request *ask)
{
    emulated_lane *l = &b->lane[b->current];

    if (ask->wish == EMULATED_COMMIT) {
        l->group++;
    } else if (ask->wish == EMULATED_WAIT) {
        /* completes all groups except the newest; an open group is not committed yet */
        emulated_copies *list = &l->copies;
        int64_t kept = 0;
        for (int64_t n = 0; n < list->count; n++)
            if (list->copy[n].group < l->group - ask->number)
                make(&list->copy[n]);
            else
                list->copy[kept++] = list->copy[n];
        list->count = kept;
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

static void copy_bulk(emulated_block *b, const struct emulated_request *ask, int64_t unit)
{
    check_copy(b, ask, unit);
    (void)begun_phases_at(b, ask->phases, ask->line);
    add(b, &b->bulk, ask);
    if (b->hasty)
        (void)emulated_land(b);
}

static void phases_request(emulated_block *b, const struct emulated_request *ask)
{
    switch (ask->wish) {
    case EMULATED_PHASES: (ask->number == 0 ? end_phases : begin_phases)(b, ask); return;
    case EMULATED_BULK: copy_bulk(b, ask, 16); return;
    case EMULATED_PHASE_WAIT:
        if (!is_past(begun_phases_at(b, ask->to, ask->line), ask->number))
            b->lane[b->current].state = LANE_WAITS;
        return;
    default: arrive(b, ask);
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

/* ---- box copies -------------------------------------------------------------------- */

/* The emulated tensor memory accelerator. A box is copied row by row: words inside the
 * region of the map are copied, words outside become zero. Each part of a row is a bulk
 * copy of its own, made at the latest possible time. */

enum { MARK = 0x70617274, MAP_SUITS = 64, BOX_SUITS = 128 };

/* The contents of a map. */
typedef struct tensor_map {
    uint64_t mark;
    gpu_tensor_region part;
} tensor_map;
_Static_assert(sizeof(tensor_map) <= sizeof(gpu_map), "a map has room for it");

pav_status emulated_map_tensor(gpu *g, const gpu_tensor_region *p, gpu_map *map)
{
    tensor_map s;

    (void)g;
    memset(&s, 0, sizeof s); /* padding, too: launches are compared by their bytes */
    s.mark = MARK;
    s.part = *p;
    memset(map, 0, sizeof *map);
    memcpy(map, &s, sizeof s);
    return PAV_OK;
}

/* Copies words to *to and advances *to. If `from` is NULL, stores zeros. */
static void copy_words(emulated_block *b, const struct emulated_request *ask,
                       int64_t words, const gpu_tensor_region *p, const char *from,
                       char **to)
{
    struct emulated_request some = *ask;

    some.to = *to;
    some.source = from;
    some.bytes = words * p->stride[0];
    some.number = from != NULL;
    *to += some.bytes;
    if (words > 0)
        copy_bulk(b, &some, p->stride[0]);
}

static int64_t within(int64_t n, int64_t most)
{
    return n < 0 ? 0 : n < most ? n : most;
}

static void copy_row(emulated_block *b, const struct emulated_request *ask,
                     const gpu_tensor_region *p, int y, int z, char **to)
{
    const int64_t j = (int64_t)ask->at[1] + y, k = (int64_t)ask->at[2] + z;
    const bool there = j >= 0 && j < p->count[1] && k >= 0 && k < p->count[2];
    const int64_t first = within(ask->at[0], p->count[0]),
                  end = within((int64_t)ask->at[0] + p->box[0], p->count[0]);
    const char *from = (const char *)p->data + first * p->stride[0] + j * p->stride[1] +
                       k * p->stride[2];

    if (!there || first == end) {
        copy_words(b, ask, p->box[0], p, NULL, to);
        return;
    }
    copy_words(b, ask, first - ask->at[0], p, NULL, to);
    copy_words(b, ask, end - first, p, from, to);
    copy_words(b, ask, ask->at[0] + p->box[0] - end, p, NULL, to);
}

static void copy_box(emulated_block *b, const struct emulated_request *ask)
{
    tensor_map s = {0};
    char *to = ask->to;

    if ((uintptr_t)ask->source % MAP_SUITS == 0)
        memcpy(&s, ask->source, sizeof s);
    if (s.mark != MARK)
        emulated_fail(
            b, b->current,
            "copies a box in line %d by what is no map at a multiple of %d bytes",
            ask->line, MAP_SUITS);

    if ((uintptr_t)to % BOX_SUITS != 0)
        emulated_fail(b, b->current,
                      "copies a box in line %d to an address that is no multiple of %d",
                      ask->line, BOX_SUITS);
    for (int z = 0; z < s.part.box[2]; z++)
        for (int y = 0; y < s.part.box[1]; y++)
            copy_row(b, ask, &s.part, y, z, &to);
}

/* ---- requests to other threads ----------------------------------------------------- */

static void release(emulated_lane *l, unsigned long long answer)
{
    l->answer = answer;
    l->state = LANE_READY;
}

static bool waits_for(const emulated_lane *l, enum emulated_wish wish)
{
    return l->state == LANE_WAITS && l->ask.wish == wish;
}

/* ---- barriers ---------------------------------------------------------------------- */

static void come_to_barrier(emulated_block *b, const struct emulated_request *ask)
{
    const int requested = ask->threads > 0 ? ask->threads : b->threads;

    if (ask->number < 0 || ask->number >= EMULATED_BARRIERS ||
        (ask->threads != 0 && (ask->threads % EMULATED_LANES != 0 || ask->threads < 0)))
        emulated_fail(
            b, b->current,
            "asks for barrier %d of %d threads in line %d: there are 0 to %d, and "
            "threads come in warps of %d",
            ask->number, ask->threads, ask->line, EMULATED_BARRIERS - 1, EMULATED_LANES);
    /* All threads must reach the same __syncthreads. Two places in the source are
     * different barriers. */
    const int n = ask->number;
    if (b->barrier[n].count++ == 0) {
        b->barrier[n].line = ask->line;
        b->barrier[n].lane = b->current;
    } else if (ask->threads == 0 && ask->line != b->barrier[n].line) {
        emulated_fail(b, b->current,
                      "waits at the barrier of line %d while thread %d of the block "
                      "waits at that of line %d",
                      ask->line, b->barrier[n].lane, b->barrier[n].line);
    }
    if (ask->wish == EMULATED_BARRIER)
        b->lane[b->current].state = LANE_WAITS;
    if (b->barrier[n].count < requested)
        return;
    b->barrier[n].count = 0;
    b->released = true;
    for (int k = 0; k < b->threads; k++)
        if (waits_for(&b->lane[k], EMULATED_BARRIER) && b->lane[k].ask.number == n)
            release(&b->lane[k], 0);
}

/* ---- warps ------------------------------------------------------------------------- */

static bool is_with(const emulated_lane *l, const struct emulated_request *ask)
{
    return waits_for(l, ask->wish) && l->ask.line == ask->line &&
           l->ask.mask == ask->mask;
}

/* Finds a lane of the mask not yet arrived; -1 if all have. */
static int find_missing(const emulated_block *b, int first,
                        const struct emulated_request *ask)
{
    for (int k = 0; k < EMULATED_LANES; k++)
        if ((ask->mask >> k & 1) &&
            (first + k >= b->threads || !is_with(&b->lane[first + k], ask)))
            return first + k;
    return -1;
}

static void exchange(emulated_block *b, int first, const struct emulated_request *ask)
{
    emulated_lane *warp = &b->lane[first];
    const unsigned mask = ask->mask;
    const bool ballot = ask->wish == EMULATED_BALLOT;
    unsigned long long bits = 0;

    for (int k = 0; k < EMULATED_LANES && ballot; k++)
        if (mask >> k & 1)
            bits |= (unsigned long long)(warp[k].ask.value != 0) << k;
    for (int k = 0; k < EMULATED_LANES; k++) {
        if (!(mask >> k & 1))
            continue;
        const int from = ballot ? k : warp[k].ask.number;
        if (!(mask >> from & 1))
            emulated_fail(b, first + k,
                          "asks in line %d for the value of lane %d, which the mask %#x "
                          "leaves out",
                          ask->line, from, mask);
        release(&warp[k], ballot ? bits : warp[from].ask.value);
        b->met[first / EMULATED_LANES]--;
    }
}

static void sync_warp(emulated_block *b, const struct emulated_request *ask)
{
    const int lane = b->current % EMULATED_LANES, first = b->current - lane;
    /* `ask` may lie on the stack of a lane about to continue. */
    const struct emulated_request asked = *ask;

    if (!(asked.mask >> lane & 1))
        emulated_fail(b, b->current, "is not in the mask %#x that it names in line %d",
                      asked.mask, asked.line);
    b->lane[b->current].state = LANE_WAITS;
    if (++b->met[first / EMULATED_LANES] >= __builtin_popcount(asked.mask) &&
        find_missing(b, first, &asked) < 0)
        exchange(b, first, &asked);
}

/* ---- other blocks ------------------------------------------------------------------ */

/* Numbers wrap around: a value counts as reached if it is less than half the range
 * ahead. */
static bool has_come(const struct emulated_request *ask)
{
    return (int)(__atomic_load_n((const unsigned *)ask->source, __ATOMIC_SEQ_CST) -
                 (unsigned)ask->number) >= 0;
}

static void await(emulated_block *b, const struct emulated_request *ask)
{
    if (!fenced_find(b->grid->memory, ask->source, sizeof(unsigned)))
        emulated_fail(b, b->current,
                      "waits in line %d for a number that is not in the GPU's memory",
                      ask->line);
    if (has_come(ask))
        return;
    b->lane[b->current].state = LANE_WAITS;
    b->waiting++;
}

bool emulated_inspect(emulated_block *b)
{
    const int before = b->waiting;

    for (int n = 0; before > 0 && n < b->threads; n++)
        if (waits_for(&b->lane[n], EMULATED_AWAIT) && has_come(&b->lane[n].ask)) {
            release(&b->lane[n], 0);
            b->waiting--;
        }
    return b->waiting < before;
}

/* ---- all requests ------------------------------------------------------------------ */

static void answer(emulated_block *b, const struct emulated_request *ask)
{
    switch (ask->wish) {
    case EMULATED_BARRIER:
    case EMULATED_ARRIVE: come_to_barrier(b, ask); return;
    case EMULATED_SHUFFLE:
    case EMULATED_BALLOT: sync_warp(b, ask); return;
    case EMULATED_COPY:
    case EMULATED_COMMIT:
    case EMULATED_WAIT: copies_request(b, ask); return;
    case EMULATED_PHASES:
    case EMULATED_PHASE_ARRIVE:
    case EMULATED_PHASE_AWAIT:
    case EMULATED_PHASE_WAIT:
    case EMULATED_BULK: phases_request(b, ask); return;
    case EMULATED_TENSOR: copy_box(b, ask); return;
    case EMULATED_AWAIT: await(b, ask); return;
    }
}

unsigned long long emulated_serve(const struct emulated_request *ask)
{
    emulated_block *b = emulated_block_now();
    emulated_lane *l = &b->lane[b->current];

    l->ask = *ask;
    answer(b, ask);
    if (l->state == LANE_WAITS || b->released)
        emulated_suspend(b);
    return l->answer;
}

/* ---- stuck threads ----------------------------------------------------------------- */

static void describe(const emulated_lane *l, char *to, size_t size)
{
    static const char *const places[] = {[EMULATED_BARRIER] = "the barrier",
                                         [EMULATED_SHUFFLE] = "the shuffle",
                                         [EMULATED_BALLOT] = "the vote or __syncwarp",
                                         [EMULATED_PHASE_WAIT] = "the mbarrier",
                                         [EMULATED_AWAIT] = "the wait for other blocks"};

    if (l->state == LANE_DONE)
        (void)snprintf(to, size, "has returned");
    else
        (void)snprintf(to, size, "waits at %s of line %d", places[l->ask.wish],
                       l->ask.line);
}

/* Finds a thread missing where the lane waits. */
static int find_partner(const emulated_block *b, int lane)
{
    const struct emulated_request *ask = &b->lane[lane].ask;

    if (ask->wish != EMULATED_BARRIER)
        return find_missing(b, lane - lane % EMULATED_LANES, ask);
    for (int n = 0; n < b->threads; n++)
        if (!waits_for(&b->lane[n], EMULATED_BARRIER) ||
            b->lane[n].ask.number != ask->number)
            return n;
    return -1;
}

void emulated_stuck(emulated_block *b)
{
    int lane = 0;
    char where[128], there[128];

    while (b->lane[lane].state == LANE_DONE)
        lane++;
    const struct emulated_request *ask = &b->lane[lane].ask;
    describe(&b->lane[lane], where, sizeof where);
    if (ask->wish == EMULATED_AWAIT) {
        emulated_fail(b, lane, "%s for %d, and nobody goes on who could signal it", where,
                      ask->number);
    } else if (ask->wish == EMULATED_PHASE_WAIT) {
        const phases *p = ask->to;
        emulated_fail(b, lane, "%s, at which %d arrivals and %d bytes are missing", where,
                      p->missing, (p->bytes - (p->bytes & 1)) / 2);
    } else {
        const int other = find_partner(b, lane);
        if (other < 0 || other >= b->threads) {
            emulated_fail(b, lane, "%s, for more threads than the block's %d", where,
                          b->threads);
            return;
        }
        describe(&b->lane[other], there, sizeof there);
        emulated_fail(b, lane, "%s for thread %d of the block, which %s", where, other,
                      there);
    }
}
