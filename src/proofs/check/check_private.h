/* SPDX-License-Identifier: BSD-3-Clause */
/* Shared inside check only: the parts of the proofs. The most important part is the
 * direct evaluation, which follows the checked tree of a program and shares nothing with
 * the IR. */
#ifndef CHECK_CHECK_PRIVATE_H
#define CHECK_CHECK_PRIVATE_H

#include "check/check.h"

enum { PROOF_STEPS = 3 };

/* The options of a check, with their defaults. */
static inline int64_t check_programs(const pav_check_options *o)
{
    return o->programs ? o->programs : 200;
}
static inline uint64_t check_seed(const pav_check_options *o)
{
    return o->seed ? o->seed : 1;
}
/* True if program `number` belongs to this process. Several processes may share the
 * programs. */
static inline bool check_is_shared(const pav_check_options *o, int64_t number)
{
    return o->shares <= 1 || number % o->shares == o->share - 1;
}

RELEASES(close_program, pav_program, pav_program_free) /* for OWNED_BY */

/* Refuses a proof if most of its comparisons could not have failed. */
pav_status proof_is_sharp(int64_t compared, int64_t sharp);

/* Steps to the next point of a box, x first, from {lo[0] - 1, lo[1], lo[2]} on
 * (`lo` NULL: zeros); false behind the last one. */
static inline bool next_point(const int64_t *lo, const int64_t *hi, int64_t *at)
{
    for (int axis = 0; axis < MAX_DIM; axis++) {
        if (++at[axis] < hi[axis])
            return true;
        at[axis] = lo ? lo[axis] : 0;
    }
    return false;
}

/* ---- runs and passes (check.c, proof_passes.c) ------------------------------------- */

/* Puts the name of the way before the message of a failure. */
pav_status proof_in_way(const char *way, pav_status status);
/* Checks two runners for bitwise identical values at the start and after each of
 * PROOF_STEPS steps, samples and measures included. */
pav_status runners_agree(const program *p, stage_runner one, stage_runner other);
/* Compares a run with the interpreter's after each of these numbers of further steps; 0:
 * at the start. proof_steps: at the start and after each of PROOF_STEPS steps. */
pav_status equals_interpreter(const program *p, pav_run *run, const int64_t *steps,
                              size_t count);
extern const int64_t proof_steps[PROOF_STEPS + 1];
/* Compares runs with the reference at the start and after each of PROOF_STEPS steps.
 * name: the way of a run, for messages. */
pav_status runs_follow(pav_run *reference, pav_run *const *run, int count,
                       const char *(*name)(int n));
/* Compares the present fields, and the rows of samples and measures after `step`, if run
 * b continued from a checkpoint of this step; 0: all rows. Any NaN equals any NaN: sign
 * and payload depend on the hardware. */
pav_status runs_are_equal(pav_run *a, pav_run *b, int64_t step);
pav_status levels_are_equal(pav_run *a, pav_run *b, int field, int age); /* one level */
/* proof_places.c: compares a grid with random cuts with an uncut one, if the program
 * may be cut. */
pav_status subdomains_equal_one(const proof_case *c, cut_opening how);
/* proof_places.c: the same for a grid out of core, with a random method, steps and
 * parts, if the program may run out of core. launch: a fused launch compiled for the
 * device; or NULL. */
pav_status visits_equal_one(const proof_case *c, cut_opening how, const schedule *launch);
void visits_add(outofcore_seen *all, const outofcore_seen *some);
/* Proofs of a program, for the table of check.c: visits_equal_one of the interpreter;
 * kernels against the interpreter, for all loop schedules of a box (proof_kernels.c), and
 * on a GPU (proof_gpu.c); NVRTC compiles kernels of the stages without spills
 * (proof_compiles.c); each pass keeps the values (proof_passes.c); a run agrees with the
 * direct evaluation of its description (direct.c). */
proof_of_case visits_of_interpreter, kernels_equal_rows, gpu_equals_rows,
    gpu_kernels_compile, passes_keep_the_values, direct_agrees;
/* True if kernels of this seed contain the strides of the whole grid, like kernels of
 * runs. Such kernels do not fit subdomains. */
bool strides_are_fixed(uint64_t seed);
const char *loop_schedule_name(int n); /* NULL past the last */
/* True if kernels of split stages are compiled, too. They double the compile time, so
 * only every other program has them. */
bool split_stages_are_proved(uint64_t seed);
/* The schedule of a stage for a seed, possible on GPUs of this architecture (80, 90). */
schedule gpu_schedule_of_seed(int architecture, const ir *code, int64_t stage,
                              uint64_t seed);
/* The kernels of a program (proof_gpu.c): as in any run; by schedules chosen by
 * its seed, perhaps of split stages. */
