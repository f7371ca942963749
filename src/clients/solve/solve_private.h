/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef SOLVE_SOLVE_PRIVATE_H
#define SOLVE_SOLVE_PRIVATE_H

#include "solve/solve.h"

enum {
    MOST_GRIDS = MAX_COARSE + 1,
    MOST_COARSEST = 24,                          /* steps on the coarsest grid */
    MOST_MADE = MAX_DERIVED_FIELDS - MAX_FIELDS, /* fields of a derived program */
};

/* One neighbour of the operator: left - right is the sum of weight * unknown[offset],
 * plus terms without the unknown. */
typedef struct solve_tap {
    int offset[MAX_DIM];
    expr *weight;
    double value;   /* if all weights are constant */
    double on_grid; /* the same on the grid whose spectrum is looked for */
} solve_tap;

typedef struct solve_form {
    int64_t count, capacity;
    solve_tap *tap;
    bool constant; /* all weights are the same at all points */
    bool spaced;   /* weights contain a spacing: a coarser grid uses its own */
    bool exact;    /* so is the sum of the weights, but for one rounding */
    double diagonal, sum;
} solve_form;

/* Bounds of the eigenvalues of the operator divided by its diagonal. They come from the
 * symbol of the operator. If the weights vary, the symbol of the Laplacian stands in. */
typedef struct solve_spectrum {
    double high[MOST_GRIDS]; /* the largest, for each grid */
    /* the smallest that the next coarser grid cannot represent */
    double smooth[MOST_GRIDS];
    double weakest[MOST_GRIDS]; /* the smallest at any single point, for stretched axes */
    double low[MOST_GRIDS];     /* the smallest */
    double least;               /* the same on the finest grid; it may be negative */
} solve_spectrum;

typedef struct deriver deriver;

/* One text for each unknown of a system. */
typedef struct vector {
    const char *of[MAX_UNKNOWNS];
} vector;

/* A method. `derive` writes the equations of a step. */
typedef struct solve_method {
    const char *name, *about;
    const char *const *settings; /* accepted settings, NULL-terminated */
    int64_t steps;               /* limit if the description gives none */
    int every;                   /* steps between two checks of the residual */
    bool needs_spd;
    bool edges;   /* its coarse grids may have weights of edges (edges.c) */
    bool several; /* it solves for several unknowns at once */
    const char *(*refuses)(deriver *d); /* reason for a refusal; or NULL */
    void (*derive)(deriver *d);
} solve_method;
extern const solve_method *const solve_methods[]; /* NULL-terminated */

