/* SPDX-License-Identifier: BSD-3-Clause */
/* The border rule of each face of each field: the last statement that names it. An
 * absorbing layer is a rule only without a border statement. */
#include <string.h>

#include "lang/lang_private.h"

/* ---- rules ------------------------------------------------------------------------- */

static bool rules_face(const statement *s, const symbol *field, int axis, int side)
{
    return (s->faces & FACE_BIT(axis, side)) &&
           (s->symbol ? s->symbol == field : !field->line_of);
}

static bool is_computed(const symbol *field)
{
    return field->updated || field->coarse || field->notes->solver;
}

/* Rule of a coefficient beyond a layer: the value at the face continues, because it may
 * be a divisor. Computed fields are 0 there. */
static const statement onward = {.kind = STATEMENT_BORDER, .border = BORDER_CLAMP};

const statement *field_border(const program *p, const symbol *field, int axis, int side)
{
    const statement *border = NULL, *layer = NULL;

    EACH_STATEMENT(s, p) {
        if (s->kind == STATEMENT_BORDER && rules_face(s, field, axis, side))
            border = s;
        else if (s->kind == STATEMENT_ABSORB && rules_face(s, field, axis, side))
            layer = s;
    }
    return border ? border : layer && !is_computed(field) ? &onward : layer;
}

/* Looks at each statement once: a derived program has thousands of borders, and nearly
 * all name their field. */
static void take_borders(const program *p, statement_kind kind, field_rules *rule)
{
    EACH_STATEMENT(s, p) {
        if (s->kind != kind)
            continue;
        for (int64_t k = 0; k < (s->symbol ? 1 : p->fields.count); k++) {
            const symbol *field = s->symbol ? s->symbol : p->fields.item[k];
            const bool kept = kind == STATEMENT_ABSORB && !is_computed(field);
            for (int face = 0; face < 2 * MAX_DIM; face++)
                if (rules_face(s, field, face / 2, face % 2))
                    rule[field->index][face / 2][face % 2] = kept ? &onward : s;
        }
    }
}

void field_borders(const program *p, field_rules *rule)
{
    take_borders(p, STATEMENT_ABSORB, rule);
    take_borders(p, STATEMENT_BORDER, rule);
}

bool parts_give_face(const statement *s)
{
    bool gives = false;

    for (; s && s->where; s = s->rest)
        gives |= border_rules[s->part].has_face || border_rules[s->rest->border].has_face;
    return gives;
}

border_kind statement_rule(const statement *s)
{
    return !s ? BORDER_NONE : s->kind == STATEMENT_BORDER ? s->border : BORDER_BEYOND;
}

bool fixes_face(const symbol *field, int axis, int side)
{
    const statement *rule = field->notes->rule[axis][side];

    return rule && rule->kind == STATEMENT_BORDER && border_rules[rule->border].has_face;
}

/* ---- periodic faces ---------------------------------------------------------------- */

static bool is_periodic(const symbol *field, int axis, int side)
{
    return border_wraps(statement_rule(field->notes->rule[axis][side]));
}

static void check_periodic(parser *p, const symbol *field, int axis,
                           const statement **reported)
{
    const bool low = is_periodic(field, axis, 0), high = is_periodic(field, axis, 1);
    const statement *s = field->notes->rule[axis][low ? 0 : 1];

    if (low == high || *reported == s)
        return;
    *reported = s;
    mistake_at(
        p, s->at,
        "the border of '%s' is periodic at %s but not at %s; periodic must hold on "
        "both",
        field->name, face_names[2 * axis + !low], face_names[2 * axis + low]);
}

/* ---- borders that read fields ------------------------------------------------------ */

/* A border is filled when its field has its new values. It may read points across its
 * face, on the face and inwards: of its own field, and of fields that are closed by
 * then. Their declarations come first, and so do their equations. False after a
 * mistake. */
