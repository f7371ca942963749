/* SPDX-License-Identifier: BSD-3-Clause */
/* Derives the solver of one equation: chooses the method, writes the text of the new
 * description and parses it like a description by a user. */
#include <float.h>
#include <math.h>
#include <string.h>

#include "solve/solve_private.h"

const solve_method *const solve_methods[] = {
    &solve_jacobi, &solve_chebyshev, &solve_sor,      &solve_cg,       &solve_multigrid,
    &solve_vcycle, &solve_async[0],  &solve_async[1], &solve_async[2], &solve_async[3],
    NULL,
};

/* ---- the method -------------------------------------------------------------------- */

static const solve_method *method_named(deriver *d, const char *name)
{
    for (const solve_method *const *m = solve_methods; *m; m++)
        if (strcmp((*m)->name, name) == 0)
            return *m;
    solve_fail(d, PAV_EINTERNAL, "no method is called %s", name);
}

static bool has_walls_between(const deriver *d)
{
    for (int face = 0; face < 2 * d->p->dim; face++) {
        const statement *s = field_border(d->p, d->unknown, face / 2, face % 2);
        if (s && border_rules[s->border].wall == WALL_BETWEEN)
            return true;
    }
    return false;
}

/* Names the property that slows multigrid down, for any kind of wall. NULL: there is
 * none. */
static const char *find_trouble(const deriver *d)
{
    if (!d->form.constant)
        return "coefficients that vary";
    for (int k = 0; k + 1 < d->grids; k++)
        if (d->spectrum.smooth[k] < 0.09 * d->spectrum.high[k])
            return "an operator that couples its axes unequally";
    return NULL;
}

/* Case: walls lie between points and no face gives a value. A cycle is then not symmetric
 * enough to precondition conjugate gradients: they break down on slowly varying errors.
 * Cycles alone converge. If another property slows the cycles down, plain conjugate
 * gradients are used. */
static void choose_between_open_walls(deriver *d, const char *trouble)
{
    const bool plain = trouble && operator_is_symmetric(d);

    d->method = plain ? &solve_cg : &solve_multigrid;
    d->why = arena_print(d->arena, "walls between points, no given value%s%s",
                         trouble ? ", " : "", trouble ? trouble : "");
}

static void choose(deriver *d)
{
    const char *trouble = find_trouble(d);
    const bool between = has_walls_between(d);

    d->usual_cycle = 'F';
    if (d->mask) /* coarser grids miss details one point wide */
        trouble = "a mask";
    if (between && !d->fixed && !multigrid_refuses(d)) {
        choose_between_open_walls(d, trouble);
        return;
    }
    if (between && !d->mask)
        trouble = "walls between points";
    d->by_multigrid = trouble && operator_is_symmetric(d) && !multigrid_refuses(d);
    d->method = d->by_multigrid ? &solve_cg : &solve_multigrid;
    d->why = d->by_multigrid           ? trouble
             : hierarchy_keeps_axes(d) ? "axes couple unequally"
                                       : "all axes can be halved";
    if (hierarchy_keeps_axes(d))
        d->why = arena_print(d->arena, "%s, so grids halve %s", d->why,
                             hierarchy_text(d));
    if (!multigrid_refuses(d))
        return;
    d->method = operator_is_symmetric(d) ? &solve_cg : &solve_jacobi;
    d->why = operator_is_symmetric(d) ? "the grid cannot be halved"
                                      : "the operator is not symmetric, and the grid "
                                        "cannot be halved";
}

static void find_method(deriver *d)
{
    const char *name = d->solve->method;

    if (strcmp(name, "auto") == 0)
        choose(d);
    else
        d->method = method_named(d, name);
    setting_check(d);
    const char *why = d->method->refuses(d);
    if (why)
        solve_fail(d, PAV_EUNSUPPORTED, "%s cannot solve this: %s", name, why);
}

/* ---- the text ---------------------------------------------------------------------- */

