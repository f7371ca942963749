/* SPDX-License-Identifier: BSD-3-Clause */
/* A whole source in C: the prelude once, then the kernels of each program. The kernels
 * are printed first, because they determine the prelude. The functions of a stage are
 * those for rows (emit_rows.c), those that carry values from plane to plane, and the
 * entry pav_0_3, which computes all rows of a box.
 *
 * Stages with equal text but for names share one kernel. Its number is the hash of this
 * text. In a source with names, each stage has an entry that calls its shared kernel. A
 * source without names has no entries: its text depends on the kernels alone, not on the
 * number of stages, so another grid finds it in the cache. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/functions/functions.h"
#include "codegen/codegen_private.h"

/* ---- the prelude ------------------------------------------------------------------- */
/* The text before the kernels: the files of kernels/host that some stage needs. Narrow
 * storage is converted by the interpreter's arithmetic (base/type.c explains why it
 * is right); test_kernel_storage.c compares the two value by value. */

/* Generated from the files by the build. */
extern const char kernel_types[], kernel_loops[], kernel_carried[], kernel_store[],
    kernel_vector[], kernel_vector_bf16[], kernel_vector_f16[], kernel_vector_u8[],
    kernel_bits_private[], kernel_random_private[], kernel_bf16_private[],
    kernel_f16_private[], kernel_u8_private[], kernel_join[], kernel_reduce[];

static void note_needs(const ir *code, const ir_stage *s, emit_needs *n)
{
    for (int64_t k = 0; k < s->count; k++) {
        if (s->node[k].op == IR_ROUND)
            n->storage[s->node[k].type] = true;
        else if (s->node[k].op == IR_RANDOM)
            n->random = true;
        else if (s->node[k].op == IR_LOAD)
            n->storage[code->field[s->node[k].field].storage] = true;
    }
    for (int64_t k = 0; k < s->outputs; k++) {
        if (s->output[k].kind == IR_REDUCE)
            n->folds = true;
        else
            n->storage[code->field[s->output[k].field].storage] = true;
    }
}

emit_needs emit_needs_of(const ir *const *code, int64_t count, bool gpu)
{
    emit_needs n = {0};

    for (int64_t p = 0; p < count; p++)
        for (int64_t k = 0; code[p] && k < code[p]->stages; k++) {
            const ir_stage *s = &code[p]->stage[k];

            if (!(gpu ? emit_gpu_has_kernel(code[p], s) : emit_has_kernel(s)))
                continue;
            note_needs(code[p], s, &n);
            n.functions |= ir_has_functions(s);
            /* A GPU may evaluate the scalars before the stage. */
            if (gpu && s->before >= 0)
                n.functions |= ir_has_functions(&code[p]->stage[s->before]);
        }
    return n;
}

void emit_parts(const emit_part *part, size_t count, text *t)
{
    for (size_t k = 0; k < count; k++)
        if (part[k].needed)
            text_add(t, "\n%s", part[k].words);
}

/* This text has definitions made by macros, so emit_prune must not see it. */
static void emit_functions(text *t)
{
    text_add(t, "\n%s\n%s\n%s\n%s\n%s\n%s\n%s", function_scalar_private,
             function_series_private, function_text_private, function_vector_private,
             function_series_private, function_text_private, function_floats_private);
}

void emit_shared_prelude(const emit_needs *n, text *t)
{
    const emit_part part[] = {
        {n->storage[PAV_BF16] || n->storage[PAV_F16] || n->random, kernel_bits_private},
        {n->random, kernel_random_private},
        {n->storage[PAV_BF16], kernel_bf16_private},
        {n->storage[PAV_F16], kernel_f16_private},
        {n->storage[PAV_U8], kernel_u8_private},
        {n->folds, kernel_join},
    };
    emit_parts(part, COUNT_OF(part), t);
}

/* Declarations and the helpers for the stages of these programs. holds: some stage
 * carries values from plane to plane. */
static void emit_prelude(const emit_needs *n, bool holds, text *t)
{
    const emit_part first[] = {{true, kernel_types},
                               {true, kernel_loops},
                               {holds, kernel_carried},
                               {true, kernel_vector},
                               {true, kernel_store}};
    const emit_part last[] = {{n->storage[PAV_BF16], kernel_vector_bf16},
                              {n->storage[PAV_F16], kernel_vector_f16},
                              {n->storage[PAV_U8], kernel_vector_u8},
                              {n->folds, kernel_reduce}};
    emit_parts(first, COUNT_OF(first), t);
    emit_shared_prelude(n, t);
    emit_parts(last, COUNT_OF(last), t);
}

