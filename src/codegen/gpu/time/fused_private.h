/* SPDX-License-Identifier: BSD-3-Clause */
/* Shared inside codegen only: several steps in one launch (temporal blocking).
 *
 * Version v of a field is its value after v steps of the launch; versions 0 and less are
 * the input levels. A block owns a tile of points across the slowest axis and sweeps
 * along that. It computes plane p of a version when plane p + skew of the input is
 * loaded; the skew grows with the version, so that what is read is there. The overlap
 * around the tile on which its last version depends is recomputed by each block. */
#ifndef CODEGEN_FUSED_PRIVATE_H
#define CODEGEN_FUSED_PRIVATE_H

#include "codegen/codegen_private.h"

/* A load of a stage, and the plane that it is read in, from that of the results: farther
 * on than it says where planes are used as they come. */
typedef struct fused_read {
    const ir_node *load;
    int z;
} fused_read;

/* A node whose value is kept in registers, of so many planes. */
typedef struct fused_sum {
    int node, planes;
} fused_sum;

/* What a step does to the points: a stage; or what an injection adds at points of a list,
 * after all stages. */
typedef struct fused_operation {
    int stage;
    /* planes are used as they come, and partial results kept in registers in place of
     * them */
    bool input;
    int64_t reads, sums;
    fused_read *read;
    fused_sum *sum;
    int event; /* the injection; -1: none */
    int skew; /* behind the first operation of its step, and that behind what was found */
    int around[MAX_DIM]; /* points around those of the step's end that it must make */
    int64_t nodes;       /* of a persistent kernel: that compute something, at a point */
} fused_operation;

/* A field that steps store. */
typedef struct fused_field {
    int oldest; /* level that is read: 0, -1, ... */
    int kept;   /* levels that a fused launch leaves: 0 .. -(kept - 1) */
    int planes; /* of each version, that are there at the same time */
    int exchange,
        /* kept in registers: planes of it that other warps read, in so many rows at the
         * edges of theirs */
        edge;
    /* kept in registers: all its rows are published, and read as they are published */
    bool whole;
    int input_planes;    /* planes of a level that is found, until it is read last */
    bool within;         /* level +1 is read in the step that makes it */
    bool sampled;        /* samples read it */
    int64_t at;          /* in shared memory */
    int64_t prefetched;  /* in shared memory, where planes come to that were asked for */
    int64_t level_bytes; /* of all planes of a version there */
    int versions;        /* that a persistent tile keeps */
    int64_t common;      /* where it begins in the memory that all blocks see */
} fused_field;

