/* SPDX-License-Identifier: BSD-3-Clause */
/* Programs on a mesh: forms are linear, names have values, and the canonical form is
 * stable. */
#include "parse_helper.h"

#define MESH "mesh square 4 layers 3\nfield u on nodes, f on nodes = x*y\n"
#define POISSON                                                                          \
    MESH "form a(u, v) = dot(grad(u), grad(v))\nform L(v) = f*v\n"                       \
         "solve a = L by cg to 1e-8\n"

static bool printed_as(const char *source, const char *wanted)
{
    text t = {0};
    program *p = parse_good(source);
    program_print(p, &t);
    const bool same = strcmp(t.data, wanted) == 0;
    if (!same)
        printf("  printed is\n%s", t.data);
    text_free(&t);
    program_free(p);
    return same;
}

TEST(a_mesh_program_prints_as_it_is_read)
{
    static const char whole[] =
        "mesh disc 8 layers 12 from 0.1*x to 1 grading 1.5\n"
        "param k = 3\n"
        "field u on nodes\n"
        "let flux(w) = k*grad(w)\n"
        "form a(u, v) = dot(flux(u), grad(v)) - k^2*u*v + dx(u)*dx(v)\n"
        "field d on nodes = \"d.npy\"\n"
        "field m on cells = \"m.npy\"\n"
        "form r(u, v) at \"rim\" = 2*u*v\n"
        "form L(v) = m*d*v\n"
        "border u = 0 at \"top\", \"bottom\"\n"
        "solve a + r = L for u by minres with jacobi to 1e-8\n"
        "measure e = sqrt(integral((u - 1)^2))\n"
        "measure q = integral(2*u) at \"rim\"/integral(m)\n"
        "output u into \"u.vtu\"\n"
        "output u into \"top.png\" layer 12\n"
        "output u into \"cut.png\" cut (-1, 0) to (1, 0)\n"
        "expect e < 1 and max(u) < 2\n";
    CHECK(printed_as(whole, whole));
    CHECK(printed_as("mesh \"p.msh\" layers 2\nfield u = x\noutput u\n",
                     "mesh \"p.msh\" layers 2\nfield u on nodes = x\n"
                     "output u into \"u.vtu\"\n"));
}

TEST(what_is_solved_for_is_named_like_the_trial_function_or_told)
{
    CHECK(mistaken(MESH "form a(w, v) = w*v\nform L(v) = v\nsolve a = L by cg to 1e-8\n",
                   "what is solved for?"));
    CHECK(mistaken(POISSON "solve a = L by cg to 1e-8\n", "solved for in line 5"));
    CHECK(mistaken(MESH "form a(f, v) = f*v\nform L(v) = v\nsolve a = L by cg to 1e-8\n",
                   "'f' has a value in line 2"));
}

TEST(forms_are_linear_in_both_functions)
{
    CHECK(mistaken(MESH "form a(u, v) = u*v + 1\n", "3:16: one side of this sum"));
    CHECK(mistaken(MESH "form a(u, v) = u*u*v\n", "holds the trial function twice"));
    CHECK(mistaken(MESH "form a(u, v) = sin(u)*v\n", "'sin' takes numbers"));
    CHECK(mistaken(MESH "form a(u, v) = v/u\n", "'/' takes numbers"));
    CHECK(mistaken(MESH "form L(v) = v/(1 - 1)\n"
                        "measure m = max(f)\n",
                   "3:16: the divisor is 0"));
    CHECK(mistaken(MESH "measure m = integral(f) at \"rim\", \"top\"\n",
                   "integral(u) at \"rim\" + integral(u) at \"top\""));
    CHECK(mistaken(MESH "measure m = sum(f) at \"rim\"\n", "a border follows a form"));
    CHECK(mistaken(MESH "form a(u, v) = u\n", "does not hold its test function 'v'"));
    CHECK(mistaken(MESH "form a(u, v) = f*v\n", "does not hold its trial function 'u'"));
    CHECK(mistaken(MESH "form L(v) = v*v\n", "holds the test function twice"));
    CHECK(mistaken(MESH "let sq(w) = w*w\nform a(u, v) = sq(u)*v\n",
                   "4:16: this product holds the trial function twice"));
}

