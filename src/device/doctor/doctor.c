/* SPDX-License-Identifier: BSD-3-Clause */
/* Reports the features of this build and this machine, on one screen or in one JSON
 * object. For each missing feature it gives the remedy. */
#include "device/device_private.h"

enum { COPIES = 4 };

#if defined(__clang__)
static const char builder[] = "clang";
static const int builder_version[] = {__clang_major__, __clang_minor__,
                                      __clang_patchlevel__};
#else
static const char builder[] = "gcc";
static const int builder_version[] = {__GNUC__, __GNUC_MINOR__, __GNUC_PATCHLEVEL__};
#endif

static void add_builder(text *t)
{
    text_add(t, "%s %d.%d.%d", builder, builder_version[0], builder_version[1],
             builder_version[2]);
}

/* ---- as text ----------------------------------------------------------------------- */

static void add_label(text *t, const char *label)
{
    text_add(t, "%-20s", label);
}

static void add_memory(text *t, const host_info *h)
{
    add_label(t, "memory");
    if (h->memory > 0)
        text_add_bytes_size(t, h->memory);
    else
        text_add(t, "unknown");
    if (h->available >= 0) {
        text_add(t, ", ");
        text_add_bytes_size(t, h->available);
        text_add(t, " available");
    }
    text_add(t, "\n");
}

static void add_caches(text *t, const host_info *h)
{
    add_label(t, "caches");
    for (int n = 0; n < h->caches; n++) {
        text_add(t, "%s%s ", n > 0 ? ", " : "", h->cache[n].name);
        text_add_bytes_size(t, h->cache[n].bytes);
        if (h->cache[n].shared_by > 1)
            text_add(t, " (shared by %d)", h->cache[n].shared_by);
    }
    text_add(t, h->caches > 0 ? "\n" : "unknown: defaults are assumed\n");
}

/* The best of a few passes, because other processes disturb the best pass least. 0 if
 * memory runs out. */
static double best_copy(int threads)
{
    host_team *team = NULL;
    host_copy *copy = NULL;
    double best = 0;

    if (host_team_open(threads, HOST_BIND_AUTO, &team) == PAV_OK &&
        host_copy_open(team, &copy) == PAV_OK)
        for (int n = 0; n < COPIES; n++) {
            const double rate = host_copy_pass(copy);
            best = rate > best ? rate : best;
        }
    host_copy_close(copy);
    host_team_close(team);
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
    host_team *team = NULL;
    const bool made = host_team_open(host_threads(), HOST_BIND_AUTO, &team) == PAV_OK;

    *bound = host_team_is_bound(team);
    host_team_close(team);
    return made;
}

static void add_threads(text *t)
{
    bool bound;

    add_label(t, "threads");
    if (usual_team(&bound))
        text_add(t, "%d, %s (--threads or PAV_THREADS, --bind)\n", host_threads(),
                 bound ? "each bound to a core" : "not bound");
    else
        text_add(t, "none beside the first: %s\n", pav_message());
}

static void add_counters(text *t)
{
    const char *why;
    memory_reads *m = memory_reads_open(&why);

    add_label(t, "counters");
    text_add(t, "%s%s\n",
             m ? "of what is read from memory (`pavior bench`)" : "none: ", m ? "" : why);
    memory_reads_close(m);
}

static void add_host(text *t, const host_info *h)
{
    add_label(t, "processor");
    text_add(t, "%s, %d %s usable\n", h->model[0] ? h->model : "of unknown model",
             h->processors, h->processors == 1 ? "core or thread" : "cores or threads");
    add_label(t, "vectors");
    text_add(t, "AVX2 %s, FMA %s, AVX-512 %s\n", h->avx2 ? "yes" : "no",
             h->fma ? "yes" : "no", h->avx512f ? "yes" : "no");
    add_label(t, "topology");
    doctor_topology(t);
    add_caches(t, h);
    add_memory(t, h);
    add_threads(t);
    add_copy_rate(t, 1, "one thread");
    if (host_threads() > 1)
        add_copy_rate(t, host_threads(), "all threads");
    add_counters(t);
    add_label(t, "compiler here");
    text_add(t, "%s\n", h->compiler[0] ? h->compiler : "none on PATH (cc, gcc, clang)");
    add_label(t, "a small kernel");
    doctor_compile(t);
}

static void add_devices(text *t)
{
    text_add(t, "\ndevices\n");
    for (int n = 0; device_table[n]; n++) {
        const char *why;
        text_add(t, "  ");
        text_add(t, "%-18s", device_table[n]->name);
        if (device_table[n]->present(&why))
            text_add(t, "yes: %s\n", device_table[n]->about);
        else
            text_add(t, "no: %s\n", why);
        doctor_gpus(t, device_table[n]);
    }
}

