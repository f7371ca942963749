/* SPDX-License-Identifier: BSD-3-Clause */
/* Programs on a mesh: generated kernels agree with the textbook's prism, all devices and
 * numbers of threads give the same bits, and solutions agree with known ones. */
#include <stdlib.h>
#include <unistd.h>

#include "fem/gpu/fem_gpu_private.h"
#include "fem_helper.h"
#include "io/io.h"

/* A program and its run. open_text moves each coordinate of a node by up to half of
 * `crooked`. */
typedef struct opened {
    pav_program *p;
    pav_device *device;
    pav_mesh_run *run;
} opened;

static opened open_text(const char *source, const char *device, int threads,
                        double crooked)
{
    const pav_mesh_run_options options = {.threads = threads, .no_files = 1};
    opened o = {.p = NULL};
    REQUIRE_OK(pav_program_parse(source, strlen(source), NULL, &o.p));
    REQUIRE_OK(pav_device_open(device, &o.device));
    REQUIRE_OK(pav_mesh_run_open(o.p, o.device, &options, &o.run));
    pav_mesh *m = o.run->mesh;
    for (int64_t k = 0; k < 3 * m->nodes; k++)
        m->at[k % 3][k / 3] += crooked * (random_at(7, k, 0, 0) - 0.5);
    return o;
}

static void close_run(opened *o)
{
    pav_mesh_run_free(o->run);
    pav_device_free(o->device);
    pav_program_free(o->p);
}

#define SMALL "mesh square 3 layers 5\nfield u on nodes, c on nodes = 1 + x*y + z\n"
#define REST "form L(v) = v\nsolve a = L by cg to 1e-8\n"

/* Applies the first form of a program to u. */
static void apply_form(const opened *o, element_parts parts, const double *u, double *y)
{
    const symbol *f = o->run->p->forms.item[0];
    const element_source source = {.kind = ELEMENT_PRISM,
                                   .parts = parts,
                                   .form = f->value,
                                   .test = f->argument[f->arguments - 1],
                                   .real = PAV_F64};
    element k;
    REQUIRE_OK(form_open(o->run, &source, &k));
    memset(y, 0, (size_t)o->run->mesh->nodes * sizeof *y);
    const form_sweep s = {o->run, &k, NULL, u, y};
    REQUIRE_OK(form_sweep_add(&s));
    element_close(&k);
}

static double *padded(const pav_mesh *m, uint64_t seed)
{
    double *u = mem_new(m->nodes + MESH_PADDING, sizeof *u);
    for (int64_t k = 0; u && k < m->nodes; k++)
        u[k] = random_at(seed, k, 0, 0) - 0.5;
    return u;
}

TEST(a_generated_kernel_is_the_textbooks_prism_on_crooked_cells)
{
    opened o = open_text(SMALL "form a(u, v) = 2*dot(grad(u), grad(v)) - 3*u*v\n" REST,
                         "interpreter", 0, 0.05);
    const pav_mesh *m = o.run->mesh;
    double *u = padded(m, 1), *y = padded(m, 2), *known = zero_vector(m);
    apply_form(&o, ELEMENT_ALL, u, y);
    prism_reference_action(m, (pav_form){2, -3}, u, known);
    CHECK(far_apart(y, known, m->nodes) < 1e-13);
    mem_free(u);
    mem_free(y);
    mem_free(known);
    close_run(&o);
}

TEST(derivatives_written_out_and_lets_give_the_same_form)
{
    opened dot = open_text(SMALL "form a(u, v) = dot(grad(u), grad(v))\n" REST,
                           "interpreter", 0, 0.05),
           out = open_text(SMALL "let flux(w) = -grad(w)\nlet part(p, q) = p*q\n"
                                 "form a(u, v) = part(dx(u), dx(v)) + dy(u)*dy(v) + "
                                 "dz(v)*dz(u)/2 - 0.25*dot(flux(u), flux(v)) + "
                                 "0.25*dot(grad(u), grad(v)) + 0.5*dz(u)*dz(v)\n" REST,
                           "interpreter", 0, 0.05);
    const pav_mesh *m = dot.run->mesh;
    double *u = padded(m, 1), *a = padded(m, 2), *b = padded(m, 3);
    apply_form(&dot, ELEMENT_ALL, u, a);
    apply_form(&out, ELEMENT_ALL, u, b);
    CHECK(far_apart(a, b, m->nodes) < 1e-13);
    mem_free(u);
    mem_free(a);
    mem_free(b);
    close_run(&dot);
    close_run(&out);
}

