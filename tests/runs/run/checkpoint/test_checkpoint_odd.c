/* SPDX-License-Identifier: BSD-3-Clause */
/* Damaged checkpoints: names that lead to other files, and heads with arbitrary numbers.
 * Files of others stay untouched, and no read, sum or product leaves its bounds. */
#include <signal.h>
#include <stdio.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

#include "kept.h"

static const pav_run_options *keep(void)
{
    static char path[4096];
    static pav_run_options options;
    (void)strcpy(path, kept_path("c"));
    options = (pav_run_options){.no_files = 1, .checkpoint = path, .checkpoint_every = 5};
    return &options;
}

static const char words[] = "somebody's thesis\n";

static void check_words(const char *path)
{
    int64_t length;
    char *bytes = kept_bytes(path, &length);
    CHECK_STR(bytes, words);
    mem_free(bytes);
}

static void refused(const char *why)
{
    CHECK_STATUS(kept_run(kept_program(20), "interpreter", keep()), PAV_EIO);
    CHECK(strstr(pav_message(), why));
}

/* ---- names that lead elsewhere ----------------------------------------------------- */

/* A file with the first bytes of a checkpoint, so that only the link shows the
 * difference. */
static void begin_thesis(const char *path)
{
    static const char begins[] = "PAVCHKPT and more";
    kept_write(path, begins, (int64_t)strlen(begins));
}

static int64_t size_of(const char *path)
{
    struct stat s;
    return stat(path, &s) == 0 ? s.st_size : -1;
}

TEST(a_link_in_place_of_the_part_is_not_followed)
{
    begin_thesis(kept_path("thesis"));
    REQUIRE(symlink("thesis", kept_path("c.part")) == 0);
    refused("it is a link");
    CHECK_EQ(size_of(kept_path("thesis")), 17);
    CHECK(access(kept_path("c.part"), F_OK) == 0);
}

TEST(a_link_to_nothing_makes_no_file)
{
    REQUIRE(symlink("thesis", kept_path("c.part")) == 0);
    refused("it is a link");
    CHECK(access(kept_path("thesis"), F_OK) != 0);
}

TEST(a_second_name_of_a_file_is_not_emptied)
{
    begin_thesis(kept_path("thesis"));
    REQUIRE(link(kept_path("thesis"), kept_path("c.part")) == 0);
    refused("has another name");
    CHECK_EQ(size_of(kept_path("thesis")), 17);
}

TEST(a_file_of_somebody_that_comes_during_the_run_stays)
{
    begun b;
    REQUIRE_OK(kept_open(kept_program(20), "interpreter", keep(), &b));
    kept_write(kept_path("c.part"), words, (int64_t)strlen(words));
    CHECK_STATUS(pav_run_checkpoint(b.run, kept_path("c")), PAV_EIO);
    CHECK(strstr(pav_message(), "it is no checkpoint"));
    close_begun(&b);
    check_words(kept_path("c.part"));
}

TEST(what_a_killed_run_left_is_written_over)
{
    begin_thesis(kept_path("c.part"));
    REQUIRE_OK(kept_run(kept_program(20), "interpreter", keep()));
    CHECK(access(kept_path("c.part"), F_OK) != 0);
}

/* ---- heads ------------------------------------------------------------------------- */

enum {
    BEFORE = 32,
    SUM = 8
}; /* bytes: magic, order, format, length, hash; the sum at the end */

/* Makes the hash in the prefix correct for the present bytes. */
static void sign_head(char *bytes)
{
    int64_t length;
    memcpy(&length, bytes + 16, sizeof length);
    hash h;
    hash_init(&h);
    hash_add(&h, bytes, 24);
    hash_add(&h, bytes + BEFORE, length);
    const uint64_t sum = hash_end(&h);
    memcpy(bytes + 24, &sum, sizeof sum);
}

static char *a_checkpoint(int64_t *length)
{
    REQUIRE_OK(kept_run(kept_program(20), "interpreter", keep()));
    return kept_bytes(kept_path("c"), length);
}

