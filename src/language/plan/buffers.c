/* SPDX-License-Identifier: BSD-3-Clause */
/* Stores fields in place, and removes and shares further buffers in a program derived
 * from an equation to solve.
 *
 * A step of any program may store a field over the oldest level that it reads, if nothing
 * reads that level afterwards, and the storing stage reads it at the stage's own point
 * alone. Then the field needs no buffer for the new level.
 *
 * In a program derived from an equation, more is known. If a step
 * reads a field away from the point only before it stores the field, the field needs no
 * second buffer, and no buffer between the last read and the store. If a field is stored
 * before it is read, and only the step reads it, it needs its buffer only in between.
 * Fields of one grid share a buffer if they are not needed at the same time. A stage may
 * also store over a field that it reads for the last time, at the point alone.
 *
 * The latter holds only if steps are taken one by one and in the order of their stages.
 * Otherwise nothing more is changed. */
#include <assert.h>
#include <limits.h>
#include <string.h>

#include "plan/plan_private.h"

/* ---- fields stored in place -------------------------------------------------------- */

/* When a stage runs: in the step, at this place in `step`; or at another time. */
enum { AT_START = -1, BETWEEN_STEPS = -2, NEVER = INT_MAX };

static void note_time(int64_t *when, const ir_event_list *events)
{
    for (int64_t k = 0; k < events->count; k++)
        for (int64_t n = 0; n < events->item[k].list.count; n++)
            when[events->item[k].list.stage[n]] = BETWEEN_STEPS;
}

/* Stages of borders and sources may run after any store. */
static int64_t *find_times(const ir *code)
{
    int64_t *when = arena_alloc(code->arena, code->stages + 1, sizeof *when);

    for (int64_t k = 0; k < code->stages; k++)
        when[k] = NEVER;
    for (int64_t k = 0; k < code->start.count; k++)
        if (code->start.item[k].stage >= 0)
            when[code->start.item[k].stage] = AT_START;
    note_time(when, &code->measures);
    note_time(when, &code->untils);
    note_time(when, &code->expects);
    for (int64_t k = 0; k < code->step.count; k++)
        when[code->step.stage[k]] = k;
    return when;
}

/* True if a load permits that the stage at place `stored` of the step stores the field
 * over level `oldest`. A border reads the level that it fills as level 0. */
static bool permits(const ir_node *n, const ir_stage *s, int64_t when, int64_t stored,
                    int oldest)
{
    const bool fills = when == NEVER && s->outputs > 0 && n->level == 0 &&
                       s->output[0].kind == IR_STORE && s->output[0].level == 0 &&
                       s->output[0].field == n->field;
    return n->level > oldest || when == AT_START || (fills && ir_is_here(n)) ||
           (when == BETWEEN_STEPS && n->level == oldest) ||
           (when >= 0 && when < stored) || (when == stored && ir_is_here(n));
}

/* A border that reads a changing field needs two buffers of its own field: they tell the
 * level that it fills, and so the level that it reads. */
static bool may_be_in_place(const ir *code, int64_t field, const int64_t *when)
{
    const int oldest = 2 - code->field[field].levels; /* read by steps */
    int64_t stored = NEVER;
    bool may = code->field[field].updated;

    /* the start fills older levels even if their reads folded away */
    for (int64_t k = 0; k < code->start.count; k++)
        may = may &&
              (code->start.item[k].field != field || code->start.item[k].level >= oldest);
    for (int64_t k = 0; k < code->stages && may; k++)
        for (const ir_output *o = NULL; (o = ir_next_store(&code->stage[k], o));) {
            if (o->field != field || when[k] < 0 || when[k] == NEVER)
                continue;
            may = may && stored == NEVER && o->level == 1;
            stored = when[k];
        }
    for (int64_t k = 0; k < code->stages && may; k++)
        for (const ir_node *load = NULL;
             may && (load = ir_next_load(&code->stage[k], load));)
            may = load->field == field
                      ? permits(load, &code->stage[k], when[k], stored, oldest)
                      : when[k] != NEVER || load->level < 1 ||
                            code->stage[k].outputs == 0 ||
                            code->stage[k].output[0].level != 0 ||
                            code->stage[k].output[0].field != field;
    return may && stored != NEVER;
}

/* Asynchronous relaxation has no order of steps, and a solver reads levels within a
 * step. */
static void store_in_place(ir *code)
{
    const int64_t *when = find_times(code);

    for (int64_t f = 0; f < code->fields; f++) {
        ir_field *field = &code->field[f];
        field->in_place = code->program->chaotic == 0 && code->solves.count == 0 &&
                          field->levels > 1 && may_be_in_place(code, f, when);
        field->levels -= field->in_place;
    }
}

