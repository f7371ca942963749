/* SPDX-License-Identifier: BSD-3-Clause */
/* The text of nodes: names and numbers of the generated code, the expression of each node
 * of a point in C, and the bodies of functions made of nothing else. CUDA C++ and the
 * parts of a kernel that are constant along a row use the same text. */
#include <ctype.h>
#include <math.h>
#include <string.h>

#include "codegen/codegen_private.h"

/* ---- names ------------------------------------------------------------------------- */
/* Names and numbers of the generated text. Names of fields begin with f and their number,
 * so they never equal a keyword or each other. Values are named n12, uniforms s3 or
 * p3_dt. */

const char *emit_c_type(pav_type type)
{
    static const char *const name[] = {
        [PAV_F32] = "float",    [PAV_F64] = "double", [PAV_BF16] = "uint16_t",
        [PAV_F16] = "uint16_t", [PAV_U8] = "uint8_t",
    };

    return name[type];
}

const char *emit_reduction_name(reduction_kind kind)
{
    return kind == REDUCTION_MIN   ? "REDUCE_MIN"
           : kind == REDUCTION_MAX ? "REDUCE_MAX"
                                   : "REDUCE_SUM";
}

static void add_word(const char *word, text *t)
{
    for (; *word; word++)
        text_add(t, "%c",
                 isalnum((unsigned char)*word) && (unsigned char)*word < 128 ? *word
                                                                             : '_');
}

void emit_plain(const char *words, text *t)
{
    for (; *words; words++) {
        const unsigned char c = (unsigned char)*words;
        if (c == '\n') {
            text_add(t, "\n * ");
            continue;
        }
        const bool closes = c == '*' && words[1] == '/';
        text_add(t, "%c",
                 c < 32 || c == 127 || closes || c == '?' || c == '\\' ? ' ' : c);
    }
}

void emit_slot_name(const emit_stage *e, int slot, text *t)
{
    const emit_slot *s = &e->slot[slot];

    if (e->nameless) {
        text_add(t, "f%d", slot);
        return;
    }
    text_add(t, "f%d_", s->field);
    add_word(e->code->field[s->field].name, t);
    if (s->level > 0)
        text_add(t, "_new");
    else if (s->level < 0)
        text_add(t, "_old%d", -s->level);
}

void emit_name_offset(char axis, int offset, text *t)
{
    if (offset)
        text_add(t, "_%c%c%d", axis, offset < 0 ? 'm' : 'p',
                 offset < 0 ? -offset : offset);
}

void emit_row_name(const emit_stage *e, const emit_row *row, text *t)
{
    emit_slot_name(e, row->slot, t);
    if (row->transfer != IR_SAME)
        text_add(t, row->transfer == IR_TO_FINE ? "_twice" : "_half");
    emit_name_offset('y', row->y, t);
    emit_name_offset('z', row->z, t);
}

void emit_node_name(const emit_stage *e, int node, text *t)
{
    const bool of_row = e->place[node] == PLACE_ROW || e->lanes <= 1;

    text_add(t, "n%d", node);
    if (e->height > 1 || !of_row)
        text_add(t, "_%d", of_row ? e->shift : e->shift * e->lanes + e->lane);
}

static int rank_of(const bool *used, int which)
{
    int rank = 0;

    for (int k = 0; k < which; k++)
        rank += used[k];
    return rank;
}

int emit_uniform_number(const emit_stage *e, int slot)
{
    return e->nameless ? rank_of(e->uniform, slot) : slot;
}

int emit_table_number(const emit_stage *e, int table)
{
    return e->nameless ? rank_of(e->table, table) : table;
}

void emit_table_name(const emit_stage *e, int table, text *t)
{
    text_add(t, "table%d", emit_table_number(e, table));
}

void emit_uniform_name(const emit_stage *e, int slot, text *t)
{
    const ir_uniform *u = &e->code->uniform[slot];

    text_add(t, "s%d", emit_uniform_number(e, slot));
    if (e->nameless)
        return;
    if (u->kind == UNIFORM_T || u->kind == UNIFORM_STEP) {
        text_add(t, u->kind == UNIFORM_T ? "_t" : "_step");
    } else if (u->name) {
        text_add(t, "_");
        add_word(u->name, t);
    }
}

void emit_level_text(const ir *code, int field, int level, text *t)
{
    const char *name = code->field[field].name;

    text_add(t, level < 0 ? "prev(" : "");
    emit_plain(name, t);
    if (level > 0)
        text_add(t, "'");
    else if (level == -1)
        text_add(t, ")");
    else if (level < 0)
        text_add(t, ", %d)", -level);
}

/* ---- numbers ----------------------------------------------------------------------- */

