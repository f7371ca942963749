/* SPDX-License-Identifier: BSD-3-Clause */
/* Walks that share what they read: whole planes of a block's points and of those around them are copied to a ring
 * of planes in shared memory, some planes before they are needed, and columns are read from there. A plane takes
 * the place of the one that no thread reads any more, which one barrier in each plane makes sure of. What is
 * read at the points themselves only is not shared. */
#include "emit/emit_private.h"

enum { LEAST_COPY = 4 /* bytes that are copied at once */ };

/* ---- finding them ------------------------------------------------------------------------- */

bool cuda_may_share(const emit_stage *e, int slot)
{
    const int axes = e->code->dim - 1;
    const int64_t size = (int64_t)pav_type_size(emit_storage(e, slot));
    bool reaches = false;

    for (int64_t n = 0; n < e->stage->count; n++) {
        const ir_node *node = &e->stage->node[n];
        if (node->op != IR_LOAD || e->place[n] == PLACE_UNUSED ||
            emit_slot_of(e, node->field, node->level) != slot)
            continue;
        for (int axis = 0; axis < axes; axis++)
            reaches = reaches || node->offset[axis] != 0;
    }
    return e->schedule->source == EMIT_GPU_SHARED && reaches &&
           size * e->schedule->vector >= LEAST_COPY;
}

const ring *cuda_ring_of(const stream *s, int slot)
{
    for (int64_t r = 0; r < s->rings; r++)
        if (s->ring[r].slot == slot)
            return &s->ring[r];
    return NULL;
}

static int least(int a, int b)
{
    return a < b ? a : b;
}

static int most(int a, int b)
{
    return a > b ? a : b;
}

static void take_column(const stream *s, const column *c, ring *r)
{
    r->first = least(r->first, c->kept ? c->last : c->first);
    r->last = most(r->last, c->last);
    r->left = most(r->left, -c->block);
    r->right = most(r->right, c->block);
    r->below = most(r->below, -c->y);
    r->above = most(r->above, c->y - (s->rows - 1));
}

static int planes_of(const emit_stage *e, const ring *r)
{
    return r->last - r->first + 1 + e->schedule->ahead;
}

static int64_t bytes_of(const emit_stage *e, const ring *r)
{
    const emit_gpu_schedule *s = e->schedule;
    const int64_t width = r->left + s->threads[0] + r->right;
    const int64_t height = r->below + (int64_t)s->threads[1] * s->rows + r->above;
    const int64_t pack = s->vector * (int64_t)pav_type_size(emit_storage(e, r->slot));

    return width * height * pack * planes_of(e, r);
}

static ring ring_for(const emit_stage *e, const stream *s, int slot)
{
    ring r = {.slot = slot, .first = MAX_OFFSET, .last = -MAX_OFFSET};

    for (int64_t c = 0; c < s->columns; c++)
        if (s->column[c].slot == slot)
            take_column(s, &s->column[c], &r);
    r.bytes = bytes_of(e, &r);
    r.at = cuda_ring_bytes(s);
    return r;
}

int64_t cuda_ring_bytes(const stream *s)
{
    const ring *last = &s->ring[s->rings - 1];

    return s->rings == 0 ? 0 : (last->at + last->bytes + 15) / 16 * 16;
}

pav_status cuda_find_rings(const emit_stage *e, stream *s)
{
    s->ring = mem_new(e->slots + 1, sizeof *s->ring);
    if (!s->ring)
        return PAV_ENOMEM;
    for (int slot = 0; slot < e->slots; slot++)
        if (cuda_may_share(e, slot)) {
            s->ring[s->rings] = ring_for(e, s, slot);
            s->rings++;
        }
    return PAV_OK;
}

/* ---- as text ------------------------------------------------------------------------------ */

static void add_name(const emit_stage *e, const ring *r, text *t)
{
    text_add(t, "in_");
    emit_slot_name(e, r->slot, t);
}

void cuda_crew(const emit_stage *e)
{
    const emit_gpu_schedule *s = e->schedule;

    text_add(e->t, "    typedef crew<%d, %d, %d> threads;\n", s->threads[0],
             s->threads[1], s->rows);
}

