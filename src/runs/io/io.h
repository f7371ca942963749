/* SPDX-License-Identifier: BSD-3-Clause */
/* Reading and writing files. Each format is one file here and one line in the table of
 * io.c. Every file is written under a temporary name next to the target and renamed at
 * the end, so no reader ever sees half a file. */
#ifndef IO_IO_H
#define IO_IO_H

#include "base/base.h"
#include "device/device.h"
#include "domain/domain.h"
#include "npy/npy.h"

/* Reads the header and checks the size of the file if it is known: a truncated or too
 * long file is rejected. */
pav_status npy_read_header(const char *path, npy_header *header);
/* Reads a file into a view of the same extents. Indices are (z, y, x), whichever axis the
 * file keeps contiguous. The file is read piece by piece, so no memory of its size is
 * needed. Files named .npy.zst are unpacked to their end and their checksum is verified.
 * A mask (u8) accepts any dtype; non-zero becomes 1. */
pav_status npy_read_view(const char *path, int dimensions, const view *v,
                         progress_sink *a);
/* Reads the grey levels of a PNG file, 0 to 1; of a mask (u8) whatever is not black is 1.
 * The first row is the last one of the view, or (down) the first one. */
pav_status png_read_view(const char *path, int dimensions, bool down, const view *v,
                         progress_sink *a);
/* Reads a (rows, columns) array of doubles in either order, for example positions. A
 * single column may have the shape (rows). Free *values, stored row by row, with
 * mem_free. */
pav_status npy_read_table(const char *path, int columns, int64_t row_limit,
                          double **values, int64_t *rows);

/* ---- seismic files ----------------------------------------------------------------- */

/* SEG-Y, revisions 0 and 1, all traces of one length. */
typedef struct segy_header {
    int64_t traces, samples; /* samples: per trace */
    int format, bytes;       /* bytes: per sample */
    double interval;         /* seconds; 0 if the file does not say */
    int64_t first;           /* offset of the first trace in the file */
} segy_header;
/* The header of a trace. Positions are x, y and depth, scaled. */
typedef struct segy_trace {
    int64_t samples; /* from the trace's header; 0 if not set */
    double source[3], receiver[3];
} segy_trace;
bool path_is_segy(const char *path);
/* Parses the header. `head`: the first 3840 bytes of a file of file_bytes. Any bytes are
 * safe. */
pav_status segy_parse_header(const char *head, int64_t length, int64_t file_bytes,
                             segy_header *h);
pav_status segy_read_header(const char *path, segy_header *h);
/* Called for each trace; values are h->samples doubles. */
typedef pav_status segy_visit(void *user, int64_t number, const segy_trace *trace,
                              const double *values);
pav_status segy_each(const char *path, segy_visit *visit, void *user);
pav_status segy_read_view(const char *path, int dimensions, const view *v,
                          progress_sink *a);
/* Reads positions from a .npy, .csv or .h5 file, or the sources or receivers of all
 * traces of a SEG-Y file. Each row has one coordinate per letter ("xz"). Free *rows with
 * mem_free. */
pav_status positions_read(const char *path, const char *letters, bool sources,
                          int64_t most, double **rows, int64_t *count);

/* Traces of a .npy file of shape (n) or (n, traces), or of a SEG-Y file. All values are
 * finite. */
typedef struct trace_table {
    int64_t rows, columns; /* samples, traces */
    double *value;         /* row by row */
    double interval;       /* seconds; 0 if the file does not say */
} trace_table;
pav_status traces_read(const char *path, trace_table *t);
void traces_free(trace_table *t);

/* How a file was made: version, machine and so on. A list ends with a name NULL. */
typedef struct io_fact {
    const char *name, *value;
} io_fact;

/* How the files of a run were made. */
typedef struct io_origin {
    text machine, compiler, settings; /* settings: a JSON object */
    char date[16];
    io_fact made[6];      /* these and the version */
    const io_fact *stamp; /* for the files: `made`, or NULL */
} io_origin;
/* Fills the origin, whose settings are known, and may not be moved then. d NULL: of no
 * device. */
