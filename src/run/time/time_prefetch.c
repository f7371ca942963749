/* SPDX-License-Identifier: BSD-3-Clause */
/* Memory asked for ahead: the rows that the next tile of a column will be the first to
 * touch, its own and those of the column before into which it is skewed, are asked for
 * strip by strip while the operations of this one go on in the caches. Processors do not
 * see them coming, since a tile's rows are few and lie far apart. */
#include "run/time/time_private.h"

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

static int64_t widest_column(const time_block *p)
{
    int64_t most = 0;
    for (int64_t row = 0; row < p->columns.rows; row++)
        for (int64_t k = 0; k < p->axis[p->state->column].tiles; k++) {
            const span s = time_tile_of(p, row, k).column;
            most = s.hi - s.lo > most ? s.hi - s.lo : most;
        }
    return most;
}

pav_status time_find_prefetches(time_block *p)
{
    const subdomain *part = p->part;
    int64_t buffers = 1;
    p->widest = p->state->column >= 0 ? widest_column(p) : 1;
    for (int64_t f = 0; f < part->code->fields; f++)
        buffers += part->field[f].count;
    p->fetch = mem_new(buffers, sizeof *p->fetch);
    if (!p->fetch)
        return PAV_ENOMEM;
    for (int f = 0; f < part->code->fields; f++)
        if (is_touched(part->code, f) && !part->code->field[f].coarse)
            TRY(add_buffers(p, &part->field[f]));
    return PAV_OK;
}

/* Along the column those of all operation instances; along the stream what none of them
 * has come to. */
static box next_rows(const time_block *p, const time_tile *t)
{
    box b;
    for (int axis = 0; axis < MAX_DIM; axis++) {
        const time_axis *a = &p->axis[axis];
        const int64_t skew = p->state->blocking.skew[axis];
        int64_t lo = t->at[axis] * a->width - skew, hi = lo + a->width + 2 * skew;
        if (axis == 0)
            lo -= p->instance[t->end - 1].shift[0] - t->back[0];
        if (axis == p->state->column) {
            lo = t->column.lo - skew;
            hi = t->column.hi + skew;
        }
        if (axis == p->state->stream) {
            lo = hi;
            hi = lo + a->width;
        }
        b.lo[axis] = time_within(a, lo);
        b.hi[axis] = time_within(a, hi);
    }
    return b;
}

static int64_t add_row(const view *v, const box *b, int64_t j, int64_t k,
                       const char *row[2])
{
    const int64_t size = (int64_t)pav_type_size(v->type);
    row[0] = view_at(v, b->lo[0], j, k);
    row[1] = row[0] + (b->hi[0] - b->lo[0]) * size;
    return (row[1] - row[0] + CPU_LINE - 1) / CPU_LINE;
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
void time_prefetch_of(const time_block *p, const time_tile *t, time_own *mine)
{
    time_prefetch *a = &mine->ahead;
    box b = next_rows(p, t);
    if (p->number >= 0)
        b = box_common(&b, &p->part->grid->box);
    b = time_part(mine, &b);
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

/* No tile has more rows than those of the widest column. */
static int64_t most_rows(const time_block *p)
{
    int64_t rows = p->fetches;
    for (int axis = 1; axis < MAX_DIM; axis++) {
        const time_axis *a = &p->axis[axis];
        int64_t wide = axis == p->state->column ? p->widest : a->width;
        wide += 2 * (int64_t)p->state->blocking.skew[axis];
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
