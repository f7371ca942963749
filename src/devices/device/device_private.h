/* SPDX-License-Identifier: BSD-3-Clause */
/* Declarations shared by the files of src/devices/device. */
#ifndef DEVICE_DEVICE_PRIVATE_H
#define DEVICE_DEVICE_PRIVATE_H

#include <pthread.h>
#include <stdatomic.h>

#include "device/device.h"

extern const device_ops interpreter_device, cpu_device, cuda_device, emulated_device;

/* True if `bytes` bytes from `memory` on lie within a block of `size` bytes. */
static inline bool block_holds(const void *block, int64_t size, const void *memory,
                               int64_t bytes)
{
    const uintptr_t begin = (uintptr_t)block, at = (uintptr_t)memory;

    return at >= begin && at - begin <= (uintptr_t)size &&
           bytes <= size - (int64_t)(at - begin);
}

/* The operations of one kind of GPU; device.h describes them. gpu.c and gpu_kernel.c
 * check arguments and count memory. Before `close` they free all remaining memory and
 * modules. */
enum { GPU_NAME = 64 };
struct gpu_module {
    gpu *owner;
    gpu_module *next;        /* Next open module. */
    gpu_constant *constants; /* Constants found by gpu_module_constant. */
};
struct gpu_kernel {
    gpu_module *module;
    gpu_kernel_facts facts;
    char name[GPU_NAME]; /* For messages; gpu_module_find sets it. */
};
typedef struct gpu_graph gpu_graph; /* Recorded launches in a form of the device. */
typedef struct gpu_ops {
    /* Numbered devices only, else NULL. `count`: number of GPUs. `describe`: facts of a
     * GPU without opening it; false and the reason if it is not usable. `versions`: the
     * software versions for doctor. */
    int (*count)(void);
    bool (*describe)(int number, gpu_facts *facts, const char **why);
    void (*versions)(text *t);
    pav_status (*open)(int number, gpu **result); /* Also fills the facts. */
    void (*close)(gpu *g);
    int64_t (*free_memory)(const gpu *g);
    /* PAV_ENOMEM: out of memory. */
    pav_status (*take)(gpu *g, int64_t bytes, void **memory);
    void (*give)(gpu *g, void *memory);
    pav_status (*fill)(gpu *g, void *memory, int byte, int64_t bytes);
    pav_status (*upload)(gpu *g, void *to, const void *from, int64_t bytes);
    pav_status (*download)(gpu *g, void *to, const void *from, int64_t bytes);
    pav_status (*copy)(gpu *g, void *to, const void *from, int64_t bytes);
    pav_status (*exchange)(gpu *g, const gpu_transfer *list, int64_t count);
    /* Ends the exchange. Passes the times of this or an earlier exchange to
     * exchange_note. */
    pav_status (*exchanged)(gpu *g);
    /* Optional: passes the times of all exchanges not yet reported. */
    void (*exchange_rest)(gpu *g);
    pav_status (*pin)(gpu *g, void *here, int64_t bytes);
    void (*unpin)(gpu *g, void *here);
    pav_status (*compile)(gpu *g, const char *source, int64_t length, unsigned how,
                          gpu_module **result);
    void (*discard)(gpu_module *m);
    const char *(*note)(const gpu_module *m);
    gpu_kernel *(*find)(gpu_module *m, const char *name);
    /* NULL if there is no such constant, or it has fewer bytes. */
    void *(*constant)(gpu_module *m, const char *name, int64_t bytes);
    /* Copies at most GPU_SEND bytes to memory or a constant in the order of work. Returns
     * at once. */
    pav_status (*send)(gpu *g, void *to, const void *from, int64_t bytes);
    pav_status (*launch)(gpu *g, const gpu_call *call);
    /* Optional: kernels reading the memory of another GPU with the same operations. */
    bool (*reads)(gpu *g, gpu *other);
    pav_status (*launch_reading)(gpu *g, gpu *other, const gpu_call *call);
    /* Optional: a second queue. */
    pav_status (*concurrent)(gpu *g, gpu_concurrent_step step);
    pav_status (*join)(gpu *g, gpu *other);
    /* For libraries with their own calls to queue work on `memory` (or NULL). Until
     * `leave`, calls of this thread go to this GPU, and *stream is its present queue. */
    pav_status (*enter)(gpu *g, void *memory, void **stream);
    void (*leave)(gpu *g);
    int64_t (*cooperative_blocks)(const gpu_kernel *k, int threads, int64_t shared);
    pav_status (*wait)(gpu *g);
    /* Other code of the process uses this memory. Returns when all its work is done. */
    pav_status (*share)(gpu *g, void *memory);
    pav_status (*mark)(gpu *g, int mark);
    pav_status (*seconds)(gpu *g, int from, int to, double *seconds);
    /* For GPUs with a tensor memory accelerator: the reason why it is not usable, or
     * NULL. */
    const char *(*no_tensors)(const gpu *g);
    pav_status (*map_tensor)(gpu *g, const gpu_tensor_region *part, gpu_map *map);
    /* Optional: records launches for one replay. Each kernel has been launched at least
     * once before. */
    pav_status (*record)(gpu *g, const gpu_call *call, int64_t count, gpu_graph **result);
    pav_status (*replay)(gpu *g, gpu_graph *graph);
    void (*forget)(gpu *g, gpu_graph *graph);
} gpu_ops;

