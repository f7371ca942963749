/* SPDX-License-Identifier: BSD-3-Clause */
/* Declarations shared by the files of src/runs/io. */
#ifndef IO_IO_PRIVATE_H
#define IO_IO_PRIVATE_H

#include <stdio.h>

#include "io/io.h"

/* ---- writing files (out_file.c) ---------------------------------------------------- */

typedef struct out_file {
    const char *shown; /* the caller's path, for messages */
    char *path, *temporary;
    FILE *file;
    int64_t written, whole; /* written: bytes so far; whole: final size, 0 if unknown */
    struct packer *packer;
} out_file;
/* Appends the name of an unfinished file, unique to this process (out_file.c). */
pav_status out_open(out_file *o, const char *path);
/* Checks that out_open would succeed; leaves no file. */
pav_status out_try(const char *path);
pav_status out_write(out_file *o, const void *bytes, int64_t length);
pav_status out_write_text(out_file *o, const text *t);
/* Writes all values of a frame, converted to a type. */
pav_status out_write_values(out_file *o, const io_frame *f, pav_type type);
/* Writes a whole file. */
pav_status frame_write(const char *path, frame_fill *fill, const io_frame *f);
/* From now on out_write compresses by zstd (out_file.c). packed_need bounds the needs
 * of a frame from its uncompressed needs. The other functions are for out_file.c. */
pav_status out_pack(out_file *o);
frame_need packed_need(frame_need plain);
void io_alive(void); /* tells a thread waiting for this one it is alive (io_watch) */
/* If `status`, the result of writing, is PAV_OK, renames the file to its final name;
 * otherwise removes it. Returns the combined status, for: return out_close(&o,
 * write_all(&o)). */
pav_status out_close(out_file *o, pav_status status);
/* Growing files have their final name from the beginning. After out_publish, out_append
 * writes a piece completely or not at all. If a piece has parts, it writes as many whole
 * parts as fit: `whole` returns the bytes of complete parts within the given bytes. */
pav_status out_publish(out_file *o);
pav_status out_append(out_file *o, const void *bytes, int64_t length,
                      int64_t (*whole)(void *user, int64_t bytes), void *user);
/* Reopens a growing file with at least `bytes`; o->file is NULL if there is none. out_cut
 * truncates it to `bytes`. */
pav_status out_resume(out_file *o, const char *path, int64_t bytes);
pav_status out_cut(out_file *o);
/* Writes all data to the disk. */
pav_status out_sync(out_file *o);

/* Reserves disk space for a file of this size, so a full disk is found before writing. If
 * the file system cannot reserve space, nothing is checked. */
pav_status out_reserve(out_file *o, int64_t bytes);
int64_t put_at(int descriptor, const char *bytes, int64_t length, int64_t at);
/* Overwrites bytes at offset `at`, after out_publish. */
pav_status out_put(out_file *o, const void *bytes, int64_t length, int64_t at);

/* Largest length of a number in a text file, with its separator. */
enum { MOST_DIGITS = 25 };

/* ---- reading files (in_file.c) ----------------------------------------------------- */

typedef struct in_file {
    const char *path;
    FILE *file;
    struct unpacker *unpacker; /* for .zst files */
} in_file;
pav_status in_open(in_file *f, const char *path);
/* Reads up to `length` bytes. */
pav_status in_read(in_file *f, char *bytes, int64_t length, int64_t *got);
pav_status in_skip(in_file *f, int64_t bytes); /* or back; not for compressed files */
pav_status in_size(const in_file *f, int64_t *bytes); /* -1 if unknown before reading */
void in_close(in_file *f);

/* ---- series (series.c) ------------------------------------------------------------- */

