/* SPDX-License-Identifier: BSD-3-Clause */
/* Prints the ir as text for users: one line a node, constants and uniforms in place,
 * stages in the order of a run. */
#include <string.h>

#include "plan/plan_private.h"

/* ---- nodes ------------------------------------------------------------------------- */

static void print_uniform(const ir *code, int slot, text *t)
{
    const ir_uniform *u = slot >= 0 && slot < code->uniforms ? &code->uniform[slot]
                                                             : NULL;

    if (u && u->kind == UNIFORM_T)
        text_add(t, "t");
    else if (u && u->kind == UNIFORM_STEP)
        text_add(t, "step");
    else if (u && u->name)
        text_add(t, "%s", u->name);
    else
        text_add(t, "s%d", slot);
}

static void print_const(num value, text *t)
{
    OWNED_BY(text_free) text digits = {0};

    num_print(&digits, value);
    const char *word = digits.data ? digits.data : "?";
    text_add(t, word[0] == '-' || strchr(word, '/') ? "(%s)" : "%s", word);
    t->failed = t->failed || digits.failed;
}

static void print_value(const ir *code, const ir_stage *s, int n, text *t)
{
    if (s->node[n].op == IR_CONST)
        print_const(s->node[n].value, t);
    else if (s->node[n].op == IR_UNIFORM)
        print_uniform(code, s->node[n].uniform, t);
    else
        text_add(t, "n%d", n);
}

void print_field(const ir *code, int field, int level, text *t)
{
    const char *name = code->field[field].name;

    if (level > 0)
        text_add(t, "%s'", name);
    else if (level == 0)
        text_add(t, "%s", name);
    else if (level == -1)
        text_add(t, "prev(%s)", name);
    else
        text_add(t, "prev(%s, %d)", name, -level);
}

static void print_leaf(const ir *code, const ir_node *n, text *t)
{
    if (n->op == IR_LOAD) {
        static const char *const about[] = {[IR_SAME] = "",
                                            [IR_TO_FINE] = " about twice the point",
                                            [IR_TO_COARSE] = " about half the point"};
        text_add(t, "load ");
        print_field(code, n->field, n->level, t);
        for (int k = 0; k < code->dim; k++)
            text_add(t, "%s%d", k == 0 ? "[" : ",", n->offset[k]);
        text_add(t, "]%s%s", about[n->transfer], n->kept ? " but along" : "");
        for (int k = 0; k < code->dim; k++)
            if (n->kept >> k & 1)
                text_add(t, " %c", axis_letters[k]);
    } else if (n->op == IR_TABLE) {
        text_add(t, "table %d[%c%+d]", n->table, axis_letters[n->axis], n->offset[0]);
    } else if (n->op == IR_INDEX) {
        text_add(t, "index %c", axis_letters[n->axis]);
    } else {
        text_add(t, "random ");
        print_uniform(code, n->uniform, t);
    }
}

static bool is_named(const ir_stage *s, int n)
{
    return s->node[n].op == IR_CONST || s->node[n].op == IR_UNIFORM;
}

static void print_operation(const ir *code, const ir_stage *s, const ir_node *n, text *t)
{
    const ir_op_info *info = &ir_op_table[n->op];
    /* products are more readable with the coefficient first */
    const int turned = (n->op == IR_MUL || n->op == IR_FMA) && is_named(s, n->arg[1]) &&
                       !is_named(s, n->arg[0]);

    if ((n->op >= IR_ADD && n->op <= IR_DIV) || (n->op >= IR_LT && n->op <= IR_OR)) {
        print_value(code, s, n->arg[turned], t);
        text_add(t, " %s ", info->text);
        print_value(code, s, n->arg[1 - turned], t);
        return;
    }
    text_add(t, "%s", info->text);
    if (n->op == IR_ROUND)
        text_add(t, " %s", pav_type_name(n->type));
    for (int k = 0; k < info->arguments; k++) {
        text_add(t, n->op == IR_NEG ? "" : " ");
        print_value(code, s, n->arg[k < 2 && turned ? 1 - k : k], t);
    }
}

static void print_output(const ir *code, const ir_stage *s, const ir_output *o, text *t)
{
    text_add(t, "  ");
    if (o->kind == IR_STORE) {
        text_add(t, "store ");
        print_field(code, o->field, o->level, t);
        text_add(t, " = ");
    } else if (o->uniform >= 0) {
        print_uniform(code, o->uniform, t);
        text_add(t, o->kind == IR_REDUCE ? " = %s over all points of " : " = ",
                 reduction_names[o->reduction]);
    } else {
        text_add(t, "value = ");
    }
    print_value(code, s, o->node, t);
    text_add(t, "\n");
}

void ir_stage_print(const ir *code, const ir_stage *stage, text *t)
{
    for (int64_t k = 0; k < stage->count; k++) {
        const ir_node *n = &stage->node[k];
        if (n->op == IR_CONST || n->op == IR_UNIFORM)
            continue;
        text_add(t, "  n%lld = ", (long long)k);
        if (ir_op_table[n->op].arguments)
            print_operation(code, stage, n, t);
        else
            print_leaf(code, n, t);
        text_add(t, "\n");
    }
    for (int64_t k = 0; k < stage->outputs; k++)
        print_output(code, stage, &stage->output[k], t);
}

