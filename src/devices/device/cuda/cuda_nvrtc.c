/* SPDX-License-Identifier: BSD-3-Clause */
/* NVRTC, NVIDIA's compiler library: finding a version, choosing its target, running it.
 * It may neither contract nor flush to zero nor approximate quotients or roots. It needs
 * no GPU. */
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "device/cuda/cuda_private.h"

enum {
    MOST_ARCHITECTURES = 128,
    MOST_OPTIONS = 16,
    OPTION = 64,
    SHOWN = 500,
    SPLITS = 13
};

static const char *const flags[] = {
    "--std=c++17", "--fmad=false", "--prec-div=true", "--prec-sqrt=true", "--ftz=false",
};
static const char report_flag[] = "--ptxas-options=-v";
static const char compile_anew_flag[] = "--no-cache";

/* ---- finding it -------------------------------------------------------------------- */

#define ROW(result, member, name, arguments) {#name, offsetof(nvrtc, member)},
static const library_call calls[] = {NVRTC_CALLS(ROW)},
                          watch[] = {{"nvrtcSetFlowCallback", offsetof(nvrtc, watch)}};

/* A driver loads the output of compilers with its own major version or an older one. */
bool nvrtc_find(int newest, nvrtc *n, const char **why)
{
    const int most = newest ? newest / 1000 : INT_MAX;
    nvrtc passed = {0};
    void *library;
    int at = 0;

    do {
        *n = (nvrtc){0};
        library = library_next("NVRTC", &at, &n->file);
        if (!library || !library_find(library, calls, COUNT_OF(calls), n) ||
            n->version(&n->major, &n->minor) != 0)
            continue;
        (void)library_find(library, watch, COUNT_OF(watch), n);
        if (n->major <= most) {
            /* Opens NVRTC's second library by its path. Some versions look for it by name
             * only; once it is loaded, they find it. */
            char name[OPTION];
            (void)snprintf(name, sizeof name, "libnvrtc-builtins.so.%d.%d", n->major,
                           n->minor);
            library_open_another(library, "nvrtcVersion", name);
            return true;
        }
        passed = *n;
    } while (library);
    static const char get[] = "pip install nvidia-cuda-nvrtc, or the toolkit's package "
                              "cuda-nvrtc; PAV_NVRTC names its file";
    const char *named = getenv("PAV_NVRTC");
    if (passed.major > 0)
        return cuda_say(why,
                        "the driver knows CUDA %d.%d only, too old for NVRTC %d.%d (%s): "
                        "update the driver, or install NVRTC %d",
                        newest / 1000, newest % 1000 / 10, passed.major, passed.minor,
                        passed.file, newest / 1000);
    return named && *named
               ? cuda_say(why,
                          "PAV_NVRTC is '%.400s', which is no NVRTC that can be opened",
                          named)
               : cuda_say(why, "there is no NVRTC, which compiles kernels: %s", get);
}

/* ---- architectures ----------------------------------------------------------------- */

bool nvrtc_target(const nvrtc *n, int architecture, char target[NVRTC_TARGET],
                  const char **why)
{
    int list[MOST_ARCHITECTURES], below = 0, least = INT_MAX, count = 0;

    if (n->architecture_count(&count) != 0 || count > MOST_ARCHITECTURES ||
        n->architectures(list) != 0)
        count = 0;
    for (int k = 0; k < count; k++) {
        below = list[k] <= architecture && list[k] > below ? list[k] : below;
        least = list[k] < least ? list[k] : least;
    }
    if (count == 0)
        return cuda_say(why, "NVRTC %d.%d (%s) does not say what it compiles for",
                        n->major, n->minor, n->file);
    if (below == 0)
        return cuda_say(why,
                        "NVRTC %d.%d compiles for sm_%d and newer, not for sm_%d: "
                        "install an older one",
                        n->major, n->minor, least, architecture);
    (void)snprintf(target, NVRTC_TARGET, "%s_%d",
                   below == architecture ? "sm" : "compute", below);
    return true;
}

/* ---- compiling --------------------------------------------------------------------- */

void nvrtc_hash_options(const nvrtc_job *job, hash *h)
{
    hash_add(h, job->target, (int64_t)strlen(job->target) + 1);
    for (size_t k = 0; k < COUNT_OF(flags); k++)
        hash_add(h, flags[k], (int64_t)strlen(flags[k]) + 1);
}

/* Appends bytes from NVRTC: `measure` gives the size, `fetch` the bytes. */
static int take_bytes(nvrtc_program p, int (*measure)(nvrtc_program, size_t *),
                      int (*fetch)(nvrtc_program, char *), text *t)
{
    size_t size = 0;
    int code = measure(p, &size);
    OWNED char *bytes = code == 0 ? mem_new((int64_t)size + 1, 1) : NULL;

    if (bytes && (code = fetch(p, bytes)) == 0)
        text_add_bytes(t, bytes, (int64_t)size);
    t->failed |= code == 0 && !bytes;
    return code;
}

/* Quotes the first line with "error", or else the first line with any text. */
static pav_status failed(const nvrtc *n, const nvrtc_job *job, int code, const char *log)
{
    const char *line = log ? strstr(log, "error") : NULL;

    while (line && line > log && line[-1] != '\n')
        line--;
    if (!line)
        line = log ? log + strspn(log, "\n") : "";
    const size_t length = strcspn(line, "\n");

    return FAIL(PAV_EDEVICE, "NVRTC %d.%d failed on the kernels for %s: %.*s", n->major,
                n->minor, job->target, (int)(length < SHOWN ? length : SHOWN),
                length > 0 ? line : n->error_string(code));
}

