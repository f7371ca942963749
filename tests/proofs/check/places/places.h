/* SPDX-License-Identifier: BSD-3-Clause */
/* Programs over places. Each random program runs at a random place: cut, on several
 * devices, out of core, or restarted. It must be bitwise identical to the uncut
 * interpreter. A few programs are tests; `check_places` (main_places.c) takes any
 * number. */
#ifndef PLACES_H
#define PLACES_H

#include "check/check_private.h"

/* X(name, words): the elements, counted in pairs. */
#define FEATURE_LIST(X)                                                                  \
    X(LINE, "1-D")                                                                       \
    X(PLANE, "2-D")                                                                      \
    X(VOLUME, "3-D")                                                                     \
    X(SINGLE, "f32")                                                                     \
    X(DOUBLE, "f64")                                                                     \
    X(NARROW, "narrow storage")                                                          \
    X(ONE_POINT, "axis of 1 point")                                                      \
    X(SHORT, "axis of 2 to 6")                                                           \
    X(STRETCHED, "stretched axis")                                                       \
    X(SEVERAL, "several fields")                                                         \
    X(COEFFICIENT, "coefficient")                                                        \
    X(COARSE, "coarse field")                                                            \
    X(OLDER, "prev(u)")                                                                  \
    X(NEWER, "u' read by v'")                                                            \
    X(ORDER_4, "order 4")                                                                \
    X(CORNER, "corner read")                                                             \
    X(COORDINATE, "coordinate in step")                                                  \
    X(TIME, "time in step")                                                              \
    X(POINTWISE, "no neighbours")                                                        \
    X(REDUCTION, "sum in step")                                                          \
    X(EQUATION, "equation in step")                                                      \
    X(PERIODIC_ONE, "one axis periodic")                                                 \
    X(PERIODIC_TWO, "two periodic")                                                      \
    X(PERIODIC_ALL, "all periodic")                                                      \
    X(PERIODIC_LAST, "slowest periodic")                                                 \
    X(UNLIKE, "borders by field")                                                        \
    X(MIRROR, "mirror")                                                                  \
    X(ODD, "odd, antimirror")                                                            \
    X(NEUMANN, "neumann")                                                                \
    X(CLAMP, "clamp")                                                                    \
    X(GIVEN, "given value")                                                              \
    X(GIVEN_PLACE, "given, of place")                                                    \
    X(READS, "border reads fields")                                                      \
    X(LAYER, "absorbing layer")                                                          \
    X(MASK, "mask")                                                                      \
    X(INSULATED, "insulated mask")                                                       \
    X(MASK_ONE, "mask of a field")                                                       \
    X(INJECT, "source")                                                                  \
    X(TRACE, "trace of a file")                                                          \
    X(TRACES, "trace a position")                                                        \
    X(TRACE_TIMES, "trace*expression")                                                   \
    X(SINC_SOURCE, "source by sinc")                                                     \
    X(MANY_SOURCES, "many sources")                                                      \
    X(EDGE, "at seam or last point")                                                     \
    X(SAMPLE, "receiver")                                                                \
    X(SINC_SAMPLE, "receiver by sinc")                                                   \
    X(SAMPLE_SUM, "receiver of sum")                                                     \
    X(MEASURE, "measure")                                                                \
    X(FIELD_FILE, "field of a file")                                                     \
    X(MASK_FILE, "mask of a file")                                                       \
    X(METHOD, "equation by a method")                                                    \
    X(OUTPUT, "output into files")                                                       \
    X(ALONG, "operation along axis")                                                     \
    X(TRANSFORM, "equation by transform")                                                \
    X(AT_ONCE, "steps at once")                                                          \
    X(TABLE, "table by a field")                                                         \
    X(RANDOM, "random numbers")                                                          \
    X(BITS, "bits, indices")                                                             \
    X(FUNCTION, "functions")                                                             \
    X(EVOLVE, "scalar's equation")                                                       \
    X(LISTS, "vector, complex")                                                          \
    X(ADVANCE, "method in time")                                                         \
    X(EVERY, "every 2 steps")                                                            \
    X(FACE_PART, "part of a face")                                                       \
    X(TOGETHER, "fields in one file")                                                    \
    X(COPY, "copy of a field")                                                           \
    X(COPY_NEWER, "copy of a new value")                                                 \
    X(OLD_COEFFICIENT, "old coefficients")                                               \
    X(LEVEL, "scalar in equation")                                                       \
    X(LEVEL_BORDER, "border is a scalar")

#define PLACE_LIST(X)                                                                    \
    X(WHOLE, "whole")                                                                    \
    X(CUT_X, "cut x")                                                                    \
    X(CUT_Y, "cut y")                                                                    \
    X(CUT_Z, "cut z")                                                                    \
    X(WIDE_2, "wide 2")                                                                  \
    X(WIDE_4, "wide 4")                                                                  \
    X(LIST, "list")                                                                      \
    X(LIST_OF_THREE, "list of three")                                                    \
    X(VISITS, "visits")                                                                  \
    X(DISK, "on disk")                                                                   \
    X(RANKS, "ranks")                                                                    \
    X(EARLY, "interpreter first")                                                        \
    X(RESTART, "restart")

