/* SPDX-License-Identifier: BSD-3-Clause */
/* Rules between statements of the whole program: their order, the start of a run,
 * positions inside the grid, divisors. */
#include <math.h>
#include <string.h>

#include "lang/lang_private.h"

/* ---- the start of a run ------------------------------------------------------------ */

/* The start of a run. The value of a border may contain params, and a param may contain a
 * reduction over a field with reads beyond its faces. A border that depends on itself in
 * this way is a mistake.
 *
 * Names are declared before their use, so only borders and `prev(u) = ...` can close a
 * cycle. Known values are propagated until nothing changes. A border that is still
 * unknown then lies on a cycle or depends on one. */

/* True if the reader reads the field beyond its own values. */
static bool reads_border(const parser *p, const field_read *r)
{
    for (int axis = 0; axis < p->dim; axis++) {
        if (r->reach.lo[axis] != 0 || r->reach.hi[axis] != 0 ||
            r->reach.transfer != READ_SAME)
            return true;
        for (int side = 0; side < 2; side++) {
            const statement *rule = r->symbol->notes->rule[axis][side];
            if (rule && (border_rules[rule->border].has_face || parts_give_face(rule)))
                return true;
        }
    }
    return false;
}

/* The first unknown read, or NULL. own: the field of a border, with its values known; or
 * NULL. */
static const field_read *find_unknown(const parser *p, const reads *list,
                                      const symbol *own)
{
    for (int64_t i = 0; list && i < list->count; i++) {
        const field_read *r = &list->item[i];
        const struct symbol_notes *notes = r->symbol->notes;
        const int age = r->level < 0 ? -r->level : 0;
        if (r->symbol == own)
            continue;
        if (!notes->ready[age])
            return r;
        if (r->symbol->kind == SYMBOL_FIELD && !notes->closed[age] && reads_border(p, r))
            return r;
    }
    return NULL;
}

static bool faces_known(const parser *p, const symbol *field)
{
    for (int face = 0; face < 2 * p->dim; face++)
        if (find_unknown(p, field->notes->rule_reads[face / 2][face % 2], field))
            return false;
    return true;
}

/* Notes the state of a level; true if it changed. */
static bool note_level(const parser *p, const symbol *s, int age, bool ready)
{
    struct symbol_notes *notes = s->notes;
    const bool closed = ready && (s->kind != SYMBOL_FIELD || faces_known(p, s));
    const bool news = ready != notes->ready[age] || closed != notes->closed[age];

    notes->ready[age] = ready;
    notes->closed[age] = closed;
    return news;
}

/* Propagates known values; true if one became known. Older levels start from the newest
 * level, unless a statement gives their initial value. */
static bool spread(parser *p)
{
    bool news = false;

    for (int64_t i = 0; i < p->checks; i++) {
        const statement *s = p->check[i].statement;
        const bool starts = s->kind == STATEMENT_PARAM || s->kind == STATEMENT_SCALAR ||
                            s->kind == STATEMENT_FIELD ||
                            (s->kind == STATEMENT_OUTPUT && s->value);
        if (!starts && s->kind != STATEMENT_INITIAL)
            continue;
        const bool ready = !find_unknown(p, p->check[i].reads, NULL);
        news |= note_level(p, s->symbol, starts ? 0 : s->level, ready);
        for (int age = 1; s->kind == STATEMENT_FIELD && age <= MAX_LEVEL; age++)
            if (!s->symbol->initial_prev[age])
                news |= note_level(p, s->symbol, age, ready);
    }
    return news;
}

/* The unknown param of a field's border, or NULL. */
static const field_read *find_param(const parser *p, const symbol *field)
{
    for (int face = 0; face < 2 * p->dim; face++) {
        const reads *list = field->notes->rule_reads[face / 2][face % 2];
        for (int64_t i = 0; list && i < list->count; i++)
            if (list->item[i].symbol->kind == SYMBOL_PARAM &&
                !list->item[i].symbol->notes->ready[0])
                return &list->item[i];
    }
    return NULL;
}

/* Reports params that depend on themselves through the initial value of a level. */
static void check_params(parser *p)
{
    for (int64_t i = 0; i < p->checks; i++) {
        const checked *c = &p->check[i];
        const field_read *r = find_unknown(p, c->reads, NULL);
        if ((c->statement->kind != STATEMENT_PARAM &&
             c->statement->kind != STATEMENT_SCALAR) ||
            !r)
            continue;
        mistake_at(p, r->at,
                   "at the start the %s '%s' depends on itself, by way of what '%s' "
                   "starts from",
                   symbol_kind_name(c->statement->symbol->kind),
                   c->statement->symbol->name, r->symbol->name);
        return;
    }
}

