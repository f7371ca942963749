/* SPDX-License-Identifier: BSD-3-Clause */
/* Loop schedules on processors: how a kernel goes over its box. No formula predicts the
 * fastest one on a machine, so the first steps of a run try each candidate a few times,
 * and later steps take the fastest. The choice changes no bit. */
#include "exec/host/host.h"

enum {
    ROUNDS = 3,    /* trials of each schedule */
    FEW_ROWS = 16, /* rows of a thread: with fewer, reading neighbour rows would double
                    * the traffic */
};

static int64_t width(const box *b, int axis)
{
    return b->hi[axis] - b->lo[axis];
}

int loop_tuner_threads(int64_t count, int threads)
{
    return count >= CPU_PARALLEL_POINTS ? threads : 1;
}

/* Rows of a block along y such that its planes still fit in three quarters of a core's
 * own cache when the last plane needs them. Until then the cache takes all loads of as
 * many planes as are read at once, including rows around the block. */
static int64_t block_within(const box *b, const cost_load *l, int64_t cache)
{
    if (l->planes <= 1 || box_is_empty(b))
        return 0;
    const int64_t rows = cache * 3 / 4 / (l->planes * l->loaded_bytes * width(b, 0)) -
                         (l->rows - 1),
                  least = l->rows;
    return rows >= width(b, 1) ? 0 : rows > least ? rows : least;
}

/* Prefetch distance in rows: the bytes that memory delivers during one latency. */
static int64_t rows_ahead(const box *b, const cost_load *l)
{
    const int64_t row = l->element * width(b, 0);
    return row > 0 && row < CPU_PREFETCH_BYTES ? CPU_PREFETCH_BYTES / row : 1;
}

static void add_cut(loop_tuner *m, int axis, bool several_rows, int64_t block,
                    int64_t ahead, bool streams)
{
    schedule s = {
        .kind = block > 0 ? SCHEDULE_BLOCKS : SCHEDULE_ROWS,
        .thread.size = {0, several_rows ? 0 : 1},
        .tile = {.size = {0, schedule_size(block)}, .ahead = schedule_size(ahead)},
        .non_temporal = streams};
    s.device.size[axis] = m->threads;
    m->loop[m->count++] = s;
}

static void add(loop_tuner *m, bool several_rows, int64_t block, int64_t ahead,
                bool streams)
{
    add_cut(m, m->axis, several_rows, block, ahead, streams);
}

/* Rows of a block if threads divide the rows; all blocks of a thread have equal height.
 * 0: threads should divide planes only. On several NUMA nodes, pages lie on the node of
 * the thread with their planes, so most rows would be remote. */
static int64_t block_across(const loop_tuner *m, int nodes, int64_t block)
{
    const int64_t rows = (width(&m->box, 1) + m->threads - 1) / m->threads;
    if (block == 0 || nodes > 1 || m->axis != 2 || m->threads == 1 || rows < FEW_ROWS)
        return 0;
    const int64_t blocks = (rows + block - 1) / block;
    return (rows + blocks - 1) / blocks;
}

/* Candidates for boxes larger than the caches. streams: lines are not loaded before they
 * are stored, so stores past the caches save a load. */
static void add_large(loop_tuner *m, int nodes, int64_t block, int64_t ahead,
                      bool streams)
{
    const int64_t across = block_across(m, nodes, block);
    if (across > 0) {
        /* Each thread gets some rows of all planes: no plane is read by two threads,
         * and the rows around a block were just read by the neighbour block. */
        for (int several_rows = 0; several_rows < 2; several_rows++) {
            add_cut(m, 1, several_rows, across, ahead, streams);
            add(m, several_rows, block, ahead, streams);
            add(m, several_rows, 0, ahead, streams);
        }
        add_cut(m, 1, false, across, 0, streams);
        if (streams)
            add_cut(m, 1, true, across, ahead, false);
        return;
    }
    for (int several_rows = 0; several_rows < 2; several_rows++) {
        add(m, several_rows, block, ahead, streams);
        add(m, several_rows, 0, block ? ahead : 0, streams);
    }
    if (streams)
        add(m, true, block, ahead, false);
}

/* Keeps candidates of the requested kind only. */
static void leave_kind(schedule_kind kind, loop_tuner *m)
{
    int kept = 0;
    for (int k = 0; k < m->count; k++)
        if ((kind != SCHEDULE_ROWS && kind != SCHEDULE_BLOCKS) || m->loop[k].kind == kind)
            m->loop[kept++] = m->loop[k];
    m->count = kept;
}

schedule_kind loop_tuner_kind(const loop_tuner *m)
{
    return m->count > 0 ? m->loop[m->tuner.fastest].kind : SCHEDULE_AUTO;
}

