/* SPDX-License-Identifier: BSD-3-Clause */
/* The argument of a kernel, and the locals for its members: tables, uniforms, and
 * pointers at the point. There is one pointer for each loaded row, so neighbours along x
 * are a constant offset away. The uniforms are a structure of their own; a kernel of one
 * thread can fill it on the GPU. */
#include <stdio.h>
#include <string.h>

#include "codegen/codegen_private.h"

/* ---- uniforms ---------------------------------------------------------------------- */
/* The uniforms of a stage, unless they are literals of its kernel: a structure and its
 * memory. Seeds of random numbers come first, by their bits. Other uniforms already have
 * the stage's type, so a kernel can use them as operands directly from constant
 * memory. */

/* True if the stage (or NULL) reads a uniform of the set. */
static bool reads_any(const ir_stage *stage, const bool *set)
{
    for (int64_t k = 0; stage && k < stage->count; k++) {
        const ir_node *n = &stage->node[k];
        if ((n->op == IR_UNIFORM || n->op == IR_RANDOM) && set[n->uniform])
            return true;
    }
    return false;
}

/* If a stage (or NULL) reads a uniform of the set, all uniforms it sets are added. */
static bool spread(const ir_stage *stage, bool *set)
{
    const bool reads = reads_any(stage, set);
    bool more = false;

    for (int64_t k = 0; reads && k < stage->outputs; k++) {
        const ir_output *o = &stage->output[k];
        if (o->kind == IR_SET && !set[o->uniform])
            more = set[o->uniform] = true;
    }
    return more;
}

bool cuda_uniforms_change(const ir *code, const ir_stage *stage)
{
    bool *changes = mem_new(code->uniforms + 1, sizeof *changes);

    if (changes) {
        bool again = true;

        for (int64_t u = 0; u < code->uniforms; u++) {
            const ir_uniform_kind kind = code->uniform[u].kind;
            changes[u] = kind == UNIFORM_T || kind == UNIFORM_STEP ||
                         kind == UNIFORM_REDUCTION;
        }
        while (again) {
            again = false;
            for (int64_t s = 0; s < code->stages; s++)
                again |= spread(&code->stage[s], changes);
        }
    }
    const bool found = changes && reads_any(stage, changes);
    mem_free(changes);
    return found;
}

int64_t cuda_count_uniforms(const ir *code, const ir_stage *stage)
{
    int64_t count = 0;

    for (int64_t u = 0; u < code->uniforms; u++) {
        bool found = false;
        for (int64_t k = 0; k < stage->count && !found; k++) {
            const ir_node *n = &stage->node[k];
            found = (n->op == IR_UNIFORM || n->op == IR_RANDOM) && n->uniform == u;
        }
        count += found;
    }
    return count;
}

/* ---- the structure ----------------------------------------------------------------- */

int64_t cuda_order_uniforms(const emit_stage *e, int *uniform, int64_t *seeds)
{
    int64_t count = 0;

    for (int others = 0; others < 2; others++) {
        for (int64_t u = 0; u < e->code->uniforms; u++)
            if (e->uniform[u] && emit_is_seed(e, u) == (others == 0))
                uniform[count++] = (int)u;
        if (others == 0)
            *seeds = count;
    }
    return count;
}

static bool has_uniforms(const emit_stage *e)
{
    for (int64_t u = 0; u < e->code->uniforms; u++)
        if (e->uniform[u])
            return true;
    return false;
}

void emit_gpu_pack_uniforms(const emit_gpu_kernel *k, const double *uniform, char *to)
{
    memset(to, 0, (size_t)k->number_bytes);
    for (int64_t n = 0; n < k->uniforms; n++) {
        const double value = uniform[k->uniform[n]];
        const float single = (float)value;
        const bool whole = n < k->seeds || k->real == PAV_F64;
        const size_t bytes = whole ? sizeof value : sizeof single;
        memcpy(to, whole ? (const void *)&value : &single, bytes);
        to += bytes;
    }
}

/* "numbers_0_3" */
static void add_name(const emit_stage *e, const char *what, text *t)
{
    text_add(t, "%s_%lld_%lld", what, (long long)e->program, (long long)e->number);
}

static void uniform_members(const emit_stage *e)
{
    for (int seed = 1; seed >= 0; seed--)
        for (int64_t u = 0; u < e->code->uniforms; u++)
            if (e->uniform[u] && emit_is_seed(e, u) == (seed == 1)) {
                text_add(e->t, "    %s ", seed ? "uint64_t" : emit_c_type(e->real));
                emit_uniform_name(e, (int)u, e->t);
                text_add(e->t, ";\n");
            }
}

