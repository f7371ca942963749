/* SPDX-License-Identifier: BSD-3-Clause */
/* Surveys a stage before its text is printed: its slots, the rows it loads, the place in
 * the text to compute each value, and the order of these lines. Values constant along a
 * row are computed before the loop. A load with one user stands inside that user's line,
 * and every other value has its own line. If a slot is also stored, all its loads come
 * before the stores. */
#include <assert.h>
#include <stdlib.h>

#include "codegen/codegen_private.h"

/* ---- the order of nodes ------------------------------------------------------------ */
/* The order of computation in a row: each value just before its first use. If several
 * operands are missing, the operand with the most registers comes first. Compilers keep
 * this order, and fewer values are alive than in the order of the IR. */

typedef struct traversal {
    const emit_stage *e;
    int *registers; /* needed by a value and its operands */
    int *stack;
    bool *seen;
} traversal;

/* Operands are computed by decreasing register count; each computed operand keeps one
 * register during the next ones. */
static int registers_of(const ir_node *n, const int *registers)
{
    int most = 1;
    bool counted[3] = {false};

    for (int kept = 0; kept < ir_op_table[n->op].arguments; kept++) {
        int next = -1;
        for (int a = 0; a < ir_op_table[n->op].arguments; a++)
            if (!counted[a] &&
                (next < 0 || registers[n->arg[a]] > registers[n->arg[next]]))
                next = a;
        counted[next] = true;
        if (registers[n->arg[next]] > 0 && registers[n->arg[next]] + kept > most)
            most = registers[n->arg[next]] + kept;
    }
    return most;
}

/* The operand to compute next; -1: all are computed. */
static int missing_operand(const traversal *w, int node)
{
    const ir_node *n = &w->e->stage->node[node];
    int next = -1;

    for (int a = 0; a < ir_op_table[n->op].arguments; a++) {
        const int arg = n->arg[a];
        if (!w->seen[arg] && (next < 0 || w->registers[arg] > w->registers[next] ||
                              (w->registers[arg] == w->registers[next] && arg < next)))
            next = arg;
    }
    return next;
}

/* Fills order and ordered. */
static void find_order(emit_stage *e)
{
    const int64_t room = e->stage->count + 1;
    const traversal w = {e, arena_alloc(e->arena, room, sizeof *w.registers),
                         arena_alloc(e->arena, room, sizeof *w.stack),
                         arena_alloc(e->arena, room, sizeof *w.seen)};

    for (int64_t k = 0; k < e->stage->count; k++)
        if (e->place[k] == PLACE_POINT)
            w.registers[k] = registers_of(&e->stage->node[k], w.registers);
    for (int64_t k = 0; k < e->stage->outputs; k++) {
        const int node = e->stage->output[k].node;
        int64_t height = 0;

        if (!w.seen[node])
            w.stack[height++] = node;
        while (height > 0) {
            const int top = w.stack[height - 1], next = missing_operand(&w, top);
            if (next >= 0) {
                w.stack[height++] = next;
                continue;
            }
            w.seen[top] = true;
            e->order[e->ordered++] = top;
            height--;
        }
    }
}

/* ---- the survey -------------------------------------------------------------------- */

enum {
    MOST_NODES = 6000, /* compile time grows faster than linearly */
    MOST_TILED = 1200, /* nodes of all rows of a tile */
    /* slots times rows of a tile: each is a separate stream of memory */
    MOST_SLOTS = 16,
    MOST_ROWS = 60, /* loaded rows of a tile: beyond the caches fewer are faster */
};

/* ---- slots ------------------------------------------------------------------------- */

static emit_slot *find_slot(emit_slot *slot, int64_t count, int field, int level)
{
    for (int64_t k = 0; k < count; k++)
        if (slot[k].field == field && slot[k].level == level)
            return &slot[k];
    return NULL;
}

int64_t emit_slots(const ir_stage *stage, emit_slot *slot)
{
    int64_t count = 0;

    for (const ir_node *n = NULL; (n = ir_next_load(stage, n));)
        if (!find_slot(slot, count, n->field, n->level))
            slot[count++] = (emit_slot){n->field, n->level, true, false};
    for (const ir_output *o = NULL; (o = ir_next_store(stage, o));) {
        emit_slot *s = find_slot(slot, count, o->field, o->level);
        if (s)
            s->stored = true;
        else
            slot[count++] = (emit_slot){o->field, o->level, false, true};
    }
    return count;
}

pav_type emit_storage(const emit_stage *e, int64_t slot)
{
    return e->code->field[e->slot[slot].field].storage;
}