static const emit_needs every_need = {.storage = {true, true, true, true, true},
                                      .folds = true,
                                      .random = true,
                                      .functions = true};

/* Of all that preludes are cut from. */
static uint64_t hash_prelude(text *t)
{
    const int64_t begin = t->length;

    emit_prelude(&every_need, true, t);
    emit_functions(t);
    const uint64_t key = hash_bytes(t->data + begin, t->length - begin);
    t->length = begin;
    return key;
}

/* ---- values carried from plane to plane -------------------------------------------- */
/* Values that a kernel of a processor carries from plane to plane. The symmetric 27-point
 * operator, for example, needs two sums of each plane in the planes around it. They are
 * computed once and stay in rows of L1 until their last use
 * (kernels/host/kernel_reduce.c).
 *
 *     planes_0_3  some rows of a plane: computes its carried values
 *     across_0_3  the same rows: computes results from the carried values around
 *
 * ir_sweep_of splits the stage into these two parts. A carried value is a separate field
 * for each plane of its use, so that planes can change places. */

enum { FIRST, LAST, PARTS };
enum { MOST_PLANES = 12 /* of all values: more do not fit in L1 */ };

typedef struct holding {
    const emit_stage *whole;
    ir_sweep sweep;
    ir code; /* with a field for each value in each plane */
} holding;

/* ---- fields ------------------------------------------------------------------------ */

static int planes_of(const ir_sweep *w, int64_t value)
{
    return w->lead - w->field[value].first + 1;
}

static int register_planes(const ir_sweep *w)
{
    int count = 0;

    for (int64_t v = 0; v < w->fields; v++)
        count += planes_of(w, v);
    return count;
}

/* The field for a value in a plane, counted from the plane of the results. */
static int register_field(const holding *h, int64_t value, int plane)
{
    int field = (int)h->whole->code->fields + plane - h->sweep.field[value].first;

    for (int64_t v = 0; v < value; v++)
        field += planes_of(&h->sweep, v);
    return field;
}

/* ---- text -------------------------------------------------------------------------- */

static const char *const name_of_part[PARTS] = {"planes", "across"};

static void add_slot(const holding *h, const emit_slot *slot)
{
    text *t = h->whole->t;

    for (int64_t v = 0; v < h->sweep.fields; v++)
        for (int z = h->sweep.field[v].first; z <= h->sweep.lead; z++)
            if (register_field(h, v, z) == slot->field)
                text_add(t, "{-1, %lld, %d}, ", (long long)v, h->sweep.lead - z);
    if (slot->field < (int)h->whole->code->fields)
        text_add(t, "{%d, 0, 0}, ", emit_slot_of(h->whole, slot->field, slot->level));
}

/* The first part computes the values of the farthest plane. */
static void add_part(const holding *h, int part, ir_stage *s, int64_t *slots)
{
    const int fields = (int)h->whole->code->fields;

    for (int64_t k = 0; k < s->count; k++) {
        ir_node *n = &s->node[k];
        if (n->op != IR_LOAD || n->field < fields)
            continue;
        n->field = register_field(h, n->field - fields, n->offset[2]);
        n->offset[2] = 0;
    }
    for (int64_t k = 0; k < s->outputs; k++)
        if (s->output[k].field >= fields)
            s->output[k].field = register_field(h, s->output[k].field - fields,
                                                h->sweep.lead);

    emit_stage e = emit_survey((emit_stage){.code = &h->code,
                                            .stage = s,
                                            .arena = h->whole->arena,
                                            .program = h->whole->program,
                                            .number = h->whole->number,
                                            .t = h->whole->t,
                                            .in_planes = true,
                                            .carried = fields,
                                            .nameless = h->whole->nameless});
    e.of_step = h->whole->of_step;
    emit_row_function(&e, name_of_part[part], h->whole->tallest);

    text_add(e.t, "static const carried_slot %s_slots_%lld_%lld[] = {",
             name_of_part[part], (long long)e.program, (long long)e.number);
    for (int64_t k = 0; k < e.slots; k++)
        add_slot(h, &e.slot[k]);
    text_add(e.t, "};\n");
    *slots = e.slots;
}

