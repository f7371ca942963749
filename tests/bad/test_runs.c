/* SPDX-License-Identifier: BSD-3-Clause */
/* Descriptions that parse but cannot run: memory, values, calls in the wrong order. No
 * memory is lost and no call crashes. */
#include "bad_helper.h"

static void open_refused(const char *source, pav_status want, const char *phrase)
{
    CHECK_STATUS(open_text(source), want);
    CHECK(strstr(pav_message(), phrase));
    if (!strstr(pav_message(), phrase))
        printf("---- said: %s\n---- not: %s\n", pav_message(), phrase);
}

static pav_run *open_on(const char *name, const char *source, pav_program **program,
                        pav_device **device)
{
    const pav_run_options quiet = {.no_files = 1};
    pav_run *run = NULL;
    REQUIRE_OK(pav_program_parse(source, strlen(source), NULL, program));
    REQUIRE_OK(pav_device_open(name, device));
    REQUIRE_OK(pav_run_open(*program, *device, &quiet, &run));
    return run;
}

static pav_run *open_run(const char *source, pav_program **program, pav_device **device)
{
    return open_on("auto", source, program, device);
}

static pav_status run_on(const char *name, const char *source)
{
    pav_program *program = NULL;
    pav_device *device = NULL;
    pav_run *run = open_on(name, source, &program, &device);
    const pav_status status = pav_run_finish(run);
    pav_run_free(run);
    pav_device_free(device);
    pav_program_free(program);
    return status;
}

static pav_status run_text(const char *source)
{
    return run_on("auto", source);
}

TEST(a_grid_larger_than_memory_is_refused_before_it_is_taken)
{
    open_refused("grid x 1000000, y 1000000, z 1000\nfield u\nu' = u\nsteps 1",
                 PAV_ENOMEM, "PiB of memory");
}

TEST(a_grid_larger_than_64_bits_of_bytes_is_refused)
{
    open_refused("grid x 9223372036854775807\nfield u\nu' = u\nsteps 1", PAV_ESYNTAX,
                 "the grid is too large: its ");
    open_refused(
        "grid x 1000000, y 1000000, z 1000000\nfield u, v\nu' = prev(u, 3)\nsteps 1",
        PAV_ESYNTAX, "the grid is too large: its ");
}

TEST(a_halo_beyond_memory_is_survived)
{
    open_refused(
        "grid x 1, y 1000000000, z 1000\nfield u\nu' = u[1024,0,0] + u[0,1024,1024]\n"
        "border clamp\nsteps 1",
        PAV_ENOMEM, "iB");
}

TEST(more_positions_than_there_may_be_are_refused_at_once)
{
    open_refused("grid x 9\nfield u\nu' = u\nsample u along (0) to (1) count 2000000000\n"
                 "steps 1",
                 PAV_ELIMIT, "bad.pav:4: 2000000000 positions");
}

TEST(an_equation_that_its_method_cannot_solve_is_reported)
{
    open_refused(
        "grid x 9\nfield u\nfield f = 1\nsolve dxx(u) + u[1] - u[-1] = f for u by "
        "chebyshev to 1e-6\n"
        "border u = 0",
        PAV_EUNSUPPORTED, "bad.pav:4");
}

TEST(a_run_without_steps_is_reported)
{
    CHECK_STATUS(run_text("grid x 4\nfield u\nu' = u"), PAV_EINVAL);
    CHECK(strstr(pav_message(), "steps 100"));
}

#define CLOCK(dt, end) "grid x 8\nfield u = x\n" dt "\nu' = u + dt\n" end

