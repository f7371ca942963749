/* SPDX-License-Identifier: BSD-3-Clause */
/* What a pass of several steps computes, and when: which stages, how many planes each stays behind, how much around its
 * tile a block must compute, and how many planes of each version are needed at the same time. */
#include <stdio.h>

#include "emit/pass_private.h"

enum {
    MOST_SHARED = 227 << 10,
    MOST_THREADS = 1024,
    MOST_DEPTH = 64,
    USUAL_DEPTH = 4,
    USUAL_X = 32,
    USUAL_Y = 32,
};

/* ---- refusals ----------------------------------------------------------------------------- */

void pass_refuse(pass_plan *p, const char *why, const char *name)
{
    if (p->refusal)
        return;
    (void)snprintf(p->said, sizeof p->said, why, name ? name : "");
    p->refusal = p->said;
}

static bool is_copied_around(const ir_field *f, int axis)
{
    return f->border[axis][0].kind == BORDER_PERIODIC ||
           f->border[axis][1].kind == BORDER_PERIODIC;
}

/* Points beyond a face that wraps are points again; beyond others they are made from those inside. */
static void check_faces(pass_plan *p, int field)
{
    const ir_field *f = &p->code->field[field];

    for (int axis = 0; axis < p->code->dim; axis++)
        for (int side = 0; side < 2; side++) {
            const bool wraps = f->border[axis][side].kind == BORDER_PERIODIC;
            const bool faces = f->halo[axis][side] > 0 || f->border[axis][side].kind;
            if (p->periodic[axis] && !wraps && faces)
                pass_refuse(p, "along one axis field %s does not wrap around and another does",
                       f->name);
        }
}

static const ir_stage *stage_of(const pass_plan *p, const pass_act *act)
{
    return &p->code->stage[act->stage];
}

bool pass_stores(const ir_stage *s, int field)
{
    for (int64_t k = 0; k < s->outputs; k++)
        if (s->output[k].kind == IR_STORE && s->output[k].field == field)
            return true;
    return false;
}

static void check_act(pass_plan *p, const pass_act *act)
{
    const ir_stage *s = stage_of(p, act);

    if (!emit_gpu_has_kernel(p->code, s))
        pass_refuse(p, "stage %s has no kernel", s->name);
    for (int64_t k = 0; k < s->count; k++)
        if (s->node[k].op == IR_LOAD && s->node[k].level == 1 &&
            pass_stores(s, s->node[k].field))
            pass_refuse(p, "stage %s reads what it also stores", s->name);
}

static void check_field(pass_plan *p, int field)
{
    const ir_field *f = &p->code->field[field];
    int stored = 0;

    for (int64_t n = 0; n < p->acts; n++)
        stored += pass_stores(stage_of(p, &p->act[n]), field);
    if (f->updated && stored != 1)
        pass_refuse(p, "field %s is not stored by exactly one stage of a step", f->name);
    if (p->moves[field])
        check_faces(p, field);
    for (int face = 0; face < 2 * p->code->dim && p->moves[field]; face++) {
        const int stage = f->border[face / 2][face % 2].stage;
        if (stage >= 0 && !emit_gpu_has_kernel(p->code, &p->code->stage[stage]))
            pass_refuse(p, "a border of field %s has no kernel", f->name);
    }
}

static void check(pass_plan *p)
{
    if (p->code->dim == 1 && p->schedule.form == EMIT_GPU_TIME)
        pass_refuse(p, "a grid of one dimension has no planes to walk along", NULL);
    if (p->code->injections.count > 0)
        pass_refuse(p, "injections are not taken within a launch", NULL);
    for (int64_t n = 0; n < p->acts; n++)
        check_act(p, &p->act[n]);
    for (int f = 0; f < p->code->fields; f++)
        check_field(p, f);
}

/* ---- acts --------------------------------------------------------------------------------- */

