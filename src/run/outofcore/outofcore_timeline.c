/* SPDX-License-Identifier: BSD-3-Clause */
/* When each visit computed and its planes moved: a row of the host, and of a GPU by its
 * own clock one of the kernels and one of each direction of the link, as trace viewers
 * read it (the JSON of chrome://tracing). Both clocks agree where the first exchange
 * began. */
#include <errno.h>
#include <string.h>

#include "run/outofcore/outofcore_private.h"

enum { MOST_SPANS = 1 << 20 };

/* ---- what the host did ------------------------------------------------------------- */

static bool has_room(outofcore *o)
{
    if (o->spans < o->span_room)
        return true;
    const int64_t room = o->span_room ? 2 * o->span_room : 256;
    outofcore_span *grown = mem_new(room, sizeof *grown);
    if (!grown)
        return false;
    if (o->spans > 0)
        memcpy(grown, o->span, (size_t)o->spans * sizeof *grown);
    mem_free(o->span);
    o->span = grown;
    o->span_room = room;
    return true;
}

pav_status outofcore_note(const outofcore_block *b, bool moves, int64_t visit,
                          double begun)
{
    outofcore *o = b->run->outofcore;
    if (!b->run->options.timeline || o->spans == MOST_SPANS)
        return PAV_OK;
    if (!has_room(o))
        return PAV_ENOMEM;
    o->span[o->spans++] = (outofcore_span){moves, visit, b->number, begun,
                                           clock_seconds()};
    return PAV_OK;
}

/* ---- the file ---------------------------------------------------------------------- */

enum { ROW_HOST, ROW_KERNELS, ROW_UP, ROW_DOWN };
static const char *const row_name[] = {"host", "kernels", "to the device",
                                       "from the device"};

static void add_names(text *t)
{
    for (size_t row = 0; row < COUNT_OF(row_name); row++)
        text_add(t,
                 "%s{\"ph\": \"M\", \"name\": \"thread_name\", \"pid\": 1, \"tid\": %zu, "
                 "\"args\": {\"name\": \"%s\"}}",
                 row > 0 ? ",\n" : "", row, row_name[row]);
}

/* Times in seconds; the file has microseconds. */
static void add_event(text *t, int row, const char *name, int64_t number, double begun,
                      double ended)
{
    if (ended > begun)
        text_add(t,
                 ",\n{\"ph\": \"X\", \"name\": \"%s %lld\", \"pid\": 1, \"tid\": %d, "
                 "\"ts\": %.3f, \"dur\": %.3f}",
                 name, (long long)number, row, 1e6 * begun, 1e6 * (ended - begun));
}

static void add_host(const outofcore *o, double origin, text *t)
{
    for (int64_t n = 0; n < o->spans; n++) {
        const outofcore_span *s = &o->span[n];
        char name[64];
        (void)snprintf(name, sizeof name, "block %lld, %s of visit", (long long)s->block,
                       s->moves ? "planes" : "steps");
        add_event(t, ROW_HOST, name, s->visit, s->begun - origin, s->ended - origin);
    }
}

/* Exchanges before them were to measure the link. */
static const gpu_exchange_time *times_of(const pav_run *run, int64_t *count)
{
    const gpu_exchange_time *all = place_exchange_times(run_place(run), count);
    const int64_t before = *count - run->outofcore->exchanges;
    if (!all || before <= 0)
        return all;
    *count -= before;
    return all + before;
}

static void add_device(const pav_run *run, double origin, text *t)
{
    int64_t count = 0;
    const gpu_exchange_time *e = times_of(run, &count);
    const double first = run->outofcore->first - origin - (count > 0 ? e->begun : 0);
    for (int64_t n = 0; n < count; n++) {
        add_event(t, ROW_KERNELS, "steps", n, first + e[n].begun, first + e[n].work);
        add_event(t, ROW_UP, "planes", n, first + e[n].begun, first + e[n].up);
        add_event(t, ROW_DOWN, "planes", n, first + e[n].begun, first + e[n].down);
    }
}

static pav_status write_text(const char *path, const text *t)
{
    FILE *f = file_write(path, false);
    int error = f ? 0 : errno;
    if (f && fwrite(t->data, 1, (size_t)t->length, f) != (size_t)t->length)
        error = errno;
    if (f && fclose(f) != 0 && error == 0)
        error = errno;
    return error == 0 ? PAV_OK
                      : FAIL(PAV_EIO, "the timeline %s cannot be written: %s%s", path,
                             strerror(error), write_hint(error, path));
}

/* An empty one at the start: what cannot be written is said before any step. */
pav_status outofcore_begin_timeline(const pav_run *run)
{
    text t = {0};
    if (!run->options.timeline)
        return PAV_OK;
    text_add(&t, "{\"traceEvents\": []}\n");
    const pav_status status = t.failed ? PAV_ENOMEM
                                       : write_text(run->options.timeline, &t);
    text_free(&t);
    return status;
}

pav_status outofcore_write_timeline(const pav_run *run)
{
    const outofcore *o = run->outofcore;
    text t = {0};
    if (!o || !run->options.timeline)
        return PAV_OK;
    const double origin = o->spans > 0 ? o->span[0].begun : 0;
    text_add(&t, "{\"displayTimeUnit\": \"ms\", \"traceEvents\": [\n");
    add_names(&t);
    add_host(o, origin, &t);
    add_device(run, origin, &t);
    text_add(&t, "\n]}\n");
    const pav_status status = t.failed ? PAV_ENOMEM
                                       : write_text(run->options.timeline, &t);
    text_free(&t);
    return status;
}

/* ---- who waited for whom ----------------------------------------------------------- */

/* Seconds that kernels waited for the link, and the link for kernels. */
void outofcore_waits(const pav_run *run, double *kernels, double *link)
{
    int64_t count = 0;
    const gpu_exchange_time *e = times_of(run, &count);
    *kernels = *link = 0;
    for (int64_t n = 0; n < count; n++) {
        const double moved = e[n].up > e[n].down ? e[n].up : e[n].down;
        *kernels += moved > e[n].work ? moved - e[n].work : 0;
        *link += e[n].work > moved ? e[n].work - moved : 0;
    }
}

void outofcore_busy(const pav_run *run, double *kernels, double *link)
{
    int64_t count = 0;
    const gpu_exchange_time *e = times_of(run, &count);
    *kernels = *link = 0;
    for (int64_t n = 0; n < count; n++) {
        *kernels += e[n].work - e[n].begun;
        *link += (e[n].up > e[n].down ? e[n].up : e[n].down) - e[n].begun;
    }
}