/* A border reads a scalar after the equation of the scalar. Ghost points of older levels
 * may be filled again, so their values must not change from step to step. */
static void check_ghosts(parser *p, const symbol *field, const reads *list)
{
    const symbol *dt = p->program->dt;
    const bool scalar_dt = dt && dt->kind == SYMBOL_SCALAR;

    for (int64_t i = 0; list && i < list->count; i++) {
        const field_read *r = &list->item[i];
        const struct symbol_notes *of = r->symbol->notes;
        const char *name = r->symbol->name;
        if (r->symbol->kind != SYMBOL_SCALAR || !r->symbol->updated)
            continue;
        if (!field->updated)
            mistake_at(p, r->at,
                       "the scalar '%s' has an equation and cannot stand in the border "
                       "of '%s', which has no equation u' = ...; a field can: write "
                       "`field wall = ...` with the first value of '%s', before the "
                       "field '%s', `wall' = %s'`, and wall in place of %s here",
                       name, field->name, name, field->name, name, name);
        else if (!of->equation || of->equation_number > field->notes->equation_number)
            mistake_at(p, r->at,
                       "the border of '%s' is filled before '%s' has its next value; "
                       "write the equation of '%s' before the one of '%s'",
                       field->name, name, name, field->name);
        else if (field->oldest > 0)
            mistake_at(p, r->at,
                       "the scalar '%s' has an equation and cannot stand in the border "
                       "of '%s', whose older levels are read: its older values are not "
                       "kept",
                       name, field->name);
    }
    if (list && list->use[USE_TIME].name && scalar_dt && field->oldest > 0)
        mistake_at(p, list->use[USE_TIME].at,
                   "'%s' cannot stand in the border of '%s', whose older levels are "
                   "read: dt is a scalar, and the times of older levels are not kept",
                   list->use[USE_TIME].name, field->name);
}

static void starts_check(parser *p)
{
    const symbol_list *fields = &p->program->fields;

    for (int64_t i = 0; i < fields->count; i++)
        for (int face = 0; face < 2 * p->dim; face++)
            check_ghosts(p, fields->item[i],
                         fields->item[i]->notes->rule_reads[face / 2][face % 2]);
    while (spread(p))
        continue;
    for (int64_t i = 0; i < fields->count; i++) {
        const field_read *r = find_param(p, fields->item[i]);
        if (!r)
            continue;
        mistake_at(
            p, r->at,
            "the border of '%s' needs the param '%s', and '%s' is computed from values "
            "of this border; compute it from another field with the same start",
            fields->item[i]->name, r->symbol->name, r->symbol->name);
        return;
    }
    check_params(p);
}

/* ---- positions and slices ---------------------------------------------------------- */

/* Checks that positions of sources and receivers, and slices of outputs, lie inside the
 * grid. This is a separate pass, because the grid may be declared after them. */

/* Last allowed position along an axis. A periodic axis continues to the first point. */
static void check_coordinate(parser *p, const statement *s, const expr *e, int axis,
                             num *value)
{
    const axis_grid *a = &p->program->axis[axis];
    const bool periodic = border_wraps(
        statement_rule(field_border(p->program, s->symbol, axis, 0)));
    const int64_t cells = a->points - (periodic ? 0 : 1);
    const num end = a->at && (!periodic || a->known_around)
                        ? num_double(a->at[cells])
                        : num_add(a->origin,
                                  num_div(num_mul(num_int(cells), a->span), a->over));

    if (constant_need(p, e, "a coordinate", value) &&
        (num_compare(*value, a->origin) < 0 || num_compare(*value, end) > 0))
        mistake_at(p, e->at,
                   "%c = %.12g lies outside of the grid, which goes from %.12g to %.12g",
                   axis_letters[axis], value->v, a->origin.v, end.v);
}

static void check_points(parser *p, statement *s)
{
    points *list = &s->points;

    for (int axis = 0; axis < p->dim && list->method == POINTS_SINC; axis++)
        if (axis_stretched(p->program, axis)) {
            mistake_at(
                p, s->at,
                "'by sinc' is right for equal spacings, and those along %c differ; "
                "leave it out",
                axis_letter(p->program, axis));
            break;
        }
    list->value = arena_alloc(p->arena, list->count, sizeof *list->value);
    for (int i = 0; i < list->count; i++)
        for (int axis = 0; axis < p->dim; axis++)
            check_coordinate(p, s, list->list[i][axis], axis, &list->value[i][axis]);
}

