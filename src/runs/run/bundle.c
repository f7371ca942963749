/* SPDX-License-Identifier: BSD-3-Clause */
/* Bundles: all kernels of a run in one file, compiled on one machine and run on machines
 * without a compiler. Loaded kernels run as the user. So the file must belong to the user
 * or to root, and others must not have write permission.
 *
 * The file has lines with its program and device, a line for each kernel with length and
 * hash, the hash of all these lines, and then the kernels. */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "run/record_private.h"
#include "run/run_private.h"

enum { MOST_BYTES = 1 << 30 };

/* Kernels of one program for one device, with the facts for checking both. */
struct pav_bundle {
    char version[WISDOM_NAME], name[WISDOM_NAME], grid[WISDOM_NAME];
    uint64_t program; /* program_identity */
    char device[WISDOM_NAME], machine[WISDOM_NAME], compiler[WISDOM_NAME];
    char schedule[WISDOM_SCHEDULE]; /* a schedule string, or "auto" */
    char path[WISDOM_PATH];         /* for messages */
    kernel_images images;
};

#define HEAD "pavior bundle 1"
enum { MOST_IMAGES = 4096, LINE = 2 * WISDOM_SCHEDULE };

/* ---- read -------------------------------------------------------------------------- */

typedef struct reader {
    const char *at, *end, *path;
    char line[LINE];
} reader;

static pav_status refuse(const char *path, const char *why)
{
    return FAIL(PAV_EFORMAT,
                "%s: %s; nothing of it is taken: `pavior compile -o` makes another", path,
                why);
}

/* The next line, without its end; only printable characters are accepted. */
static pav_status next(reader *r)
{
    const char *stop = memchr(r->at, '\n', (size_t)(r->end - r->at));
    const int64_t length = stop ? stop - r->at : 0;
    if (!stop || length >= LINE)
        return refuse(r->path, "the bundle was cut, or is none");
    memcpy(r->line, r->at, (size_t)length);
    r->line[length] = 0;
    for (int64_t n = 0; n < length; n++)
        if ((unsigned char)r->line[n] < ' ' || r->line[n] == 127)
            return refuse(r->path, "the bundle was damaged, or is none");
    r->at = stop + 1;
    return PAV_OK;
}

static pav_status take(reader *r, const char *key, size_t room, char *to)
{
    const size_t length = strlen(key);
    TRY(next(r));
    if (strncmp(r->line, key, length) != 0 || r->line[length] != ' ' ||
        strlen(r->line + length + 1) >= room || !r->line[length + 1])
        return refuse(r->path, "the bundle was damaged, or is none");
    memcpy(to, r->line + length + 1, strlen(r->line + length + 1) + 1);
    return PAV_OK;
}

static bool read_hash(const char *word, uint64_t *number)
{
    if (strlen(word) != 16 || strspn(word, "0123456789abcdef") != 16)
        return false;
    *number = strtoull(word, NULL, 16);
    return true;
}

static bool read_count(const char *word, int64_t most, int64_t *number)
{
    const size_t length = strlen(word);
    if (length < 1 || length > 10 || strspn(word, "0123456789") != length)
        return false;
    *number = strtoll(word, NULL, 10);
    return *number <= most;
}

static pav_status take_number(reader *r, const char *key, uint64_t *number)
{
    char word[WISDOM_NAME];
    TRY(take(r, key, sizeof word, word));
    return read_hash(word, number)
               ? PAV_OK
               : refuse(r->path, "the bundle was damaged, or is none");
}

static bool copy_word(const char *word, size_t room, char *to)
{
    const bool fits = word && *word && strlen(word) < room;
    if (fits)
        memcpy(to, word, strlen(word) + 1);
    return fits;
}

/* The key, kind, target, length and hash in the line. */
static bool read_image(char *line, kernel_image *i, uint64_t *want)
{
    char *word[5] = {0}, *rest = NULL;
    int words = 0;
    for (char *w = strtok_r(line, " ", &rest); w; w = strtok_r(NULL, " ", &rest)) {
        if (words == 5)
            return false;
        word[words++] = w;
    }
    return words == 5 && strlen(word[0]) == IMAGE_KEY - 1 &&
           copy_word(word[0], IMAGE_KEY, i->key) &&
           (strcmp(word[1], ".so") == 0 || strcmp(word[1], ".cubin") == 0) &&
           copy_word(word[1], IMAGE_KIND, i->kind) &&
           copy_word(word[2], IMAGE_TARGET, i->target) &&
           read_count(word[3], INT32_MAX, &i->length) && read_hash(word[4], want);
}

