/* SPDX-License-Identifier: BSD-3-Clause */
/* The words that settings of schedules are written with, and of which schedules each is: nothing is taken that would change
 * nothing. */
#include <string.h>

#include "codegen/codegen_private.h"

enum {
    POINT = 1 << EMIT_GPU_POINT,
    SWEEPS = 1 << EMIT_GPU_SWEEP | 1 << EMIT_GPU_TWO_PASS,
    TIME = 1 << EMIT_GPU_TIME,
    PERSISTENT = 1 << EMIT_GPU_PERSISTENT
};
/* value: such as it takes; NULL: it stands alone. */
static const struct {
    const char *name, *value;
    unsigned of;
} words[] = {
    [CUDA_CACHE] = {"cache", NULL, SWEEPS},
    [CUDA_SHUFFLE] = {"shuffle", NULL, SWEEPS | TIME},
    [CUDA_SHARED] = {"shared", NULL, SWEEPS | TIME},
    [CUDA_PLAIN] = {"plain", NULL, POINT | SWEEPS},
    [CUDA_INPUT] = {"input", NULL, SWEEPS},
    [CUDA_THREADS] = {"threads", "32x8", POINT | SWEEPS | TIME | PERSISTENT},
    [CUDA_COEFFICIENTS] = {"coefficients", "global", POINT | SWEEPS},
    [CUDA_COPY] = {"copy", "tma", SWEEPS | TIME},
    [CUDA_GHOSTS] = {"ghosts", "separate", SWEEPS},
    [CUDA_ROWS] = {"rows", "2", SWEEPS | TIME | PERSISTENT},
    [CUDA_VECTOR] = {"vector", "2", SWEEPS | TIME | PERSISTENT},
    [CUDA_AHEAD] = {"ahead", "2", SWEEPS | TIME},
    [CUDA_PREFETCH] = {"prefetch", "2", SWEEPS | TIME},
    [CUDA_UNROLL] = {"unroll", "2", SWEEPS | TIME},
    [CUDA_BLOCKS] = {"blocks", "2", POINT | SWEEPS},
    [CUDA_PLANES] = {"planes", "16", SWEEPS | TIME | PERSISTENT},
    [CUDA_TAIL] = {"tail", "16", TIME},
    [CUDA_DEPTH] = {"depth", "4", TIME | PERSISTENT},
    [CUDA_BUFFERS] = {"buffers", "2", PERSISTENT},
    [CUDA_TILES] = {"tiles", "2x2x2", PERSISTENT},
};
enum { WORDS = COUNT_OF(words) };

const char *cuda_setting_name(cuda_setting w)
{
    return words[w].name;
}

static bool is_of(int w, emit_gpu_schedule_kind schedule_kind)
{
    return (words[w].of >> schedule_kind & 1U) != 0;
}

/* "sweep, two-pass and time" */
static void add_kinds(int w, text *t)
{
    int left = 0;

    for (int schedule_kind = 0; schedule_kind < EMIT_GPU_NONE; schedule_kind++)
        left += is_of(w, (emit_gpu_schedule_kind)schedule_kind);
    text_add(t, "the schedule%s ", left > 1 ? "s" : "");
    for (int schedule_kind = 0; schedule_kind < EMIT_GPU_NONE; schedule_kind++)
        if (is_of(w, (emit_gpu_schedule_kind)schedule_kind)) {
            left--;
            text_add(t, "%s%s", cuda_kind_name((emit_gpu_schedule_kind)schedule_kind),
                     left > 1    ? ", "
                     : left == 1 ? " and "
                                 : "");
        }
}

static pav_status refuse_kind(int w, emit_gpu_schedule_kind schedule_kind)
{
    text t = {0};

    add_kinds(w, &t);
    const pav_status status = t.failed ? PAV_ENOMEM
                                       : FAIL(PAV_EINVAL, "%s is of %s, not of %s",
                                              words[w].name, t.data,
                                              cuda_kind_name(schedule_kind));
    text_free(&t);
    return status;
}

/* Names those that the schedule has. */
static pav_status refuse_unknown(const char *name, bool has_value,
                                 emit_gpu_schedule_kind schedule_kind)
{
    const char *own[WORDS];
    int64_t count = 0;
    int which;
    text t = {0};

    for (int w = 0; w < WORDS; w++)
        if (is_of(w, schedule_kind) && (words[w].value != NULL) == has_value)
            own[count++] = words[w].name;
    text_add(&t, "%s of the schedule %s", has_value ? "setting" : "word",
             cuda_kind_name(schedule_kind));
    const pav_status status = t.failed ? PAV_ENOMEM
                              : count > 0
                                  ? text_choice(t.data, name, own, count, &which)
                                  : FAIL(PAV_EINVAL, "there is no %s '%s'", t.data, name);
    text_free(&t);
    return status;
}

pav_status cuda_find_setting(const char *name, const char *value,
                             emit_gpu_schedule_kind schedule_kind, cuda_setting *found)
{
    int w = 0;

    while (w < WORDS && strcmp(words[w].name, name) != 0)
        w++;
    if (w == WORDS)
        return refuse_unknown(name, value != NULL, schedule_kind);
    if (!is_of(w, schedule_kind))
        return refuse_kind(w, schedule_kind);
    if (value && !words[w].value)
        return FAIL(PAV_EINVAL, "%s of a schedule takes no value: leave out '=%s'", name,
                    value);
    if (!value && words[w].value)
        return FAIL(PAV_EINVAL, "%s of a schedule takes a value, as in %s=%s", name, name,
                    words[w].value);
    *found = (cuda_setting)w;
    return PAV_OK;
}
