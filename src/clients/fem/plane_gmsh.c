/* SPDX-License-Identifier: BSD-3-Clause */
/* Gmsh files, MSH 2.2 and 4.1 in ASCII: points, triangles, and lines of physical groups.
 * Groups of lines name borders. Other groups are left out, and the plane's note names
 * them.
 *
 * A file is untrusted. Counts are compared with the remaining bytes before memory is
 * taken. Tags of nodes may be any numbers, so they are sorted for the search. Elements
 * other than triangles and lines are ignored, but quadrangles and other surface elements
 * are refused, because the mesh would lose them silently. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "fem/fem.h"

enum { LINE = 1, TRIANGLE = 2, POINT = 15 };

typedef struct tagged {
    int64_t tag;
    int32_t index;
} tagged;

typedef struct entity_group {
    int64_t dimension, entity, group; /* MSH 4: an entity and its first physical group */
} entity_group;

/* A physical group: its name, within the file, and the number of a border's name, or
 * -1. */
typedef struct physical {
    int64_t dimension, tag, elements;
    const char *name;
    int length, border;
} physical;

typedef struct gmsh {
    const char *name, *at, *end, *begin;
    plane *p;
    tagged *tags; /* of nodes */
    physical *groups, unnamed;
    int64_t group_count;
    entity_group *entities;
    int64_t entity_count, triangle_room, edge_room;
    int version; /* 2 or 4 */
    pav_status status;
} gmsh;

/* ---- words and numbers ------------------------------------------------------------- */

/* The first mistake counts; all reading after it gives 0. */
static void stop(gmsh *g, pav_status status)
{
    if (g->status == PAV_OK)
        g->status = status;
    g->at = g->end;
}

/* The first mistake counts; all reading after it gives 0. */
static void mistake(gmsh *g, const char *what)
{
    int64_t line = 1;

    if (g->status != PAV_OK)
        return;
    for (const char *c = g->begin; c < g->at && c < g->end; c++)
        line += *c == '\n';
    stop(g, FAIL(PAV_EFORMAT, "%s:%lld: %s", g->name, (long long)line, what));
}

/* New memory for items of a section, in place of those of the same section before. */
static void *take_items(gmsh *g, void *before, int64_t count, size_t size)
{
    void *items = mem_new(count + 1, size);

    mem_free(before);
    if (!items)
        stop(g, PAV_ENOMEM);
    return items;
}

static bool is_space(char c)
{
    return c == ' ' || (c >= '\t' && c <= '\r');
}

static void skip_space(gmsh *g)
{
    while (g->at < g->end && is_space(*g->at))
        g->at++;
}

static bool next_is(gmsh *g, const char *word)
{
    const size_t length = strlen(word);

    skip_space(g);
    if ((size_t)(g->end - g->at) < length || memcmp(g->at, word, length) != 0)
        return false;
    g->at += length;
    return true;
}

/* The bytes end with a NUL, so strtod and strtoll stop there. */
static double read_double(gmsh *g)
{
    skip_space(g);
    char *after = (char *)(uintptr_t)g->at;
    const double value = g->at < g->end ? strtod(g->at, &after) : 0;
    if (after == g->at)
        mistake(g, "a number is missing");
    g->at = g->status == PAV_OK ? after : g->end;
    return value;
}

static int64_t read_int(gmsh *g)
{
    skip_space(g);
    char *after = NULL;
    errno = 0;
    const long long value = g->at < g->end ? strtoll(g->at, &after, 10) : 0;
    if (!after || after == g->at || errno == ERANGE || (*after && !is_space(*after))) {
        mistake(g, "a whole number is missing");
        return 0;
    }
    g->at = after;
    return value;
}

/* A count of items of at least two bytes each. */
static int64_t read_count(gmsh *g, const char *what)
{
    const int64_t count = read_int(g);

    if (count < 0 || count > (g->end - g->at + 1) / 2)
        mistake(g, what);
    return g->status == PAV_OK ? count : 0;
}

static void skip_ints(gmsh *g, int64_t count)
{
    for (int64_t k = 0; k < count && g->status == PAV_OK; k++)
        (void)read_int(g);
}

/* ---- sections ---------------------------------------------------------------------- */

