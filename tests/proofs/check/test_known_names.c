/* SPDX-License-Identifier: BSD-3-Clause */
/* The language lists exactly the endings and colours of io. */
#include "io/io.h"
#include "lang/lang.h"
#include "test.h"

TEST(the_language_and_io_know_the_same_endings)
{
    int count = 0;
    for (; io_table[count]; count++)
        CHECK(count < FORMATS);
    CHECK_EQ(count, FORMATS);
    for (int i = 0; i < FORMATS; i++) {
        const format_info *own = &format_table[i];
        const io_format *f = io_find(own->ending);
        REQUIRE(f != NULL);
        CHECK_EQ(f->field, own->field);
        CHECK_EQ(f->picture, own->picture);
        CHECK_EQ(f->table, own->table);
    }
}

TEST(the_language_and_io_know_the_same_colours)
{
    text list = {0};
    for (int i = 0; i < COLOUR_MAPS; i++)
        text_add(&list, "%s%s", i > 0 ? ", " : "", colour_names[i]);
    CHECK_STR(list.data, colours_list());
    text_free(&list);
}
