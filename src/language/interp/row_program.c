/* SPDX-License-Identifier: BSD-3-Clause */
/* Prepares a stage for evaluation by rows, and chooses the storage of each value.
 * Constants along a row are computed outside of the row. Loads in the arithmetic's own
 * type read the field's memory directly. The last node of an output writes directly to
 * the output's memory, unless the stage also loads from there: such a load must see the
 * old value. Then the stage computes into a buffer, and copies it at the
 * end of each piece. */
#include "interp/interp_private.h"

/* ---- memory of values -------------------------------------------------------------- */

/* Chooses the order of a stage's steps and the memory of their values. A buffer is reused
 * after the last use of its value, so even wide stages stay in the L1 cache. For the same
 * reason, rows are cut into shorter pieces if a stage needs many buffers. */

enum {
    PIECE_MOST = 512,
    PIECE_LEAST = 2 * LANE,
    CACHE_BYTES = 16 << 10, /* limit of all buffers together, part of the L1 cache */
    ALIGNMENT = 64,
};

static void add_step(row_program *p, int node)
{
    const ir_node *n = &p->stage->node[node];
    row_step *s = &p->step[p->steps++];

    *s = (row_step){.op = n->op, .node = node, .type = n->type};
    for (int a = 0; a < 3; a++) {
        s->arg[a] = a < ir_op_table[n->op].arguments ? n->arg[a] : n->arg[0];
    }
}

/* Chooses a buffer for the result of a node. It may be the buffer of an argument with its
 * last use here. `spare` is a stack of free buffers. */
static void assign_buffer(row_program *p, int node, int *spare, int64_t *spares)
{
    const ir_node *n = &p->stage->node[node];

    for (int a = 0; a < ir_op_table[n->op].arguments; a++) {
        row_value *v = &p->value[n->arg[a]];
        if (v->kind == ROW_STEP && v->last_use == node) {
            spare[(*spares)++] = v->buffer;
            v->last_use = -1; /* an argument may stand twice */
        }
    }
    if (p->value[node].kind == ROW_STEP)
        p->value[node].buffer = *spares > 0 ? spare[--*spares] : (int)p->buffers++;
}

static pav_status order_steps(row_program *p)
{
    const int count = (int)p->stage->count;
    int64_t spares = 0;

    OWNED_NEW(int, spare, count);
    TRY(mem_take(&p->step, count, sizeof *p->step));
    TRY(mem_take(&p->fixed, count, sizeof *p->fixed));
    for (int k = 0; k < count; k++) {
        const int kind = p->value[k].kind;
        if (kind == ROW_FIXED)
            p->fixed[p->fixeds++] = k;
        if (kind == ROW_FIXED || kind == ROW_LINE)
            p->lines++;
        if (kind == ROW_STEP || kind == ROW_DIRECT) {
            assign_buffer(p, k, spare, &spares);
            add_step(p, k);
        }
    }
    return PAV_OK;
}

/* ---- memory ------------------------------------------------------------------------ */

static void fill_line(row_program *p, int node, char *line)
{
    const ir_node *n = &p->stage->node[node];
    const double value = n->op == IR_CONST ? const_value(p->real, n->value)
                                           : p->args->uniform[n->uniform];

    for (int i = 0; i < LANE; i++)
        p->numbers[i] = value;
    type_convert(p->real, line, PAV_F64, p->numbers, LANE);
}

static void set_places(row_program *p, char *lines, char *buffers)
{
    const int64_t size = (int64_t)p->size;

    for (int k = 0; k < (int)p->stage->count; k++) {
        row_value *v = &p->value[k];
        v->place.step = v->kind == ROW_LINE || v->kind == ROW_FIXED ? 0 : LANE;
        if (v->kind == ROW_STEP)
            v->place.at = buffers + v->buffer * p->capacity * size;
        if (v->kind == ROW_LINE || v->kind == ROW_FIXED) {
            v->place.at = lines;
            lines += LANE * size;
        }
        if (v->kind == ROW_LINE)
            fill_line(p, k, v->place.at);
    }
}

/* One block: numbers, scratch, lines, buffers; each a multiple of LANE bytes. */
static pav_status find_memory(row_program *p)
{
    const int64_t numbers = p->capacity * (int64_t)sizeof(double);
    const int64_t scratch = int_rounded((2 * p->capacity + 2) * (int64_t)sizeof(double),
                                        LANE);
    const int64_t lines = p->lines * LANE * (int64_t)p->size;
    const int64_t buffers = p->buffers * p->capacity * (int64_t)p->size;

    TRY(mem_take(&p->memory, ALIGNMENT + numbers + scratch + lines + buffers, 1));
    char *at = p->memory + (ALIGNMENT - (uintptr_t)p->memory % ALIGNMENT) % ALIGNMENT;
    p->numbers = (double *)(void *)at;
    p->scratch = at + numbers;
    set_places(p, p->scratch + scratch, p->scratch + scratch + lines);
    return PAV_OK;
}

/* ---- preparation ------------------------------------------------------------------- */

/* An output may be stored over a field that another output copies (its user is the number
 * of nodes), so such copies are loaded first. */
static int kind_of(const row_program *p, const ir_node *n, int user)
{
    switch (n->op) {
    case IR_CONST:
    case IR_UNIFORM: return ROW_LINE;
    case IR_INDEX: return n->axis == p->axis ? ROW_STEP : ROW_FIXED;
    case IR_TABLE:
        if (p->args->code->table[n->table].axis != 0)
            return ROW_FIXED;
        return p->real == PAV_F64 ? ROW_LOADED : ROW_STEP;
    case IR_LOAD:
        if (n->transfer != IR_SAME ||
            view_of(p->args, n->field, n->level)->type != p->real)
            return ROW_STEP;
        return user == (int)p->stage->count && p->stage->outputs > 1 ? ROW_STEP
                                                                     : ROW_LOADED;
    default: return ROW_STEP;
    }
}

