/* SPDX-License-Identifier: BSD-3-Clause */
#include "finished.h"

#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

static char folder[] = "/tmp/pavior-test-XXXXXX";

pav_status begin_text(const char *source, const pav_run_options *options, begun *b)
{
    static const pav_run_options plain = {.no_files = 1};
    *b = (begun){0};
    TRY(pav_program_parse(source, strlen(source), NULL, &b->program));
    TRY(pav_device_open("auto", &b->device));
    return pav_run_open(b->program, b->device, options ? options : &plain, &b->run);
}

void close_begun(begun *b)
{
    pav_run_free(b->run);
    pav_program_free(b->program);
    pav_device_free(b->device);
    *b = (begun){0};
}

void begin_in_folder(const char *source, begun *b)
{
    (void)strcpy(folder + strlen(folder) - 6, "XXXXXX");
    REQUIRE(mkdtemp(folder) != NULL);
    const pav_run_options how = {.directory = folder, .no_stamp = 1};
    REQUIRE_OK(begin_text(source, &how, b));
}

void finish_in_folder(const char *source)
{
    begun b;
    begin_in_folder(source, &b);
    REQUIRE_OK(pav_run_finish(b.run));
    close_begun(&b);
}

const char *folder_path(const char *name)
{
    static char path[128];
    (void)snprintf(path, sizeof path, "%s/%s", folder, name);
    return path;
}

const char *folder_take(const char *name, int64_t *length)
{
    enum { MOST = 1 << 20 };
    static char bytes[2][MOST + 1];
    static int next;
    char *all = bytes[next++ % 2];
    FILE *in = fopen(folder_path(name), "rb");
    REQUIRE(in != NULL);
    *length = (int64_t)fread(all, 1, MOST, in);
    all[*length] = '\0';
    (void)fclose(in);
    (void)unlink(folder_path(name));
    (void)rmdir(folder);
    return all;
}

const char *report_of(begun *b, int json)
{
    static char *report;
    pav_text_free(report);
    REQUIRE_OK(pav_run_report(b->run, json, &report));
    return report;
}

double report_number(begun *b, const char *name)
{
    char key[64];
    (void)snprintf(key, sizeof key, "\"%s\": ", name);
    const char *at = strstr(report_of(b, 1), key);
    return at ? strtod(at + strlen(key), NULL) : (double)NAN;
}
