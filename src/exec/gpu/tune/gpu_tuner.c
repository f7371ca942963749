/* SPDX-License-Identifier: BSD-3-Clause */
/* Autotuning of a stage on a GPU: chooses one of its kernels, and for streaming kernels
 * the number of planes that a block sweeps through. With few planes, halos are loaded
 * more often. With many planes, blocks drift apart, or leave multiprocessors idle at the
 * end. The first steps try each kernel with the same number of planes, then the fastest
 * kernel with each number. */
#include <string.h>

#include "exec/gpu/gpu_private.h"

enum { ROUNDS = 2 };

static void add_candidate(gpu_tuner *m, int kernel, int64_t planes)
{
    m->candidate[m->candidates++] = (gpu_candidate){.kernel = kernel, .planes = planes};
}

void gpu_tuner_open(gpu_tuner *m, const emit_gpu_kernel *k, int kernels, const box *b,
                    int axis, int64_t fixed)
{
    *m = (gpu_tuner){.box = *b, .all = b->hi[axis] - b->lo[axis]};
    const bool open = fixed == 0 && !box_is_empty(b);
    const bool streams = k->schedule.kind == SCHEDULE_SWEEP && open;
    for (int n = 0; n < kernels; n++)
        add_candidate(m, n, fixed > 0 ? fixed : COST_FIRST_PLANES);
    m->trials = open && (streams || kernels > 1) ? ROUNDS * kernels : 0;
    m->planes_tried = !streams;
}

/* Number of blocks of a kernel that sweeps through all planes. */
static int64_t tiles_of(const gpu_tuner *m, const ir *code, const emit_gpu_kernel *k)
{
    emit_gpu_work w = {.planes = m->all};
    int64_t blocks[MAX_DIM], shared;
    int threads[MAX_DIM];
    memcpy(w.lo, m->box.lo, sizeof w.lo);
    memcpy(w.hi, m->box.hi, sizeof w.hi);
    emit_gpu_extent(code, k, &w, blocks, threads, &shared);
    return blocks[0] * blocks[1] * blocks[2];
}

/* Planes of a sweep for exactly `waves` waves of blocks, with a multiprocessor for each
 * block; 0: there is no such number, or blocks share multiprocessors. */
static int64_t planes_of(const gpu_tuner *m, const gpu_candidate *candidate, int waves)
{
    const int64_t sweeps = candidate->tiles > 0
                               ? waves * m->multiprocessors / candidate->tiles
                               : 0;
    return sweeps > 0 ? (m->all + sweeps - 1) / sweeps : 0;
}

/* Planes of a sweep that give a small grid blocks for all threads of the GPU. */
static int64_t few_planes(const gpu_tuner *m, const ir *code, const emit_gpu_kernel *k,
                          const gpu_facts *facts)
{
    const int64_t threads = (int64_t)k->schedule.tile.size[0] * k->schedule.tile.size[1];
    const int64_t all = (int64_t)facts->multiprocessors *
                        gpu_facts_architecture(facts)->threads;
    const int64_t tiles = tiles_of(m, code, k);
    const int64_t sweeps = tiles * threads > 0 ? all / (tiles * threads) : 1;
    const int64_t planes = sweeps > 0 ? m->all / sweeps : m->all;
    return planes < 1 ? 1 : planes < COST_FIRST_PLANES ? planes : COST_FIRST_PLANES;
}

/* A kernel with planes in shared memory copies halos that its neighbours copy, too. It is
 * fast only in a long sweep that leaves no multiprocessor idle at the end. */
