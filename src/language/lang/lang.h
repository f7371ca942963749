/* SPDX-License-Identifier: BSD-3-Clause */
/* lang: from text to a checked program (an abstract syntax tree with every name
 * resolved), and back.
 *
 * A program is immutable once checked; everything in it lives in its arena. Nothing here
 * knows the IR, a schedule or a device. docs/language.md is the grammar. */
#ifndef LANG_LANG_H
#define LANG_LANG_H

#include "base/base.h"
#include "border/border.h"

enum {
    MAX_DIM = PAV_MAX_DIMENSIONS,
    MAX_LEVEL = 15,            /* prev(u, 15) is the oldest readable level */
    MAX_COARSE = 24,           /* field c coarse 24 has every 2^24-th point */
    MAX_OFFSET = 1024,         /* |offset| of one tap along one axis */
    MAX_ORDER = 32,            /* of a derivative */
    MAX_DEPTH = 200,           /* nesting of expressions */
    MAX_NODES_WRITTEN = 20000, /* nodes of one expression in the source */
    MAX_HEIGHT = 12000,        /* of one expression, with lets in place */
    MAX_SIZE = 4 << 20,        /* nodes of one expression, with everything written out */
    MAX_ARGUMENTS = 16,        /* of a user function */
    MAX_HALO = 2 * MAX_OFFSET, /* points read beyond a face */
    MAX_FIELDS = 1000,
    MAX_DERIVED_FIELDS = 4000, /* limit for programs derived from an equation to solve */
    MAX_MISTAKES = 20,         /* reported about one text */
    MAX_SOURCE = 4 << 20,      /* bytes of one description */
    MAX_SEED = (1 << 21) - 1,  /* of uniform(seed): seed*2^32 + step is exact */
};

/* A multiple of an interval of time counts as reached so much of the interval before. */
#define TIME_TOLERANCE 0x1p-30

/* Position of a word in the text. Line and column count from 1, columns in characters. */
typedef struct place {
    int line, column, length;
    int file; /* 0: the description; n: its n-th included file */
} place;

typedef struct expr expr;
typedef struct symbol symbol;

/* ---- expressions ------------------------------------------------------------------- */

typedef enum expr_kind {
    EXPR_NUMBER,  /* number */
    EXPR_BUILTIN, /* builtin: x, t, pi, ... */
    EXPR_SYMBOL,  /* symbol; level: of a field, +1 is u', 0 is u, -k is prev(u, k) */
    EXPR_SHIFT,   /* arg[0] read at a point `offset` away: u[1,0,0], flux[-1] */
    EXPR_UNARY,   /* op (OP_NEG, OP_NOT), arg[0] */
    EXPR_BINARY,  /* op, arg[0], arg[1] */
    EXPR_CALL,    /* function, arg[0..count): exp(v), min(a, b), where(c, a, b) */
    EXPR_APPLY,   /* symbol (a let with arguments), arg[0..count) by name, not by value */
    /* symbol (a stencil), arg[0]: the weighted sum of arg[0] over its neighbours */
    EXPR_STENCIL,
    EXPR_DERIVE, /* derivative[axis] times along each axis, order, half[axis], arg[0] */
    /* order, arg[0]: the sum of the second derivatives along the grid's axes */
    EXPR_LAPLACE,
    EXPR_TRANSFER, /* transfer: restrict(r) or interpolate(e), arg[0] */
    EXPR_REDUCE,   /* reduction over the grid of arg[0]; on a mesh over its nodes */
    EXPR_LIST,     /* arg[0..count); only in the parser (lists.c) */
    EXPR_LINE,     /* line: an operation along a whole axis; only before lines_check */
    EXPR_GRADIENT, /* on a mesh: the gradient of arg[0], a name */
    EXPR_DOT,      /* on a mesh: the product of the vectors arg[0] and arg[1] */
    EXPR_KINDS
} expr_kind;

typedef enum op_kind {
    OP_NEG,
    OP_NOT,
    OP_ADD,
    OP_SUB,
    OP_MUL,
    OP_DIV,
    OP_POW,
    OP_LT,
    OP_LE,
    OP_GT,
    OP_GE,
    OP_EQ,
    OP_NE,
    OP_AND,
    OP_OR,
    OP_MOD, /* as written: in a tree it is FUNCTION_MOD */
} op_kind;