/* "pack_in(in_f0_u, 1, 0, 0)" */
void cuda_ring_load(const emit_stage *e, const column *c, int z, text *t)
{
    const bool single = c->single >= 0;

    text_add(t, single ? "point_in(" : "pack_in(");
    add_name(e, cuda_ring_of(e->stream, c->slot), t);
    text_add(t, ", %d, %d, %d)", z, c->y,
             single ? c->block * e->stream->lanes + c->single : c->block);
}

static void add_ring(const emit_stage *e, const ring *r)
{
    text_add(e->t, "    ring<%s, %d, threads, margin<%d, %d, %d, %d>, %d, %d> ",
             emit_c_type(emit_storage(e, r->slot)), e->stream->lanes, r->left, r->right,
             r->below, r->above, r->first, planes_of(e, r));
    add_name(e, r, e->t);
    text_add(e->t, ";\n    open_ring(");
    add_name(e, r, e->t);
    text_add(e->t, ", %lld, a.w, a.g%d, b);\n", (long long)r->at, r->slot);
}

/* "copy_plane(in_f0_u, 6, k + 6, a.g0.z);"; what a walk reads before its first plane, or for results beyond its
 * last, may not be there: then "copy_plane(in_f0_u, 6, greater(k + 6, from - 1), a.g0.z);". */
static void add_copy(const emit_stage *e, const ring *r, const char *indent,
                     const char *index, const char *z)
{
    const cuda_planes read = cuda_planes_read(e, r->slot);
    const bool beyond = r->last > read.last;

    text_add(e->t, "%scopy_plane(", indent);
    add_name(e, r, e->t);
    text_add(e->t, ", %s, %s%s%s + %s", z, beyond ? "lesser(" : "",
             e->stream->warm > 0 ? "greater(" : "", index, z);
    if (e->stream->warm > 0)
        text_add(e->t, ", from + (%d))", read.first);
    if (beyond)
        text_add(e->t, ", to - 1 + (%d))", read.last);
    text_add(e->t, ", a.g%d.%c);\n", r->slot, e->stream->axis == 2 ? 'z' : 'y');
}

void cuda_open_rings(const emit_stage *e)
{
    const stream *s = e->stream;

    cuda_crew(e);
    text_add(e->t, s->axis == 2 ? "    const int64_t i = b.i, j = b.j;\n"
                                : "    const int64_t i = b.i;\n");
    text_add(e->t, "    __syncthreads(); /* of the walk before, all is read */\n");
    for (int64_t n = 0; n < s->rings; n++)
        add_ring(e, &s->ring[n]);
    for (int64_t n = 0; n < s->rings; n++) {
        text_add(e->t, "    for (int z = %d; z <= %d; z++)\n", s->ring[n].first,
                 s->ring[n].last);
        add_copy(e, &s->ring[n], "        ", "from - WARM", "z");
    }
    text_add(e->t, "    kernel_copy_commit();\n"
                   "    for (int n = 1; n < AHEAD; n++) {\n"
                   "        if (from - WARM + n < to) {\n");
    for (int64_t n = 0; n < s->rings; n++) {
        text z = {0};
        text_add(&z, "n + %d", s->ring[n].last);
        add_copy(e, &s->ring[n], "            ", "from - WARM", z.data ? z.data : "");
        e->t->failed = e->t->failed || z.failed;
        text_free(&z);
    }
    text_add(e->t, "        }\n        kernel_copy_commit();\n    }\n");
}

void cuda_turn_rings(const emit_stage *e)
{
    const stream *s = e->stream;
    const char *index = cuda_plane_index(s);

    text_add(e->t,
             "        kernel_copy_wait<AHEAD - 1>();\n"
             "        __syncthreads();\n"
             "        if (%s + AHEAD < to) {\n",
             index);
    for (int64_t n = 0; n < s->rings; n++) {
        text z = {0};
        text_add(&z, "%d", s->ring[n].last + e->schedule->ahead);
        add_copy(e, &s->ring[n], "            ", index, z.data ? z.data : "");
        e->t->failed = e->t->failed || z.failed;
        text_free(&z);
    }
    text_add(e->t, "        }\n        kernel_copy_commit();\n");
}