int emit_slot_of(const emit_stage *e, int field, int level)
{
    const emit_slot *s = find_slot(e->slot, e->slots, field, level);

    return s ? (int)(s - e->slot) : -1;
}

/* ---- reach of loads ---------------------------------------------------------------- */

void emit_note_reach(emit_reach *r, const ir_node *load)
{
    r->any = true;
    ir_widen_reach(r->far, load->offset);
}

emit_reach emit_reach_of(const ir_stage *stage, int field, int level)
{
    emit_reach r = {0};

    for (const ir_node *n = NULL; (n = ir_next_load(stage, n));)
        if (field < 0 || (n->field == field && n->level == level))
            emit_note_reach(&r, n);
    return r;
}

/* ---- stages with kernels ----------------------------------------------------------- */

static const ir_output *store_of(const ir_stage *stage, int field, int level)
{
    for (const ir_output *o = NULL; (o = ir_next_store(stage, o));)
        if (o->field == field && o->level == level)
            return o;
    return NULL;
}

bool emit_fits_kernel(const ir_stage *stage)
{
    if (stage->outputs == 0 || stage->count > MOST_NODES ||
        (stage->real != PAV_F32 && stage->real != PAV_F64))
        return false;
    for (const ir_output *o = NULL; (o = ir_next_output(stage, o));)
        if (o->kind == IR_SET || o->kind == IR_SIDE ||
            (o->kind == IR_STORE && store_of(stage, o->field, o->level) != o))
            return false;
    for (const ir_node *n = NULL; (n = ir_next_load(stage, n));)
        if (!ir_is_here(n) && !stage->along && !stage->layer &&
            store_of(stage, n->field, n->level))
            return false;
    return true;
}

bool emit_has_kernel(const ir_stage *stage)
{
    return !stage->transform && emit_fits_kernel(stage);
}

bool emit_is_seed(const emit_stage *e, int64_t uniform)
{
    for (int64_t k = 0; k < e->stage->count; k++)
        if (e->stage->node[k].op == IR_RANDOM && e->stage->node[k].uniform == uniform)
            return true;
    return false;
}

/* ---- places ------------------------------------------------------------------------ */

static emit_place place_of_leaf(const emit_stage *e, const ir_node *n, int uses)
{
    switch (n->op) {
    case IR_CONST:
    case IR_UNIFORM: return PLACE_INLINE;
    case IR_INDEX: return n->axis == 0 ? PLACE_POINT : PLACE_ROW;
    case IR_TABLE: return e->code->table[n->table].axis == 0 ? PLACE_POINT : PLACE_ROW;
    case IR_LOAD: return uses == 1 ? PLACE_INLINE : PLACE_POINT;
    default: return PLACE_POINT;
    }
}

/* The row read by a load from row `shift` of a tile. */
static int find_row(emit_stage *e, const ir_node *n, int shift)
{
    const int slot = emit_slot_of(e, n->field, n->level);
    const bool fine = ir_transfer_along(n->transfer, n->kept, 1) == IR_TO_FINE;
    const int y = n->offset[1] + (fine ? 2 * shift : shift);
    const emit_row want = {slot, n->transfer, n->kept, y, n->offset[2], shift};

    if (e->slot[want.slot].stored && n->offset[1] == 0 && n->offset[2] == 0)
        return -1; /* the slot's own pointer */
    for (int64_t k = 0; k < e->rows; k++) {
        const emit_row *r = &e->row[k];
        if (r->slot == want.slot && r->transfer == want.transfer &&
            r->kept == want.kept && r->y == want.y && r->z == want.z)
            return (int)k;
    }
    e->row[e->rows] = want;
    return (int)e->rows++;
}

static bool fits_tile(const emit_stage *e, int height)
{
    int64_t rows = 0;

    for (int64_t k = 0; k < e->rows; k++)
        rows += e->row[k].shift < height;
    return e->stage->count * height <= MOST_TILED && e->slots * height <= MOST_SLOTS &&
           rows <= MOST_ROWS;
}

/* Points of tiles may be computed twice, so a stage must not load a slot that it stores,
 * and reductions need their order. Stages that run once, or on faces only, are not worth
 * the compiler's time. */
static int choose_height(const emit_stage *e)
{
    if (!e->of_step || e->reductions || e->code->dim == 1)
        return 1;
    for (const ir_node *n = NULL; (n = ir_next_load(e->stage, n));)
        if (store_of(e->stage, n->field, n->level) &&
            (abs(e->stage->along) != 1 || ir_is_here(n)))
            return 1;
    for (int height = TILE_HEIGHT; height > 1; height /= 2)
        if (fits_tile(e, height))
            return height;
    return 1;
}

