/* SPDX-License-Identifier: BSD-3-Clause */
/* The fields of the ir: those of the program, in its order, then one hidden field for
 * every mask. The kinds of borders are set here; stages of borders are lowered later. */
#include "plan/plan_private.h"

static void set_extents(lowering *l, ir_field *f)
{
    for (int axis = 0; axis < MAX_DIM; axis++)
        f->extent[axis] = points_along(l->code, axis, f->coarse);
}

static void clear_borders(ir_field *f)
{
    for (int axis = 0; axis < MAX_DIM; axis++)
        f->border[axis][0].stage = f->border[axis][1].stage = -1;
}

static void set_borders(lowering *l, ir_field *f)
{
    for (int axis = 0; axis < l->code->dim; axis++)
        for (int side = 0; side < 2; side++) {
            const statement *s = field_border(l->program, f->symbol, axis, side);
            f->border[axis][side] = (ir_border){statement_rule(s), -1};
        }
}

static void add_field(lowering *l, const symbol *s)
{
    ir_field *f = &l->code->field[s->index];

    *f = (ir_field){
        .name = s->name,
        .symbol = s,
        .line = s->at.line,
        .storage = s->storage,
        .coarse = s->coarse,
        .updated = s->updated,
        .levels = s->updated ? s->oldest + 2 : 1,
        .file = s->file,
    };
    l->fields[s->index] = (field_draft){.oldest = s->updated ? s->oldest : 0,
                                        .stage = -1};
    set_extents(l, f);
    clear_borders(f);
    set_borders(l, f);
}

/* ---- masks ------------------------------------------------------------------------- */

static void mask_field(lowering *l, ir_field *f, int mask)
{
    int *both = arena_alloc(l->arena, f->masks + 1, sizeof *both);

    for (int k = 0; k < f->masks; k++)
        both[k] = f->mask[k];
    both[f->masks++] = mask;
    f->mask = both;
}

/* A mask of one coarse field lives on its grid, every other mask on the finest grid. */
static void add_mask(lowering *l, const statement *s, int index, int number)
{
    ir *code = l->code;

    code->field[index] = (ir_field){
        .name = arena_print(l->arena, "mask %d", number),
        .line = s->at.line,
        .storage = PAV_U8,
        .coarse = s->symbol ? s->symbol->coarse : 0,
        .levels = 1,
        .file = s->file,
    };
    l->fields[index] = (field_draft){.mask = s, .stage = -1};
    set_extents(l, &code->field[index]);
    clear_borders(&code->field[index]);
    for (int64_t k = 0; k < l->program->fields.count; k++)
        if (code->field[k].updated && (!s->symbol || s->symbol->index == k))
            mask_field(l, &code->field[k], index);
}

/* ---- all fields -------------------------------------------------------------------- */

static int count_masks(const program *p)
{
    int count = 0;

    for (const statement *s = p->first; s; s = s->next)
        count += s->kind == STATEMENT_MASK;
    return count;
}

void lower_fields(lowering *l)
{
    const program *p = l->program;
    ir *code = l->code;
    const int64_t named = p->fields.count;

    code->fields = named + count_masks(p);
    code->field = arena_alloc(l->arena, code->fields + 1, sizeof *code->field);
    l->fields = arena_alloc(l->arena, code->fields + 1, sizeof *l->fields);
    for (int64_t k = 0; k < named; k++)
        add_field(l, p->fields.item[k]);
    int masks = 0;
    for (const statement *s = p->first; s; s = s->next)
        if (s->kind == STATEMENT_MASK) {
            add_mask(l, s, (int)named + masks, masks + 1);
            masks++;
        }
}