struct deriver {
    arena *arena;
    const program *p;
    const statement *solve; /* the settings are those of the first equation */
    /* Of a system (systems.c): the first unknown, the next one or NULL, and the number
     * of this one. */
    deriver *first, *next;
    int number;
    const char *names;              /* of the first: "a, b" */
    solve_form block[MAX_UNKNOWNS]; /* weights of each unknown in this equation */
    bool apart;                     /* cycles leave it out */
    bool saddle;                    /* of the first: some unknown is apart */
    bool loose;                     /* of the first: some unknown is singular */
    bool is_wide;                   /* of the first: reads every second point */
    bool pointed[MOST_GRIDS];       /* grids with lets for the system of a point */
    const symbol *unknown;
    int level; /* level of the unknown in the equation: 1 is u' */
    solution *solution;
    const char *given, *solved; /* fields of an equation within a step; or NULL */
    const char *weights;        /* of the first: see solution.weights; or NULL */
    const char *kept;           /* of the first: copies of older levels, equations */
    /* of an equation within a step: the terms without the unknown */
    const expr *rest;
    bool is_handed[MAX_FIELDS]; /* fields that its operator reads */
    const solve_method *method;
    const char *why;             /* reason for the choice of `auto`; or NULL */
    int64_t jump;                /* `at once`: the steps of a jump; else 0 */
    double growth;               /* `at once`: of the fastest wave in a step */
    const char *small;           /* `at once`: the program of a small grid */
    bool direct;                 /* `auto` may choose transforms */
    int way;                     /* `auto`: 0, or the number of cycles that stalled */
    const char *prefix;          /* prefix unused by names of the description */
    int made;                    /* number of names so far */
    int grids;                   /* grids from repeated halving, the finest included */
    unsigned halved[MOST_GRIDS]; /* [k]: bit mask of the axes halved by grid k */
    /* coupling along each axis, relative to the strongest axis */
    double strength[MAX_DIM];
    int every;                /* steps between two checks of the residual */
    bool own_hierarchy;       /* the description has a `coarse` statement */
    const expr *left, *right; /* sides of the equation, with lets inlined */
    const expr *difference;   /* left - right */
    solve_form form;
    solve_spectrum spectrum;
    /* the border of the unknown at each face; or NULL */
    const statement *rule[2 * MAX_DIM];
    /* faces with a given value of the unknown; periodic faces */
    unsigned fixed, periodic;
    char usual_cycle;  /* default cycle; 0 is V */
    bool symmetric;    /* the weights are the same in both directions */
    double convection; /* see convection_strongest */
    bool eased;        /* writing a preconditioner: see operator_ease */
    int draws;         /* number of the draw in weights_are_symmetric; 0: none */
    bool by_multigrid; /* `auto` chose a multigrid cycle for the preconditioner */
    bool singular;     /* constants are in the null space */
    /* of systems: the unknown's row in the projector on constants in the null space */
    double constant[MAX_UNKNOWNS];
    const char *mean;      /* name of the mean of the residual, without the prefix */
    const statement *mask; /* mask of the unknown; or NULL */
    int masked;            /* number of grids with the mask in a field */
    const char *about;
    int used;                     /* number of grids in its cycles; 0: no cycles */
    unsigned turned;              /* axes that a step transforms */
    bool narrow;                  /* corrections are stored in f32 */
    bool odd_declared;            /* names for odd indices are declared */
    bool scaled;                  /* the diagonal is in a field (edges.c) */
    bool shared[MOST_GRIDS];      /* grids with a field of shares (edges.c) */
    unsigned flows[MOST_GRIDS];   /* axes with a name for their convection */
    bool coefficient[MAX_FIELDS]; /* fields with a copy on the coarser grids */
    bool clamped[MAX_FIELDS];     /* fields with completed borders */
    text head;                    /* declarations */
    text joint;                   /* declarations behind the heads of all unknowns */
    text equations;
    text tail;              /* borders, masks */
    text scratch;           /* of trees.c */
    text zeros[MOST_GRIDS]; /* names of corrections and residuals on each grid */
    const char
        *wall[MOST_GRIDS]; /* term for the diagonal from walls between points; or NULL */
};

/* ---- trees (trees.c): expressions made of others; numbers are folded --------------- */
expr *tree_new(deriver *d, expr_kind kind, int count);
/* An operation as it stands; tree_negated and tree_binary simplify. b: or NULL */
expr *tree_operation(deriver *d, op_kind op, const expr *a, const expr *b);
expr *tree_number(deriver *d, num value);
expr *tree_call(deriver *d, function_kind function, expr *a, expr *b); /* b: or NULL */
expr *tree_where(deriver *d, const expr *condition, expr *yes, expr *no);
expr *tree_binary(deriver *d, op_kind op, expr *a, expr *b);
expr *tree_negated(deriver *d, expr *a);
expr *tree_shifted(deriver *d, expr *a, const int *offset);
expr *tree_field(deriver *d, const char *name, int level);
/* the unknown at `level`, in the form that copies replace */
expr *tree_unknown(deriver *d, int level);
expr *tree_spacing(deriver *d, int axis);
bool tree_is_number(const expr *e, int64_t value);
/* True if e has one known value at all points of the grid; stores it in *value. */
bool tree_known(const deriver *d, const expr *e, double *value);
bool tree_number_of(const deriver *d, const expr *e, num *value); /* the same, exact */
/* The value of a builtin at a point of the finest grid; 0: it changes with time. */
double builtin_at(const deriver *d, builtin_kind b, const int64_t *at);
/* Text in the deriver's memory: an expression; the shortest digits of a number; `name` at
 * a neighbour, "u[1, 0]", and the same for a neighbour along one axis; the index of the
 * point along an axis plus 1/2, whose floor is the index in spite of roundings. */
const char *tree_text(deriver *d, const expr *e);
const char *take_scratch(deriver *d); /* what has been added to d->scratch */
const char *text_digits(deriver *d, double value);
const char *text_at(deriver *d, const char *name, const int *offset);
const char *text_next(deriver *d, const char *name, int axis, int by);
const char *text_index(deriver *d, int axis);
/* True if some part of e is as asked. */
bool tree_any(const expr *e, bool (*is)(const expr *));
bool tree_reads(const expr *e, const symbol *s);
/* Of an inlined expression (wave_system.c): its degree in the updated fields; 2: not
 * linear. */
