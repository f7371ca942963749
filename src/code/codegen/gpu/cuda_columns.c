/* SPDX-License-Identifier: BSD-3-Clause */
/* The loads of a sweeping thread: aligned vectors of neighbouring points, or a single
 * point if only one point of a vector is needed. A column needed in several planes stays
 * in registers from one plane to the next, while registers last. */
#include <stdlib.h>

#include "codegen/codegen_private.h"

/* ---- one index for all fields ------------------------------------------------------ */
/* Sweeps over many fields without carried planes, or in the order of input planes. A
 * pointer for each field would take most registers of a thread. Fields of one size have
 * the same strides on a GPU (run_shape_of), so one index serves them all. */

enum {
    MANY = 16 /* slots */,
    FEW = 4 /* at most one in FEW slots is read in several planes */
};

static bool is_same_size(const ir_field *a, const ir_field *b)
{
    for (int axis = 0; axis < MAX_DIM; axis++)
        if (a->extent[axis] != b->extent[axis])
            return false;
    return pav_type_size(a->storage) == pav_type_size(b->storage);
}

int cuda_planes_loaded(const ir_stage *stage, const emit_slot *slot, int axis,
                       bool own_row)
{
    int first = MAX_OFFSET, last = -MAX_OFFSET;

    for (const ir_node *n = NULL; (n = ir_next_load(stage, n));) {
        if (n->field != slot->field || n->level != slot->level ||
            (own_row && axis == 2 && n->offset[1] != 0))
            continue;
        first = int_least(first, n->offset[axis]);
        last = int_most(last, n->offset[axis]);
    }
    return int_most(last - first + 1, 0);
}

static bool are_many(const ir *code, const ir_stage *stage, const emit_slot *slot,
                     int64_t slots, bool input)
{
    int64_t kept = 0;

    for (int64_t k = 0; k < slots; k++) {
        if (!is_same_size(&code->field[slot[0].field], &code->field[slot[k].field]))
            return false;
        kept += !input && cuda_planes_loaded(stage, &slot[k], code->dim - 1, true) > 1;
    }
    return slots >= MANY && kept * FEW <= slots;
}

bool cuda_has_many_fields(const ir *code, const ir_stage *stage, bool input)
{
    OWNED emit_slot *slot = mem_new(stage->count + stage->outputs + 1, sizeof *slot);
    return slot && are_many(code, stage, slot, emit_slots(stage, slot), input);
}

bool cuda_may_index(const emit_stage *e)
{
    const schedule *s = e->schedule;

    return s->kind == SCHEDULE_SWEEP && s->tile.storage == STORAGE_CACHE &&
           s->tile.ahead == 0 && s->prefetch == 0 &&
           cuda_has_many_fields(e->code, e->stage, s->input);
}

int cuda_stride_slot(const emit_stage *e, int slot)
{
    return e->sweep_plan && e->sweep_plan->indexed ? 0 : slot;
}

/* ---- periodic rows ----------------------------------------------------------------- */
/* Sweeps over periodic rows without ghosts along x: the vector before the first of a row
 * is its last one. Reading and writing ghosts took a tenth of a step of Gray-Scott with
 * 512 points along each axis, since each costs a sector of 32 bytes. This works only for
 * vectors loaded through the caches: with neighbour lanes and shared tiles, ghosts stand
 * in for the neighbours. */

/* Threads of a block. With more, NVRTC leaves a thread too few registers for two extra
 * numbers, and spills (Gray-Scott by 32 x 8 threads for sm_100, 88 bytes). */
enum { MOST_THREADS = 128 };

/* True if values of the border vary along the axis: by the place itself, or by other
 * fields there. */
static bool differs_along(const ir *code, int field, int stage, int axis)
{
    const ir_stage *s = stage < 0 ? NULL : &code->stage[stage];

    for (const ir_node *n = NULL; s && (n = ir_next_node(s, n));)
        if ((n->op == IR_INDEX && n->axis == axis) ||
            (n->op == IR_TABLE && code->table[n->table].axis == axis) ||
            (n->op == IR_LOAD &&
             ((n->field != field &&
               !border_wraps(code->field[n->field].border[axis][0].kind)) ||
              n->offset[axis] != 0)))
            return true;
    return false;
}

bool emit_corner_differs(const ir *code, const ir_node *load, int axis)
{
    for (int later = axis + 1; load->offset[axis] != 0 && later < code->dim; later++)
        for (int side = 0; side < 2; side++) {
            const ir_border *b = &code->field[load->field].border[later][side];
            const bool read = load->offset[later] != 0 || border_stores_face(b->kind);
            if (read && differs_along(code, load->field, b->stage, axis))
                return true;
        }
    return false;
}

/* True if all neighbours of a point along x are at most a vector away in a periodic
 * row. */
static bool wraps_around(const ir *code, const ir_node *n, int64_t extent, int vector)
{
    const ir_field *f = &code->field[n->field];
    const int away = n->offset[0] < 0 ? -n->offset[0] : n->offset[0];

    return n->transfer == IR_SAME && f->extent[0] == extent && away <= vector &&
           border_wraps(f->border[0][0].kind) && border_wraps(f->border[0][1].kind) &&
           !emit_corner_differs(code, n, 0);
}

