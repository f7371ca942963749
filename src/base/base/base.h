/* SPDX-License-Identifier: BSD-3-Clause */
/* The foundation of all other folders: failures, memory, text, exact numbers, types,
 * time. */
#ifndef BASE_BASE_H
#define BASE_BASE_H

#include <dirent.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include "pavior.h"

__extension__ typedef __int128 i128;
__extension__ typedef unsigned __int128 u128;

#define PI 3.14159265358979323846

#define COUNT_OF(array) (sizeof(array) / sizeof((array)[0]))
#define PRINTF_LIKE(at, rest) __attribute__((__format__(__printf__, at, rest)))

/* ---- whole numbers ----------------------------------------------------------------- */

static inline int int_least(int a, int b)
{
    return a < b ? a : b;
}

static inline int int_most(int a, int b)
{
    return a > b ? a : b;
}

static inline int64_t int64_least(int64_t a, int64_t b)
{
    return a < b ? a : b;
}

static inline int64_t int64_most(int64_t a, int64_t b)
{
    return a > b ? a : b;
}

static inline int int_compare(int64_t a, int64_t b)
{
    return (a > b) - (a < b);
}

static inline int64_t int_floor_half(int64_t a)
{
    return a >= 0 ? a / 2 : -((1 - a) / 2);
}

/* The number of parts of size `each` needed for `count`. */
static inline int64_t int_parts(int64_t count, int64_t each)
{
    return (count + each - 1) / each;
}

/* `value` rounded up to a multiple of `unit`. */
static inline int64_t int_rounded(int64_t value, int64_t unit)
{
    return int_parts(value, unit) * unit;
}

/* The greatest common divisor; of 0 and b it is b. */
static inline u128 int_common(u128 a, u128 b)
{
    while (b) {
        const u128 rest = a % b;
        a = b;
        b = rest;
    }
    return a;
}

static inline uint64_t double_bits(double value)
{
    union {
        double value;
        uint64_t bits;
    } u = {value};

    return u.bits;
}

/* ---- characters of programs and messages ------------------------------------------ */

static inline bool char_is_digit(char c)
{
    return c >= '0' && c <= '9';
}

static inline bool char_is_of_word(char c)
{
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || char_is_digit(c) ||
           c == '_';
}

/* True for a continuation byte of UTF-8. */
static inline bool utf8_continues(char c)
{
    return ((unsigned char)c & 0xc0U) == 0x80U;
}

/* ---- hints to compilers about loops over rows -------------------------------------- */

#define INLINE static inline __attribute__((always_inline))

/* AVX-512 gained nothing in loops over rows: rows are not aligned, so most loads of its
 * wide vectors would cross cache lines. Transforms of lines use it. */
#ifdef __x86_64__
#define FOR_AVX2 __attribute__((target("avx2,fma")))
#define HAS_AVX2 (__builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma"))
#define FOR_AVX512 __attribute__((target("avx512f")))
#define HAS_AVX512 __builtin_cpu_supports("avx512f")
#else
#define HAS_AVX2 0
#define FOR_AVX2
#endif

/* ---- failures (fail.c) ------------------------------------------------------------- */

/* Stores the message for pav_message() and returns the status: return FAIL(PAV_EIO,
 * "..."). The message may quote the present pav_message(). It is cut after 64 KiB. */
pav_status fail(pav_status status, const char *format, ...) PRINTF_LIKE(2, 3);
pav_status fail_list(pav_status status, const char *format, va_list list)
    PRINTF_LIKE(2, 0);
#define FAIL(status, ...) fail(status, __VA_ARGS__)
/* A failure for another thread or a later moment, because pav_message() belongs to the
 * failing thread. failure_keep keeps the first failure; PAV_OK is none. failure_report
 * returns its status with its message, and drops it. */
typedef struct kept_failure {
    pav_status status;
    char *why; /* NULL: memory ran out, too; else free() it if it is not reported */
} kept_failure;
void failure_keep(kept_failure *f, pav_status status);
pav_status failure_report(kept_failure *f);

