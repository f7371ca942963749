/* SPDX-License-Identifier: BSD-3-Clause */
/* Values of a run for callers: its items; scalars, parameters and measures by name;
 * fields borrowed, copied out and copied in.
 *
 * All host code that reads or writes points of a field must get its view here: on a
 * GPU, the run's own views point to device memory. */
#include <assert.h>
#include <math.h>
#include <string.h>

#include "run/run_private.h"

/* ---- host views -------------------------------------------------------------------- */

pav_status run_host_box(const pav_run *run, int field, int level, const box *range,
                        const view **v)
{
    return subdomain_host_view(run->part, field, level, HOST_READ, range, v);
}

pav_status run_host_view(const pav_run *run, int field, int level, host_use how,
                         const view **v)
{
    if (how == HOST_CHANGE || how == HOST_FILL)
        run->part->steady = 0;
    return subdomain_host_view(run->part, field, level, how, NULL, v);
}

void run_keep_awake(pav_run *run, bool awake)
{
    (awake ? host_team_keep_awake : host_team_release)(run->team.all);
}

/* ---- points of levels -------------------------------------------------------------- */

/* Copies points of levels out of a run and back: dense, x fastest, in the host's memory
 * in any type, or in the device's memory. A whole level copied back gets its border
 * filled, a box does not. */

int run_field_number(const pav_run *run, const char *name)
{
    for (int64_t f = 0; f < run->code->fields; f++)
        if (strcmp(run->code->field[f].name, name) == 0)
            return (int)f;
    return -1;
}

/* ---- the host's memory ------------------------------------------------------------- */

typedef struct copying {
    const view *v;
    pav_type type;
    char *memory;
    bool into; /* true: into the level */
    box points;
    int axis, parts;
} copying;

/* Copies whole rows and planes, so that the memory before each part is dense, too. */
static void copy_part(void *argument, int64_t n)
{
    const copying *c = argument;
    const box *all = &c->points;
    const int64_t nx = all->hi[0] - all->lo[0], ny = all->hi[1] - all->lo[1];
    const int64_t size = (int64_t)pav_type_size(c->type);
    box part;

    if (!partition_box(&c->points, c->axis, c->parts, n, &part))
        return;
    for (int64_t k = part.lo[2]; k < part.hi[2]; k++) {
        const box plane = box_along(part, 2, k, k + 1);
        char *at = c->memory +
                   ((k - all->lo[2]) * ny + part.lo[1] - all->lo[1]) * nx * size;
        if (c->into)
            view_write_box(c->v, &plane, c->type, at);
        else
            view_read_box(c->v, &plane, c->type, at);
    }
}

/* Copies points between a level and memory of the host; range NULL: all points. */
static pav_status move_points(pav_run *run, int field, int age, const box *range,
                              pav_type type, bool into, void *memory)
{
    copying c = {.type = type, .memory = memory, .into = into};
    if (into)
        TRY(run_host_view(run, field, -age, HOST_CHANGE, &c.v));
    else if (range)
        TRY(run_host_box(run, field, -age, range, &c.v));
    else
        TRY(run_host_view(run, field, -age, HOST_READ, &c.v));
    if (!c.v)
        return PAV_OK;
    c.points = range ? *range : view_points(c.v);
    enum { PARTED_FROM = 1 << 15 /* points */ };

    c.axis = c.points.hi[2] - c.points.lo[2] > 1 ? 2 : 1;
    c.parts = box_points(c.points) < PARTED_FROM ? 1 : host_team_threads(run->team.all);
    if (c.points.hi[c.axis] - c.points.lo[c.axis] == 1)
        c.parts = 1;
    if (c.parts > 1)
        host_team_run(run->team.all, c.parts, copy_part, &c);
    else
        copy_part(&c, 0);
    return PAV_OK;
}

