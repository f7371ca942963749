/* SPDX-License-Identifier: BSD-3-Clause */
/* Meshes: generated, read, reordered and coloured. Wrong meshes are refused with a
 * message. */
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include "base/functions/functions.h"
#include "fem_helper.h"
#include "io/io.h"

static const double pi = 3.14159265358979323846;

static double volume_of(const char *word, const pav_mesh_options *options)
{
    pav_mesh *m;

    REQUIRE_OK(pav_mesh_open(word, options, &m));
    const double volume = m->volume;
    pav_mesh_free(m);
    return volume;
}

TEST(generated_meshes_have_the_volumes_of_their_shapes)
{
    const pav_mesh_options two = {.layers = 3, .bottom = 1, .top = 3};
    CHECK_NEAR(volume_of("square:n=7", &two), 2, 1e-13);
    CHECK_NEAR(volume_of("disc:n=40", NULL), pi, 2e-3);
    CHECK_NEAR(volume_of("shell:n=4", NULL), 4 * pi / 3 * 7, 0.3);
    CHECK_NEAR(volume_of("shell:n=5", NULL), 4 * pi / 3 * 7, 0.08);
}

TEST(layers_may_be_graded_and_every_column_have_its_own_heights)
{
    const double bottoms[4] = {0, 1, 2, 3}, tops[4] = {4, 5, 6, 7};
    const pav_mesh_options graded = {.layers = 2, .top = 3, .grading = 2},
                           each = {.layers = 2, .bottoms = bottoms, .tops = tops};
    pav_mesh *m;
    REQUIRE_OK(pav_mesh_open("square:n=1", &graded, &m));
    CHECK_NEAR(m->at[2][1], 1, 1e-15);
    pav_mesh_free(m);
    REQUIRE_OK(pav_mesh_open("square:n=1", &each, &m));
    for (int c = 0; c < 4; c++) {
        CHECK_NEAR(m->at[2][3 * c], bottoms[m->given[c]], 0);
        CHECK_NEAR(m->at[2][3 * c + 1], bottoms[m->given[c]] + 2, 1e-15);
    }
    pav_mesh_free(m);
}

TEST(chunks_of_one_colour_share_no_column_and_hold_all_triangles)
{
    pav_mesh *m = crooked_mesh("shell:n=4", 1, 0);
    int32_t *seen = mem_new(m->columns, sizeof *seen);
    bool apart = true;
    for (int c = 0; c < m->colours; c++)
        for (int k = m->colour[c]; k < m->colour[c + 1]; k++)
            for (int64_t t = 3 * (int64_t)m->chunk[k]; t < 3 * (int64_t)m->chunk[k + 1];
                 t++) {
                int32_t *at = &seen[m->corner[t]];
                apart &= *at < 1000 * (c + 1) || *at == 1000 * (c + 1) + k;
                *at = 1000 * (c + 1) + k;
            }
    CHECK(apart);
    CHECK_EQ(m->chunk[m->chunks], m->triangles);
    CHECK_EQ(m->colour[m->colours], m->chunks);
    mem_free(seen);
    pav_mesh_free(m);
}

/* The mean distance of a triangle's first two corners in memory. */
static double spread_of(const char *order)
{
    const pav_mesh_options options = {.layers = 1, .order = order};
    double sum = 0;
    pav_mesh *m;

    REQUIRE_OK(pav_mesh_open("shell:n=5", &options, &m));
    for (int64_t t = 0; t < m->triangles; t++)
        sum += abs(m->corner[3 * t] - m->corner[3 * t + 1]);
    sum /= (double)m->triangles;
    pav_mesh_free(m);
    return sum;
}

TEST(reordered_columns_are_nearer_in_memory_than_those_of_a_refined_mesh)
{
    const double given = spread_of("given");
    CHECK(spread_of("curve") < given / 3);
    CHECK(spread_of("rcm") < given / 3);
}

TEST(an_order_that_is_none_is_reported_with_those_there_are)
{
    const pav_mesh_options options = {.order = "hilbert"};
    pav_mesh *m;
    CHECK_STATUS(pav_mesh_open("disc", &options, &m), PAV_EINVAL);
    CHECK_SAYS("curve");
}

/* ---- refused meshes ---------------------------------------------------------------- */

