/* SPDX-License-Identifier: BSD-3-Clause */
/* Levels: the memory of one field, all time levels in one block.
 *
 * A row is a whole number of cache lines: its points, its right halo, and the left halo
 * of the next row; only the first row has a left padding of its own. Index 0 along x
 * begins a line. In a subdomain a row begins at a multiple of LEAD before its first
 * point. If rows and planes are long enough, their lengths are odd numbers of lines, and
 * levels are offset by LEVEL_SKEW lines from a multiple of 4 KiB. So equal indices of
 * neighbouring rows, planes and levels never compete for one cache set, and the extra
 * memory is small.
 *
 * On a GPU a line is 128 bytes, the caches hash addresses, and gaps cost bandwidth. So
 * rows and planes have their minimum length there.
 *
 * All bits set is a NaN in every float type here and 255 in u8, so memset poisons. */
#include <assert.h>
#include <stdatomic.h>
#include <string.h>

#include "domain/domain.h"

enum {
    /* points; kernels begin rows at multiples of this or a smaller number */
    LEAD = 64,
    /* minimum lines of a row, rows of a plane; costs at most an eighth */
    ODD_FROM = 8,
    SKEW_PERIOD = 64,   /* lines: 4 KiB */
    LEVEL_SKEW = 11,    /* lines */
    SKEWED_FROM = 1024, /* lines of a level */
};

typedef struct layout {
    int64_t line; /* row lengths are multiples of this, bytes */
    bool spread;  /* spread rows over the cache sets */
    int64_t size; /* bytes of an element */
    int64_t first[PAV_MAX_DIMENSIONS];
    int64_t extent[PAV_MAX_DIMENSIONS];
    int64_t halo[PAV_MAX_DIMENSIONS][2];
    int64_t room[PAV_MAX_DIMENSIONS]; /* minimum room for halo points */
    int64_t left;       /* elements before the first point of the first row */
    int64_t row, plane; /* strides in elements */
    int64_t level;      /* bytes of a level */
    int64_t bytes;      /* bytes of all levels */
} layout;

static bool round_up(int64_t value, int64_t multiple, int64_t *result)
{
    if (!add_fits(value, multiple - 1, result))
        return false;
    *result -= *result % multiple;
    return true;
}

static bool make_odd(const layout *l, int64_t *count)
{
    return !l->spread || *count < ODD_FROM || *count % 2 == 1 ||
           add_fits(*count, 1, count);
}

static bool points_with_halo(const layout *l, int axis, int64_t *count)
{
    const int64_t halo = l->halo[axis][0] + l->halo[axis][1];

    return add_fits(l->extent[axis], halo > l->room[axis] ? halo : l->room[axis], count);
}

static bool lay_row(layout *l)
{
    const int64_t per_line = l->line / l->size;
    /* Unused points before the first one. Rows without padding are read point by point.
     */
    const int64_t lead = per_line > 1 ? l->first[0] % int64_most(per_line, LEAD) : 0;
    int64_t lines;

    if (!round_up(l->halo[0][0], per_line, &l->left) ||
        !points_with_halo(l, 0, &l->row) || !add_fits(l->row, lead, &l->row) ||
        !round_up(l->row, per_line, &l->row))
        return false;
    l->left += lead;
    lines = l->row / per_line;
    return make_odd(l, &lines) && mul_fits(lines, per_line, &l->row);
}

/* Planes, and levels made of them. */
static bool lay_levels(layout *l, int count)
{
    int64_t rows, planes, lines;

    if (!points_with_halo(l, 1, &rows) || !make_odd(l, &rows) ||
        !mul_fits(l->row, rows, &l->plane) || !points_with_halo(l, 2, &planes) ||
        !mul_fits(l->plane, planes, &l->level) ||
        !add_fits(l->level, l->left, &l->level) ||
        !round_up(l->level, l->line / l->size, &l->level) ||
        !mul_fits(l->level, l->size, &l->level))
        return false;
    lines = l->level / l->line;
    const int64_t skew = (LEVEL_SKEW + SKEW_PERIOD - lines % SKEW_PERIOD) % SKEW_PERIOD;
    if (l->spread && lines >= SKEWED_FROM &&
        (!add_fits(lines, skew, &lines) || !mul_fits(lines, l->line, &l->level)))
        return false;
    return mul_fits(l->level, count, &l->bytes) &&
           add_fits(l->bytes, 2 * LEVELS_SLACK, &l->bytes);
}

