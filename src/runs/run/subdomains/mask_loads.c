/* SPDX-License-Identifier: BSD-3-Clause */
/* The cost of planes across each axis if masks skip points, found before any field has
 * memory. Masks of coordinates and numbers are evaluated plane by plane; masks in files
 * are read. Subdomains compute whole rows, so a row counts if one of its points computes.
 * Across x, single points count, since they lie in all rows. */
#include <assert.h>
#include <string.h>

#include "run/run_private.h"

/* points to evaluate; on larger grids only every n-th plane */
enum { MOST_POINTS = 1 << 24 };

typedef struct load_count {
    pav_run *run;
    const ir *code;
    subdomain part;    /* tables, uniform slots and views */
    view *plane;       /* for each mask field, a view of one plane */
    const view **mask; /* for each field its mask plane, or NULL */
    double **load;
    double computed, all; /* of the evaluated points */
} load_count;

/* ---- known masks ------------------------------------------------------------------- */

static const ir_start *start_of(const ir *code, int field)
{
    for (const ir_start *s = NULL; (s = ir_next_start(code, s));) {
        if (s->field == field && (s->kind == START_STAGE || s->kind == START_FILE))
            return s;
    }
    return NULL;
}

static bool is_of_coordinates(const ir *code, const ir_stage *s)
{
    for (const ir_node *n = NULL; (n = ir_next_node(s, n));) {
        if (n->op == IR_LOAD)
            return false;
        if (n->op != IR_UNIFORM)
            continue;
        const ir_uniform_kind kind = code->uniform[n->uniform].kind;
        if (kind == UNIFORM_PARAM || kind == UNIFORM_REDUCTION)
            return false;
    }
    return s->before < 0 || is_of_coordinates(code, &code->stage[s->before]);
}

static bool is_known(const ir *code, int mask)
{
    const ir_start *s = start_of(code, mask);
    return s && (s->kind == START_FILE ? field_has_parts(code->field[mask].file)
                                       : is_of_coordinates(code, &code->stage[s->stage]));
}

typedef enum mask_use { MASK_NONE, MASK_KNOWN, MASK_UNKNOWN } mask_use;

/* ---- one plane --------------------------------------------------------------------- */

/* All planes use the same memory. */
static pav_status take_plane(load_count *l, int64_t field)
{
    const int64_t *extent = l->code->field[field].extent;
    const int axis = l->code->dim - 1;
    view v = {.type = PAV_U8, .stride = {1, extent[0], extent[0] * extent[1]}};
    memcpy(v.extent, extent, sizeof v.extent);
    v.data = mem_new(v.stride[axis] + LEVELS_SLACK, 1);
    v.stride[axis] = 0;
    l->plane[field] = v;
    l->mask[field] = &l->plane[field];
    l->part.views[l->part.view[field] - l->part.views + 1] = &l->plane[field];
    return v.data ? PAV_OK : PAV_ENOMEM;
}

static pav_status fill_plane(load_count *l, int64_t field, const box *plane)
{
    const ir_start *s = start_of(l->code, (int)field);
    OWNED_BY(text_free) text path = {0};
    if (s->kind == START_STAGE)
        return interp_stage(&(interp_args){.code = l->code,
                                           .stage = &l->code->stage[s->stage],
                                           .view = l->part.view,
                                           .table = l->part.table,
                                           .uniform = l->part.uniform,
                                           .box = *plane});
    TRY(run_input_path(l->run, l->code->field[field].file, &path));
    return field_read_part(path.data, l->code->dim, &l->plane[field], plane, NULL);
}

/* Adds a row of a stage. A reduction has no mask and computes at all points. */
static void add_row(load_count *l, const ir_stage *s, int64_t j, int64_t k)
{
    const int64_t width = points_along(l->code, 0, s->coarse);
    assert(s->coarse == 0); /* run_find_loads made room for the grid's points */
    bool any = false;
    for (int64_t i = 0; i < width; i++) {
        const bool computes = !stage_is_masked(l->code, s) ||
                              stage_computes(l->code, s, l->mask,
                                             (int64_t[MAX_DIM]){i, j, k});
        l->load[0][i] += computes;
        l->computed += computes;
        any = any || computes;
    }
    l->all += (double)width;
    l->load[1][j] += any ? (double)width : 0;
    l->load[2][k] += any ? (double)width : 0;
}