static void check_crop(parser *p, statement *s, int axis)
{
    const int64_t last = field_extent(p->program, s->symbol, axis) - 1;
    int64_t *ends[2] = {&s->crop_from[axis], &s->crop_to[axis]};

    *ends[0] = 0;
    *ends[1] = last;
    if (!s->crop)
        return;
    for (int i = 0; i < 2; i++)
        if (!s->crop[i][axis] ||
            !constant_integer(p, s->crop[i][axis], "an index of the crop", 0, last,
                              ends[i]))
            return;
    if (s->crop_from[axis] > s->crop_to[axis])
        mistake_at(p, s->crop[1][axis]->at,
                   "a crop must go upwards, not from %lld to %lld",
                   (long long)s->crop_from[axis], (long long)s->crop_to[axis]);
    else if (axis == s->slice_axis &&
             (s->slice_index < s->crop_from[axis] || s->slice_index > s->crop_to[axis]))
        mistake_at(p, s->slice_at->at,
                   "the slice %c %lld lies outside of the crop, which goes from %lld to "
                   "%lld",
                   axis_letters[axis], (long long)s->slice_index,
                   (long long)s->crop_from[axis], (long long)s->crop_to[axis]);
}

static void check_range(parser *p, statement *s)
{
    for (int i = 0; i < 2 && s->range[0]; i++)
        constant_need(p, s->range[i], "the range of the colours", &s->range_value[i]);
    if (s->range[0] && s->range_value[0].v >= s->range_value[1].v)
        mistake_at(p, s->range[0]->at, "a range must go upwards, not from %.12g to %.12g",
                   s->range_value[0].v, s->range_value[1].v);
}

static void check_output(parser *p, statement *s)
{
    check_range(p, s);
    s->size_value = 1;
    if (s->size)
        constant_integer(p, s->size, "the size of a picture", 1, 4, &s->size_value);
    for (int64_t k = 0; s->contours_at && k < s->contours; k++) {
        num value = {0};
        constant_need(p, s->contour[k], "the value of a contour", &value);
        s->contour_value[k] = num_f64(value);
    }
    if (s->contours == 1 && !s->contours_at)
        constant_integer(p, s->contour[0], "the number of contours", 1, MAX_CONTOURS,
                         &s->contours);
    if (s->slice_axis >= 0 && p->dim < 3)
        mistake_at(p, s->slice_at->at,
                   "a slice is taken of a 3-D grid; this one is %d-D, leave "
                   "`slice` out",
                   p->dim);
    else if (s->slice_axis >= 0)
        constant_integer(p, s->slice_at, "the index of the slice", 0,
                         field_extent(p->program, s->symbol, s->slice_axis) - 1,
                         &s->slice_index);
    for (int axis = 0; axis < p->dim; axis++)
        check_crop(p, s, axis);
    for (int axis = 0; axis < p->dim && (axis == 0 || s->strides > 1); axis++) {
        const expr *e = s->stride[s->strides > 1 ? axis : 0];

        s->stride_of[axis] = 1;
        if (e && axis < (s->strides > 1 ? s->strides : p->dim))
            constant_integer(p, e, "the stride", 1, INT32_MAX, &s->stride_of[axis]);
    }
    for (int axis = 1; s->strides <= 1 && axis < p->dim; axis++)
        s->stride_of[axis] = s->stride_of[0];
}

static void values_check(parser *p)
{
    if (!p->grid_known)
        return;
    for (int64_t i = 0; i < p->checks; i++) {
        statement *s = p->check[i].statement;
        const bool samples = s->kind == STATEMENT_SAMPLE || s->kind == STATEMENT_GATHER;
        if (s->kind == STATEMENT_INJECT || samples)
            check_points(p, s);
        if (samples)
            check_range(p, s);
        else if (s->kind == STATEMENT_OUTPUT)
            check_output(p, s);
    }
}

/* ---- divisors of 0 ----------------------------------------------------------------- */

/* Reports known divisors of 0. Every expression is visited once, from its leaves, after
 * the grid and all settings are known. In `where`, `and` and `or`, only the decisive
 * operand is checked, so that a condition may guard a divisor. */

enum { MAX_APPLIED = 1000 }; /* largest use of a let that is evaluated */

static const constant nothing;

static constant look(parser *p, const expr *e);

