/* SPDX-License-Identifier: BSD-3-Clause */
/* Radius: how far each field is read beyond each face. It follows from the evaluation
 * points of each expression and its offsets. Points read beyond a face need a border
 * rule, and the rule needs enough points. */
#include <stdlib.h>

#include "lang/lang_private.h"

/* ---- levels ------------------------------------------------------------------------ */

/* Levels: u' exists after its equation; prev(u, k) exists up to the oldest level read by
 * equations. */

bool is_equation(const statement *s)
{
    return s->kind == STATEMENT_UPDATE || s->kind == STATEMENT_EVOLVE ||
           (s->kind == STATEMENT_SOLVE && s->level);
}

/* Checks u' in an equation or an injection. */
static void check_new(parser *p, const statement *s, const field_read *r)
{
    const struct symbol_notes *notes = r->symbol->notes;
    const char *name = r->symbol->name;

    if (!notes->equation)
        mistake_at(p, r->at, "%s' has no equation", name);
    else if (notes->equation == s && (s->kind == STATEMENT_SOLVE || s->along))
        return;
    else if (notes->equation == s)
        mistake_at(p, r->at, "%s' cannot stand in its own equation", name);
    else if (s->kind == STATEMENT_SOLVE && notes->equation->kind == STATEMENT_SOLVE &&
             notes->equation_number > s->symbol->notes->equation_number)
        mistake_at(p, r->at,
                   "%s' is an unknown of another solve, in line %d: read %s, of the step "
                   "before, or make both one: solve { ...; ... } for ...",
                   name, notes->equation->at.line, name);
    else if (is_equation(s) && notes->equation_number > s->symbol->notes->equation_number)
        mistake_at(p, r->at, "%s' is read before its equation in line %d", name,
                   notes->equation->at.line);
}

/* Checks the read of an older level. After a step, one more level exists than the
 * equations read. */
static void check_old(parser *p, const statement *s, const field_read *r)
{
    const bool after = s->kind == STATEMENT_MEASURE || s->kind == STATEMENT_UNTIL ||
                       s->kind == STATEMENT_EXPECT;
    const int kept = r->symbol->oldest + (after ? 1 : 0);

    if (!r->symbol->updated)
        mistake_at(p, r->at, "'%s' is never updated, so it has no older levels",
                   r->symbol->name);
    else if (-r->level > kept && kept == 0)
        mistake_at(p, r->at, "no equation reads prev(%s), so it is not kept",
                   r->symbol->name);
    else if (-r->level > kept)
        mistake_at(p, r->at, "prev(%s, %d) is not kept; prev(%s, %d) is the oldest here",
                   r->symbol->name, -r->level, r->symbol->name, kept);
}

static void check_start(parser *p, const statement *s)
{
    if (!s->symbol->updated)
        mistake_at(p, s->at, "'%s' is never updated, so it has no older levels",
                   s->symbol->name);
    else if (s->level > s->symbol->oldest)
        mistake_at(p, s->at,
                   "no equation reads prev(%s, %d), so it needs no initial value",
                   s->symbol->name, s->level);
}

void levels_check(parser *p)
{
    for (int64_t i = 0; i < p->checks; i++) {
        for (int64_t n = 0; n < p->check[i].reads->count; n++) {
            const field_read *r = &p->check[i].reads->item[n];
            if ((is_equation(p->check[i].statement) ||
                 p->check[i].statement->kind == STATEMENT_INJECT) &&
                -r->level > r->symbol->oldest)
                r->symbol->oldest = -r->level;
        }
    }
    for (int64_t i = 0; i < p->checks; i++) {
        const checked *c = &p->check[i];
        if (c->statement->kind == STATEMENT_INITIAL)
            check_start(p, c->statement);
        for (int64_t k = 0; k < c->reads->count; k++) {
            if (c->reads->item[k].level > 0)
                check_new(p, c->statement, &c->reads->item[k]);
            else if (c->reads->item[k].level < 0)
                check_old(p, c->statement, &c->reads->item[k]);
        }
    }
}

/* ---- radius ------------------------------------------------------------------------ */

typedef struct interval {
    int64_t lo, hi; /* inclusive */
} interval;

/* Indices read by a reader at the indices `at`. */
static interval indices_read(interval at, read_transfer transfer, int lo, int hi)
{
    switch (transfer) {
    case READ_TO_FINE: return (interval){2 * at.lo + lo, 2 * at.hi + hi};
    case READ_TO_COARSE:
        return (interval){int_floor_half(at.lo + lo), int_floor_half(at.hi + hi)};
    case READ_SAME: break;
    }
    return (interval){at.lo + lo, at.hi + hi};
}