#define WITH_ALL                                                                         \
    "mesh disc 3 layers 9 from -0.1*x to 1 + 0.1*x*y grading 1.1\n"                      \
    "field u on nodes, c on nodes = 1 + x^2/4\n"                                         \
    "let exact = cos(2*x + y)*exp(z/2)\n"                                                \
    "let ex = -2*sin(2*x + y)*exp(z/2); ey = -sin(2*x + y)*exp(z/2); ez = exact/2\n"     \
    "form a(u, v) = c*dot(grad(u), grad(v)) - 2*exp(0)*u*v\n"                            \
    "form L(v) = c*(ex*dx(v) + ey*dy(v) + ez*dz(v)) - 2*exact*v\n"                       \
    "form r(u, v) at \"top\" = 2*u*v\nform g(v) at \"top\" = 2*exact*v\n"                \
    "form rw(u, v) at \"rim\" = (1 + z)*u*v\nform gw(v) at \"rim\" = (1 + z)*exact*v\n"  \
    "border u = exact at \"bottom\"\n"                                                   \
    "solve a + r + rw = L + g + gw by auto to 1e-10\n"                                   \
    "let l2(e) = sqrt(integral(e^2))\nmeasure error = l2(u - exact)\n"                   \
    "measure slope = sqrt(integral((dx(u) - ex)^2 + (dy(u) - ey)^2 + (dz(u) - ez)^2))\n"

static double *solved(const char *device, int threads, int64_t *count)
{
    opened o = open_text(WITH_ALL, device, threads, 0);
    const double *u;
    REQUIRE_OK(pav_mesh_run_finish(o.run));
    REQUIRE_OK(pav_mesh_run_values(o.run, "u", &u));
    *count = pav_mesh_sizes(pav_mesh_run_mesh(o.run)).nodes;
    double *copy = mem_new(*count, sizeof *copy);
    memcpy(copy, u, (size_t)*count * sizeof *copy);
    close_run(&o);
    return copy;
}

TEST(threads_and_the_compiler_change_no_bit)
{
    int64_t count;
    double *one = solved("interpreter", 1, &count),
           *three = solved("interpreter", 3, &count);
    CHECK(memcmp(one, three, (size_t)count * sizeof *one) == 0);
    mem_free(three);
    pav_device *cpu;
    if (pav_device_open("cpu", &cpu) == PAV_OK) {
        double *compiled = solved("cpu", 2, &count);
        CHECK(memcmp(one, compiled, (size_t)count * sizeof *one) == 0);
        mem_free(compiled);
        pav_device_free(cpu);
    } else {
        printf("skipped: compiled kernels: %s\n", pav_message());
    }
    mem_free(one);
}

static bool has_emulated(void)
{
    pav_device *device = emulated_gpu();

    pav_device_free(device);
    return device != NULL;
}

TEST(a_gpu_s_iterations_have_the_bits_of_the_processor)
{
    int64_t count;
    if (!has_emulated())
        return;
    double *host = solved("interpreter", 1, &count),
           *there = solved("emulated", 2, &count);
    CHECK(memcmp(host, there, (size_t)count * sizeof *host) == 0);
    mem_free(host);
    mem_free(there);
}

/* The GPU is opened by a thread of its own, while the host sets up. */
static void fails(const char *form, const char *sentence)
{
    char source[512];
    (void)snprintf(source, sizeof source,
                   "mesh square 2 layers 3\nfield u on nodes\nform a(u, v) = %s\n"
                   "form L(v) = v\nborder u = 0\nsolve a = L by cg to 1e-8\n",
                   form);
    opened o = open_text(source, "emulated", 1, 0);
    CHECK(pav_mesh_run_finish(o.run) != PAV_OK);
    CHECK_SAYS(sentence);
    close_run(&o);
}

TEST(a_failure_of_the_gpu_or_of_the_host_beside_it_is_the_solve_s)
{
    if (!has_emulated())
        return;
    fails("dx(u)*v", "not symmetric"); /* the host's, while the GPU opens */
    (void)setenv("PAV_CXX", "/bin/false", 1);
    fails("0.8711*dot(grad(u), grad(v))", "PAV_CXX");
    (void)unsetenv("PAV_CXX");
}

static const char *quickest(void)
{
    pav_device *cpu;

    if (pav_device_open("cpu", &cpu) != PAV_OK)
        return "interpreter";
    pav_device_free(cpu);
    return "cpu";
}

static void errors_of(int n, double error[2])
{
    char source[2048];
    (void)snprintf(source, sizeof source, "mesh disc %d layers %d %s", n, n * 3 / 2,
                   strstr(WITH_ALL, "from"));
    opened o = open_text(source, quickest(), 0, 0);
    REQUIRE_OK(pav_mesh_run_finish(o.run));
    REQUIRE_OK(pav_mesh_run_measure(o.run, "error", &error[0]));
    REQUIRE_OK(pav_mesh_run_measure(o.run, "slope", &error[1]));
    close_run(&o);
}

LONG_TEST(helmholtz_with_robin_borders_and_coefficients_converges_at_orders_2_and_1)
{
    double coarse[2], fine[2];
    errors_of(8, coarse);
    errors_of(16, fine);
    CHECK_NEAR(log2(coarse[0] / fine[0]), 2, 0.05);
    CHECK_NEAR(log2(coarse[1] / fine[1]), 1, 0.05);
}

