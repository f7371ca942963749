/* SPDX-License-Identifier: BSD-3-Clause */
/* The devices a computation can run on. This layer handles bytes and names and knows no
 * stencil.
 *
 * A device is one file and one line in the table of device.c. */
#ifndef DEVICE_DEVICE_H
#define DEVICE_DEVICE_H

#include <pthread.h>
#include <stdatomic.h>

#include "base/base.h"
#include "machine/machine.h"

RELEASES(free_device, pav_device, pav_device_free) /* for OWNED_BY */

/* LOCKED(&mutex) holds the mutex until the end of the scope. */
static inline pthread_mutex_t *mutex_take(pthread_mutex_t *mutex)
{
    (void)pthread_mutex_lock(mutex);
    return mutex;
}
static inline void mutex_give(pthread_mutex_t *const *mutex)
{
    (void)pthread_mutex_unlock(*mutex);
}
#define LOCKED(mutex)                                                                    \
    __attribute__((cleanup(mutex_give), unused))                                         \
    pthread_mutex_t *const locked_ = mutex_take(mutex)

typedef struct device_ops {
    const char *name;  /* Name in user input, before any ":number". */
    const char *about; /* One line for doctor. */
    /* True if the device is usable here. If not, *why gives the missing component and the
     * remedy. The string stays valid until the same thread asks again. */
    bool (*present)(const char **why);
    /* Optional. If the device is absent: true if "auto", choosing another device, should
     * report the reason. NULL: "auto" always reports it. */
    bool (*awaited)(void);
    int rank;      /* "auto" takes the present device of the highest rank. */
    bool compiled; /* Runs C compiled by the host's compiler (host_module_open). */
    const struct gpu_ops *gpu; /* NULL if the device is no GPU. */
    int most; /* Number of GPUs accepted by name if `gpu->count` is NULL. */
    /* GPUs only: true if one can read the other's memory. */
    bool (*peers)(int number, int other);
} device_ops;

enum { DEVICE_NAME = 64 };
struct pav_device {
    const device_ops *ops;
    char name[DEVICE_NAME]; /* Includes the number: "cuda:0" for "cuda". */
    int number;             /* The 1 of "cuda:1". */
    /* Opened by the name "auto": if it fails, another device may replace it. */
    bool automatic;
    char said[2048];
    /* Points into `said`: the reason why "auto" took no faster device; or NULL. */
    const char *lacking;
    pav_device **place; /* The devices of a device list; NULL for a single device. */
    int places;
};

extern const device_ops *const device_table[]; /* NULL-terminated */
/* The transport for halos between two devices of a list. Neither device needs to be
 * open. */
halo_link device_link(const pav_device *a, const pav_device *b);
/* Rejects a name in the same way pav_device_open does. The device need not be present. */
pav_status device_check_name(const char *name);
/* device_place returns device n of a list, or the device itself if it is
 * no list. device_check_single rejects a list if `what` takes one device only. */
const pav_device *device_place(const pav_device *device, int n);
pav_status device_check_single(const pav_device *device, const char *what);
/* True if the device compiles C: for processors, or for the host part of a GPU run if a
 * compiler is present. */
bool device_compiles(const pav_device *device);
/* Calls `add` for each device of a list such as "cpu+cuda:0-3", present or not. number:
 * -1: none is given. */
typedef pav_status device_item(void *user, const char *name, int number);
pav_status device_each(const char *list, device_item *add, void *user);
/* Like pav_device_open. For GPUs without a number in the name it opens usable GPU number
 * `turn`, wrapping around. */
pav_status device_open_turn(const char *name, int turn, pav_device **device);

/* The maker's name of the processor or GPU, and its compiler with the
 * version. */
pav_status device_identity(const pav_device *d, text *machine, text *compiled_by);

/* ---- optional libraries (library.c) ------------------------------------------------ */

/* A library searched for at run time. `use` names its purpose and `get` the way to
 * install it. If the environment variable is set, only the file it names is tried. */
