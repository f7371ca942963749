/* SPDX-License-Identifier: BSD-3-Clause */
/* The system's compilers of C and C++: finding one, hashing its identity, and running it.
 * It may neither contract nor reassociate. Calls of library functions stay calls, because
 * a compiler evaluating one itself might get other bits. */
#define _GNU_SOURCE
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#ifdef __aarch64__
#include <sys/prctl.h>
#endif
#include <sys/stat.h>
#include <unistd.h>

#include "device/device_private.h"

enum { MOST_ARGUMENTS = 48 + COMPILE_MOST_SOURCES, SAID = 600 };

/* Flags for CUDA C++ on the host, in addition to `flags`. Kernels read vectors from
 * arrays, so strict aliasing is off; GPUs allow this at aligned addresses. Kernels use no
 * exceptions and no run-time types. Beyond an array or at a misaligned address the
 * processor traps. */
static const char *const cxx_flags[] = {
    "-std=c++17",
    "-fno-strict-aliasing",
    "-fno-exceptions",
    "-fno-rtti",
    "-fvisibility=hidden",
    "-fsanitize=alignment,bounds",
    "-fsanitize-undefined-trap-on-error",
    "-Wl,--as-needed",
};
static const char *const c_flags[] = {"-std=gnu11"};

static const struct {
    const char *ending, *variable, *name, *usual, *looked_for, *otherwise;
    const char *const *flags;
    size_t count;
} languages[] = {
    [LANGUAGE_C] = {".c", "PAV_CC", "C compiler", "gcc", "cc, gcc and clang",
                    "use --device interpreter", c_flags, COUNT_OF(c_flags)},
    [LANGUAGE_CXX] = {".cpp", "PAV_CXX", "C++ compiler", "g++", "c++, g++ and clang++",
                      "use another device", cxx_flags, COUNT_OF(cxx_flags)},
};

#define NO_BUILTIN(NAME, word, ...) "-fno-builtin-" #word,
#define NO_BUILTIN_F(NAME, word, ...) "-fno-builtin-" #word "f",
static const char *const flags[] = {
#if defined(__x86_64__) || defined(__i386__)
    "-march=native",
    "-mprefer-vector-width=512",
#else
    "-mcpu=native",
#endif
    "-ffp-contract=off",
    "-fno-math-errno",
    "-fno-trapping-math",
    LIBRARY_FUNCTION_LIST(NO_BUILTIN) "-fno-builtin-pow",
    LIBRARY_FUNCTION_LIST(NO_BUILTIN_F) "-fno-builtin-powf",
    "-w",
    "-fPIC",
    "-shared",
};

/* The flag for this processor's SVE vectors if they are longer than NEON's; else NULL. */
static const char *vector_flag(void)
{
#if defined __aarch64__ && defined PR_SVE_GET_VL
    const int bytes = prctl(PR_SVE_GET_VL);
    if (bytes > 0 && (bytes & PR_SVE_VL_LEN_MASK) == 32)
        return "-msve-vector-bits=256";
    if (bytes > 0 && (bytes & PR_SVE_VL_LEN_MASK) == 64)
        return "-msve-vector-bits=512";
#endif
    return NULL;
}

static const char *level(bool quick)
{
    return quick ? "-O0" : "-O3";
}

const char *compiler_ending(const compiler *c)
{
    return languages[c->language].ending;
}

/* ---- finding one ------------------------------------------------------------------- */

static bool can_be_started(const char *path)
{
    struct stat s;

    return stat(path, &s) == 0 && S_ISREG(s.st_mode) && access(path, X_OK) == 0;
}

static bool find_on_path(const char *name, char found[HOST_TEXT])
{
    const char *path = getenv("PATH");

    while (path && *path) {
        const int length = (int)strcspn(path, ":");
        const int size = snprintf(found, HOST_TEXT, "%.*s/%s", length, path, name);
        if (length > 0 && size < HOST_TEXT && can_be_started(found))
            return true;
        path += length + (path[length] == ':');
    }
    found[0] = '\0';
    return false;
}

