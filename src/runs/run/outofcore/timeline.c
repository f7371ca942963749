/* SPDX-License-Identifier: BSD-3-Clause */
/* The timeline of visits and moves, in the JSON of trace viewers (chrome://tracing). The
 * host has one row. Each GPU has a row of kernels and one for each direction of its link,
 * by its own clock. The disk has a row of reads and one of writes. The clocks of host and
 * GPU are aligned at the GPU's first exchange. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "run/outofcore/outofcore_private.h"

enum { MOST_SPANS = 1 << 20 };

/* ---- work of the host -------------------------------------------------------------- */

pav_status outofcore_note(const outofcore_block *b, bool moves, int64_t visit,
                          double begun)
{
    outofcore *o = b->run->outofcore;
    if (!b->run->options.timeline || o->spans == MOST_SPANS)
        return PAV_OK;
    TRY(mem_reserve(&o->span, &o->span_room, o->spans, sizeof *o->span));
    o->span[o->spans++] = (outofcore_span){moves, visit, b->number, begun,
                                           clock_seconds()};
    return PAV_OK;
}

/* ---- the file ---------------------------------------------------------------------- */

/* Rows: one of the host, three of each GPU, two of the disk. */
enum { ROW_HOST, ROW_FIRST, ROW_KERNELS = 0, ROW_UP, ROW_DOWN, ROWS_OF_GPU };
static const char *const gpu_row[] = {"kernels", "to the device", "from the device"};

static void add_name(text *t, int row, const char *whose, const char *name)
{
    text_add(t,
             "%s{\"ph\": \"M\", \"name\": \"thread_name\", \"pid\": 1, \"tid\": %d, "
             "\"args\": {\"name\": \"%s%s\"}}",
             row > 0 ? ",\n" : "", row, whose, name);
}

/* Times are in seconds; the file needs microseconds. */
static void add_event(text *t, int row, const char *name, int64_t number, double begun,
                      double ended)
{
    if (ended > begun)
        text_add(t,
                 ",\n{\"ph\": \"X\", \"name\": \"%s %lld\", \"pid\": 1, \"tid\": %d, "
                 "\"ts\": %.3f, \"dur\": %.3f}",
                 name, (long long)number, row, 1e6 * begun, 1e6 * (ended - begun));
}

/* The exchanges of the window on GPU k. Earlier exchanges measured the link. */
static const gpu_exchange_time *times_of(const pav_run *run, int k, int64_t *count)
{
    const gpu_exchange_time *all = place_exchange_times(run->place + k, count);
    const int64_t before = *count - outofcore_of(run, k)->exchanges;
    if (!all || before <= 0)
        return all;
    *count -= before;
    return all + before;
}

static int gpus_of(const pav_run *run)
{
    return run->places < run->outofcore->windows ? run->places : run->outofcore->windows;
}

static int by_begin(const void *a, const void *b)
{
    const striped_span *one = a, *other = b;
    return (one->begun > other->begun) - (one->begun < other->begun);
}

/* Simultaneous moves of several threads become one event. */
static void add_moves(const striped_span *all, int64_t count, bool write, int row,
                      double origin, text *t)
{
    striped_span now = {0};
    for (int64_t n = 0; n < count; n++) {
        if (all[n].write != write)
            continue;
        if (all[n].begun > now.ended) {
            add_event(t, row, write ? "bytes written:" : "bytes read:", now.bytes,
                      now.begun - origin, now.ended - origin);
            now = all[n];
            continue;
        }
        now.bytes += all[n].bytes;
        now.ended = all[n].ended > now.ended ? all[n].ended : now.ended;
    }
    add_event(t, row, write ? "bytes written:" : "bytes read:", now.bytes,
              now.begun - origin, now.ended - origin);
}

static pav_status write_text(const char *path, const text *t)
{
    FILE *f = file_write(path, false);
    int error = f ? 0 : errno;
    if (f && fwrite(t->data, 1, (size_t)t->length, f) != (size_t)t->length)
        error = errno;
    if (f && fclose(f) != 0 && error == 0)
        error = errno;
    return error == 0
               ? PAV_OK
               : FAIL(write_status(error), "the timeline %s cannot be written: %s%s",
                      path, strerror(error), write_hint(error, path));
}

