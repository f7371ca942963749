/* SPDX-License-Identifier: BSD-3-Clause */
/* Wide halos: one exchange brings all points that several steps read beyond seams. Until
 * the next exchange every subdomain recomputes points of its neighbours, fewer from stage
 * to stage, with bitwise identical results.
 * The depths are found backwards from the last step before an exchange, when results are
 * needed at a subdomain's own points alone. A stage is computed to the depth at which its
 * outputs are read, and its reads reach farther by its radius. */
#include <assert.h>

#include "exec/split/split_private.h"

struct wide_halo {
    int steps;            /* steps between two exchanges */
    bool cut[MAX_DIM];    /* axes with seams */
    halo_depth *depth;    /* of every field: largest depth read or stored beyond a seam */
    halo_depth *injected; /* of every injection: depth to add beyond seams */
    int *levels;          /* of every field: levels moved by an exchange */
    halo_depth *extra;    /* [steps left][stage]: depth to compute beyond seams */
};

int wide_halo_steps(const wide_halo *w)
{
    return w ? w->steps : 1;
}

halo_depth wide_halo_extra(const wide_halo *w, const ir *code, int left,
                           const ir_stage *stage)
{
    assert(left >= 0 && left < w->steps); /* steps left before the next exchange */
    return w->extra[left * code->stages + (stage - code->stage)];
}

halo_depth wide_halo_injected(const wide_halo *w, int64_t injection)
{
    return w->injected[injection];
}

int wide_halo_levels(const wide_halo *w, int64_t field)
{
    return w->levels[field];
}

void wide_halo_deepen(wide_halo *w, const ir *code, int axis, int depth, int more)
{
    halo_depth least = {{{0}}}, of_read;
    least.side[axis][0] = least.side[axis][1] = depth;
    of_read = least;
    of_read.side[axis][0] = of_read.side[axis][1] = depth + more;
    for (int64_t f = 0; f < code->fields; f++)
        halo_depth_join(&w->depth[f], code->field[f].updated ? &least : &of_read);
    for (int64_t k = 0; k < code->injections.count; k++)
        halo_depth_join(&w->injected[k], &least);
}

void wide_halo_free(wide_halo *w)
{
    if (!w)
        return;
    mem_free(w->depth);
    mem_free(w->injected);
    mem_free(w->levels);
    mem_free(w->extra);
    mem_free(w);
}

/* Fields in one buffer share their layout. */
halo_depth subdomain_depth(const subdomain *part, int64_t field)
{
    const ir *code = part->code;
    halo_depth d = halo_depth_of(code, field);
    for (int64_t f = 0; part->wide && f < code->fields; f++)
        if (halo_buffer_of(code, f) == halo_buffer_of(code, field))
            halo_depth_join(&d, &part->wide->depth[f]);
    return d;
}

/* ---- depths ------------------------------------------------------------------------ */

/* For every field: depth beyond seams to which its levels +1, 0, -1, ... are still
 * needed. */
enum { MOST_LEVELS = 16 };
typedef struct needs {
    const ir *code;
    wide_halo *wide;
    halo_depth (*of)[MOST_LEVELS];
} needs;

static void need(needs *n, int64_t field, int level, const halo_depth *d)
{
    assert(level <= 1 && 1 - level < MOST_LEVELS); /* ensured by check_field */
    halo_depth_join(&n->of[field][1 - level], d);
    halo_depth_join(&n->wide->depth[field], d);
}

/* Depth read by a load, with its stage computed to depth `extra`. */
static halo_depth farther(const needs *n, const ir_node *node, const halo_depth *extra)
{
    halo_depth d = *extra;
    for (int axis = 0; axis < MAX_DIM; axis++) {
        int reach[2] = {0, 0};
        halo_reach(node, axis, reach);
        for (int side = 0; side < 2 && n->wide->cut[axis]; side++)
            d.side[axis][side] += reach[side];
    }
    return d;
}

static void need_loads(needs *n, const ir_stage *stage, const halo_depth *extra)
{
    for (int64_t k = 0; k < stage->count; k++) {
        const ir_node *node = &stage->node[k];
        if (node->op != IR_LOAD)
            continue;
        const halo_depth d = farther(n, node, extra);
        need(n, node->field, node->level, &d);
    }
}

/* Ghosts beyond outer faces are filled to the depth of the points next to them. */
static void need_borders(needs *n, int64_t field, const halo_depth *extra)
{
    const ir_field *f = &n->code->field[field];
    for (int face = 0; face < 2 * n->code->dim; face++) {
        const int stage = f->border[face / 2][face % 2].stage;
        const ir_stage *s = stage >= 0 ? &n->code->stage[stage] : NULL;
        for (int64_t k = 0; s && k < s->count; k++)
            if (s->node[k].op == IR_LOAD && s->node[k].field != field)
                need(n, s->node[k].field, s->node[k].level, extra);
    }
}

