/* SPDX-License-Identifier: BSD-3-Clause */
/* VTK files: image data (.vti), rectilinear grids (.vtr), indices (.pvd), and
 * unstructured grids of prisms (.vtu). */
#include <string.h>

#include "io/io_private.h"

/* ---- grids ------------------------------------------------------------------------- */

/* Writes VTK image data (.vti), rectilinear grids (.vtr) for stretched axes, and .pvd, an
 * index of a run's files with their times. The files are XML followed by the raw values.
 * A plane of a 3-D grid keeps its position in the grid. */

#define BYTE_ORDER_NAME                                                                  \
    (__BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__ ? "LittleEndian" : "BigEndian")

static const char appended_begin[] = "  <AppendedData encoding=\"raw\">\n   _",
                  appended_end[] = "\n  </AppendedData>\n</VTKFile>\n";

static void add_doubles(text *t, const char *before, const io_frame *f,
                        double (*value)(const io_frame *f, int axis))
{
    text_add(t, "%s", before);
    for (int axis = 0; axis < PAV_MAX_DIMENSIONS; axis++) {
        text_add(t, "%s", axis > 0 ? " " : "");
        text_add_double(t, value(f, axis));
    }
    text_add(t, "\"");
}

/* Adds the index range along x, y and z. Axes missing from the frame have one point. */
static void add_extent(text *t, const char *before, const io_frame *f)
{
    text_add(t, "%s0 %lld 0 %lld 0 %lld\"", before, (long long)frame_extent(f, 0) - 1,
             (long long)frame_extent(f, 1) - 1, (long long)frame_extent(f, 2) - 1);
}

/* The arrays of a file: one for each field, or one of vectors. VTK's have three parts. */
enum { PARTS = 3, VECTORS = 1024 };

static int64_t array_bytes(const io_frame *f)
{
    return frame_count(f) * (int64_t)pav_type_size(frame_kept_type(f)) *
           (f->vector ? PARTS : 1);
}

static void add_arrays(text *t, const io_frame *f)
{
    int64_t offset = 0;

    for (const io_frame *m = f; m; m = f->vector ? NULL : m->more) {
        text_add(t,
                 "        <DataArray type=\"%s\" Name=\"%s\"%s format=\"appended\" "
                 "offset=\"%lld\"/>\n",
                 m->type == PAV_U8    ? "UInt8"
                 : m->type == PAV_F64 ? "Float64"
                                      : "Float32",
                 f->vector ? f->vector : m->name,
                 f->vector ? " NumberOfComponents=\"3\"" : "", (long long)offset);
        offset += (int64_t)sizeof(uint64_t) + array_bytes(m);
    }
}

/* Vectors of a run of points, in the type of the first field; missing parts are 0. */
static pav_status write_vectors(out_file *o, const io_frame *f, int64_t i, int64_t j,
                                int64_t k, int64_t count)
{
    const pav_type type = frame_kept_type(f);
    const int64_t size = (int64_t)pav_type_size(type);
    double one[VECTORS], all[PARTS * VECTORS] = {0};
    int part = 0;

    for (const io_frame *m = f; m; m = m->more, part++) {
        frame_read(m, i, j, k, count, type, one);
        for (int64_t n = 0; n < count; n++)
            memcpy((char *)all + (n * PARTS + part) * size, (const char *)one + n * size,
                   (size_t)size);
    }
    return out_write(o, all, count * PARTS * size);
}

static pav_status write_array_of(out_file *o, const io_frame *f)
{
    const uint64_t bytes = (uint64_t)array_bytes(f);

    TRY(out_write(o, &bytes, sizeof bytes));
    if (!f->vector)
        return out_write_values(o, f, frame_kept_type(f));
    for (int64_t k = 0; k < f->extent[2]; k++)
        for (int64_t j = 0; j < f->extent[1]; j++)
            for (int64_t i = 0; i < f->extent[0]; i += VECTORS)
                TRY(write_vectors(o, f, i, j, k, int64_least(f->extent[0] - i, VECTORS)));
    return PAV_OK;
}

/* Readers skip a processing instruction, and nothing in it can end it. */
static void add_head(text *t, const io_fact *made)
{
    text_add(t, "<?xml version=\"1.0\"?>\n%s", made ? "<?pavior" : "");
    for (const io_fact *m = made; m && m->name; m++) {
        text_add(t, " %s=\"", m->name);
        text_add_xml(t, m->value);
        text_add(t, "\"");
    }
    text_add(t, "%s", made ? "?>\n" : "");
}

