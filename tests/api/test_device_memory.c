/* SPDX-License-Identifier: BSD-3-Clause */
/* The memory of fields on a device, lent to other code of the process. An emulated GPU's
 * memory is the host's, so these tests can change it in place. */
#include "opened.h"

static const char clamped[] = "grid x 9, y 7\nreal f32\nfield u = x + 10*y; v = 3\n"
                              "u' = 0.5*u[-1,0] + 0.5*u[0,1] + prev(u)\n"
                              "border clamp\nmeasure m = sum(u)\n";
enum { POINTS = 9 * 7 };

/* The devices of this machine; false after the last. */
static bool open_on(int n, const char *text, opened *o)
{
    const char *const devices[] = {"interpreter", "cpu", "emulated"};
    const pav_run_options options = {.no_files = 1};
    if (n == 3)
        return false;
    *o = (opened){.program = parse(text)};
    REQUIRE_OK(pav_device_open(devices[n], &o->device));
    REQUIRE_OK(pav_run_open(o->program, o->device, &options, &o->run));
    return true;
}

static float *point(const pav_device_view *v, int64_t i, int64_t j)
{
    return (float *)(uintptr_t)v->view.data + i + j * v->view.stride[1];
}

TEST(a_lent_level_is_dense_along_x_and_holds_the_values)
{
    opened o;
    pav_device_view v;
    for (int n = 0; open_on(n, clamped, &o); n++) {
        REQUIRE_OK(pav_field_device(o.run, "u", 0, &v));
        CHECK(v.view.type == PAV_F32 && v.view.dimensions == 2);
        CHECK(v.view.extent[0] == 9 && v.view.extent[1] == 7 && v.view.stride[0] == 1);
        CHECK(v.device_type == 1 && v.device_number == 0);
        CHECK(*point(&v, 4, 5) == 54);
        close_opened(&o);
    }
}

TEST(the_run_sees_each_change_of_a_lent_level)
{
    opened o;
    pav_device_view v;
    float u[POINTS];
    double m[2];
    for (int n = 0; open_on(n, clamped, &o); n++) {
        REQUIRE_OK(pav_field_device(o.run, "u", 0, &v));
        for (int k = 1; k < 4; k++) {
            *point(&v, 2, 3) = (float)k;
            REQUIRE_OK(pav_field_read(o.run, "u", 0, PAV_F32, u, POINTS));
            CHECK(u[2 + 3 * 9] == (float)k);
            REQUIRE_OK(pav_run_get(o.run, "m", &m[k & 1]));
        }
        CHECK(m[1] - m[0] == 1);
        close_opened(&o);
    }
}

TEST(a_change_in_place_gives_the_same_bits_as_a_written_level)
{
    opened o;
    pav_device_view v;
    float u[POINTS], all[2][3][POINTS];
    for (int way = 0; way < 2; way++)
        for (int n = 0; open_on(n, clamped, &o); n++) {
            for (int k = 0; k < 6; k++) {
                const int age = k % 2;
                REQUIRE_OK(pav_field_read(o.run, "u", age, PAV_F32, u, POINTS));
                REQUIRE_OK(pav_field_device(o.run, "u", age, &v));
                for (int64_t at = 0; at < POINTS; at++)
                    u[at] += (float)(at * k);
                for (int64_t at = 0; at < POINTS && way; at++)
                    *point(&v, at % 9, at / 9) += (float)(at * k);
                if (!way)
                    REQUIRE_OK(pav_field_write(o.run, "u", age, PAV_F32, u, POINTS));
                REQUIRE_OK(pav_run_steps(o.run, k));
            }
            REQUIRE_OK(pav_field_read(o.run, "u", 0, PAV_F32, all[way][n], POINTS));
            for (int k = 0; k < POINTS; k++)
                CHECK(all[way][n][k] == all[0][0][k]);
            close_opened(&o);
        }
}

TEST(written_values_reach_a_lent_level)
{
    opened o;
    pav_device_view v;
    float u[POINTS] = {0, 5};
    for (int n = 0; open_on(n, clamped, &o); n++) {
        REQUIRE_OK(pav_field_device(o.run, "u", 0, &v));
        REQUIRE_OK(pav_field_write(o.run, "u", 0, PAV_F32, u, POINTS));
        CHECK(*point(&v, 1, 0) == 5 && *point(&v, 4, 5) == 0);
        close_opened(&o);
    }
}

