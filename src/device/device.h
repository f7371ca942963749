/* SPDX-License-Identifier: BSD-3-Clause */
/* device: the machines a computation can run on. Knows bytes and names, no stencil.
 * A device is one file and one line in the table of device.c. */
#ifndef DEVICE_DEVICE_H
#define DEVICE_DEVICE_H

#include <pthread.h>

#include "base/base.h"
#include "machine/machine.h"

typedef struct device_ops {
    const char *name;  /* as users write it, before any ":number" */
    const char *about; /* one line for doctor */
    /* True when usable here; otherwise *why says what is missing and what to do, in
     * text that stays until the thread asks again. */
    bool (*present)(const char **why);
    /* Where it is absent, whether "auto", which takes another, says why; NULL: always. */
    bool (*awaited)(void);
    int rank;      /* "auto" takes the highest that is present */
    bool compiled; /* runs C that the host's compiler makes (host_module_open) */
    const struct gpu_ops *gpu; /* or NULL: it is no GPU */
    int most; /* of GPUs that nobody counts: so many numbers may be given */
    bool (*peers)(int number, int other); /* of GPUs: one reads the other's memory */
} device_ops;

struct pav_device {
    const device_ops *ops;
    char name[64];  /* with the number, where it has one: "cuda:0" for "cuda" */
    int number;     /* of "cuda:1" */
    bool automatic; /* asked for as "auto": another may stand in where it fails */
    char said[2048];
    const char *lacking; /* in `said`, of "auto": why nothing faster was taken; or NULL */
    pav_device **place;  /* of a list: its devices; or NULL */
    int places;
};

extern const device_ops *const device_table[]; /* NULL-terminated */
/* What halos from one device of a list to another go by, before any is opened. */
halo_link device_link(const pav_device *a, const pav_device *b);
/* Refuses what pav_device_open would for its name alone: nothing needs to be there. */
pav_status device_check_name(const char *name);
/* device_list.c. Number n of a list; the device itself where it is none. And refuses
 * lists where `what` takes one device. */
const pav_device *device_place(const pav_device *device, int n);
pav_status device_check_single(const pav_device *device, const char *what);
/* Whether C is compiled where this device runs a program: for processors, and for what a
 * GPU leaves to the host, as far as a compiler is there. */
bool device_compiles(const pav_device *device);
/* As pav_device_open; of GPUs that have no number in the name, number `turn` of those
 * that can be used, over and over. */
pav_status device_open_turn(const char *name, int turn, pav_device **device);

/* device_identity.c: the processor or GPU by its maker's name, and what compiles for it,
 * with its version. */
pav_status device_identity(const pav_device *d, text *machine, text *compiled_by);

/* ---- optional libraries (library.c) ------------------------------------------------ */

/* Looked for at run time; `use` says what for, `get` how to install it. The file that an
 * environment variable names is the only one tried. */
typedef struct optional_library {
    const char *name, *use, *get, *variable;
    const char *files[9]; /* tried in turn */
} optional_library;
extern const optional_library library_table[]; /* ends with one without a name */
/* What dlopen gives, and the file that it was; NULL when there is none. */
void *library_open(const char *name, const char **file);
/* Whether some library of this process has such a function. */
bool library_is_loaded(const char *function);
/* The same from file number *at on; *at is then the number after it. */
void *library_next(const char *name, int *at, const char **file);
/* Opens the file `name` of the folder that the library with this function lies in, where
 * there is one. */
void library_open_another(void *library, const char *function, const char *name);
/* Puts the addresses of functions into a structure of pointers; false when one is
 * missing. */
typedef struct library_call {
    const char *name;
    size_t at; /* in the structure */
} library_call;
bool library_find(void *library, const library_call *call, size_t count, void *pointers);

/* ---- work that takes seconds (host_jobs.c) ----------------------------------------- */

/* Calls job(argument, n) for n = 0 .. count - 1 on as many new threads, each for several
 * pieces where there are more, and returns when all are done: the first failure, after
 * which no more pieces are begun. */
typedef pav_status host_job(void *argument, int64_t piece);
pav_status host_jobs(int64_t count, int threads, host_job *job, void *argument);
/* Is called while the calling thread waits in host_jobs, as for compilers: after 2
 * seconds and every quarter from then on. What it gives but PAV_OK stops the work and is
 * what host_jobs gives. NULL: nobody is. */
