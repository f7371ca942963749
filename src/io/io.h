/* SPDX-License-Identifier: BSD-3-Clause */
/* io: files. Each format is one file here and one line in the table of io.c. Everything
 * is written to a temporary name next to the target and renamed, so that no reader ever
 * sees half a file. */
#ifndef IO_IO_H
#define IO_IO_H

#include "base/base.h"
#include "device/device.h"
#include "domain/domain.h"
#include "npy/npy.h"

/* Checks the size of the file too, where it has one: a file cut short or too long is
 * refused. */
pav_status npy_read_header(const char *path, npy_header *header);
/* Files named .npy.zst are unpacked while they are read, to their end and with their
 * checksum. Reads into a view, whose extents must be the file's; indices are (z, y, x),
 * whichever of them the file keeps contiguous. A piece at a time: nothing of the file's
 * size is allocated. A mask (u8) takes any dtype, non-zero being 1. */
pav_status npy_read_view(const char *path, int dimensions, const view *v,
                         progress_sink *a);
/* Reads a (rows, columns) array of doubles in either order, e.g. positions; one column
 * may be (rows). *values, row by row, is freed with mem_free. */
pav_status npy_read_table(const char *path, int columns, int64_t row_limit,
                          double **values, int64_t *rows);

/* ---- seismic files ----------------------------------------------------------------- */

/* SEG-Y, revisions 0 and 1, all traces of one length. */
typedef struct segy_header {
    int64_t traces, samples; /* samples: of each */
    int format, bytes;       /* of a sample */
    double interval;         /* seconds, as the file says; 0: it does not */
    int64_t first;           /* where the first trace begins */
} segy_header;
/* Positions are x, y and depth, scaled. */
typedef struct segy_trace {
    int64_t samples; /* as its head says; 0: it does not */
    double source[3], receiver[3];
} segy_trace;
bool path_is_segy(const char *path);
/* `head`: the first 3840 bytes of a file of file_bytes. Safe on any bytes. */
pav_status segy_parse_header(const char *head, int64_t length, int64_t file_bytes,
                             segy_header *h);
pav_status segy_read_header(const char *path, segy_header *h);
/* Trace by trace; values are h->samples doubles. */
typedef pav_status segy_visit(void *user, int64_t number, const segy_trace *trace,
                              const double *values);
pav_status segy_each(const char *path, segy_visit *visit, void *user);
pav_status segy_read_view(const char *path, int dimensions, const view *v,
                          progress_sink *a);
/* Of .npy, .csv or .h5 files, or of all traces of a SEG-Y file (of its sources or
 * receivers): rows of as many coordinates as there are letters ("xz"); freed with
 * mem_free. */
pav_status positions_read(const char *path, const char *letters, bool sources,
                          int64_t most, double **rows, int64_t *count);

/* Traces of a .npy file, of shape (n) or (n, traces), or a SEG-Y file; all are finite. */
typedef struct trace_table {
    int64_t rows, columns; /* samples, traces */
    double *value;         /* row by row */
    double interval;       /* seconds, where the file says it; 0 */
} trace_table;
pav_status traces_read(const char *path, trace_table *t);
void traces_free(trace_table *t);

/* All rows of a sample in one file, .png or .sgy (gather_file.c), which is written once
 * they are there. What the info points to has to last as long. */
typedef struct gather_info {
    int64_t columns; /* values of a row */
    int parts;       /* expressions whose values follow one another in it */
    int dimensions;
    const char *letters;         /* of the axes */
    const double *position;      /* of every column */
    const double *source;        /* or NULL */
    double interval;             /* time from row to row */
    const char *title, *colours; /* colours: or NULL */
    bool ranged;
    double range[2];
} gather_info;
typedef struct trace_gather trace_gather;
bool gather_is(const char *path);
/* rows: as many as are expected, 0: unknown. */
pav_status gather_open(const char *path, const gather_info *info, int64_t rows,
                       trace_gather **result);
