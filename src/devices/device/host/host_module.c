/* SPDX-License-Identifier: BSD-3-Clause */
/* Turns C or C++ into callable functions: finds the object in the cache or compiles it by
 * the system's compiler, and loads it. A compiler may neither contract nor
 * reassociate. */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <sys/statvfs.h>
#include <time.h>
#include <unistd.h>

#include "device/device_private.h"

enum { MOST_ARGUMENTS = 48 + COMPILE_MOST_SOURCES, SAID = 600 };

/* Flags for CUDA C++ on the host, in addition to `flags`. Kernels read vectors from
 * arrays, so strict aliasing is off; GPUs allow this at aligned addresses. Kernels use no
 * exceptions and no run-time types. Beyond an array or at a misaligned address the
 * processor traps. */
static const char *const cxx_flags[] = {
    "-std=c++17",
    "-fno-strict-aliasing",
    "-fno-exceptions",
    "-fno-rtti",
    "-fvisibility=hidden",
    "-fsanitize=alignment,bounds",
    "-fsanitize-undefined-trap-on-error",
    "-Wl,--as-needed",
};
static const char *const c_flags[] = {"-std=gnu11"};

static const struct {
    const char *ending, *variable, *name, *usual, *looked_for, *otherwise;
    const char *const *flags;
    size_t count;
} languages[] = {
    [LANGUAGE_C] = {".c", "PAV_CC", "C compiler", "gcc", "cc, gcc and clang",
                    "use --device interpreter", c_flags, COUNT_OF(c_flags)},
    [LANGUAGE_CXX] = {".cpp", "PAV_CXX", "C++ compiler", "g++", "c++, g++ and clang++",
                      "use another device", cxx_flags, COUNT_OF(cxx_flags)},
};

static const char *const flags[] = {
#if defined(__x86_64__) || defined(__i386__)
    "-march=native",     "-mprefer-vector-width=512",
#else
    "-mcpu=native",
#endif
    "-ffp-contract=off", "-fno-math-errno",           "-fno-trapping-math", "-w", "-fPIC",
    "-shared",
};

/* The flag for this processor's SVE vectors if they are longer than NEON's; else NULL. */
static const char *vector_flag(void)
{
#if defined __aarch64__ && defined PR_SVE_GET_VL
    const int bytes = prctl(PR_SVE_GET_VL);
    if (bytes > 0 && (bytes & PR_SVE_VL_LEN_MASK) == 32)
        return "-msve-vector-bits=256";
    if (bytes > 0 && (bytes & PR_SVE_VL_LEN_MASK) == 64)
        return "-msve-vector-bits=512";
#endif
    return NULL;
}

static const char *level(bool quick)
{
    return quick ? "-O0" : "-O3";
}

/* ---- finding one ------------------------------------------------------------------- */

static bool can_be_started(const char *path)
{
    struct stat s;

    return stat(path, &s) == 0 && S_ISREG(s.st_mode) && access(path, X_OK) == 0;
}

static bool find_on_path(const char *name, char found[HOST_TEXT])
{
    const char *path = getenv("PATH");

    while (path && *path) {
        const int length = (int)strcspn(path, ":");
        const int size = snprintf(found, HOST_TEXT, "%.*s/%s", length, path, name);
        if (length > 0 && size < HOST_TEXT && can_be_started(found))
            return true;
        path += length + (path[length] == ':');
    }
    found[0] = '\0';
    return false;
}

bool host_find_compiler(language l, char found[HOST_TEXT])
{
    static const char *const names[][3] = {{"cc", "gcc", "clang"},
                                           {"c++", "g++", "clang++"}};
    const char *requested = getenv(languages[l].variable);

    if (requested && *requested && !strchr(requested, '/'))
        return find_on_path(requested, found);
    if (requested && *requested) {
        const int size = snprintf(found, HOST_TEXT, "%s", requested);
        return size < HOST_TEXT && can_be_started(found);
    }
    for (size_t i = 0; i < COUNT_OF(names[l]); i++)
        if (find_on_path(names[l][i], found))
            return true;
    return false;
}