static void read_format(gmsh *g)
{
    const double version = read_double(g);
    const int64_t binary = read_int(g);

    (void)read_int(g);
    g->version = version >= 2 && version < 3 ? 2 : version >= 4.1 && version < 5 ? 4 : 0;
    if (g->status == PAV_OK && !g->version)
        mistake(g,
                "MSH 2.2 and 4.1 are read, not this version: save as one of them, as by "
                "`gmsh -format msh41`");
    else if (g->status == PAV_OK && binary)
        mistake(g, "the file is binary: save it as ASCII, as by `gmsh -bin 0`");
}

static void read_name(gmsh *g, int64_t dimension, int64_t tag)
{
    skip_space(g);
    const char *open = g->at, *close = NULL;
    if (open < g->end && *open == '"')
        close = memchr(open + 1, '"', (size_t)(g->end - open - 1));
    if (!close) {
        mistake(g, "a name in quotes is missing");
        return;
    }
    g->at = close + 1;
    const int64_t length = close - open - 1;
    const int border = dimension == 1 ? plane_name(g->p, open + 1, length) : -1;
    if (dimension == 1 && border < 0)
        stop(g, PAV_ELIMIT);
    g->groups[g->group_count++] = (physical){
        dimension, tag, 0, open + 1, (int)int64_least(length, PLANE_NAME), border};
}

static void read_names(gmsh *g)
{
    const int64_t count = read_count(g, "there are fewer names than the file says");

    g->group_count = 0;
    g->groups = take_items(g, g->groups, count, sizeof *g->groups);
    for (int64_t k = 0; k < count && g->status == PAV_OK; k++) {
        const int64_t dimension = read_int(g), tag = read_int(g);
        read_name(g, dimension, tag);
    }
}

/* MSH 4: the tag of an entity, its place or the corners of its box, its groups, and its
 * limits. Keeps the first group of an entity. */
static void read_entity(gmsh *g, int dimension)
{
    const int64_t tag = read_int(g);

    for (int k = 0; k < (dimension > 0 ? 6 : 3); k++)
        (void)read_double(g);
    const int64_t groups = read_count(g, "an entity has fewer groups than it says");
    const int64_t group = groups > 0 ? read_int(g) : 0;
    skip_ints(g, groups - 1);
    if (dimension > 0)
        skip_ints(g, read_count(g, "an entity has fewer limits than it says"));
    if (g->status == PAV_OK && groups > 0)
        g->entities[g->entity_count++] = (entity_group){dimension, tag, llabs(group)};
}

static void read_entities(gmsh *g)
{
    int64_t count[4], all = 0;

    for (int d = 0; d < 4; d++)
        all += count[d] = read_count(g, "there are fewer entities than the file says");
    g->entity_count = 0;
    g->entities = take_items(g, g->entities, all, sizeof *g->entities);
    for (int d = 0; d < 4; d++)
        for (int64_t k = 0; k < count[d] && g->status == PAV_OK; k++)
            read_entity(g, d);
}

/* Of one entity: its tags, then its coordinates. */
static void read_tag(gmsh *g, int64_t index)
{
    g->tags[index] = (tagged){read_int(g), (int32_t)index};
}

static void read_at(gmsh *g)
{
    double *at = g->p->at + 3 * g->p->points++;

    for (int a = 0; a < 3; a++)
        at[a] = read_double(g);
}

static int by_tag(const void *a, const void *b)
{
    return int_compare(((const tagged *)a)->tag, ((const tagged *)b)->tag);
}

