/* SPDX-License-Identifier: BSD-3-Clause */
/* Hostile descriptions: odd bytes, endless nesting, and expressions that explode when
 * expanded. Each is parsed or refused quickly, with a sentence and in little memory. */
#include <sys/resource.h>
#include <time.h>

#include "bad_helper.h"

#define HEAT "grid x 10, y 10\nfield u\n"

/* A text under construction. */
typedef struct growing {
    char *data;
    size_t length, capacity;
} growing;

static void add_bytes(growing *g, const char *bytes, size_t length)
{
    if (g->length + length > g->capacity) {
        g->capacity = 2 * (g->length + length);
        g->data = realloc(g->data, g->capacity);
        REQUIRE(g->data != NULL);
    }
    memcpy(g->data + g->length, bytes, length);
    g->length += length;
}

static void add(growing *g, const char *words)
{
    add_bytes(g, words, strlen(words));
}

static void add_times(growing *g, const char *words, int times)
{
    for (int k = 0; k < times; k++)
        add(g, words);
}

/* Limits time and memory, because a description must not be able to block a machine. */
static void check_modest(double seconds)
{
    struct rusage use;
    getrusage(RUSAGE_SELF, &use);
    CHECK((double)use.ru_utime.tv_sec + (double)use.ru_utime.tv_usec * 1e-6 < seconds);
    CHECK(use.ru_maxrss < 2 << 20); /* KiB */
}

static void refused(growing *g, pav_status want, const char *phrase)
{
    CHECK_STATUS(parse_bytes(g->data, g->length), want);
    CHECK(strstr(pav_message(), phrase));
    if (!strstr(pav_message(), phrase))
        printf("---- said:\n%.2000s\n---- not: %s\n", pav_message(), phrase);
    CHECK(strlen(pav_message()) < 20000);
    check_modest(20);
    free(g->data);
}

static void refused_bytes(const char *bytes, size_t length, const char *phrase)
{
    growing g = {0};
    add(&g, HEAT);
    add_bytes(&g, bytes, length);
    refused(&g, PAV_ESYNTAX, phrase);
}

/* The text parses and opens, or it is refused with a short message. Nothing else may
 * happen. */
static void survives(growing *g)
{
    add_bytes(g, "", 1);
    const pav_status status = open_text(g->data);
    CHECK(status == PAV_OK || status == PAV_ESYNTAX || status == PAV_ELIMIT);
    if (status != PAV_OK)
        CHECK(strlen(pav_message()) > 10);
    CHECK(strlen(pav_message()) < 20000);
    check_modest(30);
    free(g->data);
}

/* ---- bytes ------------------------------------------------------------------------- */

TEST(nul_bytes_are_reported)
{
    refused_bytes("u' = u\0 + 1", 11, "0x00");
    refused_bytes("field a\0b", 9, "0x00");
    refused_bytes("output u into \"a\0b.npy\"", 23, "0x00");
    refused_bytes("# \0", 3, "0x00");
}

TEST(text_that_is_not_utf8_is_reported)
{
    refused_bytes("u' = u # caf\xe9\n", 14, "UTF-8");
    refused_bytes("\xff\xfe"
                  "u' = u",
                  8, "UTF-8");
    refused_bytes("u' = \xc0\xaf", 7, "UTF-8");
    refused_bytes("u' = \xed\xa0\x80", 8, "UTF-8");
}

TEST(utf16_is_reported)
{
    const char bytes[] = "\xff\xfeg\0r\0i\0d\0";
    CHECK_STATUS(parse_bytes(bytes, sizeof bytes - 1), PAV_ESYNTAX);
    CHECK(strstr(pav_message(), "UTF-16"));
}

TEST(letters_beyond_ascii_are_reported)
{
    refused_bytes("u' = 0.1*\xce\xb1", 11, "beyond ASCII");
    refused_bytes("param \xc3\xa9 = 1", 12, "beyond ASCII");
    refused_bytes("u' = u \xe2\x98\x83 1", 12, "beyond ASCII");
}

