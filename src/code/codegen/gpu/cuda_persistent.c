/* SPDX-License-Identifier: BSD-3-Clause */
/* The text of a persistent kernel: a loop over steps computes and keeps each stage. After
 * every `depth` steps blocks exchange the halos of their tiles
 * (src/code/gpu_kernels/persistent.cuh). */
#include "codegen/gpu/fused_private.h"

/* ---- one stage --------------------------------------------------------------------- */
/* A stage of a persistent kernel, in one thread tile: first all inputs are loaded to
 * registers row by row, each once. Then the points are computed one after another, by the
 * same text with other indices. */

static emit_reach slot_reach(const emit_stage *e, const emit_slot *slot)
{
    return emit_reach_of(e->stage, slot->field, slot->level);
}

/* The loads of the thread tile's points from row y of plane z. */
static emit_reach reach_in_row(const emit_stage *e, const emit_slot *slot, int y, int z)
{
    const schedule *s = &((const fused_plan *)e->user)->schedule;
    emit_reach r = {0};

    for (const ir_node *n = NULL; (n = ir_next_load(e->stage, n));) {
        const int row = y - n->offset[1], plane = z - n->offset[2];
        if (n->field == slot->field && n->level == slot->level && row >= 0 &&
            row < s->thread.size[1] && plane >= 0 && plane < s->planes) {
            emit_note_reach(&r, n);
        }
    }
    return r;
}

/* ---- loads ------------------------------------------------------------------------- */

static void add_row(const emit_stage *e, int k, const emit_reach *all, int y, int z)
{
    const fused_plan *p = e->user;
    const emit_slot *slot = &e->slot[k];
    const int field = slot->field;
    const emit_reach r = reach_in_row(e, slot, y, z);

    if (!r.any)
        return;

    /* True if the row is the thread tile's own latest result. */
    const bool kept = slot->level == 0 && persistent_keeps_in_registers(p, field) &&
                      y >= 0 && y < p->schedule.thread.size[1] && z >= 0 &&
                      z < p->schedule.planes;
    text_add(e->t,
             "    %s<first_at<%d>, points_before<%d>, points_behind<%d>, "
             "tiles::N>(%s[%d][%d], %sat%d%s%s, bits);\n",
             kept ? "widen_row" : "load_row", all->far[0][0], r.far[0][0], r.far[0][1],
             emit_slot_name(e, k), z + all->far[2][0], y + all->far[1][0],
             kept ? arena_print(e->arena, "v%d[%d][%d], ", field, z, y) : "", k,
             emit_plus_times(e->arena, arena_print(e->arena, "field_%d::Y", field), y),
             emit_plus_times(e->arena, arena_print(e->arena, "field_%d::Z", field), z));
}

static void add_window(const emit_stage *e, int k)
{
    const fused_plan *p = e->user;
    const emit_slot *slot = &e->slot[k];
    const int field = slot->field;
    const emit_reach r = slot_reach(e, slot);
    const char *type = emit_c_type(emit_storage(e, k));
    const char *sum[MAX_DIM];

    for (int axis = 0; axis < MAX_DIM; axis++)
        sum[axis] = emit_plus(e->arena, r.far[axis][0] + r.far[axis][1]);
    text_add(e->t,
             "    const %s *const at%d = field_%d::version_of(step%s)[place].v;\n"
             "    %s %s[tiles::PLANES%s][tiles::ROWS%s][tiles::N%s];\n",
             type, k, field, emit_plus(e->arena, slot->level), type, emit_slot_name(e, k),
             sum[2], sum[1], sum[0]);
    if (slot->level == 0 && persistent_keeps_in_registers(p, field))
        text_add(
            e->t,
            "    reload_rows<field_%d>(v%d, field_%d::version_of(step) + place, kept);\n",
            field, field, field);
    for (int z = -r.far[2][0]; z < p->schedule.planes + r.far[2][1]; z++)
        for (int y = -r.far[1][0]; y < p->schedule.thread.size[1] + r.far[1][1]; y++)
            add_row(e, k, &r, y, z);
}

/* True if the slot is read only at the computed points themselves. */
static bool is_here(const emit_reach *r)
{
    int far = 0;

    for (int axis = 0; axis < MAX_DIM; axis++)
        far += r->far[axis][0] + r->far[axis][1];
    return r->any && far == 0;
}