pav_status origin_note(io_origin *o, const pav_device *d, bool no_stamp);
void origin_free(io_origin *o);

/* A gather: all rows of a sample, written to one file, .png or .sgy, when complete
 * (gather_file.c). Data pointed to by the info must live until the gather is closed. */
typedef struct gather_info {
    int64_t columns; /* values per row */
    /* number of expressions; a row holds their values one after another */
    int parts;
    int dimensions;
    const char *letters;         /* letters of the axes */
    const double *position;      /* position of every column */
    const double *source;        /* or NULL */
    double interval;             /* time between rows */
    const char *title, *colours; /* colours: or NULL */
    bool ranged;
    double range[2];
    const io_fact *made; /* or NULL */
} gather_info;
typedef struct trace_gather trace_gather;
bool gather_is(const char *path);
/* rows: expected number of rows; 0 if unknown. */
pav_status gather_open(const char *path, const gather_info *info, int64_t rows,
                       trace_gather **result);
pav_status gather_add(trace_gather *g, const double *row, double time);
pav_status gather_write(const trace_gather *g);
const char *gather_path(const trace_gather *g);
void gather_close(trace_gather *g);

/* A raw file: values without a header. */
typedef struct raw_layout {
    pav_type type;
    bool swapped;                 /* true if the byte order is not this machine's */
    int axis[PAV_MAX_DIMENSIONS]; /* axes of the file, the contiguous one first */
} raw_layout;
pav_status raw_read_view(const char *path, const raw_layout *l, int dimensions,
                         const view *v, const box *part, progress_sink *a);

/* ---- frames, tables and series ----------------------------------------------------- */

/* Positions of a frame's points along an axis of the grid. Frame point i is grid point
 * first + i*every. Grid point p has the coordinate origin + p*span/over, rounded once, or
 * at[p]. */
typedef struct frame_axis {
    const double *at; /* coordinates of a stretched axis; or NULL */
    num origin, span, over;
    int64_t first, every;
    char letter; /* name of the axis; 0: x, y or z by its number */
    bool down;   /* pictures show this axis downwards */
} frame_axis;
/* The points of a field shown by an output at one step: all points, a plane, a crop, or
 * every n-th point. The points are not copied (io.c). */
typedef struct io_frame {
    const char *name; /* name of the field */
    int64_t step;
    double time;
    bool timed; /* a step has a length, dt; without one `time` is the step */
    int grid_dimensions, dimensions; /* dimensions of the grid; of the frame */
    /* the grid axis of each frame axis, x before y before z */
    int axis[PAV_MAX_DIMENSIONS];
    int64_t extent[PAV_MAX_DIMENSIONS],
        /* in elements; unused axes: extent 1, stride 0 */
        stride[PAV_MAX_DIMENSIONS];
    frame_axis scale[PAV_MAX_DIMENSIONS]; /* for all axes of the grid */
    pav_type type;
    const void *data;
    const struct io_frame *more; /* the next field of the same file; or NULL */
    int64_t size;                /* of a picture: pixels for one; 0: 1 */
    const char *vector;          /* of the first one: the fields are its parts; or NULL */
    const io_fact *made;         /* for the head of the file; or NULL */
} io_frame;
/* A frame of a whole view: its coordinates are the indices, and it has no name. */
io_frame frame_of_view(const view *v, int dimensions);
int64_t frame_count(const io_frame *f);
/* frame_coordinate: coordinate of point `index` along an axis of the grid. frame_spacing:
 * distance between two points; 1 along an axis missing from the grid. */
double frame_coordinate(const io_frame *f, int axis, int64_t index);
double frame_spacing(const io_frame *f, int axis);
bool frame_stretched(const io_frame *f); /* true if spacings along an axis differ */
/* Reads `count` points of row (j, k), starting at `from`, each converted with one
 * rounding. */
