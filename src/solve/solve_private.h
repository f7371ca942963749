/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef SOLVE_SOLVE_PRIVATE_H
#define SOLVE_SOLVE_PRIVATE_H

#include "solve/solve.h"

enum {
    MOST_GRIDS = MAX_COARSE + 1,
    MOST_COARSEST = 24,                          /* steps on the coarsest grid */
    MOST_MADE = MAX_DERIVED_FIELDS - MAX_FIELDS, /* fields of a derived program */
};

/* One neighbour of the operator: left - right = sum of weight * unknown[offset] +
 * rest. */
typedef struct solve_tap {
    int offset[MAX_DIM];
    expr *weight;
    double value; /* where all weights are constant */
} solve_tap;

typedef struct solve_form {
    int64_t count, capacity;
    solve_tap *tap;
    bool constant; /* all weights are the same at all points */
    bool spaced;   /* weights hold a spacing: on a coarser grid they are of that grid */
    double diagonal, sum;
} solve_form;

/* The eigenvalues of the operator divided by its diagonal, as its symbol shows them or,
 * where weights vary, as those of the laplacian are. */
typedef struct solve_spectrum {
    double high[MOST_GRIDS];    /* the largest on each grid */
    double smooth[MOST_GRIDS];  /* the least that the next coarser grid does not see */
    double weakest[MOST_GRIDS]; /* of a place alone, where axes are stretched */
    double low[MOST_GRIDS];     /* the least */
} solve_spectrum;

typedef struct deriver deriver;

/* A method: derive writes the equations of a step. */
typedef struct solve_method {
    const char *name, *about;
    const char *const *settings; /* that it takes; NULL-terminated */
    int64_t steps;               /* at most, where the description does not say */
    int every;                   /* steps between two looks at the residual */
    bool needs_spd;
    bool edges; /* coarse grids before it may have weights of edges (edges.c) */
    const char *(*refuses)(deriver *d); /* why it cannot; NULL: it can */
    void (*derive)(deriver *d);
} solve_method;
extern const solve_method *const solve_methods[]; /* NULL-terminated */

struct deriver {
    arena *arena;
    const program *p;
    const statement *solve;
    const symbol *unknown;
    int level; /* of the unknown in the equation: 1 is u' */
    solution *solution;
    const char *given, *solved; /* fields of an equation within a step; or NULL */
    const expr *rest;           /* of such a one: what does not hold the unknown */
    bool is_handed[MAX_FIELDS]; /* fields that its operator reads */
    const solve_method *method;
    const char *why;             /* auto chose the method; or NULL */
    const char *prefix;          /* no name of the description begins so */
    int made;                    /* names so far */
    int grids;                   /* that the grid can be halved to, itself among them */
    unsigned halved[MOST_GRIDS]; /* [k]: the axes that grid k halves, a bit for each */
    double strength[MAX_DIM];    /* with which axes couple, relative to the strongest */
    bool own_hierarchy;          /* the description has a `coarse` statement */
    const expr *left, *right;    /* with lets in place */
    const expr *difference;      /* left - right */
    solve_form form;
    solve_spectrum spectrum;
    unsigned fixed, periodic; /* faces where the unknown is given; that are neighbours */
    char usual_cycle;         /* where nothing is said: 0 is V */
    bool by_multigrid;        /* a cycle preconditions, as `auto` requests it */
    bool singular;            /* nothing fixes a constant */
    const statement *mask;    /* of the unknown, or NULL */
    int masked;               /* grids on which it is a field */
    const char *about;
    int used;                     /* grids of its cycles; 0: it has none */
    bool narrow;                  /* what a cycle corrects by is stored in f32 */
    bool odd_declared;            /* names for odd indices */
    bool parity_declared;         /* a name for the sign of one */
    bool coloured[MOST_GRIDS];    /* grids whose colours have names */
    bool coefficient[MAX_FIELDS]; /* fields that coarser grids need ... */
    bool clamped[MAX_FIELDS];     /* ... and whose borders were completed */
    text *head;                   /* declarations */
    text *equations;
    text *tail;             /* borders, masks */
    text zeros[MOST_GRIDS]; /* names of corrections and residuals on each grid */
    const char
        *wall[MOST_GRIDS]; /* what walls between points add to the diagonal; or NULL */
};

/* ---- the equation (equation.c) ----------------------------------------------------- */
void equation_choose_prefix(deriver *d);
void equation_understand(deriver *d);

