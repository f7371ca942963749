/* SPDX-License-Identifier: BSD-3-Clause */
/* Settings of a fused launch. A setting without effect is refused, so that nobody
 * measures something other than the request. */
#include "codegen/gpu/time/fused_private.h"

enum {
    MOST_UNROLLED = 64,
    MOST_LINES = 12000 /* values in the text of a thread: a minute of compile time */
};

/* The name of a requested option for versions in registers; NULL: none. */
static const char *of_registers(const schedule *requested)
{
    const struct {
        const char *name;
        int value;
    } all[] = {{"rows", requested->thread.size[1]}, {"vector", requested->thread.size[0]},
               {"ahead", requested->tile.ahead},    {"prefetch", requested->prefetch},
               {"unroll", requested->unroll},       {"tail", requested->tail}};

    for (size_t k = 0; k < COUNT_OF(all); k++)
        if (all[k].value > 0)
            return all[k].name;
    return NULL;
}

bool fused_may_use_shared(const schedule *requested)
{
    return requested->tile.storage == STORAGE_CACHE &&
           requested->tile.copy == COPY_ASYNC && !of_registers(requested);
}

void fused_check_shared(fused_plan *p, const schedule *requested)
{
    const char *name = of_registers(requested);

    if (p->in_registers)
        return;
    if (name)
        fused_refuse_with(p, "%s is of time:shuffle, and that cannot be: %s", name,
                          p->why_not_registers);
    if (p->axis == 1 && requested->tile.size[1] > 1)
        fused_refuse_with(
            p, "threads of time:shared in two dimensions stand along x: threads=%d",
            requested->tile.size[0] * requested->tile.size[1]);
}

static void check_rest(fused_plan *p, const schedule *requested)
{
    if (requested->tail > 0 && p->axis == 1)
        fused_refuse_with(
            p, "tiles of two dimensions fill a GPU by planes=: leave out tail");
    if (requested->tail > 0 && requested->planes == 0)
        fused_refuse_with(p,
                          "tail is of tiles that are left when others have swept through "
                          "planes=N: say how many");
}

void fused_check_settings(fused_plan *p, const schedule *requested)
{
    check_rest(p, requested);
    p->of->settings(p, requested);
    if (p->code->dim < 3 && requested->thread.size[1] > 1 &&
        (p->in_registers || p->code->dim == 1))
        fused_refuse_with(p, "%s has one row: leave out rows",
                          p->in_registers ? "a sweep in two dimensions"
                                          : "a grid of one dimension");
}

/* ---- settled launch ---------------------------------------------------------------- */

static int64_t lines_of(const fused_plan *p)
{
    const schedule *s = &p->schedule;
    int64_t nodes = 0;

    for (int64_t n = 0; n < p->operations; n++)
        nodes += fused_stage_of(p, &p->operation[n])->count;
    return nodes * s->tile.steps * s->thread.size[1] * s->thread.size[0] *
           (s->unroll > 0 ? s->unroll : 1);
}

void fused_check_text(fused_plan *p)
{
    const schedule *s = &p->schedule;
    const int most = 2 * fused_vector(p);

    if (s->thread.size[0] > most || (s->thread.size[0] & (s->thread.size[0] - 1)) != 0)
        fused_refuse_with(
            p,
            "a thread computes 1, 2 or another power of two of points along x, at "
            "most %d: vector=%d",
            most, most / 2);
    if (s->unroll > MOST_UNROLLED)
        fused_refuse_with(p, "at most %d planes stand one after the other",
                          MOST_UNROLLED);
    if (lines_of(p) > MOST_LINES)
        fused_refuse_with(
            p, "a thread would compute so many points that compilers take minutes: "
               "take fewer steps (depth=), rows or planes one after the other (unroll=)");
}
