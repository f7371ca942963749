/* SPDX-License-Identifier: BSD-3-Clause */
/* What the files of device share among themselves. */
#ifndef DEVICE_DEVICE_PRIVATE_H
#define DEVICE_DEVICE_PRIVATE_H

#include <pthread.h>

#include "device/device.h"

extern const device_ops interpreter_device, cpu_device, cuda_device, emulated_device;

/* One by its name (device.c), and several (device_list.c). */
pav_status device_open_one(const char *name, pav_device **device);
bool device_is_list(const char *name);
pav_status device_open_list(const char *name, pav_device **device);

/* How a GPU does what device.h says of gpu_...; gpu.c and gpu_kernel.c check arguments,
 * count memory and give back what is left of it, and of modules, before `close`. */
enum { GPU_NAME = 64 };
struct gpu_module {
    gpu *owner;
    gpu_module *next;        /* of those that are open */
    gpu_constant *constants; /* that were asked for */
};
struct gpu_kernel {
    gpu_module *module;
    gpu_kernel_facts facts;
    char name[GPU_NAME]; /* for messages; set by gpu_module_find */
};
typedef struct gpu_graph gpu_graph; /* launches in their order, which a device knows */
typedef struct gpu_ops {
    /* Of devices that are numbered, else NULL: how many there are; what one is, though it
     * is not open, and whether it can be used, else why not; what runs them, for
     * doctor. */
    int (*count)(void);
    bool (*describe)(int number, gpu_facts *facts, const char **why);
    void (*versions)(text *t);
    pav_status (*open)(int number, gpu **result); /* with its facts */
    void (*close)(gpu *g);
    int64_t (*free_memory)(const gpu *g);
    pav_status (*take)(gpu *g, int64_t bytes, void **memory); /* PAV_ENOMEM: none left */
    void (*give)(gpu *g, void *memory);
    pav_status (*fill)(gpu *g, void *memory, int byte, int64_t bytes);
    pav_status (*upload)(gpu *g, void *to, const void *from, int64_t bytes);
    pav_status (*download)(gpu *g, void *to, const void *from, int64_t bytes);
    pav_status (*copy)(gpu *g, void *to, const void *from, int64_t bytes);
    pav_status (*exchange)(gpu *g, const gpu_transfer *list, int64_t count);
    /* The times of an exchange, which may be an earlier one, go to exchange_note. */
    pav_status (*exchanged)(gpu *g);
    /* Optional: the times of those that were not reported yet. */
    void (*exchange_rest)(gpu *g);
    pav_status (*pin)(gpu *g, void *here, int64_t bytes);
    void (*unpin)(gpu *g, void *here);
    pav_status (*compile)(gpu *g, const char *source, int64_t length, unsigned how,
                          gpu_module **result);
    void (*discard)(gpu_module *m);
    const char *(*note)(const gpu_module *m);
    gpu_kernel *(*find)(gpu_module *m, const char *name);
    /* NULL: there is none, or it has fewer bytes. */
    void *(*constant)(gpu_module *m, const char *name, int64_t bytes);
    /* GPU_SEND bytes at most, to memory or a constant, in the order of work; returns at
     * once. */
    pav_status (*send)(gpu *g, void *to, const void *from, int64_t bytes);
    pav_status (*launch)(gpu *g, const gpu_call *call);
    /* Optional: kernels that read the memory of another GPU with the same operations. */
    bool (*reads)(gpu *g, gpu *other);
    pav_status (*launch_reading)(gpu *g, gpu *other, const gpu_call *call);
    /* Optional: a second queue. */
    pav_status (*concurrent)(gpu *g, gpu_concurrent_step step);
    pav_status (*join)(gpu *g, gpu *other);
    /* For a library that queues work with `memory` (or NULL) by itself: calls of this
     * thread are for this GPU until `leave`, and its present queue. */
    pav_status (*enter)(gpu *g, void *memory, void **stream);
    void (*leave)(gpu *g);
    int64_t (*cooperative_blocks)(const gpu_kernel *k, int threads, int64_t shared);
    pav_status (*wait)(gpu *g);
    pav_status (*mark)(gpu *g, int mark);
    pav_status (*seconds)(gpu *g, int from, int to, double *seconds);
    /* Of what has a tensor memory accelerator: why it cannot be used all the same, or
     * NULL. */
    const char *(*no_tensors)(const gpu *g);
    pav_status (*map_tensor)(gpu *g, const gpu_tensor_region *part, gpu_map *map);
    /* Optional: launches, all made before, to be made again in one go. */
    pav_status (*record)(gpu *g, const gpu_call *call, int64_t count, gpu_graph **result);
    pav_status (*replay)(gpu *g, gpu_graph *graph);
    void (*forget)(gpu *g, gpu_graph *graph);
} gpu_ops;