enum { AS_ANY_RUN, BY_SCHEDULES_OF_ITS_SEED, GPU_OPENINGS };
/* Number of values in the source of a thread, for schedule `time`. */
int64_t gpu_fused_values(const ir *code, const schedule *s);
/* A fused schedule for GPUs of an architecture (90: sm_90); depth 0: none. */
schedule gpu_fused_of_seed(int architecture, const ir *code, uint64_t seed);
/* Checks for a suitable NVRTC (proof_compiles.c). */
pav_status gpu_compiler_is_here(void);
/* Compiles a fused launch, if GPUs of this architecture can run it. */
pav_status gpu_fused_compiles(const ir *code, const schedule *requested,
                              int architecture);
/* stats: one line per kernel, in the format of gpu_try_compile. */
pav_status kernels_have_no_spills(const char *stats, int architecture);
/* Checks a run without steps: the memory between its rows must be NaN. */
pav_status run_is_poisoned(const pav_run *run);

/* Value and rounding scale of every output of every lowered stage, and the first pass
 * with a change beyond rounding. `sharp` comparisons would have noticed a change of a
 * hundredth. */
typedef struct pass_watch {
    uint64_t seed;
    int64_t stages, outputs, compared, sharp;
    /* of all outputs: value and magnitude after lowering, then the same after a pass */
    long double *value;
    const char *pass, *stage;
    long double before, after;
    bool costlier;
    pav_status status;
} pass_watch;

/* A function for ir_trace.after; `user` is a pass_watch. */
void pass_watch_after(void *user, const ir *code, const char *pass, const char *about,
                      const ir_cost *before, const ir_cost *after);
pav_status pass_watch_verdict(const pass_watch *v);
void pass_watch_close(pass_watch *v);

/* ---- equations to solve (proof_solve.c) -------------------------------------------- */

/* Two descriptions: one solves an equation for u, the other stores the residual in r and
 * adds 1 to each unknown in a step. Or one takes steps at once, the other one by one. */
typedef struct random_equation {
    text solve, residual;
    double tolerance;
    bool turned;     /* the unknown is p, complex */
    bool unsolvable; /* the solver must refuse it */
    bool jumps;
} random_equation;
void random_solve(uint64_t seed, random_equation *e);
void random_equation_free(random_equation *e);
/* Compares the interpreter's solution with elimination (an unsolvable equation must be
 * refused), and the device's bits with the
 * interpreter's (NULL: no device). */
pav_status equation_is_solved(const random_equation *e, const char *device);

/* ---- adjoints (random_linear.c) ---------------------------------------------------- */

/* A description linear in its updates, with sources and receivers, and its dot-product
 * test on the device. *size is 0 if no wave reached the receivers. */
void random_linear(uint64_t seed, text *t);
pav_status adjoint_holds(const text *source, const char *device, double *size);

/* ---- estimates (estimate.c) -------------------------------------------------------- */

/* A number in extended precision, and the largest error of a program in f32 or f64 with
 * the same mathematics in any order of sums and products. */
typedef struct estimate {
    long double v;
    long double m; /* v with the absolute value of every term; rounding scales with it */
    long double e; /* largest error of a run; 0: exact; infinite: unknown */
} estimate;

/* A condition, and whether a run may decide it the other way. */
typedef struct verdict {
    bool holds, doubtful;
} verdict;

/* The rounding errors of a run's arithmetic. */
typedef struct rounding {
    long double unit;    /* relative error of an operation, with room for a few more */
    long double tiny;    /* smallest number but zero */
    long double largest; /* finite number */
    long double exact;   /* whole multiples of `grain` up to this are never rounded */
    long double grain;
} rounding;
rounding rounding_of(pav_type real);

long double extended(num n);
estimate estimate_exact(long double v);
/* v rounded to the arithmetic, unless it is a short binary fraction. */
estimate estimate_of(const rounding *r, long double v);
estimate estimate_num(const rounding *r, num n);
/* Sums, differences, products, quotients and powers. */
estimate estimate_op(const rounding *r, op_kind op, estimate a, estimate b);
estimate estimate_neg(estimate a);
estimate estimate_call(const rounding *r, function_kind f, const estimate *arg);
estimate estimate_choose(verdict c, estimate yes, estimate no);
verdict estimate_compare(op_kind op, estimate a, estimate b);
estimate estimate_truth(verdict c); /* 1 or 0 */
verdict verdict_not(verdict a);
verdict verdict_both(op_kind op, verdict a, verdict b); /* OP_AND, OP_OR */
/* The value kept by a field with this storage type. */
estimate estimate_store(const rounding *r, pav_type storage, estimate a);

/* ---- state (direct.c) -------------------------------------------------------- */

/* The border rule of one face of one field. */
typedef struct direct_face {
    border_kind kind;
    const expr *value;      /* or NULL */
    bool reads;             /* the value reads fields */
    const statement *parts; /* the rule of a part of the face, with its rest; or NULL */
} direct_face;

