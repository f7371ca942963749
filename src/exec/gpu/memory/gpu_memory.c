/* SPDX-License-Identifier: BSD-3-Clause */
/* Memory of a GPU taken by a run besides its fields, e.g. for tables, and freed with the
 * run; bytes needed for reductions and for buffers of fused launches. */
#include "exec/gpu/gpu_private.h"

pav_status gpurun_take(gpurun *g, int64_t bytes, const char *what, void **memory)
{
    void **grown = mem_grow(g->memory, g->blocks + 1, sizeof *grown);
    if (!grown)
        return PAV_ENOMEM;
    g->memory = grown;
    TRY(gpu_take(g->gpu, bytes, what, memory));
    g->memory[g->blocks++] = *memory;
    g->bytes += bytes;
    return PAV_OK;
}

pav_status gpurun_give_list(gpurun *g, const void *from, int64_t bytes, const char *what,
                            void **memory)
{
    TRY(gpurun_take(g, bytes, what, memory));
    return gpu_upload(g->gpu, *memory, from, bytes);
}

void gpurun_reduction_counts(const ir *code, int64_t *values, int64_t *rows)
{
    *values = *rows = 0;
    for (int64_t k = 0; k < code->stages; k++) {
        const ir_stage *s = &code->stage[k];
        const box b = ir_stage_box(code, s);
        int64_t count = 0, size[MAX_DIM];
        reduction_sizes(&b, size);
        for (int64_t n = 0; n < s->outputs && emit_gpu_has_kernel(code, s); n++)
            count += s->output[n].kind == IR_REDUCE ? size[2] : 0;
        *values = count > *values ? count : *values;
        *rows = count > 0 && size[2] / size[0] > *rows ? size[2] / size[0] : *rows;
    }
}

int64_t gpurun_reduction_bytes(const ir *code)
{
    int64_t values, rows;
    gpurun_reduction_counts(code, &values, &rows);
    return (values + rows) * (int64_t)sizeof(double) + gpu_scalars_bytes(code);
}

pav_status gpurun_fill_tables(gpurun *g)
{
    const ir *code = g->base.part->code;
    for (int64_t k = 0; k < code->tables; k++) {
        const int64_t before = g->base.part->table[k] - g->base.part->table_memory[k];
        void *memory;
        TRY(gpurun_give_list(g, g->base.part->table_memory[k],
                             subdomain_table_count(code, &code->table[k]) *
                                 (int64_t)sizeof(double),
                             "tables along the axes", &memory));
        g->table[k] = (const double *)memory + before;
    }
    return PAV_OK;
}
