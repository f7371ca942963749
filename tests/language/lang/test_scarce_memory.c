/* SPDX-License-Identifier: BSD-3-Clause */
/* A failure of any allocation is reported, and no memory is lost. */
#include "parse_helper.h"

static const char good[] = SPACE
    "param a = 1/3; b = a + 1\nlet f(q) = q*a\nfield c = x*f(y)\n"
    "stencil s { centre 1; face 2*b }\n"
    "u' = s(u) + f(prev(u)) + dx(c)\nborder clamp c\n"
    "inject t into u at (1, 2, 3)\nexpect sum(u) < 1\n";
static const char poor[] = SPACE "u' = uu + vv\nparam a = x\nfield c = (1\n";

/* The status of parsing if allocation n fails. A failure must leave a message and no
 * program. */
static pav_status scarce(const char *source, int64_t n)
{
    program *p = NULL;
    mem_fail_after(n);
    const pav_status status = parse_text(source, &p);
    mem_fail_after(0);
    CHECK((status == PAV_OK) == (p != NULL));
    CHECK(status == PAV_OK || *pav_message() != '\0');
    program_free(p);
    return status;
}

/* Lets each allocation fail in turn until none is left to fail; gives the last status. */
static pav_status starve(const char *source)
{
    pav_status status = PAV_ENOMEM;
    int64_t n = 0;
    while (status == PAV_ENOMEM && n < 100000)
        status = scarce(source, ++n);
    CHECK(n > 3);
    return status;
}

TEST(a_right_program_survives_scarce_memory)
{
    CHECK_EQ(starve(good), PAV_OK);
}

TEST(a_mistaken_program_survives_scarce_memory)
{
    CHECK_EQ(starve(poor), PAV_ESYNTAX);
}

TEST(printing_survives_scarce_memory)
{
    program *p = parse_good(good);
    for (int64_t n = 1; n < 5; n++) {
        char *printed = NULL;
        mem_fail_after(n);
        const pav_status status = pav_program_print((pav_program *)(void *)p, &printed);
        mem_fail_after(0);
        CHECK(status == PAV_OK || status == PAV_ENOMEM);
        CHECK((status == PAV_OK) == (printed != NULL));
        pav_text_free(printed);
    }
    program_free(p);
}

TEST(loading_survives_scarce_memory)
{
    pav_status status = PAV_ENOMEM;
    for (int64_t n = 1; status == PAV_ENOMEM && n < 10000; n++) {
        program *p = NULL;
        mem_fail_after(n);
        status = program_load("heat2d@9x7", NULL, &p);
        mem_fail_after(0);
        program_free(p);
    }
    CHECK_STATUS(status, PAV_OK);
}

TEST(an_identity_is_right_or_told_to_be_missing)
{
    program *p = parse_good(good);
    uint64_t right, got;
    int64_t n = 0;
    REQUIRE_OK(program_identity(p, &right));
    for (pav_status status = PAV_ENOMEM; status != PAV_OK;) {
        mem_fail_after(++n);
        status = program_identity(p, &got);
        mem_fail_after(0);
        CHECK_EQ(got, status == PAV_OK ? right : 0);
        REQUIRE(status == PAV_OK || status == PAV_ENOMEM);
    }
    CHECK(n > 1);
    program_free(p);
}
