/* SPDX-License-Identifier: BSD-3-Clause */
/* Derives the adjoint of a description in the form of text, compiled like any other. Let
 * the equation of K read F at level l with weight w, and let A(n) be the adjoint of a
 * field at time n. Then
 *
 *     A_F(n) = sum over all such reads of the transpose of w applied to A_K(n + 1 - l).
 *
 * The adjoint has one equation for each field, in the opposite order, with the levels of
 * the description. */
#include <string.h>

#include "solve/adjoint/adjoint_private.h"

/* ---- names ------------------------------------------------------------------------- */

/* Makes a name unique. Fields of a matched layer have spaces in their names; they become
 * underscores. */
const char *adjoint_unique(adjoint_deriver *a, const char *stem, const char *ending)
{
    char *name = arena_print(a->result->names, "%s%s", stem, ending);

    for (char *c = name; *c; c++)
        if (*c == ' ')
            *c = '_';
    while (names_begin(a->p, name, strlen(name) + 1)) /* and ends there */
        name = arena_print(a->result->names, "%s_", name);
    return name;
}

const char *adjoint_file(adjoint_deriver *a, const char *stem, int number)
{
    const char *folder = a->wish->folder ? a->wish->folder : "";
    const char *slash = a->wish->folder ? "/" : "";

    return number ? arena_print(a->d.arena, "%s%s%s-%d.npy", folder, slash, stem, number)
                  : arena_print(a->d.arena, "%s%s%s.npy", folder, slash, stem);
}

adjoint_part *adjoint_part_of(const adjoint_deriver *a, const symbol *field)
{
    for (int64_t k = 0; k < a->parts; k++)
        if (a->part[k].field == field)
            return &a->part[k];
    return NULL;
}

/* ---- parts of the adjoint ---------------------------------------------------------- */

static void find_parts(adjoint_deriver *a)
{
    for (int axis = 0; axis < a->p->dim; axis++)
        if (axis_stretched(a->p, axis))
            solve_fail(&a->d, PAV_EUNSUPPORTED,
                       "the axis %c is stretched, and derivatives along it have no "
                       "adjoint here",
                       axis_letter(a->p, axis));
    a->part = arena_alloc(a->d.arena, a->p->fields.count + 1, sizeof *a->part);
    EACH_STATEMENT(s, a->p) {
        a->d.solve = s;
        if (s->kind == STATEMENT_SOLVE)
            solve_fail(&a->d, PAV_EUNSUPPORTED,
                       "an equation to solve has no adjoint here");
        if (s->kind == STATEMENT_STEPS && s->once)
            solve_fail(&a->d, PAV_EUNSUPPORTED,
                       "steps at once have no adjoint here: leave out 'at once'");
        if (s->kind == STATEMENT_BORDER && s->reads_fields)
            solve_fail(&a->d, PAV_EUNSUPPORTED,
                       "a border whose value reads fields has no adjoint here");
        if (s->interval.v > 0 && s->kind != STATEMENT_OUTPUT)
            solve_fail(&a->d, PAV_EUNSUPPORTED,
                       "'every ... time' has an adjoint for whole numbers of steps only: "
                       "let dt divide the time, or count steps");
        if (s->kind == STATEMENT_EVOLVE || s->kind == STATEMENT_ADVANCE)
            solve_fail(&a->d, PAV_EUNSUPPORTED,
                       s->kind == STATEMENT_EVOLVE
                           ? "the equation of a scalar has no adjoint here"
                           : "'advance' has no adjoint here: write its equations out");
        if (s->kind != STATEMENT_UPDATE)
            continue;
        if (s->along)
            solve_fail(&a->d, PAV_EUNSUPPORTED,
                       "an operation along an axis has no adjoint here");
        if (s->symbol->coarse)
            solve_fail(&a->d, PAV_EUNSUPPORTED,
                       "the coarse field '%s' has no adjoint here", s->symbol->name);
        a->part[a->parts++] = (adjoint_part){
            .field = s->symbol,
            .equation = s,
            .value = copy_inlined(&a->d, s->value),
            .name = adjoint_unique(a, s->symbol->name, "_adjoint")};
    }
    if (a->parts == 0)
        solve_fail(&a->d, PAV_EUNSUPPORTED,
                   "the description updates no field, so there is nothing to go back");
    EACH_STATEMENT(s, a->p) {
        adjoint_part *part = s->symbol ? adjoint_part_of(a, s->symbol) : NULL;
        if (s->kind == STATEMENT_INJECT && part)
            part->sourced = true;
    }
}