/* X(NAME, word, arguments, about), and SMOOTH, STEPWISE and PAIR for the rows of these
 * lists in base.h. `about` is the phrase of docs/language.md. min and max of one argument
 * are reductions. The other functions are operations of the IR, or expressions of several
 * (docs/extending.md). */
#define FUNCTION_LIST(X, SMOOTH, STEPWISE, PAIR)                                         \
    X(MIN, min, 2, "the smaller")                                                        \
    X(MAX, max, 2, "the larger")                                                         \
    X(ABS, abs, 1, "without sign")                                                       \
    X(SQRT, sqrt, 1, "square root")                                                      \
    SMOOTH_FUNCTION_LIST(SMOOTH)                                                         \
    STEPWISE_FUNCTION_LIST(STEPWISE)                                                     \
    PAIR_FUNCTION_LIST(PAIR)                                                             \
    X(WHERE, where, 3, "a if the condition is true, else b; both are computed")          \
    X(RICKER, ricker, 2, "the wavelet of peak frequency f, delayed by 1.2/f")            \
    X(RANDOM, random, 1, "uniform in [0, 1) by point and seed; in initial values only")  \
    X(UNIFORM, uniform, 1, "uniform in [0, 1) by point, step and seed")

typedef enum function_kind {
#define FUNCTION_KIND(NAME, ...) FUNCTION_##NAME,
    FUNCTION_LIST(FUNCTION_KIND, FUNCTION_KIND, FUNCTION_KIND, FUNCTION_KIND)
#undef FUNCTION_KIND
        FUNCTION_COUNT,
} function_kind;

/* True if the value differs from point to point, whatever the arguments. */
static inline bool function_draws(function_kind f)
{
    return f == FUNCTION_RANDOM || f == FUNCTION_UNIFORM;
}

typedef enum builtin_kind {
    BUILTIN_X,
    BUILTIN_Y,
    BUILTIN_Z, /* coordinates of the point */
    BUILTIN_H, /* the spacing, if all axes share one */
    BUILTIN_HX,
    BUILTIN_HY,
    BUILTIN_HZ,
    BUILTIN_NX,
    BUILTIN_NY,
    BUILTIN_NZ,   /* extents; a user's own name hides these three */
    BUILTIN_T,    /* time of level 0: step*dt, or step without dt */
    BUILTIN_STEP, /* steps taken before this one */
    BUILTIN_PI,
    BUILTIN_IX,
    BUILTIN_IY,
    BUILTIN_IZ, /* indices of the point; a user's own name hides these three */
    BUILTIN_COUNT,
} builtin_kind;

typedef enum transfer_kind {
    TRANSFER_RESTRICT, /* fine -> coarse: full weighting, 1/4 1/2 1/4 along each axis */
    TRANSFER_INTERPOLATE, /* coarse -> fine: multilinear */
} transfer_kind;

typedef enum reduction_kind {
    REDUCTION_SUM,
    REDUCTION_MIN,
    REDUCTION_MAX,
    REDUCTION_NORM,     /* sqrt(sum(v*v)) */
    REDUCTION_INTEGRAL, /* on a mesh, over its volume or a border */
    REDUCTION_COUNT,
} reduction_kind;

/* Operations along an axis: running sums s = a*s[-1] + b, tridiagonal systems, sums and
 * extremes of all points of a line. */
typedef enum line_kind {
    LINE_SCAN,
    LINE_TRIDIAGONAL,
    LINE_SUM,
    LINE_SMALLEST,
    LINE_LARGEST,
    LINE_TRANSFORM, /* of derived programs: see transform_kind_private.h */
    LINE_KINDS,
} line_kind;

extern const char *const line_names[LINE_KINDS];