static pav_status fill_grid(out_file *o, const io_frame *f, bool image)
{
    int64_t size = (int64_t)sizeof appended_end - 1;
    OWNED_BY(text_free) text t = {0};

    const char *kind = image ? "ImageData" : "RectilinearGrid";

    add_head(&t, f->made);
    text_add(&t,
             "<VTKFile type=\"%s\" version=\"1.0\" byte_order=\"%s\" "
             "header_type=\"UInt64\">\n  <%s",
             kind, BYTE_ORDER_NAME, kind);
    add_extent(&t, " WholeExtent=\"", f);
    if (image) {
        add_doubles(&t, " Origin=\"", f, frame_origin);
        add_doubles(&t, " Spacing=\"", f, frame_spacing);
    }
    text_add(&t,
             ">\n    <FieldData>\n      <DataArray type=\"Float64\" Name=\"TimeValue\" "
             "NumberOfTuples=\"1\" format=\"ascii\">");
    text_add_double(&t, f->time);
    text_add(&t, "</DataArray>\n    </FieldData>\n");
    add_extent(&t, "    <Piece Extent=\"", f);
    text_add(&t, ">\n      <PointData %s=\"%s\">\n", f->vector ? "Vectors" : "Scalars",
             f->vector ? f->vector : f->name);
    add_arrays(&t, f);
    text_add(&t, "      </PointData>\n");
    if (!image) {
        text_add(&t, "      <Coordinates>\n");
        for (int axis = 0; axis < PAV_MAX_DIMENSIONS; axis++) {
            text_add(&t,
                     "        <DataArray type=\"Float64\" Name=\"%c\" format=\"ascii\">",
                     "xyz"[axis]);
            frame_add_coordinates(&t, f, axis);
            text_add(&t, "</DataArray>\n");
        }
        text_add(&t, "      </Coordinates>\n");
    }
    text_add(&t, "    </Piece>\n  </%s>\n%s", kind, appended_begin);
    TRY(out_write_text(o, &t));
    for (const io_frame *m = f; m; m = f->vector ? NULL : m->more)
        size += (int64_t)sizeof(uint64_t) + array_bytes(m);
    TRY(out_reserve(o, o->written + size));
    for (const io_frame *m = f; m; m = f->vector ? NULL : m->more)
        TRY(write_array_of(o, m));
    return out_write(o, appended_end, sizeof appended_end - 1);
}

static pav_status fill_vti(out_file *o, const io_frame *f)
{
    return fill_grid(o, f, true);
}

const io_format vti_format = {
    .ending = ".vti",
    .about = "VTK image data",
    .field = true,
    .fill = fill_vti,
};

static pav_status fill_vtr(out_file *o, const io_frame *f)
{
    return fill_grid(o, f, false);
}

const io_format vtr_format = {
    .ending = ".vtr",
    .about = "VTK rectilinear grid",
    .field = true,
    .fill = fill_vtr,
};

/* ---- the index --------------------------------------------------------------------- */

static void add_pvd_head(text *t, const io_frame *f)
{
    (void)f;
    text_add(t, "<?xml version=\"1.0\"?>\n<VTKFile type=\"Collection\" "
                "version=\"1.0\">\n  <Collection>\n");
}

#define MARKER "    <DataSet timestep=\""

static void add_pvd_entry(text *t, const io_frame *f, const char *name)
{
    text_add(t, MARKER);
    text_add_double(t, f->time);
    text_add(t, "\" part=\"0\" file=\"");
    text_add_xml(t, name);
    text_add(t, "\"/>\n");
}

static const index_kind pvd = {
    .marker = MARKER,
    .end = "  </Collection>\n</VTKFile>\n",
    .head = add_pvd_head,
    .entry = add_pvd_entry,
    .fill = fill_vti,
};

const io_format pvd_format = {
    .ending = ".pvd",
    .about = "VTK time series of .vti files",
    .field = true,
    .film = true,
    .piece = ".vti",
    .index = &pvd,
    .write = index_write,
    .resume = index_resume,
};

/* ---- prisms ------------------------------------------------------------------------ */

/* Writes VTK unstructured grids (.vtu) of prisms: XML followed by raw nodes, cells and
 * values at the nodes. */

