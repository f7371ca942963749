/* SPDX-License-Identifier: BSD-3-Clause */
/* The catalogue: words become programs, and an unknown word is refused with the nearest
 * known word. */
#include <stdlib.h>

#include "lang/lang_private.h"
#include "test.h"

static bool says(const char *word, const char *part)
{
    text t = {0};
    const bool refused = catalogue_text(word, &t) == PAV_EINVAL;
    text_free(&t);
    return refused && strstr(pav_message(), part);
}

static bool writes(const char *word, const char *part)
{
    text t = {0};
    const bool found = catalogue_text(word, &t) == PAV_OK && strstr(t.data, part);
    text_free(&t);
    return found;
}

/* NULL if the word is refused. */
static program *parsed(const char *word)
{
    text t = {0};
    program *p = NULL;
    const pav_program_options options = {.name = word};
    if (catalogue_text(word, &t) == PAV_OK)
        (void)program_parse(t.data, t.length, &options, &p);
    text_free(&t);
    return p;
}

TEST(a_word_gives_extents_and_type)
{
    CHECK(writes("star3d@13x11x9/f32", "grid x 13, y 11, z 9\nreal f32\n"));
    CHECK(writes("heat2d@5x7", "grid x 5, y 7\nreal f64\n"));
    CHECK(writes("star1d", "grid x 16777216\n"));
}

TEST(a_word_sets_parameters)
{
    CHECK(writes("heat3d:a=0.125", "param a = 0.125\n"));
    CHECK(writes("wave2d:order=16,absorb=30", "laplace(u, order 16)\nabsorb 30 cells\n"));
    CHECK(writes("sym27:preset=fd@9x9x9", "centre 1 - 12.8/30;"));
    CHECK(writes("sym27:c1=-0.05", "face -0.05;"));
    CHECK(writes("heat1d:steps=7", "steps 7\n"));
}

TEST(an_unknown_name_is_reported_with_the_nearest)
{
    CHECK(says("star4d:r=2", "did you mean 'star"));
    CHECK(says("haet3d", "'heat3d'"));
    CHECK(says("qqqqqqqq:r=2", "star1d star2d star3d"));
}

TEST(an_unknown_key_is_reported_with_the_known)
{
    CHECK(says("wave3d:ordre=8", "'order'"));
    CHECK(says("star3d:z=8", "r (a whole number from 1 to 16)"));
    CHECK(says("jacobi2d:r=1", "steps"));
}

TEST(a_value_out_of_range_is_reported_with_the_range)
{
    CHECK(says("star3d:r=17", "1 to 16"));
    CHECK(says("star3d:r=1.5", "1 to 16"));
    CHECK(says("star3d:r=-1", "1 to 16"));
    CHECK(says("wave2d:order=3", "an even number from 2 to 16"));
    CHECK(says("sym27:preset=fem", "none|fe|fd"));
    CHECK(says("heat2d:a=nan", "0 to 0.25"));
    CHECK(says("heat2d:steps=0", "1 to"));
}

TEST(a_malformed_word_is_told_what_it_should_be)
{
    CHECK(says("star3d@5x5", "@512x256x128"));
    CHECK(says("star3d@5x5x5x5", "3 positive extents"));
    CHECK(says("star2d@0x5", "2 positive extents"));
    CHECK(says("star1d@99999999999999999999", "1 positive extent, such as @1000"));
    CHECK(says("star1d@-5", "1 positive extent, such as @1000"));
    CHECK(says("star3d@5x5x5/f16", "/f32 or /f64"));
    CHECK(says("star3d:r@5x5x5", "key=value"));
    CHECK(says("star3d:", "key=value"));
    CHECK(says("star3d:r=1,", "key=value"));
    CHECK(says("star1d@9/f32/f32", "/f32 or /f64"));
    CHECK(says("star1d@9:r=2", "too much"));
    CHECK(says("", "no catalogue word"));
    CHECK(says("/f32", "no catalogue word"));
}

TEST(paths_are_no_words)
{
    CHECK(catalogue_is_word("star3d"));
    CHECK(catalogue_is_word("stra3d"));
    CHECK(catalogue_is_word("nothing@5"));
    CHECK(catalogue_is_word("star3d/f32"));
    CHECK(!catalogue_is_word("star3d.pav"));
    CHECK(!catalogue_is_word("examples/heat3d"));
    CHECK(!catalogue_is_word("./star3d"));
    CHECK(!catalogue_is_word("somethingelse"));
    CHECK(!catalogue_is_word(""));
}

TEST(every_entry_has_a_name_an_explanation_and_a_legal_default)
{
    for (int i = 0; i < catalogue_entries; i++) {
        program *p = parsed(catalogue_table[i].name);
        CHECK(strlen(catalogue_table[i].about) > 10);
        CHECK(p && p->steps > 0);
        program_free(p);
    }
}

TEST(the_small_words_are_legal_programs_of_few_points)
{
    int count = 0;
    for (const char *word; (word = catalogue_small(count)); count++) {
        program *p = parsed(word);
        if (!p)
            CHECK_STR(word, pav_message());
        else
            CHECK(p->axis[0].points * p->axis[1].points * p->axis[2].points < 10000);
        program_free(p);
    }
    CHECK(count >= 60 && count <= 120);
}

TEST(the_small_words_cover_every_entry_in_both_types)
{
    for (int i = 0; i < catalogue_entries; i++) {
        const char *const name = catalogue_table[i].name;
        const size_t length = strlen(name);
        bool seen[2] = {false, false};
        for (int k = 0; catalogue_small(k); k++) {
            const char *const word = catalogue_small(k);
            if (strncmp(word, name, length) == 0 && strchr(":@", word[length]))
                seen[strstr(word, "/f32") != NULL] = true;
        }
        if (!seen[0] || !seen[1])
            CHECK_STR(name, "covered");
    }
}

/* The weights of a mean and of a heat step add up to one, so a constant field stays
 * constant. */
TEST(stencils_of_the_catalogue_keep_a_constant)
{
    static const char *const words[] = {"star1d:r=16@9",    "star2d:r=5,c=symmetric@9x9",
                                        "star3d:r=4@9x9x9", "box2d:r=8@9x9",
                                        "box3d:r=4@9x9x9",  "sym27@9x9x9"};
    for (size_t i = 0; i < COUNT_OF(words); i++) {
        program *p = parsed(words[i]);
        REQUIRE(p && p->stencils.count == 1);
        const symbol *s = p->stencils.item[0];
        num sum = num_int(0);
        for (int k = 0; k < s->taps; k++) {
            const expr *e = s->tap[k].weight;
            REQUIRE(e->kind == EXPR_NUMBER);
            sum = num_add(sum, e->number);
        }
        CHECK(num_equal(sum, num_int(1)));
        program_free(p);
    }
}

TEST(distinct_weights_are_distinct)
{
    program *p = parsed("box3d:r=4@9x9x9");
    REQUIRE(p);
    const symbol *s = p->stencils.item[0];
    CHECK_EQ(s->taps, 729);
    for (int i = 0; i < s->taps; i++)
        for (int k = 0; k < i; k++)
            if (num_equal(s->tap[i].weight->number, s->tap[k].weight->number))
                CHECK_EQ(i, k);
    program_free(p);
}