struct expr {
    expr_kind kind;
    place at;
    bool boolean;    /* a condition, not a number; set by the checker */
    bool is_complex; /* EXPR_LIST: of the real and the imaginary part */
    int count;       /* of arg */
    expr **arg;
    num number;
    symbol *symbol;
    int level;
    int offset[MAX_DIM];
    op_kind op;
    function_kind function;
    builtin_kind builtin;
    transfer_kind transfer;
    reduction_kind reduction;
    const char *border; /* of an integral: over its faces; NULL: over the volume */
    line_kind line;
    int axis;                /* EXPR_LINE */
    bool down, exclusive;    /* EXPR_LINE: backwards, cyclic; exclusive, mirrored */
    int derivative[MAX_DIM]; /* how often along each axis */
    int half[MAX_DIM];       /* -1, 0, +1: taken half a cell away, `at -1/2` */
    int order;  /* of a derivative; of a shift: how many offsets were written */
    int height; /* longest path down the tree, with lets in place; at most MAX_HEIGHT */
    /* nodes, with lets, stencils and derivatives written out; at most MAX_SIZE */
    int64_t size;
};

/* Layout of a file of bare values: type, byte order, and the order of its axes, the
 * contiguous one first. */
typedef struct raw_file {
    pav_type type;
    bool big; /* the highest byte first */
    int axis[MAX_DIM];
    expr *extent[MAX_DIM];
} raw_file;

/* ---- symbols ----------------------------------------------------------------------- */

typedef enum symbol_kind {
    SYMBOL_FIELD,
    SYMBOL_PARAM,
    SYMBOL_SCALAR,
    SYMBOL_LET,
    SYMBOL_STENCIL,
    SYMBOL_ARGUMENT,
    SYMBOL_MEASURE,
    SYMBOL_FORM, /* on a mesh: value; arguments: 2 (trial, test) or 1 (test) */
    /* in the parser only (lists.c): a list of so many parts, and an index of lists,
     * constant while it has a value */
    SYMBOL_LIST,
    SYMBOL_INDEX,
} symbol_kind;

/* One neighbour of a stencil. */
typedef struct stencil_tap {
    int offset[MAX_DIM];
    expr *weight;
} stencil_tap;

typedef enum stencil_form { STENCIL_LIST, STENCIL_CLASSES, STENCIL_BOX } stencil_form;

struct symbol {
    const char *name;
    symbol_kind kind;
    int index; /* among the program's symbols of this kind, in order of declaration */
    place at;
    /* param, scalar, let, measure: the right side; field: the initial value or NULL. */
    expr *value;
    /* param or scalar. A param is either constant, or holds a reduction over a field,
     * known at the start of a run. */
    bool overridden;    /* the value comes from --set */
    bool varies;        /* by name:=value: it is an argument of the kernels */
    bool constant;      /* known exactly now, in `number` */
    bool boolean;       /* let, argument: a condition */
    int arguments;      /* let, form: how many */
    const char *border; /* form: over the faces of this border; NULL: over the volume */
    symbol **argument;
    int parts;       /* list */
    bool is_complex; /* list: the parts are re and im */
    num number;
    /* field */
    int coarse;   /* number of its coarse grid; 0: the finest grid */
    bool updated; /* some equation computes it; of a scalar, too */
    /* a matched layer's memory: 0 but for so many points next to the faces of an axis */
    bool layered;
    int layer_axis;
    int64_t layer[2];
    /* a scalar; or NULL. While it is 0 the equation leaves the field unchanged, so a step
     * may skip the equation. */
    const symbol *gate;
    /* of the values of a line operation: the field to update at its points; or NULL */
    const symbol *line_of;
    /* 1 + the axis of tridiagonal systems, if such a field is c over their pivots */
    int pivots_along;
    bool solved;         /* a solver gives it, in the middle of a step (solve/derive.c) */
    bool storage_stated; /* `stored` was written on the field itself */
    bool shown;          /* field: an expression, computed for its output only */
    bool on_cells;       /* field on a mesh: a value of a cell, not of a node */
    pav_type storage;
    const char *file;                  /* initial values from this npy file, or NULL */
    const raw_file *raw;               /* layout of a file of bare values; or NULL */
    expr *initial_prev[MAX_LEVEL + 1]; /* [k]: `prev(u, k) = ...`, or NULL: as level 0 */
    /* The largest k of any prev(u, k) in an equation. Measures, until and expect read
     * levels after the step, up to oldest + 1. */
    int oldest;
    int64_t beyond[MAX_DIM][2]; /* how far it is read beyond each face */
    /* stencil */
    stencil_form form;
    int taps;
    int classes;      /* source form: centre, face, edge, corner, or the box row by row */
    stencil_tap *tap; /* classes and boxes are expanded; zero weights left out */
    expr **class_weight;        /* entries may be NULL for classes not written */
    struct symbol_notes *notes; /* the checker's own */
};

