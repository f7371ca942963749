/* SPDX-License-Identifier: BSD-3-Clause */
/* The header of npy files: accepted headers, and one message for each wrong header. */
#include "io/io.h"
#include "test.h"

#include <stdio.h>

static int64_t image(char *bytes, int version, const char *dictionary)
{
    const int64_t size = (int64_t)strlen(dictionary);
    const int before = version == 1 ? 10 : 12;
    memset(bytes, 0, 12);
    memcpy(bytes, "\x93NUMPY", 6);
    bytes[6] = (char)version;
    bytes[8] = (char)(size % 256);
    bytes[9] = (char)(size / 256);
    memcpy(bytes + before, dictionary, (size_t)size);
    return before + size;
}

static pav_status parse(int version, const char *dictionary, npy_header *h)
{
    char bytes[4096];
    return npy_parse_header(bytes, image(bytes, version, dictionary), h);
}

TEST(the_three_versions_are_read)
{
    const char *words = "{'descr': '<f8', 'fortran_order': False, 'shape': (3, 4), }  \n";
    for (int version = 1; version <= 3; version++) {
        npy_header h;
        REQUIRE_OK(parse(version, words, &h));
        CHECK(h.kind == 'f' && h.item_size == 8 && !h.fortran && h.dimensions == 2);
        CHECK(h.extent[0] == 3 && h.extent[1] == 4 && h.count == 12);
        CHECK_EQ(h.data_offset, (version == 1 ? 10 : 12) + (int64_t)strlen(words));
    }
}

TEST(keys_may_come_in_any_order_and_style)
{
    npy_header h;
    REQUIRE_OK(parse(1, "{\"shape\":(5,),'fortran_order':True,\"descr\":\">i2\"}", &h));
    CHECK(h.kind == 'i' && h.item_size == 2 && h.fortran && h.dimensions == 1);
    CHECK_EQ(h.extent[0], 5);
    REQUIRE_OK(
        parse(1, "{'descr': '|u1', 'fortran_order': False, 'shape': (7L, 2L)}\n", &h));
    CHECK_EQ(h.count, 14);
}

TEST(byte_order_is_compared_with_this_machine)
{
    npy_header little, big, single;
    REQUIRE_OK(
        parse(1, "{'descr': '<f4', 'fortran_order': False, 'shape': ()}", &little));
    REQUIRE_OK(parse(1, "{'descr': '>f4', 'fortran_order': False, 'shape': ()}", &big));
    REQUIRE_OK(
        parse(1, "{'descr': '>u1', 'fortran_order': False, 'shape': ()}", &single));
    CHECK(little.swapped != big.swapped);
    CHECK(!single.swapped);
    CHECK(little.dimensions == 0 && little.count == 1);
}

TEST(every_numeric_type_is_known)
{
    const char *const types[] = {"<f2", "<f4", "<f8", "|i1", "<i2", "<i4", "<i8",
                                 "|u1", "<u2", "<u4", "<u8", "|b1", "=f8"};
    for (size_t n = 0; n < COUNT_OF(types); n++) {
        char words[100];
        npy_header h;
        (void)snprintf(words, sizeof words,
                       "{'descr': '%s', 'fortran_order': False, 'shape': (2,)}",
                       types[n]);
        REQUIRE_OK(parse(1, words, &h));
        CHECK(h.kind == types[n][1] && h.item_size == types[n][2] - '0');
    }
}

struct bad {
    const char *dictionary, *message;
    pav_status status;
};

TEST(what_is_no_number_is_refused_by_name)
{
    static const struct bad all[] = {
        {"'|O'", "Python objects", PAV_EFORMAT},
        {"'<c16'", "complex numbers, not real numbers", PAV_EFORMAT},
        {"'<U7'", "texts", PAV_EFORMAT},
        {"'|S3'", "texts", PAV_EFORMAT},
        {"'<M8[ns]'", "dates", PAV_EFORMAT},
        {"'<m8'", "time spans", PAV_EFORMAT},
        {"'|V8'", "records", PAV_EFORMAT},
        {"[('a', '<f4')]", "records", PAV_EFORMAT},
        {"'<f16'", "element type", PAV_EFORMAT},
        {"'<f1'", "element type", PAV_EFORMAT},
        {"'<b2'", "element type", PAV_EFORMAT},
        {"'<i3'", "element type", PAV_EFORMAT},
        {"'|f8'", "element type", PAV_EFORMAT},
        {"''", "element type", PAV_EFORMAT},
        {"'f8'", "element type", PAV_EFORMAT},
        {"17", "'<f8'", PAV_EFORMAT},
    };
    for (size_t n = 0; n < COUNT_OF(all); n++) {
        char words[200];
        npy_header h;
        (void)snprintf(words, sizeof words,
                       "{'descr': %s, 'fortran_order': False, 'shape': (2,)}",
                       all[n].dictionary);
        CHECK_STATUS(parse(1, words, &h), all[n].status);
        CHECK(strstr(pav_message(), all[n].message));
    }
}