/* Declares whether constants are in the null space. For constant weights this is known;
 * otherwise it is computed at the start. */
static void declare_null(deriver *d)
{
    const expr *one = tree_number(d, num_int(1));
    const expr *image = d->form.constant ? NULL : copy_linear(d, d->difference, one, 0);

    if (image)
        text_add(
            d->head,
            "param %snull = where(max(abs(%s + 0*%s)) <= 1e-12*max(abs(%s)), 1, 0)\n",
            d->prefix, tree_text(d, image), d->unknown->name, operator_diagonal(d));
    else
        text_add(d->head, "param %snull = 1\n", d->prefix);
}

/* The residual at u = 0: the right side, and fluxes through faces. For a singular
 * operator the residual of any u has the same sum, but the large differences of u would
 * add rounding errors to it. */
static const char *right_side(deriver *d)
{
    const expr *zero = write_has_values(d)
                           ? tree_field(d, write_like_unknown(d, "zero"), 0)
                           : tree_number(d, num_int(0));

    return arena_print(d->arena, "(%s - (%s) + 0*%s)",
                       tree_text(d, copy_with(d, d->right, zero, 0)),
                       tree_text(d, copy_with(d, d->left, zero, 0)), d->unknown->name);
}

/* Declares the part of the right side outside the range of the operator, which is its
 * mean, and the mean of u at the start, to be kept by the solution. The right side may be
 * pure rounding error, for example for a fluid at rest. The gap is therefore compared
 * with the rounding error of the operator's sums, too. */
static void declare_mean(deriver *d)
{
    const char *p = d->prefix, *weight = write_weight(d), *u = d->unknown->name;
    const char *side = right_side(d);
    const double rounding = 100 * (d->p->real == PAV_F32 ? FLT_EPSILON : DBL_EPSILON);

    text_add(d->head, "param %sall = sum(%s + 0*%s)\n", p, weight, u);
    text_add(d->head, "param %sbias = sum(%s*%s)\n", p, weight, side);
    declare_null(d);
    text_add(d->head,
             "param %sgap = %snull*abs(%sbias)/max(sum(abs(%s*%s)), "
             "max(%.3g*sum(abs(%s*%s*%s)), 1e-300))\n",
             p, p, p, weight, side, rounding, weight, operator_diagonal(d), u);
    text_add(d->head, "param %smean = %snull*%sbias/%sall\n", p, p, p, p);
    text_add(d->head, "param %slevel = sum(%s*%s)/%sall\n", p, weight, u, p);
    text_add(d->head, "let %sdrift = %snull*(sum(%s*%s)/%sall - %slevel)\n", p, p, weight,
             u, p, p);
}

static const char *norm_text(deriver *d)
{
    return arena_print(d->arena, "norm(where(%s, %s, 0))", write_inside(d),
                       operator_residual(d, d->unknown->name));
}

/* An equation for u' keeps the statements for its solver only. Any other equation keeps
 * all statements but itself and its mask. */
static bool is_kept(const deriver *d, const statement *s)
{
    return d->given ? step_keeps(d, s) : s != d->solve && s != d->mask;
}

static void write_statements(deriver *d, text *t)
{
    bool steps = false;

    for (const statement *s = d->p->first; s; s = s->next) {
        if (!is_kept(d, s))
            continue;
        steps = steps || s->kind == STATEMENT_STEPS;
        if (d->given)
            step_print(d, s, t);
        else
            statement_print(d->p, s, t);
        text_add(t, "\n");
    }
    if (!steps)
        text_add(t, "steps %lld\n", (long long)d->method->steps);
}

/* The mask of the unknown. The fields of coarser grids have masks of their own. */
static void keep_mask(deriver *d)
{
    if (d->mask)
        text_add(d->tail, "mask %s = %s\n", d->unknown->name, mask_text(d, 0));
}

