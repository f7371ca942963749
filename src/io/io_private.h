/* SPDX-License-Identifier: BSD-3-Clause */
/* What the files of io share among themselves. */
#ifndef IO_IO_PRIVATE_H
#define IO_IO_PRIVATE_H

#include <stdio.h>

#include "io/io.h"

/* ---- files being written (out_file.c) ---------------------------------------------- */

typedef struct out_file {
    const char *shown; /* the path as the caller wrote it, for messages */
    char *path, *temporary;
    FILE *file;
    int64_t written, whole; /* bytes; what it will have, 0: unknown */
    struct packer *packer;
} out_file;
/* Appends the name of a file that is not whole yet, of this process alone
 * (out_leftovers.c). */
void out_temporary_name(text *name);
pav_status out_open(out_file *o, const char *path);
/* Whether out_open would go well; leaves nothing. */
pav_status out_try(const char *path);
pav_status out_write(out_file *o, const void *bytes, int64_t length);
/* From here on what is written is packed by zstd (out_packed.c). A frame that takes
 * `plain` as it is takes packed_need at most. The others are for out_file.c. */
pav_status out_pack(out_file *o);
frame_need packed_need(frame_need plain);
void io_alive(void); /* who waits for this thread hears it (io_watch) */
pav_status out_write_plain(out_file *o, const void *bytes, int64_t length);
pav_status out_write_packed(out_file *o, const void *bytes, int64_t length);
pav_status out_end_packed(out_file *o, pav_status status);
/* Renames the file to its real name when `status`, that of writing it, is PAV_OK, and
 * removes it otherwise. Gives back the status of it all: return out_close(&o,
 * write_all(&o)). */
pav_status out_close(out_file *o, pav_status status);
/* Files that grow have their name from the beginning: after out_publish, out_append
 * writes a piece whole or not at all, or, of one that has parts, those that fit: `whole`
 * says how many of so many bytes are whole parts. out_rewrite puts other bytes in the
 * place of the first. */
pav_status out_publish(out_file *o);
pav_status out_append(out_file *o, const void *bytes, int64_t length,
                      int64_t (*whole)(void *user, int64_t bytes), void *user);
pav_status out_rewrite(out_file *o, const void *bytes, int64_t length);
/* A file of that kind again, of at least `bytes`; o->file is NULL where there is no such
 * file. out_cut leaves no more than those bytes. */
pav_status out_resume(out_file *o, const char *path, int64_t bytes);
pav_status out_cut(out_file *o);
/* What was written is on the disk afterwards. */
pav_status out_sync(out_file *o);

/* Room for a file of so many bytes, before they are written; where the file system cannot
 * say, they are tried. */
pav_status out_reserve(out_file *o, int64_t bytes);
/* Writes over what stands at `at`, after out_publish. */
pav_status out_put(out_file *o, const void *bytes, int64_t length, int64_t at);

/* Of a number in a file for people, with what stands behind it. */
enum { MOST_DIGITS = 25 };

/* ---- files being read (in_file.c) -------------------------------------------------- */

typedef struct in_file {
    const char *path;
    FILE *file;
    struct unpacker *unpacker; /* of .zst files */
} in_file;
pav_status in_open(in_file *f, const char *path);
/* As much of `length` bytes as there is. */
pav_status in_read(in_file *f, char *bytes, int64_t length, int64_t *got);
pav_status in_skip(in_file *f, int64_t bytes);        /* not of one that is unpacked */
pav_status in_size(const in_file *f, int64_t *bytes); /* -1: only reading says */
void in_close(in_file *f);

/* ---- series (series.c) ------------------------------------------------------------- */

struct series {
    const io_format *format;
    char *path;
    series_style style;
    text entries; /* of an index, so far */
    text recent;  /* paths written since series_sync, each NUL-terminated */
    struct film *film;
};
/* "out/heat.npy" at step 100 is "out/heat-000100.npy"; step < 0: the name as it is;
 * ending NULL: its own. */