/* ---- memory of the structure ------------------------------------------------------- */

void emit_gpu_constant_name(char name[EMIT_NAME], int64_t which, int64_t stage)
{
    (void)snprintf(name, EMIT_NAME, "constant_%lld_%lld", (long long)which,
                   (long long)stage);
}

static void add_variable(const emit_stage *e, const char *words, const char *name)
{
    text_add(e->t, "%s ", words);
    add_name(e, "numbers", e->t);
    text_add(e->t, " ");
    add_name(e, name, e->t);
    text_add(e->t, ";\n");
}

void cuda_uniforms(const emit_stage *e)
{
    if (!has_uniforms(e))
        return;

    text_add(e->t, "\nstruct alignas(8) ");
    add_name(e, "numbers", e->t);
    text_add(e->t, " {\n");
    uniform_members(e);
    text_add(e->t, "};\n");

    if (e->schedule->coefficients == UNIFORMS_CONSTANT)
        add_variable(e, "__constant__", "constant");
    if (e->schedule->coefficients == UNIFORMS_SHARED)
        add_variable(e, "__shared__", "staged");
}

/* The member of the argument. */
static void uniform_member(const emit_stage *e)
{
    const schedule_uniforms where = e->schedule->coefficients;

    if (!has_uniforms(e) || where == UNIFORMS_CONSTANT)
        return;
    text_add(e->t, where == UNIFORMS_ARGUMENT ? "    " : "    const ");
    add_name(e, "numbers", e->t);
    text_add(e->t, where == UNIFORMS_ARGUMENT ? " n;\n" : " *n;\n");
}

void cuda_uniform(const emit_stage *e, int uniform, text *t)
{
    const schedule_uniforms where = e->schedule->coefficients;

    if (where == UNIFORMS_CONSTANT || where == UNIFORMS_SHARED) {
        add_name(e, where == UNIFORMS_CONSTANT ? "constant" : "staged", t);
        text_add(t, ".");
    } else {
        text_add(t, where == UNIFORMS_GLOBAL ? "__ldg(&a.n->" : "a.n.");
    }
    emit_uniform_name(e, uniform, t);
    text_add(t, where == UNIFORMS_GLOBAL ? ")" : "");
}

void cuda_stage_uniforms(const emit_stage *e)
{
    if (e->schedule->coefficients != UNIFORMS_SHARED || !has_uniforms(e))
        return;
    text_add(e->t, "    stage_numbers(");
    add_name(e, "staged", e->t);
    text_add(e->t, ", a.n);\n");
}

/* ---- scalars on the GPU ------------------------------------------------------------ */
/* Scalars resident on a GPU: if only the step itself reads its reductions and the
 * uniforms computed from them, the host never waits for them. A kernel of one thread,
 * before the stage, evaluates its uniforms in f64 like the host, and writes the structure
 * that the stage's threads read. */

static const ir_stage *before_of(const ir *code, const ir_stage *stage)
{
    return stage->before >= 0 ? &code->stage[stage->before] : NULL;
}

/* Stages outside the step read uniforms on the host. */
static bool stays_within(const ir *code, const bool *live)
{
    for (int64_t s = 0; s < code->stages; s++) {
        const ir_stage *stage = &code->stage[s];
        if (ir_is_in_step(code, s)
                ? emit_gpu_differs(stage) && reads_any(stage, live) &&
                      stage->outputs > 0 && stage->output[0].kind == IR_SET
                : reads_any(stage, live))
            return false;
    }
    for (int64_t u = 0; u < code->uniforms; u++)
        if (live[u] && code->uniform[u].kind != UNIFORM_REDUCTION &&
            code->uniform[u].kind != UNIFORM_COMPUTED)
            return false;
    return true;
}

bool emit_gpu_live_scalars(const ir *code, bool *live)
{
    bool any = false, more = true;

    for (int64_t u = 0; u < code->uniforms; u++)
        live[u] = false;
    for (int64_t n = 0; n < code->step.count; n++) {
        const ir_stage *s = &code->stage[code->step.stage[n]];
        for (int64_t k = 0; k < s->outputs; k++)
            if (s->output[k].kind == IR_REDUCE)
                live[s->output[k].uniform] = true;
    }
    while (more) {
        more = false;
        for (int64_t n = 0; n < code->step.count; n++)
            more |= spread(before_of(code, &code->stage[code->step.stage[n]]), live);
    }

    const bool stays = stays_within(code, live);
    for (int64_t u = 0; u < code->uniforms; u++) {
        live[u] = live[u] && stays;
        any |= live[u];
    }
    return any;
}