typedef struct optional_library {
    const char *name, *use, *get, *variable;
    const char *files[9]; /* Tried in this order. */
} optional_library;
extern const optional_library library_table[]; /* Ends with an entry without a name. */
/* The handle of dlopen and the file name; NULL if the library is missing. */
void *library_open(const char *name, const char **file);
/* library_open from file number *at on. Sets *at to the number after the file found. */
void *library_next(const char *name, int *at, const char **file);
/* Opens the file `name` in the folder of the library with this function, if it exists. */
void library_open_another(void *library, const char *function, const char *name);
/* Stores the addresses of functions in a structure of pointers; false if a function is
 * missing. */
typedef struct library_call {
    const char *name;
    size_t at; /* Offset in the structure. */
} library_call;
bool library_find(void *library, const library_call *call, size_t count, void *pointers);

/* ---- long work on threads (host_jobs.c) -------------------------------------------- */

/* Calls job(argument, n) for n = 0 .. count - 1 on new threads and returns when all
 * pieces are done. If there are more pieces than threads, a thread takes several. Returns
 * the first failure; after a failure no new pieces begin. */
typedef pav_status host_job(void *argument, int64_t piece);
pav_status host_jobs(int64_t count, int threads, host_job *job, void *argument);
/* Called while the calling thread waits in host_jobs, for example for a compiler: after 2
 * seconds and every 0.25 s from then on. A status other than PAV_OK stops the work and
 * becomes the result of host_jobs. NULL: no watcher. */
typedef pav_status host_watcher(void *user, double seconds);
void host_watch(host_watcher *w, void *user);
/* Programs started by this thread, or in its host_jobs, end soon after the flag is true.
 * NULL: no flag. */
void host_stop_by(const atomic_bool *flag);

/* ---- compiled kernels (host_module.c) ---------------------------------------------- */

/* C compiled by the system's compiler to a shared object and loaded. If the cache holds
 * the same text compiled by the same compiler for the same processor, the object comes
 * from the cache. */
typedef struct host_module host_module;
enum {
    HOST_KEEP = 1,  /* Keep the result for later runs. */
    HOST_QUICK = 2, /* Compile fast instead of making fast kernels: for checks. */
    HOST_MAKE = 4,  /* GPUs: compile into the cache only; the module has no kernels. */
    /* Load from the cache only; if it is not there, return PAV_EUNSUPPORTED. */
    HOST_FIND = 8,
    /* If the installation has the other kernels, those called once may be missing. */
    HOST_PARTLY = 16,
    /* For kernel_set_open: kernels missing in the cache are compiled on a thread. */
    HOST_BESIDE = 32
};
/* True if nothing may be compiled (PAV_REQUIRE_CACHED=1, or a bundle is open). Then no
 * other device may replace a missing one. */
bool host_requires_cached(void);
/* False if $PAV_EARLY is 0: runs wait for their kernels. */
bool host_starts_early(void);
pav_status host_module_open(const char *source, int64_t length, unsigned how,
                            host_module **module);
/* Like host_module_open, for a text in pieces. Several compilers work on the pieces in
 * parallel. */
pav_status host_module_open_pieces(const text *source, const text_pieces *pieces,
                                   unsigned how, host_module **module);
bool host_can_compile(void); /* there is a C compiler, or a bundle in its place */
/* True if the installation has all kernels but those called once. */
bool host_pieces_are_installed(const text_pieces *pieces);
/* Writes kernels for an installation into a folder, an object for each level of x86-64,
 * or for this processor's level only. It appends a piece: there must be room for one
 * more. */
pav_status host_install(text *source, text_pieces *pieces, bool only_own,
                        const char *folder);
/* True if kernels called once may be missing. */
bool host_module_is_partial(const host_module *module);
/* Compiles on a thread of its own. The module has no functions until host_module_wait has
 * returned PAV_OK. It takes the text and the ends of the pieces, even if it fails. */
pav_status host_module_begin(text *source, text_pieces *pieces, unsigned how,
                             host_module **module);
bool host_module_is_awaited(const host_module *module); /* host_module_wait must follow */
bool host_module_is_made(const host_module *module);    /* or its compilation failed */
/* Not made yet, and an earlier process began the same compilation and stopped it. */
bool host_module_is_late(const host_module *module);
pav_status host_module_wait(host_module *module);
/* Stops the compilation if it still goes on. */
void host_module_close(host_module *module);
RELEASES(close_module, host_module, host_module_close)
typedef void host_function(void); /* Cast this to the type given in the source. */
host_function *host_module_find(const host_module *module, const char *name);
void *host_module_variable(const host_module *module, const char *name);
/* A note for the user: the reason why the result could not be kept; or "". */
const char *host_module_note(const host_module *module);

