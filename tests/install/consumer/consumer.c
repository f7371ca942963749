/* SPDX-License-Identifier: BSD-3-Clause */
/* consumer.c: a user's program: runs a description of its own and reads a field back. The
 * function `fail` is also a name inside the library, and must not be taken for it. */
#include <pavior.h>

#include <stdio.h>
#include <string.h>

int fail(const char *what);

int fail(const char *what)
{
    fprintf(stderr, "%s: %s\n", what, pav_message());
    return 1;
}

int main(void)
{
    static const char text[] =
        "grid x 8\nfield u = x\nu' = u + 1\nborder periodic\nsteps 3\n";
    pav_device *device = NULL;
    pav_program *program = NULL;
    pav_run *run = NULL;
    double values[8] = {0};

    if (strcmp(pav_version(), PAV_VERSION) != 0)
        return fail("the library is of another version than the header");
    if (pav_device_open("auto", &device) != PAV_OK)
        return fail("device");
    if (pav_program_parse(text, strlen(text), NULL, &program) != PAV_OK)
        return fail("program");
    if (pav_run_open(program, device, NULL, &run) != PAV_OK)
        return fail("run");
    if (pav_run_finish(run) != PAV_OK)
        return fail("steps");
    if (pav_field_read(run, "u", 0, PAV_F64, values, 8) != PAV_OK)
        return fail("field");
    pav_run_free(run);
    pav_program_free(program);
    pav_device_free(device);
    return values[0] == 3 && values[7] == 10 ? 0 : fail("the field holds other values");
}
