/* SPDX-License-Identifier: BSD-3-Clause */
/* The system's compiler makes functions from C, once. A cached object is used only if it
 * is complete and belongs to this user. */
#include "cache_helper.h"

TEST(the_second_time_comes_from_the_cache)
{
    char object[4096], script[4096];
    int answer;
    set_place();
    REQUIRE_OK(open_and_ask(&answer));
    CHECK_EQ(answer, 42);
    CHECK_EQ(count_objects(object, sizeof object), 1);
    REQUIRE_OK(open_and_ask(&answer));
    CHECK_EQ(answer, 42);
    CHECK_EQ(count_objects(script, sizeof script), 1);
}

TEST(an_object_that_was_cut_or_changed_is_made_again)
{
    char object[4096];
    int answer;
    set_place();
    REQUIRE_OK(open_and_ask(&answer));
    REQUIRE(count_objects(object, sizeof object) == 1);
    CHECK(cache_is_sealed(object));
    REQUIRE(truncate(object, 1000) == 0);
    CHECK(!cache_is_sealed(object));
    REQUIRE_OK(open_and_ask(&answer));
    CHECK_EQ(answer, 42);
    CHECK(cache_is_sealed(object));
}

TEST(an_object_under_another_name_is_not_loaded)
{
    char object[4096], other[4200];
    int answer;
    set_place();
    REQUIRE_OK(open_and_ask(&answer));
    REQUIRE(count_objects(object, sizeof object) == 1);
    snprintf(other, sizeof other, "%s/0123456789abcdef0123456789abcdef.so", kept);
    REQUIRE(rename(object, other) == 0);
    CHECK(!cache_is_sealed(other));
}

TEST(an_object_in_which_one_bit_is_changed_is_made_again)
{
    char object[4096];
    int answer;
    set_place();
    REQUIRE_OK(open_and_ask(&answer));
    REQUIRE(count_objects(object, sizeof object) == 1);
    FILE *f = fopen(object, "r+b");
    REQUIRE(f && fseek(f, 2000, SEEK_SET) == 0);
    const int c = fgetc(f);
    REQUIRE(fseek(f, 2000, SEEK_SET) == 0 && fputc(c ^ 1, f) != EOF && fclose(f) == 0);
    CHECK(!cache_is_sealed(object));
    REQUIRE_OK(open_and_ask(&answer));
    CHECK_EQ(answer, 42);
    CHECK(cache_is_sealed(object));
}

TEST(an_object_that_others_may_write_is_made_again)
{
    char object[4096];
    struct stat s;
    int answer;
    set_place();
    REQUIRE_OK(open_and_ask(&answer));
    REQUIRE(count_objects(object, sizeof object) == 1);
    chmod(object, 0722);
    CHECK(!cache_is_sealed(object));
    REQUIRE_OK(open_and_ask(&answer));
    REQUIRE(stat(object, &s) == 0);
    CHECK((s.st_mode & 022) == 0);
}

TEST(an_object_of_another_user_is_not_trusted)
{
    char object[4096];
    int answer;
    set_place();
    REQUIRE_OK(open_and_ask(&answer));
    REQUIRE(count_objects(object, sizeof object) == 1);
    if (chown(object, 65534, 65534) != 0)
        return; /* only root can give files away */
    CHECK(!cache_is_sealed(object));
}

TEST(another_compiler_or_another_level_is_another_object)
{
    char object[4096], script[4096];
    host_module *m = NULL;
    int answer;
    set_place();
    REQUIRE_OK(open_and_ask(&answer));
    REQUIRE_OK(
        host_module_open(source, (int64_t)strlen(source), HOST_KEEP | HOST_QUICK, &m));
    host_module_close(m);
    CHECK_EQ(count_objects(object, sizeof object), 2);
    snprintf(script, sizeof script, "%s/cc", place);
    write_script(script, "#!/bin/sh\nexec cc \"$@\"\n");
    setenv("PAV_CC", script, 1);
    REQUIRE_OK(open_and_ask(&answer));
    CHECK_EQ(count_objects(object, sizeof object), 3);
    write_script(script, "#!/bin/sh\nexec  cc \"$@\"\n");
    REQUIRE_OK(open_and_ask(&answer));
    CHECK_EQ(count_objects(object, sizeof object), 4);
}

TEST(what_is_cached_starts_no_process)
{
    char script[4096];
    int answer;
    set_place();
    snprintf(script, sizeof script, "%s/cc", place);
    write_script(script, "#!/bin/sh\nprintf . >>\"${0%/*}/started\"; exec cc \"$@\"\n");
    setenv("PAV_CC", script, 1);
    REQUIRE_OK(open_and_ask(&answer));
    snprintf(script, sizeof script, "%s/started", place);
    struct stat s;
    REQUIRE(stat(script, &s) == 0);
    CHECK_EQ(s.st_size, 1);
    REQUIRE_OK(open_and_ask(&answer));
    CHECK_EQ(answer, 42);
    REQUIRE(stat(script, &s) == 0);
    CHECK_EQ(s.st_size, 1);
}

TEST(without_memory_nothing_is_loaded_or_left_behind)
{
    int answer, n = 1;
    set_place();
    pav_status status = PAV_ENOMEM;
    while (n < 100 && status != PAV_OK) {
        mem_fail_after(n++);
        status = open_and_ask(&answer);
        mem_fail_after(0);
    }
    CHECK(n > 3);
    CHECK_EQ(answer, 42);
    CHECK_EQ(count_entries("work-"), 0);
    CHECK_EQ(count_entries(".lock"), 0);
}