/* ---- precompiled kernels (host_images.c) ------------------------------------------- */

/* Images are the same as in the cache, but the key is a hash of source and target
 * only. */
enum { IMAGE_KEY = 33, IMAGE_KIND = 8, IMAGE_TARGET = 64 };
typedef struct kernel_image {
    char key[IMAGE_KEY];       /* 32 hexadecimal digits */
    char kind[IMAGE_KIND];     /* ".so", ".cubin" */
    char target[IMAGE_TARGET]; /* "sm_90"; for processors a hash of their features */
    char *bytes;
    int64_t length;
} kernel_image;
typedef struct kernel_images {
    int64_t count, capacity;
    kernel_image *image;
    pav_status failed;                /* Status of recording. */
    const struct kernel_images *next; /* Next list among the offered lists. */
} kernel_images;
pav_status images_add(kernel_images *all,
                      const kernel_image *image); /* takes its bytes */
void images_free(kernel_images *all);
/* Starts recording the images loaded by any thread; NULL stops recording. */
void images_record(kernel_images *to);
/* While any list is offered, all threads take kernels only from the offered lists, and no
 * compiler is needed. */
void images_offer(kernel_images *all);
void images_withdraw(const kernel_images *all);
bool images_are_offered(void);
bool images_are_recorded(void);
/* Writes images of GPUs for an installation: a folder for each architecture. */
pav_status images_install(const kernel_images *all, const char *folder);
/* Returns PAV_EUNSUPPORTED if the images are for another processor or GPU. */
pav_status images_check(const kernel_images *all, const pav_device *d);

/* $PAV_THREADS; by default all processors available to the caller, limited by the time
 * its control groups allow. */
int host_threads(void);
/* Seconds of busy processors so far: of the whole machine, and of this process and its
 * compilers. host_usage_parse reads the first line of /proc/stat, with `ticks` a second;
 * false: unknown. host_others: the average number of processors busy with other work
 * between two moments; 0: unknown. */
typedef struct host_usage {
    double when, all, own; /* all < 0: unknown */
} host_usage;
bool host_usage_parse(const char *line, double ticks, double *all);
host_usage host_usage_now(void);
double host_others(const host_usage *from, const host_usage *to);
int host_processors(void); /* of the whole machine */
/* From now on this process shares its processors with `processes - 1` others. */
void host_share(int processes);
/* For ranks: host_name_hash identifies this machine. host_cpus_hash identifies the
 * machine and the processors allowed to the caller. host_node is the NUMA node of these
 * processors, or -1 if they belong to several nodes. */
uint64_t host_name_hash(void);
uint64_t host_cpus_hash(void);
int host_node(void);
/* Bytes of the cache of a level; level 0 means the largest cache. If the system describes
 * no caches, a default; if it describes others only, 0. */
int64_t host_cache(int level);
/* Number of processors sharing the largest cache; all of them if the system does not
 * say. root: "", or a test's folder in place of the system's files. */
int host_cache_sharers_under(const char *root);
int host_nodes(void); /* Number of NUMA nodes of the caller's processors. */
/* Total bytes of the caches above L1 available to `threads` threads. */
int64_t host_caches(int threads);

/* ---- threads (host_team.c, host.c) -------------------------------------------- */

enum { HOST_MOST_THREADS = PAV_MAX_THREADS };
/* Each thread is bound to its own processor, or runs wherever the system puts it. AUTO
 * binds if the team takes all cores or all processors available to the caller. */
typedef enum host_binding {
    HOST_BIND_AUTO,
    HOST_BIND_CORES,
    HOST_BIND_NONE
} host_binding;
pav_status host_binding_find(const char *name, host_binding *result); /* NULL: auto */
const char *host_binding_name(host_binding b);

/* Threads sharing one piece of work after another. host_team_open creates the team and
 * host_team_close ends it. Its threads receive no signals. One thread at a time may use a
 * team. NULL is a team of one thread. */
