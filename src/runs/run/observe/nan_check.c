/* SPDX-License-Identifier: BSD-3-Clause */
/* The NaN check. At step 0 it reads all filled values once, in the order of filling, so
 * that it reports a cause and not an effect. Later it reads the fields that steps
 * update. */
#include <math.h>
#include <string.h>

#include "run/run_private.h"

/* The first value that is not finite, and its position. */
typedef struct finding {
    int field, level;
    const view *view;
    int64_t point[MAX_DIM];
    int axis, side; /* the border that gave the value; axis -1: none */
    double value;
    bool any; /* a value was found */
} finding;

/* ---- searching --------------------------------------------------------------------- */

/* Stops after the first finding. */
static pav_status search_piece(subdomain *part, const box *piece, void *user)
{
    finding *found = user;
    if (found->any)
        return PAV_OK;
    executor *e = part->executor;
    return e->ops.find_not_finite(e, found->field, found->view, piece, found->point,
                                  &found->any);
}

/* *any: some value in the box is not finite. */
static pav_status search(pav_run *run, const box *range, finding *found, bool *any)
{
    found->any = false;
    TRY(subdomain_ask(run->part, found->field, found->view, HOST_READ, range));
    TRY(subdomain_in_pieces(run->part, range, found->axis < 0, search_piece, found));
    *any = found->any;
    if (!*any)
        return PAV_OK;
    const int64_t *p = found->point;
    const box here = {{p[0], p[1], p[2]}, {p[0] + 1, p[1] + 1, p[2] + 1}};
    const view *v;
    TRY(run_host_box(run, found->field, found->level, &here, &v));
    view_read_box(v, &here, PAV_F64, &found->value);
    if (isnan(found->value))
        found->value = NAN; /* drops the sign */
    return PAV_OK;
}

static bool loads(const ir_stage *s)
{
    for (int64_t k = 0; k < s->count; k++)
        if (s->node[k].op == IR_LOAD)
            return true;
    return false;
}

/* The points given by a border's stage, without the halo along other axes. */
static box given_points(const view *v, const ir_border *b, int axis, int side)
{
    box range = {{0, 0, 0}, {v->extent[0], v->extent[1], v->extent[2]}};
    const int64_t inner = ir_border_stores_face(b);
    range.lo[axis] = side ? v->extent[axis] - inner : -v->halo[axis][0];
    range.hi[axis] = side ? v->extent[axis] + v->halo[axis][1] : inner;
    return range;
}

/* Searches border values. Values computed from fields may be an effect of an earlier
 * error, so they are searched separately. At corners the highest axis gave the value. */
static pav_status search_borders(pav_run *run, bool of_fields, finding *found, bool *any)
{
    const ir_field *f = &run->code->field[found->field];
    for (found->axis = run->code->dim - 1; found->axis >= 0; found->axis--)
        for (found->side = 0; found->side < 2; found->side++) {
            const ir_border *b = &f->border[found->axis][found->side];
            if (b->stage < 0 || loads(&run->code->stage[b->stage]) != of_fields)
                continue;
            const box range = given_points(found->view, b, found->axis, found->side);
            TRY(search(run, &range, found, any));
            if (*any)
                return PAV_OK;
        }
    return PAV_OK;
}

/* Searches all points except those given by a border's stage. */
static pav_status search_points(pav_run *run, finding *found, bool *any)
{
    const ir_field *f = &run->code->field[found->field];
    const view *v = found->view;
    box range = {{0, 0, 0}, {v->extent[0], v->extent[1], v->extent[2]}};
    for (int axis = 0; axis < run->code->dim; axis++) {
        const ir_border *b = f->border[axis];
        range.lo[axis] += border_stores_face(b[0].kind) && b[0].stage >= 0;
        range.hi[axis] -= border_stores_face(b[1].kind) && b[1].stage >= 0;
    }
    found->axis = -1;
    return search(run, &range, found, any);
}

static finding finding_at(const pav_run *run, int field, int level)
{
    return (finding){field, level, run->part->view[field][1 - level], {0}, -1, 0,
                     0,     false};
}

/* ---- the message ------------------------------------------------------------------- */

/* Appends " (3, 4)": the point, but for its index along an axis. -1: with all. For a
 * ghost it is the point at the face. */
static void add_point(const pav_run *run, const finding *found, int without, text *t)
{
    const char *before = " (";
    for (int axis = 0; axis < run->code->dim; axis++) {
        if (axis == without)
            continue;
        text_add(t, "%s%lld", before,
                 (long long)int64_most(
                     0, int64_least(found->point[axis],
                                    run->code->field[found->field].extent[axis] - 1)));
        before = ", ";
    }
    text_add(t, "%s", *before == ',' ? ")" : "");
}

/* Appends "bad.pav:3: prev(u, 2) is not finite at point (0, 7)". */
static void add_where(const pav_run *run, const finding *found, text *t)
{
    const ir_field *f = &run->code->field[found->field];
    text_add(t,
             solver_owns(run, f->name) ? "a value of the method is not finite at point"
             : found->level            ? "prev(%s, %d) is not finite at point"
                                       : "field %s is not finite at point",
             f->name, -found->level);
    add_point(run, found, -1, t);
}

