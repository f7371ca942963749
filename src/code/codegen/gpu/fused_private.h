/* SPDX-License-Identifier: BSD-3-Clause */
/* Shared inside codegen only: several steps in one launch (temporal blocking).
 *
 * Version v of a field is its value after v steps of the launch; versions 0 and less are
 * the input levels. A block owns a tile of points across the slowest axis and sweeps
 * along this axis. It computes plane p of a version when plane p + skew of the input is
 * loaded. The skew grows with the version, so that all inputs are ready. Around its tile
 * a block also computes the overlap: its last version depends on these points. */
#ifndef CODEGEN_FUSED_PRIVATE_H
#define CODEGEN_FUSED_PRIVATE_H

#include "codegen/codegen_private.h"

/* A load of a stage and the plane it is read in, relative to the plane of the results. In
 * the order of input planes, this may be farther ahead than the load's offset. */
typedef struct fused_read {
    const ir_node *load;
    int z;
} fused_read;

/* A node with its value kept in registers for some planes. */
typedef struct fused_sum {
    int node, planes;
} fused_sum;

/* An operation of a step: a stage; or a source, added at the points of a list after all
 * stages. */
typedef struct fused_operation {
    int stage;
    /* computed in the order of input planes: registers keep partial results instead of
     * planes */
    bool input;
    int64_t reads, sums;
    fused_read *read;
    fused_sum *sum;
    int event; /* the source; -1: none */
    int skew;  /* planes behind the first operation of its step, and behind the input */
    int around[MAX_DIM]; /* points to compute around the result of the step */
    int64_t nodes;       /* of a persistent kernel: arithmetic nodes for a point */
} fused_operation;

/* A field stored by steps. */
typedef struct fused_field {
    /* oldest level read: 0, -1, ...; 1: a result of a group, with no input */
    int oldest;
    int kept;   /* levels left by a fused launch: 0 .. -(kept - 1) */
    int planes; /* planes of each version in memory at the same time */
    /* Fields in registers. exchange: planes in the exchange buffer. edge: rows at both
     * ends of a warp's rows, read by other warps. */
    int exchange, edge;
    /* fields in registers: true if all rows are published and read from the exchange
     * buffer, not only those of `edge` */
    bool whole;
    int input_planes;    /* planes of an input level, until its last read */
    bool within;         /* level +1 is read in its own step */
    bool sampled;        /* samples read it */
    int64_t at;          /* in shared memory */
    int64_t prefetched;  /* in shared memory, the target of prefetched planes */
    int64_t level_bytes; /* bytes of all planes of a version */
    int versions;        /* versions in a persistent tile */
    int64_t common;      /* offset in the exchange memory common to all blocks */
} fused_field;

/* A level of a field. */
typedef struct fused_level {
    int field, level;
} fused_level;

enum { FUSED_SAID = 240 /* bytes of a refusal */ };
typedef struct fused_plan {
    arena *arena;
    const ir *code;
    const cuda_launch_kind *of;    /* the table row of its schedule */
    const gpu_facts *gpu;          /* target; cuda_reference if unknown */
    schedule schedule;             /* nothing left to defaults */
    const char *refusal;           /* NULL: such a fused launch is possible */
    bool is_single;                /* the step itself fits no fused launch */
    bool in_registers;             /* versions are kept in registers */
    bool rings;                    /* but inputs are read from rings in shared memory */
    int phases, rounds;            /* planes of a ring: unrolled phases, times rounds */
    const char *why_not_registers; /* why versions cannot be kept in registers; or NULL */
    int axis;                      /* the slowest */
    int64_t operations;
    fused_operation *operation;
    /* of each field: steps store it; of a group: also if the group reads it */
    bool *moves;
    fused_field *field; /* of the moving fields */
    int skew;           /* planes from a step to the next one */
    int receiver_skew;  /* planes from the first operation of a step to its receivers */
    int reach[MAX_DIM];
    bool periodic[MAX_DIM];
    /* offset in shared memory of the gates for the accelerator's copies */
    int64_t gates;
    int64_t shared; /* shared memory of a block in bytes */
    /* The memory common to all blocks: flags, then the exchange memory of the fields.
     * common_bytes: all of it. flag_bytes: the flags alone. */
    int64_t common_bytes, flag_bytes;
    int near[MAX_DIM][2];   /* persistent: kept points around a tile */
    int box[MAX_DIM];       /* size of the tile with these points in memory, in units */
    bool double_buffered;   /* each field has one more version than is read */
    fused_level *published; /* persistent: the levels that blocks exchange */
    int published_levels;
    char *said; /* room for a refusal */
    /* for printing: the text, the number of the launch, and its facts for callers */
    text *t;
    int64_t which;
    const emit_gpu_fused *fused;
} fused_plan;

static inline const ir_stage *fused_stage_of(const fused_plan *p,
                                             const fused_operation *operation)
{
    return &p->code->stage[operation->stage];
}

static inline int fused_distance(const ir_node *n, int axis)
{
    return n->offset[axis] < 0 ? -n->offset[axis] : n->offset[axis];
}

/* fused_plan.c. Refuses a launch if the condition holds; the first reason is kept. */
void fused_refuse_if(fused_plan *p, bool refused, const char *format, ...)
    PRINTF_LIKE(3, 4);
bool fused_stores(const ir_stage *s, int field);
/* gpu: or NULL, for any. requested: or NULL. The plan lives in the arena. */
void fused_plan_open(arena *a, const ir *code, const schedule *requested,
                     const gpu_facts *gpu, fused_plan *p);

/* The partial results of the surveyed text of a stage, empty if the operation keeps
 * planes. */
sweep_plan fused_sweep_plan(const fused_plan *p, const fused_operation *operation,
                            emit_stage *e);