/* Prints a number so that it reads back as the same value of the type, rounded once. */
static void emit_number(pav_type real, num value, text *t)
{
    const double v = real == PAV_F32 ? (double)num_f32(value) : num_f64(value);
    text digits = {0};

    if (!isfinite(v)) {
        /* The macros of C headers; they are floats. Sources for GPUs define the same
         * (kernel_gpu.cuh). */
        text_add(t, "(%s%s%s)", real == PAV_F32 ? "" : "(double)",
                 !isnan(v) && v < 0 ? "-" : "", isnan(v) ? "NAN" : "INFINITY");
        return;
    }

    /* Prints an exact decimal, and the compiler rounds it once like num_f32; other
     * numbers are printed after rounding. */
    num_print(&digits, value);
    if (!value.exact || (digits.data && strchr(digits.data, '/'))) {
        text_free(&digits);
        text_add_double(&digits, v);
    }

    const char *word = digits.data ? digits.data : "0";
    const bool whole = !strpbrk(word, ".eE");
    text_add(t, word[0] == '-' ? "(%s%s%s)" : "%s%s%s", word, whole ? ".0" : "",
             real == PAV_F32 ? "f" : "");
    emit_close(&digits, t);
}

void emit_close(text *part, text *t)
{
    t->failed = t->failed || part->failed;
    text_free(part);
}

/* ---- sums without zero terms ------------------------------------------------------- */

void emit_plus(int64_t n, text *t)
{
    if (n != 0)
        text_add(t, " %c %lld", n < 0 ? '-' : '+', n < 0 ? -(long long)n : (long long)n);
}

void emit_plus_times(const char *name, int64_t n, text *t)
{
    if (n == 0)
        return;
    text_add(t, " %c ", n < 0 ? '-' : '+');
    emit_times(name, n < 0 ? -n : n, t);
}

void emit_times(const char *name, int64_t n, text *t)
{
    if (n == 0)
        text_add(t, "0");
    else
        text_add(t, n == 1 ? "%s" : "%s * %lld", name, (long long)n);
}

/* ---- expressions ------------------------------------------------------------------- */
/* The nodes of a point as C expressions, one for each operation, as defined in plan.h.
 * They serve threads of GPUs, and values constant along a row on processors. Booleans are
 * ints, and conversions to and from numbers are explicit. */

bool emit_is_boolean(const emit_stage *e, int node)
{
    return ir_is_boolean(e->stage->node[node].op);
}

/* ---- leaves ------------------------------------------------------------------------ */

void emit_loaded_row(const emit_stage *e, int node, text *t)
{
    const ir_node *n = &e->stage->node[node];
    const int row = e->row_of[e->shift * e->stage->count + node];

    if (row >= 0)
        emit_row_name(e, &e->row[row], t);
    else
        emit_slot_name(e, emit_slot_of(e, n->field, n->level), t);
}

static const char *const index_of[MAX_DIM] = {"i", "j", "k"};

/* The loaded value in its storage type, then converted. */
static void add_load(const emit_stage *e, int node, text *t)
{
    const ir_node *n = &e->stage->node[node];
    text element = {0};

    if (e->element) {
        e->element(e, node, &element);
    } else {
        const ir_transfer transfer = ir_transfer_along(n->transfer, n->kept, 0);
        emit_loaded_row(e, node, &element);
        text_add(&element, transfer == IR_TO_COARSE ? "[(i"
                           : transfer == IR_TO_FINE ? "[2 * i"
                                                    : "[i");
        emit_plus(n->offset[0], &element);
        text_add(&element, transfer == IR_TO_COARSE ? ") >> 1]" : "]");
    }
    if (element.data)
        emit_converted(e->real, e->code->field[n->field].storage, element.data, t);
    emit_close(&element, t);
}

static int shift_along(const emit_stage *e, int axis)
{
    return axis == 0 ? e->lane : axis == 1 ? e->shift : 0;
}

static void add_index(const emit_stage *e, int axis, text *t)
{
    const int further = shift_along(e, axis);

    text_add(t, "%s(double)", e->real == PAV_F32 ? "(float)" : "");
    text_add(t, further ? "(%s + %d)" : "%s", index_of[axis], further);
}

static void add_table(const emit_stage *e, const ir_node *n, text *t)
{
    const int axis = e->code->table[n->table].axis;

    text_add(t, e->real == PAV_F32 ? "(float)" : "");
    emit_table_name(e, n->table, t);
    text_add(t, "[%s", index_of[axis]);
    emit_plus(n->offset[0] + shift_along(e, axis), t);
    text_add(t, "]");
}

/* By the index of the point, without tile or lane offsets: random numbers are for initial
 * values only. */
static void add_random(const emit_stage *e, const ir_node *n, text *t)
{
    text_add(t, "%srandom_at(", e->real == PAV_F32 ? "(float)" : "");
    emit_uniform_name(e, n->uniform, t);
    for (int axis = 0; axis < MAX_DIM; axis++) {
        text_add(t, ", ");
        emit_index(index_of[axis], n->offset[axis],
                   ir_transfer_along(n->transfer, n->kept, axis), t);
    }
    text_add(t, ")");
}