/* For a fixed field. */
static void add_fixed_field(const emit_stage *e, int k)
{
    const fused_plan *p = e->user;
    const emit_reach r = slot_reach(e, &e->slot[k]);
    const char *name = emit_slot_name(e, k);

    if (is_here(&r))
        text_add(
            e->t,
            "    %s %s[tiles::PLANES][tiles::ROWS][tiles::N];\n"
            "#pragma unroll\n"
            "    for (int n = 0; n < tiles::PLANES * tiles::ROWS; n++)\n"
            "        fixed_row<tiles>(%s[n / tiles::ROWS][n %% tiles::ROWS], a.g%d, p,\n"
            "                         index_along<tiles>(1, p.j + n %% tiles::ROWS),\n"
            "                         index_along<tiles>(2, p.k + n / tiles::ROWS));\n",
            emit_c_type(emit_storage(e, k)), name, name,
            fused_slot_of(p->fused, e->slot[k].field, e->slot[k].level, false));
}

static const char *place_of(arena *a, const char *name, int offset)
{
    return arena_print(a, offset ? "[%s + %d]" : "[%s]", name, offset);
}

/* "f0_u[z][y + 1][x]", or for a fixed field, its point in memory. */
static const char *element_of(const emit_stage *e, int node)
{
    const fused_plan *p = e->user;
    const ir_node *n = &e->stage->node[node];
    const int k = emit_slot_of(e, n->field, n->level);
    const emit_reach r = slot_reach(e, &e->slot[k]);

    if (!p->moves[n->field] && !is_here(&r))
        return arena_print(
            e->arena, "point_at<const %s>(a.g%d, i + (%d), j + (%d), k + (%d))",
            fused_type(p, n->field), fused_slot_of(p->fused, n->field, n->level, false),
            n->offset[0], n->offset[1], n->offset[2]);
    return arena_print(e->arena, "%s%s%s%s", emit_slot_name(e, k),
                       place_of(e->arena, "z", n->offset[2] + r.far[2][0]),
                       place_of(e->arena, "y", n->offset[1] + r.far[1][0]),
                       place_of(e->arena, "x", n->offset[0] + r.far[0][0]));
}

/* ---- results ----------------------------------------------------------------------- */

/* Points on faces keep their value if threads hold it in registers. */
static void add_result(const emit_stage *e, const ir_output *o)
{
    const fused_plan *p = e->user;

    text_add(e->t, "        v%d[z][y].v[x] = ", o->field);
    if (persistent_face_mask(p) > 0)
        text_add(e->t,
                 "made_%lld::is_cut(x) && !(bits >> (TILE_POINT_BITS + x) & 1) ? "
                 "v%d[z][y].v[x] : ",
                 (long long)e->number, o->field);
    text_add(e->t, "%s;\n", emit_output_value(e, o));
}

/* Of a persistent kernel. */
static void add_stage(const fused_plan *p, const fused_operation *operation)
{
    static const char *const loop[] = {"z < tiles::PLANES; z", "y < tiles::ROWS; y",
                                       "x < tiles::N; x"};
    emit_stage e = cuda_fused_survey(p, operation->stage);

    e.element = element_of;
    emit_stage_comment(&e, p->t);
    text_add(p->t,
             "\nINLINE void thread_tile_%lld(const argument &a, const fused_block &b, "
             "int step, int place, unsigned bits, unsigned kept",
             (long long)e.number);
    for (int64_t k = 0; k < e.stage->outputs; k++)
        text_add(p->t, ", field_%d::unit (&v%d)[tiles::PLANES][tiles::ROWS]",
                 e.stage->output[k].field, e.stage->output[k].field);
    text_add(p->t, ")\n{\n    const tile_point p = vector_at<tiles>(b, place);\n\n");

    cuda_fused_uniforms(&e);
    for (int k = 0; k < e.slots; k++) {
        if (!p->moves[e.slot[k].field])
            add_fixed_field(&e, k);
        else if (slot_reach(&e, &e.slot[k]).any)
            add_window(&e, k);
    }

    for (int n = 0; n < MAX_DIM; n++)
        text_add(p->t, "#pragma unroll\n    for (int %c = 0; %s++)%s\n", loop[n][0],
                 loop[n], n == 2 ? " {" : "");
    text_add(p->t,
             "        const int64_t i = index_along<tiles>(0, p.i * tiles::N + x);\n"
             "        const int64_t j = index_along<tiles>(1, p.j + y);\n"
             "        const int64_t k = index_along<tiles>(2, p.k + z);\n");
    emit_node_lines(&e, "        ");
    for (int64_t k = 0; k < e.stage->outputs; k++)
        add_result(&e, &e.stage->output[k]);
    text_add(p->t, "    }\n}\n");
}