static bool check_closed(parser *p, const symbol *field, const field_read *r)
{
    const char *name = field->name, *read = r->symbol->name;
    const struct symbol_notes *notes = field->notes, *other = r->symbol->notes;

    if (r->symbol == field)
        return true;
    if (r->symbol->coarse != field->coarse)
        return mistake_at(p, r->at, "the border of '%s' reads '%s' of another grid", name,
                          read);
    if (r->symbol->index > field->index)
        return mistake_at(p, r->at,
                          strncmp(read, name, strcspn(read, ".") + 1) == 0
                              ? "the border of '%s' reads '%s', whose border is filled "
                                "later: of the parts of one field only '%s' may read "
                                "'%s'; if both read each other, declare a field before "
                                "theirs, give it the new value of '%s' by an equation "
                                "before theirs, and read it here"
                              : "the border of '%s' reads '%s', whose border is filled "
                                "later; declare the field '%s' before '%s'",
                          name, read, read, name, read);
    if (r->symbol->updated && !field->updated)
        return mistake_at(p, r->at,
                          "the border of '%s' is filled once, because '%s' has no "
                          "equation, and cannot read '%s', which changes",
                          name, name, read);
    if (other->equation_number > notes->equation_number)
        return mistake_at(p, r->at,
                          "the border of '%s' is filled before the equation of '%s' in "
                          "line %d; move that equation before the one of '%s'",
                          name, read, other->equation->at.line, name);
    for (int64_t i = 0; i < p->checks; i++)
        if (p->check[i].statement->kind == STATEMENT_INJECT &&
            p->check[i].statement->symbol == r->symbol)
            return mistake_at(p, r->at,
                              "the border of '%s' cannot read '%s': a source adds to it "
                              "after that border is filled",
                              name, read);
    return true;
}

static bool check_inwards(parser *p, const symbol *field, int face, const field_read *r)
{
    const char *read = r->symbol->name;

    for (int axis = 0; axis < p->dim; axis++) {
        const int lo = r->reach.lo[axis], hi = r->reach.hi[axis];
        const int64_t inwards = face % 2 ? -lo : hi;
        const int64_t extent = field_extent(p->program, field, axis);
        const bool given = face % 2 == 0 && r->symbol == field &&
                           fixes_face(field, axis, 1); /* of side +, filled later */
        if (axis != face / 2 && (lo || hi))
            return mistake_at(p, r->at,
                              "'%s' is read along the face %s; the value of a border "
                              "reads points across its face only",
                              read, face_names[face]);
        if (axis == face / 2 && r->symbol == field && fixes_face(field, axis, face % 2) &&
            (face % 2 ? hi == 0 : lo == 0))
            return mistake_at(p, r->at,
                              "'%s' is read on the face %s, where this border gives it; "
                              "the value reads points further inwards",
                              read, face_names[face]);
        if (axis == face / 2 && (face % 2 ? hi > 0 : lo < 0))
            return mistake_at(p, r->at,
                              "'%s' is read outwards at the face %s; the value of a "
                              "border reads points on its face and inwards",
                              read, face_names[face]);
        if (axis == face / 2 && p->grid_known && inwards >= extent - given)
            return mistake_at(
                p, r->at, "'%s' is read %lld point%s inwards at the face %s, %s", read,
                (long long)inwards, inwards == 1 ? "" : "s", face_names[face],
                inwards < extent ? "at a point that the opposite border gives later"
                                 : "beyond the opposite face");
    }
    return true;
}

/* A field read by a border has as many older levels as the field of the border, because
 * each of them is closed at the start. At last, fields are visited from the last to the
 * first. */
static bool check_border_reads(parser *p, const symbol *field, int face)
{
    const statement *s = field->notes->rule[face / 2][face % 2];
    const reads *list = field->notes->rule_reads[face / 2][face % 2];

    if (!s || s->kind != STATEMENT_BORDER || !s->reads_fields)
        return true;
    const statement *equation = field->notes->equation;
    bool moves = s->border == BORDER_BEYOND;
    for (int64_t i = 0; i < list->count; i++)
        moves |= list->item[i].symbol->kind != SYMBOL_FIELD ||
                 list->item[i].symbol->updated || list->item[i].symbol->notes->solver;
    if (moves &&
        (field->notes->solver || (equation && equation->kind == STATEMENT_SOLVE)))
        return mistake_at(p, s->where ? s->where->at : s->value->at,
                          "'%s' is solved for, and its border cannot mix kinds, nor read "
                          "%s itself or fields with equations; a mask can keep points at "
                          "their values, and an equation %s' = ... has such borders",
                          field->name, field->name, field->name);
    for (int64_t i = 0; i < list->count; i++) {
        const field_read *r = &list->item[i];
        if (r->symbol->kind != SYMBOL_FIELD)
            continue;
        if (!check_closed(p, field, r) || !check_inwards(p, field, face, r))
            return false;
        if (r->symbol->updated && r->symbol->oldest < field->oldest)
            r->symbol->oldest = field->oldest;
    }
    return true;
}

