/* SPDX-License-Identifier: BSD-3-Clause */
/* bench access: bandwidth of GPUs over the access pattern of a warp. Words of 4, 8 and 16
 * bytes are copied in two series: rows with every alignment in a line of 128 bytes, and
 * words with gaps. The driver's copy of the same memory is the reference. */
#include <stdio.h>
#include <string.h>

#include "bench_list.h"

enum { LINE = 128 /* bytes */, LARGEST = 512 };

static int one_access(bench *b, const char *what, int number)
{
    pav_bench_result r;
    char word[BENCH_WORD];
    snprintf(word, sizeof word, "access:%s=%d", what, number);
    const pav_status status = pav_bench_copy(b->device, &b->how, &r);
    if (status != PAV_OK)
        return bench_missed(b, word, status);
    bench_row row = bench_row_of(word, &r);
    snprintf(row.type, sizeof row.type, "%d bytes", b->how.word);
    return bench_keep(b, &row);
}

static int all_of_word(bench *b)
{
    static const int strides[] = {1, 2, 4, 8, 16, 32};
    int code = EXIT_DONE;
    for (int begin = 0; begin < LINE / b->how.word && code == EXIT_DONE; begin++) {
        b->how.begin = begin;
        b->how.stride = 1;
        code = one_access(b, "begin", begin);
    }
    b->how.begin = 0;
    for (size_t n = 0; n < sizeof strides / sizeof *strides && code == EXIT_DONE; n++) {
        b->how.stride = strides[n];
        code = one_access(b, "stride", strides[n]);
    }
    return code;
}

static int access_memory(bench *b)
{
    const pav_bench_options how = b->how;
    const int64_t last = b->size[b->sizes - 1];
    const int64_t size = b->sized || last < LARGEST ? last : LARGEST;
    int code = EXIT_DONE;
    if (!bench_on_gpu(b)) {
        complain(PAV_EUNSUPPORTED,
                 "access is of GPUs: words are copied by their threads");
        return EXIT_USAGE;
    }
    b->how.copy = PAV_COPY_WORDS;
    for (int axis = 0; axis < 3; axis++)
        b->how.extent[axis] = size;
    for (b->how.word = 4; b->how.word <= 16 && code == EXIT_DONE; b->how.word *= 2)
        code = all_of_word(b);
    b->how = how;
    return code;
}

const bench_kind bench_access = {
    .name = "access",
    .about = "copying on a GPU where rows begin within lines, and words lie apart",
    .run = access_memory,
    .fixed = "it has kernels of its own",
    .one_size = true,
    .no_program = true,
};