/* Values of colours, and the length of the longest arrow. */
typedef struct picture_range {
    double from, to, longest;
} picture_range;
/* An animation. kept: a sum of its pictures, whatever their colours. */
typedef struct film {
    out_file out;
    int width, height;
    uint32_t pictures, sequence;
    int64_t kept;
} film;
struct series {
    const io_format *format;
    char *path;
    series_style style;
    text entries; /* entries of the index so far */
    text recent;  /* paths written since series_sync, each NUL-terminated */
    film film;
    bool begun;  /* true after the first frame */
    double told; /* clock of the last reported frame: of an animation one a second */
    /* Of style.over_frames: the range of all pictures so far; true if it grew since the
     * first. Names of pictures in files of their own are kept in `entries`. */
    picture_range range;
    bool outgrown;
};
/* "out/heat.npy" at step 100 becomes "out/heat-000100.npy". step < 0: no number; ending
 * NULL: the path's own ending. */
void path_of_step(const char *path, const char *ending, int64_t step, text *t);
/* path of the file written at a step */
void series_name_at(const series *s, int64_t step, text *path);
/* Notes a file for series_sync (series.c). */
pav_status series_note(series *s, const char *path);
/* A kind of index (index.c). */
struct index_kind {
    const char *marker, *end; /* marker: begins each entry; end: follows the last entry */
    void (*head)(text *t, const io_frame *f);
    void (*entry)(text *t, const io_frame *f, const char *name);
    frame_fill *fill; /* writes a file of the series */
};
pav_status index_write(series *s, const char *path, const io_frame *f);
/* index_piece: path of the file of a step. index_add: adds an entry for a written
 * file. */
void index_piece(const series *s, int64_t step, text *path);
pav_status index_add(series *s, const io_frame *f, const char *piece);
pav_status index_resume(series *s, series_past *past, text *said);

/* A frame converted to a picture (frame_picture.c). `value` and `arrow` are the caller's
 * to free. `picture` points into the struct. */
typedef struct picture_head {
    int64_t width, height, block, points[2], arrows[2];
    picture_range range; /* of this picture */
    double axis_from[2], axis_to[2];
    char title[PICTURE_TITLE + 8], axis_name[2][PICTURE_TITLE + 8];
} picture_head;
typedef struct frame_picture {
    picture picture;
    double *value, *arrow;
    picture_head head;
} frame_picture;
pav_status frame_picture_make(const series_style *style, const io_frame *f,
                              frame_picture *p);
/* A picture as bytes, so a later range of the series can colour it again: at most a pixel
 * a point, in 16 bits. The picture then has the values of these bytes. */
pav_status frame_picture_pack(const series_style *style, frame_picture *p, text *bytes);
pav_status frame_picture_unpack(const series_style *style, const char *bytes,
                                int64_t length, frame_picture *p);
void frame_picture_free(frame_picture *p);
frame_need frame_picture_need(const io_frame *f);

/* ---- npy --------------------------------------------------------------------------- */

double frame_origin(const io_frame *f, int axis);  /* 0 along a missing axis */
int64_t frame_extent(const io_frame *f, int axis); /* points along an axis of the grid */
pav_type frame_kept_type(const io_frame *f);       /* bf16 and f16 are kept as f32 */
/* Appends the coordinates along an axis of the grid, separated by spaces. */
void frame_add_coordinates(text *t, const io_frame *f, int axis);
/* Fills the points of a part (NULL: all) with the values of a file, line by line. axis:
 * the axes, the file's contiguous one first. `next` gives the next LINE_PIECE values at
 * most, or skips any number of them (values NULL). */
enum { LINE_PIECE = 4096 };
typedef pav_status line_values(void *file, double *values, int64_t count);
pav_status lines_read(const view *v, const box *part, const int axis[PAV_MAX_DIMENSIONS],
                      line_values *next, void *file, progress_sink *a);

/* Checks a file's extents, slowest first, against a view; the message explains a
 * difference. */
pav_status shape_check(const char *path, int file_dimensions, const int64_t *file_extent,
                       int dimensions, const view *v);
/* The header of a file of (rows, columns) doubles. Its length does not depend on the
 * numbers, so it can be rewritten. */
void npy_add_table_header(text *t, int64_t rows, int64_t columns);
/* The header of an array in C order, of at most 3 dimensions, slowest first. `type` is a
 * name such as "<f4". `to` has room for NPY_HEADER bytes. Returns the bytes written. */
enum { NPY_HEADER = 256 };
int npy_header_text(char *to, const char *type, int dimensions, const int64_t *extent);

