/* SPDX-License-Identifier: BSD-3-Clause */
/* Writes PROGRAM.c: the stages that the program calls, and the parts of its source in
 * order. */
#include <string.h>

#include "run/generate/generate_private.h"

extern const char program_types[], program_team[], program_ghost_map_private[],
    program_ghosts[], program_partition[], program_calls[], program_reductions[],
    program_borders[], program_points[], program_interface[], program_files[],
    program_gpu[], program_tiles[];

/* ---- which stages ------------------------------------------------------------------ */

/* when: g->early or g->later */
static void use_stage(generation *g, bool *when, int stage)
{
    for (; stage >= 0; stage = g->code->stage[stage].before) {
        g->used[stage] = when[stage] = true;
        g->reductions |= ir_reductions(&g->code->stage[stage]) > 0;
    }
}

static void use_list(generation *g, const ir_list *list)
{
    for (int64_t n = 0; n < list->count; n++)
        use_stage(g, g->later, list->stage[n]);
}

static void use_events(generation *g, const ir_event_list *list)
{
    for (int64_t n = 0; n < list->count; n++)
        use_list(g, &list->item[n].list);
}

static void use_borders(generation *g)
{
    for (int64_t f = 0; f < g->code->fields; f++)
        for (int n = 0; n < 2 * g->code->dim; n++) {
            const ir_border *b = &g->code->field[f].border[n / 2][n % 2];
            if (!border_is(b->kind) || b->stage < 0)
                continue;
            use_stage(g, g->early, b->stage);
            use_stage(g, g->later, b->stage);
            g->border[b->stage] = (int)f;
        }
}

pav_status find_stages(generation *g)
{
    const ir *code = g->code;

    g->used = mem_new(code->stages + 1, sizeof *g->used);
    g->border = mem_new(code->stages + 1, sizeof *g->border);
    g->early = mem_new(code->stages + 1, sizeof *g->early);
    g->later = mem_new(code->stages + 1, sizeof *g->later);
    if (!g->used || !g->border || !g->early || !g->later)
        return PAV_ENOMEM;
    for (int64_t n = 0; n < code->stages; n++)
        g->border[n] = -1;
    for (int64_t n = 0; n < code->start.count; n++)
        if (code->start.item[n].kind == START_STAGE)
            use_stage(g, g->early, code->start.item[n].stage);
    use_list(g, &code->step);
    use_events(g, &code->injections);
    use_events(g, &code->measures);
    use_events(g, &code->untils);
    use_events(g, &code->expects);
    use_borders(g);
    return PAV_OK;
}

/* ---- the source -------------------------------------------------------------------- */

/* The text of a library file, without its #include lines. */
static void add_own(const char *source, text *t)
{
    text_add(t, "\n");
    while (*source) {
        const size_t length = strcspn(source, "\n");
        if (strncmp(source, "#include", 8) != 0)
            text_add_bytes(t, source, (int64_t)length + (source[length] == '\n'));
        source += length + (source[length] == '\n');
    }
}

/* Static functions remain static. */
static void declare_kernels(const generation *g, text *t)
{
    char name[EMIT_NAME];

    text_add(t, "struct work;\n");
    for (int n = 0; n < g->code->stages; n++)
        if (emit_has_kernel(&g->code->stage[n])) {
            emit_kernel_name(name, 0, n);
            text_add(t, "static %svoid %s(const struct work *w);\n",
                     g->used[n] && !g->gpu ? "" : "__attribute__((unused)) ", name);
        }
    text_add(t, "\n");
}

static void add_driver_part(const generation *g, const char *source, bool needed, text *t)
{
    if (!needed)
        return;
    text_add(t, "\n");
    add_part(g, source, t);
}

static void add_declarations(text *t)
{
    text_add(t, "\n/* ---- boxes and ghosts %s */\n",
             "---------------------------------------------------------------------");
    add_own(program_ghost_map_private, t);
    text_add(t, "\nenum { PARTITION_PIECE = PIECE };\n"
                "typedef struct ghost_sides {\n    bool filled[2];\n"
                "    ghost_map map[2];\n} ghost_sides;\n"
                "static int partition_axis(const box *b, int parts);\n"
                "static bool partition_box(const box *b, int axis, int64_t parts, "
                "int64_t n, box *part);\n"
                "static void ghost_fill(const view *v, int axis, ghost_sides sides, "
                "const box *range);\n"
                "static void ghost_fill_side(const view *v, int axis, int side, "
                "ghost_map map, const box *range);\n");
}

static void add_driver(const generation *g, text *t)
{
    add_driver_part(g, program_types, true, t);
    add_driver_part(g, program_team, true, t);
    add_declarations(t);
    add_own(program_partition, t);
    add_own(program_ghosts, t);
    add_driver_part(g, program_calls, true, t);
    add_driver_part(g, program_gpu, g->gpu, t);
    add_driver_part(g, program_borders, true, t);
    add_driver_part(g, program_reductions, g->reductions, t);
    add_driver_part(g, program_points, g->points, t);
    add_driver_part(g, program_tiles, g->tilings > 0, t);
    if (program_reads_files(g))
        text_add(t, "\n%s", program_files);
}

pav_status add_source(const generation *g, text *t)
{
    text_add(t, "/* PROGRAM.c, written by Pavior: ");
    add_comment(program_file_name(g->program->name), t);
    text_add(t,
             ". README.md says how to build it; PROGRAM.h what it offers. */\n"
             "#include <pthread.h>\n#include <sched.h>\n#include <stdatomic.h>\n#include "
             "<stdbool.h>\n"
             "#include <stdio.h>\n#include <stdlib.h>\n#include "
             "<sys/mman.h>\n#include <time.h>\n#include <unistd.h>\n\n#include "
             "\"PROGRAM%s.h\"\n\n",
             g->gpu ? "_gpu" : "");
    declare_kernels(g, t);
    TRY(kernel_source(g->code, false, &(schedule){.kind = SCHEDULE_ROWS}, t));
    add_constants(g, t);
    const int64_t begin = t->length;
    add_driver(g, t);
    const int64_t end = t->length;
    add_points(g, t);
    text_add(t, "\n/* ---- PROGRAM %s */\n",
             "------------------------------------------------------------------------");
    TRY(add_fields(g, t));
    TRY(add_tables_and_stages(g, t));
    add_faces(g, t);
    add_start(g, t);
    add_step(g, t);
    add_tile_operations(g, t);
    add_driver_part(g, program_interface, true, t);
    add_numbers(g, t);
    add_samples(g, t);
    return emit_prune(t, begin, end);
}