typedef pav_status host_watcher(void *user, double seconds);
void host_watch(host_watcher *w, void *user);

/* ---- compiled kernels (host_module.c) ---------------------------------------------- */

/* C made into a shared object by the system's compiler and loaded; or taken from the
 * cache, when the same text was compiled before by the same compiler for the same
 * processor. */
typedef struct host_module host_module;
enum {
    HOST_KEEP = 1,  /* for the next time */
    HOST_QUICK = 2, /* compile fast rather than make fast kernels: for checks */
    HOST_MAKE = 4,  /* of GPUs: into the cache alone; the module has no kernels */
    HOST_FIND = 8   /* only what the cache has: else PAV_EUNSUPPORTED, nothing is made */
};
/* Whether nothing may be compiled (PAV_REQUIRE_CACHED=1, or a bundle is open): then no
 * other device stands in, either. */
bool host_requires_cached(void);
pav_status host_module_open(const char *source, int64_t length, unsigned how,
                            host_module **module);
/* Of a text of pieces, which several compilers make at once. */
pav_status host_module_open_pieces(const text *source, const text_pieces *pieces,
                                   unsigned how, host_module **module);
void host_module_close(host_module *module);
typedef void host_function(void); /* to be cast to what the source says */
host_function *host_module_find(const host_module *module, const char *name);
void *host_module_variable(const host_module *module, const char *name);
/* What the user should know: why the result could not be kept; or "". */
const char *host_module_note(const host_module *module);

/* ---- kernels that were compiled before (host_images.c) ----------------------------- */

/* As the cache has them, but found by their source and target alone. */
enum { IMAGE_KEY = 33, IMAGE_KIND = 8, IMAGE_TARGET = 64 };
typedef struct kernel_image {
    char key[IMAGE_KEY];       /* 32 hexadecimal digits */
    char kind[IMAGE_KIND];     /* ".so", ".cubin" */
    char target[IMAGE_TARGET]; /* "sm_90"; of processors a hash of their features */
    char *bytes;
    int64_t length;
} kernel_image;
typedef struct kernel_images {
    int64_t count, capacity;
    kernel_image *image;
    pav_status failed;                /* of what was to be recorded */
    const struct kernel_images *next; /* of those that are offered */
} kernel_images;
pav_status images_add(kernel_images *all,
                      const kernel_image *image); /* takes its bytes */
void images_free(kernel_images *all);
/* From now on, what any thread loads; NULL: nothing more. */
void images_record(kernel_images *to);
/* As long as any are offered, all threads take kernels from these alone, and no compiler
 * is needed. */
void images_offer(kernel_images *all);
void images_withdraw(const kernel_images *all);
bool images_are_offered(void);
bool images_are_recorded(void);
/* PAV_EUNSUPPORTED: they are for another processor or GPU. */
pav_status images_check(const kernel_images *all, const pav_device *d);

/* $PAV_THREADS, or all processors that the caller may use, as far as control groups give
 * it their time. */
int host_threads(void);
/* From now on: so many processes share the processors that this one may use. */
void host_share(int processes);
/* Of this machine's name, and that with the processors that the caller may use; their
 * NUMA node, or -1: they are of several. */
uint64_t host_name_hash(void);
uint64_t host_cpus_hash(void);
int host_node(void);
/* Bytes of the cache of a level, or (0) of the largest; the default where the system says
 * nothing of caches, and 0 where it describes others only. */
int64_t host_cache(int level);
/* Processors that share the largest one; where nobody says, all. */
int host_cache_sharers(void);
int host_nodes(void); /* NUMA, of the processors that the caller may use */
/* Bytes of all caches together, without the first level, that so many threads may use
 * between them. */
int64_t host_caches(int threads);

/* ---- threads (host_team.c, host_bind.c, host_cpus.c) ------------------------------- */

enum { HOST_MOST_THREADS = PAV_MAX_THREADS };
/* Each thread bound to a processor of its own, or wherever the system puts it. AUTO:
 * bound when the team takes all cores, or all processors, that the caller may use. */