/* True if the left side alone decides: 0 of `and`, not 0 of `or`. */
static bool decides(op_kind op, const constant *left)
{
    return left->known &&
           ((op == OP_AND && left->value.v == 0) || (op == OP_OR && left->value.v != 0));
}

static constant join(parser *p, const expr *e, constant left)
{
    if (decides(e->op, &left))
        return left;
    const constant right = look(p, e->arg[1]);
    if (e->op == OP_DIV && right.known && right.value.v == 0)
        mistake_at(p, e->arg[1]->at, "the divisor is 0");
    return decides(e->op, &right) ? right
           : !left.known || !right.known
               ? nothing
               : (constant){.known = true,
                            .value = constant_combine(e->op, left.value, right.value)};
}

static constant look_at_binary(parser *p, const expr *e)
{
    int64_t count;
    const expr **chain = constant_chain(p->arena, &e, &count);

    constant value = look(p, e);
    for (int64_t i = 0; i < count; i++)
        value = join(p, chain[i], value);
    return value;
}

static constant look_at_unary(parser *p, const expr *e)
{
    const constant a = look(p, e->arg[0]);

    return (constant){.known = a.known,
                      .value = e->op == OP_NEG ? num_neg(a.value)
                                               : num_int(a.value.v == 0)};
}

static constant look_at_call(parser *p, const expr *e)
{
    num a[3] = {{0}};
    bool all = !function_draws(e->function);

    for (int i = 0; i < e->count && i < 3; i++) {
        const constant k = look(p, e->arg[i]);
        if (e->function == FUNCTION_WHERE && i == 0 && k.known)
            return look(p, e->arg[k.value.v != 0 ? 1 : 2]);
        a[i] = k.value;
        all &= k.known;
        if (e->function == FUNCTION_MOD && i == 1 && k.known && k.value.v == 0)
            mistake_at(p, e->arg[i]->at, "the divisor is 0");
    }
    return all ? (constant){.known = true, .value = constant_call(e->function, a)}
               : nothing;
}

static constant look(parser *p, const expr *e)
{
    switch (e->kind) {
    case EXPR_NUMBER:
    case EXPR_BUILTIN:
    case EXPR_SYMBOL: return constant_find(p, e);
    case EXPR_SHIFT: return look(p, e->arg[0]);
    case EXPR_UNARY: return look_at_unary(p, e);
    case EXPR_BINARY: return look_at_binary(p, e);
    case EXPR_CALL: return look_at_call(p, e);
    default: break;
    }
    for (int i = 0; i < e->count; i++)
        look(p, e->arg[i]);
    return e->kind == EXPR_APPLY && e->size <= MAX_APPLIED ? constant_find(p, e)
                                                           : nothing;
}

/* Only the first field is visited: the fields of one border share its value. */
void divisors_check(parser *p)
{
    const expr *last = NULL;

    EACH_STATEMENT(s, p->program) {
        if (s->value && s->value != last)
            look(p, s->value);
        if (s->right)
            look(p, s->right);
        for (int i = 0; s->kind == STATEMENT_STENCIL && i < s->symbol->taps; i++)
            look(p, s->symbol->tap[i].weight);
        last = s->value;
    }
}

/* ---- the whole program ------------------------------------------------------------- */

static const place beginning = {1, 1, 1, 0};

bool statements_include(const program *tree, unsigned kinds)
{
    EACH_STATEMENT(s, tree)
        if (kinds >> s->kind & 1)
            return true;
    return false;
}

static void check_storage(parser *p)
{
    const program *tree = p->program;
    const bool narrow = tree->real == PAV_F32;

    if (narrow && p->real && tree->stored == PAV_F64)
        mistake_at(p, p->real->at, "stored f64 is wider than the arithmetic, f32");
    for (int64_t i = 0; i < tree->fields.count; i++) {
        symbol *s = tree->fields.item[i];
        if (narrow && s->storage_stated && s->storage == PAV_F64)
            mistake_at(p, s->at, "'%s' is stored wider, in f64, than the arithmetic, f32",
                       s->name);
        if (!s->storage_stated)
            s->storage = tree->stored;
    }
}

/* A mask of all fields applies to the finest grid and the first coarse grid only. Reports
 * coarser fields. */
static void check_mask_of_all(parser *p, const statement *s)
{
    for (int64_t i = 0; i < p->program->fields.count; i++) {
        const symbol *f = p->program->fields.item[i];
        if (f->coarse < 2 || !f->updated)
            continue;
        mistake_at(p, s->at,
                   "a mask of all fields does not reach 'coarse %d', where '%s' lives; "
                   "write one for each field, such as mask %s = ...",
                   f->coarse, f->name, f->name);
        return;
    }
}

