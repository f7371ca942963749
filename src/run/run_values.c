/* SPDX-License-Identifier: BSD-3-Clause */
/* Values of a run by name: scalars, parameters, measures; fields borrowed, copied out and
 * copied in. */
#include <math.h>
#include <string.h>

#include "run/run_private.h"

static pav_status unknown(const char *what, const char *name, const char *const *names,
                          int64_t count)
{
    const char *near = text_nearest(name, names, count);
    if (near)
        return FAIL(PAV_EINVAL, "this program has no %s '%s'; did you mean '%s'?", what,
                    name, near);
    return FAIL(PAV_EINVAL, "this program has no %s '%s'", what, name);
}

/* lists: ends with NULL. */
static pav_status not_among(const char *what, const char *name,
                            const symbol_list *const *lists)
{
    int64_t count = 0;
    for (int n = 0; lists[n]; n++)
        count += lists[n]->count;
    const char **names = mem_new(count + 1, sizeof *names);
    if (!names)
        return PAV_ENOMEM;
    count = 0;
    for (int n = 0; lists[n]; n++)
        for (int64_t k = 0; k < lists[n]->count; k++)
            names[count++] = lists[n]->item[k]->name;
    const pav_status status = unknown(what, name, names, count);
    mem_free(names);
    return status;
}

static int find_slot(const ir *code, ir_uniform_kind kind, const char *name)
{
    for (int64_t k = 0; k < code->uniforms; k++)
        if (code->uniform[k].kind == kind && code->uniform[k].name &&
            strcmp(code->uniform[k].name, name) == 0)
            return (int)k;
    return -1;
}

static pav_status measure_value(pav_run *run, const char *name, double *value)
{
    for (int64_t k = 0; k < run->code->measures.count; k++) {
        const ir_event *event = &run->code->measures.item[k];
        if (strcmp(event->statement->symbol->name, name) != 0)
            continue;
        TRY(outofcore_check_whole(run));
        return run_event_value(run, event, value);
    }
    const program *p = run->program;
    const symbol_list *const lists[] = {&p->params, &p->scalars, &p->measures, NULL};
    if (symbol_in(&p->fields, name))
        return FAIL(
            PAV_EINVAL,
            "%s is a field, not one number: pav_field_read copies its values, and a "
            "measure such as `measure m = max(%s)` makes a number of them",
            name, name);
    return not_among("param, scalar or measure", name, lists);
}

pav_status pav_run_get(pav_run *run, const char *name, double *value)
{
    GUARDED;
    if (value)
        *value = 0;
    if (!run || !name || !value)
        return FAIL(PAV_EINVAL,
                    "pav_run_get needs a run, a name and a place for the value");
    const symbol *param = symbol_in(&run->program->params, name);
    const int slot = find_slot(run->code, param ? UNIFORM_PARAM : UNIFORM_SCALAR, name);
    if (param && param->constant)
        *value = num_f64(param->number);
    else if (slot >= 0)
        *value = run->part->uniform[slot];
    else if (symbol_in(&run->program->scalars, name))
        *value = num_f64(symbol_in(&run->program->scalars, name)->number);
    else
        return measure_value(run, name, value);
    return PAV_OK;
}

/* Equations within its step count, too. */
static void set_within(const pav_run *run, const char *name, double value)
{
    for (int64_t n = 0; run->solver.within && n < run->solver.solution.count; n++) {
        const subdomain *part = run->solver.within[n].run->part;
        const int slot = find_slot(part->code, UNIFORM_SCALAR, name);
        if (slot >= 0)
            part->uniform[slot] = value;
    }
}

pav_status pav_run_set(pav_run *run, const char *name, double value)
{
    GUARDED;
    if (!run || !name)
        return FAIL(PAV_EINVAL, "pav_run_set needs a run and a name");
    const int slot = find_slot(run->code, UNIFORM_SCALAR, name);
    if (symbol_in(&run->program->params, name))
        return FAIL(
            PAV_EINVAL,
            "'%s' is a param, fixed for a run; declare it as `scalar %s = ...` to change "
            "it between steps, or give it when the program is loaded",
            name, name);
    if (!symbol_in(&run->program->scalars, name))
        return not_among("scalar", name,
                         (const symbol_list *[]){&run->program->scalars, NULL});
    if (!isfinite(value))
        return FAIL(PAV_EINVAL, "scalar %s cannot be set to %g: a finite value is needed",
                    name, value);
    if (slot >= 0)
        run->part->uniform[slot] = value;
    set_within(run, name, value);
    return PAV_OK;
}