void path_of_step(const char *path, const char *ending, int64_t step, text *t);
void series_name_at(const series *s, int64_t step, text *path); /* of what is written */
/* A file that series_sync is to sync (series_sync.c). */
pav_status series_note(series *s, const char *path);
/* What an index is made of (index.c). */
struct index_kind {
    const char *marker, *end; /* of its file: begins each entry; stands behind the last */
    void (*head)(text *t, const io_frame *f);
    void (*entry)(text *t, const io_frame *f, const char *name);
    pav_status (*piece)(const char *path, const io_frame *f);
};
/* Of an animation, without its end (apng.c). */
int64_t film_bytes(const struct film *m);
pav_status index_write(series *s, const char *path, const io_frame *f);
/* The file of a step that is listed; which is there now. */
void index_piece(const series *s, int64_t step, text *path);
pav_status index_add(series *s, const io_frame *f, const char *piece);
pav_status index_resume(series *s, series_past *past, text *said);

/* The frame as a picture, to be freed with frame_picture_free (frame_picture.c). */
typedef struct frame_picture {
    picture picture;
    double *value;
    char title[PICTURE_TITLE + 1];
} frame_picture;
pav_status frame_picture_make(const series_style *style, const io_frame *f,
                              frame_picture *p);
frame_need frame_picture_need(const io_frame *f);

/* ---- npy --------------------------------------------------------------------------- */

/* Which points of a line along an axis, through `from`, are of a part: of none 0 to 0. */
typedef struct span_of_line {
    int64_t lo, hi;
} span_of_line;
span_of_line span_in_part(const view *v, const box *part, int axis, const int64_t *from);
double frame_origin(const io_frame *f, int axis); /* 0 along an axis that is not there */
/* Points of a line from `from` on along an axis get values that a file goes on with,
 * LINE_PIECE at most at a time. */
enum { LINE_PIECE = 4096 };
typedef pav_status line_values(void *file, double *values, int64_t count);
pav_status line_fill(const view *v, int axis, const int64_t *from, const span_of_line *of,
                     line_values *next, void *file, progress_sink *a);

/* Whether a file's values, extents slowest first, are those of a view; the sentence that
 * says why not. */
pav_status shape_check(const char *path, int file_dimensions, const int64_t *file_extent,
                       int dimensions, const view *v);
pav_status npy_read_part(const char *path, int dimensions, const view *v, const box *part,
                         progress_sink *a);
/* The first bytes of a file of (rows, columns) doubles: as many, however large the
 * numbers. */
void npy_add_table_header(text *t, int64_t rows, int64_t columns);

/* ---- csv (csv.c) ------------------------------------------------------------------- */

void csv_add_heads(text *t, const char *const *heads, int64_t columns);
void csv_add_row(text *t, const double *values, int64_t columns);

/* ---- pictures ---------------------------------------------------------------------- */

typedef struct rgb {
    uint8_t r, g, b;
} rgb;

/* A colour map, by name; NULL when there is none. */
typedef struct colour_map colour_map;
const colour_map *colours_find(const char *name);
/* Colour of `value` in from..to, from < to. */
rgb colours_at(const colour_map *map, double value, double from, double to);
rgb colours_not_finite(const colour_map *map);

/* Pixels; row 0 is at the top. Whatever lies outside is not drawn. */
typedef struct canvas {
    int width, height;
    uint8_t *pixel; /* r, g, b */
} canvas;
bool canvas_new(canvas *c, int width, int height); /* white */
void canvas_free(canvas *c);
void canvas_fill(const canvas *c, int x, int y, int width, int height, rgb colour);
void canvas_frame(const canvas *c, int x, int y, int width, int height, rgb colour);
/* A straight line with round ends, `thickness` pixels wide. */
void canvas_line(const canvas *c, const double from[2], const double to[2],
                 double thickness, rgb colour);

/* Text. (x, y) is the upper left corner; upwards: the lower left one, and the text is
 * read with the head tilted left. Only ASCII is drawn; other characters become a box. */
