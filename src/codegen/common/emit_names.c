/* SPDX-License-Identifier: BSD-3-Clause */
/* Names and numbers of the generated text. Names of fields begin with f and their number,
 * so they never equal a keyword or each other. Values are named n12, uniforms s3 or
 * p3_dt. */
#include <ctype.h>
#include <math.h>
#include <string.h>

#include "codegen/codegen_private.h"

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

void emit_offset(int offset, text *t)
{
    if (offset)
        text_add(t, " %c %d", offset < 0 ? '-' : '+', offset < 0 ? -offset : offset);
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

/* The macros of C headers; they are floats. Sources for GPUs define the same
 * (kernel_gpu.cuh). */
static void add_special(pav_type real, double value, text *t)
{
    text_add(t, "(%s%s%s)", real == PAV_F32 ? "" : "(double)",
             !isnan(value) && value < 0 ? "-" : "", isnan(value) ? "NAN" : "INFINITY");
}

/* Prints an exact decimal, and the compiler rounds it once like num_f32; other numbers
 * are printed after rounding. */
static void add_digits(pav_type real, num value, text *digits)
{
    num_print(digits, value);
    if (!value.exact || (digits->data && strchr(digits->data, '/'))) {
        text_free(digits);
        text_add_double(digits,
                        real == PAV_F32 ? (double)num_f32(value) : num_f64(value));
    }
}

void emit_number(pav_type real, num value, text *t)
{
    const double v = real == PAV_F32 ? (double)num_f32(value) : num_f64(value);
    text digits = {0};

    if (!isfinite(v)) {
        add_special(real, v, t);
        return;
    }
    add_digits(real, value, &digits);
    const char *word = digits.data ? digits.data : "0";
    const bool whole = !strpbrk(word, ".eE");
    text_add(t, word[0] == '-' ? "(%s%s%s)" : "%s%s%s", word, whole ? ".0" : "",
             real == PAV_F32 ? "f" : "");
    t->failed = t->failed || digits.failed;
    text_free(&digits);
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