/* Launches that wait, and rounds of them that were seen before (gpu_rounds.c). */
enum { GPU_TAPES = 64 };
typedef struct gpu_tape {
    char *bytes;
    int64_t length, launches;
    gpu_graph *graph; /* or NULL: seen once */
    int64_t used;     /* the larger, the later */
} gpu_tape;
typedef struct gpu_tapes {
    bool open, off;
    gpu_tape now;             /* what waits */
    int64_t room, steps;      /* bytes; steps that ended in it */
    int64_t clock, strangers; /* strangers: rounds in a row that were never seen before */
    gpu_tape tape[GPU_TAPES];
    gpu_counts counts;
} gpu_tapes;
pav_status gpu_check_call(const gpu *g, const gpu_call *call); /* gpu_kernel.c */
pav_status rounds_add(gpu *g, const gpu_call *call);
pav_status rounds_flush(gpu *g); /* what waits goes out: before anything else is asked */
void rounds_forget(gpu *g);      /* nothing was seen, nothing waits */

/* What launches take by reference (gpu_argument_ring.c). */
enum { GPU_SEND = 256 << 10 };
typedef struct gpu_argument_ring {
    char *there, *here; /* on the GPU, and what was put there, or shall be */
    int64_t at, known;  /* the next place; bytes of `here` that were ever put */
    int64_t lo, hi;     /* of `here`, that are not there yet */
} gpu_argument_ring;
pav_status argument_ring_send(gpu *g); /* what is not there yet: before any launch */
void argument_ring_begin(gpu *g);      /* no launch waits for what is there */
void argument_ring_close(gpu *g);
void constants_close(gpu_module *m);

/* Times of exchanges (gpu_exchange.c). */
typedef struct gpu_exchanges {
    bool open;
    gpu_exchange_time *time;
    int64_t count, room;
} gpu_exchanges;
void exchange_note(gpu *g, gpu_exchange_time t);
void exchanges_close(gpu *g);
pav_status gpu_check_range(const gpu *g, const void *memory, int64_t bytes); /* gpu.c */

struct gpu {
    const gpu_ops *ops;
    gpu_facts facts;
    char name[GPU_NAME];      /* "cuda:0" */
    struct gpu_piece *pieces; /* memory that is taken */
    gpu_module *modules;
    int64_t used, peak; /* bytes taken; the most there ever were */
    gpu_tapes rounds;
    gpu_argument_ring ring;
    gpu_exchanges exchanges;
};

/* What the system says of this machine (host.c); 0 and "" where it does not say. */
enum { MAX_CACHES = 8, CACHE_NAME = 16, HOST_TEXT = 1024 };
typedef struct cache_info {
    char name[CACHE_NAME]; /* "L1d", "L2" */
    int64_t bytes;
    int shared_by; /* logical processors */
} cache_info;
typedef struct host_info {
    char model[HOST_TEXT];
    char compiler[HOST_TEXT]; /* path of the first of cc, gcc, clang on PATH */
    int processors;           /* that this process may use */
    int64_t memory, available;
    bool avx2, fma, avx512f;
    int caches;
    cache_info cache[MAX_CACHES];
} host_info;
void host_describe(host_info *h);
/* What the system says of its caches, and host_cache, with the files of the system looked
 * for under `root`. */
int host_caches_under(const char *root, cache_info cache[MAX_CACHES]);
int64_t host_cache_under(const char *root, int level);
int host_cache_sharers_under(const char *root);
/* C: $PAV_CC, a path or a name on PATH, or else the first of cc, gcc, clang; C++:
 * $PAV_CXX, or else the first of c++, g++, clang++ (host.c). */
typedef enum language { LANGUAGE_C, LANGUAGE_CXX } language;
bool host_find_compiler(language l, char found[HOST_TEXT]);
/* Model and features of the processor, on which -march=native depends. */
void host_hash_processor(hash *h);

/* Seconds that each compiler takes for a small kernel (doctor_compile.c). */
void doctor_compile(text *t);
void doctor_compile_json(text *t);
/* Lines below that of a device, and members of its JSON object (doctor_gpus.c). */
void doctor_gpus(text *t, const device_ops *o);
void doctor_gpus_json(text *t, const device_ops *o);
/* A line, and members of the JSON object: processor_limit 0 where control groups set none
 * (doctor_topology.c). */
void doctor_topology(text *t);
void doctor_topology_json(text *t);

/* ---- the environment (host_settings.c) --------------------------------------------- */

/* PAV_EINVAL and a sentence for a value of $PAV_THREADS, $PAV_CC_SECONDS,
 * $PAV_CACHE_SIZE, $PAV_GPU_GRAPHS or $PAV_EMULATED_ORDER that cannot be read; the others
 * then give the default. */
