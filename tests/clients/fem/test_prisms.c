/* SPDX-License-Identifier: BSD-3-Clause */
/* Prisms: the fast methods agree with the textbook's method, and with mathematics. */
#include "fem_helper.h"

static prism_operator *opened(const pav_mesh *m, pav_form form, const char *method,
                              int threads)
{
    prism_operator *o;

    REQUIRE_OK(prism_operator_open(m, form, PAV_F64, method, threads, &o));
    return o;
}

/* Returns A u by a method. */
static double *acted(const pav_mesh *m, pav_form form, const char *method, int threads,
                     const double *u)
{
    prism_operator *o = opened(m, form, method, threads);
    double *y = zero_vector(m);

    prism_operator_apply(o, false, u, y);
    prism_operator_close(o);
    return y;
}

static const char *const meshes[] = {"square:n=6", "disc:n=4", "shell:n=1"};
static const pav_form helmholtz = {1, -30};

TEST(the_action_of_columns_is_that_of_the_textbook_on_crooked_cells)
{
    for (int k = 0; k < 9; k++) {
        pav_mesh *m = crooked_mesh(meshes[k % 3], 1 + 3 * (k / 3), 0.2);
        double *u = random_vector(m, 3), *want = acted(m, helmholtz, "reference", 1, u),
               *got = acted(m, helmholtz, NULL, 2, u);
        CHECK(far_apart(got, want, m->nodes) < 1e-13);
        mem_free(u);
        mem_free(want);
        mem_free(got);
        pav_mesh_free(m);
    }
}

TEST(the_action_by_atomics_is_that_of_columns_but_for_rounding)
{
    pav_mesh *m = crooked_mesh("disc:n=12", 9, 0.2);
    double *u = random_vector(m, 3), *want = acted(m, helmholtz, NULL, 1, u),
           *got = acted(m, helmholtz, "atomics", 4, u);
    CHECK(far_apart(got, want, m->nodes) < 1e-13);
    mem_free(u);
    mem_free(want);
    mem_free(got);
    pav_mesh_free(m);
}

TEST(every_number_of_threads_gives_the_same_bits)
{
    pav_mesh *m = crooked_mesh("disc:n=16", 7, 0.2);
    double *u = random_vector(m, 3), *want = acted(m, helmholtz, NULL, 1, u);
    for (int threads = 2; threads < 6; threads++) {
        double *got = acted(m, helmholtz, NULL, threads, u);
        CHECK(memcmp(got, want, (size_t)m->nodes * sizeof *got) == 0);
        mem_free(got);
    }
    mem_free(u);
    mem_free(want);
    pav_mesh_free(m);
}

TEST(vectors_of_layers_give_the_bits_of_one_layer_at_a_time)
{
    for (int layers = 1; layers < 14; layers += 3) {
        pav_mesh *m = crooked_mesh("disc:n=3", layers, 0.2);
        double *u = random_vector(m, 3), *want = zero_vector(m), *got = zero_vector(m);
        prism_operator *o = opened(m, helmholtz, NULL, 1);
        prism_operator_apply(o, false, u, got);
        o->kernels = &prism_f64_plain;
        prism_operator_apply(o, false, u, want);
        CHECK(memcmp(got, want, (size_t)m->nodes * sizeof *got) == 0);
        prism_operator_close(o);
        mem_free(u);
        mem_free(want);
        mem_free(got);
        pav_mesh_free(m);
    }
}

TEST(right_hand_sides_are_those_of_the_textbook)
{
    pav_mesh *m = crooked_mesh("shell:n=2", 6, 0.2);
    double *f = random_vector(m, 3), *want = zero_vector(m), *got = zero_vector(m);
    prism_operator *o = opened(m, helmholtz, NULL, 2);
    prism_operator_apply(o, true, f, got);
    o->method = PRISM_REFERENCE;
    prism_operator_apply(o, true, f, want);
    CHECK(far_apart(got, want, m->nodes) < 1e-13);
    prism_operator_close(o);
    mem_free(f);
    mem_free(want);
    mem_free(got);
    pav_mesh_free(m);
}

