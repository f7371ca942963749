/* SPDX-License-Identifier: BSD-3-Clause */
/* Shared by the files of lang: tokens, mistakes, names in scope, and the reads of
 * expressions.
 *
 * A text is read once. Each statement is parsed, its names are resolved and its own rules
 * are checked before the next statement. Names are therefore declared before their use.
 * Rules between statements are checked at the end. Later checks skip a statement with a
 * mistake. The names declared by such a statement stay declared (`bad`), so that each
 * mistake is reported once. */
#ifndef LANG_LANG_PRIVATE_H
#define LANG_LANG_PRIVATE_H

#include "lang/lang.h"

/* ---- tokens (lexer.c) -------------------------------------------------------------- */

typedef enum token_kind {
    TOKEN_END,
    TOKEN_NEWLINE, /* not within () or [] */
    TOKEN_NAME,
    TOKEN_NUMBER,
    TOKEN_STRING, /* text is the content of the quotes */
    TOKEN_SIGN,
    TOKEN_BAD, /* no token of the language; `why` is reported once parsed */
} token_kind;

typedef struct token {
    token_kind kind;
    char sign[3]; /* "+", "<=", ";" */
    bool inside;  /* stands within {}: a newline or ; ends no statement */
    int length;
    const char *text;
    const char *why; /* TOKEN_BAD: the sentence about it */
    place at;
} token;

/* ---- mistakes (mistakes.c) --------------------------------------------------------- */

typedef struct mistake {
    place at;
    const char *message;
} mistake;

/* Also a list of warnings. */
typedef struct mistake_list {
    int count; /* may exceed MAX_MISTAKES; further mistakes are only counted */
    mistake item[MAX_MISTAKES];
} mistake_list;

/* ---- reads of an expression (reads.c) ---------------------------------------------- */

/* The point of the field for point i of the reader: see ir_transfer in plan.h. */
typedef enum read_transfer { READ_SAME, READ_TO_FINE, READ_TO_COARSE } read_transfer;

/* The points that are read, from the reader's point. */
typedef struct read_reach {
    read_transfer transfer;
    bool reduced; /* inside a reduction: read at every point of the grid */
    bool derived; /* inside a derivative */
    /* Axes, a bit each. let_axes: a let reads the points on both sides. let_moved: such a
     * let is itself read at neighbours; from bit MAX_DIM on, by a restriction alone. */
    unsigned let_axes, let_moved;
    /* Offsets along each axis; kept_: along an axis that the transfer keeps. */
    int lo[MAX_DIM], hi[MAX_DIM];
    int kept_lo[MAX_DIM], kept_hi[MAX_DIM];
} read_reach;

/* All reads of one level of one field, or of a let's argument, with the same transfer. */
typedef struct field_read {
    symbol *symbol;
    int level;
    read_reach reach;
    place at;
} field_read;

/* Other dependences of an expression. */
typedef enum use_kind {
    USE_POINT,
    USE_TIME,
    USE_SCALAR,
    USE_MEASURE,
    USE_RANDOM,
    USE_UNIFORM,
    USE_REDUCTION,
    USE_RESTRICT,
    USE_INTERPOLATE,
    USE_LINE,
    USE_COUNT_CHECKED,
    USE_SPACING = USE_COUNT_CHECKED, /* h, hx, ...; these two can stand anywhere */
    USE_LET_SPACING,                 /* the same inside a let */
    USE_COUNT,
} use_kind;

typedef struct use {
    const char *name; /* the user's name for it; NULL: not used */
    place at;
} use;

enum {
    MAX_OPEN = 8 /* beyond these the compiler finds mixed grids, later */
};

typedef struct reads {
    int64_t count, capacity;
    field_read *item;
    use use[USE_COUNT];
    /* Of a let: the reads of its reductions, if they include the let's arguments. */
    int open;
    const struct reads *reduced[MAX_OPEN];
} reads;

/* A value known before a run (constant.c). */
typedef struct constant {
    bool known;
    bool quiet;   /* not known because of a mistake that was reported */
    bool early;   /* not known because the grid stands further down */
    int depth;    /* of lets with arguments, while it is being found */
    bool divided; /* divides by 0, first at `divisor` */
    place divisor;
    num value;
    const char *why; /* it is not known; NULL when quiet */
    place at;
} constant;

/* A file of `include`. `at` is the place of the statement in the description. */
typedef struct included {
    const char *path, *source;
    int64_t length;
    place at;
} included;

/* ---- the parser's state ------------------------------------------------------------ */

