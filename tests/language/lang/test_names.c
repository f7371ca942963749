/* SPDX-License-Identifier: BSD-3-Clause */
/* Names: words of the language that may be names, and the reserved words. */
#include "parse_helper.h"

TEST(words_of_other_statements_are_names)
{
    CHECK_STR(canonical("grid x 10\nfield h = 2, t; hz = 3\nparam order = 3; f16 = 2\n"
                        "let f(face, count) = face*count + min(order, 1)\n"
                        "h' = h + dx(t, order 4) + f(hz, f16)\nborder clamp\n"
                        "output h into \"h.png\" range 0 to order\n"),
              "grid x 10\nfield h = 2\nfield t\nfield hz = 3\nparam order = 3\n"
              "param f16 = 2\nlet f(face, count) = face*count + min(order, 1)\n"
              "h' = h + dx(t, order 4) + f(hz, f16)\nborder clamp\n"
              "output h into \"h.png\" range 0 to order\n");
}

TEST(a_name_has_one_meaning_in_a_program)
{
    CHECK(
        mistaken(LINE "param a = h\nfield h", "'h' is a spacing of the grid in line 4"));
    CHECK(mistaken(LINE "u' = u*t\nfield t", "'t' is the time in line 4"));
    CHECK(mistaken("grid x 10, z 10\nfield hz", "'hz' is a spacing of this grid"));
}

TEST(a_reserved_word_says_what_it_is)
{
    CHECK(mistaken(LINE "field max", "'max' is a function; another name is needed"));
    CHECK(mistaken(LINE "field grid", "'grid' is the beginning of a statement"));
    CHECK(mistaken(LINE "field mirror", "'mirror' is a word inside statements"));
    CHECK(mistaken(LINE "param step = 1", "'step' is the number of steps taken"));
    CHECK(mistaken(LINE "let f(x) = x", "'x' is a coordinate"));
    CHECK(mistaken(LINE "let not = 1", "'not' is an operator"));
    CHECK(mistaken(LINE "field pi", "'pi' is the number 3.14159..."));
}
