/* SPDX-License-Identifier: BSD-3-Clause */
/* Lowering: from the tree to stages, nothing simplified. Uniform slots and fields come
 * first, then the step, then events, and last the start, since it fills everything read
 * by the others.
 *
 * The start of a run: masks, params that hold reductions, and every level of every field
 * with its borders. Every item is listed after its inputs, whatever the order in the
 * text: a stage first demands the levels, borders and params it reads. */
#include <assert.h>
#include <math.h>
#include <string.h>

#include "plan/plan_private.h"

/* ---- the step and its events ------------------------------------------------------- */

/* Each equation of a step is lowered on its own and then joined
 * to the previous stage, if nothing forbids it. Both must cover the same points, and the
 * later equation may read results of the earlier one only at the point itself, where the
 * value is at hand. Equations with different fields are joined only in small numbers:
 * compile time grows faster than the length of a stage, and nothing is saved.
 *
 * Events follow a step: sources add to the new level; measures, until and expect read the
 * levels after their rotation. Equations to solve are lowered here, too. */

enum { JOINED_ANY = 16, JOINED_MOST = 32 }; /* equations of a stage */

/* ---- one equation ------------------------------------------------------------------ */

/* Leaves out points with values given by a border. */
static void set_inset(ir_stage *stage, const ir_field *f)
{
    for (int face = 0; face < 2 * MAX_DIM; face++)
        stage->inset[face / 2][face % 2] =
            border_rules[f->border[face / 2][face % 2].kind].has_face;
}

/* True if a node of an equation of `field` has the same value in all steps, until the
 * host changes a field or a scalar. New values of the field are assumed to have it. */
static bool rests(const ir *code, const ir_node *n, int field)
{
    if (n->op == IR_UNIFORM) {
        const ir_uniform *u = &code->uniform[n->uniform];
        return u->kind == UNIFORM_PARAM || (u->kind == UNIFORM_SCALAR && !u->next);
    }
    if (n->op == IR_LOAD) {
        const ir_field *f = &code->field[n->field];
        return f->updated ? n->level == 1 && (n->field == field || f->rests)
                          : !f->symbol || !f->symbol->solved;
    }
    return n->op != IR_RANDOM;
}

/* Values of a solver hold for one start: it shares buffers instead. */
static bool equation_rests(const ir *code, const symbol *s, const ir_stage *stage)
{
    bool all = s->line_of && !code->program->derived;

    for (const ir_node *n = NULL; all && (n = ir_next_node(stage, n));)
        all = rests(code, n, s->index);
    return all;
}

/* `reductions` receives the reductions needed by the equation. A field keeps its value
 * where one of its masks is 0. */
static draft *lower_equation(lowering *l, const statement *s, ir_list *reductions)
{
    const int field = s->symbol->index;
    const ir_field *f = &l->code->field[field];
    draft *d = arena_alloc(l->arena, 1, sizeof *d);
    const spot at = {.coarse = s->symbol->coarse};

    *d = draft_new(s->symbol->name, l->program->real, at.coarse, DRAFT_STEP);
    const symbol *covered = s->symbol->line_of ? s->symbol->line_of : s->symbol;
    set_inset(&d->stage, &l->code->field[covered->index]);
    d->stage.along = s->along;
    d->line = s->along ? s : NULL;
    d->absorbs = true;
    d->list = reductions;
    d->listed = &l->code->step;
    l->at = s->at;
    draft_open(l, d);
    const int damping = covered == s->symbol ? lower_damping(l, field, &at) : -1;
    int value = lower_number(l, s->value, &at);
    if (damping >= 0)
        value = lower_op(l, IR_MUL, damping, value);
    if (!l->program->derived && !s->transforms && update_flushes(l->program, s)) {
        const int size = lower_op(l, IR_ABS, value, -1);
        const int low = lower_op(l, IR_LT, size, lower_const(l, l->program->tiny));
        value = build_op(&d->build, IR_SELECT, low, lower_const(l, num_int(0)), value);
    }
    int open = -1;
    for (int k = 0; k < f->masks; k++) {
        const int load = lower_load(l, f->mask[k], 0, &at);
        const int one = lower_op(l, IR_NE, load, lower_const(l, num_int(0)));
        open = open < 0 ? one : lower_op(l, IR_AND, open, one);
    }
    if (open >= 0)
        value = build_op(&d->build, IR_SELECT, open, value, lower_load(l, field, 0, &at));
    draft_store(l, d, value, field, 1);
    draft_leave(l, d);
    d->stage.rests = equation_rests(l->code, s->symbol, &d->stage);
    l->code->field[field].rests = d->stage.rests;
    return d;
}