/* Name of a field declared by the user, for messages. */
static const char *adjoint_first_named(const adjoint_deriver *a)
{
    int64_t k = 0;

    while (k < a->parts - 1 && a->part[k].equation->made)
        k++;
    return a->part[k].field->name;
}

/* ---- reads of new values ----------------------------------------------------------- */

/* Residuals of receivers are added to an adjoint after its equation. The equation of a
 * received field may read new values of other fields. The adjoints of these fields run
 * one step ahead, so that they include the residuals.
 *
 * The test refuses sources in such fields. Only the next step reads an injected value,
 * but the adjoint of the field also includes reads by equations of the same step. */
static void choose_ahead(adjoint_deriver *a)
{
    for (int64_t k = a->parts - 1; k >= 0; k--) {
        const adjoint_part *reader = &a->part[k];
        for (int64_t j = 0; j < k; j++)
            if ((reader->received || reader->ahead) &&
                tree_reads_level(reader->value, a->part[j].field, 1))
                a->part[j].ahead = 1;
    }
    for (int64_t k = 0; k < a->parts; k++)
        for (int64_t j = 0; j < k && a->wish->test; j++)
            if (a->part[j].sourced &&
                tree_reads_level(a->part[k].value, a->part[j].field, 1))
                solve_fail(
                    &a->d, PAV_EUNSUPPORTED,
                    "a source goes into '%s', whose new value the equation of '%s' "
                    "reads: the test is of sources in fields that are computed "
                    "last",
                    a->part[j].field->name, a->part[k].field->name);
}

/* ---- receivers --------------------------------------------------------------------- */

/* The receivers of a description become sources of its adjoint. A column of a sample is a
 * sum of fields at neighbour points, times numbers. Its trace is injected into each of
 * these fields, at the same offsets and times the same number. */

static bool is_wanted(const adjoint_deriver *a, const statement *s)
{
    const statement *const *list = a->wish->receivers;
    bool listed = !list;

    for (; list && *list && !listed; list++)
        listed = *list == s;
    return sample_is_whole(s) && listed;
}

static void mark(adjoint_deriver *a, const statement *tap_of)
{
    adjoint_part *part = adjoint_part_of(a, tap_of->symbol);

    if (!part)
        solve_fail(&a->d, PAV_EUNSUPPORTED, "'%s' is sampled, and no equation updates it",
                   tap_of->symbol->name);
    part->received = true;
}

static bool is_moved(const sample_tap *tap)
{
    static const int here[MAX_DIM];

    return memcmp(tap->offset, here, sizeof here) != 0;
}

/* Marks the fields of each wanted sample. The statements of the columns of a sample of
 * sums precede the sample. */
static void receivers_find(adjoint_deriver *a)
{
    adjoint *r = a->result;

    EACH_STATEMENT(s, a->p) {
        if (!is_wanted(a, s))
            continue;
        a->d.solve = s;
        for (int k = 0; k < s->columns; k++)
            if (s->made_of[k]->kind != EXPR_SYMBOL)
                solve_fail(
                    &a->d, PAV_EUNSUPPORTED,
                    "the adjoint takes samples of fields and of sums of fields "
                    "times numbers, in derivatives, too; expression %d of this one "
                    "is another: leave it out",
                    k + 1);
        if (s->columns == 0)
            mark(a, s);
        for (const statement *part = a->p->first; part != s; part = part->next) {
            if (s->columns == 0 || part->gather != s)
                continue;
            for (int k = 0; k < part->taps; k++)
                if (is_moved(&part->tap[k]) &&
                    (part->points.file || part->points.method == POINTS_SINC))
                    solve_fail(&a->d, PAV_EUNSUPPORTED,
                               "the adjoint takes samples of derivatives and neighbours "
                               "at a list or a line of positions, and not `by sinc`: "
                               "sample fields there");
            mark(a, part);
        }
        for (int k = 0; k < (s->columns > 0 ? s->columns : 1); k++) {
            ARENA_ADD(r->names, r->channel, r->channels,
                      a->channel_room) = (adjoint_channel){s, k};
        }
    }
    if (r->channels == 0)
        solve_fail(&a->d, PAV_EINVAL,
                   "the description samples no field: its adjoint needs receivers, as in "
                   "`sample %s at ...`",
                   adjoint_first_named(a));
}