static void need_stage(needs *n, const ir_stage *stage, halo_depth *extra)
{
    *extra = (halo_depth){{{0}}};
    if (stage_may_be_cut(stage))
        for (int64_t k = 0; k < stage->outputs; k++)
            halo_depth_join(extra,
                            &n->of[stage->output[k].field][1 - stage->output[k].level]);
    for (int64_t k = 0; k < stage->outputs; k++) {
        const ir_output *o = &stage->output[k];
        if (o->kind != IR_STORE)
            continue;
        need(n, o->field, o->level, extra); /* all outputs, to the largest depth */
        need_borders(n, o->field, extra);
    }
    need_loads(n, stage, extra);
}

static void need_injections(needs *n)
{
    for (int64_t k = 0; k < n->code->injections.count; k++) {
        const ir_event *event = &n->code->injections.item[k];
        const halo_depth extra = n->of[event->field][0];
        halo_depth_join(&n->wide->injected[k], &extra);
        need_borders(n, event->field, &extra);
        need_loads(n, &n->code->stage[event->list.stage[event->list.count - 1]], &extra);
    }
}

/* Level 1 of a step is level 0 of the next one. */
static void step_back(needs *n)
{
    for (int64_t f = 0; f < n->code->fields; f++) {
        if (!n->code->field[f].updated)
            continue;
        for (int slot = 0; slot + 1 < MOST_LEVELS; slot++)
            n->of[f][slot] = n->of[f][slot + 1];
        n->of[f][MOST_LEVELS - 1] = (halo_depth){{{0}}};
    }
}

static bool is_any(const halo_depth *d)
{
    for (int axis = 0; axis < MAX_DIM; axis++)
        if (d->side[axis][0] + d->side[axis][1] > 0)
            return true;
    return false;
}

/* Counts the levels needed by the first step after an exchange. */
static void count_levels(const needs *n)
{
    for (int64_t f = 0; f < n->code->fields; f++) {
        n->wide->levels[f] = 0;
        for (int slot = 0; n->code->field[f].updated && slot < MOST_LEVELS; slot++)
            n->wide->levels[f] += is_any(&n->of[f][slot]);
    }
}

pav_status wide_halo_work_out(wide_halo *w, const ir *code)
{
    needs n = {code, w, mem_new(code->fields + 1, sizeof *n.of)};
    mem_free(w->extra);
    w->extra = mem_new(w->steps * code->stages + 1, sizeof *w->extra);
    const bool there = n.of && w->extra;
    for (int left = 0; there && left < w->steps; left++) {
        need_injections(&n);
        for (int64_t k = code->step.count - 1; k >= 0; k--) {
            const int stage = code->step.stage[k];
            need_stage(&n, &code->stage[stage], &w->extra[left * code->stages + stage]);
        }
        step_back(&n);
    }
    if (there)
        count_levels(&n);
    for (int axis = 0; axis < MAX_DIM && there; axis++)
        for (int64_t f = 0; f < code->fields; f++) /* no halo without a seam */
            assert(w->cut[axis] ||
                   w->depth[f].side[axis][0] + w->depth[f].side[axis][1] == 0);
    mem_free(n.of);
    return there ? PAV_OK : PAV_ENOMEM;
}

/* ---- unsupported programs ---------------------------------------------------------- */

static pav_status cannot(const wide_halo *w, const char *why)
{
    return FAIL(PAV_EUNSUPPORTED,
                "halos cannot be exchanged every %d steps: %s; exchange them after each "
                "step, or run on one device",
                w->steps, why);
}

static bool is_around(const ir *code, int64_t field, int axis)
{
    return border_wraps(code->field[field].border[axis][0].kind);
}

static bool any_around(const ir *code, int axis)
{
    bool any = false;
    for (int64_t f = 0; f < code->fields; f++)
        any = any || is_around(code, f, axis);
    return any;
}

/* Beyond a seam around the grid, indices would differ from the indices of the points
 * there. */
static pav_status check_around(const wide_halo *w, const ir *code, int axis)
{
    text why = {0};
    const bool index = ir_knows_index(code, axis);
    bool all = true;
    for (int64_t f = 0; f < code->fields; f++)
        all = all && is_around(code, f, axis);
    if (all && !index && code->injections.count == 0)
        return PAV_OK;
    text_add(&why, "the grid is cut along %c, which is periodic, and %s", "xyz"[axis],
             !all    ? "not all fields are"
             : index ? "an equation or a border knows where a point is"
                     : "there are injections");
    const pav_status status = why.failed ? PAV_ENOMEM : cannot(w, why.data);
    text_free(&why);
    return status;
}