/* ---- the kernel -------------------------------------------------------------------- */

/* True if blocks wait for each other only once a launch (lang.h). */
static bool is_chaotic(const fused_plan *p)
{
    return p->code->program->chaotic > 0;
}

/* ---- tiles of blocks --------------------------------------------------------------- */

static bool is_corner(const ir_node *n)
{
    int off = 0;

    for (int axis = 0; axis < MAX_DIM; axis++)
        off += n->offset[axis] != 0;
    return n->op == IR_LOAD && off > 1;
}

/* True if a load, or a point computed around a tile, depends on points off along several
 * axes. */
static bool reads_corners(const fused_plan *p)
{
    bool corners = p->schedule.tile.steps > 1;

    for (int64_t n = 0; n < p->operations; n++) {
        const ir_stage *s = fused_stage_of(p, &p->operation[n]);
        for (int axis = 0; axis < MAX_DIM; axis++)
            corners |= p->operation[n].around[axis] > 0;
        for (int64_t k = 0; k < s->count; k++)
            corners |= is_corner(&s->node[k]) && p->moves[s->node[k].field];
    }
    return corners;
}

/* side: the lower and the upper one of each axis. */
static const char *sides_of(const fused_plan *p, const int *side)
{
    return arena_print(p->arena,
                       "sides<lower_sides<%d, %d, %d>, upper_sides<%d, %d, %d>>", side[0],
                       side[2], side[4], side[1], side[3], side[5]);
}

/* "typedef axes<64, 64, 64> extent;", with a comment behind. */
static void add_type(const fused_plan *p, const char *name, const int *value,
                     const char *what)
{
    text_add(p->t, "typedef axes<%d, %d, %d> %s; /* %s */\n", value[0], value[1],
             value[2], name, what);
}

static void add_parting(const fused_plan *p)
{
    const schedule *s = &p->schedule;
    int extent[MAX_DIM], wraps[MAX_DIM];

    for (int axis = 0; axis < MAX_DIM; axis++) {
        extent[axis] = (int)points_along(p->code, axis, false);
        wraps[axis] = p->periodic[axis];
    }
    text_add(p->t,
             "\nenum {\n    DEPTH = %d,   /* steps between two exchanges of halos */\n"
             "    THREADS = %d, /* threads of a block */\n"
             "    VECTOR = %d,  /* points of a thread tile along x */\n"
             "    ROWS = %d,    /* rows of a thread tile */\n"
             "    PLANES = %d   /* planes of a thread tile */\n};\n"
             "constexpr bool READS_CORNERS = %s;\n",
             s->tile.steps, s->tile.size[0], s->thread.size[0], s->thread.size[1],
             s->planes, reads_corners(p) ? "true" : "false");
    add_type(p, "extent", extent, "points of the grid");
    add_type(p, "blocks", s->device.size, "tiles of the grid, one for each block");
    add_type(p, "periodic", wraps, "1: the axis is periodic");
    add_type(p, "storage", p->box, "vectors of a tile with its halo");
    text_add(p->t,
             "typedef %s halo; /* points kept around a tile */\n"
             "typedef parting<extent, blocks, periodic, halo, storage, READS_CORNERS, "
             "DEPTH, THREADS,\n                VECTOR, ROWS, PLANES>\n    tiles;\n"
             "typedef persistent_block fused_block;\n",
             sides_of(p, &p->near[0][0]));
}

static void add_field(const fused_plan *p, int field)
{
    const fused_field *f = &p->field[field];

    text_add(p->t,
             "\n/* %s */\nstruct storage_%d {\n    typedef %s halo;\n"
             "    enum { VERSIONS = %d };\n    enum : int64_t { AT = %lld, EXCHANGE = "
             "%lld };\n};\n"
             "typedef persistent_field<%s, tiles, storage_%d> field_%d;\n",
             emit_level(p->arena, p->code, field, 0), field,
             sides_of(p, &p->code->field[field].halo[0][0]),
             f->versions + p->double_buffered, (long long)f->at, (long long)f->common,
             fused_type(p, field), field, field);
}

