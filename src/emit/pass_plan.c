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
    WARP = 32,
    HELD_WARPS = 12, /* of a block, and rows of each, of what is held */
    HELD_ROWS = 3,
    PACK = 16, /* bytes */
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
                pass_refuse(
                    p, "along one axis field %s does not wrap around and another does",
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
    for (int64_t k = 0; k < s->count && act->event < 0; k++)
        if (s->node[k].op == IR_LOAD && s->node[k].level == 1 &&
            pass_stores(s, s->node[k].field))
            pass_refuse(p, "stage %s reads what it also stores", s->name);
}

static void check_field(pass_plan *p, int field)
{
    const ir_field *f = &p->code->field[field];
    int stored = 0;

    for (int64_t n = 0; n < p->acts; n++)
        stored += p->act[n].event < 0 && pass_stores(stage_of(p, &p->act[n]), field);
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
    for (int64_t n = 0; n < p->acts; n++)
        check_act(p, &p->act[n]);
    for (int f = 0; f < p->code->fields; f++)
        check_field(p, f);
}

/* ---- acts --------------------------------------------------------------------------------- */

static void take_injections(pass_plan *p)
{
    for (int64_t k = 0; k < p->code->injections.count; k++) {
        const ir_list *list = &p->code->injections.item[k].list;
        const int last = list->stage[list->count - 1];
        p->act[p->acts++] = (pass_act){.stage = last, .event = (int)k};
    }
}

static pav_status take_acts(pass_plan *p, const ir_blocking *b)
{
    p->act = mem_new(b->acts + p->code->injections.count + 1, sizeof *p->act);
    p->moves = mem_new(p->code->fields + 1, sizeof *p->moves);
    p->field = mem_new(p->code->fields + 1, sizeof *p->field);
    if (!p->act || !p->moves || !p->field)
        return PAV_ENOMEM;
    for (int64_t n = 0; n < b->acts; n++)
        if (b->act[n].kind == ACT_STAGE)
            p->act[p->acts++] = (pass_act){.stage = b->act[n].stage, .event = -1};
    take_injections(p);
    return PAV_OK;
}

static void find_seen(pass_plan *p)
{
    for (const statement *s = p->code->program->first; s; s = s->next)
        for (int f = 0; f < p->code->fields; f++)
            if (s->kind == STATEMENT_SAMPLE && p->code->field[f].symbol == s->symbol)
                p->field[f].seen = p->moves[f];
}