/* The points, along an axis, at which a statement evaluates its expression. Points set by
 * a border are left out. An equation to solve is evaluated at all points, because the
 * norm of its residual is. */
static interval points_of(const program *tree, const statement *s, const symbol *field,
                          int axis, int *coarse)
{
    const bool computes = s->kind == STATEMENT_UPDATE ||
                          (s->kind == STATEMENT_SOLVE && !s->more && field != s->symbol);

    *coarse = s->symbol ? s->symbol->coarse : 0;
    const symbol *computed = s->symbol && s->symbol->line_of ? s->symbol->line_of
                                                             : s->symbol;
    interval at = {0, coarse_extent(tree, *coarse, axis) - 1};
    if (computes && computed && fixes_face(computed, axis, 0))
        at.lo++;
    if (computes && computed && fixes_face(computed, axis, 1))
        at.hi--;
    return at;
}

/* A reduction reads all points. */
static interval points_reduced(const program *tree, const field_read *r, int axis)
{
    const int coarse = r->symbol->coarse + (r->reach.transfer == READ_TO_FINE) -
                       (r->reach.transfer == READ_TO_COARSE);

    return (interval){0, coarse_extent(tree, coarse, axis) - 1};
}

static void note_beyond(const program *tree, const field_read *r, int axis, interval read)
{
    struct symbol_notes *notes = r->symbol->notes;
    const int64_t extent = field_extent(tree, r->symbol, axis);
    const int64_t beyond[2] = {-read.lo, read.hi - (extent - 1)};

    for (int side = 0; side < 2; side++)
        if (beyond[side] > r->symbol->beyond[axis][side]) {
            r->symbol->beyond[axis][side] = beyond[side];
            notes->beyond_at[axis][side] = r->at;
        }
}

/* True if the transfer between the reader's grid and the field's grid halves the axis. */
static bool is_halved(const program *tree, const field_read *r, read_transfer transfer,
                      int axis)
{
    return transfer == READ_SAME ||
           coarse_halves(tree, r->symbol->coarse + (transfer == READ_TO_FINE), axis);
}

/* Checks the total radius of brackets, derivatives and stencils; false after a
 * mistake. */
static bool check_distance(parser *p, const statement *s, const field_read *r)
{
    const bool doubled = r->reach.transfer != READ_SAME ||
                         (s->symbol && s->symbol->coarse > r->symbol->coarse);
    const int most = doubled ? 2 * MAX_OFFSET : MAX_OFFSET;

    for (int axis = 0; axis < p->dim; axis++) {
        const int far = -r->reach.lo[axis] > r->reach.hi[axis] ? -r->reach.lo[axis]
                                                               : r->reach.hi[axis];
        if (far <= most)
            continue;
        return mistake_at(p, r->at,
                          "'%s' is read %d points away; at most %d are supported",
                          r->symbol->name, far, most);
    }
    return true;
}

/* Warns of a let that an update reads at neighbours. At a wall the neighbour is the value
 * of the let's formula, not that of the border. */
static void warn_let(parser *p, const field_read *r, int axis)
{
    const statement *const *rule = r->symbol->notes->rule[axis];
    const int side = !(rule[0] && border_stores_face(statement_rule(rule[0])));

    if (side == 1 && !(rule[1] && border_stores_face(statement_rule(rule[1]))))
        return;
    warn_at(p, r->at,
            "a let has no border: at %s and beyond, its neighbours hold what its formula "
            "makes of '%s', not the value of the border; give it one as a field, such as "
            "field w; w' = ...; border w = 0, and read w', or write the formula out here "
            "if that is meant",
            face_names[2 * axis + side], r->symbol->name);
}

static void follow_read(parser *p, const statement *s, const field_read *r)
{
    const program *tree = p->program;
    interval read[MAX_DIM];
    unsigned moved = r->reach.let_moved;

    for (int axis = 0; axis < tree->dim; axis++) {
        int coarse = 0;
        interval at = points_of(tree, s, r->symbol, axis, &coarse);
        read_transfer transfer = r->reach.transfer;

        /* a restriction within the walls reads a let within them */
        if (at.lo == 0 || at.hi == coarse_extent(tree, coarse, axis) - 1)
            moved |= moved >> MAX_DIM & 1u << axis;
        if (r->reach.reduced)
            at = points_reduced(tree, r, axis);
        else if (transfer == READ_SAME && r->symbol->coarse < coarse)
            transfer = READ_TO_FINE;

        read[axis] = at.lo > at.hi ? (interval){1, 0}
                     : is_halved(tree, r, transfer, axis)
                         ? indices_read(at, transfer, r->reach.lo[axis],
                                        r->reach.hi[axis])
                         : indices_read(at, READ_SAME, r->reach.kept_lo[axis],
                                        r->reach.kept_hi[axis]);
        if (read[axis].lo > read[axis].hi)
            return;
    }
    for (int axis = 0; axis < tree->dim; axis++) {
        /* the equations of an operation's new values read none before the first point */
        if (axis == abs(s->along) - 1 && r->level == 1 &&
            (r->symbol == s->symbol || r->symbol->line_of))
            continue;
        note_beyond(tree, r, axis, read[axis]);
        if ((moved >> axis & 1) && s->kind == STATEMENT_UPDATE && !s->made)
            warn_let(p, r, axis);
    }
}