static void add_libraries(text *t)
{
    text_add(t, "\noptional libraries\n");
    for (const optional_library *l = library_table; l->name; l++) {
        const char *file;
        text_add(t, "  %-18s", l->name);
        if (library_open(l->name, &file))
            text_add(t, "found (%s)\n", file);
        else
            text_add(t, "not found; needed for %s (%s)\n", l->use, l->get);
    }
}

static void add_text(text *t)
{
    host_info h;

    host_describe(&h);
    add_label(t, "Pavior");
    text_add(t, "%s, built with ", PAV_VERSION);
    add_builder(t);
    text_add(t, "\n");
    add_host(t, &h);
    add_devices(t);
    add_libraries(t);
}

/* ---- as JSON ----------------------------------------------------------------------- */

static const char *boolean(bool value)
{
    return value ? "true" : "false";
}

static void json_threads(text *t)
{
    bool bound;
    const bool made = usual_team(&bound);

    text_add(t, "  \"threads\": %d,\n  \"bind\": \"%s\",\n", made ? host_threads() : 1,
             host_binding_name(bound ? HOST_BIND_CORES : HOST_BIND_NONE));
}

static void json_counters(text *t)
{
    const char *why;
    memory_reads *m = memory_reads_open(&why);

    text_add(t, ",\n  \"counters\": %s", boolean(m != NULL));
    memory_reads_close(m);
}

static void json_host(text *t, const host_info *h)
{
    text_add(t, "  \"processor\": ");
    text_add_json(t, h->model[0] ? h->model : NULL);
    text_add(t, ",\n  \"processors\": %d,\n", h->processors);
    text_add(t, "  \"avx2\": %s,\n  \"fma\": %s,\n  \"avx512f\": %s,\n", boolean(h->avx2),
             boolean(h->fma), boolean(h->avx512f));
    doctor_topology_json(t);
    json_threads(t);
    text_add(t, "  \"memory_bytes\": %lld,\n", (long long)h->memory);
    if (h->available >= 0)
        text_add(t, "  \"available_bytes\": %lld,\n", (long long)h->available);
    text_add(t, "  \"caches\": [");
    for (int n = 0; n < h->caches; n++)
        text_add(t, "%s{\"name\": \"%s\", \"bytes\": %lld, \"shared_by\": %d}",
                 n > 0 ? ", " : "", h->cache[n].name, (long long)h->cache[n].bytes,
                 h->cache[n].shared_by);
    text_add(t, "],\n  \"copy_bytes_per_second\": {\"one_thread\": ");
    text_add_json_double(t, best_copy(1));
    text_add(t, ", \"all_threads\": ");
    text_add_json_double(t, best_copy(host_threads()));
    text_add(t, "}");
    json_counters(t);
    text_add(t, ",\n  \"compiler_here\": ");
    text_add_json(t, h->compiler[0] ? h->compiler : NULL);
    text_add(t, ",\n  \"compile_seconds\": ");
    doctor_compile_json(t);
    text_add(t, ",\n");
}

static void json_devices(text *t)
{
    text_add(t, "  \"devices\": [");
    for (int n = 0; device_table[n]; n++) {
        const char *why;
        const bool present = device_table[n]->present(&why);
        text_add(t, "%s{\"name\": ", n > 0 ? ", " : "");
        text_add_json(t, device_table[n]->name);
        text_add(t, ", \"present\": %s, \"about\": ", boolean(present));
        text_add_json(t, present ? device_table[n]->about : why);
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
        text_add(t, "%s{\"name\": ", l > library_table ? ", " : "");
        text_add_json(t, l->name);
        text_add(t, ", \"found\": %s, \"file\": ", boolean(found));
        text_add_json(t, file);
        text_add(t, "}");
    }
    text_add(t, "]\n");
}

static void add_json(text *t)
{
    host_info h;

    host_describe(&h);
    text_add(t, "{\n  \"version\": ");
    text_add_json(t, PAV_VERSION);
    text_add(t, ",\n  \"built_with\": \"");
    add_builder(t);
    text_add(t, "\",\n");
    json_host(t, &h);
    json_devices(t);
    json_libraries(t);
    text_add(t, "}\n");
}

static void doctor_text(bool json, text *t)
{
    if (json)
        add_json(t);
    else
        add_text(t);
}

pav_status pav_doctor(int json, char **result)
{
    GUARDED;
    text t = {0};

    if (!result)
        return FAIL(PAV_EINVAL, "pav_doctor needs a place to put the text");
    doctor_text(json != 0, &t);
    return text_take(&t, result);
}