/* The operation of a step that stores the field; NULL: none, for an input of a group. */
const fused_operation *fused_producer_of(const fused_plan *p, int field);
/* The age of a plane at its use, in planes: the sweep computes this many planes between
 * computing the plane and using it. The use is a load of `level` at plane offset z. */
int fused_age(const fused_plan *p, const fused_operation *operation, int field, int level,
              int z);
/* The same for a plane of the input, in the first step. */
int fused_input_age(const fused_operation *operation, int z);
/* "k - step * 2 - 3": the plane of an operation with this skew. */
const char *cuda_skewed_plane(const fused_plan *p, int64_t skew);

/* A load of a field that does not move, as an element of memory; `names`: the point's
 * indices. */
const char *fused_fixed(const fused_plan *p, const ir_node *n, const char *const *names);

/* fused_sizes.c: chooses the points, threads and steps. */
void fused_choose(fused_plan *p, const schedule *requested);
bool fused_is_wide(const fused_plan *p);
int fused_points(const fused_plan *p, int axis);  /* of a tile with its overlap */
int fused_overlap(const fused_plan *p, int axis); /* overlap on either side */
int fused_vector(const fused_plan *p); /* points in 16 bytes of the largest type */
int fused_prefetch_planes(const fused_plan *p); /* prefetch distance in planes */
int fused_ring(const fused_plan *p); /* planes of each level in shared memory */
int fused_exchange_planes(const fused_plan *p,
                          int field); /* planes in the exchange buffer */
/* True if the exchange buffer repeats with the unrolled planes, so its slots are
 * constants in the text. */
bool fused_has_phase(const fused_plan *p, int field);
int fused_least(const fused_plan *p);          /* fewest steps of a fused launch */
int fused_register_words(const fused_plan *p); /* registers of a thread for kept planes */
int fused_versions(const fused_plan *p, int field); /* versions in shared memory */
int fused_first_computed(const fused_plan *p,
                         int field);       /* first version outside the rings */
bool fused_is_copied(const fused_plan *p); /* by the tensor memory accelerator */

/* Refuses settings without effect. */
void fused_check_shared(fused_plan *p, const schedule *requested);

/* persistent_plan.c: chooses all options of persistent blocks. */
void persistent_choose(fused_plan *p, const schedule *requested);
/* Cycles of a step by the model. */
void persistent_cycles(const fused_plan *p, double *work, double *waiting);
/* A unit is a vector along x; a thread tile is some rows and planes of a unit. */
int persistent_vectors(const fused_plan *p, int axis); /* units in the largest tile */
bool persistent_signals_early(const fused_plan *p);
/* True if threads keep their results of a field in registers until the next step. */
bool persistent_keeps_in_registers(const fused_plan *p, int field);
/* True if values on faces and beyond change. Otherwise they stay like
 * the input of the fused launch. */
bool persistent_updates_faces(const fused_plan *p, int field);
/* A bit for each point of a vector along x: some vector has this point on a face or
 * beyond. -1: such points change, or threads do not keep them. */
int persistent_face_mask(const fused_plan *p);
/* True if blocks compute points around their tiles. */
bool persistent_overlaps(const fused_plan *p);

/* fused_launch.c */
int fused_slot_of(const emit_gpu_fused *fused, int field, int level, bool stored);

/* cuda_source.c: the comment above a launch. */
void cuda_launch_header(const fused_plan *p, const emit_gpu_fused *fused, text *t);
/* Printers of launches: their text goes to p->t. */

/* cuda_fused.c: the argument, and the beginning of the namespace around it. */
void cuda_fused_argument(const fused_plan *p);
/* The end of the namespace, and the kernel that calls `entry` inside it. bounds: more
 * launch bounds of the kernel, after its threads. */
void cuda_fused_kernel(const fused_plan *p, const char *bounds, const char *entry);
/* The survey of a stage for printing; its tables and its uniforms in a step, in locals.
 * The plan is the user of the survey. */
emit_stage cuda_fused_survey(const fused_plan *p, int stage);
void cuda_fused_uniforms(const emit_stage *e);
const char *fused_type(const fused_plan *p, int field); /* "float" */
/* The value of a field at a point, on a face or beyond: "field_0_at". */
void cuda_fused_borders(const fused_plan *p);
/* Prints the border values of each moving field, then calls `print` for it. */
typedef void cuda_print_field(const fused_plan *p, int field);
void cuda_each_border(const fused_plan *p, cuda_print_field *print);
const char *cuda_border_call(const fused_plan *p, int stage, const char *own);
/* "i <= 0", "i >= a.w.extent[0] - 1": the points that a border gives values. extent: the
 * name of the grid's size. */
const char *cuda_on_side(const fused_plan *p, const ir_border *border, int axis, int side,
                         const char *extent);
/* cuda_registers.c: a launch with versions in registers. */
void cuda_registers(const fused_plan *p);
const char *cuda_registers_wraps(const fused_plan *p, int axis); /* "true" */
/* Target of a vector load. asked: the load is a prefetch into shared memory. ahead: the
 * sweep loads ahead, so the plane may lie behind the last plane. */
typedef struct load_target {
    const char *name;
    bool asked, ahead;
} load_target;
/* The ring slot of the plane that arrived `ago` planes ago. */
const char *cuda_ring_slot(const fused_plan *p, const char *ago);
/* Loads the thread's vector of a field in a row and a plane, if the field has one
 * there. */
const char *cuda_registers_load(const fused_plan *p, int field, int slot, const char *row,
                                const char *plane, const load_target *to);
/* cuda_registers_stage.c: a stage, and its borders: "give_0". */
void cuda_registers_stage(const fused_plan *p, const fused_operation *operation);
void cuda_registers_borders(const fused_plan *p);

#endif
