/* SPDX-License-Identifier: BSD-3-Clause */
/* Requests of a thread to the other threads of its block: barriers, shuffles and votes.
 * If some threads never arrive, the block is stuck; the message names a waiting thread
 * and a missing one. */
#include <stdio.h>

#include "device/emulated/emulated_private.h"

static emulated_lane *running(emulated_block *b)
{
    return &b->lane[b->current];
}

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

/* All threads must reach the same __syncthreads. Two places in the source are different
 * barriers. */
static void note_place(emulated_block *b, const struct emulated_request *ask)
{
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
}

static void open_barrier(emulated_block *b, int number)
{
    b->barrier[number].count = 0;
    b->released = true;
    for (int n = 0; n < b->threads; n++)
        if (waits_for(&b->lane[n], EMULATED_BARRIER) && b->lane[n].ask.number == number)
            release(&b->lane[n], 0);
}

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
    note_place(b, ask);
    if (ask->wish == EMULATED_BARRIER)
        running(b)->state = LANE_WAITS;
    if (b->barrier[ask->number].count >= requested)
        open_barrier(b, ask->number);
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

static unsigned long long votes(const emulated_lane *warp, unsigned mask)
{
    unsigned long long bits = 0;

    for (int k = 0; k < EMULATED_LANES; k++)
        if (mask >> k & 1)
            bits |= (unsigned long long)(warp[k].ask.value != 0) << k;
    return bits;
}

static void exchange(emulated_block *b, int first, const struct emulated_request *ask)
{
    emulated_lane *warp = &b->lane[first];
    const unsigned mask = ask->mask;
    const bool ballot = ask->wish == EMULATED_BALLOT;
    const unsigned long long bits = ballot ? votes(warp, mask) : 0;

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
    running(b)->state = LANE_WAITS;
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
    running(b)->state = LANE_WAITS;
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
    case EMULATED_WAIT: emulated_copies_request(b, ask); return;
    case EMULATED_PHASES:
    case EMULATED_PHASE_ARRIVE:
    case EMULATED_PHASE_AWAIT:
    case EMULATED_PHASE_WAIT:
    case EMULATED_BULK: emulated_phases_request(b, ask); return;
    case EMULATED_TENSOR: emulated_tensor_request(b, ask); return;
    case EMULATED_AWAIT: await(b, ask); return;
    }
}

unsigned long long emulated_serve(const struct emulated_request *ask)
{
    emulated_block *b = emulated_block_now();
    emulated_lane *l = running(b);

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

static void say_who(emulated_block *b, int lane, const char *where)
{
    const int other = find_partner(b, lane);
    char there[128];

    if (other < 0 || other >= b->threads) {
        emulated_fail(b, lane, "%s, for more threads than the block's %d", where,
                      b->threads);
        return;
    }
    describe(&b->lane[other], there, sizeof there);
    emulated_fail(b, lane, "%s for thread %d of the block, which %s", where, other,
                  there);
}

void emulated_stuck(emulated_block *b)
{
    int lane = 0, arrivals, bytes;
    char where[128];

    while (b->lane[lane].state == LANE_DONE)
        lane++;
    const struct emulated_request *ask = &b->lane[lane].ask;
    describe(&b->lane[lane], where, sizeof where);
    if (ask->wish == EMULATED_AWAIT) {
        emulated_fail(b, lane, "%s for %d, and nobody goes on who could signal it", where,
                      ask->number);
    } else if (ask->wish == EMULATED_PHASE_WAIT) {
        emulated_phase_missing(ask->to, &arrivals, &bytes);
        emulated_fail(b, lane, "%s, at which %d arrivals and %d bytes are missing", where,
                      arrivals, bytes);
    } else {
        say_who(b, lane, where);
    }
}