/* ---- trees (trees.c): expressions made of others; numbers are folded --------------- */
expr *tree_new(deriver *d, expr_kind kind, int count);
expr *tree_number(deriver *d, num value);
expr *tree_call(deriver *d, function_kind function, expr *a, expr *b); /* b: or NULL */
expr *tree_where(deriver *d, const expr *condition, expr *yes, expr *no);
expr *tree_binary(deriver *d, op_kind op, expr *a, expr *b);
expr *tree_negated(deriver *d, expr *a);
expr *tree_shifted(deriver *d, expr *a, const int *offset);
expr *tree_field(deriver *d, const char *name, int level);
expr *tree_spacing(deriver *d, int axis);
bool tree_is_number(const expr *e, int64_t value);
/* The value, where it is the same at all points of the grid and known now. */
bool tree_known(const deriver *d, const expr *e, double *value);
const char *tree_text(deriver *d, const expr *e);

expr *tree_unknown(deriver *d,
                   int level); /* as the equation has it, if its level is so */

/* ---- copies (copies.c) ------------------------------------------------------------- */
/* With lets in place. */
expr *copy_inlined(deriver *d, const expr *e);
/* Of an inlined expression: `unknown` stands for the unknown, and coefficients are those
 * of a grid. */
expr *copy_with(deriver *d, const expr *e, const expr *unknown, int coarse);
/* The part that is linear in the unknown; NULL where there is none. */
expr *copy_linear(deriver *d, const expr *e, const expr *unknown, int coarse);

/* ---- the operator (form.c, spectrum.c, operator.c) --------------------------------- */
void form_find(deriver *d);
void spectrum_find(deriver *d);
/* Texts. `x` stands for the unknown, such as "mg_c1'". */
const char *operator_residual(deriver *d, const char *x); /* right - left */
const char *operator_applied(deriver *d, const char *x, int coarse);
/* x + omega/diagonal * residual. */
const char *operator_relaxed(deriver *d, const char *x, double omega,
                             const char *residual, int coarse);
/* omega/diagonal of a residual alone. */
const char *operator_scaled(deriver *d, double omega, const char *residual, int coarse);
/* By what a residual is multiplied that is restricted to a grid. */
int operator_gain(const deriver *d, int coarse);
/* Where weights are constant: that of a tap on a grid. */
double operator_weight(const deriver *d, const solve_tap *t, int coarse);
void operator_declare(deriver *d);
const char *operator_diagonal(deriver *d);    /* of the grid */
bool operator_is_symmetric(const deriver *d); /* as far as constant weights say */
bool operator_sums_to_zero(const deriver *d);
/* Of fourth order, together with right sides that are averaged as it asks for: by `blur`
 * times the sum of second differences from one grid to the next (order.c). */
bool operator_is_fourth(const deriver *d, double *blur);

/* ---- coarser grids (multigrid/hierarchy.c, multigrid/strength.c) ------------------- */
void strength_find(deriver *d, double *strength);
double strength_weakest(deriver *d, int coarse); /* at the place where it is least */
void hierarchy_find(deriver *d);
void hierarchy_declare(deriver *d);
const char *hierarchy_text(deriver *d); /* which axes are halved, in words */
void hierarchy_list(deriver *d, int grids, text *t);
bool hierarchy_keeps_axes(const deriver *d);             /* some grid does */
bool grid_keeps(const deriver *d, int coarse, int axis); /* as the next finer one */
int grid_shift(const deriver *d, int coarse, int axis);  /* how often it was halved */
int64_t grid_extent(const deriver *d, int coarse, int axis);
double grid_strength(const deriver *d, int coarse, int axis);

/* ---- edges (edges.c): of coarser grids, where weights vary; x as "mg_c1'" ---------- */
bool edges_fit(const deriver *d);
/* Grid `coarse` keeps an axis, or has one point there: its neighbours copy it. */
bool edges_keep(const deriver *d, int axis, int coarse);
void edges_declare(deriver *d);
const char *edges_applied(deriver *d, const char *x, int coarse);
const char *edges_diagonal(deriver *d, int coarse);
const char *edges_beyond(deriver *d, int face, int coarse);
const char *edges_name(deriver *d, int axis, int coarse); /* from each point onwards */
const char *edges_next_to(deriver *d, const char *x, int axis, int by); /* x[by] */
/* edge_transfers.c */
const char *edges_interpolated(deriver *d, const char *x, int coarse);
const char *edges_restricted(deriver *d, const char *r, int coarse);

/* ---- walls (walls.c): of corrections on a grid ------------------------------------- */
border_kind wall_rule(const deriver *d, int face, int coarse);
double wall_length(const deriver *d, int axis,
                   int coarse); /* between both walls, in spacings */
int64_t wall_unknowns(const deriver *d, int axis, int coarse);
const char *wall_term(deriver *d, int coarse);
/* What is taken off of a point before an insulated one: " - where(...)", or "". */
const char *wall_flux(deriver *d, const char *x, int coarse);
/* A residual on a grid, to be restricted, and the factor ("" or "...*") of what it gives
 * on the next, so that of cells at insulated walls nothing is lost. */