int tree_degree(const expr *e);
bool tree_reads_level(const expr *e, const symbol *s, int level);
/* A copy of one node, with room for arguments of its own. */
expr *tree_clone(const deriver *d, const expr *e);

/* Copies e with lets inlined. */
expr *copy_inlined(const deriver *d, const expr *e);
bool reads_field(const expr *e);
/* Copies an inlined expression with `unknown` in place of the unknown and with the
 * coefficients of grid `coarse`; or with their means. */
enum { MEAN = -1 };
expr *copy_with(deriver *d, const expr *e, const expr *unknown, int coarse);
/* Copies the part that is linear in the unknown. NULL: there is none. */
expr *copy_linear(deriver *d, const expr *e, const expr *unknown, int coarse);

/* ---- the operator (form.c, operator.c) --------------------------------------------- */
void form_find(deriver *d);
void spectrum_find(deriver *d);
/* The functions below return text of the derived description. `x` is the text for the
 * unknown, such as "mg_c1'". */
const char *operator_residual(deriver *d, const char *x); /* right - left */
const char *operator_applied(deriver *d, const char *x, int coarse);
/* x + omega/diagonal * residual. */
const char *operator_relaxed(deriver *d, const char *x, double omega,
                             const char *residual, int coarse);
/* omega/diagonal times a residual. */
const char *operator_scaled(deriver *d, double omega, const char *residual, int coarse);
void operator_declare(deriver *d);
/* The weight of the neighbour `by` points further along an axis; 0: none. */
expr *weight_next(deriver *d, int axis, int by);
expr *form_weight(deriver *d, const solve_form *f, int axis, int by);
const char *operator_diagonal(deriver *d, int coarse); /* of weights that vary */
bool operator_is_symmetric(const deriver *d); /* true for all weights that vary */
bool weights_are_symmetric(deriver *d);       /* hierarchy.c: also weights that vary */
double operator_size(const solve_form *f);    /* the sum of the weights' sizes */
/* Share of the sum of constant weights in their size. */
double operator_share(const deriver *d);
bool operator_sums_to_zero(const deriver *d);
bool operator_is_indefinite(const deriver *d);
bool operator_is_oblique(const deriver *d); /* a mixed derivative is strong */
/* From now on the operator of the preconditioner replaces the operator on all grids: with
 * differences against the flow, and c*u of the diagonal's sign. */
void operator_ease(deriver *d);

/* ---- systems (systems.c): d is the first unknown, unless a row is asked for -------- */
#define EACH_AXIS(axis, d) for (int axis = 0; axis < (d)->p->dim; axis++)
#define EACH_UNKNOWN(e, d) for (deriver *e = (d)->first; e; e = e->next)
#define EACH_RELAXED(e, d)                                                               \
    EACH_UNKNOWN(e, d)                                                                   \
        if (!e->apart)
void system_open(deriver *d); /* makes the derivers of the other unknowns */
void system_join(deriver *d);
bool system_suits_cycles(deriver *d);
bool system_holds(const deriver *d, const symbol *unknown);
/* Fields on a grid; only for cycles: without those of unknowns apart. */
vector vector_field(deriver *d, const char *stem, int coarse, bool whole);
vector vector_mapped(deriver *d, const char *before, const vector *v, const char *behind);
/* The part of e that is linear in the unknown of `o`, with x for it. NULL: none. */
expr *system_part(deriver *d, const deriver *o, const expr *e, const expr *x, int coarse);
/* A copy of e with x for the unknowns; NULL: with 0. */
expr *system_with(deriver *d, const expr *e, const vector *x);
vector system_unknowns(const deriver *d);
const char *system_residual(deriver *d, const vector *x);
void system_declare_means(deriver *d);
/* the part of x in the null space, for an unknown that is singular */
const char *null_part(deriver *e, const vector *x);
/* the constant of several unknowns in a message; or "" */
const char *null_together(const deriver *e, arena *a);
void mean_keep(deriver *d); /* declares the mean at the start, and the drift from it */
/* Subtracted from a new value of the unknown: " - ...", or "". */
const char *drift_text(deriver *d);
/* The row of an unknown; `whole`: also with the unknowns apart. */
const char *system_applied(deriver *d, const vector *x, int coarse, bool whole);
/* The weight of an unknown at the point itself, in the row d. NULL: 0. */
const char *system_centre(deriver *d, const deriver *o, int coarse);
void system_write_weights(deriver *d); /* d->weights */
/* omega times the solution of each point's system for residuals. */
vector system_scaled(deriver *d, double omega, const vector *r, int coarse);