/* ---- sampled fields read in the same step ------------------------------------------ */

/* Declares a field for the received values of time N - s + 1 of each received field
 * ahead. They wait there for step s, the step that computes the adjoint. */
static void receivers_hold(adjoint_deriver *a)
{
    for (int64_t k = 0; k < a->parts; k++) {
        adjoint_part *part = &a->part[k];
        if (!part->received || !part->ahead)
            continue;
        part->waits_in = adjoint_unique(a, part->field->name, "_received");
        text_add(&a->d.head, "field %s\n", part->waits_in);
    }
}

static void receivers_add_kept(adjoint_deriver *a, const adjoint_part *part)
{
    if (!part->waits_in)
        return;
    text_add(&a->d.equations, " + %s", part->waits_in);
    if (part->scale)
        text_add(&a->d.equations, "*(%s)", tree_text(&a->d, part->scale));
}

static void receivers_empty_kept(adjoint_deriver *a)
{
    for (int64_t k = 0; k < a->parts; k++)
        if (a->part[k].waits_in) {
            text_add(&a->d.equations, "%s' = 0\n", a->part[k].waits_in);
            for (int face = 0; face < 2 * a->p->dim; face++)
                solve_write_border(&a->d.tail, BORDER_BEYOND, a->part[k].waits_in, NULL,
                                   face);
        }
}

/* ---- positions --------------------------------------------------------------------- */

/* The positions of a statement. A file has positions of sources and of receivers; the
 * kind of statement selects one. */
static points owned(const statement *s)
{
    points p = s->points;

    if (p.file && p.owner == POINTS_USUAL)
        p.owner = s->kind == STATEMENT_INJECT ? POINTS_SOURCES : POINTS_RECEIVERS;
    return p;
}

static points moved(adjoint_deriver *a, points p, const int *offset)
{
    expr *(*list)[MAX_DIM] = arena_alloc(a->d.arena, p.count + 1, sizeof *list);

    for (int k = 0; k < p.count; k++)
        for (int axis = 0; axis < a->p->dim; axis++) {
            const num by = num_mul(num_int(offset[axis]), a->p->axis[axis].step);
            list[k][axis] = tree_binary(&a->d, OP_ADD, p.list[k][axis],
                                        tree_number(&a->d, by));
        }
    p.list = list;
    return p;
}

static void print(adjoint_deriver *a, statement *s, const char *name, text *t)
{
    symbol field = {.name = name, .kind = SYMBOL_FIELD};

    s->symbol = &field;
    s->slice_axis = -1;
    statement_print(a->p, s, t);
    s->symbol = NULL;
}

static void sources_write(adjoint_deriver *a, const statement *s, const char *trace,
                          text *t)
{
    const adjoint_part *part = adjoint_part_of(a, s->symbol);
    statement own = {.kind = trace ? STATEMENT_INJECT : STATEMENT_SAMPLE,
                     .points = trace ? s->points : owned(s),
                     .trace = trace,
                     .value = tree_number(&a->d, num_int(1))};

    if (part)
        print(a, &own, trace ? s->symbol->name : part->name, t);
}

/* ---- the injected data ------------------------------------------------------------- */

