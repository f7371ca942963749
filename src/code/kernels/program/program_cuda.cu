/* SPDX-License-Identifier: BSD-3-Clause */
/* ---- launches ---------------------------------------------------------------------- */

static void check(cudaError_t error, const char *what, long long bytes)
{
    if (error == cudaSuccess)
        return;
    fprintf(stderr, "PROGRAM: the GPU failed at %s", what);
    if (bytes > 0)
        fprintf(stderr, " of %lld bytes", bytes);
    fprintf(stderr, ": %s\n", cudaGetErrorString(error));
    exit(EXIT_FAILURE);
}

[[maybe_unused]] static kernels::grid grid_at(const PROGRAM_call *c, int n)
{
    kernels::grid g;

    memcpy(&g, (const char *)c->grid + (size_t)n * sizeof g, sizeof g);
    return g;
}

[[maybe_unused]] static unsigned long long bits_of_number(double number)
{
    unsigned long long bits;

    memcpy(&bits, &number, sizeof bits);
    return bits;
}

static kernels::work work_of(const PROGRAM_call *c)
{
    kernels::work w = {};

    for (int axis = 0; axis < 3; axis++) {
        w.lo[axis] = c->lo[axis];
        w.hi[axis] = c->hi[axis];
        w.folds[axis] = c->folds[axis];
    }
    w.fold = c->fold;
    return w;
}

template <class argument>
static void launch(void (*kernel)(argument), dim3 blocks, dim3 threads, size_t shared,
                   argument a)
{
    enum { ALWAYS = 48 << 10 }; /* bytes allowed for a block without an attribute */
    void *list[] = {&a};

    if (shared > ALWAYS)
        check(cudaFuncSetAttribute(kernel, cudaFuncAttributeMaxDynamicSharedMemorySize,
                                   (int)shared),
              "shared memory for a block", (long long)shared);
    check(cudaLaunchKernel(kernel, blocks, threads, list, shared, 0),
          "the launch of a kernel", 0);
}

/* Blocks along an axis, each with this many planes. */
[[maybe_unused]] static unsigned blocks_along(const PROGRAM_call *c, int axis,
                                              long long planes)
{
    const long long most = 65535; /* further planes are taken by the same blocks */
    const long long blocks = (c->hi[axis] - c->lo[axis] + planes - 1) / planes;

    return (unsigned)(blocks < most ? blocks : most);
}

/* The least power of two not below `count`, but at most `most`. */
[[maybe_unused]] static int power_within(long long count, int most)
{
    int power = 1;

    while (power < count && 2 * power <= most)
        power *= 2;
    return power;
}

/* The blocks of an operation along x, each with so many rows. */
[[maybe_unused]] static dim3 tiles_across(const PROGRAM_call *c, int rows)
{
    return dim3((unsigned)((c->hi[1] - c->lo[1] + rows - 1) / rows *
                           (c->hi[2] - c->lo[2])));
}

/* Launches a thread for each point, or for each line along an axis (1: x). If the box is
 * narrow along an axis, the block is longer along the next axis. A launch with too many
 * blocks along y or z has all of its blocks along x. */
template <class argument>
[[maybe_unused]] static void launch_points(void (*kernel)(argument), int x, int y,
                                           int along, argument a)
{
    enum { MOST_BLOCKS = 65535, MOST_Z = 64 };
    const long long ny = along == 2 ? 1 : a.w.hi[1] - a.w.lo[1];
    const long long nz = along == 3 ? 1 : a.w.hi[2] - a.w.lo[2];
    const int tx = power_within(a.w.hi[0] - a.w.lo[0], x);
    const int ty = power_within(ny, x * y / tx);
    const int left = power_within(nz, x * y / (tx * ty));
    const int tz = left < MOST_Z ? left : MOST_Z;
    const long long first = a.w.lo[0] & -(long long)tx;
    long long bx = (a.w.hi[0] - first + tx - 1) / tx;
    long long by = (ny + ty - 1) / ty, bz = (nz + tz - 1) / tz;

    if (by > MOST_BLOCKS || bz > MOST_BLOCKS) {
        bx *= by * bz;
        by = bz = 1;
    }
    launch(kernel, dim3((unsigned)bx, (unsigned)by, (unsigned)bz),
           dim3((unsigned)tx, (unsigned)ty, (unsigned)tz), 0, a);
}

/* ---- memory ------------------------------------------------------------------------ */

