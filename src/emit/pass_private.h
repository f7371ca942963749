/* SPDX-License-Identifier: BSD-3-Clause */
/* Shared inside emit only: several steps in one launch.
 *
 * Version v of a field is what it is after v steps of a pass: 0 and less are levels that the pass finds. A block owns a
 * tile of points across the slowest axis and walks along that. Plane p of a version is made when plane p + lag of the
 * levels that were found arrives; the lag grows with the version, so that what is read is there. All that lies so far
 * around the tile that its last version depends on it is computed by this block, too. */
#ifndef EMIT_PASS_PRIVATE_H
#define EMIT_PASS_PRIVATE_H

#include "emit/emit_private.h"

/* A load of a stage, and the plane that it is read in, from that of the results: farther on than it says where planes are
 * used as they come. */
typedef struct pass_read {
    const ir_node *load;
    int z;
} pass_read;

/* A node whose value is held, of so many planes. */
typedef struct pass_sum {
    int node, planes;
} pass_sum;

/* What a step does to the points: a stage; or what an injection adds at points of a list, after all stages. */
typedef struct pass_act {
    int stage;
    bool
        input; /* planes are used as they come, and partial results held in place of them */
    int64_t reads, sums;
    pass_read *read;
    pass_sum *sum;
    int event; /* the injection; -1: none */
    int lag;   /* behind the first act of its step, and that behind what was found */
    int around[MAX_DIM]; /* points around those of the step's end that it must make */
    int64_t nodes;       /* where blocks stay: that compute something, of a point */
} pass_act;

/* A field that steps store. */
typedef struct pass_field {
    int oldest; /* level that is read: 0, -1, ... */
    int kept;   /* levels that a pass leaves: 0 .. -(kept - 1) */
    int planes; /* of each version, that are there at the same time */
    int shown,
        edge; /* held: planes of it that other warps read, in so many rows at the edges of theirs */
    bool whole;          /* held: all its rows are shown, and read as they are shown */
    int found;           /* planes of a level that is found, until it is read last */
    bool within;         /* level +1 is read in the step that makes it */
    bool seen;           /* by samples */
    int64_t at;          /* in shared memory */
    int64_t soon;        /* in shared memory, where planes come to that were asked for */
    int64_t level_bytes; /* of all planes of a version there */
    int versions;        /* that a tile keeps, where blocks stay */
    int64_t common;      /* where it begins in the memory that all blocks see */
} pass_field;

typedef struct pass_plan {
    const ir *code;
    emit_gpu_schedule schedule; /* nothing left to be usual */
    const char *refusal;        /* NULL: there is such a pass */
    bool held;                  /* versions are held in registers, */
    bool rings;                 /* but what is found is read from shared memory, */
    int phases, rounds;         /* in rings of so many times so many planes */
    const char *unheld;         /* why versions cannot be held; or NULL */
    int axis;                   /* the slowest */
    int64_t acts;
    pass_act *act;
    bool *moves;       /* of each field: steps store it */
    pass_field *field; /* of those */
    int lag;           /* planes of a step behind the one before it */
    int look;          /* planes that samples stay behind the first act of their step */
    int reach[MAX_DIM];
    bool periodic[MAX_DIM];
    int64_t gates;  /* in shared memory, of planes that the accelerator copies */
    int64_t shared; /* bytes of a block */
    int64_t common_bytes,
        flag_bytes; /* of memory that all blocks see; of their numbers, before the fields */
    int near[MAX_DIM][2]; /* where blocks stay: points around a tile that are kept; */
    int box[MAX_DIM];     /* units of the tile with those, as it lies in memory; */
    bool aside;           /* and a version of each field more than is read */
    char said[240];       /* a refusal */
} pass_plan;

/* What a GPU has for blocks that stay. */
typedef struct resident_limits {
    int blocks;     /* at once */
    int64_t shared; /* bytes of each */
} resident_limits;

static inline const ir_stage *pass_stage_of(const pass_plan *p, const pass_act *act)
{
    return &p->code->stage[act->stage];
}

static inline int pass_distance(const ir_node *n, int axis)
{
    return n->offset[axis] < 0 ? -n->offset[axis] : n->offset[axis];
}

/* pass_plan.c */
pav_status pass_plan_open_on(const ir *code, const emit_gpu_schedule *wanted,
                             const resident_limits *most, pass_plan *p);
void pass_refuse(pass_plan *p, const char *why, const char *name);
void pass_say(pass_plan *p, const char *format, ...) PRINTF_LIKE(2, 3); /* the same */
bool pass_stores(const ir_stage *s, int field);
pav_status pass_plan_open(const ir *code, const emit_gpu_schedule *wanted, pass_plan *p);
void pass_plan_close(pass_plan *p);