void frame_read(const io_frame *f, int64_t from, int64_t j, int64_t k, int64_t count,
                pav_type type, void *values);
/* frame_copy makes a copy of all fields with their own points in memory from mem_big:
 * frame_bytes bytes. frame_free frees it, also after a failure. */
int64_t frame_bytes(const io_frame *f); /* 0 for NULL */
pav_status frame_copy(const io_frame *f, io_frame *copy);
void frame_free(io_frame *copy);

/* An upper bound of the memory (besides the points) and disk space for writing a frame,
 * by the ending of the path. Zeros if unknown. */
typedef struct frame_need {
    int64_t memory, file;
    bool exact; /* `file` is exact to a few KiB */
} frame_need;
frame_need frame_need_of(const char *path, const io_frame *f);
/* The largest size of a table's row in its file. */
int64_t table_row_bytes(const char *path, int64_t columns);

/* C order; bf16 becomes f4, u8 becomes u1. */
pav_status npy_write_view(const char *path, int dimensions, const view *v);
/* Writes a (rows, columns) array of doubles. */
pav_status npy_write_table(const char *path, const double *values, int64_t rows,
                           int64_t columns);

/* A series: the files of one output during a run (series.c). By the ending of its path it
 * is one file per step, files per step with an index, or one growing file. If the run is
 * killed, everything written so far is intact. */
typedef struct picture_style {
    const char *colours;  /* colour map; or NULL */
    int64_t size;         /* pixels for one; 0: 1 */
    int64_t contours;     /* number of contours */
    const double *levels; /* their values; NULL: round numbers, so many at most */
    bool streamlines;     /* of the vectors, in place of arrows */
} picture_style;
typedef struct series_style {
    bool numbered; /* files are named after the steps: u-000100.npy */
    picture_style picture;
    const char *label; /* of pictures, in place of the field's name; or NULL */
    bool ranged;
    double range[2];     /* range of the colours, if ranged */
    bool over_frames;    /* without it: one range for all pictures */
    int64_t every;       /* steps between frames; 0: only one frame */
    const io_fact *made; /* for pictures; or NULL */
} series_style;
typedef struct series series;
/* Removes the unfinished files in the directory left by killed runs of this system since
 * its last boot. */
pav_status io_remove_leftovers(const char *directory);
pav_status series_open(const char *path, const series_style *style, series **result);
/* Checks that the first file can be opened; leaves no file. */
pav_status series_try(const series *s);
/* Adds a frame. `path` receives the path of the written file; its length is 0 for later
 * frames in the same file. */
pav_status series_add(series *s, const io_frame *f, text *path);
/* Gives all pictures the range of all their values, if the series has one. Called once,
 * after the last frame. */
pav_status series_settle(series *s);
/* Makes sure all added files and their names are on the disk. */
pav_status series_sync(series *s);
/* Of a growing file: a number that tells it from others. 0 for other series. */
int64_t series_bytes(const series *s);
/* Called before the first frame of a resumed run: keeps the frames of the earlier run
 * before `step`. `frames`: number of frames the earlier run wrote, 0 if it had no such
 * output; on return the number still present. `said` receives a message if some are
 * missing. */
typedef struct series_past {
    io_frame frame; /* the frame's description, without points */
    int64_t step, frames;
    int64_t bytes;    /* series_bytes at that time */
    double step_time; /* time of one step; 0: steps differ */
} series_past;
pav_status series_resume(series *s, series_past *past, text *said);
void series_close(series *s);

/* Sets a function called regularly during writing by the calling thread, so others
 * waiting for the thread know it is alive. NULL: none. */
void io_watch(void (*alive)(void *user), void *user);

/* A frame written by several processes (shared_file.c). The first process begins the file
 * and sends its place to the others; they open it. Each puts its own points as a part;
 * `at` is the part's first point in the frame. When all are done, the first process ends
 * the file. f: the whole frame. Close *result whatever the status. */