/* Appends a short expression in source form, and only the name of a long one. */
static void add_expression(const expr *e, const char *name, text *t)
{
    enum { LONGEST = 120 };
    OWNED_BY(text_free) text written = {0};
    expr_print(e, &written);
    if (!written.failed && written.length <= LONGEST)
        text_add(t, "%s", written.data);
    else
        text_add(t, "that of %s", name);
}

static void add_border(const pav_run *run, const finding *found, text *t)
{
    const ir_field *f = &run->code->field[found->field];
    const statement *s = field_border(run->program, f->symbol, found->axis, found->side);
    text_add(t, "the border at %c%c", "xyz"[found->axis], "-+"[found->side]);
    if (s && s->value) {
        text_add(t, " (%s:%d), ", run->program->name, s->at.line);
        add_expression(s->value, f->name, t);
        text_add(t, ",");
    }
    text_add(t, " is %g there", found->value);
}

static bool varies(const expr *e)
{
    bool any = (e->kind == EXPR_SYMBOL && e->symbol->kind == SYMBOL_FIELD) ||
               (e->kind == EXPR_BUILTIN && e->builtin <= BUILTIN_Z);
    for (int i = 0; i < e->count; i++)
        any |= varies(e->arg[i]);
    return any;
}

/* An innermost quotient whose divisor differs from point to point, or NULL. */
static const expr *find_quotient(const expr *e)
{
    const expr *found = NULL;
    for (int i = 0; i < e->count && !found; i++)
        found = find_quotient(e->arg[i]);
    return found || e->kind != EXPR_BINARY || e->op != OP_DIV || !varies(e->arg[1])
               ? found
               : e;
}

/* A field of a solver's own holds weights of the equation. */
static pav_status report_weight(const pav_run *run, const finding *found)
{
    OWNED_BY(text_free) text where = {0}, which = {0};
    const symbol *own = run->code->field[found->field].symbol;
    const expr *quotient = own->value ? find_quotient(own->value) : NULL;
    add_where(run, found, &where);
    if (own->coarse)
        text_add(&where, " of coarse grid %d", own->coarse);
    if (quotient)
        add_expression(quotient, "its coefficients", &which);
    return where.failed || which.failed
               ? PAV_ENOTFINITE
               : FAIL(PAV_ENOTFINITE,
                      "%s:%d: a weight of the equation is %g%s: a coefficient is not "
                      "finite there, or at a point beside it, for example because a "
                      "divisor is 0%s%s",
                      run->program->name, run->solver.solution.line, found->value,
                      strstr(where.data, " at point"), quotient ? ", as in " : "",
                      quotient ? which.data : "");
}

static pav_status report_start(const pav_run *run, const finding *found,
                               const ir_start *s)
{
    OWNED_BY(text_free) text t = {0};
    if (solver_owns(run, run->code->field[found->field].name))
        return report_weight(run, found);
    add_where(run, found, &t);
    text_add(&t, " at the start: ");
    if (run->setup.written[found->field])
        text_add(&t, "pav_field_write gave it %g", found->value);
    else if (found->axis >= 0)
        add_border(run, found, &t);
    else {
        const ir_field *f = &run->code->field[found->field];
        const expr *older = s->level < 0 && -s->level <= MAX_LEVEL
                                ? f->symbol->initial_prev[-s->level]
                                : NULL;
        const expr *value = older ? older : f->symbol->value;
        if (s->kind == START_FILE) {
            text_add(&t, "\"%s\" (%s:%d) gives %g there", f->file, run->program->name,
                     f->symbol->at.line, found->value);
        } else {
            text_add(&t, "its initial value (%s:%d), ", run->program->name,
                     value ? value->at.line : f->symbol->at.line);
            add_expression(value, f->name, &t);
            text_add(&t, ", is %g there", found->value);
        }
        /* Appends the probable cause of an infinite value in narrow storage. */
        static const struct {
            pav_type type;
            const char *advice;
        } narrow[] = {
            {PAV_F16, "; f16 holds at most 65504: store the field as bf16 or f32"},
            {PAV_BF16, "; bf16 holds at most 3.38e38: store the field as f64"},
            {PAV_F32, "; f32 holds at most 3.40e38: store the field as f64"},
        };
        for (size_t k = 0; isinf(found->value) && k < COUNT_OF(narrow); k++)
            if (narrow[k].type == found->view->type)
                text_add(&t, "%s", narrow[k].advice);
    }
    return t.failed ? PAV_ENOTFINITE : FAIL(PAV_ENOTFINITE, "%s", t.data);
}

/* Reports a zero pivot of the lines along an axis. found->field is -1 if all lines have
 * the same matrix; found->point then has only the index along the axis. */
