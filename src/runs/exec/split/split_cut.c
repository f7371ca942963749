/* SPDX-License-Identifier: BSD-3-Clause */
/* Cuts of a grid into subdomains, and the depths of their halos. The bytes and points
 * that the cuts cost are counted here, too. Wide halos: one exchange brings all points
 * that several steps read beyond seams. Until the next exchange every subdomain
 * recomputes points of its neighbours, fewer from stage to stage, with bitwise identical
 * results. The depths are found backwards from the last step before an exchange, when
 * results are needed at a subdomain's own points alone. A stage is computed to the depth
 * at which its outputs are read, and its reads reach farther by its radius. */
#include <assert.h>
#include <stdlib.h>
#include <string.h>

#include "exec/split/split_private.h"

struct wide_halo {
    int steps;            /* steps between two exchanges */
    bool cut[MAX_DIM];    /* axes with seams */
    halo_depth *depth;    /* of every field: largest depth read or stored beyond a seam */
    halo_depth *injected; /* of every injection: depth to add beyond seams */
    int *levels;          /* of every field: levels moved by an exchange */
    halo_depth *extra;    /* [steps left][stage]: depth to compute beyond seams */
};

static void widen(int *depth, int below, int above)
{
    depth[0] = int_most(depth[0], below);
    depth[1] = int_most(depth[1], above);
}

/* A cut at point c is a cut at (c + 1)/2 of the next coarser grid. The depths bound the
 * reads of a stage on either side of the cut. */
static int planes_beyond(const ir *code, const ir_stage *s, int64_t field, int axis,
                         int side)
{
    return border_wraps(code->field[field].border[axis][side].kind)
               ? int_most(-s->inset[axis][side], 0)
               : 0;
}

static bool reads_across(const ir *code, const ir_stage *s, const ir_node *n, int axis)
{
    return n->offset[axis] != 0 || planes_beyond(code, s, n->field, axis, 0) > 0 ||
           planes_beyond(code, s, n->field, axis, 1) > 0;
}

void halo_reach(const ir *code, const ir_stage *s, const ir_node *n, int axis, int *depth)
{
    const int o = n->offset[axis];
    const int before = planes_beyond(code, s, n->field, axis, 0),
              behind = planes_beyond(code, s, n->field, axis, 1);
    if (ir_transfer_along(n->transfer, n->kept, axis) == IR_TO_COARSE)
        widen(depth, o > 2 ? 0 : (2 - o) / 2, o < 0 ? 0 : (o + 1) / 2);
    else
        widen(depth, before - o, behind + o);
}

/* Fields in one buffer share their layout. */
static int64_t halo_buffer_of(const ir *code, int64_t field)
{
    const int memory = code->field[field].memory;
    return memory ? memory - 1 : field;
}

static void halo_depth_join(halo_depth *d, const halo_depth *other)
{
    for (int axis = 0; axis < MAX_DIM; axis++)
        widen(d->side[axis], other->side[axis][0], other->side[axis][1]);
}

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
    MEM_FREE_ALL(w->depth, w->injected, w->levels, w->extra, w);
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

/* ---- depths of wide halos ---------------------------------------------------------- */

/* Works backwards through the steps between two exchanges. For every field: how far
 * beyond seams its levels +1, 0, -1, ... are still needed by later stages. */
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

static void need_loads(needs *n, const ir_stage *stage, const halo_depth *extra)
{
    for (const ir_node *node = NULL; (node = ir_next_load(stage, node));) {
        /* Depth read by a load, with its stage computed to depth `extra`. */
        halo_depth d = *extra;
        for (int axis = 0; axis < MAX_DIM; axis++) {
            int reach[2] = {0, 0};
            halo_reach(n->code, stage, node, axis, reach);
            for (int side = 0; side < 2 && n->wide->cut[axis]; side++)
                d.side[axis][side] += reach[side];
        }
        need(n, node->field, node->level, &d);
    }
}

