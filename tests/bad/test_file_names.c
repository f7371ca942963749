/* SPDX-License-Identifier: BSD-3-Clause */
/* Names of output files: endings and colours are checked, and no two statements write the
 * same file. */
#include "bad_helper.h"

#define HEAT "grid x 10, y 10\nfield u, v\nu' = u\n"

TEST(endings_and_colours_are_checked_where_they_stand)
{
    static const bad rows[] = {
        {HEAT "output u into \"a.jpg\"", "4:15",
         ".npy, .npy.zst, .png, .csv, .vti, .vtr, .pvd, .h5, .nc, .xdmf, .apng, .sgy and "
         ".segy can"},
        {HEAT "output u into \"a.pgn\"", "4:15", "did you mean '.png'?"},
        {HEAT "output u into \"a\"", "4:15", "no known format"},
        {HEAT "output u into \"a.d/b\"", "4:15", "no known format"},
        {"grid x 5, y 5, z 5\nfield u\nu' = u\noutput u into \"a.csv\"", "4:15",
         "a 3-D field does not fit a table"},
        {HEAT "measure m = 1 into \"m.png\"", "4:20", "a measure is a table"},
        {HEAT "output u colours virids into \"a.png\"", "4:18", "mean 'viridis'?"},
        {HEAT "output u colours blue into \"a.png\"", "4:18", "known are viridis"},
        {HEAT "output u range 0 to 1", "4:10", "'range' is of the colours"},
        {HEAT "output u contours 5 into \"a.npy\"", "4:10", "'contours' is of the"},
        {HEAT "output u contours 99 into \"a.png\"", "4:19", "1 to 32"},
        {HEAT "output u size 9 into \"a.png\"", "4:15", "1 to 4"},
        {HEAT "output u range over frames into \"a.png\"", "4:10", "add `every`"},
        {HEAT "output u, u arrows u, u into \"a.png\"", "4:11", "named twice"},
        {HEAT "output u arrows u, u streamlines u, u into \"a.png\"", "4:22",
         "'streamlines' is given twice"},
        {HEAT "output u streamlines u, u into \"a.npy\"", "4:10", "'streamlines' is of"},
        {"grid x 5\nfield u\nu' = u\noutput u streamlines u, u into \"a.png\"", "4:10",
         "'streamlines' needs a picture of two axes"},
        {HEAT "output u colours grey into \"a.npy\"", "4:10", "a .npy file has none"},
    };
    check_refused(rows, COUNT_OF(rows));
}

TEST(two_statements_do_not_write_one_file)
{
    static const bad rows[] = {
        {HEAT "output u into \"a.npy\"\noutput v into \"a.npy\"", "5:15",
         "so does the output in line 4"},
        {HEAT "output u into \"a.npy\"\noutput v into \"./b/..//a.npy\"", "5:15",
         "line 4"},
        {HEAT "output u into \"a.pvd\"\noutput v into \"a.vti\"", "5:15", "line 4"},
        {HEAT "output u every 2 into \"a.xdmf\"\noutput v into \"a-000004.h5\"", "5:15",
         "line 4"},
        {HEAT "output u every 2 into \"a.apng\"\noutput v into \"./a.apng\"", "5:15",
         "line 4"},
        {HEAT "field w = \"m.h5:/w\"\noutput u into \"m.xdmf\"", "5:15", "line 4"},
        {HEAT "output u range 0 to 1 into \"a.vti\"", "4:10", "a .vti file has none"},
        {HEAT "output u into \"u.npy\"\noutput u", "5:1", "line 4"},
        {HEAT "output u into \"/u.npy\"\noutput u into \"/../b/../u.npy\"", "5:15",
         "line 4"},
        {HEAT "measure m = 1 into \"m.csv\"\nsample u at (1,1) into \"m.csv\"", "5:24",
         "so does the measure in line 4"},
        {HEAT "output u every 2 into \"a.npy\"\noutput v every 3 into \"a.npy\"", "5:23",
         "line 4"},
        {HEAT "sample u at (1,1)\nsample u at (2,2)\n"
              "sample v at (1,1) into \"u-samples-2.csv\"",
         "6:24", "so does the sample in line 5"},
        {HEAT "output u every 5 into \"a.npy\"\noutput v into \"a-000010.npy\"", "5:15",
         "\"a-000010.npy\", and so does the output in line 4"},
    };
    check_refused(rows, COUNT_OF(rows));
}