/* Shape of an expression on a mesh: number or vector, with its degree in the trial and
 * the test function. */
typedef struct form_shape {
    bool vector;
    int degree[2];
} form_shape;

struct symbol_notes {
    bool bad;           /* declared by mistake; further uses are not reported */
    bool poison;        /* undeclared so far; a declaration may follow */
    bool parted;        /* let: its value takes a part of a complex number */
    bool typed;         /* argument: its type is known */
    reads *reads;       /* let: its value; stencil: its weights */
    constant *constant; /* let without arguments: its value */
    const num *bound;   /* argument: its value while constants are evaluated */
    double uses;        /* argument: how often it stands in the value */
    int degree;         /* argument: of the polynomial in a solve's unknown */
    form_shape shape;   /* argument: of a form, or of a let in one */
    const statement *equation, *solver; /* field: the statement that computes it */
    int64_t equation_number;            /* in order, from 1; 0: none yet */
    const statement *mask, *rule[MAX_DIM][2];
    place beyond_at[MAX_DIM][2];         /* the farthest read beyond each face */
    const reads *rule_reads[MAX_DIM][2]; /* field: reads of its border's value */
    int64_t samples;                     /* field: without a file, so far */
    /* At the start, for each level: the value is known; its border is known. */
    bool ready[MAX_LEVEL + 1], closed[MAX_LEVEL + 1];
};

/* A correct statement with the reads of its expression (solve: of both sides). */
typedef struct checked {
    statement *statement;
    const reads *reads;
} checked;

/* An index of a table, not known before the run; and the number of elements. */
typedef struct lookup {
    const expr *index;
    int parts;
} lookup;

typedef struct setting {
    char *name;
    const char *value;
    const char *why; /* the value cannot be taken, or NULL */
    bool used;
    bool varies; /* name:=value: no constant of the kernels */
} setting;

typedef struct parser {
    arena *arena;
    program *program;
    const char *source, *name;
    int64_t length;
    included *include;
    int64_t includes, include_capacity;
    int64_t tokens, token_capacity;
    token *token;
    const token *next;
    mistake_list mistakes, warnings;
    int mistakes_before; /* this statement */
    bool panic;          /* no further reports about the form of this statement */
    bool declares;       /* the statement may be a misspelt declaration */
    bool frozen;         /* a setting is read: no name is added */
    int depth;           /* of the expression being parsed */
    int64_t nodes;       /* of the expression being parsed */
    int64_t size;        /* of all expressions so far, written out */
    int dim;             /* 0: the description has no grid */
    bool derived;        /* from a checked program (program_parse_derived) */
    int list, turn;  /* the statement is of a list of so many parts: it takes this part */
    bool is_complex; /* ... which are the parts of complex numbers */
    bool numbers;    /* ... and of fields that are no lists */
    bool has_complex; /* a complex field was declared */
    bool parted;      /* a part of a complex number was taken since the last let */
    bool on_mesh;     /* some line begins with `mesh` */
    unsigned parts;   /* of this statement, so far */
    reads *reads;     /* of this statement's expressions */
    bool grid_known;  /* extents and spacings are known */
    bool grid_bad;    /* its statement has a mistake */
    place builtin_at[BUILTIN_COUNT]; /* first use of h, t, ...; line 0: none */
    const num *moved[MAX_DIM];       /* a coordinate, while the axis is stretched */
    symbol **table;                  /* hash table of the names declared */
    int64_t names, table_size;
    symbol **argument; /* of the let being parsed */
    int arguments;
    symbol *unknown; /* placeholder for undeclared names */
    int64_t equations;
    bool has_lines; /* operations along axes were parsed */
    int64_t checks, check_capacity;
    checked *check;
    int64_t lookups, lookup_capacity;
    lookup *lookup;
    int64_t settings;
    setting *setting;
    statement **last;
    statement *grid, *real, *steps;
} parser;

/* Notes a mistake at a place of the text. This function, mistake_near and the functions
 * syntax_... return false, so that a check ends with `return mistake_at(...)`. */