enum { DIRECT_NOT_BEGUN, DIRECT_UNDER_WAY, DIRECT_DONE };
/* Of a point of a mask; the last two: of an insulated one. */
enum { DIRECT_KEPT = 1, DIRECT_DOUBTFUL = 2, DIRECT_CLOSED = 4, DIRECT_MAYBE_CLOSED = 8 };

typedef struct direct_field {
    const symbol *symbol;
    int64_t extent[MAX_DIM], points;
    int newest; /* place of level +1 among those kept */
    int kept;   /* levels +1, 0, ... -(kept - 2); only 0 for fields without updates */
    estimate *level;                    /* points of each level */
    unsigned char state[MAX_LEVEL + 4]; /* of each level */
    unsigned char *owned;               /* points owned by masks; or NULL */
    direct_face face[MAX_DIM][2];
} direct_field;

typedef struct direct_sum { /* a computed reduction */
    const expr *expr;
    uint64_t identity;
    int64_t moment, step;
    estimate value;
} direct_sum;

enum { DIRECT_SUMS = 64 };

typedef struct direct_weights { /* of one kind of derivative; in the arena */
    struct direct_weights *next;
    int m, order, half, first, count;
    num weight[2 * MAX_OFFSET + 1];
} direct_weights;

typedef struct direct {
    arena *memory; /* guarded by direct_follow */
    const program *program;
    rounding rounding;
    direct_field *field;             /* of every field of the program */
    estimate *param, *scalar, *next; /* next: of scalars, after the step */
    unsigned char *param_state, *scalar_state;
    estimate time, next_time; /* if dt is a scalar */
    int64_t step;             /* the step that level 0 belongs to */
    /* Counts changes of any field. Sums of an older moment are stale. */
    int64_t moment;
    bool damped;           /* the field being updated is damped */
    const statement *line; /* the update whose points have an order; or NULL */
    direct_sum sum[DIRECT_SUMS];
    direct_weights *weights;
    pav_status status; /* the first failure while evaluating */
} direct;

direct_field *direct_of(const direct *d, const symbol *field);
int64_t direct_index(const direct_field *f, const int64_t *at);
estimate *direct_level(const direct_field *f, int level);
/* True if the level has its values. Computes them at the start. */
bool direct_ready(direct *d, const direct_field *f, int level);
estimate direct_number(direct *d, const symbol *s); /* a param or scalar */

/* direct_eval.c: the value of any level at any point, inside or beyond faces. */
estimate direct_read(direct *d, const direct_field *f, int level, const int64_t *at);
/* True if a border gives the value of this point, so no equation applies. */
bool direct_is_given(const direct *d, const direct_field *f, const int64_t *at);
/* For a ghost or face point of a border rule by copying: the point along the axis copied
 * from. */
int64_t direct_copied(border_kind kind, int64_t n, int side, int64_t i);

/* ---- evaluation (direct_eval.c) ---------------------------------------------------- */

/* The arguments of one application of a let, by name. */
typedef struct direct_frame {
    const expr *apply;
    const struct direct_frame *outer;
    uint64_t identity;
} direct_frame;

/* Place and time of an expression. `from` is the point of the equation, on its grid. `at`
 * is the point after shifts, on the grid after transfers. */
typedef struct direct_spot {
    const direct_frame *frame;
    int64_t from[MAX_DIM], at[MAX_DIM];
    int64_t moved[MAX_DIM]; /* to the place of coordinates, in a border */
    int coarse;
    bool absorbs; /* older levels are read damped */
    int64_t step; /* the step seen by `step` and `t` */
    bool starts;  /* in an initial value */
    int level;    /* filled by a border; the border reads this level, too; else 0 */
} direct_spot;

direct_spot direct_here(const direct *d, int coarse, const int64_t *at);
estimate direct_value(direct *d, const expr *e, direct_spot at);
verdict direct_condition(direct *d, const expr *e, direct_spot at);
num direct_spacing(const direct *d, int axis, int coarse);

/* ---- steps (direct.c) -------------------------------------------------------------- */

/* The damping factor of a field at a point; 1 without damping. */
estimate direct_damping(direct *d, const direct_field *f, const int64_t *at);
bool direct_is_damped(const direct *d, const direct_field *f);

/* ---- the comparison (direct.c) ----------------------------------------------------- */

/* Number of compared values. `sharp` of them were compared to a hundredth of the field's
 * largest value. */
typedef struct direct_tally {
    int64_t compared, sharp;
} direct_tally;

/* Evaluates p directly while the run takes steps. A difference beyond rounding is a
 * failure. */
pav_status direct_follow(const program *p, pav_run *run, int steps, direct_tally *tally);

#endif
