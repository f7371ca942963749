/* SPDX-License-Identifier: BSD-3-Clause */
#include "trial.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>

enum { MAX_TEXT = 8192 };

static void open_run(trial *t, const char *device)
{
    const pav_run_options options = {.no_files = 1};
    REQUIRE_OK(pav_device_open(device, &t->device));
    REQUIRE_OK(pav_run_open(t->program, t->device, &options, &t->run));
}

void trial_load(trial *t, const char *word)
{
    *t = (trial){0};
    REQUIRE_OK(pav_program_load(word, NULL, &t->program));
    open_run(t, "auto");
}

static void open_text(trial *t, const char *device, const char *format, va_list list)
{
    char text[MAX_TEXT];
    const int length = vsnprintf(text, sizeof text, format, list);
    REQUIRE(length > 0 && length < MAX_TEXT);
    *t = (trial){0};
    REQUIRE_OK(pav_program_parse(text, (size_t)length, NULL, &t->program));
    open_run(t, device);
}

void trial_open(trial *t, const char *format, ...)
{
    va_list list;
    va_start(list, format);
    open_text(t, "auto", format, list);
    va_end(list);
}

void trial_interpret(trial *t, const char *format, ...)
{
    va_list list;
    va_start(list, format);
    open_text(t, "interpreter", format, list);
    va_end(list);
}

void trial_step(trial *t, int64_t steps)
{
    REQUIRE_OK(pav_run_steps(t->run, steps));
}

double trial_get(trial *t, const char *name)
{
    double value = NAN;
    REQUIRE_OK(pav_run_get(t->run, name, &value));
    return value;
}

double *trial_read(trial *t, const char *field, int64_t *count)
{
    pav_view view;
    REQUIRE_OK(pav_field_borrow(t->run, field, 0, &view));
    *count = view.extent[0] * view.extent[1] * view.extent[2];
    double *values = malloc((size_t)*count * sizeof *values);
    REQUIRE(values != NULL);
    REQUIRE_OK(pav_field_read(t->run, field, 0, PAV_F64, values, *count));
    return values;
}

void trial_close(trial *t)
{
    pav_run_free(t->run);
    pav_program_free(t->program);
    pav_device_free(t->device);
    *t = (trial){0};
}

double trial_end(const char *format, ...)
{
    trial t;
    va_list list;
    va_start(list, format);
    open_text(&t, "auto", format, list);
    va_end(list);
    REQUIRE_OK(pav_run_finish(t.run));
    const double e = trial_get(&t, "e");
    trial_close(&t);
    return e;
}

static double slope(const double *error, const int *n)
{
    return log(error[0] / error[1]) / log((double)n[1] / n[0]);
}

double order_of(const double error[3], const int n[3])
{
    const double coarse = slope(error, n), fine = slope(error + 1, n + 1);
    const double at_coarse = 1.0 / n[0] / n[1], at_fine = 1.0 / n[1] / n[2];
    return fine + (fine - coarse) * at_fine / (at_coarse - at_fine);
}
