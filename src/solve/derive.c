/* SPDX-License-Identifier: BSD-3-Clause */
/* From a description with an equation to solve to the one whose steps solve it: what is known of the
 * equation, the method, and the text, which is then parsed as any other. */
#include <math.h>
#include <string.h>

#include "solve/solve_private.h"

const solve_method *const solve_methods[] = {
    &solve_jacobi, &solve_chebyshev, &solve_sor, &solve_cg, &solve_multigrid, NULL,
};

/* ---- what is known ----------------------------------------------------------------------------- */

static void choose_prefix(deriver *d)
{
    const symbol_list *const lists[] = {&d->p->fields, &d->p->params,   &d->p->scalars,
                                        &d->p->lets,   &d->p->stencils, &d->p->measures};

    d->prefix = "mg_";
    for (int again = 1; again;) {
        again = 0;
        for (size_t l = 0; l < COUNT_OF(lists); l++)
            for (int64_t k = 0; k < lists[l]->count; k++)
                again |= strncmp(lists[l]->item[k]->name, d->prefix, strlen(d->prefix)) ==
                         0;
        if (again)
            d->prefix = arena_print(d->arena, "%s_", d->prefix);
    }
}

static void find_faces(deriver *d)
{
    for (int face = 0; face < 2 * d->p->dim; face++) {
        const statement *s = field_border(d->p, d->unknown, face / 2, face % 2);
        if (!s)
            continue;
        if (s->kind == STATEMENT_ABSORB)
            solve_fail(d, PAV_EUNSUPPORTED,
                       "an absorbing layer damps what a step changes, and '%s' is solved "
                       "for: give it a border",
                       d->unknown->name);
        if (s->border == BORDER_PERIODIC)
            d->periodic |= 1u << face;
        else if (s->border == BORDER_VALUE || s->border == BORDER_ODD ||
                 s->border == BORDER_BEYOND)
            d->fixed |= 1u << face;
    }
}

static void find_mask(deriver *d)
{
    for (const statement *s = d->p->first; s; s = s->next) {
        if (s->kind != STATEMENT_MASK || (s->symbol && s->symbol != d->unknown))
            continue;
        if (s->file || d->mask)
            solve_fail(d, PAV_EUNSUPPORTED,
                       "a mask of '%s' that is solved for must be one condition, not %s",
                       d->unknown->name, s->file ? "a file" : "two");
        d->mask = s;
    }
}

/* A grid keeps a point to solve for, and as many as are read. */
static bool is_halved(const deriver *d, int axis, int coarse)
{
    const int64_t n = coarse_extent(d->p, coarse - 1, axis);
    int64_t least = 2;

    if (n == 1)
        return true;
    for (int64_t k = 0; k < d->form.count; k++)
        if (d->form.tap[k].offset[axis] >= least)
            least = d->form.tap[k].offset[axis] + 1;
    if (n <= 2 || n / 2 + n % 2 < least || (n % 2 && d->periodic & FACE_BIT(axis, 0)))
        return false;
    return wall_unknowns(d, axis, coarse) > 0;
}

/* How often every axis can be halved. */
static int count_grids(const deriver *d)
{
    int grids = 1;

    for (; grids < MOST_GRIDS; grids++) {
        bool larger = false;
        for (int axis = 0; axis < d->p->dim; axis++) {
            if (!is_halved(d, axis, grids))
                return grids;
            larger = larger || coarse_extent(d->p, grids - 1, axis) > 1;
        }
        if (!larger)
            return grids;
    }
    return grids;
}

static void check_taps(deriver *d)
{
    if (d->unknown->coarse)
        solve_fail(d, PAV_EUNSUPPORTED,
                   "'%s' is coarse; only fields of the grid are solved for",
                   d->unknown->name);
    if (d->form.constant && !(fabs(d->form.diagonal) > 0))
        solve_fail(d, PAV_EUNSUPPORTED,
                   "the equation does not hold '%s' at its own point, so no relaxation "
                   "can begin",
                   d->unknown->name);
}

static bool has_transfer(const expr *e)
{
    bool found = e->kind == EXPR_TRANSFER;

    for (int k = 0; k < e->count && !found; k++)
        found = has_transfer(e->arg[k]);
    return found;
}

