/* SPDX-License-Identifier: BSD-3-Clause */
/* A store on disks, if the host's memory is too small or disks are requested. It lies in
 * one file per disk, and planes pass through staging memory of the host. A checkpoint of
 * such a run keeps the files. */
#include <limits.h>
#include <string.h>
#include <unistd.h>

#include "run/checkpoint/checkpoint_private.h"
#include "run/outofcore/outofcore_private.h"

/* ---- checkpoints ------------------------------------------------------------------- */

/* The checkpoint of a store on disks. In place of field values it has the paths of the
 * store's files, the slot of each buffer, and checksums of all planes. It is written
 * after each block, after the block's planes are on disk. Until then the last checkpoint
 * is valid, since the block wrote to none of its slots. */

static void free_paths(char **path, int *paths)
{
    for (int n = 0; n < *paths; n++)
        mem_free(path[n]);
    *paths = 0;
}

pav_status outofcore_store_write(const pav_run *run, text *section)
{
    TRY(disk_seal(run));
    TRY(striped_sync(run->outofcore->disk->files));
    const disk_tier *k = run->outofcore->disk;
    CHECKPOINT_PUT(section, k->paths);
    for (int n = 0; n < k->paths; n++) {
        CHECKPOINT_PUT(section, (int64_t)strlen(k->path[n]));
        text_add(section, "%s", k->path[n]);
    }
    CHECKPOINT_PUT(section, k->bytes, run->outofcore->behind);
    for (int64_t f = 0; f < run->code->fields; f++) {
        const disk_field *d = &k->field[f];
        if (run->code->field[f].memory)
            continue;
        CHECKPOINT_PUT(section, run->part->field[f].newest, d->slots, d->planes,
                       d->plane);
        for (int n = 0; n < d->buffers; n++)
            CHECKPOINT_PUT(section, d->buffer[n].slot);
        text_add_bytes(section, (const char *)d->sum,
                       d->slots * d->planes * (int64_t)sizeof *d->sum);
    }
    return section->failed ? PAV_ENOMEM : PAV_OK;
}

/* Removes the files of the last checkpoint, now replaced. */
void outofcore_store_written(const pav_run *run)
{
    disk_tier *t = run->outofcore->disk;
    striped_settle(t->files);
    for (int n = 0; n < t->formers; n++)
        (void)unlink(t->former[n]);
    free_paths(t->former, &t->formers);
}

/* ---- reading ----------------------------------------------------------------------- */

static pav_status refuse_damaged(const stream *s)
{
    return FAIL(PAV_EFORMAT,
                "the checkpoint %s is damaged: what it says of the files of "
                "its fields cannot be",
                s->path);
}

static pav_status get_number(stream *s, int64_t most, int64_t *value)
{
    TRY(stream_get(s, value, sizeof *value));
    return *value < 0 || *value > most ? refuse_damaged(s) : PAV_OK;
}

static pav_status get_paths(stream *s, char **path, int *paths)
{
    enum { LONGEST = 1 << 16 };
    int64_t count, length;
    TRY(get_number(s, STRIPED_FILES, &count));
    for (*paths = 0; *paths < count;) {
        TRY(get_number(s, LONGEST, &length));
        TRY(mem_take(&path[*paths], length + 1, 1));
        ++*paths; /* counted now, so the caller frees it in any case */
        TRY(stream_get(s, path[*paths - 1], length));
    }
    return PAV_OK;
}

/* *paths is 0 without a file, or if the file is not of a store on disks. Damage is
 * reported later, by the restart. */
static pav_status peek(const char *checkpoint, char **path, int *paths, int64_t *bytes)
{
    OWNED_BY(stream_close) stream s = {.file = -1};
    bool is_store = false;
    *paths = 0;
    *bytes = 0;
    if (access(checkpoint, F_OK) != 0 || stream_open(&s, checkpoint) != PAV_OK)
        return PAV_OK;
    OWNED char *head = NULL;
    int64_t length;
    pav_status status = prefix_get(&s, &head, &length, &is_store);
    if (status == PAV_OK && is_store)
        status = get_paths(&s, path, paths);
    if (status == PAV_OK && is_store)
        status = get_number(&s, INT64_MAX, bytes);
    if (status == PAV_OK || status == PAV_ENOMEM)
        return status;
    free_paths(path, paths);
    return PAV_OK;
}