/* True if a border reads neighbours along another axis than its own. */
static bool reads_along_face(const wide_halo *w, const ir *code, const ir_stage *s,
                             int axis)
{
    for (int64_t k = 0; k < s->count; k++)
        for (int other = 0; other < code->dim; other++)
            if (s->node[k].op == IR_LOAD && other != axis && w->cut[other] &&
                s->node[k].offset[other] != 0)
                return true;
    return false;
}

static pav_status check_field(const wide_halo *w, const ir *code, int64_t field)
{
    const ir_field *f = &code->field[field];
    if (f->coarse > 0)
        return cannot(w, "there are coarse grids");
    if (f->levels + 1 > MOST_LEVELS)
        return cannot(w, "a field has too many levels");
    for (int face = 0; face < 2 * code->dim; face++) {
        const int stage = f->border[face / 2][face % 2].stage;
        if (stage >= 0 && reads_along_face(w, code, &code->stage[stage], face / 2))
            return cannot(w, "a border is computed from points along its face");
    }
    return PAV_OK;
}

pav_status wide_halo_new(const ir *code, const decomposition *d, int steps,
                         wide_halo **result)
{
    wide_halo *w = mem_new(1, sizeof *w);
    *result = w;
    if (!w)
        return PAV_ENOMEM;
    w->steps = steps;
    for (int axis = 0; axis < MAX_DIM; axis++)
        w->cut[axis] = d->parts[axis] > 1;
    for (int64_t f = 0; f < code->fields; f++)
        TRY(check_field(w, code, f));
    for (int axis = 0; axis < code->dim; axis++)
        if (w->cut[axis] && any_around(code, axis))
            TRY(check_around(w, code, axis));
    w->depth = mem_new(code->fields + 1, sizeof *w->depth);
    w->levels = mem_new(code->fields + 1, sizeof *w->levels);
    w->injected = mem_new(code->injections.count + 1, sizeof *w->injected);
    return w->depth && w->levels && w->injected ? wide_halo_work_out(w, code)
                                                : PAV_ENOMEM;
}

/* ---- valid depth of a level -------------------------------------------------------- */

/* With wide halos: depth beyond seams to which the points of a level are valid copies of
 * the neighbours' points, computed again. */

void split_is_stale(split_level *l)
{
    l->stale = true;
    l->from = 0;
    l->good = (halo_depth){{{0}}};
}

void split_is_fresh(const split *s, int64_t field, split_level *l)
{
    l->stale = false;
    l->good = subdomain_depth(s->whole, field);
}

bool halo_is_within(const halo_depth *d, const halo_depth *room)
{
    bool within = true;
    for (int axis = 0; axis < MAX_DIM; axis++)
        for (int side = 0; side < 2; side++)
            within = within && d->side[axis][side] <= room->side[axis][side];
    return within;
}

void split_limit(halo_depth *d, halo_depth other)
{
    for (int axis = 0; axis < MAX_DIM; axis++)
        for (int side = 0; side < 2; side++)
            if (d->side[axis][side] > other.side[axis][side])
                d->side[axis][side] = other.side[axis][side];
}

/* ---- loads ------------------------------------------------------------------------- */

/* True if all points read by a load are valid, with its stage computed to depth `extra`
 * beyond seams. */
bool split_is_good(const split *s, const ir_node *n, const view *v,
                   const halo_depth *extra)
{
    const split_level *l = &s->level[n->field][split_buffer(s, n->field, v)];
    bool good = s->whole->wide && l->parts_are_new;
    for (int axis = 0; axis < MAX_DIM; axis++) {
        int reach[2] = {0, 0};
        halo_reach(n, axis, reach);
        for (int side = 0; side < 2 && split_is_cut(s, axis); side++)
            good = good &&
                   l->good.side[axis][side] >= extra->side[axis][side] + reach[side];
    }
    return good;
}

bool split_finds_halos(const split *s, const interp_args *args, const halo_depth *extra)
{
    for (int64_t k = 0; k < args->stage->count; k++) {
        const ir_node *n = &args->stage->node[k];
        const view *v = n->op == IR_LOAD ? args->view[n->field][1 - n->level] : NULL;
        const split_level *l = v ? &s->level[n->field][split_buffer(s, n->field, v)]
                                 : NULL;
        bool beyond = false;
        for (int axis = 0; axis < MAX_DIM; axis++)
            beyond = beyond || (split_is_cut(s, axis) && n->offset[axis] != 0);
        if (v && (!l->parts_are_new ||
                  (s->whole->wide ? !split_is_good(s, n, v, extra) : beyond && l->stale)))
            return false;
    }
    return true;
}

/* Depth 0 for a stage that belongs to no step. */
halo_depth split_extra_of(const split *s, const interp_args *args)
{
    const halo_depth none = {{{0}}};
    return s->whole->wide
               ? wide_halo_extra(s->whole->wide, args->code, s->left, args->stage)
               : none;
}

