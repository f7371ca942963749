/* SPDX-License-Identifier: BSD-3-Clause */
/* The report as one JSON object; values not measured are null. */
#include <math.h>

#include "run/run_private.h"

static void json_number(text *t, const char *name, double value)
{
    text_add(t, "\"%s\": ", name);
    if (isfinite(value))
        text_add_double(t, value);
    else
        text_add(t, "null");
}

/* The value of each measure or, with `steps`, the step of this value. */
static void json_measured(const pav_run *run, bool steps, text *t)
{
    const char *comma = "";
    for (int64_t k = 0; k < run->observers.recorders; k++) {
        const recorder *r = &run->observers.recorder[k];
        double value;
        int64_t step;
        if (!rows_measured(r, &value, &step))
            continue;
        text_add(t, "%s", comma);
        json_number(t, r->statement->symbol->name, steps ? (double)step : value);
        comma = ", ";
    }
}

static void json_measures(const pav_run *run, text *t)
{
    text_add(t, "\"measures\": {");
    json_measured(run, false, t);
    text_add(t, "}, \"measure_steps\": {");
    json_measured(run, true, t);
    text_add(t, "}, \"expects\": [");
    for (int64_t k = 0; run->observers.checked && k < run->code->expects.count; k++) {
        const expectation *e = &run->observers.expected[k];
        text_add(t, "%s{\"text\": ", k ? ", " : "");
        text_add_json(t, run->code->expects.item[k].text);
        text_add(t, ", \"holds\": %s, ", e->value != 0 ? "true" : "false");
        json_number(t, "left", e->left);
        text_add(t, ", ");
        json_number(t, "right", e->right);
        text_add(t, "}");
    }
    text_add(t, "]");
}

static void json_grid(const pav_run *run, text *t)
{
    text_add(t, "\"grid\": [");
    for (int axis = 0; axis < run->code->dim; axis++)
        text_add(t, "%s%lld", axis ? ", " : "",
                 (long long)points_along(run->code, axis, false));
    text_add(t, "], ");
}

/* "tuned": autotuning is over, so later steps use this schedule. */
static void json_schedule(const pav_run *run, text *t)
{
    text words = {0};
    run_schedule_string(run, &words);
    text_add(t, "\"schedule\": ");
    text_add_json(t, words.data);
    text_add(t, ", \"tuned\": %s, ", run_is_tuned(run) ? "true" : "false");
    text_add(t, "\"from_wisdom\": %s, ",
             run->known.choice && run->known.choice->is_wisdom ? "true" : "false");
    t->failed |= words.failed;
    text_free(&words);
}

static void json_state(const pav_run *run, const figures *f, text *t)
{
    text_add(t, "\"type\": \"%s\", \"device\": \"%s\", \"threads\": %d, ",
             pav_type_name(run->program->real), run->device_name, f->threads);
    text_add(t, "\"bind\": \"%s\", ",
             host_binding_name(host_team_is_bound(run->team.all) ? HOST_BIND_CORES
                                                                 : HOST_BIND_NONE));
    text_add(t, "\"team_pauses\": %d, ", host_team_pauses(run->team.all));
    text_add(t, "\"ranks\": %d, ", ranks_count(run->part->ranks));
    json_schedule(run, t);
    text_add(t, "\"time_blocks\": %lld, \"longest_time_block\": %lld, ",
             (long long)run_blocks(run)->taken, (long long)run_blocks(run)->longest);
    text_add(t, "\"shorter_time_blocks\": %lld, \"shorter_time_block\": %d, ",
             (long long)run_blocks(run)->shorter, run_executor_figures(run).shorter);
    outofcore_report_json(run, t);
    text_add(t, "\"steps\": %lld, \"steps_asked\": %lld, \"first_step\": %lld, ",
             (long long)run->part->step, (long long)run->steps,
             (long long)run->first_step);
    const int until = pav_run_until(run);
    text_add(t, "\"state\": \"%s\", \"until\": %s, ", run_state(run),
             until < 0 ? "null"
             : until   ? "true"
                       : "false");
    text_add(t, "\"checkpoint\": ");
    text_add_json(t, pav_run_checkpointed(run, NULL));
    text_add(t, ", \"checkpoints\": %lld", (long long)run->checkpoint.count);
    text_add(t, ", \"exchange_every\": %d, \"exchanged_by\": ",
             run->cut.is_cut ? wide_halo_steps(run->part->wide) : 0);
    text_add_json(t, run_executor_figures(run).exchanged_by);
    text_add(t, ", ");
}

static void json_figures(const pav_run *run, const figures *f, text *t)
{
    const bool measured = f->copy_gbytes > 0;
    const executor_figures all = run_executor_figures(run);
    const bool timed = all.exchange_whole > 0;
    const struct {
        const char *name;
        double value;
    } numbers[] = {
        {"seconds", run->seconds.steps},
        {"seconds_setup", run->seconds.setup},
        {"seconds_output", run->seconds.output},
        {"seconds_checkpoints", run->checkpoint.spent},
        {"gpts", f->gpts},
        {"gpts_all", f->gpts_all},
        {"gbytes", f->gbytes},
        {"gflops", f->gflops},
        {"bytes_per_point", f->bytes_per_point},
        {"flops_per_point", f->flops_per_point},
        {"exchanged_bytes", (double)all.exchanged_bytes},
        {"seconds_exchange", all.exchanged_seconds},
        {"seconds_of_one_exchange", timed ? all.exchange_whole : (double)NAN},
        {"seconds_of_one_not_hidden", timed ? all.exchange_waited : (double)NAN},
        {"copy_gbytes", measured ? f->copy_gbytes : (double)NAN},
        {"percent_of_copy", measured ? f->percent : (double)NAN},
        {"memory_peak", (double)f->memory},
        {"device_memory",
         run_uses_device_memory(run) ? (double)f->device_memory : (double)NAN},
        {"process_peak", f->process >= 0 ? (double)f->process : (double)NAN},
    };
    for (size_t k = 0; k < COUNT_OF(numbers); k++) {
        json_number(t, numbers[k].name, numbers[k].value);
        text_add(t, ", ");
    }
}

void report_json(pav_run *run, text *t)
{
    const figures f = run_figures(run);
    uint64_t identity;
    t->failed |= program_identity(run->program, &identity) != PAV_OK;
    text_add(t, "{\"message\": ");
    text_add_json(t, run->progress.why);
    text_add(t, ", \"program\": ");
    text_add_json(t, run->program->name);
    text_add(t, ", \"identity\": \"%016llx\", ", (unsigned long long)identity);
    json_grid(run, t);
    json_state(run, &f, t);
    json_figures(run, &f, t);
    solver_json(run, t);
    json_measures(run, t);
    text_add(t, "}\n");
}