const char *wall_weighed(deriver *d, const char *residual, int coarse);
const char *wall_gathered(deriver *d, int coarse);
/* In spacings of a grid: how far behind its last point a face's wall lies. */
double wall_gap(const deriver *d, int face, int coarse);
/* Half-way between the last point before a face and the one further inside; between
 * those that lie `inside` points further in. */
double wall_limit(const deriver *d, int face, int coarse);
double wall_between(const deriver *d, int face, int coarse, int inside);
/* A condition: the point is the last before a face. */
const char *wall_is_last(deriver *d, int face, int coarse);

/* ---- the mask (mask_text.c): a condition, at the points that are solved for -------- */
const char *mask_text(deriver *d, int coarse);

/* ---- writing (derived_text.c) ------------------------------------------------------ */
const char *write_name(deriver *d, const char *stem);
/* A field whose borders are those of a correction (or residual); of `like` those of the
 * unknown. */
const char *write_field(deriver *d, const char *stem, int coarse);
void write_zero(deriver *d, const char *name, int coarse); /* it has such borders, too */
bool write_has_values(deriver *d); /* a border of the unknown gives one that is not 0 */
const char *write_like_unknown(deriver *d, const char *stem);
/* What samples the unknown on a grid: at walls it has the values that are given. */
const char *write_sample(deriver *d, const char *stem, int coarse);
/* The border of a coefficient: "periodic" where it wraps, else "clamp". */
const char *write_copies(const deriver *d, int face, bool wraps);
/* value: NULL is 0 where the rule needs one. */
void solve_write_border(text *t, border_kind kind, const char *names, const expr *value,
                        int face);
void write_equation(deriver *d, const char *name, const char *format, ...)
    PRINTF_LIKE(3, 4);
/* Of a coefficient on a coarser grid: its name there. */
const char *write_coefficient(deriver *d, const symbol *field, int coarse);
void write_clamped(deriver *d, const symbol *field);
void write_borders(deriver *d);
/* A condition that holds at the points that are solved for; of the weights of sums see
 * weights. */
const char *write_inside(deriver *d);
const char *write_weight(deriver *d);

/* ---- red and black (red_black.c) --------------------------------------------------- */
typedef enum colour { RED, BLACK } colour;
const char *stretched_refuse(deriver *d);         /* why indices are not known; or NULL */
const char *colours_refuse(deriver *d);           /* why an operator has none; or NULL */
const char *colours_name(deriver *d, int coarse); /* above 0 at red points of a grid */
/* A relaxation of x (NULL: 0) into a field of a correction, whose level after it is the
 * result. */
const char *red_black_relaxed(deriver *d, const char *name, const char *x, const char *b,
                              double weight, int coarse, colour first);
/* Of the unknown: the expression of its second half. */
const char *red_black_smoothed(deriver *d, const char *x, double weight);

/* ---- settings (method_settings.c) -------------------------------------------------- */
int setting_count(deriver *d, const char *name, int usual, int least, int most);
double setting_number(deriver *d, const char *name, double usual, double least,
                      double most);
/* Which of the words, the first where nothing is said. */
int setting_word(deriver *d, const char *name, const char *const *words, int count);
void setting_check(deriver *d);

void solve_fail(deriver *d, pav_status status, const char *format, ...) PRINTF_LIKE(3, 4)
    __attribute__((noreturn));
/* Of the mistake in a derived text its sentence, without a place and a line that nobody
 * wrote. */
const char *solve_reason(const program *p, char *out, size_t size);

/* Chebyshev: step k of `count` steps that damp what lies between low and high, as a
 * relaxation. */
double chebyshev_root(double low, double high, int k, int count);

/* derive.c: of one equation; what stands in a step in its place is added to `step`. */
pav_status solve_one(const program *p, const statement *equation, int number, text *step,
                     solution *result);
/* Messages name lines of the description, s, not of the text that was derived, m. */
void statement_keep_place(const statement *s, statement *m);
/* step_program.c: of all, which stand in a step. */
pav_status solve_in_steps(const program *p, solution *result);

/* ---- equations within a step (in_step.c) ------------------------------------------- */
void step_part(deriver *d);
bool step_keeps(const deriver *d, const statement *s); /* for the solver's description */
void step_print(const deriver *d, const statement *s, text *t);
void step_equations(deriver *d, text *t); /* in place of the equation */

extern const solve_method solve_jacobi, solve_sor, solve_chebyshev, solve_cg,
    solve_multigrid, solve_vcycle, solve_async[4];
/* A cycle for  operator result = b  on the grid, from 0. */
void multigrid_cycle(deriver *d, const char *result, const char *b);
const char *multigrid_refuses(deriver *d);

#endif
