/* SPDX-License-Identifier: BSD-3-Clause */
/* Reading npy files into fields and tables. */
#include "io/io.h"
#include "scratch.h"
#include "test.h"

#include <stdio.h>
#include <sys/stat.h>
#include <unistd.h>

static levels make(pav_type type, int dimensions, int64_t x, int64_t y, int64_t z)
{
    const field_shape shape = {.type = type,
                               .dimensions = dimensions,
                               .extent = {x, y, z},
                               .halo = {{1, 1}, {1, 1}, {1, 1}},
                               .count = 1};
    levels l;
    REQUIRE_OK(levels_new(&shape, NULL, NULL, &l));
    return l;
}

static void reverse(char *bytes, int64_t length, int size)
{
    for (int64_t at = 0; at < length; at += size)
        for (int i = 0; i < size / 2; i++) {
            const char one = bytes[at + i];
            bytes[at + i] = bytes[at + size - 1 - i];
            bytes[at + size - 1 - i] = one;
        }
}

struct sample {
    const char *type; /* without byte order */
    int size;
    unsigned char bytes[24];
    double value[3];
};

/* Three values of each type, least significant byte first. */
static const struct sample samples[] = {
    {"f2", 2, {0, 0x3c, 0, 0xc0, 1, 0}, {1, -2, 0x1p-24}},
    {"f4",
     4,
     {0, 0, 0x80, 0x3f, 0, 0, 0x28, 0xc1, 0, 0, 0x80, 0x7f},
     {1, -10.5, INFINITY}},
    {"f8",
     8,
     {0, 0, 0, 0, 0, 0, 0xf0, 0x3f, 0x9a, 0x99, 0x99, 0x99, 0x99, 0x99, 0xb9, 0xbf},
     {1, -0.1, 0}},
    {"i1", 1, {1, 0xff, 0x80}, {1, -1, -128}},
    {"i2", 2, {1, 0, 0xfe, 0xff, 0, 0x80}, {1, -2, -32768}},
    {"i4", 4, {1, 0, 0, 0, 0xff, 0xff, 0xff, 0xff, 0, 0, 0, 0x80}, {1, -1, -0x1p31}},
    {"i8",
     8,
     {1,    0,    0,    0,    0, 0, 0, 0, 0xff, 0xff, 0xff, 0xff,
      0xff, 0xff, 0xff, 0xff, 0, 0, 0, 0, 0,    0,    0,    0x80},
     {1, -1, -0x1p63}},
    {"u1", 1, {1, 0xff, 0x80}, {1, 255, 128}},
    {"u2", 2, {1, 0, 0xfe, 0xff, 0, 0x80}, {1, 65534, 32768}},
    {"u4",
     4,
     {1, 0, 0, 0, 0xff, 0xff, 0xff, 0xff, 0, 0, 0, 0x80},
     {1, 0xffffffffU, 0x1p31}},
    {"u8",
     8,
     {1, 0, 0, 0, 0, 0, 0, 0, 2, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0x80},
     {1, 2, 0x1p63}},
    {"b1", 1, {1, 0, 1}, {1, 0, 1}},
};

TEST(every_type_in_both_byte_orders_is_converted)
{
    for (size_t n = 0; n < COUNT_OF(samples); n++)
        for (int big = 0; big < 2; big++) {
            const struct sample *s = &samples[n];
            levels l = make(PAV_F64, 1, 3, 1, 1);
            char bytes[24], words[100];
            double got[3];
            memcpy(bytes, s->bytes, sizeof bytes);
            if (big)
                reverse(bytes, 3 * s->size, s->size);
            (void)snprintf(words, sizeof words,
                           "{'descr': '%c%s', 'fortran_order': False, 'shape': (3,), }\n",
                           s->size == 1 ? '|'
                           : big        ? '>'
                                        : '<',
                           s->type);
            scratch_npy("a.npy", 1, words, bytes, 3 * s->size);
            REQUIRE_OK(npy_read_view(scratch_path("a.npy"), 1, &l.level[0], NULL));
            view_read(&l.level[0], PAV_F64, got);
            for (int i = 0; i < 3; i++)
                CHECK(got[i] == s->value[i]);
            levels_free(&l);
        }
}

static void count_up(const char *name, const char *order, const char *shape, int count)
{
    unsigned char bytes[256];
    char words[200];
    for (int n = 0; n < count; n++)
        bytes[n] = (unsigned char)n;
    (void)snprintf(words, sizeof words,
                   "{'descr': '|u1', 'fortran_order': %s, 'shape': %s, }\n", order,
                   shape);
    scratch_npy(name, 1, words, bytes, count);
}

TEST(x_is_the_last_index_in_c_order_and_in_fortran_order)
{
    count_up("c.npy", "False", "(2, 3, 4)", 24);
    count_up("f.npy", "True", "(2, 3, 4)", 24);
    const char *const names[] = {"c.npy", "f.npy"};
    for (int n = 0; n < 2; n++) {
        levels l = make(PAV_F32, 3, 4, 3, 2);
        double got[24];
        REQUIRE_OK(npy_read_view(scratch_path(names[n]), 3, &l.level[0], NULL));
        view_read(&l.level[0], PAV_F64, got);
        for (int i = 0; i < 24; i++) {
            const int x = i % 4, y = i / 4 % 3, z = i / 12;
            CHECK(got[i] == (n == 0 ? i : z + 2 * y + 6 * x));
        }
        levels_free(&l);
    }
}