/* -lap(u) + 4 dx(u) + dz(u) + u = f */
#define CARRIED                                                                          \
    "layers %d\nfield u on nodes\nlet exact = sin(x + 2*y)*exp(z)\n"                     \
    "form a(u, v) = dot(grad(u), grad(v)) + (4*dx(u) + dz(u) + u)*v\n"                   \
    "form L(v) = (4*cos(x + 2*y)*exp(z) + 6*exact)*v\n"                                  \
    "border u = exact\nsolve a = L by %s to 1e-10\n"                                     \
    "measure error = sqrt(integral((u - exact)^2))\n"

static double carried_error(int n, const char *device, const char *method)
{
    char source[1024];
    (void)snprintf(source, sizeof source, "mesh square %d " CARRIED, n, n, method);
    opened o = open_text(source, device, 0, 0);
    double error = 0;
    REQUIRE_OK(pav_mesh_run_finish(o.run));
    REQUIRE_OK(pav_mesh_run_measure(o.run, "error", &error));
    CHECK(strcmp(o.run->solved[0].method, "bicgstab") == 0);
    close_run(&o);
    return error;
}

TEST(what_is_carried_along_is_solved_by_bicgstab_at_order_2)
{
    const double coarse = carried_error(8, quickest(), "auto"),
                 fine = carried_error(16, quickest(), "bicgstab with jacobi");
    CHECK_NEAR(log2(coarse / fine), 2, 0.05);
}

/* Convection outweighs diffusion 20 times in a cell of the square, with streamline
 * diffusion by the user. Returns the iterations; *sum of the solution. */
static int64_t convected(int n, const char *device, const char *with, double *sum)
{
    char source[1024];
    (void)snprintf(source, sizeof source,
                   "param n = %d; tau = 1/(n*440)\nmesh square n layers n\n"
                   "field u on nodes, p on nodes = 400*x + 100*z\n"
                   "let carried(f) = dot(grad(p), grad(f))\n"
                   "form a(u, v) = dot(grad(u), grad(v))*8/n + carried(u)*v + "
                   "tau*carried(u)*carried(v)\nform L(v) = v + tau*carried(v)\n"
                   "border u = 0\nsolve a = L by bicgstab with %s to 1e-10\n"
                   "measure s = sum(u)\n",
                   n, with);
    opened o = open_text(source, device, 0, 0);
    REQUIRE_OK(pav_mesh_run_finish(o.run));
    REQUIRE_OK(pav_mesh_run_measure(o.run, "s", sum));
    const int64_t iterations = o.run->solved[0].result.iterations;
    close_run(&o);
    return iterations;
}

TEST(multigrid_solves_convection_in_iterations_that_do_not_grow)
{
    double by_grids, by_lines, there;
    CHECK(convected(8, quickest(), "multigrid", &by_grids) < 30);
    CHECK(convected(16, quickest(), "multigrid", &by_grids) < 30);
    (void)convected(16, quickest(), "column", &by_lines);
    CHECK_NEAR(by_grids / by_lines, 1, 1e-8);
    if (!has_emulated())
        return;
    (void)convected(4, "interpreter", "multigrid", &by_grids);
    (void)convected(4, "emulated", "multigrid", &there);
    CHECK(by_grids == there);
}

static double row_of(const pav_matrix *a, int64_t row, const double *u)
{
    double sum = 0;

    for (int64_t e = a->first[row]; e < a->first[row + 1]; e++)
        sum += a->value[e] * u[a->column[e]];
    return sum;
}

/* The matrix sums forms over the volume, lids and walls; one form is not symmetric. */
TEST(the_matrix_of_a_solve_is_its_forms)
{
    opened o = open_text(SMALL "form a(u, v) = c*dot(grad(u), grad(v)) + dx(u)*v\n"
                               "form r(u, v) at \"all\" = (2 + x)*u*v\nform L(v) = v\n"
                               "solve a + r = L for u by auto to 1e-8\n",
                         "interpreter", 2, 0.05);
    const pav_mesh *m = o.run->mesh;
    double *u = padded(m, 1), *y = zero_vector(m);
    pav_matrix a;
    REQUIRE_OK(pav_mesh_run_finish(o.run));
    REQUIRE_OK(pav_mesh_run_matrix(o.run, "u", &a));
    CHECK(a.rows == m->nodes && a.entries == a.first[a.rows]);
    static const element_kind kinds[] = {ELEMENT_PRISM, ELEMENT_WALL, ELEMENT_LID};
    for (int k = 0; k < 3; k++) {
        const symbol *f = o.run->p->forms.item[k > 0];
        const element_source source = {
            .kind = kinds[k], .form = f->value, .test = f->argument[1], .real = PAV_F64};
        element e;
        REQUIRE_OK(form_open(o.run, &source, &e));
        const form_sweep s = {o.run, &e, k ? "all" : NULL, u, y};
        REQUIRE_OK(form_sweep_add(&s));
        element_close(&e);
    }
    for (int64_t row = 0; row < a.rows; row++)
        CHECK_NEAR(row_of(&a, row, u), y[row], 1e-13);
    CHECK_STATUS(pav_mesh_run_matrix(o.run, "c", &a), PAV_EINVAL);
    CHECK_SAYS("does not solve for 'c'");
    mem_free(u);
    mem_free(y);
    close_run(&o);
}

