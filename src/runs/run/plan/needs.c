/* SPDX-License-Identifier: BSD-3-Clause */
/* The list of a run's needs. The memory of each need is measured by the code that
 * allocates it. If the grid is larger than memory, the error names remedies: the largest
 * grid of the same shape, and narrower fields. */
#include <math.h>
#include <string.h>

#include "run/checkpoint/checkpoint_private.h"
#include "run/outofcore/outofcore_private.h"
#include "run/plan/needs_private.h"
#include "run/record_private.h"
#include "run/run_private.h"

const char *const need_names[] = {
    [NEED_FIELD] = "field",           [NEED_WINDOW] = "window",
    [NEED_COPIES] = "copies",         [NEED_VERIFY] = "--verify",
    [NEED_SOLVER] = "solver",         [NEED_TABLES] = "tables",
    [NEED_REDUCTIONS] = "reductions", [NEED_CHECKPOINT] = "checkpoint",
    [NEED_POSITIONS] = "positions",   [NEED_READING] = "reading",
    [NEED_WRITING] = "writing",       [NEED_QUEUE] = "queue",
    [NEED_OUTPUT] = "output",         [NEED_ROWS] = "rows",
    [NEED_STAGED] = "on their way",   [NEED_CACHED] = "cached",
    [NEED_DISK] = "fields",           [NEED_DRIVER] = "driver",
};

/* ---- the list ---------------------------------------------------------------------- */

static pav_status too_many_bytes(void)
{
    return FAIL(PAV_ELIMIT,
                "the fields are larger than 64-bit sizes can say; make the grid smaller");
}

/* Adds the bytes of a shape. */
static pav_status add_levels(const field_shape *shape, int64_t *bytes)
{
    levels_size size;
    return levels_measure(shape, &size) && add_fits(*bytes, size.bytes, bytes)
               ? PAV_OK
               : too_many_bytes();
}

static pav_status add_store(needs *n, need_tier tier, const char *name, int64_t available,
                            uint64_t which)
{
    TRY(mem_extend(&n->store, n->stores + 1, sizeof *n->store));
    n->store[n->stores] = (need_store){
        .tier = tier, .available = available, .which = which};
    TRY(name ? text_copy(name, &n->store[n->stores].name) : PAV_OK);
    n->stores++;
    return PAV_OK;
}

/* Finds the number of the file system for a path, which need not exist. */
static pav_status needs_find_disk(needs *n, const char *path, int *store)
{
    const char *slash = strrchr(path, '/');
    uint64_t which;
    OWNED_BY(text_free) text folder = {0};
    const int64_t available = disk_available(path, &which);
    for (*store = STORE_HOST + 1; *store < n->stores; ++*store)
        if (n->store[*store].tier == TIER_DISK && n->store[*store].which == which)
            return PAV_OK;
    text_add(&folder, "%.*s", slash ? (int)(slash - path + 1) : 1, slash ? path : ".");
    return folder.failed ? PAV_ENOMEM
                         : add_store(n, TIER_DISK, folder.data, available, which);
}

static bool count(need_store *s, const need_item *what)
{
    return (what->surety != NEED_SURE || add_fits(s->sure, what->bytes, &s->sure)) &&
           (what->surety == NEED_SPARE || add_fits(s->most, what->bytes, &s->most));
}

/* `name` is copied. */
static pav_status needs_add(needs *n, const need_item *what, const char *name)
{
    TRY(mem_extend(&n->item, n->items + 1, sizeof *n->item));
    n->item[n->items] = *what;
    TRY(name ? text_copy(name, &n->item[n->items].name) : PAV_OK);
    n->items++;
    return count(&n->store[what->store], what) ? PAV_OK : too_many_bytes();
}

void needs_free(needs *n)
{
    for (int64_t k = 0; k < n->items; k++)
        mem_free(n->item[k].name);
    for (int64_t k = 0; k < n->stores; k++)
        mem_free(n->store[k].name);
    MEM_FREE_ALL(n->item, n->store);
    *n = (needs){0};
}