pav_status gather_add(trace_gather *g, const double *row, double time);
pav_status gather_write(const trace_gather *g);
const char *gather_path(const trace_gather *g);
void gather_close(trace_gather *g);

/* A file of nothing but values. */
typedef struct raw_layout {
    pav_type type;
    bool swapped;                 /* not in this machine's byte order */
    int axis[PAV_MAX_DIMENSIONS]; /* the contiguous one first */
} raw_layout;
pav_status raw_read_view(const char *path, const raw_layout *l, int dimensions,
                         const view *v, const box *part, progress_sink *a);

/* ---- what outputs write ------------------------------------------------------------ */

/* Where the points of a frame lie along an axis of the grid: point i at the grid's point
 * first + i*every, whose coordinate is origin + that*span/over, rounded once, or stands
 * in `at`. */
typedef struct frame_axis {
    const double *at; /* of a stretched axis; or NULL */
    num origin, span, over;
    int64_t first, every;
    char letter; /* its name; 0: x, y and z */
    bool down;   /* pictures show it downwards */
} frame_axis;
/* The points of a field that an output shows, at one step: all of them, or a plane, a
 * crop, every second one, without a copy being made of them (frame.c). */
typedef struct io_frame {
    const char *name; /* of the field */
    int64_t step;
    double time;
    int grid_dimensions, dimensions; /* of the grid; of what is shown of it */
    int axis[PAV_MAX_DIMENSIONS];    /* the grid's axes along it, x before y before z */
    int64_t extent[PAV_MAX_DIMENSIONS],
        stride[PAV_MAX_DIMENSIONS];       /* elements; or 1, 0 */
    frame_axis scale[PAV_MAX_DIMENSIONS]; /* of all axes of the grid */
    pav_type type;
    const void *data;
} io_frame;
/* All of a view: its coordinates are the indices, and it has no name. */
io_frame frame_of_view(const view *v, int dimensions);
int64_t frame_count(const io_frame *f);
/* Of point `index` along an axis of the grid; the distance of two, 1 where the grid has
 * none. */
double frame_coordinate(const io_frame *f, int axis, int64_t index);
double frame_spacing(const io_frame *f, int axis);
bool frame_stretched(const io_frame *f); /* spacings along an axis differ */
/* Points from, from + 1, ... of row (j, k), converted with one rounding. */
void frame_read(const io_frame *f, int64_t from, int64_t j, int64_t k, int64_t count,
                pav_type type, void *values);
/* A copy that owns its points, `bytes` of them, from mem_big. */
int64_t frame_bytes(const io_frame *f);
pav_status frame_copy(const io_frame *f, io_frame *copy);
void frame_free(io_frame *copy);

/* What writing a frame takes at most: memory besides its points, and bytes on the disk;
 * by the ending of the path. Nothing where that is unknown. */
typedef struct frame_need {
    int64_t memory, file;
    bool exact; /* file: but for a few KiB */
} frame_need;
frame_need frame_need_of(const char *path, const io_frame *f);
/* The same of a table's row: bytes of its file at most. */
int64_t table_row_bytes(const char *path, int64_t columns);

/* C order; bf16 becomes f4, u8 becomes u1. */
pav_status npy_write_view(const char *path, int dimensions, const view *v);
/* (rows, columns) of doubles. */
pav_status npy_write_table(const char *path, const double *values, int64_t rows,
                           int64_t columns);

/* What an output writes in the course of a run (series.c): by the ending of its path a
 * file a step, such a file with an index of them all, or one file that grows. A killed
 * run leaves what was written, whole. */
typedef struct series_style {
    bool numbered;       /* files are named after the steps: u-000100.npy */
    const char *colours; /* of pictures; or NULL */
    bool ranged;
    double range[2];   /* of the colours, if ranged */
    int64_t last_step; /* expected */
    int64_t every;     /* steps from one frame to the next; 0: there is but one */
} series_style;
typedef struct series series;
/* Takes away what runs that were killed, on this system since it was started, left there
 * of files that were not whole yet. */
