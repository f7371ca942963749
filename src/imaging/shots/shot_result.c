/* SPDX-License-Identifier: BSD-3-Clause */
/* The result of a shot, and the file that keeps it until the survey is over. */
#include <string.h>
#include <unistd.h>

#include "imaging/imaging_private.h"

pav_status shot_result_open(shot_result *r, int64_t count, int64_t of_points)
{
    r->points = of_points;
    r->value = mem_new(count + 1, sizeof *r->value);
    for (; r->value && r->count < count; r->count++)
        if (!(r->value[r->count] = mem_new(of_points, sizeof **r->value)))
            return PAV_ENOMEM;
    return r->value ? PAV_OK : PAV_ENOMEM;
}

void shot_result_free(shot_result *r)
{
    for (int64_t k = 0; r->value && k < r->count; k++)
        mem_free(r->value[k]);
    mem_free(r->value);
    *r = (shot_result){0};
}

/* ---- files ------------------------------------------------------------------------- */

pav_status result_name(const shot_wish *wish, const char *data, const program *shot,
                       int64_t k, text *path)
{
    const pav_adjoint_options *o = wish->options;
    uint64_t identity = 0;
    hash h;

    TRY(program_identity(shot, &identity));
    hash_init(&h);
    hash_add(&h, &identity, sizeof identity);
    hash_add(&h, &o->steps, sizeof o->steps);
    hash_add(&h, &o->every, sizeof o->every);
    hash_add(&h, &wish->image, sizeof wish->image);
    if (o->stored)
        hash_add(&h, o->stored, (int64_t)strlen(o->stored) + 1);
    for (int n = 0; wish->coefficients && wish->coefficients[n]; n++)
        hash_add(&h, wish->coefficients[n], (int64_t)strlen(wish->coefficients[n]) + 1);
    TRY(files_hash(shot, &h));
    if (data)
        TRY(receivers_hash(shot, data, &h));
    text_add(path, "%s/shot-%04lld-%016llx.npy", o->directory ? o->directory : ".",
             (long long)k + 1, (unsigned long long)hash_end(&h));
    return path->failed ? PAV_ENOMEM : PAV_OK;
}

pav_status result_keep(const char *path, const shot_result *r)
{
    const int64_t count = r->count * r->points + 1;
    double *all = mem_new(count, sizeof *all);

    if (!all)
        return PAV_ENOMEM;
    all[0] = r->misfit;
    for (int64_t k = 0; k < r->count; k++)
        memcpy(all + 1 + k * r->points, r->value[k], (size_t)r->points * sizeof *all);
    const pav_status status = npy_write_table(path, all, 1, count);
    mem_free(all);
    return status;
}

pav_status result_take(const char *path, int64_t count, int64_t of_points, shot_result *r,
                       bool *found)
{
    trace_table t = {0};

    *found = false;
    if (access(path, R_OK) != 0 || traces_read(path, &t) != PAV_OK)
        return PAV_OK;
    *found = t.rows == 1 && t.columns == count * of_points + 1;
    pav_status status = *found ? shot_result_open(r, count, of_points) : PAV_OK;
    if (*found)
        r->misfit = t.value[0];
    for (int64_t k = 0; *found && status == PAV_OK && k < count; k++)
        memcpy(r->value[k], t.value + 1 + k * of_points,
               (size_t)of_points * sizeof **r->value);
    traces_free(&t);
    return status;
}