bool host_can_compile(void)
{
    char path[HOST_TEXT];

    return images_target(".so") || host_find_compiler(LANGUAGE_C, path);
}

bool host_has_compiler(language l, const char **why)
{
    static _Thread_local char said[COUNT_OF(languages)][HOST_TEXT];
    const char *variable = languages[l].variable, *name = languages[l].name,
               *named = getenv(variable);
    char path[HOST_TEXT];

    if (named && *named)
        (void)snprintf(said[l], sizeof said[l],
                       "%s is '%.400s', which is no program that can be started; give "
                       "the path of a %s alone, or unset it",
                       variable, named, name);
    else
        (void)snprintf(said[l], sizeof said[l],
                       "there is no %s; install %s or clang, or name one in %s", name,
                       languages[l].usual, variable);
    *why = said[l];
    return images_target(".so") || host_find_compiler(l, path) ||
           (l == LANGUAGE_C && installed_find(INSTALLED_FACTS));
}

pav_status compiler_find(language l, compiler *c)
{
    const char *variable = languages[l].variable, *name = languages[l].name,
               *named = getenv(variable), *otherwise = languages[l].otherwise;

    c->language = l;
    c->seconds = settings_compiler_seconds();
    if (host_find_compiler(l, c->path))
        return PAV_OK;
    if (named && *named)
        return FAIL(PAV_EDEVICE,
                    "%s is '%s', which is no program that can be started; give the path "
                    "of a %s alone, or %s",
                    variable, named, name, otherwise);
    return FAIL(PAV_EDEVICE,
                "there is no %s on PATH (looked for %s): install one, name one in %s, or "
                "%s",
                name, languages[l].looked_for, variable, otherwise);
}

static void hash_flags(hash *h, const char *const *flag, size_t count)
{
    for (size_t k = 0; k < count; k++)
        hash_add(h, flag[k], (int64_t)strlen(flag[k]) + 1);
}

/* Identifies the compiler without starting it. A replaced compiler changes its file's
 * contents, be it older or newer. A file too large or not readable is identified by its
 * size and time. */
static void hash_file(const char *path, hash *h)
{
    enum { MOST_BYTES = 1 << 26 };
    struct stat s;
    OWNED char *bytes = NULL;
    int64_t length = 0;

    if (stat(path, &s) != 0)
        return;
    if (s.st_size <= MOST_BYTES && access(path, R_OK) == 0 &&
        file_read(path, MOST_BYTES, &bytes, &length) == PAV_OK) {
        hash_add(h, bytes, length);
        return;
    }
    const int64_t about[] = {(int64_t)s.st_size, s.st_mtim.tv_sec, s.st_mtim.tv_nsec};
    hash_add(h, about, sizeof about);
}

void compiler_hash(const compiler *c, bool quick, hash *h)
{
    const char *vectors = vector_flag();

    hash_file(c->path, h);
    hash_add(h, c->path, (int64_t)strlen(c->path) + 1);
    hash_add(h, level(quick), 3);
    hash_flags(h, flags, COUNT_OF(flags));
    hash_flags(h, &vectors, vectors != NULL);
    hash_flags(h, languages[c->language].flags, languages[c->language].count);
}

/* ---- running it -------------------------------------------------------------------- */

/* Quotes the end of the compiler's output, because errors come last. */
static pav_status failed(const compiler *c, const char *how, process_result *r)
{
    size_t length = strlen(r->said);

    while (length > 0 && r->said[length - 1] == '\n')
        r->said[--length] = '\0';
    const char *shown = r->said + (length > SAID ? length - SAID : 0);
    return FAIL(PAV_EDEVICE, "the compiler %s %s%s; name another in %s, or %s%s%s",
                c->path, how, *shown ? "" : " and said nothing",
                languages[c->language].variable, languages[c->language].otherwise,
                *shown ? "; it said\n" : "", shown);
}

static bool is_there(const compile_job *job)
{
    char path[2 * CACHE_PATH];

    (void)snprintf(path, sizeof path, "%s/%s", job->scratch, job->made);
    return access(path, R_OK) == 0;
}