pav_status settings_check(void);
int settings_threads(void); /* 0: not set */
double settings_compiler_seconds(void);
int64_t settings_cache_bytes(void);
bool settings_graphs(void); /* $PAV_GPU_GRAPHS is not 0 */
/* $PAV_EMULATED_PEERS: pairs that read each other's memory, as in 0-2,1-3; or all do */
bool settings_emulated_peers(int number, int other);
uint64_t settings_emulated_order(void); /* $PAV_EMULATED_ORDER: another, another order */

/* ---- processors (host_cpus.c, host_bind.c) ----------------------------------------- */

enum { HOST_MOST_CPUS = 1024 };
/* That the caller may use, or could before it was bound; none where the system does not
 * say. */
int host_allowed_cpus(int cpu[HOST_MOST_CPUS]);
int host_usable_cpus(void); /* how many */
int host_cpu_limit(void);   /* processors_allowed, when first asked */
/* Of the processors that the caller may use; zeros where the system does not say. */
typedef struct host_topology {
    int nodes, cores, processors; /* nodes: NUMA */
    int node;                     /* the only one; -1: there are several */
} host_topology;
host_topology host_find_topology(void);
/* The best of them for so many threads, or all; gives the number of cores that they
 * belong to, and 0 when memory runs out. */
int host_choose_cpus(int threads, int *cpu);
/* The same of a machine that such a folder as /sys/devices/system is of. */
int host_choose_cpus_of(const char *system, const int *allowed, int count, int threads,
                        int *cpu);
/* Takes the next numbers from a list such as "0-3,8-11". */
bool host_next_range(const char **list, int *first, int *last);

typedef struct cpu_mask {
    unsigned char bit[HOST_MOST_CPUS / 8];
} cpu_mask;
/* Where the caller was allowed to run before it was bound. */
typedef struct seat {
    cpu_mask before;
    bool taken, outermost;
} seat;
bool seat_take(seat *s, int cpu); /* false: the system refuses */
void seat_leave(seat *s);
void host_thread_loosen(pthread_t thread);

/* team_watch.c. Zeros at first. */
typedef struct team_watch {
    int works; /* of the present window, and seconds of the caller in them */
    double work, wait;
    bool loosen;         /* threads should not be bound any more */
    double pause, until; /* the caller works alone until then; 0: the team pays */
    int alone;           /* times that it has begun to */
} team_watch;
void team_watch_note(team_watch *w, int threads, bool bound, double work, double wait,
                     double now);

/* host_jobs.c. Whether the work is stopped of which the calling thread does a piece. */
bool host_jobs_stopped(void);

/* ---- programs that are started (host_process.c) ------------------------------------ */

typedef enum process_end {
    PROCESS_DONE,
    PROCESS_FAILED, /* with an exit code that is not 0 */
    PROCESS_KILLED, /* by a signal */
    PROCESS_LATE,   /* and was stopped */
    PROCESS_LOUD,   /* printed without end, and was stopped */
    PROCESS_ENDED,  /* since the work is stopped that it belongs to */
    PROCESS_NONE    /* could not be started */
} process_end;
enum { PROCESS_TAIL = 4096 };
typedef struct process_result {
    process_end end;
    int code;                /* its exit code, or the signal */
    char said[PROCESS_TAIL]; /* the end of what it printed */
} process_result;
/* Starts a program by its path and arguments, no shell between, and waits for it; when
 * `seconds` have passed it is killed, with all that it started. It works in the directory
 * `scratch`, where its temporary files are, too. */
void process_run(const char *const *argument, const char *scratch, double seconds,
                 process_result *r);

/* ---- the compiler (host_compiler.c) ------------------------------------------------ */

typedef struct compiler {
    language language;
    char path[HOST_TEXT];
    double seconds; /* that it may take: $PAV_CC_SECONDS, or 300 */
} compiler;
enum { COMPILE_MOST_SOURCES = 16 };
typedef struct compile_job {
    const char *const *source; /* names of files ... */
    int sources;
    const char *made;    /* ... and of what is made of them ... */
    const char *scratch; /* ... in this directory */
    bool object;         /* to be linked with others */
    bool quick;          /* compile fast rather than make fast kernels */
} compile_job;
pav_status compiler_find(language l, compiler *c);
const char *compiler_ending(const compiler *c); /* of the names of its files: ".c" */
/* Adds what its results depend on: path, size, time and number of its file, and flags. */
void compiler_hash(const compiler *c, bool quick, hash *h);
/* Makes the shared object, or an object. */
pav_status compiler_run(const compiler *c, const compile_job *job);
/* The failure of what it made, and what to do. */
pav_status compiler_refuse(const compiler *c, const char *why);
/* host_module_open is this for C. */
pav_status module_open(language l, const char *source, int64_t length, unsigned how,
                       host_module **module);

