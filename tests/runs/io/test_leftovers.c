/* SPDX-License-Identifier: BSD-3-Clause */
/* Unfinished files of ended processes are removed, and no other files. */
#include <stdio.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>

#include "io/io_private.h"
#include "test.h"

static char folder[] = "/tmp/pavior-left-XXXXXX";

static int files(void)
{
    char command[128];
    int count = -1;
    (void)snprintf(command, sizeof command, "ls -A %s | wc -l", folder);
    FILE *all = popen(command, "r");
    REQUIRE(all != NULL);
    CHECK_EQ(fscanf(all, "%d", &count), 1);
    (void)pclose(all);
    return count;
}

static void begin_file(out_file *o)
{
    char path[64];
    (void)snprintf(path, sizeof path, "%s/u.npy", folder);
    REQUIRE_OK(out_open(o, path));
    REQUIRE_OK(out_write(o, "some", 4));
    o->shown = "u.npy";
}

TEST(files_of_processes_that_are_gone_are_removed)
{
    REQUIRE(mkdtemp(folder) != NULL);
    const pid_t child = fork();
    if (child == 0) {
        out_file o;
        begin_file(&o);
        _exit(0); /* like a kill */
    }
    REQUIRE(waitpid(child, NULL, 0) == child);
    CHECK_EQ(files(), 1);
    REQUIRE_OK(io_remove_leftovers(folder));
    CHECK_EQ(files(), 0);
    CHECK_EQ(rmdir(folder), 0);
}

TEST(files_of_living_processes_and_other_systems_stay)
{
    char other[128];
    out_file o;
    REQUIRE(mkdtemp(folder) != NULL);
    begin_file(&o);
    (void)snprintf(other, sizeof other, "%s/.pavior-0123456789abcdef-999999999-0",
                   folder);
    FILE *file = fopen(other, "w");
    REQUIRE(file != NULL && fclose(file) == 0);
    REQUIRE_OK(io_remove_leftovers(folder));
    CHECK_EQ(files(), 2);
    CHECK_STATUS(out_close(&o, PAV_OK), PAV_OK);
    CHECK_EQ(files(), 2);
    CHECK_EQ(unlink(other), 0);
    (void)snprintf(other, sizeof other, "%s/u.npy", folder);
    CHECK_EQ(unlink(other), 0);
    CHECK_EQ(rmdir(folder), 0);
}