/* ---- pictures ---------------------------------------------------------------------- */

typedef struct rgb {
    uint8_t r, g, b;
} rgb;

/* Finds a colour map by name; NULL if there is none. */
typedef struct colour_map colour_map;
const colour_map *colours_find(const char *name);
/* The colour of `value` in the range from < to. */
rgb colours_at(const colour_map *map, double value, double from, double to);

/* Pixels; row 0 is at the top. Drawing outside is ignored. Positions and sizes of what is
 * drawn are in units of `scale` pixels, so one layout serves all sizes. */
typedef struct canvas {
    int width, height, scale; /* width, height: in pixels */
    uint8_t *pixel;           /* r, g, b */
} canvas;
bool canvas_new(canvas *c, int width, int height, int scale); /* white */
void canvas_free(canvas *c);
void canvas_fill(const canvas *c, int x, int y, int width, int height, rgb colour);
/* A straight line with round ends, `thickness` pixels wide. */
void canvas_line(const canvas *c, const double from[2], const double to[2],
                 double thickness, rgb colour);

/* Text. (x, y) is the upper left corner. canvas_text_upwards draws from bottom to top,
 * and (x, y) is the lower left corner. Only ASCII is drawn; other characters become a
 * box. */
enum {
    FONT_SCALE = 2,
    FONT_ADVANCE = 6 * FONT_SCALE, /* pixels from one character to the next */
    FONT_HEIGHT = 7 * FONT_SCALE,  /* height of capitals and digits */
    FONT_DEPTH = 9 * FONT_SCALE,   /* height including descenders */
};
void canvas_text(const canvas *c, int x, int y, const char *words, rgb colour);
void canvas_text_upwards(const canvas *c, int x, int y, const char *words, rgb colour);
int canvas_text_width(const char *words);
/* Text shrunk if it is wider than `room`; y is its middle. */
void canvas_label(const canvas *c, int x, int y, const char *words, int room, rgb colour);
int canvas_label_width(const char *words, int room);
/* Rows of a character from the top: nine rows of five bits, the leftmost in the highest
 * bit. */
enum { GLYPH_ROWS = 9, GLYPH_COLUMNS = 5 };
const uint8_t *font_glyph(unsigned character); /* ASCII, or the box */

/* Round numbers in from..to with steps of 1, 2 or 5 times a power of ten. */
enum { MAX_TICKS = 32, TICK_TEXT = 48 };
typedef struct ticks {
    int count;
    double value[MAX_TICKS];
    char text[MAX_TICKS][TICK_TEXT];
} ticks;
void ticks_choose(double from, double to, int most, ticks *t);
/* Ticks of a logarithmic axis, 0 < from < to: powers of ten, and 2 and 5 times powers of
 * ten if there is room. */
void ticks_choose_log(double from, double to, int most, ticks *t);

/* The layout of a picture. The plot is the area inside the axes. */
typedef struct plot {
    const picture *picture;
    const colour_map *map;
    /* range of the colours, or of a curve's values; from < to */
    double from, to;
    int left, top, width, height; /* the plot, in pixels */
    ticks levels;                 /* values of contours */
    int zoom[2];                  /* pixels per point */
    ticks ticks[2], bar;
    bool curve;
    bool not_finite; /* some value is not finite; the legend shows its colour */
    canvas canvas;
} plot;
/* Computes the range, colours and pixels of a plot from p->picture (scales.c). */
pav_status plot_scale(plot *p);
/* Draws the picture; the caller frees the canvas (picture.c). */
pav_status picture_draw(const picture *what, canvas *result);
/* Draw the area inside the axes (picture.c, scales.c). */
void curve_draw(const plot *p);
/* Makes a picture one of at most a pixel a point; *owned: its new values, if there are,
 * to free. */
pav_status picture_reduce(picture *p, double **owned);
/* Interpolates linearly between points, in rows of `row`. */
double picture_between(const double *value, int64_t row, const double index[2]);
/* Pixels from the lower left corner of the plot to a coordinate along an axis. */
double plot_position(const plot *p, int axis, double coordinate);

