/* SPDX-License-Identifier: BSD-3-Clause */
/* One open NVIDIA GPU: its memory, stream and clock. Its context is shared with other
 * users of the GPU in this process. All work goes through one stream. */
#include <stdio.h>

#include "device/cuda/cuda_private.h"

/* ---- opening and closing ----------------------------------------------------------- */

static void close_gpu(gpu *g)
{
    cuda *c = cuda_of(g);

    if (c->context && cuda_enter(c) == PAV_OK) {
        cuda_exchange_close(c);
        cuda_stage_close(c, &c->stage);
        cuda_outbox_close(c);
        for (int k = 0; k < GPU_MARKS; k++)
            if (c->mark[k])
                (void)c->driver->event_free(c->mark[k]);
        if (c->turn)
            (void)c->driver->event_free(c->turn);
        cuda_concurrent_close(c);
        if (c->first)
            (void)c->driver->stream_free(c->first);
        (void)cuda_leave(c, CU_DONE, "");
    }
    if (c->context)
        (void)c->driver->release(c->device);
    mem_free(c);
}

static pav_status start(cuda *c)
{
    const cu_result code = c->driver->retain(&c->context, c->device);

    if (code != CU_DONE)
        return cuda_failed(c, code, "opening the GPU");
    TRY(cuda_enter(c));
    const cu_result made = c->driver->stream_new(&c->first, CU_OWN_STREAM);
    c->stream = c->first;
    return cuda_leave(c, made, "making a stream");
}

static pav_status open_gpu(int number, gpu **result)
{
    cuda *c = mem_new(1, sizeof *c);
    const char *why;

    if (!c)
        return PAV_ENOMEM;
    (void)snprintf(c->base.name, sizeof c->base.name, "cuda:%d", number);
    const pav_status status = cuda_describe(number, c, &why)
                                  ? start(c)
                                  : FAIL(PAV_EDEVICE, "%s", why);
    if (status == PAV_OK)
        *result = &c->base;
    else
        close_gpu(&c->base);
    return status;
}

/* ---- memory ------------------------------------------------------------------------ */

static int64_t free_memory(const gpu *g)
{
    const cuda *c = (const cuda *)(const void *)g;
    size_t left = 0, total;

    if (cuda_enter(c) == PAV_OK)
        (void)cuda_leave(c, c->driver->memory_info(&left, &total), "asking for memory");
    return (int64_t)left;
}

static pav_status take(gpu *g, int64_t bytes, void **memory)
{
    const cuda *c = cuda_of(g);
    cu_pointer address = 0;

    TRY(cuda_enter(c));
    TRY(cuda_leave(c, c->driver->take(&address, (size_t)bytes), "taking memory"));
    *memory = (void *)(uintptr_t)address;
    return PAV_OK;
}

static void give(gpu *g, void *memory)
{
    const cuda *c = cuda_of(g);

    if (cuda_enter(c) == PAV_OK)
        (void)cuda_leave(c, c->driver->give(cuda_address(memory)), "giving memory back");
}

static pav_status fill(gpu *g, void *memory, int byte, int64_t bytes)
{
    const cuda *c = cuda_of(g);

    TRY(cuda_enter(c));
    return cuda_leave(c,
                      c->driver->fill(cuda_address(memory), (unsigned char)byte,
                                      (size_t)bytes, c->stream),
                      "filling memory");
}

static pav_status copy(gpu *g, void *to, const void *from, int64_t bytes)
{
    const cuda *c = cuda_of(g);

    TRY(cuda_enter(c));
    return cuda_leave(
        c,
        c->driver->copy(cuda_address(to), cuda_address(from), (size_t)bytes, c->stream),
        "copying memory");
}

/* ---- order and time ---------------------------------------------------------------- */

static pav_status wait(gpu *g)
{
    const cuda *c = cuda_of(g);

    TRY(cuda_enter(c));
    return cuda_leave(c, c->driver->stream_wait(c->stream), "waiting for the GPU");
}

static pav_status mark(gpu *g, int number)
{
    cuda *c = cuda_of(g);
    cu_result code = CU_DONE;

    TRY(cuda_enter(c));
    if (!c->mark[number])
        code = c->driver->event_new(&c->mark[number], 0);
    if (code == CU_DONE)
        code = c->driver->event_record(c->mark[number], c->stream);
    return cuda_leave(c, code, "marking a time");
}

static pav_status seconds(gpu *g, int from, int to, double *result)
{
    const cuda *c = cuda_of(g);
    float milliseconds = 0;

    if (!c->mark[from] || !c->mark[to])
        return FAIL(PAV_EINTERNAL, "marks %d and %d of %s were not both set", from, to,
                    g->name);
    TRY(cuda_enter(c));
    cu_result code = c->driver->event_wait(c->mark[to]);
    if (code == CU_DONE) /* it may belong to the other queue and end later */
        code = c->driver->event_wait(c->mark[from]);
    if (code == CU_DONE)
        code = c->driver->event_elapsed(&milliseconds, c->mark[from], c->mark[to]);
    *result = (double)milliseconds / 1e3;
    return cuda_leave(c, code, "reading a time");
}

const gpu_ops cuda_ops = {
    .count = cuda_count,
    .describe = cuda_read_facts,
    .versions = cuda_versions,
    .open = open_gpu,
    .close = close_gpu,
    .free_memory = free_memory,
    .take = take,
    .give = give,
    .fill = fill,
    .upload = cuda_upload,
    .download = cuda_download,
    .copy = copy,
    .exchange = cuda_begin_exchange,
    .exchanged = cuda_end_exchange,
    .exchange_rest = cuda_exchange_rest,
    .pin = cuda_pin,
    .unpin = cuda_unpin,
    .compile = cuda_compile,
    .discard = cuda_discard,
    .note = cuda_note,
    .find = cuda_find,
    .constant = cuda_constant,
    .send = cuda_send,
    .launch = cuda_launch,
    .reads = cuda_reads,
    .launch_reading = cuda_launch_reading,
    .concurrent = cuda_concurrent,
    .enter = cuda_lend,
    .leave = cuda_take_back,
    .join = cuda_join,
    .cooperative_blocks = cuda_cooperative_blocks,
    .wait = wait,
    .mark = mark,
    .seconds = seconds,
    .no_tensors = cuda_no_tensors,
    .map_tensor = cuda_map_tensor,
    .record = cuda_record,
    .replay = cuda_replay,
    .forget = cuda_forget,
};
