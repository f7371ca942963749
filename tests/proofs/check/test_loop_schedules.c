/* SPDX-License-Identifier: BSD-3-Clause */
/* The proof of kernels can fail: it finds padding other than NaN, and kernels of another
 * program. */
#include <stdio.h>

#include "check_helper.h"

static pav_status hold(const char *source, uint64_t seed)
{
    program *p = parse(source);
    const pav_status status = kernels_equal_rows(
        &(proof_case){.program = p, .seed = seed, .compiled = true});
    program_free(p);
    return status;
}

static bool can_compile(void)
{
    pav_device *device = NULL;
    const bool can = pav_device_open("cpu", &device) == PAV_OK;
    pav_device_free(device);
    return can;
}

TEST(kernels_of_all_storages_equal_the_interpreter)
{
    static const char *const storages[] = {"f32", "f64", "f32 stored bf16",
                                           "f32 stored f16", "f64 stored bf16"};
    for (size_t k = 0; can_compile() && k < COUNT_OF(storages); k++) {
        char source[300];
        snprintf(source, sizeof source,
                 "real %s\ngrid x 37, y 11, z 5\nfield u = random(1)\nfield v stored f16 "
                 "= x/40\nu' = u + 0.1*laplace(u) - v\nborder u periodic\n",
                 storages[k]);
        CHECK_STATUS(hold(source, k), PAV_OK);
    }
}

static proof_tally tally_of(const char *source)
{
    proof_tally tally = {0};
    program *p = parse(source);
    for (uint64_t seed = 1; seed < 5; seed++)
        CHECK_STATUS(kernels_equal_rows(&(proof_case){
                         .program = p, .seed = seed, .compiled = true, .tally = &tally}),
                     PAV_OK);
    program_free(p);
    return tally;
}

/* Each axis open to tiling must be cut. */
LONG_TEST(fused_fused_launches_are_proved_in_several_tiles)
{
    static const char *const sources[] = {"grid x 40", "grid x 30, y 20",
                                          "grid x 9, y 20, z 24"};
    static const char *const borders[] = {"u = sin(t)", "periodic u"};
    for (int n = 0; can_compile() && n < 6; n++) {
        char source[300];
        snprintf(source, sizeof source,
                 "%s\nfield u = random(1)\nu' = u + 0.1*laplace(u)\nborder %s\n",
                 sources[n / 2], borders[n % 2]);
        const proof_tally tally = tally_of(source);
        const int stream = n / 2 > 0, column = n / 2 == 2 ? 2 : 0;
        CHECK(tally.several && tally.tiled[stream] && tally.tiled[column]);
        CHECK(n % 2 == 0 || (tally.around[stream] && tally.around[column]));
        CHECK(tally.turned == (stream > 0));
        CHECK(tally.shared);
    }
}

/* The proof runs kernels compiled from another program, and must report them. */
TEST(kernels_of_another_program_are_found_with_their_schedule)
{
    program *p = parse("grid x 40\nfield u = random(1)\nu' = 0.5*u\nborder u = 0");
    program *q = parse("grid x 40\nfield u = random(1)\nu' = 0.25*u\nborder u = 0");
    ir *code = NULL;
    kernel_set *set = NULL;
    REQUIRE_OK(ir_build(q, NULL, &code));
    if (can_compile()) {
        const ir *const all[] = {code};
        REQUIRE_OK(kernel_set_open(all, 1, "Kernels", HOST_QUICK, &set));
        const proof_case c = {.program = p, .seed = 1, .compiled = true, .set = set};
        CHECK_STATUS(kernels_equal_rows(&c), PAV_EINTERNAL);
        CHECK(strstr(pav_message(), loop_schedule_name(0)) == pav_message());
        CHECK(strstr(pav_message(), "field u differs"));
    }
    kernel_set_close(set);
    ir_free(code);
    program_free(p);
    program_free(q);
}

TEST(every_run_begins_with_nan_between_its_rows)
{
    program *p = parse("grid x 5, y 4\nfield u = 1\nu' = 0.5*u[1, 0]\nborder u = 0");
    pav_run *run = NULL;
    REQUIRE_OK(run_open_with(p, interp_stage, &run));
    CHECK_STATUS(run_is_poisoned(run), PAV_OK);
    const view *v;
    REQUIRE_OK(run_host_view(run, 0, 0, HOST_READ, &v));
    double *last = (double *)v->data +
                   view_offset(v, v->stride[1] - 1 - v->halo[0][0], 2, 0);
    *last = 0;
    CHECK_STATUS(run_is_poisoned(run), PAV_EINTERNAL);
    CHECK(strstr(pav_message(), "padding of field u"));
    pav_run_free(run);
    program_free(p);
}

TEST(both_schedules_and_several_threads_are_among_the_ways)
{
    int rows = 0, blocks = 0, threads = 0, n = 0;
    for (; loop_schedule_name(n); n++) {
        rows += strncmp(loop_schedule_name(n), "rows", 4) == 0;
        blocks += strncmp(loop_schedule_name(n), "blocks", 6) == 0;
        threads += strstr(loop_schedule_name(n), "threads along") != NULL;
    }
    CHECK(rows >= 3 && blocks >= 3 && threads >= 4);
    CHECK_STR(loop_schedule_name(n - 1), "as any run");
}

/* A value is computed before the sweep. For one of these field counts its number equals
 * the number of the result, and the two must not be confused. */
TEST(values_and_results_of_the_same_number_do_not_meet)
{
    char source[400] = "grid x 40, y 9\nscalar a = 0.1\nfield u = random(1)\n";
    char sum[100] = "u";
    for (int k = 1; can_compile() && k < 7; k++) {
        char whole[600], more[60];
        snprintf(more, sizeof more, "field f%d = x/%d\n", k, 50 + k);
        strcat(source, more);
        snprintf(more, sizeof more, " + f%d", k);
        strcat(sum, more);
        snprintf(whole, sizeof whole, "%su' = 0.1*(%s) + sin(a*t)\nborder u = 0\n",
                 source, sum);
        CHECK_STATUS(hold(whole, 1), PAV_OK);
    }
}