extern const uint8_t png_signature[8];
uint32_t png_crc(const uint8_t *bytes, int64_t length); /* the sum behind a chunk */
/* Writes a PNG file. made: facts of it; kept: bytes of a private chunk; or NULL
 * (png_file.c). */
pav_status png_write_canvas(const char *path, const canvas *c, const io_fact *made,
                            const text *kept);

/* Compresses a picture's bytes, `row` bytes per row, to a zlib stream (png_file.c). Free
 * it with mem_free; NULL if memory runs out. */
uint8_t *deflate_rows(const uint8_t *bytes, int64_t length, int64_t row, int64_t *size);

/* ---- figures: pens ----------------------------------------------------------------- */

/* A figure is laid out and drawn once with a pen. pen.c turns strokes into pixels,
 * pen.c into SVG elements. Both assume characters of width FONT_ADVANCE. */
typedef enum pen_anchor { PEN_START, PEN_MIDDLE, PEN_END } pen_anchor;
typedef struct pen pen;
/* Coordinates: x to the right, y downwards, in pixels. */
typedef struct pen_ops {
    const char *ending; /* ending of its files */
    pav_status (*open)(pen *p, int width, int height);
    void (*fill)(pen *p, double x, double y, double width, double height, rgb colour);
    /* Lines have round ends. */
    void (*line)(pen *p, const double from[2], const double to[2], double thickness,
                 rgb colour);
    /* `at`: the start, middle or end of the words, halfway up their capitals. upwards:
     * the words run from bottom to top. */
    void (*words)(pen *p, const double at[2], pen_anchor anchor, bool upwards,
                  const char *words, rgb colour);
    pav_status (*write)(pen *p, const char *path);
    void (*close)(pen *p);
} pen_ops;
struct pen {
    const pen_ops *ops;
    canvas canvas; /* for pixels */
    text svg;
};
extern const pen_ops canvas_pen, svg_pen;

/* ---- axes (scales.c) --------------------------------------------------------------- */

typedef struct figure_axis {
    bool logarithmic;
    double from, to;  /* values, from < to */
    double low, high; /* pixels of `from` and `to` */
    ticks ticks;
} figure_axis;
/* Extends the range by a value. Values not finite, or without a logarithm on a
 * logarithmic axis, are ignored. */
void axis_take(figure_axis *a, double value);
/* Chooses ticks and adds room beyond the values at both ends, but not below 0 if
 * from_zero. */
void axis_finish(figure_axis *a, int most_ticks, bool from_zero);
bool axis_shows(const figure_axis *a, double value);
double axis_position(const figure_axis *a, double value);

/* ---- kinds of figures -------------------------------------------------------------- */

typedef struct figure_layout {
    const pav_figure *figure;
    pen *pen;
    double left, top, width, height; /* the plot, in pixels */
    double right;                    /* room right of the plot */
    figure_axis axis[2];             /* horizontal, vertical; bars use the first only */
} figure_layout;
/* measure: sets the size of the plot and the room next to it. draw: draws the area inside
 * the axes. sample: draws the legend's sample of a series, 2*FONT_ADVANCE wide; `at` is
 * the middle of its left side. NULL: no legend. */
typedef struct figure_kind {
    void (*measure)(figure_layout *l);
    void (*draw)(const figure_layout *l);
    void (*sample)(const figure_layout *l, int64_t number, const double at[2]);
} figure_kind;
extern const figure_kind bar_kind, line_kind;

enum {
    FIGURE_GAP = 8,
    FIGURE_LABEL = 48, /* characters of a label at most */
    /* room below a plot for ticks, labels, the axis' name */
    FIGURE_BELOW = 2 * FONT_HEIGHT + 40,
};
extern const rgb figure_ink, figure_pale;
/* A label of at most FIGURE_LABEL characters; the middle of a longer label is cut. */
const char *figure_label(const char *words, char shown[FIGURE_LABEL + 1]);
double words_width(const char *words); /* width in pixels; NULL: 0 */
/* Draws the ticks of an axis with lines across the plot, and its name (scales.c). */
void axis_draw_across(const figure_layout *l);
void axis_draw_upwards(const figure_layout *l);
double axis_widest(const figure_axis *a);