static pav_status get_field(pav_run *run, int64_t number, stream *s)
{
    const disk_field *d = &run->outofcore->disk->field[number];
    levels *l = &run->part->field[number];
    const int64_t shape[] = {d->slots, d->planes, d->plane};
    int64_t newest, value, slot;
    bool same = true;
    TRY(get_number(s, d->buffers - 1, &newest));
    for (int n = 0; n < (int)COUNT_OF(shape); n++) {
        TRY(get_number(s, INT64_MAX, &value));
        same = same && value == shape[n];
    }
    if (!same)
        return FAIL(PAV_EUNSUPPORTED,
                    "the fields of the checkpoint %s lie otherwise in their files than "
                    "this device has them; go on with the device that wrote them",
                    s->path);
    for (int n = 0; n < d->buffers; n++) {
        TRY(get_number(s, d->slots - 1, &slot));
        d->buffer[n].slot = (int)slot;
        disk_place(d, n, l);
    }
    l->newest = (int)newest;
    return stream_get(s, d->sum, d->slots * d->planes * (int64_t)sizeof *d->sum);
}

pav_status outofcore_store_read(pav_run *run, stream *s)
{
    int64_t bytes, behind;
    const disk_tier *t = run->outofcore ? run->outofcore->disk : NULL;
    char *path[STRIPED_FILES] = {NULL};
    int paths = 0;
    const pav_status status = get_paths(s, path, &paths);
    const bool same = t && t->there && paths == t->paths;
    free_paths(path, &paths);
    TRY(status);
    if (!same)
        return refuse_damaged(s);
    TRY(get_number(s, INT64_MAX, &bytes));
    TRY(get_number(s, 1, &behind));
    if (bytes != t->bytes)
        return refuse_damaged(s);
    for (int64_t f = 0; f < run->code->fields; f++)
        if (!run->code->field[f].memory)
            TRY(get_field(run, f, s));
    run->outofcore->behind = behind != 0;
    subdomain_refresh_views(run->part);
    return PAV_OK;
}

enum { AT_ONCE = 8 << 20 /* bytes read or written while a visit waits */ };

/* ---- directories and names --------------------------------------------------------- */

/* Parses "DIR,DIR": disks used in turn. */
static pav_status find_directories(disk_tier *t, const char *given)
{
    for (const char *at = given; *at;) {
        const size_t length = strcspn(at, ",");
        if (length == 0 || t->paths == STRIPED_FILES)
            return FAIL(PAV_EINVAL,
                        "--disk takes a directory, or up to %d with commas between them, "
                        "not '%s'",
                        STRIPED_FILES, given);
        TRY(text_copy_bytes(at, (int64_t)length, &t->path[t->paths++]));
        at += length + (at[length] == ',');
    }
    return t->paths > 0 ? PAV_OK
                        : FAIL(PAV_EINVAL, "--disk takes a directory; it has no name");
}

/* Eight digits. */
static unsigned long long digits(uint64_t value)
{
    return value & 0xffffffff;
}

/* "dir/heat.checkpoint" gives "heat.checkpoint.fields-1a2b3c4d-", with a hash of the
 * checkpoint's absolute path, because several checkpoints may use the same disk. */
static void begin_name(text *t, const char *checkpoint)
{
    const char *path = checkpoint ? checkpoint : ".pavior-store";
    char here[PATH_MAX];
    hash h;
    hash_init(&h);
    if (*path != '/' && getcwd(here, sizeof here))
        hash_add(&h, here, (int64_t)strlen(here));
    hash_add(&h, path, (int64_t)strlen(path));
    text_add(t, "%s.fields-%08llx-", path_name(path), digits(hash_end(&h)));
}

/* Removes files of a run that was killed before its first checkpoint. */
static pav_status remove_left(const pav_run *run)
{
    disk_tier *t = run->outofcore->disk;
    const striped_options former = {.path = t->former, .paths = t->formers};
    OWNED_BY(text_free) text begin = {0};
    int64_t bytes = 0;
    begin_name(&begin, run->checkpoint.path);
    for (int n = 0; n < t->paths && !begin.failed; n++)
        bytes += striped_remove_left(t->path[n], begin.data, &former);
    if (bytes > 0)
        exec_note(&run->client,
                  "removed %s of files %s*, left by a run that was ended before its "
                  "first checkpoint",
                  size_words(NULL, bytes).s, begin.data);
    return begin.failed ? PAV_ENOMEM : PAV_OK;
}

