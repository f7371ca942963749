/* SPDX-License-Identifier: BSD-3-Clause */
/* Shared inside check only: the proofs' parts, above all the direct evaluation, which
 * follows the checked tree of a program and shares nothing with the IR. */
#ifndef CHECK_CHECK_PRIVATE_H
#define CHECK_CHECK_PRIVATE_H

#include "check/check.h"

enum { PROOF_STEPS = 3 };

/* A proof most of whose comparisons could not have failed is none. */
pav_status proof_is_sharp(int64_t compared, int64_t sharp);

/* ---- runs and passes (proofs.c, proof_passes.c) ------------------------------------ */

/* Whether both give the same bits at the start and after each of PROOF_STEPS steps,
 * samples and measures among them. */
pav_status runners_agree(const program *p, stage_runner one, stage_runner other);
/* `any_nan`: sign and payload of NaN, which are the hardware's, are not compared. */
pav_status runs_agree(pav_run *a, pav_run *b, bool any_nan);
/* Now, and all rows of samples and measures so far. */
pav_status runs_are_equal(pav_run *a, pav_run *b, bool any_nan);
/* The same, of rows after that step alone: b went on from a checkpoint of it; 0: all. */
pav_status runs_are_equal_since(pav_run *a, pav_run *b, int64_t step);
pav_status field_is_equal(pav_run *a, pav_run *b, const char *name); /* level 0 alone */
/* proof_subdomains.c: a grid that is cut, by cuts of a seed, where the program may be
 * cut. */
pav_status subdomains_equal_one(const proof_case *c, cut_opening how);
pav_status subdomains_of_interpreter(const proof_case *c);
/* proof_outofcore.c: the same of one that is visited, by a method, steps and parts of a
 * seed, where the program may be. launch: that its device has compiled; or NULL. */
pav_status visits_equal_one(const proof_case *c, cut_opening how, const schedule *launch);
void visits_add(outofcore_seen *all, const outofcore_seen *some);
pav_status visits_of_interpreter(const proof_case *c);
/* Kernels against the interpreter, by all loop schedules of a box (proof_kernels.c). */
pav_status kernels_equal_rows(const proof_case *c);
/* The same of several steps a pass (proof_time.c). */
pav_status time_blocks_equal_steps(const proof_case *c, const kernel_set *set,
                                   int64_t number);
/* Whether kernels count on the strides of the whole grid, as those of runs do: then no
 * subdomain has them. */
bool strides_are_fixed(uint64_t seed);
const char *loop_schedule_name(int n);           /* NULL past the last */
pav_status gpu_equals_rows(const proof_case *c); /* the same on a GPU (proof_gpu.c) */
/* proof_gpu_fused.c */
pav_status gpu_fused_equal_steps(const proof_case *c, const gpu_proof *k, int64_t number);
/* Whether the GPU has to give the interpreter's bits; else its own functions stand at
 * points of a step. */
bool gpu_bits_are_promised(const gpu *g, const ir *code);
/* Whether kernels of its stages in parts are made, too: those of every other program, as
 * they take compilers as long. */
bool split_stages_are_proved(uint64_t seed);
/* Whether its fields have rows without padding, where it has schedules of its own. */
bool rows_are_plain(uint64_t seed);
/* Whether its sweeps there have as many planes as trials find, or a few. */
bool walks_are_free(uint64_t seed);
/* The way of a stage of a program of that seed: one that GPUs of that architecture (80,
 * 90) have. */
schedule gpu_schedule_of_seed(int architecture, const ir *code, int64_t stage,
                              uint64_t seed);
/* Where the kernels of a program are (gpu_proof_kernels.c): as any run has them; by
 * schedules of its own, of stages in parts perhaps; or, where no bits are promised, a
 * thread a point in all stages. */
enum { AS_ANY_RUN, BY_SCHEDULES_OF_ITS_SEED, POINT_BY_POINT, GPU_OPENINGS };
/* How the program takes several steps in one launch; NULL: it does not. */
const schedule *gpu_proof_fused(const gpu_proof *k, int64_t number);
/* That stand in the text of a thread, of TIME. */
int64_t gpu_fused_values(const ir *code, const schedule *s);
/* For GPUs of an architecture (90: sm_90); depth 0: none. */
schedule gpu_fused_of_seed(int architecture, const ir *code, uint64_t seed);
place_opening gpu_proof_of(const gpu_proof *k, int64_t number, int which);
/* NVRTC makes kernels of the program's stages without spills (proof_compiles.c); the
 * first says whether there is an NVRTC that can. */
