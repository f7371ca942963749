/* SPDX-License-Identifier: BSD-3-Clause */
/* Migration for callers: the image is divided by the illumination, where that is more than a thousandth of its
 * most, and its Laplacian taken, which leaves out the smooth part that waves along one path make; a description
 * of one step does it. */
#include <string.h>

#include "imaging/imaging_private.h"

static void add_axis(const program *p, int axis, text *t)
{
    const axis_grid *g = &p->axis[axis];

    text_add(t, "%s%c %lld spacing ", axis ? ", " : "grid ", axis_letter(p, axis),
             (long long)g->points);
    text_add_double(t, num_f64(g->step));
    text_add(t, "%s", g->down ? " down" : "");
}

static pav_status filter_text(const program *p, double most, char **source)
{
    text t = {0};

    for (int axis = 0; axis < p->dim; axis++)
        add_axis(p, axis, &t);
    text_add(&t, "\nfield image; illumination; migrated\nmigrated' = laplace(image/("
                 "illumination + ");
    text_add_double(&t, 1e-3 * most + 1e-300);
    text_add(&t,
             "))\nborder clamp image, illumination\n"
             "output migrated into \"migrated.npy\"\n%ssteps 1\n",
             p->dim < 3 ? "output migrated colours grey into \"migrated.png\"\n" : "");
    return text_take(&t, source);
}

static double most_of(const double *value, int64_t count)
{
    double most = 0;

    for (int64_t k = 0; k < count; k++)
        if (value[k] > most)
            most = value[k];
    return most;
}

static pav_status filter_run(pav_run *run, shot_result *r, double *migrated)
{
    TRY(pav_field_write(run, "image", 0, PAV_F64, r->value[0], r->points));
    TRY(pav_field_write(run, "illumination", 0, PAV_F64, r->value[1], r->points));
    TRY(pav_run_finish(run));
    return migrated ? pav_field_read(run, "migrated", 0, PAV_F64, migrated, r->points)
                    : PAV_OK;
}

static pav_status filter(const program *p, pav_device *device,
                         const pav_adjoint_options *o, shot_result *r)
{
    const pav_run_options options = {.directory = o->directory, .no_files = o->no_files};
    const pav_program_options named = {.name = p->name};
    char *source = NULL;
    pav_program *made = NULL;
    pav_run *run = NULL;

    TRY(filter_text(p, most_of(r->value[1], r->points), &source));
    pav_status status = pav_program_parse(source, strlen(source), &named, &made);
    if (status == PAV_OK)
        status = pav_run_open(made, device, &options, &run);
    if (status == PAV_OK)
        status = filter_run(run, r, o->values ? o->values[2] : NULL);
    pav_run_free(run);
    pav_program_free(made);
    mem_free(source);
    return status;
}

typedef struct image_end {
    const program *p;
    pav_device *device;
    const pav_adjoint_options *options;
} image_end;

static pav_status end(void *user, shot_result *r)
{
    static const char *const name[] = {"image.npy", "illumination.npy"};
    const image_end *e = user;
    const pav_adjoint_options *o = e->options;

    for (int k = 0; k < 2; k++) {
        TRY(result_write(e->p, o, name[k], r->value[k]));
        if (o->values && o->values[k])
            memcpy(o->values[k], r->value[k], (size_t)r->points * sizeof(double));
    }
    return filter(e->p, e->device, o, r);
}

pav_status pav_migrate(const pav_program *p, pav_device *device,
                       const pav_adjoint_options *options, pav_adjoint_result *result)
{
    GUARDED;
    shot_result r = {0};

    if (result)
        *result = (pav_adjoint_result){0};
    if (!p || !device || !options || !(options->data || options->shots) || !result)
        return FAIL(PAV_EINVAL,
                    "pav_migrate needs a program, a device, what the receivers recorded "
                    "(data, or shots) and a place for the result");
    image_end e = {&p->tree, device, options};
    const shot_wish wish = {.options = options, .data = options->data, .image = true};
    const pav_status status = survey_take(&p->tree, device, &wish, end, &e, &r);
    if (status == PAV_OK)
        result_tell(&r, result);
    shot_result_free(&r);
    return status;
}