static double cg_sum(const char *device, const char *with)
{
    char source[512];
    (void)snprintf(source, sizeof source,
                   SMALL "form a(u, v) = c*dot(grad(u), grad(v)) + u*v\n"
                         "form L(v) = exp(1)*v\nborder u = x at \"top\"\n"
                         "solve a = L by cg with %s to 1e-8\nmeasure m = sum(u)\n",
                   with);
    opened o = open_text(source, device, 0, 0);
    double sum = 0;
    REQUIRE_OK(pav_mesh_run_finish(o.run));
    REQUIRE_OK(pav_mesh_run_measure(o.run, "m", &sum));
    close_run(&o);
    return sum;
}

TEST(every_method_and_preconditioner_has_the_same_bits_on_a_gpu)
{
    static const char *const with[] = {"column", "jacobi", "none", "multigrid"};
    if (!has_emulated())
        return;
    for (int k = 0; k < 4; k++)
        CHECK(cg_sum("interpreter", with[k]) == cg_sum("emulated", with[k]));
    CHECK(carried_error(4, "interpreter", "auto") ==
          carried_error(4, "emulated", "auto"));
}

static void check_cuda(const opened *o, element_kind kind, int form)
{
    static const int architectures[] = {80, 90, 100};
    const symbol *f = o->run->p->forms.item[form];
    const element_source source = {.kind = kind,
                                   .form = f->value,
                                   .test = f->argument[f->arguments - 1],
                                   .real = PAV_F64};
    element k;
    REQUIRE_OK(form_open(o->run, &source, &k));
    for (size_t a = 0; a < COUNT_OF(architectures); a++) {
        text t = {0}, stats = {0};
        REQUIRE_OK(form_gpu_source(&k, &t));
        CHECK_STATUS(gpu_try_compile(architectures[a], t.data, t.length, &stats), PAV_OK);
        CHECK(stats.length > 0 && strstr(stats.data, "form_sums: "));
        text_free(&t);
        text_free(&stats);
    }
    element_close(&k);
}

#define ON_CELLS                                                                         \
    "layers 2\nfield u on nodes\nfield k on cells = \"%s\"\n"                            \
    "form a(u, v) = k*dot(grad(u), grad(v))\nform L(v) = v\n"                            \
    "border u = 0 at \"bottom\"\nsolve a = L by auto to 1e-10\n"                         \
    "measure mx = integral(k*x)\nmeasure mz = integral(k*z)\nmeasure s = sum(u)\n"

TEST(nvrtc_takes_generated_forms_for_every_architecture)
{
    char source[1024];
    const char *file;
    if (!library_open("NVRTC", &file)) {
        test_skip("NVRTC", "there is none here");
        return;
    }
    extern const char mesh_vectors[];
    text stats = {0};
    CHECK_STATUS(gpu_try_compile(90, mesh_vectors, (int64_t)strlen(mesh_vectors), &stats),
                 PAV_OK);
    CHECK(stats.length > 0 && strstr(stats.data, "mesh_product: "));
    text_free(&stats);
    opened o = open_text(WITH_ALL, "interpreter", 0, 0);
    check_cuda(&o, ELEMENT_PRISM, 0);
    check_cuda(&o, ELEMENT_LID, 2);
    check_cuda(&o, ELEMENT_WALL, 4);
    close_run(&o);
    (void)snprintf(source, sizeof source, "mesh square 1 " ON_CELLS, "k.npy");
    o = open_text(source, "interpreter", 0, 0);
    check_cuda(&o, ELEMENT_PRISM, 0);
    close_run(&o);
}

/* Temperatures of a chip in kelvins: given values of 300 are large against unknown
 * differences of 1. `scale` makes all coefficients very small or very large. */
static void check_scaled(double scale, const char *method)
{
    char source[512];
    (void)snprintf(source, sizeof source,
                   "mesh square 4 layers 4\nfield u on nodes\n"
                   "form a(u, v) = %g*dot(grad(u), grad(v))\nform L(v) = 0*v\n"
                   "border u = 300 at \"bottom\"\nborder u = 301 at \"top\"\n"
                   "solve a = L by %s to 1e-8\nmeasure e = max(abs(u - 300 - z))\n",
                   scale, method);
    opened o = open_text(source, "interpreter", 0, 0);
    double error = 1;
    REQUIRE_OK(pav_mesh_run_finish(o.run));
    REQUIRE_OK(pav_mesh_run_measure(o.run, "e", &error));
    CHECK(error < 1e-5);
    close_run(&o);
}