/* ---- before and after -------------------------------------------------------------- */

static void add_load(const fused_plan *p, int field, int version, int level)
{
    text_add(p->t, "    load_tile<field_%d>(b, %d, a.g%d);\n", field, version,
             fused_slot_of(p->fused, field, level, false));
}

/* ---- kept results ------------------------------------------------------------------ */

/* True if threads keep a field in registers and memory needs only the rows at the edges
 * of thread tiles. Then lanes read each other's points along x by shuffle, and no other
 * code reads inner rows. */
static bool reads_edges(const fused_plan *p, int field)
{
    const emit_reach r = emit_reach_of(fused_stage_of(p, &p->operation[0]), field, 0);

    return persistent_keeps_in_registers(p, field) && p->field[field].oldest == 0 &&
           p->field[field].kept == 1 && !persistent_updates_faces(p, field) &&
           p->schedule.thread.size[0] > 1 &&
           int_most(r.far[0][0], r.far[0][1]) <= p->schedule.thread.size[0];
}

static bool is_at_edge(const int far[2], int at, int count)
{
    return at < far[1] || at >= count - far[0];
}

/* A bit for each row read by neighbour thread tiles. */
static unsigned edges_of(const fused_plan *p, int field)
{
    const int rows = p->schedule.thread.size[1], planes = p->schedule.planes;
    const emit_reach r = emit_reach_of(fused_stage_of(p, &p->operation[0]), field, 0);
    unsigned edges = 0;

    for (int n = 0; n < rows * planes; n++)
        if (is_at_edge(r.far[1], n % rows, rows) ||
            is_at_edge(r.far[2], n / rows, planes))
            edges |= 1U << n;
    return edges;
}

/* ---- a step ------------------------------------------------------------------------ */

/* For all thread tiles of a thread. */
static void declare_results(const fused_plan *p, const fused_operation *operation,
                            const char *indent)
{
    const ir_stage *s = fused_stage_of(p, operation);

    for (int64_t n = 0; n < s->outputs; n++)
        text_add(p->t,
                 "%sfield_%d::unit v%d[made_%d::COUNT][tiles::PLANES][tiles::ROWS];\n",
                 indent, s->output[n].field, s->output[n].field, operation->stage);
}

static bool keeps_any(const fused_plan *p, const fused_operation *operation)
{
    const ir_stage *s = fused_stage_of(p, operation);

    for (int64_t n = 0; n < s->outputs; n++)
        if (persistent_keeps_in_registers(p, s->output[n].field))
            return true;
    return false;
}

static void add_computed(const fused_plan *p, const fused_operation *operation)
{
    const ir_stage *s = fused_stage_of(p, operation);
    const int number = operation->stage;
    const bool keeps = keeps_any(p, operation);

    text_add(p->t,
             "                    thread_tile_%d(a, b, step, thread_tiles_%d.place[n], "
             "thread_tiles_%d.bits[n],\n                            %s",
             number, number, number, keeps ? "first_after_exchange ? 0U : " : "0U");
    if (keeps)
        text_add(p->t, "thread_tiles_%d.register_rows(n)", number);
    for (int64_t n = 0; n < s->outputs; n++)
        text_add(p->t, ", v%d[n]", s->output[n].field);
    text_add(p->t, ");\n");
}

/* Publishes the levels for the next synchronisation. An older level is published some
 * steps earlier than the newest one, in the step that computes it. */
static void add_publishing(const fused_plan *p, int field, int number)
{
    for (int n = 0; n < p->published_levels; n++) {
        const int level = p->published[n].level;

        if (p->published[n].field == field)
            text_add(p->t,
                     "                    if (exchanges_%d)\n"
                     "                        publish<field_%d, %s>(b, step + 1, %d, %s, "
                     "thread_tiles_%d, n, v%d[n]);\n",
                     -level, field, is_chaotic(p) ? "true" : "false", level,
                     is_chaotic(p) ? "0" : "epoch + 1", number, field);
    }
}