/* The queue of launches and the rounds seen before (gpu_kernel.c). */
enum { GPU_TAPES = 64 };
typedef struct gpu_tape {
    char *bytes;
    int64_t length, launches;
    gpu_graph *graph; /* NULL if the round was seen only once. */
    int64_t used;     /* Clock of the last use. */
} gpu_tape;
typedef struct gpu_tapes {
    bool open, off;
    gpu_tape now; /* Queued launches. */
    /* room: bytes; steps: number of steps ended in the queue. */
    int64_t room, steps;
    int64_t clock, strangers; /* strangers: successive rounds not seen before. */
    gpu_tape tape[GPU_TAPES];
    gpu_counts counts;
} gpu_tapes;
/* Launches the queue; called before any other request. */
pav_status rounds_flush(gpu *g);
void rounds_forget(gpu *g); /* Empties the queue and forgets all rounds. */

/* Launch arguments passed by reference (gpu_kernel.c). */
enum { GPU_SEND = 256 << 10 };
typedef struct gpu_argument_ring {
    char *there, *here; /* Ring on the GPU; its copy on the host. */
    /* at: next offset; known: bytes of `here` written at least once. */
    int64_t at, known;
    int64_t lo, hi; /* Range of `here` not yet sent. */
} gpu_argument_ring;
void argument_ring_close(gpu *g);

/* Times of exchanges. */
typedef struct gpu_exchanges {
    bool open;
    gpu_exchange_time *time;
    int64_t count, room;
} gpu_exchanges;
void exchange_note(gpu *g, gpu_exchange_time t);

struct gpu {
    const gpu_ops *ops;
    gpu_facts facts;
    char name[GPU_NAME];      /* "cuda:0" */
    int number;               /* 0; -1 if emulated */
    struct gpu_piece *pieces; /* Memory blocks in use. */
    gpu_module *modules;
    int64_t used; /* bytes */
    gpu_tapes rounds;
    gpu_argument_ring ring;
    gpu_exchanges exchanges;
};

/* Facts about this machine (host.c); 0 and "" if the system does not provide them. */
enum { MAX_CACHES = 8, CACHE_NAME = 16, HOST_TEXT = 1024 };
typedef struct cache_info {
    char name[CACHE_NAME]; /* "L1d", "L2" */
    int64_t bytes;
    int shared_by; /* Number of logical processors. */
} cache_info;
typedef struct host_info {
    char model[HOST_TEXT];
    char compiler[HOST_TEXT]; /* path of the first of cc, gcc, clang on PATH */
    int processors;           /* Processors available to this process. */
    int64_t memory, available;
    bool avx2, fma, avx512f;
    int caches;
    cache_info cache[MAX_CACHES];
} host_info;
void host_describe(host_info *h);
/* The caches, and the bytes of a level, read from the system's files below `root`. Tests
 * pass a folder of their own. */
int host_caches_under(const char *root, cache_info cache[MAX_CACHES]);
int64_t host_cache_under(const char *root, int level);
/* Finds a compiler (host_module.c). C: $PAV_CC, a path or a name on PATH, or else the
 * first of cc, gcc, clang. C++: $PAV_CXX, or else the first of c++, g++, clang++. */
typedef enum language { LANGUAGE_C, LANGUAGE_CXX } language;
bool host_find_compiler(language l, char found[HOST_TEXT]);
/* True if a device can run code of this language: by a compiler, or by offered images. If
 * not, *why gives the remedy. */
bool host_has_compiler(language l, const char **why);
/* Hashes the processor's model and features: -march=native depends on them. */
void host_hash_processor(hash *h);

/* ---- the environment (host_settings.c) --------------------------------------------- */

/* Returns PAV_EINVAL and a message if $PAV_THREADS, $PAV_CC_SECONDS, $PAV_CACHE_SIZE,
 * $PAV_GPU_GRAPHS or $PAV_EMULATED_ORDER has an invalid value. The functions below then
 * return the default. */
pav_status settings_check(void);
int settings_threads(void); /* 0 if not set. */
double settings_compiler_seconds(void);
int64_t settings_cache_bytes(void);
bool settings_graphs(void); /* False if $PAV_GPU_GRAPHS is 0. */
/* $PAV_EMULATED_PEERS lists the pairs of emulated GPUs with access to each other's
 * memory, for example 0-2,1-3. By default all have access. */
