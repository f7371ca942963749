/* SPDX-License-Identifier: BSD-3-Clause */
/* The receivers of a description become sources of its adjoint. A column of a sample is a
 * sum of fields at neighbour points, times numbers. Its trace is injected into each of
 * these fields, at the same offsets and times the same number. */
#include <string.h>

#include "solve/adjoint/adjoint_private.h"

/* ---- what is there ----------------------------------------------------------------- */

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
void receivers_find(adjoint_deriver *a)
{
    adjoint *r = a->result;

    for (const statement *s = a->p->first; s; s = s->next) {
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
            arena_reserve(r->names, &r->channel, r->channels, &a->channel_room,
                          sizeof *r->channel);
            r->channel[r->channels++] = (adjoint_channel){s, k};
        }
    }
    if (r->channels == 0)
        solve_fail(&a->d, PAV_EINVAL,
                   "the description samples no field: its adjoint needs receivers, as in "
                   "`sample %s at ...`",
                   adjoint_first_named(a));
}

/* ---- fields that are sampled, and read in the same step ---------------------------- */

/* Declares a field for the received values of time N - s + 1 of each received field
 * ahead. They wait there for step s, the step that computes the adjoint. */
void receivers_hold(adjoint_deriver *a)
{
    for (int64_t k = 0; k < a->parts; k++) {
        adjoint_part *part = &a->part[k];
        if (!part->received || !part->ahead)
            continue;
        part->waits_in = adjoint_unique(a, part->field->name, "_received");
        text_add(&a->d.head, "field %s\n", part->waits_in);
    }
}

void receivers_add_kept(adjoint_deriver *a, const adjoint_part *part)
{
    if (!part->waits_in)
        return;
    text_add(&a->d.equations, " + %s", part->waits_in);
    if (part->scale)
        text_add(&a->d.equations, "*(%s)", tree_text(&a->d, part->scale));
}

void receivers_empty_kept(adjoint_deriver *a)
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

void sources_write(adjoint_deriver *a, const statement *s, const char *trace, text *t)
{
    const adjoint_part *part = adjoint_part_of(a, s->symbol);
    statement own = {.kind = trace ? STATEMENT_INJECT : STATEMENT_SAMPLE,
                     .points = trace ? s->points : owned(s),
                     .trace = trace,
                     .value = tree_number(&a->d, num_int(1))};

    if (part)
        print(a, &own, trace ? s->symbol->name : part->name, t);
}

/* ---- what came goes back ----------------------------------------------------------- */

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

void receivers_write(adjoint_deriver *a, text *t)
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