/* ---- host memory for a run on a GPU ------------------------------------------------ */

/* For each field, one bit for each buffer with a host mirror. */
typedef struct touched {
    const pav_run *run;
    uint64_t *buffer;
} touched;

/* Marks a level after `steps` steps. Buffers rotate, so its buffer depends on the
 * step. */
static void touch(touched *t, int field, int level, int64_t steps)
{
    const ir_field *f = &t->run->code->field[field];
    const int64_t age = f->levels == 1 ? 0 : 1 - level - (f->updated ? steps : 0);
    const int64_t at = (age % f->levels + f->levels) % f->levels;
    t->buffer[field] |= at < 64 ? UINT64_C(1) << at : 0;
}

static pav_status touch_stage(touched *t, const ir_stage *s)
{
    if (emit_gpu_has_kernel(t->run->code, s))
        return PAV_OK;
    OWNED_NEW(emit_slot, slot, s->count + s->outputs + 1);
    const int64_t slots = emit_slots(s, slot);
    for (int64_t n = 0; n < slots; n++)
        touch(t, slot[n].field, slot[n].level, 0);
    return PAV_OK;
}

static pav_status touch_start(touched *t)
{
    const ir *code = t->run->code;
    for (const ir_start *s = NULL; (s = ir_next_start(code, s));) {
        if (s->kind == START_FILE)
            touch(t, s->field, s->level, 0);
        if (s->kind == START_STAGE)
            TRY(touch_stage(t, &code->stage[s->stage]));
    }
    return PAV_OK;
}

/* Outputs touch the newest level of each frame, until each buffer has been the newest. */
static void touch_outputs(touched *t)
{
    const pav_run *run = t->run;
    for (const statement *s = run->program->first; s && !run->options.no_files;
         s = s->next) {
        if (s->kind != STATEMENT_OUTPUT)
            continue;
        const int64_t every = s->every_steps > 0 ? s->every_steps : run->steps;
        const int64_t from = s->every_steps > 0 ? 0 : run->steps;
        for (int64_t n = 0; n < 64 && from + n * every <= run->steps; n++)
            for (int64_t k = 0; k < output_fields(s); k++)
                touch(t, run_field_of(run, k > 0 ? s->left[k] : s->symbol), 0,
                      from + n * every);
    }
}

/* host copies of levels on a GPU, and memory of its driver. */
static pav_status needs_copies(const pav_run *run, needs *n)
{
    OWNED_NEW(uint64_t, buffer, run->code->fields + 1);
    touched t = {run, buffer};
    TRY(touch_start(&t));
    /* The coefficients of linear equations limit the step. For a wave: all its fields. */
    const symbol_list *fields = &t.run->program->fields;
    wave_limit w = {0};
    OWNED_NEW(double, ones, fields->count + 1);
    for (int64_t f = 0; f < fields->count; f++)
        ones[f] = 1;
    TRY(wave_limit_find(t.run->program, 1, ones, ones, &w));
    if (!w.equation)
        TRY(wave_system_find(t.run->program, 1, NULL, 0, &w));
    for (int k = 0; k < w.coefficients && w.equations > 0; k++)
        touch(&t, run_field_of(t.run, w.coefficient[k]), 0, 0);
    for (int64_t f = 0; f < fields->count && w.equation && w.equations == 0; f++)
        if (!fields->item[f]->updated && !fields->item[f]->coarse)
            touch(&t, run_field_of(t.run, fields->item[f]), 0, 0);
    touch_outputs(&t);
    need_item what = {.kind = NEED_COPIES};
    for (int64_t f = 0; f < t.run->code->fields; f++) {
        if (t.buffer[f] == 0)
            continue;
        field_shape shape = run_shape_of(t.run, &t.run->code->field[f]);
        shape.count = 1;
        for (uint64_t left = t.buffer[f]; left; left &= left - 1)
            TRY(add_levels(&shape, &what.bytes));
    }
    return what.bytes > 0 ? needs_add(n, &what, NULL) : PAV_OK;
}

/* ---- memory ------------------------------------------------------------------------ */

