/* SPDX-License-Identifier: BSD-3-Clause */
/* One step of a direct evaluation: every equation in order at every point, with masks and
 * absorbing layers; then injections; then levels change their names. */
#include <math.h>

#include "check/check_private.h"

/* ---- absorbing layers -------------------------------------------------------------- */

/* Face 2*axis + side, unless it is periodic. */
bool direct_absorbs(const direct *d, const direct_field *f, const statement *s, int face)
{
    const bool named = !s->faces || (s->faces >> face & 1);
    return s->kind == STATEMENT_ABSORB && s->cell_count > 0 &&
           face < 2 * d->program->dim && named && !direct_wraps(f, face / 2, face % 2);
}

bool direct_is_damped(const direct *d, const direct_field *f)
{
    for (const statement *s = d->program->first; s && f->symbol->updated; s = s->next)
        for (int face = 0; face < 2 * MAX_DIM; face++)
            if (!s->matched && direct_absorbs(d, f, s, face))
                return true;
    return false;
}

/* exp(-(strength*depth/cells)^2), with the depth counted from the inner edge of the
 * layer. */
static estimate layer(direct *d, const direct_field *f, const statement *s, int64_t depth,
                      const int64_t *at)
{
    const rounding *r = &d->rounding;
    const direct_spot here = direct_here(d, f->symbol->coarse, at);
    const estimate strength = s->strength ? direct_value(d, s->strength, &here)
                                          : estimate_of(r, 0.3L);
    const estimate share = estimate_of(r,
                                       (long double)depth / (long double)s->cell_count);
    const estimate part = estimate_op(r, OP_MUL, strength, share);
    const estimate power = estimate_neg(estimate_op(r, OP_MUL, part, part));
    return estimate_call(r, FUNCTION_EXP, &power);
}

/* Depth in the layer of an axis; the nearer absorbing face counts. */
static int64_t depth_along(const direct *d, const direct_field *f, const statement *s,
                           int axis, int64_t i)
{
    int64_t depth = 0;
    for (int side = 0; side < 2; side++) {
        const int64_t distance = side ? f->extent[axis] - 1 - i : i;
        const int64_t here = s->cell_count - distance;
        if (direct_absorbs(d, f, s, 2 * axis + side) && here > depth)
            depth = here;
    }
    return depth;
}

estimate direct_damping(direct *d, const direct_field *f, const int64_t *at)
{
    estimate g = estimate_exact(1);
    for (const statement *s = d->program->first; s; s = s->next)
        for (int axis = 0;
             s->kind == STATEMENT_ABSORB && !s->matched && axis < d->program->dim;
             axis++) {
            const int64_t depth = depth_along(d, f, s, axis, at[axis]);
            if (depth > 0)
                g = estimate_op(&d->rounding, OP_MUL, g, layer(d, f, s, depth, at));
        }
    return g;
}

/* ---- equations --------------------------------------------------------------------- */

estimate direct_masked(const direct_field *f, int64_t point, estimate value,
                       estimate kept)
{
    const unsigned owned = f->owned[point];
    const verdict open = {!owned, !(owned & DIRECT_KEPT) && (owned & DIRECT_DOUBTFUL)};
    return estimate_choose(open, value, kept);
}

static void update_point(direct *d, direct_field *f, const int64_t *at, void *user)
{
    const statement *s = user;
    const int64_t point = direct_index(f, at);
    direct_spot here = direct_here(d, f->symbol->coarse, at);
    if (direct_is_given(d, f, at))
        return;
    here.absorbs = true;
    estimate value = direct_value(d, s->value, &here);
    if (d->damped)
        value = estimate_op(&d->rounding, OP_MUL, value, direct_damping(d, f, at));
    value = direct_masked(f, point, value, direct_level(f, 0)[point]);
    direct_level(f, 1)[point] = estimate_store(&d->rounding, f->symbol->storage, value);
}

void direct_step(direct *d)
{
    for (int64_t k = 0; k < d->program->fields.count; k++)
        if (d->field[k].symbol->updated)
            direct_unset(&d->field[k]);
    for (const statement *s = d->program->first; s && d->status == PAV_OK; s = s->next)
        if (s->kind == STATEMENT_UPDATE) {
            direct_field *f = direct_of(d, s->symbol);
            d->damped = direct_is_damped(d, f);
            direct_each(d, f, update_point, (void *)(uintptr_t)s);
            direct_set(d, f, 1);
        }
    for (const statement *s = d->program->first; s && d->status == PAV_OK; s = s->next)
        if (s->kind == STATEMENT_INJECT)
            direct_inject(d, s);
    direct_rotate(d);
}