pav_status disk_find(pav_run *run)
{
    const outofcore_request *r = &run->outofcore->requested;
    const char *own = run->checkpoint.path, *from = run->options.restart;
    disk_tier *t = NULL;
    TRY(mem_take(&t, 1, sizeof *t));
    run->outofcore->disk = t;
    *t = (disk_tier){
        .limit = r->host_bytes, .rate = disk_assumed_rate, .kept = own != NULL};
    if (from)
        TRY(peek(from, t->path, &t->paths, &t->there_bytes));
    /* A restarted run computes in the files of its checkpoint. So it must write this same
     * checkpoint, because the old one becomes invalid. */
    t->there = from && t->paths > 0;
    if (t->there && (!own || strcmp(own, from) != 0))
        return FAIL(PAV_EINVAL,
                    "the fields of the checkpoint %s lie in files, and a run restarted "
                    "from it computes in these: give --checkpoint %s, too",
                    from, from);
    if (t->there)
        return PAV_OK;
    if (own)
        TRY(peek(own, t->former, &t->formers, &t->there_bytes));
    return find_directories(t, r->disk ? r->disk : ".");
}

bool disk_store_is_restarted(const pav_run *run)
{
    char *path[STRIPED_FILES];
    int paths = 0;
    int64_t bytes;
    if (run->options.restart &&
        peek(run->options.restart, path, &paths, &bytes) != PAV_OK)
        return false;
    const bool is_store = paths > 0;
    free_paths(path, &paths);
    return is_store;
}

/* ---- bytes ------------------------------------------------------------------------- */

typedef struct plane_bytes {
    /* of all incoming, of all outgoing levels; of the largest level */
    int64_t uploaded, downloaded, most;
    int64_t slots, levels; /* slots: bytes in all slots */
} plane_bytes;

static plane_bytes plane_bytes_of(const pav_run *run)
{
    plane_bytes all = {0};
    for (int64_t n = 0; n < run->code->fields; n++) {
        const ir_field *f = &run->code->field[n];
        const field_shape shape = run_shape_of(run, f);
        int64_t stride[MAX_DIM];
        if (f->memory)
            continue;
        levels_strides(&shape, stride);
        const int64_t one = stride[run->outofcore->axis] *
                            (int64_t)pav_type_size(f->storage);
        all.uploaded += one * ir_kept_levels(f);
        all.downloaded += f->updated || f->shared ? one * f->levels : 0;
        all.most = int64_most(one, all.most);
        all.slots += one * disk_slots(f);
        all.levels += f->levels;
    }
    return all;
}

static int64_t slack(const plane_bytes *p)
{
    return 2 * STRIPED_ALIGN * (p->levels + 1);
}

/* At least a plane, but otherwise no more than an eighth of the memory limit. */
static int64_t some_bytes(const pav_run *run, const plane_bytes *p)
{
    return int64_most(p->most, int64_least(run->outofcore->disk->limit / 8, AT_ONCE)) +
           2 * STRIPED_ALIGN;
}

int64_t disk_staged_bytes(const pav_run *run, int64_t width)
{
    const plane_bytes p = plane_bytes_of(run);
    const outofcore *o = run->outofcore;
    const int64_t each = (width + 2 * o->halo + o->unit) * (p.uploaded + p.downloaded) +
                         2 * slack(&p);
    return outofcore_at_once(o) * each + some_bytes(run, &p);
}

/* ---- planes in the host memory ----------------------------------------------------- */

/* Caches planes of a store on disk in the host's memory, within --host-memory besides the
 * window and its staging memory. Each visit gets an equal part, so that all visits wait
 * equally long for the disk. */

enum { MOST_GROUPS = 256 };

int64_t disk_cached_planes(const pav_run *run, int64_t planes, int64_t width)
{
    const outofcore *o = run->outofcore;
    const int64_t each = plane_bytes_of(run).slots;
    int64_t window = 0;
    if (o->requested.host_bytes == 0 || each == 0 ||
        (!run_uses_device_memory(run) && !outofcore_bytes(run, planes, &window)))
        return 0;
    const int64_t taken = o->windows * window +
                          (o->why_stages[0] ? 0 : disk_staged_bytes(run, width));
    const int64_t cached = (o->disk->limit - taken) / each;
    return cached < 0 ? 0 : cached < o->extent ? cached : o->extent;
}

int64_t outofcore_cached_bytes(const pav_run *run)
{
    const disk_tier *t = run->outofcore->disk;
    return t ? t->cached * plane_bytes_of(run).slots : 0;
}