TEST(values_in_the_memory_of_the_device_become_a_level)
{
    opened o;
    pav_device_view v;
    float u[9];
    for (int n = 0; open_on(n,
                            "grid x 9\nreal f32\nfield u = x; v = x^2\nu' = u + v\n"
                            "border clamp\n",
                            &o);
         n++) {
        REQUIRE_OK(pav_field_device(o.run, "v", 0, &v));
        REQUIRE_OK(pav_field_write_device(o.run, "u", 0, v.view.data, 9));
        CHECK_STATUS(pav_field_write_device(o.run, "u", 0, v.view.data, 8), PAV_EINVAL);
        REQUIRE_OK(pav_run_steps(o.run, 1));
        REQUIRE_OK(pav_field_read(o.run, "u", 0, PAV_F32, u, 9));
        CHECK(u[3] == 18 && u[8] == 128);
        close_opened(&o);
    }
}

/* Without a change a run keeps the factors of its first step. */
TEST(each_change_of_a_matrix_by_a_caller_factors_it_again)
{
    static const char text[] =
        "grid x 6, y 5\nreal f32\nscalar r = 4\nfield k = 1 + x*y/20; u\n"
        "u' = tridiagonal(-k, r + 2*k, -1, 1 + x along y)\n";
    enum { UNKNOWNS = 30 };
    opened o;
    pav_device_view v;
    float u[2][UNKNOWNS], two[UNKNOWNS];
    for (int k = 0; k < UNKNOWNS; k++)
        two[k] = 2;
    for (int way = 0; way < 4; way++)
        for (int n = 0; open_on(n, text, &o); n++) {
            for (int late = 0; late < 2; late++) { /* before the first step, or later */
                REQUIRE_OK(pav_run_steps(o.run, 2 * late));
                if (way == 0)
                    REQUIRE_OK(pav_field_device(o.run, "k", 0, &v));
                for (int k = 0; k < UNKNOWNS && way == 0; k++)
                    *point(&v, k % 6, k / 6) = 2;
                if (way == 1)
                    REQUIRE_OK(pav_field_write(o.run, "k", 0, PAV_F32, two, UNKNOWNS));
                if (way == 2)
                    REQUIRE_OK(pav_field_write_device(o.run, "k", 0, two, UNKNOWNS));
                if (way == 3)
                    REQUIRE_OK(pav_run_set(o.run, "r", 5));
                REQUIRE_OK(pav_run_steps(o.run, 1));
                REQUIRE_OK(pav_field_read(o.run, "u", 0, PAV_F32, u[late], UNKNOWNS));
                close_opened(&o);
                if (late == 0)
                    REQUIRE(open_on(n, text, &o));
            }
            CHECK(memcmp(u[0], u[1], sizeof u[0]) == 0);
        }
}

TEST(a_checkpoint_holds_a_change_in_place)
{
    opened o;
    pav_device_view v;
    for (int n = 0; open_on(n, clamped, &o); n++) {
        REQUIRE_OK(pav_field_device(o.run, "v", 0, &v));
        *point(&v, 2, 2) = 50;
        REQUIRE_OK(pav_run_checkpoint(o.run, "lent"));
        close_opened(&o);
        const pav_run_options options = {.no_files = 1, .restart = "lent"};
        o = open_text(clamped, &options);
        float u[POINTS];
        REQUIRE_OK(pav_field_read(o.run, "v", 0, PAV_F32, u, POINTS));
        CHECK(u[2 + 2 * 9] == 50 && u[0] == 3);
        close_opened(&o);
    }
}

static pav_status asked;
static int ask(void *user, pav_event event, const pav_progress *p, const char *text)
{
    pav_device_view v;
    (void)p, (void)text;
    if (event == PAV_EVENT_PROGRESS)
        asked = pav_field_device(((opened *)user)->run, "u", 0, &v);
    return 0;
}

TEST(no_field_is_lent_in_several_places_or_while_steps_go_on)
{
    opened o = {0};
    pav_device_view v;
    pav_run_options options = {.no_files = 1, .subdomains = "2"};
    o = open_text(clamped, &options);
    CHECK_STATUS(pav_field_device(o.run, "u", 0, &v), PAV_EINVAL);
    CHECK(message_has("several places") && message_has("pav_field_read"));
    close_opened(&o);
    options = (pav_run_options){
        .no_files = 1, .listener = ask, .user = &o, .report_seconds = 1e-9};
    o = open_text(clamped, &options);
    REQUIRE_OK(pav_run_steps(o.run, 3));
    CHECK_EQ(asked, PAV_EINVAL);
    CHECK_STATUS(pav_field_device(o.run, "w", 0, &v), PAV_EINVAL);
    CHECK_STATUS(pav_field_device(o.run, "u", 7, &v), PAV_EINVAL);
    close_opened(&o);
}
