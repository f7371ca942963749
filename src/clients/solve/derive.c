/* SPDX-License-Identifier: BSD-3-Clause */
/* Derives the solver of one equation: analyses the equation, chooses the method, writes
 * the text of the new description and parses it like a description by a user.
 *
 * An equation for u' is solved in each step, for example u' - dt*laplace(u') = u for
 * implicit heat conduction. Two descriptions result. The first is the description itself:
 * its step stores the terms without u' in a field, and later reads u' from a second
 * field. The second is the solver, run between the two. Its inputs are the first field, u
 * for its initial guess, and the coefficients of the operator. */
#include <float.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "solve/solve.h"
#include "solve/solve_private.h"

/* ---- messages ---------------------------------------------------------------------- */

/* Messages about unsolvable equations, with their position in the description. */

void solve_fail(deriver *d, pav_status status, const char *format, ...)
{
    va_list list;
    text t = {0};

    va_start(list, format);
    text_add_list(&t, format, list);
    va_end(list);
    const char *why = arena_print(d->arena, "%s", t.data ? t.data : "");
    text_free(&t);
    arena_fail(d->arena, status, "%s:%d: %s", d->p->name,
               d->solve ? d->solve->at.line : 0, why);
}

const char *solve_reason(const program *p, char *out, size_t size)
{
    const char *why = pav_message();
    const size_t name = strlen(p->name);

    if (strncmp(why, p->name, name) == 0 && why[name] == ':')
        why += name + strspn(why + name, ":0123456789 ");
    (void)snprintf(out, size, "%.*s", (int)strcspn(why, "\n"), why);
    return out;
}

/* ---- settings ---------------------------------------------------------------------- */

/* The settings of a method, for example multigrid(cycle = F, pre = 2): reads their values
 * and rejects unknown names. */

static const solve_option *find_option(deriver *d, const char *name)
{
    for (int k = 0; k < d->solve->options; k++)
        if (strcmp(d->solve->option[k].name, name) == 0)
            return &d->solve->option[k];
    return NULL;
}

double setting_number(deriver *d, const char *name, double usual, double least,
                      double most)
{
    const solve_option *o = find_option(d, name);

    if (!o)
        return usual;
    if (o->word || !(o->number >= least && o->number <= most))
        solve_fail(d, PAV_EINVAL, "%s of %s is a number from %g to %g", name,
                   d->method->name, least, most);
    return o->number;
}

int setting_count(deriver *d, const char *name, int usual, int least, int most)
{
    const double value = setting_number(d, name, usual, least, most);

    if (value != floor(value))
        solve_fail(d, PAV_EINVAL, "%s of %s is a whole number from %d to %d", name,
                   d->method->name, least, most);
    return (int)value;
}

int setting_word(deriver *d, const char *name, const char *const *words, int count)
{
    const solve_option *o = find_option(d, name);
    const char *all = words[0];

    for (int k = 0; o && o->word && k < count; k++)
        if (strcmp(words[k], o->word) == 0)
            return k;
    for (int k = 1; k < count; k++)
        all = arena_print(d->arena, "%s%s%s", all, k + 1 < count ? ", " : " or ",
                          words[k]);
    if (o)
        solve_fail(d, PAV_EINVAL, "%s of %s is %s", name, d->method->name, all);
    return 0;
}

/* Refuses settings that the method does not have. */
static void setting_check(deriver *d)
{
    for (int k = 0; k < d->solve->options; k++) {
        const char *name = d->solve->option[k].name, *all = "none";
        const char *const *s = d->method->settings;
        while (*s && strcmp(*s, name) != 0)
            s++;
        if (*s)
            continue;
        for (s = d->method->settings; *s; s++)
            all = s == d->method->settings ? *s
                                           : arena_print(d->arena, "%s, %s", all, *s);
        solve_fail(d, PAV_EINVAL, "%s has no setting '%s'; it has %s", d->method->name,
                   name, all);
    }
}

/* ---- fields read by the operator --------------------------------------------------- */

/* True if the input is new. */
static bool hand(deriver *d, const char *from, int level, const char *to)
{
    solution *s = d->solution;

    for (int k = 0; k < s->handed; k++)
        if (strcmp(s->hand[k].to, to) == 0 && strcmp(s->hand[k].from, from) != 0)
            solve_fail(d, PAV_EUNSUPPORTED,
                       "what multiplies '%s' reads two levels of '%s': name one, as in "
                       "field k; k' = ...",
                       d->unknown->name, to);
        else if (strcmp(s->hand[k].to, to) == 0)
            return false;
    if (s->handed == MOST_HANDED)
        solve_fail(d, PAV_ELIMIT, "an operator in a step reads at most %d fields",
                   MOST_HANDED - 2);
    s->hand[s->handed++] = (solution_hand){from, to, level};
    return true;
}

/* True for values that change with the steps. */
static bool reads_moving(const expr *e)
{
    return (e->kind == EXPR_SYMBOL && e->symbol->updated) ||
           (e->kind == EXPR_BUILTIN &&
            (e->builtin == BUILTIN_T || e->builtin == BUILTIN_STEP));
}

/* " stored f16" for a field of the step's description; "" for its usual type. */
static const char *stored_text(const deriver *d, pav_type type)
{
    return type == d->p->stored
               ? ""
               : arena_print(d->arena, " stored %s", pav_type_name(type));
}

/* A solver knows one level of a field and closes it at the time of the new level. So the
 * step copies older levels of fields with equations before equations overwrite them. */