typedef struct host_team host_team;
typedef void host_part(void *argument, int64_t part);
pav_status host_team_open(int threads, host_binding binding, host_team **result);
void host_team_close(host_team *team);
RELEASES(close_team, host_team, host_team_close)
/* Calls function(argument, n) for n = 0 .. count - 1 and returns when all parts are done.
 * The same thread always runs part n; the caller runs part 0. A team already in use runs
 * its parts one after another, and so does a team whose threads are delayed by other
 * work. */
void host_team_run(host_team *team, int64_t count, host_part *function, void *argument);
/* The same for parts waiting for each other; `count` must not exceed the threads. False:
 * the parts would run one after another, so nothing was done. */
bool host_team_run_at_once(host_team *team, int64_t count, host_part *function,
                           void *argument);
/* Keeps the caller of a bound team bound between these two calls. Otherwise the caller is
 * bound during each piece of work only, and changing its affinity costs time. Calls come
 * in pairs on one thread and may nest. */
void host_team_keep_awake(host_team *team);
void host_team_release(host_team *team);
int host_team_threads(const host_team *team);
bool host_team_is_bound(const host_team *team);
/* Number of times the caller worked alone for a while because other work delayed the
 * threads. */
int host_team_pauses(const host_team *team);

/* Starts a thread without signals, bound to processor `cpu`. If cpu is -1, the thread may
 * use the caller's processors from before the caller was bound. Returns 0 or the error of
 * pthread_create. */
typedef void *host_life(void *argument);
int host_thread_start(pthread_t *thread, int cpu, host_life *life, void *argument);

/* ---- GPUs (gpu.c; cuda_*.c by the driver, emulated_*.c by the host) ---------------- */

/* One open GPU. Only kernels and the functions below may use pointers to its memory. Work
 * is done in the order of the calls. gpu_upload, gpu_download, gpu_wait and gpu_seconds
 * return when the work is done; all others return at once, so a later call reports a
 * kernel's failure. One thread at a time uses a gpu, but several threads may open modules
 * and find kernels in their own modules. */
typedef struct gpu gpu;
pav_status gpu_open(const pav_device *device, gpu **result);
void gpu_close(gpu *g); /* Frees all its memory and modules. */
const gpu_facts *gpu_facts_of(const gpu *g);
const char *gpu_name(const gpu *g); /* "cuda:0" */
int64_t gpu_free_memory(const gpu *g);
int64_t gpu_used_memory(const gpu *g); /* Bytes taken by gpu_take. */

/* what: a name of the memory, such as "field u", for the message if it does not fit. A
 * fill or copy must stay inside one block of gpu_take. */
pav_status gpu_take(gpu *g, int64_t bytes, const char *what, void **memory);
void gpu_release(gpu *g, void *memory);
pav_status gpu_fill(gpu *g, void *memory, int byte, int64_t bytes);
pav_status gpu_upload(gpu *g, void *to, const void *from, int64_t bytes);
/* Like gpu_upload, but does not wait for earlier work. */
pav_status gpu_send(gpu *g, void *to, const void *from, int64_t bytes);
pav_status gpu_download(gpu *g, void *to, const void *from, int64_t bytes);
/* Both addresses are on the GPU. */
pav_status gpu_copy(gpu *g, void *to, const void *from, int64_t bytes);

/* Copies concurrent with kernels. They begin when all earlier work is
 * done; gpu_exchange_end waits for them. In between, neither the host nor any kernel may
 * touch the memory on either side. One exchange runs at a time; `list` must live until
 * its end. */
typedef struct gpu_transfer {
    void *there, *here; /* Address on the GPU; address on the host. */
    int64_t bytes;
    bool up; /* Direction: host to GPU. */
} gpu_transfer;
pav_status gpu_exchange_begin(gpu *g, const gpu_transfer *list, int64_t count);
pav_status gpu_exchange_end(gpu *g);
/* Seconds since the first exchange: start of this exchange, end of its uploads, end of
 * its downloads, end of the work queued in between. Only completed exchanges are
 * listed. */
typedef struct gpu_exchange_time {
    double begun, up, down, work;
} gpu_exchange_time;
const gpu_exchange_time *gpu_exchange_times(gpu *g, int64_t *count);
/* Pins host memory. The GPU copies pinned memory directly, and faster than pageable
 * memory, which goes through staging buffers. A refusal is PAV_EDEVICE or PAV_ENOMEM and
 * changes nothing. */