/* A transform of the field's new values. Other stages do not join it. */
static void lower_transform(lowering *l, const statement *s, int kind)
{
    const int field = s->symbol->index;
    const int axis = (kind < 0 ? -kind - 1 : kind - 1) % MAX_DIM;
    const char *name = arena_print(l->arena, "%s %s along %c", s->symbol->name,
                                   kind < 0 ? "transformed back" : "transformed",
                                   axis_letter(l->program, axis));
    draft d = draft_new(name, l->program->real, s->symbol->coarse, DRAFT_STEP);
    const spot at = {.coarse = d.stage.coarse};

    set_inset(&d.stage, &l->code->field[field]);
    d.stage.transform = kind;
    d.stage.along = axis + 1;
    draft_open(l, &d);
    draft_store(l, &d, lower_load(l, field, 1, &at), field, 1);
    list_add(l->code, &l->code->step, draft_close(l, &d));
}

/* ---- joining ----------------------------------------------------------------------- */

/* True if a stage reads results of `before`; without here_too, only reads away from the
 * point count. */
static bool depends(const ir_stage *before, const ir_stage *stage, bool here_too)
{
    for (int64_t k = 0; k < stage->count; k++)
        if (ir_computed(before, &stage->node[k]) >= 0 &&
            (here_too || !ir_is_here(&stage->node[k])))
            return true;
    return false;
}

/* Counts fields read by a stage and not yet in `seen`, and adds them. */
static int64_t count_fresh(const ir_stage *stage, bool *seen)
{
    int64_t fresh = 0;

    for (int64_t k = 0; k < stage->count; k++)
        if (stage->node[k].op == IR_LOAD) {
            fresh += !seen[stage->node[k].field];
            seen[stage->node[k].field] = true;
        }
    return fresh;
}

/* Equations of different matched layers, at rest or not, or with different gates, stay
 * apart: memory of a layer is computed only next to the faces of its axis, and an
 * equation at rest or with a gate only in some steps (single_step.c). A long stage
 * accepts only equations that read mostly its own fields. A solver runs after all earlier
 * stages, so readers of its result begin a stage. */
static bool may_join(const lowering *l, const ir_stage *before, const ir_stage *stage,
                     const ir_list *reductions)
{
    const ir *code = l->code;
    const symbol *a = code->field[before->output->field].symbol,
                 *b = code->field[stage->output->field].symbol;

    if (before->rests != stage->rests || a->gate != b->gate || a->layered != b->layered ||
        (a->layered && a->layer_axis != b->layer_axis) || before->outputs >= JOINED_MOST)
        return false;
    if (before->outputs >= JOINED_ANY) {
        bool *seen = arena_alloc(l->arena, code->fields + 1, sizeof *seen),
             *own = arena_alloc(l->arena, code->fields + 1, sizeof *own);
        (void)count_fresh(before, seen);
        if (2 * count_fresh(stage, seen) >= count_fresh(stage, own))
            return false;
    }
    if (before->coarse != stage->coarse || before->along != stage->along ||
        memcmp(before->inset, stage->inset, sizeof before->inset) != 0)
        return false;
    for (int64_t k = 0; k < reductions->count; k++)
        if (depends(before, &code->stage[reductions->stage[k]], true))
            return false;
    for (const ir_node *n = NULL; (n = ir_next_load(stage, n));) {
        const symbol *s = code->field[n->field].symbol;
        if (s && s->solved)
            return false;
    }
    return !depends(before, stage, false);
}

static void list_stages(lowering *l, const ir_list *stages)
{
    for (int64_t k = 0; k < stages->count; k++)
        list_add(l->code, &l->code->step, stages->stage[k]);
}

static void list_draft(lowering *l, draft **d)
{
    if (*d)
        list_add(l->code, &l->code->step, draft_add(l, *d));
    *d = NULL;
}

/* ---- equations of scalars ---------------------------------------------------------- */

/* The length of a step before a stop: the time left, if it is shorter, or half of it, so
 * that no short rest follows. At the end no time is left. */