static void hand_field(deriver *d, const expr *e)
{
    const symbol *s = e->symbol;
    const bool old = s->updated && e->level <= 0;
    const char *from = !old ? s->name
                            : arena_print(d->arena, "%s_%d_%d", d->first->given,
                                          -e->level, s->index);

    for (int face = 0; face < 2 * d->p->dim; face++) {
        const statement *b = field_border(d->p, s, face / 2, face % 2);
        if (b && b->value &&
            (tree_any(copy_inlined(d, b->value), reads_field) ||
             (old && tree_any(copy_inlined(d, b->value), reads_moving))))
            solve_fail(d, PAV_EUNSUPPORTED,
                       "what multiplies %s' reads '%s', and its solver does not know the "
                       "values in the border of '%s': name it before, as in field w; w' "
                       "= %s%s; border clamp w",
                       d->unknown->name, s->name, s->name, s->name, old ? "" : "'");
    }
    if (hand(d, from, old || e->level, s->name) && old)
        d->first->kept = arena_print(d->arena, "%sfield %s%s\n%s' = %s\n", d->first->kept,
                                     from, stored_text(d, s->storage), from,
                                     tree_text(d, e));
    d->first->is_handed[s->index] = true;
}

/* Lists the fields that an expression reads. */
static void find_read_fields(deriver *d, const expr *e)
{
    const bool clock = e->kind == EXPR_BUILTIN && reads_moving(e);
    const symbol *s = e->symbol;

    if (clock || e->kind == EXPR_REDUCE)
        solve_fail(d, PAV_EUNSUPPORTED,
                   "the weight of %s' contains %s, and a solver does not know it: make "
                   "the weight a field of its own, as in field k; k' = ...",
                   d->unknown->name, clock ? "the time" : "a sum over the grid");
    if (e->kind == EXPR_SYMBOL && s->kind == SYMBOL_FIELD && s->index >= 0 &&
        !(system_holds(d, s) && e->level == d->level)) {
        if (system_holds(d, s))
            solve_fail(d, PAV_EUNSUPPORTED,
                       "what multiplies %s' reads '%s' itself: name it before, as in "
                       "field k; k' = 1 + %s^2",
                       s->name, s->name, s->name);
        hand_field(d, e);
    }
    for (int k = 0; e->kind == EXPR_STENCIL && k < s->taps; k++)
        find_read_fields(d, copy_inlined(d, s->tap[k].weight));
    for (int k = 0; k < e->count; k++)
        find_read_fields(d, e->arg[k]);
}

/* The fields read by the value of a border have no equations. */
static void hand_border(deriver *d, const expr *e)
{
    if (e->kind == EXPR_SYMBOL && e->symbol->kind == SYMBOL_FIELD)
        hand_field(d, e);
    for (int k = 0; k < e->count; k++)
        hand_border(d, e->arg[k]);
}

/* A border of the solver has the value of a scalar after the step, and calls it s. In the
 * operator the value before the step has this name. */
static const char *name_before(const deriver *d, arena *a, const char *scalar)
{
    return arena_print(a, "%sbefore_%s", d->first->prefix, scalar);
}

/* The solver has only one level of each input: level 0. */
static void forget_levels(deriver *d, expr *e)
{
    if (e->kind == EXPR_SYMBOL && e->symbol->kind == SYMBOL_SCALAR && reads_moving(e)) {
        symbol *own = arena_alloc(d->arena, 1, sizeof *own);
        *own = *e->symbol;
        own->updated = false; /* trees share parts: this one is done */
        own->name = e->level > 0 ? own->name : name_before(d, d->arena, own->name);
        e->symbol = own;
    }
    e->level = 0;
    for (int k = 0; k < e->count; k++)
        forget_levels(d, e->arg[k]);
}

/* ---- the equation of a step -------------------------------------------------------- */

/* The difference a - b, one of which may be missing. */
expr *difference_of(deriver *d, expr *a, expr *b)
{
    return a && b ? tree_binary(d, OP_SUB, a, b) : a ? a : tree_negated(d, b);
}

/* Keeps the linear part on the left, for the solver's equation. The remaining terms
 * become the field `given`, the right side. */
static void step_part(deriver *d)
{
    expr *left = NULL;

    EACH_UNKNOWN(o, d) {
        const expr *unknown = tree_unknown(o, d->level);
        expr *a = system_part(d, o, d->left, unknown, 0),
             *b = system_part(d, o, d->right, unknown, 0);
        if (a || b)
            a = difference_of(d, a, b);
        left = left && a ? tree_binary(d, OP_ADD, left, a) : left ? left : a;
    }
    if (!left)
        solve_fail(d, PAV_EUNSUPPORTED, "the equation does not hold %s'",
                   d->unknown->name);
    if (d->unknown->storage == d->p->real)
        hand(d, d->unknown->name, 0, d->unknown->name);
    else {
        /* The solver stores the unknown as it computes, and the step rounds once. */
        const char *wide = arena_print(d->arena, "%s_start", d->given);
        hand(d, wide, 1, d->unknown->name);
        d->first->kept = arena_print(d->arena, "%sfield %s%s\n%s' = %s\n", d->first->kept,
                                     wide, stored_text(d, d->p->real), wide,
                                     d->unknown->name);
    }
    d->first->is_handed[d->unknown->index] = true;
    hand(d, d->given, 1, d->given);
    find_read_fields(d, left);
    for (int face = 0; face < 2 * d->p->dim; face++)
        if (d->rule[face] && d->rule[face]->reads_fields)
            hand_border(d, copy_inlined(d, d->rule[face]->value));
    if (d->mask && !d->mask->file) {
        if (tree_any(copy_inlined(d, d->mask->value), reads_moving))
            solve_fail(d, PAV_EUNSUPPORTED,
                       "'%s' is solved for, and its mask holds values that change: give "
                       "the mask a field without an equation, as in field m = where(w > "
                       "0, 1, 0); mask %s = m > 0",
                       d->unknown->name, d->unknown->name);
        find_read_fields(d, copy_inlined(d, d->mask->value));
    }
    d->rest = difference_of(d, system_with(d, d->right, NULL),
                            system_with(d, d->left, NULL));
    forget_levels(d, left);
    d->level = 0;
    d->left = left;
    d->right = tree_field(d, d->given, 0);
    text_add(&d->head, "field %s\n", d->given);
}