/* ---- shares ------------------------------------------------------------------------ */

/* The share grows beyond seams between subdomains, and seams around the grid. */
box split_wide_share(const split *s, int64_t n, const interp_args *args,
                     const halo_depth *extra)
{
    const subdomain *inner = &s->whole->inner[n];
    box b = split_share(s, n, args->stage->coarse, &args->box);
    if (box_is_empty(&b) || !stage_may_be_cut(args->stage))
        return b;
    const int field = args->stage->output[0].field;
    for (int axis = 0; axis < MAX_DIM; axis++) {
        const int *more = extra->side[axis];
        if (subdomain_is_seam(inner, field, axis, 0))
            b.lo[axis] -= more[0];
        if (subdomain_is_seam(inner, field, axis, 1))
            b.hi[axis] += more[1];
        if (inner->grid->seam[axis][0] && b.lo[axis] < args->box.lo[axis])
            b.lo[axis] = args->box.lo[axis];
        if (inner->grid->seam[axis][1] && b.hi[axis] > args->box.hi[axis])
            b.hi[axis] = args->box.hi[axis];
    }
    return b;
}

static bool is_of_all(const interp_args *args)
{
    const box all = ir_stage_box(args->code, args->stage);
    return box_is_inside(&all, &args->box);
}

void split_stored(split *s, const interp_args *args, const halo_depth *extra)
{
    for (int64_t k = 0; s->whole->wide && k < args->stage->outputs; k++) {
        const ir_output *o = &args->stage->output[k];
        const view *v = o->kind == IR_STORE ? args->view[o->field][1 - o->level] : NULL;
        if (!v || !is_of_all(args))
            continue;
        const halo_depth room = subdomain_depth(s->whole, o->field);
        assert(halo_is_within(extra, &room)); /* valid points need memory */
        s->level[o->field][split_buffer(s, o->field, v)].good = *extra;
    }
}

/* ---- borders and injections -------------------------------------------------------- */

/* A view that includes the points beyond seams. */
static view widened(const subdomain *inner, int field, const view *v)
{
    view w = *v;
    for (int axis = 0; axis < MAX_DIM; axis++)
        for (int side = 0; side < 2; side++) {
            if (!subdomain_is_seam(inner, field, axis, side))
                continue;
            w.first[axis] -= side ? 0 : v->halo[axis][0];
            w.extent[axis] += v->halo[axis][side];
            w.halo[axis][side] = 0;
        }
    return w;
}

/* Fills ghosts beyond outer faces, also next to points beyond seams. */
pav_status split_fill_wide(split *s, int field, int64_t buffer, int axis)
{
    for (int64_t n = 0; n < s->whole->inners; n++) {
        subdomain *inner = &s->whole->inner[n];
        view *level = &inner->field[field].level[buffer];
        const view own = *level;
        *level = widened(inner, field, level);
        const pav_status status = inner->executor->ops.fill_axes(inner->executor, field,
                                                                 level, axis, axis + 1);
        *level = own;
        TRY(status);
    }
    return PAV_OK;
}

/* Ghosts computed from other fields inherit the smallest valid depth of these fields. */
void split_bordered(split *s, int field, int64_t buffer)
{
    const ir *code = s->whole->code;
    split_level *l = &s->level[field][buffer];
    l->stale = true;
    l->from = 0;
    for (int face = 0; face < 2 * code->dim; face++) {
        const int stage = code->field[field].border[face / 2][face % 2].stage;
        for (int64_t k = 0; stage >= 0 && k < code->stage[stage].count; k++) {
            const ir_node *n = &code->stage[stage].node[k];
            const view *v = n->op == IR_LOAD && n->field != field
                                ? s->whole->view[n->field][1 - n->level]
                                : NULL;
            if (v)
                split_limit(&l->good,
                            s->level[n->field][split_buffer(s, n->field, v)].good);
        }
    }
}

/* Sources beyond seams were added, too. The result is valid if all points read there are
 * valid. */
void split_injected(split *s, int64_t index, int64_t buffer, const interp_args *args)
{
    const int field = args->code->injections.item[index].field;
    split_level *l = &s->level[field][buffer];
    halo_depth good = l->good;
    if (s->whole->wide)
        split_limit(&good, wide_halo_injected(s->whole->wide, index));
    for (int64_t k = 0; k < args->stage->count; k++) {
        const ir_node *n = &args->stage->node[k];
        const view *v = n->op == IR_LOAD ? args->view[n->field][1 - n->level] : NULL;
        if (v && !split_is_good(s, n, v, &good))
            good = (halo_depth){{{0}}};
    }
    l->stale = true;
    l->from = 0;
    l->good = good;
}