static pav_status verdict(const compiler *c, const compile_job *job, process_result *r)
{
    const char *variable = languages[c->language].variable,
               *otherwise = languages[c->language].otherwise;
    char how[HOST_TEXT];

    switch (r->end) {
    case PROCESS_DONE: return is_there(job) ? PAV_OK : failed(c, "left no kernels", r);
    case PROCESS_FAILED: return failed(c, "failed on the kernels", r);
    case PROCESS_KILLED:
        (void)snprintf(
            how, sizeof how, "was ended by signal %d (%s)%s", r->code, strsignal(r->code),
            r->code == SIGKILL ? ", as systems do that run out of memory" : "");
        return failed(c, how, r);
    case PROCESS_LATE:
        return FAIL(PAV_EDEVICE,
                    "the compiler %s did not end within %g s and was stopped; allow more "
                    "with PAV_CC_SECONDS, name another in %s, or %s",
                    c->path, c->seconds, variable, otherwise);
    case PROCESS_LOUD:
        return FAIL(PAV_EDEVICE,
                    "the compiler %s printed more than 64 MiB and was stopped; name "
                    "another in %s, or %s",
                    c->path, variable, otherwise);
    case PROCESS_ENDED:
        return FAIL(PAV_EINTERRUPTED, "the compiler %s was stopped, as asked", c->path);
    case PROCESS_NONE: break;
    }
    return FAIL(PAV_EDEVICE,
                "the compiler %s could not be started; name another in %s, or %s",
                c->path, variable, otherwise);
}

/* Makes the compiler's path absolute, because it is started in another directory. */
static const char *from_anywhere(const char *path, char whole[CACHE_PATH])
{
    char here[CACHE_PATH / 2];

    if (path[0] == '/' || !getcwd(here, sizeof here))
        return path;
    (void)snprintf(whole, CACHE_PATH, "%s/%s", here, path);
    return whole;
}

static pav_status compiler_run(const compiler *c, const compile_job *job)
{
    const char *argument[MOST_ARGUMENTS];
    char whole[CACHE_PATH];
    int count = 0;
    OWNED_NEW(process_result, r, 1);

    argument[count++] = from_anywhere(c->path, whole);
    argument[count++] = level(job->quick);
    for (size_t k = 0; k < languages[c->language].count; k++)
        argument[count++] = languages[c->language].flags[k];
    for (size_t k = 0; k < COUNT_OF(flags); k++)
        argument[count++] = k == 0 && job->target ? job->target : flags[k];
    if (vector_flag())
        argument[count++] = vector_flag();
    argument[count++] = "-o";
    argument[count++] = job->made;
    for (int k = 0; k < job->sources; k++)
        argument[count++] = job->source[k];
    argument[count++] = job->object ? "-c" : "-lm";
    argument[count] = NULL;
    process_run(argument, job->scratch, c->seconds, r);
    return verdict(c, job, r);
}

enum { MOST_PARTS = COMPILE_MOST_SOURCES, PART_NAME = 40, PART_BYTES = 24 << 10 };

typedef struct making making;
enum { MOST_OLDER = 64 };
struct host_module {
    void *loaded;   /* or NULL: other objects have all kernels */
    bool installed; /* some kernels are of the installation, and some may be missing */
    /* objects of other sources with some of the pieces */
    int olders;
    struct older {
        char path[2 * CACHE_PATH];
        void *loaded;
    } * older;
    kernel_cache cache;
    making *making; /* NULL: made when it was opened */
};

typedef struct build {
    host_module *module;
    compiler compiler;
    const char *source;
    int64_t length;
    const text_pieces *pieces; /* or NULL */
    bool quick;
    const char *target; /* the flag of a level of processors; NULL: of this processor */
    uint64_t made_by;   /* hash of the compiler, computed once for all pieces; or 0 */
} build;

/* The source split into several files during compilation, each with the common head. */
typedef struct parts {
    const build *b;
    /* working directory; name of the result in it */
    const char *work, *made;
    int64_t count, first[MOST_PARTS + 1]; /* first: first piece of each part */
} parts;

/* ---- making and loading it --------------------------------------------------------- */

