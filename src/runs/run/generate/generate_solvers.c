/* SPDX-License-Identifier: BSD-3-Clause */
/* Equations that a step solves. Each has a library of its own, PROGRAM_solve1 and so on,
 * whose steps are those of the solver. Like a run, the program hands fields and numbers
 * to it before the first stage that reads the solution. */
#include <assert.h>
#include <string.h>

#include "run/generate/generate_private.h"

/* ---- libraries --------------------------------------------------------------------- */

static int field_named(const generation *g, const char *name)
{
    return run_field_number(&(pav_run){.code = g->code}, name);
}

static bool is_given(const generation *s, const ir_start *item)
{
    for (int k = 0; k < s->solution->handed; k++)
        if (item->field == field_named(s, s->solution->hand[k].to))
            return item->field >= 0 && item->level == 0 && item->kind != START_BORDERS;
    return false;
}

pav_status open_solvers(generation *g, const solution *all)
{
    g->solver = arena_alloc(g->arena, all->count + 1, sizeof *g->solver);
    for (int64_t n = 0; n < all->count; n++) {
        generation *const s = &g->solver[g->solvers++];
        int64_t kept = 0;
        *s = (generation){
            .asked = g->asked,
            .program = all->each[n].program,
            .options = g->options,
            .directory = g->directory,
            .arena = g->arena,
            .name = arena_print(g->arena, "%s_solve%lld", g->name, (long long)n + 1),
            .gpu = g->gpu,
            .parts = 1,
            .gpu_of = {g->gpu_of[0]},
            .share = {1},
            .solution = &all->each[n]};
        all->each[n].program->stand_alone = true;
        TRY(ir_build(s->program, NULL, &s->code));
        if (g->gpu) /* by the default schedules of its kernels */
            TRY(emit_split_stages(s->code, &s->schedule));
        else
            s->schedule = g->schedule;
        s->stage = solver_stage(g->code, field_named(g, s->solution->solved[0]));
        /* Fields that are handed over have no start of their own. */
        for (int64_t k = 0; k < s->code->start.count; k++)
            if (!is_given(s, &s->code->start.item[k]))
                s->code->start.item[kept++] = s->code->start.item[k];
        s->code->start.count = kept;
    }
    return PAV_OK;
}

/* ---- their use --------------------------------------------------------------------- */

/* Copies a level of the step's field to the solver's field, or back. */
static void add_copy(const generation *g, const generation *s, const solution_hand *h,
                     bool back, text *t)
{
    const int own = field_named(g, h->from), other = field_named(s, h->to);

    assert(other < 0 || g->code->field[own].storage == s->code->field[other].storage);
    if (other >= 0 && g->gpu)
        text_add(t,
                 "    v = %s_there(s, %d);\n    copy_points_there(view_there(p, "
                 "p->part, %s, %d), v.data, v.stride, %d);\n%s",
                 s->name, other, g->field[own], h->level, !back,
                 back ? arena_print(g->arena, "    changed_there(p, %s, %d);\n",
                                    g->field[own], h->level)
                      : "");
    else if (other >= 0)
        text_add(t,
                 "    v = %s_field(s, %d, 0);\n"
                 "    copy_points(view_of(p, %s, %d), v.data, v.stride, %d);\n",
                 s->name, other, g->field[own], h->level, !back);
}

static void add_solver(const generation *g, int number, text *t)
{
    const generation *const s = &g->solver[number];
    const solution *const of = s->solution;

    text_add(t,
             "\n/* Solves for %s by %s. */\nstatic void solve_%d(program *p)\n{\n"
             "    if (!p->solver[%d]) {\n        %s_directory = PROGRAM_directory;\n%s"
             "        p->solver[%d] = %s_create(p->team->threads);\n    }\n"
             "    %s_run *const s = p->solver[%d];\n    %s_view v;\n\n"
             "    check_solver(p, s ? 1 : 0, \"%s\");\n"
             "    %s_numbers(s)[%d] = time_of(p, p->step + 1);\n",
             of->field, of->method, number, number, s->name,
             g->gpu ? arena_print(g->arena,
                                  "        %s_gpu[0] = p->part->gpu;\n        "
                                  "PROGRAM_gpu_use(p->part->gpu);\n",
                                  s->name)
                    : "",
             number, s->name, s->name, number, s->name, of->field, s->name,
             s->code->uniform_t);
    for (int64_t k = 0; k < s->code->uniforms; k++)
        if (solver_number(s->code, k, g->code) >= 0)
            text_add(t, "    %s_numbers(s)[%lld] = p->uniform[%d];\n", s->name,
                     (long long)k, solver_number(s->code, k, g->code));
    for (int k = 0; k < of->handed; k++)
        add_copy(g, s, &of->hand[k], false, t);
    text_add(t, "    check_solver(p, %s_solve(s), \"%s\");\n", s->name, of->field);
    for (int k = 0; k < of->unknowns; k++)
        add_copy(g, s, &(solution_hand){of->solved[k], of->unknown[k], 0}, true, t);
    text_add(t, "}\n");
}

