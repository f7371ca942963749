/* SPDX-License-Identifier: BSD-3-Clause */
/* ---- points off the grid ----------------------------------------------------------- */

/* A grid point next to a position, and its weight. */
typedef struct neighbour {
    int64_t at[3];
    double weight;
} neighbour;

static int is_masked(const program *p, int mask, const int64_t *at)
{
    const view v = view_of(p, mask, 0);

    return *(const uint8_t *)view_at(&v, at[0], at[1], at[2]) == 0;
}

static double value_at(const view *v, int64_t at);

/* The value at position n is a weighted sum of its neighbours first[n] to
 * first[n + 1] - 1, always in this order. */
static void sample_field(const program *p, int f, const neighbour *near,
                         const int64_t *first, int64_t count, double *value)
{
    const view v = view_of(p, f, 0);

#if ON_GPU
    download((program *)(uintptr_t)p, f, 0);
#endif
    for (int64_t n = 0; n < count; n++) {
        value[n] = 0;
        for (int64_t k = first[n]; k < first[n + 1]; k++) {
            const int64_t *const at = near[k].at;
            value[n] += near[k].weight *
                        value_at(&v, view_offset(&v, at[0], at[1], at[2]));
        }
    }
}
