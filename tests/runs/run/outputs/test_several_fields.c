/* SPDX-License-Identifier: BSD-3-Clause */
/* Several fields in one file, and vectors. */
#include "finished.h"

#define SPACE                                                                            \
    "grid x 3, y 2\nfield u = x, v stored f32 = 10*y, w = 100, c coarse\nu' = u\n"

/* The values behind the XML of a file. */
static const char *values_of(const char *name, const char *array)
{
    int64_t length;
    const char *file = folder_take(name, &length);
    CHECK(strstr(file, array) != NULL);
    return strstr(file, "\n   _") + 5 + sizeof(uint64_t);
}

TEST(two_fields_become_a_vector_of_three_parts)
{
    double v[18];
    finish_in_folder(SPACE "steps 1\noutput u, v as flow into \"f.vti\"\n");
    memcpy(v, values_of("f.vti", "Name=\"flow\" NumberOfComponents=\"3\""), sizeof v);
    CHECK(v[0] == 0 && v[1] == 0 && v[2] == 0 && v[3] == 1 && v[4] == 0);
    CHECK(v[15] == 2 && v[16] == 10 && v[17] == 0);
}

TEST(arrays_of_a_file_keep_the_types_of_their_fields)
{
    double u[6], w[6];
    float v[6];
    finish_in_folder(SPACE "steps 1\noutput u, v, w into \"a.vtr\"\n");
    const char *at = values_of("a.vtr", "type=\"Float32\" Name=\"v\"");
    memcpy(u, at, sizeof u);
    memcpy(v, at + sizeof u + 8, sizeof v);
    memcpy(w, at + sizeof u + 8 + sizeof v + 8, sizeof w);
    CHECK(u[5] == 2 && v[2] == 0 && v[3] == 10 && w[0] == 100 && w[5] == 100);
}

static void check_refused(const char *output, const char *why)
{
    char source[300];
    begun b;
    (void)snprintf(source, sizeof source, "%ssteps 1\n%s\n", SPACE, output);
    CHECK_EQ(begin_text(source, NULL, &b), PAV_ESYNTAX);
    CHECK(strstr(pav_message(), why) != NULL);
    close_begun(&b);
}

TEST(what_a_file_of_several_fields_cannot_hold_is_refused)
{
    check_refused("output u, v", "a .npy file holds one field; write several into a .h5");
    check_refused("output u, v into \"a.png\"", "a .png file holds one field");
    check_refused("output u, v as f into \"a.h5\"", "leave `as f` out");
    check_refused("output u, c into \"a.vti\"", "'c' has other points than 'u'");
    check_refused("output u, v, u into \"a.vti\"", "'u' is named twice");
}