void gpu_tuner_begin_with(gpu_tuner *m, int kernel, const ir *code,
                          const emit_gpu_kernel *k, const gpu_facts *facts)
{
    enum { SOME = 4 };
    const schedule *s = &k->schedule;
    gpu_candidate *candidate = &m->candidate[kernel];
    if (box_is_empty(&m->box) || s->kind != SCHEDULE_SWEEP)
        return;
    if (s->tile.storage != STORAGE_SHARED) {
        candidate->planes = few_planes(m, code, k, facts);
        return;
    }
    m->multiprocessors = facts->multiprocessors;
    candidate->tiles = s->blocks == 1 ? tiles_of(m, code, k) : 0;
    candidate->planes = planes_of(m, candidate, SOME);
    if (candidate->planes == 0)
        candidate->planes = GPU_FIRST_SHARED;
}

/* Adds a number of planes for the fastest kernel. */
static void try_planes_of(gpu_tuner *m, int64_t planes)
{
    const gpu_candidate fastest = m->candidate[m->fastest];
    bool is_new = planes > 0 && planes < 2 * m->all && planes != fastest.planes;
    for (int n = m->first; n < m->candidates; n++)
        is_new = is_new && planes != m->candidate[n].planes;
    if (is_new)
        add_candidate(m, fastest.kernel, planes);
}

/* The second half of the trials: numbers of planes. */
static void try_planes(gpu_tuner *m)
{
    m->first = m->candidates;
    for (int n = 0; n < SCHEDULE_PLANES; n++)
        try_planes_of(m, schedule_planes[n]);
    for (int n = 0; n < SCHEDULE_WAVES; n++)
        try_planes_of(m, planes_of(m, &m->candidate[m->fastest], schedule_waves[n]));
    m->trials = ROUNDS * (m->candidates - m->first);
    m->planes_tried = true;
}

bool gpu_tuner_is_tuned(const gpu_tuner *m)
{
    return m->trials == 0 && m->planes_tried;
}

static int next_trial(const gpu_tuner *m)
{
    return m->first + m->trials % (m->candidates - m->first);
}

static double allowance(const gpu_tuner *m)
{
    return trial_allowance(m->steps, m->calls);
}

static void end_trial(gpu_tuner *m)
{
    m->trials--;
    if (m->trials == 0 && !m->planes_tried)
        try_planes(m);
}

void gpu_tuner_limit(gpu_tuner *m, int64_t steps)
{
    m->steps = steps;
    if (trial_any_begins(steps, 1))
        return;
    m->trials = 0;
    m->planes_tried = true;
}

/* If the length of the run is known, a trial too expensive now will never be
 * affordable. */
void gpu_tuner_next(gpu_tuner *m, const box *b)
{
    m->trying = false;
    if (!trial_is_of(&m->box, b))
        return;
    while (m->trials > 0 && !m->trying) {
        const double each = m->candidate[next_trial(m)].seconds;
        const bool slow = trial_is_slow(&m->budget, each);
        m->trying = !slow && trial_may_begin(&m->budget, allowance(m), each, 1);
        if (!m->trying && !slow && m->steps == 0)
            break;
        if (!m->trying)
            end_trial(m);
    }
    m->calls++;
}

bool gpu_tuner_is_trial(const gpu_tuner *m, const box *b)
{
    return m->trying && trial_is_of(&m->box, b);
}

gpu_candidate gpu_tuner_candidate(const gpu_tuner *m, const box *b)
{
    return m->candidate[gpu_tuner_is_trial(m, b) ? next_trial(m) : m->fastest];
}

bool gpu_tuner_affords(const gpu_tuner *m, int64_t launches, double each)
{
    trial_budget b = m->budget;
    trial_note(&b, each, 1, each);
    return trial_affords(&b, allowance(m), (double)launches * each, 0);
}

void gpu_tuner_measured(gpu_tuner *m, double each, double all)
{
    gpu_candidate *tried = &m->candidate[next_trial(m)];
    trial_note(&m->budget, all, 1, each);
    if (tried->seconds <= 0 || each < tried->seconds)
        tried->seconds = each;
    if (m->candidate[m->fastest].seconds <= 0 ||
        tried->seconds < m->candidate[m->fastest].seconds)
        m->fastest = (int)(tried - m->candidate);
    m->trying = false;
    end_trial(m);
}