/* pass_flow.c: which acts use planes as they come; and what each reads, and holds of partial results. */
pav_status pass_find_reads(pass_plan *p);
/* The same for the text of its stage, which is surveyed: `s` is left empty where the act holds planes. */
pav_status pass_flow_open(const pass_plan *p, const pass_act *act, emit_stage *e,
                          stream *s);

/* pass_lags.c */
void pass_find_lags(pass_plan *p);
/* The act of a step that stores the field; NULL: none. */
const pass_act *pass_maker_of(const pass_plan *p, int field);
/* Planes that have come since a plane was made that is read as this level so far from an act's own. */
int pass_age(const pass_plan *p, const pass_act *act, int field, int level, int z);
/* The same of what a pass found, in its first step. */
int pass_age_found(const pass_act *act, int z);
int pass_last_lag(const pass_plan *p); /* that of the last act of all */

/* pass_sizes.c: in registers where that can be; then how many points, threads and steps. */
void pass_choose_place(pass_plan *p, const emit_gpu_schedule *wanted);
void pass_settle(pass_plan *p, const emit_gpu_schedule *wanted);
bool pass_is_wide(const pass_plan *p);
int pass_points(const pass_plan *p, int axis);  /* of a tile, with what is around it */
int pass_overlap(const pass_plan *p, int axis); /* of those, on either side */
/* Whether borders give points that the stage leaves out, or points beyond faces. */
bool pass_has_faces(const pass_plan *p, const ir_stage *stage);
int pass_pack(const pass_plan *p);         /* points of 16 bytes of the largest numbers */
int pass_planes_ahead(const pass_plan *p); /* by which planes are read before they come */
int pass_ring(const pass_plan *p); /* planes of each level that are in shared memory */
int pass_shown(const pass_plan *p, int field); /* planes that have a place to be shown */
/* Whether places repeat as the unrolled text of planes does: then they are known in it. */
bool pass_has_phase(const pass_plan *p, int field);
int pass_least(const pass_plan *p); /* steps of a pass */
int pass_words(const pass_plan *p); /* registers of a thread for what it holds */
int pass_versions(const pass_plan *p, int field); /* that are kept in shared memory */
int pass_first_made(const pass_plan *p,
                    int field);          /* of those, behind what is read from rings */
bool pass_is_copied(const pass_plan *p); /* by the tensor memory accelerator */

/* pass_settings.c: refuses settings that would change nothing; and, once it is settled, what compilers cannot do. */
void pass_check_settings(pass_plan *p, const emit_gpu_schedule *wanted);
void pass_check_text(pass_plan *p);
bool pass_may_share(const emit_gpu_schedule *wanted); /* it says nothing of registers */

/* resident_parts.c: blocks that stay, with nothing left to be usual. */
void resident_settle(pass_plan *p, const emit_gpu_schedule *wanted,
                     const resident_limits *most);
/* resident_plan.c: what they keep, by the parts and the depth that are set. A unit is a pack along x, a brick some rows and
 * planes of one. */
void resident_find_versions(pass_plan *p);
void resident_place_all(pass_plan *p, int64_t shared);
/* Nothing is read from beyond the tiles around one, and what is copied beyond a face lies in its tile. */
bool resident_has_room(const pass_plan *p);
bool resident_units_wrap(const pass_plan *p);
void resident_check_marks(pass_plan *p);
void resident_check(pass_plan *p, const emit_gpu_schedule *wanted,
                    const resident_limits *most);
bool resident_is_parted(const pass_plan *p, int axis);
int resident_units(const pass_plan *p, int axis); /* of the largest tile */
int64_t resident_bricks(const pass_plan *p, const pass_act *act);
int64_t resident_lanes(const pass_plan *p, const pass_act *act);
bool resident_is_alone(const pass_plan *p, const pass_act *act);
int resident_threads(const pass_plan *p);
bool resident_shows(const pass_plan *p, int field, int level);
bool resident_shows_any(const pass_plan *p);
/* How far a stage reads a level of a field to either side of a point, beside what is noted; false: it does not. */
bool resident_far(const ir_stage *s, int field, int level, int far[MAX_DIM][2]);
void resident_note_far(int far[MAX_DIM][2], const ir_node *load);
bool resident_tells_early(const pass_plan *p);
/* Whether threads hold what they make of a field until the next step reads it. */
bool resident_holds(const pass_plan *p, int field);
/* resident_faces.c: whether what lies on faces and beyond them changes; if not, it stays as a pass has found it. */
bool resident_gives_faces(const pass_plan *p, int field);
/* A bit for each point of a pack along x that some pack has there; -1: it changes, or threads do not hold it. */
int resident_cut(const pass_plan *p);
/* Whether blocks compute points around their tiles. */
bool resident_reaches_out(const pass_plan *p);