/* ---- the solver's description ------------------------------------------------------ */

/* True if an expression reads something that the solver does not have. */
static bool reads_left_out(const deriver *d, const expr *e)
{
    const symbol *s = e->symbol;
    bool out = e->kind == EXPR_REDUCE ||
               (e->kind == EXPR_APPLY && reads_left_out(d, s->value));

    if (e->kind == EXPR_SYMBOL)
        out = s->kind == SYMBOL_MEASURE || (s->kind == SYMBOL_SCALAR && e->level != 0) ||
              (s->kind == SYMBOL_LET && reads_left_out(d, s->value)) ||
              (s->kind == SYMBOL_FIELD &&
               (e->level != 0 || !d->first->is_handed[s->index]));
    for (int k = 0; e->kind == EXPR_STENCIL && !out && k < s->taps; k++)
        out = reads_left_out(d, s->tap[k].weight);
    for (int k = 0; k < e->count && !out; k++)
        out = reads_left_out(d, e->arg[k]);
    return out;
}

static bool step_keeps(const deriver *d, const statement *s)
{
    const symbol *f = s->symbol;

    switch (s->kind) {
    case STATEMENT_GRID:
    case STATEMENT_COARSE:
    case STATEMENT_REAL:
    case STATEMENT_PARAM:
    case STATEMENT_SCALAR: return true;
    case STATEMENT_LET: return !reads_left_out(d, f->value);
    case STATEMENT_STENCIL:
        for (int k = 0; k < f->taps; k++)
            if (reads_left_out(d, f->tap[k].weight))
                return false;
        return true;
    case STATEMENT_FIELD: return d->first->is_handed[f->index];
    case STATEMENT_BORDER: return !f || d->first->is_handed[f->index];
    default: return false;
    }
}

/* Prints a declaration for the solver without its initial value: the step hands over its
 * fields and numbers. */
static void step_print(const deriver *d, const statement *s, text *t)
{
    statement bare = *s;
    symbol empty;

    const bool number = s->kind == STATEMENT_PARAM || s->kind == STATEMENT_SCALAR;
    if (number && s->symbol->updated)
        text_add(t, "scalar %s = 1\n", name_before(d, d->arena, s->symbol->name));
    if (number && !s->symbol->constant) {
        text_add(t, "scalar %s = 1", s->symbol->name);
        return;
    }
    program wide = *d->p; /* a solver stores its own fields as it computes */
    wide.stored = wide.real;
    if (s->kind == STATEMENT_FIELD) {
        empty = *s->symbol;
        empty.storage_stated = !system_holds(d, s->symbol) && empty.storage != wide.real;
        bare.value = NULL;
        empty.file = NULL;
        empty.raw = NULL;
        bare.symbol = &empty;
    }
    statement_print(&wide, &bare, t);
}

/* ---- the equation ------------------------------------------------------------------ */

/* Analyses an equation before a method is chosen: its faces, mask and operator, and the
 * possible halvings of its grid. */

bool names_begin(const program *p, const char *start, size_t length)
{
    const symbol_list *const lists[] = {&p->fields, &p->params,   &p->scalars,
                                        &p->lets,   &p->stencils, &p->measures};

    for (size_t l = 0; l < COUNT_OF(lists); l++)
        for (int64_t k = 0; k < lists[l]->count; k++)
            if (strncmp(lists[l]->item[k]->name, start, length) == 0)
                return true;
    return false;
}

void faces_find(deriver *d)
{
    for (int face = 0; face < 2 * d->p->dim; face++) {
        const statement *s = field_border(d->p, d->unknown, face / 2, face % 2);
        d->rule[face] = s;
        if (!s)
            continue;
        if (s->kind == STATEMENT_ABSORB)
            solve_fail(d, PAV_EUNSUPPORTED,
                       "an absorbing layer damps what a step changes, and '%s' is solved "
                       "for: give it a border",
                       d->unknown->name);
        if (border_wraps(s->border))
            d->periodic |= 1u << face;
        else if (border_rules[s->border].fixes_wall)
            d->fixed |= 1u << face;
    }
}

static bool is_transfer(const expr *e)
{
    return e->kind == EXPR_TRANSFER;
}

/* On stretched axes both sides are multiplied by the widths of the cell. The weight
 * between two points is then the same in both directions, so conjugate gradients
 * apply. */
static const expr *of_cell(deriver *d, const expr *side)
{
    expr *all = copy_inlined(d, side);

    for (int axis = 0; axis < d->p->dim; axis++)
        if (axis_stretched(d->p, axis))
            all = tree_binary(d, OP_MUL, tree_spacing(d, axis), all);
    return all;
}

static void equation_split(deriver *d)
{
    faces_find(d);
    EACH_STATEMENT(s, d->p) {
        if (s->kind != STATEMENT_MASK || (s->symbol && s->symbol != d->unknown))
            continue;
        if (s->insulated)
            solve_fail(d, PAV_EUNSUPPORTED,
                       "'%s' is solved for, and its mask cannot be insulated: give the "
                       "flux 0 by a coefficient, as in dx(k*dx(u, at +1/2), at -1/2)",
                       d->unknown->name);
        if (d->mask)
            solve_fail(d, PAV_EUNSUPPORTED,
                       "'%s' that is solved for has two masks; make them one",
                       d->unknown->name);
        d->mask = s;
    }
    d->left = of_cell(d, d->solve->value);
    d->right = of_cell(d, d->solve->right);
    if (d->given)
        step_part(d);
    d->difference = tree_operation(d, OP_SUB, d->left, d->right);
    if (tree_any(d->difference, is_transfer))
        solve_fail(d, PAV_EUNSUPPORTED,
                   "restrict and interpolate cannot stand in an equation to solve");
    form_find(d);
}

