/* SPDX-License-Identifier: BSD-3-Clause */
/* The schedule point: a function for one point, and the kernels that call it:
 *
 *     pav_0_3        for all points of a box; for a stage with reductions, for the
 *                    pieces of its rows
 *     pav_0_3_list   for the points of a list, if the stage belongs to a source */
#include <stdio.h>
#include <stdlib.h>

#include "codegen/codegen_private.h"

/* ---- a point ----------------------------------------------------------------------- */

/* f0_u_yp1[-1]; of a coarse grid f0_u_half[(i - 1) >> 1] */
static const char *element_of(const emit_stage *e, int node)
{
    const ir_node *n = &e->stage->node[node];
    const char *row = emit_loaded_row(e, node);

    return ir_transfer_along(n->transfer, n->kept, 0) == IR_TO_COARSE
               ? arena_print(e->arena, "%s[(i%s) >> 1]", row,
                             emit_plus(e->arena, n->offset[0]))
               : arena_print(e->arena, "%s[%d]", row, n->offset[0]);
}

/* Each loaded row has a pointer, so neighbours along x are a constant offset away. */

/* "(float *)a.g1.data + j * a.g1.y + k * a.g1.z + i" */
static const char *address_of(const emit_stage *e, const emit_row *row)
{
    static const char *const along_x[] = {
        [IR_SAME] = " + i", [IR_TO_FINE] = " + 2 * i", [IR_TO_COARSE] = ""};
    const int slot = row->slot;

    return arena_print(
        e->arena, "(%s *)a.g%d.data + %s * a.g%d.y + %s * a.g%d.z%s",
        emit_slot_type(e, slot), slot,
        emit_index(e->arena, "j", row->y, ir_transfer_along(row->transfer, row->kept, 1)),
        slot,
        emit_index(e->arena, "k", row->z, ir_transfer_along(row->transfer, row->kept, 2)),
        slot, along_x[ir_transfer_along(row->transfer, row->kept, 0)]);
}

/* From the slot's own pointer, at a distance equal for all threads. */
static const char *near_address(const emit_stage *e, const emit_row *row)
{
    return arena_print(e->arena, "%s%s%s", emit_slot_name(e, row->slot),
                       cuda_stride(e->arena, row->y, 'y', row->slot),
                       cuda_stride(e->arena, row->z, 'z', row->slot));
}

/* True if the slot is stored, or a row is addressed from the slot's own pointer. */
static bool has_point(const emit_stage *e, int slot)
{
    for (int64_t r = 0; r < e->rows; r++)
        if (e->row[r].slot == slot && e->row[r].shift == 0 &&
            e->row[r].transfer == IR_SAME)
            return true;
    return e->slot[slot].stored;
}

static void add_point(emit_stage *e)
{
    const bool weighs = cuda_weight(e) >= 0;

    text_add(e->t,
             "\nINLINE void point_%lld_%lld(const argument_%lld_%lld &a, int64_t i, "
             "int64_t j, int64_t k%s%s)\n{\n",
             (long long)e->program, (long long)e->number, (long long)e->program,
             (long long)e->number, weighs ? ", double weight" : "",
             e->reductions ? ", double *v" : "");
    cuda_leaves(e, weighs ? "weight" : NULL);
    for (int k = 0; k < e->slots; k++) {
        const emit_row here = {.slot = k};
        if (has_point(e, k))
            text_add(e->t, "    %s *const %s = %s;\n", emit_slot_type(e, k),
                     emit_slot_name(e, k), address_of(e, &here));
    }
    for (int64_t r = 0; r < e->rows; r++) {
        const emit_row *row = &e->row[r];
        const bool same = row->transfer == IR_SAME;
        if (row->shift == 0 && !(same && row->y == 0 && row->z == 0))
            text_add(e->t, "    %s *const %s = %s;\n", emit_slot_type(e, row->slot),
                     emit_row_name(e, row),
                     same ? near_address(e, row) : address_of(e, row));
    }
    emit_node_lines(e, "    ");
    for (int64_t k = 0, reduction = 0; k < e->stage->outputs; k++) {
        const ir_output *o = &e->stage->output[k];
        if (o->kind == IR_STORE)
            text_add(e->t, "    %s[0] = %s;\n",
                     emit_slot_name(e, emit_slot_of(e, o->field, o->level)),
                     emit_output_value(e, o));
        else
            text_add(e->t, "    v[%d] = %s;\n", (int)reduction++,
                     emit_output_value(e, o));
    }
    text_add(e->t, "}\n");
}

/* ---- kernels ----------------------------------------------------------------------- */

