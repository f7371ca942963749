/* SPDX-License-Identifier: BSD-3-Clause */
#include "fem_helper.h"

pav_mesh *crooked_mesh(const char *word, int layers, double crooked)
{
    const pav_mesh_options options = {.layers = layers};
    rng r = {7};
    pav_mesh *m;

    REQUIRE_OK(pav_mesh_open(word, &options, &m));
    const double size = crooked * cbrt(m->volume / (double)m->cells);
    for (int64_t k = 0; k < 3 * m->nodes; k++)
        m->at[k % 3][k / 3] += size * (rng_unit(&r) - 0.5);
    return m;
}

double *zero_vector(const pav_mesh *m)
{
    double *u = mem_new(m->nodes, sizeof *u);

    REQUIRE(u);
    return u;
}

double *random_vector(const pav_mesh *m, uint64_t seed)
{
    rng r = {seed};
    double *u = zero_vector(m);

    for (int64_t k = 0; k < m->nodes; k++)
        u[k] = rng_unit(&r) - 0.5;
    return u;
}

double far_apart(const double *a, const double *b, int64_t count)
{
    double most = 0, size = 0;

    for (int64_t k = 0; k < count; k++) {
        most = fmax(most, fabs(a[k] - b[k]));
        size = fmax(size, fabs(b[k]));
        if (a[k] != a[k] || b[k] != b[k])
            return INFINITY;
    }
    return most / size;
}

pav_device *emulated_gpu(void)
{
    pav_device *device = NULL;

    if (!test_loses_stacks() && pav_device_open("emulated", &device) != PAV_OK)
        test_skip("the emulated GPU", pav_message());
    return device;
}