/* ---- the formats ------------------------------------------------------------------- */

extern const io_format sgy_format, segy_format; /* for samples only (gather_file.c) */
/* Bytes of the headers of a SEG-Y file, and the numbers of its formats of samples. */
enum {
    SEGY_TEXT = 3200,
    SEGY_BINARY = 400,
    SEGY_HEAD = SEGY_TEXT + SEGY_BINARY,
    SEGY_TRACE = 240, /* of each trace */
    SEGY_IBM = 1,
    SEGY_INT32 = 2,
    SEGY_INT16 = 3,
    SEGY_IEEE = 5,
    SEGY_INT8 = 8,
};
extern const io_format npy_format, npy_zst_format, png_format, csv_format, vti_format,
    vtr_format, pvd_format, h5_format, nc_format, xdmf_format, apng_format;

/* ---- zstd (out_file.c) ------------------------------------------------------------- */

typedef struct zstd_piece {
    void *bytes;
    size_t size, at; /* at: bytes taken or filled so far */
} zstd_piece;
/* The functions used of zstd: symbol, result, member of zstd, arguments. */
#define ZSTD_CALLS(X)                                                                    \
    X(ZSTD_isError, unsigned, is_error, (size_t code))                                   \
    X(ZSTD_getErrorName, const char *, error_name, (size_t code))                        \
    X(ZSTD_createCCtx, void *, packer_new, (void))                                       \
    X(ZSTD_CCtx_setParameter, size_t, packer_set, (void *state, int what, int value))    \
    X(ZSTD_compressStream2, size_t, pack,                                                \
      (void *state, zstd_piece *out, zstd_piece *in, int how))                           \
    X(ZSTD_freeCCtx, size_t, packer_free, (void *state))                                 \
    X(ZSTD_createDCtx, void *, unpacker_new, (void))                                     \
    X(ZSTD_decompressStream, size_t, unpack,                                             \
      (void *state, zstd_piece *out, zstd_piece *in))                                    \
    X(ZSTD_freeDCtx, size_t, unpacker_free, (void *state))

typedef struct zstd {
#define ZSTD_MEMBER(symbol, result, member, arguments) result(*member) arguments;
    ZSTD_CALLS(ZSTD_MEMBER)
#undef ZSTD_MEMBER
} zstd;
const zstd *zstd_open(void); /* NULL if zstd is missing */

/* ---- HDF5 (hdf5_file.c) ------------------------------------------------------------ */

/* One entry of the library's error stack. */
typedef struct hdf5_error {
    int64_t class, major, minor;
    unsigned line;
    const char *function, *file, *description;
} hdf5_error;
/* The functions used of HDF5: symbol, result, member of hdf5, arguments. file_handle
 * gives the file descriptor, data_offset the place of the values in the file. */