/* ---- statements -------------------------------------------------------------------- */

typedef enum statement_kind {
    STATEMENT_GRID,
    STATEMENT_REAL,
    STATEMENT_PARAM,
    STATEMENT_SCALAR,
    STATEMENT_LET,
    STATEMENT_FIELD,
    STATEMENT_INITIAL,
    STATEMENT_STENCIL,
    STATEMENT_UPDATE,
    STATEMENT_EVOLVE,  /* the equation of a scalar */
    STATEMENT_ADVANCE, /* left, column: rates; method; count: steps within a step */
    STATEMENT_BORDER,
    STATEMENT_ABSORB,
    STATEMENT_MASK,
    STATEMENT_INJECT,
    STATEMENT_SAMPLE,
    /* a sample of expressions, or of several: made of samples of fields (taps.c) */
    STATEMENT_GATHER,
    STATEMENT_MEASURE,
    STATEMENT_UNTIL,
    STATEMENT_STEPS,
    STATEMENT_CHAOTIC,    /* count, every_steps */
    STATEMENT_CHECKPOINT, /* every, file */
    STATEMENT_OUTPUT,
    STATEMENT_EXPECT,
    STATEMENT_SOLVE,
    STATEMENT_COARSE, /* the axes halved by coarse grids */
    STATEMENT_MESH,
    STATEMENT_FORM,
} statement_kind;

/* x-, x+, y-, y+, z-, z+ are bits 0 to 5. */
enum { FACES_ALL = 63 };
#define FACE_BIT(axis, side) (1u << (2 * (axis) + (side)))

typedef enum point_method { POINTS_LINEAR, POINTS_SINC } point_method;
/* Selects positions of a file: receivers (default for samples) or sources. */
typedef enum point_owner { POINTS_USUAL, POINTS_RECEIVERS, POINTS_SOURCES } point_owner;

/* Positions in the grid's coordinates: a list, a line of `count` points, or an npy file
 * (n, dim). */
typedef struct points {
    int count;              /* of list; for a line: 2, its ends */
    expr *(*list)[MAX_DIM]; /* constant expressions */
    num (*value)[MAX_DIM];  /* their values; of a line: its ends */
    expr *line_count;       /* `along A to B count N`, or NULL */
    int64_t line_points;    /* its value; 0 for a list or file */
    const char *file;
    place file_at;
    point_owner owner; /* selects positions of the file */
    point_method method;
} points;

/* A neighbour of a sampled position, and its weight. */
typedef struct sample_tap {
    symbol *field;
    int offset[MAX_DIM];
    num weight;
} sample_tap;

typedef struct axis_grid {
    expr *extent, *from, *to, *spacing; /* as written, NULL where not */
    expr *stretch;     /* `at`: position of a point, from its unstretched coordinate */
    const char *table; /* or a file: of coordinates, or of spacings */
    bool gaps;         /* ... of spacings */
    place stretch_at;
    /* Coordinates of a stretched axis, else NULL: `points` values. If known_around, one
     * more value follows: the coordinate of the first point after one period. */
    const double *at;
    bool known_around, around; /* around: fields are periodic along it */
    int64_t points;
    num origin,
        step;       /* coordinate of point 0, and the spacing; stretched: the mean one */
    num span, over; /* step is span/over, the source form of an inexact number */
    bool down;      /* pictures show it downwards */
} axis_grid;

/* A setting of a method, `pre = 2`: a word, or (NULL) a number. */
enum { MAX_SOLVE_OPTIONS = 12, MAX_UNKNOWNS = 4 /* of a system */, MAX_CONTOURS = 32 };
/* The range of a picture's colours. Usual: of all frames of an animation, and else of
 * each picture. */