static void read_nodes(gmsh *g)
{
    const int64_t blocks = g->version == 4
                               ? read_count(g, "there are fewer nodes than the file says")
                               : 0;
    const int64_t count = read_count(g, "there are fewer nodes than the file says");

    if (g->p->at) {
        mistake(g, "there are nodes twice");
        return;
    }
    g->p->at = take_items(g, NULL, 3 * count, sizeof *g->p->at);
    g->tags = take_items(g, NULL, count, sizeof *g->tags);
    if (g->version == 4)
        skip_ints(g, 2);
    for (int64_t k = 0; k < blocks && g->status == PAV_OK; k++) {
        /* Of one entity: its tags, then its coordinates. */
        const int64_t first = g->p->points;
        skip_ints(g, 2); /* dimension and tag */
        const int64_t parametric = read_int(g);
        const int64_t here = read_count(g, "there are fewer nodes than the file says");
        if (g->status == PAV_OK && (here > count - first || parametric))
            mistake(g, parametric ? "nodes have parametric coordinates: save without them"
                                  : "there are more nodes than the file says");
        for (int64_t n = 0; n < here && g->status == PAV_OK; n++)
            read_tag(g, first + n);
        for (int64_t n = 0; n < here && g->status == PAV_OK; n++)
            read_at(g);
    }
    for (int64_t k = 0; k < count && g->version == 2 && g->status == PAV_OK; k++) {
        read_tag(g, k);
        if (g->status == PAV_OK)
            read_at(g);
    }
    if (g->status == PAV_OK && g->p->points != count)
        mistake(g, "there are fewer nodes than the file says");
    if (g->status != PAV_OK)
        return;
    qsort(g->tags, (size_t)g->p->points, sizeof *g->tags, by_tag);
    for (int64_t k = 1; k < g->p->points && g->status == PAV_OK; k++)
        if (g->tags[k].tag == g->tags[k - 1].tag)
            mistake(g, "two nodes have the same number");
}

/* ---- elements ---------------------------------------------------------------------- */

static int32_t node_of(gmsh *g, int64_t tag)
{
    const tagged key = {tag, 0};
    const tagged *found = g->tags && g->status == PAV_OK
                              ? bsearch(&key, g->tags, (size_t)g->p->points,
                                        sizeof *g->tags, by_tag)
                              : NULL;

    if (found)
        return found->index;
    mistake(g, "an element has a node that the file does not hold");
    return 0;
}

/* Adds three numbers to a list of `count` such triples. */
static void add_three(gmsh *g, int32_t **list, int64_t *count, int64_t *room,
                      const int32_t three[3])
{
    if (mem_reserve(list, room, 3 * *count + 2, sizeof **list) != PAV_OK)
        stop(g, PAV_ENOMEM);
    else
        memcpy(*list + 3 * (*count)++, three, 3 * sizeof *three);
}

static void read_element(gmsh *g, int64_t type, physical *group)
{
    static const int nodes_of[] = {[LINE] = 2, [TRIANGLE] = 3, [POINT] = 1};
    const int nodes = type > 0 && type <= POINT ? nodes_of[type] : 0;
    int32_t node[3] = {0, 0, group ? group->border : -1};

    if (nodes == 0)
        mistake(g,
                "an element is neither a triangle nor a line of first order: mesh with "
                "triangles in the plane (`gmsh -2 -order 1`), layers are put on them "
                "here");
    else if (type == POINT)
        (void)read_int(g);
    for (int k = 0; k < nodes && type != POINT; k++)
        node[k] = node_of(g, read_int(g));
    if (g->status != PAV_OK)
        return;
    if (group)
        group->elements++;
    if (type == TRIANGLE)
        add_three(g, &g->p->corner, &g->p->triangles, &g->triangle_room, node);
    else if (type == LINE && node[2] >= 0)
        add_three(g, &g->p->edge, &g->p->edges, &g->edge_room, node);
}

/* The group of an element by its tag, and (MSH 4) by its entity; NULL: there is none. */
static physical *group_of(gmsh *g, int64_t dimension, int64_t tag, int64_t entity)
{
    for (int64_t k = 0; k < g->entity_count && entity && !tag; k++)
        if (g->entities[k].entity == entity && g->entities[k].dimension == dimension)
            tag = g->entities[k].group;
    for (int64_t k = 0; k < g->group_count; k++)
        if (g->groups[k].tag == tag && g->groups[k].dimension == dimension)
            return &g->groups[k];
    return tag ? &g->unnamed : NULL;
}