/* pass_slots.c: levels that a pass finds, with fields that stay as they are, and those that it leaves, which are told as
 * of its end; tables and stages whose numbers it reads. */
pav_status pass_slots(const pass_plan *p, emit_gpu_pass *pass);
int pass_slot_of(const emit_gpu_pass *pass, int field, int level, bool stored);

/* cuda_pass.c: the text of one pass. */
pav_status cuda_pass_text(const pass_plan *p, const emit_gpu_pass *pass, int64_t which,
                          text *t);
/* The end of the namespace, and the kernel that calls what is in it. */
void cuda_pass_kernel(const pass_plan *p, int64_t which, text *t);
pav_status cuda_pass_argument(const pass_plan *p, const emit_gpu_pass *pass,
                              int64_t which, text *t);
/* cuda_resident.c, cuda_resident_stage.c: of one in which blocks stay. */
pav_status cuda_resident_text(const pass_plan *p, const emit_gpu_pass *pass,
                              int64_t which, text *t);
pav_status cuda_resident_stage(const pass_plan *p, const emit_gpu_pass *pass,
                               int64_t which, const pass_act *act, text *t);
/* cuda_pass_borders.c: what a field is at a point, on a face or beyond it: "field_0_at". */
pav_status cuda_pass_borders(const pass_plan *p, int64_t which, text *t);
/* The borders of a field, as they are printed. */
typedef struct border_text {
    const pass_plan *p;
    int64_t which;
    int field;
    text *t;
} border_text;
const ir_field *cuda_border_field(const border_text *b);
const char *cuda_border_type(const border_text *b);
pav_status cuda_border_values(const border_text *b); /* of all stages: "border_5" */
void cuda_border_call(const border_text *b, int stage, const char *own);
/* cuda_held_borders.c: the same of what is held, where borders give values alone: "give_0". */
pav_status cuda_held_borders(const pass_plan *p, int64_t which, text *t);
/* cuda_held.c: what a thread holds, how it arrives, and the walk; cuda_held_stage.c: a stage. */
void cuda_held_fields(const pass_plan *p, text *t);
void cuda_held_arrivals(const pass_plan *p, const emit_gpu_pass *pass, text *t);
void cuda_held_walk(const pass_plan *p, text *t);
const char *cuda_held_wraps(const pass_plan *p, int axis); /* "true" */
/* What a pack is put into. asked: a place in shared memory that it is copied to meanwhile; ahead: its plane may lie behind
 * the last. */
typedef struct held_target {
    const char *name;
    bool asked, ahead;
} held_target;
/* cuda_held_ring.c: what is found, in rings: types of a field, members of the state and how they turn; how planes are
 * asked for, and come; and what a walk begins with. */
void cuda_ring_types(const pass_plan *p, int field, text *t);
void cuda_ring_state(const pass_plan *p, text *t);
void cuda_ring_turns(const pass_plan *p, text *t);
void cuda_ring_loads(const pass_plan *p, const emit_gpu_pass *pass, text *t);
void cuda_ring_arrivals(const pass_plan *p, text *t);
void cuda_ring_open(const pass_plan *p, text *t);
void cuda_ring_walk(const pass_plan *p, text *t);
/* Where the plane is that came so many planes ago, as an expression. */
void cuda_ring_slot(const pass_plan *p, const char *ago, text *t);
/* "s.phase" or "s.turn0": where rows of a field are shown. */
void cuda_held_turn(const pass_plan *p, int field, text *t);
/* Puts the thread's pack of a field in memory, of a row and a plane, where there is one. */
void cuda_held_load(const pass_plan *p, int field, int slot, const char *row,
                    const char *plane, const held_target *to, text *t);
pav_status cuda_held_stage(const pass_plan *p, const emit_gpu_pass *pass, int64_t which,
                           const pass_act *act, text *t);
/* cuda_pass_stage.c; a stage as it is printed; its tables, and its numbers in a step, as locals. */
pav_status cuda_pass_survey(const pass_plan *p, int64_t which, int stage, text *t,
                            emit_stage *e);
void cuda_pass_numbers(const emit_stage *e);
pav_status cuda_pass_stage(const pass_plan *p, const emit_gpu_pass *pass, int64_t which,
                           const pass_act *act, text *t);
/* cuda_pass_marks.c: points off the grid. Where a thread is, as words; the points i, j, k of positions x, y, z; what adds
 * at the points of an injection's list; and what keeps what samples see. */
const char *cuda_pass_position(const pass_plan *p);
void cuda_pass_points(const pass_plan *p, text *t);
void cuda_pass_inject(const pass_plan *p, const pass_act *act, text *t);
void cuda_pass_looks(const pass_plan *p, const emit_gpu_pass *pass, text *t);

#endif