static pav_status report_pivot(const pav_run *run, const symbol *of, const finding *found)
{
    const int axis = of->pivots_along - 1;
    const solution *s = &run->solver.solution;
    OWNED_BY(text_free) text line = {0};
    if (found->field >= 0)
        add_point(run, found, axis, &line);
    return line.failed
               ? PAV_ENOTFINITE
               : FAIL(PAV_ENOTFINITE,
                      "%s:%d: the matrix of %s along %c%s%s has a zero pivot at %c index "
                      "%lld%s: elimination exchanges no rows, which is safe if abs(b) > "
                      "abs(a) + abs(c). %s",
                      run->program->name, s->start ? s->line : of->at.line,
                      found->field < 0 ? "every line"
                      : s->start       ? "the wave"
                                       : "the line",
                      axis_letter(run->program, axis), line.length ? " at" : "",
                      line.length ? line.data : "", axis_letter(run->program, axis),
                      (long long)found->point[axis],
                      isnan(found->value) ? ", or a coefficient that is not finite" : "",
                      s->start
                          ? "Take `by minres` or `by bicgstab`, or change the "
                            "coefficients"
                          : "Make b larger there, or a and c smaller, for example by "
                            "a shorter time step");
}

/* c divided by the pivots is infinite first where a pivot is 0, or NaN if c is 0, too.
 * The search goes upwards along each axis, as the elimination does. */
pav_status run_check_pivots(pav_run *run)
{
    const ir *code = run->code;
    for (int64_t k = 0; k < code->tables; k++) {
        const ir_table *t = &code->table[k];
        finding found = {.field = -1};
        int64_t *n = &found.point[t->axis];
        for (; t->field && *n < points_along(code, t->axis, t->coarse); ++*n) {
            found.value = run->part->table[k][*n];
            if (t->field->pivots_along && !isfinite(found.value))
                return report_pivot(run, t->field, &found);
        }
    }
    for (int64_t f = 0; f < code->fields; f++) {
        finding found = finding_at(run, (int)f, 0);
        bool any = false;
        if (code->field[f].symbol && code->field[f].symbol->pivots_along)
            TRY(search_points(run, &found, &any));
        if (any)
            return report_pivot(run, code->field[f].symbol, &found);
    }
    return PAV_OK;
}

static pav_status report_step(pav_run *run, const finding *found)
{
    TRY(run_check_pivots(run));
    OWNED_BY(text_free) text t = {0};
    add_where(run, found, &t);
    text_add(&t, " after step %lld (after step %lld all was finite): ",
             (long long)run->part->step, (long long)run->observers.nan_checked);
    if (found->axis >= 0)
        add_border(run, found, &t);
    else
        text_add(&t, run->solver.solution.start
                         ? "the method diverges, or the diagonal of the operator is 0 "
                           "at a point"
                         : "is a divisor 0, or the time step too long for this "
                           "scheme?");
    /* out of core, the steps of a block are checked together */
    if (run->stepper->windows && run->part->step - run->observers.nan_checked > 1)
        text_add(&t, " (a grid out of core is checked between blocks of steps: "
                     "--check-nan K checks every K steps, in shorter blocks)");
    return t.failed ? PAV_ENOTFINITE : FAIL(PAV_ENOTFINITE, "%s", t.data);
}

/* ---- watching ---------------------------------------------------------------------- */

static pav_status nan_check_start(pav_run *run)
{
    for (const ir_start *s = NULL; (s = ir_next_start(run->code, s));) {
        bool any = false;
        if (s->field < 0 || !run->code->field[s->field].symbol)
            continue;
        finding found = finding_at(run, s->field, s->level);
        if (s->kind == START_BORDERS)
            TRY(search_borders(run, false, &found, &any));
        if (s->kind == START_BORDERS && !any)
            TRY(search_borders(run, true, &found, &any));
        if (s->kind != START_BORDERS)
            TRY(search_points(run, &found, &any));
        if (any)
            return report_start(run, &found, s);
    }
    const program *p = run->program;
    for (int64_t k = 0; k < run->code->uniforms; k++) {
        const ir_uniform *u = &run->code->uniform[k];
        if (u->kind != UNIFORM_PARAM || !isnan(run->part->uniform[k]))
            continue;
        if (solver_owns(run, u->name))
            return solver_not_finite(run);
        const symbol *param = symbol_in(&p->params, u->name);
        if (param)
            return FAIL(PAV_ENOTFINITE,
                        "%s:%d: param %s is nan at the start: its formula has no "
                        "value here, as in 0/0 or sqrt(-1)",
                        p->name, param->at.line, u->name);
    }
    return PAV_OK;
}

static pav_status nan_check_updated(pav_run *run)
{
    for (int64_t f = 0; f < run->code->fields; f++) {
        finding found = finding_at(run, (int)f, 0);
        bool any = false;
        if (!run->code->field[f].updated)
            continue;
        TRY(search_borders(run, false, &found, &any));
        if (!any)
            TRY(search_points(run, &found, &any));
        if (!any)
            TRY(search_borders(run, true, &found, &any));
        if (any)
            return report_step(run, &found);
    }
    return PAV_OK;
}

pav_status run_check_nan_now(pav_run *run)
{
    const double begun = clock_seconds();
    const pav_status status = run->part->step == 0 ? nan_check_start(run)
                                                   : nan_check_updated(run);
    if (status == PAV_OK)
        run->observers.nan_checked = run->part->step;
    run->observers.nan_check_seconds += clock_seconds() - begun;
    return status;
}
