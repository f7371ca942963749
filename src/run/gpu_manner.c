/* SPDX-License-Identifier: BSD-3-Clause */
/* How a stage goes over its points on a GPU: by which of its kernels, and how many planes a block of a streaming one
 * walks through. Few planes load what is around them more often, many drift apart, or leave multiprocessors without
 * work at the end. The first steps find out: each kernel is tried with the same number of planes, then the fastest
 * one with each number. */
#include <string.h>

#include "run/gpu_private.h"

enum { ROUNDS = 2 };

static void add_way(gpu_manner *m, int kernel, int64_t planes)
{
    m->way[m->ways++] = (gpu_way){.kernel = kernel, .planes = planes};
}

void gpu_manner_open(gpu_manner *m, const emit_gpu_kernel *k, int kernels, const box *b,
                     int axis, int64_t fixed)
{
    *m = (gpu_manner){.box = *b, .all = b->hi[axis] - b->lo[axis]};
    const bool open = fixed == 0 && !box_is_empty(b);
    const bool streams = k->schedule.form == EMIT_GPU_STREAM && open;
    for (int n = 0; n < kernels; n++)
        add_way(m, n, fixed > 0 ? fixed : GPU_FIRST_PLANES);
    m->trials = open && (streams || kernels > 1) ? ROUNDS * kernels : 0;
    m->planes_tried = !streams;
}

/* Blocks of a kernel whose walks go through all planes. */
static int64_t tiles_of(const gpu_manner *m, const ir *code, const emit_gpu_kernel *k)
{
    emit_gpu_work w = {.planes = m->all};
    int64_t blocks[MAX_DIM], shared;
    int threads[MAX_DIM];
    memcpy(w.lo, m->box.lo, sizeof w.lo);
    memcpy(w.hi, m->box.hi, sizeof w.hi);
    emit_gpu_extent(code, k, &w, blocks, threads, &shared);
    return blocks[0] * blocks[1] * blocks[2];
}

/* Planes of a walk such that blocks that have a multiprocessor each come to all of them `waves` times; 0: there is no
 * such number, or others share it. */
static int64_t planes_of(const gpu_manner *m, const gpu_way *way, int waves)
{
    const int64_t walks = way->tiles > 0 ? waves * m->multiprocessors / way->tiles : 0;
    return walks > 0 ? (m->all + walks - 1) / walks : 0;
}

/* Of planes that a block copies, a short walk copies too many that others copy as well: a kernel that shares them
 * shows what it can only in a long one, and where no multiprocessor is left without a block at the end. */
void gpu_manner_begin_with(gpu_manner *m, int kernel, const ir *code,
                           const emit_gpu_kernel *k, const gpu_facts *facts)
{
    enum { SOME = 4 };
    const emit_gpu_schedule *s = &k->schedule;
    gpu_way *way = &m->way[kernel];
    if (box_is_empty(&m->box) || s->form != EMIT_GPU_STREAM ||
        s->source != EMIT_GPU_SHARED)
        return;
    m->multiprocessors = facts->multiprocessors;
    way->tiles = s->blocks == 1 ? tiles_of(m, code, k) : 0;
    way->planes = planes_of(m, way, SOME);
    if (way->planes == 0)
        way->planes = GPU_FIRST_SHARED;
}

/* Of the fastest kernel. */
static void try_planes_of(gpu_manner *m, int64_t planes)
{
    const gpu_way fastest = m->way[m->fastest];
    bool is_new = planes > 0 && planes < 2 * m->all && planes != fastest.planes;
    for (int n = m->first; n < m->ways; n++)
        is_new = is_new && planes != m->way[n].planes;
    if (is_new)
        add_way(m, fastest.kernel, planes);
}

/* The second half. */
static void try_planes(gpu_manner *m)
{
    static const int64_t likely[MOST_PLANES] = {4, 8, 16, 32, 64, 128};
    static const int waves[MOST_WAVES] = {1, 2, 4};
    m->first = m->ways;
    for (int n = 0; n < MOST_PLANES; n++)
        try_planes_of(m, likely[n]);
    for (int n = 0; n < MOST_WAVES; n++)
        try_planes_of(m, planes_of(m, &m->way[m->fastest], waves[n]));
    m->trials = ROUNDS * (m->ways - m->first);
    m->planes_tried = true;
}

bool gpu_manner_settled(const gpu_manner *m)
{
    return m->trials == 0 && m->planes_tried;
}

bool gpu_manner_is_trial(const gpu_manner *m, const box *b)
{
    return m->trials > 0 && box_is_same(&m->box, b);
}

static int next_trial(const gpu_manner *m)
{
    return m->first + m->trials % (m->ways - m->first);
}

gpu_way gpu_manner_way(const gpu_manner *m, const box *b)
{
    return m->way[gpu_manner_is_trial(m, b) ? next_trial(m) : m->fastest];
}

void gpu_manner_tried(gpu_manner *m, double seconds)
{
    gpu_way *tried = &m->way[next_trial(m)];
    if (tried->seconds <= 0 || seconds < tried->seconds)
        tried->seconds = seconds;
    if (m->way[m->fastest].seconds <= 0 || tried->seconds < m->way[m->fastest].seconds)
        m->fastest = (int)(tried - m->way);
    m->trials--;
    if (m->trials == 0 && !m->planes_tried)
        try_planes(m);
}
