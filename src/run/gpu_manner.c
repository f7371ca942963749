/* SPDX-License-Identifier: BSD-3-Clause */
/* How a stage goes over its points on a GPU: by which of its kernels, and how many planes a block of a streaming one
 * walks through. Few planes load what is around them more often, many drift apart, or leave multiprocessors without
 * work at the end. The first steps find out: each kernel is tried with the same number of planes, then the fastest
 * one with each number. */
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
    const bool streams = k->schedule.form == EMIT_GPU_STREAM && fixed == 0;
    for (int n = 0; n < kernels; n++)
        add_way(m, n, fixed > 0 ? fixed : GPU_FIRST_PLANES);
    m->trials = streams || kernels > 1 ? ROUNDS * kernels : 0;
    m->planes_tried = !streams;
}

/* Of planes that a block copies, a short walk copies too many that others copy as well: a kernel that shares them
 * shows what it can only in a long one. */
void gpu_manner_begin_with(gpu_manner *m, int kernel, const emit_gpu_schedule *s)
{
    if (s->form == EMIT_GPU_STREAM && s->source == EMIT_GPU_SHARED)
        m->way[kernel].planes = GPU_FIRST_SHARED;
}

/* The second half: of the fastest kernel. */
static void try_planes(gpu_manner *m)
{
    static const int64_t likely[MOST_PLANES] = {4, 8, 16, 32, 64, 128};
    const int first = m->ways;
    for (int n = 0; n < MOST_PLANES && likely[n] < 2 * m->all; n++)
        if (likely[n] != m->way[m->fastest].planes)
            add_way(m, m->way[m->fastest].kernel, likely[n]);
    m->first = first;
    m->trials = ROUNDS * (m->ways - first);
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