pav_status gpu_pin(gpu *g, void *here, int64_t bytes);
void gpu_unpin(gpu *g, void *here);

/* CUDA C++ compiled to kernels, or taken from the cache. how: HOST_KEEP; HOST_QUICK if
 * the compiler gains from it. NVRTC ignores HOST_QUICK: without its optimiser it saves
 * little time and makes other kernels than a run uses. */
typedef struct gpu_module gpu_module;
typedef struct gpu_kernel gpu_kernel; /* Lives until its module is closed. */
typedef struct gpu_kernel_facts {
    int registers, most_threads; /* most_threads: per block. */
    /* Bytes: spilled per thread; static shared memory per block. */
    int64_t spilled, shared;
} gpu_kernel_facts;
pav_status gpu_module_open(gpu *g, const char *source, int64_t length, unsigned how,
                           gpu_module **result);
void gpu_module_close(gpu_module *m);
RELEASES(close_gpu_module, gpu_module, gpu_module_close)
const char *gpu_module_note(const gpu_module *m); /* See host_module_note. */
/* NULL if there is no such kernel. */
gpu_kernel *gpu_module_find(gpu_module *m, const char *name);

/* A kernel takes one argument: a structure passed by value. */
typedef struct gpu_call {
    gpu_kernel *kernel;
    int64_t blocks[3];
    int threads[3];
    int64_t shared; /* Bytes of dynamic shared memory. */
    const void *argument;
    int64_t argument_bytes;
    /* Cooperative launch: all blocks run at once and may wait for each other. */
    bool together;
} gpu_call;
/* Does nothing if there are no blocks. */
pav_status gpu_launch(gpu *g, const gpu_call *call);
/* gpu_reads: true if kernels of g may read the memory of another GPU.
 * gpu_launch_reading launches such a kernel after the earlier work of the other GPU;
 * later work of the other GPU waits for the kernel. */
bool gpu_reads(gpu *g, gpu *other);
pav_status gpu_launch_reading(gpu *g, gpu *other, const gpu_call *call);
/* Work on a second, more urgent queue. From BEGIN to END calls go to
 * the second queue. After BEGIN it waits for all earlier work; after AGAIN for the
 * earlier work of the second queue only. Work after END does not wait for the second
 * queue before gpu_join. After gpu_join, new work of `g` follows all work of the second
 * queue of `other`. A GPU without a second queue does everything in order. */
typedef enum gpu_concurrent_step {
    GPU_CONCURRENT_BEGIN,
    GPU_CONCURRENT_AGAIN,
    GPU_CONCURRENT_END
} gpu_concurrent_step;
pav_status gpu_concurrent(gpu *g, gpu_concurrent_step step);
pav_status gpu_join(gpu *g, gpu *other);
/* Links by NCCL between GPUs of this process and others (gpu_links.c). One process makes
 * an id and hands it to the others. The GPUs of this process have the numbers from
 * `first` on, out of `all`. All processes open the links at once, and no GPU may occur
 * twice. Between begin and end, gpu_links_pass sends memory to GPU number `other`, or
 * receives memory from it, in the present queue of `g`. Close *result whatever the
 * status. */
typedef struct gpu_links gpu_links;
typedef struct gpu_links_id {
    char bytes[128];
} gpu_links_id;
bool gpu_links_there(void);
bool gpu_links_know(const gpu *g);
pav_status gpu_links_new_id(gpu_links_id *id);
pav_status gpu_links_open(gpu *const *g, int count, int first, int all,
                          const gpu_links_id *id, gpu_links **result);
pav_status gpu_links_begin(void);
pav_status gpu_links_pass(const gpu_links *l, gpu *g, void *memory, int64_t bytes,
                          int other, bool sends);
pav_status gpu_links_end(void);
void gpu_links_close(gpu_links *l);
/* Largest number of blocks in a cooperative launch with this many threads and bytes of
 * shared memory per block; 0 if the GPU has no such launches. */
int64_t gpu_cooperative_blocks(const gpu_kernel *k, int threads, int64_t shared);
pav_status gpu_wait(gpu *g);
/* The same for all work of this process on the GPU. From now on other code of the process
 * may use the block around `memory`. *number: of the GPU for its driver; -1: it is
 * emulated, and the code is the host's. */
pav_status gpu_share(gpu *g, void *memory, int *number);

