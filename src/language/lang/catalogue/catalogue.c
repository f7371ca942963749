/* SPDX-License-Identifier: BSD-3-Clause */
/* Words for programs, NAME[:key=value,...][@NxNxN][/f32|f64]. Every entry also accepts
 * steps=N. Missing parts have default values. */
#include <assert.h>
#include <string.h>

#include "lang/lang_private.h"

/* ---- the text of a chosen program -------------------------------------------------- */

/* The text of a chosen program. Between the grid and the steps stands
 * the body of the entry, with each $word replaced.
 *
 * The weights of means are whole numbers of billionths and add up to exactly one, half of
 * it at the centre. Values therefore stay within the range of the initial values. */

enum { BILLION = 1000000000, WEIGHTS_A_LINE = 6 };

/* Weight i of n neighbours, in billionths; all weights differ. */
static int64_t distinct_weight(int64_t i, int64_t n)
{
    const int64_t mean = BILLION / 2 / n;
    return mean / 2 + mean * (n - i) / (n + 1);
}

static void write_billionths(text *t, int64_t weight)
{
    text_add_double(t, (double)weight / BILLION);
}

static void write_neighbour(text *t, int dim, int axis, int distance, int64_t weight)
{
    text_add(t, "[");
    for (int a = 0; a < dim; a++)
        text_add(t, "%s%d", a > 0 ? "," : "", a == axis ? distance : 0);
    text_add(t, "] ");
    write_billionths(t, weight);
}

/* Weights for the neighbours ring by ring outwards; equal within a ring if symmetric. */
static void write_star(const catalogue_word *w, text *t)
{
    const int dim = w->entry->dim, radius = (int)catalogue_value(w, "r");
    const bool symmetric = catalogue_value(w, "c") > 0;
    const int64_t arms = 2 * dim, n = arms * radius;
    int64_t centre = BILLION;
    text_add(t, "stencil s {\n");
    for (int64_t i = 0; i < n; i++) {
        const int64_t weight = distinct_weight(symmetric ? i - i % arms : i, n);
        const int distance = (int)(i / arms) + 1, arm = (int)(i % arms);
        text_add(t, "    ");
        write_neighbour(t, dim, arm / 2, arm % 2 ? -distance : distance, weight);
        text_add(t, "\n");
        centre -= weight;
    }
    text_add(t, "    ");
    write_neighbour(t, dim, 0, 0, centre);
    text_add(t, "\n}");
}

static void write_box(const catalogue_word *w, text *t)
{
    const int64_t side = 2 * (int64_t)catalogue_value(w, "r") + 1;
    const int64_t n = side * side * (w->entry->dim > 2 ? side : 1) - 1;
    int64_t centre = BILLION;
    for (int64_t i = 0; i < n; i++)
        centre -= distinct_weight(i, n);
    text_add(t, "stencil s {\n    box ");
    for (int64_t i = 0; i <= n; i++) {
        const bool before = i < n / 2;
        if (i > 0)
            text_add(t, i % WEIGHTS_A_LINE ? ", " : ",\n        ");
        write_billionths(t, i == n / 2 ? centre : distinct_weight(before ? i : i - 1, n));
    }
    text_add(t, "\n}");
}

/* One step of heat conduction. fe: the stiffness matrix of trilinear cubes. fd: the
 * isotropic operator; its leading error is h^2/12 times the Laplacian of the
 * Laplacian. */
static const char *const presets[] = {
    "centre $c0; face $c1; edge $c2; corner $c3",
    "centre 1 - 0.8/3; face 0; edge 0.1/6; corner 0.1/12",
    "centre 1 - 12.8/30; face 1.4/30; edge 0.3/30; corner 0.1/30",
};

static void write_template(const catalogue_word *w, const char *at, text *t);

static void write_classes(const catalogue_word *w, text *t)
{
    text_add(t, "stencil s { ");
    write_template(w, presets[(int)catalogue_value(w, "preset")], t);
    text_add(t, " }");
}

static void write_layer(const catalogue_word *w, text *t)
{
    const int cells = (int)catalogue_value(w, "absorb");
    if (cells > 0)
        text_add(t, "absorb %d cells%s", cells,
                 catalogue_value(w, "layer") > 0 ? " by pml" : "");
}