/* Ghosts beyond outer faces are filled to the depth of the points next to them. */
static void need_borders(needs *n, int64_t field, const halo_depth *extra)
{
    for (int face = 0; face < 2 * n->code->dim; face++) {
        const int stage = n->code->field[field].border[face / 2][face % 2].stage;
        const ir_stage *s = stage >= 0 ? &n->code->stage[stage] : NULL;
        for (const ir_node *read = NULL; s && (read = ir_next_load(s, read));)
            if (read->field != field)
                need(n, read->field, read->level, extra);
    }
}

static void need_stage(needs *n, const ir_stage *stage, halo_depth *extra)
{
    *extra = (halo_depth){{{0}}};
    if (stage_may_be_cut(stage))
        for (const ir_output *o = NULL; (o = ir_next_output(stage, o));)
            halo_depth_join(extra, &n->of[o->field][1 - o->level]);
    for (const ir_output *o = NULL; (o = ir_next_store(stage, o));) {
        need(n, o->field, o->level, extra); /* all outputs, to the largest depth */
        need_borders(n, o->field, extra);
    }
    need_loads(n, stage, extra);
}

bool halo_is_within(const halo_depth *d, const halo_depth *room)
{
    for (int face = 0; face < 2 * MAX_DIM; face++)
        if (d->side[face / 2][face % 2] > room->side[face / 2][face % 2])
            return false;
    return true;
}

static bool is_any(const halo_depth *d)
{
    return !halo_is_within(d, &(halo_depth){{{0}}});
}

pav_status wide_halo_work_out(wide_halo *w, const ir *code)
{
    needs n = {code, w, mem_new(code->fields + 1, sizeof *n.of)};
    mem_free(w->extra);
    w->extra = mem_new(w->steps * code->stages + 1, sizeof *w->extra);
    const bool there = n.of && w->extra;
    for (int left = 0; there && left < w->steps; left++) {
        for (int64_t k = 0; k < n.code->injections.count; k++) {
            const ir_event *event = &n.code->injections.item[k];
            const halo_depth extra = n.of[event->field][0];
            halo_depth_join(&n.wide->injected[k], &extra);
            need_borders(&n, event->field, &extra);
            need_loads(&n, &n.code->stage[source_stage(event)], &extra);
        }
        for (int64_t k = code->step.count - 1; k >= 0; k--) {
            const int stage = code->step.stage[k];
            need_stage(&n, &code->stage[stage], &w->extra[left * code->stages + stage]);
        }
        /* Level 1 of a step is level 0 of the next one. */
        for (int64_t f = 0; f < n.code->fields; f++) {
            if (!n.code->field[f].updated)
                continue;
            for (int slot = 0; slot + 1 < MOST_LEVELS; slot++)
                n.of[f][slot] = n.of[f][slot + 1];
            n.of[f][MOST_LEVELS - 1] = (halo_depth){{{0}}};
        }
    }
    if (there) {
        /* Counts the levels needed by the first step after an exchange. */
        for (int64_t f = 0; f < n.code->fields; f++) {
            n.wide->levels[f] = 0;
            for (int slot = 0; n.code->field[f].updated && slot < MOST_LEVELS; slot++)
                n.wide->levels[f] += is_any(&n.of[f][slot]);
        }
    }
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

/* Beyond a seam around the grid, indices would differ from the indices of the points
 * there. */
static pav_status check_periodic_seam(const wide_halo *w, const ir *code, int axis)
{
    OWNED_BY(text_free) text why = {0};
    const bool index = ir_knows_index(code, axis);
    bool all = true;
    for (int64_t f = 0; f < code->fields; f++)
        all = all && border_wraps(code->field[f].border[axis][0].kind);
    if (all && !index && code->injections.count == 0)
        return PAV_OK;
    text_add(&why, "the grid is cut along %c, which is periodic, and %s", "xyz"[axis],
             !all    ? "not all fields are"
             : index ? "an equation or a border knows where a point is"
                     : "there are injections");
    return why.failed ? PAV_ENOMEM : cannot(w, why.data);
}

/* True if a border reads neighbours along another axis than its own. */
static bool reads_along_face(const wide_halo *w, const ir *code, const ir_stage *s,
                             int axis)
{
    for (const ir_node *n = NULL; (n = ir_next_load(s, n));)
        for (int other = 0; other < code->dim; other++)
            if (other != axis && w->cut[other] && n->offset[other] != 0)
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
        if (f->border[face / 2][face % 2].layers)
            return cannot(w, "the value of a border reads fields");
        if (stage >= 0 && reads_along_face(w, code, &code->stage[stage], face / 2))
            return cannot(w, "a border is computed from points along its face");
    }
    return PAV_OK;
}