/* ---- points needed by a border rule ------------------------------------------------ */

/* False after a mistake. */
static bool check_rule(parser *p, const symbol *field, int axis, int side)
{
    const struct symbol_notes *notes = field->notes;
    const statement *s = notes->rule[axis][side];
    const int64_t halo = field->beyond[axis][side];
    const int64_t extent = field_extent(p->program, field, axis);
    const border_kind kind = statement_rule(s);
    const int64_t needed = s && s->where ? halo + 2 /* of each kind */
                                         : border_points_needed(kind, (int)halo);

    if (halo > MAX_HALO)
        mistake_at(
            p, notes->beyond_at[axis][side],
            "'%s' is read %lld points beyond the face %s; at most %d are supported",
            field->name, (long long)halo, face_names[2 * axis + side], MAX_HALO);
    else if (halo && extent < needed)
        mistake_at(
            p, notes->beyond_at[axis][side],
            "'%s' is read %lld point%s beyond the face %s, where its border is %s; that "
            "needs at least %lld points along %c, and it has %lld point%s",
            field->name, (long long)halo, halo == 1 ? "" : "s",
            face_names[2 * axis + side], border_rules[kind].word, (long long)needed,
            axis_letters[axis], (long long)extent, extent == 1 ? "" : "s");
    else
        return true;
    return false;
}

/* Reports all faces without a rule in one mistake. If both faces of an axis have a bad
 * rule, only the first is reported. */
static void check_field(parser *p, const symbol *field)
{
    const struct symbol_notes *notes = field->notes;
    const char *faces = "";
    const place *at = NULL;

    for (int face = 0; face < 2 * p->dim; face++) {
        const int axis = face / 2, side = face % 2;
        if (field->beyond[axis][side] <= 0)
            continue;
        if (notes->rule[axis][side]) {
            face += !check_rule(p, field, axis, side) && side == 0;
            continue;
        }
        faces = arena_print(p->arena, "%s%s%s", faces, at ? ", " : "", face_names[face]);
        at = at ? at : &notes->beyond_at[axis][side];
    }
    if (at)
        mistake_at(p, *at,
                   field->updated || notes->solver || notes->equation
                       ? "'%s' is read beyond %s, where it has no border; add one, such "
                         "as border %s = 0"
                       : "'%s' is read beyond %s, where it has no border; add one, such "
                         "as border clamp %s",
                   field->name, faces, field->name);
}

/* The border of a field also covers the ghosts along lower axes, and reads other fields
 * there. */
static void widen_read(const symbol *field)
{
    for (int face = 0; face < 2 * MAX_DIM; face++) {
        const statement *s = field->notes->rule[face / 2][face % 2];
        const reads *list = field->notes->rule_reads[face / 2][face % 2];
        if (!s || !s->reads_fields)
            continue;
        for (int64_t i = 0; i < list->count; i++) {
            symbol *read = list->item[i].symbol;
            for (int lower = 0; lower < 2 * (face / 2); lower++) {
                const int axis = lower / 2, side = lower % 2;
                if (read->beyond[axis][side] >= field->beyond[axis][side])
                    continue;
                read->beyond[axis][side] = field->beyond[axis][side];
                read->notes->beyond_at[axis][side] = list->item[i].at;
            }
        }
    }
}

void radius_check(parser *p)
{
    const symbol_list *fields = &p->program->fields;

    for (int64_t i = 0; i < p->checks; i++) {
        const reads *r = p->check[i].reads;
        for (int64_t k = 0; k < r->count; k++)
            if (r->item[k].symbol->kind == SYMBOL_FIELD &&
                check_distance(p, p->check[i].statement, &r->item[k]) &&
                p->check[i].statement->kind != STATEMENT_BORDER)
                follow_read(p, p->check[i].statement, &r->item[k]);
    }
    for (int64_t i = fields->count - 1; i >= 0; i--)
        widen_read(fields->item[i]);
    for (int64_t i = 0; i < fields->count; i++)
        check_field(p, fields->item[i]);
}
