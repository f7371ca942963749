/* SPDX-License-Identifier: BSD-3-Clause */
/* The adjoint of a description, as text that is compiled like any other. Let K be a field
 * whose equation reads F at level l with weight w, and A(n) the adjoint of a field at
 * time n. Then
 *
 *     A_F(n) = sum over all such reads of the transpose of w applied to A_K(n + 1 - l),
 *
 * so an equation for each field, in the opposite order, with as many levels as the
 * description has. */
#include <string.h>

#include "solve/adjoint/adjoint_private.h"

/* ---- names ------------------------------------------------------------------------- */

static bool is_taken(const adjoint_deriver *a, const char *name)
{
    const symbol_list *const lists[] = {&a->p->fields, &a->p->params,   &a->p->scalars,
                                        &a->p->lets,   &a->p->stencils, &a->p->measures};
    bool taken = false;

    for (size_t l = 0; l < COUNT_OF(lists); l++)
        for (int64_t k = 0; k < lists[l]->count; k++)
            taken |= strcmp(lists[l]->item[k]->name, name) == 0;
    return taken;
}

/* Fields of a matched layer have spaces in their names. */
const char *adjoint_unique(adjoint_deriver *a, const char *stem, const char *ending)
{
    char *name = arena_print(a->d.arena, "%s%s", stem, ending);

    for (char *c = name; *c; c++)
        if (*c == ' ')
            *c = '_';
    while (is_taken(a, name))
        name = arena_print(a->d.arena, "%s_", name);
    return name;
}

const char *adjoint_file(adjoint_deriver *a, const char *stem, int number)
{
    const char *folder = a->wish->folder ? a->wish->folder : "";
    const char *slash = a->wish->folder ? "/" : "";

    if (number == 0)
        return arena_print(a->d.arena, "%s%s%s.npy", folder, slash, stem);
    return arena_print(a->d.arena, "%s%s%s-%d.npy", folder, slash, stem, number);
}

adjoint_part *adjoint_part_of(const adjoint_deriver *a, const symbol *field)
{
    for (int64_t k = 0; k < a->parts; k++)
        if (a->part[k].field == field)
            return &a->part[k];
    return NULL;
}

/* ---- what is there ----------------------------------------------------------------- */

static void refuse_statement(adjoint_deriver *a, const statement *s)
{
    a->d.solve = s;
    if (s->kind == STATEMENT_MASK)
        solve_fail(&a->d, PAV_EUNSUPPORTED,
                   "a mask has no adjoint here: write it as where() in the equation");
    if (s->kind == STATEMENT_SOLVE)
        solve_fail(&a->d, PAV_EUNSUPPORTED, "an equation to solve has no adjoint here");
    if (s->kind == STATEMENT_UPDATE && s->symbol->coarse)
        solve_fail(&a->d, PAV_EUNSUPPORTED, "the coarse field '%s' has no adjoint here",
                   s->symbol->name);
}

static void refuse_stretched(adjoint_deriver *a)
{
    for (int axis = 0; axis < a->p->dim; axis++)
        if (axis_stretched(a->p, axis))
            solve_fail(&a->d, PAV_EUNSUPPORTED,
                       "the axis %c is stretched, and derivatives along it have no "
                       "adjoint here",
                       axis_letter(a->p, axis));
}

static void find_parts(adjoint_deriver *a)
{
    refuse_stretched(a);
    a->part = arena_alloc(a->d.arena, a->p->fields.count + 1, sizeof *a->part);
    for (const statement *s = a->p->first; s; s = s->next) {
        refuse_statement(a, s);
        if (s->kind != STATEMENT_UPDATE)
            continue;
        adjoint_part *part = &a->part[a->parts++];
        part->field = s->symbol;
        part->equation = s;
        part->value = copy_inlined(&a->d, s->value);
        part->name = adjoint_unique(a, s->symbol->name, "_adjoint");
    }
    if (a->parts == 0)
        solve_fail(&a->d, PAV_EUNSUPPORTED,
                   "the description updates no field, so there is nothing to go back");
}

