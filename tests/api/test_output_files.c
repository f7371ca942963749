/* SPDX-License-Identifier: BSD-3-Clause */
/* Files of outputs: planes of fields in arrays, tables and pictures. */
#include "opened.h"

#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

enum { MOST = 1 << 20 };
static char folder[] = "/tmp/pavior-test-XXXXXX";

static void path_of(const char *name, char path[128])
{
    (void)snprintf(path, 128, "%s/%s", folder, name);
}

static void run_there(const char *text)
{
    (void)strcpy(folder + strlen(folder) - 6, "XXXXXX");
    REQUIRE(mkdtemp(folder) != NULL);
    opened o = open_text(text, &(pav_run_options){.directory = folder});
    REQUIRE_OK(pav_run_finish(o.run));
    close_opened(&o);
}

/* Reads and removes a file, and removes the folder once it is empty. */
static const char *taken(const char *name, size_t *length)
{
    static char bytes[2][MOST + 1];
    static int next;
    char path[128], *all = bytes[next++ % 2];
    path_of(name, path);
    FILE *in = fopen(path, "rb");
    REQUIRE(in != NULL);
    *length = fread(all, 1, MOST, in);
    all[*length] = '\0';
    (void)fclose(in);
    (void)unlink(path);
    (void)rmdir(folder);
    return all;
}

static bool differ(const char *one, const char *other)
{
    size_t n, m;
    const char *a = taken(one, &n), *b = taken(other, &m);
    return n != m || memcmp(a, b, n) != 0;
}

/* The values of an array of doubles; checks its shape. */
static const double *array(const char *name, const char *shape, size_t count)
{
    static double values[64];
    size_t length;
    const char *file = taken(name, &length);
    REQUIRE(length > 128 && count <= 64);
    CHECK(strstr(file + 10, shape) != NULL);
    CHECK_EQ(length, 128 + 8 * count);
    memcpy(values, file + 128, 8 * count);
    return values;
}

TEST(a_slice_across_any_axis_is_written_as_an_array)
{
    static const struct {
        const char *cut, *shape;
        double first, step, row;
    } cases[] = {{"x 2", "'shape': (5, 4)", 2, 10, 100},
                 {"y 3", "'shape': (5, 3)", 30, 1, 100},
                 {"z 4", "'shape': (4, 3)", 400, 1, 10}};
    for (size_t n = 0; n < sizeof cases / sizeof *cases; n++) {
        char text[200];
        (void)snprintf(text, sizeof text,
                       "grid x 3, y 4, z 5\nfield u = x + 10*y + 100*z\n"
                       "output u slice %s into \"u.npy\"",
                       cases[n].cut);
        run_there(text);
        const size_t width = n == 0 ? 4 : 3, height = n == 2 ? 4 : 5;
        const double *v = array("u.npy", cases[n].shape, width * height);
        for (size_t k = 0; k < width * height; k++)
            CHECK(v[k] == cases[n].first + cases[n].step * (double)(k % width) +
                              cases[n].row * (double)(k / width));
    }
}

TEST(without_a_slice_an_array_is_the_whole_field)
{
    run_there("grid x 3, y 4, z 5\nfield u = x + 10*y + 100*z\noutput u into \"u.npy\"");
    const double *v = array("u.npy", "'shape': (5, 4, 3)", 60);
    CHECK(v[0] == 0 && v[59] == 432);
}

TEST(an_array_of_a_slice_keeps_the_type_of_the_field)
{
    size_t length;
    run_there("grid x 3, y 4, z 5\nreal f32\nfield u = x\n"
              "output u slice z 0 into \"u.npy\"");
    const char *file = taken("u.npy", &length);
    CHECK(strstr(file + 10, "'f4'") || strstr(file + 10, "f4"));
    CHECK_EQ(length, 128 + 4 * 12);
}

TEST(a_slice_becomes_a_table_of_coordinates_and_values)
{
    size_t length;
    run_there("grid x 3 spacing 0.1, y 2 from 5 to 6, z 2 from 7 to 8\n"
              "field u = x + 10*y + 100*z\noutput u slice y 1 into \"u.csv\"");
    CHECK_STR(taken("u.csv", &length), "x,z,u\n0,7,760\n0.1,7,760.1\n0.2,7,760.2\n"
                                       "0,8,860\n0.1,8,860.1\n0.2,8,860.2\n");
}

TEST(a_field_in_two_dimensions_becomes_a_table_too)
{
    size_t length;
    run_there("grid x 2, y 2\nfield u = x + 10*y; field c coarse\n"
              "output u into \"u.csv\"\noutput c into \"c.csv\"");
    CHECK_STR(taken("u.csv", &length), "x,y,u\n0,0,0\n1,0,1\n0,1,10\n1,1,11\n");
    CHECK_STR(taken("c.csv", &length), "x,y,c\n0,0,0\n");
}