bool mistake_at(parser *p, place at, const char *format, ...) PRINTF_LIKE(3, 4);
/* Notes a warning, for the run to hand on. Derived programs have none. */
void warn_at(parser *p, place at, const char *format, ...) PRINTF_LIKE(3, 4);
/* The text of all warnings, like that of mistakes; NULL: there is none. */
const char *warnings_print(const parser *p);
/* Suggests the word nearest to the token, if any. `near` selects the words: */
enum {
    NEAR_STATEMENTS = 1,
    NEAR_PARTS = 2,
    NEAR_CALLS = 4,   /* words and names followed by parentheses */
    NEAR_VALUES = 8,  /* words without parentheses */
    NEAR_FIELDS = 16, /* names of fields */
    NEAR_NAMES = 32,  /* names without parentheses */
};
/* "; did you mean 'u'?", of words in a list; or "". */
const char *did_you_mean(parser *p, const char *word, const char *const *list, int count);
bool mistake_near(parser *p, const token *word, unsigned near, const char *format, ...)
    PRINTF_LIKE(4, 5);
/* A mistake in the form of a statement. It is reported once per statement; the rest of
 * the statement is skipped. */
#define syntax_mistake(p, ...) syntax_mistake_at(p, place_here(p), __VA_ARGS__)
/* Like syntax_mistake, for a place behind the cursor. */
bool syntax_mistake_at(parser *p, place at, const char *format, ...) PRINTF_LIKE(3, 4);
/* The place of the next token. At the end of the text: the place behind the last word or
 * sign, because the end may be many lines below. */
place place_here(const parser *p);
/* Skips the rest of the statement; nothing more is reported about its form. */
void abandon_rest(parser *p);
bool statement_is_bad(const parser *p); /* the one being parsed has a mistake */
pav_status mistakes_report(const parser *p);

/* False if the whole text is unusable; the reason is reported. */
bool lexer_read(parser *p);
/* Finds a sign of another language at `at`. Returns its length in bytes, and in *why the
 * sign of this language; 0: none. */
int foreign_find(parser *p, const char *at, const char *end, const char **why);
/* Message for a word that begins statements in another language; or NULL. */
const char *foreign_statement(const parser *p, const token *t);
bool foreign_is_wide(const char *at, const char *end); /* a full-width character */

/* ---- words (calls.c) --------------------------------------------------------------- */

typedef struct operator_info {
    const char *sign;
    int precedence;
    int left, right; /* least precedence of the operands without parentheses */
} operator_info;
extern const operator_info operator_table[OP_MOD + 1];
enum {
    PRECEDENCE_OR = 1,
    PRECEDENCE_AND,
    PRECEDENCE_NOT,
    PRECEDENCE_COMPARE,
    PRECEDENCE_SUM,
    PRECEDENCE_PRODUCT,
    PRECEDENCE_UNARY,
    PRECEDENCE_POWER,
    PRECEDENCE_POSTFIX,
};

/* Index of a word in a list, or -1. */
int word_find(const char *const *list, int count, const char *word, int length);
bool word_is_in(const token *t, unsigned near); /* one of such a list */
/* word_is_known: a word of the language. word_is_reserved: it cannot be a name.
 * word_is_call: it stands before a parenthesis; a let with arguments or a stencil may
 * have its name if word_is_hidden.
 * word_begins_statement: the first word of a statement; statement_example has one. */
const char *statement_example(const token *word);
typedef bool word_test(const char *word, int length);
word_test word_is_known, word_is_reserved, word_is_call, word_is_hidden;
word_test word_begins_statement;
/* Lists reserved words: first words of statements, words inside statements, or words of
 * expressions. */
const char *const *word_list(unsigned near, int *count);
/* "dxxy": the order of the derivative along each axis; false: not a derivative. */
bool derivative_find(const char *word, int length, int derivative[MAX_DIM]);

/* ---- names (declarations.c) -------------------------------------------------------- */

/* symbol_find also finds the argument of a let, and f.k, where k is an index. */
symbol *symbol_find(const parser *p, const char *word, int length);
symbol *symbol_exact(const parser *p, const char *word, int length);
/* Declares a symbol. A name in use or a reserved word is a mistake; the symbol is then
 * not in scope. */
symbol *symbol_declare(parser *p, symbol_kind kind, const token *name);
/* "a coordinate"; report_reserved: the mistake of a declaration */
const char *word_purpose(const parser *p, const token *name);
void report_reserved(parser *p, const token *name);
symbol *symbol_new(parser *p, symbol_kind kind, const token *name);
symbol *symbol_hidden(parser *p, symbol_kind kind, const char *name,
                      place at); /* found by no name */
const char *symbol_kind_name(symbol_kind kind);
/* Marks a name with a mistake: its uses are not reported until it is declared. */
void symbol_poison(parser *p, const token *name);
bool symbol_poisoned(const parser *p, const token *name);
/* Reports an undeclared name, once. The message gives its later declaration, the word of
 * this language for it, or the nearest name. */
void report_unknown(parser *p, const token *name, const char *what, unsigned near);

