/* SPDX-License-Identifier: BSD-3-Clause */
/* The executor of fields in the host's memory. All others copy its table and replace
 * entries; the interpreter adds only its stage. Operations are complete on return. */
#include <assert.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "exec/exec.h"
#include "machine/machine.h"

enum { LONGEST = 1 << 21 /* points filled at once */ };

static pav_status nothing(executor *self)
{
    (void)self;
    return PAV_OK;
}

static pav_status take_field(executor *self, int64_t field, const field_shape *shape,
                             progress_sink *progress)
{
    levels *of = self->part->field;
    const int memory = self->part->code->field[field].memory;
    return memory ? levels_at(shape, of[memory - 1].block, &of[field])
                  : levels_new(shape, self->team, progress, &of[field]);
}

static pav_status host_view(executor *self, int64_t field, const view *v, host_use how,
                            const box *range, const view **host)
{
    (void)self, (void)field, (void)how, (void)range;
    *host = v;
    return PAV_OK;
}

/* ---- ghosts ------------------------------------------------------------------------ */

/* Ghosts that are copies, on processors. Threads divide a face in the same way as the
 * points, so most copied points are still in the cache of the thread that stored them. */

enum {
    ALONE = 16
}; /* contiguous points with the cost of one point at the end of a row */

typedef struct face {
    const view *v;
    int axis;
    ghost_sides sides;
    box range;
    int cut, parts;
} face;

static void fill_part(void *argument, int64_t n)
{
    const face *f = argument;
    box part;

    if (partition_box(&f->range, f->cut, f->parts, n, &part))
        ghost_fill(f->v, f->axis, f->sides, &part);
}

/* ---- points ------------------------------------------------------------------------ */

/* Rows in pieces, with consecutive numbers. A team fills the pieces from `first` to
 * `end`, about LONGEST points. */
typedef struct copying {
    const view *to, *from; /* NULL: zeros */
    box all;
    /* points of a row; points of a piece; pieces of a row */
    int64_t width, piece, pieces;
    int64_t first, end;
    int parts;
} copying;

static int64_t points_before(const copying *c, int64_t piece)
{
    return piece / c->pieces * c->width + piece % c->pieces * c->piece;
}

/* All bits zero is 0 in every type. */
static void copy_piece(const copying *c, int64_t piece)
{
    const int64_t row = piece / c->pieces, rows = c->all.hi[1] - c->all.lo[1];
    const int64_t at = piece % c->pieces * c->piece, i = c->all.lo[0] + at;
    const int64_t j = c->all.lo[1] + row % rows, k = c->all.lo[2] + row / rows;
    const int64_t left = c->width - at, count = left < c->piece ? left : c->piece;
    const size_t bytes = (size_t)count * pav_type_size(c->to->type);
    if (c->from && c->from->type != c->to->type)
        type_convert(c->to->type, view_at(c->to, i, j, k), c->from->type,
                     view_at(c->from, i, j, k), count);
    else if (c->from)
        memcpy(view_at(c->to, i, j, k), view_at(c->from, i, j, k), bytes);
    else
        memset(view_at(c->to, i, j, k), 0, bytes);
}

static void copy_part(void *argument, int64_t n)
{
    const copying *c = argument;
    const int64_t count = c->end - c->first;
    for (int64_t k = count * n / c->parts; k < count * (n + 1) / c->parts; k++)
        copy_piece(c, c->first + k);
}

static pav_status copy_points(executor *self, int field, const view *to, const view *from,
                              progress_sink *progress)
{
    copying c = {.to = to, .from = from, .all = view_points(to)};
    (void)field;
    if (box_is_empty(&c.all))
        return PAV_OK;
    c.width = c.all.hi[0] - c.all.lo[0];
    c.parts = host_team_threads(self->team);
    c.piece = int_parts(LONGEST, c.parts);
    c.pieces = int_parts(c.width, c.piece);
    const int64_t all = box_points(c.all) / c.width * c.pieces;
    const int64_t some = c.parts * int_parts(c.piece, c.width);
    for (; c.first < all; c.first = c.end) {
        c.end = all - c.first < some ? all : c.first + some;
        host_team_run(self->team, c.parts, copy_part, &c);
        TRY(progress_add(progress,
                         points_before(&c, c.end) - points_before(&c, c.first)));
    }
    return PAV_OK;
}

/* A box copied by threads, some rows each. */
typedef struct box_copy {
    const view *to, *from;
    const box *range;
    const int64_t *shift;
    int64_t rows, parts;
} box_copy;