static void equation_understand(deriver *d)
{
    /* copies beyond an insulated wall are not symmetric for a mixed derivative */
    const bool given = ((d->fixed | d->periodic) + 1) >> (2 * d->p->dim);
    d->symmetric = d->form.constant
                       ? operator_is_symmetric(d) && (given || !operator_is_oblique(d))
                       : weights_are_symmetric(d);
    if (d->unknown->coarse)
        solve_fail(d, PAV_EUNSUPPORTED,
                   "'%s' is coarse; only fields of the grid are solved for",
                   d->unknown->name);
    if (d->form.constant && !(fabs(d->form.diagonal) > 0))
        solve_fail(d, PAV_EUNSUPPORTED,
                   "the equation does not hold '%s' at its own point, so no relaxation "
                   "can begin",
                   d->unknown->name);
    d->singular = !d->fixed && !d->mask && !d->first->next && /* system_join */
                  (!d->form.constant || operator_sums_to_zero(d));
    d->convection = d->symmetric ? 0 : convection_strongest(d);
    hierarchy_find(d);
}

const solve_method *const solve_methods[] = {
    &solve_jacobi,    &solve_chebyshev, &solve_sor,
    &solve_cg,        &solve_bicgstab,  &solve_gmres,
    &solve_minres,    &solve_multigrid, &solve_vcycle,
    &solve_transform, &solve_async[0],  &solve_async[1],
    &solve_async[2],  &solve_async[3],  NULL,
};

/* ---- the method -------------------------------------------------------------------- */

static bool has_walls_between(const deriver *d)
{
    for (int face = 0; face < 2 * d->p->dim; face++)
        if (d->rule[face] && border_rules[d->rule[face]->border].wall == WALL_BETWEEN)
            return true;
    return false;
}

/* Names a property of the equation that makes multigrid converge slowly, whatever the
 * walls. NULL: there is none. */
static const char *find_trouble(const deriver *d)
{
    if (!d->form.constant)
        return "coefficients that vary";
    if (operator_is_oblique(d))
        return "a strong mixed derivative";
    for (int k = 0; k + 1 < d->grids; k++)
        if (d->spectrum.smooth[k] < 0.09 * d->spectrum.high[k])
            return "an operator that couples its axes unequally";
    return NULL;
}

static bool has_cycles(const deriver *d)
{
    return d->method == &solve_multigrid || d->method == &solve_vcycle;
}

/* Estimates the number of steps from the tolerance. A cycle reduces the residual to a
 * tenth, or to 0.4 of it if walls lie between points. Conjugate gradients reduce it to a
 * fifth per cycle if preconditioned by cycles; otherwise the condition number of the
 * operator gives the estimate. 0: unknown. */
static int64_t expected_steps(const deriver *d)
{
    const double tolerance = num_f64(d->solve->tolerance),
                 digits = fmax(-log10(tolerance), 0),
                 condition = d->spectrum.high[0] / d->spectrum.low[0];

    if (d->method == &solve_transform)
        return 1;
    if (has_cycles(d))
        return 2 + (int64_t)ceil((has_walls_between(d) ? 2.5 : 1) * digits);
    return d->used || d->turned || d->by_multigrid ? 2 + (int64_t)ceil(1.5 * digits)
           : d->method != &solve_cg || !(d->spectrum.low[0] > 0) || !(condition < 1e12)
               ? 0
               : 1 + (int64_t)ceil(sqrt(condition) * log(2 / tolerance) / 2);
}

static void choose(deriver *d)
{
    if (d->next) {
        const bool alone = !multigrid_refuses(d) && !has_walls_between(d) &&
                           system_suits_cycles(d);
        d->by_multigrid = !multigrid_refuses(d) && !alone;
        d->method = alone                        ? &solve_multigrid
                    : d->symmetric && !d->saddle ? &solve_minres
                                                 : &solve_gmres;
        d->why = alone          ? "several unknowns, coupled at a point or evenly"
                 : d->saddle    ? "several unknowns, a saddle point"
                 : d->symmetric ? "several unknowns"
                                : "several unknowns, not symmetric";
        d->usual_cycle = d->symmetric && !alone ? 0 : 'F';
        return;
    }
    const char *trouble = find_trouble(d);
    bool moving = false; /* coarser grids have such weights on edges only */
    d->method = &solve_cg;
    for (int64_t k = 0; k < d->form.count && !edges_fit(d); k++)
        moving |= tree_any(d->form.tap[k].weight, reads_moving);
    const bool between = has_walls_between(d), symmetric = d->symmetric,
               halved = !moving && !multigrid_refuses(d), keeps = hierarchy_keeps_axes(d),
               indefinite = operator_is_indefinite(d);

    d->usual_cycle = 'F';
    if (d->mask) /* coarser grids miss details one point wide */
        trouble = "a mask";
    if (indefinite ||
        (halved && (convects(d) || (!symmetric && operator_is_oblique(d))))) {
        d->by_multigrid = halved && !(between && symmetric);
        d->method = d->symmetric ? &solve_minres : &solve_gmres;
        d->why = indefinite    ? "some eigenvalues are negative"
                 : convects(d) ? "a cell convects as much as it diffuses"
                               : trouble;
        d->usual_cycle = d->symmetric ? 0 : 'F';
        return;
    }
    /* Walls lie between points and no face gives a value: a cycle for constant weights is
     * then not symmetric enough to precondition conjugate gradients, which break down on
     * slowly varying errors. Cycles alone converge. */
    if (between && !d->fixed && halved && !trouble) {
        d->method = &solve_multigrid;
        d->why = "walls between points, no given value";
        return;
    }
    if (between && !d->mask)
        trouble = "walls between points";
    d->by_multigrid = trouble && symmetric && halved;
    if (d->by_multigrid && !d->form.constant) /* F-cycles are not symmetric */
        d->usual_cycle = 0;
    d->method = d->by_multigrid ? &solve_cg
                : halved        ? &solve_multigrid
                : symmetric     ? &solve_cg
                                : &solve_bicgstab;
    d->why = d->by_multigrid ? trouble
             : keeps         ? "axes couple unequally"
                             : "all axes can be halved";
    if (keeps)
        d->why = arena_print(d->arena, "%s, so grids halve %s", d->why,
                             hierarchy_text(d));
    if (!halved)
        d->why = arena_print(
            d->arena, "%s%s", symmetric ? "" : "the operator is not symmetric, and ",
            moving ? "a coefficient has an equation" : "the grid cannot be halved");
}