/* lexer.c: renames the second axis in all tokens; true for words that name it. */
void upright_tokens(parser *p);
bool upright_turns(const token *name);

/* ---- the cursor (lexer.c) ---------------------------------------------------------- */

bool token_is(const token *t, const char *word); /* a name or a sign */
bool next_is(const parser *p, const char *word);
const token *take(parser *p);
/* accept_on, expect_on: skip newlines after the word too, for =, commas and operators. */
typedef bool word_taker(parser *p, const char *word);
word_taker accept, accept_on, expect, expect_on;
/* Expects the sign that closes the bracket at `open`. */
void expect_closed(parser *p, const token *open, const char *sign);
const token *expect_name(parser *p, const char *what); /* NULL after a mistake */
const char *expect_string(parser *p);                  /* NULL after a mistake */
void skip_newlines(parser *p);
bool at_statement_end(const parser *p);
/* True at the end of a statement. Otherwise the next token is reported. */
bool statement_ends(parser *p);
char *token_text(parser *p, const token *t);
/* reports the token behind a complete statement (leftover.c) */
void report_rest(parser *p);

/* ---- expressions (expression.c, calls.c) ------------------------------------------- */

/* expr_parse: a whole one, counted from nothing. expr_parse_any: the same, also a list.
 * expr_parse_part: in a statement about a list a number, or the part of this turn.
 * expr_parse_factors: up to the next sum or comparison. expr_parse_inside: part of
 * another. */
typedef expr *expr_parser(parser *p);
expr_parser expr_parse, expr_parse_any, expr_parse_part, expr_parse_factors,
    expr_parse_inside, primary_parse;
expr *expr_copy(parser *p, const expr *e);
/* A copy of the value of a let, with the arguments of a call in place. */
expr *let_applied(parser *p, const expr *e, const expr *apply);
expr *number_new(parser *p, place at, num value);
expr *expr_call(parser *p, place at, function_kind function, int count, expr *const *arg);
/* Behind a bracket: 1, 0, -1]. Returns their number. */
int offsets_parse(parser *p, const token *open, int offset[MAX_DIM]);
/* Tests for calls that have a parser of their own, and these parsers. list_: dot, grad,
 * div, curl; complex_: re, im, conj, arg; mesh_: grad, dot, integral; call_parse: a
 * reserved word, NULL for other words. */
typedef bool call_test(const parser *p, const token *name);
typedef expr *call_parser(parser *p, const token *name);
call_test list_is_call, complex_is_call, mesh_is_call;
call_parser list_call_parse, complex_call_parse, mesh_call_parse, call_parse;
/* Parses a call of a declared name. For s = NULL the arguments are only parsed. */
expr *call_parse_named(parser *p, const token *name, symbol *s);
expr *expr_new(parser *p, expr_kind kind, place at);
/* A closed expression like the given one, with these arguments. */
expr *expr_make(parser *p, place at, expr like, int count, expr *const *arg);
expr *expr_unknown(parser *p, place at); /* takes the place of a mistake */
/* Reports a mistake, and takes its place. */
#define EXPR_MISTAKE(p, at, ...)                                                         \
    (mistake_at((p), (at), __VA_ARGS__), expr_unknown((p), (at)))
void expr_close(parser *p, expr *e); /* sets height and size; too large is a mistake */
expr *expr_unary(parser *p, op_kind op, place at, expr *arg);
expr *expr_binary(parser *p, op_kind op, expr *left, expr *right);
void expr_arguments(parser *p, expr *e, int count, expr *const *arg);
/* Number of uses of a let's argument in an expression, with lets inlined. */
double argument_uses(const parser *p, const expr *e, const symbol *argument);

/* ---- lists (lists.c) --------------------------------------------------------------- */

/* Field `part` of a list of fields, or another part. */
symbol *list_part(const parser *p, const symbol *of, int part);
symbol *list_part_named(const parser *p, const char *word, int length); /* f.k; or NULL */
/* The symbol before the last point, or NULL. */
const symbol *list_of_part(const parser *p, const char *word, int length);
/* Turns a name into that of a part; the first one declares the list. */
void list_declare(parser *p, token *name, int parts, bool is_complex, int part,
                  bool first);