/* bytes: the position in the kernels' bytes. */
static pav_status add_image(reader *r, const char **bytes, pav_bundle *b)
{
    kernel_image i = {.length = 0};
    uint64_t want = 0;
    TRY(next(r));
    if (!read_image(r->line, &i, &want))
        return refuse(r->path, "a line of a kernel cannot be read");
    if (i.length > r->end - *bytes)
        return refuse(r->path, "the bundle was cut");
    if (hash_bytes(*bytes, i.length) != want)
        return refuse(r->path, "a kernel was damaged");
    TRY(mem_take(&i.bytes, i.length + 1, 1));
    memcpy(i.bytes, *bytes, (size_t)i.length);
    *bytes += i.length;
    const pav_status status = images_add(&b->images, &i);
    if (status != PAV_OK)
        mem_free(i.bytes);
    return status;
}

static pav_status take_images(reader *r, const char *begin, pav_bundle *b)
{
    char word[WISDOM_NAME];
    const char *bytes = NULL;
    int64_t count = 0;
    TRY(take(r, "kernels", sizeof word, word));
    if (!read_count(word, MOST_IMAGES, &count))
        return refuse(r->path, "the bundle was damaged, or is none");
    /* The beginning of the kernels, after the hash of the lines is checked. */
    reader ahead = *r;
    uint64_t want = 0;
    for (int64_t n = 0; n < count; n++)
        TRY(next(&ahead));
    const uint64_t found = hash_bytes(begin, ahead.at - begin);
    TRY(take_number(&ahead, "end", &want));
    bytes = ahead.at;
    TRY(want == found ? PAV_OK : refuse(r->path, "its head was damaged"));
    for (int64_t n = 0; n < count; n++)
        TRY(add_image(r, &bytes, b));
    return bytes == r->end ? PAV_OK : refuse(r->path, "something follows the kernels");
}

static pav_status parse_bundle(const char *bytes, int64_t length, pav_bundle *b)
{
    OWNED_NEW(reader, r, 1);
    *r = (reader){.at = bytes, .end = bytes + length, .path = b->path};
    TRY(next(r));
    if (strcmp(r->line, HEAD) != 0)
        return refuse(r->path, "this is no bundle: it begins with `" HEAD "`");
    TRY(take(r, "pavior", sizeof b->version, b->version));
    TRY(take(r, "name", sizeof b->name, b->name));
    TRY(take_number(r, "program", &b->program));
    TRY(take(r, "grid", sizeof b->grid, b->grid));
    TRY(take(r, "device", sizeof b->device, b->device));
    TRY(take(r, "machine", sizeof b->machine, b->machine));
    TRY(take(r, "compiler", sizeof b->compiler, b->compiler));
    TRY(take(r, "schedule", sizeof b->schedule, b->schedule));
    return take_images(r, bytes, b);
}

/* ---- opening ----------------------------------------------------------------------- */

static pav_status check_owner(const struct stat *about, const char *path)
{
    if (about->st_uid != geteuid() && about->st_uid != 0)
        return FAIL(PAV_EINVAL,
                    "%s belongs to another user, and what is in a bundle runs as you: "
                    "copy it, if you trust it",
                    path);
    if (about->st_mode & (S_IWGRP | S_IWOTH))
        return FAIL(PAV_EINVAL,
                    "others may write %s, and what is in a bundle runs as you: chmod "
                    "go-w, if you trust it",
                    path);
    return PAV_OK;
}

RELEASES(free_bundle, pav_bundle, pav_bundle_free)
RELEASES(close_program, pav_program, pav_program_free)

pav_status bundle_take(const char *bytes, int64_t length, const char *path,
                       pav_bundle **result)
{
    *result = NULL;
    NEW_BY(free_bundle, pav_bundle, b, 1);
    (void)snprintf(b->path, sizeof b->path, "%s", path);
    TRY(parse_bundle(bytes, length, b));
    if (strcmp(b->version, pav_version()) != 0)
        return FAIL(PAV_EUNSUPPORTED,
                    "%s was made by Pavior %s, and this is %s, whose kernels are others",
                    b->path, b->version, pav_version());
    *result = mem_hand_over(&b);
    return PAV_OK;
}

