/* SPDX-License-Identifier: BSD-3-Clause */
/* Compiles CUDA C++ to kernels of the emulated GPU with the host's C++ compiler. */
#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "device/emulated/emulated_private.h"

/* ---- the text for the compiler ----------------------------------------------------- */

/* Turns CUDA C++ into C++ for the host: the definitions of src/kernels/emulated, the
 * unchanged source, and for each kernel an entry function. The entry function takes only
 * the address of the argument, because the host does not know its type. */

extern const char shim_base[], shim_math[], shim_warp[], shim_copy[], shim_atomic[];

#define QUOTED(...) #__VA_ARGS__
#define WORDS(...) QUOTED(__VA_ARGS__)

/* ---- finding kernels --------------------------------------------------------------- */

typedef struct scan {
    const char *at, *end;
} scan;

typedef struct kernel_name {
    char name[EMULATED_NAME];
    int most_threads;
} kernel_name;

static bool starts(const scan *s, const char *word)
{
    const size_t length = strlen(word);

    return (size_t)(s->end - s->at) >= length && memcmp(s->at, word, length) == 0;
}

static void skip_to(scan *s, const char *word)
{
    while (s->at < s->end && !starts(s, word))
        s->at++;
    s->at = s->at < s->end ? s->at + strlen(word) : s->end;
}

/* Skips one comment, literal, word or other character. Returns the length of the word, or
 * 0. */
static size_t step(scan *s)
{
    const char *begin = s->at;

    if (starts(s, "//"))
        skip_to(s, "\n");
    else if (starts(s, "/*"))
        skip_to(s, "*/");
    else if (starts(s, "\"")) {
        s->at++;
        skip_to(s, "\"");
    } else if (char_is_of_word(*s->at)) {
        while (s->at < s->end && char_is_of_word(*s->at))
            s->at++;
        return (size_t)(s->at - begin);
    } else {
        s->at++;
    }
    return 0;
}

static bool is_word(const scan *s, size_t length, const char *word)
{
    return length == strlen(word) && memcmp(s->at - length, word, length) == 0;
}

static void skip_brackets(scan *s)
{
    int open = 0;

    do {
        open += *s->at == '(';
        open -= *s->at == ')';
        s->at++;
    } while (open > 0 && s->at < s->end);
}

/* After a kernel's name: true if this is its definition, not only a declaration. */
static bool is_defined(scan *s)
{
    skip_brackets(s);
    while (s->at < s->end && *s->at != ';' && *s->at != '{')
        (void)step(s);
    return s->at < s->end && *s->at == '{';
}

/* Reads the name after __global__: the word before the first bracket, skipping
 * attributes. */
static bool read_name(scan *s, kernel_name *found)
{
    found->most_threads = EMULATED_THREADS;
    found->name[0] = '\0';
    while (s->at < s->end && *s->at != ';' && *s->at != '{') {
        if (*s->at == '(' && found->name[0])
            return is_defined(s);
        const size_t length = step(s);
        if (is_word(s, length, "__launch_bounds__") && s->at + 1 < s->end) {
            const long most = strtol(s->at + 1, NULL, 10);
            if (most > 0 && most < EMULATED_THREADS)
                found->most_threads = (int)most;
        }
        if (length > 2 && memcmp(s->at - length, "__", 2) == 0 && s->at < s->end &&
            *s->at == '(')
            skip_brackets(s);
        else if (length > 0 && length < EMULATED_NAME) {
            memcpy(found->name, s->at - length, length);
            found->name[length] = '\0';
        }
    }
    return false;
}

/* Finds the next kernel after *at; false if there is none. */
static bool next_kernel(const char *source, int64_t length, int64_t *at,
                        kernel_name *found)
{
    scan s = {source + *at, source + length};
    bool good = false;

    while (!good && s.at < s.end)
        good = is_word(&s, step(&s), "__global__") && read_name(&s, found);
    *at = s.at - source;
    return good;
}

/* ---- the whole --------------------------------------------------------------------- */

static void write_cpp(const char *source, int64_t length, text *t)
{
    static const char *const parts[] = {shim_base, shim_math, shim_warp, shim_copy,
                                        shim_atomic};
    kernel_name found;

    text_add(t, "%s\n", WORDS(EMULATED_WORDS));
    for (size_t k = 0; k < COUNT_OF(parts); k++)
        text_add(t, "%s", parts[k]);
    text_add(t, "#line 1 \"kernels.cu\"\n");
    text_add_bytes(t, source, length);
    text_add(t, "\n#line 1 \"calls\"\n");
    for (int64_t at = 0; next_kernel(source, length, &at, &found);)
        text_add(t, "EMULATED_KERNEL(%s)\n", found.name);
}

/* ---- modules ----------------------------------------------------------------------- */

typedef struct emulated_module {
    gpu_module base;
    host_module *object;
    emulated_kernel *kernel;
} emulated_module;

void emulated_discard(gpu_module *base)
{
    emulated_module *m = (emulated_module *)(void *)base;

    while (m->kernel) {
        emulated_kernel *next = m->kernel->next;
        mem_free(m->kernel);
        m->kernel = next;
    }
    host_module_close(m->object);
    mem_free(m);
}

static pav_status add_kernel(emulated_module *m, const kernel_name *named)
{
    char symbol[2 * EMULATED_NAME];
    emulated_kernel *k = mem_new(1, sizeof *k);

    if (!k)
        return PAV_ENOMEM;
    (void)snprintf(symbol, sizeof symbol, "emulated_enter_%s", named->name);
    *k = (emulated_kernel){.base.facts.most_threads = named->most_threads,
                           .enter = (emulated_enter *)host_module_find(m->object, symbol),
                           .next = m->kernel};
    memcpy(k->name, named->name, sizeof k->name);
    k->place = (emulated_place *)host_module_find(m->object, "emulated_place");
    m->kernel = k;
    return PAV_OK;
}

/* Compiles without optimisation. Optimised code would be three times faster, but
 * compiling it takes twenty times longer than most emulated runs. */
pav_status emulated_compile(gpu *g, const char *source, int64_t length, unsigned how,
                            gpu_module **result)
{
    emulated_module *m = mem_new(1, sizeof *m);
    kernel_name named;
    text t = {0};

    *result = NULL;
    if (!m)
        return PAV_ENOMEM;
    (void)g;
    write_cpp(source, length, &t);
    pav_status status = t.failed ? PAV_ENOMEM
                                 : module_open(LANGUAGE_CXX, t.data, t.length,
                                               how | HOST_QUICK, &m->object);
    text_free(&t);
    for (int64_t at = 0; status == PAV_OK && next_kernel(source, length, &at, &named);)
        status = add_kernel(m, &named);
    if (status == PAV_OK)
        *result = &m->base;
    else
        emulated_discard(&m->base);
    return status;
}

const char *emulated_note(const gpu_module *base)
{
    return host_module_note(((const emulated_module *)(const void *)base)->object);
}

/* Does not check the size: the host's loader does not report it. */
void *emulated_constant(gpu_module *base, const char *name, int64_t bytes)
{
    const emulated_module *m = (emulated_module *)(void *)base;

    (void)bytes;
    return host_module_variable(m->object, name);
}

gpu_kernel *emulated_find(gpu_module *base, const char *name)
{
    emulated_kernel *k = ((emulated_module *)(void *)base)->kernel;

    while (k && strcmp(k->name, name) != 0)
        k = k->next;
    return k ? &k->base : NULL;
}
