/* SPDX-License-Identifier: BSD-3-Clause */
/* Common kernels that come with the installation, so that a first run needs no compiler.
 * There is one object for each level of x86-64, with a seal. The name of a function is
 * the hash of its text: a kernel of another text is not found. The variable
 * INSTALLED_FACTS holds the number of kernels, and the hash of the text common to all
 * kernels. For GPUs there is a folder for each architecture; its files are those of the
 * cache, and their names are the keys of bundles: other versions of the compiler find
 * them, too. */
#include <dirent.h>
#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "device/device_private.h"

/* ---- levels ------------------------------------------------------------------------ */

const char *const installed_flags[] = {
#ifdef __x86_64__
    "-march=x86-64-v3", "-march=x86-64-v4",
#endif
    NULL};

int installed_level(void)
{
#ifdef __x86_64__
    const bool v3 = HAS_AVX2 && __builtin_cpu_supports("bmi") &&
                    __builtin_cpu_supports("bmi2"),
               v4 = v3 && __builtin_cpu_supports("avx512f") &&
                    __builtin_cpu_supports("avx512bw") &&
                    __builtin_cpu_supports("avx512cd") &&
                    __builtin_cpu_supports("avx512dq") &&
                    __builtin_cpu_supports("avx512vl");
    return v3 + v4 - 1;
#else
    return -1;
#endif
}

/* ---- objects ----------------------------------------------------------------------- */

typedef struct installed {
    void *loaded;
    const int64_t *facts; /* NULL: there are no kernels */
    char note[2 * CACHE_PATH + 128];
} installed;

bool installed_path(const char *name, char path[2 * CACHE_PATH])
{
    const char *folder = getenv("PAV_KERNELS");
    char own_name[IMAGE_TARGET + IMAGE_KEY + 64];

    (void)snprintf(own_name, sizeof own_name, "pavior/kernels/%s", name);
    (void)snprintf(path, 2 * CACHE_PATH, "%.*s/%s", CACHE_PATH, folder ? folder : "",
                   name);
    return folder && *folder ? access(path, R_OK) == 0 : library_own(own_name, path);
}

static void open_level(int level, installed *i)
{
    char name[64], path[2 * CACHE_PATH];

    (void)snprintf(name, sizeof name, "%s.kernels",
                   strchr(installed_flags[level], '=') + 1);
    *i = (installed){.loaded = NULL};
    if (!installed_path(name, path))
        return;
    i->loaded = cache_has_seal(path) ? dlopen(path, RTLD_NOW | RTLD_LOCAL) : NULL;
    i->facts = i->loaded ? dlsym(i->loaded, INSTALLED_FACTS) : NULL;
    if (!i->facts)
        (void)snprintf(i->note, sizeof i->note,
                       "the installed kernels %s are damaged, or of another level, and "
                       "are not used: install Pavior again",
                       path);
}

static installed own;

static void open_own(void)
{
    const int level = installed_level();

    if (level >= 0)
        open_level(level, &own);
}

static const installed *own_kernels(void)
{
    static pthread_once_t opened = PTHREAD_ONCE_INIT;

    (void)pthread_once(&opened, open_own);
    return &own;
}

void *installed_find(const char *name)
{
    return own_kernels()->facts ? dlsym(own.loaded, name) : NULL;
}

bool installed_kernel(const text_pieces *all, int64_t piece)
{
    return installed_find(all->piece[piece].name) &&
           (uint64_t)own.facts[1] == all->common;
}

const char *installed_note(void)
{
    return own_kernels()->note;
}

bool host_pieces_are_installed(const text_pieces *all)
{
    bool there = own_kernels()->facts;

    for (int64_t k = 0; k < all->count; k++)
        there = there && (all->piece[k].once || installed_kernel(all, k));
    return there;
}

/* ---- for doctor -------------------------------------------------------------------- */

int64_t installed_count(int level)
{
    installed i;

    open_level(level, &i);
    return i.facts ? i.facts[0] : 0;
}

const char *const installed_gpus[] = {"sm_80", "sm_90", "sm_100", NULL};
