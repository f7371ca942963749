/* SPDX-License-Identifier: BSD-3-Clause */
/* random_ranks SEED FILE...: ranks of MPI share each program in random boxes, and must
 * leave the checkpoint of a single process. The last line has the number of shared
 * programs. A program is left out if its boxes are refused because they are too thin. */
#include <pavior.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static uint64_t drawn;

static int draw(int below)
{
    drawn = drawn * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
    return (int)((drawn >> 33) % (uint64_t)below);
}

/* Draws at least one box per rank. */
static void draw_boxes(int dim, int ranks, char text[64])
{
    int parts[3] = {1, 1, 1}, count = 1;
    while (count < ranks) {
        const int axis = draw(dim);
        count = count / parts[axis] * (parts[axis] + 1);
        parts[axis]++;
    }
    (void)snprintf(text, 64,
                   dim == 1   ? "%d"
                   : dim == 2 ? "%dx%d"
                              : "%dx%dx%d",
                   parts[0], parts[1], parts[2]);
}

static pav_status leave(const pav_program *p, pav_device *device,
                        const pav_run_options *options)
{
    pav_run *run = NULL;
    pav_status status = pav_run_open(p, device, options, &run);
    if (status == PAV_OK)
        status = pav_run_finish(run);
    pav_run_free(run);
    return status;
}

static int differ(const char *a, const char *b)
{
    FILE *one = fopen(a, "rb"), *other = fopen(b, "rb");
    int x = one && other ? 0 : EOF, y = one && other ? 0 : 'x';
    while (x == y && x != EOF) {
        x = fgetc(one);
        y = fgetc(other);
    }
    if (one)
        (void)fclose(one);
    if (other)
        (void)fclose(other);
    return x != y;
}

/* Draws several times, because boxes may be too thin for the stencil, or have other
 * dimensions. */
static pav_status share(const pav_program *p, pav_device *device, pav_ranks *ranks,
                        char boxes[64])
{
    pav_status status = PAV_EINVAL;
    for (int n = 0; n < 12 && (status == PAV_EINVAL || status == PAV_EUNSUPPORTED); n++) {
        draw_boxes(1 + draw(3), pav_ranks_count(ranks), boxes);
        const pav_run_options o = {.no_files = 1,
                                   .nan_check_every = -1,
                                   .checkpoint = "shared",
                                   .subdomains = boxes,
                                   .exchange_every = draw(4),
                                   .ranks = ranks};
        status = leave(p, device, &o);
    }
    return status;
}

/* 1: shared, 0: no boxes suit, -1: other bits. */
static int try_program(const char *path, pav_device *device, pav_ranks *ranks)
{
    const pav_run_options alone = {
        .no_files = 1, .nan_check_every = -1, .checkpoint = "whole"};
    const int first = pav_ranks_number(ranks) == 0;
    pav_program *p = NULL;
    char boxes[64];
    if (pav_program_load(path, NULL, &p) != PAV_OK)
        return -1;
    const pav_status own = first ? leave(p, device, &alone) : PAV_OK;
    const pav_status status = share(p, device, ranks, boxes);
    const int refused = status == PAV_EINVAL || status == PAV_EUNSUPPORTED;
    const int wrong = first && !refused && (own != status || differ("whole", "shared"));
    if (wrong)
        printf("%s in %s boxes: other bits, or %s\n", path, boxes, pav_message());
    if (first) {
        (void)remove("whole");
        (void)remove("shared");
    }
    pav_program_free(p);
    return wrong ? -1 : !refused;
}

int main(int argc, char **argv)
{
    pav_ranks *ranks = NULL;
    pav_device *device = NULL;
    int shared = 0, wrong = 0, failed;
    if (argc < 3 || pav_ranks_open(NULL, &ranks) != PAV_OK ||
        pav_device_open("interpreter", &device) != PAV_OK) {
        fprintf(stderr, "%s\n", pav_message());
        return 2;
    }
    drawn = strtoull(argv[1], NULL, 10);
    for (int n = 2; n < argc; n++) {
        const int result = try_program(argv[n], device, ranks);
        shared += result > 0;
        wrong += result < 0;
    }
    if (pav_ranks_number(ranks) == 0)
        printf("%d of %d shared, %d wrong\n", shared, argc - 2, wrong);
    (void)fflush(stdout);
    if (pav_ranks_meet(ranks, PAV_OK, &failed) != PAV_OK)
        pav_ranks_abort(ranks, 1);
    pav_device_free(device);
    pav_ranks_free(ranks);
    return wrong > 0 || shared == 0;
}