TEST(a_field_in_three_dimensions_without_a_slice_fits_no_table)
{
    CHECK_STATUS(refuse_text("grid x 3, y 4, z 5\nfield u\noutput u into \"u.csv\""),
                 PAV_ESYNTAX);
    CHECK(message_has("take a plane of it, such as `slice z 0`"));
}

/* ---- pictures ---------------------------------------------------------------------- */

TEST(pictures_of_a_series_have_one_size)
{
    size_t length;
    char size[8] = "";
    run_there("grid x 20, y 3\nfield u = 1 + x\nu' = 1 + (u - 1)/1000\nsteps 3\n"
              "output u every 1 into \"u.png\"");
    for (int n = 0; n <= 3; n++) {
        char name[32];
        (void)snprintf(name, sizeof name, "u-%06d.png", n);
        const char *file = taken(name, &length);
        REQUIRE(length > 24);
        CHECK(n == 0 || memcmp(file + 16, size, 8) == 0);
        memcpy(size, file + 16, 8);
    }
}

TEST(narrow_pictures_with_long_titles_have_one_size_too)
{
    size_t n, m;
    run_there("grid x 2, y 40\nfield a_name_that_is_wider_than_the_picture\n"
              "a_name_that_is_wider_than_the_picture' = 0\nsteps 1000\n"
              "output a_name_that_is_wider_than_the_picture every 1000 into \"a.png\"");
    const char *first = taken("a-000000.png", &n), *last = taken("a-001000.png", &m);
    CHECK(n > 24 && m > 24 && memcmp(first + 16, last + 16, 8) == 0);
}

TEST(a_long_name_leaves_the_step_in_the_title)
{
    run_there(
        "grid x 4, y 3\n"
        "field a23456789_123456789_123456789_123456789_123456789_123456789_1234567\n"
        "a23456789_123456789_123456789_123456789_123456789_123456789_1234567' = 0\n"
        "steps 2\n"
        "output a23456789_123456789_123456789_123456789_123456789_123456789_1234567 "
        "every 1 into \"a.png\"");
    size_t length;
    (void)taken("a-000000.png", &length);
    CHECK(differ("a-000001.png", "a-000002.png"));
}

TEST(the_title_tells_neighbouring_slices_apart)
{
    run_there("grid x 4, y 3, z 4 from 1000000 to 1000000.3\nfield u\n"
              "output u slice z 1 into \"a.png\"\noutput u slice z 2 into \"b.png\"");
    CHECK(differ("a.png", "b.png"));
}

/* ---- outputs of the caller --------------------------------------------------------- */

static pav_output *open_there(pav_run *run, const char *words, const char *name)
{
    char path[128];
    pav_output *o;
    path_of(name, path);
    REQUIRE_OK(pav_output_open(run, words, path, &o));
    return o;
}

static void write_there(pav_run *run, const char *words, const char *name)
{
    pav_output *o = open_there(run, words, name);
    REQUIRE_OK(pav_output_write(o));
    REQUIRE_OK(pav_output_close(o));
}

static void draw_on(const char *device)
{
    opened o = {
        .program = parse("grid x 12, y 10, z 6\nfield u = exp(-x^2 - z); v = y\n"
                         "u' = u + 0.1*laplace(u)\nv' = 2*v\nborder u = 0\nsteps 4\n"
                         "output u, v into \"u.vti\"\n"
                         "output u every 2 contours 3 slice y 4 into \"u.apng\"\n"
                         "output v slice z 2 range 0 to 9 label \"T\" into \"v.png\"\n")};
    (void)strcpy(folder + strlen(folder) - 6, "XXXXXX");
    REQUIRE(mkdtemp(folder) != NULL);
    const pav_run_options how = {.directory = folder, .no_stamp = 1};
    REQUIRE_OK(pav_device_open(device, &o.device));
    REQUIRE_OK(pav_run_open(o.program, o.device, &how, &o.run));
    pav_output *film = open_there(o.run, "u every 2 contours 3 slice y 4", "own.apng");
    for (int n = 0; n < 3; n++) {
        REQUIRE_OK(pav_run_steps(o.run, n > 0 ? 2 : 0));
        REQUIRE_OK(pav_output_write(film));
    }
    REQUIRE_OK(pav_output_close(film));
    write_there(o.run, "u, v", "own.vti");
    write_there(o.run, "v slice z 2 range 0 to 9 label \"T\"", "own.png");
    REQUIRE_OK(pav_run_finish(o.run));
    close_opened(&o);
    CHECK(!differ("u.apng", "own.apng"));
    CHECK(!differ("u.vti", "own.vti"));
    CHECK(!differ("v.png", "own.png"));
}

TEST(an_output_of_the_caller_has_the_bytes_of_one_of_the_description)
{
    draw_on("interpreter");
    draw_on("cpu");
    draw_on("emulated");
}