static const double square[15] = {0, 0, 0, 1, 0, 0, 1, 1, 0, 0, 1, 0, 2, 2, 0};

static void refused(int64_t points, const int32_t *triangles, int64_t count,
                    const char *word)
{
    pav_mesh *m;

    CHECK(pav_mesh_make(square, points, triangles, count, NULL, &m) != PAV_OK);
    CHECK_SAYS(word);
    CHECK(m == NULL);
}

TEST(a_mesh_that_is_none_is_refused_with_the_place)
{
    static const int32_t good[] = {0, 1, 2, 0, 2, 3}, mixed[] = {0, 1, 2, 0, 3, 2},
                         fan[] = {0, 1, 2, 0, 2, 3, 0, 2, 4}, twice[] = {0, 0, 2},
                         far[] = {0, 1, 7}, line[] = {0, 2, 4};
    refused(5, good, 2, "point 4 (counting from 0) dangles");
    refused(4, mixed, 2, "triangles 0 and 1 run the same way");
    refused(5, fan, 3, "is not manifold: 3 triangles share it");
    refused(4, twice, 1, "point 0 at two of its corners");
    refused(4, far, 1, "corner 7");
    refused(5, line, 0, "needs a triangle");
}

TEST(triangles_that_are_all_clockwise_are_turned_round)
{
    static const int32_t clockwise[] = {0, 2, 1, 0, 3, 2};
    pav_mesh *m;
    REQUIRE_OK(pav_mesh_make(square, 4, clockwise, 2, NULL, &m));
    CHECK_NEAR(m->volume, 1, 1e-14);
    pav_mesh_free(m);
}

TEST(columns_whose_top_is_below_their_bottom_make_inverted_cells)
{
    static const int32_t good[] = {0, 1, 2, 0, 2, 3};
    static const double bottoms[4] = {0, 0, 9, 0};
    const pav_mesh_options options = {.layers = 2, .bottoms = bottoms, .top = 1};
    pav_mesh *m;
    CHECK_STATUS(pav_mesh_make(square, 4, good, 2, &options, &m), PAV_EFORMAT);
    CHECK_SAYS("is inverted or flat");
}

TEST(heights_that_are_no_numbers_are_refused)
{
    static const int32_t good[] = {0, 1, 2, 0, 2, 3};
    static const double odd[2][4] = {{0, 0, NAN, 0}, {0, -INFINITY, 0, 0}};
    for (int k = 0; k < 2; k++) {
        const pav_mesh_options options = {.layers = 2, .bottoms = odd[k], .top = 1};
        pav_mesh *m;
        CHECK_STATUS(pav_mesh_make(square, 4, good, 2, &options, &m), PAV_EFORMAT);
    }
}

/* ---- files ------------------------------------------------------------------------- */

static const char msh2[] =
    "$MeshFormat\n2.2 0 8\n$EndMeshFormat\n$PhysicalNames\n2\n1 7 \"south\"\n2 9 "
    "\"all\"\n"
    "$EndPhysicalNames\n$Nodes\n4\n10 0 0 0\n20 1 0 0\n30 1 1 0\n40 0 1 0\n$EndNodes\n"
    "$Elements\n4\n1 15 2 0 1 10\n2 1 2 7 1 10 20\n3 2 2 9 1 10 20 30\n4 2 2 9 1 10 30 "
    "40\n"
    "$EndElements\n";
static const char msh4[] =
    "$MeshFormat\n4.1 0 8\n$EndMeshFormat\n$PhysicalNames\n1\n1 7 \"south\"\n"
    "$EndPhysicalNames\n$Entities\n1 1 1 0\n1 0 0 0 0\n5 0 0 0 1 0 0 1 7 2 1 -2\n"
    "6 0 0 0 1 1 0 0 1 5\n$EndEntities\n$Nodes\n2 4 1 4\n1 5 0 2\n1\n2\n0 0 0\n1 0 0\n"
    "2 6 0 2\n3\n4\n1 1 0\n0 1 0\n$EndNodes\n$Comment\nno $ends here\n$EndComment\n"
    "$Elements\n2 3 1 3\n1 5 1 1\n1 1 2\n2 6 2 2\n2 1 2 3\n3 1 3 4\n$EndElements\n";

