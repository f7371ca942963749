/* SPDX-License-Identifier: BSD-3-Clause */
/* C becomes functions by the system's compiler; what goes wrong is a sentence. */
#define _GNU_SOURCE
#include <dirent.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

#include "device/device_private.h"
#include "test.h"

static const char source[] = "int pav_answer(void) { return 42; }\n";
static char place[] = "/tmp/pavior-test-XXXXXX";

static void set_place(void)
{
    REQUIRE(mkdtemp(place) != NULL);
    setenv("PAV_CACHE", place, 1);
}

static int count_objects(char *last, size_t size)
{
    DIR *d = opendir(place);
    const struct dirent *entry;
    int count = 0;
    while (d && (entry = readdir(d)))
        if (strstr(entry->d_name, ".so")) {
            snprintf(last, size, "%s/%s", place, entry->d_name);
            count++;
        }
    closedir(d);
    return count;
}

static pav_status open_and_ask(int *answer)
{
    host_module *m = NULL;
    const pav_status status = host_module_open(source, (int64_t)strlen(source), true, &m);
    *answer = 0;
    if (status == PAV_OK)
        *answer = ((int (*)(void))host_module_find(m, "pav_answer"))();
    host_module_close(m);
    return status;
}

static void write_script(const char *path, const char *script)
{
    FILE *f = fopen(path, "w");
    REQUIRE(f != NULL);
    fputs(script, f);
    fclose(f);
    chmod(path, 0700);
}

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

TEST(a_directory_that_others_may_write_to_is_not_trusted)
{
    kernel_cache c;
    set_place();
    chmod(place, 0777);
    REQUIRE_OK(cache_open(&c));
    CHECK(!c.lasting);
    CHECK(strstr(c.note, "others may write there"));
    cache_close(&c);
    CHECK(access(c.work, F_OK) != 0);
}

TEST(a_compiler_that_is_missing_is_named)
{
    int answer;
    setenv("PAV_CC", "/nowhere/cc", 1);
    CHECK_STATUS(open_and_ask(&answer), PAV_EDEVICE);
    CHECK(strstr(pav_message(), "/nowhere/cc"));
}

TEST(a_compiler_that_fails_is_quoted)
{
    char script[4096];
    int answer;
    set_place();
    snprintf(script, sizeof script, "%s/cc", place);
    write_script(script, "#!/bin/sh\necho 'no such thing'; exit 1\n");
    setenv("PAV_CC", script, 1);
    CHECK_STATUS(open_and_ask(&answer), PAV_EDEVICE);
    CHECK(strstr(pav_message(), "no such thing"));
}

TEST(a_compiler_that_hangs_is_stopped)
{
    char script[4096];
    int answer;
    set_place();
    snprintf(script, sizeof script, "%s/cc", place);
    write_script(script, "#!/bin/sh\nsleep 60\n");
    setenv("PAV_CC", script, 1);
    setenv("PAV_CC_SECONDS", "0.3", 1);
    CHECK_STATUS(open_and_ask(&answer), PAV_EDEVICE);
    CHECK(strstr(pav_message(), "did not end within 0.3 s"));
}