typedef struct part {
    const char *name;
    void (*write)(const catalogue_word *w, text *t);
} part;

static const part parts[] = {
    {"star", write_star},
    {"box", write_box},
    {"classes", write_classes},
    {"layer", write_layer},
    {"lattice", catalogue_write_lattice},
};

/* Writes the replacement of `$word`. */
static void write_word(const catalogue_word *w, const char *word, size_t length, text *t)
{
    for (size_t i = 0; i < COUNT_OF(parts); i++)
        if (strlen(parts[i].name) == length && memcmp(parts[i].name, word, length) == 0) {
            parts[i].write(w, t);
            return;
        }
    for (int i = 0; i < MAX_KEYS && w->entry->key[i].name; i++) {
        const char *const name = w->entry->key[i].name;
        if (strlen(name) == length && memcmp(name, word, length) == 0)
            text_add_double(t, w->value[i]);
    }
}

static void write_template(const catalogue_word *w, const char *at, text *t)
{
    while (*at) {
        const size_t plain = strcspn(at, "$");
        text_add_bytes(t, at, (int64_t)plain);
        at += plain;
        if (*at == '$') {
            size_t length = 0;
            while (char_is_of_word(at[1 + length]))
                length++;
            write_word(w, at + 1, length, t);
            at += 1 + length;
        }
    }
}

/* ---- small programs for all catalogue entries -------------------------------------- */

/* Words of small programs that cover the catalogue: every entry, each
 * radius and order of interest, and both types. Their extents are odd, narrower than the
 * radius, or 1 if the borders allow it. */

static const char *const small_word[] = {
    "star1d@17",
    "wave2d:order=4,absorb=5,layer=pml@22x19",
    "wave2d:order=8,absorb=4,layer=pml@17x23/f32",
    "wave3d:order=2,absorb=3,layer=pml@13x11x10/f32",
    "star1d:r=2@1/f32",
    "star1d:r=3,c=symmetric@33",
    "star1d:r=4@40/f32",
    "star1d:r=8@7",
    "star1d:r=16@61/f32",
    "star2d@13x11/f32",
    "star2d:c=symmetric@17x1",
    "star2d:r=2@1x9",
    "star2d:r=3,c=symmetric@12x10/f32",
    "star2d:r=4@19x5",
    "star2d:r=6@24x18/f32",
    "star2d:r=8,c=symmetric@21x22",
    "star2d:r=16@36x9/f32",
    "star3d@13x11x9",
    "star3d@17x1x5/f32",
    "star3d:c=symmetric@1x8x7",
    "star3d:r=2@12x10x8/f32",
    "star3d:r=2,c=symmetric@16x6x1",
    "star3d:r=3@14x9x11",
    "star3d:r=3,c=symmetric@9x9x9/f32",
    "star3d:r=4@13x12x11/f32",
    "star3d:r=4,c=symmetric@17x10x12",
    "star3d:r=8@20x4x18",
    "star3d:r=16,c=symmetric@34x6x5/f32",
    "box2d@13x11",
    "box2d@1x17/f32",
    "box2d:r=2@15x6/f32",
    "box2d:r=3@9x14",
    "box2d:r=4@18x11/f32",
    "box2d:r=8@20x7",
    "box3d@11x9x7/f32",
    "box3d@17x1x5",
    "box3d:r=2@9x8x10",
    "box3d:r=3@10x7x9/f32",
    "box3d:r=4@11x10x3",
    "sym27@13x11x9",
    "sym27:c0=0.5,c1=0.05,c2=0.01,c3=0.01@9x1x12/f32",
    "sym27:preset=fe@10x12x8/f32",
    "sym27:preset=fe@7x7x7",
    "sym27:preset=fd@12x9x11/f32",
    "sym27:preset=fd@3x16x6",
    "heat1d@31",
    "heat1d:a=0.5@2/f32",
    "heat2d@13x11/f32",
    "heat2d:a=0.25@1x19",
    "heat3d@13x11x9",
    "heat3d:a=0.05@16x1x4/f32",
    "wave2d:order=2@17x13/f32",
    "wave2d:order=4@16x14",
    "wave2d:order=6@1x20/f32",
    "wave2d@21x15",
    "wave2d:order=10,absorb=4@24x19/f32",
    "wave2d:order=12@22x18",
    "wave2d:order=14@25x9/f32",
    "wave2d:order=16,absorb=3@27x26",
    "wave3d:order=2@9x8x10",
    "wave3d:order=4,absorb=2@13x11x9/f32",
    "wave3d:order=6@12x1x10",
    "wave3d@14x13x12/f32",
    "wave3d:order=10@17x5x12",
    "wave3d:order=12,absorb=3@16x15x14",
    "wave3d:order=14@15x17x16/f32",
    "wave3d:order=16@19x18x17",
    "jacobi2d@15x13",
    "jacobi2d@2x1/f32",
    "grayscott2d@16x12",
    "grayscott2d:F=0.025,k=0.055@1x9/f32",
    "grayscott3d@9x7x8/f32",
    "grayscott3d:Du=0.12,Dv=0.06@5x1x6",
    "elastic2d:order=2@13x11/f32",
    "elastic2d@14x12",
    "elastic2d:order=6@1x9",
    "elastic2d:order=8@17x16/f32",
    "elastic2d:order=12@15x19",
    "elastic2d:order=16@20x18/f32",
    "elastic3d:order=2@9x7x8",
    "elastic3d@10x9x11/f32",
    "elastic3d:order=6@8x1x7",
    "elastic3d:order=8@11x12x10",
    "elastic3d:order=16@17x9x16/f32",
    "maxwell2d@15x13",
    "maxwell2d:order=4@16x11/f32",
    "maxwell2d:order=8@3x14",
    "maxwell2d:order=16@18x20/f32",
    "advect2d@17x12/f32",
    "advect2d:cfl=1@9x1",
    "burgers1d@41",
    "burgers1d:cfl=0.9@3/f32",
    "burgers1d@1",
    "aniso2d@14x13",
    "aniso2d@2x11/f32",
    "blur3d@11x10x9/f32",
    "blur3d@1x13x2",
    "lbm3d@9x7x6/f32",
    "lbm3d:walls=all,tau=0.6@8x9x7",
    "lbm3d:stored=f16@16x5x8/f32",
    "lbm3d:walls=all,stored=bf16@12x1x9/f32",
};

