/* SPDX-License-Identifier: BSD-3-Clause */
/* Reports the features of this build and this machine, on one screen or in one JSON
 * object. For each missing feature it gives the remedy. */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "device/cuda/cuda_private.h"
#include "device/device_private.h"

/* ---- compilers --------------------------------------------------------------------- */

/* Times each compiler with a small kernel. The first run of a description waits about
 * this long. Results are not kept. */

static const char c_text[] =
    "void step(double *to, const double *from, long count)\n"
    "{\n"
    "    for (long i = 1; i + 1 < count; i++)\n"
    "        to[i] = from[i] + 0.1 * (from[i - 1] - 2 * from[i] + from[i + 1]);\n"
    "}\n";
static const char cuda_text[] =
    "extern \"C\" __global__ void step(double *to, const double *from, long count)\n"
    "{\n"
    "    const long i = 1 + blockIdx.x * (long)blockDim.x + threadIdx.x;\n"
    "    if (i + 1 < count)\n"
    "        to[i] = from[i] + 0.1 * (from[i - 1] - 2 * from[i] + from[i + 1]);\n"
    "}\n";

static pav_status compile_on_host(language l)
{
    OWNED_BY(close_module) host_module *m = NULL;

    return module_open(l, c_text, (int64_t)strlen(c_text), NULL, 0, &m);
}

static pav_status compile_by_nvrtc(void)
{
    enum { USUAL = 90 };
    char target[NVRTC_TARGET];
    OWNED_BY(text_free) text image = {0};
    const char *why;
    nvrtc n;

    if (!nvrtc_find(0, &n, &why) || !nvrtc_target(&n, USUAL, target, &why))
        return FAIL(PAV_EDEVICE, "%s", why);
    const nvrtc_job job = {.source = cuda_text, .target = target};
    return nvrtc_run(&n, &job, &image, NULL);
}

enum { IN_C, IN_CXX, IN_CUDA, COMPILERS };
static const struct {
    const char *name, *key;
} compilers[COMPILERS] = {
    [IN_C] = {"C", "c"}, [IN_CXX] = {"C++", "cxx"}, [IN_CUDA] = {"CUDA", "cuda"}};

/* NAN if compiling fails. */
static double seconds_of(int number)
{
    const double begun = clock_seconds();
    const pav_status status = number == IN_CUDA
                                  ? compile_by_nvrtc()
                                  : compile_on_host(number == IN_C ? LANGUAGE_C
                                                                   : LANGUAGE_CXX);
    return status == PAV_OK ? clock_seconds() - begun : NAN;
}

/* ---- GPUs -------------------------------------------------------------------------- */

/* Adds the facts of each GPU below a device's line, and if it is not usable, the
 * reason. */
static void doctor_gpus(text *t, const device_ops *o)
{
    const int count = o->gpu && o->gpu->count ? o->gpu->count() : 0;
    const char *why;
    char name[GPU_NAME];
    gpu_facts f;

    for (int n = 0; n < count; n++) {
        const bool usable = o->gpu->describe(n, &f, &why);
        (void)snprintf(name, sizeof name, "%s:%d", o->name, n);
        text_add(t, "    %-16s", name);
        text_add_values(t, "%s, sm_%i%i, %z, %i multiprocessors\n", f.name, f.major,
                        f.minor, f.memory, f.multiprocessors);
        if (!usable)
            text_add(t, "    %-16sno: %s\n", "", why);
    }
    if (count == 0)
        return;
    text_add(t, "    ");
    o->gpu->versions(t);
    text_add(t, "\n");
}