static void describe(const void *of, hash *h)
{
    const build *b = of;

    hash_add(h, &b->length, sizeof b->length);
    hash_add(h, b->source, b->length);
    if (b->pieces)
        hash_add(h, &b->pieces->common, sizeof b->pieces->common);
    hash_add(h, &b->compiler.language, sizeof b->compiler.language);
    hash_add(h, &b->quick, sizeof b->quick);
    host_hash_processor(h);
}

static void describe_compiler(const void *of, hash *h)
{
    const build *b = of;

    if (b->made_by)
        hash_add(h, &b->made_by, sizeof b->made_by);
    else
        compiler_hash(&b->compiler, b->quick, h);
}

static void add_target(const void *of, text *t)
{
    (void)of;
    host_target(t);
}

static int64_t begin_of(const text_pieces *p, int64_t piece)
{
    return piece > 0 ? p->piece[piece - 1].end : p->head;
}

/* Divides the source into parts of about equal length, at most one per thread. A part has
 * at least PART_BYTES, because shorter parts do not pay off. */
static void divide(parts *p)
{
    const text_pieces *all = p->b->pieces;
    const int64_t bytes = all ? p->b->length - all->head : 0;
    const int64_t most = p->b->target ? MOST_PARTS
                                      : int_least(host_threads(), MOST_PARTS);
    const int64_t count = bytes / PART_BYTES < most ? bytes / PART_BYTES : most;
    int64_t piece = 0;

    for (p->count = 0; p->count + 1 < count && piece < all->count; p->count++) {
        p->first[p->count] = piece;
        while (piece < all->count &&
               begin_of(all, piece) - all->head < (p->count + 1) * bytes / count)
            piece++;
    }
    p->first[p->count++] = piece;
    p->first[p->count] = all ? all->count : 0;
}

static pav_status write_part(const parts *p, int64_t number, const char *path)
{
    const build *b = p->b;
    OWNED_BY(text_free) text t = {0};

    if (p->count == 1)
        return cache_write(path, b->source, b->length);
    const int64_t from = begin_of(b->pieces, p->first[number]);
    text_add_bytes(&t, b->source, b->pieces->head);
    text_add_bytes(&t, b->source + from,
                   begin_of(b->pieces, p->first[number + 1]) - from);
    return t.failed ? PAV_ENOMEM : cache_write(path, t.data, t.length);
}

static void name_part(int64_t number, const char *ending, char name[PART_NAME])
{
    (void)snprintf(name, PART_NAME, "kernels%lld%s", (long long)number, ending);
}

/* Compiles one part. A single part becomes the shared object directly; several parts
 * become objects for linking. */
static pav_status make_part(void *of, int64_t number)
{
    const parts *p = of;
    const compiler *c = &p->b->compiler;
    char source[PART_NAME], object[PART_NAME], path[2 * CACHE_PATH];
    const char *const sources[] = {source};

    name_part(number, languages[c->language].ending, source);
    name_part(number, ".o", object);
    (void)snprintf(path, sizeof path, "%s/%s", p->work, source);
    TRY(write_part(p, number, path));
    return compiler_run(c, &(compile_job){.source = sources,
                                          .sources = 1,
                                          .made = p->count == 1 ? p->made : object,
                                          .scratch = p->work,
                                          .object = p->count > 1,
                                          .quick = p->b->quick,
                                          .target = p->b->target});
}

static pav_status link_parts(const parts *p)
{
    char name[MOST_PARTS][PART_NAME];
    const char *objects[MOST_PARTS];

    for (int64_t k = 0; k < p->count; k++) {
        name_part(k, ".o", name[k]);
        objects[k] = name[k];
    }
    return compiler_run(&p->b->compiler, &(compile_job){.source = objects,
                                                        .sources = (int)p->count,
                                                        .made = p->made,
                                                        .scratch = p->work,
                                                        .quick = p->b->quick,
                                                        .target = p->b->target});
}

static atomic_int stopped; /* compilations in a row that ended with their runs */

/* Runs shorter than their compilation come in rows, as in a sweep whose values shape the
 * kernels. After each the next compiler of such a run begins later. */
