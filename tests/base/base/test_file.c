/* SPDX-License-Identifier: BSD-3-Clause */
/* Whole files are read up to a limit; failures name the file and the cause. */
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include "base/base.h"
#include "test.h"

static char path[] = "/tmp/pavior-test-XXXXXX";

static void put(const void *bytes, size_t length)
{
    const int descriptor = mkstemp(path);

    REQUIRE(descriptor >= 0);
    REQUIRE(write(descriptor, bytes, length) == (ssize_t)length);
    REQUIRE(close(descriptor) == 0);
}

TEST(a_file_is_read_whole_with_a_nul_after_it)
{
    char *data = NULL;
    int64_t length = 0;

    put("a\0b\n", 4);
    REQUIRE_OK(file_read(path, 4, &data, &length));
    CHECK_EQ(length, 4);
    CHECK(memcmp(data, "a\0b\n\0", 5) == 0);
    mem_free(data);
    unlink(path);
}

TEST(an_empty_file_is_an_empty_text)
{
    char *data = NULL;
    int64_t length = 1;

    REQUIRE_OK(file_read("/dev/null", 10, &data, &length));
    CHECK_EQ(length, 0);
    CHECK_STR(data, "");
    mem_free(data);
}

TEST(a_file_of_several_chunks_is_read_whole)
{
    char *data = NULL, *bytes = mem_new(200000, 1);
    int64_t length = 0;

    REQUIRE(bytes != NULL);
    for (int i = 0; i < 200000; i++)
        bytes[i] = (char)hash_mix((uint64_t)i);
    put(bytes, 200000);
    REQUIRE_OK(file_read(path, 200000, &data, &length));
    CHECK_EQ(length, 200000);
    CHECK(memcmp(data, bytes, 200000) == 0);
    mem_free(data);
    mem_free(bytes);
    unlink(path);
}

TEST(a_file_beyond_the_limit_is_refused)
{
    char *data = path;
    int64_t length = 9;

    put("12345", 5);
    CHECK_STATUS(file_read(path, 4, &data, &length), PAV_ELIMIT);
    CHECK(data == NULL && length == 0);
    CHECK(strstr(pav_message(), "larger than the 4 B") != NULL);
    unlink(path);
    CHECK_STATUS(file_read("/dev/zero", 1 << 20, &data, &length), PAV_ELIMIT);
}

TEST(what_cannot_be_read_is_named_with_the_cause)
{
    char *data = path;
    int64_t length = 9;

    CHECK_STATUS(file_read("/nowhere/a.pav", 10, &data, &length), PAV_EIO);
    CHECK_STR(pav_message(),
              "/nowhere/a.pav cannot be opened: No such file or directory");
    CHECK_STATUS(file_read("/tmp", 10, &data, &length), PAV_EIO);
    CHECK_STR(pav_message(), "/tmp cannot be read: Is a directory");
    CHECK(data == NULL && length == 0);
}

TEST(directories_are_made_with_those_above_them)
{
    char base[] = "/tmp/pavior-test-XXXXXX", deep[64], file[64];
    REQUIRE(mkdtemp(base) != NULL);
    (void)snprintf(deep, sizeof deep, "%s/a/b//c/", base);
    (void)snprintf(file, sizeof file, "%s/a/file", base);
    CHECK_STATUS(directory_check(deep), PAV_OK);
    CHECK(access(deep, F_OK) != 0);
    CHECK_STATUS(directory_make(deep), PAV_OK);
    CHECK_STATUS(directory_make(deep), PAV_OK);
    CHECK_STATUS(directory_check(deep), PAV_OK);
    CHECK(access(deep, W_OK) == 0);
    REQUIRE(fclose(fopen(file, "w")) == 0);
    CHECK_STATUS(directory_make(file), PAV_EIO);
    CHECK(strstr(pav_message(), "it is a file") != NULL);
    CHECK_STATUS(directory_make("/dev/null/a"), PAV_EIO);
    CHECK_STATUS(directory_check("/dev/null/a"), PAV_EIO);
    CHECK_STR(pav_message(), "/dev/null is wanted as a directory, but it is a file");
    (void)unlink(file);
    for (size_t length = strlen(deep); length > strlen(base) + 1; length--)
        if (deep[length] == '\0' || deep[length] == '/') {
            deep[length] = '\0';
            (void)rmdir(deep);
        }
    CHECK(rmdir(base) == 0);
}

TEST(what_is_free_is_found_where_a_path_would_be_made)
{
    uint64_t here, there, other;
    CHECK(disk_available("/tmp", &here) > 0);
    CHECK(disk_available("/tmp/pavior-no-such//folder/u.npy", &there) > 0);
    CHECK(here == there);
    CHECK_EQ(disk_available("/proc/no-such", &other), -1);
    CHECK(other != here);
    CHECK(disk_available("no-such.npy", &here) > 0 && disk_available("", &there) > 0);
    CHECK(here == there);
}

TEST(a_users_path_follows_the_first_variable_that_is_set)
{
    static const user_place places[] = {
        {"PAV_TEST_NOT_SET", ""}, {"PAV_TEST_EMPTY", "/a"}, {"PAV_TEST_HOME", "/kept"}};
    char found[16];
    REQUIRE(setenv("PAV_TEST_EMPTY", "", 1) == 0);
    REQUIRE(setenv("PAV_TEST_HOME", "/home", 1) == 0);
    CHECK(path_of_user(places, 3, 4, sizeof found, found));
    CHECK_STR(found, "/home/kept");
    CHECK(!path_of_user(places, 3, 8, sizeof found, found));
    CHECK(!path_of_user(places, 2, 4, sizeof found, found));
    CHECK_STR(found, "");
}