/* Slots are contiguous, and so are fields. */
static pav_status cache_slot(const pav_run *run, const disk_field *d, int slot)
{
    const outofcore *o = run->outofcore;
    const int64_t groups = int64_least(int_parts(o->extent, o->width), MOST_GROUPS);
    const int64_t each = int_parts(o->extent, groups), cached = o->disk->cached;
    for (int64_t k = 0; k < groups; k++) {
        const int64_t count = cached * (k + 1) / groups - cached * k / groups;
        const int64_t lo = k * each;
        const int64_t hi = int64_least(lo + count, d->slot->extent[o->axis]);
        if (lo < hi)
            TRY(striped_cache(o->disk->files, disk_place_in_files(o, d, slot, lo),
                              (hi - lo) * d->plane));
    }
    return PAV_OK;
}

/* ---- staging memory ---------------------------------------------------------------- */

static pav_status open_area(pav_run *run, disk_area *a, int64_t bytes)
{
    a->memory = mem_big(bytes + STRIPED_ALIGN);
    if (!a->memory)
        return PAV_ENOMEM;
    a->bytes = bytes;
    memset(a->memory, 0, (size_t)(bytes + STRIPED_ALIGN));
    for (int n = 0; n < run->places; n++) /* each device pins it */
        if (place_pin(&run->place[n], a->memory, a->bytes) != PAV_OK)
            exec_note(&run->client, "%s: planes pass through memory that is not pinned",
                      pav_message());
    return PAV_OK;
}

static void close_area(const pav_run *run, disk_area *a)
{
    if (!a->memory)
        return;
    for (int n = 0; n < run->places; n++)
        place_unpin(&run->place[n], a->memory);
    mem_big_free(a->memory, a->bytes + STRIPED_ALIGN);
}

pav_status disk_open_areas(pav_run *run)
{
    const plane_bytes p = plane_bytes_of(run);
    const outofcore *o = run->outofcore;
    const int64_t planes = o->width + 2 * o->halo + o->unit;
    for (int n = 0; n < outofcore_at_once(o); n++) {
        disk_passage *way = &outofcore_of(run, n)->passage;
        TRY(mem_take(&way->staged, p.levels + 1, sizeof *way->staged));
        TRY(open_area(run, &way->in, planes * p.uploaded + slack(&p)));
        TRY(open_area(run, &way->out, planes * p.downloaded + slack(&p)));
    }
    return open_area(run, &o->disk->some, some_bytes(run, &p));
}

/* ---- files ------------------------------------------------------------------------- */

/* Maps the memory of all fields at the first call. */
pav_status disk_open_store(pav_run *run)
{
    disk_tier *t = run->outofcore->disk;
    if (t->files)
        return PAV_OK;
    if (!t->there && t->kept)
        TRY(remove_left(run));
    if (!t->there) {
        const uint64_t now = (uint64_t)(clock_seconds() * 1e9);
        for (int n = 0; n < t->paths; n++) {
            text name = {0};
            text_add(&name, "%s/", t->path[n]);
            begin_name(&name, run->checkpoint.path);
            text_add(&name, "%08llx-%d", digits(hash_mix(now + (uint64_t)getpid())), n);
            mem_free(t->path[n]);
            TRY(text_take(&name, &t->path[n]));
        }
    }
    const striped_options o = {.path = t->path,
                               .paths = t->paths,
                               .bytes = t->bytes,
                               .there = t->there,
                               .timed = run->options.timeline != NULL,
                               .kept = t->kept};
    TRY(striped_open(&o, &t->files));
    TRY(disk_open_slots(run));
    for (int64_t f = 0; t->cached > 0 && f < run->code->fields; f++)
        for (int slot = 0; slot < t->field[f].slots && !run->code->field[f].memory;
             slot++)
            TRY(cache_slot(run, &t->field[f], slot));
    return PAV_OK;
}

void disk_close(pav_run *run)
{
    const outofcore *o = run->outofcore;
    disk_tier *t = o->disk;
    if (!t)
        return;
    for (int n = 0; n < o->windows && (n == 0 || o->other); n++) {
        disk_passage *way = &outofcore_of(run, n)->passage;
        close_area(run, &way->in);
        close_area(run, &way->out);
        mem_free(way->staged);
    }
    close_area(run, &t->some);
    arena_free(t->arena);
    free_paths(t->path, &t->paths);
    free_paths(t->former, &t->formers);
    striped_close(t->files);
    mem_free(t);
    run->outofcore->disk = NULL;
}
