/* SPDX-License-Identifier: BSD-3-Clause */
/* Compiled kernels on processors: the sets that hold them, the checks before a call, the
 * threads of a call, and the executor that calls them. */
#include <assert.h>
#include <stdlib.h>
#include <string.h>

#include "exec/host/host.h"

/* ---- texts ------------------------------------------------------------------------- */

/* Source text of a program's kernels, for any device. The text is part of the key of the
 * kernel cache, so it contains no name of a program or file. */

const char *kernel_head(bool for_gpu)
{
    return for_gpu ? "Kernels for GPUs." : "Kernels for the host's processors.";
}

pav_status kernel_source(const ir *code, bool for_gpu, const schedule *s, text *t)
{
    return emit_program(code, s, kernel_head(for_gpu), t);
}

/* ---- strides ----------------------------------------------------------------------- */

/* Compiles the strides of fields into kernels, because constant strides let all loads of
 * a level share one pointer. If the subdomains of a field have different strides, its
 * kernels take them at run time. */

void kernel_strides_of_whole(ir *code)
{
    for (int64_t k = 0; k < code->fields && !ir_solves(code); k++) {
        ir_field *f = &code->field[k];
        field_shape shape = {.type = f->storage, .dimensions = code->dim, .count = 1};
        memcpy(shape.extent, f->extent, sizeof f->extent);
        memcpy(shape.halo, f->halo, sizeof f->halo);
        levels_strides(&shape, f->stride);
    }
}

/* True if aligned vector stores are allowed: index 0 of each stored row begins a line of
 * memory. Rows of a GPU's schedule `plain` have no padding, so their host mirrors have
 * none either. */
static bool rows_begin_lines(const ir *code, const emit_slot *slot, int64_t slots,
                             const emit_grid *grid)
{
    for (int64_t k = 0; k < slots; k++) {
        const int64_t size = (int64_t)pav_type_size(code->field[slot[k].field].storage);
        if (slot[k].stored &&
            ((intptr_t)grid[k].data % CPU_LINE != 0 || grid[k].y * size % CPU_LINE != 0 ||
             grid[k].z * size % CPU_LINE != 0))
            return false;
    }
    return true;
}

static pav_status check_strides(const ir *code, const emit_slot *slot, int64_t slots,
                                const emit_grid *grid)
{
    for (int64_t k = 0; k < slots; k++) {
        const ir_field *f = &code->field[slot[k].field];
        const int64_t y = f->stride[1], z = f->stride[2];
        if (y > 0 &&
            ((code->dim > 1 && grid[k].y != y) || (code->dim > 2 && grid[k].z != z)))
            return FAIL(PAV_EINTERNAL,
                        "a kernel made for strides of %lld and %lld points of %s was "
                        "called for %lld and %lld",
                        (long long)y, (long long)z, f->name, (long long)grid[k].y,
                        (long long)grid[k].z);
    }
    return PAV_OK;
}

/* ---- sets -------------------------------------------------------------------------- */

/* Kernels of one program or many, from the IR to functions: emitted as one text, compiled
 * and loaded by the host. */

void kernel_set_close(kernel_set *set)
{
    if (!set)
        return;
    host_module_close(set->module);
    emit_shared_kernels_free(&set->shared);
    mem_free(set);
}

pav_status kernels_install(text *kernels, text_pieces *pieces, bool only_own,
                           const char *folder)
{
    OWNED_BY(text_free) text source = {0};
    TRY(emit_source_end(kernels, kernel_head(false), &source, pieces));
    return host_install(&source, pieces, only_own, folder);
}

pav_status kernels_are_installed(const ir *code, bool *there)
{
    OWNED_BY(text_free) text source = {0};
    OWNED_BY(emit_shared_kernels_free) emit_shared_kernels shared = {0};
    text_pieces pieces = {0};
    const pav_status status = emit_source(&code, 1, kernel_head(false), &shared, &source,
                                          &pieces);
    *there = status == PAV_OK && host_pieces_are_installed(&pieces);
    mem_free(pieces.piece);
    return status;
}

