/* SPDX-License-Identifier: BSD-3-Clause */
/* Random equations: every method agrees with elimination for any dimension, border and
 * operator, and a wrong solution is reported. */
#include <stdio.h>

#include "check_helper.h"

LONG_TEST(random_equations_are_solved_as_by_elimination)
{
    for (uint64_t seed = 1; seed <= 200; seed++) {
        random_equation e = {0};
        random_solve(seed, &e);
        const pav_status status = equation_is_solved(&e, NULL);
        if (status != PAV_OK)
            printf("seed %d: %s\n%s\n", (int)seed, pav_message(), e.solve.data);
        CHECK_STATUS(status, PAV_OK);
        random_equation_free(&e);
    }
}

/* Each of these words must occur in the first 200 equations, so no method or border is
 * left out. */
TEST(random_equations_have_every_method_and_border)
{
    static const char *const words[] = {
        "auto",         "jacobi",   "chebyshev", "sor",         "cg to",   "none",
        "multigrid to", "vcycle",   "async-0",   "async-1",     "async-2", "async-3",
        "full",         "W",        "mask",      "antimirror",  "odd",     "clamp",
        "mirror",       "periodic", "neumann",   "at (x + x^2", "order 4", "S(w)",
        "f32",          "L(v)",     "z",         "bicgstab to", "gmres",   "bicgstab(p",
        "+ 10000",      "1000000*", "transform", "for u, q by", "for p by"};
    bool seen[COUNT_OF(words)] = {false};
    for (uint64_t seed = 1; seed <= 600; seed++) {
        random_equation e = {0};
        random_solve(seed, &e);
        for (size_t k = 0; k < COUNT_OF(words); k++)
            seen[k] = seen[k] || strstr(e.solve.data, words[k]);
        random_equation_free(&e);
    }
    for (size_t k = 0; k < COUNT_OF(words); k++)
        if (!seen[k])
            printf("no %s\n", words[k]);
    for (size_t k = 0; k < COUNT_OF(words); k++)
        CHECK(seen[k]);
}

/* Solves one equation but takes the matrix of another, so the check must report a
 * difference. */
static void check_told(const char *of, const char *other)
{
    random_equation e = {.tolerance = 1e-8};
    text_add(&e.solve,
             "grid x 9 spacing 1/8\nfield u\nsolve %s = 1 for u by cg to 1e-8\n"
             "border u = 0\n",
             of);
    text_add(&e.residual,
             "grid x 9 spacing 1/8\nfield u; r\nr' = 1 - (%s)\nu' = u + 1\n"
             "border u = 0\nsteps 1\n",
             other);
    CHECK_STATUS(equation_is_solved(&e, NULL),
                 strcmp(of, other) ? PAV_EINTERNAL : PAV_OK);
    CHECK(!strcmp(of, other) || strstr(pav_message(), "elimination"));
    random_equation_free(&e);
}

TEST(another_solution_is_reported)
{
    check_told("-dxx(u)", "-dxx(u)");
    check_told("-dxx(u)", "u/1000 - dxx(u)");
    check_told("-dxx(u)", "-1.0001*dxx(u)");
}

TEST(the_processor_gives_the_bits_of_an_equation)
{
    random_equation e = {0};
    random_solve(20, &e);
    CHECK_STATUS(equation_is_solved(&e, "auto"), PAV_OK);
    random_equation_free(&e);
}
