/* SPDX-License-Identifier: BSD-3-Clause */
/* Gradients and images of shots, and the files of their results. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "imaging/imaging_private.h"

/* ---- gradients --------------------------------------------------------------------- */

/* pav_gradient: chooses the coefficients, computes the gradients, and writes the
 * results. */

const char **coefficients_of(const program *p)
{
    const char **name = mem_new(p->fields.count + 1, sizeof *name);
    int64_t count = 0;

    for (int64_t k = 0; name && k < p->fields.count; k++)
        if (!p->fields.item[k]->updated && !p->fields.item[k]->coarse &&
            !p->fields.item[k]->shown)
            name[count++] = p->fields.item[k]->name;
    return name;
}

/* What becomes of the results. */
typedef struct ending {
    const program *p;
    pav_device *device;
    const pav_adjoint_options *options;
    const char *const *name; /* of the gradients */
} ending;

/* Writes result k into the directory of results, and hands it over. */
static pav_status deliver(const ending *e, const shot_result *r, int64_t k,
                          const char *stem, const char *rest)
{
    const pav_adjoint_options *o = e->options;
    const program *p = e->p;
    OWNED_BY(text_free) text t = {0}, said = {0};
    view v = {.data = r->value[k], .type = PAV_F64};
    int64_t stride = 1;

    if (o->values && o->values[k])
        memcpy(o->values[k], r->value[k], (size_t)r->points * sizeof(double));
    if (o->no_files)
        return PAV_OK;
    for (int axis = 0; axis < MAX_DIM; axis++) {
        v.extent[axis] = axis < p->dim ? p->axis[axis].points : 1;
        v.stride[axis] = stride;
        stride *= v.extent[axis];
    }
    if (o->directory)
        TRY(directory_make(o->directory));
    TRY(text_print(&t, "%s%s%s%s", o->directory ? o->directory : "",
                   o->directory ? "/" : "", stem, rest));
    TRY(npy_write_view(t.data, p->dim, &v));
    text_add(&said, "wrote %s", t.data);
    if (o->listener && !said.failed)
        (void)o->listener(o->user, PAV_EVENT_NOTE, NULL, said.data);
    return PAV_OK;
}

static pav_status take(ending *e, const shot_wish *wish, survey_end *end,
                       pav_adjoint_result *result)
{
    OWNED_BY(shot_result_free) shot_result r = {0};

    TRY(survey_take(e->p, e->device, wish, end, e, &r));
    *result = r.of;
    return PAV_OK;
}

static pav_status end_gradient(void *user, shot_result *r)
{
    const ending *e = user;

    for (int64_t k = 0; k < r->count; k++)
        TRY(deliver(e, r, k, e->name[k], "-gradient.npy"));
    return PAV_OK;
}

pav_status pav_gradient(const pav_program *p, pav_device *device,
                        const pav_adjoint_options *options, pav_adjoint_result *result)
{
    GUARDED;
    static const pav_adjoint_options usual;
    const pav_adjoint_options *o = options ? options : &usual;

    if (result)
        *result = (pav_adjoint_result){0};
    if (!p || !device || !result)
        return FAIL(PAV_EINVAL,
                    "pav_gradient needs a program, a device and a place for the result");
    OWNED const char **all = o->coefficients ? NULL : coefficients_of(&p->tree);
    const char *const *name = o->coefficients ? o->coefficients : all;
    if (!name)
        return PAV_ENOMEM;
    if (!name[0])
        return FAIL(PAV_EINVAL,
                    "%s has no coefficient field to take a gradient with respect to",
                    p->tree.name);
    ending e = {&p->tree, device, o, name};
    const shot_wish wish = {.options = o, .data = o->data, .coefficients = name};
    return take(&e, &wish, end_gradient, result);
}

/* ---- images ------------------------------------------------------------------------ */

/* pav_migrate. The image is divided by the illumination. Its negative Laplacian then
 * removes the smooth part caused by waves along one path. A description of one step
 * computes both. For waves of speed c, the adjoint is the returning wave divided by c^2,
 * and the echoes of a reflector add up to a multiple of c. The Laplacian divides by c^2
 * again. Multiplying by c^3 makes the brightness of all reflectors proportional to their
 * reflectivity. */

static void add_grid(const program *p, text *t)
{
    for (int axis = 0; axis < p->dim; axis++) {
        const axis_grid *g = &p->axis[axis];
        const char letter[] = {axis_letter(p, axis), '\0'};
        text_add_values(t, "%s%s %d spacing %g%s", axis ? ", " : "grid ", letter,
                        g->points, num_f64(g->step), g->down ? " down" : "");
    }
}

static void filter_text(const program *p, const pav_adjoint_options *o,
                        const shot_result *r, text *t)
{
    double sum = 0;

    /* The image is divided by the illumination, which is 0 at points reached by no wave.
     * So a hundredth of its mean is added. */
    for (int64_t k = 0; k < r->points; k++)
        sum += r->value[1][k];
    add_grid(p, t);
    text_add_values(t,
                    "\nfield image; illumination; migrated; speed = 1\nborder clamp "
                    "image, illumination\nmigrated' = "
                    "-speed^3*laplace(image/(illumination + %g))\n%ssteps 1\n",
                    0.01 * sum / (double)r->points + 1e-300,
                    o->no_files ? "" : "output migrated into \"migrated.npy\"\n");
}