enum {
    FONT_SCALE = 2,
    FONT_ADVANCE = 6 * FONT_SCALE, /* pixels from one character to the next */
    FONT_HEIGHT = 7 * FONT_SCALE,  /* of capitals and digits */
    FONT_DEPTH = 9 * FONT_SCALE,   /* with what hangs below the line */
};
void canvas_text(const canvas *c, int x, int y, const char *words, rgb colour);
void canvas_text_upwards(const canvas *c, int x, int y, const char *words, rgb colour);
int canvas_text_width(const char *words);
/* Letters of half the size where the text would be wider than `room`; y is its middle. */
void canvas_label(const canvas *c, int x, int y, const char *words, int room, rgb colour);
int canvas_label_width(const char *words, int room);
/* Rows of a character from the top, nine of five bits each, leftmost highest. */
enum { GLYPH_ROWS = 9, GLYPH_COLUMNS = 5 };
const uint8_t *font_glyph(unsigned character); /* ASCII, or the box */

/* Round numbers in from..to, steps of 1, 2 or 5 times a power of ten. */
enum { MAX_TICKS = 32, TICK_TEXT = 48 };
typedef struct ticks {
    int count;
    double value[MAX_TICKS];
    char text[MAX_TICKS][TICK_TEXT];
} ticks;
void ticks_choose(double from, double to, int most, ticks *t);
/* Of a logarithmic axis, 0 < from < to: powers of ten, with 2 and 5 times these where
 * there is room. */
void ticks_choose_log(double from, double to, int most, ticks *t);

/* A picture being laid out: the plot is what lies within the axes. */
typedef struct plot {
    const picture *picture;
    const colour_map *map;
    double from, to;              /* of the colours, or of a curve's values; from < to */
    int left, top, width, height; /* of the plot, in pixels */
    int64_t block[2];             /* points that share a pixel, along each axis */
    int zoom[2];                  /* pixels of such a block */
    ticks ticks[2], bar;
    bool curve;
    bool not_finite; /* some value is not: the legend says so */
    canvas canvas;
} plot;
/* The range, colours and pixels of a plot whose picture is set (scales.c). */
pav_status plot_scale(plot *p);
/* Draws the picture; the canvas is freed by the caller (picture.c). */
pav_status picture_draw(const picture *what, canvas *result);
/* What lies within the axes (cells.c, curve.c). */
void cells_draw(const plot *p);
void curve_draw(const plot *p);
/* The mean of a block of points, NaN when one is not finite; column and row count
 * blocks. */
double block_mean(const plot *p, int64_t column, int64_t row);
/* Pixels from the lower left corner of the plot to a coordinate along an axis. */
double plot_position(const plot *p, int axis, double coordinate);

/* Parts of PNG files (png_file.c): signature and size, a chunk, and the pixels as a
 * stream to be freed with mem_free, NULL when memory runs out. */
extern const uint8_t png_signature[8];
void png_add_header(text *t, const canvas *c);
void png_add_chunk(text *t, const char *type, const uint8_t *bytes, int64_t length);
uint8_t *png_pixels(const canvas *c, int64_t *size);
void png_put_32(uint8_t *to, uint32_t value); /* the highest byte first */
pav_status png_write_canvas(const char *path, const canvas *c);

/* A zlib stream of a picture's bytes, `row` of them a row; to be freed with mem_free,
 * NULL when memory runs out (deflate.c). */
uint8_t *deflate_rows(const uint8_t *bytes, int64_t length, int64_t row, int64_t *size);

/* ---- figures: pens ----------------------------------------------------------------- */

/* A figure is laid out and drawn once, with a pen: pen_canvas.c makes pixels of its
 * strokes and pen_svg.c elements. Both take a character to be FONT_ADVANCE wide. */
typedef enum pen_anchor { PEN_START, PEN_MIDDLE, PEN_END } pen_anchor;
typedef struct pen pen;
/* x to the right, y downwards, in pixels. */
typedef struct pen_ops {
    const char *ending; /* of files that it makes */
    pav_status (*open)(pen *p, int width, int height);
    void (*fill)(pen *p, double x, double y, double width, double height, rgb colour);
    /* With round ends. */
    void (*line)(pen *p, const double from[2], const double to[2], double thickness,
                 rgb colour);
    /* `at` is the start, middle or end of the words, halfway up their capitals; upwards:
     * they are read with the head tilted left. */
    void (*words)(pen *p, const double at[2], pen_anchor anchor, bool upwards,
                  const char *words, rgb colour);
    pav_status (*write)(pen *p, const char *path);
    void (*close)(pen *p);
} pen_ops;
struct pen {
    const pen_ops *ops;
    canvas canvas; /* of pixels */
    text svg;
};
extern const pen_ops canvas_pen, svg_pen;