static int lower_least(lowering *l, int length, int left)
{
    const int some = lower_op(l, IR_LT, lower_const(l, num_int(0)), left);

    if (!l->program->ends && !l->program->stops)
        return length;
    const int half = lower_op(l, IR_MUL, left, lower_const(l, num_ratio(1, 2)));
    const int two = lower_op(l, IR_MIN, half,
                             length); /* if the length is NaN, it is NaN */
    const int most = lower_op(l, IR_MUL, length,
                              lower_const(l, num_double(1 + TIME_TOLERANCE)));
    const int last = build_op(&l->draft->build, IR_SELECT, lower_op(l, IR_LE, left, most),
                              left, two);
    return build_op(&l->draft->build, IR_SELECT, some, last, length);
}

/* t after the step: t + dt, and exactly the next stop in the step shortened for it. */
static int lower_next_time(lowering *l)
{
    builder *b = &l->draft->build;
    const int t = build_uniform(b, l->code->uniform_t),
              dt = build_uniform(b, l->code->dt);
    const int sum = lower_op(l, IR_ADD, t, dt);

    if (!l->program->ends && !l->program->stops)
        return sum;
    const int end = l->program->stops ? build_uniform(b, l->code->stop)
                                      : lower_const(l, l->program->end);
    const int before = lower_op(l, IR_LT, t, end),
              fits = lower_op(l, IR_LE, lower_op(l, IR_SUB, end, t), dt);
    return build_op(b, IR_SELECT, lower_op(l, IR_AND, before, fits), end, sum);
}

/* The first stop after t: a multiple of an interval, or the end. */
static int lower_stop(lowering *l, int t)
{
    const int one = lower_const(l, num_int(1)), end = lower_const(l, l->program->end);
    const int near = lower_const(l, num_double(TIME_TOLERANCE));
    int stop = -1;

    EACH_STATEMENT(s, l->program) {
        if (s->interval.v <= 0)
            continue;
        const int interval = lower_const(l, s->interval);
        const int count = lower_op(
                      l, IR_FLOOR,
                      lower_op(l, IR_ADD, lower_op(l, IR_DIV, t, interval), near), -1),
                  next = lower_op(l, IR_MUL, lower_op(l, IR_ADD, count, one), interval);
        stop = stop < 0 ? next : lower_op(l, IR_MIN, stop, next);
    }
    return !l->program->ends
               ? stop
               : build_op(&l->draft->build, IR_SELECT, lower_op(l, IR_LT, t, end),
                          lower_op(l, IR_MIN, stop, end), stop);
}

/* Sets the value of a slot after the step: to an expression, or without one to the
 * present value; the time and its next stop have neither. */
static void lower_evolution(lowering *l, int slot, const expr *value)
{
    ir *code = l->code;
    const spot at = {0};
    ir_list reductions = {0};
    draft d = draft_new(code->uniform[code->uniform[slot].next].name, PAV_F64, 0,
                        DRAFT_STEP);
    int node;

    d.uniform = true;
    d.list = &reductions;
    d.listed = &code->step;
    draft_open(l, &d);
    if (slot == code->time)
        node = lower_next_time(l);
    else if (slot == code->stop)
        node = lower_stop(l, lower_next_time(l));
    else
        node = value ? lower_number(l, value, &at) : build_uniform(&d.build, slot);
    if (code->time && slot == code->dt && (l->program->ends || l->program->stops)) {
        const int stop = code->stop
                             ? build_uniform(&d.build, code->uniform[code->stop].next)
                             : lower_const(l, l->program->end);
        node = lower_least(l, node, lower_op(l, IR_SUB, stop, lower_next_time(l)));
    }
    draft_set(l, &d, node, code->uniform[slot].next);
    draft_leave(l, &d);
    list_stages(l, &reductions);
    list_add(code, &code->step, draft_add(l, &d));
}

