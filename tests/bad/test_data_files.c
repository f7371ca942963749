/* SPDX-License-Identifier: BSD-3-Clause */
/* Unusable data files: one sentence names the file, and no field is loaded from it. */
#include <sys/stat.h>
#include <unistd.h>

#include "bad_helper.h"

static char folder[64];

static void open_folder(void)
{
    strcpy(folder, "/tmp/pavior-bad-XXXXXX");
    REQUIRE(mkdtemp(folder) != NULL);
    REQUIRE(chdir(folder) == 0);
}

static void close_folder(void)
{
    (void)unlink("a.npy");
    (void)rmdir("a.npy");
    REQUIRE(chdir("/") == 0);
    REQUIRE(rmdir(folder) == 0);
}

static void write_bytes(const char *bytes, size_t length)
{
    FILE *out = fopen("a.npy", "wb");
    REQUIRE(out != NULL);
    REQUIRE(fwrite(bytes, 1, length, out) == length);
    REQUIRE(fclose(out) == 0);
}

#define write_literal(text) write_bytes(text, sizeof(text) - 1)

/* Writes an npy file of version 1.0 with this dictionary and `data` bytes of data. */
static void write_npy(const char *dictionary, size_t data)
{
    char bytes[4096] = "\x93NUMPY\x01";
    const size_t length = strlen(dictionary);
    REQUIRE(10 + length + 1 + data <= sizeof bytes);
    bytes[8] = (char)(length & 255);
    bytes[9] = (char)(length >> 8);
    memcpy(bytes + 10, dictionary, length + 1);
    write_bytes(bytes, 10 + length + data);
}

static void check_message(const char *phrase)
{
    const bool named = strstr(pav_message(), "a.npy") != NULL;
    const bool said = strstr(pav_message(), phrase) != NULL;
    CHECK(named);
    CHECK(said);
    if (!named || !said)
        printf("---- said: %s\n---- not: %s\n", pav_message(), phrase);
}

static const char field[] = "grid x 4, y 3\nfield u = \"a.npy\"\nu' = u\nsteps 1";

static void field_refused(pav_status want, const char *phrase)
{
    CHECK_STATUS(open_text(field), want);
    check_message(phrase);
}

static void header_refused(const char *dictionary, pav_status want, const char *phrase)
{
    write_npy(dictionary, 4 * 3 * 8);
    field_refused(want, phrase);
}

TEST(a_good_file_is_read)
{
    open_folder();
    write_npy("{'descr': '<f8', 'fortran_order': False, 'shape': (3, 4), }\n", 96);
    CHECK_STATUS(open_text(field), PAV_OK);
    close_folder();
}

TEST(a_missing_file_is_named)
{
    open_folder();
    field_refused(PAV_EIO, "cannot be opened");
    close_folder();
}

TEST(a_folder_is_no_file)
{
    open_folder();
    REQUIRE(mkdir("a.npy", 0700) == 0);
    field_refused(PAV_EIO, "cannot be read");
    close_folder();
}

TEST(a_file_that_may_not_be_read_is_named)
{
    open_folder();
    write_literal("");
    REQUIRE(chmod("a.npy", 0) == 0);
    if (geteuid() != 0)
        field_refused(PAV_EIO, "cannot be opened");
    else
        field_refused(PAV_EFORMAT, "no npy file");
    close_folder();
}

TEST(what_is_no_npy_file_is_reported)
{
    open_folder();
    write_literal("");
    field_refused(PAV_EFORMAT, "no npy file");
    write_literal("\x93NUMPY");
    field_refused(PAV_EFORMAT, "no npy file");
    write_literal("PK\x03\x04 a zip file, such as numpy.savez writes");
    field_refused(PAV_EFORMAT, "no npy file");
    write_literal("1.0, 2.0, 3.0\n");
    field_refused(PAV_EFORMAT, "no npy file");
    close_folder();
}

TEST(an_unknown_version_is_reported)
{
    open_folder();
    write_literal("\x93NUMPY\x09\x00\x10\x00{}              ");
    field_refused(PAV_EFORMAT, "version 9.0");
    close_folder();
}

TEST(a_header_that_is_cut_short_is_reported)
{
    open_folder();
    write_literal("\x93NUMPY\x01\x00\xff\x00{'descr'");
    field_refused(PAV_EFORMAT, "cut short");
    write_literal("\x93NUMPY\x02\x00\xff\xff\xff\xff{'descr': ");
    field_refused(PAV_EFORMAT, "length of 4294967295 bytes");
    close_folder();
}

TEST(headers_that_are_not_understood_are_reported)
{
    open_folder();
    header_refused("", PAV_EFORMAT, "not understood");
    header_refused("{", PAV_EFORMAT, "not understood");
    header_refused("{}", PAV_EFORMAT, "does not state descr");
    header_refused("{'descr': '<f8'}", PAV_EFORMAT, "does not state fortran_order");
    header_refused("{'descr': '<f8', 'descr': '<f8'}", PAV_EFORMAT, "twice");
    header_refused("{'descr': <f8}", PAV_EFORMAT, "not understood");
    header_refused("__import__('os').system('id')", PAV_EFORMAT, "not understood");
    header_refused("{'descr': '<f8', 'fortran_order': 1, 'shape': (3, 4), }", PAV_EFORMAT,
                   "True or False");
    header_refused("{'descr': '<f8', 'fortran_order': False, 'shape': [3, 4], }",
                   PAV_EFORMAT, "a shape");
    header_refused("{'descr': '<f8', 'fortran_order': False, 'shape': (3, 4), 'more': 1}",
                   PAV_EFORMAT, "not understood");
    close_folder();
}

