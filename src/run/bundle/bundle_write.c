/* SPDX-License-Identifier: BSD-3-Clause */
/* Writes a bundle: opens a run and records all kernels that it loads. */
#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "run/bundle/bundle_private.h"

/* ---- writing ----------------------------------------------------------------------- */

static pav_status describe(const pav_run *run, const pav_device *device, pav_bundle *b)
{
    text machine = {0}, compiled_by = {0}, grid = {0};
    pav_status status = program_identity(run->program, &b->program);
    if (status == PAV_OK)
        status = device_identity(device, &machine, &compiled_by);
    bundle_add_grid(run, &grid);
    if (status == PAV_OK && !grid.failed) {
        wisdom_put(b->version, pav_version());
        wisdom_put(b->name, run->program->name);
        wisdom_put(b->grid, grid.data);
        wisdom_put(b->device, device->ops->name);
        wisdom_put(b->machine, machine.data);
        wisdom_put(b->compiler, compiled_by.data);
    }
    text_free(&machine);
    text_free(&compiled_by);
    text_free(&grid);
    return status;
}

/* Stores the schedule for runs opened with the bundle. */
static void put_schedule(const pav_run *run, pav_bundle *b)
{
    const char *typed = run->options.schedule ? run->options.schedule : "auto";
    const bool known = run->known.choice && !run->known.choice->is_hint;
    (void)snprintf(b->schedule, sizeof b->schedule, "%s",
                   known ? run->known.choice->words : typed);
}

static pav_status compile(const pav_program *p, pav_device *device,
                          const pav_run_options *options, pav_bundle *b)
{
    pav_run *run;
    TRY(pav_run_open(p, device, options, &run));
    pav_status status = place_make_all(run_place(run));
    if (status == PAV_OK)
        status = describe(run, device, b);
    put_schedule(run, b);
    pav_run_free(run);
    return status;
}

/* Kernels for processors are faster with known strides, so kernels of this size are
 * added. */
static pav_status compile_of_size(const pav_program *p, pav_device *device,
                                  const pav_run_options *options)
{
    pav_run *run;
    if (place_kind_of(device)->own_memory)
        return PAV_OK;
    TRY(run_open_of_size(&p->tree, device, options, &run));
    pav_run_free(run);
    return PAV_OK;
}

/* Writes under a temporary name, then renames. */
static pav_status write_file(const char *path, const text *t)
{
    char *others = mem_new((int64_t)strlen(path) + 8, 1);
    if (!others)
        return PAV_ENOMEM;
    (void)snprintf(others, strlen(path) + 8, "%s.new", path);
    FILE *file = file_write(others, false);
    const bool written = file && fchmod(fileno(file), 0644) == 0 &&
                         fwrite(t->data, 1, (size_t)t->length, file) == (size_t)t->length;
    const bool closed = file && fclose(file) == 0;
    const bool done = written && closed && rename(others, path) == 0;
    const int error = errno;
    if (file && !done)
        (void)unlink(others);
    mem_free(others);
    return done ? PAV_OK
                : FAIL(write_status(error), "the bundle %s could not be written: %s%s",
                       path, strerror(error), write_hint(error, path));
}

static pav_status write_bundle(const pav_bundle *b, const char *path)
{
    text t = {0};
    if (b->images.failed != PAV_OK)
        return b->images.failed;
    if (b->images.count == 0)
        return FAIL(PAV_EUNSUPPORTED, "the device %s compiles nothing", b->device);
    bundle_print(b, &t);
    const pav_status status = t.failed ? PAV_ENOMEM : write_file(path, &t);
    text_free(&t);
    return status;
}

pav_status pav_bundle_write(const pav_program *p, pav_device *device,
                            const pav_run_options *options, const char *path)
{
    GUARDED;
    const pav_run_options usual = {.no_files = 1};
    if (!p || !device || !path)
        return FAIL(PAV_EINVAL, "pav_bundle_write needs a program, a device and a path");
    pav_bundle *b = mem_new(1, sizeof *b);
    if (!b)
        return PAV_ENOMEM;
    images_record(&b->images);
    pav_status status = compile(p, device, options ? options : &usual, b);
    if (status == PAV_OK)
        status = compile_of_size(p, device, options ? options : &usual);
    images_record(NULL);
    if (status == PAV_OK)
        status = write_bundle(b, path);
    images_free(&b->images);
    mem_free(b);
    return status;
}
