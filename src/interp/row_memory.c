/* SPDX-License-Identifier: BSD-3-Clause */
/* Chooses the order of a stage's steps and the memory of their values. A buffer is reused
 * after the last use of its value, so even wide stages stay in the L1 cache. For the same
 * reason, rows are cut into shorter pieces if a stage needs many buffers. */
#include "interp/interp_private.h"

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
        const bool present = a < ir_op_table[n->op].arguments;
        s->arg[a] = present ? n->arg[a] : n->arg[0];
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
    int *spare = mem_new(count, sizeof *spare);
    int64_t spares = 0;

    p->step = mem_new(count, sizeof *p->step);
    p->fixed = mem_new(count, sizeof *p->fixed);
    if (!spare || !p->step || !p->fixed) {
        mem_free(spare);
        return PAV_ENOMEM;
    }
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
    mem_free(spare);
    return PAV_OK;
}

/* ---- memory ------------------------------------------------------------------------ */

static void choose_piece(row_program *p)
{
    const box *b = &p->args->box;
    const int64_t width = int_rounded(b->hi[0] - b->lo[0], LANE);

    p->piece = PIECE_MOST;
    while (p->piece > PIECE_LEAST &&
           p->buffers * p->piece * (int64_t)p->size > (int64_t)CACHE_BYTES)
        p->piece /= 2;
    p->capacity = width < p->piece ? width : p->piece;
}

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

    p->memory = mem_new(ALIGNMENT + numbers + scratch + lines + buffers, 1);
    if (!p->memory)
        return PAV_ENOMEM;
    char *at = p->memory + (ALIGNMENT - (uintptr_t)p->memory % ALIGNMENT) % ALIGNMENT;
    p->numbers = (double *)(void *)at;
    p->scratch = at + numbers;
    set_places(p, p->scratch + scratch, p->scratch + scratch + lines);
    return PAV_OK;
}

static pav_status find_trees(row_program *p)
{
    if (ir_reductions(p->stage) == 0)
        return PAV_OK;
    p->trees = mem_new(p->stage->outputs, sizeof *p->trees);
    return p->trees ? PAV_OK : PAV_ENOMEM;
}

pav_status row_program_settle(row_program *p)
{
    TRY(order_steps(p));
    choose_piece(p);
    TRY(find_memory(p));
    return find_trees(p);
}