/* Returns the failure of `call` to the caller at once. Variables marked OWNED are freed
 * on the way. A function that owns anything else by then must not use TRY: it goes to its
 * clean-up label. */
#define TRY(call)                                                                        \
    do {                                                                                 \
        const pav_status try_ = (call);                                                  \
        if (try_ != PAV_OK)                                                              \
            return try_;                                                                 \
    } while (0)

/* ---- memory (memory.c, limits.c, arena.c) ------------------------------------------ */

/* Zeroed memory; NULL and a message if memory runs out or count*size overflows. Free with
 * mem_free. */
void *mem_new(int64_t count, size_t size);
/* The same for a pointer given by its address, NULL if memory runs out:
 *     TRY(mem_take(&list->item, count, sizeof *list->item)); */
pav_status mem_take(void *variable, int64_t count, size_t size);
/* On failure the old block is kept. The added part is not zeroed. */
void *mem_grow(void *block, int64_t count, size_t size);
/* mem_grow for a pointer given by its address. */
pav_status mem_extend(void *variable, int64_t count, size_t size);
/* The same for an array that needs room for more than `count` items: it stays as it is,
 * or grows to twice its room. */
pav_status mem_reserve(void *variable, int64_t *room, int64_t count, size_t size);
void mem_free(void *block);
/* Frees several blocks: MEM_FREE_ALL(p->first, p->second, p). */
void mem_free_all(int count, void *const *block);
#define MEM_FREE_ALL(...)                                                                \
    mem_free_all((int)COUNT_OF(((void *const[]){__VA_ARGS__})),                          \
                 (void *const[]){__VA_ARGS__})
/* The end of a variable's scope frees what the variable owns, also after TRY:
 *     OWNED double *values = mem_new(count, sizeof *values);
 *     OWNED_BY(text_free) text t = {0};
 * A block that outlives the scope is handed over by mem_hand_over, a text by
 * text_take. */
#define OWNED_BY(release) __attribute__((cleanup(release)))
#define OWNED OWNED_BY(mem_release)
/* Declares zeroed memory released by such a function. The function around it returns
 * PAV_ENOMEM if there is none. */
#define NEW_BY(release, type, name, count)                                               \
    OWNED_BY(release) type *name = mem_new(count, sizeof *(name));                       \
    if (!(name))                                                                         \
    return PAV_ENOMEM
#define OWNED_NEW(type, name, count) NEW_BY(mem_release, type, name, count)
/* Defines such a function for a pointer. */
#define RELEASES(name, type, release)                                                    \
    static inline void name(type **at)                                                   \
    {                                                                                    \
        release(*at);                                                                    \
    }
void mem_release(void *variable); /* mem_free of the block that the variable points to */
void *mem_hand_over(void *variable); /* the block; the variable becomes NULL */
/* Large arrays: 64-byte aligned, not zeroed, in huge pages if useful. All functions here
 * compare a large request with the available memory first and reject it with a message
 * such as "needs 14.0 GiB of memory, 3.2 GiB are available; ...". Quote the message after
 * the name of the object. */
void *mem_big(int64_t bytes);
void mem_big_free(void *block, int64_t bytes);
/* Bytes in use by mem_big; their maximum so far. */
int64_t mem_used(void);
int64_t mem_peak(void);
/* The maximum memory of the whole process so far, bytes; -1 if the system does not
 * say. */
int64_t mem_process_peak(void);
/* Bytes still available on the machine within the limits of its containers or batch jobs;
 * -1 if the system does not say. */
int64_t mem_available(void);
/* Number of processors allowed by the time limits of the control groups, rounded up; 0 if
 * they set no limit. The system's files are read below `root`: "", or a test's folder. */
int processors_allowed_under(const char *root);
/* Counts the bytes read from memory by the present threads, with counters of their cores,
 * starting now. NULL and a reason if the counters are not available. */