TEST(comments_may_hold_any_letters)
{
    const char *source = HEAT "u' = u # \xce\xb1 \xe2\x82\xac \xf0\x9f\x98\x80\n";
    CHECK_STATUS(parse_bytes(source, strlen(source)), PAV_OK);
}

TEST(control_characters_are_reported)
{
    refused_bytes("u' = u \x1b[31m", 12, "control character");
    refused_bytes("u' = u\x07", 7, "control character");
    refused_bytes("u' = u\x7f", 7, "control character");
}

TEST(lines_may_end_as_on_other_systems)
{
    const char *source = "grid x 10\r\nfield u\r\n# a comment\r\nu' = u + \\\r\n";
    const char *good =
        "grid x 10\r\nfield u\r\n# a comment\r\nu' = u +\r\n  1\r\nborder clamp\r\n";
    CHECK_STATUS(parse_bytes(good, strlen(good)), PAV_OK);
    CHECK_STATUS(parse_bytes(source, strlen(source)), PAV_ESYNTAX);
    CHECK(strstr(pav_message(), "bad.pav:4:"));
}

TEST(a_byte_order_mark_does_no_harm)
{
    const char *source = "\xef\xbb\xbfgrid x 10\nfield u\nu' = v\n";
    const char *good = "\xef\xbb\xbfgrid x 10\nfield u\nu' = u\n";
    CHECK_STATUS(parse_bytes(good, strlen(good)), PAV_OK);
    CHECK_STATUS(parse_bytes(source, strlen(source)), PAV_ESYNTAX);
    CHECK(strstr(pav_message(), "bad.pav:3:6:"));
}

TEST(every_single_byte_is_survived)
{
    for (int byte = 0; byte < 256; byte++) {
        char source[] = HEAT "u' = u + ?1";
        source[sizeof source - 3] = (char)byte;
        (void)parse_bytes(source, sizeof source - 1);
    }
    CHECK(strlen(pav_message()) > 0);
}

TEST(every_beginning_of_a_description_is_survived)
{
    static const char source[] =
        "grid x 8 from 0 to 1, y 9 spacing h\nreal f32 stored bf16\nparam a = 2; b = "
        "1/3\n"
        "let f(p, q) = p[1,0]*q^2\nfield u = exp(-x), v coarse\nprev(u) = 3\n"
        "stencil s { [1,0] 2; [0,1] x }\nu' = f(s(u), prev(u)) + where(x < 1, dx(u, "
        "order 4), 0)\n"
        "border neumann u = 1 at x-, y+\nabsorb 3 cells strength 0.2 at x+\nmask u = "
        "\"m.npy\"\n"
        "inject ricker(1, t) into u at (0.5, 0.5) by sinc\nsample u along (0,0) to (1,1) "
        "count 3\n"
        "measure m = max(u) every 2 into \"m.csv\"\nuntil m > 3\noutput u every 2 slice "
        "x 1\n";
    for (size_t length = 0; length < sizeof source; length++)
        (void)parse_bytes(source, length);
    CHECK(strlen(pav_message()) > 0);
}

/* ---- size -------------------------------------------------------------------------- */

static void nested(const char *open, const char *middle, const char *close, int times,
                   const char *phrase)
{
    growing g = {0};
    add(&g, HEAT "u' = ");
    add_times(&g, open, times);
    add(&g, middle);
    add_times(&g, close, times);
    refused(&g, PAV_ESYNTAX, phrase);
}

static void nests(const char *open, const char *middle, const char *close)
{
    growing g = {0};
    add(&g, HEAT "u' = ");
    add_times(&g, open, 200);
    add(&g, middle);
    add_times(&g, close, 200);
    CHECK_STATUS(parse_bytes(g.data, g.length), PAV_OK);
    free(g.data);
}