static void lower_updates(lowering *l)
{
    ir *code = l->code;
    draft *under_way = NULL;
    bool shortens = code->time && l->program->ends; /* dt, and it has no equation */
    if (code->stop)
        lower_evolution(l, code->stop, NULL);

    EACH_STATEMENT(s, l->program) {
        ir_list reductions = {0};
        l->at = s->at;
        if (s->kind == STATEMENT_EVOLVE) {
            list_draft(l, &under_way);
            lower_evolution(l, l->scalar_slot[s->symbol->index], s->value);
            shortens &= s->symbol != l->program->dt;
        }
        if (s->kind != STATEMENT_UPDATE)
            continue;
        draft *d = lower_equation(l, s, &reductions);
        const bool joins = under_way &&
                           may_join(l, &under_way->stage, &d->stage, &reductions);
        if (!joins)
            list_draft(l, &under_way);
        list_stages(l, &reductions);
        if (joins)
            build_join(&under_way->build, &d->stage);
        else
            under_way = d;
        for (int k = 0; k < s->transforms; k++) {
            list_draft(l, &under_way);
            lower_transform(l, s, s->transform[k]);
        }
    }
    list_draft(l, &under_way);
    if (shortens)
        lower_evolution(l, code->dt, NULL);
    if (code->time)
        lower_evolution(l, code->time, NULL);
}

/* ---- events ------------------------------------------------------------------------ */

static void add_event(lowering *l, ir_event_list *events, const ir_event *event)
{
    ARENA_ADD(l->arena, events->item, events->count, events->capacity) = *event;
}

static ir_event event_of(lowering *l, const statement *s)
{
    return (ir_event){
        .statement = s,
        .text = lower_text(l, s->value),
        .result = -1,
        .left = -1,
        .right = -1,
        .field = -1,
        .weight = -1,
    };
}

/* ---- sources ----------------------------------------------------------------------- */

static void lower_injection(lowering *l, const statement *s)
{
    ir_event event = event_of(l, s);
    const ir_event_list *others = &l->code->injections;
    const char *name = arena_print(l->arena, "inject into %s", s->symbol->name);
    draft d = draft_new(name, l->program->real, s->symbol->coarse, DRAFT_STEP);
    const spot at = {.coarse = d.stage.coarse};

    event.field = s->symbol->index;
    event.weight = others->count ? others->item[0].weight
                                 : code_add_uniform(l->code, UNIFORM_WEIGHT, NULL, 0);
    d.list = &event.list;
    draft_open(l, &d);
    const int weight = build_uniform(&d.build, event.weight);
    const int value = lower_number(l, s->value, &at);
    const int sum = build_op(&d.build, IR_FMA, weight, value,
                             lower_load(l, event.field, 1, &at));
    draft_store(l, &d, sum, event.field, 1);
    list_add(l->code, &event.list, draft_close(l, &d));
    add_event(l, &l->code->injections, &event);
}

/* ---- values after a step ----------------------------------------------------------- */

static int set_slot(lowering *l, draft *d, const expr *e, const char *name)
{
    const int slot = code_add_uniform(l->code, UNIFORM_COMPUTED, name, 0);

    draft_set(l, d, lower_number(l, e, &(spot){0}), slot);
    return slot;
}

/* The sides of a comparison have slots, too: a message may quote them. */
static void lower_value_event(lowering *l, const statement *s, ir_event_list *events)
{
    ir_event event = event_of(l, s);
    const char *name = s->kind == STATEMENT_MEASURE ? s->symbol->name : NULL;
    draft d = draft_new(name ? name : event.text, PAV_F64, false, DRAFT_EVENT);

    d.uniform = true;
    d.list = &event.list;
    draft_open(l, &d);
    event.result = set_slot(l, &d, s->value, name);
    if (expr_compares(s->value)) {
        event.left = set_slot(l, &d, s->value->arg[0], NULL);
        event.right = set_slot(l, &d, s->value->arg[1], NULL);
    }
    list_add(l->code, &event.list, draft_close(l, &d));
    add_event(l, events, &event);
}

/* ---- equations to solve ------------------------------------------------------------ */

static void lower_side(lowering *l, const statement *s, const expr *side,
                       const char *name, ir_list *list)
{
    draft d = draft_new(
        arena_print(l->arena, "%s side of solve %s", name, s->symbol->name),
        l->program->real, s->symbol->coarse, DRAFT_STEP);
    ir_output output = {.kind = IR_SIDE, .field = s->symbol->index, .uniform = -1};

    set_inset(&d.stage, &l->code->field[s->symbol->index]);
    d.list = list;
    draft_open(l, &d);
    output.node = lower_number(l, side, &(spot){.coarse = d.stage.coarse});
    stage_add_output(l->code, &d.stage, &output);
    list_add(l->code, list, draft_close(l, &d));
}