/* A field of the description's own, for messages. */
const char *adjoint_first_named(const adjoint_deriver *a)
{
    int64_t k = 0;

    while (k < a->parts - 1 && a->part[k].equation->made)
        k++;
    return a->part[k].field->name;
}

static void find_sources(adjoint_deriver *a)
{
    for (const statement *s = a->p->first; s; s = s->next) {
        adjoint_part *part = s->symbol ? adjoint_part_of(a, s->symbol) : NULL;
        if (s->kind == STATEMENT_INJECT && part)
            part->sourced = true;
    }
}

/* ---- reads of new values ----------------------------------------------------------- */

static bool reads_new(const expr *e, const symbol *field)
{
    bool found = e->kind == EXPR_SYMBOL && e->symbol == field && e->level == 1;

    for (int k = 0; k < e->count && !found; k++)
        found = reads_new(e->arg[k], field);
    return found;
}

/* Residuals go into an adjoint once its equations are done; what the received field's
 * equation reads of new values is a step ahead, and sees them. */
static void choose_ahead(adjoint_deriver *a)
{
    for (int64_t k = a->parts - 1; k >= 0; k--) {
        const adjoint_part *reader = &a->part[k];
        for (int64_t j = 0; j < k; j++)
            if ((reader->received || reader->ahead) &&
                reads_new(reader->value, a->part[j].field))
                a->part[j].ahead = 1;
    }
}

/* What goes into a field is seen by the next step alone, and its adjoint also gathers
 * what equations of the same step read. */
static void check_sources(adjoint_deriver *a)
{
    for (int64_t k = 0; k < a->parts; k++)
        for (int64_t j = 0; j < k && a->wish->test; j++)
            if (a->part[j].sourced && reads_new(a->part[k].value, a->part[j].field))
                solve_fail(
                    &a->d, PAV_EUNSUPPORTED,
                    "a source goes into '%s', whose new value the equation of '%s' "
                    "reads: the test is of sources in fields that are computed "
                    "last",
                    a->part[j].field->name, a->part[k].field->name);
}

/* ---- contributions ----------------------------------------------------------------- */

static bool is_updated(const transposition *t, const symbol *field)
{
    (void)t;
    return field->updated;
}

static void add(adjoint_deriver *a, expr **sum, expr *more)
{
    *sum = *sum ? tree_binary(&a->d, OP_ADD, *sum, more) : more;
}

/* t->user is the part whose equation is transposed. */
static void contribute(transposition *t, const expr *leaf, expr *cotangent)
{
    adjoint_deriver *a = t->a;

    arena_reserve(a->d.arena, &a->contribution, a->contributions, &a->room,
                  sizeof *a->contribution);
    a->contribution[a->contributions++] = (contribution){
        t->user, adjoint_part_of(a, leaf->symbol), a->own, leaf->level, cotangent};
}

static void transpose_all(adjoint_deriver *a)
{
    for (int64_t k = 0; k < a->parts; k++) {
        adjoint_part *reader = &a->part[k];
        expr *own = tree_field(&a->d, reader->name, 0);
        expr *factor = sponge_factor(a, reader->field);
        transposition t = {.a = a,
                           .linear = true,
                           .is_target = is_updated,
                           .take = contribute,
                           .user = reader};
        a->own = own->symbol;
        a->d.solve = reader->equation;
        transpose(&t, reader->value,
                  factor ? tree_binary(&a->d, OP_MUL, factor, own) : own);
    }
}

/* At the time of the step, with what a sponge does to older levels. */
static expr *contributed(adjoint_deriver *a, const contribution *c, const expr *cotangent)
{
    const int level = c->level + c->reader->ahead - c->part->ahead;
    expr *value = time_turned(a, cotangent, c->own, level, c->part->ahead - c->level);
    expr *factor = c->level < 0 ? sponge_factor(a, c->part->field) : NULL;

    for (int k = c->level; k < 0 && factor; k++)
        value = tree_binary(&a->d, OP_MUL, factor, value);
    return value;
}