typedef struct memory_reads memory_reads;
memory_reads *memory_reads_open(const char **why);
double memory_reads_bytes(const memory_reads *m);
void memory_reads_close(memory_reads *m);
RELEASES(close_reads, memory_reads, memory_reads_close)
/* Call with +1 and later -1: in between no request is compared with the available
 * memory. */
void mem_trust(int change);
/* Tests only: the n-th allocation from now fails (0: none). All kinds of allocations
 * count. */
void mem_fail_after(int64_t n);
/* Checked products and sums of 64-bit extents. */
bool mul_fits(int64_t a, int64_t b, int64_t *product);
bool add_fits(int64_t a, int64_t b, int64_t *sum);

/* An arena: allocations freed all at once. They never return NULL: if memory runs out, or
 * the program being compiled exceeds a limit, they jump to the guard. This keeps the
 * compiler's code free of checks:
 *
 *     arena *a = arena_new();
 *     pav_status status;
 *     ARENA_GUARD(a, status, work(a, ...));   status of work or of arena_fail, or
 *                                             PAV_ENOMEM if there is no arena
 *
 * The owner of an arena guards every use of it: an allocation or arena_fail outside a
 * guard is a bug and fails an assertion. Guards may nest; a failure jumps to the
 * innermost one. Memory taken under a guard from elsewhere than the arena must be
 * reachable from outside the guard. */
typedef struct arena_guard {
    jmp_buf jump;
    struct arena_guard *outer;
} arena_guard;
typedef struct arena {
    struct arena_piece *piece;
    arena_guard *guard; /* the innermost guard; NULL outside of guards */
    pav_status status;  /* reason of the jump to the guard */
    int64_t used;       /* bytes */
    /* largest size in bytes, beyond it PAV_ELIMIT; the owner may change it */
    int64_t limit;
} arena;
arena *arena_new(void);
void arena_free(arena *a);
RELEASES(free_arena, arena, arena_free)
void *arena_alloc(arena *a, int64_t count, size_t size);       /* zeroed */
char *arena_copy(arena *a, const char *string, size_t length); /* NUL-terminated */
char *arena_print(arena *a, const char *format, ...) PRINTF_LIKE(2, 3);
/* Makes room for one more item: doubles *items (the address of a pointer) if `count` has
 * reached *capacity. The old block stays in the arena. The added room is zeroed. */
void arena_reserve(arena *a, void *items, int64_t count, int64_t *capacity, size_t size);
/* The new last item of a list, assigned as in ARENA_ADD(a, list, count, capacity) = x. */
#define ARENA_ADD(a, list, count, capacity)                                              \
    (*(arena_reserve((a), &(list), (count), &(capacity), sizeof *(list)),                \
       &(list)[(count)++]))
/* Fails: stores the message and jumps to the guard. */
void arena_fail(arena *a, pav_status status, const char *format, ...) PRINTF_LIKE(3, 4)
    __attribute__((noreturn));
#define ARENA_GUARD(a, result, call)                                                     \
    do {                                                                                 \
        arena_guard guard_ = {.outer = (a) ? (a)->guard : NULL};                         \
        (result) = PAV_ENOMEM;                                                           \
        if (!(a))                                                                        \
            break;                                                                       \
        (a)->guard = &guard_;                                                            \
        if (setjmp(guard_.jump) == 0)                                                    \
            (result) = (call);                                                           \
        else                                                                             \
            (result) = (a)->status;                                                      \
        (a)->guard = guard_.outer;                                                       \
    } while (0)
/* Returns the status of the guarded call. */
#define RETURN_GUARDED(a, call)                                                          \
    do {                                                                                 \
        pav_status status_;                                                              \
        ARENA_GUARD(a, status_, call);                                                   \
        return status_;                                                                  \
    } while (0)

/* ---- growing text and files (text.c, decimal_text.c, file.c) ----------------------- */