static pav_status open_set(const ir *const *code, int64_t count, const char *head,
                           unsigned how, kernel_set *set)
{
    OWNED_BY(text_free) text source = {0};
    text_pieces pieces = {0};
    const bool nameless = count == 1 && code[0] &&
                          (ir_solves(code[0]) || how & HOST_PARTLY);
    pav_status status = emit_source(code, count, head, nameless ? &set->shared : NULL,
                                    &source, &pieces);
    if (status == PAV_OK)
        status = host_module_open_pieces(
            &source, &pieces, how | (how & HOST_BESIDE ? HOST_FIND : 0), &set->module);
    if (status == PAV_EUNSUPPORTED && how & HOST_BESIDE)
        return host_module_begin(&source, &pieces, how, &set->module);
    mem_free(pieces.piece);
    return status;
}

pav_status kernel_set_open(const ir *const *code, int64_t count, const char *head,
                           unsigned how, kernel_set **set)
{
    *set = NULL;
    NEW_BY(close_kernel_set, kernel_set, opened, 1);
    TRY(open_set(code, count, head, how, opened));
    *set = mem_hand_over(&opened);
    return PAV_OK;
}

/* ---- hosts, candidates and reductions ---------------------------------------------- */

/* Properties of a stage known before any kernel runs: its memory traffic, the values it
 * leaves of reductions, and the candidate loop schedules. */

int64_t kernels_reduction_bytes(const ir *code)
{
    int64_t most = 0;
    for (int64_t k = 0; k < code->stages; k++) {
        const box b = ir_stage_box(code, &code->stage[k]);
        int64_t size[MAX_DIM];
        reduction_sizes(&b, size);
        if (emit_has_kernel(&code->stage[k]))
            most = int64_most(ir_reductions(&code->stage[k]) * size[2], most);
    }
    return most * (int64_t)sizeof(double);
}

/* ---- loop schedules ---------------------------------------------------------------- */

/* Subdomains compute in turn, so all of them share the largest cache in a step. */
kernel_host kernel_host_of(const exec_client *client)
{
    const client_state state = client->ops->state(client->run);
    const int64_t turns = state.inners > 0 ? state.inners : 1;
    const int threads = client->ops->threads(client->run);
    return (kernel_host){.threads = threads,
                         .cache = host_cache(0) / turns,
                         .core_cache = host_cache(2),
                         .sharers = int_least(host_cache_sharers_under(""), threads),
                         .nodes = host_nodes(),
                         .steps = state.steps,
                         .rates = client->machine.rate,
                         .kind = client->schedule->kind};
}

static kernel_host host_of_stage(const exec_client *client, int64_t stage)
{
    const schedule_kind kind = client->schedule->kind;
    const bool loops = kind == SCHEDULE_ROWS || kind == SCHEDULE_BLOCKS;
    bool is_hint;
    const schedule *found = client->ops->known(client->run, stage, &is_hint);
    const schedule *known = found && !schedule_is_of_gpus(found->kind) ? found : NULL;
    kernel_host host = kernel_host_of(client);
    if (loops && !schedule_is_same(client->schedule, &(const schedule){.kind = kind}))
        host.requested = client->schedule;
    else if (known && is_hint)
        host.hint = known;
    else if (known)
        host.requested = known;
    if (host.requested)
        host.kind = host.requested->kind;
    return host;
}

pav_status kernel_candidates(const exec_client *client, const ir *code,
                             const ir_stage *stage, loop_tuner *m)
{
    const box b = ir_stage_box(code, stage);
    const kernel_host host = host_of_stage(client, stage - code->stage);
    *m = (loop_tuner){0};
    if (!emit_has_kernel(stage))
        return PAV_OK;
    cost_load load;
    TRY(cost_load_of_stage(code, stage, &load));
    loop_tuner_list(&b, &load, &host, m);
    return PAV_OK;
}

/* ---- checks ------------------------------------------------------------------------ */

