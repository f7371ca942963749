/* SPDX-License-Identifier: BSD-3-Clause */
#include "made_root.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "test.h"

char made_root[64];

void make_root(void)
{
    (void)snprintf(made_root, sizeof made_root, "/tmp/pavior-test-XXXXXX");
    REQUIRE(mkdtemp(made_root) != NULL);
}

void put_file(const char *path, const char *content)
{
    char whole[512];

    (void)snprintf(whole, sizeof whole, "%s%s", made_root, path);
    for (char *at = whole + strlen(made_root) + 1; (at = strchr(at, '/')); at++) {
        *at = '\0';
        (void)mkdir(whole, 0700);
        *at = '/';
    }
    FILE *file = fopen(whole, "w");
    REQUIRE(file != NULL);
    (void)fputs(content, file);
    (void)fclose(file);
}

void remove_root(void)
{
    char command[128];

    (void)snprintf(command, sizeof command, "rm -rf '%s'", made_root);
    CHECK_EQ(system(command), 0);
}