/* The store number of a place's memory. Memories of devices follow the host's in their
 * order. */
static int store_at(const pav_run *run, int number)
{
    int store = STORE_HOST;
    for (int n = 0; n <= number && place_has_memory(&run->place[number]); n++)
        store += place_has_memory(&run->place[n]);
    return store;
}

/* The store number of a place's fields; out of core the host has all of them. */
static int store_of(const pav_run *run, int number)
{
    return run->stepper->windows ? STORE_HOST : store_at(run, number);
}

/* Adds up a field over all subdomains in this store. */
static bool measure(const pav_run *run, int store, const field_shape *shape,
                    int64_t field, levels_size *size)
{
    const subdomain *whole = run->part;
    *size = (levels_size){0};
    if (!run->cut.is_cut)
        return store != store_of(run, 0) || levels_measure(shape, size);
    for (int64_t n = 0; n < whole->inners; n++) {
        if (store_of(run, whole->inner[n].place) != store ||
            whole->inner[n].rank != ranks_number(whole->ranks))
            continue;
        const field_shape own = subdomain_shape(&whole->inner[n], field, shape);
        levels_size part;
        if (!levels_measure(&own, &part) ||
            !add_fits(size->bytes, part.bytes, &size->bytes))
            return false;
        size->point_bytes += part.point_bytes;
        size->halo_bytes += part.halo_bytes;
        size->padding_bytes += part.padding_bytes;
    }
    return true;
}

static pav_status add_field(const pav_run *run, int store, const ir_field *f, needs *n)
{
    const field_shape shape = run_shape_of(run, f);
    need_item what = {.kind = NEED_FIELD,
                      .store = store,
                      .count = field_buffers(f, run->part->fuses_steps),
                      .field = f};
    if (!measure(run, store, &shape, f - run->code->field, &what.size))
        return too_many_bytes();
    what.bytes = what.size.bytes;
    return what.bytes > 0 ? needs_add(n, &what, f->name) : PAV_OK;
}

/* Adds nothing for 0 bytes. */
static pav_status add_some(needs *n, int store, need_kind kind, int64_t bytes,
                           int64_t count_of)
{
    const need_item what = {
        .kind = kind, .store = store, .bytes = bytes, .count = count_of};
    return bytes > 0 ? needs_add(n, &what, NULL) : PAV_OK;
}

/* Out of core the device has a window of each field. */
static pav_status add_window(const pav_run *run, needs *n)
{
    const outofcore *o = run->outofcore;
    int64_t bytes;
    if (!run->stepper->windows)
        return PAV_OK;
    TRY(add_some(n, STORE_HOST, NEED_STAGED, o->staged, 0));
    TRY(add_some(n, STORE_HOST, NEED_CACHED, outofcore_cached_bytes(run), 0));
    if (!run_fields_bytes(run, outofcore_shape_of, o->planes, &bytes))
        return too_many_bytes();
    for (int64_t k = 0; k < run->part->inners; k++)
        TRY(add_some(n, store_at(run, run->part->inner[k].place), NEED_WINDOW, bytes,
                     o->planes));
    return PAV_OK;
}

/* The fields of the interpreter's run for --verify, on the host. */
static pav_status add_verify(const pav_run *run, needs *n)
{
    int64_t bytes = 0;
    for (int64_t k = 0; k < run->code->fields && run->options.verify; k++) {
        if (run->code->field[k].memory)
            continue;
        field_shape shape = run_shape_of(run, &run->code->field[k]);
        shape.line = 0;
        shape.count = field_buffers(&run->code->field[k], false);
        TRY(add_levels(&shape, &bytes));
    }
    return add_some(n, STORE_HOST, NEED_VERIFY, bytes, 0);
}