/* Checks and work before a kernel of a stage is called, on any device. */

/* The reads of a stage grow with its box, so a box inside a checked box needs no
 * check. */
pav_status stage_fits(const interp_args *args, box *checked)
{
    if (box_is_inside(args->box, *checked))
        return PAV_OK;
    TRY(stage_check(args, false));
    *checked = args->box;
    return PAV_OK;
}

bool stage_grids(const interp_args *args, const emit_slot *slot, int64_t slots,
                 emit_grid *grid)
{
    for (int64_t k = 0; k < slots; k++) {
        const view *v = args->view[slot[k].field][1 - slot[k].level];
        if (!v || v->type != args->code->field[slot[k].field].storage)
            return false;
        grid[k] = (emit_grid){v->data, v->stride[1], v->stride[2]};
        for (int64_t other = 0; other < k; other++)
            if (grid[other].data == v->data && (slot[k].stored || slot[other].stored) &&
                !args->code->field[slot[k].field].in_place)
                return false;
    }
    return true;
}

pav_status stage_slots(const ir_stage *stage, emit_slot **slot, int64_t *slots,
                       emit_grid **grid)
{
    TRY(mem_take(slot, stage->count + stage->outputs + 1, sizeof **slot));
    *slots = emit_slots(stage, *slot);
    return mem_take(grid, *slots + 1, sizeof **grid);
}

/* A stage with same_ends stores nothing next to the ends. */
bool stage_ends_lie_beyond(const interp_args *args, const emit_slot *slot, int64_t slots)
{
    for (int64_t k = 0; k < slots && args->same_ends; k++) {
        const view *v = args->view[slot[k].field][1 - slot[k].level];
        if (slot[k].stored && (args->box.lo[0] < v->first[0] ||
                               args->box.hi[0] > v->first[0] + v->extent[0]))
            return false;
    }
    return true;
}

pav_status stage_before(const interp_args *args)
{
    interp_args before = *args;
    if (args->stage->before < 0)
        return PAV_OK;
    before.stage = &args->code->stage[args->stage->before];
    return interp_stage(&before);
}

/* ---- calls ------------------------------------------------------------------------- */

/* Calls a kernel by the threads of a team: each takes a box cut from the whole. */

_Static_assert((int)PARTITION_PIECE == EMIT_PIECE, "no piece is parted");

/* The whole box, and its cut. */
typedef struct shared {
    emit_kernel *kernel;
    const emit_work *whole;
    box box;
    int axis, parts;
} shared;

static void call_part(void *argument, int64_t n)
{
    const shared *s = argument;
    emit_work w = *s->whole;
    box part;

    if (!partition_box(&s->box, s->axis, s->parts, n, &part))
        return;
    box_bounds(&part, w.lo, w.hi);
    if (w.fold) {
        const int64_t offset = reduction_offset(&s->box, &part);
        assert(offset >= 0 && offset < s->whole->folds[2]); /* room for all pieces */
        w.fold += offset;
    }
    /* Threads store whole lines: two threads share a line only at the ends of rows. */
    assert(s->axis > 0 || part.lo[0] == s->box.lo[0] || part.lo[0] % CPU_LINE == 0);
    s->kernel(&w);
}

/* ---- the executor ------------------------------------------------------------------ */

/* Runs stages by compiled kernels. The interpreter runs stages without kernels, empty
 * boxes, rows without padding, and the rare stage that stores a level under one name and
 * reads it under another.
 * A kernel leaves one value of a reduction for each piece of a row; this file continues
 * the tree. */

typedef struct stage_kernel {
    emit_kernel *call;      /* or NULL */
    int *tables, *uniforms; /* of a kernel without names; one piece of memory */
    emit_slot *slot;
    emit_grid *grid;
    int64_t slots;
    int reductions;
    cost_load load;
    kernel_host host;
    loop_tuner loop_tuner; /* empty before the first call */
    box checked;           /* the last valid box */
} stage_kernel;

