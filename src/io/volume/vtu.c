/* SPDX-License-Identifier: BSD-3-Clause */
/* Writes VTK unstructured grids (.vtu) of prisms: XML followed by raw nodes, cells and
 * values at the nodes. */
#include "io/io_private.h"

enum {
    PIECE = 1024, /* cells or nodes */
    WEDGE = 13,   /* VTK's number of the cell */
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

static void add_head(text *t, const vtu *v)
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
    double at[PIECE][3];

    TRY(write_size(o, v->nodes * 24));
    for (int64_t n = 0; n < v->nodes; n += PIECE) {
        const int64_t count = v->nodes - n < PIECE ? v->nodes - n : PIECE;
        for (int64_t k = 0; k < 3 * count; k++)
            at[k / 3][k % 3] = v->at[k % 3][n + k / 3];
        TRY(out_write(o, at, count * 24));
    }
    return PAV_OK;
}

static pav_status write_nodes(out_file *o, const vtu *v)
{
    int64_t node[PIECE][6];

    TRY(write_size(o, v->cells * 48));
    for (int64_t c = 0; c < v->cells; c += PIECE) {
        const int64_t count = v->cells - c < PIECE ? v->cells - c : PIECE;
        for (int64_t k = 0; k < count; k++)
            v->cell(v->context, c + k, node[k]);
        TRY(out_write(o, node, count * 48));
    }
    return PAV_OK;
}

/* Writes the end of each cell's nodes, and its type: wedge. */
static pav_status write_kinds(out_file *o, const vtu *v)
{
    int64_t end[PIECE];
    uint8_t type[PIECE];

    TRY(write_size(o, v->cells * 8));
    for (int64_t c = 0; c < v->cells; c += PIECE) {
        const int64_t count = v->cells - c < PIECE ? v->cells - c : PIECE;
        for (int64_t k = 0; k < count; k++)
            end[k] = 6 * (c + k + 1);
        TRY(out_write(o, end, count * 8));
    }
    TRY(write_size(o, v->cells));
    for (int k = 0; k < PIECE; k++)
        type[k] = WEDGE;
    for (int64_t c = 0; c < v->cells; c += PIECE)
        TRY(out_write(o, type, v->cells - c < PIECE ? v->cells - c : PIECE));
    return PAV_OK;
}

static pav_status write_all(out_file *o, const vtu *v)
{
    static const char end[] = "\n  </AppendedData>\n</VTKFile>\n";
    text t = {0};

    add_head(&t, v);
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
    return out_close(&o, write_all(&o, v));
}
