/* SPDX-License-Identifier: BSD-3-Clause */
/* The lines of a block. */
FUNCTION void NAME(transform_block)(const work &w, const grid &g, int axis, int width,
                                    const line_transform &t, const double *cosine)
{
    const int across = axis == 0, outer = axis == 2 ? 1 : 2;
    const int64_t stride[3] = {1, g.y, g.z};
    const int64_t groups = (w.hi[across] - w.lo[across] + width - 1) / width;
    const int64_t first = w.lo[across] + blockIdx.x % groups * width;
    const int64_t left = w.hi[across] - first, n = w.lo[outer] + blockIdx.x / groups;
    REAL *const data = (REAL *)g.data + w.lo[axis] * stride[axis] +
                       first * stride[across] + n * stride[outer];
    const NAME(lines)
        x = {data, stride[axis], stride[across], left < width ? (int)left : width, width};

    NAME(transform)(&x, &t, cosine, kernel_shared<REAL>());
}