static void copy_rows(void *argument, int64_t part)
{
    const box_copy *c = argument;
    const box *r = c->range;
    const int64_t along = r->hi[1] - r->lo[1], end = c->rows * (part + 1) / c->parts;
    const size_t bytes = (size_t)(r->hi[0] - r->lo[0]) * pav_type_size(c->to->type);
    for (int64_t n = c->rows * part / c->parts; n < end; n++) {
        const int64_t j = r->lo[1] + n % along, k = r->lo[2] + n / along;
        memcpy(view_at(c->to, r->lo[0], j, k),
               view_at(c->from, r->lo[0] + c->shift[0], j + c->shift[1], k + c->shift[2]),
               bytes);
    }
}

static pav_status copy_box(executor *self, int field, const view *to, const box *range,
                           executor *source, int of, const view *from,
                           const int64_t *shift)
{
    enum { SMALL = 1 << 18 }; /* bytes that one thread copies faster */
    (void)field, (void)source, (void)of;
    if (box_is_empty(range))
        return PAV_OK;
    const int64_t count = box_points(*range);
    const bool is_small = count * (int64_t)pav_type_size(to->type) < SMALL;
    box_copy c = {to, from, range, shift, count / (range->hi[0] - range->lo[0]), 1};
    if (!is_small)
        c.parts = int64_least(host_team_threads(self->team), c.rows);
    host_team_run(self->team, c.parts, copy_rows, &c);
    return PAV_OK;
}

static pav_status read_box(executor *self, int field, const view *v, const box *range,
                           void *values)
{
    (void)self, (void)field;
    view_read_box(v, range, v->type, values);
    return PAV_OK;
}

static pav_status write_box(executor *self, int field, const view *v, const box *range,
                            const void *values)
{
    (void)self, (void)field;
    view_write_box(v, range, v->type, values);
    return PAV_OK;
}

static const int64_t nowhere[MAX_DIM] = {0};

static pav_status move_rows(executor *self, int field, const view *v, const box *range,
                            const view *host, bool up)
{
    return copy_box(self, field, up ? v : host, range, self, field, up ? host : v,
                    nowhere);
}

/* Copies whole planes at once: nobody may touch either side before `exchanged`, so there
 * is no reason to defer the copy. */
static pav_status exchange(executor *self, const box_move *list, int64_t count)
{
    for (int64_t n = 0; n < count; n++) {
        const box_move *m = &list[n];
        box range = m->range;
        int64_t shift[MAX_DIM] = {0};
        const int axis = self->part->code->dim - 1;
        shift[axis] = m->up ? m->by : -m->by;
        if (!m->up)
            range = box_along(range, axis, range.lo[axis] + m->by,
                              range.hi[axis] + m->by);
        TRY(copy_box(self, m->field, m->up ? m->there : m->here, &range, self, m->field,
                     m->up ? m->here : m->there, shift));
    }
    return PAV_OK;
}

static pav_status find_not_finite(executor *self, int field, const view *v,
                                  const box *range, int64_t *point, bool *any)
{
    (void)self, (void)field;
    *any = view_find_not_finite(v, range, point);
    return PAV_OK;
}

static pav_status fill_axes(executor *self, int field, const view *v, int axis, int end)
{
    for (; axis < end; axis++)
        TRY(border_fill_axis(self->part, field, v, axis));
    return PAV_OK;
}

static pav_status copy_ghosts(executor *self, int field, const view *v, int axis,
                              ghost_sides sides, const box *range)
{
    (void)field;
    face f = {
        .v = v, .axis = axis, .sides = sides, .range = box_along(*range, axis, 0, 1)};

    const int64_t work = box_points(f.range) * (axis == 0 ? ALONE : 1);
    f.parts = work >= CPU_PARALLEL_POINTS ? host_team_threads(self->team) : 1;
    f.cut = partition_axis(&f.range, f.parts);
    if (f.parts == 1 || f.cut == axis)
        ghost_fill(v, axis, sides, range);
    else
        host_team_run(self->team, f.parts, fill_part, &f);
    return PAV_OK;
}

/* ---- sources and receivers --------------------------------------------------------- */

static pav_status inject(executor *self, int64_t index)
{
    return subdomain_inject_each(self->part, index);
}

static pav_status take_sample(executor *self, sampler *s)
{
    const subdomain *part = self->part;
    const view *v;
    box around = {{0}, {0}};
    for (int64_t k = 0; k < s->points->neighbours && part->keeper.ask; k++)
        box_add_point(&around, s->points->index[k]);
    TRY(subdomain_host_view(part, s->field, 0, HOST_READ,
                            part->keeper.ask ? &around : NULL, &v));
    sample_view(s->points, v, s->row);
    return s->keep(s->user, part->step, part->uniform[part->code->uniform_t], s->row);
}

static pav_status flush_sample(executor *self, sampler *s)
{
    (void)self, (void)s;
    return PAV_OK;
}