static pav_status take_blocking(pass_plan *p, const ir_blocking *b)
{
    p->act = mem_new(b->acts + 1, sizeof *p->act);
    p->moves = mem_new(p->code->fields + 1, sizeof *p->moves);
    p->field = mem_new(p->code->fields + 1, sizeof *p->field);
    if (!p->act || !p->moves || !p->field)
        return PAV_ENOMEM;
    for (int64_t n = 0; n < b->acts; n++)
        if (b->act[n].kind == ACT_STAGE)
            p->act[p->acts++] = (pass_act){.stage = b->act[n].stage};
    for (int f = 0; f < p->code->fields; f++)
        for (int64_t n = 0; n < p->acts; n++)
            p->moves[f] |= pass_stores(stage_of(p, &p->act[n]), f);
    for (int f = 0; f < p->code->fields; f++)
        for (int axis = 0; axis < p->code->dim && p->moves[f]; axis++)
            p->periodic[axis] |= is_copied_around(&p->code->field[f], axis);
    if (b->refusal)
        pass_refuse(p, "%s", b->refusal);
    return PAV_OK;
}

/* ---- lags --------------------------------------------------------------------------------- */

static int larger(int a, int b)
{
    return a > b ? a : b;
}

static int distance(const ir_node *n, int axis)
{
    return n->offset[axis] < 0 ? -n->offset[axis] : n->offset[axis];
}

static const pass_act *maker_of(const pass_plan *p, int field)
{
    for (int64_t n = 0; n < p->acts; n++)
        if (pass_stores(stage_of(p, &p->act[n]), field))
            return &p->act[n];
    return NULL;
}

typedef void load_visit(pass_plan *p, pass_act *act, const ir_node *load);

static void each_load(pass_plan *p, load_visit *visit)
{
    for (int64_t n = 0; n < p->acts; n++)
        for (int64_t k = 0; k < stage_of(p, &p->act[n])->count; k++) {
            const ir_node *node = &stage_of(p, &p->act[n])->node[k];
            if (node->op == IR_LOAD && p->moves[node->field])
                visit(p, &p->act[n], node);
        }
}

/* What another thread made is there after the barrier that follows, a plane later. */
static void lag_of_act(pass_plan *p, pass_act *act, const ir_node *n)
{
    const int before = n->level == 1 ? maker_of(p, n->field)->lag : 0;

    act->lag = larger(act->lag, before + distance(n, p->axis) + 1);
}

/* A level that is `steps` steps old. */
static void lag_of_step(pass_plan *p, pass_act *act, const ir_node *n)
{
    const int steps = 1 - n->level;
    const int more = maker_of(p, n->field)->lag + distance(n, p->axis) + 1 - act->lag;

    if (steps > 0 && more > 0)
        p->lag = larger(p->lag, (more + steps - 1) / steps);
}

/* ---- what is around ----------------------------------------------------------------------- */

static void around_maker(pass_plan *p, pass_act *act, const ir_node *n)
{
    pass_act *maker = (pass_act *)(uintptr_t)maker_of(p, n->field);

    for (int axis = 0; axis < MAX_DIM; axis++) {
        const int more = act->around[axis] + distance(n, axis);
        if (n->level == 1)
            maker->around[axis] = larger(maker->around[axis], more);
        else
            p->reach[axis] = larger(p->reach[axis], more);
    }
}

/* ---- planes ------------------------------------------------------------------------------- */

/* Planes that have come since the one that is read was made. */
static void planes_of(pass_plan *p, pass_act *act, const ir_node *n)
{
    pass_field *f = &p->field[n->field];
    const int made = maker_of(p, n->field)->lag, far = distance(n, p->axis);
    const int steps = 1 - n->level;

    f->oldest = n->level < f->oldest ? n->level : f->oldest;
    f->within |= n->level == 1;
    f->planes = larger(f->planes, steps * p->lag + act->lag - made + far + 1);
    if (n->level < 1) /* in the last step that finds it */
        f->planes = larger(f->planes, -n->level * p->lag + act->lag + far + 1);
}

static void find_planes(pass_plan *p)
{
    for (int f = 0; f < p->code->fields; f++) {
        const int levels = p->code->field[f].levels;
        p->field[f].planes = 1;
        p->field[f].kept = p->moves[f] ? larger(levels - 1, 1) : 0;
    }
    each_load(p, planes_of);
}

/* As often as there are acts: each settles one more at least. */
static void find_lags(pass_plan *p)
{
    for (int64_t n = 0; n < p->acts; n++) {
        each_load(p, lag_of_act);
        each_load(p, around_maker);
    }
    p->lag = larger(1, p->reach[p->axis]);
    each_load(p, lag_of_step);
    find_planes(p);
}

/* ---- sizes -------------------------------------------------------------------------------- */

