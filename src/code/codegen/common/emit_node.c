/* SPDX-License-Identifier: BSD-3-Clause */
/* The text of nodes: names and numbers of the generated code, the expression of each node
 * of a point in C, and the bodies of functions made of nothing else. CUDA C++ and the
 * parts of a kernel that are constant along a row use the same text. */
#include <ctype.h>
#include <math.h>
#include <stdlib.h>
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

/* A word for names: other characters become underscores. */
static const char *word_of(arena *a, const char *name)
{
    char *word = arena_copy(a, name, strlen(name));

    for (char *c = word; *c; c++)
        if (!isalnum((unsigned char)*c) || (unsigned char)*c >= 128)
            *c = '_';
    return word;
}

const char *emit_plain(arena *a, const char *words)
{
    static const char line[] = "\n * ";
    char *plain = arena_alloc(a, (int64_t)(sizeof line * strlen(words) + 1), 1);

    for (char *to = plain; *words; words++) {
        const unsigned char c = (unsigned char)*words;
        if (c == '\n') {
            memcpy(to, line, sizeof line - 1);
            to += sizeof line - 1;
            continue;
        }
        const bool closes = c == '*' && words[1] == '/';
        *to++ = c < 32 || c == 127 || closes || c == '?' || c == '\\' ? ' ' : *words;
    }
    return plain;
}

static pav_status add_head(arena *a, const char *head, text *t)
{
    text_add(t, "/* %s */\n", emit_plain(a, head));
    return PAV_OK;
}

void emit_head(const char *head, text *t)
{
    pav_status status;

    IN_ARENA(a, status, add_head(a, head, t));
    t->failed = t->failed || status != PAV_OK;
}

const char *emit_slot_name(const emit_stage *e, int slot)
{
    const emit_slot *s = &e->slot[slot];

    if (e->nameless)
        return arena_print(e->arena, "f%d", slot);
    const char *word = word_of(e->arena, e->code->field[s->field].name);
    return s->level < 0 ? arena_print(e->arena, "f%d_%s_old%d", s->field, word, -s->level)
                        : arena_print(e->arena, "f%d_%s%s", s->field, word,
                                      s->level > 0 ? "_new" : "");
}

const char *emit_slot_type(const emit_stage *e, int slot)
{
    return arena_print(e->arena, "%s%s", e->slot[slot].stored ? "" : "const ",
                       emit_c_type(emit_storage(e, slot)));
}

const char *emit_offset_name(arena *a, char axis, int offset)
{
    return offset ? arena_print(a, "_%c%c%d", axis, offset < 0 ? 'm' : 'p',
                                offset < 0 ? -offset : offset)
                  : "";
}

const char *emit_row_name(const emit_stage *e, const emit_row *row)
{
    static const char *const of[] = {
        [IR_SAME] = "", [IR_TO_FINE] = "_twice", [IR_TO_COARSE] = "_half"};

    return arena_print(e->arena, "%s%s%s%s", emit_slot_name(e, row->slot),
                       of[row->transfer], emit_offset_name(e->arena, 'y', row->y),
                       emit_offset_name(e->arena, 'z', row->z));
}

const char *emit_node_name(const emit_stage *e, int node)
{
    const bool of_row = e->place[node] == PLACE_ROW || e->lanes <= 1;

    return e->height > 1 || !of_row
               ? arena_print(e->arena, "n%d_%d", node,
                             of_row ? e->shift : e->shift * e->lanes + e->lane)
               : arena_print(e->arena, "n%d", node);
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
    return !e->nameless  ? slot
           : e->schedule ? rank_of(e->uniform, slot)
                         : e->uniform_place[slot];
}

int emit_table_number(const emit_stage *e, int table)
{
    return !e->nameless  ? table
           : e->schedule ? rank_of(e->table, table)
                         : e->table_place[table];
}

const char *emit_uniform_name(const emit_stage *e, int slot)
{
    const ir_uniform *u = &e->code->uniform[slot];
    const char *word = u->kind == UNIFORM_T      ? "t"
                       : u->kind == UNIFORM_STEP ? "step"
                       : u->name                 ? word_of(e->arena, u->name)
                                                 : NULL;

    return word && !e->nameless
               ? arena_print(e->arena, "s%d_%s", slot, word)
               : arena_print(e->arena, "s%d", emit_uniform_number(e, slot));
}

