/* SPDX-License-Identifier: BSD-3-Clause */
/* Failures leave a sentence behind, one per thread. */
#include <pthread.h>
#include <stdlib.h>

#include "base/base.h"
#include "test.h"

TEST(there_is_no_message_before_a_failure)
{
    CHECK_STR(pav_message(), "");
}

TEST(fail_keeps_the_sentence_and_gives_the_status_back)
{
    CHECK_EQ(FAIL(PAV_EIO, "%s holds %d bytes", "a.npy", 7), PAV_EIO);
    CHECK_STR(pav_message(), "a.npy holds 7 bytes");
}

TEST(a_sentence_may_quote_the_one_before_it)
{
    FAIL(PAV_ENOMEM, "needs 3 B");
    FAIL(PAV_ENOMEM, "field %s: %s (%s)", "u", pav_message(), pav_message());
    CHECK_STR(pav_message(), "field u: needs 3 B (needs 3 B)");
    FAIL(PAV_ENOMEM, "%s", pav_message());
    CHECK_STR(pav_message(), "field u: needs 3 B (needs 3 B)");
}

TEST(a_sentence_of_nearly_64_KiB_is_kept_whole)
{
    char *lines = malloc(65536);

    REQUIRE(lines != NULL);
    memset(lines, 'x', 65535);
    lines[65535] = '\0';
    FAIL(PAV_ESYNTAX, "%s", lines);
    CHECK(strcmp(pav_message(), lines) == 0);
    free(lines);
}

TEST(a_longer_sentence_is_cut_between_characters)
{
    char *lines = malloc(100001);

    REQUIRE(lines != NULL);
    for (int i = 0; i < 50000; i++)
        memcpy(lines + 2 * i, "\xc3\xa4", 2);
    for (int shift = 0; shift < 2; shift++) {
        lines[100000] = '\0';
        FAIL(PAV_ESYNTAX, "%s%s", shift ? "a" : "", lines);
        const size_t length = strlen(pav_message());
        CHECK(length > 65530 && length < 65536);
        CHECK_STR(pav_message() + length - 3, "...");
        CHECK(text_is_utf8(pav_message(), (int64_t)length));
    }
    free(lines);
}

static void *fail_elsewhere(void *message)
{
    const bool fresh = pav_message()[0] == '\0';

    FAIL(PAV_EIO, "elsewhere");
    strcpy(message, fresh ? pav_message() : "not fresh");
    return NULL;
}

TEST(every_thread_has_its_own_message)
{
    char theirs[32] = "";
    pthread_t thread;

    FAIL(PAV_EIO, "here");
    REQUIRE(pthread_create(&thread, NULL, fail_elsewhere, theirs) == 0);
    REQUIRE(pthread_join(thread, NULL) == 0);
    CHECK_STR(theirs, "elsewhere");
    CHECK_STR(pav_message(), "here");
}

TEST(the_first_of_two_kept_failures_is_reported_once)
{
    kept_failure kept = {PAV_OK, NULL};
    failure_keep(&kept, PAV_OK);
    CHECK_EQ(failure_report(&kept), PAV_OK);
    failure_keep(&kept, FAIL(PAV_EIO, "the disk is gone"));
    failure_keep(&kept, FAIL(PAV_ENOMEM, "memory ran out"));
    CHECK_EQ(failure_report(&kept), PAV_EIO);
    CHECK_STR(pav_message(), "the disk is gone");
    CHECK_EQ(failure_report(&kept), PAV_OK);
}

TEST(every_status_has_a_name_and_a_text)
{
    CHECK_STR(pav_status_name(PAV_OK), "PAV_OK");
    CHECK_STR(pav_status_text(PAV_OK), "done");
    CHECK_STR(pav_status_name(PAV_EEXPECT), "PAV_EEXPECT");
    CHECK_STR(pav_status_text(PAV_EINTERNAL), "a defect in Pavior");
    for (int i = 0; i <= PAV_EINTERNAL; i++)
        CHECK(strncmp(pav_status_name((pav_status)i), "PAV_", 4) == 0);
    CHECK_STR(pav_status_name((pav_status)99), "unknown");
    CHECK_STR(pav_status_text((pav_status)99), "not a status of this version");
}

TEST(the_version_is_that_of_the_header)
{
    CHECK_STR(pav_version(), PAV_VERSION);
}