bool settings_emulated_peers(int number, int other);
/* $PAV_EMULATED_ORDER: each value gives another order. */
uint64_t settings_emulated_order(void);

/* ---- processors (host.c) ------------------------------------------------------ */

enum { HOST_MOST_CPUS = 1024 };
/* The processors available to the caller; if it is bound, the processors available
 * before. Returns their number, or 0 if the system does not say. */
int host_allowed_cpus(int cpu[HOST_MOST_CPUS]);
int host_usable_cpus(void); /* Number of these processors. */
int host_cpu_limit(void);   /* The value of processors_allowed_under at the first call. */
/* Topology of the caller's processors; zeros if the system does not say. */
typedef struct host_topology {
    int nodes, cores, processors; /* nodes: NUMA */
    int node;                     /* The only NUMA node; -1 if there are several. */
} host_topology;
host_topology host_find_topology(void);
/* Chooses the best processors for this many threads, or all if there are fewer. Returns
 * the number of their cores, or 0 if memory runs out. */
int host_choose_cpus(int threads, int *cpu);
/* The same for a machine described by a folder like /sys/devices/system. */
int host_choose_cpus_of(const char *system, const int *allowed, int count, int threads,
                        int *cpu);
/* Reads the next range of a list like "0-3,8-11". */
bool host_next_range(const char **list, int *first, int *last);

typedef struct cpu_mask {
    unsigned char bit[HOST_MOST_CPUS / 8];
} cpu_mask;
/* The processors available to the caller before it was bound. */
typedef struct seat {
    cpu_mask before;
    bool taken, outermost;
} seat;

/* The watch of a team (host_team.c). Starts with zeros. */
typedef struct team_watch {
    /* works: pieces of work in the present window. work, wait: the caller's seconds of
     * work and of waiting in the window. */
    int works;
    double work, wait;
    bool loosen; /* The threads should be unbound. */
    /* pause: length of the pause in seconds. until: the caller works alone up to this
     * time; 0 if the team pays off. */
    double pause, until;
    int alone; /* Number of pauses so far. */
} team_watch;
void team_watch_note(team_watch *w, int threads, bool bound, double work, double wait,
                     double now);

/* ---- starting programs (host_jobs.c) ----------------------------------------------- */

typedef enum process_end {
    PROCESS_DONE,
    PROCESS_FAILED, /* Exit code other than 0. */
    PROCESS_KILLED, /* Ended by a signal. */
    PROCESS_LATE,   /* Exceeded its time and was stopped. */
    PROCESS_LOUD,   /* Printed too much and was stopped. */
    PROCESS_ENDED,  /* Stopped together with its job. */
    PROCESS_NONE    /* Could not be started. */
} process_end;
enum { PROCESS_TAIL = 4096 };
typedef struct process_result {
    process_end end;
    int code;                /* Exit code or signal number. */
    char said[PROCESS_TAIL]; /* Tail of its output. */
} process_result;
/* Starts a program without a shell and waits for it. After `seconds` it is killed
 * together with its child processes. It runs in the directory `scratch` and keeps its
 * temporary files there. */
bool host_jobs_stopped(void); /* the work of this thread should end */
/* The same for a library that asks from threads of its own. */
typedef struct host_stops {
    const struct jobs *job;
    const atomic_bool *wish;
} host_stops;
host_stops host_stops_here(void);
bool host_is_stopped(const host_stops *s);
void process_run(const char *const *argument, const char *scratch, double seconds,
                 process_result *r);

/* ---- the compiler (host_module.c) ------------------------------------------------ */

typedef struct compiler {
    language language;
    char path[HOST_TEXT];
    double seconds; /* Time limit: $PAV_CC_SECONDS, or 300. */
} compiler;
enum { COMPILE_MOST_SOURCES = 16 };
typedef struct compile_job {
    const char *const *source; /* Source files. */
    int sources;
    const char *made;    /* Output file. */
    const char *scratch; /* Directory of all these files. */
    bool object;         /* Make an object file for linking. */
    bool quick;          /* Compile fast instead of making fast kernels. */
    const char *target;  /* The flag of other processors; NULL: this processor. */
} compile_job;
pav_status compiler_find(language l, compiler *c);
/* Hashes everything the output depends on: the compiler's path, the contents of its file
 * (or size and time of a large file), and the flags. */
void compiler_hash(const compiler *c, bool quick, hash *h);
/* host_module_open calls this with LANGUAGE_C. pieces: of the source; or NULL. */
pav_status module_open(language l, const char *source, int64_t length,
                       const text_pieces *pieces, unsigned how, host_module **module);

/* ---- the cache (host_cache.c) ------------------------------------------------------ */