static pav_status count_plane(load_count *l, const box *plane)
{
    const ir_list *step = &l->code->step;
    for (int64_t f = 0; f < l->code->fields; f++)
        if (l->mask[f])
            TRY(fill_plane(l, f, plane));
    for (int64_t n = 0; n < step->count; n++) {
        const ir_stage *s = &l->code->stage[step->stage[n]];
        if (s->coarse > 0 || ir_is_uniform(s))
            continue;
        for (int64_t k = plane->lo[2]; k < plane->hi[2]; k++)
            for (int64_t j = plane->lo[1]; j < plane->hi[1]; j++)
                add_row(l, s, j, k);
    }
    return PAV_OK;
}

/* ---- all planes -------------------------------------------------------------------- */

/* A skipped plane counts the same as the last evaluated one. */
static pav_status count_planes(load_count *l)
{
    const int axis = l->code->dim - 1;
    const int64_t count = points_along(l->code, axis, 0);
    const int64_t every = (int64_t)(l->run->work.points / MOST_POINTS) + 1;
    box plane = ir_grid_box(l->code);
    for (int64_t n = 0; n < count; n++) {
        plane = box_along(plane, axis, n, n + 1);
        if (n % every == 0)
            TRY(count_plane(l, &plane));
        else
            l->load[axis][n] = l->load[axis][n - 1];
    }
    return PAV_OK;
}

static pav_status open_masks(load_count *l)
{
    const ir *code = l->code;
    TRY(mem_take(&l->plane, code->fields + 1, sizeof *l->plane));
    TRY(mem_take(&l->mask, code->fields + 1, sizeof *l->mask));
    TRY(subdomain_open_fields(&l->part));
    TRY(subdomain_open_values(&l->part));
    TRY(subdomain_fill_tables(&l->part));
    subdomain_set_time(&l->part, 0);
    for (int64_t f = 0; f < code->fields; f++)
        for (int m = 0; m < code->field[f].masks && code->field[f].coarse == 0; m++)
            if (!l->mask[code->field[f].mask[m]])
                TRY(take_plane(l, code->field[f].mask[m]));
    return PAV_OK;
}

void run_close_loads(pav_run *run)
{
    for (int axis = 0; axis < MAX_DIM; axis++) {
        mem_free(run->cut.load[axis]);
        run->cut.load[axis] = NULL;
    }
}

/* A missing or unsuitable file is no error here: the start reports it by name. */
pav_status run_find_loads(pav_run *run)
{
    load_count l = {
        .run = run, .code = run->code, .part.code = run->code, .load = run->cut.load};
    const ir *code = run->code;
    mask_use use = MASK_NONE;
    for (int64_t n = 0; n < code->step.count; n++) {
        const ir_stage *s = &code->stage[code->step.stage[n]];
        for (int64_t k = 0; k < s->outputs && stage_is_masked(code, s); k++) {
            const ir_field *f = &code->field[s->output[k].field];
            for (int m = 0; m < f->masks; m++)
                use = use < MASK_UNKNOWN && is_known(code, f->mask[m]) ? MASK_KNOWN
                                                                       : MASK_UNKNOWN;
        }
    }
    run->cut.unknown_mask = use == MASK_UNKNOWN;
    if (use != MASK_KNOWN || run->code->dim < 2)
        return PAV_OK;
    for (int axis = 0; axis < MAX_DIM; axis++) {
        TRY(mem_take(&run->cut.load[axis], points_along(run->code, axis, 0) + 1,
                     sizeof(double)));
    }
    pav_status status = open_masks(&l);
    if (status == PAV_OK)
        status = count_planes(&l);
    for (int64_t f = 0; l.plane && f < l.code->fields; f++)
        mem_free(l.plane[f].data);
    MEM_FREE_ALL(l.plane, l.mask);
    subdomain_release(&l.part);
    run->cut.computed_share = l.all > 0 ? l.computed / l.all : 1;
    if (status == PAV_OK)
        return PAV_OK;
    run_close_loads(run);
    return status == PAV_ENOMEM ? status : PAV_OK;
}