/* Adds nothing for devices without numbers. */
static void doctor_gpus_json(text *t, const device_ops *o)
{
    OWNED_BY(text_free) text said = {0};
    gpu_facts f;

    if (!o->gpu || !o->gpu->count)
        return;
    const int count = o->gpu->count();
    if (count > 0)
        o->gpu->versions(&said);
    text_add_values(t, ", \"versions\": %q, \"gpus\": [", said.data);
    for (int n = 0; n < count; n++) {
        const char *why = NULL;
        const bool usable = o->gpu->describe(n, &f, &why);
        text_add_values(t,
                        "%s{\"name\": \"%s:%i\", \"model\": %q, \"present\": %b, "
                        "\"why\": %q, \"architecture\": \"sm_%i%i\", "
                        "\"memory_bytes\": %d, \"l2_bytes\": %d, "
                        "\"shared_block_bytes\": %i, \"multiprocessors\": %i}",
                        n > 0 ? ", " : "", o->name, n, f.name, usable,
                        usable ? NULL : why, f.major, f.minor, f.memory, f.l2,
                        f.shared_block, f.multiprocessors);
    }
    text_add(t, "]");
}

/* ---- processors -------------------------------------------------------------------- */

/* Nodes, cores and processors used for choosing threads, and the limit set by control
 * groups; 0 in JSON: no limit. */

static void doctor_topology(text *t)
{
    const host_topology p = host_find_topology();

    if (p.processors == 0) {
        text_add(t, "unknown: the system does not say which processors may be used\n");
        return;
    }
    text_add(t, "%d NUMA node%s, %d core%s, %d processor%s", p.nodes,
             p.nodes == 1 ? "" : "s", p.cores, p.cores == 1 ? "" : "s", p.processors,
             p.processors == 1 ? "" : "s");
    if (host_cpu_limit() > 0)
        text_add(t, "; control groups give the time of %d", host_cpu_limit());
    text_add(t, "\n");
}

/* ---- the report -------------------------------------------------------------------- */

enum { COPIES = 4 };

#define WORD(x) #x
#define VERSION(major, minor, patch) WORD(major) "." WORD(minor) "." WORD(patch)
#if defined(__clang__)
#define BUILDER "clang " VERSION(__clang_major__, __clang_minor__, __clang_patchlevel__)
#else
#define BUILDER "gcc " VERSION(__GNUC__, __GNUC_MINOR__, __GNUC_PATCHLEVEL__)
#endif

/* ---- as text ----------------------------------------------------------------------- */

static void add_label(text *t, const char *label)
{
    text_add(t, "%-20s", label);
}

/* The best of a few passes, because other processes disturb the best pass least. 0 if
 * memory runs out. */
static double best_copy(int threads)
{
    OWNED_BY(close_team) host_team *team = NULL;
    OWNED_BY(close_copy) host_copy *copy = NULL;
    double best = 0;

    if (host_team_open(threads, HOST_BIND_AUTO, &team) == PAV_OK &&
        host_copy_open(team, &copy) == PAV_OK)
        for (int n = 0; n < COPIES; n++)
            best = fmax(host_copy_pass(copy), best);
    return best;
}

static void add_copy_rate(text *t, int threads, const char *who)
{
    const double rate = best_copy(threads);

    add_label(t, "copy rate");
    if (rate > 0)
        text_add(t, "%.1f GB/s read and written, by %s (measured)\n", rate / 1e9, who);
    else
        text_add(t, "not measured: there is not enough memory\n");
}

/* Opens a team with the default number of threads and default binding, and reports
 * whether it is bound. */
static bool usual_team(bool *bound)
{
    OWNED_BY(close_team) host_team *team = NULL;
    const bool made = host_team_open(host_threads(), HOST_BIND_AUTO, &team) == PAV_OK;

    *bound = host_team_is_bound(team);
    return made;
}

static int64_t count_installed(const char *target)
{
    char path[2 * CACHE_PATH];
    OWNED_BY(listing_close)
    DIR *const folder = installed_path(target, path) ? opendir(path) : NULL;
    const struct dirent *entry;
    int64_t count = 0;

    while (folder && (entry = readdir(folder)))
        count += strstr(entry->d_name, ".cubin") != NULL;
    return count;
}

static void add_installed(text *t)
{
    add_label(t, "installed kernels");
    for (int level = 0; installed_flags[level]; level++)
        text_add(t, "%lld for %s, ", (long long)installed_count(level),
                 strchr(installed_flags[level], '=') + 1);
    text_add(t, "%s\n", *installed_note() ? installed_note() : "by `make kernels`");
    add_label(t, "    for GPUs");
    for (const char *const *target = installed_gpus; *target; target++)
        text_add(t, "%lld for %s, ", (long long)count_installed(*target), *target);
    text_add(t, "by `make kernels` with NVRTC\n");
}

