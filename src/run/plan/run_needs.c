/* SPDX-License-Identifier: BSD-3-Clause */
/* The list of a run's needs. The memory of each need is measured by the code that
 * allocates it. */
#include <string.h>

#include "run/checkpoint/checkpoint_private.h"
#include "run/plan/needs_private.h"
#include "run/run_private.h"

static const char *const kind_names[] = {
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

const char *need_name(need_kind kind)
{
    return kind_names[kind];
}

/* ---- the list ---------------------------------------------------------------------- */

static pav_status copy_name(const char *name, char **copy)
{
    text t = {0};
    *copy = NULL;
    if (!name)
        return PAV_OK;
    text_add(&t, "%s", name);
    return text_take(&t, copy);
}

static pav_status add_store(needs *n, need_tier tier, const char *name, int64_t available,
                            uint64_t which)
{
    need_store *grown = mem_grow(n->store, n->stores + 1, sizeof *grown);
    if (!grown)
        return PAV_ENOMEM;
    n->store = grown;
    n->store[n->stores] = (need_store){
        .tier = tier, .available = available, .which = which};
    TRY(copy_name(name, &n->store[n->stores].name));
    n->stores++;
    return PAV_OK;
}

pav_status needs_find_disk(needs *n, const char *path, int *store)
{
    const char *slash = strrchr(path, '/');
    uint64_t which;
    text folder = {0};
    const int64_t available = disk_available(path, &which);
    for (*store = STORE_HOST + 1; *store < n->stores; ++*store)
        if (n->store[*store].tier == TIER_DISK && n->store[*store].which == which)
            return PAV_OK;
    text_add(&folder, "%.*s", slash ? (int)(slash - path + 1) : 1, slash ? path : ".");
    const pav_status status = folder.failed ? PAV_ENOMEM
                                            : add_store(n, TIER_DISK, folder.data,
                                                        available, which);
    text_free(&folder);
    return status;
}

static pav_status too_many_bytes(void)
{
    return FAIL(PAV_ELIMIT,
                "the fields are larger than 64-bit sizes can say; make the grid smaller");
}

static bool count(need_store *s, const need_item *what)
{
    if (what->surety == NEED_SURE && !add_fits(s->sure, what->bytes, &s->sure))
        return false;
    return what->surety == NEED_SPARE || add_fits(s->most, what->bytes, &s->most);
}

pav_status needs_add(needs *n, const need_item *what, const char *name)
{
    need_item *grown = mem_grow(n->item, n->items + 1, sizeof *grown);
    if (!grown)
        return PAV_ENOMEM;
    n->item = grown;
    n->item[n->items] = *what;
    TRY(copy_name(name, &n->item[n->items].name));
    n->items++;
    return count(&n->store[what->store], what) ? PAV_OK : too_many_bytes();
}

void needs_free(needs *n)
{
    for (int64_t k = 0; k < n->items; k++)
        mem_free(n->item[k].name);
    for (int64_t k = 0; k < n->stores; k++)
        mem_free(n->store[k].name);
    mem_free(n->item);
    mem_free(n->store);
    *n = (needs){0};
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
    return run->outofcore ? STORE_HOST : store_at(run, number);
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

static pav_status add_field_in(const pav_run *run, int store, const ir_field *f, needs *n)
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

static pav_status add_field(const pav_run *run, const ir_field *f, needs *n)
{
    if (outofcore_is_on_disk(run))
        return PAV_OK;
    for (int store = STORE_HOST; store < n->stores; store++)
        TRY(add_field_in(run, store, f, n));
    return PAV_OK;
}

/* Adds nothing for 0 bytes. */
static pav_status add_some(needs *n, int store, need_kind kind, int64_t bytes,
                           int64_t count_of)
{
    const need_item what = {
        .kind = kind, .store = store, .bytes = bytes, .count = count_of};
    return bytes > 0 ? needs_add(n, &what, NULL) : PAV_OK;
}

/* Host copies of levels of the whole grid. */
static pav_status add_mirrors(const pav_run *run, needs *n)
{
    need_item what = {.kind = NEED_COPIES, .surety = NEED_AT_MOST};
    for (int64_t k = 0; k < run->code->fields && run->cut.is_cut; k++) {
        const field_shape shape = run_shape_of(run, &run->code->field[k]);
        levels_size size;
        if (!levels_measure(&shape, &size) ||
            !add_fits(what.bytes, size.bytes, &what.bytes))
            return too_many_bytes();
    }
    return what.bytes > 0 ? needs_add(n, &what, NULL) : PAV_OK;
}

/* With several places, nobody knows which levels the host will read or fill, so all
 * count. */
static pav_status add_copies(const pav_run *run, int store, needs *n)
{
    const need_item copies = {
        .kind = NEED_COPIES, .surety = NEED_AT_MOST, .bytes = n->store[store].sure};
    return run->cut.is_cut || run->outofcore ? needs_add(n, &copies, NULL)
                                             : needs_copies(run, n);
}

/* The needs of a place besides fields, and the host's copies for it. */
static pav_status add_at_place(const pav_run *run, int store, needs *n)
{
    const ir *code = run->code;
    const int64_t reductions = place_reduction_bytes(run_place(run), code);
    TRY(add_copies(run, store, n));
    TRY(add_some(n, store, NEED_TABLES, subdomain_table_bytes(code), code->tables));
    return add_some(n, store, NEED_REDUCTIONS, reductions, 0);
}

/* Free memory; for a decomposed grid at most --device-memory. */
static int64_t memory_of(const pav_run *run, const exec_place *p)
{
    const int64_t free = place_free_memory(p, 1), given = run->options.device_memory;
    const bool limited = run->cut.is_cut && given > 0 && (free < 0 || given < free);
    return limited ? given : free;
}

static pav_status add_stores(const pav_run *run, needs *n)
{
    for (int k = 0; k < run->places; k++)
        if (place_has_memory(&run->place[k]))
            TRY(add_store(n, TIER_GPU, run->place[k].name, memory_of(run, &run->place[k]),
                          0));
    return PAV_OK;
}

/* Out of core the device has a window of each field. */
static pav_status add_window(const pav_run *run, needs *n)
{
    int64_t bytes, planes;
    if (!run->outofcore)
        return PAV_OK;
    TRY(add_some(n, STORE_HOST, NEED_STAGED, outofcore_staged_bytes(run), 0));
    TRY(add_some(n, STORE_HOST, NEED_CACHED, outofcore_cached_bytes(run), 0));
    if (!outofcore_window_bytes(run, &planes, &bytes))
        return too_many_bytes();
    for (int64_t k = 0; k < run->part->inners; k++)
        TRY(add_some(n, store_at(run, run->part->inner[k].place), NEED_WINDOW, bytes,
                     planes));
    return PAV_OK;
}

/* The fields of the interpreter's run for --verify, on the host. */
static pav_status add_verify(const pav_run *run, needs *n)
{
    int64_t bytes = 0;
    for (int64_t k = 0; k < run->code->fields && run->options.verify; k++) {
        levels_size size;
        if (run->code->field[k].memory)
            continue;
        field_shape shape = run_shape_of(run, &run->code->field[k]);
        shape.line = 0;
        shape.count = field_buffers(&run->code->field[k], false);
        if (!levels_measure(&shape, &size) || !add_fits(bytes, size.bytes, &bytes))
            return too_many_bytes();
    }
    return add_some(n, STORE_HOST, NEED_VERIFY, bytes, 0);
}

/* Fields of a solver within a step. */
static pav_status count_solver(const pav_run *run, const ir *code, int64_t *bytes)
{
    subdomain part = *run->part;
    pav_run like = *run;
    part.code = (ir *)(uintptr_t)code;
    part.fuses_steps = false;
    like.part = &part;
    for (int64_t k = 0; k < code->fields; k++) {
        levels_size size;
        const field_shape shape = run_shape_of(&like, &code->field[k]);
        if (code->field[k].memory)
            continue;
        if (!levels_measure(&shape, &size) || !add_fits(*bytes, size.bytes, bytes))
            return too_many_bytes();
    }
    return PAV_OK;
}

static pav_status add_solvers(const pav_run *run, needs *n)
{
    for (int64_t k = 0; k < run->solver.solution.count; k++) {
        int64_t bytes = 0;
        ir *code = NULL;
        TRY(ir_build(run->solver.solution.each[k].program, NULL, &code));
        const pav_status status = count_solver(run, code, &bytes);
        ir_free(code);
        TRY(status);
        TRY(add_some(n, store_of(run, 0), NEED_SOLVER, bytes, 0));
    }
    return PAV_OK;
}

pav_status needs_memory(const pav_run *run, needs *n)
{
    const ir *code = run->code;
    const bool keeps = run->checkpoint.path || run->options.restart;
    const machine_facts m = place_machine(run_place(run), 1);
    TRY(add_store(n, TIER_HOST, NULL, mem_available(), 0));
    TRY(add_stores(run, n));
    const int64_t stores = n->stores;
    for (int64_t k = 0; k < code->fields; k++)
        if (!code->field[k].memory)
            TRY(add_field(run, &code->field[k], n));
    TRY(add_solvers(run, n));
    TRY(add_mirrors(run, n));
    TRY(add_window(run, n));
    TRY(add_verify(run, n));
    for (int store = STORE_HOST + 1; store < stores; store++)
        TRY(add_at_place(run, store, n));
    TRY(add_some(n, STORE_HOST, NEED_DRIVER, machine_driver_bytes(&m), 0));
    TRY(add_some(n, STORE_HOST, NEED_TABLES, subdomain_table_bytes(code), code->tables));
    if (run->compiled)
        TRY(add_some(n, STORE_HOST, NEED_REDUCTIONS, kernels_reduction_bytes(code), 0));
    return add_some(n, STORE_HOST, NEED_CHECKPOINT, keeps ? STREAM_BUFFER : 0, 0);
}

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
    needs n = {0};
    pav_status status = needs_memory(run, &n);
    if (status == PAV_OK)
        status = needs_fit(run, &n, advice_of(run));
    needs_free(&n);
    return status;
}