/* What a point contributes to itself is scaled as it is. */
static bool is_scaled(const contribution *c)
{
    return c->reader == c->part && !scale_is_apart(c->cotangent, c->own);
}

static void add_up(adjoint_deriver *a, adjoint_part *part)
{
    expr *others = NULL, *made = NULL;

    for (int64_t k = 0; k < a->contributions; k++) {
        const contribution *c = &a->contribution[k];
        const bool of_layer = c->reader->equation->made || part->equation->made;
        const bool scaled = !part->scale || is_scaled(c);
        if (c->part != part)
            continue;
        const expr *cotangent = part->scale && is_scaled(c)
                                    ? c->cotangent
                                    : scale_removed(a, c->reader, c->own, c->cotangent);
        expr **sum = scaled ? (of_layer ? &part->made : &part->sum)
                            : (of_layer ? &made : &others);
        add(a, sum, contributed(a, c, cotangent));
    }
    if (others)
        add(a, &part->sum, tree_binary(&a->d, OP_MUL, part->scale, others));
    if (made)
        add(a, &part->made, tree_binary(&a->d, OP_MUL, part->scale, made));
}

/* ---- the text ---------------------------------------------------------------------- */

static bool mentions_updated(const expr *e)
{
    bool found = e->kind == EXPR_SYMBOL &&
                 ((e->symbol->kind == SYMBOL_FIELD && e->symbol->updated) ||
                  ((e->symbol->kind == SYMBOL_LET) && e->symbol->value &&
                   mentions_updated(e->symbol->value)));

    if (e->kind == EXPR_APPLY && e->symbol->value)
        found = found || mentions_updated(e->symbol->value);
    for (int k = 0; k < e->count && !found; k++)
        found = mentions_updated(e->arg[k]);
    return found;
}

/* Declarations that do not depend on what is updated. */
static bool is_kept(adjoint_deriver *a, const statement *s)
{
    switch (s->kind) {
    case STATEMENT_GRID:
    case STATEMENT_REAL:
    case STATEMENT_SCALAR:
    case STATEMENT_STENCIL: return true;
    case STATEMENT_PARAM:
    case STATEMENT_LET: return !mentions_updated(s->symbol->value);
    case STATEMENT_FIELD:
        a->d.solve = s;
        if (!s->symbol->updated && s->symbol->value && mentions_updated(s->symbol->value))
            solve_fail(&a->d, PAV_EUNSUPPORTED,
                       "the coefficient '%s' is made of an updated field",
                       s->symbol->name);
        return !s->symbol->updated;
    default: return false;
    }
}

static void add_fields(adjoint_deriver *a)
{
    for (int64_t k = 0; k < a->parts; k++) {
        const symbol *s = a->part[k].field;
        text_add(a->d.head, "field %s", a->part[k].name);
        if (s->storage_stated)
            text_add(a->d.head, " stored %s", pav_type_name(s->storage));
        text_add(a->d.head, "\n");
    }
}

/* Those ahead first, each in the opposite order. */
static void add_equations(adjoint_deriver *a)
{
    for (int ahead = 1; ahead >= 0; ahead--)
        for (int64_t k = a->parts - 1; k >= 0; k--)
            if (a->part[k].ahead == ahead) {
                const char *value = borders_fold(a, &a->part[k]);
                text_add(a->d.equations, "%s' = %s", a->part[k].name, value);
                receivers_add_held(a, &a->part[k]);
                text_add(a->d.equations, "\n");
            }
    receivers_empty_held(a);
}

static void add_sources(adjoint_deriver *a, text *t)
{
    for (const statement *s = a->p->first; s; s = s->next)
        if (s->kind == STATEMENT_INJECT && !a->wish->coefficients && !a->wish->image)
            sources_write(a, s, NULL, t);
}