#define SCHEDULE_LIST(X)                                                                 \
    X(INTERPRETER, "interpreter")                                                        \
    X(CPU_AUTO, "cpu auto")                                                              \
    X(ROWS, "rows")                                                                      \
    X(ROWS_STREAM, "rows:stream")                                                        \
    X(ROWS_SINGLE, "rows:rows=single")                                                   \
    X(BLOCKS, "blocks")                                                                  \
    X(CPU_TIME, "cpu time")                                                              \
    X(DIAMOND, "time:diamond")                                                           \
    X(GPU_AUTO, "gpu auto")                                                              \
    X(POINT, "point")                                                                    \
    X(SWEEP, "sweep")                                                                    \
    X(SWEEP_PLAIN, "sweep:plain")                                                        \
    X(TWO_PASS, "two-pass")                                                              \
    X(GPU_TIME, "gpu time")                                                              \
    X(PERSISTENT, "persistent")

typedef enum element {
#define X(name, words) ELEMENT_##name,
    FEATURE_LIST(X) PLACE_LIST(X) SCHEDULE_LIST(X)
#undef X
        ELEMENTS,
    FIRST_PLACE = ELEMENT_WHOLE,
    FIRST_SCHEDULE = ELEMENT_INTERPRETER,
} element;

typedef struct element_set {
    bool has[ELEMENTS];
} element_set;

enum { MOST_TRACES = 3 };
#define PLACES_FIELD "c.npy"
#define PLACES_MASK "mask.npy"

/* A program, and the tables of numbers read by its sources. */
typedef struct drawn_program {
    text source;
    int dim, steps, traces;
    int64_t extent[MAX_DIM];
    int64_t rows[MOST_TRACES], columns[MOST_TRACES];
    element_set set;
} drawn_program;

/* Removes the files of a folder, and its empty folders. */
void places_remove_files(const char *folder);
void draw_places_program(uint64_t seed, drawn_program *d);
void places_trace_name(int number, char name[16]);

/* The options of a run, in text. */
typedef struct drawn_place {
    char device[32], weights[32], subdomains[40], schedule[48], outofcore[48];
    int every, threads, early;
    bool on_disk;
    element_set set;
} drawn_place;

/* devices: the present devices, in bits of DEVICE_...; WITH_RANKS: ranks share the
 * program. */
enum {
    DEVICE_INTERPRETER = 1,
    DEVICE_CPU = 2,
    DEVICE_EMULATED = 4,
    DEVICE_CUDA = 8,
    WITH_RANKS = 16
};
static inline bool are_several(unsigned devices)
{
    devices &= ~(unsigned)WITH_RANKS;
    return devices & (devices - 1);
}
void draw_place(rng *r, const drawn_program *d, unsigned devices, drawn_place *to);

/* ---- all programs (places_traversal.c) --------------------------------------------- */

typedef struct places_options {
    const char *device; /* NULL: the interpreter, cpu and emulated devices */
    int64_t programs;
    uint64_t seed;
    int jobs; /* processes that share the programs; 0: 1 */
    /* More programs are drawn after the others, and those with a missing pair run. All
     * pairs without a program are listed. */
    bool coverage;
    /* report: gets a line for each failure and some lines of progress; live: a line
     * about the present work; or NULL */
    void (*report)(void *user, const char *line);
    void (*live)(void *user, const char *line);
    void *user;
    /* They share each program; or NULL. Only the first one has a `report`. */
    pav_ranks *ranks;
} places_options;

/* missing: pairs without a program, and without a refusal that explains it. */
typedef struct places_count {
    int64_t passed, failed, refused, missing;
} places_count;

pav_status places_check(const places_options *options, places_count *found);
/* Adds the program of a seed, with a comment for each input file. */
void places_add_program(uint64_t seed, text *t);

/* ---- pairs (places_traversal.c) ---------------------------------------------------- */

enum { SENTENCE = 160 };

typedef enum places_outcome {
    PLACES_EQUAL,
    PLACES_REFUSED,
    PLACES_FAILED,
    PLACES_OUTCOMES
} places_outcome;

/* For each pair of elements: number of programs by their outcome; of the refused ones
 * the number refused for this very pair, and the sentence of the first such refusal. */
typedef struct coverage {
    int64_t drawn[PLACES_OUTCOMES][ELEMENTS][ELEMENTS], refused[ELEMENTS][ELEMENTS];
    char why[ELEMENTS][ELEMENTS][SENTENCE];
} coverage;

/* why: the sentence of a refusal. */
void coverage_add(coverage *c, places_outcome outcome, const element_set *set,
                  const char *why);
/* Number of pairs neither drawn by a program nor explained by a refusal; *t has a line
 * for each. */
int64_t coverage_missing(const coverage *c, unsigned devices, text *t);
/* Writes the pairs with refusals only, with a sentence each. */
void coverage_refusals(const coverage *c, unsigned devices, text *t);

/* ---- one program (places_prove.c) -------------------------------------------------- */

/* The outcome at one place. words: its options; why: the reason of a refusal, or the
 * difference. */
typedef struct places_result {
    places_outcome outcome;
    element_set set;
    text words, why;
} places_result;

/* The elements of a program at the first place drawn for its seed. */
void draw_elements(uint64_t seed, unsigned devices, element_set *set);
/* attempt: number of the place drawn for this seed. ranks: all of them prove the program
 * together; NULL: this process alone. folder: for traces, checkpoints and files out of
 * core, the same for all ranks. begun: called with the options before the run begins. */
void prove_at_place(uint64_t seed, int attempt, unsigned devices, pav_ranks *ranks,
                    const char *folder, void (*begun)(void *user, const char *words),
                    void *user, places_result *result);

#endif