TEST(element_types_that_are_no_numbers_are_reported)
{
    open_folder();
    header_refused("{'descr': '|O', 'fortran_order': False, 'shape': (3, 4), }",
                   PAV_EFORMAT, "Python objects");
    header_refused("{'descr': '<c16', 'fortran_order': False, 'shape': (3, 4), }",
                   PAV_EFORMAT, "complex numbers");
    header_refused("{'descr': '<U8', 'fortran_order': False, 'shape': (3, 4), }",
                   PAV_EFORMAT, "texts");
    header_refused("{'descr': [('a', '<f8')], 'fortran_order': False, 'shape': (3, 4), }",
                   PAV_EFORMAT, "records");
    header_refused("{'descr': '<f16', 'fortran_order': False, 'shape': (3, 4), }",
                   PAV_EFORMAT, "none of f2 f4 f8");
    close_folder();
}

TEST(shapes_that_do_not_fit_are_reported)
{
    open_folder();
    header_refused("{'descr': '<f8', 'fortran_order': False, 'shape': (4, 3), }",
                   PAV_EFORMAT, "transpose");
    header_refused("{'descr': '<f8', 'fortran_order': True, 'shape': (4, 3), }",
                   PAV_EFORMAT, "does not fit");
    header_refused("{'descr': '<f8', 'fortran_order': False, 'shape': (12,), }",
                   PAV_EFORMAT, "does not fit");
    header_refused("{'descr': '<f8', 'fortran_order': False, 'shape': (1, 3, 4), }",
                   PAV_EFORMAT, "does not fit");
    header_refused("{'descr': '<f8', 'fortran_order': False, 'shape': (-3, -4), }",
                   PAV_EFORMAT, "negative extent");
    close_folder();
}

TEST(shapes_beyond_64_bits_are_reported)
{
    open_folder();
    header_refused(
        "{'descr': '<f8', 'fortran_order': False, 'shape': (99999999999999999999, 4), }",
        PAV_ELIMIT, "beyond 64 bits");
    header_refused(
        "{'descr': '<f8', 'fortran_order': False, 'shape': (4294967296, 4294967296), }",
        PAV_ELIMIT, "64 bits");
    header_refused(
        "{'descr': '<f8', 'fortran_order': False, 'shape': (2305843009213693952, 1), }",
        PAV_ELIMIT, "64 bits");
    header_refused(
        "{'descr': '<f8', 'fortran_order': False, 'shape': (1,1,1,1,1,1,1,1,1,1,1,1), }",
        PAV_EFORMAT, "dimensions");
    close_folder();
}

TEST(data_that_are_cut_short_or_too_long_are_reported)
{
    const char *good = "{'descr': '<f8', 'fortran_order': False, 'shape': (3, 4), }";
    open_folder();
    write_npy(good, 0);
    field_refused(PAV_EFORMAT, "cut short");
    write_npy(good, 95);
    field_refused(PAV_EFORMAT, "cut short");
    write_npy(good, 97);
    field_refused(PAV_EFORMAT, "1 bytes behind");
    close_folder();
}

TEST(positions_need_a_table)
{
    const char
        *shots = "grid x 4, y 3\nfield u\nu' = u\ninject 1 into u at \"a.npy\"\nsteps 1";
    open_folder();
    CHECK_STATUS(open_text(shots), PAV_EIO);
    check_message("cannot be opened");
    write_npy("{'descr': '<f8', 'fortran_order': False, 'shape': (3, 4), }", 96);
    CHECK_STATUS(open_text(shots), PAV_EFORMAT);
    check_message("(n, 2) is needed");
    write_npy("{'descr': '<f8', 'fortran_order': False, 'shape': (6,), }", 48);
    CHECK_STATUS(open_text(shots), PAV_EFORMAT);
    check_message("(n, 2) is needed");
    close_folder();
}

TEST(positions_outside_of_the_grid_are_reported)
{
    const char
        *dictionary = "{'descr': '<f8', 'fortran_order': False, 'shape': (1, 2), }";
    const char
        *shots = "grid x 4, y 3\nfield u\nu' = u\ninject 1 into u at \"a.npy\"\nsteps 1";
    const double bad_places[][2] = {
        {-1, 0}, {0, 2.5}, {1e300, 0}, {INFINITY, 0}, {0, NAN}};
    open_folder();
    for (size_t k = 0; k < COUNT_OF(bad_places); k++) {
        write_npy(dictionary, 16);
        FILE *out = fopen("a.npy", "r+b");
        REQUIRE(out != NULL);
        REQUIRE(fseek(out, -16, SEEK_END) == 0);
        REQUIRE(fwrite(bad_places[k], 8, 2, out) == 2);
        REQUIRE(fclose(out) == 0);
        CHECK_STATUS(open_text(shots), PAV_EFORMAT);
        check_message("outside the grid");
    }
    close_folder();
}

TEST(a_file_that_is_missing_is_reported_with_the_line_that_names_it)
{
    CHECK_STATUS(open_text("grid x 4\nfield u\nu' = u\nmask u = \"no/a.npy\"\nsteps 1"),
                 PAV_EIO);
    check_message("bad.pav:4: ");
    CHECK_STATUS(open_text("grid x 4\n\nfield u = \"no/a.npy\"\nu' = u\nsteps 1"),
                 PAV_EIO);
    check_message("bad.pav:3: ");
}

TEST(a_mask_file_must_fit_too)
{
    const char *masked = "grid x 4, y 3\nfield u\nu' = u\nmask u = \"a.npy\"\nsteps 1";
    open_folder();
    write_npy("{'descr': '|b1', 'fortran_order': False, 'shape': (3, 3), }", 9);
    CHECK_STATUS(open_text(masked), PAV_EFORMAT);
    check_message("does not fit");
    close_folder();
}