void cuda_open_kernel(const emit_stage *e, const char *more, int threads, int blocks)
{
    char name[EMIT_NAME], least[32] = "";

    emit_kernel_name(name, e->program, e->number);
    if (blocks > 0)
        (void)snprintf(least, sizeof least, ", %d", blocks);
    text_add(e->t,
             "\nextern \"C\" __global__ void __launch_bounds__(%d%s)\n"
             "    %s%s(const __grid_constant__ argument_%lld_%lld a)\n{\n",
             threads, least, name, more, (long long)e->program, (long long)e->number);
    cuda_stage_uniforms(e);
}

/* "point_0_3(a, i, j, k, a.s4);" */
static void add_call(const emit_stage *e, const char *a, const char *point,
                     const char *weight)
{
    const int uniform = cuda_weight(e);
    const char *of = uniform < 0 ? NULL : weight ? weight : cuda_uniform(e, uniform);

    text_add(e->t, "point_%lld_%lld(%s, %s%s%s%s);\n", (long long)e->program,
             (long long)e->number, a, point, of ? ", " : "", of ? of : "",
             e->reductions ? ", v" : "");
}

/* ---- reductions -------------------------------------------------------------------- */

/* A line for each reduction of the stage, with its number and its kind. */
static void add_reductions(const emit_stage *e, void line(text *, int, const char *))
{
    int reduction = 0;

    for (int64_t k = 0; k < e->stage->outputs; k++)
        if (e->stage->output[k].kind == IR_REDUCE)
            line(e->t, reduction++, emit_reduction_name(e->stage->output[k].reduction));
}

static void add_missing(text *t, int n, const char *kind)
{
    text_add(t, "%smissing(%s)", n > 0 ? ", " : "", kind);
}

static void add_value(text *t, int n, const char *kind)
{
    (void)kind;
    text_add(t, "            value[%d][n] = v[%d];\n", n, n);
}

static void add_kept(text *t, int n, const char *kind)
{
    text_add(t, "        kept[%d] = keep_chunk(%s, kept[%d], value[%d], at);\n", n, kind,
             n, n);
}

static void add_last(text *t, int n, const char *kind)
{
    text_add(t, "    reduction_piece(a.w, %d, %s, kept[%d], p, j, k);\n", n, kind, n);
}

static void add_folded(text *t, int n, const char *kind)
{
    text_add(t, "            kept[%d][c] = reduce_own<AT_ONCE>(%s, value[%d]);\n", n,
             kind, n);
}

static void add_last_near(text *t, int n, const char *kind)
{
    text_add(
        t,
        "        store_piece(a.w, %d, reduce_warp<CHUNKS>(%s, kept[%d], threadIdx.x), p, "
        "j, k);\n",
        n, kind, n);
}

/* True if neighbours of a row may be points of one thread: nothing is stored, and few
 * loads have a stride from thread to thread. */
static bool has_near_points(const emit_stage *e)
{
    enum { FEW_LOADS = 2 };
    int loads = 0;

    for (int64_t k = 0; k < e->stage->count; k++)
        loads += e->stage->node[k].op == IR_LOAD && e->place[k] != PLACE_UNUSED;
    for (int64_t k = 0; k < e->stage->outputs; k++)
        if (e->stage->output[k].kind != IR_REDUCE)
            return false;
    return loads <= FEW_LOADS;
}

/* Values of the AT_ONCE points of a thread. indent: the spaces of each line; index: that
 * of point n. */
static void add_values(const emit_stage *e, const char *indent, const char *index)
{
    text_add(e->t,
             "#pragma unroll\n"
             "%sfor (int n = 0; n < AT_ONCE; n++) {\n"
             "%s    const int64_t i = %s;\n"
             "%s    double v[%d] = {",
             indent, indent, index, indent, e->reductions);
    add_reductions(e, add_missing);
    text_add(e->t,
             "};\n\n"
             "%s    if (i >= r.from && i < r.to && j < a.w.hi[1])\n"
             "%s        ",
             indent, indent);
    add_call(e, "a", "i, j, k", NULL);
    add_reductions(e, add_value);
    text_add(e->t, "%s}\n", indent);
}

/* Threads of a whole warp have AT_ONCE neighbours each, and fold them alone. */
static void add_near_piece(const emit_stage *e)
{
    text_add(e->t,
             "    if (blockDim.x == WARP) {\n"
             "        double kept[%d][CHUNKS];\n\n"
             "#pragma unroll\n"
             "        for (int c = 0; c < CHUNKS; c++) {\n"
             "            const int64_t at = (r.from & -(int64_t)PIECE) + AT_ONCE * (c * "
             "WARP + threadIdx.x);\n"
             "            double value[%d][AT_ONCE];\n\n",
             e->reductions, e->reductions);
    add_values(e, "            ", "at + n");
    add_reductions(e, add_folded);
    text_add(e->t, "        }\n");
    add_reductions(e, add_last_near);
    text_add(e->t, "        return;\n    }\n");
}