typedef enum range_kind { RANGE_USUAL, RANGE_OF_EACH, RANGE_OF_FRAMES } range_kind;
typedef struct solve_option {
    const char *name, *word;
    double number;
    place at;
} solve_option;

typedef struct statement {
    statement_kind kind;
    place at;
    struct statement *next;
    symbol
        *symbol; /* declared, updated, bordered (NULL: every field), injected into ... */
    expr *value; /* right side, condition, or NULL */
    expr *every; /* `every k`, or NULL: at the end (output), each step (others) */
    int64_t every_steps; /* its value; 0 if not given */
    /* `every T time`. If T is no whole number of steps, `interval` is T and every_steps
     * is 1: the statement is due at some steps (subdomain_is_due). */
    bool timed;
    num interval;
    bool once;        /* steps: `at once`; every: the steps of a jump */
    const char *file; /* output, sample, measure, mask: into or from; or NULL */
    place file_at;
    unsigned faces; /* border, absorb */
    border_kind border;
    bool reads_fields; /* border: its value does, or it has a condition */
    /* border of a part of a face: at points with the condition the rule is `part`, at
     * other points it is that of the statement before, `rest`. The rule of the face,
     * `border`, is BORDER_BEYOND. */
    expr *where;
    border_kind part;
    const struct statement *rest;
    bool insulated;    /* mask: no flux goes through its edge */
    points points;     /* inject, sample, gather */
    const char *trace; /* inject: file with factors of `value`; or NULL */
    int columns;       /* gather: number of its expressions */
    expr **column;
    int forms; /* gather: number of different sums of fields in them (taps.c) */
    /* gather: each column as an expression in forms. EXPR_SYMBOL without a symbol is the
     * value of form `level`. */
    expr **made_of;
    const struct statement
        *gather;            /* sample: the gather statement of this part; or NULL */
    int of, form, taps;     /* number of the column and of the form */
    sample_tap *tap;        /* all of one field; none: the field itself */
    expr *cells, *strength; /* absorb */
    bool matched;           /* absorb: a perfectly matched layer (matched.c) */
    bool made;              /* made by the checker: not in the source, not printed */
    /* update: its value in the source, before a change; or NULL */
    const expr *written;
    /* update: points are computed in order along axis `along` - 1, or down along axis
     * -`along` - 1; 0: in any order. `edge`: new values before the first point */
    int along;
    expr *edge;
    /* update: transforms of the new values, in order: along axis n - 1, or the inverse
     * along axis -n - 1, or to mirrored waves along axis n - MAX_DIM - 1 */
    int transforms, transform[MAX_DIM];
    int64_t cell_count;
    num strength_value; /* 0.3 unless given */
    int slice_axis;     /* output: -1, or the axis of `slice z k` */
    /* STATEMENT_INITIAL: k of prev(u, k); solve: 1 for an equation for u' in each step */
    int level;
    expr *slice_at; /* index of the slice */
    int64_t slice_index;
    expr *(*crop)[MAX_DIM]; /* output: the corners of `crop A to B`, or NULL */
    int64_t crop_from[MAX_DIM], crop_to[MAX_DIM]; /* indices, both included */
    int strides;                                  /* 0: none; 1: of all axes; or dim */
    expr *stride[MAX_DIM];
    int64_t stride_of[MAX_DIM]; /* 1 if not given */
    const char *colours;        /* output: name of the colour map, or NULL */
    place colours_at;
    const char *painted; /* the last word that only pictures have; or NULL */
    place painted_at;
    const char *vector; /* output: name of a vector of the fields in `left`, or NULL */
    const char *label;  /* output: stands in a picture in place of the name; or NULL */
    expr *range[2];     /* output: `range a to b` of the colours */
    num range_value[2];
    range_kind frames; /* output: without `range a to b` */
    bool contours_at;  /* output: `contours at a, b`, or else `contours n` */
    expr **contour;
    int64_t contours;
    double contour_value[MAX_CONTOURS];
    /* output: "arrows" or "streamlines", of the second and third of `left`; or NULL */
    const char *arrows;
    expr *size; /* output: `size n`; its value, or 1 */
    int64_t size_value;
    int coarse[2];          /* coarse: first and last grid */
    unsigned axes;          /* ... these axes are halved: a bit for each */
    expr *right;            /* solve: value = right */
    struct statement *more; /* solve: next equation of its system, for its own unknown */
    const char *method;     /* solve */
    int options;            /* solve: settings of the method */
    solve_option option[MAX_SOLVE_OPTIONS];
    num tolerance; /* solve */
    /* Output: its fields, on a grid if there are several (all with the same points). On a
     * mesh, solve: forms of the left and of the right side. */
    symbol **left, **rights;
    int left_count, right_count;
    const char *preconditioner;   /* solve, or NULL */
    const char *const *at_border; /* border: names; none: all of them */
    int at_borders;
    expr *layer; /* output: `layer k`, or NULL */
    int64_t layer_index;
    expr *cut[2][2]; /* output: `cut (x, y) to (x, y)`, or NULLs */
    num cut_value[2][2];
    int64_t count; /* steps */
} statement;