#define HDF5_CALLS(X)                                                                    \
    X(H5open, int, start, (void))                                                        \
    X(H5get_libversion, int, version,                                                    \
      (unsigned *major, unsigned *minor, unsigned *release))                             \
    X(H5Eget_auto2, int, printer_get, (int64_t stack, void *call, void **user))          \
    X(H5Eset_auto2, int, printer_set, (int64_t stack, void *call, void *user))           \
    X(H5Ewalk2, int, errors_visit,                                                       \
      (int64_t stack, int direction,                                                     \
       int (*each)(unsigned n, const hdf5_error *e, void *user), void *user))            \
    X(H5Fcreate, int64_t, file_create,                                                   \
      (const char *path, unsigned flags, int64_t, int64_t))                              \
    X(H5Fopen, int64_t, file_open, (const char *path, unsigned flags, int64_t))          \
    X(H5Fflush, int, file_flush, (int64_t file, int scope))                              \
    X(H5Fget_vfd_handle, int, file_handle, (int64_t file, int64_t, void **handle))       \
    X(H5Fclose, int, file_close, (int64_t file))                                         \
    X(H5Screate_simple, int64_t, space_create,                                           \
      (int dimensions, const uint64_t *extent, const uint64_t *most))                    \
    X(H5Sget_simple_extent_ndims, int, space_dimensions, (int64_t space))                \
    X(H5Sget_simple_extent_dims, int, space_extent,                                      \
      (int64_t space, uint64_t * extent, uint64_t * most))                               \
    X(H5Sselect_hyperslab, int, space_select,                                            \
      (int64_t space, int how, const uint64_t *from, const uint64_t *stride,             \
       const uint64_t *count, const uint64_t *block))                                    \
    X(H5Sclose, int, space_close, (int64_t space))                                       \
    X(H5Pcreate, int64_t, list_create, (int64_t class))                                  \
    X(H5Pset_obj_track_times, int, list_track_times, (int64_t list, bool track))         \
    X(H5Pset_alloc_time, int, list_alloc_time, (int64_t list, int when))                 \
    X(H5Pset_fill_time, int, list_fill_time, (int64_t list, int when))                   \
    X(H5Pclose, int, list_close, (int64_t list))                                         \
    X(H5Dcreate2, int64_t, data_create,                                                  \
      (int64_t file, const char *name, int64_t type, int64_t space, int64_t,             \
       int64_t list, int64_t))                                                           \
    X(H5Dget_offset, uint64_t, data_offset, (int64_t data))                              \
    X(H5Dopen2, int64_t, data_open, (int64_t file, const char *name, int64_t))           \
    X(H5Dget_space, int64_t, data_space, (int64_t data))                                 \
    X(H5Dget_type, int64_t, data_type, (int64_t data))                                   \
    X(H5Dwrite, int, data_write,                                                         \
      (int64_t data, int64_t type, int64_t memory, int64_t space, int64_t,               \
       const void *values))                                                              \
    X(H5Dread, int, data_read,                                                           \
      (int64_t data, int64_t type, int64_t memory, int64_t space, int64_t,               \
       void *values))                                                                    \
    X(H5Dclose, int, data_close, (int64_t data))                                         \
    X(H5Tget_class, int, type_class, (int64_t type))                                     \
    X(H5Tclose, int, type_close, (int64_t type))                                         \
    X(H5Tcopy, int64_t, type_copy, (int64_t type))                                       \
    X(H5Tset_size, int, type_set_size, (int64_t type, size_t size))                      \
    X(H5Acreate2, int64_t, note_create,                                                  \
      (int64_t data, const char *name, int64_t type, int64_t space, int64_t, int64_t))   \
    X(H5Awrite, int, note_write, (int64_t note, int64_t type, const void *values))       \
    X(H5Aclose, int, note_close, (int64_t note))
/* HDF5's second library, for the dimension scales of NetCDF files. note_text and
 * note_int add an attribute to an object. scale_set makes a dataset a scale;
 * scale_attach makes a scale dimension `d` of a dataset. */
#define HDF5_SCALE_CALLS(X)                                                              \
    X(H5LTset_attribute_string, int, note_text,                                          \
      (int64_t file, const char *object, const char *name, const char *text))            \
    X(H5LTset_attribute_int, int, note_int,                                              \
      (int64_t file, const char *object, const char *name, const int *values,            \
       size_t count))                                                                    \
    X(H5DSset_scale, int, scale_set, (int64_t data, const char *name))                   \
    X(H5DSattach_scale, int, scale_attach, (int64_t data, int64_t scale, unsigned d))

typedef struct hdf5 {
#define HDF5_MEMBER(symbol, result, member, arguments) result(*member) arguments;
    HDF5_CALLS(HDF5_MEMBER)
    HDF5_SCALE_CALLS(HDF5_MEMBER)
#undef HDF5_MEMBER
    int64_t type_f32, type_f64, type_u8, type_string, class_data_create;
} hdf5;
bool path_is_h5(const char *path); /* "model.h5:/vp", or a path meant like this */
/* Like npy_read_table. */
pav_status h5_read_table(const char *path, int columns, int64_t row_limit,
                         double **values, int64_t *rows);
pav_status h5_read_view(const char *path, int dimensions, const view *v,
                        progress_sink *a);

#endif