static void add_kept(const fused_plan *p, const fused_operation *operation, bool shows)
{
    const ir_stage *s = fused_stage_of(p, operation);
    const int number = operation->stage;

    for (int64_t n = 0; n < s->outputs; n++) {
        const int field = s->output[n].field;
        const char *rows = reads_edges(p, field)
                               ? arena_print(p->arena, "stored_rows(n, 0x%x, all)",
                                             edges_of(p, field))
                               : "bits[n]";

        text_add(p->t,
                 "                    keep<field_%d>(step + 1, thread_tiles_%d, n, "
                 "thread_tiles_%d.%s, v%d[n]);\n",
                 field, number, number, rows, field);
        if (shows)
            add_publishing(p, field, number);
    }
}

/* A loop over thread tiles of a thread, from one to another: "0", "made_1::COUNT". */
static void open_thread_tiles(const fused_plan *p, int number, const char *from,
                              const char *end)
{
    text_add(p->t,
             "#pragma unroll\n"
             "            for (int n = %s; n < made_%d::%s; n++)\n"
             "                if (thread_tiles_%d.is_needed(n, turn)) {\n",
             from, number, end, number);
}

static void close_thread_tiles(const fused_plan *p)
{
    text_add(p->t, "                }\n");
}

/* With double buffering, results are stored at once. */
static void add_tiles_from(const fused_plan *p, const fused_operation *operation,
                           const char *from, const char *end, bool shows)
{
    open_thread_tiles(p, operation->stage, from, end);
    add_computed(p, operation);
    add_kept(p, operation, shows);
    close_thread_tiles(p);
}

/* ---- faces ------------------------------------------------------------------------- */

static void add_face(const fused_plan *p, int field, int stage, int level)
{
    text_add(p->t,
             "            fill_faces<field_%d, made_%d>(b, step + %d, [&](const "
             "tile_point &p) {\n"
             "                return field_%d_at(a, b, step + %d, p.i, p.j, p.k);\n"
             "            });\n",
             field, stage, 1 + level, field, 1 + level);
}

static void add_operation(const fused_plan *p, const fused_operation *operation)
{
    const ir_stage *s = fused_stage_of(p, operation);
    const int number = operation->stage;

    text_add(p->t, "        { /* %s */\n", emit_plain(p->arena, s->name));
    if (!keeps_any(p, operation))
        declare_results(p, operation, "            ");
    if (persistent_signals_early(p)) {
        add_tiles_from(p, operation, "0", "PUBLISHED", true);
        text_add(p->t, "            if (exchanges_0)\n"
                       "                signal(b, epoch + 1);\n");
        add_tiles_from(p, operation, arena_print(p->arena, "made_%d::PUBLISHED", number),
                       "COUNT", false);
    } else if (p->double_buffered)
        add_tiles_from(p, operation, "0", "COUNT", true);
    else {
        open_thread_tiles(p, number, "0", "COUNT");
        add_computed(p, operation);
        close_thread_tiles(p);
        text_add(p->t, "            __syncthreads();\n");
        open_thread_tiles(p, number, "0", "COUNT");
        add_kept(p, operation, true);
        close_thread_tiles(p);
    }
    text_add(p->t, "            __syncthreads();\n");

    bool any = false;

    for (int64_t n = 0; n < s->outputs; n++)
        if (persistent_updates_faces(p, s->output[n].field)) {
            add_face(p, s->output[n].field, number, 0);
            any = true;
        }
    text_add(p->t, "%s        }\n", any ? "            __syncthreads();\n" : "");
}

/* The age of the oldest published level: it is published this many steps before blocks
 * synchronise. -1: no level is published. */
static int oldest_published(const fused_plan *p)
{
    int oldest = -1;

    for (int n = 0; n < p->published_levels; n++)
        oldest = int_most(oldest, -p->published[n].level);
    return oldest;
}

static bool any_reads_edges(const fused_plan *p)
{
    for (int f = 0; f < p->code->fields; f++)
        if (p->moves[f] && reads_edges(p, f))
            return true;
    return false;
}