pav_status io_remove_leftovers(const char *directory);
pav_status series_open(const char *path, const series_style *style, series **result);
/* Whether its first file can be opened; leaves none. */
pav_status series_try(const series *s);
/* `path` is given that of the file. */
pav_status series_add(series *s, const io_frame *f, text *path);
/* All that was added is on the disk, with its name. */
pav_status series_sync(series *s);
/* Of a file that grows, the bytes that will stay; 0: it has none. */
int64_t series_bytes(const series *s);
/* Before the first frame of a run that goes on: what an earlier one wrote of steps before
 * `step`. `frames` are those that it had written, 0 where it had no such output; then
 * those that are still there. `said` is given a sentence where something is missing. */
typedef struct series_past {
    io_frame frame; /* without points */
    int64_t step, frames;
    int64_t bytes;    /* series_bytes, then */
    double step_time; /* of one step */
} series_past;
pav_status series_resume(series *s, series_past *past, text *said);
void series_close(series *s);

/* Called where files are written, by the thread that asks for it here: others may wait
 * for it. NULL: no more. */
void io_watch(void (*alive)(void *user), void *user);

/* A frame that several processes write, each its own points (shared_file.c): the first
 * begins the file, the others open it by that name, all put parts, whose first point
 * is point `at` of the frame, and when all have, the first ends it. f: of all points;
 * *result is to be closed, whatever the status. */
typedef struct shared_file shared_file;
bool path_is_shared(const char *path); /* such files may be written so */
pav_status shared_begin(series *s, const io_frame *f, shared_file **result);
/* What the first sends to the others; they open it by that. */
enum { SHARED_PATH = 4096 };
typedef struct shared_place {
    char name[SHARED_PATH]; /* for the time being; "": there is none */
    pav_type type;          /* of its values, */
    int64_t first;          /* where they begin */
} shared_place;
void shared_where(const shared_file *f, shared_place *where);
pav_status shared_open(const shared_place *where, const io_frame *f,
                       shared_file **result);
pav_status shared_put(shared_file *f, const io_frame *part,
                      const int64_t at[PAV_MAX_DIMENSIONS]);
pav_status shared_end(series *s, shared_file *f, const io_frame *frame, text *path);
void shared_close(shared_file *f); /* one that did not end is taken away */

/* Frames handed over are copied and written by a thread of the writer's, in that order
 * (writer.c). Frames for which there is no memory, or that are larger than `room`, are
 * written before writer_add returns. `room`: bytes that wait at most, or else writer_add
 * does; 0: a quarter of what is available. A failure of the thread is given back once, by
 * the next writer_add or writer_wait; what was handed over after it is written all the
 * same. */
typedef struct writer writer;
pav_status writer_open(int64_t room, writer **result);
int64_t writer_room(int64_t available); /* the default; -1: unknown */
pav_status writer_add(writer *w, series *s, const io_frame *f);
pav_status writer_wait(writer *w); /* until all is written */
/* Of a file that was written: its step and path, each once; false: no more of them
 * now. */
bool writer_next(writer *w, int64_t *step, text *path);
void writer_close(writer *w); /* writes what waits, without telling of failures */

enum { READ_PIECE = 1 << 20 }; /* bytes that field_read takes at most */
/* Values of a field: as npy_read_view, also from "model.h5:/vp", a dataset of an HDF5
 * file. */
pav_status field_read(const char *path, int dimensions, const view *v, progress_sink *a);
/* Points of a box alone, of files that have such parts: extents of the view are those of
 * the file, and it has memory for the box. */
bool field_has_parts(const char *path);
pav_status field_read_part(const char *path, int dimensions, const view *v,
                           const box *part, progress_sink *a);