static void read_elements(gmsh *g)
{
    const int64_t count = read_count(g, "there are fewer elements than the file says");

    if (g->p->triangles > 0 || g->p->edges > 0)
        mistake(g, "there are elements twice");
    if (g->version == 4)
        skip_ints(g, 3);
    for (int64_t k = 0; k < count && g->status == PAV_OK; k++) {
        const int64_t first = read_int(g), second = read_int(g), third = read_int(g);
        if (g->version == 4) { /* the elements of an entity: dimension, tag, type */
            const int64_t here = read_count(
                g, "there are fewer elements than the file says");
            physical *group = group_of(g, first, 0, second);
            for (int64_t e = 0; e < here && g->status == PAV_OK; e++) {
                (void)read_int(g);
                read_element(g, third, group);
            }
            continue;
        }
        /* number, type, tags */
        if (g->status == PAV_OK && (third < 0 || third > (g->end - g->at + 1) / 2))
            mistake(g, "an element has fewer tags than it says");
        const int64_t group = third > 0 ? read_int(g) : 0;
        skip_ints(g, third - 1);
        read_element(g, second,
                     group_of(g, second == POINT ? 0 : second, llabs(group), 0));
    }
}

/* ---- the file ---------------------------------------------------------------------- */

static void read_section(gmsh *g)
{
    static const struct {
        const char *begin, *end;
        void (*read)(gmsh *g);
    } sections[] = {{"$MeshFormat", "$EndMeshFormat", read_format},
                    {"$PhysicalNames", "$EndPhysicalNames", read_names},
                    {"$Entities", "$EndEntities", read_entities},
                    {"$Nodes", "$EndNodes", read_nodes},
                    {"$Elements", "$EndElements", read_elements}};

    for (size_t k = 0; k < COUNT_OF(sections); k++) {
        if (k == 1 && !g->version) {
            mistake(g, "no Gmsh file: it does not begin with $MeshFormat");
            return;
        }
        if (next_is(g, sections[k].begin)) {
            sections[k].read(g);
            if (g->status == PAV_OK && !next_is(g, sections[k].end))
                mistake(g, "the section does not end where its count says");
            return;
        }
    }
    if (*g->at == '$') {
        g->at++;
        do {
            const char *found = g->at < g->end
                                    ? memchr(g->at, '$', (size_t)(g->end - g->at))
                                    : NULL;
            g->at = found ? found + 1 : g->end;
        } while (g->at < g->end && strncmp(g->at, "End", 3) != 0);
        while (g->at < g->end && !is_space(*g->at))
            g->at++;
    } else
        mistake(g, "a section that begins with $ is missing");
}

/* Groups that name no border, with their numbers of elements. */
static void note_groups(gmsh *g)
{
    static const char *const of[] = {"points", "lines", "surface", "volume"};
    text t = {0};

    for (int64_t k = 0; k < g->group_count; k++) {
        const physical *p = &g->groups[k];
        if (p->border < 0)
            text_add(&t, "%s%s '%.*s' (%lld)", t.length ? ", " : "",
                     p->dimension >= 0 && p->dimension < 4 ? of[p->dimension] : "group",
                     p->length, p->name, (long long)p->elements);
    }
    if (g->unnamed.elements > 0)
        text_add(&t, "%sgroups without a name (%lld)", t.length ? ", " : "",
                 (long long)g->unnamed.elements);
    g->p->left_out = t.data;
    if (t.failed)
        stop(g, PAV_ENOMEM);
}

pav_status plane_parse_gmsh(const char *name, const char *bytes, int64_t length, plane *p)
{
    gmsh g = {.name = name,
              .at = bytes,
              .begin = bytes,
              .end = bytes + length,
              .p = p,
              .unnamed = {.border = -1}};

    *p = (plane){0};
    for (skip_space(&g); g.at < g.end && g.status == PAV_OK; skip_space(&g))
        read_section(&g);
    if (g.status == PAV_OK && !g.version)
        mistake(&g, "no Gmsh file: it is empty");
    if (g.status == PAV_OK && (p->points == 0 || p->triangles == 0))
        g.status = FAIL(PAV_EFORMAT,
                        "%s: it holds %lld nodes and %lld triangles: mesh the "
                        "surface first, as by `gmsh -2`",
                        name, (long long)p->points, (long long)p->triangles);
    note_groups(&g);
    MEM_FREE_ALL(g.tags, g.groups, g.entities);
    if (g.status != PAV_OK)
        plane_free(p);
    return g.status;
}