/* Growing text. Appending after a failure does nothing; text_take reports the failure. */
typedef struct text {
    char *data; /* NUL-terminated after the first append */
    int64_t length, capacity;
    bool failed;
} text;
/* A text made of pieces, each with one function: a head needed by all pieces, and the end
 * of each piece after it. */
typedef struct text_piece {
    int64_t end;
    char name[64]; /* of the function, if texts have pieces in common */
    bool once;     /* it is called once in a run, or never */
} text_piece;
typedef struct text_pieces {
    int64_t head, count;
    text_piece *piece;
    /* Hash of the text that heads are cut from; 0: pieces differ in each text. */
    uint64_t common;
} text_pieces;
void text_add(text *t, const char *format, ...) PRINTF_LIKE(2, 3);
void text_add_list(text *t, const char *format, va_list list);
/* text_add; PAV_ENOMEM if a part of the text is missing. */
pav_status text_print(text *t, const char *format, ...) PRINTF_LIKE(2, 3);
void text_add_bytes(text *t, const char *bytes, int64_t length);
/* Appends a string escaped for XML attributes and elements. Characters not allowed in XML
 * become U+FFFD. */
void text_add_xml(text *t, const char *string);
void text_add_json(text *t, const char *string); /* quoted and escaped; NULL is null */
/* Appends the shortest decimal with the same value when read back, independent of the
 * locale; "inf", "nan". */
void text_add_double(text *t, double value);
void text_add_json_double(text *t, double value); /* null if it is not finite */
/* Appends words with values. %s stands for a string, %q for one as text_add_json writes
 * it, %g for a double as text_add_json_double writes it, %d for an int64_t, %i for an
 * int, %b for "true" or "false", and %z for bytes as text_add_bytes_size writes them. */
void text_add_values(text *t, const char *words, ...);
/* A copy of a string, or of `length` bytes; free it with mem_free. */
pav_status text_copy(const char *string, char **result);
pav_status text_copy_bytes(const char *bytes, int64_t length, char **result);
/* Hands the buffer over; free it with mem_free or pav_text_free. t is empty again. */
pav_status text_take(text *t, char **result);
void text_free(text *t);
void text_free_all(int count, text *const *t);
#define TEXT_FREE_ALL(...)                                                               \
    text_free_all((int)COUNT_OF(((text *const[]){__VA_ARGS__})),                         \
                  (text *const[]){__VA_ARGS__})
/* The candidate nearest to `word` by edit distance; NULL if none is near enough. */
const char *text_nearest(const char *word, const char *const *candidates, int64_t count);
/* Finds `word` among the candidates, or fails with a message: "there is no schedule
 * 'row'; did you mean 'rows'?: give ...". */
pav_status text_choice(const char *what, const char *word, const char *const *candidates,
                       int64_t count, int *result);
bool text_is_utf8(const char *bytes, int64_t length);

/* fail.c: every public function begins with GUARDED. During the function its thread has
 * the rounding mode and signal mask needed by the library. Guarded functions may call
 * each other. */
typedef struct guard {
    uint64_t floating[8], signals[16]; /* saved state of <fenv.h> and <signal.h> */
} guard;
guard guard_begin(void);
void guard_end(const guard *g);
#define GUARDED                                                                          \
    __attribute__((cleanup(guard_end), unused)) const guard guard_of_call = guard_begin()

/* Reads a whole file of at most `limit` bytes (PAV_ELIMIT beyond). data is
 * NUL-terminated. */
pav_status file_read(const char *path, int64_t limit, char **data, int64_t *length);
/* The same for ordinary files only: rejects a directory, a device, and a pipe, because
 * reading a pipe may wait. */
pav_status file_read_ordinary(const char *path, int64_t limit, char **data,
                              int64_t *length);
/* The same for a file accepted by `trusts` because of its owner and permissions. The
 * check uses the open file, so no other file can replace it in between. */
