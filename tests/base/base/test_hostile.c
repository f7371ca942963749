/* SPDX-License-Identifier: BSD-3-Clause */
/* Every allocation of a small scenario fails in turn. Each failure gives a status and a
 * message, returns nothing, and loses no memory (for the leak checker). */
#include "base/base.h"
#include "test.h"

static pav_status fill(arena *a, text *t)
{
    for (int i = 0; i < 60; i++) {
        char *line = arena_print(a, "%1000d", i);
        text_add(t, "%s\n", line);
    }
    text_add_json(t, "a \"b\"");
    text_add_double(t, 0.1);
    num_print(t, num_ratio(1, 3));
    return PAV_OK;
}

static pav_status scenario(char **result)
{
    pav_status status;
    text t = {0};
    arena *a = arena_new();

    *result = NULL;
    if (!a)
        return PAV_ENOMEM;
    ARENA_GUARD(a, status, fill(a, &t));
    arena_free(a);
    if (status == PAV_OK)
        return text_take(&t, result);
    text_free(&t);
    return status;
}

TEST(every_allocation_of_a_text_may_fail)
{
    char *result = NULL;
    int failures = 0;

    for (;; failures++) {
        REQUIRE(failures < 1000);
        mem_fail_after(failures + 1);
        if (scenario(&result) == PAV_OK)
            break;
        CHECK(result == NULL);
        CHECK(strstr(pav_message(), "memory ran out") != NULL);
        FAIL(PAV_OK, "fresh");
    }
    mem_fail_after(0);
    CHECK(failures >= 10);
    REQUIRE(result != NULL);
    CHECK_STR(result + 60 * 1001, "\"a \\\"b\\\"\"0.11/3");
    pav_text_free(result);
}

TEST(every_allocation_of_a_file_may_fail)
{
    char *data = NULL;
    int64_t length = 1;
    int failures = 0;

    for (;; failures++) {
        REQUIRE(failures < 1000);
        mem_fail_after(failures + 1);
        const pav_status status = file_read("/proc/self/maps", 1 << 20, &data, &length);
        if (status == PAV_OK)
            break;
        CHECK_EQ(status, PAV_ENOMEM);
        CHECK(data == NULL && length == 0);
    }
    mem_fail_after(0);
    CHECK(failures >= 1);
    CHECK(length > 0);
    mem_free(data);
}
