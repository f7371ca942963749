/* SPDX-License-Identifier: BSD-3-Clause */
/* Which settings a pass has. What would change nothing is refused, with the pass that has it: nobody shall measure
 * something else than what was asked for. */
#include "emit/pass_private.h"

enum {
    MOST_UNROLLED = 64,
    MOST_LINES =
        12000 /* values that stand in the text of a thread: a minute of a compiler */
};

/* A setting that only threads with several points have, which they hold in registers; NULL: none was asked for. */
static const char *of_held(const emit_gpu_schedule *wanted)
{
    const struct {
        const char *name;
        int value;
    } all[] = {{"rows", wanted->rows},     {"vector", wanted->vector},
               {"ahead", wanted->ahead},   {"prefetch", wanted->prefetch},
               {"unroll", wanted->unroll}, {"rest", wanted->rest}};

    for (size_t k = 0; k < COUNT_OF(all); k++)
        if (all[k].value > 0)
            return all[k].name;
    return NULL;
}

bool pass_may_share(const emit_gpu_schedule *wanted)
{
    return wanted->source == EMIT_GPU_CACHE && wanted->copy == EMIT_GPU_ASYNC &&
           !of_held(wanted);
}

static void check_shared(pass_plan *p, const emit_gpu_schedule *wanted)
{
    const char *name = of_held(wanted);

    if (name && wanted->source == EMIT_GPU_SHARED)
        pass_say(p,
                 "%s is of time:shuffle: a thread of time:shared has one point of each "
                 "plane",
                 name);
    else if (name)
        pass_say(p, "%s is of time:shuffle, and that cannot be: %s", name, p->unheld);
    if (p->axis == 1 && wanted->threads[1] > 1)
        pass_say(p, "threads of time:shared in two dimensions stand along x: threads=%d",
                 wanted->threads[0] * wanted->threads[1]);
}

static void check_rest(pass_plan *p, const emit_gpu_schedule *wanted)
{
    if (wanted->rest > 0 && p->axis == 1)
        pass_say(p, "tiles of two dimensions fill a GPU by planes=: leave out rest");
    if (wanted->rest > 0 && wanted->planes == 0)
        pass_say(p, "rest is of tiles that are left when others have walked through "
                    "planes=N: say how many");
}

void pass_check_settings(pass_plan *p, const emit_gpu_schedule *wanted)
{
    check_rest(p, wanted);
    if (wanted->form == EMIT_GPU_RESIDENT && wanted->threads[1] > 1)
        pass_say(p, "threads of resident stand in one line: threads=%d",
                 wanted->threads[0] * wanted->threads[1]);
    if (wanted->form == EMIT_GPU_RESIDENT && p->code->dim < 3 && wanted->planes > 1)
        pass_say(p, "a grid of %d dimension%s has one plane: leave out planes",
                 p->code->dim, p->code->dim > 1 ? "s" : "");
    if (wanted->form == EMIT_GPU_TIME && !p->held)
        check_shared(p, wanted);
    if (p->code->dim < 3 && wanted->rows > 1 && (p->held || p->code->dim == 1))
        pass_say(p, "%s has one row: leave out rows",
                 p->held ? "a walk in two dimensions" : "a grid of one dimension");
}

/* ---- what is settled ---------------------------------------------------------------------- */

static int64_t lines_of(const pass_plan *p)
{
    const emit_gpu_schedule *s = &p->schedule;
    int64_t nodes = 0;

    for (int64_t n = 0; n < p->acts; n++)
        nodes += pass_stage_of(p, &p->act[n])->count;
    return nodes * s->depth * s->rows * s->vector * (s->unroll > 0 ? s->unroll : 1);
}

void pass_check_text(pass_plan *p)
{
    const emit_gpu_schedule *s = &p->schedule;
    const int most = 2 * pass_pack(p);

    if (s->vector > most || (s->vector & (s->vector - 1)) != 0)
        pass_say(p,
                 "a thread holds 1, 2 or another power of two of points along x, at "
                 "most %d: vector=%d",
                 most, most / 2);
    if (s->unroll > MOST_UNROLLED)
        pass_say(p, "at most %d planes stand one after the other", MOST_UNROLLED);
    if (lines_of(p) > MOST_LINES)
        pass_say(
            p, "a thread would compute so many points that compilers take minutes: "
               "take fewer steps (depth=), rows or planes one after the other (unroll=)");
}