TEST(a_dt_without_growing_times_is_refused_at_the_start)
{
    static const struct {
        const char *source, *waits;
    } row[] = {
        {CLOCK("param dt = 0", "until t >= 1"), "`until t >= 1`"},
        {CLOCK("param dt = -0.5", "until t > 1 every 10"), "`until t > 1`"},
        {CLOCK("param dt = min(u) - 1", "until t >= 1"), "`until t >= 1`"},
        {CLOCK("param dt = 0", "until t - 1 >= 0"), "`until t - 1 >= 0`"},
        {CLOCK("param dt = 0", "let late = t - 1\nuntil late >= 0"), "`until "},
        {CLOCK("param dt = 0", "until 1 <= t"), "`until 1 <= t`"},
        {CLOCK("param dt = 0", "until t >= 1 or max(u) < 0"), "max("},
        {CLOCK("param dt = 0", "output u every 0.1 time\nsteps 3"), "`every 0.1 time`"}};
    for (size_t k = 0; k < COUNT_OF(row); k++) {
        CHECK_STATUS(run_text(row[k].source), PAV_EINVAL);
        CHECK(strstr(pav_message(), "so t never grows, and `"));
        CHECK(strstr(pav_message(), row[k].waits));
    }
    CHECK_STATUS(run_text(CLOCK("param dt = 0", "until t >= 1\nsteps 3")), PAV_OK);
    CHECK_STATUS(run_text(CLOCK("param dt = 0", "until t >= 1\nuntil step >= 3")),
                 PAV_OK);
}

TEST(a_scalar_dt_that_stops_the_time_is_reported_with_its_step_on_every_device)
{
    static const char *const device[] = {"interpreter", "cpu", "emulated"};
    static const struct {
        const char *source, *phrase;
    } row[] = {
        {CLOCK("scalar dt = 0", "until t >= 1"), "step 0, at t = 0, the scalar dt is 0,"},
        {CLOCK("scalar dt = 1/4", "dt' = dt - 1/8\nuntil t >= 1"),
         "step 2, at t = 0.375, the scalar dt is 0,"},
        {CLOCK("scalar dt = 1/4", "dt' = -dt\nsteps 9"),
         "step 1, at t = 0.25, the scalar dt is -0.25,"},
        {CLOCK("scalar dt = 1/4", "dt' = sqrt(1/2 - step)/4\nuntil t >= 9"),
         "step 2, at t = 0.426777, the scalar dt is nan,"},
        {CLOCK("scalar dt = 1", "dt' = 1e-20\nuntil t >= 2"),
         "step 1, at t = 1, the scalar dt is 1e-20,"}};
    for (size_t k = 0; k < COUNT_OF(row) * COUNT_OF(device); k++) {
        const size_t r = k / COUNT_OF(device);
        CHECK_STATUS(run_on(device[k % COUNT_OF(device)], row[r].source), PAV_ENOTFINITE);
        CHECK(strstr(pav_message(), row[r].phrase));
        if (!strstr(pav_message(), row[r].phrase))
            printf("---- said: %s\n---- not: %s\n", pav_message(), row[r].phrase);
    }
}

TEST(a_border_that_becomes_nan_is_reported)
{
    CHECK_STATUS(
        run_text("grid x 8\nfield u = 1\nu' = u + u[1]\nborder u = log(1 - t)\nsteps 9"),
        PAV_ENOTFINITE);
    CHECK(strstr(pav_message(), "field u is not finite"));
}

TEST(a_param_that_becomes_nan_is_survived)
{
    const pav_status status = run_text(
        "grid x 8\nfield u = 1\nparam a = log(min(u) - 2)\nu' = a*u\nsteps 2");
    CHECK_STATUS(status, PAV_ENOTFINITE);
}