/* ---- lifetimes --------------------------------------------------------------------- */

/* The stages of a step that store or read a field, by their places in the step; -1: no
 * stage does. */
typedef struct lifetime {
    int64_t first, last; /* from the first store to the last read of the stored value */
    int64_t old;         /* last read of a value of earlier steps */
    int64_t off_point;   /* last such read away from the stage's own point */
    int64_t again;       /* the last store */
    bool outside;        /* it is read outside of steps, or begins with values */
    /* Of the owner of a buffer. taken: the last stage so far that needs the buffer. free:
     * the next stage that needs the buffer again; before it the buffer is free. */
    int64_t taken, free;
    int64_t grouped; /* `taken` by fields that groups store or read, to a group's end */
    int64_t held;    /* the stage that stored its holder; -1: an earlier step did */
    int holder;      /* the field in the buffer up to stage `taken` */
} lifetime;

static void note_stage(const ir_stage *s, int64_t at, lifetime *life)
{
    for (const ir_node *n = NULL; (n = ir_next_load(s, n));) {
        if (n->level > 0)
            life[n->field].last = at;
        else
            life[n->field].old = at;
        if (n->level <= 0 && !ir_is_here(n))
            life[n->field].off_point = at;
    }
    for (const ir_output *o = NULL; (o = ir_next_store(s, o));) {
        lifetime *l = &life[o->field];
        l->first = l->first < 0 ? at : l->first;
        l->again = at;
    }
}

/* Stages of borders read the level they fill, so they count as inside of steps. Fields
 * with a border that reads fields, and those fields, keep their buffers. */
static lifetime *find_lifetimes(const ir *code)
{
    lifetime *life = arena_alloc(code->arena, code->fields + 1, sizeof *life);
    bool *inside = ir_are_of_borders(code);

    for (int64_t f = 0; f < code->fields; f++)
        life[f] = (lifetime){
            .first = -1, .last = -1, .old = -1, .off_point = -1, .again = -1};
    for (int64_t k = 0; k < code->step.count; k++) {
        note_stage(&code->stage[code->step.stage[k]], k, life);
        inside[code->step.stage[k]] = true;
    }
    for (const ir_start *s = NULL; (s = ir_next_start(code, s));) {
        if (s->field >= 0 && (s->kind == START_STAGE || s->kind == START_FILE))
            life[s->field].outside = true;
    }
    for (int64_t k = 0; k < code->stages; k++) {
        const ir_stage *s = &code->stage[k];
        for (int64_t n = 0; !inside[k] && n < s->count; n++)
            if (s->node[n].op == IR_LOAD)
                life[s->node[n].field].outside = true;
    }
    for (int64_t f = 0; f < code->fields; f++)
        for (int64_t other = 0; other < code->fields; other++)
            if (ir_border_reads(code, f, other))
                life[f].old = life[other].old = INT64_MAX;
    return life;
}

/* True if the field holds nothing between steps. */
static bool is_brief(const ir_field *f, const lifetime *l)
{
    return f->updated && f->levels == 1 && l->old < 0 && !l->outside && l->first >= 0 &&
           l->last >= 0;
}

/* True if the storing stage reads the other field at the point alone. Then it may
 * overwrite that field. */
static bool reads_at_point(const ir_stage *s, int other)
{
    bool any = false;

    for (const ir_node *n = NULL; (n = ir_next_load(s, n));) {
        if (n->field != other)
            continue;
        if (!ir_is_here(n) || n->level != 1)
            return false;
        any = true;
    }
    return any;
}

/* A launch may take a group of stages. So its stages count as one for the buffers of
 * fields that are not within a group. */
static bool fits_groups(const ir *code, const lifetime *its, int64_t number,
                        const lifetime *l)
{
    const int64_t first = ir_group_at(code, l->first).first;
    const bool alone = first + 1 == ir_group_at(code, l->first).end;

    return code->field[number].within ||
           ((its->grouped < first || (its->grouped == first && alone)) &&
            (its->free == INT64_MAX ||
             ir_group_at(code, l->last).end <= ir_group_at(code, its->free).first));
}

/* True if field `number` may be stored into the owner's buffer. */
static bool fits(const ir *code, const ir_field *owner, const lifetime *its,
                 int64_t number, const lifetime *l)
{
    const ir_field *f = &code->field[number];

    if (owner->coarse != f->coarse || owner->storage != f->storage || !owner->updated ||
        owner->levels != 1 || owner->memory || its->first < 0 || l->last >= its->free ||
        !fits_groups(code, its, number, l))
        return false;
    return its->taken < l->first ||
           (its->taken == l->first && l->again == l->first &&
            ir_group_at(code, its->held).first != ir_group_at(code, l->first).first &&
            reads_at_point(&code->stage[code->step.stage[l->first]], its->holder));
}