static pav_status add_solvers(const pav_run *run, needs *n)
{
    for (int64_t k = 0; k < run->solver.solution.count && !run->checkpoint.in_files;
         k++) {
        int64_t bytes = 0;
        OWNED_BY(free_code) ir *code = NULL;
        TRY(ir_build(run->solver.solution.each[k].program, NULL, &code));
        /* Fields of a solver within a step. */
        subdomain part = *run->part;
        pav_run like = *run;
        part.code = (ir *)(uintptr_t)code;
        part.fuses_steps = false;
        like.part = &part;
        for (int64_t m = 0; m < code->fields; m++) {
            const field_shape shape = run_shape_of(&like, &code->field[m]);
            if (!code->field[m].memory)
                TRY(add_levels(&shape, &bytes));
        }
        TRY(add_some(n, store_of(run, 0), NEED_SOLVER, bytes, 0));
    }
    return PAV_OK;
}

pav_status needs_memory(const pav_run *run, needs *n)
{
    const ir *code = run->code;
    const bool keeps = run->checkpoint.path || run->options.restart;
    const machine_facts m = place_machine(run_place(run), 1);
    const int64_t given = run->options.device_memory;
    const int64_t tables = subdomain_table_bytes(code);
    TRY(add_store(n, TIER_HOST, NULL, mem_available(), 0));
    for (int k = 0; k < run->places; k++) {
        const exec_place *p = &run->place[k];
        /* free memory; for a decomposed grid at most --device-memory */
        const int64_t free = place_has_memory(p) ? place_free_memory(p, 1) : 0;
        const bool limited = run->cut.is_cut && given > 0 && (free < 0 || given < free);
        if (place_has_memory(p))
            TRY(add_store(n, TIER_GPU, p->name, limited ? given : free, 0));
    }
    const int64_t stores = n->stores;
    for (int64_t k = 0; k < code->fields; k++)
        for (int store = STORE_HOST; store < stores; store++)
            if (!code->field[k].memory && !run->checkpoint.in_files)
                TRY(add_field(run, store, &code->field[k], n));
    TRY(add_solvers(run, n));
    /* Host copies of levels of the whole grid. */
    need_item what = {.kind = NEED_COPIES, .surety = NEED_AT_MOST};
    for (int64_t k = 0; k < run->code->fields && run->cut.is_cut; k++) {
        const field_shape shape = run_shape_of(run, &run->code->field[k]);
        TRY(add_levels(&shape, &what.bytes));
    }
    TRY(what.bytes > 0 ? needs_add(n, &what, NULL) : PAV_OK);
    TRY(add_window(run, n));
    TRY(add_verify(run, n));
    for (int store = STORE_HOST + 1; store < stores; store++) {
        /* with several places, nobody knows which levels the host will read or fill, so
         * all count */
        const need_item copies = {
            .kind = NEED_COPIES, .surety = NEED_AT_MOST, .bytes = n->store[store].sure};
        TRY(run->cut.is_cut || run->stepper->windows ? needs_add(n, &copies, NULL)
                                                     : needs_copies(run, n));
        TRY(add_some(n, store, NEED_TABLES, tables, code->tables));
        TRY(add_some(n, store, NEED_REDUCTIONS,
                     place_reduction_bytes(run_place(run), code), 0));
    }
    TRY(add_some(n, STORE_HOST, NEED_DRIVER, machine_driver_bytes(&m), 0));
    TRY(add_some(n, STORE_HOST, NEED_TABLES, tables, code->tables));
    if (run->compiled)
        TRY(add_some(n, STORE_HOST, NEED_REDUCTIONS, kernels_reduction_bytes(code), 0));
    return add_some(n, STORE_HOST, NEED_CHECKPOINT, keeps ? STREAM_BUFFER : 0, 0);
}

enum { CHECKPOINTS = 3 }; /* the newest, the one before, and an unfinished one */

/* ---- outputs ----------------------------------------------------------------------- */

/* Outputs at steps 0, every, 2*every, ...; without `every` one at the end. */
static int64_t times_of(const pav_run *run, const statement *s, int64_t usual)
{
    const int64_t own = observer_interval(run, s), every = own > 0 ? own : usual;
    const double until = num_f64(run->program->end) / s->interval.v;
    return s->interval.v > 0 && run->program->ends && until < 1e15 ? (int64_t)until + 1
           : every > 0 ? run->steps / every + 1
                       : 1;
}