enum { CACHE_PATH = 4096, CACHE_NOTE = 4 * 4096 };
/* `place`: the directory named by the user. `path`: Pavior's own directory for kernels
 * inside it, private to this user. `work`: a directory for this process during
 * compilation, inside `path`. If `path` is unusable, `work` is a temporary directory and
 * `note` gives the reason. */
typedef struct kernel_cache {
    char place[CACHE_PATH], path[CACHE_PATH + 16], work[CACHE_PATH];
    bool lasting;
    /* again: another process gave the compilation up. asked: `again` is known. */
    atomic_bool again, asked;
    int owned; /* Locked file of `work`: the lock marks the directory in use; or -1. */
    char note[CACHE_NOTE];
} kernel_cache;

/* ---- marked directories (host_cache.c) --------------------------------------------- */

/* Makes a marked directory of exactly this name, unless another process has made it
 * meanwhile. False with errno set. */
bool mark_make_named(const char *path);

/* ---- objects in the cache (host_cache.c) ------------------------------------------- */

/* Callbacks to make a kind of object and to load it from a file; `of` is the caller's
 * data. In the cache a seal follows the end of the object, so a loader must ignore
 * trailing bytes. */
typedef struct cache_maker {
    const char *ending; /* Ending of the file's name; host_cache.c lists all endings. */
    pav_status (*find)(void *of);              /* Optional: finds the compiler. */
    void (*describe)(const void *of, hash *h); /* Hashes the source and the target. */
    /* Hashes everything else the object depends on. */
    void (*compiled_by)(const void *of, hash *h);
    void (*target)(const void *of, text *t); /* The target in one word. */
    /* Makes the file `made` in the working directory. PAV_EIO, PAV_EFULL: another
     * directory may succeed. */
    pav_status (*make)(void *of, const char *work, const char *made);
    pav_status (*load)(void *of, const char *path);
} cache_maker;
/* Loads an offered image; if none are offered, opens the cache and loads the object. If
 * the cache lacks it, one process makes it while others wait, and with HOST_KEEP the
 * object stays in the cache. how may include HOST_FIND. */
pav_status cache_load(kernel_cache *c, const cache_maker *maker, unsigned how, void *of);
void cache_count_load(unsigned how); /* for pav_kernel_loads */
/* A link leads from a piece of a source to the kept object with this piece.
 * cache_find_piece writes the path of the object: false if there is none.
 * cache_link_piece makes the link. */
bool cache_find_piece(kernel_cache *c, const cache_maker *maker, const void *piece,
                      char path[2 * CACHE_PATH]);
void cache_link_piece(const kernel_cache *c, const cache_maker *maker, const void *piece,
                      const void *object);

/* host_images.c: precompiled kernels. images_put adds a loaded image to the recording
 * list, with the status of reading it. images_find finds an offered image by its key, any
 * image if the key is NULL, or returns NULL. images_target returns the target of the
 * first one. */
void images_put(pav_status status, kernel_image *i); /* Takes ownership of its bytes. */
const kernel_image *images_find(const char *key, const char *kind);
const char *images_target(const char *kind);
void host_target(text *t);
/* Writes a whole file; PAV_EIO and a message on failure. */
pav_status cache_write(const char *path, const void *bytes, int64_t length);
/* Seals an object: appends its length and the hash of its bytes and its final name.
 * Loaders ignore the seal. With both in one file, one rename publishes them together. */
pav_status cache_seal(const char *object, const char *name);
/* True if the object is complete, has the name in its seal, and belongs to this user
 * only. */
bool cache_is_sealed(const char *object);
bool cache_has_seal(const char *object); /* whoever owns it */
/* Makes an object with a seal at this path, which is outside of the cache. */
pav_status cache_make_apart(const cache_maker *maker, void *of, const char *path);
/* The path of a file of Pavior's own: beside the library or the program, or in ../lib or
 * .. from there. False if there is none. */
bool library_own(const char *name, char path[CACHE_PATH]);

/* ---- kernels of the installation (host_installed.c) -------------------------------- */

/* int64_t[2]: the number of kernels, and text_pieces.common. */
#define INSTALLED_FACTS "pavior_kernels"
/* The compiler's flag of each level; NULL at the end. */
extern const char *const installed_flags[];
int installed_level(void); /* of this processor: a number of a flag; -1: none */
void *installed_find(const char *name); /* NULL if there is none for this processor */
bool installed_kernel(const text_pieces *all, int64_t piece);
const char *installed_note(void);   /* the reason why they are not used; or "" */
int64_t installed_count(int level); /* kernels; 0: none, or damaged */
/* The path of a file or folder of kernels; false if the installation lacks it. */
bool installed_path(const char *name, char path[2 * CACHE_PATH]);
/* Architectures of GPUs, with a NULL at the end, and their files. */
extern const char *const installed_gpus[];

#endif
