/* SPDX-License-Identifier: BSD-3-Clause */
/* Shared by the tests of compiling and caching: a temporary cache, and scripts in place
 * of compilers. */
#ifndef CACHE_HELPER_H
#define CACHE_HELPER_H

#include <dirent.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

#include "device/device_private.h"
#include "test.h"

static const char source[] = "int pav_answer(void) { return 42; }\n";
static char place[] = "/tmp/pavior-test-XXXXXX";
static char kept[sizeof place + 16]; /* Pavior's directory in `place` */

static inline void remove_place(void)
{
    char command[100];
    snprintf(command, sizeof command, "PATH=/bin:/usr/bin rm -rf %s", place);
    (void)!system(command);
}

static inline void set_place(void)
{
    REQUIRE(mkdtemp(place) != NULL);
    atexit(remove_place);
    snprintf(kept, sizeof kept, "%s/pavior-kernels", place);
    setenv("PAV_CACHE", place, 1);
    unsetenv("PAV_CC");
    unsetenv("PAV_CC_SECONDS");
    unsetenv("PAV_CACHE_SIZE");
}

/* Number of entries with a word in their name. */
static inline int count_entries_of(const char *directory, const char *word)
{
    DIR *d = opendir(directory);
    const struct dirent *entry;
    int count = 0;
    while (d && (entry = readdir(d)))
        count += strstr(entry->d_name, word) != NULL;
    if (d)
        closedir(d);
    return count;
}

/* Number of such entries in Pavior's directory. */
static inline int count_entries(const char *word)
{
    return count_entries_of(kept, word);
}

static inline int count_objects(char *last, size_t size)
{
    DIR *d = opendir(kept);
    const struct dirent *entry;
    int count = 0;
    while (d && (entry = readdir(d)))
        if (strstr(entry->d_name, ".so")) {
            snprintf(last, size, "%s/%s", kept, entry->d_name);
            count++;
        }
    if (d)
        closedir(d);
    return count;
}

static inline pav_status open_and_ask(int *answer)
{
    host_module *m = NULL;
    const pav_status status = host_module_open(source, (int64_t)strlen(source), HOST_KEEP,
                                               &m);
    *answer = 0;
    if (status == PAV_OK)
        *answer = ((int (*)(void))host_module_find(m, "pav_answer"))();
    host_module_close(m);
    return status;
}

static inline void write_script(const char *path, const char *script)
{
    FILE *f = fopen(path, "w");
    REQUIRE(f != NULL);
    fputs(script, f);
    fclose(f);
    chmod(path, 0700);
}

/* Makes a script the compiler. */
static inline void set_compiler(const char *script)
{
    char path[4096];
    set_place();
    snprintf(path, sizeof path, "%s/cc", place);
    write_script(path, script);
    setenv("PAV_CC", path, 1);
}

#endif
