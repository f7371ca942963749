/* SPDX-License-Identifier: BSD-3-Clause */
/* A text grows, is taken once, and remembers a failed allocation. */
#include "base/base.h"
#include "test.h"

TEST(an_empty_text_is_taken_as_an_empty_string)
{
    text t = {0};
    char *result = NULL;

    REQUIRE_OK(text_take(&t, &result));
    CHECK_STR(result, "");
    pav_text_free(result);
    pav_text_free(NULL);
}

TEST(appends_follow_each_other_through_every_capacity)
{
    text t = {0};

    for (int i = 0; i < 1000; i++) {
        text_add(&t, "%d,", i % 10);
        CHECK_EQ(t.length, 2 * i + 2);
        CHECK_EQ(t.data[t.length], 0);
    }
    text_add_bytes(&t, "x\0y", 3);
    CHECK_EQ(t.length, 2003);
    CHECK(memcmp(t.data + 1998, "9,x\0y", 6) == 0);
    text_free(&t);
    CHECK(t.data == NULL && t.length == 0);
}

TEST(a_text_that_failed_stays_failed_until_taken)
{
    text t = {0};
    char *result = t.data;

    text_add(&t, "begin");
    mem_fail_after(1);
    text_add(&t, "%500d", 1);
    text_add(&t, "more");
    CHECK(t.failed);
    CHECK_STATUS(text_take(&t, &result), PAV_ENOMEM);
    CHECK(result == NULL && !t.failed && t.data == NULL);
    CHECK_STR(pav_message(), "memory ran out after 5 bytes of a text");
}

static void check_json(const char *string, const char *want)
{
    text t = {0};

    text_add_json(&t, string);
    CHECK_STR(t.data, want);
    text_free(&t);
}

TEST(json_strings_are_quoted_and_escaped)
{
    check_json("", "\"\"");
    check_json(NULL, "null");
    check_json("a\"b\\c/d", "\"a\\\"b\\\\c/d\"");
    check_json("\b\f\n\r\t\x01\x1f\x7f", "\"\\b\\f\\n\\r\\t\\u0001\\u001f\\u007f\"");
    check_json("\xc3\xa4\xf0\x9f\x98\x80", "\"\xc3\xa4\xf0\x9f\x98\x80\"");
}

TEST(json_is_utf8_whatever_the_string_is)
{
    check_json("a\xff"
               "b\xc3",
               "\"a\xef\xbf\xbd"
               "b\xef\xbf\xbd\"");
    check_json("\xed\xa0\x80", "\"\xef\xbf\xbd\xef\xbf\xbd\xef\xbf\xbd\"");
}

static bool valid(const char *bytes)
{
    return text_is_utf8(bytes, (int64_t)strlen(bytes));
}

TEST(xml_is_utf8_without_control_characters_whatever_the_string_is)
{
    text t = {0};
    text_add_xml(&t, "a<&\">\xff\xc3\x28\x01\n\xe2\x82\xac");
    CHECK_STR(
        t.data,
        "a&lt;&amp;&quot;&gt;\xef\xbf\xbd\xef\xbf\xbd(\xef\xbf\xbd&#10;\xe2\x82\xac");
    text_free(&t);
}

TEST(utf8_is_reported_from_what_is_not)
{
    CHECK(valid("") && valid("plain"));
    CHECK(valid("\xc2\x80\xdf\xbf\xe0\xa0\x80\xed\x9f\xbf\xef\xbf\xbf\xf4\x8f\xbf\xbf"));
    CHECK(!valid("\x80") && !valid("\xc0\x80") && !valid("\xc1\xbf")); /* overlong */
    CHECK(!valid("\xe0\x9f\xbf") && !valid("\xf0\x8f\xbf\xbf"));
    CHECK(!valid("\xed\xa0\x80") && !valid("\xed\xbf\xbf"));         /* surrogates */
    CHECK(!valid("\xf4\x90\x80\x80") && !valid("\xf5\x80\x80\x80")); /* beyond */
    CHECK(!valid("\xc3") && !valid("\xe2\x82") && !valid("\xc3(") && !valid("\xff"));
    CHECK(text_is_utf8("a\0b", 3));
    CHECK(!text_is_utf8("\xc3\xa4", 1));
}

TEST(sizes_extents_and_durations_read_well)
{
    const int64_t extent[] = {512, 64, 1};
    text t = {0};

    text_add_bytes_size(&t, 512);
    text_add(&t, ", ");
    text_add_bytes_size(&t, INT64_C(14) << 30);
    text_add(&t, ", ");
    text_add_bytes_size(&t, (1 << 20) - 1);
    text_add(&t, ", ");
    text_add_bytes_size(&t, INT64_MAX);
    text_add(&t, ", ");
    text_add_extent(&t, 3, extent);
    text_add_extent(&t, 0, extent);
    CHECK_STR(t.data, "512 B, 14.0 GiB, 1.0 MiB, 8.0 EiB, 512x64x1");
    text_free(&t);
}

TEST(durations_have_two_units_at_most)
{
    static const struct {
        double seconds;
        const char *want;
    } rows[] = {
        {0, "0 us"},         {42e-6, "42 us"},         {0.85, "850 ms"},
        {0.9996, "1.0 s"},   {12.34, "12.3 s"},        {59.97, "1 min 00 s"},
        {62, "1 min 02 s"},  {3599.7, "1 h 00 min"},   {3725, "1 h 02 min"},
        {86385, "1 d 00 h"}, {273600, "3 d 04 h"},     {1e300, "unknown"},
        {-1, "unknown"},     {(double)NAN, "unknown"},
    };
    for (size_t i = 0; i < COUNT_OF(rows); i++) {
        text t = {0};
        text_add_duration(&t, rows[i].seconds);
        CHECK_STR(t.data, rows[i].want);
        text_free(&t);
    }
}

TEST(two_sides_have_the_digits_that_tell_them_apart)
{
    static const struct {
        double left, right;
        const char *want;
    } rows[] = {
        {1, 2, "1 and 2"},
        {1.0 / 3, 0.5, "0.333333 and 0.5"},
        {1.0000000012, 1.0000000009, "1.0000000012 and 1.0000000009"},
        {0.1, 0.1 + 0x1p-56, "0.10000000000000001 and 0.10000000000000002"},
        {1.0 / 3, 1.0 / 3, "0.333333 and 0.333333"},
        {(double)NAN, (double)INFINITY, "nan and inf"},
    };
    for (size_t i = 0; i < COUNT_OF(rows); i++) {
        text t = {0};
        text_add_sides(&t, rows[i].left, " and ", rows[i].right);
        CHECK_STR(t.data, rows[i].want);
        text_free(&t);
    }
}