/* The equations of the system s, from m on. */
static void lower_solve(lowering *l, const statement *s, const statement *m)
{
    ir_event event = event_of(l, m);
    const char *left = lower_text(l, m->value), *right = lower_text(l, m->right);

    event.text = arena_print(l->arena, "%s = %s for %s by %s to %s", left, right,
                             m->symbol->name, s->method, lower_digits(l, s->tolerance));
    event.field = m->symbol->index;
    lower_side(l, m, m->value, "left", &event.list);
    lower_side(l, m, m->right, "right", &event.list);
    add_event(l, &l->code->solves, &event);
    if (m->more)
        lower_solve(l, s, m->more);
}

/* ---- the start --------------------------------------------------------------------- */

static void add_item(lowering *l, ir_start_kind kind, int stage, int field, int level)
{
    ir_start_list *start = &l->code->start;

    ARENA_ADD(l->arena, start->item, start->count,
              start->capacity) = (ir_start){kind, stage, field, level};
}

/* Begins an item that must not depend on itself. Returns false if it is done. */
static bool begin(lowering *l, progress *p, const char *what, const char *name)
{
    if (*p == UNDER_WAY)
        lower_fail(l, PAV_ESYNTAX, "at the start, %s %s depends on itself", what, name);
    if (*p == DONE)
        return false;
    *p = UNDER_WAY;
    lower_enter(l);
    return true;
}

static void end(lowering *l, progress *p)
{
    *p = DONE;
    lower_leave(l);
}

static bool is_time(ir_uniform_kind kind)
{
    return kind == UNIFORM_T || kind == UNIFORM_STEP;
}

/* ---- params and scalars ------------------------------------------------------------ */

static int slot_of(const lowering *l, const symbol *s)
{
    return (s->kind == SYMBOL_PARAM ? l->param_slot : l->scalar_slot)[s->index];
}

static void need_number(lowering *l, const symbol *s)
{
    const spot at = {0};
    progress *p = &(s->kind == SYMBOL_PARAM ? l->params : l->scalars)[s->index];

    if (s->constant ||
        !begin(l, p, s->kind == SYMBOL_PARAM ? "param" : "scalar", s->name))
        return;
    const place before = l->at;
    l->at = s->at;
    start_add_slot(l, s->name, s->value, &at, slot_of(l, s));
    l->at = before;
    end(l, p);
}

static void need_slot(lowering *l, int slot, int level)
{
    const program *p = l->program;
    const ir_uniform_kind kind = l->code->uniform[slot].kind;

    if (is_time(kind) && level != 0 && p->dt)
        need_number(l, p->dt);
    const symbol_list *const numbers = kind == UNIFORM_PARAM    ? &p->params
                                       : kind == UNIFORM_SCALAR ? &p->scalars
                                                                : NULL;
    for (int64_t k = 0; numbers && k < numbers->count; k++) {
        const int own = slot_of(l, numbers->item[k]);
        if (own >= 0 && (own == slot || l->code->uniform[own].next == slot))
            need_number(l, numbers->item[k]);
    }
}

/* ---- values of fields -------------------------------------------------------------- */

static int lower_initial(lowering *l, int field, const expr *e, int age)
{
    const ir_field *f = &l->code->field[field];
    const char *name = age ? arena_print(l->arena, "initial prev(%s, %d)", f->name, age)
                           : arena_print(l->arena, "initial %s", f->name);
    draft d = draft_new(name, PAV_F64, f->coarse, DRAFT_START);
    const spot at = {.coarse = f->coarse};

    draft_open(l, &d);
    const int value = f->symbol
                          ? lower_number(l, e, &at)
                          : build_op(&d.build, IR_SELECT, lower_condition(l, e, &at),
                                     lower_const(l, num_int(1)),
                                     lower_const(l, num_int(0)));
    draft_store(l, &d, value, field, -age);
    const int stage = draft_close(l, &d);
    start_add_stage(l, stage, field, -age);
    return stage;
}

/* True if the initial values of level 0 depend on the time. */
static bool starts_in_time(const ir *code, int stage)
{
    for (const ir_node *n = NULL;
         stage >= 0 && (n = ir_next_node(&code->stage[stage], n));)
        if (n->op == IR_UNIFORM && is_time(code->uniform[n->uniform].kind))
            return true;
    return false;
}

