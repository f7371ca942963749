/* SPDX-License-Identifier: BSD-3-Clause */
/* Operations along an axis: their places, and messages about other places. */
#include "parse_helper.h"

#define FIELDS "grid x 9, y 8\nfield u = x; v\n"

static bool keeps(const char *source, const char *words)
{
    return strstr(canonical(source), words) != NULL;
}

TEST(an_operation_keeps_its_words)
{
    CHECK(keeps(FIELDS "v' = scan(0.5, u along x down) + scan(u along y exclusive)\n",
                "scan(0.5, u along x down) + scan(u along y exclusive)"));
    CHECK(keeps(FIELDS "v' = tridiagonal(-1, 4, -1, u along y)/max(u along x)\n",
                "tridiagonal(-1, 4, -1, u along y)/max(u along x)"));
    CHECK(keeps(FIELDS "v' = tridiagonal(-1, 4, -1, u along y cyclic)\n",
                "tridiagonal(-1, 4, -1, u along y cyclic)"));
}

TEST(an_operation_names_an_axis_of_the_grid)
{
    CHECK(mistaken(FIELDS "v' = scan(u)\n",
                   "'scan' needs its axis, as in scan(u along x)"));
    CHECK(mistaken(FIELDS "v' = scan(u along z)\n", "after 'along' stands an axis"));
    CHECK(mistaken(FIELDS "v' = tridiagonal(1, 2, 3 along x)\n",
                   "'tridiagonal' takes 4 arguments, not 3"));
    CHECK(mistaken(FIELDS "v' = sum(u along x down)\n", "'down' belongs to scan"));
    CHECK(mistaken(FIELDS "v' = scan(u along x cyclic)\n", "cyclic"));
    CHECK(mistaken(FIELDS "v' = sqrt(u along x)\n",
                   "'along' belongs to scan, tridiagonal"));
}

TEST(an_operation_stands_in_updates)
{
    CHECK(
        mistaken(FIELDS "v' = u\nborder v = sum(u along x)\n", "stands in updates, not"));
    CHECK(mistaken(FIELDS "v' = u\nmeasure m = sum(scan(u along x))\n",
                   "stands in updates, not"));
    CHECK(mistaken("grid x 9\nfield u = scan(x along x)\nu' = u\n",
                   "stands in updates, not"));
    CHECK(mistaken(FIELDS "solve v - scan(v along x) = u for v by cg to 1e-6\n",
                   "stands in updates, not"));
}

TEST(an_operation_is_not_read_at_other_points)
{
    CHECK(
        mistaken(FIELDS "v' = dx(scan(u along x))\nborder v = 0\n",
                 "cannot stand in an expression read at neighbours; give it to a field"));
    CHECK(mistaken(FIELDS "let s = scan(u along x)\nv' = s[1,0]\n",
                   "cannot stand in an expression read at another point"));
    CHECK(mistaken(FIELDS "v' = sum(scan(u along x))\n",
                   "cannot stand in a sum over the grid"));
    CHECK(mistaken(FIELDS "let f(a) = scan(a along x)\nv' = f(u)\n",
                   "a let with arguments holds no operation"));
    CHECK(mistaken(FIELDS "v' = scan(v' along x)\n",
                   "v' cannot stand in its own equation"));
}

static int64_t fields_of(const char *updates)
{
    char source[400];

    (void)snprintf(source, sizeof source, FIELDS "field w\n%s", updates);
    program *p = parse_good(source);
    const int64_t count = p->fields.count;
    program_free(p);
    return count;
}

/* A system has three fields beside its result, a ring nine. */
TEST(right_sides_share_the_factors_of_a_matrix)
{
    const char *second[] = {
        "w' = tridiagonal(-1, 4, u, v' along x)\n",
        "w' = tridiagonal(-1, 4, u, v' along x)\nborder w = 0 at y-\n",
        "w' = tridiagonal(-1, 4, 2*u, v' along x)\n",
        "w' = tridiagonal(-1, 4, u, v' along y)\n",
        "w' = tridiagonal(-1, 4, u, v' along x cyclic)\n",
        ("w' = tridiagonal(-1, 4, u, v' along x cyclic) + "
         "tridiagonal(-1, 4, u, u along x cyclic)\n")};
    const int64_t more[] = {1, 3, 3, 3, 9, 13};
    char updates[300];

    for (size_t k = 0; k < sizeof more / sizeof *more; k++) {
        (void)snprintf(updates, sizeof updates,
                       "v' = tridiagonal(-1, 4, u, u along x)\n%s", second[k]);
        CHECK_EQ(fields_of(updates), 6 + more[k]);
    }
}
