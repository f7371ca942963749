/* SPDX-License-Identifier: BSD-3-Clause */
/* Checks the output directory: generated files may be overwritten, all others are
 * kept. */
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>

#include "run/generate/generate_private.h"

enum { HEAD = 1000 }; /* bytes of a generated file with its mark */

static bool is_there(const char *path)
{
    struct stat about; /* for a link, of its target */

    return lstat(path, &about) == 0;
}

static bool is_generated(const char *path)
{
    char head[HEAD + 1] = "";
    FILE *file = file_oddity(path) ? NULL : fopen(path, "rb");

    if (!file)
        return false;
    head[fread(head, 1, HEAD, file)] = '\0';
    fclose(file);
    return strstr(head, "ritten by Pavior") != NULL;
}

static pav_status keep(const char *path)
{
    return FAIL(PAV_EINVAL,
                "%s is there and was not written by `pavior gen`: give another directory "
                "(-o) or another name (--name), or remove it",
                path);
}

static pav_status check_text(const char *directory, const char *file, const char *ending,
                             bool *there)
{
    text path = {0};

    text_add(&path, "%s/%s%s", directory, file, ending);
    pav_status status = path.failed ? PAV_ENOMEM : PAV_OK;
    *there = status == PAV_OK && is_there(path.data);
    if (*there && !is_generated(path.data))
        status = keep(path.data);
    text_free(&path);
    return status;
}

/* An array has no mark: it counts as generated if the program's source is next to it. */
static pav_status check_input_file(const generation *g, const char *directory,
                                   int64_t field)
{
    text path = {0};

    add_input_path(g, directory, field, &path);
    pav_status status = path.failed ? PAV_ENOMEM : PAV_OK;
    if (status == PAV_OK && is_there(path.data))
        status = keep(path.data);
    text_free(&path);
    return status;
}

pav_status check_place(const generation *g, const char *directory)
{
    static const char *const others[] = {"main.c", "Makefile", "CMakeLists.txt",
                                         "README.md"};
    const int count = g->options->library ? 0 : (int)(sizeof others / sizeof *others);
    bool again, there;

    TRY(check_text(directory, g->name, ".h", &there));
    TRY(check_text(directory, g->name, ".c", &again));
    if (g->gpu) {
        TRY(check_text(directory, g->name, ".cu", &there));
        TRY(check_text(directory, g->name, "_gpu.h", &there));
    }
    for (int n = 0; n < count; n++)
        TRY(check_text(directory, others[n], "", &there));
    for (int64_t n = 0; n < g->code->start.count && !again; n++)
        if (g->code->start.item[n].kind == START_FILE)
            TRY(check_input_file(g, directory, g->code->start.item[n].field));
    return PAV_OK;
}