/* ---- around stages ----------------------------------------------------------------- */

static void print_field_line(const ir *code, const ir_field *f, text *t)
{
    text_add(t, "field %s: %s, %d level%s", f->name, pav_type_name(f->storage), f->levels,
             f->levels == 1 ? "" : "s");
    text_add_values(t,
                    f->coarse > 1 ? ", coarse %i, halo"
                    : f->coarse   ? ", coarse, halo"
                                  : ", halo",
                    f->coarse);
    for (int axis = 0; axis < code->dim; axis++)
        text_add(t, " %c %d %d%s", axis_letters[axis], f->halo[axis][0], f->halo[axis][1],
                 axis + 1 < code->dim ? "," : "\n");
}

static void print_stage(const ir *code, int number, const char *when, text *t)
{
    const ir_stage *s = &code->stage[number];

    if (s->before >= 0 && s->before < code->stages) {
        text_add(t, "\n# %s, once before \"%s\": stage %d; f64\n", when, s->name,
                 s->before);
        ir_stage_print(code, &code->stage[s->before], t);
    }
    text_add(t, "\n# %s, %s: stage %d \"%s\"; %s\n", when,
             ir_is_uniform(s) ? "once"
             : s->coarse      ? "each coarse point"
                              : "each point",
             number, s->name, pav_type_name(s->real));
    ir_stage_print(code, s, t);
}

static void print_list(const ir *code, const ir_list *list, const char *when, text *t)
{
    for (int64_t k = 0; k < list->count; k++)
        print_stage(code, list->stage[k], when, t);
}

static void print_events(const ir *code, const ir_event_list *events, const char *when,
                         text *t)
{
    for (int64_t k = 0; k < events->count; k++) {
        const ir_event *e = &events->item[k];
        print_list(code, &e->list, when, t);
        text_add(t, "# %s: %s", when, e->text ? e->text : "");
        if (e->result >= 0) {
            text_add(t, " is ");
            print_uniform(code, e->result, t);
        }
        text_add(t, "\n");
    }
}

static bool same_border(const ir_border *a, const ir_border *b)
{
    return a->kind == b->kind && a->stage == b->stage;
}

/* Prints all faces with the same rule as face `first`; nothing if an earlier face has
 * it. */
static void print_border(const ir *code, const ir_field *f, int first, text *t)
{
    const ir_border *b = &f->border[first / 2][first % 2];
    bool more = false;

    for (int face = 0; face < first; face++)
        if (same_border(&f->border[face / 2][face % 2], b))
            return;
    text_add(t, "\n# border of %s at ", f->name);
    for (int face = first; face < 2 * code->dim; face++)
        if (same_border(&f->border[face / 2][face % 2], b)) {
            text_add(t, "%s%s", more ? ", " : "", face_names[face % (2 * MAX_DIM)]);
            more = true;
        }
    text_add(t, ": %s\n", border_rules[b->kind].word);
    for (int n = 0; n < ir_border_stages(b); n++)
        print_stage(code, b->stage + n, "filling a border", t);
}

static void print_start(const ir *code, const ir_start *start, text *t)
{
    static const char *const about[] = {
        [START_FILE] = "from its file",
        [START_COPY] = "as level 0",
        [START_ZERO] = "0",
        [START_BORDERS] = "its borders",
    };

    if (start->kind == START_STAGE) {
        print_stage(code, start->stage, "start", t);
        return;
    }
    text_add(t, "\n# start, ");
    print_field(code, start->field, start->level, t);
    text_add(t, ": %s\n", about[start->kind]);
}

void ir_print(const ir *code, text *t)
{
    for (int64_t k = 0; k < code->fields; k++)
        print_field_line(code, &code->field[k], t);
    for (int k = 0; k < (int)code->tables; k++) {
        const ir_table *table = &code->table[k];
        text_add(t,
                 "\n# table %d, once, for each index along %c%s%s and %d before, %d "
                 "beyond; %s\n",
                 k, axis_letters[table->axis], table->coarse ? " of the coarse grid" : "",
                 table->stage.along ? " in order" : "", table->margin[0],
                 table->margin[1], pav_type_name(table->stage.real));
        ir_stage_print(code, &table->stage, t);
    }
    for (int64_t k = 0; k < code->start.count; k++)
        print_start(code, &code->start.item[k], t);
    print_list(code, &code->first, "before the first step", t);
    print_list(code, &code->step, "every step", t);
    print_events(code, &code->injections, "every step, injection", t);
    for (int64_t k = 0; k < code->fields; k++)
        for (int face = 0; face < 2 * code->dim; face++)
            if (border_is(code->field[k].border[face / 2][face % 2].kind))
                print_border(code, &code->field[k], face, t);
    print_events(code, &code->measures, "measure", t);
    print_events(code, &code->untils, "until", t);
    print_events(code, &code->expects, "at the end, expect", t);
    print_events(code, &code->solves, "to solve", t);
}