typedef struct kernels {
    executor base;
    const ir *code;
    kernel_set *set;
    int64_t number; /* of the program in the set */
    bool owned, awaited;
    const schedule *loop; /* NULL: chosen for each stage */
    const exec_client *client;
    host_team *team;
    stage_kernel *stage;
    double *fold;
    int64_t folds; /* room */
} kernels;

/* ---- arguments of kernels ---------------------------------------------------------- */

static emit_work work_of(const stage_kernel *s, const interp_args *args,
                         const schedule *m)
{
    const box *b = &args->box;
    emit_work w = {.grid = s->grid,
                   .table = args->table,
                   .uniform = args->uniform,
                   .ahead = m->tile.ahead,
                   .several_rows = m->thread.size[1] != 1,
                   .streams = m->non_temporal,
                   .same_ends = args->same_ends,
                   .tables = s->tables,
                   .uniforms = s->uniforms};
    box_bounds(b, w.lo, w.hi);
    w.block = m->kind == SCHEDULE_BLOCKS ? m->tile.size[1] : b->hi[1] - b->lo[1];
    reduction_sizes(b, w.folds);
    return w;
}

/* ---- reductions -------------------------------------------------------------------- */

static int64_t rows_of(const emit_work *w)
{
    return (w->hi[1] - w->lo[1]) * (w->hi[2] - w->lo[2]);
}

static void reduction_outputs(const interp_args *args, const emit_work *w)
{
    /* The kernel left one value for each piece of each row of the box. */
    assert(w->folds[0] > 0 && w->folds[2] == rows_of(w) * w->folds[0]);
    double *value = w->fold, *rows = args->rows;
    for (const ir_output *o = NULL; (o = ir_next_output(args->stage, o));) {
        if (o->kind != IR_REDUCE)
            continue;
        reduction_to_rows(o->reduction, &args->box, value);
        if (rows) {
            memcpy(rows, value, (size_t)rows_of(w) * sizeof *rows);
            rows += rows_of(w);
        } else {
            args->uniform[o->uniform] = reduction_of_rows(o->reduction, &args->box,
                                                          value);
        }
        value += w->folds[2];
    }
}

/* ---- stages ------------------------------------------------------------------------ */

static pav_status run_kernel(executor *self, const interp_args *args)
{
    kernels *k = (kernels *)self;
    stage_kernel *s = &k->stage[args->stage - k->code->stage];
    schedule m;
    if (args->stage->transform || interp_is_ordered(args) ||
        ((k->awaited || !s->call) && stage_may_be_cut(args->stage)))
        return kernels_lines(self, args, 1);
    if (k->awaited || !s->call)
        return interp_stage(args);
    if (box_is_empty(&args->box) || !stage_grids(args, s->slot, s->slots, s->grid) ||
        !rows_begin_lines(k->code, s->slot, s->slots, s->grid))
        return interp_stage(args);
    TRY(stage_before(args));
    TRY(stage_fits(args, &s->checked));
    TRY(check_strides(k->code, s->slot, s->slots, s->grid));
    if (k->loop)
        m = *k->loop;
    else
        loop_tuner_next(&s->loop_tuner, &args->box, &s->load, &s->host, &m);
    assert(stage_ends_lie_beyond(args, s->slot, s->slots));
    emit_work w = work_of(s, args, &m);
    if (s->reductions) {
        const int64_t count = s->reductions * w.folds[2];
        if (count > k->folds) {
            mem_free(k->fold);
            k->folds = 0;
            TRY(mem_take(&k->fold, count, sizeof *k->fold));
            k->folds = count;
        }
    }
    w.fold = s->reductions ? k->fold : NULL;
    shared all = {.kernel = s->call,
                  .whole = &w,
                  .box = args->box,
                  .axis = schedule_axis(&m),
                  .parts = schedule_threads(&m)};
    if (all.parts == 1)
        s->call(&w);
    else
        host_team_run(k->team, all.parts, call_part, &all);
    if (s->reductions)
        reduction_outputs(args, &w);
    if (!k->loop) {
        const double seconds = clock_seconds() - s->loop_tuner.begun;
        if (s->loop_tuner.trying && trial_is_of(&s->loop_tuner.box, &args->box))
            tuner_time(&s->loop_tuner.tuner, seconds, seconds);
    }
    return PAV_OK;
}

