/* SPDX-License-Identifier: BSD-3-Clause */
/* Every function of the interface takes NULL for each of its pointers: the function
 * refuses, or does nothing. Each call runs in its own process, so that a crash is
 * reported by name. */
#include <stdio.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>

#include "opened.h"

static const char sampled[] = "grid x 8 from 0 to 1\nfield u = x\nu' = u\nborder u = 0\n"
                              "steps 2\nsample u at (0.5) into \"s.csv\"\n";

static bool survives(const char *call, pid_t child)
{
    int status = -1;

    REQUIRE(child > 0 && waitpid(child, &status, 0) == child);
    if (status != 0)
        printf("%s: %s\n", call, WIFSIGNALED(status) ? "crashes" : "gives PAV_OK");
    return status == 0;
}

#define REFUSED(call)                                                                    \
    do {                                                                                 \
        const pid_t child = fork();                                                      \
        if (child == 0)                                                                  \
            _exit((call) == PAV_OK);                                                     \
        CHECK(survives(#call, child));                                                   \
    } while (0)
#define HARMLESS(call)                                                                   \
    do {                                                                                 \
        const pid_t child = fork();                                                      \
        if (child == 0) {                                                                \
            (void)(call);                                                                \
            _exit(0);                                                                    \
        }                                                                                \
        CHECK(survives(#call, child));                                                   \
    } while (0)
#define NOTHING(call)                                                                    \
    do {                                                                                 \
        const pid_t child = fork();                                                      \
        if (child == 0) {                                                                \
            call;                                                                        \
            _exit(0);                                                                    \
        }                                                                                \
        CHECK(survives(#call, child));                                                   \
    } while (0)

TEST(nothing_is_freed_where_nothing_is)
{
    NOTHING(pav_text_free(NULL));
    NOTHING(pav_device_free(NULL));
    NOTHING(pav_program_free(NULL));
    NOTHING(pav_run_free(NULL));
    NOTHING(pav_ranks_free(NULL));
    NOTHING(pav_bundle_free(NULL));
    NOTHING(pav_plan_free(NULL));
    NOTHING(pav_mesh_free(NULL));
    NOTHING(pav_prism_free(NULL));
    NOTHING(pav_mesh_run_free(NULL));
    CHECK_STATUS(pav_output_close(NULL), PAV_OK);
}

TEST(what_is_asked_of_nothing_has_an_answer)
{
    HARMLESS(pav_device_name(NULL));
    HARMLESS(pav_message_seconds(NULL, 2));
    HARMLESS(pav_program_dimensions(NULL));
    HARMLESS(pav_ranks_count(NULL));
    HARMLESS(pav_ranks_number(NULL));
    HARMLESS(pav_run_step(NULL));
    HARMLESS(pav_run_until(NULL));
    HARMLESS(pav_run_residuals(NULL, NULL, 1));
    HARMLESS(pav_run_checkpointed(NULL, NULL));
    HARMLESS(pav_run_items(NULL));
    HARMLESS(pav_bundle_device(NULL));
    HARMLESS(pav_plan_candidates(NULL));
    HARMLESS(pav_mesh_sizes(NULL).nodes);
    HARMLESS(pav_mesh_coordinates(NULL, 0));
    HARMLESS(pav_mesh_columns(NULL));
    HARMLESS(pav_mesh_border_name(NULL, 0));
    HARMLESS(pav_prism_seconds(NULL));
    HARMLESS(pav_program_on_mesh(NULL));
    HARMLESS(pav_mesh_run_mesh(NULL));
    HARMLESS(pav_wisdom_forget("no such name", NULL));
    HARMLESS(pav_ranks_meet(NULL, PAV_OK, NULL));
}

TEST(texts_and_devices_want_a_place)
{
    pav_device *d = NULL;
    pav_bundle *bundle = NULL;
    char *text = NULL;
    REFUSED(pav_device_open("interpreter", NULL));
    REFUSED(pav_doctor(0, NULL));
    REFUSED(pav_machine_measure(NULL, 1, NULL));
    REFUSED(pav_machine_measure(NULL, 1, &text));
    REFUSED(pav_catalogue(0, NULL));
    REFUSED(pav_ranks_open(NULL, NULL));
    REFUSED(pav_ranks_assume(2, NULL));
    REFUSED(pav_ranks_device(NULL, "interpreter", NULL));
    REFUSED(pav_ranks_device(NULL, "no-such", &d));
    REFUSED(pav_wisdom_text(0, NULL));
    REFUSED(pav_wisdom_import(NULL, 0, NULL));
    REFUSED(pav_bundle_open(NULL, &bundle));
    REFUSED(pav_bundle_open("/no/such/file", NULL));
    REFUSED(pav_check(NULL, NULL));
    REFUSED(pav_check_program(1, NULL));
    REFUSED(pav_figure_write(NULL, NULL));
    REFUSED(pav_figure_write("/no/such/folder/f.svg", &(pav_figure){0}));
    REFUSED(pav_figure_write("/no/such/folder/f.svg", NULL));
}

TEST(programs_want_a_description_and_a_place)
{
    pav_program *p = parse(sampled), *made = NULL;
    char *text = NULL;
    REFUSED(pav_program_load(NULL, NULL, &made));
    REFUSED(pav_program_load("heat2d", NULL, NULL));
    REFUSED(pav_program_parse(NULL, 3, NULL, &made));
    REFUSED(pav_program_parse("grid x 3", 8, NULL, NULL));
    REFUSED(pav_program_print(NULL, &text));
    REFUSED(pav_program_print(p, NULL));
    REFUSED(pav_program_explain(NULL, 0, &text));
    REFUSED(pav_program_explain(p, 0, NULL));
    REFUSED(pav_program_solver(NULL, &text));
    REFUSED(pav_program_solver(p, NULL));
    REFUSED(pav_program_generate(NULL, NULL, NULL, &text));
    REFUSED(pav_program_generate(p, NULL, NULL, NULL));
    REFUSED(pav_program_write(NULL, NULL, "/no/such/folder"));
    REFUSED(pav_program_write(p, NULL, NULL));
    REFUSED(pav_program_stats(NULL, NULL, &text));
    REFUSED(pav_program_stats(p, NULL, NULL));
    REFUSED(pav_mesh_explain(NULL, 0, &text));
    REFUSED(pav_mesh_explain(p, 0, NULL));
    REFUSED(pav_program_adjoint(NULL, 1, &text));
    REFUSED(pav_program_adjoint(p, 1, NULL));
    pav_program_free(p);
}

TEST(runs_want_a_program_a_device_and_a_place)
{
    opened o = open_text(sampled, NULL);
    pav_run *run = NULL;
    pav_plan *plan = NULL;
    pav_bench_result bench;
    pav_solve_result solved;
    char *text = NULL;
    REFUSED(pav_run_open(NULL, o.device, NULL, &run));
    REFUSED(pav_run_open(o.program, NULL, NULL, &run));
    REFUSED(pav_run_open(o.program, o.device, NULL, NULL));
    REFUSED(pav_plan_open(NULL, o.device, NULL, -1, &plan));
    REFUSED(pav_plan_open(o.program, NULL, NULL, -1, &plan));
    REFUSED(pav_plan_open(o.program, o.device, NULL, -1, NULL));
    REFUSED(pav_solve(NULL, o.device, NULL, NULL, 0, NULL, 0, &solved));
    REFUSED(pav_solve(o.program, NULL, NULL, NULL, 0, NULL, 0, NULL));
    REFUSED(pav_solve(o.program, o.device, NULL, NULL, 1, NULL, 1, NULL));
    REFUSED(pav_tune(NULL, o.device, NULL, &text));
    REFUSED(pav_tune(o.program, NULL, NULL, &text));
    REFUSED(pav_bundle_write(NULL, o.device, NULL, "/no/such/file"));
    REFUSED(pav_bundle_write(o.program, NULL, NULL, "/no/such/file"));
    REFUSED(pav_bundle_write(o.program, o.device, NULL, NULL));
    REFUSED(pav_kernels_write(NULL, 1, NULL, "/no/such/folder"));
    const char *const word[] = {"heat3d"};
    REFUSED(pav_kernels_write(word, 0, NULL, "/no/such/folder"));
    REFUSED(pav_kernels_write(word, 1, NULL, NULL));
    REFUSED(pav_run_verify(NULL, o.device, NULL, 1, &text));
    REFUSED(pav_run_verify(o.program, NULL, NULL, 1, &text));
    REFUSED(pav_bench_program(NULL, o.device, NULL, &bench));
    REFUSED(pav_bench_program(o.program, NULL, NULL, &bench));
    REFUSED(pav_bench_program(o.program, o.device, NULL, NULL));
    REFUSED(pav_bench_copy(o.device, NULL, NULL));
    close_opened(&o);
}

TEST(plans_want_a_plan_and_a_place)
{
    opened o = open_text(sampled, NULL);
    pav_plan *plan = NULL;
    pav_forecast forecast;
    pav_candidate candidate;
    char *text = NULL;
    REQUIRE_OK(pav_plan_open(o.program, o.device, NULL, -1, &plan));
    REFUSED(pav_plan_verdict(NULL));
    REFUSED(pav_plan_report(NULL, 0, &text));
    REFUSED(pav_plan_report(plan, 0, NULL));
    REFUSED(pav_plan_forecast(NULL, &forecast));
    REFUSED(pav_plan_forecast(plan, NULL));
    REFUSED(pav_plan_candidate(NULL, 0, &candidate));
    REFUSED(pav_plan_candidate(plan, 0, NULL));
    pav_plan_free(plan);
    close_opened(&o);
}

TEST(a_lent_field_wants_a_run_a_name_and_a_place)
{
    opened o = open_text(sampled, NULL);
    pav_device_view there;
    double v[8] = {0};
    REFUSED(pav_field_device(NULL, "u", 0, &there));
    REFUSED(pav_field_device(o.run, NULL, 0, &there));
    REFUSED(pav_field_device(o.run, "u", 0, NULL));
    REFUSED(pav_field_write_device(NULL, "u", 0, v, 8));
    REFUSED(pav_field_write_device(o.run, NULL, 0, v, 8));
    REFUSED(pav_field_write_device(o.run, "u", 0, NULL, 8));
    close_opened(&o);
}

TEST(what_a_run_holds_wants_a_run_and_a_place)
{
    pav_output *output;
    opened o = open_text(sampled, NULL);
    double v[8] = {0};
    int64_t step = 0;
    pav_item item;
    pav_view view;
    char *png;
    size_t bytes;
    char *text = NULL;
    REFUSED(pav_run_steps(NULL, 1));
    REFUSED(pav_run_finish(NULL));
    REFUSED(pav_run_checkpoint(NULL, "/no/such/file"));
    REFUSED(pav_run_checkpoint(o.run, NULL));
    REFUSED(pav_run_check_name(NULL, "name"));
    REFUSED(pav_run_check_name(o.run, NULL));
    REFUSED(pav_run_get(NULL, "u", v));
    REFUSED(pav_run_get(o.run, NULL, v));
    REFUSED(pav_run_get(o.run, "u", NULL));
    REFUSED(pav_run_set(NULL, "u", 1));
    REFUSED(pav_run_set(o.run, NULL, 1));
    REFUSED(pav_run_describe(NULL, 0, &item));
    REFUSED(pav_run_describe(o.run, 0, NULL));
    REFUSED(pav_run_describe(o.run, INT64_MIN, &item));
    REFUSED(pav_run_report(NULL, 0, &text));
    REFUSED(pav_run_report(o.run, 0, NULL));
    REFUSED(pav_field_borrow(NULL, "u", 0, &view));
    REFUSED(pav_field_borrow(o.run, NULL, 0, &view));
    REFUSED(pav_field_borrow(o.run, "u", 0, NULL));
    REFUSED(pav_field_read(NULL, "u", 0, PAV_F64, v, 8));
    REFUSED(pav_field_read(o.run, NULL, 0, PAV_F64, v, 8));
    REFUSED(pav_field_read(o.run, "u", 0, PAV_F64, NULL, 8));
    REFUSED(pav_field_picture(NULL, "u", 0, 0, &png, &bytes));
    REFUSED(pav_field_picture(o.run, NULL, 0, 0, &png, &bytes));
    REFUSED(pav_field_picture(o.run, "u", 0, 0, NULL, &bytes));
    REFUSED(pav_field_picture(o.run, "u", 0, 0, &png, NULL));
    REFUSED(pav_output_open(NULL, "u", "/no/such/folder/u.npy", &output));
    REFUSED(pav_output_open(o.run, NULL, "/no/such/folder/u.npy", &output));
    REFUSED(pav_output_open(o.run, "u", NULL, &output));
    REFUSED(pav_output_open(o.run, "u", "/no/such/folder/u.npy", NULL));
    REFUSED(pav_output_write(NULL));
    REFUSED(pav_output_write_values(NULL, "u", v, 8));
    REFUSED(pav_field_write(NULL, "u", 0, PAV_F64, v, 8));
    REFUSED(pav_field_write(o.run, NULL, 0, PAV_F64, v, 8));
    REFUSED(pav_field_write(o.run, "u", 0, PAV_F64, NULL, 8));
    REFUSED(pav_sample_read(NULL, 0, &step, v, 1));
    REFUSED(pav_sample_read(o.run, 0, &step, NULL, 1));
    REFUSED(pav_sample_positions(NULL, 0, v, 1));
    REFUSED(pav_sample_positions(o.run, 0, NULL, 1));
    close_opened(&o);
}

/* Numbers past both ends. A number below INT_MIN must not wrap around to a valid one. */
TEST(samples_are_counted_from_0)
{
    static const int64_t numbers[] = {INT64_MIN, INT64_MIN + 1, -2, -1, 1, INT64_MAX};
    opened o = open_text(sampled, NULL);
    double v = 0;
    int64_t step = 0;
    for (int k = 0; k < 6; k++) {
        REFUSED(pav_sample_positions(o.run, numbers[k], &v, 1));
        REFUSED(pav_sample_read(o.run, numbers[k], &step, &v, 1));
    }
    CHECK_EQ(pav_sample_positions(o.run, 0, &v, 1), PAV_OK);
    close_opened(&o);
}

TEST(the_way_back_wants_a_program_a_device_and_a_place)
{
    opened o = open_text(sampled, NULL);
    const pav_adjoint_options none = {0};
    pav_adjoint_result result;
    pav_record_result record;
    double v[3];
    char *text = NULL;
    REFUSED(pav_adjoint_test(NULL, o.device, NULL, v, v + 1, v + 2));
    REFUSED(pav_adjoint_test(o.program, NULL, NULL, v, v + 1, v + 2));
    REFUSED(pav_adjoint_test(o.program, o.device, NULL, NULL, NULL, NULL));
    REFUSED(pav_gradient(NULL, o.device, NULL, &result));
    REFUSED(pav_gradient(o.program, NULL, &none, &result));
    REFUSED(pav_gradient(o.program, o.device, &none, NULL));
    REFUSED(pav_gradient(o.program, o.device, NULL, &result));
    REFUSED(pav_migrate(NULL, o.device, NULL, &result));
    REFUSED(pav_migrate(o.program, NULL, &none, &result));
    REFUSED(pav_migrate(o.program, o.device, &none, NULL));
    REFUSED(pav_migrate(o.program, o.device, NULL, &result));
    REFUSED(pav_record(NULL, o.device, NULL, &record));
    REFUSED(pav_record(o.program, NULL, &none, &record));
    REFUSED(pav_record(o.program, o.device, &none, NULL));
    REFUSED(pav_record(o.program, o.device, NULL, &record));
    REFUSED(pav_adjoint_plan(NULL, NULL, 0, &text));
    REFUSED(pav_adjoint_plan(o.program, &none, 0, NULL));
    close_opened(&o);
}

TEST(meshes_want_a_mesh_and_a_place)
{
    static const double points[9] = {0, 0, 0, 1, 0, 0, 0, 1, 0};
    static const int32_t triangle[3] = {0, 1, 2};
    const pav_form form = {1, 0};
    double u[256] = {0}, l2 = 0;
    pav_mesh *m = NULL, *made = NULL;
    pav_prism *prism = NULL, *other = NULL;
    pav_matrix matrix;
    REQUIRE_OK(pav_mesh_open("square:n=2", &(pav_mesh_options){.layers = 2}, &m));
    REQUIRE_OK(pav_prism_open(m, form, NULL, &prism));
    REFUSED(pav_mesh_open(NULL, NULL, &made));
    REFUSED(pav_mesh_open("square:n=2", NULL, NULL));
    REFUSED(pav_mesh_make(NULL, 3, triangle, 1, NULL, &made));
    REFUSED(pav_mesh_make(points, 3, NULL, 1, NULL, &made));
    REFUSED(pav_mesh_make(points, 3, triangle, 1, NULL, NULL));
    REFUSED(pav_prism_open(NULL, form, NULL, &other));
    REFUSED(pav_prism_open(m, form, NULL, NULL));
    REFUSED(pav_mesh_evaluate(NULL, "x", u));
    REFUSED(pav_mesh_evaluate(m, NULL, u));
    REFUSED(pav_mesh_evaluate(m, "x", NULL));
    REFUSED(pav_prism_rhs(NULL, u, u));
    REFUSED(pav_prism_rhs(prism, NULL, u));
    REFUSED(pav_prism_rhs(prism, u, NULL));
    REFUSED(pav_prism_action(NULL, u, u));
    REFUSED(pav_prism_action(prism, NULL, u));
    REFUSED(pav_prism_action(prism, u, NULL));
    REFUSED(pav_prism_assemble(NULL, &matrix));
    REFUSED(pav_prism_assemble(prism, NULL));
    REFUSED(pav_prism_multiply(NULL, u, u));
    REFUSED(pav_prism_multiply(prism, u, u)); /* nothing is assembled yet */
    REFUSED(pav_mesh_solve(NULL, &(pav_mesh_problem){0}, u, NULL));
    REFUSED(pav_mesh_solve(m, NULL, u, NULL));
    REFUSED(pav_mesh_solve(m, &(pav_mesh_problem){0}, NULL, NULL));
    REFUSED(pav_mesh_error(NULL, u, "x", NULL, &l2, NULL));
    REFUSED(pav_mesh_error(m, NULL, "x", NULL, &l2, NULL));
    REFUSED(pav_mesh_error(m, u, NULL, NULL, &l2, NULL));
    REFUSED(pav_mesh_error(m, u, "x", (const char *const[3]){"1", NULL, "0"}, &l2, NULL));
    REFUSED(pav_mesh_error(m, u, "x", NULL, NULL, NULL));
    REFUSED(pav_mesh_write(NULL, "/no/such/folder/m.vtu", NULL, NULL, 0));
    REFUSED(pav_mesh_write(m, NULL, NULL, NULL, 0));
    REFUSED(pav_mesh_write(m, "/no/such/folder/m.vtu", NULL, NULL, 1));
    REFUSED(pav_mesh_picture(NULL, "/no/such/folder/m.png", u, 0, NULL, NULL));
    REFUSED(pav_mesh_picture(m, NULL, u, 0, NULL, NULL));
    REFUSED(pav_mesh_picture(m, "/no/such/folder/m.png", NULL, 0, NULL, NULL));
    REFUSED(pav_mesh_picture(m, "/no/such/folder/m.png", u, -1, NULL, NULL));
    pav_prism_free(prism);
    pav_mesh_free(m);
}

TEST(runs_on_a_mesh_want_a_run_and_a_place)
{
    pav_program *p = parse("mesh square 2 layers 2\nfield c = x\noutput c\n");
    pav_mesh_run *run = NULL, *made = NULL;
    const double *values = NULL;
    double value = 0;
    pav_matrix matrix;
    char *text = NULL;
    REQUIRE_OK(pav_mesh_run_open(p, NULL, &(pav_mesh_run_options){.no_files = 1}, &run));
    REFUSED(pav_mesh_run_open(NULL, NULL, NULL, &made));
    REFUSED(pav_mesh_run_open(p, NULL, NULL, NULL));
    REFUSED(pav_mesh_run_finish(NULL));
    REFUSED(pav_mesh_run_values(NULL, "c", &values));
    REFUSED(pav_mesh_run_values(run, NULL, &values));
    REFUSED(pav_mesh_run_values(run, "c", NULL));
    REFUSED(pav_mesh_run_measure(NULL, "m", &value));
    REFUSED(pav_mesh_run_measure(run, NULL, &value));
    REFUSED(pav_mesh_run_measure(run, "m", NULL));
    REFUSED(pav_mesh_run_matrix(NULL, "c", &matrix));
    REFUSED(pav_mesh_run_matrix(run, NULL, &matrix));
    REFUSED(pav_mesh_run_matrix(run, "c", NULL));
    REFUSED(pav_mesh_run_plan(NULL, 0, &text));
    REFUSED(pav_mesh_run_plan(run, 0, NULL));
    REFUSED(pav_mesh_run_report(NULL, 0, &text));
    REFUSED(pav_mesh_run_report(run, 0, NULL));
    pav_mesh_run_free(run);
    pav_program_free(p);
}

/* ---- no function is left out ------------------------------------------------------- */

static char *text_of(const char *path)
{
    FILE *file = fopen(path, "rb");
    char *text = calloc(1, 1 << 17);
    REQUIRE(file && text);
    REQUIRE(fread(text, 1, (1 << 17) - 1, file) > 0);
    (void)fclose(file);
    return text;
}

TEST(every_function_that_takes_a_pointer_is_called_here)
{
    static const char *const without[] = {"pav_ranks_abort"}; /* it ends the process */
    char *header = text_of(TEST_SOURCE "/include/pavior.h");
    char *calls = text_of(TEST_SOURCE "/tests/api/test_null_arguments.c");
    int functions = 0;
    for (char *at = strstr(header, "\nPAV_API"); at; at = strstr(at + 1, "\nPAV_API")) {
        char name[64] = "";
        const char *open = strchr(at, '('), *close = strchr(at, ')'), *from = open;
        while (from[-1] == '_' || (from[-1] >= 'a' && from[-1] <= 'z'))
            from--;
        (void)snprintf(name, sizeof name, "%.*s(", (int)(open - from), from);
        functions++;
        if (memchr(open, '*', (size_t)(close - open)) &&
            strncmp(name, without[0], strlen(without[0])) != 0 && !strstr(calls, name)) {
            printf("%s is not called with NULL\n", name);
            CHECK(false);
        }
    }
    CHECK(functions > 90);
    free(header);
    free(calls);
}
