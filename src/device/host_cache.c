/* SPDX-License-Identifier: BSD-3-Clause */
/* Where compiled kernels are kept: $PAV_CACHE, or pavior in $XDG_CACHE_HOME or in ~/.cache. What lies
 * there is loaded and run, so the directory must belong to this user and be written by nobody else.
 * Files get their names by renaming once they are whole; many processes may do so at once. */
#include <dirent.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "device/device_private.h"

enum { OBJECT_LIMIT = 1 << 30 };

static bool wanted_path(char path[CACHE_PATH])
{
    static const struct {
        const char *variable, *rest;
    } places[] = {
        {"PAV_CACHE", ""}, {"XDG_CACHE_HOME", "/pavior"}, {"HOME", "/.cache/pavior"}};

    for (size_t k = 0; k < COUNT_OF(places); k++) {
        const char *value = getenv(places[k].variable);
        if (value && *value)
            return snprintf(path, CACHE_PATH, "%s%s", value, places[k].rest) <
                   CACHE_PATH - 64;
    }
    path[0] = '\0';
    return false;
}

static void make_directories(const char *path)
{
    char part[CACHE_PATH];

    for (size_t n = 1; path[n - 1]; n++)
        if (path[n] == '/' || path[n] == '\0') {
            (void)snprintf(part, sizeof part, "%.*s", (int)n, path);
            (void)mkdir(part, 0700);
        }
}

/* NULL when the directory may be used, else why not. */
static const char *what_is_wrong(const char *path)
{
    struct stat s;

    if (stat(path, &s) != 0)
        return strerror(errno);
    if (!S_ISDIR(s.st_mode))
        return "it is no directory";
    if (s.st_uid != geteuid())
        return "it belongs to another user";
    if (s.st_mode & (S_IWGRP | S_IWOTH))
        return "others may write there";
    return NULL;
}

static bool make_work(const char *path, char work[CACHE_PATH])
{
    return snprintf(work, CACHE_PATH, "%s/work-XXXXXX", path) < CACHE_PATH &&
           mkdtemp(work) != NULL;
}

static pav_status open_temporary(kernel_cache *c, const char *why)
{
    const char *place = getenv("TMPDIR");

    (void)snprintf(
        c->note, sizeof c->note,
        "compiled kernels are not kept: %.2000s cannot be used (%s); PAV_CACHE "
        "names another directory",
        c->path[0] ? c->path : "the cache directory", why);
    place = place && *place ? place : "/tmp";
    c->lasting = false;
    if (snprintf(c->work, CACHE_PATH, "%s/pavior-XXXXXX", place) < CACHE_PATH - 64 &&
        mkdtemp(c->work))
        return PAV_OK;
    return FAIL(
        PAV_EIO,
        "no place to compile in: %.2000s cannot be used (%s), and no directory can be "
        "made in %.1000s either; give one in PAV_CACHE or TMPDIR",
        c->path[0] ? c->path : "the cache directory", why, place);
}

pav_status cache_open(kernel_cache *c)
{
    *c = (kernel_cache){.lasting = true};
    if (!wanted_path(c->path))
        return open_temporary(c, c->path[0] ? "its path is too long"
                                            : "neither PAV_CACHE nor HOME is set");
    make_directories(c->path);
    const char *wrong = what_is_wrong(c->path);
    if (wrong)
        return open_temporary(c, wrong);
    if (!make_work(c->path, c->work))
        return open_temporary(c, strerror(errno));
    return PAV_OK;
}

void cache_close(kernel_cache *c)
{
    DIR *work = opendir(c->work);
    const struct dirent *entry;
    char path[2 * CACHE_PATH];

    while (work && (entry = readdir(work))) {
        (void)snprintf(path, sizeof path, "%s/%s", c->work, entry->d_name);
        if (entry->d_name[0] != '.')
            (void)unlink(path);
    }
    if (work)
        closedir(work);
    (void)rmdir(c->work);
}

/* ---- seals -------------------------------------------------------------------------------- */

typedef struct seal {
    char mark[8];
    int64_t length;
    uint64_t hash;
} seal;

static seal seal_of(const char *data, int64_t length)
{
    seal s = {.mark = "pavior1", .length = length};
    hash h;

    hash_init(&h);
    hash_add(&h, data, length);
    s.hash = hash_end(&h);
    return s;
}

static pav_status append(const char *path, const void *bytes, size_t size)
{
    FILE *file = fopen(path, "ab");
    const bool written = file && fwrite(bytes, size, 1, file) == 1;
    const bool closed = file && fclose(file) == 0;

    if (written && closed)
        return PAV_OK;
    return FAIL(PAV_EIO, "compiled kernels could not be written to %s: %s", path,
                strerror(errno));
}

pav_status cache_seal(const char *object)
{
    char *data;
    int64_t length;

    TRY(file_read(object, OBJECT_LIMIT, &data, &length));
    const seal s = seal_of(data, length);
    mem_free(data);
    return append(object, &s, sizeof s);
}

bool cache_is_sealed(const char *object)
{
    const int64_t size = sizeof(seal);
    char *data;
    int64_t length;

    if (access(object, R_OK) != 0 ||
        file_read(object, OBJECT_LIMIT, &data, &length) != PAV_OK)
        return false;
    bool same = length > size;
    if (same) {
        const seal want = seal_of(data, length - size);
        same = memcmp(&want, data + length - size, sizeof want) == 0;
    }
    mem_free(data);
    return same;
}