pav_status gpu_compiler_is_here(void);
pav_status gpu_kernels_compile(const proof_case *c);
/* A pass of several steps, where GPUs of that architecture can take it. */
pav_status gpu_fused_compiles(const ir *code, const schedule *requested,
                              int architecture);
void word_of_large_grid(const char *word, text *t);
/* stats: a line a kernel, as gpu_try_compile says. */
pav_status kernels_have_no_spills(const char *stats, int architecture);
/* Whether what lies between the rows of a run that took no step is NaN. */
pav_status run_is_poisoned(const pav_run *run);

/* Value and rounding scale of every output of every stage that lowering made, and the
 * first pass that changed one beyond rounding. Of the comparisons, `sharp` would have
 * noticed a change of a hundredth. */
typedef struct pass_watch {
    uint64_t seed;
    int64_t stages, outputs, compared, sharp;
    long double *value, *magnitude; /* after lowering */
    long double *now, *now_magnitude;
    const char *pass, *stage;
    long double before, after;
    bool costlier;
    pav_status status;
} pass_watch;

/* An ir_trace.after whose user is a pass_watch. */
void pass_watch_after(void *user, const ir *code, const char *pass, const char *about,
                      const ir_cost *before, const ir_cost *after);
pav_status pass_watch_verdict(const pass_watch *v);
void pass_watch_close(pass_watch *v);
pav_status passes_keep_the_values(const program *p, uint64_t seed);

/* ---- equations to solve (random_solve.c, proof_solve.c) ---------------------------- */

/* A description that solves an equation for u, and one whose step stores the residual in
 * r and adds 1 to what is unknown. */
typedef struct random_equation {
    text solve, residual;
    double tolerance;
} random_equation;
void random_solve(uint64_t seed, random_equation *e);
void random_equation_free(random_equation *e);
/* By the interpreter as by elimination; with its bits on the device (NULL: none). */
pav_status equation_is_solved(const random_equation *e, const char *device);

/* ---- adjoints (random_linear.c) ---------------------------------------------------- */

/* A description that is linear in what it updates, with sources and receivers; and
 * whether it passes the dot-product test on the device. *size: 0 where no wave came to
 * the receivers. */
void random_linear(uint64_t seed, text *t);
pav_status adjoint_holds(const text *source, const char *device, double *size);

/* ---- estimates (estimate.c) -------------------------------------------------------- */

/* A number in extended precision, and how far from it a program in f32 or f64 may be
 * that evaluates the same mathematics in any order of its sums and products. */
typedef struct estimate {
    long double v;
    long double m; /* v with every term's absolute value: what rounding scales with */
    long double e; /* how far off a run may be; 0: not at all; infinite: unknown */
} estimate;

/* A condition, and whether a run may decide it otherwise. */
typedef struct verdict {
    bool holds, doubtful;
} verdict;

/* The arithmetic of a run, as far as its errors go. */
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
verdict estimate_test(estimate a);  /* a != 0 */
verdict verdict_not(verdict a);
verdict verdict_both(op_kind op, verdict a, verdict b); /* OP_AND, OP_OR */
/* What a field of that storage keeps of it. */
estimate estimate_store(const rounding *r, pav_type storage, estimate a);

/* ---- state (direct_state.c) -------------------------------------------------------- */

/* What one face of one field does, as the statements say. */
typedef struct direct_face {
    border_kind kind;
    const expr *value; /* or NULL */
} direct_face;

enum { DIRECT_NOT_BEGUN, DIRECT_UNDER_WAY, DIRECT_DONE };
enum { DIRECT_KEPT = 1, DIRECT_DOUBTFUL = 2 };

typedef struct direct_field {
    const symbol *symbol;
    int64_t extent[MAX_DIM], points;
    int newest;      /* place of level +1 among those kept */
    int kept;        /* levels +1, 0, ... -(kept - 2); only 0 where nothing updates it */
    estimate *level; /* points of each level */
    unsigned char state[MAX_LEVEL + 4]; /* of each level */
    unsigned char *owned;               /* by masks, for every point; or NULL */
    direct_face face[MAX_DIM][2];
} direct_field;

typedef struct direct_sum { /* a reduction that was worked out */
    const expr *expr;
    uint64_t identity;
    int64_t moment, step;
    estimate value;
} direct_sum;

enum { DIRECT_SUMS = 64 };

typedef struct direct_weights { /* of one kind of derivative */
    struct direct_weights *next;
    int m, order, half, first, count;
    num weight[2 * MAX_OFFSET + 1];
} direct_weights;

