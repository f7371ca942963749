/* SPDX-License-Identifier: BSD-3-Clause */
/* The file format of a bundle: lines with its program and device, a line for each kernel
 * with length and hash, the hash of all these lines, and then the kernels. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "run/bundle/bundle_private.h"

#define HEAD "pavior bundle 1"
enum { MOST_IMAGES = 4096, LINE = 2 * WISDOM_SCHEDULE };

/* ---- printed ----------------------------------------------------------------------- */

static void print_images(const kernel_images *all, text *t)
{
    text_add(t, "kernels %lld\n", (long long)all->count);
    for (int64_t n = 0; n < all->count; n++) {
        const kernel_image *i = &all->image[n];
        text_add(t, "%s %s %s %lld %016llx\n", i->key, i->kind, i->target,
                 (long long)i->length,
                 (unsigned long long)hash_bytes(i->bytes, i->length));
    }
}

void bundle_print(const pav_bundle *b, text *t)
{
    text_add(t, HEAD "\npavior %s\nname %s\nprogram %016llx\ngrid %s\n", b->version,
             b->name, (unsigned long long)b->program, b->grid);
    text_add(t, "device %s\nmachine %s\ncompiler %s\nschedule %s\n", b->device,
             b->machine, b->compiler, b->schedule);
    print_images(&b->images, t);
    if (t->failed)
        return;
    text_add(t, "end %016llx\n", (unsigned long long)hash_bytes(t->data, t->length));
    for (int64_t n = 0; n < b->images.count; n++)
        text_add_bytes(t, b->images.image[n].bytes, b->images.image[n].length);
}

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
    i.bytes = mem_new(i.length + 1, 1);
    if (!i.bytes)
        return PAV_ENOMEM;
    memcpy(i.bytes, *bytes, (size_t)i.length);
    *bytes += i.length;
    const pav_status status = images_add(&b->images, &i);
    if (status != PAV_OK)
        mem_free(i.bytes);
    return status;
}

/* The beginning of the kernels, after the hash of the lines is checked. */
static pav_status find_kernels(const reader *r, int64_t count, const char *begin,
                               const char **bytes)
{
    reader ahead = *r;
    uint64_t want = 0;
    for (int64_t n = 0; n < count; n++)
        TRY(next(&ahead));
    const uint64_t found = hash_bytes(begin, ahead.at - begin);
    TRY(take_number(&ahead, "end", &want));
    *bytes = ahead.at;
    return want == found ? PAV_OK : refuse(r->path, "its head was damaged");
}

static pav_status take_images(reader *r, const char *begin, pav_bundle *b)
{
    char word[WISDOM_NAME];
    const char *bytes = NULL;
    int64_t count = 0;
    TRY(take(r, "kernels", sizeof word, word));
    if (!read_count(word, MOST_IMAGES, &count))
        return refuse(r->path, "the bundle was damaged, or is none");
    TRY(find_kernels(r, count, begin, &bytes));
    for (int64_t n = 0; n < count; n++)
        TRY(add_image(r, &bytes, b));
    return bytes == r->end ? PAV_OK : refuse(r->path, "something follows the kernels");
}

static pav_status take_all(reader *r, const char *begin, pav_bundle *b)
{
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
    return take_images(r, begin, b);
}

pav_status bundle_parse(const char *bytes, int64_t length, pav_bundle *b)
{
    reader *r = mem_new(1, sizeof *r);
    if (!r)
        return PAV_ENOMEM;
    *r = (reader){.at = bytes, .end = bytes + length, .path = b->path};
    const pav_status status = take_all(r, bytes, b);
    mem_free(r);
    return status;
}