/* Memory for outputs during writing. */
typedef struct writing {
    int64_t memory, largest, all;
} writing;

static void take_up(writing *w, const frame_need *one, int64_t frame, int64_t times)
{
    int64_t all;
    w->memory = one->memory > w->memory ? one->memory : w->memory;
    w->largest = frame > w->largest ? frame : w->largest;
    if (!mul_fits(frame, times, &all) || !add_fits(w->all, all, &w->all))
        w->all = INT64_MAX;
}

/* The queue of outputs uses at most the memory left by the sure needs. */
static pav_status add_writing(needs *n, const writing *w)
{
    const need_store *host = &n->store[STORE_HOST];
    const int64_t room = writer_room(host->available < 0 ? -1
                                     : host->available < host->sure
                                         ? 0
                                         : host->available - host->sure);
    const need_item memory = {
        .kind = NEED_WRITING, .surety = NEED_AT_MOST, .bytes = w->memory};
    const need_item queue = {.kind = NEED_QUEUE,
                             .surety = NEED_SPARE,
                             .bytes = w->all < room ? w->all : room,
                             .count = w->largest};
    if (w->largest == 0)
        return PAV_OK;
    TRY(needs_add(n, &memory, NULL));
    return w->largest <= room ? needs_add(n, &queue, NULL) : PAV_OK;
}

/* ---- tables and positions ---------------------------------------------------------- */

static pav_status add_rows(const pav_run *run, const statement *s, int64_t columns,
                           needs *n)
{
    const int64_t usual = s->kind == STATEMENT_MEASURE ? 0 : 1;
    need_item what = {
        .kind = NEED_ROWS, .surety = NEED_AT_MOST, .count = times_of(run, s, usual)};
    OWNED_BY(text_free) text path = {0};
    TRY(rows_path(run, s, &path));
    if (!path.data)
        return PAV_OK;
    TRY(needs_find_disk(n, path.data, &what.store));
    /* two rows more, for the names in the head */
    if (!mul_fits(table_row_bytes(path.data, LEADING + columns), what.count + 2,
                  &what.bytes))
        what.bytes = INT64_MAX;
    return needs_add(n, &what, path.data);
}

static pav_status add_statement(const pav_run *run, const statement *s, needs *n,
                                writing *w)
{
    if (s->kind == STATEMENT_INJECT || s->kind == STATEMENT_SAMPLE ||
        s->kind == STATEMENT_GATHER) {
        need_item what = {.kind = NEED_POSITIONS, .surety = NEED_AT_MOST};
        TRY(points_measure(run, s, &what.count, &what.bytes));
        TRY(needs_add(n, &what, s->symbol->name));
        if (s->kind == STATEMENT_INJECT || s->gather || run->options.no_files)
            return PAV_OK;
        return add_rows(run, s, what.count * (s->columns > 0 ? s->columns : 1), n);
    }
    if (run->options.no_files)
        return PAV_OK;
    if (s->kind == STATEMENT_OUTPUT) {
        box shown;
        OWNED_NEW(io_frame, all, output_fields(s));
        output_frames(run, s, &shown, all);
        need_item what = {.kind = NEED_OUTPUT, .count = times_of(run, s, 0)};
        OWNED_BY(text_free) text path = {0};
        TRY(output_path(run, s, &path));
        TRY(needs_find_disk(n, path.data, &what.store));
        frame_need one = frame_need_of(path.data, all);
        one.memory += frame_bytes(all->more); /* output_write copies them */
        what.surety = one.exact ? NEED_SURE : NEED_AT_MOST;
        if (!mul_fits(one.file, what.count, &what.bytes))
            what.bytes = INT64_MAX;
        take_up(w, &one, frame_bytes(all), what.count);
        return needs_add(n, &what, path.data);
    }
    return s->kind == STATEMENT_MEASURE ? add_rows(run, s, 1, n) : PAV_OK;
}

/* ---- all files ------------------------------------------------------------------- */