static void swap_axes(const adjoint_deriver *a, text *t)
{
    if (a->p->upright && t->data && !t->failed)
        upright_swap(t->data, t->length);
}

static void write_adjoint(adjoint_deriver *a, text *t)
{
    text_add(t, "# %s backwards: step s stands for the time of step %lld - s\n",
             a->p->name, (long long)a->result->steps);
    for (const statement *s = a->p->first; s; s = s->next)
        if (is_kept(a, s) && !s->made) {
            statement_print(a->p, s, t);
            text_add(t, "\n");
        }
    add_fields(a);
    add_equations(a);
    sensitivity_write(a);
    borders_write(a);
    swap_axes(a, a->d.head);
    swap_axes(a, a->d.equations);
    swap_axes(a, a->d.tail);
    text_add(t, "%s%s%s", a->d.head->data ? a->d.head->data : "",
             a->d.equations->data ? a->d.equations->data : "",
             a->d.tail->data ? a->d.tail->data : "");
    receivers_write(a, t);
    text_add(t, "%s", a->injections.data ? a->injections.data : "");
    add_sources(a, t);
    text_add(t, "steps %lld\n", (long long)a->result->steps + 1);
}

static bool is_received(const adjoint_deriver *a, const statement *s)
{
    for (int64_t k = 0; k < a->result->channels; k++)
        if (a->result->channel[k].line == s)
            return true;
    return false;
}

/* Nothing is written or measured but what the receivers record. */
static void write_forward(adjoint_deriver *a, text *t)
{
    int number = 0;

    for (const statement *s = a->p->first; s; s = s->next) {
        const bool left_out = s->kind == STATEMENT_OUTPUT ||
                              s->kind == STATEMENT_MEASURE ||
                              s->kind == STATEMENT_UNTIL || s->kind == STATEMENT_EXPECT ||
                              s->kind == STATEMENT_CHECKPOINT ||
                              s->kind == STATEMENT_STEPS || s->kind == STATEMENT_SAMPLE ||
                              s->kind == STATEMENT_GATHER || s->made;
        if (left_out && !is_received(a, s))
            continue;
        number += s->kind == STATEMENT_INJECT;
        if (s->kind == STATEMENT_INJECT && a->wish->test)
            sources_write(a, s, adjoint_file(a, "source", number), t);
        else {
            statement_print(a->p, s, t);
            text_add(t, "\n");
        }
    }
    text_add(t, "steps %lld\n", (long long)a->result->steps);
}

/* ---- deriving ---------------------------------------------------------------------- */

static pav_status derive(adjoint_deriver *a, text *backward, text *forward)
{
    a->d.solve = a->p->first;
    a->result->steps = a->wish->steps > 0 ? a->wish->steps : a->p->steps;
    if (a->result->steps < 1)
        solve_fail(&a->d, PAV_EINVAL,
                   "the description does not say how many steps it takes: add `steps "
                   "1000`, or --steps 1000");
    find_parts(a);
    find_sources(a);
    receivers_find(a);
    choose_ahead(a);
    check_sources(a);
    receivers_hold(a);
    borders_choose(a);
    transpose_all(a);
    scales_choose(a);
    for (int64_t k = 0; k < a->parts; k++)
        add_up(a, &a->part[k]);
    write_adjoint(a, backward);
    write_forward(a, forward);
    const bool failed = a->d.head->failed || a->d.equations->failed || a->d.tail->failed;
    return failed || backward->failed || forward->failed ? PAV_ENOMEM : PAV_OK;
}