/* The part to declare in this turn, and its name. */
expr *list_declared(parser *p, expr *value, token *name);
/* Takes the name of a field that is no list, after the first turn. */
bool list_skip(parser *p);
bool list_refused(parser *p, const expr *e); /* reports a list in place of a number */
/* Part of a list of so many (0: a number is needed); a number serves as each part. */
expr *list_turn(parser *p, expr *e, int parts, int part);
expr *list_new(parser *p, place at, int count, expr *const *part);
expr *list_value(parser *p, place at, symbol *s); /* of a name */
/* The `for` within the bracket at the cursor, or NULL; the list that it makes. */
const token *list_loop(const parser *p);
expr *list_each(parser *p, const token *loop);
expr *list_parse(parser *p, const token *open); /* [a, b], [e for k from 0 to 8] */
expr *list_element(parser *p, const expr *list, const token *open, const char *closes);
expr *list_part_parse(parser *p, const expr *list); /* behind a point */
/* u.npy in the turn of x: u.x.npy */
const char *list_file(const parser *p, const char *path);

/* ---- complex numbers (complex.c) --------------------------------------------------- */

expr *complex_unit(parser *p, place at); /* i */
/* An operation on complex numbers in place of one of numbers; false: take both parts. */
bool complex_close(parser *p, expr *e);

/* ---- statements (statements.c and those it calls) ---------------------------------- */

/* The statements of the language. X(word, KIND, grid, mesh, more, declares, example):
 *
 *     grid, mesh  parse it in a program on a grid and on a mesh; NULL: there is none
 *     more        true if another declaration follows without its word; moves to it
 *     declares    the names of a wrong statement count as declared */
#define STATEMENT_LIST(X)                                                                \
    X(grid, GRID, grid_parse, NULL, NULL, DECLARES_NOTHING, "grid x 100, y 100")         \
    X(real, REAL, real_parse, NULL, NULL, DECLARES_NOTHING, "real f32")                  \
    X(param, PARAM, value_parse, value_parse, more_values, DECLARES_NAMES,               \
      "param a = 1")                                                                     \
    X(scalar, SCALAR, value_parse, NULL, more_values, DECLARES_NAMES, "scalar s = 0")    \
    X(let, LET, let_parse, let_parse, more_lets, DECLARES_NAMES, "let f = u^2")          \
    X(field, FIELD, field_declare, mesh_field_declare, more_fields, DECLARES_NAMES,      \
      "field u = 0")                                                                     \
    X(stencil, STENCIL, stencil_parse, NULL, NULL, DECLARES_NOTHING,                     \
      "stencil S { centre -2; face 1 }")                                                 \
    X(border, BORDER, border_parse, mesh_border_parse, NULL, DECLARES_NOTHING,           \
      "border u = 0")                                                                    \
    X(absorb, ABSORB, absorb_parse, NULL, NULL, DECLARES_NOTHING, "absorb 20 cells")     \
    X(mask, MASK, mask_parse, NULL, NULL, DECLARES_NOTHING, "mask x < 3")                \
    X(inject, INJECT, inject_parse, NULL, NULL, DECLARES_NOTHING,                        \
      "inject 1 into u at (3, 3)")                                                       \
    X(sample, SAMPLE, sample_parse, NULL, NULL, DECLARES_NOTHING, "sample u at (3, 3)")  \
    X(measure, MEASURE, measure_parse, measure_parse, NULL, DECLARES_ON_MESH,            \
      "measure m = max(u)")                                                              \
    X(until, UNTIL, condition_parse, NULL, NULL, DECLARES_NOTHING, "until t >= 1")       \
    X(steps, STEPS, steps_parse, NULL, NULL, DECLARES_NOTHING, "steps 100")              \
    X(output, OUTPUT, output_parse, mesh_output_parse, NULL, DECLARES_NOTHING,           \
      "output u into \"u.png\"")                                                         \
    X(expect, EXPECT, condition_parse, condition_parse, NULL, DECLARES_NOTHING,          \
      "expect max(u) < 1")                                                               \
    X(solve, SOLVE, solve_parse, mesh_solve_parse, NULL, DECLARES_NOTHING,               \
      "solve laplace(u) = f by auto to 1e-8")                                            \
    X(checkpoint, CHECKPOINT, checkpoint_parse, NULL, NULL, DECLARES_NOTHING,            \
      "checkpoint every 1000")                                                           \
    X(chaotic, CHAOTIC, chaotic_parse, NULL, NULL, DECLARES_NOTHING, "chaotic 7 by 64")

/* Parses a statement behind its word; p->reads gets the reads of its expressions. False:
 * the rules between statements leave it out. */