const char *catalogue_small(int index)
{
    return index >= 0 && index < (int)COUNT_OF(small_word) ? small_word[index] : NULL;
}

/* ---- the list, readable or in JSON ------------------------------------------------- */

static void add_extent(text *t, const catalogue_entry *e)
{
    text_add_extent(t, e->dim, e->extent);
}

/* Word number `index` of "none|fe|fd". */
static const char *word_at(const char *words, int index, int *length)
{
    for (; index > 0; index--)
        words += strcspn(words, "|") + 1;
    *length = (int)strcspn(words, "|");
    return words;
}

static void add_default(text *t, const catalogue_key *key)
{
    if (key->kind == KEY_CHOICE) {
        int length;
        const char *word = word_at(key->words, (int)key->usual, &length);
        text_add(t, "%.*s", length, word);
    } else {
        text_add_double(t, key->usual);
    }
}

static void catalogue_add_range(text *t, const catalogue_key *key)
{
    if (key->kind == KEY_CHOICE)
        text_add(t, "one of %s", key->words);
    else
        text_add_values(t, "%s number from %g to %g",
                        key->kind == KEY_REAL   ? "a"
                        : key->kind == KEY_EVEN ? "an even"
                                                : "a whole",
                        key->least, key->most);
}

/* ---- for people -------------------------------------------------------------------- */

static void add_key_line(text *t, const char *before, const catalogue_key *key)
{
    text_add(t, "%s%s=", before, key->name);
    add_default(t, key);
    text_add(t, ": ");
    catalogue_add_range(t, key);
    text_add(t, "\n");
}

