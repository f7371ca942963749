/* SPDX-License-Identifier: BSD-3-Clause */
/* Programs: from text, file and catalogue word; printed, explained, and refused with a
 * sentence. */
#include "opened.h"

#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

static const char heat[] = "param a = 0.2\ngrid x 20, y 10\nfield u = x\n"
                           "u' = u + a*laplace(u)\nborder mirror u\nsteps 3\n";

TEST(the_printed_form_is_a_program_that_prints_the_same)
{
    char *once = NULL, *twice = NULL;
    pav_program *p = parse(heat);
    REQUIRE_OK(pav_program_print(p, &once));
    pav_program *q = parse(once);
    REQUIRE_OK(pav_program_print(q, &twice));
    CHECK_STR(twice, once);
    pav_text_free(once);
    pav_text_free(twice);
    pav_program_free(p);
    pav_program_free(q);
}

TEST(a_program_is_explained_in_lines_and_in_json)
{
    char *lines = NULL, *json = NULL;
    pav_program *p = parse(heat);
    REQUIRE_OK(pav_program_explain(p, 0, &lines));
    REQUIRE_OK(pav_program_explain(p, 1, &json));
    CHECK(strstr(lines, "fma") && strstr(lines, "laplace"));
    CHECK(json[0] == '{' && strstr(json, "\"flops\""));
    pav_text_free(lines);
    pav_text_free(json);
    pav_program_free(p);
}

TEST(a_mistake_is_reported_with_line_column_and_the_nearest_name)
{
    CHECK_STATUS(refuse_text("grid x 20\nfield pressure\npressure' = presure\n"),
                 PAV_ESYNTAX);
    CHECK(message_has(":3:13:"));
    CHECK(message_has("did you mean 'pressure'?"));
}

TEST(several_mistakes_are_reported_at_once)
{
    CHECK_STATUS(refuse_text("grid x 20\nfield u\nu' = uu\nborder misty u\nsteps -4\n"),
                 PAV_ESYNTAX);
    CHECK(message_has(":3:") && message_has(":4:") && message_has(":5:"));
}

TEST(the_name_in_the_options_stands_in_messages)
{
    pav_program *p = NULL;
    const pav_program_options options = {.name = "from the wire"};
    CHECK_STATUS(pav_program_parse("grid x", 6, &options, &p), PAV_ESYNTAX);
    CHECK(message_has("from the wire:1:"));
}

TEST(params_are_set_when_a_program_is_read)
{
    const char *const set[] = {"a=0.125", NULL};
    const pav_program_options options = {.set = set};
    pav_program *p = NULL;
    char *text = NULL;
    REQUIRE_OK(pav_program_parse(heat, sizeof heat - 1, &options, &p));
    REQUIRE_OK(pav_program_print(p, &text));
    CHECK(strstr(text, "0.125") != NULL);
    pav_text_free(text);
    pav_program_free(p);
}

TEST(what_cannot_be_set_is_refused)
{
    static const char *const wrong[][2] = {{"b=1", "'b'"}, {"a", "'a'"}, {"a=", "a="},
                                           {"u=1", "'u'"}, {"=3", "=3"}, {"a=x", "x"},
                                           {"a=u", "u"},   {"", ""}};
    for (size_t k = 0; k < sizeof wrong / sizeof *wrong; k++) {
        const char *const set[] = {wrong[k][0], NULL};
        pav_program *p = (pav_program *)&p;
        const pav_status status = pav_program_parse(
            heat, sizeof heat - 1, &(pav_program_options){.set = set}, &p);
        CHECK(status == PAV_EINVAL || status == PAV_ESYNTAX);
        CHECK(p == NULL);
        CHECK(message_has(wrong[k][1]));
    }
}

TEST(a_catalogue_word_is_a_program)
{
    pav_program *p = NULL;
    char *text = NULL;
    REQUIRE_OK(pav_program_load("star3d:r=2@16x16x16/f32", NULL, &p));
    REQUIRE_OK(pav_program_print(p, &text));
    CHECK(strstr(text, "real f32") != NULL);
    pav_text_free(text);
    pav_program_free(p);
    CHECK_STATUS(pav_program_load("stat3d:r=2@16x16x16", NULL, &p), PAV_EINVAL);
    CHECK(message_has("star3d"));
    CHECK(p == NULL);
}

TEST(kernels_of_an_equation_to_solve_are_those_of_its_solver)
{
    static const char source[] =
        "grid x 9\nfield u\nsolve laplace(u) = 1 by cg to 1e-3\nborder u = 0\n";
    pav_program *p = NULL;
    char *text = NULL;
    REQUIRE_OK(pav_program_parse(source, sizeof source - 1, NULL, &p));
    REQUIRE_OK(pav_program_generate(p, "cpu", NULL, &text));
    CHECK(strstr(text, "mg_p") != NULL);
    pav_text_free(text);
    REQUIRE_OK(pav_program_generate(p, "cuda", NULL, &text));
    CHECK(strstr(text, "mg_p") != NULL);
    pav_text_free(text);
    pav_program_free(p);
}