/* ---- for many boxes ---------------------------------------------------------------- */

static pav_status ready_kernel(const stage_kernel *s, const interp_args *args,
                               const schedule *m, ready_stage *ready)
{
    TRY(mem_take(&ready->grid, s->slots + 1, sizeof *ready->grid));
    if (!stage_grids(args, s->slot, s->slots, ready->grid) ||
        !rows_begin_lines(args->code, s->slot, s->slots, ready->grid))
        return PAV_OK;
    TRY(check_strides(args->code, s->slot, s->slots, ready->grid));
    assert(!args->same_ends); /* tiles may end anywhere in a row */
    ready->work = work_of(s, args, m);
    ready->work.grid = ready->grid;
    ready->call = s->call;
    return PAV_OK;
}

pav_status kernels_ready(const executor *self, const interp_args *args, const schedule *m,
                         ready_stage *ready)
{
    const kernels *k = (const kernels *)self;
    const stage_kernel *s = &k->stage[args->stage - k->code->stage];
    *ready = (ready_stage){.args = *args, .stage = *args->stage, .there = true};
    ready->stage.before = -1;
    if (box_is_empty(&args->box))
        return PAV_OK;
    TRY(stage_check(args, false));
    return s->call && !k->awaited ? ready_kernel(s, args, m, ready) : PAV_OK;
}

static emit_work work_within(const ready_stage *ready, const box *b)
{
    emit_work w = ready->work;
    box_bounds(b, w.lo, w.hi);
    w.block = b->hi[1] - b->lo[1];
    w.carried = 1;
    return w;
}

pav_status ready_call(const ready_stage *ready, const box *b)
{
    if (box_is_empty(b))
        return PAV_OK;
    if (!ready->call) {
        interp_args args = ready->args;
        args.stage = &ready->stage;
        args.box = *b;
        return interp_stage(&args);
    }
    emit_work w = work_within(ready, b);
    ready->call(&w);
    return PAV_OK;
}

void ready_call_relaxed(const ready_stage *ready, const box *b)
{
    emit_work w = work_within(ready, b);
    w.relaxed = 1;
    ready->call(&w);
}

/* ---- lines ------------------------------------------------------------------------- */

/* Threads take consecutive operations along an axis slab by slab, without waiting for
 * each other: a slab of lines goes through all operations while it is in a core's own
 * cache. Stages without kernels are interpreted slab by slab, and one thread is left to a
 * compiler. */

enum { SLABS = 8 /* of a thread: one more or less is little */ };

typedef struct lines {
    ready_stage *stage;
    int64_t stages;
    line_slabs slabs;
    int parts;
    _Atomic int failed; /* a status */
} lines;

line_slabs line_slabs_of(const interp_args *args, int64_t stages, int64_t most)
{
    line_slabs l = {.all = args->box, .first = args->box, .count = 1};
    l.first.lo[0] &= -(int64_t)CPU_LINE; /* slabs cut rows at whole lines of memory */
    int64_t size = box_points(l.first);
    for (int axis = MAX_DIM - 1; axis >= 0; axis--) {
        const int64_t all = l.all.hi[axis] - l.first.lo[axis],
                      least = axis == 0 ? CPU_LINE : 1,
                      most_width = most / (size / all + 1) / least * least;
        bool whole = size <= most;
        for (int64_t k = 0; k < stages; k++) {
            whole |= abs(args[k].stage->along) - 1 == axis;
            for (const ir_node *n = NULL;
                 stages > 1 && (n = ir_next_load(args[k].stage, n));)
                whole |= n->offset[axis] != 0;
        }
        const int64_t width = whole ? all
                                    : int64_least(int64_most(most_width, least), all);
        l.first.hi[axis] = l.first.lo[axis] + width;
        l.slabs[axis] = (all + width - 1) / width;
        l.count *= l.slabs[axis];
        size = size / all * width;
    }
    return l;
}

