/* SPDX-License-Identifier: BSD-3-Clause */
/* How many planes a block of a streaming kernel walks through. Few planes load what is around them more often, many
 * leave multiprocessors without work at the end; which is best, the first steps find out. */
#include "run/gpu_private.h"

enum { ROUNDS = 2 };

static bool same_box(const box *a, const box *b)
{
    bool same = true;
    for (int axis = 0; axis < MAX_DIM; axis++)
        same = same && a->lo[axis] == b->lo[axis] && a->hi[axis] == b->hi[axis];
    return same;
}

void gpu_manner_open(gpu_manner *m, const emit_gpu_kernel *k, const box *b, int axis,
                     int64_t fixed)
{
    static const int64_t likely[MOST_PLANES] = {4, 8, 16, 32, 64, 128};
    const int64_t all = b->hi[axis] - b->lo[axis];
    *m = (gpu_manner){.box = *b, .count = 1, .planes = {fixed > 0 ? fixed : likely[0]}};
    if (k->schedule.form != EMIT_GPU_STREAM || fixed > 0)
        return;
    for (int n = 1; n < MOST_PLANES && likely[n - 1] < all; n++)
        m->planes[m->count++] = likely[n];
}

bool gpu_manner_settled(const gpu_manner *m)
{
    return m->count <= 1 || m->trials >= ROUNDS * m->count;
}

bool gpu_manner_is_trial(const gpu_manner *m, const box *b)
{
    return !gpu_manner_settled(m) && same_box(&m->box, b);
}

int64_t gpu_manner_planes(const gpu_manner *m, const box *b)
{
    return m->planes[gpu_manner_is_trial(m, b) ? m->trials % m->count : m->fastest];
}

void gpu_manner_tried(gpu_manner *m, double seconds)
{
    const int n = m->trials++ % m->count;
    if (m->trials <= m->count || seconds < m->seconds[n])
        m->seconds[n] = seconds;
    for (int k = 0; k < m->count && k < m->trials; k++)
        if (m->seconds[k] < m->seconds[m->fastest])
            m->fastest = k;
}