/* A request for blocks always gets blocks, even if they bring nothing. */
static int64_t choose_block(const box *b, const cost_load *l, const kernel_host *host)
{
    const int64_t block = block_within(b, l, host->core_cache);
    return block || host->kind != SCHEDULE_BLOCKS ? block : 1 + width(b, 1) / 2;
}

static schedule with_team(const loop_tuner *m, const schedule *s)
{
    schedule own = *s;
    own.device = (schedule_level){0};
    own.device.size[m->axis] = schedule_threads(s) == 1 ? 1 : m->threads;
    return own;
}

/* The request, with its settings, is the only candidate. */
static void leave_requested(const schedule *s, int64_t block, loop_tuner *m)
{
    m->loop[0] = with_team(m, s);
    if (s->kind == SCHEDULE_BLOCKS && s->tile.size[1] == 0)
        m->loop[0].tile.size[1] = schedule_size(block);
    m->count = 1;
}

bool loop_tuner_fastest(const loop_tuner *m, schedule *s)
{
    if (m->count == 0)
        return false;
    *s = m->loop[m->tuner.fastest];
    const bool alone = m->threads > 1 && schedule_threads(s) == 1;
    s->device = (schedule_level){.size = {alone}};
    return true;
}

void loop_tuner_list(const box *b, const cost_load *l, const kernel_host *host,
                     loop_tuner *m)
{
    const int64_t count = box_points(*b), block = choose_block(b, l, host);
    *m = (loop_tuner){.box = *b, .threads = loop_tuner_threads(count, host->threads)};
    m->axis = partition_axis(b, m->threads);
    if (count * l->point_bytes > host->cache)
        add_large(m, host->nodes, block, rows_ahead(b, l),
                  l->overwritten <= l->point_bytes - l->loaded_bytes);
    else {
        /* Candidates for boxes that fit in the caches. */
        const int64_t ahead = rows_ahead(b, l);
        for (int several_rows = 0; several_rows < 2; several_rows++) {
            add(m, several_rows, 0, 0, false);
            add(m, several_rows, 0, ahead, false);
        }
        if (block)
            add(m, true, block, ahead, false);
        add(m, true, 0, ahead, true);
        if (m->threads != 1) {
            add(m, true, 0, 0, false);
            m->loop[m->count - 1].device.size[m->axis] = 1;
        }
    }
    leave_kind(host->kind, m);
    if (host->rates.memory > 0) {
        /* Sorts by the model, fastest first; candidates with equal forecasts keep
         * their order. */
        const machine_facts machine = {
            .cpu = {m->threads, host->cache, host->core_cache, cpu_vector_bytes()},
            .rate = host->rates};
        double seconds[MOST_LOOP_SCHEDULES];
        for (int n = 0; n < m->count; n++) {
            const schedule own = m->loop[n];
            const cost_question q = {
                .schedule = &own, .machine = &machine, .box = b, .load = l};
            step_cost c;
            const double each = cost_forecast(&q, &c) == PAV_OK ? c.seconds : 0;
            int at = n;
            for (; at > 0 && seconds[at - 1] > each * (1 + 1e-9); at--) {
                seconds[at] = seconds[at - 1];
                m->loop[at] = m->loop[at - 1];
            }
            seconds[at] = each;
            m->loop[at] = own;
        }
    }
    if (host->requested)
        leave_requested(host->requested, choose_block(b, l, host), m);
    else if (host->hint) {
        /* Moves the hint to the front. A new one replaces the last candidate. */
        const schedule own = with_team(m, host->hint);
        int at = 0;
        while (at < m->count - 1 && !schedule_is_same(&m->loop[at], &own))
            at++;
        for (; at > 0; at--)
            m->loop[at] = m->loop[at - 1];
        m->loop[0] = own;
    }
    if (!trial_any_begins(host->steps, 1) && m->count > 1)
        m->count = 1;
    tuner_open(&m->tuner, m->count, m->count > 1 ? ROUNDS : 0);
    m->tuner.known = host->steps;
}

/* ---- trials ------------------------------------------------------------------------ */

bool loop_tuner_is_tuned(const loop_tuner *m)
{
    return tuner_is_over(&m->tuner);
}

/* The stage of a border is called for the box of each face in turn. Times of boxes of
 * different sizes cannot be compared, so only boxes as large as the first are tried. */
void loop_tuner_next(loop_tuner *m, const box *b, const cost_load *l,
                     const kernel_host *host, schedule *result)
{
    loop_tuner other;
    if (m->count == 0)
        loop_tuner_list(b, l, host, m);
    m->trying = false;
    if (trial_is_of(&m->box, b)) {
        m->trying = tuner_next(&m->tuner);
        m->tuner.done++;
        *result = m->loop[m->trying ? m->tuner.current : m->tuner.fastest];
        m->begun = clock_seconds();
        return;
    }
    loop_tuner_list(b, l, host, &other);
    *result = other.loop[0];
}
