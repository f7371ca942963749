/* SPDX-License-Identifier: BSD-3-Clause */
/* The words that settings of schedules are written with, and of which schedules each is: nothing is taken that would change
 * nothing. */
#include <string.h>

#include "emit/emit_private.h"

enum {
    POINT = 1 << EMIT_GPU_POINT,
    WALKS = 1 << EMIT_GPU_STREAM | 1 << EMIT_GPU_TWO_PASS,
    TIME = 1 << EMIT_GPU_TIME,
    RESIDENT = 1 << EMIT_GPU_RESIDENT
};
/* value: such as it takes; NULL: it stands alone. */
static const struct {
    const char *name, *value;
    unsigned of;
} words[] = {
    [CUDA_CACHE] = {"cache", NULL, WALKS},
    [CUDA_SHUFFLE] = {"shuffle", NULL, WALKS | TIME},
    [CUDA_SHARED] = {"shared", NULL, WALKS | TIME},
    [CUDA_PLAIN] = {"plain", NULL, POINT | WALKS},
    [CUDA_INPUT] = {"input", NULL, WALKS},
    [CUDA_THREADS] = {"threads", "32x8", POINT | WALKS | TIME | RESIDENT},
    [CUDA_COEFFICIENTS] = {"coefficients", "global", POINT | WALKS},
    [CUDA_COPY] = {"copy", "tma", WALKS | TIME},
    [CUDA_GHOSTS] = {"ghosts", "apart", WALKS},
    [CUDA_ROWS] = {"rows", "2", WALKS | TIME | RESIDENT},
    [CUDA_VECTOR] = {"vector", "2", WALKS | TIME | RESIDENT},
    [CUDA_AHEAD] = {"ahead", "2", WALKS | TIME},
    [CUDA_PREFETCH] = {"prefetch", "2", WALKS | TIME},
    [CUDA_UNROLL] = {"unroll", "2", WALKS | TIME},
    [CUDA_BLOCKS] = {"blocks", "2", POINT | WALKS},
    [CUDA_PLANES] = {"planes", "16", WALKS | TIME | RESIDENT},
    [CUDA_REST] = {"rest", "16", TIME},
    [CUDA_DEPTH] = {"depth", "4", TIME | RESIDENT},
    [CUDA_VERSIONS] = {"versions", "2", RESIDENT},
    [CUDA_PARTS] = {"parts", "2x2x2", RESIDENT},
};
enum { WORDS = COUNT_OF(words) };

const char *cuda_word_name(cuda_word w)
{
    return words[w].name;
}

static bool is_of(int w, emit_gpu_form form)
{
    return (words[w].of >> form & 1U) != 0;
}

/* "stream, two-pass and time" */
static void add_forms(int w, text *t)
{
    int left = 0;

    for (int form = 0; form < EMIT_GPU_NONE; form++)
        left += is_of(w, (emit_gpu_form)form);
    text_add(t, "the schedule%s ", left > 1 ? "s" : "");
    for (int form = 0; form < EMIT_GPU_NONE; form++)
        if (is_of(w, (emit_gpu_form)form)) {
            left--;
            text_add(t, "%s%s", cuda_form_name((emit_gpu_form)form),
                     left > 1    ? ", "
                     : left == 1 ? " and "
                                 : "");
        }
}

static pav_status refuse_form(int w, emit_gpu_form form)
{
    text t = {0};

    add_forms(w, &t);
    const pav_status status = t.failed
                                  ? PAV_ENOMEM
                                  : FAIL(PAV_EINVAL, "%s is of %s, not of %s",
                                         words[w].name, t.data, cuda_form_name(form));
    text_free(&t);
    return status;
}

/* Names those that the schedule has. */
static pav_status refuse_unknown(const char *name, bool has_value, emit_gpu_form form)
{
    const char *own[WORDS];
    int64_t count = 0;
    int which;
    text t = {0};

    for (int w = 0; w < WORDS; w++)
        if (is_of(w, form) && (words[w].value != NULL) == has_value)
            own[count++] = words[w].name;
    text_add(&t, "%s of the schedule %s", has_value ? "setting" : "word",
             cuda_form_name(form));
    const pav_status status = t.failed ? PAV_ENOMEM
                              : count > 0
                                  ? text_choice(t.data, name, own, count, &which)
                                  : FAIL(PAV_EINVAL, "there is no %s '%s'", t.data, name);
    text_free(&t);
    return status;
}

pav_status cuda_find_word(const char *name, const char *value, emit_gpu_form form,
                          cuda_word *found)
{
    int w = 0;

    while (w < WORDS && strcmp(words[w].name, name) != 0)
        w++;
    if (w == WORDS)
        return refuse_unknown(name, value != NULL, form);
    if (!is_of(w, form))
        return refuse_form(w, form);
    if (value && !words[w].value)
        return FAIL(PAV_EINVAL, "%s of a schedule takes no value: leave out '=%s'", name,
                    value);
    if (!value && words[w].value)
        return FAIL(PAV_EINVAL, "%s of a schedule takes a value, as in %s=%s", name, name,
                    words[w].value);
    *found = (cuda_word)w;
    return PAV_OK;
}