static void add_all(holding *h)
{
    const ir *of = h->whole->code;
    const int carried = register_planes(&h->sweep);
    const long long p = h->whole->program, s = h->whole->number;
    text *t = h->whole->t;
    int64_t slots[PARTS];
    int deepest = 0;

    h->code = *of;
    h->code.field = arena_alloc(h->whole->arena, of->fields + carried,
                                sizeof *h->code.field);
    memcpy(h->code.field, of->field, (size_t)of->fields * sizeof *of->field);
    for (; h->code.fields < of->fields + carried; h->code.fields++)
        h->code.field[h->code.fields] = (ir_field){
            .name = "carried", .storage = h->whole->real, .levels = 1};
    add_part(h, FIRST, &h->sweep.first, &slots[FIRST]);
    add_part(h, LAST, &h->sweep.last, &slots[LAST]);

    text_add(t, "static const int carried_planes_%lld_%lld[] = {", p, s);
    for (int64_t v = 0; v < h->sweep.fields; v++) {
        text_add(t, "%d, ", planes_of(&h->sweep, v));
        deepest = int_most(deepest, planes_of(&h->sweep, v) - 1);
    }
    text_add(t,
             "};\n"
             "static const carried_rows carried_parts_%lld_%lld = {\n"
             "    planes_%lld_%lld, across_%lld_%lld,\n"
             "    {planes_slots_%lld_%lld, across_slots_%lld_%lld}, {%lld, %lld},\n"
             "    %lld, carried_planes_%lld_%lld, %d, %d, %d, %d, %d};\n",
             p, s, p, s, p, s, p, s, p, s, (long long)slots[FIRST],
             (long long)slots[LAST], (long long)h->sweep.fields, p, s, h->sweep.lead,
             deepest, h->whole->tallest, (int)pav_type_size(h->whole->real),
             h->whole->in_place);
    text_add(t,
             "\nstatic void all_carried_%lld_%lld(const work *w)\n{\n"
             "    ALIGNED char memory[%d * %d * CARRIED_PITCH];\n    grid g[%lld];\n\n"
             "    each_carried(w, &carried_parts_%lld_%lld, memory, g);\n}\n",
             p, s, carried, h->whole->tallest,
             (long long)int64_most(slots[FIRST], slots[LAST]), p, s);
}

/* Values are carried along z, for some rows of whole vectors. */
static void emit_carried(emit_stage *e)
{
    holding h = {.whole = e};

    if (e->code->dim < 3 || e->tallest < 2 || e->stage->along)
        return;
    emit_must(e->arena, ir_sweep_of(e->code, e->stage, e->arena, &h.sweep));
    e->holds = h.sweep.pays && register_planes(&h.sweep) <= MOST_PLANES;
    if (e->holds)
        add_all(&h);
}

/* ---- one stage --------------------------------------------------------------------- */

/* " loads u, prev(u);" */
static const char *touched(const emit_stage *e, bool stored)
{
    const char *list = "";

    for (int64_t k = 0; k < e->slots; k++)
        if (stored ? e->slot[k].stored : e->slot[k].loaded)
            list = arena_print(
                e->arena, "%s%s %s", list,
                *list    ? ","
                : stored ? " stores"
                         : " loads",
                emit_level(e->arena, e->code, e->slot[k].field, e->slot[k].level));
    return *list ? arena_print(e->arena, "%s;", list) : "";
}

const char *emit_stage_name(arena *a, const ir_stage *stage)
{
    return emit_plain(a, stage->name ? stage->name : "without a name");
}

void emit_stage_comment(const emit_stage *e, text *t)
{
    const char *reduced = e->reductions
                              ? arena_print(e->arena, " reduces %d value%s;",
                                            e->reductions, e->reductions > 1 ? "s" : "")
                              : "";

    if (e->nameless)
        text_add(t, "\n/* Shared by several stages. */");
    else
        text_add(t, "\n/* Stage %lld, %s:%s%s%s in %s. */", (long long)e->number,
                 emit_stage_name(e->arena, e->stage), touched(e, true), touched(e, false),
                 reduced, pav_type_name(e->real));
}

const char *emit_halo(arena *a, const ir *code, const ir_stage *stage)
{
    const emit_reach r = emit_reach_of(stage, -1, 0);
    const char *halo = "; halo";

    for (int axis = 0; axis < code->dim; axis++)
        halo = arena_print(a, "%s%s %c %d+%d", halo, axis > 0 ? "," : "", "xyz"[axis],
                           r.far[axis][0], r.far[axis][1]);
    return halo;
}