const char *emit_uniform_type(const emit_stage *e, int slot)
{
    return emit_is_seed(e, slot) ? "uint64_t" : emit_c_type(e->real);
}

const char *emit_level(arena *a, const ir *code, int field, int level)
{
    const char *name = emit_plain(a, code->field[field].name);

    return level < -1    ? arena_print(a, "prev(%s, %d)", name, -level)
           : level == -1 ? arena_print(a, "prev(%s)", name)
                         : arena_print(a, "%s%s", name, level > 0 ? "'" : "");
}

/* ---- numbers ----------------------------------------------------------------------- */

/* A number that reads back as the same value of the type, rounded once. The end of the
 * stage's text is scratch memory: it is freed even if the arena runs out. */
static const char *print_number(const emit_stage *e, num value)
{
    const bool single = e->real == PAV_F32;
    const double v = single ? (double)num_f32(value) : num_f64(value);
    text *const t = e->t;
    const int64_t begin = t->length;

    /* The macros of C headers; they are floats. Sources for GPUs define the same
     * (gpu_kernels/common.cuh). */
    if (!isfinite(v))
        return arena_print(e->arena, "(%s%s%s)", single ? "" : "(double)",
                           !isnan(v) && v < 0 ? "-" : "", isnan(v) ? "NAN" : "INFINITY");

    /* Prints an exact decimal, and the compiler rounds it once like num_f32; other
     * numbers are printed after rounding. */
    num_print(t, value);
    if (!t->failed && (!value.exact || strchr(t->data + begin, '/'))) {
        t->length = begin;
        text_add_double(t, v);
    }
    if (t->failed)
        return "0";
    const char *word = t->data + begin;
    const char *number = arena_print(e->arena, word[0] == '-' ? "(%s%s%s)" : "%s%s%s",
                                     word, strpbrk(word, ".eE") ? "" : ".0",
                                     single ? "f" : "");
    t->length = begin;
    t->data[begin] = '\0';
    return number;
}

/* ---- sums without zero terms ------------------------------------------------------- */

const char *emit_plus(arena *a, int64_t n)
{
    return n ? arena_print(a, " %c %lld", n < 0 ? '-' : '+', llabs((long long)n)) : "";
}

const char *emit_plus_times(arena *a, const char *name, int64_t n)
{
    return n ? arena_print(a, " %c %s", n < 0 ? '-' : '+',
                           emit_times(a, name, n < 0 ? -n : n))
             : "";
}

const char *emit_times(arena *a, const char *name, int64_t n)
{
    return n == 0 ? "0" : n == 1 ? name : arena_print(a, "%s * %lld", name, (long long)n);
}