pav_status needs_files(const pav_run *run, needs *n)
{
    need_item reading = {.kind = NEED_READING, .surety = NEED_AT_MOST};
    writing w = {0};
    for (const ir_start *s = NULL; (s = ir_next_start(run->code, s));) {
        if (s->kind != START_FILE)
            continue;
        const ir_field *f = &run->code->field[s->field];
        reading.bytes = int64_most(
            reading.bytes,
            field_read_bytes(f->file, f->extent[0] * f->extent[1] * f->extent[2]));
    }
    if (reading.bytes > 0 && !run->options.restart)
        TRY(needs_add(n, &reading, NULL));
    EACH_STATEMENT(s, run->program)
        TRY(add_statement(run, s, n, &w));
    TRY(add_writing(n, &w));
    const disk_tier *t = run->outofcore ? run->outofcore->disk : NULL;
    for (int k = 0; t && !t->there && k < t->paths; k++) {
        need_item what = {.kind = NEED_DISK, .bytes = t->bytes / t->paths};
        OWNED_BY(text_free) text path = {0};
        text_add(&path, "%s/", t->path[k]);
        TRY(path.failed ? PAV_ENOMEM : needs_find_disk(n, path.data, &what.store));
        TRY(needs_add(n, &what, NULL));
    }
    /* One checkpoint is certain; the number of others depends on time. */
    need_item what = {.kind = NEED_CHECKPOINT, .count = 1, .bytes = data_bytes(run)};
    const char *path = run->checkpoint.path;
    if (!path || run->checkpoint.in_files)
        return PAV_OK;
    TRY(needs_find_disk(n, path, &what.store));
    TRY(needs_add(n, &what, path));
    what.surety = NEED_AT_MOST;
    what.count = CHECKPOINTS - 1;
    if (!mul_fits(what.bytes, CHECKPOINTS - 1, &what.bytes))
        what.bytes = INT64_MAX;
    return needs_add(n, &what, path);
}

/* ---- the error, with remedies ------------------------------------------------------ */

typedef struct remedy {
    const pav_run *run;
    const needs *refused; /* with the available bytes */
    int64_t store;        /* the store with too little memory */
} remedy;

/* The needs of the run with other extents, and with fields of at most the widest type, by
 * the same estimate. */
static pav_status needs_with(const pav_run *run, const int64_t *extent, pav_type widest,
                             needs *n)
{
    program p = *run->program;
    ir code = *run->code;
    pav_run other = *run;
    OWNED_NEW(ir_field, field, code.fields + 1);
    code.field = field;
    for (int axis = 0; axis < MAX_DIM && axis < code.dim; axis++)
        p.axis[axis].points = extent[axis];
    for (int64_t k = 0; k < code.fields; k++) {
        ir_field *f = &field[k];
        *f = run->code->field[k];
        if (pav_type_size(f->storage) > pav_type_size(widest))
            f->storage = widest;
        for (int axis = 0; axis < MAX_DIM; axis++)
            f->extent[axis] = coarse_extent(&p, f->coarse, axis);
    }
    code.program = other.program = &p;
    other.code = &code;
    return needs_memory(&other, n);
}

/* True if every store has room; *bytes: needs of the store that was too small. */
static bool fits(const remedy *r, const int64_t *extent, pav_type widest, int64_t *bytes)
{
    OWNED_BY(needs_free) needs n = {0};
    bool all = needs_with(r->run, extent, widest, &n) == PAV_OK;
    for (int64_t k = 0; k < n.stores && all; k++) {
        const int64_t available = r->refused->store[k].available;
        all = available < 0 || n.store[k].sure <= available;
    }
    *bytes = all ? n.store[r->store].sure : 0;
    return all;
}

/* Scales extents down by even numbers, because coarse grids need this. */
static void scale(const remedy *r, double share, int64_t *extent)
{
    for (int axis = 0; axis < MAX_DIM; axis++) {
        const int64_t whole = points_along(r->run->code, axis, false);
        const int64_t less = (int64_t)floor((double)whole * share);
        extent[axis] = int64_most(less - (whole - less) % 2, 1);
    }
}