typedef bool statement_parse(parser *p, statement *s);
statement_parse grid_parse, coarse_parse, real_parse, value_parse, let_parse;
statement_parse field_declare, stencil_parse, border_parse, absorb_parse, mask_parse;
statement_parse inject_parse, sample_parse, measure_parse, output_parse, solve_parse;
statement_parse mesh_parse, mesh_field_declare, form_parse, mesh_solve_parse;
statement_parse mesh_border_parse, mesh_output_parse, advance_parse;
typedef bool statement_more(parser *p);
statement_more more_values, more_lets, more_fields;

void statements_parse(parser *p);
/* The place in the description: of an included file that of its `include`. */
place place_outside(const parser *p, place at);
statement *statement_new(parser *p, statement_kind kind, place at);
symbol *field_parse(parser *p); /* NULL after a mistake */
/* Reports a grid with more bytes than 64 bits can count. */
void grid_report_large(parser *p, place at, double bytes);
void type_parse(parser *p, pav_type *type);
/* Parses an axis of the grid that is not among `taken`; 0 after a mistake. */
int axis_parse(parser *p, unsigned taken, const char *what);

/* Parts of statements about recorded and written values. part_parse parses one of the
 * given parts, if it stands here. Most may be given once only. */
enum {
    PART_EVERY = 1,
    PART_INTO = 2,
    PART_BY = 4, /* the method of points */
    PART_SLICE = 8,
    PART_CROP = 16,
    PART_STRIDE = 32,
    PART_RANGE = 64,
    PART_COLOURS = 128,
    PART_LAYER = 256, /* this and the next one: of pictures on a mesh */
    PART_CUT = 512,
    PART_LABEL = 1024,
    PART_CONTOURS = 2048,
    PART_ARROWS = 4096, /* and streamlines */
    PART_SIZE = 8192,
};
bool part_parse(parser *p, statement *s, unsigned parts);
/* Parses names in parentheses, if any. They stay in scope until p->arguments is set to
 * 0. */
void arguments_parse(parser *p, symbol **argument);

/* ---- constants (constant.c) -------------------------------------------------------- */

constant constant_find(parser *p, const expr *e);
void constant_settle(parser *p, symbol *let);
/* Stores the spacing shared by all axes; false: they differ. */
bool spacing_shared(const program *tree, num *step);
const char *spacing_differs(parser *p); /* message about different spacings */
/* The binary operations along the left operands of *e, innermost first. *e becomes the
 * first operand. */
const expr **constant_chain(arena *a, const expr **e, int64_t *count);
/* Reports a known value that is not finite: a division by 0, or `what` must be finite. */
void report_infinite(parser *p, const expr *e, const constant *c, const char *what);
/* Stores a constant value, or reports a mistake. The message names the value by `what`,
 * such as "the extent". */
bool constant_need(parser *p, const expr *e, const char *what, num *value);
bool constant_integer(parser *p, const expr *e, const char *what, int64_t least,
                      int64_t most, int64_t *value);
/* Parses an expression with such a value. */
expr *integer_parse(parser *p, const char *what, int64_t least, int64_t most,
                    int64_t *value);
/* Settles the value of a param or scalar, from its declaration or the settings. */
void value_settle(parser *p, symbol *s);

/* The settings in a program's options ("name=value"), in place of declared values. */
pav_status settings_take(parser *p, const char *const *set);
pav_status settings_done(const parser *p); /* reports wrong settings and unknown names */

/* ---- checks ------------------------------------------------------------------------ */

/* Marks conditions. A condition in place of a number, or the reverse, is a mistake. */
void type_check(parser *p, expr *e, bool condition);
void type_settle(parser *p, expr *e); /* of a let: accepts both kinds */

void reads_collect(parser *p, const expr *e, reads *into);
/* Contexts of expressions. The context decides which values are allowed. */
typedef enum context {
    CONTEXT_PARAM,
    CONTEXT_PARAM_DERIVED,
    CONTEXT_SCALAR,
    CONTEXT_INITIAL,
    CONTEXT_SHOWN, /* an expression of an output */
    CONTEXT_UPDATE,
    CONTEXT_EVOLVE,
    CONTEXT_BORDER,
    CONTEXT_MASK,
    CONTEXT_INJECT,
    CONTEXT_AFTER,
    CONTEXT_SAMPLE,
    CONTEXT_SOLVE,
    CONTEXT_SOLVE_STEP, /* in each step */
} context;
/* Checks types, reads and the rules of the context. The reads are kept for the rules
 * between statements. */
void expr_check(parser *p, expr *e, bool condition, context where, int coarse,
                reads *into);
void statement_check(parser *p, statement *s, const reads *r); /* remembers it */
reads *reads_new(parser *p);