/* Transforms replace the method chosen so far, if they take less time than its expected
 * steps. Settings are of that method. */
static bool choose_direct(deriver *d)
{
    const int64_t steps = d->next || operator_is_indefinite(d) ? 0 : expected_steps(d);

    if (!d->direct || (d->next && d->method == &solve_multigrid) ||
        d->solve->options > 0 || transform_refuses(d))
        return false;
    const double time = transform_time(d);
    const bool fits = isfinite(time), wins = fits && (!steps || time < (double)steps);
    d->why = arena_print(d->arena,
                         wins   ? "%s would take %s, this the time of %.0f"
                         : fits ? "%s: %s expected, transforms take the time of %.0f"
                                : "%s, and a line is too long for transforms",
                         wins ? d->method->name : d->why,
                         steps ? arena_print(d->arena, "%lld steps", (long long)steps)
                               : "many steps",
                         time);
    d->method = wins ? &solve_transform : d->method;
    return wins;
}

/* The method of `auto` after its first methods stalled; false: there is none. The last
 * ones have the diagonal for a preconditioner, as they need no coarser grids. */
static bool choose_another(deriver *d)
{
    for (int k = 0; k < d->way; k++) {
        const bool cycles = d->method == &solve_multigrid,
                   last = !cycles && !d->by_multigrid;
        if (last && d->method != &solve_bicgstab)
            return false;
        d->method = d->symmetric     ? (cycles ? &solve_cg : &solve_minres)
                    : cycles || last ? &solve_gmres
                                     : &solve_bicgstab;
        d->by_multigrid = cycles;
        d->usual_cycle = d->symmetric ? 0 : 'F';
    }
    if (d->way)
        d->why = "the residual stalled";
    return true;
}

/* False: `auto` has no further method. */
static bool find_method(deriver *d)
{
    const char *name = d->solve->method;
    const solve_method *const *m = solve_methods;

    while (*m && strcmp((*m)->name, name) != 0)
        m++;
    if (strcmp(name, "auto") == 0) {
        choose(d);
        if (!choose_direct(d) && !choose_another(d))
            return false;
    } else if (!*m)
        solve_fail(d, PAV_EINTERNAL, "no method is called %s", name);
    else
        d->method = *m;
    EACH_UNKNOWN(e, d)
        e->method = d->method;
    setting_check(d);
    const char
        *why = d->next && !d->method->several
                   ? "it takes one unknown: take cg, minres, bicgstab, gmres or multigrid"
               : d->method->refuses ? d->method->refuses(d)
                                    : NULL;
    if (why)
        solve_fail(d, PAV_EUNSUPPORTED, "%s cannot solve this: %s", name, why);
    return true;
}

/* ---- the text ---------------------------------------------------------------------- */

/* For singular operators: declares the mean of the right side, since no solution has it,
 * and the mean of u at the start, to be kept by the solution. The right side may be pure
 * rounding error, for example for a fluid at rest. So convergence is also judged by the
 * rounding error of the operator's sums. */
static void declare_mean(deriver *d)
{
    const char *p = d->prefix, *weight = write_weight(d), *u = d->unknown->name;
    const double rounding = 100 * (d->p->real == PAV_F32 ? FLT_EPSILON : DBL_EPSILON);
    /* The residual at u = 0: the right side, and fluxes through faces. For a singular
     * operator the residual of any u has the same sum, but the large differences of u
     * would add rounding errors to it. */
    const expr *zero = write_has_values(d)
                           ? tree_field(d, write_like_unknown(d, "zero"), 0)
                           : tree_number(d, num_int(0));
    const char *right = tree_text(d, copy_with(d, d->right, zero, 0)),
               *side = arena_print(d->arena, "(%s - (%s) + 0*%s)", right,
                                   tree_text(d, copy_with(d, d->left, zero, 0)), u);

    text_add(&d->head, "param %sall = sum(%s + 0*%s)\n", p, weight, u);
    /* Declares whether constants are in the null space. For constant weights this is
     * known; otherwise it is computed at the start. */
    const expr *one = tree_number(d, num_int(1));
    const expr *image = d->form.constant ? NULL : copy_linear(d, d->difference, one, 0);
    if (image)
        text_add(
            &d->head,
            "param %snull = where(max(abs(%s + 0*%s)) <= 1e-12*max(abs(%s)), 1, 0)\n",
            d->prefix, tree_text(d, image), d->unknown->name, operator_diagonal(d, 0));
    else
        text_add(&d->head, "param %snull = 1\n", d->prefix);
    const char *size = arena_print(
        d->arena, "max(sum(abs(%s*%s)), max(%.3g*sum(abs(%s*%s*%s)), 1e-300))", weight,
        side, rounding, weight, operator_diagonal(d, 0), u);
    if (d->symmetric) {
        text_add(&d->head,
                 "param %sbias = sum(%s*%s)\nparam %sgap = %snull*abs(%sbias)/%s\n"
                 "param %smean = %snull*%sbias/%sall\n",
                 p, weight, side, p, p, p, size, p, p, p, p);
    } else {
        const expr *now = tree_field(d, u, 0);
        const char *gap = arena_print(d->arena, "%sgap", p),
                   *share = arena_print(d->arena, "abs(%smean)*%sall/%ssize", p, p, p);
        text_add(&d->head,
                 "let %smean = %snull*sum(%s*(%s - (%s)))/%sall\nparam %ssize = %s\n"
                 "param %sfirst = %smean\nparam %sapart = %s\nscalar %s = %sapart\n",
                 p, p, weight, tree_text(d, copy_with(d, d->right, now, 0)),
                 tree_text(d, copy_with(d, d->left, now, 0)), p, p, size, p, p, p, share,
                 gap, p);
        write_equation(d, gap, "%s", share);
    }
    mean_keep(d);
}