const char *emit_steps(arena *a, int count, const char *stride)
{
    const char sign = count < 0 ? '-' : '+';
    const int size = abs(count);

    return size == 0   ? ""
           : size == 1 ? arena_print(a, " %c %s", sign, stride)
                       : arena_print(a, " %c %d * %s", sign, size, stride);
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

const char *emit_loaded_row(const emit_stage *e, int node)
{
    const ir_node *n = &e->stage->node[node];
    const int row = e->row_of[e->shift * e->stage->count + node];

    return row >= 0 ? emit_row_name(e, &e->row[row])
                    : emit_slot_name(e, emit_slot_of(e, n->field, n->level));
}

static const char *const index_of[MAX_DIM] = {"i", "j", "k"};

/* The loaded value in its storage type, then converted. */
static const char *load_of(const emit_stage *e, int node)
{
    static const char *const element_of[] = {[IR_SAME] = "%s[i%s]",
                                             [IR_TO_FINE] = "%s[2 * i%s]",
                                             [IR_TO_COARSE] = "%s[(i%s) >> 1]"};
    const ir_node *n = &e->stage->node[node];
    const char *element =
        e->element
            ? e->element(e, node)
            : arena_print(e->arena,
                          element_of[ir_transfer_along(n->transfer, n->kept, 0)],
                          emit_loaded_row(e, node), emit_plus(e->arena, n->offset[0]));

    return emit_converted(e->arena, e->real, e->code->field[n->field].storage, element);
}

static int shift_along(const emit_stage *e, int axis)
{
    return axis == 0 ? e->lane : axis == 1 ? e->shift : 0;
}

static const char *index_along(const emit_stage *e, int axis)
{
    const int further = shift_along(e, axis);
    const char *single = e->real == PAV_F32 ? "(float)" : "";

    return further ? arena_print(e->arena, "%s(double)(%s + %d)", single, index_of[axis],
                                 further)
                   : arena_print(e->arena, "%s(double)%s", single, index_of[axis]);
}

bool emit_sums_indices(const ir_stage *s, int node)
{
    const ir_node *n = &s->node[node];

    return n->op == IR_INDEX || (n->op == IR_ADD && emit_sums_indices(s, n->arg[0]) &&
                                 emit_sums_indices(s, n->arg[1]));
}

const char *emit_index_sum(const emit_stage *e, int node)
{
    const ir_node *n = &e->stage->node[node];

    return n->op == IR_INDEX
               ? arena_print(e->arena, "%s%s", index_of[n->axis],
                             emit_plus(e->arena, shift_along(e, n->axis)))
               : arena_print(e->arena, "%s + %s", emit_index_sum(e, n->arg[0]),
                             emit_index_sum(e, n->arg[1]));
}

static const char *table_value(const emit_stage *e, const ir_node *n)
{
    const int axis = e->code->table[n->table].axis;

    return arena_print(e->arena, "%stable%d[%s%s]", e->real == PAV_F32 ? "(float)" : "",
                       emit_table_number(e, n->table), index_of[axis],
                       emit_plus(e->arena, n->offset[0] + shift_along(e, axis)));
}

const char *emit_random(const emit_stage *e, const ir_node *n, const char *i)
{
    const char *at[] = {i, "j", "k"};

    for (int axis = 0; axis < MAX_DIM; axis++) {
        const int further = shift_along(e, axis);
        const char *own = further ? arena_print(e->arena, "(%s + %d)", at[axis], further)
                                  : at[axis];
        at[axis] = axis < e->code->dim
                       ? emit_index(e->arena, own, n->offset[axis],
                                    ir_transfer_along(n->transfer, n->kept, axis))
                       : "0";
    }
    return arena_print(e->arena, "%s%s(%s, %s, %s, %s%s)",
                       e->real == PAV_F32 ? "(float)" : "",
                       n->level ? "philox_at" : "random_at",
                       emit_uniform_name(e, n->uniform), at[0], at[1], at[2],
                       !n->level            ? ""
                       : n->type == PAV_F32 ? ", 24"
                                            : ", 53");
}

/* ---- conversions ------------------------------------------------------------------- */

/* Converts numbers by a cast, narrow storage by helpers of the prelude: f32_of_bf16,
 * bf16_of_f64 and so on. */
const char *emit_converted(arena *a, pav_type to, pav_type from, const char *value)
{
    const bool from_number = from == PAV_F32 || from == PAV_F64,
               to_number = to == PAV_F32 || to == PAV_F64;

    if (to == from)
        return value;
    if (to_number && (from_number || from == PAV_U8))
        return arena_print(a, "(%s)%s", emit_c_type(to), value);
    if (to_number)
        return arena_print(a, "%sf32_of_%s(%s)", to == PAV_F64 ? "(double)" : "",
                           pav_type_name(from), value);
    return to == PAV_BF16 || to == PAV_F16
               ? arena_print(a, "%s_of_%s(%s)", pav_type_name(to), pav_type_name(from),
                             value)
               : arena_print(a, "%s_of_f64(%s%s)", pav_type_name(to),
                             from == PAV_F32 ? "(double)" : "", value);
}

static const char *rounded(const emit_stage *e, const ir_node *n)
{
    const char *narrow = emit_converted(e->arena, n->type, e->real,
                                        emit_operand(e, n->arg[0]));

    return emit_converted(e->arena, e->real, n->type, narrow);
}

/* ---- operations -------------------------------------------------------------------- */

const char *emit_operand(const emit_stage *e, int node)
{
    return e->place[node] == PLACE_INLINE ? emit_expression(e, node)
           : e->value                     ? e->value(e, node)
                                          : emit_node_name(e, node);
}

static const char *number_operand(const emit_stage *e, int node)
{
    const char *operand = emit_operand(e, node);

    return emit_is_boolean(e, node)
               ? arena_print(e->arena, "(%s)%s", emit_c_type(e->real), operand)
               : operand;
}

static const char *boolean_operand(const emit_stage *e, int node)
{
    const char *operand = emit_operand(e, node);

    return emit_is_boolean(e, node) ? operand
                                    : arena_print(e->arena, "(%s != 0)", operand);
}

const char *emit_infix(const emit_stage *e, const ir_node *n, const char *sign,
                       emit_argument *of)
{
    return arena_print(e->arena, "%s %s %s", of(e, n->arg[0]), sign, of(e, n->arg[1]));
}

static const char *choice(const emit_stage *e, const ir_node *n)
{
    const bool select = n->op == IR_SELECT;
    const char *condition = select ? boolean_operand(e, n->arg[0])
                                   : emit_infix(e, n, n->op == IR_MIN ? "<" : ">",
                                                number_operand);

    return arena_print(e->arena, "%s ? %s : %s", condition,
                       number_operand(e, n->arg[select ? 1 : 0]),
                       number_operand(e, n->arg[select ? 2 : 1]));
}

static const char *const call_name[IR_OP_COUNT] = {
    [IR_FMA] = "fma", [IR_ABS] = "fabs", [IR_SQRT] = "sqrt"};

static const char *const infix_sign[IR_OP_COUNT] = {
    [IR_ADD] = "+", [IR_SUB] = "-", [IR_MUL] = "*", [IR_DIV] = "/",
    [IR_LT] = "<",  [IR_LE] = "<=", [IR_EQ] = "==", [IR_NE] = "!=",
};

const char *emit_sign(ir_op op)
{
    return infix_sign[op];
}

const char *emit_call_name(ir_op op)
{
    return ir_is_function(op) ? ir_op_table[op].text : call_name[op];
}

const char *emit_arguments(const emit_stage *e, const ir_node *n, emit_argument *of)
{
    const char *list = of(e, n->arg[0]);

    for (int a = 1; a < ir_op_table[n->op].arguments; a++)
        list = arena_print(e->arena, "%s, %s", list, of(e, n->arg[a]));
    return list;
}

static const char *operation(const emit_stage *e, const ir_node *n)
{
    switch (n->op) {
    case IR_NEG: return arena_print(e->arena, "-%s", number_operand(e, n->arg[0]));
    case IR_MIN:
    case IR_MAX:
    case IR_SELECT: return choice(e, n);
    /* With bit operators, to avoid branches: vectors treat booleans like masks. */
    case IR_AND: return emit_infix(e, n, "&", boolean_operand);
    case IR_OR: return emit_infix(e, n, "|", boolean_operand);
    case IR_NOT: return arena_print(e->arena, "!%s", boolean_operand(e, n->arg[0]));
    case IR_EVEN:
        return emit_sums_indices(e->stage, n->arg[0])
                   ? arena_print(e->arena, "(%s) %% 2 == 0", emit_index_sum(e, n->arg[0]))
                   : arena_print(e->arena, "(int64_t)%s %% 2 == 0",
                                 number_operand(e, n->arg[0]));
    case IR_METRIC:
        return arena_print(e->arena, "metric_%d(%s)", n->field,
                           number_operand(e, n->arg[0]));
    case IR_ROUND: return rounded(e, n);
    default: break;
    }
    if (ir_is_function(n->op))
        return arena_print(e->arena, "%s_%s(%s)", pav_type_name(e->real),
                           ir_op_table[n->op].text, emit_arguments(e, n, number_operand));
    return call_name[n->op] ? arena_print(e->arena, "%s%s(%s)", call_name[n->op],
                                          e->real == PAV_F32 ? "f" : "",
                                          emit_arguments(e, n, number_operand))
                            : emit_infix(e, n, infix_sign[n->op], number_operand);
}

const char *emit_expression(const emit_stage *e, int node)
{
    const ir_node *n = &e->stage->node[node];

    switch (n->op) {
    case IR_CONST: return print_number(e, n->value);
    case IR_UNIFORM: return emit_uniform_name(e, n->uniform);
    case IR_INDEX: return index_along(e, n->axis);
    case IR_TABLE: return table_value(e, n);
    case IR_LOAD: return load_of(e, node);
    /* By the index of the point, without tile or lane offsets: random numbers are for
     * initial values only. */
    case IR_RANDOM: return emit_random(e, n, "i");
    default: return operation(e, n);
    }
}

/* ---- lines ------------------------------------------------------------------------- */

void emit_node_line(const emit_stage *e, int node, const char *indent)
{
    text_add(e->t, "%sconst %s %s = %s;\n", indent,
             emit_is_boolean(e, node) ? "int" : emit_c_type(e->real),
             emit_node_name(e, node), emit_expression(e, node));
}

void emit_node_lines(const emit_stage *e, const char *indent)
{
    for (int where = PLACE_ROW; where <= PLACE_POINT; where++)
        for (int k = 0; k < e->stage->count; k++)
            if (e->place[k] == (emit_place)where)
                emit_node_line(e, k, indent);
}

const char *emit_output_value(const emit_stage *e, const ir_output *o)
{
    const char *value = number_operand(e, o->node);

    return o->kind == IR_STORE
               ? emit_converted(e->arena, e->code->field[o->field].storage, e->real,
                                value)
               : value;
}

/* ---- bodies of functions ----------------------------------------------------------- */

/* In the order of nodes. */
static void add_nodes(const emit_stage *e)
{
    for (int k = 0; k < e->stage->count; k++)
        if (e->place[k] == PLACE_ROW || e->place[k] == PLACE_POINT)
            emit_node_line(e, k, "    ");
}

static const char *cell_element(const emit_stage *e, int node)
{
    const ir_node *n = &e->stage->node[node];

    return arena_print(e->arena, "IN(%d, %d)", n->field, n->offset[0]);
}

static pav_status add_cell(arena *a, const ir *code, const ir_stage *stage, text *t)
{
    emit_stage e = emit_survey((emit_stage){
        .code = code, .stage = stage, .arena = a, .t = t, .element = cell_element});

    for (int u = 0; u < (int)code->uniforms; u++)
        if (e.uniform[u])
            text_add(t, "    const %s %s = (%s)UNIFORM(%d);\n", emit_c_type(e.real),
                     emit_uniform_name(&e, u), emit_c_type(e.real), u);
    add_nodes(&e);
    for (int64_t k = 0; k < stage->outputs; k++)
        text_add(t, "    OUT(%d) = %s;\n", stage->output[k].field,
                 emit_output_value(&e, &stage->output[k]));
    return PAV_OK;
}

pav_status emit_cell_lines(const ir *code, const ir_stage *stage, text *t)
{
    RETURN_IN_ARENA(a, add_cell(a, code, stage, t));
}

/* Uniforms and tables are computed in f64 once a step or once a run. */
pav_status emit_numbers(arena *a, const ir *code, const ir_stage *stage, bool of_table,
                        text *t)
{
    emit_stage e = emit_survey(
        (emit_stage){.code = code, .stage = stage, .arena = a, .t = t});

    e.real = PAV_F64;
    for (int u = 0; u < (int)code->uniforms; u++)
        if (e.uniform[u])
            text_add(t, "    const double %s = p->uniform[%d];\n",
                     emit_uniform_name(&e, u), u);
    add_nodes(&e);
    for (int64_t k = 0; k < stage->outputs; k++) {
        const char *value = emit_output_value(&e, &stage->output[k]);
        if (of_table)
            text_add(t, "    return %s;\n", value);
        else
            text_add(t, "    p->uniform[%d] = %s;\n", stage->output[k].uniform, value);
    }
    return PAV_OK;
}

pav_status emit_number_lines(const ir *code, const ir_stage *stage, bool of_table,
                             text *t)
{
    RETURN_IN_ARENA(a, emit_numbers(a, code, stage, of_table, t));
}