static void understand(deriver *d)
{
    choose_prefix(d);
    find_faces(d);
    find_mask(d);
    d->left = copy_inlined(d, d->solve->value);
    d->right = copy_inlined(d, d->solve->right);
    expr *difference = arena_alloc(d->arena, 1, sizeof *difference);
    *difference = (expr){.kind = EXPR_BINARY, .op = OP_SUB, .count = 2};
    difference->arg = arena_alloc(d->arena, 2, sizeof *difference->arg);
    memcpy(difference->arg, (const void *[]){d->left, d->right}, 2 * sizeof(void *));
    d->difference = difference;
    if (has_transfer(difference))
        solve_fail(d, PAV_EUNSUPPORTED,
                   "restrict and interpolate cannot stand in an equation to solve");
    form_find(d);
    check_taps(d);
    d->singular = !d->fixed && !d->mask &&
                  (!d->form.constant || operator_sums_to_zero(d));
    d->grids = count_grids(d);
    spectrum_find(d);
}

/* ---- the method --------------------------------------------------------------------------------- */

static const solve_method *method_named(deriver *d, const char *name)
{
    for (const solve_method *const *m = solve_methods; *m; m++)
        if (strcmp((*m)->name, name) == 0)
            return *m;
    solve_fail(d, PAV_EUNSUPPORTED,
               "the method %s is not built yet: take jacobi, or auto", name);
}

/* What multigrid alone is slow at. */
static const char *find_trouble(const deriver *d)
{
    for (int face = 0; face < 2 * d->p->dim; face++) {
        const statement *s = field_border(d->p, d->unknown, face / 2, face % 2);
        if (s && (s->border == BORDER_MIRROR || s->border == BORDER_CLAMP))
            return "walls between points";
    }
    if (!d->form.constant)
        return "coefficients that vary";
    return d->spectrum.smooth < 0.12 * d->spectrum.high
               ? "an operator that couples its axes unequally"
               : NULL;
}