/* Norm of the residual of all unknowns; `given`: of the right sides. */
static const char *norm_text(deriver *d, bool given)
{
    const char *all = "";

    EACH_UNKNOWN(e, d)
        all = arena_print(d->arena, "%s%snorm(where(%s, %s, 0))%s", all,
                          *all ? " + " : "", write_inside(e),
                          given ? e->given : operator_residual(e, e->unknown->name),
                          d->next ? "^2" : "");
    return d->next ? arena_print(d->arena, "sqrt(%s)", all) : all;
}

int64_t longest_axis(const program *p)
{
    int64_t longest = 1;

    for (int axis = 0; axis < p->dim; axis++)
        longest = int64_most(longest, p->axis[axis].points);
    return longest;
}

/* An equation for u' keeps the statements for its solver only. Any other equation keeps
 * all statements but itself and its mask. Statements made by the checker are no text. */
static bool is_kept(const deriver *d, const statement *s)
{
    return d->jump    ? once_keeps(s)
           : d->given ? step_keeps(d, s)
                      : s != d->solve && s->kind != STATEMENT_MASK && !s->made;
}

/* A system without a solution may seem solved by unknowns so large that only rounding is
 * left of its residual. */
static const char *lost_text(deriver *d)
{
    const char *all = "", *p = d->prefix;

    EACH_UNKNOWN(e, d)
        all = arena_print(d->arena, "%s + norm(where(%s, %s*%s, 0))", all,
                          write_inside(e), operator_diagonal(e, 0), e->unknown->name);
    return arena_print(d->arena, " + where(%.3g*(0%s) > %sstart, %sstart, 0)",
                       10 * (d->p->real == PAV_F32 ? FLT_EPSILON : DBL_EPSILON), all, p,
                       p);
}

static void write_all(deriver *d, text *t)
{
    const char *p = d->prefix;
    bool steps = false;

    if (d->next)
        system_declare_means(d);
    else if (d->singular)
        declare_mean(d);
    EACH_UNKNOWN(e, d)
        operator_declare(e);
    d->every = d->method->every;
    d->method->derive(d);
    d->every = setting_count(d, "every", d->every, 1, 1000000);
    if (d->why)
        d->about = arena_print(d->arena, "%s (auto: %s)", d->about, d->why);
    EACH_UNKNOWN(e, d) {
        write_borders(e);
        if (e->mask) /* the fields of coarser grids have masks of their own */
            text_add(&e->tail, "mask %s = %s\n", e->unknown->name, mask_text(e, 0));
    }
    const char *norm = norm_text(d, false);
    if (d->given)
        text_add(&d->tail, "param %sstart = max(%s, %s)\n", p, norm_text(d, true), norm);
    else
        text_add(&d->tail, "param %sstart = %s\n", p, norm);
    text_add(&d->tail, "until %s%s <= %s*%sstart every %d\n", norm,
             d->next ? lost_text(d) : "", text_digits(d, num_f64(d->solve->tolerance)), p,
             d->every);
    text_add(t, "# %s by %s: %s\n", d->names, d->method->name, d->about);
    hierarchy_list(d, d->used, t);
    EACH_STATEMENT(s, d->p)
        if (is_kept(d, s)) {
            steps = steps || s->kind == STATEMENT_STEPS;
            if (d->given)
                step_print(d, s, t);
            else
                statement_print(d->p, s, t);
            text_add(t, "\n");
        }
    if (!steps)
        text_add(t, "steps %lld\n", (long long)d->method->steps);
    write_own(d, t);
}

static void add_own(const deriver *d, text *own, text *t)
{
    if (own->data && !own->failed && d->p->upright)
        upright_swap(own->data, own->length);
    text_add(t, "%s", own->data ? own->data : "");
    t->failed |= own->failed;
}

void write_own(deriver *d, text *t)
{
    EACH_UNKNOWN(e, d)
        add_own(d, &e->head, t);
    add_own(d, &d->joint, t);
    add_own(d, &d->equations, t);
    EACH_UNKNOWN(e, d)
        add_own(d, &e->tail, t);
}

/* ---- deriving ---------------------------------------------------------------------- */

void deriver_free_texts(deriver *d)
{
    EACH_UNKNOWN(e, d) {
        TEXT_FREE_ALL(&e->head, &e->joint, &e->equations, &e->tail, &e->scratch);
        for (int k = 0; k < MOST_GRIDS; k++)
            text_free(&e->zeros[k]);
    }
}

void deriver_close(deriver *d)
{
    deriver_free_texts(d);
    arena_free(d->arena);
}

static void refuse_others(deriver *d)
{
    for (const statement *s = d->p->first; s && !d->given; s = s->next) {
        const bool solves = s->kind == STATEMENT_SOLVE && s != d->solve;
        if (solves || s->kind == STATEMENT_UPDATE || s->kind == STATEMENT_INJECT)
            solve_fail(d, PAV_EUNSUPPORTED,
                       "an equation for '%s' stands alone, and line %d has %s: to solve "
                       "it in each step write %s' in place of %s",
                       d->unknown->name, s->at.line,
                       solves ? "another" : "an update or an injection", d->unknown->name,
                       d->unknown->name);
    }
}

