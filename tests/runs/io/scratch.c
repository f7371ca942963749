/* SPDX-License-Identifier: BSD-3-Clause */
/* Files of a test: see scratch.h. */
#include "scratch.h"

#include <dirent.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include "base/base.h"
#include "test.h"

static char directory[] = "/tmp/pavior-test-XXXXXX";
static bool made;

static void clean(void)
{
    DIR *all = opendir(directory);
    for (struct dirent *entry; all && (entry = readdir(all));) {
        char path[4096];
        (void)snprintf(path, sizeof path, "%s/%s", directory, entry->d_name);
        (void)remove(path);
    }
    if (all)
        (void)closedir(all);
    (void)rmdir(directory);
}

const char *scratch_path(const char *name)
{
    static char paths[4][4096];
    static int next;
    if (!made) {
        REQUIRE(mkdtemp(directory));
        made = true;
        (void)atexit(clean);
    }
    char *path = paths[next++ % 4];
    (void)snprintf(path, sizeof paths[0], "%s/%s", directory, name);
    return path;
}

void scratch_write(const char *name, const void *bytes, int64_t length)
{
    FILE *file = fopen(scratch_path(name), "wb");
    REQUIRE(file);
    CHECK_EQ(fwrite(bytes, 1, (size_t)length, file), length);
    CHECK_EQ(fclose(file), 0);
}

char *scratch_read(const char *name, int64_t *length)
{
    char *bytes;
    REQUIRE_OK(file_read(scratch_path(name), 1 << 28, &bytes, length));
    return bytes;
}

int scratch_count(void)
{
    int count = 0;
    DIR *all = opendir(directory);
    for (struct dirent *entry; all && (entry = readdir(all));)
        count += entry->d_name[0] != '.' || strlen(entry->d_name) > 2;
    if (all)
        (void)closedir(all);
    return count;
}

void scratch_npy(const char *name, int version, const char *dictionary, const void *data,
                 int64_t length)
{
    const int64_t size = (int64_t)strlen(dictionary);
    const char prefix[12] = {'\x93',
                             'N',
                             'U',
                             'M',
                             'P',
                             'Y',
                             (char)version,
                             0,
                             (char)(size % 256),
                             (char)(size / 256),
                             0,
                             0};
    text t = {0};
    text_add_bytes(&t, prefix, version == 1 ? 10 : 12);
    text_add_bytes(&t, dictionary, size);
    text_add_bytes(&t, data, length);
    scratch_write(name, t.data, t.length);
    text_free(&t);
}