static void add_lines(text *t)
{
    static const char margin[] = "                ";

    text_add(t, "WORD[:KEY=VALUE,...][@NxNxN][/f32|f64] is a program, wherever a file is "
                "taken.\nWhat it leaves out is as given here, /f64, and ");
    add_key_line(t, "", &catalogue_steps);
    text_add(t, "\n");
    for (int i = 0; i < catalogue_entries; i++) {
        const catalogue_entry *e = &catalogue_table[i];
        text_add(t, "  %-13s %s\n%s@", e->name, e->about, margin);
        add_extent(t, e);
        text_add(t, "\n");
        for (int k = 0; k < MAX_KEYS && e->key[k].name; k++)
            add_key_line(t, margin, &e->key[k]);
    }
}

/* ---- JSON -------------------------------------------------------------------------- */

static void add_words(text *t, const char *words)
{
    const char *comma = "";
    int length;

    text_add(t, ", \"words\": [");
    for (const char *at = words;; at += length + 1) {
        at = word_at(at, 0, &length);
        text_add(t, "%s\"%.*s\"", comma, length, at);
        comma = ", ";
        if (!at[length])
            break;
    }
    text_add(t, "]");
}

static void add_json_key(text *t, const catalogue_key *key)
{
    static const char *const kinds[] = {
        [KEY_INTEGER] = "integer",
        [KEY_EVEN] = "even",
        [KEY_REAL] = "real",
        [KEY_CHOICE] = "choice",
    };
    const char *quote = key->kind == KEY_CHOICE ? "\"" : "";

    text_add(t, "{\"name\": \"%s\", \"kind\": \"%s\", \"default\": %s", key->name,
             kinds[key->kind], quote);
    add_default(t, key);
    text_add(t, "%s", quote);
    if (key->kind == KEY_CHOICE)
        add_words(t, key->words);
    else
        text_add_values(t, ", \"least\": %g, \"most\": %g", key->least, key->most);
    text_add(t, "}");
}

static void add_json_entry(text *t, const catalogue_entry *e)
{
    text_add_values(t, "{\"name\": %q, \"about\": %q, \"extent\": \"", e->name, e->about);
    add_extent(t, e);
    text_add(t, "\", \"keys\": [");
    for (int k = 0; k < MAX_KEYS && e->key[k].name; k++) {
        add_json_key(t, &e->key[k]);
        text_add(t, ", ");
    }
    add_json_key(t, &catalogue_steps);
    text_add(t, "]}");
}

static void add_json(text *t)
{
    text_add(t, "{\"catalogue\": [");
    for (int i = 0; i < catalogue_entries; i++) {
        text_add(t, i ? ", " : "");
        add_json_entry(t, &catalogue_table[i]);
    }
    text_add(t, "]}\n");
}

pav_status pav_catalogue(int json, char **result)
{
    GUARDED;
    text t = {0};
    if (!result)
        return FAIL(PAV_EINVAL, "pav_catalogue needs a place for the text; it is NULL");
    *result = NULL;
    if (json)
        add_json(&t);
    else
        add_lines(&t);
    return text_take(&t, result);
}

/* ---- words ------------------------------------------------------------------------- */

enum { MAX_NAME = 32, MAX_VALUE = 64 };

const catalogue_key catalogue_steps = {"steps", KEY_INTEGER, 100, 1, 1e12, NULL};

static size_t name_length(const char *word)
{
    size_t length = 0;
    while (char_is_of_word(word[length]))
        length++;
    return length;
}

static const catalogue_entry *find_entry(const char *name)
{
    for (int i = 0; i < catalogue_entries; i++)
        if (strcmp(catalogue_table[i].name, name) == 0)
            return &catalogue_table[i];
    return NULL;
}

static const char *nearest_entry(const char *name)
{
    const char *names[64] = {0};
    int count = 0;
    for (; count < catalogue_entries && count < (int)COUNT_OF(names); count++)
        names[count] = catalogue_table[count].name;
    return text_nearest(name, names, count);
}

/* False if a word is longer than any name. */
static bool copy_name(char name[MAX_NAME], const char *from, size_t length)
{
    if (length == 0 || length >= MAX_NAME)
        return false;
    memcpy(name, from, length);
    name[length] = '\0';
    return true;
}

