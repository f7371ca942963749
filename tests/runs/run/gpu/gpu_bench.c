/* SPDX-License-Identifier: BSD-3-Clause */
#include "gpu_bench.h"

#include <stdio.h>
#include <string.h>

gpu_kernel *bench_find(gpu_module *m, const char *name)
{
    gpu_kernel *k = gpu_module_find(m, name);

    if (!k)
        printf("  there is no kernel %s\n", name);
    REQUIRE(k);
    return k;
}

pav_status bench_compile(gpu *g, const text *source, gpu_module **module)
{
    REQUIRE(!source->failed);
    return gpu_module_open(g, source->data, source->length, HOST_KEEP | HOST_QUICK,
                           module);
}

/* Puts the numbers at the place read by the kernel. */
static void pack_numbers(const bench *b, int64_t stage, const emit_gpu_kernel *k,
                         char *at)
{
    char numbers[GPU_MOST_ARGUMENT], name[EMIT_NAME];
    const void *lent;

    emit_gpu_pack_uniforms(k, b->site->uniform, numbers);
    switch (k->schedule.coefficients) {
    case UNIFORMS_ARGUMENT: memcpy(at, numbers, (size_t)k->number_bytes); return;
    case UNIFORMS_CONSTANT:
        emit_gpu_constant_name(name, b->program, stage);
        REQUIRE_OK(gpu_constant_set(gpu_module_constant(b->stages, name, k->number_bytes),
                                    numbers));
        return;
    default:
        REQUIRE_OK(gpu_argument_ring_put(b->g, numbers, k->number_bytes, &lent));
        memcpy(at, &lent, sizeof lent);
    }
}

/* Puts the descriptors of the tensor memory accelerator. */
static void put_parts(const bench *b, const emit_gpu_kernel *k, const emit_gpu_work *w,
                      const emit_grid *grid, char *at)
{
    for (int64_t n = 0; n < k->parts; n++, at += sizeof(emit_gpu_tensor)) {
        emit_gpu_tensor t = {{0}, {0}};
        emit_gpu_tensor_region p;
        gpu_map map;
        emit_gpu_tensor_region_of(&k->part[n], w, grid, &p);
        gpu_tensor_region part = {.data = p.data};
        memcpy(part.count, p.count, sizeof p.count);
        memcpy(part.stride, p.stride, sizeof p.stride);
        memcpy(part.box, p.box, sizeof p.box);
        REQUIRE_OK(gpu_map_tensor(b->g, &part, &map));
        memcpy(t.map, map.word, sizeof t.map);
        memcpy(t.first, p.first, sizeof t.first);
        memcpy(at, &t, sizeof t);
    }
}

/* Packs the argument structure of a kernel. */
static int64_t pack(const bench *b, int64_t stage, const emit_gpu_kernel *k,
                    const emit_gpu_work *w, char *argument)
{
    char *at = argument;

    memcpy(at, w, sizeof *w);
    at += sizeof *w;
    for (int64_t n = 0; n < k->slots; n++, at += sizeof(emit_grid)) {
        const site_level *l = &b->site->level[k->slot[n].field][1 - k->slot[n].level];
        const emit_grid grid = {(char *)l->gpu + l->origin, l->host.stride[1],
                                l->host.stride[2]};
        memcpy(at, &grid, sizeof grid);
    }
    for (int64_t n = 0; n < k->tables; n++, at += sizeof(double *))
        memcpy(at, &b->site->gpu_table[k->table[n]], sizeof(double *));
    if (k->uniforms > 0)
        pack_numbers(b, stage, k, at);
    at = argument + k->argument_bytes - k->parts * (int64_t)sizeof(emit_gpu_tensor);
    put_parts(b, k, w, (const emit_grid *)(const void *)(argument + sizeof *w), at);
    return k->argument_bytes;
}

pav_status bench_launch(const bench *b, const ir_stage *stage, const emit_gpu_kernel *k,
                        const emit_gpu_work *w, const int64_t *blocks)
{
    char name[EMIT_NAME + 8], argument[GPU_MOST_ARGUMENT];
    const int64_t number = stage - b->site->code->stage;
    gpu_call call = {.argument = argument,
                     .argument_bytes = pack(b, number, k, w, argument)};

    emit_kernel_name(name, b->program, number);
    if (w->list)
        strcat(name, "_list"); /* NOLINT: there is room */
    call.kernel = bench_find(b->stages, name);
    emit_gpu_extent(b->site->code, k, w, call.blocks, call.threads, &call.shared);
    if (blocks)
        memcpy(call.blocks, blocks, sizeof call.blocks);
    return gpu_launch(b->g, &call);
}