box line_slab(const line_slabs *l, int64_t number)
{
    int64_t by[MAX_DIM];
    for (int axis = 0; axis < MAX_DIM; number /= l->slabs[axis++])
        by[axis] = number % l->slabs[axis] * (l->first.hi[axis] - l->first.lo[axis]);
    return box_common(box_moved(l->first, by), l->all);
}

static void take_slabs(void *argument, int64_t part)
{
    lines *l = argument;
    const int64_t end = l->slabs.count * (part + 1) / l->parts;
    for (int64_t n = l->slabs.count * part / l->parts; n < end; n++) {
        const box slab = line_slab(&l->slabs, n);
        for (int64_t k = 0; k < l->stages; k++) {
            const pav_status status = ready_call(&l->stage[k], &slab);
            if (status != PAV_OK)
                atomic_store(&l->failed, (int)status);
        }
    }
}

pav_status kernels_lines(executor *self, const interp_args *args, int64_t count)
{
    const kernels *k = (const kernels *)self;
    const int64_t kept = host_cache(2) / 2 / (2 * (int64_t)sizeof(double)),
                  all = box_points(args->box);
    const int team = host_team_threads(k->team) - (k->awaited ? 1 : 0),
              threads = loop_tuner_threads(all, team > 1 ? team : 1);
    if (all == 0)
        return PAV_OK;
    OWNED_NEW(ready_stage, stage, count);
    lines l = {.stage = stage, .stages = count, .parts = threads};
    pav_status status = stage_before(args);
    for (int64_t n = 0; n < count && status == PAV_OK; n++)
        status = kernels_ready(self, &args[n], &(const schedule){0}, &stage[n]);
    l.slabs = line_slabs_of(args, count, int64_least(kept, all / threads / SLABS));
    if (status == PAV_OK)
        host_team_run(k->team, threads, take_slabs, &l);
    for (int64_t n = 0; n < count; n++)
        mem_free(stage[n].grid);
    return status != PAV_OK || l.failed == PAV_OK
               ? status
               : FAIL((pav_status)l.failed, "memory ran out in a stage");
}

/* ---- opening ----------------------------------------------------------------------- */

static pav_status find_kernel(kernels *k, int64_t index)
{
    char name[EMIT_NAME];
    emit_shared_kernels_name(&k->set->shared, k->number, index, name);
    k->stage[index].call = (emit_kernel *)host_module_find(k->set->module, name);
    return k->stage[index].call || host_module_is_partial(k->set->module)
               ? PAV_OK
               : FAIL(PAV_EINTERNAL, "the compiled kernels lack that of stage %lld",
                      (long long)index);
}

static pav_status prepare_stage(kernels *k, int64_t index)
{
    const ir_stage *stage = &k->code->stage[index];
    stage_kernel *s = &k->stage[index];
    if (!emit_has_kernel(stage))
        return PAV_OK;
    TRY(stage_slots(stage, &s->slot, &s->slots, &s->grid));
    if (k->set->shared.count > 0)
        TRY(emit_stage_numbers(k->code, stage, &s->tables, &s->uniforms));
    s->load = cost_load_of(k->code, stage, s->slot, s->slots);
    s->host = host_of_stage(k->client, index);
    if (k->base.part->is_inner)
        s->host.threads = host_team_threads(k->team);
    s->reductions = ir_reductions(stage);
    return k->awaited ? PAV_OK : find_kernel(k, index);
}

bool kernels_are_awaited(const executor *self)
{
    return self->ops.stage == run_kernel && ((const kernels *)self)->awaited;
}

void kernels_await(executor *self)
{
    ((kernels *)self)->awaited = true;
}