static void add_operations(const fused_plan *p)
{
    for (int64_t n = 0; n < p->operations; n++)
        add_operation(p, &p->operation[n]);

    if (p->published_levels == 0)
        return;
    text_add(p->t,
             "        if (exchanges_0) {\n"
             "            epoch++;\n%s%s            wait_for_neighbours(b, epoch);\n",
             persistent_signals_early(p) ? "" : "            signal(b, epoch);\n",
             is_chaotic(p) ? "            if (epoch != (unsigned)a.w.epoch + 1)\n"
                             "                __syncthreads();\n"
                             "            else\n    "
                           : "");

    for (int n = 0; n < p->published_levels; n++)
        text_add(p->t,
                 "            fetch_halo<field_%d, %s>(b, others, step + 1, %d, %s);\n",
                 p->published[n].field, is_chaotic(p) ? "true" : "false",
                 p->published[n].level, is_chaotic(p) ? "0" : "epoch");
    text_add(p->t, "            __syncthreads();\n");

    /* Fills faces next to the fetched halo, if anything depends on them. */
    bool any = false;

    for (int n = 0; n < p->published_levels && reads_corners(p); n++) {
        const fused_level *l = &p->published[n];
        if (!persistent_updates_faces(p, l->field))
            continue;
        add_face(p, l->field, fused_producer_of(p, l->field)->stage, l->level);
        any = true;
    }
    text_add(p->t, "%s        }\n", any ? "            __syncthreads();\n" : "");
}

/* If at least half of all steps have constant flags, these steps get separate text. */
static void add_step(const fused_plan *p)
{
    const int last = persistent_overlaps(p) ? int_most(oldest_published(p), 0) : -1;
    const bool most = last < 0 || 2 * (2 + last) <= p->schedule.tile.steps;

    /* Variable flags are needed in the first step after a synchronisation, and in one of
     * the last steps for each published level. last: the age of the oldest published
     * level; -1: only the first and the last step of the launch need them. */
    if (most && last >= 0)
        text_add(p->t,
                 "        if (turn == 0 || turn >= tiles::DEPTH - %d || step >= steps - "
                 "%d) {\n",
                 1 + last, 1 + last);
    else
        text_add(p->t, "        %s{\n",
                 most ? "if (step == 0 || step == steps - 1) " : "");
    /* Flags of a step. exchanges_N: blocks synchronise N steps later.
     * first_after_exchange: registers do not yet hold the thread's results, or the points
     * around tiles were just fetched. all: memory must get all rows, since the launch
     * ends, or the registers are reloaded after a fetch. */
    const bool out = persistent_overlaps(p);
    for (int level = 0; level <= oldest_published(p); level++)
        text_add(p->t,
                 "            const bool exchanges_%d = synchronises_after<tiles>(step, "
                 "steps, %d);\n",
                 level, level);
    if (keeps_any(p, &p->operation[0]))
        text_add(p->t, "            const bool first_after_exchange = %s == 0;\n",
                 out ? "turn" : "step");
    if (any_reads_edges(p))
        text_add(p->t, "            const bool all = step == steps - 1%s;\n",
                 out && p->published_levels > 0 ? " || exchanges_0" : "");
    add_operations(p);
    if (most) {
        text_add(p->t, "        } else {\n");

        /* The flags in the common steps, as constants. */
        for (int level = 0; level <= oldest_published(p); level++)
            text_add(p->t, "            const bool exchanges_%d = %s;\n", level,
                     persistent_overlaps(p) ? "false" : "true");
        if (keeps_any(p, &p->operation[0]))
            text_add(p->t, "            const bool first_after_exchange = false;\n");
        if (any_reads_edges(p))
            text_add(p->t, "            const bool all = false;\n");
        add_operations(p);
    }
    text_add(p->t, "        }\n");
}

/* ---- all --------------------------------------------------------------------------- */