TEST(the_layout_of_a_head_is_as_this_test_takes_it)
{
    int64_t length;
    char *bytes = a_checkpoint(&length), *same = kept_bytes(kept_path("c"), &length);
    sign_head(bytes);
    CHECK(memcmp(bytes, same, (size_t)length) == 0);
    mem_free(bytes);
    mem_free(same);
}

/* Continues from a file with wrong fields and a wrong sum. An error in the head must be
 * found before the recorders' numbers are used to search the tables. */
static void go_on_from(const char *bytes, int64_t length)
{
    static char path[4096];
    (void)strcpy(path, kept_path("d"));
    kept_write(path, bytes, length);
    const pav_run_options options = {.directory = kept_path(""), .restart = path};
    const pav_status status = kept_run(kept_program(20), "interpreter", &options);
    CHECK(status == PAV_OK || *pav_message());
}

static const int64_t odd_numbers[] = {INT64_MIN,
                                      INT64_MIN / 8 - 1,
                                      -1,
                                      0,
                                      INT64_MAX / 8 - 1,
                                      INT64_MAX / 8,
                                      INT64_MAX / 8 + 1,
                                      ((int64_t)1 << 53) + 1,
                                      INT64_MAX - 1,
                                      INT64_MAX};

#ifdef __SANITIZE_THREAD__
enum { STRIDE = 16 };
#else
enum { STRIDE = 3 };
#endif

LONG_TEST(a_head_in_which_any_number_is_any_other_is_no_harm)
{
    int64_t length, head;
    char *bytes = a_checkpoint(&length);
    memcpy(&head, bytes + 16, sizeof head);
    for (int64_t at = BEFORE; at + 8 <= BEFORE + head; at += STRIDE)
        for (size_t k = 0; k < COUNT_OF(odd_numbers); k++) {
            char kept[8];
            memcpy(kept, bytes + at, sizeof kept);
            memcpy(bytes + at, &odd_numbers[k], sizeof kept);
            sign_head(bytes);
            go_on_from(bytes, BEFORE + head + SUM);
            memcpy(bytes + at, kept, sizeof kept);
        }
    mem_free(bytes);
}

TEST(a_head_of_any_length_is_no_harm)
{
    int64_t length, head;
    char *bytes = a_checkpoint(&length);
    memcpy(&head, bytes + 16, sizeof head);
    for (int64_t shorter = 0; shorter < head; shorter++) {
        memcpy(bytes + 16, &shorter, sizeof shorter);
        sign_head(bytes);
        go_on_from(bytes, length);
    }
    mem_free(bytes);
}

/* ---- limits ------------------------------------------------------------------------ */

static void set_limit(rlim_t bytes, rlim_t *before)
{
    struct rlimit limit;
    REQUIRE(getrlimit(RLIMIT_FSIZE, &limit) == 0);
    *before = limit.rlim_cur;
    limit.rlim_cur = bytes;
    REQUIRE(setrlimit(RLIMIT_FSIZE, &limit) == 0);
}

static volatile sig_atomic_t caught;

static void catch_it(int number)
{
    caught = number;
}

TEST(a_limit_on_the_size_of_files_is_a_sentence_and_no_signal)
{
    rlim_t before, limit;
    begun b;
    REQUIRE(signal(SIGXFSZ, catch_it) != SIG_ERR);
    REQUIRE_OK(kept_open(kept_program(20), "interpreter", keep(), &b));
    set_limit(300, &before);
    CHECK_STATUS(pav_run_checkpoint(b.run, kept_path("e")), PAV_EIO);
    CHECK(strstr(pav_message(), "a limit on the size of files"));
    CHECK_EQ(caught, 0);
    REQUIRE_OK(pav_run_steps(b.run, 20)); /* the run goes on */
    close_begun(&b);
    CHECK_EQ(raise(SIGXFSZ), 0); /* and the caller has its signal back */
    CHECK_EQ(caught, SIGXFSZ);
    set_limit(before, &limit);
    REQUIRE(signal(SIGXFSZ, SIG_DFL) != SIG_ERR);
}