int64_t emit_point_bytes(const ir *code, const emit_slot *slot, int64_t slots)
{
    int64_t bytes = 0;

    for (int64_t k = 0; k < slots; k++)
        bytes += (int64_t)pav_type_size(code->field[slot[k].field].storage) *
                 (slot[k].stored + slot[k].loaded);
    return bytes;
}

/* The comment above the functions of a stage. */
static void add_header(const emit_stage *e, text *t)
{
    const char *tiles = "";

    if (e->tallest > 1)
        tiles = arena_print(e->arena, ", or tiles of %d", e->tallest);
    emit_stage_comment(e, t);
    if (!e->nameless)
        text_add(t,
                 "\n/* `work` selects rows or blocks of rows: rows%s, in vectors of the "
                 "processor%s;\n * %lld bytes a point, each level once. */",
                 tiles, emit_halo(e->arena, e->code, e->stage),
                 (long long)emit_point_bytes(e->code, e->slot, e->slots));
}

/* True if blocks compute the stage without waiting for each other. */
static bool is_chaotic(const emit_stage *e)
{
    return e->of_step && e->code->program->chaotic > 0 && !e->reductions;
}

static void add_entry(const emit_stage *e, text *t)
{
    const long long p = e->program, s = e->number;
    char name[EMIT_NAME];

    emit_kernel_name(name, e->program, e->number);
    text_add(t, "\n%svoid %s(const work *w)\n{\n", e->local ? "static " : "", name);
    if (is_chaotic(e))
        text_add(t,
                 "    if (w->relaxed) {\n"
                 "        each_row(w, relaxed_%lld_%lld, 0, 0, 0);\n"
                 "        return;\n    }\n",
                 p, s);
    const int axis = abs(e->stage->along) - 1;
    if (axis > 0) {
        text_add(t, "    each_row_in_order(w, row_%lld_%lld, %d, %d);\n}\n", p, s, axis,
                 e->stage->along < 0);
        return;
    }
    const bool rest = e->holds && e->in_place; /* rows left out by the carried ones */
    if (e->holds)
        text_add(t,
                 "%s    if (w->carried && w->hi[1] - w->lo[1] >= %d) {\n"
                 "        all_carried_%lld_%lld(w);\n%s",
                 rest ? "    work rest = *w;\n" : "", e->tallest, p, s,
                 rest ? "        rest.lo[1] = w->hi[1] - (w->hi[1] - w->lo[1]) % " : "");
    if (rest)
        text_add(t, "%d;\n", e->tallest);
    if (e->holds)
        text_add(t, rest ? "    }\n" : "    } else\n    ");
    text_add(t, "    each_row(%s, row_%lld_%lld, ", rest ? "&rest" : "w", p, s);
    if (e->tallest > 1)
        text_add(t, "rows_%lld_%lld, %d, %d", p, s, e->tallest, e->in_place);
    else
        text_add(t, "0, 0, 0");
    text_add(t, ");\n}\n");
}

/* The used tables or uniforms by their places in the stage; their count. */
static int list_used(const bool *used, const int *order, int64_t count, int *number)
{
    int listed = 0;

    for (int k = 0; k < (int)count; k++)
        if (used[k]) {
            number[order[k]] = k;
            listed++;
        }
    return listed;
}

static pav_status list_numbers(arena *a, const ir *code, const ir_stage *stage,
                               int **tables, int **uniforms)
{
    const emit_stage e = emit_survey(
        (emit_stage){.code = code, .stage = stage, .arena = a});

    TRY(mem_take(tables, code->tables + code->uniforms + 1, sizeof **tables));
    *uniforms = *tables + list_used(e.table, e.table_place, code->tables, *tables);
    (void)list_used(e.uniform, e.uniform_place, code->uniforms, *uniforms);
    return PAV_OK;
}

pav_status emit_stage_numbers(const ir *code, const ir_stage *stage, int **tables,
                              int **uniforms)
{
    RETURN_IN_ARENA(a, list_numbers(a, code, stage, tables, uniforms));
}

/* "    own.tables = (const int[]){3, 5};" */
static void add_numbers(const emit_stage *e, const char *name, const bool *used,
                        const int *order, int64_t count)
{
    int *number = arena_alloc(e->arena, count + 1, sizeof *number);
    const int listed = list_used(used, order, count, number);

    for (int k = 0; k < listed; k++)
        text_add(e->t, k == 0 ? "    own.%s = (const int[]){%d" : "%s%d",
                 k == 0 ? name : ", ", number[k]);
    text_add(e->t, "%s", listed > 0 ? "};\n" : "");
}