struct stat;
typedef pav_status file_trust(const struct stat *about, const char *path);
pav_status file_read_trusted(const char *path, int64_t limit, file_trust *trusts,
                             char **data, int64_t *length);
/* Moves a just opened file to a descriptor above 2. Without this, a process with a closed
 * standard stream gets 0, 1 or 2 for the file, and later output to that stream lands in
 * it. A failed open is passed on: -1 gives -1, with the same errno. */
int file_above_streams(int file);
/* Ends of scopes, for OWNED_BY: close a stream (NULL: none), a descriptor (-1: none) or a
 * directory (NULL: none). errno is kept. */
void stdio_close(FILE *const *file);
void handle_close(const int *file);
void listing_close(DIR *const *directory);
/* Opens a file for writing, above descriptor 2: a new file, or an existing one, emptied
 * or (`append`) continued. NULL with errno set. */
FILE *file_write(const char *path, bool append);
/* True if a path is absolute or contains `..`. A `..` counts even if the path comes back
 * inside, because a part may be a link. */
bool path_leads_out(const char *path);
/* The reason why the name is no file to read or replace, for example a pipe; NULL if it
 * is an ordinary file or does not exist. */
const char *file_oddity(const char *path);
const char *path_name(const char *path); /* the last part of a path */
/* A path of the user: the value of the first environment variable that is set, with the
 * words behind it. False: none is set, or fewer than `room` bytes are left. */
typedef struct user_place {
    const char *variable, *rest;
} user_place;
bool path_of_user(const user_place *place, int count, int room, int size, char *path);
/* The ending from the last dot in the last part of a path; for "u.npy.zst" from the dot
 * before. If there is no dot, the end of the path. */
const char *path_ending(const char *path);
/* Syncs the directory of a file, so the names in it are on the disk. Returns 0 or the
 * errno. */
int directory_sync(const char *path);
/* For messages about a full disk: appends "; 50.1 KiB are needed and 48.0 KiB free". The
 * blocks of the file count as free, because they return when the file is removed or
 * written again. `needed` 0: unknown. */
void text_add_room(text *t, int file, int64_t needed);
/* The remedy for a failed write, by errno: "; its directory is not there: make it", or
 * "". */
const char *write_hint(int error, const char *path);
/* The status of a file that cannot be written: PAV_EFULL, PAV_ENOMEM or PAV_EIO. */
pav_status write_status(int error);
/* Makes a directory and all missing directories above it. */
pav_status directory_make(const char *path);
pav_status directory_check(const char *path); /* fails if making it is known to fail */
/* Bytes free for this user on the disk of the path, even if the path does not exist yet;
 * -1 if the system does not say. *which distinguishes file systems. */
int64_t disk_available(const char *path, uint64_t *which);

/* ---- exact numbers (num.c, num_text.c) --------------------------------------------- */

/* A rational while it fits into 128 bits (exact), else a double. NaN only if asked
 * for. */
typedef struct num {
    i128 p, q; /* lowest terms, q > 0; valid if exact */
    double v;  /* nearest double, always set */
    bool exact;
} num;
num num_int(int64_t value);
num num_ratio(i128 p, i128 q);
num num_double(double value); /* exact if it is an integer of at most 2^53 */
/* Reads a number as written in programs or for --set ("1e-3", ".5", "-2", "1/3"); false
 * if it is no number. A finite number beyond double's range has an infinite v. */
bool num_parse(const char *digits, size_t length, num *value);
num num_neg(num a);
typedef num num_operation(num a, num b);
num_operation num_add, num_sub, num_mul, num_div; /* x/0 is inexact: inf or NaN */
num num_power(num a, int64_t n);
/* Compares exactly if both are exact, else the doubles. A NaN follows all numbers and
 * equals itself. */