bool cuda_wraps_around(const ir *code, const ir_stage *stage, const schedule *s)
{
    int neighbours = 0;

    if (s->kind != SCHEDULE_SWEEP || s->tile.storage != STORAGE_CACHE ||
        s->tile.size[0] * s->tile.size[1] > MOST_THREADS ||
        !cuda_is_called(code, stage) || stage->output[0].kind != IR_STORE)
        return false;
    for (const ir_node *n = NULL; (n = ir_next_load(stage, n));) {
        if (n->offset[0] == 0)
            continue;
        if (!wraps_around(code, n, code->field[stage->output[0].field].extent[0],
                          s->thread.size[0]))
            return false;
        neighbours++;
    }
    return neighbours > 0;
}

/* ---- columns ----------------------------------------------------------------------- */

static int floor_div(int a, int b)
{
    return a >= 0 ? a / b : -((b - 1 - a) / b);
}

static column *find_column(const sweep_plan *s, int slot, int block, int y)
{
    for (int64_t c = 0; c < s->columns; c++)
        if (s->column[c].slot == slot && s->column[c].block == block &&
            s->column[c].y == y)
            return &s->column[c];
    return NULL;
}

/* Notes the reads of a load for a point `ahead` planes from the sweep's position. */
static void note_load(const emit_stage *e, sweep_plan *s, int64_t node, int ahead,
                      bool early)
{
    const ir_node *n = &e->stage->node[node];
    const int z = n->offset[s->axis] + ahead, y = s->axis == 2 ? n->offset[1] : 0;
    const int slot = emit_slot_of(e, n->field, n->level);

    for (int row = 0; row < s->rows; row++)
        for (int lane = 0; lane < s->lanes; lane++) {
            const int x = n->offset[0] + lane, block = floor_div(x, s->lanes);
            const int single = x - block * s->lanes;
            column *c = find_column(s, slot, block, y + row);
            if (!c) {
                c = &s->column[s->columns++];
                *c = (column){.slot = slot,
                              .block = block,
                              .y = y + row,
                              .first = z,
                              .last = z,
                              .single = single};
            }
            c->first = int_least(c->first, z);
            c->last = int_most(c->last, z);
            c->early |= early;
            c->single = c->single == single ? single : -1;
        }
}

/* In the order of input planes, a node loads its arguments for its own plane. */
static void note_loads(const emit_stage *e, sweep_plan *s, int64_t node)
{
    const ir_node *n = &e->stage->node[node];

    if (n->op == IR_LOAD)
        note_load(e, s, node, 0, s->early[node]);
    for (int a = 0; s->due && a < ir_op_table[n->op].arguments; a++)
        if (e->stage->node[n->arg[a]].op == IR_LOAD)
            note_load(e, s, n->arg[a], s->due[node], s->early[node]);
}

static bool is_own(const sweep_plan *s, const column *c)
{
    return c->block == 0 && c->y >= 0 && c->y < s->rows;
}

static int registers(const emit_stage *e, const sweep_plan *s, const column *c)
{
    const int count = c->single >= 0 ? 1 : s->lanes;
    const int size = (int)pav_type_size(emit_storage(e, c->slot));

    return c->last == c->first
               ? 0
               : (c->last + s->ahead - c->first) * ((count * size + 3) / 4);
}

int cuda_lead(const sweep_plan *s, const column *c)
{
    return c->kept ? c->last + s->ahead : c->last;
}

void cuda_find_columns(const emit_stage *e, sweep_plan *s)
{
    int64_t loads = 0;

    for (int64_t n = 0; n < e->stage->count; n++)
        loads += e->stage->node[n].op == IR_LOAD;
    s->column = arena_alloc(e->arena, loads * s->rows * s->lanes + 1, sizeof *s->column);
    for (int64_t n = 0; n < e->stage->count; n++)
        if (s->fate[n] != FATE_NONE)
            note_loads(e, s, n);
    for (int64_t o = 0; s->due && o < e->stage->outputs; o++)
        if (e->stage->node[e->stage->output[o].node].op == IR_LOAD)
            note_load(e, s, e->stage->output[o].node, 0, false);
    /* The thread's own columns come first: other threads hold their own planes, but
     * nobody else reads this thread's outer columns. Columns held by neighbour threads
     * are loaded when they are needed. */
    int left = GPU_NEIGHBOUR_REGISTERS;
    if (s->indexed)
        return;
    for (int64_t c = 0; c < s->columns; c++)
        if (is_own(s, &s->column[c])) {
            s->column[c].kept = s->column[c].first < s->column[c].last;
            left -= registers(e, s, &s->column[c]);
        }
    for (int64_t c = 0; c < s->columns; c++) {
        column *other = &s->column[c];
        const int cost = registers(e, s, other);
        if (is_own(s, other) || cost == 0 || cost > left ||
            cuda_may_use_shared(e, other->slot) || cuda_neighbour(e, s, other))
            continue;
        other->kept = true;
        left -= cost;
    }
}