pav_status add_solvers(const generation *g, text *t)
{
    if (g->solvers == 0)
        return PAV_OK;
    text_add(
        t, "\n/* how: 1: it solved the equation; 0: it is not there */\n"
           "static void check_solver(const program *p, int how, const char *of)\n{\n"
           "    static const char *const why[] = {\n"
           "        \"has no memory or input file\", \"\",\n"
           "        \"does not reach its residual in all its steps\",\n"
           "        \"has a residual that stalls\",\n"
           "        \"has a residual that grows or is not finite\",\n"
           "        \"has a right side without a solution: no face gives a value, and it "
           "does not \"\n        \"sum to 0\"};\n\n"
           "    if (how == 1)\n        return;\n"
           "    fprintf(stderr, \"PROGRAM: step %%lld: the solver for %%s %%s\\n\",\n"
           "            (long long)p->step + 1, of, why[how]);\n"
           "    exit(EXIT_FAILURE);\n}\n");
    for (int n = 0; n < g->solvers; n++)
        add_solver(g, n, t);
    text_add(t, "\nstatic void close_solvers(program *p)\n{\n");
    for (int n = 0; n < g->solvers; n++)
        text_add(t, "    %s_free(p->solver[%d]);\n", g->solver[n].name, n);
    text_add(t, "}\n");
    return PAV_OK;
}

/* ---- the part of a library --------------------------------------------------------- */

/* True if the part of the right side in the null space shows at the start. */
static bool is_known_early(const solution *s)
{
    return s->symmetric && s->unknowns == 1;
}

/* A right side without a solution: only then is the part in the null space large. */
static void add_gap(const generation *g, const solution *of, const char *head, text *t)
{
    text_add(t, "\n%s(const PROGRAM_run *p)\n{\n    return !p", head);
    for (int k = 0; k < of->unknowns; k++)
        if (of->gap[k])
            text_add(t, " || p->uniform[%d] > 1e-2",
                     run_slot(g->code,
                              is_known_early(of) ? UNIFORM_PARAM : UNIFORM_SCALAR,
                              of->gap[k]));
    text_add(t, ";\n}\n");
}

/* A solver asks its only `until` at the start and every few steps, and gives up by the
 * rule of a run (run/residual_private.h). */
void add_solve(const generation *g, text *t)
{
    const solution *const of = g->solution;

    if (g->whole)
        add_gap(g, g->whole, "int PROGRAM_unsolvable", t);
    if (!of)
        return;
    assert(g->code->untils.count == 1); /* solve_derive writes it */
    const ir_event *const until = &g->code->untils.item[0];
    const bool early = is_known_early(of);
    text_add(t,
             "\ndouble *PROGRAM_numbers(PROGRAM_run *p)\n{\n    return p->uniform;\n}\n");
    if (g->gpu)
        text_add(t, "\nPROGRAM_view PROGRAM_there(const PROGRAM_run *p, int f)\n{\n"
                    "    return view_there(p, p->part, f, 0);\n}\n");
    add_gap(g, of, "static int has_no_solution", t);
    text_add(
        t,
        "\nint PROGRAM_solve(PROGRAM_run *p)\n{\n"
        "    enum { EVERY = %lld, MOST = %lld, PATIENCE = %lld, STEADY = %d };\n"
        "    residual_watch watch = {0};\n\n"
        "    memset(p->kept, 0, sizeof p->kept);\n    p->step = 0;\n    p->anew = 1;\n"
        "%s    start(p);\n    residual_note(&watch, p->uniform[%d]);\n"
        "    if (%s)\n        return 5;\n"
        "    while (PROGRAM_number(p, PROGRAM_UNTIL_0) == 0) {\n"
        "        residual_note(&watch, p->uniform[%d]);\n"
        "        if (!(p->uniform[%d] <= 1e6 * watch.first))\n            return 4;\n"
        "        if (residual_stalls(&watch, PATIENCE, STEADY))\n            return 3;\n"
        "        if (p->step + EVERY > MOST)\n            return 2;\n"
        "        PROGRAM_step(p, EVERY);\n    }\n    return %s ? 5 : 1;\n}\n",
        (long long)int64_most(until->statement->every_steps, 1),
        (long long)g->program->steps, (long long)of->patience, of->steady,
        g->gpu ? "    memset(p->here, 0, sizeof p->here);\n" : "",
        run_slot(g->code, UNIFORM_PARAM, of->start), early ? "has_no_solution(p)" : "0",
        until->left, until->left, early ? "0" : "has_no_solution(p)");
}
