/* SPDX-License-Identifier: BSD-3-Clause */
/* Replaces NCCL for emulated GPUs. A message is a file until it is received. PAV_NCCL
 * names this library, and it contains only the functions of NCCL called by Pavior. */
#include <fcntl.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

enum { DONE = 0, SYSTEM = 2, INVALID = 5, MOST_GPUS = 16, MOST_PASSES = 4096 };
typedef struct nccl_id {
    char bytes[128];
} nccl_id;
typedef struct comm {
    nccl_id id;
    int number, count;
    int sent[MOST_GPUS], received[MOST_GPUS];
} comm;
typedef struct pass {
    comm *c;
    void *memory;
    size_t bytes;
    int other;
    bool sends;
} pass;

static pass queue[MOST_PASSES];
static int queued;

int ncclGetUniqueId(nccl_id *id);
int ncclCommInitRank(comm **result, int count, nccl_id id, int number);
int ncclCommDestroy(comm *c);
int ncclGroupStart(void);
int ncclGroupEnd(void);
int ncclSend(void *from, size_t count, int type, int to, comm *c, void *stream);
int ncclRecv(void *to, size_t count, int type, int from, comm *c, void *stream);
const char *ncclGetErrorString(int code);

int ncclGetUniqueId(nccl_id *id)
{
    const char *folder = getenv("TMPDIR");
    snprintf(id->bytes, sizeof id->bytes, "%.64s/fake_nccl_%ld",
             folder && *folder ? folder : "/tmp", (long)getpid());
    return getenv("FAKE_NCCL_FAILS") ? SYSTEM : DONE;
}

int ncclCommInitRank(comm **result, int count, nccl_id id, int number)
{
    *result = NULL;
    if (getenv("FAKE_NCCL_REFUSES") || count > MOST_GPUS)
        return INVALID;
    *result = calloc(1, sizeof **result);
    if (!*result)
        return SYSTEM;
    **result = (comm){.id = id, .number = number, .count = count};
    return DONE;
}

int ncclCommDestroy(comm *c)
{
    free(c);
    return DONE;
}

static void name_of(const pass *p, int from, int to, int number, char name[200])
{
    snprintf(name, 200, "%s.%d.%d.%d", p->c->id.bytes, from, to, number);
}

static int send_file(const pass *p)
{
    char name[200], part[210];
    name_of(p, p->c->number, p->other, p->c->sent[p->other]++, name);
    snprintf(part, sizeof part, "%s.part", name);
    FILE *f = fopen(part, "wb");
    if (!f || fwrite(p->memory, 1, p->bytes, f) != p->bytes || fclose(f) != 0 ||
        rename(part, name) != 0)
        return SYSTEM;
    return DONE;
}

static int receive_file(const pass *p)
{
    static const struct timespec pause = {.tv_nsec = 100000};
    char name[200];
    FILE *f = NULL;
    name_of(p, p->other, p->c->number, p->c->received[p->other]++, name);
    for (int n = 0; n < 3000000 && !(f = fopen(name, "rb")); n++)
        (void)nanosleep(&pause, NULL);
    if (!f)
        return SYSTEM;
    const bool whole = fread(p->memory, 1, p->bytes, f) == p->bytes && fgetc(f) == EOF;
    fclose(f);
    unlink(name);
    return whole ? DONE : INVALID;
}

int ncclGroupStart(void)
{
    queued = 0;
    return DONE;
}

int ncclGroupEnd(void)
{
    int code = DONE;
    for (int n = 0; n < queued && code == DONE; n++)
        code = queue[n].sends ? send_file(&queue[n]) : DONE;
    for (int n = 0; n < queued && code == DONE; n++)
        code = queue[n].sends ? DONE : receive_file(&queue[n]);
    queued = 0;
    return code;
}

static int put(pass p)
{
    if (queued == MOST_PASSES || p.other < 0 || p.other >= p.c->count ||
        p.other == p.c->number)
        return INVALID;
    queue[queued++] = p;
    return DONE;
}

int ncclSend(void *from, size_t count, int type, int to, comm *c, void *stream)
{
    (void)type, (void)stream;
    return put((pass){c, from, count, to, true});
}

int ncclRecv(void *to, size_t count, int type, int from, comm *c, void *stream)
{
    (void)type, (void)stream;
    return put((pass){c, to, count, from, false});
}

const char *ncclGetErrorString(int code)
{
    return code == INVALID ? "invalid usage" : "system error";
}