pav_status wide_halo_new(const ir *code, const decomposition *d, int steps,
                         wide_halo **result)
{
    TRY(mem_take(result, 1, sizeof **result));
    wide_halo *w = *result;
    w->steps = steps;
    for (int axis = 0; axis < MAX_DIM; axis++)
        w->cut[axis] = d->parts[axis] > 1;
    for (int64_t f = 0; f < code->fields; f++)
        TRY(check_field(w, code, f));
    for (int axis = 0; axis < code->dim; axis++)
        if (w->cut[axis] && axis_wraps(code, axis))
            TRY(check_periodic_seam(w, code, axis));
    w->depth = mem_new(code->fields + 1, sizeof *w->depth);
    w->levels = mem_new(code->fields + 1, sizeof *w->levels);
    w->injected = mem_new(code->injections.count + 1, sizeof *w->injected);
    return w->depth && w->levels && w->injected ? wide_halo_work_out(w, code)
                                                : PAV_ENOMEM;
}

/* ---- valid depth of a level -------------------------------------------------------- */

/* With wide halos, stages compute points beyond seams again instead of receiving them.
 * Each level records how far beyond seams its points are valid copies of the neighbours'
 * points. */

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

void split_limit(halo_depth *d, halo_depth other)
{
    for (int face = 0; face < 2 * MAX_DIM; face++) {
        int *const depth = &d->side[face / 2][face % 2];
        *depth = int_least(*depth, other.side[face / 2][face % 2]);
    }
}

/* ---- loads ------------------------------------------------------------------------- */

/* True if all points read by a load are valid, with its stage computed to depth `extra`
 * beyond seams. */
bool split_is_good(const split *s, const ir_stage *stage, const ir_node *n, const view *v,
                   const halo_depth *extra)
{
    const split_level *l = &s->level[n->field][split_buffer(s, n->field, v)];
    bool good = s->whole->wide && l->parts_are_new;
    for (int axis = 0; axis < MAX_DIM; axis++) {
        int reach[2] = {0, 0};
        halo_reach(s->whole->code, stage, n, axis, reach);
        for (int side = 0; side < 2 && split_is_cut(s, axis); side++)
            good = good &&
                   l->good.side[axis][side] >= extra->side[axis][side] + reach[side];
    }
    return good;
}

bool split_finds_halos(const split *s, const interp_args *args, const halo_depth *extra)
{
    for (const ir_node *n = NULL; (n = ir_next_load(args->stage, n));) {
        const view *v = args->view[n->field][1 - n->level];
        const split_level *l = &s->level[n->field][split_buffer(s, n->field, v)];
        bool beyond = false;
        for (int axis = 0; axis < MAX_DIM; axis++)
            beyond = beyond || (split_is_cut(s, axis) &&
                                reads_across(s->whole->code, args->stage, n, axis));
        if (!l->parts_are_new ||
            (s->whole->wide ? !split_is_good(s, args->stage, n, v, extra)
                            : beyond && l->stale))
            return false;
    }
    return true;
}

/* ---- borders and injections -------------------------------------------------------- */

