/* SPDX-License-Identifier: BSD-3-Clause */
/* device: the machines a computation can run on. Knows bytes and names, no stencil.
 * A device is one file and one line in the table of device.c. */
#ifndef DEVICE_DEVICE_H
#define DEVICE_DEVICE_H

#include "base/base.h"

typedef struct device_ops {
    const char *name;  /* as users write it, before any ":number" */
    const char *about; /* one line for doctor */
    /* True when usable here; otherwise *why says what is missing and what to do (static text). */
    bool (*present)(const char **why);
    int rank;      /* "auto" takes the highest that is present */
    bool compiled; /* runs C that the host's compiler makes (host_module_open) */
} device_ops;

struct pav_device {
    const device_ops *ops;
    char name[64];
    bool automatic;      /* asked for as "auto": another may stand in where it fails */
    const char *lacking; /* of "auto": why nothing faster was taken; or NULL */
};

extern const device_ops *const device_table[]; /* NULL-terminated */

/* Cores, memory, caches and compilers of the host, and libraries found: for doctor. */
void doctor_text(bool json, text *t);

/* ---- optional libraries (library.c) ------------------------------------------------------- */

/* Looked for at run time; `use` says what for, `get` how to install it. */
typedef struct optional_library {
    const char *name, *use, *get;
    bool used;            /* by this version */
    const char *files[9]; /* tried in turn */
} optional_library;
extern const optional_library library_table[]; /* ends with one without a name */
/* What dlopen gives, and the file that it was; NULL when there is none. */
void *library_open(const char *name, const char **file);

/* ---- compiled kernels (host_module.c) ------------------------------------------------------ */

/* C made into a shared object by the system's compiler and loaded; or taken from the cache, when the
 * same text was compiled before by the same compiler for the same processor. */
typedef struct host_module host_module;
enum {
    HOST_KEEP = 1, /* for the next time */
    HOST_QUICK = 2 /* compile fast rather than make fast kernels: for checks */
};
pav_status host_module_open(const char *source, int64_t length, unsigned how,
                            host_module **module);
void host_module_close(host_module *module);
typedef void host_function(void); /* to be cast to what the source says */
host_function *host_module_find(const host_module *module, const char *name);
/* What the user should know: why the result could not be kept, or has no threads; or "". */
const char *host_module_note(const host_module *module);

int host_threads(void); /* $OMP_NUM_THREADS, or all processors of this process */
/* Bytes of the cache of a level, or (0) of the largest; 0 when the system does not say. */
int64_t host_cache(int level);
/* Bytes of all caches together, the first level aside, that so many threads may use between them. */
int64_t host_caches(int threads);

/* ---- copying (host_copy.c) ---------------------------------------------------------------- */

/* Two arrays beyond the caches, and threads that copy one to the other, past the caches where that is
 * possible: the rate that bounds every kernel which reads a point and writes one. */
enum { HOST_MOST_THREADS = 1024 };
typedef struct host_copy host_copy;
pav_status host_copy_open(int threads, host_copy **result);
void host_copy_close(host_copy *c);
double host_copy_pass(host_copy *c); /* bytes per second, read and written */

#endif