/* `step` gets the statements of a step in place of the equation. */
static pav_status derive(deriver *d, text *all, text *step, int number)
{
    d->prefix = "mg_";
    while (names_begin(d->p, d->prefix, strlen(d->prefix)))
        d->prefix = arena_print(d->arena, "%s_", d->prefix);
    system_open(d);
    EACH_UNKNOWN(e, d)
        if (d->level) {
            e->given = arena_print(d->arena, "%sgiven%d", e->prefix, number);
            e->solved = arena_print(d->arena, "%ssolved%d", e->prefix, number);
        }
    d->kept = "";
    if (d->solve->kind == STATEMENT_STEPS) {
        once_write(d, all);
        return all->failed ? PAV_ENOMEM : PAV_OK;
    }
    refuse_others(d);
    EACH_UNKNOWN(e, d)
        equation_split(e);
    EACH_UNKNOWN(e, d)
        equation_understand(e);
    system_join(d);
    EACH_UNKNOWN(e, d)
        spectrum_find(e);
    /* a single point between periodic or insulated faces has no differences */
    if (d->form.constant && !(d->spectrum.high[0] > 0))
        solve_fail(d, PAV_EUNSUPPORTED,
                   "nothing is left of the operator: no axis has two points or a face "
                   "that gives a value of '%s'; take more points",
                   d->unknown->name);
    if (!find_method(d))
        return PAV_OK;
    write_all(d, all);
    if (!d->form.constant || d->next)
        system_write_weights(d);
    if (d->given) {
        /* Writes the statements in place of the equation. */
        char *own = arena_print(d->arena, "%s", d->kept);
        EACH_UNKNOWN(e, d)
            own = arena_print(d->arena, "%sfield %s%s\n%s' = %s\n", own, e->given,
                              stored_text(d, d->p->real), e->given,
                              tree_text(e, e->rest));
        EACH_UNKNOWN(e, d)
            own = arena_print(d->arena, "%sfield %s%s\n%s' = %s\n", own, e->solved,
                              stored_text(d, d->p->real), e->unknown->name, e->solved);
        if (d->p->upright)
            upright_swap(own, (int64_t)strlen(own));
        text_add(step, "%s", own);
    }
    return all->failed ? PAV_ENOMEM : PAV_OK;
}

static void statement_keep_place(const statement *s, statement *m)
{
    const bool named = s->kind == STATEMENT_FIELD || s->kind == STATEMENT_MEASURE ||
                       s->kind == STATEMENT_PARAM;

    m->at = s->at;
    if (!m->symbol || !named)
        return;
    m->symbol->at = s->at;
    if (m->symbol->value && s->symbol->value)
        m->symbol->value->at = s->symbol->value->at;
}

/* The first statement from `s` on that stands in the source; or NULL. */
static statement *find_written(statement *s)
{
    while (s && s->made)
        s = s->next;
    return s;
}

static void keep_lines(const deriver *d, program *made)
{
    statement *m = find_written(made->first);

    for (const statement *s = d->p->first; s && m; s = s->next) {
        if (!is_kept(d, s))
            continue;
        statement_keep_place(s, m);
        m = find_written(m->next);
    }
}

/* Completes the derived program, and copies the names for the run into its memory. */
static pav_status keep(const deriver *d, solution *s)
{
    arena *a = s->program->arena;

    s->program->derived = true;
    s->jump = d->jump;
    if (d->jump) {
        s->program->dt = symbol_in(&s->program->params,
                                   arena_print(a, "%stime", d->prefix));
        s->about = arena_print(a, "%s", d->about);
        s->small = arena_print(a, "%s", d->small);
        s->growth = d->growth;
        keep_lines(d, s->program);
        return PAV_OK;
    }
    if (d->given) /* the run sets the time of the step */
        s->program->dt = NULL;
    for (int64_t k = 0; d->given && k < d->p->scalars.count; k++) {
        const char *name = d->p->scalars.item[k]->name;
        if (d->p->scalars.item[k]->updated) {
            symbol_in(&s->program->scalars, name)->name = arena_print(a, "%s'", name);
            symbol_in(&s->program->scalars, name_before(d, a, name))->name = arena_print(
                a, "%s", name);
        }
    }
    keep_lines(d, s->program);
    s->field = arena_print(a, "%s", d->names);
    EACH_UNKNOWN(e, d) {
        s->unknown[s->unknowns] = arena_print(a, "%s", e->unknown->name);
        s->together[s->unknowns] = null_together(e, a);
        s->gap[s->unknowns] = e->singular ? arena_print(a, "%sgap", e->prefix) : NULL;
        s->solved[s->unknowns++] = e->solved ? arena_print(a, "%s", e->solved) : NULL;
    }
    s->weights = d->weights ? arena_print(a, "%s%s", s->source, d->weights) : NULL;
    s->weight = arena_print(a, "%sat0", d->prefix);
    EACH_RELAXED(e, d)
        s->related++;
    s->share = d->singular && d->form.constant ? operator_share(d) : 0;
    s->method = d->method->name;
    s->about = arena_print(a, "%s", d->about);
    s->direct = d->direct && d->method == &solve_transform && d->why;
    s->start = arena_print(a, "%sstart", d->prefix);
    s->tolerance = num_f64(d->solve->tolerance);
    s->line = d->solve->at.line;
    s->needs_spd = d->method->needs_spd;
    s->symmetric = d->symmetric;
    s->is_wide = d->is_wide;
    for (int k = 0; k < s->handed; k++) {
        s->hand[k].from = arena_print(a, "%s", s->hand[k].from);
        s->hand[k].to = arena_print(a, "%s", s->hand[k].to);
    }
    /* the residual of minres and gmres may rest for a while */
    s->steady = has_cycles(d) || d->method == &solve_transform ||
                (d->used && d->method != &solve_minres && d->method != &solve_gmres);
    s->patience = d->method == &solve_transform ? 4
                  : s->steady                   ? 10
                  : d->used                     ? 25
                                                : 25 + 16 * longest_axis(d->p) / d->every;
    s->expected = expected_steps(d);
    return PAV_OK;
}

/* A parse error here is a bug of the derivation, or a requirement of the method violated
 * by the description. */