/* ---- coarser grids (multigrid/hierarchy.c) ----------------------------------------- */
/* at the point with the weakest coupling */
double strength_weakest(deriver *d, int coarse);
/* Largest ratio of convection to diffusion along an axis. Above 1 a weight has the sign
 * of the diagonal. */
double convection_strongest(deriver *d);
bool convects(const deriver *d); /* enough for cycles alone to converge slowly */
/* At the middle of the grid; coefficients have their initial values, or 1. */
double value_in_middle(deriver *d, const expr *e);
void hierarchy_find(deriver *d);
void strength_find(deriver *d, double *strength);
void hierarchy_declare(deriver *d);
const char *hierarchy_text(deriver *d); /* lists the halved axes for the user */
void hierarchy_list(deriver *d, int grids, text *t);
bool hierarchy_keeps_axes(const deriver *d); /* some grid keeps an axis */
/* grid `coarse` has the axis of the next finer grid */
bool grid_keeps(const deriver *d, int coarse, int axis);
int grid_shift(const deriver *d, int coarse, int axis); /* number of halvings so far */
int64_t grid_extent(const deriver *d, int coarse, int axis);
double grid_strength(const deriver *d, int coarse, int axis);

/* ---- edges (edges.c): of coarser grids, where weights vary; x as "mg_c1'" ---------- */
bool edges_fit(const deriver *d);
void edges_declare(deriver *d);
const char *edges_applied(deriver *d, const char *x, int coarse);
const char *edges_diagonal(deriver *d, int coarse);
const char *edges_scale(deriver *d);
const char *edges_beyond(deriver *d, int face, int coarse);
/* No edges cross the wall. */
bool edges_sealed(const deriver *d, int face);
const char *edges_interpolated(deriver *d, const char *x, int coarse);
const char *edges_restricted(deriver *d, const char *r, int coarse);

/* ---- walls (walls.c): of corrections on a grid ------------------------------------- */
border_kind wall_rule(const deriver *d, int face, int coarse);
double wall_length(const deriver *d, int axis,
                   int coarse); /* between both walls, in spacings */
const char *wall_term(deriver *d, int coarse);
/* The flux correction at the points before insulated walls: " - where(...)", or "". */
const char *wall_flux(deriver *d, const char *x, int coarse);
/* wall_weighed: a residual before restriction. wall_gathered: the factor after
 * restriction to the next grid, "" or "...*". Together they keep the sum over the cells
 * at insulated walls. */
const char *wall_weighed(deriver *d, const char *residual, int coarse);
const char *wall_gathered(deriver *d, int coarse);
/* Distance of the wall behind the last point of a face, in spacings of the grid. */
double wall_gap(const deriver *d, int face, int coarse);
/* The coordinate halfway between the last point before a face and its inner neighbour,
 * moved inwards by `inside` points. A comparison with it selects the last points, without
 * rounding errors. */
double wall_between(const deriver *d, int face, int coarse, int inside);
/* A condition, true at the last point before a face. */
const char *wall_is_last(deriver *d, int face, int coarse);

/* ---- writing (derived_text.c) ------------------------------------------------------ */
/* The mask: a condition, true at the solved points. */
const char *mask_text(deriver *d, int coarse);
const char *write_name(deriver *d, const char *stem);
/* A field with the borders of a correction or residual. write_like_unknown: a field with
 * the borders of the unknown, and its mask; write_bordered: without a mask. */
const char *write_bordered(deriver *d, const char *stem, const char *value);
const char *write_field(deriver *d, const char *stem, int coarse);
/* A field with the equation of this value. Returns the text of the new value,
 * "mg_c1'". */
const char *write_stored(deriver *d, const char *stem, int coarse, const char *value);
/* gives a field the borders of write_field */
void write_zero(deriver *d, const char *name, int coarse);
/* some border of the unknown gives a value other than 0 */
bool write_has_values(deriver *d);
const char *write_like_unknown(deriver *d, const char *stem);
/* A sample of the unknown on a coarser grid; walls have the given values. */
const char *write_sample(deriver *d, const char *stem, int coarse);
/* Border of a coefficient: "periodic" or "clamp". */
const char *write_copies(const deriver *d, int face, bool wraps);
/* If value is NULL, a rule with a value gets 0. */
void solve_write_border(text *t, border_kind kind, const char *names, const expr *value,
                        int face);