static pav_status hold_back(void)
{
    enum { MOST = 6 };
    const int n = int_least(atomic_load(&stopped), MOST);

    for (int left = n > 0 ? 5 << n : 0; left > 0 && !host_jobs_stopped(); left--)
        (void)nanosleep(&(struct timespec){.tv_nsec = 2000000}, NULL);
    return host_jobs_stopped() ? PAV_EINTERRUPTED : PAV_OK;
}

static pav_status make(void *of, const char *work, const char *made)
{
    parts p = {.b = of, .work = work, .made = path_name(made)};

    TRY(p.b->module && p.b->module->making ? hold_back() : PAV_OK);
    divide(&p);
    TRY(host_jobs(p.count, int_least((int)p.count, host_threads()), make_part, &p));
    return p.count > 1 ? link_parts(&p) : PAV_OK;
}

/* A failure has one of three causes: a file system mounted noexec, a broken bundle, or a
 * broken result of the compiler. */
static pav_status load(void *of, const char *path)
{
    const build *b = of;
    struct statvfs s;

    b->module->loaded = dlopen(path, RTLD_NOW | RTLD_LOCAL);
    if (b->module->loaded)
        return PAV_OK;
    const char *said = dlerror(), *why = said ? said : "no reason given";
    if (statvfs(path, &s) == 0 && s.f_flag & ST_NOEXEC)
        return FAIL(PAV_EDEVICE,
                    "compiled kernels cannot be loaded: %s; programs on that file system "
                    "may not be run: PAV_CACHE names another directory",
                    why);
    return !*b->compiler.path
               ? FAIL(PAV_EFORMAT, "the bundle's kernels cannot be loaded: %s", why)
               : FAIL(PAV_EDEVICE,
                      "what the compiler %s made cannot be loaded: %s; name another in "
                      "%s, or %s",
                      b->compiler.path, why, languages[b->compiler.language].variable,
                      languages[b->compiler.language].otherwise);
}

static pav_status find_compiler(void *of)
{
    build *b = of;

    return compiler_find(b->compiler.language, &b->compiler);
}

static const cache_maker maker = {.ending = ".so",
                                  .find = find_compiler,
                                  .describe = describe,
                                  .compiled_by = describe_compiler,
                                  .target = add_target,
                                  .make = make,
                                  .load = load};

/* ---- kernels for an installation --------------------------------------------------- */

pav_status host_install(text *source, text_pieces *pieces, bool only_own,
                        const char *folder)
{
    text_add(source, "\nconst int64_t %s[2] = {%lld, (int64_t)%llu};\n", INSTALLED_FACTS,
             (long long)pieces->count, (unsigned long long)pieces->common);
    pieces->piece[pieces->count++].end = source->length;
    for (int level = 0; installed_flags[level]; level++) {
        char path[CACHE_PATH];
        build b = {.compiler.language = LANGUAGE_C,
                   .source = source->data,
                   .length = source->length,
                   .pieces = pieces,
                   .target = installed_flags[level]};
        if (only_own && level != installed_level())
            continue;
        TRY(source->failed ? PAV_ENOMEM : find_compiler(&b));
        (void)snprintf(path, sizeof path, "%.*s/%s.kernels", CACHE_PATH / 2, folder,
                       strchr(installed_flags[level], '=') + 1);
        TRY(cache_make_apart(&maker, &b, path));
    }
    return *installed_flags && !(only_own && installed_level() < 0)
               ? PAV_OK
               : FAIL(PAV_EUNSUPPORTED,
                      "kernels are installed for x86-64-v3 and v4 only");
}

/* ---- pieces in older objects ------------------------------------------------------- */
/* Kernels without names are found one by one: the kernels of another size of grid, or of
 * another number of its coarser grids, were compiled as pieces of another source. Only
 * the missing pieces are compiled, together. */

static build piece_of(const build *b, int64_t piece)
{
    build one = *b;
    const int64_t from = begin_of(b->pieces, piece);

    one.source += from;
    one.length = b->pieces->piece[piece].end - from;
    return one;
}