/* True if the program has a statement of these kinds: 1 << STATEMENT_... */
bool statements_include(const program *tree, unsigned kinds);
/* Checks the rules between statements, after the last statement (program_check, and on a
 * mesh mesh_program_check):
 *
 *     advance     makes the equations of methods in time
 *     matched     makes the fields and equations of matched layers
 *     lines       makes the fields and equations of line operations
 *     levels      u', prev(u, k)
 *     stretch     decides if the fields along a stretched axis are periodic
 *     rules       borders and absorbing layers, face by face
 *     gathers     makes the parts of samples of expressions
 *     files       endings and colours of written files
 *     overwrites  one file twice
 *     radius      reads beyond the faces
 *     lookups     makes the params that check indices */
typedef void program_rule(parser *p);
program_rule program_check, mesh_program_check, advance_check, matched_check, lines_check,
    levels_check, stretch_check, rules_check, gathers_check, files_check,
    overwrites_check, radius_check, lookups_check, divisors_check;
/* True if a border gives the outermost points of a face. */
void border_join(parser *p, statement *s, reads *list); /* with its `rest` (borders.c) */
bool fixes_face(const symbol *field, int axis, int side);
bool is_equation(const statement *s); /* of a step */
/* A statement like the given one, made by the checker and inserted at *at, which moves
 * behind it. equation_made also checks it; statement_check_again: a changed equation. */
statement *statement_made(parser *p, statement ***at, statement like);
void equation_made(parser *p, statement ***at, statement like);
void statement_check_again(parser *p, statement *s);
/* The field values in a sampled expression (taps.c). False: it is no sum of field values;
 * this is a mistake if `reports`. */
typedef struct sample_taps {
    int64_t count;
    sample_tap *item;
} sample_taps;

/* On a mesh (mesh_check.c): the allowed contents of nodal values, forms, and values at
 * the end of a run. */
typedef enum mesh_place { MESH_HEIGHT, MESH_NODE, MESH_FORM, MESH_AFTER } mesh_place;
void mesh_expr_check(parser *p, expr *e, bool condition, mesh_place where);
void form_check(parser *p, symbol *form);

/* ---- the catalogue (catalogue*.c) -------------------------------------------------- */

enum {
    MAX_KEYS = 6 /* of one entry, `steps` left out */
};

typedef enum catalogue_kind {
    KEY_INTEGER,
    KEY_EVEN,
    KEY_REAL,
    KEY_CHOICE
} catalogue_kind;

/* A parameter of an entry. The value of a choice is the index of the word. */
typedef struct catalogue_key {
    const char *name;
    catalogue_kind kind;
    double usual, least, most;
    const char *words; /* of a choice: "none|fe|fd" */
} catalogue_key;

/* `body` is the program without grid, real and steps. In it, $key is replaced by the
 * value of the key. catalogue.c writes $star, $box, $classes, $layer and
 * $lattice. */
typedef struct catalogue_entry {
    const char *name, *about;
    int dim;
    int64_t extent[MAX_DIM];
    const char *spacing; /* closes the grid statement; or "" */
    catalogue_key key[MAX_KEYS];
    const char *body;
} catalogue_entry;
extern const catalogue_entry catalogue_table[];
extern const int catalogue_entries;
extern const catalogue_key catalogue_steps; /* a key of every entry */

/* A parsed catalogue word. */
typedef struct catalogue_word {
    const catalogue_entry *entry;
    int64_t extent[MAX_DIM];
    double value[MAX_KEYS];
    double steps;
    pav_type real;
} catalogue_word;
/* Value of the key; 0: the entry lacks the key. */
double catalogue_value(const catalogue_word *w, const char *key);
void catalogue_write_lattice(const catalogue_word *w, text *t); /* for $lattice */

/* ---- random programs (random*.c) --------------------------------------------------- */

enum {
    SKETCH_FIELDS = 6,
    SKETCH_NAMES = 5,     /* lets, stencils, params, scalars, measures: of each at most */
    SKETCH_ARGUMENTS = 3, /* of a let */
    SKETCH_OLDEST = 3,    /* prev(u, 3) */
};

typedef struct sketch_field {
    const char *name;
    int coarse; /* see struct symbol */
    bool updated;
    bool solved; /* its equation has been drawn: u' may be read */
    int oldest;  /* the largest k of a prev(u, k) drawn so far */
    border_kind border[MAX_DIM][2];
} sketch_field;