static void write_all(deriver *d, text *t)
{
    const char *p = d->prefix;
    const int every = setting_count(d, "every", d->method->every, 1, 1000000);

    if (d->singular)
        declare_mean(d);
    operator_declare(d);
    d->method->derive(d);
    write_borders(d);
    keep_mask(d);
    if (d->given)
        text_add(d->tail, "param %sstart = max(norm(where(%s, %s, 0)), %s)\n", p,
                 write_inside(d), d->given, norm_text(d));
    else
        text_add(d->tail, "param %sstart = %s\n", p, norm_text(d));
    text_add(d->tail, "until %s <= ", norm_text(d));
    text_add_double(d->tail, num_f64(d->solve->tolerance));
    text_add(d->tail, "*%sstart every %d\n", p, every);
    text_add(t, "# %s by %s: %s\n", d->unknown->name, d->method->name, d->about);
    hierarchy_list(d, d->used, t);
    write_statements(d, t);
    text *const own[] = {d->head, d->equations, d->tail};
    for (size_t k = 0; k < COUNT_OF(own) && d->p->upright; k++)
        if (own[k]->data && !own[k]->failed)
            upright_swap(own[k]->data, own[k]->length);
    text_add(t, "%s%s%s", d->head->data ? d->head->data : "",
             d->equations->data ? d->equations->data : "",
             d->tail->data ? d->tail->data : "");
}

/* ---- deriving ---------------------------------------------------------------------- */

/* The strings outside the arena, freed by free_texts. */
typedef struct texts {
    text head, equations, tail, all;
    text step; /* the statements of the step in place of the equation */
} texts;

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

static pav_status derive(deriver *d, texts *t)
{
    refuse_others(d);
    equation_understand(d);
    find_method(d);
    write_all(d, &t->all);
    if (d->given)
        step_equations(d, &t->step);
    const bool failed = t->head.failed || t->equations.failed || t->tail.failed;
    return failed || t->all.failed ? PAV_ENOMEM : PAV_OK;
}

void statement_keep_place(const statement *s, statement *m)
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

static void keep_lines(const deriver *d, program *made)
{
    statement *m = made->first;

    for (const statement *s = d->p->first; s && m; s = s->next) {
        if (!is_kept(d, s))
            continue;
        statement_keep_place(s, m);
        m = m->next;
    }
}

static int64_t longest_axis(const program *p)
{
    int64_t longest = 1;

    for (int axis = 0; axis < p->dim; axis++)
        if (p->axis[axis].points > longest)
            longest = p->axis[axis].points;
    return longest;
}

/* Estimates the number of steps from the tolerance. A cycle reduces the residual to a
 * tenth, or to 0.4 of it if walls lie between points. Conjugate gradients reduce it to a
 * fifth per cycle if preconditioned by cycles; otherwise the condition number of the
 * operator gives the estimate. 0: unknown. */
static int64_t expected_steps(const deriver *d, bool cycles)
{
    const double tolerance = num_f64(d->solve->tolerance);
    const double digits = fmax(-log10(tolerance), 0);
    const double condition = d->spectrum.high[0] / d->spectrum.low[0];

    if (cycles)
        return 2 + (int64_t)ceil((has_walls_between(d) ? 2.5 : 1) * digits);
    if (d->method == &solve_cg && d->used)
        return 2 + (int64_t)ceil(1.5 * digits);
    if (d->method != &solve_cg || !(d->spectrum.low[0] > 0) || !(condition < 1e12))
        return 0;
    return 1 + (int64_t)ceil(sqrt(condition) * log(2 / tolerance) / 2);
}