bool host_find_compiler(language l, char found[HOST_TEXT])
{
    static const char *const names[][3] = {{"cc", "gcc", "clang"},
                                           {"c++", "g++", "clang++"}};
    const char *requested = getenv(languages[l].variable);

    if (requested && *requested && !strchr(requested, '/'))
        return find_on_path(requested, found);
    if (requested && *requested) {
        const int size = snprintf(found, HOST_TEXT, "%s", requested);
        return size < HOST_TEXT && can_be_started(found);
    }
    for (size_t i = 0; i < COUNT_OF(names[l]); i++)
        if (find_on_path(names[l][i], found))
            return true;
    return false;
}

bool host_has_compiler(language l, const char **why)
{
    static _Thread_local char said[COUNT_OF(languages)][HOST_TEXT];
    const char *variable = languages[l].variable, *name = languages[l].name;
    const char *named = getenv(variable);
    char path[HOST_TEXT];

    if (named && *named)
        (void)snprintf(said[l], sizeof said[l],
                       "%s is '%.400s', which is no program that can be started; give "
                       "the path of a %s alone, or unset it",
                       variable, named, name);
    else
        (void)snprintf(said[l], sizeof said[l],
                       "there is no %s; install %s or clang, or name one in %s", name,
                       languages[l].usual, variable);
    *why = said[l];
    return images_target(".so") || host_find_compiler(l, path);
}

pav_status compiler_find(language l, compiler *c)
{
    const char *variable = languages[l].variable, *name = languages[l].name;
    const char *named = getenv(variable);
    const char *otherwise = languages[l].otherwise;

    c->language = l;
    c->seconds = settings_compiler_seconds();
    if (host_find_compiler(l, c->path))
        return PAV_OK;
    if (named && *named)
        return FAIL(PAV_EDEVICE,
                    "%s is '%s', which is no program that can be started; give the path "
                    "of a %s alone, or %s",
                    variable, named, name, otherwise);
    return FAIL(PAV_EDEVICE,
                "there is no %s on PATH (looked for %s): install one, name one in %s, or "
                "%s",
                name, languages[l].looked_for, variable, otherwise);
}

static void hash_flags(hash *h, const char *const *flag, size_t count)
{
    for (size_t k = 0; k < count; k++)
        hash_add(h, flag[k], (int64_t)strlen(flag[k]) + 1);
}

/* Identifies the compiler without starting it. A replaced compiler changes its file's
 * contents, be it older or newer. A file too large or not readable is identified by its
 * size and time. */
static void hash_file(const char *path, hash *h)
{
    enum { MOST_BYTES = 1 << 26 };
    struct stat s;
    char *bytes = NULL;
    int64_t length = 0;

    if (stat(path, &s) != 0)
        return;
    if (s.st_size <= MOST_BYTES && access(path, R_OK) == 0 &&
        file_read(path, MOST_BYTES, &bytes, &length) == PAV_OK) {
        hash_add(h, bytes, length);
        mem_free(bytes);
        return;
    }
    const int64_t about[] = {(int64_t)s.st_size, s.st_mtim.tv_sec, s.st_mtim.tv_nsec};
    hash_add(h, about, sizeof about);
}

void compiler_hash(const compiler *c, bool quick, hash *h)
{
    const char *vectors = vector_flag();

    hash_file(c->path, h);
    hash_add(h, c->path, (int64_t)strlen(c->path) + 1);
    hash_add(h, level(quick), 3);
    hash_flags(h, flags, COUNT_OF(flags));
    hash_flags(h, &vectors, vectors != NULL);
    hash_flags(h, languages[c->language].flags, languages[c->language].count);
}

/* ---- running it -------------------------------------------------------------------- */