TEST(nesting_goes_as_deep_as_is_promised)
{
    nests("(", "u", ")");
    nests("-", "u", "");
    nests("exp(", "u", ")");
    nests("u*(", "1", ")");
    nested("(", "u", ")", 201, "nested deeper than 200 levels");
    nested("-", "u", "", 201, "nested deeper than 200 levels");
}

TEST(deep_nesting_is_refused)
{
    nested("(", "u", ")", 100000, "nested deeper than 200 levels");
    nested("(", "", "", 100000, "nested deeper than 200 levels");
    nested("exp(", "u", ")", 100000, "nested deeper than 200 levels");
    nested("laplace(", "u", ")", 100000, "nested deeper than 200 levels");
    nested("u[", "0", "]", 100000, "nested deeper than 200 levels");
    nested("where(1 < 2, ", "u", ", 3)", 100000, "nested deeper than 200 levels");
}

TEST(endless_signs_and_powers_are_refused)
{
    nested("-", "u", "", 100000, "deeper than 200");
    nested("+", "u", "", 100000, "deeper than 200");
    nested("u^", "2", "", 100000, "deeper than 200");
    nested("not ", "u < 1", "", 100000, "needs parentheses");
    nested("not (", "u < 1", ")", 100000, "deeper than 200");
    nested("u < ", "2", "", 100000, "do not follow one another");
    nested("", "u", "[0,0]", 100000, "marks follow one another");
    nested("", "u", "'", 100000, "field");
}

TEST(closing_what_was_never_opened_is_reported)
{
    nested("", "u", ")", 100000, "bad.pav:3:7");
    nested("", "u", "]", 100000, "bad.pav:3:7");
    nested("", "u", "}", 100000, "bad.pav:3:7");
}

TEST(a_sum_of_a_hundred_thousand_terms_is_refused_or_run)
{
    growing g = {0};
    add(&g, HEAT "u' = u");
    add_times(&g, " + 0.001*u", 100000);
    survives(&g);
}

TEST(a_sum_of_ten_thousand_terms_is_refused_or_run)
{
    growing g = {0};
    char term[64];
    add(&g, HEAT "border clamp\nu' = u");
    for (int k = 0; k < 10000; k++) {
        snprintf(term, sizeof term, " + %d.5*u[%d,%d]", k, k % 60 - 30, k / 60 % 60 - 30);
        add(&g, term);
    }
    survives(&g);
}

TEST(a_text_beyond_the_limit_is_refused)
{
    growing g = {0};
    add(&g, HEAT "u' = u\n");
    add_times(&g, "# a line of comment that says nothing at all, again and again\n",
              100000);
    refused(&g, PAV_ESYNTAX, "at most 4194304 are read");
}

TEST(a_name_of_a_million_letters_is_survived)
{
    growing g = {0};
    add(&g, HEAT "u' = ");
    add_times(&g, "abcdefghij", 100000);
    refused(&g, PAV_ESYNTAX, "bad.pav:3:6: unknown name");
}

TEST(a_line_of_a_million_signs_is_cut_in_the_message)
{
    growing g = {0};
    add(&g, HEAT "u' = u");
    add_times(&g, "          ", 100000);
    add(&g, " uu");
    refused(&g, PAV_ESYNTAX, "'uu' is not expected");
    CHECK(strlen(pav_message()) < 1000);
}

TEST(a_number_of_a_million_digits_is_survived)
{
    growing g = {0};
    add(&g, HEAT "u' = u + 0.");
    add_times(&g, "1234567890", 100000);
    survives(&g);
}

TEST(a_million_empty_statements_are_survived)
{
    growing g = {0};
    add(&g, HEAT);
    add_times(&g, ";;;;;;;;;;\n", 100000);
    add(&g, "u' = uu");
    refused(&g, PAV_ESYNTAX, "bad.pav:100003:6:");
}