bool catalogue_is_word(const char *word)
{
    char name[MAX_NAME];
    const size_t length = name_length(word);
    return copy_name(name, word, length) &&
           (word[length]
                ? strchr(":@", word[length]) || strcmp(word + length, "/f32") == 0 ||
                      strcmp(word + length, "/f64") == 0
                : nearest_entry(name) != NULL);
}

/* Index of a key of the entry, or -1. */
static int find_key(const catalogue_entry *entry, const char *name)
{
    for (int i = 0; i < MAX_KEYS && entry->key[i].name; i++)
        if (strcmp(entry->key[i].name, name) == 0)
            return i;
    return -1;
}

double catalogue_value(const catalogue_word *w, const char *key)
{
    const int index = find_key(w->entry, key);
    return index >= 0 ? w->value[index] : 0;
}

/* ---- messages about keys ----------------------------------------------------------- */

static pav_status fail_value(const catalogue_entry *entry, const catalogue_key *key,
                             const char *value)
{
    OWNED_BY(text_free) text range = {0};
    catalogue_add_range(&range, key);
    return FAIL(PAV_EINVAL, "%s: %s=%s, but %s must be %s", entry->name, key->name, value,
                key->name, range.data ? range.data : "in range");
}

static pav_status fail_key(const catalogue_entry *entry, const char *name)
{
    OWNED_BY(text_free) text known = {0};
    const char *names[MAX_KEYS + 1];
    int count = 0;
    for (; count < MAX_KEYS && entry->key[count].name; count++) {
        names[count] = entry->key[count].name;
        text_add(&known, "%s (", names[count]);
        catalogue_add_range(&known, &entry->key[count]);
        text_add(&known, "), ");
    }
    names[count] = catalogue_steps.name;
    text_add(&known, "%s (", catalogue_steps.name);
    catalogue_add_range(&known, &catalogue_steps);
    text_add(&known, ")");
    const char *near = text_nearest(name, names, count + 1);
    return FAIL(PAV_EINVAL, "%s has no key '%s'%s%s%s; its keys are %s", entry->name,
                name, near ? " (did you mean '" : "", near ? near : "", near ? "'?)" : "",
                known.data ? known.data : "others");
}

static pav_status fail_name(const char *name)
{
    OWNED_BY(text_free) text known = {0};
    const char *near = nearest_entry(name);
    for (int i = 0; i < catalogue_entries; i++)
        text_add(&known, "%s%s", i > 0 ? " " : "", catalogue_table[i].name);
    return near ? FAIL(PAV_EINVAL, "unknown catalogue entry '%s'; did you mean '%s'?",
                       name, near)
                : FAIL(PAV_EINVAL, "unknown catalogue entry '%s'; the entries are: %s",
                       name, known.data ? known.data : "");
}

/* ---- reading a word ---------------------------------------------------------------- */

static bool choice_value(const char *words, const char *value, double *result)
{
    for (int i = 0; *words; i++) {
        const size_t length = strcspn(words, "|");
        if (strlen(value) == length && memcmp(words, value, length) == 0) {
            *result = i;
            return true;
        }
        words += length + (words[length] == '|');
    }
    return false;
}

static bool key_value(const catalogue_key *key, const char *value, double *result)
{
    num number;
    int64_t whole = 0;
    if (key->kind == KEY_CHOICE)
        return choice_value(key->words, value, result);
    const bool negative = *value == '-';
    if (!num_parse(value + negative, strlen(value + negative), &number) ||
        (key->kind != KEY_REAL && !num_is_int(number, &whole)))
        return false;
    *result = negative ? -number.v : number.v;
    return *result >= key->least && *result <= key->most &&
           (key->kind != KEY_EVEN || whole % 2 == 0);
}

static pav_status set_key(catalogue_word *w, const char *name, const char *value)
{
    const int index = find_key(w->entry, name);
    if (index < 0 && strcmp(name, catalogue_steps.name) != 0)
        return fail_key(w->entry, name);
    const catalogue_key *key = index < 0 ? &catalogue_steps : &w->entry->key[index];
    return key_value(key, value, index < 0 ? &w->steps : &w->value[index])
               ? PAV_OK
               : fail_value(w->entry, key, value);
}

