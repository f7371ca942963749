/* SPDX-License-Identifier: BSD-3-Clause */
/* Seals of objects in the cache. An object truncated, changed, renamed or written by
 * another user is not loaded. */
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "device/device_private.h"

enum { OBJECT_LIMIT = 1 << 30 };

typedef struct seal {
    char mark[8];
    int64_t length;
    uint64_t hash;
} seal;

static const char seal_mark[8] = "pavior2";

static seal seal_of(const char *data, int64_t length, const char *name)
{
    const char *slash = strrchr(name, '/');
    seal s = {.length = length};
    hash h;

    memcpy(s.mark, seal_mark, sizeof s.mark);
    name = slash ? slash + 1 : name;
    hash_init(&h);
    hash_add(&h, name, (int64_t)strlen(name));
    hash_add(&h, data, length);
    s.hash = hash_end(&h);
    return s;
}

static pav_status append(const char *path, const seal *s)
{
    FILE *file = file_write(path, true);
    const bool written = file && fchmod(fileno(file), 0700) == 0 &&
                         fwrite(s, sizeof *s, 1, file) == 1;
    const bool closed = file && fclose(file) == 0;

    if (written && closed)
        return PAV_OK;
    return FAIL(write_status(errno), "compiled kernels could not be written to %s: %s",
                path, strerror(errno));
}

pav_status cache_seal(const char *object, const char *name)
{
    char *data;
    int64_t length;

    TRY(file_read(object, OBJECT_LIMIT, &data, &length));
    const seal s = seal_of(data, length, name);
    mem_free(data);
    return append(object, &s);
}

static bool is_ours(const char *object)
{
    struct stat s;

    return lstat(object, &s) == 0 && S_ISREG(s.st_mode) && s.st_uid == geteuid() &&
           !(s.st_mode & (S_IWGRP | S_IWOTH));
}

bool cache_has_seal(int directory, const char *entry)
{
    seal found = {.length = 0};
    struct stat s;
    const int file = openat(directory, entry,
                            O_RDONLY | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK);
    const bool there = file >= 0 && fstat(file, &s) == 0 && S_ISREG(s.st_mode) &&
                       s.st_uid == geteuid() && s.st_size > (off_t)sizeof found &&
                       pread(file, &found, sizeof found,
                             s.st_size - (off_t)sizeof found) == sizeof found;

    if (file >= 0)
        (void)close(file);
    return there && memcmp(found.mark, seal_mark, sizeof found.mark) == 0 &&
           found.length == s.st_size - (off_t)sizeof found;
}

bool cache_is_sealed(const char *object)
{
    const int64_t size = sizeof(seal);
    char *data;
    int64_t length;

    if (!is_ours(object) || file_read(object, OBJECT_LIMIT, &data, &length) != PAV_OK)
        return false;
    bool same = length > size;
    if (same) {
        const seal want = seal_of(data, length - size, object);
        same = memcmp(&want, data + length - size, sizeof want) == 0;
    }
    mem_free(data);
    return same;
}