/* A level without an initial value starts like level 0, at its own time. */
static void need_values(lowering *l, int field, int age)
{
    const ir_field *f = &l->code->field[field];
    const symbol *s = f->symbol;
    const statement *mask = l->fields[field].mask;
    const expr *value = s ? s->value : mask->value;
    progress *p = &l->fields[field].values[age];

    if (!begin(l, p, "field", f->name))
        return;
    const place before = l->at;
    l->at = s ? s->at : mask->at;
    if (age)
        need_values(l, field, 0);
    assert(s || age == 0); /* masks have no older levels */
    if (age && age <= MAX_LEVEL && s->initial_prev[age])
        (void)lower_initial(l, field, s->initial_prev[age], age);
    else if (age && starts_in_time(l->code, l->fields[field].stage))
        (void)lower_initial(l, field, value, age);
    else if (age)
        add_item(l, START_COPY, -1, field, -age);
    else if (f->file)
        add_item(l, START_FILE, -1, field, 0);
    else if (value)
        l->fields[field].stage = lower_initial(l, field, value, 0);
    else
        add_item(l, START_ZERO, -1, field, 0);
    l->at = before;
    end(l, p);
}

/* ---- borders ----------------------------------------------------------------------- */

static void need_stage(lowering *l, int stage, int field, int level);

static void need_borders(lowering *l, int field, int age)
{
    const ir_field *f = &l->code->field[field];
    progress *p = &l->fields[field].borders[age];

    need_values(l, field, age);
    if (!begin(l, p, "the border of", f->name))
        return;
    for (int face = 0; face < 2 * l->code->dim; face++)
        if (f->border[face / 2][face % 2].stage >= 0) /* all layers read the same */
            need_stage(l, f->border[face / 2][face % 2].stage, field, -age);
    add_item(l, START_BORDERS, -1, field, -age);
    end(l, p);
}

/* ---- demands ----------------------------------------------------------------------- */

/* Demands all inputs of a stage, except `field` if the stage fills its border. A load at
 * the point itself needs borders only if these give the outermost points. */
static void need_stage(lowering *l, int stage, int field, int level)
{
    for (const ir_node *n = NULL; (n = ir_next_node(&l->code->stage[stage], n));) {
        if (n->op == IR_UNIFORM)
            need_slot(l, n->uniform, level);
        if (n->op != IR_LOAD || n->field == field)
            continue;
        const int read = n->level == 1 ? level : n->level; /* 1: by a border */
        bool borders = field >= 0 || n->offset[0] || n->offset[1] || n->offset[2];
        for (int face = 0; face < 2 * MAX_DIM; face++) {
            const ir_border *b = &l->code->field[n->field].border[face / 2][face % 2];
            borders |= border_rules[b->kind].has_face || b->face;
        }
        if (borders)
            need_borders(l, n->field, -read); /* and values */
        else
            need_values(l, n->field, -read);
    }
}

void start_add_stage(lowering *l, int stage, int field, int level)
{
    need_stage(l, stage, -1, level);
    add_item(l, START_STAGE, stage, field, level);
}

/* The first time at which a step must end. */
static num first_stop(const program *p)
{
    num first = p->end;

    for (const statement *s = p->first; s && p->stops; s = s->next)
        if (s->interval.v > 0 && (!(first.v > 0) || num_compare(s->interval, first) < 0))
            first = s->interval;
    return first;
}

void start_add_slot(lowering *l, const char *name, const expr *e, const spot *at,
                    int slot)
{
    draft d = draft_new(name, PAV_F64, false, DRAFT_START);

    d.uniform = true;
    draft_open(l, &d);
    int value = lower_number(l, e, at);
    if (slot == l->code->dt && l->code->time)
        value = lower_least(l, value, lower_const(l, first_stop(l->program)));
    draft_set(l, &d, value, slot);
    if (l->code->uniform[slot].next) /* borders read it */
        draft_set(l, &d, value, l->code->uniform[slot].next);
    start_add_stage(l, draft_close(l, &d), -1, 0);
}