/* ---- the cache (host_cache.c) ------------------------------------------------------ */

enum { CACHE_PATH = 4096, CACHE_NOTE = 4 * 4096 };
/* `place`: the directory that the user names; `path`: Pavior's own in it, for kernels, of
 * this user alone. `work`: one inside of that for this process, while it compiles; where
 * there is no place to keep kernels in, a temporary one, and `note` says why. */
typedef struct kernel_cache {
    char place[CACHE_PATH], path[CACHE_PATH + 16], work[CACHE_PATH];
    bool lasting;
    int owned; /* `work`, locked, which signals to others that it is in use; or -1 */
    char note[CACHE_NOTE];
} kernel_cache;
void cache_open(kernel_cache *c);
pav_status cache_begin_work(kernel_cache *c);
void cache_end_work(kernel_cache *c); /* removes the working directory */
/* From here on without a place to keep anything, for a reason. */
void cache_give_up(kernel_cache *c, const char *why);
/* Of what failed in the working directory: PAV_EIO, with what is free, where the disk is
 * nearly full; else `status`. */
pav_status cache_blame_disk(const kernel_cache *c, pav_status status);
/* Waits until nobody else makes `object`, but not for ever: a lock, or -1. */
int cache_lock(const char *object, double seconds);
void cache_unlock(const char *object, int lock);

/* ---- directories that Pavior made (host_mark.c) ------------------------------------ */

bool mark_is_there(int directory);
/* Makes one with the mark in it, its name by mkdtemp: open, or -1 with errno set. */
int mark_make(char *path);
/* One of this very name, unless it is there by now; false with errno set. */
bool mark_make_named(const char *path);
/* Removes the files in it where it has the mark; then the directory, if it is empty. */
bool mark_remove(int parent, const char *entry, int directory);

/* ---- what lies in it (host_kept.c, host_seal.c, host_prune.c) ---------------------- */

/* How something is made of a text, and loaded from a file: `of` is the caller's. What is
 * kept has its seal behind its end, which a loader must not mind. */
typedef struct cache_maker {
    const char *ending; /* of the file's name; host_prune.c knows all */
    void (*describe)(const void *of, hash *h); /* its source, and what it is made for */
    void (*compiled_by)(const void *of, hash *h); /* and whatever else it depends on */
    void (*target)(const void *of, text *t);      /* what it is made for, as a word */
    /* Makes the file `made`, in the directory for work. PAV_EIO: somewhere else it may
     * succeed. */
    pav_status (*make)(void *of, const char *work, const char *made);
    pav_status (*load)(void *of, const char *path);
} cache_maker;
/* Opens the cache and loads what lies there, or makes it, which others wait for, and,
 * with HOST_KEEP, leaves it there. how: HOST_FIND, too; `seconds`: that making may
 * take. */
pav_status cache_load(kernel_cache *c, const cache_maker *maker, unsigned how,
                      double seconds, void *of);

/* host_images.c: kernels that were compiled before. What is loaded is put into the list
 * that records, with whether it could be read; of those that are offered, one by its key,
 * any where that is NULL, or NULL; the target of the first. */
void images_put(pav_status status, kernel_image *i); /* takes its bytes */
const kernel_image *images_find(const char *key, const char *kind);
const char *images_target(const char *kind);
void host_target(text *t); /* host_images_check.c */
/* Loads one of those; *found: whether any are offered, which then alone are loaded. */
pav_status cache_load_image(kernel_cache *c, const cache_maker *maker, void *of,
                            bool *found);

/* A whole file; PAV_EIO and a sentence where that fails. */
pav_status cache_write(const char *path, const void *bytes, int64_t length);
/* An object is sealed by its length, its hash and that of the name that it shall have, at
 * the file's end, which loaders do not mind; so one rename puts both in place. */
pav_status cache_seal(const char *object, const char *name);
/* Whether it is whole, has its own name, and is of this user alone. */
bool cache_is_sealed(const char *object);
/* Whether such a seal is at the end of a file of this user, without reading the rest. */
bool cache_has_seal(int directory, const char *entry);
/* Removes what processes left behind that were ended while they compiled: marked
 * directories whose names are the prefix and six characters, and empty locks of
 * objects. */
void cache_tidy(const char *path, const char *prefix);
/* Removes sealed objects: those that were not used for the longest time, but never
 * `newest`, until all are within $PAV_CACHE_SIZE. */
void cache_prune(kernel_cache *c, const char *newest);

#endif