static void check_mask(parser *p, const statement *s, const statement **of_all)
{
    const statement **mask = s->symbol ? &s->symbol->notes->mask : of_all;

    if (!s->symbol)
        check_mask_of_all(p, s);
    for (int64_t i = 0; i < p->program->fields.count && s->insulated; i++) {
        const symbol *f = p->program->fields.item[i];
        if (f->updated && f->coarse && (!s->symbol || s->symbol == f))
            mistake_at(p, s->at,
                       "an insulated mask holds on the grid alone, and '%s' is coarse",
                       f->name);
    }
    if (*mask)
        mistake_at(p, s->at, "%s has a mask in line %d already",
                   s->symbol ? s->symbol->name : "the program", (*mask)->at.line);
    else if (s->symbol && !s->symbol->updated && !s->symbol->notes->solver)
        mistake_at(p, s->at, "'%s' is never updated, so a mask does nothing",
                   s->symbol->name);
    *mask = s;
}

static bool any_varies(const program *p)
{
    bool any = false;

    for (int64_t n = 0; n < p->params.count; n++)
        any |= p->params.item[n]->varies;
    return any;
}

/* until t >= 2.5: a scalar dt is shortened to end there (plan/lower/lower.c). */
static void check_end(parser *p, const statement *s)
{
    const expr *t = s->value->count == 2 ? s->value->arg[0] : NULL;
    program *tree = p->program;

    if (!t || s->value->op != OP_GE || t->kind != EXPR_BUILTIN || t->builtin != BUILTIN_T)
        return;
    const constant c = constant_find(p, s->value->arg[1]);
    if (!c.known && tree->dt && tree->dt->kind == SYMBOL_SCALAR && any_varies(tree))
        mistake_at(p, s->at, "a scalar dt ends at a number, and %s: give it by =, not :=",
                   c.why ? c.why : "this one is none");
    if (!c.known || !isfinite(c.value.v) ||
        (tree->ends && num_compare(tree->end, c.value) <= 0))
        return;
    tree->ends = true;
    tree->end = c.value;
    if (tree->dt && tree->dt->kind == SYMBOL_SCALAR)
        tree->dt->updated = true;
}

/* `every T time`: a whole number of steps, if dt divides T. Otherwise a scalar dt is
 * shortened, and with a param dt the first step at or past each multiple counts. */
static void check_interval(parser *p, statement *s)
{
    const symbol *dt = p->program->dt;
    const bool scalar = dt && dt->kind == SYMBOL_SCALAR;
    const num steps = dt && dt->constant ? num_div(s->interval, dt->number) : num_int(0);
    const double whole = rint(steps.v);

    if (!dt) {
        mistake_at(p, s->every->at,
                   "'every ... time' counts in t, and nothing is called dt here; declare "
                   "the length of a step, param dt = ..., or count steps, every 10");
        return;
    }
    s->every_steps = 1;
    p->program->stops = p->program->stops || scalar;
    if (scalar && !dt->updated) {
        mistake_at(p, s->every->at,
                   "'every ... time' shortens a scalar dt, and without an equation it "
                   "would stay short; write param dt = ..., or dt' = ... for its next "
                   "value");
    } else if (!scalar && whole >= 1 && whole < 1e15 &&
               fabs(steps.v - whole) <= 1e-15 * whole) {
        s->every_steps = (int64_t)whole;
        s->interval = num_int(0);
    } else if (!scalar && s->file && strcmp(path_ending(s->file), ".sgy") == 0) {
        mistake_at(p, s->every->at,
                   "a .sgy file has equal intervals, and %.12g is no whole number of "
                   "steps; choose dt so, such as %.12g/ceil(...), or take a .npy file",
                   s->interval.v, s->interval.v);
    }
}

static void check_statements(parser *p)
{
    const statement *mask = NULL;

    for (int64_t i = 0; i < p->checks; i++) {
        statement *s = p->check[i].statement;
        if (s->timed && s->interval.v > 0)
            check_interval(p, s);
        if (s->kind == STATEMENT_MASK)
            check_mask(p, s, &mask);
        else if (s->kind == STATEMENT_UNTIL)
            check_end(p, s);
        else if (s->kind == STATEMENT_INJECT && !s->symbol->updated)
            mistake_at(p, s->at,
                       "'%s' is never updated, so nothing can be injected into it",
                       s->symbol->name);
        for (; s && s->kind == STATEMENT_SOLVE; s = s->more)
            if (!s->level && s->symbol->updated)
                mistake_at(
                    p, s->at,
                    "'%s' has an update in line %d; it is either updated or solved for",
                    s->symbol->name, s->symbol->notes->equation->at.line);
    }
}