TEST(vectors_and_numbers_are_kept_apart)
{
    CHECK(mistaken(MESH "form a(u, v) = grad(u)*v\n", "a form is a number"));
    CHECK(mistaken(MESH "form a(u, v) = grad(u)*grad(v)\n", "is dot(a, b)"));
    CHECK(mistaken(MESH "form a(u, v) = dot(grad(u), v)\n", "dot takes two vectors"));
    CHECK(mistaken(MESH "form a(u, v) = (grad(u) + u)*v\n", "cannot be added"));
    CHECK(mistaken(MESH "form a(u, v) = dx(u*v)\n", "write products out"));
    CHECK(mistaken(MESH "let d(e) = dot(e*grad(f), grad(f))\n"
                        "form L(v) = d(d(d(d(x))))*v\n",
                   "dot stands within two others"));
    CHECK(mistaken(MESH "form a(u, v) = dxx(u)*v\n", "there are first derivatives"));
}

TEST(gradients_exist_within_cells_alone)
{
    CHECK(mistaken(MESH "form r(u, v) at \"rim\" = dx(u)*v\n", "gradients exist within"));
    CHECK(mistaken(MESH "field g on nodes = dx(f)\n", "gradients exist within"));
    CHECK(mistaken(MESH "measure m = max(dx(f))\n", "gradients exist within"));
    CHECK(mistaken(MESH "measure m = integral(dx(f)) at \"rim\"\n",
                   "gradients exist within"));
    program_free(parse_good(MESH "measure m = integral(dx(f))\n"));
}

TEST(values_of_cells_come_from_files_and_stay_in_cells)
{
    static const char *const wrong[] = {
        "measure m = max(k)\n", "measure m = integral(k) at \"rim\"\n",
        "form r(u, v) at \"rim\" = k*u*v\n", "field g on nodes = k\n"};
    char source[256];
    for (size_t n = 0; n < COUNT_OF(wrong); n++) {
        (void)snprintf(source, sizeof source, "%sfield k on cells = \"k.npy\"\n%s", MESH,
                       wrong[n]);
        CHECK(mistaken(source, "'k' has values in cells only"));
    }
    CHECK(mistaken(MESH "field k on cells = x\n", "has its values from a file"));
    CHECK(mistaken(MESH "field k on cells = \"k.npy\"\noutput k\n",
                   "files hold values of nodes"));
    CHECK(mistaken(MESH "field k on cells = \"k.npy\"\nmeasure m = integral(dx(k))\n",
                   "a field on nodes"));
}

TEST(names_have_values_where_they_are_read)
{
    CHECK(mistaken(MESH "measure m = max(u)\n", "'u' has no value here"));
    CHECK(mistaken(MESH "measure m = f\n", "differs from point to point"));
    CHECK(mistaken(MESH "measure m = max(h)\n", "'h' belongs to grids"));
    CHECK(mistaken(MESH "measure m = norm(f)\n", "sqrt(integral(u^2))"));
    CHECK(mistaken(MESH "param p = max(f)\noutput f\n", "'p' holds a reduction"));
    CHECK(mistaken("mesh square 4 layers 2 from z to 1\n", "not on 'z'"));
    program_free(parse_good(POISSON "measure m = max(u)\n"));
}

TEST(statements_of_grids_are_refused_on_a_mesh_and_the_other_way_round)
{
    CHECK(mistaken(MESH "steps 3\n", "'steps' belongs to programs on a grid"));
    CHECK(mistaken(MESH "grid x 3\n", "'grid' belongs to programs on a grid"));
    CHECK(mistaken(MESH "u' = u\n", "an update belongs to programs on a grid"));
    CHECK(mistaken(LINE "u' = integral(u)\n", "unknown function 'integral'"));
    CHECK(mistaken(POISSON "border neumann u = 1\n", "a flux is a form over a border"));
    CHECK(mistaken(MESH "output f into \"f.csv\"\n", ".vtu"));
    CHECK(mistaken(MESH "output f, f into \"f.npy\"\n", "an array shows one field"));
    CHECK(mistaken(MESH "output f into \"f.png\"\n", "'layer 8', or a cut"));
}

TEST(a_mesh_is_a_shape_or_a_file_once)
{
    CHECK(mistaken("mesh cube 4 layers 3\n", "'cube' is no mesh"));
    CHECK(mistaken("mesh square 4\n", "'layers' is missing"));
    CHECK(mistaken("mesh square 4 layers 0\n", "the number of layers"));
    CHECK(mistaken("mesh square 4 layers 3 grading 0\n", "between 0 and 1000"));
    CHECK(mistaken(MESH "mesh square 4 layers 3\n", "declared already"));
    CHECK(mistaken("mesh square 4 layers 3\n", "asks for nothing"));
}