static void choose(deriver *d)
{
    const char *trouble = find_trouble(d);

    d->usual_cycle = 'F';
    d->by_multigrid = trouble && operator_is_symmetric(d) && !multigrid_refuses(d);
    d->method = d->by_multigrid ? &solve_cg : &solve_multigrid;
    d->why = d->by_multigrid ? trouble : "all axes can be halved";
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

/* ---- the text ----------------------------------------------------------------------------------- */

/* Whether a constant is in the null space: known, or (weights that vary) found at the start. */
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

/* The part of the right side that no u gives: the mean of the residual over the points. And the mean
 * of u at the start, which the solution is to keep. */
static void declare_mean(deriver *d)
{
    const char *p = d->prefix, *weight = write_weight(d), *u = d->unknown->name;
    const expr *unknown = tree_field(d, u, 0);
    const char *r = arena_print(d->arena, "(%s - (%s))",
                                tree_text(d, copy_with(d, d->right, unknown, 0)),
                                tree_text(d, copy_with(d, d->left, unknown, 0)));

    text_add(d->head, "param %sall = sum(%s + 0*%s)\n", p, weight, u);
    text_add(d->head, "param %sbias = sum(%s*%s)\n", p, weight, r);
    declare_null(d);
    text_add(d->head, "param %sgap = %snull*abs(%sbias)/max(sum(abs(%s*%s)), 1e-300)\n",
             p, p, p, weight, r);
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

static void write_statements(deriver *d, text *t)
{
    bool steps = false;

    for (const statement *s = d->p->first; s; s = s->next) {
        if (s == d->solve)
            continue;
        if (s->kind == STATEMENT_UPDATE || s->kind == STATEMENT_INJECT)
            solve_fail(d, PAV_EUNSUPPORTED,
                       "an equation to solve stands alone: updates and injections beside "
                       "it (line %d) are not run yet",
                       s->at.line);
        if (s == d->mask)
            continue;
        steps = steps || s->kind == STATEMENT_STEPS;
        statement_print(d->p, s, t);
        text_add(t, "\n");
    }
    if (!steps)
        text_add(t, "steps %lld\n", (long long)d->method->steps);
}

/* For the unknown alone: fields of coarser grids have masks of their own. */
static void keep_mask(deriver *d)
{
    if (!d->mask)
        return;
    text_add(d->tail, "mask %s = ", d->unknown->name);
    expr_print(d->mask->value, d->tail);
    text_add(d->tail, "\n");
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
    text_add(d->tail, "param %sstart = %s\n", p, norm_text(d));
    text_add(d->tail, "until %s <= ", norm_text(d));
    text_add_double(d->tail, num_f64(d->solve->tolerance));
    text_add(d->tail, "*%sstart every %d\n", p, every);
    text_add(t, "# %s by %s: %s\n", d->unknown->name, d->method->name, d->about);
    write_statements(d, t);
    text *const own[] = {d->head, d->equations, d->tail};
    for (size_t k = 0; k < COUNT_OF(own) && d->p->upright; k++)
        if (own[k]->data && !own[k]->failed)
            upright_swap(own[k]->data, own[k]->length);
    text_add(t, "%s%s%s", d->head->data ? d->head->data : "",
             d->equations->data ? d->equations->data : "",
             d->tail->data ? d->tail->data : "");
}

/* ---- deriving ------------------------------------------------------------------------------------ */

/* Texts are not the arena's. */
typedef struct texts {
    text head, equations, tail, all;
} texts;

static const statement *find_solve(const program *p)
{
    for (const statement *s = p->first; s; s = s->next)
        if (s->kind == STATEMENT_SOLVE)
            return s;
    return NULL;
}

static pav_status derive(deriver *d, texts *t)
{
    for (const statement *s = d->solve->next; s; s = s->next)
        if (s->kind == STATEMENT_SOLVE)
            solve_fail(d, PAV_EUNSUPPORTED,
                       "one equation is solved at a time, and line %d has another",
                       s->at.line);
    understand(d);
    find_method(d);
    write_all(d, &t->all);
    const bool failed = t->head.failed || t->equations.failed || t->tail.failed;
    return failed || t->all.failed ? PAV_ENOMEM : PAV_OK;
}

/* Messages tell of lines of the description, not of the text that was derived. */
static void keep_lines(const deriver *d, program *made)
{
    statement *m = made->first;

    for (const statement *s = d->p->first; s && m; s = s->next) {
        if (s == d->solve || s == d->mask)
            continue;
        m->at = s->at;
        if (m->symbol && (s->kind == STATEMENT_FIELD || s->kind == STATEMENT_MEASURE ||
                          s->kind == STATEMENT_PARAM))
            m->symbol->at = s->at;
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

/* The names that the run watches, in the derived program's own memory. */
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
    s->patience = d->method == &solve_multigrid ? 25 : 25 + 4 * longest_axis(d->p);
}

static pav_status keep_guarded(const deriver *d, solution *s)
{
    s->program->derived = true;
    keep_lines(d, s->program);
    keep(d, s);
    return PAV_OK;
}

/* What does not parse is a mistake made here, but for what the method needs of the description. */
static pav_status parse(const deriver *d, texts *t, solution *result)
{
    const pav_program_options options = {.name = d->p->name,
                                         .directory = d->p->directory};
    pav_status status = text_take(&t->all, &result->source);

    if (status == PAV_OK)
        status = program_parse(result->source, (int64_t)strlen(result->source), &options,
                               &result->program);
    if (status != PAV_OK)
        return FAIL(status, "%s:%d: the program that solves this by %s is refused: %s",
                    d->p->name, d->solve->at.line, d->method->name, pav_message());
    ARENA_GUARD(result->program->arena, status, keep_guarded(d, result));
    return status;
}

pav_status solve_derive(const program *p, solution *result)
{
    deriver d = {.p = p, .solve = find_solve(p), .method = &solve_jacobi};
    texts t = {0};

    *result = (solution){0};
    TRY(program_refuse_mesh(p));
    if (!d.solve)
        return PAV_OK;
    d.arena = arena_new();
    if (!d.arena)
        return PAV_ENOMEM;
    d.unknown = d.solve->symbol;
    d.head = &t.head;
    d.equations = &t.equations;
    d.tail = &t.tail;
    pav_status status;
    ARENA_GUARD(d.arena, status, derive(&d, &t));
    if (status == PAV_OK)
        status = parse(&d, &t, result);
    if (status != PAV_OK)
        solution_free(result); /* and the message stays */
    text_free(&t.head);
    text_free(&t.equations);
    text_free(&t.tail);
    for (int k = 0; k < MOST_GRIDS; k++)
        text_free(&d.zeros[k]);
    text_free(&t.all);
    arena_free(d.arena);
    return status;
}

void solution_free(solution *s)
{
    program_free(s->program);
    mem_free(s->source);
    *s = (solution){0};
}