/* Counts uses from the last node to the first. An output counts twice, so that
 * its value has its own line, before any store. */
static void find_places(emit_stage *e)
{
    const ir_stage *stage = e->stage;
    int *uses = arena_alloc(e->arena, stage->count + 1, sizeof *uses);

    for (int64_t k = 0; k < stage->outputs; k++)
        uses[stage->output[k].node] += 2;
    if (stage->transform) { /* its tables */
        uses[stage->count - 2]++;
        uses[stage->count - 1]++;
    }
    for (int64_t k = stage->count - 1; k >= 0; k--) {
        const ir_node *n = &stage->node[k];
        if (uses[k] == 0)
            continue;
        e->place[k] = place_of_leaf(e, n, uses[k]);
        if (n->op == IR_UNIFORM || n->op == IR_RANDOM)
            e->uniform[n->uniform] = true;
        if (n->op == IR_TABLE)
            e->table[n->table] = true;
        if (n->op == IR_EVEN && emit_sums_indices(stage, n->arg[0]))
            continue; /* integers */
        for (int a = 0; a < ir_op_table[n->op].arguments; a++) {
            assert(n->arg[a] >= 0 && n->arg[a] < k); /* plan: operands come first */
            uses[n->arg[a]]++;
        }
    }
}

/* Numbers tables and uniforms by their first uses. Their numbers in the program depend on
 * other stages. */
static void number_arguments(emit_stage *e)
{
    int tables = 0, uniforms = 0;
    bool *seen_table = arena_alloc(e->arena, e->code->tables + 1, sizeof *seen_table),
         *seen = arena_alloc(e->arena, e->code->uniforms + 1, sizeof *seen);

    for (const ir_node *n = NULL; (n = ir_next_node(e->stage, n));) {
        const bool uniform = n->op == IR_UNIFORM || n->op == IR_RANDOM;
        if (uniform && e->uniform[n->uniform] && !seen[n->uniform]) {
            e->uniform_place[n->uniform] = uniforms++;
            seen[n->uniform] = true;
        }
        if (n->op == IR_TABLE && e->table[n->table] && !seen_table[n->table]) {
            e->table_place[n->table] = tables++;
            seen_table[n->table] = true;
        }
    }
}

emit_stage emit_survey(emit_stage e)
{
    const ir *code = e.code;
    const ir_stage *stage = e.stage;
    const int64_t count = stage->count + 1;
    arena *const a = e.arena;
    /* kernels of a GPU have no tiles of rows */
    const int height = e.schedule ? 1 : TILE_HEIGHT;

    e.real = stage->real;
    e.place = arena_alloc(a, count, sizeof *e.place);
    e.slot = arena_alloc(a, stage->count + stage->outputs, sizeof *e.slot);
    e.row = arena_alloc(a, height * count, sizeof *e.row);
    e.row_of = arena_alloc(a, height * count, sizeof *e.row_of);
    e.order = arena_alloc(a, count, sizeof *e.order);
    e.uniform = arena_alloc(a, code->uniforms + 1, sizeof *e.uniform);
    e.table = arena_alloc(a, code->tables + 1, sizeof *e.table);
    e.uniform_place = arena_alloc(a, code->uniforms + 1, sizeof *e.uniform_place);
    e.table_place = arena_alloc(a, code->tables + 1, sizeof *e.table_place);
    e.slots = emit_slots(stage, e.slot);
    assert(e.slots <= stage->count + stage->outputs); /* e.slot has room */
    for (int64_t k = 0; k < e.slots; k++) {
        const ir_field *f = &code->field[e.slot[k].field];
        e.in_place |= e.slot[k].stored && f->in_place &&
                      emit_slot_of(&e, e.slot[k].field, 1 - f->levels) >= 0;
    }
    find_places(&e);
    number_arguments(&e);
    for (int shift = 0; shift < height; shift++)
        for (int64_t k = 0; k < stage->count; k++)
            if (stage->node[k].op == IR_LOAD && e.place[k] != PLACE_UNUSED)
                e.row_of[shift * stage->count + k] = find_row(&e, &stage->node[k], shift);
    find_order(&e);
    e.reductions = ir_reductions(stage);
    const ir_known *known = ir_known_of(code, stage);
    e.of_step = known && known->in_step;
    e.tallest = e.schedule ? 1 : choose_height(&e);
    return e;
}