int pass_points(const pass_plan *p, int axis)
{
    return axis >= p->axis ? 1 : p->schedule.threads[axis];
}

int pass_versions(const pass_plan *p, int field)
{
    const pass_field *f = &p->field[field];

    return p->schedule.depth - f->oldest + f->within;
}

static void place_fields(pass_plan *p)
{
    const int64_t across = (int64_t)pass_points(p, 0) * pass_points(p, 1);

    p->shared = 0;
    for (int f = 0; f < p->code->fields; f++) {
        pass_field *field = &p->field[f];
        const int64_t size = (int64_t)pav_type_size(p->code->field[f].storage);
        if (!p->moves[f])
            continue;
        field->at = p->shared;
        field->level_bytes = across * field->planes * size;
        p->shared += field->level_bytes * pass_versions(p, f);
        p->shared = (p->shared + 15) / 16 * 16;
    }
}

static bool fits(pass_plan *p, int depth)
{
    p->schedule.depth = depth;
    place_fields(p);
    for (int axis = 0; axis < p->axis; axis++)
        if (pass_points(p, axis) <= 2 * depth * p->reach[axis])
            return false;
    return p->shared <= MOST_SHARED;
}

/* All levels that it leaves are its own. */
int pass_least(const pass_plan *p)
{
    int least = 2;

    for (int f = 0; f < p->code->fields; f++)
        least = larger(least, p->field[f].kept);
    return least;
}

/* At least half of a tile should be its own. */
static int usual_depth(pass_plan *p)
{
    int depth = larger(USUAL_DEPTH, pass_least(p));

    while (depth > pass_least(p) && (4 * depth * p->reach[0] > pass_points(p, 0) || !fits(p, depth)))
        depth--;
    return depth;
}

static void settle(pass_plan *p, const emit_gpu_schedule *wanted)
{
    emit_gpu_schedule *s = &p->schedule;

    *s = *wanted;
    s->vector = s->rows = 1;
    if (s->threads[0] == 0) {
        s->threads[0] = p->axis == 1 ? 8 * USUAL_X : USUAL_X;
        s->threads[1] = p->axis == 1 ? 1 : USUAL_Y;
    }
    if (p->axis == 1)
        s->threads[1] = 1;
    if (s->depth == 0)
        s->depth = usual_depth(p);
    if (s->threads[0] * s->threads[1] > MOST_THREADS)
        pass_refuse(p, "a block has at most 1024 threads", NULL);
    if (s->depth < pass_least(p) || s->depth > MOST_DEPTH)
        pass_refuse(p, "a pass takes 2 to 64 steps, and no fewer than levels are read", NULL);
    if (!fits(p, s->depth))
        pass_refuse(p, "its tile has no points left, or takes more than 227 KiB of shared memory: "
                  "take fewer steps or other threads", NULL);
}

static void find(pass_plan *p, const resident_limits *most)
{
    const emit_gpu_schedule wanted = p->schedule;

    check(p);
    if (p->refusal)
        return;
    find_lags(p);
    if (wanted.form == EMIT_GPU_RESIDENT)
        resident_settle(p, &wanted, most);
    else
        settle(p, &wanted);
}

pav_status pass_plan_open_on(const ir *code, const emit_gpu_schedule *wanted,
                             const resident_limits *most, pass_plan *p)
{
    ir_blocking b;

    *p = (pass_plan){.code = code, .axis = code->dim - 1};
    p->schedule = wanted ? *wanted : (emit_gpu_schedule){.form = EMIT_GPU_TIME};
    TRY(ir_blocking_open(code, NULL, &b));
    const pav_status status = take_blocking(p, &b);
    ir_blocking_close(&b);
    if (status == PAV_OK && !p->refusal)
        find(p, most);
    if (status != PAV_OK)
        pass_plan_close(p);
    return status;
}

/* Where blocks stay and nobody says how the grid is parted: for an H200. */
pav_status pass_plan_open(const ir *code, const emit_gpu_schedule *wanted, pass_plan *p)
{
    static const resident_limits usual = {132, MOST_SHARED};

    return pass_plan_open_on(code, wanted, &usual, p);
}

void pass_plan_close(pass_plan *p)
{
    mem_free(p->act);
    mem_free(p->moves);
    mem_free(p->field);
    p->act = NULL;
    p->moves = NULL;
    p->field = NULL;
}
