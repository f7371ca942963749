/* SPDX-License-Identifier: BSD-3-Clause */
/* The nearest word is found for a typing mistake, and nothing is suggested for
 * gibberish. */
#include "base/base.h"
#include "test.h"

static const char *const words[] = {"grid", "field",    "param", "border", "laplace",
                                    "dx",   "dy",       "steps", "output", "neumann",
                                    "max",  "periodic", "sqrt",  "u",      ""};

static const char *nearest(const char *word)
{
    return text_nearest(word, words, COUNT_OF(words));
}

TEST(a_typing_mistake_is_seen_through)
{
    CHECK_STR(nearest("grod"), "grid");
    CHECK_STR(nearest("gri"), "grid");
    CHECK_STR(nearest("griid"), "grid");
    CHECK_STR(nearest("lapalce"), "laplace");
    CHECK_STR(nearest("laplacian"), "laplace");
    CHECK_STR(nearest("boarder"), "border");
    CHECK_STR(nearest("fiedl"), "field");
}

TEST(swapped_letters_count_less_than_another_edit)
{
    static const char *const two[] = {"abxdef", "abdcef"}, *const angles[] = {"sin",
                                                                              "sinh"};

    CHECK_STR(text_nearest("abcdef", two, 2), "abdcef");
    CHECK_STR(text_nearest("sihn", angles, 2), "sinh");
    CHECK_STR(nearest("gird"), "grid"); /* the limit for four is one */
}

TEST(case_does_not_matter)
{
    CHECK_STR(nearest("GRID"), "grid");
    CHECK_STR(nearest("U"), "u");
    CHECK_STR(nearest("Dy"), "dy");
}

TEST(a_beginning_or_a_longer_form_is_near)
{
    CHECK_STR(nearest("neu"), "neumann");
    CHECK_STR(nearest("maximum"), "max");
    CHECK_STR(nearest("periodical"), "periodic");
}

TEST(what_is_far_from_all_words_has_no_nearest)
{
    CHECK(nearest("xyzzy") == NULL);
    CHECK(nearest("q") == NULL);
    CHECK(nearest("") == NULL);
    CHECK(text_nearest("grid", words, 0) == NULL);
}

TEST(very_long_words_are_nobodys_mistake)
{
    char word[70] = {0};

    memset(word, 'a', 64);
    const char *const same[] = {word};
    CHECK(text_nearest(word, same, 1) == word);
    word[64] = 'a';
    CHECK(text_nearest(word, same, 1) == NULL);
    CHECK(text_nearest("aaaa", same, 1) == NULL);
}