/* Uses the order of the text if it is free: level 0 and params, older levels, borders. */
static void lower_start(lowering *l)
{
    const program *p = l->program;
    int mask = (int)p->fields.count;

    EACH_STATEMENT(s, p) {
        l->at = s->at;
        if ((s->kind == STATEMENT_PARAM || s->kind == STATEMENT_SCALAR) && s->symbol)
            need_number(l, s->symbol);
        else if (s->kind == STATEMENT_FIELD && s->symbol)
            need_values(l, s->symbol->index, 0);
        while (mask < l->code->fields && l->fields[mask].mask == s)
            need_values(l, mask++, 0);
    }
    for (int64_t k = 0; k < p->params.count; k++)
        need_number(l, p->params.item[k]);
    for (int64_t f = 0; f < l->code->fields; f++)
        for (int age = 0; age <= l->fields[f].oldest; age++)
            need_values(l, (int)f, age);
    for (int64_t f = 0; f < p->fields.count; f++)
        for (int age = 0; age <= l->fields[f].oldest; age++)
            need_borders(l, (int)f, age);
    for (int64_t f = p->fields.count; f < l->code->fields; f++)
        if (l->fields[f].mask->insulated)
            need_borders(l, (int)f, 0);
}

/* ---- the program ------------------------------------------------------------------- */

/* A scalar with an equation has a slot for its value after the step, too. */
static int add_scalar(lowering *l, const char *name, double value, bool updated)
{
    const char *next = arena_print(l->arena, "%s'", name);
    const int slot = code_add_uniform(l->code, UNIFORM_SCALAR, name, value);
    const int after = updated ? code_add_uniform(l->code, UNIFORM_SCALAR, next, value)
                              : 0;

    l->code->uniform[slot].next = after;
    return slot;
}

/* Scalars and params that hold reductions always have slots: users ask a run for them by
 * name. If dt is a scalar, t is the sum of the steps' lengths. */
static void add_slots(lowering *l)
{
    const program *p = l->program;
    const num stop = first_stop(p);
    ir *code = l->code;

    code->uniform_t = code_add_uniform(code, UNIFORM_T, "t", 0);
    code->uniform_step = code_add_uniform(code, UNIFORM_STEP, "step", 0);
    for (int64_t k = 0; k < p->scalars.count; k++) {
        const symbol *s = p->scalars.item[k];
        double value = s->constant ? num_f64(s->number) : 0;
        if (s == p->dt && s->constant && num_f64(stop) > 0) /* like lower_least */
            value = num_f64(stop) <= value * (1 + TIME_TOLERANCE)
                        ? num_f64(stop)
                        : fmin(value, num_f64(stop) / 2);
        l->scalar_slot[s->index] = add_scalar(l, s->name, value, s->updated);
    }
    if (p->dt && p->dt->kind == SYMBOL_SCALAR)
        code->time = add_scalar(l, "t", 0, true);
    if (p->stops)
        code->stop = add_scalar(l, "t of the next stop", num_f64(stop), true);
    for (int64_t k = 0; k < p->params.count; k++) {
        const symbol *s = p->params.item[k];
        l->param_slot[s->index] = s->constant
                                      ? -1
                                      : code_add_uniform(code, UNIFORM_PARAM, s->name, 0);
    }
}

void ir_lower(const program *p, ir *code, text *scratch)
{
    arena *a = code->arena;
    lowering l = {
        .arena = a,
        .code = code,
        .program = p,
        .scratch = scratch,
        .let_grids = arena_alloc(a, p->lets.count + 1, sizeof *l.let_grids),
        .param_slot = arena_alloc(a, p->params.count + 1, sizeof *l.param_slot),
        .scalar_slot = arena_alloc(a, p->scalars.count + 1, sizeof *l.scalar_slot),
        .params = arena_alloc(a, p->params.count + 1, sizeof *l.params),
        .scalars = arena_alloc(a, p->scalars.count + 1, sizeof *l.scalars)};
    const symbol *dt = p->dt;

    add_slots(&l);
    code->dt = dt && (!dt->constant || code->time) ? slot_of(&l, dt) : -1;
    code->dt_value = dt && dt->constant ? dt->number : num_int(1);
    lower_fields(&l);
    lower_borders(&l);
    lower_updates(&l);
    EACH_STATEMENT(s, l.program) {
        ir_event_list *values = s->kind == STATEMENT_MEASURE  ? &l.code->measures
                                : s->kind == STATEMENT_UNTIL  ? &l.code->untils
                                : s->kind == STATEMENT_EXPECT ? &l.code->expects
                                                              : NULL;
        l.at = s->at;
        if (values)
            lower_value_event(&l, s, values);
        else if (s->kind == STATEMENT_INJECT)
            lower_injection(&l, s);
        else if (s->kind == STATEMENT_SOLVE)
            lower_solve(&l, s, s);
    }
    lower_start(&l);
}