/* A sentence of several parts, a part a line if one line is too narrow for all. */
static void add_sentence(const char *sentence, text *t)
{
    enum { LINE = 110, INDENT = 20, SAYS = 5 };
    const char *end = strlen(sentence) > LINE - INDENT - SAYS ? strstr(sentence, "; ")
                                                              : NULL;

    for (; end; end = strstr(sentence, "; ")) {
        text_add_bytes(t, sentence, end + 1 - sentence);
        text_add(t, "\n%*s", INDENT, "");
        sentence = end + 2;
    }
    text_add(t, "%s\n", sentence);
}

static void add_devices(text *t)
{
    text_add(t, "\ndevices\n");
    for (int n = 0; device_table[n]; n++) {
        const device_ops *o = device_table[n];
        const char *why;
        const bool present = o->present(&why);
        text_add(t, "  %-18s%s: ", o->name, present ? "yes" : "no");
        add_sentence(present ? o->about : why, t);
        doctor_gpus(t, o);
    }
}

/* Plugins of Pavior tell more about the library behind them. */
static const library_call about_plugin = {"pavior_about", 0};

static void add_libraries(text *t)
{
    text_add(t, "\noptional libraries\n");
    for (const optional_library *l = library_table; l->name; l++) {
        const char *file, *about = NULL;
        void *const opened = library_open(l->name, &file);
        text_add(t, "  %-18s", l->name);
        if (opened)
            text_add(t, "found (%s%s)\n", file,
                     library_find(opened, &about_plugin, 1, &about) ? about : "");
        else
            text_add(t, "not found; needed for %s (%s)\n", l->use, l->get);
    }
}

static void add_text(text *t)
{
    host_info h;

    host_describe(&h);
    text_add(t, "%-20s%s, built with " BUILDER "\n", "Pavior", PAV_VERSION);
    text_add(t, "%-20s%s, %d %s usable\n%-20sAVX2 %s, FMA %s, AVX-512 %s\n", "processor",
             h.model[0] ? h.model : "of unknown model", h.processors,
             h.processors == 1 ? "core or thread" : "cores or threads", "vectors",
             h.avx2 ? "yes" : "no", h.fma ? "yes" : "no", h.avx512f ? "yes" : "no");
    add_label(t, "topology");
    doctor_topology(t);
    add_label(t, "caches");
    for (int n = 0; n < h.caches; n++) {
        text_add_values(t, "%s%s %z", n > 0 ? ", " : "", h.cache[n].name,
                        h.cache[n].bytes);
        if (h.cache[n].shared_by > 1)
            text_add(t, " (shared by %d)", h.cache[n].shared_by);
    }
    text_add(t, h.caches > 0 ? "\n" : "unknown: defaults are assumed\n");
    add_label(t, "memory");
    text_add_values(t, h.memory > 0 ? "%z" : "unknown", h.memory);
    text_add_values(t, h.available >= 0 ? ", %z available\n" : "\n", h.available);
    bool bound;
    if (usual_team(&bound))
        text_add(t, "%-20s%d, %s (--threads or PAV_THREADS, --bind)\n", "threads",
                 host_threads(), bound ? "each bound to a core" : "not bound");
    else
        text_add(t, "%-20snone beside the first: %s\n", "threads", pav_message());
    add_copy_rate(t, 1, "one thread");
    if (host_threads() > 1)
        add_copy_rate(t, host_threads(), "all threads");
    const char *why;
    OWNED_BY(close_reads) memory_reads *m = memory_reads_open(&why);
    text_add(t, "%-20s%s%s\n", "counters",
             m ? "of what is read from memory (`pavior bench`)" : "none: ", m ? "" : why);
    text_add(t, "%-20s%s\n", "compiler here",
             h.compiler[0] ? h.compiler : "none on PATH (cc, gcc, clang)");
    add_label(t, "a small kernel");
    for (int k = 0; k < COMPILERS; k++) {
        const double seconds = seconds_of(k);
        text_add(t, "%s", k > 0 ? ", " : "");
        if (isnan(seconds))
            text_add(t, "none in %s", compilers[k].name);
        else
            text_add(t, "%.2f s in %s", seconds, compilers[k].name);
    }
    text_add(t, " (measured)\n");
    add_installed(t);
    add_devices(t);
    add_libraries(t);
}