pav_status run_fill_border(pav_run *run, int field, int age)
{
    TRY(subdomain_fill_border(run->part, field, -age, run->part->step - age));
    for (int f = field + 1; f < run->code->fields; f++)
        if (ir_border_reads(run->code, f, field) && age + 1 < run->code->field[f].levels)
            TRY(run_fill_border(run, f, age));
    subdomain_set_time(run->part, run->part->step);
    return PAV_OK;
}

pav_status run_keep_points(pav_run *run, int field, int age, pav_type type, void *memory)
{
    return move_points(run, field, age, NULL, type, false, memory);
}

pav_status run_bring_points(pav_run *run, int field, int age, pav_type type, void *memory)
{
    TRY(move_points(run, field, age, NULL, type, true, memory));
    return run_fill_border(run, field, age);
}

/* True if a box can be copied alone; otherwise the whole level is copied. */
static bool has_boxes(const pav_run *run)
{
    return run->part->executor->own_memory && !run->cut.is_cut;
}

pav_status run_save_box(pav_run *run, int field, int age, const box *range, void *memory)
{
    executor *e = run->part->executor;
    return has_boxes(run)
               ? e->ops.read_box(e, field, run->part->view[field][1 + age], range, memory)
               : move_points(run, field, age, range, run->code->field[field].storage,
                             false, memory);
}

pav_status run_restore_box(pav_run *run, int field, int age, const box *range,
                           void *memory)
{
    executor *e = run->part->executor;
    run->part->steady = 0;
    return has_boxes(run) ? e->ops.write_box(e, field, run->part->view[field][1 + age],
                                             range, memory)
                          : move_points(run, field, age, range,
                                        run->code->field[field].storage, true, memory);
}

/* ---- where the fields are ---------------------------------------------------------- */

int64_t run_memory_on_device(const pav_run *run, int concurrent)
{
    return has_boxes(run) ? place_free_memory(run_place(run), concurrent) : 0;
}

pav_status run_take_on_device(pav_run *run, int64_t bytes, void **memory)
{
    executor *e = run->part->executor;

    return e->ops.take_memory(e, bytes, memory);
}

void run_release_on_device(pav_run *run, void *memory)
{
    executor *e = run->part->executor;

    e->ops.release_memory(e, memory);
}

pav_status run_save_on_device(pav_run *run, int field, int age, const box *range,
                              void *memory)
{
    executor *e = run->part->executor;

    return e->ops.keep_points(e, field, run->part->view[field][1 + age], range, memory,
                              false);
}

pav_status run_restore_from_device(pav_run *run, int field, int age, const box *range,
                                   void *memory)
{
    executor *e = run->part->executor;

    run->part->steady = 0;
    TRY(e->ops.keep_points(e, field, run->part->view[field][1 + age], range, memory,
                           true));
    return range ? PAV_OK : run_fill_border(run, field, age);
}

/* ---- values by name ---------------------------------------------------------------- */

/* lists: ends with NULL. */
static pav_status not_among(const char *what, const char *name,
                            const symbol_list *const *lists)
{
    int64_t count = 0;
    for (int n = 0; lists[n]; n++)
        count += lists[n]->count;
    OWNED_NEW(const char *, names, count + 1);
    count = 0;
    for (int n = 0; lists[n]; n++)
        for (int64_t k = 0; k < lists[n]->count; k++)
            names[count++] = lists[n]->item[k]->name;
    const char *near = text_nearest(name, names, count);
    return near ? FAIL(PAV_EINVAL, "this program has no %s '%s'; did you mean '%s'?",
                       what, name, near)
                : FAIL(PAV_EINVAL, "this program has no %s '%s'", what, name);
}

