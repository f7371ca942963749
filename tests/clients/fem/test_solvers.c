/* SPDX-License-Identifier: BSD-3-Clause */
/* Solvers on meshes: known solutions, and orders of convergence. */
#include <stdio.h>

#include "fem_helper.h"

static pav_mesh *square_mesh(int n, int layers)
{
    const pav_mesh_options options = {.layers = layers};
    char word[32];
    pav_mesh *m;

    (void)snprintf(word, sizeof word, "square:n=%d", n);
    REQUIRE_OK(pav_mesh_open(word, &options, &m));
    return m;
}

static const char exact[] = "cos(pi*x)*cos(2*pi*y)*cos(pi*z)";
static const char *const gradient[3] = {"-pi*sin(pi*x)*cos(2*pi*y)*cos(pi*z)",
                                        "-2*pi*cos(pi*x)*sin(2*pi*y)*cos(pi*z)",
                                        "-pi*cos(pi*x)*cos(2*pi*y)*sin(pi*z)"};

static void solve_cosine(int n, const pav_mesh_problem *p, double error[2])
{
    pav_mesh *m = square_mesh(n, n);
    double *u = zero_vector(m);
    REQUIRE_OK(pav_mesh_solve(m, p, u, NULL));
    REQUIRE_OK(pav_mesh_error(m, u, exact, gradient, &error[0], &error[1]));
    mem_free(u);
    pav_mesh_free(m);
}

/* The orders of convergence from n = 12 to n = 24. */
static void check_orders(const pav_mesh_problem *p)
{
    double coarse[2], fine[2];

    solve_cosine(12, p, coarse);
    solve_cosine(24, p, fine);
    CHECK_NEAR(log2(coarse[0] / fine[0]), 2, 0.05);
    CHECK_NEAR(log2(coarse[1] / fine[1]), 1, 0.05);
}

TEST(a_cosine_converges_at_order_2_with_borders_without_flux)
{
    const pav_mesh_problem p = {.form = {1, 1},
                                .source = "(6*pi^2 + 1)*cos(pi*x)*cos(2*pi*y)*cos(pi*z)",
                                .tolerance = 1e-10};
    check_orders(&p);
}

TEST(helmholtz_converges_at_order_2_by_minres_with_values_at_all_borders)
{
    const pav_mesh_border all = {"all", PAV_BORDER_DIRICHLET, exact, 0};
    const pav_mesh_problem p = {.form = {1, -20},
                                .source = "(6*pi^2 - 20)*cos(pi*x)*cos(2*pi*y)*cos(pi*z)",
                                .border = &all,
                                .borders = 1,
                                .tolerance = 1e-10};
    check_orders(&p);
}

/* u = 1 + 2z is linear, so every border condition must hold to rounding. */
TEST(a_linear_function_is_exact_with_each_kind_of_border)
{
    static const pav_mesh_border kinds[3][3] = {
        {{"bottom", PAV_BORDER_DIRICHLET, "1", 0}, {"top", PAV_BORDER_DIRICHLET, "3", 0}},
        {{"bottom", PAV_BORDER_DIRICHLET, "1", 0}, {"top", PAV_BORDER_NEUMANN, "2", 0}},
        {{"bottom", PAV_BORDER_ROBIN, "4*1 - 2", 4},
         {"top", PAV_BORDER_NEUMANN, "2", 0}}};
    static const char *const preconditioners[] = {"jacobi", "column", "none",
                                                  "multigrid"};
    pav_mesh *m = crooked_mesh("square:n=5", 6, 0);
    double *u = zero_vector(m), l2;
    for (int k = 0; k < 12; k++) {
        const pav_mesh_problem p = {.form = {1, 0},
                                    .border = kinds[k / 4],
                                    .borders = 2,
                                    .preconditioner = preconditioners[k % 4],
                                    .tolerance = 1e-12};
        REQUIRE_OK(pav_mesh_solve(m, &p, u, NULL));
        REQUIRE_OK(pav_mesh_error(m, u, "1 + 2*z", NULL, &l2, NULL));
        CHECK(l2 < 1e-9);
    }
    mem_free(u);
    pav_mesh_free(m);
}