/* ---- programs ---------------------------------------------------------------------- */

typedef struct symbol_list {
    int64_t count, capacity;
    symbol **item;
} symbol_list;
symbol *symbol_in(const symbol_list *list, const char *name); /* or NULL */

/* mesh disc 24 layers 16 from 0 to 0.5 grading 1.2 */
typedef struct mesh_source {
    const char *path;  /* "planet.msh", "a.npy,b.npy", or "disc:n=24" */
    const char *shape; /* of a generated one, of `size`; else NULL */
    expr *size, *layers, *from, *to, *grading; /* source expressions, NULL if missing */
    int64_t size_value, layer_count;
    num grading_value; /* 1 unless given */
    int line;
} mesh_source;

typedef struct program {
    arena *arena;
    const char *name;      /* for messages: a path, a catalogue word, "text" */
    const char *directory; /* folder of relative input files; "." if unknown */
    int dim;
    bool upright; /* a grid of x and z: within the tree its second axis is y (lexer.c) */
    axis_grid axis[MAX_DIM];
    /* [k]: bit mask of the axes kept by coarse grid k */
    unsigned char kept[MAX_COARSE + 2];
    pav_type real;     /* PAV_F32 or PAV_F64: all arithmetic of the updates */
    pav_type stored;   /* default storage of fields */
    num tiny;          /* updates store 0 in place of values nearer to it; 0: never */
    mesh_source *mesh; /* on a mesh in place of a grid; else NULL */
    symbol_list fields, params, scalars, lets, stencils, measures, forms;
    statement *first;    /* in the order written */
    symbol *dt;          /* the time step of `t`: a param, a scalar, or NULL */
    int64_t steps;       /* 0: not given */
    symbol *steps_param; /* a hidden param: the steps, known at the start; or NULL */
    /* hidden params, too: the index farthest from elements 0 to parts - 1 of a table */
    symbol_list indices;
    bool ends;  /* by `until t >= end` */
    num end;    /* the least of them */
    bool stops; /* a scalar dt is shortened for `every T time`, too */
    /* Steps, and points along the slowest axis: blocks of so many points may take so many
     * steps without waiting for other blocks. 0: none. */
    int64_t chaotic, chaotic_block;
    bool derived;     /* of an equation to solve: its own fields last for a step */
    bool stand_alone; /* to be written as a program, whose fields share no memory */
    const struct program *const *shot; /* of a stack (program.c): each of them, */
    int64_t shots;                     /* and how many; 0: it is no stack */
    const char *warnings;              /* for the user, one a line; NULL: none */
} program;

#define EACH_STATEMENT(s, p) for (const statement *s = (p)->first; s; s = s->next)

/* True if an update stores 0 in place of tiny values. Copies, also those for solvers, and
 * operations along an axis keep them. */
static inline bool update_flushes(const program *p, const statement *s)
{
    const bool copies = s->value->kind == EXPR_SYMBOL &&
                        s->value->symbol->kind == SYMBOL_FIELD;

    return p->tiny.v > 0 && !s->along && !copies;
}