bool emit_gpu_reads_live(const ir *code, const ir_stage *stage, const bool *live)
{
    return cuda_is_called(code, stage) &&
           (reads_any(stage, live) || reads_any(before_of(code, stage), live));
}

bool cuda_reads_live(const ir *code, const ir_stage *stage)
{
    bool *live = mem_new(code->uniforms + 1, sizeof *live);
    const bool found = live && emit_gpu_live_scalars(code, live) &&
                       emit_gpu_reads_live(code, stage, live);

    mem_free(live);
    return found;
}

/* ---- the kernel -------------------------------------------------------------------- */

static void add_kernel(const emit_stage *e)
{
    const long long which = e->program, number = e->number;

    text_add(e->t, "\nstruct alignas(8) live_%lld_%lld {\n", which, number);
    uniform_members(e);
    text_add(
        e->t,
        "};\n\nstruct scalars_%lld_%lld {\n    double *uniform;    /* on the GPU */\n"
        "    const double *host; /* those that the host knows */\n"
        "    live_%lld_%lld *to;\n};\n",
        which, number, which, number);
    text_add(e->t,
             "\nextern \"C\" __global__ void __launch_bounds__(32)\n"
             "    pav_%lld_%lld_scalars(const __grid_constant__ scalars_%lld_%lld a)\n{\n"
             "    const scalars_%lld_%lld *const p = &a;\n\n"
             "    if (threadIdx.x > 0)\n        return;\n",
             which, number, which, number, which, number);
}

/* Prints the stage of uniforms before the stage; or copies its results, if the host
 * evaluated it. */
static pav_status add_before(const emit_stage *e, const ir_stage *before,
                             const bool *live)
{
    /* "p->uniform[3] = a.host[3];" for uniforms known to the host. */
    for (int64_t u = 0; u < e->code->uniforms; u++) {
        bool used = e->uniform[u];
        for (int64_t k = 0; before && k < before->count; k++)
            used |= before->node[k].op == IR_UNIFORM && before->node[k].uniform == u;
        if (used && !live[u])
            text_add(e->t, "    p->uniform[%lld] = a.host[%lld];\n", (long long)u,
                     (long long)u);
    }

    if (!reads_any(before, live))
        return PAV_OK;
    text_add(e->t, "    {\n");
    TRY(emit_number_lines(e->code, before, false, e->t));
    text_add(e->t, "    }\n");
    return PAV_OK;
}

static pav_status add_scalars(const ir *code, int64_t which, int64_t number,
                              const bool *live, text *t)
{
    emit_stage e;

    TRY(emit_survey(code, &code->stage[number], &e));
    e.program = which;
    e.number = number;
    e.t = t;
    add_kernel(&e);
    const pav_status status = add_before(&e, before_of(code, e.stage), live);

    for (int64_t u = 0; u < e.code->uniforms; u++) {
        if (!e.uniform[u])
            continue;
        text_add(e.t, "    a.to->");
        emit_uniform_name(&e, (int)u, e.t);
        text_add(e.t,
                 emit_is_seed(&e, u) ? " = bits_of(p->uniform[%lld]);\n"
                 : e.real == PAV_F32 ? " = (float)p->uniform[%lld];\n"
                                     : " = p->uniform[%lld];\n",
                 (long long)u);
    }

    text_add(t, "}\n");
    emit_survey_close(&e);
    return status;
}

pav_status cuda_scalars_text(const ir *code, int64_t which, int64_t number, text *t)
{
    const ir_stage *stage = &code->stage[number];
    bool *live = mem_new(code->uniforms + 1, sizeof *live);
    pav_status status = live ? PAV_OK : PAV_ENOMEM;

    if (live && emit_gpu_live_scalars(code, live) &&
        emit_gpu_reads_live(code, stage, live))
        status = add_scalars(code, which, number, live, t);
    mem_free(live);
    return status;
}

/* ---- the argument ------------------------------------------------------------------ */

static void add_level(const emit_stage *e, int64_t slot)
{
    if (!e->nameless) {
        text_add(e->t, " /* ");
        emit_level_text(e->code, e->slot[slot].field, e->slot[slot].level, e->t);
        text_add(e->t, " */");
    }
    text_add(e->t, "\n");
}