static int64_t iterations_of(const pav_mesh *m, const char *preconditioner, int threads,
                             double *u)
{
    const pav_mesh_border bottom = {"bottom", PAV_BORDER_DIRICHLET, NULL, 0};
    const pav_mesh_problem p = {.form = {1, 0},
                                .source = "1 + x*y",
                                .border = &bottom,
                                .borders = 1,
                                .preconditioner = preconditioner,
                                .threads = threads};
    pav_solve_result result;
    REQUIRE_OK(pav_mesh_solve(m, &p, u, &result));
    return result.iterations;
}

TEST(columns_make_thin_layers_cheap)
{
    const pav_mesh_options thin = {.layers = 64, .top = 0.05};
    pav_mesh *m;
    REQUIRE_OK(pav_mesh_open("square:n=8", &thin, &m));
    double *u = zero_vector(m);
    CHECK(6 * iterations_of(m, "column", 2, u) < iterations_of(m, "jacobi", 2, u));
    mem_free(u);
    pav_mesh_free(m);
}

TEST(solutions_have_the_same_bits_for_every_number_of_threads)
{
    pav_mesh *m = crooked_mesh("disc:n=9", 9, 0.1);
    double *one = zero_vector(m), *three = zero_vector(m);
    CHECK_EQ(iterations_of(m, NULL, 1, one), iterations_of(m, NULL, 3, three));
    CHECK(memcmp(one, three, (size_t)m->nodes * sizeof *one) == 0);
    mem_free(one);
    mem_free(three);
    pav_mesh_free(m);
}

TEST(what_cannot_be_solved_is_reported)
{
    const pav_mesh_border nowhere = {"rin", PAV_BORDER_DIRICHLET, NULL, 0};
    const pav_mesh_problem odd = {.form = {1, 0}, .border = &nowhere, .borders = 1},
                           indefinite = {.form = {1, -300},
                                         .source = "x",
                                         .method = "cg"},
                           few = {.form = {1, 1}, .source = "x", .most = 2};
    pav_mesh *m = crooked_mesh("square:n=8", 8, 0);
    double *u = zero_vector(m);
    CHECK_STATUS(pav_mesh_solve(m, &odd, u, NULL), PAV_EINVAL);
    CHECK_SAYS("'rim'");
    CHECK_STATUS(pav_mesh_solve(m, &indefinite, u, NULL), PAV_EUNSUPPORTED);
    CHECK_SAYS("minres");
    CHECK_STATUS(pav_mesh_solve(m, &few, u, NULL), PAV_ECONVERGE);
    CHECK_SAYS("after 2 iterations");
    mem_free(u);
    pav_mesh_free(m);
}

TEST(what_is_missing_is_refused_not_read)
{
    const pav_mesh_border nameless = {.kind = PAV_BORDER_DIRICHLET},
                          odd = {.name = "all", .kind = (pav_border_kind)7};
    const pav_mesh_problem without = {.form = {1, 1}, .borders = 1},
                           first = {.form = {1, 1}, .border = &nameless, .borders = 1},
                           second = {.form = {1, 1}, .border = &odd, .borders = 1};
    pav_mesh *m = square_mesh(1, 1), *none = NULL;
    double *u = zero_vector(m);
    CHECK_STATUS(pav_mesh_open(NULL, NULL, &none), PAV_EINVAL);
    CHECK_STATUS(pav_mesh_open("square:n=1", NULL, NULL), PAV_EINVAL);
    CHECK_STATUS(pav_mesh_solve(NULL, &without, u, NULL), PAV_EINVAL);
    CHECK_STATUS(pav_mesh_solve(m, &without, u, NULL), PAV_EINVAL);
    CHECK_STATUS(pav_mesh_solve(m, &first, u, NULL), PAV_EINVAL);
    CHECK_SAYS("no name");
    CHECK_STATUS(pav_mesh_solve(m, &second, u, NULL), PAV_EINVAL);
    CHECK_SAYS("no kind 7");
    CHECK_STATUS(pav_prism_action(NULL, u, u), PAV_EINVAL);
    CHECK_STATUS(pav_mesh_write(m, NULL, NULL, NULL, 0), PAV_EINVAL);
    CHECK_EQ(pav_mesh_sizes(NULL).nodes, 0);
    mem_free(u);
    pav_mesh_free(m);
}