static void check_number(int gpu)
{
    int count = 0;

    check(cudaGetDeviceCount(&count), "looking for GPUs", 0);
    if (gpu < count)
        return;
    if (count == 0)
        fprintf(stderr, "PROGRAM: this machine has no GPU that CUDA can use\n");
    else
        fprintf(stderr, "PROGRAM: there is no GPU %d: this machine has %d, from 0 on "
                        "(--gpus)\n", gpu, count);
    exit(EXIT_FAILURE);
}

extern "C" void PROGRAM_gpu_use(int gpu)
{
    check(cudaSetDevice(gpu), "turning to it", 0);
}

/* Linked GPUs copy from each other without the host. */
static void join(int gpu, int other)
{
    int can = 0;

    check(cudaDeviceCanAccessPeer(&can, gpu, other), "looking for links", 0);
    if (!can)
        return;
    PROGRAM_gpu_use(gpu);
    if (cudaDeviceEnablePeerAccess(other, 0) != cudaSuccess)
        (void)cudaGetLastError(); /* it has access, or copies through the host */
}

extern "C" void PROGRAM_gpu_open(int count, const int *gpu)
{
    for (int n = 0; n < count; n++)
        if (gpu[n] >= 0)
            check_number(gpu[n]);
    for (int n = 0; n < count; n++)
        for (int k = 0; k < count; k++)
            if (gpu[n] >= 0 && gpu[k] >= 0 && gpu[n] != gpu[k])
                join(gpu[n], gpu[k]);
}

extern "C" void *PROGRAM_gpu_take(int64_t bytes)
{
    void *there = nullptr;

    check(cudaMalloc(&there, (size_t)bytes), "taking memory", bytes);
    return there;
}

extern "C" void PROGRAM_gpu_give(void *there)
{
    if (there)
        check(cudaFree(there), "giving memory back", 0);
}

extern "C" void PROGRAM_gpu_upload(void *there, const void *here, int64_t bytes)
{
    check(cudaMemcpy(there, here, (size_t)bytes, cudaMemcpyHostToDevice), "copying to it",
          bytes);
}

extern "C" void PROGRAM_gpu_download(void *here, const void *there, int64_t bytes)
{
    check(cudaMemcpy(here, there, (size_t)bytes, cudaMemcpyDeviceToHost),
          "copying from it", bytes);
}

extern "C" void PROGRAM_gpu_copy(int to_gpu, void *to, int from_gpu, const void *from,
                                 int64_t bytes)
{
    check(cudaMemcpyPeer(to, to_gpu, from, from_gpu, (size_t)bytes),
          "copying from one to another", bytes);
}

extern "C" void PROGRAM_gpu_wait()
{
    check(cudaDeviceSynchronize(), "its work", 0);
}

/* ---- ghosts ------------------------------------------------------------------------ */

enum { LINE_OF_THREADS = 256 };

template <class argument>
static void launch_line(void (*kernel)(argument), long long count, argument a)
{
    const long long blocks = (count + LINE_OF_THREADS - 1) / LINE_OF_THREADS;

    if (count > 0)
        launch(kernel, dim3((unsigned)blocks), dim3(LINE_OF_THREADS), 0, a);
}

static common::emit_gpu_view view_there(const PROGRAM_view *v)
{
    return {v->data, v->stride[1], v->stride[2], v->type};
}

/* Copies all points of a level to another of the same type; no source: zeros. */
extern "C" void PROGRAM_gpu_points(const PROGRAM_view *to, const PROGRAM_view *from)
{
    common::emit_gpu_copy a = {};

    a.to = view_there(to);
    if (from)
        a.from = view_there(from);
    for (int axis = 0; axis < 3; axis++)
        a.hi[axis] = to->extent[axis];
    launch_line(common::run_copy, a.hi[0] * a.hi[1] * a.hi[2], a);
}

extern "C" void PROGRAM_gpu_ghosts(const PROGRAM_ghosts *g)
{
    common::emit_gpu_ghosts a = {};
    long long lines = 1;

    a.view = view_there(&g->view);
    a.axis = g->axis;
    a.side = g->side;
    a.map = g->map;
    a.extent = g->view.extent[g->axis];
    a.depth = g->view.halo[g->axis][g->side];
    for (int axis = 0; axis < 3; axis++) {
        a.lo[axis] = g->lo[axis];
        a.hi[axis] = g->hi[axis];
        if (axis != g->axis)
            lines *= g->hi[axis] - g->lo[axis];
    }
    launch_line(common::run_ghosts, lines, a);
}