static void close_sample(executor *self, sampler *s)
{
    (void)self, (void)s;
}

/* ---- reports ----------------------------------------------------------------------- */

static executor_figures figures(const executor *self)
{
    (void)self;
    return (executor_figures){.crossing = 1, .depth = 1, .least = 1};
}

static bool is_tuned(const executor *self)
{
    (void)self;
    return true;
}

static void close_plain(executor *self)
{
    mem_free(self);
}

static bool chosen(const executor *self, int64_t n, schedule *s)
{
    (void)self, (void)n, (void)s;
    return false;
}

static void describe(const executor *self, text *t)
{
    if (self->compiled)
        text_add(t, "%s", self->ops.schedule(self));
}

static pav_status limits(const executor *self, double *bytes, double *seconds)
{
    (void)self;
    *bytes = *seconds = 0;
    return PAV_OK;
}

const executor_ops executor_host_ops = {
    .tuned = is_tuned,
    .chosen = chosen,
    .close = close_plain,
    .wait = nothing,
    .take_field = take_field,
    .place_views = nothing,
    .fill_tables = nothing,
    .host_view = host_view,
    .copy_points = copy_points,
    .copy_box = copy_box,
    .read_box = read_box,
    .write_box = write_box,
    .move_rows = move_rows,
    .exchange = exchange,
    .exchanged = nothing,
    .find_not_finite = find_not_finite,
    .begin = nothing,
    .begin_step = nothing,
    .end_step = nothing,
    .fill_axes = fill_axes,
    .end_borders = nothing,
    .copy_ghosts = copy_ghosts,
    .inject = inject,
    .take_sample = take_sample,
    .flush_sample = flush_sample,
    .close_sample = close_sample,
    .figures = figures,
    .describe = describe,
    .limits = limits,
};

/* The table consists of pointers to functions alone. */
executor_ops executor_ops_with(const executor_ops *own)
{
    void (*all[sizeof *own / sizeof(void (*)(void))])(void),
        (*given[COUNT_OF(all)])(void);
    executor_ops result;
    memcpy(all, &executor_host_ops, sizeof all);
    memcpy(given, own, sizeof given);
    for (size_t n = 0; n < COUNT_OF(all); n++)
        all[n] = given[n] ? given[n] : all[n];
    memcpy(&result, all, sizeof all);
    return result;
}

void subdomain_use(subdomain *part, executor *e)
{
    if (part->executor)
        part->executor->ops.close(part->executor);
    part->executor = e;
}

int field_buffers(const ir_field *f, bool fuses_steps)
{
    const int needed = 2 * ir_kept_levels(f);
    return fuses_steps && f->updated && needed > f->levels ? needed : f->levels;
}

/* ---- the interpreter --------------------------------------------------------------- */

/* The interpreter: the reference executor, on one thread, row by row. */

typedef struct interpreter {
    executor base;
    stage_runner runner;
} interpreter;

static pav_status run_stage(executor *self, const interp_args *args)
{
    return ((interpreter *)self)->runner(args);
}

static const char *rows(const executor *self)
{
    (void)self;
    return "rows";
}

pav_status exec_interp_open(subdomain *part, stage_runner runner, executor **result)
{
    static const executor_ops ops = {.stage = run_stage, .schedule = rows};
    interpreter *n = NULL;
    *result = NULL;
    TRY(mem_take(&n, 1, sizeof *n));
    *n = (interpreter){.base = {.ops = executor_ops_with(&ops), .part = part},
                       .runner = runner};
    *result = &n->base;
    return PAV_OK;
}

/* ---- rows of reductions ------------------------------------------------------------ */

void exec_put_rows(const box *whole, const box *part, int64_t reductions,
                   const double *from, double *to)
{
    const int64_t ny = whole->hi[1] - whole->lo[1], nz = whole->hi[2] - whole->lo[2];
    assert(box_is_inside(*part, *whole)); /* shares lie in the box of the reduction */
    for (int64_t n = 0; n < reductions; n++)
        for (int64_t k = part->lo[2] - whole->lo[2]; k < part->hi[2] - whole->lo[2]; k++)
            for (int64_t j = part->lo[1]; j < part->hi[1]; j++)
                to[(n * nz + k) * ny + j - whole->lo[1]] = *from++;
}

/* ---- notes to the client ----------------------------------------------------------- */

/* Notes and warnings of executors, passed to the listener of their client. */

void exec_report(const exec_client *c, bool warning, const char *format, ...)
{
    char line[1024];
    va_list list;
    va_start(list, format);
    (void)vsnprintf(line, sizeof line, format, list);
    va_end(list);
    c->ops->report(c->run, warning, line);
}