TEST(tolerances_are_beside_what_is_unknown_whatever_the_scale)
{
    static const char *const method[] = {"cg", "minres", "bicgstab"};
    for (int k = 0; k < 3; k++) {
        check_scaled(1e-12, method[k]);
        check_scaled(1e6, method[k]);
    }
}

TEST(a_tolerance_below_rounding_is_refused_by_the_solution_s_own_residual)
{
    static const char *const method[] = {"cg", "minres", "bicgstab"};
    char source[512];
    for (int k = 0; k < 3; k++) {
        (void)snprintf(source, sizeof source,
                       "mesh square 4 layers 4\nfield u on nodes\n"
                       "form a(u, v) = dot(grad(u), grad(v)) + u*v\nform L(v) = x*v\n"
                       "solve a = L by %s to 1e-20\n",
                       method[k]);
        opened o = open_text(source, "interpreter", 0, 0);
        CHECK_STATUS(pav_mesh_run_finish(o.run), PAV_ECONVERGE);
        close_run(&o);
    }
}

#define BARE "mesh square 1 layers 2\nfield u on nodes\n"

TEST(what_is_singular_or_not_finite_is_refused_by_every_method)
{
    static const char *const method[] = {"cg", "minres", "bicgstab"};
    char source[512];
    for (int k = 0; k < 6; k++) {
        (void)snprintf(source, sizeof source,
                       BARE
                       "form a(u, v) = %s\nform L(v) = v\nsolve a = L by %s with none "
                       "to 1e-8\n",
                       k < 3 ? "0*u*v" : "dot(grad(u), grad(v)) + 1/(x - 0.5)^2*0*u*v",
                       method[k % 3]);
        opened o = open_text(source, quickest(), 0, 0);
        CHECK(pav_mesh_run_finish(o.run) != PAV_OK);
        CHECK(strstr(pav_message(), "singular") || strstr(pav_message(), "10000") ||
              strstr(pav_message(), "not finite"));
        close_run(&o);
    }
    opened o = open_text(BARE
                         "form a(u, v) = dot(grad(u), grad(v))\nform L(v) = v\n"
                         "border u = 1/x at \"rim\"\nsolve a = L by minres to 1e-8\n",
                         quickest(), 0, 0);
    CHECK_STATUS(pav_mesh_run_finish(o.run), PAV_EINVAL);
    CHECK_SAYS("not finite");
    close_run(&o);
}

TEST(bicgstab_continues_where_the_residual_turns_away)
{
    opened o = open_text("mesh square 8 layers 2\nfield u on nodes\n"
                         "form a(u, v) = 0.01*dot(grad(u), grad(v)) + 4*dx(u)*v\n"
                         "form L(v) = v\nborder u = 0 at \"rim\"\n"
                         "solve a = L by auto to 1e-8\n",
                         quickest(), 0, 0);
    REQUIRE_OK(pav_mesh_run_finish(o.run));
    close_run(&o);
}

TEST(methods_for_symmetric_forms_refuse_others)
{
    static const char *const method[] = {"cg", "minres"};
    char source[1024];
    for (int k = 0; k < 2; k++) {
        (void)snprintf(source, sizeof source, "mesh square %d " CARRIED, 2, 2, method[k]);
        opened o = open_text(source, "interpreter", 0, 0);
        CHECK_STATUS(pav_mesh_run_finish(o.run), PAV_EUNSUPPORTED);
        CHECK_SAYS("solve by bicgstab");
        close_run(&o);
    }
}

TEST(a_matrix_of_columns_holds_the_image_of_each_node)
{
    opened o = open_text(SMALL "form a(u, v) = c*dot(grad(u), grad(v)) + u*v\n" REST,
                         "interpreter", 0, 0.05);
    const pav_mesh *m = o.run->mesh;
    const symbol *f = o.run->p->forms.item[0];
    const element_source source = {
        .kind = ELEMENT_PRISM, .form = f->value, .test = f->argument[1], .real = PAV_F64};
    double *u = padded(m, 1), *y = padded(m, 2);
    mesh_matrix all = {0}, own = {0};
    element k;
    REQUIRE_OK(form_open(o.run, &source, &k));
    const form_sweep s = {o.run, &k, NULL, u, y};
    REQUIRE_OK(mesh_matrix_open(m, true, 3 * m->levels, &all));
    REQUIRE_OK(mesh_matrix_open(m, false, 3 * m->levels, &own));
    REQUIRE_OK(form_sweep_matrix(&s, &all));
    REQUIRE_OK(form_sweep_matrix(&s, &own));
    for (int64_t node = 7; node < 11; node++) {
        memset(u, 0, (size_t)m->nodes * sizeof *u);
        memset(y, 0, (size_t)m->nodes * sizeof *y);
        u[node] = 1;
        REQUIRE_OK(form_sweep_add(&s));
        for (int64_t row = 0; row < m->nodes; row++) {
            const bool near = llabs(row % m->levels - node % m->levels) < 2;
            const double *a = near ? mesh_matrix_node(&all, row, node) : NULL;
            CHECK_NEAR(y[row], a ? *a : 0, 1e-14);
        }
        CHECK_NEAR(y[node + 1], *mesh_matrix_node(&own, node + 1, node), 1e-14);
    }
    element_close(&k);
    mesh_matrix_close(&all);
    mesh_matrix_close(&own);
    mem_free(u);
    mem_free(y);
    close_run(&o);
}

