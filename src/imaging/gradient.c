/* SPDX-License-Identifier: BSD-3-Clause */
/* pav_gradient: chooses the coefficients, computes the gradients, and writes the
 * results. */
#include <string.h>

#include "imaging/imaging_private.h"

const char **coefficients_of(const program *p)
{
    const char **name = mem_new(p->fields.count + 1, sizeof *name);
    int64_t count = 0;

    for (int64_t k = 0; name && k < p->fields.count; k++)
        if (!p->fields.item[k]->updated && !p->fields.item[k]->coarse)
            name[count++] = p->fields.item[k]->name;
    return name;
}

pav_status result_write(const program *p, const pav_adjoint_options *o, const char *name,
                        double *values)
{
    text t = {0};
    view v = {.data = values, .type = PAV_F64};
    int64_t stride = 1;

    if (o->no_files)
        return PAV_OK;
    for (int axis = 0; axis < MAX_DIM; axis++) {
        v.extent[axis] = axis < p->dim ? p->axis[axis].points : 1;
        v.stride[axis] = stride;
        stride *= v.extent[axis];
    }
    if (o->directory) {
        TRY(directory_make(o->directory));
        text_add(&t, "%s/", o->directory);
    }
    text_add(&t, "%s", name);
    const pav_status status = t.failed ? PAV_ENOMEM : npy_write_view(t.data, p->dim, &v);
    text said = {0};
    text_add(&said, "wrote %s", t.data ? t.data : name);
    if (status == PAV_OK && o->listener && !said.failed)
        (void)o->listener(o->user, PAV_EVENT_NOTE, NULL, said.data);
    text_free(&said);
    text_free(&t);
    return status;
}

static pav_status write_all(const program *p, const pav_adjoint_options *o,
                            const char *const *name, const shot_result *r)
{
    for (int64_t k = 0; k < r->count; k++) {
        text t = {0};
        text_add(&t, "%s-gradient.npy", name[k]);
        const pav_status status = t.failed ? PAV_ENOMEM
                                           : result_write(p, o, t.data, r->value[k]);
        text_free(&t);
        TRY(status);
        if (o->values && o->values[k])
            memcpy(o->values[k], r->value[k], (size_t)r->points * sizeof(double));
    }
    return PAV_OK;
}

void result_report(const shot_result *r, pav_adjoint_result *result)
{
    *result = (pav_adjoint_result){r->misfit,           r->steps,      r->steps_again,
                                   r->history_bytes,    r->disk_bytes, r->forward_seconds,
                                   r->backward_seconds, r->every};
}

typedef struct gradient_end {
    const program *p;
    const pav_adjoint_options *options;
    const char *const *name;
} gradient_end;

static pav_status end(void *user, shot_result *r)
{
    const gradient_end *e = user;

    return write_all(e->p, e->options, e->name, r);
}

pav_status pav_gradient(const pav_program *p, pav_device *device,
                        const pav_adjoint_options *options, pav_adjoint_result *result)
{
    GUARDED;
    static const pav_adjoint_options usual;
    const pav_adjoint_options *o = options ? options : &usual;
    shot_result r = {0};

    if (result)
        *result = (pav_adjoint_result){0};
    if (!p || !device || !result)
        return FAIL(PAV_EINVAL,
                    "pav_gradient needs a program, a device and a place for the result");
    const char **all = o->coefficients ? NULL : coefficients_of(&p->tree);
    if (!o->coefficients && !all)
        return PAV_ENOMEM;
    const char *const *name = all ? (const char *const *)all : o->coefficients;
    gradient_end e = {&p->tree, o, name};
    const shot_wish wish = {.options = o, .data = o->data, .coefficients = name};
    pav_status status =
        name[0] ? survey_take(&p->tree, device, &wish, end, &e, &r)
                : FAIL(PAV_EINVAL,
                       "%s has no coefficient field to take a gradient with respect to",
                       p->tree.name);
    if (status == PAV_OK)
        result_report(&r, result);
    shot_result_free(&r);
    mem_free(all);
    return status;
}