static void write_tap(adjoint_deriver *a, const statement *s, const sample_tap *tap,
                      const char *trace, text *t)
{
    const adjoint_part *part = adjoint_part_of(a, s->symbol);
    statement own = {.kind = STATEMENT_INJECT, .points = owned(s), .trace = trace};

    if (tap && is_moved(tap))
        own.points = moved(a, own.points, tap->offset);
    const num weight = tap ? tap->weight : num_int(1);
    own.value = tree_number(&a->d, weight);
    if (part->scale && !part->waits_in)
        own.value = num_equal(weight, num_int(1))
                        ? part->scale
                        : tree_binary(&a->d, OP_MUL, own.value, part->scale);
    print(a, &own, part->waits_in ? part->waits_in : part->name, t);
    text_add(t, "\n");
}

static void receivers_write(adjoint_deriver *a, text *t)
{
    for (int64_t k = 0; k < a->result->channels; k++) {
        const adjoint_channel *c = &a->result->channel[k];
        const char *trace = adjoint_file(a, "data", (int)k);
        if (c->line->columns == 0)
            write_tap(a, c->line, NULL, trace, t);
        for (const statement *s = a->p->first; s != c->line; s = s->next)
            for (int n = 0; s->gather == c->line && s->of == c->column && n < s->taps;
                 n++)
                write_tap(a, s, &s->tap[n], trace, t);
    }
}

/* ---- the text ---------------------------------------------------------------------- */

/* Writes both descriptions: the adjoint, and the forward run. The traces of the forward
 * run's receivers are inputs of the adjoint. */

/* True for an updated field, and a let of one. */
static bool is_of_updated(const expr *e)
{
    const bool names = e->kind == EXPR_SYMBOL, applies = e->kind == EXPR_APPLY;

    return (names && e->symbol->kind == SYMBOL_FIELD && e->symbol->updated) ||
           ((applies || (names && e->symbol->kind == SYMBOL_LET)) && e->symbol->value &&
            tree_any(e->symbol->value, is_of_updated));
}

/* True for declarations independent of updated fields. */
static bool is_kept(adjoint_deriver *a, const statement *s)
{
    switch (s->kind) {
    case STATEMENT_GRID:
    case STATEMENT_REAL:
    case STATEMENT_SCALAR:
    case STATEMENT_STENCIL: return true;
    case STATEMENT_PARAM:
    case STATEMENT_LET: return !tree_any(s->symbol->value, is_of_updated);
    case STATEMENT_FIELD:
        a->d.solve = s;
        if (!s->symbol->updated && s->symbol->value &&
            tree_any(s->symbol->value, is_of_updated))
            solve_fail(&a->d, PAV_EUNSUPPORTED,
                       "the coefficient '%s' is made of an updated field",
                       s->symbol->name);
        return !s->symbol->updated;
    default: return false;
    }
}

/* Adjoints that are one step ahead come first. Each group is in the opposite order of the
 * description. */
static void add_equations(adjoint_deriver *a)
{
    for (int ahead = 1; ahead >= 0; ahead--)
        for (int64_t k = a->parts - 1; k >= 0; k--)
            if (a->part[k].ahead == ahead) {
                const char *value = borders_fold(a, &a->part[k]);
                text_add(&a->d.equations, "%s' = %s", a->part[k].name, value);
                receivers_add_kept(a, &a->part[k]);
                text_add(&a->d.equations, "\n");
            }
    receivers_empty_kept(a);
}

/* Gives the adjoint the masks of the description. No source reaches a masked point, so
 * its adjoint is irrelevant. It stays 0 and contributes nothing, because the forward run
 * does not evaluate its equation. */
static void add_masks(adjoint_deriver *a, text *t)
{
    EACH_STATEMENT(s, a->p) {
        symbol field = {.kind = SYMBOL_FIELD};
        statement own = *s;
        if (s->kind != STATEMENT_MASK)
            continue;
        a->d.solve = s;
        if (s->insulated)
            solve_fail(&a->d, PAV_EUNSUPPORTED, "an insulated mask has no adjoint here");
        if (s->value && tree_any(s->value, is_of_updated))
            solve_fail(&a->d, PAV_EUNSUPPORTED,
                       "a mask of an updated field has no adjoint here: make it one of a "
                       "coefficient");
        if (s->symbol) {
            field.name = adjoint_part_of(a, s->symbol)->name;
            own.symbol = &field;
        }
        statement_print(a->p, &own, t);
        text_add(t, "\n");
    }
}