pav_status pav_bundle_open(const char *path, pav_bundle **result)
{
    GUARDED;
    if (result)
        *result = NULL;
    if (!path || !result)
        return FAIL(PAV_EINVAL, "pav_bundle_open needs a path and a place for it");
    OWNED char *bytes = NULL;
    int64_t length;
    TRY(file_read_trusted(path, MOST_BYTES, check_owner, &bytes, &length));
    TRY(bundle_take(bytes, length, path, result));
    images_offer(&(*result)->images);
    return PAV_OK;
}

void pav_bundle_free(pav_bundle *b)
{
    GUARDED;
    if (!b)
        return;
    images_withdraw(&b->images);
    images_free(&b->images);
    mem_free(b);
}

const char *pav_bundle_device(const pav_bundle *b)
{
    return b ? b->device : "";
}

/* ---- a run with it ----------------------------------------------------------------- */

const char *bundle_schedule(const pav_bundle *b)
{
    return b->schedule;
}

/* "40x30x20/f32" */
static void add_grid(const pav_run *run, text *t)
{
    text_add(t, "%s/%s", grid_words(t, run).s, pav_type_name(run->program->real));
}

bool bundle_is_of_size(const pav_bundle *b, const pav_run *run)
{
    OWNED_BY(text_free) text grid = {0};
    add_grid(run, &grid);
    return !grid.failed && strcmp(grid.data, b->grid) == 0;
}

void bundle_note_size(const pav_bundle *b, const exec_client *client)
{
    if (strcmp(b->device, "cpu") == 0)
        exec_note(client,
                  "%s was made for %s: other sizes run by kernels without fixed strides, "
                  "up to a tenth slower if caches hold the grid",
                  b->path, b->grid);
}

pav_status bundle_check(const pav_bundle *b, const pav_device *device)
{
    const pav_status status = images_check(&b->images, device);
    return status == PAV_OK ? PAV_OK
                            : FAIL(status, "the bundle %s does not suit this machine: %s",
                                   b->path, pav_message());
}

/* ---- writing a bundle -------------------------------------------------------------- */

static pav_status describe(const pav_run *run, const pav_device *device, pav_bundle *b)
{
    OWNED_BY(text_free) text machine = {0}, compiled_by = {0}, grid = {0};
    TRY(program_identity(run->program, &b->program));
    TRY(device_identity(device, &machine, &compiled_by));
    add_grid(run, &grid);
    if (grid.failed)
        return PAV_ENOMEM;
    wisdom_put(b->version, pav_version());
    wisdom_put(b->name, run->program->name);
    wisdom_put(b->grid, grid.data);
    wisdom_put(b->device, device->ops->name);
    wisdom_put(b->machine, machine.data);
    wisdom_put(b->compiler, compiled_by.data);
    return PAV_OK;
}

static pav_status compile(const pav_program *p, pav_device *device,
                          const pav_run_options *options, pav_bundle *b)
{
    OWNED_BY(free_run) pav_run *run = NULL;
    TRY(pav_run_open(p, device, options, &run));
    TRY(place_make_all(run_place(run)));
    TRY(describe(run, device, b));
    /* Stores the schedule for runs opened with the bundle. */
    const char *typed = run->options.schedule ? run->options.schedule : "auto";
    const bool known = run->known.choice && !run->known.choice->is_hint;
    (void)snprintf(b->schedule, sizeof b->schedule, "%s",
                   known ? run->known.choice->words : typed);
    return PAV_OK;
}

/* Kernels for processors are faster with known strides, so kernels of this size are
 * added. */
static pav_status compile_of_size(const pav_program *p, pav_device *device,
                                  const pav_run_options *options)
{
    OWNED_BY(free_run) pav_run *run = NULL;
    return place_kind_of(device) == PLACE_GPU
               ? PAV_OK
               : run_open_of_size(&p->tree, device, options, &run);
}

/* Writes under a temporary name, then renames. */
static pav_status write_file(const char *path, const text *t)
{
    OWNED_BY(text_free) text others = {0};
    TRY(text_print(&others, "%s.new", path));
    FILE *file = file_write(others.data, false);
    const bool written = file && fchmod(fileno(file), 0644) == 0 &&
                         fwrite(t->data, 1, (size_t)t->length, file) == (size_t)t->length;
    const bool closed = file && fclose(file) == 0;
    const bool done = written && closed && rename(others.data, path) == 0;
    const int error = errno;
    if (file && !done)
        (void)unlink(others.data);
    return done ? PAV_OK
                : FAIL(write_status(error), "the bundle %s could not be written: %s%s",
                       path, strerror(error), write_hint(error, path));
}