typedef enum host_binding {
    HOST_BIND_AUTO,
    HOST_BIND_CORES,
    HOST_BIND_NONE
} host_binding;
pav_status host_binding_find(const char *name, host_binding *result); /* NULL: auto */
const char *host_binding_name(host_binding b);

/* Threads that share one piece of work after the other. Made by host_team_open and ended
 * by host_team_close; they get no signals. A team is used by one thread at a time; NULL
 * is a team of one. */
typedef struct host_team host_team;
typedef void host_part(void *argument, int64_t part);
pav_status host_team_open(int threads, host_binding binding, host_team **result);
void host_team_close(host_team *team);
/* Calls function(argument, n) for n = 0 .. count - 1, part n always by the same thread,
 * the caller doing part 0, and returns when all are done. What is in use already runs its
 * parts one after another, as do teams whose threads are kept waiting by other work. */
void host_team_run(host_team *team, int64_t count, host_part *function, void *argument);
/* The same of parts that wait for each other, of which there are no more than threads.
 * False: they would run one after another, so nothing was done. */
bool host_team_run_at_once(host_team *team, int64_t count, host_part *function,
                           void *argument);
/* Of a team that is bound, the caller is so only while a work is done; between these two
 * all the time, which saves changing it to and fro. On one thread, in pairs, which may
 * nest. */
void host_team_keep_awake(host_team *team);
void host_team_release(host_team *team);
int host_team_threads(const host_team *team);
bool host_team_is_bound(const host_team *team);
/* Times that the caller went on alone for a while, since other work kept the threads
 * waiting (team_watch.c). */
int host_team_pauses(const host_team *team);

/* A thread that gets no signals, bound to a processor or (cpu -1) wherever the caller
 * could run before it was bound. 0, or what pthread_create gives. */
typedef void *host_life(void *argument);
int host_thread_start(pthread_t *thread, int cpu, host_life *life, void *argument);

/* ---- GPUs (gpu.c; cuda_*.c by the driver, emulated_*.c by the host) ---------------- */

/* One GPU that is open. Pointers to its memory are for kernels and for the functions
 * below alone. Work is done in the order in which it is asked for; gpu_upload,
 * gpu_download, gpu_wait and gpu_seconds return when it is done, the others at once, so a
 * failure of a kernel is reported by a later call. A gpu is used by one thread at a time,
 * but several may open modules and find kernels in them, each in its own. */
typedef struct gpu gpu;
pav_status gpu_open(const pav_device *device, gpu **result);
void gpu_close(gpu *g); /* gives all its memory and modules back */
const gpu_facts *gpu_facts_of(const gpu *g);
const char *gpu_name(const gpu *g); /* "cuda:0" */
int64_t gpu_free_memory(const gpu *g);
int64_t gpu_used_memory(const gpu *g); /* by gpu_take */
int64_t gpu_peak_memory(const gpu *g);

/* `what` is for the message where it does not fit: "field u". What is filled or copied
 * must lie in one block that was taken. */
pav_status gpu_take(gpu *g, int64_t bytes, const char *what, void **memory);
void gpu_release(gpu *g, void *memory);
pav_status gpu_fill(gpu *g, void *memory, int byte, int64_t bytes);
pav_status gpu_upload(gpu *g, void *to, const void *from, int64_t bytes);
/* The same, which does not wait for work that was asked for before. */
pav_status gpu_send(gpu *g, void *to, const void *from, int64_t bytes);
pav_status gpu_download(gpu *g, void *to, const void *from, int64_t bytes);
pav_status gpu_copy(gpu *g, void *to, const void *from, int64_t bytes); /* on the GPU */

/* Copies concurrent with the work (gpu_exchange.c). They begin once all that was asked
 * for before is done, and are over with gpu_exchange_end, which waits for them: in
 * between the host touches neither side, nor does any kernel. One exchange at a time;
 * `list` lasts until its end. */
typedef struct gpu_transfer {
    void *there, *here; /* memory of the GPU and of the host */
    int64_t bytes;
    bool up; /* to the GPU */
} gpu_transfer;
pav_status gpu_exchange_begin(gpu *g, const gpu_transfer *list, int64_t count);
pav_status gpu_exchange_end(gpu *g);
/* Seconds from the first exchange on: when one could begin, when its copies to the GPU
 * and from there were over, and the work that was asked for in between. Of those that are
 * known by now. */