/* NULL, or the sentence that says that HDF5 is not there and what to install. */
const char *hdf5_missing(void);
const char *zstd_missing(void); /* the same of .zst files */

/* A slice as a picture: colour map, colour bar with its range, axes with ticks and
 * labels. One row of values is drawn as a curve. Values beyond the range have the colours
 * of its ends, those that are not finite a colour of their own. Colour maps with a
 * neutral middle have it at 0. */
enum {
    PICTURE_TITLE = 80 /* characters of a title; longer ones are cut */
};
typedef struct picture {
    const char *title; /* "u, step 1000" */
    /* characters of the longest of a series, whose pictures have one size */
    int title_room;
    const char *axis_name[2];        /* horizontal, vertical */
    double axis_from[2], axis_to[2]; /* coordinates of the first and last point */
    int64_t width, height;           /* points */
    const double *value;             /* row by row, vertical axis upwards from row 0 */
    double from, to;                 /* range of the colours */
    const char *colours; /* NULL: "viridis", or "seismic" where both signs count */
} picture;
pav_status png_write(const char *path, const picture *p);
bool colours_known(const char *name);
const char *colours_list(void); /* "viridis, seismic, grey, ..." */

/* What can be written where, by ending; NULL and a message that lists the known ones
 * otherwise. */
typedef struct index_kind index_kind; /* io_private.h */
struct out_file;                      /* io_private.h */
typedef struct io_format {
    const char *ending; /* ".npy" */
    const char *about;
    bool field;              /* takes whole fields of any dimension */
    bool picture;            /* takes a slice */
    bool table;              /* takes rows and columns: samples and measures */
    bool film;               /* one file for all steps */
    const char *piece;       /* film: an index of files with this ending; or NULL */
    const index_kind *index; /* which; or NULL */
    pav_status (*write)(series *s, const char *path, const io_frame *f); /* or NULL */
    /* A file, or a piece, all but the values: how these are kept, and where they begin;
     * NULL: one process writes it all. */
    pav_status (*begin)(struct out_file *o, const io_frame *f, pav_type *type,
                        int64_t *first);
    pav_status (*resume)(series *s, series_past *past, text *said); /* or NULL */
    void (*close)(series *s);                                       /* or NULL */
    frame_need (*need)(const io_frame *f); /* NULL: values, bf16 and f16 as f32 */
    const char *(*missing)(void);          /* why it cannot be written here; or NULL */
} io_format;
extern const io_format *const io_table[]; /* NULL-terminated */
const io_format *io_find(const char *path);
/* Commas between, text in quotes where it needs them, numbers so that they read back the
 * same. */
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
} vtu;
pav_status vtu_write(const char *path, const vtu *v);

/* Tables, .csv or .npy (which has no heads), that grow row by row (table_file.c): rows
 * are in the file after a second or 64 KiB of them, when somebody asks, so call
 * table_flush now and then; all are after table_flush of `now`. table_close writes what
 * waits, without telling of failures. */
typedef struct table_file table_file;
pav_status table_open(const char *path, const char *const *heads, int64_t columns,
                      table_file **result);
pav_status table_add(table_file *f, const double *row);
pav_status table_flush(table_file *f, bool now);
/* For runs that are gone on with: all rows are on the disk, and are that many bytes; and
 * such a table later again, without what was added since. *result stays NULL where there
 * is no file any more; one that does not have the last row where it was is refused. */
pav_status table_sync(table_file *f, int64_t *bytes);
typedef struct table_state {
    int64_t rows, bytes;
    const double *last; /* row, if there are rows */
} table_state;
pav_status table_resume(const char *path, const char *const *heads, int64_t columns,
                        const table_state *state, table_file **result);
const char *table_path(const table_file *f);
void table_close(table_file *f);

/* A whole file from one text, whose failure is reported. */
pav_status text_write(const char *path, const text *t);

#endif
