/* SPDX-License-Identifier: BSD-3-Clause */
/* The system's C compiler: which one, what its results depend on, and how it is asked. It may neither
 * contract nor reassociate; functions of the library stay calls, so that no compiler evaluates one
 * itself in other bits. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "device/device_private.h"

enum { MOST_ARGUMENTS = 40, LOG_SHOWN = 600, LOG_LIMIT = 64 << 20 };

static const char *const flags[] = {
    "-std=gnu11",
    "-O3",
#if defined(__x86_64__) || defined(__i386__)
    "-march=native",
    "-mprefer-vector-width=512",
#else
    "-mcpu=native",
#endif
    "-ffp-contract=off",
    "-fno-math-errno",
    "-fno-trapping-math",
    "-fno-builtin-exp",
    "-fno-builtin-log",
    "-fno-builtin-sin",
    "-fno-builtin-cos",
    "-fno-builtin-tan",
    "-fno-builtin-tanh",
    "-fno-builtin-pow",
    "-fno-builtin-expf",
    "-fno-builtin-logf",
    "-fno-builtin-sinf",
    "-fno-builtin-cosf",
    "-fno-builtin-tanf",
    "-fno-builtin-tanhf",
    "-fno-builtin-powf",
    "-w",
    "-fPIC",
    "-shared",
};

pav_status compiler_find(compiler *c)
{
    const char *named = getenv("PAV_CC"), *limit = getenv("PAV_CC_SECONDS");
    const double seconds = limit ? atof(limit) : 0;

    c->seconds = seconds > 0 ? seconds : 300;
    if (host_find_compiler(c->path))
        return PAV_OK;
    if (named && *named)
        return FAIL(
            PAV_EDEVICE,
            "PAV_CC is '%s', which is no program that can be started; give the path "
            "of a C compiler, or use --device interpreter",
            named);
    return FAIL(PAV_EDEVICE,
                "there is no C compiler on PATH (looked for cc, gcc and clang): install "
                "one, name one in PAV_CC, or use --device interpreter");
}

static pav_status too_late(const compiler *c)
{
    return FAIL(
        PAV_EDEVICE,
        "the compiler %s did not end within %g s and was stopped; allow more with "
        "PAV_CC_SECONDS, name another in PAV_CC, or use --device interpreter",
        c->path, c->seconds);
}

pav_status compiler_hash(const compiler *c, const char *scratch, hash *h)
{
    const char *const argument[] = {c->path, "--version", NULL};
    char *version = NULL;
    int64_t length = 0;
    struct stat s;

    if (stat(c->path, &s) == 0) {
        const int64_t about[] = {s.st_size, s.st_mtim.tv_sec, s.st_mtim.tv_nsec};
        hash_add(h, about, sizeof about);
    }
    hash_add(h, c->path, (int64_t)strlen(c->path) + 1);
    for (size_t k = 0; k < COUNT_OF(flags); k++)
        hash_add(h, flags[k], (int64_t)strlen(flags[k]) + 1);
    if (process_run(argument, scratch, c->seconds) == PROCESS_LATE)
        return too_late(c);
    TRY(file_read(scratch, LOG_LIMIT, &version, &length));
    hash_add(h, version, (int64_t)strcspn(version, "\n"));
    mem_free(version);
    return PAV_OK;
}

/* The end of what the compiler printed: there it says what was wrong. */
static pav_status failed(const compiler *c, const char *log)
{
    char *said = NULL;
    int64_t length = 0;

    if (file_read(log, LOG_LIMIT, &said, &length) != PAV_OK)
        length = 0;
    while (length > 0 && said[length - 1] == '\n')
        said[--length] = '\0';
    const char *shown = said ? said + (length > LOG_SHOWN ? length - LOG_SHOWN : 0) : "";
    const pav_status status = FAIL(PAV_EDEVICE,
                                   "the compiler %s failed on the kernels%s%s\nname "
                                   "another in PAV_CC, or use --device "
                                   "interpreter",
                                   c->path, *shown ? "; it said\n" : " and said nothing",
                                   shown);
    mem_free(said);
    return status;
}

static process_end try_to(const compiler *c, const char *source, const char *object,
                          const char *log, bool threads)
{
    const char *argument[MOST_ARGUMENTS];
    int count = 0;

    argument[count++] = c->path;
    for (size_t k = 0; k < COUNT_OF(flags); k++)
        argument[count++] = flags[k];
    if (threads)
        argument[count++] = "-fopenmp";
    argument[count++] = "-o";
    argument[count++] = object;
    argument[count++] = source;
    argument[count++] = "-lm";
    argument[count] = NULL;
    return process_run(argument, log, c->seconds);
}

pav_status compiler_run(const compiler *c, const char *source, const char *object,
                        const char *log)
{
    process_end end = try_to(c, source, object, log, true);

    if (end == PROCESS_FAILED)
        end = try_to(c, source, object, log, false);
    switch (end) {
    case PROCESS_LATE: return too_late(c);
    case PROCESS_NONE:
        return FAIL(
            PAV_EDEVICE,
            "the compiler %s could not be started; name another in PAV_CC, or use "
            "--device interpreter",
            c->path);
    case PROCESS_DONE:
        if (access(object, R_OK) == 0)
            return PAV_OK;
        break;
    case PROCESS_FAILED: break;
    }
    return failed(c, log);
}