typedef struct gpu_exchange_time {
    double begun, up, down, work;
} gpu_exchange_time;
const gpu_exchange_time *gpu_exchange_times(gpu *g, int64_t *count);
/* The GPU may then copy this memory of the host by itself, which is faster; else it is
 * copied by pieces. A refusal is PAV_EDEVICE or PAV_ENOMEM, and leaves all as it was. */
pav_status gpu_pin(gpu *g, void *here, int64_t bytes);
void gpu_unpin(gpu *g, void *here);

/* CUDA C++ made into kernels, or taken from the cache. how: HOST_KEEP; HOST_QUICK, where
 * that is quicker: NVRTC without its optimiser saves little, and then makes other kernels
 * than those of a run. */
typedef struct gpu_module gpu_module;
typedef struct gpu_kernel gpu_kernel; /* lives as long as its module */
typedef struct gpu_kernel_facts {
    int registers, most_threads; /* most_threads: of a block */
    int64_t spilled, shared;     /* bytes: of a thread; of a block, fixed by the text */
} gpu_kernel_facts;
pav_status gpu_module_open(gpu *g, const char *source, int64_t length, unsigned how,
                           gpu_module **result);
void gpu_module_close(gpu_module *m);
const char *gpu_module_note(const gpu_module *m);             /* as host_module_note */
gpu_kernel *gpu_module_find(gpu_module *m, const char *name); /* or NULL */
gpu_kernel_facts gpu_kernel_facts_of(const gpu_kernel *k);

/* A kernel has one argument, a structure passed by value. */
typedef struct gpu_call {
    gpu_kernel *kernel;
    int64_t blocks[3];
    int threads[3];
    int64_t shared; /* bytes of shared memory beyond those that the text fixes */
    const void *argument;
    int64_t argument_bytes;
    bool together; /* all blocks are there at once: they may wait for each other */
} gpu_call;
pav_status gpu_launch(gpu *g, const gpu_call *call); /* no blocks: nothing to do */
/* Whether kernels may read the memory of another GPU (gpu_peers.c), and a launch of one
 * that does: it follows what was asked of the other, and what is asked of that later
 * follows it. */
bool gpu_reads(gpu *g, gpu *other);
pav_status gpu_launch_reading(gpu *g, gpu *other, const gpu_call *call);
/* Work on a second queue (gpu_concurrent.c): from BEGIN to END what is asked for goes to
 * a second queue, more urgent than the first, after all that was asked for before; AGAIN:
 * after what was asked for there alone. What follows END does not wait for it, until
 * gpu_join, after which what is asked of `g` follows all that was asked of the second
 * queue of `other`. A GPU that has no second queue does all in order. */
typedef enum gpu_concurrent_step {
    GPU_CONCURRENT_BEGIN,
    GPU_CONCURRENT_AGAIN,
    GPU_CONCURRENT_END
} gpu_concurrent_step;
pav_status gpu_concurrent(gpu *g, gpu_concurrent_step step);
pav_status gpu_join(gpu *g, gpu *other);
/* Links by NCCL between GPUs of this process and others (gpu_links.c): whether the
 * library is here; a name of them, which one process makes and hands to the others. Those
 * of this process are from number `first` on, of so many in all; all open them at once,
 * and no GPU is in twice. Between begin and end memory is sent to the GPU of number
 * `other`, or received from there, in the present queue of `g`. *result is to be closed,
 * whatever the status. */
typedef struct gpu_links gpu_links;
typedef struct gpu_links_id {
    char bytes[128];
} gpu_links_id;
bool gpu_links_there(void);
bool gpu_links_know(const gpu *g);
pav_status gpu_links_new_id(gpu_links_id *id);
pav_status gpu_links_open(gpu *const *g, int count, int first, int all,
                          const gpu_links_id *id, gpu_links **result);
pav_status gpu_links_begin(const gpu_links *l);
pav_status gpu_links_pass(const gpu_links *l, gpu *g, void *memory, int64_t bytes,
                          int other, bool sends);
pav_status gpu_links_end(const gpu_links *l);
void gpu_links_close(gpu_links *l);
/* Most blocks of a launch together, of so many threads and bytes of shared memory each;
 * 0: there is no such launch. */