static int by_size(const void *a, const void *b)
{
    const double x = fabs(*(const double *)a), y = fabs(*(const double *)b);

    return x < y ? -1 : x > y;
}

static void picture_text(const program *p, double most, text *t)
{
    add_grid(p, t);
    text_add_values(t,
                    "\nfield migrated\nmigrated' = migrated\nborder clamp migrated\n"
                    "output migrated colours grey range -%g to %g into "
                    "\"migrated.png\"\nsteps 1\n",
                    most, most);
}

typedef struct plane {
    const char *name;
    const double *value;
} plane;

/* Takes the single step of the description from the given fields, and reads
 * `migrated`. */
static pav_status take_step(const ending *e, const text *source, const plane *given,
                            int64_t count, double *migrated)
{
    const pav_adjoint_options *o = e->options;
    const pav_run_options options = {.directory = o->directory, .no_files = o->no_files};
    const pav_program_options named = {.name = e->p->name};
    OWNED_BY(free_program) program *made = NULL;
    OWNED_BY(free_run) pav_run *run = NULL;

    if (source->failed)
        return PAV_ENOMEM;
    TRY(program_parse(source->data, source->length, &named, &made));
    TRY(pav_run_open(public_program(made), e->device, &options, &run));
    for (; given->name; given++)
        TRY(pav_field_write(run, given->name, 0, PAV_F64, given->value, count));
    TRY(pav_run_finish(run));
    return pav_field_read(run, "migrated", 0, PAV_F64, migrated, count);
}

static pav_status read_speed(const ending *e, double *speed, int64_t count)
{
    const char *name = e->options->speed;
    const pav_run_options options = {.no_files = 1};
    OWNED_BY(free_run) pav_run *run = NULL;

    for (int64_t k = 0; k < count; k++)
        speed[k] = 1;
    if (!name)
        return PAV_OK;
    TRY(pav_run_open(public_program(e->p), e->device, &options, &run));
    return pav_field_read(run, name, 0, PAV_F64, speed, count);
}

static pav_status draw(const ending *e, double *migrated, int64_t count)
{
    OWNED_NEW(double, copy, count);
    OWNED_BY(text_free) text source = {0};
    memcpy(copy, migrated, (size_t)count * sizeof *copy);
    /* the range of absolute values that contains 98 of 100 values; 1 if it is 0 */
    qsort(copy, (size_t)count, sizeof *copy, by_size);
    const double most = fabs(copy[count * 98 / 100]);
    picture_text(e->p, most > 0 && isfinite(most) ? most : 1, &source);
    return take_step(e, &source, (const plane[]){{"migrated", migrated}, {NULL, NULL}},
                     count, copy);
}

static pav_status end_image(void *user, shot_result *r)
{
    const ending *e = user;

    TRY(deliver(e, r, 0, "image", ".npy"));
    TRY(deliver(e, r, 1, "illumination", ".npy"));
    const pav_adjoint_options *o = e->options;
    OWNED double *speed = mem_new(r->points, sizeof *speed),
                 *migrated = mem_new(r->points, sizeof *migrated);
    const plane given[] = {{"image", r->value[0]},
                           {"illumination", r->value[1]},
                           {"speed", speed},
                           {NULL, NULL}};
    OWNED_BY(text_free) text source = {0};
    if (!speed || !migrated)
        return PAV_ENOMEM;
    TRY(read_speed(e, speed, r->points));
    filter_text(e->p, o, r, &source);
    TRY(take_step(e, &source, given, r->points, migrated));
    if (o->values && o->values[2])
        memcpy(o->values[2], migrated, (size_t)r->points * sizeof *migrated);
    return !o->no_files && e->p->dim < 3 ? draw(e, migrated, r->points) : PAV_OK;
}

pav_status pav_migrate(const pav_program *p, pav_device *device,
                       const pav_adjoint_options *options, pav_adjoint_result *result)
{
    GUARDED;
    if (result)
        *result = (pav_adjoint_result){0};
    if (!p || !device || !options || !(options->data || options->shots) || !result)
        return FAIL(PAV_EINVAL,
                    "pav_migrate needs a program, a device, what the receivers recorded "
                    "(data, or shots) and a place for the result");
    const symbol *s = symbol_in(&p->tree.fields, options->speed);
    if (options->speed && (!s || s->updated || s->coarse))
        return FAIL(PAV_EINVAL, "%s has no coefficient '%s' that could be the speed",
                    p->tree.name, options->speed);
    ending e = {&p->tree, device, options, NULL};
    const shot_wish wish = {.options = options, .data = options->data, .image = true};
    return take(&e, &wish, end_image, result);
}