/* If the compilation failed, the interpreter goes on with the stages. */
pav_status kernels_take(executor *self, bool waits)
{
    kernels *k = (kernels *)self;
    if (!waits && !host_module_is_made(k->set->module))
        return PAV_OK;
    k->awaited = false;
    TRY(host_module_wait(k->set->module));
    if (*kernel_set_note(k->set))
        exec_warn(k->client, "%s", kernel_set_note(k->set));
    for (int64_t n = 0; n < k->code->stages; n++)
        if (emit_has_kernel(&k->code->stage[n]))
            TRY(find_kernel(k, n));
    return PAV_OK;
}

bool kernels_are_late(const executor *self)
{
    return host_module_is_late(((const kernels *)self)->set->module);
}

/* Tuned when all stages of a step are; of a layered stage, the one that computes most of
 * its points. Stages that run once do not count: initial values, stages at rest. */
static bool is_settled(const executor *self)
{
    const kernels *k = (const kernels *)self;
    const ir_list *step = &k->code->step;
    for (int64_t n = 0; n < step->count; n++) {
        const int stage = subdomain_is_layered(k->base.part, step->stage[n])
                              ? k->code->stage[step->stage[n]].bare
                              : step->stage[n];
        if (stage >= 0 && !k->code->stage[stage].rests &&
            !loop_tuner_is_tuned(&k->stage[stage].loop_tuner))
            return false;
    }
    return true;
}

static bool chosen(const executor *self, int64_t n, schedule *s)
{
    const kernels *k = (const kernels *)self;
    return loop_tuner_fastest(&k->stage[k->code->step.stage[n]].loop_tuner, s);
}

/* Common schedule of the stages of a step that have run. */
static const char *schedule_of(const executor *self)
{
    const kernels *k = (const kernels *)self;
    schedule_kind all = SCHEDULE_AUTO;
    for (int64_t n = 0; n < k->code->step.count; n++) {
        const stage_kernel *s = &k->stage[k->code->step.stage[n]];
        const schedule_kind one = loop_tuner_kind(&s->loop_tuner);
        if (all != SCHEDULE_AUTO && one != SCHEDULE_AUTO && one != all)
            return "mixed";
        all = one != SCHEDULE_AUTO ? one : all;
    }
    return schedule_name(all == SCHEDULE_BLOCKS ? all : SCHEDULE_ROWS);
}

static void close_kernels(executor *self)
{
    kernels *k = (kernels *)self;
    for (int64_t n = 0; k->stage && n < k->code->stages; n++) {
        mem_free(k->stage[n].slot);
        MEM_FREE_ALL(k->stage[n].grid, k->stage[n].tables);
    }
    MEM_FREE_ALL(k->stage, k->fold);
    if (k->owned)
        kernel_set_close(k->set);
    mem_free(k);
}

pav_status kernels_open(subdomain *part, kernel_set *set, bool owned, int64_t number,
                        const schedule *loop, const exec_client *client, host_team *team,
                        executor **result)
{
    static const executor_ops kernel_ops = {.stage = run_kernel,
                                            .tuned = is_settled,
                                            .schedule = schedule_of,
                                            .chosen = chosen,
                                            .close = close_kernels};
    kernels *k = mem_new(1, sizeof *k);
    *result = NULL;
    if (!k) {
        if (owned)
            kernel_set_close(set);
        return PAV_ENOMEM;
    }
    *k = (kernels){.base = {.ops = executor_ops_with(&kernel_ops),
                            .part = part,
                            .team = team,
                            .compiled = true},
                   .code = part->code,
                   .set = set,
                   .number = number,
                   .owned = owned,
                   .awaited = host_module_is_awaited(set->module),
                   .loop = loop,
                   .client = client,
                   .team = team};
    pav_status status = mem_take(&k->stage, k->code->stages + 1, sizeof *k->stage);
    for (int64_t n = 0; n < k->code->stages && status == PAV_OK; n++)
        status = prepare_stage(k, n);
    if (status != PAV_OK) {
        close_kernels(&k->base);
        return status;
    }
    *result = &k->base;
    return PAV_OK;
}