/* ---- as JSON ----------------------------------------------------------------------- */

static void json_host(text *t, const host_info *h)
{
    const char *why;
    bool bound;

    const host_topology p = host_find_topology();
    const bool made = usual_team(&bound);

    text_add_values(
        t,
        "  \"processor\": %q,\n  \"processors\": %i,\n  \"avx2\": %b,\n"
        "  \"fma\": %b,\n  \"avx512f\": %b,\n  \"numa_nodes\": %i,\n"
        "  \"cores\": %i,\n  \"processor_limit\": %i,\n"
        "  \"threads\": %i,\n  \"bind\": %q,\n  \"memory_bytes\": %d,\n",
        h->model[0] ? h->model : NULL, h->processors, h->avx2, h->fma, h->avx512f,
        p.nodes, p.cores, host_cpu_limit(), made ? host_threads() : 1,
        host_binding_name(bound ? HOST_BIND_CORES : HOST_BIND_NONE), h->memory);
    if (h->available >= 0)
        text_add_values(t, "  \"available_bytes\": %d,\n", h->available);
    text_add(t, "  \"caches\": [");
    for (int n = 0; n < h->caches; n++)
        text_add_values(t, "%s{\"name\": %q, \"bytes\": %d, \"shared_by\": %i}",
                        n > 0 ? ", " : "", h->cache[n].name, h->cache[n].bytes,
                        h->cache[n].shared_by);
    OWNED_BY(close_reads) memory_reads *m = memory_reads_open(&why);
    text_add_values(t,
                    "],\n  \"copy_bytes_per_second\": {\"one_thread\": %g, "
                    "\"all_threads\": %g},\n  \"counters\": %b,\n"
                    "  \"compiler_here\": %q,\n  \"compile_seconds\": ",
                    best_copy(1), best_copy(host_threads()), m != NULL,
                    h->compiler[0] ? h->compiler : NULL);
    for (int k = 0; k < COMPILERS; k++)
        text_add_values(t, "%s%q: %g", k > 0 ? ", " : "{", compilers[k].key,
                        seconds_of(k));
    text_add(t, "},\n");
}

static void json_devices(text *t)
{
    text_add(t, "  \"devices\": [");
    for (int n = 0; device_table[n]; n++) {
        const char *why;
        const bool present = device_table[n]->present(&why);
        text_add_values(t, "%s{\"name\": %q, \"present\": %b, \"about\": %q",
                        n > 0 ? ", " : "", device_table[n]->name, present,
                        present ? device_table[n]->about : why);
        doctor_gpus_json(t, device_table[n]);
        text_add(t, "}");
    }
    text_add(t, "],\n");
}

static void json_libraries(text *t)
{
    text_add(t, "  \"libraries\": [");
    for (const optional_library *l = library_table; l->name; l++) {
        const char *file;
        const bool found = library_open(l->name, &file) != NULL;
        text_add_values(t, "%s{\"name\": %q, \"found\": %b, \"file\": %q}",
                        l > library_table ? ", " : "", l->name, found, file);
    }
    text_add(t, "]\n");
}

static void add_json(text *t)
{
    host_info h;

    host_describe(&h);
    text_add_values(t, "{\n  \"version\": %q,\n  \"built_with\": %q,\n", PAV_VERSION,
                    BUILDER);
    json_host(t, &h);
    json_devices(t);
    json_libraries(t);
    text_add(t, "}\n");
}

pav_status pav_doctor(int json, char **result)
{
    GUARDED;
    text t = {0};

    if (!result)
        return FAIL(PAV_EINVAL, "pav_doctor needs a place to put the text");
    if (json)
        add_json(&t);
    else
        add_text(&t);
    return text_take(&t, result);
}
