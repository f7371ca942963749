/* SPDX-License-Identifier: BSD-3-Clause */
/* Frames of one size: all points of some levels of a run's fields, one behind the other. They are where the run has its
 * fields as long as there is room, and then in the host's memory. */
#include "imaging/imaging_private.h"

enum { SLAB = 64 << 20, LINE = 64 }; /* bytes */

struct store {
    pav_run *run;
    const frame_layout *layout;
    int64_t each;      /* bytes of a frame */
    int64_t there;     /* frames that may still be where the fields are */
    int64_t slabs, of; /* of: frames of a slab */
    struct slab {
        char *memory;
        bool there;
    } * slab;
    int64_t room, loose; /* of the list of frames that are free */
    stored *free;
};

pav_status store_open(pav_run *run, const frame_layout *layout, int64_t there,
                      store **result)
{
    store *s = mem_new(1, sizeof *s);

    *result = s;
    if (!s)
        return PAV_ENOMEM;
    *s = (store){.run = run, .layout = layout};
    s->each = (layout->bytes + LINE - 1) / LINE * LINE;
    s->each = s->each > 0 ? s->each : LINE;
    s->of = s->each < SLAB ? SLAB / s->each : 1;
    s->there = there / s->each;
    return PAV_OK;
}

void store_close(store *s)
{
    if (!s)
        return;
    for (int64_t k = 0; k < s->slabs; k++)
        if (s->slab[k].there)
            run_release_there(s->run, s->slab[k].memory);
        else
            mem_big_free(s->slab[k].memory, s->of * s->each);
    mem_free(s->slab);
    mem_free(s->free);
    mem_free(s);
}

/* ---- room --------------------------------------------------------------------------------------- */

static pav_status add_slab(store *s, bool there, char **memory)
{
    void *more = mem_grow(s->slab, s->slabs + 1, sizeof *s->slab), *block = NULL;

    if (!more)
        return PAV_ENOMEM;
    s->slab = more;
    if (there)
        TRY(run_take_there(s->run, s->of * s->each, &block));
    else
        block = mem_big(s->of * s->each);
    if (!block)
        return PAV_ENOMEM;
    s->slab[s->slabs].memory = block;
    s->slab[s->slabs++].there = there;
    *memory = block;
    return PAV_OK;
}

static pav_status make_room(store *s)
{
    const bool there = s->there >= s->of;
    char *memory;

    if (s->room < s->slabs * s->of + s->of) {
        void *more = mem_grow(s->free, 2 * s->room + s->of + 16, sizeof *s->free);
        if (!more)
            return PAV_ENOMEM;
        s->free = more;
        s->room = 2 * s->room + s->of + 16;
    }
    TRY(add_slab(s, there, &memory));
    s->there -= there ? s->of : 0;
    for (int64_t k = s->of - 1; k >= 0; k--)
        s->free[s->loose++] = (stored){memory + k * s->each, there};
    return PAV_OK;
}

void store_drop(store *s, stored *f)
{
    if (f->memory)
        s->free[s->loose++] = *f;
    *f = (stored){0};
}

/* ---- points -------------------------------------------------------------------------------------- */

pav_status store_put(store *s, stored *f)
{
    const frame_layout *l = s->layout;

    if (s->loose == 0)
        TRY(make_room(s));
    *f = s->free[--s->loose];
    for (int64_t k = 0; k < l->count; k++) {
        const frame_item *i = &l->item[k];
        if (f->there)
            TRY(run_keep_there(s->run, i->field, i->age, f->memory + i->at));
        else
            TRY(run_keep_points(s->run, i->field, i->age, i->type, f->memory + i->at));
    }
    return PAV_OK;
}

pav_status store_get(const store *s, const stored *f, int64_t item, pav_run *to,
                     int field, int age)
{
    const frame_item *i = &s->layout->item[item];

    return f->there ? run_bring_there(to, field, age, s->run, f->memory + i->at)
                    : run_bring_points(to, field, age, i->type, f->memory + i->at);
}