/* Writes an empty file at the start, so that an error is reported before any step. */
pav_status outofcore_begin_timeline(const pav_run *run)
{
    OWNED_BY(text_free) text t = {0};
    if (!run->options.timeline)
        return PAV_OK;
    text_add(&t, "{\"traceEvents\": []}\n");
    return t.failed ? PAV_ENOMEM : write_text(run->options.timeline, &t);
}

pav_status outofcore_write_timeline(const pav_run *run)
{
    const outofcore *o = run->outofcore;
    OWNED_BY(text_free) text t = {0};
    if (!run->options.timeline)
        return PAV_OK;
    const double origin = o->spans > 0 ? o->span[0].begun : 0;
    text_add(&t, "{\"displayTimeUnit\": \"ms\", \"traceEvents\": [\n");
    add_name(&t, ROW_HOST, "", "host");
    for (int k = 0; k < run->places; k++) {
        char whose[64] = "";
        if (run->places > 1)
            (void)snprintf(whose, sizeof whose, "GPU %d: ", k);
        for (int row = 0; row < ROWS_OF_GPU; row++)
            add_name(&t, ROW_FIRST + k * ROWS_OF_GPU + row, whose, gpu_row[row]);
    }
    if (run->outofcore->disk) {
        add_name(&t, ROW_FIRST + run->places * ROWS_OF_GPU, "disk: ", "reads");
        add_name(&t, ROW_FIRST + run->places * ROWS_OF_GPU + 1, "disk: ", "writes");
    }
    for (int64_t n = 0; n < o->spans; n++) {
        const outofcore_span *s = &o->span[n];
        char name[64];
        (void)snprintf(name, sizeof name, "block %lld, %s of visit", (long long)s->block,
                       s->moves ? "planes" : "steps");
        add_event(&t, ROW_HOST, name, s->visit, s->begun - origin, s->ended - origin);
    }
    for (int k = 0; k < gpus_of(run); k++) {
        int64_t count = 0;
        const int row = ROW_FIRST + k * ROWS_OF_GPU;
        const gpu_exchange_time *e = times_of(run, k, &count);
        const double first = outofcore_of(run, k)->first - origin -
                             (count > 0 ? e->begun : 0);
        for (int64_t n = 0; n < count; n++) {
            const double begun = first + e[n].begun;
            add_event(&t, row + ROW_KERNELS, "steps", n, begun, first + e[n].work);
            add_event(&t, row + ROW_UP, "planes", n, begun, first + e[n].up);
            add_event(&t, row + ROW_DOWN, "planes", n, begun, first + e[n].down);
        }
    }
    const disk_tier *d = run->outofcore->disk;
    const int row = ROW_FIRST + run->places * ROWS_OF_GPU;
    int64_t count = 0;
    const striped_span *all = d && d->files ? striped_spans(d->files, &count) : NULL;
    OWNED striped_span *sorted = count > 0 ? mem_new(count, sizeof *sorted) : NULL;
    if (count != 0) {
        if (!sorted)
            return PAV_ENOMEM;
        memcpy(sorted, all, (size_t)count * sizeof *sorted);
        qsort(sorted, (size_t)count, sizeof *sorted, by_begin);
        add_moves(sorted, count, false, row, origin, &t);
        add_moves(sorted, count, true, row + 1, origin, &t);
    }
    text_add(&t, "\n]}\n");
    return t.failed ? PAV_ENOMEM : write_text(run->options.timeline, &t);
}

/* ---- who waited for whom ----------------------------------------------------------- */

/* The mean over GPUs. */
outofcore_use outofcore_use_of(const pav_run *run)
{
    const int gpus = gpus_of(run);
    outofcore_use u = {0};
    for (int k = 0; k < gpus; k++) {
        int64_t count = 0;
        const gpu_exchange_time *e = times_of(run, k, &count);
        for (int64_t n = 0; n < count; n++) {
            const double moved = e[n].up > e[n].down ? e[n].up : e[n].down;
            u.kernels_waited += moved > e[n].work ? moved - e[n].work : 0;
            u.link_waited += e[n].work > moved ? e[n].work - moved : 0;
            u.kernels_busy += e[n].work - e[n].begun;
            u.link_busy += moved - e[n].begun;
        }
    }
    u.kernels_waited /= gpus;
    u.link_waited /= gpus;
    u.kernels_busy /= gpus;
    u.link_busy /= gpus;
    return u;
}