/* Quotes the end of the compiler's output, because errors come last. */
static pav_status failed(const compiler *c, const char *how, process_result *r)
{
    size_t length = strlen(r->said);

    while (length > 0 && r->said[length - 1] == '\n')
        r->said[--length] = '\0';
    const char *shown = r->said + (length > SAID ? length - SAID : 0);
    return FAIL(PAV_EDEVICE, "the compiler %s %s%s; name another in %s, or %s%s%s",
                c->path, how, *shown ? "" : " and said nothing",
                languages[c->language].variable, languages[c->language].otherwise,
                *shown ? "; it said\n" : "", shown);
}

static bool is_there(const compile_job *job)
{
    char path[2 * CACHE_PATH];

    (void)snprintf(path, sizeof path, "%s/%s", job->scratch, job->made);
    return access(path, R_OK) == 0;
}

static pav_status verdict(const compiler *c, const compile_job *job, process_result *r)
{
    const char *variable = languages[c->language].variable;
    const char *otherwise = languages[c->language].otherwise;
    char how[HOST_TEXT];

    switch (r->end) {
    case PROCESS_DONE: return is_there(job) ? PAV_OK : failed(c, "left no kernels", r);
    case PROCESS_FAILED: return failed(c, "failed on the kernels", r);
    case PROCESS_KILLED:
        (void)snprintf(
            how, sizeof how, "was ended by signal %d (%s)%s", r->code, strsignal(r->code),
            r->code == SIGKILL ? ", as systems do that run out of memory" : "");
        return failed(c, how, r);
    case PROCESS_LATE:
        return FAIL(PAV_EDEVICE,
                    "the compiler %s did not end within %g s and was stopped; allow more "
                    "with PAV_CC_SECONDS, name another in %s, or %s",
                    c->path, c->seconds, variable, otherwise);
    case PROCESS_LOUD:
        return FAIL(PAV_EDEVICE,
                    "the compiler %s printed more than 64 MiB and was stopped; name "
                    "another in %s, or %s",
                    c->path, variable, otherwise);
    case PROCESS_ENDED:
        return FAIL(PAV_EINTERRUPTED, "the compiler %s was stopped, as asked", c->path);
    case PROCESS_NONE: break;
    }
    return FAIL(PAV_EDEVICE,
                "the compiler %s could not be started; name another in %s, or %s",
                c->path, variable, otherwise);
}

pav_status compiler_refuse(const compiler *c, const char *why)
{
    return FAIL(
        PAV_EDEVICE,
        "what the compiler %s made cannot be loaded: %s; name another in %s, or %s",
        c->path, why, languages[c->language].variable, languages[c->language].otherwise);
}

/* Makes the compiler's path absolute, because it is started in another directory. */
static const char *from_anywhere(const char *path, char whole[CACHE_PATH])
{
    char here[CACHE_PATH / 2];

    if (path[0] == '/' || !getcwd(here, sizeof here))
        return path;
    (void)snprintf(whole, CACHE_PATH, "%s/%s", here, path);
    return whole;
}

pav_status compiler_run(const compiler *c, const compile_job *job)
{
    const char *argument[MOST_ARGUMENTS];
    char whole[CACHE_PATH];
    int count = 0;
    process_result *r = mem_new(1, sizeof *r);

    if (!r)
        return PAV_ENOMEM;
    argument[count++] = from_anywhere(c->path, whole);
    argument[count++] = level(job->quick);
    for (size_t k = 0; k < languages[c->language].count; k++)
        argument[count++] = languages[c->language].flags[k];
    for (size_t k = 0; k < COUNT_OF(flags); k++)
        argument[count++] = flags[k];
    if (vector_flag())
        argument[count++] = vector_flag();
    argument[count++] = "-o";
    argument[count++] = job->made;
    for (int k = 0; k < job->sources; k++)
        argument[count++] = job->source[k];
    argument[count++] = job->object ? "-c" : "-lm";
    argument[count] = NULL;
    process_run(argument, job->scratch, c->seconds, r);
    const pav_status status = verdict(c, job, r);
    mem_free(r);
    return status;
}