static void add_piece(const emit_stage *e)
{
    text_add(e->t,
             "\nINLINE void piece_%lld_%lld(const argument_%lld_%lld &a, int64_t p, "
             "int64_t j, int64_t k)\n{\n"
             "    const range r = piece_of(a.w, p);\n",
             (long long)e->program, (long long)e->number, (long long)e->program,
             (long long)e->number);
    if (has_near_points(e))
        add_near_piece(e);
    text_add(e->t, "    double kept[%d] = {", e->reductions);
    add_reductions(e, add_missing);
    text_add(e->t,
             "};\n\n"
             "#pragma unroll 1\n"
             "    for (int64_t at = first_chunk(r); at < r.to; at += chunk_size()) {\n"
             "        double value[%d][AT_ONCE];\n\n",
             e->reductions);
    add_values(e, "        ", "at + n * blockDim.x + threadIdx.x");
    add_reductions(e, add_kept);
    text_add(e->t, "    }\n");
    add_reductions(e, add_last);
    text_add(e->t, "}\n");
}

/* ---- lines ------------------------------------------------------------------------- */

/* One thread computes a line of an ordered stage. */
static void add_line(const emit_stage *e)
{
    static const char *const point[] = {NULL, "p.i, at, p.k", "p.i, p.j, at"};
    const int along = e->stage->along, axis = abs(along) - 1;

    text_add(e->t,
             "    const int64_t lo = a.w.lo[%d], hi = a.w.hi[%d];\n"
             "    work first = a.w;\n\n"
             "    first.hi[%d] = lo + 1;\n"
             "    const place p = place_of_thread(first);\n"
             "    if (!is_inside(first, p))\n"
             "        return;\n"
             "#pragma unroll 1\n"
             "    for (int64_t at = %s; %s; at%s)\n        ",
             axis, axis, axis, along > 0 ? "lo" : "hi - 1",
             along > 0 ? "at < hi" : "at >= lo", along > 0 ? "++" : "--");
    add_call(e, "a", point[axis], NULL);
}

/* A slot in shared memory: the points from `left` before a tile's first to `right` after
 * its last. */
typedef struct line_tile {
    bool tiled, read; /* read: also at the tile's own points */
    int left, right, pitch;
    const char *type;
} line_tile;

/* A slot has a tile if all loads stay on the line, and if loads of a stored slot see
 * values of this stage. free: bytes of shared memory. */
static line_tile tile_of(const emit_stage *e, int slot, int64_t *free)
{
    const pav_type type = emit_storage(e, slot);
    line_tile t = {.tiled = true, .type = emit_c_type(type)};

    for (int64_t k = 0; k < e->stage->count; k++) {
        const ir_node *n = &e->stage->node[k];
        const int x = n->offset[0];
        if (n->op != IR_LOAD || e->place[k] == PLACE_UNUSED ||
            emit_slot_of(e, n->field, n->level) != slot)
            continue;
        t.tiled &= n->transfer == IR_SAME && n->offset[1] == 0 && n->offset[2] == 0 &&
                   !(e->slot[slot].stored && x * e->stage->along > 0);
        t.read |= x == 0 || !e->slot[slot].stored;
        t.left = x < t.left ? x : t.left;
        t.right = x > t.right ? x : t.right;
    }
    t.pitch = (EMIT_LINE_TILE + t.right - t.left) | 1;
    const int64_t bytes = EMIT_LINE_TILE * t.pitch * (int64_t)pav_type_size(type);
    t.tiled &= bytes <= *free;
    *free -= t.tiled ? bytes : 0;
    return t;
}

/* The tiles of all slots, and their bytes. */
static int64_t find_tiles(const emit_stage *e, line_tile *tile)
{
    const int64_t most = GPU_BLOCK_SHARED - GPU_BLOCK_SHARED / 8; /* the rest: uniforms */
    int64_t free = most;

    for (int k = 0; k < e->slots; k++)
        tile[k] = tile_of(e, k, &free);
    return most - free;
}

int64_t cuda_line_bytes(const emit_stage *e)
{
    return abs(e->stage->along) == 1 && !e->stage->transform
               ? find_tiles(e, arena_alloc(e->arena, e->slots + 1, sizeof(line_tile)))
               : 0;
}