TEST(nothing_is_written_over_what_is_read)
{
    static const bad rows[] = {
        {"grid x 9\nfield u = \"u.npy\"\nu' = u\noutput u", "4:1",
         "over \"u.npy\", which the field in line 2 is read from"},
        {"grid x 9\nfield u = \"./u-000020.npy\"\nu' = u\noutput u every 10", "4:1",
         "over \"u-000020.npy\""},
        {HEAT "mask \"m.npy\"\noutput u into \"m.npy\"", "5:15", "the mask in line 4"},
        {HEAT "sample u at \"p.npy\" into \"p.npy\"", "4:26", "line 4"},
    };
    check_refused(rows, COUNT_OF(rows));
}

TEST(files_that_differ_may_be_written)
{
    static const char *const sources[] = {
        HEAT "output u every 5 into \"a.npy\"\noutput v into \"a.npy\"",
        HEAT "output u every 5 into \"a.npy\"\noutput v into \"a-000011.npy\"",
        HEAT "output u every 5 into \"a.npy\"\noutput v into \"a-10.npy\"",
        HEAT "output u into \"a.npy\"\noutput v into \"b/a.npy\"",
        HEAT "output u into \"a.npy\"\noutput v into \"../a.npy\"\n",
        HEAT "output u into \"a.npy\"\noutput u colours grey into \"a.png\"",
        "grid x 9\nfield u = \"a.npy\", v = \"a.npy\"\nu' = u + v\noutput u",
    };
    for (size_t k = 0; k < COUNT_OF(sources); k++)
        CHECK_STATUS(parse_bytes(sources[k], strlen(sources[k])), PAV_OK);
}

TEST(a_border_that_needs_itself_is_reported_where_it_does)
{
    static const bad rows[] = {
        {"grid x 9\nfield u = 1\nparam a = max(u)\nu' = u\nborder u = a", "5:12",
         "needs the param 'a'"},
        {"grid x 9\nfield u = 1\nparam a = max(u[1])\nu' = u\nborder neumann u = a",
         "5:20", "the border of 'u'"},
        {"grid x 9\nfield u = 1, v\nparam a = max(u[1])\nlet q = 2*a\nparam b = min(v)\n"
         "u' = v\nv' = v\nborder v = q\nborder u = b beyond",
         "9:12", "the border of 'u' needs the param 'b'"},
    };
    check_refused(rows, COUNT_OF(rows));
    const char *good = "grid x 9\nfield u = 1, v = 1\nparam a = max(v)\nu' = u[1]\n"
                       "border u = a\nborder neumann v = a";
    CHECK_STATUS(parse_bytes(good, strlen(good)), PAV_OK);
}

TEST(a_reduction_of_two_grids_has_its_caret)
{
    static const bad rows[] = {
        {HEAT "field c coarse\nmeasure m = sum(u*c)", "5:19", "write interpolate(c)"},
        {HEAT "field c coarse\nlet e = c\nmeasure m = sum(u*e)", "6:19", "'c' is coarse"},
    };
    check_refused(rows, COUNT_OF(rows));
    const char *good = HEAT
        "field c coarse\nlet s = sum(c)\nmeasure m = sum(c) + sum(u)\n"
        "measure n = sum(u*sum(c)) + sum(u*s)";
    CHECK_STATUS(parse_bytes(good, strlen(good)), PAV_OK);
}