typedef struct shared_file shared_file;
bool path_is_shared(const char *path); /* true if files of this format can be shared */
pav_status shared_begin(series *of, const io_frame *f, shared_file **result);
/* The place of the file, sent by the first process to the others. */
enum { SHARED_PATH = 4096 };
typedef struct shared_place {
    char name[SHARED_PATH]; /* temporary name; "" if there is none */
    pav_type type;          /* type of the values */
    int64_t first;          /* offset of the values */
} shared_place;
void shared_where(const shared_file *f, shared_place *where);
pav_status shared_open(const shared_place *where, const io_frame *f,
                       shared_file **result);
pav_status shared_put(shared_file *f, const io_frame *part,
                      const int64_t at[PAV_MAX_DIMENSIONS]);
pav_status shared_end(series *s, shared_file *f, const io_frame *frame, text *path);
void shared_close(shared_file *f); /* removes an unfinished file */

/* A writer copies frames and writes them in order on its own thread (writer.c). If a
 * frame is larger than `room`, or memory runs out, it is written before writer_add
 * returns. `room`: largest number of bytes waiting; writer_add waits for room. 0: a
 * quarter of the available memory. The next writer_add or writer_wait returns a failure
 * of the thread once; later frames are still written. */
typedef struct writer writer;
pav_status writer_open(int64_t room, writer **result);
int64_t writer_room(int64_t available); /* the default; available -1: unknown */
pav_status writer_add(writer *w, series *s, const io_frame *f);
pav_status writer_wait(writer *w); /* waits until all frames are written */
/* Waits for a frame to report; false: all frames are written. */
bool writer_goes_on(writer *w);
/* Returns step and path of the next written file, each file once; false if no more files
 * are finished. */
bool writer_next(writer *w, int64_t *step, text *path);
void writer_close(writer *w); /* writes all waiting frames; does not report failures */

enum { READ_PIECE = 1 << 20 }; /* bytes */
/* Largest memory used by field_read for a file of so many points. */
int64_t field_read_bytes(const char *path, int64_t points);
/* Reads a field like npy_read_view, and also from a dataset of an HDF5 file:
 * "model.h5:/vp", a SEG-Y file, or a picture. down: pictures of the grid show its last
 * axis downwards. */
pav_status field_read(const char *path, int dimensions, bool down, const view *v,
                      progress_sink *a);
/* Reads only the points of a box, for formats with random access. The view has the
 * extents of the file but memory only for the box. */
bool field_has_parts(const char *path);
pav_status field_read_part(const char *path, int dimensions, const view *v,
                           const box *part, progress_sink *a);
/* NULL if HDF5 is present; otherwise a message with the package to install. */
const char *hdf5_missing(void);
const char *zstd_missing(void); /* the same for .zst files */

/* A picture of a slice: colour map, colour bar with its range, axes with ticks and
 * labels. A single row of values is drawn as a curve. Values beyond the range take the
 * colours of its ends; values not finite have a colour of their own. Colour maps with a
 * neutral middle have it at 0. */
enum {
    PICTURE_TITLE = 80 /* characters of a title; longer ones are cut */
};
typedef struct picture {
    const char *title;               /* "u, step 1000" */
    const char *axis_name[2];        /* horizontal, vertical */
    double axis_from[2], axis_to[2]; /* coordinates of the first and last point */
    int64_t width, height;           /* points; or blocks of them along both axes: */
    int64_t block, points[2];        /* 0: none; points in a row and a column */
    const double *value;             /* row by row, vertical axis upwards from row 0 */
    double from, to;                 /* range of the colours */
    /* colours NULL: "viridis", or "seismic" if the values have both signs */
    picture_style style;
    /* arrows: vectors at evenly spaced points, rows of `arrows[0]`: all first components,
     * then all second ones. The longest one has the length `longest`. */
    int64_t arrows[2];
    const double *arrow;
    double longest;
} picture;
pav_status png_write(const char *path, const picture *p, const io_fact *made);
/* The picture of a slice as the bytes of a PNG. */
pav_status frame_png(const io_frame *f, text *t);
const char *colours_list(void); /* "viridis, seismic, grey, ..." */