/* A view that includes the points beyond seams. */
static view widened(const subdomain *inner, int field, const view *v)
{
    view w = *v;
    for (int face = 0; face < 2 * MAX_DIM; face++) {
        const int axis = face / 2, side = face % 2;
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
    for (subdomain *inner = NULL; (inner = subdomain_next_inner(s->whole, inner));) {
        view *level = &inner->field[field].level[buffer];
        const view wide = widened(inner, field, level);
        if (!inner->executor->absent)
            TRY(subdomain_fill_as(inner, field, level, &wide, axis, axis + 1));
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
        for (const ir_node *n = NULL;
             stage >= 0 && (n = ir_next_load(&code->stage[stage], n));) {
            const view *v = s->whole->view[n->field][1 - n->level];
            if (n->field != field)
                split_limit(&l->good,
                            s->level[n->field][split_buffer(s, n->field, v)].good);
        }
    }
}

/* After an injection: sources beyond seams were added, too, so points there stay valid if
 * all values read by the injection are valid. */
void split_injected(split *s, int64_t index, int64_t buffer, const interp_args *args)
{
    split_level *l = &s->level[args->code->injections.item[index].field][buffer];
    halo_depth good = l->good;
    if (s->whole->wide)
        split_limit(&good, wide_halo_injected(s->whole->wide, index));
    for (const ir_node *n = NULL; (n = ir_next_load(args->stage, n));)
        if (!split_is_good(s, args->stage, n, args->view[n->field][1 - n->level], &good))
            good = (halo_depth){{{0}}};
    split_is_stale(l);
    l->good = good;
}

/* ---- depths of loads --------------------------------------------------------------- */

static bool is_of(const ir *code, const ir_node *n, int64_t field)
{
    return halo_buffer_of(code, n->field) == halo_buffer_of(code, field);
}

halo_depth halo_depth_of(const ir *code, int64_t field)
{
    halo_depth d = {{{0}}};
    for (const ir_stage *s = code->stage; s < code->stage + code->stages; s++)
        for (const ir_node *n = NULL; (n = ir_next_load(s, n));)
            for (int axis = 0; axis < code->dim && is_of(code, n, field); axis++)
                halo_reach(code, s, n, axis, d.side[axis]);
    for (int64_t f = field + 1; f < code->fields; f++)
        if (ir_border_reads(code, f, field)) { /* also beyond seams next to a face */
            const halo_depth more = halo_depth_of(code, f);
            halo_depth_join(&d, &more);
        }
    return d;
}

/* ---- loads beyond seams ------------------------------------------------------------ */

static bool reads_corners(const ir *code, const ir_stage *s, const ir_node *n)
{
    int axes = 0;
    for (int axis = 0; axis < code->dim; axis++)
        axes += reads_across(code, s, n, axis);
    return axes > 1 || n->transfer != IR_SAME;
}

static bool border_reads(const ir *code, int stage, int across, int64_t field)
{
    for (const ir_node *n = NULL;
         stage >= 0 && (n = ir_next_load(&code->stage[stage], n));)
        for (int axis = 0; axis < code->dim && is_of(code, n, field); axis++)
            if (axis != across && (n->offset[axis] != 0 || n->transfer != IR_SAME))
                return true;
    return false;
}

halo_use halo_use_of(const ir *code, int64_t field, bool wide)
{
    bool corners = wide;
    for (int64_t f = 0; f < code->fields; f++)
        for (int face = 0; face < 2 * code->dim; face++)
            if (border_reads(code, code->field[f].border[face / 2][face % 2].stage,
                             face / 2, field))
                return HALO_AT_ONCE;
    for (int64_t f = field + 1; f < code->fields; f++)
        corners = corners || (ir_border_reads(code, f, field) &&
                              halo_use_of(code, f, wide) != HALO_FACES);
    for (const ir_stage *s = code->stage; s < code->stage + code->stages; s++)
        for (const ir_node *n = NULL; (n = ir_next_load(s, n));)
            corners = corners || (is_of(code, n, field) && reads_corners(code, s, n));
    return corners ? HALO_CORNERS : HALO_FACES;
}

/* Rows of all fields have equal strides, even if their halos have different depths. */
static int64_t deepest_along(const subdomain *inner, int axis)
{
    int64_t most = ir_farthest_load(inner->code, axis);
    for (int64_t f = 0; inner->wide && f < inner->code->fields; f++) {
        const halo_depth d = subdomain_depth(inner, f);
        most = int64_most(most, int_most(d.side[axis][0], d.side[axis][1]));
    }
    return most;
}

/* Beyond an outer face the halo of the whole grid is enough. */
field_shape subdomain_shape(const subdomain *inner, int64_t field,
                            const field_shape *of_whole)
{
    const halo_depth depth = subdomain_depth(inner, field);
    const subdomain_grid *g = &inner->grid[inner->code->field[field].coarse];
    field_shape shape = *of_whole;
    shape.line = subdomain_line(inner, shape.type);
    for (int axis = 0; axis < MAX_DIM && !g->all; axis++) {
        shape.first[axis] = g->box.lo[axis];
        shape.extent[axis] = g->box.hi[axis] - g->box.lo[axis];
        for (int side = 0; side < 2; side++)
            if (inner->wide ? subdomain_is_seam(inner, field, axis, side)
                            : g->seam[axis][side])
                shape.halo[axis][side] = int_most(shape.halo[axis][side],
                                                  depth.side[axis][side]);
    }
    for (int axis = 0; axis < 2; axis++)
        shape.room[axis] += 2 * deepest_along(inner, axis);
    return shape;
}

/* ---- grids ------------------------------------------------------------------------- */

int subdomain_grids(const ir *code)
{
    int grids = 1;
    for (int64_t f = 0; f < code->fields; f++)
        grids = int_most(grids, code->field[f].coarse + 1);
    for (int64_t n = 0; n < code->stages; n++)
        grids = int_most(grids, code->stage[n].coarse + 1);
    return grids;
}

pav_status decompose_coarse(const ir *code, const decomposition *d, int coarse,
                            decomposition *result)
{
    TRY(decomposition_copy(d, result));
    for (int axis = 0; axis < code->dim; axis++) {
        const int64_t step = INT64_C(1) << coarse_shift(code->program, coarse, axis);
        const int64_t end = points_along(code, axis, coarse);
        for (int64_t n = 1; n <= d->parts[axis]; n++) {
            const int64_t at = (d->cut[axis][n] + step - 1) / step;
            result->cut[axis][n] = n < d->parts[axis] && at < end ? at : end;
        }
    }
    return PAV_OK;
}

/* ---- limits of cuts ---------------------------------------------------------------- */

static int64_t least_width(const subdomain *whole, int axis, int coarse,
                           const char **field)
{
    const ir *code = whole->code;
    int64_t least = 1;
    for (int64_t f = 0; f < code->fields; f++) {
        const halo_depth d = subdomain_depth(whole, f);
        for (int side = 0; side < 2 && code->field[f].coarse == coarse; side++) {
            const int64_t needed = int_most(code->field[f].halo[axis][side],
                                            d.side[axis][side]) +
                                   1;
            if (needed > least)
                *field = code->field[f].name;
            least = int64_most(least, needed);
        }
    }
    return least;
}

/* A field that forbids cuts along a periodic axis. Its points around that axis are read
 * where a face along a later axis sets values by position. A subdomain on the other side
 * has values for other positions. NULL: there is none. */
static const char *differs_around(const ir *code, int axis)
{
    for (int64_t k = 0; k < code->stages; k++)
        for (const ir_node *load = NULL; (load = ir_next_load(&code->stage[k], load));) {
            const ir_field *f = &code->field[load->field];
            if (border_wraps(f->border[axis][0].kind) &&
                emit_corner_differs(code, load, axis))
                return f->name;
        }
    return NULL;
}

int64_t subdomain_least_width(const ir *code, int axis)
{
    const subdomain whole = {.code = (ir *)(uintptr_t)code};
    const char *field;
    return differs_around(code, axis) ? points_along(code, axis, false)
                                      : least_width(&whole, axis, 0, &field);
}

/* The narrowest part of the cut along an axis. Returns true if it has fewer points than
 * needed. field: the field that needs them; or NULL. */
static bool find_thin(const subdomain *whole, const decomposition *d, int axis,
                      int coarse, int64_t *width, int64_t *least, const char **field)
{
    *field = NULL;
    *least = least_width(whole, axis, coarse, field);
    *width = d->cut[axis][d->parts[axis]];
    for (int64_t n = 0; n < d->parts[axis]; n++)
        *width = int64_least(*width, d->cut[axis][n + 1] - d->cut[axis][n]);
    return d->parts[axis] > 1 && *width < *least;
}

static pav_status check(const subdomain *whole, const decomposition *d)
{
    for (int axis = 0; axis < MAX_DIM; axis++) {
        const char *field = differs_around(whole->code, axis);
        int64_t width, least;
        if (d->parts[axis] > 1 && field)
            return FAIL(
                PAV_EUNSUPPORTED,
                "the grid cannot be cut along %c: %s wraps around there and has a "
                "face with values by the place along %c, which are read beyond the "
                "ends; give 1 along %c",
                "xyz"[axis], field, "xyz"[axis], "xyz"[axis]);
        if (!find_thin(whole, d, axis, 0, &width, &least, &field))
            continue;
        if (!field)
            return FAIL(
                PAV_EINVAL,
                "%lld subdomains along %c are more than the grid has points there",
                (long long)d->parts[axis], "xyz"[axis]);
        return FAIL(
            PAV_EINVAL,
            "%lld subdomains along %c are too thin: the narrowest would have %lld of the "
            "%lld points, and each needs at least %lld, since %s is read %lld point%s "
            "beyond a face%s; give fewer along %c",
            (long long)d->parts[axis], "xyz"[axis], (long long)width,
            (long long)d -> cut[axis][d->parts[axis]], (long long)least, field,
            (long long)least - 1, least == 2 ? "" : "s",
            whole->wide ? " before the next exchange" : "", "xyz"[axis]);
    }
    return PAV_OK;
}

/* ---- cutting ----------------------------------------------------------------------- */

static void take_grid(const decomposition *d, int64_t n, bool all, subdomain_grid *g)
{
    int64_t at[MAX_DIM];
    decomposition_place(d, n, at);
    g->box = decomposition_box(d, n);
    g->all = all;
    for (int axis = 0; axis < MAX_DIM; axis++) {
        g->cut[axis] = d->parts[axis] > 1;
        g->seam[axis][0] = at[axis] > 0;
        g->seam[axis][1] = at[axis] + 1 < d->parts[axis];
    }
}

pav_status subdomain_cut(subdomain *whole, const decomposition *d)
{
    const int64_t count = decomposition_count(d);
    const int grids = subdomain_grids(whole->code);
    TRY(check(whole, d));
    TRY(mem_take(&whole->inner, count, sizeof *whole->inner));
    whole->inners = count;
    assert(count > 0 && !whole->is_inner); /* subdomains are not cut again */
    for (int64_t n = 0; n < count; n++) {
        subdomain *inner = &whole->inner[n];
        *inner = (subdomain){.code = whole->code,
                             .plain = whole->plain,
                             .step = whole->step,
                             .is_inner = true,
                             .wide = whole->wide};
        TRY(mem_take(&inner->grid, grids, sizeof *inner->grid));
    }
    /* If one grid is too small to cut, all coarser grids are, too. */
    bool all = false;
    int64_t width, least;
    const char *field;
    for (int coarse = 0; coarse < grids; coarse++) {
        OWNED_BY(decomposition_free) decomposition own = {0};
        TRY(decompose_coarse(whole->code, d, coarse, &own));
        for (int axis = 0; axis < whole->code->dim && coarse > 0; axis++)
            all = all || find_thin(whole, &own, axis, coarse, &width, &least, &field);
        for (int64_t n = 0; n < whole->inners; n++)
            take_grid(&own, n, all, &whole->inner[n].grid[coarse]);
    }
    return PAV_OK;
}

pav_status subdomain_widen(subdomain *whole, const decomposition *d, wide_halo *wide)
{
    wide_halo_free(whole->wide);
    whole->wide = wide;
    for (int64_t n = 0; n < whole->inners; n++)
        whole->inner[n].wide = wide;
    return check(whole, d);
}

/* Closes in reverse order, because the first subdomain may own data shared by the
 * others. */
void subdomain_uncut(subdomain *whole)
{
    for (int64_t n = whole->inners - 1; n >= 0; n--) {
        subdomain_use(&whole->inner[n], NULL);
        split_close_sources(&whole->inner[n]);
        subdomain_release(&whole->inner[n]);
    }
    mem_free(whole->inner);
    whole->inner = NULL;
    whole->inners = 0;
    wide_halo_free(whole->wide);
    whole->wide = NULL;
}

/* ---- bytes and points of an exchange ----------------------------------------------- */

/* Bytes of an exchange, and points to compute, before any field has memory: for plans,
 * reports and models. */

/* The future view of a field in the subdomain, without memory. */
static view shape_of(const subdomain *inner, int64_t field)
{
    const ir_field *f = &inner->code->field[field];
    field_shape shape = {0};
    view v = {0};
    memcpy(shape.halo, f->halo, sizeof f->halo);
    shape = subdomain_shape(inner, field, &shape);
    memcpy(v.extent, shape.extent, sizeof v.extent);
    memcpy(v.halo, shape.halo, sizeof v.halo);
    return v;
}

static int64_t face_bytes(const subdomain *inner, int64_t field, int axis, int side)
{
    const halo_use use = halo_use_of(inner->code, field, inner->wide != NULL);
    const view v = shape_of(inner, field);
    if (!subdomain_is_seam(inner, field, axis, side))
        return 0;
    return box_points(split_beyond(inner, field, use, &v, axis, side)) *
           (int64_t)pav_type_size(inner->code->field[field].storage);
}

/* Bytes computed by others of a grid too small to cut. */
static int64_t bytes_of_others(const subdomain *inner, int64_t field)
{
    const ir_field *f = &inner->code->field[field];
    const subdomain_grid *g = &inner->grid[f->coarse];
    if (!g->all)
        return 0;
    return (f->extent[0] * f->extent[1] * f->extent[2] - box_points(g->box)) *
           (int64_t)pav_type_size(f->storage);
}

/* Number of levels of a field moved by an exchange, or by all exchanges of a step. */
static int64_t levels_of(const subdomain *inner, int64_t field)
{
    const ir *code = inner->code;
    int64_t count = 0;
    if (inner->wide)
        return inner->wide->levels[field];
    for (int64_t n = 0; n < code->step.count; n++) {
        for (const ir_output *o = NULL;
             (o = ir_next_store(&code->stage[code->step.stage[n]], o));)
            count += o->field == field;
    }
    for (int64_t n = 0; n < code->injections.count; n++)
        count += code->injections.item[n].field == field;
    return count;
}

int64_t split_bytes_from(const subdomain *inner, int axis, int side, int64_t *messages)
{
    int64_t bytes = 0;
    *messages = 0;
    for (int64_t f = 0; f < inner->code->fields; f++) {
        const int64_t times = levels_of(inner, f);
        const int64_t own = times > 0 ? face_bytes(inner, f, axis, side) : 0;
        *messages += own > 0 ? times : 0;
        bytes += times * own;
    }
    return bytes;
}

int64_t split_bytes_of(const subdomain *inner)
{
    int64_t bytes = 0, messages;
    for (int64_t f = 0; f < inner->code->fields; f++)
        bytes += levels_of(inner, f) * bytes_of_others(inner, f);
    for (int face = 0; face < 2 * inner->code->dim; face++)
        bytes += split_bytes_from(inner, face / 2, face % 2, &messages);
    return bytes;
}

/* ---- points ------------------------------------------------------------------------ */

static double points_of(const subdomain *inner, const ir_stage *stage, int left)
{
    const box *own = &inner->grid[stage->coarse].box;
    const int field = stage->outputs > 0 ? stage->output[0].field : -1;
    halo_depth extra = {{{0}}};
    double count = 1;
    if (inner->wide && field >= 0 && stage_may_be_cut(stage))
        extra = wide_halo_extra(inner->wide, inner->code, left, stage);
    for (int axis = 0; axis < MAX_DIM; axis++) {
        int64_t width = own->hi[axis] - own->lo[axis];
        if (extra.side[axis][0] > 0 && subdomain_is_seam(inner, field, axis, 0))
            width += extra.side[axis][0];
        if (extra.side[axis][1] > 0 && subdomain_is_seam(inner, field, axis, 1))
            width += extra.side[axis][1];
        count *= (double)width;
    }
    return count;
}

double split_points_of(const subdomain *inner)
{
    const ir *code = inner->code;
    const int steps = wide_halo_steps(inner->wide);
    double count = 0, own = 0;
    for (int64_t n = 0; n < code->step.count; n++)
        for (int left = 0; left < steps; left++) {
            const ir_stage *stage = &code->stage[code->step.stage[n]];
            count += points_of(inner, stage, left);
            own += (double)box_points(inner->grid[stage->coarse].box);
        }
    return own > 0 ? count / own * (double)box_points(inner->grid->box) : 0;
}