/* ---- axes (figure_axis.c) ---------------------------------------------------------- */

typedef struct figure_axis {
    bool logarithmic;
    double from, to;  /* values, from < to */
    double low, high; /* the pixels of these */
    ticks ticks;
} figure_axis;
/* Takes a value into the range; what is not finite, or has no logarithm, is left out. */
void axis_take(figure_axis *a, double value);
void axis_begin(figure_axis *a, bool logarithmic);
/* Chooses ticks, and some room beyond the values: at both ends, or not below 0. */
void axis_finish(figure_axis *a, int most_ticks, bool from_zero);
bool axis_shows(const figure_axis *a, double value);
double axis_position(const figure_axis *a, double value);

/* ---- kinds of figures -------------------------------------------------------------- */

typedef struct figure_layout {
    const pav_figure *figure;
    pen *pen;
    double left, top, width, height; /* of the plot */
    double right;                    /* room next to it */
    figure_axis axis[2];             /* horizontal, vertical; of bars the first */
} figure_layout;
/* Each: the size of the plot and the room next to it; then what is within the axes; and
 * the sample that stands for a series in the legend, 2*FONT_ADVANCE wide, whose middle on
 * the left is `at` (NULL: there is no legend). */
typedef struct figure_kind {
    void (*measure)(figure_layout *l);
    void (*draw)(const figure_layout *l);
    void (*sample)(const figure_layout *l, int64_t number, const double at[2]);
} figure_kind;
extern const figure_kind bar_kind, line_kind;

enum {
    FIGURE_GAP = 8,
    FIGURE_LABEL = 48,                   /* characters of a label at most */
    FIGURE_BELOW = 2 * FONT_HEIGHT + 40, /* a plot: ticks, labels, the axis' name */
};
extern const rgb figure_ink, figure_pale;
rgb figure_colour(int64_t number); /* distinguished by the colour-blind too */
/* A label of at most FIGURE_LABEL characters: what is longer loses its middle. */
const char *figure_label(const char *words, char shown[FIGURE_LABEL + 1]);
void figure_place_axes(figure_layout *l); /* around its plot */
double words_width(const char *words);    /* NULL: 0 */
/* The ticks of an axis with lines across the plot, and its name (figure_axis.c). */
void axis_draw_across(const figure_layout *l);
void axis_draw_upwards(const figure_layout *l);
double axis_widest(const figure_axis *a);
/* Of a series: x of a value, and its line in the colour of that number
 * (figure_lines.c). */
double line_x(const pav_figure_series *s, int64_t n);
void line_draw(const figure_layout *l, const pav_figure_series *s, int64_t number);

/* ---- the formats ------------------------------------------------------------------- */

extern const io_format sgy_format, segy_format; /* of samples alone (gather_file.c) */
extern const io_format npy_format, npy_zst_format, png_format, csv_format, vti_format,
    vtr_format, pvd_format, h5_format, xdmf_format, apng_format;

/* ---- zstd (zstd_library.c) --------------------------------------------------------- */

typedef struct zstd_piece {
    void *bytes;
    size_t size, at; /* taken or filled so far */
} zstd_piece;
/* What is used of the library, in the order of the table in zstd_library.c. */
typedef struct zstd {
    unsigned (*is_error)(size_t code);
    const char *(*error_name)(size_t code);
    void *(*packer_new)(void);
    size_t (*packer_set)(void *state, int what, int value);
    size_t (*pack)(void *state, zstd_piece *out, zstd_piece *in, int how);
    size_t (*packer_free)(void *state);
    void *(*unpacker_new)(void);
    size_t (*unpack)(void *state, zstd_piece *out, zstd_piece *in);
    size_t (*unpacker_free)(void *state);
} zstd;
const zstd *zstd_open(void); /* NULL where zstd_missing */

