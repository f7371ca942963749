/* SPDX-License-Identifier: BSD-3-Clause */
/* Rules between statements of the whole program. */
#include "lang/lang_private.h"

static const place beginning = {1, 1, 1};

static bool does_something(const program *tree)
{
    for (const statement *s = tree->first; s; s = s->next)
        switch (s->kind) {
        case STATEMENT_UPDATE:
        case STATEMENT_SOLVE:
        case STATEMENT_OUTPUT:
        case STATEMENT_EXPECT:
        case STATEMENT_MEASURE:
        case STATEMENT_GATHER:
        case STATEMENT_SAMPLE: return true;
        default: break;
        }
    return false;
}

static void settle_storage(program *tree)
{
    for (int64_t i = 0; i < tree->fields.count; i++) {
        symbol *s = tree->fields.item[i];
        if (!s->storage_stated)
            s->storage = tree->stored;
    }
}

static void check_storage(parser *p)
{
    const program *tree = p->program;

    if (tree->real != PAV_F32)
        return;
    if (p->real && tree->stored == PAV_F64)
        mistake_at(p, p->real->at, "stored f64 is wider than the arithmetic, f32");
    for (int64_t i = 0; i < tree->fields.count; i++) {
        const symbol *s = tree->fields.item[i];
        if (s->storage_stated && s->storage == PAV_F64)
            mistake_at(p, s->at, "'%s' is stored wider, in f64, than the arithmetic, f32",
                       s->name);
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

    if (*mask)
        mistake_at(p, s->at, "%s has a mask in line %d already",
                   s->symbol ? s->symbol->name : "the program", (*mask)->at.line);
    else if (s->symbol && !s->symbol->updated && !s->symbol->notes->solver)
        mistake_at(p, s->at, "'%s' is never updated, so a mask does nothing",
                   s->symbol->name);
    *mask = s;
}

static void check_statements(parser *p)
{
    const statement *mask = NULL;

    for (int64_t i = 0; i < p->checks; i++) {
        const statement *s = p->check[i].statement;
        if (s->kind == STATEMENT_MASK)
            check_mask(p, s, &mask);
        else if (s->kind == STATEMENT_INJECT && !s->symbol->updated)
            mistake_at(p, s->at,
                       "'%s' is never updated, so nothing can be injected into it",
                       s->symbol->name);
        else if (s->kind == STATEMENT_SOLVE && !s->level && s->symbol->updated)
            mistake_at(
                p, s->at,
                "'%s' has an update in line %d; it is either updated or solved for",
                s->symbol->name, s->symbol->notes->equation->at.line);
    }
}

static void check_spacing(parser *p)
{
    num step;

    if (p->spacing_at.line > 0 && !spacing_shared(p->program, &step))
        mistake_at(p, p->spacing_at, "%s", spacing_differs(p));
}

/* Counts the bytes of a field in doubles, with the points beyond its faces; false if 64
 * bits overflow. */
static bool count_bytes(const parser *p, const symbol *field, int64_t *bytes)
{
    int64_t size = (int64_t)sizeof(double) * (field->oldest + 1 + field->updated);

    for (int axis = 0; axis < p->dim; axis++) {
        const int64_t *beyond = field->notes->beyond[axis];
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

void program_check(parser *p)
{
    program *tree = p->program;

    tree->dim = p->dim;
    tree->dt = symbol_find(p, "dt", 2);
    if (tree->dt && tree->dt->kind != SYMBOL_PARAM)
        tree->dt = NULL;
    if (p->mistakes.count == 0 && p->grid_known)
        matched_check(p);
    settle_storage(tree);
    if (p->mistakes.count == 0 && p->dim == 0)
        mistake_at(p, beginning,
                   "the description has no grid, such as: grid x 100, y 100");
    if (p->mistakes.count == 0 && !does_something(tree))
        mistake_at(p, beginning,
                   "the description asks for nothing: it has no update, solve, output, "
                   "sample, measure or expect");
    check_storage(p);
    check_statements(p);
    if (p->mistakes.count == 0 && p->grid_known)
        check_spacing(p);
    if (p->mistakes.count == 0)
        levels_check(p);
    if (p->mistakes.count == 0 && p->grid_known)
        stretch_check(p);
    if (p->grid && p->grid_known) {
        rules_check(p);
        values_check(p);
    }
    if (p->mistakes.count == 0)
        gathers_check(p);
    if (p->mistakes.count == 0)
        files_check(p);
    if (p->mistakes.count == 0)
        radius_check(p);
    if (p->mistakes.count == 0)
        divisors_check(p);
    if (p->mistakes.count == 0)
        starts_check(p);
    if (p->mistakes.count == 0)
        check_size(p);
}