/* A file format, found by the ending of a path. io_find returns NULL and a message with
 * the known endings if there is none. */
typedef struct index_kind index_kind; /* io_private.h */
struct out_file;                      /* io_private.h */
typedef pav_status frame_fill(struct out_file *o, const io_frame *f);
typedef struct io_format {
    const char *ending; /* ".npy" */
    const char *about;
    bool field;              /* takes whole fields of any dimension */
    bool picture;            /* takes a slice */
    bool table;              /* takes rows and columns: samples and measures */
    bool film;               /* one file for all steps */
    const char *piece;       /* film: an index of files with this ending; or NULL */
    const index_kind *index; /* kind of index; or NULL */
    frame_fill *fill;        /* writes a frame into a new file; NULL: `write` does it */
    pav_status (*write)(series *s, const char *path, const io_frame *f);
    /* Optional: begins a file or piece and writes everything except the values. Returns
     * the type and the offset of the values. NULL: only one process can write the
     * format. */
    pav_status (*begin)(struct out_file *o, const io_frame *f, pav_type *type,
                        int64_t *first);
    pav_status (*resume)(series *s, series_past *past, text *said); /* or NULL */
    /* Of pictures: colours all of them by the range of the series. */
    pav_status (*settle)(series *s);
    void (*close)(series *s); /* or NULL */
    /* NULL: the values, with bf16 and f16 stored as f32 */
    frame_need (*need)(const io_frame *f);
    /* reason why the format is not available here; or NULL */
    const char *(*missing)(void);
} io_format;
extern const io_format *const io_table[]; /* NULL-terminated */
const io_format *io_find(const char *path);
/* Values separated by commas, text in quotes if needed, numbers precise enough to read
 * back the same value. */
pav_status csv_write(const char *path, const char *const *heads, const double *values,
                     int64_t rows, int64_t columns);

/* Prisms of six nodes, the lower triangle first, with values at the nodes, for ParaView
 * (.vtu). */
typedef struct vtu {
    int64_t nodes, cells;
    const double *at[3];
    void (*cell)(const void *context, int64_t cell, int64_t node[6]);
    const void *context;
    const char *const *name;
    const double *const *value;
    int count;
    const io_fact *made; /* or NULL */
} vtu;
pav_status vtu_write(const char *path, const vtu *v);

/* Tables growing row by row, .csv or .npy (without column names) (table_file.c). Rows
 * wait in memory and are written at most every second or 64 KiB, during table_add or
 * table_flush, so call table_flush now and then. table_flush with `now` writes all rows.
 * table_close writes waiting rows but does not report failures. */
typedef struct table_file table_file;
void csv_add_name(text *t,
                  const char *name); /* of a column, in quotes if it needs them */
pav_status table_open(const char *path, const char *const *heads, int64_t columns,
                      table_file **result);
pav_status table_add(table_file *f, const double *row);
pav_status table_flush(table_file *f, bool now);
/* For resumable runs. table_sync writes all rows to the disk and returns the size of the
 * file and a hash of its rows. table_resume opens the table again and removes rows added
 * later. If the file no longer exists, *result is NULL. If its rows have another hash, or
 * the last row is not at its old place, the file is rejected. */
pav_status table_sync(table_file *f, int64_t *bytes, uint64_t *sum);
typedef struct table_state {
    int64_t rows, bytes;
    uint64_t sum;       /* hash of the bytes of the rows */
    const double *last; /* the last row, if there are rows */
} table_state;
pav_status table_resume(const char *path, const char *const *heads, int64_t columns,
                        const table_state *state, table_file **result);
const char *table_path(const table_file *f);
void table_close(table_file *f);

/* Writes one text to a whole file and reports its failure. */
pav_status text_write(const char *path, const text *t);

#endif