static void add_persistent(const fused_plan *p)
{
    const fused_operation *first = &p->operation[0];

    /* The thread tiles and halo units of each thread. */
    text_add(p->t,
             "\nINLINE void persist(const argument &a)\n{\n"
             "    const int steps = (int)a.w.steps;\n"
             "    const fused_block b = place_of_block<tiles>(a.w.exchange, %lld);\n%s",
             (long long)p->flag_bytes,
             p->published_levels > 0 ? "    unsigned epoch = (unsigned)a.w.epoch;\n"
                                       "    const halo_units<tiles> others(b);\n"
                                     : "");
    for (int64_t n = 0; n < p->operations; n++)
        text_add(p->t, "    const made_%d thread_tiles_%d(b);\n", p->operation[n].stage,
                 p->operation[n].stage);
    text_add(p->t, "\n");

    /* Loads all input levels. Versions not yet computed start with level 0, because their
     * faces must be valid. */
    for (int f = 0; f < p->code->fields; f++) {
        const fused_field *field = &p->field[f];

        for (int level = 0; p->moves[f] && level >= field->oldest; level--)
            add_load(p, f, level, level);
        for (int n = 1 - field->oldest;
             p->moves[f] && n < field->versions + p->double_buffered; n++)
            add_load(p, f, n + field->oldest, 0);
    }
    text_add(p->t, "    __syncthreads();\n");

    if (keeps_any(p, first))
        declare_results(p, first, "    ");
    text_add(p->t, "    for (int step = 0, turn = 0; step < steps; step++) {\n");
    add_step(p);
    text_add(p->t, "        turn = turn + 1 < tiles::DEPTH ? turn + 1 : 0;\n    }\n");

    for (int f = 0; f < p->code->fields; f++)
        for (int age = 0; p->moves[f] && age < p->field[f].kept; age++)
            text_add(p->t, "    store_tile<field_%d, made_%d>(b, steps%s, a.g%d);\n", f,
                     fused_producer_of(p, f)->stage, emit_plus(p->arena, -age),
                     fused_slot_of(p->fused, f, -age, true));
    text_add(p->t, "}\n");
}

static void print(const fused_plan *p)
{
    cuda_fused_argument(p);
    add_parting(p);
    for (int f = 0; f < p->code->fields; f++)
        if (p->moves[f])
            add_field(p, f);
    for (int64_t n = 0; n < p->operations; n++) {
        const fused_operation *o = &p->operation[n];

        text_add(
            p->t,
            "struct points_%d {\n    typedef axes<%d, %d, %d> radius;\n"
            "    typedef axes<%d, %d, %d> around;\n    typedef %s inset;\n"
            "    enum : int { EARLY = %d, FACE_BITS = %d };\n};\n"
            "typedef thread_tiles_of<tiles, points_%d> made_%d;\n",
            o->stage, p->reach[0], p->reach[1], p->reach[2], o->around[0], o->around[1],
            o->around[2], sides_of(p, &fused_stage_of(p, o)->inset[0][0]),
            persistent_signals_early(p), persistent_face_mask(p), o->stage, o->stage);
    }
    cuda_fused_borders(p);
    for (int64_t n = 0; n < p->operations; n++)
        add_stage(p, &p->operation[n]);
    add_persistent(p);
    cuda_fused_kernel(p, ", 1", "persist");
}

static void check_settings(fused_plan *p, const schedule *requested)
{
    fused_refuse_if(p, requested->tile.size[1] > 1,
                    "threads of persistent stand in one line: threads=%d",
                    requested->tile.size[0] * requested->tile.size[1]);
    fused_refuse_if(p, p->code->dim < 3 && requested->planes > 1,
                    "a grid of %d dimension%s has one plane: leave out planes",
                    p->code->dim, p->code->dim > 1 ? "s" : "");
}

static void describe(const fused_plan *p, emit_gpu_fused *fused)
{
    fused->most = EMIT_GPU_MOST_PERSISTENT;
    persistent_cycles(p, &fused->cycles, &fused->cycles_waiting);
    for (int axis = 0; axis < MAX_DIM; axis++)
        fused->useful[axis] = persistent_vectors(p, axis) *
                              (axis == 0 ? p->schedule.thread.size[0] : 1);
}

static void extent_of_parts(const ir *code, const emit_gpu_fused *fused,
                            const emit_gpu_fused_work *w, int64_t blocks[3],
                            int threads[3])
{
    const schedule *s = &fused->schedule;

    (void)code;
    (void)w;
    blocks[0] = (int64_t)s->device.size[0] * s->device.size[1] * s->device.size[2];
    threads[0] = s->tile.size[0];
    blocks[1] = blocks[2] = threads[1] = threads[2] = 1;
}

const cuda_launch_kind cuda_persistent = {
    .least_dim = 1,
    .settings = check_settings,
    .choose = persistent_choose,
    .describe = describe,
    .extent = extent_of_parts,
    .text = print,
};
