/* SPDX-License-Identifier: BSD-3-Clause */
/* VTK files: image data (.vti), rectilinear grids (.vtr), indices (.pvd), and
 * unstructured grids of prisms (.vtu). */
#include "io/io_private.h"

/* ---- grids ------------------------------------------------------------------------- */

/* Writes VTK image data (.vti), rectilinear grids (.vtr) for stretched axes, and .pvd, an
 * index of a run's files with their times. The files are XML followed by the raw values.
 * A plane of a 3-D grid keeps its position in the grid. */

enum {
    PIECE = 4096 /* values */
};

/* The stored type of values and its name in the file. */
struct vtk_type {
    pav_type type;
    const char *name;
};
static const struct vtk_type types[] = {
    [PAV_F32] = {PAV_F32, "Float32"},  [PAV_F64] = {PAV_F64, "Float64"},
    [PAV_BF16] = {PAV_F32, "Float32"}, [PAV_F16] = {PAV_F32, "Float32"},
    [PAV_U8] = {PAV_U8, "UInt8"},
};

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
    int64_t last[PAV_MAX_DIMENSIONS] = {0};

    for (int a = 0; a < f->dimensions; a++)
        last[f->axis[a]] = f->extent[a] - 1;
    text_add(t, "%s", before);
    for (int axis = 0; axis < PAV_MAX_DIMENSIONS; axis++)
        text_add(t, "%s0 %lld", axis > 0 ? " " : "", (long long)last[axis]);
    text_add(t, "\"");
}

static void add_coordinates(text *t, const io_frame *f)
{
    text_add(t, "      <Coordinates>\n");
    for (int axis = 0; axis < PAV_MAX_DIMENSIONS; axis++) {
        int64_t count = 1;
        for (int a = 0; a < f->dimensions; a++)
            count = f->axis[a] == axis ? f->extent[a] : count;
        text_add(t, "        <DataArray type=\"Float64\" Name=\"%c\" format=\"ascii\">",
                 "xyz"[axis]);
        for (int64_t i = 0; i < count; i++) {
            text_add(t, i > 0 ? " " : "");
            text_add_double(t,
                            axis < f->grid_dimensions ? frame_coordinate(f, axis, i) : 0);
        }
        text_add(t, "</DataArray>\n");
    }
    text_add(t, "      </Coordinates>\n");
}

static void add_head(text *t, const io_frame *f, const char *type, bool image)
{
    const bool little = __BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__;
    const char *kind = image ? "ImageData" : "RectilinearGrid";

    text_add(t,
             "<?xml version=\"1.0\"?>\n<VTKFile type=\"%s\" version=\"1.0\" "
             "byte_order=\"%s\" header_type=\"UInt64\">\n  <%s",
             kind, little ? "LittleEndian" : "BigEndian", kind);
    add_extent(t, " WholeExtent=\"", f);
    if (image) {
        add_doubles(t, " Origin=\"", f, frame_origin);
        add_doubles(t, " Spacing=\"", f, frame_spacing);
    }
    text_add(t,
             ">\n    <FieldData>\n      <DataArray type=\"Float64\" Name=\"TimeValue\" "
             "NumberOfTuples=\"1\" format=\"ascii\">");
    text_add_double(t, f->time);
    text_add(t, "</DataArray>\n    </FieldData>\n");
    add_extent(t, "    <Piece Extent=\"", f);
    text_add(t,
             ">\n      <PointData Scalars=\"%s\">\n        <DataArray type=\"%s\" "
             "Name=\"%s\" format=\"appended\" offset=\"0\"/>\n      </PointData>\n",
             f->name, type, f->name);
    if (!image)
        add_coordinates(t, f);
    text_add(t, "    </Piece>\n  </%s>\n  <AppendedData encoding=\"raw\">\n   _", kind);
}

static pav_status write_values(out_file *o, const io_frame *f, pav_type type)
{
    double values[PIECE];

    for (int64_t k = 0; k < f->extent[2]; k++)
        for (int64_t j = 0; j < f->extent[1]; j++)
            for (int64_t i = 0; i < f->extent[0]; i += PIECE) {
                const int64_t left = f->extent[0] - i;
                const int64_t count = left < PIECE ? left : PIECE;
                frame_read(f, i, j, k, count, type, values);
                TRY(out_write(o, values, count * (int64_t)pav_type_size(type)));
            }
    return PAV_OK;
}

static pav_status write_all(out_file *o, const io_frame *f, bool image)
{
    static const char end[] = "\n  </AppendedData>\n</VTKFile>\n";
    const struct vtk_type *type = &types[f->type];
    const uint64_t bytes = (uint64_t)frame_count(f) * pav_type_size(type->type);
    text t = {0};

    add_head(&t, f, type->name, image);
    const pav_status status = t.failed ? PAV_ENOMEM : out_write(o, t.data, t.length);
    text_free(&t);
    TRY(status);
    TRY(out_reserve(o, o->written + (int64_t)(sizeof bytes + bytes + sizeof end - 1)));
    TRY(out_write(o, &bytes, sizeof bytes));
    TRY(write_values(o, f, type->type));
    return out_write(o, end, sizeof end - 1);
}

static pav_status write_file(const char *path, const io_frame *f)
{
    out_file o;

    TRY(out_open(&o, path));
    return out_close(&o, write_all(&o, f, true));
}

static pav_status write_vti(series *s, const char *path, const io_frame *f)
{
    (void)s;
    return write_file(path, f);
}