/* True if the object of the piece is loaded. */
static bool load_older(const build *b, int64_t piece)
{
    host_module *m = b->module;
    const build one = piece_of(b, piece);
    struct older *next = &m->older[m->olders];

    if (!cache_find_piece(&m->cache, &maker, &one, next->path))
        return false;
    for (int k = 0; k < m->olders; k++)
        if (strcmp(m->older[k].path, next->path) == 0)
            return true;
    if (m->olders == MOST_OLDER || !cache_is_sealed(next->path))
        return false;
    next->loaded = dlopen(next->path, RTLD_NOW | RTLD_LOCAL);
    m->olders += next->loaded != NULL;
    return next->loaded;
}

static pav_status load_pieces(build *b, unsigned how)
{
    host_module *m = b->module;
    OWNED_BY(text_free) text t = {0};
    const text_pieces *all = b->pieces;
    text_pieces missing = {.head = all->head, .common = all->common};
    bool needed = false;

    OWNED_NEW(int64_t, piece, all->count + 1);
    OWNED_NEW(text_piece, part_of, all->count + 1);
    TRY(mem_take(&m->older, MOST_OLDER + 1, sizeof *m->older));
    const bool compiles = find_compiler(b) == PAV_OK;
    hash h;
    hash_init(&h);
    compiler_hash(&b->compiler, b->quick, &h);
    b->made_by = hash_end(&h);
    missing.piece = part_of;
    text_add_bytes(&t, b->source, all->head);
    for (int64_t k = 0; k < all->count; k++) {
        if (compiles && load_older(b, k))
            continue;
        if (!b->quick && installed_kernel(all, k)) {
            m->installed = true;
            continue;
        }
        text_add_bytes(&t, b->source + begin_of(all, k),
                       all->piece[k].end - begin_of(all, k));
        needed |= !all->piece[k].once;
        piece[missing.count] = k;
        part_of[missing.count++].end = t.length;
    }
    if (t.failed)
        return PAV_ENOMEM;
    if (missing.count == 0 ||
        (m->installed && how & HOST_PARTLY && !(needed && compiles))) {
        if (needed && missing.count > 0)
            (void)snprintf(m->cache.note, sizeof m->cache.note,
                           "the installation lacks %lld of %lld kernels, and there is no "
                           "C compiler: the interpreter runs these stages, slowly",
                           (long long)missing.count, (long long)all->count);
        cache_count_load(how);
        return PAV_OK;
    }
    build part = *b;
    part.source = t.data;
    part.length = t.length;
    part.pieces = &missing;
    TRY(cache_load(&m->cache, &maker, how, &part));
    for (int64_t k = 0; k < missing.count; k++) {
        const build one = piece_of(b, piece[k]);
        cache_link_piece(&m->cache, &maker, &one, &part);
    }
    return PAV_OK;
}

/* A bundle has whole objects. */
static pav_status load_all(build *b, unsigned how)
{
    return b->pieces && b->pieces->common && how & HOST_KEEP && !images_are_offered() &&
                   !images_are_recorded()
               ? load_pieces(b, how)
               : cache_load(&b->module->cache, &maker, how, b);
}

/* ---- opening and closing ----------------------------------------------------------- */

pav_status module_open(language l, const char *source, int64_t length,
                       const text_pieces *pieces, unsigned how, host_module **module)
{
    *module = NULL;
    NEW_BY(close_module, host_module, m, 1);
    OWNED_NEW(build, b, 1);
    *b = (build){.module = m,
                 .compiler.language = l,
                 .source = source,
                 .length = length,
                 .pieces = pieces,
                 .quick = how & HOST_QUICK};
    TRY(load_all(b, how));
    *module = mem_hand_over(&m);
    return PAV_OK;
}

/* ---- making it on a thread of its own ---------------------------------------------- */

struct making {
    pthread_t thread;
    bool joined;
    atomic_bool done, wish; /* wish: to stop */
    text source;
    text_pieces pieces;
    build build;
    unsigned how;
    kept_failure failure;
};