static bool lay_out(const field_shape *shape, layout *l)
{
    *l = (layout){.line = shape->line > 0 ? shape->line : CPU_LINE,
                  .spread = shape->line == 0,
                  .size = (int64_t)pav_type_size(shape->type),
                  .room = {shape->line > 0 ? shape->room[0] : 0,
                           shape->line > 0 ? shape->room[1] : 0}};
    for (int axis = 0; axis < PAV_MAX_DIMENSIONS; axis++) {
        const bool here = axis < shape->dimensions;
        l->first[axis] = here ? shape->first[axis] : 0;
        l->extent[axis] = here ? shape->extent[axis] : 1;
        for (int side = 0; side < 2; side++)
            l->halo[axis][side] = here ? shape->halo[axis][side] : 0;
    }
    return lay_row(l) && lay_levels(l, shape->count);
}

pav_status progress_add(progress_sink *a, int64_t points)
{
    enum { PART = 1 << 21 };

    if (!a || !a->ask || (a->points += points) < PART)
        return PAV_OK;
    points = a->points;
    a->points = 0;
    return a->ask(a->user, points);
}

bool levels_measure(const field_shape *shape, levels_size *size)
{
    layout l;

    *size = (levels_size){0};
    if (!lay_out(shape, &l))
        return false;
    int64_t inside = shape->count * l.size, whole = inside;
    for (int axis = 0; axis < PAV_MAX_DIMENSIONS; axis++) {
        inside *= l.extent[axis];
        whole *= l.extent[axis] + l.halo[axis][0] + l.halo[axis][1];
    }
    *size = (levels_size){l.bytes, inside, whole - inside, l.bytes - whole};
    return true;
}

void levels_strides(const field_shape *shape, int64_t stride[PAV_MAX_DIMENSIONS])
{
    layout l;
    const bool fits = lay_out(shape, &l);

    stride[0] = fits;
    stride[1] = fits ? l.row : 0;
    stride[2] = fits ? l.plane : 0;
}

/* ---- poison ------------------------------------------------------------------------ */

/* Fills a level by the threads of a team. Each thread fills the part it will compute
 * later, so the pages of this part lie in the memory near the thread. */
typedef struct filling {
    const layout *l;
    char *level;
    box points;
    int axis, parts;
    progress_sink *progress_sink;
    int64_t reported;  /* points reported so far */
    pav_status status; /* status of the progress sink; only the caller uses it */
    atomic_bool stopped;
} filling;

/* Extends a part at the end of an axis by the halo there and the padding of the plane. */
static void add_halo(const layout *l, box *part)
{
    const int64_t end[] = {l->row, l->plane / l->row - l->halo[1][0],
                           l->extent[2] + l->halo[2][1]};

    for (int axis = 0; axis < PAV_MAX_DIMENSIONS; axis++) {
        if (part->lo[axis] == 0 && axis > 0)
            part->lo[axis] = -l->halo[axis][0];
        if (part->hi[axis] == l->extent[axis])
            part->hi[axis] = end[axis];
    }
}

static bool has_points(const layout *l, int64_t j, int64_t k)
{
    return j >= 0 && j < l->extent[1] && k >= 0 && k < l->extent[2];
}

/* Fills elements `lo` to `hi` of a row: points with zeros, all others with ones in all
 * bits. */
static void fill_row(const filling *f, int64_t lo, int64_t hi, int64_t j, int64_t k)
{
    const layout *l = f->l;
    const int64_t last = has_points(l, j, k) ? l->extent[0] : 0;
    const int64_t zeros = last < lo ? lo : last < hi ? last : hi;
    char *const row = f->level + (l->left + (j + l->halo[1][0]) * l->row +
                                  (k + l->halo[2][0]) * l->plane) *
                                     l->size;

    memset(row + lo * l->size, 0, (size_t)((zeros - lo) * l->size));
    memset(row + zeros * l->size, 0xff, (size_t)((hi - zeros) * l->size));
}

/* Reports progress. Only the caller, filling part 0, reports for all parts. */
static void report(filling *f, int64_t points)
{
    f->reported += points;
    f->status = progress_add(f->progress_sink, points);
    if (f->status != PAV_OK)
        atomic_store(&f->stopped, true);
}

/* Fills the elements of a part in one row, piece by piece; `reported`: also reports the
 * progress. */
static void fill_pieces(filling *f, const box *part, int64_t j, int64_t k, bool reported)
{
    enum { PIECE = 1 << 21 /* elements */ };

    for (int64_t lo = part->lo[0]; lo < part->hi[0]; lo += PIECE) {
        const int64_t left = part->hi[0] - lo, count = left < PIECE ? left : PIECE;
        const int64_t points = f->l->extent[0] - lo;
        if (atomic_load_explicit(&f->stopped, memory_order_relaxed))
            return;
        fill_row(f, lo, lo + count, j, k);
        if (reported && points > 0)
            report(f, (points < count ? points : count) * f->parts);
    }
}

