/* SPDX-License-Identifier: BSD-3-Clause */
/* What a run leaves: the library's report; as JSON one object in every case, with how the run ended
 * in front, and no more than that and a step of 0 where no run was opened. */
#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "cli.h"

/* ---- strings ------------------------------------------------------------------------------ */

/* Bytes of the UTF-8 character here (Unicode, table 3-7); 0 when it is none. */
static int character_length(const unsigned char *at)
{
    const int length = at[0] < 0x80   ? 1
                       : at[0] < 0xc2 ? 0
                       : at[0] < 0xe0 ? 2
                       : at[0] < 0xf0 ? 3
                       : at[0] < 0xf5 ? 4
                                      : 0;
    for (int k = 1; k < length; k++)
        if ((at[k] & 0xc0U) != 0x80U)
            return 0;
    const bool bad = (at[0] == 0xe0 && at[1] < 0xa0) || (at[0] == 0xed && at[1] > 0x9f) ||
                     (at[0] == 0xf0 && at[1] < 0x90) || (at[0] == 0xf4 && at[1] > 0x8f);
    return bad ? 0 : length;
}

/* What is not UTF-8, as file names need not be, becomes U+FFFD. */
static void put_string(FILE *out, const char *string)
{
    const unsigned char *at = (const unsigned char *)string;
    fputc('"', out);
    while (*at) {
        const int length = character_length(at);
        if (length == 0)
            fputs("\xef\xbf\xbd", out);
        else if (*at < 0x20 || *at == '"' || *at == '\\' || *at == 0x7f)
            fprintf(out, "\\u%04x", (unsigned)*at);
        else
            fwrite(at, 1, (size_t)length, out);
        at += length ? length : 1;
    }
    fputc('"', out);
}

/* ---- objects ------------------------------------------------------------------------------ */

/* `report` is the library's object, whose first member is the message, or NULL. */
static void put_object(FILE *out, pav_status status, const char *message,
                       const char *report)
{
    fprintf(out, "{\"status\": \"%s\", ", pav_status_name(status));
    if (report) {
        fputs(report + 1, out);
        return;
    }
    fputs("\"message\": ", out);
    put_string(out, message);
    fputs(", \"steps\": 0}\n", out);
}

/* ---- the file of --report ------------------------------------------------------------------- */

/* False with errno set. */
static bool fill_file(const char *path, pav_status status, const char *message,
                      const char *report)
{
    FILE *out = fopen(path, "w");
    if (!out)
        return false;
    put_object(out, status, message, report);
    const int error = fflush(out) != 0 || ferror(out) ? errno : 0;
    const bool closed = fclose(out) == 0;
    errno = error ? error : errno;
    return !error && closed;
}

/* A file is there whole or not at all; what is no plain file, as a pipe, is written as it is. */
static bool replace_file(const char *path, pav_status status, const char *message,
                         const char *report)
{
    struct stat about;
    char part[PATH_MAX];
    if (lstat(path, &about) == 0 && !S_ISREG(about.st_mode))
        return fill_file(path, status, message, report);
    if (snprintf(part, sizeof part, "%s.%ld.part", path, (long)getpid()) >=
        (int)sizeof part) {
        errno = ENAMETOOLONG;
        return false;
    }
    if (fill_file(part, status, message, report) && rename(part, path) == 0)
        return true;
    const int error = errno;
    remove(part);
    errno = error;
    return false;
}

static int write_report(const char *path, pav_status status, const char *message,
                        const char *report)
{
    if (replace_file(path, status, message, report))
        return EXIT_DONE;
    fprintf(stderr, "pavior run: the report could not be written to %s: %s\n", path,
            strerror(errno));
    return EXIT_RUN_FAILED;
}

int summary_print(pav_run *run, pav_status status, const char *message,
                  const summary_options *wanted)
{
    char *text = NULL, *json = NULL;
    int code = EXIT_DONE;
    if (run && !wanted->json && !wanted->quiet) {
        const pav_status reported = pav_run_report(run, 0, &text);
        code = print_text(reported, text);
    }
    if (!wanted->json && !wanted->path)
        return code;
    const pav_status reported = run ? pav_run_report(run, 1, &json) : PAV_OK;
    if (reported != PAV_OK)
        return fail_with(reported);
    if (wanted->json)
        put_object(stdout, status, message, json);
    if (code == EXIT_DONE && wanted->path)
        code = write_report(wanted->path, status, message, json);
    pav_text_free(json);
    return code;
}