typedef struct fused_plan {
    const ir *code;
    const cuda_launch_kind *of;    /* the row of its schedule */
    const gpu_facts *gpu;          /* that it is for: cuda_reference, where nobody says */
    schedule schedule;             /* nothing left to defaults */
    const char *refusal;           /* NULL: there is such a fused launch */
    bool in_registers;             /* versions are kept in registers, */
    bool rings;                    /* but what is found is read from shared memory, */
    int phases, rounds;            /* in rings of so many times so many planes */
    const char *why_not_registers; /* why versions cannot be kept in registers; or NULL */
    int axis;                      /* the slowest */
    int64_t operations;
    fused_operation *operation;
    bool *moves;        /* of each field: steps store it */
    fused_field *field; /* of those */
    int skew;           /* planes of a step behind the one before it */
    int receiver_skew;  /* planes of receivers behind the first operation of their step */
    int reach[MAX_DIM];
    bool periodic[MAX_DIM];
    int64_t gates;  /* in shared memory, of planes that the accelerator copies */
    int64_t shared; /* bytes of a block */
    int64_t common_bytes,
        /* of memory that all blocks see; of their numbers, before the fields */
        flag_bytes;
    int near[MAX_DIM][2]; /* persistent: points around a tile that are kept; */
    int box[MAX_DIM];     /* units of the tile with those, as it lies in memory; */
    bool double_buffered; /* and a version of each field more than is read */
    char said[240];       /* a refusal */
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

/* fused_plan.c */
void fused_refuse(fused_plan *p, const char *why, const char *name);
void fused_refuse_with(fused_plan *p, const char *format, ...)
    PRINTF_LIKE(2, 3); /* the same */
bool fused_stores(const ir_stage *s, int field);
/* gpu: or NULL, for any. requested: or NULL. */
pav_status fused_plan_open(const ir *code, const schedule *requested,
                           const gpu_facts *gpu, fused_plan *p);
void fused_plan_close(fused_plan *p);

/* fused_reads.c: which operations use planes as they come; and what each reads, and holds
 * of partial results. */
pav_status fused_find_reads(fused_plan *p);
/* The same for the text of its stage, which is surveyed: `s` is left empty where the
 * operation holds planes. */
pav_status fused_partial_sums_open(const fused_plan *p, const fused_operation *operation,
                                   emit_stage *e, sweep_plan *s);

/* fused_skews.c */
pav_status fused_find_skews(fused_plan *p);
/* The operation of a step that stores the field; NULL: none. */
const fused_operation *fused_producer_of(const fused_plan *p, int field);
/* Planes that have come since a plane was made that is read as this level so far from an
 * operation's own. */
int fused_age(const fused_plan *p, const fused_operation *operation, int field, int level,
              int z);
/* The same of what a fused launch found, in its first step. */
int fused_input_age(const fused_operation *operation, int z);
int fused_last_skew(const fused_plan *p); /* that of the last operation of all */

/* fused_sizes.c: in registers where that can be; then how many points, threads and
 * steps. */
void fused_choose_place(fused_plan *p, const schedule *requested);
void fused_choose(fused_plan *p, const schedule *requested);
bool fused_is_wide(const fused_plan *p);
int fused_points(const fused_plan *p, int axis);  /* of a tile, with what is around it */
int fused_overlap(const fused_plan *p, int axis); /* of those, on either side */
/* Whether borders give points that the stage leaves out, or points beyond faces. */
bool fused_has_faces(const fused_plan *p, const ir_stage *stage);
int fused_vector(const fused_plan *p); /* points of 16 bytes of the largest numbers */
int fused_prefetch_planes(
    const fused_plan *p);            /* by which planes are read before they come */
int fused_ring(const fused_plan *p); /* planes of each level that are in shared memory */
int fused_exchange_planes(const fused_plan *p,
                          int field); /* planes that have a place to be published */
/* Whether places repeat as the unrolled text of planes does: then they are known in
 * it. */
bool fused_has_phase(const fused_plan *p, int field);
int fused_least(const fused_plan *p); /* steps of a fused launch */
int fused_register_words(
    const fused_plan *p); /* registers of a thread for what it holds */
int fused_versions(const fused_plan *p, int field); /* that are kept in shared memory */
int fused_first_computed(const fused_plan *p,
                         int field);       /* of those, behind what is read from rings */
bool fused_is_copied(const fused_plan *p); /* by the tensor memory accelerator */

/* fused_settings.c: refuses settings that would change nothing, of any kind and of time
 * alone; and, once it is settled, what compilers cannot do. */
void fused_check_settings(fused_plan *p, const schedule *requested);
void fused_check_shared(fused_plan *p, const schedule *requested);
void fused_check_text(fused_plan *p);
bool fused_may_use_shared(const schedule *requested); /* it says nothing of registers */

/* persistent_tiles.c: persistent blocks, with nothing left to defaults. */
void persistent_choose(fused_plan *p, const schedule *requested);
/* The model's cycles of a step. */
void persistent_cycles(const fused_plan *p, double *work, double *waiting);
/* persistent_plan.c: what they keep, by the parts and the depth that are set. A unit is a
 * pack along x, a thread tile some rows and planes of one. */
void persistent_find_versions(fused_plan *p);
void persistent_place_all(fused_plan *p);
/* Nothing is read from beyond the tiles around one, and what is copied beyond a face lies
 * in its tile. */
bool persistent_has_room(const fused_plan *p);
bool persistent_vectors_wrap(const fused_plan *p);
void persistent_check_marks(fused_plan *p);
void persistent_check(fused_plan *p, const schedule *requested);
bool persistent_is_split(const fused_plan *p, int axis);
int persistent_vectors(const fused_plan *p, int axis); /* of the largest tile */
int64_t persistent_lanes(const fused_plan *p, const fused_operation *operation);
bool persistent_fits_one_warp(const fused_plan *p, const fused_operation *operation);
int persistent_threads(const fused_plan *p);
bool persistent_publishes(const fused_plan *p, int field, int level);
bool persistent_publishes_any(const fused_plan *p);
/* How far a stage reads a level of a field to either side of a point, besides what is
 * noted; false: it does not. */
bool persistent_radius(const ir_stage *s, int field, int level, int far[MAX_DIM][2]);
void persistent_note_radius(int far[MAX_DIM][2], const ir_node *load);
bool persistent_signals_early(const fused_plan *p);
/* Whether threads hold what they make of a field until the next step reads it. */
bool persistent_keeps_in_registers(const fused_plan *p, int field);
/* persistent_faces.c: whether what lies on faces and beyond them changes; if not, it
 * stays as a fused launch has found it. */
bool persistent_updates_faces(const fused_plan *p, int field);
/* A bit for each point of a pack along x that some pack has there; -1: it changes, or
 * threads do not hold it. */
int persistent_face_mask(const fused_plan *p);
/* Whether blocks compute points around their tiles. */
bool persistent_overlaps(const fused_plan *p);

/* fused_slots.c: input levels of a fused launch, with fixed fields, and
 * those that it leaves, which are named as of its end; tables and stages whose numbers it
 * reads. */
pav_status fused_slots(const fused_plan *p, emit_gpu_fused *fused);
/* cuda_fused_call.c: of sweeps. */
void fused_describe_sweeps(const fused_plan *p, emit_gpu_fused *fused);
void fused_extent_of_sweeps(const ir *code, const emit_gpu_fused *fused,
                            const emit_gpu_fused_work *w, int64_t blocks[3],
                            int threads[3]);
int fused_slot_of(const emit_gpu_fused *fused, int field, int level, bool stored);

/* cuda_fused.c: the text of one fused launch. */
/* cuda_header.c */
void cuda_launch_header(const fused_plan *p, const emit_gpu_fused *fused, text *t);
/* The end of the namespace, and the kernel that calls `entry` of what is in it. bounds:
 * of the kernel, besides its threads. */
void cuda_fused_kernel(const fused_plan *p, int64_t which, const char *bounds,
                       const char *entry, text *t);
pav_status cuda_fused_argument(const fused_plan *p, const emit_gpu_fused *fused,
                               int64_t which, text *t);
/* cuda_persistent.c, cuda_persistent_stage.c: of a persistent kernel. */
pav_status cuda_persistent_stage(const fused_plan *p, const emit_gpu_fused *fused,
                                 int64_t which, const fused_operation *operation,
                                 text *t);
/* cuda_fused_borders.c: what a field is at a point, on a face or beyond it:
 * "field_0_at". */
pav_status cuda_fused_borders(const fused_plan *p, int64_t which, text *t);
/* The borders of a field, as they are printed. */
typedef struct border_text {
    const fused_plan *p;
    int64_t which;
    int field;
    text *t;
} border_text;
const ir_field *cuda_border_field(const border_text *b);
const char *cuda_border_type(const border_text *b);
pav_status cuda_border_values(const border_text *b); /* of all stages: "border_5" */
typedef void border_print(const border_text *b);
/* Those values, and then what is printed of each field that fused steps update. */
pav_status cuda_each_border(const fused_plan *p, int64_t which, border_print *print,
                            text *t);
void cuda_border_call(const border_text *b, int stage, const char *own);
/* cuda_registers_borders.c: the same of what is kept in registers, where borders give
 * values alone: "give_0". */
pav_status cuda_registers_borders(const fused_plan *p, int64_t which, text *t);
/* cuda_registers.c: what a thread holds, how it arrives, and the sweep;
 * cuda_registers_stage.c: a stage. */
void cuda_registers_fields(const fused_plan *p, text *t);
void cuda_registers_arrivals(const fused_plan *p, const emit_gpu_fused *fused, text *t);
void cuda_registers_sweep(const fused_plan *p, text *t);
const char *cuda_registers_wraps(const fused_plan *p, int axis); /* "true" */
/* What a pack is put into. asked: a place in shared memory that it is copied to
 * meanwhile; ahead: its plane may lie behind the last. */
typedef struct load_target {
    const char *name;
    bool asked, ahead;
} load_target;
/* cuda_registers_ring.c: what is found, in rings: types of a field, members of the state
 * and how they turn; how planes are asked for, and come; and what a sweep begins with. */
void cuda_ring_types(const fused_plan *p, int field, text *t);
void cuda_ring_state(const fused_plan *p, text *t);
void cuda_ring_turns(const fused_plan *p, text *t);
void cuda_ring_loads(const fused_plan *p, const emit_gpu_fused *fused, text *t);
void cuda_ring_arrivals(const fused_plan *p, text *t);
void cuda_ring_open(const fused_plan *p, text *t);
void cuda_ring_sweep(const fused_plan *p, text *t);
/* Where the plane is that came so many planes ago, as an expression. */
void cuda_ring_slot(const char *ago, text *t);
/* "s.phase" or "s.turn0": where rows of a field are published. */
void cuda_exchange_slot(const fused_plan *p, int field, text *t);
/* "k - step * 2 - 3);": the plane that so much later operations of a step are at. */
void cuda_skewed_plane(const fused_plan *p, int64_t skew, text *t);
/* Puts the thread's pack of a field in memory, of a row and a plane, where there is
 * one. */
void cuda_registers_load(const fused_plan *p, int field, int slot, const char *row,
                         const char *plane, const load_target *to, text *t);
pav_status cuda_registers_stage(const fused_plan *p, const emit_gpu_fused *fused,
                                int64_t which, const fused_operation *operation, text *t);
/* cuda_fused_stage.c; a stage as it is printed; its tables, and its numbers in a step, as
 * locals. */
pav_status cuda_fused_survey(const fused_plan *p, int64_t which, int stage, text *t,
                             emit_stage *e);
void cuda_fused_uniforms(const emit_stage *e);
pav_status cuda_fused_stage(const fused_plan *p, const emit_gpu_fused *fused,
                            int64_t which, const fused_operation *operation, text *t);
/* cuda_fused_points.c: points off the grid. Where a thread is, as words; the points i, j,
 * k of positions x, y, z; what adds at the points of an injection's list; and what keeps
 * what samples see. */
const char *cuda_fused_position(const fused_plan *p);
void cuda_fused_points(const fused_plan *p, text *t);
void cuda_fused_inject(const fused_plan *p, const fused_operation *operation, text *t);
void cuda_fused_samples(const fused_plan *p, const emit_gpu_fused *fused, text *t);

#endif