/* ---- HDF5 (hdf5_library.c, hdf5_file.c) -------------------------------------------- */

/* One entry of the library's list of what went wrong. */
typedef struct hdf5_error {
    int64_t class, major, minor;
    unsigned line;
    const char *function, *file, *description;
} hdf5_error;
/* What is used of the library, in the order of the table in hdf5_library.c. */
typedef struct hdf5 {
    int (*start)(void);
    int (*version)(unsigned *major, unsigned *minor, unsigned *release);
    int (*printer_get)(int64_t stack, void *call, void **user);
    int (*printer_set)(int64_t stack, void *call, void *user);
    int (*errors_visit)(int64_t stack, int direction,
                        int (*each)(unsigned n, const hdf5_error *e, void *user),
                        void *user);
    int64_t (*file_create)(const char *path, unsigned flags, int64_t, int64_t);
    int64_t (*file_open)(const char *path, unsigned flags, int64_t);
    int (*file_flush)(int64_t file, int scope);
    int (*file_handle)(int64_t file, int64_t, void **handle); /* its descriptor */
    int (*file_close)(int64_t file);
    int64_t (*space_create)(int dimensions, const uint64_t *extent, const uint64_t *most);
    int (*space_dimensions)(int64_t space);
    int (*space_extent)(int64_t space, uint64_t *extent, uint64_t *most);
    int (*space_select)(int64_t space, int how, const uint64_t *from,
                        const uint64_t *stride, const uint64_t *count,
                        const uint64_t *block);
    int (*space_close)(int64_t space);
    int64_t (*list_create)(int64_t class);
    int (*list_track_times)(int64_t list, bool track);
    int (*list_alloc_time)(int64_t list, int when);
    int (*list_fill_time)(int64_t list, int when);
    int (*list_close)(int64_t list);
    int64_t (*data_create)(int64_t file, const char *name, int64_t type, int64_t space,
                           int64_t, int64_t list, int64_t);
    uint64_t (*data_offset)(int64_t data); /* in the file */
    int64_t (*data_open)(int64_t file, const char *name, int64_t);
    int64_t (*data_space)(int64_t data);
    int64_t (*data_type)(int64_t data);
    int (*data_write)(int64_t data, int64_t type, int64_t memory, int64_t space, int64_t,
                      const void *values);
    int (*data_read)(int64_t data, int64_t type, int64_t memory, int64_t space, int64_t,
                     void *values);
    int (*data_close)(int64_t data);
    int (*type_class)(int64_t type);
    int (*type_close)(int64_t type);
    int64_t (*note_create)(int64_t data, const char *name, int64_t type, int64_t space,
                           int64_t, int64_t);
    int (*note_write)(int64_t note, int64_t type, const void *values);
    int (*note_close)(int64_t note);
    int64_t type_f32, type_f64, type_u8, class_data_create;
} hdf5;
/* PAV_EUNSUPPORTED where there is no library. Between these two no other thread is in
 * it. */
pav_status hdf5_enter(const char *path, const hdf5 **result);
void hdf5_leave(void);
/* "heat.h5 cannot be written: ...": why, as the library has it. */
pav_status hdf5_failed(const char *path, const char *what);
pav_status h5_begin(out_file *o, const io_frame *f, pav_type *type, int64_t *first);
pav_status h5_write(const char *path, const io_frame *f);
/* Parts of rows, or some rows of a plane, of at most H5_PIECE values: the first one, and
 * the one behind b; false: no more. And selects it in a dataset: the space of its values
 * in memory, or less than 0. */
enum { H5_PIECE = READ_PIECE / (int)sizeof(double) };
bool h5_next_piece(const int64_t *extent, box *b);
int64_t h5_select_piece(const hdf5 *h, int64_t space, int dimensions, const box *b);
bool path_is_h5(const char *path); /* "model.h5:/vp", or one that is to be such */
/* As npy_read_table. */
pav_status h5_read_table(const char *path, int columns, int64_t row_limit,
                         double **values, int64_t *rows);
pav_status h5_read_view(const char *path, int dimensions, const view *v,
                        progress_sink *a);

#endif
