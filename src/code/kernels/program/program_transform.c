/* SPDX-License-Identifier: BSD-3-Clause */
/* The lines of a thread. The kernels of all stages share it. */
__attribute__((unused, noinline)) static void NAME(transform_work)(
    const work *w, int axis, const line_transform *t, int cosine, int parts)
{
    const int64_t stride[] = {1, w->grid->y, w->grid->z};
    const int64_t count = transform_box_room(t);
    const double *const c = w->table[cosine], *const p = w->table[parts];
    REAL *const room = malloc((size_t)count * sizeof *room);

    if (!room) {
        fprintf(stderr, "PROGRAM: there is no memory for %lld numbers of a transform\n",
                (long long)count);
        exit(EXIT_FAILURE);
    }
    NAME(transform_box)(w->grid->data, stride, w->lo, w->hi, axis, t, c, p, room);
    free(room);
}