static void check_spacing(parser *p)
{
    num step;

    const place at = p->builtin_at[BUILTIN_H];

    if (p->grid_known && at.line > 0 && !spacing_shared(p->program, &step))
        mistake_at(p, at, "%s", spacing_differs(p));
}

/* Counts the bytes of a field in doubles, with the points beyond its faces; false if 64
 * bits overflow. */
static bool count_bytes(const parser *p, const symbol *field, int64_t *bytes)
{
    int64_t size = (int64_t)sizeof(double) * (field->oldest + 1 + field->updated);

    for (int axis = 0; axis < p->dim; axis++) {
        const int64_t *beyond = field->beyond[axis];
        const int64_t extent = field_extent(p->program, field, axis);
        if (extent > INT64_MAX / 2 ||
            !mul_fits(size, extent + beyond[0] + beyond[1], &size))
            return false;
    }
    *bytes = size;
    return true;
}

/* Bytes of a field in its stored type, without the points beyond its faces. */
static double stored_bytes(const parser *p, const symbol *field)
{
    double bytes = (double)pav_type_size(field->storage) *
                   (field->oldest + 1 + field->updated);

    for (int axis = 0; axis < p->dim; axis++)
        bytes *= (double)field_extent(p->program, field, axis);
    return bytes;
}

static void check_size(parser *p)
{
    const symbol_list *fields = &p->program->fields;
    int64_t all = 0, one = 0;
    double stored = 0;
    bool good = true;

    for (int64_t i = 0; i < fields->count; i++) {
        good = good && count_bytes(p, fields->item[i], &one) && add_fits(all, one, &all);
        stored += stored_bytes(p, fields->item[i]);
    }
    if (!good)
        grid_report_large(p, p->grid->at, stored);
}

/* Makes equations of other statements, and numbers all in their order. */
static void make_equations(parser *p)
{
    advance_check(p);
    if (p->grid_known)
        matched_check(p);
    if (p->has_lines && p->mistakes.count == 0)
        lines_check(p);
    p->equations = 0;
    for (statement *s = p->program->first; s; s = s->next)
        if (is_equation(s))
            s->symbol->notes->equation_number = ++p->equations;
}

static void check_contents(parser *p)
{
    const unsigned work = 1u << STATEMENT_UPDATE | 1u << STATEMENT_SOLVE |
                          1u << STATEMENT_EVOLVE | 1u << STATEMENT_OUTPUT |
                          1u << STATEMENT_EXPECT | 1u << STATEMENT_MEASURE |
                          1u << STATEMENT_GATHER | 1u << STATEMENT_SAMPLE;

    if (p->dim == 0)
        mistake_at(p, beginning,
                   "the description has no grid, such as: grid x 100, y 100");
    else if (!statements_include(p->program, work))
        mistake_at(p, beginning,
                   "the description asks for nothing: it has no update, solve, output, "
                   "sample, measure or expect");
}

static void check_stretched(parser *p)
{
    if (p->grid_known)
        stretch_check(p);
}

static void check_grid(parser *p)
{
    if (p->grid && p->grid_known) {
        rules_check(p);
        values_check(p);
    }
}

/* In this order; most rules need a program that is good so far. */
static const struct rule {
    program_rule *check;
    bool always;
} rules[] = {
    {make_equations, false},  {check_contents, false}, {check_storage, true},
    {check_statements, true}, {check_spacing, false},  {levels_check, false},
    {check_stretched, false}, {check_grid, true},      {gathers_check, false},
    {files_check, false},     {radius_check, false},   {divisors_check, false},
    {starts_check, false},    {lookups_check, false},  {check_size, false},
};

void program_check(parser *p)
{
    program *tree = p->program;

    tree->dim = p->dim;
    tree->dt = symbol_find(p, "dt", 2);
    if (tree->dt && tree->dt->kind != SYMBOL_PARAM && tree->dt->kind != SYMBOL_SCALAR)
        tree->dt = NULL;
    for (size_t i = 0; i < COUNT_OF(rules); i++)
        if (rules[i].always || p->mistakes.count == 0)
            rules[i].check(p);
}
