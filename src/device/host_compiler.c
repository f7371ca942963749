/* SPDX-License-Identifier: BSD-3-Clause */
/* The system's C compiler: which one, what its results depend on, and how it is asked. It may neither
 * contract nor reassociate; functions of the library stay calls, so that no compiler evaluates one
 * itself in other bits. */
#define _GNU_SOURCE
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "device/device_private.h"

enum { MOST_ARGUMENTS = 48, SAID = 600 };

static const char *const flags[] = {
    "-std=gnu11",
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

static const char *level(bool quick)
{
    return quick ? "-O0" : "-O3";
}

pav_status compiler_find(compiler *c)
{
    const char *named = getenv("PAV_CC");

    c->seconds = settings_compiler_seconds();
    if (host_find_compiler(c->path))
        return PAV_OK;
    if (named && *named)
        return FAIL(
            PAV_EDEVICE,
            "PAV_CC is '%s', which is no program that can be started; give the path "
            "of a C compiler alone, or use --device interpreter",
            named);
    return FAIL(PAV_EDEVICE,
                "there is no C compiler on PATH (looked for cc, gcc and clang): install "
                "one, name one in PAV_CC, or use --device interpreter");
}

/* Without starting it: who puts another compiler in its place changes its file. */
void compiler_hash(const compiler *c, bool quick, hash *h)
{
    struct stat s;

    if (stat(c->path, &s) == 0) {
        const int64_t about[] = {(int64_t)s.st_size, s.st_mtim.tv_sec, s.st_mtim.tv_nsec,
                                 (int64_t)s.st_ino};
        hash_add(h, about, sizeof about);
    }
    hash_add(h, c->path, (int64_t)strlen(c->path) + 1);
    hash_add(h, level(quick), 3);
    for (size_t k = 0; k < COUNT_OF(flags); k++)
        hash_add(h, flags[k], (int64_t)strlen(flags[k]) + 1);
}

/* ---- running it --------------------------------------------------------------------------- */

static const char instead[] = "name another in PAV_CC, or use --device interpreter";

/* The end of what it printed: there it says what was wrong. */
static pav_status failed(const compiler *c, const char *how, process_result *r)
{
    size_t length = strlen(r->said);

    while (length > 0 && r->said[length - 1] == '\n')
        r->said[--length] = '\0';
    const char *shown = r->said + (length > SAID ? length - SAID : 0);
    return FAIL(PAV_EDEVICE, "the compiler %s %s%s%s\n%s", c->path, how,
                *shown ? "; it said\n" : " and said nothing", shown, instead);
}

static pav_status killed(const compiler *c, process_result *r)
{
    char how[HOST_TEXT];

    (void)snprintf(how, sizeof how, "was ended by signal %d (%s)%s", r->code,
                   strsignal(r->code),
                   r->code == SIGKILL ? ", as systems do that run out of memory" : "");
    return failed(c, how, r);
}

static pav_status verdict(const compiler *c, const char *object, process_result *r)
{
    switch (r->end) {
    case PROCESS_DONE:
        return access(object, R_OK) == 0 ? PAV_OK : failed(c, "left no kernels", r);
    case PROCESS_FAILED: return failed(c, "failed on the kernels", r);
    case PROCESS_KILLED: return killed(c, r);
    case PROCESS_LATE:
        return FAIL(PAV_EDEVICE,
                    "the compiler %s did not end within %g s and was stopped; allow more "
                    "with PAV_CC_SECONDS, %s",
                    c->path, c->seconds, instead);
    case PROCESS_LOUD:
        return FAIL(PAV_EDEVICE,
                    "the compiler %s printed more than 64 MiB and was stopped; %s",
                    c->path, instead);
    case PROCESS_NONE: break;
    }
    return FAIL(PAV_EDEVICE, "the compiler %s could not be started; %s", c->path,
                instead);
}

static void start(const compiler *c, const compile_job *job, process_result *r)
{
    const char *argument[MOST_ARGUMENTS];
    int count = 0;

    argument[count++] = c->path;
    argument[count++] = level(job->quick);
    for (size_t k = 0; k < COUNT_OF(flags); k++)
        argument[count++] = flags[k];
    argument[count++] = "-o";
    argument[count++] = job->object;
    argument[count++] = job->source;
    argument[count++] = "-lm";
    argument[count] = NULL;
    process_run(argument, job->scratch, c->seconds, r);
}

pav_status compiler_run(const compiler *c, const compile_job *job)
{
    process_result *r = mem_new(1, sizeof *r);

    if (!r)
        return PAV_ENOMEM;
    start(c, job, r);
    const pav_status status = verdict(c, job->object, r);
    mem_free(r);
    return status;
}