int run_slot(const ir *code, ir_uniform_kind kind, const char *name)
{
    for (int64_t k = 0; k < code->uniforms; k++)
        if (code->uniform[k].kind == kind && code->uniform[k].name &&
            strcmp(code->uniform[k].name, name) == 0)
            return (int)k;
    return -1;
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
    const int slot = run_slot(run->code, param ? UNIFORM_PARAM : UNIFORM_SCALAR, name);
    if (param && param->constant)
        *value = num_f64(param->number);
    else if (slot >= 0)
        *value = run->part->uniform[slot];
    else if (symbol_in(&run->program->scalars, name))
        *value = num_f64(symbol_in(&run->program->scalars, name)->number);
    else {
        for (int64_t k = 0; k < run->code->measures.count; k++) {
            const ir_event *event = &run->code->measures.item[k];
            if (strcmp(event->statement->symbol->name, name) != 0)
                continue;
            TRY(run_check_whole(run));
            TRY(run_see_loans(run));
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
    return PAV_OK;
}

pav_status pav_run_set(pav_run *run, const char *name, double value)
{
    GUARDED;
    if (!run || !name)
        return FAIL(PAV_EINVAL, "pav_run_set needs a run and a name");
    const int slot = run_slot(run->code, UNIFORM_SCALAR, name);
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
    run->part->set = true;
    if (slot >= 0)
        run->part->uniform[slot] = value;
    if (slot >= 0 && run->code->uniform[slot].next) /* borders read it */
        run->part->uniform[run->code->uniform[slot].next] = value;
    return PAV_OK;
}

/* ---- fields ------------------------------------------------------------------------ */

static pav_status find_level(pav_run *run, const char *field, int age, int *number)
{
    if (!run || !field)
        return FAIL(PAV_EINVAL, "a run and the name of a field are needed");
    const symbol *s = symbol_in(&run->program->fields, field);
    if (!s)
        return not_among("field", field,
                         (const symbol_list *[]){&run->program->fields, NULL});
    TRY(run_check_whole(run));
    TRY(run_see_loans(run));
    *number = run_field_of(run, s);
    if (*number < 0)
        return FAIL(PAV_EINVAL,
                    "field %s has the same values on all lines and in all steps, so the "
                    "run keeps no field of it",
                    field);
    const ir_field *f = &run->code->field[*number];
    const int kept = f->levels;
    if (age < 0 || age >= kept)
        return FAIL(PAV_EINVAL, "field %s keeps %d level%s (age 0%s), not one of age %d",
                    field, kept, kept == 1 ? "" : "s", kept == 1 ? "" : " and older",
                    age);
    if (run_executor_figures(run).behind && f->updated && age >= ir_kept_levels(f))
        return FAIL(PAV_EINVAL,
                    "step %lld is the last of a fused launch, which lacks the "
                    "oldest level of field %s: ask once pav_run_steps has returned, or "
                    "for a newer one",
                    (long long)run->part->step, field);
    return PAV_OK;
}

/* range NULL: all points are brought to the host. */
static pav_status find_view(pav_run *run, const char *field, int age, host_use how,
                            const box *range, int *number, const view **v)
{
    TRY(find_level(run, field, age, number));
    return range ? run_host_box(run, *number, -age, range, v)
                 : run_host_view(run, *number, -age, how, v);
}

static pav_view view_of(const pav_run *run, const view *v)
{
    pav_view of = {.data = v->data, .type = v->type, .dimensions = run->code->dim};
    for (int axis = 0; axis < MAX_DIM; axis++) {
        of.extent[axis] = v->extent[axis];
        of.stride[axis] = v->stride[axis];
    }
    return of;
}

pav_status pav_field_borrow(pav_run *run, const char *field, int age, pav_view *result)
{
    GUARDED;
    const view *v = NULL;
    int number = -1;
    if (!result)
        return FAIL(PAV_EINVAL, "pav_field_borrow needs a place for the view");
    *result = (pav_view){0};
    const pav_status found = find_view(run, field, age, HOST_READ, NULL, &number, &v);
    if (found != PAV_OK || !v)
        return found;
    *result = view_of(run, v);
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
    const pav_status found = find_view(run, field, age, HOST_READ, NULL, &number, &v);
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
    const pav_status found = find_view(run, field, age, HOST_CHANGE, NULL, &number, &v);
    if (found != PAV_OK || !v)
        return found;
    TRY(check_count(field, v, values, count, type));
    view_write(v, type, values);
    if (run->stepper->written)
        run->stepper->written(run);
    run->setup.written[number] = true;
    TRY(run_fill_border(run, number, age));
    return run_see_loans(run); /* other code sees the new values */
}

/* ---- loans ------------------------------------------------------------------------- */

/* Levels that other code of the process may change in place. Nobody reports the changes.
 * So each call of the run takes every lent level as changed, until the next steps. */

static pav_status see_level(pav_run *run, int field, int age, int *number)
{
    executor *e = run->part->executor;
    return e->ops.lend ? e->ops.lend(e, field, run->part->view[field][1 + age], number)
                       : PAV_OK;
}

pav_status run_see_loans(pav_run *run)
{
    int number;
    for (int f = 0; run->setup.lent && f < run->code->fields; f++)
        for (int age = 0; age < run->code->field[f].levels; age++)
            if (run->setup.lent[f] >> age & 1) {
                TRY(see_level(run, f, age, &number));
                run->part->steady = 0;
                run->setup.written[f] = true;
                TRY(run_fill_border(run, f, age));
            }
    return PAV_OK;
}

/* Finds a level whose points all lie in one memory. */
static pav_status find_place(pav_run *run, const char *field, int age, int *number)
{
    TRY(find_level(run, field, age, number));
    if (run->progress.entered || run->cut.is_cut || run->part->ranks ||
        run->stepper->windows)
        return FAIL(PAV_EINVAL,
                    "%s: pav_field_read and pav_field_write copy values instead",
                    run->progress.entered
                        ? "inside a listener no field is lent, since steps go on"
                        : "this run keeps its fields in several places, so no field has "
                          "one address");
    return PAV_OK;
}

pav_status pav_field_device(pav_run *run, const char *field, int age,
                            pav_device_view *result)
{
    GUARDED;
    int field_number = -1, device = -1;
    if (!result)
        return FAIL(PAV_EINVAL, "pav_field_device needs a place for the view");
    *result = (pav_device_view){0};
    TRY(find_place(run, field, age, &field_number));
    if (!run->setup.lent)
        TRY(mem_take(&run->setup.lent, run->code->fields, sizeof *run->setup.lent));
    TRY(see_level(run, field_number, age, &device));
    run->setup.lent[field_number] |= 1U << age;
    *result = (pav_device_view){view_of(run, run->part->view[field_number][1 + age]),
                                device < 0 ? 1 : 2, device < 0 ? 0 : device};
    return PAV_OK;
}

pav_status pav_field_write_device(pav_run *run, const char *field, int age,
                                  const void *values, int64_t count)
{
    GUARDED;
    int number = -1, device;
    TRY(find_place(run, field, age, &number));
    const view *v = run->part->view[number][1 + age];
    executor *e = run->part->executor;
    TRY(check_count(field, v, values, count, v->type));
    if (!e->ops.lend)
        return pav_field_write(run, field, age, v->type, values, count);
    TRY(see_level(run, number, age, &device));
    run->setup.written[number] = true;
    return run_restore_from_device(run, number, age, NULL, (void *)values);
}

/* ---- pictures ---------------------------------------------------------------------- */

/* Every n-th point of a long axis is drawn: a picture has no more pixels, and a live one
 * is to be cheap. */
enum { SHOWN_POINTS = 1024 };

pav_status pav_field_picture(pav_run *run, const char *field, int axis, int64_t at,
                             char **png, size_t *length)
{
    GUARDED;
    OWNED_BY(text_free) text t = {0};
    statement s = {0};
    const view *v = NULL;
    int number = -1;
    box shown;
    if (!png || !length)
        return FAIL(PAV_EINVAL, "pav_field_picture needs a place for the picture");
    *png = NULL;
    *length = 0;
    TRY(find_level(run, field, 0, &number));
    s.symbol = symbol_in(&run->program->fields, field);
    const int64_t *extent = run->code->field[run_field_of(run, s.symbol)].extent;
    const int dim = run->code->dim;
    if (dim == MAX_DIM && (axis < 0 || axis >= dim || at < 0 || at >= extent[axis]))
        return FAIL(PAV_EINVAL,
                    "field %s has no slice %lld of axis %d: it has %lld x %lld x %lld "
                    "points, and axes are numbered 0, 1, 2",
                    s.symbol->name, (long long)at, axis, (long long)extent[0],
                    (long long)extent[1], (long long)extent[2]);
    for (int k = 0; k < dim; k++) {
        s.stride_of[k] = (extent[k] + SHOWN_POINTS - 1) / SHOWN_POINTS;
        s.crop_to[k] = extent[k] - 1;
    }
    s.slice_axis = dim == MAX_DIM ? axis : -1;
    s.slice_index = at;
    io_frame f = output_frame(run, &s, &shown);
    TRY(find_view(run, field, 0, HOST_READ, &shown, &number, &v));
    if (!v) /* only the first rank has the points */
        return PAV_OK;
    output_place(&s, v, &shown, &f);
    TRY(frame_png(&f, &t));
    *length = (size_t)t.length;
    return text_take(&t, png);
}

/* ---- items ------------------------------------------------------------------------- */

/* The items of a run, for callers that do not know its description. */

static const pav_item number = {.type = PAV_F64, .extent = {1, 1, 1}};

static pav_item item_of(const pav_run *run, int kind, const symbol *s, int64_t index)
{
    pav_item item = number;
    if (kind == PAV_KIND_SAMPLE) {
        const recorder *r = run_sample(run, index);
        item.dimensions = 1;
        item.extent[0] = r->points.count;
        item.name = r->statement->symbol->name;
        return item;
    }
    assert(s); /* all other kinds have a symbol */
    item.name = s->name;
    if (kind == PAV_KIND_FIELD && run_field_of(run, s) >= 0) {
        const ir_field *f = &run->code->field[run_field_of(run, s)];
        item.type = f->storage;
        item.dimensions = run->code->dim;
        item.ages = f->levels;
        memcpy(item.extent, f->extent, sizeof f->extent);
    }
    return item;
}

enum { KINDS = PAV_KIND_SAMPLE + 1 };

/* The names of a kind; samples have no list. */
static const symbol_list *names_of(const pav_run *run, int kind)
{
    const program *p = run->program;
    const symbol_list *const list[KINDS] = {[PAV_KIND_FIELD] = &p->fields,
                                            [PAV_KIND_PARAM] = &p->params,
                                            [PAV_KIND_SCALAR] = &p->scalars,
                                            [PAV_KIND_MEASURE] = &p->measures};
    return list[kind];
}

static int64_t count_of(const pav_run *run, int kind)
{
    const symbol_list *names = names_of(run, kind);
    return names ? names->count : run_samples(run);
}

int64_t pav_run_items(const pav_run *run)
{
    int64_t count = 0;
    for (int kind = 0; kind < KINDS && run; kind++)
        count += count_of(run, kind);
    return count;
}

pav_status pav_run_describe(const pav_run *run, int64_t at, pav_item *item)
{
    GUARDED;
    int64_t index = at;
    if (item)
        *item = (pav_item){0};
    if (!run || !item)
        return FAIL(PAV_EINVAL, "pav_run_describe needs a run and a place for the item");
    for (int kind = 0; kind < KINDS && index >= 0; kind++) {
        const symbol_list *names = names_of(run, kind);
        const int64_t count = count_of(run, kind);
        if (index < count) {
            *item = item_of(run, kind, names ? names->item[index] : NULL, index);
            item->kind = (pav_kind)kind;
            item->index = index;
            return PAV_OK;
        }
        index -= count;
    }
    return FAIL(PAV_EINVAL, "this run has %lld items, numbered from 0, and no item %lld",
                (long long)pav_run_items(run), (long long)at);
}
