/* SPDX-License-Identifier: BSD-3-Clause */
/* Reductions by the fixed tree over the indices of the whole grid, independent of the
 * cuts.
 * Along x the tree is descended to the largest nodes that lie in one subdomain each. A
 * subdomain reduces the part of every row below such a node. The rest of the tree is
 * computed here. */
#include <assert.h>

#include "exec/split/split_private.h"

enum { MOST_NODES = 4096 };

/* Indices along x below one node. */
typedef struct span {
    int64_t lo, hi;
} span;

typedef struct reducing {
    split *s;
    const interp_args *args;
    int64_t ny, nz, reductions;
    span node[MOST_NODES];
    int64_t nodes;
    double *value; /* [node][reduction][k][j]; values of other ranks are 0 bits at
                    * first */
    double *rows;  /* room for one call of each leader */
    int64_t at;    /* the present node */
} reducing;

static bool is_whole(const decomposition *d, int64_t lo, int64_t hi)
{
    return decomposition_along(d, 0, lo) == decomposition_along(d, 0, hi - 1);
}

/* ---- nodes along x ----------------------------------------------------------------- */

static bool find_nodes(reducing *r, int64_t first, int64_t size)
{
    const box *b = &r->args->box;
    const int64_t end = first + size;
    const span own = {first > b->lo[0] ? first : b->lo[0],
                      end < b->hi[0] ? end : b->hi[0]};
    if (own.lo >= own.hi)
        return true;
    if (!is_whole(&r->s->cut[r->args->stage->coarse], own.lo, own.hi))
        return find_nodes(r, first, size / 2) &&
               find_nodes(r, first + size / 2, size / 2);
    if (r->nodes == MOST_NODES)
        return false;
    r->node[r->nodes++] = own;
    return true;
}

static double join(reduction_kind kind, double left, double right)
{
    double pair[] = {left, right};
    return interp_reduce(kind, pair, 0, 2);
}

/* Value of a row below a node of the tree, joined from the values of `row` in order;
 * false: the row has no points there. */
static bool row_below(const reducing *r, reduction_kind kind, int64_t first, int64_t size,
                      const double *row, int64_t *next, double *value)
{
    const span *own = &r->node[*next];
    const int64_t half = size / 2;
    double right;
    if (*next == r->nodes || own->lo >= first + size)
        return false;
    if (own->hi <= first + size && (*next + 1 == r->nodes || own[1].lo >= first + size)) {
        *value = row[(*next)++ * r->reductions * r->ny * r->nz];
        return true;
    }
    const bool any = row_below(r, kind, first, half, row, next, value);
    if (!row_below(r, kind, first + half, half, row, next, any ? &right : value))
        return any;
    if (any)
        *value = join(kind, *value, right);
    return true;
}

static int64_t tree_size(const box *b)
{
    int64_t size = 1;
    while (size < b->hi[0])
        size *= 2;
    return size;
}

/* ---- rows -------------------------------------------------------------------------- */

/* Copies the rows of a subdomain's share to their places among all rows. */
static void put_rows(const reducing *r, const box *share, const double *from,
                     double *value)
{
    const box *b = &r->args->box;
    assert(box_is_inside(share, b));
    const int64_t ny = share->hi[1] - share->lo[1], nz = share->hi[2] - share->lo[2];
    for (int64_t n = 0; n < r->reductions; n++)
        for (int64_t k = 0; k < nz; k++)
            for (int64_t j = 0; j < ny; j++)
                value[(n * r->nz + k + share->lo[2] - b->lo[2]) * r->ny + j +
                      share->lo[1] - b->lo[1]] = *from++;
}

static pav_status reduce_share(split *s, int64_t n, int group, double *uniform,
                               void *user)
{
    reducing *r = user;
    const int64_t rows = r->reductions * r->ny * r->nz;
    const subdomain *inner = &s->whole->inner[n];
    interp_args own = *r->args;
    own.box.lo[0] = r->node[r->at].lo;
    own.box.hi[0] = r->node[r->at].hi;
    own.box = split_share(s, n, own.stage->coarse, &own.box);
    own.view = inner->view;
    own.uniform = uniform;
    own.rows = r->rows + group * rows;
    if (box_is_empty(&own.box) || inner->executor->absent)
        return PAV_OK;
    TRY(inner->executor->ops.stage(inner->executor, &own));
    put_rows(r, &own.box, own.rows, r->value + r->at * rows);
    return PAV_OK;
}

static pav_status reduce_node(reducing *r, int64_t node)
{
    split *s = r->s;
    r->at = node;
    for (int64_t n = 0; n < s->whole->inners; n++)
        if (!s->leaders.team || s->leaders.group[n] < 0)
            TRY(reduce_share(s, n, 0, r->args->uniform, r));
    return s->leaders.team ? leaders_run(s, reduce_share, r) : PAV_OK;
}

/* ---- whole reductions -------------------------------------------------------------- */

static double reduce_all(const reducing *r, reduction_kind kind, int64_t number)
{
    const box *b = &r->args->box;
    const int64_t count = r->ny * r->nz, size = tree_size(b);
    double *value = r->rows;
    for (int64_t n = 0; n < count; n++) {
        int64_t next = 0;
        (void)row_below(r, kind, 0, size, r->value + number * count + n, &next,
                        &value[n]);
        assert(next == r->nodes); /* the tree used every node once */
    }
    for (int64_t n = 0; n < r->nz; n++)
        value[n] = interp_reduce(kind, value + n * r->ny, b->lo[1], r->ny);
    return interp_reduce(kind, value, b->lo[2], r->nz);
}

static void reduce_outputs(const reducing *r)
{
    int64_t number = 0;
    for (int64_t k = 0; k < r->args->stage->outputs; k++) {
        const ir_output *o = &r->args->stage->output[k];
        if (o->kind == IR_REDUCE)
            r->args->uniform[o->uniform] = reduce_all(r, o->reduction, number++);
    }
}

static pav_status reduce(reducing *r)
{
    for (int64_t n = 0; n < r->nodes; n++)
        TRY(reduce_node(r, n));
    TRY(ranks_or(r->s->whole->ranks, (uint64_t *)(void *)r->value,
                 r->nodes * r->reductions * r->ny * r->nz));
    reduce_outputs(r);
    return PAV_OK;
}

pav_status split_reduce(split *s, const interp_args *args)
{
    const box *b = &args->box;
    reducing *r = mem_new(1, sizeof *r);
    if (!r)
        return PAV_ENOMEM;
    r->s = s;
    r->args = args;
    r->ny = b->hi[1] - b->lo[1];
    r->nz = b->hi[2] - b->lo[2];
    r->reductions = ir_reductions(args->stage);
    pav_status status = PAV_OK;
    if (!find_nodes(r, 0, tree_size(b)))
        status = FAIL(PAV_ELIMIT,
                      "a reduction over a grid in more than %d pieces along x",
                      MOST_NODES);
    const int64_t rows = r->reductions * r->ny * r->nz;
    r->value = status == PAV_OK ? mem_new(rows * r->nodes, sizeof *r->value) : NULL;
    const int64_t groups = s->leaders.team ? s->leaders.groups : 1;
    r->rows = r->value ? mem_new(rows * groups, sizeof *r->rows) : NULL;
    if (status == PAV_OK)
        status = r->rows ? reduce(r) : PAV_ENOMEM;
    mem_free(r->value);
    mem_free(r->rows);
    mem_free(r);
    return status;
}
