/* SPDX-License-Identifier: BSD-3-Clause */
/* Sending few bytes to a GPU without a wait. The fake driver copies them at the latest
 * moment. */
#include "gpu_helper.h"

/* The pieces fill both halves of the send buffer more than once. */
TEST(what_is_sent_stays_until_the_gpu_has_it)
{
    enum { PIECE = 4000, PIECES = 250 };
    static unsigned char piece[PIECE], all[PIECE * PIECES];
    void *memory;
    set_place();
    set_fakes();
    gpu *g = open_gpu("cuda");
    REQUIRE_OK(gpu_take(g, sizeof all, "pieces", &memory));
    for (int n = 0; n < PIECES; n++) {
        memset(piece, n + 1, PIECE);
        REQUIRE_OK(g->ops->send(g, (char *)memory + (ptrdiff_t)n * PIECE, piece, PIECE));
    }
    REQUIRE_OK(gpu_download(g, all, memory, sizeof all));
    for (int n = 0; n < PIECES; n++)
        CHECK(all[n * PIECE] == (unsigned char)(n + 1) &&
              all[(n + 1) * PIECE - 1] == (unsigned char)(n + 1));
    gpu_close(g);
}

TEST(a_constant_of_too_few_bytes_is_refused_by_the_driver)
{
    set_place();
    set_fakes();
    gpu *g = open_gpu("cuda");
    gpu_module *m = open_kernels(g, 0);
    CHECK(gpu_module_constant(m, "add_one", 4096) != NULL);
    CHECK(gpu_module_constant(m, "other", 4097) == NULL);
    gpu_close(g);
}

TEST(no_more_is_lent_than_an_argument_may_have)
{
    static const char large[GPU_MOST_ARGUMENT + 1];
    const void *at;
    set_place();
    set_fakes();
    gpu *g = open_gpu("cuda");
    CHECK_STATUS(gpu_argument_ring_put(g, large, sizeof large, &at), PAV_EINTERNAL);
    CHECK_STATUS(gpu_argument_ring_put(g, large, GPU_MOST_ARGUMENT, &at), PAV_OK);
    gpu_close(g);
}