const io_format vti_format = {
    .ending = ".vti",
    .about = "VTK image data",
    .field = true,
    .write = write_vti,
};

static pav_status write_vtr(series *s, const char *path, const io_frame *f)
{
    out_file o;

    (void)s;
    TRY(out_open(&o, path));
    return out_close(&o, write_all(&o, f, false));
}

const io_format vtr_format = {
    .ending = ".vtr",
    .about = "VTK rectilinear grid",
    .field = true,
    .write = write_vtr,
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
    .piece = write_file,
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
    for (const char *c = name; *c; c++)
        text_add(t,
                 *c == '&'   ? "&amp;"
                 : *c == '<' ? "&lt;"
                 : *c == '"' ? "&quot;"
                             : "%c",
                 *c);
    text_add(t, "\" NumberOfComponents=\"%d\" format=\"appended\" offset=\"%lld\"/>\n",
             components, (long long)offset);
    return offset + (int64_t)sizeof(uint64_t) + bytes;
}

static void add_vtu_head(text *t, const vtu *v)
{
    const bool little = __BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__;
    int64_t at = 0;

    text_add(
        t,
        "<?xml version=\"1.0\"?>\n<VTKFile type=\"UnstructuredGrid\" version=\"1.0\" "
        "byte_order=\"%s\" header_type=\"UInt64\">\n  <UnstructuredGrid>\n    <Piece "
        "NumberOfPoints=\"%lld\" NumberOfCells=\"%lld\">\n      <Points>\n",
        little ? "LittleEndian" : "BigEndian", (long long)v->nodes, (long long)v->cells);
    at = add_array(t, "Float64", "points", 3, at, v->nodes * 24);
    text_add(t, "      </Points>\n      <Cells>\n");
    at = add_array(t, "Int64", "connectivity", 1, at, v->cells * 48);
    at = add_array(t, "Int64", "offsets", 1, at, v->cells * 8);
    at = add_array(t, "UInt8", "types", 1, at, v->cells);
    text_add(t, "      </Cells>\n      <PointData>\n");
    for (int n = 0; n < v->count; n++)
        at = add_array(t, "Float64", v->name[n], 1, at, v->nodes * 8);
    text_add(t,
             "      </PointData>\n    </Piece>\n  </UnstructuredGrid>\n  <AppendedData "
             "encoding=\"raw\">\n   _");
}

static pav_status write_size(out_file *o, int64_t bytes)
{
    const uint64_t size = (uint64_t)bytes;

    return out_write(o, &size, sizeof size);
}

static pav_status write_points(out_file *o, const vtu *v)
{
    double at[VTU_PIECE][3];

    TRY(write_size(o, v->nodes * 24));
    for (int64_t n = 0; n < v->nodes; n += VTU_PIECE) {
        const int64_t count = v->nodes - n < VTU_PIECE ? v->nodes - n : VTU_PIECE;
        for (int64_t k = 0; k < 3 * count; k++)
            at[k / 3][k % 3] = v->at[k % 3][n + k / 3];
        TRY(out_write(o, at, count * 24));
    }
    return PAV_OK;
}

static pav_status write_nodes(out_file *o, const vtu *v)
{
    int64_t node[VTU_PIECE][6];

    TRY(write_size(o, v->cells * 48));
    for (int64_t c = 0; c < v->cells; c += VTU_PIECE) {
        const int64_t count = v->cells - c < VTU_PIECE ? v->cells - c : VTU_PIECE;
        for (int64_t k = 0; k < count; k++)
            v->cell(v->context, c + k, node[k]);
        TRY(out_write(o, node, count * 48));
    }
    return PAV_OK;
}

/* Writes the end of each cell's nodes, and its type: wedge. */
static pav_status write_kinds(out_file *o, const vtu *v)
{
    int64_t end[VTU_PIECE];
    uint8_t type[VTU_PIECE];

    TRY(write_size(o, v->cells * 8));
    for (int64_t c = 0; c < v->cells; c += VTU_PIECE) {
        const int64_t count = v->cells - c < VTU_PIECE ? v->cells - c : VTU_PIECE;
        for (int64_t k = 0; k < count; k++)
            end[k] = 6 * (c + k + 1);
        TRY(out_write(o, end, count * 8));
    }
    TRY(write_size(o, v->cells));
    for (int k = 0; k < VTU_PIECE; k++)
        type[k] = WEDGE;
    for (int64_t c = 0; c < v->cells; c += VTU_PIECE)
        TRY(out_write(o, type, v->cells - c < VTU_PIECE ? v->cells - c : VTU_PIECE));
    return PAV_OK;
}

static pav_status write_vtu(out_file *o, const vtu *v)
{
    static const char end[] = "\n  </AppendedData>\n</VTKFile>\n";
    text t = {0};

    add_vtu_head(&t, v);
    const pav_status status = t.failed ? PAV_ENOMEM : out_write(o, t.data, t.length);
    text_free(&t);
    TRY(status);
    TRY(write_points(o, v));
    TRY(write_nodes(o, v));
    TRY(write_kinds(o, v));
    for (int n = 0; n < v->count; n++) {
        TRY(write_size(o, v->nodes * 8));
        TRY(out_write(o, v->value[n], v->nodes * 8));
    }
    return out_write(o, end, sizeof end - 1);
}

pav_status vtu_write(const char *path, const vtu *v)
{
    out_file o;

    TRY(out_open(&o, path));
    return out_close(&o, write_vtu(&o, v));
}