/* Copies the names for the run into the memory of the derived program. */
static void keep(const deriver *d, solution *s)
{
    arena *a = s->program->arena;

    s->field = arena_print(a, "%s", d->unknown->name);
    s->method = d->method->name;
    s->about = arena_print(a, "%s%s%s%s", d->about, d->why ? " (auto: " : "",
                           d->why ? d->why : "", d->why ? ")" : "");
    s->start = arena_print(a, "%sstart", d->prefix);
    s->gap = d->singular ? arena_print(a, "%sgap", d->prefix) : NULL;
    s->tolerance = num_f64(d->solve->tolerance);
    s->line = d->solve->at.line;
    s->needs_spd = d->method->needs_spd;
    for (int k = 0; k < s->handed; k++) {
        s->hand[k].from = arena_print(a, "%s", s->hand[k].from);
        s->hand[k].to = arena_print(a, "%s", s->hand[k].to);
    }
    s->solved = d->solved ? arena_print(a, "%s", d->solved) : NULL;
    const bool cycles = d->method == &solve_multigrid || d->method == &solve_vcycle;

    s->patience = cycles ? 25 : 25 + 16 * longest_axis(d->p);
    s->expected = expected_steps(d, cycles);
}

static pav_status keep_guarded(const deriver *d, solution *s)
{
    s->program->derived = true;
    if (d->given) /* the run sets the time of the step */
        s->program->dt = NULL;
    keep_lines(d, s->program);
    keep(d, s);
    return PAV_OK;
}

/* A parse error here is a bug of the derivation, or a requirement of the method violated
 * by the description. */
static pav_status parse(const deriver *d, texts *t, solution *result)
{
    pav_status status = text_take(&t->all, &result->source);
    char why[300];

    if (status == PAV_OK)
        status = program_parse_derived(result->source, d->p, &result->program);
    if (status != PAV_OK)
        return FAIL(status, "%s:%d: the program that solves this by %s is refused: %s",
                    d->p->name, d->solve->at.line, d->method->name,
                    solve_reason(d->p, why, sizeof why));
    ARENA_GUARD(result->program->arena, status, keep_guarded(d, result));
    return status;
}

static void free_texts(deriver *d, texts *t)
{
    text_free(&t->head);
    text_free(&t->equations);
    text_free(&t->tail);
    for (int k = 0; k < MOST_GRIDS; k++)
        text_free(&d->zeros[k]);
    text_free(&t->all);
    text_free(&t->step);
}

static pav_status derive_guarded(deriver *d, texts *t, int number)
{
    equation_choose_prefix(d);
    if (d->level) {
        d->given = arena_print(d->arena, "%sgiven%d", d->prefix, number);
        d->solved = arena_print(d->arena, "%ssolved%d", d->prefix, number);
    }
    return derive(d, t);
}

pav_status solve_one(const program *p, const statement *equation, int number, text *step,
                     solution *result)
{
    deriver *d = mem_new(1, sizeof *d);
    texts t = {0};

    *result = (solution){0};
    if (!d)
        return PAV_ENOMEM;
    *d = (deriver){.p = p,
                   .solve = equation,
                   .unknown = equation->symbol,
                   .level = equation->level,
                   .method = &solve_jacobi,
                   .solution = result,
                   .arena = arena_new(),
                   .head = &t.head,
                   .equations = &t.equations,
                   .tail = &t.tail};
    pav_status status = PAV_ENOMEM;
    if (d->arena)
        ARENA_GUARD(d->arena, status, derive_guarded(d, &t, number));
    if (status == PAV_OK)
        status = parse(d, &t, result);
    if (status == PAV_OK && step)
        text_add(step, "%s", t.step.data ? t.step.data : "");
    if (status != PAV_OK)
        solution_free(result); /* and the message stays */
    free_texts(d, &t);
    arena_free(d->arena);
    mem_free(d);
    return status;
}

pav_status solve_derive(const program *p, solution *result)
{
    *result = (solution){0};
    TRY(program_refuse_mesh(p));
    for (const statement *s = p->first; s; s = s->next)
        if (s->kind == STATEMENT_SOLVE)
            return s->level ? solve_in_steps(p, result)
                            : solve_one(p, s, 0, NULL, result);
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
