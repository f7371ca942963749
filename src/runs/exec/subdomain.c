/* SPDX-License-Identifier: BSD-3-Clause */
/* A subdomain: its fields, views, tables and time, and the stages that run on it. */
#include <assert.h>
#include <math.h>

#include "exec/host/host.h"

int64_t subdomain_line(const subdomain *part, pav_type type)
{
    const int64_t line = part->executor ? part->executor->line : 0;
    return line > 0 && part->plain ? (int64_t)pav_type_size(type) : line;
}

/* ---- fields and views -------------------------------------------------------------- */

pav_status subdomain_open_fields(subdomain *part)
{
    part->field = mem_new(part->code->fields + 1, sizeof *part->field);
    part->kept = mem_new(part->code->fields + 1, sizeof *part->kept);
    return part->field && part->kept ? PAV_OK : PAV_ENOMEM;
}

/* One pointer for each level +1, 0, -1, ... of each field; level +1 stays NULL if the
 * field is never updated. Between steps the target buffer of the next step still holds
 * the oldest level, so the last slot of an updated field points to it. */
static int slots_of(const ir_field *f)
{
    return f->levels + 1;
}

static pav_status open_views(subdomain *part)
{
    const ir *code = part->code;
    int64_t slots = 1;
    for (int64_t f = 0; f < code->fields; f++)
        slots += slots_of(&code->field[f]);
    TRY(mem_take(&part->views, slots, sizeof *part->views));
    TRY(mem_take(&part->view, code->fields + 1, sizeof *part->view));
    const view **next = part->views;
    for (int64_t f = 0; f < code->fields; f++) {
        part->view[f] = next;
        next += slots_of(&code->field[f]);
    }
    return PAV_OK;
}

void subdomain_refresh_views(subdomain *part)
{
    for (int64_t f = 0; f < part->code->fields; f++) {
        const ir_field *field = &part->code->field[f];
        const view **slot = part->views + (part->view[f] - part->views);
        for (int k = !field->updated; k < slots_of(field); k++)
            slot[k] = levels_view(&part->field[f], 1 - k);
    }
}

void subdomain_rotate(subdomain *part)
{
    for (int64_t u = 0; u < part->code->uniforms && !part->is_inner; u++)
        if (part->code->uniform[u].next)
            part->uniform[u] = part->uniform[part->code->uniform[u].next];
    for (int64_t f = 0; f < part->code->fields; f++)
        if (part->code->field[f].updated)
            levels_rotate(&part->field[f]);
    subdomain_refresh_views(part);
    for (int64_t n = 0; n < part->inners; n++)
        subdomain_rotate(&part->inner[n]);
}

void subdomain_turn(subdomain *part)
{
    for (int64_t f = 0; f < part->code->fields; f++)
        for (int n = 0; n < ir_kept_levels(&part->code->field[f]); n++)
            levels_rotate(&part->field[f]);
    subdomain_refresh_views(part);
}

pav_status subdomain_ask(const subdomain *part, int field, const view *v, host_use how,
                         const box *range)
{
    const field_keeper *k = &part->keeper;
    return k->ask && v ? k->ask(k->user, field, v, how, range) : PAV_OK;
}

pav_status subdomain_host_view(const subdomain *part, int field, int level, host_use how,
                               const box *range, const view **v)
{
    executor *e = part->executor;
    if (how == HOST_FILE && !part->ranks)
        how = HOST_READ;
    *v = part->view[field][1 - level];
    TRY(subdomain_ask(part, field, *v, how, range));
    return *v ? e->ops.host_view(e, field, *v, how, range, v) : PAV_OK;
}

/* ---- tables ------------------------------------------------------------------------ */

/* Includes padding at both ends, which kernels may load. */
int64_t subdomain_table_count(const ir *code, const ir_table *table)
{
    return points_along(code, table->axis, table->coarse) + table->margin[0] +
           table->margin[1] + 2 * (LEVELS_SLACK / (int64_t)sizeof(double));
}

int64_t subdomain_table_bytes(const ir *code)
{
    int64_t count = 0;
    for (int64_t k = 0; k < code->tables; k++)
        count += subdomain_table_count(code, &code->table[k]);
    return count * (int64_t)sizeof(double);
}

