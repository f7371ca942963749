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

#include "plan/plan_private.h"

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

static void need_slot_of(lowering *l, const symbol_list *numbers, int slot)
{
    for (int64_t k = 0; k < numbers->count; k++)
        if (slot_of(l, numbers->item[k]) == slot)
            need_number(l, numbers->item[k]);
}

static void need_slot(lowering *l, int slot, int level)
{
    const program *p = l->program;
    const ir_uniform_kind kind = l->code->uniform[slot].kind;

    if (is_time(kind) && level != 0 && p->dt)
        need_number(l, p->dt);
    if (kind == UNIFORM_PARAM)
        need_slot_of(l, &p->params, slot);
    else if (kind == UNIFORM_SCALAR)
        need_slot_of(l, &p->scalars, slot);
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
    start_add_stage(l, draft_close(l, &d), -1, 0);
}

/* Uses the order of the text if it is free: level 0 and params, older levels, borders. */
static void lower_start(lowering *l)
{
    const program *p = l->program;
    int mask = (int)p->fields.count;

    for (const statement *s = p->first; s; s = s->next) {
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
    const int after = updated ? code_add_uniform(l->code, UNIFORM_SCALAR, next, 0) : 0;

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
    lower_events(&l);
    lower_start(&l);
}