static void adjoint_write_back(adjoint_deriver *a, text *t)
{
    text_add(t, "# %s backwards: step s stands for the time of step %lld - s\n",
             a->p->name, (long long)a->result->steps);
    program whole = *a->p; /* sums of tiny products make the gradient */
    whole.tiny = num_int(0);
    EACH_STATEMENT(s, a->p)
        if (is_kept(a, s) && !s->made) {
            statement_print(&whole, s, t);
            text_add(t, "\n");
        }
    for (int64_t k = 0; k < a->parts; k++) {
        const symbol *f = a->part[k].field;
        text_add(&a->d.head, "field %s", a->part[k].name);
        if (f->storage_stated)
            text_add(&a->d.head, " stored %s", pav_type_name(f->storage));
        text_add(&a->d.head, "\n");
    }
    add_equations(a);
    sensitivity_write(a);
    borders_write(a);
    write_own(&a->d, t);
    add_masks(a, t);
    receivers_write(a, t);
    text_add(t, "%s", a->injections.data ? a->injections.data : "");
    EACH_STATEMENT(s, a->p)
        if (s->kind == STATEMENT_INJECT && !a->wish->coefficients && !a->wish->image) {
            sources_write(a, s, NULL, t);
            text_add(t, "\n");
        }
    text_add(t, "steps %lld\n", (long long)a->result->steps + 1);
}

/* The forward run has no output and no measures, only the records of the receivers. */
static void adjoint_write_forward(adjoint_deriver *a, text *t)
{
    int number = 0, line = 1;

    EACH_STATEMENT(s, a->p) {
        const bool left_out = s->kind == STATEMENT_OUTPUT ||
                              s->kind == STATEMENT_MEASURE ||
                              s->kind == STATEMENT_UNTIL || s->kind == STATEMENT_EXPECT ||
                              s->kind == STATEMENT_CHECKPOINT ||
                              s->kind == STATEMENT_STEPS || s->kind == STATEMENT_SAMPLE ||
                              s->kind == STATEMENT_GATHER || s->made;
        bool received = false;
        for (int64_t k = 0; k < a->result->channels; k++)
            received = received || a->result->channel[k].line == s;
        if (left_out && !received)
            continue;
        number += s->kind == STATEMENT_INJECT;
        statement_begin_line(s, &line, t);
        if (s->kind == STATEMENT_INJECT && a->wish->test)
            sources_write(a, s, adjoint_file(a, "source", number), t);
        else
            statement_print(a->p, s, t);
    }
    text_add(t, "\nsteps %lld\n", (long long)a->result->steps);
}

/* ---- the program ------------------------------------------------------------------- */

static pav_status parse(const adjoint_deriver *a, const char *source, program **result)
{
    const pav_program_options options = {.name = a->p->name,
                                         .directory = a->p->directory};

    return source ? program_parse(source, (int64_t)strlen(source), &options, result)
                  : PAV_ENOMEM;
}

/* Parses both texts. Gradients and images are computed only in steps with a nonzero
 * weight. */
static pav_status parse_both(const adjoint_deriver *a, const text *forward, adjoint *r)
{
    const pav_status status = parse(a, r->source, &r->program);
    char why[300];

    if (status != PAV_OK)
        return FAIL(status, "the adjoint of %s is refused: %s", a->p->name,
                    solve_reason(a->p, why, sizeof why));
    const symbol_list *fields = &r->program->fields;
    const symbol *gate = symbol_in(&r->program->scalars, r->weight);
    symbol *const image[] = {symbol_in(fields, r->image),
                             symbol_in(fields, r->illumination)};
    for (int64_t k = 0; a->wish->coefficients && a->wish->coefficients[k]; k++)
        symbol_in(fields, r->gradient[k])->gate = gate;
    for (int k = 0; k < 2; k++)
        if (image[k])
            image[k]->gate = gate;
    TRY(parse(a, forward->data, &r->forward));
    for (int64_t k = 0; k < r->histories; k++) {
        const char *name = r->history[k].field->name;
        r->history[k].field = symbol_in(&r->forward->fields, name);
        if (!r->history[k].field)
            return FAIL(PAV_EINTERNAL, "the field '%s' is not in its own run", name);
    }
    return PAV_OK;
}