int64_t gpu_cooperative_blocks(const gpu_kernel *k, int threads, int64_t shared);
pav_status gpu_wait(gpu *g);

/* Copies bytes, GPU_MOST_ARGUMENT at most, for the next launch into the ring of
 * arguments; *at: their address on the device, the same in each repetition of a round of
 * launches, so that other bytes in each step do not prevent graphs. A kernel must not
 * keep it. */
pav_status gpu_argument_ring_put(gpu *g, const void *from, int64_t bytes,
                                 const void **at);
/* A variable __constant__ of a module, of so many bytes at least; NULL: there is none. It
 * lives as long as the module, and holds what it was set to for all launches that follow;
 * setting it to the same again costs nothing. */
typedef struct gpu_constant gpu_constant;
gpu_constant *gpu_module_constant(gpu_module *m, const char *name, int64_t bytes);
pav_status gpu_constant_set(gpu_constant *c, const void *from);

/* A part of memory that kernels copy boxes of by the tensor memory accelerator: words,
 * rows and planes; strides in bytes, that along x of a word, which has 4 or 8. All else
 * is in multiples of 16 bytes, but for the counts; what a box has beyond those is zero. A
 * map is what a kernel must have of it in its argument. */
typedef struct gpu_tensor_region {
    const void *data;
    int64_t count[3], stride[3];
    int box[3];
} gpu_tensor_region;
typedef struct gpu_map {
    _Alignas(64) uint64_t word[16];
} gpu_map;
const char *gpu_tensor_refusal(const gpu *g); /* why there are none; or NULL */
pav_status gpu_map_tensor(gpu *g, const gpu_tensor_region *p, gpu_map *map);

/* Launches that come again (gpu_rounds.c). Who launches the same again and again says so
 * at the end of each of its steps, with how many of them may make a period. From the
 * first time on launches wait until enough of them are a round, or until anything else is
 * asked of the GPU; a round that is one of an earlier time, argument for argument, goes
 * out at once, as a graph. Where the GPU has no graphs nothing waits. */
pav_status gpu_step(gpu *g, int64_t period);
typedef struct gpu_counts {
    int64_t launches, replayed; /* replayed: of the launches, those within graphs */
    int64_t graphs, replays;    /* graphs: made */
    int64_t timed;              /* launches of rows, besides all these */
} gpu_counts;
gpu_counts gpu_count(const gpu *g);

/* Marks in the order of work, and the seconds between two of them on the GPU's own
 * clock. */
enum { GPU_MARKS = 64 };
pav_status gpu_mark(gpu *g, int mark);
pav_status gpu_seconds(gpu *g, int from, int to, double *seconds);
/* Seconds of one of so many launches of the same, one after another as a graph has them
 * (gpu_repeated.c); it is launched more often than that, so it must not read what it
 * stores. Takes the last two marks. */
pav_status gpu_time_row(gpu *g, const gpu_call *call, int64_t launches, double *seconds);

/* Compiles for an architecture (90: sm_90) without any GPU; reports registers, spills and
 * shared memory of every kernel, one line each, as the compiler prints them. */
pav_status gpu_try_compile(int architecture, const char *source, int64_t length,
                           text *stats);

/* ---- copying (host_copy.c) --------------------------------------------------------- */

/* Two arrays beyond the caches, and a team that copies one to the other, each thread what
 * it touched first, non-temporal where that is possible: the rate that bounds every
 * kernel which reads a point and writes one. */
typedef struct host_copy host_copy;
pav_status host_copy_open(host_team *team, host_copy **result); /* the team outlives it */
void host_copy_close(host_copy *c);
double host_copy_pass(host_copy *c); /* bytes per second, read and written */
/* host_rates.c: all rates of a team, each the best of some passes. */
pav_status host_rates_measure(host_team *team, machine_rates *r);

/* ---- arithmetic (host_arithmetic.c) ------------------------------------------------ */

/* Bytes of results a second, by all threads of a team, the best of all passes: of
 * products fused with a sum, and of these with as many sums between them. They stay 0
 * where not known of this processor. */
typedef struct host_arithmetic {
    double products, both;
} host_arithmetic;
void host_arithmetic_pass(host_team *team, host_arithmetic *best);

#endif