int num_compare(num a, num b);
bool num_equal(num a, num b);
bool num_is_zero(num a);
bool num_is_int(num a, int64_t *value); /* only an exact number can be an integer */
float num_f32(num a);                   /* rounded once, to nearest even */
double num_f64(num a);
/* Appends text with the same value when read by num_parse: a short decimal if it is
 * exact, else p/q (in an expression it needs parentheses). "inf" and "nan" cannot be read
 * back. */
void num_print(text *t, num a);

/* ---- functions of values ----------------------------------------------------------- */

/* Functions of numbers, computed by Pavior's own text (base/functions/functions.h), so
 * that they have the same bits on every device. A row gives a function to the language,
 * its documents' test, the IR, the interpreters, kernels in C and CUDA, the proofs and
 * random programs.
 *
 * Smooth functions of one number, X(NAME, word, most, slope, about):
 *
 *     word    name in the language, and in the text
 *     most    largest absolute value for any argument; 0: it has no bound
 *     slope   bound of the absolute slope at arguments within e of v, in long double */
#define SMOOTH_FUNCTION_LIST(X)                                                          \
    X(EXP, exp, 0, expl(v + e), "e to a power")                                          \
    X(LOG, log, 0, v - e > 0 ? 1 / (v - e) : INFINITY, "natural logarithm")              \
    X(LOG10, log10, 0, v - e > 0 ? 1 / (v - e) : INFINITY, "decimal logarithm")          \
    X(SIN, sin, 1, 1, "sine of radians")                                                 \
    X(COS, cos, 1, 1, "cosine of radians")                                               \
    X(TAN, tan, 0, tangent_slope(v, e), "tangent of radians")                            \
    X(ASIN, asin, 0, arc_slope(v, e), "arc sine, in radians")                            \
    X(ACOS, acos, 0, arc_slope(v, e), "arc cosine, in radians")                          \
    X(ATAN, atan, 1.58, 1, "arc tangent, in radians")                                    \
    X(SINH, sinh, 0, coshl(fabsl(v) + e), "hyperbolic sine")                             \
    X(COSH, cosh, 0, coshl(fabsl(v) + e), "hyperbolic cosine")                           \
    X(TANH, tanh, 1, 1, "hyperbolic tangent")                                            \
    X(CBRT, cbrt, 0, root_slope(v, e), "cube root")                                      \
    X(ERF, erf, 1, 1.13L, "error function")                                              \
    X(SINC, sinc, 1, 1.4L, "sin(pi*a)/(pi*a); 1 at 0")

/* Functions of one number with jumps, X(NAME, word, about). */
#define STEPWISE_FUNCTION_LIST(X)                                                        \
    X(FLOOR, floor, "the largest whole number that is not larger")                       \
    X(CEIL, ceil, "the smallest whole number that is not smaller")                       \
    X(NEAREST, round, "the nearest whole number; halves away from 0")                    \
    X(SIGN, sign, "1, 0 or -1, with the sign of a")

/* Functions of two numbers, X(NAME, word, about). */
#define PAIR_FUNCTION_LIST(X)                                                            \
    X(POW, pow, "a^b")                                                                   \
    X(ATAN2, atan2, "angle of the point (b, a), in radians from -pi to pi")              \
    X(HYPOT, hypot, "sqrt(a^2 + b^2), without overflow")                                 \
    X(MOD, mod, "a - b*floor(a/b), the remainder with the sign of b; also a % b")        \
    BIT_FUNCTION_LIST(X)

/* Functions of two whole numbers from 0 to 2^53 - 1. The value of other numbers is NaN,
 * and so is a value beyond. X(NAME, word, about). */
#define BIT_FUNCTION_LIST(X)                                                             \
    X(BITAND, bitand, "the bits that are 1 in a and in b")                               \
    X(BITOR, bitor, "the bits that are 1 in a or in b")                                  \
    X(BITXOR, bitxor, "the bits that differ in a and b")                                 \
    X(SHL, shl, "a*2^b: the bits of a, b places up")                                     \
    X(SHR, shr, "floor(a/2^b): the bits of a, b places down")