/* Copies at most GPU_MOST_ARGUMENT bytes into the argument ring for the next launch. *at
 * is their address on the GPU. The address is the same in each repetition of a round of
 * launches, so changing bytes do not prevent graphs. A kernel must not keep the
 * address. */
pav_status gpu_argument_ring_put(gpu *g, const void *from, int64_t bytes,
                                 const void **at);
/* A __constant__ variable of a module with at least this many bytes; NULL if there is
 * none. It lives until the module is closed and holds its value for all later launches.
 * Setting it to the same value again costs nothing. */
typedef struct gpu_constant gpu_constant;
gpu_constant *gpu_module_constant(gpu_module *m, const char *name, int64_t bytes);
pav_status gpu_constant_set(gpu_constant *c, const void *from);

/* A region of memory for box copies by the tensor memory accelerator. Axes are words,
 * rows and planes; a word has 4 or 8 bytes; strides are in bytes. The address, the
 * strides of rows and planes, and the rows of a box are multiples of 16 bytes. Points of
 * a box outside the region read zero. Kernels receive the region's map in their
 * argument. */
typedef struct gpu_tensor_region {
    const void *data;
    int64_t count[3], stride[3];
    int box[3];
} gpu_tensor_region;
typedef struct gpu_map {
    _Alignas(64) uint64_t word[16];
} gpu_map;
/* The reason why the GPU has no tensor copies; NULL if it has them. */
const char *gpu_tensor_refusal(const gpu *g);
pav_status gpu_map_tensor(gpu *g, const gpu_tensor_region *p, gpu_map *map);

/* Repeated launches (gpu_kernel.c). A caller with repeated launches calls gpu_step at the
 * end of each step and passes the number of steps in a period. From the first call on,
 * launches are queued until they make a round or until any other request to the GPU. A
 * round equal to an earlier one, argument for argument, is launched at once as a graph. A
 * GPU without graphs queues nothing. */
pav_status gpu_step(gpu *g, int64_t period);
typedef struct gpu_counts {
    int64_t launches, replayed; /* replayed: launches inside graphs. */
    int64_t graphs, replays;    /* graphs: graphs made. */
    /* Launches by gpu_time_row, in addition to the other counts. */
    int64_t timed;
} gpu_counts;
gpu_counts gpu_count(const gpu *g);

/* Marks in the queue of work, and the seconds between two marks on the GPU's clock. */
enum { GPU_MARKS = 64 };
pav_status gpu_mark(gpu *g, int mark);
pav_status gpu_seconds(gpu *g, int from, int to, double *seconds);
/* Seconds of one launch, measured over `launches` identical launches in a graph
 * (gpu_kernel.c). The kernel runs more often than `launches`, so it must not read its
 * own results. Overwrites the last two marks. */
pav_status gpu_time_row(gpu *g, const gpu_call *call, int64_t launches, double *seconds);

/* Compiles for an architecture (90: sm_90) without any GPU. Reports registers, spills and
 * shared memory of every kernel in one line each, in the compiler's wording. */
pav_status gpu_try_compile(int architecture, const char *source, int64_t length,
                           text *stats);

/* ---- copying (host_rates.c) -------------------------------------------------------- */

/* Two arrays larger than the caches and a team copying one to the other. Each thread
 * copies the part it touched first, with non-temporal stores if possible. The rate bounds
 * every kernel reading one point and writing one. */
typedef struct host_copy host_copy;
/* The team must outlive the result. */
pav_status host_copy_open(host_team *team, host_copy **result);
void host_copy_close(host_copy *c);
RELEASES(close_copy, host_copy, host_copy_close)
double host_copy_pass(host_copy *c); /* Bytes per second, reads plus writes. */
/* host_rates.c: all rates of a team; each rate is the best of several passes. */
pav_status host_rates_measure(host_team *team, machine_rates *r);

/* ---- arithmetic (host_rates.c) ----------------------------------------------------- */

/* Bytes of results per second over all threads of a team, the best of all passes.
 * `products` counts fused multiply-adds; `both` counts fused multiply-adds with an equal
 * number of additions between them. Both stay 0 if the processor is not supported. */
typedef struct host_arithmetic {
    double products, both;
} host_arithmetic;
void host_arithmetic_pass(host_team *team, host_arithmetic *best);

#endif