static pav_status take_blocking(pass_plan *p, const ir_blocking *b)
{
    TRY(take_acts(p, b));
    for (int f = 0; f < p->code->fields; f++)
        for (int64_t n = 0; n < p->acts; n++)
            p->moves[f] |= pass_stores(stage_of(p, &p->act[n]), f);
    for (int f = 0; f < p->code->fields; f++)
        for (int axis = 0; axis < p->code->dim && p->moves[f]; axis++)
            p->periodic[axis] |= is_copied_around(&p->code->field[f], axis);
    find_seen(p);
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

/* The stage of a step that stores the field. */
static const pass_act *maker_of(const pass_plan *p, int field)
{
    for (int64_t n = 0; n < p->acts; n++)
        if (pass_stores(stage_of(p, &p->act[n]), field))
            return &p->act[n];
    return NULL;
}

/* After which nothing changes it in its step: that, or the last injection. */
static const pass_act *settler_of(const pass_plan *p, int field)
{
    for (int64_t n = p->acts; n-- > 0;)
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

/* What another warp made is there after the barrier that follows, a plane later; what a thread and its warp hold is
 * there at once. Where borders copy, what lies as far the other way is read, too. */
static int planes_until(const pass_plan *p, const ir_node *n)
{
    if (!p->held)
        return distance(n, p->axis) + (n->offset[0] || (p->axis == 2 && n->offset[1]));
    return n->offset[p->axis] + (p->axis == 2 && n->offset[1] != 0);
}

static void lag_of_act(pass_plan *p, pass_act *act, const ir_node *n)
{
    const int before = n->level == 1 ? maker_of(p, n->field)->lag : 0;

    act->lag = larger(act->lag, before + planes_until(p, n));
}

/* What a stage reads of its own step nothing has been added to yet. */
static void lag_of_injections(pass_plan *p, pass_act *act, const ir_node *n)
{
    for (int64_t k = 0; k < p->acts && n->level == 1 && act->event < 0; k++)
        if (p->act[k].event >= 0 && pass_stores(stage_of(p, &p->act[k]), n->field))
            p->act[k].lag = larger(p->act[k].lag, act->lag + planes_until(p, n));
}

/* All are as late as the last, so that at a point they come one after another. */
static void join_injections(pass_plan *p)
{
    int last = 0;

    for (int64_t n = 0; n < p->acts; n++)
        if (p->act[n].event >= 0)
            last = larger(last, p->act[n].lag);
    for (int64_t n = 0; n < p->acts; n++)
        if (p->act[n].event >= 0)
            p->act[n].lag = last;
}

static void find_look(pass_plan *p)
{
    p->look = 0;
    for (int f = 0; f < p->code->fields; f++)
        if (p->field[f].seen)
            p->look = larger(p->look, settler_of(p, f)->lag);
}

/* A level that is `steps` steps old. */
static void lag_of_step(pass_plan *p, pass_act *act, const ir_node *n)
{
    const int steps = 1 - n->level;
    const int more = settler_of(p, n->field)->lag + planes_until(p, n) - act->lag;

    if (steps > 0 && more > 0)
        p->lag = larger(p->lag, (more + steps - 1) / steps);
}

int pass_last_lag(const pass_plan *p)
{
    int last = 0;

    for (int64_t n = 0; n < p->acts; n++)
        last = p->act[n].lag > last ? p->act[n].lag : last;
    return last + (p->schedule.depth - 1) * p->lag;
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

int pass_age(const pass_plan *p, const pass_act *act, int field, int level, int z)
{
    return (1 - level) * p->lag + act->lag - maker_of(p, field)->lag - z;
}

int pass_age_found(const pass_act *act, int z)
{
    return act->lag - z;
}

static void planes_of(pass_plan *p, pass_act *act, const ir_node *n)
{
    pass_field *f = &p->field[n->field];
    const int z = p->held ? n->offset[p->axis] : -distance(n, p->axis);
    int age = pass_age(p, act, n->field, n->level, z);

    if (n->level < 1) /* in the last step that finds it */
        age = larger(age, -n->level * p->lag + pass_age_found(act, z));
    f->oldest = n->level < f->oldest ? n->level : f->oldest;
    f->within |= n->level == 1;
    f->planes = larger(f->planes, age + 1);
    if (p->held && p->axis == 2 && n->offset[1] != 0) {
        f->shown = larger(f->shown, age + 1);
        f->edge = larger(f->edge, distance(n, 1));
    }
}

/* Of the step that samples look at. */
static int planes_seen(const pass_plan *p, int field)
{
    return p->field[field].seen ? p->look - maker_of(p, field)->lag + 1 : 1;
}

static void find_planes(pass_plan *p)
{
    for (int f = 0; f < p->code->fields; f++) {
        const int levels = p->code->field[f].levels;
        p->field[f].planes = planes_seen(p, f);
        p->field[f].kept = p->moves[f] ? larger(levels - 1, 1) : 0;
    }
    each_load(p, planes_of);
}

/* As often as there are acts: each settles one more at least. */
static void find_lags(pass_plan *p)
{
    for (int64_t n = 0; n < p->acts; n++) {
        each_load(p, lag_of_act);
        each_load(p, lag_of_injections);
        join_injections(p);
        each_load(p, around_maker);
    }
    find_look(p);
    p->lag = larger(1, p->reach[p->axis]);
    each_load(p, lag_of_step);
    find_planes(p);
}

/* ---- sizes -------------------------------------------------------------------------------- */

int pass_points(const pass_plan *p, int axis)
{
    const emit_gpu_schedule *s = &p->schedule;

    if (axis >= p->axis)
        return 1;
    return s->threads[axis] * (axis == 0 ? s->vector : s->rows);
}

/* What a tile stores begins with a whole pack. */
int pass_overlap(const pass_plan *p, int axis)
{
    const int points_beside = p->schedule.depth * p->reach[axis];
    const int pack = axis == 0 ? p->schedule.vector : 1;

    return (points_beside + pack - 1) / pack * pack;
}

int pass_versions(const pass_plan *p, int field)
{
    const pass_field *f = &p->field[field];

    return p->schedule.depth - f->oldest + f->within;
}

/* Points of a plane that are in shared memory. */
static int64_t points_shared(const pass_plan *p, const pass_field *f)
{
    const int rows = p->schedule.rows;

    if (!p->held)
        return (int64_t)pass_points(p, 0) * pass_points(p, 1);
    return (int64_t)pass_points(p, 0) * p->schedule.threads[1] *
           (2 * f->edge < rows ? 2 * f->edge : rows);
}

int pass_planes_ahead(const pass_plan *p)
{
    return p->schedule.prefetch > 0 ? p->schedule.prefetch : 1;
}

static void place_fields(pass_plan *p)
{
    p->shared = 0;
    for (int f = 0; f < p->code->fields; f++) {
        pass_field *field = &p->field[f];
        const int64_t size = (int64_t)pav_type_size(p->code->field[f].storage);
        if (!p->moves[f])
            continue;
        field->at = p->shared;
        field->level_bytes = points_shared(p, field) *
                             (p->held ? field->shown : field->planes) * size;
        p->shared += field->level_bytes * pass_versions(p, f);
        p->shared = (p->shared + 15) / 16 * 16;
        field->soon = p->shared;
        p->shared += p->schedule.prefetch * (1 - field->oldest) * size *
                     pass_points(p, 0) * p->schedule.threads[1] *
                     (p->held ? p->schedule.rows : 0);
        p->shared = (p->shared + 15) / 16 * 16;
    }
}

static bool fits(pass_plan *p, int depth)
{
    p->schedule.depth = depth;
    place_fields(p);
    for (int axis = 0; axis < p->axis; axis++)
        if (pass_points(p, axis) <= 2 * pass_overlap(p, axis))
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

    while (depth > pass_least(p) &&
           (4 * depth * p->reach[0] > pass_points(p, 0) || !fits(p, depth)))
        depth--;
    return depth;
}

/* ---- what is held ------------------------------------------------------------------------- */

static bool is_given(border_kind kind)
{
    return kind == BORDER_NONE || kind == BORDER_VALUE || kind == BORDER_BEYOND ||
           kind == BORDER_PERIODIC;
}

bool pass_has_faces(const pass_plan *p, const ir_stage *stage)
{
    for (int64_t k = 0; k < stage->outputs; k++)
        for (int face = 0; face < 2 * p->code->dim; face++) {
            const ir_field *f = &p->code->field[stage->output[k].field];
            const border_kind kind = f->border[face / 2][face % 2].kind;
            if (kind == BORDER_VALUE || kind == BORDER_BEYOND)
                return true;
        }
    return false;
}

/* Points of 16 bytes of the largest numbers. */
static int pack_of(const pass_plan *p)
{
    int size = 1;

    for (int f = 0; f < p->code->fields; f++)
        if (p->moves[f])
            size = larger(size, (int)pav_type_size(p->code->field[f].storage));
    return PACK / size;
}

static bool has_marks(const pass_plan *p)
{
    bool seen = p->code->injections.count > 0;

    for (int f = 0; f < p->code->fields; f++)
        seen |= p->field[f].seen;
    return seen;
}

static const char *held_refusal(const pass_plan *p, const emit_gpu_schedule *s)
{
    const int pack = s->vector > 0 ? s->vector : pack_of(p);

    for (int f = 0; f < p->code->fields; f++)
        for (int face = 0; face < 2 * p->code->dim && p->moves[f]; face++)
            if (!is_given(p->code->field[f].border[face / 2][face % 2].kind))
                return "borders that copy points are not made in registers";
    for (int64_t n = 0; n < p->acts; n++)
        for (int64_t k = 0; k < stage_of(p, &p->act[n])->count; k++) {
            const ir_node *node = &stage_of(p, &p->act[n])->node[k];
            if (node->op == IR_LOAD && p->moves[node->field] && distance(node, 0) > pack)
                return "neighbours along x are farther away than the next pack";
        }
    if (has_marks(p))
        return "sources and receivers are not met in registers";
    if (s->threads[0] > 0 && s->threads[0] != WARP)
        return "a row of a block is a warp of 32 threads";
    return NULL;
}

/* Whether a thread has registers for it, as far as that can be told. */
static bool is_narrow(pass_plan *p)
{
    enum { MOST = 190 };
    const emit_gpu_schedule *s = &p->schedule;
    int words = 0;

    for (int f = 0; f < p->code->fields; f++)
        if (p->moves[f])
            words += (p->field[f].planes - 1) * pass_versions(p, f) *
                     (int)pav_type_size(p->code->field[f].storage) * s->vector * s->rows /
                     4;
    return words <= MOST && words * s->threads[0] * s->threads[1] <= MOST * 384;
}

/* As many rows and steps as there are registers for. */
static void settle_held(pass_plan *p, const emit_gpu_schedule *wanted)
{
    emit_gpu_schedule *s = &p->schedule;

    s->vector = wanted->vector > 0 ? wanted->vector : pack_of(p);
    s->threads[0] = WARP;
    s->threads[1] = wanted->threads[1] > 0 ? wanted->threads[1]
                    : p->axis == 2         ? HELD_WARPS
                                           : 4;
    s->rows = p->axis == 1 ? 1 : wanted->rows > 0 ? wanted->rows : HELD_ROWS;
    s->depth = wanted->depth > 0 ? wanted->depth : p->axis == 1 ? 8 : USUAL_DEPTH;
    while (wanted->depth == 0 && s->depth > pass_least(p) && !is_narrow(p))
        s->depth--;
    while (wanted->rows == 0 && s->rows > 1 && !is_narrow(p))
        s->rows--;
    s->ahead = wanted->ahead > 0 ? wanted->ahead
               : s->prefetch > 0 ? s->depth
                                 : s->depth / 2;
    for (int f = 0; f < p->code->fields; f++)
        if (p->moves[f] && s->prefetch > 0 &&
            pav_type_size(p->code->field[f].storage) < 4)
            pass_refuse(p, "prefetch takes fields of 4 or 8 bytes a point", NULL);
    if (s->ahead > s->depth)
        pass_refuse(p, "a plane is read at most as many steps ahead as a pass has", NULL);
}

static void settle_shared(pass_plan *p, const emit_gpu_schedule *wanted)
{
    emit_gpu_schedule *s = &p->schedule;

    s->vector = s->rows = s->ahead = 1;
    s->prefetch = 0;
    if (wanted->threads[0] == 0) {
        s->threads[0] = p->axis == 1 ? 8 * USUAL_X : USUAL_X;
        s->threads[1] = USUAL_Y;
    }
    if (p->axis == 1)
        s->threads[1] = 1;
    if (s->depth == 0)
        s->depth = usual_depth(p);
}

static void settle(pass_plan *p, const emit_gpu_schedule *wanted)
{
    emit_gpu_schedule *s = &p->schedule;

    if (p->held)
        settle_held(p, wanted);
    else
        settle_shared(p, wanted);
    if (s->threads[0] * s->threads[1] > MOST_THREADS)
        pass_refuse(p, "a block has at most 1024 threads", NULL);
    if (s->depth < pass_least(p) || s->depth > MOST_DEPTH)
        pass_refuse(p, "a pass takes 2 to 64 steps, and no fewer than levels are read",
                    NULL);
    if (!fits(p, s->depth))
        pass_refuse(
            p,
            "its tile has no points left, or takes more than 227 KiB of shared memory: "
            "take fewer steps or other threads",
            NULL);
}

/* In registers where that can be, and nothing else is asked for. */
static void choose_place(pass_plan *p, const emit_gpu_schedule *wanted)
{
    const char *why = held_refusal(p, wanted);

    p->schedule = *wanted;
    p->held = !why && wanted->source != EMIT_GPU_SHARED;
    p->schedule.source = p->held ? EMIT_GPU_SHUFFLE : EMIT_GPU_SHARED;
    if (wanted->source == EMIT_GPU_SHUFFLE && why)
        pass_refuse(p, why, NULL);
}

static void find(pass_plan *p, const resident_limits *most)
{
    const emit_gpu_schedule wanted = p->schedule;

    check(p);
    if (p->refusal)
        return;
    if (wanted.form == EMIT_GPU_RESIDENT) {
        find_lags(p);
        resident_settle(p, &wanted, most);
    } else {
        choose_place(p, &wanted);
        find_lags(p);
        settle(p, &wanted);
    }
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