/* ---- deriving ---------------------------------------------------------------------- */

static void add(adjoint_deriver *a, expr **sum, expr *more)
{
    *sum = *sum ? tree_binary(&a->d, OP_ADD, *sum, more) : more;
}

/* Adds the contributions at the time of the step. A contribution of a point to itself has
 * the scale already. */
static void contributions_add(adjoint_deriver *a, adjoint_part *part)
{
    expr *others = NULL, *made = NULL;

    for (int64_t k = 0; k < a->contributions; k++) {
        const contribution *c = &a->contribution[k];
        if (c->part != part)
            continue;
        const bool of_layer = c->reader->equation->made || part->equation->made;
        const bool itself = c->reader == part && !scale_is_apart(c->cotangent, c->own);
        const expr *cotangent = part->scale && itself
                                    ? c->cotangent
                                    : scale_removed(a, c->reader, c->own, c->cotangent);
        expr **sum = !part->scale || itself ? (of_layer ? &part->made : &part->sum)
                                            : (of_layer ? &made : &others);
        expr *value = time_turned(a, cotangent, c->own,
                                  c->level + c->reader->ahead - part->ahead,
                                  part->ahead - c->level);
        add(a, sum, damped(a, part->field, c->level, value));
    }
    if (others)
        add(a, &part->sum, tree_binary(&a->d, OP_MUL, part->scale, others));
    if (made)
        add(a, &part->made, tree_binary(&a->d, OP_MUL, part->scale, made));
}

static pav_status derive(adjoint_deriver *a, text *backward, text *forward)
{
    a->d.solve = a->p->first;
    a->result->steps = a->wish->steps > 0 ? a->wish->steps : a->p->steps;
    if (a->result->steps < 1)
        solve_fail(&a->d, PAV_EINVAL,
                   "the description does not say how many steps it takes: add `steps "
                   "1000`, or --steps 1000");
    find_parts(a);

    receivers_find(a);
    choose_ahead(a);

    receivers_hold(a);
    borders_choose(a);
    contributions_take(a);
    scales_choose(a);
    for (int64_t k = 0; k < a->parts; k++)
        contributions_add(a, &a->part[k]);
    adjoint_write_back(a, backward);
    adjoint_write_forward(a, forward);
    return backward->failed || forward->failed ? PAV_ENOMEM : PAV_OK;
}

static pav_status derive_guarded(adjoint_deriver *a, text *backward, text *forward)
{
    RETURN_GUARDED(a->d.arena, derive(a, backward, forward));
}

pav_status adjoint_derive(const program *p, const adjoint_wish *wish, adjoint *result)
{
    OWNED_BY(text_free) text backward = {0}, forward = {0};
    adjoint_deriver a = {.p = p, .wish = wish, .result = result};
    pav_status status;

    *result = (adjoint){0};
    TRY(program_refuse_mesh(p));
    a.d = (deriver){.p = p, .arena = arena_new(), .first = &a.d};
    result->names = arena_new();
    ARENA_GUARD(result->names, status, derive_guarded(&a, &backward, &forward));
    if (status == PAV_OK)
        status = text_take(&backward, &result->source);
    if (status == PAV_OK)
        status = parse_both(&a, &forward, result);
    if (status != PAV_OK)
        adjoint_free(result); /* and the message stays */
    text_free(&a.injections);
    deriver_close(&a.d);
    return status;
}

void adjoint_free(adjoint *a)
{
    program_free(a->program);
    program_free(a->forward);
    mem_free(a->source);
    arena_free(a->names);
    *a = (adjoint){0};
}
