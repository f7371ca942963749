/* SPDX-License-Identifier: BSD-3-Clause */
/* The report of pavior doctor, in text and in JSON. */
#include "device/device.h"
#include "test.h"

#include <stdlib.h>

/* Skips one JSON value; NULL if it is malformed. Strict enough to find a missing
 * comma. */
static const char *skip_value(const char *at, int depth);

static const char *skip_space(const char *at)
{
    return at + strspn(at, " \n");
}

static const char *skip_string(const char *at)
{
    if (*at++ != '"')
        return NULL;
    for (; *at != '"'; at++)
        if (*at == '\0' || (*at == '\\' && *++at == '\0'))
            return NULL;
    return at + 1;
}

static const char *skip_member(const char *at, bool named, int depth)
{
    if (named) {
        at = skip_string(skip_space(at));
        at = at ? skip_space(at) : NULL;
        if (!at || *at++ != ':')
            return NULL;
    }
    at = skip_value(at, depth + 1);
    return at ? skip_space(at) : NULL;
}

static const char *skip_members(const char *at, char close, int depth)
{
    at = skip_space(at);
    if (*at == close)
        return at + 1;
    while ((at = skip_member(at, close == '}', depth)) && *at == ',')
        at++;
    return at && *at == close ? at + 1 : NULL;
}

static const char *skip_value(const char *at, int depth)
{
    static const char *const words[] = {"true", "false", "null"};
    char *end;
    at = skip_space(at);
    if (depth > 10)
        return NULL;
    if (*at == '{' || *at == '[')
        return skip_members(at + 1, *at == '{' ? '}' : ']', depth);
    if (*at == '"')
        return skip_string(at);
    for (size_t n = 0; n < COUNT_OF(words); n++)
        if (strncmp(at, words[n], strlen(words[n])) == 0)
            return at + strlen(words[n]);
    (void)strtod(at, &end);
    return end > at ? end : NULL;
}

TEST(the_text_names_version_host_devices_and_libraries)
{
    const char *const words[] = {"Pavior",      PAV_VERSION,     "processor",
                                 "memory",      "caches",        "copy rate",
                                 "GB/s",        "compiler here", "a small kernel",
                                 "interpreter", "CUDA driver",   "NVRTC",
                                 "HDF5",        "zstd"};
    char *report = NULL;
    REQUIRE_OK(pav_doctor(0, &report));
    for (size_t n = 0; n < COUNT_OF(words); n++)
        CHECK(strstr(report, words[n]));
    pav_text_free(report);
}

static void check_lines_fit(void)
{
    char *report = NULL;
    REQUIRE_OK(pav_doctor(0, &report));
    int64_t lines = 0;
    for (char *line = strtok(report, "\n"); line; line = strtok(NULL, "\n")) {
        CHECK(strlen(line) <= 110);
        lines += strncmp(line, "    ", 4) != 0; /* GPUs may be many */
    }
    CHECK(lines <= 27);
    pav_text_free(report);
}

TEST(every_line_fits_a_screen)
{
    check_lines_fit();
}

TEST(every_line_fits_a_screen_where_no_library_is_found)
{
    for (const optional_library *l = library_table; l->name; l++) {
        CHECK(strlen(l->use) + strlen(l->get) <=
              110 - 20 - strlen("not found; needed for  ()"));
        if (l->variable)
            REQUIRE(setenv(l->variable, "/none", 1) == 0);
    }
    check_lines_fit();
}

TEST(the_json_is_one_object_and_nothing_more)
{
    char *report = NULL;
    REQUIRE_OK(pav_doctor(1, &report));
    const char *end = skip_value(report, 0);
    REQUIRE(end && report[0] == '{');
    CHECK_STR(skip_space(end), "");
    CHECK(strstr(report, "\"devices\": [{\"name\": \"interpreter\", \"present\": true"));
    pav_text_free(report);
}

TEST(each_library_is_said_to_be_there_or_not)
{
    char *report = NULL;
    int said = 0, known = 0;
    while (library_table[known].name)
        known++;
    REQUIRE_OK(pav_doctor(0, &report));
    for (char *at = strstr(report, "optional libraries"); at; at = strchr(at + 1, '\n'))
        said += strncmp(at + 1, "  ", 2) == 0 && strstr(at, "found");
    CHECK_EQ(said, known);
    CHECK(strstr(report, "zstd  ") != NULL);
    pav_text_free(report);
}

TEST(numbers_of_the_host_are_plausible)
{
    char *report = NULL;
    REQUIRE_OK(pav_doctor(1, &report));
    const char *processors = strstr(report, "\"processors\": ");
    const char *one = strstr(report, "\"one_thread\": ");
    const char *all = strstr(report, "\"all_threads\": ");
    const char *memory = strstr(report, "\"memory_bytes\": ");
    REQUIRE(processors && one && all && memory);
    CHECK(strtol(processors + 14, NULL, 10) >= 1);
    CHECK(strtod(one + 14, NULL) > 1e8 && strtod(one + 14, NULL) < 1e13);
    CHECK(strtod(all + 15, NULL) > 1e8 && strtod(all + 15, NULL) < 1e13);
    CHECK(strtod(memory + 16, NULL) > 1e8);
    pav_text_free(report);
}

TEST(threads_and_their_binding_are_reported)
{
    char *report = NULL;
    REQUIRE(setenv("PAV_THREADS", "1", 1) == 0);
    REQUIRE_OK(pav_doctor(0, &report));
    CHECK(strstr(report, "threads             1, not bound"));
    pav_text_free(report);
    REQUIRE(unsetenv("PAV_THREADS") == 0);
    REQUIRE_OK(pav_doctor(1, &report));
    CHECK(strstr(report, "\"bind\": \"cores\"") || host_threads() == 1);
    pav_text_free(report);
}

/* Each allocation fails once. The first ones belong to the topology. If an allocation for
 * the team or its arrays fails, the rate stays unmeasured. */
LONG_TEST(without_memory_the_rate_is_said_to_be_unmeasured)
{
    enum { LEAST = 6, MOST = 16 };
    const int64_t used = mem_used();
    int unmeasured = 0;
    REQUIRE(setenv("PAV_THREADS", "1", 1) == 0);
    for (int n = 1; n < MOST; n++) {
        char *report = NULL;
        mem_fail_after(n);
        const pav_status status = pav_doctor(0, &report);
        mem_fail_after(0);
        CHECK(status == PAV_OK || (status == PAV_ENOMEM && !report));
        unmeasured += report && strstr(report, "not measured") != NULL;
        pav_text_free(report);
        CHECK_EQ(mem_used(), used);
    }
    CHECK(unmeasured >= LEAST);
}

TEST(doctor_without_a_place_for_its_text_fails)
{
    CHECK_STATUS(pav_doctor(0, NULL), PAV_EINVAL);
}