/* Reads key=value,key=value ... behind the colon; moves `at` behind the last value. */
static pav_status read_keys(catalogue_word *w, const char **at)
{
    do {
        char name[MAX_NAME], value[MAX_VALUE];
        const size_t length = name_length(*at);
        const char *const behind = *at + length;
        const size_t count = *behind == '=' ? strcspn(behind + 1, ",@/") : 0;
        if (!copy_name(name, *at, length) || count == 0 || count >= MAX_VALUE)
            return FAIL(PAV_EINVAL, "%s: '%.*s' is not of the form key=value,...",
                        w->entry->name, int_least((int)strcspn(*at, ",@/"), 40), *at);
        memcpy(value, behind + 1, count);
        value[count] = '\0';
        TRY(set_key(w, name, value));
        *at = behind + 1 + count;
    } while (*(*at)++ == ',');
    (*at)--;
    return PAV_OK;
}

/* Reads NxN... behind the @; moves `at` behind the last extent. */
static pav_status read_extent(catalogue_word *w, const char **at)
{
    const char *const start = *at;
    const int dim = w->entry->dim;
    for (int axis = 0; axis < dim; axis++) {
        const size_t length = strspn(*at, "0123456789");
        const bool last = axis + 1 == dim;
        num number;
        if (length == 0 || !num_parse(*at, length, &number) ||
            !num_is_int(number, &w->extent[axis]) || w->extent[axis] < 1 ||
            ((*at)[length] == 'x') == last)
            return FAIL(PAV_EINVAL,
                        "%s: '@%.40s' should be %d positive extent%s, such as @%s",
                        w->entry->name, start, dim, dim == 1 ? "" : "s",
                        dim == 1   ? "1000"
                        : dim == 2 ? "512x256"
                                   : "512x256x128");
        *at += length + !last;
    }
    return PAV_OK;
}

static pav_status read_type(catalogue_word *w, const char **at)
{
    if (strcmp(*at, "f32") != 0 && strcmp(*at, "f64") != 0)
        return FAIL(PAV_EINVAL, "%s: '/%.40s' is not known; a word ends in /f32 or /f64",
                    w->entry->name, *at);
    w->real = (*at)[1] == '3' ? PAV_F32 : PAV_F64;
    *at += 3;
    return PAV_OK;
}

static pav_status read_word(const char *word, catalogue_word *w)
{
    char name[MAX_NAME];
    const size_t length = name_length(word);
    const char *at = word + length;
    if (!copy_name(name, word, length))
        return FAIL(PAV_EINVAL,
                    "'%.60s' is no catalogue word: it does not start with a name", word);
    const catalogue_entry *entry = find_entry(name);
    if (!entry)
        return fail_name(name);
    w->entry = entry;
    w->steps = catalogue_steps.usual;
    w->real = PAV_F64;
    memcpy(w->extent, entry->extent, sizeof w->extent);
    for (int i = 0; i < MAX_KEYS; i++)
        w->value[i] = entry->key[i].usual;
    if (*at == ':' && at++)
        TRY(read_keys(w, &at));
    if (*at == '@' && at++)
        TRY(read_extent(w, &at));
    if (*at == '/' && at++)
        TRY(read_type(w, &at));
    return *at ? FAIL(PAV_EINVAL,
                      "%s: '%.40s' is too much; a word is NAME:key=value,...@NxNxN/f32",
                      name, at)
               : PAV_OK;
}

pav_status catalogue_text(const char *word, text *t)
{
    catalogue_word w = {0};
    TRY(read_word(word, &w));
    assert(w.entry); /* read_word has found it */
    text_add(t, "# %s: %s\ngrid ", w.entry->name, w.entry->about);
    for (int axis = 0; axis < w.entry->dim; axis++)
        text_add(t, "%s%c %lld", axis > 0 ? ", " : "", "xyz"[axis],
                 (long long)w.extent[axis]);
    text_add(t, "%s\nreal %s\n", w.entry->spacing, pav_type_name(w.real));
    write_template(&w, w.entry->body, t);
    text_add(t, "steps %.0f\n", w.steps);
    return t->failed ? FAIL(PAV_ENOMEM, "memory ran out for the text of '%.60s'", word)
                     : PAV_OK;
}