static pav_status write_bundle(const pav_bundle *b, const char *path)
{
    OWNED_BY(text_free) text t = {0};
    if (b->images.failed != PAV_OK)
        return b->images.failed;
    if (b->images.count == 0)
        return FAIL(PAV_EUNSUPPORTED, "the device %s compiles nothing", b->device);
    text_add(&t,
             HEAD "\npavior %s\nname %s\nprogram %016llx\ngrid %s\ndevice %s\n"
                  "machine %s\ncompiler %s\nschedule %s\nkernels %lld\n",
             b->version, b->name, (unsigned long long)b->program, b->grid, b->device,
             b->machine, b->compiler, b->schedule, (long long)b->images.count);
    for (const kernel_image *i = b->images.image; i < b->images.image + b->images.count;
         i++)
        text_add(&t, "%s %s %s %lld %016llx\n", i->key, i->kind, i->target,
                 (long long)i->length,
                 (unsigned long long)hash_bytes(i->bytes, i->length));
    if (!t.failed) {
        text_add(&t, "end %016llx\n", (unsigned long long)hash_bytes(t.data, t.length));
        for (int64_t n = 0; n < b->images.count; n++)
            text_add_bytes(&t, b->images.image[n].bytes, b->images.image[n].length);
    }
    return t.failed ? PAV_ENOMEM : write_file(path, &t);
}

pav_status pav_bundle_write(const pav_program *p, pav_device *device,
                            const pav_run_options *options, const char *path)
{
    GUARDED;
    const pav_run_options usual = {.no_files = 1};
    if (!p || !device || !path)
        return FAIL(PAV_EINVAL, "pav_bundle_write needs a program, a device and a path");
    const char *oddity = file_oddity(path); /* before the compilers run */
    if (oddity)
        return FAIL(PAV_EINVAL, "the bundle %s cannot be written: %s", path, oddity);
    NEW_BY(free_bundle, pav_bundle, b, 1);
    images_record(&b->images);
    pav_status status = compile(p, device, options ? options : &usual, b);
    if (status == PAV_OK)
        status = compile_of_size(p, device, options ? options : &usual);
    images_record(NULL);
    return status == PAV_OK ? write_bundle(b, path) : status;
}

/* ---- for an installation ----------------------------------------------------------- */

/* For a GPU it opens a run like any run with these kernels. Equations take tens of
 * megabytes each, so one file is open at a time. */
static pav_status install_one(const char *file, pav_device *device, text *kernels,
                              text_pieces *pieces)
{
    static const pav_run_options options = {.no_files = 1, .wisdom = -1};
    OWNED_BY(close_program) pav_program *parsed = NULL;
    OWNED_BY(free_run) pav_run *run = NULL;
    TRY(pav_program_load(file, NULL, &parsed));
    if (place_kind_of(device) == PLACE_GPU) {
        TRY(pav_run_open(parsed, device, &options, &run));
        return place_make_all(run_place(run));
    }
    TRY(run_open_unstarted(&parsed->tree, device, &options, &run));
    if (!ir_solves(run->code))
        TRY(ir_lift_numbers(run->code, true));
    return emit_source_add(run->code, kernels, pieces);
}

pav_status pav_kernels_write(const char *const *files, int64_t count, pav_device *device,
                             const char *folder)
{
    GUARDED;
    OWNED_BY(free_device) pav_device *host = NULL;
    OWNED_BY(text_free) text kernels = {0};
    text_pieces pieces = {0};
    OWNED_BY(images_free) kernel_images images = {0};
    const bool for_gpu = place_kind_of(device) == PLACE_GPU;
    if (!files || count < 1 || !folder)
        return FAIL(PAV_EINVAL, "pav_kernels_write needs files and a folder");
    TRY(directory_make(folder));
    pav_status status = pav_device_open("interpreter", &host);
    images_record(for_gpu ? &images : NULL);
    for (int64_t n = 0; n < count && status == PAV_OK; n++)
        status = install_one(files[n], for_gpu ? device : host, &kernels, &pieces);
    images_record(NULL);
    if (status == PAV_OK)
        status = images.failed;
    if (status == PAV_OK)
        status = for_gpu ? images_install(&images, folder)
                         : kernels_install(&kernels, &pieces, device, folder);
    mem_free(pieces.piece);
    return status;
}
