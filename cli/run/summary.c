/* SPDX-License-Identifier: BSD-3-Clause */
/* Summary of a run: the library's report. As JSON it is always one object, with the
 * status first; if no run was opened, the object holds only status, message and 0
 * steps. */
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "cli.h"

/* ---- objects ----------------------------------------------------------------------- */

/* `report`: the library's JSON object (its first member is the message), or NULL. */
static void put_object(FILE *out, pav_status status, const char *message,
                       const char *report)
{
    fprintf(out, "{\"status\": \"%s\", ", pav_status_name(status));
    if (report) {
        fputs(report + 1, out);
        return;
    }
    fputs("\"message\": ", out);
    json_put_string(out, message);
    fputs(", \"steps\": 0}\n", out);
}

/* ---- the file of --report ---------------------------------------------------------- */

/* False: errno is set. */
static bool fill_file(FILE *out, pav_status status, const char *message,
                      const char *report)
{
    if (!out)
        return false;
    put_object(out, status, message, report);
    const int error = fflush(out) != 0 || ferror(out) ? errno : 0;
    const bool closed = fclose(out) == 0;
    errno = error ? error : errno;
    return !error && closed;
}

/* An existing file may be replaced if it is empty or an earlier report: a report begins
 * with a brace. */
static bool may_replace(const char *path)
{
    struct stat about;
    FILE *file = lstat(path, &about) == 0 && S_ISREG(about.st_mode) ? fopen(path, "r")
                                                                    : NULL;
    const int first = file ? fgetc(file) : EOF;
    if (file)
        fclose(file);
    return first == EOF || first == '{';
}

/* Creates a new file; NULL: errno is set. It never overwrites an existing file or the
 * target of a link. Only the partial report of an earlier process with the same process
 * number is replaced. */
static FILE *make_file(const char *path)
{
    const int how = O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC;
    struct stat about;
    int file = open(path, how, 0666);
    if (file < 0 && errno == EEXIST && lstat(path, &about) == 0 &&
        S_ISREG(about.st_mode) && may_replace(path) && unlink(path) == 0)
        file = open(path, how, 0666);
    FILE *out = file >= 0 ? fdopen(file, "w") : NULL;
    if (file >= 0 && !out)
        close(file);
    return out;
}

/* Temporary name of the file until it is complete; false: errno is set. */
static bool name_part(const char *path, char part[PATH_MAX])
{
    if (snprintf(part, PATH_MAX, "%s.%ld.part", path, (long)getpid()) < PATH_MAX)
        return true;
    errno = ENAMETOOLONG;
    return false;
}

/* False: errno is set. Pipes and other special files are not opened: their reader would
 * see an end of file. */
static bool can_write(const char *path)
{
    struct stat about;
    char part[PATH_MAX];
    if (lstat(path, &about) == 0 && !S_ISREG(about.st_mode)) {
        errno = S_ISDIR(about.st_mode) ? EISDIR : 0;
        return errno == 0 && (stat(path, &about) != 0 || access(path, W_OK) == 0);
    }
    FILE *out = name_part(path, part) ? make_file(part) : NULL;
    if (out) {
        fclose(out);
        remove(part);
    }
    return out != NULL;
}

int summary_check(const char *path)
{
    if (!may_replace(path))
        return usage_error(&run_command,
                           "--report %s would take the place of a file that is no "
                           "report: give another name, or remove it",
                           path);
    if (!can_write(path))
        return usage_error(&run_command,
                           "the report could not be written to %s: %s; give --report a "
                           "file in a directory that is there and takes it",
                           path, strerror(errno));
    return EXIT_DONE;
}

/* Writes a temporary file and renames it, so a partial file never has this name. Pipes
 * and other special files are written directly. */
static bool replace_file(const char *path, pav_status status, const char *message,
                         const char *report)
{
    struct stat about;
    char part[PATH_MAX];
    if (lstat(path, &about) == 0 && !S_ISREG(about.st_mode))
        return fill_file(fopen(path, "w"), status, message, report);
    FILE *out = name_part(path, part) ? make_file(part) : NULL;
    if (!out)
        return false;
    if (fill_file(out, status, message, report) && rename(part, path) == 0)
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