/* ---- absorbing layers -------------------------------------------------------------- */

/* True if some field is updated; with an axis: and is not periodic at its face. */
static bool can_absorb(const program *tree, int axis, int side)
{
    for (int64_t i = 0; i < tree->fields.count; i++) {
        const symbol *f = tree->fields.item[i];
        if ((f->updated || f->notes->solver) && (axis < 0 || !is_periodic(f, axis, side)))
            return true;
    }
    return false;
}

static void check_layer_face(parser *p, statement *s, int axis, int side, unsigned *taken,
                             bool stated)
{
    const unsigned bit = FACE_BIT(axis, side);
    const char *face = face_names[2 * axis + side];

    if (!(s->faces & bit))
        return;
    const bool able = can_absorb(p->program, axis, side);
    if (!able && !stated) {
        s->faces &= ~bit;
        return;
    }
    if (!able)
        mistake_at(p, s->at,
                   "the face %s cannot absorb: every field that is updated is periodic "
                   "there",
                   face);
    else if (*taken & bit)
        mistake_at(p, s->at, "the face %s absorbs already", face);
    else if (p->grid_known && s->cell_count > p->program->axis[axis].points)
        mistake_at(
            p, s->cells->at, "%lld absorbing cells at %s do not fit in %lld point%s",
            (long long)s->cell_count, face, (long long)p->program->axis[axis].points,
            p->program->axis[axis].points == 1 ? "" : "s");
    *taken |= bit;
}

static void check_layer(parser *p, statement *s, unsigned *taken)
{
    const bool stated = s->faces != 0;
    const int before = p->mistakes.count;

    if (!can_absorb(p->program, -1, 0)) {
        mistake_at(p, s->at, "there is nothing to absorb: no field is updated");
        return;
    }
    if (!stated)
        s->faces = (unsigned)FACES_ALL >> (2 * (MAX_DIM - p->dim));
    for (int face = 0; face < 2 * p->dim && p->mistakes.count == before; face++)
        check_layer_face(p, s, face / 2, face % 2, taken, stated);
    if (s->faces == 0)
        mistake_at(p, s->at,
                   "no face is left to absorb: all are periodic for every field that is "
                   "updated");
}

/* ---- all --------------------------------------------------------------------------- */

static void take_rule(const parser *p, const symbol *field, const checked *one)
{
    for (int face = 0; face < 2 * p->dim; face++) {
        const statement **rule = &field->notes->rule[face / 2][face % 2];
        if (*rule || !rules_face(one->statement, field, face / 2, face % 2))
            continue;
        *rule = one->statement;
        field->notes->rule_reads[face / 2][face % 2] = one->reads;
    }
}

/* The last rule of a face counts. */
static void find_rules(const parser *p, statement_kind kind)
{
    const symbol_list *fields = &p->program->fields;

    for (int64_t i = p->checks - 1; i >= 0; i--) {
        const checked *one = &p->check[i];
        if (one->statement->kind != kind)
            continue;
        for (int64_t k = 0; !one->statement->symbol && k < fields->count; k++)
            take_rule(p, fields->item[k], one);
        if (one->statement->symbol)
            take_rule(p, one->statement->symbol, one);
    }
}

void rules_check(parser *p)
{
    const symbol_list *fields = &p->program->fields;
    const statement *reported = NULL;
    unsigned taken = 0;

    find_rules(p, STATEMENT_BORDER);
    for (int64_t i = 0; i < fields->count; i++)
        for (int axis = 0; axis < p->dim; axis++)
            check_periodic(p, fields->item[i], axis, &reported);
    /* upwards first, so messages name a field before its stages in `advance` */
    for (int64_t i = -fields->count; i < fields->count; i++)
        for (int face = 0; face < 2 * p->dim; face++)
            if (!check_border_reads(
                    p, fields->item[i < 0 ? fields->count + i : fields->count - 1 - i],
                    face))
                return;
    for (int64_t i = 0; i < p->checks; i++)
        if (p->check[i].statement->kind == STATEMENT_ABSORB)
            check_layer(p, p->check[i].statement, &taken);
    find_rules(p, STATEMENT_ABSORB);
}