static bool find_largest(const remedy *r, int64_t *extent)
{
    enum { HALVINGS = 52 };
    double low = 0, high = 1;
    int64_t bytes;
    for (int k = 0; k < HALVINGS; k++) {
        const double middle = (low + high) / 2;
        scale(r, middle, extent);
        *(fits(r, extent, PAV_F64, &bytes) ? &low : &high) = middle;
    }
    scale(r, low, extent);
    return fits(r, extent, PAV_F64, &bytes) && extent[0] > 4;
}

static void add_narrow(const remedy *r, pav_type widest, const char *words, text *t)
{
    int64_t extent[MAX_DIM], bytes;
    scale(r, 1, extent);
    if (fits(r, extent, widest, &bytes))
        text_add(t, "%s%s (%s)", t->length > 0 ? ", " : "", words,
                 size_words(t, bytes).s);
}

/* Advice if the host's memory is too small and fields may lie in files. */
static const char *on_disk(const pav_run *run, const need_store *s)
{
    const bool may = s->tier == TIER_HOST && run->code->dim > 1 &&
                     !run->stepper->windows && !run->options.subdomains &&
                     !run->part->ranks && outofcore_may_be(run);
    return may ? "--disk DIR computes this one with its fields in files there; " : "";
}

static pav_status run_refuse_memory(const pav_run *run, const needs *n, int64_t number,
                                    const char *advice)
{
    const need_store *store = &n->store[number];
    const remedy r = {.run = run, .refused = n, .store = number};
    const int64_t allowed = run->options.device_memory;
    const bool device = store->tier == TIER_GPU;
    const bool limited = device && allowed > 0 && store->available >= allowed;
    OWNED_BY(text_free) text fitting = {0};
    int64_t extent[MAX_DIM];
    if (find_largest(&r, extent))
        text_add(&fitting, "a grid of %s",
                 extent_words(&fitting, r.run->code->dim, extent).s);
    add_narrow(&r, PAV_F32, "`real f32`", &fitting);
    add_narrow(&r, PAV_BF16, "fields `stored bf16` or `stored f16`", &fitting);
    /* "memory, 3 GiB are available", "device memory on cuda:0, 3 GiB are free", or "...,
     * --device-memory allows 3 GiB" */
    return FAIL(PAV_ENOMEM, "%s needs %s of %s%s, %s%s%s; %s%s; %s%s", run->program->name,
                size_words(NULL, store->sure).s, device ? "device memory on " : "memory",
                device ? store->name : "", limited ? "--device-memory allows " : "",
                size_words(NULL, store->available).s,
                limited  ? ""
                : device ? " are free"
                         : " are available",
                fitting.data ? "what fits is " : "make the grid smaller or free memory",
                fitting.data ? fitting.data : "", on_disk(run, store), advice);
}

/* ---- the comparison with free memory ----------------------------------------------- */

pav_status needs_fit(const pav_run *run, const needs *n, const char *advice)
{
    for (int64_t k = 0; k < n->stores && !run->options.force; k++) {
        const need_store *s = &n->store[k];
        if (s->tier != TIER_DISK && s->available >= 0 && s->sure > s->available)
            return run_refuse_memory(run, n, k, advice);
    }
    return PAV_OK;
}

/* The advice for this memory. --force does not help on a GPU, and bench has no --force.
 * More emulated GPUs do not help either, because they share the host's memory. */
static const char *advice_of(const pav_run *run)
{
    const bool is_hosts = place_has_hosts_memory(run_place(run));
    if (run->cut.is_cut && !is_hosts)
        return run->part->ranks ? "more ranks, with a GPU each, have less of it each"
                                : "a longer list of devices leaves less to each";
    return !is_hosts || run->opened.rough
               ? "`pavior plan` lists what for"
               : "`pavior plan` lists what for, --force tries it all the same";
}

pav_status run_check_memory(pav_run *run)
{
    OWNED_BY(needs_free) needs n = {0};
    TRY(needs_memory(run, &n));
    return needs_fit(run, &n, advice_of(run));
}
