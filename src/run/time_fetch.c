/* SPDX-License-Identifier: BSD-3-Clause */
/* Memory asked for ahead: what the next tile of a column will be the first to touch is asked for while the acts of
 * this one go on in the caches, its own points and those of the column before into which it leans. Processors do not see it coming, since a tile's rows are few and lie far apart. */
#include "run/time_private.h"

enum { FETCH = 64 }; /* bytes */

static pav_status add_buffers(time_pass *p, const levels *l)
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

pav_status time_find_fetches(time_pass *p)
{
    const pav_run *run = p->run;
    int64_t buffers = 1;
    for (int64_t f = 0; f < run->code->fields; f++)
        buffers += run->field[f].count;
    p->fetch = mem_new(buffers, sizeof *p->fetch);
    if (!p->fetch)
        return PAV_ENOMEM;
    for (int f = 0; f < run->code->fields; f++)
        if (is_touched(run->code, f) && !run->code->field[f].coarse)
            TRY(add_buffers(p, &run->field[f]));
    return PAV_OK;
}

static int64_t within(const time_axis *a, int64_t at)
{
    return at < 0 ? 0 : at > a->extent ? a->extent : at;
}

static void fetch_row(const view *v, const box *b, int64_t j, int64_t k)
{
    const int64_t size = (int64_t)pav_type_size(v->type);
    const char *at = (const char *)v->data + view_index(v, b->lo[0], j, k) * size;
    const char *end = at + (b->hi[0] - b->lo[0]) * size;
    for (; at < end; at += FETCH)
        __builtin_prefetch(at, 1, 2);
}

/* Of the next tile: the first moment has its points and what it reads beyond them, the others what they lean over
 * farther than those before. */
static box first_touched(const time_pass *p, const int64_t tile[MAX_DIM], int64_t n)
{
    box b;
    for (int axis = 0; axis < MAX_DIM; axis++) {
        const time_axis *a = &p->axis[axis];
        const int64_t lag = p->state->blocking.lag[axis];
        int64_t lo = tile[axis] * a->width - lag, hi = lo + a->width + 2 * lag;
        if (axis == p->state->stream) {
            lo += a->width + 2 * lag - p->moment[n].shift[axis];
            hi = lo + a->width;
        } else if (axis == p->state->column && n > 0) {
            hi = lo - p->moment[n - 1].most_shift;
            lo -= p->moment[n].most_shift;
        }
        b.lo[axis] = within(a, lo);
        b.hi[axis] = within(a, hi);
    }
    return b;
}

/* Part n of so many of the rows of a box, of all buffers. */
static void fetch_part(const time_pass *p, const box *b, int64_t n, int64_t parts)
{
    const int64_t rows = b->hi[1] - b->lo[1], all = rows * (b->hi[2] - b->lo[2]);
    const int64_t count = all * p->fetches;
    for (int64_t k = count * n / parts; k < count * (n + 1) / parts; k++)
        fetch_row(p->fetch[k / all], b, b->lo[1] + k % all % rows,
                  b->lo[2] + k % all / rows);
}

void time_fetch(const time_pass *p, const int64_t tile[MAX_DIM], int64_t n)
{
    const box first = first_touched(p, tile, 0), leant = first_touched(p, tile, n);
    fetch_part(p, &first, n, p->moments);
    if (n > 0 && p->state->column >= 0)
        fetch_part(p, &leant, 0, 1);
}
