/* SPDX-License-Identifier: BSD-3-Clause */
/* The items of a run, for callers that do not know its description. */
#include "run/run_private.h"

static const pav_item number = {.type = PAV_F64, .extent = {1, 1, 1}};

static pav_item field_item(const pav_run *run, const symbol *s)
{
    const ir_field *f = &run->code->field[run_field_of(run, s)];
    pav_item item = {.type = f->storage, .dimensions = run->code->dim, .ages = f->levels};
    for (int axis = 0; axis < MAX_DIM; axis++)
        item.extent[axis] = f->extent[axis];
    return item;
}

static pav_item sample_item(const pav_run *run, int64_t index)
{
    const recorder *r = run_sample(run, index);
    pav_item item = number;
    item.dimensions = 1;
    item.extent[0] = r->points.count;
    item.name = r->statement->symbol->name;
    return item;
}

static pav_item symbol_item(const pav_run *run, int kind, const symbol *s)
{
    pav_item item = kind == PAV_KIND_FIELD ? field_item(run, s) : number;
    item.name = s->name;
    return item;
}

enum { KINDS = PAV_KIND_SAMPLE + 1 };

/* The list of names for each kind; samples have no list. */
static void find_lists(const pav_run *run, const symbol_list *list[KINDS])
{
    const program *p = run->program;
    list[PAV_KIND_FIELD] = &p->fields;
    list[PAV_KIND_PARAM] = &p->params;
    list[PAV_KIND_SCALAR] = &p->scalars;
    list[PAV_KIND_MEASURE] = &p->measures;
    list[PAV_KIND_SAMPLE] = NULL;
}

int64_t pav_run_items(const pav_run *run)
{
    const symbol_list *list[KINDS];
    int64_t count = 0;
    if (!run)
        return 0;
    find_lists(run, list);
    for (int kind = 0; kind < KINDS; kind++)
        count += list[kind] ? list[kind]->count : run_samples(run);
    return count;
}

pav_status pav_run_describe(const pav_run *run, int64_t at, pav_item *item)
{
    GUARDED;
    const symbol_list *list[KINDS];
    int64_t index = at;
    if (item)
        *item = (pav_item){0};
    if (!run || !item)
        return FAIL(PAV_EINVAL, "pav_run_describe needs a run and a place for the item");
    find_lists(run, list);
    for (int kind = 0; kind < KINDS && index >= 0; kind++) {
        const int64_t count = list[kind] ? list[kind]->count : run_samples(run);
        if (index < count) {
            *item = list[kind] ? symbol_item(run, kind, list[kind]->item[index])
                               : sample_item(run, index);
            item->kind = (pav_kind)kind;
            item->index = index;
            return PAV_OK;
        }
        index -= count;
    }
    return FAIL(PAV_EINVAL, "this run has %lld items, numbered from 0, and no item %lld",
                (long long)pav_run_items(run), (long long)at);
}