static double measured(const char *source, const char *device, const char *name)
{
    opened o = open_text(source, device, 0, 0);
    double value;
    REQUIRE_OK(pav_mesh_run_finish(o.run));
    REQUIRE_OK(pav_mesh_run_measure(o.run, name, &value));
    close_run(&o);
    return value;
}

/* Solves by multigrid: a positive form with a given coefficient. */
typedef struct multigrid_run {
    int64_t iterations;
    double sum, error, complexity;
    int grids;
} multigrid_run;

static multigrid_run by_multigrid(int n, const char *k, const char *device, int threads)
{
    char source[1024];
    multigrid_run result;
    (void)snprintf(source, sizeof source,
                   "mesh disc %d layers %d from 0 to 0.6 grading 1.1\n"
                   "field u on nodes\nlet exact = 1 + 2*x - 3*y + z\n"
                   "form a(u, v) = %s*dot(grad(u), grad(v)) + u*v\n"
                   "form L(v) = %s*(2*dx(v) - 3*dy(v) + dz(v)) + exact*v\n"
                   "form r(u, v) at \"top\" = 2*u*v\nform g(v) at \"top\" = 2*exact*v\n"
                   "border u = exact at \"rim\", \"bottom\"\n"
                   "solve a + r = L + g by multigrid to 1e-11\n"
                   "measure s = sum(u*(1 + x))\nmeasure e = max(abs(u - exact))\n",
                   n, n + n / 2, k, k);
    opened o = open_text(source, device, threads, 0);
    REQUIRE_OK(pav_mesh_run_finish(o.run));
    REQUIRE_OK(pav_mesh_run_measure(o.run, "s", &result.sum));
    REQUIRE_OK(pav_mesh_run_measure(o.run, "e", &result.error));
    result.iterations = o.run->solved[0].result.iterations;
    result.grids = o.run->solved[0].grids;
    result.complexity = o.run->solved[0].complexity;
    close_run(&o);
    return result;
}

#define JUMPS "where((x - 0.3)^2 + y^2 + (z - 0.3)^2 < 0.1, 10000, 1)"

TEST(multigrid_s_iterations_do_not_grow_with_the_resolution)
{
    const multigrid_run coarse = by_multigrid(5, "1", quickest(), 0),
                        middle = by_multigrid(10, "1", quickest(), 0),
                        fine = by_multigrid(20, "1", quickest(), 0);
    CHECK(coarse.iterations >= 3 && fine.iterations <= coarse.iterations + 5);
    CHECK(middle.iterations <= 14 && fine.iterations <= 14);
    CHECK(coarse.grids < fine.grids && fine.complexity < 1.6);
    CHECK(coarse.error < 1e-8 && middle.error < 1e-8 && fine.error < 1e-8);
}

TEST(multigrid_stands_coefficients_that_jump)
{
    const multigrid_run coarse = by_multigrid(6, JUMPS, quickest(), 0),
                        fine = by_multigrid(16, JUMPS, quickest(), 0);
    CHECK(coarse.iterations <= 18 && fine.iterations <= 24);
    CHECK(coarse.error < 1e-8 && fine.error < 1e-8);
}

TEST(multigrid_has_the_same_bits_for_every_number_of_threads_and_device)
{
    const multigrid_run one = by_multigrid(5, JUMPS, "interpreter", 1);
    for (int threads = 2; threads <= 3; threads++)
        CHECK(by_multigrid(5, JUMPS, quickest(), threads).sum == one.sum);
    if (has_emulated())
        CHECK(by_multigrid(5, JUMPS, "emulated", 2).sum == one.sum);
}

/* The host takes 128 levels of a row at a time. */
TEST(multigrid_on_long_columns_has_the_same_bits_on_a_gpu)
{
    static const char source[] =
        "mesh disc 2 layers 150\nfield u on nodes\n"
        "form a(u, v) = dot(grad(u), grad(v))\nform L(v) = (1 + y)*v\n"
        "border u = x at \"top\"\nsolve a = L by multigrid to 1e-10\n"
        "measure m = sum(u*(1 + z))\n";
    if (has_emulated())
        CHECK(measured(source, "interpreter", "m") == measured(source, "emulated", "m"));
}