void write_equation(deriver *d, const char *name, const char *format, ...)
    PRINTF_LIKE(3, 4);
/* Name of a coefficient on grid `coarse`. */
const char *write_coefficient(deriver *d, const symbol *field, int coarse);
void write_clamped(deriver *d, const symbol *field);
void write_borders(deriver *d);
/* write_inside: a condition, true at the points of the equation. write_weight: the weight
 * of a point in sums over the grid. */
const char *write_inside(deriver *d);
const char *write_weight(deriver *d);
const char *write_cells(deriver *d, int but); /* the same without the walls of an axis */
/* Appends the declarations, the equations and the tail. */
void write_own(deriver *d, text *t);
void deriver_close(deriver *d);
void deriver_free_texts(deriver *d); /* of all its unknowns */
/* a - b; a or b may be missing. */
expr *difference_of(deriver *d, expr *a, expr *b);
/* True if a name of the description begins with these characters. */
bool names_begin(const program *p, const char *start, size_t length);

/* ---- red and black (relaxation.c) -------------------------------------------------- */
typedef enum colour { RED, BLACK } colour;
/* reason why the operator has no colours; or NULL */
const char *colours_refuse(deriver *d);
/* Writes a red-black relaxation of x (NULL: of 0) into the correction field `name` and
 * returns the text of the result. */
const char *red_black_relaxed(deriver *d, const char *name, const char *x, const char *b,
                              double weight, int coarse, colour first);
/* The same for the unknown. Returns the expression of the second half. */
const char *red_black_smoothed(deriver *d, const char *x, double weight);

/* ---- settings and messages (derive.c) ---------------------------------------------- */
int64_t longest_axis(const program *p); /* its points */
int setting_count(deriver *d, const char *name, int usual, int least, int most);
double setting_number(deriver *d, const char *name, double usual, double least,
                      double most);
/* Index of the chosen word. The first word is the default. */
int setting_word(deriver *d, const char *name, const char *const *words, int count);

void solve_fail(deriver *d, pav_status status, const char *format, ...) PRINTF_LIKE(3, 4)
    __attribute__((noreturn));
/* The sentence of the current error message, without its position: the position is a line
 * of derived text, unknown to the user. */
const char *solve_reason(const program *p, char *out, size_t size);

extern const solve_method solve_jacobi, solve_sor, solve_chebyshev, solve_cg,
    solve_bicgstab, solve_gmres, solve_minres, solve_multigrid, solve_vcycle,
    solve_transform, solve_async[4];
/* Transforms (transform.c): the symbol of the weights, and fields of waves. */
const char *transform_refuses(deriver *d);
double transform_time(const deriver *d); /* in expected cycles; HUGE_VAL: never */
/* A solution of mean weights for operator result = b, and reason against it. */
void transform_preconditioned(deriver *d, const char *result, const char *b);
const char *transform_preconditioner_refuses(deriver *d);
/* The symbol of constant weights: its part that is odd along the axes `odd` is i times
 * the text for each of them. NULL: it is 0. */
const char *transform_symbol(deriver *d, const solve_form *f, unsigned odd);
/* The angles of one of LOOKS^3 waves, from the first to the last. */
enum { LOOKS = 9 };
void transform_angles(const deriver *d, int n, double *angle);
void transform_declare(deriver *d, unsigned odd); /* odd: as above */
const char *transform_waves(deriver *d, const char *stem);
bool transform_has_borders(const deriver *d, const symbol *field); /* as of d */
void transform_add_form(deriver *d, const solve_form *f); /* d->form has all reaches */
/* mirrored: axes along which waves exchange with their mirror images */
const char *transform_turned(deriver *d, const char *value, bool back, unsigned mirrored);
/* Steps at once (once.c): the program of a jump, and the statements that it keeps. */
void once_write(deriver *d, text *t);
bool once_keeps(const statement *s);
void faces_find(deriver *d);
/* Writes a cycle for operator result = b on the finest grid, from 0. */
void multigrid_cycle(deriver *d, const vector *result, const vector *b);
const char *multigrid_refuses(deriver *d);

#endif