static void use(row_program *p, int node, int user)
{
    row_value *v = &p->value[node];

    if (v->kind != ROW_UNUSED)
        return;
    v->kind = kind_of(p, &p->stage->node[node], user);
    v->last_use = user;
}

/* Goes from the last node to the first, so the first use found is the last use. */
static void find_uses(row_program *p)
{
    const int count = (int)p->stage->count;

    for (int64_t k = 0; k < p->stage->outputs; k++)
        use(p, p->stage->output[k].node, count);
    for (int k = count - 1; k >= 0; k--) {
        const ir_node *n = &p->stage->node[k];
        if (p->value[k].kind != ROW_UNUSED)
            for (int a = 0; a < ir_op_table[n->op].arguments; a++)
                use(p, n->arg[a], k);
    }
}

/* ---- spans ------------------------------------------------------------------------- */

static row_span span_of_view(const view *v, int node)
{
    return (row_span){
        .node = node,
        .type = v->type,
        .size = pav_type_size(v->type),
        .stride = {1, v->stride[1], v->stride[2]},
        .data = v->data,
    };
}

static row_span span_of_numbers(const double *values, int node)
{
    return (row_span){.node = node,
                      .type = PAV_F64,
                      .size = sizeof *values,
                      .data = (char *)(uintptr_t)values};
}

static row_span span_of_load(const row_program *p, int node)
{
    const ir_node *n = &p->stage->node[node];
    row_span s;

    if (n->op == IR_TABLE) {
        s = span_of_numbers(p->args->table[n->table], node);
        s.offset[0] = n->offset[0];
    } else {
        s = span_of_view(view_of(p->args, n->field, n->level), node);
        s.transfer = n->transfer;
        s.kept = n->kept;
        for (int axis = 0; axis < MAX_DIM; axis++)
            s.offset[axis] = n->offset[axis];
    }
    s.in_place = p->value[node].kind == ROW_LOADED;
    return s;
}

static bool has_load_span(const row_program *p, int node)
{
    const ir_op op = p->stage->node[node].op;
    const int kind = p->value[node].kind;

    return (op == IR_LOAD || op == IR_TABLE) && (kind == ROW_LOADED || kind == ROW_STEP);
}

static pav_status find_spans(row_program *p, double *values)
{
    for (int k = 0; k < (int)p->stage->count; k++)
        p->loads += has_load_span(p, k);
    TRY(mem_take(&p->span, p->loads + p->stage->outputs, sizeof *p->span));
    for (int k = 0; k < (int)p->stage->count; k++)
        if (has_load_span(p, k)) {
            p->value[k].span = (int)p->spans;
            p->span[p->spans++] = span_of_load(p, k);
        }
    for (const ir_output *o = NULL; (o = ir_next_output(p->stage, o));)
        p->span[p->spans++] = o->kind == IR_STORE
                                  ? span_of_view(view_of(p->args, o->field, o->level),
                                                 o->node)
                                  : span_of_numbers(
                                        values ? values : &p->args->uniform[o->uniform],
                                        o->node);
    return PAV_OK;
}

/* True if an output's node may write directly to the output's memory. */
static bool may_be_direct(const row_program *p, int64_t output)
{
    const ir_output *o = &p->stage->output[output];
    const row_span *own = &p->span[p->loads + output];

    for (int64_t k = 0; k < p->loads; k++)
        if (p->span[k].data == own->data)
            return false;
    return p->value[o->node].kind == ROW_STEP && o->kind != IR_REDUCE &&
           own->type == p->real;
}

/* ---- the program ------------------------------------------------------------------- */

static pav_status make_ready(row_program *p, double *values)
{
    p->value = mem_new(p->stage->count, sizeof *p->value);
    p->trees = ir_reductions(p->stage) > 0 ? mem_new(p->stage->outputs, sizeof *p->trees)
                                           : NULL;
    if (!p->value || (ir_reductions(p->stage) > 0 && !p->trees))
        return PAV_ENOMEM;
    find_uses(p);
    TRY(find_spans(p, values));
    for (int64_t k = 0; k < p->stage->outputs; k++)
        if (may_be_direct(p, k)) {
            p->span[p->loads + k].in_place = true;
            p->value[p->stage->output[k].node].kind = ROW_DIRECT;
        }
    TRY(order_steps(p));
    const box *b = &p->args->box;
    const int64_t width = int_rounded(b->hi[0] - b->lo[0], LANE);
    p->piece = PIECE_MOST;
    while (p->piece > PIECE_LEAST &&
           p->buffers * p->piece * (int64_t)p->size > (int64_t)CACHE_BYTES)
        p->piece /= 2;
    p->capacity = width < p->piece ? width : p->piece;
    return find_memory(p);
}

pav_status row_program_open(row_program *p, const interp_args *args, int axis,
                            double *values)
{
    const pav_type real = stage_real(args->stage);

    *p = (row_program){
        .args = args,
        .stage = args->stage,
        .real = real,
        .size = pav_type_size(real),
        .op = row_op_find(row_level_best()),
        .axis = axis,
    };
    const pav_status status = make_ready(p, values);
    if (status != PAV_OK)
        row_program_close(p);
    return status;
}

void row_program_close(row_program *p)
{
    MEM_FREE_ALL(p->value, p->span, p->step, p->fixed, p->memory, p->trees);
    *p = (row_program){0};
}
