/* SPDX-License-Identifier: BSD-3-Clause */
/* Fields, levels and params of a direct evaluation. A start value is computed at its
 * first use, so the order of statements does not matter. */
#include <string.h>

#include "check/check_private.h"

direct_field *direct_of(const direct *d, const symbol *field)
{
    return &d->field[field->index];
}

int64_t direct_index(const direct_field *f, const int64_t *at)
{
    return at[0] + f->extent[0] * (at[1] + f->extent[1] * at[2]);
}

static int slot_of(const direct_field *f, int level)
{
    return f->kept == 1 ? 0 : (f->newest + 1 - level) % f->kept;
}

estimate *direct_level(const direct_field *f, int level)
{
    return f->level + slot_of(f, level) * f->points;
}

void direct_set(direct *d, direct_field *f, int level)
{
    f->state[slot_of(f, level)] = DIRECT_DONE;
    d->moment++;
}

void direct_unset(direct_field *f)
{
    f->state[slot_of(f, 1)] = DIRECT_NOT_BEGUN;
}

void direct_rotate(direct *d)
{
    for (int64_t k = 0; k < d->program->fields.count; k++) {
        direct_field *f = &d->field[k];
        if (f->kept > 1)
            f->newest = (f->newest + f->kept - 1) % f->kept;
    }
    d->step++;
    d->moment++;
}

/* ---- points ------------------------------------------------------------------------ */

void direct_each(direct *d, direct_field *f, direct_visit visit, void *user)
{
    int64_t at[MAX_DIM];
    for (at[2] = 0; at[2] < f->extent[2]; at[2]++)
        for (at[1] = 0; at[1] < f->extent[1]; at[1]++)
            for (at[0] = 0; at[0] < f->extent[0]; at[0]++)
                visit(d, f, at, user);
}

/* ---- files ------------------------------------------------------------------------- */

void direct_path(const direct *d, const char *file, text *path)
{
    if (file[0] != '/')
        text_add(path, "%s/", d->program->directory);
    text_add(path, "%s", file);
}

/* Values of an npy file on the points of a field. */
static double *load(direct *d, const char *file, const int64_t *extent)
{
    const int64_t count = extent[0] * extent[1] * extent[2];
    double *values = mem_new(count, sizeof *values);
    const view v = {.data = values,
                    .type = PAV_F64,
                    .extent = {extent[0], extent[1], extent[2]},
                    .stride = {1, extent[0], extent[0] * extent[1]}};
    text path = {0};
    direct_path(d, file, &path);
    if (!values || path.failed)
        d->status = PAV_ENOMEM;
    else
        d->status = field_read(path.data, d->program->dim, &v, NULL);
    text_free(&path);
    if (d->status != PAV_OK) {
        mem_free(values);
        return NULL;
    }
    return values;
}

static void start_from_file(direct *d, direct_field *f, int level)
{
    double *values = load(d, f->symbol->file, f->extent);
    estimate *to = direct_level(f, level);
    for (int64_t k = 0; values && k < f->points; k++)
        to[k] = estimate_store(&d->rounding, f->symbol->storage,
                               estimate_of(&d->rounding, (long double)values[k]));
    mem_free(values);
}

/* ---- the start --------------------------------------------------------------------- */

typedef struct start {
    const expr *value;
    int level;
} start;

static void start_point(direct *d, direct_field *f, const int64_t *at, void *user)
{
    const start *s = user;
    direct_spot here = direct_here(d, f->symbol->coarse, at);
    here.step = s->level;
    const estimate value = s->value ? direct_value(d, s->value, &here)
                                    : estimate_exact(0);
    direct_level(f, s->level)[direct_index(f, at)] = estimate_store(
        &d->rounding, f->symbol->storage, value);
}

/* Fills a level at the start. An older level without its own initial value starts like
 * level 0, at its own time. */
static void start_level(direct *d, direct_field *f, int level)
{
    const symbol *s = f->symbol;
    start how = {.value = s->value, .level = level};
    if (level < 0 && -level <= MAX_LEVEL && s->initial_prev[-level])
        how.value = s->initial_prev[-level];
    else if (s->file) {
        start_from_file(d, f, level);
        return;
    }
    direct_each(d, f, start_point, &how);
}

bool direct_ready(direct *d, const direct_field *field, int level)
{
    direct_field *f = &d->field[field->symbol->index];
    unsigned char *state = &f->state[slot_of(f, level)];
    if (*state == DIRECT_DONE)
        return true;
    if (*state == DIRECT_UNDER_WAY || level > 0 || d->step > 0 || d->status != PAV_OK) {
        if (d->status == PAV_OK)
            d->status = FAIL(PAV_EINTERNAL,
                             "level %d of field %s is read before it has a value", level,
                             f->symbol->name);
        return false;
    }
    *state = DIRECT_UNDER_WAY;
    start_level(d, f, level);
    *state = DIRECT_DONE;
    return true;
}

estimate direct_param(direct *d, const symbol *s)
{
    if (s->constant)
        return estimate_num(&d->rounding, s->number);
    if (d->param_state[s->index] == DIRECT_UNDER_WAY && d->status == PAV_OK)
        d->status = FAIL(PAV_EINTERNAL, "param %s is read before it has a value",
                         s->name);
    if (d->param_state[s->index] == DIRECT_NOT_BEGUN) {
        const direct_spot here = direct_here(d, false, NULL);
        d->param_state[s->index] = DIRECT_UNDER_WAY;
        d->param[s->index] = direct_value(d, s->value, &here);
        d->param_state[s->index] = DIRECT_DONE;
    }
    return d->param[s->index];
}

/* ---- masks ------------------------------------------------------------------------- */