TEST(an_output_of_the_callers_values_has_the_bytes_of_such_a_field)
{
    double value[6 * 10 * 12];
    opened o = {.program = parse("grid x 12, y 10, z 6\nfield u = x, w = x + 20*y - z\n"
                                 "u' = u\nsteps 2")};
    (void)strcpy(folder + strlen(folder) - 6, "XXXXXX");
    REQUIRE(mkdtemp(folder) != NULL);
    REQUIRE_OK(pav_device_open("interpreter", &o.device));
    REQUIRE_OK(
        pav_run_open(o.program, o.device, &(pav_run_options){.no_stamp = 1}, &o.run));
    REQUIRE_OK(pav_field_read(o.run, "w", 0, PAV_F64, value, 720));
    write_there(o.run, "w slice y 3", "w.png");
    pav_output *own = open_there(o.run, "u slice y 3", "own.png");
    REQUIRE_OK(pav_output_write_values(own, "w", value, 720));
    CHECK_STATUS(pav_output_write_values(own, "v", value, 720), PAV_EINVAL);
    CHECK(message_has("its frames have one name"));
    CHECK_STATUS(pav_output_write(own), PAV_EINVAL);
    CHECK(message_has("this output shows w, and its frames have one name"));
    CHECK_STATUS(pav_output_write_values(own, "w", value, 719), PAV_EINVAL);
    CHECK(message_has("719 values for field u, which has 720 points"));
    REQUIRE_OK(pav_output_close(own));
    close_opened(&o);
    CHECK(!differ("w.png", "own.png"));
}

TEST(an_output_of_the_caller_with_a_mistake_is_refused_and_writes_nothing)
{
    static const struct {
        const char *words, *path, *said;
    } wrong[] = {{"w", "/no/u.png", "'w'"},
                 {"u colours magmaa", "/no/u.png", "did you mean 'magma'"},
                 {"u slice z 1", "/no/u.png", "'z' is no axis"},
                 {"2*u as w", "/no/u.png", "'w' is an expression"},
                 {"u into \"x.npy\"\n#", "/no/u.png", "part of one line"},
                 {"u; output u", "/no/u.png", "part of one line"},
                 {"u", "/no/u", "no known format"},
                 {"u", "/no/u.png", "directory is not there"}};
    opened o = open_text("grid x 9, y 8\nfield u = x\nu' = u", NULL);
    for (size_t n = 0; n < sizeof wrong / sizeof *wrong; n++) {
        pav_output *output = NULL;
        CHECK(pav_output_open(o.run, wrong[n].words, wrong[n].path, &output) != PAV_OK);
        CHECK(output == NULL && message_has(wrong[n].said));
    }
    REQUIRE_OK(pav_output_close(NULL));
    close_opened(&o);
}

TEST(two_open_outputs_of_one_file_are_refused_until_the_first_is_closed)
{
    static const struct {
        const char *words, *name, *said;
    } twice[] = {{"u", "u.npy", "u.npy is what line 4 of"},
                 {"u every 3", "v.npy", "v.npy is what line 5 of"},
                 {"u every 1", "v.pvd", "v.vti is what line 6 of"},
                 {"u", "w-000008.png", "w-000008.png is what another open output"},
                 {"u every 1", "w.png", "close that output first, or give the output"}};
    char path[128];
    (void)strcpy(folder + strlen(folder) - 6, "XXXXXX");
    REQUIRE(mkdtemp(folder) != NULL);
    opened o = open_text("grid x 9, y 8\nfield u = x\nu' = u\noutput u into \"u.npy\"\n"
                         "output u every 2 into \"v.npy\"\n"
                         "output u every 2 into \"v.vti\"",
                         &(pav_run_options){.directory = folder});
    pav_output *other = NULL, *film = open_there(o.run, "u every 1", "w.png");
    for (size_t n = 0; n < sizeof twice / sizeof *twice; n++) {
        path_of(twice[n].name, path);
        CHECK_STATUS(pav_output_open(o.run, twice[n].words, path, &other), PAV_EINVAL);
        CHECK(message_has(twice[n].said));
    }
    pav_output *plain = open_there(o.run, "u", "v.npy"); /* no file of the series */
    pav_output *fourth = open_there(o.run, "u", "s-000004.npy");
    path_of("s.npy", path);
    CHECK_STATUS(pav_output_open(o.run, "u every 2", path, &other), PAV_EINVAL);
    CHECK(message_has("another open output"));
    pav_output *others = open_there(o.run, "u every 3", "s.npy"); /* not step 4 */
    REQUIRE_OK(pav_output_close(fourth));
    REQUIRE_OK(pav_output_close(others));
    REQUIRE_OK(pav_output_close(film));
    write_there(o.run, "u every 1", "w.png");
    REQUIRE_OK(pav_output_close(plain));
    close_opened(&o);
}