/* ---- conversions ------------------------------------------------------------------- */

/* Converts numbers by a cast, narrow storage by helpers of the prelude: f32_of_bf16,
 * bf16_of_f64 and so on. */
void emit_converted(pav_type to, pav_type from, const char *value, text *t)
{
    const bool from_number = from == PAV_F32 || from == PAV_F64;
    const bool to_number = to == PAV_F32 || to == PAV_F64;

    if (to == from)
        text_add(t, "%s", value);
    else if (to_number && (from_number || from == PAV_U8))
        text_add(t, "(%s)%s", emit_c_type(to), value);
    else if (to_number)
        text_add(t, "%sf32_of_%s(%s)", to == PAV_F64 ? "(double)" : "",
                 pav_type_name(from), value);
    else if (to == PAV_BF16 || to == PAV_F16)
        text_add(t, "%s_of_%s(%s)", pav_type_name(to), pav_type_name(from), value);
    else
        text_add(t, "%s_of_f64(%s%s)", pav_type_name(to),
                 from == PAV_F32 ? "(double)" : "", value);
}

static void add_round(const emit_stage *e, const ir_node *n, text *t)
{
    text value = {0}, narrow = {0};

    emit_operand(e, n->arg[0], &value);
    if (value.data)
        emit_converted(n->type, e->real, value.data, &narrow);
    if (narrow.data)
        emit_converted(e->real, n->type, narrow.data, t);
    emit_close(&value, t);
    emit_close(&narrow, t);
}

/* ---- operations -------------------------------------------------------------------- */

void emit_operand(const emit_stage *e, int node, text *t)
{
    if (e->place[node] == PLACE_INLINE)
        emit_expression(e, node, t);
    else if (e->value)
        e->value(e, node, t);
    else
        emit_node_name(e, node, t);
}

static void add_number(const emit_stage *e, int node, text *t)
{
    if (emit_is_boolean(e, node))
        text_add(t, "(%s)", emit_c_type(e->real));
    emit_operand(e, node, t);
}

static void add_boolean(const emit_stage *e, int node, text *t)
{
    if (emit_is_boolean(e, node)) {
        emit_operand(e, node, t);
        return;
    }
    text_add(t, "(");
    emit_operand(e, node, t);
    text_add(t, " != 0)");
}

void emit_infix(const emit_stage *e, const ir_node *n, const char *sign,
                emit_argument *print, text *t)
{
    print(e, n->arg[0], t);
    text_add(t, " %s ", sign);
    print(e, n->arg[1], t);
}

static void add_choice(const emit_stage *e, const ir_node *n, text *t)
{
    if (n->op == IR_SELECT)
        add_boolean(e, n->arg[0], t);
    else
        emit_infix(e, n, n->op == IR_MIN ? "<" : ">", add_number, t);
    text_add(t, " ? ");
    add_number(e, n->arg[n->op == IR_SELECT ? 1 : 0], t);
    text_add(t, " : ");
    add_number(e, n->arg[n->op == IR_SELECT ? 2 : 1], t);
}

static const char *const call_name[IR_OP_COUNT] = {
#define LIBRARY(NAME, word, ...) [IR_##NAME] = #word,
    LIBRARY_FUNCTION_LIST(LIBRARY)
#undef LIBRARY
        [IR_FMA] = "fma",
    [IR_ABS] = "fabs",
    [IR_SQRT] = "sqrt",
    [IR_FLOOR] = "floor",
    [IR_POW] = "pow",
};

static const char *const infix_sign[IR_OP_COUNT] = {
    [IR_ADD] = "+", [IR_SUB] = "-", [IR_MUL] = "*", [IR_DIV] = "/",
    [IR_LT] = "<",  [IR_LE] = "<=", [IR_EQ] = "==",
};

const char *emit_sign(ir_op op)
{
    return infix_sign[op];
}

const char *emit_call_name(ir_op op)
{
    return call_name[op];
}