/* The entry of a stage with the same text as the kernel `shared`. */
static void call_shared(const emit_stage *e, const emit_shared_kernel *shared)
{
    char name[EMIT_NAME], of_all[EMIT_NAME];

    emit_stage_comment(e, e->t);
    emit_kernel_name(name, e->program, e->number);
    emit_kernel_name(of_all, 0, emit_shared_number(shared));
    text_add(e->t, "\nvoid %s(const work *w)\n{\n    work own = *w;\n", name);
    add_numbers(e, "tables", e->table, e->table_place, e->code->tables);
    add_numbers(e, "uniforms", e->uniform, e->uniform_place, e->code->uniforms);
    text_add(e->t, "    %s(&own);\n}\n", of_all);
}

/* ---- all stages -------------------------------------------------------------------- */

typedef struct source {
    const ir *const *code;
    int64_t programs;
    emit_shared_kernels shared;
    bool nameless; /* no stage has an entry */
    bool holds;
    text *t;
    text_pieces pieces; /* from the first kernel on */
} source;

void emit_kernel_name(char name[EMIT_NAME], int64_t which, int64_t stage)
{
    (void)snprintf(name, EMIT_NAME, "pav_%lld_%lld", (long long)which, (long long)stage);
}

static bool has_kernel(const void *user, int64_t which, int64_t stage)
{
    const source *s = user;

    return emit_has_kernel(&s->code[which]->stage[stage]);
}

static bool same_schedule(const void *user, int64_t which, int64_t like, int64_t stage)
{
    (void)user, (void)which, (void)like, (void)stage;
    return true;
}

/* All functions of one stage. */
static void add_text(source *s, emit_stage *e)
{
    add_header(e, e->t);
    emit_row_function(e, "row", 1);
    if (e->tallest > 1)
        emit_row_function(e, "rows", e->tallest);
    e->relaxed = is_chaotic(e);
    if (e->relaxed)
        emit_row_function(e, "relaxed", 1);
    e->relaxed = false;
    emit_carried(e);
    add_entry(e, e->t);
    s->holds |= e->holds;
}

/* number, or NULL: of a kernel without a name. NULL: the kernel of a single stage; or the
 * entry of a stage with a shared kernel. */
static pav_status add_stage(arena *a, source *s, const emit_shared_kernel *k,
                            const int64_t *number, text *t)
{
    const ir *code = s->code[k->program];
    emit_stage e = emit_survey((emit_stage){.code = code,
                                            .stage = &code->stage[k->stage],
                                            .arena = a,
                                            .program = number ? 0 : k->program,
                                            .number = number ? *number : k->stage,
                                            .nameless = number,
                                            .local = number && !s->nameless,
                                            .t = t});

    if (!number && s->shared.kernel[k->first].uses > 1)
        call_shared(&e, &s->shared.kernel[k->first]);
    else
        add_text(s, &e);
    return PAV_OK;
}

static pav_status print_stage(source *s, const emit_shared_kernel *k,
                              const int64_t *number, text *t)
{
    RETURN_IN_ARENA(a, add_stage(a, s, k, number, t));
}

static pav_status print_unnamed(void *user, int64_t which, int64_t stage, text *t)
{
    const emit_shared_kernel k = {.program = which, .stage = stage};
    source s = *(const source *)user;

    return print_stage(&s, &k, &(const int64_t){0}, t);
}

/* True for a stage before the first step or after the last one. */
static bool is_once(const ir *code, int stage)
{
    bool once = false;

    for (int64_t n = 0; n < code->start.count; n++)
        once |= code->start.item[n].stage == stage;
    for (int64_t n = 0; n < code->expects.count; n++)
        once |= ir_list_has(&code->expects.item[n].list, stage);
    return once && !ir_list_has(&code->step, stage);
}

/* A shared kernel, then the entry of each of its stages; or the kernel of a single
 * stage. */