/* Fields are declared in the order of their stores, so the first free buffer suffices. If
 * the field is stored over the buffer's holder, reads of the holder become reads of the
 * field itself, before it is stored. */
static void find_buffer(ir *code, int64_t number, lifetime *life)
{
    ir_field *f = &code->field[number];
    const lifetime *l = &life[number];
    int64_t k = 0;

    while (k < number && !fits(code, &code->field[k], &life[k], number, l))
        k++;
    if (k == number)
        return;
    ir_field *owner = &code->field[k];
    lifetime *its = &life[k];
    if (its->taken == l->first) {
        ir_stage *s = &code->stage[code->step.stage[l->first]];
        for (int64_t n = 0; n < s->count; n++)
            if (s->node[n].op == IR_LOAD && s->node[n].field == its->holder)
                s->node[n].field = (int)number;
    }
    its->holder = (int)number;
    its->held = l->first;
    its->taken = l->last;
    if (!f->within)
        its->grouped = ir_group_at(code, l->last).end - 1;
    for (int face = 0; face < 2 * MAX_DIM; face++) {
        int *halo = &owner->halo[face / 2][face % 2];
        *halo = int_most(*halo, f->halo[face / 2][face % 2]);
    }
    owner->shared = f->shared = true;
    f->memory = 1 + (int)k;
}

/* ---- borders of shared buffers ----------------------------------------------------- */

static void note_borders(ir *code)
{
    for (const ir_field *f = code->field; f < code->field + code->fields; f++) {
        if (f->memory && !same_borders(code, f, &code->field[f->memory - 1]))
            code->field[f->memory - 1].refills = true;
    }
    for (int64_t k = 0; k < code->fields; k++)
        if (code->field[k].memory)
            code->field[k].refills = code->field[code->field[k].memory - 1].refills;
}

/* Fields in one buffer have the owner's halo and the owner's start. */
static void settle_sharers(ir *code)
{
    ir_start_list *start = &code->start;
    int64_t kept = 0;

    for (int64_t k = 0; k < start->count; k++) {
        const int f = start->item[k].field;
        if (f < 0 || !code->field[f].memory)
            start->item[kept++] = start->item[k];
    }
    start->count = kept;
    for (int64_t f = 0; f < code->fields; f++)
        if (code->field[f].memory)
            memcpy(code->field[f].halo, code->field[code->field[f].memory - 1].halo,
                   sizeof code->field[f].halo);
}

static bool takes_single_steps(const ir *code)
{
    OWNED_BY(ir_blocking_close) ir_blocking b = {0};

    return code->injections.count == 0 && ir_blocking_open(code, NULL, &b) == PAV_OK &&
           b.refusal;
}

void ir_share_buffers(ir *code)
{
    if (!code->program->derived)
        store_in_place(code);
    if (!code->program->derived || code->program->stand_alone ||
        !takes_single_steps(code))
        return;
    if (code->grouped)
        ir_find_groups(code);
    lifetime *life = find_lifetimes(code);
    for (int64_t f = 0; f < code->fields; f++) {
        ir_field *field = &code->field[f];
        lifetime *l = &life[f];
        const ir_group own = ir_group_at(code, l->first);
        const bool in_place = l->old == l->first && l->off_point < l->first &&
                              l->again == l->first && own.first + 1 == own.end;
        if (field->updated && field->levels == 2 && l->first >= 0 &&
            (l->old < own.first || in_place)) {
            /* both levels share the buffer: the stage reads the old value of a point from
             * the level that it stores */
            ir_stage *s = &code->stage[code->step.stage[l->first]];
            field->levels = 1;
            field->in_place = true;
            for (int64_t k = 0; k < s->count; k++)
                if (s->node[k].op == IR_LOAD && s->node[k].field == f)
                    s->node[k].level = 1;
        }
        l->holder = (int)f;
        l->held = is_brief(field, l) ? l->first : -1;
        l->taken = is_brief(field, l) ? l->last : l->old;
        l->free = is_brief(field, l) ? INT64_MAX : l->first;
        field->within = is_brief(field, l) && l->again == l->first && l->last < own.end;
        l->grouped = field->within           ? -1
                     : l->taken == INT64_MAX ? l->taken
                                             : ir_group_at(code, l->taken).end - 1;
    }
    for (int64_t f = 0; f < code->fields; f++)
        if (is_brief(&code->field[f], &life[f]))
            find_buffer(code, f, life);
    settle_sharers(code);
    note_borders(code);
    for (int64_t f = 0; f < code->fields; f++) /* owners have their own buffer */
        assert(!code->field[f].memory ||
               (code->field[f].memory - 1 < f &&
                !code->field[code->field[f].memory - 1].memory));
}