TEST(twenty_mistakes_are_told_of_ten_thousand)
{
    growing g = {0};
    int told = 0;
    add(&g, HEAT);
    add_times(&g, "border u = =\n", 10000);
    CHECK_STATUS(parse_bytes(g.data, g.length), PAV_ESYNTAX);
    for (const char *at = pav_message(); (at = strstr(at, "'=' stands here")); at++)
        told++;
    CHECK_EQ(told, 20);
    CHECK(strstr(pav_message(), "more mistakes follow these 20"));
    free(g.data);
}

TEST(more_fields_than_there_may_be_are_refused)
{
    growing g = {0};
    char field[32];
    add(&g, "grid x 4\n");
    for (int k = 0; k < 1100; k++) {
        snprintf(field, sizeof field, "field f%d\n", k);
        add(&g, field);
    }
    add(&g, "f1' = f1");
    refused(&g, PAV_ESYNTAX, "more than 1000 fields");
}

TEST(ten_thousand_params_are_survived)
{
    growing g = {0};
    char line[64];
    add(&g, HEAT "param p0 = 1\n");
    for (int k = 1; k < 10000; k++) {
        snprintf(line, sizeof line, "param p%d = p%d + 1\n", k, k - 1);
        add(&g, line);
    }
    add(&g, "u' = u + p9999");
    survives(&g);
}

/* ---- growth ------------------------------------------------------------------------ */

/* Builds `let l0 = start; let l1 = step ...; u' = the last`. Each @ of `step` becomes the
 * previous name, so the expression grows exponentially. */
static void doubled(const char *start, const char *step, int times)
{
    growing g = {0};
    char line[256], before[16];
    add(&g, HEAT "border periodic\n");
    snprintf(line, sizeof line, "let l0 = %s\n", start);
    add(&g, line);
    for (int k = 1; k <= times; k++) {
        snprintf(line, sizeof line, "let l%d = ", k);
        snprintf(before, sizeof before, "l%d", k - 1);
        add(&g, line);
        for (const char *c = step; *c; c++)
            if (*c == '@')
                add(&g, before);
            else
                add_bytes(&g, c, 1);
        add(&g, "\n");
    }
    snprintf(line, sizeof line, "u' = l%d\n", times);
    add(&g, line);
    survives(&g);
}

TEST(lets_doubled_forty_times_are_survived)
{
    doubled("u", "@ + @", 40);
    doubled("u", "@*@ + 1", 40);
    doubled("u", "@[1,0] + @[-1,0]", 40);
    doubled("u", "where(@ < 1, @, 2)", 40);
}

TEST(derivatives_of_derivatives_are_survived)
{
    doubled("u", "laplace(@, order 16)", 6);
    doubled("u", "dxxyy(@, order 8)", 5);
    doubled("u", "laplace(@)", 40);
    doubled("u", "dx(u*@, at +1/2)", 20);
}

TEST(lets_with_arguments_that_double_are_survived)
{
    growing g = {0};
    char line[128];
    add(&g, HEAT "let l0(a) = a + a\n");
    for (int k = 1; k <= 40; k++) {
        snprintf(line, sizeof line, "let l%d(a) = l%d(l%d(a))\n", k, k - 1, k - 1);
        add(&g, line);
    }
    add(&g, "u' = l40(u)\n");
    survives(&g);
}

TEST(reductions_in_reductions_are_survived)
{
    doubled("u", "u*sum(@) + max(@)", 30);
}

TEST(stencils_of_stencils_are_survived)
{
    growing g = {0};
    add(&g, "grid x 10, y 10, z 10\nfield u\nborder periodic\n"
            "stencil s { centre 1; face 2; edge x; corner u }\nu' = ");
    add_times(&g, "s(", 12);
    add(&g, "u");
    add_times(&g, ")", 12);
    survives(&g);
}

TEST(towers_of_powers_are_survived)
{
    growing g = {0};
    add(&g, HEAT
        "param a = 9^9^9^9^9\nparam b = 10^(-400)\nu' = u*a + (u + 1)^1000000000*b\n");
    survives(&g);
}