static pav_status add_kernel(source *s, const emit_shared_kernel *first)
{
    const emit_shared_kernels *all = &s->shared;

    if (s->nameless || first->uses > 1)
        TRY(print_stage(s, first, &(const int64_t){emit_shared_number(first)}, s->t));
    for (int64_t k = first->first; k < all->count && !s->nameless; k++)
        if (all->kernel[k].first == first->first)
            TRY(print_stage(s, &all->kernel[k], NULL, s->t));
    text_piece *piece = &s->pieces.piece[s->pieces.count++];
    *piece = (text_piece){.end = s->t->length, .once = true};
    emit_kernel_name(piece->name, 0, emit_shared_number(first));
    for (int64_t k = first->first; k < all->count; k++)
        if (all->kernel[k].first == first->first)
            piece->once &= is_once(s->code[all->kernel[k].program],
                                   (int)all->kernel[k].stage);
    return PAV_OK;
}

static int by_number(const void *a, const void *b)
{
    const emit_shared_kernel *const *x = a, *const *y = b;

    return ((*x)->key > (*y)->key) - ((*x)->key < (*y)->key);
}

static pav_status add_kernels(source *s)
{
    int64_t count = 0;
    TRY(emit_shared_kernels_find(s->code, s->programs, has_kernel, same_schedule,
                                 print_unnamed, s, &s->shared));
    TRY(mem_take(&s->pieces.piece, s->shared.count + 1, sizeof *s->pieces.piece));
    OWNED_NEW(const emit_shared_kernel *, first, s->shared.count + 1);
    for (int64_t k = 0; k < s->shared.count; k++)
        if (s->shared.kernel[k].first == k)
            first[count++] = &s->shared.kernel[k];
    if (s->nameless)
        qsort(first, (size_t)count, sizeof *first, by_number);
    for (int64_t k = 0; k < count; k++)
        TRY(add_kernel(s, first[k]));
    return PAV_OK;
}

/* Everything before the kernels, then the kernels. */
static pav_status add_head(source *s, const emit_needs *n, const char *head, text *t)
{
    emit_head(head, t);
    s->pieces.common = s->nameless && !t->failed ? hash_prelude(t) : 0;
    const int64_t begin = t->length;
    emit_prelude(n, s->holds, t);
    const int64_t end = t->length;
    if (n->functions)
        emit_functions(t);
    text_add_bytes(t, s->t->data, s->t->length);
    const pav_status pruned = emit_prune(t, begin, end);
    s->pieces.head = t->length - s->t->length;
    for (int64_t k = 0; k < s->pieces.count; k++)
        s->pieces.piece[k].end += s->pieces.head;
    TRY(pruned);
    return t->failed || s->t->failed
               ? FAIL(PAV_ENOMEM, "memory ran out while C was being written")
               : PAV_OK;
}

pav_status emit_source(const ir *const *code, int64_t count, const char *head,
                       emit_shared_kernels *shared, text *t, text_pieces *pieces)
{
    OWNED_BY(text_free) text kernels = {0};
    source s = {.code = code, .programs = count, .nameless = shared, .t = &kernels};
    pav_status status = add_kernels(&s);

    if (shared)
        *shared = s.shared;
    else
        emit_shared_kernels_free(&s.shared);
    const emit_needs n = emit_needs_of(code, count, false);
    if (status == PAV_OK)
        status = add_head(&s, &n, head, t);
    if (pieces)
        *pieces = s.pieces;
    else
        mem_free(s.pieces.piece);
    return status;
}

pav_status emit_source_add(const ir *code, text *kernels, text_pieces *pieces)
{
    OWNED_BY(text_free) text own = {0};
    source s = {.code = &code, .programs = 1, .nameless = true, .t = &own};
    const pav_status status = add_kernels(&s);
    OWNED text_piece *piece = s.pieces.piece;
    int64_t from = 0;

    emit_shared_kernels_free(&s.shared);
    TRY(own.failed ? PAV_ENOMEM : status);
    for (int64_t n = 0; n < s.pieces.count; from = piece[n++].end) {
        int64_t k = 0;
        while (k < pieces->count && strcmp(pieces->piece[k].name, piece[n].name) != 0)
            k++;
        if (k < pieces->count)
            continue;
        TRY(mem_extend(&pieces->piece, k + 2, sizeof *piece));
        text_add_bytes(kernels, own.data + from, piece[n].end - from);
        pieces->piece[pieces->count++] = piece[n];
        pieces->piece[k].end = kernels->length;
    }
    return PAV_OK;
}

pav_status emit_source_end(text *kernels, const char *head, text *t, text_pieces *pieces)
{
    source s = {.nameless = true, .holds = true, .t = kernels, .pieces = *pieces};
    const pav_status status = add_head(&s, &every_need, head, t);

    *pieces = s.pieces;
    return status;
}