static void fill_part(void *argument, int64_t n)
{
    filling *f = argument;
    box part;

    if (!partition_box(&f->points, f->axis, f->parts, n, &part))
        return;
    add_halo(f->l, &part);
    for (int64_t k = part.lo[2]; k < part.hi[2]; k++)
        for (int64_t j = part.lo[1]; j < part.hi[1]; j++)
            fill_pieces(f, &part, j, k, n == 0 && has_points(f->l, j, k));
}

static pav_status fill_level(const layout *l, char *level, host_team *team,
                             progress_sink *a)
{
    const int64_t *n = l->extent;
    filling f = {
        .l = l, .level = level, .points.hi = {n[0], n[1], n[2]}, .progress_sink = a};
    const int64_t rows = l->plane / l->row * (n[2] + l->halo[2][0] + l->halo[2][1]);
    char *const end = level + (l->left + rows * l->row) * l->size;

    f.parts = host_team_threads(team);
    f.axis = partition_axis(&f.points, f.parts);
    memset(level, 0xff, (size_t)(l->left * l->size));
    memset(end, 0xff, (size_t)(level + l->level - end));
    host_team_run(team, f.parts, fill_part, &f);
    if (f.status == PAV_OK)
        report(&f, n[0] * n[1] * n[2] - f.reported);
    return f.status;
}

/* ---- levels ------------------------------------------------------------------------ */

static view view_of(const layout *l, pav_type type, char *level)
{
    const int64_t before = l->left + l->halo[1][0] * l->row + l->halo[2][0] * l->plane;
    view v = {
        .data = level + before * l->size, .type = type, .stride = {1, l->row, l->plane}};

    v.data = (char *)v.data -
             view_offset(&v, l->first[0], l->first[1], l->first[2]) * l->size;
    for (int axis = 0; axis < PAV_MAX_DIMENSIONS; axis++) {
        v.first[axis] = l->first[axis];
        v.extent[axis] = l->extent[axis];
        v.halo[axis][0] = (int)l->halo[axis][0];
        v.halo[axis][1] = (int)l->halo[axis][1];
    }
    return v;
}

static pav_status too_large(const field_shape *shape)
{
    OWNED_BY(text_free) text extent = {0};

    text_add_extent(&extent, shape->dimensions, shape->extent);
    return FAIL(
        PAV_ELIMIT,
        "%d levels of %s points of %s are more bytes than 64 bits can count; use a "
        "smaller grid",
        shape->count, extent.failed ? "that many" : extent.data,
        pav_type_name(shape->type));
}

static char *level_at(const layout *l, const levels *made, int n)
{
    return (char *)made->block + LEVELS_SLACK + n * l->level;
}

/* Makes views of a given block; the block is not touched. */
static pav_status place(const field_shape *shape, const layout *l, void *block,
                        levels *made)
{
    *made = (levels){.count = shape->count, .level_bytes = l->level, .block = block};
    made->level = mem_new(shape->count, sizeof *made->level);
    /* Kernels rely on this: all rows are whole lines, and index 0 of each row begins a
     * line. */
    assert(l->row * l->size % l->line == 0 && l->level % l->line == 0);
    for (int n = 0; made->level && n < shape->count; n++) {
        made->level[n] = view_of(l, shape->type, level_at(l, made, n));
        assert(((char *)made->level[n].data - (char *)block - LEVELS_SLACK) % l->line ==
               0);
    }
    return made->level ? PAV_OK : PAV_ENOMEM;
}

pav_status levels_at(const field_shape *shape, void *block, levels *result)
{
    layout l;

    *result = (levels){0};
    return lay_out(shape, &l) ? place(shape, &l, block, result) : too_large(shape);
}

pav_status levels_new(const field_shape *shape, host_team *team, progress_sink *a,
                      levels *result)
{
    layout l;

    *result = (levels){0};
    if (!lay_out(shape, &l))
        return too_large(shape);
    void *const block = mem_big(l.bytes);
    if (!block)
        return PAV_ENOMEM;
    levels made;
    pav_status status = place(shape, &l, block, &made);
    made.bytes = l.bytes;
    memset(block, 0xff, LEVELS_SLACK);
    memset((char *)block + l.bytes - LEVELS_SLACK, 0xff, LEVELS_SLACK);
    for (int n = 0; n < shape->count && status == PAV_OK; n++)
        status = fill_level(&l, level_at(&l, &made, n), team, a);
    if (status == PAV_OK)
        *result = made;
    else
        levels_free(&made);
    return status;
}

void levels_free(levels *l)
{
    if (l->bytes > 0)
        mem_big_free(l->block, l->bytes);
    mem_free(l->level);
    *l = (levels){0};
}

view *levels_view(const levels *l, int level)
{
    const int age = 1 - level;

    return age < 0 || age > l->count || l->count == 0
               ? NULL
               : &l->level[(l->newest + age) % l->count];
}

void levels_rotate(levels *l)
{
    if (l->count > 0)
        l->newest = (l->newest + l->count - 1) % l->count;
}