static pav_status parse(const deriver *d, text *all, solution *result)
{
    pav_status status = text_take(all, &result->source);
    char why[300];

    if (status == PAV_OK)
        status = program_parse_derived(result->source, d->p, &result->program);
    if (status != PAV_OK)
        return FAIL(status, "%s:%d: the program that solves this by %s is refused: %s",
                    d->p->name, d->solve->at.line, d->method->name,
                    solve_reason(d->p, why, sizeof why));
    ARENA_GUARD(result->program->arena, status, keep(d, result));
    return status;
}

static pav_status solve_one(const program *p, const statement *equation, int number,
                            bool direct, int way, text *step, solution *result)
{
    OWNED_BY(text_free) text all = {0};

    *result = (solution){0};
    OWNED_NEW(deriver, d, 1);
    *d = (deriver){.p = p,
                   .solve = equation,
                   .unknown = equation->symbol,
                   .level = equation->level,
                   .method = &solve_jacobi,
                   .mean = "mean",
                   .direct = direct,
                   .way = way,
                   .solution = result,
                   .arena = arena_new()};
    d->first = d;
    pav_status status;
    ARENA_GUARD(d->arena, status, derive(d, &all, step, number));
    if (status == PAV_OK && all.length)
        status = parse(d, &all, result);
    if (status != PAV_OK)
        solution_free(result); /* and the message stays */
    deriver_close(d);
    return status;
}

/* ---- the step with all its equations ----------------------------------------------- */

enum { IN_PLACE = 4 /* statements that replace an equation */ };

/* All other statements are copied. */
static pav_status write_step(const program *p, solution *result, text *t)
{
    EACH_STATEMENT(s, p) {
        if (s->made)
            continue;
        if (s->kind == STATEMENT_SOLVE) {
            const int number = (int)++result->count;
            TRY(solve_one(p, s, number, true, 0, t, &result->each[number - 1]));
            result->direct |= result->each[number - 1].direct;
            continue;
        }
        statement_print(p, s, t);
        text_add(t, "\n");
    }
    return t->failed ? PAV_ENOMEM : PAV_OK;
}

static pav_status parse_step(const program *p, text *t, solution *result)
{
    char why[300];
    TRY(text_take(t, &result->source));
    const pav_status status = program_parse_derived(result->source, p, &result->program);
    if (status != PAV_OK)
        return FAIL(status, "%s: the step without its equations to solve is refused: %s",
                    p->name, solve_reason(p, why, sizeof why));
    statement *m = find_written(result->program->first);
    for (const statement *s = p->first; s && m; s = s->next) {
        int count = s->made ? 0 : s->kind != STATEMENT_SOLVE;
        for (const statement *e = s; s->kind == STATEMENT_SOLVE && e; e = e->more)
            count += IN_PLACE;
        for (int k = 0; k < count && m; k++, m = find_written(m->next))
            statement_keep_place(s, m);
    }
    for (int64_t n = 0; n < result->count; n++) {
        const solution *of = &result->each[n];
        for (int k = 0; k < of->unknowns; k++)
            symbol_in(&result->program->fields, of->solved[k])->solved = true;
    }
    return PAV_OK;
}

/* Absorbing layers would damp right sides, too. */
static pav_status solve_in_steps(const program *p, solution *result)
{
    OWNED_BY(text_free) text t = {0};
    int64_t count = 0;

    EACH_STATEMENT(s, p) {
        count += s->kind == STATEMENT_SOLVE;
        if (s->kind == STATEMENT_ABSORB)
            return FAIL(PAV_EUNSUPPORTED,
                        "%s:%d: absorbing layers beside an equation to solve are not "
                        "supported: damp by a term of the equations",
                        p->name, s->at.line);
    }
    result->each = mem_new(count, sizeof *result->each);
    pav_status status = result->each ? write_step(p, result, &t) : PAV_ENOMEM;
    if (status == PAV_OK)
        status = parse_step(p, &t, result);
    if (status != PAV_OK)
        solution_free(result); /* and the message stays */
    return status;
}

pav_status solve_derive(const program *p, solution *result)
{
    *result = (solution){0};
    TRY(program_refuse_mesh(p));
    EACH_STATEMENT(s, p)
        if (s->kind == STATEMENT_SOLVE)
            return s->level ? solve_in_steps(p, result)
                            : solve_one(p, s, 0, true, 0, NULL, result);
    EACH_STATEMENT(s, p)
        if (s->kind == STATEMENT_STEPS && s->once)
            return solve_one(p, s, 0, true, 0, NULL, result);
    return PAV_OK;
}

pav_status solve_derive_way(const program *p, int way, solution *result)
{
    *result = (solution){0};
    EACH_STATEMENT(s, p)
        if (s->kind == STATEMENT_SOLVE && !s->level && s->options == 0 &&
            strcmp(s->method, "auto") == 0)
            return solve_one(p, s, 0, false, way, NULL, result);
    return PAV_OK;
}

void solution_free(solution *s)
{
    for (int64_t k = 0; k < s->count; k++)
        solution_free(&s->each[k]);
    mem_free(s->each);
    program_free(s->program);
    mem_free(s->source);
    *s = (solution){0};
}

/* Prints the derived description for the user. */

/* The description of a step is followed by the solvers of its equations. */
pav_status pav_program_solver(const pav_program *p, char **result)
{
    GUARDED;
    OWNED_BY(solution_free) solution s = {0};
    text t = {0};

    if (result)
        *result = NULL;
    if (!p || !result)
        return FAIL(PAV_EINVAL,
                    "pav_program_solver needs a program and a place for the text");
    if (p->tree.mesh) /* a different derivation */
        return PAV_OK;
    TRY(solve_derive(&p->tree, &s));
    if (!s.source)
        return PAV_OK;
    text_add(&t, "%s", s.source);
    for (int64_t n = 0; n < s.count; n++)
        text_add(&t, "\n# what solves for %s' in each step\n%s", s.each[n].field,
                 s.each[n].source);
    return text_take(&t, result);
}