void cuda_argument(const emit_stage *e)
{
    cuda_uniforms(e);
    text_add(e->t, "\nstruct argument_%lld_%lld {\n    work w;\n", (long long)e->program,
             (long long)e->number);
    for (int64_t k = 0; k < e->slots; k++) {
        text_add(e->t, "    grid g%lld;", (long long)k);
        add_level(e, k);
    }
    for (int64_t n = 0; n < e->code->tables; n++)
        if (e->table[n])
            text_add(e->t, "    const double *table%d; /* from index 0 */\n",
                     emit_table_number(e, (int)n));
    uniform_member(e);
    if (e->schedule->tile.copy == COPY_TMA) {
        int count = 0;

        for (int k = 0; k < e->slots; k++)
            if (cuda_may_use_shared(e, k)) {
                text_add(e->t, "    tensor m%d;", count++);
                add_level(e, k);
            }
    }
    text_add(e->t, "};\n");
}

int cuda_weight(const emit_stage *e)
{
    for (int64_t u = 0; u < e->code->uniforms; u++)
        if (e->uniform[u] && e->code->uniform[u].kind == UNIFORM_WEIGHT)
            return (int)u;
    return -1;
}

static void add_uniform(const emit_stage *e, int uniform, const char *weight)
{
    const bool seed = emit_is_seed(e, uniform), single = e->real == PAV_F32;

    text_add(e->t, "    const %s ", seed ? "uint64_t" : emit_c_type(e->real));
    emit_uniform_name(e, uniform, e->t);
    text_add(e->t, " = ");
    if (weight)
        text_add(e->t, seed ? "bits_of(%s)" : single ? "(float)%s" : "%s", weight);
    else
        cuda_uniform(e, uniform, e->t);
    text_add(e->t, ";\n");
}

void cuda_leaves(const emit_stage *e, const char *weight)
{
    for (int64_t n = 0; n < e->code->tables; n++)
        if (e->table[n])
            text_add(e->t, "    const double *const table%d = a.table%d;\n",
                     emit_table_number(e, (int)n), emit_table_number(e, (int)n));
    for (int64_t u = 0; u < e->code->uniforms; u++)
        if (e->uniform[u])
            add_uniform(e, (int)u, u == cuda_weight(e) ? weight : NULL);
}

/* ---- pointers ---------------------------------------------------------------------- */

static void open_pointer(const emit_stage *e, int slot, text *t)
{
    text_add(t, "    %s%s *const ", e->slot[slot].stored ? "" : "const ",
             emit_c_type(emit_storage(e, slot)));
}

/* "(float *)a.g1.data + j * a.g1.y + k * a.g1.z + i" */
static void add_place(const emit_stage *e, const emit_row *row, text *t)
{
    text_add(t, " = (%s%s *)a.g%d.data + ", e->slot[row->slot].stored ? "" : "const ",
             emit_c_type(emit_storage(e, row->slot)), row->slot);
    const ir_transfer x = ir_transfer_along(row->transfer, row->kept, 0);

    emit_index("j", row->y, ir_transfer_along(row->transfer, row->kept, 1), t);
    text_add(t, " * a.g%d.y + ", row->slot);
    emit_index("k", row->z, ir_transfer_along(row->transfer, row->kept, 2), t);
    text_add(t, " * a.g%d.z", row->slot);
    if (x != IR_TO_COARSE)
        text_add(t, x == IR_TO_FINE ? " + 2 * i" : " + i");
    text_add(t, ";\n");
}

static void add_row(const emit_stage *e, const emit_row *row, text *t)
{
    if (row->transfer == IR_SAME && !row->y && !row->z)
        return;
    open_pointer(e, row->slot, t);
    emit_row_name(e, row, t);
    if (row->transfer != IR_SAME) {
        add_place(e, row, t);
        return;
    }
    /* From the slot's own pointer, at a distance equal for all threads. */
    text_add(t, " = ");
    emit_slot_name(e, row->slot, t);
    cuda_add_stride(row->y, 'y', row->slot, t);
    cuda_add_stride(row->z, 'z', row->slot, t);
    text_add(t, ";\n");
}

/* True if the slot is stored, or a row is addressed from the slot's own pointer. */
static bool has_point(const emit_stage *e, int slot)
{
    bool found = e->slot[slot].stored;

    for (int64_t r = 0; r < e->rows; r++)
        found = found || (e->row[r].slot == slot && e->row[r].shift == 0 &&
                          e->row[r].transfer == IR_SAME);
    return found;
}

void cuda_pointers(const emit_stage *e)
{
    for (int k = 0; k < e->slots; k++)
        if (has_point(e, k)) {
            const emit_row here = {.slot = k};

            open_pointer(e, k, e->t);
            emit_slot_name(e, k, e->t);
            add_place(e, &here, e->t);
        }
    for (int64_t r = 0; r < e->rows; r++)
        if (e->row[r].shift == 0)
            add_row(e, &e->row[r], e->t);
}