typedef struct direct {
    const program *program;
    rounding rounding;
    direct_field *field; /* of every field of the program */
    estimate *param;
    unsigned char *param_state;
    int64_t step;   /* the step that level 0 belongs to */
    int64_t moment; /* counts changes of any field: what was remembered is old */
    bool damped;    /* the field being updated */
    direct_sum sum[DIRECT_SUMS];
    direct_weights *weights;
    pav_status status; /* the first failure while evaluating */
} direct;

/* Everything as it is before the first step. */
pav_status direct_open(const program *p, direct *d);
void direct_close(direct *d);
direct_field *direct_of(const direct *d, const symbol *field);
int64_t direct_index(const direct_field *f, const int64_t *at);
estimate *direct_level(const direct_field *f, int level);
/* Whether that level has its values; at the start it gets them now. */
bool direct_ready(direct *d, const direct_field *f, int level);
void direct_set(direct *d, direct_field *f, int level);
void direct_unset(direct_field *f); /* level +1 has no values yet */
void direct_rotate(direct *d);
estimate direct_param(direct *d, const symbol *s);
void direct_path(const direct *d, const char *file, text *path);
typedef void (*direct_visit)(direct *d, direct_field *f, const int64_t *at, void *user);
void direct_each(direct *d, direct_field *f, direct_visit visit, void *user);

/* direct_border.c: the value of any level at any point, inside or beyond faces. */
estimate direct_read(direct *d, const direct_field *f, int level, const int64_t *at);
/* Whether a border gives the value of this point, so that no equation does. */
bool direct_is_given(const direct *d, const direct_field *f, const int64_t *at);
/* Of a ghost or face point of a border that copies, the point along the axis that it is a
 * copy of. */
int direct_share(border_kind kind);
bool direct_wraps(const direct_field *f, int axis, int side);
int64_t direct_copied(border_kind kind, int64_t n, int side, int64_t i);

/* ---- evaluation (direct_eval.c) ---------------------------------------------------- */

/* The arguments of one application of a let, by name. */
typedef struct direct_frame {
    const expr *apply;
    const struct direct_frame *outer;
    uint64_t identity;
} direct_frame;

/* Where and when an expression is evaluated. `from` is the point of the equation, on
 * its grid; `at` the point that shifts led to, on the grid that transfers led to. */
typedef struct direct_spot {
    const direct_frame *frame;
    int64_t from[MAX_DIM], at[MAX_DIM];
    int coarse;
    bool absorbs; /* older levels are read damped */
    int64_t step; /* what `step` and `t` see */
} direct_spot;

direct_spot direct_here(const direct *d, int coarse, const int64_t *at);
estimate direct_value(direct *d, const expr *e, const direct_spot *at);
verdict direct_condition(direct *d, const expr *e, const direct_spot *at);
num direct_spacing(const direct *d, int axis, int coarse);

/* direct_taps.c */
estimate direct_weighted(direct *d, const expr *e, const direct_spot *at);
estimate direct_transfer(direct *d, const expr *e, const direct_spot *at);
estimate direct_reduce(direct *d, const expr *e, const direct_spot *at);
direct_spot direct_shifted(const direct_spot *at, const int *offset);

/* direct_points.c: adds one `inject` statement to level +1 of its field. */
void direct_inject(direct *d, const statement *s);

/* direct_step.c */
void direct_step(direct *d);
/* The damping factor of a field at a point; 1 where nothing damps. */
estimate direct_damping(direct *d, const direct_field *f, const int64_t *at);
bool direct_is_damped(const direct *d, const direct_field *f);
bool direct_absorbs(const direct *d, const direct_field *f, const statement *s, int face);
/* A new value where masks let it in, else the one kept. */
estimate direct_masked(const direct_field *f, int64_t point, estimate value,
                       estimate kept);

/* ---- the comparison (direct.c) ----------------------------------------------------- */

/* Values of a run seen; `sharp` of them were compared to a hundredth of the field's
 * largest. */
typedef struct direct_tally {
    int64_t compared, sharp;
} direct_tally;

/* p is evaluated as written while the run takes steps; what differs beyond rounding
 * fails. Functions of a GPU's own may be off by four units in the last place (CUDA C++
 * Programming Guide, "Mathematical Functions"), twice as much as is granted else. */
enum { ROUNDED_AS_USUAL = 1, ROUNDED_BY_GPU = 2 };
pav_status direct_follow(const program *p, pav_run *run, int steps, int rounded,
                         direct_tally *tally);
pav_status direct_agrees(const program *p, uint64_t seed);

#endif