enum {
    VTU_PIECE = 1024, /* cells or nodes */
    WEDGE = 13,       /* VTK's number of the cell */
};

static int64_t add_array(text *t, const char *type, const char *name, int components,
                         int64_t offset, int64_t bytes)
{
    text_add(t, "        <DataArray type=\"%s\" Name=\"", type);
    text_add_xml(t, name);
    text_add(t, "\" NumberOfComponents=\"%d\" format=\"appended\" offset=\"%lld\"/>\n",
             components, (long long)offset);
    return offset + (int64_t)sizeof(uint64_t) + bytes;
}

/* Makes `count` items of an array, from item `first` on. */
typedef void vtu_fill(const vtu *v, int64_t first, int64_t count, void *items);

static void fill_points(const vtu *v, int64_t first, int64_t count, void *items)
{
    double(*at)[3] = items;

    for (int64_t k = 0; k < 3 * count; k++)
        at[k / 3][k % 3] = v->at[k % 3][first + k / 3];
}

static void fill_nodes(const vtu *v, int64_t first, int64_t count, void *items)
{
    int64_t(*node)[6] = items;

    for (int64_t k = 0; k < count; k++)
        v->cell(v->context, first + k, node[k]);
}

/* The end of each cell's nodes. */
static void fill_ends(const vtu *v, int64_t first, int64_t count, void *items)
{
    int64_t *end = items;

    (void)v;
    for (int64_t k = 0; k < count; k++)
        end[k] = 6 * (first + k + 1);
}

static void fill_types(const vtu *v, int64_t first, int64_t count, void *items)
{
    (void)v;
    (void)first;
    memset(items, WEDGE, (size_t)count);
}

static pav_status write_array(out_file *o, const vtu *v, int64_t count, int64_t bytes,
                              vtu_fill *fill)
{
    const uint64_t size = (uint64_t)(count * bytes);
    union {
        double at[VTU_PIECE][3];
        int64_t node[VTU_PIECE][6];
    } items;

    TRY(out_write(o, &size, sizeof size));
    for (int64_t first = 0; first < count; first += VTU_PIECE) {
        const int64_t now = int64_least(count - first, VTU_PIECE);
        fill(v, first, now, &items);
        TRY(out_write(o, &items, now * bytes));
    }
    return PAV_OK;
}

static pav_status write_vtu(out_file *o, const vtu *v)
{
    const uint64_t size = (uint64_t)v->nodes * sizeof(double);
    OWNED_BY(text_free) text t = {0};

    int64_t at = 0;

    add_head(&t, v->made);
    text_add(
        &t,
        "<VTKFile type=\"UnstructuredGrid\" version=\"1.0\" "
        "byte_order=\"%s\" header_type=\"UInt64\">\n  <UnstructuredGrid>\n    <Piece "
        "NumberOfPoints=\"%lld\" NumberOfCells=\"%lld\">\n      <Points>\n",
        BYTE_ORDER_NAME, (long long)v->nodes, (long long)v->cells);
    at = add_array(&t, "Float64", "points", 3, at, v->nodes * 24);
    text_add(&t, "      </Points>\n      <Cells>\n");
    at = add_array(&t, "Int64", "connectivity", 1, at, v->cells * 48);
    at = add_array(&t, "Int64", "offsets", 1, at, v->cells * 8);
    at = add_array(&t, "UInt8", "types", 1, at, v->cells);
    text_add(&t, "      </Cells>\n      <PointData>\n");
    for (int n = 0; n < v->count; n++)
        at = add_array(&t, "Float64", v->name[n], 1, at, v->nodes * 8);
    text_add(&t, "      </PointData>\n    </Piece>\n  </UnstructuredGrid>\n%s",
             appended_begin);
    TRY(out_write_text(o, &t));
    TRY(write_array(o, v, v->nodes, 24, fill_points));
    TRY(write_array(o, v, v->cells, 48, fill_nodes));
    TRY(write_array(o, v, v->cells, 8, fill_ends));
    TRY(write_array(o, v, v->cells, 1, fill_types));
    for (int n = 0; n < v->count; n++) {
        TRY(out_write(o, &size, sizeof size));
        TRY(out_write(o, v->value[n], (int64_t)size));
    }
    return out_write(o, appended_end, sizeof appended_end - 1);
}

pav_status vtu_write(const char *path, const vtu *v)
{
    out_file o;

    TRY(out_open(&o, path));
    return out_close(&o, write_vtu(&o, v));
}