struct pav_program {
    program tree;
};

/* Parses and checks a program. On PAV_ESYNTAX the message holds up to MAX_MISTAKES
 * mistakes in the form
 *     heat3d.pav:4:10: unknown name 'uu'; did you mean 'u'?
 *         u' = uu + a*(u[1,0,0] ...
 *              ^~
 * On success *result is freed with program_free. */
pav_status program_parse(const char *source, int64_t length,
                         const pav_program_options *options, program **result);
/* Parses text derived from the checked program `of`. Params may contain scalars there:
 * they are computed again for each solution. */
pav_status program_parse_derived(const char *source, const program *of, program **result);
pav_status program_load(const char *path, const pav_program_options *options,
                        program **result);
void program_free(program *p);
/* Fails for a program on a mesh; the message names the calls for meshes. */
pav_status program_refuse_mesh(const program *p);
/* The params and scalars set from outside, as a JSON object. */
void program_settings(const program *p, text *t);
/* The canonical form. program_parse of it, then program_print, gives the same text. */
void program_print(const program *p, text *t);
void expr_print(const expr *e, text *t);
/* One statement in canonical form, without a newline. */
void statement_print(const program *tree, const statement *s, text *t);
/* Moves to the source line of the statement and updates *line. Messages about the printed
 * text then name lines of the source. */
void statement_begin_line(const statement *s, int *line, text *t);
/* Hash of the canonical form; fails if memory runs out. */
pav_status program_identity(const program *p, uint64_t *identity);

/* Turns a program into a stack of `count` programs that differ only in the positions of
 * sources and receivers. The program must have an unused axis. The shots must outlive the
 * program. */
void program_stack(program *p, const program *const *shot, int64_t count);
/* Number of axes of its points: in a stack, one more than the grid's. program_all_points:
 * number of points. */
int program_axes(const program *p);
int64_t program_all_points(const program *p);
/* False for the parts of a sample of expressions, which the checker made. */
bool sample_is_whole(const statement *s);
/* Statement of shot k in place of s; s itself without a stack. */
const statement *statement_of_shot(const program *p, const statement *s, int64_t k);

/* Letter of an axis. The second axis of an upright grid is z. */
char axis_letter(const program *p, int axis);
/* Swaps the names of the axes y and z, and the words with these names, in text for an
 * upright grid. */
void upright_swap(char *words, int64_t length);

/* True if coarse grid k has every second point of grid k - 1 along the axis. This is the
 * default; a `coarse` statement can keep axes. */
bool coarse_halves(const program *p, int coarse, int axis);
/* Number of halvings: point I of the coarse grid lies on point 2^shift * I of the finest
 * grid. */
int coarse_shift(const program *p, int coarse, int axis);
/* Points along an axis of the finest grid (coarse 0) or a coarse grid. A halving turns n
 * into (n+1)/2. 1 on missing axes. */
int64_t coarse_extent(const program *p, int coarse, int axis);
/* Extent of a field along an axis. */
int64_t field_extent(const program *p, const symbol *field, int axis);
/* The border or absorb statement for a face of a field: the last statement that names it.
 * An absorb statement counts only without a border; the value beyond the face is then 0.
 * NULL: none. */
const statement *field_border(const program *p, const symbol *field, int axis, int side);
/* The same of all faces of all fields: rule[number of the field]. */
typedef const statement *field_rules[MAX_DIM][2];
void field_borders(const program *p, field_rules *rule);
/* True if a rule with parts gives the outermost points of one of them. */
bool parts_give_face(const statement *s);
/* Border rule of a statement found by field_border. NULL: BORDER_NONE. An absorb
 * statement: BORDER_BEYOND, because the value beyond the face is 0. */
border_kind statement_rule(const statement *s);

/* ---- operators and functions of numbers (constant.c) ------------------------------- */

/* Exact, if the result is rational. */
num constant_combine(op_kind op, num a, num b);
num constant_call(function_kind function, const num a[3]);