static pav_status parse(const char *bytes, plane *p)
{
    const pav_status status = plane_parse_gmsh("a.msh", bytes, (int64_t)strlen(bytes), p);

    return status == PAV_OK ? plane_check("a.msh", p) : status;
}

TEST(gmsh_files_of_both_versions_are_read_with_their_borders)
{
    static const char *const files[] = {msh2, msh4};
    for (int k = 0; k < 2; k++) {
        plane p;
        REQUIRE_OK(parse(files[k], &p));
        CHECK_EQ(p.points, 4);
        CHECK_EQ(p.triangles, 2);
        CHECK_EQ(p.edges, 4); /* three edges without a name are the rim */
        CHECK_STR(p.name[p.edge[2]], "south");
        for (int e = 1; e < 4; e++)
            CHECK_STR(p.name[p.edge[3 * e + 2]], "rim");
        CHECK_EQ(p.corner[1], 1);
        CHECK_NEAR(p.at[6], 1, 0);
        plane_free(&p);
    }
}

/* Every beginning of a file is refused. A file without one of its bytes may be read or
 * refused. */
TEST(gmsh_files_that_were_cut_are_refused_not_believed)
{
    static const char *const files[] = {msh2, msh4};
    for (int k = 0; k < 2; k++)
        for (size_t n = 0; n + 1 < strlen(files[k]); n++) {
            char *cut = mem_new((int64_t)strlen(files[k]) + 1, 1);
            plane p;
            memcpy(cut, files[k], n);
            CHECK(parse(cut, &p) != PAV_OK);
            memcpy(cut, files[k], n);
            strcpy(cut + n, files[k] + n + 1);
            if (parse(cut, &p) == PAV_OK)
                plane_free(&p);
            mem_free(cut);
        }
}

static void mistaken(const char *bytes, const char *word)
{
    plane p;

    CHECK_STATUS(parse(bytes, &p), PAV_EFORMAT);
    CHECK_SAYS(word);
}

TEST(gmsh_files_with_mistakes_are_refused_with_the_line)
{
    mistaken("hello", "a.msh:1: no Gmsh file");
    mistaken("", "no Gmsh file");
    mistaken("$MeshFormat\n4.1 1 8\n", "is binary");
    mistaken("$MeshFormat\n3 0 8\n", "2.2 and 4.1");
    mistaken("$MeshFormat\n2.2 0 8\n$EndMeshFormat\n$Nodes\n999999999999\n",
             "a.msh:5: there are fewer nodes");
    mistaken("$MeshFormat\n2.2 0 8\n$EndMeshFormat\n$Nodes\n2\n1 0 0 0\n1 1 0 0\n",
             "same number");
    mistaken("$MeshFormat\n2.2 0 8\n$EndMeshFormat\n$Nodes\n1\n1 0 0 0\n$EndNodes\n"
             "$Elements\n1\n1 3 0 1 1 1 1\n",
             "neither a triangle nor a line");
    mistaken("$MeshFormat\n2.2 0 8\n$EndMeshFormat\n$Nodes\n1\n1 0 0 0\n$EndNodes\n"
             "$Elements\n1\n1 2 0 1 1 5\n",
             "does not hold");
}

/* Makes a folder for the files of a test and works there. */
static void own_directory(void)
{
    char place[] = "/tmp/pavior-fem-XXXXXX";

    REQUIRE(mkdtemp(place) && chdir(place) == 0);
}

TEST(a_pair_of_npy_files_is_a_mesh)
{
    static const double points[] = {0, 0, 1, 0, 1, 1, 0, 1},
                        corners[] = {0, 1, 2, 0, 2, 3}, odd[] = {0, 1, 2.5, 0, 2, 3};
    pav_mesh *m;
    own_directory();
    REQUIRE_OK(npy_write_table("points.npy", points, 4, 2));
    REQUIRE_OK(npy_write_table("triangles.npy", corners, 2, 3));
    REQUIRE_OK(npy_write_table("odd.npy", odd, 2, 3));
    REQUIRE_OK(pav_mesh_open("points.npy,triangles.npy", NULL, &m));
    CHECK_NEAR(m->volume, 1, 1e-14);
    CHECK_STR(pav_mesh_border_name(m, 0), "rim");
    pav_mesh_free(m);
    CHECK_STATUS(pav_mesh_open("points.npy,odd.npy", NULL, &m), PAV_EFORMAT);
    CHECK_SAYS("2.5");
    CHECK_STATUS(pav_mesh_open("triangles.npy,points.npy", NULL, &m), PAV_EFORMAT);
}

