/* SPDX-License-Identifier: BSD-3-Clause */
/* Memory asked for ahead: the rows that the next tile of a column will be the first to
 * touch, its own and those of the column before into which it is skewed, are asked for
 * strip by strip while the operations of this one go on in the caches. Processors do not
 * see them coming, since a tile's rows are few and lie far apart. */
#include "run/time/time_private.h"

enum { LINE = 64 }; /* bytes */

static pav_status add_buffers(time_block *p, const levels *l)
{
    for (int n = 0; n < l->count; n++)
        p->fetch[p->fetches++] = &l->level[n];
    return PAV_OK;
}

/* Fields of the grid that a stage of the steps reads or stores. */
static bool is_touched(const ir *code, int field)
{
    for (int64_t k = 0; k < code->step.count; k++) {
        const ir_stage *s = &code->stage[code->step.stage[k]];
        for (int64_t n = 0; n < s->count; n++)
            if (s->node[n].op == IR_LOAD && s->node[n].field == field)
                return true;
    }
    return code->field[field].updated;
}

pav_status time_find_prefetches(time_block *p)
{
    const pav_run *run = p->run;
    int64_t buffers = 1;
    for (int64_t f = 0; f < run->part->code->fields; f++)
        buffers += run->part->field[f].count;
    p->fetch = mem_new(buffers, sizeof *p->fetch);
    if (!p->fetch)
        return PAV_ENOMEM;
    for (int f = 0; f < run->part->code->fields; f++)
        if (is_touched(run->part->code, f) && !run->part->code->field[f].coarse)
            TRY(add_buffers(p, &run->part->field[f]));
    return PAV_OK;
}

static int64_t within(const time_axis *a, int64_t at)
{
    return at < 0 ? 0 : at > a->extent ? a->extent : at;
}

/* Along the column those of all operation instances, whose skews grow; along the
 * stream what none of them has come to. */
static box next_rows(const time_block *p, const int64_t tile[MAX_DIM])
{
    const int64_t most = p->instance[p->instances - 1].most_shift;
    box b;
    for (int axis = 0; axis < MAX_DIM; axis++) {
        const time_axis *a = &p->axis[axis];
        const int64_t skew = p->state->blocking.skew[axis];
        int64_t lo = tile[axis] * a->width - skew, hi = lo + a->width + 2 * skew;
        if (axis == p->state->column)
            lo -= most;
        if (axis == p->state->stream) {
            lo = hi - p->instance[0].shift[axis];
            hi = lo + a->width;
        }
        b.lo[axis] = within(a, lo);
        b.hi[axis] = within(a, hi);
    }
    return b;
}

static int64_t add_row(const view *v, const box *b, int64_t j, int64_t k,
                       const char *row[2])
{
    const int64_t size = (int64_t)pav_type_size(v->type);
    row[0] = (const char *)v->data + view_index(v, b->lo[0], j, k) * size;
    row[1] = row[0] + (b->hi[0] - b->lo[0]) * size;
    return (row[1] - row[0] + LINE - 1) / LINE;
}

static int64_t add_rows(const view *v, const box *b, const char *(**row)[2])
{
    int64_t lines = 0;
    for (int64_t k = b->lo[2]; k < b->hi[2]; k++)
        for (int64_t j = b->lo[1]; j < b->hi[1]; j++)
            lines += add_row(v, b, j, k, *(*row)++);
    return lines;
}

/* As many at a time as are needed for all of them to be asked for within the tile, which
 * has about as many strips as that before. */
void time_prefetch_of(const time_block *p, const int64_t tile[MAX_DIM], time_prefetch *a)
{
    const box b = next_rows(p, tile);
    const char *(*row)[2] = a->row;
    int64_t lines = 0;
    for (int64_t k = 0; k < p->fetches && !box_is_empty(&b); k++)
        lines += add_rows(p->fetch[k], &b, &row);
    (*row)[0] = NULL;
    const int64_t strips = a->requested.strips > 0 ? a->requested.strips : lines;
    a->requested = (emit_prefetch){.row = a->row};
    if (lines > 0)
        a->requested.lines = (lines + strips - 1) / strips;
}

/* No tile has more rows than its points and all that operations lean over. */
static int64_t most_rows(const time_block *p)
{
    int64_t rows = p->fetches;
    for (int axis = 1; axis < MAX_DIM; axis++) {
        const time_axis *a = &p->axis[axis];
        const int64_t wide = a->width + 2 * (int64_t)p->state->blocking.skew[axis] +
                             p->instance[p->instances - 1].most_shift;
        rows *= wide < a->extent ? wide : a->extent;
    }
    return rows;
}

pav_status time_prefetch_open(const time_block *p, time_prefetch *a)
{
    *a = (time_prefetch){.row = mem_new(most_rows(p) + 1, sizeof *a->row)};
    return a->row ? PAV_OK : PAV_ENOMEM;
}

void time_prefetch_close(time_prefetch *a)
{
    mem_free(a->row);
}