TEST(a_picture_in_colours_is_told_how_to_save_one)
{
    levels l = make(PAV_F32, 2, 4, 3, 1);
    count_up("a.npy", "False", "(3, 4, 3)", 36);
    CHECK_STATUS(npy_read_view(scratch_path("a.npy"), 2, &l.level[0], NULL), PAV_EFORMAT);
    CHECK(strstr(pav_message(), "the file holds 3x4x3, the grid is x 4, y 3; of its 3 "
                                "values a point"));
    CHECK(strstr(pav_message(), "save one: a[..., 0]"));
    count_up("a.npy", "False", "(4, 3, 3)", 36);
    CHECK_STATUS(npy_read_view(scratch_path("a.npy"), 2, &l.level[0], NULL), PAV_EFORMAT);
    CHECK(!strstr(pav_message(), "colours"));
    levels_free(&l);
}

TEST(a_wrong_shape_is_reported_with_both_shapes_and_the_order_of_axes)
{
    levels l = make(PAV_F32, 3, 4, 3, 5);
    count_up("a.npy", "False", "(2, 3, 4)", 24);
    CHECK_STATUS(npy_read_view(scratch_path("a.npy"), 3, &l.level[0], NULL), PAV_EFORMAT);
    CHECK(strstr(pav_message(), "a.npy does not fit: the file holds 2x3x4 (z, y, x), "
                                "the grid is x 4, y 3, z 5"));
    count_up("a.npy", "True", "(2, 3, 4)", 24);
    CHECK_STATUS(npy_read_view(scratch_path("a.npy"), 3, &l.level[0], NULL), PAV_EFORMAT);
    CHECK(strstr(pav_message(), "2x3x4 (z, y, x), the grid is"));
    count_up("a.npy", "False", "(6, 4)", 24);
    CHECK_STATUS(npy_read_view(scratch_path("a.npy"), 3, &l.level[0], NULL), PAV_EFORMAT);
    CHECK(strstr(pav_message(), "the file holds 6x4, the grid is x 4, y 3, z 5"));
    count_up("a.npy", "False", "()", 1);
    CHECK_STATUS(npy_read_view(scratch_path("a.npy"), 3, &l.level[0], NULL), PAV_EFORMAT);
    CHECK(strstr(pav_message(), "the file holds a single value, the grid is"));
    levels_free(&l);
}

TEST(a_transposed_array_is_recognised)
{
    levels l = make(PAV_F32, 3, 4, 3, 2);
    count_up("a.npy", "False", "(4, 3, 2)", 24);
    CHECK_STATUS(npy_read_view(scratch_path("a.npy"), 3, &l.level[0], NULL), PAV_EFORMAT);
    CHECK(strstr(pav_message(),
                 "save the transpose, a.T, so that the indices are z, y, x"));
    levels_free(&l);
}

TEST(a_mask_is_1_where_the_file_is_not_0)
{
    const float values[] = {0, -0.0F, 0.25F, -3, NAN, 1e-45F};
    const double want[] = {0, 0, 1, 1, 1, 1};
    levels l = make(PAV_U8, 2, 3, 2, 1);
    double got[6];
    scratch_npy("m.npy", 1,
                "{'descr': '=f4', 'fortran_order': False, 'shape': (2, 3), }\n", values,
                sizeof values);
    REQUIRE_OK(npy_read_view(scratch_path("m.npy"), 2, &l.level[0], NULL));
    view_read(&l.level[0], PAV_F64, got);
    CHECK(memcmp(got, want, sizeof want) == 0);
    levels_free(&l);
}

TEST(a_row_longer_than_a_piece_is_read_whole)
{
    enum { N = 10007 };
    levels l = make(PAV_F64, 1, N, 1, 1);
    static double values[N], got[N];
    for (int i = 0; i < N; i++)
        values[i] = sin(i);
    scratch_npy("a.npy", 3,
                "{'descr': '=f8', 'fortran_order': False, 'shape': (10007,), }\n", values,
                sizeof values);
    REQUIRE_OK(npy_read_view(scratch_path("a.npy"), 1, &l.level[0], NULL));
    view_read(&l.level[0], PAV_F64, got);
    CHECK(memcmp(got, values, sizeof values) == 0);
    levels_free(&l);
}