pav_status subdomain_fill_tables(subdomain *part)
{
    const ir *code = part->code;
    for (int64_t k = 0; k < code->tables; k++) {
        const ir_table *table = &code->table[k];
        const int64_t slack = LEVELS_SLACK / (int64_t)sizeof(double);
        TRY(mem_take(&part->table_memory[k], subdomain_table_count(code, table),
                     sizeof(double)));
        part->table[k] = part->table_memory[k] + slack + table->margin[0];
        TRY(interp_table(code, (int)k, part->table, part->table_memory[k] + slack));
    }
    return PAV_OK;
}

/* ---- uniform slots ----------------------------------------------------------------- */

pav_status subdomain_open_views(subdomain *part, const subdomain *whole)
{
    assert(part->is_inner && part->code == whole->code); /* tables and time are shared */
    TRY(open_views(part));
    part->uniform = whole->uniform;
    part->table = whole->table;
    part->table_memory = whole->table_memory;
    subdomain_refresh_views(part);
    return PAV_OK;
}

pav_status subdomain_open_values(subdomain *part)
{
    TRY(open_views(part));
    const ir *code = part->code;
    TRY(mem_take(&part->uniform, code->uniforms + 1, sizeof *part->uniform));
    TRY(mem_take(&part->table, code->tables + 1, sizeof *part->table));
    TRY(mem_take(&part->table_memory, code->tables + 1, sizeof *part->table_memory));
    for (int64_t k = 0; k < code->uniforms; k++)
        part->uniform[k] = code->uniform[k].value;
    subdomain_refresh_views(part);
    return PAV_OK;
}

double subdomain_step_time(const subdomain *part)
{
    const ir *code = part->code;
    if (code->dt < 0)
        return num_f64(code->dt_value);
    return part->uniform ? part->uniform[code->dt] : 0; /* 0: a plan, before the start */
}

double subdomain_time(const subdomain *part, int64_t step)
{
    const program *p = part->code->program;
    const int stop = part->code->stop;
    const double dt = subdomain_step_time(part);
    const double end = stop ? part->uniform[stop] : num_f64(p->end);
    if (part->timed || !part->code->time)
        return part->timed ? part->time : (double)step * dt;
    const double t = part->uniform[part->code->time];
    return (p->ends || stop) && step == part->step + 1 && t < end && end - t <= dt
               ? end /* like lower_next_time */
               : t + (double)(step - part->step) * dt;
}

/* The multiples of an interval up to t. */
static double multiples(double t, double interval)
{
    return floor(t / interval + TIME_TOLERANCE);
}

/* A scalar dt ends steps at multiples, so t itself tells; a param dt steps over them. */
bool subdomain_is_due(const subdomain *part, const statement *s, int64_t step)
{
    const double interval = s->interval.v, back = 2 * TIME_TOLERANCE * interval;
    if (!(interval > 0))
        return step % (s->every_steps > 0 ? s->every_steps : 1) == 0;
    const double t = subdomain_time(part, step);
    return step == 0 ||
           multiples(t, interval) >
               multiples(part->code->time ? t - back : subdomain_time(part, step - 1),
                         interval);
}

int64_t subdomain_steps_until_due(const subdomain *part, const statement *s)
{
    const double dt = subdomain_step_time(part), interval = s->interval.v;
    const int64_t every = s->every_steps, step = part->step;
    if (!(interval > 0))
        return every > 0 ? every - step % every : 0;
    if (part->code->time || !(dt > 0))
        return 1;
    const double next = (multiples(subdomain_time(part, step), interval) + 1) * interval;
    const double left = fmin(next / dt - (double)step, 0x1p50);
    int64_t steps = left < 2 ? 1 : (int64_t)left - 1;
    while (left < 0x1p50 && !subdomain_is_due(part, s, step + steps))
        steps++;
    return steps;
}

void subdomain_set_time(subdomain *part, int64_t step)
{
    part->uniform[part->code->uniform_step] = (double)step;
    part->uniform[part->code->uniform_t] = subdomain_time(part, step);
}