static int stop(void *stops, void *unused)
{
    (void)unused;
    return host_is_stopped(stops);
}

/* Versions from SPLITS on optimise several kernels in parallel. Their report of registers
 * would come in any order, so a report turns this off. So does a compilation that may be
 * stopped: NVRTC 13.0 then frees memory twice. */
static int ask(const nvrtc *n, const nvrtc_job *job, nvrtc_program p, host_stops *stops)
{
    const char *option[MOST_OPTIONS];
    char target[OPTION], split[OPTION];
    int count = 0;

    (void)snprintf(target, sizeof target, "--gpu-architecture=%s", job->target);
    option[count++] = target;
    for (size_t k = 0; k < COUNT_OF(flags); k++)
        option[count++] = flags[k];
    (void)snprintf(split, sizeof split, "--split-compile=%d", host_threads());
    const bool watched = stops->wish && n->watch && n->watch(p, stop, stops) == 0;
    if (job->report)
        option[count++] = report_flag;
    else if (n->major >= SPLITS && !watched)
        option[count++] = split;
    /* From 12.9 on NVRTC may take an earlier result from the driver's cache. The cache
     * does not keep the report of registers. */
    if (job->report && (n->major > 12 || (n->major == 12 && n->minor >= 9)))
        option[count++] = compile_anew_flag;
    return n->compile(p, count, option);
}

pav_status nvrtc_run(const nvrtc *n, const nvrtc_job *job, text *image, text *log)
{
    const bool exact = strncmp(job->target, "sm_", 3) == 0;
    host_stops stops = host_stops_here();
    nvrtc_program p = NULL;
    OWNED_BY(text_free) text own = {0};
    int code = n->create(&p, job->source, "kernels.cu", 0, NULL, NULL);

    if (code != 0)
        return failed(n, job, code, NULL);
    log = log ? log : &own;
    code = ask(n, job, p, &stops);
    (void)take_bytes(p, n->log_size, n->log, log);
    if (code == 0)
        code = exact ? take_bytes(p, n->cubin_size, n->cubin, image)
                     : take_bytes(p, n->ptx_size, n->ptx, image);
    const pav_status status = host_is_stopped(&stops)
                                  ? FAIL(PAV_EINTERRUPTED, "NVRTC was stopped, as asked")
                              : code != 0 ? failed(n, job, code, log->data)
                              : image->failed || log->failed ? PAV_ENOMEM
                                                             : PAV_OK;
    (void)n->destroy(&p);
    return status;
}

/* ---- the compiler's report --------------------------------------------------------- */

/* Extracts the compiler's report on kernels, for any architecture known to it and without
 * a GPU. The log has a few lines per kernel; each kernel becomes one line:
 *
 *     ptxas info    : Compiling entry function 'step' for 'sm_90'
 *     ptxas info    : Function properties for step
 *     ptxas         .     0 bytes stack frame, 0 bytes spill stores, 0 bytes spill loads
 *     ptxas info    : Used 25 registers, used 1 barriers, 256 bytes smem
 */

enum { LINE = 512 };

static const char *after(const char *line, const char *word)
{
    const char *found = strstr(line, word);

    return found ? found + strlen(word) : NULL;
}

static void add_kernels(const char *log, text *stats)
{
    char line[LINE], name[LINE] = "", spills[LINE] = "";
    bool own = false; /* called functions report a frame, too */

    for (; *log; log += strcspn(log, "\n"), log += *log == '\n') {
        (void)snprintf(line, sizeof line, "%.*s", (int)strcspn(log, "\n"), log);
        const char *entry = after(line, "Compiling entry function '");
        const char *used = after(line, ": Used ");
        const char *stack = strstr(line, "bytes stack frame");
        const char *properties = after(line, "Function properties for ");
        if (entry)
            (void)snprintf(name, sizeof name, "%.*s", (int)strcspn(entry, "'"), entry);
        if (properties)
            own = strcmp(properties, name) == 0;
        if (stack && own && after(line, "."))
            (void)snprintf(spills, sizeof spills, "%s",
                           after(line, ".") + strspn(after(line, "."), " "));
        if (used && *name)
            text_add(stats, "%s: %s, %s\n", name, used, spills);
    }
}

pav_status gpu_try_compile(int architecture, const char *source, int64_t length,
                           text *stats)
{
    const int64_t before = stats->length;
    char target[NVRTC_TARGET];
    const char *why;
    nvrtc n;
    OWNED_BY(text_free) text whole = {0}, image = {0}, log = {0};

    if (!nvrtc_find(0, &n, &why) || !nvrtc_target(&n, architecture, target, &why))
        return FAIL(PAV_EDEVICE, "%s", why);
    if (strncmp(target, "sm_", 3) != 0)
        return FAIL(PAV_EUNSUPPORTED, "NVRTC %d.%d does not know sm_%d", n.major, n.minor,
                    architecture);
    text_add_bytes(&whole, source, length);
    const nvrtc_job job = {.source = whole.data, .target = target, .report = true};
    pav_status status = whole.failed ? PAV_ENOMEM : nvrtc_run(&n, &job, &image, &log);
    if (status == PAV_OK) {
        add_kernels(log.data ? log.data : "", stats);
        if (stats->length == before)
            status = FAIL(
                PAV_EUNSUPPORTED,
                "NVRTC %d.%d (%s) reports no registers of kernels; 12 and newer do",
                n.major, n.minor, n.file);
    }
    return status;
}