TEST(files_cut_short_or_too_long_are_refused_with_both_sizes)
{
    levels l = make(PAV_F64, 1, 4, 1, 1);
    const char *words = "{'descr': '<f8', 'fortran_order': False, 'shape': (4,), }\n";
    const char bytes[40] = {0};
    scratch_npy("a.npy", 1, words, bytes, 31);
    CHECK_STATUS(npy_read_view(scratch_path("a.npy"), 1, &l.level[0], NULL), PAV_EFORMAT);
    CHECK(strstr(pav_message(), "is cut short: it has 99 bytes, its header needs 100"));
    scratch_npy("a.npy", 1, words, bytes, 35);
    CHECK_STATUS(npy_read_view(scratch_path("a.npy"), 1, &l.level[0], NULL), PAV_EFORMAT);
    CHECK(strstr(pav_message(), "has 3 bytes behind the data"));
    levels_free(&l);
}

TEST(a_huge_shape_in_a_small_file_allocates_nothing)
{
    npy_header h;
    double *table;
    int64_t rows;
    scratch_npy(
        "a.npy", 1,
        "{'descr': '<f8', 'fortran_order': False, 'shape': (300000000000000000, 3)}", "",
        0);
    CHECK_STATUS(npy_read_header(scratch_path("a.npy"), &h), PAV_EFORMAT);
    CHECK(strstr(pav_message(), "cut short"));
    CHECK_STATUS(npy_read_table(scratch_path("a.npy"), 3, INT64_MAX, &table, &rows),
                 PAV_EFORMAT);
    CHECK(table == NULL && rows == 0);
}

TEST(a_pipe_is_refused_instead_of_waited_for)
{
    npy_header h;
    REQUIRE(mkfifo(scratch_path("pipe"), 0600) == 0);
    alarm(20); /* ends the test if the read waits */
    CHECK_STATUS(npy_read_header(scratch_path("pipe"), &h), PAV_EIO);
    alarm(0);
    CHECK(strstr(pav_message(), "pipe cannot be read: it is a pipe"));
}

TEST(missing_files_and_directories_are_told_apart)
{
    npy_header h;
    CHECK_STATUS(npy_read_header(scratch_path("none.npy"), &h), PAV_EIO);
    CHECK(strstr(pav_message(), "none.npy cannot be opened: No such file"));
    CHECK_STATUS(npy_read_header("/", &h), PAV_EIO);
    CHECK(strstr(pav_message(), "/ cannot be read: it is a directory"));
    scratch_write("empty.npy", "", 0);
    CHECK_STATUS(npy_read_header(scratch_path("empty.npy"), &h), PAV_EFORMAT);
    CHECK(strstr(pav_message(), "empty.npy: it is no npy file"));
}

/* ---- tables ------------------------------------------------------------------------ */

TEST(tables_are_read_by_index_in_both_orders)
{
    count_up("c.npy", "False", "(4, 3)", 12);
    count_up("f.npy", "True", "(4, 3)", 12);
    const char *const names[] = {"c.npy", "f.npy"};
    for (int n = 0; n < 2; n++) {
        double *table;
        int64_t rows;
        REQUIRE_OK(npy_read_table(scratch_path(names[n]), 3, 100, &table, &rows));
        CHECK_EQ(rows, 4);
        for (int r = 0; r < 4; r++)
            for (int c = 0; c < 3; c++)
                CHECK(table[3 * r + c] == (n == 0 ? 3 * r + c : r + 4 * c));
        mem_free(table);
    }
}

TEST(one_column_may_be_a_list_and_a_table_may_be_empty)
{
    double *table;
    int64_t rows;
    count_up("a.npy", "False", "(5,)", 5);
    REQUIRE_OK(npy_read_table(scratch_path("a.npy"), 1, 5, &table, &rows));
    CHECK(rows == 5 && table[4] == 4);
    mem_free(table);
    count_up("a.npy", "True", "(0, 3)", 0);
    REQUIRE_OK(npy_read_table(scratch_path("a.npy"), 3, 5, &table, &rows));
    CHECK_EQ(rows, 0);
    mem_free(table);
}

TEST(tables_of_other_shapes_or_too_many_rows_are_refused)
{
    double *table;
    int64_t rows;
    count_up("a.npy", "False", "(4, 3)", 12);
    CHECK_STATUS(npy_read_table(scratch_path("a.npy"), 2, 100, &table, &rows),
                 PAV_EFORMAT);
    CHECK(strstr(pav_message(), "its shape is 4x3, but (n, 2) is needed"));
    CHECK_STATUS(npy_read_table(scratch_path("a.npy"), 3, 3, &table, &rows), PAV_ELIMIT);
    CHECK(strstr(pav_message(), "has 4 rows; at most 3 are read"));
    count_up("a.npy", "False", "()", 1);
    CHECK_STATUS(npy_read_table(scratch_path("a.npy"), 1, 3, &table, &rows), PAV_EFORMAT);
    CHECK(strstr(pav_message(), "that of a single value"));
}

TEST(reading_a_table_without_memory_fails_and_keeps_nothing)
{
    count_up("a.npy", "False", "(4, 3)", 12);
    const char *path = scratch_path("a.npy");
    for (int n = 1; n <= 2; n++) {
        double *table;
        int64_t rows;
        mem_fail_after(n);
        CHECK_STATUS(npy_read_table(path, 3, 100, &table, &rows), PAV_ENOMEM);
        mem_fail_after(0);
        CHECK(table == NULL && rows == 0);
    }
}
