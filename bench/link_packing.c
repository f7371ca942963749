/* SPDX-License-Identifier: BSD-3-Clause */
/* Measures lossless packing of planes for the link between host and GPU: the packed size
 * of a field of f32 (a .npy file of 3 dimensions), and the speed of packing and unpacking
 * on processors. Each value is replaced by its difference from its neighbour along x, or
 * from the prediction by its seven neighbours (Lorenzo). Differences are integers, folded
 * to small unsigned numbers. A block of 256 values stores only the low bytes needed for
 * its largest number, byte by byte.
 *
 *   cc -O3 -march=native -fopenmp bench/link_packing.c -o link_packing
 *   ./link_packing u.npy */
#include <omp.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { BLOCK = 256, ROUNDS = 5 };

static uint32_t folded(uint32_t delta)
{
    return delta << 1 ^ (uint32_t)((int32_t)delta >> 31);
}

static uint32_t unfolded(uint32_t small)
{
    return small >> 1 ^ (0U - (small & 1));
}

static int bytes_of(uint32_t most)
{
    return most == 0         ? 0
           : most < 1U << 8  ? 1
           : most < 1U << 16 ? 2
           : most < 1U << 24 ? 3
                             : 4;
}

/* ---- one block --------------------------------------------------------------------- */

/* Writes the number of bytes per value, the first value, then the lowest bytes of all
 * values, their next bytes, and so on. Returns the packed size in bytes. */
static int pack(const uint32_t *value, unsigned char *out)
{
    uint32_t small[BLOCK], most = 0;
    small[0] = value[0];
    for (int i = 1; i < BLOCK; i++)
        small[i] = folded(value[i] - value[i - 1]);
    for (int i = 1; i < BLOCK; i++)
        most |= small[i];
    const int bytes = bytes_of(most);
    out[0] = (unsigned char)bytes;
    memcpy(out + 1, value, sizeof *value);
    for (int b = 0; b < bytes; b++)
        for (int i = 0; i < BLOCK; i++)
            out[5 + b * BLOCK + i] = (unsigned char)(small[i] >> 8 * b);
    return 5 + bytes * BLOCK;
}

static void unpack(const unsigned char *in, uint32_t *value)
{
    uint32_t small[BLOCK] = {0};
    for (int b = 0; b < in[0]; b++)
        for (int i = 0; i < BLOCK; i++)
            small[i] |= (uint32_t)in[5 + b * BLOCK + i] << 8 * b;
    memcpy(value, in + 1, sizeof *value);
    for (int i = 1; i < BLOCK; i++)
        value[i] = value[i - 1] + unfolded(small[i]);
}

/* ---- a field ----------------------------------------------------------------------- */

static int64_t lorenzo_bytes(const uint32_t *v, int64_t nx, int64_t ny, int64_t nz)
{
    int64_t all = 0;
    for (int64_t k = 1; k < nz; k++)
        for (int64_t j = 1; j < ny; j++)
            for (int64_t first = 1; first + BLOCK <= nx; first += BLOCK) {
                const uint32_t *a = v + (k * ny + j) * nx, *b = a - nx, *c = a - ny * nx,
                               *d = c - nx;
                uint32_t most = 0;
                for (int64_t i = first; i < first + BLOCK; i++)
                    most |= folded(a[i] - a[i - 1] - b[i] + b[i - 1] - c[i] + c[i - 1] +
                                   d[i] - d[i - 1]);
                all += 5 + bytes_of(most) * BLOCK;
            }
    return all * nx * ny * nz / ((nx - 1) / BLOCK * BLOCK * (ny - 1) * (nz - 1));
}

static double seconds(uint32_t *v, unsigned char *packed, int *length, int64_t blocks,
                      int packs)
{
    double best = 1e30;
    for (int round = 0; round < ROUNDS; round++) {
        const double begun = omp_get_wtime();
#pragma omp parallel for schedule(static)
        for (int64_t n = 0; n < blocks; n++) {
            unsigned char *at = packed + n * (5 + 4 * BLOCK);
            if (packs)
                length[n] = pack(v + n * BLOCK, at);
            else
                unpack(at, v + n * BLOCK);
        }
        const double taken = omp_get_wtime() - begun;
        best = taken < best ? taken : best;
    }
    return best;
}

int main(int count, char **word)
{
    long long n[3];
    FILE *f = count > 1 ? fopen(word[1], "rb") : NULL;
    char head[256] = "";
    if (!f || fread(head, 1, 128, f) != 128 || !strstr(head + 10, "<f4"))
        return fprintf(stderr, "give a .npy file of f32 in 3 dimensions\n"), 2;
    const char *shape = strstr(head + 10, "'shape': (");
    if (!shape || sscanf(shape, "'shape': (%lld, %lld, %lld)", n, n + 1, n + 2) != 3)
        return fprintf(stderr, "give 3 dimensions\n"), 2;
    const int64_t all = n[0] * n[1] * n[2], blocks = all / BLOCK;
    uint32_t *v = malloc(4 * (size_t)all), *back = calloc((size_t)all, 4);
    unsigned char *packed = malloc((size_t)blocks * (5 + 4 * BLOCK));
    int *length = malloc(sizeof(int) * (size_t)blocks);
    if (!v || !back || !packed || !length || fread(v, 4, (size_t)all, f) != (size_t)all)
        return fprintf(stderr, "the file is too short, or memory too small\n"), 1;
    const double there = seconds(v, packed, length, blocks, 1);
    const double here = seconds(back, packed, length, blocks, 0);
    int64_t bytes = 0;
    for (int64_t k = 0; k < blocks; k++)
        bytes += length[k];
    if (memcmp(v, back, 4 * (size_t)(blocks * BLOCK)) != 0)
        return fprintf(stderr, "it does not come back\n"), 1;
    printf(
        "%s: along x %.2f of its bytes, Lorenzo %.2f; packed at %.1f GB/s, unpacked at "
        "%.1f GB/s by %d threads\n",
        word[1], (double)bytes / (4.0 * (double)all),
        (double)lorenzo_bytes(v, n[2], n[1], n[0]) / (4.0 * (double)all),
        4e-9 * (double)all / there, 4e-9 * (double)all / here, omp_get_max_threads());
    return 0;
}