/* A let or a stencil. */
typedef struct sketch_let {
    const char *name;
    int arguments; /* each of size 1 at most */
    bool condition;
    double size;        /* |value| is at most this; of a stencil: the sum of |weights| */
    int reach[MAX_DIM]; /* how far it looks along each axis */
    int taps;
    int oldest[SKETCH_FIELDS]; /* oldest level of its readers */
} sketch_let;

/* A param or a scalar. */
typedef struct sketch_value {
    const char *name;
    double size;
} sketch_value;

/* A random program during its construction. */
typedef struct sketch {
    rng *rng;
    int dim;
    int64_t extent[MAX_DIM];
    int reach[MAX_DIM]; /* no expression looks farther */
    double origin[MAX_DIM], spacing[MAX_DIM];
    bool plain;        /* coordinates are indices */
    bool same_spacing; /* `h` exists */
    bool stretched[MAX_DIM],
        ring;   /* ring: the only axis is, and all fields are periodic */
    bool mixed; /* every face has a rule of its own, and corners are read */
    int fields, lets, stencils, params, scalars, measures;
    int reduced; /* 1: the last param holds a reduction */
    int evolved; /* number of scalars with equations, the first ones */
    bool timed;  /* dt is a scalar */
    sketch_field field[SKETCH_FIELDS];
    sketch_let let[SKETCH_NAMES], stencil[SKETCH_NAMES];
    sketch_value param[SKETCH_NAMES], scalar[SKETCH_NAMES];
    const char *measure[SKETCH_NAMES];
    int fuel; /* remaining constructs in this expression */
} sketch;

/* Allowed constructs at a place of an expression. */
enum {
    MAY_POINT = 1, /* coordinates */
    MAY_READ = 2,  /* fields */
    MAY_NEXT = 4,  /* u' */
    MAY_OLDER = 8, /* prev(u) */
    MAY_TIME = 16,
    MAY_VALUES = 32, /* params */
    MAY_SCALARS = 64,
    MAY_LETS = 128, /* and stencils */
    MAY_REDUCE = 256,
    MAY_RANDOM = 512,
    MAY_STRIDE = 1024, /* the grid's fields from a coarse point, at twice its index */
    MAY_TRANSFER = 2048,
    MAY_DERIVE = 4096,
    MAY_AFTER = 8192, /* prev(u) is the level before the last step */
};

typedef struct scope {
    unsigned may;
    int reach[MAX_DIM]; /* how far it may still look */
    int depth;          /* constructs inside one another */
    int room;           /* remaining taps for further constructs */
    int arguments;      /* arguments of the enclosing let */
    int coarse;         /* coarse grid of the points; 0: the finest grid */
} scope;

static inline bool is_stretched(const sketch *s)
{
    return s->stretched[0] || s->stretched[1] || s->stretched[2];
}

/* random_expression.c */
bool chance(sketch *s, int one_in);
int pick(sketch *s, int n); /* 0 .. n-1 */
double draw_number(sketch *s, text *t);
/* Appends an expression, scaled to an absolute value of at most `most`. */
void draw_scaled(text *t, text *expression, double size, int most);
/* A value for each axis, between `open` and `close`. */
void draw_tuple(const sketch *s, const char *open, const int *value, const char *between,
                const char *close, text *t);
void draw_offset(const sketch *s, const int *offset, text *t);
scope scope_inside(const scope *c);
bool scope_radii(const scope *c, const int *reach, int taps);

/* Constructs (random_expression.c, random_neighbour.c): each appends to t and returns a
 * bound of the absolute value. draw_unit: 1 at most. */
typedef double draw_construct(sketch *s, const scope *c, text *t);
draw_construct draw_sum, draw_power, draw_unit, draw_literal, draw_coordinate, draw_wave;
draw_construct draw_geometry, draw_time, draw_value, draw_scalar, draw_argument;
draw_construct draw_random, draw_function, draw_guarded, draw_choice, draw_tap, draw_star;
draw_construct draw_box, draw_shift, draw_stencil, draw_let, draw_reduction;
draw_construct draw_transfer, draw_derivative, draw_laplace, draw_flux;
void draw_condition(sketch *s, const scope *c, text *t);
double coordinate_size(const sketch *s, int axis); /* its greatest absolute value */

/* Statements (random_equation.c, random_border.c). */
typedef void draw_statements(sketch *s, text *t);
draw_statements draw_lets, draw_stencils, draw_equations, draw_borders, draw_mask;
/* Begins an expression: what it may hold, how deep, and from how many constructs. */
scope scope_of(sketch *s, unsigned may, int depth, int fuel);

#endif