static const char *method_of(const char *form, const char *border, const char *method,
                             pav_status want)
{
    static char found[64];
    char source[512];
    (void)snprintf(source, sizeof source,
                   "mesh square 6 layers 4\nfield u on nodes\nform a(u, v) = %s\n"
                   "form L(v) = (x - 0.5)*v\n%ssolve a = L by %s to 1e-6\n",
                   form, border, method);
    opened o = open_text(source, "interpreter", 0, 0);
    CHECK_STATUS(pav_mesh_run_finish(o.run), want);
    const struct form_solved *s = &o.run->solved[0];
    (void)snprintf(found, sizeof found, "%s %s", s->method,
                   s->preconditioner ? s->preconditioner : "column");
    close_run(&o);
    return found;
}

#define LAPLACE "dot(grad(u), grad(v))"
#define ON_TOP "border u = 0 at \"top\"\n"

TEST(auto_takes_multigrid_for_positive_forms)
{
    CHECK_STR(method_of(LAPLACE, ON_TOP, "auto", PAV_OK), "cg multigrid");
    CHECK_STR(method_of(LAPLACE " + u*v", "", "auto", PAV_OK), "cg multigrid");
    CHECK_STR(method_of(LAPLACE, "", "auto", PAV_OK), "cg column");
    CHECK_STR(method_of(LAPLACE " - 90*u*v", ON_TOP, "auto", PAV_OK), "minres column");
    CHECK_STR(method_of(LAPLACE " + dx(u)*v", ON_TOP, "auto", PAV_OK), "bicgstab column");
    CHECK_STR(method_of(LAPLACE " + dx(u)*v", ON_TOP, "multigrid", PAV_OK),
              "bicgstab multigrid");
    CHECK_STR(method_of(LAPLACE, ON_TOP, "multigrid with column", PAV_OK), "cg column");
    CHECK_STR(method_of(LAPLACE, ON_TOP, "minres(preconditioner = multigrid)", PAV_OK),
              "minres multigrid");
}

TEST(multigrid_refuses_forms_that_are_singular_or_not_positive)
{
    (void)method_of(LAPLACE, "", "multigrid", PAV_EUNSUPPORTED);
    CHECK_SAYS("coarse grid of multigrid is singular or not positive");
    (void)method_of(LAPLACE " - 90*u*v", ON_TOP, "multigrid", PAV_EUNSUPPORTED);
    CHECK_SAYS("take the preconditioner column");
    (void)method_of(LAPLACE "/(x - x)", ON_TOP, "multigrid", PAV_EINVAL);
    CHECK_SAYS("not finite");
}

TEST(integrals_and_sums_are_those_of_the_calculus)
{
    CHECK_NEAR(
        measured("mesh square 3 layers 4 from 0 to 2\nmeasure m = integral(x*y*z)\n",
                 "interpreter", "m"),
        0.5, 1e-13);
    CHECK_NEAR(
        measured("mesh square 3 layers 4\nfield f on nodes = x - 2*y + 3*z\n"
                 "measure m = integral(dx(f)^2 + dy(f)^2 + dot(grad(f), grad(f)))\n",
                 "interpreter", "m"),
        19, 1e-12);
    CHECK_NEAR(measured("mesh square 3 layers 4\nparam k = 2\nmeasure m = max(k*x) + "
                        "min(y) + sum(0*x + 1)\nmeasure n = m + 1\n",
                        "interpreter", "n"),
               2 + 80 + 1, 1e-13);
}

static void check_refused(const char *source, pav_status status, const char *word)
{
    opened o = open_text(source, "interpreter", 0, 0);
    CHECK_STATUS(pav_mesh_run_finish(o.run), status);
    CHECK_SAYS(word);
    close_run(&o);
}

static const char areas[] = "mesh square 3 layers 4 from 0 to 1 + x\n"
                            "measure top = integral(1) at \"top\"\n"
                            "measure rim = integral(y*z) at \"rim\"\n"
                            "let over(e) = integral(e) at \"all\"\n"
                            "measure all = over(1)\n";

/* The top leans by 45 degrees. Walls: heights 1 and 2 at y from 0 to 1, and 1 + x at
 * y = 1. */
TEST(integrals_over_a_border_are_exact_for_leaning_faces)
{
    CHECK_NEAR(measured(areas, "interpreter", "top"), sqrt(2), 1e-13);
    CHECK_NEAR(measured(areas, "interpreter", "rim"), 0.25 + 1 + 7.0 / 6, 1e-13);
    CHECK_NEAR(measured(areas, "interpreter", "all"), 1 + sqrt(2) + 6, 1e-13);
    CHECK(measured(areas, quickest(), "all") == measured(areas, "interpreter", "all"));
    check_refused("mesh disc 2 layers 1\nmeasure m = integral(1) at \"rin\"\n",
                  PAV_EINVAL, ":2: there is no border 'rin'; did you mean 'rim'");
}