TEST(shapes_that_cannot_be_are_refused)
{
    static const struct bad all[] = {
        {"(-1,)", "negative", PAV_EFORMAT},
        {"(9223372036854775808,)", "beyond 64 bits", PAV_ELIMIT},
        {"(99999999999999999999999999,)", "beyond 64 bits", PAV_ELIMIT},
        {"(4294967296, 4294967296)", "values than 64 bits", PAV_ELIMIT},
        {"(9223372036854775807,)", "bytes than 64 bits", PAV_ELIMIT},
        {"(1, 1, 1, 1, 1, 1, 1, 1, 1)", "more than 8 dimensions", PAV_EFORMAT},
        {"(1 2)", "',' or ')' expected", PAV_EFORMAT},
        {"(,)", "an extent expected", PAV_EFORMAT},
        {"(1,,2)", "an extent expected", PAV_EFORMAT},
        {"(1.5,)", "',' or ')' expected", PAV_EFORMAT},
        {"(1", "',' or ')' expected", PAV_EFORMAT},
        {"[1, 2]", "a shape such as", PAV_EFORMAT},
        {"None", "a shape such as", PAV_EFORMAT},
    };
    for (size_t n = 0; n < COUNT_OF(all); n++) {
        char words[200];
        npy_header h;
        (void)snprintf(words, sizeof words,
                       "{'descr': '<f8', 'fortran_order': False, 'shape': %s}",
                       all[n].dictionary);
        CHECK_STATUS(parse(1, words, &h), all[n].status);
        CHECK(strstr(pav_message(), all[n].message));
        CHECK(h.count == 0 && h.dimensions == 0);
    }
}

TEST(dictionaries_that_are_not_understood_are_refused)
{
    static const struct bad all[] = {
        {"", "'{' expected", PAV_EFORMAT},
        {"{}", "does not state descr", PAV_EFORMAT},
        {"{'descr': '<f8', 'shape': (2,)}", "does not state fortran_order", PAV_EFORMAT},
        {"{'descr': '<f8', 'fortran_order': False}", "does not state shape", PAV_EFORMAT},
        {"{'descr': '<f8', 'descr': '<f8'}", "descr twice", PAV_EFORMAT},
        {"{'descr': '<f8', 'order': 1}", "descr, fortran_order or shape expected",
         PAV_EFORMAT},
        {"{'descr' '<f8'}", "':' expected", PAV_EFORMAT},
        {"{'descr': '<f8' 'shape': (2,)}", "',' or '}' expected", PAV_EFORMAT},
        {"{'fortran_order': 0}", "True or False expected", PAV_EFORMAT},
        {"{'descr", "a key expected", PAV_EFORMAT},
        {"{'descr': '<f8", "an element type", PAV_EFORMAT},
        {"{'descr': '<f8', 'fortran_order': False, 'shape': (2,)} extra",
         "nothing more expected", PAV_EFORMAT},
    };
    for (size_t n = 0; n < COUNT_OF(all); n++) {
        char words[200];
        npy_header h;
        (void)snprintf(words, sizeof words, "%s             ", all[n].dictionary);
        CHECK_STATUS(parse(1, words, &h), all[n].status);
        CHECK(strstr(pav_message(), all[n].message));
    }
}

TEST(every_beginning_of_a_header_is_refused)
{
    char bytes[4096];
    const int64_t whole = image(
        bytes, 2, "{'descr': '<f8', 'fortran_order': False, 'shape': (3, 4), }\n");
    npy_header h;
    for (int64_t length = 0; length < whole; length++) {
        /* exact size, so the sanitizer finds a read beyond the end */
        char *part = mem_new(length, 1);
        REQUIRE(part);
        memcpy(part, bytes, (size_t)length);
        CHECK_STATUS(npy_parse_header(part, length, &h), PAV_EFORMAT);
        mem_free(part);
    }
    CHECK_STATUS(npy_parse_header(bytes, whole, &h), PAV_OK);
}

TEST(every_changed_byte_is_survived)
{
    char bytes[4096];
    const int64_t length = image(
        bytes, 1, "{'descr': '<f8', 'fortran_order': False, 'shape': (3, 4), }\n");
    rng r = {7};
    int64_t accepted = 0, refused = 0;
    for (int round = 0; round < 20000; round++) {
        const int64_t at = rng_below(&r, length);
        const char before = bytes[at];
        npy_header h;
        bytes[at] = (char)rng_below(&r, 256);
        if (npy_parse_header(bytes, length, &h) == PAV_OK)
            accepted++;
        else
            refused++;
        bytes[at] = before;
    }
    CHECK(accepted > 100 && refused > 10000);
}

TEST(other_files_and_versions_are_refused)
{
    char bytes[4096];
    npy_header h;
    const int64_t length = image(bytes, 4, "{}            ");
    CHECK_STATUS(npy_parse_header(bytes, length, &h), PAV_EFORMAT);
    CHECK(strstr(pav_message(), "version 4.0"));
    bytes[6] = 1;
    bytes[7] = 1;
    CHECK_STATUS(npy_parse_header(bytes, length, &h), PAV_EFORMAT);
    CHECK(strstr(pav_message(), "version 1.1"));
    CHECK_STATUS(npy_parse_header("PK\3\4 an npz file", 16, &h), PAV_EFORMAT);
    CHECK(strstr(pav_message(), "no npy file"));
    const char huge[] = "\x93NUMPY\2\0\xff\xff\xff\x7f";
    CHECK_STATUS(npy_parse_header(huge, 12, &h), PAV_EFORMAT);
    CHECK(strstr(pav_message(), "2147483647 bytes"));
}