/* ---- fields ------------------------------------------------------------------------ */

static pav_status find_view(pav_run *run, const char *field, int age, host_use how,
                            int *number, const view **v)
{
    if (!run || !field)
        return FAIL(PAV_EINVAL, "a run and the name of a field are needed");
    const symbol *s = symbol_in(&run->program->fields, field);
    if (!s)
        return not_among("field", field,
                         (const symbol_list *[]){&run->program->fields, NULL});
    TRY(outofcore_check_whole(run));
    *number = run_field_of(run, s);
    const ir_field *f = &run->code->field[*number];
    const int kept = f->levels;
    if (age < 0 || age >= kept)
        return FAIL(PAV_EINVAL, "field %s keeps %d level%s (age 0%s), not one of age %d",
                    field, kept, kept == 1 ? "" : "s", kept == 1 ? "" : " and older",
                    age);
    if (run_executor_figures(run).behind && f->updated && age + 1 == kept)
        return FAIL(PAV_EINVAL,
                    "step %lld is the last of a fused launch, which lacks the "
                    "oldest level of field %s: ask once pav_run_steps has returned, or "
                    "for a newer one",
                    (long long)run->part->step, field);
    return run_host_view(run, *number, -age, how, v);
}

pav_status pav_field_borrow(pav_run *run, const char *field, int age, pav_view *result)
{
    GUARDED;
    const view *v = NULL;
    int number = -1;
    if (!result)
        return FAIL(PAV_EINVAL, "pav_field_borrow needs a place for the view");
    *result = (pav_view){0};
    const pav_status found = find_view(run, field, age, HOST_READ, &number, &v);
    if (found != PAV_OK || !v)
        return found;
    *result = (pav_view){.data = v->data, .type = v->type, .dimensions = run->code->dim};
    for (int axis = 0; axis < MAX_DIM; axis++) {
        result->extent[axis] = v->extent[axis];
        result->stride[axis] = v->stride[axis];
    }
    return PAV_OK;
}

static pav_status check_count(const char *field, const view *v, const void *values,
                              int64_t count, pav_type type)
{
    const int64_t needed = v->extent[0] * v->extent[1] * v->extent[2];
    if (!values)
        return FAIL(PAV_EINVAL, "no memory was given for the values of %s", field);
    if (pav_type_size(type) == 0)
        return FAIL(PAV_EINVAL, "%d is no element type", (int)type);
    if (count != needed)
        return FAIL(PAV_EINVAL, "field %s has %lld points, but %lld were given", field,
                    (long long)needed, (long long)count);
    return PAV_OK;
}

pav_status pav_field_read(pav_run *run, const char *field, int age, pav_type type,
                          void *values, int64_t count)
{
    GUARDED;
    const view *v = NULL;
    int number = -1;
    const pav_status found = find_view(run, field, age, HOST_READ, &number, &v);
    if (found != PAV_OK || !v)
        return found;
    TRY(check_count(field, v, values, count, type));
    view_read(v, type, values);
    return PAV_OK;
}

pav_status pav_field_write(pav_run *run, const char *field, int age, pav_type type,
                           const void *values, int64_t count)
{
    GUARDED;
    const view *v = NULL;
    int number = -1;
    const pav_status found = find_view(run, field, age, HOST_CHANGE, &number, &v);
    if (found != PAV_OK || !v)
        return found;
    TRY(check_count(field, v, values, count, type));
    view_write(v, type, values);
    outofcore_written(run);
    run->setup.written[number] = true;
    TRY(subdomain_fill_border(run->part, number, -age, run->part->step - age));
    subdomain_set_time(run->part, run->part->step);
    return PAV_OK;
}