/* Inner subdomains share the uniform slots, so only the whole sets the time. */
static void count_step(subdomain *part, int64_t step)
{
    part->step = step;
    for (int64_t n = 0; n < part->inners; n++)
        count_step(&part->inner[n], step);
}

void subdomain_set_step(subdomain *part, int64_t step)
{
    assert(step >= 0 && !part->is_inner); /* inner subdomains follow the whole */
    count_step(part, step);
    subdomain_set_time(part, step);
}

void subdomain_release(subdomain *part)
{
    for (int64_t f = 0; part->field && f < part->code->fields; f++)
        levels_free(&part->field[f]);
    MEM_FREE_ALL(part->field, part->kept, part->views, part->view, part->grid);
    subdomain_close_active(part);
    if (part->is_inner)
        return;
    for (int64_t k = 0; part->table_memory && k < part->code->tables; k++)
        mem_free(part->table_memory[k]);
    MEM_FREE_ALL(part->table_memory, part->table, part->uniform);
}

/* ---- stages ------------------------------------------------------------------------ */

/* Runs stages of a subdomain, and work on boxes of points in pieces. */

enum { PIECE = 1 << 18 /* points */ };

static pav_status ready_stage_of(const subdomain *part, int stage, const box *where,
                                 interp_args *args)
{
    assert(stage >= 0 && stage < part->code->stages); /* the plan numbers stages */
    const ir_stage *s = &part->code->stage[stage];
    *args = (interp_args){
        .code = part->code,
        .stage = s,
        .view = part->view,
        .table = part->table,
        .uniform = part->uniform,
        .box = where ? *where : ir_stage_box(part->code, s),
        .same_ends = !where && !s->along && subdomain_ends_are_alike(part, s),
    };
    for (const ir_node *n = NULL; part->keeper.ask && (n = ir_next_load(s, n));)
        TRY(subdomain_ask(part, n->field, part->view[n->field][1 - n->level], HOST_READ,
                          NULL));
    return PAV_OK;
}

pav_status subdomain_stage(subdomain *part, int stage, const box *where)
{
    interp_args args;
    TRY(ready_stage_of(part, stage, where, &args));
    if (part->inners == 0 && !args.stage->along && !part->executor->own_memory &&
        part->executor->compiled && subdomain_is_masked(part, args.stage))
        return subdomain_masked_stage(part, &args);
    return part->executor->ops.stage(part->executor, &args);
}

pav_status subdomain_lines(subdomain *part, const int *stage, int64_t count)
{
    OWNED_NEW(interp_args, args, count);
    for (int64_t n = 0; n < count; n++) {
        TRY(ready_stage_of(part, stage[n], NULL, &args[n]));
        args[n].same_ends = false; /* slabs may end anywhere in a row */
    }
    return kernels_lines(part->executor, args, count);
}

/* Stored values do not depend on cuts of the box; reductions do. */
bool stage_may_be_cut(const ir_stage *s)
{
    for (int64_t k = 0; k < s->outputs; k++)
        if (s->output[k].kind != IR_STORE)
            return false;
    return s->outputs > 0;
}

/* Halves the box along the outermost axis with more than one point. */
pav_status subdomain_in_pieces(subdomain *part, const box *all, bool counted,
                               piece_work *work, void *user)
{
    const progress_sink *sink = part->setup && part->setup->ask ? part->setup : NULL;
    box half = *all;
    int axis = MAX_DIM - 1;
    if (!sink || part->executor->own_memory || box_points(*all) <= PIECE) {
        TRY(work(part, all, user));
        return sink ? sink->ask(sink->user, counted ? box_points(*all) : 0) : PAV_OK;
    }
    while (all->hi[axis] - all->lo[axis] < 2)
        axis--;
    half.hi[axis] = all->lo[axis] + (all->hi[axis] - all->lo[axis]) / 2;
    TRY(subdomain_in_pieces(part, &half, counted, work, user));
    /* both halves have points */
    assert(half.hi[axis] > all->lo[axis] && half.hi[axis] < all->hi[axis]);
    half.lo[axis] = half.hi[axis];
    half.hi[axis] = all->hi[axis];
    return subdomain_in_pieces(part, &half, counted, work, user);
}
