/* SPDX-License-Identifier: BSD-3-Clause */
/* Extracts the compiler's report on kernels, for any architecture known to it and without
 * a GPU. The log has a few lines per kernel; each kernel becomes one line:
 *
 *     ptxas info    : Compiling entry function 'step' for 'sm_90'
 *     ptxas info    : Function properties for step
 *     ptxas         .     0 bytes stack frame, 0 bytes spill stores, 0 bytes spill loads
 *     ptxas info    : Used 25 registers, used 1 barriers, 256 bytes smem
 */
#include <stdio.h>
#include <string.h>

#include "device/cuda/cuda_private.h"

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

static pav_status add_stats(const nvrtc *n, const char *target, const char *source,
                            text *stats)
{
    const nvrtc_job job = {.source = source, .target = target, .report = true};
    const int64_t before = stats->length;
    text image = {0}, log = {0};
    pav_status status = nvrtc_run(n, &job, &image, &log);

    if (status == PAV_OK) {
        add_kernels(log.data ? log.data : "", stats);
        if (stats->length == before)
            status = FAIL(
                PAV_EUNSUPPORTED,
                "NVRTC %d.%d (%s) reports no registers of kernels; 12 and newer do",
                n->major, n->minor, n->file);
    }
    text_free(&image);
    text_free(&log);
    return status;
}

static pav_status find_compiler(int architecture, nvrtc *n, char target[NVRTC_TARGET])
{
    const char *why;

    if (!nvrtc_find(0, n, &why) || !nvrtc_target(n, architecture, target, &why))
        return FAIL(PAV_EDEVICE, "%s", why);
    if (strncmp(target, "sm_", 3) != 0)
        return FAIL(PAV_EUNSUPPORTED, "NVRTC %d.%d does not know sm_%d", n->major,
                    n->minor, architecture);
    return PAV_OK;
}

pav_status gpu_try_compile(int architecture, const char *source, int64_t length,
                           text *stats)
{
    char target[NVRTC_TARGET];
    nvrtc n;
    text whole = {0};

    TRY(find_compiler(architecture, &n, target));
    text_add_bytes(&whole, source, length);
    const pav_status status = whole.failed ? PAV_ENOMEM
                                           : add_stats(&n, target, whole.data, stats);
    text_free(&whole);
    return status;
}