bool expr_compares(const expr *e); /* true for <, >=, ... with two sides */
double combine_f64(op_kind op, double a, double b);
/* All functions but `where` and `random`. Functions of one argument ignore b. */
double function_f64(function_kind f, double a, double b);

/* ---- stretched axes (differences.c) ------------------------------------------------ */

bool axis_stretched(const program *p, int axis);
/* Coordinate of a point of the finest grid or a coarse grid. Points beyond the ends are
 * images: periodic, or mirrored at the outermost points. */
double axis_coordinate(const program *p, int axis, int coarse, int64_t index);
/* Width of the cell around a point: half the distance between its neighbours. */
double axis_width(const program *p, int axis, int coarse, int64_t index);
/* Weights of the m-th derivative at a point of a stretched axis, like difference_weights.
 * half: +1 from points to the midpoints behind them, -1 from midpoints to points.
 * `weight` has the size for difference_weights. */
void axis_weights(const program *p, int axis, int coarse, int64_t index, int m, int order,
                  int half, double *weight);
/* Index of a coordinate, linearly interpolated between points. */
double axis_index(const program *p, int axis, double coordinate);

/* ---- finite differences (differences.c) -------------------------------------------- */

/* Exact weights of the m-th derivative at accuracy `order` (even), unit spacing. half: 0
 * central on the points -r..r; +1 at x+1/2 on the points -r+1..r; -1 at x-1/2 on -r..r-1.
 * weight must hold 2*MAX_OFFSET+1; *first is the offset of weight[0], *count how many.
 * False when numbers overflow exact arithmetic. The radius is (order + 2*((m+1)/2) - 2) /
 * 2 central, and order/2 + (m-1)/2 half a cell away (m odd; m = 0 interpolates). */
bool difference_taps(int m, int order, int half, int *first, int *count);
bool difference_weights(int m, int order, int half, num *weight, int *first, int *count);

/* "x-", "x+", "y-" ... and "xyz". */
extern const char *const face_names[2 * MAX_DIM];
extern const char axis_letters[MAX_DIM + 1];

/* ---- catalogue and random programs ------------------------------------------------- */

/* Text of the program named by a catalogue word ("star3d:r=4@512x512x512/f32").
 * PAV_EINVAL for an unknown word, with the nearest known word in the message. */
pav_status catalogue_text(const char *word, text *t);
/* True if the text looks like a catalogue word, not a path. */
bool catalogue_is_word(const char *word);
/* Words of small instances of every entry and parameter, for checks; NULL behind the last
 * word. */
const char *catalogue_small(int index);

/* A valid program drawn from the stream: dimension, radius, fields, levels, borders,
 * masks, odd sizes down to 1. */
void random_program(rng *r, int64_t points_at_most, text *t);

/* ---- tables shared by parser, printer and documentation ---------------------------- */

typedef struct function_info {
    const char *name;
    int arguments;
    double most; /* largest absolute value for any argument; 0: it has no bound */
    const char *about;
} function_info;
extern const function_info function_table[FUNCTION_COUNT];
extern const char *const builtin_names[BUILTIN_COUNT];
extern const char *const reduction_names[REDUCTION_COUNT];

/* Contents of a file format, found by the ending of the file name. The list holds all
 * formats of io. */
typedef struct format_info {
    const char *ending;
    bool field, picture, table; /* whole fields; a slice or curve; rows and columns */
    bool film;                  /* one file for all steps of `every` */
    bool several, vectors;      /* several fields; several as the parts of a vector */
    /* one file with all rows of a sample, written at the end */
    bool gather;
    const char *piece; /* an index of files with this ending, one a step; or NULL */
} format_info;
enum { FORMATS = 13, COLOUR_MAPS = 5 };
extern const format_info format_table[FORMATS];
extern const char *const colour_names[COLOUR_MAPS];
/* NULL: unknown ending. */
const format_info *format_find(const char *path);
/* Step number of a file of a series: "heat-000100.npy" belongs to the series heat.npy.
 * *stem gets the length of "heat". -1: the file belongs to no series (overwrites.c). */
int64_t series_step(const char *path, int64_t *stem);
/* The path without redundant parts. */
const char *path_plain(arena *memory, const char *path);

#endif