/* Operations along x by tiles in shared memory: gpu_kernels/point.cuh. */
static void add_tiled_lines(const emit_stage *e)
{
    const bool up = e->stage->along > 0;
    line_tile *tile = arena_alloc(e->arena, e->slots + 1, sizeof *tile);

    (void)find_tiles(e, tile);
    for (int k = 0; k < e->slots; k++)
        if (tile[k].tiled)
            text_add(e->t, "    __shared__ %s tile%d[LINE_TILE * %d];\n", tile[k].type, k,
                     tile[k].pitch);
    text_add(
        e->t,
        "    const line_tiles t = tiles_of(a.w, blockIdx.x);\n"
        "    argument_%lld_%lld b = a;\n\n"
        "    for (int64_t x = t.%s; %s; x %s LINE_TILE) {\n"
        "        const int64_t first = x > t.lo ? x : t.lo;\n"
        "        const int64_t past = x + LINE_TILE < t.hi ? x + LINE_TILE : t.hi;\n\n"
        "        __syncthreads(); /* the last tile is stored */\n",
        (long long)e->program, (long long)e->number, up ? "first" : "last",
        up ? "x < t.hi" : "x + LINE_TILE > t.lo", up ? "+=" : "-=");
    for (int k = 0; k < e->slots; k++) {
        const line_tile *l = &tile[k];
        const bool all = l->read || !e->slot[k].stored;
        if (l->tiled)
            text_add(e->t, "        b.g%d = grid_of_tile<%s, %d>(tile%d, x%s, t);\n", k,
                     l->type, l->pitch, k, emit_plus(e->arena, l->left));
        if (l->tiled && e->slot[k].loaded)
            text_add(e->t, "        load_tile<%s, %d>(b.g%d, a.g%d, %s%s, %s%s, t);\n",
                     l->type, l->pitch, k, k, all || up ? "first" : "past",
                     emit_plus(e->arena, l->left), all || !up ? "past" : "first",
                     emit_plus(e->arena, l->right));
    }
    text_add(e->t,
             "        __syncthreads();\n"
             "        for (int n = threadIdx.x; n < t.rows; n += blockDim.x)\n"
             "#pragma unroll 1\n"
             "            for (int64_t at = %s; %s; at%s)\n                ",
             up ? "first" : "past - 1", up ? "at < past" : "at >= first",
             up ? "++" : "--");
    add_call(e, "b", "at, t.j + n, t.k", NULL);
    text_add(e->t, "        __syncthreads();\n");
    for (int k = 0; k < e->slots; k++)
        if (tile[k].tiled && e->slot[k].stored)
            text_add(e->t, "        store_tile<%s, %d>(b.g%d, a.g%d, first, past, t);\n",
                     tile[k].type, tile[k].pitch, k, k);
    text_add(e->t, "    }\n");
}

/* All functions of a stage with the schedule point. For every schedule it prints the
 * stage's reductions and its kernel for lists, since these have no other kernel. */
void cuda_point_text(emit_stage *e)
{
    if (e->stage->transform) {
        cuda_transform_text(e);
        return;
    }
    e->element = element_of;
    add_point(e);
    if (e->reductions) {
        /* All threads of a warp take the same number of turns, because a reduction
         * exchanges their values. */
        add_piece(e);
        cuda_open_kernel(e, "", EMIT_GPU_COMMON, 0);
        text_add(e->t,
                 "    const int64_t rows = (int64_t)gridDim.y * blockDim.y;\n\n"
                 "    for (int64_t k = a.w.lo[2] + blockIdx.z; k < a.w.hi[2]; k += "
                 "gridDim.z)\n"
                 "        for (int64_t j = first_row(a.w); j < a.w.hi[1]; j += rows)\n"
                 "            piece_%lld_%lld(a, blockIdx.x, j + threadIdx.y, k);\n"
                 "}\n",
                 (long long)e->program, (long long)e->number);
    } else {
        const schedule *s = e->schedule;

        cuda_open_kernel(e, "",
                         abs(e->stage->along) == 1 ? cuda_line_threads(s)
                                                   : s->tile.size[0] * s->tile.size[1],
                         s->blocks);
        if (abs(e->stage->along) == 1)
            add_tiled_lines(e);
        else if (e->stage->along)
            add_line(e);
        else {
            text_add(e->t, "    const place p = place_of_thread(a.w);\n\n"
                           "    if (is_inside(a.w, p))\n        ");
            add_call(e, "a", "p.i, p.j, p.k", NULL);
        }
        text_add(e->t, "}\n");
    }
    if (cuda_is_injected(e->code, e->stage)) {
        cuda_open_kernel(e, "_list", EMIT_LIST_THREADS, 0);
        text_add(
            e->t,
            "    const int64_t n = (int64_t)blockIdx.x * blockDim.x + threadIdx.x;\n\n"
            "    if (n >= a.w.count)\n"
            "        return;\n"
            "    const int64_t i = a.w.list[n][0], j = a.w.list[n][1], k = "
            "a.w.list[n][2];\n    ");
        add_call(e, "a", "i, j, k", "a.w.weight[n]");
        text_add(e->t, "}\n");
    }
}