typedef struct masking {
    const statement *mask;
    const double *values; /* values of its file, on the mask's grid */
} masking;

static void hold_point(direct *d, direct_field *f, const int64_t *at, void *user)
{
    const masking *m = user;
    const int coarse = m->mask->symbol ? m->mask->symbol->coarse : 0;
    int64_t there[MAX_DIM];
    for (int a = 0; a < MAX_DIM; a++)
        there[a] = at[a] * (f->symbol->coarse > coarse &&
                                    coarse_halves(d->program, f->symbol->coarse, a)
                                ? 2
                                : 1);
    const axis_grid *axis = d->program->axis;
    const int64_t row = coarse ? f->extent[0] : axis[0].points;
    const int64_t plane = row *
                          (coarse || d->program->dim < 2 ? f->extent[1] : axis[1].points);
    unsigned char *owned = &f->owned[direct_index(f, at)];
    if (m->values) {
        const double value = m->values[there[0] + row * there[1] + plane * there[2]];
        *owned |= value == 0 ? DIRECT_KEPT : 0;
        return;
    }
    const direct_spot here = direct_here(d, coarse, there);
    const verdict open = direct_condition(d, m->mask->value, &here);
    *owned |= open.doubtful ? DIRECT_DOUBTFUL : open.holds ? 0 : DIRECT_KEPT;
}

static void mask_fields(direct *d, const statement *s)
{
    masking m = {.mask = s};
    double *values = NULL;
    if (s->file) {
        const symbol grid = {.coarse = s->symbol ? s->symbol->coarse : 0};
        int64_t extent[MAX_DIM];
        for (int axis = 0; axis < MAX_DIM; axis++)
            extent[axis] = field_extent(d->program, &grid, axis);
        m.values = values = load(d, s->file, extent);
    }
    for (int64_t k = 0; d->status == PAV_OK && k < d->program->fields.count; k++)
        if (d->field[k].owned && (!s->symbol || s->symbol->index == k))
            direct_each(d, &d->field[k], hold_point, &m);
    mem_free(values);
}

/* ---- opening ----------------------------------------------------------------------- */

static bool open_field(direct *d, const symbol *s)
{
    direct_field *f = &d->field[s->index];
    f->symbol = s;
    f->points = 1;
    f->kept = s->updated ? s->oldest + 3 : 1;
    for (int axis = 0; axis < MAX_DIM; axis++) {
        f->extent[axis] = field_extent(d->program, s, axis);
        f->points *= f->extent[axis];
    }
    f->level = mem_new(f->points * f->kept, sizeof *f->level);
    f->owned = s->updated ? mem_new(f->points, 1) : NULL;
    return f->level && (f->owned || !s->updated);
}

static void set_faces(direct *d, const statement *s)
{
    for (int64_t k = 0; k < d->program->fields.count; k++)
        for (int face = 0; face < 2 * d->program->dim; face++) {
            const bool named = !s->faces || (s->faces >> face & 1);
            if (named && (!s->symbol || s->symbol->index == k))
                d->field[k].face[face / 2][face % 2] = (direct_face){s->border, s->value};
        }
}

/* Sets the borders; later statements win. An absorbing face without a rule is 0 beyond;
 * for coefficients, it has the value at the face. */
static void set_borders(direct *d)
{
    for (const statement *s = d->program->first; s; s = s->next)
        if (s->kind == STATEMENT_BORDER)
            set_faces(d, s);
    for (const statement *s = d->program->first; s; s = s->next)
        for (int64_t k = 0; s->kind == STATEMENT_ABSORB && k < d->program->fields.count;
             k++)
            for (int face = 0; face < 2 * d->program->dim; face++) {
                direct_face *rule = &d->field[k].face[face / 2][face % 2];
                const symbol *f = d->field[k].symbol;
                if (rule->kind == BORDER_NONE && direct_absorbs(d, &d->field[k], s, face))
                    rule->kind = f->updated || f->coarse ? BORDER_BEYOND : BORDER_CLAMP;
            }
}

static bool allocate(direct *d)
{
    const program *p = d->program;
    d->field = mem_new(p->fields.count + 1, sizeof *d->field);
    d->param = mem_new(p->params.count + 1, sizeof *d->param);
    d->param_state = mem_new(p->params.count + 1, 1);
    if (!d->field || !d->param || !d->param_state)
        return false;
    for (int64_t k = 0; k < p->fields.count; k++)
        if (!open_field(d, p->fields.item[k]))
            return false;
    return true;
}

pav_status direct_open(const program *p, direct *d)
{
    memset(d, 0, sizeof *d);
    d->program = p;
    d->rounding = rounding_of(p->real);
    if (!allocate(d))
        return PAV_ENOMEM;
    set_borders(d);
    for (int64_t k = 0; k < p->fields.count; k++)
        for (int age = 0; age + 2 < d->field[k].kept || age == 0; age++)
            (void)direct_ready(d, &d->field[k], -age);
    for (int64_t k = 0; k < p->params.count; k++)
        (void)direct_param(d, p->params.item[k]);
    for (const statement *s = p->first; s; s = s->next)
        if (s->kind == STATEMENT_MASK && d->status == PAV_OK)
            mask_fields(d, s);
    return d->status;
}

void direct_close(direct *d)
{
    for (int64_t k = 0; d->field && k < d->program->fields.count; k++) {
        mem_free(d->field[k].level);
        mem_free(d->field[k].owned);
    }
    for (direct_weights *w = d->weights, *next; w; w = next) {
        next = w->next;
        mem_free(w);
    }
    mem_free(d->field);
    mem_free(d->param);
    mem_free(d->param_state);
}