TEST(meshes_are_written_for_paraview_and_as_pictures)
{
    static const double from[2] = {-1, 0.01}, to[2] = {1, 0.01};
    pav_mesh *m = crooked_mesh("disc:n=8", 3, 0);
    double *u = random_vector(m, 1);
    const double middle[2] = {0, 0.01}, far[2] = {1e307, 0.01};
    const char *const names[] = {"u<1>"};
    const double *const values[] = {u};
    char *bytes;
    int64_t length;
    own_directory();
    REQUIRE_OK(pav_mesh_write(m, "u.vtu", names, values, 1));
    REQUIRE_OK(file_read("u.vtu", 1 << 24, &bytes, &length));
    CHECK(strstr(bytes, "Name=\"u&lt;1&gt;\""));
    CHECK(length > m->nodes * 32 + m->cells * 57 &&
          length < m->nodes * 32 + m->cells * 57 + 2000);
    CHECK_STATUS(pav_mesh_write(m, "u.vtk", names, values, 1), PAV_EINVAL);
    CHECK_STATUS(pav_mesh_picture(m, "level.png", u, 2, NULL, NULL), PAV_OK);
    CHECK_STATUS(pav_mesh_picture(m, "cut.png", u, -1, from, to), PAV_OK);
    CHECK_STATUS(pav_mesh_picture(m, "far.png", u, -1, middle, far), PAV_OK);
    CHECK_STATUS(pav_mesh_picture(m, "no.png", u, 4, NULL, NULL), PAV_EINVAL);
    CHECK_STATUS(pav_mesh_picture(m, "no.png", u, -1, from, from), PAV_EINVAL);
    mem_free(bytes);
    mem_free(u);
    pav_mesh_free(m);
}

/* ---- expressions ------------------------------------------------------------------- */

TEST(any_expression_of_x_y_and_z_has_a_value_at_the_nodes)
{
    pav_mesh *m = crooked_mesh("disc:n=9", 5, 0.1);
    double *u = zero_vector(m);
    bool alike = true;
    REQUIRE_OK(pav_mesh_evaluate(
        m, "where(x < y, cos(pi*x)*exp(-y^2), min(z, 0.5)) - 2*max(x, -y)", u));
    for (int64_t k = 0; k < m->nodes; k++) {
        const double x = m->at[0][k], y = m->at[1][k], z = m->at[2][k];
        alike &= u[k] == (x < y ? f64_cos(pi * x) * f64_exp(-(y * y)) : fmin(z, 0.5)) -
                             2 * fmax(x, -y);
    }
    CHECK(alike);
    mem_free(u);
    pav_mesh_free(m);
}

TEST(what_is_no_expression_of_x_y_and_z_is_refused)
{
    static const char *const words[] = {"",
                                        "x +",
                                        "foo(x)",
                                        "h",
                                        "x; y=1",
                                        "random(1)",
                                        "\"a.npy\"",
                                        "laplace(x)",
                                        "t",
                                        "x\nfield q = 1",
                                        "x # comment",
                                        "nx"};
    pav_mesh *m = crooked_mesh("square:n=1", 1, 0);
    double *u = zero_vector(m);
    for (size_t k = 0; k < COUNT_OF(words); k++)
        CHECK(pav_mesh_evaluate(m, words[k], u) != PAV_OK);
    mem_free(u);
    pav_mesh_free(m);
}

static const char taken[] =
    "$MeshFormat\n2.2 0 8\n$EndMeshFormat\n$PhysicalNames\n1\n1 1 "
    "\"bottom\"\n$EndPhysicalNames\n$Nodes\n3\n1 0 0 0\n2 1 0 "
    "0\n3 0 1 0\n$EndNodes\n$Elements\n2\n1 1 2 1 1 1 2\n2 2 2 9 "
    "9 1 2 3\n$EndElements\n";

TEST(names_that_every_mesh_has_are_refused_as_names_of_sides)
{
    plane p;
    CHECK_STATUS(parse(taken, &p), PAV_EFORMAT);
    CHECK_SAYS("'bottom', which stands for the lowest level");
    plane_free(&p);
}