static void add_operation(const emit_stage *e, const ir_node *n, text *t)
{
    switch (n->op) {
    case IR_NEG:
        text_add(t, "-");
        add_number(e, n->arg[0], t);
        break;
    case IR_MIN:
    case IR_MAX:
    case IR_SELECT: add_choice(e, n, t); break;
    /* With bit operators, to avoid branches: vectors treat booleans like masks. */
    case IR_AND: emit_infix(e, n, "&", add_boolean, t); break;
    case IR_OR: emit_infix(e, n, "|", add_boolean, t); break;
    case IR_NOT:
        text_add(t, "!");
        add_boolean(e, n->arg[0], t);
        break;
    case IR_METRIC:
        text_add(t, "metric_%d(", n->field);
        add_number(e, n->arg[0], t);
        text_add(t, ")");
        break;
    case IR_ROUND: add_round(e, n, t); break;
    case IR_NE: emit_infix(e, n, "!=", add_number, t); break;
    default:
        if (call_name[n->op]) {
            text_add(t, "%s%s(", call_name[n->op], e->real == PAV_F32 ? "f" : "");
            for (int a = 0; a < ir_op_table[n->op].arguments; a++) {
                text_add(t, a ? ", " : "");
                add_number(e, n->arg[a], t);
            }
            text_add(t, ")");
        } else
            emit_infix(e, n, infix_sign[n->op], add_number, t);
    }
}

void emit_expression(const emit_stage *e, int node, text *t)
{
    const ir_node *n = &e->stage->node[node];

    switch (n->op) {
    case IR_CONST: emit_number(e->real, n->value, t); break;
    case IR_UNIFORM: emit_uniform_name(e, n->uniform, t); break;
    case IR_INDEX: add_index(e, n->axis, t); break;
    case IR_TABLE: add_table(e, n, t); break;
    case IR_LOAD: add_load(e, node, t); break;
    case IR_RANDOM: add_random(e, n, t); break;
    default: add_operation(e, n, t); break;
    }
}

/* ---- lines ------------------------------------------------------------------------- */

void emit_node_line(const emit_stage *e, int node, const char *indent)
{
    text_add(e->t, "%sconst %s ", indent,
             emit_is_boolean(e, node) ? "int" : emit_c_type(e->real));
    emit_node_name(e, node, e->t);
    text_add(e->t, " = ");
    emit_expression(e, node, e->t);
    text_add(e->t, ";\n");
}

void emit_node_lines(const emit_stage *e, const char *indent)
{
    for (int where = PLACE_ROW; where <= PLACE_POINT; where++)
        for (int k = 0; k < e->stage->count; k++)
            if (e->place[k] == (emit_place)where)
                emit_node_line(e, k, indent);
}

void emit_output_value(const emit_stage *e, const ir_output *o, text *t)
{
    text value = {0};

    add_number(e, o->node, &value);
    if (value.data && o->kind == IR_STORE)
        emit_converted(e->code->field[o->field].storage, e->real, value.data, t);
    else if (value.data)
        text_add(t, "%s", value.data);
    emit_close(&value, t);
}

/* ---- bodies of functions ----------------------------------------------------------- */

/* In the order of nodes. */
static void add_nodes(const emit_stage *e)
{
    for (int k = 0; k < e->stage->count; k++)
        if (e->place[k] == PLACE_ROW || e->place[k] == PLACE_POINT)
            emit_node_line(e, k, "    ");
}

static void add_access(const emit_stage *e, int node, text *t)
{
    const ir_node *n = &e->stage->node[node];

    text_add(t, "IN(%d, %d)", n->field, n->offset[0]);
}

pav_status emit_cell_lines(const ir *code, const ir_stage *stage, text *t)
{
    emit_stage e;

    TRY(emit_survey(code, stage, &e));
    e.t = t;
    e.element = add_access;
    for (int64_t u = 0; u < code->uniforms; u++)
        if (e.uniform[u]) {
            text_add(t, "    const %s ", emit_c_type(e.real));
            emit_uniform_name(&e, (int)u, t);
            text_add(t, " = (%s)UNIFORM(%lld);\n", emit_c_type(e.real), (long long)u);
        }
    add_nodes(&e);
    for (int64_t k = 0; k < stage->outputs; k++) {
        text_add(t, "    OUT(%d) = ", stage->output[k].field);
        emit_output_value(&e, &stage->output[k], t);
        text_add(t, ";\n");
    }

    emit_survey_close(&e);
    return PAV_OK;
}

/* Uniforms and tables are computed in f64 once a step or once a run. */
pav_status emit_number_lines(const ir *code, const ir_stage *stage, bool of_table,
                             text *t)
{
    emit_stage e;

    TRY(emit_survey(code, stage, &e));
    e.real = PAV_F64;
    e.t = t;
    for (int64_t u = 0; u < code->uniforms; u++)
        if (e.uniform[u]) {
            text_add(t, "    const double ");
            emit_uniform_name(&e, (int)u, t);
            text_add(t, " = p->uniform[%lld];\n", (long long)u);
        }
    add_nodes(&e);
    for (int64_t k = 0; k < stage->outputs; k++) {
        if (of_table)
            text_add(t, "    return ");
        else
            text_add(t, "    p->uniform[%d] = ", stage->output[k].uniform);
        emit_output_value(&e, &stage->output[k], t);
        text_add(t, ";\n");
    }

    emit_survey_close(&e);
    return PAV_OK;
}