const column *cuda_own_column(const emit_stage *e, int slot, int row)
{
    const column *c = find_column(e->sweep_plan, slot, 0, row);
    return c && c->first <= 0 && c->last >= 0 && c->single < 0 ? c : NULL;
}

/* ---- as text ----------------------------------------------------------------------- */

static int first_point(const emit_stage *e, const column *c)
{
    return c->block * e->sweep_plan->lanes + (c->single > 0 ? c->single : 0);
}

const char *cuda_column_name(const emit_stage *e, const column *c, int z)
{
    return arena_print(e->arena, "%s%s%s%s", emit_slot_name(e, c->slot),
                       emit_offset_name(e->arena, 'x', first_point(e, c)),
                       emit_offset_name(e->arena, 'y', c->y),
                       emit_offset_name(e->arena, 'z', z));
}

const char *cuda_stride(arena *a, int count, char axis, int slot)
{
    return emit_steps(a, count, arena_print(a, "a.g%d.%c", slot, axis));
}

/* `plane`: the offset from the slot's pointer to the plane, " + a.g0.z", or "". */
static const char *column_address(const emit_stage *e, const column *c, const char *plane)
{
    const bool wraps = c->block && cuda_wraps_around(e->code, e->stage, e->schedule);

    return arena_print(e->arena, "at_%s%s%s%s%s", emit_slot_name(e, c->slot), plane,
                       cuda_stride(e->arena, c->y, 'y', cuda_stride_slot(e, c->slot)),
                       !wraps         ? ""
                       : c->block < 0 ? " + before"
                                      : " + behind",
                       emit_plus(e->arena, first_point(e, c)));
}

const char *cuda_column_load(const emit_stage *e, const column *c, const char *plane)
{
    const char *address = column_address(e, c, plane);

    return c->single >= 0 ? arena_print(e->arena, "load_one(%s)", address)
                          : arena_print(e->arena, "load_vector<%d>(%s)",
                                        e->sweep_plan->lanes, address);
}

const column *cuda_find_column(const emit_stage *e, int node, int row, int lane)
{
    const ir_node *n = &e->stage->node[node];
    const sweep_plan *s = e->sweep_plan;

    return find_column(s, emit_slot_of(e, n->field, n->level),
                       floor_div(n->offset[0] + lane, s->lanes),
                       (s->axis == 2 ? n->offset[1] : 0) + row);
}

/* ---- columns of neighbour threads -------------------------------------------------- */
/* Sweeps with shuffles: threads take neighbours along x from each other. The neighbour
 * vector in a thread's own row is in a register of the neighbour thread. Threads at the
 * ends of warps, and of the box, load it themselves. */

/* The neighbour thread's column with these values; NULL: they are loaded from memory. */
const column *cuda_neighbour(const emit_stage *e, const sweep_plan *s, const column *c)
{
    const bool own_row = c->block != 0 && c->block > -GPU_WARP && c->block < GPU_WARP &&
                         c->y >= 0 && c->y < s->rows;

    if (e->schedule->tile.storage != STORAGE_REGISTERS || !own_row)
        return NULL;

    const column *own = find_column(s, c->slot, 0, c->y);
    const bool has = own && own->single < 0 && own->first <= c->first &&
                     own->last >= c->last && (own->kept || own->early || !c->early);
    return has ? own : NULL;
}

static const char *neighbour_name(const emit_stage *e, int block)
{
    return arena_print(e->arena, "neighbour_%c%d", block < 0 ? 'm' : 'p', abs(block));
}

static bool has_neighbour_at(const emit_stage *e, int block)
{
    for (int64_t c = 0; c < e->sweep_plan->columns; c++)
        if (e->sweep_plan->column[c].block == block &&
            cuda_neighbour(e, e->sweep_plan, &e->sweep_plan->column[c]))
            return true;
    return false;
}

void cuda_find_neighbours(const emit_stage *e)
{
    for (int block = -GPU_WARP; block <= GPU_WARP; block++)
        if (has_neighbour_at(e, block))
            text_add(e->t, "    const bool %s = has_neighbour<%d, %d>(i);\n",
                     neighbour_name(e, block), block, e->sweep_plan->lanes);
}

/* "neighbour_point<-1>(f0_u.v[3], at_f0_u - 1, neighbour_m1)" */
const char *cuda_neighbour_load(const emit_stage *e, const column *c, int z,
                                const char *plane)
{
    const char *name = cuda_column_name(e, cuda_neighbour(e, e->sweep_plan, c), z);
    const char *address = column_address(e, c, plane),
               *neighbour = neighbour_name(e, c->block);

    return c->single < 0 ? arena_print(e->arena, "neighbour_vector<%d>(%s, %s, %s)",
                                       c->block, name, address, neighbour)
                         : arena_print(e->arena, "neighbour_point<%d>(%s.v[%d], %s, %s)",
                                       c->block, name, c->single, address, neighbour);
}
