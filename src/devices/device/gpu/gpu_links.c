/* SPDX-License-Identifier: BSD-3-Clause */
/* Links between GPUs by NCCL, within this process or across processes. Transfers follow
 * the order of work on both GPUs, and the host does not wait. The library is opened at
 * first use; its API is declared here. */
#include <pthread.h>
#include <stdlib.h>
#include <string.h>

#include "device/device_private.h"

typedef struct nccl_comm *nccl_comm;
enum { NCCL_DONE = 0, NCCL_BYTES = 0 };

/* Functions of NCCL: result, member of nccl, name in the library, arguments. */
#define NCCL_CALLS(CALL)                                                                 \
    CALL(int, new_id, ncclGetUniqueId, (gpu_links_id * id))                              \
    CALL(int, open, ncclCommInitRank,                                                    \
         (nccl_comm * comm, int count, gpu_links_id id, int number))                     \
    CALL(int, close, ncclCommDestroy, (nccl_comm comm))                                  \
    CALL(int, begin, ncclGroupStart, (void))                                             \
    CALL(int, end, ncclGroupEnd, (void))                                                 \
    CALL(int, send, ncclSend,                                                            \
         (const void *from, size_t count, int type, int to, nccl_comm comm,              \
          void *stream))                                                                 \
    CALL(int, receive, ncclRecv,                                                         \
         (void *to, size_t count, int type, int from, nccl_comm comm, void *stream))     \
    CALL(const char *, error, ncclGetErrorString, (int code))
#define MEMBER(result, member, name, arguments) result(*member) arguments;
#define ROW(result, member, name, arguments) {#name, offsetof(struct nccl, member)},
static struct nccl {
    NCCL_CALLS(MEMBER)
} nccl;
static const library_call calls[] = {NCCL_CALLS(ROW)};
static bool found;
static pthread_once_t once = PTHREAD_ONCE_INIT;

struct gpu_links {
    int count, first; /* GPUs of this process; the number of the first among all */
    gpu **g;
    nccl_comm *comm;
};

static void find(void)
{
    const char *file;
    void *library = library_open("NCCL", &file);
    found = library && library_find(library, calls, COUNT_OF(calls), &nccl);
}

bool gpu_links_there(void)
{
    (void)pthread_once(&once, find);
    return found;
}

static pav_status failed(int code, const char *what)
{
    return code == NCCL_DONE
               ? PAV_OK
               : FAIL(PAV_EDEVICE,
                      "NCCL cannot %s: %s; PAV_TRANSPORT=mpi does without it", what,
                      nccl.error(code));
}

/* An emulated GPU has no CUDA stream, so NCCL works only through a stand-in library. */
bool gpu_links_know(const gpu *g)
{
    return !g->facts.emulated || getenv("PAV_NCCL");
}

pav_status gpu_links_new_id(gpu_links_id *id)
{
    return failed(nccl.new_id(id), "begin");
}

/* ---- opening ----------------------------------------------------------------------- */

pav_status gpu_links_open(gpu *const *g, int count, int first, int all,
                          const gpu_links_id *id, gpu_links **result)
{
    gpu_links *l = *result = mem_new(1, sizeof *l);
    void *stream;

    if (!l)
        return PAV_ENOMEM;
    l->first = first;
    TRY(mem_take(&l->g, count, sizeof(gpu *)));
    TRY(mem_take(&l->comm, count, sizeof(nccl_comm)));
    memcpy(l->g, g, (size_t)count * sizeof(gpu *));
    l->count = count;
    pav_status status = failed(nccl.begin(), "join the GPUs");
    for (int n = 0; status == PAV_OK && n < count; n++) {
        status = g[n]->ops->enter(g[n], NULL, &stream);
        if (status != PAV_OK)
            break;
        const int code = nccl.open(&l->comm[n], all, *id, first + n);
        g[n]->ops->leave(g[n]);
        status = failed(code, "join the GPUs");
    }
    const int code = nccl.end();
    return status == PAV_OK ? failed(code, "join the GPUs") : status;
}

void gpu_links_close(gpu_links *l)
{
    if (!l)
        return;
    for (int n = 0; n < l->count; n++)
        if (l->comm[n])
            (void)nccl.close(l->comm[n]);
    MEM_FREE_ALL(l->comm, l->g, l);
}

/* ---- transfers --------------------------------------------------------------------- */

pav_status gpu_links_begin(void)
{
    return failed(nccl.begin(), "begin an exchange");
}

pav_status gpu_links_end(void)
{
    return failed(nccl.end(), "exchange halos");
}

pav_status gpu_links_pass(const gpu_links *l, gpu *g, void *memory, int64_t bytes,
                          int other, bool sends)
{
    void *stream;
    int n = 0;
    while (l->g[n] != g)
        n++;
    TRY(rounds_flush(g));
    TRY(g->ops->enter(g, memory, &stream));
    const int code = sends ? nccl.send(memory, (size_t)bytes, NCCL_BYTES, other,
                                       l->comm[n], stream)
                           : nccl.receive(memory, (size_t)bytes, NCCL_BYTES, other,
                                          l->comm[n], stream);
    g->ops->leave(g);
    return failed(code, sends ? "send a halo" : "receive a halo");
}