/* Triangles 0 and 1 of the square are its halves below and above the diagonal; values 8
 * and 4 in the upper layer: integrals of x are 8/12 + 4/6/2 and so on. */
TEST(values_of_cells_stand_in_the_order_of_triangles_and_layers_of_their_file)
{
    static const double k[4][2] = {{1, 8}, {1, 4}}, wrong[2][2] = {{1, 2}, {NAN, 3}};
    char source[1024], made[] = "/tmp/pavior-forms-XXXXXX", path[64];
    REQUIRE(mkdtemp(made));
    (void)snprintf(path, sizeof path, "%s/cells.npy", made);
    REQUIRE_OK(npy_write_table(path, &k[0][0], 2, 2));
    (void)snprintf(source, sizeof source, "mesh square 1 " ON_CELLS, path);
    CHECK_NEAR(measured(source, "interpreter", "mx"), 9.0 / 6 + 5.0 / 12 + 0, 1e-13);
    CHECK_NEAR(measured(source, "interpreter", "mz"), 0.125 + 0.375 * 6, 1e-13);
    CHECK(measured(source, "interpreter", "s") == measured(source, quickest(), "s"));
    if (has_emulated())
        CHECK(measured(source, "interpreter", "s") == measured(source, "emulated", "s"));
    (void)snprintf(source, sizeof source, "mesh square 2 " ON_CELLS, path);
    check_refused(source, PAV_EFORMAT,
                  "holds 2 rows and 4 values; the field 'k' needs 8 triangles");
    REQUIRE_OK(npy_write_table(path, &wrong[0][0], 2, 2));
    (void)snprintf(source, sizeof source, "mesh square 1 " ON_CELLS, path);
    check_refused(source, PAV_EFORMAT, "field k: value 0 of row 1 of ");
    CHECK(unlink(path) == 0 && rmdir(made) == 0);
    check_refused(source, PAV_EIO, ":3: ");
}

/* Known solution u = 2 + 3*(1 - z): value 2 on top, flux 3 at the bottom, no flux through
 * the walls. */
TEST(a_flux_through_a_border_is_a_form_over_it)
{
    static const char source[] =
        "mesh square 3 layers 4\nfield u on nodes\n"
        "form a(u, v) = dot(grad(u), grad(v))\nform L(v) = 0*v\n"
        "form g(v) at \"bottom\" = 3*v\nborder u = 2 at \"top\"\n"
        "solve a = L + g by cg to 1e-12\nmeasure m = max(abs(u - (2 + 3*(1 - z))))\n";
    CHECK(measured(source, "interpreter", "m") < 1e-9);
}

TEST(what_cannot_be_solved_is_refused_with_the_reason)
{
    check_refused(SMALL
                  "form a(u, v) = dot(grad(u), grad(v))\nborder u = 0 at \"rin\"\n" REST,
                  PAV_EINVAL, "rim");
    check_refused(SMALL "form a(u, v) at \"side\" = u*v\n" REST, PAV_EINVAL, "side");
    check_refused(SMALL "output c into \"c.png\" layer 6\n", PAV_EINVAL, "0 to 5");
    check_refused(SMALL "expect max(c) < 2 and 1 < 2\nexpect min(c) > 5\n", PAV_EEXPECT,
                  "min(c) > 5: 1 and 5");
    check_refused(SMALL "measure m = max(1/x)\n", PAV_EINVAL, "max is inf");
}

TEST(what_is_the_same_in_all_cells_reaches_compiled_kernels)
{
    static const char source[] =
        "mesh square 2 layers 3\nfield u on nodes, c on nodes = exp(2) + 0*x\n"
        "form a(u, v) = exp(2)*sin(1)*u*v\nform L(v) = c*sin(1)*v\n"
        "solve a = L by cg to 1e-13\nmeasure m = max(abs(u - 1))\n";
    CHECK(measured(source, "interpreter", "m") < 1e-11);
    pav_device *cpu;
    if (pav_device_open("cpu", &cpu) != PAV_OK) {
        printf("skipped: compiled kernels: %s\n", pav_message());
        return;
    }
    pav_device_free(cpu);
    CHECK(measured(source, "cpu", "m") < 1e-11);
}

TEST(a_run_that_is_finished_twice_gives_the_same)
{
    opened o = open_text(WITH_ALL, "interpreter", 1, 0);
    double first, second;
    REQUIRE_OK(pav_mesh_run_finish(o.run));
    REQUIRE_OK(pav_mesh_run_measure(o.run, "error", &first));
    REQUIRE_OK(pav_mesh_run_finish(o.run));
    REQUIRE_OK(pav_mesh_run_measure(o.run, "error", &second));
    CHECK(first == second);
    close_run(&o);
}
