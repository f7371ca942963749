/* SPDX-License-Identifier: BSD-3-Clause */
/* XDMF: an index of a run's HDF5 files with their times and positions, for ParaView and
 * VisIt. Everything is three-dimensional, z first; missing axes have one point. */
#include "io/io_private.h"

#define MARKER "      <Grid Name=\"step "

static void add_extent(text *t, const io_frame *f)
{
    int64_t extent[PAV_MAX_DIMENSIONS] = {1, 1, 1};

    for (int a = 0; a < f->dimensions; a++)
        extent[f->axis[a]] = f->extent[a];
    for (int axis = PAV_MAX_DIMENSIONS - 1; axis >= 0; axis--)
        text_add(t, "%lld%s", (long long)extent[axis], axis > 0 ? " " : "\"");
}

static void add_doubles(text *t, const io_frame *f,
                        double (*value)(const io_frame *f, int axis))
{
    text_add(t, "          <DataItem Dimensions=\"3\" NumberType=\"Float\" "
                "Precision=\"8\" Format=\"XML\">");
    for (int axis = PAV_MAX_DIMENSIONS - 1; axis >= 0; axis--) {
        text_add_double(t, value(f, axis));
        text_add(t, "%s", axis > 0 ? " " : "</DataItem>\n");
    }
}

/* Coordinates along x, y and z. */
static void add_coordinates(text *t, const io_frame *f)
{
    for (int axis = 0; axis < PAV_MAX_DIMENSIONS; axis++) {
        int64_t count = 1;
        for (int a = 0; a < f->dimensions; a++)
            count = f->axis[a] == axis ? f->extent[a] : count;
        text_add(t,
                 "          <DataItem Dimensions=\"%lld\" NumberType=\"Float\" "
                 "Precision=\"8\" Format=\"XML\">",
                 (long long)count);
        for (int64_t i = 0; i < count; i++) {
            text_add(t, i > 0 ? " " : "");
            text_add_double(t,
                            axis < f->grid_dimensions ? frame_coordinate(f, axis, i) : 0);
        }
        text_add(t, "</DataItem>\n");
    }
}

static void add_places(text *t, const io_frame *f)
{
    const bool image = !frame_stretched(f);

    text_add(t, "        <Topology TopologyType=\"3D%sMesh\" Dimensions=\"",
             image ? "CoRect" : "Rect");
    add_extent(t, f);
    text_add(t, "/>\n        <Geometry GeometryType=\"%s\">\n",
             image ? "ORIGIN_DXDYDZ" : "VXVYVZ");
    if (image) {
        add_doubles(t, f, frame_origin);
        add_doubles(t, f, frame_spacing);
    } else {
        add_coordinates(t, f);
    }
    text_add(t, "        </Geometry>\n");
}

static void add_type(text *t, pav_type type)
{
    text_add(t, " NumberType=\"%s\" Precision=\"%d\"", type == PAV_U8 ? "UChar" : "Float",
             type == PAV_U8    ? 1
             : type == PAV_F64 ? 8
                               : 4);
}

static void add_entry(text *t, const io_frame *f, const char *name)
{
    text_add(t,
             MARKER "%lld\" GridType=\"Uniform\">\n"
                    "        <Time Value=\"",
             (long long)f->step);
    text_add_double(t, f->time);
    text_add(t, "\"/>\n");
    add_places(t, f);
    text_add(t,
             "        <Attribute Name=\"%s\" "
             "AttributeType=\"Scalar\" Center=\"Node\">\n          <DataItem "
             "Dimensions=\"",
             f->name);
    add_extent(t, f);
    add_type(t, f->type);
    text_add(t, " Format=\"HDF\">");
    text_add_xml(t, name);
    text_add(t, ":/%s</DataItem>\n        </Attribute>\n      </Grid>\n", f->name);
}

static void add_head(text *t, const io_frame *f)
{
    text_add(t,
             "<?xml version=\"1.0\"?>\n<Xdmf Version=\"3.0\">\n  <Domain>\n"
             "    <Grid Name=\"%s\" GridType=\"Collection\" "
             "CollectionType=\"Temporal\">\n",
             f->name);
}

static const index_kind xdmf = {
    .marker = MARKER,
    .end = "    </Grid>\n  </Domain>\n</Xdmf>\n",
    .head = add_head,
    .entry = add_entry,
    .piece = h5_write,
};

const io_format xdmf_format = {
    .ending = ".xdmf",
    .about = "XDMF time series of .h5 files, for ParaView",
    .field = true,
    .film = true,
    .piece = ".h5",
    .index = &xdmf,
    .write = index_write,
    .begin = h5_begin,
    .resume = index_resume,
    .missing = hdf5_missing,
};