TEST(missing_arguments_are_refused)
{
    pav_program *program = NULL;
    pav_run *run = NULL;
    pav_device *device = NULL;
    char *text = NULL;
    double value;
    CHECK_STATUS(pav_program_parse(NULL, 3, NULL, &program), PAV_EINVAL);
    CHECK_STATUS(pav_program_parse("x", 1, NULL, NULL), PAV_EINVAL);
    CHECK_STATUS(pav_program_load(NULL, NULL, &program), PAV_EINVAL);
    CHECK_STATUS(pav_device_open(NULL, &device), PAV_OK);
    CHECK_STATUS(pav_run_open(NULL, device, NULL, &run), PAV_EINVAL);
    CHECK_STATUS(pav_run_steps(NULL, 1), PAV_EINVAL);
    CHECK_STATUS(pav_run_finish(NULL), PAV_EINVAL);
    CHECK_STATUS(pav_run_get(NULL, "a", &value), PAV_EINVAL);
    CHECK_STATUS(pav_run_report(NULL, 0, &text), PAV_EINVAL);
    CHECK_STATUS(pav_program_print(NULL, &text), PAV_EINVAL);
    CHECK_STATUS(pav_program_explain(NULL, 0, &text), PAV_EINVAL);
    pav_device_free(device);
    pav_run_free(NULL);
    pav_program_free(NULL);
    pav_text_free(NULL);
}

TEST(a_finished_run_may_be_finished_again)
{
    pav_program *program = NULL;
    pav_device *device = NULL;
    pav_run *run = open_run("grid x 8\nfield u = 1\nu' = u\nsteps 2", &program, &device);
    CHECK_STATUS(pav_run_finish(run), PAV_OK);
    CHECK_STATUS(pav_run_finish(run), PAV_OK);
    CHECK_EQ(pav_run_step(run), 2);
    CHECK_STATUS(pav_run_steps(run, -1), PAV_EINVAL);
    pav_run_free(run);
    pav_device_free(device);
    pav_program_free(program);
}

TEST(fields_are_requested_by_name_and_age_and_size)
{
    double values[8];
    pav_view view;
    pav_program *program = NULL;
    pav_device *device = NULL;
    pav_run *run = open_run("grid x 8\nfield u = 1\nu' = u\nsteps 2", &program, &device);
    CHECK_STATUS(pav_field_read(run, "u", 0, PAV_F64, values, 8), PAV_OK);
    CHECK_STATUS(pav_field_read(run, "u", 0, PAV_F64, values, 7), PAV_EINVAL);
    CHECK_STATUS(pav_field_read(run, "u", 9, PAV_F64, values, 8), PAV_EINVAL);
    CHECK_STATUS(pav_field_read(run, "u", -1, PAV_F64, values, 8), PAV_EINVAL);
    CHECK_STATUS(pav_field_read(run, "uu", 0, PAV_F64, values, 8), PAV_EINVAL);
    CHECK(strstr(pav_message(), "did you mean 'u'?"));
    CHECK_STATUS(pav_field_read(run, "u", 0, (pav_type)77, values, 8), PAV_EINVAL);
    CHECK_STATUS(pav_field_read(run, "u", 0, PAV_F64, NULL, 8), PAV_EINVAL);
    CHECK_STATUS(pav_field_read(run, NULL, 0, PAV_F64, values, 8), PAV_EINVAL);
    CHECK_STATUS(pav_field_borrow(run, "u", 0, NULL), PAV_EINVAL);
    CHECK_STATUS(pav_field_borrow(run, "v", 0, &view), PAV_EINVAL);
    CHECK(view.data == NULL);
    pav_run_free(run);
    pav_device_free(device);
    pav_program_free(program);
}

TEST(only_scalars_are_set_between_steps)
{
    double value;
    pav_program *program = NULL;
    pav_device *device = NULL;
    pav_run *run = open_run(
        "grid x 8\nparam a = 1\nscalar b = 2\nfield u = 1\nu' = a*b*u\nsteps 2", &program,
        &device);
    CHECK_STATUS(pav_run_set(run, "b", 3), PAV_OK);
    CHECK_STATUS(pav_run_get(run, "b", &value), PAV_OK);
    CHECK_NEAR(value, 3, 0);
    CHECK_STATUS(pav_run_set(run, "a", 3), PAV_EINVAL);
    CHECK(strstr(pav_message(), "scalar a"));
    CHECK_STATUS(pav_run_set(run, "u", 3), PAV_EINVAL);
    CHECK_STATUS(pav_run_get(run, "c", &value), PAV_EINVAL);
    pav_run_free(run);
    pav_device_free(device);
    pav_program_free(program);
}