TEST(single_precision_is_the_textbook_to_its_rounding)
{
    pav_mesh *m = crooked_mesh("disc:n=6", 20, 0.2);
    double *u = random_vector(m, 3), *want = acted(m, helmholtz, "reference", 1, u);
    float *narrow = mem_new(m->nodes, sizeof *narrow), *y = mem_new(m->nodes, sizeof *y);
    prism_operator *o;
    REQUIRE_OK(prism_operator_open(m, helmholtz, PAV_F32, NULL, 2, &o));
    type_convert(PAV_F32, narrow, PAV_F64, u, m->nodes);
    prism_operator_apply(o, false, narrow, y);
    type_convert(PAV_F64, u, PAV_F32, y, m->nodes);
    CHECK(far_apart(u, want, m->nodes) < 1e-4);
    prism_operator_close(o);
    mem_free(u);
    mem_free(want);
    mem_free(narrow);
    mem_free(y);
    pav_mesh_free(m);
}

TEST(the_matrix_is_that_of_the_textbook_and_acts_like_the_action)
{
    for (int k = 0; k < 6; k++) {
        pav_mesh *m = crooked_mesh(meshes[k % 3], k < 3 ? 1 : 6, 0.2);
        prism_operator *o = opened(m, helmholtz, NULL, 2);
        double *u = random_vector(m, 5), *y = zero_vector(m), *z = zero_vector(m);
        prism_csr *a, *b;
        REQUIRE_OK(prism_csr_open(o, &a));
        REQUIRE_OK(prism_csr_open(o, &b));
        REQUIRE_OK(prism_csr_assemble(o, a));
        prism_operator_apply(o, false, u, y);
        prism_csr_multiply(o, a, u, z);
        CHECK(far_apart(y, z, m->nodes) < 1e-13);
        o->method = PRISM_REFERENCE;
        REQUIRE_OK(prism_csr_assemble(o, b));
        CHECK(far_apart(a->value, b->value, a->entries) < 1e-13);
        prism_csr_close(a);
        prism_csr_close(b);
        prism_operator_close(o);
        mem_free(u);
        mem_free(y);
        mem_free(z);
        pav_mesh_free(m);
    }
}

/* A constant has no gradient. The energy of a linear function is the volume times its
 * squared slope. */
TEST(linear_functions_are_exact_on_crooked_cells)
{
    pav_mesh *m = crooked_mesh("disc:n=5", 5, 0.3);
    double *one = zero_vector(m), *u = zero_vector(m), volume = 0, energy = 0, most = 0;
    for (int64_t k = 0; k < m->nodes; k++) {
        one[k] = 1;
        u[k] = 2 * m->at[0][k] - m->at[1][k] + 3 * m->at[2][k];
    }
    double *zero = acted(m, (pav_form){1, 0}, NULL, 2, one),
           *mass = acted(m, (pav_form){0, 1}, NULL, 2, one),
           *y = acted(m, (pav_form){1, 0}, NULL, 2, u);
    for (int64_t k = 0; k < m->nodes; k++) {
        most = fmax(most, fabs(zero[k]));
        volume += mass[k];
        energy += u[k] * y[k];
    }
    CHECK(most < 1e-13);
    CHECK_NEAR(energy / (14 * volume), 1, 1e-12);
    mem_free(one);
    mem_free(u);
    mem_free(zero);
    mem_free(mass);
    mem_free(y);
    pav_mesh_free(m);
}

TEST(the_action_is_symmetric_and_positive)
{
    pav_mesh *m = crooked_mesh("square:n=5", 6, 0.3);
    double *u = random_vector(m, 1), *v = random_vector(m, 2);
    double *au = acted(m, (pav_form){1, 1}, NULL, 2, u),
           *av = acted(m, (pav_form){1, 1}, NULL, 2, v), uv = 0, vu = 0, uu = 0;
    for (int64_t k = 0; k < m->nodes; k++) {
        uv += u[k] * av[k];
        vu += v[k] * au[k];
        uu += u[k] * au[k];
    }
    CHECK_NEAR(uv, vu, 1e-12 * uu);
    CHECK(uu > 0);
    mem_free(u);
    mem_free(v);
    mem_free(au);
    mem_free(av);
    pav_mesh_free(m);
}

TEST(an_unknown_method_is_named_with_those_there_are)
{
    pav_mesh *m = crooked_mesh("square:n=1", 1, 0);
    prism_operator *o;
    CHECK_STATUS(prism_operator_open(m, helmholtz, PAV_F64, "atomic", 1, &o), PAV_EINVAL);
    CHECK_SAYS("atomics");
    pav_mesh_free(m);
}