TEST(a_missing_file_is_named)
{
    pav_program *p = (pav_program *)&p;
    CHECK_STATUS(pav_program_load("no/such/file.pav", NULL, &p), PAV_EINVAL);
    CHECK(message_has("no/such/file.pav"));
    CHECK(p == NULL);
    CHECK_STATUS(pav_program_load("/tmp", NULL, &p), PAV_EINVAL);
    CHECK(message_has("/tmp"));
}

TEST(arguments_that_are_missing_are_refused)
{
    pav_program *p = (pav_program *)&p;
    char *text = (char *)&text;
    CHECK_STATUS(pav_program_parse(NULL, 4, NULL, &p), PAV_EINVAL);
    CHECK(p == NULL);
    CHECK_STATUS(pav_program_parse("steps 1", 7, NULL, NULL), PAV_EINVAL);
    CHECK_STATUS(pav_program_load(NULL, NULL, &p), PAV_EINVAL);
    CHECK_STATUS(pav_program_load("x.pav", NULL, NULL), PAV_EINVAL);
    CHECK_STATUS(pav_program_print(NULL, &text), PAV_EINVAL);
    CHECK(text == NULL);
    text = (char *)&text;
    CHECK_STATUS(pav_program_explain(NULL, 0, &text), PAV_EINVAL);
    CHECK(text == NULL);
    CHECK(strlen(pav_message()) > 10);
}

TEST(the_length_of_a_text_counts_and_not_its_end)
{
    static const char text[] = "grid x 8\nfield u\nu' = u\nthis is not read";
    pav_program *p = NULL;
    CHECK_STATUS(pav_program_parse(text, 24, NULL, &p), PAV_OK);
    pav_program_free(p);
    CHECK_STATUS(pav_program_parse(text, sizeof text - 1, NULL, &p), PAV_ESYNTAX);
    CHECK_STATUS(pav_program_parse("", 0, NULL, &p), PAV_ESYNTAX);
}

/* ---- files beside a text ----------------------------------------------------------- */

static void write_rock(const char *folder)
{
    const char
        *text = "grid x 6, y 4\nfield k = 1 + x + 10*y\noutput k into \"rock.npy\"\n";
    opened o = open_text(text, &(pav_run_options){.directory = folder});
    REQUIRE_OK(pav_run_finish(o.run));
    close_opened(&o);
}

TEST(a_text_finds_its_files_in_the_folder_of_the_options)
{
    char folder[] = "/tmp/pavior-test-XXXXXX", path[64];
    REQUIRE(mkdtemp(folder) != NULL);
    write_rock(folder);
    static const char text[] = "grid x 6, y 4\nfield k = \"rock.npy\"\nfield u\n"
                               "u' = k\nmeasure e = max(abs(k - (1 + x + 10*y)))\n";
    const pav_program_options options = {.directory = folder};
    opened o = {0};
    REQUIRE_OK(pav_program_parse(text, sizeof text - 1, &options, &o.program));
    REQUIRE_OK(pav_device_open("auto", &o.device));
    CHECK_STATUS(pav_run_open(o.program, o.device, NULL, &o.run), PAV_OK);
    double e = 1;
    CHECK_STATUS(pav_run_get(o.run, "e", &e), PAV_OK);
    CHECK(e == 0);
    close_opened(&o);
    snprintf(path, sizeof path, "%s/rock.npy", folder);
    unlink(path);
    rmdir(folder);
}

TEST(a_file_that_is_missing_is_named_when_the_run_is_opened)
{
    pav_run *run = (pav_run *)&run;
    pav_device *device = NULL;
    pav_program *p = parse("grid x 6\nfield k = \"no-rock.npy\"\nfield u\nu' = k\n");
    REQUIRE_OK(pav_device_open("auto", &device));
    CHECK_STATUS(pav_run_open(p, device, NULL, &run), PAV_EIO);
    CHECK(run == NULL);
    CHECK(message_has("no-rock.npy"));
    pav_program_free(p);
    pav_device_free(device);
}

/* A sample of an expression consists of samples of fields, which are no statements. */
TEST(samples_of_expressions_stand_once_in_the_text_of_a_solver)
{
    static const char *const equations[] = {"-laplace(u)", "u' - laplace(u')"};
    for (int k = 0; k < 2; k++) {
        char source[300], *said = NULL;
        int samples = 0;
        (void)snprintf(source, sizeof source,
                       "grid x 17 from 0 to 1\nfield u, f = 1\nsolve %s = f by cg to "
                       "1e-6\nborder u = 0\nsample sqrt(dx(u)^2) at (0.5) into "
                       "\"a.csv\"\nsample u at (0.25)\nsteps 3\n",
                       equations[k]);
        pav_program *p = parse(source);
        REQUIRE_OK(pav_program_solver(p, &said));
        for (const char *at = said; (at = strstr(at, "\nsample ")); at++)
            samples++;
        CHECK(samples == 2);
        pav_text_free(said);
        pav_program_free(p);
    }
}