static void *make_module(void *of)
{
    making *m = of;
    host_stop_by(&m->wish);
    failure_keep(&m->failure, load_all(&m->build, m->how));
    atomic_store(&m->done, true);
    return NULL;
}

static void free_making(making *m)
{
    if (!m)
        return;
    text_free(&m->source);
    mem_free(m->pieces.piece);
    free(m->failure.why);
    mem_free(m);
}

pav_status host_module_begin(text *source, text_pieces *pieces, unsigned how,
                             host_module **module)
{
    host_module *result = mem_new(1, sizeof *result);
    making *m = mem_new(1, sizeof *m);
    *module = NULL;
    if (m)
        *m = (making){.source = *source, .pieces = *pieces, .how = how};
    else {
        text_free(source);
        mem_free(pieces->piece);
    }
    *source = (text){0};
    *pieces = (text_pieces){0};
    if (!m || !result) {
        free_making(m);
        mem_free(result);
        return PAV_ENOMEM;
    }
    m->build = (build){.module = result,
                       .compiler.language = LANGUAGE_C,
                       .source = m->source.data,
                       .length = m->source.length,
                       .pieces = &m->pieces,
                       .quick = how & HOST_QUICK};
    result->making = m;
    *module = result;
    if (pthread_create(&m->thread, NULL, make_module, m) == 0)
        return PAV_OK;
    (void)make_module(m);
    host_stop_by(NULL);
    m->joined = true;
    const pav_status status = host_module_wait(result);
    if (status != PAV_OK) {
        host_module_close(result);
        *module = NULL;
    }
    return status;
}

bool host_module_is_awaited(const host_module *module)
{
    return module->making && !module->making->joined;
}

bool host_module_is_made(const host_module *module)
{
    return !module->making || atomic_load(&module->making->done);
}

bool host_module_is_late(const host_module *module)
{
    while (!atomic_load(&module->cache.asked) && !host_module_is_made(module))
        (void)nanosleep(&(struct timespec){.tv_nsec = 1000000}, NULL);
    return atomic_load(&module->cache.again) && !host_module_is_made(module);
}

static void join(making *m)
{
    if (!m->joined)
        (void)pthread_join(m->thread, NULL);
    m->joined = true;
}

pav_status host_module_wait(host_module *module)
{
    making *m = module->making;
    if (!m)
        return PAV_OK;
    join(m);
    const kept_failure *f = &m->failure;
    return f->status == PAV_OK ? PAV_OK : FAIL(f->status, "%s", f->why ? f->why : "");
}

pav_status host_module_open(const char *source, int64_t length, unsigned how,
                            host_module **module)
{
    return module_open(LANGUAGE_C, source, length, NULL, how, module);
}

pav_status host_module_open_pieces(const text *source, const text_pieces *pieces,
                                   unsigned how, host_module **module)
{
    return module_open(LANGUAGE_C, source->data, source->length, pieces, how, module);
}

void host_module_close(host_module *module)
{
    if (module && module->making) {
        atomic_store(&module->making->wish, true);
        join(module->making); /* the message of this thread stays */
        stopped = module->making->failure.status == PAV_OK ? 0 : stopped + 1;
        free_making(module->making);
    }
    if (module && module->loaded)
        (void)dlclose(module->loaded);
    for (int k = 0; module && k < module->olders; k++)
        (void)dlclose(module->older[k].loaded);
    if (module)
        MEM_FREE_ALL(module->older, module);
}

void *host_module_variable(const host_module *module, const char *name)
{
    void *found = module->loaded ? dlsym(module->loaded, name) : NULL;

    for (int k = 0; !found && k < module->olders; k++)
        found = dlsym(module->older[k].loaded, name);
    if (!found && module->installed)
        found = installed_find(name);
    return found;
}

host_function *host_module_find(const host_module *module, const char *name)
{
    void *found = host_module_variable(module, name);
    host_function *function = NULL;

    memcpy(&function, &found, sizeof function);
    return function;
}

const char *host_module_note(const host_module *module)
{
    return *module->cache.note ? module->cache.note : installed_note();
}

bool host_module_is_partial(const host_module *module)
{
    return module->installed;
}