/* Names last as long as the derived program. */
static pav_status keep(const adjoint_deriver *a, adjoint *r)
{
    arena *to = r->program->arena;
    int64_t count = 0;

    adjoint_history *kept = arena_alloc(to, r->histories + 1, sizeof *kept);
    for (int64_t k = 0; k < r->histories; k++) {
        kept[k] = r->history[k];
        kept[k].name = arena_print(to, "%s", r->history[k].name);
    }
    r->history = kept;
    adjoint_channel *channel = arena_alloc(to, r->channels + 1, sizeof *channel);
    memcpy(channel, r->channel, (size_t)r->channels * sizeof *channel);
    r->channel = channel;
    while (a->wish->coefficients && a->wish->coefficients[count])
        count++;
    const char **gradient = arena_alloc(to, count + 1, sizeof *gradient);
    for (int64_t k = 0; k < count; k++)
        gradient[k] = arena_print(to, "%s", r->gradient[k]);
    r->gradient = gradient;
    for (count = 0; r->divisor[count];)
        count++;
    const char **divisor = arena_alloc(to, count + 1, sizeof *divisor);
    for (int64_t k = 0; k < count; k++)
        divisor[k] = arena_print(to, "%s", r->divisor[k]);
    r->divisor = divisor;
    r->weight = r->weight ? arena_print(to, "%s", r->weight) : NULL;
    r->image = r->image ? arena_print(to, "%s", r->image) : NULL;
    r->illumination = r->illumination ? arena_print(to, "%s", r->illumination) : NULL;
    return PAV_OK;
}

static symbol *find_named(const symbol_list *list, const char *name)
{
    for (int64_t k = 0; name && k < list->count; k++)
        if (strcmp(list->item[k]->name, name) == 0)
            return list->item[k];
    return NULL;
}

/* Sums over steps of which the past counts need no others. */
static void set_gates(const adjoint_wish *wish, const adjoint *r)
{
    const symbol_list *fields = &r->program->fields;
    const symbol *gate = find_named(&r->program->scalars, r->weight);
    symbol *image = find_named(fields, r->image),
           *light = find_named(fields, r->illumination);

    for (int64_t k = 0; wish->coefficients && wish->coefficients[k]; k++)
        find_named(fields, r->gradient[k])->gate = gate;
    if (image)
        image->gate = gate;
    if (light)
        light->gate = gate;
}

static pav_status parse(const adjoint_deriver *a, adjoint *r)
{
    const pav_program_options options = {.name = a->p->name,
                                         .directory = a->p->directory};
    pav_status status = program_parse(r->source, (int64_t)strlen(r->source), &options,
                                      &r->program);

    if (status != PAV_OK)
        return FAIL(status, "the adjoint of %s is refused: %s", a->p->name,
                    pav_message());
    ARENA_GUARD(r->program->arena, status, keep(a, r));
    if (status == PAV_OK)
        set_gates(a->wish, r);
    return status;
}

pav_status adjoint_derive(const program *p, const adjoint_wish *wish, adjoint *result)
{
    text head = {0}, equations = {0}, tail = {0}, backward = {0}, forward = {0};
    adjoint_deriver a = {.p = p, .wish = wish, .result = result};
    pav_status status;

    *result = (adjoint){0};
    TRY(program_refuse_mesh(p));
    a.d = (deriver){.p = p,
                    .arena = arena_new(),
                    .head = &head,
                    .equations = &equations,
                    .tail = &tail};
    if (!a.d.arena)
        return PAV_ENOMEM;
    ARENA_GUARD(a.d.arena, status, derive(&a, &backward, &forward));
    if (status == PAV_OK)
        status = text_take(&backward, &result->source);
    if (status == PAV_OK)
        status = text_take(&forward, &result->forward);
    if (status == PAV_OK)
        status = parse(&a, result);
    if (status != PAV_OK)
        adjoint_free(result); /* and the message stays */
    text *const own[] = {&head, &equations, &tail, &backward, &forward};
    for (size_t k = 0; k < COUNT_OF(own); k++)
        text_free(own[k]);
    text_free(&a.injections);
    arena_free(a.d.arena);
    return status;
}

void adjoint_free(adjoint *a)
{
    program_free(a->program);
    mem_free(a->source);
    mem_free(a->forward);
    *a = (adjoint){0};
}