long double tangent_slope(long double v, long double e);
long double arc_slope(long double v, long double e);
long double root_slope(long double v, long double e);
/* The functions that C's library lacks, in extended precision. */
long double sincl(long double v);
long double signl(long double v);
long double modl(long double a, long double b);

/* ---- element types (type.c) -------------------------------------------------------- */

bool type_from_name(const char *name, size_t length, pav_type *type);
/* One element, converted through double; f16 and bf16 round from the double only once. */
double type_load(pav_type type, const void *at);
void type_store(pav_type type, void *at,
                double value); /* u8: nearest of 0..255, NaN becomes 0 */
/* Converts `count` elements, dense and aligned, with the results of type_load and
 * type_store. In and out may be the same memory if the types are equal. */
void type_convert(pav_type to, void *out, pav_type from, const void *in, int64_t count);

/* ---- fields in memory -------------------------------------------------------------- */

/* One time level of one field in memory. Point (i, j, k) is at
 *     (char *)data + (i + j*stride[1] + k*stride[2]) * size of type.
 * Indices are indices of the whole grid: the points of a view begin at first[axis].
 * `data` is the address of point (0, 0, 0), even if this point is outside the view. The
 * halo has indices down to first[axis] - halo[axis][0] and up to first[axis] +
 * extent[axis] - 1 + halo[axis][1]. Absent axes have extent 1 and no halo. */
typedef struct view {
    void *data;
    pav_type type;
    int64_t first[PAV_MAX_DIMENSIONS]; /* 0 except in a subdomain */
    int64_t extent[PAV_MAX_DIMENSIONS];
    int64_t stride[PAV_MAX_DIMENSIONS]; /* in elements; stride[0] is 1 */
    int halo[PAV_MAX_DIMENSIONS][2];
} view;
/* The index of the first point. Generated programs have their own view, with 0 here. */
static inline int64_t view_first(const view *v, int axis)
{
    return v->first[axis];
}
#include "base/box_private.h"
#include "base/transform_text/transform_kind_private.h"

/* The length of a convolution in place of the passes of this length, if it takes less
 * time; else 0. The time of a line for each of its packed numbers, in passes of radix
 * 8. */
int transform_padding(int length);
double transform_time_of(const line_transform *t);

/* ---- hashing, random numbers, statistics, time (hash.c, measure.c, text.c) --------- */

typedef struct hash {
    uint64_t a, b;
} hash;
void hash_init(hash *h);
/* The hash does not depend on the split into calls. If the split matters, add lengths. */
void hash_add(hash *h, const void *bytes, int64_t length);
uint64_t hash_end(const hash *h);
uint64_t hash_bytes(const void *bytes, int64_t length); /* hash of these bytes only */
/* A stream of random numbers from a seed; the same on every machine. */
typedef struct rng {
    uint64_t state;
} rng;
uint64_t rng_next(rng *r);
int64_t rng_below(rng *r, int64_t n); /* uniform in 0..n-1; 0 if n < 1 */
double rng_unit(rng *r);              /* in [0, 1) */
/* hash_mix: a bijective scrambler (splitmix64's finisher). random_at and philox_at:
 * uniform in [0, 1), functions of the seed and the global index only. */
#include "base/kernels/kernel_random_private.h"

double clock_seconds(void);                   /* monotonic */
void date_put(char *to, size_t size);         /* "2026-11-25": today */
double median(double *values, int64_t count); /* sorts the values; 0 if there are none */

/* Appends two numbers with `between` between them: six significant digits, or more if
 * needed to distinguish them. */
void text_add_sides(text *t, double left, const char *between, double right);
/* Append "14.0 GiB", "512x512x512", "1 h 02 min" for messages. */
void text_add_bytes_size(text *t, int64_t bytes);
void text_add_extent(text *t, int dimensions, const int64_t *extent);
void text_add_duration(text *t, double seconds);

#endif
