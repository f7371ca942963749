/* SPDX-License-Identifier: BSD-3-Clause */
/* base: what everything stands on: failures, memory, text, exact numbers, types, time. */
#ifndef BASE_BASE_H
#define BASE_BASE_H

#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include "pavior.h"

__extension__ typedef __int128 i128;
__extension__ typedef unsigned __int128 u128;

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

/* How many parts of `each` hold `count`. */
static inline int64_t int_parts(int64_t count, int64_t each)
{
    return (count + each - 1) / each;
}

/* The next multiple of `unit`. */
static inline int64_t int_rounded(int64_t value, int64_t unit)
{
    return int_parts(value, unit) * unit;
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

/* Whether the byte goes on with a character of UTF-8. */
static inline bool utf8_continues(char c)
{
    return ((unsigned char)c & 0xc0U) == 0x80U;
}

/* ---- hints to compilers about loops over rows -------------------------------------- */

#define INLINE static inline __attribute__((always_inline))

/* Twice as wide vectors (AVX-512) were measured to gain nothing: rows are read where they
 * lie, and most loads would cross cache lines. */
#ifdef __x86_64__
#define FOR_AVX2 __attribute__((target("avx2,fma")))
#define HAS_AVX2 (__builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma"))
#else
#define FOR_AVX2
#define HAS_AVX2 0
#endif

/* ---- failures (fail.c) ------------------------------------------------------------- */

/* Keeps the sentence for pav_message() and gives the status back: return FAIL(PAV_EIO,
 * "..."). It may quote the present pav_message(). Beyond 64 KiB it is cut. */
pav_status fail(pav_status status, const char *format, ...) PRINTF_LIKE(2, 3);
pav_status fail_list(pav_status status, const char *format, va_list list)
    PRINTF_LIKE(2, 0);
#define FAIL(status, ...) fail(status, __VA_ARGS__)

/* Only where nothing is owned yet; with something in hand, go through the one label. */
#define TRY(call)                                                                        \
    do {                                                                                 \
        const pav_status try_ = (call);                                                  \
        if (try_ != PAV_OK)                                                              \
            return try_;                                                                 \
    } while (0)

/* ---- memory (memory.c, available.c, arena.c) --------------------------------------- */

/* Zeroed; NULL with a message when memory runs out or count*size overflows. Free with
 * mem_free. */
void *mem_new(int64_t count, size_t size);
/* The old block is kept on failure. The added part is not zeroed. */
void *mem_grow(void *block, int64_t count, size_t size);
void mem_free(void *block);
/* Large arrays: 64-byte aligned, not zeroed, huge pages asked for where they help. All of
 * these refuse more than is available, before it is taken, with a message such as "needs
 * 14.0 GiB of memory, 3.2 GiB are available; ...", to be quoted after the name of what
 * needs it. */
void *mem_big(int64_t bytes);
void mem_big_free(void *block, int64_t bytes);
/* Bytes in use by mem_big, and the most there ever were. */
int64_t mem_used(void);
int64_t mem_peak(void);
/* The most that the whole process has held so far; -1 where the system does not say. */
int64_t mem_process_peak(void);
/* Bytes that may still be taken, of the machine and within the limits of its containers
 * or batch jobs; -1 when the system does not say. */
int64_t mem_available(void);
/* Processors whose time the control groups let this process take, a part of one counted
 * whole; 0: they set no limit. */
int processors_allowed(void);
/* Bytes that memory hands to the threads that there are, counted by their cores from now
 * on; NULL: they cannot be, and `why` says so. */
typedef struct memory_reads memory_reads;
memory_reads *memory_reads_open(const char **why);
double memory_reads_bytes(const memory_reads *m);
void memory_reads_close(memory_reads *m);
/* +1, later -1: in between nothing is refused for being more than is available. */
void mem_trust(int change);
/* Tests only: the n-th allocation from now fails (0: none). Counts every kind of
 * allocation. */
void mem_fail_after(int64_t n);
/* Checked products and sums of 64-bit extents. */
bool mul_fits(int64_t a, int64_t b, int64_t *product);
bool add_fits(int64_t a, int64_t b, int64_t *sum);

/* An arena: pieces freed all at once. Its allocations never return NULL: when memory runs
 * out, or the program being compiled grows past a limit, they jump to the guard, so that
 * the compiler's code reads straight:
 *
 *     arena *a = arena_new();
 *     if (!a) return PAV_ENOMEM;
 *     pav_status status;
 *     ARENA_GUARD(a, status, work(a, ...));   status is work's, or that of arena_fail
 *
 * The owner of an arena guards every use of it: allocating (or arena_fail) outside of a
 * guard is a defect, found by an assertion. Guards may nest; the innermost is jumped to.
 * Memory that is not the arena's and was taken under a guard must be reachable from
 * outside of it. */
typedef struct arena_guard arena_guard;
struct arena_guard {
    jmp_buf jump;
    arena_guard *outer;
};
typedef struct arena {
    struct arena_piece *piece;
    arena_guard *guard; /* the innermost; NULL outside */
    pav_status status;  /* why the guard was jumped to */
    int64_t used;       /* bytes */
    int64_t limit;      /* PAV_ELIMIT beyond; the owner may change it */
} arena;
arena *arena_new(void);
void arena_free(arena *a);
void *arena_alloc(arena *a, int64_t count, size_t size);       /* zeroed */
char *arena_copy(arena *a, const char *string, size_t length); /* NUL-terminated */
char *arena_print(arena *a, const char *format, ...) PRINTF_LIKE(2, 3);
/* Makes room for one more: doubles *items (the address of a pointer) when `count` has
 * reached *capacity; the old block stays in the arena. The room added is zeroed. */
void arena_reserve(arena *a, void *items, int64_t count, int64_t *capacity, size_t size);
/* Gives up: keeps the message and jumps to the guard. */
void arena_fail(arena *a, pav_status status, const char *format, ...) PRINTF_LIKE(3, 4)
    __attribute__((noreturn));
#define ARENA_GUARD(a, result, call)                                                     \
    do {                                                                                 \
        arena_guard guard_ = {.outer = (a)->guard};                                      \
        (a)->guard = &guard_;                                                            \
        if (setjmp(guard_.jump) == 0)                                                    \
            (result) = (call);                                                           \
        else                                                                             \
            (result) = (a)->status;                                                      \
        (a)->guard = guard_.outer;                                                       \
    } while (0)

/* ---- growing text (text.c, json.c, decimal.c, nearest.c, file.c) ------------------- */

/* Appending after a failure does nothing; text_take says whether all went well. */
typedef struct text {
    char *data; /* NUL-terminated once anything was appended */
    int64_t length, capacity;
    bool failed;
} text;
/* What may be taken apart: a head, which all pieces need, and where each piece behind it
 * ends. */
typedef struct text_pieces {
    int64_t head, count;
    int64_t *end;
} text_pieces;
void text_add(text *t, const char *format, ...) PRINTF_LIKE(2, 3);
void text_add_list(text *t, const char *format, va_list list);
void text_add_bytes(text *t, const char *bytes, int64_t length);
/* As an attribute's value or what stands in an element; what XML cannot hold becomes
 * U+FFFD, too. */
void text_add_xml(text *t, const char *string);
void text_add_json(text *t, const char *string); /* quoted and escaped; NULL is null */
/* The shortest decimal that reads back the same, whatever the locale; "inf", "nan". */
void text_add_double(text *t, double value);
void text_add_json_double(text *t, double value); /* null when it is not finite */
/* Hands the buffer over, to be freed by mem_free or pav_text_free; t is empty again. */
pav_status text_take(text *t, char **result);
void text_free(text *t);
/* The candidate nearest to `word` by edit distance, or NULL when none is near enough. */
const char *text_nearest(const char *word, const char *const *candidates, int64_t count);
/* Which of them it is, or a sentence: "there is no schedule 'row'; did you mean 'rows'?:
 * give ...". */
pav_status text_choice(const char *what, const char *word, const char *const *candidates,
                       int64_t count, int *result);
bool text_is_utf8(const char *bytes, int64_t length);

/* guard.c: while a public function lasts, which begins with GUARDED, its thread rounds
 * and takes signals as the library needs it; functions may be called within others. */
typedef struct guard {
    uint64_t floating[8], signals[16]; /* as <fenv.h> and <signal.h> have them */
} guard;
guard guard_begin(void);
void guard_end(const guard *g);
#define GUARDED                                                                          \
    __attribute__((cleanup(guard_end), unused)) const guard guard_of_call = guard_begin()

/* Reads a whole file; `limit` bytes at most (PAV_ELIMIT beyond). data is
 * NUL-terminated. */
pav_status file_read(const char *path, int64_t limit, char **data, int64_t *length);
/* The same, but for a pipe, which might be waited for, a device and a directory. */
pav_status file_read_ordinary(const char *path, int64_t limit, char **data,
                              int64_t *length);
/* The same of a file that is trusted, by its owner and rights. It is asked once it is
 * open, so that no other file can take its name in between. */
struct stat;
typedef pav_status file_trust(const struct stat *about, const char *path);
pav_status file_read_trusted(const char *path, int64_t limit, file_trust *trusts,
                             char **data, int64_t *length);
/* The same file under a number above 2, where it has one of a standard stream that the
 * caller closed: what is written to that must not come into the file. -1 stays, as does
 * errno. */
int file_apart(int file);
/* For writing, apart: a new file, or one that is there, emptied or (`append`) gone on
 * with. NULL with errno set. */
FILE *file_write(const char *path, bool append);
/* While others open files: closed standard streams are taken; then left closed again. */
typedef struct closed_streams {
    bool taken[3];
} closed_streams;
void streams_take(closed_streams *s);
void streams_leave(const closed_streams *s);
/* Whether a path is absolute or has a part `..`; also where that leads back in: what lies
 * between may be a link. */
bool path_leads_out(const char *path);
/* Why what has that name is no file to be read or replaced, such as a pipe, which would
 * be waited for; NULL where it is one, or is not there. */
const char *file_oddity(const char *path);
const char *path_name(const char *path); /* without its folder */
/* From the last dot of the last part of a path, of "u.npy.zst" from the one before; where
 * there is none, the path's end. */
const char *path_ending(const char *path);
/* Brings the names in the directory of a file to the disk; 0, or why not, as errno has
 * it. */
int directory_sync(const char *path);
/* Of a file for which the disk has no room: "; 50.1 KiB are needed and 48.0 KiB free",
 * counting what it has got so far as free; `needed` 0: unknown. */
void text_add_room(text *t, int file, int64_t needed);
/* What to do about a file that cannot be written, by errno: "; its directory is not
 * there: make it", or "". */
const char *write_hint(int error, const char *path);
/* Makes a directory, and those above it, where they are not there yet. */
pav_status directory_make(const char *path);
pav_status directory_check(const char *path); /* whether it could, if that is known */
/* Bytes free for this user where the path is, or would be made, and a number that
 * distinguishes file systems; -1 when the system does not say. */
int64_t disk_available(const char *path, uint64_t *which);

/* ---- exact numbers (num.c, ratio.c, num_text.c) ------------------------------------ */

/* A rational while it fits 128 bits (exact), else a double. Never NaN unless asked
 * for. */
typedef struct num {
    i128 p, q; /* lowest terms, q > 0; meaningful when exact */
    double v;  /* nearest double, always set */
    bool exact;
} num;
num num_int(int64_t value);
num num_ratio(i128 p, i128 q);
num num_double(double value); /* exact when it is an integer of at most 2^53 */
/* Text as a lexer or --set sees it ("1e-3", ".5", "-2", "1/3"); false when it is no
 * number. A finite text beyond double's range gives an infinite v. */
bool num_parse(const char *digits, size_t length, num *value);
num num_neg(num a);
num num_add(num a, num b);
num num_sub(num a, num b);
num num_mul(num a, num b);
num num_div(num a, num b); /* x/0 is inexact: inf or NaN */
num num_power(num a, int64_t n);
/* Exact where both are; else as doubles. A NaN comes after all numbers and equals
 * itself. */
int num_compare(num a, num b);
bool num_equal(num a, num b);
bool num_is_zero(num a);
bool num_is_int(num a, int64_t *value); /* only what is exact is an integer */
float num_f32(num a);                   /* rounded once, to nearest even */
double num_f64(num a);
/* Appends text that num_parse reads back equal: decimal where that is exact and not long,
 * else p/q (mind the parentheses in an expression); "inf" and "nan" are not read back. */
void num_print(text *t, num a);

/* ---- element types (type.c, type_rows.c) ------------------------------------------- */

bool type_from_name(const char *name, size_t length, pav_type *type);
/* One element, converted through double; f16 and bf16 round from the double only once. */
double type_load(pav_type type, const void *at);
void type_store(pav_type type, void *at,
                double value); /* u8: nearest of 0..255, NaN is 0 */
/* `count` elements, dense and aligned, each as by type_load and type_store. The two may
 * be the same memory when the types are the same. */
void type_convert(pav_type to, void *out, pav_type from, const void *in, int64_t count);

/* ---- fields in memory -------------------------------------------------------------- */

/* One time level of one field in memory. Point (i, j, k) is at
 *     (char *)data + (i + j*stride[1] + k*stride[2]) * size of type.
 * Indices are those of the whole grid: the points of a view are first[axis] and on, and
 * data is where point (0, 0, 0) lies, or would lie if it were among them. Points of the
 * halo have indices down to first[axis] - halo[axis][0] and up to first[axis] +
 * extent[axis] - 1 + halo[axis][1]. Absent axes have extent 1 and no halo. */
typedef struct view {
    void *data;
    pav_type type;
    int64_t first[PAV_MAX_DIMENSIONS]; /* 0, but in a subdomain of a grid that is cut */
    int64_t extent[PAV_MAX_DIMENSIONS];
    int64_t stride[PAV_MAX_DIMENSIONS]; /* in elements; stride[0] is 1 */
    int halo[PAV_MAX_DIMENSIONS][2];
} view;
/* From an index of the whole grid to this view's memory, the only thing here that is
 * local: elements from `data` on; and where the point lies. */
typedef int64_t local_offset;
static inline local_offset view_offset(const view *v, int64_t i, int64_t j, int64_t k)
{
    return i + j * v->stride[1] + k * v->stride[2];
}
static inline void *view_at(const view *v, int64_t i, int64_t j, int64_t k)
{
    return (char *)v->data + view_offset(v, i, j, k) * (int64_t)pav_type_size(v->type);
}

/* The index of its first point, which is 0 in generated programs: those have a view of
 * their own. */
static inline int64_t view_first(const view *v, int axis)
{
    return v->first[axis];
}

/* A box of points, lo inclusive, hi exclusive. */
typedef struct box {
    int64_t lo[PAV_MAX_DIMENSIONS], hi[PAV_MAX_DIMENSIONS];
} box;
static inline bool box_is_empty(const box *b)
{
    return b->lo[0] >= b->hi[0] || b->lo[1] >= b->hi[1] || b->lo[2] >= b->hi[2];
}

/* ---- hashing, random numbers, statistics, time (hash.c, clock.c, sentence.c) ------- */

typedef struct hash {
    uint64_t a, b;
} hash;
void hash_init(hash *h);
/* Only the bytes count, not how they are cut into calls: add lengths where that
 * matters. */
void hash_add(hash *h, const void *bytes, int64_t length);
uint64_t hash_end(const hash *h);
uint64_t hash_bytes(const void *bytes, int64_t length); /* of these alone */
uint64_t hash_mix(uint64_t value); /* a bijective scrambler (splitmix64's finisher) */
/* A stream of random numbers from a seed; the same on every machine. */
typedef struct rng {
    uint64_t state;
} rng;
uint64_t rng_next(rng *r);
int64_t rng_below(rng *r, int64_t n); /* uniform in 0..n-1; 0 when n < 1 */
double rng_unit(rng *r);              /* in [0, 1) */
/* Uniform in [0, 1), a function of the seed and the global index only. */
double random_at(uint64_t seed, int64_t x, int64_t y, int64_t z);

double clock_seconds(void);                   /* monotonic */
double median(double *values, int64_t count); /* sorts them; 0 when there are none */

/* Two numbers with `between` between: six significant digits, or as many as distinguish
 * them. */
void text_add_sides(text *t, double left, const char *between, double right);
/* "14.0 GiB", "512x512x512", "1 h 02 min": for sentences. Appended. */
void text_add_bytes_size(text *t, int64_t bytes);
void text_add_extent(text *t, int dimensions, const int64_t *extent);
void text_add_duration(text *t, double seconds);

#endif
